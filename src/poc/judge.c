/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rubric. Two paths, one of each program, meet where both conditions hold. There the candidate is wrong
 * when it crashes like the proof of concept (cases 2 and 4), or when both end normally and what the caller
 * sees differs (case 6): the result, what was written to memory that outlives the call, the calls of
 * functions that were not followed. The stack below the call is not seen, nor is the allocator's own state.
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "poc/check.h"

struct judge {
    struct poc_side *old, *new;
    struct match *m;
    struct poc_answers *answers;
    struct solver *solver;
    const struct poc_crash *crash;
    struct poc_judgement *out;
    struct terms *t;
    unsigned width;
    uint64_t sp;
    VEC(term) assume; /* of both; the original's come first */
    size_t assume_old;
    unsigned unknown; /* so many times nobody knew whether something can hold */
    const struct term_model *const *guide[2]; /* of the two classes */
    struct map never; /* negations of the literals of the original's class */
};

/* ---- what the caller sees ---- */

bool poc_in_image(const struct poc_side *side, uint64_t a)
{
    size_t n;
    uint64_t local = a - side->s->base;
    return local < UINT64_C(1) << 32 && object_bytes(program_object(side->p), local, &n) != NULL;
}

/* That two values differ; addresses of the two files mean the same when what is there is paired. */
static term differ(struct judge *j, term a, term b)
{
    uint64_t x, y;
    if (a == b)
        return term_false(j->t);
    if (term_const_u64(j->t, a, &x) && term_const_u64(j->t, b, &y) && poc_in_image(j->old, x) &&
        poc_in_image(j->new, y) && match_same_address(j->m, x - j->old->s->base, y - j->new->s->base))
        return term_false(j->t);
    return term_not(j->t, term_eq(j->t, a, b));
}

static bool own_frame(const struct judge *j, term a)
{
    uint64_t x;
    return term_const_u64(j->t, a, &x) && snapshot_below(j->old->s, x, j->sp);
}

static term final_byte(struct judge *j, const struct exec_path *p, uint64_t address)
{
    return term_read(j->t, p->memory, term_const(j->t, j->width, address), 8);
}

/* Whether the memory is of somebody who can look at it afterwards. */
static bool is_seen(struct judge *j, const struct exec_path *po, const struct exec_path *pn, term address)
{
    const struct snapshot *s = j->old->s;
    uint64_t a;
    if (own_frame(j, address))
        return false;
    if (!term_const_u64(j->t, address, &a))
        return true;
    if (a < POC_REAL)
        return false;
    if (!s->guarded)
        return true;
    if (a - s->pool_at < sizeof s->pool)
        return false;
    int c = guard_class_of(&s->pool, a);
    if (c < 0)
        return true;
    uint64_t slot = s->pool.cls[c].first + (a - s->pool.cls[c].base) / (2 * s->pool.cls[c].bytes);
    if (slot >= GUARD_SLOTS)
        return true;
    uint64_t at = s->pool_at + offsetof(struct guard_pool, state) + slot, live;
    return s->pool.state[slot] != GUARD_NEVER ||
           (term_const_u64(j->t, final_byte(j, po, at), &live) && live == GUARD_LIVE &&
            term_const_u64(j->t, final_byte(j, pn, at), &live) && live == GUARD_LIVE);
}

static bool moved(struct judge *j, uint64_t old, uint64_t *new)
{
    *new = old;
    if (!poc_in_image(j->old, old))
        return true;
    uint64_t there;
    if (!match_data(j->m, old - j->old->s->base, &there, NULL))
        return j->old->s->base == j->new->s->base;
    *new = there + j->new->s->base;
    return true;
}

/* What memory has at the end; the snapshot tells what was never written. */
static term at_end(struct poc_side *side, const struct exec_path *p, struct terms *t, term address,
                   unsigned width)
{
    uint64_t a;
    term v = term_read(t, p->memory, address, width);
    if (term_is_const(t, v) || !term_const_u64(t, address, &a))
        return v;
    term out = TERM_NONE;
    for (unsigned i = 0; i < width / 8; i++) {
        term at = term_const(t, side->s->m->pointer_width, a + i), cell = term_read(t, p->memory, at, 8);
        struct explore_symbols s = explorer_symbols(side->x);
        size_t n;
        const uint8_t *byte = snapshot_at(side->s, a + i, &n);
        if (byte && !poc_is_open(side->a, a + i) && cell == term_read(t, s.mem, at, 8))
            cell = term_const(t, 8, *byte);
        out = out == TERM_NONE ? cell : term_concat(t, cell, out);
    }
    return out;
}

