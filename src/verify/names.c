/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One name for a callee in both versions: that of the old program, where the pairing of the programs or the
 * analyst says which function it is; else one that the other version does not have. */
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

/* What is called. Its key is what both versions compare: one for each of these, whatever files call their
 * functions, and never read back. */
struct callee_key {
    const char *name;
    uint64_t address; /* in the old program, of what its name does not single out; else 0 */
    int only;         /* the version that has it; BOTH */
};
enum { BOTH = 2 };

static const char *key_of(struct check *c, struct callee_key k, const char *text)
{
    const char *key = text;
    uint64_t known;
    for (unsigned n = 2; strmap_get(&c->callees.key, key, &known); n++) {
        const struct callee_key *other = (const struct callee_key *)(uintptr_t)known;
        if (other->only == k.only && other->address == k.address && strcmp(other->name, k.name) == 0)
            return key;
        key = arena_printf(c->arena, "%s#%u", text, n);
    }
    struct callee_key *own = arena_new(c->arena, struct callee_key);
    *own = k;
    own->name = arena_strdup(c->arena, k.name);
    key = arena_strdup(c->arena, key);
    strmap_set(&c->callees.key, key, (uint64_t)(uintptr_t)own);
    return key;
}

const char *names_key_name(const struct check *c, const char *key)
{
    uint64_t known;
    return strmap_get(&c->callees.key, key, &known) ? ((const struct callee_key *)(uintptr_t)known)->name
                                                   : key;
}

static const char *key_by_name(struct check *c, const char *name)
{
    return key_of(c, (struct callee_key){name, 0, BOTH}, name);
}

static const char *key_by_version(struct check *c, int side, const char *name)
{
    return key_of(c, (struct callee_key){name, 0, side},
                  arena_printf(c->arena, "%s:%s", side == NEW ? "new" : "old", name));
}

static const char *key_by_address(struct check *c, uint64_t address, const char *name)
{
    return key_of(c, (struct callee_key){name, address, BOTH}, name);
}

static const char *equal_name(struct check *c, const struct pair_side *s, const char *name)
{
    const struct verify_knowledge *k = c->opt->know;
    for (size_t i = 0; k && s->new &&i < k->nequals; i++)
        if (strcmp(k->equal[i].new, name) == 0) {
            k->equal[i].used = true;
            return k->equal[i].old;
        }
    return name;
}

/* Code where no function begins has no name that means the same in both: it is called by where it is in the
 * old program, when it is known to be the same code. */
static const char *code_name(struct check *c, const struct pair_side *s, const char *name, uint64_t address)
{
    uint64_t old = address;
    if (s->new && !(match_data_back(c->pair.m, address, &old, NULL) && match_same_address(c->pair.m, old, address)) &&
        !match_same_address(c->pair.m, old = address, address))
        return key_by_version(c, NEW, name);
    return key_by_address(c, old, arena_printf(c->arena, "code_%llx", (unsigned long long)old));
}

bool names_listed(const struct check *c, const char *name, struct verify_word *list, size_t n)
{
    if (!name)
        return false;
    const char *own = names_key_name(c, name);
    size_t stem = name_stem(own);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].text, own) == 0 ||
            (strncmp(list[i].text, own, stem) == 0 && list[i].text[stem] == '\0')) {
            list[i].used = true;
            return true;
        }
    return false;
}

/* The configuration names it: that is no other's name (program_name). */
static bool is_given(const struct check *c, const struct flow_function *f)
{
    const struct verify_knowledge *k = c->opt->know;
    for (size_t i = 0; k && i < k->nnames; i++)
        if (!k->name[i].new &&object_internal_address(program_object(c->pair.side[OLD].p),
                                                      k->name[i].address) == f->address &&
            strcmp(k->name[i].name, f->name) == 0)
            return true;
    return false;
}

const char *names_callee(void *ctx, const char *name, uint64_t address)
{
    struct pair_side *s = ctx;
    struct check *c = check_of(s);
    const char *told = equal_name(c, s, name);
    if (told != name)
        return key_by_name(c, told);
    const struct flow_function *f = address ? program_function_at(s->p, address) : NULL;
    if ((f && f->flags & (FLOW_PLT | FLOW_EXTERN)) || object_stub_at(s->o, address))
        return key_by_name(c, name);
    if (!f)
        return address && canonical_is_code(s->o, address) ? code_name(c, s, name, address) : key_by_name(c, name);
    const struct match_pair *pair =
        s->new ? match_function_new(c->pair.m, address) : match_function(c->pair.m, address);
    if (!pair)
        return key_by_name(c, name);
    if (pair->old == MATCH_NONE || pair->new == MATCH_NONE)
        return key_by_version(c, s->new, name);
    const struct flow_function *all;
    program_functions(c->pair.side[OLD].p, &all);
    f = &all[pair->old];
    /* Local functions of one name are told apart by where they are. */
    const struct object_symbol *y = f->named ? object_symbol_by_name(c->pair.side[OLD].o, f->name) : NULL;
    if ((y && y->address == f->address) || !f->named || is_given(c, f))
        return key_by_name(c, f->name);
    return key_by_address(c, f->address,
                          arena_printf(c->arena, "%s@%llx", f->name, (unsigned long long)f->address));
}

const char *names_called(struct check *c, int side, const struct exec_event *e)
{
    if (e->name) /* it is the table of terms' or the check's; which version a function is in is told beside it */
        return arena_strdup(c->arena, names_key_name(c, e->name));
    if (e->target == TERM_NONE)
        return "a function pointer";
    struct buf b = BUF_INIT;
    words_term(&b, c->words[OLD], canonical_term(&c->pair, &c->pair.side[side], e->target));
    const char *out = arena_printf(c->arena, "(*%s)", buf_text(&b));
    buf_free(&b);
    return out;
}

bool names_same(const struct exec_event *a, const struct exec_event *b)
{
    if (a->kind != b->kind || !a->name != !b->name)
        return false;
    return !a->name || strcmp(a->name, b->name) == 0;
}

const struct flow_library_entry *names_library(const struct check *c, const struct pair_side *s,
                                               const struct exec_event *e)
{
    const struct flow_library *l = program_library(s->p);
    return e->kind == EVENT_CALL && e->name && l ? flow_library_find(l, names_key_name(c, e->name)) : NULL;
}

bool names_throw(const char *callee)
{
    return strcmp(callee, "__cxa_throw") == 0 || strcmp(callee, "_Unwind_RaiseException") == 0;
}
