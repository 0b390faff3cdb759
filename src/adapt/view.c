/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner function over the target's structure.
 *
 * An adapter of the memory family copies the target's structure into one as the inner function knows it, calls
 * that, and copies back. Instead of two memories that are laid out differently there is one here, the
 * target's: a load of the inner function from an entry of its structure becomes a load of the target's entry,
 * converted, and a store becomes one. That is what the copies do, if
 *
 * - the inner function uses its structure by entries that the view has, and its address for nothing else;
 * - what it stores in a wider entry than the target's is what comes back when it is loaded again (`must`);
 * - target's entries that are wider than the inner function's have at entry what the narrow one can hold: a
 *   PREMISE, which the target keeps in all that it stores (`must`), so that it holds of every entry it loads.
 *   It is not needed of a target that stores in all of them before it loads one (view_initialises);
 * - nothing else that either reaches overlaps the structure.
 *
 * The last two are said with the answer. Stores are brought into one order as far as they do not overlap, and
 * those at known offsets are cut into bytes, so that both functions come to the same term for the same
 * contents. */
#include <string.h>

#include "adapt/view.h"

bool view_has_premise(const struct adapt_view *v)
{
    for (unsigned i = 0; i < v->nfields; i++)
        if (v->field[i].inner_bytes < v->field[i].target_bytes)
            return true;
    return false;
}

static term convert(struct terms *t, term x, unsigned bits, bool sign)
{
    unsigned width = term_width(t, x);
    return bits < width ? term_extract(t, x, 0, bits) : sign ? term_sext(t, x, bits) : term_zext(t, x, bits);
}

/* x as it is after going through an entry of that many bytes. */
static term through(struct view *w, const struct adapt_field *f, term x, unsigned bytes)
{
    struct terms *t = w->a->t;
    return convert(t, convert(t, x, bytes * 8, f->sign), term_width(t, x), f->sign);
}

static void must(struct view *w, term condition)
{
    if (!term_is_true(w->a->t, condition))
        vec_push(&w->must, condition);
}

static term fail(struct view *w, term x)
{
    w->failed = true;
    return x;
}

/* The address is made of `from`, not only of what memory has at such addresses. */
static bool looks_for(const struct terms *t, term x, term from, struct map *seen)
{
    if (x == from)
        return true;
    if (term_kind(t, x) == TERM_READ || map_get(seen, x, NULL))
        return false;
    map_set(seen, x, 1);
    for (unsigned i = 0; i < term_nkids(t, x); i++)
        if (looks_for(t, term_kid(t, x, i), from, seen))
            return true;
    return false;
}

static bool is_made_of(const struct terms *t, term x, term from)
{
    struct map seen = {0};
    bool is = looks_for(t, x, from, &seen);
    map_free(&seen);
    return is;
}

/* ---- one order for stores ---- */

/* Where in the target's structure an address is. */
static const struct spot *spot_of(struct view *w, term address)
{
    struct terms *t = w->a->t;
    uint64_t known;
    if (map_get(&w->spots, address, &known))
        return (const struct spot *)(uintptr_t)known;
    struct spot *x = arena_new(w->a->arena, struct spot);
    *x = (struct spot){.inside = is_made_of(t, address, w->where)};
    term base = TERM_NONE;
    if (x->inside)
        term_split(t, term_bin(t, OP_SUB, address, w->where), &base, &x->low);
    x->fixed = x->inside && base == TERM_NONE;
    x->high = x->low;
    if (x->inside && base != TERM_NONE) {
        uint64_t most = ~bits_low(term_known(t, base).zero) & word_ones(w->a->width);
        x->anywhere = x->low > ADAPT_STRUCTURE || most > ADAPT_STRUCTURE || is_made_of(t, base, w->where);
        x->high = x->low + most;
    }
    map_set(&w->spots, address, (uint64_t)(uintptr_t)x);
    return x;
}

/* Accesses do not overlap: their offsets show it, or one of them is outside the structure. */
static bool are_apart(struct view *w, term a, unsigned bytes_a, term b, unsigned bytes_b)
{
    const struct spot *x = spot_of(w, a), *y = spot_of(w, b);
    if (x->inside != y->inside)
        return true;
    if (!x->inside || x->anywhere || y->anywhere)
        return false;
    return x->high + bytes_a <= y->low || y->high + bytes_b <= x->low;
}

