/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operators of SMT-LIB as terms, with every sort checked. */
#include <string.h>

#include "term/smtlib_reader.h"

enum how {
    HOW_BOOL,     /* n >= 1 Booleans, folded from the left */
    HOW_NOT,      /* one Boolean */
    HOW_IMPLIES,  /* n >= 2 Booleans, folded from the right */
    HOW_EQ,       /* n >= 2 of one sort, each equal to the next */
    HOW_DISTINCT, /* n >= 2 of one sort, pairwise */
    HOW_ITE,
    HOW_UNARY,       /* one bit-vector */
    HOW_FOLD,        /* n >= 2 bit-vectors of one width, folded from the left */
    HOW_BINARY,      /* two bit-vectors of one width */
    HOW_NEGATED,     /* two bit-vectors, the operator's result inverted */
    HOW_COMPARE,     /* two bit-vectors of one width */
    HOW_COMPARE_REV, /* the same with operands exchanged */
    HOW_COMP,
    HOW_SMOD,
    HOW_CONCAT,
    HOW_SELECT,
    HOW_STORE,
};

static const struct builtin {
    const char *name;
    enum how how;
    enum op op;
} builtin[] = {
    {"not", HOW_NOT, OP_NOT},
    {"and", HOW_BOOL, OP_AND},
    {"or", HOW_BOOL, OP_OR},
    {"xor", HOW_BOOL, OP_XOR},
    {"=>", HOW_IMPLIES, OP_OR},
    {"=", HOW_EQ, OP_EQ},
    {"distinct", HOW_DISTINCT, OP_EQ},
    {"ite", HOW_ITE, OP_ITE},
    {"bvnot", HOW_UNARY, OP_NOT},
    {"bvneg", HOW_UNARY, OP_NEG},
    {"bvadd", HOW_FOLD, OP_ADD},
    {"bvmul", HOW_FOLD, OP_MUL},
    {"bvand", HOW_FOLD, OP_AND},
    {"bvor", HOW_FOLD, OP_OR},
    {"bvxor", HOW_FOLD, OP_XOR},
    {"bvsub", HOW_BINARY, OP_SUB},
    {"bvudiv", HOW_BINARY, OP_UDIV},
    {"bvurem", HOW_BINARY, OP_UREM},
    {"bvsdiv", HOW_BINARY, OP_SDIV},
    {"bvsrem", HOW_BINARY, OP_SREM},
    {"bvsmod", HOW_SMOD, OP_SREM},
    {"bvshl", HOW_BINARY, OP_SHL},
    {"bvlshr", HOW_BINARY, OP_LSHR},
    {"bvashr", HOW_BINARY, OP_ASHR},
    {"bvnand", HOW_NEGATED, OP_AND},
    {"bvnor", HOW_NEGATED, OP_OR},
    {"bvxnor", HOW_NEGATED, OP_XOR},
    {"bvcomp", HOW_COMP, OP_EQ},
    {"bvult", HOW_COMPARE, OP_ULT},
    {"bvule", HOW_COMPARE, OP_ULE},
    {"bvugt", HOW_COMPARE_REV, OP_ULT},
    {"bvuge", HOW_COMPARE_REV, OP_ULE},
    {"bvslt", HOW_COMPARE, OP_SLT},
    {"bvsle", HOW_COMPARE, OP_SLE},
    {"bvsgt", HOW_COMPARE_REV, OP_SLT},
    {"bvsge", HOW_COMPARE_REV, OP_SLE},
    {"concat", HOW_CONCAT, OP_CONCAT},
    {"select", HOW_SELECT, OP_EQ},
    {"store", HOW_STORE, OP_EQ},
};

const struct builtin *builtin_find(const char *name)
{
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        if (!strcmp(builtin[i].name, name))
            return &builtin[i];
    return NULL;
}

