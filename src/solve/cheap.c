/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be decided without a solver: contradicting literals, equalities put into the rest, known bits,
 * intervals of one term, and a handful of guesses that are evaluated. */
#include <string.h>

#include "solve/internal.h"

static int by_number(const void *a, const void *b)
{
    term x = *(const term *)a, y = *(const term *)b;
    return (x > y) - (x < y);
}

bool conjuncts_flatten(struct terms *t, const term *x, size_t n, struct term_list *out)
{
    struct map seen = {0};
    struct term_list stack = {0};
    bool ok = true;
    out->len = 0;
    for (size_t i = n; i-- > 0;)
        vec_push(&stack, x[i]);
    while (stack.len && ok) {
        term y = vec_pop(&stack);
        if (!map_set(&seen, y, 1) || term_is_true(t, y))
            continue;
        unsigned kind = term_kind(t, y);
        term under = kind == OP_NOT ? term_kid(t, y, 0) : TERM_NONE;
        if (kind == OP_AND) {
            vec_push(&stack, term_kid(t, y, 1));
            vec_push(&stack, term_kid(t, y, 0));
        } else if (under && term_kind(t, under) == OP_OR) {
            vec_push(&stack, term_not(t, term_kid(t, under, 1)));
            vec_push(&stack, term_not(t, term_kid(t, under, 0)));
        } else {
            ok = !term_is_false(t, y) && !map_get(&seen, term_not(t, y), NULL);
            vec_push(out, y);
        }
    }
    vec_sort(out, by_number);
    vec_free(&stack);
    map_free(&seen);
    return ok;
}

/* ---- equalities ---- */

/* Does the literal say that the symbol x is the constant c? */
static bool is_definition(struct terms *t, term literal, term *x, term *c)
{
    unsigned kind = term_kind(t, literal);
    if (kind == OP_EQ && term_kind(t, term_kid(t, literal, 0)) == TERM_VAR &&
        term_is_const(t, term_kid(t, literal, 1))) {
        *x = term_kid(t, literal, 0);
        *c = term_kid(t, literal, 1);
        return true;
    }
    if (kind == TERM_VAR) {
        *x = literal;
        *c = term_true(t);
        return true;
    }
    if (kind == OP_NOT && term_kind(t, term_kid(t, literal, 0)) == TERM_VAR) {
        *x = term_kid(t, literal, 0);
        *c = term_false(t);
        return true;
    }
    return false;
}

bool cheap_propagate(struct terms *t, struct term_list *conjunct, struct assignment *found, bool *changed)
{
    enum { ROUNDS = 8 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct term_list from = {0}, to = {0}, rest = {0}, flat = {0};
        bool ok = true;
        for (size_t i = 0; i < conjunct->len; i++) {
            term x, c;
            if (is_definition(t, conjunct->data[i], &x, &c)) {
                struct value v = {0};
                term_const_value(t, c, &v.bits);
                for (size_t k = 0; k < from.len; k++)
                    ok &= from.data[k] != x || to.data[k] == c;
                vec_push(&from, x);
                vec_push(&to, c);
                assignment_add(found, x, v);
            } else {
                vec_push(&rest, conjunct->data[i]);
            }
        }
        if (ok && from.len) {
            *changed = true;
            for (size_t i = 0; i < rest.len; i++)
                rest.data[i] = term_substitute(t, rest.data[i], from.data, to.data, from.len);
            ok = conjuncts_flatten(t, rest.data, rest.len, &flat);
            conjunct->len = 0;
            for (size_t i = 0; i < flat.len; i++)
                vec_push(conjunct, flat.data[i]);
        }
        bool more = from.len != 0;
        vec_free(&from);
        vec_free(&to);
        vec_free(&rest);
        vec_free(&flat);
        if (!ok)
            return false;
        if (!more)
            break;
    }
    return true;
}

/* ---- intervals and forced bits ---- */

enum { NOT_EQUAL_MAX = 8 };

struct interval {
    term of;
    unsigned width;
    uint64_t lo, hi;    /* unsigned */
    int64_t slo, shi;   /* signed */
    uint64_t one, zero; /* bits that must be set, clear */
    uint64_t not_equal[NOT_EQUAL_MAX];
    unsigned nnot_equal;
};

struct intervals {
    VEC(struct interval) list;
    struct map of; /* term -> position */
};

static int64_t sign_extended(uint64_t x, unsigned width)
{
    return (int64_t)(x << (64 - width)) >> (64 - width);
}

