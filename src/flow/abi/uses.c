/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a value that a block leaves in a register is used for. */
#include <stdlib.h>

#include "flow/abi/internal.h"

static bool is_resized(const struct ir_insn *in)
{
    return in->op == OP_ZEXT || in->op == OP_SEXT || in->op == OP_EXTRACT;
}

ir_val uses_root(const struct ir_block *b, ir_val v)
{
    while (is_resized(&b->insn[v]))
        v = b->insn[v].a;
    return v;
}

bool uses_is_comparison(unsigned op)
{
    return op == OP_EQ || op == OP_ULT || op == OP_ULE || op == OP_SLT || op == OP_SLE;
}

struct ir_block uses_until(const struct flow_graph *g, const struct flow_edge *e)
{
    struct ir_block b = g->block[e->from];
    if (e->kind == EDGE_TAKEN && e->insn < b.ninsn)
        b.ninsn = e->insn;
    return b;
}

ir_val uses_last_put(const struct ir_block *b, unsigned reg, uint32_t *at)
{
    for (uint32_t i = b->ninsn; i-- > 0;)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == reg) {
            if (at)
                *at = i;
            return b->insn[i].b;
        }
    return IR_NONE;
}

uint32_t uses_mark(const struct ir_block *b, uint32_t insn)
{
    uint32_t k = 0;
    while (k + 1 < b->nmark && b->mark[k + 1].first <= insn)
        k++;
    return k;
}

uint32_t uses_after(const struct ir_block *b, uint32_t insn)
{
    uint32_t k = uses_mark(b, insn);
    return k + 1 < b->nmark ? b->mark[k + 1].first : b->ninsn;
}

bool uses_based_on(const struct ir_block *b, ir_val v, unsigned reg)
{
    while (b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB || b->insn[v].op == OP_AND)
        v = b->insn[b->insn[v].a].op == IR_CONST ? b->insn[v].b : b->insn[v].a;
    return b->insn[v].op == IR_GET && b->insn[v].a == reg;
}

bool uses_in_frame(const struct ir_machine *m, const struct ir_block *b, ir_val v)
{
    return uses_based_on(b, v, m->sp) || uses_based_on(b, v, m->fp);
}

bool uses_stack_offset(const struct ir_machine *m, const struct ir_block *b, ir_val v, int64_t *off)
{
    *off = 0;
    for (; b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB; v = b->insn[v].a) {
        const struct ir_insn *k = &b->insn[b->insn[v].b];
        if (k->op != IR_CONST)
            return false;
        int64_t d = k->width == 32 ? (int32_t)k->a : (int64_t)ir_imm(k->a, k->b);
        *off += b->insn[v].op == OP_ADD ? d : -d;
    }
    return b->insn[v].op == IR_GET && b->insn[v].a == m->sp;
}

/* The instruction stores to a part of the frame that the function does not read: somebody else does. */
static bool stores_for_others(const struct abi *abi, const struct ir_block *b, uint32_t insn)
{
    return abi && abi->unread && b->nmark && abi->unread(abi->ctx, b->mark[uses_mark(b, insn)].address);
}

bool uses_shows(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b, ir_val root,
                uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (is_resized(in) || uses_is_comparison(in->op))
            continue;
        unsigned n = in->op < OP_COUNT_                        ? op_info[in->op].arity
                     : in->op == IR_LOAD || in->op == IR_STORE ? 2
                                                               : 0;
        if (in->op == IR_LOAD)
            n = 1;
        /* nobody sees what is put into the frame to be read again */
        if (in->op == IR_STORE && uses_in_frame(m, b, in->a) && !stores_for_others(abi, b, i))
            continue;
        for (unsigned k = 0; k < n; k++)
            if (arg[k] != IR_NONE && uses_root(b, arg[k]) == root)
                return true;
    }
    /* Nor is it an argument where it is what is called. */
    return abi && b->end.next != IR_NONE && uses_root(b, b->end.next) == root;
}

