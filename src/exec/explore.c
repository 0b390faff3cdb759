/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worklist: which state runs next, what becomes of one that ends. */
#include "exec/explore.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"
#include "exec/start.h"

static const char *const end_name[] = {
    [PATH_RETURN] = "returns",
    [PATH_NORETURN] = "does not return",
    [PATH_TAIL_CALL] = "tail call",
    [PATH_TRAP] = "traps",
    [PATH_LOOP_BOUND] = "loop bound",
    [PATH_DEPTH] = "depth limit",
    [PATH_UNRESOLVED] = "unresolved jump",
    [PATH_UNKNOWN_CODE] = "unknown code",
    [PATH_CUT] = "cut",
    [PATH_FAULT] = "faults",
    [PATH_THROW] = "throws",
};

const char *path_end_name(enum path_end end)
{
    return end_name[end];
}

const char *axiom_name(unsigned i)
{
    static const char *const name[] = {"frame", "heap", "literal", "return"};
    assert(i < sizeof name / sizeof *name);
    return name[i];
}

/* ---- policies ---- */

const struct exec_policy exec_policy_look = {
    .arguments = EXEC_ARGUMENTS_SET, .callee_code = true, .escapes = true, .inlines = true};
const struct exec_policy exec_policy_prove = {
    .arguments = EXEC_ARGUMENTS_POSSIBLE, .proof = true, .callee_code = true, .escapes = true};
const struct exec_policy exec_policy_replace = {.arguments = EXEC_ARGUMENTS_POSSIBLE,
                                                .proof = true,
                                                .callee_code = true,
                                                .prototypes = true,
                                                .escapes = true};
const struct exec_policy exec_policy_compare = {
    .arguments = EXEC_ARGUMENTS_LISTED, .proof = true, .callee_code = true, .escapes = true};
const struct exec_policy exec_policy_sample = {.arguments = EXEC_ARGUMENTS_SET, .induction = true};

bool exec_policy_fits(const struct exec_policy *p, const struct explore_options *o)
{
    if (p->proof && (p->arguments == EXEC_ARGUMENTS_SET || !p->callee_code || !p->escapes || p->induction))
        return false;
    return !p->induction || !o->merge;
}

/* ---- explorers ---- */

enum { VISITS_MAX = 60000 }; /* what a count of a state holds, with room for one more */

static struct explorer *make(struct program *p, const struct ir_machine *m, struct ir_pures pures,
                             struct terms *t, struct solver *s, const struct explore_options *opt)
{
    struct explorer *x = xcalloc(1, sizeof *x);
    x->m = m;
    x->pures = pures;
    x->t = t;
    x->s = s;
    if (opt)
        x->opt = *opt;
    else
        x->opt.axioms = AXIOM_ALL;
    if (!x->opt.policy)
        x->opt.policy = &exec_policy_look;
    assert(exec_policy_fits(x->opt.policy, &x->opt));
    if (x->opt.visits == 0)
        x->opt.visits = 2;
    if (x->opt.visits > VISITS_MAX)
        x->opt.visits = VISITS_MAX;
    if (x->opt.max_depth == 0)
        x->opt.max_depth = x->opt.free_concrete ? 10000000 : 10000;
    if (x->opt.max_paths == 0)
        x->opt.max_paths = 100000;
    x->source = &code_source_machine;
    x->root_machine = m;
    x->file = mapped_add(x, p, x->opt.bias);
    start_tables(x);
    x->home = code_registers(x);
    return x;
}

struct explorer *explorer_new(struct program *p, struct terms *t, struct solver *s,
                              const struct explore_options *opt)
{
    struct explorer *x = make(p, program_machine(p), lift_pures(), t, s, opt);
    return x;
}

struct explorer *explorer_new_bare(const struct ir_machine *m, struct ir_pures pures, struct terms *t,
                                   struct solver *s, const struct explore_options *opt)
{
    return make(NULL, m, pures, t, s, opt);
}

