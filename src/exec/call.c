/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls, system calls and intrinsics.
 *
 * A call is an event. What it returns and what memory holds afterwards are uninterpreted functions of the
 * arguments, of the memory and spaces it sees and of the order of observable things (state.world): ret:NAME,
 * mem:NAME, world:NAME. Names carry no addresses or counters, so two programs that share a term table get
 * equal terms from equal calls. */
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

/* ---- who is called ---- */

static bool read_thunk(struct explorer *x, struct callee *c)
{
    /* mov REG, [esp]; ret: how position-independent i386 code learns its own address. */
    static const char *const reg[] = {"eax", "ecx", "edx", "ebx", NULL, "ebp", "esi", "edi"};
    uint8_t code[4];
    if (x->m->arch != MACHINE_X86 || !x->file->o || !object_read(x->file->o, c->address, code, sizeof code))
        return false;
    if (code[0] != 0x8b || (code[1] & 0xc7) != 0x04 || code[2] != 0x24 || code[3] != 0xc3)
        return false;
    uint16_t width;
    const char *name = reg[code[1] >> 3 & 7];
    return name && machine_register_find(x->m, name, &c->thunk_reg, &width);
}

/* Functions of the same name in different files have nothing to do with each other, but for those of the C
 * library. */
static const char *name_in(struct explorer *x, const struct mapped *in, const struct callee *c)
{
    return in->index && !c->lib ? arena_printf(&x->arena, "%u:%s", in->index, c->name) : c->name;
}

/* A function of the file that is x's now; `local`: called from that file. `bound` (or NULL) at `to`: where a
 * stub that is there leads. */
static const struct callee *callee_at(struct activation *a, uint64_t address, const struct call_site *site,
                                      bool local, struct mapped *bound, uint64_t to)
{
    struct explorer *x = a->x;
    uint64_t known;
    if (map_get(&x->file->callees, address, &known)) {
        const struct callee *c = (const struct callee *)(uintptr_t)known;
        if (c->file == (bound ? bound : x->file) && c->address == (bound ? to : address))
            return c;
    }
    struct callee *c = arena_new(&x->arena, struct callee);
    map_set(&x->file->callees, address, (uint64_t)(uintptr_t)c);
    c->address = address;
    c->file = x->file;
    c->proto.nargs = -1;
    const struct flow_graph *g = a->g->g;
    for (uint32_t i = 0; local && i < g->ncalls && !c->name; i++)
        if (g->call[i].target == address && g->call[i].site == site->site)
            c->name = g->call[i].name;
    x->source->callee(a, site, local, c);
    if (bound)
        machine_bind(x, c, bound, to);
    if (!c->name)
        c->name = arena_printf(&x->arena, "sub_%llx", (unsigned long long)address);
    c->called = c->name;
    if (x->opt.hooks && x->opt.hooks->name)
        c->name = x->opt.hooks->name(x->opt.hooks->ctx, c->name, address);
    c->name = name_in(x, c->file, c);
    struct mapped *from = x->file;
    x->file = c->file;
    c->thunk = read_thunk(x, c);
    if (c->f && !c->lib && !c->thunk && x->opt.policy->callee_code)
        c->how = convention_of(x, c);
    x->file = from;
    return c;
}

/* ---- what it does ---- */

enum { BACK_MAX = 16 };

/* Havocs registers: all that a call may change, or as `how` says. */
static void clobber(struct explorer *x, struct state *st, term token, const struct abi_convention *how)
{
    for (unsigned i = 0; i < x->nslots; i++) {
        if (x->slot_keep[i])
            continue;
        if (how && !how->writes[i])
            state_slot(x, st, i);
        else
            st->reg[i] = TERM_NONE;
    }
    st->clobber = token;
    st->argset = 0;
}

/* name: NULL through a pointer. `fixed`: every call of it is given the same number. */
static term apply(struct explorer *x, enum origin_kind what, const char *name, bool fixed, unsigned width,
                  const term *kid, unsigned n)
{
    struct term_origin o = {.kind = (uint16_t)what, .name = name, .index = fixed ? 0 : n};
    return width ? origin_apply(x->t, o, width, kid, n) : origin_apply_array(x->t, o, x->width, 8, kid, n);
}

/* A float result on i386 is pushed on the x87 stack. */
static uint32_t push_x87(struct explorer *x, struct state *st, term value)
{
    uint16_t top_at, regs, tags, width;
    uint64_t top;
    if (!machine_register_find(x->m, "<x87_top>", &top_at, &width) ||
        !machine_register_find(x->m, "mm0", &regs, &width) ||
        !machine_register_find(x->m, "<x87_tag0>", &tags, &width))
        return UINT32_MAX;
    if (!term_const_u64(x->t, state_get(x, st, top_at, 32), &top))
        return UINT32_MAX;
    top = (top - 1) & 7;
    state_put(x, st, top_at, term_const(x->t, 32, top));
    state_put(x, st, regs + (unsigned)top * 8, value);
    state_put(x, st, tags + (unsigned)top, term_const(x->t, 8, 1));
    return regs + (unsigned)top * 8;
}

