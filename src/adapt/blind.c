/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Most pairs of functions have nothing to do with each other, and a few runs on the interpreter show it: long
 * before either is explored.
 *
 * The target is run on some inputs. Memory is what the file has when it is loaded, and zeroes, short texts,
 * numbers or pointers elsewhere; every system call answers ENOSYS. In some tests the kernel does what it is
 * asked for, as far as that is known here, and variables that are 0 in the file have pointers in them. The
 * inner function is run on the same memory, but BLIND: which of the target's arguments each of its arguments
 * is, and how converted, is decided only where a run cannot go on without it, and then every way. A value is
 * known, or it has a SHADE that says what it is made of. Constants lie between two numbers, which come
 * together where they are compared (blind_shade.c); where a branch depends on a constant otherwise both ways
 * are followed.
 *
 * A run speaks against everything that was not decided when it makes another system call than the target,
 * returns something else or where the target traps, leaves other bytes in memory, traps, or touches a page
 * through its arguments that the target does not touch: with memory in which that page is missing it faults.
 * A constant that an access goes through, with nothing of the file or the stack added to it, has to lead to
 * one of the pages that the target touches, on every input; an argument of the target that makes a difference
 * has to be used. What is left is asked about the next input. When nothing is left, there is no adapter.
 * Whatever is not known (a callee in another file, an instruction without a concrete meaning, a store nobody
 * knows where) speaks against nothing.
 *
 * Both functions are of one file that may be loaded anywhere: no constant is an address of it. Where debug
 * information does not say what they take, they are given all words that they may take. */
#include <stdlib.h>
#include <string.h>

#include "adapt/blind.h"

enum {
    FEW_PAGES = 8,
    ALIKE = 16,
    EFFORTS = 4,
    ANSWERED = 12, /* from here on the kernel does what it is asked for, */
    CHANGED = 15,  /* and variables have something in them */
};

struct test_input {
    struct input in;
    struct side target;
};

/* Memory is accessed at a constant plus `offset`: in one of these pages of that test's target, a set. Empty:
 * nothing is known. */
struct pin {
    uint64_t pages, offset;
    uint8_t test;
    bool near; /* the offset is not exact */
};

/* What an argument of the inner function may be: bit ADAPT_CONVERSIONS * argument of the target + conversion;
 * OTHER, CONSTANT. */
typedef unsigned __int128 choices;
#define CONSTANT ((choices)1 << 127)
#define OTHER ((choices)1 << 126) /* made of an argument of the target that it was not given here */
_Static_assert(TESTS_MAX <= 64, "a set of tests fits in a word");
_Static_assert(ARGS *ADAPT_CONVERSIONS < 126, "choices, OTHER and CONSTANT fit in a word");

static unsigned first_of(choices c)
{
    uint64_t low = (uint64_t)c;
    return low ? (unsigned)__builtin_ctzll(low) : 64 + (unsigned)__builtin_ctzll((uint64_t)(c >> 64));
}

/* What is left of the adapters. */
struct cube {
    choices choice[ARGS];
    uint16_t result; /* conversions of the result */
    struct pin pin[ARGS];
    uint64_t low[ARGS], high[ARGS]; /* constants lie between these */
    struct alike {                  /* tests on which the inner function saw nothing but what it is given: */
        uint8_t test;
        uint16_t given; /* a set of arguments, besides constants */
    } alike[ALIKE];
    unsigned nalike;
};

struct blind {
    struct adapt *a;
    struct world *w;
    unsigned width; /* of a word */
    unsigned nargs[2];
    const struct flow_function *f[2];
    struct blind_words words[2];
    ir_label at; /* of the inner function */
    struct target target;
    unsigned bits;       /* of the result that are compared */
    unsigned float_bits; /* or of a floating-point result */
    bool arithmetic;
    bool others;       /* the target may take more arguments than it is given */
    bool endless;      /* the target never returns */
    bool all_given;    /* the inner function takes no more than it is given */
    bool narrow[ARGS]; /* of an argument of the inner function only the lower half counts */
    bool needs[ARGS];  /* an adapter has to use that argument of the target */
    struct test_input test[TESTS_MAX];
    unsigned ntests;
    uint8_t order[TESTS_MAX]; /* in which they are asked */
    uint64_t patience;   /* steps for one test, and what is asked about others while it is gone through */
    bool impatient;      /* that was not enough somewhere */
    uint64_t fork_until; /* steps of the world; not 0: branches on arguments go both ways */
    struct side inner;
    /* floating-point arguments of the inner function; of which no more is known than that: none */
    struct adapt_shape shape[2];
    uint8_t floats[ADAPT_FLOATS];
    uint64_t ways;                  /* to make them of the target's */
    bool needs_float[ADAPT_FLOATS]; /* one of them has to be that */
};

/* ---- what is compared when both have returned ---- */

/* A byte of a word that is an address of the frame is not compared: frames may lie otherwise. */
static bool compare_byte(struct run *r, struct side *target, uint64_t address)
{
    struct side *s = r->s;
    uint8_t x = 0, y = 0;
    shade of = blind_byte(s, address);
    if (is_unknown(blind_byte(target, address)) || blind_in_stack(s->w, blind_word(target, address)))
        return true;
    if (of & SHADE_ARGS || blind_hinges(r, of))
        return needs(r, of);
    if (is_unknown(of) || blind_in_stack(s->w, blind_word(s, address)))
        return true;
    concrete_read(target->c, 0, address, &x, 1);
    concrete_read(s->c, 0, address, &y, 1);
    return x == y || stop(r, END_REFUTED);
}

