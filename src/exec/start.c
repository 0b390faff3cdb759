/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How an exploration begins: symbols for everything a caller decides, constants for what the calling
 * convention fixes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

/* What the calling conventions promise about state that is not a general register: strings go up, floats
 * round to nearest, no x87 value is on its stack, no exception is pending. */
static const struct {
    const char *name;
    uint64_t value;
} promised[] = {
    {"<dflag>", 1},     {"<idflag>", 0},    {"<acflag>", 0},   {"<sse_round>", 0}, {"<x87_top>", 0},
    {"<x87_round>", 0}, {"<x87_flags>", 0}, {"<x87_tag0>", 0}, {"<x87_tag1>", 0},  {"<x87_tag2>", 0},
    {"<x87_tag3>", 0},  {"<x87_tag4>", 0},  {"<x87_tag5>", 0}, {"<x87_tag6>", 0},  {"<x87_tag7>", 0},
    {"<itstate>", 0},   {"fpscr", 0},       {"fpcr", 0},       {"<llsc_size>", 0}, {"<monitor_valid>", 0},
};

bool exec_promise(const char *name, uint64_t *value)
{
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) {
        if (strcasecmp(promised[i].name, name) == 0) {
            *value = promised[i].value;
            return true;
        }
    }
    return false;
}

static struct term_origin register_origin(const struct explorer *x, const struct machine_register *r)
{
    if (r->argument)
        return (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = r->argument - 1u, .part = r->part};
    if (r->object)
        return (struct term_origin){.kind = ORIGIN_ADDRESS, .name = r->object};
    for (unsigned i = 0; i < x->m->nargs; i++)
        if (x->m->arg[i] == r->offset && r->width == x->width)
            return (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = i};
    return (struct term_origin){.kind = ORIGIN_REGISTER, .name = r->name};
}

/* One symbol for each register; a slot is put together from the symbols of the registers in it. */
static void entry_registers(struct explorer *x)
{
    const struct ir_machine *m = x->m;
    unsigned bytes = x->nslots * x->unit;
    int *owner = xcalloc(bytes, sizeof *owner); /* register index + 1 */
    for (unsigned i = 0; i < m->nreg; i++) {
        unsigned n = (m->reg[i].width + 7) / 8;
        bool wider = true;
        for (unsigned b = m->reg[i].offset; b < m->reg[i].offset + n && b < bytes; b++)
            wider = wider && (!owner[b] || m->reg[owner[b] - 1].width < m->reg[i].width);
        for (unsigned b = m->reg[i].offset; wider && b < m->reg[i].offset + n && b < bytes; b++)
            owner[b] = (int)i + 1;
    }
    term *symbol = xcalloc(m->nreg + 1, sizeof *symbol);
    for (unsigned i = 0; i < m->nreg; i++) {
        const struct machine_register *r = &m->reg[i];
        unsigned width = (r->width + 7u) / 8 * 8;
        uint64_t value;
        struct term_origin from = register_origin(x, r);
        if (r->offset == m->sp)
            symbol[i] = x->sp;
        else if (exec_promise(r->name, &value))
            symbol[i] = term_const(x->t, width, value);
        else
            symbol[i] = origin_symbol(x->t, from, width);
    }
    for (unsigned s = 0; s < x->nslots; s++) {
        term out = TERM_NONE;
        for (unsigned b = s * x->unit, n; b < (s + 1) * x->unit; b += n) {
            for (n = 1; b + n < (s + 1) * x->unit && owner[b + n] == owner[b];)
                n++;
            term part;
            if (owner[b]) {
                const struct machine_register *r = &m->reg[owner[b] - 1];
                part = term_extract(x->t, symbol[owner[b] - 1], (b - r->offset) * 8, n * 8);
            } else {
                part = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_REGISTER, .offset = b}, n * 8);
            }
            out = out == TERM_NONE ? part : term_concat(x->t, part, out);
        }
        x->entry[s] = out;
        int o = owner[s * x->unit];
        bool starts = o && m->reg[o - 1].offset == s * x->unit;
        x->slot_clobber[s] =
            (struct term_origin){.kind = ORIGIN_CLOBBERED,
                                 .part = starts ? ORIGIN_CLOBBERED_START : ORIGIN_CLOBBERED_PART,
                                 .name = o ? m->reg[o - 1].name : NULL,
                                 .offset = (uint64_t)s * x->unit};
    }
    free(symbol);
    free(owner);
}

