/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"

/* Where things lie when a run is shown: away from anything's own addresses. */
static uint64_t pin(const struct pair *pair, unsigned i)
{
    bool wide = pair->width == 64;
    return wide ? UINT64_C(0x100000000000) << i : UINT64_C(0x50000000) + i * UINT64_C(0x20000000);
}

static struct symbolic_code *code_of(const struct pair_side *s)
{
    return &s->pair->symbolic.code[s->new];
}

static uint64_t span(const struct pair *pair)
{
    return pair->width == 64 ? UINT64_C(1) << 44 : UINT64_C(0x20000000);
}

bool symbolic_is_mapped(const struct pair_side *s, uint64_t value)
{
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && value - x[i].address < x[i].size)
            return true;
    return false;
}

bool symbolic_in_image(const struct pair_side *s, uint64_t value)
{
    size_t n;
    return value >= 64 && object_bytes(s->o, value, &n) != NULL;
}

/* Jump tables are read as they are: what they lead to is in the graph. */
static bool is_table(const struct pair_side *s, uint64_t value)
{
    const struct symbolic_code *c = code_of(s);
    for (size_t i = 0; i < c->table.len; i++)
        if (value - c->table.data[i].low < c->table.data[i].size)
            return true;
    return false;
}

/* An object that is not linked lies where src/object put it, so high that no number is taken for an address.
 */
static bool is_placed(const struct pair_side *s)
{
    return object_info(s->o)->type == OBJECT_RELOCATABLE;
}

static bool is_fixed(const struct pair_side *s)
{
    return is_placed(s) || object_info(s->o)->type == OBJECT_EXECUTABLE;
}

term symbolic_address(struct pair_side *s, uint64_t value)
{
    struct pair *pair = s->pair;
    uint64_t there = value;
    pair->symbolic.used = true;
    const struct part *r = parts_at(pair, s->new, value);
    if (r)
        return term_add_const(pair->t, pair->symbolic.data[OLD],
                              parts_offset(pair, r, value - r->low[s->new]));
    if (s->new && (parts_is_for(s, value) || !canonical_partner(pair, value, &there)))
        return term_add_const(pair->t, pair->symbolic.data[NEW], value);
    return term_add_const(pair->t, pair->symbolic.data[OLD], there);
}

static const struct map *references(struct pair_side *s, uint64_t site)
{
    const struct flow_function *f = program_function_covering(s->p, site);
    uint64_t known, key = f ? f->address : 0;
    if (map_get(&code_of(s)->refers, key, &known))
        return (const struct map *)(uintptr_t)known;
    struct map *set = xcalloc(1, sizeof *set);
    const struct flow_graph *g = f ? flow_graph(s->p, f) : NULL;
    for (uint32_t i = 0; g && i < g->ntables; i++)
        vec_push(&code_of(s)->table,
                 (struct symbolic_table){g->table[i].table,
                                         (uint64_t)g->table[i].entries * g->table[i].entry_size});
    const struct flow_function *all;
    program_functions(s->p, &all);
    bool known_code = f && !(f->flags & (FLOW_PLT | FLOW_EXTERN));
    uint32_t index = known_code ? (uint32_t)(f - all) : 0;
    size_t n = known_code ? match_references(s->pair->m, s->new, index, NULL, 0) : 0;
    uint64_t *list = xcalloc(n + 1, sizeof *list);
    if (known_code)
        match_references(s->pair->m, s->new, index, list, n);
    for (size_t i = 0; i < n; i++)
        map_set(set, list[i], 1);
    free(list);
    map_set(&code_of(s)->refers, key, (uint64_t)(uintptr_t)set);
    return set;
}

/* By some function that was met. */
static bool is_referred_to(struct pair_side *s, uint64_t value)
{
    uint64_t key, set;
    references(s, s->f->address);
    for (size_t i = 0; (i = map_next(&code_of(s)->refers, i, &key, &set));)
        if (map_get((const struct map *)(uintptr_t)set, value, NULL))
            return true;
    return false;
}

/* What offsets of data are added to, in position-independent code for processors without addresses relative
 * to the program counter. */
static bool is_table_base(const struct pair_side *s, uint64_t value)
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
    struct pair_side *s = ctx;
    if (!symbolic_in_image(s, value))
        return TERM_NONE;
    /* the program counter or the offset table's address, to be added to something, are not meant by
     * themselves */
    bool placed = is_placed(s) && !canonical_is_code(s->o, value) && s->m->arch != MACHINE_X86;
    if ((!map_get(references(s, site), value, NULL) && !placed) || is_table(s, value) ||
        is_table_base(s, value))
        return TERM_NONE;
    return symbolic_address(s, value);
}

