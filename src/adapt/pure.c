/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapters between functions that only compute: no memory, no system calls, nothing but a result.
 *
 * Of these every adapter can be tried on numbers, thousands in a millisecond, and the solver is asked only
 * whether one that agrees with the target on all samples is right. Adapters are not tried one by one: on a
 * sample, all choices for an argument that give the same number are one, so that on samples of zeroes and ones
 * there are few, and most are refuted by the first ones. A constant is a word of which nothing is known at
 * first; a sample on which a bit of it can only be 0, or only 1, says so (partial.c). Where bits remain that
 * decide something, both ways are followed.
 *
 * What is made of several constants alone is one unknown word by itself: with that there are more adapters
 * than there are, so that none is right if none of those is. When such a word has a value, the solver is asked
 * for constants that make it. */
#include <stdlib.h>
#include <string.h>

#include "adapt/internal.h"
#include "adapt/partial.h"
#include "solve/solve.h"

enum {
    USES = 6,      /* arguments of the target that matter, at most */
    TAKES = 6,     /* arguments of the inner function */
    UNKNOWNS = 12, /* words that are not known */
    RANDOM_SAMPLES = 16,
    CANDIDATES = 40,   /* that the solver is asked about */
    CONDITIONS = 8,    /* taken to hold or not on one sample */
    LONGEST_MS = 1000, /* what is not decided so soon rarely is later, and the solver may know */
};

#define CONSTANT (UINT64_C(1) << 63)
_Static_assert(USES * ADAPT_CONVERSIONS < 63, "choices and CONSTANT fit in a word");

struct sample {
    uint64_t arg[USES];
    uint64_t want; /* what the target returns */
};

/* Which gates of the inner function are unknown words, when these of its arguments are constants. */
struct unknowns {
    bool made;
    uint8_t *instead;
    uint32_t gate[UNKNOWNS];
    term is[UNKNOWNS]; /* what it stands for */
    unsigned n;
    bool joined; /* some are made of several constants */
};

/* What is left of the adapters. */
struct left {
    uint64_t choice[TAKES]; /* ADAPT_CONVERSIONS * argument of the target + conversion; or CONSTANT */
    uint16_t result;        /* conversions */
    uint32_t constants;     /* arguments that are; a set */
    struct partial word[UNKNOWNS];
};

struct computing {
    struct adapt *a;
    struct circuit target, inner;
    struct unknowns unknowns[1 << TAKES];
    VEC(struct sample) sample;
    struct partial arg[ADAPT_ARGUMENTS]; /* of the inner function, on the sample being tried */
    uint32_t needs; /* arguments of the target that an adapter has to use */
    unsigned asked; /* whether time is up */
    struct deadline until;
    unsigned candidates;
    bool unsure; /* something was left out */
    bool gone;   /* time is up, or the solver does not know */
    /* Conditions of one sample that are taken to hold, or not: */
    struct {
        uint32_t gate;
        bool holds;
    } taken[CONDITIONS];
    unsigned ntaken;
    uint8_t *forced; /* the same by gate: 1 it does not, 2 it does */
    size_t at;       /* that sample */
    struct adapter found;
};

/* ---- numbers ---- */

static struct partial converted(const struct computing *p, unsigned c, struct partial x)
{
    static const uint8_t bits[ADAPT_CONVERSIONS] = {
        [ADAPT_S32] = 32, [ADAPT_Z32] = 32, [ADAPT_S16] = 16,    [ADAPT_Z16] = 16,
        [ADAPT_S8] = 8,   [ADAPT_Z8] = 8,   [ADAPT_BOOL32] = 32, [ADAPT_BOOL8] = 8};
    unsigned width = p->a->width;
    if (c == ADAPT_AS_IS)
        return x;
    if (c == ADAPT_BOOL)
        return partial_truth(x, width, width);
    if (c > ADAPT_BOOL)
        return partial_truth(x, bits[c], width);
    return partial_extend(x, bits[c], width, c == ADAPT_S32 || c == ADAPT_S16 || c == ADAPT_S8);
}

static bool is_there(const struct computing *p, unsigned c)
{
    return p->a->width > 32 || (c != ADAPT_S32 && c != ADAPT_Z32 && c != ADAPT_BOOL32);
}