static bool is_constant(const struct ir_block *b, ir_val v, struct ir_insn k)
{
    const struct ir_insn *in = &b->insn[uses_root(b, v)];
    enum { WIDE = 64 };
    if (in->op == IR_CONST && in->width > WIDE && k.width > WIDE)
        return bits_eq(b->wide[in->a], b->wide[k.a]);
    return in->op == IR_CONST && in->width <= WIDE && k.width <= WIDE &&
           ir_imm(in->a, in->b) == ir_imm(k.a, k.b);
}

bool uses_stored_constant(const struct ir_block *b, struct ir_insn k)
{
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_STORE && is_constant(b, b->insn[i].b, k))
            return true;
    return false;
}

bool uses_computed_constant(const struct ir_block *b, struct ir_insn k)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c};
        for (unsigned n = 0; in->op < OP_COUNT_ && n < op_info[in->op].arity && n < 3; n++)
            if (is_constant(b, arg[n], k))
                return true;
    }
    return false;
}

bool uses_base(const struct ir_block *b, struct ir_insn k)
{
    enum { ADDRESS_MIN = 0x1000 };
    for (uint32_t i = 0; i < b->ninsn && ir_imm(k.a, k.b) >= ADDRESS_MIN; i++)
        if (b->insn[i].op == OP_ADD && (is_constant(b, b->insn[i].a, k) || is_constant(b, b->insn[i].b, k)))
            return true;
    return false;
}

bool uses_page(const struct ir_machine *m, const struct ir_block *b, struct ir_insn k)
{
    enum { PAGE = 4096 };
    for (uint32_t i = 0; i < b->ninsn && m->arch == MACHINE_ARM64 && k.width == 64 && !ir_imm(k.a, k.b);
         i++) {
        const struct ir_insn *in = &b->insn[i],
                             *at = in->op == IR_LOAD || in->op == IR_STORE ? &b->insn[in->a] : NULL;
        if (at && at->op == IR_CONST && ir_imm(at->a, at->b) < PAGE)
            return true;
    }
    return false;
}

bool uses_selected_constant(const struct ir_block *b, struct ir_insn k)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == OP_ITE && in->width >= 32 && (is_constant(b, in->b, k) || is_constant(b, in->c, k)))
            return true;
    }
    return false;
}

bool uses_compared(const struct ir_block *b, ir_val root)
{
    for (uint32_t i = root + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (uses_is_comparison(in->op) && (uses_root(b, in->a) == root || uses_root(b, in->b) == root))
            return true;
        if (in->op == IR_EXIT && uses_root(b, in->a) == root)
            return true;
    }
    return false;
}

bool uses_split(const struct ir_block *b, ir_val root, ir_val put)
{
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].b != put && b->insn[b->insn[i].b].op == OP_EXTRACT &&
            uses_root(b, b->insn[i].b) == root)
            return true;
    return false;
}

/* Condition codes are made of it, which nobody looks at after a return. */
static bool is_for_codes(const struct ir_machine *m, const struct ir_block *b, const struct ir_insn *put)
{
    const char *name = machine_register_name(m, put->a, b->insn[put->b].width);
    return b->end.kind == IR_END_RET && name && *name == '<';
}

bool uses_copied(const struct ir_machine *m, const struct ir_block *b, ir_val root, uint32_t from)
{
    for (uint32_t i = from + 1; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && uses_root(b, b->insn[i].b) == root && !is_for_codes(m, b, &b->insn[i]))
            return true;
    return false;
}

bool uses_stands_in(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b, ir_val root,
                    uint32_t copied)
{
    for (uint32_t i = copied + 1; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == b->insn[root].a && uses_root(b, b->insn[i].b) != root)
            return uses_shows(abi, m, b, root, i + 1);
    return false;
}

