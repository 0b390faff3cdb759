/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. One `check` is one pair of functions being compared. */
#ifndef VERIFY_PRIVATE_H
#define VERIFY_PRIVATE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/budget.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/segment.h"
#include "pair/pair.h"
#include "verify/attempt.h"
#include "verify/ledger.h"
#include "verify/verify.h"
#include "tell/words.h"

/* Where parts of a result may be besides the first register. */
enum {
    RESULT_SECOND,                 /* the second register of results */
    RESULT_FLOAT,                  /* four for floats and vectors */
    RESULT_UPPER = 5,              /* the upper halves of the first two, where they are wider than 128 bits */
    RESULT_REGISTERS = 7,          /* this many of them are registers as the convention lists them */
    RESULT_X87 = RESULT_REGISTERS, /* the top of the x87 stack, and what is below it */
    RESULT_PARTS = 9,
};

/* One way a segment ends, in terms that can be compared with those of the other side. */
struct end {
    const struct exec_path *path;
    struct pair_side *s;
    bool returns; /* returns, or ends in a call of another function */
    bool bad;     /* something was not resolved, or a bound was hit: nothing is known of what happens */
    term cond;    /* of getting there from where the segment begins, that point's own conditions included */
    term error;   /* given that, it is an error exit */
    term invalid; /* given that, the number returned is one that means an error, even if it was computed */
    unsigned by;  /* heuristics that class it */
    term short_way; /* VERIFY_BY_C: given that, its path is short */
    term otherwise; /* VERIFY_BY_C: `error` without what is one because it is short */
    term idle; /* VERIFY_BY_C: given that, nothing is done where the old version does something; or TERM_NONE
                */
    term undecided; /* ... and then it may be no error after all; or TERM_NONE */
    bool left_over; /* ... if anything, something is returned that is left over */
    term result;  /* TERM_NONE when there is none */
    term parts[RESULT_PARTS]; /* other registers that may be part of it, TERM_NONE: they are not */
    bool product; /* the second one holds the upper half of the product whose lower half is the result */
    term mem, world;
};

/* A vector. */
typedef struct {
    struct end *data;
    size_t len, cap;
} ends;

/* What nothing says: whether 0 is an error, whether anything is returned, whether other constants are errors. */
enum exits_doubt { EXITS_ZERO = 1, EXITS_VOID = 2, EXITS_VALUES = 4 };
enum { EXITS_DOUBTS = 3 };

struct exits_store {
    term address, value;
};

/* Return values that mean an error, and how long paths are, over both versions. */
struct exits {
    VEC(int64_t) invalid;
    VEC(uint8_t) invalid_by; /* parallel */
    bool pointer;            /* the function returns one */
    bool nothing;            /* the function is assumed to return nothing */
    bool floats;             /* ... or a float alone, so that the first register holds no result */
    bool unset;              /* ... as on some path nobody sets a result */
    bool padded;             /* no number is returned: padding is popped into its register */
    bool returns_call;       /* it surely returns something: the result of a call that serves nothing else */
    int user_returns;        /* the user: 1, it returns a value; 0, it does not; -1, not said */
    unsigned doubt;          /* of enum exits_doubt */
    bool two_words;          /* errors of the old version fill two words */
    VEC(int64_t) maybe;      /* EXITS_VALUES: those */
    bool maybe_surely;       /* ... and the code shows that they are */
    bool maybe_newly;        /* ... of inputs that the old version returns something else for */
    bool maybe_taken;        /* ... they are taken for errors */
    bool works;              /* ... all that is done is done where some of them are returned */
    size_t sure;             /* this many invalid values are in no doubt */
    unsigned width;          /* of the result */
    bool narrow;             /* ... which is declared unsigned and has 8 or 16 bits */
    bool padding[2];         /* in the second register is only what was put on the stack to align it */
    bool half;               /* the upper half of the first register is no part of it */
    bool product;            /* some path returns both halves of a product */
    struct map decided;      /* what branches of either version ask, canonical */
    double average[2];       /* length of a path */
    bool count;              /* heuristic C is in use */
    bool idle;               /* ... for exits at which nothing was done */
    VEC(struct exits_store) stores; /* what some path of the new version stores, and calls */
    VEC(const char *) calls;
    uint64_t paths;
    bool complete; /* all paths were seen */
};

