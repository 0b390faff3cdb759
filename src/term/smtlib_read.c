/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading SMT-LIB 2.6: the core theory, bit-vectors, arrays of bit-vectors and declared functions, quantifier
 * free.
 *
 * Text is taken to be hostile. It is read into s-expressions, which are then built into terms with an
 * explicit stack, so nesting cannot exhaust the machine's; let-bound names are built once; a define-fun is
 * built once over fresh symbols and instantiated by substitution, and what all that may cost together is
 * limited (WORK_LIMIT).
 *
 * Bool and (_ BitVec 1) are one sort here, as everywhere in assay. */
#include "term/smtlib.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum {
    WORK_LIMIT = 1 << 20
}; /* nodes made that the text does not spell out: instances of define-fun, pairs of distinct */
enum { ARRAY_SORTS = 1000 };

struct sort {
    unsigned width;       /* bit-vectors; 0 for arrays */
    unsigned index, cell; /* arrays */
};

enum binding_kind { BOUND_TERM, BOUND_FUNCTION, BOUND_MACRO, BOUND_SORT };

struct binding {
    enum binding_kind kind;
    const char *name;
    size_t shadowed;    /* scope value to restore when this one ends */
    term value;         /* the term; a macro's body */
    struct sort result; /* functions; the sort itself */
    unsigned nargs;
    struct sort *arg; /* functions and macros */
    term *param;      /* macros: the symbols its body is built over */
    uint64_t size;    /* macros: nodes in the body */
};

struct frame {
    const struct sexp *s;
    size_t next;        /* the child to look at next */
    size_t first_value; /* where this frame's operands start */
    size_t first_binding;
    bool in_body; /* let: the bindings are made */
};

struct reader {
    struct terms *t;
    struct arena arena;
    struct smtlib_lexer lexer;
    struct strmap scope; /* name -> 1 + index in binding; 0 when out of scope */
    VEC(struct binding) binding;
    VEC(term) value;
    VEC(struct frame) frame;
    term_lookup_fn *lookup;
    void *lookup_ctx;
    uint64_t work;
    struct map array_sorts; /* seen so far; a table has room for a limited number */
    struct error *err;
};

static bool fail(struct reader *r, const struct sexp *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct reader *r, const struct sexp *at, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_set(r->err, ERROR_INPUT, "%u:%u: %s", at->line, at->column, text);
}

/* What an expression looks like in an error message. */
static const char *shown(const struct sexp *s)
{
    return s->token == SMTLIB_OPEN ? "(...)" : s->text;
}

static bool spend(struct reader *r, const struct sexp *at, uint64_t n)
{
    r->work += n;
    return r->work <= WORK_LIMIT ||
           fail(r, at, "the expression is too large: over %d nodes from define-fun", WORK_LIMIT);
}

/* ---- scopes ---- */

static struct binding *find(struct reader *r, const char *name)
{
    size_t i = (size_t)strmap_find(&r->scope, name, 0);
    return i ? &r->binding.data[i - 1] : NULL;
}

static void bind(struct reader *r, struct binding b)
{
    b.shadowed = (size_t)strmap_find(&r->scope, b.name, 0);
    vec_push(&r->binding, b);
    strmap_set(&r->scope, b.name, r->binding.len);
}

static void unbind_to(struct reader *r, size_t len)
{
    while (r->binding.len > len) {
        struct binding b = vec_pop(&r->binding);
        strmap_set(&r->scope, b.name, b.shadowed);
    }
}

/* ---- sorts ---- */

static struct sort sort_of(const struct reader *r, term x)
{
    if (term_is_array(r->t, x))
        return (struct sort){0, term_index_width(r->t, x), term_cell_width(r->t, x)};
    return (struct sort){term_width(r->t, x), 0, 0};
}

static bool sort_eq(struct sort a, struct sort b)
{
    return a.width == b.width && a.index == b.index && a.cell == b.cell;
}

static const char *sort_text(struct reader *r, struct sort s)
{
    if (!s.width)
        return arena_printf(&r->arena, "(Array %u %u)", s.index, s.cell);
    return s.width == 1 ? "Bool" : arena_printf(&r->arena, "(_ BitVec %u)", s.width);
}

