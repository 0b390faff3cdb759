/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search: a candidate is checked for all inputs; an input that speaks against it becomes a test; the next
 * candidate agrees with the target on all tests. Families are tried in increasing size, the zero adapter
 * first. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/internal.h"
#include "solve/solve.h"
#include "wp/wp.h"

enum { RANDOM_TESTS = 6, MOST_TESTS = 60, QUERY_MS = 5000, REFUTE_MS = 500 };

void adapt_note(struct adapt *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    notes_add(&a->notes, a->arena, fmt, ap);
    va_end(ap);
}

void undecided(struct adapt *a, const char *why)
{
    a->out->verdict = ADAPT_UNDECIDED;
    if (!a->out->reason)
        a->out->reason = arena_strdup(a->arena, why);
}

static unsigned largest_stage(const struct adapt *a)
{
    unsigned f = a->opt->families;
    return f & ADAPT_ARITHMETIC   ? STAGE_ARITHMETIC
           : f & ADAPT_CONVERT    ? STAGE_CONVERT
           : f & ADAPT_SUBSTITUTE ? STAGE_SUBSTITUTE
                                  : STAGE_PERMUTE;
}

/* Floating-point numbers are not adapted: no conversion of another result is one, nor one that is elsewhere. */
static bool is_about_floats(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner)
{
    enum modes_place x = modes_place(target), y = modes_place(inner);
    if (x == PLACE_UNKNOWN || x == PLACE_OTHER)
        return false;
    /* on ARM both may be in the same register */
    bool not = y == PLACE_OTHER && !modes_elsewhere(inner) && program_machine(target->p)->arch != MACHINE_ARM;
    if (not || (x == PLACE_FLOAT && y == PLACE_X87) || (x == PLACE_X87 && y == PLACE_FLOAT)) {
        a->out->verdict = ADAPT_NONE;
        a->out->family = (uint8_t)(1u << largest_stage(a));
        adapt_note(a, "the target returns a floating-point number, and the inner function does not return one there");
    } else {
        undecided(a, "the target returns a floating-point number");
    }
    return true;
}

static bool is_elsewhere(struct adapt *a, const struct adapt_code *target)
{
    bool bits = modes_bit_int(target);
    if (!bits && !modes_elsewhere(target))
        return false;
    undecided(a, bits ? "the target takes or returns a _BitInt, and nothing says how many bits of it count"
                      : "the target returns a structure or a vector that is not in the registers of results");
    return true;
}

/* Its code only chooses what is called in its place. */
static bool is_chosen(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner)
{
    if (!adapt_is_chosen(target) && !adapt_is_chosen(inner))
        return false;
    undecided(a, adapt_is_chosen(target)
                     ? "which code the target has is chosen when the program starts"
                     : "which code the inner function has is chosen when the program starts");
    return true;
}

/* ---- searching ---- */

static void limit_solver(struct adapt *a, uint64_t left)
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

/* ---- what was found, written simply ---- */

static bool still_right(struct adapt *a, const struct adapter *d)
{
    return !deadline_over(&a->until) && adapter_check(a, d, false, NULL) == CHECK_RIGHT;
}

static void simplify_value(struct adapt *a, struct adapter *d, struct adapt_value *v, bool result)
{
    struct adapt_value before = *v;
    if (!v->scale && v->constant && !a->opt->constant) {
        v->constant = 0;
        if (still_right(a, d))
            return;
        *v = before;
        v->constant = (uint32_t)before.constant;
        if (v->constant >> 31)
            v->constant = (uint64_t)(int64_t)(int32_t)before.constant;
        if (a->width == 64 && v->constant != before.constant && !still_right(a, d))
            *v = before;
        if (a->width == 32)
            *v = before;
        return;
    }
    if (v->scale && v->conversion != ADAPT_AS_IS) {
        v->conversion = ADAPT_AS_IS;
        if (!still_right(a, d)) {
            *v = before;
            v->conversion = ADAPT_S32;
            if (before.conversion == ADAPT_S32 || result || a->width != 64 || !still_right(a, d))
                *v = before;
        }
    }
    if (!result && v->scale && (v->scale != 1 || v->constant) && a->width == 64) {
        /* as an int, when that is all that counts */
        before = *v;
        v->scale = (uint64_t)(int64_t)(int32_t)v->scale;
        v->constant = (uint64_t)(int64_t)(int32_t)v->constant;
        if ((v->scale != before.scale || v->constant != before.constant) && !still_right(a, d))
            *v = before;
    }
}