static uint64_t chosen(const struct computing *p, const struct sample *s, unsigned choice)
{
    return converted(p, choice % ADAPT_CONVERSIONS,
                     partial_of(s->arg[choice / ADAPT_CONVERSIONS], p->a->width))
        .value;
}

/* ---- samples ---- */

static uint64_t target_on(struct computing *p, const uint64_t *arg)
{
    uint64_t all[ADAPT_ARGUMENTS] = {0};
    for (unsigned k = 0; k < p->a->target.nuse; k++)
        all[p->a->target.use[k]] = arg[k];
    return circuit_number(&p->target, all) & word_ones(p->a->compared.bits);
}

static bool add_sample(struct computing *p, const uint64_t *arg)
{
    struct sample s = {0};
    memcpy(s.arg, arg, sizeof s.arg);
    for (size_t i = 0; i < p->sample.len; i++)
        if (memcmp(p->sample.data[i].arg, s.arg, sizeof s.arg) == 0)
            return false;
    s.want = target_on(p, arg);
    vec_push(&p->sample, s);
    return true;
}

/* How conditions that the target's result hangs on come out: 1 they do not hold on a sample, 2 they do. True:
 * one comes out in another way than before. */
static bool note_conditions(struct computing *p, const struct sample *s, uint8_t *seen)
{
    bool other = false;
    target_on(p, s->arg);
    for (size_t i = 0; i < p->target.gate.len; i++)
        if (p->target.gate.data[i].kind == OP_ITE) {
            uint32_t condition = p->target.gate.data[i].kid[0];
            uint8_t way = (uint8_t)(1 + p->target.at[condition].value);
            other = other || !(seen[condition] & way);
            seen[condition] |= way;
        }
    return other;
}

/* Inputs with which the condition comes out that way, as far as they are found quickly. */
static void add_samples_where(struct computing *p, uint32_t condition, bool holds)
{
    enum { MOST = 3 };
    struct adapt *a = p->a;
    struct terms *t = a->t;
    term ask = holds ? p->target.gate.data[condition].x : term_not(t, p->target.gate.data[condition].x);
    for (unsigned i = 0; i < MOST; i++) {
        struct term_model *m = NULL;
        uint64_t arg[USES] = {0};
        if (solve_try(a->s, &ask, 1, &m) != SOLVE_SAT)
            return;
        for (unsigned k = 0; k < a->target.nuse; k++) {
            unsigned use = a->target.use[k];
            struct bits b;
            arg[k] = term_eval(t, m, a->target.arg[use], &b) ? bits_low(b) : 0;
            if (p->target.gate.data[condition].arguments >> use & 1)
                ask = term_and(t, ask,
                               term_not(t, term_eq(t, a->target.arg[use], term_const(t, a->width, arg[k]))));
        }
        term_model_free(m);
        add_sample(p, arg);
    }
}

/* What the target does on few inputs only, such as letters, other samples rarely show: without it, whatever
 * is right for all the rest is a candidate. And the sooner a sample shows something else, the less is
 * searched. */
static size_t show_all_ways(struct computing *p)
{
    enum { MOST = 16 };
    size_t gates = p->target.gate.len, n = p->sample.len, front = 1;
    uint8_t *seen = xcalloc(gates, 1);
    for (size_t i = 0; i < n; i++)
        note_conditions(p, &p->sample.data[i], seen);
    for (size_t i = gates; i-- > 0 && p->sample.len < n + MOST;)
        for (unsigned v = 0; v < 2 && p->target.gate.data[i].kind == OP_ITE; v++) {
            uint32_t condition = p->target.gate.data[i].kid[0];
            if (seen[condition] >> v & 1)
                continue;
            add_samples_where(p, condition, v);
            seen[condition] |= (uint8_t)(1u << v);
        }
    memset(seen, 0, gates);
    for (size_t i = 0; i < p->sample.len; i++) {
        struct sample s = p->sample.data[i];
        bool ones = false; /* beside rare ones they tell masks */
        for (unsigned k = 0; k < p->a->target.nuse && n < p->sample.len; k++)
            ones = ones || s.arg[k] == word_ones(p->a->width);
        if ((!note_conditions(p, &s, seen) && i < n && !ones) || i < front)
            continue;
        memmove(p->sample.data + front + 1, p->sample.data + front, (i - front) * sizeof s);
        p->sample.data[front++] = s;
    }
    free(seen);
    return front;
}