static uint64_t converted(const struct blind *b, unsigned conversion, uint64_t x)
{
    struct adapt_value v = {.conversion = (uint8_t)conversion, .scale = 1};
    return value_number(&v, b->width, &x);
}

static uint64_t chosen_value(const struct blind *b, const struct test_input *t, unsigned choice)
{
    return converted(b, choice % ADAPT_CONVERSIONS, t->in.arg[choice / ADAPT_CONVERSIONS]);
}

/* The choices among them that give the same as the first on this input. */
static choices same_choices(const struct blind *b, const struct test_input *t, choices all)
{
    choices rest = all & ~(CONSTANT | OTHER), same = 0;
    if (!rest)
        return all & OTHER ? OTHER : CONSTANT;
    uint64_t first = chosen_value(b, t, first_of(rest));
    for (; rest; rest &= rest - 1)
        if (chosen_value(b, t, first_of(rest)) == first)
            same |= rest & -rest;
    return same;
}

static bool are_known(const struct world *w, uint64_t x, shade of_x, uint64_t y, shade of_y)
{
    return !is_unknown(of_x) && !is_unknown(of_y) && !blind_in_stack(w, x) && !blind_in_stack(w, y);
}

static bool is_nan(unsigned bits, const uint64_t *x)
{
    const uint64_t infinite = bits == 128  ? UINT64_C(0x7fff) << 48
                              : bits == 64 ? UINT64_C(0x7ff) << 52
                                           : UINT64_C(0xff) << 23;
    uint64_t most = x[bits == 128] & word_ones(bits == 128 ? 63 : bits - 1);
    return most > infinite || (bits == 128 && most == infinite && x[0]);
}

struct floats {
    const uint64_t *word;
    unsigned bits;
    shade of;
};

/* Of the x87 unit 64 bits are known, if any. */
static struct floats floats_of(const struct blind *b, const struct side *s)
{
    if (b->float_bits == BLIND_X87)
        return (struct floats){&s->x87_result, 64, s->x87_shade};
    shade of = s->float_shade[0];
    return (struct floats){s->float_result, b->float_bits,
                           b->float_bits == 128 ? blind_mixed(of, s->float_shade[1]) : of};
}

/* Which of the numbers it is that are none is not compared. */
static bool same_floats(const struct floats *x, const struct floats *y)
{
    bool same = true;
    for (unsigned i = 0; i < (x->bits + 63) / 64; i++)
        same = same && ((x->word[i] ^ y->word[i]) & word_ones(x->bits < 64 ? x->bits : 64)) == 0;
    return same || (is_nan(x->bits, x->word) && is_nan(y->bits, y->word));
}

/* The target returns something else on another test. */
static bool return_differently(const struct blind *b, const struct side *x, const struct side *y)
{
    const struct floats xf = floats_of(b, x), yf = floats_of(b, y);
    if (b->float_bits)
        return !is_unknown(xf.of) && !is_unknown(yf.of) && !same_floats(&xf, &yf);
    return (x->result ^ y->result) & word_ones(b->bits) &&
           are_known(b->w, x->result, x->result_shade, y->result, y->result_shade);
}

/* The run saw nothing else that varies: it runs likewise on every test on which it is given the same. Those
 * that are not decided did not matter. False: it does, and the target returns something else. */
static bool may_be_alike(const struct blind *b, struct cube *left, unsigned test)
{
    const struct test_input *here = &b->test[test];
    struct alike now = {.test = (uint8_t)test};
    if (b->arithmetic) /* nothing is decided: what it is given may be anything */
        return true;
    for (unsigned k = 0; k < b->nargs[1]; k++) {
        choices all = left->choice[k];
        if (all == OTHER)
            return true;
        if (!(all & CONSTANT) && same_choices(b, here, all) == all)
            now.given |= (uint16_t)(1u << k);
    }
    for (unsigned i = 0; i < left->nalike; i++) {
        const struct alike *x = &left->alike[i];
        const struct test_input *there = &b->test[x->test];
        bool same = (x->given & ~now.given) == 0;
        for (unsigned k = 0; k < b->nargs[1] && same; k++)
            same = !(x->given >> k & 1) || chosen_value(b, here, first_of(left->choice[k])) ==
                                               chosen_value(b, there, first_of(left->choice[k]));
        if (same && return_differently(b, &here->target, &there->target))
            return false;
    }
    if (left->nalike < ALIKE)
        left->alike[left->nalike++] = now;
    return true;
}

