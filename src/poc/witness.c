/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of a finding: a state near the snapshot's in which it happens, the condition, the ways of the two
 * programs. There may be hundreds of findings of which few are looked at, so all of it is made when it is asked for. */
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"
#include "tell/condition.h"

/* The way of a path in places of the source: "store.c:5, 6, 8". Without debug information, addresses. */
static const char *path_text(struct poc_judgement *j, const struct poc_side *side, const struct exec_path *p)
{
    enum { MOST = 64 };
    const struct flow_graph *g = flow_graph(side->p, side->f);
    struct buf b = BUF_INIT;
    unsigned shown = 0;
    struct object_line last = {0};
    for (unsigned i = 0; g && i < p->nblocks && shown < MOST; i++) {
        struct object_line l;
        if (p->block[i] >= g->nblocks)
            continue;
        uint64_t at = g->block[p->block[i]].label;
        if (!object_debug_line(program_object(side->p), at, &l) || !l.file) {
            buf_printf(&b, "%s0x%llx", b.len ? ", " : "", (unsigned long long)at);
            shown++;
        } else if (!last.file || l.line != last.line) {
            const char *slash = strrchr(l.file, '/');
            if (!last.file || strcmp(last.file, l.file) != 0)
                buf_printf(&b, "%s%s:", b.len ? ", " : "", slash ? slash + 1 : l.file);
            else
                buf_puts(&b, ", ");
            buf_printf(&b, "%u", l.line);
            last = l;
            shown++;
        }
    }
    buf_puts(&b, shown == MOST ? ", ..." : "");
    const char *out = arena_strdup(&j->arena, buf_text(&b));
    buf_free(&b);
    return out;
}

/* ---- witnesses ---- */

struct leaves {
    struct poc_judgement *j;
    VEC(term) read; /* of memory at entry, and arguments */
    struct map seen;
};

static bool see_leaf(void *ctx, term x)
{
    struct leaves *l = ctx;
    const struct terms *t = l->j->old->t;
    unsigned i;
    bool read =
        term_kind(t, x) == TERM_READ && origin_is(t, term_array_root(t, term_kid(t, x, 0)), ORIGIN_MEMORY);
    if ((read || origin_is_argument(t, x, &i)) && map_set(&l->seen, x, 1))
        vec_push(&l->read, x);
    return false;
}

/* Arguments before memory. */
static void order_leaves(struct leaves *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->read.len; i++) {
        unsigned index;
        term x = l->read.data[i];
        if (!origin_is_argument(l->j->old->t, x, &index))
            continue;
        memmove(l->read.data + n + 1, l->read.data + n, (i - n) * sizeof x);
        l->read.data[n++] = x;
    }
}

/* What a leaf was in the snapshot; false: nothing that can be said. */
static bool leaf_was(struct poc_judgement *j, term x, uint64_t *was)
{
    const struct snapshot *s = j->old->s;
    unsigned i;
    uint64_t a;
    *was = 0;
    if (origin_is_argument(j->old->t, x, &i)) {
        if (i >= j->old->a->narguments)
            return false;
        *was = j->old->a->argument[i].value;
        return true;
    }
    unsigned bytes = term_width(j->old->t, x) / 8;
    size_t n;
    if (bytes > 8 || !term_const_u64(j->old->t, term_kid(j->old->t, x, 1), &a))
        return false;
    const uint8_t *p = snapshot_at(s, a, &n);
    if (!p || n < bytes)
        return false;
    memcpy(was, p, bytes);
    return true;
}

/* Whether the last of n + 1 terms can hold as well; then *best is a model of all. */
static bool nearer(struct poc_judgement *j, const term *q, size_t n, struct term_model **best)
{
    struct term_model *m = NULL;
    if (solve_try(j->old->solver, q, n + 1, &m) != SOLVE_SAT)
        return false;
    term_model_free(*best);
    *best = m;
    return true;
}

/* Whether the first n terms hold with the values of a model where a leaf has another one, which only needs to
 * be evaluated; then *best has it. */
