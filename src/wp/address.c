/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of data and code in two programs, and tables that never change.
 *
 * When two versions are compared, the address of something is written as a symbol plus where the thing lies
 * in the original: `data@orig` + 0x4010 in both, wherever the linker put it in the modified one. Things that
 * only the modified version has are written with a second symbol. The symbols are free, so nothing can be
 * concluded from numbers that happen to be equal; only for showing a run they get values. What is an address
 * and what a number: a constant in code is one when src/match found the function to refer to it; anything
 * that is accessed is. */
#include <stdlib.h>
#include <string.h>

#include "wp/internal.h"

enum { TABLE_MAX = 2048 }; /* bytes of a table that are told to the solver */

/* Where things lie when a run is shown: away from anything's own addresses. */
static uint64_t pin(const struct wp *w, unsigned i)
{
    bool wide = w->side[0].m->pointer_width == 64;
    return wide ? UINT64_C(0x100000000000) << i : UINT64_C(0x50000000) + i * UINT64_C(0x20000000);
}

static uint64_t span(const struct wp *w)
{
    return w->side[0].m->pointer_width == 64 ? UINT64_C(1) << 44 : UINT64_C(0x20000000);
}

static bool in_section(const struct side *s, uint64_t value, bool code)
{
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && (x[i].exec || !code) && value - x[i].address < x[i].size)
            return true;
    return false;
}

bool address_is_code(const struct side *s, uint64_t value)
{
    return in_section(s, value, true);
}

bool address_is_mapped(const struct side *s, uint64_t value)
{
    return in_section(s, value, false);
}

static bool in_image(const struct side *s, uint64_t value)
{
    size_t n;
    return value >= 64 && object_bytes(s->o, value, &n) != NULL;
}

/* Jump tables are read as they are: what they lead to is in the graph. */
static bool is_table(const struct side *s, uint64_t value)
{
    for (size_t i = 0; i < s->table.len; i++)
        if (value - s->table.data[i].low < s->table.data[i].size)
            return true;
    return false;
}

/* An object that is not linked lies where src/object put it, so high that no number is taken for an address.
 */
static bool is_placed(const struct side *s)
{
    return object_info(s->o)->type == OBJECT_RELOCATABLE;
}

static bool is_fixed(const struct side *s)
{
    return is_placed(s) || object_info(s->o)->type == OBJECT_EXECUTABLE;
}

static term canonical(struct side *s, uint64_t value)
{
    struct wp *w = s->w;
    uint64_t there = value;
    w->data_used = true;
    const struct data_part *r = part_at(w, s->index, value);
    if (r)
        return term_add_const(w->t, w->data[0], part_offset(w, r, value - r->low[s->index]));
    /* what cannot be written must have the same content to be the same thing */
    bool same = s->index == 0 || (!part_is_for(s, value) && match_data_back(w->match, value, &there, NULL) &&
                                  (!object_is_readonly(s->o, value, 1) || address_is_code(s, value) ||
                                   match_same_address(w->match, there, value)));
    if (!same)
        return term_add_const(w->t, w->data[1], value);
    return term_add_const(w->t, w->data[0], there);
}

static const struct map *references(struct side *s, uint64_t site)
{
    const struct flow_function *f = program_function_covering(s->p, site);
    uint64_t known, key = f ? f->address : 0;
    if (map_get(&s->refs, key, &known))
        return (const struct map *)(uintptr_t)known;
    struct map *set = xcalloc(1, sizeof *set);
    const struct flow_graph *g = f ? flow_graph(s->p, f) : NULL;
    for (uint32_t i = 0; g && i < g->ntables; i++)
        vec_push(&s->table,
                 (struct table){g->table[i].table, (uint64_t)g->table[i].entries * g->table[i].entry_size});
    const struct flow_function *all;
    program_functions(s->p, &all);
    bool known_code = f && !(f->flags & (FLOW_PLT | FLOW_EXTERN));
    uint32_t index = known_code ? (uint32_t)(f - all) : 0;
    size_t n = known_code ? match_references(s->w->match, s->index == 1, index, NULL, 0) : 0;
    uint64_t *list = xcalloc(n + 1, sizeof *list);
    if (known_code)
        match_references(s->w->match, s->index == 1, index, list, n);
    for (size_t i = 0; i < n; i++)
        map_set(set, list[i], 1);
    free(list);
    map_set(&s->refs, key, (uint64_t)(uintptr_t)set);
    return set;
}