static void simplify(struct adapt *a, struct adapter *d, unsigned stage)
{
    for (unsigned i = 0; i < d->nargs; i++)
        if (a->inner.used[i] && (stage != STAGE_PERMUTE))
            simplify_value(a, d, &d->arg[i], false);
    simplify_value(a, d, &d->result, true);
}

/* ---- the question ---- */

static bool run_against(struct adapt *a, const struct adapter *d)
{
    enum { UNABLE_MAX = 2000 };
    struct runner *r = runner_new(a);
    unsigned unable = 0;
    enum run_outcome x = RUN_SAME;
    for (uint64_t seed = 1; x != RUN_DIFFERS && a->out->runs < a->opt->runs && unable < UNABLE_MAX;) {
        unsigned many = RUN_LANES;
        x = a->opt->runs - a->out->runs < many ? RUN_UNABLE : runner_try_many(r, d, seed);
        if (x == RUN_UNABLE) {
            many = 1;
            x = runner_try(r, d, seed);
        }
        seed += many;
        a->out->runs += x == RUN_SAME ? many : 0;
        unable += x == RUN_UNABLE;
    }
    runner_free(r);
    return x != RUN_DIFFERS;
}

/* False: they differ there. */
static bool run_natively(struct adapt *a, const struct adapter *d)
{
    const char *why = NULL;
    struct native *n = native_new(a, a->opt->runs, &why);
    enum run_outcome x = n ? native_try(n, d, &a->out->native_runs, &why) : RUN_UNABLE;
    if (n)
        native_free(n);
    if (why)
        adapt_note(a, "not run natively: %s", why);
    return x != RUN_DIFFERS;
}

static uint64_t fingerprint_of_target(struct adapt *a)
{
    struct compared *c = &a->fingerprint.compared;
    if (a->fingerprint.of == a->target.x && c->bits == a->compared.bits && c->pair == a->compared.pair &&
        c->truth == a->compared.truth)
        return a->fingerprint.value;
    struct runner *r = runner_new(a);
    a->fingerprint.of = a->target.x;
    a->fingerprint.compared = a->compared;
    a->fingerprint.value = runner_fingerprint(r, a->opt->runs);
    runner_free(r);
    return a->fingerprint.value;
}

static void found(struct adapt *a, struct adapter *d, unsigned stage, bool simpler)
{
    struct adapt_answer *o = a->out;
    struct terms *t = a->t;
    if (a->target.unfit && !a->same) {
        undecided(a, arena_printf(a->arena,
                                  "one agrees with all that is known of the target, which is not all: %s",
                                  a->target.unfit));
        return;
    }
    if (simpler)
        simplify(a, d, stage);
    if (!run_against(a, d)) {
        undecided(a, "an adapter that the solver accepts differs from the target on the interpreter");
        return;
    }
    if (a->opt->native && !run_natively(a, d)) {
        undecided(a, "an adapter that the solver accepts differs from the target when both are run natively");
        return;
    }
    if (!a->same && (!a->calls || a->given != TERM_NONE) && !adapter_has_inputs(a)) {
        undecided(a, "no input was found that satisfies the assumptions and stays within the bounds");
        return;
    }
    o->verdict = ADAPT_FOUND;
    o->reason = NULL;
    o->adapter = *d;
    o->family = (uint8_t)(1u << stage);
    o->result_bits = a->compared.bits;
    o->result_pair = a->compared.pair;
    if (a->opt->cluster)
        o->cluster = fingerprint_of_target(a);
    o->bounded = !a->same && !term_is_false(t, a->target.is.open);
    o->trivial =
        a->target.is.world == origin_symbol(t, (struct term_origin){.kind = ORIGIN_WORLD}, 64) &&
        a->target.is.memory == explorer_symbols(a->target.x).mem &&
        (!o->result_bits || term_is_const(t, term_extract(t, a->target.is.result[0], 0, o->result_bits)));
    if (a->opt->modulo_faults)
        adapt_note(a, "inputs on which the target faults do not count");
    if (a->given != TERM_NONE)
        adapt_note(a, "inputs of which the assumptions do not hold do not count");
    if (a->compared.truth)
        adapt_note(a, "of the result only whether it is 0 counts");
    if (o->bounded)
        adapt_note(a, "checked for inputs on which the target runs no block more than %u times",
                   a->opt->visits);
    if (a->same)
        adapt_note(a,
                   "both have the same code, and nothing that they call looks at where it was called from");
    else if (a->target.why_doubt)
        adapt_note(a, "what was not followed is taken to do the same when it is given the same (%s)",
                   a->target.why_doubt);
}

