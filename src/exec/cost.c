/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which registers matter to addresses: for each block, the register slots whose value at its entry may become
 * part of a load's or store's address or of a jump target. Merging two states that differ in such a register
 * turns later addresses into if-then-else terms, which reading memory cannot see through; that is the cost
 * merging is weighed by (Kuznetsov et al., "Efficient state merging in symbolic execution", 2012, count later
 * queries in the same spirit). */
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

static void add(struct slot_set *s, const struct slot_set *o)
{
    for (unsigned i = 0; i < SLOT_WORDS; i++)
        s->w[i] |= o->w[i];
}

static void add_range(struct slot_set *s, const struct explorer *x, unsigned offset, unsigned width)
{
    unsigned bytes = (width + 7) / 8;
    for (unsigned i = offset / x->unit; i <= (offset + bytes - 1) / x->unit; i++)
        if (i < 64 * SLOT_WORDS)
            s->w[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Which slots at a block's entry flow into slot d at its end, for the slots it sets; and into addresses. */
struct transfer {
    struct slot_set addresses, set;
    struct slot_set *from; /* for each slot in `set`, in ascending order of slots */
};

static void summarise(struct explorer *x, const struct ir_block *b, struct transfer *out,
                      struct slot_set *val, struct slot_set *reg)
{
    unsigned nslots = x->nslots < 64 * SLOT_WORDS ? x->nslots : 64 * SLOT_WORDS;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < nslots; i++) {
        memset(&reg[i], 0, sizeof reg[i]);
        reg[i].w[i / 64] = UINT64_C(1) << (i % 64);
    }
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        memset(&val[i], 0, sizeof val[i]);
        if (in->op < OP_COUNT_) {
            const uint32_t arg[] = {in->a, in->b, in->c, in->d};
            for (unsigned k = 0; k < op_info[in->op].arity; k++)
                add(&val[i], &val[arg[k]]);
            continue;
        }
        switch (in->op) {
        case IR_GET:
            for (unsigned s = in->a / x->unit;
                 s <= (in->a + (in->width + 7u) / 8 - 1) / x->unit && s < nslots; s++)
                add(&val[i], &reg[s]);
            break;
        case IR_PUT: {
            unsigned width = b->insn[in->b].width;
            struct slot_set v = val[in->b];
            for (unsigned s = in->a / x->unit; s <= (in->a + (width + 7) / 8 - 1) / x->unit && s < nslots;
                 s++)
                reg[s] = v;
            add_range(&out->set, x, in->a, width);
            break;
        }
        case IR_LOAD:
            add(&out->addresses, &val[in->a]);
            break;
        case IR_STORE:
            add(&out->addresses, &val[in->a]);
            break;
        case IR_PURE:
            for (uint32_t k = 0; k < in->c; k++)
                add(&val[i], &val[b->arg[in->b + k]]);
            break;
        default:
            break;
        }
    }
    if ((b->end.kind == IR_END_JUMP || b->end.kind == IR_END_CALL) && b->end.label == IR_NO_LABEL &&
        b->end.next != IR_NONE)
        add(&out->addresses, &val[b->end.next]);
    unsigned n = 0;
    for (unsigned s = 0; s < nslots; s++)
        n += slot_set_has(&out->set, s);
    out->from = xcalloc(n + 1, sizeof *out->from);
    n = 0;
    for (unsigned s = 0; s < nslots; s++)
        if (slot_set_has(&out->set, s))
            out->from[n++] = reg[s];
}

static void make_hot(struct explorer *x, struct graph *g)
{
    const struct flow_graph *fg = g->g;
    uint32_t n = fg->nblocks, most = 1;
    for (uint32_t i = 0; i < n; i++)
        most = fg->block[i].ninsn > most ? fg->block[i].ninsn : most;
    struct slot_set *val = xcalloc(most, sizeof *val), *reg = xcalloc(64 * SLOT_WORDS, sizeof *reg);
    struct transfer *tr = xcalloc(n + 1, sizeof *tr);
    g->hot = xcalloc(n + 1, sizeof *g->hot);
    uint32_t *by_position = xcalloc(n + 1, sizeof *by_position);
    for (uint32_t i = 0; i < n; i++) {
        summarise(x, &fg->block[i], &tr[i], val, reg);
        g->hot[i] = tr[i].addresses;
        by_position[g->position[i]] = i;
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t at = n; at-- > 0;) {
            uint32_t b = by_position[at];
            struct slot_set after = {0}, in = tr[b].addresses;
            for (uint32_t e = fg->first_edge[b]; e < fg->first_edge[b + 1]; e++)
                add(&after, &g->hot[fg->edge[e].to]);
            unsigned k = 0;
            for (unsigned s = 0; s < 64 * SLOT_WORDS; s++) {
                bool set = slot_set_has(&tr[b].set, s);
                if (slot_set_has(&after, s)) {
                    if (set)
                        add(&in, &tr[b].from[k]);
                    else
                        in.w[s / 64] |= UINT64_C(1) << (s % 64);
                }
                k += set;
            }
            if (memcmp(&in, &g->hot[b], sizeof in) != 0) {
                add(&g->hot[b], &in);
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++)
        free(tr[i].from);
    free(tr);
    free(val);
    free(reg);
    free(by_position);
}

const struct slot_set *graph_hot(struct explorer *x, struct graph *g, uint32_t block)
{
    if (!g->hot)
        make_hot(x, g);
    return &g->hot[block];
}
