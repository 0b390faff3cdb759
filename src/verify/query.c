/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asking the solver about both versions. */
#include "verify/private.h"

/* ---- limits ---- */

struct budget query_budget(struct check *c, uint64_t ms)
{
    bool counted = c->opt->solve.engine == SOLVE_Z3;
    return budget_of(terms_work(c->t), counted ? ms * BUDGET_MS : 0, counted ? budget_guard(ms) : ms);
}

uint64_t query_left(const struct check *c)
{
    uint64_t units = budget_left(&c->query.budget);
    return units == UINT64_MAX ? deadline_left(&c->query.budget.guard) : units / BUDGET_MS;
}

static void limit(struct check *c, struct query_limits l)
{
    c->query.budget = l.budget;
    c->query.until = l.until;
    if (c->query.solver)
        solver_until(c->query.solver, l.until);
}

struct query_limits query_narrow(struct check *c, uint64_t ms)
{
    const struct query_limits whole = {c->query.budget, c->query.until};
    const struct budget part = query_budget(c, ms);
    limit(c, (struct query_limits){part, part});
    return whole;
}

void query_widen(struct check *c, struct query_limits whole)
{
    limit(c, whole);
    c->query.late = false;
}

void query_grant(struct check *c)
{
    enum { PART = 4 }; /* of what there was at first */
    const uint64_t ms = c->opt->timeout_ms / PART;
    if (query_left(c) >= ms)
        return;
    const struct budget more = query_budget(c, ms);
    limit(c, (struct query_limits){more, more});
    c->query.late = false;
}

bool query_is_late(struct check *c)
{
    if (!c->query.late && budget_over(&c->query.budget))
        c->query.late = true;
    return c->query.late;
}

bool query_has_enough(const struct check *c, const struct findings *found)
{
    return c->query.one_is_enough && found->failed.len;
}

struct verify_reason query_limit(const struct check *c, bool exploring)
{
    static const enum verify_reason_code code[2][2] = {
        {VERIFY_REASON_OUT_OF_TIME, VERIFY_REASON_OUT_OF_TIME_EXPLORING},
        {VERIFY_REASON_OUT_OF_WORK, VERIFY_REASON_OUT_OF_WORK_EXPLORING}};
    return reason_of(c->arena, code[budget_spent(&c->query.budget)][exploring]);
}

void query_explore_within(struct explore_options *o, const struct budget *b)
{
    uint64_t units = budget_left(b), ms = deadline_left(&b->guard);
    o->work = units == UINT64_MAX ? 0 : units ? units : 1;
    o->timeout_ms = ms == UINT64_MAX ? 0 : ms ? (unsigned)ms : 1;
}

/* ---- constants ---- */

term query_constant(struct check *c, uint64_t at, unsigned width)
{
    /* In its own addresses the new version reads its own file alone. */
    for (int s = c->query.native ? NEW : OLD; s <= NEW; s++) {
        const struct pair_side *sd = &c->pair.side[s];
        uint64_t native = s && !c->query.native ? canonical_unpaired(&c->pair, at) : at - sd->bias;
        term v = explorer_constant(sd->x, c->width == 32 ? (uint32_t)native : native, width);
        if (v != TERM_NONE)
            return c->query.native ? v : canonical_term(&c->pair, sd, v);
    }
    return TERM_NONE;
}

bool query_add_constant(struct check *c, uint64_t at, unsigned width, question *out)
{
    term mem = explorer_symbols(c->pair.side[OLD].x).mem, v = query_constant(c, at, width);
    if (v != TERM_NONE)
        vec_push(out, term_eq(c->t, term_read(c->t, mem, term_const(c->t, c->width, at), width), v));
    return v != TERM_NONE;
}

/* ---- size ---- */

/* Z3 looks at its limits only once it has read all of a question, which takes minutes for a hundred thousand
 * nodes, and nothing that large was seen to be answered. */
static bool is_too_large(struct check *c, const term *v, size_t n)
{
    enum { QUICK_NODES = 1000 };
    size_t all = 0, most = c->query.quick ? QUICK_NODES : c->query.nodes_max;
    for (size_t i = 0; i < n && all <= most; i++) {
        uint64_t size;
        if (!map_get(&c->query.size, v[i], &size)) {
            size = term_size(c->t, v[i]);
            map_set(&c->query.size, v[i], size);
        }
        all += size;
    }
    return all > most;
}

/* The model shows that they can. */
static bool is_shown(struct check *c, const struct term_model *model, const term *v, size_t n)
{
    struct bits value;
    for (size_t i = 0; i < n; i++)
        if (!term_eval(c->t, model, v[i], &value) || bits_is_zero(value))
            return false;
    return true;
}

