/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of code that .eh_frame describes. libdw walks the entries; which bytes of an entry are the start and
 * the length, and how they are encoded, is said by its CIE (LSB, "DWARF Extensions", section .eh_frame). */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <string.h>

#include "object/private.h"

struct frame {
    struct object *o;
    const uint8_t *bytes;
    uint64_t address;
    Elf_Data data;
    struct map cie; /* offset to what its FDEs need: see pack_cie */
};

bool eh_leb128(struct eh_cursor *c, bool is_signed, uint64_t *out)
{
    uint64_t x = 0;
    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        uint8_t b = *c->at++;
        if (shift < 64)
            x |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            if (is_signed && b & 0x40 && shift + 7 < 64)
                x |= ~UINT64_C(0) << (shift + 7);
            *out = x;
            return true;
        }
    }
    return false;
}

bool eh_encoded(const struct image *im, struct eh_cursor *c, uint8_t encoding, uint64_t *out)
{
    size_t n;
    bool is_signed = encoding & 8;
    switch (encoding & 7) {
    case DW_EH_PE_absptr:
        n = image_word_size(im);
        break;
    case DW_EH_PE_uleb128:
        return eh_leb128(c, is_signed, out);
    case DW_EH_PE_udata2:
        n = 2;
        break;
    case DW_EH_PE_udata4:
        n = 4;
        break;
    case DW_EH_PE_udata8:
        n = 8;
        break;
    default:
        return false;
    }
    if ((size_t)(c->end - c->at) < n)
        return false;
    if (n == 2)
        *out = is_signed ? (uint64_t)(int64_t)(int16_t)image_u16(im, c->at) : image_u16(im, c->at);
    else if (n == 4)
        *out = is_signed ? (uint64_t)(int64_t)(int32_t)image_u32(im, c->at) : image_u32(im, c->at);
    else
        *out = image_u64(im, c->at);
    c->at += n;
    return true;
}

/* How the FDEs of a CIE are encoded: after 'R' of its augmentation addresses of code, after 'L' that of the
 * table of exception handlers, when it is `sized`. DW_EH_PE_omit: not said, or not understood. */
struct cie {
    uint8_t code, lsda;
    bool sized;
};

static struct cie cie_read(const struct image *im, const Dwarf_CIE *cie)
{
    struct cie out = {DW_EH_PE_omit, DW_EH_PE_omit, false};
    if (cie->augmentation[0] != 'z') {
        if (cie->augmentation[0] == 0)
            out.code = DW_EH_PE_absptr;
        return out;
    }
    struct eh_cursor c = {cie->augmentation_data, cie->augmentation_data + cie->augmentation_data_size};
    uint8_t code = DW_EH_PE_absptr, lsda = DW_EH_PE_omit;
    for (const char *a = cie->augmentation + 1; *a; a++) {
        if (strchr("SBG", *a))
            continue;
        if (!strchr("RLP", *a))
            break; /* what follows is not understood */
        if (c.at >= c.end)
            return out;
        uint8_t how = *c.at++;
        uint64_t skipped;
        if (*a == 'R')
            code = how;
        else if (*a == 'L')
            lsda = how;
        else if ((how & 0x70) == DW_EH_PE_aligned || !eh_encoded(im, &c, how, &skipped))
            return out;
    }
    return (struct cie){code, lsda, true};
}

static uint64_t cie_pack(struct cie c)
{
    return c.code | (uint64_t)c.lsda << 8 | (uint64_t)c.sized << 16;
}

static struct cie frame_cie(struct frame *f, Dwarf_Off at)
{
    uint64_t known;
    if (map_get(&f->cie, at, &known))
        return (struct cie){(uint8_t)known, (uint8_t)(known >> 8), known >> 16};
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    struct cie result = {DW_EH_PE_omit, DW_EH_PE_omit, false};
    if (at < f->data.d_size && dwarf_next_cfi(f->o->image.data, &f->data, true, at, &next, &entry) == 0 &&
        dwarf_cfi_cie_p(&entry))
        result = cie_read(&f->o->image, &entry.cie);
    map_set(&f->cie, at, cie_pack(result));
    return result;
}

