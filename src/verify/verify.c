/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/verify.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"
#include "verify/strategy.h"

const char *verify_verdict_name(enum verify_verdict v)
{
    static const char *const name[] = {"safe", "unsafe", "unknown"};
    return name[v];
}

const char *verify_question_name(enum verify_question q)
{
    static const char *const name[] = {"", "Q1", "Q2", "Q3", "Q4", "Q5"};
    return name[q];
}

const char *verify_properties_text(unsigned set, char *out, size_t cap)
{
    size_t n = 0;
    *out = 0;
    for (unsigned i = 0; 1u << i <= VERIFY_PROPERTIES_ALL; i++)
        if (set >> i & 1 && n < cap)
            n += (size_t)snprintf(out + n, cap - n, "%sP%u", n ? "," : "", i + 1);
    return out;
}

enum { QUERY_MS = 4000, FOLLOW_DEPTH = 4, FOLLOW_BLOCKS = 40 };
enum { NODES_MS = 3, NODES_LEAST = 10000, NODES_MOST = 60000 };

/* ---- explorers ---- */

/* Remembers what of the frame is accessed at a place that is known. */
static void see_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned bytes,
                       bool write, term guard, uint64_t site)
{
    (void)space, (void)guard;
    struct side *s = ctx;
    struct check *c = s->c;
    int64_t off;
    term base;
    uint64_t distance;
    term_split(c->t, address, &base, &distance);
    if (base != TERM_NONE)
        map_set(&s->based, base, 1);
    if (is_sp_offset(c, address, &off) && off < 0 && !moment_is_saved(at, off, bytes))
        frame_seen(c, s, off, bytes, site);
    else if (base != TERM_NONE && base != c->sp && explorer_in_frame(s->x, address))
        frame_indexed(c, s, base, frame_signed(c, distance), bytes, site);
    if (!write && !moment_depth(at) && is_sp_offset(c, address, &off) && off < 0 && !abi_pops(s->abi, site))
        for (unsigned i = 0; i < bytes; i++)
            map_set(&c->loaded[s->new], (uint64_t)off + i, 1);
}

/* What the function reads back it has not given away. */
static bool keeps_word(void *ctx, term address)
{
    struct side *s = ctx;
    struct check *c = s->c;
    int64_t off;
    if (!is_sp_offset(c, address, &off))
        return false;
    bool read = frame_is_read(c, s->new, off, c->width / 8);
    if (!read)
        map_set(&c->lent[s->new], (uint64_t)off, 1);
    return read;
}

/* A word was taken for an argument, which a callee may change, before the function was seen to read it. */
static bool reads_lent(struct check *c)
{
    uint64_t off, one;
    bool read = false;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; (i = map_next(&c->lent[s], i, &off, &one));)
            read = read || frame_is_read(c, s, (int64_t)off, c->width / 8);
        map_clear(&c->lent[s]);
    }
    return read;
}

static struct exec_call before_call(void *ctx, struct exec_moment *at, const struct exec_callee *callee)
{
    (void)at;
    struct side *s = ctx;
    bool follow = callee->f && callee->name &&
                  strmap_get(&s->c->follow, norm_callee(s, callee->name, callee->address), NULL);
    return (struct exec_call){.kind = follow ? EXEC_CALL_FOLLOW : EXEC_CALL_USUAL};
}

void side_explorer(struct check *c, struct side *s, const struct explore_options *opt)
{
    struct explore_options o = *opt;
    s->hooks = (struct explore_hooks){.ctx = s,
                                      .name = norm_callee,
                                      .declared = callee_declared,
                                      .told = callee_told,
                                      .arity = callee_arity,
                                      .access = see_access,
                                      .keeps = keeps_word,
                                      .call = before_call};
    o.hooks = &s->hooks;
    o.bias = s->bias;
    o.inline_depth = s->c->follow.len ? FOLLOW_DEPTH : 0;
    o.recursion = 1;
    o.private = s->private.data;
    o.nprivate = (unsigned)s->private.len;
    s->x = explorer_new(s->p, c->t, c->solver, &o);
    vec_push(&c->now->explorers, s->x);
    c->now->x[s->new] = s->x;
}