/* A word of read-only memory: an address when it is relocated, when something lies there in a program that is
 * linked to run at fixed addresses, or when it is a literal that code loads (on a condition: others are constants
 * of the code already) and refers to something by. */
static term on_word(void *ctx, uint64_t at, uint64_t value)
{
    struct pair_side *s = ctx;
    const struct object_pointer *ptr = object_pointer_at(s->o, at);
    uint64_t there;
    if (!symbolic_in_image(s, value))
        return TERM_NONE;
    bool relocated = ptr && !ptr->name;
    bool fixed = object_info(s->o)->type == OBJECT_EXECUTABLE && object_info(s->o)->bits == 64;
    if (relocated)
        return symbolic_address(s, value);
    if (s->m->arch == MACHINE_ARM && canonical_is_code(s->o, at))
        return on_constant(s, at, value);
    if (!fixed)
        return TERM_NONE;
    bool known = !s->new ? match_data(s->pair->m, value, &there, NULL)
                         : match_data_back(s->pair->m, value, &there, NULL);
    return known ? symbolic_address(s, value) : TERM_NONE;
}

/* What of the address is the symbol for data; TERM_NONE: none of it. */
term symbolic_data(const struct pair *pair, term base)
{
    for (unsigned fuel = 32; fuel && base != TERM_NONE; fuel--) {
        if (base == pair->symbolic.data[OLD] || base == pair->symbolic.data[NEW])
            return base;
        if (term_kind(pair->t, base) == OP_ITE) { /* one place or another, all of them of data */
            base = term_kid(pair->t, base, 1);
            continue;
        }
        if (term_kind(pair->t, base) != OP_ADD)
            break;
        term r = term_kid(pair->t, base, 1);
        if (r == pair->symbolic.data[OLD] || r == pair->symbolic.data[NEW])
            return r;
        base = term_kid(pair->t, base, 0);
    }
    return TERM_NONE;
}

/* What is added is too small for a pointer. */
static bool is_index(struct terms *t, term x)
{
    enum { SMALL = 20 };
    unsigned width = term_width(t, x);
    uint64_t high = word_ones(width) & ~word_ones(SMALL);
    return (bits_low(term_known(t, x).zero) & high) == high;
}

/* An address as written in the code: of data where something lies there. */
static term written_place(struct pair_side *s, term address)
{
    struct terms *t = s->pair->t;
    term base;
    uint64_t offset;
    term_split(t, address, &base, &offset);
    if (symbolic_data(s->pair, base) != TERM_NONE)
        return address;
    if (base == TERM_NONE)
        return symbolic_in_image(s, offset) && !is_table(s, offset) && !canonical_is_code(s->o, offset)
                   ? symbolic_address(s, offset)
                   : address;
    /* An element of an array: offset(,%rdi,4) in a program at a fixed address, or from the GOT on. x[i - 2]
     * is written with an address before x, to which nothing else refers; what is added to it is too small for
     * a pointer. */
    bool meant =
        is_fixed(s) || is_referred_to(s, offset) || (is_index(t, base) && !canonical_is_code(s->o, offset));
    if (!symbolic_in_image(s, offset) || is_table(s, offset) || !meant)
        return address;
    return term_bin(t, OP_ADD, base, symbolic_address(s, offset));
}

static term on_place(void *ctx, term address, unsigned bytes, unsigned *together)
{
    struct pair_side *s = ctx;
    return parts_place(s, written_place(s, address), bytes, together);
}

/* An index led out of the data of a program that lies where its file says. */
static bool is_beside_data(const struct pair_side *s, uint64_t address)
{
    enum { FAR = 1 << 16 };
    const struct object_section *x;
    size_t n = is_fixed(s) && !symbolic_in_image(s, address) ? object_sections(s->o, &x) : 0;
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && x[i].write && !x[i].tls && address + FAR >= x[i].address &&
            address < x[i].address + x[i].size + FAR)
            return true;
    return false;
}

