/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an exploration begins.
 *
 * At a function's ENTRY, as exec/explore.h says: everything a caller decides is a symbol. Arguments, other
 * registers and words of memory may be given as terms instead: constants, or terms that another exploration
 * over the same table uses, too.
 *
 * At a POINT: the state before some block that a segment ended in (exec/segment.h).
 *
 * From a SNAPSHOT of a process: at a function's entry with the registers and memory it had there. Memory at a
 * constant address that is in a page of the snapshot, and was not written since, is what the page has, where
 * the page says that it is known; at any other address it is still the symbol `mem`. The stack pointer is a
 * number then, so nothing is known to be the function's frame, and the axioms that mention it (frame, return)
 * say nothing. What the solver has to be told of a page, because a store at an address that is not known may have
 * changed it, is among explorer_assumptions. */
#ifndef EXEC_START_H
#define EXEC_START_H

#include "exec/segment.h"

/* A part of memory as it was, mapped. */
struct exec_page {
    uint64_t address;
    const uint8_t *byte;
    size_t size;
    const uint8_t *open; /* by byte: not 0 where anything may be there; NULL: all are known */
};

struct exec_snapshot {
    const struct exec_page *page; /* by address; they do not overlap */
    size_t npages;
    /* Says when an access faults (FAULT_UNMAPPED), for whoever knows better than the pages do; or NULL. */
    term (*unmapped)(void *ctx, const struct exec_moment *at, term address, unsigned bytes);
    /* Says of an address that is not known which object an access there stays in, because it has faulted
     * otherwise; or NULL. Loads and stores in small objects are then made cell by cell, so that what is known
     * of memory stays known. */
    bool (*within)(void *ctx, const struct exec_moment *at, term address, uint64_t *low, uint64_t *size);
    void *ctx;
};

/* Of a moment that `unmapped` is given: the instruction, and what its address is the sum of: a constant, a
 * value and perhaps another (base; else TERM_NONE), modulo the width of addresses. False: it is no such sum.
 */
uint64_t moment_site(const struct exec_moment *m);
bool moment_sum(const struct exec_moment *m, term *base, term *index, uint64_t *offset);

struct exec_set {
    unsigned offset; /* in the register file */
    term value;
};

struct exec_store {
    term address, value;
};

struct exec_start {
    const struct flow_function *f;  /* of the explorer's program, or NULL and */
    const struct flow_graph *g;     /* a graph that belongs to none */
    const struct exec_point *point; /* NULL: entry. Nothing below `stop` is looked at for a point. */
    const uint8_t *stop;            /* as explore_segment has it; NULL: nowhere */

    const struct exec_snapshot *snapshot; /* or NULL; it must outlive the explorer */
    /* Arguments by the calling convention, those on the stack included; TERM_NONE: the symbol. No wider than
     * a pointer; zero-extended. For machines with `locals` use `set`. */
    const term *arg;
    unsigned nargs;
    const struct exec_set *set; /* registers, after the arguments; from a snapshot, all of them */
    unsigned nsets;
    const struct exec_store *store; /* memory, after that, in this order */
    unsigned nstores;
    const term *assume; /* what holds */
    unsigned nassumed;
};

/* As explore_function. */
bool explore_start(struct explorer *x, const struct exec_start *s, explore_fn *fn, void *ctx,
                   struct error *err);

/* What the calling conventions say that a register, by its name, has at a function's entry. False: they do
 * not. */
bool exec_promise(const char *name, uint64_t *value);

#endif
