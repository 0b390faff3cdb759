/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory in a replay: what the interpreter reads is what the path's terms say under the model, and what it
 * wrote must be what they say afterwards. */
#include <stdlib.h>
#include <string.h>

#include "exec/player.h"

uint64_t player_mask(const struct explorer *x, uint64_t v)
{
    return x->width == 64 ? v : (uint32_t)v;
}

static bool in_frame(const struct player *p, uint64_t address)
{
    int64_t off = (int64_t)(address - p->sp);
    if (p->x->width == 32)
        off = (int32_t)(uint32_t)off;
    return p->x->opt.axioms & AXIOM_FRAME && !p->x->snapshot && off >= -FRAME_BYTES && off < p->x->frame_top;
}

/* The array that a byte is in. */
static term memory_of(const struct player *p, const struct epoch *e, uint64_t address)
{
    const struct explorer *x = p->x;
    term array = e->mem;
    if (in_frame(p, address)) {
        int64_t off = (int64_t)(address - p->sp);
        if (x->width == 32)
            off = (int32_t)(uint32_t)off;
        bool saved = false;
        if (e->escaped && x->opt.axioms & AXIOM_RETURN) {
            saved = x->m->call_pushes && off >= 0 && off < (int64_t)x->unit;
            for (unsigned i = 0; i < x->opt.nprivate && !saved; i++)
                saved = off >= x->opt.private[i].low && off < x->opt.private[i].high;
            for (unsigned i = 0; i < e->saved->n && !saved; i++)
                saved = off >= e->saved->offset[i] && off < e->saved->offset[i] + (int64_t)x->unit;
        }
        if (!e->escaped || saved)
            array = e->frame;
    }
    return array;
}

static uint8_t symbolic_byte(struct player *p, const struct epoch *e, uint64_t address)
{
    term known = p->x->snapshot ? memory_snapshot(p->x, e->mem, address, 8) : TERM_NONE;
    if (known != TERM_NONE)
        return (uint8_t)bits_low(player_eval(p, known));
    term_model_set(p->model, p->at, bits_u64(address, p->x->width));
    return (uint8_t)bits_low(player_eval(p, term_read(p->x->t, memory_of(p, e, address), p->at, 8)));
}

/* The file that the address of a byte is in; the address there. With one file it is always that. */
static struct mapped *native(const struct explorer *x, uint64_t address, uint64_t *local)
{
    *local = player_mask(x, address - x->file->bias);
    return x->mapped.len == 1 ? x->file : mapped_at(x, address, local);
}

term player_known_word(struct explorer *x, const struct mapped *in, uint64_t address, unsigned width)
{
    uint64_t k = (address - GLOBALS_AT) / GLOBAL_SIZE;
    if (!x->code)
        return memory_readonly(x, in, address, width);
    return address >= GLOBALS_AT && k < x->globals.len && k < GLOBALS_MAX
               ? code_constant(x, x->globals.data[k], (address - GLOBALS_AT) % GLOBAL_SIZE, width)
               : TERM_NONE;
}

/* The headers of a file that may be loaded anywhere lie at address zero, and the file is never loaded there.
 */
static bool is_header(const struct object *o, uint64_t address)
{
    const struct object_section *x;
    size_t n = address < 4096 ? object_sections(o, &x) : 0;
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && address - x[i].address < x[i].size)
            return false;
    return address < 4096;
}

static bool image_byte(const struct player *p, uint64_t address, uint8_t *byte)
{
    struct explorer *x = p->x;
    const struct explore_hooks *h = x->opt.hooks;
    /* where the hooks say where things lie, the file is there and nowhere else */
    if (h && h->resolve && !h->resolve(h->ctx, term_const(x->t, x->width, address), &address))
        return false;
    const struct mapped *in = native(x, address, &address);
    if (!in || (!x->code && (!in->o || is_header(in->o, address))))
        return false;
    /* a word that is an address is, all of it, what the hooks write it as, or what the loader puts there */
    unsigned at = (unsigned)(address % x->unit);
    term v = player_known_word(x, in, address - at, x->width);
    if (v == TERM_NONE || (term_is_const(x->t, v) && !(h && h->word))) {
        term byte_there = player_known_word(x, in, address, 8);
        if (byte_there != TERM_NONE) {
            at = 0;
            v = byte_there;
        }
    }
    if (v == TERM_NONE)
        return false;
    struct bits b = player_eval(p, v);
    *byte = (uint8_t)(b.w[0] >> (at * 8));
    return true;
}

/* A cell of a space other than memory. */
static struct bits symbolic_cell(const struct player *p, const struct epoch *e, unsigned space,
                                 uint64_t address)
{
    struct terms *t = p->x->t;
    term array = exec_spaces_array(p->x, e->spaces, space);
    term at = term_const(t, term_index_width(t, array), address);
    return player_eval(p, term_read(t, array, at, term_cell_width(t, array)));
}

