/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fragments: pieces of ARM code that compute with the general registers alone.
 *
 * The rules are the thesis's (section 1.4.5): no memory, stack, floats, coprocessors or system calls; no
 * branch to elsewhere; the first instruction is unconditional. r0 to r12 go in; the last three registers that
 * are written may come out, one at a time. A fragment that reads condition codes it did not set is none: they
 * would be one more input.
 *
 * Its graph has the blocks as they are lifted, and one more at its end that returns. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adapt/internal.h"
#include "lift/lift.h"

enum { REGISTERS = ADAPT_REGISTERS, MOST_BYTES = 4096, MOST_BLOCKS = 200 };

static bool general_register(const struct ir_machine *m, unsigned i, uint16_t *offset)
{
    char name[8];
    uint16_t width;
    snprintf(name, sizeof name, "r%u", i);
    return machine_register_find(m, name, offset, &width);
}

/* Which general register the range of the file is; REGISTERS: one that fragments may use besides, for
 * condition codes and the place in the code; -1: none of these. */
static int register_of(const struct ir_machine *m, uint32_t at, unsigned width)
{
    uint16_t offset;
    for (unsigned i = 0; i < REGISTERS; i++)
        if (general_register(m, i, &offset) && at >= offset && at < offset + 4u)
            return at == offset && width == 32 ? (int)i : -1;
    static const char *const fine[] = {"<cc_op>", "<cc_dep1>", "<cc_dep2>", "<cc_ndep>", "r15", "<itstate>"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        uint16_t w;
        if (machine_register_find(m, fine[i], &offset, &w) && at == offset)
            return REGISTERS;
    }
    return -1;
}

/* Why the block is in no fragment; NULL: it may be. */
static const char *forbidden(const struct ir_machine *m, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        switch (in->op) {
        case IR_LOAD:
        case IR_STORE:
            return "it accesses memory";
        case IR_EVENT:
        case IR_UNKNOWN:
            return "it has an instruction for more than the general registers";
        case IR_GET:
            if (register_of(m, in->a, in->width) < 0)
                return "it reads a register other than r0 to r12";
            break;
        case IR_PUT:
            if (register_of(m, in->a, b->insn[in->b].width) < 0)
                return "it writes a register other than r0 to r12";
            break;
        case IR_EXIT:
            if (in->exit != IR_EXIT_JUMP)
                return "it calls, returns or traps";
        }
    }
    return b->end.kind == IR_END_JUMP && b->end.label != IR_NO_LABEL
               ? NULL
               : "it leaves by a call, a return or a computed jump";
}

static const uint8_t *code_at(const struct program *p, uint64_t from, uint64_t to)
{
    size_t room = 0;
    const struct object *o = program_object(p);
    const uint8_t *bytes = object_is_exec(o, from) ? object_bytes(o, from, &room) : NULL;
    return room >= to - from ? bytes : NULL;
}

/* The register that an instruction writes last is the first of the outputs. */
static void note_written(struct adapt_fragment *f, const struct ir_machine *m, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        int r = in->op == IR_PUT ? register_of(m, in->a, b->insn[in->b].width) : -1;
        if (r < 0 || r >= REGISTERS)
            continue;
        unsigned k = 0;
        while (k < f->nouts && f->out[k] != r)
            k++;
        f->nouts += k == f->nouts;
        memmove(f->out + 1, f->out, k * sizeof *f->out);
        f->out[0] = (uint8_t)r;
    }
}

struct making {
    struct program *p;
    const uint8_t *bytes;
    struct arena *arena;
    VEC(struct ir_block) block;
    VEC(ir_label) want;
};

static bool want_block(struct making *k, struct adapt_fragment *f, ir_label label, struct error *err)
{
    if (label < f->from || label > f->to || label % 4)
        return error_set(err, ERROR_INPUT,
                         "0x%" PRIx64 "-0x%" PRIx64 " is no fragment: it jumps out, to 0x%" PRIx64, f->from,
                         f->to, label);
    for (size_t i = 0; i < k->want.len; i++)
        if (k->want.data[i] == label)
            return true;
    vec_push(&k->want, label);
    return true;
}

/* Where the fragment ends it returns. */
static void make_end(struct making *k, const struct ir_machine *m, ir_label label, struct ir_block *out)
{
    struct ir_builder *b = ir_builder_new();
    ir_begin(b, label);
    struct ir_end end = {.kind = IR_END_RET,
                         .next = ir_get(b, m->lr, 32),
                         .label = IR_NO_LABEL,
                         .after = IR_NO_LABEL,
                         .unwind = IR_NO_LABEL,
                         .result = IR_NONE};
    ir_finish(b, end, 0, k->arena, out);
    ir_builder_free(b);
}

static bool make_block(struct making *k, struct adapt_fragment *f, ir_label label, struct error *err)
{
    const struct ir_machine *m = program_machine(k->p);
    struct ir_block b;
    if (label == f->to) {
        make_end(k, m, label, &b);
        vec_push(&k->block, b);
        return true;
    }
    lift_block(program_lifter(k->p), label, k->bytes + (label - f->from), f->to - label, 0, k->arena, &b);
    const char *why = forbidden(m, &b);
    if (why)
        return error_set(err, ERROR_INPUT, "0x%" PRIx64 "-0x%" PRIx64 " is no fragment: %s", f->from, f->to,
                         why);
    if (label == f->from && lift_uses_flags(&b, m->arch))
        return error_set(err, ERROR_INPUT,
                         "0x%" PRIx64 "-0x%" PRIx64
                         " is no fragment: it reads condition codes that it did not set",
                         f->from, f->to);
    note_written(f, m, &b);
    vec_push(&k->block, b);
    bool ok = want_block(k, f, b.end.label, err);
    for (uint32_t i = 0; ok && i < b.ninsn; i++)
        if (b.insn[i].op == IR_EXIT)
            ok = want_block(k, f, ir_imm(b.insn[i].b, b.insn[i].c), err);
    return ok;
}

