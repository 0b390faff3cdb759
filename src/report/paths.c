/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a function as symbolic execution finds them. */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/bitcode.h"
#include "flow/bitcode.h"
#include "report/bitcode.h"

static const char *event_name(unsigned kind)
{
    switch (kind) {
    case EVENT_CALL:
        return "call";
    case EVENT_SYSCALL:
        return "system call";
    case EVENT_INTRINSIC:
        return "intrinsic";
    case EVENT_UNKNOWN:
        return "unknown instruction";
    }
    return "?";
}

struct maker {
    struct program *p; /* NULL: bitcode, in which literals have their texts for names */
    struct terms *t;
    struct report_sink sink;
    size_t paths;
};

/* A path's terms are printed together, so that what they share is spelled once. Each is a place in a JSON
 * object, and is filled in when all are known. */
struct blank {
    json_t *object; /* borrowed: set name of it; an array: append to it */
    const char *name;
};

struct path_text {
    VEC(term) term;
    VEC(struct blank) blank;
    VEC(term) known; /* terms with a name of their own: what calls return, and memory after them */
    VEC(const char *) name;
    struct arena arena; /* of the names */
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

static void put_term(struct path_text *x, json_t *object, const char *name, term t)
{
    if (t == TERM_NONE) {
        json_object_set_new(object, name, json_null());
        return;
    }
    vec_push(&x->term, t);
    vec_push(&x->blank, (struct blank){object, name});
}

static void put_guard(struct path_text *x, const struct terms *t, json_t *object, term guard)
{
    if (guard != TERM_NONE && !term_is_true(t, guard))
        put_term(x, object, "guard", guard);
}

/* The definitions, as a list of {"name", "term"}. */
static json_t *definitions(const struct buf *where)
{
    json_t *list = json_array();
    for (const char *line = buf_text(where); *line;) {
        size_t n = strcspn(line, "\n");
        const char *equals = strstr(line, " = ");
        struct buf name = BUF_INIT, text = BUF_INIT;
        buf_put(&name, line, (size_t)(equals - line));
        buf_put(&text, equals + 3, n - (size_t)(equals + 3 - line));
        json_t *j = json_object();
        json_object_set_new(j, "name", report_string(buf_text(&name)));
        json_object_set_new(j, "term", report_string(buf_text(&text)));
        json_array_append_new(list, j);
        buf_free(&name);
        buf_free(&text);
        line += n + (line[n] == '\n');
    }
    return list;
}

static void fill_in(struct path_text *x, const struct terms *t, json_t *path)
{
    struct buf *text = xcalloc(x->term.len, sizeof *text), where = BUF_INIT;
    term_print_together(text, &where, t, x->term.data, x->term.len, x->known.data, x->name.data,
                        x->known.len);
    for (size_t i = 0; i < x->term.len; i++) {
        json_t *value = report_string(buf_text(&text[i]));
        if (json_is_array(x->blank.data[i].object))
            json_array_append_new(x->blank.data[i].object, value);
        else
            json_object_set_new(x->blank.data[i].object, x->blank.data[i].name, value);
        buf_free(&text[i]);
    }
    json_object_set_new(path, "where", definitions(&where));
    buf_free(&where);
    free(text);
    vec_free(&x->term);
    vec_free(&x->blank);
    vec_free(&x->known);
    vec_free(&x->name);
    arena_free(&x->arena);
}

static json_t *event_record(struct path_text *x, const struct terms *t, const struct exec_event *e)
{
    json_t *j = json_object(), *args = json_array(), *besides = json_array();
    json_object_set_new(j, "kind", json_string(event_name(e->kind)));
    json_object_set_new(j, "site", report_address(e->site));
    json_object_set_new(j, "name", report_string(e->name));
    if (!e->name && e->target != TERM_NONE)
        put_term(x, j, "target", e->target);
    for (unsigned i = 0; i < e->nargs; i++)
        put_term(x, i < e->nargs - e->nhidden ? args : besides, NULL, e->arg[i]);
    json_object_set_new(j, "arguments", args);
    json_object_set_new(j, "reads_besides", besides);
    put_term(x, j, "result", e->result);
    put_guard(x, t, j, e->guard);
    return j;
}

static json_t *write_record(struct path_text *x, const struct terms *t, const struct exec_write *w)
{
    json_t *j = json_object();
    json_object_set_new(j, "site", report_address(w->site));
    put_term(x, j, "address", w->address);
    put_term(x, j, "value", w->value);
    json_object_set_new(j, "bytes", json_integer(term_width(t, w->value) / 8));
    put_guard(x, t, j, w->guard);
    return j;
}

/* What was decided on the way, one condition each; nothing when the path is always taken. */
static json_t *conditions(struct path_text *x, const struct terms *t, const struct exec_path *path)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < path->nliterals; i++)
        put_term(x, list, NULL, path->literal[i]);
    if (!path->nliterals && !term_is_true(t, path->condition))
        put_term(x, list, NULL, path->condition);
    return list;
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct maker *m = ctx;
    struct path_text x = {0};
    name_results(&x, path);
    name_literals(&x, m, path);
    json_t *j = json_object();
    json_object_set_new(j, "end", json_string(path_end_name(path->end)));
    json_object_set_new(j, "end_address", report_address(path->end_address));
    json_object_set_new(j, "conditions", conditions(&x, m->t, path));
    put_term(&x, j, "result", path->result);
    json_object_set_new(j, "merged", json_boolean(path->merged));
    json_t *list = json_array();
    unsigned local = 0;
    for (unsigned i = 0; i < path->nwrites; i++) {
        if (path->write[i].local)
            local++;
        else
            json_array_append_new(list, write_record(&x, m->t, &path->write[i]));
    }
    json_object_set_new(j, "writes", list);
    json_object_set_new(j, "local_writes", json_integer(local));
    list = json_array();
    for (unsigned i = 0; i < path->nevents; i++)
        json_array_append_new(list, event_record(&x, m->t, &path->event[i]));
    json_object_set_new(j, "events", list);
    list = json_array();
    for (unsigned i = 0; i < path->nblocks; i++)
        json_array_append_new(list, json_integer(path->block[i]));
    json_object_set_new(j, "blocks", list);
    fill_in(&x, m->t, j);
    m->paths++;
    bool more = m->sink.put(m->sink.ctx, "explored.paths[]", j);
    if (m->sink.progress)
        m->sink.progress(m->sink.ctx, "paths", m->paths, 0);
    return more;
}

