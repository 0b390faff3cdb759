/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several files in one exploration. What the executor asks of "the program" it asks of explorer.file, the one
 * whose code is being run: following a callee into another file changes which one that is, and coming back
 * changes it back. With one file nothing is looked up: whatever is a known address is one of it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

struct mapped *mapped_add(struct explorer *x, struct program *p, uint64_t bias)
{
    struct mapped *f = xcalloc(1, sizeof *f);
    f->index = (unsigned)x->mapped.len;
    f->p = p;
    f->bias = bias;
    if (p) {
        f->o = program_object(p);
        /* the routine that finds a function's handlers when something is thrown through it */
        f->unwinds = object_symbol_by_name(f->o, "__gxx_personality_v0") != NULL;
        const char *soname = object_info(f->o)->soname;
        f->c_library = soname && (strncmp(soname, "libc.", 5) == 0 || strncmp(soname, "libm.", 5) == 0);
    }
    vec_push(&x->mapped, f);
    return f;
}

void mapped_free(struct mapped *f)
{
    map_free(&f->thunks);
    map_free(&f->callees);
    free(f);
}

unsigned explorer_map(struct explorer *x, struct program *p, uint64_t at)
{
    const struct explore_hooks *h = x->opt.hooks;
    (void)h;
    assert(x->file->p && program_machine(p) == x->m);
    assert(!h || (!h->constant && !h->word && !h->place && !h->resolve));
    return mapped_add(x, p, at)->index;
}

struct mapped *mapped_at(const struct explorer *x, uint64_t address, uint64_t *local)
{
    if (x->mapped.len == 1) {
        *local = address - x->file->bias;
        bool near = *local < (x->width == 64 ? UINT64_C(1) << 40 : UINT64_C(1) << 28);
        return !x->file->bias || near ? x->file : NULL;
    }
    for (size_t i = 0; i < x->mapped.len; i++) {
        struct mapped *f = x->mapped.data[i];
        uint64_t there = x->width == 64 ? address - f->bias : (uint32_t)(address - f->bias);
        size_t n = 0;
        if (!object_bytes(f->o, x->m->arch == MACHINE_ARM ? there & ~UINT64_C(1) : there, &n) || !n)
            continue;
        *local = there;
        return f;
    }
    return NULL;
}

static bool may_be_missing(const struct explorer *x, const char *name)
{
    const struct explore_hooks *h = x->opt.hooks;
    return h && h->weak ? h->weak(h->ctx, name) : x->file->o && object_is_weak(x->file->o, name);
}

term mapped_address_of(struct explorer *x, const char *name)
{
    term v = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_ADDRESS, .name = name}, x->width);
    if (!map_set(&x->imports, v, 1) || may_be_missing(x, name))
        return v;
    vec_push(&x->assume, term_not(x->t, term_eq(x->t, v, term_const(x->t, x->width, 0))));
    return v;
}

/* Of a symbol of another file, as a relocation of the instruction says, or of a literal of the function's. */
static term extern_constant(struct explorer *x, uint64_t site, uint64_t value)
{
    const struct mapped *in = x->file;
    int64_t offset;
    uint64_t at = x->width == 64 ? value - in->bias : (uint32_t)(value - in->bias);
    const struct flow_function *f =
        in->o && object_may_be_extern(in->o, at) ? program_function_covering(in->p, site) : NULL;
    const struct object_stub *stub = f ? object_extern_made(in->o, f->address, f->size, at, &offset) : NULL;
    return stub ? term_add_const(x->t, mapped_address_of(x, stub->name), (uint64_t)offset) : TERM_NONE;
}

term mapped_constant(struct explorer *x, uint64_t site, uint64_t value)
{
    const struct explore_hooks *h = x->opt.hooks;
    term known = extern_constant(x, site, value);
    return known == TERM_NONE && h && h->constant ? h->constant(h->ctx, site, value) : known;
}

bool mapped_has_constants(const struct explorer *x)
{
    const struct explore_hooks *h = x->opt.hooks;
    return (h && h->constant) || (x->file->o && object_info(x->file->o)->type == OBJECT_RELOCATABLE);
}

static bool is_linkage(const struct object *o, uint64_t address)
{
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].alloc && address >= s[i].address && address - s[i].address < s[i].size)
            return strncmp(s[i].name, ".plt", 4) == 0;
    return false;
}

const struct object_stub *mapped_stub(const struct explorer *x, const struct mapped *in, uint64_t address)
{
    const struct object_stub *stub = x->mapped.len > 1 ? object_stub_at(in->o, address) : NULL;
    return stub && stub->kind == STUB_PLT && stub->slot ? stub : NULL;
}

struct mapped *mapped_bound(const struct explorer *x, const struct mapped *from, uint64_t slot_holds,
                            uint64_t *local)
{
    struct mapped *f = mapped_at(x, slot_holds, local);
    return f && (f != from || !is_linkage(f->o, *local)) ? f : NULL;
}
