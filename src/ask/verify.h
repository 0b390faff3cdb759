/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay verify`: is what changed from one program to another safe to apply? Of packages and directories
 * every file is asked about, of every file the functions that changed. */
#ifndef ASK_VERIFY_H
#define ASK_VERIFY_H

#include <jansson.h>

#include "ask/compare.h"
#include "base/vec.h"
#include "verify/config.h"
#include "verify/verify.h"

/* ---- the question ---- */

struct ask_verify {
    const char *old, *new;
    struct object_options object;
    const char *const *function; /* only these: NAME, 0xADDRESS or OLD:NEW */
    size_t nfunctions;
    const char *const
        *library_dirs; /* where libraries are, beside the files' own directories; NULL-terminated, or NULL */
    bool no_libraries;
    struct verify_options how; /* timeout_ms: the most a function gets */
    uint64_t budget_ms;        /* of work, for all functions; 0: none */
    struct config *config; /* or NULL */
    const char *heuristics,
        *assume;  /* `how` has them: as they were asked for, for the report; NULL: they were not */
    bool graphs;  /* are wanted, for the page */
    bool recover; /* what was recovered is wanted, for --write-config */
    bool accept_bounded; /* what is bounded is as good as what is safe */
    bool remember; /* verdicts may be taken from earlier runs, and are kept for later ones */
    struct ask_limits limits; /* `timeout`: for opening files; of a function it is how.timeout_ms */
};

/* ---- the answer ---- */

struct ask_insn {
    uint64_t address;
    const char *text, *source; /* "file.c:12", or NULL */
};
struct ask_edge {
    uint32_t to;
    const char *kind;
};
/* A block of one version beside the other. */
struct ask_block {
    uint64_t address;
    uint8_t status;   /* enum match_block_status */
    uint32_t partner; /* index, MATCH_NONE for none */
    const struct ask_insn *insn;
    size_t ninsns;
    const struct ask_edge *successor;
    size_t nsuccessors;
};

/* A callee that a verdict rests on. */
struct ask_callee {
    const char *name;
    bool asked; /* it is among the functions asked about */
    bool given_accepted; /* its verdict is given accepted differences: its own, or those of what it rests on */
    enum verify_verdict verdict;
};

/* Differences that every rebuild makes. */
enum ask_minor { ASK_MINOR_NONE, ASK_MINOR_LINES, ASK_MINOR_VERSION, ASK_MINOR_FIELD };

struct ask_verified {
    const char *name;
    struct ask_place old, new;
    bool identical;
    uint8_t change;         /* enum match_change */
    uint32_t sure, similar; /* percent */
    struct verify_result result; /* its addresses as shown; where there is none, ASK_NO_PLACE */
    uint32_t limit_ms; /* of work, with which it was asked; 0: none */
    const char *key;   /* to remember it by (ask/remember.h); NULL: it is not to be */
    bool remembered;   /* it comes from an earlier run */
    const uint32_t *used; /* entries of the configuration it made use of */
    size_t nused;
    bool has_graphs;
    const struct ask_block *block[2]; /* old, new */
    size_t nblocks[2];
    /* The sum: */
    struct ask_callee *rests_on; /* result.rests_on with their verdicts */
    size_t nrests_on;
    bool given_accepted; /* one of these is given accepted differences */
    enum ask_minor minor; /* all that differs is of that kind */
    bool shared;          /* a file before has this function, with the same result: */
    size_t shared_file;
    uint64_t also; /* so many files after this one have it, too */
};

struct ask_identical {
    const char *name;
    uint64_t old, new;
};

/* What there is to say about a file before a function is asked about. */
struct ask_selection {
    const char *not_found;     /* of what was asked for: why; or NULL */
    const char *const *reason; /* why it is not known to be safe, whatever becomes of its functions */
    size_t nreasons;
    const struct ask_identical *identical;
    size_t nidentical;
    const struct ask_place *added, *removed;
    size_t nadded, nremoved;
    const char *const *ignored;
    size_t nignored;
    const struct match_outside *outside;
    size_t noutside;
    const struct ask_datum *data;
    size_t ndata;
    const uint32_t *used; /* entries of the configuration */
    size_t nused;
    uint64_t asked; /* functions to be asked about */
};

enum ask_verify_status { FILE_COMPARED, FILE_IDENTICAL, FILE_ADDED, FILE_REMOVED };

struct ask_verify_counts {
    uint64_t verdict[VERIFY_VERDICTS]; /* by enum verify_verdict */
    uint64_t identical, added, removed, ignored, accepted;
    uint64_t given_accepted; /* functions that rest on some that are given accepted differences */
};

struct ask_verify_file {
    struct ask_pair pair;
    enum ask_verify_status status;
    bool selected; /* `selection` is there */
    struct ask_selection selection;
    VEC(struct ask_verified) function;
    /* The sum: */
    VEC(const char *) reason; /* those of the selection, and what was not reached */
    struct ask_verify_counts count;
    enum verify_verdict verdict;
};

/* What happened, in a few words. */
enum ask_headline_kind {
    ASK_NO_CODE_CHANGED, /* the files differ, their functions do not */
    ASK_SAME_BEHAVIOUR,
    ASK_ONLY_REJECTS_MORE,
    ASK_MINOR_CHANGES, /* of behaviour, as every rebuild makes them */
    ASK_BEHAVIOUR_CHANGES,
    ASK_UNDECIDED,
    ASK_SAME_WITHIN_ROUNDS /* of loops, as far as there is no proof */
};
struct ask_headline {
    enum ask_headline_kind kind;
    uint64_t changes, minor, rejects, undecided; /* functions; undecided: also what was not reached */
    uint64_t
        otherwise; /* functions that are safe, and do something else with inputs that they rejected before */
    uint64_t bounded; /* functions without a difference in some rounds of their loops */
    uint64_t data;                               /* differences outside functions */
};

/* A difference that a person can be asked about. */
struct ask_question {
    const struct ask_verified *function;
    const struct verify_difference *difference;
};

struct ask_verify_answer {
    bool begun;   /* there is something to show */
    size_t pairs; /* files there should be */
    VEC(struct ask_verify_file) file;
    json_t *recovered; /* as --write-config writes it; NULL: nothing */
    struct ask_end end;
    /* The sum: */
    struct ask_verify_counts count;
    enum verify_verdict verdict;
    bool all_identical;
    struct ask_headline headline;
    VEC(struct ask_question) question; /* those that were not accepted, each once */
    VEC(const char *) warning;
    /* Its own: */
    const struct ask_verify *q;
    struct arena arena;
    size_t current; /* the file that messages are about */
    struct shelf *remember; /* where verdicts are kept; opened with the first */
    bool remember_tried;
    uint64_t nremembered; /* verdicts of earlier runs */
    VEC(const char *) library_warning;
    VEC(bool) used; /* entries of the configuration */
};

/* Puts the question and sums up. False when it could not be put; an answer that was cut short is one
 * (answer->end). */
bool ask_verify(const struct ask_verify *q, const struct ask_session *session, struct ask_verify_answer *a,
                struct error *err);
void ask_verify_free(struct ask_verify_answer *a);
/* What a complete answer comes to. *complaint (or NULL): what is wrong with the question. */
enum ask_status ask_verify_status(const struct ask_verify_answer *a, const char **complaint);

/* ---- its own ---- */

/* AGAIN: what follows is about a file that was there before, by its number; a function that is known is
 * replaced. */
enum {
    VERIFY_SAYS_SELECTION,
    VERIFY_SAYS_FUNCTION,
    VERIFY_SAYS_WARNING,
    VERIFY_SAYS_RECOVERED,
    VERIFY_SAYS_AGAIN
};
extern const struct wire_type ask_verified_type, ask_selection_type;
bool ask_verify_hear(struct ask_verify_answer *a, unsigned message, const char *bytes, size_t n);
void ask_verify_sum(struct ask_verify_answer *a);
void ask_verify_headline(struct ask_verify_answer *a); /* a part of that */
/* The blocks of both versions of a pair. */
void ask_verify_graphs(const struct compared *c, const struct match_pair *x, struct arena *arena,
                       struct ask_verified *out);
/* Builds the graphs that workers which ask about these pairs have in common. */
void ask_verify_share(const struct compared *c, const struct match_pair *ask, size_t nask);

#endif
