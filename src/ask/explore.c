/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

/* What a worker gets on top of the exploration's own time limit, which ends it between two steps: a step may
 * wait for one answer of the solver, and what was found has to be written down. */
enum { GRACE_MS = 10000 };

enum { EXPLORE_FACTS, EXPLORE_BEGIN, EXPLORE_PATH, EXPLORE_END };

/* ---- how it travels ---- */

#define T struct ask_definition
static const struct wire_field definition_field[] = {WIRE_NAME(T, name), WIRE_NAME(T, term)};
static const struct wire_type definition_type = WIRE_TYPE(T, definition_field);
#undef T

#define T struct ask_event
static const struct wire_field event_field[] = {
    WIRE_VALUE(T, kind),
    WIRE_VALUE(T, site),
    WIRE_TEXT(T, name),
    WIRE_TEXT(T, target),
    WIRE_LIST(T, argument, narguments, &wire_text),
    WIRE_LIST(T, besides, nbesides, &wire_text),
    WIRE_TEXT(T, result),
    WIRE_TEXT(T, guard),
};
static const struct wire_type event_type = WIRE_TYPE(T, event_field);
#undef T

#define T struct ask_write
static const struct wire_field write_field[] = {
    WIRE_VALUE(T, site), WIRE_TEXT(T, address), WIRE_TEXT(T, value),
    WIRE_TEXT(T, guard), WIRE_VALUE(T, bytes),
};
static const struct wire_type write_type = WIRE_TYPE(T, write_field);
#undef T

#define T struct ask_path
static const struct wire_field path_field[] = {
    WIRE_VALUE(T, end),
    WIRE_VALUE(T, end_address),
    WIRE_LIST(T, condition, nconditions, &wire_text),
    WIRE_TEXT(T, result),
    WIRE_VALUE(T, merged),
    WIRE_LIST(T, write, nwrites, &write_type),
    WIRE_VALUE(T, local_writes),
    WIRE_LIST(T, event, nevents, &event_type),
    WIRE_LIST(T, block, nblocks, &wire_u32),
    WIRE_LIST(T, where, nwhere, &definition_type),
};
static const struct wire_type path_type = WIRE_TYPE(T, path_field);
#undef T

#define T struct ask_explored
static const struct wire_field begin_field[] = {WIRE_TEXT(T, function), WIRE_VALUE(T, address),
                                                WIRE_VALUE(T, begun)};
static const struct wire_type begin_type = WIRE_TYPE(T, begin_field);
/* The ledger is counters only. */
static const struct wire_field end_field[] = {WIRE_VALUE(T, finished), WIRE_VALUE(T, ledger),
                                              WIRE_VALUE(T, complete), WIRE_TEXT(T, reason)};
static const struct wire_type end_type = WIRE_TYPE(T, end_field);
#undef T

/* ---- a path ---- */

struct maker {
    struct program *p; /* NULL: another front end, in which literals have their texts for names */
    struct terms *t;
    struct ask_sink *say;
    size_t paths;
};

/* A path's terms are printed together, so that what they share is spelled once. Each is a place for a text,
 * and is filled in when all are known. */
struct path_text {
    VEC(term) term;
    VEC(const char **) blank;
    VEC(term) known; /* terms with a name of their own: what calls return, and memory after them */
    VEC(const char *) name;
    struct arena arena;
};

/* A constant that is the address of a string literal is shown with the beginning of it. */
static void name_literal(struct path_text *x, const struct maker *m, term t)
{
    enum { SHOWN = 40, SHORTEST = 2 };
    uint64_t address;
    size_t len;
    if (!m->p || t == TERM_NONE || term_width(m->t, t) != program_machine(m->p)->pointer_width ||
        !term_const_u64(m->t, t, &address))
        return;
    const char *s = object_string(program_object(m->p), address, &len);
    if (!s || len < SHORTEST)
        return;
    struct buf b = BUF_INIT;
    buf_printf(&b, "0x%" PRIx64 " \"", address);
    for (size_t i = 0; i < len && i < SHOWN; i++) {
        if (s[i] == '\n')
            buf_puts(&b, "\\n");
        else if (s[i] == '\t')
            buf_puts(&b, "\\t");
        else if (s[i] == '"' || s[i] == '\\')
            buf_printf(&b, "\\%c", s[i]);
        else
            buf_putc(&b, s[i]);
    }
    buf_puts(&b, len > SHOWN ? "\"..." : "\"");
    vec_push(&x->known, t);
    vec_push(&x->name, arena_strdup(&x->arena, buf_text(&b)));
    buf_free(&b);
}