void explorer_free(struct explorer *x)
{
    if (!x)
        return;
    terms_drop_distinct(x->t, x);
    while (x->pool) {
        struct state *st = x->pool;
        x->pool = st->next;
        free(st->visits);
        free(st->space);
        free(st);
    }
    for (size_t i = 0; i < x->all_graphs.len; i++)
        graph_free(x->all_graphs.data[i]);
    vec_free(&x->all_graphs);
    vec_free(&x->assume);
    if (x->code && x->code->free)
        x->code->free(x->code->ctx);
    map_free(&x->files);
    vec_free(&x->globals);
    map_free(&x->imports);
    flow_library_free(x->library);
    map_free(&x->graphs);
    for (size_t i = 0; i < x->mapped.len; i++)
        mapped_free(x->mapped.data[i]);
    vec_free(&x->mapped);
    map_free(&x->origin);
    map_free(&x->framed);
    map_free(&x->heap_in);
    map_free(&x->heap_base);
    map_free(&x->space_made);
    map_free(&x->space_read);
    map_free(&x->space_cell);
    map_free(&x->choices);
    map_free(&x->known_spaces);
    map_free(&x->facts);
    map_free(&x->around);
    map_free(&x->longer);
    map_free(&x->repeated);
    map_free(&x->cut);
    arena_free(&x->arena);
    free(x);
}

struct explore_stats explorer_stats(const struct explorer *x)
{
    return x->stats;
}

size_t explorer_assumptions(const struct explorer *x, const term **out)
{
    *out = x->assume.data;
    return x->assume.len;
}

struct explore_symbols explorer_symbols(const struct explorer *x)
{
    return (struct explore_symbols){x->sp, x->mem, x->ret, x->frame, x->frame_top};
}

term exec_path_register(struct explorer *x, const struct exec_path *path, unsigned offset, unsigned width)
{
    assert(path->regs);
    struct state *st = state_new(x);
    memcpy(st->reg, path->regs, x->nslots * sizeof(term));
    term v = state_get(x, st, offset, width);
    state_free(x, st);
    return v;
}

term exec_path_memory(struct explorer *x, const struct exec_path *path)
{
    return memory_whole(x, path->memory, path->frame, path->escaped, path->saved);
}

term explorer_entry(struct explorer *x, unsigned offset, unsigned width)
{
    struct state *st = state_new(x);
    memcpy(st->reg, x->entry, x->nslots * sizeof(term));
    term v = state_get(x, st, offset, width);
    state_free(x, st);
    return v;
}

term explorer_load(struct explorer *x, term address, unsigned width)
{
    struct state *st = state_new(x);
    static const struct saved_set none = {0};
    memcpy(st->reg, x->entry, x->nslots * sizeof(term));
    st->mem = st->frame = x->mem;
    st->saved = &none;
    term v = memory_load(x, st, 0, address, width);
    state_free(x, st);
    return v;
}

/* ---- moments ---- */

term moment_world(const struct exec_moment *m)
{
    return m->st->world;
}

term moment_condition(const struct exec_moment *m)
{
    return state_condition(m->x, m->st);
}

void moment_literals(const struct exec_moment *m, void (*see)(void *ctx, term literal), void *ctx)
{
    for (const struct pc_node *n = m->st->pc; n; n = n->prev)
        see(ctx, n->literal);
}

term moment_register(const struct exec_moment *m, unsigned offset, unsigned width)
{
    return state_get(m->x, m->st, offset, width);
}

term moment_memory(const struct exec_moment *m)
{
    return memory_whole(m->x, m->st->mem, m->st->frame, m->st->flat, m->st->saved);
}

term moment_load(const struct exec_moment *m, term address, unsigned width)
{
    return memory_load(m->x, m->st, 0, address, width);
}

int64_t event_room(const struct exec_event *e, int64_t offset)
{
    for (unsigned i = 0; e->saved && i < e->saved->n; i++)
        if (e->saved->offset[i] > offset)
            return e->saved->offset[i] < 0 ? e->saved->offset[i] - offset : -offset;
    return -offset;
}

bool moment_is_saved(const struct exec_moment *m, int64_t offset, unsigned bytes)
{
    return memory_is_saved(m->x, m->st->saved, offset, bytes);
}

void moment_assume(struct exec_moment *m, term literal)
{
    state_assume(m->x, m->st, literal);
}

