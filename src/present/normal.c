/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/normal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/origin.h"
#include "match/match.h"

enum { COMPLEXITY_MAX = 300 };

void normal_free(struct normaliser *n)
{
    map_free(&n->done);
    map_free(&n->after);
    map_free(&n->divided);
    map_free(&n->truth);
}

void normal_name(struct normaliser *n, term result, expr call)
{
    /* How large a new object is depends on the processor. */
    static const char *const makes[] = {"malloc", "calloc", "realloc"};
    for (unsigned i = 0; i < sizeof makes / sizeof *makes; i++)
        if (expr_name(n->e, call) && strcmp(expr_name(n->e, call), makes[i]) == 0)
            call = expr_call(n->e, makes[i], NULL, 0);
    /* A result as wide as it is declared is the low part of one as wide as a register. */
    while (term_kind(n->t, result) == OP_EXTRACT) {
        map_set(&n->done, result, call);
        result = term_kid(n->t, result, 0);
    }
    if (term_kind(n->t, result) == TERM_APPLY)
        map_set(&n->done, result, call);
}

void normal_divided(struct normaliser *n, term token, expr remainder, bool two_words)
{
    map_set(&n->divided, token, remainder | (uint64_t)two_words << 32);
}

/* ---- names ---- */

/* Without what compilers and linkers append: .123, .isra.0, @GLIBC_2.2. */
static expr symbol(struct normaliser *n, const char *name)
{
    char plain[256];
    size_t len = strcspn(name, "@"), stem = name_stem(name);
    len = stem < len ? stem : len;
    for (size_t i = 1; i < len; i++)
        if (name[i] == '.' && isdigit((unsigned char)name[i + 1]))
            len = i;
    snprintf(plain, sizeof plain, "%.*s", (int)(len < sizeof plain ? len : sizeof plain - 1), name);
    return expr_leaf(n->e, EXPR_SYMBOL, plain, 0);
}

static expr string(struct normaliser *n, const char *s, size_t len)
{
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), s);
    return expr_leaf(n->e, EXPR_STRING, text, 0);
}

/* An address of the program. EXPR_NONE when it is only a number. */
static expr data_address(struct normaliser *n, uint64_t value)
{
    enum { LEAST = 0x1000, MOST = 1 << 28 }; /* a program is no larger */
    const struct object *o = program_object(n->p);
    uint64_t address = value - n->bias;
    bool moves = object_info(o)->type != OBJECT_EXECUTABLE, surely = n->bias && value - n->bias < MOST;
    if (!surely)
        address = value;
    /* In position-independent code only what was computed from the program counter is an address. */
    if ((moves && n->bias && !surely) || (!surely && value < LEAST))
        return EXPR_NONE;
    size_t len;
    const char *s = object_string(o, address, &len);
    const struct flow_function *f = program_function_at(n->p, address);
    if (f)
        return f->named ? symbol(n, f->name) : expr_leaf(n->e, EXPR_SYMBOL, "?", 0);
    if (s && len > 0)
        return string(n, s, len);
    char text[256];
    const char *known = program_describe(n->p, address, text, sizeof text);
    if (!known)
        return surely ? expr_leaf(n->e, EXPR_SYMBOL, "?", 0) : EXPR_NONE;
    const char *plus = strrchr(known, '+');
    if (!plus)
        return symbol(n, known);
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(plus - known), known);
    return expr_op(n->e, OP_ADD,
                   (expr[]){symbol(n, name), expr_const(n->e, (int64_t)strtoull(plus + 1, NULL, 0))}, 2);
}

static expr global_address(struct normaliser *n, const char *name, uint64_t offset)
{
    size_t len;
    const char *s = n->m ? bitcode_string(n->m, name, offset, &len) : NULL;
    if (s && len > 0)
        return string(n, s, len);
    expr base = symbol(n, name);
    return offset ? expr_op(n->e, OP_ADD, (expr[]){base, expr_const(n->e, (int64_t)offset)}, 2) : base;
}

