/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "exec/player.h"

bool player_says(struct replay *out, enum replay_outcome o, const char *fmt, ...)
{
    va_list ap;
    out->outcome = o;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof out->why, fmt, ap);
    va_end(ap);
    return o == REPLAY_OK;
}

struct bits player_eval(const struct player *p, term v)
{
    struct bits b;
    /* What the model has no value for is unconstrained: zero will do. */
    return term_eval(p->x->t, p->model, v, &b) ? b : bits_u64(0, 1);
}

bool player_holds(const struct player *p, term guard)
{
    return guard == TERM_NONE || !bits_is_zero(player_eval(p, guard));
}

static bool at_end(struct player *p, enum path_end end, uint64_t site)
{
    static const char *const what[] = {
        "returned", "called a function that never returns",  "made a tail call",      "trapped", "went on",
        "went on",  "jumped to an unknown place", "ran into unknown code", "went on", "went on",
        "threw"};
    struct explorer *x = p->x;
    const struct exec_path *path = p->path;
    if (p->watch && p->watch->end)
        p->watch->end(p->watch->ctx, end, p->c);
    if (p->real)
        return player_says(p->out, REPLAY_OK, "with its callees");
    if (path->end != end)
        return player_says(p->out, REPLAY_DIFFERS, "%s at %#llx, where the path %s", what[end],
                           (unsigned long long)site, path_end_name(path->end));
    struct epoch last = {path->memory, path->frame, path->escaped, path->saved, path->spaces};
    if (!player_same_memory(p, &last, true))
        return false;
    if (end == PATH_THROW && !bits_eq(p->thrown, player_eval(p, path->thrown)))
        return player_says(p->out, REPLAY_DIFFERS, "throws %#llx, not %#llx",
                           (unsigned long long)bits_low(p->thrown),
                           (unsigned long long)bits_low(player_eval(p, path->thrown)));
    if (path->result != TERM_NONE && end == PATH_RETURN) {
        unsigned w = term_width(x->t, path->result);
        struct bits want = player_eval(p, path->result), got;
        if (x->m->locals)
            got = concrete_get(p->c, x->m->ret, w);
        else if (x->prototype.returns_float && x->m->fret != UINT16_MAX)
            got = concrete_get(p->c, x->m->fret, w);
        else if (w > x->width)
            got = bits_u64(bits_low(concrete_get(p->c, x->m->ret2, x->width)) << 32 |
                               bits_low(concrete_get(p->c, x->m->ret, x->width)),
                           w);
        else
            got = concrete_get(p->c, x->m->ret, w);
        if (!bits_eq(got, want))
            return player_says(p->out, REPLAY_DIFFERS, "returns %#llx, not %#llx",
                               (unsigned long long)bits_low(got), (unsigned long long)bits_low(want));
    }
    return player_says(p->out, REPLAY_OK, "as predicted");
}

