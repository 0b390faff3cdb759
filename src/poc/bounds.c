/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When an access faults: memory is what the process has mapped; of the guarding allocator's pool what its own state says,
 * also where the size of a chunk is open. */
#include "poc/bounds.h"

#include <string.h>

#include "poc/check.h"
#include "poc/near.h"

term bounds_in_range(struct terms *t, unsigned width, term address, uint64_t low, uint64_t size,
                     unsigned bytes)
{
    if (size < bytes)
        return term_false(t);
    term off = term_bin(t, OP_SUB, address, term_const(t, width, low));
    return term_bin(t, OP_ULE, off, term_const(t, width, size - bytes));
}

/* What is added to make an address, computed once more without a limit. */
static term without_limit(struct terms *t, term x, unsigned fuel)
{
    enum { WIDE = 64 };
    uint64_t k;
    unsigned kind = term_kind(t, x);
    if (fuel && (kind == OP_ADD || kind == OP_SUB || kind == OP_MUL) && term_nkids(t, x) == 2) {
        term a = without_limit(t, term_kid(t, x, 0), fuel - 1),
             b = without_limit(t, term_kid(t, x, 1), fuel - 1);
        return term_bin(t, (enum op)kind, a, b);
    }
    if (fuel && kind == OP_SHL && term_const_u64(t, term_kid(t, x, 1), &k))
        return term_bin(t, OP_SHL, without_limit(t, term_kid(t, x, 0), fuel - 1), term_const(t, WIDE, k));
    return term_sext(t, x, WIDE);
}

/* An index times a number, as most addresses have it: when it wraps around, in words that a person reads. */
static bool index_wraps(struct terms *t, term off, unsigned width, term *when)
{
    uint64_t scale;
    const unsigned kind = term_kind(t, off);
    if ((kind != OP_MUL && kind != OP_SHL) || !term_const_u64(t, term_kid(t, off, 1), &scale))
        return false;
    if (kind == OP_SHL)
        scale = scale < width ? UINT64_C(1) << scale : 0;
    const uint64_t most = (UINT64_C(1) << (width - 1)) - 1;
    if (!scale || scale > most)
        return false;
    const term index = term_kid(t, off, 0);
    const unsigned of = term_kind(t, index);
    if (of == OP_ADD || of == OP_SUB || of == OP_MUL || of == OP_SHL) /* which may wrap around, too */
        return false;
    const term last = term_const(t, width, most / scale);
    const term first = term_const(t, width, -((most + 1) / scale));
    *when = term_or(t, term_bin(t, OP_SLT, last, index), term_bin(t, OP_SLT, index, first));
    return true;
}

term bounds_wraps(const struct poc_side *side, term address)
{
    enum { FUEL = 8, WIDE = 64 };
    struct terms *t = side->t;
    unsigned width = side->s->m->pointer_width;
    term base;
    uint64_t from;
    if (width == WIDE)
        return term_false(t);
    term_split(t, address, &base, &from);
    if (base == TERM_NONE)
        return term_false(t);
    term off = term_bin(t, OP_SUB, address, term_const(t, width, from)), when;
    if (index_wraps(t, off, width, &when))
        return when;
    return term_not(t, term_eq(t, without_limit(t, off, FUEL), term_sext(t, off, WIDE)));
}

/* ---- chunks whose size is open ---- */

/* The number that says how much a chunk holds, at the entry. */
static term size_number(const struct poc_side *side, const struct poc_size *z)
{
    struct terms *t = side->t;
    unsigned width = side->s->m->pointer_width;
    if (z->argument)
        return term_extract(t, poc_argument_symbol(t, width, z->index), 0, z->bytes * 8);
    return term_read(t, explorer_symbols(side->x).mem, term_const(t, width, z->address), z->bytes * 8);
}

/* How many bytes it holds; bounds_size_holds() keeps that from wrapping around. */
term bounds_size(const struct poc_side *side, const struct poc_size *z)
{
    unsigned width = side->s->m->pointer_width;
    term n = size_number(side, z);
    n = term_width(side->t, n) < width ? term_zext(side->t, n, width) : term_extract(side->t, n, 0, width);
    return term_bin(side->t, OP_MUL, n, term_const(side->t, width, z->scale));
}