/* The array without the stores outside the structure, or those inside. */
static term only(struct view *w, term array, bool inside)
{
    struct terms *t = w->a->t;
    struct map *done = &w->only[inside];
    uint64_t known;
    unsigned kind = term_kind(t, array);
    if (map_get(done, array, &known))
        return (term)known;
    term x = array;
    if (kind == TERM_WRITE) {
        x = only(w, term_kid(t, array, 0), inside);
        if (spot_of(w, term_kid(t, array, 1))->inside == inside)
            x = term_write(t, x, term_kid(t, array, 1), term_kid(t, array, 2));
    } else if (kind == TERM_AITE) {
        x = term_ite(t, term_kid(t, array, 0), only(w, term_kid(t, array, 1), inside),
                     only(w, term_kid(t, array, 2), inside));
    }
    map_set(done, array, x);
    return x;
}

static bool is_memory(const struct view *w, term array)
{
    const struct terms *t = w->a->t;
    return term_cell_width(t, array) == 8 && term_index_width(t, array) == w->a->width;
}

static term get(struct view *w, term array, term address, unsigned bits)
{
    struct terms *t = w->a->t;
    if (!is_memory(w, array))
        return term_read(t, array, address, bits);
    array = only(w, array, spot_of(w, address)->inside);
    while (term_kind(t, array) == TERM_WRITE &&
           are_apart(w, address, bits / 8, term_kid(t, array, 1), term_width(t, term_kid(t, array, 2)) / 8))
        array = term_kid(t, array, 0);
    return term_read(t, array, address, bits);
}

/* What is stored in the structure, all of it after what is stored elsewhere. */
static term after(struct view *w, term inside, term elsewhere, struct map *done)
{
    struct terms *t = w->a->t;
    uint64_t known;
    unsigned kind = term_kind(t, inside);
    if (map_get(done, inside, &known))
        return (term)known;
    term x = elsewhere;
    if (kind == TERM_WRITE)
        x = term_write(t, after(w, term_kid(t, inside, 0), elsewhere, done), term_kid(t, inside, 1),
                       term_kid(t, inside, 2));
    else if (kind == TERM_AITE)
        x = term_ite(t, term_kid(t, inside, 0), after(w, term_kid(t, inside, 1), elsewhere, done),
                     after(w, term_kid(t, inside, 2), elsewhere, done));
    map_set(done, inside, x);
    return x;
}

static term in_order(struct view *w, term memory)
{
    struct map done = {0};
    term x = after(w, only(w, memory, true), only(w, memory, false), &done);
    map_free(&done);
    return x;
}

/* Of two stores that follow each other and do not overlap the one at the lower of two known offsets comes
 * first, and one at a known offset before one at an offset that is not. */
static term put_part(struct view *w, term array, term address, term value)
{
    struct terms *t = w->a->t;
    if (term_kind(t, array) != TERM_WRITE)
        return term_write(t, array, address, value);
    term under = term_kid(t, array, 0), other = term_kid(t, array, 1), its = term_kid(t, array, 2);
    const struct spot *x = spot_of(w, address), *y = spot_of(w, other);
    if (!x->fixed || !y->inside)
        return term_write(t, array, address, value);
    if (y->fixed && x->low == y->low && term_width(t, value) == term_width(t, its))
        return term_write(t, under, address, value);
    if ((!y->fixed || x->low < y->low) &&
        are_apart(w, address, term_width(t, value) / 8, other, term_width(t, its) / 8))
        return term_write(t, put_part(w, under, address, value), other, its);
    return term_write(t, array, address, value);
}

/* A byte of a wide entry that has nothing but zeroes before anything is stored, by the premise. */
static bool is_zero_at_entry(const struct view *w, uint64_t offset)
{
    for (unsigned i = 0; w->premise && i < w->v->nfields; i++) {
        const struct adapt_field *f = &w->v->field[i];
        uint64_t in = offset - f->target;
        if (in < (uint64_t)f->count * f->target_bytes && !f->sign)
            return in % f->target_bytes >= f->inner_bytes;
    }
    return false;
}

/* Storing the byte changes nothing. */
static bool is_there(struct view *w, term array, term address, term byte)
{
    struct terms *t = w->a->t;
    uint64_t value;
    term x = get(w, array, address, 8);
    if (x == byte)
        return true;
    return term_kind(t, x) == TERM_READ && term_kind(t, term_kid(t, x, 0)) == TERM_VAR &&
           term_const_u64(t, byte, &value) && !value && is_zero_at_entry(w, spot_of(w, address)->low);
}

