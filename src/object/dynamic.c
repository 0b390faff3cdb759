/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dynamic section and what it leads to, found as the dynamic loader finds it: from program headers, by
 * address. Section headers are not needed; a file stripped of them reads the same. */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "object/private.h"

/* elf.h of Debian 12 knows these; older ones may not. */
#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

/* The bytes of a table the dynamic section points to. A table of no bytes is NULL and fine. */
static bool table_at(const struct object *o, const char *what, uint64_t address, uint64_t size,
                     const uint8_t **out, struct error *err)
{
    *out = NULL;
    if (size == 0)
        return true;
    size_t room;
    *out = object_bytes(o, address, &room);
    if (!*out || room < size)
        return error_set(err, ERROR_INPUT,
                         "%s: the dynamic section puts %s at 0x%" PRIx64 "+0x%" PRIx64
                         ", which the file does not map",
                         o->info.name, what, address, size);
    return true;
}

static void dynamic_entry(struct dynamic *d, uint64_t tag, uint64_t value)
{
    switch (tag) {
    case DT_STRTAB:
        d->strtab = value;
        break;
    case DT_STRSZ:
        d->strsz = value;
        break;
    case DT_SYMTAB:
        d->symtab = value;
        break;
    case DT_HASH:
        d->hash = value;
        break;
    case DT_GNU_HASH:
        d->gnu_hash = value;
        break;
    case DT_RELA:
        d->rela = value;
        break;
    case DT_RELASZ:
        d->relasz = value;
        break;
    case DT_REL:
        d->rel = value;
        break;
    case DT_RELSZ:
        d->relsz = value;
        break;
    case DT_JMPREL:
        d->jmprel = value;
        break;
    case DT_PLTRELSZ:
        d->pltrelsz = value;
        break;
    case DT_PLTREL:
        d->pltrel_is_rela = value == DT_RELA;
        break;
    case DT_RELR:
        d->relr = value;
        break;
    case DT_RELRSZ:
        d->relrsz = value;
        break;
    case DT_VERSYM:
        d->versym = value;
        break;
    case DT_VERDEF:
        d->verdef = value;
        break;
    case DT_VERDEFNUM:
        d->verdefnum = value;
        break;
    case DT_VERNEED:
        d->verneed = value;
        break;
    case DT_VERNEEDNUM:
        d->verneednum = value;
        break;
    case DT_INIT:
        d->init = value;
        break;
    case DT_FINI:
        d->fini = value;
        break;
    case DT_INIT_ARRAY:
        d->init_array = value;
        break;
    case DT_INIT_ARRAYSZ:
        d->init_arraysz = value;
        break;
    case DT_FINI_ARRAY:
        d->fini_array = value;
        break;
    case DT_FINI_ARRAYSZ:
        d->fini_arraysz = value;
        break;
    case DT_PREINIT_ARRAY:
        d->preinit_array = value;
        break;
    case DT_PREINIT_ARRAYSZ:
        d->preinit_arraysz = value;
        break;
    case DT_PLTGOT:
        d->pltgot = value;
        break;
    case DT_SONAME:
        d->soname = value;
        d->has_soname = true;
        break;
    case DT_FLAGS_1:
        d->flags_1 = value;
        break;
    default:
        break;
    }
}

/* What the value of an entry names in the string table. */
static const char *entry_text(const struct dynamic *d, uint64_t tag, uint64_t value)
{
    static const uint64_t textual[] = {DT_NEEDED,    DT_SONAME, DT_RPATH, DT_RUNPATH, DT_CONFIG,
                                       DT_DEPAUDIT, DT_AUDIT,  DT_AUXILIARY, DT_FILTER};
    for (size_t i = 0; i < sizeof textual / sizeof *textual; i++)
        if (tag == textual[i])
            return image_string(d->string, d->strsz, value);
    return NULL;
}