void side_done(struct side *s)
{
    struct check *c = s->c;
    struct explore_stats st = explorer_stats(s->x);
    for (unsigned i = 0; i < 4; i++)
        ledger_count(&c->ledger, LEDGER_AXIOM_FRAME + i, st.axiom_used[i]);
    c->escapes += st.escapes;
    ledger_count(&c->ledger, LEDGER_ABI, st.abi_assumed);
    ledger_count(&c->ledger, LEDGER_LIBRARY, st.library_assumed);
    ledger_count(&c->ledger, LEDGER_NO_THROW, st.throws_ignored);
    ledger_count(&c->ledger, LEDGER_UNDECODED, st.undecoded + st.unknown_effects);
    ledger_count(&c->ledger, LEDGER_RETURN_UNPROVED, st.returns_unproved);
}

/* ---- one pair ---- */

static void side_start(struct check *c, int which, uint32_t index)
{
    struct side *s = &c->side[which];
    const struct flow_function *all;
    s->c = c;
    s->new = which;
    s->p = match_program(c->m, which);
    program_functions(s->p, &all);
    s->f = &all[index];
    s->index = index;
    s->o = program_object(s->p);
    s->g = flow_graph(s->p, s->f);
    s->abi = abi_new(s->p, s->f);
    abi_observe(s->abi, frame_is_unread, s);
    s->proto = *abi_prototype(s->abi);
    enum object_type type = object_info(s->o)->type;
    /* Numbers that no program computes with by chance; not negative, nor are their lower halves. */
    if (type == OBJECT_PIE || type == OBJECT_SHARED) {
        if (program_machine(s->p)->pointer_width == 64)
            s->bias = which ? UINT64_C(0x6d354e520000) : UINT64_C(0x5a932d310000);
        else
            s->bias = which ? UINT64_C(0x6d350000) : UINT64_C(0x3a930000);
    }
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
    const struct side *old = &c->side[OLD], *new = &c->side[NEW];
    uint64_t v;
    if (!term_const_u64(c->t, x, &v) || term_width(c->t, x) != c->width)
        return false;
    if (old->bias && is_there(old->o, *address = v - old->bias)) {
        *of = old->p;
        return true;
    }
    *of = new->p;
    *address = norm_unpaired(c, v);
    return is_there(new->o, *address);
}

/* A question that the solver needs most of the function's time for only to read it is not asked. */
static size_t query_nodes(unsigned ms)
{
    if (!ms || ms > NODES_MOST / NODES_MS)
        return NODES_MOST;
    return ms < NODES_LEAST / NODES_MS ? NODES_LEAST : (size_t)ms * NODES_MS;
}

static void check_start(struct check *c, struct match *m, uint32_t old, uint32_t new,
                        const struct verify_options *opt, struct arena *arena)
{
    struct error err = {0};
    *c = (struct check){.opt = opt, .m = m, .arena = arena, .nodes_max = query_nodes(opt->timeout_ms)};
    c->t = terms_new();
    struct solve_options solve = opt->solve;
    if (!solve.timeout_ms)
        solve.timeout_ms = QUERY_MS;
    if (solve.engine == SOLVE_Z3 && !solve.effort) {
        uint64_t steps = (uint64_t)solve.timeout_ms * SOLVE_STEPS_MS;
        solve.effort = steps < UINT_MAX ? (unsigned)steps : UINT_MAX;
        solve.timeout_ms = (unsigned)budget_guard(solve.timeout_ms);
    }
    c->solver = solver_new(c->t, &solve, &err);
    side_start(c, OLD, old);
    side_start(c, NEW, new);
    c->width = program_machine(c->side[OLD].p)->pointer_width;
    c->sp = term_var(c->t, "sp", c->width);
    for (int s = 0; s < 2; s++)
        words_addresses(c->words[s], canonical_address, c, !c->side[OLD].bias);
    c->budget = budget_for(c, opt->timeout_ms - opt->timeout_ms / 10);
    if (c->solver)
        solver_until(c->solver, budget_for(c, opt->timeout_ms));
    norm_start(c);
}

