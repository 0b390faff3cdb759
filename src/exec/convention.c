/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How functions of the program are called: what their code does (flow/abi/convention.c), and in which
 * registers something may be passed besides. That registers a function saves are restored is assumed, and
 * counted (explore_stats.abi_assumed). */
#include "base/search.h"
#include "exec/engine.h"

/* When the program runs another file's function may be called instead: by way of a stub, or of a word that
 * the dynamic linker fills. */
static bool is_interposable(const struct object *o, uint64_t address)
{
    const struct object_symbol *s;
    const size_t n = object_symbols(o, &s);
    bool exported = false;
    for (size_t i = partition_point(n, k, s[k].address < address);
         object_info(o)->type == OBJECT_SHARED && i < n && s[i].address == address && !exported; i++)
        exported = s[i].dynamic && !s[i].undefined && !s[i].protect && !s[i].hidden;
    return exported || object_stub_at(o, address);
}

const struct abi_convention *convention_of(struct explorer *x, const struct callee *c)
{
    const struct abi_convention *how =
        x->file->p && c->address ? abi_convention(x->file->p, c->address) : NULL;
    if (!how || how->stores || !is_interposable(x->file->o, c->address))
        return how;
    struct abi_convention *open = arena_new(&x->arena, struct abi_convention);
    *open = *how;
    open->stores = true;
    return open;
}

/* Registers other than the argument registers in which something may be passed: the address for a large
 * result, the static chain of a nested function, whatever a compiler chose. */
unsigned convention_carriers(const struct explorer *x, bool elsewhere, uint16_t out[CONVENTION_CARRIERS])
{
    /* Last those that linker veneers may clobber. */
    static const char *const amd64[] = {"rax", "r10", "r11"};
    static const char *const i386[] = {"eax", "ecx", "edx"};
    static const char *const arm[] = {"r12"};
    static const char *const arm64[] = {"x8",  "x9",  "x10", "x11", "x12", "x13",
                                        "x14", "x15", "x18", "x16", "x17"};
    const char *const *name = NULL;
    unsigned n = 0, found = 0, last = 1;
    switch (x->m->arch) {
    case MACHINE_AMD64:
        name = amd64, n = sizeof amd64 / sizeof *amd64;
        break;
    case MACHINE_X86:
        name = i386, n = sizeof i386 / sizeof *i386, last = 0;
        break;
    case MACHINE_ARM:
        name = arm, n = sizeof arm / sizeof *arm;
        break;
    case MACHINE_ARM64:
        name = arm64, n = sizeof arm64 / sizeof *arm64, last = 2;
        break;
    case MACHINE_NONE:
        break;
    }
    for (unsigned i = 0; i + (elsewhere ? last : 0) < n; i++) {
        uint16_t width;
        found += machine_register_find(x->m, name[i], &out[found], &width);
    }
    return found;
}
