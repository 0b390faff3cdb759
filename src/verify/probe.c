/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refutation by single runs.
 *
 * A run is one path of a version, directed to a changed block and from there to a return. At every branch the
 * way that is nearer is taken, if some input takes it; edges that were taken before count as longer, so that
 * every run tries something else. Pointers that are followed lead to objects of their own, far apart, as long
 * as nothing that the run found out says otherwise. The other version is run with the input that this makes,
 * and the two paths are compared like all others (compare.c). A difference counts only if its input shows it
 * on the interpreter; nothing is proved by runs. */
#include <stdlib.h>

#include "verify/chart.h"
#include "verify/strategy.h"

enum {
    TARGETS_MAX = 48,
    CARRIED_MAX = 64,
    SWEEPS = 6,
    OBJECTS_MAX = 60,
    VISITS = 40,
    PATIENCE = 6, /* visits of a block until a run that follows its input looks for the way out */
    CONDITIONS_MAX = 12,
    DEPTH = 4000,
    LOWEST = 4096
};
/* Runs to one block, as long as they end where the input is rejected; as long as what they show is in doubt.
 */
enum { TRIES = 8, TRIES_IN_DOUBT = 2 };
/* Where there is much time left, one run asks in one part in so many of it: it may go round a loop for long.
 */
enum { RUN_SHARE = 3, RUN_SHARES_MS = 250 };

/* The version that is run second goes by itself, where the other went, leaves that way where it looks at
 * what changed code left, or as soon as it can. */
enum beside { BESIDE_NOT, BESIDE_ALONG, BESIDE_APART, BESIDE_OFF };

struct probe {
    struct check *c;
    struct chart chart[2];
    VEC(struct chart) callee; /* those whose code is run */
    /* The run: */
    uint32_t target;   /* UINT32_MAX: follows the input, or is past it */
    uint32_t then;     /* where it goes from the target; UINT32_MAX: to a return */
    bool directed;     /* goes to a target, or to a return */
    enum beside along; /* how it goes by where the other version went, as far as the input may be chosen so */
    bool again;        /* not the first run there */
    bool as_shown;     /* goes the way of the run that showed a difference, as far as it can */
    unsigned shown;    /* this far on it */
    bool granted;      /* more time, to look into a difference */
    struct findings doubtful; /* what hangs on what small callees do, to be told if nothing better is found */
    unsigned runs;
    bool lost;                /* no input is known that takes it */
    struct term_model *model; /* of the facts */
    VEC(term) fact;           /* what was found out, by both versions; canonical */
    VEC(term) base;           /* pointers that were followed, */
    VEC(term) place;          /* where, */
    VEC(term) object;         /* that they lead to objects of their own, */
    VEC(bool) apart;          /* and that it may be so */
    const struct exec_path *path;
    /* What else is done about an access. */
    void (*see)(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned cells,
                bool write, term guard, uint64_t site);
};

/* A callee is to return; NULL: its code is not known. */
static struct chart *chart_of_callee(struct probe *p, const struct pair_side *s,
                                     const struct flow_function *f)
{
    const struct flow_graph *g = f ? flow_graph(s->p, f) : NULL;
    if (!g)
        return NULL;
    for (size_t i = 0; i < p->callee.len; i++)
        if (p->callee.data[i].g == g)
            return &p->callee.data[i];
    vec_push(&p->callee, chart_of(g));
    chart_head_for_return(&vec_last(&p->callee));
    return &vec_last(&p->callee);
}

/* ---- inputs ---- */

static enum answer says(const struct probe *p, term cond)
{
    struct bits v;
    if (!term_eval(p->c->t, p->model, cond, &v))
        return UNDECIDED;
    return bits_is_zero(v) ? NO : YES;
}

/* The objects that pointers lead to. */
struct placement {
    VEC(term) from, to;
    struct apart_places all;
};

static struct placement place(const struct probe *p)
{
    struct placement at = {VEC_INIT, VEC_INIT, {0}};
    vec_push(&at.from, p->c->sp);
    vec_push(&at.to, apart_stack(p->c));
    for (size_t i = 0; i < p->base.len; i++)
        if (p->apart.data[i]) {
            vec_push(&at.from, p->base.data[i]);
            vec_push(&at.to, p->place.data[i]);
        }
    at.all = (struct apart_places){at.from.data, at.to.data, at.from.len};
    return at;
}

