/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What library functions return that look at strings and memory, as formulas over the first bytes of what
 * they look at. */
#include "verify/meant.h"

#include "flow/library.h"

enum { CONSTANT_MAX = MEANT_SHOWN };

/* A constant string. */
struct constant {
    uint8_t byte[CONSTANT_MAX];
    unsigned n;
};

term meant_number(struct check *c, uint64_t n)
{
    return term_const(c->t, c->width, n);
}

/* The byte that the call finds there. */
static term byte_at(struct check *c, const struct meant *m, term address)
{
    uint64_t at;
    term known = term_const_u64(c->t, address, &at) ? query_constant(c, at, 8) : TERM_NONE;
    return known != TERM_NONE ? known : term_read(c->t, m->mem, address, 8);
}

term meant_byte(struct check *c, const struct meant *m, unsigned arg, unsigned i)
{
    return byte_at(c, m, term_add_const(c->t, m->arg[arg], i));
}

static term is_byte(struct check *c, term byte, uint64_t value)
{
    return term_eq(c->t, byte, term_const(c->t, 8, value));
}

term meant_implies(struct terms *t, term a, term b)
{
    return term_or(t, term_not(t, a), b);
}

/* The argument that says how many bytes there are is i. */
static term ends_at(struct check *c, const struct meant *m, int length, unsigned i)
{
    return length < 0 ? term_false(c->t) : term_eq(c->t, m->arg[length], meant_number(c, i));
}

/* Nobody gives it NULL, which is no address of anything, nor memory that goes on behind the last address. */
static term is_there(struct check *c, const struct meant *m, unsigned arg, unsigned bytes)
{
    return term_and(c->t, term_not(c->t, term_eq(c->t, m->arg[arg], meant_number(c, 0))),
                    term_bin(c->t, OP_ULT, m->arg[arg], term_un(c->t, OP_NEG, meant_number(c, bytes))));
}

/* The constant string that the argument leads to, without the byte that ends it; false: it is none, or too
 * long. */
static bool constant_string(struct check *c, const struct meant *m, unsigned arg, struct constant *out)
{
    *out = (struct constant){0};
    for (; out->n < CONSTANT_MAX; out->n++) {
        uint64_t byte;
        if (!term_const_u64(c->t, meant_byte(c, m, arg, out->n), &byte))
            return false;
        if (!byte)
            return true;
        out->byte[out->n] = (uint8_t)byte;
    }
    return false;
}

/* NULL: the set is empty. */
static term is_among(struct check *c, term byte, const struct constant *set)
{
    term any = term_false(c->t);
    for (unsigned i = 0; set && i < set->n; i++)
        any = term_or(c->t, any, is_byte(c, byte, set->byte[i]));
    return any;
}

/* The byte ends what is counted: of strspn, it is not in the set; of strcspn, it is, or ends the string. */
static term stops(struct check *c, const struct meant *m, const struct constant *set, term byte)
{
    if (m->l->like == LIKE_STRSPN)
        return term_not(c->t, is_among(c, byte, set));
    return term_or(c->t, is_among(c, byte, set), is_byte(c, byte, 0));
}

/* strlen, strnlen, strspn, strcspn: how many bytes there are before the first that stops it. */
static struct meaning length_of(struct check *c, const struct meant *m, const struct constant *set,
                                int length, unsigned bytes)
{
    struct terms *t = c->t;
    term open = term_true(t), fact = term_true(t);
    for (unsigned i = 0; i < bytes; i++) {
        term stop = term_or(t, ends_at(c, m, length, i), stops(c, m, set, meant_byte(c, m, 0, i)));
        term is = term_eq(t, m->result, meant_number(c, i));
        fact = term_and(t, fact, meant_implies(t, term_and(t, open, stop), is));
        open = term_and(t, open, term_not(t, stop));
    }
    term more = term_not(t, term_bin(t, OP_ULT, m->result, meant_number(c, bytes)));
    fact = term_and(t, fact, meant_implies(t, open, more));
    term full = length < 0 ? term_false(t) : term_not(t, term_bin(t, OP_ULT, m->result, m->arg[length]));
    term last = term_read(t, m->mem, term_bin(t, OP_ADD, m->arg[0], m->result), 8);
    /* No object takes half of the addresses. */
    term far =
        term_and(t, term_or(t, full, stops(c, m, set, last)),
                 length < 0 ? term_not(t, term_bin(t, OP_SLT, m->result, meant_number(c, 0))) : term_true(t));
    if (length >= 0)
        far = term_and(t, far, term_bin(t, OP_ULE, m->result, m->arg[length]));
    return (struct meaning){fact, term_not(t, open), far, is_there(c, m, 0, bytes)};
}

