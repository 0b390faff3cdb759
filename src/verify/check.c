/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pair of functions being compared: the question, the terms and the solver that all attempts share, and the
 * hooks of both sides' explorers. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

enum { QUERY_MS = 4000 };
enum { FOLLOW_DEPTH = 4, FOLLOW_BLOCKS = 40, ENTER_MOST = 24, RECURSION_MAX = 6 };
enum { NODES_MS = 3, NODES_LEAST = 10000, NODES_MOST = 60000 };

/* ---- explorers ---- */

/* Remembers what of the frame is accessed at a place that is known. */
static void see_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned bytes,
                       bool write, term guard, uint64_t site)
{
    (void)space;
    struct pair_side *s = ctx;
    struct check *c = check_of(s);
    objects_see(c, s, at, address, bytes, guard);
    int64_t off;
    term base;
    uint64_t distance;
    term_split(c->t, address, &base, &distance);
    if (base != TERM_NONE)
        map_set(&c->based[s->new], base, 1);
    if (base != TERM_NONE && write)
        map_set(&c->written[s->new], base, 1);
    if (!explorer_in_frame(s->x, address))
        faults_see(c, s, at, base, distance, guard, site);
    if (pair_sp_offset(&c->pair, address, &off) && off < 0 && !moment_is_saved(at, off, bytes))
        frame_see_access(&c->pair, s, off, bytes, site);
    else if (base != TERM_NONE && base != c->sp && explorer_in_frame(s->x, address))
        frame_see_index(&c->pair, s, base, pair_signed(&c->pair, distance), bytes);
    if (write && pair_sp_offset(&c->pair, address, &off) && off < 0)
        frame_see_store(&c->pair, s, off, bytes);
    if (!write && !moment_depth(at) && pair_sp_offset(&c->pair, address, &off) && off < 0 &&
        !abi_pops(s->abi, site))
        frame_see_load(&c->pair, s, off, bytes);
}

/* What the function reads back was not an argument. */
static bool keeps_word(void *ctx, term address)
{
    struct pair_side *s = ctx;
    struct check *c = check_of(s);
    int64_t off;
    if (!pair_sp_offset(&c->pair, address, &off))
        return false;
    bool read = frame_is_read(&c->pair, s->new, off, c->width / 8);
    if (!read)
        map_set(&c->lent[s->new], (uint64_t)off, 1);
    return read;
}

/* A word was taken for an argument, which a callee may change, before the function was seen to read it. */
bool check_reads_lent(struct check *c)
{
    uint64_t off, one;
    bool read = false;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; (i = map_next(&c->lent[s], i, &off, &one));)
            read = read || frame_is_read(&c->pair, s, (int64_t)off, c->width / 8);
        map_clear(&c->lent[s]);
    }
    return read;
}

static struct exec_call before_call(void *ctx, struct exec_moment *at, const struct exec_callee *callee)
{
    (void)at;
    struct pair_side *s = ctx;
    const struct callees *k = &check_of(s)->callees;
    bool follow = callee->f && callee->name &&
                  strmap_get(k->entered ? &k->small : &k->follow,
                             names_callee(s, callee->name, callee->address), NULL);
    return (struct exec_call){.kind = !follow      ? EXEC_CALL_USUAL
                                      : k->entered ? EXEC_CALL_ENTER
                                                   : EXEC_CALL_FOLLOW};
}

const struct object_function_debug *check_declaration(const struct pair_side *s)
{
    const struct pair_side *old = &s->pair->side[OLD];
    const struct object_function_debug *said = object_debug_function(old->o, old->f->address);
    const struct object_function_debug *own = object_debug_function(s->o, s->f->address);
    return said && own ? own : said;
}

static const struct object_function_debug *explored(void *ctx)
{
    return check_declaration(ctx);
}

