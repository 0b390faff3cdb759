/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structures that are laid out differently: adapters that copy one into another.
 *
 * Runs of both functions show what they access (layout.c). Every way in which the entries of one structure may
 * be those of the other is tried on the interpreter, with every way to give the other arguments; what agrees
 * with the target on all runs is proved over one memory (view.c). Loops are followed to their end where what
 * decides how often they run is known: an argument that is a number is taken to be 0, 1, 2, ... and any larger
 * number, one case after the other. Where the last case has no end, the proof is one up to a bound. */
#include <string.h>

#include "adapt/internal.h"
#include "adapt/layout.h"
#include "adapt/view.h"
#include "solve/solve.h"

enum {
    TESTS = 40,       /* of a candidate */
    FEW_CASES = 64,   /* of a number before all larger ones are tried at once */
    MOST_CASES = 256, /* and at most */
    APART = 64,       /* accesses that are said to be outside the structure, if they are few */
    SOLVED = 4000,    /* terms that a question of different contents of memory may have */
    CASE_RUNS = 3,
    NO_CASE = UINT32_MAX,
};

struct searching {
    struct adapt *a;
    struct runner *r;
    struct layouts target, inner;
    struct adapter *out;
    struct error *err;
    uint64_t tried, agreed;
    bool found, bounded, premise;
    bool any;    /* input for which something was proved */
    unsigned by; /* the argument that cases were made of; NO_CASE: none */
    uint64_t up_to;
    const char *why; /* of the candidate that came furthest */
};

/* ---- a proof ---- */

enum outcome { PROVED, OPEN, WRONG, STOPPED };

/* Both functions in one case. */
struct one {
    struct adapt *a;
    const struct adapter *d;
    struct summary x, y;
    struct view w;
    term given;
    bool premise; /* it was needed */
};

static void forget(struct view *w)
{
    vec_free(&w->must);
    map_free(&w->spots);
    map_free(&w->only[0]);
    map_free(&w->only[1]);
    w->spots = w->only[0] = w->only[1] = (struct map){0};
    w->failed = false;
}

static void one_free(struct one *c)
{
    summary_free(&c->x);
    summary_free(&c->y);
    forget(&c->w);
}

static bool explore_both(struct one *c, const term *fixed, struct error *err)
{
    struct adapt *a = c->a;
    unsigned registers = a->target.m->nargs, n = a->target.nargs > c->d->nargs ? a->target.nargs : c->d->nargs;
    n = n > registers ? n : registers;
    term *x = arena_array(a->arena, term, n + 1), *y = arena_array(a->arena, term, n + 1);
    for (unsigned i = 0; i < n; i++) {
        x[i] = i < a->target.nargs ? fixed[i] : term_fresh(a->t, "unused", a->width);
        y[i] = i >= c->d->nargs              ? term_fresh(a->t, "unused", a->width)
               : i == c->d->view.inner_arg ? c->w.place
                                           : value_term(a, &c->d->arg[i], fixed);
    }
    return summary_make_case(&c->x, &a->target, x, n, c->given, err) &&
           summary_make_case(&c->y, &a->inner, y, n, c->given, err);
}

/* What else is reached lies outside the target's structure. */
static void say_apart(struct one *c, const struct behaviour *b, const struct adapt_view *v)
{
    struct adapt *a = c->a;
    struct terms *t = a->t;
    uint64_t size = 0;
    for (unsigned i = 0; i < v->nfields; i++) {
        uint64_t end = v->field[i].target + (uint64_t)v->field[i].count * v->field[i].target_bytes;
        size = end > size ? end : size;
    }
    for (size_t i = 0; i < b->nreached && b->naccesses <= APART; i++) {
        const struct access *x = &b->access[i];
        if (term_any(t, x->address, term_is_that, &c->w.where))
            continue;
        term behind = term_bin(t, OP_SUB, x->address, c->w.where);
        term before = term_bin(t, OP_SUB, c->w.where, x->address);
        term apart = term_and(t, term_bin(t, OP_ULE, term_const(t, a->width, size), behind),
                              term_bin(t, OP_ULE, term_const(t, a->width, x->bytes), before));
        vec_push(&a->assume, term_implies(t, x->when, apart));
    }
}