/* Of a result that is known in part, or that nobody has written. */
static bool may_be_result(const struct blind *b, const struct side *s, uint64_t wanted, struct cube *left)
{
    static const uint8_t looks_at[ADAPT_CONVERSIONS] = {
        [ADAPT_AS_IS] = 64, [ADAPT_S32] = 32, [ADAPT_Z32] = 32,  [ADAPT_S16] = 16,    [ADAPT_Z16] = 16,
        [ADAPT_S8] = 8,     [ADAPT_Z8] = 8,   [ADAPT_BOOL] = 64, [ADAPT_BOOL32] = 32, [ADAPT_BOOL8] = 8};
    const shade *byte = &s->reg[b->w->m->ret];
    unsigned known = 0;
    if (byte[0] & SHADE_LEFT)
        return false;
    while (known < b->width && !is_unknown(byte[known / 8]))
        known += 8;
    const uint64_t low = s->result & word_ones(known);
    for (unsigned c = 0; c < ADAPT_CONVERSIONS; c++) {
        uint64_t mask = word_ones(b->bits);
        if (looks_at[c] > known && c < ADAPT_BOOL)
            mask &= word_ones(known);
        else if (looks_at[c] > known && !low)
            mask &= ~UINT64_C(1);
        if ((converted(b, c, low) ^ wanted) & mask)
            left->result &= (uint16_t)~(1u << c);
    }
    return left->result;
}

static bool compare_result(const struct blind *b, struct run *r, unsigned test, struct cube *left)
{
    const struct side *target = &b->test[test].target;
    if (!b->bits || b->arithmetic || is_unknown(target->result_shade) || blind_in_stack(b->w, target->result))
        return true;
    shade of = r->s->result_shade;
    if (of & SHADE_ARGS || blind_hinges(r, of))
        return needs(r, of);
    if (!is_unknown(of) && blind_in_stack(b->w, r->s->result))
        return true;
    uint64_t mask = word_ones(b->bits);
    if (is_unknown(of)) {
        uint64_t wanted = target->result & mask;
        if (!may_be_result(b, r->s, wanted, left))
            return stop(r, END_REFUTED);
        return r->s->varies || may_be_alike(b, left, test) || stop(r, END_REFUTED);
    }
    for (unsigned c = 0; c < ADAPT_CONVERSIONS; c++)
        if (left->result >> c & 1 && (converted(b, c, r->s->result) ^ target->result) & mask)
            left->result &= (uint16_t)~(1u << c);
    return left->result || stop(r, END_REFUTED);
}

/* Floating-point results are not adapted. */
static bool compare_floats(const struct blind *b, struct run *r, unsigned test, struct cube *left)
{
    const struct side *target = &b->test[test].target;
    const struct floats x = floats_of(b, target), y = floats_of(b, r->s);
    if (!b->float_bits || is_unknown(x.of))
        return true;
    if (y.of & SHADE_ARGS || blind_hinges(r, y.of))
        return needs(r, y.of);
    if (is_unknown(y.of))
        return r->s->varies || may_be_alike(b, left, test) || stop(r, END_REFUTED);
    return same_floats(&x, &y) || stop(r, END_REFUTED);
}

static bool compare_ends(struct blind *b, struct run *r, unsigned test, struct cube *left)
{
    struct side *s = r->s, *target = &b->test[test].target;
    if (s->nevents < target->nevents || target->trapped || b->endless)
        return stop(r, END_REFUTED);
    if (!target->whole)
        return true;
    for (unsigned side = 0; side < 2; side++) {
        struct side *x = side ? target : s;
        for (size_t i = 0; i < x->written.len; i++)
            if (!compare_byte(r, target, x->written.data[i]))
                return false;
    }
    return compare_floats(b, r, test, left) && compare_result(b, r, test, left);
}

/* ---- what the inner function is given ---- */

static shade constant_shade(const struct blind *b, const struct cube *left, unsigned k)
{
    if (left->low[k] == left->high[k])
        return SHADE_GIVEN;
    return of_base(k) | (b->narrow[k] ? (shade)SHADE_HALF : 0);
}

static void give_all(struct blind *b, const struct cube *left, const struct test_input *t)
{
    for (unsigned k = 0; k < b->nargs[1]; k++) {
        choices all = left->choice[k];
        uint64_t x = left->low[k];
        shade of = b->arithmetic || all == OTHER    ? SHADE_UNKNOWN | SHADE_GIVEN
                   : all == CONSTANT                ? constant_shade(b, left, k)
                   : same_choices(b, t, all) == all ? SHADE_GIVEN
                                                    : 1u << k | SHADE_GIVEN;
        if (all != CONSTANT && of == SHADE_GIVEN)
            x = chosen_value(b, t, first_of(all));
        blind_give(&b->inner, b->words[1].slot[k], x, of);
        if (all == CONSTANT && of == SHADE_GIVEN && b->narrow[k])
            blind_forget_half(&b->inner, b->words[1].slot[k]);
    }
}

/* ---- constants that are addresses ---- */

/* Of the pages that the pin allows, those from which the constant, plus this offset, also leads to a page of
 * y. */
static uint64_t pages_left(const struct blind *b, const struct pin *p, const struct side *y, uint64_t offset,
                           bool near)
{
    const struct side *x = &b->test[p->test].target;
    uint64_t left = 0, ones = word_ones(b->width), size = UINT64_C(1) << PAGE_BITS;
    size *= 1u + p->near + near;
    for (uint64_t rest = p->pages; rest; rest &= rest - 1) {
        uint64_t from = (x->page.data[__builtin_ctzll(rest)] << PAGE_BITS) - p->offset;
        for (size_t k = 0; k < y->page.len; k++)
            if (((from - (y->page.data[k] << PAGE_BITS) + offset + size - 1) & ones) < 2 * size - 1)
                left |= rest & -rest;
    }
    return left;
}