void check_explorer(struct check *c, struct pair_side *s, const struct explore_options *opt)
{
    struct explore_options o = *opt;
    s->hooks = (struct explore_hooks){.ctx = s,
                                      .name = names_callee,
                                      .names = pair_names,
                                      .weak = pair_weak,
                                      .access = see_access,
                                      .call = before_call};
    s->callees = (struct exec_callees){.ctx = s,
                                       .explored = explored,
                                       .declared = callee_declared,
                                       .takes = callee_hook_takes,
                                       .arity = callee_arity,
                                       .keeps = keeps_word};
    o.policy = &exec_policy_compare;
    o.hooks = &s->hooks;
    o.callees = &s->callees;
    o.bias = s->bias;
    unsigned again = !c->callees.entered ? 0 : opt->visits < RECURSION_MAX ? opt->visits : RECURSION_MAX;
    o.inline_depth = c->callees.follow.len || c->callees.entered ? FOLLOW_DEPTH + again : 0;
    o.recursion = 1 + again;
    o.private = c->pair.frame.private[s->new];
    o.nprivate = (unsigned)c->pair.frame.nprivate[s->new];
    s->x = explorer_new(s->p, c->t, c->query.solver, &o);
    vec_push(&c->now->explorers, s->x);
    c->now->x[s->new] = s->x;
}

void check_explored(struct pair_side *s)
{
    struct check *c = check_of(s);
    struct explore_stats st = explorer_stats(s->x);
    for (unsigned i = 0; i < 4; i++)
        ledger_count(&c->ledger, LEDGER_AXIOM_FRAME + i, st.axiom_used[i]);
    c->escapes += st.escapes;
    ledger_count(&c->ledger, LEDGER_ABI, st.abi_assumed);
    ledger_count(&c->ledger, LEDGER_LIBRARY, st.library_assumed);
    ledger_count(&c->ledger, LEDGER_NO_THROW, st.throws_ignored);
    ledger_count(&c->ledger, LEDGER_UNDECODED, st.undecoded + st.unknown_effects);
}

void check_see_path(struct check *c, const struct pair_side *s, const struct exec_path *p)
{
    const struct flow_library *all = program_library(s->p);
    frame_see_path(&c->pair, s, p);
    for (unsigned i = 0; i < p->nevents && all && !c->again; i++) {
        const char *name = p->event[i].kind == EVENT_CALL ? p->event[i].name : NULL;
        const struct flow_library_entry *l = name ? flow_library_find(all, name) : NULL;
        c->again = l && l->attrs & LIBRARY_AGAIN ? l->name : NULL;
    }
    stray_note(c, s, p);
}

bool check_are_rejected(struct check *c, const ends *cut, const ends *others)
{
    for (size_t i = 0; i < cut->len; i++)
        for (size_t k = 0; k < others->len; k++) {
            const struct end *o = &others->data[k];
            uint64_t site;
            const bool rejects = o->s->new && !faults_end(o) && !resumes_work(c, &cut->data[i], o, &site);
            const term q[] = {cut->data[i].cond, o->cond,
                              rejects ? term_not(c->t, o->error) : term_true(c->t)};
            if (query_possible(c, q, 3, NULL) != NO)
                return false;
        }
    return true;
}

/* ---- one pair ---- */

static void side_start(struct check *c, int which)
{
    struct pair_side *s = &c->pair.side[which];
    abi_observe(s->abi, frame_is_unread, s);
    c->reached[which] = arena_array(c->arena, uint8_t, s->g->nblocks + 1);
    c->words[which] = words_new(c->t, s->p, s->f);
}

static bool is_there(const struct object *o, uint64_t address)
{
    size_t n;
    return object_bytes(o, address, &n) || object_stub_at(o, address);
}

/* Canonical terms have the old program's addresses, and those of the new one that have no partner. */
static bool canonical_address(void *ctx, term x, struct program **of, uint64_t *address)
{
    const struct check *c = ctx;
    const struct pair_side *old = &c->pair.side[OLD], *new = &c->pair.side[NEW];
    uint64_t v;
    if (!term_const_u64(c->t, x, &v) || term_width(c->t, x) != c->width)
        return false;
    if (old->bias && is_there(old->o, *address = v - old->bias)) {
        *of = old->p;
        return true;
    }
    *of = new->p;
    *address = canonical_unpaired(&c->pair, v);
    return is_there(new->o, *address);
}

/* A query that would take the solver most of the function's time just to read is not asked. */
static size_t query_nodes(unsigned ms)
{
    if (!ms || ms > NODES_MOST / NODES_MS)
        return NODES_MOST;
    return ms < NODES_LEAST / NODES_MS ? NODES_LEAST : (size_t)ms * NODES_MS;
}

