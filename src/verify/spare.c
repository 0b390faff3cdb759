/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in a register shows that it carries no argument of a call.
 *
 * Nobody can pass what no program can name: the table that code which runs anywhere finds addresses in, or
 * the upper half of a product that was made to see whether it overflows (arity.c). On ARM somebody chose the
 * registers that both halves of such a product are in. Who passes one of them takes the register that the
 * argument is to be in, and any for the other; they are next to each other where nobody passes either, or
 * both as one argument of two words. */
#include <string.h>

#include "verify/given.h"
#include "verify/uses.h"

static bool is_in_table(const struct side *s, uint64_t address)
{
    const struct object_section *all;
    size_t n = object_sections(s->o, &all);
    for (size_t i = 0; i < n; i++)
        if (strncmp(all[i].name, ".got", 4) == 0 && address - all[i].address < all[i].size)
            return true;
    return false;
}

static bool is_known_address(const struct side *s, term x, uint64_t *address)
{
    size_t n;
    uint64_t v;
    if (!s->bias || !term_const_u64(s->c->t, x, &v))
        return false;
    *address = s->c->width == 32 ? (uint32_t)(v - s->bias) : v - s->bias;
    return object_bytes(s->o, *address, &n) != NULL;
}

bool spare_internal(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    uint64_t address;
    return !e->depth && is_known_address(&c->side[side], e->arg[i], &address) &&
           is_in_table(&c->side[side], address);
}

/* Where the register was set, on the only way to a call. */
struct setting {
    const struct ir_block *b;
    uint32_t put;     /* the IR_PUT */
    uint32_t taken;   /* the IR_EXIT by which the block is left; IR_NONE: at its end */
    bool read;        /* behind that block somebody reads the register */
    bool overwritten; /* another register has been set since: find_setting's `other` */
};

static bool sets(const struct ir_block *b, unsigned reg, uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == reg)
            return true;
    return false;
}

static bool find_setting(const struct side *s, uint32_t block, unsigned reg, unsigned other,
                         struct setting *out)
{
    const struct flow_graph *g = s->g;
    *out = (struct setting){.taken = IR_NONE};
    for (unsigned depth = 0; depth < ARITY_DEPTH_MAX; depth++) {
        const struct ir_block *b = out->b = &g->block[block];
        if (uses_last_put(b, reg, &out->put) != IR_NONE) {
            /* one instruction may set both */
            out->overwritten = out->overwritten || sets(b, other, uses_after(b, out->put));
            return true;
        }
        for (uint32_t i = 0; i < b->ninsn; i++)
            out->read = out->read || (b->insn[i].op == IR_GET && b->insn[i].a == reg);
        out->overwritten = out->overwritten || sets(b, other, 0);
        const struct flow_edge *way = NULL;
        for (uint32_t e = 0; e < g->nedges; e++)
            if (g->edge[e].to == block) {
                if (way || g->edge[e].kind == EDGE_RETURN || g->edge[e].kind == EDGE_UNWIND)
                    return false;
                way = &g->edge[e];
            }
        if (!way || block == 0)
            return false;
        out->taken = way->kind == EDGE_TAKEN ? way->insn : IR_NONE;
        block = way->from;
    }
    return false;
}

/* The instruction puts the halves of the product of two words into two registers. The values of both. */
static bool makes_halves(const struct setting *at, unsigned low, unsigned high, ir_val half[2])
{
    enum { HALF = 32 };
    const struct ir_block *b = at->b;
    uint32_t end = uses_after(b, at->put);
    half[0] = half[1] = IR_NONE;
    for (uint32_t i = b->mark[uses_mark(b, at->put)].first; i < end; i++) {
        const struct ir_insn *in = &b->insn[i], *v = in->op == IR_PUT ? &b->insn[in->b] : NULL;
        if (v && v->op == OP_EXTRACT && v->width == HALF && (in->a == low || in->a == high) &&
            v->b == (in->a == high ? HALF : 0))
            half[in->a == high] = in->b;
    }
    if (half[0] == IR_NONE || half[1] == IR_NONE || b->insn[half[0]].a != b->insn[half[1]].a)
        return false;
    const struct ir_insn *product = &b->insn[b->insn[half[0]].a];
    return product->op == OP_MUL && product->width == 2 * HALF && b->insn[product->a].op == OP_ZEXT &&
           b->insn[product->b].op == OP_ZEXT;
}

/* On the way to the call the value was seen to be 0: otherwise another way is taken. */
static bool is_zero(const struct setting *at, ir_val v)
{
    const struct ir_block *b = at->b;
    for (uint32_t i = v; i < b->ninsn && (at->taken == IR_NONE || i <= at->taken); i++) {
        if (b->insn[i].op != IR_EXIT)
            continue;
        const struct ir_insn *cond = &b->insn[b->insn[i].a];
        bool leaves = true;
        for (; cond->op == OP_NOT; cond = &b->insn[cond->a])
            leaves = !leaves;
        if (cond->op == OP_EQ && cond->a == v && b->insn[cond->b].op == IR_CONST &&
            !ir_imm(b->insn[cond->b].a, b->insn[cond->b].b) && leaves == (i == at->taken))
            return true;
    }
    return false;
}

/* The function does nothing with the register. */
static bool is_never_set(const struct side *s, unsigned a)
{
    for (uint32_t k = 0; k < s->g->nblocks; k++)
        if (sets(&s->g->block[k], program_machine(s->p)->arg[a], 0))
            return false;
    return a >= s->own;
}

bool spare_half(struct check *c, int side, const struct exec_event *e, unsigned i, unsigned most)
{
    enum { HALF = 32 };
    const struct side *s = &c->side[side];
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k =
        m->arch == MACHINE_ARM && (i == 1 || i == 2) ? side_call_at(s, e->site) : NULL;
    bool upper = i % 2;
    unsigned low = m->arg[i - upper];
    struct setting at;
    ir_val half[2];
    if (!k || !find_setting(s, k->block, m->arg[i], m->arg[i ^ 1], &at) ||
        !makes_halves(&at, low, m->arg[i | 1], half) || !is_zero(&at, half[1]))
        return false;
    /* The compilers that use a register for 0 where that is seen to be in it take the last of the registers
     * for the half that they do not want, unless something is in that. */
    if (upper ? !at.overwritten || !is_never_set(s, m->nargs - 1)
              : most > i + 1 || at.read || uses_operand(at.b, half[0], uses_after(at.b, at.put)))
        return false;
    /* The lower half is computed again by whoever wants it. */
    term whole = term_kind(c->t, e->arg[i]) == OP_EXTRACT ? term_kid(c->t, e->arg[i], 0) : TERM_NONE;
    term product = !upper ? e->arg[i] : whole == TERM_NONE ? TERM_NONE : term_extract(c->t, whole, 0, HALF);
    for (unsigned n = 0; n < i; n++)
        if (e->arg[n] == product)
            return true;
    return false;
}