static void count(json_t *j, const char *name, uint64_t n)
{
    json_object_set_new(j, name, json_integer((json_int_t)n));
}

/* What the answer rests on. */
static json_t *ledger(const struct explore_options *o, const struct explore_stats *s)
{
    json_t *j = json_object(), *axioms = json_object();
    for (unsigned i = 0; i < sizeof s->axiom_used / sizeof *s->axiom_used; i++)
        if (o->axioms & 1u << i)
            count(axioms, axiom_name(i), s->axiom_used[i]);
    if (s->object_used)
        count(axioms, "object", s->object_used);
    count(axioms, "abi", s->abi_assumed);
    count(axioms, "library", s->library_assumed);
    count(axioms, "no-throw", s->throws_ignored);
    json_object_set_new(j, "axioms_used", axioms);
    count(j, "loop_bound_hits", s->loop_bound_hits);
    count(j, "undecoded_instructions", s->undecoded);
    count(j, "unknown_effects", s->unknown_effects);
    count(j, "unresolved_jumps", s->unresolved_jumps);
    count(j, "solver_gave_up", s->solver_unknown);
    count(j, "frame_escapes", s->escapes);
    count(j, "arguments_guessed", s->args_guessed);
    count(j, "returns_unproved", s->returns_unproved);
    count(j, "states_dropped", s->dropped);
    return j;
}

static json_t *stats(const struct explore_stats *e, const struct solve_stats *s, const struct terms_stats *t)
{
    json_t *j = json_object();
    count(j, "paths", e->paths);
    count(j, "infeasible", e->infeasible);
    count(j, "forks", e->forks);
    count(j, "merges", e->merges);
    count(j, "merges_refused", e->merge_refused);
    count(j, "states", e->states);
    count(j, "blocks_executed", e->blocks);
    count(j, "calls_followed", e->inlined);
    count(j, "terms", t->nodes);
    count(j, "term_lookups", t->lookups);
    count(j, "term_hits", t->hits);
    count(j, "rewrites", t->rewrites);
    count(j, "queries", s->queries);
    count(j, "answered_by_rewriting", s->by_rewriting);
    count(j, "answered_cheaply", s->by_cheap);
    count(j, "models_repaired", s->repaired);
    count(j, "parts_found_equal", s->merged);
    count(j, "answered_by_cache", s->by_cache);
    count(j, "solver_calls", s->by_solver);
    count(j, "sat", s->sat);
    count(j, "unsat", s->unsat);
    count(j, "unknown", s->unknown);
    count(j, "models_rejected", s->models_rejected);
    return j;
}

