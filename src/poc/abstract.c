/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The abstract snapshot. Roots are the arguments of the call and the globals of the program that it reads on
 * the proof of concept; objects are found from there breadth first: chunks of the heap, globals, what a typed
 * pointer into the stack points to, strings. A word that holds the address of something is an edge and stays
 * as it is, so shapes, aliases and cycles are kept, and pointers to code are; everything else in objects
 * becomes open. Objects of the file that cannot be written stay. Without types a word that holds 0 is taken
 * for a number until the code uses it as an address (poc_abstract_close). */
#include <string.h>

#include "poc/poc.h"
#include "tell/spell.h"

enum { OBJECTS_MAX = 4096, OBJECT_MAX = 1 << 16, STRING_MAX = 4096 };

static uint64_t word_at(const struct poc_abstract *a, uint64_t address, bool *there)
{
    size_t n;
    unsigned bytes = a->s->m->pointer_width / 8;
    const uint8_t *p = snapshot_at(a->s, address, &n);
    uint64_t v = 0;
    *there = p && n >= bytes;
    if (*there)
        memcpy(&v, p, bytes);
    return v;
}

uint64_t poc_word_at(const struct poc_abstract *a, uint64_t address)
{
    bool there;
    return word_at(a, address, &there);
}

static bool is_pointer(const struct poc_abstract *a, uint64_t v)
{
    return v >= 4096 && snapshot_part_at(a->s, v) != NULL;
}

const struct poc_object *poc_object_at(const struct poc_abstract *a, uint64_t address)
{
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        if (address - o->base < o->size)
            return o;
    }
    return NULL;
}

static bool is_text(const struct object_type_info *t)
{
    return t && t->size == 1 && (t->kind == TYPE_INT || t->kind == TYPE_BOOL);
}

/* The object a pointer leads to; false: none that is known and can be written. */
static bool object_of(struct poc_abstract *a, struct program *p, uint64_t v,
                      const struct object_type_info *target, struct poc_object *out)
{
    const struct snapshot *s = a->s;
    struct guard_chunk chunk;
    const struct snapshot_part *part = snapshot_part_at(s, v);
    if (!part || !part->write || part->exec)
        return false;
    if (s->guarded && guard_chunk_at(&s->pool, v, &chunk)) {
        if (chunk.state != GUARD_LIVE || v >= chunk.base + chunk.size)
            return false;
        *out = (struct poc_object){.base = chunk.base, .size = chunk.size, .kind = POC_HEAP};
        out->type = v == chunk.base ? target : NULL;
        return true;
    }
    uint64_t offset;
    const struct object_symbol *sym = object_symbol_at(program_object(p), v - s->base, &offset);
    if (sym && sym->type == SYMBOL_OBJECT && sym->size && offset < sym->size) {
        *out = (struct poc_object){.base = v - offset, .size = sym->size, .kind = POC_GLOBAL};
        out->type = offset ? NULL : target;
        return true;
    }
    uint64_t sp = 0;
    memcpy(&sp, s->registers + s->m->sp, s->m->pointer_width / 8);
    if (v < sp || snapshot_part_at(s, sp) != part || !target)
        return false;
    if (is_text(target)) {
        size_t n;
        const uint8_t *text = snapshot_at(s, v, &n);
        size_t len = strnlen((const char *)text, n < STRING_MAX ? n : STRING_MAX);
        *out = (struct poc_object){.base = v, .size = len, .kind = POC_STRING, .type = NULL};
        return len > 0 && len < STRING_MAX;
    }
    *out = (struct poc_object){.base = v, .size = target->size, .kind = POC_STACK, .type = target};
    return target->size > 0;
}

static void add_object(struct poc_abstract *a, struct program *p, uint64_t v,
                       const struct object_type_info *target, const char *name, unsigned depth, size_t from)
{
    struct poc_object o;
    if (a->object.len >= OBJECTS_MAX || poc_object_at(a, v) || !object_of(a, p, v, target, &o) ||
        o.size > OBJECT_MAX)
        return;
    o.depth = depth;
    o.name = name;
    o.from = from;
    vec_push(&a->object, o);
}

