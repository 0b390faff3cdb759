/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did both make the same calls?
 *
 * Calls are compared one by one in the order they were made; two that are the same (callee, arguments, and
 * the memory and order of things they saw) have the same results, so what the second made is taken to be what
 * the first made from then on. */
#include <stdio.h>
#include <string.h>

#include "verify/private.h"

struct call {
    const struct exec_event *e;
    term guard; /* as seen; TERM_NONE: always */
    bool matched;
};
typedef VEC(struct call) calls;

/* Compilers put in and leave out these as they like; what they do is seen in memory. */
static bool is_transparent(const char *name)
{
    static const char *const all[] = {"memcpy", "memmove", "memset",          "memcmp",
                                      "bzero",  "bcopy",   "__stack_chk_fail"};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    /* Operators for which the processor has no instruction. */
    size_t n = name ? strlen(name) : 0;
    return n > 6 && (strncmp(name, "__aeabi_", 8) == 0 ||
                     (strncmp(name, "__", 2) == 0 &&
                      (strcmp(name + n - 3, "di3") == 0 || strcmp(name + n - 3, "si3") == 0 ||
                       strcmp(name + n - 3, "di2") == 0 || strcmp(name + n - 3, "si2") == 0 ||
                       strcmp(name + n - 3, "di4") == 0)));
}

static bool is_pure(struct check *c, const char *name)
{
    struct verify_knowledge *k = c->opt->know;
    for (size_t i = 0; k && name && i < k->npure_functions; i++)
        if (strcmp(k->pure_function[i].text, name) == 0) {
            k->pure_function[i].used = true;
            return true;
        }
    return false;
}

static bool counts(struct check *c, const struct exec_event *e)
{
    return e->kind != EVENT_CALL || (!is_transparent(e->name) && !is_pure(c, e->name));
}

static bool same_name(const struct exec_event *a, const struct exec_event *b)
{
    if (a->kind != b->kind || !a->name != !b->name)
        return false;
    return !a->name || strcmp(a->name, b->name) == 0;
}

/* From now on what n made is what o made. */
static void unite(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const struct side *s = w->n->s;
    const term from[] = {n->result, n->mem_made, n->world_after, n->token, n->x87};
    const term to[] = {o->result, o->mem_made, o->world_after, o->token, o->x87};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE)
            continue;
        term f = norm(c, s, from[i]), t = view_see(w, to[i]);
        if (f == t || term_kind(c->t, f) != TERM_APPLY)
            continue;
        map_set(&w->known, f, t);
        /* Whatever else differs must do so with that in mind. If they are not the same after all, that is the
         * difference. */
        w->v = term_substitute(c->t, w->v, &f, &t, 1);
    }
    map_clear(&w->seen);
}

enum { SAME_CALL, OTHER_ARGUMENT, OTHER_MEMORY, OTHER_LOCAL, OTHER_CALL, CALL_UNDECIDED };

/* What nobody put there: a register as a callee or the caller left it. */
bool is_left_by_callee(struct check *c, term x)
{
    unsigned kind = term_kind(c->t, x);
    if (kind == TERM_APPLY)
        return strncmp(term_name(c->t, x), "clobber:", 8) == 0;
    if (kind == OP_EXTRACT || kind == OP_ZEXT)
        return is_left_by_callee(c, term_kid(c->t, x, 0));
    if (kind == OP_CONCAT)
        return is_left_by_callee(c, term_kid(c->t, x, 0)) && is_left_by_callee(c, term_kid(c->t, x, 1));
    if (kind == OP_ITE)
        return is_left_by_callee(c, term_kid(c->t, x, 1)) && is_left_by_callee(c, term_kid(c->t, x, 2));
    return false;
}

/* Nobody set the register for this call. */
static bool is_unset(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    char name[16];
    snprintf(name, sizeof name, "arg%u", i);
    return (e->arg[i] == term_find_var(c->t, name) &&
            (i >= c->side[side].own ||
             (c->side[side].reloads && arity_at(&c->side[side], e->site, i) == ARITY_UNSET))) ||
           is_left_by_callee(c, e->arg[i]);
}

