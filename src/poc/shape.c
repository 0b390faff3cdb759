/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lazy initialisation, as shapes of the snapshot. What is varied are pointers that the code has read: those
 * to leaf objects become NULL, all that lead into the object at once, so that aliases and the order of
 * pointers into one object stay; NULL pointers lead to new objects of their type, whose own pointers are NULL
 * until they are read in turn. Pointers to code stay; one that is NULL becomes each function whose address is
 * in the program's data and that takes as much. */
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"

enum { SHAPES_MAX = 24, FUNCTIONS_MAX = 4, TEXT_WORDS = 4, UNKNOWN_WORDS = 8, ELEMENTS = 4 };

static void shape_copy(const struct poc_shape *h, struct poc_shape *out)
{
    *out = (struct poc_shape){.emptied = h->emptied};
    for (size_t i = 0; i < h->link.len; i++)
        vec_push(&out->link, h->link.data[i]);
    for (size_t i = 0; i < h->fresh.len; i++)
        vec_push(&out->fresh, h->fresh.data[i]);
}

static void shape_free(struct poc_shape *h)
{
    vec_free(&h->link);
    vec_free(&h->fresh);
}

static bool same_place(const struct poc_link *x, const struct poc_link *y)
{
    return x->argument == y->argument && (x->argument ? x->index == y->index : x->address == y->address);
}

static struct poc_link *find_link(const struct poc_shape *h, const struct poc_link *l)
{
    for (size_t i = 0; i < h->link.len; i++)
        if (same_place(&h->link.data[i], l))
            return &h->link.data[i];
    return NULL;
}

static void set_link(struct poc_shape *h, struct poc_link l)
{
    struct poc_link *old = find_link(h, &l);
    if (old)
        old->value = l.value;
    else
        vec_push(&h->link, l);
}

/* Where new objects are depends on the order in which they were made, which does not matter. */
static uint64_t value_of(const struct poc_shape *h, uint64_t v)
{
    for (size_t i = 0; i < h->fresh.len; i++)
        if (v == h->fresh.data[i].base)
            return 1;
    return v;
}

static bool same_shape(const struct poc_shape *x, const struct poc_shape *y)
{
    if (x->link.len != y->link.len || x->fresh.len != y->fresh.len)
        return false;
    for (size_t i = 0; i < x->link.len; i++) {
        const struct poc_link *l = find_link(y, &x->link.data[i]);
        if (!l || value_of(x, x->link.data[i].value) != value_of(y, l->value))
            return false;
    }
    return true;
}

static void add_shape(struct poc_shapes *all, struct poc_shape *h)
{
    bool known = false;
    for (size_t i = 0; i < all->shape.len && !known; i++)
        known = same_shape(&all->shape.data[i], h);
    if (known || all->shape.len >= SHAPES_MAX) {
        if (!known)
            all->bound = "a limit of shapes";
        shape_free(h);
        return;
    }
    vec_push(&all->shape, *h);
}

/* ---- choices ---- */

/* A pointer that may be something else. */
struct choice {
    struct poc_link link;
    const struct object_type_info *target; /* of what it points to; NULL: not known */
    unsigned depth;                        /* of a new object there */
    const struct poc_object *leaf;         /* that it leads to; NULL: it is NULL */
};

static const struct poc_fresh *fresh_at(const struct poc_shape *h, uint64_t address)
{
    for (size_t i = 0; i < h->fresh.len; i++)
        if (address - h->fresh.data[i].base < h->fresh.data[i].size)
            return &h->fresh.data[i];
    return NULL;
}

static uint64_t fresh_size(const struct object_type_info *t, unsigned word, bool *text)
{
    *text = t && t->size == 1 && (t->kind == TYPE_INT || t->kind == TYPE_BOOL);
    if (*text)
        return (uint64_t)TEXT_WORDS * word;
    if (!t || !t->size)
        return (uint64_t)UNKNOWN_WORDS * word;
    return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->kind == TYPE_ARRAY ? t->size
                                                                                    : t->size * ELEMENTS;
}

