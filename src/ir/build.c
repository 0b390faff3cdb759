/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <string.h>

#include "base/vec.h"
#include "ir/ir.h"

struct ir_builder {
    ir_label label;
    VEC(struct ir_insn) insn;
    VEC(ir_val) arg;
    VEC(struct bits) wide;
    VEC(struct ir_event) event;
    VEC(struct ir_unknown) unknown;
    VEC(struct ir_mark) mark;
    VEC(uint32_t) renamed; /* scratch of ir_finish */
};

struct ir_builder *ir_builder_new(void)
{
    return xcalloc(1, sizeof(struct ir_builder));
}

void ir_builder_free(struct ir_builder *b)
{
    if (!b)
        return;
    vec_free(&b->insn);
    vec_free(&b->arg);
    vec_free(&b->wide);
    vec_free(&b->event);
    vec_free(&b->unknown);
    vec_free(&b->mark);
    vec_free(&b->renamed);
    free(b);
}

void ir_begin(struct ir_builder *b, ir_label label)
{
    b->label = label;
    vec_clear(&b->insn);
    vec_clear(&b->arg);
    vec_clear(&b->wide);
    vec_clear(&b->event);
    vec_clear(&b->unknown);
    vec_clear(&b->mark);
}

void ir_mark_insn(struct ir_builder *b, uint64_t address, unsigned length)
{
    vec_push(&b->mark, (struct ir_mark){address, (uint32_t)b->insn.len, (uint8_t)length});
}

static ir_val emit(struct ir_builder *b, unsigned op, unsigned exit, unsigned width, uint32_t x, uint32_t y,
                   uint32_t z, uint32_t w)
{
    assert(b->insn.len < IR_NONE);
    vec_push(&b->insn, (struct ir_insn){(uint8_t)op, (uint8_t)exit, (uint16_t)width, x, y, z, w});
    return (ir_val)(b->insn.len - 1);
}

static const struct ir_insn *at(const struct ir_builder *b, ir_val x)
{
    assert(x < b->insn.len && b->insn.data[x].width);
    return &b->insn.data[x];
}

unsigned ir_width(const struct ir_builder *b, ir_val x)
{
    return at(b, x)->width;
}

bool ir_is_const(const struct ir_builder *b, ir_val x, uint64_t *value)
{
    const struct ir_insn *i = at(b, x);
    if (i->op != IR_CONST || i->c || i->width > 64)
        return false;
    if (value)
        *value = ir_imm(i->a, i->b);
    return true;
}

static bool const_bits(const struct ir_builder *b, ir_val x, struct bits *value)
{
    const struct ir_insn *i = at(b, x);
    if (i->op != IR_CONST || i->c)
        return false;
    *value = i->width <= 64 ? bits_u64(ir_imm(i->a, i->b), 64) : b->wide.data[i->a];
    return true;
}

ir_val ir_const_bits(struct ir_builder *b, unsigned width, struct bits value)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    value = bits_mask(value, width);
    if (width <= 64)
        return emit(b, IR_CONST, 0, width, (uint32_t)value.w[0], (uint32_t)(value.w[0] >> 32), 0, 0);
    vec_push(&b->wide, value);
    return emit(b, IR_CONST, 0, width, (uint32_t)(b->wide.len - 1), 0, 0, 0);
}

ir_val ir_const(struct ir_builder *b, unsigned width, uint64_t value)
{
    if (width > 64)
        return ir_const_bits(b, width, bits_u64(value, 64));
    return ir_const_bits(b, width, bits_u64(value, width));
}

ir_val ir_const_kept(struct ir_builder *b, unsigned width, uint64_t value)
{
    assert(width <= 64);
    return emit(b, IR_CONST, 0, width, (uint32_t)value, (uint32_t)(value >> 32), 1, 0);
}