/* ---- what the target depends on ---- */

/* Whether the adapters that are left can still use every argument that an adapter has to use. */
static bool uses_needed(const struct blind *b, const struct cube *left)
{
    const choices any = ((choices)1 << ADAPT_CONVERSIONS) - 1;
    unsigned need = 0, have = 0;
    for (unsigned k = 0; k < b->nargs[1]; k++)
        have += (left->choice[k] & ~(CONSTANT | OTHER)) != 0;
    for (unsigned j = 0; j < b->nargs[0]; j++) {
        bool used = false;
        if (!b->needs[j])
            continue;
        for (unsigned k = 0; k < b->nargs[1]; k++)
            used = used || left->choice[k] >> j * ADAPT_CONVERSIONS & any;
        if (!used || ++need > have)
            return false;
    }
    return true;
}

/* ---- every way ---- */

static bool survives(struct blind *b, const struct cube *left, uint64_t done);
static bool survives_ways(struct blind *b, const struct cube *left, uint64_t done, unsigned test,
                          const struct ways *from);

/* What refutes some adapters refutes others, too: it is asked first from now on. */
static bool refuted_by(struct blind *b, unsigned test)
{
    unsigned i = 0;
    while (b->order[i] != test)
        i++;
    memmove(&b->order[1], &b->order[0], i * sizeof *b->order);
    b->order[0] = (uint8_t)test;
    return false;
}

/* The inner function accesses memory at constant k plus an offset: in a page of the target, one after the
 * other. */
static bool survives_in_pages(struct blind *b, const struct cube *left, uint64_t done, unsigned test,
                              const struct run *r)
{
    const struct side *here = &b->test[test].target;
    const uint64_t ones = word_ones(b->width), size = UINT64_C(1) << PAGE_BITS;
    for (size_t i = 0; i < here->page.len; i++) {
        uint64_t from = ((here->page.data[i] << PAGE_BITS) - r->value) & ones, to = (from + size - 1) & ones;
        for (unsigned part = 0; part < (from > to ? 2 : 1); part++) { /* it may go around */
            struct cube next = *left;
            uint64_t low = from > to && part ? 0 : from, high = from > to && !part ? ones : to;
            next.low[r->k] = low > left->low[r->k] ? low : left->low[r->k];
            next.high[r->k] = high < left->high[r->k] ? high : left->high[r->k];
            /* other tests mostly refute it at once; only if none does, it is worth asking this one again: in
             * that page little is known of what is read */
            if (next.low[r->k] <= next.high[r->k] && survives(b, &next, done | UINT64_C(1) << test) &&
                survives(b, &next, done))
                return true;
        }
    }
    return refuted_by(b, test);
}

/* What is left of the adapters after a run, asked about the other tests. *over: that was all of them, so that
 * it does not matter where other runs on this test go. */
static bool survives_others(struct blind *b, const struct cube *left, const struct cube *next, uint64_t done,
                            unsigned test, bool *over)
{
    if (survives(b, next, done | UINT64_C(1) << test))
        return true;
    *over = *over || memcmp(left, next, sizeof *left) == 0;
    return false;
}

/* The inner function accesses memory at constant k plus an offset. */
static bool survives_pin(struct blind *b, const struct cube *left, uint64_t done, unsigned test,
                         const struct run *r, bool *over)
{
    struct cube next = *left;
    const struct side *here = &b->test[test].target;
    struct pin *p = &next.pin[r->k];
    if (blind_knows_pages(r) && !r->near && here->page.len <= FEW_PAGES)
        return survives_in_pages(b, left, done, test, r);
    if (blind_knows_pages(r) && here->page.len <= 64) {
        if (!p->pages)
            *p = (struct pin){.test = (uint8_t)test,
                              .offset = r->value,
                              .pages = word_ones((unsigned)here->page.len),
                              .near = r->near};
        else
            p->pages = pages_left(b, p, here, r->value, r->near);
        if (!p->pages)
            return refuted_by(b, test);
    }
    return survives_others(b, left, &next, done, test, over);
}

/* Mostly it does not matter what an argument is that a branch depends on: what comes behind it, either way,
 * speaks against all that is left. That is tried first, for a while: else every way to give one argument is
 * gone through with every way to give another. */
static bool is_refuted_either_way(struct blind *b, const struct cube *left, uint64_t done, unsigned test,
                                  const struct run *r)
{
    enum { LEAST = 1000, RUNS = 8 };
    if (!r->early)
        return false;
    b->fork_until = b->w->steps + LEAST + RUNS * r->steps;
    bool refuted = !survives_ways(b, left, done, test, &r->ways);
    b->fork_until = 0;
    return refuted;
}

/* A part of what is left, on the same test: what goes another way than this run is asked about by itself. */
static bool survives_part(struct blind *b, const struct cube *part, uint64_t done, unsigned test,
                          const struct run *r)
{
    if (!b->fork_until && !r->ways.n)
        return survives(b, part, done);
    return uses_needed(b, part) && survives_ways(b, part, done, test, &r->ways);
}

/* Some of the adapters may agree with the target, in a run that goes these ways, and on the tests that are
 * not done. *over: where it goes is all the same. */