/* There is no point in asking the solver. */
static bool is_hopeless(struct check *c, const term *v, size_t n)
{
    bool late = query_is_late(c);
    if (!late && !is_too_large(c, v, n))
        return false;
    c->now->unknown_answers++;
    if (!late && !c->now->unknown.code)
        c->now->unknown = reason_of(c->arena, VERIFY_REASON_QUESTION_TOO_LARGE);
    return true;
}

/* It gave up because of what was left: in units, before it was asked. */
static bool is_starved(const struct check *c, uint64_t left)
{
    return solver_limit(c->query.solver) == SOLVE_LIMIT_WORK && left / BUDGET_MS < c->query.one_ms;
}

static struct verify_reason solver_gave_up(const struct check *c, uint64_t left)
{
    static const enum verify_reason_code code[] = {[SOLVE_NO_LIMIT] = VERIFY_REASON_SOLVER_GAVE_UP,
                                                   [SOLVE_LIMIT_WORK] = VERIFY_REASON_SOLVER_LIMIT,
                                                   [SOLVE_LIMIT_MEMORY] = VERIFY_REASON_SOLVER_MEMORY};
    const enum solve_limit limit = solver_limit(c->query.solver);
    if (is_starved(c, left))
        return reason_of(c->arena, VERIFY_REASON_OUT_OF_WORK);
    return reason_of(c->arena, code[limit], solver_reason(c->query.solver));
}

/* An input with pointers as they are placed. */
static enum answer possible_placed(struct check *c, const term *all, size_t n, struct term_model **model)
{
    struct term_model *found = NULL;
    enum answer r = query_is_late(c) ? UNDECIDED : apart_placed(c, c->query.placed, all, n, &found);
    /* Callees of which it says nothing leave memory as it was. */
    if (r == YES && c->query.brief)
        term_model_keep_arrays(found);
    if (r == YES && !is_shown(c, found, all, n))
        r = UNDECIDED;
    if (r == YES && model)
        *model = term_model_hold(found);
    term_model_free(found);
    return r;
}

/* With all that is known of them. */
static void add_known(struct check *c, const term *v, size_t n, question *all)
{
    const term *a;
    for (size_t i = 0; i < n; i++)
        vec_push(all, v[i]);
    for (int s = 0; s < 2; s++) {
        size_t na = explorer_assumptions(c->pair.side[s].x, &a);
        for (size_t i = 0; i < na; i++)
            vec_push(all, a[i]);
    }
    for (size_t i = 0; i < n; i++)
        tables_add(c, v[i], all);
    ranges_facts(c, v, n, all);
    meaning_facts(c, v, n, all);
    objects_facts(c, all);
}

/* With pointers far from each other, where a model is wanted and there is such a one. */
static enum solve_answer ask(struct check *c, const term *v, size_t n, bool brief, struct term_model **model)
{
    if (model && !c->query.native && !c->query.brief && apart_model(c, v, n, model)) {
        if (is_shown(c, *model, v, n))
            return SOLVE_SAT;
        term_model_free(*model);
    }
    return brief ? solve_try(c->query.solver, v, n, model) : solve_check(c->query.solver, v, n, model);
}

/* A model that reads tables where their bytes are known can be run as it is; most others cannot happen. */
static bool ask_within(struct check *c, const question *all, struct term_model **model)
{
    question within = VEC_INIT;
    bool yes = tables_within(c, all, &within) && !is_too_large(c, within.data, within.len) &&
               ask(c, within.data, within.len, true, model) == SOLVE_SAT;
    vec_free(&within);
    if (yes && !is_shown(c, *model, all->data, all->len)) {
        term_model_free(*model);
        yes = false;
    }
    return yes;
}

/* A model says of constants what the files do: where it does not, more of them is told. */
static enum solve_answer ask_files(struct check *c, question *all, bool brief, struct term_model **model)
{
    enum { ROUNDS = 8 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        const enum solve_answer r = model && !brief && ask_within(c, all, model)
                                        ? SOLVE_SAT
                                        : ask(c, all->data, all->len, brief, model);
        if (r != SOLVE_SAT || !model || !tables_differ(c, *model, all))
            return r;
        term_model_free(*model);
        *model = NULL;
    }
    return SOLVE_UNKNOWN;
}

