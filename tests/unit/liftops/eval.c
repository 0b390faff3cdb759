/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "eval.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "lift/vex/pure.h"

enum { MAX_ARGS = PURE_MAX_ARGS, SLOT = 32, RESULT = MAX_ARGS * SLOT };

struct made {
    struct ir_block block;
    bool valid;
};

struct eval {
    struct ir_builder *builder;
    enum machine_arch arch;
    struct arena arena, scratch;
    struct made *made; /* one for each operator, filled on first use */
    struct bits *value;
    size_t capacity;
    uint64_t random;
};

struct eval *eval_new(enum machine_arch arch)
{
    struct eval *e = calloc(1, sizeof *e);
    assert_non_null(e);
    e->builder = ir_builder_new();
    e->arch = arch;
    e->made = calloc(Iop_LAST - Iop_INVALID, sizeof *e->made);
    assert_non_null(e->made);
    e->random = 0x9e3779b97f4a7c15;
    return e;
}

void eval_free(struct eval *e)
{
    ir_builder_free(e->builder);
    arena_free(&e->arena);
    arena_free(&e->scratch);
    free(e->made);
    free(e->value);
    free(e);
}

static const struct pure *generic(IROp op)
{
    return &lift_pures().table[op - Iop_INVALID];
}

unsigned eval_result_width(IROp op)
{
    return generic(op)->width;
}

unsigned eval_arity(IROp op)
{
    return generic(op)->nargs;
}

unsigned eval_arg_width(IROp op, unsigned i)
{
    return generic(op)->arg_width[i];
}

static struct vex_ctx context(struct eval *e)
{
    return (struct vex_ctx){.b = e->builder, .arch = e->arch, .machine = lift_machine(e->arch)};
}

static const struct ir_block *finish(struct eval *e, ir_val result, struct arena *arena, struct ir_block *block)
{
    ir_put(e->builder, RESULT, result);
    struct ir_end end = {.kind = IR_END_TRAP, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL, .result = IR_NONE};
    ir_finish(e->builder, end, 0, arena, block);
    struct ir_pures pures = lift_pures();
    struct buf why = {0};
    if (!ir_validate(block, NULL, &pures, &why))
        fail_msg("not well formed: %.*s", (int)why.len, (const char *)why.data);
    buf_free(&why);
    return block;
}

/* With operands read from the register file. */
static const struct ir_block *made_for(struct eval *e, IROp op)
{
    struct made *m = &e->made[op - Iop_INVALID];
    if (m->valid)
        return &m->block;
    ir_begin(e->builder, 0);
    ir_val arg[MAX_ARGS];
    unsigned n = eval_arity(op);
    for (unsigned i = 0; i < n; i++)
        arg[i] = ir_get(e->builder, i * SLOT, eval_arg_width(op, i));
    struct vex_ctx c = context(e);
    ir_val result = vex_op(&c, op, arg, n);
    assert_int_equal(ir_width(e->builder, result), eval_result_width(op));
    m->valid = true;
    return finish(e, result, &e->arena, &m->block);
}

void eval_lower(struct eval *e, IROp op)
{
    made_for(e, op);
}

static struct bits run(struct eval *e, const struct ir_block *b, const uint8_t *file)
{
    if (b->ninsn > e->capacity) {
        e->capacity = b->ninsn;
        e->value = realloc(e->value, e->capacity * sizeof *e->value);
        assert_non_null(e->value);
    }
    struct bits *v = e->value, out = {{0}};
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        struct bits arg[PURE_MAX_ARGS];
        unsigned width[OP_MAX_ARITY];
        switch (in->op) {
        case IR_CONST:
            v[i] = in->width > 64 ? b->wide[in->a] : bits_u64(ir_imm(in->a, in->b), in->width);
            break;
        case IR_GET:
            v[i] = bits_mask(bits_from_bytes(file + in->a, (in->width + 7) / 8), in->width);
            break;
        case IR_PUT:
            assert_int_equal(in->a, RESULT);
            out = v[in->b];
            break;
        case IR_PURE: {
            const struct pure *p = &lift_pures().table[in->a];
            for (unsigned j = 0; j < in->c; j++)
                arg[j] = v[b->arg[in->b + j]];
            if (p->eval == NULL)
                fail_msg("%s has no meaning", p->name);
            v[i] = p->eval(arg);
            break;
        }
        default: {
            const uint32_t operand[OP_MAX_ARITY] = {in->a, in->b, in->c, in->d};
            assert_true(in->op < OP_COUNT_);
            for (unsigned j = 0; j < op_info[in->op].arity; j++) {
                arg[j] = v[operand[j]];
                width[j] = b->insn[operand[j]].width;
            }
            v[i] = bits_apply(in->op, in->width, arg, width, in->b);
            break;
        }
        }
    }
    return out;
}

struct bits eval_op(struct eval *e, IROp op, const struct bits *arg)
{
    uint8_t file[RESULT] = {0};
    unsigned n = eval_arity(op);
    for (unsigned i = 0; i < n; i++)
        bits_to_bytes(arg[i], file + i * SLOT, SLOT);
    struct bits late = run(e, made_for(e, op), file);

