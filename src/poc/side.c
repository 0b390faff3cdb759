/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program explored from its abstract state. Callees of the program and of the guarding allocator are
 * followed; functions of other libraries are taken for their documented effects. A path that comes to
 * something of which nothing is known, or to a bound, has no end that counts. */
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "poc/bounds.h"
#include "poc/check.h"
#include "poc/follow.h"
#include "poc/near.h"

static const char *const kind_name[] = {
    [POC_NONE] = "none",
    [POC_NULL] = "null pointer",
    [POC_OVERFLOW] = "access out of bounds",
    [POC_FREED] = "use after free",
    [POC_DIVISION] = "division by zero",
    [POC_QUOTIENT] = "quotient too large",
    [POC_DOUBLE_FREE] = "invalid free",
    [POC_ABORT] = "abort",
    [POC_ASSERTION] = "assertion",
    [POC_SMASHED] = "stack smashed",
    [POC_TRAP] = "trap",
    [POC_SIGNED] = "signed overflow",
};

const char *poc_kind_name(enum poc_kind k)
{
    return kind_name[k];
}

const char *poc_verdict_name(enum poc_verdict v)
{
    static const char *const name[] = {"refuted", "doubtful", "not refuted", "proved", "unknown"};
    return name[v];
}

bool poc_crash_same(const struct poc_crash *a, const struct poc_crash *b)
{
    return a->kind == b->kind && a->kind != POC_NONE &&
           (!a->function || !b->function || strcmp(a->function, b->function) == 0);
}

bool poc_crash_here(const struct poc_crash *a, const struct poc_crash *b)
{
    if (a->size && b->size)
        return a->base == b->base;
    return !a->line || !b->line || !a->column || !b->column || (a->line == b->line && a->column == b->column);
}

static void see_line(struct poc_crash *c, struct program *p, uint64_t address)
{
    struct object_line l;
    if (p && object_debug_line(program_object(p), address, &l)) {
        c->line = l.line;
        c->column = l.column;
    }
}

/* Functions of the guard that fault on purpose. */
static enum poc_kind despair(const char *function, enum poc_kind otherwise)
{
    static const struct {
        const char *name;
        enum poc_kind kind;
    } all[] = {{"abort", POC_ABORT},
               {"raise", POC_DIVISION},
               {"__assert_fail", POC_ASSERTION},
               {"__stack_chk_fail", POC_SMASHED},
               {"__chk_fail", POC_ABORT},
               {"free", POC_DOUBLE_FREE}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(function, all[i].name) == 0)
            return all[i].kind;
    return otherwise;
}

struct poc_crash poc_crash_of(const struct watch_run *w, struct program *p, const char *guard_file,
                              struct program *guard)
{
    struct poc_crash c = {0};
    if (w->end != WATCH_CRASH)
        return c;
    switch (w->signal) {
    case 11: /* SIGSEGV */
    case 7:
        c.kind = w->chunk == GUARD_FREED             ? POC_FREED
                 : w->addressed && w->address < 4096 ? POC_NULL
                                                     : POC_OVERFLOW;
        break;
    case 8:
        c.kind = w->quotient ? POC_QUOTIENT : POC_DIVISION;
        break;
    case 6:
        c.kind = POC_ABORT;
        break;
    default:
        c.kind = POC_TRAP;
        break;
    }
    if (w->chunk_size && c.kind == POC_OVERFLOW) {
        c.base = w->chunk_base;
        c.size = w->chunk_size;
    }
    struct program *in = NULL;
    char *own = p ? realpath(object_info(program_object(p))->name, NULL) : NULL;
    if (w->place.file && guard && strcmp(w->place.file, guard_file) == 0)
        in = guard;
    else if (w->place.file && own && strcmp(w->place.file, own) == 0)
        in = p;
    free(own);
    const struct flow_function *f = in ? program_function_covering(in, w->place.address) : NULL;
    if (f) {
        c.function = f->name;
        if (in == guard)
            c.kind = despair(f->name, c.kind);
        else
            see_line(&c, p, w->place.address);
    }
    return c;
}

