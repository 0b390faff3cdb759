/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dirty helpers: calls with effects that VEX declares (which registers and memory are read and written).
 *
 * Some are dirty only because VEX cannot pass or return 128 bits otherwise; they become pure functions. The
 * rest become events with the declared effects; those that only move processor state have a concrete meaning,
 * by calling the helper on the register file, which has the layout of VEX's guest state. */
#include <ctype.h>
#include <string.h>

#include "lift/lift.h"
#include "lift/vex/division.h"
#include "lift/vex/pure.h"
#include "lift/vex/state.h"

enum { MAX_ARGS = 16 };

/* Helpers on the whole state, and on the state and a piece of memory. Prototypes are in VEX's private
 * headers. */
#define STATE_HELPER(id, helper)                                                                             \
    void helper(void *state);                                                                                \
    static struct bits id(uint8_t *regs, const struct bits *arg, uint8_t *mem)                               \
    {                                                                                                        \
        (void)arg;                                                                                           \
        (void)mem;                                                                                           \
        helper(regs);                                                                                        \
        return bits_u64(0, 64);                                                                              \
    }

#define MEMORY_HELPER(id, helper)                                                                            \
    ULong helper(void *state, HWord mem);                                                                    \
    static struct bits id(uint8_t *regs, const struct bits *arg, uint8_t *mem)                               \
    {                                                                                                        \
        (void)arg;                                                                                           \
        helper(regs, (HWord)mem);                                                                            \
        return bits_u64(0, 64); /* emulation notes are dropped */                                            \
    }

STATE_HELPER(eval_amd64_finit, amd64g_dirtyhelper_FINIT)
STATE_HELPER(eval_x86_finit, x86g_dirtyhelper_FINIT)
STATE_HELPER(eval_x86_cpuid, x86g_dirtyhelper_CPUID_sse3)
MEMORY_HELPER(eval_amd64_fldenv, amd64g_dirtyhelper_FLDENV)
MEMORY_HELPER(eval_amd64_fstenv, amd64g_dirtyhelper_FSTENV)
MEMORY_HELPER(eval_amd64_fnsave, amd64g_dirtyhelper_FNSAVE)
MEMORY_HELPER(eval_amd64_fnsaves, amd64g_dirtyhelper_FNSAVES)
MEMORY_HELPER(eval_amd64_frstor, amd64g_dirtyhelper_FRSTOR)
MEMORY_HELPER(eval_amd64_frstors, amd64g_dirtyhelper_FRSTORS)
MEMORY_HELPER(eval_amd64_xsave0, amd64g_dirtyhelper_XSAVE_COMPONENT_0)
MEMORY_HELPER(eval_amd64_xsave1, amd64g_dirtyhelper_XSAVE_COMPONENT_1_EXCLUDING_XMMREGS)
MEMORY_HELPER(eval_amd64_xrstor0, amd64g_dirtyhelper_XRSTOR_COMPONENT_0)
MEMORY_HELPER(eval_amd64_xrstor1, amd64g_dirtyhelper_XRSTOR_COMPONENT_1_EXCLUDING_XMMREGS)
MEMORY_HELPER(eval_x86_fldenv, x86g_dirtyhelper_FLDENV)
MEMORY_HELPER(eval_x86_fstenv, x86g_dirtyhelper_FSTENV)
MEMORY_HELPER(eval_x86_fsave, x86g_dirtyhelper_FSAVE)
MEMORY_HELPER(eval_x86_frstor, x86g_dirtyhelper_FRSTOR)
MEMORY_HELPER(eval_x86_fxsave, x86g_dirtyhelper_FXSAVE)
MEMORY_HELPER(eval_x86_fxrstor, x86g_dirtyhelper_FXRSTOR)

void amd64g_dirtyhelper_CPUID_avx2(void *state, ULong f16c, ULong rdrand, ULong rdseed);

/* The processor VEX describes: one with everything up to AVX2. */
static struct bits eval_amd64_cpuid(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)mem;
    amd64g_dirtyhelper_CPUID_avx2(regs, arg[0].w[0] & 1, arg[1].w[0] & 1, arg[2].w[0] & 1);
    return bits_u64(0, 64);
}

