/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From failures to evidence: the smallest difference, an input that shows it, and a run of that input on both
 * versions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "tell/condition.h"
#include "tell/share.h"
#include "verify/private.h"
#include "verify/steps.h"

enum { INPUTS_MAX = 24, RETURNS_TO = 0xc0ffee0 };

static const char *text_of(struct check *c, int s, term x)
{
    if (x == TERM_NONE)
        return NULL;
    struct buf b = BUF_INIT;
    if (term_is_array(c->t, x)) /* what a callee leaves */
        words_exactly(&b, c->words[s], x);
    else
        words_term(&b, c->words[s], x);
    const char *out = arena_strdup(c->arena, buf_text(&b));
    buf_free(&b);
    return out;
}

const char *evidence_line(struct check *c, int s, uint64_t site)
{
    struct object_line l;
    if (!site || !object_debug_line(c->pair.side[s].o, site, &l) || !l.file)
        return NULL;
    return arena_printf(c->arena, "%s:%u", path_base(l.file), l.line);
}

struct seen_inputs {
    struct check *c;
    const struct term_model *model;
    VEC(struct verify_input) in;
};

static bool see_input(void *ctx, term u)
{
    struct seen_inputs *all = ctx;
    struct check *c = all->c;
    unsigned kind = term_kind(c->t, u);
    if (term_is_array(c->t, u))
        return false;
    bool read = kind == TERM_READ && term_kind(c->t, term_kid(c->t, u, 0)) == TERM_VAR;
    bool made = origin_is(c->t, u, ORIGIN_RESULT);
    struct bits v;
    if ((kind != TERM_VAR && !read && !made) || !term_eval(c->t, all->model, u, &v))
        return false;
    if (origin_is(c->t, u, ORIGIN_SP) || origin_is(c->t, u, ORIGIN_CALLER) ||
        origin_is(c->t, u, ORIGIN_WORLD))
        return false;
    /* Registers that callees may look at, though nothing says so, have a value, too. */
    unsigned number;
    int own = c->pair.side[OLD].proto.nargs;
    bool beyond = own >= 0 && origin_is_argument(c->t, u, &number) && number >= (unsigned)own;
    if (bits_is_zero(v) && (beyond || origin_is_register(c->t, u)))
        return false;
    vec_push(&all->in,
             (struct verify_input){text_of(c, OLD, u), steps_hex(c->arena, v, term_width(c->t, u))});
    return all->in.len == INPUTS_MAX;
}

/* What of the input the terms depend on: arguments, memory as it was, what callees return. */
static void inputs(struct check *c, const struct failure *f, struct verify_difference *d)
{
    const term of[] = {f->when, f->value[OLD], f->value[NEW], f->place};
    struct seen_inputs all = {.c = c, .model = f->model};
    term_any_of(c->t, of, sizeof of / sizeof *of, see_input, &all);
    d->input = arena_dup(c->arena, all.in.data, all.in.len * sizeof *all.in.data);
    d->ninputs = all.in.len;
    vec_free(&all.in);
}

/* ---- running it ---- */

struct follow {
    struct check *c;
    struct pair_side *s;
    struct term_model *model;
    const struct exec_path *path;
};

/* Keep only the path that the input takes. */
static bool on_the_way(void *ctx, struct exec_moment *at, ir_label block, unsigned n)
{
    (void)block;
    (void)n;
    struct pair_side *s = ctx;
    struct check *c = check_of(s);
    struct bits v;
    term cond = attempt_seen(c, c->shown, s, moment_condition(at));
    /* Where the model cannot say, either branch will do: a better model is asked for once the path is known.
     */
    return !term_eval(c->t, c->model, cond, &v) || !bits_is_zero(v);
}

static bool take_path(void *ctx, const struct exec_path *p)
{
    struct follow *f = ctx;
    struct bits v;
    if (!term_eval(f->c->t, f->model, attempt_seen(f->c, f->c->shown, f->s, p->condition), &v) ||
        !bits_is_zero(v)) {
        f->path = p;
        return false;
    }
    return true;
}