/* ---- what the executor asks ---- */

/* Whether a text that is known stores nothing where it is a format. */
static bool only_prints(const struct poc_side *side, const struct exec_moment *at, unsigned argument)
{
    enum { MOST = 256 };
    struct terms *t = side->t;
    const struct ir_machine *m = side->s->m;
    uint64_t text, c = 0;
    if (argument >= m->nargs || !term_const_u64(t, moment_register(at, m->arg[argument], m->pointer_width), &text))
        return false;
    bool inside = false; /* of a conversion */
    for (unsigned i = 0; i < MOST; i++) {
        if (!term_const_u64(t, moment_load(at, term_const(t, m->pointer_width, text + i), 8), &c) || (inside && c == 'n'))
            return false;
        if (!c)
            return true;
        if (c == '%')
            inside = !inside;
        else if (inside && !strchr("0123456789 #+-.*'hljztLqI$", (int)c))
            inside = false;
    }
    return false;
}

/* Output to a stream: what changes are the library's own things, which no other code looks at. */
static bool is_output(const struct poc_side *side, const struct exec_moment *at, const struct exec_callee *c)
{
    enum { NO_FORMAT = -1 };
    static const struct {
        const char *name;
        int format; /* argument */
    } all[] = {{"fprintf", 1},       {"__fprintf_chk", 2},  {"fputs", NO_FORMAT},
               {"fputc", NO_FORMAT}, {"putc", NO_FORMAT},   {"_IO_putc", NO_FORMAT},
               {"fwrite", NO_FORMAT}, {"fflush", NO_FORMAT}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, c->name) == 0)
            return all[i].format == NO_FORMAT || only_prints(side, at, (unsigned)all[i].format);
    return false;
}

/* The thread's errno gets a place of its own, at the far end of the stack: the code that knows the real one
 * is the C library's. What was in it is not known. */
static bool gives_errno(struct poc_side *side, struct exec_moment *at, const struct exec_callee *c)
{
    enum { PLACE = 64 };
    const struct ir_machine *m = side->s->m;
    uint64_t sp = 0;
    if (!c->name || c->f || strcmp(c->name, "__errno_location") != 0)
        return false;
    memcpy(&sp, side->s->registers + m->sp, m->pointer_width / 8);
    const struct snapshot_part *stack = snapshot_part_at(side->s, sp);
    if (!stack || sp - stack->low < POC_REAL)
        return false;
    moment_set(at, m->ret, term_const(side->t, m->pointer_width, stack->low + PLACE));
    side->kept = true;
    return true;
}

static struct exec_call on_call(void *ctx, struct exec_moment *at, const struct exec_callee *c)
{
    struct poc_side *side = ctx;
    if (gives_errno(side, at, c))
        return (struct exec_call){.kind = EXEC_CALL_ONLY};
    if (c->name && strcmp(c->name, "guard_protect") == 0)
        return (struct exec_call){.kind = EXEC_CALL_ONLY};
    if (c->name && !c->f && is_output(side, at, c)) {
        side->printed = true;
        return (struct exec_call){.kind = EXEC_CALL_ONLY, .changes = &side->s->m->ret, .nchanges = 1};
    }
    bool allocator = c->f && c->name && c->file && side->near;
    if (allocator && strcmp(c->name, "malloc") == 0)
        near_allocates(side, at);
    if (allocator && strcmp(c->name, "free") == 0 && bounds_frees(side, at))
        return (struct exec_call){.kind = EXEC_CALL_ONLY};
    if (c->f)
        return (struct exec_call){.kind = EXEC_CALL_FOLLOW};
    return (struct exec_call){0};
}

