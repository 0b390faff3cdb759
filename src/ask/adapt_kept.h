/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries of functions (adapt/known.c), kept from run to run and shared by workers (ask/shelf.h). */
#ifndef ASK_ADAPT_KEPT_H
#define ASK_ADAPT_KEPT_H

#include "adapt/adapt.h"
#include "ask/shelf.h"

extern const struct shelf_kind adapt_kept_shelf;

/* Open in one worker, which starts no others. */
struct adapt_kept {
    struct shelf *shelf; /* NULL: nothing is kept */
    struct adapt *of;
    struct buf context;
    struct adapt_keep keep;
};
/* Without a place for them nothing is kept, quietly; adapt_kept_trouble says what else may be wrong. */
void adapt_kept_open(struct adapt_kept *k, const struct object_options *object, struct adapt *a);
/* While that is still there; once more does nothing. */
void adapt_kept_close(struct adapt_kept *k);
/* Why they cannot be kept, though there is a place for them; NULL: they can. */
const char *adapt_kept_trouble(struct arena *arena);

#endif