/* Whether a guess is right, with one of the conversions of the result. */
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
            found(a, &d, stage, false);
            a->calls = false;
            return true;
        }
    }
    a->compared = modes->mode[0];
    if (!unify_candidate(a, &d, &stage))
        return false;
    while (stage < STAGES && !(a->opt->families >> stage & 1))
        stage++;
    if (stage == STAGES)
        return false;
    for (unsigned k = 0; k < modes->n; k++)
        for (unsigned c = 0;
             c < (a->opt->families & ADAPT_RETURN && modes->mode[k].bits ? ADAPT_CONVERSIONS : 1); c++) {
            if (modes->mode[k].vague ||
                (a->width == 32 && (c == ADAPT_S32 || c == ADAPT_Z32 || c == ADAPT_BOOL32)))
                continue;
            a->compared = modes->mode[k];
            d.result.conversion = (uint8_t)c;
            if (deadline_over(&a->until) || adapter_check(a, &d, true, NULL) != CHECK_RIGHT)
                continue;
            found(a, &d, stage, false);
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
    limit_solver(a, half < REFUTE_MS ? half : REFUTE_MS);
    bool refuted = synthesise(a, &all, true, true, NULL) == SOLVE_UNSAT;
    limit_solver(a, deadline_left(&a->until));
    return refuted;
}

/* Of functions that only compute most is found out without the solver, and mostly in a moment. */
static bool search_pure(struct adapt *a, const struct modes *modes, unsigned last, unsigned hundredths)
{
    struct adapter d;
    unsigned stage;
    if (modes->n != 1)
        return false;
    a->compared = modes->mode[0];
    switch (pure_search(a, last, hundredths, &d, &stage)) {
    case PURE_FOUND:
        found(a, &d, stage, false);
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
    found(a, &d, STAGE_PERMUTE, false);
    return a->out->verdict == ADAPT_FOUND;
}

/* `whole`: nothing more will be known of the two. */
static bool search(struct adapt *a, struct modes *modes, bool whole)
{
    unsigned last = largest_stage(a), first = a->opt->families & ADAPT_PERMUTE ? STAGE_PERMUTE : last;
    for (unsigned s = 0; s < STAGES; s++)
        if (a->opt->families >> s & 1 && s < first)
            first = s;
    bool converts = a->opt->families & ADAPT_RETURN;
    struct adapt_answer *o = a->out;
    o->family = (uint8_t)(1u << last);
    struct form all;
    struct adapter d = {.nargs = a->inner.nargs, .width = a->width, .result = {.scale = 1}};
    if (a->same && try_same(a, modes))
        return true;
    if (search_pure(a, modes, last, MOMENT))
        return true;
    if (!a->opt->enumerate && !a->target.partial && try_guess(a, modes))
        return true;
    if (!whole)
        return false;
    a->compared = modes->mode[modes->n - 1];
    o->result_bits = a->compared.bits;
    o->result_pair = a->compared.pair;
    if (is_refuted(a, last, converts)) {
        o->verdict = ADAPT_NONE;
        return true;
    }
    if (search_pure(a, modes, last, SAMPLES_SHARE))
        return true;
    if (is_refuted_together(a, last, converts)) {
        o->verdict = ADAPT_NONE;
        return true;
    }
    if (a->target.partial || a->inner.partial) {
        undecided(a, a->target.partial ? "the target does too much to be compared"
                                       : "the inner function does too much to be compared");
        return true;
    }
    for (unsigned k = 0; k < modes->n; k++) {
        bool progress;
        a->compared = modes->mode[k];
        if (a->compared.vague)
            continue;
        if (last >= STAGE_SUBSTITUTE && !a->opt->constant && has_time(a) && try_candidate(a, &d, &progress)) {
            found(a, &d, STAGE_SUBSTITUTE, false);
            return true;
        }
        for (unsigned s = first; s <= last && has_time(a); s++) {
            if (!(a->opt->families >> s & 1) ||
                (s == STAGE_PERMUTE && a->inner.nargs > a->target.nargs && !a->opt->enumerate))
                continue;
            for (unsigned r = 0; r <= converts; r++) {
                struct adapter x;
                o->reason = NULL;
                if (a->opt->enumerate ? search_one_by_one(a, s, r, &x) : search_stage(a, s, r, &x)) {
                    found(a, &x, s, true);
                    return true;
                }
            }
        }
    }
    const char *why = o->reason;
    if (a->opt->enumerate) {
        undecided(a,
                  "no adapter with the constants that were tried; an enumeration proves nothing of others");
        return false;
    }
    o->reason = NULL;
    a->compared = modes->mode[modes->n - 1];
    form_make(&all, a, last, converts);
    enum solve_answer answer = synthesise(a, &all, true, true, NULL);
    if (answer == SOLVE_UNSAT) {
        o->verdict = ADAPT_NONE;
        return true;
    }
    if (modes->mode[modes->n - 1].vague && answer == SOLVE_SAT && !why) {
        undecided(a, "it is not known how much of the register of results the target returns");
        return true;
    }
    undecided(a, why                   ? why
                 : a->target.why_doubt ? arena_printf(a->arena, "in the target %s", a->target.why_doubt)
                 : a->inner.why_doubt ? arena_printf(a->arena, "in the inner function %s", a->inner.why_doubt)
                 : a->inner.why_open
                     ? arena_printf(a->arena, "the inner function was not explored to its end: %s",
                                    a->inner.why_open)
                 : answer == SOLVE_UNKNOWN ? "the solver gave up"
                                           : "the inner function may reach memory that the target does not");
    return true;
}

bool is_address(const struct adapt *a, uint64_t x)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        const struct object_segment *seg;
        size_t n = s->bias ? object_segments(program_object(s->code.p), &seg) : 0;
        for (size_t i = 0; i < n; i++)
            if (x - (s->bias + seg[i].address) < seg[i].size)
                return true;
    }
    return false;
}

