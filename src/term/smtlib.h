/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SMT-LIB face of terms, shared by the printer, the reader and the solvers (src/solve).
 *
 * Terms know operators SMT-LIB does not have (reads of several cells, counts of leading zeros, floats held as
 * bits, width 1 as Boolean). They are lowered once, here, into a graph whose nodes are SMT-LIB's own
 * functions; the printer writes that graph and the Z3 back end rebuilds it, so both say the same thing to
 * their solver.
 *
 * A node is a number; operands have smaller numbers than what uses them; equal nodes are one node. Width 1 is
 * the sort Bool throughout. */
#ifndef TERM_SMTLIB_H
#define TERM_SMTLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "term/term.h"

/* X(enumerator, SMT-LIB name, number of operands, number of numerals after the name) */
#define SMT_TABLE(X)                                                                                         \
    X(SMT_NOT, "not", 1, 0)                                                                                  \
    X(SMT_AND, "and", 2, 0)                                                                                  \
    X(SMT_OR, "or", 2, 0)                                                                                    \
    X(SMT_XOR, "xor", 2, 0)                                                                                  \
    X(SMT_EQ, "=", 2, 0)                                                                                     \
    X(SMT_ITE, "ite", 3, 0)                                                                                  \
    X(SMT_BVNOT, "bvnot", 1, 0)                                                                              \
    X(SMT_BVNEG, "bvneg", 1, 0)                                                                              \
    X(SMT_BVADD, "bvadd", 2, 0)                                                                              \
    X(SMT_BVSUB, "bvsub", 2, 0)                                                                              \
    X(SMT_BVMUL, "bvmul", 2, 0)                                                                              \
    X(SMT_BVUDIV, "bvudiv", 2, 0)                                                                            \
    X(SMT_BVUREM, "bvurem", 2, 0)                                                                            \
    X(SMT_BVSDIV, "bvsdiv", 2, 0)                                                                            \
    X(SMT_BVSREM, "bvsrem", 2, 0)                                                                            \
    X(SMT_BVAND, "bvand", 2, 0)                                                                              \
    X(SMT_BVOR, "bvor", 2, 0)                                                                                \
    X(SMT_BVXOR, "bvxor", 2, 0)                                                                              \
    X(SMT_BVSHL, "bvshl", 2, 0)                                                                              \
    X(SMT_BVLSHR, "bvlshr", 2, 0)                                                                            \
    X(SMT_BVASHR, "bvashr", 2, 0)                                                                            \
    X(SMT_BVULT, "bvult", 2, 0)                                                                              \
    X(SMT_BVULE, "bvule", 2, 0)                                                                              \
    X(SMT_BVSLT, "bvslt", 2, 0)                                                                              \
    X(SMT_BVSLE, "bvsle", 2, 0)                                                                              \
    X(SMT_CONCAT, "concat", 2, 0)                                                                            \
    X(SMT_EXTRACT, "extract", 1, 2)                                                                          \
    X(SMT_ZERO_EXTEND, "zero_extend", 1, 1)                                                                  \
    X(SMT_SIGN_EXTEND, "sign_extend", 1, 1)                                                                  \
    X(SMT_SELECT, "select", 2, 0)                                                                            \
    X(SMT_STORE, "store", 3, 0)                                                                              \
    X(SMT_FP_ADD, "fp.add", 3, 0)                                                                            \
    X(SMT_FP_SUB, "fp.sub", 3, 0)                                                                            \
    X(SMT_FP_MUL, "fp.mul", 3, 0)                                                                            \
    X(SMT_FP_DIV, "fp.div", 3, 0)                                                                            \
    X(SMT_FP_FMA, "fp.fma", 4, 0)                                                                            \
    X(SMT_FP_SQRT, "fp.sqrt", 2, 0)                                                                          \
    X(SMT_FP_RINT, "fp.roundToIntegral", 2, 0)                                                               \
    X(SMT_FP_EQ, "fp.eq", 2, 0)                                                                              \
    X(SMT_FP_LT, "fp.lt", 2, 0)                                                                              \
    X(SMT_FP_LEQ, "fp.leq", 2, 0)                                                                            \
    X(SMT_FP_ISNAN, "fp.isNaN", 1, 0)                                                                        \
    X(SMT_FP_FROM_BITS, "to_fp", 1, 2)                                                                       \
    X(SMT_FP_FROM_FP, "to_fp", 2, 2)                                                                         \
    X(SMT_FP_FROM_SBV, "to_fp", 2, 2)                                                                        \
    X(SMT_FP_FROM_UBV, "to_fp_unsigned", 2, 2)                                                               \
    X(SMT_FP_TO_UBV, "fp.to_ubv", 2, 1)                                                                      \
    X(SMT_FP_TO_SBV, "fp.to_sbv", 2, 1)

enum smt_op {
#define SMT_ENUM(id, name, arity, numerals) id,
    SMT_TABLE(SMT_ENUM)
#undef SMT_ENUM
        SMT_CONST,   /* bit-vector or Boolean literal */
    SMT_SYMBOL,      /* declared constant */
    SMT_APPLY,       /* declared function */
    SMT_CONST_ARRAY, /* ((as const SORT) operand) */
    SMT_ROUNDING,    /* rounding mode literal, p = enum OP_RNE .. */
    SMT_FP_TO_BITS,  /* some bit pattern of the float; SMT-LIB has no function for it, see smtlib_print.c */
    SMT_OP_COUNT_
};

