/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runpair OLD NEW RUNS SEED FUNCTION...: runs both versions of each function on the interpreter, on random
 * inputs, and says whether they ever do something else. No solver and no symbolic execution is involved.
 *
 * All of memory is there: what the file has, else bytes that follow from the address and the seed. What the
 * function takes and returns is read from debug information. Functions of the file are run. Others are noted
 * by name, give a number that follows from it, and change no memory, but for those that copy, fill or measure
 * memory, which do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/concrete.h"
#include "flow/flow.h"
#include "flow/library.h"
#include "lift/lift.h"
#include "object/object.h"

enum { STEPS_MAX = 20000, CALLS_MAX = 32, ARGS_MAX = 16, BYTES_MAX = 4096 };
static const uint64_t return_address = 0xc0ffee0;

struct side {
    struct program *p;
    const struct object *o;
    const struct ir_machine *m;
    const struct flow_function *f;
    struct concrete *c;
    struct arena code;
    struct map block; /* label -> struct ir_block * */
    uint64_t seed, sp;
    VEC(uint64_t) written; /* outside of the frame */
    bool unable, ended;    /* not to be told; a call did not return, or a trap */
    bool unset;            /* what nobody wrote to the frame was read */
    const char *called[CALLS_MAX];
    unsigned ncalls;
};

static uint64_t word(const struct side *s, unsigned offset)
{
    return bits_low(concrete_get(s->c, offset, s->m->pointer_width));
}

static void put_word(struct side *s, unsigned offset, uint64_t x)
{
    concrete_set(s->c, offset, s->m->pointer_width, bits_u64(x, s->m->pointer_width));
}

static bool in_image(const struct side *s, uint64_t address)
{
    uint8_t byte;
    return object_read(s->o, address, &byte, 1);
}

static bool in_stack(const struct side *s, uint64_t address)
{
    return address + 0x100000 - s->sp < 0x100000 + 4096;
}

/* Small numbers and zeros are common. What nobody wrote to the frame lies elsewhere in the other version. */
static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell)
{
    struct side *s = ctx;
    s->unset = s->unset || (address < s->sp && in_stack(s, address));
    uint64_t x = hash_u64(address ^ s->seed * UINT64_C(0x9e3779b97f4a7c15));
    if (space != 0)
        return false;
    if (!object_read(s->o, address, cell, 1))
        *cell = x % 4 == 0 ? 0 : x % 4 == 1 ? (uint8_t)(x >> 8) % 8 : (uint8_t)(x >> 8);
    return true;
}

static void watch(void *ctx, unsigned space, uint64_t address, unsigned cells, bool write)
{
    struct side *s = ctx;
    for (unsigned i = 0; i < cells && space == 0 && write && !in_stack(s, address); i++)
        vec_push(&s->written, address + i);
}

static bool side_open(struct side *s, const char *path)
{
    struct error err = {0};
    s->p = program_open(path, NULL, &err);
    if (!s->p) {
        fprintf(stderr, "runpair: %s\n", err.text);
        return false;
    }
    s->o = program_object(s->p);
    s->m = program_machine(s->p);
    s->c = concrete_new(s->m, lift_pures(), fill, s);
    concrete_watch(s->c, watch, s);
    s->sp = s->m->pointer_width == 64 ? UINT64_C(0x7ffd5ea10008) : 0xbea1000c;
    s->sp &= s->m->call_pushes ? UINT64_MAX : ~UINT64_C(15);
    return true;
}

static void side_close(struct side *s)
{
    if (!s->p)
        return;
    concrete_free(s->c);
    map_free(&s->block);
    arena_free(&s->code);
    vec_free(&s->written);
    program_free(s->p);
}

static uint64_t plain(const struct side *s, ir_label label)
{
    return s->m->arch == MACHINE_ARM ? label & ~UINT64_C(1) : label;
}

static const struct ir_block *block_at(struct side *s, ir_label label)
{
    uint64_t known;
    size_t room;
    if (map_get(&s->block, label, &known))
        return (const struct ir_block *)(uintptr_t)known;
    const uint8_t *bytes =
        object_is_exec(s->o, plain(s, label)) ? object_bytes(s->o, plain(s, label), &room) : NULL;
    if (!bytes)
        return NULL;
    struct ir_block *b = arena_new(&s->code, struct ir_block);
    lift_block(program_lifter(s->p), label, bytes, room, 0, &s->code, b);
    map_set(&s->block, label, (uint64_t)(uintptr_t)b);
    return b;
}

