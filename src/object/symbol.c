/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol tables: reading, publishing in the order of object.h, looking up. */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "base/search.h"
#include "object/private.h"

/* True for the mapping symbols of the ARM and AArch64 ABIs: $a, $t, $d, $x, also with a suffix as in "$d.1".
 */
static bool is_mapping(const struct image *im, const char *name)
{
    if (im->machine != EM_ARM && im->machine != EM_AARCH64)
        return false;
    return name[0] == '$' && name[1] && strchr("atdx", name[1]) && (name[2] == 0 || name[2] == '.');
}

/* GNU ld writes "name@VERSION" and "name@@VERSION" into .symtab. */
static void split_version(struct arena *arena, struct raw_symbol *s)
{
    const char *at = strchr(s->name, '@');
    if (!at || at == s->name)
        return;
    const char *version = at[1] == '@' ? at + 2 : at + 1;
    if (!*version)
        return;
    s->version = version;
    s->version_hidden = at[1] != '@';
    s->name = arena_strndup(arena, s->name, (size_t)(at - s->name));
}

bool symbol_table_read(struct object *o, const struct image *im, const struct symbol_source *src,
                       struct symbol_table *out, struct error *err)
{
    size_t entry = im->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    out->symbol = arena_array(&o->arena, struct raw_symbol, src->count);
    out->count = src->count;
    for (size_t i = 0; i < src->count; i++) {
        const uint8_t *p = src->symbol + i * entry;
        struct raw_symbol *s = &out->symbol[i];
        uint32_t name = image_u32(im, p);
        uint8_t info, other;
        if (im->is64) {
            info = p[4];
            other = p[5];
            s->section = image_u16(im, p + 6);
            s->address = image_u64(im, p + 8);
            s->size = image_u64(im, p + 16);
        } else {
            s->address = image_u32(im, p + 4);
            s->size = image_u32(im, p + 8);
            info = p[12];
            other = p[13];
            s->section = image_u16(im, p + 14);
        }
        s->type = info & 15;
        s->bind = info >> 4;
        s->visibility = other & 3;
        s->name = i == 0 || name == 0 ? "" : image_string(src->string, src->string_size, name);
        if (!s->name)
            return error_set(err, ERROR_INPUT,
                             "%s: symbol %zu of %s (at 0x%" PRIx64 "): name offset 0x%" PRIx32
                             " is not inside the string table",
                             im->name, i, src->what, src->offset + i * entry, name);
        if (s->section == SHN_XINDEX) {
            if (!src->extended)
                return error_set(err, ERROR_INPUT,
                                 "%s: symbol %zu of %s (at 0x%" PRIx64
                                 ") needs an extended section index table",
                                 im->name, i, src->what, src->offset + i * entry);
            s->section = image_u32(im, src->extended + 4 * i);
        } else if (s->section >= SHN_LORESERVE && s->section != SHN_ABS && s->section != SHN_COMMON) {
            s->section = SHN_ABS;
        }
        if (im->machine == EM_ARM && (s->type == STT_FUNC || s->type == STT_GNU_IFUNC) && s->address & 1 &&
            s->section != SHN_UNDEF) {
            s->thumb = true;
            s->address &= ~UINT64_C(1);
        }
        split_version(&o->arena, s);
    }
    return true;
}

bool symbol_read_symtab(struct object *o, const struct image *im, struct symbol_table *out, struct error *err)
{
    size_t entry = im->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    for (size_t i = 1; i < im->nsections; i++) {
        const struct image_section *s = &im->section[i];
        if (s->type != SHT_SYMTAB || !s->data)
            continue;
        if (s->link >= im->nsections || im->section[s->link].type != SHT_STRTAB)
            return error_set(err, ERROR_INPUT,
                             "%s: section %zu (symbol table, header at offset 0x%" PRIx64
                             ") does not link to a string table",
                             im->name, i, s->header);
        if (s->size % entry || (s->entsize && s->entsize != entry))
            return error_set(err, ERROR_INPUT,
                             "%s: section %zu (symbol table, header at offset 0x%" PRIx64 "): size 0x%" PRIx64
                             " with entries of 0x%" PRIx64 " bytes, expected entries of %zu",
                             im->name, i, s->header, s->size, s->entsize, entry);
        const struct image_section *str = &im->section[s->link];
        struct symbol_source src = {.symbol = s->data,
                                    .count = s->size / entry,
                                    .string = str->data,
                                    .string_size = str->size,
                                    .what = ".symtab",
                                    .offset = s->offset};
        for (size_t k = 1; k < im->nsections; k++) {
            const struct image_section *x = &im->section[k];
            if (x->type == SHT_SYMTAB_SHNDX && x->link == i && x->data && x->size / 4 >= src.count)
                src.extended = x->data;
        }
        if (!symbol_table_read(o, im, &src, out, err))
            return false;
        for (size_t k = 1; k < out->count; k++) {
            struct raw_symbol *y = &out->symbol[k];
            if (y->section != SHN_ABS && y->section != SHN_COMMON && y->section >= im->nsections)
                return error_set(err, ERROR_INPUT,
                                 "%s: symbol %zu of .symtab (at offset 0x%" PRIx64
                                 ") lies in section %" PRIu32 ", which does not exist",
                                 im->name, k, src.offset + k * entry, y->section);
            if (y->type == STT_SECTION && !*y->name && y->section < im->nsections)
                y->name = im->section[y->section].name;
        }
        return true;
    }
    return true;
}

