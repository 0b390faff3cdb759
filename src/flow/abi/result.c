/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a function returns a value: whether on every path to a return a register of results is surely set
 * for that, and what of it a path leaves unchanged. */
#include <stdlib.h>

#include "flow/abi/internal.h"

/* The block sets the register, or a part of it, for nothing else that is seen in the block; false if it does
 * not set it: then *set is false. */
static bool is_set_alone(const struct ir_machine *m, const struct ir_block *b, unsigned reg, unsigned width,
                         bool *set)
{
    uint32_t last = 0;
    *set = false;
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a >= reg && b->insn[i].a < reg + width / 8) {
            *set = true;
            last = i;
        }
    if (!*set || b->insn[last].a != reg)
        return *set;
    ir_val put = b->insn[last].b, root = uses_root(b, put);
    if (b->insn[put].width < width)
        return false;
    /* Whatever else it is used for there, it is no more than a number. */
    if (b->insn[put].op == IR_CONST)
        return !uses_stored_constant(b, b->insn[put]) && !uses_base(b, b->insn[put]) &&
               !uses_page(m, b, b->insn[put]);
    if (uses_compared(b, root))
        return false;
    if (b->insn[root].op == IR_GET && b->insn[root].a != reg)
        return !uses_shows(NULL, m, b, root, last + 1);
    return !uses_shows(NULL, m, b, root, root + 1) && !uses_split(b, root, put) &&
           !uses_copied(m, b, root, last);
}

/* On every path to a return the register is set for nothing else, or it is left there after a call with the
 * first one: that callee's result may be passed on. On some it is set. */
static bool is_set_or_handed_on(const struct abi *abi, unsigned reg, unsigned width)
{
    const struct flow_graph *g = abi->g;
    const struct ir_machine *m = abi->m;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1); /* 1: the first register is not set after it, 2: it is */
    VEC(uint32_t) todo = VEC_INIT;
    bool any = false, ok = true;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (g->block[i].end.kind == IR_END_RET)
            vec_push(&todo, i << 1);
    while (todo.len && ok) {
        uint32_t at = vec_pop(&todo), block = at >> 1, first = at & 1;
        bool set, alone = is_set_alone(m, &g->block[block], reg, width, &set);
        if (seen[block] & 1 << first)
            continue;
        seen[block] |= (uint8_t)(1 << first);
        if (set) {
            any = true;
            ok = alone && !uses_read_behind(abi, block, reg, USES_AND_CALLS);
            continue;
        }
        for (uint32_t i = 0; i < g->block[block].ninsn; i++)
            first = first || (g->block[block].insn[i].op == IR_PUT && g->block[block].insn[i].a == m->ret);
        ok = block != 0;
        for (uint32_t e = 0; e < g->nedges && ok; e++) {
            if (g->edge[e].to != block)
                continue;
            if (g->edge[e].kind == EDGE_RETURN)
                ok = !first;
            else
                vec_push(&todo, g->edge[e].from << 1 | first);
        }
    }
    vec_free(&todo);
    free(seen);
    return ok && any;
}

bool abi_leaves_unread(const struct abi *abi, unsigned reg, unsigned width)
{
    for (uint32_t i = 0; i < abi->g->nblocks && !abi->unoptimised; i++) {
        const struct ir_block *b = &abi->g->block[i];
        bool set, alone = is_set_alone(abi->m, b, reg, width, &set);
        ir_val put = uses_last_put(b, reg, NULL);
        if (set && alone && put != IR_NONE && idiom_leftover(b, reg) == ABI_NO_EVIDENCE &&
            !uses_read_behind(abi, i, reg, USES_AND_CALLS) &&
            !(b->insn[put].op == IR_CONST && uses_computed_constant(b, b->insn[put])))
            return true;
    }
    return false;
}

bool abi_sets_result(const struct abi *abi, unsigned reg, unsigned width, bool alone)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < abi->g->nblocks; i++)
        if (abi->g->block[i].end.kind == IR_END_RET) {
            all = all && abi_evidence_set(argument_on_paths(abi, i, reg, width, false,
                                                            alone ? FOR_RETURN_ALONE : FOR_RETURN,
                                                            PATH_DEPTH_MAX)) == ABI_SURE;
            any = true;
        }
    return (all && any) || (alone && is_set_or_handed_on(abi, reg, width));
}

bool abi_reloads_result(const struct abi *abi, unsigned reg)
{
    bool all = true;
    for (uint32_t k = 0; k < abi->g->nblocks && all; k++) {
        const struct ir_block *b = &abi->g->block[k];
        if (b->end.kind != IR_END_RET)
            continue;
        ir_val put = uses_last_put(b, reg, NULL);
        all = put != IR_NONE && b->insn[uses_root(b, put)].op == IR_LOAD;
    }
    return all;
}