/* Everything a path's terms are made of. */
static void parts(struct check *c, struct pair_side *s, const struct exec_path *p, bool common,
                  struct map *seen)
{
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, p->condition);
    vec_push(&todo, p->memory);
    if (p->result != TERM_NONE)
        vec_push(&todo, p->result);
    for (unsigned i = 0; i < p->nevents; i++) {
        const struct exec_event *e = &p->event[i];
        const term some[] = {e->mem_before, e->mem_after, e->result, e->target, e->token};
        for (unsigned k = 0; k < sizeof some / sizeof *some; k++)
            if (some[k] != TERM_NONE)
                vec_push(&todo, some[k]);
        for (unsigned k = 0; k < e->nargs; k++)
            vec_push(&todo, e->arg[k]);
    }
    for (size_t i = 0; common && i < todo.len; i++)
        todo.data[i] = attempt_seen(c, c->shown, s, todo.data[i]);
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(seen, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(c->t, u); i++)
            vec_push(&todo, term_kid(c->t, u, i));
    }
    vec_free(&todo);
}

static int by_number(const void *a, const void *b)
{
    term x = *(const term *)a, y = *(const term *)b;
    return x < y ? -1 : x > y;
}

/* So that a model says what is in the array. */
static term speaks_of(struct check *c, term array)
{
    return term_eq(c->t, term_read(c->t, array, term_const(c->t, c->width, 0xdead0), 8),
                   term_const(c->t, 8, 0x5a));
}

/* What is read if that is in the file, and stays as it is; else TERM_NONE. */
static term reads_constant(struct check *c, const struct pair_side *s, term read,
                           const struct term_model *model)
{
    struct bits at;
    if (!term_eval(c->t, model, term_kid(c->t, read, 1), &at))
        return TERM_NONE;
    uint64_t native = bits_low(at) - s->bias;
    return explorer_constant(s->x, c->width == 32 ? (uint32_t)native : native, term_width(c->t, read));
}

/* The model gives what a path is made of that value, if it can. */
static void give(struct check *c, struct term_model *model, term u, struct bits v)
{
    struct bits now;
    if (term_eval(c->t, model, u, &now) && bits_eq(now, v))
        return;
    if (term_kind(c->t, u) == TERM_READ)
        term_model_set_read(c->t, model, u, v);
    else
        term_model_set(model, u, v);
}

/* What is read of the files is as it is there. */
static void give_constants(struct check *c, struct term_model *model, const term *node, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct bits at, v;
        if (term_kind(c->t, node[i]) != TERM_READ || !term_eval(c->t, model, term_kid(c->t, node[i], 1), &at))
            continue;
        const term is = query_constant(c, bits_low(at), term_width(c->t, node[i]));
        if (is != TERM_NONE && term_const_value(c->t, is, &v))
            give(c, model, node[i], v);
    }
}

/* The model mentions the old version's places. One that gives everything a path of the new version is made
 * of the same value, under its own places. */