static void placement_free(struct placement *at)
{
    vec_free(&at->from);
    vec_free(&at->to);
}

/* Callees of which it says nothing leave memory as it was. */
static void take_model(struct probe *p, struct term_model *model)
{
    term_model_free(p->model);
    p->model = model;
    term_model_keep_arrays(model);
}

/* The input is one of all that was found out. */
static bool holds(const struct probe *p, const struct term_model *model)
{
    VEC(struct bits) value = VEC_INIT;
    VEC(bool) known = VEC_INIT;
    bool all = true;
    for (size_t i = 0; i < p->fact.len; i++) {
        vec_push(&value, (struct bits){{0}});
        vec_push(&known, false);
    }
    term_eval_all(p->c->t, model, p->fact.data, p->fact.len, value.data, known.data);
    for (size_t i = 0; i < p->fact.len; i++)
        all = all && known.data[i] && !bits_is_zero(value.data[i]);
    vec_free(&value);
    vec_free(&known);
    return all;
}

/* An input for all that was found out, and that; with objects apart, where that can be. */
static enum answer ask(struct probe *p, term that)
{
    struct check *c = p->c;
    VEC(term) q = VEC_INIT;
    struct term_model *model = NULL;
    if (says(p, that) == YES && holds(p, p->model))
        return YES;
    vec_push(&q, that);
    for (size_t i = 0; i < p->fact.len; i++)
        vec_push(&q, p->fact.data[i]);
    size_t hard = q.len;
    for (size_t i = 0; i < p->object.len; i++)
        if (p->apart.data[i])
            vec_push(&q, p->object.data[i]);
    enum answer r = UNDECIDED;
    c->query.brief = true;
    c->query.hint = p->model;
    if (q.len > hard) {
        struct placement at = place(p);
        c->query.placed = &at.all;
        c->query.only_placed = true;
        r = query_possible(c, q.data, q.len, &model);
        c->query.only_placed = false;
        c->query.placed = NULL;
        placement_free(&at);
    }
    if (q.len == hard || r != YES)
        r = query_possible(c, q.data, hard, &model);
    c->query.brief = false;
    c->query.hint = NULL;
    vec_free(&q);
    if (r != YES)
        return r;
    take_model(p, term_model_copy(model));
    term_model_free(model);
    for (size_t i = 0; i < p->object.len; i++)
        p->apart.data[i] = p->apart.data[i] && says(p, p->object.data[i]) == YES;
    return YES;
}

/* It was found out. */
static bool is_found(const struct probe *p, term that)
{
    for (size_t i = 0; i < p->fact.len; i++)
        if (p->fact.data[i] == that)
            return true;
    return false;
}

/* ---- hooks ---- */

/* The branch that the run which showed a difference took there. */
static enum answer taken_as_shown(struct probe *p, uint32_t from, uint32_t to, enum answer otherwise)
{
    const struct shown_at *at = &p->c->shown_at;
    unsigned i = p->shown;
    while (i + 1 < at->nway && at->way[i] != from)
        i++;
    if (i + 1 >= at->nway)
        return otherwise;
    p->shown = i + 1;
    return at->way[i + 1] == to ? YES : NO;
}

/* The map of the version that is run, or of a callee, says where the run is to go now. */
static void head(const struct probe *p, struct chart *m)
{
    const bool own = m == &p->chart[OLD] || m == &p->chart[NEW];
    if (own && p->target != UINT32_MAX)
        chart_head_for(m, p->target);
    else
        chart_head_for_return(m);
}

