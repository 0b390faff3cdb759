/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did both make the same calls?
 *
 * Calls are compared one by one in the order they were made; two that are the same (callee, arguments, and
 * the memory and order of things they saw) have the same results, so the second's results are replaced by the
 * first's from then on. */
#include <string.h>

#include "verify/calls.h"

typedef VEC(struct call) calls;

static bool is_pure(struct check *c, const char *name)
{
    struct verify_knowledge *k = c->opt->know;
    return k && names_listed(c, name, k->pure_function, k->npure_functions);
}

/* What such a function does to memory is not seen where it is not known how much it writes. */
static bool counts(struct check *c, const struct exec_event *e)
{
    return e->kind != EVENT_CALL ||
           (!e->silent && (!pair_call_is_transparent(e->name) || e->mem_made != TERM_NONE) &&
            !is_pure(c, e->name));
}

/* What one event makes can stand for what another makes: one of them may have been replaced by the other. */
static bool are_of_one_sort(const struct terms *t, term a, term b)
{
    if (term_is_array(t, a) || term_is_array(t, b))
        return term_is_array(t, a) && term_is_array(t, b);
    return term_width(t, a) == term_width(t, b);
}

/* Replaces the results of n by those of o from now on. */
static void unite(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const struct pair_side *s = w->n->s;
    const term from[] = {event_result_made(c->t, n), n->mem_made, n->world_made, n->token, n->x87};
    const term to[] = {event_result_made(c->t, o), o->mem_made, o->world_made, o->token, o->x87};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE)
            continue;
        term f = canonical_term(&c->pair, s, from[i]), t = view_see(w, to[i]);
        /* What is the same already may be seen as what the condition says of it: that must stay in the
         * condition. */
        if (f == to[i] || f == t || term_kind(c->t, f) != TERM_APPLY || !are_of_one_sort(c->t, f, t))
            continue;
        view_take(w, f, t);
        if (term_kind(c->t, to[i]) == TERM_APPLY)
            map_set(&w->made, f, to[i]);
    }
    /* Of functions whose effect is seen in one version only. */
    if (!o->mem_made != !n->mem_made) {
        term f = o->mem_made ? o->mem_made : canonical_term(&c->pair, s, n->mem_made);
        map_set(&w->known, f,
                view_see(w, o->mem_made ? canonical_term(&c->pair, s, n->mem_after) : o->mem_after));
    }
    view_taken(w);
}

/* Replaces the results of o by those of n, which are known to equal those of another call of the old version.
 */
static void unite_again(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const term from[] = {event_result_made(c->t, o), o->mem_made, o->world_made, o->token, o->x87};
    const term to[] = {event_result_made(c->t, n), n->mem_made, n->world_made, n->token, n->x87};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE || term_kind(c->t, from[i]) != TERM_APPLY)
            continue;
        term f = from[i], other = canonical_term(&c->pair, w->n->s, to[i]), t = view_see(w, other);
        if (f != other && f != t && are_of_one_sort(c->t, f, t))
            view_take(w, f, t);
    }
    view_taken(w);
}

/* Two calls are the same, or treated as such. */
static void join(struct view *w, const struct call *o, const struct call *n)
{
    if (n->united)
        unite_again(w, o->e, n->e);
    else
        unite(w, o->e, n->e);
}

static term guard_of(struct check *c, const struct call *k)
{
    return k->guard == TERM_NONE ? term_true(c->t) : k->guard;
}

term calls_guard(struct view *w, const struct end *e, const struct exec_event *v)
{
    struct terms *t = w->c->t;
    term made = v->guard == TERM_NONE ? term_true(t) : view_side(w, e, v->guard);
    /* Only where a call may do nothing, what follows it may be what was before. */
    if (v->world_made == TERM_NONE || v->world_made == v->world_after)
        return made;
    term nothing = term_eq(t, view_side(w, e, v->arg[0]), term_const(t, w->c->width, 0));
    return term_and(t, made, view_see(w, term_not(t, nothing)));
}

/* What earlier calls made may be known by now. */
static void see_guards(struct view *w, const struct end *e, calls *all)
{
    for (size_t i = 0; i < all->len; i++) {
        struct call *k = &all->data[i];
        if (k->matched)
            continue;
        k->guard = calls_guard(w, e, k->e);
        if (k->done != TERM_NONE)
            k->guard = term_and(w->c->t, k->guard, term_not(w->c->t, view_see(w, k->done)));
        if (term_is_true(w->c->t, k->guard))
            k->guard = TERM_NONE;
    }
}