static void name_literals(struct path_text *x, const struct maker *m, const struct exec_path *path)
{
    name_literal(x, m, path->result);
    for (unsigned i = 0; i < path->nevents; i++)
        for (unsigned k = 0; k < path->event[i].nargs; k++)
            name_literal(x, m, path->event[i].arg[k]);
}

/* What event number n returned is rN, the memory it left mem!N. */
static void name_results(struct path_text *x, const struct exec_path *path)
{
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        if (e->result != TERM_NONE) {
            vec_push(&x->known, e->result);
            vec_push(&x->name, arena_printf(&x->arena, "r%u", i + 1));
        }
        if (e->mem_after != TERM_NONE && e->mem_after != e->mem_before) {
            vec_push(&x->known, e->mem_after);
            vec_push(&x->name, arena_printf(&x->arena, "mem!%u", i + 1));
        }
    }
}

static void put_term(struct path_text *x, const char **to, term t)
{
    *to = NULL;
    if (t == TERM_NONE)
        return;
    vec_push(&x->term, t);
    vec_push(&x->blank, to);
}

static void put_guard(struct path_text *x, const struct terms *t, const char **to, term guard)
{
    put_term(x, to, guard == TERM_NONE || term_is_true(t, guard) ? TERM_NONE : guard);
}

/* The definitions are lines "NAME = TERM". */
static void define(struct path_text *x, const struct buf *where, struct ask_path *path)
{
    VEC(struct ask_definition) list = VEC_INIT;
    for (const char *line = buf_text(where); *line;) {
        size_t n = strcspn(line, "\n");
        const char *equals = strstr(line, " = ");
        vec_push(&list, (struct ask_definition){
                            arena_strndup(&x->arena, line, (size_t)(equals - line)),
                            arena_strndup(&x->arena, equals + 3, n - (size_t)(equals + 3 - line))});
        line += n + (line[n] == '\n');
    }
    if (list.len)
        path->where = arena_dup(&x->arena, list.data, list.len * sizeof *list.data);
    path->nwhere = list.len;
    vec_free(&list);
}

static void fill_in(struct path_text *x, const struct terms *t, struct ask_path *path)
{
    struct buf *text = xcalloc(x->term.len + 1, sizeof *text), where = BUF_INIT;
    term_print_together(text, &where, t, x->term.data, x->term.len, x->known.data, x->name.data,
                        x->known.len);
    for (size_t i = 0; i < x->term.len; i++) {
        *x->blank.data[i] = arena_strdup(&x->arena, buf_text(&text[i]));
        buf_free(&text[i]);
    }
    define(x, &where, path);
    buf_free(&where);
    free(text);
}

static void free_text(struct path_text *x)
{
    vec_free(&x->term);
    vec_free(&x->blank);
    vec_free(&x->known);
    vec_free(&x->name);
    arena_free(&x->arena);
}

/* Those of them that there are. */
static size_t put_terms(struct path_text *x, const term *t, size_t n, const char *const **out)
{
    const char **list = arena_array(&x->arena, const char *, n + 1);
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (t[i] != TERM_NONE)
            put_term(x, &list[found++], t[i]);
    *out = list;
    return found;
}

static uint64_t place(const struct maker *m, uint64_t address)
{
    return m->p ? object_display_address(program_object(m->p), address) : address;
}

static void put_event(struct path_text *x, const struct maker *m, const struct exec_event *e,
                      struct ask_event *out)
{
    unsigned given = e->nargs - e->nhidden;
    *out = (struct ask_event){.kind = e->kind, .site = place(m, e->site), .name = e->name};
    put_term(x, &out->target, e->name ? TERM_NONE : e->target);
    out->narguments = put_terms(x, e->arg, given, &out->argument);
    out->nbesides = put_terms(x, e->arg + given, e->nhidden, &out->besides);
    put_term(x, &out->result, e->result);
    put_guard(x, m->t, &out->guard, e->guard);
}

