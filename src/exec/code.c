/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

static const struct code_source code_source_named;

/* ---- globals ---- */

/* The symbol of a global's address, with what is known of it assumed. */
static term global_address(struct explorer *x, const char *name)
{
    term v = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_ADDRESS, .name = name}, x->width);
    for (size_t i = 0; i < x->globals.len; i++)
        if (x->globals.data[i] == v)
            return v;
    struct exec_object s;
    vec_push(&x->globals, v);
    if (!x->code->object || !x->code->object(x->code->ctx, name, &s) || s.weak)
        return v;
    vec_push(&x->assume, term_not(x->t, term_eq(x->t, v, term_const(x->t, x->width, 0))));
    unsigned low = 0;
    while (low < 12 && s.align >> (low + 1) << (low + 1) == s.align && s.align >> (low + 1))
        low++;
    if (low)
        vec_push(&x->assume, term_eq(x->t, term_extract(x->t, v, 0, low), term_const(x->t, low, 0)));
    return v;
}

static void see_globals(struct explorer *x)
{
    for (unsigned i = 0; i < x->m->nreg; i++)
        if (x->m->reg[i].object)
            global_address(x, x->m->reg[i].object);
}

struct explorer *explorer_new_code(const struct exec_code *code, const struct ir_machine *m, struct terms *t,
                                   struct solver *s, const struct explore_options *opt)
{
    struct explorer *x = explorer_new_bare(m, code->pures, t, s, opt);
    x->code = arena_dup(&x->arena, code, sizeof *code);
    x->source = &code_source_named;
    x->library = flow_library_open(NULL, NULL);
    see_globals(x);
    return x;
}

bool code_is_global(struct explorer *x, term base)
{
    return x->code && origin_is(x->t, base, ORIGIN_ADDRESS);
}

term code_constant(struct explorer *x, term base, uint64_t offset, unsigned width)
{
    struct exec_object s;
    struct exec_datum d;
    unsigned bytes = width / 8;
    if (!code_is_global(x, base) || !x->code->object || !x->code->data)
        return TERM_NONE;
    const char *name = term_origin(x->t, base).name;
    if (!x->code->object(x->code->ctx, name, &s) || !s.constant)
        return TERM_NONE;
    if (x->code->data(x->code->ctx, name, offset, bytes, &d)) {
        if (!d.symbol)
            return term_const_bits(x->t, width, d.value);
        return term_add_const(x->t, global_address(x, d.symbol), bits_low(d.value));
    }
    /* Several words with addresses among them. */
    if (bytes <= x->unit || bytes % x->unit)
        return TERM_NONE;
    term out = TERM_NONE;
    for (unsigned at = 0; at < bytes; at += x->unit) {
        term word = code_constant(x, base, offset + at, x->width);
        if (word == TERM_NONE)
            return TERM_NONE;
        out = out == TERM_NONE ? word : term_concat(x->t, word, out);
    }
    return out;
}

static const char *text(struct explorer *x, term p, size_t *len)
{
    term base;
    uint64_t offset;
    term_split(x->t, p, &base, &offset);
    return code_is_global(x, base) && x->code->text
               ? x->code->text(x->code->ctx, term_origin(x->t, base).name, offset, len)
               : NULL;
}

/* ---- callees ---- */

uint64_t code_address(struct explorer *x, term target)
{
    return code_is_global(x, target) && x->code->address
               ? x->code->address(x->code->ctx, term_origin(x->t, target).name)
               : 0;
}

static void callee(struct activation *a, const struct call_site *site, bool local, struct callee *c)
{
    (void)site, (void)local;
    struct explorer *x = a->x;
    struct exec_function f;
    bool known = x->code->function && x->code->function(x->code->ctx, c->address, &f);
    if (known) {
        c->name = f.name;
        c->proto = f.proto;
    }
    if (c->name && (!known || f.elsewhere) && x->library)
        c->lib = flow_library_find(x->library, c->name);
}

static term constant(struct explorer *x, term address, unsigned width)
{
    term base;
    uint64_t offset;
    term_split(x->t, address, &base, &offset);
    return base == TERM_NONE ? TERM_NONE : code_constant(x, base, offset, width);
}

static const struct code_source code_source_named = {
    .callee = callee, .constant = constant, .text = text, .lists_arguments = true};

/* ---- activations ---- */

struct registers code_registers(const struct explorer *x)
{
    return (struct registers){x->m, x->nslots, x->slot_clobber, x->slot_keep, x->slot_arg, x->entry};
}

void code_use(struct explorer *x, const struct registers *r)
{
    x->m = r->m;
    x->nslots = r->nslots;
    x->slot_clobber = r->slot_clobber;
    x->slot_keep = r->slot_keep;
    x->slot_arg = r->slot_arg;
    x->entry = r->entry;
}

