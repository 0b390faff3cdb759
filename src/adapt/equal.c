/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it means that an adapter is right: for all inputs, and on one. */
#include <string.h>

#include "adapt/internal.h"
#include "solve/solve.h"

enum { PAGE_BITS = 12 };

/* ---- in place of symbols ---- */

struct behaviour behaviour_with(struct adapt *a, const struct behaviour *b, const term *from, const term *to,
                                size_t n)
{
    struct map done = {0};
    struct terms *t = a->t;
    struct behaviour out = *b;
    for (size_t i = 0; i < n; i++)
        map_set(&done, from[i], to[i]);
    term *const list[] = {&out.returns,   &out.traps,     &out.open,   &out.doubt, &out.asks,
                          &out.result[0], &out.result[1], &out.memory, &out.world};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] = term_rewrite(t, *list[i], &done, NULL, NULL);
    struct access *access = arena_array(a->arena, struct access, b->naccesses + 1);
    for (size_t i = 0; i < b->naccesses; i++) {
        access[i] = b->access[i];
        access[i].when = term_rewrite(t, access[i].when, &done, NULL, NULL);
        if (!term_is_false(t, access[i].when))
            access[i].address = term_rewrite(t, access[i].address, &done, NULL, NULL);
    }
    out.access = access;
    map_free(&done);
    return out;
}

/* ---- memory that is reached ---- */

/* All bytes of `inner` lie in `outer`. */
static term lies_in(struct adapt *a, term address, unsigned bytes, term from, uint64_t size)
{
    struct terms *t = a->t;
    if (size < bytes)
        return term_false(t);
    term index = term_bin(t, OP_SUB, address, from);
    return term_bin(t, OP_ULE, index, term_const(t, a->width, size - bytes));
}

/* The target makes the same access, or a larger one there. */
static bool makes_too(const struct behaviour *target, const struct access *x)
{
    for (size_t i = 0; i < target->naccesses; i++) {
        const struct access *y = &target->access[i];
        if (y->address == x->address && y->when == x->when && y->bytes >= x->bytes && (y->write || !x->write))
            return true;
    }
    return false;
}

/* Data of the inner function's own file is there: `own`, the read before arguments were put in, is made from
 * an address of a segment of it. */
static term lies_in_file(struct adapt *a, const struct access *own, term address)
{
    struct terms *t = a->t;
    const struct object *o = program_object(a->inner.code.p);
    const struct object_segment *seg;
    size_t n = object_segments(o, &seg);
    uint64_t bias = object_info(o)->type == OBJECT_EXECUTABLE ? 0 : a->inner.bias, offset;
    term base;
    term_split(t, own->address, &base, &offset);
    for (size_t i = 0; i < n && !own->write; i++)
        if (seg[i].read && offset - (bias + seg[i].address) < seg[i].size)
            return lies_in(a, address, own->bytes, term_const(t, a->width, bias + seg[i].address),
                           seg[i].size);
    return term_false(t);
}

/* The inner function reaches something through its arguments that the target does not reach. */
static term reaches_more(struct adapt *a, const struct behaviour *target, const struct behaviour *inner,
                         const term *target_arg)
{
    struct terms *t = a->t;
    term bad = term_false(t);
    for (size_t i = 0; i < inner->nreached; i++) {
        const struct access *x = &inner->access[i];
        if (term_is_false(t, x->when) || makes_too(target, x))
            continue;
        term covered = lies_in_file(a, &a->inner.is.access[i], x->address);
        for (size_t r = 0; r < a->opt->nregions; r++)
            if (a->opt->region[r].arg < a->target.nargs)
                covered = term_or(t, covered,
                                  lies_in(a, x->address, x->bytes, target_arg[a->opt->region[r].arg],
                                          a->opt->region[r].size));
        for (size_t k = 0; k < target->naccesses && !term_is_true(t, covered); k++) {
            const struct access *y = &target->access[k];
            if (x->write && !y->write)
                continue;
            covered = term_or(t, covered,
                              term_and(t, y->when, lies_in(a, x->address, x->bytes, y->address, y->bytes)));
        }
        /* put together from several of the target's, byte by byte */
        if (!term_is_true(t, covered) && x->bytes > 1 && x->bytes <= 16 && target->naccesses <= 40) {
            term all = term_true(t);
            for (unsigned b = 0; b < x->bytes; b++) {
                term one = term_false(t);
                for (size_t k = 0; k < target->naccesses && !term_is_true(t, one); k++) {
                    const struct access *y = &target->access[k];
                    if (y->bytes < x->bytes && (!x->write || y->write))
                        one = term_or(
                            t, one,
                            term_and(t, y->when,
                                     lies_in(a, term_add_const(t, x->address, b), 1, y->address, y->bytes)));
                }
                all = term_and(t, all, one);
                if (term_is_false(t, all))
                    break;
            }
            covered = term_or(t, covered, all);
        }
        bad = term_or(t, bad, term_and(t, x->when, term_not(t, covered)));
    }
    return bad;
}