static uint8_t public_type(uint8_t type)
{
    switch (type) {
    case STT_FUNC:
        return SYMBOL_FUNC;
    case STT_GNU_IFUNC:
        return SYMBOL_IFUNC;
    case STT_OBJECT:
    case STT_COMMON:
        return SYMBOL_OBJECT;
    case STT_TLS:
        return SYMBOL_TLS;
    case STT_SECTION:
        return SYMBOL_SECTION;
    case STT_FILE:
        return SYMBOL_FILE;
    default:
        return SYMBOL_NONE;
    }
}

static void publish_table(struct object *o, const struct symbol_table *t, bool dynamic)
{
    for (size_t i = 1; i < t->count; i++) {
        const struct raw_symbol *s = &t->symbol[i];
        if (!*s->name || is_mapping(&o->image, s->name))
            continue;
        bool undefined = s->section == SHN_UNDEF;
        vec_push(&o->symbol, (struct object_symbol){
                                 .name = s->name,
                                 .version = s->version,
                                 .address = s->address,
                                 .size = s->size,
                                 .type = public_type(s->type),
                                 .bind = s->bind == STB_LOCAL  ? BIND_LOCAL
                                         : s->bind == STB_WEAK ? BIND_WEAK
                                                               : BIND_GLOBAL,
                                 .dynamic = dynamic,
                                 .undefined = undefined,
                                 .thumb = s->thumb,
                                 .version_default = s->version && !s->version_hidden && !undefined,
                                 .protect = s->visibility == STV_PROTECTED,
                                 .hidden = s->visibility == STV_HIDDEN || s->visibility == STV_INTERNAL,
                             });
    }
}

static int symbol_order(const void *a, const void *b)
{
    const struct object_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    int c = strcmp(x->name, y->name);
    if (c)
        return c;
    if (x->undefined != y->undefined)
        return x->undefined - y->undefined;
    if (x->type != y->type)
        return x->type - y->type;
    c = strcmp(x->version ? x->version : "", y->version ? y->version : "");
    if (c)
        return c;
    if (x->dynamic != y->dynamic)
        return x->dynamic - y->dynamic;
    if (x->bind != y->bind)
        return x->bind - y->bind;
    return x->size < y->size ? -1 : x->size > y->size;
}

/* The same symbol is often in .symtab and .dynsym, and only the latter has its version in a table. */
static void merge_duplicates(struct object *o)
{
    enum { TWINS = 16 }; /* looked at; a file with more symbols of one name and address is made to be slow */
    size_t n = 0;
    for (size_t i = 0; i < o->symbol.len; i++) {
        struct object_symbol s = o->symbol.data[i];
        bool merged = false;
        for (size_t k = n; k-- > 0 && !merged && n - k <= TWINS;) {
            struct object_symbol *p = &o->symbol.data[k];
            if (p->address != s.address || strcmp(p->name, s.name))
                break;
            bool same_version = !p->version || !s.version || !strcmp(p->version, s.version);
            if (p->dynamic == s.dynamic || p->undefined != s.undefined || p->type != s.type || !same_version)
                continue;
            if (!p->version || s.dynamic) {
                p->version_default = s.version ? s.version_default : p->version_default;
                p->version = s.version ? s.version : p->version;
            }
            if (p->bind == BIND_LOCAL)
                p->bind = s.bind;
            if (!p->size)
                p->size = s.size;
            p->dynamic = true;
            merged = true;
        }
        if (!merged)
            o->symbol.data[n++] = s;
    }
    o->symbol.len = n;
}

/* Names a place in memory: a candidate for object_symbol_at. */
static bool is_place(const struct object_symbol *s)
{
    return !s->undefined && (s->type == SYMBOL_FUNC || s->type == SYMBOL_IFUNC || s->type == SYMBOL_OBJECT ||
                             s->type == SYMBOL_NONE);
}

/* Which of two symbols of one name is meant by the name alone. */
static int name_rank(const struct object_symbol *s)
{
    int rank = 0;
    if (!s->undefined)
        rank += 64;
    if (s->type == SYMBOL_FUNC || s->type == SYMBOL_IFUNC)
        rank += 32;
    else if (s->type == SYMBOL_OBJECT || s->type == SYMBOL_TLS)
        rank += 24;
    else if (s->type == SYMBOL_NONE)
        rank += 16;
    if (s->bind != BIND_LOCAL)
        rank += 8;
    if (!s->version || s->version_default)
        rank += 4;
    return rank;
}

