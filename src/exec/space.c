/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spaces other than memory, sparse in a state.
 *
 * A state has a cell for each space that it stored to or whose contents two merged states did not share. What
 * any other space holds is told by an EPOCH: the number 0 is entry, everything else stands for the last call
 * or unknown effect that may have changed it. Spaces that survive the same things share an epoch, so a call
 * costs no more when there are a thousand of them. An array is made of space and epoch when somebody asks: a
 * symbol named after the space at entry, an unknown function of the epoch afterwards, a choice where the
 * epoch is one. */
#include <assert.h>
#include <string.h>

#include "exec/engine.h"

/* Which epoch a space goes by; SPACE_EPOCHS: it stays what it was at entry, but for stores. */
static unsigned class_of(const struct ir_space *s)
{
    return (s->survives_calls ? 1u : 0) | (s->survives_unknown ? 2u : 0);
}

static term array_at(struct explorer *x, unsigned space, const struct ir_space *s, term epoch)
{
    uint64_t number, known, key = (uint64_t)space << 32 | epoch;
    if (map_get(&x->space_made, key, &known))
        return (term)known;
    term out;
    if (s->zero) {
        out = term_array_const(x->t, s->index_width, term_const(x->t, s->cell_width, 0));
    } else if (term_const_u64(x->t, epoch, &number)) {
        out = origin_array(x->t, (struct term_origin){.kind = ORIGIN_MEMORY, .name = s->name}, s->index_width,
                           s->cell_width);
    } else if (term_kind(x->t, epoch) == OP_ITE) {
        out = term_ite(x->t, term_kid(x->t, epoch, 0), array_at(x, space, s, term_kid(x->t, epoch, 1)),
                       array_at(x, space, s, term_kid(x->t, epoch, 2)));
    } else {
        struct term_origin after = {.kind = ORIGIN_SPACE_AFTER, .name = s->name};
        out = origin_apply_array(x->t, after, s->index_width, s->cell_width, &epoch, 1);
    }
    map_set(&x->space_made, key, out);
    return out;
}

