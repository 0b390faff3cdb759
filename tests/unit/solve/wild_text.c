/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random SMT-LIB text with everything a person might write: names that hide others, operators of many
 * operands, definitions, annotations. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "wild.h"

struct author {
    uint64_t *seed;
    struct buf *out;
    unsigned width[8]; /* of the names x0, x1, ... as they are bound here; 1: Bool */
    unsigned depth, named, bound;
};

static unsigned below(struct author *a, unsigned n)
{
    return wild_below(a->seed, n);
}

static void write_expression(struct author *a, unsigned width);

static void write_constant(struct author *a, unsigned width)
{
    struct bits v = wild_bits(a->seed, width);
    if (width == 1) {
        buf_puts(a->out, bits_bit(v, 0) ? "true" : "false");
    } else if (below(a, 3) == 0) {
        buf_printf(a->out, "(_ bv%llu %u)", (unsigned long long)bits_low(v), width);
    } else if (width % 4 == 0 && below(a, 2)) {
        buf_printf(a->out, "#x%0*llX", (int)(width / 4), (unsigned long long)bits_low(v));
    } else {
        buf_puts(a->out, "#b");
        for (unsigned i = width; i-- > 0;)
            buf_putc(a->out, bits_bit(v, i) ? '1' : '0');
    }
}

static void write_leaf(struct author *a, unsigned width)
{
    unsigned start = below(a, 8);
    for (unsigned i = 0; i < 8 && below(a, 4); i++)
        if (a->width[(start + i) % 8] == width) {
            buf_printf(a->out, "x%u", (start + i) % 8);
            return;
        }
    write_constant(a, width);
}

static void write_many(struct author *a, unsigned width, unsigned n)
{
    while (n--) {
        buf_putc(a->out, ' ');
        write_expression(a, width);
    }
    buf_putc(a->out, ')');
}

/* All values are those of the names outside, whatever is bound beside. */
static void write_let(struct author *a, unsigned width)
{
    unsigned n = 1 + below(a, 3), first = below(a, 8), bound[8];
    memcpy(bound, a->width, sizeof bound);
    buf_puts(a->out, "(let (");
    for (unsigned i = 0; i < n; i++) {
        unsigned w = 1 + below(a, 8);
        buf_printf(a->out, "(x%u ", (first + i) % 8);
        write_expression(a, w);
        buf_puts(a->out, ")");
        bound[(first + i) % 8] = w;
    }
    buf_puts(a->out, ") ");
    unsigned outside[8];
    memcpy(outside, a->width, sizeof outside);
    memcpy(a->width, bound, sizeof bound);
    a->bound++;
    write_expression(a, width);
    a->bound--;
    memcpy(a->width, outside, sizeof outside);
    buf_putc(a->out, ')');
}

static void write_bool(struct author *a)
{
    static const char *const many[] = {"and", "or", "xor", "=>"};
    static const char *const order[] = {"bvult", "bvule", "bvugt", "bvuge",
                                        "bvslt", "bvsle", "bvsgt", "bvsge"};
    unsigned w = 2 + below(a, 8);
    switch (below(a, 6)) {
    case 0:
        buf_puts(a->out, "(not");
        write_many(a, 1, 1);
        break;
    case 1:
        buf_printf(a->out, "(%s", many[below(a, 4)]);
        write_many(a, 1, 2 + below(a, 2));
        break;
    case 2:
        buf_puts(a->out, below(a, 2) ? "(=" : "(distinct");
        write_many(a, below(a, 2) ? w : 1, 2 + below(a, 2));
        break;
    case 3:
        buf_puts(a->out, "(=");
        write_many(a, w, 2 + below(a, 2));
        break;
    default:
        buf_printf(a->out, "(%s", order[below(a, 8)]);
        write_many(a, w, 2);
        break;
    }
}

