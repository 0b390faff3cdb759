/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in a register shows that it carries no argument of a call.
 *
 * Nobody can pass what no program can name: the table that code which runs anywhere finds addresses in, or
 * the upper half of a product that was made to see whether it overflows. And a function of another file takes
 * the same in both versions: a pointer, which something is read or written through, is not the same as a
 * character. Only of registers that may hold something for another reason is that asked. */
#include <stdlib.h>
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

/* Something lies there, or is read or written there. */
static bool is_pointer(const struct side *s, term x)
{
    uint64_t address;
    return map_get(&s->based, x, NULL) || is_known_address(s, x, &address);
}

/* It is a character, a short number or a truth value. Constants are cast to pointers now and then. */
static bool is_small(const struct terms *t, term x)
{
    enum { NARROW = 16 };
    uint64_t v, w;
    unsigned kind = term_kind(t, x);
    if (kind == OP_ZEXT || kind == OP_SEXT)
        return term_width(t, term_kid(t, x, 0)) <= NARROW || is_small(t, term_kid(t, x, 0));
    return kind == OP_ITE && term_const_u64(t, term_kid(t, x, 1), &v) &&
           term_const_u64(t, term_kid(t, x, 2), &w) && v + w == 1 && (v == 0 || w == 0);
}

static bool is_elsewhere(const struct side *s, const struct exec_event *e)
{
    const struct flow_call *k = e->name && !e->depth ? side_call_at(s, e->site) : NULL;
    return k && (k->target ? object_stub_at(s->o, k->target) != NULL : k->kind == CALL_STUB);
}

bool spare_internal(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    uint64_t address;
    return !e->depth && is_known_address(&c->side[side], e->arg[i], &address) &&
           is_in_table(&c->side[side], address);
}

bool spare_kinds_differ(struct check *c, const struct exec_event *o, const struct exec_event *n, unsigned i)
{
    const struct side *a = &c->side[OLD], *b = &c->side[NEW];
    if (!is_elsewhere(a, o) || !is_elsewhere(b, n))
        return false;
    return (is_pointer(a, o->arg[i]) && is_small(c->t, n->arg[i])) ||
           (is_pointer(b, n->arg[i]) && is_small(c->t, o->arg[i]));
}
