/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "z3_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <z3.h>

#include "base/alloc.h"

struct z3 {
    Z3_context c;
    struct terms *t;
    Z3_ast *of; /* by term */
};

static Z3_ast bit(struct z3 *z, Z3_ast b)
{
    Z3_sort s = Z3_mk_bv_sort(z->c, 1);
    return Z3_mk_ite(z->c, b, Z3_mk_unsigned_int(z->c, 1, s), Z3_mk_unsigned_int(z->c, 0, s));
}

static Z3_ast truth(struct z3 *z, Z3_ast x)
{
    return Z3_mk_eq(z->c, x, Z3_mk_unsigned_int(z->c, 1, Z3_mk_bv_sort(z->c, 1)));
}

static Z3_ast number(struct z3 *z, unsigned width, unsigned v)
{
    return Z3_mk_unsigned_int(z->c, v, Z3_mk_bv_sort(z->c, width));
}

static Z3_ast constant(struct z3 *z, term x)
{
    struct bits v;
    unsigned width = term_width(z->t, x);
    term_const_value(z->t, x, &v);
    Z3_ast r = NULL;
    for (unsigned i = 0; i < width; i += 32) {
        unsigned n = width - i < 32 ? width - i : 32;
        Z3_ast part = number(z, n, (unsigned)(v.w[i / 64] >> i % 64) & (n == 32 ? ~0u : (1u << n) - 1));
        r = r ? Z3_mk_concat(z->c, part, r) : part;
    }
    return r;
}

static Z3_ast count(struct z3 *z, unsigned op, Z3_ast x, unsigned width)
{
    Z3_ast r = number(z, width, op == OP_POPCNT ? 0 : width);
    for (unsigned i = 0; i < width; i++) {
        unsigned at = op == OP_CLZ ? i : op == OP_CTZ ? width - 1 - i : i;
        Z3_ast b = truth(z, Z3_mk_extract(z->c, at, at, x));
        if (op == OP_POPCNT)
            r = Z3_mk_bvadd(z->c, r, Z3_mk_ite(z->c, b, number(z, width, 1), number(z, width, 0)));
        else
            r = Z3_mk_ite(z->c, b, number(z, width, op == OP_CLZ ? width - 1 - i : at), r);
    }
    return r;
}

static Z3_ast index_plus(struct z3 *z, Z3_ast i, unsigned iw, unsigned k)
{
    return k ? Z3_mk_bvadd(z->c, i, number(z, iw, k)) : i;
}

static Z3_sort sort_of(struct z3 *z, term x)
{
    if (!term_is_array(z->t, x))
        return Z3_mk_bv_sort(z->c, term_width(z->t, x));
    return Z3_mk_array_sort(z->c, Z3_mk_bv_sort(z->c, term_index_width(z->t, x)),
                            Z3_mk_bv_sort(z->c, term_cell_width(z->t, x)));
}