/* An adapter has to use the argument when the result hangs on it. */
static void note_need(struct computing *p, const struct sample *s, unsigned k, uint64_t instead)
{
    uint64_t arg[USES];
    if (p->needs >> k & 1)
        return;
    memcpy(arg, s->arg, sizeof arg);
    arg[k] = instead;
    if (target_on(p, arg) != s->want)
        p->needs |= 1u << k;
}

/* Numbers that the target has in it, and those beside them: where it compares with them, so will an adapter.
 */
static void add_limits(struct computing *p)
{
    enum { MOST = 24 };
    uint64_t mask = word_ones(p->a->width), arg[USES] = {0};
    size_t n = p->sample.len;
    for (size_t i = 0; i < p->target.gate.len; i++) {
        const struct gate *g = &p->target.gate.data[i];
        if (g->kind != TERM_CONST || g->width != p->a->width || g->constant + 1 <= 2)
            continue;
        for (unsigned k = 0; k < p->a->target.nuse && p->sample.len < n + MOST; k++) {
            for (unsigned near = 0; near < 3; near++) {
                arg[k] = (g->constant + near - 1) & mask;
                add_sample(p, arg);
            }
            arg[k] = 0;
        }
    }
}

/* Zeroes; one argument with few bits, or all; anything. And what the result depends on. */
static void make_samples(struct computing *p)
{
    static const uint64_t value[] = {1,      2,     0x80,    0x80000000, 0x8000,     0x100,
                                     0x4000, 0x800, 0x10000, UINT64_MAX, 0x7fffffff, UINT64_C(1) << 63};
    enum { VALUES = sizeof value / sizeof *value };
    unsigned n = p->a->target.nuse;
    uint64_t arg[USES] = {0}, mask = word_ones(p->a->width);
    add_sample(p, arg);
    for (unsigned v = 0; v < VALUES; v++)
        for (unsigned k = 0; k < n; k++) {
            arg[k] = value[v] & mask;
            add_sample(p, arg);
            arg[k] = 0;
        }
    for (uint64_t r = 0; r < RANDOM_SAMPLES; r++) {
        for (unsigned k = 0; k < n; k++)
            arg[k] = test_word(r * 64 + k, p->a->width);
        add_sample(p, arg);
    }
    add_limits(p);
    size_t front = show_all_ways(p);
    for (size_t i = 0; i < p->sample.len; i++)
        for (unsigned k = 0; k < n; k++) {
            for (unsigned v = 0; v < VALUES; v++)
                note_need(p, &p->sample.data[i], k, p->sample.data[i].arg[k] ^ (value[v] & mask));
            for (size_t v = 0; v < front; v++)
                note_need(p, &p->sample.data[i], k, p->sample.data[v].arg[k]);
        }
}

/* ---- constants ---- */

static void add_unknown(struct computing *p, struct unknowns *u, uint32_t gate)
{
    const struct gate *g = &p->inner.gate.data[gate];
    if (u->n == UNKNOWNS || u->instead[gate])
        return;
    u->joined = u->joined || g->kind != TERM_VAR;
    u->is[u->n] = g->x;
    u->gate[u->n++] = gate;
    u->instead[gate] = (uint8_t)u->n;
}

/* In (m + c) + d, where c and d are unknown and nothing else hangs on them, all of both is in d, and c is 0.
 */
static void join_sums(struct computing *p, struct unknowns *u, const uint8_t *uses)
{
    const struct gate *gate = p->inner.gate.data;
    for (size_t i = p->inner.gate.len; i-- > 0;) {
        for (unsigned side = 0; side < 2 && gate[i].kind == OP_ADD; side++) {
            uint32_t d = gate[i].kid[side], below = gate[i].kid[!side];
            for (unsigned turn = 0;
                 turn < 2 && u->instead[d] && uses[d] == 1 && gate[below].kind == OP_ADD && uses[below] == 1;
                 turn++) {
                uint32_t c = gate[below].kid[turn];
                if (!u->instead[c] || uses[c] != 1 || c == d)
                    continue;
                unsigned into = u->instead[d] - 1u, gone = u->instead[c] - 1u;
                u->is[into] = term_bin(p->a->t, OP_ADD, u->is[into], u->is[gone]);
                u->is[gone] = TERM_NONE;
                u->joined = true;
            }
        }
    }
}