/* What is looked for is at that address: a byte, of strpbrk one of several, of strstr a string. */
static term is_found_at(struct check *c, const struct meant *m, const struct constant *needle, term at)
{
    const enum library_like like = m->l->like;
    if (like != LIKE_STRPBRK && like != LIKE_STRSTR)
        return term_eq(c->t, byte_at(c, m, at), term_extract(c->t, m->arg[1], 0, 8));
    if (like == LIKE_STRPBRK)
        return is_among(c, byte_at(c, m, at), needle);
    term all = term_true(c->t);
    for (unsigned k = 0; k < needle->n; k++)
        all = term_and(c->t, all, is_byte(c, byte_at(c, m, term_add_const(c->t, at, k)), needle->byte[k]));
    return all;
}

/* strchr, memchr, strrchr: there is none, of a byte that every string has. */
static term misses_end(struct check *c, const struct meant *m, term none)
{
    return term_and(c->t, none, term_eq(c->t, term_extract(c->t, m->arg[1], 0, 8), term_const(c->t, 8, 0)));
}

/* strchr, memchr, strpbrk, strstr: the first address where it is. */
static struct meaning first_of(struct check *c, const struct meant *m, const struct constant *needle,
                               int length, unsigned bytes)
{
    struct terms *t = c->t;
    term open = term_true(t), fact = term_true(t), none = term_eq(t, m->result, meant_number(c, 0));
    for (unsigned i = 0; i < bytes; i++) {
        term at = term_add_const(t, m->arg[0], i), end = ends_at(c, m, length, i);
        term found = is_found_at(c, m, needle, at), here = term_eq(t, m->result, at);
        fact = term_and(t, fact, meant_implies(t, term_and(t, open, end), none));
        open = term_and(t, open, term_not(t, end));
        fact = term_and(t, fact, meant_implies(t, term_and(t, open, found), here));
        open = term_and(t, open, term_not(t, found));
        if (length < 0) {
            term nul = is_byte(c, meant_byte(c, m, 0, i), 0);
            fact = term_and(t, fact, meant_implies(t, term_and(t, open, nul), none));
            open = term_and(t, open, term_not(t, nul));
        }
    }
    term distance = term_bin(t, OP_SUB, m->result, m->arg[0]);
    term later = term_not(t, term_bin(t, OP_ULT, distance, meant_number(c, bytes)));
    term there = term_and(t, term_bin(t, OP_ULE, m->arg[0], m->result), is_found_at(c, m, needle, m->result));
    if (length >= 0)
        there = term_and(t, there, term_bin(t, OP_ULT, distance, m->arg[length]));
    term missed = length < 0 && !needle ? misses_end(c, m, none) : term_false(t);
    term given = is_there(c, m, 0, needle ? bytes + CONSTANT_MAX : bytes);
    return (struct meaning){term_and(t, fact, meant_implies(t, open, term_or(t, none, later))),
                            term_and(t, given, term_not(t, open)),
                            term_and(t, term_or(t, none, there), term_not(t, missed)), given};
}

/* strrchr: the address of the last byte that is the one looked for. */
static struct meaning last_of(struct check *c, const struct meant *m, unsigned bytes)
{
    struct terms *t = c->t;
    const term looked = term_extract(t, m->arg[1], 0, 8);
    term open = term_true(t), fact = term_true(t), last = meant_number(c, 0);
    for (unsigned i = 0; i < bytes; i++) {
        const term byte = meant_byte(c, m, 0, i), end = is_byte(c, byte, 0);
        last = term_ite(t, term_eq(t, byte, looked), term_add_const(t, m->arg[0], i), last);
        fact = term_and(t, fact, meant_implies(t, term_and(t, open, end), term_eq(t, m->result, last)));
        open = term_and(t, open, term_not(t, end));
    }
    const term none = term_eq(t, m->result, meant_number(c, 0));
    const term there =
        term_and(t, term_bin(t, OP_ULE, m->arg[0], m->result), is_found_at(c, m, NULL, m->result));
    const term given = is_there(c, m, 0, bytes);
    return (struct meaning){fact, term_and(t, given, term_not(t, open)),
                            term_and(t, term_or(t, none, there), term_not(t, misses_end(c, m, none))), given};
}

term meant_sign_is(struct check *c, term result, int sign)
{
    enum { INT = 32 };
    term r = term_extract(c->t, result, 0, INT), zero = term_const(c->t, INT, 0);
    return !sign      ? term_eq(c->t, r, zero)
           : sign < 0 ? term_bin(c->t, OP_SLT, r, zero)
                      : term_bin(c->t, OP_SLT, zero, r);
}

/* strcmp, strncmp, memcmp: how the first two bytes that differ compare. Only the sign is promised, and of
 * bcmp that it is not 0. */