/* What is asked of the solver, and how much may be (query.c). */
struct query {
    struct solver *solver;
    struct budget budget;
    struct budget until;     /* the solver's */
    uint64_t one_ms;         /* what one question may take */
    bool late;               /* it is used up */
    size_t nodes_max;        /* larger questions are not asked */
    struct term_model *hint; /* one that may answer what is asked; or NULL */
    bool native;             /* questions are put in the new version's own places */
    bool quick;              /* what takes an effort is not worth it, and no input is wanted */
    bool one_is_enough;      /* of what is in the way */
    uint64_t quick_ms;       /* ... as if there were no more than that; 0: all there is */
    bool brief;              /* what takes an effort is not worth it */
    const struct apart_places *placed; /* inputs with these are tried first; or NULL */
    bool only_placed;        /* ... and others do not matter: NO, if there is none of them */
    struct map size;         /* of terms that were asked about */
    struct map open;         /* quick questions that were not refuted, by their hash -> the answer */
    struct map loose;        /* terms -> with symbols for what calls yield, in quick questions */
    struct map no_tables;    /* terms that read no constant table */
    struct map ranges;       /* terms -> what is known of results that they are made of (ranges.c) */
    struct map stand_in;     /* calls -> symbols for what they yield (apart.c) */
};

/* The block that a run went to which showed a difference (probe.c). */
struct shown_at {
    int side;
    uint32_t block, then; /* where a run went, */
    const uint32_t *way;  /* and by which blocks */
    unsigned nway;
    bool known;
};

/* What is known of callees without a prototype (callees.c). */
struct callees {
    struct strmap site_index; /* name of a callee -> index of sites */
    VEC(struct abi_sites) sites;
    uint8_t *import_state; /* by index of opt->import */
    struct strmap key;     /* exec_event.name -> what is called (names.c) */
    struct strmap follow;  /* those whose code is run: they may have been inlined in the other version */
    struct strmap small;   /* those whose code can be run: small functions of the file, and what these call */
    bool small_known;
    bool entered;          /* ... and is, instead of those to follow */
};

/* What callers in the same file read of what the function leaves (callers.c). */
struct callers {
    bool known;
    struct abi_reads_after left[2];
};

/* What lies in one object (objects.c). */
struct object_access {
    term base, world, when;
    int64_t low; /* distance from the base */
    unsigned bytes;
};
struct object_bounds {
    uint64_t at, size; /* canonical */
};
struct objects {
    bool on;                            /* it is relied on */
    VEC(struct object_access) access;   /* of the old version, through pointers */
    VEC(struct object_bounds) variable; /* that either version accesses */
};

/* An access to memory outside of the frame: a pointer, or an index into something of the file, and when it is
 * made. */
struct touch {
    term base, when;
    uint64_t site;
    bool index;
};
typedef VEC(struct touch) touches;

struct check {
    const char *again; /* what a path was seen to call that comes back a second time; NULL: nothing */
    /* The question. Of all this only `exits` is changed once a table of strategies is walked, when what they
     * leave in doubt is taken otherwise (exits_take_doubt). */
    const struct verify_options *opt;
    struct pair pair;
    unsigned width; /* of a pointer */
    term sp;        /* at entry */
    struct exits exits;
    struct words *words[2];
    bool mmx; /* a version has such instructions */

    /* The session: what all attempts share. It only grows. */
    struct terms *t;
    struct arena *arena;
    struct query query;
    struct shown_at shown_at;
    struct verify_reason in_the_way; /* of going block by block, where that was done to its end; or NONE */
    struct callees callees;
    struct callers callers;
    struct objects objects;
    struct map lent[2];   /* words of the frame that a callee was assumed to be given */
    struct map based[2];  /* terms that were used as addresses, with something added or not */
    struct map written[2]; /* those that were written to */
    struct map shorter;   /* length -> is it short */
    term at;              /* a symbol for where memories differ */
    struct strmap meant;  /* name of a callee -> its entry: results of calls without a partner (meaning.c) */
    struct strmap meant_far; /* of these, those whose far end a difference hung on */
    struct map strays[2]; /* computed places in the frame that are written, canonical */
    touches touched[2];   /* in the segment that was run last (faults.c) */
    struct map null_tests;    /* what paths of the old version compared (faults.c) */
    struct map touched_at[2]; /* pointer -> index of the last of its accesses */
    uint64_t escapes;     /* of locals */
    uint64_t arity_used;
    uint8_t *reached[2]; /* by block */
    VEC(const char *) warning;
    struct ledger ledger;
    struct verify_stats stats;

    /* The attempt under way, or looked at; of one of its failures, the counterexample being run. */
    struct attempt *now;
    struct term_model *model;
    const struct failure *shown;
    struct probe *probe; /* while versions are run one path at a time (probe.c) */
};

struct strategy;

/* The check that a hook's side belongs to. */
static inline struct check *check_of(const struct pair_side *s)
{
    return (struct check *)((char *)s->pair - offsetof(struct check, pair));
}

