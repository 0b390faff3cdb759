/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/verify.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"
#include "verify/strategy.h"

/* Every exit of a version is an error exit: these heuristics decide nothing. */
static bool nothing_valid(const struct attempt *a)
{
    bool valid[2] = {false, false};
    for (size_t i = 0; i < a->exit.len; i++)
        if (!a->exit.data[i].error)
            valid[a->exit.data[i].new] = true;
    return a->exit.len && (!valid[OLD] || !valid[NEW]);
}

static enum verify_verdict judge(struct check *c, struct attempt *found, struct verify_reason *reason)
{
    size_t n;
    const struct strategy *table = strategy_table(c->opt->strategy, &n);
    check_reads_lent(c);
    enum verify_verdict v = VERIFY_SAFE;
    for (unsigned again = 0; again < 2 && v == VERIFY_SAFE && (!again || check_reads_lent(c)); again++) {
        /* Much of it was seen when the paths were profiled. */
        if (c->opt->strategy == VERIFY_CONVERGE && c->escapes)
            frame_update(&c->pair, c->arena);
        v = strategy_walk(c, table, n, found, reason);
    }
    if (v == VERIFY_SAFE && check_reads_lent(c)) {
        *reason = reason_of(c->arena, VERIFY_REASON_LENT_AND_READ);
        return VERIFY_UNKNOWN;
    }
    if (v == VERIFY_SAFE && c->pair.canonical.table) {
        *reason = reason_of(c->arena, VERIFY_REASON_TABLE_DIFFERS, c->pair.canonical.table);
        return VERIFY_UNKNOWN;
    }
    if (v == VERIFY_SAFE && c->pair.slots.torn) {
        *reason = reason_of(c->arena, VERIFY_REASON_TORN_LOCAL);
        return VERIFY_UNKNOWN;
    }
    return v;
}

/* Where it is in doubt what the exits mean, some of the time is for the other meaning. */
static enum verify_verdict judge_first(struct check *c, struct attempt *found, struct verify_reason *reason)
{
    if (!c->exits.doubt || !c->opt->timeout_ms)
        return judge(c, found, reason);
    const struct query_limits whole = query_narrow(c, query_left(c) / 2 + 1);
    enum verify_verdict v = judge(c, found, reason);
    query_widen(c, whole);
    return v;
}

/* It is not safe as the exits were classed, but that classification is in doubt: class them the other way and
 * decide again. If that is unsafe, too, the first finding stands; if it does not decide what was not decided,
 * so does the first reason. `other` receives the attempt that is not reported. */
static enum verify_verdict judge_in_doubt(struct check *c, enum verify_verdict was, struct attempt *found,
                                          struct attempt *other, struct verify_reason *reason)
{
    const struct verify_reason doubt = exits_take_doubt(c);
    if (was == VERIFY_UNSAFE && evidence_stands(c))
        return VERIFY_UNSAFE;
    struct verify_reason why = {0};
    enum verify_verdict v = judge(c, other, &why);
    if (v == VERIFY_UNSAFE || (v == VERIFY_SAFE && nothing_valid(other)) ||
        (was == VERIFY_UNKNOWN && v != VERIFY_SAFE)) {
        attempt_resume(c, found);
        return was;
    }
    *reason = why;
    const struct attempt first = *found;
    *found = *other;
    *other = first;
    attempt_resume(c, found);
    found->within = 0; /* the other reading refutes it */
    if (v == VERIFY_SAFE)
        *reason = doubt;
    return v == VERIFY_SAFE && !doubt.code ? VERIFY_SAFE : VERIFY_UNKNOWN;
}

/* ---- what goes with the verdict ---- */

/* "\"too long\" at 0x2011" */
static const char *place_text(struct check *c, int side, uint64_t address)
{
    struct buf b = BUF_INIT;
    char where[24];
    words_address(&b, c->words[side], address);
    snprintf(where, sizeof where, "0x%" PRIx64,
             object_display_address(program_object(c->pair.side[side].p), address));
    const char *what = strcmp(buf_text(&b), where) == 0 ? "what is" : buf_text(&b);
    const char *text = arena_printf(c->arena, "%s at %s", what, where);
    buf_free(&b);
    return text;
}