/* Addresses of position-independent code are told apart by a bias; others are numbers. */
static bool has_fixed_data(const struct adapt *a)
{
    if (a->target.code.p == a->inner.code.p)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        for (size_t i = 0; i < s->is.naccesses; i++) {
            uint64_t address;
            uint8_t byte;
            if (term_const_u64(a->t, s->is.access[i].address, &address) &&
                object_read(program_object(s->code.p), address, &byte, 1))
                return true;
        }
    }
    return false;
}

static bool ready(struct adapt *a)
{
    if (a->target.stuck)
        undecided(a, arena_printf(a->arena, "the target was not explored to its end: %s",
                                  a->target.why_open ? a->target.why_open : "no path"));
    else if (a->target.floats)
        undecided(a, "the target returns a floating-point number, or may");
    else if (has_fixed_data(a))
        undecided(a, "data of two files lies at fixed addresses, which may be the same");
    else
        return true;
    return false;
}

/* ---- summaries ---- */

struct adapt *adapt_new(const struct adapt_options *opt, struct error *err)
{
    struct adapt *a = xcalloc(1, sizeof *a);
    a->opt = opt;
    a->arena = &a->keep;
    a->t = terms_new();
    unsigned query_ms = opt->timeout_ms && opt->timeout_ms < QUERY_MS ? opt->timeout_ms : QUERY_MS;
    /* a step takes many times as long where numbers are multiplied: the limit is the time, as for the search
     */
    struct solve_options how = {.timeout_ms = query_ms, .effort = query_ms * SOLVE_STEPS_MS};
    a->s = solver_new(a->t, &how, err);
    if (a->s)
        return a;
    adapt_free(a);
    return NULL;
}

void adapt_free(struct adapt *a)
{
    for (struct summary *s = a->made, *next; s; s = next) {
        next = s->next;
        summary_free(s);
        free(s);
    }
    if (a->world)
        blind_world_free(a->world);
    vec_free(&a->test);
    vec_free(&a->notes.list);
    vec_free(&a->assume);
    if (a->s)
        solver_free(a->s);
    terms_free(a->t);
    arena_free(&a->keep);
    free(a);
}

/* Addresses of two files are told apart, and from numbers. */
static uint64_t bias_of(const struct adapt_code *c, bool second)
{
    if (program_machine(c->p)->pointer_width == 64)
        return second ? UINT64_C(0x7f3500000000) : UINT64_C(0x556a00000000);
    return second ? 0x6b000000 : 0x5a000000;
}

