/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay poc`: which of several candidate repairs fix a crash. It runs the programs. */
#ifndef ASK_POC_H
#define ASK_POC_H

#include "ask/ask.h"
#include "ask/facts.h"
#include "ask/verify.h"
#include "base/vec.h"
#include "poc/poc.h"
#include "run/scratch.h"

struct ask_poc {
    const char *old;
    const char *const *candidate;
    size_t ncandidates;
    struct object_options object;
    const char *const *argument; /* of the program; files among them are told by their names */
    size_t narguments;
    const char *input;      /* for standard input, or NULL */
    const char *const *poc; /* files, each a proof of concept: for "@@" among the arguments, else for input */
    size_t npocs;           /* 0: the arguments and the input are the one proof of concept */
    const char *function;   /* that was repaired; NULL: those that changed */
    const char *
        harness; /* program that loads OLD and the candidates, which are shared objects; NULL: they are run */
    const char *member;      /* of packages: what is asked about in them; NULL: the only one that can be */
    const char *oracle;      /* a build of `old` with sanitizers, which says what the crash is; NULL: none */
    const char *const *patch; /* diffs, each a further candidate */
    size_t npatches;
    const char *source, *cc; /* the tree they are for, and the command that builds "{}" in it */
    const char *link;        /* the command that makes a program "{}" of an "{object}"; NULL: none */
    uint64_t build_ms;       /* limit of building, and of linking */
    const char *emulator;   /* command that runs the programs; NULL: the processor does */
    const char
        *snapshot; /* file for the state at the call, a core: read if it is there, else written; NULL: none */
    const char *core;        /* the state at the call, made elsewhere: nothing is run; NULL: none */
    const char *witness_dir; /* where inputs that show a finding are left; NULL: nowhere */
    /* What `assay verify` says of each candidate is wanted, too: the question, but for its files. NULL: no */
    const struct ask_verify *verify;
    struct poc_options how;
    struct run_limits run;
    struct ask_limits limits; /* `timeout` is for a candidate */
};

/* ---- the answer ---- */

/* An object of the abstract snapshot. */
struct ask_poc_object {
    const char *name, *type; /* type NULL: not known */
    uint8_t kind;            /* enum poc_object_kind */
    uint64_t size, open;     /* bytes, and how many of them are symbols */
    bool leaf;
    bool size_kept; /* a block of the heap whose size nothing in reach says: it stays what it was */
};
struct ask_poc_edge {
    uint32_t from, to; /* objects */
    const char *name;  /* of the pointer */
};

/* What is known of the original on a proof of concept. */
struct ask_poc_original {
    const char *poc; /* its file; NULL: there is only one */
    const char *path; /* of what is run, or loaded by what is */
    const char *function;
    uint64_t call;     /* which one of its calls crashes */
    uint8_t kind;      /* enum poc_kind */
    const char *place; /* function; NULL: not known */
    bool guarded;
    uint32_t objects, symbols;  /* of the abstract state: objects, open bytes and arguments */
    uint32_t classes, crashing; /* of these crash like the proof of concept */
    uint32_t shapes;            /* that were explored beside that of the proof of concept */
    const char *bound;          /* why not all of them were; NULL: all were */
    const struct ask_poc_object *object;
    size_t nobjects;
    const struct ask_poc_edge *edge;
    size_t nedges;
    bool whole;
    const char *reason;
};

struct ask_poc_value {
    const char *name;
    uint64_t was, is;
    uint32_t bytes;
};

/* What `assay verify` says of the original and a candidate. */
struct ask_poc_verified {
    struct ask_verify q;
    struct ask_verify_answer answer;
    const char *error; /* why there is none; NULL: there is one */
};

struct ask_poc_candidate {
    const char *file;
    const char *path;    /* of what is run, or loaded by what is; NULL: there is none */
    const char *same_as; /* a candidate with the same code, which was asked; NULL: none */
    const char *poc;     /* the proof of concept that decided it, of several; NULL: there is only one */
    uint8_t verdict;     /* enum poc_verdict */
    uint8_t which;       /* enum poc_case, that decided it */
    uint8_t confirmed;   /* enum poc_confirmed */
    uint8_t kind;        /* enum poc_kind, of the candidate's crash */
    bool must, early;
    const char *when, *reason, *told, *saved;
    const char *unproved;            /* POC_NOT_REFUTED: why it is not proved */
    const char *path_old, *path_new; /* of the finding: the ways of the two, in places of the source */
    const char *shape;               /* pointers that are others than in the snapshot; NULL: none */
    const struct ask_poc_value *value;
    size_t nvalues;
    uint32_t classes, decided;
    uint32_t wrong, wholly; /* classes with a state in which it goes wrong, and those of nothing else */
    uint32_t kept_out; /* states in which it goes wrong that inputs made for them do not lead to */
    bool whole;
    struct ask_poc_verified *verified; /* NULL: it was not asked for */
};

struct ask_poc_answer {
    bool begun;
    VEC(struct ask_poc_original) original;   /* by proof of concept */
    VEC(struct ask_poc_candidate) candidate; /* in the order of the question */
    struct ask_end end;
    /* Its own: */
    const struct ask_poc *q;
    VEC(struct ask_poc_verified *) verified;
    struct scratch scratch;
    struct arena arena;
};

/* Files and diffs. */
size_t ask_poc_candidates(const struct ask_poc *q);
bool ask_poc(const struct ask_poc *q, const struct ask_session *session, struct ask_poc_answer *a,
             struct error *err);
void ask_poc_free(struct ask_poc_answer *a);
enum ask_status ask_poc_status(const struct ask_poc_answer *a);

#endif
