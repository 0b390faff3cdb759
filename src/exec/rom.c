/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/rom.h"

enum { TABLE_MAX = 2048 }; /* bytes of a table that are told to the solver */

struct rom {
    uint64_t low, size; /* the file's addresses */
    term array;         /* indexed from 0 */
};

static struct rom *rom_at(struct roms *s, uint64_t own)
{
    uint64_t known, low = own, offset, high = 0;
    const struct object_symbol *y = object_symbol_at(s->o, own, &offset);
    if (y && y->type == SYMBOL_OBJECT && y->size && offset < y->size && y->size <= TABLE_MAX) {
        low = own - offset;
        high = low + y->size;
    }
    if (map_get(&s->at, low, &known))
        return (struct rom *)(uintptr_t)known;
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; !high && i < n; i++)
        if (x[i].alloc && !x[i].tls && low >= x[i].address && low - x[i].address < x[i].size)
            high = x[i].address + x[i].size - low > TABLE_MAX / 2 ? low + TABLE_MAX / 2
                                                                  : x[i].address + x[i].size;
    struct rom *r = NULL;
    if (high > low && object_is_readonly(s->o, low, high - low)) {
        r = arena_new(s->arena, struct rom);
        *r = (struct rom){low, high - low, TERM_NONE};
        const struct object_pointer *ptr;
        size_t np = object_pointers(s->o, &ptr);
        for (size_t i = 0; i < np; i++)
            if (ptr[i].address + 8 > low && ptr[i].address < high)
                r = NULL, i = np;
    }
    if (r) {
        term a = term_array_const(s->t, s->width, term_const(s->t, 8, 0));
        for (uint64_t at = 0; at < r->size; at += 8) {
            uint8_t byte[8];
            unsigned k = r->size - at < 8 ? (unsigned)(r->size - at) : 8;
            if (!object_read(s->o, r->low + at, byte, k))
                return NULL;
            a = term_write(s->t, a, term_const(s->t, s->width, at),
                           term_const_bits(s->t, k * 8, bits_from_bytes(byte, k)));
        }
        r->array = a;
    }
    map_set(&s->at, low, (uint64_t)(uintptr_t)r);
    return r;
}

/* The table of an index that does not begin at 0 lies near what is added to it. UINT64_MAX: nothing does. */
static uint64_t nearest_readonly(const struct object *o, uint64_t own)
{
    enum { NEAR = 4096 };
    const struct object_section *x;
    uint64_t best = UINT64_MAX, least = NEAR;
    size_t n = object_sections(o, &x);
    if (object_is_readonly(o, own, 1))
        return own;
    for (size_t i = 0; i < n; i++) {
        if (!x[i].alloc || x[i].tls || !x[i].size || !object_is_readonly(o, x[i].address, 1))
            continue;
        uint64_t last = x[i].address + x[i].size - 1, at = own < x[i].address ? x[i].address : last;
        uint64_t far = own < at ? at - own : own - at;
        if (far < least) {
            least = far;
            best = at;
        }
    }
    return best;
}

static uint64_t nearest_known(struct roms *s, uint64_t own)
{
    uint64_t near;
    if (!map_get(&s->near, own, &near)) {
        near = nearest_readonly(s->o, own);
        map_set(&s->near, own, near);
    }
    return near;
}

term roms_load(struct roms *s, uint64_t own, term here, term address, unsigned width, term otherwise)
{
    struct terms *t = s->t;
    uint64_t near = nearest_known(s, own);
    if (near == UINT64_MAX)
        return otherwise;
    here = term_add_const(t, here, near - own);
    own = near;
    struct rom *r = rom_at(s, own);
    if (!r || r->size < width / 8)
        return otherwise;
    term start = term_add_const(t, here, r->low - own);
    term index = term_bin(t, OP_SUB, address, start);
    term inside = term_bin(t, OP_ULE, index, term_const(t, s->width, r->size - width / 8));
    term value = term_read(t, r->array, index, width);
    return term_ite(t, inside, value, otherwise);
}

void roms_free(struct roms *s)
{
    map_free(&s->at);
    map_free(&s->near);
}