static enum exec_choice choose(void *ctx, struct exec_moment *at, const struct flow_function *f, term cond,
                               uint32_t from, uint32_t to)
{
    struct pair_side *s = ctx;
    struct probe *p = check_of(s)->probe;
    struct chart *m = moment_depth(at) ? chart_of_callee(p, s, f) : &p->chart[s->new];
    struct terms *t = p->c->t;
    term yes = canonical_term(&p->c->pair, s, cond), no = term_not(t, yes);
    enum answer now = says(p, yes), want = now == UNDECIDED ? NO : now;
    bool known = m && to != UINT32_MAX, parts = false;
    if (p->lost)
        return EXEC_CHOICE_NOT;
    if (known && (p->directed || (!moment_depth(at) && ++m->visits[from] > PATIENCE))) {
        want = chart_nearer(m, from, to, want);
        if (p->as_shown && p->directed && !moment_depth(at))
            want = taken_as_shown(p, from, to, want);
    } else if (p->along && known && !moment_depth(at)) {
        int32_t there = chart_beside(m, from, to, false), elsewhere = chart_beside(m, from, to, true);
        const bool off = p->along == BESIDE_OFF;
        bool along = p->along == BESIDE_ALONG || (!off && !m->looks[from]);
        parts = off && there != elsewhere && !is_found(p, yes) && !is_found(p, no);
        if (there != elsewhere && (!off || parts))
            want = (there > elsewhere) == along ? YES : NO;
        else if (!off && there <= 0) /* the other version was never here */
            want = chart_nearer(m, from, to, want);
    }
    /* Which way leads there is not known, or what a callee is to do on it. */
    uint64_t other = p->directed && p->again ? hash_u64(p->runs * UINT64_C(4096) + p->fact.len) : 0;
    if (!known ? other & 1 : moment_depth(at) && (other & 3) == 3)
        want = want == YES ? NO : YES;
    if (now != want) {
        enum answer r = ask(p, want == YES ? yes : no);
        if (r != YES) {
            if (known && p->directed) {
                chart_lengthen(m, from, to, want == NO, BARRED_COSTS);
                head(p, m);
            }
            want = want == YES ? NO : YES;
            parts = false;
            p->lost = now == UNDECIDED && ask(p, want == YES ? yes : no) != YES;
        }
    }
    /* What a callee is to return is not known: each run has it go another way. */
    if (known && p->directed && moment_depth(at))
        chart_lengthen(m, from, to, want == NO, TAKEN_COSTS);
    if (parts)
        p->along = BESIDE_ALONG;
    vec_push(&p->fact, want == YES ? yes : no);
    return want == YES ? EXEC_CHOICE_HOLDS : EXEC_CHOICE_NOT;
}

static bool enter(void *ctx, struct exec_moment *at, ir_label block, unsigned n)
{
    (void)n;
    struct pair_side *s = ctx;
    struct probe *p = check_of(s)->probe;
    struct chart *m = &p->chart[s->new];
    if (p->lost)
        return false;
    if (p->directed && moment_depth(at) == 0 && p->target != UINT32_MAX &&
        m->g->block[p->target].label == block) {
        p->target = p->then;
        p->then = UINT32_MAX;
        head(p, m);
    }
    return true;
}

/* Where object n lies. */
static uint64_t place_of(const struct check *c, uint64_t n)
{
    return c->width == 64 ? (UINT64_C(0x3000) + n) << 32 : (UINT64_C(0x300) + n * 8) << 20;
}

/* The input is changed so that a pointer leads there, if that does not change the way that led here. */
static void lead(struct probe *p, term base, term place)
{
    struct terms *t = p->c->t;
    const struct bits at = term_known(t, place).one;
    struct term_model *model = term_model_copy(p->model);
    bool ok = true;
    if (term_kind(t, base) == TERM_READ)
        ok = term_model_set_read(t, model, base, at);
    else
        term_model_set(model, base, at);
    if (ok && holds(p, model))
        take_model(p, model);
    else
        term_model_free(model);
}

/* An element of a table that nobody writes is what the file says, if that does not change the way that led
 * here. */
static void see_element(struct probe *p, term address, unsigned bytes)
{
    struct check *c = p->c;
    term base;
    uint64_t distance;
    struct bits at, is, now;
    term_split(c->t, address, &base, &distance);
    if (base == TERM_NONE || base == c->sp || distance < LOWEST || bytes > c->width / 8 ||
        !term_eval(c->t, p->model, address, &at))
        return;
    const term v = query_constant(c, bits_low(at), bytes * 8);
    const term read = term_read(c->t, explorer_symbols(c->pair.side[OLD].x).mem, address, bytes * 8);
    if (v == TERM_NONE || !term_const_value(c->t, v, &is) ||
        (term_eval(c->t, p->model, read, &now) && bits_eq(now, is)))
        return;
    struct term_model *model = term_model_copy(p->model);
    if (term_kind(c->t, read) == TERM_READ && term_model_set_read(c->t, model, read, is) && holds(p, model))
        take_model(p, model);
    else
        term_model_free(model);
}

