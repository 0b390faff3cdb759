/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of `assay java`: one exploration, in the worker. */
#ifndef ASK_JAVA_INTERNAL_H
#define ASK_JAVA_INTERNAL_H

#include "ask/java.h"
#include "exec/java.h"

/* An exception that was looked at: its class, and what threw it. */
struct java_seen {
    uint64_t id, place;
};

struct java_points;

struct java_run {
    const struct ask_java *q;
    struct ask_sink *say;
    struct java_path *path;
    struct java_world world;
    struct java_lift *lift;
    struct java_method *method; /* asked for */
    struct terms *t;
    struct solver *s;
    struct explorer *x;
    struct arena arena;
    bool failed;
    VEC(struct java_seen) seen;
    struct java_points *points; /* NULL: neither cases nor coverage were asked for */
    struct explore_hooks hooks;
    struct deadline until;
    uint64_t work; /* of all attempts */
    /* Of the last attempt: */
    unsigned mode;
    uint64_t paths;
    bool unknown, bounded;
    bool cut;     /* by its limit of work */
    bool paid;    /* merging cost little by then, compared to the paths that were merged */
    bool gave_up; /* the solver did */
    bool unsure;  /* unknown, where it may be known of one path at a time */
    VEC(const char *) why;
};

enum java_say { JAVA_SAY_BEGIN, JAVA_SAY_FAILURE, JAVA_SAY_CASE, JAVA_SAY_COVERAGE, JAVA_SAY_END };
extern const struct wire_type java_input_type, java_case_type, java_coverage_type;

/* java.c */
const char *java_method_name(struct java_run *r, const struct java_method *m); /* Class.method(desc) */
bool java_evaluated(struct java_run *r, const struct term_model *m, term x, uint64_t *out);
/* What the model says of inputs, in the order in which the program asked for them, on the way that the model
 * takes. */
size_t java_inputs(struct java_run *r, const struct exec_path *path, const struct term_model *m,
                   const struct ask_java_input **out);

/* java_cases.c: lines and branches of the program's own classes, and inputs that lead there. */
struct java_points *java_points_new(void);
void java_points_again(struct java_points *p); /* before another exploration, with terms of its own */
void java_points_free(struct java_points *p);
/* An explore_hooks.pass. */
void java_points_pass(void *run, const struct exec_moment *at, uint64_t site, ir_label to, term condition);
/* A path that returned or threw: finds a case for it, and one for each line and branch on it that no other
 * case reaches. */
void java_points_path(struct java_run *r, const struct exec_path *path);
void java_points_end(struct java_run *r); /* says the cases of the last exploration, and what they cover */

#endif