/* Inputs are counted as calling conventions do: integers and pointers apart from floats. */
static expr bitcode_argument(struct normaliser *n, const struct term_origin *from)
{
    int64_t ints = 0, floats = 0;
    uint32_t member = from->part ? from->part - 1u : 0, at = 0;
    for (uint32_t i = 0; i < n->code->ninputs; i++) {
        const struct bitcode_input *in = &n->code->input[i];
        bool is_float = in->is_float;
        if (in->argument == from->index && at++ == member)
            return expr_leaf(n->e, is_float ? EXPR_FARG : EXPR_ARG, NULL, is_float ? floats : ints);
        *(is_float ? &floats : &ints) += 1;
    }
    return expr_leaf(n->e, EXPR_OTHER, "argument", 0);
}

static bool is_register_at(const struct ir_machine *m, unsigned offset, const char *name)
{
    for (unsigned i = 0; i < m->nreg; i++)
        if (m->reg[i].offset == offset && strcmp(m->reg[i].name, name) == 0)
            return true;
    return false;
}

static expr variable(struct normaliser *n, term x)
{
    struct term_origin from = term_origin(n->t, x);
    const struct ir_machine *m = n->machine;
    switch (from.kind) {
    case ORIGIN_SP:
    case ORIGIN_CALLER:
        return expr_leaf(n->e, EXPR_LOCAL, NULL, 0);
    case ORIGIN_ADDRESS:
        return global_address(n, from.name, 0);
    case ORIGIN_ARGUMENT:
        return n->m ? bitcode_argument(n, &from) : expr_leaf(n->e, EXPR_ARG, NULL, from.index);
    case ORIGIN_REGISTER:
        for (unsigned i = 0; i < m->nfargs && from.name; i++)
            if (is_register_at(m, m->farg[i], from.name))
                return expr_leaf(n->e, EXPR_FARG, NULL, i);
        break;
    }
    return expr_leaf(n->e, EXPR_OTHER, term_name(n->t, x), 0);
}

/* ---- operators ---- */

static expr constant(struct normaliser *n, term x)
{
    struct bits v;
    unsigned width = term_width(n->t, x);
    term_const_value(n->t, x, &v);
    if (n->p && width == n->machine->pointer_width) {
        expr e = data_address(n, bits_low(v));
        if (e != EXPR_NONE)
            return e;
    }
    int64_t value = (int64_t)bits_low(width < 64 && width > 1 ? bits_sext(v, width, 64) : v);
    /* A negative int in a register of 64 bits. */
    if (width == 64 && (uint64_t)value >> 31 == 1)
        value = (int32_t)(uint32_t)value;
    return expr_const(n->e, value);
}

/* Unsigned comparisons of a byte or of two bytes as they lie in memory. Compared as ints they have zeros
 * above them, and so has the number. x + 55 < 56 is how compilers write x < 1 || x > 200. */
static expr compared_unsigned(struct normaliser *n, term x, const expr *kid)
{
    enum op op = (enum op)term_kind(n->t, x);
    term k[] = {term_kid(n->t, x, 0), term_kid(n->t, x, 1)}, base;
    unsigned width = term_width(n->t, k[0]);
    expr side[] = {kid[0], kid[1]};
    struct bits v;
    uint64_t offset;
    if (width != 8 && width != 16)
        return expr_op(n->e, op, side, 2);
    for (unsigned i = 0; i < 2; i++)
        if (term_const_value(n->t, k[i], &v))
            side[i] = expr_const(n->e, (int64_t)bits_low(v));
    term_split(n->t, k[0], &base, &offset);
    if (base == TERM_NONE || base == k[0] || expr_kind(n->e, side[1]) != EXPR_CONST)
        return expr_op(n->e, op, side, 2);
    int64_t all = INT64_C(1) << width, lo = all - (int64_t)offset,
            hi = lo + expr_value(n->e, side[1]) + (op == OP_ULE);
    bool round = hi > all;
    int64_t from = round ? hi - all : lo, to = round ? lo : hi;
    expr sum[] = {normal_of(n, base), expr_const(n->e, -from)};
    expr within[] = {expr_op(n->e, OP_ADD, sum, 2), expr_const(n->e, to - from)};
    expr r = expr_op(n->e, OP_ULT, within, 2);
    return round ? expr_op(n->e, OP_NOT, &r, 1) : r;
}

