/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search: a candidate is checked for all inputs; an input that speaks against it becomes a test; the next
 * candidate agrees with the target on all tests. Families are tried in increasing size, the zero adapter
 * first. */
#include "adapt/internal.h"
#include "solve/solve.h"

enum { RANDOM_TESTS = 6, MOST_TESTS = 60, REFUTE_MS = 500 };
unsigned search_largest(const struct adapt *a)
{
    unsigned f = a->opt->families;
    return f & ADAPT_ARITHMETIC   ? STAGE_ARITHMETIC
           : f & ADAPT_CONVERT    ? STAGE_CONVERT
           : f & ADAPT_SUBSTITUTE ? STAGE_SUBSTITUTE
                                  : STAGE_PERMUTE;
}

void search_limit(struct adapt *a, uint64_t left)
{
    uint64_t ms = left ? left : 1; /* 0 would be no limit */
    solver_until(a->s, budget_of(terms_work(a->t), ms * BUDGET_MS, ms));
}

bool has_time(struct adapt *a)
{
    if (!deadline_over(&a->until))
        return true;
    undecided(a, "time limit");
    return false;
}

static bool same_adapter(const struct adapter *x, const struct adapter *y)
{
    for (unsigned i = 0; i <= x->nargs; i++) {
        const struct adapt_value *v = i < x->nargs ? &x->arg[i] : &x->result;
        const struct adapt_value *w = i < x->nargs ? &y->arg[i] : &y->result;
        if (v->conversion != w->conversion || v->two != w->two || v->arg != w->arg || v->arg2 != w->arg2 ||
            v->scale != w->scale || v->scale2 != w->scale2 || v->constant != w->constant)
            return false;
    }
    return true;
}

/* An adapter of the form that agrees with the tests; `hard`: with those that count for there being none;
 * `last`: if it cannot be told quickly, it is worth some time. */
static enum solve_answer synthesise(struct adapt *a, const struct form *f, bool hard, bool last,
                                    struct adapter *out)
{
    struct terms *t = a->t;
    VEC(term) ask = VEC_INIT;
    vec_push(&ask, form_constraint(a, f));
    for (size_t i = 0; i < a->test.len; i++) {
        const struct test *x = &a->test.data[i];
        if (hard && !test_counts(x))
            continue;
        term value[ADAPT_ARGUMENTS], arg[ADAPT_ARGUMENTS];
        for (unsigned k = 0; k < a->target.nargs; k++)
            value[k] = term_const(t, a->width, x->arg[k]);
        for (unsigned k = 0; k < a->inner.nargs; k++)
            arg[k] = a->inner.used[k] ? form_argument(a, f, k, value) : term_const(t, a->width, 0);
        term match = test_match(a, x, arg, f, hard);
        vec_push(&ask, match);
        if (term_is_false(t, match))
            break;
    }
    struct term_model *m = NULL;
    a->out->searches++;
    enum solve_answer answer = out    ? solve_check(a->s, ask.data, ask.len, &m)
                               : last ? solve_check(a->s, ask.data, ask.len, NULL)
                                      : solve_try(a->s, ask.data, ask.len, NULL);
    vec_free(&ask);
    if (answer == SOLVE_SAT && out) {
        form_decode(a, f, m, out);
        term_model_free(m);
    }
    return answer;
}

/* What an adapter may give on the test, whatever it is: no address of a file, unless the target was given
 * one, or one is computed. */
static term given_there(struct adapt *a, const struct form *f, const struct test *x, term arg)
{
    if (f->stage >= STAGE_ARITHMETIC)
        return term_true(a->t);
    for (unsigned i = 0; i < a->target.nargs; i++)
        for (unsigned half = 0; half < 2; half++)
            if (is_address(a, half ? (uint32_t)x->arg[i] : x->arg[i]))
                return term_true(a->t);
    return no_address(a, arg);
}

