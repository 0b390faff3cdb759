/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms of two functions over one structure, the target's (view.c). */
#ifndef ADAPT_VIEW_H
#define ADAPT_VIEW_H

#include "adapt/internal.h"

/* An address: in the target's structure, at offsets from `low` to `high`. */
struct spot {
    bool inside, fixed, anywhere; /* fixed: low is high; anywhere: the offset is not known */
    uint64_t low, high;
};

struct view {
    struct adapt *a;
    const struct adapt_view *v;
    term where; /* the target's structure */
    term place; /* the inner function's, a symbol of its own */
    bool inner;   /* terms of the inner function are looked at; else the target's */
    bool premise; /* what wide entries of the target have at entry is made use of */
    bool failed;
    VEC(term) must;   /* what has to hold always */
    struct map spots; /* address -> struct spot * */
    struct map only[2]; /* array -> array, without what is stored inside, or outside */
};

/* Entries of the target are taken to have what narrower ones of the inner function can hold. */
bool view_has_premise(const struct adapt_view *v);
/* The behaviour over the target's structure. Accesses of the inner function's are left out of both. False: it
 * is used in a way that the view does not have. */
bool view_apply(struct view *w, struct behaviour *b, struct behaviour *out);
/* The target, over its structure, stores in all wide entries before anything that they have at entry is seen. */
bool view_initialises(struct view *w, const struct behaviour *target);

/* ---- sweep.c ---- */
/* Two memories are the same, store by store. False: that was not shown. */
bool sweep_same(struct adapt *a, term x, term y);

#endif