/* The cell of a space, or where it belongs. */
static uint32_t find(const struct space_cell *at, uint32_t n, uint32_t space)
{
    uint32_t low = 0;
    while (low < n) {
        uint32_t mid = low + (n - low) / 2;
        if (at[mid].space < space)
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

static term lookup(struct explorer *x, const struct space_cell *at, uint32_t n, const term *epoch,
                   unsigned space)
{
    struct ir_space s;
    uint32_t i = find(at, n, space);
    if (i < n && at[i].space == space)
        return at[i].array;
    bool declared = machine_space(x->m, space, &s);
    assert(declared && space > 0);
    (void)declared;
    unsigned class = class_of(&s);
    assert(!s.constant && (!s.zero || class == SPACE_EPOCHS));
    return array_at(x, space, &s, class < SPACE_EPOCHS ? epoch[class] : term_const(x->t, 64, 0));
}

void space_start(struct explorer *x, struct state *st)
{
    st->nspaces = 0;
    for (unsigned i = 0; i < SPACE_EPOCHS; i++)
        st->epoch[i] = term_const(x->t, 64, 0);
}

term space_get(struct explorer *x, const struct state *st, unsigned space)
{
    return lookup(x, st->space, st->nspaces, st->epoch, space);
}

void space_set(struct state *st, unsigned space, term array)
{
    uint32_t i = find(st->space, st->nspaces, space);
    if (i == st->nspaces || st->space[i].space != space) {
        if (st->nspaces == st->spaces_cap) {
            st->spaces_cap = st->spaces_cap ? st->spaces_cap * 2 : 8;
            st->space = xreallocarray(st->space, st->spaces_cap, sizeof *st->space);
        }
        memmove(&st->space[i + 1], &st->space[i], (st->nspaces - i) * sizeof *st->space);
        st->nspaces++;
    }
    st->space[i] = (struct space_cell){space, array};
}

/* ---- loads and stores ---- */

/* An address is often a CHOICE: an if-then-else of constants, as a reference is where two states with
 * different objects were merged, or with such a part in its upper or lower bits. A load of it is the choice
 * of what is at each, and a store a conditional store to each, so that addresses in arrays stay constants and
 * reading past writes decides them. What is left, a constant object at an index that is not known, becomes a
 * choice among the cells that were written there. All this is for spaces that begin as zeros. */
enum {
    CHOICE_MAX = 64, /* places of a choice that is stored to */
    CHOICE_FUEL = 512,
    CELLS_MAX = 512, /* writes that a load may meet */
};

static bool is_choice(struct explorer *x, term v, unsigned *fuel)
{
    uint64_t known;
    if (term_is_const(x->t, v))
        return true;
    if (term_kind(x->t, v) != OP_ITE || !*fuel)
        return false;
    if (map_get(&x->choices, v, &known))
        return known;
    --*fuel;
    bool is = is_choice(x, term_kid(x->t, v, 1), fuel) && is_choice(x, term_kid(x->t, v, 2), fuel);
    map_set(&x->choices, v, is);
    return is;
}

/* The choice in an address; TERM_NONE. */
static term choice_in(struct explorer *x, term v)
{
    for (unsigned depth = 0; depth < 4; depth++) {
        unsigned kind = term_kind(x->t, v), fuel = CHOICE_FUEL;
        if (kind == OP_ITE)
            return is_choice(x, v, &fuel) ? v : TERM_NONE;
        if (kind == OP_CONCAT) {
            term high = choice_in(x, term_kid(x->t, v, 0));
            if (high != TERM_NONE)
                return high;
            v = term_kid(x->t, v, 1);
        } else if (kind == OP_ZEXT || kind == OP_EXTRACT) {
            v = term_kid(x->t, v, 0);
        } else {
            break;
        }
    }
    return TERM_NONE;
}

/* Addresses that differ whatever the symbols are. */
static bool apart(struct explorer *x, term a, term b)
{
    struct term_known k = term_known(x->t, a), l = term_known(x->t, b);
    return (k.zero.w[0] & l.one.w[0]) || (k.one.w[0] & l.zero.w[0]);
}

static term cell_at(struct explorer *x, term array, term address, unsigned width);

static term constant_cell(struct explorer *x, unsigned space, term address, unsigned width);

/* A read at an address with a choice in it: of an array, or of a constant space. */
struct choice_read {
    struct explorer *x;
    term array; /* TERM_NONE: the constant space */
    unsigned space;
    term address, choice;
    unsigned width;
    struct map done; /* part of the choice -> what is read there: parts are shared, and often so */
};

static term read_part(struct choice_read *r, term at)
{
    struct terms *t = r->x->t;
    uint64_t known;
    if (map_get(&r->done, at, &known))
        return (term)known;
    term out;
    if (term_kind(t, at) == OP_ITE) {
        term yes = read_part(r, term_kid(t, at, 1)), no = read_part(r, term_kid(t, at, 2));
        out = term_ite(t, term_kid(t, at, 0), yes, no);
    } else {
        term address = term_substitute(t, r->address, &r->choice, &at, 1);
        out = r->array == TERM_NONE ? constant_cell(r->x, r->space, address, r->width)
                                    : cell_at(r->x, r->array, address, r->width);
    }
    map_set(&r->done, at, out);
    return out;
}

static term read_choice(struct choice_read r)
{
    term out = read_part(&r, r.choice);
    map_free(&r.done);
    return out;
}

/* At an index that is not known. */
static term read_some(struct explorer *x, term array, term address, unsigned width)
{
    VEC(term) met = VEC_INIT;
    term at = array, out = TERM_NONE;
    for (; out == TERM_NONE && term_kind(x->t, at) == TERM_WRITE; at = term_kid(x->t, at, 0)) {
        term index = term_kid(x->t, at, 1);
        if (index == address)
            out = term_kid(x->t, at, 2);
        else if (!apart(x, index, address))
            vec_push(&met, at);
        if (met.len > CELLS_MAX) {
            vec_free(&met);
            return term_read(x->t, array, address, width);
        }
    }
    if (out == TERM_NONE && term_kind(x->t, at) == TERM_AITE)
        out = term_ite(x->t, term_kid(x->t, at, 0), cell_at(x, term_kid(x->t, at, 1), address, width),
                       cell_at(x, term_kid(x->t, at, 2), address, width));
    else if (out == TERM_NONE)
        out = term_read(x->t, at, address, width);
    while (met.len) {
        term w = vec_pop(&met);
        out = term_ite(x->t, term_eq(x->t, address, term_kid(x->t, w, 1)), term_kid(x->t, w, 2), out);
    }
    vec_free(&met);
    return out;
}

static term cell_at(struct explorer *x, term array, term address, unsigned width)
{
    uint64_t known, key = (uint64_t)array << 32 | address;
    if (term_is_const(x->t, address))
        return term_read(x->t, array, address, width);
    if (map_get(&x->space_read, key, &known))
        return (term)known;
    term choice = choice_in(x, address);
    term out = choice == TERM_NONE
                   ? read_some(x, array, address, width)
                   : read_choice((struct choice_read){
                         .x = x, .array = array, .address = address, .choice = choice, .width = width});
    map_set(&x->space_read, key, out);
    return out;
}

static term constant_cell(struct explorer *x, unsigned space, term address, unsigned width)
{
    uint64_t known, index, key = (uint64_t)space << 32 | address;
    struct bits value;
    if (map_get(&x->space_cell, key, &known))
        return (term)known;
    term out = TERM_NONE, choice = choice_in(x, address);
    if (term_const_u64(x->t, address, &index)) {
        if (x->code && x->code->cell && x->code->cell(x->code->ctx, space, index, &value))
            out = term_const_bits(x->t, width, value);
    } else if (choice != TERM_NONE) {
        out = read_choice((struct choice_read){
            .x = x, .array = TERM_NONE, .space = space, .address = address, .choice = choice, .width = width});
    }
    if (out == TERM_NONE) {
        x->stats.unknown_effects++;
        return term_fresh(x->t, "unknown_cell", width);
    }
    map_set(&x->space_cell, key, out);
    return out;
}

term space_load(struct explorer *x, const struct state *st, unsigned space, term address, unsigned width)
{
    struct ir_space s;
    machine_space(x->m, space, &s);
    if (s.constant)
        return constant_cell(x, space, address, width);
    term array = space_get(x, st, space);
    return s.zero && width == s.cell_width ? cell_at(x, array, address, width)
                                           : term_read(x->t, array, address, width);
}

static unsigned leaves(struct explorer *x, term v, term *out, unsigned n)
{
    if (term_kind(x->t, v) == OP_ITE) {
        n = leaves(x, term_kid(x->t, v, 1), out, n);
        return n > CHOICE_MAX ? n : leaves(x, term_kid(x->t, v, 2), out, n);
    }
    for (unsigned i = 0; i < n && i < CHOICE_MAX; i++)
        if (out[i] == v)
            return n;
    if (n < CHOICE_MAX)
        out[n] = v;
    return n + 1;
}

void space_store(struct explorer *x, struct state *st, unsigned space, term address, term value, term guard)
{
    struct ir_space s;
    machine_space(x->m, space, &s);
    term array = space_get(x, st, space), place[CHOICE_MAX];
    unsigned width = term_width(x->t, value);
    term choice =
        s.zero && width == s.cell_width && !term_is_const(x->t, address) ? choice_in(x, address) : TERM_NONE;
    unsigned n = choice == TERM_NONE ? 0 : leaves(x, choice, place, 0);
    for (unsigned i = 0; i < n && n <= CHOICE_MAX; i++) {
        term at = term_substitute(x->t, address, &choice, &place[i], 1);
        term here = term_eq(x->t, choice, place[i]);
        if (guard != TERM_NONE)
            here = term_and(x->t, here, guard);
        array = term_write(x->t, array, at, term_ite(x->t, here, value, cell_at(x, array, at, width)));
    }
    if (n == 0 || n > CHOICE_MAX) {
        if (guard != TERM_NONE)
            value =
                term_ite(x->t, guard, value,
                         s.zero ? cell_at(x, array, address, width) : term_read(x->t, array, address, width));
        array = term_write(x->t, array, address, value);
    }
    space_set(st, space, array);
}

term space_token(struct explorer *x, const struct state *st)
{
    if (!x->m->nspaces)
        return TERM_NONE;
    /* The same cells under the same name, so that equal contents make equal tokens. */
    struct buf name = {0};
    VEC(term) kid = VEC_INIT;
    struct ir_space s;
    for (unsigned i = 0; i < SPACE_EPOCHS; i++)
        vec_push(&kid, st->epoch[i]);
    for (uint32_t i = 0; i < st->nspaces; i++) {
        machine_space(x->m, st->space[i].space, &s);
        buf_printf(&name, ":%s", s.name);
        vec_push(&kid, st->space[i].array);
    }
    struct term_origin all = {.kind = ORIGIN_SPACES, .name = buf_text(&name)};
    term out = origin_apply(x->t, all, 64, kid.data, (unsigned)kid.len);
    buf_free(&name);
    vec_free(&kid);
    return out;
}

void space_havoc(struct explorer *x, struct state *st, enum space_effect by, term token)
{
    uint32_t kept = 0;
    struct ir_space s;
    for (uint32_t i = 0; i < st->nspaces; i++) {
        machine_space(x->m, st->space[i].space, &s);
        if (class_of(&s) == SPACE_EPOCHS || class_of(&s) & by)
            st->space[kept++] = st->space[i];
    }
    st->nspaces = kept;
    for (unsigned i = 0; i < SPACE_EPOCHS; i++)
        if (!(i & by))
            st->epoch[i] = token;
}

void space_forget(struct explorer *x, struct state *st)
{
    struct ir_space s;
    space_havoc(x, st, SPACE_ANY, term_fresh(x->t, "loop_space", 64));
    for (uint32_t i = 0; i < st->nspaces; i++) {
        machine_space(x->m, st->space[i].space, &s);
        st->space[i].array = term_fresh_array(x->t, s.name, s.index_width, s.cell_width);
    }
}

bool space_differ(struct explorer *x, const struct state *l, const struct state *r)
{
    if (memcmp(l->epoch, r->epoch, sizeof l->epoch) != 0)
        return true;
    for (uint32_t i = 0; i < l->nspaces; i++)
        if (space_get(x, r, l->space[i].space) != l->space[i].array)
            return true;
    for (uint32_t i = 0; i < r->nspaces; i++)
        if (space_get(x, l, r->space[i].space) != r->space[i].array)
            return true;
    return false;
}

void space_merge(struct explorer *x, struct state *l, const struct state *r, term c)
{
    /* first what only r has, so that l has a cell for everything that is in either */
    for (uint32_t i = 0; i < r->nspaces; i++)
        space_set(l, r->space[i].space, space_get(x, l, r->space[i].space));
    for (uint32_t i = 0; i < l->nspaces; i++)
        l->space[i].array = merge_array(x, c, l->space[i].array, space_get(x, r, l->space[i].space));
    for (unsigned i = 0; i < SPACE_EPOCHS; i++)
        l->epoch[i] = term_ite(x->t, c, l->epoch[i], r->epoch[i]);
}

/* ---- spaces of a path, for its readers ---- */

const struct exec_spaces *space_snapshot(struct explorer *x, const struct state *st)
{
    if (!x->m->nspaces)
        return NULL;
    struct exec_spaces *s = arena_alloc(&x->arena, sizeof *s + st->nspaces * sizeof s->at[0]);
    memcpy(s->epoch, st->epoch, sizeof s->epoch);
    s->n = st->nspaces;
    if (s->n)
        memcpy(s->at, st->space, s->n * sizeof s->at[0]);
    return s;
}

void space_restore(struct explorer *x, struct state *st, const struct exec_spaces *s)
{
    space_start(x, st);
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        space_set(st, s->at[i].space, s->at[i].array);
    memcpy(st->epoch, s->epoch, sizeof st->epoch);
}

term exec_spaces_array(struct explorer *x, const struct exec_spaces *s, unsigned space)
{
    term entry[SPACE_EPOCHS];
    for (unsigned i = 0; i < SPACE_EPOCHS; i++)
        entry[i] = term_const(x->t, 64, 0);
    return s ? lookup(x, s->at, s->n, s->epoch, space) : lookup(x, NULL, 0, entry, space);
}

term exec_spaces_cell(struct explorer *x, const struct exec_spaces *s, unsigned space, term address)
{
    term array = exec_spaces_array(x, s, space);
    return cell_at(x, array, address, term_cell_width(x->t, array));
}

term moment_space(const struct exec_moment *m, unsigned space)
{
    return space_get(m->x, m->st, space);
}