/* Returns where the result was put. */
static uint32_t set_result(struct explorer *x, struct state *st, const struct callee *c,
                           const struct call_site *site, term result)
{
    if (site->end && site->end->result != IR_NONE && site->end->result_width) {
        state_put(x, st, site->end->result, term_extract(x->t, result, 0, site->end->result_width));
        return site->end->result;
    }
    if (x->m->locals)
        return UINT32_MAX;
    bool is_float = c->lib ? c->lib->returns_float : c->proto.returns_float;
    if (is_float && x->m->fret == UINT16_MAX)
        return push_x87(x, st, result);
    uint32_t at = is_float ? x->m->fret : x->m->ret;
    state_put(x, st, at, result);
    return at;
}

/* A value that a callee may have left on the x87 stack must not look like one that is not there. Where the
 * top of the stack is does not matter as long as it is empty, so it stays. */
static void float_maybe_returned(struct explorer *x, struct state *st, const struct abi_convention *how,
                                 term token, struct exec_event *e)
{
    uint16_t top_at, regs, tags, width;
    uint64_t top;
    if (!machine_register_find(x->m, "<x87_top>", &top_at, &width) ||
        !machine_register_find(x->m, "mm0", &regs, &width) ||
        !machine_register_find(x->m, "<x87_tag0>", &tags, &width) ||
        !term_const_u64(x->t, state_get(x, st, top_at, 32), &top) || (how && !how->writes[top_at / x->unit]))
        return;
    top &= 7;
    e->x87 = origin_apply(x->t, (struct term_origin){.kind = ORIGIN_CLOBBERED, .part = ORIGIN_CLOBBERED_X87},
                          64, &token, 1);
    e->x87_at = regs + (unsigned)top * 8;
    e->x87_tag_at = tags + (unsigned)top;
    state_put(x, st, e->x87_at, e->x87);
    state_put(x, st, e->x87_tag_at, term_const(x->t, 8, 1));
}

/* The registers that hooks say a call changes, by slot. */
static const uint8_t *only_changes(struct explorer *x, const struct exec_call *only)
{
    uint8_t *writes = arena_array(&x->arena, uint8_t, x->nslots);
    for (unsigned i = 0; i < only->nchanges; i++)
        writes[only->changes[i] / x->unit] = 1;
    return writes;
}

/* A result register that the callee may return unchanged. */
static unsigned back_register(const struct explorer *x, unsigned bit, unsigned *width)
{
    bool real = bit >= FLOW_TAKES_FLOATS;
    *width = !real ? x->width : x->m->arch == MACHINE_ARM ? 64 : 128;
    return real ? x->m->farg[bit - FLOW_TAKES_FLOATS] : x->m->arg[bit];
}

/* What was in them, or TERM_NONE, before the call. */
static void see_back(struct explorer *x, struct state *st, uint32_t back, term before[BACK_MAX])
{
    for (unsigned i = 0; i < BACK_MAX; i++) {
        before[i] = TERM_NONE;
        if (!(back >> i & 1))
            continue;
        unsigned width, at = back_register(x, i, &width);
        before[i] = state_get(x, st, at, width);
    }
}

/* After it that or something else is in them. */
static void hand_back(struct explorer *x, struct state *st, const term before[BACK_MAX])
{
    for (unsigned i = 0; i < BACK_MAX; i++) {
        if (before[i] == TERM_NONE)
            continue;
        unsigned width, at = back_register(x, i, &width);
        const term kid[] = {state_get(x, st, at, width), before[i]};
        struct term_origin back = {.kind = ORIGIN_CLOBBERED, .part = ORIGIN_CLOBBERED_BACK};
        state_put(x, st, at, origin_apply(x->t, back, width, kid, 2));
    }
}

/* What lies below the stack pointer is not the function's own while a callee runs. */
static void lose_below(struct explorer *x, struct state *st, term sp)
{
    term base, from, at = st->frame;
    uint64_t low, off;
    VEC(term) kept = VEC_INIT;
    bool lost = false;
    term_split(x->t, sp, &base, &low);
    for (; base == x->sp && term_kind(x->t, at) == TERM_WRITE; at = term_kid(x->t, at, 0)) {
        term_split(x->t, term_kid(x->t, at, 1), &from, &off);
        uint64_t distance = x->width == 32 ? (uint32_t)(low - off) : low - off;
        bool below = from == x->sp && distance && distance < UINT64_C(1) << (x->width - 1);
        lost = lost || below;
        if (!below)
            vec_push(&kept, at);
    }
    if (lost) {
        st->frame = at;
        for (size_t i = kept.len; i-- > 0;)
            st->frame = term_write(x->t, st->frame, term_kid(x->t, kept.data[i], 1), term_kid(x->t, kept.data[i], 2));
    }
    vec_free(&kept);
}

/* The same where the frame is part of memory: `before` is what the function made of it. */
static void lose_below_in_memory(struct explorer *x, struct state *st, term sp, term before)
{
    term base, from;
    uint64_t low, off;
    term_split(x->t, sp, &base, &low);
    for (term at = before; base == x->sp && term_kind(x->t, at) == TERM_WRITE; at = term_kid(x->t, at, 0)) {
        term_split(x->t, term_kid(x->t, at, 1), &from, &off);
        uint64_t distance = x->width == 32 ? (uint32_t)(low - off) : low - off;
        if (from != x->sp || !distance || distance >> (x->width - 1))
            continue;
        struct term_origin left = {.kind = ORIGIN_CLOBBERED_WORD, .offset = distance};
        unsigned width = term_width(x->t, term_kid(x->t, at, 2));
        st->mem = term_write(x->t, st->mem, term_kid(x->t, at, 1), origin_apply(x->t, left, width, &st->clobber, 1));
    }
}