/* The word of the abstract state that a term is read from; 0: none. */
static uint64_t cell_of(const struct poc_side *side, term x)
{
    const struct terms *t = side->t;
    uint64_t at;
    if (term_kind(t, x) != TERM_READ || term_width(t, x) != side->s->m->pointer_width)
        return 0;
    return origin_is(t, term_kid(t, x, 0), ORIGIN_MEMORY) && term_const_u64(t, term_kid(t, x, 1), &at) ? at
                                                                                                       : 0;
}

/* What a pointer is made from; an index is added to it. */
static void see_pointer(struct poc_side *side, term x, unsigned fuel)
{
    const struct terms *t = side->t;
    unsigned i;
    uint64_t at = cell_of(side, x);
    if (at) {
        vec_push(&side->pointer, at);
    } else if (origin_is_argument(t, x, &i) && i < 32) {
        side->pointer_args |= 1u << i;
    } else if (term_kind(t, x) == OP_ADD && fuel) {
        /* only one that stands alone: with a known base the rest is an index */
        term base;
        uint64_t off;
        term_split(t, x, &base, &off);
        if (base != TERM_NONE && base != x && (off < 65536 || off > -UINT64_C(65536)))
            see_pointer(side, base, fuel - 1);
    }
}

static bool see_index_leaf(void *ctx, term x)
{
    struct poc_side *side = ctx;
    const struct terms *t = side->t;
    unsigned i;
    uint64_t at;
    if (origin_is_argument(t, x, &i) && i < 32)
        side->index_args |= 1u << i;
    else if (term_kind(t, x) == TERM_READ && origin_is(t, term_kid(t, x, 0), ORIGIN_MEMORY) &&
             term_const_u64(t, term_kid(t, x, 1), &at))
        poc_keep_bytes(&side->index, at, term_width(t, x) / 8);
    return false;
}

/* What an address in an object that has pointers hangs on: it selects which. */
static void see_index(struct poc_side *side, term address)
{
    term base;
    uint64_t from;
    term_split(side->t, address, &base, &from);
    const struct poc_object *o = base == TERM_NONE ? NULL : poc_object_at(side->a, from);
    if (o && !o->leaf)
        term_any(side->t, base, see_index_leaf, side);
}

/* Overflows that do not leave a chunk, from one part of it into the next, are behaviour like any other to
 * whoever only looks for faults, and nothing says where its parts end. So what goes through it is marked, and
 * what goes further than its first element. */
static void mark_watched(struct poc_side *side, struct exec_moment *at, term address, unsigned bytes,
                         bool write)
{
    struct terms *t = side->t;
    const unsigned width = side->s->m->pointer_width;
    const uint64_t size = side->watched_size;
    term base, off;
    uint64_t a;
    term_split(t, address, &base, &a);
    const struct poc_size *z = bounds_open_size(side, address);
    const bool own = bounds_grown(side, at, address, &off);
    if (!own && a - side->watched >= (z ? z->most : size))
        return;
    /* nor is it an overflow what happens in every state, nor that the function reads its own array somewhere */
    if (term_is_const(t, address) && (term_is_true(t, moment_condition(at)) ||
                                      (!write && side->watched_flat && moment_file(at) == 0)))
        return;
    if (!own)
        off = term_bin(t, OP_SUB, address, term_const(t, width, side->watched));
    const term wraps = bounds_wraps(side, address), first = term_const(t, width, bytes);
    const term in = own || z ? term_true(t) : term_bin(t, OP_ULT, off, term_const(t, width, size));
    check_mark(side, at, POC_THROUGH, term_or(t, in, wraps));
    check_mark(side, at, POC_BEYOND, term_or(t, term_and(t, in, term_bin(t, OP_ULE, first, off)), wraps));
}

/* Whether the memory could hold something else in another run: it can be written, and is neither open nor the
 * call's own, nor the allocator's. */