/* The chunk stays within what there is room for. */
term bounds_size_holds(const struct poc_side *side, const struct poc_size *z)
{
    term n = size_number(side, z);
    unsigned width = term_width(side->t, n);
    uint64_t most = z->most / z->scale, widest = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    return term_bin(side->t, OP_ULE, n, term_const(side->t, width, most < widest ? most : widest));
}

/* The open size of the chunk that an address is made from; NULL: it has none. */
const struct poc_size *bounds_open_size(const struct poc_side *side, term address)
{
    struct guard_chunk chunk;
    term base;
    uint64_t from;
    if (!side->a || !side->a->open_sizes || !side->s->guarded)
        return NULL;
    term_split(side->t, address, &base, &from);
    return guard_chunk_at(&side->s->pool, from, &chunk) ? poc_size_of(side->a, chunk.base) : NULL;
}

/* A byte of the guard's own state. Only it writes there: stores at addresses that are not known stay in their
 * objects. */
static term guard_byte(struct poc_side *side, const struct exec_moment *at, uint64_t address)
{
    struct terms *t = side->t;
    term where = term_const(t, side->s->m->pointer_width, address), v = moment_load(at, where, 8);
    if (term_is_const(t, v))
        return v;
    term mem = moment_memory(at);
    while (term_kind(t, mem) == TERM_WRITE) {
        uint64_t a;
        term value = term_kid(t, mem, 2);
        if (term_const_u64(t, term_kid(t, mem, 1), &a) && address - a < term_width(t, value) / 8)
            return term_extract(t, value, (unsigned)(address - a) * 8, 8);
        mem = term_kid(t, mem, 0);
    }
    size_t n;
    const uint8_t *p = origin_is(t, mem, ORIGIN_MEMORY) ? snapshot_at(side->s, address, &n) : NULL;
    return p ? term_const(t, 8, *p) : v;
}

static term slot_freed(struct poc_side *side, const struct exec_moment *at, uint64_t slot)
{
    return term_eq(side->t,
                   guard_byte(side, at, side->s->pool_at + offsetof(struct guard_pool, state) + slot),
                   term_const(side->t, 8, GUARD_FREED));
}

/* The chunk that a pointer with that constant part is made from; one that the call allocated is known by its
 * size in the guard's state. */
static bool chunk_of(struct poc_side *side, const struct exec_moment *at, term address,
                     struct guard_chunk *out)
{
    const struct snapshot *s = side->s;
    term base;
    uint64_t from;
    term_split(side->t, address, &base, &from);
    int c = s->guarded ? guard_class_of(&s->pool, from) : -1;
    if (c < 0)
        return false;
    if (guard_chunk_at(&s->pool, from, out))
        return true;
    const struct guard_class *k = &s->pool.cls[c];
    uint64_t i = (from - k->base) / (2 * k->bytes), size = 0;
    for (unsigned b = 0; b < 8; b++) {
        uint64_t byte;
        if (!term_const_u64(
                side->t,
                guard_byte(side, at, s->pool_at + offsetof(struct guard_pool, size) + (k->first + i) * 8 + b),
                &byte))
            return false;
        size |= byte << b * 8;
    }
    *out = (struct guard_chunk){.base = k->base + i * 2 * k->bytes + k->bytes - size,
                                .size = size,
                                .slot = (unsigned)(k->first + i),
                                .state = GUARD_LIVE};
    return size <= k->bytes;
}

/* A block that the call allocated, of a size that is not known: it ends with its slot. */
struct open_chunk {
    uint64_t end;
    unsigned slot;
    term size;
    uint64_t most;
};

/* What was stored as one word, if all of it was. */
static term stored_word(struct poc_side *side, const struct exec_moment *at, uint64_t address, unsigned width)
{
    struct terms *t = side->t;
    uint64_t a;
    for (term mem = moment_memory(at); term_kind(t, mem) == TERM_WRITE; mem = term_kid(t, mem, 0))
        if (term_const_u64(t, term_kid(t, mem, 1), &a) && a == address)
            return term_width(t, term_kid(t, mem, 2)) == width ? term_kid(t, mem, 2) : TERM_NONE;
    return TERM_NONE;
}