/* What is followed is a pointer, and leads to an object of its own. */
static void see_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned bytes,
                       bool write, term guard, uint64_t site)
{
    struct pair_side *s = ctx;
    struct check *c = check_of(s);
    struct probe *p = c->probe;
    term base;
    uint64_t distance;
    p->see(ctx, at, space, address, bytes, write, guard, site);
    address = canonical_term(&c->pair, s, address);
    if (!write)
        see_element(p, address, bytes);
    term_split(c->t, address, &base, &distance);
    if (base == TERM_NONE || base == c->sp || origin_is(c->t, base, ORIGIN_CALLER) ||
        origin_is_new_object(c->t, base) || p->base.len == OBJECTS_MAX || guard != TERM_NONE)
        return;
    unsigned kind = term_kind(c->t, base);
    if (kind != TERM_VAR && kind != TERM_READ && kind != TERM_APPLY)
        return;
    for (size_t i = 0; i < p->base.len; i++)
        if (p->base.data[i] == base)
            return;
    vec_push(&p->base, base);
    vec_push(&p->place, term_const(c->t, c->width, place_of(c, p->base.len - 1)));
    vec_push(&p->object, term_eq(c->t, base, vec_last(&p->place)));
    vec_push(&p->apart, true);
    lead(p, base, vec_last(&p->place));
}

/* ---- runs ---- */

static bool take_path(void *ctx, const struct exec_path *path)
{
    struct probe *p = ctx;
    p->path = p->lost ? NULL : path;
    return false;
}

/* Runs a version, to a block, from there to another if it is not UINT32_MAX, and to a return; target
 * UINT32_MAX: as the input goes. NULL: that is not known. */
static const struct exec_path *run(struct probe *p, int side, uint32_t target, uint32_t then)
{
    struct check *c = p->c;
    struct pair_side *s = &c->pair.side[side];
    struct error err = {0};
    p->runs++;
    p->target = target;
    p->then = then;
    p->directed = target != UINT32_MAX;
    p->path = NULL;
    p->shown = 0;
    head(p, &p->chart[side]);
    chart_begin_run(&p->chart[side]);
    for (size_t i = 0; i < p->callee.len; i++)
        chart_head_for_return(&p->callee.data[i]);
    s->x = c->now->x[side];
    faults_forget(c, side);
    const uint64_t ms = query_left(c);
    struct query_limits whole;
    if (ms >= RUN_SHARES_MS)
        whole = query_narrow(c, ms / RUN_SHARE);
    explore_function(s->x, s->f, take_path, p, &err);
    if (ms >= RUN_SHARES_MS)
        query_widen(c, whole);
    if (!p->path || p->lost || p->path->end == PATH_LOOP_BOUND || p->path->end == PATH_DEPTH)
        return NULL;
    check_see_path(c, s, p->path);
    return p->path;
}

/* What is assumed at entry says what the caller's part of the stack is called. */
static bool is_caller(void *ctx, term x)
{
    struct probe *p = ctx;
    if (origin_is(p->c->t, x, ORIGIN_CALLER))
        term_model_set(p->model, x, term_known(p->c->t, apart_stack(p->c)).one);
    return false;
}

/* Parameters that are declared to be pointers lead somewhere, also where only callees follow them. */
static void point_parameters(struct probe *p)
{
    const struct pair_side *s = &p->c->pair.side[OLD];
    const struct object_function_debug *d = check_declaration(s);
    const struct ir_machine *m = program_machine(s->p);
    for (unsigned i = 0; d && i < d->nparams && i < m->nargs; i++) {
        const struct object_type_info *type = d->param[i].type;
        if (!type || (type->kind != TYPE_POINTER && type->kind != TYPE_INT && type->kind != TYPE_ENUM &&
                      type->kind != TYPE_BOOL))
            return; /* which registers the others come in is another matter */
        const term x = explorer_entry(p->c->now->x[OLD], m->arg[i], p->c->width);
        if (type->kind == TYPE_POINTER && term_kind(p->c->t, x) == TERM_VAR)
            term_model_set(p->model, x, bits_u64(place_of(p->c, OBJECTS_MAX + i), p->c->width));
    }
}

