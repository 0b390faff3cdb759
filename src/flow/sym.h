/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expressions of flow/value.h by themselves: a hash-consed pool, their normal form, the ranges that a
 * condition leaves, and evaluation over the read-only memory of an object. */
#ifndef FLOW_SYM_H
#define FLOW_SYM_H

#include "base/bits.h"
#include "base/map.h"
#include "base/vec.h"
#include "flow/value.h"

struct sym_pool {
    const struct object *object;
    uint64_t sp_align, sp_residue; /* the stack pointer on entry is a multiple of sp_align, plus sp_residue */
    VEC(struct sym_node) node;
    struct map index; /* hash to node; the next number up on a collision */
};

void sym_pool_init(struct sym_pool *p, const struct object *o, enum machine_arch arch);
void sym_pool_free(struct sym_pool *p);

const struct sym_node *sym_at(const struct sym_pool *p, sym x); /* valid until the next one is made */
sym sym_const(struct sym_pool *p, unsigned width, uint64_t c);
sym sym_leaf(struct sym_pool *p, enum sym_op op, unsigned width, uint64_t imm);
/* Reads constants from read-only memory at once. */
sym sym_make_load(struct sym_pool *p, sym address, unsigned width);
sym sym_make(struct sym_pool *p, enum op op, unsigned width, sym a, sym b, sym c, unsigned lo);
bool sym_is_const(const struct sym_pool *p, sym x, uint64_t *c);
/* x is leaf + *offset with a leaf of that kind. offset may be NULL. */
bool sym_is_base(const struct sym_pool *p, sym x, enum sym_op leaf, int64_t *offset);
/* x = *base + *offset; *base is SYM_NONE for a constant. */
void sym_split(const struct sym_pool *p, sym x, sym *base, int64_t *offset);

struct range range_both(unsigned width, struct range a,
                        struct range b); /* intersection, or the smaller when that is no interval */
struct range range_either(struct range a, struct range b); /* an interval that holds both */
struct range sym_shape_range(const struct sym_pool *p, sym x);
/* ... all of them have at most so many bits. */
bool sym_shape_fits(const struct sym_pool *p, sym x, unsigned bits);
/* What x can be when the condition has the truth value. */
struct range sym_range_if(const struct sym_pool *p, sym cond, bool truth, sym x);

bool sym_eval(const struct sym_pool *p, sym x, sym var, uint64_t number, uint64_t *out);

#endif
