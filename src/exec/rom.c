/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/rom.h"

enum { TABLE_MAX = 2048 }; /* bytes of a table that are told to the solver */

struct rom {
    uint64_t low, size; /* the file's addresses */
    term array;         /* indexed from 0 */
};

/* NULL: it is written, or the dynamic linker fills some of it. */
static struct rom *rom_of(struct roms *s, uint64_t low, uint64_t high)
{
    if (high <= low || !object_is_readonly(s->o, low, high - low))
        return NULL;
    const struct object_pointer *ptr;
    size_t np = object_pointers(s->o, &ptr);
    for (size_t i = 0; i < np; i++)
        if (ptr[i].address + 8 > low && ptr[i].address < high)
            return NULL;
    struct rom *r = arena_new(s->arena, struct rom);
    *r = (struct rom){low, high - low, term_array_const(s->t, s->width, term_const(s->t, 8, 0))};
    for (uint64_t at = 0; at < r->size; at += 8) {
        uint8_t byte[8];
        unsigned k = r->size - at < 8 ? (unsigned)(r->size - at) : 8;
        if (!object_read(s->o, r->low + at, byte, k))
            return NULL;
        r->array = term_write(s->t, r->array, term_const(s->t, s->width, at),
                              term_const_bits(s->t, k * 8, bits_from_bytes(byte, k)));
    }
    return r;
}

static const struct object_section *section_of(const struct roms *s, uint64_t own)
{
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && !x[i].tls && own >= x[i].address && own - x[i].address < x[i].size)
            return &x[i];
    return NULL;
}

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
    const struct object_section *x = high ? NULL : section_of(s, low);
    if (x)
        high = x->address + x->size - low > TABLE_MAX / 2 ? low + TABLE_MAX / 2 : x->address + x->size;
    struct rom *r = rom_of(s, low, high);
    map_set(&s->at, low, (uint64_t)(uintptr_t)r);
    return r;
}

/* As much as is told to the solver, before and behind the address, up to words that the dynamic linker fills.
 */
static struct rom *rom_around(struct roms *s, uint64_t own)
{
    enum { AROUND = TABLE_MAX / 2 };
    uint64_t known;
    const struct object_section *x = section_of(s, own);
    if (map_get(&s->around, own, &known))
        return (struct rom *)(uintptr_t)known;
    struct rom *r = NULL;
    if (x) {
        uint64_t low = own - x->address > AROUND ? own - AROUND : x->address,
                 high = x->address + x->size - own > AROUND ? own + AROUND : x->address + x->size;
        const struct object_pointer *ptr;
        size_t np = object_pointers(s->o, &ptr);
        for (size_t i = 0; i < np; i++) {
            if (ptr[i].address <= own && ptr[i].address + 8 > low)
                low = ptr[i].address + 8;
            else if (ptr[i].address > own && ptr[i].address < high)
                high = ptr[i].address;
        }
        r = rom_of(s, low, high);
    }
    map_set(&s->around, own, (uint64_t)(uintptr_t)r);
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

/* A load from the table, if the address is in it. */
static term load_from(struct roms *s, const struct rom *r, uint64_t own, term here, term address,
                      unsigned width, term otherwise)
{
    struct terms *t = s->t;
    if (!r || r->size < width / 8)
        return otherwise;
    term start = term_add_const(t, here, r->low - own);
    term index = term_bin(t, OP_SUB, address, start);
    term inside = term_bin(t, OP_ULE, index, term_const(t, s->width, r->size - width / 8));
    term value = term_read(t, r->array, index, width);
    return term_ite(t, inside, value, otherwise);
}

term roms_load(struct roms *s, uint64_t own, term here, term address, unsigned width, term otherwise)
{
    uint64_t near = nearest_known(s, own);
    if (near == UINT64_MAX)
        return otherwise;
    here = term_add_const(s->t, here, near - own);
    return load_from(s, rom_at(s, near), near, here, address, width, otherwise);
}

term roms_load_around(struct roms *s, uint64_t own, term here, term address, unsigned width, term otherwise)
{
    uint64_t near = nearest_known(s, own), offset = 0;
    if (near == UINT64_MAX)
        return otherwise;
    const struct object_symbol *y = object_symbol_at(s->o, near, &offset);
    bool begins = near == own && y && y->type == SYMBOL_OBJECT && !offset;
    if (!begins)
        otherwise = load_from(s, rom_around(s, near), near, term_add_const(s->t, here, near - own), address,
                              width, otherwise);
    return roms_load(s, own, here, address, width, otherwise);
}

void roms_free(struct roms *s)
{
    map_free(&s->at);
    map_free(&s->near);
    map_free(&s->around);
}
