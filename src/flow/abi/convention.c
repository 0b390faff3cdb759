/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function of the program does to registers and the stack, read off its code.
 *
 * Between functions of one file compilers do not keep to the calling convention: a caller leaves a value in a
 * register that the callee happens not to touch (gcc -fipa-ra), arguments come in other registers than the
 * prototype says (clones, nested functions, large results of AArch64), i386 functions take their arguments
 * off the stack. What the code does not show, that registers it saves are restored, is for whoever asks to
 * assume.
 *
 * A function and all that it calls are looked at together, so that recursion is no obstacle: what each of
 * them does by itself is found out once, and then what it does through its callees until nothing is added. */
#include <stdlib.h>
#include <string.h>

#include "flow/abi/abi.h"
#include "flow/private.h"

/* Of one function; of a function and all that it calls. */
enum { BLOCKS_MAX = 2000, BLOCKS_ALL = 12000 };

struct inner_call {
    size_t callee; /* index of a body; SIZE_MAX: nothing is known of it */
    bool tail;     /* ... and it returns to the caller's caller */
    uint8_t *done; /* by slot: was written before */
};

struct body {
    const struct flow_function *f;
    const struct flow_graph *g;
    uint8_t *writes, *reads; /* by slot */
    VEC(struct inner_call) call;
    bool returns, agree; /* some way returns; all that do pop as much */
    unsigned pops;
    bool cut; /* there was too much code */
};

struct closure {
    struct program *p;
    const struct ir_machine *m;
    unsigned nslots, unit;
    uint8_t *kept;
    VEC(struct body) body;
    struct map index; /* address of a function -> index + 1 */
    size_t blocks;
};

static void mark_range(const struct closure *c, uint8_t *set, unsigned offset, unsigned bytes)
{
    for (unsigned i = offset; i < offset + bytes && i < c->nslots * c->unit; i++)
        set[i / c->unit] = 1;
}

/* Everything that the convention lets a function change. */
static void mark_all(const struct closure *c, uint8_t *set)
{
    for (unsigned i = 0; i < c->nslots; i++)
        set[i] = set[i] || !c->kept[i];
}

/* ---- what is written ---- */

static void written_by_block(const struct closure *c, const struct ir_block *b, uint8_t *set)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT) {
            mark_range(c, set, in->a, (b->insn[in->b].width + 7u) / 8);
        } else if (in->op == IR_EVENT) {
            const struct ir_event *e = &b->event[in->a];
            for (unsigned k = 0; k < e->nwrites; k++)
                mark_range(c, set, e->writes[k].offset, e->writes[k].bytes);
        } else if (in->op == IR_UNKNOWN) {
            mark_all(c, set);
        }
    }
    if (b->end.kind == IR_END_SYSCALL && c->m->syscall_ret != UINT16_MAX)
        mark_range(c, set, c->m->syscall_ret, c->unit);
    if (b->end.kind == IR_END_UNKNOWN)
        mark_all(c, set);
}

/* ---- what is read before it is written ---- */

/* A register that is pushed to make room, and only that: x86-64's push %rax, ARM's push {r3, lr}. */
static bool only_pushed(const struct closure *c, const struct ir_block *b, uint32_t get)
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
        moves = moves || (b->insn[i].op == IR_PUT && b->insn[i].a == c->m->sp);
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
static void read_by_block(const struct closure *c, const struct ir_block *b, bool entry, uint8_t *done,
                          uint8_t *read)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_GET) {
            for (unsigned at = in->a; at < in->a + (in->width + 7u) / 8; at++)
                if (!done[at / c->unit] && !(entry && only_pushed(c, b, i)))
                    read[at / c->unit] = 1;
        } else if (in->op == IR_PUT) {
            /* Code that writes only the low part does not use the rest afterwards. */
            unsigned bytes = (b->insn[in->b].width + 7u) / 8;
            for (unsigned at = in->a; at < in->a + bytes; at++)
                done[at / c->unit] = done[at / c->unit] || at % c->unit == 0;
        } else if (in->op == IR_EVENT) {
            const struct ir_event *e = &b->event[in->a];
            for (unsigned k = 0; k < e->nreads; k++)
                for (unsigned at = e->reads[k].offset; at < e->reads[k].offset + e->reads[k].bytes; at++)
                    read[at / c->unit] = read[at / c->unit] || !done[at / c->unit];
        }
    }
}