static uint64_t low_mask(unsigned width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static struct interval *interval_of(struct intervals *v, struct terms *t, term x)
{
    uint64_t at;
    if (map_get(&v->of, x, &at))
        return &v->list.data[at];
    unsigned w = term_width(t, x);
    struct term_known known = term_known(t, x);
    struct interval i = {.of = x, .width = w};
    i.one = i.lo = bits_low(known.one);
    i.zero = bits_low(known.zero);
    i.hi = ~i.zero & low_mask(w);
    i.slo = sign_extended((uint64_t)1 << (w - 1), w);
    i.shi = (int64_t)(low_mask(w) >> 1);
    map_set(&v->of, x, v->list.len);
    vec_push(&v->list, i);
    return &vec_last(&v->list);
}

/* Part of a term, or the term under a mask, has the value c. */
static void force_bits(struct intervals *v, struct terms *t, term x, uint64_t c)
{
    uint64_t mask;
    if (term_kind(t, x) == OP_EXTRACT && term_width(t, term_kid(t, x, 0)) <= 64) {
        struct interval *i = interval_of(v, t, term_kid(t, x, 0));
        unsigned lo = term_extract_lo(t, x);
        i->one |= c << lo;
        i->zero |= (~c & low_mask(term_width(t, x))) << lo;
    } else if (term_kind(t, x) == OP_AND && term_width(t, x) <= 64 &&
               term_const_u64(t, term_kid(t, x, 1), &mask)) {
        struct interval *i = interval_of(v, t, term_kid(t, x, 0));
        i->one |= c & mask;
        i->zero |= ~c & mask;
    }
}

/* Narrows by one literal when it compares a term with a constant. False when nothing is left. */
static bool narrow(struct intervals *v, struct terms *t, term literal)
{
    unsigned kind = term_kind(t, literal);
    bool negated = kind == OP_NOT;
    term cmp = negated ? term_kid(t, literal, 0) : literal;
    kind = term_kind(t, cmp);
    if (kind == OP_EXTRACT) {
        force_bits(v, t, cmp, !negated);
        return true;
    }
    if (kind != OP_EQ && kind != OP_ULT && kind != OP_ULE && kind != OP_SLT && kind != OP_SLE)
        return true;
    term x = term_kid(t, cmp, 0), y = term_kid(t, cmp, 1);
    if (term_is_array(t, x) || term_width(t, x) > 64)
        return true;
    uint64_t c;
    bool right = term_const_u64(t, y, &c); /* x OP c, or else c OP y */
    if (!right && !term_const_u64(t, x, &c))
        return true;
    struct interval *i = interval_of(v, t, right ? x : y);
    int64_t s = sign_extended(c, i->width);
    if (kind == OP_EQ) {
        if (!negated) {
            force_bits(v, t, right ? x : y, c);
            i = interval_of(v, t, right ? x : y); /* may have moved */
            i->lo = i->lo > c ? i->lo : c;
            i->hi = i->hi < c ? i->hi : c;
        } else if (i->nnot_equal < NOT_EQUAL_MAX) {
            i->not_equal[i->nnot_equal++] = c;
        }
        return true;
    }
    /* not (x < c) is c <= x: the side and the strictness change. */
    bool upper = right != negated, strict = (kind == OP_ULT || kind == OP_SLT) != negated;
    if (kind == OP_ULT || kind == OP_ULE) {
        if (strict && c == (upper ? 0 : low_mask(i->width)))
            return false;
        uint64_t limit = !strict ? c : upper ? c - 1 : c + 1;
        if (upper && limit < i->hi)
            i->hi = limit;
        if (!upper && limit > i->lo)
            i->lo = limit;
    } else {
        int64_t most = (int64_t)(low_mask(i->width) >> 1), least = -most - 1;
        if (strict && s == (upper ? least : most))
            return false;
        int64_t limit = !strict ? s : upper ? s - 1 : s + 1;
        if (upper && limit < i->shi)
            i->shi = limit;
        if (!upper && limit > i->slo)
            i->slo = limit;
    }
    return true;
}

/* Carries a half-line from one reading of the bits to the other. False when nothing is left. */
static bool settle(struct interval *i)
{
    uint64_t top = (uint64_t)1 << (i->width - 1), mask = low_mask(i->width);
    if (i->one & i->zero)
        return false;
    i->lo = i->one > i->lo ? i->one : i->lo;
    i->hi = (~i->zero & mask) < i->hi ? ~i->zero & mask : i->hi;
    for (unsigned round = 0; round < 2; round++) {
        if (i->slo > i->shi)
            return false;
        if ((i->slo < 0) == (i->shi < 0)) {
            uint64_t lo = (uint64_t)i->slo & mask, hi = (uint64_t)i->shi & mask;
            i->lo = lo > i->lo ? lo : i->lo;
            i->hi = hi < i->hi ? hi : i->hi;
        }
        for (unsigned k = 0; k < i->nnot_equal * i->nnot_equal; k++) {
            uint64_t c = i->not_equal[k % i->nnot_equal];
            if (i->lo == c && i->lo < i->hi)
                i->lo++;
            if (i->hi == c && i->lo < i->hi)
                i->hi--;
            if (i->lo == i->hi && i->lo == c)
                return false;
        }
        if (i->lo > i->hi)
            return false;
        if ((i->lo & top) == (i->hi & top)) {
            int64_t lo = sign_extended(i->lo, i->width), hi = sign_extended(i->hi, i->width);
            i->slo = lo > i->slo ? lo : i->slo;
            i->shi = hi < i->shi ? hi : i->shi;
        }
    }
    return i->slo <= i->shi && i->lo <= i->hi;
}

/* ---- guesses ---- */

static uint64_t guess_word(unsigned style, size_t nth, unsigned width)
{
    switch (style) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return 1;
    case 3:
        return nth + 1;
    case 4:
        return (uint64_t)1 << (width > 64 ? 63 : width - 1);
    default:
        return (nth + 1) * 0x1000;
    }
}

