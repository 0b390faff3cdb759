/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target and the adapted inner function on the concrete interpreter.
 *
 * All of memory is there: an image of the file where it has one, else bytes that follow from the address and
 * the seed, so that both see the same. Callees in the same file are run. A system call is noted with its
 * arguments, and gives a number that follows from them. */
#include <stdlib.h>
#include <string.h>

#include "adapt/internal.h"
#include "exec/concrete.h"
#include "exec/lanes.h"

enum { STEPS_MAX = 20000, STEPS_MOST = 200000, SYSCALLS_MAX = 16 };

struct side_run {
    const struct summary *s;
    struct concrete *c;
    struct lanes *lanes; /* NULL: it does more than compute with registers */
    struct guest guest;
    uint64_t seed, sp;
    uint16_t general[ADAPT_REGISTERS], out; /* registers of a fragment, and that of its result */
    bool image_written;
    const struct adapt_region *region; /* outside these the target faults */
    size_t nregions;
    const uint64_t *arg;
    bool faulted;
    VEC(uint64_t) written;
    uint64_t steps_max;
    struct touches *touches; /* what is accessed near arguments goes there; or NULL */
    unsigned nargs;
};

/* How a run ended, and what can be seen of it. */
struct trace {
    bool unable, trapped;
    uint64_t result[2];
    uint64_t syscall[SYSCALLS_MAX][8];
    unsigned nsyscalls;
};

struct runner {
    struct adapt *a;
    struct side_run side[2];
};

static bool in_image(const struct side_run *s, uint64_t address)
{
    uint8_t byte;
    return object_read(program_object(s->s->code.p), address, &byte, 1);
}

static uint8_t byte_at(uint64_t seed, uint64_t address)
{
    return (uint8_t)hash_u64(address ^ seed * UINT64_C(0x9e3779b97f4a7c15));
}

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell)
{
    const struct side_run *s = ctx;
    if (space != 0)
        return false;
    if (!object_read(program_object(s->s->code.p), address, cell, 1))
        *cell = byte_at(s->seed, address);
    return true;
}

static bool in_stack(const struct side_run *s, uint64_t address)
{
    return address + 0x100000 - s->sp < 0x100000 + 1024;
}

static void touch(struct touches *t, unsigned arg, uint32_t offset, unsigned bytes, bool write)
{
    uint64_t key = (uint64_t)write << 60 | (uint64_t)arg << 48 | (uint64_t)bytes << 32 | offset;
    if (map_get(&t->seen, key, NULL))
        return;
    map_set(&t->seen, key, 1);
    vec_push(&t->list, (struct touch){arg, offset, bytes, write});
}

static void watch(void *ctx, unsigned space, uint64_t address, unsigned cells, bool write)
{
    struct side_run *s = ctx;
    if (space != 0 || in_stack(s, address))
        return;
    for (unsigned i = 0; s->touches && i < s->nargs; i++)
        if (address - s->arg[i] < ADAPT_STRUCTURE)
            touch(s->touches, i, (uint32_t)(address - s->arg[i]), cells, write);
    bool inside = !s->nregions || in_image(s, address);
    for (size_t i = 0; i < s->nregions && !inside; i++)
        inside =
            address - s->arg[s->region[i].arg] <= s->region[i].size - cells && cells <= s->region[i].size;
    s->faulted = s->faulted || !inside || address < 4096;
    if (!write)
        return;
    if (in_image(s, address))
        s->image_written = true;
    for (unsigned i = 0; i < cells; i++)
        vec_push(&s->written, address + i);
}