/* The gates that only constants go into, and that something else is made of. */
static const struct unknowns *unknowns_of(struct computing *p, uint32_t constants)
{
    uint32_t index = 0;
    for (unsigned i = 0; i < p->a->inner.nuse; i++)
        index |= (constants >> p->a->inner.use[i] & 1) << i;
    struct unknowns *u = &p->unknowns[index];
    if (u->made)
        return u;
    const struct gate *gate = p->inner.gate.data;
    size_t n = p->inner.gate.len;
    *u = (struct unknowns){.made = true, .instead = xcalloc(n, 1)};
    uint8_t *uses = xcalloc(n, 1); /* up to 2 */
    uses[n - 1] = 1;
    for (size_t i = n; i-- > 0;) {
        uint32_t of = gate[i].arguments;
        if (!uses[i])
            continue;
        if (of && !(of & ~constants) && (gate[i].kind == TERM_VAR || (of & (of - 1)))) {
            add_unknown(p, u, (uint32_t)i);
            continue;
        }
        for (unsigned k = 0; k < gate[i].nkids; k++)
            uses[gate[i].kid[k]] += uses[gate[i].kid[k]] < 2;
    }
    join_sums(p, u, uses);
    free(uses);
    return u;
}

/* Conversions of the result with which it may be what the target returns there. *known: how many bits are, of all
 * of them. */
static uint16_t matches(struct computing *p, const struct left *l, const struct unknowns *u, const struct sample *s,
                        unsigned *known)
{
    for (unsigned i = 0; i < p->a->inner.nuse; i++)
        p->arg[p->a->inner.use[i]] =
            l->choice[i] & CONSTANT
                ? (struct partial){0}
                : partial_of(chosen(p, s, (unsigned)__builtin_ctzll(l->choice[i])), p->a->width);
    const uint8_t *forced = s == &p->sample.data[p->at] ? p->forced : NULL;
    struct partial r = circuit_run(&p->inner, p->arg, u->instead, l->word, forced);
    uint64_t mask = word_ones(p->a->compared.bits);
    uint16_t left = 0;
    *known = 0;
    if (p->inner.broken)
        return 0;
    for (unsigned c = 0; c < ADAPT_CONVERSIONS; c++)
        if (l->result >> c & 1) {
            struct partial y = converted(p, c, r);
            bool can = !(y.known & mask & (y.value ^ s->want));
            left |= (uint16_t)(can << c);
            *known += can ? (unsigned)__builtin_popcountll(y.known & mask) : p->a->compared.bits;
        }
    return left;
}

/* All of the samples from `first` to before `end` may be right. */
static bool may_be(struct computing *p, const struct left *l, const struct unknowns *u, size_t first,
                   size_t end)
{
    struct left x = *l;
    unsigned known;
    for (size_t i = end; i-- > first && x.result;)
        x.result = matches(p, &x, u, &p->sample.data[i], &known);
    return x.result;
}

static bool is_over(struct computing *p)
{
    if (++p->asked % 16 == 0 && deadline_over(&p->until))
        p->gone = true;
    return p->gone;
}

/* Bits of constants that can only be one thing get it. False: some can be neither. */
static bool propagate(struct computing *p, struct left *l, const struct unknowns *u, size_t first, size_t end)
{
    for (bool more = true; more && !is_over(p);) {
        more = false;
        for (unsigned k = 0; k < u->n; k++) {
            unsigned width = p->inner.gate.data[u->gate[k]].width;
            for (unsigned b = width; b-- > 0;) {
                uint64_t bit = UINT64_C(1) << b;
                struct left one = *l, zero = *l;
                if (l->word[k].known & bit)
                    continue;
                zero.word[k].known |= bit;
                one.word[k].known |= bit;
                one.word[k].value |= bit;
                bool can_zero = may_be(p, &zero, u, first, end), can_one = may_be(p, &one, u, first, end);
                if (!can_zero && !can_one)
                    return false;
                if (can_zero && can_one)
                    continue;
                *l = can_one ? one : zero;
                more = true;
            }
        }
    }
    return true;
}

/* ---- candidates ---- */

