/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counterexample's run as a person follows it: at every block the registers that changed, and what of
 * memory it reads and writes. */
#include <stdlib.h>
#include <string.h>

#include "verify/steps.h"

enum { STEPS_MAX = 200, ACCESSES_MAX = 12 };

const char *steps_hex(struct arena *arena, struct bits v, unsigned width)
{
    struct buf b = BUF_INIT;
    bool begun = false;
    buf_puts(&b, "0x");
    for (unsigned i = (width + 3) / 4; i-- > 0;) {
        unsigned digit = (unsigned)(v.w[i / 16] >> (i % 16 * 4)) & 15;
        begun = begun || digit || i == 0;
        if (begun)
            buf_putc(&b, "0123456789abcdef"[digit]);
    }
    const char *out = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}

/* A place in memory in the program's words, or by its distance from the stack pointer at entry. */
static const char *place(struct steps *st, uint64_t address)
{
    enum { FRAME = 1 << 20 };
    char text[256];
    uint64_t own = st->bits == 32 ? (uint32_t)(address - st->bias) : address - st->bias;
    int64_t from_sp = (int64_t)(address - st->sp);
    if (program_describe(st->p, own, text, sizeof text))
        return arena_strdup(st->arena, text);
    if (from_sp > -FRAME && from_sp < FRAME)
        return arena_printf(st->arena, "[sp at entry %c 0x%llx]", from_sp < 0 ? '-' : '+',
                            (unsigned long long)(from_sp < 0 ? -from_sp : from_sp));
    return arena_printf(st->arena, "[0x%llx]", (unsigned long long)address);
}

/* What the step that is under way accessed is looked up: at its end, or before a call changes it. */
static void look_up(struct steps *st, struct concrete *c)
{
    struct verify_step *last = st->step.len ? &st->step.data[st->step.len - 1] : NULL;
    if (last && st->access.len) {
        struct verify_access *all =
            arena_array(st->arena, struct verify_access, last->naccesses + st->access.len);
        struct verify_access *out = all + last->naccesses;
        if (last->naccesses)
            memcpy(all, last->access, last->naccesses * sizeof *all);
        for (size_t i = 0; i < st->access.len; i++) {
            const struct steps_access *a = &st->access.data[i];
            uint8_t byte[OP_MAX_WIDTH / 8];
            bool known = a->bytes <= sizeof byte && concrete_read(c, 0, a->address, byte, a->bytes);
            out[i] = (struct verify_access){
                place(st, a->address),
                known ? steps_hex(st->arena, bits_from_bytes(byte, a->bytes), a->bytes * 8) : "?", a->write};
        }
        last->access = all;
        last->naccesses += st->access.len;
    }
    vec_clear(&st->access);
}

static void begin(struct steps *st, uint64_t block, struct concrete *c)
{
    const struct ir_machine *m = program_machine(st->p);
    VEC(struct verify_input) changed = VEC_INIT;
    for (unsigned i = 0; i < m->nreg; i++) {
        const struct machine_register *r = &m->reg[i];
        if (r->pseudo || r->offset == m->pc || (r->width != m->pointer_width && r->width != 128))
            continue;
        struct bits v = concrete_get(c, r->offset, r->width);
        bool argument = false;
        for (unsigned k = 0; k < m->nargs; k++)
            argument = argument || m->arg[k] == r->offset;
        bool differs = memcmp(st->last + r->offset, concrete_registers(c) + r->offset, r->width / 8) != 0;
        if (st->step.len ? differs : argument || r->offset == m->sp)
            vec_push(&changed, ((struct verify_input){r->name, steps_hex(st->arena, v, r->width)}));
    }
    memcpy(st->last, concrete_registers(c), m->file_size);
    if (!st->step.len)
        st->sp = bits_low(concrete_get(c, m->sp, m->pointer_width));
    vec_push(&st->step, ((struct verify_step){
                            .block = block,
                            .reg = arena_dup(st->arena, changed.data, changed.len * sizeof *changed.data),
                            .nregs = changed.len}));
    vec_free(&changed);
}

static void on_block(void *ctx, uint32_t block, unsigned depth, struct concrete *c)
{
    struct steps *st = ctx;
    if (depth || st->step.len >= STEPS_MAX)
        return;
    look_up(st, c);
    begin(st, st->g->block[block].label, c);
}

static void on_call(void *ctx, const char *name, uint64_t site, const struct exec_event *e,
                    struct concrete *c)
{
    (void)name;
    (void)site;
    (void)e;
    look_up(ctx, c);
}

static void on_access(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct steps *st = ctx;
    for (size_t i = 0; i < st->access.len; i++)
        if (st->access.data[i].address == address && st->access.data[i].bytes == bytes) {
            st->access.data[i].write = st->access.data[i].write || write;
            return;
        }
    if (st->access.len < ACCESSES_MAX)
        vec_push(&st->access, ((struct steps_access){address, bytes, write}));
}

static void on_end(void *ctx, enum path_end end, struct concrete *c)
{
    (void)end;
    struct steps *st = ctx;
    if (st->step.len >= STEPS_MAX)
        return;
    look_up(st, c);
    begin(st, 0, c);
}

struct replay_watch steps_watch(struct steps *st)
{
    return (struct replay_watch){
        .ctx = st, .block = on_block, .access = on_access, .call = on_call, .end = on_end};
}

void steps_start(struct steps *st, struct arena *arena, struct program *p, const struct flow_graph *g,
                 uint64_t bias)
{
    *st = (struct steps){
        .arena = arena, .p = p, .g = g, .bias = bias, .bits = program_machine(p)->pointer_width};
    st->last = xcalloc(program_machine(p)->file_size, 1);
}

const struct verify_step *steps_end(struct steps *st, size_t *n)
{
    *n = st->step.len;
    const struct verify_step *out = arena_dup(st->arena, st->step.data, st->step.len * sizeof *st->step.data);
    vec_free(&st->step);
    vec_free(&st->access);
    free(st->last);
    return out;
}
