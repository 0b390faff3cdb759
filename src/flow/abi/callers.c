/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What callers of the same file read of what a function leaves in registers.
 *
 * Functions of one file need not keep to the calling convention: a caller may rely on a register that the
 * callee does not touch (gcc -fipa-ra), and assembly returns in any register, or in the flags. So registers
 * that are live after a call are found by data flow over the code, backwards: a value is live if it goes
 * into memory, into a condition or into a register that is live. Flags that an instruction only carries over
 * are not read by it.
 *
 * Only code that is understood counts. A callee that is not in the file keeps to the convention. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "flow/abi/internal.h"
#include "flow/private.h"

enum { READS_BLOCKS = 500, CALLER_BLOCKS = 4000 };

/* One function, looked at backwards. Registers are slots of the size of a pointer; a set of them is a bit for
 * each, in words. */
struct walk {
    struct program *p;
    const struct ir_machine *m;
    const struct flow_graph *g;
    const uint64_t *at_return;
    unsigned nwords, unit, depth;
    uint64_t *in;          /* by block: the set that is live at its beginning */
    uint64_t *kept, *flag; /* sets that belong to callers; of the flags */
    uint8_t *used;         /* by value of the block under way */
    bool alone;    /* only what the block itself does counts */
    bool variadic; /* the function begins by saving all registers that may hold arguments, whether any does or
                      not */
};

bool abi_is_flag_slot(const struct ir_machine *m, unsigned slot)
{
    unsigned unit = m->pointer_width / 8;
    for (unsigned i = 0; i < m->nreg; i++)
        if (m->reg[i].offset / unit == slot && strncasecmp(m->reg[i].name, "<cc", 3) == 0)
            return true;
    return false;
}

static const uint64_t *reads_at_entry(struct program *p, const struct flow_function *f, unsigned depth);

/* ---- sets of slots ---- */

static unsigned set_words(const struct ir_machine *m)
{
    return (machine_slots(m) + 63) / 64;
}

