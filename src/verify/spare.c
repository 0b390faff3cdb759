/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in a register shows that it carries no argument of a call.
 *
 * Nobody can pass what no program can name: the table that code which runs anywhere finds addresses in, or
 * the upper half of a product that was made to see whether it overflows (arity.c). */
#include <string.h>

#include "verify/given.h"

static bool is_in_table(const struct side *s, uint64_t address)
{
    const struct object_section *all;
    size_t n = object_sections(s->o, &all);
    for (size_t i = 0; i < n; i++)
        if (strncmp(all[i].name, ".got", 4) == 0 && address - all[i].address < all[i].size)
            return true;
    return false;
}

static bool is_known_address(const struct side *s, term x, uint64_t *address)
{
    size_t n;
    uint64_t v;
    if (!s->bias || !term_const_u64(s->c->t, x, &v))
        return false;
    *address = s->c->width == 32 ? (uint32_t)(v - s->bias) : v - s->bias;
    return object_bytes(s->o, *address, &n) != NULL;
}

bool spare_internal(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    uint64_t address;
    return !e->depth && is_known_address(&c->side[side], e->arg[i], &address) &&
           is_in_table(&c->side[side], address);
}
