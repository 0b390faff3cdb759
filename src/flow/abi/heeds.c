/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a caller heeds what a function returns, as callers heed an error: it compares it, branches on it,
 * hands it on, or keeps it where somebody may. To add it to a sum, or to index a table with it, is to take it
 * for a number.
 *
 * The result is followed forwards, through registers. A copy of it that is stored, passed or returned may be
 * heeded there; what is computed from it is, if a condition is. */
#include <stdlib.h>
#include <string.h>

#include "flow/abi/internal.h"
#include "flow/private.h"

enum { HEEDS_BLOCKS = 4000 };

/* What a value has of the result. */
enum taint { TAINT_NONE, TAINT_PART, TAINT_COPY };

struct follow {
    const struct ir_machine *m;
    const struct flow_graph *g;
    unsigned nslots, unit;
    uint8_t *in; /* by block and slot: enum taint at the beginning of the block */
    bool heeded;
};

static enum taint stronger(enum taint a, enum taint b)
{
    return a > b ? a : b;
}

static enum taint of_register(const struct follow *f, const uint8_t *slot, unsigned offset, unsigned bytes)
{
    enum taint all = TAINT_NONE;
    for (unsigned s = offset / f->unit; bytes && s <= (offset + bytes - 1) / f->unit; s++)
        all = stronger(all, slot[s]);
    return all;
}

static void put_register(const struct follow *f, uint8_t *slot, unsigned offset, unsigned bytes, enum taint t)
{
    for (unsigned s = offset / f->unit; bytes && s <= (offset + bytes - 1) / f->unit; s++)
        slot[s] = t;
}

static enum taint of_value(const uint8_t *value, ir_val v)
{
    return v == IR_NONE ? TAINT_NONE : value[v];
}

static enum taint of_operation(struct follow *f, const struct ir_insn *in, const uint8_t *value)
{
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    if (in->op == OP_EXTRACT || in->op == OP_ZEXT || in->op == OP_SEXT)
        return value[in->a];
    if (in->op == OP_ITE) {
        f->heeded = f->heeded || value[in->a];
        return stronger(value[in->b], value[in->c]);
    }
    for (unsigned k = 0; k < op_info[in->op].arity; k++)
        if (value[arg[k]]) {
            f->heeded = f->heeded || uses_is_comparison(in->op);
            return TAINT_PART;
        }
    return TAINT_NONE;
}

static void reach(struct follow *f, uint32_t block, const uint8_t *slot, bool *changed)
{
    uint8_t *in = f->in + (size_t)block * f->nslots;
    for (unsigned s = 0; s < f->nslots; s++)
        if (slot[s] > in[s]) {
            in[s] = slot[s];
            *changed = true;
        }
}

static void step(struct follow *f, const struct ir_block *b, uint32_t block, uint32_t i, uint8_t *value,
                 uint8_t *slot, bool *changed)
{
    const struct ir_insn *in = &b->insn[i];
    switch (in->op) {
    case IR_CONST:
    case IR_UNKNOWN:
        return;
    case IR_LOAD:
        f->heeded = f->heeded || of_value(value, in->b);
        value[i] = of_value(value, in->c);
        return;
    case IR_GET:
        value[i] = of_register(f, slot, in->a, (in->width + 7u) / 8);
        return;
    case IR_PUT:
        put_register(f, slot, in->a, (b->insn[in->b].width + 7u) / 8, value[in->b]);
        return;
    case IR_STORE:
        f->heeded = f->heeded || value[in->b] == TAINT_COPY || of_value(value, in->c);
        return;
    case IR_PURE:
        for (uint32_t k = 0; k < in->c; k++)
            value[i] = value[i] || value[b->arg[in->b + k]] ? TAINT_PART : TAINT_NONE;
        return;
    case IR_EVENT:
        for (unsigned k = 0; k < b->event[in->a].nargs; k++)
            f->heeded = f->heeded || value[b->arg[b->event[in->a].args + k]] == TAINT_COPY;
        return;
    case IR_EXIT:
        f->heeded = f->heeded || value[in->a];
        for (uint32_t e = f->g->first_edge[block]; e < f->g->first_edge[block + 1]; e++)
            if (f->g->edge[e].kind == EDGE_TAKEN && f->g->edge[e].insn == i)
                reach(f, f->g->edge[e].to, slot, changed);
        return;
    default:
        value[i] = of_operation(f, in, value);
    }
}

