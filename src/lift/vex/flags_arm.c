/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Condition codes of arm and arm64, kept by VEX as on x86 (see flags_x86.c): an operation and its operands.
 * The numbers of the operations are in libVEX's guest_arm_defs.h and guest_arm64_defs.h. */
#include "lift/vex/vex.h"

enum family { COPY, ADD, SUB, ADC, SBC, LOGIC, MUL, MULL };

enum { ARM_OPS = 8, ARM64_OPS = 11 };

struct thunk {
    struct vex_ctx *c;
    enum family family;
    unsigned width;
    ir_val dep1, dep2, dep3;
};

/* arm has one of each; arm64 has ADD to LOGIC in 32 and 64 bits. */
static void classify(enum machine_arch arch, unsigned cc_op, struct thunk *t)
{
    if (arch == MACHINE_ARM || cc_op == 0) {
        t->family = (enum family)cc_op;
        t->width = 32;
    } else {
        t->family = (enum family)(ADD + (cc_op - 1) / 2);
        t->width = cc_op % 2 ? 32 : 64;
    }
}

static ir_val bin(const struct thunk *t, enum op op, ir_val x, ir_val y)
{
    return ir_bin(t->c->b, op, x, y);
}

static ir_val bit(const struct thunk *t, ir_val x, unsigned i)
{
    return ir_extract(t->c->b, x, i, 1);
}

static ir_val first(const struct thunk *t)
{
    return ir_extract(t->c->b, t->dep1, 0, t->width);
}

static ir_val second(const struct thunk *t)
{
    return ir_extract(t->c->b, t->dep2, 0, t->width);
}

static ir_val number(const struct thunk *t, uint64_t k)
{
    return ir_const(t->c->b, t->width, k);
}

static ir_val result(const struct thunk *t)
{
    ir_val in;
    switch (t->family) {
    case ADD:
        return bin(t, OP_ADD, first(t), second(t));
    case SUB:
        return bin(t, OP_SUB, first(t), second(t));
    case ADC:
        in = ir_zext(t->c->b, bit(t, t->dep3, 0), t->width);
        return bin(t, OP_ADD, bin(t, OP_ADD, first(t), second(t)), in);
    case SBC: /* the carry is the complement of a borrow */
        in = ir_zext(t->c->b, ir_un(t->c->b, OP_NOT, bit(t, t->dep3, 0)), t->width);
        return bin(t, OP_SUB, bin(t, OP_SUB, first(t), second(t)), in);
    default:
        return first(t);
    }
}

static ir_val negative(const struct thunk *t)
{
    return bit(t, t->family == MULL ? second(t) : result(t), t->width - 1);
}

static ir_val zero(const struct thunk *t)
{
    if (t->family == SUB)
        return bin(t, OP_EQ, first(t), second(t));
    ir_val x = t->family == MULL ? bin(t, OP_OR, first(t), second(t)) : result(t);
    return bin(t, OP_EQ, x, number(t, 0));
}

static ir_val carry(const struct thunk *t)
{
    ir_val in, x = first(t), y = second(t), sum;
    switch (t->family) {
    case ADD:
        return bin(t, OP_ULT, result(t), x);
    case SUB:
        return bin(t, OP_ULE, y, x);
    case ADC:
        in = bit(t, t->dep3, 0);
        sum = result(t);
        return ir_ite(t->c->b, in, bin(t, OP_ULE, sum, x), bin(t, OP_ULT, sum, x));
    case SBC:
        in = bit(t, t->dep3, 0);
        return ir_ite(t->c->b, in, bin(t, OP_ULE, y, x), bin(t, OP_ULT, y, x));
    case LOGIC: /* arm: what the shifter put out; arm64 clears it */
        return t->c->arch == MACHINE_ARM ? bit(t, t->dep2, 0) : ir_const(t->c->b, 1, 0);
    default:
        return bit(t, t->dep3, 1);
    }
}

static ir_val overflow(const struct thunk *t)
{
    ir_val x = first(t), y = second(t), r;
    switch (t->family) {
    case ADD:
    case ADC:
        r = result(t);
        return bit(t, bin(t, OP_AND, bin(t, OP_XOR, r, x), bin(t, OP_XOR, r, y)), t->width - 1);
    case SUB:
    case SBC:
        r = result(t);
        return bit(t, bin(t, OP_AND, bin(t, OP_XOR, x, y), bin(t, OP_XOR, x, r)), t->width - 1);
    case LOGIC:
        return t->c->arch == MACHINE_ARM ? bit(t, t->dep3, 0) : ir_const(t->c->b, 1, 0);
    default:
        return bit(t, t->dep3, 0);
    }
}

static ir_val flag(const struct thunk *t, enum vex_nzcv f)
{
    if (t->family == COPY)
        return bit(t, t->dep1, f);
    switch (f) {
    case VEX_N:
        return negative(t);
    case VEX_Z:
        return zero(t);
    case VEX_C:
        return carry(t);
    default:
        return overflow(t);
    }
}