static bool takes(struct poc_judgement *j, const term *q, size_t n, term leaf, uint64_t value,
                  struct term_model **best)
{
    struct terms *t = j->old->t;
    struct term_model *m = term_model_copy(*best);
    const struct bits v = bits_u64(value, term_width(t, leaf));
    bool holds = true, known = true;
    if (term_kind(t, leaf) == TERM_READ)
        holds = term_model_set_read(t, m, leaf, v);
    else
        term_model_set(m, leaf, v);
    holds = holds && term_eval_none_false(t, m, q, n, &known) && known;
    term_model_free(holds ? *best : m);
    *best = holds ? m : *best;
    return holds;
}

/* The same for values next to what it was; above, then below, as what is less than 0 is far away. */
static bool takes_neighbour(struct poc_judgement *j, const term *q, size_t n, term leaf, uint64_t was,
                            uint64_t *is, struct term_model **best)
{
    static const uint8_t by[] = {1, 2, 3, 4, 8};
    for (unsigned i = 0; i < 2 * sizeof by; i++) {
        if (i % 2 && was < by[i / 2])
            continue;
        *is = i % 2 ? was - by[i / 2] : was + by[i / 2];
        if (takes(j, q, n, leaf, *is, best))
            return true;
    }
    return false;
}

/* The leaves from `low` to `high` are put back to what they were, all of them or some, as far as that only
 * needs to be evaluated; back: rather the last ones. */
static void restore(struct poc_judgement *j, const term *q, size_t n, const struct leaves *l, size_t low,
                    size_t high, bool back, unsigned *fuel, struct term_model **best)
{
    struct terms *t = j->old->t;
    struct term_model *m = NULL;
    for (size_t i = low; i < high; i++) {
        uint64_t was;
        struct bits is;
        term x = l->read.data[i];
        if (!leaf_was(j, x, &was) || !term_eval(t, *best, x, &is) || bits_low(is) == was)
            continue;
        m = m ? m : term_model_copy(*best);
        if (term_kind(t, x) == TERM_READ)
            term_model_set_read(t, m, x, bits_u64(was, term_width(t, x)));
        else
            term_model_set(m, x, bits_u64(was, term_width(t, x)));
    }
    bool known;
    if (!m || !*fuel) {
        term_model_free(m);
        return;
    }
    --*fuel;
    bool holds = term_eval_none_false(t, m, q, n, &known) && known;
    term_model_free(holds ? *best : m);
    *best = holds ? m : *best;
    if (holds || high - low < 2)
        return;
    const size_t middle = low + (high - low) / 2;
    restore(j, q, n, l, back ? middle : low, back ? high : middle, back, fuel, best);
    restore(j, q, n, l, back ? low : middle, back ? middle : high, back, fuel, best);
}

/* The part of a leaf that the code looks at: an argument may be narrower than its register. */
static term looked_at(struct poc_judgement *j, term leaf, uint64_t *was)
{
    struct terms *t = j->old->t;
    unsigned i, bits;
    if (!origin_is_argument(t, leaf, &i) || (bits = j->old->a->argument[i].bits) >= term_width(t, leaf))
        return leaf;
    *was &= (UINT64_C(1) << bits) - 1;
    return term_extract(t, leaf, 0, bits);
}

/* Whether a value can be nothing else than it is in a model; q[n] is overwritten. */
static bool is_only(struct poc_judgement *j, term *q, size_t n, term x, const struct term_model *m)
{
    struct terms *t = j->old->t;
    struct bits is;
    if (!term_eval(t, m, x, &is))
        return false;
    q[n] = term_not(t, term_eq(t, x, term_const_bits(t, term_width(t, x), is)));
    return solve_try(j->old->solver, q, n + 1, NULL) == SOLVE_UNSAT;
}

/* Of values above what it was, the least; q[n] says that it is at most `most` above. */
static void least(struct poc_judgement *j, term *q, size_t n, term x, uint64_t was, uint64_t most,
                  struct term_model **best)
{
    struct terms *t = j->old->t;
    unsigned w = term_width(t, x);
    struct bits now;
    uint64_t low = 0;
    while (term_eval(t, *best, term_add_const(t, x, -was), &now) && bits_low(now) <= most &&
           low < bits_low(now)) {
        uint64_t high = bits_low(now), middle = low + (high - low) / 2;
        term before = q[n];
        q[n] = term_bin(t, OP_ULE, term_add_const(t, x, -was), term_const(t, w, middle));
        if (!nearer(j, q, n, best)) {
            q[n] = before;
            low = middle + 1;
        }
    }
}