static bool run(struct player *p)
{
    const struct exec_path *path = p->path;
    bool bounded = path->end == PATH_LOOP_BOUND || path->end == PATH_DEPTH;
    uint32_t block = 0;
    for (unsigned step = 0;; step++) {
        struct level *level = &vec_last(&p->level);
        const struct ir_block *b = &level->g->g->block[block];
        unsigned depth = (unsigned)p->level.len - 1;
        if (step > 100000)
            return player_says(p->out, REPLAY_UNABLE, "still running after 100000 blocks");
        if (!path->merged && !p->x->stats.inlined && !p->real) {
            if (step >= path->nblocks && bounded)
                return player_says(p->out, REPLAY_OK, "as predicted up to the bound");
            if (step >= path->nblocks || path->block[step] != block)
                return player_says(p->out, REPLAY_DIFFERS, "step %u is in block %u, where the path has %d",
                                   step, block, step < path->nblocks ? (int)path->block[step] : -1);
        }
        bool last = bounded && b->label == path->end_address && level->visits[block] >= p->x->opt.visits;
        if (last && (path->merged || p->x->stats.inlined || p->real)) {
            if (p->watch && p->watch->end)
                p->watch->end(p->watch->ctx, path->end, p->c);
            return player_says(p->out, REPLAY_OK, "as predicted up to the bound");
        }
        level->visits[block]++;
        if (p->watch && p->watch->block)
            p->watch->block(p->watch->ctx, block, depth, p->c);
        struct concrete_result r = concrete_run_block(p->c, player_block(p, b));
        /* what the block did after it is not looked at */
        if (p->faulted || (path->end == PATH_FAULT && path->fault->kind == FAULT_DIVISION && !path->merged &&
                           step + 1 == path->nblocks && depth == 0))
            return player_says(p->out, REPLAY_OK, "as predicted");
        uint64_t absolute = player_mask(p->x, r.label);
        struct mapped *in = NULL;
        if (r.stop == CONCRETE_JUMP || r.stop == CONCRETE_CALL)
            in = player_native_label(p->x, &r, &r.label);
        const struct flow_function *f;
        uint32_t to;
        bool threw;
        switch (r.stop) {
        case CONCRETE_JUMP:
            to = in == p->x->file ? graph_block(player_graph(p), r.label) : UINT32_MAX;
            if (to == UINT32_MAX && in == p->x->file && p->x->m->arch == MACHINE_ARM)
                to = graph_block(player_graph(p), r.label ^ 1);
            if (to != UINT32_MAX) {
                block = to;
                break;
            }
            if (path->end == PATH_UNRESOLVED)
                return at_end(p, PATH_UNRESOLVED, r.address);
            if (r.computed && absolute == bits_low(player_eval(p, p->x->ret))) {
                if (player_leave(p, &block))
                    break;
                return at_end(p, PATH_RETURN, r.address);
            }
            if ((f = player_followed(p, &in, p->x->m->arch == MACHINE_ARM ? r.label & ~UINT64_C(1) : r.label,
                                     r.address))) {
                p->x->file = in;
                player_enter(p, flow_graph(in->p, f), UINT32_MAX);
                block = 0;
                break;
            }
            if (!player_serve(p, player_next_event(p, EVENT_CALL), r.address))
                return false;
            if (p->level.len > 1 && path->end != PATH_NORETURN) {
                player_pop_return(p, 0);
                if (player_leave(p, &block))
                    break;
                return at_end(p, PATH_RETURN, r.address);
            }
            return at_end(p, path->end == PATH_NORETURN ? PATH_NORETURN : PATH_TAIL_CALL, r.address);
        case CONCRETE_CALL:
            threw = false;
            if (!player_step_back_in(p, &r, in, b, &block, &threw))
                return false;
            if (threw && !player_unwind(p, &b->end, &block))
                return at_end(p, PATH_THROW, r.address);
            if (threw)
                break;
            if (path->end == PATH_NORETURN && p->event == path->nevents && !path->merged &&
                step + 1 == path->nblocks && p->level.len == 1)
                return at_end(p, PATH_NORETURN, r.address);
            if (path->end == PATH_NORETURN && player_peek_event(p, EVENT_CALL) == NULL &&
                r.address == path->end_address)
                return at_end(p, PATH_NORETURN, r.address);
            if (block == UINT32_MAX)
                return at_end(p, PATH_NORETURN, r.address);
            break;
        case CONCRETE_SYSCALL:
            if (!player_serve(p, player_next_event(p, EVENT_SYSCALL), r.address))
                return false;
            block = r.after == IR_NO_LABEL ? UINT32_MAX : graph_block(player_graph(p), r.after);
            if (block == UINT32_MAX)
                return at_end(p, PATH_NORETURN, r.address);
            break;
        case CONCRETE_RET:
            if (player_leave(p, &block))
                break;
            return at_end(p, PATH_RETURN, r.address);
        case CONCRETE_THROW:
            p->thrown = r.thrown;
            if (!player_unwind(p, NULL, &block))
                return at_end(p, PATH_THROW, r.address);
            break;
        case CONCRETE_TRAP:
            return at_end(p, PATH_TRAP, r.address);
        case CONCRETE_FAULT:
            return player_says(p->out, REPLAY_UNABLE, "memory at %#llx cannot be accessed",
                               (unsigned long long)r.address);
        case CONCRETE_NO_MEANING:
            return player_says(p->out, REPLAY_UNABLE, "no concrete meaning for %s",
                               r.what ? r.what : "an instruction");
        }
    }
}

bool replay_model(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                  struct term_model *model, struct replay *out)
{
    return replay_watched(x, g, path, model, NULL, out);
}

bool replay_watched(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                    struct term_model *model, const struct replay_watch *by, struct replay *out)
{
    for (unsigned i = 0; i < path->nevents; i++)
        if ((path->event[i].kind == EVENT_INTRINSIC && !path->event[i].reads) ||
            path->event[i].kind == EVENT_UNKNOWN)
            return player_says(out, REPLAY_UNABLE, "no concrete meaning for %s",
                               path->event[i].name ? path->event[i].name : "an instruction");
    if (path->merged && path->end == PATH_DEPTH)
        return player_says(out, REPLAY_UNABLE, "merged paths do not meet a bound at one place");
    struct player p = {.x = x, .path = path, .model = model, .out = out, .watch = by, .real = by && by->real};
    player_enter(&p, g, UINT32_MAX);
    static const struct saved_set none = {0};
    p.epoch = (struct epoch){x->first_mem, x->frame, false, &none, NULL};
    p.sp = bits_low(player_eval(&p, x->sp));
    p.at = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_STAND_IN, .name = "replay"}, x->width);
    /* The address is a number, no longer something made from a symbol that an axiom mentions. */
    const struct term_distinct axioms = terms_set_distinct(x->t, (struct term_distinct){0});
    p.c = concrete_new(x->m, x->pures, player_fill, &p);
    concrete_watch(p.c, player_see_access, &p);
    if (x->opt.hooks && x->opt.hooks->settle)
        concrete_settle(p.c, x->opt.hooks->settle, x->opt.hooks->ctx);
    for (unsigned i = 0; i < x->nslots; i++)
        player_put_slot(&p, i, player_eval(&p, x->first_reg[i]));
    bool ok = run(&p);
    x->file = x->mapped.data[0];
    terms_set_distinct(x->t, axioms);
    concrete_free(p.c);
    map_free(&p.written);
    vec_free(&p.cells);
    map_free(&p.moved);
    vec_free(&p.level);
    arena_free(&p.arena);
    return ok;
}