/* Arguments that make the unknown words what they are. False: there are none, as far as is known. */
static bool constants_of(struct computing *p, const struct left *l, const struct unknowns *u, uint64_t *constant)
{
    struct adapt *a = p->a;
    struct terms *t = a->t;
    for (unsigned k = 0; !u->joined && k < u->n; k++)
        constant[p->inner.gate.data[u->gate[k]].constant] = l->word[k].value;
    if (!u->joined)
        return true;
    term ask[UNKNOWNS];
    for (unsigned k = 0; k < u->n; k++) {
        unsigned width = p->inner.gate.data[u->gate[k]].width;
        term known = term_const(t, width, l->word[k].known);
        ask[k] = u->is[k] == TERM_NONE ? term_true(t)
                                       : term_eq(t, term_bin(t, OP_AND, u->is[k], known),
                                                 term_const(t, width, l->word[k].value));
    }
    struct term_model *m = NULL;
    bool ok = solve_check(a->s, ask, u->n, &m) == SOLVE_SAT;
    for (unsigned i = 0; ok && i < a->inner.nuse; i++) {
        struct bits b;
        if (l->choice[i] & CONSTANT && term_eval(t, m, a->inner.arg[a->inner.use[i]], &b))
            constant[a->inner.use[i]] = bits_low(b);
    }
    if (m)
        term_model_free(m);
    return ok;
}

static bool decode(struct computing *p, const struct left *l, const struct unknowns *u, struct adapter *out)
{
    struct adapt *a = p->a;
    uint64_t constant[ADAPT_ARGUMENTS] = {0};
    *out = (struct adapter){.nargs = a->inner.nargs, .width = a->width};
    if (!constants_of(p, l, u, constant))
        return false;
    for (unsigned i = 0; i < a->inner.nuse; i++) {
        struct adapt_value *v = &out->arg[a->inner.use[i]];
        if (l->choice[i] & CONSTANT) {
            v->constant = constant[a->inner.use[i]];
            if (is_address(a, v->constant))
                return false;
            continue;
        }
        unsigned choice = (unsigned)__builtin_ctzll(l->choice[i]);
        v->scale = 1;
        v->arg = a->target.use[choice / ADAPT_CONVERSIONS];
        v->conversion = (uint8_t)(choice % ADAPT_CONVERSIONS);
    }
    out->result = (struct adapt_value){.scale = 1, .conversion = (uint8_t)__builtin_ctz(l->result)};
    return true;
}

/* True: it is right. Else there may be one more sample. */
static bool try_it(struct computing *p, const struct left *l, const struct unknowns *u)
{
    struct adapt *a = p->a;
    struct term_model *m = NULL;
    if (!decode(p, l, u, &p->found)) {
        p->unsure = true;
        return false;
    }
    enum check_outcome x = ++p->candidates > CANDIDATES ? CHECK_UNKNOWN : adapter_check(a, &p->found, false, &m);
    if (x == CHECK_RIGHT)
        return true;
    uint64_t arg[USES] = {0};
    for (unsigned k = 0; m && k < a->target.nuse; k++) {
        struct bits b;
        if (term_eval(a->t, m, a->target.arg[a->target.use[k]], &b))
            arg[k] = bits_low(b);
    }
    if (x == CHECK_UNKNOWN || !add_sample(p, arg))
        p->gone = true;
    if (m)
        term_model_free(m);
    return false;
}

/* ---- searching ---- */

static bool search_from(struct computing *p, const struct left *l, size_t at);

/* Everything is known on the samples; *left: what remains there. */
static bool is_settled(struct computing *p, const struct left *l, const struct unknowns *u, size_t first, size_t end,
                       uint16_t *result)
{
    struct left x = *l;
    bool settled = true;
    for (size_t i = first; i < end && x.result; i++) {
        unsigned known, all = (unsigned)__builtin_popcount(x.result) * p->a->compared.bits;
        x.result = matches(p, &x, u, &p->sample.data[i], &known);
        settled = settled && known == all;
    }
    *result = x.result;
    return settled;
}

/* How much more is known of the results on the samples with the bit. */
static unsigned worth(struct computing *p, const struct left *l, const struct unknowns *u, size_t first, size_t end)
{
    enum { MOST = 6 };
    unsigned sum = 0, known;
    for (size_t i = first; i < end && i < first + MOST; i++) {
        matches(p, l, u, &p->sample.data[i], &known);
        sum += known;
    }
    return sum;
}