/* The word of the stack is not with memory, though the frame is. */
static bool is_apart(const struct explorer *x, const struct state *st, term at)
{
    term base;
    uint64_t off;
    term_split(x->t, at, &base, &off);
    return base == x->sp && memory_is_saved(x, st->saved, memory_offset(x, off), x->unit);
}

/* When the call does nothing: free(NULL). TERM_NONE: never. */
static term does_nothing(struct explorer *x, const struct state *st, const struct callee *c,
                         const struct args *g)
{
    if (!c->lib || c->lib->like != LIKE_FREE || !g->n || term_width(x->t, g->arg[0]) != x->width)
        return TERM_NONE;
    term null = term_eq(x->t, g->arg[0], term_const(x->t, x->width, 0));
    return term_is_false(x->t, null) || state_has_literal(st, term_not(x->t, null)) ? TERM_NONE : null;
}

/* The effects of a call that is not followed, all but where control continues. `only` (or NULL): all that it
 * changes. */
static void call_effect(struct activation *a, struct state *st, const struct callee *c,
                        const struct call_site *site, const struct exec_call *only)
{
    struct explorer *x = a->x;
    struct args g = {.x = x, .st = st, .given = site->tail ? a->given : 0};
    arguments_collect(&g, c, site);
    bool fixed = g.fixed;
    unsigned wanted = x->m->locals && site->end ? site->end->result_width : 0;
    struct callee plain;
    if (x->source->lists_arguments && c->lib && !arguments_fit_library(x, c->lib, g.arg, g.n, wanted)) {
        plain = *c;
        plain.lib = NULL;
        c = &plain;
    }
    struct exec_event e = {.kind = EVENT_CALL,
                           .site = site->site,
                           .name = c->name,
                           .arg = g.arg,
                           .nargs = g.n,
                           .nplain = g.floats ? g.before_floats : g.n,
                           .bounded = g.bounded,
                           .target = c->name ? TERM_NONE : site->target,
                           .tail = site->tail,
                           .obscure = c->how && c->how->obscure,
                           .depth = a->depth,
                           .reads = !only && (!c->lib || summary_reads(x, c->lib)),
                           .result_at = UINT32_MAX,
                           .explicit_args = site->end && (site->end->nargs || x->m->locals),
                           .guessed = g.set};
    if (!x->m->locals)
        e.stack = term_add_const(x->t, state_get(x, st, x->m->sp, x->width), x->m->stack_arg);
    bool is_float = c->lib ? c->lib->returns_float : c->proto.returns_float;
    bool returns = c->lib ? c->lib->returns : c->proto.source == PROTO_NONE || c->proto.returns;
    unsigned width = is_float ? 64 : x->width;
    if (x->m->locals) {
        returns = wanted != 0;
        width = wanted > width ? wanted : width;
    }
    e.mem_before = st->mem;
    e.frame_before = st->frame;
    e.spaces_before = space_snapshot(x, st);
    e.world_before = st->world;
    x->stats.abi_assumed += !x->m->locals;
    x->stats.library_assumed += c->lib != NULL;
    x->stats.throws_ignored += x->file->unwinds;
    if (c->how) {
        e.changes = c->how->writes;
        e.pops = c->how->pops_known ? c->how->pops : 0;
    }
    e.pops_open = !c->lib && !(c->how && c->how->pops_known);
    term result = TERM_NONE;
    bool fills = c->lib && !only && x->m->nargs && arguments_fill(&g);
    if (only) {
        term kid[] = {st->world};
        e.changes = only_changes(x, only);
        struct abi_convention how = {.writes = e.changes};
        st->world = apply(x, ORIGIN_WORLD_AFTER, c->name, true, 64, kid, 1);
        clobber(x, st, apply(x, ORIGIN_TOKEN, c->name, true, 64, kid, 1), &how);
        g.stack = 0;
    } else if (c->lib && !g.stores && summary_apply(x, st, c, g.arg, g.n, site->site, &e.mem_before, &result)) {
        e.silent = st->world == e.world_before;
        /* The token keeps registers that the convention lets a callee clobber apart from call to call. */
        term kid[CALL_MAX_ARGS + 1];
        memcpy(kid, g.arg, g.n * sizeof(term));
        kid[g.n] = st->world;
        clobber(x, st, apply(x, ORIGIN_TOKEN, c->name, fixed, 64, kid, g.n + 1), NULL);
        if (returns && result == TERM_NONE)
            result = apply(x, ORIGIN_RESULT, c->name, fixed, width, kid, g.n + 1);
    } else {
        for (unsigned i = 0; i < g.n; i++)
            if (memory_tainted(x, g.arg[i]))
                memory_escape(x, st);
        struct hidden h = {0};
        arguments_hidden(&g, c, &h);
        if (h.n)
            fixed = false;
        for (unsigned i = 0; i < h.n; i++)
            if (memory_tainted(x, h.value[i]))
                memory_escape(x, st);
        /* When setjmp returns again, memory is what was left in the meantime. */
        if (c->lib && c->lib->attrs & LIBRARY_TWICE)
            memory_escape(x, st);
        term kid[CALL_MAX_ARGS + HIDDEN_MAX + 4], *all = arena_array(&x->arena, term, g.n + h.n + 1);
        memcpy(all, g.arg, g.n * sizeof(term));
        memcpy(all + g.n, h.value, h.n * sizeof(term));
        e.arg = all;
        e.nargs = g.n + h.n;
        e.nhidden = h.n;
        e.nfloats = h.floats;
        e.nstack = h.stack;
        e.unlisted = g.unlisted;
        e.behind = g.behind;
        e.word_site = g.word_site;
        e.nword_sites = g.nword_sites;
        e.fill = st->filled && !g.cut ? st->fill : TERM_NONE;
        unsigned n = 0;
        if (!c->name)
            kid[n++] = site->target;
        memcpy(kid + n, h.value, h.n * sizeof(term));
        n += h.n;
        memcpy(kid + n, g.arg, g.n * sizeof(term));
        n += g.n;
        e.mem_before = st->mem;
        kid[n++] = st->mem;
        kid[n++] = st->world;
        if (x->m->nspaces)
            kid[n++] = space_token(x, st);
        const char *name = c->name;
        term token = apply(x, ORIGIN_TOKEN, name, fixed, 64, kid, n), before[BACK_MAX];
        see_back(x, st, g.back, before);
        if (returns && c->lib)
            result = summary_result(x, st, c, g.arg, g.n);
        if (returns && result == TERM_NONE) {
            struct term_origin by = summary_result_origin(c->lib, name, h.n, g.n);
            if (is_float)
                by = (struct term_origin){.kind = ORIGIN_FLOAT_RESULT, .name = name};
            by.index = fixed ? 0 : n;
            result = summary_unless_null(x, c, g.arg, g.n, origin_apply(x->t, by, width, kid, n));
        }
        const term nothing = does_nothing(x, st, c, &g);
        if (!c->how || c->how->stores)
            e.mem_made = st->mem = apply(x, ORIGIN_MEMORY_AFTER, name, fixed, 0, kid, n);
        e.world_made = st->world = apply(x, ORIGIN_WORLD_AFTER, name, fixed, 64, kid, n);
        if (nothing != TERM_NONE) {
            st->mem = merge_array(x, nothing, e.mem_before, st->mem);
            st->world = term_ite(x->t, nothing, e.world_before, st->world);
        }
        if (x->m->nspaces)
            space_havoc(x, st, SPACE_CALL, apply(x, ORIGIN_SPACES_AFTER, name, fixed, 64, kid, n));
        for (unsigned i = 0; i < g.n && !x->opt.policy->escapes; i++)
            memory_havoc_local(x, st, g.arg[i]);
        clobber(x, st, token, c->how);
        hand_back(x, st, before);
        float_maybe_returned(x, st, c->how, token, &e);
    }
    /* A callee may overwrite the stack words of its arguments, and everything below. The locals of bitcode lie below
     * a stack pointer that never moves. */
    term sp = state_get(x, st, x->m->sp, x->width);
    if (!x->code)
        lose_below(x, st, sp);
    if (!x->code && (st->flat || !(x->opt.axioms & AXIOM_FRAME)))
        lose_below_in_memory(x, st, sp, e.mem_before);
    const struct exec_callees *known = x->opt.callees;
    for (unsigned i = 0; i < g.stack; i += x->unit) {
        term at = term_add_const(x->t, sp, x->m->stack_arg + i), v;
        if (known && known->keeps && known->keeps(known->ctx, at))
            continue;
        struct term_origin left = {.kind = ORIGIN_CLOBBERED_WORD, .offset = i};
        v = origin_apply(x->t, left, x->width, &st->clobber, 1);
        if ((st->flat && !is_apart(x, st, at)) || !(x->opt.axioms & AXIOM_FRAME))
            st->mem = term_write(x->t, st->mem, at, v);
        else
            st->frame = term_write(x->t, st->frame, at, v);
    }
    e.mem_after = st->mem;
    e.world_after = st->world;
    e.world_made = e.world_made == TERM_NONE ? st->world : e.world_made;
    e.frame_after = st->frame;
    e.spaces_after = space_snapshot(x, st);
    if (result != TERM_NONE) {
        e.result = wanted ? term_extract(x->t, result, 0, wanted) : result;
        e.result_at = set_result(x, st, c, site, result);
    }
    e.token = st->clobber;
    e.escaped = st->flat;
    e.saved = st->saved;
    if (x->m->throws && !c->lib) {
        e.threw = apply(x, ORIGIN_THREW, c->name, true, 1, &e.token, 1);
        e.thrown = apply(x, ORIGIN_THROWN, c->name, true, x->m->throws, &e.token, 1);
    }
    state_event(x, st, &e);
    st->last_call = x->history_seq;
    if (fills)
        st->fill = st->filled ? TERM_NONE : g.arg[0];
    st->filled = fills || (st->filled && c->lib && !only);
    if (x->m->call_pushes && !site->tail)
        state_put(x, st, x->m->sp, term_add_const(x->t, sp, x->m->call_pushes + e.pops));
}