/* What ir_op knows without emitting: the value to use instead, or IR_NONE. */
static ir_val simplify(struct ir_builder *b, enum op op, unsigned width, const ir_val *arg)
{
    uint64_t c;
    switch (op) {
    case OP_ZEXT:
    case OP_SEXT:
        return ir_width(b, arg[0]) == width ? arg[0] : IR_NONE;
    case OP_ADD:
    case OP_SUB:
    case OP_OR:
    case OP_XOR:
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
        if (ir_is_const(b, arg[1], &c) && c == 0)
            return arg[0];
        if ((op == OP_ADD || op == OP_OR || op == OP_XOR) && ir_is_const(b, arg[0], &c) && c == 0)
            return arg[1];
        return IR_NONE;
    case OP_AND:
        if ((ir_is_const(b, arg[1], &c) && c == 0) || (ir_is_const(b, arg[0], &c) && c == 0))
            return ir_const(b, width, 0);
        return IR_NONE;
    case OP_ITE:
        if (arg[1] == arg[2])
            return arg[1];
        return ir_is_const(b, arg[0], &c) ? (c ? arg[1] : arg[2]) : IR_NONE;
    default:
        return IR_NONE;
    }
}

ir_val ir_op(struct ir_builder *b, enum op op, unsigned width, const ir_val *arg, unsigned nargs)
{
    struct bits value[OP_MAX_ARITY];
    unsigned arg_width[OP_MAX_ARITY] = {0};
    assert(op != OP_EXTRACT && nargs == op_info[op].arity);
    (void)nargs;
    bool constant = true;
    for (unsigned i = 0; i < op_info[op].arity; i++) {
        arg_width[i] = ir_width(b, arg[i]);
        constant = constant && const_bits(b, arg[i], &value[i]);
    }
    assert(!op_check(op, width, arg_width, 0));
    if (constant)
        return ir_const_bits(b, width, bits_apply(op, width, value, arg_width, 0));
    ir_val known = simplify(b, op, width, arg);
    if (known != IR_NONE)
        return known;
    ir_val operand[OP_MAX_ARITY] = {IR_NONE, IR_NONE, IR_NONE, IR_NONE};
    memcpy(operand, arg, op_info[op].arity * sizeof *arg);
    return emit(b, op, 0, width, operand[0], operand[1], operand[2], operand[3]);
}

ir_val ir_un(struct ir_builder *b, enum op op, ir_val x)
{
    return ir_op(b, op, ir_width(b, x), &x, 1);
}

ir_val ir_bin(struct ir_builder *b, enum op op, ir_val x, ir_val y)
{
    unsigned width = op_info[op].shape == OP_SHAPE_CONCAT                                       ? ir_width(b, x) + ir_width(b, y)
                     : op_info[op].shape == OP_SHAPE_COMPARE || op_info[op].shape == OP_SHAPE_FCMP ? 1
                                                                                                : ir_width(b, x);
    return ir_op(b, op, width, (ir_val[]){x, y}, 2);
}

/* The value is a constant wherever c is true: what is made of a choice by c. */
static bool const_where(const struct ir_builder *b, ir_val c, ir_val x, unsigned depth, struct bits *value)
{
    const struct ir_insn *i = at(b, x);
    if (const_bits(b, x, value))
        return true;
    if (i->op == OP_ITE && i->a == c)
        return const_where(b, c, i->b, depth, value);
    if (!depth || (i->op != OP_AND && i->op != OP_OR))
        return false;
    struct bits arg[2];
    if (!const_where(b, c, i->a, depth - 1, &arg[0]) || !const_where(b, c, i->b, depth - 1, &arg[1]))
        return false;
    *value = bits_apply((enum op)i->op, i->width, arg, (unsigned[]){i->width, i->width}, 0);
    return true;
}

ir_val ir_ite(struct ir_builder *b, ir_val c, ir_val x, ir_val y)
{
    /* ARM makes addresses in two halves, each on the same condition: the whole is a constant of the code. */
    enum { HALVES = 2 };
    struct bits value;
    const struct ir_insn *other = at(b, y);
    if (other->op == OP_ITE && other->a == c)
        y = other->c;
    if (at(b, x)->op != IR_CONST && const_where(b, c, x, HALVES, &value))
        x = ir_const_bits(b, ir_width(b, x), value);
    return ir_op(b, OP_ITE, ir_width(b, x), (ir_val[]){c, x, y}, 3);
}