/* The type of the word at an offset of an object. */
const struct object_type_info *poc_type_at(const struct poc_object *o, uint64_t offset, uint64_t bytes,
                                           struct buf *path)
{
    if (!o->type || !o->type->size)
        return NULL;
    uint64_t i = offset / o->type->size;
    if (o->size > o->type->size && path)
        buf_printf(path, "[%llu]", (unsigned long long)i);
    if (is_text(o->type) || o->type->kind == TYPE_INT || o->type->kind == TYPE_POINTER)
        return offset % o->type->size == 0 && bytes == o->type->size ? o->type : NULL;
    struct buf unused = BUF_INIT;
    const struct object_type_info *t =
        words_part_at(o->type, offset % o->type->size, bytes, path ? path : &unused);
    buf_free(&unused);
    return t;
}

const char *poc_place_name(const struct poc_abstract *a, uint64_t address, unsigned bytes,
                           struct arena *arena)
{
    const struct poc_object *o = poc_object_at(a, address);
    const struct poc_size *z = o ? NULL : poc_size_at(a, address);
    if (z && (o = poc_object_at(a, z->base)))
        return arena_printf(arena, "the size of %s", o->name);
    if (!o)
        return arena_printf(arena, "*(0x%llx)", (unsigned long long)address);
    uint64_t offset = address - o->base;
    struct buf path = BUF_INIT;
    const char *out;
    bool known = poc_type_at(o, offset, bytes, &path) != NULL;
    const char *text = buf_text(&path);
    if (known && text[0] == '.')
        out = arena_printf(arena, "%s->%s", o->name, text + 1);
    else if (known && text[0])
        out = arena_printf(arena, "%s%s", o->name, text);
    else if (known)
        out = o->kind == POC_GLOBAL ? o->name : arena_printf(arena, "*%s", o->name);
    else if (bytes == 1)
        out = arena_printf(arena, "%s[%llu]", o->name, (unsigned long long)offset);
    else if (o->kind == POC_GLOBAL && offset == 0 && bytes == o->size)
        out = o->name;
    else
        out = arena_printf(arena, "*(u%u *)(%s + %llu)", bytes * 8, o->name, (unsigned long long)offset);
    buf_free(&path);
    return out;
}

/* Whether the address is in an object, or in one that it was reached through: such an edge closes a cycle. */
static bool leads_back(const struct poc_abstract *a, size_t i, uint64_t v)
{
    for (; i != SIZE_MAX; i = a->object.data[i].from)
        if (v - a->object.data[i].base < a->object.data[i].size)
            return true;
    return false;
}

static void walk(struct poc_abstract *a, struct program *p)
{
    unsigned word = a->s->m->pointer_width / 8;
    for (size_t i = 0; i < a->object.len; i++) {
        struct poc_object o = a->object.data[i];
        bool leaf = true;
        if (o.kind == POC_STRING) {
            a->object.data[i].leaf = true;
            continue;
        }
        for (uint64_t at = (o.base + word - 1) / word * word; at + word <= o.base + o.size; at += word) {
            bool there;
            uint64_t v = word_at(a, at, &there);
            if (!there || !is_pointer(a, v))
                continue;
            leaf = leaf && leads_back(a, i, v);
            const struct object_type_info *t = poc_type_at(&o, at - o.base, word, NULL);
            add_object(a, p, v, t && t->kind == TYPE_POINTER ? t->target : NULL,
                       poc_place_name(a, at, word, &a->arena), o.depth + 1, i);
        }
        a->object.data[i].leaf = leaf;
    }
}

static void find_arguments(struct poc_abstract *a, struct program *p, const struct flow_function *f)
{
    const struct ir_machine *m = a->s->m;
    const struct object_function_debug *d = object_debug_function(program_object(p), f->address);
    int known = d ? (int)d->nparams : flow_prototype(p, f).nargs;
    unsigned n = known < 0 ? m->nargs : (unsigned)known, word = m->pointer_width / 8;
    struct poc_argument *arg = arena_array(&a->arena, struct poc_argument, n + 1);
    uint64_t sp = 0;
    memcpy(&sp, a->s->registers + m->sp, word);
    for (unsigned i = 0; i < n; i++) {
        const struct object_type_info *t = d ? d->param[i].type : NULL;
        /* arguments in several words, or in other registers, are not counted with the rest */
        if (t && (t->kind == TYPE_FLOAT || t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->size > word))
            break;
        uint64_t v = 0;
        bool there = true;
        if (i < m->nargs)
            memcpy(&v, a->s->registers + m->arg[i], word);
        else
            v = word_at(a, sp + m->stack_arg + (uint64_t)(i - m->nargs) * word, &there);
        if (!there)
            break;
        arg[i] = (struct poc_argument){
            .name = d && d->param[i].name ? d->param[i].name : arena_printf(&a->arena, "arg%u", i),
            .type = t,
            .bits = t && t->size && t->size < word ? (unsigned)t->size * 8 : word * 8,
            .value = v};
        arg[i].pointer = (t ? t->kind == TYPE_POINTER : false) || is_pointer(a, v);
        if (arg[i].bits < 64)
            arg[i].value &= (UINT64_C(1) << arg[i].bits) - 1;
        a->narguments = i + 1;
    }
    a->argument = arg;
}