static bool read_number(struct reader *r, const struct sexp *s, unsigned limit, const char *what,
                        unsigned *out)
{
    struct bits v;
    if (s->token != SMTLIB_NUMERAL)
        return fail(r, s, "%s: expected a number, found '%s'", what, shown(s));
    if (!smtlib_decimal(s->text, s->len, 32, &v) || bits_low(v) > limit)
        return fail(r, s, "%s: %.20s is more than %u", what, s->text, limit);
    *out = (unsigned)bits_low(v);
    return true;
}

static bool read_bits_sort(struct reader *r, const struct sexp *s, struct sort *out)
{
    *out = (struct sort){0};
    if (sexp_is(s, "Bool")) {
        out->width = 1;
        return true;
    }
    if (s->token == SMTLIB_OPEN && s->nkids == 3 && sexp_is(s->kid[0], "_") && sexp_is(s->kid[1], "BitVec")) {
        if (!read_number(r, s->kid[2], OP_MAX_WIDTH, "BitVec", &out->width))
            return false;
        return out->width || fail(r, s->kid[2], "BitVec: the width must be at least 1");
    }
    struct binding *b = s->token == SMTLIB_SYMBOL ? find(r, s->text) : NULL;
    if (b && b->kind == BOUND_SORT && b->result.width) {
        *out = b->result;
        return true;
    }
    return fail(r, s, "expected Bool or (_ BitVec WIDTH), found '%s'", shown(s));
}

static bool read_sort(struct reader *r, const struct sexp *s, struct sort *out)
{
    if (s->token == SMTLIB_OPEN && s->nkids == 3 && sexp_is(s->kid[0], "Array")) {
        struct sort index, cell;
        if (!read_bits_sort(r, s->kid[1], &index) || !read_bits_sort(r, s->kid[2], &cell))
            return false;
        *out = (struct sort){0, index.width, cell.width};
        map_set(&r->array_sorts, (uint64_t)index.width << 32 | cell.width, 1);
        return r->array_sorts.len <= ARRAY_SORTS || fail(r, s, "more than %d array sorts", ARRAY_SORTS);
    }
    struct binding *b = s->token == SMTLIB_SYMBOL ? find(r, s->text) : NULL;
    if (b && b->kind == BOUND_SORT) {
        *out = b->result;
        return true;
    }
    if (s->token == SMTLIB_SYMBOL && !sexp_is(s, "Bool"))
        return fail(r, s, "unknown sort '%s': expected Bool, (_ BitVec WIDTH) or (Array SORT SORT)", s->text);
    return read_bits_sort(r, s, out);
}

/* ---- operators ---- */

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

bool smtlib_is_reserved(const char *name)
{
    /* Function names of the theories beyond the table above, and names the solvers at hand predefine. */
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
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        if (!strcmp(builtin[i].name, name))
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

static bool want_args(struct reader *r, const struct sexp *at, const char *name, size_t n, size_t least,
                      size_t most)
{
    if (n >= least && n <= most)
        return true;
    if (least == most)
        return fail(r, at, "%s: expected %zu operand%s, found %zu", name, least, least == 1 ? "" : "s", n);
    return fail(r, at, "%s: expected at least %zu operands, found %zu", name, least, n);
}

static bool want_bool(struct reader *r, const struct sexp *at, const char *name, const term *arg, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sort_of(r, arg[i]).width != 1)
            return fail(r, at, "%s: operand %zu is %s, expected Bool", name, i + 1,
                        sort_text(r, sort_of(r, arg[i])));
    return true;
}

static bool want_bits(struct reader *r, const struct sexp *at, const char *name, const term *arg, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!sort_of(r, arg[i]).width)
            return fail(r, at, "%s: operand %zu is an array, expected a bit-vector", name, i + 1);
    return true;
}

static bool want_same_width(struct reader *r, const struct sexp *at, const char *name, const term *arg,
                            size_t n)
{
    if (!want_bits(r, at, name, arg, n))
        return false;
    for (size_t i = 1; i < n; i++)
        if (term_width(r->t, arg[i]) != term_width(r->t, arg[0]))
            return fail(r, at, "%s: operands have widths %u and %u", name, term_width(r->t, arg[0]),
                        term_width(r->t, arg[i]));
    return true;
}