/* Gives every symbol a value of the style; one with an interval gets an end of it, or what the style says
 * when that lies inside. */
static void guess(struct terms *t, const struct term_list *symbols, const struct intervals *v, unsigned style,
                  struct assignment *out)
{
    for (size_t k = 0; k < symbols->len; k++) {
        term x = symbols->data[k];
        struct value value = {.is_array = term_is_array(t, x)};
        unsigned width = value.is_array ? term_cell_width(t, x) : term_width(t, x);
        uint64_t word = guess_word(style, k, width), at;
        if (style == 1 && width > 64) {
            value.bits = bits_ones(width);
        } else {
            if (!value.is_array && map_get(&v->of, x, &at)) {
                const struct interval *i = &v->list.data[at];
                uint64_t mask = low_mask(i->width);
                word = ((word & mask) | i->one) & ~i->zero;
                int64_t s = sign_extended(word, i->width);
                if (word < i->lo || word > i->hi || s < i->slo || s > i->shi) {
                    word = style & 1 ? i->hi : i->lo;
                    s = sign_extended(word, i->width);
                    if (s < i->slo || s > i->shi)
                        word = (uint64_t)(style & 1 ? i->shi : i->slo) & mask;
                }
            }
            value.bits = bits_u64(word, width);
        }
        assignment_add(out, x, value);
    }
}

static bool try_guesses(struct terms *t, const struct term_list *conjunct, const struct intervals *v,
                        struct assignment *found)
{
    enum { STYLES = 6 };
    struct term_list wanted = {0}, symbols = {0};
    model_wanted(t, conjunct->data, conjunct->len, &wanted, NULL);
    for (size_t i = 0; i < wanted.len; i++)
        if (term_kind(t, wanted.data[i]) == TERM_VAR)
            vec_push(&symbols, wanted.data[i]);
    bool holds = false;
    for (unsigned style = 0; style < STYLES && !holds; style++) {
        struct assignment a = {0};
        guess(t, &symbols, v, style, &a);
        struct term_model *m = model_build(t, &a);
        holds = m && model_check(t, m, conjunct->data, conjunct->len) == MODEL_HOLDS;
        if (holds)
            assignment_append(found, &a);
        term_model_free(m);
        assignment_free(&a);
    }
    vec_free(&wanted);
    vec_free(&symbols);
    return holds;
}

/* ---- all of it ---- */

/* Contradictions by themselves, and what they narrow on the way. */
static enum cheap look(struct terms *t, const struct term_list *conjunct, struct intervals *v)
{
    for (size_t i = 0; i < conjunct->len; i++)
        if (!bits_is_zero(term_known(t, conjunct->data[i]).zero) || !narrow(v, t, conjunct->data[i]))
            return CHEAP_UNSAT;
    for (size_t i = 0; i < v->list.len; i++)
        if (!settle(&v->list.data[i]))
            return CHEAP_UNSAT;
    return conjunct->len ? CHEAP_UNKNOWN : CHEAP_SAT;
}

static bool is_small(struct terms *t, const struct term_list *conjunct)
{
    enum { GUESS_SIZE = 2000 };
    size_t size = 0;
    for (size_t i = 0; i < conjunct->len && size <= GUESS_SIZE; i++)
        size += term_size(t, conjunct->data[i]);
    return size <= GUESS_SIZE;
}

enum cheap cheap_decide(struct terms *t, struct term_list *conjunct, struct assignment *found, bool *changed)
{
    struct term_list before = {0};
    struct intervals v = {0};
    enum cheap result;
    for (size_t i = 0; i < conjunct->len; i++)
        vec_push(&before, conjunct->data[i]);
    *changed = false;
    if (!cheap_propagate(t, conjunct, found, changed)) {
        result = CHEAP_UNSAT;
    } else {
        result = look(t, conjunct, &v);
        /* Values found for other applications than the query's own would be lost: the contradiction was all
         * there was to gain. */
        if (result != CHEAP_UNSAT && *changed && model_has_array_functions(t, before.data, before.len)) {
            conjunct->len = 0;
            for (size_t i = 0; i < before.len; i++)
                vec_push(conjunct, before.data[i]);
            assignment_free(found);
            *changed = false;
            result = CHEAP_UNKNOWN;
        }
        if (result == CHEAP_UNKNOWN && is_small(t, conjunct) && try_guesses(t, conjunct, &v, found))
            result = CHEAP_SAT;
    }
    vec_free(&before);
    vec_free(&v.list);
    map_free(&v.of);
    return result;
}
