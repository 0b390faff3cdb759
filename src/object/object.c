/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening an object: runs the steps of private.h in order, and answers what is asked about the file as a
 * whole. */
#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sha256.h"
#include "object/private.h"

void object_problem_add(struct object *o, uint64_t address, const char *fmt, ...)
{
    if (o->problem.len >= OBJECT_PROBLEM_LIMIT)
        return;
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    vec_push(&o->problem, (struct object_problem){address, arena_strdup(&o->arena, text)});
}

static int problem_order(const void *a, const void *b)
{
    const struct object_problem *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->text, y->text);
}

size_t object_problems(const struct object *o, const struct object_problem **out)
{
    *out = o->problem.data;
    return o->problem.len;
}

static const struct {
    uint16_t machine;
    uint8_t bits;
    bool little_only;
    enum machine_arch arch;
    const char *name;
} architecture[] = {
    {EM_X86_64, 64, true, MACHINE_AMD64, "x86-64"},
    {EM_386, 32, true, MACHINE_X86, "i386"},
    {EM_ARM, 32, true, MACHINE_ARM, "arm"},
    {EM_AARCH64, 64, true, MACHINE_ARM64, "aarch64"},
    {EM_X86_64, 32, true, MACHINE_NONE, "x86-64 (x32)"},
    {EM_AARCH64, 32, false, MACHINE_NONE, "aarch64 (ILP32)"},
    {EM_PPC, 0, false, MACHINE_NONE, "powerpc"},
    {EM_PPC64, 0, false, MACHINE_NONE, "powerpc64"},
    {EM_MIPS, 0, false, MACHINE_NONE, "mips"},
    {EM_S390, 0, false, MACHINE_NONE, "s390"},
    {EM_RISCV, 0, false, MACHINE_NONE, "riscv"},
    {EM_SPARC, 0, false, MACHINE_NONE, "sparc"},
    {EM_SPARCV9, 0, false, MACHINE_NONE, "sparcv9"},
    {EM_IA_64, 0, false, MACHINE_NONE, "ia64"},
    {EM_68K, 0, false, MACHINE_NONE, "m68k"},
    {EM_SH, 0, false, MACHINE_NONE, "sh"},
    {EM_ALPHA, 0, false, MACHINE_NONE, "alpha"},
    {EM_PARISC, 0, false, MACHINE_NONE, "hppa"},
    {EM_LOONGARCH, 0, false, MACHINE_NONE, "loongarch"},
    {EM_BPF, 0, false, MACHINE_NONE, "bpf"},
    {EM_AVR, 0, false, MACHINE_NONE, "avr"},
};

static void name_architecture(struct object *o)
{
    const struct image *im = &o->image;
    o->info.bits = im->is64 ? 64 : 32;
    o->info.big_endian = im->big_endian;
    for (size_t i = 0; i < sizeof architecture / sizeof *architecture; i++) {
        if (architecture[i].machine != im->machine ||
            (architecture[i].bits && architecture[i].bits != o->info.bits))
            continue;
        o->info.arch_name = architecture[i].name;
        o->info.arch = architecture[i].arch;
        if (architecture[i].little_only && im->big_endian) {
            o->info.arch = MACHINE_NONE;
            o->info.arch_name = arena_printf(&o->arena, "%s (big-endian)", architecture[i].name);
        }
        return;
    }
    o->info.arch_name = arena_printf(&o->arena, "machine %u", im->machine);
}

/* GNU ld rounds PT_GNU_RELRO up to a page and in some static programs so covers the beginning of .data, which
 * the program does write. What counts as constant must be constant, so the range ends where such a section
 * begins.
 */
static void trim_relro(struct object *o)
{
    static const char *const variable[] = {".data", ".bss", ".sdata", ".sbss"};
    for (size_t i = 1; i < o->image.nsections; i++) {
        const struct image_section *s = &o->image.section[i];
        for (size_t k = 0; k < sizeof variable / sizeof *variable; k++) {
            if (!(s->flags & SHF_ALLOC) || strcmp(s->name, variable[k]))
                continue;
            for (size_t r = 0; r < o->relro.len; r++)
                if (s->address >= o->relro.data[r].low && s->address < o->relro.data[r].high)
                    o->relro.data[r].high = s->address;
        }
    }
}