bool smtlib_is_reserved(const char *name)
{
    /* Function names of the theories beyond the table above, and names the available solvers predefine. */
    static const char *const other[] = {
        "true",
        "false",
        "extract",
        "zero_extend",
        "sign_extend",
        "rotate_left",
        "rotate_right",
        "repeat",
        "const",
        "let",
        "_",
        "!",
        "as",
        "forall",
        "exists",
        "match",
        "par",
        "Bool",
        "BitVec",
        "Array",
        "Int",
        "Real",
        "String",
        "RoundingMode",
        "FloatingPoint",
        "Float16",
        "Float32",
        "Float64",
        "Float128",
        "RNE",
        "RNA",
        "RTP",
        "RTN",
        "RTZ",
        "fp",
        "to_fp",
        "to_fp_unsigned",
        "+",
        "-",
        "*",
        "/",
        "<",
        "<=",
        ">",
        ">=",
        "div",
        "mod",
        "abs",
        "to_real",
        "to_int",
        "is_int",
        "iff",
        "implies",
        "if",
        "bv2nat",
        "int2bv",
        "exp",
        "sin",
        "cos",
        "tan",
        "sqrt",
        "pi",
        "union",
        "intersection",
        "member",
        "subset",
        "set",
        "map",
        "seq",
        "bag",
        "bvredor",
        "bvredand",
        "bvnego",
        "bvuaddo",
        "bvsaddo",
        "bvumulo",
        "bvsmulo",
        "bvusubo",
        "bvssubo",
        "bvsdivo",
        "bvite",
        "roundNearestTiesToEven",
        "roundNearestTiesToAway",
        "roundTowardPositive",
        "roundTowardNegative",
        "roundTowardZero",
        "NaN",
        "emp",
        "sep",
    };
    enum op op;
    unsigned w, a;
    if (builtin_find(name))
        return true;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (!strcmp(other[i], name))
            return true;
    if (!strncmp(name, "bv", 2) && name[2] && strspn(name + 2, "0123456789") == strlen(name + 2))
        return true;
    return (!strncmp(name, "fp.", 3) && !smt_fp_op(name, &op, &w, &a)) || !strncmp(name, "str.", 4) ||
           !strncmp(name, "re.", 3) || !strncmp(name, "seq.", 4) || !strncmp(name, "set.", 4) ||
           !strncmp(name, "bag.", 4);
}

bool want_args(struct reader *r, const struct sexp *at, const char *name, size_t n, size_t least, size_t most)
{
    if (n >= least && n <= most)
        return true;
    if (least == most)
        return reader_fail(r, at, "%s: expected %zu operand%s, found %zu", name, least, least == 1 ? "" : "s",
                           n);
    return reader_fail(r, at, "%s: expected at least %zu operands, found %zu", name, least, n);
}

static bool want_bool(struct reader *r, const struct sexp *at, const char *name, const term *arg, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (reader_sort_of(r, arg[i]).width != 1)
            return reader_fail(r, at, "%s: operand %zu is %s, expected Bool", name, i + 1,
                               reader_sort_text(r, reader_sort_of(r, arg[i])));
    return true;
}

static bool want_bits(struct reader *r, const struct sexp *at, const char *name, const term *arg, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!reader_sort_of(r, arg[i]).width)
            return reader_fail(r, at, "%s: operand %zu is an array, expected a bit-vector", name, i + 1);
    return true;
}

static bool want_same_width(struct reader *r, const struct sexp *at, const char *name, const term *arg,
                            size_t n)
{
    if (!want_bits(r, at, name, arg, n))
        return false;
    for (size_t i = 1; i < n; i++)
        if (term_width(r->t, arg[i]) != term_width(r->t, arg[0]))
            return reader_fail(r, at, "%s: operands have widths %u and %u", name, term_width(r->t, arg[0]),
                               term_width(r->t, arg[i]));
    return true;
}

static bool want_same_sort(struct reader *r, const struct sexp *at, const char *name, const term *arg,
                           size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (!reader_sort_eq(reader_sort_of(r, arg[i]), reader_sort_of(r, arg[0])))
            return reader_fail(r, at, "%s: operands have sorts %s and %s", name,
                               reader_sort_text(r, reader_sort_of(r, arg[0])),
                               reader_sort_text(r, reader_sort_of(r, arg[i])));
    return true;
}

/* The remainder whose sign is the divisor's, as the standard defines it. */
static term build_smod(struct terms *t, term x, term y)
{
    unsigned w = term_width(t, x);
    term zero = term_const(t, w, 0);
    term xneg = term_bin(t, OP_SLT, x, zero), yneg = term_bin(t, OP_SLT, y, zero);
    term xabs = term_ite(t, xneg, term_un(t, OP_NEG, x), x),
         yabs = term_ite(t, yneg, term_un(t, OP_NEG, y), y);
    term u = term_bin(t, OP_UREM, xabs, yabs), minus_u = term_un(t, OP_NEG, u);
    term result = term_ite(t, yneg, term_bin(t, OP_ADD, u, y), u);
    result = term_ite(t, xneg, term_ite(t, yneg, minus_u, term_bin(t, OP_ADD, minus_u, y)), result);
    return term_ite(t, term_eq(t, u, zero), u, result);
}