/* ---- doomed.c ---- */
/* From the cut at which the new version stands it can only reject its input. *values: by index as bits, the
 * values meaning an error that it returns then. */
bool doomed(struct check *c, const struct end *n, uint64_t *values);

/* ---- names.c ---- */
bool names_throw(const char *callee); /* it throws an exception */
/* A callee, by its canonical name or without a compiler's suffix (.constprop, .part), is in the list. */
bool names_listed(const struct check *c, const char *name, struct verify_word *list, size_t n);
/* What a callee (exec_event.name) is called in the version that has it. */
const char *names_key_name(const struct check *c, const char *key);
/* What the table of the library says of the callee; else NULL. */
const struct flow_library_entry *names_library(const struct check *c, const struct pair_side *s,
                                               const struct exec_event *e);
const char *names_callee(void *ctx, const char *name,
                         uint64_t address); /* explore_hooks.name; ctx is a pair_side */

bool names_same(const struct exec_event *a, const struct exec_event *b); /* two calls of one callee */
/* What is called, for people: a name, or the pointer it goes through. */
const char *names_called(struct check *c, int side, const struct exec_event *e);

/* ---- exits.c ---- */
void exits_profile(struct check *c);
/* Fills in error, by and what they rest on. */
void exits_class(struct check *c, struct end *e);
/* The new version's exit as classed when the old version takes exit `o`: it is an error by heuristic C only
 * where the old path is longer. */
struct end exits_class_paired(struct check *c, const struct end *o, const struct end *n);
/* That the result is that value. */
term exits_returns(struct check *c, term result, int64_t v);
/* What the attempt under way refuted may hang on what is in doubt. */
bool exits_doubt_matters(struct check *c);
/* Switches the next doubtful point to its other reading; returns what to say if that makes the verdict safe:
 * nothing where the code shows that this is the right one. */
struct verify_reason exits_take_doubt(struct check *c);
/* Records how the exits of a segment were classed, for the report. */
void exits_report(struct check *c, const ends *e);

/* ---- chosen.c ---- */
/* What a shift or a division leaves, with 0 in its place where it has no meaning: by too much, or by 0. */
bool chosen_is_left_over(const struct terms *t, term x);
/* That the result is that value, and was chosen. `given`: the path says which number the result is. */
term chosen_returns(struct check *c, term result, int64_t v, bool given);
/* What to say where it hangs on whether numbers that mean an error do so even where they were computed. */
struct verify_reason chosen_or_computed(struct check *c);

/* ---- idle.c ---- */
/* Notes what a path of the new version does. */
void idle_see(struct check *c, const struct exec_path *p);
/* The new version's exit, when the old version takes exit `o`: an error by heuristic C where it does nothing.
 */
void idle_class(struct check *c, const struct end *o, struct end *n);
/* Says so where that is not known. */
void idle_compare(struct check *c, const struct end *o, const struct end *n, struct findings *found);

/* ---- result.c ---- */
/* What the paths to a return of one version show. */
struct result_signs {
    bool set, padding;  /* the second register */
    bool number, whole; /* the first one */
    bool nothing;       /* some path sets none of the registers that can hold one */
    bool ways, bare;    /* some path returns; some leaves the x87 stack as it was */
    bool left;          /* the first: some path leaves what nobody can mean to return */
    bool padded;        /* the first: padding is popped into it at the end */
    bool unpadded;      /* ... but not on every path */
    bool returns_call;  /* the first: it is the result of a library call that serves nothing else */
    bool used;          /* ... and one was called for something else */
    bool product;       /* both halves of one are in the two registers */
};
void result_see(struct result_signs *r, const struct pair_side *s, const struct exec_path *p);
/* x86: the register of results is as it was at entry, where no argument comes in it. */
bool result_is_left(const struct pair_side *s, const struct exec_path *p);
void result_decide(struct check *c, const struct result_signs r[2]);
/* The second register of results holds the upper half of the very product whose lower half is in the first:
 * compilers have other instructions for products of which they want the lower half only. */
bool result_is_product(const struct pair_side *s, const struct exec_path *p);
/* Something is left on the x87 stack. */
bool result_on_x87(const struct pair_side *s, const struct exec_path *p);
/* It is a small negative number as 32 bits, but not as 64. */
bool result_small_negative(uint64_t v);
/* The constant to which the path condition pins the result, or its lower half; else the result. */
term result_pinned(const struct pair_side *s, const struct exec_path *p);

/* ---- callees.c ---- */
/* What an available library tells about a callee, where it is believed; or NULL. */
const struct verify_import *callee_import(struct check *c, const char *name);
void callees_ledger(struct check *c);
bool callee_hook_takes(void *ctx, const char *name,
                       struct flow_takes *out);               /* exec_callees.takes; ctx is a side */
