/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops beyond the bound: the target and the adapted inner function are run side by side, from loop head to
 * loop head.
 *
 * What holds whenever both are at their heads is guessed from the first time:
 *
 *   - a register that no round changes has in it what it had then;
 *   - of the others, two that had the same then, or the same lower half, have the same;
 *   - memory outside the frames is the same.
 *
 * It is proved by one round from a state of which nothing else is known: what does not hold afterwards is
 * dropped until nothing has to be. Then both go on together or leave together, for any number of rounds, and
 * where they leave they have to agree. One head each, and nothing that can be seen from outside but memory.
 */
#include "adapt/internal.h"
#include "exec/segment.h"
#include "solve/solve.h"

enum { ROUNDS_MAX = 200, NO_LINK = UINT32_MAX };

struct side {
    struct summary s;
    const struct flow_function *f;
    const uint8_t *head;
    const struct exec_point *first; /* at its head for the first time */
    struct exec_point *start;       /* of any round */
};

/* A run of one side to its head or its end. */
struct segment {
    struct behaviour is; /* `open` is left out: */
    term goes;           /* it comes to its head */
    const struct exec_point *to;
};

/* A register of one of the two that rounds change, or none that they do. */
struct cell {
    bool fixed;
    uint32_t link; /* a cell before it that has the same, or NO_LINK */
    bool half;     /* ... in the lower half */
};

struct loops {
    struct adapt *a;
    const struct adapter *d;
    struct side side[2];
    VEC(struct cell) cell; /* of the target, then of the inner function */
    bool memory_fixed;     /* no round changes it */
};

static struct term_place {
    struct side *side;
    unsigned reg;
} place_of(struct loops *l, size_t k)
{
    unsigned n = l->side[0].first->nregs;
    return k < n ? (struct term_place){&l->side[0], (unsigned)k}
                 : (struct term_place){&l->side[1], (unsigned)k - n};
}

static term first_of(struct loops *l, size_t k)
{
    struct term_place p = place_of(l, k);
    return p.side->first->reg[p.reg];
}

/* ---- what nobody may rest on ---- */

/* A register as the caller left it, or an address of a frame: those of the two are not the same. */
static bool is_own(void *ctx, term x)
{
    const struct loops *l = ctx;
    struct terms *t = l->a->t;
    unsigned i;
    if (summary_argument(&l->a->target, x, &i))
        return i >= l->a->target.nargs;
    return origin_is(t, x, ORIGIN_REGISTER) || origin_is(t, x, ORIGIN_RETURN_ADDRESS) ||
           origin_is(t, x, ORIGIN_SP) || origin_is(t, x, ORIGIN_CALLER);
}

static bool is_clean(struct loops *l, term x)
{
    return !term_any(l->a->t, x, is_own, l);
}

/* ---- one run ---- */

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct summary *s = ctx;
    vec_push(&s->path, path);
    return true;
}

static bool add_end(struct side *side, const struct exec_path *p, struct segment *out)
{
    struct summary *s = &side->s;
    struct terms *t = s->a->t;
    struct behaviour *b = &out->is;
    bool first = term_is_false(t, b->returns);
    if (p->nevents || p->escaped)
        return false;
    switch (p->end) {
    case PATH_CUT:
        if (out->to || p->point->escaped)
            return false;
        out->to = p->point;
        out->goes = p->condition;
        return true;
    case PATH_TRAP:
        b->traps = term_or(t, b->traps, p->condition);
        return true;
    case PATH_RETURN:
        for (unsigned k = 0; k < 2; k++) {
            unsigned at = summary_result_register(s, k);
            if (at == UINT16_MAX)
                continue;
            term v = exec_path_register(s->x, p, at, s->a->width);
            b->result[k] = first ? v : term_ite(t, p->condition, v, b->result[k]);
        }
        b->memory = first ? p->memory : term_ite(t, p->condition, p->memory, b->memory);
        b->world = first ? p->world : term_ite(t, p->condition, p->world, b->world);
        b->returns = term_or(t, b->returns, p->condition);
        return true;
    default:
        return false;
    }
}

