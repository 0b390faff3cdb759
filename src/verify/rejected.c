/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that the old version accepts and the new one rejects.
 *
 * No property covers what the new version does with them. But the user should know what such a run leaves
 * behind: calls that the old version does not make, writes, locks, and leaked memory. These become warnings.
 * And where only a heuristic says that an exit rejects its input, the verdict rests on that. Warnings change
 * no verdict: what the solver did not answer here does not count, and only small questions are asked. */
#include <string.h>

#include "flow/library.h"
#include "tell/condition.h"
#include "verify/private.h"
#include "verify/profile.h"

enum { LOOK_MAX = 32, LOOK_NODES = 5000 };

/* A pair of exits, and when the one accepts and the other rejects. */
struct rejected {
    struct check *c;
    const struct end *o, *n;
    term when;
};

static enum answer is_possible(const struct rejected *r, term also)
{
    const term q[] = {r->when, also};
    return query_possible(r->c, q, 2, NULL);
}

static unsigned long long shown(const struct end *e, uint64_t site)
{
    return object_display_address(program_object(e->s->p), site);
}

static term own(const struct rejected *r, const struct end *e, term x)
{
    return canonical_term(&r->c->pair, e->s, x);
}

static void say(struct check *c, const char *text)
{
    for (size_t i = 0; i < c->warning.len; i++)
        if (strcmp(c->warning.data[i], text) == 0)
            return;
    vec_push(&c->warning, text);
}

/* Says it, once; "may" where it was not decided. */
static void warn(const struct rejected *r, enum answer is, const char *does, const char *what, uint64_t site)
{
    if (is != NO)
        say(r->c, arena_printf(r->c->arena, "newly rejected inputs %s%s %s, at %#llx",
                               is == UNDECIDED ? "may " : "", does, what, shown(r->n, site)));
}

static bool does(const struct rejected *r, const struct end *e, const struct exec_event *v, unsigned attrs)
{
    const struct flow_library_entry *l = names_library(r->c, e->s, v);
    return l && l->attrs & attrs;
}

/* ---- calls ---- */

/* The old version's path calls what an event of the new one's calls. */
static bool calls_that(const struct rejected *r, const struct exec_event *e)
{
    const struct exec_path *p = r->o->path;
    for (unsigned i = 0; i < p->nevents; i++) {
        const struct exec_event *o = &p->event[i];
        if (o->name && e->name ? strcmp(o->name, e->name) == 0
                               : !o->name && !e->name && o->target == own(r, r->n, e->target))
            return true;
    }
    return false;
}

static bool is_new_call(const struct rejected *r, const struct exec_event *e)
{
    return (e->kind == EVENT_CALL || e->kind == EVENT_SYSCALL) && !e->silent &&
           !(e->name && pair_call_is_transparent(e->name)) &&
           !does(r, r->n, e, LIBRARY_CONST | LIBRARY_PURE) && !calls_that(r, e);
}

static void warn_of_calls(const struct rejected *r)
{
    for (unsigned i = 0; i < r->n->path->nevents; i++) {
        const struct exec_event *e = &r->n->path->event[i];
        if (is_new_call(r, e) && is_possible(r, end_guard(r->n, e->guard)) == YES)
            warn(r, YES, "reach a call to", names_called(r->c, NEW, e), e->site);
    }
}

/* ---- writes ---- */

/* The old version has the same store. */
static bool has_store(const struct rejected *r, term at, term value)
{
    const struct exec_path *p = r->o->path;
    for (unsigned i = 0; i < p->nwrites; i++)
        if (!p->write[i].space && own(r, r->o, p->write[i].address) == at &&
            own(r, r->o, p->write[i].value) == value)
            return true;
    return false;
}