int callee_arity(void *ctx, const char *name, uint64_t site); /* exec_callees.arity; ctx is a side */
/* exec_callees.declared; ctx is a side: what the other version's debug information says of the callee. */
bool callee_declared(void *ctx, const char *name, uint64_t site, struct flow_prototype *out);
/* What all calls show of an import, or of the function being compared, under its name in the old program. */
struct abi_sites callee_sites(struct check *c, const char *name);
/* The code of that function of one program refers to one of the addresses. */
bool callees_refers_to(struct check *c, int s, uint32_t function, const addresses *to);

enum answer { NO, YES, UNDECIDED };

/* ---- apart.c ---- */
struct apart_access {
    term at;
    unsigned bytes;
    bool write;
};

/* Words that terms read and write. */
struct apart {
    const struct terms *t;
    size_t nodes;
    VEC(struct apart_access) access;
    VEC(term) imports; /* addresses of what another file has */
    VEC(term) left;    /* words as a callee left them */
};

bool apart_see(void *ctx, term u); /* for term_any; ctx is a struct apart */
void apart_free(struct apart *all);
/* x is one of the terms that an address is the sum of. */
bool apart_is_summand(const struct terms *t, term of, term x);
term apart_stack(struct check *c); /* a stack pointer where no argument is likely to point */
/* Looks, with little effort, for an input of which all of that is true and in which the pointers lead to
 * different places, far from each other. */
bool apart_model(struct check *c, const term *of, size_t n, struct term_model **model);
/* Pointers and where they lead, those first that others are read through. */
struct apart_places {
    const term *from, *to;
    size_t n;
};
/* The same, with little effort, where these lead there. *model is not checked. */
enum answer apart_placed(struct check *c, const struct apart_places *p, const term *of, size_t n,
                         struct term_model **model);

/* ---- nudge.c ---- */
/* What callees yield in the model, as far as these speak of it, is a function of what they are given and of what was
 * done before. */
bool nudge_is_function(struct check *c, const struct term_model *model, const term *all, size_t n);
/* A model of all of these near one that is no model of some; NULL: none was found. */
struct term_model *nudge_model(struct check *c, const struct term_model *hint, const term *all, size_t n);

/* ---- query.c ---- */
/* A budget for about this much time; 0: unlimited. Work is counted where Z3 is the solver: others do not say
 * what they do. */
struct budget query_budget(struct check *c, uint64_t ms);
uint64_t query_left(const struct check *c); /* how much is left; UINT64_MAX: no limit */
struct query_limits {
    struct budget budget, until;
};
/* From now on there is this much time, for the solver, too: no question takes what others are to have. Returns
 * what there was, for query_widen. */
struct query_limits query_narrow(struct check *c, uint64_t ms);
void query_widen(struct check *c, struct query_limits whole);
/* A part of what there was at first is left from now on, to look into a difference. */
void query_grant(struct check *c);
bool query_is_late(struct check *c);
/* One thing was found that is in the way, and what else there is does not matter. */
bool query_has_enough(const struct check *c, const struct findings *found);
/* The reason: out of work, or out of time. */
struct verify_reason query_limit(const struct check *c, bool exploring);
/* Has an exploration end when the budget does. */
void query_explore_within(struct explore_options *o, const struct budget *b);
/* What the file has at a canonical address, where that stays as it is; else TERM_NONE. */
term query_constant(struct check *c, uint64_t at, unsigned width);
/* Says of memory as it was that it has that there. False: it does not stay as it is. */
typedef VEC(term) question;
bool query_add_constant(struct check *c, uint64_t at, unsigned width, question *out);
/* Can all of them hold at once? */
enum answer query_possible(struct check *c, const term *v, size_t n, struct term_model **model);
/* They hold in the model, with all that is known of them; nothing is asked. */
bool query_shows(struct check *c, const struct term_model *model, const term *v, size_t n);

/* ---- tables.c ---- */
/* What is in the constant tables that x reads. */
void tables_add(struct check *c, term x, question *out);
/* The question, with every read of a constant table within the bytes that are known of it, and these in its
 * place. False: there is no such read. */
bool tables_within(struct check *c, const question *all, question *out);
/* The model says something else of a constant than the files do: what they say is added to the question. */
bool tables_differ(struct check *c, const struct term_model *model, question *all);

/* ---- ranges.c ---- */
/* What results of library functions can be that the terms are made of. */
void ranges_facts(struct check *c, const term *v, size_t n, question *out);

