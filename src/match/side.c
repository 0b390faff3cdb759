/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an address means in one of the two programs. */
#include <string.h>

#include "base/search.h"
#include "match/private.h"

static int by_value(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

const struct object_section *side_section(const struct side *s, uint64_t address)
{
    size_t lo = partition_point(s->section.len, i, s->section.data[i]->address <= address);
    if (!lo)
        return NULL;
    const struct object_section *x = s->section.data[lo - 1];
    return address - x->address < x->size ? x : NULL;
}

bool side_is_code(const struct side *s, uint64_t address)
{
    const struct object_section *x = side_section(s, address);
    return x && x->exec;
}

uint64_t side_without_thumb(const struct side *s, uint64_t a)
{
    return s->context.arch == MACHINE_ARM && a & 1 && side_is_code(s, a) ? a & ~UINT64_C(1) : a;
}

uint32_t side_function_at(const struct side *s, uint64_t address)
{
    return (uint32_t)map_find(&s->by_address, address, MATCH_NONE);
}

uint32_t side_covering(const struct side *s, uint64_t address)
{
    const struct flow_function *f = program_function_covering(s->p, address);
    if (!f)
        return MATCH_NONE;
    uint32_t i = (uint32_t)(f - s->function);
    return s->is_item[i] ? i : MATCH_NONE;
}

const struct object_section *side_section_end(const struct side *s, uint64_t address)
{
    const struct object_section *x = address ? side_section(s, address - 1) : NULL;
    return x && x->address + x->size == address ? x : NULL;
}

/* The linker's own: code refers to nothing in it. */
static bool is_linkers(const struct object_section *x)
{
    static const char *const name[] = {".dyn", ".hash", ".gnu.hash", ".gnu.version", ".gnu.liblist",
                                       ".rel", ".note", ".eh_",      ".comment"};
    bool is = strcmp(x->name, ".interp") == 0;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        is = is || strncmp(x->name, name[i], strlen(name[i])) == 0;
    return is;
}

bool side_before_data(const struct side *s, uint64_t address, uint64_t *begin)
{
    const struct object_section *x = side_section(s, address);
    size_t next = partition_point(s->section.len, i, s->section.data[i]->address <= address);
    if ((x && !is_linkers(x)) || (!x && side_section_end(s, address)) || object_stub_at(s->o, address))
        return false;
    while (next < s->section.len && (is_linkers(s->section.data[next]) || !s->section.data[next]->size))
        next++;
    if (next == s->section.len || s->section.data[next]->exec ||
        s->section.data[next]->address - address > OBJECT_BEFORE_DATA)
        return false;
    *begin = s->section.data[next]->address;
    return true;
}

bool ref_address(const struct side *s, const struct ref *r, uint64_t *out)
{
    uint64_t a = r->value;
    const struct insn_context *c = &s->context;
    /* A relocatable object has no section for the GOT: a distance from it may lead to a slot. A relocated
     * literal of ARM that is no address is such a distance. */
    uint64_t far = (c->got + a) & UINT32_MAX;
    size_t n;
    bool distance = (r->kind == REF_MAYBE && c->arch == MACHINE_ARM && !side_section(s, a)) ||
                    (r->kind == REF_GOT && !side_section(s, far));
    if (distance && c->marked && c->got && object_bytes(s->o, far, &n)) {
        *out = side_without_thumb(s, far);
        return true;
    }
    if (r->kind == REF_GOT || r->kind == REF_GOT_MAYBE) {
        if (!s->context.got)
            return false;
        a = (s->context.got + r->value) & UINT32_MAX;
        /* A literal on ARM is an offset of a slot, or any number. */
        const struct object_section *x = side_section(s, a);
        if (s->context.arch == MACHINE_ARM && (!x || strncmp(x->name, ".got", 4) != 0 || r->value & 3))
            return false;
    } else if (r->kind != REF_ADDRESS && r->kind != REF_MAYBE) {
        return false;
    }
    a = side_without_thumb(s, a);
    *out = a;
    int64_t offset;
    uint64_t begin;
    if ((r->kind == REF_GOT || c->fixed) && side_before_data(s, a, &begin))
        return true;
    return r->kind == REF_ADDRESS || side_section(s, a) || object_stub_at(s->o, a) ||
           object_extern_at(s->o, a, &offset) || side_section_end(s, a);
}

/* A program for a fixed address needs no relocations: words that are addresses of data. */
static void address_words(struct side *s)
{
    enum { WORDS_MAX = 4 << 20 };
    size_t words = 0;
    unsigned word = program_machine(s->p)->pointer_width / 8;
    for (size_t i = 0; s->context.fixed && i < s->section.len; i++) {
        const struct object_section *x = s->section.data[i];
        if (x->exec || x->nobits || x->tls)
            continue;
        for (uint64_t at = (x->address + word - 1) / word * word; at + word <= x->address + x->size;
             at += word) {
            uint64_t w = 0;
            const struct object_section *to;
            if (++words > WORDS_MAX)
                return;
            if (insn_may_be_address(&s->context, at, word) && object_read(s->o, at, &w, word) &&
                (to = side_section(s, w)) && !to->exec)
                vec_push(&s->atom, w);
        }
    }
}

/* Strings that only a table of distances leads to, from its own start, as compilers make them of a list of
 * names. Every entry has to lead to the beginning of a string, or numbers would pass for distances. */
static void distance_atoms(struct side *s)
{
    enum { FEWEST = 3 };
    VEC(uint64_t) found = VEC_INIT;
    for (size_t i = 0; i < s->atom.len; i++) {
        uint64_t a = s->atom.data[i], size = data_extent(s, a), offset;
        const struct object_symbol *y = side_variable(s, a, &offset);
        size_t n = 0;
        if (y && !offset)
            size = y->size;
        if (a % 4 || size < FEWEST * 4 || size > CONTENT_MAX || !object_is_readonly(s->o, a, size))
            continue;
        for (; n < size / 4; n++) {
            int32_t e;
            char before = 1;
            uint64_t to = 0;
            if (!object_read(s->o, a + n * 4, &e, 4) || !(to = a + (uint64_t)(int64_t)e) ||
                !object_string(s->o, to, NULL) ||
                (side_section(s, to - 1) && (!object_read(s->o, to - 1, &before, 1) || before)))
                break;
            vec_push(&found, to);
        }
        if (n < FEWEST)
            found.len -= n;
    }
    for (size_t i = 0; i < found.len; i++)
        vec_push(&s->atom, found.data[i]);
    vec_free(&found);
}

static void sort_atoms(struct side *s)
{
    vec_sort(&s->atom, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < s->atom.len; i++)
        if (!kept || s->atom.data[kept - 1] != s->atom.data[i])
            s->atom.data[kept++] = s->atom.data[i];
    s->atom.len = kept;
}

void data_atoms(struct side *s)
{
    for (size_t i = 0; i < s->nfunctions; i++)
        for (uint32_t k = 0; k < s->code[i].nrefs; k++) {
            uint64_t a;
            const struct object_section *x;
            if (ref_address(s, &s->code[i].ref[k], &a) && (x = side_section(s, a)) && !x->exec)
                vec_push(&s->atom, a);
        }
    const struct object_pointer *p;
    size_t n = object_pointers(s->o, &p);
    for (size_t i = 0; i < n; i++)
        if (!p[i].name && !side_is_code(s, p[i].target))
            vec_push(&s->atom, p[i].target);
    address_words(s);
    sort_atoms(s);
    distance_atoms(s);
    sort_atoms(s);
}

size_t sorted_upper(const uint64_t *v, size_t n, uint64_t x)
{
    return partition_point(n, i, v[i] <= x);
}

uint64_t data_extent(const struct side *s, uint64_t address)
{
    const struct object_section *x = side_section(s, address);
    if (!x)
        return 0;
    uint64_t end = x->address + x->size;
    size_t i = sorted_upper(s->atom.data, s->atom.len, address);
    if (i < s->atom.len && s->atom.data[i] < end)
        end = s->atom.data[i];
    return end - address;
}

const struct object_symbol *side_variable(const struct side *s, uint64_t address, uint64_t *offset)
{
    const struct object_symbol *y = object_symbol_at(s->o, address, offset);
    return y && y->type == SYMBOL_OBJECT && y->name && *y->name && y->size && *offset < y->size ? y : NULL;
}

uint64_t side_before_variable(const struct side *s, uint64_t address, uint64_t n)
{
    const struct object_symbol *y;
    size_t count = object_symbols(s->o, &y);
    for (size_t i = partition_point(count, k, y[k].address <= address);
         i < count && y[i].address - address < n; i++)
        if (!y[i].undefined && y[i].type == SYMBOL_OBJECT && y[i].size && y[i].name && *y[i].name)
            return y[i].address - address;
    return n;
}