static struct meaning order_of(struct check *c, const struct meant *m, int length, bool strings,
                               unsigned bytes)
{
    struct terms *t = c->t;
    term open = term_true(t), fact = term_true(t), not_equal = term_not(t, meant_sign_is(c, m->result, 0));
    bool sign = m->l->like != LIKE_BCMP;
    for (unsigned i = 0; i < bytes; i++) {
        term a = meant_byte(c, m, 0, i), b = meant_byte(c, m, 1, i), end = ends_at(c, m, length, i);
        term less = term_bin(t, OP_ULT, a, b), more = term_bin(t, OP_ULT, b, a);
        fact = term_and(t, fact, meant_implies(t, term_and(t, open, end), meant_sign_is(c, m->result, 0)));
        open = term_and(t, open, term_not(t, end));
        fact = term_and(
            t, fact,
            meant_implies(t, term_and(t, open, less), sign ? meant_sign_is(c, m->result, -1) : not_equal));
        fact = term_and(
            t, fact,
            meant_implies(t, term_and(t, open, more), sign ? meant_sign_is(c, m->result, 1) : not_equal));
        open = term_and(t, open, term_eq(t, a, b));
        if (strings) {
            term nul = is_byte(c, a, 0);
            fact =
                term_and(t, fact, meant_implies(t, term_and(t, open, nul), meant_sign_is(c, m->result, 0)));
            open = term_and(t, open, term_not(t, nul));
        }
    }
    /* By how much is not known, so that must not matter. */
    term is[] = {term_const(t, c->width, 0), term_const(t, c->width, 1), term_const(t, c->width, UINT32_MAX)};
    term plain = term_false(t);
    for (unsigned i = 0; i < sizeof is / sizeof *is; i++)
        plain = term_or(t, plain, term_eq(t, m->result, is[i]));
    term itself = term_or(t, term_not(t, term_eq(t, m->arg[0], m->arg[1])), meant_sign_is(c, m->result, 0));
    return (struct meaning){fact, term_and(t, term_not(t, open), plain), itself,
                            term_and(t, is_there(c, m, 0, bytes), is_there(c, m, 1, bytes))};
}

bool meant_is_large(const struct meant *m)
{
    const enum library_like like = m->l->like;
    return like == LIKE_STRSPN || like == LIKE_STRCSPN || like == LIKE_STRPBRK || like == LIKE_STRSTR ||
           like == LIKE_STRRCHR;
}

bool meant_is_place(const struct meant *m)
{
    const enum library_like like = m->l->like;
    return like == LIKE_STRCHR || like == LIKE_MEMCHR || like == LIKE_STRRCHR || like == LIKE_STRPBRK ||
           like == LIKE_STRSTR;
}

bool meant_is_order(const struct meant *m)
{
    return m->l->like == LIKE_MEMCMP || m->l->like == LIKE_BCMP || m->l->like == LIKE_STRCMP ||
           m->l->like == LIKE_STRNCMP;
}

/* False: it is not known. */
bool meant_meaning(struct check *c, const struct meant *m, unsigned bytes, struct meaning *out)
{
    uint64_t n;
    struct constant given;
    enum { LAST = 2 };
    if (m->mem == TERM_NONE)
        return false;
    /* All of them, and the end after the last. */
    if (m->arg[LAST] != TERM_NONE && term_const_u64(c->t, m->arg[LAST], &n) && n < MEANT_SHOWN)
        bytes = (unsigned)n + 1;
    for (unsigned i = 0; i < LAST && i < m->l->nargs; i++)
        if (m->l->pointers >> i & 1 && term_is_const(c->t, m->arg[i]) && constant_string(c, m, i, &given))
            bytes = given.n + 1 > bytes ? given.n + 1 : bytes;
    switch (m->l->like) {
    case LIKE_STRLEN:
        *out = length_of(c, m, NULL, -1, bytes);
        return true;
    case LIKE_STRNLEN:
        *out = length_of(c, m, NULL, 1, bytes);
        return true;
    case LIKE_STRCHR:
        *out = first_of(c, m, NULL, -1, bytes);
        return true;
    case LIKE_MEMCHR:
        *out = first_of(c, m, NULL, LAST, bytes);
        return true;
    case LIKE_STRRCHR:
        *out = last_of(c, m, bytes);
        return true;
    case LIKE_STRSPN:
    case LIKE_STRCSPN:
        if (!constant_string(c, m, 1, &given))
            return false;
        *out = length_of(c, m, &given, -1, bytes);
        return true;
    case LIKE_STRPBRK:
    case LIKE_STRSTR:
        if (!constant_string(c, m, 1, &given))
            return false;
        *out = first_of(c, m, &given, -1, bytes);
        return true;
    case LIKE_STRCMP:
        *out = order_of(c, m, -1, true, bytes);
        return true;
    case LIKE_STRNCMP:
        *out = order_of(c, m, LAST, true, bytes);
        return true;
    case LIKE_MEMCMP:
    case LIKE_BCMP:
        *out = order_of(c, m, LAST, false, bytes);
        return true;
    default:
        return false;
    }
}
