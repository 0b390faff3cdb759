/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address space of an object: regions that do not overlap, sorted by address. */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "base/search.h"
#include "object/private.h"

static int region_order(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

void memory_sort(struct object *o)
{
    vec_sort(&o->region, region_order);
}

void memory_add(struct object *o, uint64_t address, uint64_t size, const uint8_t *bytes, size_t n, bool write,
                bool exec)
{
    if (size == 0)
        return;
    struct region r = {.address = address, .size = size, .write = write, .exec = exec};
    uint64_t zero = size - n, left = OBJECT_ZERO_LIMIT - o->zero_used;
    if (zero > left)
        zero = left;
    o->zero_used += zero;
    if (n && !zero && !write) {
        r.bytes = bytes;
        r.held = n;
    } else if (n + zero) {
        r.owned = xcalloc(n + (size_t)zero, 1);
        if (n)
            memcpy(r.owned, bytes, n);
        r.bytes = r.owned;
        r.held = n + (size_t)zero;
    }
    vec_push(&o->region, r);
}

enum { RELRO_LIMIT = 16 }; /* linkers make one; every question about memory looks at all */

bool memory_map_segments(struct object *o, struct error *err)
{
    const struct image *im = &o->image;
    uint64_t claimed = 0;
    for (size_t i = 0; i < im->nsegments; i++) {
        const struct image_segment *s = &im->segment[i];
        if (s->type == PT_GNU_RELRO && o->relro.len < RELRO_LIMIT && s->size <= UINT64_MAX - s->address)
            vec_push(&o->relro, (struct range){s->address, s->address + s->size});
        if (s->type == PT_TLS) {
            o->has_tls = true;
            o->tls_address = s->address;
            o->tls_size = s->size;
            o->tls_align = s->align;
        }
        if (s->type != PT_LOAD)
            continue;
        /* Where nothing lies in the file, GNU ld writes an offset that may be past its end. */
        if (s->file_size && (s->offset > im->size || s->file_size > im->size - s->offset))
            return error_set(err, ERROR_INPUT,
                             "%s: segment %zu (program header at offset 0x%" PRIx64
                             ") claims bytes 0x%" PRIx64 "+0x%" PRIx64
                             " past the end of the file (%zu bytes); is the file truncated?",
                             im->name, i, s->header, s->offset, s->file_size, im->size);
        if (s->size < s->file_size)
            return error_set(err, ERROR_INPUT,
                             "%s: segment %zu (program header at offset 0x%" PRIx64
                             ") is smaller in memory (0x%" PRIx64 ") than in the file (0x%" PRIx64 ")",
                             im->name, i, s->header, s->size, s->file_size);
        uint64_t top = im->is64 ? UINT64_MAX : UINT32_MAX;
        if (s->size > OBJECT_SPACE_LIMIT || s->address > top || s->size > top - s->address)
            return error_set(err, ERROR_INPUT,
                             "%s: segment %zu (program header at offset 0x%" PRIx64
                             ") does not fit the address space: 0x%" PRIx64 "+0x%" PRIx64,
                             im->name, i, s->header, s->address, s->size);
        vec_push(&o->segment, (struct object_segment){.address = s->address,
                                                      .size = s->size,
                                                      .file_size = s->file_size,
                                                      .file_offset = s->offset,
                                                      .read = s->flags & PF_R,
                                                      .write = s->flags & PF_W,
                                                      .exec = s->flags & PF_X});
        claimed += s->file_size;
        if (claimed / 4 > (uint64_t)im->size + 4096)
            return error_set(
                err, ERROR_INPUT,
                "%s: segments map the same bytes of the file repeatedly (program header at offset "
                "0x%" PRIx64 ")",
                im->name, s->header);
        memory_add(o, s->address, s->size, s->file_size ? im->data + s->offset : im->data, s->file_size,
                   s->flags & PF_W, s->flags & PF_X);
    }
    memory_sort(o);
    for (size_t i = 1; i < o->region.len; i++) {
        const struct region *a = &o->region.data[i - 1], *b = &o->region.data[i];
        if (b->address - a->address < a->size)
            return error_set(err, ERROR_INPUT,
                             "%s: loadable segments overlap: 0x%" PRIx64 "+0x%" PRIx64 " and 0x%" PRIx64
                             "+0x%" PRIx64,
                             im->name, a->address, a->size, b->address, b->size);
    }
    return true;
}

struct region *memory_region(const struct object *o, uint64_t address)
{
    size_t low = partition_point(o->region.len, i, o->region.data[i].address <= address);
    if (low == 0)
        return NULL;
    struct region *r = &o->region.data[low - 1];
    return address - r->address < r->size ? r : NULL;
}

uint8_t *memory_writable(struct object *o, uint64_t address, size_t n)
{
    struct region *r = memory_region(o, address);
    if (!r || address - r->address > r->held || n > r->held - (address - r->address))
        return NULL;
    if (!r->owned) {
        r->owned = xmalloc(r->held);
        memcpy(r->owned, r->bytes, r->held);
        r->bytes = r->owned;
    }
    return r->owned + (address - r->address);
}

const uint8_t *object_bytes(const struct object *o, uint64_t address, size_t *available)
{
    const struct region *r = memory_region(o, address);
    if (!r || address - r->address >= r->held) {
        if (available)
            *available = 0;
        return NULL;
    }
    if (available)
        *available = r->held - (size_t)(address - r->address);
    return r->bytes + (address - r->address);
}

bool object_read(const struct object *o, uint64_t address, void *out, size_t n)
{
    for (size_t done = 0; done < n;) {
        size_t room;
        const uint8_t *p = object_bytes(o, address + done, &room);
        if (!p)
            return false;
        size_t take = room < n - done ? room : n - done;
        memcpy((char *)out + done, p, take);
        done += take;
    }
    return true;
}

bool memory_word(const struct object *o, uint64_t address, uint64_t *value)
{
    uint8_t raw[8];
    if (!object_read(o, address, raw, image_word_size(&o->image)))
        return false;
    *value = image_word(&o->image, raw);
    return true;
}

void memory_set_word(const struct object *o, uint8_t *at, uint64_t value)
{
    size_t n = image_word_size(&o->image);
    for (size_t i = 0; i < n; i++)
        at[o->image.big_endian ? n - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

bool memory_is_exec(const struct object *o, uint64_t address)
{
    const struct region *r = memory_region(o, address);
    return r && r->exec;
}

bool object_is_exec(const struct object *o, uint64_t address)
{
    return memory_is_exec(o, address);
}

bool object_is_readonly(const struct object *o, uint64_t address, size_t n)
{
    for (size_t i = 0; i < o->relro.len; i++) {
        const struct range *r = &o->relro.data[i];
        if (address >= r->low && address < r->high && n <= r->high - address)
            return true;
    }
    const struct region *r = memory_region(o, address);
    return r && !r->write && r->bytes && n <= r->size - (address - r->address);
}

const char *object_string(const struct object *o, uint64_t address, size_t *len)
{
    enum { LONGEST = 64 << 10 };
    size_t room;
    const char *s = (const char *)object_bytes(o, address, &room);
    if (!s)
        return NULL;
    if (room > LONGEST)
        room = LONGEST;
    size_t n = 0;
    for (; n < room && s[n]; n++) {
        unsigned char c = (unsigned char)s[n];
        /* Bytes above 0x7f are let through: UTF-8. */
        if (c < 0x20 && !(c >= '\a' && c <= '\r') && c != 0x1b)
            return NULL;
    }
    if (n == 0 || n == room || !object_is_readonly(o, address, n + 1))
        return NULL;
    if (len)
        *len = n;
    return s;
}
