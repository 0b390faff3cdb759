/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/wp.h"

#include <string.h>

#include "ask/code.h"

enum { WP_SAYS_PROGRAM, WP_SAYS_CHECKED };

/* ---- how it travels ---- */

#define T struct wp_register
static const struct wire_field register_field[] = {
    WIRE_NAME(T, name),
    WIRE_ENUM(T, width, OP_MAX_WIDTH + 1),
    WIRE_VALUE(T, value),
    WIRE_VALUE(T, matters),
};
static const struct wire_type register_type = WIRE_TYPE(T, register_field);
#undef T

#define T struct wp_piece
static const struct wire_field piece_field[] = {
    WIRE_VALUE(T, address),
    WIRE_LIST(T, bytes, n, &wire_u8),
    WIRE_VALUE(T, matters),
};
static const struct wire_type piece_type = WIRE_TYPE(T, piece_field);
#undef T

#define T struct wp_goal
static const struct wire_field goal_field[] = {
    WIRE_TEXT(T, tag),
    WIRE_TEXT(T, values),
    WIRE_ENUM(T, side, 2),
    WIRE_VALUE(T, site),
};
static const struct wire_type goal_type = WIRE_TYPE(T, goal_field);
#undef T

#define T struct wp_step
static const struct wire_field step_field[] = {
    WIRE_VALUE(T, block),
    WIRE_VALUE(T, address),
    WIRE_LIST(T, reg, nregs, &register_type),
};
static const struct wire_type step_type = WIRE_TYPE(T, step_field);
#undef T

#define T struct wp_call
static const struct wire_field call_field[] = {
    WIRE_TEXT(T, name),        WIRE_VALUE(T, site),   WIRE_VALUE(T, summarised),
    WIRE_VALUE(T, has_result), WIRE_VALUE(T, result),
};
static const struct wire_type call_type = WIRE_TYPE(T, call_field);
#undef T

#define T struct ask_wp_line
static const struct wire_field line_field[] = {WIRE_VALUE(T, address), WIRE_NAME(T, text)};
static const struct wire_type line_type = WIRE_TYPE(T, line_field);
#undef T

#define T struct ask_wp_block
static const struct wire_field block_field[] = {WIRE_VALUE(T, address),
                                                WIRE_LIST(T, line, nlines, &line_type)};
static const struct wire_type block_type = WIRE_TYPE(T, block_field);
#undef T

#define T struct ask_wp_edge
static const struct wire_field edge_field[] = {WIRE_VALUE(T, from), WIRE_VALUE(T, to)};
static const struct wire_type edge_type = WIRE_TYPE(T, edge_field);
#undef T

#define T struct ask_wp_run
static const struct wire_field run_field[] = {
    WIRE_VALUE(T, run.replayed),
    WIRE_LIST(T, run.step, run.nsteps, &step_type),
    WIRE_LIST(T, run.call, run.ncalls, &call_type),
    WIRE_NAME(T, run.end),
    WIRE_LIST(T, run.reg, run.nregs, &register_type),
    WIRE_LIST(T, run.memory, run.nmemory, &piece_type),
    WIRE_NAME(T, function),
    WIRE_VALUE(T, has_code),
    WIRE_LIST(T, block, nblocks, &block_type),
    WIRE_LIST(T, edge, nedges, &edge_type),
    WIRE_TEXT(T, gdb),
    WIRE_TEXT(T, bildb),
    WIRE_TEXT(T, debug),
};
static const struct wire_type run_type = WIRE_TYPE(T, run_field);
#undef T

#define T struct ask_checked
static const struct wire_field checked_field[] = {
    WIRE_NAME(T, function),
    WIRE_ENUM(T, verdict, ASK_WP_ABSENT + 1),
    WIRE_TEXT(T, reason),
    WIRE_VALUE(T, checked),
    WIRE_VALUE(T, address),
    WIRE_VALUE(T, spurious),
    WIRE_VALUE(T, unrolled),
    WIRE_VALUE(T, bounded),
    WIRE_TEXT(T, smtlib),
    WIRE_TEXT(T, internal),
    WIRE_VALUE(T, has_ir),
    WIRE_LIST(T, ir, nir, &wire_text),
    WIRE_LIST(T, goal, ngoals, &goal_type),
    WIRE_LIST(T, run, nruns, &run_type),
    WIRE_LIST(T, note, nnotes, &wire_text),
    WIRE_VALUE(T, stats), /* counters only */
};
static const struct wire_type checked_type = WIRE_TYPE(T, checked_field);
#undef T