/* Some test alone speaks against whatever the inner function may be given. */
static bool refuted_by_one(struct adapt *a, const struct form *f)
{
    struct terms *t = a->t;
    term arg[ADAPT_ARGUMENTS];
    for (unsigned k = 0; k < a->inner.nargs; k++)
        arg[k] = term_fresh(t, "given", a->width);
    for (size_t i = 0; i < a->test.len && !deadline_over(&a->until); i++) {
        const struct test *x = &a->test.data[i];
        if (!test_counts(x))
            continue;
        term match = test_match(a, x, arg, f, true);
        for (unsigned k = 0; k < a->inner.nargs; k++)
            if (a->inner.used[k])
                match = term_and(t, match, given_there(a, f, x, arg[k]));
        if (term_is_false(t, match) || solve_try(a->s, &match, 1, NULL) == SOLVE_UNSAT)
            return true;
    }
    return false;
}

bool try_candidate(struct adapt *a, const struct adapter *d, bool *progress)
{
    struct term_model *m = NULL;
    *progress = false;
    switch (adapter_check(a, d, false, &m)) {
    case CHECK_RIGHT:
        return true;
    case CHECK_UNKNOWN:
        undecided(a, arena_printf(a->arena, "the solver gave up on a candidate: %s", solver_reason(a->s)));
        return false;
    case CHECK_WRONG:
        break;
    }
    *progress = test_add(a, m, d);
    term_model_free(m);
    return false;
}

static bool search_stage(struct adapt *a, unsigned stage, bool converts, struct adapter *out)
{
    struct form f;
    struct adapter last = {.nargs = UINT32_MAX};
    form_make(&f, a, stage, converts);
    for (;;) {
        if (!has_time(a))
            return false;
        enum solve_answer answer = synthesise(a, &f, false, true, out);
        if (answer == SOLVE_UNSAT)
            return false;
        if (answer == SOLVE_UNKNOWN) {
            undecided(a, arena_printf(a->arena, "the solver gave up on the search: %s", solver_reason(a->s)));
            return false;
        }
        bool progress;
        if ((last.nargs == out->nargs && same_adapter(&last, out)) || a->test.len >= MOST_TESTS) {
            undecided(a, "candidates and tests do not converge");
            return false;
        }
        if (try_candidate(a, out, &progress))
            return true;
        if (!progress)
            undecided(a, "a counterexample could not be made a test");
        if (a->out->reason)
            return false;
        last = *out;
    }
}
/* With one of the conversions of the result. */
static bool try_unified(struct adapt *a, const struct modes *modes, struct adapter *d, unsigned stage)
{
    for (unsigned k = 0; k < modes->n; k++)
        for (unsigned c = 0;
             c < (a->opt->families & ADAPT_RETURN && modes->mode[k].bits && !a->real ? ADAPT_CONVERSIONS : 1);
             c++) {
            if (modes->mode[k].vague ||
                (a->width == 32 && (c == ADAPT_S32 || c == ADAPT_Z32 || c == ADAPT_BOOL32)))
                continue;
            a->compared = modes->mode[k];
            d->result.conversion = (uint8_t)c;
            if (deadline_over(&a->until) || adapter_check(a, d, true, NULL) != CHECK_RIGHT)
                continue;
            found_adapter(a, d, stage, false);
            return true;
        }
    return false;
}

/* Whether a guess is right. */
static bool try_guess(struct adapt *a, const struct modes *modes)
{
    struct adapter d;
    unsigned stage;
    for (unsigned k = 0; !a->opt->constant && k < modes->n; k++) {
        a->compared = modes->mode[k];
        if (a->compared.vague)
            continue;
        if (call_candidate(a, &d, &stage) && a->opt->families >> stage & 1) {
            adapt_note(a, "the target does nothing but call the inner function");
            a->calls = true;
            found_adapter(a, &d, stage, false);
            a->calls = false;
            return true;
        }
    }
    for (unsigned n = 0; !deadline_over(&a->until); n++) {
        a->compared = modes->mode[0];
        if (!unify_candidate(a, n, &d, &stage))
            return false;
        while (stage < STAGES && !(a->opt->families >> stage & 1))
            stage++;
        if (stage < STAGES && try_unified(a, modes, &d, stage))
            return true;
    }
    return false;
}

