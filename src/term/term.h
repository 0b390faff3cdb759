/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms: hash-consed expressions over bit-vectors, arrays and uninterpreted functions.
 *
 * A term is a 32-bit number, an index into a `terms` table. Two terms of one table are equal as numbers
 * exactly when they are the same expression, so comparing what two programs compute is often comparing two
 * integers. Terms are never freed before their table.
 *
 * SORTS. A bit-vector of width 1..512; width 1 is also the Boolean, and there is no other (printed as SMT-LIB
 * Bool). An array from bit-vectors of index width to cells of cell width: memory is one with 32- or 64-bit
 * indices and 8-bit cells.
 *
 * Two levels (after Yices 2 and Boolector): term/table.c only hash-conses what it is given; term/term.c,
 * which is what everybody calls, first rewrites with the rules of term/rewrite.c. A rule is a small named
 * thing, listed in TERM_RULES, counted when it fires, and proved by tests/unit/term against the solver at
 * several widths.
 *
 * Normal form, to be relied upon: constants are the right operand of commutative operators; other operands of
 * commutative operators are ordered by term number; sub x c is add x (-c); not (ult a b) is ule b a; a sum
 * keeps its constant outermost: (x + y) + c. So "base + constant offset" of an address is read off the top
 * node. Addends are ordered by what is under their coefficient, subtrahends come last; chains of & | ^ lean
 * to the left. Shifts by constants and masks of low bits do not remain: x << k is x * 2^k, x >> k is zext
 * x[n-1:k], x & 0xff is zext x[7:0]. x <s 0 is x[n-1]. Comparisons with constants are x < c and c <= x. */
#ifndef TERM_TERM_H
#define TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/map.h"
#include "base/op.h"
#include "base/pure.h"

typedef uint32_t term;
#define TERM_NONE ((term)0)

struct terms;

/* Node kinds in addition to the operators of base/op.h. */
enum term_kind {
    TERM_CONST = OP_COUNT_, /* a bit-vector constant */
    TERM_VAR,               /* a free symbol: a bit-vector or an array */
    TERM_APPLY,             /* uninterpreted function applied to kids; result bit-vector or array */
    TERM_PURE,              /* base/pure.h function applied to kids */
    TERM_READ,   /* n cells of array kid 0 at index kid 1; the cell at the index is the lowest part */
    TERM_WRITE,  /* array kid 0 with value kid 2 at index kid 1 */
    TERM_AITE,   /* array: kid 0 ? kid 1 : kid 2 */
    TERM_ACONST, /* array with every cell equal to kid 0 */
    TERM_KIND_COUNT_
};

struct terms *terms_new(void);
void terms_free(struct terms *t);

/* ---- building. Widths must fit (base/op.h); that is the caller's duty and asserted. ---- */
term term_const(struct terms *t, unsigned width, uint64_t value);
term term_const_bits(struct terms *t, unsigned width, struct bits value);
term term_true(struct terms *t);
term term_false(struct terms *t);
/* Where a symbol or an uninterpreted function comes from: what it stands for. It is stated where the symbol
 * is made, and term_origin returns it; a name is for people and for SMT-LIB, and is never read back. The
 * origin is what a symbol is: asked for twice it is the same symbol, and two of different origins are two,
 * also where they would be spelled alike (then the table spells the later one differently). The table keeps
 * and compares what is in it and knows no more: kinds from TERM_ORIGIN_OTHERS on, and what the other members
 * say of them, belong to the layers above (exec/origin.h). */
enum {
    TERM_ORIGIN_NONE,  /* only a name, as in a text that was read */
    TERM_ORIGIN_FRESH, /* term_fresh: nothing is known of it */
    TERM_ORIGIN_READ,  /* solve: stands for a read of an array; index: that term */
    TERM_ORIGIN_PART,  /* solve: stands for a part of a term that is not looked into */
    TERM_ORIGIN_OTHERS = 16
};
struct term_origin {
    uint16_t kind;
    uint16_t part;
    uint32_t index;
    uint64_t offset;
    const char *name; /* or NULL; copied by the table */
};
/* How an origin is spelled: asked once, when it is new. */
struct buf;
typedef void term_spell_fn(struct buf *out, const struct term_origin *o);

/* The symbol of that origin, made on first use; asking again with another sort is a caller's mistake. */
term term_symbol(struct terms *t, const struct term_origin *o, term_spell_fn *spell, unsigned width);
term term_array_symbol(struct terms *t, const struct term_origin *o, term_spell_fn *spell,
                       unsigned index_width, unsigned cell_width);