static bool is_closed(const struct adapt *a, const struct summary *s)
{
    return !s->lost && !s->stuck && term_is_false(a->t, s->is.open);
}

/* Conditions on nothing but the number of a case are known where what is given decides them: with them go the
 * choices that the loops made. */
static term decided(void *ctx, term x, const term *kid)
{
    enum { MOST = 12 };
    const struct one *c = ctx;
    struct terms *t = c->a->t;
    term y = term_rebuild(t, x, kid), symbol[2];
    if (term_width(t, y) != 1 || term_is_const(t, y) || term_kind(t, y) == TERM_VAR || term_size(t, y) > MOST ||
        term_symbols(t, y, symbol, 2) != 1 || !term_any(t, c->given, term_is_that, &symbol[0]))
        return y;
    if (solve_valid(c->a->s, &c->given, 1, y) == SOLVE_UNSAT)
        return term_true(t);
    return solve_valid(c->a->s, &c->given, 1, term_not(t, y)) == SOLVE_UNSAT ? term_false(t) : y;
}

static void decide(struct one *c, struct behaviour *b)
{
    struct map done = {0};
    term *const list[] = {&b->returns,   &b->traps,     &b->open,   &b->doubt, &b->asks,
                          &b->result[0], &b->result[1], &b->memory, &b->world};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] = term_rewrite(c->a->t, *list[i], &done, decided, c);
    struct access *access = arena_array(c->a->arena, struct access, b->naccesses + 1);
    for (size_t i = 0; i < b->naccesses; i++) {
        access[i] = b->access[i];
        access[i].when = term_rewrite(c->a->t, access[i].when, &done, decided, c);
        access[i].address = term_rewrite(c->a->t, access[i].address, &done, decided, c);
    }
    b->access = access;
    map_free(&done);
}

/* Both over the target's structure. */
static bool look(struct one *c, bool premise, struct behaviour *x, struct behaviour *y)
{
    forget(&c->w);
    c->w.premise = premise;
    c->w.inner = true;
    bool ok = view_apply(&c->w, &c->y.is, y);
    c->w.inner = false;
    return ok && view_apply(&c->w, &c->x.is, x);
}

static enum outcome check_one(struct one *c)
{
    struct adapt *a = c->a;
    struct terms *t = a->t;
    struct behaviour x, y;
    summary_set_apart(&c->y);
    /* registers that nobody looks at may still have the address of the copy */
    if (!a->compared.bits)
        c->x.is.result[0] = c->y.is.result[0] = term_const(t, a->width, 0);
    if (!a->compared.pair)
        c->x.is.result[1] = c->y.is.result[1] = term_const(t, a->width, 0);
    decide(c, &c->x.is);
    decide(c, &c->y.is);
    bool ok = look(c, false, &x, &y);
    c->premise = view_has_premise(&c->d->view) && !(ok && view_initialises(&c->w, &x));
    if (c->premise)
        ok = look(c, true, &x, &y);
    if (!ok)
        return STOPPED;
    term must = term_true(t);
    for (size_t i = 0; i < c->w.must.len; i++)
        must = term_and(t, must, c->w.must.data[i]);
    struct summary target = a->target, inner = a->inner;
    vec_clear(&a->assume);
    for (size_t i = 0; i < c->x.assume.len; i++)
        vec_push(&a->assume, c->x.assume.data[i]);
    for (size_t i = 0; i < c->y.assume.len; i++)
        vec_push(&a->assume, c->y.assume.data[i]);
    vec_push(&a->assume, c->given);
    say_apart(c, &x, &c->d->view);
    say_apart(c, &y, &c->d->view);
    a->target = c->x;
    a->inner = c->y;
    memcpy(a->target.arg, target.arg, sizeof target.arg);
    if (sweep_same(a, x.memory, y.memory))
        y.memory = x.memory;
    bool small = x.memory == y.memory || term_size(t, x.memory) + term_size(t, y.memory) < SOLVED;
    enum check_outcome answer = CHECK_UNKNOWN;
    if (small && (term_is_true(t, must) || solve_valid(a->s, a->assume.data, a->assume.len, must) == SOLVE_UNSAT))
        answer = behaviours_check(a, &x, &y, c->d, NULL);
    a->target = target;
    a->inner = inner;
    return answer == CHECK_RIGHT ? PROVED : answer == CHECK_WRONG ? WRONG : STOPPED;
}

