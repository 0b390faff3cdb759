/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as terms that were kept: they are refused and leave nothing in the table, or are built, and what
 * was built is written and read again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/origin.h"
#include "lift/lift.h"
#include "term/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    abort();
}

static struct packed *from_bytes(const struct terms *t, const struct term_knows *knows, const void *bytes, size_t n)
{
    struct unpack u = unpack_begin(bytes, n);
    return packed_read(&u, t, knows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ir_pures pures = lift_pures();
    const struct term_knows knows = {.spell = origin_spell, .sound = origin_is_sound, .pure = pures.table, .npures = pures.count};
    struct terms *t = terms_new(), *other = terms_new();
    struct buf b = BUF_INIT;
    const size_t before = terms_count(t);
    struct packed *p = from_bytes(t, &knows, data, size), *again = NULL;
    if (!p && terms_count(t) != before)
        fail("refused, but something is left of it");
    if (p) {
        const size_t n = packed_roots(p);
        term *root = calloc(n + 1, sizeof *root);
        packed_build(p, t, root);
        if (!term_pack(&b, t, root, n) || !(again = from_bytes(other, &knows, b.data, b.len)) ||
            packed_roots(again) != n)
            fail("what was read cannot be read again");
        packed_build(again, other, root);
        free(root);
    }
    packed_free(p);
    packed_free(again);
    buf_free(&b);
    terms_free(t);
    terms_free(other);
    return 0;
}
