/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms of the new version in the places of the old one.
 *
 * Both versions are run in one table of terms, each with the addresses of its own file (moved by a bias of
 * its own, so that an address of position-independent code is never taken for a number, nor an address of one
 * file for one of the other). To compare them, addresses of the new file that are paired with something of
 * the old one are replaced by the old address, and offsets in the new frame by those of the old one. What is
 * not paired keeps an address that no term of the old version has, and is equal to nothing. Read-only data
 * counts as paired only if its content is the same. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

/* Where an address of the new file goes that is paired with nothing, in programs that have no bias. */
static uint64_t elsewhere(const struct check *c, uint64_t a)
{
    return c->width == 64 ? a + (UINT64_C(0x6e) << 40) : (uint32_t)(a + 0xc3000000u);
}

uint64_t norm_unpaired(const struct check *c, uint64_t v)
{
    if (c->side[NEW].bias)
        return v - c->side[NEW].bias;
    uint64_t a = v - elsewhere(c, 0);
    return c->width == 64 ? a : (uint32_t)a;
}

/* Constants may lie in the same segment as code. */
static bool is_code(const struct object *o, uint64_t a)
{
    const struct object_section *x;
    size_t n = object_sections(o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && a >= x[i].address && a - x[i].address < x[i].size)
            return x[i].exec;
    return object_is_exec(o, a);
}

static bool in_image(const struct object *o, uint64_t a)
{
    size_t n;
    return object_bytes(o, a, &n) != NULL || object_stub_at(o, a) != NULL;
}

/* A reference of each version to data that the pairing of the programs knows nothing of: the same content, or
 * the same place among the references of its kind. */
static void learn_places(struct check *c)
{
    if (!(c->opt->assume & VERIFY_ASSUME_DATA))
        return;
    VEC(uint64_t) ref[2] = {VEC_INIT, VEC_INIT}, literal = VEC_INIT;
    for (int s = 0; s < 2; s++) {
        const struct side *sd = &c->side[s];
        size_t n = match_references(c->m, s, sd->index, NULL, 0);
        uint64_t *all = xcalloc(n + 1, sizeof *all);
        match_references(c->m, s, sd->index, all, n);
        struct map seen = {0};
        for (size_t i = 0; i < n; i++) {
            uint64_t to;
            bool known =
                s == OLD ? match_data(c->m, all[i], &to, NULL) : match_data_back(c->m, all[i], &to, NULL);
            if (known && object_is_readonly(sd->o, all[i], 1))
                known =
                    s == OLD ? match_same_address(c->m, all[i], to) : match_same_address(c->m, to, all[i]);
            if (s == OLD && object_is_readonly(sd->o, all[i], 1))
                vec_push(&literal, all[i]);
            if (!known && in_image(sd->o, all[i]) && !is_code(sd->o, all[i]) && map_set(&seen, all[i], 1))
                vec_push(&ref[s], all[i]);
        }
        map_free(&seen);
        free(all);
    }
    VEC(uint64_t) open[2] = {VEC_INIT, VEC_INIT};
    for (size_t i = 0; i < ref[NEW].len; i++) {
        uint64_t v = ref[NEW].data[i];
        bool constant = object_is_readonly(c->side[NEW].o, v, 1), found = false;
        for (size_t k = 0; constant && k < literal.len && !found; k++) {
            found = match_same_address(c->m, literal.data[k], v);
            if (found)
                map_set(&c->place, v, literal.data[k]);
        }
        if (!constant)
            vec_push(&open[NEW], v);
    }
    for (size_t i = 0; i < ref[OLD].len; i++)
        if (!object_is_readonly(c->side[OLD].o, ref[OLD].data[i], 1))
            vec_push(&open[OLD], ref[OLD].data[i]);
    for (size_t i = 0; open[OLD].len == open[NEW].len && i < open[NEW].len; i++)
        map_set(&c->place, open[NEW].data[i], open[OLD].data[i]);
    vec_free(&literal);
    for (int s = 0; s < 2; s++) {
        vec_free(&ref[s]);
        vec_free(&open[s]);
    }
}

void norm_start(struct check *c)
{
    size_t n = match_references(c->m, NEW, c->side[NEW].index, NULL, 0);
    for (size_t i = 0; i < n; i++)
        vec_push(&c->refers, 0);
    match_references(c->m, NEW, c->side[NEW].index, c->refers.data, n);
    /* What is referred to through a slot is in no instruction itself. */
    for (size_t i = 0; i < n && object_info(c->side[NEW].o)->type == OBJECT_RELOCATABLE; i++) {
        uint64_t to = 0;
        if (object_read(c->side[NEW].o, c->refers.data[i], &to, c->width / 8) && in_image(c->side[NEW].o, to))
            vec_push(&c->refers, to);
    }
    learn_places(c);
}