/* ---- meaning.c ---- */
/* A call that is its effects has no partner: from now on what it means counts. False when it did already. */
bool meaning_learn(struct check *c, const struct exec_event *e);
/* What is so of results that the terms are made of. */
void meaning_facts(struct check *c, const term *v, size_t n, question *out);
/* What was refuted gets an input with which results of such calls are what they mean; what has none is not
 * refuted. */
void meaning_failures(struct check *c);
/* What the result is follows from the memory that the call is given. */
bool meaning_is_known(struct check *c, term u);
/* Gives the results that the terms are made of the values that the model's memory makes them have, where few
 * bytes decide that. */
void meaning_settle(struct check *c, struct term_model *model, const term *v, size_t n);

/* ---- objects.c ---- */
void objects_see(struct check *c, const struct pair_side *s, const struct exec_moment *at, term address,
                 unsigned bytes, term guard);
/* What is so of pointers and variables, where that is relied on. */
void objects_facts(struct check *c, question *out);
/* All that the attempt refuted needs a pointer into a variable: from now on it is relied on. False when that was
 * so before, or may not be. */
bool objects_learn(struct check *c);
void objects_free(struct objects *o);

/* ---- view.c ---- */
/* Two ends looked at together, under a condition. */
struct view {
    struct check *c;
    const struct end *o, *n;
    term v, whole; /* the condition: with what was joined in mind, and as it was given */
    /* What v decides; what calls of the new version made, as what those of the old one made. */
    struct map known;
    struct map joined; /* of these, what was taken for something else (view_take) */
    struct map made;   /* of these, what a call made, as the other version's call made it */
    struct map rewritten; /* term -> as seen under v */
    struct map origin; /* merged memory -> the memory that both branches come from */
    /* A call that only one version makes, and whose work the other may do without one (calls.c); what it left
     * in memory is not known then, and more may depend on it. */
    const char *inlined;
    bool inlined_decides;
    /* Of the two calls, or the two memories, being compared: what differs and was accepted. */
    struct {
        uint64_t arguments;  /* a set */
        bool locals;         /* what is in those that the callee can reach */
        term where;          /* where memory may differ in spite of that; TERM_NONE: anywhere */
        bool old[8];         /* in the memory of the old version, instead of that of the new one, ... */
        term at[8];          /* ... this value written there is another, or not written; TERM_NONE: ... */
        term from[8], to[8]; /* ... this memory is another */
        unsigned n;
    } granted;
};
void view_start(struct view *w, struct check *c, const struct end *o, const struct end *n, term v);
void view_end(struct view *w);
term view_see(struct view *w, term x);                       /* x is canonical */
term view_side(struct view *w, const struct end *e, term x); /* x is of that end's side */
/* When a store or an event of the end is made, in canonical terms. */
term end_guard(const struct end *e, term guard);
/* Are they always equal when v and `when` (TERM_NONE: always) hold? a and b are as seen. */
enum answer view_same(struct view *w, term when, term a, term b, struct term_model **model);
/* From now on what a call made, `from`, is `to`, in all that is seen; in the condition, too, after
 * view_taken. Whatever else differs must do so with that in mind: if they are not the same, that is the
 * difference. */
void view_take(struct view *w, term from, term to);
void view_taken(struct view *w);
void view_open(struct view *w);               /* keeps of what is known only what calls made */
bool view_excludes(struct view *w, term all); /* seen like this it cannot be */

/* ---- memory.c ---- */
/* Everywhere, as far as it can be seen without asking about arrays. */
bool memory_identical(struct view *w, term a, term b);
struct memory_answer {
    enum answer same;
    term at;        /* NO: where they differ; UNDECIDED: where they may; TERM_NONE: not said */
    bool text;      /* UNDECIDED: the two hold addresses of constants there that begin with the same text */
    unsigned bytes; /* memory_same_frames, NO: this many */
};
/* Outside of the frames. *model (NULL: not wanted): an input with which they differ. */
struct memory_answer memory_same(struct view *w, term when, term a, term b, struct term_model **model);
/* The bytes of the frame that both versions have, where callees can see them: at two calls that see the
 * memories a and b. */
struct memory_answer memory_same_frames(struct view *w, term when, const struct exec_event *const call[2],
                                        term a, term b, struct term_model **model);
/* Two calls are given the address of the same local, and the first of its bytes, which no compiler may leave
 * alone or set as it likes, was set in one version only, or to something else. *certain: no callee can have
 * set it either, wherever locals lie. */
bool memory_argument_differs(struct view *w, term when, const struct exec_event *o, const struct exec_event *n,
                          unsigned argument, struct term_model **model, bool *certain);