/* The first register that nobody set at some call of the function is not an argument, nor are those behind
 * it. */
static unsigned passed_at_most(struct view *w, const struct exec_event *like)
{
    struct check *c = w->c;
    const struct end *end[2] = {w->o, w->n};
    unsigned most = program_machine(c->side[OLD].p)->nargs;
    for (int s = 0; s < 2; s++)
        for (unsigned k = 0; k < end[s]->path->nevents; k++) {
            const struct exec_event *e = &end[s]->path->event[k];
            if (!same_name(e, like) || !e->bounded)
                continue;
            for (unsigned i = 0; i < most; i++)
                if (is_unset(c, s, e, i))
                    most = i;
        }
    return most;
}

/* The register still holds what it held at entry. */
bool is_as_at_entry(struct check *c, int side, term x, unsigned reg)
{
    return x == explorer_entry(c->side[side].x, reg, term_width(c->t, x));
}

static bool is_idle(struct check *c, int side, term x)
{
    unsigned n;
    if (is_left_by_callee(c, x))
        return true;
    return term_kind(c->t, x) == TERM_VAR && sscanf(term_name(c->t, x), "arg%u", &n) == 1 &&
           n >= c->side[side].own;
}

/* A word pushed only to align the stack holds some register as it was at entry. */
static bool is_padding(struct check *c, int side, term x)
{
    return is_idle(c, side, x) ||
           (term_kind(c->t, x) == TERM_VAR && strncmp(term_name(c->t, x), "arg", 3) != 0);
}

static bool idle_from(struct check *c, int side, const struct exec_event *e, unsigned first)
{
    for (unsigned i = first; i < e->nargs; i++)
        if (!is_padding(c, side, e->arg[i]))
            return false;
    return true;
}

/* Arguments that one version was seen to pass and the other was not, and what callees read besides arguments,
 * count only if somebody put them there. */
/* Words of the stack carry arguments only once the registers are used up: not when an earlier callee's
 * leavings are in one of them. The last one may be skipped for something that takes two, on ARM every other
 * one; on x86-64 structures of more than a word are on the stack in any case. */
static bool stack_unused(struct check *c, int side, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->side[side].p);
    unsigned on = e->nargs - e->nhidden;
    if (!e->bounded || on < m->nargs || !m->nargs || !e->nfloats ||
        (m->arch == MACHINE_AMD64 && e->nstack > 1) || !is_left_by_callee(c, e->arg[on + e->nfloats - 1]))
        return false;
    if (m->arch == MACHINE_ARM)
        return is_left_by_callee(c, e->arg[0]) ||
               (is_left_by_callee(c, e->arg[2]) && is_left_by_callee(c, e->arg[3]));
    for (unsigned i = 0; i + 1 < m->nargs; i++)
        if (is_left_by_callee(c, e->arg[i]))
            return true;
    return false;
}

static bool same_extras(struct view *w, const struct call *o, const struct call *n, unsigned common)
{
    struct check *c = w->c;
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden;
    for (unsigned i = common; i < on; i++)
        if (!is_idle(c, OLD, o->e->arg[i]))
            return false;
    for (unsigned i = common; i < nn; i++)
        if (!is_idle(c, NEW, n->e->arg[i]))
            return false;
    /* Floats and words of the stack first, then other registers; where the two lists differ in length, the
     * rest. */
    unsigned of = o->e->nfloats + o->e->nstack, nf = n->e->nfloats + n->e->nstack, few = of < nf ? of : nf;
    bool no_words = stack_unused(c, OLD, o->e) && stack_unused(c, NEW, n->e);
    bool whole = of == nf && o->e->nhidden == n->e->nhidden;
    unsigned both_have = whole ? o->e->nhidden : few;
    for (unsigned i = 0; i < both_have; i++) {
        term a = o->e->arg[on + i], b = n->e->arg[nn + i];
        /* A word that one version pushed only to align the stack is no argument. */
        bool word = i >= o->e->nfloats && i < of;
        if (word && no_words)
            continue;
        const struct ir_machine *m = program_machine(c->side[OLD].p);
        if (i < o->e->nfloats && (is_left_by_callee(c, a) || is_as_at_entry(c, OLD, a, m->farg[i])) &&
            (is_left_by_callee(c, b) || is_as_at_entry(c, NEW, b, m->farg[i])))
            continue;
        if (word ? is_padding(c, OLD, a) || is_padding(c, NEW, b) : is_idle(c, OLD, a) && is_idle(c, NEW, b))
            continue;
        if (view_same(w, o->guard, view_side(w, w->o, a), view_side(w, w->n, b), NULL) != YES)
            return false;
    }
    if (no_words && o->e->nhidden == of && n->e->nhidden == nf)
        return true;
    return whole || (idle_from(c, OLD, o->e, on + few) && idle_from(c, NEW, n->e, nn + few));
}