bool dynamic_read(struct object *o, struct error *err)
{
    const struct image *im = &o->image;
    const struct image_segment *seg = NULL;
    for (size_t i = 0; i < im->nsegments && !seg; i++)
        if (im->segment[i].type == PT_DYNAMIC)
            seg = &im->segment[i];
    if (!seg)
        return true;
    if (seg->offset > im->size || seg->file_size > im->size - seg->offset)
        return error_set(err, ERROR_INPUT,
                         "%s: dynamic section 0x%" PRIx64 "+0x%" PRIx64
                         " (program header at offset 0x%" PRIx64 ") is past the end of the file",
                         im->name, seg->offset, seg->file_size, seg->header);
    o->dynamic.present = true;
    size_t word = image_word_size(im);
    const uint8_t *p = im->data + seg->offset;
    for (uint64_t at = 0; at + 2 * word <= seg->file_size; at += 2 * word) {
        uint64_t tag = image_word(im, p + at);
        if (tag == DT_NULL)
            break;
        dynamic_entry(&o->dynamic, tag, image_word(im, p + at + word));
        vec_push(&o->entry, (struct object_dynamic){.tag = tag, .value = image_word(im, p + at + word)});
    }
    struct dynamic *d = &o->dynamic;
    if (!table_at(o, "the string table", d->strtab, d->strsz, &d->string, err))
        return false;
    /* A copy: the table may lie in writable memory, and a relocation must not change names under us. */
    if (d->string)
        d->string = arena_dup(&o->arena, d->string, d->strsz);
    for (size_t i = 0; i < o->entry.len; i++) {
        struct object_dynamic *e = &o->entry.data[i];
        e->text = entry_text(d, e->tag, e->value);
        if (im->machine == EM_ARM && (e->tag == DT_INIT || e->tag == DT_FINI))
            e->value &= ~UINT64_C(1);
    }
    if (d->has_soname) {
        o->info.soname = image_string(d->string, d->strsz, d->soname);
        if (!o->info.soname)
            return error_set(err, ERROR_INPUT,
                             "%s: DT_SONAME 0x%" PRIx64 " is not inside the dynamic string table", im->name,
                             d->soname);
    }
    return true;
}

/* DT_GNU_HASH does not say how many symbols there are: the last chain of the highest bucket ends with the
 * last one. */
static uint64_t gnu_hash_count(const struct object *o)
{
    const struct image *im = &o->image;
    size_t room;
    const uint8_t *p = object_bytes(o, o->dynamic.gnu_hash, &room);
    if (!p || room < 16)
        return 0;
    uint64_t nbuckets = image_u32(im, p), first = image_u32(im, p + 4), bloom = image_u32(im, p + 8);
    uint64_t buckets = 16 + bloom * image_word_size(im);
    if (buckets > room || nbuckets > (room - buckets) / 4)
        return 0;
    uint64_t last = 0;
    for (uint64_t i = 0; i < nbuckets; i++) {
        uint64_t b = image_u32(im, p + buckets + 4 * i);
        if (b > last)
            last = b;
    }
    if (last < first)
        return first; /* nothing is exported */
    uint64_t chain = buckets + 4 * nbuckets;
    for (uint64_t at = chain + 4 * (last - first); at + 4 <= room; at += 4, last++)
        if (image_u32(im, p + at) & 1)
            return last + 1;
    return 0;
}

/* The highest symbol index a relocation table uses, plus one. */
static uint64_t relocation_count(const struct object *o, uint64_t address, uint64_t size, bool rela)
{
    const struct image *im = &o->image;
    size_t room, entry = image_word_size(im) * (rela ? 3 : 2), word = image_word_size(im);
    const uint8_t *p = object_bytes(o, address, &room);
    uint64_t max = 0;
    if (!p)
        return 0;
    if (size > room)
        size = room;
    for (uint64_t at = 0; at + entry <= size; at += entry) {
        uint64_t info = image_word(im, p + at + word);
        uint64_t sym = im->is64 ? info >> 32 : info >> 8;
        if (sym > max)
            max = sym;
    }
    return max ? max + 1 : 0;
}

