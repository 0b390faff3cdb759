/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function can do at all, as its code and that of its callees says, whatever it is given: which system
 * calls it can make, and whether it can store anything but in frames, its own and its callers'. */
#include <string.h>

#include "adapt/blind.h"

enum { FUNCTIONS = 300 };

static bool is_own_frame(const struct ir_machine *m, const struct ir_block *b, ir_val v)
{
    int64_t offset;
    return ir_on_stack(b, v, m, &offset);
}

static void add_any(struct blind_effects *e)
{
    e->any = e->writes = true;
}

/* The number of the system call that the block ends with. What the kernel writes is no store. */
static void add_syscall(const struct ir_machine *m, const struct ir_block *b, struct blind_effects *e)
{
    const ir_val v = ir_value_at_end(b, m->syscall_nr, m->pointer_width);
    const bool known = v != IR_NONE && b->insn[v].op == IR_CONST;
    const uint64_t nr = known ? ir_imm(b->insn[v].a, b->insn[v].b) : UINT64_MAX;
    e->writes = true;
    if (nr < BLIND_SYSCALLS)
        e->asks[nr / 64] |= UINT64_C(1) << nr % 64;
    else
        add_any(e);
}

/* It returns to where the caller said, as far as the block tells. */
static bool returns_back(const struct ir_machine *m, const struct ir_block *b)
{
    const struct ir_insn *to = b->end.next == IR_NONE ? NULL : &b->insn[b->end.next];
    int64_t from, at;
    if (!to || (to->op == IR_GET && to->a == m->lr))
        return true;
    if (to->op != IR_LOAD || !ir_on_stack(b, to->a, m, &from))
        return false;
    const int64_t unit = m->pointer_width / 8;
    for (uint32_t n = 0; n < b->ninsn; n++)
        if (b->insn[n].op == IR_STORE && ir_on_stack(b, b->insn[n].a, m, &at) && at < from + unit &&
            from < at + OP_MAX_WIDTH / 8)
            return false;
    return true;
}

static void add_block(const struct ir_machine *m, const struct ir_block *b, struct blind_effects *e)
{
    if (b->nunknown || b->end.kind == IR_END_UNKNOWN || b->end.kind == IR_END_THROW ||
        (b->end.kind == IR_END_RET && !returns_back(m, b)))
        add_any(e);
    if (b->end.kind == IR_END_SYSCALL)
        add_syscall(m, b, e);
    for (uint32_t n = 0; n < b->ninsn; n++) {
        const struct ir_insn *i = &b->insn[n];
        bool stores = i->op == IR_STORE && !is_own_frame(m, b, i->a);
        bool moves = i->op == IR_PUT && i->a == m->sp && !is_own_frame(m, b, i->b); /* the frame anywhere */
        e->writes = e->writes || stores || moves;
        if (i->op == IR_EXIT && (i->exit == IR_EXIT_CALL || i->exit == IR_EXIT_RET))
            add_any(e); /* conditional: rare */
    }
    for (uint32_t n = 0; n < b->nevent; n++)
        e->writes = e->writes || (b->event[n].mem_write && !is_own_frame(m, b, b->event[n].mem_addr));
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
    return blind_start(w, f, &at) ? guest_function(&w->guest, at) : NULL;
}

/* A function finds that its frame was overwritten: it does nothing of that. */
static bool is_guard(struct world *w, const struct flow_function *f)
{
    return (strcmp(f->name, "__stack_chk_fail") == 0 || strcmp(f->name, "__stack_chk_fail_local") == 0) &&
           flow_graph(w->p, f)->noreturn;
}

struct walk {
    struct world *w;
    VEC(const struct flow_function *) open;
    struct map seen;
};

static void add_code(struct walk *k, const struct flow_function *f, struct blind_effects *e)
{
    const struct flow_graph *g = flow_graph(k->w->p, f);
    if (!g->nblocks || g->nproblems)
        add_any(e);
    for (uint32_t i = 0; i < g->nblocks && !e->any; i++)
        add_block(k->w->m, &g->block[i], e);
    for (uint32_t i = 0; i < g->ncalls && !e->any; i++) {
        const struct flow_function *to = callee(k->w, &g->call[i]);
        if (!to) {
            add_any(e);
        } else if (!is_guard(k->w, to) && !map_get(&k->seen, to->address, NULL)) {
            map_set(&k->seen, to->address, 1);
            vec_push(&k->open, to);
        }
    }
}

const struct blind_effects *blind_effects(struct world *w, const struct flow_function *f)
{
    uint64_t known;
    if (map_get(&w->effects, f->address, &known))
        return (const struct blind_effects *)(uintptr_t)known;
    struct walk k = {.w = w};
    struct blind_effects *all = arena_new(&w->guest.code, struct blind_effects);
    *all = (struct blind_effects){0};
    map_set(&k.seen, f->address, 1);
    vec_push(&k.open, f);
    for (size_t i = 0; i < k.open.len && !all->any; i++)
        if (i < FUNCTIONS)
            add_code(&k, k.open.data[i], all);
        else
            add_any(all);
    map_set(&w->effects, f->address, (uint64_t)(uintptr_t)all);
    map_free(&k.seen);
    vec_free(&k.open);
    return all;
}

static bool makes_others(const struct side *target, const struct blind_effects *e)
{
    for (unsigned n = 0; n < target->nevents && !e->any; n++) {
        uint64_t nr = target->event[n].nr;
        if (target->event[n].call || nr >= BLIND_SYSCALLS || !(e->asks[nr / 64] >> nr % 64 & 1))
            return true;
    }
    return false;
}

bool blind_does_more(struct side *target, const struct blind_effects *e)
{
    const struct world *w = target->w;
    if (makes_others(target, e))
        return true;
    for (size_t i = 0; target->whole && !e->writes && i < target->written.len; i++) {
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
