/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay diff`: what of two programs is the same, file by file and function by function. */
#ifndef ASK_DIFF_H
#define ASK_DIFF_H

#include "ask/compare.h"
#include "base/vec.h"

struct ask_diff {
    const char *old, *new;
    struct object_options object;
    const char *function; /* only this one; NULL: all */
    bool all;             /* unchanged functions too */
    struct ask_limits limits;
};

/* Blocks of a pair of functions that are not identical, or a block that only one has. */
struct ask_diff_block {
    bool has_old, has_new;
    uint64_t old_address, new_address;
    const char *const *old_code, *const *new_code;
    size_t nold_code, nnew_code;
};

struct ask_diff_blocks { /* how many */
    uint64_t unchanged, changed, removed, added;
};

struct ask_diff_function {
    uint8_t status; /* enum match_status; says which of old and new there are */
    struct ask_place old, new;
    uint32_t sure, similar;              /* percent */
    uint32_t reasons;                    /* set of enum match_reason */
    uint8_t change;                      /* enum match_change */
    const char *old_refers, *new_refers; /* when only what it refers to changed; or NULL */
    struct ask_diff_blocks blocks;       /* of a changed one */
    const struct ask_diff_block *block;
    size_t nblocks;
};

enum ask_diff_status { DIFF_IDENTICAL, DIFF_UNCHANGED, DIFF_CHANGED, DIFF_ADDED, DIFF_REMOVED, DIFF_FAILED };

struct ask_diff_counts {
    uint64_t function[4]; /* by enum match_status */
    uint64_t data;
};

/* What is known of a file at its end. */
struct ask_diff_summary {
    const struct ask_datum *data;
    size_t ndata;
    const struct match_outside *outside;
    size_t noutside;
    struct ask_diff_counts count;
    bool same;
};

struct ask_diff_file {
    struct ask_pair pair;
    enum ask_diff_status status;
    VEC(struct ask_diff_function) function;
    bool finished; /* `summary` is there */
    struct ask_diff_summary summary;
};

enum ask_diff_verdict { DIFF_SAYS_IDENTICAL, DIFF_SAYS_UNCHANGED, DIFF_SAYS_CHANGED, DIFF_SAYS_UNKNOWN };

struct ask_diff_answer {
    bool begun; /* there is something to show */
    size_t pairs;
    VEC(struct ask_diff_file) file;
    struct ask_end end;
    /* The sum: */
    struct ask_diff_counts count;
    uint64_t files[DIFF_FAILED + 1]; /* by status */
    enum ask_diff_verdict verdict;
    /* Its own: */
    const struct ask_diff *q;
    struct arena arena;
};

/* Puts the question and sums up. False when it could not be put; an answer that was cut short is one
 * (answer->end). */
bool ask_diff(const struct ask_diff *q, const struct ask_session *session, struct ask_diff_answer *a,
              struct error *err);
void ask_diff_free(struct ask_diff_answer *a);
enum ask_status ask_diff_status(const struct ask_diff_answer *a);

#endif