/* The target faults: a trap, an access of the first page, one outside the region of an argument that has one.
 */
static term target_faults(struct adapt *a)
{
    struct terms *t = a->t;
    const struct behaviour *b = &a->target.is;
    term bad = b->traps;
    for (size_t i = 0; i < b->naccesses; i++) {
        const struct access *x = &b->access[i];
        bad = term_or(t, bad,
                      term_and(t, x->when, term_bin(t, OP_ULT, x->address, term_const(t, a->width, 4096))));
        for (size_t r = 0; r < a->opt->nregions; r++) {
            const struct adapt_region *g = &a->opt->region[r];
            term arg = g->arg < a->target.nargs ? a->target.arg[g->arg] : TERM_NONE;
            if (arg == TERM_NONE || !term_any(t, x->address, term_is_that, &arg))
                continue;
            bad = term_or(t, bad,
                          term_and(t, x->when, term_not(t, lies_in(a, x->address, x->bytes, arg, g->size))));
        }
    }
    return bad;
}

/* ---- results ---- */

static term same_result(struct adapt *a, const struct behaviour *x, const struct behaviour *y, term adapted)
{
    struct terms *t = a->t;
    unsigned bits = a->compared.bits;
    term same = term_true(t);
    term left = bits ? term_extract(t, x->result[0], 0, bits) : TERM_NONE,
         right = bits ? term_extract(t, adapted, 0, bits) : TERM_NONE,
         zero = bits ? term_const(t, bits, 0) : TERM_NONE;
    if (bits && a->compared.truth)
        same = term_eq(t, term_eq(t, left, zero), term_eq(t, right, zero));
    else if (bits)
        same = term_eq(t, left, right);
    if (a->compared.pair)
        same = term_and(t, same, term_eq(t, x->result[1], y->result[1]));
    return same;
}

/* ---- for all inputs ---- */

/* Below the stack pointer is what nobody looks at any more. */
static term is_dead(struct adapt *a, term address)
{
    enum { DEPTH = 1 << 20, WORDS = 64 };
    term sp = a->target.sp;
    term index = term_bin(a->t, OP_SUB, term_add_const(a->t, address, DEPTH), sp);
    return term_bin(a->t, OP_ULT, index, term_const(a->t, a->width, DEPTH + WORDS * (a->width / 8)));
}

static term differs(struct adapt *a, const struct behaviour *x, const struct behaviour *y,
                    const struct adapter *d)
{
    struct terms *t = a->t;
    term bad = term_bin(t, OP_XOR, x->returns, y->returns);
    bad = term_or(t, bad, term_bin(t, OP_XOR, x->traps, y->traps));
    term lives = term_not(t, x->traps);
    term value = term_not(t, same_result(a, x, y, value_term(a, &d->result, &y->result[0])));
    bad = term_or(t, bad, term_and(t, x->returns, value));
    if (x->world != y->world)
        bad = term_or(t, bad, term_and(t, lives, term_not(t, term_eq(t, x->world, y->world))));
    if (x->memory != y->memory) {
        term at = term_fresh(t, "place", a->width);
        term other = term_not(t, term_eq(t, term_read(t, x->memory, at, 8), term_read(t, y->memory, at, 8)));
        other = term_and(t, other, term_not(t, is_dead(a, at)));
        bad = term_or(t, bad, term_and(t, x->returns, other));
    }
    return bad;
}

static struct behaviour adapted(struct adapt *a, const struct adapter *d)
{
    term to[ADAPT_ARGUMENTS];
    for (unsigned i = 0; i < d->nargs; i++)
        to[i] = value_term(a, &d->arg[i], a->target.arg);
    return behaviour_with(a, &a->inner.is, a->inner.arg, to, d->nargs);
}