bool dynamic_symbols(struct object *o, struct error *err)
{
    const struct dynamic *d = &o->dynamic;
    const struct image *im = &o->image;
    if (!d->symtab)
        return true;
    uint64_t count = 0, n;
    if (d->hash) {
        size_t room;
        const uint8_t *p = object_bytes(o, d->hash, &room);
        if (p && room >= 8)
            count = image_u32(im, p + 4);
    }
    if (d->gnu_hash && (n = gnu_hash_count(o)) > count)
        count = n;
    if ((n = relocation_count(o, d->rela, d->relasz, true)) > count)
        count = n;
    if ((n = relocation_count(o, d->rel, d->relsz, false)) > count)
        count = n;
    if ((n = relocation_count(o, d->jmprel, d->pltrelsz, d->pltrel_is_rela)) > count)
        count = n;
    size_t entry = im->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    for (size_t i = 1; i < im->nsections; i++) {
        const struct image_section *s = &im->section[i];
        if (s->type == SHT_DYNSYM && s->address == d->symtab && s->size / entry > count)
            count = s->size / entry;
    }
    const uint8_t *symbols;
    if (count > im->size / entry)
        return error_set(err, ERROR_INPUT,
                         "%s: %" PRIu64 " dynamic symbols at 0x%" PRIx64 " do not fit the file", im->name,
                         count, d->symtab);
    if (!table_at(o, "the symbol table", d->symtab, count * entry, &symbols, err))
        return false;
    struct symbol_source src = {.symbol = symbols,
                                .count = count,
                                .string = d->string,
                                .string_size = d->strsz,
                                .what = ".dynsym",
                                .offset = d->symtab};
    return symbol_table_read(o, im, &src, &o->dynsym, err) && version_read(o, err);
}

/* ---- relocations ---- */

enum dynamic_class {
    CLASS_NONE,
    CLASS_RELATIVE,
    CLASS_GOT,
    CLASS_JUMP,
    CLASS_ABSOLUTE,
    CLASS_IRELATIVE,
    CLASS_OTHER
};

static enum dynamic_class classify(const struct image *im, uint32_t type)
{
    switch (im->machine) {
    case EM_X86_64:
        switch (type) {
        case R_X86_64_NONE:
            return CLASS_NONE;
        case R_X86_64_RELATIVE:
        case R_X86_64_RELATIVE64:
            return CLASS_RELATIVE;
        case R_X86_64_GLOB_DAT:
            return CLASS_GOT;
        case R_X86_64_JUMP_SLOT:
            return CLASS_JUMP;
        case R_X86_64_64:
            return CLASS_ABSOLUTE;
        case R_X86_64_IRELATIVE:
            return CLASS_IRELATIVE;
        default:
            return CLASS_OTHER;
        }
    case EM_386:
        switch (type) {
        case R_386_NONE:
            return CLASS_NONE;
        case R_386_RELATIVE:
            return CLASS_RELATIVE;
        case R_386_GLOB_DAT:
            return CLASS_GOT;
        case R_386_JMP_SLOT:
            return CLASS_JUMP;
        case R_386_32:
            return CLASS_ABSOLUTE;
        case R_386_IRELATIVE:
            return CLASS_IRELATIVE;
        default:
            return CLASS_OTHER;
        }
    case EM_ARM:
        switch (type) {
        case R_ARM_NONE:
            return CLASS_NONE;
        case R_ARM_RELATIVE:
            return CLASS_RELATIVE;
        case R_ARM_GLOB_DAT:
            return CLASS_GOT;
        case R_ARM_JUMP_SLOT:
            return CLASS_JUMP;
        case R_ARM_ABS32:
            return CLASS_ABSOLUTE;
        case R_ARM_IRELATIVE:
            return CLASS_IRELATIVE;
        default:
            return CLASS_OTHER;
        }
    case EM_AARCH64:
        switch (type) {
        case R_AARCH64_NONE:
            return CLASS_NONE;
        case R_AARCH64_RELATIVE:
            return CLASS_RELATIVE;
        case R_AARCH64_GLOB_DAT:
            return CLASS_GOT;
        case R_AARCH64_JUMP_SLOT:
            return CLASS_JUMP;
        case R_AARCH64_ABS64:
            return CLASS_ABSOLUTE;
        case R_AARCH64_IRELATIVE:
            return CLASS_IRELATIVE;
        default:
            return CLASS_OTHER;
        }
    default:
        return CLASS_OTHER;
    }
}

