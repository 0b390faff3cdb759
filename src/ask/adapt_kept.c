/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/adapt_kept.h"

#include "assay/assay.h"
#include "base/pack.h"

const struct shelf_kind adapt_kept_shelf = {"summaries.sqlite", "summary"};

/* A database that fails is not asked again. */
static void check(struct adapt_kept *k, const struct error *err)
{
    if (!err->kind)
        return;
    shelf_close(k->shelf);
    k->shelf = NULL;
}

static bool get(void *ctx, const char *key, struct buf *out)
{
    struct adapt_kept *k = ctx;
    struct error err = {0};
    bool found = k->shelf && shelf_get(k->shelf, key, out, &err);
    check(k, &err);
    return found;
}

static void put(void *ctx, const char *key, const char *bytes, size_t n)
{
    struct adapt_kept *k = ctx;
    struct error err = {0};
    if (k->shelf)
        shelf_put(k->shelf, key, bytes, n, &err);
    check(k, &err);
}

void adapt_kept_open(struct adapt_kept *k, const struct object_options *object, struct adapt *a)
{
    struct error ignored = {0};
    *k = (struct adapt_kept){.shelf = shelf_open(&adapt_kept_shelf, &ignored), .of = a};
    if (!k->shelf)
        return;
    pack_text(&k->context, ASSAY_VERSION);
    shelf_put_build(&k->context);
    pack_number(&k->context, object->no_debug);
    k->keep = (struct adapt_keep){.ctx = k, .context = &k->context, .get = get, .put = put};
    adapt_set_keeper(a, &k->keep);
}

void adapt_kept_close(struct adapt_kept *k)
{
    if (k->of)
        adapt_set_keeper(k->of, NULL);
    shelf_close(k->shelf);
    buf_free(&k->context);
    *k = (struct adapt_kept){0};
}

const char *adapt_kept_trouble(struct arena *arena)
{
    struct error err = {0};
    shelf_close(shelf_open(&adapt_kept_shelf, &err));
    return err.kind ? arena_strdup(arena, err.text) : NULL;
}