static ir_label label_of(const struct side *s, const struct flow_function *f)
{
    return s->m->arch == MACHINE_ARM && f->flags & FLOW_THUMB ? f->address | 1 : f->address;
}

/* ---- functions of other files ---- */

static uint64_t argument(struct side *s, unsigned i)
{
    uint8_t bytes[8] = {0};
    unsigned unit = s->m->pointer_width / 8;
    if (i < s->m->nargs)
        return word(s, s->m->arg[i]);
    concrete_read(s->c, 0, word(s, s->m->sp) + s->m->stack_arg + (i - s->m->nargs) * unit, bytes, unit);
    return bits_low(bits_from_bytes(bytes, unit));
}

static void store(struct side *s, uint64_t to, const uint8_t *from, uint64_t n)
{
    concrete_write(s->c, 0, to, from, n);
    for (uint64_t i = 0; i < n; i++)
        if (!in_stack(s, to + i))
            vec_push(&s->written, to + i);
}

/* What the function means, where that is all it does; false: it is noted. */
static bool by_meaning(struct side *s, const struct flow_library_entry *l, uint64_t *result)
{
    uint8_t bytes[BYTES_MAX];
    uint64_t to = argument(s, 0), from = argument(s, 1), n = argument(s, 2);
    switch (l ? l->like : LIKE_NONE) {
    case LIKE_MEMCPY:
    case LIKE_MEMMOVE:
    case LIKE_MEMSET:
        s->unable = n > sizeof bytes || (l->like == LIKE_MEMCPY && (to - from < n || from - to < n));
        if (s->unable)
            return true;
        if (l->like == LIKE_MEMSET)
            memset(bytes, (int)from, n);
        else
            concrete_read(s->c, 0, from, bytes, n);
        store(s, to, bytes, n);
        *result = to;
        return true;
    case LIKE_STRLEN:
        for (n = 0; n < sizeof bytes && concrete_read(s->c, 0, to + n, bytes, 1) && *bytes; n++)
            ;
        *result = n;
        return true;
    default:
        /* Compared by what they compute, which is not known here. */
        s->unable = l && (l->attrs & (LIBRARY_PURE | LIBRARY_CONST) || l->like != LIKE_NONE) && !l->noreturn;
        return s->unable;
    }
}

/* False: it does not return. */
static bool call_other(struct side *s, const char *name)
{
    const struct flow_library_entry *l = flow_library_find(program_library(s->p), name);
    uint64_t result = hash_u64(hash_bytes(name, strlen(name)) ^ s->seed ^ s->ncalls);
    result = result % 3 == 0 ? 0 : result % 3 == 1 ? (result >> 8) % 16 : (result >> 8) & 0x7fffffff;
    bool meant = by_meaning(s, l, &result);
    if (s->unable)
        return true;
    if (!meant && s->ncalls == CALLS_MAX) {
        s->unable = true;
        return true;
    }
    if (!meant)
        s->called[s->ncalls++] = name;
    for (unsigned i = 0; i < s->m->nargs; i++)
        put_word(s, s->m->arg[i], hash_u64(result + i));
    put_word(s, s->m->ret, result);
    return !(l && l->noreturn);
}

/* ---- a run ---- */

static void begin(struct side *s, const uint64_t *arg, unsigned nargs, uint64_t seed)
{
    uint16_t at, width;
    uint8_t bytes[8];
    unsigned unit = s->m->pointer_width / 8;
    s->seed = seed;
    s->unable = s->ended = s->unset = false;
    s->ncalls = 0;
    concrete_reset(s->c);
    for (unsigned i = 0; i < s->m->nsaved; i++)
        put_word(s, s->m->saved[i], hash_u64(seed + i) & 0x7fffffff);
    if (machine_register_find(s->m, "<dflag>", &at, &width))
        concrete_set(s->c, at, width, bits_u64(1, width));
    static const char *const thread[] = {"fs_base", "gs_base", "tpidr_el0", "tpidruro"};
    for (size_t i = 0; i < sizeof thread / sizeof *thread; i++)
        if (machine_register_find(s->m, thread[i], &at, &width) && width >= s->m->pointer_width)
            concrete_set(s->c, at, width, bits_u64(0x70000000, width));
    put_word(s, s->m->sp, s->sp);
    for (unsigned i = 0; i < nargs; i++) {
        bits_to_bytes(bits_u64(arg[i], s->m->pointer_width), bytes, unit);
        if (i < s->m->nargs)
            put_word(s, s->m->arg[i], arg[i]);
        else
            concrete_write(s->c, 0, s->sp + s->m->stack_arg + (i - s->m->nargs) * unit, bytes, unit);
    }
    bits_to_bytes(bits_u64(return_address, s->m->pointer_width), bytes, unit);
    if (s->m->call_pushes)
        concrete_write(s->c, 0, s->sp, bytes, unit);
    else
        put_word(s, s->m->lr, return_address);
    vec_clear(&s->written);
}