static term memory_differs(struct judge *j, const struct exec_path *po, const struct exec_path *pn)
{
    enum { CELLS = 256 };
    term d = term_false(j->t);
    struct map seen = {0};
    for (unsigned side = 0; side < 2; side++) {
        const struct exec_path *p = side ? pn : po;
        for (unsigned i = 0; i < p->nwrites; i++) {
            const struct exec_write *w = &p->write[i];
            uint64_t a;
            unsigned width = term_width(j->t, w->value);
            if (w->space || !is_seen(j, po, pn, w->address) ||
                !map_set(&seen, (uint64_t)w->address << 16 | width, 1))
                continue;
            term ao = w->address, an = w->address, base;
            struct guard_chunk chunk = {.size = UINT64_MAX};
            if (!term_const_u64(j->t, w->address, &a)) {
                /* one of the cells of its object */
                term_split(j->t, w->address, &base, &a);
                const struct poc_size *z = NULL;
                if (j->old->s->guarded && guard_chunk_at(&j->old->s->pool, a, &chunk))
                    z = poc_size_of(j->old->a, chunk.base);
                uint64_t cells = z ? z->most : chunk.size;
                if (cells <= CELLS) {
                    for (uint64_t k = 0; k < cells; k++) {
                        term cell = term_const(j->t, j->width, chunk.base + k);
                        if (map_set(&seen, (uint64_t)cell << 16 | 8, 1))
                            d = term_or(j->t, d,
                                        differ(j, at_end(j->old, po, j->t, cell, 8),
                                               at_end(j->new, pn, j->t, cell, 8)));
                    }
                    continue;
                }
            } else {
                uint64_t b = a;
                if (!side && moved(j, a, &b))
                    an = term_const(j->t, j->width, b);
                if (side && poc_in_image(j->new, a)) {
                    uint64_t back;
                    if (match_data_back(j->m, a - j->new->s->base, &back, NULL))
                        ao = term_const(j->t, j->width, back + j->old->s->base);
                }
            }
            d = term_or(j->t, d,
                        differ(j, at_end(j->old, po, j->t, ao, width), at_end(j->new, pn, j->t, an, width)));
        }
    }
    map_free(&seen);
    return d;
}

static term events_differ(struct judge *j, const struct exec_path *po, const struct exec_path *pn)
{
    term d = term_false(j->t);
    unsigned a = 0, b = 0;
    for (;; a++, b++) {
        while (a < po->nevents && (po->event[a].kind == EVENT_INTRINSIC || po->event[a].silent))
            a++;
        while (b < pn->nevents && (pn->event[b].kind == EVENT_INTRINSIC || pn->event[b].silent))
            b++;
        if (a == po->nevents || b == pn->nevents)
            break;
        const struct exec_event *x = &po->event[a], *y = &pn->event[b];
        if (!x->name || !y->name || strcmp(x->name, y->name) != 0)
            return term_true(j->t);
        for (unsigned i = 0; i < x->nargs && i < y->nargs; i++)
            if (!own_frame(j, x->arg[i]) || !own_frame(j, y->arg[i]))
                d = term_or(j->t, d, differ(j, x->arg[i], y->arg[i]));
    }
    return a == po->nevents && b == pn->nevents ? d : term_true(j->t);
}

/* Both return, each a result like the other's. */
static bool have_results(const struct judge *j, const struct exec_path *po, const struct exec_path *pn)
{
    return po->end == pn->end && po->end != PATH_NORETURN && po->result != TERM_NONE &&
           pn->result != TERM_NONE && term_width(j->t, po->result) == term_width(j->t, pn->result);
}

/* *but_results: what is seen but for the result differs. */
static term outputs_differ(struct judge *j, const struct exec_path *po, const struct exec_path *pn,
                           term *but_results)
{
    *but_results = term_true(j->t);
    if (po->end != pn->end)
        return term_true(j->t);
    *but_results = events_differ(j, po, pn);
    if (po->end != PATH_NORETURN)
        *but_results = term_or(j->t, *but_results, memory_differs(j, po, pn));
    return have_results(j, po, pn) ? term_or(j->t, differ(j, po->result, pn->result), *but_results)
                                   : *but_results;
}