ir_val ir_extract(struct ir_builder *b, ir_val x, unsigned lo, unsigned width)
{
    for (;;) {
        const struct ir_insn *i = at(b, x);
        assert(lo + width <= i->width);
        if (lo == 0 && width == i->width)
            return x;
        struct bits value;
        if (const_bits(b, x, &value))
            return ir_const_bits(b, width, bits_lshr(value, lo));
        if (i->op == OP_EXTRACT) {
            lo += i->b;
            x = i->a;
        } else if (i->op == OP_CONCAT && lo >= at(b, i->b)->width) {
            lo -= at(b, i->b)->width;
            x = i->a;
        } else if (i->op == OP_CONCAT && lo + width <= at(b, i->b)->width) {
            x = i->b;
        } else if ((i->op == OP_ZEXT || i->op == OP_SEXT) && lo + width <= at(b, i->a)->width) {
            x = i->a;
        } else if (i->op == OP_ZEXT && lo >= at(b, i->a)->width) {
            return ir_const(b, width, 0);
        } else {
            break;
        }
    }
    return emit(b, OP_EXTRACT, 0, width, x, lo, IR_NONE, IR_NONE);
}

ir_val ir_zext(struct ir_builder *b, ir_val x, unsigned width)
{
    return ir_op(b, OP_ZEXT, width, &x, 1);
}

ir_val ir_sext(struct ir_builder *b, ir_val x, unsigned width)
{
    return ir_op(b, OP_SEXT, width, &x, 1);
}

ir_val ir_get(struct ir_builder *b, unsigned offset, unsigned width)
{
    assert(width == 1 || width % 8 == 0);
    return emit(b, IR_GET, 0, width, offset, IR_NONE, IR_NONE, IR_NONE);
}

void ir_put(struct ir_builder *b, unsigned offset, ir_val x)
{
    assert(ir_width(b, x) == 1 || ir_width(b, x) % 8 == 0);
    emit(b, IR_PUT, 0, 0, offset, x, IR_NONE, IR_NONE);
}

ir_val ir_load(struct ir_builder *b, unsigned space, ir_val addr, unsigned width, ir_val guard, ir_val otherwise)
{
    assert(guard == IR_NONE || (ir_width(b, guard) == 1 && ir_width(b, otherwise) == width));
    uint64_t c;
    if (guard != IR_NONE && ir_is_const(b, guard, &c)) {
        if (!c)
            return otherwise;
        guard = otherwise = IR_NONE;
    }
    return emit(b, IR_LOAD, 0, width, addr, guard, otherwise, space);
}

void ir_store(struct ir_builder *b, unsigned space, ir_val addr, ir_val value, ir_val guard)
{
    uint64_t c;
    if (guard != IR_NONE && ir_is_const(b, guard, &c)) {
        if (!c)
            return;
        guard = IR_NONE;
    }
    emit(b, IR_STORE, 0, 0, addr, value, guard, space);
}

uint32_t ir_args(struct ir_builder *b, const ir_val *arg, unsigned nargs)
{
    uint32_t first = (uint32_t)b->arg.len;
    for (unsigned i = 0; i < nargs; i++)
        vec_push(&b->arg, arg[i]);
    return first;
}

ir_val ir_pure(struct ir_builder *b, unsigned pure_index, unsigned width, const ir_val *arg, unsigned nargs)
{
    uint32_t first = ir_args(b, arg, nargs);
    return emit(b, IR_PURE, 0, width, pure_index, first, nargs, IR_NONE);
}

ir_val ir_event(struct ir_builder *b, const struct ir_event *e, const ir_val *arg, unsigned nargs, unsigned width)
{
    struct ir_event copy = *e;
    copy.args = ir_args(b, arg, nargs);
    copy.nargs = nargs;
    vec_push(&b->event, copy);
    return emit(b, IR_EVENT, 0, width, (uint32_t)(b->event.len - 1), IR_NONE, IR_NONE, IR_NONE);
}

void ir_unknown(struct ir_builder *b, const struct ir_unknown *u)
{
    vec_push(&b->unknown, *u);
    emit(b, IR_UNKNOWN, 0, 0, (uint32_t)(b->unknown.len - 1), IR_NONE, IR_NONE, IR_NONE);
}

void ir_exit(struct ir_builder *b, ir_val cond, enum ir_exit kind, ir_label label)
{
    uint64_t c;
    if (ir_is_const(b, cond, &c) && !c)
        return;
    emit(b, IR_EXIT, kind, 0, cond, (uint32_t)label, (uint32_t)(label >> 32), IR_NONE);
}

