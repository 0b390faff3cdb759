/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the SMT-LIB reader: smtlib_read.c walks text and scopes, smtlib_apply.c knows the operators. */
#ifndef TERM_SMTLIB_READER_H
#define TERM_SMTLIB_READER_H

#include "term/smtlib.h"

enum {
    WORK_LIMIT = 1 << 20, /* nodes the text does not spell out: instances of define-fun, pairs of distinct */
    ARRAY_SORTS = 1000,
};

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

/* The error "LINE:COLUMN: ..." of an expression; returns false. */
bool reader_fail(struct reader *r, const struct sexp *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What an expression looks like in an error message. */
const char *reader_shown(const struct sexp *s);
/* Counts n nodes against WORK_LIMIT. */
bool reader_spend(struct reader *r, const struct sexp *at, uint64_t n);
struct sort reader_sort_of(const struct reader *r, term x);
bool reader_sort_eq(struct sort a, struct sort b);
const char *reader_sort_text(struct reader *r, struct sort s);
bool reader_number(struct reader *r, const struct sexp *s, unsigned limit, const char *what, unsigned *out);
bool reader_sort(struct reader *r, const struct sexp *s, struct sort *out);

/* ---- smtlib_apply.c. Operands are any terms: sorts are checked there, `at` is where to complain. ---- */
struct builtin;
/* NULL when the name is no operator. */
const struct builtin *builtin_find(const char *name);
bool apply_builtin(struct reader *r, const struct sexp *at, const struct builtin *f, const term *arg,
                   size_t n, term *out);
/* (_ NAME NUMBER..) applied to an operand. */
bool apply_indexed(struct reader *r, const struct sexp *at, const struct sexp *head, const term *arg,
                   size_t n, term *out);
/* ((as const SORT) VALUE) */
bool apply_const_array(struct reader *r, const struct sexp *at, const struct sexp *head, const term *arg,
                       size_t n, term *out);
/* Floating-point operators printed as uninterpreted functions come back as what they were. */
bool apply_fp(struct reader *r, const struct sexp *at, const char *name, enum op op, unsigned width,
              const term *arg, size_t n, term *out);
/* Complains unless least <= n <= most. */
bool want_args(struct reader *r, const struct sexp *at, const char *name, size_t n, size_t least,
               size_t most);

#endif