/* Whether the two go different ways through the blocks that both have. */
static bool branches_differ(struct judge *j, const struct exec_path *po, const struct exec_path *pn)
{
    const struct match_pair *pair = match_function(j->m, j->old->f->address);
    const struct match_blocks *b = pair ? match_blocks(j->m, pair->old, pair->new) : NULL;
    unsigned i = 0, k = 0;
    if (!b)
        return false;
    for (;; i++, k++) {
        while (i < po->nblocks && po->block[i] < b->nold && b->new_of_old[po->block[i]] == MATCH_NONE)
            i++;
        while (k < pn->nblocks && pn->block[k] < b->nnew && b->old_of_new[pn->block[k]] == MATCH_NONE)
            k++;
        if (i >= po->nblocks || k >= pn->nblocks)
            return i < po->nblocks || k < pn->nblocks;
        if (po->block[i] >= b->nold || b->new_of_old[po->block[i]] != pn->block[k])
            return true;
    }
}

/* ---- the rubric ---- */

static enum poc_case case_of(const struct poc_class *o, const struct poc_class *n, bool like)
{
    if (o->crash.kind)
        return !n->crash.kind ? POC_CRASH_NORMAL : like ? POC_CRASH_SAME : POC_CRASH_OTHER;
    return !n->crash.kind ? POC_NORMAL_NORMAL : like ? POC_NORMAL_SAME : POC_NORMAL_OTHER;
}

/* Whether one of the path's literals is among those that the class has the other way round. */
static bool conflict(struct judge *j, const struct exec_path *p)
{
    for (unsigned k = 0; k < p->nliterals; k++)
        if (map_get(&j->never, p->literal[k], NULL))
            return true;
    return false;
}

/* Stores at addresses that are not known stay in their objects: only a mark itself is one. */
static bool is_wild(struct judge *j, const struct exec_path *p)
{
    term mem = p->memory;
    uint64_t at;
    for (; term_kind(j->t, mem) == TERM_WRITE; mem = term_kid(j->t, mem, 0))
        if (term_const_u64(j->t, term_kid(j->t, mem, 1), &at) && at == POC_WILD)
            return true;
    return !origin_is(j->t, mem, ORIGIN_MEMORY);
}

/* That the original did not do what is marked there. */
static term is_unmarked(struct judge *j, const struct exec_path *p, uint64_t where)
{
    term ghost = term_const(j->t, j->width, where), v = term_read(j->t, p->memory, ghost, 8);
    if (v == term_read(j->t, explorer_symbols(j->old->x).mem, ghost, 8))
        return term_true(j->t);
    return term_eq(j->t, v, term_const(j->t, 8, 0));
}

/* Values that one of the two was followed with and with which all of it holds: the first, or the last ones; NULL: none
 * are known. */
static const struct term_model *shown_by(struct judge *j, const term *q, size_t n, bool last)
{
    enum { ALL = 2 * POC_GUIDES };
    for (unsigned i = 0; i < ALL; i++) {
        unsigned k = last ? ALL - 1 - i : i;
        const struct term_model *m = j->guide[k / POC_GUIDES] ? j->guide[k / POC_GUIDES][k % POC_GUIDES] : NULL;
        bool known;
        if (m && term_eval_none_false(j->t, m, q, n, &known) && known)
            return m;
    }
    return NULL;
}

/* Which leaf has to be what, next to the values of a model, for x to be a number, if only one leaf changes;
 * TERM_NONE: none is found. Whether it is so has to be evaluated: it is a guess where x is wider than the
 * leaf. */