/* Whether the function is already being followed as often as allowed. */
static bool recurs(const struct activation *a, const struct callee *c, const struct flow_graph *g)
{
    unsigned n = 0, most = a->x->opt.recursion;
    for (; a; a = a->caller)
        n += c->f ? a->f == c->f : a->g->g == g;
    return most && n >= most;
}

static int by_end(const void *a, const void *b)
{
    const struct state *l = *(struct state *const *)a, *r = *(struct state *const *)b;
    if (l->end_address != r->end_address)
        return l->end_address < r->end_address ? -1 : 1;
    return l->seq < r->seq ? -1 : l->seq > r->seq;
}

/* One state of those that a callee returned in, or a few. */
static void merge_returned(struct activation *sub)
{
    const struct explorer *x = sub->x;
    size_t left = 0, n = sub->returns.len;
    if (!x->opt.merge || x->stop || x->opt.returns == EXEC_RETURNS_APART)
        return;
    if (x->opt.returns == EXEC_RETURNS_ALL) {
        sub->returns.len = merge_group(sub, sub->returns.data, n, true);
        return;
    }
    vec_sort(&sub->returns, by_end);
    struct state **st = sub->returns.data;
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && st[i + same]->end_address == st[i]->end_address; same++)
            ;
        size_t kept = merge_group(sub, &st[i], same, true);
        memmove(&st[left], &st[i], kept * sizeof *st);
        left += kept;
    }
    sub->returns.len = left;
}