/* Where a local lies is the compiler's business. */
static expr without_offset(struct normaliser *n, expr x)
{
    if (expr_kind(n->e, x) != EXPR_OP || expr_value(n->e, x) != OP_ADD)
        return x;
    unsigned k = expr_nkids(n->e, x);
    bool local = false;
    for (unsigned i = 0; i < k; i++)
        local = local || expr_kind(n->e, expr_kid(n->e, x, i)) == EXPR_LOCAL;
    if (!local || expr_kind(n->e, expr_kid(n->e, x, k - 1)) != EXPR_CONST)
        return x;
    VEC(expr) kid = VEC_INIT;
    for (unsigned i = 0; i + 1 < k; i++)
        vec_push(&kid, expr_kid(n->e, x, i));
    expr r = expr_op(n->e, OP_ADD, kid.data, (unsigned)kid.len);
    vec_free(&kid);
    return r;
}

/* What a call left in the register that floats are returned in is what it returned; a division leaves the
 * remainder, too. EXPR_NONE when x is no such thing. Where that is two words, the upper one is only part of
 * it.
 */
static expr left_by_call(struct normaliser *n, term x)
{
    struct term_origin left = term_origin(n->t, x);
    const struct ir_machine *m = n->machine;
    uint64_t call;
    if (left.kind != ORIGIN_CLOBBERED || left.part > ORIGIN_CLOBBERED_PART || !left.name || m->nfargs == 0)
        return EXPR_NONE;
    bool starts = left.part == ORIGIN_CLOBBERED_START;
    if (map_get(&n->divided, term_kid(n->t, x, 0), &call)) {
        bool two = call >> 32;
        if (starts && strcmp(left.name, two ? "r2" : "r1") == 0)
            return (expr)call;
        return two && starts && (strcmp(left.name, "r1") == 0 || strcmp(left.name, "r3") == 0)
                   ? expr_leaf(n->e, EXPR_OTHER, "upper", 0)
                   : EXPR_NONE;
    }
    if (!map_get(&n->after, term_kid(n->t, x, 0), &call))
        return EXPR_NONE;
    if (!is_register_at(m, m->farg[0], left.name))
        return EXPR_NONE;
    return starts ? (expr)call : expr_leaf(n->e, EXPR_OTHER, "upper", 0);
}

/* What is called in an unknown function that no event has named. */
static expr application(struct normaliser *n, term x, const expr *kid, unsigned nkids)
{
    bool result = origin_is(n->t, x, ORIGIN_RESULT);
    const char *name = result ? term_origin(n->t, x).name : term_name(n->t, x);
    char plain[256];
    VEC(expr) arg = VEC_INIT;
    for (unsigned i = 0; i < nkids; i++) {
        term k = term_kid(n->t, x, i);
        bool world = origin_is(n->t, k, ORIGIN_WORLD) || origin_is(n->t, k, ORIGIN_WORLD_AFTER);
        if (!term_is_array(n->t, k) && !world)
            vec_push(&arg, kid[i]);
    }
    snprintf(plain, sizeof plain, "%s", name ? name : "*");
    plain[strcspn(plain, "/")] = 0;
    expr r = expr_call(n->e, plain, arg.data, (unsigned)arg.len);
    vec_free(&arg);
    return r;
}

/* A value with zeros put above it. That matters where something was cut off before: what was computed may
 * have been longer. An argument or a result that is narrower than a register has no such part. */