static term leaf_for(struct terms *t, const struct term_model *m, term x, uint64_t number, uint64_t *value,
                     unsigned fuel)
{
    unsigned i;
    struct bits of;
    term leaf = TERM_NONE;
    *value = number;
    if (term_kind(t, x) == TERM_READ || origin_is_argument(t, x, &i))
        return x;
    if (!fuel || term_width(t, x) > 64)
        return TERM_NONE;
    switch (term_kind(t, x)) {
    case OP_ITE:
        if (term_eval(t, m, term_kid(t, x, 0), &of))
            leaf = leaf_for(t, m, term_kid(t, x, bits_low(of) ? 1 : 2), number, value, fuel - 1);
        return leaf;
    case OP_ZEXT:
    case OP_SEXT:
        return leaf_for(t, m, term_kid(t, x, 0), number, value, fuel - 1);
    case OP_ADD:
        for (unsigned kid = 0; kid < 2 && leaf == TERM_NONE; kid++)
            if (term_eval(t, m, term_kid(t, x, 1 - kid), &of))
                leaf = leaf_for(t, m, term_kid(t, x, kid), number - bits_low(of), value, fuel - 1);
        return leaf;
    default:
        return TERM_NONE;
    }
}

/* Whether values show that all of q can hold: as they are, or, where the last of q says that something is a
 * number, with another value of what that is made from. */
static bool is_shown(struct judge *j, const struct term_model *m, const term *q, size_t n)
{
    enum { FUEL = 12 };
    struct terms *t = j->t;
    bool known, shown = m && term_eval_none_false(t, m, q, n, &known) && known;
    term last = q[n - 1], leaf;
    uint64_t value;
    if (!m || shown || term_kind(t, last) != OP_EQ || !term_const_u64(t, term_kid(t, last, 1), &value) ||
        (leaf = leaf_for(t, m, term_kid(t, last, 0), value, &value, FUEL)) == TERM_NONE)
        return shown;
    struct term_model *with = term_model_copy(m);
    struct bits v = bits_u64(value, term_width(t, leaf));
    bool read = term_kind(t, leaf) == TERM_READ, set = !read || term_model_set_read(t, with, leaf, v);
    if (!read)
        term_model_set(with, leaf, v);
    shown = set && term_eval_none_false(t, with, q, n, &known) && known;
    term_model_free(with);
    return shown;
}

/* The terms that say what is known of memory are the first. */
static enum solve_answer check(struct judge *j, const term *x, size_t n, size_t assumed, bool brief)
{
    const struct poc_query q = {.of = j->old, .x = x, .n = n, .nfacts = assumed};
    return poc_answers_check(j->answers, j->solver, j->t, &q, brief);
}

/* Whether all of it can hold. Where nobody knows a few times, as with floating point, the rest is asked with little
 * effort: what all of it may take is bounded, and more pairs of paths are looked at. */
static enum solve_answer holds(struct judge *j, const term *q, size_t n)
{
    enum { PATIENCE = 4 };
    if (shown_by(j, q, n, false))
        return SOLVE_SAT;
    enum solve_answer a = check(j, q, n, j->assume.len, j->unknown >= PATIENCE);
    j->unknown += a == SOLVE_UNKNOWN;
    return a;
}

/* The same where the paths are known to meet, and all but the last of q says so: values with which they do
 * may be known. */
static enum solve_answer holds_there(struct judge *j, const struct poc_class *o, const term *q, size_t n)
{
    const struct term_model *m;
    poc_answers_nearest(j->answers, j->old, q, n - 1, false, &m);
    if (is_shown(j, m, q, n) || is_shown(j, o->nearest, q, n) ||
        is_shown(j, poc_answers_model(j->answers, j->solver, q, n - 1), q, n))
        return SOLVE_SAT;
    return holds(j, q, n);
}

typedef VEC(term) literals;

/* That nothing signed overflows in what the path leaves behind, and no product on it, signed or not. */
static term is_clear(struct judge *j, const struct exec_path *p)
{
    enum { MOST = 8 };
    struct check_overflow all[MOST];
    const unsigned n = check_overflows(j->old, p, all, MOST);
    term clear = term_not(j->t, check_products(j->old, p));
    for (unsigned i = 0; i < n; i++)
        clear = term_and(j->t, clear, term_not(j->t, all[i].when));
    return clear;
}

/* Whether that can be where the finding is; the query says it then, too. What differs stands last. */
static bool can_be(struct judge *j, const struct poc_class *o, term unmarked, term wrong, literals *q)
{
    if (term_is_const(j->t, unmarked))
        return term_is_true(j->t, unmarked);
    vec_push(q, unmarked);
    if (wrong != TERM_NONE)
        vec_push(q, wrong);
    const bool can = holds_there(j, o, q->data, q->len) == SOLVE_SAT;
    q->len -= (size_t)(wrong != TERM_NONE) + !can;
    return can;
}