static void list_places(struct check *c)
{
    uint64_t from, to;
    VEC(uint64_t) key = VEC_INIT;
    for (size_t i = 0; (i = map_next(&c->pair.canonical.mapped, i, &from, &to));)
        vec_push(&key, from);
    vec_sort(&key, frame_by_offset);
    /* Those that follow each other and moved by the same distance are told together. */
    for (size_t i = 0, n; i < key.len; i += n) {
        const uint64_t first = key.data[i];
        to = map_find(&c->pair.canonical.mapped, first, 0);
        for (n = 1; i + n < key.len; n++)
            if (map_find(&c->pair.canonical.mapped, key.data[i + n], 0) - key.data[i + n] != to - first)
                break;
        const uint64_t last = key.data[i + n - 1];
        if (n == 1)
            ledger_say(&c->ledger, c->arena, LEDGER_DATA, place_text(c, NEW, first), place_text(c, OLD, to));
        else
            ledger_say(&c->ledger, c->arena, LEDGER_DATA_RUN, n, place_text(c, NEW, first),
                       place_text(c, NEW, last), place_text(c, OLD, to),
                       place_text(c, OLD, to + (last - first)));
    }
    vec_free(&key);
}

static void list_frames(struct check *c)
{
    const struct frame_map *map = &c->pair.frame;
    if (map->shift)
        ledger_say(&c->ledger, c->arena, LEDGER_FRAME_SHIFT, (long long)map->shift);
    for (size_t i = 0; i < map->nlocals; i++)
        if (map->local[i].room && map->local[i].new != map->local[i].old)
            ledger_say(&c->ledger, c->arena, LEDGER_FRAME_LOCAL, (unsigned long long)-map->local[i].new,
                       (unsigned long long)-map->local[i].old);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < map->nprivate[s]; i++) {
            const struct exec_range *r = &map->private[s][i];
            const char *version = s ? "new" : "old";
            ledger_say(&c->ledger, c->arena, LEDGER_PRIVATE_PLACE,
                       r->low < 0 ? arena_printf(c->arena, "sp-%#llx of the %s version",
                                                 (unsigned long long)-r->low, version)
                                  : arena_printf(c->arena, "the parameters on the stack of the %s version",
                                                 version));
        }
}

/* The new version has more accesses that have to be aligned than the old one. */
static bool alignment_matters(const struct check *c, uint64_t *site)
{
    uint64_t before;
    return faults_aligned(&c->pair.side[NEW], site) > faults_aligned(&c->pair.side[OLD], &before);
}

/* How many loads and stores the code has, other than of its frame. */
static void count_accesses(const struct pair_side *s, size_t count[2])
{
    const struct ir_machine *m = program_machine(s->p);
    count[0] = count[1] = 0;
    for (uint32_t k = 0; k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            if (b->insn[i].op != IR_LOAD && b->insn[i].op != IR_STORE)
                continue;
            ir_val v = b->insn[i].a;
            while (b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB || b->insn[v].op == OP_AND)
                v = b->insn[v].a;
            bool frame = b->insn[v].op == IR_GET && (b->insn[v].a == m->sp || b->insn[v].a == m->fp);
            count[b->insn[i].op == IR_STORE] += !frame;
        }
    }
}

/* Accesses that only the old version makes: somebody may have watched them. */
static size_t accesses_dropped(const struct check *c)
{
    size_t old[2], new[2], n = 0;
    count_accesses(&c->pair.side[OLD], old);
    count_accesses(&c->pair.side[NEW], new);
    for (int i = 0; i < 2; i++)
        n += old[i] > new[i] ? old[i] - new[i] : 0;
    return n;
}

/* What is known only at the end. */
static void fill_ledger(struct check *c, const struct attempt *found, enum verify_verdict verdict)
{
    struct ledger *l = &c->ledger;
    const bool holds = verdict == VERIFY_SAFE || verdict == VERIFY_BOUNDED;
    for (size_t i = 0; holds && i < found->guessed.len; i++) {
        const struct guessed_exit *g = &found->guessed.data[i];
        ledger_say(
            l, c->arena, LEDGER_EXITS,
            (unsigned long long)object_display_address(program_object(c->pair.side[NEW].p), g->address),
            g->by == VERIFY_BY_B ? "B" : "C", g->why);
    }
    for (size_t i = 0; holds && c->exits.maybe_taken && i < c->exits.maybe.len; i++)
        ledger_say(l, c->arena, LEDGER_EXITS_VALUE, (long long)c->exits.maybe.data[i]);
    uint64_t site;
    ledger_count(l, LEDGER_FAULTS, holds ? found->touched.len + alignment_matters(c, &site) : 0);
    ledger_count(l, LEDGER_VOLATILE, holds ? accesses_dropped(c) : 0);
    size_t x87;
    modes_x87(&c->pair.side[NEW], &x87);
    ledger_count(l, LEDGER_X87, holds ? x87 : 0);
    list_places(c);
    list_frames(c);
    ledger_count(l, LEDGER_ARGUMENTS, c->arity_used);
    callees_ledger(c);
    if (!check_declaration(&c->pair.side[OLD]) && c->opt->assume & VERIFY_ASSUME_RESULT) {
        ledger_count(l, LEDGER_RESULT_SECOND, 1);
        ledger_count(l, LEDGER_RESULT_UNSET, c->exits.unset);
        ledger_count(l, LEDGER_RESULT_PADDED, c->exits.padded && !c->exits.unset);
        ledger_count(l, LEDGER_RESULT_HALF, c->exits.half);
    }
    unsigned rounds = verdict == VERIFY_BOUNDED ? found->within : 0;
    for (size_t i = 0; i < found->failed.len; i++)
        rounds = found->failed.data[i].rounds > rounds ? found->failed.data[i].rounds : rounds;
    if (rounds)
        ledger_say(l, c->arena, LEDGER_ROUNDS, rounds);
    ledger_count(l, LEDGER_TERMINATION, 1);
    ledger_count(l, LEDGER_HEURISTIC_C, c->opt->heuristics & VERIFY_BY_C && !c->exits.complete);
}