static bool open_chunk_of(struct poc_side *side, const struct exec_moment *at, term address, struct open_chunk *out)
{
    const struct snapshot *s = side->s;
    term base;
    uint64_t from;
    term_split(side->t, address, &base, &from);
    int c = s->guarded && side->near ? guard_class_of(&s->pool, from) : -1;
    if (c < 0)
        return false;
    const struct guard_class *k = &s->pool.cls[c];
    uint64_t i = (from - k->base) / (2 * k->bytes);
    out->end = k->base + i * 2 * k->bytes + k->bytes;
    out->slot = (unsigned)(k->first + i);
    out->size = s->pool.state[out->slot] == GUARD_NEVER
                    ? stored_word(side, at, s->pool_at + offsetof(struct guard_pool, size) + out->slot * 8,
                                  s->m->pointer_width)
                    : TERM_NONE;
    return out->size != TERM_NONE && near_size(side, out->size, &out->most);
}

bool bounds_within(void *ctx, const struct exec_moment *at, term address, uint64_t *low, uint64_t *size)
{
    struct guard_chunk chunk;
    struct open_chunk open;
    if (!chunk_of(ctx, at, address, &chunk)) {
        if (!open_chunk_of(ctx, at, address, &open))
            return false;
        *size = open.most;
        *low = open.end - open.most;
        return true;
    }
    const struct poc_size *z = bounds_open_size(ctx, address);
    *low = chunk.base;
    *size = z ? z->most : chunk.size;
    return true;
}

static term unmapped_at(struct poc_side *side, const struct exec_moment *at, uint64_t address, unsigned bytes)
{
    struct terms *t = side->t;
    const struct snapshot *s = side->s;
    unsigned step = bytes > 1 ? bytes - 1 : 1; /* the first and the last one */
    for (unsigned i = 0; i < bytes; i += step) {
        int c = s->guarded ? guard_class_of(&s->pool, address + i) : -1;
        if (c >= 0) {
            const struct guard_class *k = &s->pool.cls[c];
            uint64_t off = address + i - k->base;
            if (off & k->bytes)
                return term_true(t);
            term freed = slot_freed(side, at, k->first + off / (2 * k->bytes));
            if (!term_is_false(t, freed))
                return freed;
            continue;
        }
        size_t n;
        if (!snapshot_at(s, address + i, &n))
            return term_true(t);
    }
    return term_false(t);
}

/* Whether an index is too small for the access to leave the variable that it begins in: a table of 256 entries, and a
 * byte. */
static bool stays_in_variable(const struct poc_side *side, term address, unsigned bytes)
{
    term base;
    uint64_t from, offset;
    term_split(side->t, address, &base, &from);
    const struct object_symbol *sym =
        base == TERM_NONE ? NULL : object_symbol_at(program_object(side->p), from - side->s->base, &offset);
    if (!sym || sym->type != SYMBOL_OBJECT || sym->undefined || offset >= sym->size)
        return false;
    uint64_t most = ~bits_low(term_known(side->t, base).zero);
    size_t there;
    return most < sym->size && offset + most + bytes <= sym->size && snapshot_at(side->s, from, &there) &&
           there >= most + bytes;
}