static term put(struct view *w, term array, term address, term value)
{
    struct terms *t = w->a->t;
    if (!is_memory(w, array))
        return term_write(t, array, address, value);
    if (!spot_of(w, address)->fixed)
        return put_part(w, array, address, value);
    for (unsigned i = 0; i < term_width(t, value); i += 8) {
        term byte = term_extract(t, value, i, 8), at = term_add_const(t, address, i / 8);
        if (!is_there(w, array, at, byte))
            array = put_part(w, array, at, byte);
    }
    return array;
}

/* ---- where an access is ---- */

struct own {
    uint32_t at, bytes; /* of the field in the structure of the function at hand, and of an entry */
};

static struct own own_of(const struct view *w, const struct adapt_field *f)
{
    return w->inner ? (struct own){f->inner, f->inner_bytes} : (struct own){f->target, f->target_bytes};
}

/* Entries of the field are the same for both, as far as this function is concerned. */
static bool is_plain(const struct view *w, const struct adapt_field *f)
{
    return w->inner ? f->inner_bytes == f->target_bytes : f->inner_bytes >= f->target_bytes;
}

static const struct adapt_field *field_at(const struct view *w, uint64_t offset)
{
    for (unsigned i = 0; i < w->v->nfields; i++) {
        const struct adapt_field *f = &w->v->field[i];
        struct own o = own_of(w, f);
        if (offset - o.at < (uint64_t)f->count * o.bytes)
            return f;
    }
    return NULL;
}

/* The address is in the structure: *offset from its beginning. */
static bool in_structure(struct view *w, term index, term *offset)
{
    struct terms *t = w->a->t;
    term from = w->inner ? w->place : w->where;
    if (!is_made_of(t, index, from))
        return false;
    *offset = term_bin(t, OP_SUB, index, from);
    if (!is_made_of(t, *offset, from))
        return true;
    w->failed = true;
    return false;
}

/* base entries further on, in bytes of the target; TERM_NONE: they are not counted so. */
static term scaled(struct terms *t, term base, unsigned bytes, unsigned target)
{
    uint64_t factor;
    unsigned width = term_width(t, base);
    if (bytes == target)
        return base;
    if (bytes == 1)
        return term_bin(t, OP_MUL, base, term_const(t, width, target));
    if (term_kind(t, base) == OP_MUL && term_const_u64(t, term_kid(t, base, 1), &factor) &&
        factor % bytes == 0)
        return term_bin(t, OP_MUL, term_kid(t, base, 0), term_const(t, width, factor / bytes * target));
    return TERM_NONE;
}

/* An entry of an array at an offset that is not known, or a part of it: its field, where it is in the target's
 * structure, and how many bytes are before that part. */
static const struct adapt_field *array_at(struct view *w, term offset, unsigned bytes, term *address,
                                          unsigned *skip)
{
    struct terms *t = w->a->t;
    term base;
    uint64_t from;
    term_split(t, offset, &base, &from);
    uint64_t most = ~bits_low(term_known(t, base).zero);
    most &= word_ones(w->a->width);
    for (unsigned i = 0; i < w->v->nfields; i++) {
        const struct adapt_field *f = &w->v->field[i];
        struct own o = own_of(w, f);
        uint64_t size = (uint64_t)f->count * o.bytes, in = from - o.at;
        *skip = (unsigned)(in % o.bytes);
        if (in >= size || most >= size || in + most + bytes > size || *skip + bytes > o.bytes ||
            (most & (o.bytes - 1)))
            continue;
        term further = scaled(t, base, o.bytes, f->target_bytes);
        if (further == TERM_NONE)
            continue;
        *address = term_bin(t, OP_ADD, w->where, further);
        *address = term_add_const(t, *address, f->target + in / o.bytes * f->target_bytes);
        return f;
    }
    return NULL;
}

/* ---- entries ---- */

static term load_entry(struct view *w, const struct adapt_field *f, term array, term address)
{
    struct terms *t = w->a->t;
    term x = get(w, array, address, f->target_bytes * 8);
    return w->inner ? convert(t, x, f->inner_bytes * 8, f->sign) : through(w, f, x, f->inner_bytes);
}

static term store_entry(struct view *w, const struct adapt_field *f, term array, term address, term x)
{
    struct terms *t = w->a->t;
    unsigned narrow = f->inner_bytes < f->target_bytes ? f->inner_bytes : f->target_bytes;
    if (narrow * 8 < term_width(t, x))
        must(w, term_eq(t, through(w, f, x, narrow), x));
    return put(w, array, address, w->inner ? convert(t, x, f->target_bytes * 8, f->sign) : x);
}