/* Goes on after a function of another file; false: it did not return. */
static bool pass_stub(struct side *s, ir_label *at)
{
    const struct object_stub *stub = object_stub_at(s->o, plain(s, *at));
    if (!stub)
        return true;
    const struct flow_function *f = stub->target ? program_function_at(s->p, stub->target) : NULL;
    if (f && !stub->ifunc) {
        *at = label_of(s, f);
        return true;
    }
    s->unable = !stub->name || stub->target;
    if (s->unable || !call_other(s, stub->name))
        return false;
    uint8_t back[8] = {0};
    unsigned unit = s->m->pointer_width / 8;
    uint64_t sp = word(s, s->m->sp);
    *at = word(s, s->m->call_pushes ? s->m->sp : s->m->lr);
    if (s->m->call_pushes) {
        concrete_read(s->c, 0, sp, back, unit);
        *at = bits_low(bits_from_bytes(back, unit));
        put_word(s, s->m->sp, sp + unit);
    }
    return !s->unable;
}

static void run(struct side *s)
{
    uint64_t steps = 0;
    for (ir_label at = label_of(s, s->f); plain(s, at) != return_address;) {
        s->ended = !pass_stub(s, &at);
        if (s->ended || s->unable || plain(s, at) == return_address)
            return;
        const struct ir_block *b = block_at(s, at);
        s->unable = !b || steps > STEPS_MAX;
        if (s->unable)
            return;
        struct concrete_result r = concrete_run_block(s->c, b);
        steps += r.steps + 1;
        s->ended = r.stop == CONCRETE_TRAP;
        s->unable = r.stop != CONCRETE_JUMP && r.stop != CONCRETE_CALL && r.stop != CONCRETE_RET && !s->ended;
        if (s->ended || s->unable)
            return;
        at = s->m->pointer_width == 32 ? (uint32_t)r.label : r.label;
    }
}

/* ---- two runs ---- */

static uint64_t word_at(struct side *s, uint64_t address)
{
    uint8_t bytes[8] = {0};
    unsigned unit = s->m->pointer_width / 8;
    concrete_read(s->c, 0, address & ~(uint64_t)(unit - 1), bytes, unit);
    return bits_low(bits_from_bytes(bytes, unit));
}

/* Addresses of the file's own things, and of locals, are others in the other version. */
static bool is_own_address(const struct side *s, uint64_t x)
{
    return in_image(s, x) || in_stack(s, x);
}

/* Where the other version has what lies there; false: that is not known. */
static bool counterpart(const struct side *s, const struct side *other, uint64_t at, uint64_t *there)
{
    uint64_t off;
    *there = at;
    if (!in_image(s, at))
        return !in_image(other, at);
    const struct object_symbol *y = object_symbol_at(s->o, at, &off),
                               *z = y ? object_symbol_by_name(other->o, y->name) : NULL;
    if (!z || y->type != SYMBOL_OBJECT || off >= y->size)
        return false;
    *there = z->address + off;
    return true;
}

/* The run ends the program, or returns a negative number: what a version does with such an input is its own
 * affair. */
static bool rejects(const struct side *s, unsigned result_bytes)
{
    return s->ended || (result_bytes > 1 && word(s, s->m->ret) >> (result_bytes * 8 - 1) & 1);
}

/* What they do differently, NULL: nothing. *unable: that cannot be told. */
static const char *compare(struct side s[2], unsigned result_bytes, bool *unable)
{
    *unable = s[0].unable || s[1].unable || s[0].unset || s[1].unset ||
              (rejects(&s[0], result_bytes) && rejects(&s[1], result_bytes));
    if (*unable)
        return NULL;
    if (s[0].ncalls != s[1].ncalls)
        return "the number of calls";
    for (unsigned i = 0; i < s[0].ncalls; i++)
        if (strcmp(s[0].called[i], s[1].called[i]) != 0)
            return "what is called";
    if (s[0].ended != s[1].ended)
        return "whether it comes back";
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < s[i].written.len; k++) {
            uint64_t at = s[i].written.data[k], there;
            uint8_t byte[2] = {0};
            if (!counterpart(&s[i], &s[!i], at, &there)) {
                *unable = true;
                return NULL;
            }
            concrete_read(s[i].c, 0, at, &byte[0], 1);
            concrete_read(s[!i].c, 0, there, &byte[1], 1);
            if (byte[0] != byte[1] && !(is_own_address(&s[i], word_at(&s[i], at)) &&
                                        is_own_address(&s[!i], word_at(&s[!i], there))))
                return "memory";
        }
    if (s[0].ended)
        return NULL;
    for (unsigned i = 0; i <= s->m->nsaved; i++) {
        unsigned at = i < s->m->nsaved ? s->m->saved[i] : s->m->sp;
        if (word(&s[0], at) != word(&s[1], at))
            return "a callee-saved register";
    }
    uint64_t mask = result_bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << result_bytes * 8) - 1;
    uint64_t x = word(&s[0], s->m->ret), y = word(&s[1], s->m->ret);
    return ((x ^ y) & mask) && !(is_own_address(&s[0], x) && is_own_address(&s[1], y)) ? "the result" : NULL;
}

