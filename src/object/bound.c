/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where functions begin and end, as far as tables say: symbols, unwind tables, entry point, initialisers. */
#include <elf.h>
#include <string.h>

#include "base/search.h"
#include "object/debug.h"
#include "object/private.h"

struct finder {
    struct object *o;
    VEC(struct object_bound) found;
    VEC(struct range) plt;  /* sections of stubs: they have frame entries but are no functions */
    VEC(struct range) code; /* executable sections, sorted */
};

static void add(struct finder *f, struct object_bound b)
{
    const struct region *r = memory_region(f->o, b.address);
    if (!r || !r->exec)
        return;
    uint64_t room = r->size - (b.address - r->address);
    if (b.size > room)
        b.size = room;
    vec_push(&f->found, b);
}

static int range_order(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Is the address inside the last range that begins at or before it? */
static bool in_ranges(const struct range *r, size_t n, uint64_t address)
{
    size_t low = partition_point(n, i, r[i].low <= address);
    return low > 0 && address < r[low - 1].high;
}

static void from_symbols(struct finder *f)
{
    for (size_t i = 0; i < f->o->symbol.len; i++) {
        const struct object_symbol *s = &f->o->symbol.data[i];
        if (s->undefined)
            continue;
        bool function = s->type == SYMBOL_FUNC || s->type == SYMBOL_IFUNC;
        /* Assembly often does not say .type: a global label inside an executable section is a function.
         * Labels the linker defines sit at the end of a section, which is outside it. */
        bool label = s->type == SYMBOL_NONE && s->bind != BIND_LOCAL &&
                     in_ranges(f->code.data, f->code.len, s->address);
        if (!function && !label)
            continue;
        int mode = label ? object_code_mode(f->o, s->address) : -1;
        if (mode == 2)
            continue;
        add(f, (struct object_bound){.address = s->address,
                                     .size = s->size,
                                     .name = s->name,
                                     .sources = s->dynamic ? BOUND_DYNSYM : BOUND_SYMBOL,
                                     .thumb = s->thumb || mode == 1,
                                     .ifunc = s->type == SYMBOL_IFUNC});
    }
}

/* A frame entry that covers stubs is that of a PLT, also when no section says so. */
static bool holds_stub(const struct object *o, uint64_t address, uint64_t size)
{
    size_t i = stub_lower(o, address);
    return i < o->stub.len && o->stub.data[i].kind == STUB_PLT && o->stub.data[i].address - address < size;
}

static void from_frame(void *ctx, uint64_t address, uint64_t size, uint64_t lsda)
{
    struct finder *f = ctx;
    const struct region *r = memory_region(f->o, address);
    if (!r || size == 0 || size > r->size - (address - r->address) ||
        in_ranges(f->plt.data, f->plt.len, address))
        return;
    if (holds_stub(f->o, address, size))
        return;
    if (lsda)
        landing_read(f->o, address, size, lsda);
    add(f,
        (struct object_bound){.address = address, .size = size, .sources = BOUND_EH_FRAME, .eh_part = true});
}

/* Entries of .ARM.exidx are pairs of words, the first a 31-bit self-relative address of a function, in order.
 */
static void from_exidx(struct finder *f, uint64_t address, uint64_t size, uint64_t limit)
{
    size_t room;
    const uint8_t *p = object_bytes(f->o, address, &room);
    if (!p)
        return;
    if (size > room)
        size = room;
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        uint64_t start = 0, next = limit;
        for (int k = 0; k < 2 && at + 8 * (unsigned)k + 8 <= size; k++) {
            uint32_t word = image_u32(&f->o->image, p + at + 8 * (unsigned)k);
            int32_t offset = (int32_t)(word << 1) >> 1;
            uint64_t value = (address + at + 8 * (unsigned)k + (uint64_t)(int64_t)offset) & UINT32_MAX;
            if (k == 0)
                start = value;
            else
                next = value;
        }
        /* The last entry of a linked table often only marks the end of the code. */
        bool last = at + 16 > size;
        const uint32_t cantunwind = 1;
        bool plain = image_u32(&f->o->image, p + at + 4) == cantunwind && limit == 0;
        if (last && plain)
            continue;
        /* Linkers make one entry of the neighbours that cannot be unwound: it says where the first begins. */
        if (plain)
            next = 0;
        add(f, (struct object_bound){.address = start & ~UINT64_C(1),
                                     .size = next > start ? next - start : 0,
                                     .sources = BOUND_EXIDX,
                                     .thumb = start & 1});
        uint32_t how = image_u32(&f->o->image, p + at + 4);
        if (how != cantunwind && !(how >> 31)) {
            uint64_t low = start & ~UINT64_C(1), high = next > start ? next & ~UINT64_C(1) : UINT32_MAX;
            uint64_t entry = address + at + 4 + (uint64_t)(int64_t)((int32_t)(how << 1) >> 1);
            landing_read_arm(f->o, low, high - low, entry & UINT32_MAX);
        }
    }
}