static void check_end(struct check *c)
{
    norm_free(c);
    for (int s = 0; s < 2; s++) {
        words_free(c->words[s]);
        map_free(&c->slots[s]);
        map_free(&c->access[s]);
        map_free(&c->loaded[s]);
        map_free(&c->lent[s]);
        map_free(&c->given[s]);
        vec_free(&c->side[s].private);
        map_free(&c->side[s].based);
        abi_free(c->side[s].abi);
    }
    vec_free(&c->locals);
    map_free(&c->span);
    map_free(&c->no_tables);
    map_free(&c->size);
    map_free(&c->shorter);
    strmap_free(&c->follow);
    strmap_free(&c->site_index);
    vec_free(&c->sites);
    vec_free(&c->exits.invalid);
    vec_free(&c->exits.invalid_by);
    vec_free(&c->warning);
    ledger_free(&c->ledger);
    solver_free(c->solver);
    terms_free(c->t);
}

/* Every exit of a version is an error exit: nothing can be said by these heuristics. */
static bool nothing_valid(const struct attempt *a)
{
    bool valid[2] = {false, false};
    for (size_t i = 0; i < a->exit.len; i++)
        if (!a->exit.data[i].error)
            valid[a->exit.data[i].new] = true;
    return a->exit.len && (!valid[OLD] || !valid[NEW]);
}

/* What a call of a function of the own program is of, as both versions name it; NULL: it is none. */
static const char *own_callee(struct check *c, int s, const struct flow_call *k)
{
    const struct flow_function *f = k->target ? program_function_at(c->side[s].p, k->target) : NULL;
    return f ? norm_callee(&c->side[s], f->named || !k->name ? f->name : k->name, k->target) : NULL;
}

/* How often the function's code calls a function of its own program by that name. */
static unsigned calls_of(struct check *c, int s, const char *name)
{
    const struct flow_graph *g = c->side[s].g;
    unsigned n = 0;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const char *callee = own_callee(c, s, &g->call[i]);
        n += callee && strcmp(callee, name) == 0;
    }
    return n;
}

bool follow_inlined(struct check *c)
{
    const struct verify_knowledge *know = c->opt->know; /* what a call of it means is known */
    if (c->follow.len)
        return false;
    for (int s = 0; s < 2; s++) {
        const struct side *sd = &c->side[s];
        for (uint32_t i = 0; i < sd->g->ncalls; i++) {
            const struct flow_call *k = &sd->g->call[i];
            const struct flow_function *f = k->target ? program_function_at(sd->p, k->target) : NULL;
            if (!f || f == sd->f || f->flags & (FLOW_PLT | FLOW_EXTERN) || object_stub_at(sd->o, k->target))
                continue;
            const struct flow_graph *g = flow_graph(sd->p, f);
            const char *name = own_callee(c, s, k);
            if (know && (norm_is_listed(name, know->error_function, know->nerror_functions) ||
                         norm_is_listed(name, know->pure_function, know->npure_functions)))
                continue;
            if (calls_of(c, s, name) > calls_of(c, !s, name) && g->nblocks && g->nblocks <= FOLLOW_BLOCKS &&
                !g->nproblems)
                strmap_set(&c->follow, arena_strdup(c->arena, name), 1);
        }
    }
    return c->follow.len > 0;
}

static enum verify_verdict judge(struct check *c, struct attempt *found, struct verify_reason *reason)
{
    size_t n;
    const struct strategy *table = strategy_table(c->opt->strategy, &n);
    reads_lent(c);
    enum verify_verdict v = VERIFY_SAFE;
    for (unsigned again = 0; again < 2 && v == VERIFY_SAFE && (!again || reads_lent(c)); again++) {
        /* Much of it was seen when paths were looked at. */
        if (c->opt->strategy == VERIFY_CONVERGE && c->escapes)
            frame_learn(c);
        v = strategy_walk(c, table, n, found, reason);
    }
    if (v == VERIFY_SAFE && reads_lent(c)) {
        *reason = reason_of(c->arena, VERIFY_REASON_LENT_AND_READ);
        return VERIFY_UNKNOWN;
    }
    if (v == VERIFY_SAFE && c->torn) {
        *reason = reason_of(c->arena, VERIFY_REASON_TORN_LOCAL);
        return VERIFY_UNKNOWN;
    }
    return v;
}

