/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay wp`: does a property of a function hold, or of two versions of it? Of one function, or of all. */
#ifndef ASK_WP_H
#define ASK_WP_H

#include "ask/ask.h"
#include "ask/facts.h"
#include "base/vec.h"
#include "wp/wp.h"

struct ask_wp {
    const char *orig, *mod; /* mod NULL: one program */
    struct object_options object;
    const char *function; /* NULL: all */
    struct wp_options how;
    bool want_ir;   /* of the function */
    bool want_code; /* of the versions that a countermodel is about: for the page and for graphs */
    bool want_gdb, want_bildb, want_debug; /* the countermodel as files */
    struct ask_limits limits;              /* `timeout` is for a function */
};

/* ---- the answer ---- */

enum ask_wp_verdict {
    ASK_WP_UNSAT,
    ASK_WP_SAT,
    ASK_WP_UNKNOWN,
    ASK_WP_TIMEOUT,
    ASK_WP_ABSENT, /* the modified program has no such function */
};

struct ask_wp_line {
    uint64_t address;
    const char *text;
};
struct ask_wp_block {
    uint64_t address;
    const struct ask_wp_line *line;
    size_t nlines;
};
struct ask_wp_edge {
    uint32_t from, to;
};

/* What a version does from the countermodel on. */
struct ask_wp_run {
    struct wp_run run; /* its graph is `block` and `edge`, when code was wanted */
    const char *function;
    bool has_code;
    const struct ask_wp_block *block;
    size_t nblocks;
    const struct ask_wp_edge *edge;
    size_t nedges;
    const char *gdb, *bildb, *debug; /* contents of files; NULL: not wanted */
};

struct ask_checked {
    const char *function;
    uint8_t verdict;    /* enum ask_wp_verdict */
    const char *reason; /* or NULL */
    bool checked;       /* false: there is nothing but the above */
    uint64_t address;
    bool spurious; /* there is a countermodel, and it does not stand up */
    uint32_t unrolled;
    bool bounded;
    const char *smtlib, *internal; /* or NULL */
    bool has_ir;
    const char *const *ir; /* of each version */
    size_t nir;
    const struct wp_goal *goal; /* that are refuted; ASK_NO_PLACE: at the end of the function */
    size_t ngoals;
    const struct ask_wp_run *run;
    size_t nruns;
    const char *const *note; /* what the answer rests on */
    size_t nnotes;
    struct wp_stats stats;
};
bool ask_checked_refuted(const struct ask_checked *c); /* there is a countermodel to show */

struct ask_wp_answer {
    bool begun; /* there is something to show */
    struct ask_facts facts[2];
    size_t nprograms;
    VEC(struct ask_checked) checked;
    struct ask_end end;
    /* Its own: */
    const struct ask_wp *q;
    struct arena arena;
};

bool ask_wp(const struct ask_wp *q, const struct ask_session *session, struct ask_wp_answer *a,
            struct error *err);
void ask_wp_free(struct ask_wp_answer *a);
enum ask_status ask_wp_status(const struct ask_wp_answer *a);

#endif