static struct term_model *own_model(struct check *c, struct pair_side *s, const struct exec_path *p,
                                    struct term_model *model)
{
    struct map seen = {0};
    VEC(term) node = VEC_INIT, q = VEC_INIT, arrays = VEC_INIT;
    uint64_t key, one;
    parts(c, s, p, false, &seen);
    for (size_t i = 0; (i = map_next(&seen, i, &key, &one));)
        vec_push(&node, (term)key);
    vec_sort(&node, by_number);
    struct term_model *near = term_model_copy(model);
    vec_push(&q, p->condition);
    vec_push(&node, c->sp);
    if (explorer_symbols(s->x).ret != TERM_NONE)
        vec_push(&node, explorer_symbols(s->x).ret);
    for (size_t i = 0; i < node.len; i++) {
        term u = node.data[i];
        unsigned kind = term_kind(c->t, u);
        struct bits v;
        term is = kind == TERM_READ ? reads_constant(c, s, u, model) : TERM_NONE;
        if (is != TERM_NONE) {
            vec_push(&q, term_eq(c->t, u, is));
            if (term_const_value(c->t, is, &v))
                give(c, near, u, v);
        } else if (kind == TERM_APPLY && term_is_array(c->t, u)) {
            vec_push(&arrays, speaks_of(c, u));
            term_model_set_array(near, u, attempt_seen(c, c->shown, s, u));
        } else if ((kind == TERM_VAR || kind == TERM_APPLY || kind == TERM_READ) && !term_is_array(c->t, u) &&
                   term_eval(c->t, model, attempt_seen(c, c->shown, s, u), &v)) {
            vec_push(&q, term_eq(c->t, u, term_const_bits(c->t, term_width(c->t, u), v)));
            give(c, near, u, v);
        }
    }
    struct term_model *own = NULL;
    c->query.native = true;
    if (query_shows(c, near, q.data, q.len)) {
        own = term_model_hold(near);
    } else {
        for (size_t i = 0; i < arrays.len; i++)
            vec_push(&q, arrays.data[i]);
        query_possible(c, q.data, q.len, &own);
    }
    c->query.native = false;
    map_free(&seen);
    vec_free(&node);
    vec_free(&q);
    vec_free(&arrays);
    term_model_free(near);
    return own;
}

/* The path the input takes. */
static const struct exec_path *find_path(struct check *c, struct pair_side *s, struct term_model *model)
{
    enum { MOST_MS = 2000 };
    unsigned limit = c->opt->timeout_ms;
    struct explore_options o = {
        .visits = 250, .axioms = c->opt->axioms, .keep_regs = true, .max_depth = 20000};
    const struct budget budget = query_budget(c, limit && limit < MOST_MS ? limit : MOST_MS);
    query_explore_within(&o, &budget);
    struct follow w = {c, s, model, NULL};
    check_explorer(c, s, &o);
    s->hooks.enter = on_the_way;
    c->model = model;
    struct error err = {0};
    explore_function(s->x, s->f, take_path, &w, &err);
    if (w.path)
        check_see_path(c, s, w.path);
    return w.path;
}

/* An input for these very paths: with a stack where no argument is likely to point, allocations that do not
 * overlap, and a word on everything the paths use. */
static struct term_model *better_model(struct check *c, const struct failure *f,
                                       const struct exec_path *const p[2])
{
    struct map seen = {0};
    VEC(term) node = VEC_INIT, q = VEC_INIT;
    uint64_t key, one;
    for (int s = 0; s < 2; s++) {
        parts(c, &c->pair.side[s], p[s], true, &seen);
        vec_push(&q, attempt_seen(c, c->shown, &c->pair.side[s], p[s]->condition));
    }
    for (size_t i = 0; (i = map_next(&seen, i, &key, &one));)
        vec_push(&node, (term)key);
    vec_sort(&node, by_number);
    term shown[FAILURE_TERMS];
    size_t nshown = attempt_failure_terms(c, f, shown);
    for (size_t i = 0; i < nshown; i++)
        vec_push(&q, shown[i]);
    if (f->entered != TERM_NONE)
        vec_push(&q, f->entered);
    size_t plain = q.len;
    term ret = explorer_symbols(c->pair.side[OLD].x).ret, stack = term_eq(c->t, c->sp, apart_stack(c));
    struct term_model *model = term_model_copy(f->model);
    if (ret != TERM_NONE)
        term_model_set(model, ret, bits_u64(RETURNS_TO, c->width));
    vec_push(&q, stack);
    term_model_keep_arrays(model);
    if (f->some)
        give_constants(c, model, node.data, node.len);
    if (f->some && query_shows(c, model, q.data, q.len)) {
        map_free(&seen);
        vec_free(&node);
        vec_free(&q);
        return model;
    }
    term_model_free(model);
    model = NULL;
    q.len = plain;
    unsigned heaps = 0;
    for (size_t i = 0; i < node.len; i++) {
        term u = node.data[i];
        if (term_kind(c->t, u) != TERM_APPLY)
            continue;
        if (term_is_array(c->t, u)) {
            vec_push(&q, speaks_of(c, u));
        } else if (origin_is_new_object(c->t, u) && heaps < 64) {
            term at = term_const(c->t, c->width, UINT64_C(0x51000000) + 0x100000 * ++heaps);
            vec_push(&q,
                     term_or(c->t, term_eq(c->t, u, at), term_eq(c->t, u, term_const(c->t, c->width, 0))));
        }
    }
    size_t quiet = q.len;
    vec_push(&q, stack);
    if (ret != TERM_NONE)
        vec_push(&q, term_eq(c->t, ret, term_const(c->t, c->width, RETURNS_TO)));
    size_t asked = q.len;
    if (query_possible(c, q.data, asked, &model) != YES &&
        query_possible(c, q.data, asked = quiet, &model) != YES)
        query_possible(c, q.data, asked = plain, &model);
    if (model)
        model = likely_model(c, f, model, q.data, asked);
    map_free(&seen);
    vec_free(&node);
    vec_free(&q);
    return model;
}