    ir_begin(e->builder, 0);
    ir_val known[MAX_ARGS];
    for (unsigned i = 0; i < n; i++)
        known[i] = ir_const_bits(e->builder, eval_arg_width(op, i), arg[i]);
    struct vex_ctx c = context(e);
    ir_val result = vex_op(&c, op, known, n);
    struct ir_block block;
    arena_reset(&e->scratch);
    struct bits early = run(e, finish(e, result, &e->scratch, &block), file);
    if (!bits_eq(early, late))
        fail_msg("%s: folding and running disagree", vex_op_name(op));
    return late;
}

struct bits eval_pure(struct eval *e, unsigned index, const struct bits *arg, unsigned known)
{
    const struct pure *p = &lift_pures().table[index];
    uint8_t file[RESULT] = {0};
    ir_val value[PURE_MAX_ARGS];
    ir_begin(e->builder, 0);
    for (unsigned i = 0; i < p->nargs; i++) {
        bits_to_bytes(arg[i], file + i * SLOT, SLOT);
        value[i] = known >> i & 1 ? ir_const_bits(e->builder, p->arg_width[i], arg[i])
                                  : ir_get(e->builder, i * SLOT, p->arg_width[i]);
    }
    struct vex_ctx c = context(e);
    ir_val result = vex_pure_call(&c, index, value, p->nargs);
    assert_int_equal(ir_width(e->builder, result), p->width);
    struct ir_block block;
    arena_reset(&e->scratch);
    return run(e, finish(e, result, &e->scratch, &block), file);
}

uint64_t eval_random(struct eval *e)
{
    /* splitmix64 */
    uint64_t z = e->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t ones(unsigned w)
{
    return w >= 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
}

static uint64_t integer_lane(struct eval *e, unsigned w)
{
    uint64_t r = eval_random(e);
    switch (r >> 60) {
    case 0: return 0;
    case 1: return ones(w);
    case 2: return UINT64_C(1) << (w - 1);
    case 3: return ones(w) >> 1;
    case 4: return (r & 7) + 1;
    case 5: return ones(w) - (r & 7);
    case 6: return UINT64_C(1) << r % w;
    case 7: return (r & 0xff) < 0x80 ? (r & (2 * w - 1)) : ones(w) - (r & (2 * w - 1));
    default: return r & ones(w);
    }
}

static uint64_t float_lane(struct eval *e, unsigned w)
{
    unsigned p = w == 16 ? 10 : w == 32 ? 23 : 52;
    uint64_t r = eval_random(e), sign = (r & 1) << (w - 1), top = ones(w - 1 - p) << p;
    uint64_t fraction = eval_random(e) & ones(p);
    uint64_t bias = ones(w - 2 - p);
    switch (r >> 60) {
    case 0: return sign;
    case 1: return sign | top;
    case 2: return sign | top | UINT64_C(1) << (p - 1) | fraction;
    case 3: return sign | top | (fraction & ones(p - 1)) | 1;
    case 4: return sign | fraction;
    case 5: return sign | bias << p;
    case 6: return sign | (bias + (r >> 1) % 8) << p | fraction;
    case 7: return sign | (bias + (r >> 1) % p) << p | (fraction & ones(p) << (p - (r >> 8) % 6));
    case 8: return sign | (top - (UINT64_C(1) << p)) | fraction;
    case 9: return sign | ((bias + (r >> 1) % 70 - 35) << p & top) | fraction;
    default: return eval_random(e) & ones(w);
    }
}

static struct bits operand(struct eval *e, unsigned width, unsigned lane, uint64_t (*fn)(struct eval *, unsigned))
{
    struct bits x = {{0}};
    bool plain = (eval_random(e) & 3) == 0;
    for (unsigned at = 0; at < width; at += lane)
        for (unsigned i = 0; i < lane; i += 64) {
            unsigned w = lane < 64 ? lane : 64;
            uint64_t v = plain || lane > 64 ? eval_random(e) & ones(w) : fn(e, w);
            x.w[(at + i) / 64] |= v << at % 64;
        }
    return bits_mask(x, width);
}

struct bits eval_operand(struct eval *e, unsigned width, unsigned lane)
{
    if (width == 1)
        return bits_u64(eval_random(e) & 1, 1);
    return operand(e, width, lane < width ? lane : width, integer_lane);
}

struct bits eval_float_operand(struct eval *e, unsigned width, unsigned lane)
{
    return operand(e, width, lane, float_lane);
}

void eval_check(struct eval *e, IROp op, const struct bits *arg, struct bits expected)
{
    struct bits got = eval_op(e, op, arg);
    if (bits_eq(got, expected))
        return;
    char text[MAX_ARGS + 2][160];
    for (unsigned i = 0; i < MAX_ARGS; i++) {
        text[i][0] = '\0';
        if (i < eval_arity(op))
            bits_format_hex(arg[i], eval_arg_width(op, i), text[i], sizeof text[i]);
    }
    bits_format_hex(got, eval_result_width(op), text[MAX_ARGS], sizeof text[0]);
    bits_format_hex(expected, eval_result_width(op), text[MAX_ARGS + 1], sizeof text[0]);
    fail_msg("%s(%s, %s, %s, %s) for guest %d is %s, not %s", vex_op_name(op), text[0], text[1], text[2], text[3],
             (int)e->arch, text[MAX_ARGS], text[MAX_ARGS + 1]);
}