enum smt_sort_kind { SMT_SORT_BITS, SMT_SORT_ARRAY, SMT_SORT_FLOAT, SMT_SORT_ROUNDING };

/* BITS: a is the width; 1 is Bool, or (_ BitVec 1) when b is SMT_RAW. ARRAY: a index width, b cell width.
 * FLOAT: a exponent bits, b significand bits. */
struct smt_sort {
    uint16_t kind, a, b;
};

enum { SMT_RAW = 1 };

typedef uint32_t smt_node;

struct smt_info {
    uint16_t op; /* enum smt_op */
    uint16_t nkids;
    struct smt_sort sort;
    uint16_t p, q;    /* numerals: extract p..q (high, low), extend by p, float formats; rounding mode */
    uint32_t kid;     /* first operand in smt_graph.kid; for a literal its index in smt_graph.value */
    const char *name; /* symbols and functions, in the graph's arena */
    uint32_t next;    /* hash chain */
};

struct smt_graph {
    struct terms *terms;
    bool fp_theory;
    VEC(struct smt_info) node; /* node 0 is a placeholder for "none" */
    VEC(smt_node) kid;
    VEC(struct bits) value;
    struct map of_term;  /* term -> node */
    struct map by_hash;  /* hash -> newest node with it */
    struct map float_of; /* node of a float result held as bits -> the float it came from */
    struct strmap names;
    struct arena arena;
};

extern const struct smt_op_info {
    const char *name;
    unsigned char arity, numerals;
} smt_op_info[SMT_CONST];

/* With fp_theory off, floating-point operators become uninterpreted functions named fp.add.64 and the like.
 */
void smt_graph_init(struct smt_graph *g, struct terms *t, bool fp_theory);
void smt_graph_free(struct smt_graph *g);
/* The node that means the same as x, made on first use. */
smt_node smt_lower(struct smt_graph *g, term x);
/* The nodes reachable from the roots, each once, operands first. The caller frees out->data. */
struct smt_nodes {
    smt_node *data;
    size_t len, cap;
};
void smt_reachable(const struct smt_graph *g, const smt_node *root, size_t n, struct smt_nodes *out);

/* Writes a script for these assertions: options, logic, declarations, definitions, asserts, check-sat. When
 * nwanted is not 0, models are asked for and the values of `wanted` printed with get-value, in that order,
 * one command each. */
void smt_print_script(struct buf *out, const struct smt_graph *g, const smt_node *assertion, size_t n,
                      const smt_node *wanted, size_t nwanted);

/* The name of a floating-point operator as an uninterpreted function, and back. */
void smt_fp_name(char *out, size_t cap, enum op op, unsigned width, unsigned arg_width);
bool smt_fp_op(const char *name, enum op *op, unsigned *width, unsigned *arg_width);

/* True for names with a meaning of their own in SMT-LIB, which a script cannot declare. */
bool smtlib_is_reserved(const char *name);

/* ---- words of SMT-LIB text ---- */
enum smtlib_token {
    SMTLIB_END,
    SMTLIB_OPEN,
    SMTLIB_CLOSE,
    SMTLIB_SYMBOL, /* text without the bars of |quoted| ones */
    SMTLIB_KEYWORD,
    SMTLIB_NUMERAL,
    SMTLIB_DECIMAL,
    SMTLIB_HEX,    /* text without #x */
    SMTLIB_BINARY, /* text without #b */
    SMTLIB_STRING,
    SMTLIB_BAD, /* lexer.problem says what */
};

struct smtlib_lexer {
    const char *at, *end;
    unsigned line, column; /* of the next character, from 1 */
    enum smtlib_token token;
    const char *text; /* of the token, not terminated */
    size_t len;
    unsigned token_line, token_column;
    bool quoted;
    const char *problem;
};

void smtlib_lexer_init(struct smtlib_lexer *l, const char *text, size_t n);
enum smtlib_token smtlib_next(struct smtlib_lexer *l);
/* The value of a HEX or BINARY token of at most OP_MAX_WIDTH bits; false when it is wider. */
bool smtlib_literal(const struct smtlib_lexer *l, struct bits *value, unsigned *width);
/* Decimal digits to a value; false when it does not fit the width. */
bool smtlib_decimal(const char *s, size_t n, unsigned width, struct bits *value);

/* ---- s-expressions ---- */
struct sexp {
    enum smtlib_token token; /* SMTLIB_OPEN: a list; otherwise an atom */
    unsigned line, column;
    const char *text; /* atom: terminated, in the arena */
    size_t len;
    bool quoted;
    size_t nkids;
    struct sexp **kid;
};

struct error;
/* Reads the next expression. False with *err (prefixed LINE:COLUMN) when the text is malformed; true with
 * *out NULL at the end of the text. Nesting depth is bounded only by memory. */
bool sexp_read(struct smtlib_lexer *l, struct arena *a, struct sexp **out, struct error *err);
/* Is it the atom (not |quoted|) of that name? */
bool sexp_is(const struct sexp *s, const char *name);
/* The value of a bit-vector or Boolean literal: #x.., #b.., (_ bvN W), true, false. */
bool sexp_bits(const struct sexp *s, struct bits *value, unsigned *width);

#endif