/* Arguments that differ only in bits that the callee does not look at, or (then *undecided) may not look at.
 */
static bool same_below(struct view *w, const struct call *k, term a, term b, unsigned i, bool *undecided)
{
    enum { HALF = 32 };
    struct check *c = w->c;
    if (c->width != 2 * HALF || !k->e->name ||
        view_same(w, k->guard, term_extract(c->t, a, 0, HALF), term_extract(c->t, b, 0, HALF), NULL) != YES)
        return false;
    unsigned bits = flow_argument_bits(c->side[OLD].p, k->e->site, k->e->name, i);
    *undecided = *undecided || !bits;
    return bits <= HALF;
}

/* Compares two calls of one name. *which: the argument that differs, or how many bytes of a local at *at. */
static int same_call(struct view *w, const struct call *o, const struct call *n, unsigned *which,
                     struct term_model **model, term *at)
{
    struct check *c = w->c;
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden, common = on < nn ? on : nn;
    struct flow_prototype known;
    bool undecided = false;
    if (on != nn && o->e->name && flow_library_prototype(c->side[OLD].p, o->e->name, &known)) {
        *which = common;
        return OTHER_ARGUMENT;
    }
    if (o->e->target != TERM_NONE || n->e->target != TERM_NONE) {
        enum answer r =
            view_same(w, o->guard, view_side(w, w->o, o->e->target), view_side(w, w->n, n->e->target), model);
        if (r == NO)
            return OTHER_CALL;
        undecided = r == UNDECIDED;
    }
    bool guessed = o->e->bounded && n->e->bounded;
    unsigned most = guessed ? passed_at_most(w, o->e) : common;
    for (unsigned i = 0; i < common; i++) {
        term a = view_side(w, w->o, o->e->arg[i]), b = view_side(w, w->n, n->e->arg[i]);
        if (a == b || (i < 64 && w->granted.arguments >> i & 1))
            continue;
        /* It may be no argument at all. */
        enum arity ao = guessed ? arity_at(&c->side[OLD], o->e->site, i) : ARITY_SURE;
        enum arity an = guessed ? arity_at(&c->side[NEW], n->e->site, i) : ARITY_SURE;
        bool uo = guessed && is_unset(c, OLD, o->e, i), un = guessed && is_unset(c, NEW, n->e, i);
        if (ao != ARITY_SURE && an != ARITY_SURE &&
            (i >= most || ((uo || ao == ARITY_UNSET) && (un || an == ARITY_UNSET)))) {
            c->arity_used++;
            continue;
        }
        /* What one version surely passes the other passes as well: it is the same callee. */
        bool sure = ao == ARITY_SURE || an == ARITY_SURE;
        enum answer r = view_same(w, o->guard, a, b, sure ? model : NULL);
        if (r == NO && same_below(w, o, a, b, i, &undecided))
            continue;
        if (r == NO && sure) {
            *which = i;
            return OTHER_ARGUMENT;
        }
        undecided = undecided || r != YES;
    }
    undecided = undecided || !same_extras(w, o, n, common);
    if (o->e->mem_made != TERM_NONE) {
        term a = view_side(w, w->o, o->e->mem_before), b = view_side(w, w->n, n->e->mem_before);
        enum answer r = memory_same(w, o->guard, a, b, model, at);
        if (r == NO)
            return OTHER_MEMORY;
        undecided = undecided || r == UNDECIDED;
        if (o->e->escaped || n->e->escaped) {
            r = memory_same_frames(w, o->guard, a, b, model, at, which);
            if (r == NO)
                return OTHER_LOCAL;
            undecided = undecided || r != YES;
        }
    }
    enum answer r = view_same(w, o->guard, view_see(w, norm(c, w->o->s, o->e->world_before)),
                              view_side(w, w->n, n->e->world_before), NULL);
    if (r == NO)
        return OTHER_CALL;
    return undecided || r == UNDECIDED ? CALL_UNDECIDED : SAME_CALL;
}
/* What earlier calls made may be known by now. */
static void see_guards(struct view *w, const struct end *e, calls *all)
{
    for (size_t i = 0; i < all->len; i++) {
        struct call *k = &all->data[i];
        if (k->matched || k->e->guard == TERM_NONE)
            continue;
        k->guard = view_side(w, e, k->e->guard);
        if (term_is_true(w->c->t, k->guard))
            k->guard = TERM_NONE;
    }
}

