/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a call passes to a function whose prototype nobody knows.
 *
 * All registers that can carry arguments are taken to be passed, so that nothing that is an argument goes
 * without being compared. When two calls differ in one it is asked what that register was set for. A value
 * that is put there on every way to the call and goes nowhere else was SURELY set for the callee. One that
 * nobody set, or an earlier callee left there, is UNSET. Of anything else, such as a value that is also
 * stored, tested or computed with, it is POSSIBLE that it is an argument. */
#include <string.h>

#include "verify/private.h"
#include "verify/uses.h"

static bool told_so(struct flow_takes *out, unsigned nargs)
{
    *out = (struct flow_takes){.nargs = nargs, .floats = true};
    return true;
}

bool arity_told(void *ctx, const char *name, struct flow_takes *out)
{
    const struct side *s = ctx;
    const struct verify_knowledge *know = s->c->opt->know;
    for (size_t i = 0; name && know && i < know->nprototypes; i++)
        if (strcmp(know->prototype[i].name, name) == 0) {
            know->prototype[i].used = true;
            if (know->prototype[i].nargs >= 0 && !know->prototype[i].variadic)
                return told_so(out, (unsigned)know->prototype[i].nargs);
        }
    const struct verify_import *x = import_told(s->c, name);
    if (x)
        *out = x->takes;
    return x != NULL;
}

int arity_of(void *ctx, const char *name, uint64_t site)
{
    (void)name;
    (void)site;
    const struct side *s = ctx;
    const struct ir_machine *m = program_machine(s->p);
    /* Where arguments are on the stack only the engine sees them. */
    return m->nargs ? (int)m->nargs : -1;
}

/* Nobody but a callee looks at a copy, whichever way is taken. */
static bool is_for_callees(const struct side *s, const struct ir_machine *m, const struct ir_block *b,
                           unsigned reg, ir_val root, uint32_t copied)
{
    return s && reg != m->ret && reg != m->ret2 && !uses_shows(s, m, b, root, copied + 1) &&
           !uses_read_behind(s, (uint32_t)(b - s->g->block), reg, false);
}

enum arity arity_set_in(const struct side *s, const struct ir_machine *m, const struct ir_block *b,
                        unsigned reg, unsigned width, bool own, bool only)
{
    uint32_t last = 0;
    ir_val put = uses_last_put(b, reg, &last);
    bool left = false; /* there is a way out behind it */
    for (uint32_t i = last; i < b->ninsn; i++)
        left = left || b->insn[i].op == IR_EXIT;
    if (put == IR_NONE) {
        for (uint32_t i = 0; i < b->ninsn; i++)
            if (b->insn[i].op == IR_GET && b->insn[i].a == reg && uses_shows(s, m, b, i, i + 1))
                return ARITY_POSSIBLE;
        return ARITY_UNSET;
    }
    if (b->insn[put].width < width)
        return ARITY_POSSIBLE;
    /* Uses of a constant are not seen: elsewhere than right before the call it must be among the last things
     * done. */
    if (b->insn[put].op == IR_CONST) {
        for (uint32_t i = last; !own && i < b->ninsn; i++)
            if (b->insn[i].op < OP_COUNT_ || b->insn[i].op == IR_LOAD || b->insn[i].op == IR_STORE)
                return ARITY_POSSIBLE;
        return left || uses_stored_constant(b, b->insn[put]) || (only && uses_base(b, b->insn[put])) ||
                       (s && uses_selected_constant(b, b->insn[put]))
                   ? ARITY_POSSIBLE
                   : ARITY_SURE;
    }
    ir_val root = uses_root(b, put);
    /* A copy of another register is made for the callee, whatever else that register is used for. */
    if (b->insn[root].op == IR_GET && b->insn[root].a != reg)
        return (left && !is_for_callees(s, m, b, reg, root, last)) ||
                       (only && uses_shows(s, m, b, root, last + 1)) ||
                       (s && uses_stands_in(s, m, b, root, last))
                   ? ARITY_POSSIBLE
                   : ARITY_SURE;
    if (uses_shows(s, m, b, root, root + 1) || uses_split(b, root, put) || uses_copied(m, b, root, last))
        return ARITY_POSSIBLE;
    return left || uses_compared(b, root) ? ARITY_POSSIBLE : ARITY_SURE;
}