/* The symbol that is spelled like that, whatever it comes from, made on first use, without an origin. For
 * texts, and where names are all there is. */
term term_var(struct terms *t, const char *name, unsigned width);
term term_array_var(struct terms *t, const char *name, unsigned index_width, unsigned cell_width);
/* The symbol of that name, TERM_NONE when there is none yet. */
term term_find_var(const struct terms *t, const char *name);
/* A fresh symbol, "prefix!7". Numbering is per table and deterministic. */
term term_fresh(struct terms *t, const char *prefix, unsigned width);
term term_fresh_array(struct terms *t, const char *prefix, unsigned index_width, unsigned cell_width);

term term_op(struct terms *t, enum op op, unsigned width, const term *kid, unsigned nkids);
term term_un(struct terms *t, enum op op, term x);
term term_bin(struct terms *t, enum op op, term x, term y);
term term_ite(struct terms *t, term c, term x, term y); /* arrays too */
term term_extract(struct terms *t, term x, unsigned lo, unsigned width);
term term_zext(struct terms *t, term x, unsigned width);
term term_sext(struct terms *t, term x, unsigned width);
term term_concat(struct terms *t, term hi, term lo);
term term_not(struct terms *t, term x);
term term_and(struct terms *t, term x, term y);
term term_or(struct terms *t, term x, term y);
term term_eq(struct terms *t, term x, term y); /* arrays too */
term term_implies(struct terms *t, term x, term y);
term term_add_const(struct terms *t, term x, uint64_t c);

/* Uninterpreted function: width 0 with index_width != 0 means the result is an array. */
term term_apply(struct terms *t, const char *name, unsigned width, const term *kid, unsigned nkids);
term term_apply_array(struct terms *t, const char *name, unsigned index_width, unsigned cell_width,
                      const term *kid, unsigned nkids);
/* The same with the function of that origin. */
term term_apply_origin(struct terms *t, const struct term_origin *o, term_spell_fn *spell, unsigned width,
                       const term *kid, unsigned nkids);
term term_apply_origin_array(struct terms *t, const struct term_origin *o, term_spell_fn *spell,
                             unsigned index_width, unsigned cell_width, const term *kid, unsigned nkids);
term term_pure(struct terms *t, const struct pure *f, const term *kid);

/* `width` is a multiple of the cell width. Reading walks the write chain as far as base-plus-offset reasoning
 * (and `distinct`, when set) proves equal or disjoint, assembling the value when writes cover it in parts;
 * otherwise the read stays symbolic on the array reached. */
term term_read(struct terms *t, term array, term index, unsigned width);
term term_write(struct terms *t, term array, term index, term value);
term term_array_const(struct terms *t, unsigned index_width, term cell);

/* Extra knowledge for reading past writes: returns true when indices with these bases (the parts left when
 * the constant offset is taken off; TERM_NONE for an index that is a constant) cannot overlap however large
 * the offsets. Used by src/exec for its named axioms; every use is counted by whoever supplied it. Reads are
 * remembered: answers must not change until this is called again. */
typedef bool term_distinct_fn(void *ctx, term base_a, term base_b);
struct term_distinct {
    term_distinct_fn *fn; /* NULL: nothing more is known */
    void *ctx;
};
/* Returns what was set before. */
struct term_distinct terms_set_distinct(struct terms *t, struct term_distinct by);
/* Unset it if it is still the one with this context: another user may have set its own since. */
void terms_drop_distinct(struct terms *t, const void *ctx);

/* ---- looking ---- */
unsigned term_kind(const struct terms *t, term x);  /* enum op or enum term_kind */
unsigned term_width(const struct terms *t, term x); /* 0 for arrays */
bool term_is_array(const struct terms *t, term x);
/* What a chain of writes to an array begins with. */
term term_array_root(const struct terms *t, term x);
unsigned term_index_width(const struct terms *t, term x);
unsigned term_cell_width(const struct terms *t, term x);
unsigned term_nkids(const struct terms *t, term x);
term term_kid(const struct terms *t, term x, unsigned i);
unsigned term_extract_lo(const struct terms *t, term x);
/* Of a variable or of an application's function; TERM_ORIGIN_NONE for everything else. */
struct term_origin term_origin(const struct terms *t, term x);
/* Whether both are made by the same operator, function, or extraction of the same bits, of as many operands;
 * or are one symbol. Operands may differ in width: of a variadic function, say. */