/* A chunk that the allocator has not given to anybody. */
static bool fresh_make(struct poc_shape *h, const struct snapshot *s, const struct object_type_info *t,
                       unsigned depth, struct poc_fresh *out)
{
    *out = (struct poc_fresh){.depth = depth};
    out->size = fresh_size(t, s->m->pointer_width / 8, &out->text);
    if (!s->guarded || out->size > s->pool.cls[0].bytes)
        return false;
    const struct guard_class *k = &s->pool.cls[0];
    uint64_t i = k->used;
    /* what the shape has already made is in the pool of its own snapshot, but for what is being added */
    for (size_t n = 0; n < h->fresh.len; n++) {
        uint64_t slot = (h->fresh.data[n].base - k->base) / (2 * k->bytes);
        i = slot >= i ? slot + 1 : i;
    }
    if (i >= k->slots)
        return false;
    out->base = k->base + i * 2 * k->bytes + k->bytes - out->size;
    return true;
}

static bool choose_new(struct poc_shape *h, const struct snapshot *s, const struct choice *c)
{
    struct poc_fresh f;
    if (!fresh_make(h, s, c->target, c->depth, &f))
        return false;
    struct poc_link l = c->link;
    l.value = f.base;
    vec_push(&h->fresh, f);
    set_link(h, l);
    return true;
}

/* All that lead into the leaf, or only this one. */
static void choose_null(struct poc_shape *h, const struct poc_side *side, const struct choice *c,
                        struct arena *arena)
{
    const struct poc_abstract *a = side->a;
    unsigned word = a->s->m->pointer_width / 8;
    struct poc_link l = c->link;
    l.value = 0;
    set_link(h, l);
    if (side->opt->no_order)
        return;
    for (unsigned i = 0; i < a->narguments; i++)
        if (a->argument[i].pointer && a->argument[i].value - c->leaf->base < c->leaf->size)
            set_link(h, (struct poc_link){
                            .argument = true, .index = i, .name = arena_strdup(arena, a->argument[i].name)});
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        for (uint64_t at = (o->base + word - 1) / word * word; at + word <= o->base + o->size; at += word)
            if (poc_word_at(a, at) - c->leaf->base < c->leaf->size)
                set_link(h, (struct poc_link){.address = at, .name = poc_place_name(a, at, word, arena)});
    }
}

/* Whether some word of the program's data is the address. */
static bool is_taken(const struct poc_side *side, uint64_t address)
{
    const struct snapshot *s = side->s;
    unsigned word = s->m->pointer_width / 8;
    const char *file = NULL;
    for (size_t i = 0; i < s->nparts; i++)
        if (s->part[i].exec && address >= s->part[i].low && address < s->part[i].high)
            file = s->part[i].file;
    for (size_t i = 0; i < s->nparts && file; i++) {
        const struct snapshot_part *p = &s->part[i];
        if (p->exec || !p->byte || !p->file || strcmp(p->file, file) != 0)
            continue;
        for (uint64_t at = 0; at + word <= p->high - p->low; at += word) {
            uint64_t v = 0;
            memcpy(&v, p->byte + at, word);
            if (v == address)
                return true;
        }
    }
    return false;
}

static void choose_functions(struct poc_shapes *all, const struct poc_shape *from,
                             const struct poc_side *side, const struct choice *c)
{
    const struct flow_function *f;
    size_t n = program_functions(side->p, &f);
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        const struct object_function_debug *d = object_debug_function(program_object(side->p), f[i].address);
        uint64_t result = d && d->result ? d->result->size : 0;
        if (!d || d->address != f[i].address || d->nparams != c->target->count ||
            result != (c->target->target ? c->target->target->size : 0) ||
            !is_taken(side, side->s->base + f[i].address))
            continue;
        if (found++ == FUNCTIONS_MAX) {
            all->bound = "a limit of functions for a pointer";
            return;
        }
        struct poc_shape h;
        struct poc_link l = c->link;
        l.value = side->s->base + f[i].address;
        shape_copy(from, &h);
        set_link(&h, l);
        add_shape(all, &h);
    }
}

typedef VEC(struct choice) choices;

