/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/bitcode.h"

#include <string.h>

#include "exec/engine.h"

/* The symbol of a global's address, with what is known of it assumed. */
static term global_address(struct explorer *x, const char *name)
{
    term v = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_ADDRESS, .name = name}, x->width);
    for (size_t i = 0; i < x->globals.len; i++)
        if (x->globals.data[i] == v)
            return v;
    struct bitcode_symbol s;
    vec_push(&x->globals, v);
    if (!bitcode_symbol(x->bitcode, name, &s) || s.weak)
        return v;
    vec_push(&x->assume, term_not(x->t, term_eq(x->t, v, term_const(x->t, x->width, 0))));
    unsigned low = 0;
    while (low < 12 && s.align >> (low + 1) << (low + 1) == s.align && s.align >> (low + 1))
        low++;
    if (low)
        vec_push(&x->assume, term_eq(x->t, term_extract(x->t, v, 0, low), term_const(x->t, low, 0)));
    return v;
}

struct explorer *explorer_new_bitcode(struct bitcode *m, const struct bitcode_code *c, struct terms *t,
                                      struct solver *s, const struct explore_options *opt)
{
    struct explorer *x = explorer_new_bare(&c->machine, bitcode_pures(), t, s, opt);
    x->bitcode = m;
    x->library = flow_library_open(NULL, NULL);
    for (unsigned i = 0; i < c->machine.nreg; i++)
        if (c->machine.reg[i].object)
            global_address(x, c->machine.reg[i].object);
    return x;
}

bool bitcode_is_global(struct explorer *x, term base)
{
    return x->bitcode && origin_is(x->t, base, ORIGIN_ADDRESS);
}

term bitcode_constant(struct explorer *x, term base, uint64_t offset, unsigned width)
{
    struct bitcode_symbol s;
    struct bitcode_datum d;
    unsigned bytes = width / 8;
    if (!bitcode_is_global(x, base) || !bitcode_symbol(x->bitcode, term_origin(x->t, base).name, &s) ||
        !s.constant)
        return TERM_NONE;
    if (bitcode_data(x->bitcode, s.name, offset, bytes, &d)) {
        if (!d.symbol)
            return term_const_bits(x->t, width, d.value);
        return term_add_const(x->t, global_address(x, d.symbol), bits_low(d.value));
    }
    /* Several words with addresses among them. */
    if (bytes <= x->unit || bytes % x->unit)
        return TERM_NONE;
    term out = TERM_NONE;
    for (unsigned at = 0; at < bytes; at += x->unit) {
        term word = bitcode_constant(x, base, offset + at, x->width);
        if (word == TERM_NONE)
            return TERM_NONE;
        out = out == TERM_NONE ? word : term_concat(x->t, word, out);
    }
    return out;
}

const char *bitcode_text_at(struct explorer *x, term p, size_t *len)
{
    term base;
    uint64_t offset;
    term_split(x->t, p, &base, &offset);
    return bitcode_is_global(x, base) ? bitcode_string(x->bitcode, term_origin(x->t, base).name, offset, len)
                                      : NULL;
}

void bitcode_callee(struct explorer *x, struct callee *c)
{
    const struct bitcode_function *f = bitcode_function_at(x->bitcode, c->address);
    if (f) {
        c->name = f->name;
        c->proto = (struct flow_prototype){.nargs = (int)f->nargs,
                                           .nfargs = (int)f->nfargs,
                                           .variadic = f->variadic,
                                           .returns = f->returns,
                                           .returns_float = f->returns_float,
                                           .source = PROTO_DWARF};
    }
    if (c->name && (!f || f->declared) && x->library)
        c->lib = flow_library_find(x->library, c->name);
}

/* Whether arguments and result are of the widths that the library's function has: a program may declare
 * anything by that name. */
bool bitcode_fits_library(const struct explorer *x, const struct flow_library_entry *l, const term *arg,
                          unsigned nargs, unsigned result_width)
{
    if (nargs < l->nparams || (nargs > l->nparams && !l->variadic) ||
        result_width > (l->returns_float ? 64 : x->width))
        return false;
    for (unsigned i = 0; i < l->nparams; i++) {
        unsigned width = term_width(x->t, arg[i]);
        switch (l->arg[i]) {
        case LIBRARY_INT:
            if (width != 32)
                return false;
            break;
        case LIBRARY_WIDE:
        case LIBRARY_DOUBLE:
            if (width != 64)
                return false;
            break;
        case LIBRARY_FLOAT:
            if (width != 32)
                return false;
            break;
        case LIBRARY_LONG_DOUBLE:
            break;
        default:
            if (width != x->width)
                return false;
        }
    }
    return true;
}

/* A format that makes a function store through its arguments: %n, or one that is not known. */
bool bitcode_format_stores(struct explorer *x, const struct flow_library_entry *l, const term *arg,
                           unsigned nargs)
{
    size_t len;
    const char *s = l->nparams && l->nparams <= nargs ? bitcode_text_at(x, arg[l->nparams - 1], &len) : NULL;
    if (!s)
        return true;
    for (size_t i = 0; i < len; i++) {
        if (s[i] != '%')
            continue;
        for (i++; i < len && strchr("-+ #0123456789.'*hlLqjztI$", s[i]); i++)
            ;
        if (i < len && s[i] == 'n')
            return true;
    }
    return false;
}