void norm_free(struct check *c)
{
    map_free(&c->norm);
    map_free(&c->place);
    map_free(&c->mapped);
    vec_free(&c->refers);
}

/* ---- addresses ---- */

/* A slot that the dynamic linker fills holds in both what it fills in. */
static bool same_slot(struct check *c, uint64_t old, uint64_t new)
{
    const struct object_pointer *p[2] = {object_pointer_at(c->side[OLD].o, old),
                                         object_pointer_at(c->side[NEW].o, new)};
    if (!p[OLD] || !p[NEW] || !p[OLD]->name || !p[NEW]->name)
        return !p[OLD] == !p[NEW] || is_code(c->side[NEW].o, new);
    return strcmp(p[OLD]->name, p[NEW]->name) == 0 && p[OLD]->addend == p[NEW]->addend;
}

/* Of the old program. */
static bool counterpart(struct check *c, uint64_t a, uint64_t *out)
{
    const struct object *o = c->side[NEW].o;
    bool thumb =
        c->side[NEW].p && program_machine(c->side[NEW].p)->arch == MACHINE_ARM && a & 1 && is_code(o, a - 1);
    if (thumb)
        a--;
    bool known = map_get(&c->place, a, out);
    if (!known && match_data_back(c->m, a, out, NULL)) {
        bool moved = *out != a || c->side[NEW].bias;
        known = (!object_is_readonly(o, a, 1) || is_code(o, a) || match_same_address(c->m, *out, a)) &&
                (!moved || c->opt->assume & VERIFY_ASSUME_DATA || is_code(o, a));
    }
    /* A program for a fixed address: perhaps it is only a number. */
    if (!known && !c->side[NEW].bias && match_same_address(c->m, a, a)) {
        *out = a;
        known = true;
    }
    if (known && !same_slot(c, *out, a))
        known = false;
    if (known && *out != a)
        map_set(&c->mapped, a, *out);
    if (known && thumb)
        *out |= 1;
    return known;
}

/* In a file that is not linked yet an address is where a relocation is; another number may look like one by
 * chance. What is computed from one lies behind it. */
static bool is_reference(const struct check *c, uint64_t a)
{
    enum { BEHIND = 1 << 16 };
    if (object_info(c->side[NEW].o)->type != OBJECT_RELOCATABLE || c->follow.len)
        return true;
    for (size_t i = 0; i < c->refers.len; i++)
        if (a >= c->refers.data[i] && a - c->refers.data[i] < BEHIND)
            return true;
    return false;
}

static term norm_const(struct check *c, term x)
{
    const struct side *s = &c->side[NEW];
    uint64_t v, to;
    if (term_width(c->t, x) != c->width || !term_const_u64(c->t, x, &v))
        return x;
    uint64_t a = v - s->bias;
    if (c->width == 32)
        a = (uint32_t)a;
    if ((!in_image(s->o, a) && !(a && in_image(s->o, a - 1))) || !is_reference(c, a))
        return x;
    if (counterpart(c, a, &to))
        return term_const(c->t, c->width, to + c->side[OLD].bias);
    return s->bias ? x : term_const(c->t, c->width, elsewhere(c, v));
}

/* An address of the new file that is paired with nothing, other than that of a constant. */
static bool is_unpaired(void *ctx, term x)
{
    struct check *c = ctx;
    const struct object *o = c->side[NEW].o;
    uint64_t v;
    if (term_is_array(c->t, x) || term_width(c->t, x) != c->width || !term_const_u64(c->t, x, &v))
        return false;
    v = norm_unpaired(c, v);
    return in_image(o, v) && (!object_is_readonly(o, v, 1) || is_code(o, v));
}

bool norm_has_unpaired(struct check *c, term x)
{
    return term_any(c->t, x, is_unpaired, c);
}

/* ---- frames ---- */

/* sp is among the addends. */
static bool adds_sp(const struct check *c, term x)
{
    while (term_kind(c->t, x) == OP_ADD || term_kind(c->t, x) == OP_SUB) {
        if (term_kind(c->t, x) == OP_ADD && term_kid(c->t, x, 1) == c->sp)
            return true;
        x = term_kid(c->t, x, 0);
    }
    return x == c->sp;
}

/* ---- terms ---- */

static term norm_node(void *ctx, term x, const term *kid)
{
    struct check *c = ctx;
    struct terms *t = c->t;
    uint64_t off;
    if (term_is_const(t, x))
        return norm_const(c, x);
    /* A constant added to the stack pointer is an offset in the frame. */
    if (term_kind(t, x) == OP_ADD && term_width(t, x) == c->width &&
        term_const_u64(t, term_kid(t, x, 1), &off) && adds_sp(c, term_kid(t, x, 0))) {
        int64_t to = frame_offset(c, frame_signed(c, off));
        return term_add_const(t, kid[0], (uint64_t)to);
    }
    return term_nkids(t, x) ? term_rebuild(t, x, kid) : x;
}