static const struct summary *summary_of(struct adapt *a, const struct adapt_code *c, term given, bool apart,
                                        struct error *err)
{
    for (const struct summary *s = a->made; s; s = s->next)
        if (s->code.p == c->p && s->code.f->address == c->f->address && s->code.fragment == c->fragment &&
            s->code.out == c->out && s->apart == apart && s->pair == a->pair && s->deep == a->deep &&
            given == s->holds)
            return s;
    struct summary *s = xcalloc(1, sizeof *s);
    bool second = a->first && a->first != c->p;
    if (!a->first)
        a->first = c->p;
    a->width = program_machine(c->p)->pointer_width;
    bool ok = true;
    const struct summary *plain = apart ? summary_of(a, c, given, false, err) : NULL;
    if (plain) {
        *s = *plain;
        s->x = NULL;
        s->roms = (struct roms){0};
        memset(&s->path, 0, sizeof s->path);
        memset(&s->seen, 0, sizeof s->seen);
        memset(&s->assume, 0, sizeof s->assume);
        memset(&s->own, 0, sizeof s->own);
        for (size_t i = 0; i < plain->assume.len; i++)
            vec_push(&s->assume, plain->assume.data[i]);
        summary_set_apart(s);
    } else {
        ok = !apart && summary_make(s, a, c, bias_of(c, second), second, given, err);
    }
    if (!ok) {
        summary_free(s);
        free(s);
        return NULL;
    }
    s->next = a->made;
    return a->made = s;
}

bool adapt_summarise(struct adapt *a, const struct adapt_code *code, struct error *err)
{
    return summary_of(a, code, TERM_NONE, false, err);
}

/* ---- the question ---- */

static bool prepare(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner,
                    bool pair, struct modes *modes, struct error *err)
{
    if (!assume_read(a, target, bias_of(target, a->first && a->first != target->p), err))
        return false;
    modes_by_debug(a, target, modes);
    if (!modes->n)
        modes_by_code(a, target, modes);
    if (a->opt->truth)
        modes_as_truth(a, modes);
    if (!modes->n) {
        undecided(a, "a result in two registers is no truth value");
        return true;
    }
    /* results in two registers are looked for by themselves: what only the second depends on is no argument
     * else */
    a->pair = modes->mode[0].pair && pair;
    if (a->pair)
        modes->n = 1;
    else if (modes->mode[0].pair)
        memmove(modes->mode, modes->mode + 1, --modes->n * sizeof *modes->mode);
    if (!modes->n)
        return true;
    const struct summary *x = summary_of(a, target, a->given, false, err);
    if (!x)
        return false;
    a->target = *x;
    assume_reads(a);
    const struct summary *y = summary_of(a, inner, assume_of_inner(a), true, err);
    if (!y)
        return false;
    a->inner = *y;
    vec_clear(&a->assume);
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < (side ? y : x)->assume.len; i++)
            vec_push(&a->assume, (side ? y : x)->assume.data[i]);
    if (a->given != TERM_NONE)
        vec_push(&a->assume, a->given);
    if (summary_has_leftovers(&a->target, modes->mode[modes->n - 1].bits > 0)) {
        a->target.is.doubt = term_true(a->t);
        a->target.why_doubt = "it depends on registers that carry no argument";
    }
    modes_without_result(a, modes);
    return true;
}

/* By runs alone, before anything is explored. */
static bool is_refuted_blindly(struct adapt *a, const struct adapt_code *target,
                               const struct adapt_code *inner)
{
    struct time_spent begun = time_now();
    a->until = deadline_in(a->opt->timeout_ms);
    bool refuted = blind_refutes(a, target, inner);
    a->out->ms += time_since(begun);
    if (!refuted)
        return false;
    a->out->verdict = ADAPT_NONE;
    a->out->family = (uint8_t)(1u << largest_stage(a));
    return true;
}

static void drop_tests(struct adapt *a)
{
    for (size_t i = 0; i < a->test.len; i++)
        test_drop(&a->test.data[i]);
    vec_clear(&a->test);
}

/* Structures that are laid out differently. That there is no such adapter is never said. */
static bool search_structures(struct adapt *a, const struct adapt_code *target,
                              const struct adapt_code *inner, struct error *err)
{
    struct adapt_answer *o = a->out;
    struct modes modes = {0};
    o->verdict = ADAPT_UNDECIDED;
    o->family = ADAPT_MEMORY;
    o->reason = NULL;
    a->deep = true;
    if (target->fragment || inner->fragment) {
        undecided(a, "fragments have no structures");
        return true;
    }
    if (is_chosen(a, target, inner))
        return true;
    if (!prepare(a, target, inner, false, &modes, err))
        return false;
    o->target_args = a->target.nargs;
    if (modes_float(target) == 1 || modes_elsewhere(target) || !modes.n) {
        undecided(a,
                  "the target returns a floating-point number, a structure or a vector, or in two registers");
        return true;
    }
    struct time_spent begun = time_now();
    a->until = deadline_in(a->opt->timeout_ms);
    if (a->opt->timeout_ms)
        limit_solver(a, a->opt->timeout_ms);
    bool found = false;
    for (unsigned k = 0; k < modes.n && !found; k++) {
        a->compared = modes.mode[k];
        if (a->compared.vague)
            a->compared.bits = 0; /* it is for its structure */
        o->reason = NULL;         /* the last one asks for least, and comes furthest */
        found = memory_search(a, &o->adapter, err);
    }
    o->ms += time_since(begun);
    if (!found)
        return true;
    o->verdict = ADAPT_FOUND;
    o->result_bits = a->compared.bits;
    return true;
}