void moment_set(struct exec_moment *m, unsigned offset, term value)
{
    state_put(m->x, m->st, offset, value);
}

void moment_store(struct exec_moment *m, term address, term value)
{
    memory_store(m->x, m->st, 0, address, value, TERM_NONE, 0);
}

void moment_forget_memory(struct exec_moment *m)
{
    memory_escape(m->x, m->st);
    m->st->mem = term_fresh_array(m->x->t, "any_mem", m->x->width, 8);
    if (m->x->m->nspaces)
        space_havoc(m->x, m->st, SPACE_UNKNOWN, term_fresh(m->x->t, "any_space", 64));
}

unsigned moment_file(const struct exec_moment *m)
{
    return m->x->file->index;
}

uint64_t moment_site(const struct exec_moment *m)
{
    return m->site;
}

bool moment_sum(const struct exec_moment *m, term *base, term *index, uint64_t *offset)
{
    *base = m->base;
    *index = m->index;
    *offset = m->offset;
    return m->index != TERM_NONE && (m->base != TERM_NONE || m->offset);
}

unsigned moment_depth(const struct exec_moment *m)
{
    return m->depth;
}

/* ---- feasibility ---- */

void explore_count(struct explorer *x, double ways)
{
    enum {
        APART = 128
    }; /* what running a block takes at most where its terms are small, as those of one path are */
    uint64_t work = *terms_work(x->t), run = work - x->counted;
    x->stats.run += x->ways > 0 ? run : 0;
    x->stats.apart += (double)(run < APART ? run : APART) * x->ways;
    x->counted = work;
    x->ways = ways;
}

/* What merging costs is what is not spent on running blocks: on merging, and on questions about what was
 * merged. What it saves is how much more often they would have been run. So much of the work may still be
 * spent on it. */
static uint64_t merging_left(const struct explorer *x)
{
    const double cost = (double)(*x->budget.done - x->budget.begun - x->stats.run);
    const double saved = x->stats.apart / EXEC_PAYS, most = (double)x->opt.work * x->opt.pays;
    double may = saved < most ? saved : most;
    may = may < (double)x->opt.work ? (double)x->opt.work : may;
    return cost < may ? (uint64_t)(may - cost) : 0;
}

/* What became unknown by merging is known of one path at a time, mostly. */
static bool is_late(const struct explorer *x)
{
    if (!x->opt.pays)
        return budget_over(&x->budget);
    return deadline_over(&x->budget.guard) || !merging_left(x) ||
           (x->stats.unknown_effects && x->stats.merges);
}

/* Checked before everything that may take long: the time limit must end the exploration with what it found,
 * not kill it. */
static bool stop_when_late(struct explorer *x)
{
    if (!x->stop && is_late(x))
        x->stop = x->late = true;
    return x->stop;
}

/* Z3 checks no limit while it reads a question, and a path of unknown feasibility is kept anyway. */
static bool is_too_large(const struct explorer *x, const term *q, size_t n)
{
    enum { NODES_MAX = 10000 };
    size_t nodes = 0;
    for (size_t i = 0; i < n && nodes <= NODES_MAX; i++)
        nodes += term_size(x->t, q[i]);
    return nodes > NODES_MAX;
}

static enum solve_answer ask(struct explorer *x, const struct state *st, term extra, bool brief)
{
    if (stop_when_late(x))
        return SOLVE_UNKNOWN;
    VEC(term) q = VEC_INIT;
    for (const struct pc_node *n = st->pc; n; n = n->prev)
        vec_push(&q, n->literal);
    for (size_t i = 0; i < x->assume.len; i++)
        vec_push(&q, x->assume.data[i]);
    size_t known = q.len;
    vec_push(&q, extra);
    const struct explore_hooks *h = x->opt.hooks;
    enum solve_answer before;
    if (h && h->known && h->known(h->ctx, q.data, q.len, x->assume.len, &before)) {
        vec_free(&q);
        return before;
    }
    double ways = x->ways;
    explore_count(x, 0);
    if (x->opt.pays) {
        uint64_t left = merging_left(x);
        solver_until(x->s, budget_of(terms_work(x->t), left ? left : 1, 0));
    }
    enum solve_answer a = is_too_large(x, q.data, q.len) ? SOLVE_UNKNOWN
                          : brief                        ? solve_try(x->s, q.data, q.len, NULL)
                          : x->opt.feasible              ? solve_extends(x->s, q.data, known, extra)
                                                         : solve_check(x->s, q.data, q.len, NULL);
    explore_count(x, ways);
    x->stats.solver_unknown += a == SOLVE_UNKNOWN;
    if (h && h->learnt)
        h->learnt(h->ctx, q.data, q.len, x->assume.len, a, brief);
    vec_free(&q);
    return a;
}

