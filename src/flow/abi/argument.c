/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a call passes to a function whose prototype nobody knows.
 *
 * All registers that can carry arguments are taken to be passed, so that nothing that is an argument goes
 * without being compared. When two calls differ in one it is asked what that register was set for. A value
 * that is put there on every way to the call and goes nowhere else was SURELY set for the callee. One that
 * nobody set, or an earlier callee left there, is UNSET. Of anything else, such as a value that is also
 * stored, tested or computed with, it is POSSIBLE that it is an argument. */
#include <string.h>

#include "flow/abi/internal.h"

/* Nobody but a callee looks at a copy, whichever way is taken. */
static bool is_for_callees(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b,
                           unsigned reg, ir_val root, uint32_t copied)
{
    return abi && reg != m->ret && reg != m->ret2 && !uses_shows(abi, m, b, root, copied + 1) &&
           !uses_read_behind(abi, (uint32_t)(b - abi->g->block), reg, false);
}

enum abi_set argument_set_in(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b,
                             unsigned reg, unsigned width, bool own, bool only)
{
    uint32_t last = 0;
    ir_val put = uses_last_put(b, reg, &last);
    bool left = false; /* there is a way out behind it */
    for (uint32_t i = last; i < b->ninsn; i++)
        left = left || b->insn[i].op == IR_EXIT;
    if (put == IR_NONE) {
        for (uint32_t i = 0; i < b->ninsn; i++)
            if (b->insn[i].op == IR_GET && b->insn[i].a == reg && uses_shows(abi, m, b, i, i + 1))
                return ABI_POSSIBLE;
        return ABI_UNSET;
    }
    if (b->insn[put].width < width)
        return ABI_POSSIBLE;
    /* Uses of a constant are not seen: elsewhere than right before the call it must be among the last things
     * done. */
    if (b->insn[put].op == IR_CONST) {
        for (uint32_t i = last; !own && i < b->ninsn; i++)
            if (b->insn[i].op < OP_COUNT_ || b->insn[i].op == IR_LOAD || b->insn[i].op == IR_STORE)
                return ABI_POSSIBLE;
        return left || uses_stored_constant(b, b->insn[put]) || (only && uses_base(b, b->insn[put])) ||
                       (abi && uses_selected_constant(b, b->insn[put]))
                   ? ABI_POSSIBLE
                   : ABI_SURE;
    }
    ir_val root = uses_root(b, put);
    /* A copy of another register is made for the callee, whatever else that register is used for. */
    if (b->insn[root].op == IR_GET && b->insn[root].a != reg)
        return (left && !is_for_callees(abi, m, b, reg, root, last)) ||
                       (only && uses_shows(abi, m, b, root, last + 1)) ||
                       (abi && uses_stands_in(abi, m, b, root, last))
                   ? ABI_POSSIBLE
                   : ABI_SURE;
    if (uses_shows(abi, m, b, root, root + 1) || uses_split(b, root, put) || uses_copied(m, b, root, last))
        return ABI_POSSIBLE;
    return left || uses_compared(b, root) ? ABI_POSSIBLE : ABI_SURE;
}

enum abi_set argument_in_block(const struct ir_machine *m, const struct ir_block *b, unsigned reg,
                               unsigned width)
{
    return argument_set_in(NULL, m, b, reg, width, true, false);
}

/* The value of a register was put there to be stored, compared, copied or used as an address. In code that is
 * not optimised that is all it was put there for, unless it happens in the block of the call itself: there an
 * assignment may be an argument as well. Compilers that set arguments last of all are told by those before
 * it, which are set after that use. */
static bool is_used_up(const struct abi *abi, const struct ir_block *b, unsigned reg, bool own)
{
    const struct ir_machine *m = abi->m;
    uint32_t last, used = 0;
    ir_val put = uses_last_put(b, reg, &last);
    if (put == IR_NONE)
        return false;
    ir_val root = uses_root(b, put);
    for (uint32_t i = root + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        bool one = (in->op == IR_LOAD || in->op == IR_STORE || uses_is_comparison(in->op)) &&
                   (uses_root(b, in->a) == root || (in->op != IR_LOAD && uses_root(b, in->b) == root));
        if (one || (in->op == IR_PUT && i > last && in->a != reg && uses_root(b, in->b) == root))
            used = i;
    }
    if (!used || !own)
        return used;
    for (unsigned k = 0; k < m->nargs && m->arg[k] != reg; k++)
        for (uint32_t i = used + 1; i < b->ninsn; i++)
            if (b->insn[i].op == IR_PUT && b->insn[i].a == m->arg[k]) {
                const struct ir_insn *v = &b->insn[uses_root(b, b->insn[i].b)];
                if (v->op == IR_LOAD &&
                    (uses_in_frame(m, b, v->a) || uses_based_on(b, v->a, abi->frame_register)))
                    return true;
            }
    return false;
}

enum abi_set argument_on_paths(const struct abi *abi, uint32_t block, unsigned reg, unsigned width,
                               bool passed, enum purpose what, unsigned depth)
{
    const struct flow_graph *g = abi->g;
    bool call = what == FOR_CALL || what == FOR_CALL_ANEW;
    enum abi_set here = argument_set_in(call ? abi : NULL, abi->m, &g->block[block], reg, width,
                                        depth == PATH_DEPTH_MAX, what == FOR_RETURN_ALONE),
                 all = ABI_UNSET;
    if (here != ABI_UNSET && call && abi->unoptimised &&
        is_used_up(abi, &g->block[block], reg, depth == PATH_DEPTH_MAX))
        return ABI_UNSET;
    if (here != ABI_UNSET)
        return here;
    if (!depth)
        return ABI_POSSIBLE;
    /* At entry it is what the caller passed. */
    bool first = block == 0;
    if (first)
        all = passed ? ABI_POSSIBLE : ABI_UNSET;
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block || g->edge[e].from == block)
            continue;
        enum abi_set from =
            g->edge[e].kind == EDGE_RETURN
                ? (what == FOR_CALL_ANEW ? ABI_POSSIBLE : ABI_UNSET)
                : argument_on_paths(abi, g->edge[e].from, reg, width, passed, what, depth - 1);
        if (first && all != from)
            all = ABI_POSSIBLE;
        else if (!first)
            all = from;
        first = true;
    }
    return all;
}