static bool is_kept(const struct poc_side *side, uint64_t a)
{
    const struct snapshot *s = side->s;
    const struct ir_machine *m = s->m;
    uint64_t sp = 0;
    memcpy(&sp, s->registers + m->sp, m->pointer_width / 8);
    uint64_t top = sp + m->stack_arg + (uint64_t)side->a->narguments * (m->pointer_width / 8);
    if (a < POC_REAL || snapshot_below(s, a, top) || poc_object_at(side->a, a))
        return false;
    if (s->guarded && (guard_class_of(&s->pool, a) >= 0 || a - s->pool_at < sizeof s->pool))
        return false;
    const struct snapshot_part *p = snapshot_part_at(s, a);
    return p && p->write;
}

const char *poc_not_general(const struct poc_side *side)
{
    const struct poc_abstract *a = side->a;
    const struct object_function_debug *d = object_debug_function(program_object(side->p), side->f->address);
    if (!d || d->nparams != a->narguments || d->variadic)
        return "not all that the call is given is known";
    if (side->signed_checked)
        return "which arithmetic is signed is told by types only";
    if (!side->s->guarded && a->object.len)
        return "bounds of blocks of memory are not known";
    if (a->sizes || a->closed_args || a->kept.len || side->pointer.len || side->pointer_args)
        return "numbers are kept that belong to pointers";
    if (side->kept)
        return "memory is read that is kept as it was";
    if (a->object.len > 1)
        return "how objects point to each other is kept";
    for (size_t i = 0; i < a->object.len; i++) {
        const struct poc_object *o = &a->object.data[i];
        if (!o->leaf || !o->type || o->type->size != o->size || o->kind == POC_STRING || o->kind == POC_STACK)
            return "sizes of objects are kept";
        for (uint64_t at = o->base; at < o->base + o->size; at++)
            if (!poc_is_open(a, at))
                return "pointers in objects are kept";
    }
    for (size_t i = 0; i < side->class.len; i++)
        if (!side->class.data[i].known)
            return "not every path came to an end";
    if (side->printed)
        return "what output reads is not checked";
    return side->whole ? NULL : "a bound was reached";
}

static void on_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned cells,
                      bool write, term guard, uint64_t site)
{
    (void)at, (void)guard, (void)site;
    struct poc_side *side = ctx;
    uint64_t a;
    if (space)
        return;
    if (side->watched_size)
        mark_watched(side, (struct exec_moment *)at, address, cells, write);
    if (!term_const_u64(side->t, address, &a)) {
        see_pointer(side, address, 4);
        see_index(side, address);
        return;
    }
    uint64_t offset = a - side->s->base;
    if (!write && offset < UINT64_C(1) << 30 && object_symbol_at(program_object(side->p), offset, NULL))
        vec_push(&side->read, a);
    if (!write && !side->kept)
        side->kept = is_kept(side, a);
    if (!write && cells == side->s->m->pointer_width / 8)
        map_set(&side->touched, a, 1);
}

/* ---- classes ---- */

static const char *function_at(struct poc_side *side, unsigned file, uint64_t address)
{
    struct program *p = file == 0 ? side->p : side->guard;
    const struct flow_function *f = p ? program_function_covering(p, address) : NULL;
    return f ? f->name : NULL;
}

/* Whether an access that begins in a chunk which is there goes on behind its slot. */
static bool is_behind(const struct poc_side *side, const struct exec_path *path, const struct guard_class *k,
                      uint64_t a)
{
    struct terms *t = side->t;
    uint64_t at = a - k->base, slot = k->first + at / (2 * k->bytes), state;
    term now = term_read(t, path->memory,
                         term_const(t, side->s->m->pointer_width,
                                    side->s->pool_at + offsetof(struct guard_pool, state) + slot),
                         8);
    return (at + path->fault->bytes - 1) & k->bytes && term_const_u64(t, now, &state) && state != GUARD_FREED;
}