static void forget_run(struct probe *p)
{
    take_model(p, term_model_new());
    p->lost = false;
    term stack = apart_stack(p->c);
    term_model_set(p->model, p->c->sp, term_known(p->c->t, stack).one);
    vec_clear(&p->fact);
    vec_push(&p->fact, term_eq(p->c->t, p->c->sp, stack));
    const term *assumed;
    size_t n = explorer_assumptions(p->c->now->x[OLD], &assumed);
    for (size_t i = 0; i < n; i++)
        term_any(p->c->t, assumed[i], is_caller, p);
    vec_clear(&p->base);
    vec_clear(&p->place);
    vec_clear(&p->object);
    vec_clear(&p->apart);
    point_parameters(p);
}

static void explorers(struct probe *p)
{
    struct check *c = p->c;
    for (int s = 0; s < 2; s++) {
        struct explore_options o = {.visits = VISITS,
                                    .axioms = c->opt->axioms,
                                    .keep_regs = true,
                                    .count_blocks = c->exits.count,
                                    .max_depth = DEPTH};
        query_explore_within(&o, &c->query.budget);
        check_explorer(c, &c->pair.side[s], &o);
        p->see = c->pair.side[s].hooks.access;
        c->pair.side[s].hooks.access = see_access;
        c->pair.side[s].hooks.choose = choose;
        c->pair.side[s].hooks.enter = enter;
    }
}

/* No pointer that is followed is NULL; `apart`: they lead to objects of their own, where that can be. */
static term objects(struct probe *p, bool apart)
{
    struct terms *t = p->c->t;
    term all = term_true(t), low = term_const(t, p->c->width, LOWEST);
    for (size_t i = 0; i < p->base.len; i++)
        all = term_and(t, all,
                       apart && p->apart.data[i] ? p->object.data[i]
                                                 : term_bin(t, OP_ULE, low, p->base.data[i]));
    return all;
}

/* More time, once, if none is left. */
static void grant(struct probe *p)
{
    if (!query_is_late(p->c) || p->granted)
        return;
    query_grant(p->c);
    p->granted = true;
}

/* Results of library functions whose meaning is known become what the input makes them, if the run stays the
 * same. */
static void settle(struct probe *p, const struct exec_path *const path[2])
{
    struct check *c = p->c;
    VEC(term) all = VEC_INIT;
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; i < path[s]->nevents; i++) {
            const struct exec_event *e = &path[s]->event[i];
            for (unsigned k = 0; k < e->nargs; k++)
                vec_push(&all, canonical_term(&c->pair, &c->pair.side[s], e->arg[k]));
            if (e->result != TERM_NONE)
                vec_push(&all, canonical_term(&c->pair, &c->pair.side[s], e->result));
        }
    struct term_model *model = term_model_copy(p->model);
    meaning_settle(c, model, all.data, all.len);
    if (holds(p, model))
        take_model(p, model);
    else
        term_model_free(model);
    vec_free(&all);
}

/* What one of two terms hangs on. */
struct chosen_by {
    struct probe *p;
    VEC(term) cond;
};

static bool see_condition(void *ctx, term x)
{
    struct chosen_by *by = ctx;
    const struct terms *t = by->p->c->t;
    if (term_kind(t, x) == OP_ITE && !term_is_array(t, x))
        vec_push(&by->cond, term_kid(t, x, 0));
    return by->cond.len == CONDITIONS_MAX;
}

/* What the two versions pass to a call, or return, is to be another: what it hangs on is turned round, one
 * condition after the other, as far as the run stays the same. True when it is so. */
static bool steer_pair(struct probe *p, term a, term b)
{
    struct terms *t = p->c->t;
    const term differ = term_not(t, term_eq(t, a, b)), both[] = {a, b};
    struct chosen_by by = {p, VEC_INIT};
    const size_t found = p->fact.len;
    bool done = says(p, differ) == YES;
    if (!done)
        term_any_of(t, both, 2, see_condition, &by);
    for (size_t i = 0; i < by.cond.len && !done && !query_is_late(p->c); i++) {
        const term turned = says(p, by.cond.data[i]) == YES ? term_not(t, by.cond.data[i]) : by.cond.data[i];
        if (ask(p, turned) != YES)
            continue;
        vec_push(&p->fact, turned);
        done = says(p, differ) == YES;
    }
    if (!done)
        p->fact.len = found;
    vec_free(&by.cond);
    return done;
}

