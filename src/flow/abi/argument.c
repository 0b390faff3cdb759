/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a call passes to a function of unknown prototype.
 *
 * Every argument register is assumed to be passed, so that no argument goes uncompared. When two calls differ
 * in one, the question is what that register was set for: the paths to the call are followed back, and the
 * idioms of compilers (idioms.c) say what a block sets it for. */
#include <string.h>

#include "flow/abi/internal.h"

bool argument_surely_set_in(const struct ir_machine *m, const struct ir_block *b, unsigned reg,
                            unsigned width)
{
    return abi_evidence_set(idiom_in_block(NULL, m, b, reg, width, true, false)) == ABI_SURE;
}

/* The value of a register was put there to be stored, compared, copied or used as an address. In code that is
 * not optimised that is all it was put there for, unless it happens in the block of the call itself: there an
 * assignment may be an argument as well. Compilers that set arguments last of all show in the arguments
 * before it, which are set after that use. */
static bool is_used_up(const struct abi *abi, const struct ir_block *b, unsigned reg, bool own)
{
    const struct ir_machine *m = abi->m;
    uint32_t last, used = 0;
    ir_val put = uses_last_put(b, reg, &last);
    if (put == IR_NONE)
        return false;
    ir_val root = uses_root(b, put);
    for (uint32_t i = root + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        bool one = (in->op == IR_LOAD || in->op == IR_STORE || uses_is_comparison(in->op)) &&
                   (uses_root(b, in->a) == root || (in->op != IR_LOAD && uses_root(b, in->b) == root));
        if (one || (in->op == IR_PUT && i > last && in->a != reg && uses_root(b, in->b) == root))
            used = i;
    }
    if (!used || !own)
        return used;
    for (unsigned k = 0; k < m->nargs && m->arg[k] != reg; k++)
        for (uint32_t i = used + 1; i < b->ninsn; i++)
            if (b->insn[i].op == IR_PUT && b->insn[i].a == m->arg[k]) {
                const struct ir_insn *v = &b->insn[uses_root(b, b->insn[i].b)];
                if (v->op == IR_LOAD &&
                    (uses_in_frame(m, b, v->a) || uses_based_on(b, v->a, abi->frame_register)))
                    return true;
            }
    return false;
}

static bool is_written(const struct ir_block *b, unsigned reg, unsigned bytes)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_UNKNOWN ||
            (in->op == IR_PUT && in->a < reg + bytes && reg < in->a + (b->insn[in->b].width + 7u) / 8))
            return true;
        for (unsigned k = 0; in->op == IR_EVENT && k < b->event[in->a].nwrites; k++)
            if (b->event[in->a].writes[k].offset < reg + bytes &&
                reg < b->event[in->a].writes[k].offset + b->event[in->a].writes[k].bytes)
                return true;
    }
    return false;
}

/* The function at that address, of the same file, and those that it calls do not write the register.
 * Compilers that know their code keep values there over the call (gcc's -fipa-ra). */
static bool leaves_alone(struct program *p, uint64_t address, unsigned reg, unsigned depth)
{
    enum { BLOCKS = 200 };
    const struct flow_function *f = address ? program_function_at(p, address) : NULL;
    if (!f || f->flags & (FLOW_PLT | FLOW_EXTERN) || !depth)
        return false;
    const struct flow_graph *g = flow_graph(p, f);
    if (!g->nblocks || g->nblocks > BLOCKS || g->nproblems)
        return false;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (is_written(&g->block[i], reg, program_machine(p)->pointer_width / 8))
            return false;
    for (uint32_t i = 0; i < g->ncalls; i++)
        if (!leaves_alone(p, g->call[i].target, reg, depth - 1))
            return false;
    return true;
}

/* What a register holds after the call that ends the block. */
static enum abi_evidence after_call(const struct abi *abi, uint32_t block, unsigned reg, unsigned width,
                                    bool passed, enum purpose what, unsigned depth)
{
    enum { NESTED = 3 };
    const struct flow_graph *g = abi->g;
    for (uint32_t i = 0; what == FOR_CALL && !abi->unoptimised && i < g->ncalls; i++)
        if (g->call[i].block == block && leaves_alone(abi->p, g->call[i].target, reg, NESTED) &&
            abi_evidence_set(argument_on_paths(abi, block, reg, width, passed, what, depth)) != ABI_UNSET)
            return ABI_OVER_CALL;
    return what == FOR_CALL_ANEW ? ABI_CALLEE_RESULT : ABI_CALLEE_LEFT;
}

/* On the paths to where the edge leaves its block; NULL: to the end of the block. What is put into registers
 * behind a side exit is for no return that is reached by it. */