/* It is unsafe as the exits were classed, which is in doubt: and if they are classed otherwise? When that is
 * unsafe as well, what was found first is what differs. `other` is what is not told. */
static enum verify_verdict judge_in_doubt(struct check *c, struct attempt *found, struct attempt *other,
                                          struct verify_reason *reason)
{
    const struct verify_reason doubt = exits_take_doubt(c);
    enum verify_verdict v = judge(c, other, reason);
    if (v == VERIFY_UNSAFE) {
        attempt_resume(c, found);
        return v;
    }
    const struct attempt first = *found;
    *found = *other;
    *other = first;
    attempt_resume(c, found);
    if (v == VERIFY_SAFE)
        *reason = doubt;
    return VERIFY_UNKNOWN;
}

/* ---- what goes with the verdict ---- */

/* "\"too long\" at 0x2011" */
static const char *place_text(struct check *c, int side, uint64_t address)
{
    struct buf b = BUF_INIT;
    char where[24];
    words_address(&b, c->words[side], address);
    snprintf(where, sizeof where, "0x%" PRIx64, address);
    const char *what = strcmp(buf_text(&b), where) == 0 ? "what is" : buf_text(&b);
    const char *text = arena_printf(c->arena, "%s at %s", what, where);
    buf_free(&b);
    return text;
}

static void list_places(struct check *c)
{
    uint64_t from, to;
    VEC(uint64_t) key = VEC_INIT;
    for (size_t i = 0; (i = map_next(&c->mapped, i, &from, &to));)
        vec_push(&key, from);
    vec_sort(&key, by_offset);
    for (size_t i = 0; i < key.len; i++) {
        to = map_find(&c->mapped, key.data[i], 0);
        ledger_say(&c->ledger, c->arena, LEDGER_DATA, place_text(c, NEW, key.data[i]),
                   place_text(c, OLD, to));
    }
    vec_free(&key);
}

/* What is known only at the end. */
static void fill_ledger(struct check *c, const struct attempt *found)
{
    struct ledger *l = &c->ledger;
    list_places(c);
    frame_ledger(c);
    ledger_count(l, LEDGER_ARGUMENTS, c->arity_used);
    callees_ledger(c);
    if (!object_debug_function(c->side[OLD].o, c->side[OLD].f->address) &&
        c->opt->assume & VERIFY_ASSUME_RESULT) {
        ledger_count(l, LEDGER_RESULT_SECOND, 1);
        ledger_count(l, LEDGER_RESULT_UNSET, c->exits.unset);
        ledger_count(l, LEDGER_RESULT_PADDED, c->exits.padded && !c->exits.unset);
        ledger_count(l, LEDGER_RESULT_HALF, c->exits.half);
    }
    unsigned rounds = 0;
    for (size_t i = 0; i < found->failed.len; i++)
        rounds = found->failed.data[i].rounds > rounds ? found->failed.data[i].rounds : rounds;
    if (rounds)
        ledger_say(l, c->arena, LEDGER_ROUNDS, rounds);
    ledger_count(l, LEDGER_TERMINATION, 1);
    ledger_count(l, LEDGER_HEURISTIC_C, c->opt->heuristics & VERIFY_BY_C && !c->exits.complete);
}

/* Says which changed blocks no run came to; how many. */
static size_t warn_unreached(struct check *c)
{
    const struct match_blocks *b = match_blocks(c->m, c->side[OLD].index, c->side[NEW].index);
    size_t before = c->warning.len;
    for (int s = 0; s < 2 && b; s++) {
        uint32_t n = s ? b->nnew : b->nold;
        for (uint32_t i = 0; i < n && i < c->side[s].g->nblocks; i++)
            if ((s ? b->new_status : b->old_status)[i] != MATCH_BLOCK_IDENTICAL && !c->reached[s][i])
                vec_push(&c->warning,
                         arena_printf(c->arena,
                                      "a changed block of the %s version, at %#llx, was never reached",
                                      s ? "new" : "old", (unsigned long long)c->side[s].g->block[i].label));
    }
    return c->warning.len - before;
}

