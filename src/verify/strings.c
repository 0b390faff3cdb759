/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings that several calls look at.
 *
 * What a call says of the first bytes of a string is told to the solver (meaning.c); what several say of the
 * bytes behind them is not: that no byte before the end is 0, that two strings which equal a third are equal.
 * So a model of a difference is checked here. The bytes that results ask for are put into its memory where
 * they are missing, and then every result has to be what the function returns for these bytes, and the
 * difference still one. */
#include "flow/library.h"
#include "verify/meant.h"

enum { REACH = STRINGS_REACH, ROUNDS = 3 };

struct strings {
    struct check *c;
    struct term_model *model;
    const struct meant *of;
    unsigned n;
    uint8_t filler; /* a byte that nobody looks for */
};

/* ---- bytes of the model ---- */

static bool value_of(const struct strings *s, term x, uint64_t *out)
{
    struct bits v;
    if (x == TERM_NONE || !term_eval(s->c->t, s->model, x, &v))
        return false;
    *out = bits_low(v);
    return true;
}

static term read_at(const struct strings *s, const struct meant *m, uint64_t at)
{
    term known = query_constant(s->c, at, 8);
    return known != TERM_NONE ? known : term_read(s->c->t, m->mem, term_const(s->c->t, s->c->width, at), 8);
}

static bool byte_is(const struct strings *s, const struct meant *m, uint64_t at, uint8_t *out)
{
    uint64_t v;
    if (!value_of(s, read_at(s, m, at), &v))
        return false;
    *out = (uint8_t)v;
    return true;
}

static void put(const struct strings *s, const struct meant *m, uint64_t at, uint8_t byte)
{
    uint8_t is;
    term r = read_at(s, m, at);
    if ((!byte_is(s, m, at, &is) || is != byte) && term_kind(s->c->t, r) == TERM_READ)
        term_model_set_read(s->c->t, s->model, r, bits_u64(byte, 8));
}

/* ---- what functions do ---- */

/* What a call is given, and what it says. */
struct called {
    uint64_t at[2], length, result;
    bool strings; /* a byte that is 0 ends them */
    bool whole;   /* they end behind that length, whatever is there */
};

/* The argument that says how many bytes there are; -1: none does. */
static int length_argument(const struct meant *m)
{
    switch (m->l->like) {
    case LIKE_STRNLEN:
        return 1;
    case LIKE_STRNCMP:
    case LIKE_MEMCHR:
    case LIKE_MEMCMP:
    case LIKE_BCMP:
        return 2;
    default:
        return -1;
    }
}

/* False: the model does not say, or it is too long. */
static bool called(const struct strings *s, const struct meant *m, struct called *out)
{
    const enum library_like like = m->l->like;
    const int length = length_argument(m);
    uint64_t n = REACH;
    *out = (struct called){.strings = like != LIKE_MEMCHR && like != LIKE_MEMCMP && like != LIKE_BCMP};
    if (!value_of(s, m->arg[0], &out->at[0]) || !value_of(s, m->result, &out->result) ||
        (like != LIKE_STRLEN && !value_of(s, m->arg[1], &out->at[1])) ||
        (length >= 0 && !value_of(s, m->arg[length], &n)))
        return false;
    out->whole = n < REACH;
    out->length = out->whole ? n : REACH;
    return out->whole || out->strings;
}

static int sign_of(uint64_t result)
{
    int32_t r = (int32_t)(uint32_t)result;
    return (r > 0) - (r < 0);
}

/* strlen, strnlen. */
static void make_length(const struct strings *s, const struct meant *m, const struct called *k)
{
    uint8_t b;
    for (uint64_t i = 0; i < k->result && i < REACH; i++)
        if (byte_is(s, m, k->at[0] + i, &b) && !b)
            put(s, m, k->at[0] + i, s->filler);
    if (k->result < k->length)
        put(s, m, k->at[0] + k->result, 0);
}