/* An input on which the two versions pass something else to a call, or return it, if there is one nearby. */
static void steer(struct probe *p, const struct exec_path *const path[2])
{
    struct check *c = p->c;
    VEC(term) pair[2] = {VEC_INIT, VEC_INIT};
    const unsigned n = path[OLD]->nevents < path[NEW]->nevents ? path[OLD]->nevents : path[NEW]->nevents;
    for (unsigned i = 0; i < n && names_same(&path[OLD]->event[i], &path[NEW]->event[i]); i++)
        for (unsigned k = 0; k < path[OLD]->event[i].nargs && k < path[NEW]->event[i].nargs; k++)
            for (int s = 0; s < 2; s++)
                vec_push(&pair[s], canonical_term(&c->pair, &c->pair.side[s], path[s]->event[i].arg[k]));
    for (int s = 0; s < 2 && path[OLD]->result != TERM_NONE && path[NEW]->result != TERM_NONE; s++)
        vec_push(&pair[s], canonical_term(&c->pair, &c->pair.side[s], path[s]->result));
    bool done = false;
    for (size_t i = 0; i < pair[OLD].len && !done && !query_is_late(c); i++) {
        const term a = pair[OLD].data[i], b = pair[NEW].data[i];
        done = a != b && !term_is_array(c->t, a) && !term_is_array(c->t, b) &&
               term_width(c->t, a) == term_width(c->t, b) && steer_pair(p, a, b);
    }
    for (int s = 0; s < 2; s++)
        vec_free(&pair[s]);
}

/* Compares the two paths; true when they differ, and running their input shows it. *doubt: it does, and hangs
 * on what small callees do. */
static bool differ(struct probe *p, const struct exec_path *const path[2], bool *doubt)
{
    struct check *c = p->c;
    struct attempt *a = c->now;
    ends e[2] = {VEC_INIT, VEC_INIT};
    steer(p, path);
    settle(p, path);
    c->query.brief = true;
    for (int s = 0; s < 2; s++) {
        vec_push(&e[s], compare_end(c, &c->pair.side[s], path[s]));
        exits_report(c, &e[s]);
    }
    /* What is so of this input counts: a difference is shown with the same places. */
    struct placement at = place(p);
    c->query.placed = &at.all;
    c->query.only_placed = true;
    c->query.hint = p->model;
    struct findings found = compare_exits(c, &e[OLD], &e[NEW]);
    c->query.hint = NULL;
    vec_free(&e[OLD]);
    vec_free(&e[NEW]);
    /* How the calls differ is to be seen where both go on. */
    for (size_t i = 0; i < found.failed.len; i++)
        found.failed.data[i].refuted = found.failed.data[i].refuted && !found.failed.data[i].follows;
    bool differ = findings_refute(&found);
    if (!differ)
        findings_drop(&found);
    term apart = objects(p, true);
    for (size_t i = 0; i < found.failed.len; i++) {
        struct failure *f = &found.failed.data[i];
        f->likely = apart;
        f->some = true;
        for (int s = 0; s < 2; s++) {
            f->witness[s] = path[s];
            f->witness_explorer[s] = c->pair.side[s].x;
        }
    }
    attempt_record(a, &found);
    if (differ) {
        grant(p);
        evidence_confirm(c);
    }
    c->query.only_placed = c->query.brief = false;
    c->query.placed = NULL;
    placement_free(&at);
    bool shown = differ && evidence_is_shown(c), certain = shown && evidence_is_certain(c, a);
    *doubt = shown && !certain;
    if (*doubt && !p->doubtful.failed.len) {
        p->doubtful.failed = a->failed;
        p->doubtful.accepted = a->accepted;
        a->failed = a->accepted = (failures)VEC_INIT;
    }
    if (!certain)
        attempt_forget(a);
    return certain;
}