/* Even conditions; an odd one is the negation of the one before. */
enum {
    COND_EQ = 0,
    COND_HS = 2,
    COND_MI = 4,
    COND_VS = 6,
    COND_HI = 8,
    COND_GE = 10,
    COND_GT = 12,
    COND_AL = 14
};

static ir_val even_condition(const struct thunk *t, unsigned cond)
{
    struct ir_builder *b = t->c->b;
    bool compare = t->family == SUB;
    switch (cond) {
    case COND_EQ:
        return flag(t, VEX_Z);
    case COND_HS:
        return flag(t, VEX_C);
    case COND_MI:
        return flag(t, VEX_N);
    case COND_VS:
        return flag(t, VEX_V);
    case COND_HI:
        if (compare)
            return bin(t, OP_ULT, second(t), first(t));
        return bin(t, OP_AND, flag(t, VEX_C), ir_un(b, OP_NOT, flag(t, VEX_Z)));
    case COND_GE:
        if (compare)
            return bin(t, OP_SLE, second(t), first(t));
        return bin(t, OP_EQ, flag(t, VEX_N), flag(t, VEX_V));
    case COND_GT:
        if (compare)
            return bin(t, OP_SLT, second(t), first(t));
        return bin(t, OP_AND, ir_un(b, OP_NOT, flag(t, VEX_Z)),
                   bin(t, OP_EQ, flag(t, VEX_N), flag(t, VEX_V)));
    default:
        return ir_const(b, 1, 1);
    }
}

struct question {
    bool is_flag;
    unsigned what;
};

static ir_val answer(const struct thunk *t, struct question q)
{
    return q.is_flag ? flag(t, (enum vex_nzcv)q.what) : even_condition(t, q.what);
}

/* One bit, for a cc_op that may be known or not. A cc_op that does not exist counts as zero. */
static ir_val ask(struct vex_ctx *c, ir_val cc_op, const ir_val dep[3], struct question q)
{
    struct thunk t = {.c = c, .dep1 = dep[0], .dep2 = dep[1], .dep3 = dep[2]};
    unsigned nops = c->arch == MACHINE_ARM ? ARM_OPS : ARM64_OPS;
    uint64_t k;
    if (ir_is_const(c->b, cc_op, &k)) {
        classify(c->arch, k < nops ? (unsigned)k : 0, &t);
        return answer(&t, q);
    }
    classify(c->arch, 0, &t);
    ir_val out = answer(&t, q);
    for (unsigned i = 1; i < nops; i++) {
        classify(c->arch, i, &t);
        ir_val is = ir_bin(c->b, OP_EQ, cc_op, ir_const(c->b, ir_width(c->b, cc_op), i));
        out = ir_ite(c->b, is, answer(&t, q), out);
    }
    return out;
}

static ir_val condition(struct vex_ctx *c, unsigned cond, ir_val cc_op, const ir_val dep[3])
{
    if (cond >= COND_AL)
        return ir_const(c->b, 1, 1);
    ir_val yes = ask(c, cc_op, dep, (struct question){false, cond & ~1u});
    return cond & 1 ? ir_un(c->b, OP_NOT, yes) : yes;
}

ir_val vex_arm_condition(struct vex_ctx *c, ir_val cond, ir_val cc_op, const ir_val dep[3])
{
    struct ir_builder *b = c->b;
    uint64_t k;
    ir_val yes;
    if (ir_is_const(b, cond, &k)) {
        yes = condition(c, (unsigned)k, cc_op, dep);
    } else { /* a Thumb instruction under an IT state that is not known */
        yes = ir_const(b, 1, 1);
        for (unsigned i = 0; i < COND_AL; i++) {
            ir_val is = ir_bin(b, OP_EQ, cond, ir_const(b, 4, i));
            yes = ir_ite(b, is, condition(c, i, cc_op, dep), yes);
        }
    }
    return ir_zext(b, yes, c->machine->pointer_width);
}

ir_val vex_arm_flag(struct vex_ctx *c, enum vex_nzcv f, const ir_val thunk[4])
{
    ir_val yes = ask(c, thunk[0], thunk + 1, (struct question){true, f});
    return ir_zext(c->b, yes, c->machine->pointer_width);
}

ir_val vex_arm_flags(struct vex_ctx *c, const ir_val thunk[4])
{
    ir_val out = IR_NONE;
    for (unsigned f = VEX_V; f <= VEX_N; f++) {
        ir_val yes = ask(c, thunk[0], thunk + 1, (struct question){true, f});
        out = out == IR_NONE ? yes : ir_bin(c->b, OP_CONCAT, yes, out);
    }
    out = ir_bin(c->b, OP_CONCAT, out, ir_const(c->b, VEX_V, 0));
    return ir_zext(c->b, out, c->machine->pointer_width);
}