/* All arguments 0, or all but one, which has one bit, or all: with these, products are shifts. */
static void add_simple_tests(struct adapt *a)
{
    static const uint64_t value[] = {1, 0x80, 0x8000, 0x80000000, UINT64_MAX};
    enum { VALUES = sizeof value / sizeof *value, MOST = 16 };
    uint64_t arg[ADAPT_ARGUMENTS] = {0};
    test_add_random(a, 0, arg);
    unsigned small = a->target.nuse * VALUES <= MOST ? VALUES : 1;
    for (unsigned k = 0; k < a->target.nuse && k < MOST; k++)
        for (unsigned n = 0; n < small; n++) {
            arg[a->target.use[k]] = a->width == 32 ? (uint32_t)value[n] : value[n];
            test_add_random(a, 0, arg);
            arg[a->target.use[k]] = 0;
        }
}

/* Inputs for some paths of the target, the simplest first. */
static void add_path_tests(struct adapt *a)
{
    enum { PATHS = 5 };
    const struct summary *s = &a->target;
    term taken[PATHS];
    unsigned n = 0;
    for (unsigned k = 0; k < PATHS && !deadline_over(&a->until); k++) {
        term best = TERM_NONE;
        size_t least = SIZE_MAX;
        for (size_t i = 0; i < s->path.len; i++) {
            term c = s->path.data[i]->condition;
            bool known = false;
            for (unsigned j = 0; j < n; j++)
                known = known || taken[j] == c;
            size_t size = known ? SIZE_MAX : term_size(a->t, c);
            if (size >= least)
                continue;
            least = size;
            best = c;
        }
        if (best == TERM_NONE)
            return;
        taken[n++] = best;
        test_add_where(a, term_and(a->t, best, term_not(a->t, s->is.open)));
    }
}

/* No adapter of the family agrees with the target on some tests, simple ones first. */
static bool is_refuted(struct adapt *a, unsigned stage, bool converts)
{
    struct form all;
    add_simple_tests(a);
    for (unsigned turn = 0; turn < 2; turn++) {
        if (turn) {
            for (uint64_t i = 0; i < RANDOM_TESTS; i++)
                test_add_random(a, i, NULL);
            add_path_tests(a);
        }
        a->needs = a->inner.more ? 0 : test_needs(a);
        if (a->opt->enumerate)
            continue;
        form_make(&all, a, stage, converts);
        if (refuted_by_one(a, &all) || synthesise(a, &all, true, false, NULL) == SOLVE_UNSAT)
            return true;
    }
    return false;
}

/* On all of them at once. Most pairs have no adapter: up to half of the time is for that. */
static bool is_refuted_together(struct adapt *a, unsigned stage, bool converts)
{
    struct form all;
    if (a->opt->enumerate || !a->opt->timeout_ms || stage >= STAGE_ARITHMETIC)
        return false;
    form_make(&all, a, stage, converts);
    uint64_t half = deadline_left(&a->until) / 2;
    search_limit(a, half < REFUTE_MS ? half : REFUTE_MS);
    bool refuted = synthesise(a, &all, true, true, NULL) == SOLVE_UNSAT;
    search_limit(a, deadline_left(&a->until));
    return refuted;
}

/* Of functions that only compute most is found out without the solver, and mostly in a moment. */
static bool search_pure(struct adapt *a, const struct modes *modes, unsigned last, unsigned hundredths)
{
    struct adapter d;
    unsigned stage;
    if (modes->n != 1 || a->real || a->target.shape.floats || a->inner.shape.floats)
        return false;
    a->compared = modes->mode[0];
    switch (pure_search(a, last, hundredths, &d, &stage)) {
    case PURE_FOUND:
        found_adapter(a, &d, stage, false);
        return true;
    case PURE_NONE:
        a->out->verdict = ADAPT_NONE;
        a->out->result_bits = a->compared.bits;
        return true;
    case PURE_UNSURE:
        break;
    }
    return false;
}

/* What each way of searching may take of the time that is left, in hundredths. */
enum { MOMENT = 10, SAMPLES_SHARE = 60 };