static void put_write(struct path_text *x, const struct maker *m, const struct exec_write *w,
                      struct ask_write *out)
{
    *out = (struct ask_write){.site = place(m, w->site), .bytes = term_width(m->t, w->value) / 8};
    put_term(x, &out->address, w->address);
    put_term(x, &out->value, w->value);
    put_guard(x, m->t, &out->guard, w->guard);
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct maker *m = ctx;
    struct path_text x = {0};
    name_results(&x, path);
    name_literals(&x, m, path);
    struct ask_write *write = arena_array(&x.arena, struct ask_write, path->nwrites + 1);
    struct ask_event *event = arena_array(&x.arena, struct ask_event, path->nevents + 1);
    struct ask_path p = {.end = path->end,
                         .end_address = place(m, path->end_address),
                         .merged = path->merged,
                         .write = write,
                         .event = event,
                         .nevents = path->nevents,
                         .block = path->block,
                         .nblocks = path->nblocks};
    bool one = !path->nliterals && !term_is_true(m->t, path->condition);
    p.nconditions =
        put_terms(&x, one ? &path->condition : path->literal, one ? 1 : path->nliterals, &p.condition);
    put_term(&x, &p.result, path->result);
    for (unsigned i = 0; i < path->nwrites; i++) {
        if (path->write[i].local)
            p.local_writes++;
        else
            put_write(&x, m, &path->write[i], &write[p.nwrites++]);
    }
    for (unsigned i = 0; i < path->nevents; i++)
        put_event(&x, m, &path->event[i], &event[i]);
    fill_in(&x, m->t, &p);
    m->paths++;
    bool more = ask_say(m->say, EXPLORE_PATH, &path_type, &p);
    ask_progress(m->say, "paths", m->paths, 0);
    free_text(&x);
    return more;
}

/* ---- one function ---- */

/* A function asked for. */
struct subject {
    const char *name;
    uint64_t address;
    const struct flow_function *f; /* NULL: of another front end than machine code */
};

struct exploring {
    const struct ask_explore *q;
    struct ask_sink *say;
    struct ask_opened in;
    struct explore_options explore; /* with what is left of the time limit */
    VEC(struct subject) f;
};

static const char *limit_reached(const struct exploring *e, size_t paths, struct arena *arena)
{
    if (e->explore.max_paths && paths >= e->explore.max_paths)
        return arena_printf(arena, "limit of %llu paths", (unsigned long long)e->explore.max_paths);
    if (e->explore.timeout_ms)
        return arena_printf(arena, "time limit of %u ms", e->q->explore.timeout_ms);
    return "stopped";
}

static void say_begin(struct ask_sink *say, const struct subject *s, bool begun)
{
    ask_say(say, EXPLORE_BEGIN, &begin_type,
            &(struct ask_explored){.function = s->name, .address = s->address, .begun = begun});
}

static void say_end(struct ask_sink *say, const struct ask_explored *end)
{
    ask_say(say, EXPLORE_END, &end_type, end);
}

static bool explore_one(const struct exploring *e, const struct subject *about,
                        const struct solve_options *solve, struct ask_sink *say, struct error *err)
{
    const struct front_end *front = about->f ? NULL : e->in.front;
    struct front_code code;
    struct arena arena = ARENA_INIT;
    struct terms *t = terms_new();
    struct solver *s = !front || front->code(e->in.file, about->address, &arena, &code, err)
                           ? solver_new(t, solve, err)
                           : NULL;
    if (!s) {
        terms_free(t);
        arena_free(&arena);
        return false;
    }
    struct explorer *x = front ? front->explorer(e->in.file, about->address, t, s, &e->explore)
                               : explorer_new(e->in.p, t, s, &e->explore);
    say_begin(say, about, true);
    struct maker m = {e->in.p, t, say, 0};
    struct error why = {0};
    bool ok = front ? explore_graph(x, code.graph, on_path, &m, &why)
                    : explore_function(x, about->f, on_path, &m, &why);
    if (ok) {
        struct ask_explored end = {
            .finished = true,
            .ledger = {.explore = explorer_stats(x), .solve = solver_stats(s), .terms = terms_stats(t)}};
        /* A limit that was reached is an answer cut short, not the absence of one. */
        end.complete = !end.ledger.explore.dropped;
        if (!end.complete)
            end.reason = limit_reached(e, m.paths, &arena);
        say_end(say, &end);
    } else if (err) {
        *err = why;
    }
    explorer_free(x);
    solver_free(s);
    terms_free(t);
    arena_free(&arena);
    return ok;
}