/* What holds of every input that counts. `out` has room for all assumptions and two more. */
static size_t premises(struct adapt *a, term *out)
{
    size_t n = 0;
    for (size_t i = 0; i < a->assume.len; i++)
        out[n++] = a->assume.data[i];
    out[n++] = term_not(a->t, a->target.is.open);
    if (a->opt->modulo_faults)
        out[n++] = term_not(a->t, target_faults(a));
    return n;
}

bool adapter_has_inputs(struct adapt *a)
{
    term *ask = arena_alloc(a->arena, (a->assume.len + 2) * sizeof *ask);
    return solve_check(a->s, ask, premises(a, ask), NULL) == SOLVE_SAT;
}

static enum check_outcome check(struct adapt *a, const struct behaviour *x, const struct behaviour *y,
                                const struct adapter *d, bool brief, struct term_model **model)
{
    struct terms *t = a->t;
    term *ask = arena_alloc(a->arena, (a->assume.len + 3) * sizeof *ask);
    size_t n = premises(a, ask);
    term bad = term_or(t, differs(a, x, y, d), y->open);
    bad = term_or(t, bad, reaches_more(a, x, y, a->target.arg));
    ask[n++] = bad;
    if (model)
        *model = NULL;
    a->out->checks++;
    enum solve_answer answer = (brief ? solve_try : solve_check)(a->s, ask, n, model);
    return answer == SOLVE_UNSAT ? CHECK_RIGHT : answer == SOLVE_SAT ? CHECK_WRONG : CHECK_UNKNOWN;
}

bool behaviours_agree(struct adapt *a, const struct behaviour *x, const struct behaviour *y,
                      const struct adapter *d, const struct explorer *of_x, const struct explorer *of_y,
                      term_test own, void *ctx)
{
    struct terms *t = a->t;
    const struct explorer *const of[] = {of_x, of_y};
    VEC(term) ask = VEC_INIT;
    for (unsigned i = 0; i < 2; i++) {
        const term *assumed;
        size_t n = explorer_assumptions(of[i], &assumed);
        for (size_t k = 0; k < n; k++)
            vec_push(&ask, assumed[k]);
    }
    if (a->given != TERM_NONE)
        vec_push(&ask, a->given);
    term bad = term_or(t, differs(a, x, y, d), y->open);
    bad = term_or(t, bad, reaches_more(a, x, y, a->target.arg));
    vec_push(&ask, bad);
    a->out->checks++;
    bool right = !term_any(t, bad, own, ctx) && solve_check(a->s, ask.data, ask.len, NULL) == SOLVE_UNSAT;
    vec_free(&ask);
    return right;
}

enum check_outcome behaviours_check(struct adapt *a, const struct behaviour *x, const struct behaviour *y,
                                    const struct adapter *d, struct term_model **model)
{
    return check(a, x, y, d, false, model);
}

enum check_outcome adapter_check(struct adapt *a, const struct adapter *d, bool brief,
                                 struct term_model **model)
{
    struct behaviour y = adapted(a, d);
    return check(a, &a->target.is, &y, d, brief, model);
}

/* ---- tests ---- */

struct collecting {
    struct adapt *a;
    struct map seen;
    VEC(term) symbol, array, read;
};

static bool collect(void *ctx, term x)
{
    struct collecting *c = ctx;
    struct terms *t = c->a->t;
    unsigned kind = term_kind(t, x);
    if (kind == TERM_VAR && !origin_is(t, x, ORIGIN_WORLD)) {
        if (term_is_array(t, x))
            vec_push(&c->array, x);
        else
            vec_push(&c->symbol, x);
    }
    if (kind == TERM_READ)
        vec_push(&c->read, x);
    return false;
}

static void collect_from(struct collecting *c, term x)
{
    if (x != TERM_NONE)
        term_any_of_many(c->a->t, x, &c->seen, collect, c);
}

static void collect_all(struct collecting *c, const struct behaviour *b)
{
    const term list[] = {b->returns,   b->traps,     b->open,   b->doubt, b->asks,
                         b->result[0], b->result[1], b->memory, b->world};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        collect_from(c, list[i]);
    for (size_t i = 0; i < b->naccesses; i++) {
        collect_from(c, b->access[i].address);
        collect_from(c, b->access[i].when);
    }
}

