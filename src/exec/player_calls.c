/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls in a replay: an event does to the concrete state what it did to the symbolic one; the code of a
 * callee that was followed is run. */
#include <stdlib.h>
#include <string.h>

#include "exec/player.h"

/* ---- events ---- */

const struct exec_event *player_next_event(struct player *p, enum exec_event_kind kind)
{
    while (p->event < p->path->nevents) {
        const struct exec_event *e = &p->path->event[p->event++];
        if (e->kind == kind && player_holds(p, e->guard))
            return e;
    }
    return NULL;
}

void player_put_slot(struct player *p, unsigned slot, struct bits v)
{
    uint8_t *regs = concrete_registers(p->c);
    unsigned at = slot * p->x->unit, n = p->x->unit;
    if (at + n > p->x->m->file_size)
        n = p->x->m->file_size - at;
    uint8_t bytes[8];
    bits_to_bytes(v, bytes, p->x->unit);
    memcpy(regs + at, bytes, n);
}

/* Also when one is an address as the program has it and the other as the hooks write it. */
static bool same_value(struct player *p, uint64_t site, struct bits got, struct bits want)
{
    if (bits_eq(got, want))
        return true;
    term known = mapped_constant(p->x, site, bits_low(got));
    return known != TERM_NONE && bits_eq(player_eval(p, known), want);
}

bool player_serve(struct player *p, const struct exec_event *e, uint64_t site)
{
    struct explorer *x = p->x;
    if (!e)
        return player_says(p->out, REPLAY_DIFFERS, "an unexpected call at %#llx", (unsigned long long)site);
    if (e->site != site || e->file != x->file->index)
        return player_says(p->out, REPLAY_DIFFERS, "a call at %#llx where the path has one at %#llx",
                           (unsigned long long)site, (unsigned long long)e->site);
    if (p->watch && p->watch->call)
        p->watch->call(p->watch->ctx, e->name, site, e, p->c);
    if (p->real && (e->mem_after != e->mem_before || x->m->nspaces))
        return player_says(p->out, REPLAY_UNABLE, "%s at %#llx changes memory in an unknown way",
                           e->name ? e->name : "a call", (unsigned long long)site);
    for (unsigned i = 0; !p->real && e->kind == EVENT_CALL && !e->explicit_args && i < e->nplain &&
                         i < e->nargs - e->nhidden && i < x->m->nargs;
         i++) {
        struct bits got = concrete_get(p->c, x->m->arg[i], x->width), want = player_eval(p, e->arg[i]);
        if (term_width(x->t, e->arg[i]) != x->width)
            break; /* floats and pairs: not in these registers */
        if (!same_value(p, site, got, want))
            return player_says(p->out, REPLAY_DIFFERS, "argument %u of %s at %#llx is %#llx, not %#llx", i,
                               e->name ? e->name : "a call", (unsigned long long)site,
                               (unsigned long long)bits_low(got), (unsigned long long)bits_low(want));
    }
    struct epoch before = {e->mem_before, e->frame_after, e->escaped, e->saved, e->spaces_before};
    if (!player_same_memory(p, &before, false))
        return false;
    if (e->kind == EVENT_CALL)
        for (unsigned i = 0; i < x->nslots; i++)
            if (!x->slot_keep[i] && (!e->changes || e->changes[i]))
                player_put_slot(
                    p, i, player_eval(p, origin_apply(x->t, x->slot_clobber[i], x->unit * 8, &e->token, 1)));
    if (e->x87 != TERM_NONE) {
        concrete_set(p->c, e->x87_at, 64, player_eval(p, e->x87));
        concrete_set(p->c, e->x87_tag_at, 8, bits_u64(1, 8));
    }
    if (e->result != TERM_NONE && e->result_at != UINT32_MAX)
        concrete_set(p->c, e->result_at, term_width(x->t, e->result), player_eval(p, e->result));
    player_new_epoch(p, (struct epoch){e->mem_after, e->frame_after, e->escaped, e->saved, e->spaces_after});
    return true;
}

void player_pop_return(struct player *p, unsigned more)
{
    struct explorer *x = p->x;
    if (!x->m->call_pushes && !more)
        return;
    struct bits sp = concrete_get(p->c, x->m->sp, x->width);
    concrete_set(p->c, x->m->sp, x->width, bits_u64(bits_low(sp) + x->m->call_pushes + more, x->width));
}

/* ---- code of callees ---- */

struct graph *player_graph(const struct player *p)
{
    return vec_last(&p->level).g;
}

