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

#include "flow/abi/internal.h"
#include "flow/private.h"
#include "flow/value.h"

/* Of one function; of a function and all that it calls. */
enum { BLOCKS_MAX = 2000, BLOCKS_ALL = 12000 };

struct inner_call {
    const struct flow_call *at;
    bool local;    /* of a function of the program */
    size_t callee; /* index of its body; SIZE_MAX: nothing is known of it */
    bool tail;     /* it returns to the caller's caller */
    uint8_t *done; /* by slot: was written before */
};

struct body {
    const struct flow_function *f;
    const struct flow_graph *g;
    uint8_t *writes, *reads; /* by slot */
    uint8_t *touches;        /* by slot: read before it is written, if only to be saved */
    uint8_t *leaves;         /* by slot: written on every way to a return; NULL: not known yet */
    VEC(struct inner_call) call;
    bool stores; /* to memory outside its own frame, or it does something else that may be seen there */
    bool obscure;
    bool returns, agree; /* some way returns; all that do pop as much */
    unsigned pops;
    unsigned words; /* of the caller's stack that are read */
    bool takes;     /* reads more of it through an address */
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

/* Adds to a set all that is not in another. */
static void add_rest(const struct closure *c, uint8_t *set, const uint8_t *done)
{
    for (unsigned s = 0; s < c->nslots; s++)
        set[s] = set[s] || !done[s];
}

/* Adds to what the function reads what the block may read of the registers that are not in `done`, to what it
 * touches also what it saves of them, and to `done` what the block writes. */
static void read_by_block(const struct closure *c, const struct body *body, uint32_t block, uint8_t *done)
{
    const struct ir_block *b = &body->g->block[block];
    uint8_t *read = body->reads, *touches = body->touches;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_EVENT || in->op == IR_UNKNOWN)
            add_rest(c, touches, done);
        if (in->op == IR_GET) {
            bool unseen = false;
            for (unsigned at = in->a; at < in->a + (in->width + 7u) / 8; at++)
                unseen = unseen || (!done[at / c->unit] && !read[at / c->unit]);
            const bool room = unseen && block == 0 && room_only(c->p, body->f, body->g, i);
            for (unsigned at = in->a; at < in->a + (in->width + 7u) / 8; at++) {
                touches[at / c->unit] = touches[at / c->unit] || !done[at / c->unit];
                if (!done[at / c->unit] && !room)
                    read[at / c->unit] = 1;
            }
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
    if (b->end.kind == IR_END_UNKNOWN)
        add_rest(c, touches, done);
}

/* The linker, or the one who loads the program, may put another function in its place. */
static bool is_interposable(const struct closure *c, const struct flow_call *call)
{
    return call->kind == CALL_INDIRECT || call->kind == CALL_TAIL_INDIRECT ||
           object_stub_at(program_object(c->p), call->target);
}

/* A function of another file, or one behind a pointer. */
static bool is_foreign(const struct closure *c, const struct flow_call *call)
{
    const struct flow_function *f = call->target ? program_function_at(c->p, call->target) : NULL;
    return !call->target || (f && f->flags & (FLOW_PLT | FLOW_EXTERN)) ||
           object_stub_at(program_object(c->p), call->target);
}

/* A profiler's hook leaves all registers as they were. */
static bool is_hook(const struct flow_call *call)
{
    return call->name && (strstr(call->name, "mcount") || strstr(call->name, "fentry"));
}

/* Adds to `done` what a callee has surely written when it returns, but for what the function has saved at its
 * entry: that may be what the callee puts there. What a function of another file, or behind a pointer, leaves
 * in the register of results is its own. */
static void done_by_callee(const struct closure *c, const struct body *b, const struct inner_call *call,
                           uint8_t *done)
{
    const struct body *k = call->callee == SIZE_MAX ? NULL : &c->body.data[call->callee];
    for (unsigned s = 0; k && k->leaves && !is_interposable(c, call->at) && s < c->nslots; s++)
        done[s] = done[s] || (k->leaves[s] && !b->touches[s]);
    if (is_foreign(c, call->at) && !is_hook(call->at))
        mark_range(c, done, c->m->ret, c->unit);
}

/* The one call at the end of the block; NULL: there is none, or it may be one of several, or none. */
static const struct inner_call *call_of(const struct body *b, uint32_t block)
{
    const struct inner_call *found = NULL;
    for (size_t i = 0; i < b->call.len; i++)
        if (b->call.data[i].at->block == block) {
            if (found)
                return NULL;
            found = &b->call.data[i];
        }
    return found && !found->at->conditional ? found : NULL;
}

/* Where the function may end with the block: with that written, and what a function that it goes on to
 * writes. */
static void note_leaves(const struct closure *c, const struct body *b, uint32_t block, const uint8_t *done,
                        uint8_t *leaves)
{
    const struct ir_block *k = &b->g->block[block];
    const struct inner_call *call = call_of(b, block);
    bool ends = k->end.kind == IR_END_RET, early = false;
    for (size_t i = 0; i < b->call.len; i++)
        if (b->call.data[i].at->block == block && b->call.data[i].tail) {
            ends = true;
            early = early || &b->call.data[i] != call;
        }
    for (uint32_t i = 0; i < k->ninsn; i++)
        early = early || (k->insn[i].op == IR_EXIT && k->insn[i].exit == IR_EXIT_RET);
    if (!ends && !early)
        return;
    uint8_t *all = xcalloc(c->nslots, 1);
    if (!early)
        memcpy(all, done, c->nslots);
    if (!early && call && call->tail)
        done_by_callee(c, b, call, all);
    for (unsigned s = 0; s < c->nslots; s++)
        leaves[s] = leaves[s] && all[s];
    free(all);
}

/* What is written in part only holds something else besides. */
static void drop_parts(const struct closure *c, const struct flow_graph *g, uint8_t *leaves)
{
    for (uint32_t i = 0; i < g->nblocks; i++)
        for (uint32_t k = 0; k < g->block[i].ninsn; k++) {
            const struct ir_insn *in = &g->block[i].insn[k];
            const unsigned bits = in->op == IR_PUT ? g->block[i].insn[in->b].width : 0;
            if (bits % (c->unit * 8) || (in->op == IR_PUT && in->a % c->unit))
                leaves[in->a / c->unit] = leaves[(in->a + (bits - 1) / 8) / c->unit] = 0;
        }
}

/* A register that the function or one of its callees may have kept, to put it back, is not left otherwise. A
 * function of another file is given its arguments; of one of the program of which nothing is known yet, all
 * may be kept. */
static void drop_touched(const struct closure *c, struct body *b, uint8_t *leaves)
{
    enum { VECTOR = 16 };
    uint8_t *given = xcalloc(c->nslots, 1);
    for (unsigned a = 0; a < c->m->nargs; a++)
        given[c->m->arg[a] / c->unit] = c->m->arg[a] != c->m->ret;
    for (unsigned a = 0; a < c->m->nfargs; a++)
        mark_range(c, given, c->m->farg[a], VECTOR);
    for (size_t i = 0; i < b->call.len; i++) {
        const struct inner_call *call = &b->call.data[i];
        const struct body *k = call->callee == SIZE_MAX ? NULL : &c->body.data[call->callee];
        if (call->local && !(k && k->leaves && !is_interposable(c, call->at)))
            add_rest(c, b->touches, call->done);
        for (unsigned s = 0; k && k->leaves && s < c->nslots; s++)
            b->touches[s] = b->touches[s] || (k->touches[s] && !call->done[s]);
        for (unsigned s = 0; !call->local && s < c->nslots; s++)
            b->touches[s] = b->touches[s] || (given[s] && !call->done[s]);
    }
    for (unsigned s = 0; s < c->nslots; s++)
        leaves[s] = leaves[s] && !b->touches[s] && !c->kept[s];
    free(given);
}

/* Forwards over the graph, by what is written on every way there. At calls that is noted; behind them it is
 * what the callee has written, too. */
static void find_reads(const struct closure *c, struct body *b)
{
    const struct flow_graph *g = b->g;
    unsigned n = c->nslots;
    uint8_t *in = xmalloc((size_t)g->nblocks * n), *out = xmalloc(n), *behind = xmalloc(n);
    bool *queued = xcalloc(g->nblocks, sizeof *queued), *seen = xcalloc(g->nblocks, sizeof *seen);
    VEC(uint32_t) work = VEC_INIT;
    memset(in, 1, (size_t)g->nblocks * n);
    memset(in, 0, n);
    uint8_t *leaves = xmalloc(n);
    memset(leaves, !g->nproblems, n);
    vec_push(&work, 0);
    while (work.len) {
        uint32_t at = vec_pop(&work);
        queued[at] = false;
        memcpy(out, in + (size_t)at * n, n);
        read_by_block(c, b, at, out);
        for (size_t i = 0; i < b->call.len; i++)
            if (b->call.data[i].at->block == at)
                memcpy(b->call.data[i].done, out, n);
        note_leaves(c, b, at, out, leaves);
        memcpy(behind, out, n);
        const struct inner_call *call = call_of(b, at);
        if (call)
            done_by_callee(c, b, call, behind);
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++) {
            uint8_t *to = in + (size_t)g->edge[e].to * n;
            const uint8_t *done = g->edge[e].kind == EDGE_RETURN ? behind : out;
            bool changed = false;
            for (unsigned s = 0; s < n; s++) {
                changed = changed || (to[s] && !done[s]);
                to[s] = to[s] && done[s];
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
    drop_parts(c, g, leaves);
    drop_touched(c, b, leaves);
    b->leaves = leaves;
    free(in);
    free(out);
    free(behind);
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

/* ---- what is stored ---- */

/* An instruction of the block is not supported. */
static bool has_unknown(const struct ir_block *b)
{
    bool has = b->end.kind == IR_END_UNKNOWN;
    for (uint32_t i = 0; i < b->ninsn && !has; i++)
        has = b->insn[i].op == IR_UNKNOWN;
    return has;
}

/* The block does what may change memory, other than to store. */
static bool affects_memory(const struct ir_block *b)
{
    bool yes = has_unknown(b) || b->end.kind == IR_END_SYSCALL;
    for (uint32_t i = 0; i < b->ninsn && !yes; i++)
        yes = b->insn[i].op == IR_EVENT;
    return yes;
}

/* Of a function of another file, or behind a pointer, that is seldom known. */
static bool affects_elsewhere(const struct closure *c, const struct flow_call *call)
{
    const struct flow_library_entry *known =
        call->name && is_foreign(c, call) ? flow_library_find(c->p->library, call->name) : NULL;
    return !call->noreturn &&
           !(known && known->attrs & (LIBRARY_CONST | LIBRARY_PURE) && !(known->attrs & LIBRARY_ERRNO));
}

/* Every store of the function itself goes to its own frame. */
static bool stores_within(const struct closure *c, const struct body *b)
{
    struct arena arena = ARENA_INIT;
    struct builder builder;
    bool within = true;
    builder_reopen(&builder, c->p, (uint32_t)(b->f - c->p->function.data), b->g, &arena);
    for (uint32_t i = 0; i < b->g->nblocks && within; i++)
        for (uint32_t k = 0; k < b->g->block[i].ninsn && within; k++) {
            const struct ir_insn *in = &b->g->block[i].insn[k];
            int64_t offset;
            if (in->op == IR_STORE)
                within = in->d == 0 &&
                         value_is_frame(builder.values, value_of(builder.values, i, in->a), &offset) &&
                         offset + (int64_t)(b->g->block[i].insn[in->b].width / 8) <= 0;
        }
    builder_free(&builder);
    arena_free(&arena);
    return within;
}

/* ---- a function and its callees ---- */

/* The index of the function's body, which is added; SIZE_MAX: it is not known what it does, or another may
 * take its place. */
static size_t add_body(struct closure *c, const struct flow_function *f)
{
    uint64_t known;
    if (object_is_replaceable(program_object(c->p), f->address))
        return SIZE_MAX;
    if (map_get(&c->index, f->address, &known))
        return known - 1;
    const struct flow_graph *g = c->blocks < BLOCKS_ALL ? flow_graph(c->p, f) : NULL;
    bool fits = g && g->nblocks && g->nblocks <= BLOCKS_MAX;
    c->blocks += fits ? g->nblocks : 0;
    map_set(&c->index, f->address, fits ? c->body.len + 1 : 0);
    if (!fits)
        return SIZE_MAX;
    vec_push(&c->body, ((struct body){.f = f,
                                      .g = g,
                                      .writes = xcalloc(c->nslots, 1),
                                      .reads = xcalloc(c->nslots, 1),
                                      .touches = xcalloc(c->nslots, 1),
                                      .agree = true}));
    return c->body.len - 1;
}

/* What the function at that index writes by itself, and what it calls. */
static void look_at(struct closure *c, size_t index)
{
    struct body *b = &c->body.data[index];
    const struct flow_graph *g = b->g;
    for (uint32_t i = 0; i < g->nblocks; i++) {
        unsigned bytes = 0;
        written_by_block(c, &g->block[i], b->writes);
        b->obscure = b->obscure || has_unknown(&g->block[i]);
        if (g->block[i].end.kind != IR_END_RET)
            continue;
        b->agree = popped_by(c, &g->block[i], &bytes) && b->agree;
        pop_too(b, bytes);
    }
    b->stores = g->nproblems > 0;
    for (uint32_t i = 0; i < g->nblocks && !b->stores; i++)
        b->stores = affects_memory(&g->block[i]);
    if (g->nproblems) {
        mark_all(c, b->writes);
        b->agree = false;
    }
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_call *call = &g->call[i];
        const struct flow_function *f = call->target ? program_local_function(c->p, call->target) : NULL;
        size_t callee = f ? add_body(c, f) : SIZE_MAX;
        b = &c->body.data[index];
        if (callee == SIZE_MAX)
            mark_all(c, b->writes);
        b->stores =
            b->stores || (f ? callee == SIZE_MAX || is_interposable(c, call) : affects_elsewhere(c, call));
        b->cut = b->cut || (f && callee == SIZE_MAX);
        struct inner_call k = {.at = call,
                               .local = f != NULL,
                               .callee = callee,
                               .tail = (call->kind == CALL_TAIL || call->kind == CALL_TAIL_INDIRECT) &&
                                       !call->noreturn,
                               .done = xmalloc(c->nslots)};
        memset(k.done, 1, c->nslots); /* no way leads there */
        vec_push(&b->call, k);
    }
    b->stores = b->stores || !stores_within(c, b);
    const int words = flow_stack_words(c->p, b->f, &b->takes);
    b->takes = b->takes || words < 0;
    b->words = words < 0 ? 0 : (unsigned)words;
}

/* Who is jumped to reads the same words of the stack. True if that is anything new. */
static bool take_words(struct body *b, const struct body *k)
{
    const unsigned words = b->words;
    const bool takes = b->takes;
    b->takes = takes || !k || k->takes;
    b->words = k && k->words > words ? k->words : words;
    return b->takes != takes || b->words != words;
}

/* Adds to a body what its callees do; true if that was anything new. */
static bool take_callees(struct closure *c, struct body *b)
{
    bool more = false;
    for (size_t i = 0; i < b->call.len; i++) {
        const struct inner_call *call = &b->call.data[i];
        const struct body *k = call->callee == SIZE_MAX ? NULL : &c->body.data[call->callee];
        /* What functions of other files read is told by the convention. */
        if (!call->local)
            continue;
        for (unsigned s = 0; s < c->nslots; s++) {
            bool reads = !b->reads[s] && !call->done[s] && (!k || k->reads[s]);
            bool writes = k && !b->writes[s] && k->writes[s];
            b->reads[s] |= reads;
            b->writes[s] |= writes;
            more = more || reads || writes;
        }
        more = (call->tail && take_words(b, k)) || more;
        if (!k)
            continue;
        const bool agreed = b->agree, returned = b->returns, was_cut = b->cut, stored = b->stores,
                   obscure = b->obscure;
        b->cut = b->cut || k->cut;
        b->stores = b->stores || k->stores;
        b->obscure = b->obscure || k->obscure;
        if (call->tail && k->returns)
            pop_too(b, k->pops);
        b->agree = b->agree && !(call->tail && !k->agree);
        more =
            more || b->agree != agreed || b->returns != returned || b->cut != was_cut || b->stores != stored ||
            b->obscure != obscure;
    }
    return more;
}

static const struct abi_convention *conclude(const struct closure *c, const struct body *b)
{
    struct abi_convention *out = arena_new(&c->p->arena, struct abi_convention);
    *out = (struct abi_convention){.writes = arena_dup(&c->p->arena, b->writes, c->nslots),
                                   .reads = arena_dup(&c->p->arena, b->reads, c->nslots),
                                   .reads_flags = abi_takes_flags(c->p, b->f),
                                   .stores = b->stores,
                                   .obscure = b->obscure,
                                   .pops = b->returns ? b->pops : 0,
                                   .pops_known = b->agree,
                                   .stack_words = b->words,
                                   .takes_stack = b->takes};
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
        free(b->touches);
        free(b->leaves);
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
    /* Callees first, but for those that call each other. */
    for (size_t i = c.body.len; i-- > 0;)
        find_reads(&c, &c.body.data[i]);
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