static struct poc_crash crash_of_path(struct poc_side *side, const struct exec_path *path)
{
    struct poc_crash c = {.function = function_at(side, path->end_file, path->end_address)};
    struct terms *t = side->t;
    if (path->end_file == 0)
        see_line(&c, side->p, path->end_address);
    if (path->end == PATH_TRAP) {
        c.kind = path->trap == TRAP_DIVISION   ? POC_DIVISION
                 : path->trap == TRAP_QUOTIENT ? POC_QUOTIENT
                                               : POC_TRAP;
        return c;
    }
    switch (path->fault->kind) {
    case FAULT_NULL:
        c.kind = POC_NULL;
        break;
    case FAULT_DIVISION:
        c.kind = POC_DIVISION;
        break;
    default: {
        uint64_t a;
        term base;
        struct guard_chunk chunk;
        c.kind = POC_OVERFLOW;
        term_split(t, path->fault->address, &base, &a);
        if (side->s->guarded && guard_chunk_at(&side->s->pool, a, &chunk)) {
            c.base = chunk.base;
            c.size = chunk.size;
        }
        if (!side->s->guarded || !term_const_u64(t, path->fault->address, &a))
            break;
        if (bounds_open_size(side, path->fault->address)) {
            uint64_t state;
            term at = term_const(t, side->s->m->pointer_width,
                                 side->s->pool_at + offsetof(struct guard_pool, state) + chunk.slot);
            if (!term_const_u64(t, term_read(t, path->memory, at, 8), &state) || state != GUARD_FREED)
                break;
            c.kind = POC_FREED;
            c.size = 0;
            break;
        }
        int k = guard_class_of(&side->s->pool, a);
        if (k >= 0 && !((a - side->s->pool.cls[k].base) & side->s->pool.cls[k].bytes) &&
            !is_behind(side, path, &side->s->pool.cls[k], a)) {
            c.kind = POC_FREED;
            c.size = 0;
        }
        break;
    }
    }
    if (path->end_file && c.function)
        c.kind = despair(c.function, c.kind);
    return c;
}

static bool is_exit(const struct program *p, const char *name)
{
    const struct flow_library_entry *l = name ? flow_library_find(program_library(p), name) : NULL;
    return l && (l->like == LIKE_EXIT || l->attrs & LIBRARY_JUMP);
}

/* The path, under one more condition. */
static const struct exec_path *path_when(struct poc_side *side, const struct exec_path *path, term when)
{
    struct arena *arena = &side->arena;
    struct exec_path *p = arena_dup(arena, path, sizeof *path);
    unsigned n = path->nliterals;
    term *literal = arena_array(arena, term, n + 1);
    uint32_t *block = arena_array(arena, uint32_t, n + 1), *after = arena_array(arena, uint32_t, n + 1);
    for (unsigned i = 0; i < n; i++) {
        literal[i] = path->literal[i];
        block[i] = path->literal_block[i];
        after[i] = path->literal_after[i];
    }
    literal[n] = when;
    block[n] = UINT32_MAX;
    after[n] = path->nblocks;
    p->literal = literal;
    p->literal_block = block;
    p->literal_after = after;
    p->nliterals = n + 1;
    p->condition = term_and(side->t, path->condition, when);
    return p;
}

/* A path that ends well but where signed arithmetic overflows is several classes. True when none of them ends
 * well. */