/* Calls fn for every operand value of an instruction, allowing it to be replaced. */
static void each_operand(struct ir_builder *b, struct ir_insn *i, void (*fn)(void *ctx, ir_val *v), void *ctx)
{
    if (i->op < OP_COUNT_) {
        ir_val *v[] = {&i->a, &i->b, &i->c, &i->d};
        for (unsigned k = 0; k < op_info[i->op].arity; k++)
            fn(ctx, v[k]);
        return;
    }
    switch ((enum ir_op)i->op) {
    case IR_PUT:
        fn(ctx, &i->b);
        break;
    case IR_LOAD:
    case IR_STORE:
        fn(ctx, &i->a);
        fn(ctx, &i->b);
        fn(ctx, &i->c);
        break;
    case IR_PURE:
        for (uint32_t k = 0; k < i->c; k++)
            fn(ctx, &b->arg.data[i->b + k]);
        break;
    case IR_EVENT: {
        struct ir_event *e = &b->event.data[i->a];
        for (uint32_t k = 0; k < e->nargs; k++)
            fn(ctx, &b->arg.data[e->args + k]);
        fn(ctx, &e->guard);
        fn(ctx, &e->mem_addr);
        break;
    }
    case IR_EXIT:
        fn(ctx, &i->a);
        break;
    default:
        break;
    }
}

static void mark_used(void *ctx, ir_val *v)
{
    uint32_t *used = ctx;
    if (*v != IR_NONE)
        used[*v] = 1;
}

static void rename_operand(void *ctx, ir_val *v)
{
    const uint32_t *renamed = ctx;
    if (*v != IR_NONE)
        *v = renamed[*v];
}

static bool has_effect(const struct ir_insn *i)
{
    /* A load is an effect: an analysis may ask whether its address is valid. */
    return i->op >= OP_COUNT_ && i->op != IR_CONST && i->op != IR_GET && i->op != IR_PURE;
}

/* Drops values nobody uses, in place; `renamed` maps old to new numbers afterwards. */
static void drop_unused(struct ir_builder *b, struct ir_end *end)
{
    size_t n = b->insn.len;
    vec_reserve(&b->renamed, n);
    uint32_t *renamed = b->renamed.data;
    if (n)
        memset(renamed, 0, n * sizeof *renamed);
    mark_used(renamed, &end->next);
    for (uint32_t k = 0; k < end->nargs; k++)
        mark_used(renamed, &b->arg.data[end->args + k]);
    for (size_t i = n; i-- > 0;) {
        if (has_effect(&b->insn.data[i]))
            renamed[i] = 1;
        if (renamed[i])
            each_operand(b, &b->insn.data[i], mark_used, renamed);
    }
    uint32_t kept = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        for (; m < b->mark.len && b->mark.data[m].first == i; m++)
            b->mark.data[m].first = kept;
        if (!renamed[i]) {
            renamed[i] = IR_NONE;
            continue;
        }
        struct ir_insn insn = b->insn.data[i];
        each_operand(b, &insn, rename_operand, renamed);
        b->insn.data[kept] = insn;
        renamed[i] = kept++;
    }
    for (; m < b->mark.len; m++)
        b->mark.data[m].first = kept;
    b->insn.len = kept;
    rename_operand(renamed, &end->next);
    for (uint32_t k = 0; k < end->nargs; k++)
        rename_operand(renamed, &b->arg.data[end->args + k]);
}

void ir_finish(struct ir_builder *b, struct ir_end end, uint32_t bytes, struct arena *arena, struct ir_block *out)
{
    drop_unused(b, &end);
    *out = (struct ir_block){.label = b->label, .bytes = bytes, .end = end};
    out->ninsn = (uint32_t)b->insn.len;
    out->insn = arena_dup(arena, b->insn.data, b->insn.len * sizeof *b->insn.data);
    out->narg = (uint32_t)b->arg.len;
    out->arg = arena_dup(arena, b->arg.data, b->arg.len * sizeof *b->arg.data);
    out->nwide = (uint32_t)b->wide.len;
    out->wide = arena_dup(arena, b->wide.data, b->wide.len * sizeof *b->wide.data);
    out->nevent = (uint32_t)b->event.len;
    out->event = arena_dup(arena, b->event.data, b->event.len * sizeof *b->event.data);
    out->nunknown = (uint32_t)b->unknown.len;
    out->unknown = arena_dup(arena, b->unknown.data, b->unknown.len * sizeof *b->unknown.data);
    out->nmark = (uint32_t)b->mark.len;
    out->mark = arena_dup(arena, b->mark.data, b->mark.len * sizeof *b->mark.data);
}