/* From a state, or the entry with these arguments. False: it does more than is compared. */
static bool run_side(struct loops *l, unsigned k, const struct exec_point *from, const term *arg,
                     struct segment *out)
{
    struct side *side = &l->side[k];
    struct summary *s = &side->s;
    struct terms *t = l->a->t;
    struct error ignored;
    const term no = term_false(t), zero = term_const(t, l->a->width, 0);
    struct exec_start start = {.f = side->f, .point = from, .stop = side->head};
    if (!from && arg) {
        start.arg = arg;
        start.nargs = ADAPT_ARGUMENTS;
    }
    vec_clear(&s->path);
    vec_clear(&s->seen);
    s->lost = false;
    *out = (struct segment){.is = {.returns = no,
                                   .traps = no,
                                   .open = no,
                                   .doubt = no,
                                   .asks = no,
                                   .result = {zero, zero},
                                   .memory = explorer_symbols(s->x).mem,
                                   .world = zero},
                            .goes = no};
    bool ok = explore_start(s->x, &start, on_path, s, &ignored) && !s->lost && !s->rounds && !s->astray;
    for (size_t i = 0; ok && i < s->path.len; i++)
        ok = add_end(side, s->path.data[i], out);
    struct explore_stats st = explorer_stats(s->x);
    if (!ok || st.dropped || st.undecoded || st.throws_ignored)
        return false;
    struct access *list = arena_array(l->a->arena, struct access, s->seen.len + 1);
    for (size_t i = 0; i < s->seen.len; i++)
        list[i] = s->seen.data[i];
    out->is.access = list;
    out->is.naccesses = out->is.nreached = s->seen.len;
    return true;
}

/* ---- what holds at the heads ---- */

/* The next cell that may have the same: one that had it the first time. */
static void link_next(struct loops *l, size_t k)
{
    struct cell *c = &l->cell.data[k];
    struct terms *t = l->a->t;
    const term mine = first_of(l, k);
    uint32_t from = c->link == NO_LINK ? 0 : c->link + 1;
    bool clean = is_clean(l, mine);
    for (unsigned half = c->half; clean && half < l->a->width / 32; half++, from = 0)
        for (uint32_t i = from; i < k; i++) {
            term other = first_of(l, i);
            if (l->cell.data[i].fixed ||
                (half ? term_extract(t, mine, 0, 32) != term_extract(t, other, 0, 32) : mine != other))
                continue;
            c->link = i;
            c->half = half;
            return;
        }
    c->link = NO_LINK;
    c->half = true; /* it is not asked for again */
}

/* A state of which no more is known. */
static void make_start(struct loops *l)
{
    struct terms *t = l->a->t;
    term memory = l->memory_fixed ? l->side[0].first->mem : term_fresh_array(t, "round", l->a->width, 8);
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &l->side[i];
        s->start = exec_point_copy(s->s.x, s->first);
        s->start->mem = memory;
        s->start->nliterals = 0;
    }
    for (size_t k = 0; k < l->cell.len; k++) {
        const struct cell *c = &l->cell.data[k];
        struct term_place p = place_of(l, k);
        term *reg = &p.side->start->reg[p.reg];
        if (c->fixed)
            continue;
        if (c->link == NO_LINK) {
            *reg = term_fresh(t, "round", l->a->width);
            continue;
        }
        struct term_place q = place_of(l, c->link);
        term same = q.side->start->reg[q.reg];
        *reg = c->half
                   ? term_concat(t, term_fresh(t, "round", l->a->width - 32), term_extract(t, same, 0, 32))
                   : same;
    }
}

static bool surely(struct loops *l, term when, term x, term y)
{
    struct terms *t = l->a->t;
    if (x == y)
        return true;
    term differ = term_and(t, when, term_not(t, term_eq(t, x, y)));
    return term_is_false(t, differ) || solve_try(l->a->s, &differ, 1, NULL) == SOLVE_UNSAT;
}

/* What a round left is no more what was guessed: that is dropped. False: memory is not the same. */
static bool drop_what_fails(struct loops *l, const struct segment *x, const struct segment *y, bool *changed)
{
    struct terms *t = l->a->t;
    const term when = term_and(t, x->goes, y->goes);
    const struct segment *const by[] = {x, y};
    *changed = false;
    for (size_t k = 0; k < l->cell.len; k++) {
        struct cell *c = &l->cell.data[k];
        struct term_place p = place_of(l, k);
        term now = by[p.side == &l->side[1]]->to->reg[p.reg];
        if (c->fixed) {
            c->fixed = now == p.side->first->reg[p.reg];
            *changed = *changed || !c->fixed;
            continue;
        }
        if (c->link == NO_LINK)
            continue;
        struct term_place q = place_of(l, c->link);
        term other = by[q.side == &l->side[1]]->to->reg[q.reg];
        if (!(c->half ? surely(l, when, term_extract(t, now, 0, 32), term_extract(t, other, 0, 32))
                      : surely(l, when, now, other))) {
            link_next(l, k);
            *changed = true;
        }
    }
    if (l->memory_fixed && (x->to->mem != l->side[0].first->mem || y->to->mem != l->side[0].first->mem)) {
        l->memory_fixed = false;
        *changed = true;
    } else if (!l->memory_fixed && x->to->mem != y->to->mem) {
        term at = term_fresh(t, "place", l->a->width);
        return surely(l, when, term_read(t, x->to->mem, at, 8), term_read(t, y->to->mem, at, 8));
    }
    return true;
}

