/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of a program as the concrete interpreter wants it, loaded anywhere. */
#include <string.h>

#include "adapt/internal.h"
#include "lift/lift.h"

/* Where the data of the thread is; or what the calling conventions promise. */
static bool is_promised(const struct ir_machine *m, const char *name, uint64_t *value)
{
    static const char *const thread[] = {"fs_base", "gs_base", "tpidr_el0", "tpidruro"};
    *value = guest_thread(m);
    for (size_t i = 0; i < sizeof thread / sizeof *thread; i++)
        if (strcasecmp(name, thread[i]) == 0)
            return true;
    return exec_promise(name, value);
}

void guest_init(struct guest *g, struct program *p, uint64_t bias)
{
    const struct ir_machine *m = program_machine(p);
    *g = (struct guest){.p = p, .bias = bias};
    for (unsigned i = 0; i < m->nreg && g->npromises < GUEST_PROMISES; i++) {
        struct guest_promise x = {.offset = m->reg[i].offset, .width = m->reg[i].width};
        if (x.width <= m->pointer_width && is_promised(m, m->reg[i].name, &x.value))
            g->promise[g->npromises++] = x;
    }
}

void guest_free(struct guest *g)
{
    map_free(&g->block);
    arena_free(&g->code);
}

/* Where the file has what is at a label. */
static uint64_t in_file(const struct guest *g, ir_label label)
{
    bool arm = program_machine(g->p)->arch == MACHINE_ARM;
    return (arm ? label & ~UINT64_C(1) : label) - g->bias;
}

const struct ir_block *guest_block(struct guest *g, ir_label label, uint64_t end)
{
    uint64_t known, address = in_file(g, label);
    const struct object *o = program_object(g->p);
    if (map_get(&g->block, label, &known))
        return (const struct ir_block *)(uintptr_t)known;
    size_t room;
    const uint8_t *bytes = object_is_exec(o, address) ? object_bytes(o, address, &room) : NULL;
    if (!bytes)
        return NULL;
    if (end && room > end - address)
        room = end - address;
    struct ir_block *b = arena_new(&g->code, struct ir_block);
    lift_block(program_lifter(g->p), label, bytes, room, 0, &g->code, b);
    map_set(&g->block, label, (uint64_t)(uintptr_t)b);
    return b;
}

ir_label guest_label(const struct guest *g, const struct flow_function *f)
{
    bool thumb = program_machine(g->p)->arch == MACHINE_ARM && f->flags & FLOW_THUMB;
    return (f->address + g->bias) | thumb;
}

const struct flow_function *guest_function(const struct guest *g, ir_label label)
{
    return program_function_at(g->p, in_file(g, label));
}

bool guest_through_stub(const struct guest *g, ir_label *to, uint64_t *resolver)
{
    const struct object_stub *stub = object_stub_at(program_object(g->p), in_file(g, *to));
    *resolver = 0;
    if (!stub)
        return true;
    if (!stub->target)
        return false;
    if (stub->ifunc) {
        *resolver = stub->target;
        return false;
    }
    const struct flow_function *f = program_function_at(g->p, stub->target);
    *to = f ? guest_label(g, f) : stub->target + g->bias;
    return true;
}

uint64_t guest_stack(const struct ir_machine *m)
{
    uint64_t sp = m->pointer_width == 64 ? UINT64_C(0x7ffd5ea10008) : 0xbea1000c;
    return m->call_pushes ? sp : sp & ~UINT64_C(15);
}

uint64_t guest_thread(const struct ir_machine *m)
{
    return m->pointer_width == 64 ? UINT64_C(0x7ffd40000000) : 0xb0000000;
}
