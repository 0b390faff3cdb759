/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "flow/library.h"
#include "verify/profile.h"

enum { ORDERS_MAX = 1000 }; /* that are kept, of both kinds */

enum { LEAVES_MAX = 64 };

int64_t profile_number(const struct check *c, uint64_t v, unsigned width)
{
    if (c->exits.narrow)
        return (int64_t)(v & ((UINT64_C(1) << c->exits.width) - 1));
    if (width == 64 && v >> 32 == 0 && c->exits.width != 64)
        return (int32_t)(uint32_t)v; /* mov eax, -1 */
    if (width == 32)
        return (int32_t)(uint32_t)v;
    if (width == 16)
        return (int16_t)(uint16_t)v;
    if (width == 8)
        return (int8_t)(uint8_t)v;
    return (int64_t)v;
}

/* There is a constant at the place, and it is the address of something. */
static bool is_address_at(const struct pair_side *s, uint64_t at)
{
    term x = explorer_constant(s->x, at - s->bias, s->pair->width);
    uint64_t v;
    size_t n;
    return x != TERM_NONE && term_const_u64(s->pair->t, x, &v) && object_bytes(s->o, v - s->bias, &n) != NULL;
}

static bool looks_like_pointer(const struct pair_side *s, term x)
{
    struct terms *t = s->pair->t;
    term base;
    uint64_t off;
    if (term_width(t, x) != s->pair->width)
        return false;
    term_split(t, x, &base, &off);
    size_t n;
    if (base == TERM_NONE)
        return s->bias && object_bytes(s->o, off - s->bias, &n) != NULL;
    if (term_kind(t, base) == TERM_READ) {
        /* an element of a constant table of addresses; one that is counted from 1 lies after that */
        uint64_t at;
        term index;
        term_split(t, term_kid(t, base, 1), &index, &at);
        unsigned word = s->pair->width / 8;
        return index != TERM_NONE && s->bias && !off &&
               (is_address_at(s, at) || (is_address_at(s, at + word) && is_address_at(s, at + 2 * word)));
    }
    return origin_is_new_object(t, base);
}

/* What else than a constant a term may be. */
struct others {
    bool any, pointer; /* some; all of them look like pointers */
    bool left;         /* a 0 beside one is what a shift or a division leaves */
};

static bool computes_with_constant(const struct terms *t, term x)
{
    unsigned kind = term_kind(t, x);
    return (kind == OP_AND || kind == OP_OR || kind == OP_XOR || kind == OP_ADD || kind == OP_MUL ||
            kind == OP_SHL) &&
           term_is_const(t, term_kid(t, x, 1));
}

/* The term is one of two numbers, as code without a branch chooses them: -(a < b) & 6. */
static bool is_either(struct terms *t, term x, unsigned fuel, term either[2])
{
    unsigned kind = term_kind(t, x), width = term_width(t, x);
    if (width == 1) {
        either[0] = term_false(t);
        either[1] = term_true(t);
        return true;
    }
    const bool extends = kind == OP_ZEXT || kind == OP_SEXT;
    if (!fuel || !(extends || kind == OP_NEG || computes_with_constant(t, x)) ||
        !is_either(t, term_kid(t, x, 0), fuel - 1, either))
        return false;
    for (unsigned i = 0; i < 2; i++)
        either[i] = kind == OP_ZEXT   ? term_zext(t, either[i], width)
                    : kind == OP_SEXT ? term_sext(t, either[i], width)
                    : kind == OP_NEG  ? term_un(t, OP_NEG, either[i])
                                      : term_bin(t, kind, either[i], term_kid(t, x, 1));
    return true;
}

/* Both are no less than 0: a negative number that is computed may be a result. */
static bool are_positive(const struct terms *t, const term either[2])
{
    uint64_t v;
    for (unsigned i = 0; i < 2; i++)
        if (!term_const_u64(t, either[i], &v) || v > INT32_MAX)
            return false;
    return true;
}