struct runner *runner_new(struct adapt *a)
{
    struct runner *r = xcalloc(1, sizeof *r);
    r->a = a;
    for (unsigned i = 0; i < 2; i++) {
        struct side_run *s = &r->side[i];
        s->s = i ? &a->inner : &a->target;
        s->c = concrete_new(s->s->m, lift_pures(), fill, s);
        concrete_watch(s->c, watch, s);
        s->lanes = lanes_new(s->s->m, lift_pures());
        if (!i && a->opt->modulo_faults) {
            s->region = a->opt->region;
            s->nregions = a->opt->nregions;
        }
        guest_init(&s->guest, s->s->code.p, 0);
        s->steps_max = STEPS_MAX;
        s->sp = guest_stack(s->s->m);
        const struct adapt_code *code = &s->s->code;
        for (unsigned k = 0; code->fragment && k < ADAPT_REGISTERS; k++)
            s->general[k] = fragment_register(code->p, k);
        s->out = code->fragment ? fragment_register(code->p, code->out)
                 : s->s->real   ? s->s->m->fret
                                : s->s->m->ret;
    }
    return r;
}

void runner_free(struct runner *r)
{
    for (unsigned i = 0; i < 2; i++) {
        concrete_free(r->side[i].c);
        lanes_free(r->side[i].lanes);
        guest_free(&r->side[i].guest);
        vec_free(&r->side[i].written);
    }
    free(r);
}

static uint64_t word(struct side_run *s, unsigned offset)
{
    return bits_low(concrete_get(s->c, offset, s->s->m->pointer_width));
}

static void put_word(struct side_run *s, unsigned offset, uint64_t x)
{
    unsigned width = s->s->m->pointer_width;
    concrete_set(s->c, offset, width, bits_u64(x, width));
}

static bool note_syscall(struct side_run *s, struct trace *t)
{
    const struct ir_machine *m = s->s->m;
    if (t->nsyscalls >= SYSCALLS_MAX || m->syscall_nr == UINT16_MAX || m->syscall_ret == UINT16_MAX)
        return false;
    uint64_t *x = t->syscall[t->nsyscalls++], hash = s->seed;
    memset(x, 0, 8 * sizeof *x);
    x[0] = word(s, m->syscall_nr);
    uint64_t second = m->nsyscall_args > 1 ? word(s, m->syscall_arg[1]) : 0;
    unsigned looks;
    if (!syscall_looks_at(m, x[0], &second, &looks))
        return false;
    for (unsigned i = 0; i < m->nsyscall_args && i < 7; i++) {
        if (!(looks >> i & 1))
            continue;
        x[i + 1] = word(s, m->syscall_arg[i]);
        if (in_stack(s, x[i + 1]))
            return false; /* what is there is not compared */
    }
    for (unsigned i = 0; i < 8; i++)
        hash = hash_u64(hash ^ x[i]);
    put_word(s, m->syscall_ret, syscall_answer(hash));
    return true;
}

static void set_promised(struct side_run *s)
{
    for (unsigned i = 0; i < s->guest.npromises; i++) {
        const struct guest_promise *x = &s->guest.promise[i];
        concrete_set(s->c, x->offset, x->width, bits_u64(x->value, x->width));
    }
}

static bool is_over(const struct side_run *s, ir_label at, uint64_t return_address)
{
    return s->s->code.fragment ? at == s->s->code.fragment->to : (at & ~UINT64_C(1)) == return_address;
}

static const uint64_t return_address = 0xc0ffee0;

/* Memory and registers as they are when it is called. */
static void begin(struct side_run *s, const uint64_t *arg, unsigned nargs, uint64_t seed)
{
    const struct ir_machine *m = s->s->m;
    unsigned unit = m->pointer_width / 8;
    s->seed = seed;
    s->image_written = s->faulted = false;
    s->arg = arg;
    s->nargs = nargs;
    concrete_reset(s->c);
    set_promised(s);
    put_word(s, m->sp, s->sp);
    uint8_t bytes[8];
    for (unsigned i = 0; i < nargs; i++) {
        if (summary_float_bits(s->s, i)) {
            put_word(s, m->farg[i - s->s->shape.words], arg[i]);
            continue;
        }
        if (s->s->code.fragment) {
            put_word(s, s->general[i], arg[i]);
            continue;
        }
        if (i < m->nargs) {
            put_word(s, m->arg[i], arg[i]);
            continue;
        }
        bits_to_bytes(bits_u64(arg[i], m->pointer_width), bytes, unit);
        concrete_write(s->c, 0, s->sp + m->stack_arg + (i - m->nargs) * unit, bytes, unit);
    }
    if (m->call_pushes) {
        bits_to_bytes(bits_u64(return_address, m->pointer_width), bytes, unit);
        concrete_write(s->c, 0, s->sp, bytes, unit);
    } else {
        put_word(s, m->lr, return_address);
    }
}