/* ---- one worker a function, when there are several ---- */

static bool explore_job(void *ctx, size_t job, struct buf *out)
{
    struct exploring *e = ctx;
    struct solve_options solve = e->q->solve;
    struct arena arena = ARENA_INIT;
    struct ask_sink say = ask_below(out);
    struct error err = {0};
    if (solve.dump_dir)
        solve.dump_dir = ask_dump_dir(solve.dump_dir, e->f.data[job].address, &arena);
    bool ok = explore_one(e, &e->f.data[job], &solve, &say, &err);
    if (!ok)
        ask_say_error(&say, &err);
    arena_free(&arena);
    return ok;
}

static void explored_one(void *ctx, const struct work_result *r)
{
    struct exploring *e = ctx;
    struct error err = {0};
    size_t messages = 0;
    ask_progress(e->say, "functions explored", r->job + 1, e->f.len);
    ask_hand_on(e->say, r->output, r->output_len, &messages, &err);
    if (r->outcome == WORK_DONE)
        return;
    if (!messages) /* else it was begun: what was found is there, and not all of it */
        say_begin(e->say, &e->f.data[r->job], false);
    say_end(e->say, &(struct ask_explored){.reason = err.kind ? err.text : r->reason});
}

static unsigned grace(const struct ask_explore *q)
{
    return GRACE_MS + q->solve.timeout_ms;
}

static bool explore_all(struct exploring *e, struct error *err)
{
    const struct ask_explore *q = e->q;
    struct work_options w = {.jobs = q->limits.jobs,
                             .timeout_ms = (unsigned)q->limits.timeout,
                             .grace_ms = grace(q),
                             .memory_bytes = q->limits.memory};
    if (e->f.len == 1)
        return explore_one(e, &e->f.data[0], &q->solve, e->say, err);
    if (!q->limits.here)
        return work_run(e->f.len, &w, explore_job, explored_one, e, NULL, err);
    for (size_t i = 0; i < e->f.len; i++) {
        struct error why = {0};
        if (!explore_one(e, &e->f.data[i], &q->solve, e->say, &why))
            say_end(e->say, &(struct ask_explored){.reason = why.text});
    }
    return true;
}

/* ---- the question ---- */

static bool choose(struct exploring *e, struct error *err)
{
    const struct ask_explore *q = e->q;
    if (q->all) {
        const struct flow_function *f;
        size_t n = program_functions(e->in.p, &f);
        for (size_t i = 0; i < n; i++)
            if (!(f[i].flags & (FLOW_PLT | FLOW_PART | FLOW_EXTERN)))
                vec_push(&e->f, (struct subject){
                                    f[i].name, object_display_address(program_object(e->in.p), f[i].address),
                                    &f[i]});
        return true;
    }
    for (size_t i = 0; i < q->nfunctions; i++)
        program_reach(e->in.p, q->function[i]);
    for (size_t i = 0; i < q->nfunctions; i++) {
        const struct flow_function *f = program_function(e->in.p, q->function[i], err);
        if (!f)
            return false;
        vec_push(&e->f,
                 (struct subject){f->name, object_display_address(program_object(e->in.p), f->address), f});
    }
    return true;
}

static bool choose_front(struct exploring *e, struct error *err)
{
    const struct ask_explore *q = e->q;
    struct front_function f;
    for (size_t i = 0; q->all && e->in.front->nth(e->in.file, i, &f); i++)
        if (!f.declared)
            vec_push(&e->f, (struct subject){f.name, f.address, NULL});
    for (size_t i = 0; i < q->nfunctions; i++) {
        if (!e->in.front->find(e->in.file, q->function[i], &f, err))
            return false;
        vec_push(&e->f, (struct subject){f.name, f.address, NULL});
    }
    return true;
}