/* The input of the failure says something else of a constant than the file that has it. */
static bool contradicts_files(struct check *c, const struct failure *f)
{
    term shown[FAILURE_TERMS];
    question all = VEC_INIT;
    const size_t n = attempt_failure_terms(c, f, shown);
    for (size_t i = 0; i < n; i++)
        vec_push(&all, shown[i]);
    const bool yes = tables_differ(c, f->model, &all);
    vec_free(&all);
    return yes;
}

static void find_witnesses(struct check *c, struct failure *f)
{
    c->shown = f;
    for (int s = 0; s < 2 && !f->witness[s]; s++) {
        f->witness[s] = find_path(c, &c->pair.side[s], f->model);
        f->witness_explorer[s] = c->pair.side[s].x;
        if (!f->witness[s])
            return;
    }
}

/* The input takes the path: undecided where the model does not say. */
static enum answer is_taken(struct check *c, const struct failure *f, int s)
{
    struct bits v;
    if (!term_eval(c->t, f->model, attempt_seen(c, c->shown, &c->pair.side[s], f->witness[s]->condition), &v))
        return UNDECIDED;
    return bits_is_zero(v) ? NO : YES;
}

/* What differs, of the first that is refuted, and what makes its input likely; the failure was confirmed by
 * it. */
static void take_over(struct check *c, struct failure *f, const struct attempt *found)
{
    const struct failure *k = found->failed.data;
    while (!k->refuted)
        k++;
    f->entered = term_and(c->t, k->when == TERM_NONE ? term_true(c->t) : k->when,
                          k->differ == TERM_NONE ? term_true(c->t) : k->differ);
    f->likely = k->likely;
    f->united[0] = k->united[0];
    f->united[1] = k->united[1];
    f->nunited = k->nunited;
}

/* The two paths differ by themselves, too. They do not when they were compared in full and the input takes
 * them. `entered`: the code of callees was run on them, other than when the difference was found. */
static enum answer witnesses_differ(struct check *c, struct failure *f, bool entered)
{
    struct attempt own = {0}, *kept = c->now;
    attempt_begin(c, &own);
    ends e[2] = {VEC_INIT, VEC_INIT};
    for (int s = 0; s < 2; s++) {
        c->pair.side[s].x = f->witness_explorer[s];
        vec_push(&e[s], compare_end(c, &c->pair.side[s], f->witness[s]));
    }
    c->query.hint = f->model;
    struct findings found = compare_exits(c, &e[OLD], &e[NEW]);
    c->query.hint = NULL;
    attempt_record(&own, &found);
    /* It is another difference than the one that was found to have a likely input. */
    if (entered)
        likely_failures(c);
    const enum answer differ = attempt_has_refuted(&own) ? YES
                               : own.failed.len || is_taken(c, f, OLD) != YES || is_taken(c, f, NEW) != YES
                                   ? UNDECIDED
                                   : NO;
    if (entered && differ == YES)
        take_over(c, f, &own);
    vec_free(&e[OLD]);
    vec_free(&e[NEW]);
    attempt_drop(c, &own);
    c->now = kept;
    return differ;
}

