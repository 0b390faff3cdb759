/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How terms are written: what words.c knows of a program, and the writing itself (spell.c). */
#ifndef TELL_SPELL_H
#define TELL_SPELL_H

#include "base/alloc.h"
#include "base/map.h"
#include "exec/origin.h"
#include "tell/words.h"

enum {
    SPELL_DEPTH_MAX = 9, /* levels spelled inside each other */
    ARGS_MAX = 64,
};

/* How tightly things bind, loosest first. */
enum prec {
    PREC_CHOICE,
    PREC_OR_ELSE,
    PREC_AND_ALSO,
    PREC_BITS,
    PREC_EQUAL,
    PREC_ORDER,
    PREC_SHIFT,
    PREC_SUM,
    PREC_PRODUCT,
    PREC_PREFIX,
    PREC_ATOM,
};

struct words {
    struct terms *t;
    struct program *p;
    const struct object *o;
    unsigned width;                           /* of a pointer */
    int params;                               /* arguments that the function takes; -1: not known */
    const struct object_param *arg[ARGS_MAX]; /* by number of the integer argument; NULL: not known */
    struct map names;                         /* term to what it is called (const char *) */
    struct map apart;                         /* term to what tells it apart (const char *) */
    words_address_fn *address;
    void *ctx;
    bool guess;
    struct arena arena;
    /* The text being written. */
    struct buf *out;
    size_t begun;
    bool cut, lost, exact;
};

typedef const struct object_type_info type;

/* ---- words.c: what a term is in the program ---- */
/* The parameter that the term is; NULL: none, or nothing is known of it. */
const struct object_param *words_parameter(const struct words *w, term x);
/* The part of a structure or array at the offset, this many bytes wide, and where in it: ".size", "[3].x".
 * NULL when there is no such part. bytes 0: whatever begins there. */
type *words_part_at(type *t, uint64_t offset, uint64_t bytes, struct buf *path);
/* The name of a call's term without what stands before and after it: "ret:NAME/3". */
/* What a pointer points to, with the constant offset it was moved by. */
type *words_pointee(struct words *w, term x, int depth, term *base, uint64_t *offset);
type *words_type_of(struct words *w, term x, int depth); /* NULL: not known */
/* The symbol a person would know; labels that compilers make up are none. */
const struct object_symbol *words_symbol(struct program *p, uint64_t address, uint64_t *offset);
/* What lies at an address: a function, a string, a symbol. */
bool words_known_address(struct program *p, uint64_t address, bool exact, struct buf *out);
void words_put_address(struct buf *out, struct program *p, uint64_t address); /* that, or the number */
/* The address a term is, when it is one that does not depend on the input. */
bool words_fixed_address(struct words *w, term x, struct program **of, uint64_t *address);

/* ---- spell.c ---- */
/* Written to w->out, in parentheses where what stands around it binds more tightly. */
void spell(struct words *w, term x, enum prec around, int depth);
/* What is at an address. */
void spell_place(struct words *w, term address, unsigned bytes, enum prec around, int depth);

#endif