/* The constants a term may be. */
static void leaves(const struct pair_side *s, term x, term *out, unsigned *n, unsigned fuel,
                   struct others *other)
{
    struct terms *t = s->pair->t;
    if (term_is_const(t, x)) {
        for (unsigned i = 0; i < *n; i++)
            if (out[i] == x)
                return;
        if (*n < LEAVES_MAX)
            out[(*n)++] = x;
        return;
    }
    unsigned kind = term_kind(t, x), width = term_width(t, x);
    other->left = other->left || chosen_is_left_over(t, x);
    if (fuel && kind == OP_ITE) {
        leaves(s, term_kid(t, x, 1), out, n, fuel - 1, other);
        leaves(s, term_kid(t, x, 2), out, n, fuel - 1, other);
        return;
    }
    if (fuel && (kind == OP_ZEXT || kind == OP_SEXT)) {
        term inner[LEAVES_MAX];
        unsigned m = 0;
        if (term_width(t, term_kid(t, x, 0)) == 1) {
            inner[m++] = term_false(t);
            inner[m++] = term_true(t);
        } else {
            leaves(s, term_kid(t, x, 0), inner, &m, fuel - 1, other);
        }
        for (unsigned i = 0; i < m; i++)
            leaves(s, kind == OP_ZEXT ? term_zext(t, inner[i], width) : term_sext(t, inner[i], width), out, n,
                   0, other);
        return;
    }
    term either[2];
    if (fuel && computes_with_constant(t, x) && is_either(t, x, fuel, either) && are_positive(t, either)) {
        leaves(s, either[0], out, n, 0, other);
        leaves(s, either[1], out, n, 0, other);
        return;
    }
    other->pointer = (other->pointer || !other->any) && looks_like_pointer(s, x);
    other->any = true;
}

/* Something as wide as a pointer that a callee returned or memory held; TERM_NONE otherwise. */
static term candidate(const struct pair_side *s, const struct exec_path *p)
{
    struct terms *t = s->pair->t;
    term base;
    uint64_t off;
    if (term_width(t, p->result) != s->pair->width)
        return TERM_NONE;
    term_split(t, p->result, &base, &off);
    bool fits =
        base != TERM_NONE && !off && (term_kind(t, base) == TERM_APPLY || term_kind(t, base) == TERM_READ);
    return fits ? base : TERM_NONE;
}

static bool is_tested(const struct pair_side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->pair->t;
    term zero = term_eq(t, x, term_const(t, s->pair->width, 0)), some = term_not(t, zero);
    for (unsigned i = 0; i < p->nliterals; i++)
        if (p->literal[i] == zero || p->literal[i] == some)
            return true;
    return false;
}

/* The upper half of a register is filled up: what is returned is a number and no pointer. */
static bool is_number(const struct check *c, term x)
{
    enum { HALF = 32 };
    unsigned kind = term_kind(c->t, x);
    return c->width == 2 * HALF && term_width(c->t, x) == c->width && (kind == OP_ZEXT || kind == OP_SEXT) &&
           term_width(c->t, term_kid(c->t, x, 0)) <= HALF;
}

/* What is in the function's own frame, where callees may have written. */
static bool is_local(const struct pair_side *s, term x)
{
    int64_t off;
    return x != TERM_NONE && term_kind(s->pair->t, x) == TERM_READ &&
           pair_sp_offset(s->pair, term_kid(s->pair->t, x, 1), &off) && off < 0;
}

/* The path's condition says that the number is not 0. */
static bool is_some(const struct pair_side *s, const struct exec_path *p, term x)
{
    struct terms *t = s->pair->t;
    term some = term_not(t, term_eq(t, x, term_const(t, term_width(t, x), 0)));
    for (unsigned i = 0; i < p->nliterals; i++)
        if (p->literal[i] == some)
            return true;
    return false;
}