static expr extended(struct normaliser *n, term narrow, expr e)
{
    unsigned width = term_width(n->t, narrow);
    if (width == 1)
        return normal_truth(n, narrow);
    bool cut = term_kind(n->t, narrow) == OP_EXTRACT && term_extract_lo(n->t, narrow) == 0 &&
               (width == 8 || width == 16);
    if (expr_kind(n->e, e) == EXPR_OP && (cut || (width == 32 && term_kind(n->t, narrow) == OP_MUL)))
        return expr_op(n->e, OP_AND, (expr[]){e, expr_const(n->e, (INT64_C(1) << width) - 1)}, 2);
    return e;
}

/* The loop(start, step) that a term is, in whatever width; TERM_NONE. */
static term loop_of(const struct normaliser *n, term x)
{
    for (;;) {
        unsigned kind = term_kind(n->t, x);
        if (kind == OP_ZEXT || kind == OP_SEXT || (kind == OP_EXTRACT && term_extract_lo(n->t, x) == 0))
            x = term_kid(n->t, x, 0);
        else if (kind == OP_CONCAT && term_is_const(n->t, term_kid(n->t, x, 0)))
            x = term_kid(n->t, x, 1);
        else
            return origin_is(n->t, x, ORIGIN_LOOP) ? x : TERM_NONE;
    }
}

static int64_t step_of(const struct normaliser *n, term loop)
{
    struct bits v;
    term step = term_kid(n->t, loop, 1);
    term_const_value(n->t, step, &v);
    return (int64_t)bits_low(bits_sext(v, term_width(n->t, step), 64));
}

/* Whether x is a loop's value of the iteration after or before: a test at the end of a loop is made with it,
 * one at the beginning is not, and the number of iterations is anything. */
static bool is_phase(const struct normaliser *n, term x, expr *value, const expr *kid)
{
    term base;
    uint64_t offset;
    term_split(n->t, x, &base, &offset);
    term loop = base == TERM_NONE || base == x ? TERM_NONE : loop_of(n, base);
    if (loop == TERM_NONE)
        return false;
    unsigned width = term_width(n->t, x);
    int64_t by = width < 64 ? (int64_t)(offset << (64 - width)) >> (64 - width) : (int64_t)offset,
            step = step_of(n, loop);
    if (by != step && by != -step)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (term_kid(n->t, x, i) == base)
            *value = kid[i];
    return true;
}

static bool is_chain(const struct normaliser *n, term x)
{
    return origin_is(n->t, x, ORIGIN_CHAIN);
}

/* Of the list that a chain of exec/loop.c goes along. */
static expr element(struct normaliser *n, term chain, expr start)
{
    expr a = normal_of(n, term_kid(n->t, chain, 1)), to = normal_of(n, term_kid(n->t, chain, 2));
    int64_t offset = expr_value(n->e, to);
    /* Links may be gone along themselves, or what they are in. */
    bool links = expr_value(n->e, a) == 0 && offset != 0;
    return expr_chain(n->e,
                      links ? expr_mem(n->e, start)
                            : expr_op(n->e, OP_ADD, (expr[]){start, a, expr_const(n->e, -offset)}, 3),
                      offset);
}

/* Whether one bit of x is set. */
static expr bit_set(struct normaliser *n, expr x, unsigned bit)
{
    expr mask = expr_const(n->e, INT64_C(1) << bit), zero = expr_const(n->e, 0);
    if (expr_is_boolean(n->e, x) && bit == 0)
        return x;
    expr clear = expr_op(n->e, OP_EQ, (expr[]){expr_op(n->e, OP_AND, (expr[]){x, mask}, 2), zero}, 2);
    return expr_op(n->e, OP_NOT, &clear, 1);
}

/* Whether what x is lies so far behind what `low` is: then both are one larger number. */
static bool follows(struct normaliser *n, expr x, expr low, int64_t bytes)
{
    if (expr_kind(n->e, x) != EXPR_MEM || expr_kind(n->e, low) != EXPR_MEM)
        return false;
    expr between = expr_op(n->e, OP_SUB, (expr[]){expr_kid(n->e, x, 0), expr_kid(n->e, low, 0)}, 2);
    return expr_kind(n->e, between) == EXPR_CONST && expr_value(n->e, between) == bytes;
}