/* What is read there goes to memory, to an address or to another register, and not only back to its own. */
static bool goes_elsewhere(const struct ir_machine *m, const struct ir_block *b, ir_val get, unsigned reg)
{
    bool *from = xcalloc(b->ninsn + 1, sizeof *from), elsewhere = false;
    from[get] = true;
    for (uint32_t i = get + 1; i < b->ninsn && !elsewhere; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (in->op == IR_PUT) {
            const char *name = machine_register_name(m, in->a, b->insn[in->b].width);
            elsewhere = from[in->b] && in->a != reg && !(name && *name == '<');
        } else if (in->op == IR_STORE) {
            elsewhere = from[in->a] || from[in->b];
        } else if (in->op == IR_LOAD) {
            elsewhere = from[in->a];
        }
        for (unsigned k = 0; in->op < OP_COUNT_ && k < op_info[in->op].arity && k < 4; k++)
            from[i] = from[i] || (arg[k] != IR_NONE && from[arg[k]]);
    }
    free(from);
    return elsewhere;
}

bool uses_read_behind(const struct abi *abi, uint32_t block, unsigned reg, enum uses_reader by)
{
    enum { BYTES = 4 };
    const struct flow_graph *g = abi->g;
    const struct ir_machine *m = abi->m;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    bool found = false, argument = false;
    for (unsigned i = 0; i < m->nargs; i++)
        argument = argument || m->arg[i] == reg;
    for (unsigned i = 0; i < m->nfargs; i++)
        argument = argument || m->farg[i] == reg;
    vec_push(&todo, block);
    for (bool own = true; todo.len && !found; own = false) {
        uint32_t at = vec_pop(&todo);
        const struct ir_block *b = &g->block[at];
        bool put = false;
        for (uint32_t i = 0; i < b->ninsn && !put && !found && !own; i++) {
            const struct ir_insn *in = &b->insn[i];
            found = in->op == IR_GET && in->a < reg + BYTES && reg < in->a + (in->width + 7u) / 8 &&
                    (by != USES_ELSEWHERE || goes_elsewhere(m, b, i, reg));
            put = in->op == IR_PUT && in->a == reg && b->insn[in->b].width >= BYTES * 8;
        }
        found = found || (!put && by == USES_AND_CALLS && argument && b->end.kind == IR_END_CALL);
        for (uint32_t i = g->first_edge[at]; i < g->first_edge[at + 1] && !put; i++)
            if (g->edge[i].kind != EDGE_RETURN && !seen[g->edge[i].to]) {
                seen[g->edge[i].to] = 1;
                vec_push(&todo, g->edge[i].to);
            }
    }
    vec_free(&todo);
    free(seen);
    return found;
}

bool uses_operand(const struct ir_block *b, ir_val v, uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (in->op == IR_PURE || in->op == IR_EVENT || (in->op == IR_PUT && in->b == v))
            return true;
        unsigned n = in->op < OP_COUNT_                       ? op_info[in->op].arity
                     : in->op == IR_STORE                     ? 2
                     : in->op == IR_LOAD || in->op == IR_EXIT ? 1
                                                              : 0;
        for (unsigned k = 0; k < n; k++)
            if (arg[k] == v)
                return true;
    }
    return b->end.next == v;
}

bool uses_walk_back(const struct flow_graph *g, uint32_t from, uses_visit *visit, void *ctx)
{
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    bool ended = false;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (from == UINT32_MAX ? g->block[i].end.kind == IR_END_RET : i == from)
            vec_push(&todo, i);
    while (todo.len && !ended) {
        const uint32_t at = vec_pop(&todo);
        if (seen[at])
            continue;
        seen[at] = 1;
        const enum uses_step step = visit(ctx, at);
        ended = step == USES_END;
        for (uint32_t e = 0; e < g->nedges && step == USES_ON; e++)
            if (g->edge[e].to == at && g->edge[e].kind != EDGE_RETURN)
                vec_push(&todo, g->edge[e].from);
    }
    vec_free(&todo);
    free(seen);
    return ended;
}