/* By some function that was met. */
static bool is_referred_to(struct side *s, uint64_t value)
{
    uint64_t key, set;
    references(s, s->f->address);
    for (size_t i = 0; (i = map_next(&s->refs, i, &key, &set));)
        if (map_get((const struct map *)(uintptr_t)set, value, NULL))
            return true;
    return false;
}

/* What offsets of data are added to, in position-independent code for processors without addresses relative
 * to the program counter. */
static bool is_table_base(const struct side *s, uint64_t value)
{
    uint64_t offset;
    const struct object_section *x;
    if (s->m->arch != MACHINE_X86 && s->m->arch != MACHINE_ARM)
        return false;
    const struct object_symbol *y = object_symbol_by_name(s->o, "_GLOBAL_OFFSET_TABLE_");
    if (y && y->address == value)
        return true;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].address == value && strncmp(x[i].name, ".got", 4) == 0)
            return object_pointer_at(s->o, value) == NULL && !object_symbol_at(s->o, value, &offset);
    return false;
}

static term on_constant(void *ctx, uint64_t site, uint64_t value)
{
    struct side *s = ctx;
    if (!in_image(s, value))
        return TERM_NONE;
    /* the program counter or the offset table's address, to be added to something, are not meant by
     * themselves */
    bool placed = is_placed(s) && !address_is_code(s, value) && s->m->arch != MACHINE_X86;
    if ((!map_get(references(s, site), value, NULL) && !placed) || is_table(s, value) ||
        is_table_base(s, value))
        return TERM_NONE;
    return canonical(s, value);
}

/* A word of read-only memory: an address when it is relocated, or when something lies there in a program that
 * is linked to run at fixed addresses. */
static term on_word(void *ctx, uint64_t at, uint64_t value)
{
    struct side *s = ctx;
    const struct object_pointer *ptr = object_pointer_at(s->o, at);
    uint64_t there;
    if (!in_image(s, value))
        return TERM_NONE;
    bool relocated = ptr && !ptr->name;
    bool fixed = object_info(s->o)->type == OBJECT_EXECUTABLE && object_info(s->o)->bits == 64;
    if (relocated)
        return canonical(s, value);
    if (!fixed)
        return TERM_NONE;
    bool known = s->index == 0 ? match_data(s->w->match, value, &there, NULL)
                               : match_data_back(s->w->match, value, &there, NULL);
    return known ? canonical(s, value) : TERM_NONE;
}

/* What of the address is the symbol for data; TERM_NONE: none of it. */
term address_data(const struct wp *w, term base)
{
    for (unsigned fuel = 32; fuel && base != TERM_NONE; fuel--) {
        if (base == w->data[0] || base == w->data[1])
            return base;
        if (term_kind(w->t, base) == OP_ITE) { /* one place or another, all of them of data */
            base = term_kid(w->t, base, 1);
            continue;
        }
        if (term_kind(w->t, base) != OP_ADD)
            break;
        term r = term_kid(w->t, base, 1);
        if (r == w->data[0] || r == w->data[1])
            return r;
        base = term_kid(w->t, base, 0);
    }
    return TERM_NONE;
}

/* An address as written in the code: of data where something lies there. */
static term written_place(struct side *s, term address)
{
    struct terms *t = s->w->t;
    term base;
    uint64_t offset;
    term_split(t, address, &base, &offset);
    if (address_data(s->w, base) != TERM_NONE)
        return address;
    if (base == TERM_NONE)
        return in_image(s, offset) && !is_table(s, offset) && !address_is_code(s, offset)
                   ? canonical(s, offset)
                   : address;
    /* an element of an array: offset(,%rdi,4) in a program at a fixed address, or from the GOT on */
    bool fixed = is_fixed(s);
    if (!in_image(s, offset) || is_table(s, offset) || (!fixed && !is_referred_to(s, offset)))
        return address;
    return term_bin(t, OP_ADD, base, canonical(s, offset));
}