/* An error path may set errno; its own frame is dead when it returns. */
static void warn_of_writes(const struct rejected *r)
{
    struct check *c = r->c;
    struct terms *t = c->t;
    unsigned looked = 0;
    for (unsigned i = 0; i < r->n->path->nwrites && looked < LOOK_MAX; i++) {
        const struct exec_write *w = &r->n->path->write[i];
        int64_t off;
        if (w->local || w->space)
            continue;
        term at = own(r, r->n, w->address), value = own(r, r->n, w->value);
        unsigned width = term_width(t, value);
        if (pair_sp_offset(&c->pair, at, &off) || width % 8 || has_store(r, at, value) ||
            profile_is_errno(t, at))
            continue;
        looked++;
        term before = term_read(t, term_array_root(t, r->n->mem), at, width);
        const term q[] = {r->when,
                          end_guard(r->n, w->guard),
                          pair_outside_frames(&c->pair, at),
                          term_eq(t, term_read(t, r->n->mem, at, width), value),
                          term_not(t, term_eq(t, before, value)),
                          term_not(t, term_eq(t, term_read(t, r->o->mem, at, width), value))};
        enum answer is = query_possible(c, q, sizeof q / sizeof *q, NULL);
        struct buf place = BUF_INIT;
        words_place(&place, c->words[OLD], at, width / 8);
        warn(r, is, "leave behind a store to", buf_text(&place), w->site);
        buf_free(&place);
    }
}

/* ---- locks ---- */

/* It releases what the argument says, among calls from the first one on. */
static term releases(const struct rejected *r, const struct end *e, unsigned first, term lock)
{
    struct terms *t = r->c->t;
    term out = term_false(t);
    for (unsigned i = first; i < e->path->nevents; i++) {
        const struct exec_event *v = &e->path->event[i];
        if (!does(r, e, v, LIBRARY_RELEASE) || !v->nargs || term_width(t, v->arg[0]) != term_width(t, lock))
            continue;
        term same = term_eq(t, own(r, e, v->arg[0]), lock);
        out = term_or(t, out, term_and(t, same, end_guard(e, v->guard)));
    }
    return out;
}

/* A lock that was taken, which the functions that take one say with 0, and that the old version releases. */
static void warn_of_locks(const struct rejected *r)
{
    struct terms *t = r->c->t;
    for (unsigned i = 0; i < r->n->path->nevents; i++) {
        const struct exec_event *v = &r->n->path->event[i];
        if (!does(r, r->n, v, LIBRARY_ACQUIRE) || !v->nargs)
            continue;
        term lock = own(r, r->n, v->arg[0]), took = end_guard(r->n, v->guard);
        if (v->result != TERM_NONE && term_width(t, v->result) >= 32)
            took = term_and(
                t, took, term_eq(t, term_extract(t, own(r, r->n, v->result), 0, 32), term_const(t, 32, 0)));
        took = term_and(t, took, term_not(t, releases(r, r->n, i + 1, lock)));
        term was = releases(r, r->o, 0, lock);
        if (!term_is_false(t, was))
            warn(r, is_possible(r, term_and(t, took, was)), "keep the lock acquired by",
                 names_called(r->c, NEW, v), v->site);
    }
}

/* ---- leaks ---- */