/* ---- calls.c ---- */
struct findings calls_compare(struct view *w); /* pairs the calls made */
/* When the call is made, as seen. One that does nothing is none: free(NULL). */
term calls_guard(struct view *w, const struct end *e, const struct exec_event *v);
/* Calls that are the same return the same: then `all` cannot be. `paired` (or NULL) becomes false where the
 * new version makes a call that is none of the old one's. */
bool calls_settle(struct view *w, term all, bool *paired);
/* Takes calls that are made in the same order for the same, whatever they are given. True when there are any.
 */
bool calls_unite_by_name(struct view *w);

/* ---- unset.c ---- */
/* What nobody put there: a register as a callee left it. */
bool clobbered_by_callee(struct check *c, term x);
/* The register still holds what it held at entry. */
bool as_at_entry(struct check *c, int side, term x, unsigned reg);
/* Nobody set what is in a register: a callee left it, or the function has no such parameter. */
bool never_set(struct check *c, int side, term x);
/* A register by which the function is given nothing: of those for arguments one beyond its parameters. */
bool carries_no_parameter(const struct check *c, int side, unsigned offset);

/* ---- accept.c ---- */
struct failure accept_failure(struct view *w, unsigned property, enum answer r, struct term_model *model);
void accept_differ(struct check *c, struct failure *f, term a,
                   term b); /* the two values it is about are different */
/* Records a failure. True when the analyst has accepted it: then what else may differ is still to be looked
 * for. */
bool accept_or_fail(struct check *c, struct findings *found, struct failure f);
enum { ACCEPTED_MAX = 64 };
void accept_nothing(struct view *w);
/* A difference in memory is one about a place that was written, or about what a callee leaves in memory: says
 * which. It can be accepted when that tells it from all others. */
void accept_name_memory(struct view *w, struct failure *f, term a, term b);
/* From now on that difference is none. */
void accept_memory(struct view *w, const struct failure *f, term a, term b);
void accept_too_many(struct view *w, struct findings *found);

/* ---- kept.c ---- */
/* What the caller finds as it was, of a pair of exits that is compared. */
void kept_compare(struct view *w, struct findings *found);
/* A callee may pop what the versions disagree about. */
bool kept_pops_open(const struct check *c, const struct failure *f);
/* The same where the new version rejects the input. */
void kept_compare_rejected(struct check *c, const struct end *o, const struct end *n, struct findings *found);

/* Marks the bytes of the register file that are modes of the processor. */
void kept_modes(const struct ir_machine *m, uint8_t *byte);

/* modes.c. A version sets state of the processor that is not lifted, and so is not compared. */
bool modes_unlifted(const struct pair_side *s);
/* It, or a function of the file that it calls and rounds beside, changes how numbers are rounded. */
bool modes_sets_rounding(const struct pair_side *s);
/* A version has MMX instructions, which take all registers of the x87 unit. */
bool modes_mmx(const struct pair_side *s);
/* A path may return with the return address signed, or checked though it was not. */
bool modes_return_signed(const struct pair_side *s);
/* How and how often a version rounds in the x87 unit, and the constants of 80 bits that it loads: its numbers
 * are lifted as doubles. *n: how many such instructions there are. */
uint64_t modes_x87(const struct pair_side *s, size_t *n);
/* A version may round otherwise in the x87 unit than the other; or all its numbers are as wide as a double.
 */
bool modes_x87_matters(const struct check *c);

/* ---- compare.c ---- */
/* A condition on which it depends whether a call is made that the other version makes otherwise; TERM_NONE:
 * none. A view on either side of it may show more: where it holds one call may be two of the other. */
term compare_undecided_call(struct view *w);
enum { SPLITS_MAX = 4 };
/* Makes an end of a path. */
struct end compare_end(struct check *c, struct pair_side *s, const struct exec_path *p);
/* Compares all pairs of exits of two segments that begin in corresponding states. Cuts are not looked at. */
struct findings compare_exits(struct check *c, const ends *old, const ends *new);
/* What must be so, and what the user should know, of a pair of exits where the new version rejects the input. */
void compare_rejected(struct check *c, const struct end *o, const struct end *n, struct findings *found);

/* ---- initial.c ---- */
/* Where one version returns from main and the other calls exit, the one becomes *out, which calls it, too. */
void initial_pair(struct check *c, const struct end **o, const struct end **n, struct end *out,
                  struct findings *found);

/* ---- rejected.c ---- */
/* Looks at the inputs that the old version accepts and the new one rejects, at these two ends: warns of what
 * they leave behind, and notes if only a heuristic says that they are rejected. */
