/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Condition codes of i386 and amd64.
 *
 * VEX does not compute flags when an instruction sets them; it notes which operation it was (cc_op) and two
 * or three of its operands, and asks for flags or conditions when they are used. cc_op numbers are in
 * libVEX's guest_amd64_defs.h and guest_x86_defs.h: zero is "dep1 holds the flags"; then come families of
 * operations, each with a number for every operand size; after them on amd64 a few with only the sizes 32
 * and 64. */
#include <assert.h>

#include "lift/vex/vex.h"

enum family {
    COPY,
    ADD,
    SUB,
    ADC,
    SBB,
    LOGIC,
    INC,
    DEC,
    SHL,
    SHR,
    ROL,
    ROR,
    UMUL,
    SMUL,
    ANDN,
    BLSI,
    BLSMSK,
    BLSR,
    ADCX,
    ADOX
};

/* Bit positions in the flags register; also the names of the flags here. */
enum flag { CF = 0, PF = 2, AF = 4, ZF = 6, SF = 7, OF = 11 };

enum { AMD64_OPS = 65, X86_OPS = 40 };

/* One operation with its operands as VEX notes them, at full width. */
struct thunk {
    struct vex_ctx *c;
    enum family family;
    unsigned width; /* of the operation; 0 for COPY */
    ir_val dep1, dep2, ndep;
};

static void classify(enum machine_arch arch, unsigned cc_op, struct thunk *t)
{
    if (cc_op == 0) {
        t->family = COPY;
        t->width = 0;
        return;
    }
    unsigned sizes = arch == MACHINE_AMD64 ? 4 : 3, regular = SMUL * sizes, i = cc_op - 1;
    if (i < regular) {
        t->family = (enum family)(ADD + i / sizes);
        t->width = 8u << i % sizes;
    } else {
        i -= regular;
        t->family = (enum family)(ANDN + i / 2);
        t->width = i % 2 ? 64 : 32;
    }
}

static ir_val un(const struct thunk *t, enum op op, ir_val x)
{
    return ir_un(t->c->b, op, x);
}

static ir_val bin(const struct thunk *t, enum op op, ir_val x, ir_val y)
{
    return ir_bin(t->c->b, op, x, y);
}

static ir_val number(const struct thunk *t, uint64_t k)
{
    return ir_const(t->c->b, t->width, k);
}

static ir_val bit(const struct thunk *t, ir_val x, unsigned i)
{
    return ir_extract(t->c->b, x, i, 1);
}

static ir_val no(const struct thunk *t)
{
    return ir_const(t->c->b, 1, 0);
}

static ir_val first(const struct thunk *t)
{
    return ir_extract(t->c->b, t->dep1, 0, t->width);
}

/* The second operand; additions and subtractions with carry note it xored with the old carry. */
static ir_val second(const struct thunk *t)
{
    ir_val x = ir_extract(t->c->b, t->dep2, 0, t->width);
    switch (t->family) {
    case ADC:
    case SBB:
    case ADCX:
        return bin(t, OP_XOR, x, ir_zext(t->c->b, bit(t, t->ndep, CF), t->width));
    case ADOX:
        return bin(t, OP_XOR, x, ir_zext(t->c->b, bit(t, t->ndep, OF), t->width));
    default:
        return x;
    }
}

static ir_val carry_in(const struct thunk *t)
{
    return ir_zext(t->c->b, bit(t, t->ndep, t->family == ADOX ? OF : CF), t->width);
}

static ir_val result(const struct thunk *t)
{
    switch (t->family) {
    case ADD:
        return bin(t, OP_ADD, first(t), second(t));
    case SUB:
        return bin(t, OP_SUB, first(t), second(t));
    case ADC:
    case ADCX:
    case ADOX:
        return bin(t, OP_ADD, bin(t, OP_ADD, first(t), second(t)), carry_in(t));
    case SBB:
        return bin(t, OP_SUB, bin(t, OP_SUB, first(t), second(t)), carry_in(t));
    case UMUL:
    case SMUL:
        return bin(t, OP_MUL, first(t), second(t));
    default:
        return first(t);
    }
}

/* Carry out of first + second + carry in, or borrow of first - second - carry in. */
static ir_val carry_chain(const struct thunk *t)
{
    ir_val in = bit(t, t->ndep, t->family == ADOX ? OF : CF), x = first(t), y = second(t);
    if (t->family == SBB)
        return ir_ite(t->c->b, in, bin(t, OP_ULE, x, y), bin(t, OP_ULT, x, y));
    ir_val sum = result(t);
    return ir_ite(t->c->b, in, bin(t, OP_ULE, sum, x), bin(t, OP_ULT, sum, x));
}