/* A call may heed a copy that is in a register for an argument, and changes all registers but those it keeps.
 */
static void pass_call(struct follow *f, uint8_t *slot)
{
    for (unsigned i = 0; i < f->m->nargs; i++)
        f->heeded = f->heeded || slot[f->m->arg[i] / f->unit] == TAINT_COPY;
    for (unsigned s = 0; s < f->nslots; s++) {
        bool kept = false;
        for (unsigned i = 0; i < f->m->nsaved; i++)
            kept = kept || f->m->saved[i] / f->unit == s;
        slot[s] = kept ? slot[s] : TAINT_NONE;
    }
}

static bool is_among(const uint64_t *all, size_t n, uint64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (all[i] && all[i] == x)
            return true;
    return false;
}

/* What the block hands to those after it. */
static bool pass_block(struct follow *f, uint32_t block, bool calls, const uint64_t *target, size_t ntargets)
{
    const struct ir_block *b = &f->g->block[block];
    bool changed = false;
    uint8_t *value = xcalloc(b->ninsn + 1, 1), *slot = xcalloc(f->nslots, 1);
    memcpy(slot, f->in + (size_t)block * f->nslots, f->nslots);
    for (uint32_t i = 0; i < b->ninsn; i++)
        step(f, b, block, i, value, slot, &changed);
    if (b->end.label == IR_NO_LABEL && (b->end.kind == IR_END_JUMP || b->end.kind == IR_END_CALL))
        f->heeded = f->heeded || of_value(value, b->end.next);
    if (b->end.kind == IR_END_RET)
        f->heeded = f->heeded || slot[f->m->ret / f->unit] == TAINT_COPY;
    if (calls) {
        pass_call(f, slot);
        for (uint32_t i = 0; i < f->g->ncalls; i++) {
            const struct flow_call *k = &f->g->call[i];
            if (k->block != block || !is_among(target, ntargets, k->target))
                continue;
            slot[f->m->ret / f->unit] = TAINT_COPY;
            f->heeded = f->heeded || k->conditional || k->kind == CALL_TAIL;
        }
    }
    for (uint32_t e = f->g->first_edge[block]; e < f->g->first_edge[block + 1]; e++)
        if (f->g->edge[e].kind != EDGE_TAKEN)
            reach(f, f->g->edge[e].to, slot, &changed);
    free(value);
    free(slot);
    return changed;
}

bool abi_heeds_result(struct program *p, const struct flow_function *caller, const uint64_t *target,
                      size_t ntargets)
{
    const struct flow_graph *g = flow_graph(p, caller);
    const struct ir_machine *m = program_machine(p);
    bool found = false;
    if (!g || !g->nblocks || g->nproblems || g->nblocks > HEEDS_BLOCKS)
        return true;
    struct follow f = {.m = m, .g = g, .nslots = machine_slots(m), .unit = m->pointer_width / 8};
    uint8_t *calls = xcalloc(g->nblocks, 1);
    for (uint32_t i = 0; i < g->ncalls; i++) {
        calls[g->call[i].block] = 1;
        found = found || is_among(target, ntargets, g->call[i].target);
    }
    f.in = xcalloc((size_t)g->nblocks * f.nslots, 1);
    for (bool changed = found; changed && !f.heeded;) {
        changed = false;
        for (uint32_t k = 0; k < g->nblocks; k++)
            changed = pass_block(&f, k, calls[k], target, ntargets) || changed;
    }
    free(calls);
    free(f.in);
    return !found || f.heeded;
}