static bool has_length(const struct strings *s, const struct meant *m, const struct called *k)
{
    uint64_t i = 0;
    uint8_t b = 1;
    while (i < k->length && byte_is(s, m, k->at[0] + i, &b) && b)
        i++;
    return i == k->result && (i < k->length ? !b : k->whole);
}

/* strchr, memchr. */
static void make_place(const struct strings *s, const struct meant *m, const struct called *k)
{
    const uint8_t looked = (uint8_t)k->at[1];
    const uint64_t end = k->result ? k->result - k->at[0] : k->length;
    uint8_t b;
    for (uint64_t i = 0; i < end && i < REACH; i++) {
        if (!byte_is(s, m, k->at[0] + i, &b))
            return;
        if (!k->result && k->strings && !b)
            return;
        if (b == looked || (k->strings && !b))
            put(s, m, k->at[0] + i, s->filler);
    }
    if (k->result)
        put(s, m, k->result, looked);
    else if (k->strings)
        put(s, m, k->at[0] + REACH - 1, 0);
}

static bool has_place(const struct strings *s, const struct meant *m, const struct called *k)
{
    const uint8_t looked = (uint8_t)k->at[1];
    uint8_t b;
    for (uint64_t i = 0; i < k->length; i++) {
        if (!byte_is(s, m, k->at[0] + i, &b))
            return false;
        if (b == looked)
            return k->result == k->at[0] + i;
        if (k->strings && !b)
            return !k->result;
    }
    return k->whole && !k->result;
}

/* strcmp, strncmp, memcmp, bcmp: where, from there on, they differ or end, and how they compare. */
static bool compare(const struct strings *s, const struct meant *m, const struct called *k, uint64_t *where,
                    int *sign)
{
    uint8_t a, b;
    *sign = 0;
    for (; *where < k->length; ++*where) {
        if (!byte_is(s, m, k->at[0] + *where, &a) || !byte_is(s, m, k->at[1] + *where, &b))
            return false;
        *sign = (a > b) - (a < b);
        if (*sign || (k->strings && !a))
            return true;
    }
    return k->whole;
}

/* One is made the other. */
static void make_equal(const struct strings *s, const struct meant *m, const struct called *k)
{
    uint64_t where = 0, last = UINT64_MAX;
    int sign;
    uint8_t a;
    while (compare(s, m, k, &where, &sign) && sign && where != last && byte_is(s, m, k->at[0] + where, &a)) {
        put(s, m, k->at[1] + where, a);
        last = where;
    }
    for (unsigned i = 0; where == k->length && !k->whole && i < 2; i++)
        put(s, m, k->at[i] + REACH - 1, 0);
}

/* The last byte is another. */
static void make_order(const struct strings *s, const struct meant *m, const struct called *k)
{
    uint64_t where = 0;
    int sign, wanted = sign_of(k->result);
    if (!wanted) {
        make_equal(s, m, k);
        return;
    }
    if ((!compare(s, m, k, &where, &sign) && where < k->length) || !k->length)
        return;
    where = where < k->length ? where : k->length - 1;
    put(s, m, k->at[wanted < 0] + where, s->filler);
    put(s, m, k->at[wanted > 0] + where, 0);
    if (k->strings)
        put(s, m, k->at[wanted < 0] + where + 1, 0);
}

static bool has_order(const struct strings *s, const struct meant *m, const struct called *k)
{
    uint64_t where = 0;
    int sign, wanted = sign_of(k->result);
    return compare(s, m, k, &where, &sign) && (m->l->like == LIKE_BCMP ? !sign == !wanted : sign == wanted);
}

/* Those that are given a second string: as far as both are looked at. */
struct texts {
    char of[2][STRINGS_REACH];
};

static bool texts_of(const struct strings *s, const struct meant *m, const struct called *k,
                     struct texts *out)
{
    for (int i = 0; i < 2; i++) {
        unsigned n = 0;
        uint8_t b = 1;
        while (n < REACH && b && byte_is(s, m, k->at[i] + n, &b))
            out->of[i][n++] = (char)b;
        if (b)
            return false;
    }
    return true;
}

