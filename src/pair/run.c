/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair/run.h"

#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"

enum { ACCESSES_MAX = 12, BYTES_MAX = 8192, PAGE = 4096 };

/* What the step that is under way accessed is looked up: at its end, or before a call changes it. */
static void look_up(struct run *r, struct concrete *c)
{
    struct run_step *last = r->step.len ? &vec_last(&r->step) : NULL;
    if (last && r->access.len) {
        struct run_access *all = arena_array(r->arena, struct run_access, last->naccesses + r->access.len);
        if (last->naccesses)
            memcpy(all, last->access, last->naccesses * sizeof *all);
        for (size_t i = 0; i < r->access.len; i++) {
            struct run_access a = r->access.data[i];
            uint8_t byte[OP_MAX_WIDTH / 8];
            a.known = a.bytes <= sizeof byte && concrete_read(c, 0, a.address, byte, a.bytes);
            if (a.known)
                a.value = bits_from_bytes(byte, a.bytes);
            all[last->naccesses++] = a;
        }
        last->access = all;
    }
    vec_clear(&r->access);
}

static void begin(struct run *r, uint32_t block, struct concrete *c)
{
    const struct ir_machine *m = r->s->m;
    VEC(struct run_register) changed = VEC_INIT;
    for (unsigned i = 0; i < m->nreg; i++) {
        const struct machine_register *reg = &m->reg[i];
        if (reg->pseudo || reg->offset == m->pc || (reg->width != m->pointer_width && reg->width != 128))
            continue;
        if (!r->step.len ||
            memcmp(r->last + reg->offset, concrete_registers(c) + reg->offset, reg->width / 8) != 0)
            vec_push(&changed, ((struct run_register){reg, concrete_get(c, reg->offset, reg->width)}));
    }
    memcpy(r->last, concrete_registers(c), m->file_size);
    vec_push(&r->step,
             ((struct run_step){.block = block,
                                .reg = arena_dup(r->arena, changed.data, changed.len * sizeof *changed.data),
                                .nregs = changed.len}));
    vec_free(&changed);
}

static void on_block(void *ctx, uint32_t block, unsigned depth, struct concrete *c)
{
    struct run *r = ctx;
    if (depth || r->step.len >= RUN_STEPS)
        return;
    look_up(r, c);
    begin(r, block, c);
}

/* The file has the byte in memory that is never written. The headers of one that may be loaded anywhere lie
 * at address zero, and it is never loaded there. */
static bool is_constant(const struct pair_side *s, uint64_t address)
{
    if (!s->o) /* there is one version only, or it is no machine code */
        return false;
    uint64_t at = s->m->pointer_width == 32 ? (uint32_t)(address - s->bias) : address - s->bias;
    return (s->bias || at >= PAGE) && object_is_readonly(s->o, at, 1);
}

static void see_constant(struct run *r, uint64_t address, bool write)
{
    enum { IS_READ = 1, IS_STORED = 2 };
    const struct pair_side *side = r->s->pair->side;
    if (r->constant.len >= BYTES_MAX || !(is_constant(&side[0], address) || is_constant(&side[1], address)))
        return;
    uint64_t how = map_find(&r->constant, address, 0) | (write ? IS_STORED : IS_READ);
    map_set(&r->constant, address, how);
    r->locked = r->locked || write;
    r->overlaid = r->overlaid || how == (IS_READ | IS_STORED);
}

static void on_access(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct run *r = ctx;
    r->null = r->null || address < PAGE || address + PAGE < PAGE ||
              (r->s->m->pointer_width == 32 && address >= UINT32_MAX - PAGE + 1);
    for (unsigned i = 0; i < bytes; i++)
        see_constant(r, address + i, write);
    bool fresh = false;
    for (unsigned i = 0; i < bytes && r->touched.len < BYTES_MAX; i++)
        fresh = map_set(&r->touched, address + i, 1) || fresh;
    if (fresh && !write)
        vec_push(&r->read, ((struct run_access){.address = address, .bytes = bytes}));
    for (size_t i = 0; i < r->access.len; i++)
        if (r->access.data[i].address == address && r->access.data[i].bytes == bytes) {
            r->access.data[i].write = r->access.data[i].write || write;
            return;
        }
    if (r->access.len < ACCESSES_MAX)
        vec_push(&r->access, ((struct run_access){.address = address, .bytes = bytes, .write = write}));
}

static void on_call(void *ctx, const char *name, uint64_t site, const struct exec_event *e,
                    struct concrete *c)
{
    struct run *r = ctx;
    look_up(r, c);
    vec_push(&r->call, ((struct run_call){name, site, e}));
}

static void on_end(void *ctx, enum path_end end, struct concrete *c)
{
    struct run *r = ctx;
    const struct ir_machine *m = r->s->m;
    r->ended = true;
    r->end = end;
    if (r->step.len < RUN_STEPS) {
        look_up(r, c);
        begin(r, RUN_END, c);
    }
    free(r->regs);
    r->regs = xmalloc(m->file_size);
    memcpy(r->regs, concrete_registers(c), m->file_size);
    /* The last callee pops the return address. */
    if (end == PATH_TAIL_CALL && m->call_pushes) {
        unsigned n = m->pointer_width / 8;
        uint64_t sp = bits_low(bits_from_bytes(r->regs + m->sp, n)) + m->call_pushes;
        bits_to_bytes(bits_u64(sp, n * 8), r->regs + m->sp, n);
    }
}

static bool on_real(void *ctx, const struct flow_function *f)
{
    struct run *r = ctx;
    return r->real.is(r->real.ctx, f);
}

bool run_side(struct run *r, struct arena *arena, struct pair_side *s, const struct exec_path *path,
              struct term_model *model, struct run_real real, struct replay *out)
{
    *r = (struct run){.s = s, .arena = arena, .real = real, .last = xcalloc(s->m->file_size, 1)};
    const struct replay_watch watch = {.ctx = r,
                                       .block = on_block,
                                       .access = on_access,
                                       .call = on_call,
                                       .end = on_end,
                                       .real = real.is ? on_real : NULL};
    return replay_watched(s->x, s->g, path, model, &watch, out);
}

void run_free(struct run *r)
{
    vec_free(&r->step);
    vec_free(&r->access);
    vec_free(&r->call);
    vec_free(&r->read);
    map_free(&r->touched);
    map_free(&r->constant);
    free(r->last);
    free(r->regs);
    *r = (struct run){0};
}

bool run_returned(const struct run *r)
{
    return r->ended && (r->end == PATH_RETURN || r->end == PATH_TAIL_CALL);
}