static void set_add(uint64_t *set, unsigned slot)
{
    set[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void set_remove(uint64_t *set, unsigned slot)
{
    set[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static bool set_has(const uint64_t *set, unsigned slot)
{
    return set[slot / 64] >> slot % 64 & 1;
}

static uint64_t *flag_slots(const struct ir_machine *m)
{
    uint64_t *out = xcalloc(set_words(m), sizeof *out);
    for (unsigned s = 0; s < machine_slots(m); s++)
        if (abi_is_flag_slot(m, s))
            set_add(out, s);
    return out;
}

/* What a callee keeps by convention. */
static uint64_t *kept_slots(const struct ir_machine *m)
{
    unsigned unit = m->pointer_width / 8;
    uint64_t *out = xcalloc(set_words(m), sizeof *out);
    for (unsigned i = 0; i < m->nsaved; i++)
        set_add(out, m->saved[i] / unit);
    set_add(out, m->sp / unit);
    return out;
}

static void unite(const struct walk *w, uint64_t *live, const uint64_t *with)
{
    for (unsigned i = 0; i < w->nwords; i++)
        live[i] |= with[i];
}

static bool meet(const struct walk *w, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < w->nwords; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

static void mark(const struct walk *w, uint64_t *live, unsigned offset, unsigned bytes)
{
    for (unsigned s = offset / w->unit; bytes && s <= (offset + bytes - 1) / w->unit; s++)
        set_add(live, s);
}

static bool any(const struct walk *w, const uint64_t *live, unsigned offset, unsigned bytes)
{
    for (unsigned s = offset / w->unit; bytes && s <= (offset + bytes - 1) / w->unit; s++)
        if (set_has(live, s))
            return true;
    return false;
}

/* Takes out the slots whose beginning is among these bytes. */
static void unmark(const struct walk *w, uint64_t *live, unsigned offset, unsigned bytes)
{
    for (unsigned s = (offset + w->unit - 1) / w->unit; s * w->unit < offset + bytes; s++)
        set_remove(live, s);
}

/* ---- one function ---- */

static void use(struct walk *w, ir_val v)
{
    if (v != IR_NONE)
        w->used[v] = 1;
}

/* A register that is pushed as it is may only make room. */
static bool only_pushes(const struct walk *w, const struct ir_block *b, uint32_t store)
{
    if (b->insn[uses_root(b, b->insn[store].b)].op != IR_GET)
        return false;
    uint32_t k = uses_mark(b, store), end = uses_after(b, store);
    for (uint32_t i = b->nmark ? b->mark[k].first : 0; i < end; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == w->m->sp)
            return true;
    return false;
}

/* A store of an argument register, as it is, where a variadic function begins. */
static bool saves_argument(const struct walk *w, uint32_t block, uint32_t store, unsigned *reg)
{
    enum { SAVING_BLOCKS = 2 }; /* x86-64 skips the floating-point registers if none is used */
    const struct ir_block *b = &w->g->block[block];
    const struct ir_insn *in = &b->insn[uses_root(b, b->insn[store].b)];
    if (block >= SAVING_BLOCKS || in->op != IR_GET)
        return false;
    *reg = in->a;
    for (unsigned i = 0; i < w->m->nargs; i++)
        if (w->m->arg[i] == in->a)
            return true;
    for (unsigned i = 0; i < w->m->nfargs; i++)
        if (w->m->farg[i] == in->a)
            return true;
    return false;
}

/* Only variadic functions save all floating-point argument registers. */
static bool is_variadic(const struct walk *w)
{
    unsigned saved = 0, reg;
    for (uint32_t k = 0; k < w->g->nblocks; k++)
        for (uint32_t i = 0; i < w->g->block[k].ninsn; i++)
            if (w->g->block[k].insn[i].op == IR_STORE && saves_argument(w, k, i, &reg))
                for (unsigned f = 0; f < w->m->nfargs; f++)
                    saved |= (unsigned)(w->m->farg[f] == reg) << f;
    return w->m->nfargs > 1 && saved == (1u << w->m->nfargs) - 1;
}

/* The slots that the function's code sets somewhere; all of them if it calls code that may. */
static const uint64_t *slots_set(struct program *p, const struct flow_function *f)
{
    struct fn_state *known = &p->state.data[f - p->function.data];
    if (known->sets)
        return known->sets;
    const struct flow_graph *g = flow_graph(p, f);
    const struct ir_machine *m = program_machine(p);
    struct walk w = {.m = m, .unit = m->pointer_width / 8, .nwords = set_words(m)};
    uint64_t *out = arena_array(&p->arena, uint64_t, w.nwords);
    bool all = !g || !g->nblocks || g->ncalls || g->nproblems || g->nblocks > READS_BLOCKS;
    for (uint32_t k = 0; !all && k < g->nblocks; k++) {
        const struct ir_block *b = &g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            if (b->insn[i].op == IR_PUT)
                mark(&w, out, b->insn[i].a, (b->insn[b->insn[i].b].width + 7u) / 8);
            all = all || b->insn[i].op == IR_EVENT || b->insn[i].op == IR_UNKNOWN;
        }
        all = all || b->end.kind == IR_END_SYSCALL || b->end.kind == IR_END_UNKNOWN;
    }
    if (all)
        memset(out, 0xff, w.nwords * sizeof *out);
    return known->sets = out;
}

/* From what is live after a call to what is before it. */
static void through_call(const struct walk *w, const struct flow_call *k, uint64_t *live)
{
    const struct flow_function *f = k->target ? program_local_function(w->p, k->target) : NULL;
    const uint64_t *set = f ? slots_set(w->p, f) : NULL;
    struct flow_prototype proto;
    for (unsigned i = 0; i < w->nwords; i++)
        live[i] &= w->kept[i] | (set ? ~set[i] : 0);
    if (f && w->depth < ABI_READS_DEPTH) {
        unite(w, live, reads_at_entry(w->p, f, w->depth + 1));
    } else if (!f && k->name && flow_library_prototype(w->p, k->name, &proto)) {
        for (int a = 0; a < proto.nargs && a < (int)w->m->nargs; a++)
            set_add(live, w->m->arg[a] / w->unit);
        for (int a = 0; a < proto.nfargs && a < (int)w->m->nfargs; a++)
            set_add(live, w->m->farg[a] / w->unit);
    }
}

static uint64_t *live_at(const struct walk *w, uint32_t block)
{
    return w->in + (size_t)block * w->nwords;
}

static void go_back(struct walk *w, const struct ir_block *b, uint32_t i, uint32_t block, uint64_t *live)
{
    const struct ir_insn *in = &b->insn[i];
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    unsigned reg;
    switch (in->op) {
    case IR_CONST:
    case IR_UNKNOWN:
        return;
    case IR_GET:
        if (w->used[i])
            mark(w, live, in->a, (in->width + 7u) / 8);
        return;
    case IR_PUT: {
        unsigned bytes = (b->insn[in->b].width + 7u) / 8;
        if (any(w, live, in->a, bytes))
            use(w, in->b);
        /* Code that writes only the low part does not use the rest afterwards. */
        unmark(w, live, in->a, bytes);
        return;
    }
    case IR_LOAD:
        if (w->used[i]) {
            use(w, in->a);
            use(w, in->b);
            use(w, in->c);
        }
        return;
    case IR_STORE:
        use(w, in->a);
        use(w, in->c);
        if (!only_pushes(w, b, i) && !(w->variadic && saves_argument(w, block, i, &reg)))
            use(w, in->b);
        return;
    case IR_PURE:
        for (uint32_t k = 0; w->used[i] && k < in->c; k++)
            use(w, b->arg[in->b + k]);
        return;
    case IR_EVENT: {
        const struct ir_event *e = &b->event[in->a];
        for (unsigned k = 0; k < e->nwrites && e->guard == IR_NONE; k++)
            unmark(w, live, e->writes[k].offset / w->unit * w->unit,
                   e->writes[k].bytes + e->writes[k].offset % w->unit);
        for (unsigned k = 0; k < e->nargs; k++)
            use(w, b->arg[e->args + k]);
        for (unsigned k = 0; k < e->nreads; k++)
            mark(w, live, e->reads[k].offset, e->reads[k].bytes);
        use(w, e->guard);
        return;
    }
    case IR_EXIT:
        for (uint32_t e = w->g->first_edge[block]; e < w->g->first_edge[block + 1] && !w->alone; e++)
            if (w->g->edge[e].kind == EDGE_TAKEN && w->g->edge[e].insn == i)
                unite(w, live, live_at(w, w->g->edge[e].to));
        if (in->exit == IR_EXIT_RET && !w->alone)
            unite(w, live, w->at_return);
        use(w, in->a);
        return;
    default:
        if (in->op == OP_EXTRACT) {
            if (w->used[i])
                use(w, in->a);
            return;
        }
        for (unsigned k = 0; w->used[i] && k < op_info[in->op].arity; k++)
            use(w, arg[k]);
    }
}

static const struct flow_call *call_of(const struct flow_graph *g, uint32_t block)
{
    for (uint32_t i = 0; i < g->ncalls; i++)
        if (g->call[i].block == block && !g->call[i].conditional)
            return &g->call[i];
    return NULL;
}

/* What is live where the block goes on, after its call if it ends in one. */
static void live_behind(const struct walk *w, uint32_t block, uint64_t *live)
{
    const struct ir_block *b = &w->g->block[block];
    memset(live, 0, w->nwords * sizeof *live);
    for (uint32_t e = w->g->first_edge[block]; e < w->g->first_edge[block + 1]; e++)
        if (w->g->edge[e].kind != EDGE_TAKEN)
            unite(w, live, live_at(w, w->g->edge[e].to));
    const struct flow_call *k = call_of(w->g, block);
    if (b->end.kind == IR_END_RET || (k && (k->kind == CALL_TAIL || k->kind == CALL_TAIL_INDIRECT)))
        unite(w, live, w->at_return);
}

/* Fills in `live` for the beginning of the block. */
static void live_before(struct walk *w, uint32_t block, uint64_t *live)
{
    const struct ir_block *b = &w->g->block[block];
    const struct flow_call *k = call_of(w->g, block);
    live_behind(w, block, live);
    if (k)
        through_call(w, k, live);
    w->used = xcalloc(b->ninsn + 1, 1);
    if (b->end.label == IR_NO_LABEL && (b->end.kind == IR_END_JUMP || b->end.kind == IR_END_CALL))
        use(w, b->end.next);
    for (uint32_t i = b->ninsn; i-- > 0;)
        go_back(w, b, i, block, live);
    free(w->used);
    w->used = NULL;
}

/* Blocks whose live sets depend on that of the block: behind[first[k]] up to behind[first[k + 1]]. */
struct predecessors {
    uint32_t *first, *behind;
};

static struct predecessors find_predecessors(const struct flow_graph *g)
{
    struct predecessors out = {xcalloc((size_t)g->nblocks + 2, sizeof *out.first),
                               xcalloc((size_t)g->nedges + 1, sizeof *out.behind)};
    for (uint32_t e = 0; e < g->nedges; e++)
        out.first[g->edge[e].to + 2]++;
    for (uint32_t k = 2; k <= g->nblocks; k++)
        out.first[k] += out.first[k - 1];
    for (uint32_t e = 0; e < g->nedges; e++)
        out.behind[out.first[g->edge[e].to + 1]++] = g->edge[e].from;
    return out;
}

static void walk_start(struct walk *w, struct program *p, const struct flow_graph *g,
                       const uint64_t *at_return, unsigned depth)
{
    const struct ir_machine *m = program_machine(p);
    *w = (struct walk){.p = p,
                       .m = m,
                       .g = g,
                       .at_return = at_return,
                       .nwords = set_words(m),
                       .unit = m->pointer_width / 8,
                       .depth = depth,
                       .kept = kept_slots(m),
                       .flag = flag_slots(m)};
    w->variadic = is_variadic(w);
    w->in = xcalloc(((size_t)g->nblocks + 1) * w->nwords, sizeof *w->in);
    uint64_t *live = xcalloc(w->nwords, sizeof *live);
    uint8_t *settled = xcalloc(g->nblocks, 1);
    struct predecessors pred = find_predecessors(g);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = g->nblocks; k-- > 0;) {
            if (settled[k])
                continue;
            settled[k] = 1;
            live_before(w, k, live);
            if (memcmp(live, live_at(w, k), w->nwords * sizeof *live) == 0)
                continue;
            unite(w, live_at(w, k), live);
            for (uint32_t i = pred.first[k]; i < pred.first[k + 1]; i++)
                settled[pred.behind[i]] = 0;
            changed = true;
        }
    }
    free(pred.first);
    free(pred.behind);
    free(settled);
    free(live);
}

static void walk_end(struct walk *w)
{
    free(w->kept);
    free(w->flag);
    free(w->in);
}

/* What every caller may read after a return. */
static uint64_t *by_convention(const struct ir_machine *m)
{
    unsigned unit = m->pointer_width / 8;
    uint64_t *out = kept_slots(m);
    set_remove(out, m->sp / unit);
    set_add(out, m->ret / unit);
    if (m->fret != UINT16_MAX)
        set_add(out, m->fret / unit);
    return out;
}

/* A function that calls itself is followed as deeply as any other. */
static const uint64_t *reads_at_entry(struct program *p, const struct flow_function *f, unsigned depth)
{
    struct fn_state *known = &p->state.data[f - p->function.data];
    if (known->reads[depth - 1])
        return known->reads[depth - 1];
    const struct flow_graph *g = flow_graph(p, f);
    unsigned n = set_words(program_machine(p));
    uint64_t *out = arena_array(&p->arena, uint64_t, n);
    if (g && g->nblocks && !g->nproblems && g->nblocks <= READS_BLOCKS) {
        uint64_t *ends = by_convention(program_machine(p));
        struct walk w;
        walk_start(&w, p, g, ends, depth);
        memcpy(out, w.in, n * sizeof *out);
        walk_end(&w);
        free(ends);
    }
    return known->reads[depth - 1] = out;
}

void abi_prepare(struct program *p, const struct flow_function *f)
{
    for (unsigned depth = ABI_READS_DEPTH; depth; depth--)
        reads_at_entry(p, f, depth);
}

bool abi_takes_flags(struct program *p, const struct flow_function *f)
{
    const uint64_t *reads = reads_at_entry(p, f, ABI_READS_DEPTH - 1);
    uint64_t *flag = flag_slots(program_machine(p));
    bool found = false;
    for (unsigned i = 0; i < set_words(program_machine(p)); i++)
        found = found || (reads[i] & flag[i]);
    free(flag);
    return found;
}

/* The block reads flags as they are at its beginning. */
static bool reads_flags(struct walk *w, uint32_t block)
{
    uint64_t *live = xcalloc(w->nwords, sizeof *live);
    const struct ir_block *b = &w->g->block[block];
    w->used = xcalloc(b->ninsn + 1, 1);
    w->alone = true;
    for (unsigned i = 0; i < w->nwords; i++)
        live[i] = ~w->flag[i];
    if (b->end.label == IR_NO_LABEL && (b->end.kind == IR_END_JUMP || b->end.kind == IR_END_CALL))
        use(w, b->end.next);
    for (uint32_t i = b->ninsn; i-- > 0;)
        go_back(w, b, i, block, live);
    w->alone = false;
    free(w->used);
    w->used = NULL;
    bool found = meet(w, live, w->flag);
    free(live);
    return found;
}

static bool sets_flags(const struct ir_machine *m, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && abi_is_flag_slot(m, b->insn[i].a * 8u / m->pointer_width))
            return true;
    return false;
}

/* The reader of the flags left by a call that returns to that block. */
static void find_readers(struct walk *w, const struct flow_function *f, uint32_t from, uint8_t *seen,
                         const struct abi_reads_after *behind, struct abi_reads_after *out)
{
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, from);
    while (todo.len) {
        uint32_t at = vec_pop(&todo);
        const struct ir_block *b = &w->g->block[at];
        if (seen[at])
            continue;
        seen[at] = 1;
        bool reads = reads_flags(w, at), sets = sets_flags(w->m, b);
        if (reads)
            vec_push(&out->reader, ((struct abi_reader){f, at}));
        if (sets && !reads && meet(w, live_at(w, at), w->flag))
            vec_push(&out->reader, ((struct abi_reader){f, UINT32_MAX}));
        if (sets)
            continue;
        for (size_t i = 0; b->end.kind == IR_END_RET && i < behind->reader.len; i++)
            vec_push(&out->reader, behind->reader.data[i]);
        for (uint32_t e = w->g->first_edge[at]; e < w->g->first_edge[at + 1]; e++)
            if (w->g->edge[e].kind != EDGE_RETURN && w->g->edge[e].kind != EDGE_UNWIND)
                vec_push(&todo, w->g->edge[e].to);
    }
    vec_free(&todo);
}