static void collect_calls(struct view *w, const struct end *e, calls *out)
{
    for (unsigned i = 0; i < e->path->nevents; i++) {
        const struct exec_event *ev = &e->path->event[i];
        struct call k = {.e = ev, .guard = calls_guard(w, e, ev)};
        if (term_is_false(w->c->t, k.guard))
            continue;
        if (term_is_true(w->c->t, k.guard))
            k.guard = TERM_NONE;
        vec_push(out, k);
    }
}

static bool same_guard(struct view *w, const struct call *o, const struct call *n)
{
    term yes = term_true(w->c->t);
    term a = o->guard == TERM_NONE ? yes : o->guard, b = n->guard == TERM_NONE ? yes : n->guard;
    return a == b || view_same(w, TERM_NONE, a, b, NULL) == YES;
}

/* As if it had not been made. */
static void forget(struct view *w, const struct end *e, const struct exec_event *v)
{
    struct check *c = w->c;
    const term from[] = {v->mem_made, v->world_made}, to[] = {v->mem_before, v->world_before};
    for (size_t i = 0; i < 2; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE)
            continue;
        term f = canonical_term(&c->pair, e->s, from[i]),
             t = view_see(w, canonical_term(&c->pair, e->s, to[i]));
        if (f != t && term_kind(c->t, f) == TERM_APPLY)
            view_take(w, f, t);
    }
    view_taken(w);
}

/* The other version may do the work of the call without it: what is in memory from then on is not known, nor
 * what is made of it. */
static void doubt_memory(struct view *w, const struct end *e, const struct exec_event *v)
{
    const struct terms *t = w->c->t;
    term made = v->mem_made, canonical = canonical_term(&w->c->pair, e->s, made);
    if (made == TERM_NONE)
        return;
    bool used = term_any(t, w->whole, term_is_that, &canonical) ||
                term_any(t, e->path->result, term_is_that, &made) ||
                term_any_of(t, e->parts, RESULT_PARTS, term_is_that, &canonical);
    for (unsigned i = 0; i < e->path->nevents && !used; i++) {
        const struct exec_event *k = &e->path->event[i];
        const term of[] = {k->guard, k->target};
        used = term_any_of(t, of, 2, term_is_that, &made) ||
               term_any_of(t, k->arg, k->nargs, term_is_that, &made);
    }
    w->inlined = v->name;
    w->inlined_decides = w->inlined_decides || used;
}

/* Some call of that name has no partner. */
static bool has_unmatched(const calls *all, const struct exec_event *like)
{
    for (size_t i = 0; i < all->len; i++)
        if (!all->data[i].matched && names_same(all->data[i].e, like))
            return true;
    return false;
}

/* The call of the other side that this one should have been, or became. */
static struct call *partner(struct view *w, const struct call *k, const calls *ours, calls *theirs, bool new)
{
    struct check *c = w->c;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < theirs->len; i++) {
            struct call *l = &theirs->data[i];
            bool name = names_same(k->e, l->e);
            if (l->matched || !(counts(c, l->e) || (name && pair_call_is_transparent(l->e->name))))
                continue;
            /* the same function, then any other at the same time, then the same function at another time */
            if (pass == 1 && has_unmatched(ours, l->e))
                continue;
            if (name == (pass != 1) && (pass == 2 || (new ? same_guard(w, l, k) : same_guard(w, k, l))))
                return l;
        }
    return NULL;
}