/* The pages that the target touches, and those that it is said to have. */
static void find_pages(struct adapt *a, struct test *x)
{
    struct terms *t = a->t;
    x->reach = x->hard && !a->target.lost;
    for (size_t i = 0; i < x->target.naccesses && x->reach; i++) {
        const struct access *c = &x->target.access[i];
        uint64_t at;
        if (term_is_false(t, c->when))
            continue;
        x->reach = term_const_u64(t, c->address, &at);
        if (!x->reach)
            return;
        vec_push(&x->page, at >> PAGE_BITS);
        vec_push(&x->page, (at + c->bytes - 1) >> PAGE_BITS);
    }
    for (size_t r = 0; r < a->opt->nregions && x->reach; r++) {
        const struct adapt_region *g = &a->opt->region[r];
        if (g->arg >= a->target.nargs)
            continue;
        uint64_t first = x->arg[g->arg] >> PAGE_BITS, last = (x->arg[g->arg] + g->size - 1) >> PAGE_BITS;
        x->reach = last - first < 16;
        for (uint64_t p = first; x->reach && p <= last; p++)
            vec_push(&x->page, p);
    }
}

bool test_counts(const struct test *x)
{
    return x->hard || x->asks;
}

/* The target on the test. False: it is not looked at to its end there, or the input is none that counts. */
static bool test_finish(struct adapt *a, struct test *x)
{
    struct terms *t = a->t;
    for (unsigned i = 0; i < a->target.nargs; i++) {
        x->arg[i] = 0;
        for (size_t k = 0; k < x->from.len; k++)
            if (x->from.data[k] == a->target.arg[i])
                term_const_u64(t, x->to.data[k], &x->arg[i]);
    }
    x->target = behaviour_with(a, &a->target.is, x->from.data, x->to.data, x->from.len);
    x->hard = term_is_false(t, x->target.doubt);
    x->asks = term_is_true(t, x->target.asks);
    if (!term_is_false(t, x->target.open))
        return false;
    find_pages(a, x);
    term counts = term_true(t);
    if (a->given != TERM_NONE)
        counts = a->given;
    if (a->opt->modulo_faults)
        counts = term_and(t, counts, term_not(t, target_faults(a)));
    return term_is_true(t, term_substitute(t, counts, x->from.data, x->to.data, x->from.len));
}

void test_drop(struct test *x)
{
    vec_free(&x->from);
    vec_free(&x->to);
    vec_free(&x->page);
}

static bool test_keep(struct adapt *a, struct test *x)
{
    if (!test_finish(a, x)) {
        test_drop(x);
        return false;
    }
    vec_push(&a->test, *x);
    a->out->tests++;
    return true;
}

bool test_add(struct adapt *a, struct term_model *m, const struct adapter *d)
{
    struct terms *t = a->t;
    struct collecting c = {.a = a};
    struct behaviour y = adapted(a, d);
    struct test x = {0};
    collect_all(&c, &a->target.is);
    collect_all(&c, &a->inner.is);
    collect_all(&c, &y);
    for (size_t i = 0; i < a->assume.len; i++)
        collect_from(&c, a->assume.data[i]);
    for (size_t i = 0; i < c.symbol.len; i++) {
        struct bits b;
        if (!term_eval(t, m, c.symbol.data[i], &b))
            continue;
        unsigned j;
        if (summary_argument(&a->target, c.symbol.data[i], &j) && j >= a->target.nargs)
            continue;
        vec_push(&x.from, c.symbol.data[i]);
        vec_push(&x.to, term_const_bits(t, term_width(t, c.symbol.data[i]), b));
    }
    for (size_t i = 0; i < c.array.len; i++) {
        term array = c.array.data[i], content;
        struct bits b;
        unsigned cell = term_cell_width(t, array), index = term_index_width(t, array);
        term far = term_const(t, index, UINT64_C(0x5a5a5a5a5a5a5a5a));
        if (!term_eval(t, m, term_read(t, array, far, cell), &b))
            b = bits_u64(0, cell);
        content = term_array_const(t, index, term_const_bits(t, cell, b));
        for (size_t k = 0; k < c.read.len; k++) {
            term r = c.read.data[k];
            struct bits at;
            if (term_array_root(t, term_kid(t, r, 0)) != array || !term_eval(t, m, term_kid(t, r, 1), &at))
                continue;
            unsigned width = term_width(t, r);
            term place = term_const_bits(t, index, at);
            if (term_eval(t, m, term_read(t, array, place, width), &b))
                content = term_write(t, content, place, term_const_bits(t, width, b));
        }
        vec_push(&x.from, array);
        vec_push(&x.to, content);
    }
    map_free(&c.seen);
    vec_free(&c.symbol);
    vec_free(&c.array);
    vec_free(&c.read);
    return test_keep(a, &x);
}