static bool survives_run(struct blind *b, const struct cube *left, uint64_t done, unsigned test,
                         struct run *r, bool *over)
{
    struct cube next = *left;
    struct test_input *t = &b->test[test];
    b->inner.scene = t->target.scene;
    blind_enter(&b->inner);
    give_all(b, left, t);
    if (blind_run(r, b->at))
        compare_ends(b, r, test, &next);
    switch (r->end) {
    case END_REFUTED:
        return refuted_by(b, test);
    case END_TRAP: /* the target does not, or not yet */
        if (t->target.whole || b->inner.nevents < t->target.nevents)
            return refuted_by(b, test);
        break;
    case END_NEED:
        if (is_refuted_either_way(b, left, done, test, r))
            return false;
        next = *left;
        for (choices rest = left->choice[r->k], same; rest; rest &= ~same) {
            same = same_choices(b, t, rest);
            next.choice[r->k] = same;
            if (survives_part(b, &next, done, test, r))
                return true;
        }
        return false;
    case END_PIN:
        return survives_pin(b, left, done, test, r, over);
    case END_FIX:
        next.low[r->k] = next.high[r->k] = r->value;
        return survives(b, &next, done);
    case END_SPLIT:
        next = *left;
        next.high[r->k] = r->value - 1;
        if (survives_part(b, &next, done, test, r))
            return true;
        next = *left;
        next.low[r->k] = r->value;
        return survives_part(b, &next, done, test, r);
    case END_RETURN:
    case END_CUT:
        break;
    }
    if (b->fork_until && memcmp(left, &next, sizeof next) == 0)
        return true;
    return survives_others(b, left, &next, done, test, over);
}

/* ... in a run that begins like that and then goes any way. */
static bool survives_ways(struct blind *b, const struct cube *left, uint64_t done, unsigned test,
                          const struct ways *from)
{
    struct run r = {.s = &b->inner,
                    .like = &b->test[test].target,
                    .ways = *from,
                    .forks = b->fork_until,
                    .low = left->low,
                    .high = left->high};
    const uint64_t begun = b->w->steps;
    for (bool over = false;;) {
        if (b->w->steps > b->w->steps_max || deadline_over(&b->a->until)) {
            b->impatient = true;
            return true;
        }
        if (b->fork_until && b->w->steps > b->fork_until)
            return true;
        if (!b->fork_until && b->w->steps - begun > b->patience) { /* another may say it sooner */
            b->impatient = true;
            return survives(b, left, done | UINT64_C(1) << test);
        }
        r.met = r.nhinges = 0;
        r.steps = 0;
        r.early = false;
        if (survives_run(b, left, done, test, &r, &over))
            return true;
        while (r.ways.n > from->n && r.ways.taken[r.ways.n - 1])
            r.ways.n--;
        if (over || r.ways.n == from->n)
            return false;
        r.ways.taken[r.ways.n - 1] = true;
    }
}

bool blind_says_something(const struct side *target)
{
    return target->whole || target->trapped || target->nevents;
}

static bool survives(struct blind *b, const struct cube *left, uint64_t done)
{
    if (!uses_needed(b, left))
        return false;
    for (unsigned i = 0; i < b->ntests; i++) {
        unsigned test = b->order[i];
        if (!(done >> test & 1) && (b->endless || blind_says_something(&b->test[test].target)))
            return survives_ways(b, left, done, test, &(struct ways){0});
    }
    return true;
}

/* ---- the question ---- */

static struct narrow as_given(const struct object_type_info *t)
{
    if (t->kind == TYPE_BOOL)
        return (struct narrow){.bits = 1};
    return t->size < 4 ? (struct narrow){.bits = (uint8_t)(t->size * 8), .sign = t->is_signed}
                       : (struct narrow){0};
}

/* False: it is no function of C. */
static bool takes_words(struct blind *b, unsigned side, const struct adapt_code *c)
{
    struct blind_words *x = &b->words[side];
    ir_label *const at = side ? &b->at : &b->target.at;
    if (c->fragment || c->f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_PART) || !blind_start(b->w, c->f, at))
        return false;
    struct adapt_code run = *c;
    if (adapt_is_chosen(c))
        run.f = guest_function(&b->w->guest, *at);
    if (!side && adapt_is_chosen(c) && (!run.f || modes_narrow(&run)))
        return false;
    blind_words(c, x);
    if (!side && !x->known && !adapt_is_chosen(c) &&
        modes_narrow(c)) /* which register it is in is not known */
        return false;
    b->f[side] = c->f;
    b->nargs[side] = x->n;
    for (unsigned i = 0; i < x->n; i++)
        if (side)
            b->narrow[i] = b->width == 64 && x->type[i] && x->type[i]->size <= 4;
        else if (x->type[i])
            b->target.narrow[i] = as_given(x->type[i]);
    if (side) {
        b->float_bits = b->float_bits == x->float_bits ? x->float_bits : 0;
        b->all_given = x->all;
        return true;
    }
    b->bits = x->bits;
    b->float_bits = x->float_bits;
    b->target.a = b->a;
    b->target.f = c->f;
    b->target.nargs = x->n;
    b->target.bits = x->bits;
    b->target.variadic = x->variadic;
    b->target.words = x;
    b->others = !x->variadic && !x->all;
    return true;
}

