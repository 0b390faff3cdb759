/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One attempt to decide a pair of functions, and what it found.
 *
 * An attempt is a value: begun empty, filled by one strategy (strategy.h), and dropped as a whole. Paths that
 * its failures mention live in its explorers, so they go together. What a later attempt may build on is not
 * here but in the session (struct check): what was seen of the frames, what was assumed, how much work was
 * done. */
#ifndef VERIFY_ATTEMPT_H
#define VERIFY_ATTEMPT_H

#include "base/vec.h"
#include "exec/segment.h"
#include "verify/verify.h"

struct check;
struct pair_side;

/* An exit of the new version that is assumed to reject inputs that the old one accepts, or rejects otherwise. */
struct guessed_exit {
    uint64_t address;
    unsigned by; /* enum verify_heuristic */
    const char *why;
};

/* Two exits, where the old version accepts and the new one rejects; no more than that may be possible. */
struct rejection {
    uint64_t site; /* the new version's exit */
    term when;     /* both are reached so */
    term new_when; /* the new one's is */
    size_t segment;
};

/* A property that does not hold, or could not be proved. */
struct failure {
    unsigned property;
    uint8_t question;
    bool refuted; /* else: not decided */
    struct term_model *model;
    const struct exec_path *path[2];
    const struct exec_event *event[2];
    term value[2]; /* what differs */
    term place;    /* P2: the address, canonical */
    bool certain;  /* it does not depend on how locals of the two versions correspond */
    bool whole;    /* cannot be told from other differences: not to be accepted */
    bool local;    /* it is about what is in a local */
    bool doubt;  /* nothing says whether what differs is handed over: more rounds of loops will not either */
    term when;   /* the two differ exactly when */
    term differ; /* and the values do */
    term likely; /* of the inputs of which that is true, those that a program can be given (likely.c) */
    term entered; /* with the code of callees run, the paths of the input differ exactly when (evidence.c) */
    bool follows; /* it follows from calls that differ, though none was seen to */
    bool some; /* it was looked for on some paths only */
    unsigned rounds; /* it was looked for in this many rounds of loops only; 0: in all of them */
    const term
        *united[2]; /* what calls of the new version made was taken for what those of the old one made */
    size_t nunited;
    struct verify_reason reason;        /* not refuted: why that is not known; NONE: not said */
    enum verify_reason_code run_reason; /* what to say if the run did not show it (evidence.c) */
    const char *inlined;  /* the work of this call the other version may do without one; NULL: none */
    bool inlined_decides; /* ... and more than memory depends on it */
    const char *what, *key;
    uint64_t site[2];
    const struct exec_path
        *witness[2]; /* the paths that the model's input takes; NULL: not looked for, or not found */
    struct explorer *witness_explorer[2];
};

typedef VEC(struct failure) failures;

/* What a comparison found: a value, of whoever asked for it, who records it with the attempt or drops it. The
 * two are the same if nothing failed. */
struct findings {
    failures failed;      /* refuted, or not decided with the reason */
    failures accepted;    /* by the analyst */
    failures consequence; /* what only follows from calls that differ; compare_exits settles it */
};
/* Appends; nothing is left in `from`. */
void findings_add(struct findings *to, struct findings *from);
void findings_drop(struct findings *f);
bool findings_refute(const struct findings *f); /* some of what failed is refuted */
void findings_open(struct findings *f);         /* nothing of it is refuted after all */

typedef VEC(struct verify_exit) exit_list;

/* What comes of an attempt. */
enum attempt_outcome {
    ATTEMPT_OPEN,    /* neither; other strategies may decide it */
    ATTEMPT_PROVED,  /* the two are equal on all inputs that both accept */
    ATTEMPT_REFUTED, /* they are not, and an input is at hand that was checked */
    ATTEMPT_OVER,    /* neither, and nor will the strategies after this one */
};

struct attempt {
    failures failed;
    failures accepted;                /* by the analyst */
    exit_list exit;                   /* how exits were classed */
    VEC(struct guessed_exit) guessed; /* what it hangs on */
    VEC(struct rejection) rejection;
    size_t segment;                   /* that is looked at */
    unsigned looks;                   /* how many exits of both versions that reject were compared */
    VEC(uint64_t) touched;            /* likewise: accesses of the new version that are taken not to fault */
    VEC(struct explorer *) explorers;
    struct explorer *x[2];        /* the last one of each side */
    struct verify_reason reason;  /* why it came to no end; NONE: it did */
    uint64_t unknown_answers;     /* of the solver */
    struct verify_reason unknown; /* of the first */
    bool starved;                 /* it gave up a question for which it had less than one may take */
    unsigned unproved;            /* properties that no attempt proved, when this is the last one */
    bool cut_short;               /* it, or a question, ran out of its share of the budget */
    bool inside;                  /* what is looked at began at a cut: what was done before is not known */
    bool rejects_otherwise;       /* inputs that both versions reject leave something else in memory */
    bool rejects_inside;          /* ... and inputs are rejected there that the old version accepts */
    bool rejects_behind_loop;     /* ... round a loop that the old version does not go round then */
    unsigned within; /* it found no difference in so many rounds of loops; 0: in no number of them */
    bool divisible;               /* paths.c: every path found its partner */
    uint64_t path_pairs;
};

/* Drops what is there, and begins anew: all that is found from now on is this attempt's. */
void attempt_begin(struct check *c, struct attempt *a);
/* Back to one that was made before another was begun. */
void attempt_resume(struct check *c, struct attempt *a);
void attempt_drop(struct check *c, struct attempt *a);
/* What was found counts for the attempt; nothing is left in `found`. */
void attempt_record(struct attempt *a, struct findings *found);
/* Nothing failed, and no reason is told. */
void attempt_forget(struct attempt *a);
/* What failed was found in this many rounds of loops; 0: they were followed to their end. */
void attempt_in_rounds(struct attempt *a, unsigned rounds);
enum { FAILURE_TERMS = 4 };
/* A term of a version as the failure has it: with what was taken for what the other made. NULL: as both
 * have it. */
term attempt_seen(struct check *c, const struct failure *f, const struct pair_side *s, term x);
/* What an input that shows the failure satisfies; returns how many. */
size_t attempt_failure_terms(struct check *c, const struct failure *f, term out[FAILURE_TERMS]);
bool attempt_has_refuted(const struct attempt *a);
bool attempt_has_doubt(const struct attempt *a);
unsigned attempt_failed_set(const struct attempt *a); /* of enum verify_property */

#endif