bool test_add_where(struct adapt *a, term condition)
{
    term *ask = arena_alloc(a->arena, (a->assume.len + 1) * sizeof *ask);
    struct adapter zero = {.nargs = a->inner.nargs, .width = a->width, .result = {.scale = 1}};
    struct term_model *m = NULL;
    for (size_t i = 0; i < a->assume.len; i++)
        ask[i] = a->assume.data[i];
    ask[a->assume.len] = condition;
    bool ok = solve_try(a->s, ask, a->assume.len + 1, &m) == SOLVE_SAT && test_add(a, m, &zero);
    if (m)
        term_model_free(m);
    return ok;
}

static uint64_t mix(uint64_t x)
{
    return hash_u64(x + UINT64_C(0x9e3779b97f4a7c15));
}

/* Small numbers, numbers near the ends of the ranges, letters, anything. */
static uint64_t random_word(uint64_t seed)
{
    uint64_t r = mix(seed), s = mix(r);
    switch (s % 8) {
    case 0:
        return r % 4;
    case 1:
        return r % 256;
    case 2:
        return -(r % 256);
    case 3:
        return (UINT64_C(1) << (r % 64)) - (s >> 8) % 3;
    case 4:
        return (uint32_t)r;
    case 5:
        return (uint64_t)(int32_t)r;
    default:
        return r;
    }
}

uint64_t test_word(uint64_t seed, unsigned width)
{
    uint64_t x = random_word(seed);
    return width == 32 ? (uint32_t)x : x;
}

uint64_t test_argument(const struct summary *s, unsigned i, uint64_t seed)
{
    static const double some[] = {0, 1, -1, 0.5, 1e300, -2.25, 3e-310, 2147483648.0, 7, -0.0};
    const unsigned bits = summary_float_bits(s, i);
    uint64_t r = mix(seed);
    if (!bits || r % 4 == 0)
        return test_word(seed, s->a->width);
    double x = r % 4 == 1 ? some[r / 4 % (sizeof some / sizeof *some)] : (double)(int32_t)(r >> 8) / 256;
    float y = (float)x;
    uint32_t half;
    memcpy(&r, &x, sizeof r);
    memcpy(&half, &y, sizeof half);
    return bits == 32 ? half : r;
}

/* Not any number will do for it: a stack pointer is aligned. */
static bool is_own(const struct summary *s, term x)
{
    for (size_t i = 0; i < s->own.len; i++)
        if (s->own.data[i] == x)
            return true;
    return false;
}

bool test_add_random(struct adapt *a, uint64_t seed, const uint64_t *given)
{
    struct terms *t = a->t;
    struct collecting c = {.a = a};
    struct test x = {0};
    collect_all(&c, &a->target.is);
    collect_all(&c, &a->inner.is);
    for (size_t i = 0; i < a->target.nargs; i++)
        collect_from(&c, a->target.arg[i]);
    for (size_t i = 0; i < c.symbol.len; i++) {
        unsigned width = term_width(t, c.symbol.data[i]), j;
        bool argument = summary_argument(&a->target, c.symbol.data[i], &j);
        if (argument && j >= a->target.nargs)
            continue;
        uint64_t v = argument && given ? given[j]
                     : argument        ? test_argument(&a->target, j, seed * 64 + i)
                                       : mix(seed) & ~UINT64_C(0xfff) & 0x7fffffffffff;
        if (origin_is(t, c.symbol.data[i], ORIGIN_SP) || origin_is(t, c.symbol.data[i], ORIGIN_CALLER) ||
            is_own(&a->inner, c.symbol.data[i]))
            continue;
        vec_push(&x.from, c.symbol.data[i]);
        vec_push(&x.to, term_const(t, width, v));
    }
    for (size_t i = 0; i < c.array.len; i++) {
        unsigned cell = term_cell_width(t, c.array.data[i]);
        vec_push(&x.from, c.array.data[i]);
        vec_push(&x.to, term_array_const(t, term_index_width(t, c.array.data[i]),
                                         term_const(t, cell, seed % 3 ? mix(seed) % 127 : 0)));
    }
    map_free(&c.seen);
    vec_free(&c.symbol);
    vec_free(&c.array);
    vec_free(&c.read);
    return test_keep(a, &x);
}