enum branch explore_branch(struct activation *a, struct state *st, term cond, uint32_t to)
{
    struct explorer *x = a->x;
    const struct explore_hooks *h = x->opt.hooks;
    if (term_is_true(x->t, cond))
        return BRANCH_TAKEN;
    if (term_is_false(x->t, cond))
        return BRANCH_NOT;
    if (state_has_literal(st, cond))
        return BRANCH_TAKEN;
    term no = term_not(x->t, cond);
    if (state_has_literal(st, no))
        return BRANCH_NOT;
    if (h && h->choose) {
        struct exec_moment at = {x, st, a->depth};
        enum exec_choice way = h->choose(h->ctx, &at, a->f, cond, st->block, to);
        if (way == EXEC_CHOICE_FORK)
            return BRANCH_BOTH;
        if (way != EXEC_CHOICE_BOTH) {
            state_assume(x, st, way == EXEC_CHOICE_HOLDS ? cond : no);
            return way == EXEC_CHOICE_HOLDS ? BRANCH_TAKEN : BRANCH_NOT;
        }
    }
    if (x->opt.prune && x->s) {
        if (ask(x, st, cond, false) == SOLVE_UNSAT) {
            x->stats.infeasible++;
            return BRANCH_NOT;
        }
        if (ask(x, st, no, false) == SOLVE_UNSAT) {
            x->stats.infeasible++;
            return BRANCH_TAKEN;
        }
    }
    return BRANCH_BOTH;
}

/* What the condition compares with constants: of x != 0 && x != 1 && ... it is x. TERM_NONE: nothing of the kind. */
static term compared(const struct terms *t, term cond)
{
    for (unsigned fuel = 4096; fuel; fuel--) {
        unsigned kind = term_kind(t, cond);
        if (kind == OP_EQ) {
            term x = term_is_const(t, term_kid(t, cond, 1)) ? term_kid(t, cond, 0) : term_kid(t, cond, 1);
            return term_kind(t, x) == OP_EXTRACT ? term_kid(t, x, 0) : x;
        }
        if (kind != OP_NOT && kind != OP_AND)
            break;
        cond = term_kid(t, cond, 0);
    }
    return TERM_NONE;
}

/* The index of a jump is compared with the size of its table just before. That decides whatever the index is made
 * of, which may be hard to reason about. */
static bool never_by_guard(struct explorer *x, const struct state *st, term cond)
{
    enum { LOOK_BACK = 8 };
    term index = compared(x->t, cond);
    if (index == TERM_NONE || term_is_array(x->t, index) || term_is_const(x->t, index))
        return false;
    unsigned width = term_width(x->t, index);
    term any = origin_symbol(
        x->t, (struct term_origin){.kind = ORIGIN_STAND_IN, .name = "index of a jump", .index = width},
        width);
    VEC(term) q = VEC_INIT;
    unsigned n = 0;
    for (const struct pc_node *p = st->pc; p && n < LOOK_BACK; p = p->prev, n++) {
        term guard = term_substitute(x->t, p->literal, &index, &any, 1), symbol[2];
        if (term_symbols(x->t, guard, symbol, 2) == 1 && symbol[0] == any)
            vec_push(&q, guard);
    }
    bool guarded = q.len > 0;
    vec_push(&q, term_substitute(x->t, cond, &index, &any, 1));
    bool never = guarded && solve_check(x->s, q.data, q.len, NULL) == SOLVE_UNSAT;
    vec_free(&q);
    return never;
}

