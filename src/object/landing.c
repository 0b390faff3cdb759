/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landing pads: where calls go on when something is thrown. A function's FDE leads to its language-specific
 * data area, which begins with a table of call sites (Itanium C++ ABI, "Exception Handling", section 7 of its
 * level III; the same for Rust, Ada, Go and C's cleanup attribute). After it is what is done about which
 * type (actions), and before the end of the area the types. On ARM the area follows the unwinding instructions. */
#include <dwarf.h>
#include <inttypes.h>

#include "base/search.h"
#include "object/private.h"

/* A header: a base for the pads when they are not counted from the function's start, a table of types that is
 * skipped, and the encoding of the table of call sites. */
struct header {
    uint64_t base;         /* of pads */
    uint8_t encoding;      /* of call sites */
    uint8_t type_encoding; /* DW_EH_PE_omit: there are no types */
    const uint8_t *types;  /* where they end: the first is the last */
};

static bool read_header(const struct object *o, struct eh_cursor *c, const uint8_t *start, uint64_t address,
                        struct header *h)
{
    uint64_t *base = &h->base, skipped;
    uint8_t *encoding = &h->encoding;
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
    h->type_encoding = how;
    if (how != DW_EH_PE_omit) {
        if (!eh_leb128(c, false, &skipped) || skipped > (uint64_t)(c->end - c->at))
            return false;
        h->types = c->at + skipped;
    }
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

/* The types that a chain of actions asks about, as a number; *highest: the highest of their numbers. */
static uint64_t read_actions(const uint8_t *actions, const uint8_t *end, uint64_t action, uint64_t *highest)
{
    enum { LONGEST = 256 };
    struct eh_cursor c = {actions, end};
    uint64_t asked = 1;
    if (!action || action > (uint64_t)(end - actions))
        return 0;
    c.at += action - 1;
    for (unsigned i = 0; i < LONGEST; i++) {
        uint64_t filter, next;
        if (!eh_leb128(&c, true, &filter))
            break;
        const uint8_t *here = c.at;
        if (!eh_leb128(&c, true, &next))
            break;
        asked = hash_u64(asked ^ filter);
        if ((int64_t)filter > 0 && filter > *highest)
            *highest = filter;
        int64_t by = (int64_t)next;
        if (by == 0 || by < actions - here || by >= end - here)
            break;
        c.at = here + by;
    }
    return asked;
}

static void add_handlers(struct object *o, uint64_t function, const struct header *h, const uint8_t *start,
                         uint64_t lsda, const uint8_t *sites, const uint8_t *actions, uint64_t ntypes)
{
    unsigned format = h->type_encoding & 0x0f;
    size_t word = format == DW_EH_PE_udata4 || format == DW_EH_PE_sdata4 ? 4 : image_word_size(&o->image);
    struct object_handlers out = {.function = function, .site = sites, .nsite = (size_t)(actions - sites)};
    out.indirect = h->type_encoding != DW_EH_PE_omit && h->type_encoding & DW_EH_PE_indirect;
    if (ntypes) {
        out.broken = h->type_encoding == DW_EH_PE_omit || h->types < actions ||
                     ntypes > (uint64_t)(h->types - actions) / word;
        out.nsite = out.broken ? 0 : (size_t)(h->types - ntypes * word - sites);
        uint64_t *type = arena_array(&o->arena, uint64_t, out.broken ? 1 : ntypes);
        for (uint64_t i = 0; !out.broken && i < ntypes; i++) {
            struct eh_cursor c = {h->types - (i + 1) * word, h->types};
            uint64_t where = lsda + (uint64_t)(c.at - start);
            out.broken = !eh_encoded(&o->image, &c, h->type_encoding & 0x7f, &type[i]);
            if (!out.broken && type[i] && (h->type_encoding & 0x70) == DW_EH_PE_pcrel)
                type[i] += where;
            type[i] &= o->image.is64 ? UINT64_MAX : UINT32_MAX;
        }
        out.type = type;
        out.ntypes = out.broken ? 0 : ntypes;
    }
    vec_push(&o->handlers, out);
}

/* The tables at lsda of the function at low. `arm`: of .ARM.extab, where types are self-relative addresses of
 * words that hold their addresses, whatever the table says. */
static void read_tables(struct object *o, uint64_t low, uint64_t size, uint64_t lsda, bool arm)
{
    size_t room;
    const uint8_t *start = object_bytes(o, lsda, &room);
    struct eh_cursor c = {start, start ? start + room : NULL};
    struct header h = {.base = low};
    uint64_t top = o->image.is64 ? UINT64_MAX : UINT32_MAX, ntypes = 0;
    bool good = start && read_header(o, &c, start, lsda, &h);
    if (good && arm && h.type_encoding != DW_EH_PE_omit)
        h.type_encoding = DW_EH_PE_indirect | DW_EH_PE_pcrel;
    const uint8_t *sites = c.at;
    while (good && c.at < c.end) {
        uint64_t from, length, pad, action, base = h.base;
        uint8_t encoding = h.encoding;
        good = eh_encoded(&o->image, &c, encoding, &from) && eh_encoded(&o->image, &c, encoding, &length) &&
               eh_encoded(&o->image, &c, encoding, &pad) && eh_leb128(&c, false, &action) && from <= size &&
               length <= size - from && (!pad || memory_is_exec(o, (base + pad) & top));
        uint64_t asked = good ? read_actions(c.end, start + room, action, &ntypes) : 0;
        if (good && pad && length)
            vec_push(&o->landing,
                     (struct landing){low + from, low + from + length, (base + pad) & top, asked});
    }
    if (good)
        add_handlers(o, low, &h, start, lsda, sites, c.end, ntypes);
    else
        vec_push(&o->handlers, ((struct object_handlers){.function = low, .broken = true}));
    if (!good)
        object_problem_add(o, lsda,
                           "the table of exception handlers of the function at 0x%" PRIx64
                           " is damaged; the rest of it is not used",
                           low);
}

void landing_read(struct object *o, uint64_t low, uint64_t size, uint64_t lsda)
{
    read_tables(o, low, size, lsda, false);
}

/* "Exception Handling ABI for the Arm Architecture", section 7: a routine of the language's own is followed by
 * the number of words of unwinding instructions, those, and its tables; one of the three routines of the ABI
 * by descriptors up to a word that is 0, which compilers of C and C++ do not use. */
void landing_read_arm(struct object *o, uint64_t low, uint64_t size, uint64_t entry)
{
    enum { OF_THE_ABI = 0x80, SHORT = 0, WORD = 4 };
    size_t room;
    const uint8_t *p = object_bytes(o, entry, &room);
    if (!p || room < 2 * WORD)
        return;
    uint32_t first = image_u32(&o->image, p), second = image_u32(&o->image, p + WORD);
    if (!(first >> 24 & OF_THE_ABI)) {
        uint64_t at = ((second >> 24) + 2) * WORD;
        /* nothing follows where there is nothing to be done */
        if (at < room && memory_region(o, entry) == memory_region(o, entry + at))
            read_tables(o, low, size, entry + at, true);
        return;
    }
    uint64_t at = ((first >> 24 & 0xf) == SHORT ? 1 : (first >> 16 & 0xff) + 1) * WORD;
    if (at + WORD <= room && image_u32(&o->image, p + at) != 0)
        vec_push(&o->handlers, ((struct object_handlers){.function = low, .broken = true}));
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

static int handlers_order(const void *a, const void *b)
{
    const struct object_handlers *x = a, *y = b;
    return x->function < y->function ? -1 : x->function > y->function;
}

const struct object_handlers *object_handlers(const struct object *o, uint64_t function)
{
    size_t at = partition_point(o->handlers.len, i, o->handlers.data[i].function < function);
    return at < o->handlers.len && o->handlers.data[at].function == function ? &o->handlers.data[at] : NULL;
}

void landing_sort(struct object *o)
{
    vec_sort(&o->handlers, handlers_order);
    vec_sort(&o->landing, landing_order);
}

bool object_landing_pad(const struct object *o, uint64_t address, uint64_t *pad, uint64_t *asked)
{
    size_t low = partition_point(o->landing.len, i, o->landing.data[i].low <= address);
    if (low == 0 || address >= o->landing.data[low - 1].high)
        return false;
    *pad = o->landing.data[low - 1].pad;
    if (asked)
        *asked = o->landing.data[low - 1].asked;
    return true;
}