/* As near to the snapshot as asking one value after the other makes it, with a part of the work that an
 * exploration may take; settled: the guide is that already, but for values that it says nothing of. */
static struct term_model *nearest(struct poc_judgement *j, term *q, size_t n, size_t cap,
                                  const struct leaves *l, const struct term_model *guide, bool settled,
                                  bool back)
{
    enum { MOST = 96, PART = 64, RESTORED = 64, AGAIN = 24 };
    unsigned fuel = RESTORED;
    const size_t all = l->read.len;
    const uint64_t begun = *terms_work(j->old->t), most = j->old->opt->work / PART;
    struct term_model *best = guide ? term_model_copy(guide) : NULL;
    if (!best && solve_check(j->old->solver, q, n, &best) != SOLVE_SAT)
        return NULL;
    restore(j, q, n, l, 0, all, back, &fuel, &best);
    for (size_t i = 0; i < all && i < MOST && n < cap; i++) {
        settled = settled || *terms_work(j->old->t) - begun > most;
        uint64_t was;
        term x = l->read.data[back ? all - 1 - i : i];
        struct bits now;
        if (!leaf_was(j, x, &was))
            continue;
        term leaf = x;
        x = looked_at(j, leaf, &was);
        unsigned w = term_width(j->old->t, x);
        term same = term_eq(j->old->t, x, term_const(j->old->t, w, was));
        if (term_is_true(j->old->t, same) || term_is_false(j->old->t, same))
            continue;
        q[n] = same;
        if (term_eval(j->old->t, best, same, &now) && bits_low(now) == 1) {
            n++;
            continue;
        }
        if (takes(j, q, n + 1, leaf, was, &best)) {
            n++;
            continue;
        }
        if (settled || (w > 8 && is_only(j, q, n, x, best)))
            continue;
        q[n] = same;
        bool found = nearer(j, q, n, &best);
        n += found;
        uint64_t beside;
        if (!found && w > 8 && takes_neighbour(j, q, n, leaf, was, &beside, &best)) {
            q[n++] = term_eq(j->old->t, x, term_const(j->old->t, w, beside));
            continue;
        }
        /* not what it was: then not far from it */
        static const unsigned distance[] = {1, 4, 16, 256};
        for (unsigned d = 0; d < sizeof distance / sizeof *distance && w > 8 && n < cap && !found; d++) {
            /* above, then below: what is less than 0 is far away */
            for (unsigned below = 0; below < 2 && !found && n < cap; below++) {
                uint64_t by = below ? (was < distance[d] ? was : distance[d]) : 0;
                term off = term_add_const(j->old->t, x, by - was);
                q[n] = term_bin(j->old->t, OP_ULE, off, term_const(j->old->t, w, below ? by : distance[d]));
                found = (!below || by) && nearer(j, q, n, &best);
            }
            if (found) {
                least(j, q, n, x, was, distance[d], &best);
                n++;
            }
        }
        /* the solver's values are any that do */
        fuel = AGAIN;
        if (found)
            restore(j, q, n, l, back ? 0 : i + 1, back ? all - 1 - i : all, back, &fuel, &best);
    }
    return best;
}

static int by_place(const void *a, const void *b)
{
    const struct poc_value *x = a, *y = b;
    if (x->argument != y->argument)
        return x->argument ? -1 : 1;
    if (x->argument)
        return x->index < y->index ? -1 : x->index > y->index;
    return x->address < y->address ? -1 : x->address > y->address;
}

typedef VEC(struct poc_value) poc_values;

static int by_width(const void *a, const void *b)
{
    const struct poc_value *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : by_place(a, b);
}

/* Of words that overlap, as code may read the same bytes as one and as the other, those that say all that changes. */
static void drop_overlapping(poc_values *v)
{
    struct map said = {0}; /* bytes that change */
    size_t n = 0;
    vec_sort(v, by_width);
    for (size_t i = 0; i < v->len; i++) {
        struct poc_value one = v->data[i];
        bool new = one.argument;
        for (unsigned k = 0; k < one.bytes && !one.argument; k++)
            if ((one.was ^ one.is) >> k * 8 & 0xff)
                new |= map_set(&said, one.address + k, 1);
        for (size_t k = n; new && !one.argument && k-- > 0;) {
            const struct poc_value *in = &v->data[k];
            if (in->argument || in->address - one.address > one.bytes - in->bytes)
                continue;
            memmove(&v->data[k], &v->data[k + 1], (n - k - 1) * sizeof *v->data);
            n--;
        }
        if (new)
            v->data[n++] = one;
    }
    v->len = n;
    map_free(&said);
}