bool explore_holds_never(struct explorer *x, struct state *st, term cond, bool brief)
{
    if (term_is_false(x->t, cond) || state_has_literal(st, term_not(x->t, cond)))
        return true;
    if (x->s && !stop_when_late(x) && never_by_guard(x, st, cond))
        return true;
    /* one path alone is not worth much */
    brief = brief || (x->opt.hooks && x->opt.hooks->few);
    return x->s && ask(x, st, cond, brief) == SOLVE_UNSAT;
}

/* ---- paths found ---- */

static const uint32_t *flatten_trace(struct explorer *x, const struct state *st, unsigned *count)
{
    if (!st->merged) {
        uint32_t n = st->trace ? st->trace->depth : 0;
        uint32_t *out = arena_alloc(&x->arena, (n + 1) * sizeof *out);
        *count = n;
        for (const struct trace_node *t = st->trace; t; t = t->prev)
            out[--n] = t->block;
        return out;
    }
    struct map node = {0}, block = {0};
    VEC(const struct trace_node *) todo = VEC_INIT;
    VEC(uint32_t) found = VEC_INIT;
    if (st->trace)
        vec_push(&todo, st->trace);
    while (todo.len) {
        const struct trace_node *t = vec_pop(&todo);
        if (!map_set(&node, (uint64_t)(uintptr_t)t, 1))
            continue;
        if (t->block != UINT32_MAX && map_set(&block, t->block, 1))
            vec_push(&found, t->block);
        if (t->prev)
            vec_push(&todo, t->prev);
        if (t->other)
            vec_push(&todo, t->other);
    }
    for (size_t i = 1; i < found.len; i++)
        for (size_t k = i; k > 0 && found.data[k - 1] > found.data[k]; k--) {
            uint32_t swap = found.data[k];
            found.data[k] = found.data[k - 1];
            found.data[k - 1] = swap;
        }
    uint32_t *out = arena_dup(&x->arena, found.data, found.len * sizeof *out);
    *count = (unsigned)found.len;
    map_free(&node);
    map_free(&block);
    vec_free(&todo);
    vec_free(&found);
    return out;
}

static term result_of(struct explorer *x, struct state *st)
{
    const struct ir_machine *m = x->m;
    if (x->result_void)
        return TERM_NONE;
    if (m->locals && m->ret != UINT16_MAX)
        return term_extract(x->t, state_get(x, st, m->ret, (m->ret_width + 7) / 8 * 8), 0, m->ret_width);
    if (x->prototype.returns_float && m->fret != UINT16_MAX)
        return state_get(x, st, m->fret, x->result_width ? x->result_width : 64);
    if (m->ret == UINT16_MAX)
        return TERM_NONE;
    term r = state_get(x, st, m->ret, x->width);
    if (x->result_width > x->width && m->ret2 != UINT16_MAX)
        return term_concat(x->t, state_get(x, st, m->ret2, x->width), r);
    if (x->result_width && x->result_width < x->width)
        return term_extract(x->t, r, 0, x->result_width);
    return r;
}

static term both(struct explorer *x, term a, term b)
{
    return a == TERM_NONE ? b : b == TERM_NONE ? a : term_and(x->t, b, a);
}

