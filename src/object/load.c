/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file tells the kernel and the dynamic linker, apart from its contents. Program headers and the
 * dynamic section have been checked where they were read; what is asked for here and is not well-formed
 * counts as not said. */
#include <elf.h>
#include <string.h>

#include "base/search.h"
#include "object/private.h"

/* elf.h of Debian 12 knows these; older ones may not. */
#ifndef PT_GNU_PROPERTY
#define PT_GNU_PROPERTY 0x6474e553
#endif

/* The word of features in a note of properties: bits of GNU_PROPERTY_*_FEATURE_1_AND. */
static uint32_t read_features(const struct image *im, uint64_t offset, uint64_t room)
{
    enum { NOTE = 16, X86 = (int)0xc0000002, ARM64 = (int)0xc0000000 };
    if (offset > im->size || room > im->size - offset || room < NOTE)
        return 0;
    const uint8_t *p = im->data + offset;
    uint64_t size = image_u32(im, p + 4), align = im->is64 ? 8 : 4;
    if (memcmp(p + 12, "GNU", 4) != 0 || size > room - NOTE)
        return 0;
    for (uint64_t at = 0; at + 8 <= size;) {
        uint32_t type = image_u32(im, p + NOTE + at), length = image_u32(im, p + NOTE + at + 4);
        at += 8;
        if (length > size - at)
            return 0;
        if (length == 4 && type == (im->machine == EM_AARCH64 ? (uint32_t)ARM64 : (uint32_t)X86))
            return image_u32(im, p + NOTE + at);
        at += (length + align - 1) / align * align;
    }
    return 0;
}

/* An unsigned number of as many bytes as it needs; end if there is none. */
static const uint8_t *read_number(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        *out |= (uint64_t)(*p & 0x7f) << shift;
        if (!(*p++ & 0x80))
            return p;
    }
    return end;
}

/* Tag_ABI_VFP_args of the file as a whole, in .ARM.attributes. */
static uint32_t read_float_arguments(const struct image *im)
{
    enum { VERSION = 'A', WHOLE_FILE = 1, RAW_NAME = 4, NAME = 5, FLOATS = 28, COMPATIBILITY = 32 };
    static const char vendor[] = "aeabi";
    const size_t head = 5 + sizeof vendor; /* the version, a length and the vendor */
    const struct image_section *s = im->machine == EM_ARM ? image_section_named(im, ".ARM.attributes") : NULL;
    if (!s || !s->data || s->size < head + 5 || s->data[0] != VERSION ||
        memcmp(s->data + 5, vendor, sizeof vendor) != 0)
        return 0;
    const uint8_t *p = s->data + head, *end = s->data + s->size;
    uint64_t length = image_u32(im, p + 1), tag, value;
    if (*p != WHOLE_FILE || length > (uint64_t)(end - p))
        return 0;
    end = p + length;
    for (p += 5; p < end;) {
        p = read_number(p, end, &tag);
        bool text = tag == RAW_NAME || tag == NAME || (tag >= COMPATIBILITY && tag & 1);
        if (!text)
            p = read_number(p, end, &value);
        if (tag == FLOATS)
            return (uint32_t)value;
        if (text || tag == COMPATIBILITY) {
            const uint8_t *nul = p < end ? memchr(p, 0, (size_t)(end - p)) : NULL;
            p = nul ? nul + 1 : end;
        }
    }
    return 0;
}

static void read_segments(struct object *o)
{
    const struct image *im = &o->image;
    struct object_load *l = &o->load;
    l->exec_stack = true;
    for (size_t i = 0; i < im->nsegments; i++) {
        const struct image_segment *s = &im->segment[i];
        switch (s->type) {
        case PT_GNU_STACK:
            l->exec_stack = s->flags & PF_X;
            l->stack_size = s->size;
            break;
        case PT_GNU_RELRO:
            l->relro = true;
            break;
        case PT_GNU_PROPERTY:
            l->features = read_features(im, s->offset, s->file_size);
            break;
        case PT_TLS:
            l->tls_file_size = s->file_size;
            l->tls_align = s->align;
            break;
        default:
            break;
        }
    }
}

static void read_sections(struct object *o)
{
    const struct image_section *s = image_section_named(&o->image, ".note.GNU-stack");
    o->load.exec_stack = !s || s->flags & SHF_EXECINSTR;
    s = image_section_named(&o->image, ".note.gnu.property");
    o->load.features = s && s->data ? read_features(&o->image, s->offset, s->size) : 0;
    o->load.tls_align = o->tls_align;
    for (size_t i = 1; i < o->image.nsections; i++) {
        const struct image_section *t = &o->image.section[i];
        uint64_t at = o->section_address[i] - o->tls_address;
        if (t->flags & SHF_TLS && t->type != SHT_NOBITS && at + t->size > o->load.tls_file_size)
            o->load.tls_file_size = at + t->size;
    }
}

void load_read(struct object *o)
{
    o->load.flags = o->image.flags;
    o->load.abi = o->image.data[EI_OSABI];
    if (o->info.type == OBJECT_RELOCATABLE)
        read_sections(o);
    else
        read_segments(o);
    o->load.float_arguments = read_float_arguments(&o->image);
    o->load.has_tls = o->has_tls;
    o->load.tls_address = o->tls_address;
    o->load.tls_size = o->tls_size;
}

const struct object_load *object_load(const struct object *o)
{
    return &o->load;
}

size_t object_dynamic(const struct object *o, const struct object_dynamic **out)
{
    *out = o->entry.data;
    return o->entry.len;
}

bool object_is_copied(const struct object *o, uint64_t address)
{
    return map_get(&o->copied, address, NULL);
}

/* The first that may change a byte at the address or behind it. */
static size_t relocated_from(const struct object *o, uint64_t address)
{
    enum { WIDEST = 8 };
    return partition_point(o->relocated.len, i, o->relocated.data[i].low + WIDEST <= address);
}

bool object_is_relocated(const struct object *o, uint64_t address, size_t n)
{
    const struct relocated *r = o->relocated.data;
    for (size_t i = relocated_from(o, address); i < o->relocated.len && r[i].low < address + n; i++)
        if (r[i].high > address)
            return true;
    return false;
}

/* What code makes of it: x86-64 adds the distance from the place to the end of the instruction, and AArch64
 * makes the page first. */
static bool is_made(const struct object *o, const struct relocated *r, uint64_t address)
{
    enum { INSN_REST = 12, PAGE = 4096 };
    return address == r->sum || (o->info.arch == MACHINE_AMD64 && address - r->sum <= INSN_REST) ||
           (o->info.arch == MACHINE_ARM64 && address == (r->sum & ~(uint64_t)(PAGE - 1)));
}

const struct object_stub *object_extern_made(const struct object *o, uint64_t from, size_t n,
                                             uint64_t address, int64_t *offset)
{
    const struct relocated *r = o->relocated.data;
    if (!object_may_be_extern(o, address))
        return NULL;
    for (size_t i = relocated_from(o, from); i < o->relocated.len && r[i].low < from + n; i++)
        if (r[i].high > from && object_may_be_extern(o, r[i].symbol) && is_made(o, &r[i], address)) {
            *offset = (int64_t)(address - r[i].symbol);
            return object_stub_at(o, r[i].symbol);
        }
    return NULL;
}