static struct value_use *use_of(struct profile *p, int64_t v)
{
    for (size_t i = 0; i < p->value.len; i++)
        if (p->value.data[i].value == v)
            return &p->value.data[i];
    vec_push(&p->value, (struct value_use){.value = v});
    return &vec_last(&p->value);
}

/* The literal says that one thing is less than another. */
static void add_order(struct profile *p, term literal, bool above)
{
    struct terms *t = p->c->t;
    bool not = term_kind(t, literal) == OP_NOT;
    term l = not ? term_kid(t, literal, 0) : literal;
    unsigned kind = term_kind(t, l);
    term x = term_nkids(t, l) ? term_kid(t, l, 0) : l;
    unsigned width = term_width(t, x);
    /* The sign of it, or of its lower part. */
    bool sign = false;
    for (unsigned part = 8; kind == OP_EXTRACT && !sign && part <= width; part *= 2)
        if (l == term_extract(t, x, part - 1, 1)) {
            x = term_extract(t, x, 0, part);
            width = part;
            sign = true;
        }
    bool less = kind == OP_SLT || kind == OP_ULT || sign, most = kind == OP_SLE || kind == OP_ULE;
    if (p->below.len + p->above.len >= ORDERS_MAX || (!less && !most))
        return;
    term with = sign ? term_const(t, width, 0) : term_kid(t, l, 1);
    struct order o = {not ? with : x, not ? x : with};
    /* At least 1 is more than 0. */
    if (less == not && term_is_const(t, o.less))
        o.less = term_add_const(t, o.less, UINT64_MAX);
    else if (less == not && term_is_const(t, o.more))
        o.more = term_add_const(t, o.more, 1);
    else if (less == not)
        return;
    if (above)
        vec_push(&p->above, o);
    else
        vec_push(&p->below, o);
}

static void see_order(struct profile *p, const struct exec_path *path, int64_t result)
{
    for (unsigned i = 0; i < path->nliterals; i++)
        add_order(p, path->literal[i], result > 0);
}

enum { GIVEN_MAX = 8 };

/* What a condition says, or either part of one that says two things. */
static void add_orders(struct profile *p, term condition, bool above)
{
    struct terms *t = p->c->t;
    add_order(p, condition, above);
    for (unsigned i = 0; term_kind(t, condition) == OP_OR && i < term_nkids(t, condition); i++)
        add_order(p, term_kid(t, condition, i), above);
}

static bool says_not_negative(struct terms *t, term condition, term x, term zero)
{
    return condition == term_not(t, term_extract(t, x, term_width(t, x) - 1, 1)) ||
           condition == term_not(t, term_bin(t, OP_SLT, x, zero)) ||
           condition == term_bin(t, OP_SLE, zero, x);
}

/* Under one of the conditions the number is not negative: then that it is not 0 says that it is more. */
static void add_positive(struct profile *p, term flag, const term *given, unsigned n)
{
    struct terms *t = p->c->t;
    term equal = term_kind(t, flag) == OP_NOT ? term_kid(t, flag, 0) : TERM_NONE;
    for (unsigned i = 0; equal != TERM_NONE && term_kind(t, equal) == OP_EQ && i < n; i++)
        for (unsigned k = 0; k < 2; k++) {
            term x = term_kid(t, equal, k), zero = term_const(t, term_width(t, x), 0);
            if (p->below.len + p->above.len < ORDERS_MAX && term_kid(t, equal, !k) == zero &&
                says_not_negative(t, given[i], x, zero))
                vec_push(&p->above, ((struct order){zero, x}));
        }
}

static bool says_not_positive(struct terms *t, term condition, term x, term zero)
{
    return condition == term_not(t, term_bin(t, OP_SLT, zero, x)) ||
           condition == term_bin(t, OP_SLE, x, zero);
}