void rejected_look(struct check *c, const struct end *o, const struct end *n);
/* What follows is about the segment from this cut; what was noted of it before no longer counts. */
void rejected_again(struct attempt *a, size_t segment);
/* What of it there is to tell of a function that is safe. */
void rejected_tell(struct check *c, const struct attempt *found, struct verify_result *out);
/* The same where the new version is at a cut from which it can only reject, with such values (doomed.c). */
void rejected_behind_loop(struct check *c, const struct end *o, const struct end *n, uint64_t values);
/* Only a heuristic that guesses says that the exit rejects its input. */
bool rejected_is_guessed(const struct end *n);
/* The verdict hangs on that, given `when`: both versions reject the input, in ways that differ. Warns of what
 * they leave in memory. */
void rejected_note(struct check *c, const struct end *o, const struct end *n, term when,
                   const struct findings *differ);

/* ---- resumes.c ---- */
/* Only its length says that the new version's exit rejects its input, and the way to it goes on, at *site,
 * with what the old version does after something that is left out. `o`: where the old version ends, or stops.
 */
bool resumes_work(struct check *c, const struct end *o, const struct end *n, uint64_t *site);
void resumes_compare(struct check *c, const struct end *o, const struct end *n, struct findings *found);

/* ---- second.c ---- */
/* What the two versions leave in a register behind the first, a and b as they are compared, may not be meant
 * for the caller. */
bool second_may_be_left(const struct check *c, unsigned part, const struct end *o, term a,
                        const struct end *n, term b);

/* ---- unshown.c ---- */
/* Why no run can show that the two differ; NONE: one can, or did. */
struct verify_reason unshown_why(struct check *c, const struct failure *f, const struct verify_difference *d);

/* ---- evidence.c ---- */
/* Compares, for every refuted property, the very paths that its input takes through both versions: a
 * difference found on merged paths may not exist on them. */
void evidence_confirm(struct check *c);
/* Something that was refuted is, too, as the exits are classed now: its input takes the same two paths. */
bool evidence_stands(struct check *c);
/* The same once callees are entered: whether something is still refuted. What is not is lost. */
bool evidence_confirm_entered(struct check *c);
/* Some difference is one whatever small functions of the file do that its input leads past. */
bool evidence_is_certain(struct check *c, const struct attempt *a);
/* Something is refuted, and running its input shows it. What is not shown is lost. */
bool evidence_is_shown(struct check *c);
/* Turns the failures into differences with counterexamples. */
void evidence_tell(struct check *c, struct verify_result *out);
/* "file.c:12"; NULL: not known. */
const char *evidence_line(struct check *c, int side, uint64_t site);
/* ---- extended.c ---- */
/* Of the inputs that show a failure: narrow parameters fill their registers as callers do that. */
term extended_parameters(struct check *c, const struct failure *f);

/* nans.c: two results of arithmetic are the same, or both NaNs; false where there is no arithmetic. */
term nans_same(struct check *c, term a, term b);
/* The two values of the failure differ in more than which NaN they are. */
term nans_apart(struct check *c, const struct failure *f);
/* An input with usual numbers that satisfies all of q; NULL: none was found, or the failure is not about
 * such. */
struct term_model *nans_other_input(struct check *c, const struct failure *f, const term *q, size_t n);

/* ---- likely.c ---- */
/* Gives what was refuted an input that does not break with what compilers take for granted about pointers;
 * what has none is not refuted. */
void likely_failures(struct check *c);
/* A model of the question, which shows the failure, or another one of which nothing is odd; NULL: none was
 * found. Takes the model over. */
struct term_model *likely_model(struct check *c, const struct failure *f, struct term_model *model,
                                const term *q, size_t n);

/* ---- converge.c ---- */
/* Strategies (strategy.h). Both versions together, cut at their loops; what is the same term is equal. */
enum attempt_outcome converge(struct check *c, const struct strategy *how, struct attempt *a);
/* Cut at all blocks that are paired, too, where what went before is forgotten; cuts are taken away around the
 * change until the two come together. */
enum attempt_outcome converge_blocks(struct check *c, const struct strategy *how, struct attempt *a);
/* The same with more effort, for functions with loops; several attempts, each cut otherwise. */
enum attempt_outcome converge_rich(struct check *c, const struct strategy *how, struct attempt *a);
/* The whole function at once, loops followed for as many rounds as the strategy says. */
enum attempt_outcome converge_unrolled(struct check *c, const struct strategy *how, struct attempt *a);

/* ---- probe.c ---- */
/* A strategy: runs to the blocks that changed. */
enum attempt_outcome probe_runs(struct check *c, const struct strategy *how, struct attempt *a);