static void collect_calls(struct view *w, const struct end *e, calls *out)
{
    for (unsigned i = 0; i < e->path->nevents; i++) {
        const struct exec_event *ev = &e->path->event[i];
        struct call k = {.e = ev};
        if (ev->guard != TERM_NONE) {
            k.guard = view_side(w, e, ev->guard);
            if (term_is_false(w->c->t, k.guard))
                continue;
            if (term_is_true(w->c->t, k.guard))
                k.guard = TERM_NONE;
        }
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
    const term from[] = {v->mem_made, v->world_after}, to[] = {v->mem_before, v->world_before};
    for (size_t i = 0; i < 2; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE)
            continue;
        term f = norm(c, e->s, from[i]), t = view_see(w, norm(c, e->s, to[i]));
        if (f != t && term_kind(c->t, f) == TERM_APPLY)
            map_set(&w->known, f, t);
        /* Whatever else differs must do so with that in mind. If they are not the same after all, that is the
         * difference. */
        w->v = term_substitute(c->t, w->v, &f, &t, 1);
    }
    map_clear(&w->seen);
}

static term guard_of(struct check *c, const struct call *k)
{
    return k->guard == TERM_NONE ? term_true(c->t) : k->guard;
}

/* The call of the other side that this one should have been, or became. */
static struct call *partner(struct view *w, const struct call *k, calls *theirs, bool new)
{
    struct check *c = w->c;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < theirs->len; i++) {
            struct call *l = &theirs->data[i];
            if (l->matched || !counts(c, l->e))
                continue;
            bool name = same_name(k->e, l->e);
            /* the same function, then any other at the same time, then the same function at another time */
            if (name == (pass != 1) && (pass == 2 || (new ? same_guard(w, l, k) : same_guard(w, k, l))))
                return l;
        }
    return NULL;
}