void check_start(struct check *c, struct match *m, uint32_t old, uint32_t new,
                 const struct verify_options *opt, struct arena *arena)
{
    struct error err = {0};
    *c = (struct check){.opt = opt, .arena = arena, .query.nodes_max = query_nodes(opt->timeout_ms)};
    c->t = terms_new();
    struct solve_options solve = opt->solve;
    if (!solve.timeout_ms)
        solve.timeout_ms = QUERY_MS;
    c->query.one_ms = solve.timeout_ms;
    if (solve.engine == SOLVE_Z3 && !solve.effort) {
        uint64_t steps = (uint64_t)solve.timeout_ms * SOLVE_STEPS_MS;
        solve.effort = steps < UINT_MAX ? (unsigned)steps : UINT_MAX;
        solve.timeout_ms = (unsigned)budget_guard(solve.timeout_ms);
    }
    c->query.solver = solver_new(c->t, &solve, &err);
    pair_start(&c->pair, m, old, new, c->t,
               (struct pair_may){.move_data = opt->assume & VERIFY_ASSUME_DATA,
                                 .move_frame = opt->assume & VERIFY_ASSUME_FRAME,
                                 .keep_private = opt->assume & VERIFY_ASSUME_PRIVATE});
    c->width = c->pair.width;
    c->sp = c->pair.sp;
    side_start(c, OLD);
    side_start(c, NEW);
    c->mmx = modes_mmx(&c->pair.side[OLD]) || modes_mmx(&c->pair.side[NEW]);
    for (int s = 0; s < 2; s++)
        words_addresses(c->words[s], canonical_address, c, !c->pair.side[OLD].bias);
    c->query.budget = query_budget(c, opt->timeout_ms - opt->timeout_ms / 10);
    c->query.until = query_budget(c, opt->timeout_ms);
    if (c->query.solver)
        solver_until(c->query.solver, c->query.until);
}

void check_end(struct check *c)
{
    for (int s = 0; s < 2; s++) {
        words_free(c->words[s]);
        map_free(&c->lent[s]);
        map_free(&c->strays[s]);
        map_free(&c->based[s]);
        map_free(&c->written[s]);
        vec_free(&c->touched[s]);
        map_free(&c->touched_at[s]);
    }
    map_free(&c->null_tests);
    pair_end(&c->pair);
    map_free(&c->query.no_tables);
    map_free(&c->query.ranges);
    map_free(&c->query.stand_in);
    map_free(&c->query.loose);
    map_free(&c->query.size);
    map_free(&c->shorter);
    strmap_free(&c->meant);
    strmap_free(&c->meant_far);
    strmap_free(&c->callees.key);
    strmap_free(&c->callees.follow);
    strmap_free(&c->callees.small);
    strmap_free(&c->callees.site_index);
    vec_free(&c->callees.sites);
    callers_free(&c->callers);
    objects_free(&c->objects);
    vec_free(&c->exits.invalid);
    vec_free(&c->exits.invalid_by);
    vec_free(&c->exits.maybe);
    map_free(&c->exits.decided);
    vec_free(&c->exits.stores);
    vec_free(&c->exits.calls);
    vec_free(&c->warning);
    ledger_free(&c->ledger);
    solver_free(c->query.solver);
    terms_free(c->t);
}

/* ---- callees that may have been inlined ---- */

/* The callee, by the name both versions use, if it is a function of the program itself; else NULL. */
static const char *own_callee(struct check *c, int s, const struct flow_call *k)
{
    const struct flow_function *f = k->target ? program_function_at(c->pair.side[s].p, k->target) : NULL;
    return f ? names_callee(&c->pair.side[s], f->named || !k->name ? f->name : k->name, k->target) : NULL;
}

/* How often the function's code calls a function of its own program by that name. */
static unsigned calls_of(struct check *c, int s, const char *name)
{
    const struct flow_graph *g = c->pair.side[s].g;
    unsigned n = 0;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const char *callee = own_callee(c, s, &g->call[i]);
        n += callee && strcmp(callee, name) == 0;
    }
    return n;
}

