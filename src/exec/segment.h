/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exploring a part of a function: from a given state before a block to the next of a set of blocks, or to an exit.
 *
 * This is what an analysis needs that cuts a function at chosen blocks, say its loop heads, and reasons about what
 * holds there: it decides what is known at a cut, has the code run from there, always merging, and gets one path for
 * every block of the set that is reached (PATH_CUT, with the state there laid open as a point), one for all returns
 * that could be merged, and one for every other end. */
#ifndef EXEC_SEGMENT_H
#define EXEC_SEGMENT_H

#include "exec/explore.h"

/* A word of the frame that was stored to since the last call: perhaps an argument of the next one. */
struct exec_word {
    int64_t offset; /* from the stack pointer at entry */
    uint64_t site;  /* of the store; 0: of several */
    bool idle;      /* what it holds is what an idle register held at entry */
};

/* A state before a block. All terms may be changed by who owns the arrays. */
struct exec_point {
    uint32_t block;
    term *reg; /* the register file, a term for each word of pointer size */
    unsigned nregs;
    const struct exec_spaces *spaces; /* NULL: as at entry */
    term mem;                         /* memory outside the function's frame; with it when `escaped` */
    term frame;                       /* the function's frame: writes over explore_symbols.mem */
    term world;
    term length; /* blocks run so far, an if-then-else of constants; TERM_NONE: not counted */
    bool escaped;
    const struct saved_set *saved;
    const term *literal; /* what holds */
    unsigned nliterals;
    uint32_t argset;
    uint64_t handed;                 /* words of the stack among the function's parameters that were set */
    const struct exec_word *pending; /* sorted by offset */
    unsigned npending;
    bool pending_more; /* there may be others */
    bool filled;       /* a function of the library was given the address of some, ... */
    term fill;         /* ... this one */
};

/* Blocks that head a loop, or another block that every cycle passes: by block index, nblocks entries. Owned by the
 * explorer. */
const uint8_t *explorer_loop_heads(struct explorer *x, const struct flow_function *f);

/* From `from` (NULL: the function's entry) to the blocks with stop[block] != 0 (NULL: none); to the block it
 * begins at on coming back to it this many times. The explorer must have been made with options merge,
 * merge_returns and keep_regs. Terms of the previous segment stay valid. */
bool explore_segment(struct explorer *x, const struct flow_function *f, const struct exec_point *from,
                     const uint8_t *stop, explore_fn *fn, void *ctx, struct error *err);

/* A copy that can be changed; lives as long as the explorer. */
struct exec_point *exec_point_copy(struct explorer *x, const struct exec_point *p);
/* The function's frame is known outside from now on: its contents move to mem. */
void exec_point_escape(struct explorer *x, struct exec_point *p);
/* The words of the frame that both keep for saved registers; both points then have the same ones. False when
 * that is impossible. */
bool exec_point_agree(struct explorer *x, struct exec_point *a, struct exec_point *b);

/* What may be arguments of the next call is what may be one at either. True when that is more than at a
 * alone. */
bool exec_point_join_pending(struct explorer *x, struct exec_point *a, const struct exec_point *b);

/* What the file has at an address in memory that is never written, as the program sees it; TERM_NONE when that is not
 * known. */
term explorer_constant(struct explorer *x, uint64_t address, unsigned width);
/* Whether the value may be an address in the function's frame. */
bool explorer_in_frame(struct explorer *x, term v);

#endif