/* The path that a state has taken, in the explorer's arena. */
static const struct exec_path *path_of(struct explorer *x, struct state *st, enum path_end end,
                                       uint64_t address)
{
    struct exec_path p = {
        .end = end,
        .end_address = address,
        .condition = state_condition(x, st),
        .memory = st->mem,
        .world = st->world,
        .frame = st->frame,
        .spaces = space_snapshot(x, st),
        .end_file = x->file->index,
        .thrown = end == PATH_THROW ? st->thrown : TERM_NONE,
        .fault = end == PATH_FAULT ? st->fault : NULL,
        .trap = st->trap,
        .escaped = st->flat,
        .saved = st->saved,
        .merged = st->merged,
        .length = st->length,
        .returns_to = end == PATH_RETURN || end == PATH_TAIL_CALL ? st->returns_to : TERM_NONE,
    };
    if (end == PATH_CUT)
        p.point = segment_point(x, st);
    if (end == PATH_RETURN || end == PATH_TAIL_CALL)
        p.result = result_of(x, st);
    if (x->opt.keep_regs && x->entry == x->home.entry) {
        for (unsigned i = 0; i < x->nslots; i++)
            state_slot(x, st, i);
        p.regs = arena_dup(&x->arena, st->reg, x->nslots * sizeof(term));
        p.nregs = x->nslots;
    }
    uint32_t n = p.nliterals = st->pc ? st->pc->depth : 0;
    term *literal = arena_alloc(&x->arena, (n + 1) * sizeof *literal);
    uint32_t *block = arena_alloc(&x->arena, (n + 1) * sizeof *block),
             *after = arena_alloc(&x->arena, (n + 1) * sizeof *after);
    for (const struct pc_node *c = st->pc; c; c = c->prev) {
        literal[--n] = c->literal;
        block[n] = c->block;
        after[n] = c->after;
    }
    p.literal = literal;
    p.literal_block = block;
    p.literal_after = after;
    size_t count;
    struct occurrence *o = state_history(x, st, st->events, &count);
    struct exec_event *event = arena_alloc(&x->arena, (count + 1) * sizeof *event);
    for (size_t i = 0; i < count; i++) {
        event[i] = ((const struct event_node *)o[i].h)->e;
        event[i].guard = both(x, event[i].guard, o[i].guard);
        event[i].decided = o[i].h->pc ? o[i].h->pc->depth : 0;
    }
    free(o);
    p.event = event;
    p.nevents = (unsigned)count;
    o = state_history(x, st, st->writes, &count);
    struct exec_write *write = arena_alloc(&x->arena, (count + 1) * sizeof *write);
    for (size_t i = 0; i < count; i++) {
        write[i] = ((const struct write_node *)o[i].h)->w;
        write[i].guard = both(x, write[i].guard, o[i].guard);
        write[i].decided = o[i].h->pc ? o[i].h->pc->depth : 0;
    }
    free(o);
    p.write = write;
    p.nwrites = (unsigned)count;
    p.block = flatten_trace(x, st, &p.nblocks);
    return arena_dup(&x->arena, &p, sizeof p);
}

const struct exec_path *moment_path(const struct exec_moment *m)
{
    return path_of(m->x, m->st, PATH_DEPTH, 0);
}

static void emit(struct explorer *x, struct state *st, enum path_end end, uint64_t address)
{
    const struct exec_path *kept = path_of(x, st, end, address);
    struct registers callee = code_registers(x);
    struct mapped *file = x->file;
    x->stats.paths++;
    code_use(x, &x->home); /* those that a path is asked about */
    x->file = x->mapped.data[0];
    if (!x->fn(x->fn_ctx, kept) || x->stats.paths >= x->opt.max_paths) {
        x->stop = true;
        x->late = false;
    }
    code_use(x, &callee);
    x->file = file;
    state_free(x, st);
}

void activation_finish(struct activation *a, struct state *st, enum path_end end, uint64_t address)
{
    struct explorer *x = a->x;
    if (x->stop) {
        x->stats.dropped++;
        state_free(x, st);
        return;
    }
    for (struct pc_node *p = end == PATH_THROW ? st->pc : NULL; p && !p->thrown; p = p->prev)
        p->thrown = true;
    if (a->depth > 0 && (end == PATH_RETURN || end == PATH_TAIL_CALL)) {
        if (end == PATH_TAIL_CALL && x->m->call_pushes) {
            term sp = state_get(x, st, x->m->sp, x->width);
            state_put(x, st, x->m->sp, term_add_const(x->t, sp, x->m->call_pushes));
        }
        st->end_address = address;
        vec_push(&a->returns, st);
        return;
    }
    if (a->depth > 0 && end == PATH_THROW) {
        vec_push(&a->throws, st);
        return;
    }
    if (end == PATH_LOOP_BOUND)
        x->stats.loop_bound_hits++;
    if (end == PATH_RETURN && x->opt.merge && x->opt.merge_returns) {
        st->block = UINT32_MAX;
        a->return_address = st->end_address = address;
        vec_push(&a->returns, st);
        return;
    }
    emit(x, st, end, address);
}

/* ---- the worklist ---- */