static enum abi_evidence on_paths(const struct abi *abi, uint32_t block, const struct flow_edge *out,
                                  unsigned reg, unsigned width, bool passed, enum purpose what,
                                  unsigned depth)
{
    const struct flow_graph *g = abi->g;
    bool call = what == FOR_CALL || what == FOR_CALL_ANEW;
    const struct ir_block run = out ? uses_until(g, out) : g->block[block],
                          *b = call ? &g->block[block] : &run;
    enum abi_evidence here = idiom_in_block(call ? abi : NULL, abi->m, b, reg, width, depth == PATH_DEPTH_MAX,
                                            what == FOR_RETURN_ALONE),
                      all = ABI_UNTOUCHED;
    if (here != ABI_UNTOUCHED && call && abi->unoptimised && is_used_up(abi, b, reg, depth == PATH_DEPTH_MAX))
        return ABI_USED_UP;
    if (here != ABI_UNTOUCHED)
        return here;
    if (!depth)
        return ABI_FAR;
    /* At entry it is what the caller passed. */
    bool first = block == 0;
    if (first)
        all = passed ? ABI_PARAMETER : ABI_UNTOUCHED;
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block || g->edge[e].from == block)
            continue;
        enum abi_evidence from =
            g->edge[e].kind == EDGE_RETURN
                ? after_call(abi, g->edge[e].from, reg, width, passed, what, depth - 1)
                : on_paths(abi, g->edge[e].from, &g->edge[e], reg, width, passed, what, depth - 1);
        if (first && abi_evidence_set(all) != abi_evidence_set(from))
            all = ABI_PATHS_DIFFER;
        else if (!first)
            all = from;
        first = true;
    }
    return all;
}

enum abi_evidence argument_on_paths(const struct abi *abi, uint32_t block, unsigned reg, unsigned width,
                                    bool passed, enum purpose what, unsigned depth)
{
    return on_paths(abi, block, NULL, reg, width, passed, what, depth);
}

/* On some path to the end of the block. */
static enum abi_evidence leftover(const struct abi *abi, uint32_t block, unsigned reg, unsigned depth)
{
    const struct flow_graph *g = abi->g;
    const struct ir_block *b = &g->block[block];
    enum abi_evidence why = idiom_leftover(b, reg);
    if (uses_last_put(b, reg, NULL) != IR_NONE)
        return why;
    for (uint32_t e = 0; depth && e < g->nedges && why == ABI_NO_EVIDENCE; e++)
        if (g->edge[e].to == block && g->edge[e].from != block && g->edge[e].kind != EDGE_RETURN)
            why = leftover(abi, g->edge[e].from, reg, depth - 1);
    return why;
}

struct abi_answer abi_argument(const struct abi *abi, uint64_t site, unsigned a)
{
    const struct flow_call *k = abi_call_at(abi, site);
    if (!k)
        return abi_answer(ABI_NOT_SEEN);
    unsigned reg = abi->m->arg[a];
    enum abi_evidence why = argument_on_paths(abi, k->block, reg, abi->m->pointer_width,
                                              a < abi->nparams && !abi->spills, FOR_CALL, PATH_DEPTH_MAX),
                      left = ABI_NO_EVIDENCE;
    if (abi_evidence_set(why) == ABI_SURE)
        left = leftover(abi, k->block, reg, PATH_DEPTH_MAX);
    return abi_answer(left != ABI_NO_EVIDENCE ? left : why);
}

unsigned abi_passed(struct abi *abi, uint64_t site)
{
    unsigned n = abi_call_at(abi, site) ? 0 : abi->m->nargs;
    for (; n < abi->m->nargs; n++) {
        enum abi_evidence why = abi_free_register(abi, site, n, abi->m->nargs);
        bool half = why == ABI_OVERFLOW_LOWER || why == ABI_OVERFLOW_UPPER;
        if ((why != ABI_NO_EVIDENCE && !half) || abi_argument(abi, site, n).set == ABI_UNSET)
            break;
    }
    return n;
}

bool abi_may_pass_more(const struct abi *abi, uint64_t target, unsigned n)
{
    /* On ARM something of two words begins in every other register. */
    unsigned even = abi->m->arch == MACHINE_ARM ? n + n % 2 : n;
    for (uint32_t i = 0; i < abi->g->ncalls; i++) {
        const struct flow_call *k = &abi->g->call[i];
        for (unsigned a = n; k->target == target && a < abi->m->nargs; a++)
            if (abi_argument(abi, k->site, a).set >= ABI_LIKELY ||
                ((a == n || a == even) &&
                 uses_last_put(&abi->g->block[k->block], abi->m->arg[a], NULL) != IR_NONE))
                return true;
    }
    return false;
}

bool abi_passes_more(const struct abi *abi, const char *name, const struct flow_takes *takes)
{
    enum { FLOAT_BITS = 32 };
    const struct ir_machine *m = abi->m;
    for (uint32_t i = 0; i < abi->g->ncalls; i++) {
        const struct flow_call *k = &abi->g->call[i];
        if (!k->name || strcmp(k->name, name) != 0)
            continue;
        for (unsigned a = takes->nargs; a < m->nargs; a++)
            if (abi_argument(abi, k->site, a).set >= ABI_LIKELY)
                return true;
        if (!m->nargs && abi_sets_word(abi, k->site, takes->nargs))
            return true;
        if (m->nfargs && !takes->floats &&
            argument_surely_set_in(m, &abi->g->block[k->block], m->farg[0], FLOAT_BITS))
            return true;
    }
    return false;
}

bool abi_passes_vector(const struct abi *abi, uint64_t site)
{
    enum { VECTOR = 128 };
    static const char *const carrier[] = {"xmm0", "xmm1", "xmm2"};
    const struct flow_call *k = abi->m->arch == MACHINE_X86 ? abi_call_at(abi, site) : NULL;
    uint16_t at, width;
    bool passes = false;
    for (size_t i = 0; k && i < sizeof carrier / sizeof *carrier && !passes; i++)
        passes = machine_register_find(abi->m, carrier[i], &at, &width) &&
                 abi_evidence_set(argument_on_paths(abi, k->block, at, VECTOR, false, FOR_CALL,
                                                    PATH_DEPTH_MAX)) == ABI_SURE;
    return passes;
}
