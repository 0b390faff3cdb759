/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a register that a function begins by pushing is pushed only to make room.
 *
 * Compilers move the stack pointer by one word with a push of a register that is dead: x86-64's push %rax,
 * i386's push %eax, ARM's push {r3, lr}. What is pushed is then nobody's. But i386 passes arguments by pushing
 * them, too, and what was pushed may be loaded again, so the word is looked for wherever the function may use
 * it. A false alarm here only makes a register count that means nothing. */
#include <limits.h>

#include "flow/abi/internal.h"
#include "flow/private.h"
#include "flow/value.h"

struct word {
    struct program *p;
    const struct ir_machine *m;
    const struct flow_graph *g;
    struct values *values;
    int64_t at; /* from the stack pointer at entry */
    unsigned bytes;
};

/* The address is within the word, or so close before it that an access of that many bytes reaches it. */
static bool reaches(const struct word *w, uint32_t block, ir_val address, unsigned bytes)
{
    int64_t at;
    return value_is_frame(w->values, value_of(w->values, block, address), &at) &&
           at < w->at + (int64_t)w->bytes && at + (int64_t)bytes > w->at;
}

/* Where the function returns, what is popped only moves the stack pointer, or is put back. */
static bool is_popped(const struct word *w, const struct ir_block *b, uint32_t load)
{
    bool moves = false;
    uint32_t k = uses_mark(b, load), end = uses_after(b, load);
    for (uint32_t i = b->nmark ? b->mark[k].first : 0; i < end; i++)
        moves = moves || (b->insn[i].op == IR_PUT && b->insn[i].a == w->m->sp);
    return moves && b->end.kind == IR_END_RET && !insn_read_again(b, load, end);
}

static bool is_used_in(const struct word *w, uint32_t block)
{
    const struct ir_block *b = &w->g->block[block];
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_LOAD && in->d == 0 && reaches(w, block, in->a, in->width / 8) && !is_popped(w, b, i))
            return true;
        /* Its address is kept. */
        const bool keeps = in->op == IR_STORE || (in->op == IR_PUT && in->a != w->m->sp && in->a != w->m->fp);
        if (keeps && b->insn[in->b].width == w->m->pointer_width && reaches(w, block, in->b, 1))
            return true;
        if (in->op == IR_EVENT)
            return true;
    }
    return false;
}

/* The entry overwrites it, after the push. */
static bool is_overwritten(const struct word *w, uint32_t from)
{
    const struct ir_block *b = &w->g->block[0];
    int64_t at;
    for (uint32_t i = from; i < b->ninsn; i++)
        if (b->insn[i].op == IR_STORE && b->insn[i].c == IR_NONE &&
            value_is_frame(w->values, value_of(w->values, 0, b->insn[i].a), &at) && at <= w->at &&
            at + (int64_t)(b->insn[b->insn[i].b].width / 8) >= w->at + (int64_t)w->bytes)
            return true;
    return false;
}

/* How many words of the stack the callee takes at most. */
static unsigned words_taken(const struct word *w, const struct flow_call *call)
{
    const struct flow_function *f = call->target ? program_local_function(w->p, call->target) : NULL;
    struct flow_prototype proto;
    bool taken = false;
    if (f && !object_stub_at(program_object(w->p), call->target) &&
        !object_is_replaceable(program_object(w->p), f->address)) {
        const int words = flow_stack_words(w->p, f, &taken);
        return words < 0 || taken ? UINT_MAX : (unsigned)words;
    }
    if (((call->name && flow_library_prototype(w->p, call->name, &proto)) ||
         flow_declared_prototype(w->p, call->site, call->name, &proto)) &&
        proto.nargs >= 0 && !proto.variadic) {
        const unsigned n = (unsigned)proto.nargs + 2 * (unsigned)proto.nfargs;
        return n > w->m->nargs ? n - w->m->nargs : 0;
    }
    return UINT_MAX;
}

static bool is_argument_of(const struct word *w, const struct flow_call *call)
{
    const sym sp = value_register(w->values, call->block, UINT32_MAX, w->m->sp, w->m->pointer_width);
    int64_t at;
    if (!value_is_frame(w->values, sp, &at))
        return true;
    at += w->m->call_pushes;
    return w->at >= at && (uint64_t)(w->at - at) / w->bytes < words_taken(w, call);
}

static bool is_used(const struct word *w, bool passed)
{
    bool used = false;
    for (uint32_t i = 0; i < w->g->nblocks && !used; i++)
        used = is_used_in(w, i);
    for (uint32_t i = 0; i < w->g->ncalls && !used && passed; i++) {
        const struct flow_call *call = &w->g->call[i];
        used = call->kind != CALL_TAIL && call->kind != CALL_TAIL_INDIRECT && is_argument_of(w, call);
    }
    return used;
}

bool room_only(struct program *p, const struct flow_function *f, const struct flow_graph *g, uint32_t get)
{
    const struct ir_machine *m = program_machine(p);
    const struct ir_block *b = &g->block[0];
    const uint32_t from = b->nmark ? b->mark[uses_mark(b, get)].first : 0, to = uses_after(b, get);
    bool moves = false, saves = false, link = false;
    uint32_t store = IR_NONE;
    for (uint32_t i = from; i < to; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_STORE && in->b == get && in->a != get && in->c == IR_NONE)
            store = i;
        else if (insn_has_operand(b, in, get))
            return false;
        link = link || (in->op == IR_STORE && b->insn[in->b].op == IR_GET && b->insn[in->b].a == m->lr);
        moves = moves || (in->op == IR_PUT && in->a == m->sp);
    }
    for (unsigned i = 0; i < m->nsaved; i++)
        saves = saves || m->saved[i] == b->insn[get].a;
    if (store == IR_NONE || !moves || insn_read_again(b, get, to))
        return false;
    if (!m->call_pushes || saves)
        return link || saves;
    struct arena arena = ARENA_INIT;
    struct builder builder;
    builder_reopen(&builder, p, (uint32_t)(f - p->function.data), g, &arena);
    struct word w = {p, m, g, builder.values, 0, b->insn[get].width / 8};
    /* No argument that x86-64 passes on the stack is in the accumulator at entry. */
    const bool passed = !m->nargs || b->insn[get].a != m->ret;
    const bool room =
        value_is_frame(w.values, value_of(w.values, 0, b->insn[store].a), &w.at) &&
        (is_overwritten(&w, to) || !is_used(&w, passed));
    builder_free(&builder);
    arena_free(&arena);
    return room;
}