static void publish_sections(struct object *o)
{
    const struct image *im = &o->image;
    if (o->info.type != OBJECT_RELOCATABLE)
        trim_relro(o);
    for (size_t i = 1; i < im->nsections; i++) {
        const struct image_section *s = &im->section[i];
        struct object_section out = {
            .name = s->name,
            .address = o->section_address[i],
            .size = s->size,
            .exec = s->flags & SHF_EXECINSTR,
            .write = s->flags & SHF_WRITE,
            .alloc = s->flags & SHF_ALLOC,
            .comdat = s->flags & SHF_GROUP,
            .excluded = s->flags & SHF_EXCLUDE,
            .merge = s->flags & SHF_MERGE ? s->entsize * 2 + !!(s->flags & SHF_STRINGS) : 0,
            .nobits = s->type == SHT_NOBITS,
            .tls = s->flags & SHF_TLS};
        /* .tbss occupies no memory of its own: what lies at its address is something else. */
        bool place = out.alloc && !(out.tls && out.nobits);
        for (size_t k = 0; k < o->relro.len && place; k++)
            out.relro |= out.write && out.address >= o->relro.data[k].low &&
                         out.address < o->relro.data[k].high &&
                         out.size <= o->relro.data[k].high - out.address;
        vec_push(&o->section, out);
    }
}

static bool check_interpreter(struct object *o, struct error *err)
{
    const struct image *im = &o->image;
    for (size_t i = 0; i < im->nsegments; i++) {
        const struct image_segment *s = &im->segment[i];
        if (s->type != PT_INTERP)
            continue;
        if (s->offset > im->size || s->file_size > im->size - s->offset ||
            !(o->info.interp = image_string(im->data + s->offset, s->file_size, 0)))
            return error_set(err, ERROR_INPUT,
                             "%s: interpreter name (program header at offset 0x%" PRIx64
                             ") is not a string inside the file",
                             im->name, s->header);
    }
    return true;
}

static bool build(struct object *o, const struct object_options *opt, struct error *err)
{
    const struct image *im = &o->image;
    if (!image_open(&o->image, &o->arena, o->info.name, o->file, im->size, err))
        return false;
    name_architecture(o);
    bool relocatable = im->type == ET_REL;
    if (im->type == ET_CORE)
        return error_set(err, ERROR_UNSUPPORTED, "%s: a core file, not a program", im->name);
    if (!relocatable && im->type != ET_EXEC && im->type != ET_DYN)
        return error_set(err, ERROR_INPUT, "%s: ELF file type %u at offset 16 is not a program", im->name,
                         im->type);
    for (size_t i = 1; !relocatable && i < im->nsections; i++) {
        const struct image_section *s = &im->section[i];
        if (s->type == SHT_NOBITS && s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && s->size)
            return error_set(err, ERROR_INPUT,
                             "%s: a detached debug file (section %s, header at offset 0x%" PRIx64
                             ", has no contents); give the program it belongs to",
                             im->name, s->name, s->header);
    }
    o->info.type = relocatable ? OBJECT_RELOCATABLE : im->type == ET_EXEC ? OBJECT_EXECUTABLE : OBJECT_SHARED;
    o->info.entry = im->machine == EM_ARM ? im->entry & ~UINT64_C(1) : im->entry;
    o->info.build_id = image_build_id(im, &o->arena);
    o->section_address = arena_array(&o->arena, uint64_t, im->nsections);
    for (size_t i = 0; i < im->nsections; i++)
        o->section_address[i] = im->section[i].address;

    if (relocatable ? !reloc_layout(o, err) : !memory_map_segments(o, err))
        return false;
    if (!relocatable && !o->region.len)
        return error_set(err, ERROR_INPUT, "%s: no loadable segment: none of its code can run", im->name);
    publish_sections(o);
    if (!relocatable && (!check_interpreter(o, err) || !dynamic_read(o, err)))
        return false;
    o->info.is_static = !o->dynamic.present;
    const uint64_t flag_pie = 0x08000000; /* DF_1_PIE */
    if (o->info.type == OBJECT_SHARED &&
        (o->dynamic.flags_1 & flag_pie || (o->info.interp && !o->info.soname)))
        o->info.type = OBJECT_PIE;

    if (!symbol_read_symtab(o, im, &o->symtab, err))
        return false;
    o->info.stripped = o->symtab.count == 0;
    if (!debug_attach(o, opt, err))
        return false;
    if (relocatable ? !reloc_symbols(o, err) : !dynamic_symbols(o, err))
        return false;
    symbol_publish(o);
    if (relocatable ? !reloc_apply(o, err) : !dynamic_relocate(o, err))
        return false;
    stub_find(o);
    bound_find(o);
    load_read(o);
    vec_sort(&o->problem, problem_order);
    return true;
}

struct object *object_open_memory(const char *name, const uint8_t *data, size_t size,
                                  const struct object_options *opt, struct error *err)
{
    return object_open_at(name, NULL, data, size, opt, err);
}