/* Words of the stack that the callee may be given as arguments. Asked only where that matters: it may hand
 * them on. */
static unsigned words_given(const struct activation *a, struct state *st, const struct callee *c,
                            const struct call_site *site)
{
    enum { MOST = 63 };
    struct args g = {.x = a->x, .st = st, .given = site->tail ? a->given : 0};
    const unsigned words = c->proto.hands_on ? arguments_words(&g) : 0;
    return words < MOST ? words : MOST;
}

/* Follows a callee instead of summarising it. `asked`: whatever it looks like, tail calls included.
 * `part`: see struct exec_call. */
static bool follow(struct activation *a, struct state *st, const struct callee *c,
                   const struct call_site *site, bool asked, bool part)
{
    struct explorer *x = a->x;
    unsigned blocks = x->opt.inline_blocks ? x->opt.inline_blocks : 8;
    struct exec_body body;
    if (a->depth >= x->opt.inline_depth || (!asked && (c->lib || site->tail)))
        return false;
    bool program = c->f != NULL, own = !program && code_body(x, c->address, x->m, site->end, &body);
    if (!program && !own)
        return false;
    const struct flow_graph *fg = own ? body.graph : flow_graph(c->file->p, c->f);
    if (recurs(a, c, fg))
        return false;
    uint32_t after = site->after == IR_NO_LABEL ? UINT32_MAX : graph_block(a->g, site->after);
    if (fg->nblocks == 0 ||
        (!asked && (fg->nblocks > blocks || fg->nproblems || fg->noreturn || after == UINT32_MAX)))
        return false;
    struct code_caller kept;
    if (own && !code_enter(a, &st, &body, site, &kept))
        return false;
    x->stats.inlined++;
    struct mapped *from = x->file;
    if (program)
        x->file = c->file;
    struct activation sub = {.x = x,
                             .g = graph_prepare(x, fg),
                             .f = c->f,
                             .depth = a->depth + 1,
                             .caller = a,
                             .site = site,
                             .given = words_given(a, st, c, site),
                             .last = a->last && site->tail};
    struct pc_node *entered = st->pc;
    if (!part && entered)
        entered->calls++;
    if (own)
        known_called(a, st->block, &sub, &body);
    uint32_t n = graph_counts(x, a->g);
    uint16_t *visits = n ? xreallocarray(NULL, n, sizeof *visits) : NULL;
    if (n)
        memcpy(visits, st->visits, n * sizeof *visits);
    state_visits(x, st, sub.g);
    bool decided = st->decided;
    uint32_t block = st->block;
    st->block = 0; /* of its graph from now on */
    activation_push(&sub, st, 0);
    activation_run(&sub);
    for (size_t i = 0; own && i < sub.returns.len; i++)
        code_return(x, sub.returns.data[i]);
    sub.returning = true;
    merge_returned(&sub);
    size_t returns = sub.returns.len;
    if (x->opt.returns != EXEC_RETURNS_ALL && returns > 1)
        for (size_t i = 0; i < returns; i++)
            for (struct pc_node *p = sub.returns.data[i]->pc; p != entered && p; p = p->prev)
                p->apart = true;
    for (size_t i = 0; i < sub.throws.len; i++)
        vec_push(&sub.returns, sub.throws.data[i]);
    for (size_t i = 0; own && i < sub.returns.len; i++)
        sub.returns.data[i] = code_leave(x, sub.returns.data[i], &kept, site, i >= returns);
    if (own)
        code_drop_caller(x, &kept);
    x->file = from;
    for (size_t i = sub.returns.len; i-- > 0;) {
        struct state *r = sub.returns.data[i];
        state_visits(x, r, a->g);
        if (n)
            memcpy(r->visits, visits, n * sizeof *visits);
        r->argset = 0;
        r->block = block;
        r->decided = r->decided || decided;
        if (i >= returns)
            call_caught(a, r, site);
        else if (after != UINT32_MAX)
            activation_push(a, r, after);
        else
            activation_finish(a, r, site->tail ? PATH_RETURN : PATH_NORETURN, site->site);
    }
    free(visits);
    free(sub.val);
    vec_free(&sub.work);
    vec_free(&sub.returns);
    vec_free(&sub.throws);
    return true;
}

void call_caught(struct activation *a, struct state *st, const struct call_site *c)
{
    uint32_t to = c->end && c->end->unwinds ? graph_block(a->g, c->end->unwind) : UINT32_MAX;
    if (to == UINT32_MAX) {
        activation_finish(a, st, PATH_THROW, c->site);
        return;
    }
    state_put(a->x, st, c->end->caught, st->thrown);
    st->thrown = TERM_NONE;
    activation_push(a, st, to);
}