/* Of a callee that is followed: anything, but for the addresses of globals. What it is given is put there. */
static void callee_registers(struct explorer *x)
{
    const struct ir_machine *m = x->m;
    for (unsigned s = 0; s < x->nslots; s++) {
        x->entry[s] = TERM_NONE;
        x->slot_clobber[s] = (struct term_origin){
            .kind = ORIGIN_CLOBBERED, .part = ORIGIN_CLOBBERED_PART, .offset = (uint64_t)s * x->unit};
    }
    for (unsigned i = 0; i < m->nreg; i++) {
        if (!m->reg[i].object)
            continue;
        assert(m->reg[i].offset % x->unit == 0 && m->reg[i].width == x->width);
        x->entry[m->reg[i].offset / x->unit] = origin_symbol(
            x->t, (struct term_origin){.kind = ORIGIN_ADDRESS, .name = m->reg[i].object}, x->width);
    }
}

void start_registers(struct explorer *x)
{
    const struct ir_machine *m = x->m;
    x->nslots = machine_slots(m);
    x->slot_clobber = arena_array(&x->arena, struct term_origin, x->nslots);
    x->slot_keep = arena_array(&x->arena, uint8_t, x->nslots);
    x->slot_arg = arena_array(&x->arena, uint32_t, x->nslots);
    x->entry = arena_array(&x->arena, term, x->nslots);
    if (m == x->root_machine)
        entry_registers(x);
    else
        callee_registers(x);

    machine_kept_slots(m, x->slot_keep);
    for (unsigned i = 0; i < m->nargs; i++)
        x->slot_arg[m->arg[i] / x->unit] = i + 1;
}

void start_tables(struct explorer *x)
{
    const struct ir_machine *m = x->m;
    x->width = m->pointer_width;
    x->unit = x->width / 8;
    x->sp = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_SP}, x->width);
    x->caller = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_CALLER}, x->width);
    vec_push(&x->assume, term_eq(x->t, x->caller, x->sp));
    x->mem = origin_array(x->t, (struct term_origin){.kind = ORIGIN_MEMORY}, x->width, 8);
    x->world = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_WORLD}, 64);
    start_registers(x);
    if (m->call_pushes)
        x->ret = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_RETURN_ADDRESS}, x->width);
    else if (m->lr != UINT16_MAX)
        x->ret = x->entry[m->lr / x->unit];

    x->entry_ret = x->ret;

    switch (m->arch) {
    case MACHINE_AMD64:
        x->sp_align = 16, x->sp_residue = 8;
        break;
    case MACHINE_X86:
        x->sp_align = 16, x->sp_residue = 12;
        break;
    case MACHINE_ARM:
        x->sp_align = 8;
        break;
    case MACHINE_ARM64:
        x->sp_align = 16;
        break;
    case MACHINE_NONE:
        x->sp_align = 1;
        break;
    }
    if (m->sp_align)
        x->sp_align = m->sp_align;
    if (x->sp_align > 1) {
        unsigned bits = (unsigned)__builtin_ctz(x->sp_align);
        vec_push(&x->assume,
                 term_eq(x->t, term_extract(x->t, x->sp, 0, bits), term_const(x->t, bits, x->sp_residue)));
    }
}

struct state *start_state(struct explorer *x, const struct flow_function *f)
{
    const struct ir_machine *m = x->m;
    x->ret = x->entry_ret;
    x->snapshot = NULL;
    x->first_reg = x->entry;
    x->first_mem = x->mem;
    x->prototype = (struct flow_prototype){.nargs = -1};
    x->result_width = 0;
    x->result_void = false;
    if (x->file->p && f) {
        bool read = x->opt.policy->callee_code;
        x->prototype = read ? flow_prototype(x->file->p, f) : flow_table_prototype(x->file->p, f);
        const struct exec_callees *known = x->opt.callees;
        if (!read && x->prototype.nargs < 0 && known && known->arity)
            x->prototype.nargs = known->arity(known->ctx, f->name, 0);
        const struct object_function_debug *own = object_debug_function(x->file->o, f->address), *d = own;
        if (known && known->explored)
            d = known->explored(known->ctx);
        if (!d != !own)
            x->prototype.returns_float = d && d->result && d->result->kind == TYPE_FLOAT;
        if (d) {
            x->result_void = d->result == NULL || d->result->kind == TYPE_VOID;
            if (d->result && d->result->size >= 1 && d->result->size <= 8 &&
                (d->result->kind == TYPE_INT || d->result->kind == TYPE_BOOL ||
                 d->result->kind == TYPE_ENUM || d->result->kind == TYPE_FLOAT ||
                 d->result->kind == TYPE_POINTER))
                x->result_width = (unsigned)d->result->size * 8;
        }
    }
    struct state *st = state_new(x);
    st->world = x->world;
    st->length = x->opt.count_blocks ? term_const(x->t, 32, 0) : TERM_NONE;
    st->clobber = term_const(x->t, 64, 0);
    memcpy(st->reg, x->entry, x->nslots * sizeof(term));
    space_start(x, st);
    static const struct saved_set none = {0};
    st->saved = &none;
    /* what the code alone tells of its parameters says nothing of those that are only passed on */
    bool handed_on = x->opt.policy->arguments == EXEC_ARGUMENTS_POSSIBLE && x->prototype.source != PROTO_DWARF;
    for (unsigned i = 0; i < m->nargs; i++)
        if (x->prototype.nargs < 0 || (int)i < x->prototype.nargs || handed_on)
            st->argset |= 1u << i;