static void proceed(struct side_run *s, struct trace *t)
{
    const struct ir_machine *m = s->s->m;
    *t = (struct trace){0};
    vec_clear(&s->written);
    const struct adapt_fragment *fragment = s->s->code.fragment;
    ir_label at = guest_label(&s->guest, s->s->code.f);
    uint64_t steps = 0, resolver;
    while (!is_over(s, at, return_address)) {
        const struct ir_block *b = guest_through_stub(&s->guest, &at, &resolver)
                                       ? guest_block(&s->guest, at, fragment ? fragment->to : 0)
                                       : NULL;
        t->unable = !b || steps > s->steps_max;
        if (t->unable)
            return;
        struct concrete_result r = concrete_run_block(s->c, b);
        steps += r.steps + 1;
        switch (r.stop) {
        case CONCRETE_JUMP:
        case CONCRETE_CALL:
        case CONCRETE_RET:
            at = m->pointer_width == 32 ? (uint32_t)r.label : r.label;
            break;
        case CONCRETE_SYSCALL:
            if (!note_syscall(s, t)) {
                t->unable = true;
                return;
            }
            at = r.after;
            break;
        case CONCRETE_TRAP:
            t->trapped = true;
            return;
        default:
            t->unable = true;
            return;
        }
    }
    t->result[0] = word(s, s->out);
    t->result[1] = m->ret2 == UINT16_MAX ? 0 : word(s, m->ret2);
}

static void run(struct side_run *s, const uint64_t *arg, unsigned nargs, uint64_t seed, struct trace *t)
{
    begin(s, arg, nargs, seed);
    proceed(s, t);
}

static uint8_t finally(struct side_run *s, uint64_t address)
{
    uint8_t byte = 0;
    concrete_read(s->c, 0, address, &byte, 1);
    return byte;
}

static bool same_memory(struct runner *r)
{
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < r->side[i].written.len; k++) {
            uint64_t at = r->side[i].written.data[k];
            if (finally(&r->side[0], at) != finally(&r->side[1], at))
                return false;
        }
    return true;
}

int arguments_allowed(struct adapt *a, const uint64_t *arg)
{
    if (a->given == TERM_NONE)
        return 1;
    term value[ADAPT_ARGUMENTS];
    for (unsigned i = 0; i < a->target.nargs; i++)
        value[i] = term_const(a->t, a->width, arg[i]);
    term x = term_substitute(a->t, a->given, a->target.arg, value, a->target.nargs);
    return term_is_true(a->t, x) ? 1 : term_is_false(a->t, x) ? 0 : -1;
}

static bool same_result(const struct adapt *a, const struct adapter *d, const uint64_t *x, const uint64_t *y)
{
    return compared_part(&a->compared, x[0]) ==
               compared_part(&a->compared, value_number(&d->result, a->width, y)) &&
           (!a->compared.pair || x[1] == y[1]);
}

/* What can be seen of the two. */
static enum run_outcome compare(struct runner *r, const struct adapter *d, const struct trace *x,
                                const struct trace *y)
{
    const struct adapt *a = r->a;
    if (y->unable)
        return RUN_UNABLE;
    if (a->target.code.p != a->inner.code.p && (r->side[0].image_written || r->side[1].image_written))
        return RUN_UNABLE;
    if (x->trapped || y->trapped)
        return x->trapped == y->trapped ? RUN_SAME : RUN_DIFFERS;
    if (!same_result(a, d, x->result, y->result))
        return RUN_DIFFERS;
    if (x->nsyscalls != y->nsyscalls ||
        memcmp(x->syscall, y->syscall, x->nsyscalls * sizeof *x->syscall) != 0)
        return RUN_DIFFERS;
    return same_memory(r) ? RUN_SAME : RUN_DIFFERS;
}