/* A call that was not followed returns or throws: an unknown function of its inputs decides. */
static void maybe_thrown(struct activation *a, struct state *st, const struct call_site *site)
{
    struct explorer *x = a->x;
    const struct exec_event *e = &((const struct event_node *)st->events)->e;
    if (e->threw == TERM_NONE)
        return;
    st->decided = true;
    struct state *other = state_fork(x, st);
    x->stats.forks++;
    state_assume(x, other, e->threw);
    state_assume(x, st, term_not(x->t, e->threw));
    other->thrown = e->thrown;
    call_caught(a, other, site);
}

/* Remembered: every call asks. */
static ir_label thunk_end(struct explorer *x, ir_label label)
{
    uint64_t end;
    if (!map_get(&x->file->thunks, label, &end))
        map_set(&x->file->thunks, label, end = flow_thunk(x->file->p, label));
    return end;
}

/* Where a stub leads, if the state knows what is in its slot. */
static struct mapped *bound_to(struct explorer *x, struct state *st, const struct mapped *in,
                               const struct object_stub *stub, uint64_t *to)
{
    uint64_t holds;
    term slot = memory_load(x, st, 0, term_const(x->t, x->width, stub->slot + in->bias), x->width);
    if (!term_const_u64(x->t, slot, &holds))
        return NULL;
    struct mapped *f = mapped_bound(x, in, holds, to);
    if (x->m->arch == MACHINE_ARM)
        *to &= ~UINT64_C(1);
    return f;
}

/* One of several callees, each under the condition that it is the one: as where the class of an object is not
 * known. */
static void call_choice(struct activation *a, struct state *st, const struct call_site *site)
{
    struct explorer *x = a->x;
    term c = term_kid(x->t, site->target, 0);
    struct call_site one = *site, other = *site;
    one.target = term_kid(x->t, site->target, 1);
    other.target = term_kid(x->t, site->target, 2);
    enum branch br = explore_branch(a, st, c, UINT32_MAX);
    if (br == BRANCH_BOTH) {
        st->decided = true;
        struct state *fork = state_fork(x, st);
        x->stats.forks++;
        state_assume(x, fork, c);
        state_assume(x, st, term_not(x->t, c));
        call_run(a, fork, &one);
    }
    if (br == BRANCH_BOTH && x->stop) {
        x->stats.dropped++;
        state_free(x, st);
        return;
    }
    call_run(a, st, br == BRANCH_TAKEN ? &one : &other);
}

/* Where a function that is jumped to returns to. */
static term tail_returns_to(struct explorer *x, struct state *st)
{
    if (x->m->call_pushes)
        return memory_load(x, st, 0, state_get(x, st, x->m->sp, x->width), x->width);
    return x->m->lr == UINT16_MAX ? TERM_NONE : state_get(x, st, x->m->lr, x->width);
}

void call_run(struct activation *a, struct state *st, const struct call_site *site)
{
    struct explorer *x = a->x;
    if (x->code && site->label == IR_NO_LABEL && term_kind(x->t, site->target) == OP_ITE) {
        call_choice(a, st, site);
        return;
    }
    static const struct callee unknown = {.proto = {.nargs = -1}};
    const struct callee *c = &unknown;
    uint64_t target = site->label;
    struct mapped *in = target != IR_NO_LABEL ? x->file : memory_resolve(x, site->target, &target);
    if (in) {
        struct mapped *from = x->file, *bound = NULL;
        uint64_t to = 0;
        x->file = in;
        if (x->file->p && x->opt.policy->callee_code)
            target = thunk_end(x, target);
        if (x->m->arch == MACHINE_ARM)
            target &= ~UINT64_C(1);
        const struct object_stub *stub = mapped_stub(x, in, target);
        if (stub)
            bound = bound_to(x, st, in, stub, &to);
        c = callee_at(a, target, site, in == from, bound, to);
        x->file = from;
    } else if (code_is_global(x, site->target)) {
        target = code_address(x, site->target);
        if (target)
            c = callee_at(a, target, site, true, NULL, 0);
    } else if (origin_is(x->t, site->target, ORIGIN_ADDRESS) && x->file->p) {
        /* Through a GOT slot: call *puts@GOTPCREL(%rip). */
        const char *name = term_origin(x->t, site->target).name;
        uint64_t known, key = hash_bytes(name, strlen(name)) | UINT64_C(1) << 63;
        if (map_get(&x->file->callees, key, &known)) {
            c = (const struct callee *)(uintptr_t)known;
        } else {
            struct callee *n = arena_new(&x->arena, struct callee);
            n->name = n->called = name;
            if (x->opt.hooks && x->opt.hooks->name)
                n->name = x->opt.hooks->name(x->opt.hooks->ctx, name, 0);
            n->lib =
                program_library(x->file->p) ? flow_library_find(program_library(x->file->p), name) : NULL;
            n->name = name_in(x, x->file, n);
            if (!flow_library_prototype(x->file->p, name, &n->proto))
                n->proto = (struct flow_prototype){.nargs = -1};
            map_set(&x->file->callees, key, (uint64_t)(uintptr_t)n);
            c = n;
        }
    }
    if (c->thunk && site->after != IR_NO_LABEL) {
        state_put(x, st, c->thunk_reg, memory_code(x, site->after));
        term sp = state_get(x, st, x->m->sp, x->width);
        state_put(x, st, x->m->sp, term_add_const(x->t, sp, x->m->call_pushes));
        uint32_t to = graph_block(a->g, site->after);
        if (to == UINT32_MAX)
            activation_finish(a, st, PATH_UNKNOWN_CODE, site->site);
        else
            activation_push(a, st, to);
        return;
    }
    if ((c->lib && c->lib->attrs & LIBRARY_SWITCH) ||
        (c->f && c->file && c->file->p && flow_goes_on_elsewhere(c->file->p, c->f))) {
        x->stats.unresolved_jumps++;
        activation_finish(a, st, PATH_UNRESOLVED, site->site);
        return;
    }
    const struct explore_hooks *h = x->opt.hooks;
    struct exec_moment moment = {.x = x, .st = st, .depth = a->depth};
    struct exec_callee about = {.name = c->called,
                                .address = c->address,
                                .file = c->file ? c->file->index : 0,
                                .site = site->site,
                                .f = c->f,
                                .tail = site->tail};
    struct exec_call how = {0};
    if (h && h->call)
        how = h->call(h->ctx, &moment, &about);
    bool asked = how.kind == EXEC_CALL_FOLLOW || how.kind == EXEC_CALL_ENTER;
    if ((asked || x->opt.policy->inlines) && follow(a, st, c, site, asked, how.part))
        return;
    if (how.kind == EXEC_CALL_ENTER) {
        activation_finish(a, st, PATH_LOOP_BOUND, site->site);
        return;
    }
    if (site->tail && a->last)
        st->returns_to = tail_returns_to(x, st);
    call_effect(a, st, c, site, how.kind == EXEC_CALL_ONLY ? &how : NULL);
    if (h && h->called)
        h->called(h->ctx, &moment, &about);
    maybe_thrown(a, st, site);
    bool noreturn = how.kind == EXEC_CALL_END || c->proto.noreturn || (c->lib && c->lib->noreturn) ||
                    (c->file && c->file->p && c->address && flow_noreturn(c->file->p, c->address));
    if (noreturn) {
        activation_finish(a, st, PATH_NORETURN, site->site);
        return;
    }
    if (site->tail) {
        activation_finish(a, st, PATH_TAIL_CALL, site->site);
        return;
    }
    uint32_t to = site->after == IR_NO_LABEL ? UINT32_MAX : graph_block(a->g, site->after);
    if (to != UINT32_MAX)
        activation_push(a, st, to);
    else
        activation_finish(a, st, PATH_NORETURN, site->site);
}