static bool split_signed(struct poc_side *side, struct poc_class *c)
{
    enum { MOST = 8 };
    struct check_overflow all[MOST];
    unsigned n = check_overflows(side, c->path, all, MOST);
    for (unsigned i = 0; i < n; i++) {
        struct poc_class bad = *c;
        bad.path = path_when(side, c->path, all[i].when);
        bad.crash = (struct poc_crash){.kind = POC_SIGNED, .function = side->f->name};
        if (all[i].site)
            see_line(&bad.crash, side->p, all[i].site);
        if (solve_check(side->solver, bad.path->literal, bad.path->nliterals, NULL) == SOLVE_UNSAT)
            continue;
        map_set(&side->unspoken, all[i].when, 1);
        map_set(&side->unspoken, term_not(side->t, all[i].when), 1);
        vec_push(&side->class, bad);
        c->path = path_when(side, c->path, term_not(side->t, all[i].when));
        if (solve_check(side->solver, c->path->literal, c->path->nliterals, NULL) == SOLVE_UNSAT)
            return true;
    }
    term unclear = side->signed_strict ? check_unclear(side, c->path) : term_false(side->t);
    if (term_is_false(side->t, unclear))
        return false;
    map_set(&side->unspoken, term_not(side->t, unclear), 1);
    c->path = path_when(side, c->path, term_not(side->t, unclear));
    side->whole = false;
    side->reason = side->reason ? side->reason : "arithmetic that overflows, if it is signed";
    return false;
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct poc_side *side = ctx;
    struct poc_class c = {.path = path};
    switch (path->end) {
    case PATH_FAULT:
    case PATH_TRAP:
        c.crash = crash_of_path(side, path);
        c.known = true;
        break;
    case PATH_RETURN:
    case PATH_TAIL_CALL:
        c.known = true;
        break;
    case PATH_NORETURN: {
        const char *name = path->nevents ? path->event[path->nevents - 1].name : NULL;
        c.known = is_exit(side->p, name);
        if (name && (strcmp(name, "abort") == 0 || strcmp(name, "__assert_fail") == 0 ||
                     strcmp(name, "__stack_chk_fail") == 0)) {
            c.known = true;
            c.crash = (struct poc_crash){despair(name, POC_ABORT), name};
        }
        break;
    }
    default:
        break;
    }
    /* what an unknown callee left in memory is no memory of the process */
    for (unsigned i = 0; i < path->nevents && c.known; i++)
        if (path->event[i].kind != EVENT_INTRINSIC && path->event[i].mem_made != TERM_NONE) {
            c.known = false;
            c.reason = path->event[i].name ? path->event[i].name : "a function through a pointer";
        }
    if (!c.known) {
        side->whole = false;
        if (!side->reason)
            side->reason = c.reason ? c.reason : path_end_name((enum path_end)path->end);
    }
    if (side->near && c.known)
        near_guides(side, path->condition, c.guide, POC_GUIDES);
    if (side->signed_checked && c.known && !c.crash.kind && split_signed(side, &c))
        return true;
    vec_push(&side->class, c);
    return true;
}

term poc_argument_symbol(struct terms *t, unsigned width, unsigned i)
{
    return origin_symbol(t, (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = i}, width);
}

static term argument_value(struct poc_side *side, unsigned i)
{
    struct terms *t = side->t;
    const struct poc_argument *arg = &side->a->argument[i];
    unsigned width = side->s->m->pointer_width;
    if (arg->pointer || side->a->concrete || (side->a->closed_args | side->a->size_args) >> i & 1)
        return TERM_NONE;
    term sym = poc_argument_symbol(t, width, i);
    return arg->bits == width ? sym : term_zext(t, term_extract(t, sym, 0, arg->bits), width);
}

/* As exec_policy_look, but that only what the hooks say is followed. */
static const struct exec_policy policy = {
    .arguments = EXEC_ARGUMENTS_SET, .callee_code = true, .escapes = true};

/* What one exploration of it may take, or judging it: where sizes are open, a little, as paths are many there and only
 * inputs count. */
static uint64_t work_of(const struct poc_side *side)
{
    enum { SIZES = 16, TRIAL = 10, GLANCE = 8 };
    uint64_t most = side->a->open_sizes ? side->opt->work / SIZES : side->opt->work;
    return side->glance ? most / TRIAL / GLANCE : side->trial ? most / TRIAL : most;
}

uint64_t poc_side_left(const struct poc_side *side)
{
    enum { LEAST = 20 };
    uint64_t one = work_of(side), all = 2 * side->opt->work, used = *terms_work(side->t) - side->begun;
    uint64_t left = used < all ? all - used : 0, least = one / LEAST;
    return left > one ? one : left > least ? left : least;
}

bool poc_side_tells(const struct poc_side *side)
{
    for (size_t i = 0; i < side->class.len; i++)
        if (side->class.data[i].known)
            return true;
    return false;
}

