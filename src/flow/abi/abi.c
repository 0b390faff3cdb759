/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function under analysis: its parameters, and whether it was compiled without optimisation. */
#include <stdlib.h>
#include <string.h>

#include "flow/abi/internal.h"

static const struct {
    enum abi_set set;
    const char *text;
} evidence[] = {
    [ABI_NO_EVIDENCE] = {ABI_POSSIBLE, "nothing shows it"},
#define X(code, set, text) [ABI_##code] = {ABI_##set, text},
#include "flow/abi/evidence.def"
#undef X
};

enum abi_set abi_evidence_set(enum abi_evidence why)
{
    return evidence[why].set;
}

const char *abi_evidence_text(enum abi_evidence why)
{
    return evidence[why].text;
}

struct abi_answer abi_answer(enum abi_evidence why)
{
    return (struct abi_answer){evidence[why].set, why};
}

const struct flow_call *abi_call_at(const struct abi *abi, uint64_t site)
{
    for (uint32_t i = 0; i < abi->g->ncalls; i++)
        if (abi->g->call[i].site == site)
            return &abi->g->call[i];
    return NULL;
}

bool abi_in_got(const struct abi *abi, uint64_t address)
{
    const struct object_section *all;
    size_t n = object_sections(abi->o, &all);
    for (size_t i = 0; i < n; i++)
        if (strncmp(all[i].name, ".got", 4) == 0 && address - all[i].address < all[i].size)
            return true;
    return false;
}

/* Without optimisation, compilers store every argument first, in one place, and load it again at each use.
 * False: this code does not. */
static bool find_homes(struct abi *abi)
{
    const struct ir_machine *m = abi->m;
    const struct ir_block *b = abi->g->nblocks ? &abi->g->block[0] : NULL;
    unsigned stored = 0, all = abi->nparams <= m->nargs ? abi->nparams : m->nargs;
    uint64_t homed = 0; /* bit: parameter */
    bool again = false, twice = false;
    for (uint32_t i = 0; b && i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        int64_t off;
        if (in->op == IR_LOAD && uses_stack_offset(m, b, in->a, &off))
            again = again || map_get(&abi->homes, (uint64_t)off, NULL);
        if (in->op != IR_STORE || !uses_stack_offset(m, b, in->a, &off))
            continue;
        const struct ir_insn *v = &b->insn[uses_root(b, in->b)];
        for (unsigned k = 0; v->op == IR_GET && k < all; k++)
            if (v->a == m->arg[k] && map_set(&abi->homes, (uint64_t)off, 1)) {
                twice = twice || homed >> k & 1;
                homed |= UINT64_C(1) << k;
                stored++;
            }
    }
    bool yes = again && all && stored >= all && !twice;
    if (!yes)
        map_free(&abi->homes);
    return yes;
}

/* No callee-saved register holds anything but the frame's place. */
static bool find_frame_register(struct abi *abi)
{
    const struct ir_machine *m = abi->m;
    abi->frame_register = m->sp;
    for (uint32_t k = 0; abi->spills && k < abi->g->nblocks; k++) {
        const struct ir_block *b = &abi->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            const struct ir_insn *in = &b->insn[i];
            bool saved = false;
            for (unsigned r = 0; in->op == IR_PUT && r < m->nsaved; r++)
                saved = saved || (in->a == m->saved[r] && in->a != m->lr);
            if (saved && k == 0 && abi->frame_register == m->sp && uses_based_on(b, in->b, m->sp))
                abi->frame_register = in->a;
            if (saved && !uses_based_on(b, in->b, m->sp) && !uses_based_on(b, in->b, abi->frame_register) &&
                !(b->insn[in->b].op == IR_LOAD && b->end.kind == IR_END_RET))
                return false;
        }
    }
    return abi->spills;
}

static unsigned count_parameters(const struct abi *abi)
{
    const struct ir_machine *m = abi->m;
    const struct object_function_debug *d = object_debug_function(abi->o, abi->f->address);
    if (d)
        return abi->proto.nargs > (int)d->nparams ? (unsigned)abi->proto.nargs : (unsigned)d->nparams;
    for (unsigned a = m->nargs; a-- > 0;)
        if (abi_reads_entry(abi, m->arg[a]))
            return a + 1;
    return 0;
}

struct abi *abi_new(struct program *p, const struct flow_function *f)
{
    struct abi *abi = xcalloc(1, sizeof *abi);
    *abi = (struct abi){.p = p,
                        .o = program_object(p),
                        .m = program_machine(p),
                        .f = f,
                        .g = flow_graph(p, f),
                        .proto = flow_prototype(p, f)};
    abi->declared = object_debug_function(abi->o, f->address) != NULL;
    abi->nparams = count_parameters(abi);
    abi->spills = find_homes(abi);
    abi->unoptimised = find_frame_register(abi);
    return abi;
}

void abi_free(struct abi *abi)
{
    if (!abi)
        return;
    map_free(&abi->homes);
    map_free(&abi->pops);
    free(abi->left);
    free(abi);
}

void abi_observe(struct abi *abi, bool (*unread)(void *ctx, uint64_t store), void *ctx)
{
    abi->unread = unread;
    abi->ctx = ctx;
}

const struct flow_prototype *abi_prototype(const struct abi *abi)
{
    return &abi->proto;
}

unsigned abi_nparams(const struct abi *abi)
{
    return abi->nparams;
}

bool abi_is_declared(const struct abi *abi)
{
    return abi->declared;
}

bool abi_spills_parameters(const struct abi *abi)
{
    return abi->spills;
}

bool abi_is_unoptimised(const struct abi *abi)
{
    return abi->unoptimised;
}
