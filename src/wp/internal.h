/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. */
#ifndef WP_INTERNAL_H
#define WP_INTERNAL_H

#include <regex.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/notes.h"
#include "base/vec.h"
#include "exec/rom.h"
#include "pair/pair.h"
#include "wp/wp.h"

enum goal_kind {
    GOAL_ASSERT,
    GOAL_NULL,
    GOAL_INVALID,
    GOAL_ARGUMENT, /* a pointer that a library function accesses */
    GOAL_CALL,
    GOAL_REGISTER,
    GOAL_POST,
    GOAL_SPEC,      /* the precondition of a user's function summary */
    GOAL_INVARIANT, /* of a loop, when it is entered */
    GOAL_INDUCTIVE, /* of a loop, when it goes on */
};

struct goal {
    uint8_t kind;
    uint8_t side;
    const char *tag;
    uint64_t site;
    term when;        /* this point is reached */
    term must;        /* and this has to hold there */
    term left, right; /* of an equation, for showing values; or TERM_NONE */
};

/* What a user says about a function. */
struct user_spec {
    const char *name;
    const char *pre, *post;
    bool own_name; /* differs between the versions: not the same unknown function in both */
};

enum builtin_spec {
    SPEC_VERIFIER_ERROR,
    SPEC_VERIFIER_ASSUME,
    SPEC_VERIFIER_NONDET,
    SPEC_AFL_MAYBE_LOG,
    SPEC_ARG_TERMS,
    SPEC_CHAOS_CALLER_SAVED,
    SPEC_RAX_OUT,
    SPEC_CHAOS_RAX,
    SPEC_EMPTY,
    SPEC_COUNT_
};

struct invariant {
    uint64_t address;
    const char *text;
    bool seen;
    term sp; /* at entry of the loop */
};

struct wp;

struct side {
    struct wp *w;
    struct pair_side *code; /* OLD: the original or the only one; NEW: the modified one */
    VEC(const struct exec_path *) path;
    struct map access;       /* (site, address) seen -> goal index + 1 */
    struct roms roms;
    struct map before;       /* register file before the call in progress, for init_ */
    term before_mem;
    term final_mem;
    struct map final_reg; /* offset << 16 | width -> term */
};

/* What the calls of a callee without a prototype show of how many words it takes: all of them have set this
 * many, and flow/abi says that none passes more than `most`, unless some call surely passes more. */
struct callee_words {
    const char *name;
    unsigned set, most, sure;
};
unsigned callee_takes(const struct callee_words *k); /* at most, as far as they show */

struct wp {
    const struct wp_options *opt;
    struct terms *t;
    struct solver *s, *quick;
    struct pair pair;
    struct arena *arena;
    struct error *err;
    bool failed; /* *err was set inside a hook */
    struct side side[2];
    unsigned nsides;
    VEC(struct goal) goal;
    VEC(term) assume;        /* assumptions at entry */
    VEC(term) preconditions; /* of the user */
    struct notes notes;
    VEC(struct user_spec) user[2];
    uint8_t spec[SPEC_COUNT_]; /* in order of precedence */
    unsigned nspecs;
    VEC(struct invariant) invariant;
    VEC(struct callee_words) callee;
    const struct callee_words *doubtful; /* one that may be given more than it takes; or NULL */
    bool few_arguments;                  /* callees take no more than that */
    regex_t follow;
    bool has_follow;
    VEC(const char *) also; /* followed as well: their summaries admitted a spurious countermodel */
    const char *blamed;     /* the summary that did so now; NULL: none */
    VEC(const char *) unchecked; /* summarised callees in which the property may fail */
    bool follow_more;            /* and nothing else keeps the answer open */
    const char *open;       /* why there is no answer, or NULL */
    /* Conditions on the final state are read again over symbols for what a run ended with. */
    bool from_run, memory_asked;
    VEC(term) again;
    unsigned visits;
    struct wp_result *out;
};

/* What a hook of the explorer is of; ctx is a pair_side. */
static inline struct side *side_of(void *ctx)
{
    const struct pair_side *code = ctx;
    struct wp *w = (struct wp *)((char *)code->pair - offsetof(struct wp, pair));
    return &w->side[code->new];
}