/* Name of the event, whether the outside can tell that it happened, its concrete meaning. */
static const struct known {
    const char *helper, *event;
    bool observable;
    struct bits (*eval)(uint8_t *regs, const struct bits *arg, uint8_t *mem);
} known[] = {
    {"amd64g_dirtyhelper_CPUID_avx2", "cpuid", true, eval_amd64_cpuid},
    {"amd64g_dirtyhelper_FINIT", "fninit", false, eval_amd64_finit},
    {"amd64g_dirtyhelper_FLDENV", "fldenv", false, eval_amd64_fldenv},
    {"amd64g_dirtyhelper_FNSAVE", "fnsave", false, eval_amd64_fnsave},
    {"amd64g_dirtyhelper_FNSAVES", "fnsaves", false, eval_amd64_fnsaves},
    {"amd64g_dirtyhelper_FRSTOR", "frstor", false, eval_amd64_frstor},
    {"amd64g_dirtyhelper_FRSTORS", "frstors", false, eval_amd64_frstors},
    {"amd64g_dirtyhelper_FSTENV", "fstenv", false, eval_amd64_fstenv},
    {"amd64g_dirtyhelper_IN", "in", true, NULL},
    {"amd64g_dirtyhelper_OUT", "out", true, NULL},
    {"amd64g_dirtyhelper_RDRAND", "rdrand", true, NULL},
    {"amd64g_dirtyhelper_RDSEED", "rdseed", true, NULL},
    {"amd64g_dirtyhelper_RDTSC", "rdtsc", true, NULL},
    {"amd64g_dirtyhelper_RDTSCP", "rdtscp", true, NULL},
    {"amd64g_dirtyhelper_SxDT", "sgdt/sidt", true, NULL},
    {"amd64g_dirtyhelper_XRSTOR_COMPONENT_0", "xrstor:x87", false, eval_amd64_xrstor0},
    {"amd64g_dirtyhelper_XRSTOR_COMPONENT_1_EXCLUDING_XMMREGS", "xrstor:mxcsr", false, eval_amd64_xrstor1},
    {"amd64g_dirtyhelper_XSAVE_COMPONENT_0", "xsave:x87", false, eval_amd64_xsave0},
    {"amd64g_dirtyhelper_XSAVE_COMPONENT_1_EXCLUDING_XMMREGS", "xsave:mxcsr", false, eval_amd64_xsave1},
    {"arm64g_dirtyhelper_MRS_CNTFRQ_EL0", "mrs:cntfrq_el0", true, NULL},
    {"arm64g_dirtyhelper_MRS_CNTVCT_EL0", "mrs:cntvct_el0", true, NULL},
    {"selector:cs", "selector:cs", false, NULL},
    {"selector:ds", "selector:ds", false, NULL},
    {"selector:es", "selector:es", false, NULL},
    {"selector:fs", "selector:fs", false, NULL},
    {"selector:gs", "selector:gs", false, NULL},
    {"selector:ss", "selector:ss", false, NULL},
    {"x86g_dirtyhelper_CPUID_sse3", "cpuid", true, eval_x86_cpuid},
    {"x86g_dirtyhelper_FINIT", "fninit", false, eval_x86_finit},
    {"x86g_dirtyhelper_FLDENV", "fldenv", false, eval_x86_fldenv},
    {"x86g_dirtyhelper_FRSTOR", "frstor", false, eval_x86_frstor},
    {"x86g_dirtyhelper_FSAVE", "fnsave", false, eval_x86_fsave},
    {"x86g_dirtyhelper_FSTENV", "fstenv", false, eval_x86_fstenv},
    {"x86g_dirtyhelper_FXRSTOR", "fxrstor", false, eval_x86_fxrstor},
    {"x86g_dirtyhelper_FXSAVE", "fxsave", false, eval_x86_fxsave},
    {"x86g_dirtyhelper_IN", "in", true, NULL},
    {"x86g_dirtyhelper_OUT", "out", true, NULL},
    {"x86g_dirtyhelper_RDTSC", "rdtsc", true, NULL},
    {"x86g_dirtyhelper_SxDT", "sgdt/sidt", true, NULL},
};

struct call {
    struct vex_ctx *c;
    const IRDirty *d;
    ir_val guard; /* IR_NONE: always */
    ir_val arg[MAX_ARGS];
    unsigned nargs;
};

/* A call that does not happen leaves VEX's filler in its result. */
static void finish(const struct call *h, ir_val value)
{
    struct vex_ctx *c = h->c;
    if (h->d->tmp == IRTemp_INVALID)
        return;
    if (h->guard != IR_NONE) {
        struct bits filler;
        memset(&filler, 0x55, sizeof filler);
        value = ir_ite(c->b, h->guard, value, ir_const_bits(c->b, ir_width(c->b, value), filler));
    }
    c->tmp[h->d->tmp] = value;
}