/* Of a callee's own calls only those count after which it is gone: who called it is who is come back to. */
static const char *again_by(const struct pair_side *s, const struct flow_graph *g, bool tails, unsigned depth)
{
    const struct flow_library *all = program_library(s->p);
    const char *by = NULL;
    for (uint32_t i = 0; i < g->ncalls && !by; i++) {
        const struct flow_call *k = &g->call[i];
        if (tails && k->kind != CALL_TAIL && k->kind != CALL_TAIL_INDIRECT)
            continue;
        const struct flow_library_entry *l = k->name && all ? flow_library_find(all, k->name) : NULL;
        const struct flow_function *f = k->target && depth ? program_local_function(s->p, k->target) : NULL;
        by = l && l->attrs & LIBRARY_AGAIN ? l->name
             : f                           ? again_by(s, flow_graph(s->p, f), true, depth - 1)
                                           : NULL;
    }
    return by;
}

const char *check_comes_back(const struct pair_side *s, const struct flow_graph *g)
{
    enum { STUBS = 4 }; /* one behind the other */
    return again_by(s, g, false, STUBS);
}

/* Whose code can be run in place of a call: a function of the file, small, nothing in it unresolved, that is
 * come back to once only; NULL: it is none, or the analyst said what a call of it means. *name: as both
 * versions name it. */
static const struct flow_function *small_callee(struct check *c, int s, const struct flow_call *k,
                                                const char **name)
{
    const struct verify_knowledge *know = c->opt->know;
    const struct pair_side *sd = &c->pair.side[s];
    const struct flow_function *f = k->target ? program_function_at(sd->p, k->target) : NULL;
    if (!f || f->flags & (FLOW_PLT | FLOW_EXTERN) || object_stub_at(sd->o, k->target) ||
        object_is_replaceable(sd->o, f->address))
        return NULL;
    const struct flow_graph *g = flow_graph(sd->p, f);
    *name = own_callee(c, s, k);
    if (know && (names_listed(c, *name, know->error_function, know->nerror_functions) ||
                 names_listed(c, *name, know->pure_function, know->npure_functions)))
        return NULL;
    return g->nblocks && g->nblocks <= FOLLOW_BLOCKS && !g->nproblems && !check_comes_back(sd, g) ? f : NULL;
}

bool check_follow_inlined(struct check *c)
{
    if (c->callees.follow.len || c->callees.entered)
        return false;
    for (int s = 0; s < 2; s++) {
        const struct pair_side *sd = &c->pair.side[s];
        for (uint32_t i = 0; i < sd->g->ncalls; i++) {
            const char *name;
            const struct flow_function *f = small_callee(c, s, &sd->g->call[i], &name);
            if (f && f != sd->f && calls_of(c, s, name) > calls_of(c, !s, name))
                strmap_set(&c->callees.follow, arena_strdup(c->arena, name), 1);
        }
    }
    c->pair.canonical.any = c->callees.follow.len > 0;
    return c->callees.follow.len > 0;
}

/* Those that the function calls, and that these call. */
static void small_from(struct check *c, int s)
{
    const struct pair_side *sd = &c->pair.side[s];
    VEC(const struct flow_function *) way = VEC_INIT;
    vec_push(&way, sd->f);
    for (size_t i = 0; i < way.len; i++) {
        const struct flow_graph *g = flow_graph(sd->p, way.data[i]);
        for (uint32_t k = 0; k < g->ncalls && way.len < ENTER_MOST; k++) {
            const char *name;
            const struct flow_function *f = small_callee(c, s, &g->call[k], &name);
            bool known = !f;
            for (size_t n = 1; n < way.len && !known; n++)
                known = way.data[n] == f;
            if (known)
                continue;
            vec_push(&way, f);
            strmap_set(&c->callees.small, arena_strdup(c->arena, name), 1);
        }
    }
    vec_free(&way);
}

static void find_small(struct check *c)
{
    if (!c->callees.small_known && c->pair.side[OLD].g && c->pair.side[NEW].g) {
        small_from(c, OLD);
        small_from(c, NEW);
    }
    c->callees.small_known = true;
}

bool check_is_small(struct check *c, int s, const struct flow_call *k)
{
    find_small(c);
    const char *name = own_callee(c, s, k);
    return name && strmap_get(&c->callees.small, name, NULL);
}

bool check_calls_small(struct check *c, const struct exec_event *e)
{
    find_small(c);
    return e->kind == EVENT_CALL && e->name && strmap_get(&c->callees.small, e->name, NULL);
}

bool check_enter_callees(struct check *c)
{
    if (c->callees.entered || !c->callees.small.len)
        return false;
    c->callees.entered = c->pair.canonical.any = true;
    return true;
}
