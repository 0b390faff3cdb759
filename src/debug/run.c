/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of a run, forwards and backwards: statements of an instruction, calls, returns. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/log.h"

/* ---- code ---- */

/* An instruction: its IR for any flags, and for flags that certain operations set. */
struct variant {
    uint64_t cc_op;
    struct ir_block block;
    struct variant *next;
};
struct code {
    struct ir_block any;
    bool reads_flags;
    struct variant *variants;
};

uint64_t debuggee_cc_op(const struct debuggee *d)
{
    uint16_t offset, width;
    if (!machine_register_find(d->m, "<cc_op>", &offset, &width))
        return 0;
    return bits_low(debuggee_get(d, offset, width));
}

static void forget_code(struct debuggee *d)
{
    map_clear(&d->code);
    arena_reset(&d->code_arena);
    d->code_stale = false;
    d->block = NULL;
}

const struct ir_block *debuggee_lift(struct debuggee *d, ir_label label, const uint64_t *cc_op)
{
    enum { LONGEST = 16 };
    if (d->code_stale && !(d->block && d->n > d->first)) /* one that was begun is finished as it was */
        forget_code(d);
    uint64_t found, address = debuggee_address(d, label);
    struct code *c = map_get(&d->code, label, &found) ? (struct code *)(uintptr_t)found : NULL;
    if (c && !(c->reads_flags && cc_op))
        return &c->any;
    for (const struct variant *v = c ? c->variants : NULL; v; v = v->next)
        if (v->cc_op == *cc_op)
            return &v->block;
    size_t room;
    if (!object_is_exec(d->o, address) || !object_bytes(d->o, address, &room))
        return NULL;
    uint8_t bytes[LONGEST] = {0};
    if (room > LONGEST)
        room = LONGEST;
    debuggee_peek(d, address, bytes, room, NULL);
    if (!c) {
        c = arena_new(&d->code_arena, struct code);
        lift_block(program_lifter(d->p), label, bytes, room, LIFT_STEP, &d->code_arena, &c->any);
        c->reads_flags = lift_uses_flags(&c->any, d->m->arch);
        map_set(&d->code, label, (uint64_t)(uintptr_t)c);
        if (!(c->reads_flags && cc_op))
            return &c->any;
    }
    struct variant *v = arena_new(&d->code_arena, struct variant);
    v->cc_op = *cc_op;
    lift_block_after(program_lifter(d->p), *cc_op, label, bytes, room, LIFT_STEP, &d->code_arena, &v->block);
    v->next = c->variants;
    c->variants = v;
    return &v->block;
}

static void settle(struct debuggee *d, enum debuggee_state state, const char *why)
{
    d->state = state;
    snprintf(d->why, sizeof d->why, "%s", why);
}

static void run_constants(struct debuggee *d)
{
    struct concrete_result r;
    while (d->n < d->block->ninsn && d->block->insn[d->n].op == IR_CONST) {
        concrete_step(d->c, d->block, d->n, &r);
        d->n++;
    }
}

const struct ir_block *debuggee_block(struct debuggee *d)
{
    if (d->block && (!d->code_stale || d->n > d->first))
        return d->block;
    d->block = NULL;
    if (debuggee_import_at(d, d->at))
        return NULL;
    uint64_t cc_op = debuggee_cc_op(d);
    d->block = debuggee_lift(d, d->at, &cc_op);
    d->n = d->first = 0;
    if (d->block) {
        concrete_begin(d->c, d->block);
        run_constants(d);
        d->first = d->n;
    }
    return d->block;
}

/* ---- where control goes ---- */

/* What holds at the new position, before anything there is run. */
static void arrive(struct debuggee *d, ir_label to)
{
    d->at = debuggee_mask(d, to);
    d->block = NULL;
    d->n = d->first = 0;
    concrete_set(d->c, d->m->pc, d->m->pointer_width, bits_u64(d->at, d->m->pointer_width));
    const char *import = debuggee_import_at(d, d->at);
    char text[256];
    if (import) {
        if (!import_modelled(d, import) && !d->zero_calls) {
            snprintf(text, sizeof text,
                     "%s is not in the file and has no model; 'return VALUE' sets its result", import);
            settle(d, DEBUGGEE_CALL, text);
        }
    } else if (!object_is_exec(d->o, debuggee_address(d, d->at))) {
        snprintf(text, sizeof text, "0x%" PRIx64 " is not code", d->at);
        settle(d, DEBUGGEE_FAULT, text);
    }
}

static void push_frame(struct debuggee *d, uint64_t site, ir_label target, ir_label after)
{
    log_add(d, (struct undo){.kind = UNDO_PUSH});
    vec_push(&d->frame, (struct debuggee_frame){site, debuggee_mask(d, target), debuggee_mask(d, after),
                                                debuggee_word(d, d->m->sp)});
}