/* Whether x is the upper word of what `low` is the lower one of; loops may have gone one iteration further.
 */
static bool is_upper(struct normaliser *n, expr x, expr low)
{
    enum { HALF = 32 };
    if (expr_kind(n->e, x) != EXPR_OP || expr_value(n->e, x) != OP_LSHR ||
        expr_kid(n->e, x, 1) != expr_const(n->e, HALF))
        return false;
    expr difference = expr_op(n->e, OP_SUB, (expr[]){expr_kid(n->e, x, 0), low}, 2);
    return expr_kind(n->e, difference) == EXPR_CONST;
}

static expr made_of(struct normaliser *n, term x, const expr *kid)
{
    unsigned kind = term_kind(n->t, x), nkids = term_nkids(n->t, x), width = term_width(n->t, x);
    term base;
    uint64_t offset;
    expr shifted = EXPR_NONE;
    switch (kind) {
    case TERM_CONST:
        return constant(n, x);
    case TERM_VAR:
        return variable(n, x);
    case TERM_READ:
        /* The link of an element leads to another element, and it is unknown which. */
        base = term_kid(n->t, x, 1);
        if (is_chain(n, base) && width == n->machine->pointer_width)
            return element(n, base, normal_of(n, term_kid(n->t, base, 0)));
        return expr_mem(n->e, kid[1]);
    case TERM_APPLY:
    case TERM_PURE:
        if (origin_is(n->t, x, ORIGIN_LOOP)) {
            expr n_times = expr_leaf(n->e, EXPR_OTHER, "n", 0), step = expr_const(n->e, step_of(n, x));
            return expr_op(n->e, OP_ADD, (expr[]){kid[0], expr_op(n->e, OP_MUL, (expr[]){n_times, step}, 2)},
                           2);
        }
        if (is_chain(n, x))
            return expr_op(n->e, OP_ADD, (expr[]){element(n, x, kid[0]), kid[2]}, 2);
        if (origin_is(n->t, x, ORIGIN_INTRINSIC) && nkids > 0 &&
            strncmp(term_origin(n->t, x).name, "volatile.load", 13) == 0)
            return expr_mem(n->e, kid[0]);
        shifted = kind == TERM_APPLY ? left_by_call(n, x) : EXPR_NONE;
        return shifted != EXPR_NONE ? shifted : application(n, x, kid, nkids);
    case OP_ZEXT:
        return extended(n, term_kid(n->t, x, 0), kid[0]);
    case OP_SEXT:
        width = term_width(n->t, term_kid(n->t, x, 0));
        if (width == 1)
            return expr_op(n->e, OP_ITE, (expr[]){kid[0], expr_const(n->e, -1), expr_const(n->e, 0)}, 3);
        if (width == 8 || width == 16)
            return expr_op(n->e, OP_SEXT, kid, 1);
        return kid[0];
    case OP_F2F:
        return kid[nkids - 1];
    case OP_EXTRACT: {
        term whole = term_kid(n->t, x, 0);
        unsigned lo = term_extract_lo(n->t, x);
        /* The sign, also that of an int in a register of 64 bits. */
        if (width == 1 && lo > 0 && (lo + 1 == term_width(n->t, whole) || lo == 31))
            return expr_op(n->e, OP_SLT, (expr[]){kid[0], expr_const(n->e, 0)}, 2);
        if (width == 1 && lo < 63)
            return bit_set(n, kid[0], lo);
        if (lo == 0 && (width == 8 || width == 16 || width == 32 || width >= 63))
            return kid[0]; /* a conversion */
        shifted = kid[0];
        if (lo)
            shifted = expr_op(n->e, OP_LSHR, (expr[]){kid[0], expr_const(n->e, lo)}, 2);
        /* All that is above, of an int in a register of 64 bits too, or some of it. */
        if (lo + width == term_width(n->t, whole) || lo + width == 32 || width >= 63)
            return shifted;
        return expr_op(n->e, OP_AND, (expr[]){shifted, expr_const(n->e, (INT64_C(1) << width) - 1)}, 2);
    }
    case OP_CONCAT:
        /* zero above: an extension */
        if (term_is_const(n->t, term_kid(n->t, x, 0)) &&
            bits_is_zero(term_known(n->t, term_kid(n->t, x, 0)).one))
            return extended(n, term_kid(n->t, x, 1), kid[1]);
        if (follows(n, kid[0], kid[1], term_width(n->t, term_kid(n->t, x, 1)) / 8) ||
            kid[0] == expr_leaf(n->e, EXPR_OTHER, "upper", 0) || is_upper(n, kid[0], kid[1]))
            return kid[1];
        return expr_op(n->e, OP_CONCAT, kid, 2);
    case OP_ADD:
        if (is_phase(n, x, &shifted, kid))
            return shifted;
        if (width == n->machine->pointer_width) {
            term_split(n->t, x, &base, &offset);
            if (origin_is(n->t, base, ORIGIN_ADDRESS))
                return global_address(n, term_origin(n->t, base).name, offset);
        }
        return without_offset(n, expr_op(n->e, OP_ADD, kid, nkids));
    case OP_FADD:
    case OP_FSUB:
    case OP_FMUL:
    case OP_FDIV:
    case OP_FSQRT:
    case OP_FRINT:
    case OP_FMA:
    case OP_F2S:
    case OP_F2U:
    case OP_S2F:
    case OP_U2F:
        return expr_op(n->e, (enum op)kind, kid + 1, nkids - 1); /* without the rounding mode */
    case OP_ITE:
        return expr_op(n->e, OP_ITE, (expr[]){normal_truth(n, term_kid(n->t, x, 0)), kid[1], kid[2]}, 3);
    case OP_NOT:
        /* of one bit */
        if (width == 1 && !expr_is_boolean(n->e, kid[0]))
            return expr_op(n->e, OP_EQ, (expr[]){kid[0], expr_const(n->e, 0)}, 2);
        return expr_op(n->e, OP_NOT, kid, 1);
    case OP_ULT:
    case OP_ULE:
        return compared_unsigned(n, x, kid);
    default:
        if (kind < OP_COUNT_)
            return expr_op(n->e, (enum op)kind, kid, nkids);
        return expr_leaf(n->e, EXPR_OTHER, "memory", 0); /* an array, which no value is */
    }
}

