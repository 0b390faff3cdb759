/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code as a source of code: callees, constants and strings of the files that are mapped. What is at a
 * known address is what the file has there. */
#include "exec/engine.h"

static void callee(struct activation *a, const struct call_site *site, bool local, struct callee *c)
{
    struct explorer *x = a->x;
    const uint64_t address = c->address;
    if (!x->file->p)
        return;
    c->f = program_function_at(x->file->p, address);
    const struct object_stub *stub = object_stub_at(x->file->o, address);
    bool imported = stub && stub->name && !stub->target;
    if (stub && stub->target) {
        const struct flow_function *own = program_function_at(x->file->p, stub->target);
        c->f = own ? own : c->f;
    }
    if (imported)
        c->name = stub->name;
    else if (c->f && (!c->name || c->f->named))
        c->name = c->f->name;
    imported = imported || (c->f && c->f->flags & (FLOW_PLT | FLOW_EXTERN));
    const struct object_info *info = object_info(x->file->o);
    bool whole = info->type == OBJECT_EXECUTABLE && info->is_static && !info->stripped;
    whole = whole || (x->file->c_library && x->mapped.len > 1);
    if (c->name && (imported || whole) && program_library(x->file->p))
        c->lib = flow_library_find(program_library(x->file->p), c->name);
    const struct exec_callees *hooks = x->opt.callees;
    /* Its code is not what will be run, and says nothing of what that takes. */
    const bool replaced =
        c->f && !imported && !x->opt.policy->inlines && object_is_replaceable(x->file->o, c->f->address);
    if (c->f && !imported) {
        c->proto = x->opt.policy->callee_code && !replaced ? flow_prototype(x->file->p, c->f)
                                                           : flow_table_prototype(x->file->p, c->f);
        if (c->proto.hands_on && hooks && hooks->takes)
            c->proto.nargs = -1;
    } else if (c->name && !flow_library_prototype(x->file->p, c->name, &c->proto)) {
        c->declared =
            (local && flow_declared_prototype(x->file->p, site->site, c->name, &c->proto)) ||
            (hooks && hooks->declared && hooks->declared(hooks->ctx, c->name, site->site, &c->proto));
        if (!c->declared)
            c->proto = (struct flow_prototype){.nargs = -1};
    }
    if (imported || replaced)
        c->f = NULL;
}

void machine_bind(struct explorer *x, struct callee *c, struct mapped *in, uint64_t address)
{
    c->file = in;
    c->address = address;
    c->f = program_function_at(in->p, address);
    if (c->f && c->f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_IFUNC))
        c->f = NULL;
    if (c->f && c->proto.nargs < 0 && c->proto.source == PROTO_NONE)
        c->proto =
            x->opt.policy->callee_code ? flow_prototype(in->p, c->f) : flow_table_prototype(in->p, c->f);
}

static term constant(struct explorer *x, term address, unsigned width)
{
    uint64_t at;
    const struct mapped *in = memory_resolve(x, address, &at);
    return in ? memory_readonly(x, in, at, width) : TERM_NONE;
}

static const char *text(struct explorer *x, term p, size_t *len)
{
    uint64_t at;
    const struct mapped *in = memory_resolve(x, p, &at);
    return in && in->o ? object_string(in->o, at, len) : NULL;
}

const struct code_source code_source_machine = {.callee = callee, .constant = constant, .text = text};