static void from_exidx_tables(struct finder *f)
{
    struct object *o = f->o;
    if (o->image.machine != EM_ARM)
        return;
    bool found = false;
    for (size_t i = 1; i < o->image.nsections; i++) {
        const struct image_section *s = &o->image.section[i];
        if (s->type != SHT_ARM_EXIDX || !(s->flags & SHF_ALLOC))
            continue;
        uint64_t limit = 0;
        if (o->info.type == OBJECT_RELOCATABLE && s->link && s->link < o->image.nsections)
            limit = o->section_address[s->link] + o->image.section[s->link].size;
        from_exidx(f, o->section_address[i], s->size, limit);
        found = true;
    }
    for (size_t i = 0; !found && i < o->image.nsegments; i++)
        if (o->image.segment[i].type == PT_ARM_EXIDX)
            from_exidx(f, o->image.segment[i].address, o->image.segment[i].size, 0);
}

static void add_code_pointer(struct finder *f, uint64_t value, unsigned source)
{
    bool thumb = f->o->image.machine == EM_ARM && value & 1;
    add(f, (struct object_bound){
               .address = thumb ? value & ~UINT64_C(1) : value, .sources = source, .thumb = thumb});
}

static void from_array(struct finder *f, uint64_t address, uint64_t size)
{
    size_t word = image_word_size(&f->o->image);
    uint64_t value;
    for (uint64_t at = 0; at + word <= size; at += word) {
        if (!memory_word(f->o, address + at, &value))
            break;
        /* 0 and -1 are used as terminators. */
        if (value != 0)
            add_code_pointer(f, value, BOUND_INIT);
    }
}

static void from_entry_points(struct finder *f)
{
    const struct object *o = f->o;
    const struct dynamic *d = &o->dynamic;
    if (o->info.type != OBJECT_RELOCATABLE && o->image.entry)
        add_code_pointer(f, o->image.entry, BOUND_ENTRY);
    if (d->init)
        add_code_pointer(f, d->init, BOUND_INIT);
    if (d->fini)
        add_code_pointer(f, d->fini, BOUND_INIT);
    from_array(f, d->init_array, d->init_arraysz);
    from_array(f, d->fini_array, d->fini_arraysz);
    from_array(f, d->preinit_array, d->preinit_arraysz);
    for (size_t i = 1; !d->present && i < o->image.nsections; i++) {
        const struct image_section *s = &o->image.section[i];
        if ((s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY) &&
            s->flags & SHF_ALLOC)
            from_array(f, o->section_address[i], s->size);
    }
}

static void from_debug(void *ctx, uint64_t low, uint64_t high, const char *name)
{
    struct finder *f = ctx;
    bool thumb = f->o->image.machine == EM_ARM && low & 1;
    add(f, (struct object_bound){.address = thumb ? low & ~UINT64_C(1) : low,
                                 .size = high - low,
                                 .name = name,
                                 .sources = BOUND_DWARF,
                                 .thumb = thumb});
}

static size_t underscores(const char *s)
{
    return strspn(s, "_");
}

/* Of aliases, the name a person would use: the one seen from outside, plain, short. Symbols are in name
 * order. */