/* Whether a product does not fit the operand size. */
static ir_val product_overflows(const struct thunk *t)
{
    struct ir_builder *b = t->c->b;
    enum op extend = t->family == SMUL ? OP_SEXT : OP_ZEXT;
    ir_val x = first(t), y = second(t);
    x = ir_op(b, extend, 2 * t->width, &x, 1);
    y = ir_op(b, extend, 2 * t->width, &y, 1);
    ir_val product = bin(t, OP_MUL, x, y), low = ir_extract(b, product, 0, t->width);
    return un(t, OP_NOT, bin(t, OP_EQ, product, ir_op(b, extend, 2 * t->width, &low, 1)));
}

static ir_val carry(const struct thunk *t)
{
    switch (t->family) {
    case ADD:
        return bin(t, OP_ULT, result(t), first(t));
    case SUB:
        return bin(t, OP_ULT, first(t), second(t));
    case ADC:
    case SBB:
    case ADCX:
        return carry_chain(t);
    case INC:
    case DEC:
    case ADOX:
        return bit(t, t->ndep, CF);
    case SHL:
        return bit(t, t->dep2, t->width - 1);
    case SHR:
        return bit(t, t->dep2, 0);
    case ROL:
        return bit(t, t->dep1, 0);
    case ROR:
        return bit(t, t->dep1, t->width - 1);
    case UMUL:
    case SMUL:
        return product_overflows(t);
    case BLSI:
        return un(t, OP_NOT, bin(t, OP_EQ, second(t), number(t, 0)));
    case BLSMSK:
    case BLSR:
        return bin(t, OP_EQ, second(t), number(t, 0));
    case COPY:
        return bit(t, t->dep1, CF);
    default:
        return no(t);
    }
}

/* Sign bit of (x ^ y) & (x ^ z). */
static ir_val signs_differ(const struct thunk *t, ir_val x, ir_val y, ir_val z)
{
    return bit(t, bin(t, OP_AND, bin(t, OP_XOR, x, y), bin(t, OP_XOR, x, z)), t->width - 1);
}

static ir_val overflow(const struct thunk *t)
{
    unsigned top = t->width - 1;
    switch (t->family) {
    case ADD:
    case ADC: {
        ir_val sum = result(t);
        return signs_differ(t, sum, first(t), second(t));
    }
    case SUB:
    case SBB:
        return signs_differ(t, first(t), second(t), result(t));
    case INC:
        return bin(t, OP_EQ, first(t), number(t, UINT64_C(1) << top));
    case DEC:
        return bin(t, OP_EQ, first(t), number(t, (UINT64_C(1) << top) - 1));
    case SHL:
    case SHR:
        return bin(t, OP_XOR, bit(t, t->dep1, top), bit(t, t->dep2, top));
    case ROL:
        return bin(t, OP_XOR, bit(t, t->dep1, top), bit(t, t->dep1, 0));
    case ROR:
        return bin(t, OP_XOR, bit(t, t->dep1, top), bit(t, t->dep1, top - 1));
    case UMUL:
    case SMUL:
        return product_overflows(t);
    case ADOX:
        return carry_chain(t);
    case ADCX:
        return bit(t, t->ndep, OF);
    case COPY:
        return bit(t, t->dep1, OF);
    default:
        return no(t);
    }
}

static ir_val parity(const struct thunk *t)
{
    struct ir_builder *b = t->c->b;
    ir_val ones = ir_un(b, OP_POPCNT, ir_extract(b, result(t), 0, 8));
    return un(t, OP_NOT, bit(t, ones, 0));
}

static ir_val adjust(const struct thunk *t)
{
    ir_val x, y;
    switch (t->family) {
    case ADD:
    case SUB:
    case ADC:
    case SBB:
        x = first(t);
        y = second(t);
        return bit(t, bin(t, OP_XOR, result(t), bin(t, OP_XOR, x, y)), 4);
    case INC: /* a carry into bit 4 left the lower half zero */
        return bin(t, OP_EQ, ir_extract(t->c->b, t->dep1, 0, 4), ir_const(t->c->b, 4, 0));
    case DEC:
        return bin(t, OP_EQ, ir_extract(t->c->b, t->dep1, 0, 4), ir_const(t->c->b, 4, 15));
    default:
        return no(t);
    }
}

static ir_val zero(const struct thunk *t)
{
    if (t->family == SUB)
        return bin(t, OP_EQ, first(t), second(t));
    if (t->family == BLSMSK)
        return no(t);
    return bin(t, OP_EQ, result(t), number(t, 0));
}

/* Rotations and adcx/adox change one or two flags and keep the rest, which are in ndep. */
static bool keeps(enum family family, enum flag f)
{
    switch (family) {
    case ROL:
    case ROR:
        return f != CF && f != OF;
    case ADCX:
        return f != CF;
    case ADOX:
        return f != OF;
    default:
        return false;
    }
}