    /* The return address and the arguments on the stack belong to the function called, whatever the caller
     * has pointers to. */
    unsigned word = x->unit, nstack = x->prototype.nargs > (int)m->nargs ? (unsigned)x->prototype.nargs - m->nargs : 0;
    if (nstack > 64)
        nstack = 64;
    term frame = x->mem;
    if (m->call_pushes)
        frame = term_write(x->t, frame, x->sp, x->ret);
    for (unsigned i = 0; i < nstack; i++) {
        struct term_origin from = {.kind = ORIGIN_ARGUMENT, .index = m->nargs + i};
        frame = term_write(x->t, frame, term_add_const(x->t, x->sp, m->stack_arg + i * word),
                           origin_symbol(x->t, from, x->width));
    }
    x->frame_top = nstack ? (int64_t)m->stack_arg + nstack * word : (int64_t)m->call_pushes;
    st->mem = x->opt.axioms & AXIOM_FRAME ? x->mem : frame;
    st->frame = x->frame = frame;
    return st;
}

/* Memory is that of a process, and the stack is a part of it like any other. */
static void from_snapshot(struct explorer *x, struct state *st, const struct exec_snapshot *s)
{
    x->snapshot = s;
    st->mem = st->frame = x->frame = x->mem;
    st->flat = true;
    x->frame_top = 0;
}

static void give_argument(struct explorer *x, struct state *st, unsigned i, term value)
{
    const struct ir_machine *m = x->m;
    assert(!m->locals && term_width(x->t, value) <= x->width);
    value = term_zext(x->t, value, x->width);
    if (i < m->nargs) {
        state_put(x, st, m->arg[i], value);
        return;
    }
    /* The word belongs to the function called, as those it is known to take do. */
    unsigned offset = m->stack_arg + (i - m->nargs) * x->unit;
    term at = term_add_const(x->t, state_get(x, st, m->sp, x->width), offset);
    if (st->flat || !(x->opt.axioms & AXIOM_FRAME)) {
        st->mem = term_write(x->t, st->mem, at, value);
        return;
    }
    st->frame = x->frame = term_write(x->t, st->frame, at, value);
    if (x->frame_top < (int64_t)(offset + x->unit))
        x->frame_top = (int64_t)(offset + x->unit);
}

void start_apply(struct explorer *x, struct state *st, const struct exec_start *s)
{
    const struct ir_machine *m = x->m;
    if (s->snapshot)
        from_snapshot(x, st, s->snapshot);
    for (unsigned i = 0; i < s->nsets; i++)
        if (s->set[i].offset == m->sp) /* arguments on the stack are found by it */
            state_put(x, st, m->sp, s->set[i].value);
    for (unsigned i = 0; i < s->nargs; i++)
        if (s->arg[i] != TERM_NONE)
            give_argument(x, st, i, s->arg[i]);
    for (unsigned i = 0; i < s->nsets; i++)
        state_put(x, st, s->set[i].offset, s->set[i].value);
    for (unsigned i = 0; i < s->nstores; i++)
        st->mem = term_write(x->t, st->mem, s->store[i].address, s->store[i].value);
    if (s->snapshot && m->call_pushes)
        x->ret = memory_load(x, st, 0, state_get(x, st, m->sp, x->width), x->width);
    else if (s->snapshot && m->lr != UINT16_MAX)
        x->ret = state_get(x, st, m->lr, x->width);
    for (unsigned i = 0; i < s->nassumed; i++)
        state_assume(x, st, s->assume[i]);
    if (s->snapshot || s->nargs || s->nsets || s->nstores) {
        x->first_reg = arena_dup(&x->arena, st->reg, x->nslots * sizeof(term));
        x->first_mem = st->mem;
    }
}