/* The value is made from that; other than by what depends on it, or is decided by it. */
static bool has(const struct rejected *r, term x, term made)
{
    const struct terms *t = r->c->t;
    bool found = false;
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    if (x != TERM_NONE)
        vec_push(&todo, x);
    while (todo.len && !found) {
        term u = vec_pop(&todo);
        found = u == made;
        if (!map_set(&seen, u, 1) || (!term_is_array(t, u) && term_width(t, u) == 1))
            continue;
        for (unsigned i = 0; i < term_nkids(t, u); i++)
            vec_push(&todo, term_kid(t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
    return found;
}

/* The callee may free what it is given, or keep it. */
static bool may_keep(const struct rejected *r, const struct end *e, const struct exec_event *v)
{
    const struct flow_library_entry *l = names_library(r->c, e->s, v);
    return !l || l->attrs & (LIBRARY_FREE | LIBRARY_REALLOC | LIBRARY_STATE | LIBRARY_CALLBACK);
}

/* When what the call allocated is neither freed, nor returned, nor stored. Whatever is made from it counts.
 */
static term leaks(const struct rejected *r, const struct end *e, const struct exec_event *v)
{
    struct terms *t = r->c->t;
    const struct exec_path *p = e->path;
    term made = v->result, kept = has(r, p->result, made) ? term_true(t) : term_false(t);
    for (const struct exec_event *k = p->event; k < p->event + p->nevents; k++) {
        bool given = false;
        for (unsigned i = 0; i < k->nargs && k != v; i++)
            given = given || has(r, k->arg[i], made);
        if (given && may_keep(r, e, k))
            kept = term_or(t, kept, end_guard(e, k->guard));
    }
    for (unsigned i = 0; i < p->nwrites; i++)
        if ((!p->write[i].local || p->escaped) && has(r, p->write[i].value, made))
            kept = term_or(t, kept, end_guard(e, p->write[i].guard));
    term some = term_not(t, term_eq(t, own(r, e, made), term_const(t, term_width(t, made), 0)));
    return term_and(t, term_and(t, end_guard(e, v->guard), some), term_not(t, kept));
}

static void warn_of_leaks(const struct rejected *r)
{
    struct terms *t = r->c->t;
    for (unsigned i = 0; i < r->n->path->nevents; i++) {
        const struct exec_event *v = &r->n->path->event[i];
        if (!does(r, r->n, v, LIBRARY_ALLOC) || v->result == TERM_NONE)
            continue;
        term when = leaks(r, r->n, v);
        for (unsigned k = 0; k < r->o->path->nevents; k++) {
            const struct exec_event *old = &r->o->path->event[k];
            if (old->result != TERM_NONE && names_same(old, v))
                when = term_and(t, when, term_not(t, leaks(r, r->o, old)));
        }
        warn(r, is_possible(r, when), "leak memory allocated by", names_called(r->c, NEW, v), v->site);
    }
}

/* ---- exits that a heuristic takes for errors ---- */

static void say_guessed(const struct rejected *r, unsigned by, const char *why)
{
    struct attempt *a = r->c->now;
    const struct guessed_exit g = {r->n->path->end_address, by, why};
    for (size_t i = 0; i < a->guessed.len; i++)
        if (a->guessed.data[i].address == g.address && a->guessed.data[i].by == by &&
            strcmp(a->guessed.data[i].why, why) == 0)
            return;
    vec_push(&a->guessed, g);
}

/* By the value that it returns, or by its length. */
static void note_guessed(const struct rejected *r)
{
    struct check *c = r->c;
    for (size_t i = 0; r->n->by & VERIFY_BY_B && i < c->exits.invalid.len; i++)
        if (c->exits.invalid_by.data[i] & VERIFY_BY_B && r->n->result != TERM_NONE &&
            is_possible(r, exits_returns(c, r->n->result, c->exits.invalid.data[i])) != NO)
            say_guessed(r, VERIFY_BY_B,
                        arena_printf(c->arena, "it returns %lld", (long long)c->exits.invalid.data[i]));
    bool idle = r->n->by & VERIFY_BY_C && r->n->idle != TERM_NONE && is_possible(r, r->n->idle) != NO;
    if (idle)
        say_guessed(r, VERIFY_BY_C, "nothing was done before it");
    else if (r->n->by & VERIFY_BY_C)
        say_guessed(r, VERIFY_BY_C, "the path to it is short");
}

bool rejected_is_guessed(const struct end *n)
{
    return n->by & (VERIFY_BY_B | VERIFY_BY_C) && n->returns;
}

/* How many bytes the new version, or the old one, stores there at once. */
static unsigned bytes_stored(const struct rejected *r, term at)
{
    const struct end *const both[] = {r->n, r->o};
    for (int s = 0; s < 2; s++)
        for (unsigned i = both[s]->path->nwrites; i-- > 0;) {
            const struct exec_write *w = &both[s]->path->write[i];
            if (!w->space && own(r, both[s], w->address) == at)
                return term_width(r->c->t, w->value) / 8;
        }
    return 1;
}

void rejected_note(struct check *c, const struct end *o, const struct end *n, term when,
                   const struct findings *differ)
{
    const struct rejected r = {c, o, n, when};
    note_guessed(&r);
    for (size_t i = 0; i < differ->failed.len; i++) {
        const struct failure *f = &differ->failed.data[i];
        if (f->property != VERIFY_P2 || !f->refuted || f->place == TERM_NONE || f->local ||
            profile_is_errno(c->t, f->place))
            continue;
        struct buf place = BUF_INIT;
        if (term_any(c->t, f->place, term_is_that, &c->at))
            buf_puts(&place, "memory");
        else
            words_place(&place, c->words[OLD], f->place, bytes_stored(&r, f->place));
        say(c, arena_printf(c->arena, "inputs that both versions reject leave something else in %s, at %#llx",
                            buf_text(&place), shown(n, n->path->end_address)));
        buf_free(&place);
        c->now->rejects_otherwise = true;
    }
}

/* ---- all of it ---- */

/* There may be something to report. Where the process ends, only its calls matter. */
static bool is_worth_looking(const struct rejected *r, bool returns)
{
    bool worth = returns;
    for (unsigned i = 0; i < r->n->path->nevents && !worth; i++)
        worth = is_new_call(r, &r->n->path->event[i]);
    return worth && !r->o->bad && !r->n->bad && !term_is_false(r->c->t, r->when);
}

void rejected_again(struct attempt *a, size_t segment)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->rejection.len; i++)
        if (a->rejection.data[i].segment != segment)
            a->rejection.data[kept++] = a->rejection.data[i];
    a->rejection.len = kept;
    a->segment = segment;
}

static void note_rejection(const struct rejected *r)
{
    enum { MANY = 64 };
    struct terms *t = r->c->t;
    struct attempt *a = r->c->now;
    const struct rejection x = {r->n->path->end_address, r->when, term_and(t, r->n->cond, r->n->error),
                                a->segment};
    for (size_t i = 0; i < a->rejection.len; i++)
        if (a->rejection.data[i].when == x.when)
            return;
    if (a->rejection.len < MANY && !r->o->bad && !r->n->bad && !term_is_false(t, x.when))
        vec_push(&a->rejection, x);
}

void rejected_behind_loop(struct check *c, const struct end *o, const struct end *n, uint64_t values)
{
    struct terms *t = c->t;
    const struct rejected r = {c, o, n, term_and(t, term_and(t, o->cond, n->cond), term_not(t, o->error))};
    for (size_t i = 0; i < c->exits.invalid.len; i++)
        if (values >> i & 1 && c->exits.invalid_by.data[i] & VERIFY_BY_B)
            say_guessed(&r, VERIFY_BY_B,
                        arena_printf(c->arena, "it returns %lld", (long long)c->exits.invalid.data[i]));
    note_rejection(&r);
    c->now->rejects_inside = c->now->rejects_behind_loop = true;
}

static bool impossible(void *ctx, const term *q, unsigned n)
{
    return query_possible(ctx, q, n, NULL) == NO;
}

static bool is_told(const struct verify_rejection *x, size_t n, const char *when)
{
    for (size_t i = 0; i < n; i++)
        if (x[i].when == when || (x[i].when && when && strcmp(x[i].when, when) == 0))
            return true;
    return false;
}

/* A disjunction as one conjunction, where it is one: of the parts of one of its alternatives those that it
 * takes. */
static term in_short(struct check *c, term all, term one)
{
    enum { PARTS = 12 };
    struct terms *t = c->t;
    term part[PARTS];
    unsigned n = 0;
    if (all == one)
        return all;
    for (; term_kind(t, one) == OP_AND && n < PARTS - 1; one = term_kid(t, one, 0))
        part[n++] = term_kid(t, one, 1);
    part[n++] = one;
    if (term_kind(t, one) == OP_AND)
        return all;
    for (unsigned i = 0; i < n && n > 1;) {
        term q[PARTS + 1];
        unsigned m = 0;
        for (unsigned k = 0; k < n; k++)
            if (k != i)
                q[m++] = part[k];
        q[m++] = term_not(t, all);
        if (impossible(c, q, m))
            part[i] = part[--n];
        else
            i++;
    }
    term joined = part[0];
    for (unsigned i = 1; i < n; i++)
        joined = term_and(t, joined, part[i]);
    const term q[] = {all, term_not(t, joined)};
    return impossible(c, q, 2) ? joined : all;
}

void rejected_tell(struct check *c, const struct attempt *found, struct verify_result *out)
{
    enum { TOLD = 8 };
    struct terms *t = c->t;
    struct verify_rejection *list = arena_array(c->arena, struct verify_rejection, TOLD);
    const struct condition_teller by = {t, c->words[OLD], impossible, c};
    const size_t nodes_max = c->query.nodes_max;
    size_t n = 0;
    c->query.nodes_max = nodes_max < LOOK_NODES ? nodes_max : LOOK_NODES;
    for (size_t i = 0; i < found->rejection.len && n < TOLD; i++) {
        const struct rejection *x = &found->rejection.data[i];
        term all = TERM_NONE; /* of this exit, whatever the old version does */
        bool first = true;
        for (size_t k = 0; k < found->rejection.len; k++) {
            if (found->rejection.data[k].site != x->site || found->rejection.data[k].new_when != x->new_when)
                continue;
            first = first && k >= i;
            all = all == TERM_NONE ? found->rejection.data[k].when
                                   : term_or(t, all, found->rejection.data[k].when);
        }
        if (!first || query_is_late(c) || impossible(c, &all, 1))
            continue;
        all = in_short(c, all, x->when);
        const char *when =
            condition_text(c->arena, &by, &(struct condition_said){.when = all, .differ = TERM_NONE});
        if (!is_told(list, n, when))
            list[n++] = (struct verify_rejection){when, x->site, evidence_line(c, NEW, x->site)};
    }
    c->query.nodes_max = nodes_max;
    out->rejection = list;
    out->nrejections = n;
}

void rejected_look(struct check *c, const struct end *o, const struct end *n)
{
    struct terms *t = c->t;
    struct rejected r = {
        c, o, n, term_and(t, term_and(t, o->cond, n->cond), term_and(t, n->error, term_not(t, o->error)))};
    bool returns = n->path->end == PATH_RETURN || n->path->end == PATH_TAIL_CALL;
    note_rejection(&r);
    if (!is_worth_looking(&r, returns) || query_is_late(c))
        return;
    const uint64_t unknown_answers = c->now->unknown_answers;
    const struct verify_reason unknown = c->now->unknown;
    const size_t nodes_max = c->query.nodes_max;
    enum answer is = query_possible(c, &r.when, 1, NULL);
    if (is == YES) {
        struct view w;
        view_start(&w, c, o, n, r.when);
        is = calls_settle(&w, r.when, NULL) ? NO : YES;
        view_end(&w);
    }
    if (is == NO && c->now->rejection.len && vec_last(&c->now->rejection).when == r.when)
        c->now->rejection.len--;
    c->query.nodes_max = nodes_max < LOOK_NODES ? nodes_max : LOOK_NODES;
    if (is != NO) {
        note_guessed(&r);
        c->now->rejects_inside |= c->now->inside;
    }
    if (is == YES) {
        warn_of_calls(&r);
        if (returns) {
            warn_of_writes(&r);
            warn_of_locks(&r);
            warn_of_leaks(&r);
        }
    }
    c->query.nodes_max = nodes_max;
    c->now->unknown_answers = unknown_answers;
    c->now->unknown = unknown;
}