/* What is different about two calls: what arguments_compare says, and which argument it is. */
static enum call_kind explain_call(struct view *w, const struct call *o, const struct call *n,
                                   struct failure *f, unsigned *argument)
{
    struct check *c = w->c;
    const char *name = names_called(c, OLD, o->e);
    struct term_model *model = NULL;
    f->question = VERIFY_Q5;
    const struct call_answer d = arguments_compare(w, o, n, &model);
    enum call_kind kind = d.kind;
    unsigned which = *argument = d.which;
    term at = d.at;
    switch (kind) {
    case OTHER_ARGUMENT:
        accept_differ(c, f, which < o->e->nargs ? view_side(w, w->o, o->e->arg[which]) : TERM_NONE,
                      which < n->e->nargs ? view_side(w, w->n, n->e->arg[which]) : TERM_NONE);
        f->what = arena_printf(c->arena, "argument %u of %s", which + 1, name);
        if (which < o->e->nargs && which < n->e->nargs && !model)
            f->refuted = false;
        break;
    case OTHER_MEMORY:
        f->property = VERIFY_P2;
        f->question = VERIFY_Q1;
        f->place = at;
        f->what = arena_printf(c->arena, "memory at the call to %s", name);
        accept_differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, 8),
                      term_read(c->t, view_side(w, w->n, n->e->mem_before), at, 8));
        f->whole = true;
        break;
    case OTHER_LOCAL:
        f->local = true;
        f->certain = d.sure;
        f->what = arena_printf(c->arena, "a local that %s can reach", name);
        accept_differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, which * 8),
                      term_read(c->t, view_side(w, w->n, n->e->mem_before), at, which * 8));
        break;
    case OTHER_CALL:
        f->what = o->e->name ? "the order of calls" : "the target of an indirect call";
        f->question = VERIFY_Q3;
        break;
    default:
        f->refuted = false;
        f->what = arena_printf(c->arena, "the call to %s", name);
        if (d.argument) {
            f->what = arena_printf(c->arena,
                                   d.sure ? "argument %u of %s" : "argument %u of %s, if it takes that many",
                                   which + 1, name);
            accept_differ(c, f, view_side(w, w->o, o->e->arg[which]), view_side(w, w->n, n->e->arg[which]));
            f->doubt = !d.sure;
            kind = CALL_ARGUMENT_UNDECIDED;
        }
        f->reason = query_is_late(c) ? query_limit(c, false)
                                     : reason_of(c->arena, d.doubt ? d.doubt : VERIFY_REASON_CALL_WHEN, name,
                                                 which + 1, abi_evidence_text(d.why));
        if (!o->e->name && o->e->target != TERM_NONE) /* no prototype has the name of a pointer */
            f->reason.remedy = VERIFY_NOTHING_KNOWN;
    }
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    if (kind == OTHER_MEMORY)
        accept_name_memory(w, f, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
    return kind;
}

/* Two calls that are paired, and all their differences. `f` is what is known of them
 * already. */
static void compare_call(struct view *w, const struct call *o, const struct call *n, struct failure f,
                         struct findings *found)
{
    bool unknown = o->e->kind == EVENT_UNKNOWN || n->e->kind == EVENT_UNKNOWN, more = true;
    accept_nothing(w);
    for (unsigned round = 0; more; round++) {
        struct failure g = f;
        unsigned which;
        f.model = NULL; /* g has it */
        enum call_kind kind = round == ACCEPTED_MAX ? OTHER_CALL : explain_call(w, o, n, &g, &which);
        if (kind == SAME_CALL) {
            term_model_free(g.model);
            break;
        }
        if (round == ACCEPTED_MAX) {
            accept_too_many(w, found);
            break;
        }
        if (unknown) {
            g.refuted = false;
            g.reason = reason_of(w->c->arena, VERIFY_REASON_NOT_UNDERSTOOD);
        }
        more = accept_or_fail(w->c, found, g);
        if (more && (kind == OTHER_ARGUMENT || kind == CALL_ARGUMENT_UNDECIDED) && which < 64 &&
            which < o->e->nargs && which < n->e->nargs)
            w->granted.arguments |= UINT64_C(1) << which;
        else if (more && kind == OTHER_LOCAL)
            w->granted.locals = true;
        else if (more && kind == OTHER_MEMORY)
            accept_memory(w, &g, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
        else
            more = false;
    }
    accept_nothing(w);
}

/* It is certain which function of the other program the callee is, or that it is one of neither. */
static bool surely_paired(struct check *c, int s, uint64_t site)
{
    const double sure = 0.95;
    const struct flow_graph *g = c->pair.side[s].g;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        if (g->call[i].site != site || !g->call[i].target)
            continue;
        const struct match_pair *p = s ? match_function_new(c->pair.m, g->call[i].target)
                                       : match_function(c->pair.m, g->call[i].target);
        if (object_stub_at(c->pair.side[s].o, g->call[i].target))
            return true;
        if (!p)
            return false;
        const struct flow_function *f = program_function_at(c->pair.side[s].p, g->call[i].target);
        return p->old != MATCH_NONE && p->new != MATCH_NONE ? p->sure >= sure : f && f->named;
    }
    return true;
}

/* A call without a partner. It becomes a failure, and is then treated as accepted, so that its consequences
 * are not reported again. */