bool player_fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    struct player *p = ctx;
    if (space != 0) {
        struct ir_space s;
        machine_space(p->x->m, space, &s);
        bits_to_bytes(symbolic_cell(p, &p->epoch, space, address), byte, s.cell_width / 8);
        return true;
    }
    uint64_t secret = p->x->canary == TERM_NONE ? 0 : address - bits_low(player_eval(p, p->x->canary_at));
    if (p->x->canary != TERM_NONE && player_mask(p->x, secret) < p->x->unit)
        *byte = (uint8_t)(bits_low(player_eval(p, p->x->canary)) >> (player_mask(p->x, secret) * 8));
    else if (memory_snapshot_byte(p->x, address, byte) || !image_byte(p, address, byte))
        *byte = symbolic_byte(p, &p->epoch, address);
    return true;
}

void player_see_access(void *ctx, unsigned space, uint64_t address, unsigned bytes, bool write)
{
    struct player *p = ctx;
    struct ir_space s;
    machine_space(p->x->m, space, &s);
    uint64_t last = s.index_width < 64 ? (UINT64_C(1) << s.index_width) - 1 : UINT64_MAX;
    for (unsigned i = 0; write && space != 0 && i < bytes; i++)
        vec_push(&p->cells, (struct written_cell){space, (address + i) & last});
    const struct exec_fault *f = p->path->fault;
    if (f && f->kind != FAULT_DIVISION && space == 0 && write == f->write && bytes == f->bytes &&
        address == bits_low(player_eval(p, f->address)))
        p->faulted = true;
    if (p->watch && p->watch->access && space == 0)
        p->watch->access(p->watch->ctx, address, bytes, write);
    for (unsigned i = 0; write && space == 0 && i < bytes; i++)
        map_set(&p->written, player_mask(p->x, address + i), 1);
}

static bool same_spaces(struct player *p, const struct epoch *e)
{
    for (size_t i = 0; i < p->cells.len; i++) {
        struct written_cell w = p->cells.data[i];
        struct ir_space s;
        uint8_t got[OP_MAX_WIDTH / 8];
        machine_space(p->x->m, w.space, &s);
        if (concrete_read(p->c, w.space, w.address, got, 1) &&
            !bits_eq(bits_from_bytes(got, s.cell_width / 8), symbolic_cell(p, e, w.space, w.address)))
            return player_says(p->out, REPLAY_DIFFERS, "%s at %#llx differs from the path", s.name,
                               (unsigned long long)w.address);
    }
    return true;
}

bool player_same_memory(struct player *p, const struct epoch *e, bool with_frame)
{
    uint64_t address, one;
    if (p->real)
        return true;
    if (!same_spaces(p, e))
        return false;
    VEC(uint64_t) at = VEC_INIT;
    VEC(term) byte = VEC_INIT;
    for (size_t i = 0; (i = map_next(&p->written, i, &address, &one));) {
        if (in_frame(p, address) && !with_frame)
            continue;
        vec_push(&at, address);
        vec_push(&byte,
                 term_read(p->x->t, memory_of(p, e, address), term_const(p->x->t, p->x->width, address), 8));
    }
    struct bits *value = xcalloc(byte.len + 1, sizeof *value);
    bool *known = xcalloc(byte.len + 1, sizeof *known), same = true;
    term_eval_all(p->x->t, p->model, byte.data, byte.len, value, known);
    for (size_t i = 0; i < at.len && same; i++) {
        uint8_t got, want = known[i] ? (uint8_t)bits_low(value[i]) : 0;
        if (!concrete_read(p->c, 0, at.data[i], &got, 1) || got == want)
            continue;
        uint64_t own;
        const struct mapped *in = native(p->x, at.data[i], &own);
        if (in && in->o && object_is_readonly(in->o, own, 1) && !is_header(in->o, own))
            same = player_says(p->out, REPLAY_UNABLE, "the input causes a store to read-only memory at %#llx",
                               (unsigned long long)at.data[i]);
        else
            same = player_says(p->out, REPLAY_DIFFERS, "memory at %#llx is %#x, not %#x",
                               (unsigned long long)at.data[i], got, want);
    }
    vec_free(&at);
    vec_free(&byte);
    free(value);
    free(known);
    return same;
}

void player_new_epoch(struct player *p, struct epoch e)
{
    if (p->real) /* what callees really did stays */
        return;
    size_t n = vec_last(&p->level).m->file_size;
    uint8_t *regs = xmalloc(n);
    memcpy(regs, concrete_registers(p->c), n);
    concrete_reset(p->c);
    memcpy(concrete_registers(p->c), regs, n);
    free(regs);
    map_clear(&p->written);
    vec_clear(&p->cells);
    p->epoch = e;
}
