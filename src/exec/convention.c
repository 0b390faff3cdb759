/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function of the program does to registers and the stack, read off its code.
 *
 * Between functions of one file compilers do not keep to the calling convention: a caller leaves a value in a
 * register that the callee happens not to touch (gcc -fipa-ra), arguments come in other registers than the
 * prototype says (clones, nested functions, large results of AArch64), i386 functions take their arguments
 * off the stack. What the code does not show, that registers it saves are restored, is assumed and counted
 * (explore_stats.abi_assumed). */
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"
#include "flow/abi/abi.h"

enum { CONVENTION_DEPTH = 8, CONVENTION_BLOCKS = 2000 };

static void mark_range(const struct explorer *x, uint8_t *set, unsigned offset, unsigned bytes)
{
    for (unsigned i = offset; i < offset + bytes && i < x->nslots * x->unit; i++)
        set[i / x->unit] = 1;
}

/* Everything that the convention lets a function change. */
static void mark_all(const struct explorer *x, uint8_t *set)
{
    for (unsigned i = 0; i < x->nslots; i++)
        set[i] = set[i] || !x->slot_keep[i];
}

/* ---- what is written ---- */

static void written_by_block(const struct explorer *x, const struct ir_block *b, uint8_t *set)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT) {
            mark_range(x, set, in->a, (b->insn[in->b].width + 7u) / 8);
        } else if (in->op == IR_EVENT) {
            const struct ir_event *e = &b->event[in->a];
            for (unsigned k = 0; k < e->nwrites; k++)
                mark_range(x, set, e->writes[k].offset, e->writes[k].bytes);
        } else if (in->op == IR_UNKNOWN) {
            mark_all(x, set);
        }
    }
    if (b->end.kind == IR_END_SYSCALL && x->m->syscall_ret != UINT16_MAX)
        mark_range(x, set, x->m->syscall_ret, x->unit);
    if (b->end.kind == IR_END_UNKNOWN)
        mark_all(x, set);
}

/* ---- what is read before it is written ---- */

/* A register that is pushed to make room, and only that: x86-64's push %rax, ARM's push {r3, lr}. */
static bool only_pushed(const struct explorer *x, const struct ir_block *b, uint32_t get)
{
    uint32_t from = 0, to = b->ninsn;
    for (uint32_t i = 0; i < b->nmark; i++) {
        if (b->mark[i].first <= get)
            from = b->mark[i].first;
        else if (b->mark[i].first < to)
            to = b->mark[i].first;
    }
    bool stored = false, moves = false;
    for (uint32_t i = from; i < to; i++) {
        stored = stored || (b->insn[i].op == IR_STORE && b->insn[i].b == get);
        moves = moves || (b->insn[i].op == IR_PUT && b->insn[i].a == x->m->sp);
    }
    for (uint32_t i = to; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op != IR_CONST && in->op != IR_GET && (in->a == get || in->b == get || in->c == get))
            return false; /* a false alarm here only makes a register count */
    }
    return stored && moves;
}

/* Adds to `read` what the block may read of the registers that are not in `done`, and to `done` what it
 * writes. */
static void read_by_block(const struct explorer *x, const struct ir_block *b, bool entry, uint8_t *done,
                          uint8_t *read)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_GET) {
            for (unsigned at = in->a; at < in->a + (in->width + 7u) / 8; at++)
                if (!done[at / x->unit] && !(entry && only_pushed(x, b, i)))
                    read[at / x->unit] = 1;
        } else if (in->op == IR_PUT) {
            /* Code that writes only the low part does not use the rest afterwards. */
            unsigned bytes = (b->insn[in->b].width + 7u) / 8;
            for (unsigned at = in->a; at < in->a + bytes; at++)
                done[at / x->unit] = done[at / x->unit] || at % x->unit == 0;
        } else if (in->op == IR_EVENT) {
            const struct ir_event *e = &b->event[in->a];
            for (unsigned k = 0; k < e->nreads; k++)
                for (unsigned at = e->reads[k].offset; at < e->reads[k].offset + e->reads[k].bytes; at++)
                    read[at / x->unit] = read[at / x->unit] || !done[at / x->unit];
        }
    }
}

static const struct convention *convention_known(struct explorer *x, uint64_t target)
{
    uint64_t known;
    if (x->m->arch == MACHINE_ARM)
        target &= ~UINT64_C(1);
    if (!map_get(&x->file->conventions, target, &known))
        return NULL;
    const struct convention *c = (const struct convention *)(uintptr_t)known;
    return c && c->whole ? c : NULL;
}

static void find_reads(struct explorer *x, const struct flow_function *f, const struct flow_graph *g,
                       struct convention *c)
{
    unsigned n = x->nslots;
    uint8_t *in = xmalloc((size_t)g->nblocks * n), *out = xmalloc(n);
    memset(in, 1, (size_t)g->nblocks * n);
    memset(in, 0, n);
    bool *queued = xcalloc(g->nblocks, sizeof *queued);
    VEC(uint32_t) work = VEC_INIT;
    vec_push(&work, 0);
    while (work.len) {
        uint32_t at = vec_pop(&work);
        queued[at] = false;
        memcpy(out, in + (size_t)at * n, n);
        read_by_block(x, &g->block[at], at == 0, out, c->reads);
        for (uint32_t i = 0; i < g->ncalls; i++) {
            if (g->call[i].block != at || !g->call[i].target)
                continue;
            /* What the function itself reads is seen anyway. */
            const struct flow_function *callee = program_local_function(x->file->p, g->call[i].target);
            if (!callee || callee == f)
                continue;
            const struct convention *k = convention_known(x, g->call[i].target);
            for (unsigned s = 0; s < n; s++)
                c->reads[s] = c->reads[s] || ((!k || k->reads[s]) && !out[s]);
        }
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++) {
            uint8_t *to = in + (size_t)g->edge[e].to * n;
            bool changed = false;
            for (unsigned s = 0; s < n; s++) {
                changed = changed || (to[s] && !out[s]);
                to[s] = to[s] && out[s];
            }
            /* Blocks seen for the first time with nothing to change still have to be looked at. */
            if ((changed || !c->seen[g->edge[e].to]) && !queued[g->edge[e].to]) {
                queued[g->edge[e].to] = true;
                vec_push(&work, g->edge[e].to);
            }
            c->seen[g->edge[e].to] = 1;
        }
    }
    vec_free(&work);
    free(queued);
    free(in);
    free(out);
}