/* A bit of a constant that decides most. False: there is none. */
static bool pick_bit(struct computing *p, const struct left *l, const struct unknowns *u, size_t first, size_t end,
                     unsigned *word, uint64_t *bit)
{
    unsigned best = 0;
    *bit = 0;
    for (unsigned k = 0; k < u->n; k++) {
        uint64_t rest = word_ones(p->inner.gate.data[u->gate[k]].width) & ~l->word[k].known;
        for (unsigned n = 0; rest; n++) {
            uint64_t b = UINT64_C(1) << (63 - __builtin_clzll(rest));
            struct left zero = *l, one = *l;
            rest &= ~b;
            zero.word[k].known |= b;
            one.word[k].known |= b;
            one.word[k].value |= b;
            unsigned x = worth(p, &zero, u, first, end), y = worth(p, &one, u, first, end);
            if (*bit && x + y <= best)
                continue;
            best = x + y;
            *word = k;
            *bit = b;
        }
    }
    return *bit;
}

/* The samples leave bits of constants open: those on which one hangs are decided, both ways. */
static bool search_bits(struct computing *p, struct left *l, const struct unknowns *u)
{
    size_t n = p->sample.len, first = 0;
    unsigned k;
    uint64_t bit;
    if (is_over(p) || !propagate(p, l, u, 0, n))
        return false;
    bool settled = is_settled(p, l, u, 0, n, &l->result);
    if (!l->result)
        return false;
    uint16_t rest;
    while (!settled && first < n && is_settled(p, l, u, first, first + 1, &rest))
        first++;
    if (!settled && pick_bit(p, l, u, first, n, &k, &bit)) {
        for (unsigned v = 0; v < 2; v++) {
            struct left next = *l;
            next.word[k].known |= bit;
            next.word[k].value |= v ? bit : 0;
            if (search_bits(p, &next, u))
                return true;
        }
        return false;
    }
    if (try_it(p, l, u))
        return true;
    return p->sample.len > n && search_from(p, l, n);
}

/* A condition that the result hangs on, and that is not known. The gates have the values of the last run. */
static bool pick_condition(const struct computing *p, const struct unknowns *u, uint32_t *gate)
{
    for (size_t i = p->inner.gate.len; i-- > 0;) {
        const struct gate *g = &p->inner.gate.data[i];
        if (g->kind != OP_ITE || u->instead[i] || p->inner.at[i].known == word_ones(g->width))
            continue;
        *gate = g->kid[0];
        if (!p->inner.at[*gate].known && p->inner.gate.data[*gate].kind != TERM_CONST)
            return true;
    }
    return false;
}

static bool search_sample(struct computing *p, const struct left *l, const struct unknowns *u, size_t at,
                          unsigned depth);

static bool search_next(struct computing *p, const struct left *l, size_t at)
{
    unsigned n = p->ntaken;
    for (unsigned i = 0; i < n; i++)
        p->forced[p->taken[i].gate] = 0;
    __typeof__(p->taken) before;
    memcpy(before, p->taken, sizeof before);
    p->ntaken = 0;
    bool right = search_from(p, l, at);
    p->ntaken = n;
    memcpy(p->taken, before, sizeof before);
    for (unsigned i = 0; i < n; i++)
        p->forced[p->taken[i].gate] = (uint8_t)(1 + p->taken[i].holds);
    return right;
}

static bool search_condition(struct computing *p, const struct left *l, const struct unknowns *u, size_t at,
                             uint32_t gate)
{
    bool right = false;
    for (unsigned v = 0; v < 2 && !right; v++) {
        struct left next = *l;
        if (u->instead[gate]) {
            next.word[u->instead[gate] - 1] = partial_of(v, 1);
            right = search_sample(p, &next, u, at, 0);
            continue;
        }
        p->taken[p->ntaken].gate = gate;
        p->taken[p->ntaken++].holds = v;
        p->forced[gate] = (uint8_t)(1 + v);
        right = search_sample(p, &next, u, at, 0);
        p->forced[gate] = 0;
        p->ntaken--;
    }
    return right;
}

/* Constants are decided as far as the result on the sample hangs on them, before the next sample tells more
 * choices apart. Conditions come first, whatever that says of the constants in them: mostly it says what the result
 * is, and so what the constants are. */