static void pop_frame(struct debuggee *d)
{
    struct debuggee_frame f = vec_pop(&d->frame);
    log_add(d, (struct undo){.kind = UNDO_POP, .a = f.site, .b = f.target});
    log_add(d, (struct undo){.kind = UNDO_POP_MORE, .a = f.after, .b = f.sp});
}

static bool same_code(const struct debuggee *d, ir_label a, ir_label b)
{
    return debuggee_address(d, debuggee_mask(d, a)) == debuggee_address(d, debuggee_mask(d, b));
}

static void returned(struct debuggee *d)
{
    char text[200];
    snprintf(text, sizeof text, "%s = 0x%" PRIx64,
             machine_register_name(d->m, d->m->ret, d->m->pointer_width), debuggee_word(d, d->m->ret));
    settle(d, DEBUGGEE_RETURNED, text);
}

/* A return belongs to the newest call that left this address; one that belongs to none is only a jump. */
static void come_back(struct debuggee *d, ir_label to)
{
    size_t k = d->frame.len;
    while (k > 0 && !same_code(d, d->frame.data[k - 1].after, to))
        k--;
    if (k == 0 && (d->frame.len > 1 || object_is_exec(d->o, debuggee_address(d, to)))) {
        debuggee_note(d, "returns to 0x%" PRIx64 ", which no call pushed", debuggee_mask(d, to));
        arrive(d, to);
        return;
    }
    if (k <= 1) {
        while (d->frame.len > 1)
            pop_frame(d);
        arrive(d, to);
        returned(d);
        return;
    }
    while (d->frame.len >= k)
        pop_frame(d);
    arrive(d, to);
}

/* Stubs for functions that are in the file after all are passed through at once. */
static ir_label through_stub(const struct debuggee *d, ir_label to)
{
    const struct object_stub *s = object_stub_at(d->o, debuggee_address(d, to));
    return s && s->kind != STUB_GOT && s->target && !s->ifunc ? debuggee_code_label(d, s->target) : to;
}

static ir_label return_label(struct debuggee *d)
{
    if (d->m->lr != UINT16_MAX)
        return debuggee_word(d, d->m->lr);
    uint8_t bytes[8] = {0};
    debuggee_peek(d, debuggee_word(d, d->m->sp), bytes, d->m->pointer_width / 8, NULL);
    return bits_low(bits_from_bytes(bytes, d->m->pointer_width / 8));
}

/* Leaves a function that was not run but done: by the calling convention. */
static void return_from_import(struct debuggee *d)
{
    ir_label to = return_label(d);
    if (d->m->call_pushes)
        debuggee_put(d, d->m->sp, d->m->pointer_width,
                     bits_u64(debuggee_word(d, d->m->sp) + d->m->call_pushes, d->m->pointer_width));
    d->state = DEBUGGEE_READY;
    come_back(d, to);
}

static void leave(struct debuggee *d, const struct concrete_result *r)
{
    const struct ir_end *e = &d->block->end;
    char text[256];
    switch (r->stop) {
    case CONCRETE_JUMP:
        if (d->n == d->block->ninsn && e->label == IR_NO_LABEL && d->frame.len &&
            same_code(d, vec_last(&d->frame).after, r->label))
            come_back(d, r->label);
        else
            arrive(d, through_stub(d, r->label));
        break;
    case CONCRETE_CALL: {
        ir_label to = through_stub(d, debuggee_mask(d, r->label));
        push_frame(d, r->address, to, r->after != IR_NO_LABEL ? r->after : e->label);
        arrive(d, to);
        break;
    }
    case CONCRETE_RET:
        come_back(d, r->label != IR_NO_LABEL ? r->label : return_label(d));
        break;
    case CONCRETE_SYSCALL:
        d->resume = r->after;
        snprintf(text, sizeof text, "system call %" PRIu64 "; 'return VALUE' sets its result",
                 d->m->syscall_nr != UINT16_MAX ? debuggee_word(d, d->m->syscall_nr) : 0);
        settle(d, DEBUGGEE_SYSCALL, text);
        break;
    case CONCRETE_THROW: /* machine code has no such end */
    case CONCRETE_TRAP:
        settle(d, DEBUGGEE_TRAP, "the processor raises a fault here");
        break;
    case CONCRETE_FAULT:
        snprintf(text, sizeof text, "memory at 0x%" PRIx64 " cannot be accessed", r->address);
        settle(d, DEBUGGEE_FAULT, text);
        break;
    case CONCRETE_NO_MEANING:
        snprintf(text, sizeof text, "no meaning for %s; 'skip' continues after it",
                 r->what ? r->what : "this");
        settle(d, DEBUGGEE_NO_MEANING, text);
        break;
    }
}

