/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landing pads: where calls go on when something is thrown. A function's FDE leads to its language-specific
 * data area, which begins with a table of call sites (Itanium C++ ABI, "Exception Handling", section 7 of its
 * level III; the same for Rust, Ada, Go and C's cleanup attribute). What comes behind it, which types are
 * caught, is not needed here. */
#include <dwarf.h>
#include <inttypes.h>

#include "base/search.h"
#include "object/private.h"

/* A header: a base for the pads when they are not counted from the function's start, a table of types that is
 * skipped, and the encoding of the table of call sites. */
static bool read_header(const struct object *o, struct eh_cursor *c, const uint8_t *start, uint64_t address,
                        uint64_t *base, uint8_t *encoding)
{
    uint64_t skipped;
    if (c->at >= c->end)
        return false;
    uint8_t how = *c->at++;
    if (how != DW_EH_PE_omit) {
        uint64_t where = address + (uint64_t)(c->at - start);
        if (how & DW_EH_PE_indirect || !eh_encoded(&o->image, c, how, base))
            return false;
        if ((how & 0x70) == DW_EH_PE_pcrel)
            *base += where;
        else if ((how & 0x70) != DW_EH_PE_absptr)
            return false;
    }
    if (c->at >= c->end)
        return false;
    how = *c->at++;
    if (how != DW_EH_PE_omit && !eh_leb128(c, false, &skipped))
        return false;
    if (c->at >= c->end)
        return false;
    *encoding = *c->at++;
    uint64_t length;
    if (*encoding == DW_EH_PE_omit || *encoding & 0xf0 || !eh_leb128(c, false, &length) ||
        length > (uint64_t)(c->end - c->at))
        return false;
    c->end = c->at + length;
    return true;
}

void landing_read(struct object *o, uint64_t low, uint64_t size, uint64_t lsda)
{
    size_t room;
    const uint8_t *start = object_bytes(o, lsda, &room);
    struct eh_cursor c = {start, start ? start + room : NULL};
    uint64_t base = low, top = o->image.is64 ? UINT64_MAX : UINT32_MAX;
    uint8_t encoding;
    bool good = start && read_header(o, &c, start, lsda, &base, &encoding);
    while (good && c.at < c.end) {
        uint64_t from, length, pad, action;
        good = eh_encoded(&o->image, &c, encoding, &from) && eh_encoded(&o->image, &c, encoding, &length) &&
               eh_encoded(&o->image, &c, encoding, &pad) && eh_leb128(&c, false, &action) && from <= size &&
               length <= size - from && (!pad || memory_is_exec(o, (base + pad) & top));
        if (good && pad && length)
            vec_push(&o->landing, (struct landing){low + from, low + from + length, (base + pad) & top});
    }
    if (!good)
        object_problem_add(o, lsda,
                           "the table of exception handlers of the function at 0x%" PRIx64
                           " is damaged; the rest of it is not used",
                           low);
}

static int landing_order(const void *a, const void *b)
{
    const struct landing *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->pad < y->pad ? -1 : x->pad > y->pad;
}

void landing_sort(struct object *o)
{
    vec_sort(&o->landing, landing_order);
}

bool object_landing_pad(const struct object *o, uint64_t address, uint64_t *pad)
{
    size_t low = partition_point(o->landing.len, i, o->landing.data[i].low <= address);
    if (low == 0 || address >= o->landing.data[low - 1].high)
        return false;
    *pad = o->landing.data[low - 1].pad;
    return true;
}
