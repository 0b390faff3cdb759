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
    if (term_const_u64(x->t, epoch, &number)) {
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

term moment_space(const struct exec_moment *m, unsigned space)
{
    return space_get(m->x, m->st, space);
}