void evidence_confirm(struct check *c)
{
    likely_failures(c);
    meaning_failures(c);
    for (size_t i = 0; i < c->now->failed.len; i++) {
        struct failure *f = &c->now->failed.data[i];
        if (!f->refuted || !f->model)
            continue;
        find_witnesses(c, f);
        enum answer differ = f->witness[OLD] && f->witness[NEW] ? witnesses_differ(c, f, false) : YES;
        if (differ == YES)
            continue;
        f->refuted = false;
        f->reason = reason_of(c->arena, differ == NO ? VERIFY_REASON_INPUT_SHOWS_NONE
                                                     : VERIFY_REASON_INPUT_NOT_DECIDED);
    }
}

/* Of the terms of a version, none is true with the input of the failure. */
static bool all_false(struct check *c, const struct failure *f, bool new, const term *x, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n && all; i++) {
        const term y = x[i] == TERM_NONE || !new || !f->nunited
                           ? x[i]
                           : term_substitute(c->t, x[i], f->united[0], f->united[1], f->nunited);
        struct bits v;
        all = y == TERM_NONE || (term_eval(c->t, f->model, y, &v) && bits_is_zero(v));
    }
    return all;
}

/* A run on the interpreter showed what the two do otherwise, and as exits are classed by now both accept its
 * input, too: nothing has to be asked. */
static bool is_accepted(struct check *c, const struct failure *f)
{
    struct end e[2];
    if (!f->some || (f->property != VERIFY_P2 && f->property != VERIFY_P4))
        return false;
    for (int s = 0; s < 2; s++) {
        c->pair.side[s].x = f->witness_explorer[s];
        e[s] = compare_end(c, &c->pair.side[s], f->witness[s]);
    }
    e[NEW] = exits_class_paired(c, &e[OLD], &e[NEW]);
    bool accepted = e[OLD].returns && e[NEW].returns;
    for (int s = 0; s < 2 && accepted; s++) {
        const term rejects[] = {e[s].error, e[s].invalid, e[s].undecided};
        accepted = all_false(c, f, s == NEW, rejects, s == NEW ? 3 : 2);
    }
    return accepted;
}

bool evidence_stands(struct check *c)
{
    bool any = false;
    for (int asked = 0; asked < 2; asked++)
        for (size_t i = 0; i < c->now->failed.len && !any; i++) {
            struct failure *f = &c->now->failed.data[i];
            c->shown = f;
            any = f->refuted && f->model && f->witness[OLD] && f->witness[NEW] &&
                  (asked ? witnesses_differ(c, f, false) == YES : is_accepted(c, f));
        }
    return any;
}

bool evidence_confirm_entered(struct check *c)
{
    for (size_t i = 0; i < c->now->failed.len; i++) {
        struct failure *f = &c->now->failed.data[i];
        if (!f->refuted || !f->model)
            continue;
        f->witness[OLD] = f->witness[NEW] = NULL;
        find_witnesses(c, f);
        f->refuted = f->witness[OLD] && f->witness[NEW] && witnesses_differ(c, f, true) == YES;
    }
    return attempt_has_refuted(c->now);
}

