/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

enum {
    WORDS_AT = 0x10000000,
    GLOBALS_AT = 0x20000000,
    CODE_AT = 0x30000000,
    STACK_AT = 0x7fff0000,
    STACK = 1 << 22
};
enum { DEEP = 200, FRAME = 0x4000, BLOCKS = 2000000 };

struct play {
    struct bitcode *m;
    struct ir_machine machine; /* with room for every function's registers */
    struct concrete *c;
    struct map symbol; /* hash of a symbol's name -> its address */
    uint64_t next;     /* where the next global goes */
    char *why;
    uint64_t blocks;
};

static bool fails(struct play *p, const char *what, const char *which)
{
    snprintf(p->why, 256, "%s %s", what, which ? which : "");
    return false;
}

/* Only the stack may be read before it was written; it holds rubbish. */
static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    (void)ctx;
    *byte = (uint8_t)(address * 37);
    return space == 0 && address < STACK_AT && address >= STACK_AT - STACK;
}

struct play *play_new(struct bitcode *m)
{
    struct play *p = xcalloc(1, sizeof *p);
    p->m = m;
    const struct bitcode_function *f;
    size_t n = bitcode_functions(m, &f);
    p->machine.file_size = 64;
    p->machine.pointer_width = bitcode_info(m)->pointer_width;
    for (size_t i = 0; i < n; i++) {
        const struct bitcode_code *c = f[i].declared ? NULL : bitcode_code(m, &f[i], NULL);
        if (c && c->machine.file_size > p->machine.file_size)
            p->machine.file_size = c->machine.file_size;
    }
    p->c = concrete_new(&p->machine, bitcode_pures(), fill, p);
    return p;
}

void play_free(struct play *p)
{
    concrete_free(p->c);
    map_free(&p->symbol);
    free(p);
}

static uint64_t symbol_address(struct play *p, const char *name);

/* Writes a global's contents, and makes room for all it points to. */
static void write_contents(struct play *p, const struct bitcode_symbol *s, uint64_t at)
{
    unsigned unit = p->machine.pointer_width / 8;
    for (uint64_t i = 0; i < s->size;) {
        struct bitcode_datum d;
        uint8_t bytes[8] = {0};
        unsigned n = 1;
        if (i % unit == 0 && i + unit <= s->size && bitcode_data(p->m, s->name, i, unit, &d)) {
            n = unit;
            uint64_t v = bits_low(d.value) + (d.symbol ? symbol_address(p, d.symbol) : 0);
            bits_to_bytes(bits_u64(v, unit * 8), bytes, unit);
        } else if (bitcode_data(p->m, s->name, i, 1, &d)) {
            bytes[0] = (uint8_t)bits_low(d.value);
        }
        concrete_write(p->c, 0, at + i, bytes, n);
        i += n;
    }
}

static uint64_t symbol_address(struct play *p, const char *name)
{
    uint64_t key = hash_bytes(name, strlen(name)), at;
    if (map_get(&p->symbol, key, &at))
        return at;
    struct bitcode_symbol s;
    if (!bitcode_symbol(p->m, name, &s))
        return 0;
    if (s.function) {
        const struct bitcode_function *f = bitcode_function(p->m, name, NULL);
        at = CODE_AT + f->address;
        map_set(&p->symbol, key, at);
        return at;
    }
    at = p->next = (p->next + s.align - 1) / s.align * s.align;
    p->next += s.size + 16;
    map_set(&p->symbol, key, at);
    write_contents(p, &s, at);
    return at;
}

static void set(struct play *p, uint32_t offset, unsigned width, struct bits v)
{
    concrete_set(p->c, offset, width == 1 ? 8 : (width + 7) / 8 * 8, v);
}

/* Splits the arguments of a call, in which vectors are one, into the scalars the callee takes. */
static void pass(struct play *p, const struct bitcode_code *c, const struct bits *arg, const unsigned *width,
                 uint32_t n)
{
    uint32_t k = 0;
    unsigned used = 0;
    for (uint32_t i = 0; i < c->ninputs && k < n; i++) {
        unsigned w = c->input[i].width;
        set(p, c->input[i].offset, w, bits_mask(bits_lshr(arg[k], used), w));
        used += w;
        if (used >= width[k]) {
            k++;
            used = 0;
        }
    }
}

static bool copy_bytes(struct play *p, uint64_t to, uint64_t from, uint64_t n)
{
    uint8_t *bytes = malloc(n + 1);
    bool ok = concrete_read(p->c, 0, from, bytes, n) && concrete_write(p->c, 0, to, bytes, n);
    free(bytes);
    return ok;
}

/* What of the C library clang calls by itself. */
static bool library(struct play *p, const char *name, const struct bits *arg, uint32_t n, struct bits *result)
{
    *result = n ? arg[0] : bits_u64(0, 64);
    if (n >= 3 && (strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0))
        return copy_bytes(p, bits_low(arg[0]), bits_low(arg[1]), bits_low(arg[2])) ||
               fails(p, "fault in", name);
    if (n >= 3 && strcmp(name, "memset") == 0) {
        uint8_t byte = (uint8_t)bits_low(arg[1]);
        for (uint64_t i = 0; i < bits_low(arg[2]); i++)
            concrete_write(p->c, 0, bits_low(arg[0]) + i, &byte, 1);
        return true;
    }
    return fails(p, "call of", name);
}