/* Says which changed blocks no run came to, in one line for each version; how many. */
static size_t warn_unreached(struct check *c)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    size_t all = 0;
    for (int s = 0; s < 2 && b; s++) {
        const char *version = s ? "new" : "old";
        size_t left = 0;
        uint64_t first = 0;
        for (uint32_t i = 0; i < (s ? b->nnew : b->nold) && i < c->pair.side[s].g->nblocks; i++)
            if ((s ? b->new_status : b->old_status)[i] != MATCH_BLOCK_IDENTICAL && !c->reached[s][i] &&
                !left++)
                first = object_display_address(c->pair.side[s].o, c->pair.side[s].g->block[i].label);
        if (left)
            vec_push(&c->warning,
                     left == 1
                         ? arena_printf(c->arena,
                                        "a changed block of the %s version, at %#llx, was never reached",
                                        version, (unsigned long long)first)
                         : arena_printf(
                               c->arena,
                               "%zu changed blocks of the %s version were never reached, the first at %#llx",
                               left, version, (unsigned long long)first));
        all += left;
    }
    return all;
}

/* Where the call that ends a block goes on when something is thrown: a block, MATCH_NONE for nowhere. *asked:
 * about which types. */
static uint32_t landing_of(const struct pair_side *s, uint32_t block, uint64_t address, uint64_t *asked)
{
    const struct flow_graph *g = s->g;
    uint64_t pad;
    for (uint32_t i = g->first_edge[block]; i < g->first_edge[block + 1]; i++)
        if (g->edge[i].kind == EDGE_UNWIND &&
            object_landing_pad(s->o, address + g->block[block].bytes - 1, &pad, asked))
            return g->edge[i].to;
    *asked = 0;
    return MATCH_NONE;
}

/* Every call goes on at the same place when something is thrown: calls are paired as their blocks are. Of
 * those without a partner the old version's have no handler, or the old version has none of them. */
static bool same_landings(struct check *c)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    const struct pair_side *old = &c->pair.side[OLD], *new = &c->pair.side[NEW];
    bool alone = false;
    if (!b)
        return true;
    for (uint32_t i = 0; i < b->nold && i < old->g->nblocks; i++) {
        uint32_t to = b->new_of_old[i];
        uint64_t asked[2];
        uint32_t pad = landing_of(old, i, b->old_address[i], &asked[OLD]);
        if (to == MATCH_NONE) {
            alone = alone || old->g->block[i].end.kind == IR_END_CALL;
            if (pad != MATCH_NONE)
                return false;
            continue;
        }
        uint32_t there = to < new->g->nblocks ? landing_of(new, to, b->new_address[to], &asked[NEW]) : MATCH_NONE;
        if ((pad == MATCH_NONE ? MATCH_NONE : b->new_of_old[pad]) != there ||
            (pad != MATCH_NONE && (there == MATCH_NONE || asked[OLD] != asked[NEW])))
            return false;
    }
    for (uint32_t i = 0; alone && i < b->nnew && i < new->g->nblocks; i++) {
        uint64_t asked;
        if (b->old_of_new[i] == MATCH_NONE && landing_of(new, i, b->new_address[i], &asked) != MATCH_NONE)
            return false;
    }
    return true;
}

typedef VEC(uint32_t) callee_list;