/* What is different about two calls: what same_call says, and which argument it is. */
static int explain_call(struct view *w, const struct call *o, const struct call *n, struct failure *f,
                        unsigned *argument)
{
    struct check *c = w->c;
    const char *name = o->e->name ? o->e->name : "a function pointer";
    struct term_model *model = NULL;
    unsigned which = 0;
    term at = TERM_NONE;
    f->question = VERIFY_Q5;
    int kind = same_call(w, o, n, &which, &model, &at);
    *argument = which;
    switch (kind) {
    case OTHER_ARGUMENT:
        failure_differ(c, f, which < o->e->nargs ? view_side(w, w->o, o->e->arg[which]) : TERM_NONE,
                       which < n->e->nargs ? view_side(w, w->n, n->e->arg[which]) : TERM_NONE);
        f->what = arena_printf(c->arena, "argument %u of %s", which + 1, name);
        if (which < o->e->nargs && which < n->e->nargs && !model)
            f->refuted = false;
        break;
    case OTHER_MEMORY:
        f->property = VERIFY_P2;
        f->question = VERIFY_Q1;
        f->place = at;
        f->what = arena_printf(c->arena, "memory at the call of %s", name);
        failure_differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, 8),
                       term_read(c->t, view_side(w, w->n, n->e->mem_before), at, 8));
        f->whole = true;
        break;
    case OTHER_LOCAL:
        f->whole = true;
        f->what = arena_printf(c->arena, "a local that %s can reach", name);
        failure_differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, which * 8),
                       term_read(c->t, view_side(w, w->n, n->e->mem_before), at, which * 8));
        break;
    case OTHER_CALL:
        f->what = o->e->name ? "the order of calls" : "where a call through a pointer goes";
        f->question = VERIFY_Q3;
        break;
    default:
        f->refuted = false;
        f->what = arena_printf(c->arena, "the call of %s", name);
        f->why = arena_printf(c->arena, "could not decide whether two calls of %s are the same", name);
    }
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    if (kind == OTHER_MEMORY)
        accept_name_memory(w, f, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
    return kind;
}

/* Two calls that are taken for one another, and all in which they differ. `f` is what is known of them
 * already. */
static void compare_call(struct view *w, const struct call *o, const struct call *n, struct failure f)
{
    bool unknown = o->e->kind == EVENT_UNKNOWN || n->e->kind == EVENT_UNKNOWN, more = true;
    accept_nothing(w);
    for (unsigned round = 0; more; round++) {
        struct failure g = f;
        unsigned which;
        f.model = NULL; /* g has it */
        int kind = round == ACCEPTED_MAX ? OTHER_CALL : explain_call(w, o, n, &g, &which);
        if (round && kind == SAME_CALL) {
            term_model_free(g.model);
            break;
        }
        if (round == ACCEPTED_MAX) {
            accept_too_many(w);
            break;
        }
        if (unknown) {
            g.refuted = false;
            g.why = "an instruction that is not understood";
        }
        more = fail(w->c, g);
        if (more && kind == OTHER_ARGUMENT && which < 64 && which < o->e->nargs && which < n->e->nargs)
            w->granted.arguments |= UINT64_C(1) << which;
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
    const struct flow_graph *g = c->side[s].g;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        if (g->call[i].site != site || !g->call[i].target)
            continue;
        const struct match_pair *p =
            s ? match_function_new(c->m, g->call[i].target) : match_function(c->m, g->call[i].target);
        if (object_stub_at(c->side[s].o, g->call[i].target))
            return true;
        if (!p)
            return false;
        const struct flow_function *f = program_function_at(c->side[s].p, g->call[i].target);
        return p->old != MATCH_NONE && p->new != MATCH_NONE ? p->sure >= sure : f && f->named;
    }
    return true;
}

/* A call that found no equal. It becomes a failure, and from then on it is as if it had been accepted, so
 * that what only follows from it is not reported again. */
static bool fail_call(struct check *c, struct failure f, const struct call *k, const struct call *other)
{
    if (k->e->kind == EVENT_UNKNOWN || (other && other->e->kind == EVENT_UNKNOWN)) {
        f.refuted = false;
        f.why = "an instruction that is not understood";
    }
    return fail(c, f);
}