/* Forwards over the graph, by what is written on every way there. At calls that is noted. */
static void find_reads(const struct closure *c, struct body *b, uint8_t **done_at)
{
    const struct flow_graph *g = b->g;
    unsigned n = c->nslots;
    uint8_t *in = xmalloc((size_t)g->nblocks * n), *out = xmalloc(n);
    bool *queued = xcalloc(g->nblocks, sizeof *queued), *seen = xcalloc(g->nblocks, sizeof *seen);
    VEC(uint32_t) work = VEC_INIT;
    memset(in, 1, (size_t)g->nblocks * n);
    memset(in, 0, n);
    vec_push(&work, 0);
    while (work.len) {
        uint32_t at = vec_pop(&work);
        queued[at] = false;
        memcpy(out, in + (size_t)at * n, n);
        read_by_block(c, &g->block[at], at == 0, out, b->reads);
        for (uint32_t i = 0; i < g->ncalls; i++)
            if (g->call[i].block == at)
                memcpy(done_at[i], out, n);
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++) {
            uint8_t *to = in + (size_t)g->edge[e].to * n;
            bool changed = false;
            for (unsigned s = 0; s < n; s++) {
                changed = changed || (to[s] && !out[s]);
                to[s] = to[s] && out[s];
            }
            /* Blocks seen for the first time with nothing to change still have to be looked at. */
            if ((changed || !seen[g->edge[e].to]) && !queued[g->edge[e].to]) {
                queued[g->edge[e].to] = true;
                vec_push(&work, g->edge[e].to);
            }
            seen[g->edge[e].to] = true;
        }
    }
    vec_free(&work);
    free(queued);
    free(seen);
    free(in);
    free(out);
}

/* ---- what is popped ---- */

/* i386 and x86-64: ret imm16. */
static bool popped_by(const struct closure *c, const struct ir_block *b, unsigned *bytes)
{
    uint8_t code[3];
    *bytes = 0;
    if (!c->m->call_pushes || !b->nmark)
        return true;
    const struct ir_mark *last = &b->mark[b->nmark - 1];
    if (last->length < 3)
        return true;
    if (!object_read(program_object(c->p), last->address + last->length - 3, code, sizeof code))
        return false;
    if (code[0] == 0xc2)
        *bytes = code[1] | code[2] << 8;
    return true;
}

/* One more way to return pops that much. */
static void pop_too(struct body *b, unsigned bytes)
{
    b->agree = b->agree && (!b->returns || b->pops == bytes);
    b->pops = bytes;
    b->returns = true;
}

/* ---- a function and its callees ---- */

/* The index of the function's body, which is added; SIZE_MAX: it is not known what it does. */
static size_t add_body(struct closure *c, const struct flow_function *f)
{
    uint64_t known;
    if (map_get(&c->index, f->address, &known))
        return known - 1;
    const struct flow_graph *g = c->blocks < BLOCKS_ALL ? flow_graph(c->p, f) : NULL;
    bool fits = g && g->nblocks && g->nblocks <= BLOCKS_MAX;
    c->blocks += fits ? g->nblocks : 0;
    map_set(&c->index, f->address, fits ? c->body.len + 1 : 0);
    if (!fits)
        return SIZE_MAX;
    vec_push(
        &c->body,
        ((struct body){
            .f = f, .g = g, .writes = xcalloc(c->nslots, 1), .reads = xcalloc(c->nslots, 1), .agree = true}));
    return c->body.len - 1;
}

/* What the function at that index does by itself, and what it calls. */
static void look_at(struct closure *c, size_t index)
{
    struct body *b = &c->body.data[index];
    const struct flow_graph *g = b->g;
    uint8_t **done = xcalloc(g->ncalls + 1, sizeof *done);
    for (uint32_t i = 0; i < g->ncalls; i++) {
        done[i] = xmalloc(c->nslots);
        memset(done[i], 1, c->nslots); /* no way leads there */
    }
    for (uint32_t i = 0; i < g->nblocks; i++) {
        unsigned bytes = 0;
        written_by_block(c, &g->block[i], b->writes);
        if (g->block[i].end.kind != IR_END_RET)
            continue;
        b->agree = popped_by(c, &g->block[i], &bytes) && b->agree;
        pop_too(b, bytes);
    }
    if (g->nproblems) {
        mark_all(c, b->writes);
        b->agree = false;
    }
    find_reads(c, b, done);
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_call *call = &g->call[i];
        const struct flow_function *f = call->target ? program_local_function(c->p, call->target) : NULL;
        size_t callee = f ? add_body(c, f) : SIZE_MAX;
        b = &c->body.data[index];
        if (callee == SIZE_MAX)
            mark_all(c, b->writes);
        b->cut = b->cut || (f && callee == SIZE_MAX);
        /* What functions of other files read is told by the convention. */
        if (f)
            vec_push(&b->call, ((struct inner_call){
                                   .callee = callee,
                                   .tail = (call->kind == CALL_TAIL || call->kind == CALL_TAIL_INDIRECT) &&
                                           !call->noreturn,
                                   .done = done[i]}));
        else
            free(done[i]);
    }
    free(done);
}