static uint64_t on_settle(void *ctx, uint64_t address, unsigned bytes, unsigned *together)
{
    struct pair_side *s = ctx;
    struct pair *pair = s->pair;
    uint64_t own;
    *together = bytes;
    if (!pair->symbolic.used)
        return address;
    if (symbolic_in_image(s, address) && !is_table(s, address) && !canonical_is_code(s->o, address)) {
        /* put together from numbers that are no addresses */
        term base;
        uint64_t offset;
        term_split(pair->t, symbolic_address(s, address), &base, &offset);
        address = pin(pair, base == pair->symbolic.data[NEW]) + offset;
    } else if (is_beside_data(s, address)) {
        uint64_t offset;
        unsigned symbol = parts_settle(s, address, bytes, together, &offset);
        return pin(pair, symbol) + offset;
    }
    if (address - pin(pair, OLD) < span(pair)) {
        if (!parts_to_side(pair, s->new, address - pin(pair, OLD), &own))
            return address;
    } else if (s->new &&address - pin(pair, NEW) < span(pair)) {
        own = address - pin(pair, NEW);
    } else {
        return address;
    }
    uint64_t offset;
    unsigned symbol = parts_settle(s, own, bytes, together, &offset);
    return pin(pair, symbol) + offset;
}

/* From where the thing lies in the original to where it is here. */
bool symbolic_own_address(struct pair_side *s, uint64_t there, uint64_t *value)
{
    *value = there;
    return parts_to_side(s->pair, s->new, there, value) || !s->new || canonical_back(s->pair, there, value);
}

static bool on_resolve(void *ctx, term address, uint64_t *value)
{
    struct pair_side *s = ctx;
    struct pair *pair = s->pair;
    term base;
    uint64_t offset;
    term_split(pair->t, address, &base, &offset);
    if (base == pair->symbolic.data[OLD])
        return symbolic_own_address(s, offset, value);
    *value = offset;
    if (base == pair->symbolic.data[NEW])
        return s->new;
    if (base != TERM_NONE)
        return false;
    uint64_t own = symbolic_to_side(s, offset);
    *value = own;
    return own != offset || is_table(s, offset) || canonical_is_code(s->o, offset);
}

void symbolic_hooks(struct pair_side *s)
{
    s->hooks.constant = on_constant;
    s->hooks.word = on_word;
    s->hooks.place = on_place;
    s->hooks.settle = on_settle;
    s->hooks.resolve = on_resolve;
}

void symbolic_start(struct pair *pair)
{
    for (unsigned i = 0; i < 2; i++)
        pair->symbolic.data[i] =
            origin_symbol(pair->t, (struct term_origin){.kind = ORIGIN_DATA, .index = i}, pair->width);
}

void symbolic_free(struct pair *pair)
{
    for (unsigned i = 0; i < 2; i++) {
        struct symbolic_code *c = &pair->symbolic.code[i];
        uint64_t key, value;
        for (size_t k = 0; (k = map_next(&c->refers, k, &key, &value));) {
            struct map *set = (struct map *)(uintptr_t)value;
            map_free(set);
            free(set);
        }
        map_free(&c->refers);
        vec_free(&c->table);
    }
}

/* In the file, or not far from what is in it: an index may lead there. */
static bool is_near_image(const struct pair_side *s, uint64_t own)
{
    enum { FAR = 1 << 16 };
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && own + FAR - x[i].address < x[i].size + 2 * FAR)
            return true;
    return false;
}

uint64_t symbolic_to_side(struct pair_side *s, uint64_t value)
{
    struct pair *pair = s->pair;
    uint64_t own = value;
    if (!pair->side[NEW].p || !pair->symbolic.used)
        return value;
    bool known = true;
    if (value - pin(pair, OLD) < span(pair))
        known = symbolic_own_address(s, value - pin(pair, OLD), &own);
    else if (value - pin(pair, NEW) < span(pair))
        own = value - pin(pair, NEW);
    /* a number may look like where things lie */
    return known && is_near_image(s, own) ? own : value;
}

term symbolic_apart(struct pair *pair)
{
    if (!pair->side[NEW].p || !pair->symbolic.used)
        return term_true(pair->t);
    return term_eq(pair->t, pair->symbolic.data[NEW],
                   term_add_const(pair->t, pair->symbolic.data[OLD], pin(pair, NEW) - pin(pair, OLD)));
}

term symbolic_pin(struct pair *pair)
{
    if (!pair->side[NEW].p || !pair->symbolic.used)
        return term_true(pair->t);
    unsigned width = pair->width;
    return term_and(pair->t,
                    term_eq(pair->t, pair->symbolic.data[OLD], term_const(pair->t, width, pin(pair, OLD))),
                    term_eq(pair->t, pair->symbolic.data[NEW], term_const(pair->t, width, pin(pair, NEW))));
}