/* No structure lies at address 0. */
static term is_somewhere(struct adapt *a, term address)
{
    return term_not(a->t, term_eq(a->t, address, term_const(a->t, a->width, 0)));
}

/* The adapter is right when the target's arguments are these. */
static enum outcome prove_one(struct searching *s, const struct adapter *d, const term *fixed, term given)
{
    struct adapt *a = s->a;
    struct one c = {.a = a,
                    .d = d,
                    .w = {.a = a,
                          .v = &d->view,
                          .where = fixed[d->view.target_arg],
                          .place = term_fresh(a->t, "copy", a->width)}};
    enum outcome out = STOPPED;
    c.given = term_and(a->t, is_somewhere(a, c.w.where), is_somewhere(a, c.w.place));
    if (given != TERM_NONE)
        c.given = term_and(a->t, c.given, given);
    if (!explore_both(&c, fixed, s->err))
        s->why = "one of the functions cannot be explored";
    else if (!is_closed(a, &c.x) || !is_closed(a, &c.y))
        out = OPEN;
    else if (!term_is_false(a->t, c.x.is.doubt) || !term_is_false(a->t, c.y.is.doubt))
        s->why = arena_printf(a->arena, "%s", c.x.why_doubt ? c.x.why_doubt : c.y.why_doubt);
    else
        out = check_one(&c);
    s->premise = s->premise || (c.premise && out == PROVED);
    s->any = s->any || out == PROVED;
    one_free(&c);
    return out;
}

/* The arguments with one of them a number, or more than that; *given: what the user says of them. False: no
 * input counts. */
static bool fix(struct searching *s, unsigned arg, bool half, uint64_t value, bool more, term *fixed,
                term *given)
{
    struct adapt *a = s->a;
    struct terms *t = a->t;
    unsigned width = half ? 32 : a->width;
    term number = more ? term_fresh(t, "more", width) : term_const(t, width, value);
    memcpy(fixed, a->target.arg, sizeof a->target.arg);
    /* a register may have anything in the half that nobody looks at */
    fixed[arg] = half ? term_concat(t, term_fresh(t, "upper", a->width - 32), number) : number;
    *given = more ? term_bin(t, OP_ULT, term_const(t, width, value), number) : TERM_NONE;
    if (a->given == TERM_NONE)
        return true;
    term said = term_substitute(t, a->given, &a->target.arg[arg], &fixed[arg], 1);
    *given = *given == TERM_NONE ? said : term_and(t, *given, said);
    return !term_is_false(t, *given) && solve_try(a->s, given, 1, NULL) != SOLVE_UNSAT;
}

/* Runs with that number show no difference. */
static bool agrees_when(struct searching *s, const struct adapter *d, unsigned arg, uint64_t value)
{
    for (uint64_t seed = 1; seed <= CASE_RUNS; seed++)
        if (runner_try_view(s->r, d, s->target.pointers, &(struct fixed_argument){arg, value}, seed) == RUN_DIFFERS)
            return false;
    return true;
}

static enum outcome prove_value(struct searching *s, const struct adapter *d, unsigned arg, bool half,
                                uint64_t value)
{
    term fixed[ADAPT_ARGUMENTS], given;
    if (!fix(s, arg, half, value, false, fixed, &given))
        return PROVED;
    return agrees_when(s, d, arg, value) ? prove_one(s, d, fixed, given) : WRONG;
}