/* The original's class, with so much of what is assumed. */
static void in_class(const struct judge *j, size_t assumed, const struct poc_class *o, literals *q)
{
    for (size_t k = 0; k < assumed; k++)
        vec_push(q, j->assume.data[k]);
    for (unsigned k = 0; k < o->path->nliterals; k++)
        vec_push(q, o->path->literal[k]);
}

/* Whether the original's result can have the sign of the number that the candidate returns, beside all else
 * that is the same: the question has the sign alone, and is asked once for all candidates that return such a
 * number. SOLVE_UNKNOWN: also where the candidate returns no number, or the original one. */
static enum solve_answer has_that_sign(struct judge *j, const struct poc_class *o, const struct poc_class *n,
                                       term but_results, bool *negative)
{
    const term result = o->path->result;
    uint64_t number;
    if (!have_results(j, o->path, n->path) || term_is_const(j->t, result) ||
        !term_const_u64(j->t, n->path->result, &number))
        return SOLVE_UNKNOWN;
    literals q = VEC_INIT;
    in_class(j, j->assume_old, o, &q);
    vec_push(&q, term_not(j->t, but_results));
    const unsigned width = term_width(j->t, result);
    const term below = term_bin(j->t, OP_SLT, result, term_const(j->t, width, 0));
    *negative = number >> (width - 1) & 1;
    vec_push(&q, *negative ? below : term_not(j->t, below));
    const enum solve_answer has =
        shown_by(j, q.data, q.len, false) ? SOLVE_SAT : check(j, q.data, q.len, j->assume_old, true);
    vec_free(&q);
    return has;
}

/* Whether outputs that can differ always do; the last of q says that they do. Where the candidate returns an
 * error number and the original may return such numbers, that it is the same one is taken to be possible and
 * not asked for each number. */
static bool always_differ(struct judge *j, const struct poc_class *o, const struct poc_class *n,
                          term but_results, literals *q)
{
    bool negative = false;
    const enum solve_answer has =
        but_results == TERM_NONE ? SOLVE_UNKNOWN : has_that_sign(j, o, n, but_results, &negative);
    if (has == SOLVE_UNSAT || negative)
        return has == SOLVE_UNSAT;
    const term differ = vec_last(q);
    vec_last(q) = term_not(j->t, differ);
    const bool always = holds_there(j, o, q->data, q->len) == SOLVE_UNSAT;
    vec_last(q) = differ;
    return always;
}

enum pair_says { PAIR_NEVER, PAIR_RIGHT, PAIR_WRONG, PAIR_MAY, PAIR_UNKNOWN };