/* The page that has the address; npages: none has. */
static size_t page_of(const struct poc_abstract *a, uint64_t address)
{
    size_t low = 0, high = a->npages;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (address < a->page[mid].address)
            high = mid;
        else if (address - a->page[mid].address >= a->page[mid].size)
            low = mid + 1;
        else
            return mid;
    }
    return a->npages;
}

static void open_bytes(struct poc_abstract *a, uint64_t address, uint64_t n, bool open)
{
    while (n) {
        const size_t i = page_of(a, address);
        const uint64_t at = i < a->npages ? address - a->page[i].address : 0;
        uint64_t here = i < a->npages ? a->page[i].size - at : 1;
        here = here < n ? here : n;
        if (i < a->npages && !a->open[i] && open)
            a->page[i].open = a->open[i] = arena_array(&a->arena, uint8_t, a->page[i].size);
        if (i < a->npages && a->open[i])
            memset(a->open[i] + at, open, here);
        address += here;
        n -= here;
    }
}

bool poc_is_open(const struct poc_abstract *a, uint64_t address)
{
    size_t i = page_of(a, address);
    return i < a->npages && a->open[i] && a->open[i][address - a->page[i].address];
}

/* The value is how much a chunk that is pointed to beside it holds: in bytes, or in elements where types say
 * how large one is. A state in which the two disagree is none that a program makes. */
static bool is_size(const struct poc_abstract *a, uint64_t pointer, const struct object_type_info *target,
                    uint64_t v, struct poc_size *out)
{
    struct guard_chunk chunk;
    if (!a->s->guarded || !guard_chunk_at(&a->s->pool, pointer, &chunk) || chunk.base != pointer ||
        chunk.state != GUARD_LIVE)
        return false;
    uint64_t scale = v == chunk.size ? 1 : target && target->size > 1 ? target->size : 0;
    /* behind a slot is as much that nobody uses */
    uint64_t room = a->s->pool.cls[guard_class_of(&a->s->pool, pointer)].bytes;
    uint64_t least = a->roomy ? 32 : 16, more = chunk.size < least ? least : chunk.size;
    *out = (struct poc_size){.base = chunk.base,
                             .size = chunk.size,
                             .scale = scale,
                             .most = chunk.size + (more < room ? more : room)};
    return scale && v * scale == chunk.size;
}

const struct poc_size *poc_size_at(const struct poc_abstract *a, uint64_t address)
{
    for (size_t i = 0; a->open_sizes && i < a->size.len; i++)
        if (!a->size.data[i].argument && a->size.data[i].address == address)
            return &a->size.data[i];
    return NULL;
}

bool poc_is_grown(const struct poc_abstract *a, uint64_t address)
{
    for (size_t i = 0; a->open_sizes && i < a->size.len; i++) {
        const struct poc_size *z = &a->size.data[i];
        if (address >= z->base + z->size && address < z->base + z->most)
            return true;
    }
    return false;
}

const struct poc_size *poc_size_of(const struct poc_abstract *a, uint64_t base)
{
    for (size_t i = 0; a->open_sizes && i < a->size.len; i++)
        if (a->size.data[i].base == base)
            return &a->size.data[i];
    return NULL;
}

/* A number as wide as its type says; else as a pointer is, where the upper half is 0. */
static unsigned size_bytes(const struct poc_abstract *a, const struct poc_object *o, uint64_t at)
{
    uint64_t offset = at - o->base;
    bool there;
    if (a->s->m->pointer_width != 64 || at % 8 || poc_type_at(o, offset, 4, NULL) || offset + 8 > o->size)
        return 4;
    return word_at(a, at, &there) >> 32 || !there ? 4 : 8;
}

/* Whether an object can have had another size: one of its type cannot. */
bool poc_is_sized(const struct poc_object *o)
{
    return o->kind == POC_HEAP && !(o->type && o->type->size == o->size && o->size > 1);
}