/* Memory is what the process has mapped; of the guard's pool what its own state says. */
static term unmapped_here(struct poc_side *side, const struct exec_moment *at, term address, unsigned bytes)
{
    struct terms *t = side->t;
    const struct snapshot *s = side->s;
    unsigned width = s->m->pointer_width;
    uint64_t a;
    const struct poc_size *z = bounds_open_size(side, address);
    if (z) {
        struct guard_chunk sized;
        guard_chunk_at(&s->pool, z->base, &sized);
        term size = bounds_size(side, z), off = term_bin(t, OP_SUB, address, term_const(t, width, z->base));
        term in = term_bin(t, OP_ULT, term_add_const(t, off, bytes - 1), size);
        if (bytes > 1)
            in = term_and(t, in, term_bin(t, OP_ULT, off, size));
        return term_or(t, slot_freed(side, at, sized.slot), term_not(t, in));
    }
    if (term_const_u64(t, address, &a))
        return unmapped_at(side, at, a, bytes);
    /* what begins in a chunk stays in it: elsewhere it would be an error that nobody sees */
    struct guard_chunk chunk;
    if (chunk_of(side, at, address, &chunk)) {
        term freed = slot_freed(side, at, chunk.slot);
        return term_or(t, freed, term_not(t, bounds_in_range(t, width, address, chunk.base, chunk.size, bytes)));
    }
    struct open_chunk open;
    if (open_chunk_of(side, at, address, &open)) {
        term off = term_bin(t, OP_SUB, term_bin(t, OP_ADD, address, open.size), term_const(t, width, open.end));
        term in = term_bin(t, OP_ULT, term_add_const(t, off, bytes - 1), open.size);
        if (bytes > 1)
            in = term_and(t, in, term_bin(t, OP_ULT, off, open.size));
        return term_or(t, slot_freed(side, at, open.slot), term_not(t, in));
    }
    if (stays_in_variable(side, address, bytes))
        return term_false(t);
    moment_store((struct exec_moment *)at, term_const(t, width, POC_WILD), term_const(t, 8, 1));
    term ok = term_false(t);
    for (size_t i = 0; i < s->nparts;) {
        uint64_t low = s->part[i].low, high = s->part[i].high;
        bool pool = s->guarded && guard_class_of(&s->pool, low) >= 0;
        for (i++; i < s->nparts && s->part[i].low == high && !pool; i++)
            high = s->part[i].high;
        if (!pool)
            ok = term_or(t, ok, bounds_in_range(t, width, address, low, high - low, bytes));
    }
    for (int c = 0; s->guarded && c < GUARD_CLASSES; c++) {
        const struct guard_class *k = &s->pool.cls[c];
        if (!k->slots)
            continue;
        unsigned bit = (unsigned)__builtin_ctzll(k->bytes);
        term in = bounds_in_range(t, width, address, k->base, k->slots * 2 * k->bytes, bytes);
        term last = term_add_const(t, address, bytes - 1);
        in = term_and(t, in, term_not(t, term_extract(t, address, bit, 1)));
        in = term_and(t, in, term_not(t, term_extract(t, last, bit, 1)));
        ok = term_or(t, ok, in);
    }
    term bad = term_not(t, ok);
    enum { MOST = 48 };
    unsigned asked = 0;
    for (int c = 0; s->guarded && c < GUARD_CLASSES; c++) {
        const struct guard_class *k = &s->pool.cls[c];
        for (uint64_t i = 0; i < k->slots && asked < MOST; i++) {
            uint64_t slot = k->first + i;
            if (s->pool.state[slot] == GUARD_NEVER)
                break;
            term freed = slot_freed(side, at, slot);
            if (term_is_false(t, freed))
                continue;
            asked++;
            term in = bounds_in_range(t, width, address, k->base + i * 2 * k->bytes, k->bytes, 1);
            bad = term_or(t, bad, term_and(t, in, freed));
        }
    }
    return bad;
}

term bounds_unmapped(void *ctx, const struct exec_moment *at, term address, unsigned bytes)
{
    struct poc_side *side = ctx;
    term leaves;
    if (!side->checked && side->members && check_leaves_sum(side, at, address, bytes, &leaves))
        check_mark(side, (struct exec_moment *)at, POC_LEFT, leaves);
    /* what stays in its variable is mapped */
    return side->checked && check_leaves(side, at, address, bytes, &leaves)
               ? leaves
               : unmapped_here(side, at, address, bytes);
}

bool bounds_grown(struct poc_side *side, const struct exec_moment *at, term address, term *off)
{
    struct terms *t = side->t;
    unsigned width = side->s->m->pointer_width;
    struct open_chunk open;
    if (!open_chunk_of(side, at, address, &open) || open.end != side->watched + side->watched_size)
        return false;
    *off = term_bin(t, OP_SUB, term_bin(t, OP_ADD, address, open.size), term_const(t, width, open.end));
    return true;
}

bool bounds_frees(struct poc_side *side, struct exec_moment *at)
{
    struct terms *t = side->t;
    const struct ir_machine *m = side->s->m;
    struct open_chunk open;
    uint64_t state, end;
    if (!m->nargs)
        return false;
    term p = moment_register(at, m->arg[0], m->pointer_width);
    if (term_is_const(t, p) || !open_chunk_of(side, at, p, &open) ||
        !term_const_u64(t, term_bin(t, OP_ADD, p, open.size), &end) || end != open.end)
        return false;
    uint64_t where = side->s->pool_at + offsetof(struct guard_pool, state) + open.slot;
    if (!term_const_u64(t, guard_byte(side, at, where), &state) || state != GUARD_LIVE)
        return false;
    moment_store(at, term_const(t, m->pointer_width, where), term_const(t, 8, GUARD_FREED));
    return true;
}