static void see_pointer(choices *out, struct poc_shapes *all, const struct poc_shape *from,
                        const struct poc_side *side, struct poc_link l, uint64_t v,
                        const struct object_type_info *type)
{
    const struct poc_abstract *a = side->a;
    const struct poc_link *made = find_link(from, &l);
    if (made && !(from->emptied && made->value == 0))
        return;
    const struct poc_fresh *in = l.argument ? NULL : fresh_at(from, l.address);
    struct choice c = {.link = l,
                       .target = type && type->kind == TYPE_POINTER ? type->target : NULL,
                       .depth = in ? in->depth + 1 : 1};
    if (v) {
        c.leaf = poc_object_at(a, v);
        if (!c.leaf || !c.leaf->leaf || c.leaf->kind == POC_GLOBAL || fresh_at(from, v))
            return;
    } else if (c.depth > side->opt->k) {
        all->bound = "lazy initialisation comes to its bound (-k)";
        return;
    }
    vec_push(out, c);
}

static void find_choices(choices *out, struct poc_shapes *all, const struct poc_shape *from,
                         const struct poc_side *side)
{
    const struct poc_abstract *a = side->a;
    unsigned word = a->s->m->pointer_width / 8;
    for (unsigned i = 0; i < a->narguments; i++)
        if (a->argument[i].pointer)
            see_pointer(out, all, from, side,
                        (struct poc_link){.argument = true,
                                          .index = i,
                                          .name = arena_strdup(&all->arena, a->argument[i].name)},
                        a->argument[i].value, a->argument[i].type);
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        for (uint64_t at = (o->base + word - 1) / word * word;
             at + word <= o->base + o->size && o->kind != POC_STRING; at += word) {
            uint64_t v = poc_word_at(a, at);
            const struct object_type_info *t = poc_type_at(o, at - o->base, word, NULL);
            bool pointer =
                (t && t->kind == TYPE_POINTER) || map_get(&a->closed, at, NULL) || poc_object_at(a, v);
            if (pointer && map_get(&side->touched, at, NULL))
                see_pointer(
                    out, all, from, side,
                    (struct poc_link){.address = at, .name = poc_place_name(a, at, word, &all->arena)}, v, t);
        }
    }
}

void poc_shapes_grow(struct poc_shapes *all, const struct poc_shape *from, const struct poc_side *side)
{
    static const struct poc_shape none;
    choices c = VEC_INIT;
    struct poc_shape h;
    from = from ? from : &none;
    if (!side->opt->k)
        return;
    find_choices(&c, all, from, side);
    /* everything that is NULL at once: the way to the richest state */
    unsigned news = 0;
    for (size_t i = 0; i < c.len; i++)
        news += !c.data[i].leaf;
    if (news > 1) {
        shape_copy(from, &h);
        for (size_t i = 0; i < c.len; i++)
            if (!c.data[i].leaf && !(c.data[i].target && c.data[i].target->kind == TYPE_FUNC))
                choose_new(&h, side->s, &c.data[i]);
        add_shape(all, &h);
    }
    for (size_t i = 0; i < c.len; i++) {
        const struct choice *one = &c.data[i];
        if (one->target && one->target->kind == TYPE_FUNC) {
            if (!one->leaf && !side->opt->no_function_pointers)
                choose_functions(all, from, side, one);
            continue;
        }
        shape_copy(from, &h);
        if (one->leaf)
            choose_null(&h, side, one, &all->arena);
        if (one->leaf || choose_new(&h, side->s, one))
            add_shape(all, &h);
        else
            shape_free(&h);
    }
    vec_free(&c);
}

void poc_shapes_empty(struct poc_shapes *all, const struct poc_abstract *a)
{
    unsigned word = a->s->m->pointer_width / 8;
    struct poc_shape h = {.emptied = true};
    for (unsigned i = 0; i < a->narguments; i++)
        if (a->argument[i].pointer && a->argument[i].value)
            set_link(&h, (struct poc_link){.argument = true,
                                           .index = i,
                                           .name = arena_strdup(&all->arena, a->argument[i].name)});
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        for (uint64_t at = o->base; at + word <= o->base + o->size && o->kind == POC_GLOBAL; at += word)
            if (poc_object_at(a, poc_word_at(a, at)))
                set_link(&h,
                         (struct poc_link){.address = at, .name = poc_place_name(a, at, word, &all->arena)});
    }
    add_shape(all, &h);
}