/* ---- what is popped ---- */

/* i386 and x86-64: ret imm16. */
static bool popped_by(const struct explorer *x, const struct ir_block *b, unsigned *bytes)
{
    uint8_t code[3];
    *bytes = 0;
    if (!x->m->call_pushes || !b->nmark)
        return true;
    const struct ir_mark *last = &b->mark[b->nmark - 1];
    if (last->length < 3)
        return true;
    if (!object_read(x->file->o, last->address + last->length - 3, code, sizeof code))
        return false;
    if (code[0] == 0xc2)
        *bytes = code[1] | code[2] << 8;
    return true;
}

static const struct convention *find(struct explorer *x, uint64_t target, unsigned depth)
{
    uint64_t known;
    if (x->m->arch == MACHINE_ARM)
        target &= ~UINT64_C(1);
    if (map_get(&x->file->conventions, target, &known))
        return (const struct convention *)(uintptr_t)known;
    const struct flow_function *f = program_local_function(x->file->p, target);
    const struct flow_graph *g = f ? flow_graph(x->file->p, f) : NULL;
    if (!g || depth > CONVENTION_DEPTH || g->nblocks == 0 || g->nblocks > CONVENTION_BLOCKS)
        return NULL;
    struct convention *c = arena_new(&x->arena, struct convention);
    c->writes = arena_array(&x->arena, uint8_t, x->nslots);
    c->reads = arena_array(&x->arena, uint8_t, x->nslots);
    c->seen = arena_array(&x->arena, uint8_t, g->nblocks);
    /* A function that calls itself, directly or not, meets itself unfinished: then the convention counts. */
    map_set(&x->file->conventions, target, (uint64_t)(uintptr_t)c);
    bool first = true, agree = true;
    for (uint32_t i = 0; i < g->nblocks; i++) {
        const struct ir_block *b = &g->block[i];
        unsigned bytes = 0;
        written_by_block(x, b, c->writes);
        if (b->end.kind != IR_END_RET)
            continue;
        agree = agree && popped_by(x, b, &bytes) && (first || bytes == c->pops);
        c->pops = bytes;
        first = false;
    }
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_call *call = &g->call[i];
        const struct convention *k = call->target ? find(x, call->target, depth + 1) : NULL;
        bool tail = call->kind == CALL_TAIL || call->kind == CALL_TAIL_INDIRECT;
        if (!k || !k->whole) {
            mark_all(x, c->writes);
            continue;
        }
        for (unsigned s = 0; s < x->nslots; s++)
            c->writes[s] = c->writes[s] || k->writes[s];
        if (tail && !call->noreturn) {
            agree = agree && (first || k->pops == c->pops);
            c->pops = k->pops;
            first = false;
        }
    }
    if (g->nproblems)
        mark_all(x, c->writes);
    find_reads(x, f, g, c);
    c->reads_flags = abi_takes_flags(x->file->p, f);
    c->pops_known = agree && !g->nproblems;
    bool taken;
    int words = flow_stack_words(x->file->p, f, &taken);
    c->stack_words = words < 0 ? 0 : (unsigned)words;
    c->takes_stack = words < 0 || taken;
    c->whole = true;
    return c;
}

const struct convention *convention_of(struct explorer *x, const struct callee *c)
{
    if (!x->file->p || !c->address)
        return NULL;
    const struct convention *k = find(x, c->address, 0);
    return k && k->whole ? k : NULL;
}

/* Registers other than the argument registers in which something may be passed: the address for a large
 * result, the static chain of a nested function, whatever a compiler chose. */
unsigned convention_carriers(const struct explorer *x, bool elsewhere, uint16_t out[CONVENTION_CARRIERS])
{
    /* Last those that linker veneers may clobber. */
    static const char *const amd64[] = {"rax", "r10", "r11"};
    static const char *const i386[] = {"eax", "ecx", "edx"};
    static const char *const arm[] = {"r12"};
    static const char *const arm64[] = {"x8",  "x9",  "x10", "x11", "x12", "x13",
                                        "x14", "x15", "x18", "x16", "x17"};
    const char *const *name = NULL;
    unsigned n = 0, found = 0, last = 1;
    switch (x->m->arch) {
    case MACHINE_AMD64:
        name = amd64, n = sizeof amd64 / sizeof *amd64;
        break;
    case MACHINE_X86:
        name = i386, n = sizeof i386 / sizeof *i386, last = 0;
        break;
    case MACHINE_ARM:
        name = arm, n = sizeof arm / sizeof *arm;
        break;
    case MACHINE_ARM64:
        name = arm64, n = sizeof arm64 / sizeof *arm64, last = 2;
        break;
    case MACHINE_NONE:
        break;
    }
    for (unsigned i = 0; i + (elsewhere ? last : 0) < n; i++) {
        uint16_t width;
        found += machine_register_find(x->m, name[i], &out[found], &width);
    }
    return found;
}