/* Runs the input on both versions. */
static void replay_both(struct check *c, struct failure *f, struct verify_difference *d)
{
    find_witnesses(c, f);
    f->run_reason = VERIFY_REASON_RUN_SHOWS_NONE;
    const struct exec_path *const *p = f->witness;
    for (int s = 0; s < 2; s++) {
        if (!p[s]) {
            f->run_reason = VERIFY_REASON_RUN_NOT_FOUND;
            d->replay = VERIFY_REPLAY_FAILED;
            d->replay_why = arena_printf(c->arena, "the path of the input in the %s version was not found",
                                         s ? "new" : "old");
            return;
        }
        uint64_t *t = arena_array(c->arena, uint64_t, p[s]->nblocks + 1);
        for (unsigned i = 0; i < p[s]->nblocks; i++)
            t[i] = c->pair.side[s].g->block[p[s]->block[i]].label;
        *(s ? &d->new_trace : &d->old_trace) = t;
        *(s ? &d->nnew_trace : &d->nold_trace) = p[s]->nblocks;
    }
    struct term_model *better = better_model(c, f, p);
    if (better) {
        term_model_free(f->model);
        f->model = better;
    }
    if (contradicts_files(c, f)) {
        f->run_reason = VERIFY_REASON_RUN_NOT_DECIDED;
        d->replay = VERIFY_REPLAY_FAILED;
        d->replay_why = "the input says something else of a constant than the files do";
        return;
    }
    d->replay = VERIFY_REPLAYED;
    bool locked = true, overlaid = false;
    for (int s = 0; s < 2; s++) {
        struct replay r;
        c->pair.side[s].x = f->witness_explorer[s];
        struct term_model *own = s == NEW ? own_model(c, &c->pair.side[s], p[s], f->model) : NULL;
        bool whole = better && (s == OLD || own);
        struct run run;
        bool ok =
            run_side(&run, c->arena, &c->pair.side[s], p[s], own ? own : f->model, (struct run_real){0}, &r);
        term_model_free(own);
        if (c->opt->steps)
            *(s ? &d->new_step : &d->old_step) =
                steps_tell(c->arena, &run, s ? &d->nnew_steps : &d->nold_steps);
        locked = locked && run.locked;
        overlaid = overlaid || run.overlaid;
        run_free(&run);
        if (ok)
            continue;
        /* The input was incomplete: that the run shows no difference proves nothing. */
        if (!whole)
            f->run_reason = VERIFY_REASON_RUN_NOT_DECIDED;
        if (d->replay != VERIFY_REPLAY_FAILED)
            d->replay = r.outcome == REPLAY_DIFFERS ? VERIFY_REPLAY_FAILED : VERIFY_NOT_REPLAYED;
        d->replay_why = arena_printf(c->arena, "%s version: %s", s ? "new" : "old", r.why);
    }
    /* Where one of them alone does, that is a difference. What lies beside a variable is the linker's choice:
     * constants that are not read do not matter. */
    if (locked && overlaid) {
        d->replay = VERIFY_REPLAY_FAILED;
        d->replay_why = "the input leads both versions to store to constants that they read, where they end";
    }
}

bool evidence_is_shown(struct check *c)
{
    for (size_t i = 0; i < c->now->failed.len; i++) {
        struct failure *f = &c->now->failed.data[i];
        struct verify_difference d = {0};
        if (!f->refuted || !f->model)
            continue;
        replay_both(c, f, &d);
        f->refuted = d.replay == VERIFY_REPLAYED;
    }
    return attempt_has_refuted(c->now);
}

/* Its input leads both versions past calls of small functions of the file, whose results are made up. */
static bool hangs_on_callees(struct check *c, const struct failure *f)
{
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; f->witness[s] && i < f->witness[s]->nevents; i++)
            if (check_calls_small(c, &f->witness[s]->event[i]))
                return true;
    return false;
}

bool evidence_is_certain(struct check *c, const struct attempt *a)
{
    for (size_t i = 0; i < a->failed.len; i++)
        if (a->failed.data[i].refuted && !hangs_on_callees(c, &a->failed.data[i]))
            return true;
    return false;
}

/* ---- what is said ---- */