static void unmatched(struct view *w, struct call *k, calls *theirs, bool new)
{
    struct check *c = w->c;
    k->matched = true;
    term q[] = {w->v, guard_of(c, k), TERM_NONE};
    enum answer r = possible(c, q, 2, NULL);
    if (r == NO)
        return;
    struct call *other = partner(w, k, theirs, new);
    struct term_model *model = NULL;
    bool named = other && same_name(k->e, other->e);
    bool often = other && !(new ? same_guard(w, other, k) : same_guard(w, k, other));
    q[2] = often ? term_not(c->t, term_eq(c->t, guard_of(c, k), guard_of(c, other))) : term_true(c->t);
    if (often)
        q[1] = term_true(c->t);
    r = possible(c, q, 3, &model);
    struct failure f = failure_of(w, VERIFY_P4, r, model);
    f.event[new] = k->e;
    f.site[new] = k->e->site;
    f.question = VERIFY_Q4;
    f.what = arena_printf(c->arena, "calls of %s", k->e->name ? k->e->name : "a function pointer");
    f.when = term_and(c->t, w->v, term_and(c->t, q[1], q[2]));
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
                    f.why = "it is not certain which function of the one program a callee is in the other";
                }
            }
            /* One function in the place of another is accepted for what it does, not for what it is given. */
            struct failure base = f;
            base.model = NULL;
            if (fail_call(c, f, k, other) && !named && !often) {
                f = base;
                f.refuted = true;
                alike = true;
            }
        }
        if (alike)
            compare_call(w, o, n, f);
        unite(w, o->e, n->e);
    } else {
        forget(w, new ? w->n : w->o, k->e);
        fail_call(c, f, k, NULL);
    }
}

static void match_calls(struct view *w, calls *o, calls *n)
{
    struct check *c = w->c;
    size_t first = 0; /* of n that is not matched */
    for (size_t i = 0; i < o->len && !out_of_time(c); i++) {
        struct call *k = &o->data[i];
        while (first < n->len && n->data[first].matched)
            first++;
        for (size_t j = first; j < n->len && !k->matched; j++) {
            struct call *l = &n->data[j];
            unsigned which;
            term at;
            if (l->matched || !same_name(k->e, l->e))
                continue;
            if (!same_guard(w, k, l) || same_call(w, k, l, &which, NULL, &at) != SAME_CALL)
                continue;
            k->matched = l->matched = true;
            unite(w, k->e, l->e);
            see_guards(w, w->n, n);
        }
    }
}

static struct call *first_unmatched(struct check *c, calls *k)
{
    for (size_t i = 0; i < k->len; i++)
        if (!k->data[i].matched && counts(c, k->data[i].e))
            return &k->data[i];
    return NULL;
}

/* Pairs the calls of both, in order. */
void view_calls(struct view *w)
{
    struct check *c = w->c;
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
    for (;;) {
        see_guards(w, w->o, &o);
        see_guards(w, w->n, &n);
        match_calls(w, &o, &n);
        struct call *k = first_unmatched(c, &o), *l = first_unmatched(c, &n);
        if (k)
            unmatched(w, k, &n, false);
        else if (l)
            unmatched(w, l, &o, true);
        else
            break;
    }
    vec_free(&o);
    vec_free(&n);
}

/* Takes calls that are made in the same order for the same, whatever they are given. True when there are any.
 */
bool calls_unite_by_name(struct view *w)
{
    struct map taken = {0};
    bool any = false;
    for (unsigned i = 0; i < w->o->path->nevents; i++)
        for (unsigned k = 0; k < w->n->path->nevents; k++)
            if (!map_get(&taken, k, NULL) && same_name(&w->o->path->event[i], &w->n->path->event[k])) {
                unite(w, &w->o->path->event[i], &w->n->path->event[k]);
                map_set(&taken, k, 1);
                any = true;
                break;
            }
    map_free(&taken);
    return any;
}

/* Calls that are the same return the same, and then it cannot be. */
bool calls_settle(struct view *w, term all)
{
    calls o = VEC_INIT, n = VEC_INIT;
    collect_calls(w, w->o, &o);
    collect_calls(w, w->n, &n);
    match_calls(w, &o, &n);
    bool any = false;
    for (size_t i = 0; i < o.len; i++)
        any = any || o.data[i].matched;
    vec_free(&o);
    vec_free(&n);
    /* what was only decided by the condition itself is open again */
    view_open(w);
    term seen = any ? view_see(w, all) : TERM_NONE;
    return any && possible(w->c, &seen, 1, NULL) == NO;
}