/* More is known now of how the frames correspond. */
static bool frames_moved(struct probe *p)
{
    struct check *c = p->c;
    for (int s = 0; s < 2; s++)
        c->escapes += explorer_stats(c->now->x[s]).escapes;
    if (!c->escapes || !frame_update(&c->pair, c->arena))
        return false;
    findings_drop(&p->doubtful);
    explorers(p);
    return true;
}

/* The version rejects the input of the run, and so every one that goes the same way. */
static bool rejects(struct probe *p, int side, const struct exec_path *path)
{
    const struct end e = compare_end(p->c, &p->c->pair.side[side], path);
    return says(p, e.error) == YES && ask(p, term_not(p->c->t, e.error)) != YES;
}

/* The way of a run to a difference, to go it again. */
static void note_shown(struct probe *p, int side, uint32_t target, uint32_t then,
                       const struct exec_path *path)
{
    struct check *c = p->c;
    if (!c->shown_at.known)
        c->shown_at =
            (struct shown_at){.side = side,
                              .block = target,
                              .then = then,
                              .way = arena_dup(c->arena, path->block, path->nblocks * sizeof *path->block),
                              .nway = path->nblocks,
                              .known = true};
}

/* The other version is run on the input of a run, going as `how` says, and the two are compared. What that
 * showed; UNDECIDED: a difference that is in doubt. *again: both versions reject the input, or more is known
 * of the frames now. */
static enum answer follow(struct probe *p, int side, const struct exec_path *path[2], enum beside how,
                          bool missed, bool *again)
{
    struct check *c = p->c;
    p->along = how;
    path[!side] = run(p, !side, UINT32_MAX, UINT32_MAX);
    const bool left = how != BESIDE_OFF || p->along != how;
    p->along = BESIDE_NOT;
    if (!path[!side] || !left)
        return NO;
    if (frames_moved(p)) {
        *again = true;
        return NO;
    }
    bool met = false, doubt = false;
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; i < path[s]->nblocks; i++) {
            uint32_t b = path[s]->block[i];
            c->reached[s][b] = 1;
            p->chart[s].reached[b] = 1;
            if (i + 1 < path[s]->nblocks)
                chart_mark_taken(&p->chart[s], b, path[s]->block[i + 1]);
            met = met || p->chart[s].changed[b];
        }
    *again = rejects(p, NEW, path[NEW]);
    if (*again)
        chart_leave_last(&p->chart[side], path[side]);
    if (!met || missed || *again || ask(p, objects(p, false)) != YES)
        return NO;
    const bool differs = differ(p, path, &doubt);
    return differs ? YES : doubt ? UNDECIDED : NO;
}

/* Goes to a block of one version, and `then`; true when that showed a difference. *again: another run may:
 * both versions reject the input of this one, it did not come to `then`, more is known of the frames now, or
 * what it showed is in doubt. */
static bool try_target(struct probe *p, int side, uint32_t target, uint32_t then, bool *again)
{
    const struct exec_path *path[2];
    forget_run(p);
    path[side] = run(p, side, target, then);
    const bool missed = p->target != UINT32_MAX;
    for (unsigned i = 0; p->path && i + 1 < p->path->nblocks; i++)
        chart_lengthen(&p->chart[side], p->path->block[i], p->path->block[i + 1], false, TAKEN_COSTS);
    *again = !path[side] && p->path; /* it went round in a loop */
    if (!path[side])
        return false;
    const size_t found = p->fact.len;
    const enum beside how =
        then != UINT32_MAX ? BESIDE_APART
        : !p->again        ? BESIDE_ALONG
                           : (const enum beside[]){BESIDE_ALONG, BESIDE_APART, BESIDE_NOT}[p->runs / 2 % 3];
    chart_mark_beside(p->c, &p->chart[!side], !side, path[side]);
    enum answer differs = follow(p, side, path, how, missed, again);
    if (p->again && differs == NO && !missed && !*again && path[!side] && !query_is_late(p->c)) {
        p->fact.len = found; /* what else the other version found out is chosen anew */
        differs = follow(p, side, path, BESIDE_OFF, false, again);
    }
    if (differs != NO)
        note_shown(p, side, target, then, path[side]);
    if (differs == UNDECIDED)
        chart_leave(&p->chart[side], path[side]);
    *again = *again || missed || differs == UNDECIDED;
    return differs == YES;
}