static bool want_same_sort(struct reader *r, const struct sexp *at, const char *name, const term *arg,
                           size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (!sort_eq(sort_of(r, arg[i]), sort_of(r, arg[0])))
            return fail(r, at, "%s: operands have sorts %s and %s", name, sort_text(r, sort_of(r, arg[0])),
                        sort_text(r, sort_of(r, arg[i])));
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
        if (!spend(r, at, (uint64_t)n * n / 2))
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
        return fail(r, at, "%s: operand 1 is %s, expected an array", f->name,
                    sort_text(r, sort_of(r, arg[0])));
    struct sort a = sort_of(r, arg[0]);
    if (sort_of(r, arg[1]).width != a.index)
        return fail(r, at, "%s: the index is %s, expected (_ BitVec %u)", f->name,
                    sort_text(r, sort_of(r, arg[1])), a.index);
    if (f->how == HOW_SELECT) {
        *out = term_read(r->t, arg[0], arg[1], a.cell);
        return true;
    }
    if (sort_of(r, arg[2]).width != a.cell)
        return fail(r, at, "store: the value is %s, expected (_ BitVec %u)", sort_text(r, sort_of(r, arg[2])),
                    a.cell);
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
            return fail(r, at, "concat: the result would have %u bits, the limit is %d", width, OP_MAX_WIDTH);
        *out = term_concat(r->t, *out, arg[i]);
    }
    return true;
}

static bool apply_builtin(struct reader *r, const struct sexp *at, const struct builtin *f, const term *arg,
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

/* (_ NAME NUMBER..) applied to an operand. */
static bool apply_indexed(struct reader *r, const struct sexp *at, const struct sexp *head, const term *arg,
                          size_t n, term *out)
{
    struct terms *t = r->t;
    if (head->nkids < 3 || head->kid[1]->token != SMTLIB_SYMBOL)
        return fail(r, head, "expected (_ NAME NUMBER ...)");
    const char *name = head->kid[1]->text;
    bool is_extract = !strcmp(name, "extract");
    unsigned k[2] = {0, 0};
    if (head->nkids != (is_extract ? 4u : 3u))
        return fail(r, head, "%s: expected %d number%s", name, is_extract ? 2 : 1, is_extract ? "s" : "");
    if (!want_args(r, at, name, n, 1, 1) || !want_bits(r, at, name, arg, 1))
        return false;
    for (size_t i = 2; i < head->nkids; i++)
        if (!read_number(r, head->kid[i], UINT32_MAX, name, &k[i - 2]))
            return false;
    unsigned w = term_width(t, arg[0]);
    if (is_extract) {
        if (k[0] >= w || k[1] > k[0])
            return fail(r, head, "extract: bits %u to %u of an operand of width %u", k[0], k[1], w);
        *out = term_extract(t, arg[0], k[1], k[0] - k[1] + 1);
    } else if (!strcmp(name, "zero_extend") || !strcmp(name, "sign_extend")) {
        if (k[0] > OP_MAX_WIDTH - w)
            return fail(r, head, "%s: the result would have over %d bits", name, OP_MAX_WIDTH);
        *out = *name == 'z' ? term_zext(t, arg[0], w + k[0]) : term_sext(t, arg[0], w + k[0]);
    } else if (!strcmp(name, "rotate_left") || !strcmp(name, "rotate_right")) {
        unsigned left = name[7] == 'l' ? k[0] % w : (w - k[0] % w) % w;
        *out = !left ? arg[0]
                     : term_concat(t, term_extract(t, arg[0], 0, w - left),
                                   term_extract(t, arg[0], w - left, left));
    } else if (!strcmp(name, "repeat")) {
        if (!k[0] || k[0] > OP_MAX_WIDTH / w)
            return fail(r, head, "repeat: %u copies of %u bits, the result must have 1 to %d", k[0], w,
                        OP_MAX_WIDTH);
        *out = arg[0];
        for (unsigned i = 1; i < k[0]; i++)
            *out = term_concat(t, *out, arg[0]);
    } else {
        return fail(r, head, "unknown indexed function '%s'", name);
    }
    return true;
}

/* ((as const SORT) VALUE) */
static bool apply_const_array(struct reader *r, const struct sexp *at, const struct sexp *head,
                              const term *arg, size_t n, term *out)
{
    struct sort s;
    if (head->nkids != 3 || !sexp_is(head->kid[1], "const"))
        return fail(r, head, "expected (as const SORT)");
    if (!read_sort(r, head->kid[2], &s))
        return false;
    if (s.width)
        return fail(r, head, "(as const SORT): expected an array sort");
    if (!want_args(r, at, "const", n, 1, 1))
        return false;
    if (sort_of(r, arg[0]).width != s.cell)
        return fail(r, at, "const: the value is %s, expected (_ BitVec %u)", sort_text(r, sort_of(r, arg[0])),
                    s.cell);
    *out = term_array_const(r->t, s.index, arg[0]);
    return true;
}

/* Floating-point operators printed as uninterpreted functions come back as what they were. */
static bool apply_fp(struct reader *r, const struct sexp *at, const char *name, enum op op, unsigned width,
                     const term *arg, size_t n, term *out)
{
    unsigned arg_width[OP_MAX_ARITY];
    if (!want_args(r, at, name, n, op_info[op].arity, op_info[op].arity) || !want_bits(r, at, name, arg, n))
        return false;
    for (size_t i = 0; i < n; i++)
        arg_width[i] = term_width(r->t, arg[i]);
    const char *problem = op_check(op, width, arg_width, 0);
    if (problem)
        return fail(r, at, "%s: %s", name, problem);
    *out = term_op(r->t, op, width, arg, (unsigned)n);
    return true;
}

static bool apply_bound(struct reader *r, const struct sexp *at, const struct binding *b, const term *arg,
                        size_t n, term *out)
{
    if (!want_args(r, at, b->name, n, b->nargs, b->nargs))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!sort_eq(sort_of(r, arg[i]), b->arg[i]))
            return fail(r, at, "%s: operand %zu is %s, expected %s", b->name, i + 1,
                        sort_text(r, sort_of(r, arg[i])), sort_text(r, b->arg[i]));
    enum op op;
    unsigned width, arg_width;
    if (b->kind == BOUND_MACRO) {
        if (!spend(r, at, b->size))
            return false;
        *out = term_substitute(r->t, b->value, b->param, arg, n);
    } else if (smt_fp_op(b->name, &op, &width, &arg_width)) {
        return apply_fp(r, at, b->name, op, width, arg, n, out);
    } else if (b->result.width) {
        *out = term_apply(r->t, b->name, b->result.width, arg, (unsigned)n);
    } else {
        *out = term_apply_array(r->t, b->name, b->result.index, b->result.cell, arg, (unsigned)n);
    }
    return true;
}