static bool run(struct play *p, const struct bitcode_code *c, unsigned depth);

/* The block that ended with a call is the last one run: its values are still there. */
static bool call(struct play *p, const struct bitcode_code *from, const struct ir_block *b, uint64_t target,
                 unsigned depth)
{
    enum { ARGS = 64 };
    struct bits arg[ARGS], result = bits_u64(0, 64);
    unsigned width[ARGS];
    for (uint32_t i = 0; i < b->end.nargs && i < ARGS; i++) {
        arg[i] = concrete_value(p->c, b->arg[b->end.args + i]);
        width[i] = b->insn[b->arg[b->end.args + i]].width;
    }
    if (b->end.label == IR_NO_LABEL)
        target -= CODE_AT;
    const struct bitcode_function *f = bitcode_function_at(p->m, target);
    const struct bitcode_code *c = f && !f->declared ? bitcode_code(p->m, f, NULL) : NULL;
    if (!c) {
        const char *name = "a pointer";
        for (uint32_t i = 0; i < from->ncalls; i++)
            if (&from->block[from->call[i].block] == b && from->call[i].name)
                name = from->call[i].name;
        if (!library(p, name, arg, b->end.nargs, &result))
            return false;
    } else {
        uint8_t *saved = malloc(p->machine.file_size), *regs = concrete_registers(p->c);
        memcpy(saved, regs, p->machine.file_size);
        memset(regs, 0xa5, p->machine.file_size);
        pass(p, c, arg, width, b->end.nargs);
        bool ok = depth < DEEP ? run(p, c, depth + 1) : fails(p, "too deep", "");
        if (ok && c->machine.ret != UINT16_MAX)
            result = concrete_get(p->c, c->machine.ret, b->end.result_width ? b->end.result_width : 8);
        memcpy(regs, saved, p->machine.file_size);
        free(saved);
        if (!ok)
            return false;
    }
    if (b->end.result_width)
        concrete_set(p->c, b->end.result, b->end.result_width, bits_mask(result, b->end.result_width));
    return true;
}

static const struct ir_block *block_at(const struct bitcode_code *c, ir_label label)
{
    for (uint32_t i = 0; i < c->nblocks; i++)
        if (c->block[i].label == label)
            return &c->block[i];
    return NULL;
}

static bool run(struct play *p, const struct bitcode_code *c, unsigned depth)
{
    const struct ir_machine *m = &c->machine;
    concrete_set(p->c, m->sp, m->pointer_width,
                 bits_u64(STACK_AT - 0x1000 - (uint64_t)depth * FRAME, m->pointer_width));
    for (unsigned i = 0; i < m->nreg; i++)
        if (m->reg[i].object)
            set(p, m->reg[i].offset, m->reg[i].width,
                bits_u64(symbol_address(p, m->reg[i].object), m->reg[i].width));
    const struct ir_block *b = &c->block[0];
    while (b) {
        if (p->blocks++ > BLOCKS)
            return fails(p, "runs on", "");
        struct concrete_result r = concrete_run_block(p->c, b);
        switch (r.stop) {
        case CONCRETE_JUMP:
            b = block_at(c, r.label);
            break;
        case CONCRETE_CALL:
            if (!call(p, c, b, r.label, depth))
                return false;
            b = block_at(c, r.after);
            break;
        case CONCRETE_RET:
            return true;
        case CONCRETE_FAULT:
            snprintf(p->why, 256, "fault at %#llx", (unsigned long long)r.address);
            return false;
        case CONCRETE_TRAP:
            return fails(p, "trap", "");
        default:
            return fails(p, "no meaning for", r.what);
        }
    }
    return fails(p, "jumps out of the function", "");
}

bool play_call(struct play *p, const char *name, uint64_t a, uint64_t b, uint64_t *words, uint64_t *result,
               char why[256])
{
    p->why = why;
    const struct bitcode_function *f = bitcode_function(p->m, name, NULL);
    struct error err = {0};
    const struct bitcode_code *c = f ? bitcode_code(p->m, f, &err) : NULL;
    if (!c)
        return fails(p, "no code:", f ? err.text : "no function");
    concrete_reset(p->c);
    map_clear(&p->symbol);
    p->next = GLOBALS_AT;
    p->blocks = 0;
    memset(concrete_registers(p->c), 0xa5, p->machine.file_size);
    concrete_write(p->c, 0, WORDS_AT, (const uint8_t *)words, PLAY_WORDS * 8);
    const struct bits arg[] = {bits_u64(a, 64), bits_u64(b, 64), bits_u64(WORDS_AT, 64)};
    const unsigned width[] = {64, 64, p->machine.pointer_width};
    pass(p, c, arg, width, 3);
    if (!run(p, c, 0))
        return false;
    *result = bits_low(concrete_get(p->c, c->machine.ret, 64));
    return concrete_read(p->c, 0, WORDS_AT, (uint8_t *)words, PLAY_WORDS * 8);
}