/* What the target returns on the test, if it is known and counts. */
static bool known_result(struct adapt *a, const struct test *x, uint64_t *out)
{
    struct terms *t = a->t;
    bool known = a->compared.bits && x->hard && term_is_true(t, x->target.returns) &&
                 term_const_u64(t, term_extract(t, x->target.result[0], 0, a->compared.bits), out);
    if (known)
        *out = compared_part(&a->compared, *out);
    return known;
}

/* The result is another one when only that argument is. */
static bool depends_on(struct adapt *a, const struct test *x, unsigned i)
{
    enum { TRIES = 10 };
    uint64_t before, after;
    bool depends = false;
    if (!known_result(a, x, &before))
        return false;
    for (uint64_t n = 0; n < TRIES && !depends; n++) {
        uint64_t v = n < 4   ? x->arg[i] ^ UINT64_C(1) << n * 9
                     : n < 6 ? x->arg[i] + n - 3
                             : test_word(n * 977 + i, a->width);
        struct test y = {0};
        for (size_t k = 0; k < x->from.len; k++) {
            vec_push(&y.from, x->from.data[k]);
            vec_push(&y.to,
                     x->from.data[k] == a->target.arg[i] ? term_const(a->t, a->width, v) : x->to.data[k]);
        }
        depends = test_finish(a, &y) && known_result(a, &y, &after) && before != after;
        test_drop(&y);
    }
    return depends;
}

uint32_t test_needs(struct adapt *a)
{
    uint32_t needs = 0;
    for (unsigned k = 0; k < a->target.nuse; k++)
        for (size_t i = 0; i < a->test.len && !(needs >> a->target.use[k] & 1) && !deadline_over(&a->until);
             i++)
            if (depends_on(a, &a->test.data[i], a->target.use[k]))
                needs |= 1u << a->target.use[k];
    return needs;
}

/* ---- on one test ---- */

/* Two orders of observable things are the same exactly when they are made of the same, one after the other.
 * What callees are given of memory is not compared here. */
struct ordering {
    struct adapt *a;
    struct map known; /* of both -> condition */
    unsigned steps;
};

static term same_order(struct ordering *o, term x, term y)
{
    enum { MOST = 2000 };
    struct terms *t = o->a->t;
    uint64_t key = (uint64_t)x << 32 | y, known;
    if (x == y || term_is_array(t, x))
        return term_true(t);
    if (!origin_is_order(t, x) && !origin_is_order(t, y) && term_kind(t, x) != OP_ITE &&
        term_kind(t, y) != OP_ITE)
        return term_eq(t, x, y);
    if (map_get(&o->known, key, &known))
        return (term)known;
    if (++o->steps > MOST)
        return term_true(t);
    term same;
    if (term_kind(t, x) == OP_ITE && (origin_is_order(t, y) || term_kind(t, y) == OP_ITE)) {
        same = term_ite(t, term_kid(t, x, 0), same_order(o, term_kid(t, x, 1), y),
                        same_order(o, term_kid(t, x, 2), y));
    } else if (term_kind(t, y) == OP_ITE && origin_is_order(t, x)) {
        same = term_ite(t, term_kid(t, y, 0), same_order(o, x, term_kid(t, y, 1)),
                        same_order(o, x, term_kid(t, y, 2)));
    } else if (!origin_is_order(t, x) || !origin_is_order(t, y)) {
        same = term_eq(t, x, y);
    } else if (term_kind(t, x) != TERM_APPLY || term_kind(t, y) != TERM_APPLY || !term_same_head(t, x, y)) {
        same = term_false(t);
    } else {
        same = term_true(t);
        for (unsigned i = 0; i < term_nkids(t, x) && !term_is_false(t, same); i++)
            same = term_and(t, same, same_order(o, term_kid(t, x, i), term_kid(t, y, i)));
    }
    map_set(&o->known, key, same);
    return same;
}

/* Memory agrees wherever one of the two wrote. */
static term same_memory(struct adapt *a, const struct behaviour *x, const struct behaviour *y)
{
    struct terms *t = a->t;
    term same = term_true(t);
    if (x->memory == y->memory)
        return same;
    for (unsigned side = 0; side < 2; side++) {
        const struct behaviour *b = side ? y : x;
        for (size_t i = 0; i < b->naccesses; i++) {
            const struct access *c = &b->access[i];
            if (!c->write || term_is_false(t, c->when) || c->bytes > 64)
                continue;
            term one = term_eq(t, term_read(t, x->memory, c->address, c->bytes * 8),
                               term_read(t, y->memory, c->address, c->bytes * 8));
            same = term_and(t, same, term_implies(t, c->when, one));
        }
    }
    return same;
}

