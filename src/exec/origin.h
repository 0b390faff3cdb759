/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the values of an exploration come from.
 *
 * Every symbol and every uninterpreted function that src/exec makes, and those that the analyses make for it,
 * has an origin (term/term.h), stated here. An analysis that has to know what a term stands for asks for
 * that; no answer depends on how it is spelled. Files may name their functions as they like: one that is
 * called `arg0` or `heap:x` has a result of the kind ORIGIN_RESULT, which is no argument and no allocation.
 *
 * Origins hold no addresses and no counters, so two programs that are explored over one term table share
 * them. */
#ifndef EXEC_ORIGIN_H
#define EXEC_ORIGIN_H

#include "term/term.h"

enum origin_kind {
    /* ---- symbols: what was there at entry ---- */
    ORIGIN_ARGUMENT = TERM_ORIGIN_OTHERS, /* index: which; part: 1 + which scalar of it; 0: all of it */
    ORIGIN_REGISTER, /* name; no name: the bytes at `offset` in the register file, which are in no register */
    ORIGIN_SP,       /* the stack pointer */
    ORIGIN_CALLER,   /* the same, as the base of addresses in the caller's part of the stack */
    ORIGIN_RETURN_ADDRESS,
    ORIGIN_MEMORY,  /* name: of a space other than memory */
    ORIGIN_WORLD,   /* what is observable and not in memory */
    ORIGIN_CANARY,  /* the stack protector's canary */
    ORIGIN_ADDRESS, /* of the object or function `name`, of another file or of bitcode */
    ORIGIN_DATA,    /* index: of that program; where it was loaded (wp) */
    ORIGIN_FINAL, /* index: of that program; the register at `offset`, `part` bits wide, when it ended (wp) */
    ORIGIN_STAND_IN, /* for something else while a question is asked; name: who asks; index, offset */

    /* ---- functions of what a callee was given; name: the callee, none: through a pointer, which is the
     * first operand; index: the number of operands, where not every call of it has the same ---- */
    ORIGIN_RESULT, /* part: enum origin_result; offset: of its operands, the first argument */
    ORIGIN_FLOAT_RESULT,
    ORIGIN_MEMORY_AFTER, /* memory as the callee left it */
    ORIGIN_WORLD_AFTER,  /* likewise; part: enum origin_world */
    ORIGIN_SPACES_AFTER, /* likewise: an epoch of exec/space.c */
    ORIGIN_THREW,        /* of the call's token: whether it threw instead of returning */
    ORIGIN_THROWN,       /* likewise: what */
    ORIGIN_TOKEN,        /* stands for everything else that the call left behind: see ORIGIN_CLOBBERED */
    ORIGIN_ALLOCATION,   /* the address of something new */
    ORIGIN_OUTPUT,       /* bytes stored through argument `part`, from `offset` on */
    ORIGIN_ERRNO,        /* left in errno */
    ORIGIN_ERRNO_PLACE,  /* where that is; the callee does not matter */

    /* ---- functions of a call's token ---- */
    ORIGIN_CLOBBERED,      /* a register; part: enum origin_clobbered */
    ORIGIN_CLOBBERED_WORD, /* the word at `offset` from the first argument on the stack */

    /* ---- spaces other than memory (exec/space.c) ---- */
    ORIGIN_SPACE_AFTER, /* of an epoch: what the space `name` holds since */
    ORIGIN_SPACES, /* of the epochs and of the spaces that `name` lists: stands for what all of them hold */

    /* ---- an instruction that the IR does not spell out; name: which ---- */
    ORIGIN_INTRINSIC, /* functions of its operands; part: enum origin_intrinsic */

    /* ---- functions of what was there when a loop was entered (exec/loop.c) ---- */
    ORIGIN_LOOP,  /* of start and step: a number of steps further */
    ORIGIN_NEXT,  /* of start: changed in another way */
    ORIGIN_CHAIN, /* of start and two offsets: a link of a list */
};

enum origin_result {
    ORIGIN_RESULT_ANY,
    ORIGIN_RESULT_BOUNDED, /* of the library's function `name`, which says what it can be: `range` and `upto`
                              of data/prototypes.txt */
};

enum origin_world {
    ORIGIN_WORLD_CALL,
    ORIGIN_WORLD_INTRINSIC,
};

enum origin_clobbered {
    ORIGIN_CLOBBERED_START, /* the slot at `offset` in the register file, where the register `name` begins */
    ORIGIN_CLOBBERED_PART,  /* ... which is a later part of it, or (no name) in no register */
    ORIGIN_CLOBBERED_X87,   /* the top of the x87 stack */
    ORIGIN_CLOBBERED_BACK,  /* of that and of what was in it before: a register that may be returned unchanged
                             */
    ORIGIN_CLOBBERED_FLOAT, /* of nothing: a register for floats that holds no result */
    ORIGIN_CLOBBERED_CUT,   /* of a fresh symbol: on every path to that point a callee left something there */
};

enum origin_intrinsic {
    ORIGIN_INTRINSIC_RESULT,
    ORIGIN_INTRINSIC_REGISTER, /* the register file at `offset` */
    ORIGIN_INTRINSIC_MEMORY,   /* bytes it stores, from `offset` on */
};

/* How they are spelled: a term_spell_fn. */
void origin_spell(struct buf *out, const struct term_origin *o);
/* Whether an origin that was read somewhere can be one, of a symbol of that width (0: an array) or of a
 * function. */
bool origin_is_sound(const struct term_origin *o, bool function, unsigned width);
/* Symbols and applications by origin: those of term/term.h with that spelling. */
term origin_symbol(struct terms *t, struct term_origin o, unsigned width);
term origin_array(struct terms *t, struct term_origin o, unsigned index_width, unsigned cell_width);
term origin_apply(struct terms *t, struct term_origin o, unsigned width, const term *kid, unsigned nkids);
term origin_apply_array(struct terms *t, struct term_origin o, unsigned index_width, unsigned cell_width,
                        const term *kid, unsigned nkids);

/* Whether x (TERM_NONE: no) is a symbol, or the application of a function, of that kind. */
bool origin_is(const struct terms *t, term x, unsigned kind);
/* An argument of the function explored: *index says which. */
bool origin_is_argument(const struct terms *t, term x, unsigned *index);
/* Another register as it was at entry. */
bool origin_is_register(const struct terms *t, term x);
/* The address of something that did not exist before, or that nobody else is assumed to have the address of.
 */
bool origin_is_new_object(const struct terms *t, term x);
/* A term that stands for the order of observable things, or for what a call left behind as a whole: no value
 * that a program computes with. */
bool origin_is_order(const struct terms *t, term x);

#endif