static void heap_up(struct activation *a)
{
    struct state **h = a->work.data;
    for (size_t i = a->work.len - 1; i > 0 && merge_before(a, h[i], h[(i - 1) / 2]); i = (i - 1) / 2) {
        struct state *swap = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = swap;
    }
}

static struct state *heap_pop(struct activation *a)
{
    struct state **h = a->work.data, *top = h[0];
    h[0] = vec_pop(&a->work);
    for (size_t i = 0, n = a->work.len;;) {
        size_t least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
            if (merge_before(a, h[k], h[least]))
                least = k;
        if (least == i)
            return top;
        struct state *swap = h[i];
        h[i] = h[least];
        h[least] = swap;
        i = least;
    }
}

static bool is_bound(const struct activation *a, const struct state *st, uint32_t slot)
{
    const struct explorer *x = a->x;
    if (!x->opt.free_concrete)
        return st->visits[slot] >= x->opt.visits;
    return (st->decided || x->opt.symbolic_iterations) && st->visits[a->g->nvisits + slot] >= x->opt.visits;
}

static void count_visit(const struct activation *a, struct state *st, uint32_t slot)
{
    if (st->visits[slot] < UINT16_MAX)
        st->visits[slot]++;
    if (a->x->opt.free_concrete && !a->x->opt.symbolic_iterations && st->decided)
        st->visits[a->g->nvisits + slot]++;
}

enum { PENDING_MAX = 10000 }; /* states waiting beyond the number of paths wanted */

void activation_push(struct activation *a, struct state *st, uint32_t block)
{
    struct explorer *x = a->x;
    uint32_t slot = a->g->visit_slot[block];
    if (x->stop) {
        x->stats.dropped++;
        state_free(x, st);
        return;
    }
    if (x->opt.policy->induction && a->depth == 0 && st->steps && loop_first_exit(a, st, block)) {
        state_free(x, st);
        return;
    }
    if (a->stop && a->stop[block] &&
        (a->stop[block] == 1 || slot == UINT32_MAX || st->visits[slot] >= a->stop[block])) {
        st->block = block;
        vec_push(&a->stopped, st);
        return;
    }
    /* a loop that is come to from outside begins anew */
    if (x->opt.symbolic_iterations && slot != UINT32_MAX && a->g->head[block] && st->steps &&
        !graph_in_loop(a->g, st->block, a->g->loop[block]))
        st->visits[a->g->nvisits + slot] = 0;
    if (slot != UINT32_MAX && is_bound(a, st, slot)) {
        activation_finish(a, st, PATH_LOOP_BOUND, a->g->g->block[block].label);
        return;
    }
    if (st->steps >= x->opt.max_depth) {
        activation_finish(a, st, PATH_DEPTH, a->g->g->block[block].label);
        return;
    }
    if (a->work.len >= x->opt.max_paths + PENDING_MAX) {
        x->stop = true;
        x->stats.dropped++;
        state_free(x, st);
        return;
    }
    if (slot != UINT32_MAX)
        count_visit(a, st, slot);
    st->decided = false;
    if (x->opt.policy->induction && a->depth == 0 && a->g->head[block])
        loop_arrive(a, st, block);
    st->block = block;
    vec_push(&a->work, st);
    if (x->opt.merge)
        heap_up(a);
}

enum { APART_MAX = 4 };

void activation_run(struct activation *a)
{
    struct explorer *x = a->x;
    VEC(struct state *) group = VEC_INIT;
    while (a->work.len && !stop_when_late(x)) {
        if (!x->opt.merge) {
            step_block(a, vec_pop(&a->work));
            continue;
        }
        vec_clear(&group);
        vec_push(&group, heap_pop(a));
        while (a->work.len && merge_same_point(a, group.data[0], a->work.data[0]))
            vec_push(&group, heap_pop(a));
        explore_count(x, 0);
        if (group.len > 1)
            group.len = merge_group(a, group.data, group.len, false);
        /* The cost heuristic may keep a few states apart, but must not make their number explode. */
        if (group.len > APART_MAX)
            group.len = merge_group(a, group.data, group.len, true);
        for (size_t i = 0; i < group.len; i++) {
            step_block(a, group.data[i]);
            stop_when_late(x);
        }
    }
    vec_free(&group);
    while (a->work.len) {
        x->stats.dropped++;
        state_free(x, vec_pop(&a->work));
    }
}