struct object *object_open_at(const char *name, const char *dir, const uint8_t *data, size_t size,
                              const struct object_options *opt, struct error *err)
{
    static const struct object_options none = {0};
    struct object *o = xcalloc(1, sizeof *o);
    o->info.name = arena_strdup(&o->arena, name);
    o->path_dir = dir ? arena_strdup(&o->arena, dir) : NULL;
    o->debug = debug_new();
    o->file = xmalloc(size ? size : 1);
    if (size)
        memcpy(o->file, data, size);
    o->image.size = size;
    opt = opt ? opt : &none;
    if (!opt->no_digest)
        sha256_hex(o->file, size, o->info.sha256);
    if (!build(o, opt, err)) {
        object_free(o);
        return NULL;
    }
    return o;
}

void object_free(struct object *o)
{
    if (!o)
        return;
    debug_free(o->debug);
    for (size_t i = 0; i < o->region.len; i++)
        free(o->region.data[i].owned);
    vec_free(&o->region);
    vec_free(&o->relro);
    vec_free(&o->section);
    vec_free(&o->segment);
    vec_free(&o->symbol);
    strmap_free(&o->symbol_name);
    vec_free(&o->mapping);
    vec_free(&o->slot);
    vec_free(&o->stub);
    vec_free(&o->landing);
    vec_free(&o->handlers);
    vec_free(&o->pointer);
    vec_free(&o->relocated);
    map_free(&o->rooms.symbol);
    free(o->rooms.of);
    map_free(&o->copied);
    vec_free(&o->entry);
    vec_free(&o->bound);
    vec_free(&o->problem);
    free(o->file);
    arena_free(&o->arena);
    free(o);
}

const struct object_info *object_info(const struct object *o)
{
    return &o->info;
}

bool object_names_compiler(const struct object *o, const char *name)
{
    const struct image_section *s = image_section_named(&o->image, ".comment");
    return s && s->data && memmem(s->data, s->size, name, strlen(name));
}

size_t object_sections(const struct object *o, const struct object_section **out)
{
    *out = o->section.data;
    return o->section.len;
}

size_t object_segments(const struct object *o, const struct object_segment **out)
{
    *out = o->segment.data;
    return o->segment.len;
}

size_t object_pointers(const struct object *o, const struct object_pointer **out)
{
    *out = o->pointer.data;
    return o->pointer.len;
}

size_t object_pointers_before(const struct object *o, uint64_t address)
{
    return partition_point(o->pointer.len, i, o->pointer.data[i].address < address);
}

const struct object_pointer *object_pointer_at(const struct object *o, uint64_t address)
{
    size_t i = object_pointers_before(o, address);
    return i < o->pointer.len && o->pointer.data[i].address == address ? &o->pointer.data[i] : NULL;
}

/* ---- addresses as people know them ---- */

uint64_t object_display_address(const struct object *o, uint64_t address)
{
    bool inside = address >= OBJECT_RELOC_BASE && address < o->layout_top;
    return o->info.type == OBJECT_RELOCATABLE && inside ? address - OBJECT_RELOC_BASE : address;
}

uint64_t object_internal_address(const struct object *o, uint64_t shown)
{
    bool inside = o->layout_top && shown < o->layout_top - OBJECT_RELOC_BASE;
    return o->info.type == OBJECT_RELOCATABLE && inside ? shown + OBJECT_RELOC_BASE : shown;
}

static bool read_hexadecimal(const char *text, uint64_t *out)
{
    char *end;
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !isxdigit((unsigned char)text[2]))
        return false;
    *out = strtoull(text, &end, 16);
    return *end == '\0';
}

bool object_read_place(const struct object *o, const char *text, uint64_t *address)
{
    const char *plus = strrchr(text, '+');
    uint64_t offset;
    if (!plus) {
        if (!read_hexadecimal(text, address))
            return false;
        *address = object_internal_address(o, *address);
        return true;
    }
    if (!read_hexadecimal(plus + 1, &offset))
        return false;
    for (size_t i = 0; i < o->section.len; i++) {
        const struct object_section *s = &o->section.data[i];
        if (s->alloc && strlen(s->name) == (size_t)(plus - text) &&
            !strncmp(s->name, text, (size_t)(plus - text)) && offset < s->size) {
            *address = s->address + offset;
            return true;
        }
    }
    return false;
}

const char *object_qualifying_section(const struct object *o, uint64_t address, uint64_t *offset)
{
    const struct object_section *in = NULL;
    size_t codes = 0;
    for (size_t i = 0; o->info.type == OBJECT_RELOCATABLE && i < o->section.len; i++) {
        const struct object_section *s = &o->section.data[i];
        if (!s->alloc || !s->exec || !s->size)
            continue;
        codes++;
        if (address - s->address < s->size)
            in = s;
    }
    if (!in || codes < 2)
        return NULL;
    *offset = address - in->address;
    return in->name;
}
