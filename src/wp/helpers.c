/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of compilers' own libraries that stand for operators a processor does not have: what they
 * yield is known exactly. Names, operands and results are those of libgcc's manual ("Integer library
 * routines") and of the Run-time ABI for the Arm architecture (section 5.2). */
#include <string.h>

#include "wp/internal.h"

enum form {
    TWO,      /* operands and result of one width */
    DIVISION, /* the same, and nothing is known when the second is zero */
    QUOTIENT, /* a division that yields the remainder in the registers after the quotient's */
    SHIFT,    /* the second is an int, and nothing is known when it is not less than the width */
    COMPARE,  /* -1, 0 or 1 */
};

static const struct helper {
    const char *name;
    uint8_t width;
    uint8_t form;
    uint8_t op, remainder;
} helpers[] = {
    {"__divsi3", 32, DIVISION, OP_SDIV, 0},
    {"__udivsi3", 32, DIVISION, OP_UDIV, 0},
    {"__modsi3", 32, DIVISION, OP_SREM, 0},
    {"__umodsi3", 32, DIVISION, OP_UREM, 0},
    {"__divdi3", 64, DIVISION, OP_SDIV, 0},
    {"__udivdi3", 64, DIVISION, OP_UDIV, 0},
    {"__moddi3", 64, DIVISION, OP_SREM, 0},
    {"__umoddi3", 64, DIVISION, OP_UREM, 0},
    {"__divti3", 128, DIVISION, OP_SDIV, 0},
    {"__udivti3", 128, DIVISION, OP_UDIV, 0},
    {"__modti3", 128, DIVISION, OP_SREM, 0},
    {"__umodti3", 128, DIVISION, OP_UREM, 0},
    {"__muldi3", 64, TWO, OP_MUL, 0},
    {"__multi3", 128, TWO, OP_MUL, 0},
    {"__ashldi3", 64, SHIFT, OP_SHL, 0},
    {"__ashrdi3", 64, SHIFT, OP_ASHR, 0},
    {"__lshrdi3", 64, SHIFT, OP_LSHR, 0},
    {"__aeabi_idiv", 32, DIVISION, OP_SDIV, 0},
    {"__aeabi_uidiv", 32, DIVISION, OP_UDIV, 0},
    {"__aeabi_idivmod", 32, QUOTIENT, OP_SDIV, OP_SREM},
    {"__aeabi_uidivmod", 32, QUOTIENT, OP_UDIV, OP_UREM},
    {"__aeabi_ldivmod", 64, QUOTIENT, OP_SDIV, OP_SREM},
    {"__aeabi_uldivmod", 64, QUOTIENT, OP_UDIV, OP_UREM},
    {"__aeabi_lmul", 64, TWO, OP_MUL, 0},
    {"__aeabi_llsl", 64, SHIFT, OP_SHL, 0},
    {"__aeabi_lasr", 64, SHIFT, OP_ASHR, 0},
    {"__aeabi_llsr", 64, SHIFT, OP_LSHR, 0},
    {"__aeabi_lcmp", 64, COMPARE, OP_SLT, 0},
    {"__aeabi_ulcmp", 64, COMPARE, OP_ULT, 0},
};

/* In one or two words of the machine; others are not called there. */
static const struct helper *find(const struct side *s, const char *name)
{
    if (!name || s->code->m->big_endian)
        return NULL;
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        unsigned words = helpers[i].width / s->code->m->pointer_width;
        if (strcmp(helpers[i].name, name) == 0 && (words == 1 || words == 2))
            return &helpers[i];
    }
    return NULL;
}

bool helper_is_known(const struct side *s, const char *name)
{
    return find(s, name) != NULL;
}

/* Operands in the words from number `from` on, before the call. */
static term operand(struct side *s, unsigned from, unsigned words)
{
    const struct ir_machine *m = s->code->m;
    struct terms *t = s->w->t;
    term out = TERM_NONE;
    for (unsigned i = from; i < from + words; i++) {
        term word;
        if (i < m->nargs) {
            word = (term)map_find(&s->before, m->arg[i], TERM_NONE);
        } else {
            term sp = (term)map_find(&s->before, m->sp, TERM_NONE);
            uint64_t at = m->stack_arg + (uint64_t)(i - m->nargs) * (m->pointer_width / 8);
            word = term_read(t, s->before_mem, term_add_const(t, sp, at), m->pointer_width);
        }
        out = out == TERM_NONE ? word : term_concat(t, word, out);
    }
    return out;
}

static term result(struct side *s, const struct exec_moment *at, uint16_t low, uint16_t high, unsigned words)
{
    unsigned width = s->code->m->pointer_width;
    term x = moment_register(at, low, width);
    return words == 1 ? x : term_concat(s->w->t, moment_register(at, high, width), x);
}

static term compared(struct terms *t, enum op less, term a, term b, unsigned width)
{
    term one = term_const(t, width, 1), zero = term_const(t, width, 0);
    return term_ite(t, term_bin(t, less, a, b), term_bin(t, OP_SUB, zero, one),
                    term_ite(t, term_eq(t, a, b), zero, one));
}

/* What follows from the meaning of a division without working it out, which takes solvers long. */
static term plain_facts(struct terms *t, enum op op, term a, term b, term r)
{
    term zero = term_const(t, term_width(t, a), 0);
    switch (op) {
    case OP_UREM:
        return term_bin(t, OP_ULT, r, b);
    case OP_UDIV:
        return term_bin(t, OP_ULE, r, a);
    case OP_SREM: {
        term size = term_ite(t, term_bin(t, OP_SLT, r, zero), term_bin(t, OP_SUB, zero, r), r);
        term most = term_ite(t, term_bin(t, OP_SLT, b, zero), term_bin(t, OP_SUB, zero, b), b);
        term sign = term_or(t, term_eq(t, r, zero),
                            term_eq(t, term_bin(t, OP_SLT, r, zero), term_bin(t, OP_SLT, a, zero)));
        return term_and(t, term_bin(t, OP_ULT, size, most), sign);
    }
    default:
        return term_true(t);
    }
}

static term yields(struct terms *t, enum op op, term a, term b, term r)
{
    return term_and(t, term_eq(t, r, term_bin(t, op, a, b)), plain_facts(t, op, a, b, r));
}

void helper_called(struct side *s, struct exec_moment *at, const char *name)
{
    const struct helper *h = find(s, name);
    const struct ir_machine *m = s->code->m;
    struct terms *t = s->w->t;
    unsigned words = h->width / m->pointer_width;
    term a = operand(s, 0, words), b = operand(s, words, h->form == SHIFT ? 1 : words), known = term_true(t),
         is;
    if (h->form == SHIFT) {
        known = term_bin(t, OP_ULT, b, term_const(t, m->pointer_width, h->width));
        b = term_zext(t, b, h->width);
    } else if (h->form == DIVISION || h->form == QUOTIENT) {
        known = term_not(t, term_eq(t, b, term_const(t, h->width, 0)));
    }
    if (h->form == COMPARE)
        is = term_eq(t, moment_register(at, m->ret, m->pointer_width),
                     compared(t, h->op, a, b, m->pointer_width));
    else
        is = yields(t, h->op, a, b, result(s, at, m->ret, m->ret2, words));
    if (h->form == QUOTIENT)
        is = term_and(
            t, is,
            yields(t, h->remainder, a, b, result(s, at, m->arg[words], words == 2 ? m->arg[3] : 0, words)));
    moment_assume(at, term_implies(t, known, is));
    wp_note(s->w, "%s behaves as documented by the compiler's library", name);
}