static enum pair_says judge_pair(struct judge *j, size_t i, const struct poc_class *o,
                                 const struct poc_class *n)
{
    const struct poc_options *opt = j->old->opt;
    if (conflict(j, n->path))
        return PAIR_NEVER;
    j->guide[0] = n->guide;
    j->guide[1] = o->guide;
    literals q = VEC_INIT;
    in_class(j, j->assume.len, o, &q);
    for (unsigned k = 0; k < n->path->nliterals; k++)
        vec_push(&q, n->path->literal[k]);
    enum solve_answer meets = holds(j, q.data, q.len);
    if (meets == SOLVE_UNSAT) {
        vec_free(&q);
        return PAIR_NEVER;
    }
    if (meets == SOLVE_UNKNOWN || !n->known) {
        vec_free(&q);
        return PAIR_UNKNOWN;
    }
    bool like = opt->any_crash ? n->crash.kind != POC_NONE : poc_crash_same(&n->crash, j->crash);
    /* where in the function a candidate crashes cannot be compared; of the original it is known, and what it
     * does wrong elsewhere is not what is to be repaired */
    if (!opt->any_crash && poc_crash_same(&o->crash, j->crash) && !poc_crash_here(&o->crash, j->crash))
        like = false;
    enum poc_case which = case_of(o, n, like);
    enum pair_says says = PAIR_RIGHT;
    term wrong = TERM_NONE, but_results = TERM_NONE;
    bool branches = false;
    if (which == POC_CRASH_SAME || which == POC_NORMAL_SAME) {
        says = PAIR_WRONG;
    } else if (which == POC_NORMAL_NORMAL) {
        wrong = opt->regression & POC_OUTPUTS ? outputs_differ(j, o->path, n->path, &but_results)
                                              : term_false(j->t);
        branches = term_is_false(j->t, wrong) && opt->regression & POC_BRANCHES &&
                   branches_differ(j, o->path, n->path);
        if (branches)
            wrong = term_true(j->t);
        vec_push(&q, wrong);
        enum solve_answer differs =
            term_is_false(j->t, wrong) ? SOLVE_UNSAT : holds_there(j, o, q.data, q.len);
        says = differs == SOLVE_SAT ? PAIR_MAY : differs == SOLVE_UNSAT ? PAIR_RIGHT : PAIR_UNKNOWN;
        if (says == PAIR_MAY && always_differ(j, o, n, branches ? TERM_NONE : but_results, &q))
            says = PAIR_WRONG;
    }
    if (n->crash.kind || !(opt->regression & POC_OUTPUTS) || is_wild(j, o->path) ||
        is_wild(j, n->path))
        j->out->proof = false;
    if (says == PAIR_WRONG || says == PAIR_MAY) {
        struct poc_finding f = {.which = which,
                                .crash = n->crash,
                                .class = i,
                                .branches = branches,
                                .paths = {o->path, n->path},
                                .wrong = wrong};
        f.wild = is_wild(j, o->path) || is_wild(j, n->path);
        f.may = says == PAIR_MAY;
        /* what differs stands last, and only where it says something: the rest of the query other candidates
         * have, too */
        q.len -= wrong != TERM_NONE;
        /* where it counts, if it can be there */
        const term also = f.may ? wrong : TERM_NONE;
        const bool block = which == POC_NORMAL_NORMAL && j->crash->size;
        f.undefined =
            which == POC_NORMAL_NORMAL && !(can_be(j, o, is_unmarked(j, o->path, POC_LEFT), also, &q) &&
                                            can_be(j, o, is_clear(j, o->path), also, &q));
        f.early = block && can_be(j, o, is_unmarked(j, o->path, POC_THROUGH), also, &q);
        f.first = block && !f.early && can_be(j, o, is_unmarked(j, o->path, POC_BEYOND), also, &q);
        if (f.may)
            vec_push(&q, wrong);
        f.query = arena_dup(&j->out->arena, q.data, q.len * sizeof *q.data);
        f.nquery = q.len;
        f.nfacts = j->assume.len;
        for (unsigned k = 0; k < 2; k++)
            f.guide[k] = shown_by(j, q.data, q.len, k);
        vec_push(&j->out->finding, f);
    }
    vec_free(&q);
    return says;
}

static void judge_class(struct judge *j, size_t i)
{
    const struct poc_class *o = &j->old->class.data[i];
    size_t first = j->out->finding.len;
    bool all = true, any = false, unknown = false;
    if (!o->known) {
        j->out->proof = false;
        return;
    }
    map_clear(&j->never);
    for (unsigned k = 0; k < o->path->nliterals; k++)
        map_set(&j->never, term_not(j->t, o->path->literal[k]), 1);
    for (size_t k = 0; k < j->new->class.len; k++) {
        enum pair_says says = judge_pair(j, i, o, &j->new->class.data[k]);
        any |= says == PAIR_WRONG || says == PAIR_MAY;
        all &= says == PAIR_NEVER || says == PAIR_WRONG;
        unknown |= says == PAIR_UNKNOWN;
    }
    j->out->proof = j->out->proof && !any && !unknown;
    j->out->classes++;
    j->out->decided += !unknown;
    bool must = any && all && !unknown && !j->new->limited;
    j->out->wrong += any;
    j->out->wholly += must;
    for (size_t k = first; k < j->out->finding.len; k++) {
        struct poc_finding *f = &j->out->finding.data[k];
        f->must = must;
        f->early |= f->first && must;
    }
}