bool adapt_search(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner,
                  struct adapt_answer *out, struct error *err)
{
    *out = (struct adapt_answer){.verdict = ADAPT_UNDECIDED};
    a->view = NULL;
    const struct ir_machine *m = program_machine(target->p);
    if (m != program_machine(inner->p))
        return error_set(err, ERROR_USAGE,
                         "the target is code for %s and the inner function for %s: one cannot call the other",
                         m->name, program_machine(inner->p)->name);
    struct modes modes = {0};
    a->out = out;
    a->width = m->pointer_width;
    bool others = a->opt->families & ADAPT_ALL;
    a->same = others && target->f != inner->f && same_function(target, inner, a->width);
    bool ok = true, blind = false,
         over = !others || is_elsewhere(a, target) ||
                (!a->same && (blind = is_refuted_blindly(a, target, inner))) || is_chosen(a, target, inner) ||
                is_about_floats(a, target, inner);
    for (unsigned pass = 0; ok && !over && pass < 4; pass++) {
        a->deep = pass / 2;
        modes.n = 0;
        ok = prepare(a, target, inner, pass % 2 == 0, &modes, err);
        if (!ok || !modes.n)
            continue; /* no second register counts, or nothing but it */
        if (pass % 2 == 0 && !modes.mode[0].pair)
            pass++; /* the same as the next one */
        out->target_args = a->target.nargs;
        /* what the passes before took counts, too */
        uint64_t limit = a->opt->timeout_ms;
        uint64_t left = !limit ? 0 : out->ms + 1 < limit ? limit - out->ms : 1;
        struct time_spent begun = time_now();
        a->until = deadline_in(left);
        if (limit)
            limit_solver(a, left);
        bool followed = a->deep || (!a->target.why_doubt && !a->inner.why_doubt);
        out->reason = NULL;
        out->verdict = ADAPT_UNDECIDED;
        if (ready(a))
            search(a, &modes, followed);
        out->ms += time_since(begun);
        drop_tests(a);
        /* that no adapter gives both registers says nothing of the first alone, unless both surely count */
        bool last = pass % 2 == 1 || modes.sure;
        over = out->verdict == ADAPT_FOUND || (last && (out->verdict == ADAPT_NONE || followed));
    }
    if (ok && !a->same && out->verdict == ADAPT_FOUND && (a->target.rounds || a->inner.rounds)) {
        out->verdict = ADAPT_UNDECIDED;
        undecided(a, "the x87 unit may round otherwise");
    }
    if (ok && !blind && out->verdict == ADAPT_NONE && modes_narrow(target)) {
        out->verdict = ADAPT_UNDECIDED;
        undecided(
            a,
            "no adapter agrees with the target on all tests, but callers may have to extend an argument of "
            "less than 32 bits, which tests do not");
    }
    if (ok && out->verdict == ADAPT_NONE && (modes_paired(target) || modes_paired(inner))) {
        out->verdict = ADAPT_UNDECIDED;
        undecided(a, "an argument takes two words, and a register before it may be left out");
    }
    if (ok && a->opt->families & ADAPT_MEMORY && out->verdict != ADAPT_FOUND)
        ok = search_structures(a, target, inner, err);
    for (size_t i = 0; i < a->notes.list.len; i++)
        a->notes.list.data[i] = arena_strdup(&out->arena, a->notes.list.data[i]);
    if (a->notes.list.len)
        out->note =
            arena_dup(&out->arena, a->notes.list.data, a->notes.list.len * sizeof *a->notes.list.data);
    out->nnotes = a->notes.list.len;
    if (out->reason)
        out->reason = arena_strdup(&out->arena, out->reason);
    vec_clear(&a->notes.list);
    return ok;
}

void adapt_answer_free(struct adapt_answer *a)
{
    arena_free(&a->arena);
}
