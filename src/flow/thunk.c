/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/alloc.h"
#include "flow/flow.h"

enum { HOPS_MAX = 8, INSNS_MAX = 6 };

static bool keeps_arguments(const struct ir_machine *m, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_STORE || in->op == IR_EVENT || in->op == IR_UNKNOWN || in->op == IR_EXIT)
            return false;
        if (in->op != IR_PUT)
            continue;
        bool keeps = in->a != m->sp && in->a != m->ret;
        for (unsigned k = 0; k < m->nsaved; k++)
            keeps = keeps && in->a != m->saved[k];
        for (unsigned k = 0; k < m->nargs; k++)
            keeps = keeps && in->a != m->arg[k];
        if (!keeps)
            return false;
    }
    return true;
}

/* A name of the program's own is one that people know it by. */
static bool may_be_thunk(const struct program *p, uint64_t address)
{
    const struct flow_function *f = program_function_at(p, address);
    if (object_stub_at(program_object(p), address) || (f && f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_IFUNC)))
        return false;
    return !f || !f->named || strncmp(f->name, "__", 2) == 0;
}

ir_label flow_thunk(struct program *p, ir_label label)
{
    struct arena arena = ARENA_INIT;
    for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
        uint64_t address = program_machine(p)->arch == MACHINE_ARM ? label & ~UINT64_C(1) : label;
        size_t available;
        const uint8_t *bytes = object_bytes(program_object(p), address, &available);
        struct ir_block b;
        if (!bytes || !may_be_thunk(p, address))
            break;
        lift_block(program_lifter(p), label, bytes, available, INSNS_MAX, &arena, &b);
        if (b.end.kind != IR_END_JUMP || b.end.label == label || !keeps_arguments(program_machine(p), &b) ||
            b.nmark == INSNS_MAX)
            break;
        label = b.end.label;
    }
    arena_free(&arena);
    return label;
}