/* That the two values that are told differ; TERM_NONE: there are no two. */
static term told_differ(struct check *c, const struct failure *f)
{
    term a = f->value[OLD], b = f->value[NEW];
    if (a == TERM_NONE || b == TERM_NONE || term_is_array(c->t, a) || term_is_array(c->t, b) ||
        term_width(c->t, a) != term_width(c->t, b))
        return TERM_NONE;
    return term_not(c->t, term_eq(c->t, a, b));
}

/* The same where it is known exactly; of memory that is a byte. */
static term values_differ(struct check *c, const struct failure *f)
{
    return f->differ != TERM_NONE ? f->differ : told_differ(c, f);
}

static bool impossible(void *ctx, const term *q, unsigned n)
{
    struct check *c = ctx;
    return !query_is_late(c) && solve_check(c->query.solver, q, n, NULL) == SOLVE_UNSAT;
}

static void describe(struct check *c, struct failure *f, struct verify_difference *d)
{
    *d = (struct verify_difference){.property = f->property,
                                    .question = f->question,
                                    .key = f->whole ? NULL : f->key,
                                    .what = f->what,
                                    .share = -1,
                                    .share_low = 0,
                                    .share_high = 1,
                                    .old_site = f->site[OLD],
                                    .new_site = f->site[NEW]};
    term a = f->value[OLD], b = f->value[NEW];
    if (f->event[OLD] && a == TERM_NONE && b == TERM_NONE)
        d->old_text = names_called(c, OLD, f->event[OLD]);
    if (f->event[NEW] && a == TERM_NONE && b == TERM_NONE)
        d->new_text = names_called(c, NEW, f->event[NEW]);
    /* That it is this call is told already; what about it differs is not known. */
    if (d->old_text && d->new_text && strcmp(d->old_text, d->new_text) == 0)
        d->old_text = d->new_text = NULL;
    if (a != TERM_NONE && b != TERM_NONE && !term_is_array(c->t, a))
        words_smallest(c->t, &a, &b);
    if (a != TERM_NONE && b != TERM_NONE)
        words_tell_apart(c->words[OLD], (term[]){a, b}, 2);
    if (a != TERM_NONE)
        d->old_text = text_of(c, OLD, a);
    if (b != TERM_NONE)
        d->new_text = text_of(c, OLD, b);
    words_tell_apart(c->words[OLD], NULL, 0);
    if (a != TERM_NONE && b != TERM_NONE && term_is_const(c->t, a) && term_is_const(c->t, b) && a != b &&
        strcmp(d->old_text, d->new_text) == 0) {
        d->old_text = arena_printf(c->arena, "%s in its old place", d->old_text);
        d->new_text = arena_printf(c->arena, "%s in its new place", d->new_text);
    }
    term told = f->property == VERIFY_P2 ? told_differ(c, f) : TERM_NONE;
    d->condition =
        condition_text(c->arena, &(struct condition_teller){c->t, c->words[OLD], impossible, c},
                       &(struct condition_said){.when = f->when,
                                                .differ = told != TERM_NONE ? told : values_differ(c, f),
                                                .write = f->question == VERIFY_Q2,
                                                .rounds = f->rounds});
    if (f->refuted) {
        const struct share s = share_of(c->t, f->when, values_differ(c, f));
        d->share = s.likely;
        d->share_low = s.low;
        d->share_high = s.high;
    }
    if (f->rounds || f->some) /* there may be more inputs than these */
        d->share_high = 1;
    d->old_line = evidence_line(c, OLD, d->old_site);
    d->new_line = evidence_line(c, NEW, d->new_site);
    if (!f->model)
        return;
    /* What was not refuted the input may show or not. */
    if (f->refuted)
        replay_both(c, f, d);
    inputs(c, f, d);
}

/* A call that differs also changes the order of calls: that need not be reported when the call itself is. */
static bool is_about_order(const struct verify_difference *d)
{
    return d->what && strcmp(d->what, "the order of calls") == 0;
}