static bool apply(struct reader *r, const struct sexp *s, const term *arg, size_t n, term *out)
{
    const struct sexp *head = s->kid[0];
    if (head->token == SMTLIB_OPEN) {
        if (head->nkids && sexp_is(head->kid[0], "_"))
            return apply_indexed(r, s, head, arg, n, out);
        if (head->nkids && sexp_is(head->kid[0], "as"))
            return apply_const_array(r, s, head, arg, n, out);
        return fail(r, head, "expected a function name, (_ NAME NUMBER ...) or (as const SORT)");
    }
    if (head->token != SMTLIB_SYMBOL)
        return fail(r, head, "expected a function name, found '%s'", shown(head));
    struct binding *b = find(r, head->text);
    if (b) {
        if (b->kind == BOUND_TERM || b->kind == BOUND_SORT)
            return fail(r, head, "'%s' is not a function", head->text);
        struct binding copy =
            *b; /* building terms does not touch bindings, but stay clear of a moving vector */
        return apply_bound(r, s, &copy, arg, n, out);
    }
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        if (!strcmp(builtin[i].name, head->text))
            return apply_builtin(r, s, &builtin[i], arg, n, out);
    enum op op;
    unsigned width, arg_width;
    if (smt_fp_op(head->text, &op, &width, &arg_width))
        return apply_fp(r, s, head->text, op, width, arg, n, out);
    return fail(r, head, "unknown function '%s'", head->text);
}

/* ---- expressions ---- */

static bool read_atom(struct reader *r, const struct sexp *s, term *out)
{
    struct bits v;
    unsigned width;
    if (sexp_bits(s, &v, &width)) {
        *out = term_const_bits(r->t, width, v);
        return true;
    }
    switch (s->token) {
    case SMTLIB_HEX:
    case SMTLIB_BINARY:
        return fail(r, s, "the literal has over %d bits", OP_MAX_WIDTH);
    case SMTLIB_NUMERAL:
    case SMTLIB_DECIMAL:
        return fail(r, s, "'%.40s' is a number: expected a bit-vector such as #x00000001 or (_ bv1 32)",
                    s->text);
    case SMTLIB_SYMBOL:
        break;
    default:
        return fail(r, s, "expected an expression, found '%.40s'", shown(s));
    }
    struct binding *b = find(r, s->text);
    if (b && b->kind == BOUND_TERM) {
        *out = b->value;
        return true;
    }
    if (b && b->kind != BOUND_SORT)
        return fail(r, s, "'%s' is a function of %u operands", s->text, b->nargs);
    *out = r->lookup ? r->lookup(r->lookup_ctx, s->text) : TERM_NONE;
    return *out != TERM_NONE || fail(r, s, "unknown symbol '%s'", s->text);
}

