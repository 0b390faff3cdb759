/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exploring with merging against exploring path by path, on whatever program is given.
 *
 * Every single path must be found in the merged result: exactly one merged path has a condition that holds
 * under the single path's, it ends in the same way, and under that condition its result, memory, writes and
 * events are those of the single path. What a single path decided is put into the merged terms until nothing
 * changes; what is then not the same term is put to the solver. And no merged path may be feasible where no
 * single path is.
 *
 *   mergetest [-a AXIOMS] [-b BLOCKS] [-i DEPTH] [-n FUNCTIONS] [-p PATHS] [-s FIRST] [-q] FILE [FUNCTION...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "exec/explore.h"

struct paths {
    struct explorer *x;
    VEC(const struct exec_path *) path;
};

struct tally {
    unsigned functions, skipped, paths, merged, same, proved, bounded, guessed, escaped, undecided, wrong;
};

struct test {
    struct program *p;
    struct terms *t;
    struct solver *s;
    const struct flow_function *f;
    struct paths single, merged;
    struct tally tally;
    bool quiet;
    /* of the single path looked at: literals and what they become */
    VEC(term) from, to, assume;
};

static bool keep(void *ctx, const struct exec_path *p)
{
    struct paths *r = ctx;
    vec_push(&r->path, p);
    return true;
}

static void say(const struct test *e, const char *what, size_t single, size_t merged, term a, term b)
{
    struct buf text = BUF_INIT;
    if (a != TERM_NONE && !term_is_array(e->t, a))
        term_print(&text, e->t, a);
    buf_puts(&text, "\n   merged: ");
    if (b != TERM_NONE && !term_is_array(e->t, b))
        term_print(&text, e->t, b);
    if (text.len > 3000)
        text.data[3000] = 0;
    fprintf(stderr, "%s (%llx) path %zu (%s), merged %zu: %s\n   path: %s\n", e->f->name,
            (unsigned long long)e->f->address, single, path_end_name(e->single.path.data[single]->end),
            merged, what, buf_text(&text));
    buf_free(&text);
}

/* ---- what holds on the single path ---- */

static void learn(struct test *e, term literal)
{
    if (term_kind(e->t, literal) == OP_AND) {
        learn(e, term_kid(e->t, literal, 0));
        learn(e, term_kid(e->t, literal, 1));
        return;
    }
    if (term_is_const(e->t, literal))
        return;
    vec_push(&e->from, literal);
    vec_push(&e->to, term_true(e->t));
    vec_push(&e->from, term_not(e->t, literal));
    vec_push(&e->to, term_false(e->t));
}

static void assume_path(struct test *e, const struct exec_path *p)
{
    const term *more;
    size_t n = explorer_assumptions(e->merged.x, &more);
    vec_clear(&e->from);
    vec_clear(&e->to);
    vec_clear(&e->assume);
    for (unsigned i = 0; i < p->nliterals; i++) {
        learn(e, p->literal[i]);
        vec_push(&e->assume, p->literal[i]);
    }
    for (size_t i = 0; i < n; i++)
        vec_push(&e->assume, more[i]);
    /* Reads go by the heap axiom, which the solver is not told of: errno is not among the program's
     * variables. */
    unsigned w = program_machine(e->p)->pointer_width;
    term place = origin_apply(e->t, (struct term_origin){.kind = ORIGIN_ERRNO_PLACE}, w,
                              (term[]){term_const(e->t, 1, 0)}, 1);
    vec_push(&e->assume, term_bin(e->t, OP_ULT, term_const(e->t, w, 0x20000000), place));
    vec_push(&e->assume, term_bin(e->t, OP_ULT, place, term_const(e->t, w, 0xfffffff0)));
}

static term under(struct test *e, term x)
{
    enum { ROUNDS = 12 };
    for (unsigned i = 0; x != TERM_NONE && i < ROUNDS; i++) {
        term y = term_substitute(e->t, x, e->from.data, e->to.data, e->from.len);
        if (y == x)
            break;
        x = y;
    }
    return x;
}

enum verdict { SAME, DIFFERENT, UNDECIDED };

/* Is x, of the merged path, the same as y, of the single one? */
static enum verdict compare(struct test *e, term x, term y)
{
    if (x == y)
        return SAME;
    if (x == TERM_NONE || y == TERM_NONE)
        return DIFFERENT;
    x = under(e, x);
    y = under(e, y);
    if (x == y)
        return SAME;
    if (term_is_array(e->t, x) != term_is_array(e->t, y) || term_width(e->t, x) != term_width(e->t, y))
        return DIFFERENT;
    e->tally.proved++;
    enum solve_answer a = solve_valid(e->s, e->assume.data, e->assume.len, term_eq(e->t, x, y));
    return a == SOLVE_UNSAT ? SAME : a == SOLVE_SAT ? DIFFERENT : UNDECIDED;
}

/* True, false or not known under the single path's condition; TERM_NONE is true. */
static enum verdict holds(struct test *e, term c)
{
    if (c == TERM_NONE)
        return SAME;
    c = under(e, c);
    if (term_is_true(e->t, c))
        return SAME;
    if (term_is_false(e->t, c))
        return DIFFERENT;
    vec_push(&e->assume, c);
    enum solve_answer a = solve_check(e->s, e->assume.data, e->assume.len, NULL);
    (void)vec_pop(&e->assume);
    if (a == SOLVE_UNSAT)
        return DIFFERENT;
    return solve_valid(e->s, e->assume.data, e->assume.len, c) == SOLVE_UNSAT ? SAME : UNDECIDED;
}

/* ---- one path in another ---- */

static bool judge(struct test *e, enum verdict v, const char *what, size_t i, size_t j, term x, term y)
{
    if (v == SAME)
        return true;
    if (v == UNDECIDED) {
        e->tally.undecided++;
        return false;
    }
    e->tally.wrong++;
    say(e, what, i, j, y, under(e, x));
    return false;
}

/* A bound counts what either side of a merge has used up, so merging may stop a round earlier: what was done
 * by then is the beginning of what the single path did. */
static bool is_cut(const struct exec_path *m)
{
    return m->end == PATH_LOOP_BOUND || m->end == PATH_DEPTH;
}

/* One side of a merge may have made the frame known to others, and then it counts as known on both. Never the
 * other way round. */
static bool judge_escape(struct test *e, size_t i, size_t j, bool merged)
{
    if (!merged)
        judge(e, DIFFERENT, "the frame escapes only on the single path", i, j, TERM_NONE, TERM_NONE);
    return false;
}

static void compare_writes(struct test *e, size_t i, size_t j, const struct exec_path *p,
                           const struct exec_path *m)
{
    unsigned k = 0;
    for (unsigned n = 0; n < m->nwrites; n++) {
        const struct exec_write *w = &m->write[n], *v;
        enum verdict h = holds(e, w->guard);
        if (h == DIFFERENT)
            continue;
        /* A store with a condition of its own is in both lists, with its condition. */
        while (k < p->nwrites && h == SAME && holds(e, p->write[k].guard) == DIFFERENT)
            k++;
        if (k >= p->nwrites) {
            judge(e, h == SAME ? DIFFERENT : UNDECIDED, "a write too many", i, j, w->address, TERM_NONE);
            return;
        }
        v = &p->write[k++];
        if (w->site != v->site) {
            judge(e, h == SAME ? DIFFERENT : UNDECIDED, "another write", i, j, w->address, v->address);
            return;
        }
        if (!judge(e, compare(e, w->address, v->address), "address of a write", i, j, w->address,
                   v->address) ||
            !judge(e, compare(e, w->value, v->value), "value of a write", i, j, w->value, v->value))
            return;
    }
    for (; k < p->nwrites && !is_cut(m); k++)
        if (!judge(e, holds(e, p->write[k].guard) == DIFFERENT ? SAME : DIFFERENT, "a write is missing", i, j,
                   TERM_NONE, p->write[k].address))
            return;
}

/* False when how many arguments a call has was guessed differently, after which nothing can be compared. */
static bool compare_events(struct test *e, size_t i, size_t j, const struct exec_path *p,
                           const struct exec_path *m)
{
    unsigned k = 0;
    for (unsigned n = 0; n < m->nevents; n++) {
        const struct exec_event *w = &m->event[n], *v;
        enum verdict h = holds(e, w->guard);
        if (h == DIFFERENT)
            continue;
        if (k < p->nevents && h == SAME && holds(e, p->event[k].guard) == DIFFERENT)
            k++;
        if (k >= p->nevents)
            return judge(e, h == SAME ? DIFFERENT : UNDECIDED, "an event too many", i, j, TERM_NONE,
                         TERM_NONE);
        v = &p->event[k++];
        if (w->site != v->site || w->kind != v->kind || (!w->name != !v->name) ||
            (w->name && strcmp(w->name, v->name)))
            return judge(e, h == SAME ? DIFFERENT : UNDECIDED, "another event", i, j, TERM_NONE, TERM_NONE);
        if (w->escaped != v->escaped)
            return judge_escape(e, i, j, w->escaped);
        /* What may be an argument on one side of a merge is taken for one; never less. */
        if (w->nargs < v->nargs)
            return judge(e, DIFFERENT, "a call has fewer arguments", i, j, TERM_NONE, v->arg[w->nargs]);
        if (w->nargs > v->nargs) {
            e->tally.guessed++;
            return false;
        }
        for (unsigned a = 0; a < w->nargs; a++)
            if (!judge(e, compare(e, w->arg[a], v->arg[a]), "argument of a call", i, j, w->arg[a], v->arg[a]))
                return false;
        if (!judge(e, compare(e, w->mem_before, v->mem_before), "memory a call sees", i, j, w->mem_before,
                   v->mem_before) ||
            !judge(e, compare(e, w->mem_after, v->mem_after), "memory a call leaves", i, j, w->mem_after,
                   v->mem_after))
            return false;
        if (w->result != v->result &&
            !judge(e, compare(e, w->result, v->result), "result of a call", i, j, w->result, v->result))
            return false;
    }
    return judge(e, k == p->nevents || is_cut(m) ? SAME : DIFFERENT, "an event is missing", i, j, TERM_NONE,
                 TERM_NONE);
}

static void compare_paths(struct test *e, size_t i, size_t j, const struct exec_path *p,
                          const struct exec_path *m)
{
    struct tally before = e->tally;
    if (m->end != p->end && !is_cut(m)) {
        judge(e, DIFFERENT, "ends differently", i, j, TERM_NONE, TERM_NONE);
        return;
    }
    if (!compare_events(e, i, j, p, m)) {
        e->tally.escaped += e->tally.wrong == before.wrong && e->tally.guessed == before.guessed &&
                            e->tally.undecided == before.undecided;
        return;
    }
    compare_writes(e, i, j, p, m);
    if (is_cut(m)) {
        e->tally.bounded++;
        return;
    }
    if (m->result != TERM_NONE || p->result != TERM_NONE)
        judge(e, compare(e, m->result, p->result), "result", i, j, m->result, p->result);
    if (m->escaped != p->escaped) {
        e->tally.escaped += !judge_escape(e, i, j, m->escaped);
        return;
    }
    judge(e, compare(e, m->memory, p->memory), "memory at the end", i, j, m->memory, p->memory);
    if (!p->escaped)
        judge(e, compare(e, m->frame, p->frame), "frame at the end", i, j, m->frame, p->frame);
    e->tally.same +=
        memcmp(&before.escaped, &e->tally.escaped, sizeof before - offsetof(struct tally, escaped)) == 0;
}

static void find_single(struct test *e, size_t i)
{
    const struct exec_path *p = e->single.path.data[i];
    size_t found = 0, open = 0, which = 0;
    assume_path(e, p);
    for (size_t j = 0; j < e->merged.path.len; j++) {
        enum verdict v = holds(e, e->merged.path.data[j]->condition);
        if (v != DIFFERENT) {
            found++;
            which = j;
        }
        open += v == UNDECIDED;
    }
    if (open) { /* may still be infeasible, or split among several */
        e->tally.undecided++;
        return;
    }
    if (found != 1) {
        if (solve_check(e->s, e->assume.data, e->assume.len, NULL) == SOLVE_UNSAT)
            return;
        e->tally.wrong++;
        say(e, found ? "is in several merged paths" : "is in no merged path", i, which, p->condition,
            TERM_NONE);
        return;
    }
    compare_paths(e, i, which, p, e->merged.path.data[which]);
}

/* Is there an input for the merged path that no single path takes? */
static void find_merged(struct test *e, size_t j)
{
    const struct exec_path *m = e->merged.path.data[j];
    const term *more;
    size_t n = explorer_assumptions(e->merged.x, &more);
    vec_clear(&e->assume);
    vec_push(&e->assume, m->condition);
    for (size_t i = 0; i < n; i++)
        vec_push(&e->assume, more[i]);
    for (size_t i = 0; i < e->single.path.len; i++)
        vec_push(&e->assume, term_not(e->t, e->single.path.data[i]->condition));
    enum solve_answer a = solve_check(e->s, e->assume.data, e->assume.len, NULL);
    if (a == SOLVE_UNKNOWN)
        e->tally.undecided++;
    if (a == SOLVE_SAT) {
        e->tally.wrong++;
        say(e, "is feasible where no path is", 0, j, TERM_NONE, m->condition);
    }
}

/* ---- functions ---- */

static void check_function(struct test *e, const struct explore_options *how)
{
    struct explore_options opt = *how;
    struct error err;
    opt.merge = opt.merge_returns = false;
    e->single = (struct paths){.x = explorer_new(e->p, e->t, e->s, &opt)};
    bool ok =
        explore_function(e->single.x, e->f, keep, &e->single, &err) && !explorer_stats(e->single.x).dropped;
    if (ok) {
        e->merged = (struct paths){.x = explorer_new(e->p, e->t, e->s, how)};
        ok = explore_function(e->merged.x, e->f, keep, &e->merged, &err) &&
             !explorer_stats(e->merged.x).dropped;
        if (ok) {
            e->tally.functions++;
            e->tally.paths += (unsigned)e->single.path.len;
            e->tally.merged += (unsigned)e->merged.path.len;
            for (size_t i = 0; i < e->single.path.len; i++)
                find_single(e, i);
            for (size_t j = 0; j < e->merged.path.len; j++)
                find_merged(e, j);
        }
        vec_free(&e->merged.path);
        explorer_free(e->merged.x);
    }
    e->tally.skipped += !ok;
    vec_free(&e->single.path);
    explorer_free(e->single.x);
    flow_drop(e->p, e->f);
}

/* Terms are never freed, so each function gets a table of its own. */
static void check_in_table(struct test *e, const struct flow_function *f, const struct explore_options *opt)
{
    struct error err;
    e->f = f;
    e->t = terms_new();
    e->s = solver_new(e->t, &(struct solve_options){.timeout_ms = 600000, .effort = 5000000}, &err);
    unsigned wrong = e->tally.wrong;
    check_function(e, opt);
    if (!e->quiet && wrong != e->tally.wrong)
        fprintf(stderr, "-- %s: %u wrong\n", f->name, e->tally.wrong - wrong);
    solver_free(e->s);
    terms_free(e->t);
}

static bool is_moderate(struct program *p, const struct flow_function *f, unsigned blocks)
{
    if (f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_PART))
        return false;
    const struct flow_graph *g = flow_graph(p, f);
    bool ok = g->nblocks >= 4 && g->nblocks <= blocks && !g->nproblems;
    if (!ok)
        flow_drop(p, f);
    return ok;
}

