/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a call passes to a function whose prototype nobody knows.
 *
 * All registers that can carry arguments are taken to be passed, so that nothing that is an argument goes without being
 * compared. Whether one surely is an argument is asked when two calls differ in it: a register that is given a value on
 * every way to the call, and that value goes nowhere else, was set for the callee. How many may be is bounded by the first register that nobody set: one that holds what it held at entry, although
 * the function does not read it, or what an earlier callee left there. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { DEPTH_MAX = 6 };

int arity_of(void *ctx, const char *name, uint64_t site)
{
    (void)site;
    struct side *s = ctx;
    const struct verify_knowledge *know = s->c->opt->know;
    for (size_t i = 0; name && know && i < know->nprototypes; i++)
        if (know->prototype[i].nargs >= 0 && strcmp(know->prototype[i].name, name) == 0) {
            know->prototype[i].used = true;
            return know->prototype[i].nargs;
        }
    const struct ir_machine *m = program_machine(s->p);
    /* Where arguments are on the stack only the engine sees them. */
    return m->nargs ? (int)m->nargs : -1;
}

/* What the block surely sets an argument register to for what comes after it: its value has no other use. `own`: the
 * call is in the block itself. */
enum put { PUT_NOT, PUT_FOR_CALL, PUT_OTHERWISE };

static bool is_resized(const struct ir_insn *in)
{
    return in->op == OP_ZEXT || in->op == OP_SEXT || in->op == OP_EXTRACT;
}

/* The value that another is but for its width. */
static ir_val root_of(const struct ir_block *b, ir_val v)
{
    while (is_resized(&b->insn[v]))
        v = b->insn[v].a;
    return v;
}

static enum put put_of(const struct ir_machine *m, const struct ir_block *b, unsigned a, bool own)
{
    ir_val put = IR_NONE;
    uint32_t used = 0, last = 0;
    bool any = false;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT && in->a == m->arg[a]) {
            put = b->insn[in->b].width == m->pointer_width ? in->b : IR_NONE;
            last = i;
            any = true;
        } else if (in->op == IR_EXIT) {
            /* what was set before may have been set for the other way */
            put = IR_NONE;
        }
    }
    if (put == IR_NONE)
        return any ? PUT_OTHERWISE : PUT_NOT;
    /* Uses of a constant are not seen: elsewhere than right before the call it must be among the last things done. */
    if (b->insn[put].op == IR_CONST) {
        for (uint32_t i = last; !own && i < b->ninsn; i++)
            if (b->insn[i].op < OP_COUNT_ || b->insn[i].op == IR_LOAD || b->insn[i].op == IR_STORE)
                return PUT_OTHERWISE;
        return PUT_FOR_CALL;
    }
    ir_val root = root_of(b, put);
    /* A copy of another register is made for the callee, whatever else that register is used for. */
    if (b->insn[root].op == IR_GET && b->insn[root].a != m->arg[a])
        return PUT_FOR_CALL;
    for (uint32_t i = root + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (is_resized(in))
            continue;
        unsigned n = in->op < OP_COUNT_                          ? op_info[in->op].arity
                     : in->op == IR_LOAD || in->op == IR_STORE ? 3
                     : in->op == IR_EXIT                       ? 1
                                                               : 0;
        for (unsigned k = 0; k < n; k++)
            used += arg[k] != IR_NONE && root_of(b, arg[k]) == root;
    }
    for (uint32_t i = 0; i < b->narg; i++)
        used += root_of(b, b->arg[i]) == root;
    return used ? PUT_OTHERWISE : PUT_FOR_CALL;
}

static bool surely_set(const struct side *s, uint32_t block, unsigned a, unsigned depth)
{
    const struct flow_graph *g = s->g;
    enum put p = put_of(program_machine(s->p), &g->block[block], a, depth == DEPTH_MAX);
    if (p != PUT_NOT)
        return p == PUT_FOR_CALL;
    if (!depth)
        return false;
    bool any = false;
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block)
            continue;
        if (g->edge[e].kind == EDGE_RETURN || g->edge[e].from == block ||
            !surely_set(s, g->edge[e].from, a, depth - 1))
            return false;
        any = true;
    }
    return any;
}

bool arity_sure(const struct side *s, uint64_t site, unsigned a)
{
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].site == site)
            return surely_set(s, s->g->call[i].block, a, DEPTH_MAX);
    return false;
}

/* The function reads the register as its caller left it. */
static bool reads_entry(const struct side *s, unsigned offset)
{
    const struct flow_graph *g = s->g;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, 0);
    bool found = false;
    while (todo.len && !found) {
        uint32_t at = vec_pop(&todo);
        if (seen[at])
            continue;
        seen[at] = 1;
        const struct ir_block *b = &g->block[at];
        bool put = false;
        for (uint32_t i = 0; i < b->ninsn && !put && !found; i++) {
            const struct ir_insn *in = &b->insn[i];
            unsigned bytes = s->c->width / 8;
            if (in->op == IR_GET && in->a >= offset && in->a < offset + bytes)
                found = true;
            else if (in->op == IR_PUT && in->a == offset)
                put = true;
        }
        if (put || b->end.kind == IR_END_CALL)
            continue;
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++)
            vec_push(&todo, g->edge[e].to);
    }
    vec_free(&todo);
    free(seen);
    return found;
}

unsigned arity_own(const struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct object_function_debug *d = object_debug_function(s->o, s->f->address);
    if (d)
        return (unsigned)d->nparams;
    for (unsigned a = m->nargs; a-- > 0;)
        if (reads_entry(s, m->arg[a]))
            return a + 1;
    return 0;
}