/* Of two with the same code, each argument is that of the target. */
static bool try_same(struct adapt *a, const struct modes *modes)
{
    struct adapter d = {.nargs = a->inner.nargs, .width = a->width, .result = {.scale = 1}};
    a->compared = modes->mode[0];
    if (a->compared.vague || a->opt->constant || d.nargs > a->target.nargs ||
        !(a->opt->families & ADAPT_PERMUTE))
        return false;
    for (unsigned i = 0; i < d.nargs; i++)
        d.arg[i] = (struct adapt_value){.arg = i, .scale = 1};
    found_adapter(a, &d, STAGE_PERMUTE, false);
    return a->out->verdict == ADAPT_FOUND;
}

void search_families(struct adapt *a, struct modes *modes, bool whole)
{
    unsigned last = search_largest(a), first = a->opt->families & ADAPT_PERMUTE ? STAGE_PERMUTE : last;
    for (unsigned s = 0; s < STAGES; s++)
        if (a->opt->families >> s & 1 && s < first)
            first = s;
    bool converts = a->opt->families & ADAPT_RETURN;
    struct adapt_answer *o = a->out;
    o->family = (uint8_t)(1u << last);
    struct form all;
    struct adapter d = {.nargs = a->inner.nargs, .width = a->width, .result = {.scale = 1}};
    if (a->same && try_same(a, modes))
        return;
    if (search_pure(a, modes, last, MOMENT))
        return;
    if (!a->opt->enumerate && !a->target.partial && try_guess(a, modes))
        return;
    if (!whole)
        return;
    a->compared = modes->mode[modes->n - 1];
    o->result_bits = a->compared.bits;
    o->result_pair = a->compared.pair;
    if (is_refuted(a, last, converts)) {
        o->verdict = ADAPT_NONE;
        return;
    }
    if (search_pure(a, modes, last, SAMPLES_SHARE))
        return;
    if (is_refuted_together(a, last, converts)) {
        o->verdict = ADAPT_NONE;
        return;
    }
    if (a->target.partial || a->inner.partial) {
        undecided(a, a->target.partial ? "the target does too much to be compared"
                                       : "the inner function does too much to be compared");
        return;
    }
    for (unsigned k = 0; k < modes->n; k++) {
        bool progress;
        a->compared = modes->mode[k];
        if (a->compared.vague)
            continue;
        if (last >= STAGE_SUBSTITUTE && !a->opt->constant && has_time(a) && try_candidate(a, &d, &progress)) {
            found_adapter(a, &d, STAGE_SUBSTITUTE, false);
            return;
        }
        for (unsigned s = first; s <= last && has_time(a); s++) {
            if (!(a->opt->families >> s & 1) ||
                (s == STAGE_PERMUTE && a->inner.shape.words > a->target.shape.words && !a->opt->enumerate))
                continue;
            for (unsigned r = 0; r <= converts; r++) {
                struct adapter x;
                o->reason = NULL;
                if (a->opt->enumerate ? search_one_by_one(a, s, r, &x) : search_stage(a, s, r, &x)) {
                    found_adapter(a, &x, s, true);
                    return;
                }
            }
        }
    }
    const char *why = o->reason;
    if (a->opt->enumerate) {
        undecided(a,
                  "no adapter with the constants that were tried; an enumeration proves nothing of others");
        return;
    }
    o->reason = NULL;
    a->compared = modes->mode[modes->n - 1];
    form_make(&all, a, last, converts);
    enum solve_answer answer = synthesise(a, &all, true, true, NULL);
    if (answer == SOLVE_UNSAT) {
        o->verdict = ADAPT_NONE;
        return;
    }
    if (modes->mode[modes->n - 1].vague && answer == SOLVE_SAT && !why) {
        undecided(a, "it is not known how much of the register of results the target returns");
        return;
    }
    undecided(a, why                   ? why
                 : a->target.why_doubt ? arena_printf(a->arena, "in the target %s", a->target.why_doubt)
                 : a->inner.why_doubt ? arena_printf(a->arena, "in the inner function %s", a->inner.why_doubt)
                 : a->inner.why_open
                     ? arena_printf(a->arena, "the inner function was not explored to its end: %s",
                                    a->inner.why_open)
                 : answer == SOLVE_UNKNOWN ? "the solver gave up"
                 : a->real || a->target.shape.floats || a->inner.shape.floats
                     ? "no adapter was found; that there is none, only runs show of functions with "
                       "floating-point numbers"
                     : "the inner function may reach memory that the target does not");
}