static json_t *limit_reached(const struct report_explore *opt, size_t paths)
{
    const struct explore_options *o = &opt->explore;
    char text[64];
    if (o->max_paths && paths >= o->max_paths)
        snprintf(text, sizeof text, "limit of %llu paths", (unsigned long long)o->max_paths);
    else if (o->timeout_ms)
        snprintf(text, sizeof text, "time limit of %u ms", opt->limit_ms ? opt->limit_ms : o->timeout_ms);
    else
        snprintf(text, sizeof text, "stopped");
    return json_string(text);
}

/* What is explored: a function of a program, or the code of one of a module. */
struct subject {
    const char *name;
    uint64_t address;
    struct program *p;
    const struct flow_function *f;
    struct bitcode *m;
    const struct bitcode_code *code;
};

static bool report_subject(const struct subject *about, const struct report_explore *opt, struct report_sink sink,
                           struct error *err)
{
    struct terms *t = terms_new();
    struct solver *s = solver_new(t, &opt->solve, err);
    if (!s) {
        terms_free(t);
        return false;
    }
    struct arena arena = ARENA_INIT;
    struct explorer *x = about->p ? explorer_new(about->p, t, s, &opt->explore)
                                  : explorer_new_bitcode(about->m, about->code, t, s, &opt->explore);
    json_t *j = json_object();
    json_object_set_new(j, "function", report_string(about->name));
    json_object_set_new(j, "address", report_address(about->address));
    json_object_set_new(j, "strategy", json_string(opt->explore.merge ? "merge" : "paths"));
    json_object_set_new(j, "paths", json_array());
    json_object_set_new(j, "complete", json_false());
    sink.put(sink.ctx, "explored[]", j);
    struct maker m = {about->p, t, sink, 0};
    struct error why = {0};
    bool ok = about->p ? explore_function(x, about->f, on_path, &m, &why)
                       : explore_graph(x, flow_bitcode(about->code, &arena), on_path, &m, &why);
    struct explore_stats es = explorer_stats(x);
    struct solve_stats ss = solver_stats(s);
    struct terms_stats ts = terms_stats(t);
    /* A limit that was reached is an answer cut short, not the absence of one. */
    bool limited = ok && es.dropped;
    if (ok) {
        sink.put(sink.ctx, "explored.ledger", ledger(&opt->explore, &es));
        sink.put(sink.ctx, "explored.complete", json_boolean(!limited));
        if (limited)
            sink.put(sink.ctx, "explored.reason", limit_reached(opt, m.paths));
        if (opt->stats)
            sink.put(sink.ctx, "explored.stats", stats(&es, &ss, &ts));
    } else if (err) {
        *err = why;
    }
    explorer_free(x);
    solver_free(s);
    terms_free(t);
    arena_free(&arena);
    return ok;
}

bool report_paths(struct program *p, const struct flow_function *f, const struct report_explore *opt,
                  struct report_sink sink, struct error *err)
{
    return report_subject(&(struct subject){.name = f->name, .address = f->address, .p = p, .f = f}, opt, sink, err);
}

bool report_bitcode_paths(struct bitcode *m, const struct bitcode_function *f, const struct report_explore *opt,
                          struct report_sink sink, struct error *err)
{
    const struct bitcode_code *code = bitcode_code(m, f, err);
    return code &&
           report_subject(&(struct subject){.name = f->name, .address = f->address, .m = m, .code = code}, opt, sink,
                          err);
}

void report_paths_failed(const char *function, const char *reason, struct report_sink sink)
{
    json_t *j = json_object();
    json_object_set_new(j, "function", report_string(function));
    json_object_set_new(j, "paths", json_array());
    json_object_set_new(j, "complete", json_false());
    json_object_set_new(j, "reason", report_string(reason));
    sink.put(sink.ctx, "explored[]", j);
}
