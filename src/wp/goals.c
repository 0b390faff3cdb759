/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold, and where. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wp/internal.h"

enum {
    PAGE = 4096,   /* a pointer plus less than this, when the pointer is null */
    GUARD = 0x256, /* bytes between the stack and what may be heap */
    GOALS_MAX = 200000,
};

void goal_add(struct wp *w, struct goal g)
{
    if (w->goal.len >= GOALS_MAX)
        w->open = "more than 200,000 goals";
    if (g.must == TERM_NONE || g.when == TERM_NONE || w->goal.len >= GOALS_MAX)
        return;
    if (term_is_true(w->t, g.must) || term_is_false(w->t, g.when))
        g.must = term_true(w->t);
    vec_push(&w->goal, g);
}

/* A sum with the address of something in it that the file has, or that another has and must have. */
static bool is_of_data(struct side *s, term base)
{
    struct terms *t = s->w->t;
    if (symbolic_data(&s->w->pair, base) != TERM_NONE)
        return true;
    if (term_kind(t, base) == OP_ADD)
        return is_of_data(s, term_kid(t, base, 0)) || is_of_data(s, term_kid(t, base, 1));
    return origin_is(t, base, ORIGIN_ADDRESS) && !pair_weak(s->code, term_origin(t, base).name);
}

/* The address is not that of a null pointer plus an offset. */
static term not_null(struct side *s, term address, uint64_t site)
{
    struct wp *w = s->w;
    term base;
    uint64_t offset;
    unsigned width = term_width(w->t, address);
    term_split(w->t, address, &base, &offset);
    if (base == TERM_NONE) /* a small program that may lie anywhere has sections in the first page */
        return offset < PAGE && !symbolic_is_mapped(s->code, offset) ? term_false(w->t) : term_true(w->t);
    if (is_of_data(s, base))
        return term_true(w->t);
    int64_t off = width == 64 ? (int64_t)offset : (int64_t)(int32_t)(uint32_t)offset;
    /* a table between the instructions of a function that lies in the first page */
    const struct flow_function *f = program_function_covering(s->code->p, site);
    bool table = f && offset >= f->address && offset - f->address < f->size;
    term pointer = off > -PAGE && off < PAGE && !table ? base : address;
    return term_not(w->t, term_eq(w->t, pointer, term_const(w->t, width, 0)));
}

/* On the stack, or below it, where the heap and the data of the file are. */
static term valid(struct side *s, term address)
{
    struct wp *w = s->w;
    unsigned width = term_width(w->t, address);
    uint64_t number;
    term base;
    term_split(w->t, address, &base, &number);
    if (base == TERM_NONE) {
        size_t some;
        return object_bytes(s->code->o, number, &some) ? term_true(w->t) : term_false(w->t);
    }
    if (is_of_data(s, base))
        return term_true(w->t);
    term low = term_const(w->t, width, wp_stack_low(w)), high = term_const(w->t, width, w->opt->stack_base);
    term heap = term_bin(w->t, OP_ULT, address, term_const(w->t, width, wp_stack_low(w) - GUARD));
    term page = term_bin(w->t, OP_ULE, term_const(w->t, width, PAGE), address);
    term stack = term_and(w->t, term_bin(w->t, OP_ULE, low, address), term_bin(w->t, OP_ULT, address, high));
    return term_or(w->t, term_and(w->t, page, heap), stack);
}

void goal_access(struct side *s, const struct exec_moment *at, term address, unsigned bytes, bool write,
                 term guard, uint64_t site)
{
    struct wp *w = s->w;
    if (side_is_local(s, address))
        return;
    term when = moment_condition(at);
    if (guard != TERM_NONE)
        when = term_and(w->t, when, guard);
    uint64_t known, key = hash_u64(site ^ hash_u64((uint64_t)address << 32 | when));
    if (map_get(&s->access, key, &known))
        return;
    map_set(&s->access, key, 1);
    const char *what = write ? "write" : "read";
    if (w->opt->null_derefs)
        goal_add(
            w, (struct goal){.kind = GOAL_NULL,
                             .side = (uint8_t)s->code->new,
                             .site = site,
                             .when = when,
                             .must = not_null(s, address, site),
                             .left = address,
                             .tag = arena_printf(w->arena, "null dereference: %s of %u byte%s at 0x%" PRIx64,
                                                 what, bytes, bytes == 1 ? "" : "s",
                                                 object_display_address(s->code->o, site))});
    if (w->opt->invalid_derefs && w->nsides == 2)
        goal_add(w, (struct goal){.kind = GOAL_INVALID,
                                  .side = (uint8_t)s->code->new,
                                  .site = site,
                                  .when = when,
                                  .must = valid(s, address),
                                  .left = address,
                                  .tag = arena_printf(w->arena,
                                                      "invalid dereference: %s of %u byte%s at 0x%" PRIx64,
                                                      what, bytes, bytes == 1 ? "" : "s",
                                                      object_display_address(s->code->o, site))});
}

void goal_argument(struct side *s, term pointer, term when, const char *callee, unsigned n, uint64_t site)
{
    struct wp *w = s->w;
    if (side_is_local(s, pointer))
        return;
    struct goal g = {
        .kind = GOAL_ARGUMENT, .side = (uint8_t)s->code->new, .site = site, .when = when, .left = pointer};
    uint64_t shown = object_display_address(s->code->o, site);
    if (w->opt->null_derefs) {
        g.must = not_null(s, pointer, site);
        g.tag = arena_printf(w->arena, "null dereference: by %s, through argument %u, at 0x%" PRIx64, callee,
                             n + 1, shown);
        goal_add(w, g);
    }
    if (w->opt->invalid_derefs && w->nsides == 2) {
        g.must = valid(s, pointer);
        g.tag = arena_printf(w->arena, "invalid dereference: by %s, through argument %u, at 0x%" PRIx64,
                             callee, n + 1, shown);
        goal_add(w, g);
    }
}

