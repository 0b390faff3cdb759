/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of the file, where a condition names them: debug information says of what type they are, it or
 * the symbol table where they lie. */
#include <string.h>

#include "wp/internal.h"

/* By its symbol. NULL: there is none, or there are several of that name. A variable that is defined elsewhere
 * is none of those that other units keep to themselves; where nobody says which one is meant, it may be
 * either. */
static const struct object_symbol *only_symbol(const struct object *o, const char *name, bool elsewhere,
                                               const char **why)
{
    const struct object_symbol *all, *found = NULL;
    size_t n = object_symbols(o, &all);
    for (size_t i = 0; i < n; i++) {
        const struct object_symbol *y = &all[i];
        if (strcmp(y->name, name) != 0 || y->type == SYMBOL_SECTION || y->type == SYMBOL_FILE ||
            (elsewhere && y->bind == BIND_LOCAL))
            continue;
        bool two_defined = found && !found->undefined && !y->undefined && found->address != y->address,
             own_or_other = found && found->undefined != y->undefined &&
                            (found->undefined ? y : found)->bind == BIND_LOCAL;
        if (two_defined || own_or_other) {
            *why = "several variables have this name, and debug information does not say which one is meant";
            return NULL;
        }
        if (!found || found->undefined)
            found = y;
    }
    if (found && (found->type == SYMBOL_FUNC || found->type == SYMBOL_IFUNC))
        return NULL;
    return found;
}

/* What a word holds that the dynamic linker fills. */
static term slot_value(struct side *s, uint64_t address)
{
    unsigned width = s->code->m->pointer_width;
    return explorer_load(s->code->x, term_const(s->w->t, width, address + s->code->bias), width);
}

/* Of another file. */
static term imported(struct side *s, const char *name)
{
    const struct object_pointer *all;
    size_t n = object_pointers(s->code->o, &all);
    for (size_t i = 0; i < n; i++)
        if (!all[i].other && all[i].name && !all[i].addend && strcmp(all[i].name, name) == 0)
            return slot_value(s, all[i].address);
    const struct object_stub *stub;
    n = object_stubs(s->code->o, &stub);
    for (size_t i = 0; i < n; i++)
        if (stub[i].name && strcmp(stub[i].name, name) == 0 &&
            (stub[i].kind == STUB_GOT || stub[i].kind == STUB_EXTERN))
            return stub[i].kind == STUB_GOT ? slot_value(s, stub[i].address)
                                            : term_const(s->w->t, s->code->m->pointer_width, stub[i].address);
    return TERM_NONE;
}

static term thread_pointer(struct side *s)
{
    static const char *const name[] = {[MACHINE_AMD64] = "fs_base",
                                       [MACHINE_X86] = "gs_base",
                                       [MACHINE_ARM] = "tpidruro",
                                       [MACHINE_ARM64] = "tpidr_el0"};
    unsigned arch = s->code->m->arch;
    uint16_t offset, width;
    if (arch >= sizeof name / sizeof *name || !name[arch] ||
        !machine_register_find(s->code->m, name[arch], &offset, &width) || width != s->code->m->pointer_width)
        return TERM_NONE;
    return side_entry(s, offset, width);
}

/* The offset from the thread pointer is in a word that the dynamic linker fills, or it is in the code, where
 * the linker knew it. */
static term of_thread(struct side *s, const char *name, bool defined, uint64_t inside)
{
    static const char kind[] = "tpoff:";
    const struct object *o = s->code->o;
    const struct object_pointer *all;
    size_t n = object_pointers(o, &all);
    term thread = thread_pointer(s);
    if (thread == TERM_NONE)
        return TERM_NONE;
    for (size_t i = 0; i < n; i++) {
        if (!all[i].other || strncmp(all[i].name, kind, sizeof kind - 1) != 0)
            continue;
        const char *of = all[i].name + sizeof kind - 1;
        if (strcmp(of, name) == 0 ? !all[i].addend : !*of && defined && (uint64_t)all[i].addend == inside)
            return term_bin(s->w->t, OP_ADD, thread, slot_value(s, all[i].address));
    }
    if (!defined || object_info(o)->type == OBJECT_SHARED)
        return TERM_NONE;
    return term_add_const(s->w->t, thread, (uint64_t)object_thread_offset(o, inside));
}

bool global_find(struct side *s, const char *name, struct global *out, const char **why)
{
    const struct object *o = s->code->o;
    const struct object_load *load = object_load(o);
    struct object_global d;
    bool relocatable = object_info(o)->type == OBJECT_RELOCATABLE;
    *why = NULL;
    *out = (struct global){.at = TERM_NONE};
    bool known = object_debug_global(o, s->code->f->address, name, &d);
    const bool elsewhere = known && !d.placed;
    if (known && d.tls && relocatable) /* not relocated in debug information */
        d.placed = false;
    const struct object_symbol *y = known && d.placed ? NULL : only_symbol(o, name, elsewhere, why);
    if (!known && !y)
        return false;
    out->type = known ? d.type : NULL;
    bool tls = known && d.placed ? d.tls : y && y->type == SYMBOL_TLS;
    if (!(known && d.placed) && !y) {
        *why = *why ? *why : "the file does not say where this variable is";
        return false;
    }
    bool defined = (known && d.placed) || !y->undefined;
    uint64_t address = known && d.placed ? d.address : y->address;
    if (tls)
        out->at = of_thread(s, name, defined,
                            !(known && d.placed) && relocatable ? address - load->tls_address : address);
    else if (!defined)
        out->at = imported(s, name);
    else if (s->w->nsides == 2)
        out->at = symbolic_address(s->code, address);
    else
        out->at = term_const(s->w->t, s->code->m->pointer_width, address + s->code->bias);
    if (out->at != TERM_NONE)
        return true;
    *why = tls ? "each thread has one of these variables, and the file does not say how far from the thread "
                 "pointer"
               : "this variable is another file's, and nothing here refers to it";
    return false;
}