/* Pointers lead to places of their own, far from each other and, where there is room, from those of the other
 * tests. */
uint64_t blind_place(const struct world *w, unsigned test, unsigned i)
{
    return w->m->pointer_width == 64 ? UINT64_C(0x1000000000) * (test + 1) + 0x100000 * (i + 1)
                                     : UINT64_C(0x10000000) * (test % 4 + 1) + 0x100000 * (i + 1);
}

/* Pointers, at the beginning of a page and elsewhere; numbers; both. */
static void make_arguments(const struct blind *b, unsigned n, uint64_t *arg)
{
    /* a bit for each argument that is a pointer */
    static const uint8_t pointers[TESTS] = {0xff, 0xff, 0xb6, 0x6d, 0,    0,    0xff, 0x49, 0,    0x92, 0xff,
                                            0xdb, 0xff, 0x03, 0x01, 0x36, 0xff, 0x07, 0x05, 0x3b, 0xff, 0x6f};
    static const uint8_t sizes[] = {4, 8, 16, 1, 2, 3};
    for (unsigned i = 0; i < ARGS; i++) {
        uint64_t place = blind_place(b->w, n, i) + (n % 2 ? (n * 5 + i * 3) % 15 * 0x70 + 0x70 : 0);
        uint64_t number = n < ANSWERED ? n + i + 1 : sizes[(n + i) % sizeof sizes];
        arg[i] = n == 4 ? 0 : n == 5 ? word_ones(b->width) : pointers[n] >> i % 8 & 1 ? place : number;
    }
}

/* Memory that the target is said to have counts as touched. False: that is too much. */
static bool add_regions(const struct target *t, const struct input *x, struct side *s)
{
    const struct adapt_options *opt = t->a->opt;
    for (size_t i = 0; i < opt->nregions; i++) {
        const struct adapt_region *g = &opt->region[i];
        unsigned arg = 0;
        while (arg < t->nargs && t->words->slot[arg] != g->arg)
            arg++;
        if (arg == t->nargs)
            continue;
        uint64_t first = x->arg[arg] >> PAGE_BITS, last = (x->arg[arg] + g->size - 1) >> PAGE_BITS;
        if (last - first >= 16)
            return false;
        for (uint64_t p = first; p <= last; p++)
            vec_push(&s->page, p);
    }
    return true;
}

void blind_extend(const struct target *t, struct input *x)
{
    for (unsigned i = 0; i < t->nargs; i++) {
        const struct narrow *n = &t->narrow[i];
        uint64_t sign = n->sign ? UINT64_C(1) << (n->bits - 1) : 0;
        if (n->bits)
            x->arg[i] = (uint32_t)(((x->arg[i] & word_ones(n->bits)) ^ sign) - sign);
    }
}

void blind_target(struct side *s, const struct target *t, const struct input *x, struct watch *watch)
{
    struct run r = {.s = s, .watch = watch, .target = t, .in = x};
    s->scene = x->scene;
    blind_enter(s);
    for (unsigned i = 0; i < t->nargs; i++)
        blind_give(s, t->words->slot[i], x->arg[i], SHADE_GIVEN);
    /* a caller that passes no floats to a variadic function says so there */
    if (t->variadic && s->w->m->arch == MACHINE_AMD64)
        blind_clear_result(s);
    blind_run(&r, t->at);
    s->trapped = r.end == END_TRAP;
    if (!add_regions(t, x, s)) {
        s->whole = s->trapped = false;
        s->nevents = 0;
    }
}

/* The n-th of the inputs that every target is run on. */
static void make_input(const struct blind *b, unsigned n, struct input *x)
{
    enum {
        Z = CONTENT_ZEROES,
        T = CONTENT_TEXTS,
        P = CONTENT_POINTERS,
        N = CONTENT_NUMBERS,
        M = CONTENT_MIXED
    };
    static const uint8_t content[TESTS] = {Z, T, Z, P, Z, Z, P, T, Z, T, P, T, Z, T, N, P, N, Z, T, P, M, M};
    *x = (struct input){.scene = {.content = content[n],
                                  .seed = n,
                                  .returns = n >= 10 && n < 18,
                                  .answers = n >= ANSWERED,
                                  .changed = n >= CHANGED}};
    make_arguments(b, n, x->arg);
    blind_long_doubles(&b->words[0], n, x->arg);
}

static void run_test(struct blind *b, struct test_input *t)
{
    b->w->steps = 0;
    blind_extend(&b->target, &t->in);
    blind_target(&t->target, &b->target, &t->in, NULL);
}

static bool ask_differently(const struct side *x, const struct side *y)
{
    const struct world *w = x->w;
    for (unsigned n = 0; n < x->nevents && n < y->nevents; n++) {
        if (x->event[n].call != y->event[n].call || x->event[n].nr != y->event[n].nr)
            return true;
        for (unsigned i = 0; i < w->m->nsyscall_args; i++)
            if (x->event[n].looks & y->event[n].looks & 1u << i && x->event[n].arg[i] != y->event[n].arg[i] &&
                are_known(w, x->event[n].arg[i], x->event[n].shade[i], y->event[n].arg[i],
                          y->event[n].shade[i]))
                return true;
    }
    return ((x->whole || x->trapped) && y->nevents > x->nevents) ||
           ((y->whole || y->trapped) && x->nevents > y->nevents);
}

