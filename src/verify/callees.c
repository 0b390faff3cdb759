/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known about callees without a prototype, in both versions: what the available libraries, the
 * analyst and the other version's debug information say, and what all their calls show.
 *
 * Libraries (libraries.c asks them, once) say which arguments are looked at. A function may have parameters
 * that it never uses. Where a caller surely sets a register or stack word that the library would leave out,
 * the library is not believed. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { IMPORT_NOT_ASKED, IMPORT_BELIEVED, IMPORT_NOT_BELIEVED };

static int by_name(const void *name, const void *import)
{
    return strcmp(name, ((const struct verify_import *)import)->name);
}

const struct verify_import *callee_import(struct check *c, const char *name)
{
    const struct verify_options *opt = c->opt;
    if (!name || !opt->nimports || !(opt->assume & VERIFY_ASSUME_LIBRARIES))
        return NULL;
    const struct verify_import *x = bsearch(name, opt->import, opt->nimports, sizeof *x, by_name);
    if (!x)
        return NULL;
    if (!c->callees.import_state)
        c->callees.import_state = arena_array(c->arena, uint8_t, opt->nimports);
    uint8_t *state = &c->callees.import_state[x - opt->import];
    if (*state == IMPORT_NOT_ASKED)
        *state = abi_passes_more(c->pair.side[OLD].abi, name, &x->takes) ||
                         abi_passes_more(c->pair.side[NEW].abi, name, &x->takes)
                     ? IMPORT_NOT_BELIEVED
                     : IMPORT_BELIEVED;
    return *state == IMPORT_BELIEVED ? x : NULL;
}

void callees_ledger(struct check *c)
{
    for (size_t i = 0; c->callees.import_state && i < c->opt->nimports; i++) {
        const struct verify_import *x = &c->opt->import[i];
        if (c->callees.import_state[i] == IMPORT_BELIEVED)
            ledger_say(&c->ledger, c->arena, LEDGER_LIBRARIES, x->name, x->takes.nargs,
                       x->takes.nargs == 1 ? "" : "s", x->takes.floats ? " and perhaps floats" : "",
                       x->library);
    }
}

static bool told_so(struct flow_takes *out, unsigned nargs)
{
    *out = (struct flow_takes){.nargs = nargs, .floats = true};
    return true;
}

bool callee_hook_takes(void *ctx, const char *name, struct flow_takes *out)
{
    const struct pair_side *s = ctx;
    const struct verify_knowledge *know = check_of(s)->opt->know;
    for (size_t i = 0; name && know && i < know->nprototypes; i++)
        if (strcmp(know->prototype[i].name, name) == 0) {
            know->prototype[i].used = true;
            if (know->prototype[i].nargs >= 0 && !know->prototype[i].variadic)
                return told_so(out, (unsigned)know->prototype[i].nargs);
        }
    const struct verify_import *x = callee_import(check_of(s), name);
    if (x)
        *out = x->takes;
    return x != NULL;
}

int callee_arity(void *ctx, const char *name, uint64_t site)
{
    (void)name;
    (void)site;
    const struct pair_side *s = ctx;
    const struct ir_machine *m = program_machine(s->p);
    /* Where arguments are on the stack only the engine sees them. */
    return m->nargs ? (int)m->nargs : -1;
}

bool callee_declared(void *ctx, const char *name, uint64_t site, struct flow_prototype *out)
{
    const struct pair_side *s = ctx, *other = &check_of(s)->pair.side[!s->new];
    const struct flow_call *k = abi_call_at(s->abi, site);
    if (!k || !(check_of(s)->opt->assume & VERIFY_ASSUME_ARGUMENTS) ||
        !flow_declared_prototype(other->p, other->f->address, name, out) ||
        (unsigned)out->nargs >= program_machine(s->p)->nargs)
        return false;
    /* It may take more in this version than it was declared with in the other. */
    if (abi_may_pass_more(s->abi, k->target, (unsigned)out->nargs))
        return false;
    check_of(s)->arity_used++;
    return true;
}

static void targets_of(struct check *c, int s, const char *name, addresses *out)
{
    const struct object_stub *stub;
    size_t n = object_stubs(c->pair.side[s].o, &stub);
    for (size_t i = 0; i < n; i++)
        if (stub[i].name && strcmp(stub[i].name, name) == 0)
            vec_push(out, stub[i].address);
    if (strcmp(name, c->pair.side[OLD].f->name) == 0)
        vec_push(out, c->pair.side[s].f->address);
}

static bool is_among(const addresses *all, uint64_t at)
{
    for (size_t i = 0; i < all->len; i++)
        if (all->data[i] == at)
            return true;
    return false;
}

bool callees_refers_to(struct check *c, int s, uint32_t function, const addresses *to)
{
    size_t n = match_references(c->pair.m, s, function, NULL, 0);
    uint64_t *all = xcalloc(n + 1, sizeof *all);
    bool found = false, arm = program_machine(c->pair.side[s].p)->arch == MACHINE_ARM;
    match_references(c->pair.m, s, function, all, n);
    for (size_t i = 0; i < n && !found; i++)
        found = is_among(to, arm ? all[i] & ~UINT64_C(1) : all[i]);
    free(all);
    return found;
}

struct abi_sites callee_sites(struct check *c, const char *name)
{
    enum { CALLERS_MAX = 40 };
    uint64_t known;
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    if (strmap_get(&c->callees.site_index, name, &known))
        return c->callees.sites.data[known];
    struct abi_sites out = abi_sites_begin(m);
    for (int s = 0; s < 2; s++) {
        const struct flow_function *all;
        size_t n = program_functions(c->pair.side[s].p, &all);
        unsigned callers = 0;
        addresses to = VEC_INIT;
        targets_of(c, s, name, &to);
        for (uint32_t i = 0; i < n && to.len && callers < CALLERS_MAX; i++)
            if (!(all[i].flags & (FLOW_PLT | FLOW_EXTERN | FLOW_PART)) && callees_refers_to(c, s, i, &to)) {
                abi_sites_add(&out, c->pair.side[s].p, &all[i], name, to.data, to.len);
                callers++;
            }
        vec_free(&to);
    }
    abi_sites_conclude(&out, m);
    strmap_set(&c->callees.site_index, arena_strdup(c->arena, name), c->callees.sites.len);
    vec_push(&c->callees.sites, out);
    return out;
}