static bool search_sample(struct computing *p, const struct left *l, const struct unknowns *u, size_t at,
                          unsigned depth)
{
    enum { DEEPEST = 5 };
    struct left next = *l;
    unsigned k;
    uint32_t gate;
    uint64_t bit;
    p->at = at;
    bool settled = is_settled(p, l, u, at, at + 1, &next.result);
    if (!next.result || is_over(p))
        return false;
    if (!settled && p->ntaken < CONDITIONS && pick_condition(p, u, &gate))
        return search_condition(p, &next, u, at, gate);
    /* what is left of the choices is the same on the samples before, too: together they say more, but it
     * takes longer
     */
    for (unsigned all = 0; all < 2 && !settled; all++) {
        if (!propagate(p, &next, u, all ? 0 : at, at + 1))
            return false;
        settled = is_settled(p, &next, u, at, at + 1, &next.result);
    }
    if (!settled && depth < DEEPEST && pick_bit(p, &next, u, at, at + 1, &k, &bit)) {
        for (unsigned v = 0; v < 2; v++) {
            struct left one = next;
            one.word[k].known |= bit;
            one.word[k].value |= v ? bit : 0;
            if (search_sample(p, &one, u, at, depth + 1))
                return true;
        }
        return false;
    }
    return next.result && search_next(p, &next, at + 1);
}

/* The choices that give the same as the first. */
static uint64_t same_as_first(const struct computing *p, const struct sample *s, uint64_t choices)
{
    uint64_t first = chosen(p, s, (unsigned)__builtin_ctzll(choices)), same = 0;
    for (; choices; choices &= choices - 1)
        if (chosen(p, s, (unsigned)__builtin_ctzll(choices)) == first)
            same |= choices & -choices;
    return same;
}

/* Each argument that the target needs may still go in. */
static bool has_needed(const struct computing *p, const struct left *l)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < p->a->inner.nuse; i++)
        all |= l->choice[i];
    for (unsigned k = 0; k < p->a->target.nuse; k++)
        if (p->needs >> k & 1 && !(all >> k * ADAPT_CONVERSIONS & ((1u << ADAPT_CONVERSIONS) - 1)))
            return false;
    return true;
}

/* What the arguments from the i-th on are on the sample, every way. */
static bool search_choices(struct computing *p, const struct left *l, size_t at, unsigned i)
{
    const struct sample *s = &p->sample.data[at];
    if (is_over(p) || !has_needed(p, l))
        return false;
    if (i < p->a->inner.nuse) {
        for (uint64_t rest = l->choice[i], same; rest; rest &= ~same) {
            struct left next = *l;
            s = &p->sample.data[at];
            same = rest == CONSTANT ? CONSTANT : same_as_first(p, s, rest & ~CONSTANT);
            next.choice[i] = same;
            if (same == CONSTANT)
                next.constants |= 1u << p->a->inner.use[i];
            if (search_choices(p, &next, at, i + 1))
                return true;
        }
        return false;
    }
    struct left next = *l;
    const struct unknowns *u = unknowns_of(p, l->constants);
    for (unsigned k = 0; k < u->n; k++)
        if (u->is[k] == TERM_NONE)
            next.word[k] = partial_of(0, p->inner.gate.data[u->gate[k]].width);
    return search_sample(p, &next, u, at, 0);
}

static bool search_from(struct computing *p, const struct left *l, size_t at)
{
    if (at < p->sample.len)
        return search_choices(p, l, at, 0);
    struct left next = *l;
    return search_bits(p, &next, unknowns_of(p, l->constants));
}

/* Every result may come from the conversion. */
static bool can_convert(const struct computing *p, unsigned c)
{
    uint64_t mask = word_ones(p->a->compared.bits);
    for (size_t i = 0; i < p->sample.len; i++) {
        uint64_t x = p->sample.data[i].want;
        if ((converted(p, c, partial_of(x, p->a->width)).value ^ x) & mask)
            return false;
    }
    return true;
}

