/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay adapt`: can one function stand in for another, and with which adapter? */
#ifndef ASK_ADAPT_H
#define ASK_ADAPT_H

#include "adapt/adapt.h"
#include "ask/ask.h"
#include "ask/facts.h"
#include "run/scratch.h"

enum ask_adapt_emit { ASK_EMIT_NONE, ASK_EMIT_C, ASK_EMIT_PRELOAD, ASK_EMIT_PATCH };

struct ask_adapt {
    const char *target, *inner; /* FILE:FUNC, or FILE:0xA-0xB or FILE:0xA-0xB@rN for a fragment */
    struct object_options object;
    struct adapt_options how;
    uint8_t emit;       /* enum ask_adapt_emit */
    const char *output; /* ASK_EMIT_PATCH: the file to write */
    bool verify;        /* and then to ask `verify` about */
    bool keep;          /* summaries may be taken from earlier runs, and are kept for later ones */
    struct ask_limits limits;
};

/* ---- the answer ---- */

struct ask_adapted {
    const char *target_file, *inner_file, *target, *inner; /* files and functions */
    uint64_t target_address, inner_address;
    uint8_t verdict;             /* enum adapt_verdict */
    const char *reason;          /* of what is undecided; else NULL */
    const char *const *argument; /* of the inner function, as they are made; found only */
    size_t narguments;
    const char *const *field; /* of the structure that is copied for it, as adapt_print_field has them */
    size_t nfields;
    const char *result; /* NULL: none is compared */
    const char *family;
    uint32_t target_args, result_bits;
    bool result_pair, bounded, trivial;
    uint32_t tests, checks, searches, runs, native_runs;
    uint64_t tried;
    uint64_t made, found; /* functions that were explored, and those of which the summary was known */
    const char *const *note;
    size_t nnotes;
    const char *c; /* the wrapper; NULL: not wanted, or none */
    bool compiled; /* that, or the one that would be printed, was to be compiled and run */
    uint32_t compiled_runs;   /* in which it did what the target does */
    const char *not_compiled; /* why there are no such runs, or no more; or NULL */
    const struct adapt_edit *edit; /* of the target's file */
    size_t nedits;
};

struct ask_adapt_answer {
    bool begun; /* there is something to show */
    struct ask_adapted adapted;
    struct ask_end end;
    const char *written; /* the patched file; NULL: none */
    bool verified;       /* `verify` was asked about it: */
    enum verify_verdict verify;
    const char *verify_reason; /* why it is not safe; or NULL */
    const char *trouble;       /* why summaries cannot be kept; or NULL */
    /* Its own: */
    const struct ask_adapt *q;
    struct scratch scratch;
    struct arena arena;
};

/* The function of that name, or the fragment that the name spells out, which lives in the arena. */
bool ask_adapt_find(struct program *p, const char *name, struct arena *arena, struct adapt_code *out,
                    struct error *err);
/* "0xA-0xB" or "0xA-0xB@rN". *out: the register, or -1. */
bool ask_adapt_is_fragment(const char *name, uint64_t *from, uint64_t *to, int *out);

bool ask_adapt(const struct ask_adapt *q, const struct ask_session *session, struct ask_adapt_answer *a,
               struct error *err);
void ask_adapt_free(struct ask_adapt_answer *a);
enum ask_status ask_adapt_status(const struct ask_adapt_answer *a);

#endif