/* ---- one function ---- */

struct checking {
    const struct ask_wp *q;
    struct ask_sink *say;
    struct program *p[2];
    struct match *match;
    VEC(const struct flow_function *) f;
};

static const char *ir_text(struct program *p, const struct flow_function *f, struct arena *arena)
{
    const struct flow_graph *g = flow_graph(p, f);
    struct ir_pures pures = lift_pures();
    struct buf text = BUF_INIT;
    for (uint32_t b = 0; b < g->nblocks; b++)
        ir_print_block(&text, &g->block[b], program_machine(p), &pures);
    const char *out = arena_strdup(arena, buf_text(&text));
    buf_free(&text);
    return out;
}

static void add_code(struct program *p, const struct flow_graph *g, struct arena *arena,
                     struct ask_wp_run *out)
{
    struct ask_wp_block *block = arena_array(arena, struct ask_wp_block, g->nblocks + 1);
    struct ask_wp_edge *edge = arena_array(arena, struct ask_wp_edge, g->nedges + 1);
    for (uint32_t b = 0; b < g->nblocks; b++) {
        struct ask_wp_line *line = arena_array(arena, struct ask_wp_line, g->block[b].nmark + 1);
        for (uint32_t i = 0; i < g->block[b].nmark; i++) {
            const struct ir_mark *m = &g->block[b].mark[i];
            char text[CODE_TEXT];
            line[i] = (struct ask_wp_line){object_display_address(program_object(p), m->address),
                                           arena_strdup(arena, code_text(p, &g->block[b], m, text))};
        }
        block[b] = (struct ask_wp_block){object_display_address(program_object(p), g->block[b].label), line,
                                         g->block[b].nmark};
    }
    for (uint32_t e = 0; e < g->nedges; e++)
        edge[e] = (struct ask_wp_edge){g->edge[e].from, g->edge[e].to};
    out->has_code = true;
    out->block = block;
    out->nblocks = g->nblocks;
    out->edge = edge;
    out->nedges = g->nedges;
}

static const char *taken(struct buf *text, struct arena *arena)
{
    const char *out = arena_strdup(arena, buf_text(text));
    buf_free(text);
    return out;
}

/* The countermodel as files for others. */
static void add_files(const struct ask_wp *q, struct program *p, const struct flow_function *f,
                      const char *version, struct arena *arena, struct ask_wp_run *out)
{
    struct buf text = BUF_INIT;
    if (q->want_gdb) {
        wp_write_gdb(&text, p, f, &out->run);
        out->gdb = taken(&text, arena);
    }
    if (q->want_bildb) {
        wp_write_bildb(&text, &out->run);
        out->bildb = taken(&text, arena);
    }
    if (q->want_debug) {
        wp_write_debug(&text, p, f, &out->run, version);
        out->debug = taken(&text, arena);
    }
}

bool ask_checked_refuted(const struct ask_checked *c)
{
    return c->verdict == ASK_WP_SAT || c->spurious;
}

/* Addresses of a run become those that are shown; what registers and memory hold stays. */
static void show_places(const struct object *o, struct arena *arena, struct wp_run *run)
{
    struct wp_step *step = arena_array(arena, struct wp_step, run->nsteps + 1);
    struct wp_call *call = arena_array(arena, struct wp_call, run->ncalls + 1);
    for (size_t i = 0; i < run->nsteps; i++) {
        step[i] = run->step[i];
        step[i].address = object_display_address(o, step[i].address);
    }
    for (size_t i = 0; i < run->ncalls; i++) {
        call[i] = run->call[i];
        call[i].site = object_display_address(o, call[i].site);
    }
    run->step = step;
    run->call = call;
}

