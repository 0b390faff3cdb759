/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constructors: they check widths and call the rewriter. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "term/internal.h"

term term_const(struct terms *t, unsigned width, uint64_t value)
{
    return table_const(t, width, bits_u64(value, width));
}

term term_const_bits(struct terms *t, unsigned width, struct bits value)
{
    return table_const(t, width, bits_mask(value, width));
}

term term_true(struct terms *t)
{
    return t->yes;
}

term term_false(struct terms *t)
{
    return t->no;
}

static term symbol(struct terms *t, uint32_t id, uint16_t sort)
{
    term x = t->symbol.data[id];
    if (x == TERM_NONE) {
        x = table_cons(t, &(struct term_key){.kind = TERM_VAR, .sort = sort, .aux = id});
        t->symbol.data[id] = x;
    }
    assert(node_of(t, x)->sort == sort);
    return x;
}

term term_var(struct terms *t, const char *name, unsigned width)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    return symbol(t, table_name(t, name), (uint16_t)width);
}

term term_array_var(struct terms *t, const char *name, unsigned index_width, unsigned cell_width)
{
    return symbol(t, table_name(t, name), table_array_sort(t, index_width, cell_width));
}

term term_symbol(struct terms *t, const struct term_origin *o, term_spell_fn *spell, unsigned width)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    return symbol(t, table_origin(t, o, spell), (uint16_t)width);
}

term term_array_symbol(struct terms *t, const struct term_origin *o, term_spell_fn *spell,
                       unsigned index_width, unsigned cell_width)
{
    return symbol(t, table_origin(t, o, spell), table_array_sort(t, index_width, cell_width));
}

term term_find_var(const struct terms *t, const char *name)
{
    uint64_t id;
    return strmap_get(&t->name_id, name, &id) ? t->symbol.data[id] : TERM_NONE;
}

/* Many are made, and each is spelled. */
static void spell_fresh(struct buf *out, const struct term_origin *o)
{
    char digit[24];
    size_t at = sizeof digit;
    digit[--at] = 0;
    for (uint64_t n = o->offset; n || digit[at] == 0; n /= 10)
        digit[--at] = (char)('0' + n % 10);
    digit[--at] = '!';
    buf_puts(out, o->name);
    buf_puts(out, digit + at);
}

static term fresh(struct terms *t, const char *prefix, uint16_t sort)
{
    struct term_origin o = {.kind = TERM_ORIGIN_FRESH, .offset = t->fresh++, .name = prefix};
    return symbol(t, table_origin(t, &o, spell_fresh), sort);
}

term term_fresh(struct terms *t, const char *prefix, unsigned width)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    return fresh(t, prefix, (uint16_t)width);
}

term term_fresh_array(struct terms *t, const char *prefix, unsigned index_width, unsigned cell_width)
{
    return fresh(t, prefix, table_array_sort(t, index_width, cell_width));
}

/* A caller's mistake about widths is found here and not in a solver's complaint. (Unused without assertions.) */
__attribute__((unused)) static bool form_fits(const struct terms *t, const struct form *f)
{
    unsigned width[OP_MAX_ARITY] = {0};
    for (unsigned i = 0; i < f->nkids; i++)
        width[i] = width_of(t, f->kid[i]);
    return f->nkids == op_info[f->op].arity && op_check(f->op, f->width, width, f->lo) == NULL;
}

static term apply_form(struct terms *t, const struct form *f)
{
    assert(form_fits(t, f));
    return rewrite_build(t, f);
}

term term_op(struct terms *t, enum op op, unsigned width, const term *kid, unsigned nkids)
{
    assert(op < OP_COUNT_ && op != OP_EXTRACT && nkids <= OP_MAX_ARITY);
    if (op == OP_EQ)
        return term_eq(t, kid[0], kid[1]);
    if (op == OP_ITE)
        return term_ite(t, kid[0], kid[1], kid[2]);
    struct form f = {.op = (uint8_t)op, .nkids = (uint8_t)nkids, .width = (uint16_t)width};
    memcpy(f.kid, kid, nkids * sizeof *kid);
    return apply_form(t, &f);
}

term term_un(struct terms *t, enum op op, term x)
{
    struct form f = {.op = (uint8_t)op, .nkids = 1, .width = (uint16_t)width_of(t, x), .kid = {x}};
    return apply_form(t, &f);
}

term term_bin(struct terms *t, enum op op, term x, term y)
{
    if (op == OP_EQ)
        return term_eq(t, x, y);
    unsigned width = width_of(t, x);
    switch (op_info[op].shape) {
    case OP_SHAPE_COMPARE:
    case OP_SHAPE_FCMP:
        width = 1;
        break;
    case OP_SHAPE_CONCAT:
        width += width_of(t, y);
        break;
    default:
        break;
    }
    struct form f = {.op = (uint8_t)op, .nkids = 2, .width = (uint16_t)width, .kid = {x, y}};
    return apply_form(t, &f);
}

term term_ite(struct terms *t, term c, term x, term y)
{
    assert(width_of(t, c) == 1 && node_of(t, x)->sort == node_of(t, y)->sort);
    if (term_is_array(t, x))
        return memory_ite(t, c, x, y);
    struct form f = {.op = OP_ITE, .nkids = 3, .width = (uint16_t)width_of(t, x), .kid = {c, x, y}};
    return apply_form(t, &f);
}

term term_extract(struct terms *t, term x, unsigned lo, unsigned width)
{
    struct form f = {.op = OP_EXTRACT, .nkids = 1, .width = (uint16_t)width, .lo = lo, .kid = {x}};
    return apply_form(t, &f);
}

term term_zext(struct terms *t, term x, unsigned width)
{
    struct form f = {.op = OP_ZEXT, .nkids = 1, .width = (uint16_t)width, .kid = {x}};
    return apply_form(t, &f);
}

