/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks of what indirect calls may lead to (endbr64, bti c). A file says of itself that all such places are marked;
 * an indirect call to one that is not faults then, though the mark itself does nothing. */
#include <string.h>

#include "base/search.h"
#include "match/private.h"

/* GNU_PROPERTY_X86_FEATURE_1_IBT and GNU_PROPERTY_AARCH64_FEATURE_1_BTI, which are the same. */
static bool says_marked(const struct side *s)
{
    return s->context.arch != MACHINE_ARM && object_load(s->o)->features & 1;
}

static bool is_marked(const struct side *s, uint64_t address)
{
    /* bti c, bti jc, and those that sign the return address */
    static const uint32_t arm64[] = {0xd503245f, 0xd50324df, 0xd503233f, 0xd503237f};
    static const uint8_t amd64[] = {0xf3, 0x0f, 0x1e, 0xfa}, x86[] = {0xf3, 0x0f, 0x1e, 0xfb};
    uint32_t w;
    if (!object_read(s->o, address, &w, sizeof w))
        return true;
    if (s->context.arch != MACHINE_ARM64)
        return memcmp(&w, s->context.arch == MACHINE_AMD64 ? amd64 : x86, sizeof w) == 0;
    for (size_t i = 0; i < sizeof arm64 / sizeof *arm64; i++)
        if (w == arm64[i])
            return true;
    return false;
}

/* Code of other files can have its address. */
static bool is_public(const struct side *s, uint64_t address)
{
    bool relocatable = object_info(s->o)->type == OBJECT_RELOCATABLE;
    const struct object_symbol *y;
    size_t n = object_symbols(s->o, &y);
    for (size_t i = partition_point(n, k, y[k].address < address); i < n && y[i].address == address; i++)
        if (!y[i].undefined && (y[i].dynamic || (relocatable && y[i].bind != BIND_LOCAL)))
            return true;
    return false;
}

/* Where the reference leads, behind a slot of the GOT. */
static bool leads_to(const struct side *s, const struct ref *r, uint64_t *to)
{
    if (!ref_address(s, r, to))
        return false;
    const struct object_stub *t = object_stub_at(s->o, *to);
    const struct object_pointer *p = object_pointer_at(s->o, *to);
    if (t || p)
        *to = t ? t->target : p->target;
    return true;
}

/* Code makes them, other than to call them or to jump there. */
static void add_made(const struct side *s, uint32_t function, struct map *out)
{
    const struct flow_function *f = &s->function[function];
    struct insn_stream stream = {0};
    uint64_t to;
    code_decode(s, f->address, s->end[function], f->flags & FLOW_THUMB, &stream);
    for (size_t i = 0; i < stream.insn.len; i++) {
        const struct insn *x = &stream.insn.data[i];
        for (unsigned k = 0; k < x->nrefs && !x->target; k++)
            if (leads_to(s, &x->ref[k], &to))
                map_set(out, to, 1);
    }
    insn_stream_free(&stream);
}

/* Something in memory holds them. */
static void add_held(const struct side *s, struct map *out)
{
    const struct object_pointer *p;
    size_t n = object_pointers(s->o, &p);
    for (size_t i = 0; i < n; i++)
        if (!p[i].name)
            map_set(out, p[i].target, 1);
    unsigned word = program_machine(s->p)->pointer_width / 8;
    for (size_t i = 0; s->context.fixed && i < s->section.len; i++) {
        const struct object_section *x = s->section.data[i];
        if (x->exec || x->nobits || x->tls)
            continue;
        for (uint64_t at = (x->address + word - 1) / word * word; at + word <= x->address + x->size; at += word) {
            uint64_t w = 0;
            if (object_read(s->o, at, &w, word) && side_is_code(s, w) && insn_may_be_address(&s->context, at, word))
                map_set(out, w, 1);
        }
    }
}

/* All addresses that an indirect call may be given, and others. */
static struct map addresses_taken(const struct side *s)
{
    struct map out = {0};
    add_held(s, &out);
    for (uint32_t i = 0; i < s->nfunctions; i++)
        if (s->is_item[i])
            add_made(s, i, &out);
    return out;
}

void landing_marks(struct match *m)
{
    const struct side *s1 = &m->side[0], *s2 = &m->side[1];
    if (!says_marked(s2))
        return;
    struct map taken = {0};
    bool known = false;
    for (size_t i = 0; i < m->pairs.len; i++) {
        const struct match_pair *x = &m->pairs.data[i];
        if (x->old == MATCH_NONE || x->new == MATCH_NONE)
            continue;
        const struct flow_function *f = &s1->function[x->old], *g = &s2->function[x->new];
        bool lacked = says_marked(s1) && !is_marked(s1, f->address);
        if (lacked || is_marked(s2, g->address))
            continue;
        if (!known)
            taken = addresses_taken(s2);
        known = true;
        if (g->sources & BOUND_INIT || is_public(s2, g->address) || map_get(&taken, g->address, NULL))
            outside_add(m, "mark", true, NULL, NULL,
                        "%s is not marked as what indirect calls may lead to, and the file says that all such are",
                        g->name);
    }
    map_free(&taken);
}