/* ---- stray.c ---- */
/* Notes those that a path makes. */
void stray_note(struct check *c, const struct pair_side *s, const struct exec_path *p);
/* Compares stores at computed places in the frame: one that may leave its local in one version and not in the
 * other is a difference. */
void stray_compare(struct view *w, struct findings *found);

/* ---- faults.c ---- */
/* The end is a fault that the processor raises and the program does not ask for. */
bool faults_end(const struct end *e);
/* False where the new version ends in a fault for an input that the old one accepts: a failure is appended.
 */
bool faults_compare(struct check *c, const struct end *o, const struct end *n, struct findings *found);
/* Remembers an access; forgets all of one side. */
void faults_see(struct check *c, const struct pair_side *s, const struct exec_moment *at, term base,
                uint64_t distance, term guard, uint64_t site);
void faults_forget(struct check *c, int side);
/* Remembers what a path of the old version, run from the entry, decided. */
void faults_see_tests(struct check *c, const struct exec_path *p);
/* Looks at the accesses that only the new version makes, of two segments that begin in corresponding states.
 * Failures are appended. */
void faults_accesses(struct check *c, const ends *old, const ends *new, struct findings *found);
/* ARM: how many instructions access words that have to be aligned; *site: the last of them. */
size_t faults_aligned(const struct pair_side *s, uint64_t *site);

/* ---- callers.c ---- */
/* P3: registers and flags that callers in the same file read, though the convention does not return them. */
void callers_compare(struct view *w, struct findings *found);
/* False: only functions of the file call it, and to all of them what it returns is a number. */
bool callers_heed_result(struct check *c);
/* Only functions of the file call it, and all of them return an error where it returns that number.
 * UNDECIDED: so far as they are seen to call it. */
enum answer callers_fail_on(struct check *c, int64_t number);
void callers_free(struct callers *k);

/* ---- carried.c ---- */
/* By block of one version: it changed; it leaves what the other version's block does not; it looks at what
 * such a one leaves, in a register or in the frame. */
struct carried {
    const uint8_t *changed;
    uint8_t *leaves, *looks;
};
/* Fills in the last two. `partner`: by block, that of the other version, or more than it has; NULL: none has.
 */
void carried_find(const struct ir_machine *m, const struct flow_graph *g, const struct flow_graph *other,
                  const uint32_t *partner, const struct carried *of);

/* ---- paths.c ---- */
/* A strategy: all paths of both, paired. */
enum attempt_outcome paths_compared(struct check *c, const struct strategy *how, struct attempt *a);

/* ---- check.c ---- */
void check_start(struct check *c, struct match *m, uint32_t old, uint32_t new,
                 const struct verify_options *opt, struct arena *arena);
void check_end(struct check *c);
/* How the function is declared: where debug information of one version only says so, that of the old one is
 * taken for both, as callers were compiled for it, and that of the new one for none. NULL: not known. */
const struct object_function_debug *check_declaration(const struct pair_side *s);
/* narrow.c: nothing says how wide the results are but the code, which looks as if they had 8 or 16 bits, and
 * these may be the same; or the new version alone says it. */
bool narrow_may_be(struct view *w, term a, term b);
/* Both versions set that part of a result for the caller. */
bool compare_both_return_in(struct check *c, unsigned which);
/* An explorer for the attempt under way. */
void check_explorer(struct check *c, struct pair_side *s, const struct explore_options *opt);
void check_explored(struct pair_side *s); /* counts what it relied on */
/* A path that was run: what it shows of the frame. */
void check_see_path(struct check *c, const struct pair_side *s, const struct exec_path *p);
/* Inputs on which a side went on where it was no longer followed do not matter if the new version rejects
 * them, or there are none: that is, if they lead to none of these exits of the other side. */
bool check_are_rejected(struct check *c, const ends *cut, const ends *others);
/* A word was taken for an argument, which a callee may change, before the function was seen to read it. */
bool check_reads_lent(struct check *c);
/* Functions of the program that only one version calls, or more often, may have been inlined into the other:
 * from now on their code is run. True when there are any that were not run before. */
bool check_follow_inlined(struct check *c);
/* The event is a call of a small function of the file, whose code can be run instead. */
bool check_calls_small(struct check *c, const struct exec_event *e);
bool check_is_small(struct check *c, int s, const struct flow_call *k);
/* By whose name the graph calls what comes back a second time (setjmp), directly or by a function of the file
 * that jumps there; NULL: it does not. */
const char *check_comes_back(const struct pair_side *s, const struct flow_graph *g);
/* From now on that is done wherever one is called, by the two or by another such function. True when there are
 * any, and that was not so before. */
bool check_enter_callees(struct check *c);

#endif