/* A vector's elements in an arena; NULL when there are none. */
#define VEC_KEEP(arena, v) ((v)->len ? arena_dup((arena), (v)->data, (v)->len * sizeof *(v)->data) : NULL)

void wp_note(struct wp *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whether the two could be taken apart: an error in a hook, remembered for the end. */
bool wp_fail(struct wp *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool wp_read_posts(struct wp *w);

/* side.c */
bool side_explore(struct side *s, struct error *err);
/* Fills w->callee from the calls that were explored. */
void sides_count_arguments(struct wp *w);
void side_close(struct side *s);
term side_returns(struct side *s); /* the condition under which it comes back to its caller */
term side_final(struct side *s, unsigned offset, unsigned width);
term side_final_memory(struct side *s);
term side_entry(struct side *s, unsigned offset, unsigned width);
term side_argument(struct side *s, unsigned n); /* the n-th integer argument at entry */
bool side_is_local(struct side *s, term address);
/* The range of the stack: [low, base). */
uint64_t wp_stack_low(const struct wp *w);

/* outside.c. Why the two files cannot be compared by their runs, or NULL. */
const char *outside_threads(struct wp *w);
void outside_note_callees(struct wp *w);

/* unchecked.c: before a call, and when it was summarised. Why callees keep an answer open; or NULL. */
void unchecked_library(struct side *s, const struct exec_moment *at, const struct exec_callee *c);
void unchecked_called(struct side *s, const struct exec_callee *c);
const char *unchecked_reason(const struct wp *w);

/* goals.c */
void goal_add(struct wp *w, struct goal g);
void goal_access(struct side *s, const struct exec_moment *at, term address, unsigned bytes, bool write,
                 term guard, uint64_t site);
void goal_argument(struct side *s, term pointer, term when, const char *callee, unsigned n, uint64_t site);
void goals_relate(struct wp *w); /* what the original may do as well is no goal */
bool goals_registers(struct wp *w);
void goals_calls(struct wp *w);

/* spec.c */
bool specs_read(struct wp *w);
struct exec_call spec_call(struct side *s, struct exec_moment *at, const struct exec_callee *c);
void spec_called(struct side *s, struct exec_moment *at, const struct exec_callee *c);
const struct user_spec *spec_of_user(const struct side *s, const char *name);
const char *spec_name(struct side *s, const char *name, uint64_t address);
bool spec_is_error(const char *name);
/* What the callee does is what its summary says, whatever its code does. */
bool spec_is_meant(struct side *s, const struct flow_function *f);

/* helpers.c: arithmetic that compilers call functions for. The registers before the call are in s->before. */
bool helper_is_known(const struct side *s, const char *name);
void helper_called(struct side *s, struct exec_moment *at, const char *name);

/* condition.c: conditions in SMT-LIB */
struct condition_names {
    struct side *side;             /* what names without a suffix are of */
    bool suffixes;                 /* _orig and _mod are known, and needed where `now` differs between them */
    bool entry;                    /* registers are those at entry */
    const struct exec_moment *now; /* or at this moment; NULL: at the end */
    const struct map *before;      /* init_ registers: before the call; NULL: at entry */
    term before_mem;
};
/* TERM_NONE and w->err set (prefixed with `what`). */
term condition_read(struct wp *w, const char *what, const char *text, const struct condition_names *names);

/* global.c */
struct global {
    const struct object_type_info *type; /* or NULL */
    term at;
};
/* False: there is none; or *why it cannot be named. */
bool global_find(struct side *s, const char *name, struct global *out, const char **why);

/* clike.c */
term clike_read(struct wp *w, const char *what, const char *text, bool post);

/* invariant.c */
bool invariants_read(struct wp *w);
bool invariant_enter(struct side *s, struct exec_moment *at, ir_label block, unsigned n);

/* rom.c */
/* A load at a computed place of a table that is never written. */
term rom_load(struct side *s, term address, unsigned width, term otherwise);

/* replay.c */
/* Fills the result; true when the countermodel is confirmed. `bad`: that some goal fails. */
bool replay_countermodel(struct wp *w, struct term_model *model, term bad);
/* The symbol for a register at the end of a run. */
term run_register(struct side *s, unsigned offset, unsigned width);

/* regular expressions with back-references */
bool map_name(const char *map, const char *name, struct buf *out, struct error *err);

#endif