static enum answer possible(struct check *c, const term *v, size_t n, struct term_model **model)
{
    if (!c->query.hint && !c->query.placed && is_hopeless(c, v, n))
        return UNDECIDED;
    question all = VEC_INIT;
    add_known(c, v, n, &all);
    enum answer soon = UNDECIDED;
    struct term_model *near = NULL;
    if (c->query.hint && is_shown(c, c->query.hint, all.data, all.len) &&
        (!c->query.brief || nudge_is_function(c, c->query.hint, all.data, all.len))) {
        soon = YES;
        if (model)
            *model = term_model_hold(c->query.hint);
    } else if (c->query.placed) {
        soon = possible_placed(c, all.data, all.len, model);
    }
    if (soon == UNDECIDED && c->query.hint && c->query.brief &&
        (near = nudge_model(c, c->query.hint, all.data, all.len))) {
        soon = YES;
        if (model)
            *model = term_model_hold(near);
        term_model_free(near);
    }
    if (soon == YES || c->query.only_placed || ((c->query.hint || c->query.placed) && is_hopeless(c, v, n))) {
        vec_free(&all);
        return soon == NO && !c->query.only_placed ? UNDECIDED : soon;
    }
    const uint64_t left = budget_left(&c->query.until);
    const bool brief = c->query.brief;
    enum solve_answer r = ask_files(c, &all, brief, model);
    vec_free(&all);
    if (r == SOLVE_UNKNOWN) {
        c->now->unknown_answers++;
        c->now->starved = c->now->starved || (!brief && is_starved(c, left));
        if (!c->now->unknown.code)
            c->now->unknown = query_is_late(c) ? query_limit(c, false) : solver_gave_up(c, left);
        return UNDECIDED;
    }
    return r == SOLVE_SAT ? YES : NO;
}

/* ---- quick questions ---- */

/* What a call yields from a memory, or leaves in one, is any number and any memory. */
static term loose_node(void *ctx, term x, const term *kid)
{
    struct terms *t = ctx;
    if (!term_nkids(t, x))
        return x;
    term y = term_rebuild(t, x, kid);
    bool of_array = term_is_array(t, y);
    for (unsigned i = 0; i < term_nkids(t, y); i++)
        of_array = of_array || term_is_array(t, term_kid(t, y, i));
    if (term_kind(t, y) != TERM_APPLY || !of_array)
        return y;
    return term_is_array(t, y) ? term_fresh_array(t, "left", term_index_width(t, y), term_cell_width(t, y))
                               : term_fresh(t, "yields", term_width(t, y));
}

/* Where only NO counts: of calls nothing is known but which is which. Functions of whole memories are hard
 * for solvers, and of two calls that are given the same it is found out otherwise that they yield the same.
 * What is impossible all the same is so; what is not may be impossible. */
static enum answer possible_loosely(struct check *c, const term *v, size_t n, bool told)
{
    question all = VEC_INIT;
    enum answer r = UNDECIDED;
    bool never = false;
    add_known(c, v, n, &all);
    for (size_t i = 0; i < all.len && !never; i++) {
        all.data[i] = term_rewrite(c->t, all.data[i], &c->query.loose, loose_node, c->t);
        never = term_is_false(c->t, all.data[i]);
    }
    if (never) {
        r = NO;
    } else if (!is_hopeless(c, all.data, n)) {
        const enum solve_answer found = solve_try(c->query.solver, all.data, all.len, NULL);
        r = found == SOLVE_UNSAT ? NO : found == SOLVE_SAT && told ? YES : UNDECIDED;
        c->now->unknown_answers += found == SOLVE_UNKNOWN;
    }
    vec_free(&all);
    return r;
}

enum answer query_possible(struct check *c, const term *v, size_t n, struct term_model **model)
{
    enum { BRIEF_MS = 200 }; /* of which a question gets a small part, however much there is in all */
    const uint64_t part = c->query.brief ? BRIEF_MS : c->query.quick_ms, left = query_left(c);
    for (size_t i = 0; i < n; i++)
        if (term_is_false(c->t, v[i]))
            return NO;
    /* Calls and memories are compared several times. Two questions with one hash do no harm. */
    const uint64_t key = hash_bytes(v, n * sizeof *v) ^ !model;
    uint64_t known;
    if (c->query.quick && map_get(&c->query.open, key, &known))
        return (enum answer)known;
    if (part && (c->query.brief || part < left))
        solver_until(c->query.solver, query_budget(c, part));
    enum answer r = c->query.quick ? possible_loosely(c, v, n, !model) : possible(c, v, n, model);
    if (part)
        solver_until(c->query.solver, c->query.until);
    if (c->query.quick && r != NO)
        map_set(&c->query.open, key, r);
    return r;
}

bool query_shows(struct check *c, const struct term_model *model, const term *v, size_t n)
{
    question all = VEC_INIT;
    add_known(c, v, n, &all);
    bool yes = is_shown(c, model, all.data, all.len);
    vec_free(&all);
    return yes;
}