static bool const_arg(const struct call *h, unsigned i, uint64_t *value)
{
    return i < h->nargs && ir_is_const(h->c->b, h->arg[i], value);
}

static bool in_file(const struct call *h, uint64_t offset)
{
    return offset <= h->c->machine->file_size - 16;
}

/* Arguments: opcode, offsets of the destination, of the key and of the block. */
static bool aes_round(const struct call *h)
{
    static const int16_t by_opcode[] = {VEX_PURE_X86_AESENC, VEX_PURE_X86_AESENCLAST, VEX_PURE_X86_AESDEC,
                                        VEX_PURE_X86_AESDECLAST};
    struct ir_builder *b = h->c->b;
    uint64_t opcode, to, key, block;
    if (!const_arg(h, 0, &opcode) || !const_arg(h, 1, &to) || !const_arg(h, 2, &key) ||
        !const_arg(h, 3, &block) || !in_file(h, to) || !in_file(h, key) || !in_file(h, block))
        return false;
    if (opcode == 0xdb) {
        ir_val x = ir_get(b, (unsigned)key, 128);
        ir_put(b, (unsigned)to, vex_pure_call(h->c, VEX_PURE_X86_AESIMC, &x, 1));
        return true;
    }
    if (opcode < 0xdc || opcode > 0xdf)
        return false;
    ir_val arg[2] = {ir_get(b, (unsigned)block, 128), ir_get(b, (unsigned)key, 128)};
    ir_put(b, (unsigned)to, vex_pure_call(h->c, (unsigned)by_opcode[opcode - 0xdc], arg, 2));
    return true;
}

/* Arguments: immediate, offsets of the source and of the destination. */
static bool aes_key(const struct call *h)
{
    struct ir_builder *b = h->c->b;
    uint64_t imm, from, to;
    if (!const_arg(h, 0, &imm) || !const_arg(h, 1, &from) || !const_arg(h, 2, &to) || !in_file(h, from) ||
        !in_file(h, to))
        return false;
    ir_val arg[2] = {ir_get(b, (unsigned)from, 128), ir_const(b, 8, imm)};
    ir_put(b, (unsigned)to, vex_pure_call(h->c, VEX_PURE_X86_AESKEYGENASSIST, arg, 2));
    return true;
}

/* Arguments: opcode and immediate, offsets of the second and the first string, rdx, rax. */
static bool compare_strings(const struct call *h)
{
    struct ir_builder *b = h->c->b;
    uint64_t what, second, first;
    if (!const_arg(h, 0, &what) || !const_arg(h, 1, &second) || !const_arg(h, 2, &first) ||
        !in_file(h, second) || !in_file(h, first) || h->nargs != 5)
        return false;
    ir_val arg[5] = {ir_get(b, (unsigned)first, 128), ir_get(b, (unsigned)second, 128), h->arg[0], h->arg[3],
                     h->arg[4]};
    ir_val result = vex_pure_call(h->c, VEX_PURE_X86_PCMPXSTRX, arg, 5);
    if (!(what & 0x100)) /* an even opcode: the mask is wanted */
        ir_put(b, AMD64(YMM0), vex_pure_call(h->c, VEX_PURE_X86_PCMPXSTRX_XMM0, arg, 5));
    finish(h, result);
    return true;
}

static bool load_f80(const struct call *h)
{
    if (h->nargs != 1)
        return false;
    ir_val otherwise = h->guard == IR_NONE ? IR_NONE : ir_const(h->c->b, 80, 0);
    ir_val x = ir_load(h->c->b, 0, h->arg[0], 80, h->guard, otherwise);
    finish(h, vex_pure_call(h->c, VEX_PURE_X87_F80_TO_F64, &x, 1));
    return true;
}

static bool store_f80(const struct call *h)
{
    if (h->nargs != 2)
        return false;
    ir_val x = vex_pure_call(h->c, VEX_PURE_X87_F64_TO_F80, &h->arg[1], 1);
    ir_store(h->c->b, 0, h->arg[0], x, h->guard);
    return true;
}

