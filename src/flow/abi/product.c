/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products that are made to see whether they overflow. A half of one that is left in an argument register
 * carries no argument.
 *
 * Nobody chooses the register that x86-64 leaves the upper half in. On ARM somebody chose the registers that
 * both halves are in. Who passes one of them takes the register that the argument is to be in, and any for
 * the other; they are next to each other where nobody passes either, or both as one argument of two words. */
#include "flow/abi/internal.h"

/* The block leaves the upper half of a product in the register, whose other half goes elsewhere, and where to
 * go on hangs on the upper half. Nobody chooses that register. */
static bool is_overflow(const struct ir_block *b, unsigned reg)
{
    ir_val put = uses_last_put(b, reg, NULL);
    if (put == IR_NONE || b->insn[put].op != OP_EXTRACT)
        return false;
    ir_val root = uses_root(b, put);
    const struct ir_insn *product = &b->insn[root];
    bool compared = false, left = false;
    for (uint32_t i = root; i < b->ninsn && product->op == OP_MUL; i++) {
        const struct ir_insn *in = &b->insn[i];
        /* the condition makes the product again */
        if (in->op == OP_MUL && in->width == product->width) {
            ir_val x = uses_root(b, in->a), y = uses_root(b, in->b), u = uses_root(b, product->a),
                   v = uses_root(b, product->b);
            if ((x == u && y == v) || (x == v && y == u))
                compared = compared || uses_compared(b, i);
        }
        left = left || in->op == IR_EXIT;
    }
    return compared && left && uses_split(b, root, put);
}

enum abi_evidence product_overflow(struct abi *abi, const struct flow_call *k, unsigned a, unsigned most)
{
    (void)most;
    const struct ir_machine *m = abi->m;
    if (m->arch != MACHINE_AMD64 || m->arg[a] != m->ret2)
        return ABI_NO_EVIDENCE;
    uint32_t at = k->block;
    for (unsigned depth = 0; depth < PATH_DEPTH_MAX; depth++) {
        uint32_t ways = 0, from = at;
        if (uses_last_put(&abi->g->block[at], m->arg[a], NULL) != IR_NONE)
            return is_overflow(&abi->g->block[at], m->arg[a]) ? ABI_OVERFLOW_PRODUCT : ABI_NO_EVIDENCE;
        for (uint32_t e = 0; e < abi->g->nedges; e++)
            if (abi->g->edge[e].to == at) {
                ways += abi->g->edge[e].kind == EDGE_RETURN ? 2 : 1;
                from = abi->g->edge[e].from;
            }
        if (ways != 1 || at == 0)
            return ABI_NO_EVIDENCE;
        at = from;
    }
    return ABI_NO_EVIDENCE;
}

/* ---- ARM ---- */

/* Where the register was set, on the only path to a call. */
struct setting {
    const struct ir_block *b;
    uint32_t put;     /* the IR_PUT */
    uint32_t taken;   /* the IR_EXIT by which the block is left; IR_NONE: at its end */
    bool read;        /* after that block somebody reads the register */
    bool overwritten; /* another register has been set since: find_setting's `other` */
};

static bool sets(const struct ir_block *b, unsigned reg, uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == reg)
            return true;
    return false;
}

static bool find_setting(const struct abi *abi, uint32_t block, unsigned reg, unsigned other,
                         struct setting *out)
{
    const struct flow_graph *g = abi->g;
    *out = (struct setting){.taken = IR_NONE};
    for (unsigned depth = 0; depth < PATH_DEPTH_MAX; depth++) {
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
static bool is_never_set(const struct abi *abi, unsigned a)
{
    for (uint32_t k = 0; k < abi->g->nblocks; k++)
        if (sets(&abi->g->block[k], abi->m->arg[a], 0))
            return false;
    return a >= abi->nparams;
}

enum abi_evidence product_half(struct abi *abi, const struct flow_call *k, unsigned a, unsigned most)
{
    const struct ir_machine *m = abi->m;
    bool upper = a % 2;
    struct setting at;
    ir_val half[2];
    if (m->arch != MACHINE_ARM || (a != 1 && a != 2) ||
        !find_setting(abi, k->block, m->arg[a], m->arg[a ^ 1], &at) ||
        !makes_halves(&at, m->arg[a - upper], m->arg[a | 1], half) || !is_zero(&at, half[1]))
        return ABI_NO_EVIDENCE;
    /* The compilers that use a register for 0 where that is seen to be in it take the last of the registers
     * for the half that they do not want, unless something is in that. */
    if (upper ? !at.overwritten || !is_never_set(abi, m->nargs - 1)
              : most > a + 1 || at.read || uses_operand(at.b, half[0], uses_after(at.b, at.put)))
        return ABI_NO_EVIDENCE;
    return upper ? ABI_OVERFLOW_UPPER : ABI_OVERFLOW_LOWER;
}