/* The block leaves the same in both registers, or what it found in the second. */
static bool leaves_same(const struct ir_block *b, unsigned first, unsigned second)
{
    const ir_val put = uses_last_put(b, first, NULL), other = uses_last_put(b, second, NULL);
    if (put == IR_NONE || other == IR_NONE) {
        const struct ir_insn *from = put == IR_NONE ? NULL : &b->insn[uses_root(b, put)];
        return from && from->op == IR_GET && from->a == second;
    }
    const struct ir_insn *x = &b->insn[put], *y = &b->insn[other];
    return x == y || (x->op == IR_CONST && y->op == IR_CONST && x->a == y->a && x->b == y->b);
}

bool abi_copies_result(const struct abi *abi, unsigned reg)
{
    bool any = false;
    for (uint32_t k = 0; k < abi->g->nblocks; k++) {
        const struct ir_block *b = &abi->g->block[k];
        if (b->end.kind != IR_END_RET)
            continue;
        if (!leaves_same(b, abi->m->ret, reg))
            return false;
        any = true;
    }
    return any;
}

static bool is_stored(const struct ir_block *b, unsigned reg)
{
    ir_val put = uses_last_put(b, reg, NULL);
    for (uint32_t i = 0; i < b->ninsn && put != IR_NONE; i++)
        if (b->insn[i].op == IR_STORE && uses_root(b, b->insn[i].b) == uses_root(b, put))
            return true;
    return false;
}

/* What was put into the register last is what the block stores, or where. */
static bool is_needed_to_store(const struct ir_block *b, unsigned reg)
{
    uint32_t set = 0;
    const ir_val put = uses_last_put(b, reg, &set);
    for (uint32_t i = 0; i < b->ninsn && put != IR_NONE; i++) {
        if (b->insn[i].op != IR_STORE)
            continue;
        const ir_val of[] = {uses_root(b, b->insn[i].a), uses_root(b, b->insn[i].b)};
        for (unsigned k = 0; k < 2; k++)
            if (of[k] == uses_root(b, put) ||
                (of[k] > set && b->insn[of[k]].op == IR_GET && b->insn[of[k]].a == reg))
                return true;
    }
    return false;
}

/* The block reads what is in the register where it begins. */
static bool reads_first(const struct ir_block *b, unsigned reg)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        if (b->insn[i].op == IR_GET && b->insn[i].a == reg)
            return true;
        if (b->insn[i].op == IR_PUT && b->insn[i].a == reg)
            return false;
    }
    return false;
}

struct result_walk {
    const struct abi *abi;
    unsigned reg;
    bool used;
};

/* What the block puts into the register is needed for something else, or the walk ends. */
static enum uses_step see_needed(void *ctx, uint32_t at)
{
    struct result_walk *w = ctx;
    const struct flow_graph *g = w->abi->g;
    const struct ir_block *b = &g->block[at];
    uint32_t set = 0;
    const ir_val put = uses_last_put(b, w->reg, &set);
    if (put != IR_NONE) {
        const ir_val root = uses_root(b, put);
        const bool needed = uses_read_behind(w->abi, at, w->reg, USES_ANY) || uses_compared(b, root) ||
                            is_needed_to_store(b, w->reg) ||
                            (b->insn[root].op != IR_CONST && uses_shows(NULL, w->abi->m, b, root, set + 1));
        w->used = w->used || needed;
        return needed ? USES_NOT_BEYOND : USES_END;
    }
    for (uint32_t e = 0; e < g->nedges && !w->used; e++)
        w->used = g->edge[e].to == at && g->edge[e].kind == EDGE_RETURN && reads_first(b, w->reg);
    return USES_ON;
}

bool abi_uses_result_elsewhere(const struct abi *abi, bool *seen_used)
{
    struct result_walk w = {abi, abi->m->ret, *seen_used};
    const bool needed = !uses_walk_back(abi->g, UINT32_MAX, see_needed, &w);
    *seen_used = w.used;
    return needed;
}

/* The address of a constant, to which the block adds something: that of a table. */
static bool is_table(const struct abi *abi, const struct ir_block *b, const struct ir_insn k)
{
    return uses_base(b, k) ||
           (k.width <= 64 && object_is_readonly(abi->o, ir_imm(k.a, k.b), 1) && uses_computed_constant(b, k));
}

static enum uses_step see_serving(void *ctx, uint32_t at)
{
    const struct result_walk *w = ctx;
    const struct ir_block *b = &w->abi->g->block[at];
    const ir_val put = uses_last_put(b, w->reg, NULL);
    if (put == IR_NONE)
        return USES_ON;
    const bool table = b->insn[put].op == IR_CONST && is_table(w->abi, b, b->insn[put]);
    return table || uses_read_behind(w->abi, at, w->reg, USES_ELSEWHERE) ? USES_END : USES_NOT_BEYOND;
}

bool abi_serves_elsewhere(const struct abi *abi, unsigned reg)
{
    return uses_walk_back(abi->g, UINT32_MAX, see_serving, &(struct result_walk){abi, reg, false});
}

bool abi_sets_number_last(const struct abi *abi, unsigned reg)
{
    bool any = false;
    for (uint32_t i = 0; i < abi->g->nblocks; i++) {
        const struct ir_block *b = &abi->g->block[i];
        uint32_t number = 0, other = 0;
        if (b->end.kind != IR_END_RET)
            continue;
        if (uses_last_put(b, abi->m->ret, &number) == IR_NONE || is_stored(b, abi->m->ret) ||
            (uses_last_put(b, reg, &other) != IR_NONE && other > number))
            return false;
        any = true;
    }
    return any;
}