void call_syscall(struct explorer *x, struct state *st, uint64_t site)
{
    const struct ir_machine *m = x->m;
    term arg[8], kid[11];
    unsigned n = 0;
    if (m->syscall_nr != UINT16_MAX)
        arg[n++] = state_get(x, st, m->syscall_nr, x->width);
    for (unsigned i = 0; i < m->nsyscall_args && n < 8; i++)
        arg[n++] = state_get(x, st, m->syscall_arg[i], x->width);
    for (unsigned i = 0; i < n; i++)
        if (memory_tainted(x, arg[i]))
            memory_escape(x, st);
    struct exec_event e = {.kind = EVENT_SYSCALL,
                           .site = site,
                           .name = "syscall",
                           .arg = arg,
                           .nargs = n,
                           .mem_before = st->mem,
                           .spaces_before = space_snapshot(x, st),
                           .reads = true,
                           .world_before = st->world};
    unsigned nkids = n;
    memcpy(kid, arg, n * sizeof(term));
    kid[nkids++] = st->mem;
    kid[nkids++] = st->world;
    if (m->nspaces)
        kid[nkids++] = space_token(x, st);
    e.result = apply(x, ORIGIN_RESULT, "syscall", true, x->width, kid, nkids);
    st->mem = apply(x, ORIGIN_MEMORY_AFTER, "syscall", true, 0, kid, nkids);
    st->world = apply(x, ORIGIN_WORLD_AFTER, "syscall", true, 64, kid, nkids);
    if (m->nspaces)
        space_havoc(x, st, SPACE_CALL, apply(x, ORIGIN_SPACES_AFTER, "syscall", true, 64, kid, nkids));
    e.spaces_after = space_snapshot(x, st);
    e.mem_after = e.mem_made = st->mem;
    e.world_after = e.world_made = st->world;
    e.frame_after = st->frame;
    e.token = st->clobber;
    e.escaped = st->flat;
    e.saved = st->saved;
    e.result_at = m->syscall_ret == UINT16_MAX ? UINT32_MAX : m->syscall_ret;
    if (m->syscall_ret != UINT16_MAX)
        state_put(x, st, m->syscall_ret, e.result);
    state_event(x, st, &e);
}

/* ---- intrinsics and what was not understood ---- */

enum { CHUNK = OP_MAX_WIDTH / 8 };