/* Of the conditions one says that a number is at most 0 and another that it is not 0: then it is less. */
static void add_negative(struct profile *p, const term *given, unsigned n)
{
    struct terms *t = p->c->t;
    for (unsigned i = 0; i < n; i++) {
        term equal = term_kind(t, given[i]) == OP_NOT ? term_kid(t, given[i], 0) : TERM_NONE;
        for (unsigned k = 0; equal != TERM_NONE && term_kind(t, equal) == OP_EQ && k < 2 * n; k++) {
            term x = term_kid(t, equal, k & 1), zero = term_const(t, term_width(t, x), 0);
            if (p->below.len + p->above.len < ORDERS_MAX && term_kid(t, equal, !(k & 1)) == zero &&
                says_not_positive(t, given[k / 2], x, zero))
                vec_push(&p->below, ((struct order){x, zero}));
        }
    }
}

/* The same of numbers that are chosen without a branch. */
static void see_chosen(struct profile *p, term v, term given[GIVEN_MAX], unsigned n)
{
    struct terms *t = p->c->t;
    uint64_t number;
    while (term_kind(t, v) == OP_ZEXT && term_width(t, term_kid(t, v, 0)) > 1)
        v = term_kid(t, v, 0);
    if (term_kind(t, v) == OP_ITE && n < GIVEN_MAX) {
        for (unsigned k = 0; k < 2; k++) {
            given[n] = k ? term_not(t, term_kid(t, v, 0)) : term_kid(t, v, 0);
            see_chosen(p, term_kid(t, v, 1 + k), given, n + 1);
        }
    } else if (term_kind(t, v) == OP_ZEXT) {
        add_orders(p, term_kid(t, v, 0), true);
        add_positive(p, term_kid(t, v, 0), given, n);
    } else if (term_kind(t, v) == OP_SEXT && term_width(t, term_kid(t, v, 0)) == 1 && n < GIVEN_MAX) {
        given[n++] = term_kid(t, v, 0); /* -1 where that holds */
        for (unsigned i = 0; i < n; i++)
            add_orders(p, given[i], false);
        add_negative(p, given, n);
    } else if (term_const_u64(t, v, &number) && number) {
        for (unsigned i = 0; i < n; i++)
            add_orders(p, given[i], profile_number(p->c, number, term_width(t, v)) > 0);
        if (profile_number(p->c, number, term_width(t, v)) < 0)
            add_negative(p, given, n);
    }
}

/* The number itself, however wide it is made. */
static term narrowed(const struct terms *t, term x)
{
    while (term_kind(t, x) == OP_ZEXT || term_kind(t, x) == OP_SEXT || term_kind(t, x) == OP_EXTRACT)
        x = term_kid(t, x, 0);
    return x;
}

/* What is read at the same place through two parameters, in one order or the other. */
static bool is_of_two(const struct terms *t, term a, term b)
{
    term base[2];
    uint64_t off[2];
    unsigned index[2];
    const term both[] = {narrowed(t, a), narrowed(t, b)};
    for (int i = 0; i < 2; i++) {
        if (term_kind(t, both[i]) != TERM_READ)
            return false;
        term_split(t, term_kid(t, both[i], 1), &base[i], &off[i]);
        if (base[i] == TERM_NONE || !origin_is_argument(t, base[i], &index[i]))
            return false;
    }
    return index[0] != index[1] && off[0] == off[1];
}

/* Two parameters themselves. */
static bool are_parameters(const struct terms *t, term a, term b)
{
    unsigned i, k;
    return origin_is_argument(t, narrowed(t, a), &i) && origin_is_argument(t, narrowed(t, b), &k) && i != k;
}

/* It is told by a function of the library that compares: strcmp, wcsncasecmp, strcoll. */
static bool is_told_order(const struct profile *p, term x)
{
    const char *name = term_kind(p->c->t, x) == TERM_APPLY ? term_origin(p->c->t, x).name : NULL;
    const struct flow_library *all = program_library(p->s->p);
    const struct flow_library_entry *l =
        name && all ? flow_library_find(all, names_key_name(p->c, name)) : NULL;
    return l && (strstr(l->name, "cmp") || strstr(l->name, "coll"));
}