/* ---- one statement ---- */

static bool holds(const struct debuggee *d, ir_val guard)
{
    return guard == IR_NONE || concrete_word(d->c, guard) != 0;
}

static bool before_memory(struct debuggee *d, uint64_t address, size_t n, bool read, bool write)
{
    if (read && !debuggee_may_access(d, address, n, false))
        return false;
    if (write && !debuggee_may_access(d, address, n, true))
        return false;
    if (write)
        log_memory(d, address, n);
    return true;
}

/* Writes down what the statement will change. False: it must not run; state and why are set. */
static bool before(struct debuggee *d)
{
    const struct ir_insn *i = &d->block->insn[d->n];
    switch (i->op) {
    case IR_PUT:
        log_registers(d, i->a, (d->block->insn[i->b].width + 7u) / 8);
        return true;
    case IR_LOAD:
        return !holds(d, i->b) ||
               before_memory(d, concrete_word(d->c, i->a), i->width / 8, true, false);
    case IR_STORE:
        return !holds(d, i->c) || before_memory(d, concrete_word(d->c, i->a),
                                                d->block->insn[i->b].width / 8, false, true);
    case IR_EVENT: {
        const struct ir_event *e = &d->block->event[i->a];
        if (!holds(d, e->guard) || !e->eval)
            return true;
        if ((e->mem_read || e->mem_write) && !before_memory(d, concrete_word(d->c, e->mem_addr),
                                                            e->mem_bytes, e->mem_read, e->mem_write))
            return false;
        log_registers(d, 0, d->m->file_size); /* rare, and its declared effects need not be all */
        return true;
    }
    default:
        return true;
    }
}

static bool can_go_on(const struct debuggee *d)
{
    return d->state == DEBUGGEE_READY || d->state == DEBUGGEE_UNINITIALISED;
}

/* Whether going on is possible at all, and the bookkeeping that goes with the first statement of an
 * instruction. */
static bool begin(struct debuggee *d)
{
    if (!can_go_on(d))
        return false;
    d->allow = d->state == DEBUGGEE_UNINITIALISED;
    d->state = DEBUGGEE_READY;
    d->why[0] = 0;
    if (debuggee_block(d) && d->n > d->first)
        return true;
    for (size_t i = 0; i < d->access.len; i++)
        d->access.data[i].hit = false;
    log_add(d, (struct undo){.kind = UNDO_STEP, .a = d->at});
    d->mark = d->log.len - 1;
    d->steps++;
    log_registers(d, d->m->pc, d->m->pointer_width / 8);
    return true;
}

static bool run_import(struct debuggee *d, const char *name)
{
    switch (import_run(d, name)) {
    case IMPORT_DONE:
        return_from_import(d);
        break;
    case IMPORT_NONE: /* zero_calls */
        debuggee_note(d, "%s has no model: assumed to return 0", name);
        debuggee_put(d, d->m->ret, d->m->pointer_width, bits_u64(0, d->m->pointer_width));
        return_from_import(d);
        break;
    case IMPORT_OVER: {
        char text[256];
        snprintf(text, sizeof text, "%s never returns", name);
        settle(d, DEBUGGEE_OVER, text);
        break;
    }
    case IMPORT_FAULT:
        break;
    }
    return true;
}

/* An instruction that was begun but could not run its first statement was not begun. */
static void unbegin(struct debuggee *d)
{
    enum debuggee_state state = d->state;
    if (d->n > d->first)
        return;
    while (d->log.len > d->mark)
        log_take_back(d);
    d->state = state;
}

/* Runs one statement that is no constant. True when the instruction was left. */
static bool statement(struct debuggee *d)
{
    struct concrete_result r;
    if (d->n < d->block->ninsn && !before(d)) {
        unbegin(d);
        return true;
    }
    if (concrete_step(d->c, d->block, d->n, &r)) {
        d->n++;
        run_constants(d);
        return false;
    }
    d->log.data[d->mark].at = (uint16_t)(d->n > UINT16_MAX ? UINT16_MAX : d->n);
    leave(d, &r);
    if (d->state != DEBUGGEE_READY && d->block)
        unbegin(d);
    return true;
}

/* No code and no import: arrive() said so, but a user may have jumped or gone back here. */
static bool nowhere(struct debuggee *d)
{
    char text[64];
    snprintf(text, sizeof text, "0x%" PRIx64 " is not code", d->at);
    settle(d, DEBUGGEE_FAULT, text);
    unbegin(d);
    return false;
}