term term_sext(struct terms *t, term x, unsigned width)
{
    struct form f = {.op = OP_SEXT, .nkids = 1, .width = (uint16_t)width, .kid = {x}};
    return apply_form(t, &f);
}

term term_concat(struct terms *t, term hi, term lo)
{
    return term_bin(t, OP_CONCAT, hi, lo);
}

term term_not(struct terms *t, term x)
{
    return term_un(t, OP_NOT, x);
}

term term_and(struct terms *t, term x, term y)
{
    return term_bin(t, OP_AND, x, y);
}

term term_or(struct terms *t, term x, term y)
{
    return term_bin(t, OP_OR, x, y);
}

term term_eq(struct terms *t, term x, term y)
{
    assert(node_of(t, x)->sort == node_of(t, y)->sort);
    struct form f = {.op = OP_EQ, .nkids = 2, .width = 1, .kid = {x, y}};
    return rewrite_build(t, &f);
}

term term_implies(struct terms *t, term x, term y)
{
    return term_or(t, term_not(t, x), y);
}

term term_add_const(struct terms *t, term x, uint64_t c)
{
    unsigned width = width_of(t, x);
    struct bits v = bits_u64(c, width < 64 ? width : 64);
    return term_bin(t, OP_ADD, x, table_const(t, width, v));
}

static term apply_id(struct terms *t, uint32_t id, uint16_t sort, const term *kid, unsigned nkids)
{
    return table_cons(
        t, &(struct term_key){.kind = TERM_APPLY, .sort = sort, .aux = id, .kid = kid, .nkids = nkids});
}

term term_apply(struct terms *t, const char *name, unsigned width, const term *kid, unsigned nkids)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    return apply_id(t, table_name(t, name), (uint16_t)width, kid, nkids);
}

term term_apply_array(struct terms *t, const char *name, unsigned index_width, unsigned cell_width,
                      const term *kid, unsigned nkids)
{
    return apply_id(t, table_name(t, name), table_array_sort(t, index_width, cell_width), kid, nkids);
}

term term_apply_origin(struct terms *t, const struct term_origin *o, term_spell_fn *spell, unsigned width,
                       const term *kid, unsigned nkids)
{
    assert(width >= 1 && width <= OP_MAX_WIDTH);
    return apply_id(t, table_origin(t, o, spell), (uint16_t)width, kid, nkids);
}

term term_apply_origin_array(struct terms *t, const struct term_origin *o, term_spell_fn *spell,
                             unsigned index_width, unsigned cell_width, const term *kid, unsigned nkids)
{
    return apply_id(t, table_origin(t, o, spell), table_array_sort(t, index_width, cell_width), kid, nkids);
}

term term_pure(struct terms *t, const struct pure *f, const term *kid)
{
    struct bits arg[PURE_MAX_ARGS];
    bool constant = f->eval != NULL;
    for (unsigned i = 0; i < f->nargs; i++) {
        assert(width_of(t, kid[i]) == f->arg_width[i]);
        constant = constant && term_const_value(t, kid[i], &arg[i]);
    }
    if (constant && rule_on(t, TERM_RULE_fold)) {
        rule_count(t, TERM_RULE_fold);
        return term_const_bits(t, f->width, f->eval(arg));
    }
    size_t at = 0;
    while (at < t->pure.len && t->pure.data[at] != f)
        at++;
    if (at == t->pure.len)
        vec_push(&t->pure, f);
    return table_cons(
        t, &(struct term_key){
               .kind = TERM_PURE, .sort = f->width, .aux = (uint32_t)at, .kid = kid, .nkids = f->nargs});
}

__attribute__((unused)) static bool access_fits(const struct terms *t, term array, term index, unsigned width)
{
    if (!term_is_array(t, array) || width_of(t, index) != term_index_width(t, array))
        return false;
    unsigned cell = term_cell_width(t, array), iw = term_index_width(t, array);
    return width && width <= OP_MAX_WIDTH && width % cell == 0 && (iw >= 32 || width / cell <= 1u << iw);
}

term term_read(struct terms *t, term array, term index, unsigned width)
{
    assert(access_fits(t, array, index, width));
    return rewrite_build(
        t, &(struct form){.op = TERM_READ, .nkids = 2, .width = (uint16_t)width, .kid = {array, index}});
}

term term_write(struct terms *t, term array, term index, term value)
{
    assert(access_fits(t, array, index, width_of(t, value)));
    return memory_write(t, array, index, value);
}

term term_array_const(struct terms *t, unsigned index_width, term cell)
{
    uint16_t sort = table_array_sort(t, index_width, width_of(t, cell));
    return table_cons(t, &(struct term_key){.kind = TERM_ACONST, .sort = sort, .kid = &cell, .nkids = 1});
}

struct term_distinct terms_set_distinct(struct terms *t, struct term_distinct by)
{
    struct term_distinct before = t->distinct;
    t->distinct = by;
    /* remembered reads were made with other knowledge */
    t->generation += before.fn || by.fn;
    return before;
}

void terms_drop_distinct(struct terms *t, const void *ctx)
{
    if (t->distinct.fn && t->distinct.ctx == ctx)
        terms_set_distinct(t, (struct term_distinct){0});
}

void term_split(const struct terms *t, term x, term *base, uint64_t *offset)
{
    assert(width_of(t, x) >= 1 && width_of(t, x) <= 64);
    *base = x;
    *offset = 0;
    if (small_const(t, x, offset))
        *base = TERM_NONE;
    else if (kind_of(t, x) == OP_ADD && small_const(t, kid_of(t, x, 1), offset))
        *base = kid_of(t, x, 0);
}