static bool check_let(struct reader *r, const struct sexp *s)
{
    if (s->nkids != 3 || s->kid[1]->token != SMTLIB_OPEN || !s->kid[1]->nkids)
        return fail(r, s, "let: expected (let ((NAME VALUE) ...) EXPRESSION)");
    for (size_t i = 0; i < s->kid[1]->nkids; i++) {
        const struct sexp *pair = s->kid[1]->kid[i];
        if (pair->token != SMTLIB_OPEN || pair->nkids != 2 || pair->kid[0]->token != SMTLIB_SYMBOL)
            return fail(r, pair, "let: expected (NAME VALUE)");
    }
    return true;
}

/* Pushes a frame for a list, or the value of an atom. */
static bool enter(struct reader *r, const struct sexp *s)
{
    term x = TERM_NONE;
    struct bits v;
    unsigned width;
    if (s->token != SMTLIB_OPEN || sexp_bits(s, &v, &width)) {
        if (!read_atom(r, s, &x))
            return false;
        vec_push(&r->value, x);
        return true;
    }
    if (!s->nkids)
        return fail(r, s, "expected an expression, found '()'");
    struct frame f = {.s = s, .next = 1, .first_value = r->value.len, .first_binding = r->binding.len};
    if (sexp_is(s->kid[0], "let")) {
        if (!check_let(r, s))
            return false;
        f.next = 0;
    } else if (sexp_is(s->kid[0], "_")) {
        return fail(r, s, "expected a literal (_ bvVALUE WIDTH) of at most %d bits", OP_MAX_WIDTH);
    } else if (sexp_is(s->kid[0], "forall") || sexp_is(s->kid[0], "exists")) {
        return fail(r, s->kid[0], "'%s': quantifiers are not supported", s->kid[0]->text);
    } else if (sexp_is(s->kid[0], "!") && s->nkids < 2) {
        return fail(r, s, "!: expected an expression and its attributes");
    }
    vec_push(&r->frame, f);
    return true;
}

/* One step of a let: its values are read in the outer scope, then all bound, then the body is read. */
static bool step_let(struct reader *r, struct frame *f)
{
    const struct sexp *s = f->s, *pairs = s->kid[1];
    if (f->in_body) {
        unbind_to(r, f->first_binding);
        (void)vec_pop(&r->frame);
        return true;
    }
    if (f->next < pairs->nkids)
        return enter(r, pairs->kid[f->next++]->kid[1]);
    for (size_t i = 0; i < pairs->nkids; i++)
        bind(r, (struct binding){.kind = BOUND_TERM,
                                 .name = pairs->kid[i]->kid[0]->text,
                                 .value = r->value.data[f->first_value + i]});
    r->value.len = f->first_value;
    f->in_body = true;
    return enter(r, s->kid[2]);
}

static bool read_expression(struct reader *r, const struct sexp *root, term *out)
{
    r->value.len = r->frame.len = 0;
    if (!enter(r, root))
        return false;
    while (r->frame.len) {
        struct frame *f = &vec_last(&r->frame);
        const struct sexp *s = f->s;
        if (sexp_is(s->kid[0], "let")) {
            if (!step_let(r, f))
                return false;
        } else if (sexp_is(s->kid[0], "!")) {
            if (f->next == 1) {
                f->next++;
                if (!enter(r, s->kid[1]))
                    return false;
            } else {
                (void)vec_pop(&r->frame);
            }
        } else if (f->next < s->nkids) {
            if (!enter(r, s->kid[f->next++]))
                return false;
        } else {
            size_t first = f->first_value;
            term x;
            if (!apply(r, s, r->value.data + first, r->value.len - first, &x))
                return false;
            r->value.len = first;
            vec_push(&r->value, x);
            (void)vec_pop(&r->frame);
        }
    }
    assert(r->value.len == 1);
    *out = r->value.data[0];
    return true;
}

static void reader_start(struct reader *r, struct terms *t, const char *text, size_t n, struct error *err)
{
    *r = (struct reader){.t = t, .err = err};
    smtlib_lexer_init(&r->lexer, text, n);
}