static void add_runs(const struct ask_wp *q, struct program *const p[2],
                     const struct flow_function *const f[2], const struct wp_result *r, struct arena *arena,
                     struct ask_checked *out)
{
    static const char *const version[] = {"old", "new"};
    struct ask_wp_run *run = arena_array(arena, struct ask_wp_run, r->nruns + 1);
    for (unsigned i = 0; i < r->nruns; i++) {
        run[i] = (struct ask_wp_run){.run = r->run[i], .function = f[i]->name};
        if (q->want_code && r->run[i].graph)
            add_code(p[i], r->run[i].graph, arena, &run[i]);
        add_files(q, p[i], f[i], r->nruns == 2 ? version[i] : NULL, arena, &run[i]);
        show_places(program_object(p[i]), arena, &run[i].run);
    }
    out->run = run;
    out->nruns = r->nruns;
    struct wp_goal *goal = arena_array(arena, struct wp_goal, r->ngoals + 1);
    for (size_t i = 0; i < r->ngoals; i++) {
        goal[i] = r->goal[i];
        goal[i].site = goal[i].site ? object_display_address(program_object(p[goal[i].side]), goal[i].site)
                                    : ASK_NO_PLACE;
    }
    out->goal = goal;
    out->ngoals = r->ngoals;
}

static bool check(const struct checking *c, const struct flow_function *f, struct ask_sink *say,
                  struct error *err)
{
    static const uint8_t verdict[] = {
        [WP_UNSAT] = ASK_WP_UNSAT, [WP_SAT] = ASK_WP_SAT, [WP_UNKNOWN] = ASK_WP_UNKNOWN};
    const struct ask_wp *q = c->q;
    const struct flow_function *fn[2] = {f, NULL};
    if (q->mod && !(fn[1] = wp_counterpart(c->p[1], f, c->match, q->how.name_map, err))) {
        error_prefix(err, "%s", q->mod);
        return false;
    }
    struct wp_result r;
    struct arena arena = ARENA_INIT;
    bool ok = wp_check(c->p[0], f, c->p[1], fn[1], c->match, &q->how, &r, err);
    if (ok) {
        struct ask_checked out = {.function = f->name,
                                  .verdict = verdict[r.verdict],
                                  .reason = r.reason,
                                  .checked = true,
                                  .address = object_display_address(program_object(c->p[0]), f->address),
                                  .spurious = r.spurious,
                                  .unrolled = r.unrolled,
                                  .bounded = r.bounded,
                                  .smtlib = r.smtlib,
                                  .internal = r.internal,
                                  .has_ir = q->want_ir,
                                  .note = r.note,
                                  .nnotes = r.nnotes,
                                  .stats = r.stats};
        const char *ir[2];
        for (unsigned i = 0; i < 2 && c->p[i] && q->want_ir; i++)
            ir[out.nir++] = ir_text(c->p[i], fn[i], &arena);
        out.ir = ir;
        if (ask_checked_refuted(&out))
            add_runs(q, c->p, fn, &r, &arena, &out);
        ask_say(say, WP_SAYS_CHECKED, &checked_type, &out);
    }
    wp_result_free(&r);
    arena_free(&arena);
    return ok;
}

/* ---- one worker a function, when there are several ---- */

static void say_failed(struct ask_sink *say, const char *function, enum ask_wp_verdict verdict,
                       const char *reason)
{
    ask_say(say, WP_SAYS_CHECKED, &checked_type,
            &(struct ask_checked){.function = function, .verdict = (uint8_t)verdict, .reason = reason});
}

static bool check_job(void *ctx, size_t job, struct buf *out)
{
    const struct checking *c = ctx;
    const struct flow_function *f = c->f.data[job];
    struct ask_sink say = ask_below(out);
    struct error err = {0};
    if (c->q->mod && !wp_counterpart(c->p[1], f, c->match, c->q->how.name_map, &err)) {
        say_failed(&say, f->name, ASK_WP_ABSENT, "not in the modified program");
        return true;
    }
    if (check(c, f, &say, &err))
        return true;
    ask_say_error(&say, &err);
    return false;
}

static void checked_one(void *ctx, const struct work_result *r)
{
    struct checking *c = ctx;
    struct error err = {0};
    size_t messages = 0;
    ask_progress(c->say, "functions checked", r->job + 1, c->f.len);
    ask_hand_on(c->say, r->output, r->output_len, &messages, &err);
    if (r->outcome != WORK_DONE && !messages)
        say_failed(c->say, c->f.data[r->job]->name,
                   r->outcome == WORK_TIMEOUT ? ASK_WP_TIMEOUT : ASK_WP_UNKNOWN,
                   err.kind ? err.text : r->reason);
}