static bool is_consequence(const struct verify_difference *d, size_t n, size_t i)
{
    if (!is_about_order(&d[i]))
        return false;
    for (size_t k = 0; k < n; k++)
        if (d[k].property == VERIFY_P4 && !is_about_order(&d[k]) && !d[k].accepted &&
            d[k].replay == VERIFY_REPLAYED)
            return true;
    return false;
}

/* It is about the same places of both versions: only how one gets there is another. */
static bool is_told(const struct verify_difference *d, const struct failure *f)
{
    return d->property == f->property && d->old_site == f->site[OLD] && d->new_site == f->site[NEW] &&
           !d->what == !f->what && (!d->what || strcmp(d->what, f->what) == 0);
}

/* The code of both versions is the same bytes: what they were decoded to may be data. */
static bool same_bytes(const struct check *c)
{
    const struct pair_side *s = c->pair.side;
    size_t n[2];
    const uint8_t *p[2];
    for (int i = 0; i < 2; i++)
        p[i] = object_bytes(s[i].o, s[i].f->address, &n[i]);
    return p[OLD] && p[NEW] && s[OLD].f->size && s[OLD].f->size == s[NEW].f->size &&
           n[OLD] >= s[OLD].f->size && n[NEW] >= s[NEW].f->size &&
           memcmp(p[OLD], p[NEW], s[OLD].f->size) == 0;
}

void evidence_tell(struct check *c, struct verify_result *out)
{
    VEC(struct verify_difference) all = VEC_INIT;
    struct verify_reason unshown = {0};
    bool open = false;
    for (int pass = 0; pass < 2; pass++) {
        failures *from = pass ? &c->now->accepted : &c->now->failed;
        for (size_t i = 0; i < from->len; i++) {
            struct failure *f = &from->data[i];
            bool told = false;
            for (size_t k = 0; k < all.len; k++)
                told = told || (all.data[k].key && !f->whole && strcmp(all.data[k].key, f->key) == 0) ||
                       (!f->refuted && is_told(&all.data[k], f));
            if (told || (out->verdict == VERIFY_UNSAFE && !f->refuted && !pass))
                continue;
            struct verify_difference d;
            describe(c, f, &d);
            d.accepted = pass;
            if (d.replay == VERIFY_REPLAY_FAILED && !pass && !unshown.code)
                unshown = reason_of(c->arena, f->run_reason);
            const struct verify_reason hidden =
                f->refuted && !pass ? unshown_why(c, f, &d) : (struct verify_reason){0};
            if (hidden.code) {
                d.replay = VERIFY_NOT_REPLAYED;
                open = true;
                unshown = unshown.code ? unshown : hidden;
            }
            vec_push(&all, d);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < all.len; i++)
        if (!is_consequence(all.data, all.len, i))
            all.data[kept++] = all.data[i];
    all.len = kept;
    unsigned set = 0;
    bool replayed = true;
    for (size_t i = 0; i < all.len; i++) {
        out->naccepted += all.data[i].accepted;
        if (all.data[i].accepted)
            continue;
        set |= all.data[i].property;
        replayed = replayed && all.data[i].replay != VERIFY_REPLAY_FAILED;
    }
    out->failed = out->verdict == VERIFY_UNKNOWN  ? set | c->now->unproved
                  : out->verdict == VERIFY_UNSAFE ? set
                                                  : 0;
    if (out->verdict == VERIFY_UNSAFE && (!replayed || open || same_bytes(c))) {
        bool any = false;
        for (size_t i = 0; i < all.len; i++)
            any = any || (!all.data[i].accepted && all.data[i].replay == VERIFY_REPLAYED);
        if (!any) {
            out->verdict = VERIFY_UNKNOWN;
            out->reason = unshown.code ? unshown : reason_of(c->arena, VERIFY_REASON_RUN_NOT_FOUND);
        }
    }
    out->difference = arena_dup(c->arena, all.data, all.len * sizeof *all.data);
    out->ndifferences = all.len;
    vec_free(&all);
}
