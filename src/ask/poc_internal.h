/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of `assay poc`: one question, in its worker. What is around a proof of concept is made once,
 * from the original (poc_original.c); each candidate is judged against it in a worker of its own
 * (poc_candidate.c). */
#ifndef ASK_POC_INTERNAL_H
#define ASK_POC_INTERNAL_H

#include "ask/poc.h"

enum { POC_SAYS_ORIGINAL, POC_SAYS_CANDIDATE, POC_SAYS_SAME };
extern const struct wire_type poc_original_type, poc_candidate_type;

/* A program or library, as it was given and as it is run. */
struct poc_file {
    const char *
        name; /* as it was given: a program or library, an object file, a package or a member of it, a diff */
    const char *object; /* that was linked; NULL: none */
    const char *path;   /* of the program or library */
    const char *root;   /* of the package that it is in, unpacked; NULL: none */
    const char *like;   /* the path of one that differs only in bytes of code, `patch`; NULL: none */
    const struct run_patch *patch;
    size_t npatches;
};

struct poc_candidate {
    struct poc_file at;
    struct program *p;
    struct match *m;
    struct error err; /* why it could not be opened */
    size_t same;      /* a candidate before it that is the same code; SIZE_MAX: none */
    const struct poc_candidate
        *first; /* of those that differ in numbers only: runs of it are copies of that; NULL: itself */
    struct poc_family *family; /* NULL: it has none */
    unsigned member;
};

/* An abstract state of the original, explored. */
enum poc_ring_kind {
    RING_POC,  /* with the shape that the proof of concept has */
    RING_NEAR, /* ... where all paths are too many: those near its own */
    RING_WIDE, /* ... and numbers open that are sizes of chunks; only inputs count that it leads to */
    RING_SHAPE /* with another shape; no input is looked for that leads there */
};
struct poc_ring {
    enum poc_ring_kind kind;
    size_t shape; /* RING_SHAPE: index */
    bool useless; /* the original never ends normally: nobody calls it so */
    struct snapshot own;
    struct poc_abstract abstract;
    struct poc_side side;
    unsigned glances,
        enough; /* candidates that were looked at a little first, and those for which that was enough */
};

/* A proof of concept: what the original does on it, and what was explored around that. */
struct poc_proof {
    const char *name; /* the file that was given for it; NULL: there is only one */
    struct poc_input input;
    struct run_target target; /* the original on it */
    const struct flow_function *f;
    uint64_t call;
    const uint64_t *changed; /* functions that some candidate changes, or the one that was named */
    size_t nchanged;
    bool still;  /* it was given as a core file: nothing is run */
    bool silent; /* the processor lets it pass, and checks find it */
    struct poc_crash crash;
    struct snapshot snapshot;
    VEC(struct poc_ring *) ring;
    struct poc_shapes shapes;
    struct poc_shared *shared; /* what the original does on other inputs */
    struct poc_growths growths; /* how its block is made larger */
    struct poc_here here;      /* ... and did in directories of this worker */
};

/* Candidates that are judged one after the other by one worker: they are much alike, and what the solver was
 * asked for one it knows for the next. How many there are depends on nothing but their number, so that what
 * is said does not depend on how many workers there are. Each candidate is one message, in their order. */
struct poc_batch {
    size_t first, n;
    struct buf said;
    size_t taken;  /* bytes of it that were handed on */
    size_t handed; /* messages */
    bool late;     /* a candidate reached the limit of time */
    char reason[160];
};

struct poc_asking {
    const struct ask_poc *q;
    struct ask_sink *say;
    struct arena arena;
    struct poc_file old, harness;   /* `harness`: its path is NULL where there is none */
    size_t packages;                /* among all files */
    const char *const *library_dir; /* where packages have libraries */
    struct program *p, *guard;
    struct poc_candidate *candidate;
    size_t ncandidates;
    /* of the first candidate: all others take what was read of the original from it */
    const struct match *matched;
    const char *all; /* directories of programs are below it */
    const struct run_without *without;
    char scratch[80], guard_file[112];
    struct process_stock *stock;   /* each worker has its own */
    struct poc_batch lead, *batch; /* `lead`: all of them, as the worker says them that forks the others */
    size_t nbatches, handing; /* messages of that one are handed on next */
    struct poc_proof *proof;
    size_t nproofs;
    struct terms *t;
    struct solver *solver;
    struct poc_answers *answers;
    uint64_t begun; /* terms_work() when the original, or the candidate, was begun with */
};

/* poc.c */
struct run_target poc_target(const struct poc_asking *a, const struct poc_proof *proof,
                             const struct poc_file *file, struct program *p, const char *scratch);
struct poc_side poc_side_of(const struct poc_asking *a, const struct poc_proof *proof, struct program *p,
                            const struct flow_function *f, struct snapshot *s, struct poc_abstract *abstract);

/* poc_build.c: runs the user's commands. Files that are made have names of one length, which `index` is part
 * of. */
bool poc_build(struct poc_asking *a, size_t index, struct poc_file *diff, struct error *err);
bool poc_link(struct poc_asking *a, size_t index, struct poc_file *object, struct error *err);

/* poc_file.c: makes what can be run of what was given. Index 0 is the original. */
bool poc_file_make(struct poc_asking *a, size_t index, struct poc_file *f, struct error *err);
/* Directories below the root of a package in which libraries of the original are, or those of its machine. */
const char *const *poc_library_dirs(struct poc_asking *a);
/* Files in messages get the names that they were given by. */
void poc_file_name(const struct poc_file *f, struct error *err);

/* poc_original.c: records the call that crashes, and explores the original around it. */
bool poc_proof_make(struct poc_asking *a, struct poc_proof *proof, struct error *err);
void poc_proof_say(struct poc_asking *a, const struct poc_proof *proof);
void poc_proof_free(struct poc_proof *proof);

/* poc_candidate.c: what is said of one candidate, on all proofs of concept. */
void poc_candidate_judge(struct poc_asking *a, size_t index, const char *scratch, struct ask_sink *say);
void poc_candidate_unknown(const struct poc_candidate *c, const char *reason, struct ask_sink *say);

/* poc_beside.c: why what is proved of a function is not proved of the candidate: something else differs, too;
 * NULL: nothing does. */
const char *poc_changed_beside(struct match *m, uint64_t function);

/* poc_verify.c: what `assay verify` says of the candidates. Files are there as long as the scratch directory
 * is. */
void poc_verify(const struct ask_poc *q, const struct ask_session *session, struct ask_poc_answer *a);
void poc_verify_free(struct ask_poc_answer *a);

#endif