static bool apply_equalities(struct reader *r, const struct sexp *at, const struct builtin *f,
                             const term *arg, size_t n, term *out)
{
    if (!want_args(r, at, f->name, n, 2, SIZE_MAX) || !want_same_sort(r, at, f->name, arg, n))
        return false;
    term all = term_true(r->t);
    if (f->how == HOW_EQ) {
        for (size_t i = 1; i < n; i++)
            all = term_and(r->t, all, term_eq(r->t, arg[i - 1], arg[i]));
    } else {
        if (!reader_spend(r, at, (uint64_t)n * n / 2))
            return false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                all = term_and(r->t, all, term_not(r->t, term_eq(r->t, arg[i], arg[j])));
    }
    *out = all;
    return true;
}

static bool apply_arrays(struct reader *r, const struct sexp *at, const struct builtin *f, const term *arg,
                         size_t n, term *out)
{
    size_t want = f->how == HOW_SELECT ? 2 : 3;
    if (!want_args(r, at, f->name, n, want, want))
        return false;
    if (!term_is_array(r->t, arg[0]))
        return reader_fail(r, at, "%s: operand 1 is %s, expected an array", f->name,
                           reader_sort_text(r, reader_sort_of(r, arg[0])));
    struct sort a = reader_sort_of(r, arg[0]);
    if (reader_sort_of(r, arg[1]).width != a.index)
        return reader_fail(r, at, "%s: the index is %s, expected (_ BitVec %u)", f->name,
                           reader_sort_text(r, reader_sort_of(r, arg[1])), a.index);
    if (f->how == HOW_SELECT) {
        *out = term_read(r->t, arg[0], arg[1], a.cell);
        return true;
    }
    if (reader_sort_of(r, arg[2]).width != a.cell)
        return reader_fail(r, at, "store: the value is %s, expected (_ BitVec %u)",
                           reader_sort_text(r, reader_sort_of(r, arg[2])), a.cell);
    *out = term_write(r->t, arg[0], arg[1], arg[2]);
    return true;
}

static bool apply_bits(struct reader *r, const struct sexp *at, const struct builtin *f, const term *arg,
                       size_t n, term *out)
{
    struct terms *t = r->t;
    size_t least = f->how == HOW_UNARY ? 1 : 2, most = f->how == HOW_FOLD ? SIZE_MAX : least;
    if (!want_args(r, at, f->name, n, least, most) || !want_same_width(r, at, f->name, arg, n))
        return false;
    switch (f->how) {
    case HOW_UNARY:
        *out = term_un(t, f->op, arg[0]);
        break;
    case HOW_NEGATED:
        *out = term_un(t, OP_NOT, term_bin(t, f->op, arg[0], arg[1]));
        break;
    case HOW_COMPARE_REV:
        *out = term_bin(t, f->op, arg[1], arg[0]);
        break;
    case HOW_COMP:
        *out = term_eq(t, arg[0], arg[1]);
        break;
    case HOW_SMOD:
        *out = build_smod(t, arg[0], arg[1]);
        break;
    default:
        *out = arg[0];
        for (size_t i = 1; i < n; i++)
            *out = term_bin(t, f->op, *out, arg[i]);
    }
    return true;
}

static bool apply_concat(struct reader *r, const struct sexp *at, const term *arg, size_t n, term *out)
{
    if (!want_args(r, at, "concat", n, 2, SIZE_MAX) || !want_bits(r, at, "concat", arg, n))
        return false;
    *out = arg[0];
    for (size_t i = 1; i < n; i++) {
        unsigned width = term_width(r->t, *out) + term_width(r->t, arg[i]);
        if (width > OP_MAX_WIDTH)
            return reader_fail(r, at, "concat: the result would have %u bits, the limit is %d", width,
                               OP_MAX_WIDTH);
        *out = term_concat(r->t, *out, arg[i]);
    }
    return true;
}

bool apply_builtin(struct reader *r, const struct sexp *at, const struct builtin *f, const term *arg,
                   size_t n, term *out)
{
    struct terms *t = r->t;
    switch (f->how) {
    case HOW_NOT:
        if (!want_args(r, at, f->name, n, 1, 1) || !want_bool(r, at, f->name, arg, n))
            return false;
        *out = term_not(t, arg[0]);
        return true;
    case HOW_BOOL:
    case HOW_IMPLIES:
        if (!want_args(r, at, f->name, n, f->how == HOW_BOOL ? 1 : 2, SIZE_MAX) ||
            !want_bool(r, at, f->name, arg, n))
            return false;
        if (f->how == HOW_BOOL) {
            *out = arg[0];
            for (size_t i = 1; i < n; i++)
                *out = term_bin(t, f->op, *out, arg[i]);
        } else {
            *out = arg[n - 1];
            for (size_t i = n - 1; i-- > 0;)
                *out = term_implies(t, arg[i], *out);
        }
        return true;
    case HOW_EQ:
    case HOW_DISTINCT:
        return apply_equalities(r, at, f, arg, n, out);
    case HOW_ITE:
        if (!want_args(r, at, "ite", n, 3, 3) || !want_bool(r, at, "ite", arg, 1) ||
            !want_same_sort(r, at, "ite", arg + 1, 2))
            return false;
        *out = term_ite(t, arg[0], arg[1], arg[2]);
        return true;
    case HOW_SELECT:
    case HOW_STORE:
        return apply_arrays(r, at, f, arg, n, out);
    case HOW_CONCAT:
        return apply_concat(r, at, arg, n, out);
    default:
        return apply_bits(r, at, f, arg, n, out);
    }
}

