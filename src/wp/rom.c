/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that never change, as arrays that the solver is told. */
#include "wp/internal.h"

enum { TABLE_MAX = 2048 }; /* bytes of a table that are told to the solver */

struct rom {
    uint64_t low, size; /* own addresses */
    term array;         /* indexed from 0 */
};

static struct rom *rom_at(struct side *s, uint64_t own)
{
    struct pair *pair = &s->w->pair;
    uint64_t known, low = own, offset, high = 0;
    const struct object_symbol *y = object_symbol_at(s->code->o, own, &offset);
    if (y && y->type == SYMBOL_OBJECT && y->size && offset < y->size && y->size <= TABLE_MAX) {
        low = own - offset;
        high = low + y->size;
    }
    if (map_get(&s->roms, low, &known))
        return (struct rom *)(uintptr_t)known;
    const struct object_section *x;
    size_t n = object_sections(s->code->o, &x);
    for (size_t i = 0; !high && i < n; i++)
        if (x[i].alloc && !x[i].tls && low >= x[i].address && low - x[i].address < x[i].size)
            high = x[i].address + x[i].size - low > TABLE_MAX / 2 ? low + TABLE_MAX / 2
                                                                  : x[i].address + x[i].size;
    struct rom *r = NULL;
    if (high > low && object_is_readonly(s->code->o, low, high - low)) {
        r = arena_new(s->w->arena, struct rom);
        *r = (struct rom){low, high - low, TERM_NONE};
        /* words that the dynamic linker fills have no number yet */
        const struct object_pointer *ptr;
        size_t np = object_pointers(s->code->o, &ptr);
        for (size_t i = 0; i < np; i++)
            if (ptr[i].address + 8 > low && ptr[i].address < high)
                r = NULL, i = np;
    }
    if (r) {
        unsigned width = s->code->m->pointer_width;
        term a = term_array_const(pair->t, width, term_const(pair->t, 8, 0));
        for (uint64_t at = 0; at < r->size; at += 8) {
            uint8_t byte[8];
            unsigned k = r->size - at < 8 ? (unsigned)(r->size - at) : 8;
            if (!object_read(s->code->o, r->low + at, byte, k))
                return NULL;
            a = term_write(pair->t, a, term_const(pair->t, width, at),
                           term_const_bits(pair->t, k * 8, bits_from_bytes(byte, k)));
        }
        r->array = a;
    }
    map_set(&s->roms, low, (uint64_t)(uintptr_t)r);
    return r;
}

term rom_load(struct side *s, term address, unsigned width, term otherwise)
{
    struct pair *pair = &s->w->pair;
    struct terms *t = pair->t;
    term base;
    uint64_t offset, own;
    if (term_kind(t, address) == OP_ITE)
        return term_ite(t, term_kid(t, address, 0), rom_load(s, term_kid(t, address, 1), width, otherwise),
                        rom_load(s, term_kid(t, address, 2), width, otherwise));
    term_split(t, address, &base, &offset);
    if (base == TERM_NONE || base == explorer_symbols(s->code->x).sp)
        return otherwise;
    term symbol = pair->side[NEW].p ? symbolic_data(pair, base) : TERM_NONE;
    own = offset;
    if (pair->side[NEW].p) {
        if (symbol == TERM_NONE ||
            (symbol == pair->symbolic.data[0] && !symbolic_own_address(s->code, offset, &own)))
            return otherwise;
    }
    if (!symbolic_in_image(s->code, own) || !object_is_readonly(s->code->o, own, 1))
        return otherwise;
    /* a pointer plus a large offset is not an element of a table: in a program that may lie anywhere the
     * address of one is made by an instruction, which leaves nothing but an index to add */
    struct rom *r = rom_at(s, own);
    if (!r || r->size < width / 8)
        return otherwise;
    unsigned pw = s->code->m->pointer_width;
    term start = term_const(t, pw, offset - (own - r->low));
    if (symbol != TERM_NONE)
        start = term_bin(t, OP_ADD, symbol, start);
    term index = term_bin(t, OP_SUB, address, start);
    term inside = term_bin(t, OP_ULE, index, term_const(t, pw, r->size - width / 8));
    term value = term_read(t, r->array, index, width);
    return term_ite(t, inside, value, otherwise);
}