static bool several(const struct ask_explore *q)
{
    return q->all || q->nfunctions > 1;
}

/* What is left of a time limit, in which the file was opened too. */
static unsigned left_of(uint64_t limit, uint64_t spent)
{
    return (unsigned)(limit == 0 ? 0 : spent < limit ? limit - spent : 1);
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_explore *q = ((struct ask_explore_answer *)ctx)->q;
    struct exploring e = {.q = q, .say = say, .explore = q->explore};
    struct arena arena = ARENA_INIT;
    uint64_t begun = now_ms();
    if (several(q) && !q->limits.here) /* the limits of the workers to come do not hold for this one */
        work_limit_time((unsigned)q->limits.timeout);
    bool ok = ask_open(&e.in, q->open, q->file, &q->object, q->all, err) &&
              (e.in.front ? choose_front(&e, err) : choose(&e, err));
    if (!q->limits.here)
        work_limit_time(0);
    if (ok) {
        struct ask_facts facts = ask_opened_facts(&e.in, &arena);
        ask_say(say, EXPLORE_FACTS, &ask_facts_type, &facts);
        if (!several(q))
            e.explore.timeout_ms = left_of(q->explore.timeout_ms, now_ms() - begun);
        ok = explore_all(&e, err);
    }
    vec_free(&e.f);
    ask_close(&e.in);
    arena_free(&arena);
    return ok;
}

/* ---- the answer ---- */

static bool hear_path(struct ask_explore_answer *a, struct ask_explored *x, const char *bytes, size_t n)
{
    struct ask_path p;
    struct arena arena = ARENA_INIT;
    if (!a->q->each) {
        if (!wire_get(bytes, n, &path_type, &p, &a->arena))
            return false;
        vec_push(&x->path, p);
        return true;
    }
    bool more = wire_get(bytes, n, &path_type, &p, &arena) && a->q->each(a->q->ctx, &p);
    arena_free(&arena);
    return more;
}

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_explore_answer *a = ctx;
    struct ask_explored *last = a->explored.len ? &vec_last(&a->explored) : NULL, x = {0}, end;
    switch (message) {
    case EXPLORE_FACTS:
        return a->begun = wire_get(bytes, n, &ask_facts_type, &a->facts, &a->arena);
    case EXPLORE_BEGIN:
        if (!wire_get(bytes, n, &begin_type, &x, &a->arena))
            return false;
        vec_push(&a->explored, x);
        return true;
    case EXPLORE_PATH:
        return last && hear_path(a, last, bytes, n);
    case EXPLORE_END:
        if (!last || !wire_get(bytes, n, &end_type, &end, &a->arena))
            return false;
        last->finished = end.finished;
        last->ledger = end.ledger;
        last->complete = end.complete;
        last->reason = end.reason;
        return true;
    }
    return false;
}

bool ask_explore(const struct ask_explore *q, const struct ask_session *session, struct ask_explore_answer *a,
                 struct error *err)
{
    *a = (struct ask_explore_answer){.q = q};
    /* With several functions each has its own worker and limit under this one. */
    if (!ask_put(ask, hear, a, &q->limits, several(q) ? 0 : q->limits.timeout, grace(q), session, &a->end,
                 err))
        return false;
    if (a->end.outcome != WORK_DONE && a->explored.len && !vec_last(&a->explored).complete)
        vec_last(&a->explored).reason = a->end.reason;
    return true;
}

void ask_explore_free(struct ask_explore_answer *a)
{
    for (size_t i = 0; i < a->explored.len; i++)
        vec_free(&a->explored.data[i].path);
    vec_free(&a->explored);
    arena_free(&a->arena);
}

enum ask_status ask_explore_status(const struct ask_explore_answer *a)
{
    for (size_t i = 0; i < a->explored.len; i++)
        if (!a->explored.data[i].complete)
            return ASK_UNKNOWN;
    return ASK_YES;
}