/* Loads or stores what lies at a known offset, entry by entry; *value: what is loaded. */
static term access_known(struct view *w, term array, uint64_t offset, unsigned bytes, term store, term *value)
{
    struct terms *t = w->a->t;
    term whole = TERM_NONE;
    for (unsigned done = 0; done < bytes && !w->failed;) {
        const struct adapt_field *f = field_at(w, offset + done);
        unsigned n = bytes - done;
        term part;
        if (!f && w->inner) {
            w->failed = true;
            break;
        }
        if (!f || is_plain(w, f)) {
            uint64_t to = offset + done;
            if (f) {
                struct own o = own_of(w, f);
                uint64_t left = o.at + (uint64_t)f->count * o.bytes - to;
                n = n < left ? n : (unsigned)left;
                to += w->inner ? (uint64_t)f->target - f->inner : 0;
            } else {
                n = 1; /* up to a field, perhaps */
            }
            term address = term_add_const(t, w->where, to);
            if (store == TERM_NONE)
                part = get(w, array, address, n * 8);
            else
                array = put(w, array, address, term_extract(t, store, done * 8, n * 8));
        } else {
            struct own o = own_of(w, f);
            uint64_t in = offset + done - o.at;
            unsigned skip = (unsigned)(in % o.bytes);
            term address = term_add_const(t, w->where, f->target + in / o.bytes * f->target_bytes);
            n = n < o.bytes - skip ? n : o.bytes - skip;
            if (store == TERM_NONE)
                part = term_extract(t, load_entry(w, f, array, address), skip * 8, n * 8);
            else if (n == o.bytes)
                array = store_entry(w, f, array, address, term_extract(t, store, done * 8, n * 8));
            else
                w->failed = true;
        }
        if (store == TERM_NONE)
            whole = whole == TERM_NONE ? part : term_concat(t, part, whole);
        done += n;
    }
    *value = whole;
    return array;
}

/* `store`: TERM_NONE to load; *value: what is loaded. False: it is not in the structure. */
static bool access_structure(struct view *w, term *array, term index, unsigned bytes, term store, term *value)
{
    struct terms *t = w->a->t;
    term offset, address;
    uint64_t known;
    if (term_cell_width(t, *array) != 8 || !in_structure(w, index, &offset))
        return false;
    if (term_const_u64(t, offset, &known)) {
        *array = access_known(w, *array, known, bytes, store, value);
        return !w->failed;
    }
    unsigned skip;
    const struct adapt_field *f = array_at(w, offset, bytes, &address, &skip);
    bool whole = f && own_of(w, f).bytes == bytes;
    if (!f || (!whole && store != TERM_NONE)) {
        /* the target may use its structure as it likes, as long as nothing is said of what is in it */
        w->failed = w->failed || w->inner || (store != TERM_NONE && view_has_premise(w->v));
        return false;
    }
    if (store != TERM_NONE)
        *array = is_plain(w, f) ? put(w, *array, address, store) : store_entry(w, f, *array, address, store);
    else
        *value = is_plain(w, f)
                     ? get(w, *array, term_add_const(t, address, skip), bytes * 8)
                     : term_extract(t, load_entry(w, f, *array, address), skip * 8, bytes * 8);
    return true;
}

static term node(void *ctx, term x, const term *kid)
{
    struct view *w = ctx;
    struct terms *t = w->a->t;
    unsigned kind = term_kind(t, x);
    term value, array = kid ? kid[0] : TERM_NONE;
    if (w->failed)
        return x;
    if (kind == TERM_READ) {
        if (access_structure(w, &array, kid[1], term_width(t, x) / 8, TERM_NONE, &value))
            return value;
        return w->failed ? x : get(w, array, kid[1], term_width(t, x));
    }
    if (kind == TERM_WRITE) {
        if (access_structure(w, &array, kid[1], term_width(t, kid[2]) / 8, kid[2], &value))
            return array;
        return w->failed ? x : put(w, array, kid[1], kid[2]);
    }
    return term_rebuild(t, x, kid);
}

/* An access of the inner function's structure is one of the copy, which is there: but no further than the view
 * has it. */
static bool is_copied(struct view *w, const struct access *x)
{
    struct terms *t = w->a->t;
    term offset, address;
    uint64_t known;
    unsigned skip;
    if (!in_structure(w, x->address, &offset))
        return false;
    if (!term_const_u64(t, offset, &known)) {
        w->failed = w->failed || !array_at(w, offset, x->bytes, &address, &skip);
        return true;
    }
    for (unsigned i = 0; i < x->bytes; i++)
        w->failed = w->failed || !field_at(w, known + i);
    return true;
}

