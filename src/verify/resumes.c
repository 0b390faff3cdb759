/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short paths that go on with the old version's work.
 *
 * Heuristic C takes a short path of a function that returns nothing for one that rejects its input. But a
 * version that leaves something out in the middle has short paths, too: `if (p && c) free(p); *q = 0;`. The
 * two are told apart by what follows what is left out. A path that rejects its input may report that and
 * clean up; it does not do what the old version does after what is left out. Where it does, nothing says
 * which of the two it is. */
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"
#include "verify/profile.h"

enum { QUERIES_MAX = 40, NONE = UINT32_MAX };

/* A store that outlives the call, or a call with effects. */
struct work {
    const struct exec_event *call; /* or ... */
    const struct exec_write *store;
    term guard; /* canonical */
    uint64_t site;
    bool cleans;    /* frees or releases something */
    size_t partner; /* the same in the other version; SIZE_MAX: none */
};
typedef VEC(struct work) works;

struct resuming {
    struct check *c;
    const struct end *o, *n;
    term when;
    works old, new;
    unsigned queries;
};

static term own(const struct resuming *r, const struct end *e, term x)
{
    return canonical_term(&r->c->pair, e->s, x);
}

static void collect(const struct resuming *r, const struct end *e, works *out)
{
    const struct exec_path *p = e->path;
    for (unsigned i = 0; i < p->nevents; i++) {
        const struct exec_event *v = &p->event[i];
        const struct flow_library_entry *l = names_library(r->c, e->s, v);
        const unsigned attrs = l ? l->attrs : 0;
        if ((v->kind != EVENT_CALL && v->kind != EVENT_SYSCALL) || v->silent ||
            attrs & (LIBRARY_CONST | LIBRARY_PURE | LIBRARY_NORETURN))
            continue;
        vec_push(out, ((struct work){.call = v,
                                     .guard = end_guard(e, v->guard),
                                     .site = v->site,
                                     .cleans = attrs & (LIBRARY_FREE | LIBRARY_RELEASE),
                                     .partner = SIZE_MAX}));
    }
    for (unsigned i = 0; i < p->nwrites; i++) {
        const struct exec_write *w = &p->write[i];
        int64_t off;
        if (w->local || w->space || pair_sp_offset(&r->c->pair, own(r, e, w->address), &off) ||
            profile_is_errno(r->c->t, w->address))
            continue;
        vec_push(out,
                 ((struct work){
                     .store = w, .guard = end_guard(e, w->guard), .site = w->site, .partner = SIZE_MAX}));
    }
}

/* ---- the same work ---- */

/* Equal; or, where that is enough, not a constant in either version: it may depend on what was left out. */
static bool fits(const struct resuming *r, term old, term new, bool exactly)
{
    term a = own(r, r->o, old), b = own(r, r->n, new);
    return a == b || (!exactly && !term_is_const(r->c->t, a) && !term_is_const(r->c->t, b));
}

static bool is_same(const struct resuming *r, const struct work *o, const struct work *n, bool exactly)
{
    if (o->store && n->store)
        return own(r, r->o, o->store->address) == own(r, r->n, n->store->address) &&
               fits(r, o->store->value, n->store->value, exactly);
    if (!o->call || !n->call || !names_same(o->call, n->call))
        return false;
    unsigned many = o->call->nargs < n->call->nargs ? o->call->nargs : n->call->nargs;
    bool is = true;
    for (unsigned i = 0; i < many && is; i++)
        is = fits(r, o->call->arg[i], n->call->arg[i], exactly);
    return is;
}

/* In order, first what is equal. */
static void pair_works(struct resuming *r)
{
    for (int exactly = 1; exactly >= 0; exactly--)
        for (size_t i = 0; i < r->new.len; i++)
            for (size_t k = 0; k < r->old.len && r->new.data[i].partner == SIZE_MAX; k++)
                if (r->old.data[k].partner == SIZE_MAX &&
                    is_same(r, &r->old.data[k], &r->new.data[i], exactly)) {
                    r->new.data[i].partner = k;
                    r->old.data[k].partner = i;
                }
}

/* ---- order ---- */

static uint32_t block_at(const struct flow_graph *g, uint64_t site)
{
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (g->block[i].nmark && site >= g->block[i].mark->address &&
            site < g->block[i].mark->address + g->block[i].bytes)
            return i;
    return NONE;
}

/* The blocks that can follow one, itself included only in a loop; the caller frees them. */
static uint8_t *reached_from(const struct flow_graph *g, uint32_t from)
{
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, from);
    while (todo.len) {
        uint32_t b = vec_pop(&todo);
        for (uint32_t i = g->first_edge[b]; i < g->first_edge[b + 1]; i++)
            if (!seen[g->edge[i].to]) {
                seen[g->edge[i].to] = 1;
                vec_push(&todo, g->edge[i].to);
            }
    }
    vec_free(&todo);
    return seen;
}

/* The old version may do the one before the other. */
static bool may_precede(const struct resuming *r, const struct work *first, const struct work *then)
{
    const struct flow_graph *g = r->o->s->g;
    uint32_t a = block_at(g, first->site), b = block_at(g, then->site);
    if (a == NONE || b == NONE || (a == b && first->site < then->site))
        return true;
    uint8_t *after = reached_from(g, a);
    bool is = after[b];
    free(after);
    return is;
}

/* ---- the question ---- */

static bool possible(struct resuming *r, term a, term b)
{
    const term q[] = {r->when, a, b};
    return ++r->queries > QUERIES_MAX || query_possible(r->c, q, 3, NULL) != NO;
}