bool term_same_head(const struct terms *t, term x, term y);
const char *term_name(const struct terms *t, term x); /* variables, applications, pure functions; else NULL */
const struct pure *term_pure_of(const struct terms *t, term x);
bool term_is_const(const struct terms *t, term x);
bool term_const_value(const struct terms *t, term x, struct bits *value);
bool term_const_u64(const struct terms *t, term x, uint64_t *value); /* width <= 64 */
bool term_is_true(const struct terms *t, term x);
bool term_is_false(const struct terms *t, term x);
size_t terms_count(const struct terms *t);
/* What was done with them so far, in units of base/budget.h; whoever works on them otherwise adds to it. */
uint64_t *terms_work(struct terms *t);

/* x = base + offset with the offset constant (modulo 2^width); base is TERM_NONE when x is a constant.
 * Width must be at most 64. */
void term_split(const struct terms *t, term x, term *base, uint64_t *offset);

/* Bits known to be zero / one whatever the symbols are. Memoised. */
struct term_known {
    struct bits zero, one;
};
struct term_known term_known(struct terms *t, term x);

/* x with other kids, rewritten again. */
term term_rebuild(struct terms *t, term x, const term *kid);
/* Every node below x anew, kids first: `node` is given a node and what became of its kids (NULL:
 * term_rebuild). `done` says what is known already, and afterwards all that was found out. */
typedef term (*term_rewriter)(void *ctx, term x, const term *kid);
term term_rewrite(struct terms *t, term x, struct map *done, term_rewriter node, void *ctx);
/* The choice that x is, between what `leaf` makes of its values: of each once, however often it can be
 * chosen. */
typedef term (*term_leaf)(void *ctx, term x);
term term_choose(struct terms *t, term x, term_leaf leaf, void *ctx);
/* Asks x and what it is chosen from, put together from, cut out of or extended from, each once, until one
 * says TERM_STOP. Kids are asked of those that say TERM_INTO. True: one stopped. */
enum term_visit { TERM_INTO, TERM_PAST, TERM_STOP };
typedef enum term_visit (*term_visitor)(void *ctx, term x);
bool term_visit_parts(const struct terms *t, term x, term_visitor visit, void *ctx);
/* Asks every node below x, each once, depth first, kids from left to right, until one says yes. */
typedef bool (*term_test)(void *ctx, term x);
bool term_any(const struct terms *t, term x, term_test is, void *ctx);
/* The same of one of many terms that have much in common: `known` has the answers so far, and no node is
 * asked twice. */
bool term_any_of_many(const struct terms *t, term x, struct map *known, term_test is, void *ctx);
/* A test: x is the term at ctx. */
bool term_is_that(void *ctx, term x);
/* ... below any of them; those that are TERM_NONE are left out. */
bool term_any_of(const struct terms *t, const term *x, size_t n, term_test is, void *ctx);
/* Substitution: replaces `from[i]` by `to[i]` everywhere, simultaneously, rewriting again on the way up. */
term term_substitute(struct terms *t, term x, const term *from, const term *to, size_t n);

/* The free symbols (TERM_VAR) of x, each once, in order of first occurrence, depth first. Returns the count;
 * fills up to cap. */
size_t term_symbols(const struct terms *t, term x, term *out, size_t cap);
/* Number of distinct nodes reachable from x. */
size_t term_size(const struct terms *t, term x);
/* ... or more than `most`. */
size_t term_size_to(const struct terms *t, term x, size_t most);

/* ---- evaluating under a model (term/eval.c) ---- */
struct term_model; /* values for symbols, function tables, array contents; what is not in it has a default of
                      zero */

struct term_model *term_model_new(void);
/* The same model, to be freed once more. */
struct term_model *term_model_hold(struct term_model *m);
void term_model_free(struct term_model *m);
/* Another one that says the same. */
struct term_model *term_model_copy(const struct term_model *m);
void term_model_set(struct term_model *m, term symbol, struct bits value);
/* Arrays: a default cell and exceptions. */
void term_model_set_default(struct term_model *m, term array, struct bits cell);
void term_model_set_cell(struct term_model *m, term array, uint64_t index, struct bits cell);
/* What is in the other one, if the model says; from then on they are one. */
void term_model_set_array(struct term_model *m, term array, term as);
/* Functions: by name; a default and exceptions by argument tuple. A function that returns an array maps to an
 * array symbol standing for its contents. */
