/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object/image.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

uint16_t image_u16(const struct image *im, const uint8_t *p)
{
    return (uint16_t)(im->big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

uint32_t image_u32(const struct image *im, const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return im->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? x : __builtin_bswap32(x);
}

uint64_t image_u64(const struct image *im, const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return im->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? x : __builtin_bswap64(x);
}

uint64_t image_word(const struct image *im, const uint8_t *p)
{
    return im->is64 ? image_u64(im, p) : image_u32(im, p);
}

size_t image_word_size(const struct image *im)
{
    return im->is64 ? 8 : 4;
}

const struct image_section *image_section_named(const struct image *im, const char *name)
{
    for (size_t i = 1; i < im->nsections; i++)
        if (!strcmp(im->section[i].name, name))
            return &im->section[i];
    return NULL;
}

const char *image_string(const uint8_t *table, uint64_t size, uint64_t offset)
{
    if (!table || offset >= size || !memchr(table + offset, 0, size - offset))
        return NULL;
    return (const char *)table + offset;
}

static bool range_in_file(const struct image *im, uint64_t offset, uint64_t size)
{
    return offset <= im->size && size <= im->size - offset;
}

static void read_section_header(const struct image *im, uint64_t at, struct image_section *s, uint32_t *name)
{
    const uint8_t *p = im->data + at;
    *name = image_u32(im, p);
    s->type = image_u32(im, p + 4);
    if (im->is64) {
        s->flags = image_u64(im, p + 8);
        s->address = image_u64(im, p + 16);
        s->offset = image_u64(im, p + 24);
        s->size = image_u64(im, p + 32);
        s->link = image_u32(im, p + 40);
        s->info = image_u32(im, p + 44);
        s->align = image_u64(im, p + 48);
        s->entsize = image_u64(im, p + 56);
    } else {
        s->flags = image_u32(im, p + 8);
        s->address = image_u32(im, p + 12);
        s->offset = image_u32(im, p + 16);
        s->size = image_u32(im, p + 20);
        s->link = image_u32(im, p + 24);
        s->info = image_u32(im, p + 28);
        s->align = image_u32(im, p + 32);
        s->entsize = image_u32(im, p + 36);
    }
    s->header = at;
}

static bool read_sections(struct image *im, struct arena *arena, uint64_t shoff, uint64_t shnum,
                          uint32_t shstrndx, struct error *err)
{
    size_t entry = im->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (shnum > im->size / entry || !range_in_file(im, shoff, shnum * entry))
        return error_set(err, ERROR_INPUT,
                         "%s: section header table of %" PRIu64 " entries at offset 0x%" PRIx64
                         " runs past the end of the file (%zu bytes); is the file truncated?",
                         im->name, shnum, shoff, im->size);
    im->section = arena_array(arena, struct image_section, shnum);
    im->nsections = shnum;
    uint32_t *name = arena_array(arena, uint32_t, shnum);
    uint64_t claimed = 0; /* no overflow: both factors are bounded by the file size */
    for (size_t i = 0; i < shnum; i++) {
        struct image_section *s = &im->section[i];
        read_section_header(im, shoff + i * entry, s, &name[i]);
        if (i == 0 || s->type == SHT_NOBITS || s->type == SHT_NULL)
            continue;
        if (!range_in_file(im, s->offset, s->size))
            return error_set(err, ERROR_INPUT,
                             "%s: section %zu (header at offset 0x%" PRIx64 ") claims bytes 0x%" PRIx64
                             "+0x%" PRIx64 " past the end of the file (%zu bytes); is the file truncated?",
                             im->name, i, s->header, s->offset, s->size, im->size);
        s->data = im->data + s->offset;
        claimed += s->size;
    }
    if (claimed / 4 > (uint64_t)im->size + 4096)
        return error_set(err, ERROR_INPUT,
                         "%s: sections overlap: they claim 0x%" PRIx64
                         " bytes of a file of %zu (section headers at offset "
                         "0x%" PRIx64 ")",
                         im->name, claimed, im->size, shoff);
    const struct image_section *names = NULL;
    if (shstrndx != SHN_UNDEF) {
        if (shstrndx >= shnum || im->section[shstrndx].type != SHT_STRTAB)
            return error_set(err, ERROR_INPUT,
                             "%s: e_shstrndx %" PRIu32 " does not name a string table (offset 0x%x)",
                             im->name, shstrndx, im->is64 ? 62 : 50);
        names = &im->section[shstrndx];
    }
    for (size_t i = 0; i < shnum; i++) {
        im->section[i].name = names && i ? image_string(names->data, names->size, name[i]) : "";
        if (!im->section[i].name)
            return error_set(err, ERROR_INPUT,
                             "%s: name of section %zu (header at offset 0x%" PRIx64
                             ") is not inside the section name table",
                             im->name, i, im->section[i].header);
    }
    return true;
}

static bool read_segments(struct image *im, struct arena *arena, uint64_t phoff, uint64_t phnum,
                          struct error *err)
{
    size_t entry = im->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (phnum > im->size / entry || !range_in_file(im, phoff, phnum * entry))
        return error_set(err, ERROR_INPUT,
                         "%s: program header table of %" PRIu64 " entries at offset 0x%" PRIx64
                         " runs past the end of the file (%zu bytes); is the file truncated?",
                         im->name, phnum, phoff, im->size);
    im->segment = arena_array(arena, struct image_segment, phnum);
    im->nsegments = phnum;
    for (size_t i = 0; i < phnum; i++) {
        struct image_segment *s = &im->segment[i];
        const uint8_t *p = im->data + phoff + i * entry;
        s->header = phoff + i * entry;
        s->type = image_u32(im, p);
        if (im->is64) {
            s->flags = image_u32(im, p + 4);
            s->offset = image_u64(im, p + 8);
            s->address = image_u64(im, p + 16);
            s->file_size = image_u64(im, p + 32);
            s->size = image_u64(im, p + 40);
            s->align = image_u64(im, p + 48);
        } else {
            s->offset = image_u32(im, p + 4);
            s->address = image_u32(im, p + 8);
            s->file_size = image_u32(im, p + 16);
            s->size = image_u32(im, p + 20);
            s->flags = image_u32(im, p + 24);
            s->align = image_u32(im, p + 28);
        }
    }
    return true;
}

bool image_open(struct image *im, struct arena *arena, const char *name, const uint8_t *data, size_t size,
                struct error *err)
{
    *im = (struct image){.name = name, .data = data, .size = size};
    if (size < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG))
        return error_set(err, ERROR_INPUT, "%s: not an ELF file (no ELF magic at offset 0)", name);
    if (data[EI_CLASS] != ELFCLASS32 && data[EI_CLASS] != ELFCLASS64)
        return error_set(err, ERROR_INPUT, "%s: ELF class %u at offset 4 is neither 32 nor 64 bit", name,
                         data[EI_CLASS]);
    if (data[EI_DATA] != ELFDATA2LSB && data[EI_DATA] != ELFDATA2MSB)
        return error_set(err, ERROR_INPUT, "%s: ELF byte order %u at offset 5 is unknown", name,
                         data[EI_DATA]);
    if (data[EI_VERSION] != EV_CURRENT)
        return error_set(err, ERROR_INPUT, "%s: ELF version %u at offset 6 is unknown", name,
                         data[EI_VERSION]);
    im->is64 = data[EI_CLASS] == ELFCLASS64;
    im->big_endian = data[EI_DATA] == ELFDATA2MSB;
    size_t header = im->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    if (size < header)
        return error_set(err, ERROR_INPUT, "%s: truncated in the ELF header (%zu of %zu bytes)", name, size,
                         header);
    im->type = image_u16(im, data + 16);
    im->machine = image_u16(im, data + 18);
    size_t word = image_word_size(im);
    const uint8_t *p = data + 24;
    im->entry = image_word(im, p);
    uint64_t phoff = image_word(im, p + word), shoff = image_word(im, p + 2 * word);
    p += 3 * word;
    im->flags = image_u32(im, p);
    unsigned phentsize = image_u16(im, p + 6), shentsize = image_u16(im, p + 10);
    uint64_t phnum = image_u16(im, p + 8), shnum = image_u16(im, p + 12);
    uint32_t shstrndx = image_u16(im, p + 14);

    size_t shentry = im->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    size_t phentry = im->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (shoff) {
        if (shentsize != shentry)
            return error_set(err, ERROR_INPUT,
                             "%s: section header entries of %u bytes (offset 0x%x), expected %zu", name,
                             shentsize, im->is64 ? 58 : 46, shentry);
        if (!range_in_file(im, shoff, shentry))
            return error_set(err, ERROR_INPUT,
                             "%s: section header table at offset 0x%" PRIx64
                             " is past the end of the file (%zu bytes); is the file truncated?",
                             name, shoff, size);
        /* Counts that do not fit the file header live in section header 0. */
        struct image_section zero;
        uint32_t unused;
        read_section_header(im, shoff, &zero, &unused);
        if (shnum == 0)
            shnum = zero.size;
        if (shstrndx == SHN_XINDEX)
            shstrndx = zero.link;
        if (phnum == PN_XNUM)
            phnum = zero.info;
    } else {
        shnum = 0;
    }
    if (phoff == 0)
        phnum = 0;
    if (phnum && phentsize != phentry)
        return error_set(err, ERROR_INPUT,
                         "%s: program header entries of %u bytes (offset 0x%x), expected %zu", name,
                         phentsize, im->is64 ? 54 : 42, phentry);
    return (!shnum || read_sections(im, arena, shoff, shnum, shstrndx, err)) &&
           (!phnum || read_segments(im, arena, phoff, phnum, err));
}

static const char *build_id_in_notes(const struct image *im, struct arena *arena, const uint8_t *p,
                                     uint64_t size)
{
    uint64_t at = 0;
    while (size - at >= 12) {
        uint64_t namesz = image_u32(im, p + at), descsz = image_u32(im, p + at + 4);
        uint32_t type = image_u32(im, p + at + 8);
        at += 12;
        uint64_t name_room = (namesz + 3) & ~UINT64_C(3), desc_room = (descsz + 3) & ~UINT64_C(3);
        if (name_room > size - at || descsz > size - at - name_room)
            return NULL;
        if (type == NT_GNU_BUILD_ID && namesz == 4 && !memcmp(p + at, "GNU", 4) && descsz > 0 &&
            descsz <= 64) {
            char *hex = arena_zalloc(arena, descsz * 2 + 1);
            for (uint64_t i = 0; i < descsz; i++) {
                uint8_t b = p[at + name_room + i];
                hex[2 * i] = "0123456789abcdef"[b >> 4];
                hex[2 * i + 1] = "0123456789abcdef"[b & 15];
            }
            return hex;
        }
        at += name_room;
        if (desc_room > size - at)
            return NULL;
        at += desc_room;
    }
    return NULL;
}

const char *image_build_id(const struct image *im, struct arena *arena)
{
    const char *id = NULL;
    for (size_t i = 1; i < im->nsections && !id; i++)
        if (im->section[i].type == SHT_NOTE && im->section[i].data)
            id = build_id_in_notes(im, arena, im->section[i].data, im->section[i].size);
    for (size_t i = 0; i < im->nsegments && !id; i++)
        if (im->segment[i].type == PT_NOTE &&
            range_in_file(im, im->segment[i].offset, im->segment[i].file_size))
            id = build_id_in_notes(im, arena, im->data + im->segment[i].offset, im->segment[i].file_size);
    return id;
}