enum abi_set abi_argument(const struct abi *abi, uint64_t site, unsigned a)
{
    const struct flow_call *k = abi_call_at(abi, site);
    return k ? argument_on_paths(abi, k->block, abi->m->arg[a], abi->m->pointer_width,
                                 a < abi->nparams && !abi->spills, FOR_CALL, PATH_DEPTH_MAX)
             : ABI_POSSIBLE;
}

/* What the block puts into the register is another one with its sign extended, and that is stored or computed
 * with as it is there. */
static bool is_extended_for(const struct ir_block *b, ir_val put)
{
    const struct ir_insn *root = &b->insn[uses_root(b, put)];
    for (uint32_t i = put + 1; i < b->ninsn && &b->insn[put] != root && root->op == IR_GET; i++) {
        const struct ir_insn *in = &b->insn[i];
        if ((in->op == IR_STORE && in->b == put) ||
            (in->op < OP_COUNT_ && op_info[in->op].arity == 2 && !uses_is_comparison(in->op) &&
             (in->a == put || in->b == put)))
            return true;
    }
    return false;
}

static bool may_be_left(const struct abi *abi, uint32_t block, unsigned reg, unsigned depth)
{
    const struct flow_graph *g = abi->g;
    const struct ir_block *b = &g->block[block];
    ir_val put = uses_last_put(b, reg, NULL);
    bool found = put != IR_NONE && is_extended_for(b, put);
    for (uint32_t i = 0; put == IR_NONE && i < b->ninsn && !found; i++)
        found = b->insn[i].op == IR_GET && b->insn[i].a == reg && uses_compared(b, i);
    for (uint32_t e = 0; put == IR_NONE && depth && e < g->nedges && !found; e++)
        found = g->edge[e].to == block && g->edge[e].from != block && g->edge[e].kind != EDGE_RETURN &&
                may_be_left(abi, g->edge[e].from, reg, depth - 1);
    return found;
}

bool abi_may_be_leftover(const struct abi *abi, uint64_t site, unsigned a)
{
    const struct flow_call *k = abi_call_at(abi, site);
    return k && may_be_left(abi, k->block, abi->m->arg[a], PATH_DEPTH_MAX);
}

bool abi_is_used_up(const struct abi *abi, uint64_t site, unsigned a)
{
    const struct ir_machine *m = abi->m;
    const struct flow_call *k = abi->unoptimised ? abi_call_at(abi, site) : NULL;
    bool result = m->arg[a] == m->ret || m->arg[a] == m->ret2;
    return k && argument_on_paths(abi, k->block, m->arg[a], abi->m->pointer_width,
                                  a < abi->nparams && !abi->spills, result ? FOR_CALL_ANEW : FOR_CALL,
                                  PATH_DEPTH_MAX) == ABI_UNSET;
}

bool abi_may_pass_more(const struct abi *abi, uint64_t target, unsigned n)
{
    /* On ARM something of two words begins in every other register. */
    unsigned even = abi->m->arch == MACHINE_ARM ? n + n % 2 : n;
    for (uint32_t i = 0; i < abi->g->ncalls; i++) {
        const struct flow_call *k = &abi->g->call[i];
        for (unsigned a = n; k->target == target && a < abi->m->nargs; a++)
            if (abi_argument(abi, k->site, a) == ABI_SURE ||
                ((a == n || a == even) &&
                 uses_last_put(&abi->g->block[k->block], abi->m->arg[a], NULL) != IR_NONE))
                return true;
    }
    return false;
}

bool abi_passes_more(const struct abi *abi, const char *name, const struct flow_takes *takes)
{
    enum { FLOAT_BITS = 32 };
    const struct ir_machine *m = abi->m;
    for (uint32_t i = 0; i < abi->g->ncalls; i++) {
        const struct flow_call *k = &abi->g->call[i];
        if (!k->name || strcmp(k->name, name) != 0)
            continue;
        for (unsigned a = takes->nargs; a < m->nargs; a++)
            if (abi_argument(abi, k->site, a) == ABI_SURE)
                return true;
        if (!m->nargs && abi_sets_word(abi, k->site, takes->nargs))
            return true;
        if (m->nfargs && !takes->floats &&
            argument_in_block(m, &abi->g->block[k->block], m->farg[0], FLOAT_BITS) == ABI_SURE)
            return true;
    }
    return false;
}

bool abi_passes_vector(const struct abi *abi, uint64_t site)
{
    enum { VECTOR = 128 };
    static const char *const carrier[] = {"xmm0", "xmm1", "xmm2"};
    const struct flow_call *k = abi->m->arch == MACHINE_X86 ? abi_call_at(abi, site) : NULL;
    uint16_t at, width;
    bool passes = false;
    for (size_t i = 0; k && i < sizeof carrier / sizeof *carrier && !passes; i++)
        passes = machine_register_find(abi->m, carrier[i], &at, &width) &&
                 argument_on_paths(abi, k->block, at, VECTOR, false, FOR_CALL, PATH_DEPTH_MAX) == ABI_SURE;
    return passes;
}