/* Adds to a body what its callees do; true if that was anything new. */
static bool take_callees(struct closure *c, struct body *b)
{
    bool more = false;
    for (size_t i = 0; i < b->call.len; i++) {
        const struct inner_call *call = &b->call.data[i];
        const struct body *k = call->callee == SIZE_MAX ? NULL : &c->body.data[call->callee];
        for (unsigned s = 0; s < c->nslots; s++) {
            bool reads = !b->reads[s] && !call->done[s] && (!k || k->reads[s]);
            bool writes = k && !b->writes[s] && k->writes[s];
            b->reads[s] |= reads;
            b->writes[s] |= writes;
            more = more || reads || writes;
        }
        if (!k)
            continue;
        const bool agreed = b->agree, returned = b->returns, was_cut = b->cut;
        b->cut = b->cut || k->cut;
        if (call->tail && k->returns)
            pop_too(b, k->pops);
        b->agree = b->agree && !(call->tail && !k->agree);
        more = more || b->agree != agreed || b->returns != returned || b->cut != was_cut;
    }
    return more;
}

static const struct abi_convention *conclude(const struct closure *c, const struct body *b)
{
    struct abi_convention *out = arena_new(&c->p->arena, struct abi_convention);
    bool taken;
    int words = flow_stack_words(c->p, b->f, &taken);
    *out = (struct abi_convention){.writes = arena_dup(&c->p->arena, b->writes, c->nslots),
                                   .reads = arena_dup(&c->p->arena, b->reads, c->nslots),
                                   .reads_flags = abi_takes_flags(c->p, b->f),
                                   .pops = b->returns ? b->pops : 0,
                                   .pops_known = b->agree,
                                   .stack_words = words < 0 ? 0 : (unsigned)words,
                                   .takes_stack = words < 0 || taken};
    return out;
}

static void closure_free(struct closure *c)
{
    for (size_t i = 0; i < c->body.len; i++) {
        struct body *b = &c->body.data[i];
        for (size_t k = 0; k < b->call.len; k++)
            free(b->call.data[k].done);
        vec_free(&b->call);
        free(b->writes);
        free(b->reads);
    }
    vec_free(&c->body);
    map_free(&c->index);
    free(c->kept);
}

const struct abi_convention *abi_convention(struct program *p, uint64_t function)
{
    const struct ir_machine *m = program_machine(p);
    if (m->arch == MACHINE_ARM)
        function &= ~UINT64_C(1);
    const struct flow_function *f = program_local_function(p, function);
    if (!f)
        return NULL;
    struct fn_state *known = &p->state.data[f - p->function.data];
    if (known->convention_known)
        return known->convention;
    struct closure c = {.p = p, .m = m, .nslots = machine_slots(m), .unit = m->pointer_width / 8};
    c.kept = xcalloc(c.nslots, 1);
    machine_kept_slots(m, c.kept);
    size_t root = add_body(&c, f);
    for (size_t i = 0; i < c.body.len; i++)
        look_at(&c, i);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = c.body.len; i-- > 0;)
            more = take_callees(&c, &c.body.data[i]) || more;
    }
    /* What was cut off here may be known when it is asked for by itself. */
    for (size_t i = 0; i < c.body.len; i++) {
        struct fn_state *s = &p->state.data[c.body.data[i].f - p->function.data];
        if (s->convention_known || (i != root && c.body.data[i].cut))
            continue;
        s->convention_known = true;
        s->convention = conclude(&c, &c.body.data[i]);
    }
    known->convention_known = true;
    closure_free(&c);
    return known->convention;
}