/* Vector helpers of ARM: a table entry under the helper's name takes its words joined to whole operands. */
static bool vector_function(const struct call *h)
{
    struct ir_builder *b = h->c->b;
    int index = vex_pure_index(h->d->cee->name);
    if (index < 0 || h->d->tmp == IRTemp_INVALID || h->d->nFxState || h->d->mFx != Ifx_None)
        return false;
    const struct pure *p = &lift_pures().table[index];
    ir_val whole[PURE_MAX_ARGS];
    unsigned next = 0;
    for (unsigned i = 0; i < p->nargs; i++) {
        ir_val x = IR_NONE;
        while (next < h->nargs && (x == IR_NONE || ir_width(b, x) < p->arg_width[i])) {
            x = x == IR_NONE ? h->arg[next] : ir_bin(b, OP_CONCAT, x, h->arg[next]);
            next++;
        }
        if (x == IR_NONE || ir_width(b, x) != p->arg_width[i])
            return false;
        whole[i] = x;
    }
    if (next != h->nargs || p->width != vex_type_width(typeOfIRTemp(h->c->types, h->d->tmp)))
        return false;
    finish(h, vex_pure_call(h->c, (unsigned)index, whole, p->nargs));
    return true;
}

static bool as_function(const struct call *h)
{
    const char *name = h->d->cee->name;
    if (strstr(name, "dirtyhelper_loadF80le"))
        return load_f80(h);
    if (strstr(name, "dirtyhelper_storeF80le"))
        return store_f80(h);
    if (h->guard != IR_NONE && h->d->nFxState)
        return false;
    if (strcmp(name, "amd64g_dirtyhelper_AES") == 0)
        return aes_round(h);
    if (strcmp(name, "amd64g_dirtyhelper_AESKEYGENASSIST") == 0)
        return aes_key(h);
    if (strcmp(name, "amd64g_dirtyhelper_PCMPxSTRx") == 0)
        return compare_strings(h);
    return vector_function(h);
}

/* Repeated pieces count as one range from the first to the last. */
static void add_state_effects(struct ir_event *e, const IRDirty *d)
{
    for (Int i = 0; i < d->nFxState; i++) {
        struct ir_range r = {d->fxState[i].offset, d->fxState[i].size};
        r.bytes += (uint32_t)d->fxState[i].nRepeats * d->fxState[i].repeatLen;
        if (d->fxState[i].fx != Ifx_Write && e->nreads < IR_EFFECT_MAX)
            e->reads[e->nreads++] = r;
        if (d->fxState[i].fx != Ifx_Read && e->nwrites < IR_EFFECT_MAX)
            e->writes[e->nwrites++] = r;
    }
}

static void as_event(const struct call *h)
{
    struct vex_ctx *c = h->c;
    const IRDirty *d = h->d;
    struct ir_event e = {.guard = h->guard, .mem_addr = IR_NONE, .observable = true};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].helper, d->cee->name) != 0)
            continue;
        e.name = known[i].event;
        e.observable = known[i].observable;
        e.eval = known[i].eval;
    }
    static const char mrs[] = "arm64g_dirtyhelper_MRS_"; /* system registers known to newer versions of VEX */
    if (!e.name && strncmp(d->cee->name, mrs, sizeof mrs - 1) == 0) {
        char *name = arena_printf(c->arena, "mrs:%s", d->cee->name + sizeof mrs - 1);
        for (char *at = name; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        e.name = name;
    }
    if (!e.name) {
        e.name = arena_strdup(c->arena, d->cee->name);
        c->unmodelled++;
    }
    add_state_effects(&e, d);
    if (d->mFx != Ifx_None && d->mAddr) {
        e.mem_read = d->mFx != Ifx_Write;
        e.mem_write = d->mFx != Ifx_Read;
        e.mem_addr = vex_expr(c, d->mAddr);
        e.mem_bytes = (uint32_t)d->mSize;
    }
    unsigned width = d->tmp == IRTemp_INVALID ? 0 : vex_type_width(typeOfIRTemp(c->types, d->tmp));
    finish(h, ir_event(c->b, &e, h->arg, h->nargs, width));
}

void vex_dirty(struct vex_ctx *c, const IRDirty *d)
{
    if (vex_division_check(c, d))
        return;
    struct call h = {.c = c, .d = d, .guard = vex_expr(c, d->guard)};
    uint64_t happens;
    if (ir_is_const(c->b, h.guard, &happens)) {
        h.guard = IR_NONE;
        if (!happens) {
            if (d->tmp != IRTemp_INVALID) {
                struct bits filler;
                memset(&filler, 0x55, sizeof filler);
                c->tmp[d->tmp] = ir_const_bits(c->b, vex_type_width(typeOfIRTemp(c->types, d->tmp)), filler);
            }
            return;
        }
    }
    for (IRExpr **e = d->args; *e && h.nargs < MAX_ARGS; e++)
        if ((*e)->tag != Iex_GSPTR && (*e)->tag != Iex_VECRET)
            h.arg[h.nargs++] = vex_expr(c, *e);
    if (!as_function(&h))
        as_event(&h);
}