term norm(struct check *c, const struct side *s, term x)
{
    return !s->new || x == TERM_NONE ? x : term_rewrite(c->t, x, &c->norm, norm_node, c);
}

/* ---- under a condition ---- */

void norm_literals(struct check *c, term cond, term *from, term *to, size_t *n)
{
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, cond);
    while (todo.len && *n + 2 < NORM_LITERALS_MAX) {
        term l = vec_pop(&todo);
        if (term_is_const(c->t, l))
            continue;
        if (term_kind(c->t, l) == OP_AND && term_width(c->t, l) == 1) {
            vec_push(&todo, term_kid(c->t, l, 0));
            vec_push(&todo, term_kid(c->t, l, 1));
            continue;
        }
        from[*n] = l;
        to[(*n)++] = term_true(c->t);
        term no = term_not(c->t, l);
        from[*n] = no;
        to[(*n)++] = term_false(c->t);
        /* x == constant: x is that constant. */
        if (term_kind(c->t, l) == OP_EQ && term_is_const(c->t, term_kid(c->t, l, 1)) &&
            !term_is_array(c->t, term_kid(c->t, l, 0)) && *n + 1 < NORM_LITERALS_MAX) {
            from[*n] = term_kid(c->t, l, 0);
            to[(*n)++] = term_kid(c->t, l, 1);
        }
    }
    vec_free(&todo);
}

/* ---- names ---- */

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
    for (unsigned n = 2; strmap_get(&c->callee_key, key, &known); n++) {
        const struct callee_key *other = (const struct callee_key *)(uintptr_t)known;
        if (other->only == k.only && other->address == k.address && strcmp(other->name, k.name) == 0)
            return key;
        key = arena_printf(c->arena, "%s#%u", text, n);
    }
    struct callee_key *own = arena_new(c->arena, struct callee_key);
    *own = k;
    own->name = arena_strdup(c->arena, k.name);
    key = arena_strdup(c->arena, key);
    strmap_set(&c->callee_key, key, (uint64_t)(uintptr_t)own);
    return key;
}

const char *norm_name(const struct check *c, const char *key)
{
    uint64_t known;
    return strmap_get(&c->callee_key, key, &known) ? ((const struct callee_key *)(uintptr_t)known)->name
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

static const char *equal_name(struct check *c, const struct side *s, const char *name)
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
static const char *code_name(struct check *c, const struct side *s, const char *name, uint64_t address)
{
    uint64_t old = address;
    if (s->new && !(match_data_back(c->m, address, &old, NULL) && match_same_address(c->m, old, address)) &&
        !match_same_address(c->m, old = address, address))
        return key_by_version(c, NEW, name);
    return key_by_address(c, old, arena_printf(c->arena, "code_%llx", (unsigned long long)old));
}

bool norm_is_listed(const struct check *c, const char *name, struct verify_word *list, size_t n)
{
    if (!name)
        return false;
    const char *own = norm_name(c, name);
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
        if (!k->name[i].new &&object_placed(program_object(c->side[OLD].p), k->name[i].address) ==
                f->address &&
            strcmp(k->name[i].name, f->name) == 0)
            return true;
    return false;
}

const char *norm_callee(void *ctx, const char *name, uint64_t address)
{
    struct side *s = ctx;
    struct check *c = s->c;
    const char *told = equal_name(c, s, name);
    if (told != name)
        return key_by_name(c, told);
    const struct flow_function *f = address ? program_function_at(s->p, address) : NULL;
    if ((f && f->flags & (FLOW_PLT | FLOW_EXTERN)) || object_stub_at(s->o, address))
        return key_by_name(c, name);
    if (!f)
        return address && is_code(s->o, address) ? code_name(c, s, name, address) : key_by_name(c, name);
    const struct match_pair *pair =
        s->new ? match_function_new(c->m, address) : match_function(c->m, address);
    if (!pair)
        return key_by_name(c, name);
    if (pair->old == MATCH_NONE || pair->new == MATCH_NONE)
        return key_by_version(c, s->new, name);
    const struct flow_function *all;
    program_functions(c->side[OLD].p, &all);
    f = &all[pair->old];
    /* Local functions of one name are told apart by where they are. */
    const struct object_symbol *y = f->named ? object_symbol_by_name(c->side[OLD].o, f->name) : NULL;
    if ((y && y->address == f->address) || !f->named || is_given(c, f))
        return key_by_name(c, f->name);
    return key_by_address(c, f->address,
                          arena_printf(c->arena, "%s@%llx", f->name, (unsigned long long)f->address));
}