static bool fail_call(struct check *c, struct failure f, const struct call *k, const struct call *other,
                      struct findings *found)
{
    if (k->e->kind == EVENT_UNKNOWN || (other && other->e->kind == EVENT_UNKNOWN)) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_NOT_UNDERSTOOD);
    }
    return accept_or_fail(c, found, f);
}

static unsigned calls_by_name(const struct end *e, const struct exec_event *like)
{
    unsigned n = 0;
    for (unsigned i = 0; i < e->path->nevents; i++)
        n += names_same(&e->path->event[i], like);
    return n;
}

/* All that the call does is in memory and in its result, and compilers take one such function for another. */
static bool is_effect(const struct exec_event *e)
{
    static const char *const copies[] = {"strcpy", "stpcpy", "strncpy", "strcat", "mempcpy"};
    bool copy = false;
    for (size_t i = 0; e->kind == EVENT_CALL && e->name && i < sizeof copies / sizeof *copies; i++)
        copy = copy || strcmp(e->name, copies[i]) == 0;
    return copy || (e->kind == EVENT_CALL && e->name && (e->silent || pair_call_is_transparent(e->name)));
}

/* One version calls such a function that the other does not call as often: it may do the work of another with
 * it. */
static bool has_effect_of_its_own(const struct end *e, const struct end *than)
{
    for (unsigned i = 0; i < e->path->nevents; i++)
        if (is_effect(&e->path->event[i]) &&
            calls_by_name(e, &e->path->event[i]) > calls_by_name(than, &e->path->event[i]))
            return true;
    return false;
}

/* The other version writes, where this one does not, to places computed from where the call writes to: a copy
 * whose length is known is made by moves. */
static bool is_done_by_moves(const struct check *c, const struct exec_event *e, bool new)
{
    term to, at;
    uint64_t off, one, key;
    if (!e->nargs || term_width(c->t, e->arg[0]) != c->width)
        return false;
    term_split(c->t, e->arg[0], &to, &off);
    for (size_t i = 0; to != TERM_NONE && (i = map_next(&c->written[!new], i, &key, &one));) {
        at = (term)key;
        if (at != to && !map_get(&c->written[new], key, NULL) && apart_is_summand(c->t, at, to))
            return true;
    }
    return false;
}

/* Why the call is none of those of the other version that are left. */
static struct verify_reason why_unmatched(struct view *w, const struct call *k, const calls *theirs, bool new)
{
    struct check *c = w->c;
    const char *name = names_called(c, new ? NEW : OLD, k->e);
    for (size_t i = 0; i < theirs->len; i++) {
        const struct call *l = &theirs->data[i];
        if (l->matched || !names_same(k->e, l->e) || !(new ? same_guard(w, l, k) : same_guard(w, k, l)))
            continue;
        const struct call_answer d = arguments_compare(w, new ? l : k, new ? k : l, NULL);
        if (d.doubt)
            return reason_of(c->arena, d.doubt, name, d.which + 1, abi_evidence_text(d.why));
    }
    return reason_of(c->arena, VERIFY_REASON_CALL_WHEN, name);
}