static term on_place(void *ctx, term address, unsigned bytes, unsigned *together)
{
    struct side *s = ctx;
    return part_place(s, written_place(s, address), bytes, together);
}

/* An index led out of the data of a program that lies where its file says. */
static bool is_beside_data(const struct side *s, uint64_t address)
{
    enum { FAR = 1 << 16 };
    const struct object_section *x;
    size_t n = is_fixed(s) && !in_image(s, address) ? object_sections(s->o, &x) : 0;
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && x[i].write && !x[i].tls && address + FAR >= x[i].address &&
            address < x[i].address + x[i].size + FAR)
            return true;
    return false;
}

static uint64_t on_settle(void *ctx, uint64_t address, unsigned bytes, unsigned *together)
{
    struct side *s = ctx;
    struct wp *w = s->w;
    uint64_t own;
    *together = bytes;
    if (!w->data_used)
        return address;
    if (in_image(s, address) && !is_table(s, address) && !address_is_code(s, address)) {
        /* put together from numbers that are no addresses */
        term base;
        uint64_t offset;
        term_split(w->t, canonical(s, address), &base, &offset);
        address = pin(w, base == w->data[1]) + offset;
    } else if (is_beside_data(s, address)) {
        uint64_t offset;
        unsigned symbol = part_settle(s, address, bytes, together, &offset);
        return pin(w, symbol) + offset;
    }
    if (address - pin(w, 0) < span(w)) {
        if (!part_to_side(w, s->index, address - pin(w, 0), &own))
            return address;
    } else if (s->index == 1 && address - pin(w, 1) < span(w)) {
        own = address - pin(w, 1);
    } else {
        return address;
    }
    uint64_t offset;
    unsigned symbol = part_settle(s, own, bytes, together, &offset);
    return pin(w, symbol) + offset;
}

/* From where the thing lies in the original to where it is here. */
static bool own_address(struct side *s, uint64_t there, uint64_t *value)
{
    *value = there;
    return part_to_side(s->w, s->index, there, value) || s->index == 0 ||
           match_data(s->w->match, there, value, NULL);
}

static bool on_resolve(void *ctx, term address, uint64_t *value)
{
    struct side *s = ctx;
    struct wp *w = s->w;
    term base;
    uint64_t offset;
    term_split(w->t, address, &base, &offset);
    if (base == w->data[0])
        return own_address(s, offset, value);
    *value = offset;
    if (base == w->data[1])
        return s->index == 1;
    if (base != TERM_NONE)
        return false;
    uint64_t own = address_to_side(s, offset);
    *value = own;
    return own != offset || is_table(s, offset) || address_is_code(s, offset);
}

void address_hooks(struct side *s)
{
    s->hooks.constant = on_constant;
    s->hooks.word = on_word;
    s->hooks.place = on_place;
    s->hooks.settle = on_settle;
    s->hooks.resolve = on_resolve;
}

void address_free(struct side *s)
{
    uint64_t key, value;
    for (size_t i = 0; (i = map_next(&s->refs, i, &key, &value));) {
        struct map *set = (struct map *)(uintptr_t)value;
        map_free(set);
        free(set);
    }
    map_free(&s->refs);
    vec_free(&s->table);
}

uint64_t address_to_side(struct side *s, uint64_t value)
{
    struct wp *w = s->w;
    uint64_t own;
    if (w->nsides < 2 || !w->data_used)
        return value;
    if (value - pin(w, 0) < span(w))
        return own_address(s, value - pin(w, 0), &own) ? own : value;
    if (value - pin(w, 1) < span(w))
        return value - pin(w, 1);
    return value;
}

term address_apart(struct wp *w)
{
    if (w->nsides < 2 || !w->data_used)
        return term_true(w->t);
    return term_eq(w->t, w->data[1], term_add_const(w->t, w->data[0], pin(w, 1) - pin(w, 0)));
}