void call_event(struct activation *a, struct state *st, const struct ir_block *b, uint32_t insn,
                uint64_t site)
{
    struct explorer *x = a->x;
    const struct ir_insn *in = &b->insn[insn];
    const struct ir_event *ev = &b->event[in->a];
    VEC(term) kid = VEC_INIT;
    term guard = ev->guard == IR_NONE ? TERM_NONE : a->val[ev->guard];
    if (guard != TERM_NONE && term_is_true(x->t, guard))
        guard = TERM_NONE;
    for (uint32_t i = 0; i < ev->nargs; i++)
        vec_push(&kid, a->val[b->arg[ev->args + i]]);
    size_t nargs = kid.len;
    for (unsigned i = 0; i < nargs; i++)
        if (memory_tainted(x, kid.data[i]))
            memory_escape(x, st);
    for (unsigned i = 0; i < ev->nreads; i++)
        for (uint32_t at = 0; at < ev->reads[i].bytes; at += CHUNK)
            vec_push(&kid,
                     state_get(x, st, ev->reads[i].offset + at,
                               (ev->reads[i].bytes - at < CHUNK ? ev->reads[i].bytes - at : CHUNK) * 8));
    term address = ev->mem_read || ev->mem_write ? a->val[ev->mem_addr] : TERM_NONE;
    for (uint32_t at = 0; ev->mem_read && at < ev->mem_bytes; at += CHUNK)
        vec_push(&kid, memory_load(x, st, 0, term_add_const(x->t, address, at),
                                   (ev->mem_bytes - at < CHUNK ? ev->mem_bytes - at : CHUNK) * 8));
    if (ev->observable)
        vec_push(&kid, st->world);
    if (kid.len == 0)
        vec_push(&kid, term_const(x->t, 1, 0));
    bool happens = guard == TERM_NONE || !term_is_false(x->t, guard);
    struct exec_event e = {.kind = EVENT_INTRINSIC,
                           .site = site,
                           .called = a->site ? a->site->site : 0,
                           .name = ev->name,
                           .arg = kid.data,
                           .nargs = (unsigned)nargs,
                           .guard = guard,
                           .reads = ev->orders,
                           .mem_before = st->mem};
    struct term_origin from = {.kind = ORIGIN_INTRINSIC, .name = ev->name};
    if (ev->makes != IR_MAKES_FUNCTION) {
        uint64_t lowest = 0;
        if (ev->makes == IR_MAKES_NUMBER)
            term_const_u64(x->t, kid.data[0], &lowest);
        a->val[insn] = e.result = ev->makes == IR_MAKES_NUMBER
                                      ? term_const(x->t, in->width, lowest + x->numbers++)
                                      : term_fresh(x->t, ev->name, in->width);
        if (ev->observable)
            state_event(x, st, &e);
        vec_free(&kid);
        return;
    }
    if (in->width)
        a->val[insn] = e.result = origin_apply(x->t, from, in->width, kid.data, (unsigned)kid.len);
    for (unsigned i = 0; happens && i < ev->nwrites; i++) {
        for (uint32_t at = 0; at < ev->writes[i].bytes; at += CHUNK) {
            unsigned off = ev->writes[i].offset + at,
                     n = ev->writes[i].bytes - at < CHUNK ? ev->writes[i].bytes - at : CHUNK;
            from.part = ORIGIN_INTRINSIC_REGISTER;
            from.offset = off;
            term v = origin_apply(x->t, from, n * 8, kid.data, (unsigned)kid.len);
            if (guard != TERM_NONE)
                v = term_ite(x->t, guard, v, state_get(x, st, off, n * 8));
            state_put(x, st, off, v);
        }
    }
    for (uint32_t at = 0; happens && ev->mem_write && at < ev->mem_bytes; at += CHUNK) {
        unsigned n = ev->mem_bytes - at < CHUNK ? ev->mem_bytes - at : CHUNK;
        from.part = ORIGIN_INTRINSIC_MEMORY;
        from.offset = at;
        memory_store(x, st, 0, term_add_const(x->t, address, at),
                     origin_apply(x->t, from, n * 8, kid.data, (unsigned)kid.len), guard, site);
    }
    if (happens && ev->observable) {
        from = (struct term_origin){
            .kind = ORIGIN_WORLD_AFTER, .part = ORIGIN_WORLD_INTRINSIC, .name = ev->name};
        term w = origin_apply(x->t, from, 64, kid.data, (unsigned)kid.len);
        st->world = guard == TERM_NONE ? w : term_ite(x->t, guard, w, st->world);
        e.mem_after = st->mem;
        e.frame_after = st->frame;
        state_event(x, st, &e);
    }
    vec_free(&kid);
}

void call_unknown(struct explorer *x, struct state *st, const struct ir_unknown *u)
{
    term *read = arena_array(&x->arena, term, u->nreads + 1);
    unsigned nread = 0;
    for (unsigned i = 0; i < u->nreads; i++)
        if (u->reads[i].bytes <= CHUNK)
            read[nread++] = state_get(x, st, u->reads[i].offset, u->reads[i].bytes * 8);
    x->stats.unknown_effects++;
    if (u->all_registers)
        clobber(x, st, term_fresh(x->t, "unknown", 64), NULL);
    for (unsigned i = 0; i < u->nwrites; i++)
        for (uint32_t at = 0; at < u->writes[i].bytes; at += CHUNK) {
            unsigned n = u->writes[i].bytes - at < CHUNK ? u->writes[i].bytes - at : CHUNK;
            state_put(x, st, u->writes[i].offset + at, term_fresh(x->t, "unknown", n * 8));
        }
    if (u->mem_write) {
        memory_escape(x, st);
        st->mem = term_fresh_array(x->t, "unknown_mem", x->width, 8);
        if (x->m->nspaces)
            space_havoc(x, st, SPACE_UNKNOWN, term_fresh(x->t, "unknown_space", 64));
    }
    struct exec_event e = {.kind = EVENT_UNKNOWN,
                           .site = u->address,
                           .name = u->text,
                           .arg = read,
                           .nargs = nread,
                           .mem_before = st->mem,
                           .mem_after = st->mem,
                           .frame_after = st->frame};
    state_event(x, st, &e);
}