static enum outcome prove_by(struct searching *s, const struct adapter *d, unsigned arg)
{
    struct adapt *a = s->a;
    term fixed[ADAPT_ARGUMENTS], given;
    bool half = a->width == 64;
    s->bounded = s->premise = s->any = false; /* what another argument showed counts no more */
    for (uint64_t v = 0; v <= MOST_CASES; v++) {
        if (!has_time(a))
            return STOPPED;
        enum outcome x = prove_value(s, d, arg, half, v);
        if (x == OPEN && half) { /* all of the register counts: from the beginning */
            half = s->premise = s->any = false;
            v = UINT64_MAX;
            continue;
        }
        if (x != PROVED) {
            s->why = x == WRONG
                         ? arena_printf(a->arena, "the adapter that comes closest differs when #%u is %u", arg,
                                        (unsigned)v)
                         : s->why;
            return x;
        }
        if (v != FEW_CASES && v != MOST_CASES)
            continue;
        s->by = arg;
        s->up_to = v;
        if (!fix(s, arg, half, v, true, fixed, &given) || prove_one(s, d, fixed, given) == PROVED)
            return PROVED;
    }
    s->bounded = true;
    return PROVED;
}

static bool prove(struct searching *s, const struct adapter *d)
{
    struct adapt *a = s->a;
    s->bounded = s->premise = s->any = false;
    s->by = NO_CASE;
    enum outcome x = prove_one(s, d, a->target.arg, a->given);
    for (unsigned i = 0; (x == OPEN || x == STOPPED) && i < a->target.nargs; i++)
        if (a->target.used[i] && !(s->target.pointers >> i & 1)) {
            x = prove_by(s, d, i);
            if (x != PROVED)
                s->by = NO_CASE;
        }
    if (x == PROVED && !s->any) {
        s->why = "no input was found that satisfies the assumptions and stays within the bounds";
        x = STOPPED;
    }
    if (x != PROVED && !s->why)
        s->why = x == OPEN    ? "loops of the two have no end that is known"
                 : x == WRONG ? "the adapter that comes closest differs from the target on some input"
                              : "the two could not be compared";
    return x == PROVED;
}

/* ---- candidates ---- */

/* Numbers of which 0 is an exception are common: that is worth to be told. */
static void look_for_exception(struct searching *s, const struct adapter *d)
{
    enum { ANOTHER = 5 };
    const struct adapt *a = s->a;
    for (unsigned i = 0; i < a->target.nargs && !s->why; i++)
        if (a->target.used[i] && !(s->target.pointers >> i & 1) && agrees_when(s, d, i, ANOTHER) &&
            !agrees_when(s, d, i, 0))
            s->why = arena_printf(a->arena, "the adapter that comes closest differs when #%u is 0", i);
}

static bool agrees(struct searching *s, const struct adapter *d)
{
    unsigned same = 0;
    s->tried++;
    /* assumptions may hold of few */
    for (uint64_t seed = 1; same < TESTS && seed <= 20 * TESTS; seed++)
        switch (runner_try_view(s->r, d, s->target.pointers, NULL, seed)) {
        case RUN_SAME:
            same++;
            break;
        case RUN_DIFFERS:
            look_for_exception(s, d);
            return false;
        case RUN_UNABLE:
            break;
        }
    return same >= TESTS / 4;
}

/* All ways to give the arguments from `i` on. */
static bool give(struct searching *s, struct adapter *d, unsigned i)
{
    const struct adapt *a = s->a;
    if (!has_time(s->a))
        return false;
    if (i == d->nargs) {
        if (!agrees(s, d))
            return false;
        s->agreed++;
        return prove(s, d);
    }
    d->arg[i] = (struct adapt_value){0};
    if (i == d->view.inner_arg || !a->inner.used[i])
        return give(s, d, i + 1);
    bool pointer = s->inner.pointers >> i & 1;
    for (unsigned k = 0; k < a->target.nargs; k++) {
        if (k == d->view.target_arg || (s->target.pointers >> k & 1) != pointer)
            continue;
        d->arg[i] = (struct adapt_value){.scale = 1, .arg = k};
        if (give(s, d, i + 1))
            return true;
    }
    for (unsigned k = 0; k < 2 && !pointer; k++) {
        d->arg[i] = (struct adapt_value){.constant = k};
        if (give(s, d, i + 1))
            return true;
    }
    return false;
}