/* The callees, each once; those that changed, or those that did not. */
static void add_callees(struct match *m, const struct flow_function *f, struct map *seen, bool changed,
                        callee_list *out)
{
    const struct flow_graph *g = flow_graph(match_program(m, false), f);
    for (uint32_t i = 0; g && i < g->ncalls; i++) {
        const struct match_pair *p = g->call[i].target ? match_function(m, g->call[i].target) : NULL;
        if (p && p->old != MATCH_NONE && p->status == (changed ? MATCH_CHANGED : MATCH_IDENTICAL) &&
            map_set(seen, p->old, 1))
            vec_push(out, p->old);
    }
}

void verify_rests_on(struct match *m, uint32_t old, bool through, struct arena *arena,
                     struct verify_result *out)
{
    enum { FAR = 4096 };
    const struct flow_function *all;
    program_functions(match_program(m, false), &all);
    callee_list way = VEC_INIT, found = VEC_INIT;
    struct map seen = {0};
    map_set(&seen, old, 1);
    vec_push(&way, old);
    for (size_t i = 0; i < way.len && i < FAR; i++) {
        add_callees(m, &all[way.data[i]], &seen, true, &found);
        if (through)
            add_callees(m, &all[way.data[i]], &seen, false, &way);
    }
    const char **name = arena_array(arena, const char *, found.len + 1);
    for (size_t i = 0; i < found.len; i++)
        name[i] = all[found.data[i]].name;
    out->rests_on = name;
    out->nrests_on = found.len;
    map_free(&seen);
    vec_free(&way);
    vec_free(&found);
}

/* How often a version asks for the address of a thread-local variable, by a descriptor or by module and offset. */
static size_t asks_for_threads(const struct check *c, int side)
{
    static const char asked[] = "module:";
    size_t all = match_references(c->pair.m, side, c->pair.side[side].index, NULL, 0), n = 0;
    uint64_t *at = xcalloc(all + 1, sizeof *at);
    match_references(c->pair.m, side, c->pair.side[side].index, at, all);
    for (size_t i = 0; i < all; i++) {
        const struct object_pointer *p = object_pointer_at(c->pair.side[side].o, at[i]);
        n += p && p->other && p->name && strncmp(p->name, asked, sizeof asked - 1) == 0;
    }
    free(at);
    return n;
}

static bool checks_guard(const struct pair_side *s)
{
    static const char fails[] = "__stack_chk_fail"; /* or __stack_chk_fail_local */
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].name && strncmp(s->g->call[i].name, fails, sizeof fails - 1) == 0)
            return true;
    return false;
}

/* An overrun of a local would no longer be noticed. That there is none is what the axiom `return` says. */
static bool guard_gone(const struct check *c)
{
    return (c->escapes || c->strays[NEW].len) && checks_guard(&c->pair.side[OLD]) && !checks_guard(&c->pair.side[NEW]);
}

/* A callee of either version that comes back a second time; NULL: none does. */
static const char *comes_back(const struct check *c)
{
    const char *by = c->again ? c->again : check_comes_back(&c->pair.side[OLD], c->pair.side[OLD].g);
    return by ? by : check_comes_back(&c->pair.side[NEW], c->pair.side[NEW].g);
}

/* What no comparison looks at, and what may matter all the same: why *safe* cannot be said, and of which
 * properties. */
static struct verify_reason left_out(struct check *c, unsigned *failed)
{
    const struct pair_side *const old = &c->pair.side[OLD], *const new = &c->pair.side[NEW];
    const char *const again = comes_back(c);
    struct frame_shrunk local;
    uint64_t site;
    *failed = VERIFY_PROPERTIES_ALL;
    if (abi_stack_is_irregular(old->abi) || abi_stack_is_irregular(new->abi))
        return reason_of(c->arena, VERIFY_REASON_ODD_STACK);
    if (again)
        return reason_of(c->arena, VERIFY_REASON_COMES_BACK, again);
    *failed = VERIFY_P2;
    if (frame_shrunk(&c->pair, &local))
        return reason_of(c->arena, VERIFY_REASON_LOCAL_SHRINKS, (unsigned long long)-local.at,
                         (unsigned)local.left, (unsigned)local.had);
    if (modes_return_signed(new) && !modes_return_signed(old))
        return reason_of(c->arena, VERIFY_REASON_RETURN_ADDRESS);
    *failed = VERIFY_P1;
    if (guard_gone(c))
        return reason_of(c->arena, VERIFY_REASON_GUARD_GONE);
    *failed = VERIFY_PROPERTIES_ALL;
    if (modes_unlifted(old) || modes_unlifted(new) || modes_sets_rounding(old) || modes_sets_rounding(new))
        return reason_of(c->arena, VERIFY_REASON_MODES_NOT_LIFTED);
    if (modes_x87_matters(c))
        return reason_of(c->arena, VERIFY_REASON_X87_PRECISION);
    *failed = VERIFY_P2;
    if (!(c->opt->axioms & AXIOM_FAULTS) && alignment_matters(c, &site))
        return reason_of(c->arena, VERIFY_REASON_MISALIGNED_TRAPS,
                         (unsigned long long)object_display_address(new->o, site));
    return (struct verify_reason){0};
}