/* When the new version does that, too. */
static term is_done(const struct resuming *r, const struct work *old)
{
    term done = old->partner == SIZE_MAX ? term_false(r->c->t) : r->new.data[old->partner].guard;
    for (size_t i = 0; i < r->new.len; i++)
        if (is_same(r, old, &r->new.data[i], true))
            done = term_or(r->c->t, done, r->new.data[i].guard);
    return done;
}

/* Both do it, and before that the old version does something that the new one leaves out. */
static bool follows_gap(struct resuming *r, const struct work *old, const struct work *new)
{
    struct terms *t = r->c->t;
    term both = term_and(t, old->guard, new->guard);
    for (size_t i = 0; i < r->old.len; i++) {
        const struct work *left = &r->old.data[i];
        if (left == old || !may_precede(r, left, old))
            continue;
        term gap = term_and(t, left->guard, term_not(t, is_done(r, left)));
        if (!term_is_false(t, gap) && possible(r, both, gap))
            return true;
    }
    return false;
}

/* ---- where the old version goes on and is not followed ---- */

static bool is_in_frame(const struct ir_machine *m, const struct ir_block *b, ir_val v)
{
    while (b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB || b->insn[v].op == OP_AND)
        v = b->insn[v].a;
    return b->insn[v].op == IR_GET && (b->insn[v].a == m->sp || b->insn[v].a == m->fp);
}

/* The block may make the store, as far as its own instructions say what it stores. */
static bool stores_that(const struct resuming *r, const struct ir_block *b, term value)
{
    uint64_t is;
    const bool number = term_const_u64(r->c->t, value, &is);
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i], *from = in->op == IR_STORE ? &b->insn[in->b] : NULL;
        if (!from || from->width != term_width(r->c->t, value) || is_in_frame(r->o->s->m, b, in->a))
            continue;
        if (from->op != IR_CONST || (number && from->width <= 64 && ir_imm(from->a, from->b) == is))
            return true;
    }
    return false;
}

static bool calls_that(const struct resuming *r, const struct flow_call *k, const struct exec_event *e)
{
    if (e->kind != EVENT_CALL || !k->name || !e->name)
        return e->kind == EVENT_CALL && !k->name && !k->target && !e->name;
    return strcmp(names_callee(r->o->s, k->name, k->target), e->name) == 0;
}

/* The old version may do the same behind the point where it is no longer followed. */
static bool is_ahead(const struct resuming *r, const struct work *new)
{
    const struct flow_graph *g = r->o->s->g;
    const uint32_t at = r->o->path->end == PATH_CUT ? r->o->path->point->block : 0;
    uint8_t *ahead = reached_from(g, at);
    bool found = false;
    ahead[at] = 1;
    for (uint32_t i = 0; i < g->ncalls && new->call && !found; i++)
        found = ahead[g->call[i].block] && calls_that(r, &g->call[i], new->call);
    for (uint32_t i = 0; i < g->nblocks && !found; i++)
        found = ahead[i] &&
                (new->store ? stores_that(r, &g->block[i], own(r, r->n, new->store->value))
                            : new->call->kind == EVENT_SYSCALL && g->block[i].end.kind == IR_END_SYSCALL);
    free(ahead);
    return found;
}

static const struct work *resumed(struct resuming *r)
{
    const bool over = r->o->returns || r->o->path->end == PATH_NORETURN || r->o->path->end == PATH_TRAP;
    pair_works(r);
    for (size_t i = 0; i < r->new.len; i++) {
        const struct work *w = &r->new.data[i];
        bool done = false, resumes = false;
        for (size_t k = 0; k < r->old.len && !w->cleans && !resumes; k++) {
            const struct work *old = &r->old.data[k];
            if (w->partner != k && !is_same(r, old, w, true))
                continue;
            done = true;
            resumes = follows_gap(r, old, w);
        }
        if (!w->cleans && !done && !over)
            resumes = is_ahead(r, w) && possible(r, w->guard, w->guard);
        if (resumes)
            return w;
    }
    return NULL;
}

bool resumes_work(struct check *c, const struct end *o, const struct end *n, uint64_t *site)
{
    struct terms *t = c->t;
    if (!(n->by & VERIFY_BY_C) || n->bad)
        return false;
    term only = term_and(t, n->error, term_not(t, n->otherwise));
    struct resuming r = {.c = c, .o = o, .n = n};
    r.when = term_and(t, term_and(t, o->cond, n->cond), term_and(t, only, term_not(t, o->error)));
    if (term_is_false(t, r.when) || query_possible(c, &r.when, 1, NULL) == NO)
        return false;
    collect(&r, o, &r.old);
    collect(&r, n, &r.new);
    const struct work *w = resumed(&r);
    if (w)
        *site = w->site;
    vec_free(&r.old);
    vec_free(&r.new);
    return w != NULL;
}

void resumes_compare(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    uint64_t site;
    if (!resumes_work(c, o, n, &site))
        return;
    const struct object *of = program_object(n->s->p);
    struct failure f = {.property = VERIFY_PROPERTIES_ALL,
                        .path = {o->path, n->path},
                        .when = term_and(c->t, o->cond, n->cond),
                        .what = "an exit that may reject its input",
                        .site = {o->path->end_address, n->path->end_address},
                        .whole = true};
    f.reason = reason_of(c->arena, VERIFY_REASON_SHORT_EXIT_RESUMES,
                         (unsigned long long)object_display_address(of, n->path->end_address),
                         (unsigned long long)object_display_address(of, site));
    accept_or_fail(c, found, f);
}
