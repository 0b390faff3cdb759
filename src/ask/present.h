/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay present`: are patches in programs? Each target is asked about in a worker of its own, and each
 * program of a container in one below that. */
#ifndef ASK_PRESENT_H
#define ASK_PRESENT_H

#include "ask/ask.h"
#include "base/vec.h"
#include "present/decide.h"

/* ---- the question ---- */

struct ask_words {
    const char *const *item;
    size_t n;
};

/* One of three says what the patch is: `patches` and `source`, `before` and `after`, or `old` and `new`. */
struct ask_present {
    struct ask_words patches;            /* unified diffs, each a patch of its own */
    const char *source, *before, *after; /* trees */
    const char *cc, *compile_commands;   /* how they are compiled */
    struct ask_words units;              /* to compile beside the files that are changed */
    struct ask_words old, new;           /* references: bitcode or programs */
    struct ask_words functions;          /* only these: FUNC[=ADDRESS] */
    const char *name;                    /* of the patch; NULL: that of the file it came from */
    bool no_solver, no_ranking, no_refinement, no_cache;
    char *const *target;
    size_t ntargets;
    struct object_options object;
    struct ask_limits limits; /* `timeout` is for learning the patch, and for one target */
};

/* ---- the answer ---- */

struct ask_feature {
    bool has; /* this side has one */
    const char *text;
    const char *line; /* "file.c:12", or NULL */
    bool found;
    uint64_t address;
};

/* What became of one pair of features. */
struct ask_evidence {
    const char *function, *kind, *reference;
    bool decided;
    bool solved; /* by the solver, not by its form */
    struct ask_feature old, new;
};

/* What the target has of one part of the patch. */
struct ask_part {
    const char *function;
    bool added; /* by the patch; false: removed */
    const char *text;
    const char *line; /* "file.c:12", or NULL */
    uint8_t state;    /* enum part_state */
    uint64_t address; /* where it is, or what it should have replaced; ASK_NO_PLACE: nowhere */
};

struct ask_present_function {
    const char *name;
    const char *found; /* the name it has there; NULL: it is not there */
    uint64_t address;
    bool guessed;    /* by what it is like */
    uint8_t verdict; /* enum present_verdict */
    double confidence, context;
    const char *reason; /* or NULL */
};

/* One patch in one program. */
struct ask_present_result {
    const char *patch, *target;
    bool asked; /* false: it could not be, or there was nothing to ask about */
    const char *sha256, *build_id, *architecture;
    uint8_t verdict; /* enum present_verdict */
    double confidence;
    const char *reason; /* why it is not known, or was not asked; or NULL */
    const struct ask_present_function *function;
    size_t nfunctions;
    const struct ask_part *part;
    size_t nparts;
    const struct ask_evidence *evidence;
    size_t nevidence;
};

/* How much of a program was looked at. */
struct ask_executed {
    const char *target, *patch;
    uint64_t executed, functions;
};

struct ask_present_answer {
    bool begun;               /* there is something to show */
    const char *const *patch; /* their names */
    size_t npatches;
    VEC(struct ask_present_result) result;
    VEC(struct ask_executed) executed;
    VEC(const char *) complaint;
    const char *compiler; /* what it said when it failed; or NULL */
    struct ask_end end;
    /* The sum: */
    uint64_t count[PRESENT_LAST + 1]; /* by verdict */
    enum present_verdict verdict;     /* the worst there is */
    double confidence;                /* the least of it */
    /* Its own: */
    const struct ask_present *q;
    struct arena arena;
};

bool ask_present(const struct ask_present *q, const struct ask_session *session, struct ask_present_answer *a,
                 struct error *err);
void ask_present_free(struct ask_present_answer *a);
enum ask_status ask_present_status(const struct ask_present_answer *a);

/* ---- its own ---- */

enum {
    PRESENT_SAYS_PATCHES,
    PRESENT_SAYS_RESULT,
    PRESENT_SAYS_EXECUTED,
    PRESENT_SAYS_COMPLAINT,
    PRESENT_SAYS_COMPILER,
    /* from a program's worker to its target's: by number of the patch */
    PRESENT_SAYS_ANSWERED,
    PRESENT_SAYS_DOUBTFUL,
};
extern const struct wire_type ask_present_result_type, ask_executed_type, ask_patches_type;
struct ask_patches {
    const char *const *name;
    size_t n;
};
bool ask_present_hear(struct ask_present_answer *a, unsigned message, const char *bytes, size_t n);
void ask_present_sum(struct ask_present_answer *a);

#endif