void verify_functions(struct match *m, uint32_t old, uint32_t new, const struct verify_options *opt,
                      struct arena *arena, struct verify_result *out)
{
    struct check c;
    struct attempt found = {0}, other[EXITS_DOUBTS] = {0};
    *out = (struct verify_result){.verdict = VERIFY_UNKNOWN};
    check_start(&c, m, old, new, opt, arena);
    struct verify_reason reason = {0};
    if (!c.query.solver) {
        out->reason = reason_of(arena, VERIFY_REASON_SOLVER_MISSING);
    } else {
        attempt_begin(&c, &found);
        exits_profile(&c);
        out->verdict = judge_first(&c, &found, &reason);
        /* What is bounded is not thrown away for another reading of the exits. */
        for (unsigned i = 0;
             out->verdict != VERIFY_SAFE && !(out->verdict == VERIFY_UNKNOWN && found.within) &&
             c.exits.doubt && exits_doubt_matters(&c);
             i++)
            out->verdict = judge_in_doubt(&c, out->verdict, &found, &other[i], &reason);
        if (out->verdict == VERIFY_UNKNOWN)
            out->reason = reason;
        if (out->verdict == VERIFY_SAFE && nothing_valid(&found)) {
            out->verdict = VERIFY_UNKNOWN;
            out->reason = reason_of(arena, VERIFY_REASON_NO_VALID_EXIT);
        }
        /* What is asked for is not known: it may be what the other version computes. */
        if (out->verdict == VERIFY_UNSAFE && (asks_for_threads(&c, OLD) != 0) != (asks_for_threads(&c, NEW) != 0)) {
            out->verdict = VERIFY_UNKNOWN;
            out->reason = reason_of(arena, VERIFY_REASON_CALL_INLINED, "__tls_get_addr");
        }
        evidence_tell(&c, out);
        if (out->verdict == VERIFY_UNKNOWN && found.within && !nothing_valid(&found) && !c.pair.slots.torn &&
            !check_reads_lent(&c)) {
            out->verdict = VERIFY_BOUNDED;
            out->rounds = found.within;
        }
    }
    out->divisible = found.divisible;
    out->path_pairs = found.path_pairs;
    const bool holds = out->verdict == VERIFY_SAFE || out->verdict == VERIFY_BOUNDED;
    if (holds)
        rejected_tell(&c, &found, out);
    out->rejects_otherwise = holds && found.rejects_otherwise;
    fill_ledger(&c, &found, out->verdict);
    unsigned unproved;
    const struct verify_reason why = holds ? left_out(&c, &unproved) : (struct verify_reason){0};
    if (why.code) {
        out->verdict = VERIFY_UNKNOWN;
        out->reason = why;
        out->failed = unproved;
    }
    /* Handlers of exceptions are not run. */
    if ((warn_unreached(&c) || !same_landings(&c)) && c.ledger.count[LEDGER_NO_THROW] && holds && !why.code) {
        out->verdict = VERIFY_UNKNOWN;
        out->reason = reason_of(arena, VERIFY_REASON_ONLY_THROWN_TO);
        out->failed = VERIFY_PROPERTIES_ALL;
    }
    verify_rests_on(m, old, opt->know && opt->know->naccepted, arena, out);
    out->exit = arena_dup(arena, found.exit.data, found.exit.len * sizeof *found.exit.data);
    out->nexits = found.exit.len;
    out->assumption = ledger_list(&c.ledger, arena, &out->nassumptions);
    out->warning = arena_dup(arena, c.warning.data, c.warning.len * sizeof *c.warning.data);
    out->nwarnings = c.warning.len;
    if (c.query.solver) {
        struct solve_stats st = solver_stats(c.query.solver);
        c.stats.queries = st.queries;
        c.stats.by_solver = st.by_solver;
    }
    c.stats.terms = terms_count(c.t);
    c.stats.work = *terms_work(c.t);
    out->stats = c.stats;
    attempt_drop(&c, &found);
    for (unsigned i = 0; i < EXITS_DOUBTS; i++)
        attempt_drop(&c, &other[i]);
    check_end(&c);
}