/* What a relocation means that makes no address: where a thread-local variable is, mostly. */
static const char *other_name(const struct image *im, uint32_t type)
{
    static const struct {
        uint16_t machine;
        uint16_t type;
        const char *name;
    } known[] = {
        {EM_X86_64, R_X86_64_DTPMOD64, "module"},     {EM_X86_64, R_X86_64_DTPOFF64, "dtpoff"},
        {EM_X86_64, R_X86_64_TPOFF64, "tpoff"},       {EM_X86_64, R_X86_64_TLSDESC, "tlsdesc"},
        {EM_386, R_386_TLS_DTPMOD32, "module"},       {EM_386, R_386_TLS_DTPOFF32, "dtpoff"},
        {EM_386, R_386_TLS_TPOFF, "tpoff"},           {EM_386, R_386_TLS_TPOFF32, "tpoff32"},
        {EM_386, R_386_TLS_DESC, "tlsdesc"},          {EM_ARM, R_ARM_TLS_DTPMOD32, "module"},
        {EM_ARM, R_ARM_TLS_DTPOFF32, "dtpoff"},       {EM_ARM, R_ARM_TLS_TPOFF32, "tpoff"},
        {EM_ARM, R_ARM_TLS_DESC, "tlsdesc"},          {EM_AARCH64, R_AARCH64_TLS_DTPMOD, "module"},
        {EM_AARCH64, R_AARCH64_TLS_DTPREL, "dtpoff"}, {EM_AARCH64, R_AARCH64_TLS_TPREL, "tpoff"},
        {EM_AARCH64, R_AARCH64_TLSDESC, "tlsdesc"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == im->machine && known[i].type == type)
            return known[i].name;
    return NULL;
}

/* A copy brings another object's variable here: its contents are no constant, being in writable memory. */
static bool is_copy(const struct image *im, uint32_t type)
{
    switch (im->machine) {
    case EM_X86_64:
        return type == R_X86_64_COPY;
    case EM_386:
        return type == R_386_COPY;
    case EM_ARM:
        return type == R_ARM_COPY;
    default:
        return im->machine == EM_AARCH64 && type == R_AARCH64_COPY;
    }
}

static void add_pointer(struct object *o, uint64_t address, uint64_t target, const char *name, int64_t addend)
{
    bool thumb = false;
    if (!name && o->image.machine == EM_ARM && target & 1 && memory_is_exec(o, target)) {
        thumb = true;
        target &= ~UINT64_C(1);
    }
    vec_push(
        &o->pointer,
        (struct object_pointer){
            .address = address, .target = name ? 0 : target, .name = name, .addend = addend, .thumb = thumb});
}

struct dynamic_reloc {
    uint64_t address;
    uint32_t type, symbol;
    int64_t addend;
    bool has_addend;
};

static void add_other(struct object *o, const struct dynamic_reloc *r)
{
    const struct image *im = &o->image;
    size_t word = image_word_size(im);
    uint64_t inside = 0;
    if (is_copy(im, r->type))
        map_set(&o->copied, r->address, 1);
    if (is_copy(im, r->type) || !memory_word(o, r->address, &inside))
        return;
    const char *kind = other_name(im, r->type),
               *symbol = r->symbol && r->symbol < o->dynsym.count ? o->dynsym.symbol[r->symbol].name : "";
    struct object_pointer p = {.address = r->address,
                               .name = kind ? arena_printf(&o->arena, "%s:%s", kind, symbol)
                                            : arena_printf(&o->arena, "relocation %" PRIu32 ":%s", r->type, symbol),
                               .addend = r->has_addend ? r->addend : (int64_t)inside,
                               .other = true};
    vec_push(&o->pointer, p);
    if (kind && strcmp(kind, "tlsdesc") == 0) { /* two words */
        p.address += word;
        p.name = arena_printf(&o->arena, "%s argument:%s", kind, symbol);
        vec_push(&o->pointer, p);
    }
}

static void apply_one(struct object *o, const struct dynamic_reloc *r)
{
    const struct image *im = &o->image;
    enum dynamic_class class = classify(im, r->type);
    if (class == CLASS_OTHER && o->info.arch != MACHINE_NONE)
        add_other(o, r);
    if (class == CLASS_NONE || class == CLASS_OTHER)
        return;
    size_t word = image_word_size(im);
    uint8_t *at = memory_writable(o, r->address, word);
    if (!at) {
        object_problem_add(o, r->address,
                           "dynamic relocation of type %" PRIu32 " applies to bytes that are not mapped",
                           r->type);
        return;
    }
    int64_t addend = r->has_addend                               ? r->addend
                     : class == CLASS_JUMP || class == CLASS_GOT ? 0
                     : im->is64                                  ? (int64_t)image_u64(im, at)
                                                                 : (int32_t)image_u32(im, at);
    const struct raw_symbol *sym = NULL;
    if (r->symbol) {
        if (r->symbol >= o->dynsym.count) {
            object_problem_add(o, r->address, "dynamic relocation names symbol %" PRIu32 " of %zu", r->symbol,
                               o->dynsym.count);
            return;
        }
        sym = &o->dynsym.symbol[r->symbol];
    }
    uint64_t top = im->is64 ? UINT64_MAX : UINT32_MAX;
    if (class == CLASS_RELATIVE) {
        memory_set_word(o, at, (uint64_t)addend);
        add_pointer(o, r->address, (uint64_t)addend & top, NULL, 0);
        return;
    }
    if (class == CLASS_IRELATIVE) {
        uint64_t resolver = (uint64_t)addend & top;
        if (im->machine == EM_ARM)
            resolver &= ~UINT64_C(1);
        vec_push(&o->slot, (struct slot){.address = r->address, .target = resolver, .ifunc = true});
        return;
    }
    if (!sym)
        return;
    bool own = sym->section != SHN_UNDEF;
    bool ifunc = sym->type == STT_GNU_IFUNC;
    uint64_t value = own ? sym->address + (sym->thumb ? 1 : 0) + (uint64_t)addend : 0;
    if (own && !ifunc) {
        memory_set_word(o, at, value);
        add_pointer(o, r->address, value & top, NULL, 0);
        vec_last(&o->pointer).own = class == CLASS_JUMP || class == CLASS_GOT ? sym->name : NULL;
    } else {
        add_pointer(o, r->address, 0, sym->name, addend);
    }
    if (class == CLASS_JUMP || class == CLASS_GOT)
        vec_push(&o->slot, (struct slot){.address = r->address,
                                         .name = sym->name,
                                         .version = sym->version,
                                         .target = own ? sym->address : 0,
                                         .ifunc = own && ifunc,
                                         .data = class == CLASS_GOT &&
                                                 (sym->type == STT_OBJECT || sym->type == STT_TLS)});
}

static void apply_table(struct object *o, const uint8_t *p, uint64_t size, bool rela)
{
    const struct image *im = &o->image;
    size_t word = image_word_size(im), entry = word * (rela ? 3 : 2);
    for (uint64_t at = 0; at + entry <= size; at += entry) {
        uint64_t info = image_word(im, p + at + word);
        struct dynamic_reloc r = {.address = image_word(im, p + at),
                                  .type = (uint32_t)(im->is64 ? info & UINT32_MAX : info & 0xff),
                                  .symbol = (uint32_t)(im->is64 ? info >> 32 : info >> 8),
                                  .has_addend = rela};
        if (rela)
            r.addend = im->is64 ? (int64_t)image_u64(im, p + at + 16) : (int32_t)image_u32(im, p + at + 8);
        apply_one(o, &r);
    }
}

static void relative_word(struct object *o, uint64_t address)
{
    uint64_t value;
    if (memory_word(o, address, &value))
        add_pointer(o, address, value, NULL, 0);
    else
        object_problem_add(o, address, "compact relative relocation applies to bytes that are not mapped");
}

/* DT_RELR: an even word is an address to relocate, an odd one a bitmap of the words that follow it. */
static void apply_relr(struct object *o, const uint8_t *p, uint64_t size)
{
    const struct image *im = &o->image;
    size_t word = image_word_size(im);
    uint64_t where = 0;
    for (uint64_t at = 0; at + word <= size; at += word) {
        uint64_t entry = image_word(im, p + at);
        if (!(entry & 1)) {
            relative_word(o, entry);
            where = entry + word;
            continue;
        }
        for (unsigned i = 1; i < word * 8; i++)
            if (entry >> i & 1)
                relative_word(o, where + (i - 1) * word);
        where += (word * 8 - 1) * word;
    }
}

static int pointer_order(const void *a, const void *b)
{
    const struct object_pointer *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->name != !y->name)
        return x->name ? 1 : -1;
    if (x->name && strcmp(x->name, y->name))
        return strcmp(x->name, y->name);
    return x->target < y->target ? -1 : x->target > y->target;
}