static void write_bits(struct author *a, unsigned w)
{
    static const char *const fold[] = {"bvadd", "bvmul", "bvand", "bvor", "bvxor"};
    static const char *const two[] = {"bvsub",  "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvshl",
                                      "bvlshr", "bvashr", "bvnand", "bvnor",  "bvxnor", "bvsub"};
    unsigned n, lo;
    switch (below(a, 9)) {
    case 0:
        buf_puts(a->out, below(a, 2) ? "(bvnot" : "(bvneg");
        write_many(a, w, 1);
        break;
    case 1:
        buf_printf(a->out, "(%s", fold[below(a, 5)]);
        write_many(a, w, 2 + below(a, 2));
        break;
    case 2:
        buf_printf(a->out, "((_ rotate_%s %u)", below(a, 2) ? "left" : "right", below(a, 12));
        write_many(a, w, 1);
        break;
    case 3:
        n = w + below(a, 4);
        lo = below(a, n - w + 1);
        buf_printf(a->out, "((_ extract %u %u)", lo + w - 1, lo);
        write_many(a, n < 2 ? 2 : n, 1);
        break;
    case 4:
        if (w < 3)
            goto two;
        n = 1 + below(a, w - 2);
        buf_printf(a->out, "((_ %s_extend %u)", below(a, 2) ? "zero" : "sign", n);
        write_many(a, w - n, 1);
        break;
    case 5:
        if (w < 4)
            goto two;
        if (w % 2 == 0 && below(a, 2)) {
            buf_puts(a->out, "((_ repeat 2)");
            write_many(a, w / 2, 1);
            break;
        }
        n = 2 + below(a, w - 3);
        buf_puts(a->out, "(concat ");
        write_expression(a, n);
        buf_putc(a->out, ' ');
        write_expression(a, w - n);
        buf_putc(a->out, ')');
        break;
    case 6:
        if (w < 3)
            goto two;
        n = 2 + below(a, 5);
        buf_printf(a->out, "((_ zero_extend %u) (bvcomp", w - 1);
        write_many(a, n, 2);
        buf_putc(a->out, ')');
        break;
    default:
    two:
        buf_printf(a->out, "(%s", two[below(a, 13)]);
        write_many(a, w, 2);
        break;
    }
}

static void write_expression(struct author *a, unsigned width)
{
    if (a->depth == 0 || below(a, 6) == 0) {
        write_leaf(a, width);
        return;
    }
    a->depth--;
    unsigned what = below(a, 12);
    if (what == 0) {
        write_let(a, width);
    } else if (what == 1) {
        buf_puts(a->out, "(ite ");
        write_expression(a, 1);
        write_many(a, width, 2);
    } else if (what == 2 && !a->bound) {
        unsigned id = a->named++;
        buf_puts(a->out, "(! ");
        write_expression(a, width);
        buf_printf(a->out, " :named n%u)", id);
    } else if (what == 3 && width > 1 && width < 9) {
        buf_printf(a->out, "(|twice %u|", width);
        write_many(a, width, 2);
    } else if (width == 1) {
        write_bool(a);
    } else {
        write_bits(a, width);
    }
    a->depth++;
}

void wild_script(struct buf *out, uint64_t *seed)
{
    struct author a = {.seed = seed, .out = out, .depth = 3 + wild_below(seed, 4)};
    buf_puts(out, "(set-logic QF_BV) ; numbers\n(set-info :source |a; \"b|)\n");
    for (unsigned w = 2; w < 9; w++) /* the parameters hide the symbols */
        buf_printf(out,
                   "(define-fun |twice %u| ((x1 (_ BitVec %u)) (x0 (_ BitVec %u))) (_ BitVec %u) (bvsub "
                   "(bvadd x1 x1) x0))\n",
                   w, w, w, w);
    for (unsigned i = 0; i < 8; i++) {
        a.width[i] = 1 + wild_below(seed, 8);
        if (a.width[i] == 1)
            buf_printf(out, "(declare-const x%u Bool)\n(assert (= x%u ", i, i);
        else
            buf_printf(out, "(declare-fun x%u () (_ BitVec %u))\n(assert (= x%u ", i, a.width[i], i);
        write_constant(&a, a.width[i]);
        buf_puts(out, "))\n");
    }
    buf_puts(out, "(assert ");
    write_expression(&a, 1);
    buf_puts(out, ")\n(check-sat)\n");
}