static void unmatched(struct view *w, struct call *k, const calls *ours, calls *theirs, bool new,
                      struct findings *found)
{
    struct check *c = w->c;
    k->matched = true;
    term q[] = {w->v, guard_of(c, k), TERM_NONE};
    enum answer r = query_possible(c, q, 2, NULL);
    if (r == NO)
        return;
    /* One failure is enough, whatever an input would show of it. */
    if (c->query.one_is_enough && !(c->opt->know && c->opt->know->naccepted)) {
        struct failure f = accept_failure(w, VERIFY_P4, UNDECIDED, NULL);
        f.reason = why_unmatched(w, k, theirs, new);
        vec_push(&found->failed, f);
        return;
    }
    struct call *other = partner(w, k, ours, theirs, new);
    struct term_model *model = NULL;
    bool named = other && names_same(k->e, other->e);
    bool often = other && !(new ? same_guard(w, other, k) : same_guard(w, k, other));
    q[2] = often ? term_not(c->t, term_eq(c->t, guard_of(c, k), guard_of(c, other))) : term_true(c->t);
    if (often)
        q[1] = term_true(c->t);
    r = query_possible(c, q, 3, &model);
    struct failure f = accept_failure(w, VERIFY_P4, r, model);
    f.event[new] = k->e;
    f.site[new] = k->e->site;
    f.question = VERIFY_Q4;
    f.what = arena_printf(c->arena, "calls to %s", names_called(c, new ? NEW : OLD, k->e));
    f.when = term_and(c->t, w->v, term_and(c->t, q[1], q[2]));
    if (pair_call_is_transparent(k->e->name) &&
        (!named || calls_by_name(w->o, k->e) != calls_by_name(w->n, k->e))) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_CALL_INLINED, k->e->name);
    }
    if (other) {
        f.event[!new] = other->e;
        f.site[!new] = other->e->site;
        other->matched = true;
        const struct call *o = new ? other : k, *n = new ? k : other;
        bool alike = named && !often;
        if (!alike) {
            if (!named) {
                f.question = VERIFY_Q3;
                f.what = "a call replaced by another";
                if (!surely_paired(c, OLD, o->e->site) || !surely_paired(c, NEW, n->e->site)) {
                    f.refuted = false;
                    f.reason = reason_of(c->arena, VERIFY_REASON_CALLEE_UNSURE);
                }
                /* strcpy, or strlen and memcpy: what they do counts, and that they are called does not. */
                if (is_effect(o->e) && is_effect(n->e)) {
                    f.refuted = false;
                    f.reason = reason_of(c->arena, VERIFY_REASON_CALL_INLINED, k->e->name);
                }
                if (families_share(c, o->e, n->e) && !families_differ(w, o->e, n->e)) {
                    f.refuted = false;
                    f.reason = reason_of(c->arena, VERIFY_REASON_CALL_REWRITTEN, names_called(c, OLD, o->e),
                                         names_called(c, NEW, n->e));
                    w->inlined = o->e->name; /* what it does to memory may be seen in one version only */
                }
            }
            /* One function in the place of another is accepted for what it does, not for what it is given. */
            struct failure base = f;
            base.model = NULL;
            if (fail_call(c, f, k, other, found) && !named && !often) {
                f = base;
                f.refuted = true;
                alike = true;
            }
        }
        if (alike)
            compare_call(w, o, n, f, found);
        join(w, o, n);
    } else {
        forget(w, new ? w->n : w->o, k->e);
        if (is_effect(k->e))
            doubt_memory(w, new ? w->n : w->o, k->e);
        /* strcpy, or strlen and a copy without a call */
        if (is_effect(k->e) &&
            (has_effect_of_its_own(new ? w->o : w->n, new ? w->n : w->o) || is_done_by_moves(c, k->e, new))) {
            f.refuted = false;
            f.reason = reason_of(c->arena, VERIFY_REASON_CALL_INLINED, k->e->name);
        }
        /* Other threads see less of what this version does than they may, and no more. */
        if (new && k->e->kind == EVENT_INTRINSIC && k->e->reads) {
            f.refuted = false;
            f.reason = reason_of(c->arena, VERIFY_REASON_ORDER_ADDED, k->e->name);
        }
        fail_call(c, f, k, NULL, found);
    }
}

static void match_calls(struct view *w, calls *o, calls *n)
{
    struct check *c = w->c;
    size_t first = 0; /* of n that is not matched */
    for (size_t i = 0; i < o->len && !query_is_late(c); i++) {
        struct call *k = &o->data[i];
        while (first < n->len && n->data[first].matched)
            first++;
        for (size_t j = first; j < n->len && !k->matched; j++) {
            struct call *l = &n->data[j];
            if (l->matched || !names_same(k->e, l->e))
                continue;
            if (!same_guard(w, k, l) || arguments_compare(w, k, l, NULL).kind != SAME_CALL)
                continue;
            k->matched = l->matched = true;
            join(w, k, l);
            see_guards(w, w->n, n);
        }
    }
}

/* The one is made only if the other is. */
static bool only_with(struct view *w, const struct call *one, const struct call *other)
{
    struct check *c = w->c;
    term q[] = {w->v, guard_of(c, one), term_not(c->t, guard_of(c, other))};
    return query_possible(c, q, 3, NULL) == NO;
}

/* The one is made only when the other is: are they the same then? If so the other is left for when the one is
 * not made. */
static bool match_part(struct view *w, struct call *o, struct call *n, bool new)
{
    struct check *c = w->c;
    struct call *one = new ? n : o, *other = new ? o : n, a = *o, b = *n;
    if ((new && n->united) || !only_with(w, one, other))
        return false;
    a.guard = b.guard = guard_of(c, one);
    if (arguments_compare(w, &a, &b, NULL).kind != SAME_CALL)
        return false;
    join(w, o, n);
    one->matched = n->united = true;
    other->done = other->done == TERM_NONE ? a.guard : term_or(c->t, other->done, a.guard);
    see_guards(w, w->o, &(calls){.data = o, .len = 1});
    see_guards(w, w->n, &(calls){.data = n, .len = 1});
    term q[] = {w->v, guard_of(c, other)};
    other->matched = query_possible(c, q, 2, NULL) == NO;
    return true;
}