static void rests_on(struct check *c, struct verify_result *out)
{
    VEC(const char *) name = VEC_INIT;
    const struct flow_graph *g = c->side[OLD].g;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct match_pair *p = g->call[i].target ? match_function(c->m, g->call[i].target) : NULL;
        if (!p || p->status != MATCH_CHANGED || p->old == c->side[OLD].index)
            continue;
        const struct flow_function *all;
        program_functions(c->side[OLD].p, &all);
        bool known = false;
        for (size_t k = 0; k < name.len; k++)
            known = known || strcmp(name.data[k], all[p->old].name) == 0;
        if (!known)
            vec_push(&name, all[p->old].name);
    }
    out->rests_on = arena_dup(c->arena, name.data, name.len * sizeof *name.data);
    out->nrests_on = name.len;
    vec_free(&name);
}

void verify_functions(struct match *m, uint32_t old, uint32_t new, const struct verify_options *opt,
                      struct arena *arena, struct verify_result *out)
{
    struct check c;
    struct attempt found = {0}, other[EXITS_DOUBTS] = {0};
    *out = (struct verify_result){.verdict = VERIFY_UNKNOWN};
    check_start(&c, m, old, new, opt, arena);
    struct verify_reason reason = {0};
    if (!c.solver) {
        out->reason = reason_of(arena, VERIFY_REASON_SOLVER_MISSING);
    } else {
        attempt_begin(&c, &found);
        exits_profile(&c);
        out->verdict = judge(&c, &found, &reason);
        for (unsigned i = 0; out->verdict == VERIFY_UNSAFE && c.exits.doubt; i++)
            out->verdict = judge_in_doubt(&c, &found, &other[i], &reason);
        if (out->verdict == VERIFY_UNKNOWN)
            out->reason = reason;
        if (out->verdict == VERIFY_SAFE && nothing_valid(&found)) {
            out->verdict = VERIFY_UNKNOWN;
            out->reason = reason_of(arena, VERIFY_REASON_NO_VALID_EXIT);
        }
        evidence(&c, out);
    }
    out->divisible = found.divisible;
    out->path_pairs = found.path_pairs;
    fill_ledger(&c, &found);
    if (out->verdict == VERIFY_SAFE &&
        (abi_stack_is_irregular(c.side[OLD].abi) || abi_stack_is_irregular(c.side[NEW].abi))) {
        out->verdict = VERIFY_UNKNOWN;
        out->reason = reason_of(arena, VERIFY_REASON_ODD_STACK);
        out->failed = VERIFY_PROPERTIES_ALL;
    }
    /* Handlers of exceptions are not run. */
    if (warn_unreached(&c) && c.ledger.count[LEDGER_NO_THROW] && out->verdict == VERIFY_SAFE) {
        out->verdict = VERIFY_UNKNOWN;
        out->reason = reason_of(arena, VERIFY_REASON_ONLY_THROWN_TO);
        out->failed = VERIFY_PROPERTIES_ALL;
    }
    rests_on(&c, out);
    out->exit = arena_dup(arena, found.exit.data, found.exit.len * sizeof *found.exit.data);
    out->nexits = found.exit.len;
    out->assumption = ledger_list(&c.ledger, arena, &out->nassumptions);
    out->warning = arena_dup(arena, c.warning.data, c.warning.len * sizeof *c.warning.data);
    out->nwarnings = c.warning.len;
    if (c.solver) {
        struct solve_stats st = solver_stats(c.solver);
        c.stats.queries = st.queries;
        c.stats.by_solver = st.by_solver;
    }
    c.stats.terms = terms_count(c.t);
    out->stats = c.stats;
    attempt_drop(&c, &found);
    for (unsigned i = 0; i < EXITS_DOUBTS; i++)
        attempt_drop(&c, &other[i]);
    check_end(&c);
}