/* Those that must happen first, then crashes. */
static int by_weight(const void *a, const void *b)
{
    const struct poc_finding *x = a, *y = b;
    if (x->must != y->must)
        return x->must ? -1 : 1;
    bool cx = x->which != POC_NORMAL_NORMAL, cy = y->which != POC_NORMAL_NORMAL;
    if (cx != cy)
        return cx ? -1 : 1;
    if (x->early != y->early)
        return x->early ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

/* Whether two are as bad, so that only how near they are tells them apart. */
static bool is_as_bad(const struct poc_finding *x, const struct poc_finding *y)
{
    return x->must == y->must && x->early == y->early &&
           (x->which == POC_NORMAL_NORMAL) == (y->which == POC_NORMAL_NORMAL);
}

/* ... then those nearest to the snapshot. */
static int by_distance(const void *a, const void *b)
{
    const struct poc_finding *x = a, *y = b;
    if (!is_as_bad(x, y) || x->far == y->far)
        return by_weight(a, b);
    return x->far < y->far ? -1 : 1;
}

/* The worst first. How near a state is has to be computed, of the original's classes, so that it is once for
 * all candidates; of many only the first are asked, with a part of the work that an exploration may take, and
 * none that has no rival. */
static void order_findings(struct poc_judgement *j)
{
    enum { NEAR = 48, PART = 8 };
    vec_sort(&j->finding, by_weight);
    size_t n = j->finding.len < NEAR ? j->finding.len : NEAR;
    struct poc_finding *f = j->finding.data;
    const uint64_t begun = *terms_work(j->old->t), most = j->old->opt->work / PART;
    for (size_t i = 0; i < n; i++)
        if ((i && is_as_bad(&f[i - 1], &f[i])) || (i + 1 < n && is_as_bad(&f[i], &f[i + 1])))
            f[i].far =
                *terms_work(j->old->t) - begun < most ? poc_class_nearest(j, f[i].class)->far : SIZE_MAX;
    if (n)
        qsort(j->finding.data, n, sizeof *j->finding.data, by_distance);
}

/* What is known of a byte of the candidate's process that is another one in the original's: its own symbol is
 * the original's, and to know nothing of it only makes more states possible. */
static bool contradicts(struct judge *j, term known)
{
    uint64_t a;
    size_t n;
    if (term_kind(j->t, known) != OP_EQ)
        return false;
    term x = term_kid(j->t, known, 0);
    if (term_kind(j->t, x) != TERM_READ || !term_const_u64(j->t, term_kid(j->t, x, 1), &a))
        return false;
    const uint8_t *o = snapshot_at(j->old->s, a, &n), *w = snapshot_at(j->new->s, a, &n);
    return !o || !w || *o != *w;
}

void poc_judge(struct poc_side *old, struct poc_side *new, struct match *m, struct poc_answers *answers,
               const struct poc_crash *crash, struct poc_judgement *out)
{
    *out =
        (struct poc_judgement){.old = old, .new = new, .answers = answers, .whole = old->whole &&new->whole};
    out->proof = out->whole && old->class.len && new->class.len;
    out->reason = old->reason ? old->reason : new->reason;
    struct judge j = {.old = old,
                      .new = new,
                      .m = m,
                      .answers = answers,
                      .solver = old->solver,
                      .crash = crash,
                      .out = out,
                      .t = old->t,
                      .width = old->s->m->pointer_width};
    memcpy(&j.sp, old->s->registers + old->s->m->sp, j.width / 8);
    for (unsigned side = 0; side < 2; side++) {
        const term *a;
        size_t n = explorer_assumptions(side ? new->x : old->x, &a);
        for (size_t i = 0; i < n; i++)
            if (!side || !contradicts(&j, a[i]))
                vec_push(&j.assume, a[i]);
        if (!side)
            j.assume_old = j.assume.len;
    }
    struct budget budget = budget_of(terms_work(j.t), poc_side_left(new), 0);
    for (size_t i = 0; i < old->class.len; i++) {
        if (budget_spent(&budget)) {
            out->whole = out->proof = false;
            out->cut = true;
            out->reason = out->reason ? out->reason : "a limit of paths or work";
            out->classes += old->class.len - i;
            break;
        }
        judge_class(&j, i);
    }
    order_findings(out);
    vec_free(&j.assume);
    map_free(&j.never);
}

void poc_judgement_free(struct poc_judgement *j)
{
    for (size_t i = 0; i < j->finding.len; i++)
        for (unsigned k = 0; k < 2; k++)
            term_model_free(j->finding.data[i].state[k]);
    vec_free(&j->finding);
    arena_free(&j->arena);
}
