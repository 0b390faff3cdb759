/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x87 unit computes with numbers of 80 bits, lifted code with 64 of them. What comes out is known where
 * it is the same. */
#include <math.h>
#include <string.h>

#include "adapt/blind.h"
#include "lift/lift.h"

static bool has_x87(const struct ir_machine *m)
{
    return m->arch == MACHINE_AMD64 || m->arch == MACHINE_X86;
}

static bool is_prefix(const struct ir_machine *m, uint8_t byte)
{
    static const uint8_t list[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3};
    return memchr(list, byte, sizeof list) || (m->arch == MACHINE_AMD64 && (byte & 0xf0) == 0x40);
}

/* Instruction n of the block is made for one of that unit. */
static bool is_of_x87(const struct program *p, uint64_t bias, const struct ir_block *block, uint32_t n)
{
    enum { ESCAPE = 0xd8 };
    uint64_t at = 0;
    uint8_t byte = 0;
    for (uint32_t k = 0; k < block->nmark && block->mark[k].first <= n; k++)
        at = block->mark[k].address;
    do {
        if (!object_read(program_object(p), at++ - bias, &byte, 1))
            return false;
    } while (is_prefix(program_machine(p), byte));
    return (byte & 0xf8) == ESCAPE;
}

static double operand(const struct run *r, uint32_t value)
{
    double x;
    uint64_t bits = concrete_word(r->s->c, value);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of a number that has at least the precision of the unit. */
static bool is_double(long double x)
{
    return isnan(x) || (long double)(double)x == x;
}

/* The whole number is one of 64 bits, and as large and as small as those can be. */
static bool is_double_of_80(struct bits x)
{
    enum { LOST = 11, LEAST = 0x3fff - 1022, MOST = 0x3fff + 1023, SPECIAL = 0x7fff };
    uint64_t fraction = x.w[0];
    unsigned exponent = x.w[1] & 0x7fff;
    if (fraction & word_ones(LOST))
        return false;
    return (!exponent && !fraction) ||
           (fraction >> 63 && (exponent == SPECIAL || (exponent >= LEAST && exponent <= MOST)));
}

static bool is_scaled(double x, double by)
{
    const double most = 10000;
    return by > -most && by < most && is_double(ldexpl(x, (int)by));
}

static bool is_pure(const struct ir_insn *i, const char *name)
{
    const struct ir_pures pures = lift_pures();
    return i->a < pures.count && strcmp(pures.table[i->a].name, name) == 0;
}

/* What comes out may have been rounded. */
static bool computes(const struct ir_insn *i)
{
    return i->op == IR_PURE ? !is_pure(i, "x87:f64to80")
                            : (i->op >= OP_FADD && i->op <= OP_FREM && i->op != OP_FRINT) ||
                                  i->op == OP_S2F || i->op == OP_U2F;
}

/* Operators with a rounding mode have it first. */
static bool is_the_same(const struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    switch (i->op) {
    case OP_FADD:
        return is_double((long double)operand(r, i->b) + operand(r, i->c));
    case OP_FSUB:
        return is_double((long double)operand(r, i->b) - operand(r, i->c));
    case OP_FMUL:
        return is_double((long double)operand(r, i->b) * operand(r, i->c));
    case OP_FDIV:
        return is_double((long double)operand(r, i->b) / operand(r, i->c));
    case OP_FSQRT:
        return is_double(sqrtl(operand(r, i->b)));
    case OP_S2F:
        return block->insn[i->b].width < 64 || is_double((long double)(int64_t)concrete_word(r->s->c, i->b));
    case IR_PURE:
        return (is_pure(i, "x87:f80to64") && is_double_of_80(concrete_value(r->s->c, block->arg[i->b]))) ||
               (is_pure(i, "x87:scale") &&
                is_scaled(operand(r, block->arg[i->b + 1]), operand(r, block->arg[i->b + 2])));
    default:
        return false;
    }
}

/* Those that the unit has in it, in 64 bits. */
static bool is_rounded_constant(uint64_t x)
{
    return x == UINT64_C(0x400921fb54442d18) /* pi */ || x == UINT64_C(0x3ff71547652b82fe) /* log2 e */ ||
           x == UINT64_C(0x400a934f0979a371) /* log2 10 */ ||
           x == UINT64_C(0x3fd34413509f79ff) /* log10 2 */ || x == UINT64_C(0x3fe62e42fefa39ef) /* ln 2 */;
}

bool blind_rounds(const struct run *r, const struct ir_block *block, uint32_t n)
{
    const struct world *w = r->s->w;
    const struct ir_insn *i = &block->insn[n];
    if (!has_x87(w->m))
        return false;
    if (i->op == IR_CONST)
        return i->width == 64 && is_rounded_constant(ir_imm(i->a, i->b));
    return computes(i) && !is_the_same(r, block, i) && is_of_x87(w->p, w->guest.bias, block, n);
}

/* One of 80 bits that is a number, and not too small for the leading bit to be there. */
static bool is_normal(struct bits x)
{
    unsigned exponent = x.w[1] & 0x7fff;
    return x.w[0] >> 63 && exponent && exponent != 0x7fff;
}

/* The sign is changed, or taken away. */
static bool turns_sign(const struct run *r, const struct ir_insn *i, uint32_t *of)
{
    const uint64_t sign = UINT64_C(1) << 63;
    const uint32_t operand[] = {i->a, i->b};
    for (unsigned k = 0; k < 2 && (i->op == OP_XOR || i->op == OP_AND) && i->width == 64; k++) {
        *of = operand[k];
        if (!is_unknown(r->s->w->value[operand[1 - k]]) &&
            concrete_word(r->s->c, operand[1 - k]) == (i->op == OP_XOR ? sign : ~sign))
            return true;
    }
    return false;
}

shade blind_rounded(const struct run *r, const struct ir_block *block, uint32_t n)
{
    const struct world *w = r->s->w;
    const struct ir_insn *i = &block->insn[n];
    uint32_t of;
    bool rounded = w->x87;
    if (!rounded)
        return 0;
    if (i->op == IR_PURE)
        return is_pure(i, "x87:f80to64") && !is_unknown(w->value[block->arg[i->b]]) &&
                       is_unknown(w->value[n]) && is_normal(concrete_value(r->s->c, block->arg[i->b]))
                   ? SHADE_ROUNDED
                   : 0;
    if (i->op == IR_GET) { /* each is written whole */
        rounded =
            i->width == 64 && (uint32_t)(i->a - w->x87_register) < 64 && (i->a - w->x87_register) % 8 == 0;
        for (unsigned k = 0; k < 8 && rounded; k++)
            rounded = r->s->reg[i->a + k] & SHADE_ROUNDED;
        return rounded ? SHADE_ROUNDED : 0;
    }
    return turns_sign(r, i, &of) ? w->value[of] & SHADE_ROUNDED : 0;
}

/* The larger of two numbers is not the smaller one when both are rounded, or one is. */
bool blind_compares_rounded(const struct run *r, const struct ir_insn *i)
{
    const struct world *w = r->s->w;
    if (i->op != OP_FEQ && i->op != OP_FLT && i->op != OP_FLE && i->op != OP_FUNORD)
        return false;
    const shade x = w->value[i->a], y = w->value[i->b];
    if (!((x | y) & SHADE_ROUNDED) || (is_unknown(x) && !(x & SHADE_ROUNDED)) ||
        (is_unknown(y) && !(y & SHADE_ROUNDED)))
        return false;
    double a = operand(r, i->a), b = operand(r, i->b);
    return i->op == OP_FUNORD || isnan(a) || isnan(b) || a != b;
}

bool x87_rounds(struct program *p, const struct flow_graph *g)
{
    for (uint32_t k = 0; has_x87(program_machine(p)) && k < g->nblocks; k++)
        for (uint32_t n = 0; n < g->block[k].ninsn; n++)
            if (computes(&g->block[k].insn[n]) && is_of_x87(p, 0, &g->block[k], n))
                return true;
    return false;
}