void poc_shapes_free(struct poc_shapes *all)
{
    for (size_t i = 0; i < all->shape.len; i++)
        shape_free(&all->shape.data[i]);
    vec_free(&all->shape);
    arena_free(&all->arena);
}

/* ---- in a process ---- */

static bool in_place(struct program *p, const struct snapshot *old, const struct snapshot *s, struct match *m,
                     uint64_t *v)
{
    size_t n;
    uint64_t local = *v - old->base, there;
    if (!m || local >= UINT64_C(1) << 32 || !object_bytes(program_object(p), local, &n))
        return true;
    if (!match_data(m, local, &there, NULL))
        return false;
    *v = there + s->base;
    return true;
}

bool poc_shape_patches(const struct poc_shape *h, struct program *p, const struct snapshot *old,
                       const struct snapshot *s, struct match *m, poc_patches *out)
{
    const struct ir_machine *machine = s->m;
    unsigned word = machine->pointer_width / 8;
    uint64_t sp = 0, used = s->pool.cls[0].used;
    memcpy(&sp, s->registers + machine->sp, word);
    for (size_t i = 0; i < h->link.len; i++) {
        const struct poc_link *l = &h->link.data[i];
        struct poc_patch one = {.at = l->address, .value = l->value, .bytes = word};
        if (l->argument && l->index < machine->nargs) {
            one.is_register = true;
            one.at = machine->arg[l->index];
        } else if (l->argument) {
            one.at = sp + machine->stack_arg + (uint64_t)(l->index - machine->nargs) * word;
        } else if (!in_place(p, old, s, m, &one.at)) {
            return false;
        }
        if (!in_place(p, old, s, m, &one.value))
            return false;
        vec_push(out, one);
    }
    for (size_t i = 0; i < h->fresh.len; i++) {
        const struct poc_fresh *f = &h->fresh.data[i];
        const struct guard_class *k = &s->pool.cls[0];
        uint64_t index = (f->base - k->base) / (2 * k->bytes), slot = k->first + index;
        used = index >= used ? index + 1 : used;
        vec_push(out, (struct poc_patch){.at = s->pool_at + offsetof(struct guard_pool, size) + slot * 8,
                                         .value = f->size,
                                         .bytes = 8});
        vec_push(out, (struct poc_patch){.at = s->pool_at + offsetof(struct guard_pool, state) + slot,
                                         .value = GUARD_LIVE,
                                         .bytes = 1});
    }
    if (h->fresh.len)
        vec_push(out, (struct poc_patch){.at = s->pool_at + offsetof(struct guard_pool, cls) +
                                               offsetof(struct guard_class, used),
                                         .value = used,
                                         .bytes = 8});
    return true;
}

bool poc_shape_snapshot(const poc_patches *patch, const struct snapshot *s, struct snapshot *out)
{
    bool ok = true;
    snapshot_copy(s, out);
    for (size_t i = 0; i < patch->len; i++) {
        const struct poc_patch *p = &patch->data[i];
        if (p->is_register)
            snapshot_register_set(out, (unsigned)p->at, p->value);
        else
            ok = ok && snapshot_write(out, p->at, &p->value, p->bytes);
    }
    return ok;
}

void poc_shape_close(const struct poc_shape *h, struct poc_abstract *a)
{
    unsigned word = a->s->m->pointer_width / 8;
    for (size_t i = 0; i < h->fresh.len; i++)
        if (h->fresh.data[i].text)
            map_set(&a->closed, h->fresh.data[i].base + h->fresh.data[i].size - word, 1);
}

const char *poc_shape_text(const struct poc_shape *h, struct arena *arena)
{
    struct buf b = BUF_INIT;
    for (size_t i = 0; i < h->link.len; i++) {
        const struct poc_link *l = &h->link.data[i];
        buf_printf(&b, "%s%s = %s", b.len ? ", " : "", l->name,
                   !l->value               ? "NULL"
                   : fresh_at(h, l->value) ? "a new object"
                                           : "a function");
    }
    const char *out = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}