static void add_call(struct walk *w, const struct flow_function *f, const struct flow_call *k, uint8_t *seen,
                     const struct abi_reads_after *behind, struct abi_reads_after *out)
{
    uint64_t *live = xcalloc(w->nwords, sizeof *live);
    live_behind(w, k->block, live);
    for (unsigned s = 0; s < machine_slots(w->m); s++)
        out->slot[s] |= set_has(live, s);
    free(live);
    for (uint32_t e = w->g->first_edge[k->block]; e < w->g->first_edge[k->block + 1]; e++)
        if (w->g->edge[e].kind == EDGE_RETURN || (k->conditional && w->g->edge[e].kind == EDGE_FALL))
            find_readers(w, f, w->g->edge[e].to, seen, behind, out);
    for (size_t i = 0; (k->kind == CALL_TAIL || k->kind == CALL_TAIL_INDIRECT) && i < behind->reader.len; i++)
        vec_push(&out->reader, behind->reader.data[i]);
}

bool abi_reads_after_add(struct abi_reads_after *out, struct program *p, const struct flow_function *caller,
                         const uint64_t *target, size_t ntargets, const struct abi_reads_after *behind)
{
    const struct flow_graph *g = flow_graph(p, caller);
    if (!g || !g->nblocks || g->nproblems || g->nblocks > CALLER_BLOCKS)
        return false;
    const struct ir_machine *m = program_machine(p);
    struct walk w;
    uint64_t *ends = by_convention(m);
    uint8_t *seen = xcalloc(g->nblocks, 1);
    for (unsigned s = 0; s < machine_slots(m); s++)
        if (behind->slot[s])
            set_add(ends, s);
    walk_start(&w, p, g, ends, 0);
    for (uint32_t i = 0; i < g->ncalls; i++)
        for (size_t k = 0; k < ntargets; k++)
            if (target[k] && g->call[i].target == target[k])
                add_call(&w, caller, &g->call[i], seen, behind, out);
    walk_end(&w);
    free(ends);
    free(seen);
    return true;
}

struct abi_reads_after abi_reads_after_begin(const struct ir_machine *m)
{
    return (struct abi_reads_after){.slot = xcalloc(machine_slots(m), 1)};
}

void abi_reads_after_free(struct abi_reads_after *l)
{
    free(l->slot);
    vec_free(&l->reader);
}