static Z3_ast translate(struct z3 *z, term x)
{
    struct terms *t = z->t;
    Z3_context c = z->c;
    unsigned kind = term_kind(t, x), width = term_width(t, x), n = term_nkids(t, x);
    Z3_ast a = n > 0 ? z->of[term_kid(t, x, 0)] : NULL, b = n > 1 ? z->of[term_kid(t, x, 1)] : NULL,
           d = n > 2 ? z->of[term_kid(t, x, 2)] : NULL;
    switch (kind) {
    case TERM_CONST:
        return constant(z, x);
    case TERM_VAR:
        return Z3_mk_const(c, Z3_mk_string_symbol(c, term_name(t, x)), sort_of(z, x));
    case OP_NOT:
        return Z3_mk_bvnot(c, a);
    case OP_NEG:
        return Z3_mk_bvneg(c, a);
    case OP_ADD:
        return Z3_mk_bvadd(c, a, b);
    case OP_SUB:
        return Z3_mk_bvsub(c, a, b);
    case OP_MUL:
        return Z3_mk_bvmul(c, a, b);
    case OP_UDIV:
        return Z3_mk_bvudiv(c, a, b);
    case OP_UREM:
        return Z3_mk_bvurem(c, a, b);
    case OP_SDIV:
        return Z3_mk_bvsdiv(c, a, b);
    case OP_SREM:
        return Z3_mk_bvsrem(c, a, b);
    case OP_AND:
        return Z3_mk_bvand(c, a, b);
    case OP_OR:
        return Z3_mk_bvor(c, a, b);
    case OP_XOR:
        return Z3_mk_bvxor(c, a, b);
    case OP_SHL:
        return Z3_mk_bvshl(c, a, b);
    case OP_LSHR:
        return Z3_mk_bvlshr(c, a, b);
    case OP_ASHR:
        return Z3_mk_bvashr(c, a, b);
    case OP_EQ:
        return bit(z, Z3_mk_eq(c, a, b));
    case OP_ULT:
        return bit(z, Z3_mk_bvult(c, a, b));
    case OP_ULE:
        return bit(z, Z3_mk_bvule(c, a, b));
    case OP_SLT:
        return bit(z, Z3_mk_bvslt(c, a, b));
    case OP_SLE:
        return bit(z, Z3_mk_bvsle(c, a, b));
    case OP_CONCAT:
        return Z3_mk_concat(c, a, b);
    case OP_EXTRACT:
        return Z3_mk_extract(c, term_extract_lo(t, x) + width - 1, term_extract_lo(t, x), a);
    case OP_ZEXT:
        return Z3_mk_zero_ext(c, width - term_width(t, term_kid(t, x, 0)), a);
    case OP_SEXT:
        return Z3_mk_sign_ext(c, width - term_width(t, term_kid(t, x, 0)), a);
    case OP_ITE:
    case TERM_AITE:
        return Z3_mk_ite(c, truth(z, a), b, d);
    case OP_CLZ:
    case OP_CTZ:
    case OP_POPCNT:
        return count(z, kind, a, width);
    case TERM_ACONST:
        return Z3_mk_const_array(c, Z3_mk_bv_sort(c, term_index_width(t, x)), a);
    case TERM_READ: {
        term array = term_kid(t, x, 0);
        unsigned cw = term_cell_width(t, array), iw = term_index_width(t, array);
        Z3_ast r = Z3_mk_select(c, a, b);
        for (unsigned i = 1; i < width / cw; i++)
            r = Z3_mk_concat(c, Z3_mk_select(c, a, index_plus(z, b, iw, i)), r);
        return r;
    }
    case TERM_WRITE: {
        unsigned cw = term_cell_width(t, x), iw = term_index_width(t, x);
        for (unsigned i = 0; i < term_width(t, term_kid(t, x, 2)) / cw; i++)
            a = Z3_mk_store(c, a, index_plus(z, b, iw, i), Z3_mk_extract(c, i * cw + cw - 1, i * cw, d));
        return a;
    }
    default:
        fprintf(stderr, "no translation for kind %u\n", kind);
        abort();
    }
}

/* Kids have lower numbers than what they are kids of, so one pass upwards translates everything. */
static void reach(const struct terms *t, term x, bool *seen)
{
    seen[x] = true;
    for (term y = x; y > 0; y--) {
        for (unsigned i = 0; seen[y] && i < term_nkids(t, y); i++)
            seen[term_kid(t, y, i)] = true;
    }
}

struct z3 *z3_new(void)
{
    struct z3 *z = xcalloc(1, sizeof *z);
    Z3_config cfg = Z3_mk_config();
    z->c = Z3_mk_context(cfg);
    Z3_del_config(cfg);
    return z;
}

void z3_free(struct z3 *z)
{
    Z3_del_context(z->c);
    free(z);
}

enum z3_verdict z3_compare(struct z3 *z, struct terms *t, term x, term y, unsigned effort)
{
    if (x == y)
        return Z3_SAME;
    size_t n = terms_count(t) + 1;
    bool *seen = xcalloc(n, sizeof *seen);
    z->t = t;
    z->of = xcalloc(n, sizeof *z->of);
    reach(t, x, seen);
    reach(t, y, seen);
    for (term i = 1; i < n; i++) {
        if (seen[i])
            z->of[i] = translate(z, i);
    }
    Z3_solver s = Z3_mk_simple_solver(z->c);
    Z3_solver_inc_ref(z->c, s);
    Z3_params p = Z3_mk_params(z->c);
    Z3_params_inc_ref(z->c, p);
    Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "rlimit"), effort);
    Z3_solver_set_params(z->c, s, p);
    Z3_solver_assert(z->c, s, Z3_mk_not(z->c, Z3_mk_eq(z->c, z->of[x], z->of[y])));
    Z3_lbool r = Z3_solver_check(z->c, s);
    Z3_params_dec_ref(z->c, p);
    Z3_solver_dec_ref(z->c, s);
    free(z->of);
    free(seen);
    return r == Z3_L_FALSE ? Z3_SAME : r == Z3_L_TRUE ? Z3_DIFFERENT : Z3_NO_ANSWER;
}