static void reader_end(struct reader *r)
{
    vec_free(&r->binding);
    vec_free(&r->value);
    vec_free(&r->frame);
    strmap_free(&r->scope);
    map_free(&r->array_sorts);
    arena_free(&r->arena);
}

term term_smtlib_read(struct terms *t, const char *text, size_t n, term_lookup_fn *lookup, void *ctx,
                      struct error *err)
{
    struct reader r;
    struct sexp *s, *more;
    term x = TERM_NONE;
    reader_start(&r, t, text, n, err);
    r.lookup = lookup;
    r.lookup_ctx = ctx;
    if (sexp_read(&r.lexer, &r.arena, &s, err)) {
        if (!s)
            error_set(err, ERROR_INPUT, "%u:%u: expected an expression, found the end", r.lexer.line,
                      r.lexer.column);
        else if (!read_expression(&r, s, &x))
            x = TERM_NONE;
        else if (!sexp_read(&r.lexer, &r.arena, &more, err))
            x = TERM_NONE;
        else if (more) {
            fail(&r, more, "expected the end after one expression");
            x = TERM_NONE;
        }
    }
    reader_end(&r);
    return x;
}

/* ---- scripts ---- */

static bool read_name(struct reader *r, const struct sexp *s, const char *command)
{
    enum op op;
    unsigned width, arg_width;
    if (s->token != SMTLIB_SYMBOL)
        return fail(r, s, "%s: expected a name, found '%.40s'", command, shown(s));
    if (find(r, s->text))
        return fail(r, s, "%s: '%s' is declared already", command, s->text);
    if (smtlib_is_reserved(s->text) && !smt_fp_op(s->text, &op, &width, &arg_width))
        return fail(r, s, "%s: '%s' has a meaning of its own in SMT-LIB; choose another name", command,
                    s->text);
    return true;
}

static bool declare_symbol(struct reader *r, const struct sexp *at, const char *name, struct sort s)
{
    term known = term_find_var(r->t, name);
    if (known != TERM_NONE && !sort_eq(sort_of(r, known), s))
        return fail(r, at, "'%s' is known with the sort %s", name, sort_text(r, sort_of(r, known)));
    term x = s.width ? term_var(r->t, name, s.width) : term_array_var(r->t, name, s.index, s.cell);
    bind(r, (struct binding){.kind = BOUND_TERM, .name = name, .value = x});
    return true;
}

static bool read_declare(struct reader *r, const struct sexp *s, bool is_const)
{
    const char *command = s->kid[0]->text;
    if (s->nkids != (is_const ? 3u : 4u) || (!is_const && s->kid[2]->token != SMTLIB_OPEN))
        return fail(r, s, is_const ? "expected (%s NAME SORT)" : "expected (%s NAME (SORT ...) SORT)",
                    command);
    struct sort result;
    if (!read_name(r, s->kid[1], command) || !read_sort(r, s->kid[s->nkids - 1], &result))
        return false;
    if (is_const || !s->kid[2]->nkids)
        return declare_symbol(r, s->kid[1], s->kid[1]->text, result);
    size_t n = s->kid[2]->nkids;
    struct sort *arg = arena_array(&r->arena, struct sort, n);
    if (n > 255)
        return fail(r, s->kid[2], "%s: a function of %zu operands; the limit is 255", command, n);
    for (size_t i = 0; i < n; i++)
        if (!read_sort(r, s->kid[2]->kid[i], &arg[i]))
            return false;
    bind(r, (struct binding){.kind = BOUND_FUNCTION,
                             .name = s->kid[1]->text,
                             .result = result,
                             .arg = arg,
                             .nargs = (unsigned)n});
    return true;
}