/* The chunk that is overflowed, where no number says how large it is: inputs may make it larger. */
static void open_own_size(struct poc_abstract *a)
{
    const struct poc_object *o = a->overflowed ? poc_object_at(a, a->overflowed) : NULL;
    struct poc_size one;
    struct guard_chunk chunk;
    if (!o || o->base != a->overflowed || !poc_is_sized(o) || poc_size_of(a, o->base) ||
        !guard_chunk_at(&a->s->pool, o->base, &chunk) || !is_size(a, o->base, NULL, chunk.size, &one))
        return;
    one.own = true;
    one.address =
        a->s->pool_at + offsetof(struct guard_pool, size) + (uint64_t)chunk.slot * sizeof a->s->pool.size[0];
    one.bytes = sizeof a->s->pool.size[0];
    vec_push(&a->size, one);
    open_bytes(a, one.address, one.bytes, true);
}

/* Smaller numbers are many things, but where all that is asked for is whether the one chunk can be larger. */
static uint64_t least_size(const struct poc_abstract *a, uint64_t pointer)
{
    return a->open_sizes && pointer == a->overflowed ? 1 : 2;
}

/* Members of an object that are sizes of what other members point to; arguments likewise. They are kept, or
 * are what the bounds are told by. */
static void find_sizes(struct poc_abstract *a)
{
    unsigned word = a->s->m->pointer_width / 8;
    struct poc_size one;
    vec_clear(&a->size);
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        for (uint64_t at = (o->base + word - 1) / word * word; at + word <= o->base + o->size; at += word) {
            bool there;
            uint64_t pointer = word_at(a, at, &there);
            if (!there || !is_pointer(a, pointer))
                continue;
            const struct object_type_info *t = poc_type_at(o, at - o->base, word, NULL);
            for (uint64_t k = (o->base + 3) / 4 * 4; k + 4 <= o->base + o->size; k += 4) {
                size_t n;
                const uint8_t *p = snapshot_at(a->s, k, &n);
                uint32_t v = 0;
                if (!p || n < 4)
                    continue;
                memcpy(&v, p, 4);
                if (v < least_size(a, pointer) ||
                    !is_size(a, pointer, t && t->kind == TYPE_POINTER ? t->target : NULL, v, &one))
                    continue;
                one.address = k;
                one.bytes = size_bytes(a, o, k);
                vec_push(&a->size, one);
                if (!a->open_sizes)
                    open_bytes(a, k, 4, false);
            }
        }
    }
    a->size_args = 0;
    for (unsigned i = 0; i < a->narguments; i++)
        for (unsigned k = 0; k < a->narguments && i < 32; k++)
            if (a->argument[k].pointer && !a->argument[i].pointer &&
                a->argument[i].value >= least_size(a, a->argument[k].value) &&
                is_size(a, a->argument[k].value, a->argument[k].type ? a->argument[k].type->target : NULL,
                        a->argument[i].value, &one)) {
                one.argument = true;
                one.index = i;
                one.bytes = a->argument[i].bits / 8;
                vec_push(&a->size, one);
                a->size_args |= a->open_sizes ? 0 : 1u << i;
            }
    a->sizes = !a->open_sizes && a->size.len;
    if (a->open_sizes)
        open_own_size(a);
}

static void open_objects(struct poc_abstract *a)
{
    unsigned word = a->s->m->pointer_width / 8;
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        open_bytes(a, o->base, o->size, true);
        if (o->kind == POC_STRING)
            continue;
        for (uint64_t at = (o->base + word - 1) / word * word; at + word <= o->base + o->size; at += word) {
            bool there;
            uint64_t v = word_at(a, at, &there);
            const struct object_type_info *t = poc_type_at(o, at - o->base, word, NULL);
            bool typed = t && t->kind == TYPE_POINTER;
            if (!there || !(is_pointer(a, v) || typed || map_get(&a->closed, at, NULL)))
                continue;
            open_bytes(a, at, word, false);
        }
    }
    uint64_t at, bytes;
    for (size_t i = 0; (i = map_next(&a->kept, i, &at, &bytes));)
        open_bytes(a, at, bytes, false);
}

static void make_pages(struct poc_abstract *a)
{
    static const uint8_t zero[1 << 16];
    const struct snapshot *s = a->s;
    size_t n = 0;
    for (size_t i = 0; i < s->nparts; i++)
        n += s->part[i].byte ? 1 : (s->part[i].high - s->part[i].low + sizeof zero - 1) / sizeof zero;
    a->page = arena_array(&a->arena, struct exec_page, n + 1);
    a->open = arena_array(&a->arena, uint8_t *, n + 1);
    for (size_t i = 0; i < s->nparts; i++) {
        const struct snapshot_part *p = &s->part[i];
        uint64_t size = p->high - p->low;
        if (p->byte) {
            a->page[a->npages++] = (struct exec_page){p->low, p->byte, size, NULL};
            continue;
        }
        for (uint64_t at = 0; at < size; at += sizeof zero)
            a->page[a->npages++] = (struct exec_page){
                p->low + at, zero, size - at < sizeof zero ? size - at : sizeof zero, NULL};
    }
}