static ir_val flag(const struct thunk *t, enum flag f)
{
    if (t->family == COPY)
        return bit(t, t->dep1, f);
    if (keeps(t->family, f))
        return bit(t, t->ndep, f);
    bool no_parity = t->family >= ANDN;
    switch (f) {
    case CF:
        return carry(t);
    case PF:
        return no_parity ? no(t) : parity(t);
    case AF:
        return adjust(t);
    case ZF:
        return zero(t);
    case SF:
        return bit(t, result(t), t->width - 1);
    default:
        return overflow(t);
    }
}

/* Even conditions; an odd one is the negation of the one before. */
enum { COND_O = 0, COND_B = 2, COND_Z = 4, COND_BE = 6, COND_S = 8, COND_P = 10, COND_L = 12, COND_LE = 14 };

static ir_val even_condition(const struct thunk *t, unsigned cond)
{
    bool compare = t->family == SUB, logic = t->family == LOGIC;
    ir_val y = compare ? second(t) : logic ? number(t, 0) : IR_NONE;
    switch (cond) {
    case COND_O:
        return flag(t, OF);
    case COND_B:
        return flag(t, CF);
    case COND_Z:
        return flag(t, ZF);
    case COND_BE:
        if (compare)
            return bin(t, OP_ULE, first(t), y);
        return bin(t, OP_OR, flag(t, CF), flag(t, ZF));
    case COND_S:
        return flag(t, SF);
    case COND_P:
        return flag(t, PF);
    case COND_L:
        if (compare || logic)
            return bin(t, OP_SLT, first(t), y);
        return bin(t, OP_XOR, flag(t, SF), flag(t, OF));
    default:
        if (compare || logic)
            return bin(t, OP_SLE, first(t), y);
        return bin(t, OP_OR, bin(t, OP_XOR, flag(t, SF), flag(t, OF)), flag(t, ZF));
    }
}

/* What is asked of a thunk: a condition (0 to 15) or one flag. */
struct question {
    bool is_flag;
    unsigned what;
};

static ir_val answer(const struct thunk *t, struct question q)
{
    return q.is_flag ? flag(t, (enum flag)q.what) : even_condition(t, q.what);
}

/* One bit, for a cc_op that may be known or not. A cc_op that does not exist counts as zero. */
static ir_val ask(struct vex_ctx *c, const ir_val in[4], struct question q)
{
    struct thunk t = {.c = c, .dep1 = in[1], .dep2 = in[2], .ndep = in[3]};
    unsigned nops = c->arch == MACHINE_AMD64 ? AMD64_OPS : X86_OPS;
    uint64_t cc_op;
    if (ir_is_const(c->b, in[0], &cc_op)) {
        classify(c->arch, cc_op < nops ? (unsigned)cc_op : 0, &t);
        return answer(&t, q);
    }
    classify(c->arch, 0, &t);
    ir_val out = answer(&t, q);
    for (unsigned i = 1; i < nops; i++) {
        classify(c->arch, i, &t);
        ir_val is = ir_bin(c->b, OP_EQ, in[0], ir_const(c->b, c->machine->pointer_width, i));
        out = ir_ite(c->b, is, answer(&t, q), out);
    }
    return out;
}

ir_val vex_x86_condition(struct vex_ctx *c, ir_val cond, const ir_val thunk[4])
{
    uint64_t k;
    unsigned width = c->machine->pointer_width;
    bool known = ir_is_const(c->b, cond, &k);
    assert(known); /* it is part of the instruction */
    if (!known || k > 15)
        return ir_const(c->b, width, 1);
    ir_val yes = ask(c, thunk, (struct question){false, (unsigned)k & ~1u});
    if (k & 1)
        yes = ir_un(c->b, OP_NOT, yes);
    return ir_zext(c->b, yes, width);
}

ir_val vex_x86_carry(struct vex_ctx *c, const ir_val thunk[4])
{
    return ir_zext(c->b, ask(c, thunk, (struct question){true, CF}), c->machine->pointer_width);
}

ir_val vex_x86_flags(struct vex_ctx *c, const ir_val thunk[4])
{
    uint64_t cc_op;
    unsigned width = c->machine->pointer_width;
    if (ir_is_const(c->b, thunk[0], &cc_op) && cc_op == 0) {
        enum { ALL = 1 << CF | 1 << PF | 1 << AF | 1 << ZF | 1 << SF | 1 << OF };
        return ir_bin(c->b, OP_AND, thunk[1], ir_const(c->b, width, ALL));
    }
    static const struct {
        enum flag flag;
        unsigned gap; /* zero bits between this flag and the one below */
    } order[] = {{CF, 0}, {PF, 1}, {AF, 1}, {ZF, 1}, {SF, 0}, {OF, 3}};
    ir_val out = IR_NONE;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        ir_val f = ask(c, thunk, (struct question){true, order[i].flag});
        if (order[i].gap)
            out = ir_bin(c->b, OP_CONCAT, ir_const(c->b, order[i].gap, 0), out);
        out = out == IR_NONE ? f : ir_bin(c->b, OP_CONCAT, f, out);
    }
    return ir_zext(c->b, out, width);
}