static int mapping_order(const void *a, const void *b)
{
    const struct mapping *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->mode - y->mode;
}

static void collect_mappings(struct object *o)
{
    const struct symbol_table *t = &o->symtab;
    for (size_t i = 1; i < t->count; i++) {
        const struct raw_symbol *s = &t->symbol[i];
        if (!is_mapping(&o->image, s->name) || s->section == SHN_UNDEF || s->section >= o->image.nsections)
            continue;
        uint64_t end = o->section_address[s->section] + o->image.section[s->section].size;
        int8_t mode = s->name[1] == 't' ? 1 : s->name[1] == 'd' ? 2 : 0;
        if (s->address >= o->section_address[s->section] && s->address < end)
            vec_push(&o->mapping, (struct mapping){s->address, end, mode});
    }
    vec_sort(&o->mapping, mapping_order);
    for (size_t i = 0; i + 1 < o->mapping.len; i++)
        if (o->mapping.data[i].end > o->mapping.data[i + 1].address)
            o->mapping.data[i].end = o->mapping.data[i + 1].address;
}

void symbol_publish(struct object *o)
{
    publish_table(o, &o->symtab, false);
    publish_table(o, &o->dynsym, true);
    vec_sort(&o->symbol, symbol_order);
    merge_duplicates(o);
    o->symbol_reach = arena_array(&o->arena, size_t, o->symbol.len);
    size_t reach = 0;
    uint64_t furthest = 0;
    for (size_t i = 0; i < o->symbol.len; i++) {
        const struct object_symbol *s = &o->symbol.data[i];
        if (is_place(s)) {
            if (furthest <= s->address)
                reach = i;
            uint64_t end = s->size > UINT64_MAX - s->address ? UINT64_MAX : s->address + s->size;
            if (end > furthest)
                furthest = end;
        }
        o->symbol_reach[i] = reach;
        if (s->type == SYMBOL_FILE || s->type == SYMBOL_SECTION)
            continue;
        uint64_t old;
        if (!strmap_get(&o->symbol_name, s->name, &old) || name_rank(s) > name_rank(&o->symbol.data[old]))
            strmap_set(&o->symbol_name, s->name, i);
    }
    collect_mappings(o);
}

size_t object_symbols(const struct object *o, const struct object_symbol **out)
{
    *out = o->symbol.data;
    return o->symbol.len;
}

const struct object_symbol *object_symbol_by_name(const struct object *o, const char *name)
{
    uint64_t i;
    return strmap_get(&o->symbol_name, name, &i) ? &o->symbol.data[i] : NULL;
}

bool object_is_weak(const struct object *o, const char *name)
{
    const struct object_symbol *s = object_symbol_by_name(o, name);
    return s && s->bind == BIND_WEAK;
}

const struct object_symbol *object_symbol_at(const struct object *o, uint64_t address, uint64_t *offset)
{
    /* Deeper nesting than this is no compiler's work; it bounds one lookup. */
    enum { WALK_LIMIT = 256 };
    size_t low = partition_point(o->symbol.len, i, o->symbol.data[i].address <= address);
    if (low == 0)
        return NULL;
    const struct region *region = memory_region(o, address);
    const struct object_symbol *best = NULL;
    size_t stop = o->symbol_reach[low - 1];
    size_t steps = 0;
    for (size_t i = low; i-- > stop && steps++ < WALK_LIMIT;) {
        const struct object_symbol *s = &o->symbol.data[i];
        if (!is_place(s) || (s->size ? address - s->address >= s->size : false))
            continue;
        if (!s->size && s->address != address && (!region || s->address < region->address))
            continue;
        if (best && best->address != s->address && best->size)
            break;
        if (!best || (!best->size && s->size) ||
            (s->address == best->address && name_rank(s) > name_rank(best) && (s->size || !best->size)))
            best = s;
    }
    if (best && offset)
        *offset = address - best->address;
    return best;
}

static bool is_in_comdat(const struct object *o, uint64_t address)
{
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].comdat && address >= s[i].address && address - s[i].address < s[i].size)
            return true;
    return false;
}

bool object_is_replaceable(const struct object *o, uint64_t address)
{
    size_t low = partition_point(o->symbol.len, i, o->symbol.data[i].address <= address);
    if (object_info(o)->type != OBJECT_RELOCATABLE || low == 0)
        return false;
    for (size_t i = low; i-- > o->symbol_reach[low - 1];) {
        const struct object_symbol *s = &o->symbol.data[i];
        if (is_place(s) && s->bind == BIND_WEAK && (address == s->address || address - s->address < s->size))
            return !is_in_comdat(o, address);
    }
    return false;
}

int object_code_mode(const struct object *o, uint64_t address)
{
    size_t low = partition_point(o->mapping.len, i, o->mapping.data[i].address <= address);
    if (low == 0 || address >= o->mapping.data[low - 1].end)
        return -1;
    return o->mapping.data[low - 1].mode;
}