/* A stack pointer that is far away is another stack. */
static void note_depth(struct debuggee *d)
{
    enum { DEEPEST = 64 << 20 };
    uint64_t sp = debuggee_word(d, d->m->sp);
    if (sp < d->low_sp && d->entry_sp - sp < DEEPEST)
        d->low_sp = sp;
}

static bool advance(struct debuggee *d, bool whole)
{
    uint64_t steps = d->steps;
    uint32_t n = d->n;
    if (!begin(d))
        return false;
    const char *import = debuggee_import_at(d, d->at);
    if (import)
        return run_import(d, import);
    if (!d->block)
        return nowhere(d);
    while (!statement(d) && whole)
        ;
    note_depth(d);
    return d->steps != steps || d->n != n;
}

bool debuggee_statement(struct debuggee *d)
{
    return advance(d, false);
}

bool debuggee_step(struct debuggee *d)
{
    return advance(d, true);
}

/* ---- back ---- */

static void back_at(struct debuggee *d)
{
    d->block = NULL;
    d->n = d->first = 0;
    d->state = DEBUGGEE_READY;
    d->why[0] = 0;
    d->allow = false;
    for (size_t i = 0; i < d->access.len; i++)
        d->access.data[i].hit = false;
    const char *import = debuggee_import_at(d, d->at);
    if (import && !import_modelled(d, import) && !d->zero_calls)
        arrive(d, d->at);
}

/* What a user set since the last instruction goes with it. */
bool debuggee_back(struct debuggee *d)
{
    size_t k = d->log.len;
    while (k > 0 && d->log.data[k - 1].kind != UNDO_STEP)
        k--;
    if (k == 0)
        return false;
    while (d->log.len >= k)
        log_take_back(d);
    back_at(d);
    return true;
}

/* To statement n of the instruction at the position, from its beginning. */
static void forward_to(struct debuggee *d, uint32_t n)
{
    unsigned notes = d->nnotes, left_out = d->notes_left_out;
    size_t said = d->notes.len;
    if (!debuggee_block(d) || n <= d->first)
        return;
    bool stop = d->stop_uninitialised;
    d->stop_uninitialised = false; /* it has been asked about these reads before */
    if (begin(d))
        while (d->n < n && !statement(d))
            ;
    d->stop_uninitialised = stop;
    map_clear(&d->noted);
    d->nnotes = notes;
    d->notes_left_out = left_out;
    d->notes.len = said;
    if (d->notes.data)
        d->notes.data[said] = 0;
}

/* The statement before n that is no constant. */
static uint32_t before_statement(const struct ir_block *b, uint32_t n)
{
    while (n > 0 && b->insn[n - 1].op == IR_CONST)
        n--;
    return n > 0 ? n - 1 : 0;
}

bool debuggee_statement_back(struct debuggee *d)
{
    if (d->block && d->n > d->first) {
        uint32_t n = before_statement(d->block, d->n);
        debuggee_back(d);
        forward_to(d, n);
        return true;
    }
    size_t k = d->log.len;
    while (k > 0 && d->log.data[k - 1].kind != UNDO_STEP)
        k--;
    if (k == 0)
        return false;
    uint32_t n = d->log.data[k - 1].at;
    debuggee_back(d);
    forward_to(d, n);
    return true;
}

/* ---- what a user decides ---- */

/* In the middle of an instruction the log has its beginning already. */
static void new_step(struct debuggee *d)
{
    if (d->block && d->n > d->first)
        return;
    log_add(d, (struct undo){.kind = UNDO_STEP, .a = d->at});
    d->mark = d->log.len - 1;
    d->steps++;
    log_registers(d, d->m->pc, d->m->pointer_width / 8);
}

bool debuggee_return(struct debuggee *d, uint64_t value, struct error *err)
{
    if (d->state != DEBUGGEE_CALL && d->state != DEBUGGEE_SYSCALL)
        return error_set(err, ERROR_USAGE,
                         "nothing is waiting for a result; 'finish' runs to the end of a function");
    new_step(d);
    if (d->state == DEBUGGEE_CALL) {
        debuggee_put(d, d->m->ret, d->m->pointer_width, bits_u64(value, d->m->pointer_width));
        return_from_import(d);
        return true;
    }
    if (d->m->syscall_ret != UINT16_MAX)
        debuggee_put(d, d->m->syscall_ret, d->m->pointer_width, bits_u64(value, d->m->pointer_width));
    d->state = DEBUGGEE_READY;
    d->why[0] = 0;
    arrive(d, d->resume);
    return true;
}

void debuggee_jump(struct debuggee *d, ir_label to)
{
    new_step(d);
    d->state = DEBUGGEE_READY;
    d->why[0] = 0;
    arrive(d, to);
}