static struct poc_witness witness_of(struct poc_judgement *j, const struct term_model *m, const struct leaves *l)
{
    poc_values v = VEC_INIT;
    struct map done = {0};
    struct arena *arena = &j->arena;
    for (size_t i = 0; i < l->read.len; i++) {
        term x = l->read.data[i];
        struct bits is;
        unsigned index;
        if (!term_eval(j->old->t, m, x, &is))
            continue;
        if (origin_is_argument(j->old->t, x, &index)) {
            if (index >= j->old->a->narguments)
                continue;
            const struct poc_argument *arg = &j->old->a->argument[index];
            uint64_t mask = arg->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << arg->bits) - 1;
            struct poc_value one = {.argument = true,
                                    .index = index,
                                    .bytes = arg->bits / 8,
                                    .was = arg->value & mask,
                                    .is = bits_low(is) & mask,
                                    .name = arg->name};
            if (one.was != one.is)
                vec_push(&v, one);
            continue;
        }
        struct bits at;
        unsigned bytes = term_width(j->old->t, x) / 8;
        if (!term_eval(j->old->t, m, term_kid(j->old->t, x, 1), &at))
            continue;
        uint64_t a = bits_low(at);
        for (unsigned k = 0, part; k < bytes; k += part) {
            bool grown = poc_is_grown(j->old->a, a + k);
            part = bytes - k < 8 ? bytes - k : 8;
            /* up to where a chunk ended */
            while (poc_is_grown(j->old->a, a + k + part - 1) != grown)
                part--;
            struct bits cell;
            term entry =
                term_read(j->old->t, explorer_symbols(j->old->x).mem, term_const(j->old->t, j->old->s->m->pointer_width, a + k), part * 8);
            size_t n;
            const uint8_t *p = snapshot_at(j->old->s, a + k, &n);
            uint64_t was = 0;
            bool there = p && n >= part && (poc_object_at(j->old->a, a + k) || poc_size_at(j->old->a, a + k));
            if ((!grown && !there) || !term_eval(j->old->t, m, entry, &cell) ||
                !map_set(&done, (a + k) << 4 | part, 1))
                continue;
            if (!grown)
                memcpy(&was, p, part);
            if (was == bits_low(cell))
                continue;
            vec_push(&v, (struct poc_value){.address = a + k,
                                            .bytes = part,
                                            .was = was,
                                            .is = bits_low(cell),
                                            .grown = grown,
                                            .name = poc_place_name(j->old->a, a + k, part, arena)});
        }
    }
    drop_overlapping(&v);
    vec_sort(&v, by_place);
    struct poc_witness out = {arena_dup(arena, v.data ? v.data : (void *)"", v.len * sizeof *v.data), v.len};
    vec_free(&v);
    map_free(&done);
    return out;
}

/* ---- conditions for people ---- */

static bool impossible(void *ctx, const term *q, unsigned n)
{
    struct poc_judgement *j = ctx;
    return solve_try(j->old->solver, q, n, NULL) == SOLVE_UNSAT;
}