/* In one of the files, wherever they are loaded. */
static term in_files(struct adapt *a, term address)
{
    struct terms *t = a->t;
    term in = term_false(t);
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        const struct object_segment *seg;
        size_t n = object_segments(program_object(s->code.p), &seg);
        bool moves = object_info(program_object(s->code.p))->type != OBJECT_EXECUTABLE;
        for (size_t i = 0; i < n; i++)
            for (unsigned moved = moves; moved < 2; moved++)
                in = term_or(t, in,
                             lies_in(a, address, 1,
                                     term_const(t, a->width, seg[i].address + (moved ? s->bias : 0)),
                                     seg[i].size));
    }
    return in;
}

/* The inner function touches a page, through its arguments alone, that the target does not touch: with memory
 * in which that page is missing, it faults and the target does not. What comes later does not matter. */
static term touches_more(struct adapt *a, const struct test *x, const struct behaviour *inner)
{
    struct terms *t = a->t;
    term bad = term_false(t);
    for (size_t i = 0; i < inner->nreached; i++) {
        const struct access *c = &inner->access[i];
        if (!c->strict || term_is_false(t, c->when))
            continue;
        term page = term_extract(t, c->address, PAGE_BITS, a->width - PAGE_BITS);
        term there = in_files(a, c->address);
        for (size_t k = 0; k < x->page.len && !term_is_true(t, there); k++)
            there = term_or(t, there, term_eq(t, page, term_const(t, a->width - PAGE_BITS, x->page.data[k])));
        bad = term_or(t, bad, term_and(t, c->when, term_not(t, there)));
    }
    return bad;
}

/* Whether the adapted inner function may still be right on a test on which things in doubt happen in the
 * target. */
static term may_match(struct adapt *a, const struct test *x, const struct behaviour *y)
{
    struct terms *t = a->t;
    if (!x->asks)
        return term_true(t);
    return term_or(t, y->asks, term_or(t, y->doubt, y->open));
}

term test_match(struct adapt *a, const struct test *x, const term *arg, const struct form *f, bool hard)
{
    struct terms *t = a->t;
    VEC(term) from = VEC_INIT, to = VEC_INIT;
    for (unsigned i = 0; i < a->inner.nargs; i++) {
        vec_push(&from, a->inner.arg[i]);
        vec_push(&to, arg[i]);
    }
    for (size_t i = 0; i < x->from.len; i++) {
        unsigned j;
        if (origin_is_argument(t, x->from.data[i], &j))
            continue;
        vec_push(&from, x->from.data[i]);
        vec_push(&to, x->to.data[i]);
    }
    struct behaviour y = behaviour_with(a, &a->inner.is, from.data, to.data, from.len);
    const struct behaviour *z = &x->target;
    if (hard && !x->hard) {
        vec_free(&from);
        vec_free(&to);
        return may_match(a, x, &y);
    }
    term same = term_eq(t, z->returns, y.returns);
    same = term_and(t, same, term_eq(t, z->traps, y.traps));
    term values = term_and(t, same_result(a, z, &y, form_result(a, f, y.result[0])), same_memory(a, z, &y));
    same = term_and(t, same, term_implies(t, z->returns, values));
    struct ordering o = {.a = a};
    same = term_and(t, same, term_or(t, z->traps, same_order(&o, z->world, y.world)));
    map_free(&o.known);
    if (hard) {
        same = term_or(t, same, term_or(t, y.doubt, y.open));
        if (x->reach)
            same = term_and(t, same, term_not(t, touches_more(a, x, &y)));
        if (term_is_false(t, z->asks))
            same = term_and(t, same, term_not(t, y.asks));
    } else {
        term target_arg[ADAPT_ARGUMENTS];
        for (unsigned i = 0; i < a->target.nargs; i++)
            target_arg[i] = term_const(t, a->width, x->arg[i]);
        same = term_and(t, same, term_not(t, reaches_more(a, z, &y, target_arg)));
        same = term_and(t, same, term_not(t, y.open));
    }
    vec_free(&from);
    vec_free(&to);
    return same;
}