enum arity arity_in_block(const struct ir_machine *m, const struct ir_block *b, unsigned reg, unsigned width)
{
    return arity_set_in(NULL, m, b, reg, width, true, false);
}

/* The value of a register was put there to be stored, compared, copied or used as an address. In code that is
 * not optimised that is all it was put there for, unless it happens in the block of the call itself: there an
 * assignment may be an argument as well. Compilers that set arguments last of all are told by those before
 * it, which are set after that use. */
static bool is_used_up(const struct side *s, const struct ir_block *b, unsigned reg, bool own)
{
    const struct ir_machine *m = program_machine(s->p);
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
                if (v->op == IR_LOAD && (uses_in_frame(m, b, v->a) || uses_based_on(b, v->a, s->frame)))
                    return true;
            }
    return false;
}

enum arity arity_on_the_way(const struct side *s, uint32_t block, unsigned reg, unsigned width, bool passed,
                            enum purpose what, unsigned depth)
{
    const struct flow_graph *g = s->g;
    bool call = what == FOR_CALL || what == FOR_CALL_ANEW;
    enum arity here = arity_set_in(call ? s : NULL, program_machine(s->p), &g->block[block], reg, width,
                                   depth == ARITY_DEPTH_MAX, what == FOR_RETURN_ALONE),
               all = ARITY_UNSET;
    if (here != ARITY_UNSET && call && s->plain &&
        is_used_up(s, &g->block[block], reg, depth == ARITY_DEPTH_MAX))
        return ARITY_UNSET;
    if (here != ARITY_UNSET)
        return here;
    if (!depth)
        return ARITY_POSSIBLE;
    /* At entry it is what the caller passed. */
    bool first = block == 0;
    if (first)
        all = passed ? ARITY_POSSIBLE : ARITY_UNSET;
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block || g->edge[e].from == block)
            continue;
        enum arity from = g->edge[e].kind == EDGE_RETURN
                              ? (what == FOR_CALL_ANEW ? ARITY_POSSIBLE : ARITY_UNSET)
                              : arity_on_the_way(s, g->edge[e].from, reg, width, passed, what, depth - 1);
        if (first && all != from)
            all = ARITY_POSSIBLE;
        else if (!first)
            all = from;
        first = true;
    }
    return all;
}

const struct flow_call *side_call_at(const struct side *s, uint64_t site)
{
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].site == site)
            return &s->g->call[i];
    return NULL;
}

enum arity arity_at(const struct side *s, uint64_t site, unsigned a)
{
    const struct flow_call *k = side_call_at(s, site);
    return k ? arity_on_the_way(s, k->block, program_machine(s->p)->arg[a], s->c->width,
                                a < s->own && !s->reloads, FOR_CALL, ARITY_DEPTH_MAX)
             : ARITY_POSSIBLE;
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

static bool may_be_left(const struct side *s, uint32_t block, unsigned reg, unsigned depth)
{
    const struct flow_graph *g = s->g;
    const struct ir_block *b = &g->block[block];
    ir_val put = uses_last_put(b, reg, NULL);
    bool found = put != IR_NONE && is_extended_for(b, put);
    for (uint32_t i = 0; put == IR_NONE && i < b->ninsn && !found; i++)
        found = b->insn[i].op == IR_GET && b->insn[i].a == reg && uses_compared(b, i);
    for (uint32_t e = 0; put == IR_NONE && depth && e < g->nedges && !found; e++)
        found = g->edge[e].to == block && g->edge[e].from != block && g->edge[e].kind != EDGE_RETURN &&
                may_be_left(s, g->edge[e].from, reg, depth - 1);
    return found;
}

bool arity_may_be_left(const struct side *s, uint64_t site, unsigned a)
{
    const struct flow_call *k = side_call_at(s, site);
    return k && may_be_left(s, k->block, program_machine(s->p)->arg[a], ARITY_DEPTH_MAX);
}

bool arity_declared(void *ctx, const char *name, uint64_t site, struct flow_prototype *out)
{
    const struct side *s = ctx, *other = &s->c->side[!s->new];
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k = side_call_at(s, site);
    if (!k || !(s->c->opt->assume & VERIFY_ASSUME_ARGUMENTS) ||
        !flow_declared_prototype(other->p, other->f->address, name, out) || (unsigned)out->nargs >= m->nargs)
        return false;
    /* It may take more in this version than it was declared with in the other; on ARM something of two words
     * begins in every other register. */
    unsigned n = (unsigned)out->nargs, even = m->arch == MACHINE_ARM ? n + n % 2 : n;
    for (uint32_t i = 0; i < s->g->ncalls; i++) {
        const struct flow_call *l = &s->g->call[i];
        for (unsigned a = n; l->target == k->target && a < m->nargs; a++)
            if (arity_at(s, l->site, a) == ARITY_SURE ||
                ((a == n || a == even) && uses_last_put(&s->g->block[l->block], m->arg[a], NULL) != IR_NONE))
                return false;
    }
    s->c->arity_used++;
    return true;
}

bool arity_used_up(const struct side *s, uint64_t site, unsigned a)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k = s->plain ? side_call_at(s, site) : NULL;
    bool result = m->arg[a] == m->ret || m->arg[a] == m->ret2;
    return k && arity_on_the_way(s, k->block, m->arg[a], s->c->width, a < s->own && !s->reloads,
                                 result ? FOR_CALL_ANEW : FOR_CALL, ARITY_DEPTH_MAX) == ARITY_UNSET;
}

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