/* With each conversion of the result by itself: of more than one little can be said about constants. */
static bool search_all(struct computing *p, bool converts, bool converts_result)
{
    struct left all = {0};
    for (unsigned i = 0; i < p->a->inner.nuse; i++) {
        all.choice[i] = CONSTANT;
        for (unsigned c = 0; c < (converts ? ADAPT_CONVERSIONS : 1); c++)
            for (unsigned k = 0; is_there(p, c) && k < p->a->target.nuse; k++)
                all.choice[i] |= UINT64_C(1) << (k * ADAPT_CONVERSIONS + c);
    }
    p->candidates = 0;
    p->unsure = p->gone = false;
    for (unsigned c = 0; c < (converts_result ? ADAPT_CONVERSIONS : 1); c++) {
        all.result = (uint16_t)(1u << c);
        if (is_there(p, c) && can_convert(p, c) && search_from(p, &all, 0))
            return true;
    }
    return false;
}

/* ---- the question ---- */

static bool only_computes(struct adapt *a, const struct summary *s)
{
    struct terms *t = a->t;
    const struct behaviour *b = &s->is;
    return term_is_true(t, b->returns) && term_is_false(t, b->traps) && term_is_false(t, b->open) &&
           term_is_false(t, b->doubt) && term_is_false(t, b->asks) && !b->naccesses && !s->lost &&
           !s->partial && b->memory == a->target.memory && b->world == a->target.world;
}

static unsigned stage_of(const struct adapt *a, const struct adapter *d)
{
    uint32_t taken = 0;
    bool twice = a->inner.nuse < d->nargs, constant = false, converts = false;
    for (unsigned i = 0; i < a->inner.nuse; i++) {
        const struct adapt_value *v = &d->arg[a->inner.use[i]];
        constant = constant || !v->scale;
        converts = converts || v->conversion != ADAPT_AS_IS;
        twice = twice || taken >> v->arg & 1;
        taken |= v->scale ? 1u << v->arg : 0;
    }
    unsigned stage = converts ? STAGE_CONVERT : constant || twice ? STAGE_SUBSTITUTE : STAGE_PERMUTE;
    while (!(a->opt->families >> stage & 1))
        stage++;
    return stage;
}

static enum pure_outcome find(struct computing *p, unsigned last, struct adapter *out, unsigned *stage)
{
    struct adapt *a = p->a;
    bool converts = last == STAGE_CONVERT, result = a->opt->families & ADAPT_RETURN;
    p->forced = xcalloc(p->inner.gate.len, 1);
    make_samples(p);
    unsigned needed = (unsigned)__builtin_popcount(p->needs);
    if (needed > a->inner.nuse)
        return PURE_NONE;
    if (!search_all(p, converts, result))
        return p->unsure || p->gone ? PURE_UNSURE : PURE_NONE;
    *out = p->found;
    /* a simpler one, if there is */
    for (unsigned way = 0; way < (converts + 1u) * (result + 1u) - 1; way++)
        if (search_all(p, converts && way >> result & 1, result && way & 1)) {
            *out = p->found;
            break;
        }
    *stage = stage_of(a, out);
    return PURE_FOUND;
}

enum pure_outcome pure_search(struct adapt *a, unsigned last, unsigned hundredths, struct adapter *out, unsigned *stage)
{
    struct computing *p = NULL;
    enum pure_outcome outcome = PURE_UNSURE;
    if (last < STAGE_SUBSTITUTE || last > STAGE_CONVERT || a->opt->constant || a->given != TERM_NONE ||
        a->opt->modulo_faults || a->opt->enumerate || !a->compared.bits || a->compared.pair ||
        a->compared.vague || a->compared.truth || a->target.nuse > USES || a->inner.nuse > TAKES ||
        !only_computes(a, &a->target) || !only_computes(a, &a->inner))
        return outcome;
    p = xcalloc(1, sizeof *p);
    p->a = a;
    uint64_t left = a->opt->timeout_ms ? deadline_left(&a->until) : LONGEST_MS,
             most = left * hundredths / 100 + 1;
    p->until = deadline_in(most < LONGEST_MS ? most : LONGEST_MS);
    if (circuit_make(&p->target, a->t, a->target.is.result[0], a->target.arg, a->target.nargs) &&
        circuit_make(&p->inner, a->t, a->inner.is.result[0], a->inner.arg, a->inner.nargs))
        outcome = find(p, last, out, stage);
    a->out->tests = (uint32_t)p->sample.len;
    free(p->forced);
    circuit_free(&p->target);
    circuit_free(&p->inner);
    for (size_t i = 0; i < sizeof p->unknowns / sizeof *p->unknowns; i++)
        free(p->unknowns[i].instead);
    vec_free(&p->sample);
    free(p);
    return outcome;
}