typedef VEC(term) term_vec;

static void assume(struct poc_side *side, term_vec *all, term x)
{
    vec_push(all, x);
    map_set(&side->unspoken, x, 1);
}

/* Where a bound ended the exploration of the original, nothing else is compared than the few classes that it came to. */
static void assume_classes(struct poc_side *side, term_vec *all)
{
    enum { FEW = 4 };
    const struct poc_side *old = side->against;
    const struct exec_path *one = NULL;
    term any = term_false(side->t);
    unsigned n = 0;
    for (size_t i = 0; i < old->class.len; i++)
        if (old->class.data[i].known) {
            one = old->class.data[i].path;
            any = term_or(side->t, any, one->condition);
            n++;
        }
    for (unsigned i = 0; n == 1 && i < one->nliterals; i++)
        assume(side, all, one->literal[i]);
    if (n > 1 && n <= FEW)
        assume(side, all, any);
}

/* In each of the original's classes by itself: what that decided the same way need not be asked again. */
static bool explore_classes(struct poc_side *side, struct exec_start *start, struct error *err)
{
    const struct poc_side *old = side->against;
    bool ok = true;
    for (size_t i = 0; i < old->class.len && ok; i++) {
        const struct exec_path *path = old->class.data[i].path;
        if (!old->class.data[i].known)
            continue;
        start->assume = path->literal;
        start->nassumed = path->nliterals;
        near_begin(side, old->class.data[i].guide, POC_GUIDES, 1);
        ok = explore_start(side->x, start, on_path, side, err);
    }
    return ok;
}

static void forget_classes(struct poc_side *side)
{
    for (size_t i = 0; i < side->class.len; i++)
        term_model_free(side->class.data[i].nearest);
    vec_clear(&side->class);
}

static struct poc_query query_of(const struct poc_side *side, const term *x, size_t n, size_t assumed)
{
    return (struct poc_query){.of = side->against ? side->against : side,
                              .x = x,
                              .n = n,
                              .facts = n - 1 - assumed,
                              .nfacts = assumed};
}

static bool on_ask(void *ctx, const term *x, size_t n, size_t assumed, enum solve_answer *answer)
{
    const struct poc_side *side = ctx;
    const struct poc_query q = query_of(side, x, n, assumed);
    return poc_answers_known(side->answers, side->solver, side->t, &q, true, answer);
}

static void on_answer(void *ctx, const term *x, size_t n, size_t assumed, enum solve_answer answer,
                      bool brief)
{
    const struct poc_side *side = ctx;
    const struct poc_query q = query_of(side, x, n, assumed);
    poc_answers_put(side->answers, side->t, &q, answer, brief && answer == SOLVE_UNKNOWN);
}