/* Numbers and pointers that fit a register; *bytes of the result, 0: none. */
static bool is_plain(const struct side *s, const struct object_function_debug *d, unsigned *bytes)
{
    unsigned unit = s->m->pointer_width / 8;
    *bytes = 0;
    if (!d || d->nparams > ARGS_MAX || d->variadic)
        return false;
    for (size_t i = 0; i <= d->nparams; i++) {
        const struct object_type_info *t = i < d->nparams ? d->param[i].type : d->result;
        if (!t && i == d->nparams)
            return true;
        if (!t || t->size > unit ||
            (t->kind != TYPE_INT && t->kind != TYPE_BOOL && t->kind != TYPE_ENUM && t->kind != TYPE_POINTER))
            return !t || (t->kind == TYPE_VOID && i == d->nparams);
        if (i == d->nparams)
            *bytes = (unsigned)t->size;
    }
    return true;
}

/* As callers pass it: extended to a register. */
static uint64_t random_argument(const struct object_type_info *t, uint64_t seed, unsigned i)
{
    uint64_t x = hash_u64(seed * 64 + i + 1000003), v = x >> 16;
    if (t->kind == TYPE_POINTER)
        return x % 16 == 0 ? 0 : UINT64_C(0x20000000) + (x % 16 == 1 ? 0 : i) * 0x100000;
    if (t->kind == TYPE_BOOL)
        return v & 1;
    v = x % 4 == 0 ? v % 4 : x % 4 == 1 ? v % 64 : x % 4 == 2 ? -(v % 32) : v;
    unsigned bits = (unsigned)t->size * 8;
    uint64_t low = bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
    return t->is_signed && bits < 64 && low >> (bits - 1) ? low - (UINT64_C(1) << bits) : low;
}

/* Returns whether they differ. */
static bool run_function(struct side s[2], const char *name, unsigned long runs, uint64_t seed)
{
    struct error err = {0};
    unsigned bytes;
    unsigned long same = 0;
    for (int i = 0; i < 2; i++)
        s[i].f = program_function(s[i].p, name, &err);
    const struct object_function_debug *d = s[0].f ? object_debug_function(s[0].o, s[0].f->address) : NULL;
    if (!s[1].f || !is_plain(&s[0], d, &bytes)) {
        printf("unable %s\n", name);
        return false;
    }
    for (unsigned long k = 0; k < runs; k++) {
        uint64_t arg[ARGS_MAX];
        bool unable;
        for (unsigned i = 0; i < d->nparams; i++)
            arg[i] = random_argument(d->param[i].type, seed + k, i);
        for (int i = 0; i < 2; i++) {
            begin(&s[i], arg, (unsigned)d->nparams, seed + k);
            run(&s[i]);
        }
        const char *what = compare(s, bytes, &unable);
        if (what) {
            printf("differs %s: %s, in run %lu\n", name, what, k);
            return true;
        }
        same += !unable;
    }
    printf("%s %s: %lu of %lu runs\n", same ? "same" : "unable", name, same, runs);
    return false;
}

int main(int argc, char **argv)
{
    struct side s[2] = {{0}, {0}};
    bool differs = false;
    if (argc < 6) {
        fprintf(stderr, "usage: runpair OLD NEW RUNS SEED FUNCTION...\n");
        return 2;
    }
    bool ok = side_open(&s[0], argv[1]) && side_open(&s[1], argv[2]);
    for (int i = 5; i < argc && ok; i++)
        differs =
            run_function(s, argv[i], strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10)) || differs;
    side_close(&s[0]);
    side_close(&s[1]);
    return !ok ? 2 : differs;
}