static void open_again(struct poc_abstract *a)
{
    for (size_t i = 0; i < a->npages; i++)
        if (a->open[i])
            memset(a->open[i], 0, a->page[i].size);
    if (a->concrete)
        return;
    open_objects(a);
    find_sizes(a);
}

void poc_abstract_make(struct poc_abstract *a, struct program *p, const struct flow_function *f,
                       const struct snapshot *s)
{
    *a = (struct poc_abstract){.s = s};
    make_pages(a);
    find_arguments(a, p, f);
    for (unsigned i = 0; i < a->narguments; i++)
        if (a->argument[i].pointer)
            add_object(a, p, a->argument[i].value, a->argument[i].type ? a->argument[i].type->target : NULL,
                       a->argument[i].name, 0, SIZE_MAX);
    walk(a, p);
    open_again(a);
}

void poc_abstract_globals(struct poc_abstract *a, struct program *p, const uint64_t *read, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t offset;
        const struct object_symbol *sym = object_symbol_at(program_object(p), read[i] - a->s->base, &offset);
        if (sym && sym->type == SYMBOL_OBJECT && sym->size && offset < sym->size && !sym->undefined)
            add_object(a, p, read[i] - offset, NULL, arena_strdup(&a->arena, sym->name), 0, SIZE_MAX);
    }
    walk(a, p);
    open_again(a);
}

bool poc_abstract_close(struct poc_abstract *a, const struct poc_side *by)
{
    bool new = (by->pointer_args & ~a->closed_args) != 0;
    a->closed_args |= by->pointer_args;
    for (size_t i = 0; i < by->pointer.len; i++)
        new |= map_set(&a->closed, by->pointer.data[i], 1);
    if (new)
        open_again(a);
    return new;
}

bool poc_keep_bytes(struct map *kept, uint64_t at, uint64_t bytes)
{
    uint64_t before;
    if (map_get(kept, at, &before) && before >= bytes)
        return false;
    map_set(kept, at, bytes);
    return true;
}

bool poc_abstract_keep(struct poc_abstract *a, const struct poc_side *by)
{
    uint64_t at, bytes;
    bool new = (by->index_args & ~a->closed_args) != 0;
    a->kept_args |= by->index_args;
    a->closed_args |= by->index_args;
    for (size_t i = 0; (i = map_next(&by->index, i, &at, &bytes));)
        new |= poc_keep_bytes(&a->kept, at, bytes);
    if (new)
        open_again(a);
    return new;
}

void poc_abstract_room(struct poc_abstract *a, bool roomy)
{
    a->roomy = roomy;
    open_again(a);
}

void poc_abstract_keep_as(struct poc_abstract *a, const struct poc_abstract *other)
{
    uint64_t at, bytes;
    for (size_t i = 0; (i = map_next(&other->kept, i, &at, &bytes));)
        poc_keep_bytes(&a->kept, at, bytes);
    a->kept_args = other->kept_args;
    a->closed_args |= a->kept_args;
}

void poc_abstract_follow(struct poc_abstract *a, const struct poc_abstract *old, struct program *p,
                         struct match *m)
{
    uint64_t key, value;
    a->closed_args = old->closed_args;
    poc_abstract_keep_as(a, old);
    a->open_sizes = old->open_sizes;
    a->overflowed = old->overflowed;
    a->roomy = old->roomy;
    for (size_t i = 0; (i = map_next(&old->closed, i, &key, &value));)
        map_set(&a->closed, key, 1);
    VEC(uint64_t) global = VEC_INIT;
    for (size_t i = 0; i < old->object.len; i++) {
        uint64_t there;
        const struct poc_object *o = &old->object.data[i];
        if (o->kind == POC_GLOBAL && match_data(m, o->base - old->s->base, &there, NULL))
            vec_push(&global, there + a->s->base);
    }
    poc_abstract_globals(a, p, global.data, global.len);
    vec_free(&global);
}

void poc_abstract_free(struct poc_abstract *a)
{
    vec_free(&a->object);
    vec_free(&a->size);
    map_free(&a->closed);
    map_free(&a->kept);
    arena_free(&a->arena);
}