term address_pin(struct wp *w)
{
    if (w->nsides < 2 || !w->data_used)
        return term_true(w->t);
    unsigned width = w->side[0].m->pointer_width;
    return term_and(w->t, term_eq(w->t, w->data[0], term_const(w->t, width, pin(w, 0))),
                    term_eq(w->t, w->data[1], term_const(w->t, width, pin(w, 1))));
}

/* ---- tables ---- */

struct rom {
    uint64_t low, size; /* own addresses */
    term array;         /* indexed from 0 */
};

static struct rom *rom_at(struct side *s, uint64_t own)
{
    struct wp *w = s->w;
    uint64_t known, low = own, offset, high = 0;
    const struct object_symbol *y = object_symbol_at(s->o, own, &offset);
    if (y && y->type == SYMBOL_OBJECT && y->size && offset < y->size && y->size <= TABLE_MAX) {
        low = own - offset;
        high = low + y->size;
    }
    if (map_get(&s->roms, low, &known))
        return (struct rom *)(uintptr_t)known;
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; !high && i < n; i++)
        if (x[i].alloc && !x[i].tls && low >= x[i].address && low - x[i].address < x[i].size)
            high = x[i].address + x[i].size - low > TABLE_MAX / 2 ? low + TABLE_MAX / 2
                                                                  : x[i].address + x[i].size;
    struct rom *r = NULL;
    if (high > low && object_is_readonly(s->o, low, high - low)) {
        r = arena_new(w->arena, struct rom);
        *r = (struct rom){low, high - low, TERM_NONE};
        /* words that the dynamic linker fills have no number yet */
        const struct object_pointer *ptr;
        size_t np = object_pointers(s->o, &ptr);
        for (size_t i = 0; i < np; i++)
            if (ptr[i].address + 8 > low && ptr[i].address < high)
                r = NULL, i = np;
    }
    if (r) {
        unsigned width = s->m->pointer_width;
        term a = term_array_const(w->t, width, term_const(w->t, 8, 0));
        for (uint64_t at = 0; at < r->size; at += 8) {
            uint8_t byte[8];
            unsigned k = r->size - at < 8 ? (unsigned)(r->size - at) : 8;
            if (!object_read(s->o, r->low + at, byte, k))
                return NULL;
            a = term_write(w->t, a, term_const(w->t, width, at),
                           term_const_bits(w->t, k * 8, bits_from_bytes(byte, k)));
        }
        r->array = a;
    }
    map_set(&s->roms, low, (uint64_t)(uintptr_t)r);
    return r;
}

/* A load at a computed place of a table that is never written. */
term rom_load(struct side *s, term address, unsigned width, term otherwise)
{
    struct wp *w = s->w;
    struct terms *t = w->t;
    term base;
    uint64_t offset, own;
    if (term_kind(t, address) == OP_ITE)
        return term_ite(t, term_kid(t, address, 0), rom_load(s, term_kid(t, address, 1), width, otherwise),
                        rom_load(s, term_kid(t, address, 2), width, otherwise));
    term_split(t, address, &base, &offset);
    if (base == TERM_NONE || base == explorer_symbols(s->x).sp)
        return otherwise;
    term symbol = w->nsides == 2 ? address_data(w, base) : TERM_NONE;
    own = offset;
    if (w->nsides == 2) {
        if (symbol == TERM_NONE || (symbol == w->data[0] && !own_address(s, offset, &own)))
            return otherwise;
    }
    if (!in_image(s, own) || !object_is_readonly(s->o, own, 1))
        return otherwise;
    /* a pointer plus a large offset is not an element of a table: in a program that may lie anywhere the
     * address of one is made by an instruction, which leaves nothing but an index to add */
    struct rom *r = rom_at(s, own);
    if (!r || r->size < width / 8)
        return otherwise;
    unsigned pw = s->m->pointer_width;
    term start = term_const(t, pw, offset - (own - r->low));
    if (symbol != TERM_NONE)
        start = term_bin(t, OP_ADD, symbol, start);
    term index = term_bin(t, OP_SUB, address, start);
    term inside = term_bin(t, OP_ULE, index, term_const(t, pw, r->size - width / 8));
    term value = term_read(t, r->array, index, width);
    return term_ite(t, inside, value, otherwise);
}