/* The address of a function's table of exception handlers, after the range in its FDE; 0: it has none. */
static uint64_t fde_lsda(const struct frame *f, struct eh_cursor c, struct cie cie)
{
    uint64_t length, value, target;
    if (!cie.sized || cie.lsda == DW_EH_PE_omit || !eh_leb128(&c, false, &length) ||
        length > (uint64_t)(c.end - c.at))
        return 0;
    uint64_t where = f->address + (uint64_t)(c.at - f->bytes);
    if (!eh_encoded(&f->o->image, &c, cie.lsda, &value) || value == 0)
        return 0;
    if ((cie.lsda & 0x70) == DW_EH_PE_pcrel)
        value += where;
    else if ((cie.lsda & 0x70) != DW_EH_PE_absptr)
        return 0;
    value &= f->o->image.is64 ? UINT64_MAX : UINT32_MAX;
    if (!(cie.lsda & DW_EH_PE_indirect))
        return value;
    size_t room;
    const uint8_t *slot = object_bytes(f->o, value, &room);
    target = slot && room >= image_word_size(&f->o->image) ? image_word(&f->o->image, slot) : 0;
    return target;
}

static void walk(struct object *o, uint64_t address, uint64_t size, eh_frame_fn *fn, void *ctx)
{
    size_t room;
    const uint8_t *bytes = object_bytes(o, address, &room);
    if (!bytes)
        return;
    if (size > room)
        size = room;
    struct frame f = {.o = o, .bytes = bytes, .address = address};
    f.data = (Elf_Data){.d_buf = (void *)(uintptr_t)bytes,
                        .d_type = ELF_T_BYTE,
                        .d_version = EV_CURRENT,
                        .d_size = size,
                        .d_align = 1};
    uint64_t top = o->image.is64 ? UINT64_MAX : UINT32_MAX;
    for (Dwarf_Off at = 0, next; at < size; at = next) {
        Dwarf_CFI_Entry entry;
        int got = dwarf_next_cfi(o->image.data, &f.data, true, at, &next, &entry);
        if (got != 0 || next <= at) {
            /* A terminator of four zero bytes ends what crtend.o closes; anything else is damage. */
            if (got < 0 && !(size - at >= 4 && image_u32(&o->image, bytes + at) == 0))
                object_problem_add(o, address + at,
                                   "unwind table .eh_frame is damaged here; the rest of it is not used");
            break;
        }
        if (dwarf_cfi_cie_p(&entry))
            continue;
        struct cie cie = frame_cie(&f, entry.fde.CIE_pointer);
        uint8_t how = cie.code;
        if (how == DW_EH_PE_omit || how & DW_EH_PE_indirect || (how & 0x70) > DW_EH_PE_pcrel)
            continue;
        struct eh_cursor c = {entry.fde.start, entry.fde.end};
        uint64_t low, length, where = address + (uint64_t)(c.at - bytes);
        if (!eh_encoded(&o->image, &c, how, &low) || !eh_encoded(&o->image, &c, how & 7, &length))
            continue;
        if ((how & 0x70) == DW_EH_PE_pcrel)
            low += where;
        fn(ctx, low & top, length & top, fde_lsda(&f, c, cie));
    }
    map_free(&f.cie);
}

/* .eh_frame_hdr is what is left to find .eh_frame by when there are no section headers. */
static bool frame_from_header(const struct object *o, uint64_t *address)
{
    for (size_t i = 0; i < o->image.nsegments; i++) {
        const struct image_segment *s = &o->image.segment[i];
        size_t room;
        const uint8_t *p = s->type == PT_GNU_EH_FRAME ? object_bytes(o, s->address, &room) : NULL;
        if (!p || room < 8 || p[0] != 1)
            continue;
        struct eh_cursor c = {p + 4, p + room};
        uint64_t value;
        if (!eh_encoded(&o->image, &c, p[1], &value))
            return false;
        if ((p[1] & 0x70) == DW_EH_PE_pcrel)
            value += s->address + 4;
        else if ((p[1] & 0x70) == DW_EH_PE_datarel)
            value += s->address;
        *address = value & (o->image.is64 ? UINT64_MAX : UINT32_MAX);
        return true;
    }
    return false;
}

void eh_frame_walk(struct object *o, eh_frame_fn *fn, void *ctx)
{
    bool found = false;
    for (size_t i = 0; i < o->section.len; i++) {
        const struct object_section *s = &o->section.data[i];
        if (s->alloc && !s->nobits && !strcmp(s->name, ".eh_frame")) {
            walk(o, s->address, s->size, fn, ctx);
            found = true;
        }
    }
    uint64_t address;
    if (!found && frame_from_header(o, &address))
        walk(o, address, UINT64_MAX, fn, ctx);
}