/* What the target is not known to use is any number; what it uses is one that shows something. */
static void make_input(const struct adapt *a, uint64_t seed, uint64_t *arg)
{
    for (unsigned i = 0; i < a->target.nargs; i++)
        arg[i] = seed * ((2 * i + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - a->width);
    for (unsigned k = 0; k < a->target.nuse; k++)
        arg[a->target.use[k]] =
            test_argument(&a->target, a->target.use[k], seed * 16 + a->target.use[k] + 1000003);
}

static void make_adapted(const struct adapt *a, const struct adapter *d, const uint64_t *arg, uint64_t *to)
{
    for (unsigned i = 0; i < d->nargs; i++)
        to[i] = value_number(&d->arg[i], a->width, arg);
}

enum run_outcome runner_try(struct runner *r, const struct adapter *d, uint64_t seed)
{
    struct adapt *a = r->a;
    uint64_t arg[ADAPT_ARGUMENTS], to[ADAPT_ARGUMENTS];
    struct trace x, y;
    make_input(a, seed, arg);
    if (arguments_allowed(a, arg) != 1)
        return RUN_UNABLE;
    make_adapted(a, d, arg, to);
    run(&r->side[0], arg, a->target.nargs, seed, &x);
    if (x.unable || (a->opt->modulo_faults && (x.trapped || r->side[0].faulted)))
        return RUN_UNABLE;
    run(&r->side[1], to, d->nargs, seed, &y);
    return compare(r, d, &x, &y);
}

/* ---- many inputs at once ---- */

_Static_assert((int)RUN_LANES == (int)LANES, "as many as are run at once");

/* Registers as they are when it is called. False: it takes more than registers. */
static bool lane_begin(struct side_run *s, unsigned lane, const uint64_t *arg, unsigned nargs)
{
    const struct ir_machine *m = s->s->m;
    bool fragment = s->s->code.fragment;
    if (!fragment && (nargs > m->nargs || m->call_pushes || s->s->shape.floats || s->s->real))
        return false;
    for (unsigned i = 0; i < s->guest.npromises; i++) {
        const struct guest_promise *x = &s->guest.promise[i];
        lanes_set(s->lanes, lane, x->offset, x->width, x->value);
    }
    lanes_set(s->lanes, lane, m->sp, m->pointer_width, s->sp);
    for (unsigned i = 0; i < nargs; i++)
        lanes_set(s->lanes, lane, fragment ? s->general[i] : m->arg[i], m->pointer_width, arg[i]);
    lanes_set(s->lanes, lane, m->lr, m->pointer_width, return_address);
    return true;
}

static uint64_t lanes_at(const ir_label *at, uint64_t set, ir_label label)
{
    uint64_t same = 0;
    for (; set; set &= set - 1)
        if (at[__builtin_ctzll(set)] == label)
            same |= set & -set;
    return same;
}

static ir_label lowest(const ir_label *at, uint64_t set)
{
    ir_label label = UINT64_MAX;
    for (; set; set &= set - 1)
        if (at[__builtin_ctzll(set)] < label)
            label = at[__builtin_ctzll(set)];
    return label;
}

/* What is furthest behind goes on first, so that those that parted meet again. */
static bool lanes_proceed(struct side_run *s, unsigned n)
{
    const struct ir_machine *m = s->s->m;
    const struct adapt_fragment *fragment = s->s->code.fragment;
    ir_label at[LANES];
    uint64_t running = word_ones(n), resolver;
    for (unsigned i = 0; i < n; i++)
        at[i] = guest_label(&s->guest, s->s->code.f);
    for (uint64_t steps = 0; running;) {
        ir_label label = lowest(at, running), to = label;
        uint64_t set = lanes_at(at, running, label);
        if (is_over(s, label, return_address)) {
            running &= ~set;
            continue;
        }
        const struct ir_block *b = guest_through_stub(&s->guest, &to, &resolver)
                                       ? guest_block(&s->guest, to, fragment ? fragment->to : 0)
                                       : NULL;
        if (!b || steps > s->steps_max || !lanes_run_block(s->lanes, b, set, at))
            return false;
        steps += b->ninsn + 1;
        for (uint64_t rest = m->pointer_width == 32 ? set : 0; rest; rest &= rest - 1)
            at[__builtin_ctzll(rest)] = (uint32_t)at[__builtin_ctzll(rest)];
    }
    return true;
}

/* Arguments in, results out. False: one by one, as it does more than compute with registers; there are no lanes then any more. */
static bool run_lanes(struct side_run *s, const uint64_t (*arg)[ADAPT_ARGUMENTS], unsigned nargs, unsigned n,
                      uint64_t (*result)[2])
{
    const struct ir_machine *m = s->s->m;
    lanes_reset(s->lanes);
    bool ok = true;
    for (unsigned i = 0; i < n && ok; i++)
        ok = lane_begin(s, i, arg[i], nargs);
    ok = ok && lanes_proceed(s, n);
    for (unsigned i = 0; i < n && ok; i++) {
        result[i][0] = lanes_get(s->lanes, i, s->out, m->pointer_width);
        result[i][1] = m->ret2 == UINT16_MAX ? 0 : lanes_get(s->lanes, i, m->ret2, m->pointer_width);
    }
    if (ok)
        return true;
    lanes_free(s->lanes);
    s->lanes = NULL;
    return false;
}

enum run_outcome runner_try_many(struct runner *r, const struct adapter *d, uint64_t seed)
{
    struct adapt *a = r->a;
    uint64_t arg[LANES][ADAPT_ARGUMENTS], to[LANES][ADAPT_ARGUMENTS], x[LANES][2], y[LANES][2];
    if (a->given != TERM_NONE || !r->side[0].lanes || !r->side[1].lanes)
        return RUN_UNABLE;
    for (unsigned k = 0; k < LANES; k++) {
        make_input(a, seed + k, arg[k]);
        make_adapted(a, d, arg[k], to[k]);
    }
    if (!run_lanes(&r->side[0], arg, a->target.nargs, LANES, x) ||
        !run_lanes(&r->side[1], to, d->nargs, LANES, y))
        return RUN_UNABLE;
    for (unsigned k = 0; k < LANES; k++)
        if (!same_result(a, d, x[k], y[k]))
            return RUN_DIFFERS;
    return RUN_SAME;
}

/* ---- structures ---- */

enum { PLACES = 0x10000000, PLACE = 0x1000000, COPY = 0x70000000 };

/* Numbers for arguments: pointers lead to places of their own, or to one and the same, but never to that of
 * the structure; ADAPT_ARGUMENTS: each may be one. */
static void make_arguments(const struct adapt *a, uint32_t pointers, unsigned structure, uint64_t seed,
                           uint64_t *arg)
{
    enum { SMALL = 40 };
    for (unsigned i = 0; i < ADAPT_ARGUMENTS; i++) {
        uint64_t r = hash_u64(seed * 16 + i + 5000011);
        if (pointers >> i & 1)
            arg[i] = PLACES + i * PLACE + r % 16 * 16;
        else
            arg[i] = r % 8 == 0    ? test_word(seed * 16 + i + 1000003, a->width)
                     : r % 32 == 1 ? r / 32 % RUN_NUMBERS
                                   : r / 8 % SMALL;
    }
    unsigned from = (unsigned)(hash_u64(seed) % ADAPT_ARGUMENTS),
             to = (unsigned)(hash_u64(seed + 1) % ADAPT_ARGUMENTS);
    if (structure < ADAPT_ARGUMENTS && from != structure && to != structure && pointers >> from & 1 &&
        pointers >> to & 1)
        arg[to] = arg[from] + hash_u64(seed + 2) % 3;
}

static uint64_t entry_get(struct side_run *s, uint64_t at, unsigned bytes, bool sign, unsigned to)
{
    uint8_t byte[8] = {0};
    concrete_read(s->c, 0, at, byte, bytes);
    uint64_t x = bits_low(bits_from_bytes(byte, bytes));
    if (sign && bytes < 8 && x >> (bytes * 8 - 1))
        x |= ~UINT64_C(0) << bytes * 8;
    return to < 8 ? x & word_ones(to * 8) : x;
}

static void entry_put(struct side_run *s, uint64_t at, unsigned bytes, uint64_t x)
{
    uint8_t byte[8];
    bits_to_bytes(bits_u64(x & word_ones(bytes * 8), 64), byte, 8);
    concrete_write(s->c, 0, at, byte, bytes);
}

/* Entries of the target that are wider have what a narrow one can hold. */
static void settle_structure(struct side_run *s, const struct adapt_view *v, uint64_t at)
{
    for (unsigned i = 0; i < v->nfields; i++) {
        const struct adapt_field *f = &v->field[i];
        for (unsigned k = 0; f->inner_bytes < f->target_bytes && k < f->count; k++) {
            uint64_t there = at + f->target + k * f->target_bytes;
            entry_put(s, there, f->target_bytes,
                      entry_get(s, there, f->inner_bytes, f->sign, f->target_bytes));
        }
    }
}

static void copy_structure(struct side_run *s, const struct adapt_view *v, uint64_t at, bool in)
{
    for (unsigned i = 0; i < v->nfields; i++) {
        const struct adapt_field *f = &v->field[i];
        for (unsigned k = 0; k < f->count; k++) {
            uint64_t x = at + f->target + k * f->target_bytes, y = COPY + f->inner + k * f->inner_bytes;
            if (in)
                entry_put(s, y, f->inner_bytes, entry_get(s, x, f->target_bytes, f->sign, f->inner_bytes));
            else
                entry_put(s, x, f->target_bytes, entry_get(s, y, f->inner_bytes, f->sign, f->target_bytes));
        }
    }
}

/* What is written to the copy is not seen; what is copied back is. */
static void note_copied(struct side_run *s, const struct adapt_view *v, uint64_t at)
{
    size_t n = 0;
    for (size_t i = 0; i < s->written.len; i++)
        if (s->written.data[i] - COPY >= ADAPT_STRUCTURE)
            s->written.data[n++] = s->written.data[i];
    s->written.len = n;
    for (unsigned i = 0; i < v->nfields; i++)
        for (unsigned k = 0; k < v->field[i].count * v->field[i].target_bytes; k++)
            vec_push(&s->written, at + v->field[i].target + k);
}

enum run_outcome runner_try_view(struct runner *r, const struct adapter *d, uint32_t pointers,
                                 const struct fixed_argument *fixed, uint64_t seed)
{
    struct adapt *a = r->a;
    const struct adapt_view *v = &d->view;
    uint64_t arg[ADAPT_ARGUMENTS], to[ADAPT_ARGUMENTS];
    struct trace x, y;
    make_arguments(a, pointers, v->target_arg, seed, arg);
    if (fixed)
        arg[fixed->arg] = fixed->value;
    uint64_t at = arg[v->target_arg];
    if (arguments_allowed(a, arg) != 1)
        return RUN_UNABLE;
    for (unsigned i = 0; i < d->nargs; i++)
        to[i] = i == v->inner_arg ? COPY : value_number(&d->arg[i], a->width, arg);
    r->side[0].steps_max = r->side[1].steps_max = STEPS_MOST;
    begin(&r->side[0], arg, a->target.nargs, seed);
    settle_structure(&r->side[0], v, at);
    proceed(&r->side[0], &x);
    if (x.unable)
        return RUN_UNABLE;
    begin(&r->side[1], to, d->nargs, seed);
    settle_structure(&r->side[1], v, at);
    copy_structure(&r->side[1], v, at, true);
    proceed(&r->side[1], &y);
    if (y.unable)
        return RUN_UNABLE;
    copy_structure(&r->side[1], v, at, false);
    note_copied(&r->side[1], v, at);
    return compare(r, d, &x, &y);
}

void runner_touch(struct runner *r, unsigned side, uint32_t pointers, uint64_t seed, struct touches *out)
{
    struct side_run *s = &r->side[side];
    uint64_t arg[ADAPT_ARGUMENTS];
    struct trace x;
    make_arguments(r->a, pointers, ADAPT_ARGUMENTS, seed, arg);
    s->touches = out;
    s->steps_max = STEPS_MAX;
    run(s, arg, s->s->nargs, seed, &x);
    s->touches = NULL;
}

/* ---- what a target does, as a number ---- */

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t result_hash(const struct compared *c, const uint64_t *result, uint64_t hash)
{
    hash = hash_u64(hash ^ compared_part(c, result[0]));
    return c->pair ? hash_u64(hash ^ result[1]) : hash;
}

static uint64_t trace_hash(struct runner *r, const struct trace *x, uint64_t hash)
{
    struct side_run *s = &r->side[0];
    if (x->trapped)
        return hash_u64(hash + 1);
    hash = result_hash(&r->a->compared, x->result, hash);
    for (unsigned i = 0; i < x->nsyscalls; i++)
        for (unsigned k = 0; k < 8; k++)
            hash = hash_u64(hash ^ x->syscall[i][k]);
    for (size_t i = 0; i < s->written.len; i++)
        if (!i || s->written.data[i] != s->written.data[i - 1])
            hash = hash_u64(hash ^ s->written.data[i]) + finally(s, s->written.data[i]);
    return hash;
}

static void make_used(const struct adapt *a, uint64_t seed, uint64_t *arg)
{
    memset(arg, 0, ADAPT_ARGUMENTS * sizeof *arg);
    for (unsigned i = 0; i < a->target.nuse; i++)
        arg[a->target.use[i]] = test_argument(&a->target, a->target.use[i], seed * 16 + i + 7000003);
}

/* False: nothing was added. */
static bool hash_lanes(struct runner *r, uint64_t seed, unsigned n, uint64_t *hash)
{
    uint64_t arg[LANES][ADAPT_ARGUMENTS], result[LANES][2];
    if (r->a->given != TERM_NONE || !r->side[0].lanes)
        return false;
    for (unsigned k = 0; k < n; k++)
        make_used(r->a, seed + k, arg[k]);
    if (!run_lanes(&r->side[0], arg, r->a->target.nargs, n, result))
        return false;
    for (unsigned k = 0; k < n; k++)
        *hash = result_hash(&r->a->compared, result[k], *hash);
    return true;
}

uint64_t runner_fingerprint(struct runner *r, unsigned n)
{
    enum { UNABLE_MAX = 200 };
    struct adapt *a = r->a;
    uint64_t hash = 0;
    unsigned ran = 0, unable = 0;
    for (uint64_t seed = 1, many; seed <= n && unable < UNABLE_MAX; seed += many) {
        uint64_t arg[ADAPT_ARGUMENTS];
        struct trace x;
        many = n - seed + 1 < LANES ? n - seed + 1 : LANES;
        if (hash_lanes(r, seed, (unsigned)many, &hash)) {
            ran += (unsigned)many;
            continue;
        }
        many = 1;
        make_used(a, seed, arg);
        bool can = arguments_allowed(a, arg) == 1;
        if (can)
            run(&r->side[0], arg, a->target.nargs, seed, &x);
        can = can && !x.unable && !(a->opt->modulo_faults && (x.trapped || r->side[0].faulted));
        ran += can;
        unable += !can;
        if (can)
            vec_sort(&r->side[0].written, by_address);
        hash = can ? trace_hash(r, &x, hash) : hash_u64(hash + seed);
    }
    /* a database keeps numbers with a sign */
    return ran ? hash >> 1 | 1 : 0;
}
