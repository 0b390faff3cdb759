/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay cache`: what is kept from run to run, and taking it away. */
#ifndef ASK_CACHE_H
#define ASK_CACHE_H

#include "base/alloc.h"
#include "base/error.h"

struct ask_cache_part {
    uint64_t entries, bytes; /* bytes on disk */
};
struct ask_cache_answer {
    const char *directory;
    struct ask_cache_part verdicts;  /* of verify */
    struct ask_cache_part summaries; /* of functions, of adapt */
    struct ask_cache_part features;  /* of present */
    bool cleared;
    const char *damaged; /* why one of the first two cannot be counted; or NULL */
    struct arena arena;
};

/* Looks, and with `clear` takes it all away first. False when there is no place for it, or it cannot be
 * removed. */
bool ask_cache(bool clear, struct ask_cache_answer *a, struct error *err);
void ask_cache_free(struct ask_cache_answer *a);

#endif