static bool better_name(const struct object *o, const char *a, const char *b)
{
    if (!b || !a)
        return a && !b;
    const struct object_symbol *x = object_symbol_by_name(o, a), *y = object_symbol_by_name(o, b);
    bool ax = x && x->bind != BIND_LOCAL, bx = y && y->bind != BIND_LOCAL;
    if (ax != bx)
        return ax;
    if (underscores(a) != underscores(b))
        return underscores(a) < underscores(b);
    if (strlen(a) != strlen(b))
        return strlen(a) < strlen(b);
    return strcmp(a, b) < 0;
}

static int found_order(const void *a, const void *b)
{
    const struct object_bound *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (int)x->sources - (int)y->sources;
}

/* Tables without mode (.ARM.exidx of a stripped file) are settled by the code: nearly every ARM instruction
 * has condition "always", 0xe in its top four bits, and a run of Thumb halfwords has not. */
static bool looks_thumb(const struct object *o, uint64_t address, uint64_t size, bool mostly_thumb)
{
    int mode = object_code_mode(o, address);
    if (mode >= 0)
        return mode == 1;
    if (address & 3)
        return true;
    size_t room;
    const uint8_t *p = object_bytes(o, address, &room);
    if (!p)
        return false;
    if (size && room > size)
        room = size;
    unsigned words = 0, always = 0;
    for (size_t at = 0; at + 4 <= room && words < 8; at += 4, words++)
        always += p[at + 3] >> 4 == 0xe;
    return mostly_thumb ? words < 2 || always * 4 < words * 3 : always * 2 < words;
}

bool object_looks_thumb(const struct object *o, uint64_t address)
{
    return looks_thumb(o, address, 0, false);
}

void bound_find(struct object *o)
{
    struct finder f = {.o = o};
    for (size_t i = 0; i < o->section.len; i++) {
        const struct object_section *s = &o->section.data[i];
        if (!s->alloc || !s->exec)
            continue;
        bool plt = !strncmp(s->name, ".plt", 4) || !strncmp(s->name, ".iplt", 5);
        if (plt)
            vec_push(&f.plt, (struct range){s->address, s->address + s->size});
        else
            vec_push(&f.code, (struct range){s->address, s->address + s->size});
    }
    vec_sort(&f.plt, range_order);
    vec_sort(&f.code, range_order);
    from_symbols(&f);
    eh_frame_walk(o, from_frame, &f);
    from_exidx_tables(&f);
    landing_sort(o);
    from_entry_points(&f);
    /* Where there is a symbol table it knows all that DWARF does, without reading all of DWARF. */
    if (!o->symtab.count)
        debug_each_function(o, from_debug, &f);
    vec_sort(&f.found, found_order);
    const unsigned told = BOUND_SYMBOL | BOUND_DYNSYM | BOUND_ENTRY | BOUND_INIT;
    size_t arm = 0, thumb = 0;
    for (size_t i = 0; i < f.found.len; i++)
        if (f.found.data[i].sources & told)
            *(f.found.data[i].thumb ? &thumb : &arm) += 1;
    for (size_t i = 0; i < f.found.len; i++) {
        struct object_bound b = f.found.data[i];
        for (; i + 1 < f.found.len && f.found.data[i + 1].address == b.address; i++) {
            const struct object_bound *more = &f.found.data[i + 1];
            if (better_name(o, more->name, b.name))
                b.name = more->name;
            if (!b.size || (more->size > b.size && more->sources & (BOUND_SYMBOL | BOUND_DYNSYM)))
                b.size = more->size ? more->size : b.size;
            b.sources |= more->sources;
            b.thumb |= more->thumb;
            b.ifunc |= more->ifunc;
        }
        b.eh_part = b.sources == BOUND_EH_FRAME;
        if (o->image.machine == EM_ARM && !(b.sources & told))
            b.thumb = looks_thumb(o, b.address, b.size, thumb > arm);
        vec_push(&o->bound, b);
    }
    vec_free(&f.found);
    vec_free(&f.plt);
    vec_free(&f.code);
}

size_t object_bounds(const struct object *o, const struct object_bound **out)
{
    *out = o->bound.data;
    return o->bound.len;
}