/* The original's run is known to its end: nothing is cut off that it may still do. */
static term original_known(struct wp *w)
{
    const struct side *s = &w->side[0];
    term cut = term_false(w->t);
    for (size_t i = 0; i < s->path.len; i++) {
        uint8_t end = s->path.data[i]->end;
        if (end == PATH_LOOP_BOUND || end == PATH_DEPTH || end == PATH_UNRESOLVED || end == PATH_UNKNOWN_CODE)
            cut = term_or(w->t, cut, s->path.data[i]->condition);
    }
    return term_not(w->t, cut);
}

/* Of two versions, only what the modified one adds is asked about: a run in which the original does it as
 * well is not looked at. */
void goals_relate(struct wp *w)
{
    if (w->nsides < 2)
        return;
    size_t kept = 0;
    term known = original_known(w);
    for (size_t i = 0; i < w->goal.len; i++) {
        struct goal g = w->goal.data[i];
        bool shared =
            g.kind == GOAL_NULL || g.kind == GOAL_INVALID || g.kind == GOAL_ARGUMENT || g.kind == GOAL_ASSERT;
        if (shared && g.side == 0)
            vec_push(&w->assume, term_implies(w->t, g.when, g.must));
        else {
            if (shared)
                g.when = term_and(w->t, g.when, known);
            w->goal.data[kept++] = g;
        }
    }
    w->goal.len = kept;
}

bool goals_registers(struct wp *w)
{
    if (!w->opt->post_regs)
        return true;
    if (w->nsides < 2)
        return wp_fail(w, "--compare-post-reg-values compares two programs, but only one is given");
    struct side *a = &w->side[0], *b = &w->side[1];
    term when = term_and(w->t, side_returns(a), side_returns(b));
    for (const char *at = w->opt->post_regs; *at;) {
        char name[32];
        size_t n = strcspn(at, ",");
        while (n && *at == ' ')
            at++, n--;
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n + (at[n] == ',');
        uint16_t offset, width;
        if (!n)
            continue;
        if (!machine_register_find(a->code->m, name, &offset, &width))
            return wp_fail(w, "--compare-post-reg-values: %s has no register '%s'", a->code->m->name, name);
        if (width % 8)
            width = (uint16_t)((width + 7) / 8 * 8);
        term l = side_final(a, offset, width), r = side_final(b, offset, width);
        goal_add(w, (struct goal){.kind = GOAL_REGISTER,
                                  .side = 1,
                                  .when = when,
                                  .must = term_eq(w->t, l, r),
                                  .left = l,
                                  .right = r,
                                  .tag = arena_printf(w->arena, "%s_orig = %s_mod", name, name)});
    }
    return true;
}

/* ---- calls ---- */

struct called {
    const char *name; /* NULL: computed */
    term target;
    term when;
    uint64_t site;
};

typedef VEC(struct called) called_vec;

static void calls_of(struct side *s, called_vec *out)
{
    struct terms *t = s->w->t;
    for (size_t i = 0; i < s->path.len; i++) {
        const struct exec_path *p = s->path.data[i];
        for (unsigned k = 0; k < p->nevents; k++) {
            const struct exec_event *e = &p->event[k];
            if (e->kind != EVENT_CALL)
                continue;
            term when = p->condition;
            if (e->guard != TERM_NONE)
                when = term_and(t, when, e->guard);
            vec_push(out, (struct called){e->name, e->target, when, e->site});
        }
    }
}

void goals_calls(struct wp *w)
{
    if (!w->opt->func_calls || w->nsides < 2)
        return;
    called_vec old = VEC_INIT, new = VEC_INIT;
    term known = original_known(w);
    calls_of(&w->side[0], &old);
    calls_of(&w->side[1], &new);
    for (size_t i = 0; i < new.len; i++) {
        const struct called *c = &new.data[i];
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !(c->name ? new.data[k].name &&strcmp(new.data[k].name, c->name) == 0
                              : !new.data[k].name &&new.data[k].target == c->target);
        if (!first)
            continue;
        term when = term_false(w->t), also = term_false(w->t);
        for (size_t k = i; k < new.len; k++)
            if (c->name ? new.data[k].name &&strcmp(new.data[k].name, c->name) == 0
                        : !new.data[k].name &&new.data[k].target == c->target)
                when = term_or(w->t, when, new.data[k].when);
        for (size_t k = 0; k < old.len; k++) {
            const struct called *o = &old.data[k];
            if (c->name && o->name && strcmp(o->name, c->name) == 0)
                also = term_or(w->t, also, o->when);
            else if (!c->name && !o->name)
                also = term_or(w->t, also, term_and(w->t, o->when, term_eq(w->t, o->target, c->target)));
        }
        goal_add(w, (struct goal){
                        .kind = GOAL_CALL,
                        .side = 1,
                        .site = c->site,
                        .when = term_and(w->t, when, known),
                        .must = also,
                        .tag = c->name ? arena_printf(w->arena, "%s is called only if the original calls it",
                                                      c->name)
                                       : arena_printf(w->arena,
                                                      "the computed call at 0x%" PRIx64
                                                      " is one that the original makes",
                                                      object_display_address(w->side[1].code->o, c->site))});
    }
    vec_free(&old);
    vec_free(&new);
}