/* States that wait before blocks of the set, one for each block if they can be merged. */
static void emit_stopped(struct activation *a)
{
    struct explorer *x = a->x;
    struct state **st = a->stopped.data;
    for (size_t i = 0, n; i < a->stopped.len; i += n) {
        /* those of one block together, in the order they came */
        n = 1;
        for (size_t k = i + 1; k < a->stopped.len; k++) {
            if (st[k]->block != st[i]->block)
                continue;
            struct state *same = st[k];
            memmove(&st[i + n + 1], &st[i + n], (k - i - n) * sizeof *st);
            st[i + n++] = same;
        }
        size_t left = x->stop ? n : merge_group(a, &st[i], n, true);
        for (size_t k = 0; k < left; k++) {
            if (x->stop) {
                x->stats.dropped++;
                state_free(x, st[i + k]);
            } else {
                emit(x, st[i + k], PATH_CUT, a->g->g->block[st[i + k]->block].label);
            }
        }
    }
}

static struct state *first_state(struct explorer *x, const struct activation *a, const struct exec_start *s)
{
    struct state *st = start_state(x, a->f);
    if (s->point)
        segment_restore(x, st, s->point);
    else
        start_apply(x, st, s);
    state_visits(x, st, a->g);
    return st;
}

bool explore_start(struct explorer *x, const struct exec_start *s, explore_fn *fn, void *ctx,
                   struct error *err)
{
    const struct flow_function *f = s->f;
    const struct flow_graph *g = f ? flow_graph(x->file->p, f) : s->g;
    if (g->nblocks == 0)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no code to explore", f ? f->name : "graph");
    if (!f || x->errno_of != f) {
        x->errno_known = false;
        map_clear(&x->heap_in);
    }
    x->errno_of = f;
    /* where it knows nothing, what is remembered of terms is good for the next one, too */
    const bool knows = x->opt.axioms & (AXIOM_OBJECT | AXIOM_HEAP | AXIOM_FRAME);
    terms_set_distinct(x->t, knows ? (struct term_distinct){memory_distinct, x} : (struct term_distinct){0});
    x->fn = fn;
    x->fn_ctx = ctx;
    x->stop = x->late = false;
    x->budget = budget_of(terms_work(x->t), x->opt.work, x->opt.timeout_ms);
    x->counted = *terms_work(x->t);
    x->ways = 0;
    struct activation a = {.x = x, .g = graph_prepare(x, g), .f = f, .last = true};
    activation_push(&a, first_state(x, &a, s), s->point ? s->point->block : 0);
    a.stop = s->stop;
    activation_run(&a);
    if (!x->stop && !s->point && loop_lost(x)) {
        x->whole_iterations = true;
        activation_push(&a, first_state(x, &a, s), 0);
        activation_run(&a);
    }
    emit_stopped(&a);
    a.returning = true;
    if (!x->stop)
        a.returns.len = merge_group(&a, a.returns.data, a.returns.len, true);
    /* Those that had returned when time was up are paths like any other, though not merged. */
    for (size_t i = 0; i < a.returns.len; i++) {
        if (x->stop && !x->late) {
            x->stats.dropped++;
            state_free(x, a.returns.data[i]);
        } else {
            emit(x, a.returns.data[i], PATH_RETURN,
                 x->late ? a.returns.data[i]->end_address : a.return_address);
        }
    }
    free(a.val);
    vec_free(&a.work);
    vec_free(&a.returns);
    vec_free(&a.stopped);
    return true;
}

bool explore_function(struct explorer *x, const struct flow_function *f, explore_fn *fn, void *ctx,
                      struct error *err)
{
    return explore_start(x, &(struct exec_start){.f = f}, fn, ctx, err);
}

bool explore_graph(struct explorer *x, const struct flow_graph *g, explore_fn *fn, void *ctx,
                   struct error *err)
{
    return explore_start(x, &(struct exec_start){.g = g}, fn, ctx, err);
}