bool apply_indexed(struct reader *r, const struct sexp *at, const struct sexp *head, const term *arg,
                   size_t n, term *out)
{
    struct terms *t = r->t;
    if (head->nkids < 3 || head->kid[1]->token != SMTLIB_SYMBOL)
        return reader_fail(r, head, "expected (_ NAME NUMBER ...)");
    const char *name = head->kid[1]->text;
    bool is_extract = !strcmp(name, "extract");
    unsigned k[2] = {0, 0};
    if (head->nkids != (is_extract ? 4u : 3u))
        return reader_fail(r, head, "%s: expected %d number%s", name, is_extract ? 2 : 1,
                           is_extract ? "s" : "");
    if (!want_args(r, at, name, n, 1, 1) || !want_bits(r, at, name, arg, 1))
        return false;
    for (size_t i = 2; i < head->nkids; i++)
        if (!reader_number(r, head->kid[i], UINT32_MAX, name, &k[i - 2]))
            return false;
    unsigned w = term_width(t, arg[0]);
    if (is_extract) {
        if (k[0] >= w || k[1] > k[0])
            return reader_fail(r, head, "extract: bits %u to %u of an operand of width %u", k[0], k[1], w);
        *out = term_extract(t, arg[0], k[1], k[0] - k[1] + 1);
    } else if (!strcmp(name, "zero_extend") || !strcmp(name, "sign_extend")) {
        if (k[0] > OP_MAX_WIDTH - w)
            return reader_fail(r, head, "%s: the result would have over %d bits", name, OP_MAX_WIDTH);
        *out = *name == 'z' ? term_zext(t, arg[0], w + k[0]) : term_sext(t, arg[0], w + k[0]);
    } else if (!strcmp(name, "rotate_left") || !strcmp(name, "rotate_right")) {
        unsigned left = name[7] == 'l' ? k[0] % w : (w - k[0] % w) % w;
        *out = !left ? arg[0]
                     : term_concat(t, term_extract(t, arg[0], 0, w - left),
                                   term_extract(t, arg[0], w - left, left));
    } else if (!strcmp(name, "repeat")) {
        if (!k[0] || k[0] > OP_MAX_WIDTH / w)
            return reader_fail(r, head, "repeat: %u copies of %u bits, the result must have 1 to %d", k[0], w,
                               OP_MAX_WIDTH);
        *out = arg[0];
        for (unsigned i = 1; i < k[0]; i++)
            *out = term_concat(t, *out, arg[0]);
    } else {
        return reader_fail(r, head, "unknown indexed function '%s'", name);
    }
    return true;
}

bool apply_const_array(struct reader *r, const struct sexp *at, const struct sexp *head, const term *arg,
                       size_t n, term *out)
{
    struct sort s;
    if (head->nkids != 3 || !sexp_is(head->kid[1], "const"))
        return reader_fail(r, head, "expected (as const SORT)");
    if (!reader_sort(r, head->kid[2], &s))
        return false;
    if (s.width)
        return reader_fail(r, head, "(as const SORT): expected an array sort");
    if (!want_args(r, at, "const", n, 1, 1))
        return false;
    if (reader_sort_of(r, arg[0]).width != s.cell)
        return reader_fail(r, at, "const: the value is %s, expected (_ BitVec %u)",
                           reader_sort_text(r, reader_sort_of(r, arg[0])), s.cell);
    *out = term_array_const(r->t, s.index, arg[0]);
    return true;
}

bool apply_fp(struct reader *r, const struct sexp *at, const char *name, enum op op, unsigned width,
              const term *arg, size_t n, term *out)
{
    unsigned arg_width[OP_MAX_ARITY];
    if (!want_args(r, at, name, n, op_info[op].arity, op_info[op].arity) || !want_bits(r, at, name, arg, n))
        return false;
    for (size_t i = 0; i < n; i++)
        arg_width[i] = term_width(r->t, arg[i]);
    const char *problem = op_check(op, width, arg_width, 0);
    if (problem)
        return reader_fail(r, at, "%s: %s", name, problem);
    *out = term_op(r->t, op, width, arg, (unsigned)n);
    return true;
}