/* x != 0 && x != 1 && ... && x != n, which loops leave behind, is n < x. */
static term shorter(struct poc_judgement *j, const struct exec_path *const path[2])
{
    enum { ROUNDS = 256 };
    struct terms *t = j->old->t;
    VEC(term) all = VEC_INIT;
    for (unsigned p = 0; p < 2; p++)
        for (unsigned i = 0; i < path[p]->nliterals; i++)
            if (!map_get(&(p ? j->new : j->old)->unspoken, path[p]->literal[i], NULL))
                vec_push(&all, path[p]->literal[i]);
    term out = term_true(t);
    struct map done = {0};
    for (size_t i = 0; i < all.len; i++) {
        term x = term_kind(t, all.data[i]) == OP_NOT ? term_kid(t, all.data[i], 0) : TERM_NONE, of;
        uint64_t c;
        if (x == TERM_NONE || term_kind(t, x) != OP_EQ || term_is_array(t, of = term_kid(t, x, 0)) ||
            term_width(t, of) > 64 || !term_const_u64(t, term_kid(t, x, 1), &c) || c >= ROUNDS) {
            out = term_and(t, out, all.data[i]);
            continue;
        }
        if (!map_set(&done, of, 1))
            continue;
        uint8_t differs[ROUNDS] = {0};
        for (size_t k = 0; k < all.len; k++) {
            term y = term_kind(t, all.data[k]) == OP_NOT ? term_kid(t, all.data[k], 0) : TERM_NONE;
            if (y != TERM_NONE && term_kind(t, y) == OP_EQ && term_kid(t, y, 0) == of &&
                term_const_u64(t, term_kid(t, y, 1), &c) && c < ROUNDS)
                differs[c] = 1;
        }
        unsigned n = 0;
        while (n < ROUNDS && differs[n])
            n++;
        unsigned w = term_width(t, of);
        if (n > 1)
            out = term_and(t, out, term_bin(t, OP_ULT, term_const(t, w, n - 1), of));
        for (unsigned k = n > 1 ? n : 0; k < ROUNDS; k++)
            if (differs[k])
                out = term_and(t, out, term_not(t, term_eq(t, of, term_const(t, w, k))));
    }
    map_free(&done);
    vec_free(&all);
    return out;
}

/* Addresses are the process's: a small number is none, although the file may have something there. */
static bool in_process(void *ctx, term x, struct program **of, uint64_t *address)
{
    const struct poc_side *side = ctx;
    *of = side->p;
    if (!term_const_u64(side->t, x, address) || !poc_in_image(side, *address))
        return false;
    *address -= side->s->base;
    return true;
}

static const char *condition(struct poc_judgement *j, term when, const struct leaves *l)
{
    struct words *w = words_new(j->old->t, j->old->p, j->old->f);
    words_addresses(w, in_process, j->old, false);
    for (size_t i = 0; i < l->read.len; i++) {
        uint64_t a;
        term x = l->read.data[i];
        if (term_kind(j->old->t, x) == TERM_READ && term_const_u64(j->old->t, term_kid(j->old->t, x, 1), &a))
            words_call(w, x, poc_place_name(j->old->a, a, term_width(j->old->t, x) / 8, &j->arena));
    }
    struct condition_teller by = {.t = j->old->t, .words = w, .impossible = impossible, .ctx = j};
    struct condition_said said = {.when = when};
    const char *text = condition_text(&j->arena, &by, &said);
    words_free(w);
    return text;
}

/* ---- findings ---- */

/* That are looked at on the two paths. */
static void find_leaves(struct poc_judgement *j, const struct poc_finding *f, struct leaves *l)
{
    *l = (struct leaves){.j = j};
    term_any(j->old->t, term_and(j->old->t, f->paths[0]->condition, f->paths[1]->condition), see_leaf, l);
}

/* ... and where they end. */
static void find_all_leaves(struct poc_judgement *j, const struct poc_finding *f, struct leaves *l)
{
    find_leaves(j, f, l);
    if (f->wrong != TERM_NONE)
        term_any(j->old->t, f->wrong, see_leaf, l);
}

static void free_leaves(struct leaves *l)
{
    vec_free(&l->read);
    map_free(&l->seen);
}

/* Room for what is known of each value that is looked at. */
enum { ROOM = 128 };

const struct poc_class *poc_class_nearest(struct poc_judgement *j, size_t i)
{
    struct poc_class *c = &j->old->class.data[i];
    struct leaves l = {.j = j};
    const term *a;
    size_t n = explorer_assumptions(j->old->x, &a);
    if (c->asked)
        return c;
    c->asked = true;
    term_any(j->old->t, c->path->condition, see_leaf, &l);
    order_leaves(&l);
    term *q = xcalloc(n + c->path->nliterals + ROOM, sizeof *q);
    memcpy(q, a, n * sizeof *q);
    memcpy(q + n, c->path->literal, c->path->nliterals * sizeof *q);
    n += c->path->nliterals;
    c->nearest = nearest(j, q, n, n + ROOM, &l, c->guide[0], false, false);
    c->far = c->nearest ? witness_of(j, c->nearest, &l).nvalues : SIZE_MAX;
    free(q);
    free_leaves(&l);
    return c;
}