/* An order that is computed: a difference, of comparisons or of what is compared, or what strcmp returned. */
static void see_computed(struct profile *p, term x)
{
    const struct terms *t = p->c->t;
    x = narrowed(t, x);
    p->orders = p->orders || is_told_order(p, x);
    if (term_kind(t, x) != OP_SUB)
        return;
    const term a = term_kid(t, x, 0), b = term_kid(t, x, 1);
    p->orders = p->orders || is_of_two(t, a, b) || are_parameters(t, a, b);
    if (term_width(t, narrowed(t, a)) == 1 && term_width(t, narrowed(t, b)) == 1) {
        add_orders(p, narrowed(t, a), true);
        add_orders(p, narrowed(t, b), false);
    }
}

bool profile_compares(const struct profile *p)
{
    if (p->orders)
        return true;
    for (size_t i = 0; i < p->below.len; i++)
        for (size_t k = 0; k < p->above.len; k++)
            if (p->below.data[i].less == p->above.data[k].more &&
                p->below.data[i].more == p->above.data[k].less)
                return true;
    return false;
}

/* ---- bounds ---- */

/* The condition compares something that is no constant with that number, or its neighbour. */
static term compared_with(const struct check *c, term condition, int64_t v)
{
    const struct terms *t = c->t;
    term l = term_kind(t, condition) == OP_NOT ? term_kid(t, condition, 0) : condition;
    unsigned kind = term_kind(t, l);
    if (kind != OP_SLT && kind != OP_SLE)
        return TERM_NONE;
    for (unsigned k = 0; k < 2; k++) {
        uint64_t with;
        term x = term_kid(t, l, k);
        if (!term_const_u64(t, x, &with) || term_is_const(t, term_kid(t, l, !k)))
            continue;
        int64_t distance = (int64_t)((uint64_t)profile_number(c, with, term_width(t, x)) - (uint64_t)v);
        if (distance >= -1 && distance <= 1)
            return narrowed(t, term_kid(t, l, !k));
    }
    return TERM_NONE;
}

/* Notes what a path compares with the negative number that it returns, and what it returns that is no
 * constant: if they are the same, the number is a bound of it. */
static void see_bound(struct profile *p, const struct exec_path *path, int64_t v)
{
    for (unsigned i = 0; v < 0 && i < path->nliterals; i++) {
        term x = compared_with(p->c, path->literal[i], v);
        if (x != TERM_NONE)
            vec_push(&p->beyond, ((struct bound){x, v}));
    }
}

/* The same of numbers that are chosen without a branch. */
static void see_moved_bound(struct profile *p, term x, unsigned fuel)
{
    struct terms *t = p->c->t;
    uint64_t n;
    while (term_kind(t, x) == OP_ZEXT || term_kind(t, x) == OP_SEXT)
        x = term_kid(t, x, 0);
    if (term_kind(t, x) != OP_ITE || !fuel) {
        if (!term_is_const(t, x))
            map_set(&p->returned, narrowed(t, x), 1);
        return;
    }
    for (unsigned k = 1; k <= 2; k++) {
        term arm = term_kid(t, x, k);
        int64_t v = term_const_u64(t, arm, &n) ? profile_number(p->c, n, term_width(t, arm)) : 0;
        term than = v < 0 ? compared_with(p->c, term_kid(t, x, 0), v) : TERM_NONE;
        if (than != TERM_NONE)
            vec_push(&p->beyond, ((struct bound){than, v}));
        see_moved_bound(p, arm, fuel - 1);
    }
}

