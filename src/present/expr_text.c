/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions as people read them. */
#include <inttypes.h>

#include "base/buf.h"
#include "present/expr_table.h"

enum { PRINT_DEPTH = 24 };

static void print(struct buf *out, const struct exprs *t, expr x, unsigned depth);

static void print_list(struct buf *out, const struct exprs *t, const struct node *n, const char *between,
                       unsigned depth)
{
    for (unsigned i = 0; i < n->nkids; i++) {
        if (i)
            buf_puts(out, between);
        print(out, t, n->kid[i], depth + 1);
    }
}

static void print_op(struct buf *out, const struct exprs *t, const struct node *n, unsigned depth)
{
    static const char *const infix[OP_COUNT_] = {
        [OP_ADD] = " + ",    [OP_SUB] = " - ",  [OP_MUL] = " * ",   [OP_UDIV] = " / ",
        [OP_SDIV] = " /s ",  [OP_UREM] = " % ", [OP_SREM] = " %s ", [OP_AND] = " & ",
        [OP_OR] = " | ",     [OP_XOR] = " ^ ",  [OP_SHL] = " << ",  [OP_LSHR] = " >> ",
        [OP_ASHR] = " >>s ", [OP_EQ] = " == ",  [OP_ULT] = " < ",   [OP_SLT] = " <s "};
    enum op op = (enum op)n->value;
    if (infix[op]) {
        buf_putc(out, '(');
        print_list(out, t, n, infix[op], depth);
        buf_putc(out, ')');
    } else if (op == OP_NOT || op == OP_NEG) {
        buf_putc(out, op == OP_NOT ? '!' : '-');
        print(out, t, n->kid[0], depth + 1);
    } else {
        buf_printf(out, "%s(", op_info[op].name);
        print_list(out, t, n, ", ", depth);
        buf_putc(out, ')');
    }
}

static void print(struct buf *out, const struct exprs *t, expr x, unsigned depth)
{
    const struct node *n = node_of(t, x);
    if (depth > PRINT_DEPTH) {
        buf_puts(out, "...");
        return;
    }
    switch ((enum expr_kind)n->kind) {
    case EXPR_ANY:
        buf_putc(out, '_');
        break;
    case EXPR_CONST:
        if (n->value > -4096 && n->value < 4096)
            buf_printf(out, "%" PRId64, n->value);
        else
            buf_printf(out, "0x%" PRIx64, (uint64_t)n->value);
        break;
    case EXPR_STRING:
        buf_printf(out, "\"%s\"", n->name);
        break;
    case EXPR_ARG:
        buf_printf(out, "arg%" PRId64, n->value);
        break;
    case EXPR_FARG:
        buf_printf(out, "farg%" PRId64, n->value);
        break;
    case EXPR_LOCAL:
        buf_puts(out, "local");
        break;
    case EXPR_SYMBOL:
        buf_printf(out, "&%s", n->name);
        break;
    case EXPR_OTHER:
        buf_puts(out, n->name ? n->name : "?");
        break;
    case EXPR_MEM:
        buf_puts(out, "mem(");
        print(out, t, n->kid[0], depth + 1);
        buf_putc(out, ')');
        break;
    case EXPR_CALL:
        buf_printf(out, "%s(", n->name ? n->name : "*");
        print_list(out, t, n, ", ", depth);
        buf_putc(out, ')');
        break;
    case EXPR_OP:
        print_op(out, t, n, depth);
        break;
    }
}

void expr_print(struct buf *out, const struct exprs *t, expr x)
{
    print(out, t, x, 0);
}