bool arity_overflow(const struct side *s, uint64_t site, unsigned a)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k = side_call_at(s, site);
    if (m->arch != MACHINE_AMD64 || m->arg[a] != m->ret2 || !k)
        return false;
    uint32_t at = k->block;
    for (unsigned depth = 0; depth < ARITY_DEPTH_MAX; depth++) {
        uint32_t ways = 0, from = at;
        if (uses_last_put(&s->g->block[at], m->arg[a], NULL) != IR_NONE)
            return is_overflow(&s->g->block[at], m->arg[a]);
        for (uint32_t e = 0; e < s->g->nedges; e++)
            if (s->g->edge[e].to == at) {
                ways += s->g->edge[e].kind == EDGE_RETURN ? 2 : 1;
                from = s->g->edge[e].from;
            }
        if (ways != 1 || at == 0)
            return false;
        at = from;
    }
    return false;
}

/* Compilers that are not to optimise store every argument first of all, and load it again wherever it is
 * used. */
bool arity_reloads(struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct ir_block *b = s->g->nblocks ? &s->g->block[0] : NULL;
    unsigned stored = 0, all = s->own <= m->nargs ? s->own : m->nargs;
    bool again = false;
    for (uint32_t i = 0; b && i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        int64_t off;
        if (in->op == IR_LOAD && uses_stack_offset(m, b, in->a, &off))
            again = again || map_get(&s->home, (uint64_t)off, NULL);
        if (in->op != IR_STORE || !uses_stack_offset(m, b, in->a, &off))
            continue;
        const struct ir_insn *v = &b->insn[uses_root(b, in->b)];
        for (unsigned k = 0; v->op == IR_GET && k < all; k++)
            stored += v->a == m->arg[k] && map_set(&s->home, (uint64_t)off, 1);
    }
    if (!again || !all || stored < all)
        map_free(&s->home);
    return again && all && stored >= all;
}

/* No register that calls leave alone holds anything but the frame's place. */
bool arity_is_plain(struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    s->frame = m->sp;
    for (uint32_t k = 0; s->reloads && k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            const struct ir_insn *in = &b->insn[i];
            bool saved = false;
            for (unsigned r = 0; in->op == IR_PUT && r < m->nsaved; r++)
                saved = saved || (in->a == m->saved[r] && in->a != m->lr);
            if (saved && k == 0 && s->frame == m->sp && uses_based_on(b, in->b, m->sp))
                s->frame = in->a;
            if (saved && !uses_based_on(b, in->b, m->sp) && !uses_based_on(b, in->b, s->frame) &&
                !(b->insn[in->b].op == IR_LOAD && b->end.kind == IR_END_RET))
                return false;
        }
    }
    return s->reloads;
}

unsigned arity_own(const struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct object_function_debug *d = object_debug_function(s->o, s->f->address);
    if (d)
        return s->proto.nargs > (int)d->nparams ? (unsigned)s->proto.nargs : (unsigned)d->nparams;
    for (unsigned a = m->nargs; a-- > 0;)
        if (arity_reads_entry(s, m->arg[a]))
            return a + 1;
    return 0;
}