expr normal_of(struct normaliser *n, term x)
{
    VEC(term) todo = VEC_INIT;
    VEC(expr) kid = VEC_INIT;
    uint64_t known = 0;
    vec_push(&todo, x);
    while (todo.len) {
        term u = vec_last(&todo);
        if (map_get(&n->done, u, &known)) {
            (void)vec_pop(&todo);
            continue;
        }
        unsigned nkids = term_is_array(n->t, u) ? 0 : term_nkids(n->t, u);
        bool wait = false;
        vec_clear(&kid);
        for (unsigned i = 0; i < nkids; i++) {
            if (map_get(&n->done, term_kid(n->t, u, i), &known)) {
                vec_push(&kid, (expr)known);
            } else {
                vec_push(&todo, term_kid(n->t, u, i));
                wait = true;
            }
        }
        if (wait)
            continue;
        expr e = term_is_array(n->t, u) ? expr_leaf(n->e, EXPR_OTHER, "memory", 0) : made_of(n, u, kid.data);
        /* No other compiler makes the same of a term this large, and what is built from it only grows. */
        if (expr_complexity(n->e, e) > COMPLEXITY_MAX)
            e = expr_leaf(n->e, EXPR_OTHER, "much", 0);
        map_set(&n->done, u, e);
        (void)vec_pop(&todo);
    }
    vec_free(&todo);
    vec_free(&kid);
    return (expr)map_find(&n->done, x, EXPR_NONE);
}