bool blind_look_different(const struct target *t, struct side *x, struct side *y)
{
    if (ask_differently(x, y) || (x->whole && y->trapped) || (x->trapped && y->whole))
        return true;
    if (!x->whole || !y->whole)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        const struct side *from = side ? y : x;
        for (size_t i = 0; i < from->written.len; i++) {
            uint64_t at = from->written.data[i];
            uint8_t one = 0, other = 0;
            concrete_read(x->c, 0, at, &one, 1);
            concrete_read(y->c, 0, at, &other, 1);
            if (one != other &&
                are_known(x->w, blind_word(x, at), blind_byte(x, at), blind_word(y, at), blind_byte(y, at)))
                return true;
        }
    }
    return t->bits && (x->result ^ y->result) & word_ones(t->bits) &&
           are_known(x->w, x->result, x->result_shade, y->result, y->result_shade);
}

/* All that the inner function is given can be told apart by which arguments of the target are used. */
static bool may_need(const struct blind *b)
{
    return !b->arithmetic && b->all_given;
}

/* Two inputs that differ in one argument of the target alone show that an adapter has to use it: whatever it
 * makes of the others is the same on both, and so is all that the inner function does. */
static void find_needed(struct blind *b, const uint8_t *like, unsigned n)
{
    struct test_input other;
    if (!may_need(b))
        return;
    blind_open(&other.target, b->w);
    for (unsigned j = 0; j < b->nargs[0]; j++)
        for (unsigned i = 0; i < n && !b->needs[j] && !deadline_over(&b->a->until); i++) {
            struct test_input *x = &b->test[like[i]];
            other.in = x->in;
            other.in.arg[j] += other.in.arg[j] >> PAGE_BITS ? 0x40003 : 3;
            run_test(b, &other);
            b->needs[j] = blind_look_different(&b->target, &x->target, &other.target);
        }
    blind_close(&other.target);
}

static struct cube all_adapters(const struct blind *b)
{
    unsigned families = b->a->opt->families;
    bool converts = families & (ADAPT_CONVERT | ADAPT_ARITHMETIC);
    struct cube all = {.result = families & ADAPT_RETURN ? (1u << ADAPT_CONVERSIONS) - 1 : 1u << ADAPT_AS_IS};
    for (unsigned k = 0; k < b->nargs[1]; k++) {
        all.choice[k] = CONSTANT | (b->others ? OTHER : 0);
        all.high[k] = word_ones(b->narrow[k] ? 32 : b->width);
        for (unsigned j = 0; j < b->nargs[0]; j++)
            all.choice[k] |= (converts ? ((choices)1 << ADAPT_CONVERSIONS) - 1 : (choices)1 << ADAPT_AS_IS)
                             << j * ADAPT_CONVERSIONS;
    }
    return all;
}

static void add_test(struct blind *b, const struct input *x)
{
    struct test_input *t = &b->test[b->ntests];
    t->in = *x;
    blind_open(&t->target, b->w);
    run_test(b, t);
    memmove(&b->order[1], &b->order[0], b->ntests * sizeof *b->order);
    b->order[0] = (uint8_t)b->ntests++;
}

static bool any_returns(const struct blind *b)
{
    for (unsigned i = 0; i < b->ntests; i++)
        if (b->test[i].target.whole)
            return true;
    return false;
}

static void add_grown(struct blind *b)
{
    struct inputs *x = &b->w->grown;
    if (x->f != b->f[0]) {
        *x = (struct inputs){.f = b->f[0], .n = b->ntests};
        for (unsigned i = 0; i < b->ntests; i++)
            x->input[i] = b->test[i].in;
        blind_grow(x, b->w, &b->target, &b->a->until);
    }
    for (unsigned i = b->ntests; i < x->n; i++)
        add_test(b, &x->input[i]);
    for (unsigned j = 0; j < b->nargs[0] && may_need(b); j++)
        b->needs[j] = b->needs[j] || x->needs[j];
    uint8_t newest[8];
    unsigned n = 0;
    for (unsigned i = b->ntests; i-- > TESTS && n < sizeof newest;)
        newest[n++] = (uint8_t)i;
    find_needed(b, newest, n);
}

/* What a test says at length is asked only when no other says it quickly; `efforts` says how often. */
static bool is_refuted(struct blind *b, unsigned efforts)
{
    static const struct {
        uint64_t patience, all;
    } effort[EFFORTS] = {{5000, 500000}, {50000, 2000000}, {400000, 6000000}, {UINT64_MAX, 20000000}};
    const struct cube all = all_adapters(b);
    for (unsigned i = 0; i < efforts; i++) {
        b->w->steps = 0;
        b->w->steps_max = effort[i].all;
        b->patience = effort[i].patience;
        b->impatient = false;
        if (!survives(b, &all, 0))
            return true;
        if (!b->impatient)
            break;
    }
    b->w->steps_max = UINT64_MAX;
    return false;
}