void player_enter(struct player *p, const struct flow_graph *g, uint32_t after)
{
    struct graph *gr = graph_prepare(p->x, g);
    const struct ir_machine *m = p->level.len ? vec_last(&p->level).m : p->x->m;
    vec_push(&p->level,
             ((struct level){.g = gr,
                             .after = after,
                             .visits = arena_array(&p->arena, uint32_t, g->nblocks ? g->nblocks : 1),
                             .m = m,
                             .file = p->x->file}));
}

struct mapped *player_native_label(const struct explorer *x, const struct concrete_result *r, ir_label *label)
{
    uint64_t moved = player_mask(x, r->label - x->file->bias);
    *label = r->label;
    if (x->mapped.len > 1)
        return r->computed ? mapped_at(x, player_mask(x, r->label), label) : x->file;
    if (x->file->bias && moved < UINT64_C(1) << (x->width == 64 ? 40 : 28))
        *label = moved;
    return x->file;
}

/* Where a stub leads, as its slot says; else nothing changes. */
static struct mapped *through_stub(struct player *p, struct mapped *in, uint64_t *target)
{
    const struct explorer *x = p->x;
    const struct object_stub *stub = in ? mapped_stub(x, in, *target) : NULL;
    uint8_t holds[8] = {0};
    uint64_t to;
    if (!stub || !concrete_read(p->c, 0, player_mask(x, stub->slot + in->bias), holds, x->unit))
        return in;
    struct mapped *bound = mapped_bound(x, in, bits_low(bits_from_bytes(holds, x->unit)), &to);
    if (bound)
        *target = x->m->arch == MACHINE_ARM ? to & ~UINT64_C(1) : to;
    return bound ? bound : in;
}

const struct ir_block *player_block(struct player *p, const struct ir_block *b)
{
    struct explorer *x = p->x;
    uint64_t known;
    if (!mapped_has_constants(x))
        return b;
    if (map_get(&p->moved, (uint64_t)(uintptr_t)b, &known))
        return (const struct ir_block *)(uintptr_t)known;
    struct ir_block *copy = arena_dup(&p->arena, b, sizeof *b);
    copy->insn = arena_dup(&p->arena, b->insn, b->ninsn * sizeof *b->insn);
    uint64_t site = b->label;
    for (uint32_t i = 0, mark = 0; i < b->ninsn; i++) {
        struct ir_insn *in = &copy->insn[i];
        while (mark < b->nmark && b->mark[mark].first <= i)
            site = b->mark[mark++].address;
        if (in->op != IR_CONST || in->width != x->width)
            continue;
        term v = mapped_constant(x, site, ir_imm(in->a, in->b));
        if (v == TERM_NONE)
            continue;
        uint64_t value = bits_low(player_eval(p, v));
        in->a = (uint32_t)value;
        in->b = (uint32_t)(value >> 32);
    }
    map_set(&p->moved, (uint64_t)(uintptr_t)b, (uint64_t)(uintptr_t)copy);
    return copy;
}

const struct exec_event *player_peek_event(const struct player *p, enum exec_event_kind kind)
{
    for (unsigned i = p->event; i < p->path->nevents; i++)
        if (p->path->event[i].kind == kind && player_holds(p, p->path->event[i].guard))
            return &p->path->event[i];
    return NULL;
}

/* The return address that was pushed is not in the symbolic memory. */
static void forget_push(struct player *p)
{
    uint64_t sp = bits_low(concrete_get(p->c, p->x->m->sp, p->x->width));
    for (unsigned i = 0; i < p->x->m->call_pushes; i++)
        map_remove(&p->written, player_mask(p->x, sp + i));
}

const struct flow_function *player_followed(struct player *p, struct mapped **in, uint64_t target,
                                            uint64_t site)
{
    struct explorer *x = p->x;
    unsigned depth = (unsigned)p->level.len - 1;
    const struct exec_event *e = player_peek_event(p, EVENT_CALL);
    bool summarised = e && e->site == site && e->file == x->file->index && e->depth == depth;
    *in = through_stub(p, *in, &target);
    if (!*in || !(*in)->p || (!x->stats.inlined && !p->real))
        return NULL;
    if (x->opt.hooks && x->opt.hooks->resolve)
        x->opt.hooks->resolve(x->opt.hooks->ctx, term_const(x->t, x->width, target), &target);
    const struct flow_function *f = program_function_at((*in)->p, target);
    const struct object_stub *stub = object_stub_at((*in)->o, target);
    if (stub && stub->target)
        f = program_function_at((*in)->p, stub->target);
    if (!f || f->flags & (FLOW_PLT | FLOW_EXTERN))
        return NULL;
    if (summarised && !(p->real && p->watch->real(p->watch->ctx, f)))
        return NULL;
    if (summarised)
        p->event = (unsigned)(e - p->path->event) + 1;
    const struct explore_hooks *h = x->opt.hooks;
    if (p->watch && p->watch->call)
        p->watch->call(p->watch->ctx, h && h->name ? h->name(h->ctx, f->name, f->address) : f->name, site,
                       NULL, p->c);
    return f;
}