static bool check_all(struct checking *c, struct error *err)
{
    const struct flow_function *f;
    size_t n = program_functions(c->p[0], &f);
    for (size_t i = 0; i < n; i++)
        if (!(f[i].flags & (FLOW_PLT | FLOW_PART | FLOW_EXTERN)))
            vec_push(&c->f, &f[i]);
    work_limit_time(0);
    struct work_options w = {.jobs = c->q->limits.jobs,
                             .timeout_ms = (unsigned)c->q->limits.timeout,
                             .memory_bytes = c->q->limits.memory};
    bool ok = work_run(c->f.len, &w, check_job, checked_one, c, NULL, err);
    vec_free(&c->f);
    return ok;
}

/* ---- the question ---- */

static bool open_programs(struct checking *c, struct error *err)
{
    const struct ask_wp *q = c->q;
    const char *file[] = {q->orig, q->mod};
    for (unsigned i = 0; i < 2 && file[i]; i++) {
        c->p[i] = program_open(file[i], &(struct program_options){.object = q->object}, err);
        if (!c->p[i])
            return false;
        if (q->how.null_derefs || q->how.invalid_derefs)
            lifter_keep_loads(program_lifter(c->p[i]));
    }
    if (q->function && program_reach(c->p[0], q->function) && q->mod)
        program_search(c->p[1], NULL, NULL);
    if (!q->mod)
        return true;
    const struct ir_machine *a = program_machine(c->p[0]), *b = program_machine(c->p[1]);
    if (a->arch != b->arch)
        return error_set(err, ERROR_INPUT,
                         "%s is for %s and %s for %s; the two must have the same architecture", q->orig,
                         a->name, q->mod, b->name);
    c->match = match_programs(c->p[0], c->p[1], NULL, err);
    return c->match != NULL;
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_wp *q = ((struct ask_wp_answer *)ctx)->q;
    struct checking c = {.q = q, .say = say};
    if (!q->function)
        work_limit_time((unsigned)q->limits.timeout);
    bool ok = open_programs(&c, err);
    for (unsigned i = 0; i < 2 && ok && c.p[i]; i++) {
        struct ask_facts facts = ask_facts(program_object(c.p[i]), NULL);
        ask_say(say, WP_SAYS_PROGRAM, &ask_facts_type, &facts);
    }
    if (ok && !q->function) {
        ok = check_all(&c, err);
    } else if (ok) {
        const struct flow_function *f = program_function(c.p[0], q->function, err);
        ok = f && check(&c, f, say, err);
    }
    match_free(c.match);
    program_free(c.p[1]);
    program_free(c.p[0]);
    return ok;
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_wp_answer *a = ctx;
    struct ask_checked c;
    if (message == WP_SAYS_PROGRAM) {
        a->begun =
            a->nprograms < 2 && wire_get(bytes, n, &ask_facts_type, &a->facts[a->nprograms++], &a->arena);
        return a->begun;
    }
    if (message != WP_SAYS_CHECKED || !wire_get(bytes, n, &checked_type, &c, &a->arena))
        return false;
    vec_push(&a->checked, c);
    return true;
}

bool ask_wp(const struct ask_wp *q, const struct ask_session *session, struct ask_wp_answer *a,
            struct error *err)
{
    *a = (struct ask_wp_answer){.q = q};
    return ask_put(ask, hear, a, &q->limits, q->function ? q->limits.timeout : 0, 0, session, &a->end, err);
}

void ask_wp_free(struct ask_wp_answer *a)
{
    vec_free(&a->checked);
    arena_free(&a->arena);
}

enum ask_status ask_wp_status(const struct ask_wp_answer *a)
{
    enum ask_status status = a->checked.len ? ASK_YES : ASK_UNKNOWN;
    for (size_t i = 0; i < a->checked.len; i++) {
        uint8_t v = a->checked.data[i].verdict;
        if (v != ASK_WP_ABSENT)
            status = ask_worst_status(status, v == ASK_WP_UNSAT ? ASK_YES
                                              : v == ASK_WP_SAT ? ASK_NO
                                                                : ASK_UNKNOWN);
    }
    return status;
}
