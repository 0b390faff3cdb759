/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function can do at all, as its code and that of its callees says, whatever it is given. */
#include <string.h>

#include "adapt/blind.h"

enum { FUNCTIONS = 300 };

/* The stack pointer, plus or less a number. */
static bool is_own_frame(const struct ir_machine *m, const struct ir_block *b, ir_val v)
{
    while (v != IR_NONE) {
        const struct ir_insn *i = &b->insn[v];
        if (i->op == IR_GET)
            return i->a == m->sp;
        if ((i->op != OP_ADD && i->op != OP_SUB) || b->insn[i->b].op != IR_CONST)
            return false;
        v = i->a;
    }
    return false;
}

static unsigned effects_of_block(const struct ir_machine *m, const struct ir_block *b)
{
    unsigned all = b->nunknown || b->end.kind == IR_END_UNKNOWN || b->end.kind == IR_END_THROW ? EFFECTS : 0;
    if (b->end.kind == IR_END_SYSCALL)
        all |= EFFECT_ASKS;
    for (uint32_t n = 0; n < b->ninsn; n++) {
        const struct ir_insn *i = &b->insn[n];
        if (i->op == IR_STORE && !is_own_frame(m, b, i->a))
            all |= EFFECT_WRITES;
        if (i->op == IR_EXIT && (i->exit == IR_EXIT_CALL || i->exit == IR_EXIT_RET))
            all = EFFECTS; /* conditional: rare */
    }
    for (uint32_t n = 0; n < b->nevent; n++)
        all |= b->event[n].mem_write && !is_own_frame(m, b, b->event[n].mem_addr) ? EFFECT_WRITES : 0u;
    return all;
}

/* The function of the file that is called; NULL: it is not known, or none. */
static const struct flow_function *callee(struct world *w, const struct flow_call *c)
{
    const struct object_stub *stub = c->target ? object_stub_at(w->o, c->target) : NULL;
    const struct flow_function *f =
        c->target ? program_function_at(w->p, stub ? stub->target : c->target) : NULL;
    ir_label at;
    if (!f || c->kind == CALL_INDIRECT || c->kind == CALL_TAIL_INDIRECT)
        return NULL;
    if (!(f->flags & FLOW_IFUNC))
        return f->flags & (FLOW_PLT | FLOW_EXTERN) ? NULL : f;
    return blind_start(w, f, &at) ? program_function_at(w->p, (at - w->guest.bias) & ~(ir_label)1) : NULL;
}

/* A function finds that its frame was overwritten: it does nothing of that. */
static bool is_guard(const struct flow_function *f)
{
    return strcmp(f->name, "__stack_chk_fail") == 0 || strcmp(f->name, "__stack_chk_fail_local") == 0;
}

struct walk {
    struct world *w;
    VEC(const struct flow_function *) open;
    struct map seen;
};

static unsigned effects_of_code(struct walk *k, const struct flow_function *f)
{
    const struct flow_graph *g = flow_graph(k->w->p, f);
    unsigned all = !g->nblocks || g->nproblems ? EFFECTS : 0;
    for (uint32_t i = 0; i < g->nblocks && all != EFFECTS; i++)
        all |= effects_of_block(k->w->m, &g->block[i]);
    for (uint32_t i = 0; i < g->ncalls && all != EFFECTS; i++) {
        const struct flow_function *to = callee(k->w, &g->call[i]);
        if (!to) {
            all = EFFECTS;
        } else if (!is_guard(to) && !map_get(&k->seen, to->address, NULL)) {
            map_set(&k->seen, to->address, 1);
            vec_push(&k->open, to);
        }
    }
    return all;
}

unsigned blind_effects(struct world *w, const struct flow_function *f)
{
    uint64_t known;
    if (map_get(&w->effects, f->address, &known))
        return (unsigned)known;
    struct walk k = {.w = w};
    unsigned all = 0;
    map_set(&k.seen, f->address, 1);
    vec_push(&k.open, f);
    for (size_t i = 0; i < k.open.len && all != EFFECTS; i++)
        all = i < FUNCTIONS ? all | effects_of_code(&k, k.open.data[i]) : EFFECTS;
    map_set(&w->effects, f->address, all);
    map_free(&k.seen);
    vec_free(&k.open);
    return all;
}

bool blind_needs_effects(struct side *target, unsigned effects)
{
    const struct world *w = target->w;
    if (target->nevents && !(effects & EFFECT_ASKS))
        return true;
    for (size_t i = 0; target->whole && !(effects & EFFECT_WRITES) && i < target->written.len; i++) {
        uint64_t at = target->written.data[i];
        uint8_t before, after = 0;
        if (is_unknown(blind_byte(target, at)) || blind_in_stack(w, blind_word(target, at)) ||
            !blind_fill(target, 0, at, &before))
            continue;
        concrete_read(target->c, 0, at, &after, 1);
        if (before != after)
            return true;
    }
    return false;
}