/* One call that became several, each made sometimes, or the other way round: branches that end alike. True
 * when there is one. */
static bool match_parts(struct view *w, calls *o, calls *n)
{
    for (size_t i = 0; i < o->len; i++)
        for (size_t j = 0; j < n->len && !query_is_late(w->c); j++) {
            struct call *k = &o->data[i], *l = &n->data[j];
            if (!k->matched && !l->matched && names_same(k->e, l->e) && counts(w->c, k->e) &&
                (match_part(w, k, l, true) || match_part(w, k, l, false)))
                return true;
        }
    return false;
}

static struct call *first_unmatched(struct check *c, calls *k)
{
    for (size_t i = 0; i < k->len; i++)
        if (!k->data[i].matched && counts(c, k->data[i].e))
            return &k->data[i];
    return NULL;
}

/* Brings in the meaning of pure library calls that have no partner. True when that is new. */
static bool learn(struct check *c, const calls *all)
{
    bool any = false;
    for (size_t i = 0; i < all->len; i++)
        if (!all->data[i].matched && meaning_learn(c, all->data[i].e))
            any = true;
    return any;
}

/* Pairs the calls of both, in order. */
struct findings calls_compare(struct view *w)
{
    struct check *c = w->c;
    struct findings found = {0};
    calls o = VEC_INIT, n = VEC_INIT;
    collect_calls(w, w->o, &o);
    collect_calls(w, w->n, &n);
    /* calls that do not count do nothing but return something */
    for (size_t i = 0; i < o.len; i++)
        if (is_pure(c, o.data[i].e->name))
            forget(w, w->o, o.data[i].e);
    for (size_t i = 0; i < n.len; i++)
        if (is_pure(c, n.data[i].e->name))
            forget(w, w->n, n.data[i].e);
    while (!query_has_enough(c, &found)) {
        see_guards(w, w->o, &o);
        see_guards(w, w->n, &n);
        match_calls(w, &o, &n);
        if (match_parts(w, &o, &n) || learn(c, &o) || learn(c, &n))
            continue;
        struct call *k = first_unmatched(c, &o), *l = first_unmatched(c, &n);
        /* A call that only the new version makes comes before those that see what it did. */
        bool added = l && !has_unmatched(&o, l->e) && (!k || has_unmatched(&n, k->e));
        if (k && !added)
            unmatched(w, k, &o, &n, false, &found);
        else if (l)
            unmatched(w, l, &n, &o, true, &found);
        else
            break;
    }
    vec_free(&o);
    vec_free(&n);
    return found;
}

/* Treats calls of one name or family, in order, as the same, whatever their arguments. True when there are
 * any.
 */
bool calls_unite_by_name(struct view *w)
{
    struct map taken = {0};
    bool any = false;
    for (unsigned i = 0; i < w->o->path->nevents; i++)
        for (unsigned k = 0; k < w->n->path->nevents; k++)
            if (!map_get(&taken, k, NULL) &&
                (names_same(&w->o->path->event[i], &w->n->path->event[k]) ||
                 families_share(w->c, &w->o->path->event[i], &w->n->path->event[k]))) {
                unite(w, &w->o->path->event[i], &w->n->path->event[k]);
                map_set(&taken, k, 1);
                any = true;
                break;
            }
    map_free(&taken);
    return any;
}

bool calls_settle(struct view *w, term all, bool *paired)
{
    calls o = VEC_INIT, n = VEC_INIT;
    collect_calls(w, w->o, &o);
    collect_calls(w, w->n, &n);
    match_calls(w, &o, &n);
    learn(w->c, &o);
    learn(w->c, &n);
    bool any = false;
    for (size_t i = 0; i < o.len; i++)
        any = any || o.data[i].matched;
    for (size_t i = 0; paired && i < n.len; i++)
        *paired = *paired && n.data[i].matched;
    vec_free(&o);
    vec_free(&n);
    /* what was only decided by the condition itself is open again */
    view_open(w);
    term seen = any ? view_see(w, all) : TERM_NONE;
    return any && query_possible(w->c, &seen, 1, NULL) == NO;
}