/* On some path to a return the register is surely set for it. `strictly`: it is not even put into the frame.
 */
static bool on_some_way(const struct abi *abi, unsigned reg, unsigned width, bool strictly)
{
    const struct flow_graph *g = abi->g;
    uint8_t *seen = xcalloc(g->nedges + 1, 1);
    struct way {
        uint32_t block;
        struct ir_block run; /* what of it is, on this way */
    };
    VEC(struct way) todo = VEC_INIT;
    bool found = false;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (g->block[i].end.kind == IR_END_RET)
            vec_push(&todo, (struct way){i, g->block[i]});
    while (todo.len && !found) {
        struct way at = vec_pop(&todo);
        enum abi_set here = abi_evidence_set(
            idiom_in_block(NULL, abi->m, &at.run, reg, width, at.run.end.kind == IR_END_RET, strictly));
        found = here == ABI_SURE && !(strictly && is_stored(&at.run, reg));
        for (uint32_t e = 0; e < g->nedges && here == ABI_UNSET; e++)
            if (g->edge[e].to == at.block && g->edge[e].kind != EDGE_RETURN && !seen[e]) {
                seen[e] = 1;
                vec_push(&todo, (struct way){g->edge[e].from, uses_until(g, &g->edge[e])});
            }
    }
    vec_free(&todo);
    free(seen);
    return found;
}

bool abi_may_return(const struct abi *abi)
{
    return abi->proto.returns && on_some_way(abi, abi->m->ret, 8, false);
}

bool abi_sets_result_somewhere(const struct abi *abi)
{
    return on_some_way(abi, abi->m->ret, 32, true);
}

/* No parameter comes in the register of results. */
static bool returns_apart(const struct ir_machine *m)
{
    return !m->nargs || m->ret != m->arg[0];
}

/* x86: pushes the register of results, of which nobody expects anything there, to align the stack. */
static bool aligns_stack(const struct abi *abi, const struct ir_block *b, uint32_t insn)
{
    enum { PUSH_EAX = 0x50 };
    const struct ir_machine *m = abi->m;
    uint32_t k = uses_mark(b, insn);
    uint8_t code;
    return (m->arch == MACHINE_X86 || m->arch == MACHINE_AMD64) && b->insn[insn].a == m->ret && b->nmark &&
           b->mark[k].length == 1 && object_read(abi->o, b->mark[k].address, &code, 1) && code == PUSH_EAX &&
           !uses_operand(b, insn, uses_after(b, insn));
}

/* The block ends in a call of a function that does not touch the register of results. */
static bool keeps_result(const struct abi *abi, uint32_t block)
{
    for (uint32_t i = 0; i < abi->g->ncalls; i++)
        if (abi->g->call[i].block == block) {
            const struct flow_function *f = program_function_at(abi->p, abi->g->call[i].target);
            return f && flow_prototype(abi->p, f).keeps_result;
        }
    return false;
}

bool abi_reads_entry(const struct abi *abi, unsigned offset)
{
    const struct flow_graph *g = abi->g;
    const struct ir_machine *m = abi->m;
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
            unsigned bytes = abi->m->pointer_width / 8;
            if (in->op == IR_GET && in->a >= offset && in->a < offset + bytes)
                found = !stack_saves_return(m, b, i) && !aligns_stack(abi, b, i);
            else if (in->op == IR_PUT && in->a == offset)
                put = true;
        }
        bool kept = offset == m->ret && returns_apart(m) && keeps_result(abi, at);
        if (put || (b->end.kind == IR_END_CALL && !kept))
            continue;
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++)
            vec_push(&todo, g->edge[e].to);
    }
    vec_free(&todo);
    free(seen);
    return found;
}

/* What is in the register at the end of the path was put there to decide where to go: code that is not
 * optimised loads the result in the block that returns. */
static bool decides_only(const struct abi *abi, const uint32_t *block, unsigned n, unsigned reg)
{
    for (unsigned k = n; abi->unoptimised && k-- > 0;) {
        const struct ir_block *b = &abi->g->block[block[k]];
        ir_val put = uses_last_put(b, reg, NULL);
        if (b->end.kind == IR_END_CALL)
            return false;
        if (put != IR_NONE)
            return k + 1 < n && uses_compared(b, uses_root(b, put));
    }
    return false;
}

bool abi_leaves_result(const struct abi *abi, const uint32_t *block, unsigned n, bool untouched)
{
    const struct ir_machine *m = abi->m;
    bool put = false;
    for (unsigned k = 0; k < n; k++)
        put = put || uses_last_put(&abi->g->block[block[k]], m->ret, NULL) != IR_NONE;
    if (untouched && !put)
        return returns_apart(m) ? !abi_reads_entry(abi, m->ret) : abi->unoptimised;
    return decides_only(abi, block, n, m->ret);
}