/* Goes there as often as it may help. */
static bool go_to(struct probe *p, int side, uint32_t block, uint32_t then)
{
    bool again = true, differs = false;
    const bool before = p->again;
    unsigned doubts = 0;
    for (unsigned i = 0; i < TRIES && doubts < TRIES_IN_DOUBT && again && !differs && !query_is_late(p->c);
         i++) {
        p->again = before || i > 0;
        differs = try_target(p, side, block, then, &again);
        doubts += p->doubtful.failed.len > 0;
    }
    p->again = before;
    return differs;
}

/* Leaves a changed block by each edge that no run took. */
static bool leave_by_all(struct probe *p, int side, uint32_t block)
{
    const struct chart *m = &p->chart[side];
    bool differs = false;
    for (uint32_t e = m->g->first_edge[block];
         e < m->g->first_edge[block + 1] && !differs && !query_is_late(p->c); e++)
        if (!m->taken[e] && m->g->edge[e].kind != EDGE_UNWIND && m->g->edge[e].to != block)
            differs = go_to(p, side, block, m->g->edge[e].to);
    return differs;
}

static bool sweep(struct probe *p, bool again)
{
    struct check *c = p->c;
    unsigned n = 0;
    p->again = again;
    for (int s = NEW; s >= OLD; s--)
        for (uint32_t b = 0; b < p->chart[s].g->nblocks && n < TARGETS_MAX && !query_is_late(c); b++) {
            if (!p->chart[s].changed[b] || (!again && p->chart[s].reached[b]))
                continue;
            n++;
            if (go_to(p, s, b, UINT32_MAX) || (!again && leave_by_all(p, s, b)))
                return true;
        }
    return false;
}

/* By changed blocks to where what they leave is looked at. */
static bool sweep_carried(struct probe *p)
{
    struct check *c = p->c;
    unsigned n = 0;
    bool differs = false;
    for (int s = NEW; s >= OLD; s--) {
        struct chart *m = &p->chart[s];
        for (uint32_t i = 0; i < m->g->nblocks && n < CARRIED_MAX && !differs && !query_is_late(c); i++) {
            VEC(uint32_t) from = VEC_INIT;
            if (!m->looks[i])
                continue;
            chart_head_for(m, i);
            for (uint32_t b = 0; b < m->g->nblocks; b++)
                if (m->leaves[b] && b != i && chart_leads_there(m, b))
                    vec_push(&from, b);
            for (size_t k = 0; k < from.len && n < CARRIED_MAX && !differs && !query_is_late(c); k++, n++)
                differs = go_to(p, s, from.data[k], i);
            vec_free(&from);
        }
    }
    return differs;
}

enum attempt_outcome probe_runs(struct check *c, const struct strategy *how, struct attempt *a)
{
    (void)how;
    struct probe p = {.c = c};
    c->probe = &p;
    chart_start(c, &p.chart[OLD], OLD);
    chart_start(c, &p.chart[NEW], NEW);
    chart_share_looks(c, p.chart);
    explorers(&p);
    p.as_shown = c->shown_at.known;
    bool found = p.as_shown && go_to(&p, c->shown_at.side, c->shown_at.block, c->shown_at.then);
    p.as_shown = false;
    for (unsigned i = 0; i < SWEEPS && !found && !p.doubtful.failed.len && !query_is_late(c); i++)
        found = sweep(&p, i > 0) || (i == 0 && !p.doubtful.failed.len && sweep_carried(&p));
    if (!found && p.doubtful.failed.len) {
        attempt_record(a, &p.doubtful);
        found = true;
    }
    findings_drop(&p.doubtful);
    check_explored(&c->pair.side[OLD]);
    check_explored(&c->pair.side[NEW]);
    chart_end(&p.chart[OLD]);
    chart_end(&p.chart[NEW]);
    for (size_t i = 0; i < p.callee.len; i++)
        chart_end(&p.callee.data[i]);
    vec_free(&p.callee);
    term_model_free(p.model);
    vec_free(&p.fact);
    vec_free(&p.base);
    vec_free(&p.place);
    vec_free(&p.object);
    vec_free(&p.apart);
    c->probe = NULL;
    return found ? ATTEMPT_REFUTED : ATTEMPT_OPEN;
}