/* A cell whose register was fixed up to now may be linked. */
static void link_all(struct loops *l, const bool *before)
{
    for (size_t k = 0; k < l->cell.len; k++) {
        if (!before[k] || l->cell.data[k].fixed)
            continue;
        l->cell.data[k].link = NO_LINK;
        l->cell.data[k].half = false;
        link_next(l, k);
        for (size_t i = k + 1; i < l->cell.len; i++) /* more have somebody to be like */
            if (!l->cell.data[i].fixed && l->cell.data[i].link == NO_LINK) {
                l->cell.data[i].half = false;
                link_next(l, i);
            }
    }
}

/* What is apart from registers and memory is as it was. */
static bool is_as_before(const struct side *s, const struct exec_point *p)
{
    return p->block == s->first->block && p->frame == s->first->frame && p->world == s->first->world &&
           p->spaces == s->first->spaces && !p->escaped && p->nregs == s->first->nregs;
}

/* ---- what has to be so ---- */

/* Both do the same in this run: they return, trap or go on together, and agree. */
static bool agree(struct loops *l, const struct segment *x, const struct segment *y)
{
    struct adapt *a = l->a;
    struct behaviour other = y->is, saved = a->inner.is;
    other.open = term_bin(a->t, OP_XOR, x->goes, y->goes);
    a->inner.is = y->is; /* accesses are looked up there */
    bool right = behaviours_agree(a, &x->is, &other, l->d, l->side[0].s.x, l->side[1].s.x, is_own, l);
    a->inner.is = saved;
    return right;
}

static bool set_up(struct loops *l, struct segment *x, struct segment *y)
{
    struct adapt *a = l->a;
    term arg[ADAPT_ARGUMENTS];
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &l->side[i];
        const struct summary *like = i ? &a->inner : &a->target;
        summary_begin_segments(&s->s, like);
        s->f = like->code.f;
        s->head = explorer_loop_heads(s->s.x, s->f);
    }
    for (unsigned i = 0; i < ADAPT_ARGUMENTS; i++)
        arg[i] = i < l->d->nargs ? value_term(a, &l->d->arg[i], a->target.arg)
                                 : term_fresh(a->t, "unused", a->width);
    if (!run_side(l, 0, NULL, NULL, x) || !run_side(l, 1, NULL, arg, y) || !x->to || !y->to ||
        !agree(l, x, y) || x->to->mem != y->to->mem)
        return false;
    l->side[0].first = exec_point_copy(l->side[0].s.x, x->to);
    l->side[1].first = exec_point_copy(l->side[1].s.x, y->to);
    for (size_t k = 0; k < x->to->nregs + y->to->nregs; k++)
        vec_push(&l->cell, (struct cell){.fixed = true, .link = NO_LINK});
    l->memory_fixed = true;
    return true;
}

static bool proves(struct loops *l)
{
    struct segment x, y;
    bool changed = true;
    if (!set_up(l, &x, &y))
        return false;
    bool *before = arena_array(l->a->arena, bool, l->cell.len + 1);
    for (unsigned n = 0; changed && n < ROUNDS_MAX; n++) {
        if (deadline_over(&l->a->until))
            return false;
        make_start(l);
        if (!run_side(l, 0, l->side[0].start, NULL, &x) || !run_side(l, 1, l->side[1].start, NULL, &y) ||
            !x.to || !y.to || !is_as_before(&l->side[0], x.to) || !is_as_before(&l->side[1], y.to))
            return false;
        for (size_t k = 0; k < l->cell.len; k++)
            before[k] = l->cell.data[k].fixed;
        if (!drop_what_fails(l, &x, &y, &changed))
            return false;
        link_all(l, before);
    }
    return !changed && agree(l, &x, &y);
}

bool loops_agree(struct adapt *a, const struct adapter *d)
{
    struct loops l = {.a = a, .d = d};
    if (a->target.code.fragment || a->inner.code.fragment || a->target.shape.floats ||
        a->inner.shape.floats || a->opt->modulo_faults || d->view.nfields || deadline_over(&a->until))
        return false;
    bool ok = proves(&l);
    for (unsigned i = 0; i < 2; i++)
        summary_free(&l.side[i].s);
    vec_free(&l.cell);
    return ok;
}