bool poc_explore(struct poc_side *side, struct error *err)
{
    const struct ir_machine *m = side->s->m;
    struct terms *t = side->t;
    bool near_old = side->against && side->against->others;
    explorer_free(side->x);
    near_free(side->near);
    side->near = NULL;
    follow_free(side->follow);
    side->follow = side->against && !near_old ? follow_new(side->against) : NULL;
    forget_classes(side);
    vec_clear(&side->pointer);
    vec_clear(&side->read);
    map_clear(&side->touched);
    side->pointer_args = 0;
    map_clear(&side->index);
    side->index_args = 0;
    side->kept = false;
    side->printed = false;
    side->whole = true;
    side->reason = NULL;
    side->hooks = (struct explore_hooks){.ctx = side, .call = on_call, .access = on_access, .known = on_ask, .learnt = on_answer};
    struct explore_options opt = {.visits = side->visits ? side->visits : side->opt->visits,
                                  .free_concrete = true,
                                  .max_paths = side->opt->paths,
                                  .inline_depth = 32,
                                  .axioms = AXIOM_LITERAL,
                                  .work = poc_side_left(side),
                                  .faults =
                                      FAULT_NULL | FAULT_UNMAPPED | (side->checked ? FAULT_DIVISION : 0),
                                  .prune = true,
                                  .recursion = 8,
                                  .keep_regs = true,
                                  .policy = &policy,
                                  .hooks = &side->hooks,
                                  .bias = side->s->base};
    side->hooks.few = side->others || near_old;
    if (side->hooks.few)
        side->hooks.choose = near_choose;
    else if (side->follow)
        side->hooks.choose = follow_choose;
    if (near_old)
        opt.work = opt.work / (side->against->class.len + 1) + 1;
    if (side->checked || side->members)
        check_find_locals(side);
    side->x = explorer_new(side->p, t, side->solver, &opt);
    if (side->guard)
        explorer_map(side->x, side->guard, side->guard_base);
    side->memory = (struct exec_snapshot){.page = side->a->page,
                                          .npages = side->a->npages,
                                          .unmapped = bounds_unmapped,
                                          .within = bounds_within,
                                          .ctx = side};
    VEC(struct exec_set) set = VEC_INIT;
    for (unsigned i = 0; i < m->nreg; i++) {
        const struct machine_register *r = &m->reg[i];
        bool flag = r->pseudo && strncmp(r->name, "<cc", 3) == 0;
        if ((r->pseudo && !flag) || r->offset == m->pc || r->width % 8)
            continue;
        struct bits v = bits_from_bytes(side->s->registers + r->offset, r->width / 8);
        for (unsigned k = 0; k < m->nargs && k < side->a->narguments; k++)
            if (m->arg[k] == r->offset && r->width == m->pointer_width &&
                argument_value(side, k) != TERM_NONE)
                goto next;
        vec_push(&set, (struct exec_set){r->offset, term_const_bits(t, r->width, v)});
    next:;
    }
    term *arg = xcalloc(side->a->narguments + 1, sizeof *arg);
    for (unsigned i = 0; i < side->a->narguments; i++)
        arg[i] = argument_value(side, i);
    term_vec assumed = VEC_INIT;
    for (size_t i = 0; side->a->open_sizes && i < side->a->size.len; i++) {
        const struct poc_size *z = &side->a->size.data[i];
        if (poc_size_of(side->a, z->base) == z)
            assume(side, &assumed, bounds_size_holds(side, z));
    }
    if (side->others)
        near_begin(side, NULL, 0, side->others);
    if (side->others || near_old) {
        side->whole = false;
        side->reason = "only paths near that of the proof of concept";
    }
    if (side->against && !side->against->whole && !near_old)
        assume_classes(side, &assumed);
    struct exec_start start = {.f = side->f,
                               .snapshot = &side->memory,
                               .arg = arg,
                               .nargs = side->a->narguments,
                               .set = set.data,
                               .nsets = (unsigned)set.len,
                               .assume = assumed.data,
                               .nassumed = (unsigned)assumed.len};
    bool ok = near_old ? explore_classes(side, &start, err) : explore_start(side->x, &start, on_path, side, err);
    struct explore_stats stats = explorer_stats(side->x);
    side->limited = stats.dropped != 0 || (near_old && near_left_out(side->near));
    if (stats.dropped || stats.unknown_effects || stats.undecoded) {
        side->whole = false;
        side->reason = side->reason    ? side->reason
                       : stats.dropped ? "a limit of paths or work"
                                       : "an instruction that is not understood";
    }
    free(arg);
    vec_free(&assumed);
    vec_free(&set);
    return ok;
}

void poc_side_free(struct poc_side *side)
{
    explorer_free(side->x);
    side->x = NULL;
    near_free(side->near);
    follow_free(side->follow);
    forget_classes(side);
    vec_free(&side->class);
    vec_free(&side->pointer);
    vec_free(&side->read);
    map_free(&side->touched);
    map_free(&side->index);
    vec_free(&side->local);
    map_free(&side->unspoken);
    arena_free(&side->arena);
}