static bool is_the_same(const struct adapt_view *v)
{
    for (unsigned i = 0; i < v->nfields; i++)
        if (v->field[i].inner != v->field[i].target || v->field[i].inner_bytes != v->field[i].target_bytes)
            return false;
    return true;
}

static bool try_view(void *ctx, const struct adapt_view *v)
{
    struct searching *s = ctx;
    struct adapter d = {
        .nargs = s->a->inner.nargs, .width = s->a->width, .result = {.scale = 1}, .view = *v};
    if (is_the_same(v) || !give(s, &d, 0))
        return !has_time(s->a);
    *s->out = d;
    return s->found = true;
}

/* ---- the answer ---- */

static bool run_against(struct searching *s)
{
    enum { UNABLE_MAX = 2000 };
    struct adapt *a = s->a;
    unsigned unable = 0;
    for (uint64_t seed = 1; a->out->runs < a->opt->runs && unable < UNABLE_MAX; seed++)
        switch (runner_try_view(s->r, s->out, s->target.pointers, NULL, seed + 20 * TESTS)) {
        case RUN_SAME:
            a->out->runs++;
            break;
        case RUN_DIFFERS:
            return false;
        case RUN_UNABLE:
            unable++;
        }
    return true;
}

static void say_what_it_rests_on(const struct searching *s)
{
    struct adapt *a = s->a;
    const struct adapt_view *v = &s->out->view;
    adapt_note(a, "all of the structure that #%u points to is there, and nothing else that is reached overlaps it",
               v->target_arg);
    for (unsigned i = 0; i < v->nfields; i++) {
        const struct adapt_field *f = &v->field[i];
        if (s->premise && f->inner_bytes < f->target_bytes)
            adapt_note(
                a,
                "at the call, what the structure has at %u (%u entr%s of %u bytes) fits into %u byte%s, with "
                "%s; the target keeps it so",
                f->target, f->count, f->count == 1 ? "y" : "ies", f->target_bytes, f->inner_bytes,
                f->inner_bytes == 1 ? "" : "s", f->sign ? "sign" : "zeroes");
    }
    if (s->bounded)
        adapt_note(a, "proved for #%u from 0 to %u; with larger numbers, up to %u, it was only run", s->by,
                   (unsigned)s->up_to, RUN_NUMBERS - 1);
    if (a->given != TERM_NONE)
        adapt_note(a, "inputs of which the assumptions do not hold do not count");
    if (!a->compared.bits && a->compared.vague)
        adapt_note(a, "nothing says that the target returns a result: none is compared");
    if (a->target.floats)
        adapt_note(a, "nothing says that the target returns a floating-point number: none is compared");
}

bool memory_search(struct adapt *a, struct adapter *out, struct error *err)
{
    if (a->given != TERM_NONE && solve_check(a->s, &a->given, 1, NULL) != SOLVE_SAT) {
        undecided(a, "no input was found that satisfies the assumptions");
        return false;
    }
    struct searching s = {.a = a, .r = runner_new(a), .out = out, .err = err};
    layouts_find(&s.target, s.r, 0, a->target.nargs);
    layouts_find(&s.inner, s.r, 1, a->inner.nargs);
    for (unsigned p = 0; p < a->target.nargs && !s.found; p++)
        for (unsigned q = 0; q < a->inner.nargs && !s.found; q++) {
            struct adapt_view v = {.target_arg = p, .inner_arg = q};
            if (has_time(a))
                views_each(&s.inner.of[q], &s.target.of[p], &v, try_view, &s);
        }
    a->out->tried += s.tried;
    if (s.found && !run_against(&s)) {
        undecided(a, "an adapter that was proved differs from the target on the interpreter");
        s.found = false;
    }
    if (s.found) {
        a->view = &out->view;
        a->out->bounded = s.bounded;
        say_what_it_rests_on(&s);
    } else {
        undecided(a, s.why ? s.why : "no structure that was tried agrees with the target when both are run");
    }
    layouts_free(&s.target);
    layouts_free(&s.inner);
    runner_free(s.r);
    return s.found;
}
