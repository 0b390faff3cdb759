/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols of a relation in terms, and what they are at an arrival. */
#include "verify/join.h"

static bool is_own(void *ctx, term x)
{
    const struct relation *r = ctx;
    return map_get(&r->symbols, x, NULL);
}

bool join_has_symbols(struct join *j, term x)
{
    return term_any(j->pair->t, x, is_own, j->r);
}

bool join_only_counts(struct join *j, term x)
{
    term symbol[16];
    size_t n = term_symbols(j->pair->t, x, symbol, 16);
    bool only = n <= 16;
    for (size_t i = 0; i < n && only; i++)
        only = symbol[i] == j->r->count || !map_get(&j->r->symbols, symbol[i], NULL);
    return only;
}

term join_value_now(struct join *j, term x)
{
    enum { SYMBOLS_MAX = 256 };
    struct terms *t = j->pair->t;
    term symbol[SYMBOLS_MAX];
    size_t n = term_symbols(t, x, symbol, SYMBOLS_MAX);
    if (n > SYMBOLS_MAX)
        return TERM_NONE;
    for (size_t i = 0; i < n; i++) {
        bool known = !map_get(&j->r->symbols, symbol[i], NULL);
        for (size_t k = 0; k < j->from.len && !known; k++)
            known = j->from.data[k] == symbol[i];
        if (!known)
            return TERM_NONE;
    }
    return term_substitute(t, x, j->from.data, j->to.data, j->from.len);
}