static bool read_define(struct reader *r, const struct sexp *s, bool is_const)
{
    const char *command = s->kid[0]->text;
    if (s->nkids != (is_const ? 4u : 5u) || (!is_const && s->kid[2]->token != SMTLIB_OPEN))
        return fail(r, s,
                    is_const ? "expected (%s NAME SORT EXPRESSION)"
                             : "expected (%s NAME ((NAME SORT) ...) SORT EXPRESSION)",
                    command);
    struct sort result;
    if (!read_name(r, s->kid[1], command) || !read_sort(r, s->kid[s->nkids - 2], &result))
        return false;
    size_t n = is_const ? 0 : s->kid[2]->nkids, scope = r->binding.len;
    struct sort *arg = arena_array(&r->arena, struct sort, n + 1);
    term *param = arena_array(&r->arena, term, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct sexp *pair = s->kid[2]->kid[i];
        if (pair->token != SMTLIB_OPEN || pair->nkids != 2 || pair->kid[0]->token != SMTLIB_SYMBOL)
            return fail(r, pair, "%s: expected (NAME SORT)", command);
        if (!read_sort(r, pair->kid[1], &arg[i]))
            return false;
        param[i] = arg[i].width ? term_fresh(r->t, "param", arg[i].width)
                                : term_fresh_array(r->t, "param", arg[i].index, arg[i].cell);
    }
    for (size_t i = 0; i < n; i++)
        bind(r, (struct binding){
                    .kind = BOUND_TERM, .name = s->kid[2]->kid[i]->kid[0]->text, .value = param[i]});
    term body;
    if (!read_expression(r, s->kid[s->nkids - 1], &body))
        return false;
    unbind_to(r, scope);
    if (!sort_eq(sort_of(r, body), result))
        return fail(r, s->kid[s->nkids - 1], "%s: the value is %s, declared %s", s->kid[1]->text,
                    sort_text(r, sort_of(r, body)), sort_text(r, result));
    struct binding b = {
        .kind = n ? BOUND_MACRO : BOUND_TERM, .name = s->kid[1]->text, .value = body, .arg = arg};
    b.param = param;
    b.nargs = (unsigned)n;
    b.size = n ? term_size(r->t, body) : 0;
    bind(r, b);
    return true;
}

static bool read_define_sort(struct reader *r, const struct sexp *s)
{
    if (s->nkids != 4 || s->kid[2]->token != SMTLIB_OPEN || s->kid[2]->nkids)
        return fail(r, s, "expected (define-sort NAME () SORT)");
    struct sort sort;
    if (!read_name(r, s->kid[1], "define-sort") || !read_sort(r, s->kid[3], &sort))
        return false;
    bind(r, (struct binding){.kind = BOUND_SORT, .name = s->kid[1]->text, .result = sort});
    return true;
}

static bool read_assert(struct reader *r, const struct sexp *s, term *all)
{
    term x;
    if (s->nkids != 2)
        return fail(r, s, "expected (assert EXPRESSION)");
    if (!read_expression(r, s->kid[1], &x))
        return false;
    if (sort_of(r, x).width != 1)
        return fail(r, s->kid[1], "assert: the expression is %s, expected Bool", sort_text(r, sort_of(r, x)));
    *all = term_and(r->t, *all, x);
    return true;
}

static bool read_command(struct reader *r, const struct sexp *s, term *all, bool *stop)
{
    static const char *const ignored[] = {"set-logic",     "set-option",     "set-info", "check-sat",
                                          "get-model",     "get-value",      "get-info", "get-option",
                                          "get-proof",     "get-unsat-core", "echo",     "get-assertions",
                                          "get-assignment"};
    if (s->token != SMTLIB_OPEN || !s->nkids || s->kid[0]->token != SMTLIB_SYMBOL)
        return fail(r, s, "expected a command such as (assert ...), found '%.40s'", shown(s));
    const char *name = s->kid[0]->text;
    if (!strcmp(name, "assert"))
        return read_assert(r, s, all);
    if (!strcmp(name, "declare-const") || !strcmp(name, "declare-fun"))
        return read_declare(r, s, name[8] == 'c');
    if (!strcmp(name, "define-fun") || !strcmp(name, "define-const"))
        return read_define(r, s, name[7] == 'c');
    if (!strcmp(name, "define-sort"))
        return read_define_sort(r, s);
    if (!strcmp(name, "exit")) {
        *stop = true;
        return true;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (!strcmp(name, ignored[i]))
            return true;
    return fail(r, s, "the command '%.40s' is not supported here", name);
}

term term_smtlib_read_script(struct terms *t, const char *text, size_t n, struct error *err)
{
    struct reader r;
    term all = term_true(t);
    bool ok = true, stop = false;
    reader_start(&r, t, text, n, err);
    while (ok && !stop) {
        struct sexp *s;
        ok = sexp_read(&r.lexer, &r.arena, &s, err);
        if (!ok || !s)
            break;
        ok = read_command(&r, s, &all, &stop);
    }
    reader_end(&r);
    return ok ? all : TERM_NONE;
}
