/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores at computed places in the frame.
 *
 * An array that is a local is written at the stack pointer plus an index. Nothing in the code says where it
 * ends, and once the function has returned nobody sees what was written, so a dropped bounds check would show
 * nowhere. The other version tells: a place that it writes, too, for the same input, was not added by the
 * change. Any other store may leave its local. If it can leave the frame, it overwrites the return address or
 * what the caller has there: that is P2. If it stays inside, it is in doubt where the other version has the
 * same store under a condition of its own, and assumed to stay in its local where the other has no such store
 * at all. */
#include "verify/private.h"

enum { FRAME_LARGEST = 1 << 20 };

struct stray {
    term canonical, at, guard; /* the address, and as seen; guard TERM_NONE: always */
    unsigned bytes;
    uint64_t site;
    term value;
};
typedef VEC(struct stray) strays;

static bool is_stray(const struct check *c, const struct exec_write *x)
{
    int64_t off;
    return x->local && !x->space && !pair_sp_offset(&c->pair, x->address, &off);
}

void stray_note(struct check *c, const struct pair_side *s, const struct exec_path *p)
{
    for (unsigned i = 0; i < p->nwrites; i++)
        if (is_stray(c, &p->write[i]))
            map_set(&c->strays[s->new], canonical_term(&c->pair, s, p->write[i].address), 1);
}

static void collect(struct view *w, const struct end *e, strays *out)
{
    struct check *c = w->c;
    for (unsigned i = 0; i < e->path->nwrites; i++) {
        const struct exec_write *x = &e->path->write[i];
        int64_t off;
        if (!is_stray(c, x))
            continue;
        struct stray s = {.canonical = canonical_term(&c->pair, e->s, x->address),
                          .at = view_side(w, e, x->address),
                          .guard = x->guard == TERM_NONE ? term_true(c->t) : view_side(w, e, x->guard),
                          .bytes = term_width(c->t, x->value) / 8,
                          .site = x->site,
                          .value = x->value};
        if (!term_is_false(c->t, s.guard) && !pair_sp_offset(&c->pair, s.at, &off))
            vec_push(out, s);
    }
}

/* Of the bytes, some lie outside of the largest frame below the stack pointer at entry. */
static term leaves(struct check *c, const struct stray *s)
{
    term off = term_bin(c->t, OP_SUB, s->at, c->sp);
    term shifted = term_add_const(c->t, off, FRAME_LARGEST);
    return term_not(c->t,
                    term_bin(c->t, OP_ULE, shifted, term_const(c->t, c->width, FRAME_LARGEST - s->bytes)));
}

static void report(struct view *w, const struct end *e, const struct stray *s, enum answer r,
                   struct term_model *model, term when, struct findings *found)
{
    struct check *c = w->c;
    bool new = e->s->new;
    struct failure f = accept_failure(w, VERIFY_P2, new ? r : UNDECIDED, model);
    f.question = VERIFY_Q2;
    f.place = s->at;
    f.value[new] = view_side(w, e, s->value);
    f.site[new] = s->site;
    f.when = when;
    f.certain = true;
    f.whole = true;
    f.what = "a store outside its local";
    f.reason =
        reason_of(c->arena, VERIFY_REASON_STRAY_STORE, (unsigned long long)s->site, new ? "new" : "old");
    accept_or_fail(c, found, f);
}

static void compare_one(struct view *w, const struct end *e, const struct stray *s, const strays *others,
                        struct findings *found)
{
    struct check *c = w->c;
    term alone = s->guard;
    for (size_t i = 0; i < others->len; i++) {
        const struct stray *o = &others->data[i];
        if (o->bytes < s->bytes)
            continue;
        if (o->at == s->at && (o->guard == s->guard || term_is_true(c->t, o->guard)))
            return;
        alone = term_and(c->t, alone, term_not(c->t, term_and(c->t, o->guard, term_eq(c->t, o->at, s->at))));
    }
    term q[] = {w->v, alone, leaves(c, s)};
    struct term_model *model = NULL;
    enum answer r = query_possible(c, q, 3, &model);
    if (r != NO)
        report(w, e, s, r, model, term_and(c->t, w->v, term_and(c->t, q[1], q[2])), found);
    else if (map_get(&c->strays[!e->s->new], s->canonical, NULL) && query_possible(c, q, 2, NULL) != NO)
        report(w, e, s, UNDECIDED, NULL, term_and(c->t, w->v, q[1]), found);
}

void stray_compare(struct view *w, struct findings *found)
{
    const struct end *end[2] = {w->o, w->n};
    strays all[2] = {VEC_INIT, VEC_INIT};
    for (int s = 0; s < 2; s++)
        collect(w, end[s], &all[s]);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < all[s].len && !query_is_late(w->c); i++)
            compare_one(w, end[s], &all[s].data[i], &all[!s], found);
    for (int s = 0; s < 2; s++)
        vec_free(&all[s]);
}
