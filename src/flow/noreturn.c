/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions never return.
 *
 * A function returns when some path from its entry reaches a return and every call on the path returns: the
 * least solution of that over the call graph. It is found by looking for one such path, depth first. A
 * function met again while it is under analysis counts as not returning, which is right for it. The answer of
 * a function in between that depends on this is kept only when it is "returns". */
#include "flow/private.h"

enum { DEPTH_MAX = 48, BLOCKS_EACH = 600, BLOCKS_ALL = 20000 };

static bool never_returns_by_name(const struct program *p, const struct flow_function *f)
{
    const struct flow_library_entry *e = flow_library_find(p->library, f->name);
    return e && e->noreturn;
}

bool fn_never_returns(struct program *p, uint32_t index)
{
    struct fn_state *s = &p->state.data[index];
    const struct flow_function *f = &p->function.data[index];
    switch (s->status) {
    case FN_RETURNS:
        return false;
    case FN_NORETURN:
        return true;
    case FN_BUSY:
        p->return_cut = true;
        return true;
    }
    if (f->flags & (FLOW_EXTERN | FLOW_PLT)) {
        /* A stub for a function of this very file: its code tells, unless another file's takes its place. */
        const struct object_stub *stub = object_stub_at(p->object, f->address);
        uint32_t own = stub && stub->target && !stub->ifunc ? program_index_at(p, stub->target) : NO_INDEX;
        if (own != NO_INDEX && own != index && !(p->function.data[own].flags & (FLOW_EXTERN | FLOW_PLT)))
            return fn_never_returns(p, own);
        s->status = never_returns_by_name(p, f) ? FN_NORETURN : FN_RETURNS;
        return s->status == FN_NORETURN;
    }
    const struct object_function_debug *d = object_debug_function(p->object, f->address);
    if (d && d->address == f->address && d->noreturn) {
        s->status = FN_NORETURN;
        return true;
    }
    if (p->return_depth == 0)
        p->return_budget = BLOCKS_ALL;
    if (p->return_depth >= DEPTH_MAX || p->return_budget == 0)
        return false;

    bool cut_before = p->return_cut;
    p->return_cut = false;
    p->return_depth++;
    s->status = FN_BUSY;
    struct arena arena = ARENA_INIT;
    struct builder b;
    builder_init(&b, p, index, &arena);
    uint64_t limit = p->return_budget < BLOCKS_EACH ? p->return_budget : BLOCKS_EACH;
    b.blocks_left = limit;
    b.stop_at_return = true;
    builder_run(&b);
    uint64_t used = limit - b.blocks_left;
    p->return_budget = p->return_budget > used ? p->return_budget - used : 0;
    bool returns = b.returns || b.blocks_left == 0;
    builder_free(&b);
    arena_free(&arena);
    p->return_depth--;

    s = &p->state.data[index];
    if (returns)
        s->status = FN_RETURNS;
    else
        s->status = p->return_cut && p->return_depth > 0 ? FN_UNKNOWN : FN_NORETURN;
    p->return_cut = p->return_cut && p->return_depth > 0 ? true : cut_before;
    return !returns;
}

bool flow_noreturn(struct program *p, uint64_t address)
{
    uint32_t i = program_index_at(p, address);
    if (i != NO_INDEX)
        return fn_never_returns(p, i);
    const struct object_stub *s = object_stub_at(p->object, address);
    const struct flow_library_entry *e = s && s->name ? flow_library_find(p->library, s->name) : NULL;
    return e && e->noreturn;
}

bool flow_goes_on_elsewhere(struct program *p, const struct flow_function *f)
{
    enum { LARGEST = 64 }; /* such functions are short */
    if (p->machine->lr == UINT16_MAX || f->size > LARGEST || f->flags & (FLOW_PLT | FLOW_EXTERN))
        return false;
    const struct flow_graph *g = flow_graph(p, f);
    for (uint32_t i = 0; g && i < g->nblocks; i++) {
        const struct ir_block *b = &g->block[i];
        if (b->end.kind == IR_END_RET && b->end.next != IR_NONE && b->insn[b->end.next].op == OP_ADD)
            return true;
    }
    return false;
}