/* strrchr. */
static bool has_last(const struct strings *s, const struct meant *m, const struct called *k)
{
    const uint8_t looked = (uint8_t)k->at[1];
    uint64_t last = 0;
    uint8_t b = 1;
    for (uint64_t i = 0; i < k->length && b; i++) {
        if (!byte_is(s, m, k->at[0] + i, &b))
            return false;
        last = b == looked ? k->at[0] + i : last;
    }
    return !b && last == k->result;
}

static bool has_found(const struct strings *s, const struct meant *m, const struct called *k)
{
    struct texts t;
    return texts_of(s, m, k, &t) && k->result == flow_library_look(m->l->like, k->at[0], t.of[0], t.of[1]);
}

typedef void make_fn(const struct strings *s, const struct meant *m, const struct called *k);
typedef bool has_fn(const struct strings *s, const struct meant *m, const struct called *k);

/* *make: NULL where the bytes are left as they are. */
static bool functions_of(const struct meant *m, make_fn **make, has_fn **has)
{
    switch (m->l->like) {
    case LIKE_STRLEN:
    case LIKE_STRNLEN:
        *make = make_length;
        *has = has_length;
        return true;
    case LIKE_STRCHR:
    case LIKE_MEMCHR:
        *make = make_place;
        *has = has_place;
        return true;
    case LIKE_STRRCHR:
        *make = NULL;
        *has = has_last;
        return true;
    case LIKE_STRSPN:
    case LIKE_STRCSPN:
    case LIKE_STRPBRK:
    case LIKE_STRSTR:
        *make = NULL;
        *has = has_found;
        return true;
    case LIKE_STRCMP:
    case LIKE_STRNCMP:
    case LIKE_MEMCMP:
    case LIKE_BCMP:
        *make = make_order;
        *has = has_order;
        return true;
    default:
        return false;
    }
}

/* A byte that no call looks for. */
static uint8_t free_byte(const struct strings *s)
{
    bool looked[UINT8_MAX + 1] = {true};
    uint64_t v;
    unsigned b = 'a';
    for (unsigned i = 0; i < s->n; i++)
        if ((s->of[i].l->like == LIKE_STRCHR || s->of[i].l->like == LIKE_MEMCHR ||
             s->of[i].l->like == LIKE_STRRCHR) &&
            value_of(s, s->of[i].arg[1], &v))
            looked[(uint8_t)v] = true;
    while (b < UINT8_MAX && looked[b])
        b++;
    return (uint8_t)b;
}

/* Every result is what its function returns. */
static bool all_have(const struct strings *s)
{
    struct called k;
    make_fn *make;
    has_fn *has;
    for (unsigned i = 0; i < s->n; i++)
        if (s->of[i].mem != TERM_NONE && functions_of(&s->of[i], &make, &has) &&
            (!called(s, &s->of[i], &k) || !has(s, &s->of[i], &k)))
            return false;
    return true;
}

bool strings_fit(struct check *c, const struct meant *of, unsigned n, const term *q, size_t nq,
                 struct term_model **model)
{
    struct strings s = {.c = c, .model = term_model_copy(*model), .of = of, .n = n};
    struct called k;
    make_fn *make;
    has_fn *has;
    bool known;
    s.filler = free_byte(&s);
    for (unsigned round = 0; round < ROUNDS && !all_have(&s); round++)
        for (unsigned i = 0; i < n; i++)
            if (of[i].mem != TERM_NONE && functions_of(&of[i], &make, &has) && make &&
                called(&s, &of[i], &k) && !has(&s, &of[i], &k))
                make(&s, &of[i], &k);
    bool fit = all_have(&s) && term_eval_none_false(c->t, s.model, q, nq, &known) && known;
    if (fit) {
        term_model_free(*model);
        *model = s.model;
    } else {
        term_model_free(s.model);
    }
    return fit;
}