bool adapt_fragment_make(struct adapt_fragment *f, struct program *p, uint64_t from, uint64_t to,
                         struct arena *arena, struct error *err)
{
    const struct ir_machine *m = program_machine(p);
    struct making k = {.p = p, .arena = arena};
    *f = (struct adapt_fragment){.from = from, .to = to};
    f->function = (struct flow_function){.address = from,
                                         .size = to - from,
                                         .name = arena_printf(arena, "0x%" PRIx64 "-0x%" PRIx64, from, to)};
    if (m->arch != MACHINE_ARM)
        return error_set(err, ERROR_INPUT, "%s: fragments are of ARM code; this is code for %s",
                         f->function.name, m->name);
    k.bytes =
        from < to && to - from <= MOST_BYTES && from % 4 == 0 && to % 4 == 0 ? code_at(p, from, to) : NULL;
    if (!k.bytes)
        return error_set(err, ERROR_INPUT, "%s is no fragment: not some instructions in a row",
                         f->function.name);
    bool ok = want_block(&k, f, from, err);
    for (size_t i = 0; ok && i < k.want.len && i < MOST_BLOCKS; i++)
        ok = make_block(&k, f, k.want.data[i], err);
    if (ok && !f->nouts)
        ok = error_set(err, ERROR_INPUT, "%s is no fragment: it writes none of r0 to r12", f->function.name);
    if (ok) {
        f->nouts = f->nouts > ADAPT_OUTPUTS ? ADAPT_OUTPUTS : f->nouts;
        struct flow_blocks from_blocks = {
            .block = arena_dup(arena, k.block.data, k.block.len * sizeof *k.block.data),
            .nblocks = (uint32_t)k.block.len};
        f->graph = flow_graph_of_blocks(&from_blocks, arena);
    }
    vec_free(&k.block);
    vec_free(&k.want);
    return ok;
}

uint16_t fragment_register(const struct program *p, unsigned i)
{
    uint16_t offset = UINT16_MAX;
    general_register(program_machine(p), i, &offset);
    return offset;
}

/* ---- all of a file ---- */

/* An instruction that a fragment may have; *flags: it reads condition codes. */
static bool is_allowed(struct program *p, uint64_t at, const uint8_t *bytes, struct arena *arena, bool *flags)
{
    const struct ir_machine *m = program_machine(p);
    struct ir_block b;
    lift_block(program_lifter(p), at, bytes, 4, LIFT_STEP, arena, &b);
    *flags = lift_uses_flags(&b, m->arch);
    bool jumps = b.end.label != at + 4;
    for (uint32_t i = 0; i < b.ninsn; i++)
        jumps = jumps || b.insn[i].op == IR_EXIT;
    return !jumps && !forbidden(m, &b);
}

/* A fragment for every instruction of a run that may be the first; the same bytes only once. */
static void say_run(uint64_t from, uint64_t to, const uint8_t *bytes, const bool *first, struct map *known,
                    adapt_fragment_fn *fn, void *ctx)
{
    enum { LEAST = 3, MOST = 20 };
    for (uint64_t n = 0; from + LEAST * 4 <= to; from += 4, bytes += 4, n++) {
        uint64_t size = to - from > MOST * 4 ? MOST * 4 : to - from, hash = size;
        for (uint64_t i = 0; i < size; i++)
            hash = hash_u64(hash ^ bytes[i]) + i;
        if (!first[n] || map_get(known, hash, NULL))
            continue;
        map_set(known, hash, 1);
        fn(ctx, from, from + size);
    }
}

void adapt_fragments_each(struct program *p, adapt_fragment_fn *fn, void *ctx)
{
    const struct object_section *seg;
    size_t n = program_machine(p)->arch == MACHINE_ARM ? object_sections(program_object(p), &seg) : 0;
    struct map known = {0};
    for (size_t i = 0; i < n; i++) {
        if (!seg[i].exec || !seg[i].alloc || seg[i].nobits)
            continue;
        uint64_t begin = seg[i].address + (-seg[i].address & 3), end = begin + (seg[i].size & ~UINT64_C(3));
        struct arena arena = ARENA_INIT;
        VEC(bool) first = VEC_INIT; /* of the run: it reads no condition codes */
        for (uint64_t at = begin; at <= end; at += 4) {
            const uint8_t *bytes = at < end ? code_at(p, at, at + 4) : NULL;
            bool flags = false;
            if (bytes && is_allowed(p, at, bytes, &arena, &flags)) {
                vec_push(&first, !flags);
            } else {
                if (first.len)
                    say_run(begin, at, code_at(p, begin, at), first.data, &known, fn, ctx);
                vec_clear(&first);
                begin = at + 4;
            }
            if (at % 4096 == 0) {
                arena_free(&arena);
                arena = (struct arena)ARENA_INIT;
            }
        }
        vec_free(&first);
        arena_free(&arena);
    }
    map_free(&known);
}