int main(int argc, char **argv)
{
    struct explore_options opt = {
        .merge = true, .merge_returns = true, .axioms = AXIOM_ALL, .prune = true, .max_paths = 60};
    struct test e = {0};
    unsigned long functions = 20, blocks = 24, first = 0;
    int o;
    while ((o = getopt(argc, argv, "a:b:i:n:p:s:qcr")) != -1) {
        unsigned long v = optarg ? strtoul(optarg, NULL, 0) : 0;
        switch (o) {
        case 'a':
            opt.axioms = (unsigned)v;
            break;
        case 'b':
            blocks = v;
            break;
        case 'i':
            opt.inline_depth = (unsigned)v;
            break;
        case 'n':
            functions = v;
            break;
        case 'p':
            opt.max_paths = v;
            break;
        case 's':
            first = v;
            break;
        case 'q':
            e.quiet = true;
            break;
        case 'c':
            opt.no_cost_heuristic = true;
            break;
        case 'r':
            opt.merge_returns = false;
            break;
        default:
            return 2;
        }
    }
    if (optind >= argc)
        return 2;
    struct error err;
    e.p = program_open(argv[optind], NULL, &err);
    if (!e.p) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    const struct flow_function *f;
    size_t n = program_functions(e.p, &f);
    for (int i = optind + 1; i < argc; i++) {
        const struct flow_function *one = program_function(e.p, argv[i], &err);
        if (!one) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
        check_in_table(&e, one, &opt);
    }
    for (size_t i = first; optind + 1 == argc && i < n && e.tally.functions < functions; i++)
        if (is_moderate(e.p, &f[i], (unsigned)blocks)) {
            check_in_table(&e, &f[i], &opt);
            first = i + 1;
        }
    printf("%s: %u functions (%u not), %u paths in %u merged; %u the same (%u by the solver), %u cut short, "
           "%u with other "
           "arguments guessed, %u escaped differently, %u undecided, %u wrong; next -s %lu\n",
           argv[optind], e.tally.functions, e.tally.skipped, e.tally.paths, e.tally.merged, e.tally.same,
           e.tally.proved, e.tally.bounded, e.tally.guessed, e.tally.escaped, e.tally.undecided,
           e.tally.wrong, first);
    vec_free(&e.from);
    vec_free(&e.to);
    vec_free(&e.assume);
    program_free(e.p);
    return e.tally.wrong ? 1 : 0;
}