bool view_apply(struct view *w, struct behaviour *b, struct behaviour *out)
{
    struct terms *t = w->a->t;
    struct map done = {0};
    *out = *b;
    term *const list[] = {&out->returns,   &out->traps,     &out->open,   &out->doubt, &out->asks,
                          &out->result[0], &out->result[1], &out->memory, &out->world};
    for (size_t i = 0; i < sizeof list / sizeof *list && !w->failed; i++) {
        *list[i] = term_rewrite(t, *list[i], &done, node, w);
        if (w->inner && term_any(t, *list[i], term_is_that, &w->place))
            fail(w, *list[i]);
    }
    if (!w->failed)
        out->memory = in_order(w, out->memory);
    struct access *was = arena_array(w->a->arena, struct access, b->naccesses + 1);
    struct access *is = arena_array(w->a->arena, struct access, b->naccesses + 1);
    size_t n = 0, reached = 0;
    for (size_t i = 0; i < b->naccesses && !w->failed; i++) {
        struct access x = was[n] = b->access[i];
        x.when = term_rewrite(t, x.when, &done, node, w);
        x.address = term_rewrite(t, x.address, &done, node, w);
        if (w->inner && is_copied(w, &x))
            continue;
        is[n++] = x;
        reached += i < b->nreached;
    }
    b->access = was;
    out->access = is;
    b->naccesses = out->naccesses = n;
    b->nreached = out->nreached = reached;
    map_free(&done);
    return !w->failed;
}

/* ---- the premise ---- */

/* Each wide entry from `low` to before `high` was stored to at a known offset, whatever came later. */
static bool covers(struct view *w, term memory, uint64_t low, uint64_t high)
{
    struct terms *t = w->a->t;
    uint64_t missing = 0;
    uint8_t *wide = xcalloc(ADAPT_STRUCTURE, 1);
    for (unsigned i = 0; i < w->v->nfields; i++) {
        const struct adapt_field *f = &w->v->field[i];
        for (uint32_t k = 0; f->inner_bytes < f->target_bytes && k < f->count * f->target_bytes; k++) {
            uint64_t at = f->target + k;
            if (at < low || at >= high || wide[at])
                continue;
            wide[at] = 1;
            missing++;
        }
    }
    for (term x = only(w, memory, true); missing && term_kind(t, x) == TERM_WRITE; x = term_kid(t, x, 0)) {
        const struct spot *s = spot_of(w, term_kid(t, x, 1));
        for (uint64_t at = s->low; s->fixed && at < s->low + term_width(t, term_kid(t, x, 2)) / 8; at++)
            if (at < ADAPT_STRUCTURE) {
                missing -= wide[at];
                wide[at] = 0;
            }
    }
    free(wide);
    return !missing;
}

struct looking {
    struct view *w;
    struct map covered; /* array and part of the structure -> whether */
};

/* A load from the structure that may see what was there at entry. */
static bool sees_entry(void *ctx, term x)
{
    struct looking *l = ctx;
    struct terms *t = l->w->a->t;
    uint64_t known;
    if (term_kind(t, x) != TERM_READ || !is_memory(l->w, term_kid(t, x, 0)) ||
        !spot_of(l->w, term_kid(t, x, 1))->inside)
        return false;
    term array = term_kid(t, x, 0);
    const struct spot *at = spot_of(l->w, term_kid(t, x, 1));
    if (!at->anywhere && at->low >= ADAPT_STRUCTURE)
        return true;
    uint64_t low = at->anywhere ? 0 : at->low,
             high = at->anywhere ? ADAPT_STRUCTURE : at->high + term_width(t, x) / 8;
    uint64_t key = (uint64_t)array << 32 | low << 16 | (high & 0xffff);
    if (!map_get(&l->covered, key, &known)) {
        known = covers(l->w, array, low, high);
        map_set(&l->covered, key, known);
    }
    return !known;
}

bool view_initialises(struct view *w, const struct behaviour *target)
{
    struct looking l = {.w = w};
    const term list[] = {target->returns,   target->traps,  target->result[0],
                         target->result[1], target->memory, target->world};
    bool sees = term_any_of(w->a->t, list, sizeof list / sizeof *list, sees_entry, &l);
    map_free(&l.covered);
    return !sees && covers(w, target->memory, 0, ADAPT_STRUCTURE);
}