bool dynamic_relocate(struct object *o, struct error *err)
{
    const struct dynamic *d = &o->dynamic;
    const uint8_t *rela, *rel, *jump, *relr;
    if (!table_at(o, "DT_RELA", d->rela, d->relasz, &rela, err) ||
        !table_at(o, "DT_REL", d->rel, d->relsz, &rel, err) ||
        !table_at(o, "DT_JMPREL", d->jmprel, d->pltrelsz, &jump, err) ||
        !table_at(o, "DT_RELR", d->relr, d->relrsz, &relr, err))
        return false;
    /* Tables are read while relocations write; they must not change under the reader, hence the copies. */
    struct {
        const uint8_t *p;
        uint64_t size;
        bool rela;
    } table[] = {{rela, d->relasz, true}, {rel, d->relsz, false}, {jump, d->pltrelsz, d->pltrel_is_rela}};
    if (relr) {
        uint8_t *copy = xmalloc(d->relrsz);
        memcpy(copy, relr, d->relrsz);
        apply_relr(o, copy, d->relrsz);
        free(copy);
    }
    uint8_t *copy[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        if (!table[i].p)
            continue;
        copy[i] = xmalloc(table[i].size);
        memcpy(copy[i], table[i].p, table[i].size);
    }
    for (int i = 0; i < 3; i++) {
        /* Some linkers let DT_RELA cover DT_JMPREL; a slot listed twice would be named twice. */
        bool inside =
            i == 2 && table[0].p && d->jmprel >= d->rela && d->jmprel + d->pltrelsz <= d->rela + d->relasz;
        if (copy[i] && !inside)
            apply_table(o, copy[i], table[i].size, table[i].rela);
        free(copy[i]);
    }
    /* A static executable has no dynamic section; its IFUNC relocations are in a loaded relocation section.
     */
    for (size_t i = 1; !d->present && i < o->image.nsections; i++) {
        const struct image_section *s = &o->image.section[i];
        if ((s->type == SHT_RELA || s->type == SHT_REL) && s->flags & SHF_ALLOC && s->data)
            apply_table(o, s->data, s->size, s->type == SHT_RELA);
    }
    vec_sort(&o->pointer, pointer_order);
    return true;
}
