/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of one program and one of another, over one table of terms.
 *
 * There are two ways to run a side so that both can be compared, and one pairing of addresses behind them
 * (canonical.h). pair_start: each side is run with the addresses of its own file (moved by a bias of its own,
 * so that an address of position-independent code is never taken for a number, nor an address of one file for
 * one of the other); to compare the two, terms of the new side are made canonical: addresses and offsets in
 * the frame (frame.h) become those of the old one. pair_start_symbolic: addresses are canonical as they are
 * made, symbols plus an offset (symbolic.h), and stay free in a formula. Either way equal terms are equal
 * numbers. Nothing here asks a solver or decides anything. */
#ifndef PAIR_PAIR_H
#define PAIR_PAIR_H

#include "exec/explore.h"
#include "flow/abi/abi.h"
#include "match/match.h"
#include "pair/canonical.h"
#include "pair/frame.h"
#include "pair/parts.h"
#include "pair/symbolic.h"

enum { OLD, NEW };

struct pair_side {
    struct pair *pair;
    bool new;
    struct program *p;
    const struct object *o;
    const struct ir_machine *m;
    const struct flow_function *f;
    uint32_t index; /* of f */
    const struct flow_graph *g;
    uint64_t bias;
    struct flow_prototype proto;
    struct abi *abi;            /* what its code passes, takes and returns */
    struct explorer *x;         /* that runs it now, or ran it last */
    struct explore_hooks hooks; /* of x */
    struct exec_callees callees; /* likewise */
};

/* What may be taken for granted about the two. */
struct pair_may {
    bool move_data;    /* data that is paired and lies elsewhere is the same */
    bool move_frame;   /* locals correspond as who is given them shows */
    bool keep_private; /* what lies below all that callees are given is out of their reach */
};

struct pair {
    struct match *m;
    struct terms *t;
    unsigned width; /* of a pointer */
    term sp;        /* the stack pointer at entry */
    struct pair_side side[2];
    struct pair_may may;
    struct canonical canonical;
    struct frame_observations observed;
    struct frame_map frame;
    struct frame_slots slots;
    struct symbolic symbolic;
    struct parts parts;
};

void pair_start(struct pair *pair, struct match *m, uint32_t old, uint32_t new, struct terms *t,
                struct pair_may may);
/* Addresses are symbols. f[NEW] NULL: one function alone, and m may be NULL. */
void pair_start_symbolic(struct pair *pair, struct match *m, struct program *const p[2],
                         const struct flow_function *const f[2], struct terms *t);
void pair_end(struct pair *pair);
/* x is sp + *off */
bool pair_sp_offset(const struct pair *pair, term x, int64_t *off);
int64_t pair_signed(const struct pair *pair, uint64_t off);
/* Frames are looked for this far below the stack pointer at entry, and up to the top of either side's. */
enum { PAIR_FRAME_BYTES = 1 << 20 };
int64_t pair_frames_top(const struct pair *pair);
term pair_outside_frames(const struct pair *pair, term at); /* the address is in neither frame */
/* Compilers put in and leave out calls of it as they like; what it does is seen in memory. */
bool pair_call_is_transparent(const char *name);
bool pair_names(void *ctx, const char *symbol); /* explore_hooks.names; ctx is a side */
bool pair_weak(void *ctx, const char *symbol);  /* explore_hooks.weak, likewise */

#endif