/* The tables of a register file, made when a callee with that machine is entered for the first time. */
const struct registers *code_file(struct explorer *x, const struct ir_machine *m)
{
    uint64_t known;
    if (map_get(&x->files, (uint64_t)(uintptr_t)m, &known))
        return (const struct registers *)(uintptr_t)known;
    struct registers *r = arena_new(&x->arena, struct registers), caller = code_registers(x);
    const struct ir_machine *asked = x->root_machine;
    x->root_machine = NULL; /* it may call itself */
    assert(m->locals && m->pointer_width == x->width);
    x->m = m;
    start_registers(x);
    see_globals(x);
    *r = code_registers(x);
    code_use(x, &caller);
    x->root_machine = asked;
    map_set(&x->files, (uint64_t)(uintptr_t)m, (uint64_t)(uintptr_t)r);
    return r;
}

static unsigned whole_bytes(unsigned width)
{
    return (width + 7) / 8 * 8;
}

bool code_body(struct explorer *x, uint64_t address, const struct ir_machine *caller,
               const struct ir_end *call, struct exec_body *out)
{
    if (!x->code || !x->code->body || !call || !x->code->body(x->code->ctx, address, out))
        return false;
    const struct ir_machine *m = out->machine;
    return call->nargs == out->ninputs && m->sp_align <= (caller->sp_align ? caller->sp_align : 1) &&
           (call->result == IR_NONE || !call->result_width ||
            (m->ret != UINT16_MAX && whole_bytes(m->ret_width) == call->result_width));
}

uint64_t code_frame(struct explorer *x, const struct ir_block *entry, const struct ir_machine *m,
                    const struct ir_machine *callee, uint32_t *top)
{
    struct exec_body b;
    *top = UINT32_MAX;
    if (!x->code->body(x->code->ctx, entry->label, &b) || b.machine != m)
        return UINT64_MAX;
    *top = b.top;
    uint64_t align = callee->sp_align ? callee->sp_align : 1;
    return (b.frame + align - 1) / align * align;
}

bool code_enter(struct activation *a, struct state **st, const struct exec_body *body,
                const struct call_site *site, struct code_caller *kept)
{
    struct explorer *x = a->x;
    uint32_t top;
    uint64_t frame = code_frame(x, &a->g->g->block[0], x->m, body->machine, &top);
    term *value = xreallocarray(NULL, body->ninputs + 1, sizeof *value);
    bool fits = frame != UINT64_MAX && (top == UINT32_MAX || body->machine->sp_align <= 16);
    for (unsigned i = 0; i < body->ninputs && fits; i++) {
        value[i] = site->val[site->block->arg[site->end->args + i]];
        fits = term_width(x->t, value[i]) == body->input[i].width;
    }
    if (!fits) {
        free(value);
        return false;
    }
    term sp = top != UINT32_MAX ? state_get(x, *st, top, x->width)
                                : term_add_const(x->t, state_get(x, *st, x->m->sp, x->width), -frame);
    *kept =
        (struct code_caller){code_registers(x), arena_dup(&x->arena, (*st)->reg, x->nslots * sizeof(term))};
    code_use(x, code_file(x, body->machine));
    *st = state_move(x, *st);
    memcpy((*st)->reg, x->entry, x->nslots * sizeof(term));
    for (unsigned i = 0; i < body->ninputs; i++)
        state_put(x, *st, body->input[i].offset,
                  term_zext(x->t, value[i], whole_bytes(body->input[i].width)));
    state_put(x, *st, x->m->sp, sp);
    free(value);
    return true;
}

void code_return(struct explorer *x, struct state *st)
{
    unsigned first = x->m->ret == UINT16_MAX ? 0 : x->m->ret / x->unit;
    unsigned last = x->m->ret == UINT16_MAX ? 0 : (x->m->ret + (x->m->ret_width + 7) / 8 - 1) / x->unit;
    for (unsigned i = 0; i < x->nslots; i++)
        if (x->m->ret == UINT16_MAX || i < first || i > last)
            st->reg[i] = x->entry[i];
}

struct state *code_leave(struct explorer *x, struct state *st, const struct code_caller *kept,
                         const struct call_site *site, bool threw)
{
    const struct ir_end *end = site->end;
    bool wanted = !threw && end->result != IR_NONE && end->result_width;
    term result = wanted ? state_get(x, st, x->m->ret, end->result_width) : TERM_NONE;
    struct registers callee = code_registers(x);
    code_use(x, &kept->in);
    st = state_move(x, st);
    memcpy(st->reg, kept->reg, x->nslots * sizeof(term));
    if (wanted)
        state_put(x, st, end->result, result);
    code_use(x, &callee);
    return st;
}

void code_drop_caller(struct explorer *x, const struct code_caller *kept)
{
    code_use(x, &kept->in);
}
