/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor's flags. The lifter keeps them as the operation that set them and its operands; what they are
 * is what the processor's own instructions for reading and writing them say, so those are lifted and run here
 * on a copy of the registers, and nothing need be known of the lifter's private layout. */
#include <string.h>
#include <strings.h>

#include "debug/log.h"

struct flag {
    const char *name;
    unsigned bit;
};

static const struct flag x86_flags[] = {{"cf", 0}, {"pf", 2},  {"af", 4},  {"zf", 6},
                                        {"sf", 7}, {"df", 10}, {"of", 11}, {NULL, 0}};
static const struct flag arm_flags[] = {{"nf", 31}, {"zf", 30}, {"cf", 29}, {"vf", 28}, {NULL, 0}};

/* Code that brings the flags into a register, and code that takes them from it. */
struct access {
    const char *reg;
    const struct flag *flags;
    uint8_t read[8], write[8];
    unsigned nread, nwrite;
};

static const struct access *access_of(enum machine_arch arch)
{
    static const struct access amd64 = {"rax",        x86_flags, {0x9c, 0x58},
                                        {0x50, 0x9d}, 2,         2}; /* pushf; pop. push; popf */
    static const struct access x86 = {"eax", x86_flags, {0x9c, 0x58}, {0x50, 0x9d}, 2, 2};
    static const struct access arm = {"r0", arm_flags, {0x00, 0x00, 0x0f, 0xe1}, {0x00, 0xf0, 0x28, 0xe1},
                                      4,    4};
    /* mrs r0, cpsr; msr cpsr_f, r0 */
    static const struct access arm64 = {"x0", arm_flags, {0x00, 0x42, 0x3b, 0xd5}, {0x00, 0x42, 0x1b, 0xd5},
                                        4,    4};
    /* mrs x0, nzcv; msr nzcv, x0 */
    switch (arch) {
    case MACHINE_AMD64:
        return &amd64;
    case MACHINE_X86:
        return &x86;
    case MACHINE_ARM:
        return &arm;
    case MACHINE_ARM64:
        return &arm64;
    default:
        return NULL;
    }
}

static bool nothing_there(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    (void)ctx;
    (void)space;
    (void)address;
    *byte = 0;
    return true;
}

/* Runs the code on a copy of the registers, with `value` in its register. NULL when it could not be run. */
static struct concrete *run(struct debuggee *d, const struct access *a, bool write, uint64_t value)
{
    const uint8_t *code = write ? a->write : a->read;
    unsigned left = write ? a->nwrite : a->nread;
    struct concrete *c = concrete_new(d->m, d->pures, nothing_there, NULL);
    memcpy(concrete_registers(c), concrete_registers(d->c), d->m->file_size);
    uint16_t offset, width;
    if (machine_register_find(d->m, a->reg, &offset, &width) && write)
        concrete_set(c, offset, width, bits_u64(value, width));
    struct arena arena = ARENA_INIT;
    uint64_t at = 0x10000;
    while (left) {
        struct ir_block b;
        uint16_t cc_offset, cc_width;
        uint64_t cc_op = machine_register_find(d->m, "<cc_op>", &cc_offset, &cc_width)
                             ? bits_low(concrete_get(c, cc_offset, cc_width))
                             : 0;
        lift_block_after(program_lifter(d->p), cc_op, at, code, left, LIFT_STEP, &arena, &b);
        struct concrete_result r = concrete_run_block(c, &b);
        if (r.stop != CONCRETE_JUMP || !b.bytes || b.bytes > left) {
            concrete_free(c);
            c = NULL;
            break;
        }
        code += b.bytes;
        left -= b.bytes;
        at += b.bytes;
    }
    arena_free(&arena);
    return c;
}

static bool read_all(struct debuggee *d, const struct access *a, uint64_t *out)
{
    struct concrete *c = run(d, a, false, 0);
    uint16_t offset, width;
    if (!c || !machine_register_find(d->m, a->reg, &offset, &width)) {
        concrete_free(c);
        return false;
    }
    *out = bits_low(concrete_get(c, offset, width));
    concrete_free(c);
    return true;
}

static const struct flag *find(const struct access *a, const char *name)
{
    for (const struct flag *f = a ? a->flags : NULL; f && f->name; f++)
        if (strcasecmp(f->name, name) == 0)
            return f;
    return NULL;
}

bool debuggee_flag(struct debuggee *d, const char *name, bool *value)
{
    const struct access *a = access_of(d->m->arch);
    const struct flag *f = find(a, name);
    uint64_t all;
    if (!f || !read_all(d, a, &all))
        return false;
    *value = all >> f->bit & 1;
    return true;
}

bool debuggee_set_flag(struct debuggee *d, const char *name, bool value)
{
    const struct access *a = access_of(d->m->arch);
    const struct flag *f = find(a, name);
    uint64_t all;
    if (!f || !read_all(d, a, &all))
        return false;
    all = (all & ~(UINT64_C(1) << f->bit)) | (uint64_t)value << f->bit;
    struct concrete *c = run(d, a, true, all);
    if (!c)
        return false;
    /* All that the instruction changed besides the register it used and the stack. */
    uint16_t used, width;
    machine_register_find(d->m, a->reg, &used, &width);
    uint8_t *now = concrete_registers(d->c);
    const uint8_t *after = concrete_registers(c);
    unsigned word = d->m->pointer_width / 8;
    for (unsigned k = 0; k < d->m->file_size; k++) {
        bool apart = k - used < word || k - d->m->sp < word || k - d->m->pc < word;
        if (now[k] != after[k] && !apart) {
            log_registers(d, k, 1);
            now[k] = after[k];
        }
    }
    concrete_free(c);
    return true;
}

void debuggee_flags(struct debuggee *d, bool all, struct buf *out)
{
    const struct access *a = access_of(d->m->arch);
    uint64_t bits = 0;
    bool any = false;
    if (!a || !read_all(d, a, &bits))
        return;
    for (const struct flag *f = a->flags; f->name; f++)
        if (all || bits >> f->bit & 1) {
            buf_printf(out, "%s%s", any ? " " : "", f->name);
            any = true;
        }
}