void term_model_set_function_default(struct term_model *m, const char *name, struct bits value);
void term_model_set_function(struct term_model *m, const char *name, const struct bits *arg, unsigned nargs,
                             struct bits value);
/* The same for the function that x is an application of: those of its name with other widths keep theirs. */
void term_model_set_application(struct term_model *m, const struct terms *t, term x, const struct bits *arg,
                                struct bits value);
/* A function that returns an array and is not in the model returns the first array of that type that it is given. */
void term_model_keep_arrays(struct term_model *m);
/* A TERM_READ gets a value: in the array under all that was written. False when the model does not say which cells
 * those are, or they were written; some may have been set then. */
bool term_model_set_read(struct terms *t, struct term_model *m, term read, struct bits value);
/* The value of a bit-vector term. False when the model cannot say: a function that returns an array and is
 * not in the model, two arrays with indices over 64 bits compared. A value set for an application itself
 * comes before its function's table, in which array arguments count as zero. */
bool term_eval(struct terms *t, const struct term_model *m, term x, struct bits *value);
/* The same for many terms; what they share is evaluated once. known[i] is what term_eval would return. */
void term_eval_all(struct terms *t, const struct term_model *m, const term *x, size_t n, struct bits *value,
                   bool *known);
/* None of the terms, of width 1, is false. The last are looked at first, and none after one that is false.
 * *known: nor is there one of which the model cannot say. */
bool term_eval_none_false(struct terms *t, const struct term_model *m, const term *x, size_t n, bool *known);
/* Calls fn for every symbol with a value, sorted by name. */
void term_model_each(const struct terms *t, const struct term_model *m,
                     void (*fn)(void *ctx, term symbol, struct bits value), void *ctx);

/* ---- text ---- */
struct error;
/* For people: infix, C-like, signed small constants, mem[..] for reads; shared subterms are spelled out up to
 * a size, then named with a where-list. */
void term_print(struct buf *out, const struct terms *t, term x);
/* Terms that are read together and share what has a name: x[i] goes to out[i], and the definitions, one a
 * line, to *where. With n == 1 the term itself is spelled. known[i] is called name[i] wherever it occurs, and
 * not explained. */
void term_print_together(struct buf *out, struct buf *where, const struct terms *t, const term *x, size_t n,
                         const term *known, const char *const *name, size_t nknown);
/* SMT-LIB 2 (term/smtlib_print.c): a complete script: set-logic, declarations, one assert a term, check-sat;
 * shared nodes become define-fun so that the text is linear in the term's size. */
void term_smtlib_script(struct buf *out, struct terms *t, const term *assertion, size_t n, bool fp_theory,
                        bool want_model);
/* One term as an SMT-LIB expression with let-bindings. */
void term_smtlib(struct buf *out, struct terms *t, term x);
/* Resolves a symbol while reading; TERM_NONE when unknown. */
typedef term term_lookup_fn(void *ctx, const char *name);
/* Reads one expression (QF_AUFBV, with let, define-fun macros already expanded). The error names line and
 * column. */
term term_smtlib_read(struct terms *t, const char *text, size_t n, term_lookup_fn *lookup, void *ctx,
                      struct error *err);
/* Reads a script: declare-const, declare-fun, define-fun, assert, and ignores set-* , check-sat, exit.
 * Returns the conjunction of the assertions, TERM_NONE on error. */
term term_smtlib_read_script(struct terms *t, const char *text, size_t n, struct error *err);
/* The same; symbols that the script does not declare are looked up. */
term term_smtlib_read_script_with(struct terms *t, const char *text, size_t n, term_lookup_fn *lookup,
                                  void *ctx, struct error *err);

/* ---- rules and counters ---- */
struct term_rule_info {
    const char *name;
    const char *text; /* "x & x = x" */
};
size_t term_rule_count(void);
struct term_rule_info term_rule(size_t i);
uint64_t terms_rule_fired(const struct terms *t, size_t i);
/* With a rule off, terms are built without it (tests prove each rule by comparing both). */
void terms_rule_enable(struct terms *t, size_t i, bool on);

struct terms_stats {
    uint64_t nodes, lookups, hits, rewrites, bytes;
};
struct terms_stats terms_stats(const struct terms *t);

#endif