/* The same for code that is not a program's: enters it. */
static bool follow_code(struct player *p, uint64_t target, uint64_t site, const struct ir_block *b,
                        uint32_t after)
{
    struct explorer *x = p->x;
    const struct level caller = vec_last(&p->level);
    const struct exec_event *e = player_peek_event(p, EVENT_CALL);
    struct exec_body body;
    if (!x->code || !x->stats.inlined || (e && e->site == site && e->depth == p->level.len - 1) ||
        !code_body(x, target, caller.m, &b->end, &body))
        return false;
    uint32_t top;
    uint64_t frame = code_frame(x, &caller.g->g->block[0], caller.m, body.machine, &top);
    struct bits sp = concrete_get(p->c, top != UINT32_MAX ? top : caller.m->sp, x->width);
    if (top == UINT32_MAX)
        sp = bits_u64(bits_low(sp) - frame, x->width);
    const struct registers *in = code_file(x, body.machine);
    concrete_enter(p->c, body.machine);
    for (unsigned i = 0; i < in->nslots; i++)
        if (in->entry[i] != TERM_NONE)
            concrete_set(p->c, i * x->unit, x->width, player_eval(p, in->entry[i]));
    for (unsigned i = 0; i < body.ninputs; i++)
        concrete_set(p->c, body.input[i].offset, body.input[i].width,
                     concrete_value(p->c, b->arg[b->end.args + i]));
    concrete_set(p->c, body.machine->sp, x->width, sp);
    player_enter(p, body.graph, after);
    vec_last(&p->level).call = &b->end;
    vec_last(&p->level).m = body.machine;
    vec_last(&p->level).own_registers = true;
    if (p->watch && p->watch->call)
        p->watch->call(p->watch->ctx, NULL, site, NULL, p->c);
    return true;
}

/* Back from the innermost level. */
static struct level pop_level(struct player *p, bool threw)
{
    struct level l = vec_pop(&p->level);
    p->x->file = vec_last(&p->level).file;
    if (!l.own_registers)
        return l;
    const struct ir_end *end = l.call;
    bool wanted = !threw && end->result != IR_NONE && end->result_width;
    struct bits result = wanted ? concrete_get(p->c, l.m->ret, end->result_width) : bits_u64(0, 1);
    concrete_leave(p->c);
    if (wanted)
        concrete_set(p->c, end->result, end->result_width, result);
    return l;
}

bool player_step_back_in(struct player *p, const struct concrete_result *r, struct mapped *in,
                         const struct ir_block *b, uint32_t *block, bool *threw)
{
    struct explorer *x = p->x;
    uint64_t known, target = r->label;
    if (x->m->arch == MACHINE_ARM)
        target &= ~UINT64_C(1);
    const struct callee *c =
        in && map_get(&in->callees, target, &known) ? (const struct callee *)(uintptr_t)known : NULL;
    uint32_t after = r->after == IR_NO_LABEL ? UINT32_MAX : graph_block(player_graph(p), r->after);
    const struct flow_function *f = NULL;
    if (c && c->thunk) {
        concrete_set(p->c, c->thunk_reg, x->width, player_eval(p, memory_code(x, r->after)));
        forget_push(p);
        player_pop_return(p, 0);
    } else if ((f = player_followed(p, &in, target, r->address))) {
        forget_push(p);
        x->file = in;
        player_enter(p, flow_graph(in->p, f), after);
        vec_last(&p->level).call = &b->end;
        after = 0;
    } else if (follow_code(p, target, r->address, b, after)) {
        after = 0;
    } else {
        const struct exec_event *e = player_next_event(p, EVENT_CALL);
        forget_push(p);
        if (!player_serve(p, e, r->address))
            return false;
        player_pop_return(p, e->pops);
        *threw = e->threw != TERM_NONE && !bits_is_zero(player_eval(p, e->threw));
        if (*threw)
            p->thrown = player_eval(p, e->thrown);
    }
    *block = after;
    return true;
}

bool player_leave(struct player *p, uint32_t *block)
{
    while (p->level.len > 1) {
        struct level l = pop_level(p, false);
        *block = l.after;
        if (l.after != UINT32_MAX)
            return true;
    }
    return false;
}

bool player_unwind(struct player *p, const struct ir_end *call, uint32_t *block)
{
    for (;;) {
        if (call && call->unwinds) {
            concrete_set(p->c, call->caught, call->caught_width, p->thrown);
            *block = graph_block(player_graph(p), call->unwind);
            return *block != UINT32_MAX;
        }
        if (p->level.len == 1)
            return false;
        call = pop_level(p, true).call;
    }
}