bool profile_is_bound(const struct profile *p, int64_t v)
{
    for (size_t i = 0; i < p->beyond.len; i++)
        if (p->beyond.data[i].value == v && map_get(&p->returned, p->beyond.data[i].of, NULL))
            return true;
    return false;
}

/* It is told why: an argument is a text. */
static bool is_report(const struct pair_side *s, const struct exec_event *e)
{
    enum { WORDS = 6 };
    for (unsigned i = 0; e->kind == EVENT_CALL && i < e->nargs; i++) {
        uint64_t at;
        size_t n;
        if (term_is_array(s->pair->t, e->arg[i]) || !term_const_u64(s->pair->t, e->arg[i], &at))
            continue;
        const char *text = object_string(s->o, at - s->bias, &n);
        if (text && n >= WORDS && memchr(text, ' ', n))
            return true;
    }
    return false;
}

static bool is_errno_place(void *ctx, term x)
{
    return origin_is(ctx, x, ORIGIN_ERRNO_PLACE);
}

bool profile_is_errno(struct terms *t, term address)
{
    return term_any(t, address, is_errno_place, t);
}

/* What a path does that can be seen: stores and calls, but for those that tell why. */
static uint64_t work_of(struct profile *p, const struct exec_path *path)
{
    struct terms *t = p->c->t;
    uint64_t n = 0;
    for (unsigned i = 0; i < path->nwrites; i++)
        n += !path->write[i].local &&
             !term_any_of_many(t, path->write[i].address, &p->errno_known, is_errno_place, t);
    for (unsigned i = 0; i < path->nevents; i++)
        n += !path->event[i].silent && !is_report(p->s, &path->event[i]);
    return n;
}

/* Where the path returns 0, the last callee did, too. */
static bool was_told_zero(const struct pair_side *s, const struct exec_path *p)
{
    struct terms *t = s->pair->t;
    term flag = term_kind(t, p->result) == OP_ZEXT ? term_kid(t, p->result, 0) : TERM_NONE;
    term r = p->nevents ? p->event[p->nevents - 1].result : TERM_NONE;
    if (r == TERM_NONE || term_is_array(t, r))
        return false;
    for (unsigned w = term_width(t, r); w >= 8; w /= 2) {
        term zero = term_eq(t, term_extract(t, r, 0, w), term_const(t, w, 0));
        if (flag == term_not(t, zero))
            return true;
        for (unsigned i = 0; i < p->nliterals; i++)
            if (p->literal[i] == zero)
                return true;
    }
    return false;
}

/* It is that number, or may be chosen to be. */
static bool may_be_word(const struct terms *t, term x, uint64_t number, unsigned fuel)
{
    uint64_t v;
    if (term_kind(t, x) == OP_ITE && fuel)
        return may_be_word(t, term_kid(t, x, 1), number, fuel - 1) ||
               may_be_word(t, term_kid(t, x, 2), number, fuel - 1);
    return term_const_u64(t, x, &v) && v == number;
}

/* Where two words are a number, a negative one is extended. */
static void see_extended(struct profile *p, const struct exec_path *path, int64_t number)
{
    enum { WORD = 32, FUEL = 6 };
    const unsigned second = program_machine(p->s->p)->ret2;
    if (number >= 0 || p->c->width != WORD || second == UINT16_MAX)
        return;
    const term beside = exec_path_register(p->s->x, path, second, WORD);
    const bool is = may_be_word(p->c->t, beside, UINT32_MAX, FUEL);
    *(is ? &p->extended : &p->unextended) += 1;
}

