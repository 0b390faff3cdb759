/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document of `assay explore`. */
#include "report/explore.h"

#include "report/facts.h"

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

static json_t *event_record(const struct ask_event *e)
{
    json_t *j = json_object();
    json_object_set_new(j, "kind", json_string(event_name(e->kind)));
    json_object_set_new(j, "site", report_address(e->site));
    json_object_set_new(j, "name", report_string(e->name));
    if (e->target)
        json_object_set_new(j, "target", report_string(e->target));
    json_object_set_new(j, "arguments", report_strings(e->argument, e->narguments));
    json_object_set_new(j, "reads_besides", report_strings(e->besides, e->nbesides));
    json_object_set_new(j, "result", report_string(e->result));
    if (e->guard)
        json_object_set_new(j, "guard", report_string(e->guard));
    return j;
}

static json_t *write_record(const struct ask_write *w)
{
    json_t *j = json_object();
    json_object_set_new(j, "site", report_address(w->site));
    json_object_set_new(j, "address", report_string(w->address));
    json_object_set_new(j, "value", report_string(w->value));
    json_object_set_new(j, "bytes", json_integer(w->bytes));
    if (w->guard)
        json_object_set_new(j, "guard", report_string(w->guard));
    return j;
}

static json_t *path_record(const struct ask_path *p)
{
    json_t *j = json_object();
    json_object_set_new(j, "end", json_string(path_end_name((enum path_end)p->end)));
    json_object_set_new(j, "end_address", report_address(p->end_address));
    json_object_set_new(j, "conditions", report_strings(p->condition, p->nconditions));
    json_object_set_new(j, "result", report_string(p->result));
    json_object_set_new(j, "merged", json_boolean(p->merged));
    json_t *list = json_array();
    for (size_t i = 0; i < p->nwrites; i++)
        json_array_append_new(list, write_record(&p->write[i]));
    json_object_set_new(j, "writes", list);
    json_object_set_new(j, "local_writes", json_integer(p->local_writes));
    list = json_array();
    for (size_t i = 0; i < p->nevents; i++)
        json_array_append_new(list, event_record(&p->event[i]));
    json_object_set_new(j, "events", list);
    list = json_array();
    for (size_t i = 0; i < p->nblocks; i++)
        json_array_append_new(list, json_integer(p->block[i]));
    json_object_set_new(j, "blocks", list);
    list = json_array();
    for (size_t i = 0; i < p->nwhere; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "name", report_string(p->where[i].name), "term",
                                              report_string(p->where[i].term)));
    json_object_set_new(j, "where", list);
    return j;
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

static json_t *explored_record(const struct ask_explored *x, const struct ask_explore *q, bool with_stats)
{
    json_t *j = json_object(), *paths = json_array();
    for (size_t i = 0; i < x->path.len; i++)
        json_array_append_new(paths, path_record(&x->path.data[i]));
    json_object_set_new(j, "function", report_string(x->function));
    json_object_set_new(j, "paths", paths);
    json_object_set_new(j, "complete", json_boolean(x->complete));
    if (x->reason)
        json_object_set_new(j, "reason", report_string(x->reason));
    if (x->begun) {
        json_object_set_new(j, "address", report_address(x->address));
        json_object_set_new(j, "strategy", json_string(q->explore.merge ? "merge" : "paths"));
    }
    if (x->finished)
        json_object_set_new(j, "ledger", ledger(&q->explore, &x->ledger.explore));
    if (x->finished && with_stats)
        json_object_set_new(j, "stats", stats(&x->ledger.explore, &x->ledger.solve, &x->ledger.terms));
    return j;
}

struct report *report_explore(const struct ask_explore_answer *a, bool with_stats)
{
    struct report *r = report_new("explore");
    report_add(r, "input", facts_record(&a->facts));
    for (size_t i = 0; i < a->explored.len; i++)
        report_add(r, "explored[]", explored_record(&a->explored.data[i], a->q, with_stats));
    report_cut(r, &a->end);
    return r;
}