static bool is_shown(const struct poc_judgement *j, const struct term_model *m, const struct poc_finding *f)
{
    bool known;
    return m && term_eval_none_false(j->old->t, m, f->query, f->nquery, &known) && known;
}

/* The state nearest to the snapshot in which the two paths meet. What differs at their ends is another thing
 * for each candidate, the rest is the same for many; where it differs in that state, no other one is nearer.
 */
static bool meeting_nearest(struct poc_judgement *j, const struct poc_finding *f, bool back,
                            const struct term_model **m)
{
    size_t n = f->nquery - 1;
    if (!poc_answers_nearest(j->answers, j->old, f->query, n, back, m)) {
        struct leaves l;
        find_leaves(j, f, &l);
        order_leaves(&l);
        term *q = xcalloc(n + ROOM, sizeof *q);
        memcpy(q, f->query, n * sizeof *q);
        poc_answers_nearest_put(j->answers, j->old, f->query, n, back,
                                nearest(j, q, n, n + ROOM, &l, NULL, false, back));
        free(q);
        free_leaves(&l);
    }
    return poc_answers_nearest(j->answers, j->old, f->query, n, back, m) && is_shown(j, *m, f);
}

static struct poc_query query_of(const struct poc_judgement *j, const struct poc_finding *f)
{
    return (struct poc_query){.of = j->old, .x = f->query, .n = f->nquery, .nfacts = f->nfacts};
}

void poc_finding_shown(struct poc_judgement *j, const struct poc_finding *f, bool back)
{
    const struct poc_query q = query_of(j, f);
    if (f->state[back])
        poc_answers_near_put(j->answers, &q, back, true, f->state[back]);
}

/* alike: values of other candidates will do. */
static void make_witness(struct poc_judgement *j, struct poc_finding *f, bool back, bool alike)
{
    struct poc_witness *out = back ? &f->other : &f->witness;
    struct leaves l;
    find_all_leaves(j, f, &l);
    /* arguments kept first, then memory */
    order_leaves(&l);
    term *q = xcalloc(f->nquery + ROOM, sizeof *q);
    memcpy(q, f->query, f->nquery * sizeof *q);
    const struct term_model *guide =
        f->guide[back] || back ? f->guide[back] : poc_class_nearest(j, f->class)->nearest;
    const struct poc_query query = query_of(j, f);
    struct term_model *like = NULL;
    bool holds = is_shown(j, guide, f);
    if (!holds && alike && (like = poc_answers_near(j->answers, j->old->t, &query, back))) {
        guide = like;
        holds = true;
    }
    f->alike[back] = like != NULL;
    if (!holds && f->may)
        holds = meeting_nearest(j, f, back, &guide);
    struct term_model *m = nearest(j, q, f->nquery, f->nquery + ROOM, &l, holds ? guide : NULL,
                                   holds && (like || !f->guide[back]), back);
    if (m) {
        *out = witness_of(j, m, &l);
        poc_answers_near_put(j->answers, &query, back, false, m);
    }
    term_model_free(like);
    out->made = true;
    poc_answers_witness_put(j->answers, j->old, f->query, f->nquery, back, out);
    term_model_free(f->state[back]);
    f->state[back] = m;
    free(q);
    free_leaves(&l);
}

const struct poc_witness *poc_finding_witness(struct poc_judgement *j, struct poc_finding *f, bool back)
{
    struct poc_witness *out = back ? &f->other : &f->witness;
    if (out->made)
        return out;
    const struct poc_witness *known = poc_answers_witness(j->answers, j->old, f->query, f->nquery, back);
    if (known)
        *out = *known;
    else
        make_witness(j, f, back, true);
    return out;
}

const struct poc_witness *poc_finding_own(struct poc_judgement *j, struct poc_finding *f, bool back)
{
    if (!f->alike[back])
        return NULL;
    make_witness(j, f, back, false);
    return back ? &f->other : &f->witness;
}

void poc_finding_tell(struct poc_judgement *j, struct poc_finding *f)
{
    struct leaves l;
    if (f->told)
        return;
    f->told = true;
    for (unsigned i = 0; i < 2; i++)
        f->path[i] = path_text(j, i ? j->new : j->old, f->paths[i]);
    find_all_leaves(j, f, &l);
    f->when = condition(j, shorter(j, f->paths), &l);
    free_leaves(&l);
}