bool profile_see(void *ctx, const struct exec_path *path)
{
    struct profile *p = ctx;
    struct check *c = p->c;
    frame_see_path(&c->pair, p->s, path);
    for (unsigned i = 0; i < path->nliterals; i++) {
        term l = canonical_term(&c->pair, p->s, path->literal[i]);
        map_set(&c->exits.decided, term_kind(c->t, l) == OP_NOT ? term_kid(c->t, l, 0) : l, 1);
    }
    if (!p->s->new)
        faults_see_tests(c, path);
    else
        idle_see(c, path);
    if (path->end == PATH_LOOP_BOUND || path->end == PATH_DEPTH) {
        p->cut++;
        return !query_is_late(c);
    }
    p->paths++;
    p->length += path->nblocks;
    if (path->end != PATH_RETURN && path->end != PATH_TAIL_CALL)
        return !query_is_late(c);
    p->returning++;
    if (path->result == TERM_NONE)
        return true;
    result_see(&p->signs, p->s, path);
    see_computed(p, path->result);
    const uint64_t work = work_of(p, path);
    term base = candidate(p->s, path), value = path->result;
    bool narrow = is_number(c, value), handed = base != TERM_NONE && term_kind(c->t, base) == TERM_APPLY;
    value = narrow ? term_kid(c->t, value, 0) : value;
    bool number = narrow || (c->width != 64 && (handed || is_local(p->s, base))),
         some = number && is_some(p->s, path, value);
    p->numbers += number;
    p->many = p->many || (some && p->some && value != p->one);
    p->one = some ? value : p->one;
    *(some ? &p->some : &p->rest) += 1;
    *(some ? &p->some_length : &p->rest_length) += path->nblocks;
    term leaf[LEAVES_MAX];
    unsigned n = 0;
    struct others other = {0};
    term result = result_pinned(p->s, path);
    /* Where pointers are wider than an int, an int would be tested as one. */
    bool tested = base != TERM_NONE && is_tested(p->s, path, base);
    if (looks_like_pointer(p->s, path->result) || (tested && c->width == 64)) {
        p->others++;
        p->others_most = work > p->others_most ? work : p->others_most;
        p->pointers++;
        return true;
    }
    if (base != TERM_NONE && result == path->result) {
        p->others++;
        p->others_most = work > p->others_most ? work : p->others_most;
        tested = tested && handed;
        p->handed += tested;
        p->handed_length += tested ? path->nblocks : 0;
        vec_push(&p->open, base);
        return true;
    }
    leaves(p->s, result, leaf, &n, 8, &other);
    see_moved_bound(p, result, 8);
    if (term_kind(c->t, result) == OP_ZEXT && term_width(c->t, term_kid(c->t, result, 0)) == 1) {
        add_order(p, term_kid(c->t, result, 0), true);
        add_positive(p, term_kid(c->t, result, 0), path->literal, path->nliterals);
    }
    term given[GIVEN_MAX];
    unsigned ngiven = 0;
    while (ngiven < path->nliterals && ngiven < GIVEN_MAX / 2) {
        given[ngiven] = path->literal[path->nliterals - 1 - ngiven];
        ngiven++;
    }
    if (n > 1 || other.any)
        see_chosen(p, result, given, ngiven);
    p->constant = p->constant || (n && result == path->result);
    for (unsigned i = 0; i < n; i++) {
        uint64_t v;
        if (!term_const_u64(c->t, leaf[i], &v))
            continue;
        if (looks_like_pointer(p->s, leaf[i])) {
            p->others++;
            p->pointers++;
            continue;
        }
        int64_t number_of = profile_number(c, v, term_width(c->t, leaf[i]));
        struct value_use *u = use_of(p, number_of);
        if (n == 1 && !other.any && number_of)
            see_order(p, path, number_of);
        see_bound(p, path, number_of);
        see_extended(p, path, number_of);
        u->moved += n > 1 || other.any;
        u->length += path->nblocks;
        u->paths++;
        u->idle += !work && (number_of || !other.left);
        u->told += work && !number_of && was_told_zero(p->s, path);
        u->most = work > u->most ? work : u->most;
    }
    p->others += other.any;
    p->others_most = other.any && work > p->others_most ? work : p->others_most;
    p->pointers += other.pointer;
    return !query_is_late(c);
}