/* What argument i may be: one of as many bits, or a constant. */
static unsigned float_choices(const struct blind *b, unsigned i, uint8_t *out)
{
    unsigned n = 0;
    for (unsigned k = 0; k < b->shape[0].floats; k++)
        if (b->shape[0].float_bits[k] == b->shape[1].float_bits[i])
            out[n++] = (uint8_t)k;
    out[n++] = ADAPT_FLOATS;
    return n;
}

static void count_ways(struct blind *b, const struct adapt_code *target, const struct adapt_code *inner)
{
    uint8_t choice[ADAPT_FLOATS + 1];
    b->ways = 1;
    if (!modes_shape(target, &b->shape[0]) || !modes_shape(inner, &b->shape[1])) {
        b->shape[0].floats = b->shape[1].floats = 0;
        return;
    }
    for (unsigned i = 0; i < b->shape[1].floats; i++)
        b->ways *= float_choices(b, i, choice);
}

static bool uses_needed_floats(const struct blind *b)
{
    for (unsigned j = 0; j < b->shape[0].floats; j++) {
        bool used = !b->needs_float[j];
        for (unsigned i = 0; i < b->shape[1].floats; i++)
            used = used || b->floats[i] == j;
        if (!used)
            return false;
    }
    return true;
}

/* As find_needed. */
static void find_needed_floats(struct blind *b, const uint8_t *like, unsigned n)
{
    enum { OTHERS = 11 }; /* all that there are */
    struct test_input other;
    if (!b->shape[0].floats)
        return;
    blind_open(&other.target, b->w);
    for (unsigned j = 0; j < b->shape[0].floats; j++)
        for (unsigned i = 0; i < n * OTHERS && !b->needs_float[j] && !deadline_over(&b->a->until); i++) {
            struct test_input *x = &b->test[like[i / OTHERS]];
            other.in = x->in;
            other.in.scene.turned = (uint8_t)j;
            other.in.scene.by = (uint8_t)(1 + i % OTHERS);
            run_test(b, &other);
            b->needs_float[j] =
                blind_look_different(&b->target, &x->target, &other.target) ||
                (x->target.whole && other.target.whole && return_differently(b, &x->target, &other.target));
        }
    blind_close(&other.target);
}

/* Whatever it is given of floating-point numbers. */
static bool is_refuted_every_way(struct blind *b, unsigned efforts)
{
    enum { MOST = 9 };
    for (uint64_t way = 0; way < b->ways; way++) {
        uint8_t choice[ADAPT_FLOATS + 1];
        uint64_t rest = way;
        for (unsigned i = 0; i < b->shape[1].floats; i++) {
            unsigned n = float_choices(b, i, choice);
            b->floats[i] = choice[rest % n];
            rest /= n;
        }
        if (b->ways > MOST || (uses_needed_floats(b) && !is_refuted(b, efforts)))
            return false;
    }
    return true;
}

static bool never_returns(const struct adapt_code *c)
{
    return !adapt_is_chosen(c) && flow_graph(c->p, c->f)->noreturn;
}

/* The target does in some test, from the first of them on, what the inner function never can. */
static bool can_do_less(struct blind *b, unsigned first)
{
    const struct flow_function *inner = guest_function(&b->w->guest, b->at);
    const struct blind_effects *e = inner ? blind_effects(b->w, inner) : NULL;
    for (unsigned i = first; e && i < b->ntests; i++)
        if (blind_does_more(&b->test[i].target, e))
            return true;
    return false;
}

bool blind_refutes(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner)
{
    const struct adapt_options *opt = a->opt;
    enum object_type type = object_info(program_object(target->p))->type;
    if (target->p != inner->p || (type != OBJECT_SHARED && type != OBJECT_PIE) || opt->enumerate ||
        opt->modulo_faults || opt->truth || (opt->assume && *opt->assume) ||
        program_machine(target->p)->big_endian)
        return false;
    struct blind *b = xcalloc(1, sizeof *b);
    b->a = a;
    b->width = a->width;
    b->arithmetic = opt->families & ADAPT_ARITHMETIC;
    if (!a->world || a->world->p != target->p) {
        if (a->world)
            blind_world_free(a->world);
        a->world = blind_world(target->p);
    }
    b->w = a->world;
    b->w->steps_max = UINT64_MAX;
    if (!takes_words(b, 0, target) || !takes_words(b, 1, inner)) {
        free(b);
        return false;
    }
    b->endless = never_returns(target);
    blind_open(&b->inner, b->w);
    count_ways(b, target, inner);
    for (unsigned i = 0; i < ADAPT_FLOATS; i++)
        b->floats[i] = (uint8_t)i;
    b->inner.floats = b->floats;
    for (unsigned i = 0; i < TESTS; i++) {
        struct input x;
        make_input(b, i, &x);
        add_test(b, &x);
    }
    static const uint8_t some[] = {1, 10, 8, 7, 14, 16};
    find_needed(b, some, sizeof some);
    find_needed_floats(b, some, sizeof some);
    bool refuted =
        (never_returns(inner) && any_returns(b)) || can_do_less(b, 0) || is_refuted_every_way(b, 2);
    if (!refuted) {
        add_grown(b);
        refuted = can_do_less(b, TESTS) || is_refuted_every_way(b, EFFORTS);
    }
    for (unsigned i = 0; i < b->ntests; i++)
        blind_close(&b->test[i].target);
    blind_close(&b->inner);
    free(b);
    return refuted;
}
