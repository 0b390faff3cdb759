/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structures as functions use them, and the ways in which one may lie in another (layout.c). */
#ifndef ADAPT_LAYOUT_H
#define ADAPT_LAYOUT_H

#include "adapt/internal.h"

struct entry {
    uint32_t offset, bytes;
};

/* What lies behind one argument, by offset. */
struct layout {
    VEC(struct entry) entry;
};

struct layouts {
    uint32_t pointers; /* arguments that are some; a set */
    struct layout of[ADAPT_ARGUMENTS];
};

/* Of the target (side 0) or the inner function. */
void layouts_find(struct layouts *out, struct runner *r, unsigned side, unsigned nargs);
void layouts_free(struct layouts *l);

/* Views in which each entry of one is an entry of the other, in their order, or, if they are few, in any
 * order; until `fn` returns true. `v` has the arguments already. */
typedef bool view_fn(void *ctx, const struct adapt_view *v);
bool views_each(const struct layout *inner, const struct layout *target, struct adapt_view *v, view_fn *fn,
                void *ctx);

#endif
