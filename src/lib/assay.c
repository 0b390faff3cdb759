/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public library: thin names over src/report and src/flow. */
#include "assay/assay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report.h"

/* The public types are the internal ones under another name. */
static struct program *inside(const assay_program *p)
{
    return (struct program *)p;
}

const char *assay_version(void)
{
    return ASSAY_VERSION;
}

static void tell(struct assay_error *to, const struct error *from)
{
    if (!to)
        return;
    to->code = error_exit_code(from->kind);
    snprintf(to->text, sizeof to->text, "%s", from->text);
}

assay_program *assay_open(const char *path, const struct assay_open_options *opt, struct assay_error *err)
{
    struct program_options o = {.deep = true};
    if (opt) {
        o.object.debug_dirs = opt->debug_dirs;
        o.object.no_debug = opt->no_debug;
        o.deep = !opt->tables_only;
    }
    struct error e = {0};
    struct program *p = program_open(path, &o, &e);
    if (!p)
        tell(err, &e);
    return (assay_program *)p;
}

void assay_close(assay_program *p)
{
    if (p)
        program_free(inside(p));
}

const char *assay_architecture(const assay_program *p)
{
    return program_machine(inside(p))->name;
}

const char *assay_sha256(const assay_program *p)
{
    return object_info(program_object(inside(p)))->sha256;
}

const char *assay_build_id(const assay_program *p)
{
    return object_info(program_object(inside(p)))->build_id;
}

size_t assay_function_count(const assay_program *p)
{
    const struct flow_function *f;
    return program_functions(inside(p), &f);
}

static void describe(assay_program *p, const struct flow_function *f, struct assay_function *out)
{
    struct flow_prototype proto = flow_prototype(inside(p), f);
    *out = (struct assay_function){
        .address = f->address,
        .size = f->size,
        .name = f->name,
        .arguments = proto.source == PROTO_NONE ? -1 : proto.nargs,
        .returns_value = proto.returns || proto.returns_float,
        .noreturn = proto.noreturn || flow_noreturn(inside(p), f->address),
    };
}

bool assay_function_get(assay_program *p, size_t i, struct assay_function *out)
{
    const struct flow_function *f;
    if (i >= program_functions(inside(p), &f))
        return false;
    describe(p, &f[i], out);
    return true;
}

static const struct flow_function *find(assay_program *p, const char *spec, struct assay_error *err)
{
    struct error e = {0};
    const struct flow_function *f = program_function(inside(p), spec, &e);
    if (!f)
        tell(err, &e);
    return f;
}

bool assay_function_find(assay_program *p, const char *spec, struct assay_function *out,
                         struct assay_error *err)
{
    const struct flow_function *f = find(p, spec, err);
    if (f)
        describe(p, f, out);
    return f != NULL;
}

/* ---- reports ---- */

static assay_report *finish(struct report *r, bool ok, const struct error *e, struct assay_error *err)
{
    if (ok)
        return (assay_report *)r;
    tell(err, e);
    report_free(r);
    return NULL;
}

assay_report *assay_report_info(const char *path, struct assay_error *err)
{
    struct report *r = report_new("info");
    struct object_options opt = {0};
    struct error e = {0};
    return finish(r, report_info(path, &opt, report_sink(r), &e), &e, err);
}

assay_report *assay_report_functions(assay_program *p, struct assay_error *err)
{
    struct report *r = report_new("functions");
    struct error e = {0};
    return finish(r, report_functions(inside(p), report_sink(r), &e), &e, err);
}

static assay_report *graph(assay_program *p, const char *function, const char *kind, bool with_ir,
                           struct assay_error *err)
{
    const struct flow_function *f = find(p, function, err);
    if (!f)
        return NULL;
    struct report *r = report_new(kind);
    struct error e = {0};
    return finish(r, report_graph(inside(p), f, with_ir, report_sink(r), &e), &e, err);
}

assay_report *assay_report_cfg(assay_program *p, const char *function, struct assay_error *err)
{
    return graph(p, function, "cfg", false, err);
}

assay_report *assay_report_lift(assay_program *p, const char *function, struct assay_error *err)
{
    return graph(p, function, "lift", true, err);
}

static struct report_explore explore_options(const struct assay_explore_options *opt)
{
    struct report_explore o = {
        .explore = {.merge = true, .merge_returns = true, .axioms = AXIOM_ALL, .prune = true},
        .solve = {.fp_theory = true}};
    if (opt) {
        o.explore.merge = o.explore.merge_returns = !opt->paths;
        o.explore.visits = opt->visits;
        o.explore.max_paths = opt->max_paths;
        o.explore.timeout_ms = opt->timeout_ms;
        o.solve.fp_theory = !opt->no_fp_theory;
        o.stats = opt->stats;
    }
    return o;
}

assay_report *assay_report_explore(assay_program *p, const char *function,
                                   const struct assay_explore_options *opt, struct assay_error *err)
{
    const struct flow_function *f = find(p, function, err);
    if (!f)
        return NULL;
    struct report *r = report_new("explore");
    struct report_sink sink = report_sink(r);
    struct report_explore o = explore_options(opt);
    struct error e = {0};
    report_input(inside(p), sink);
    return finish(r, report_paths(inside(p), f, &o, sink, &e), &e, err);
}

struct path_caller {
    bool (*fn)(void *ctx, const struct assay_path *path);
    void *ctx;
};

static bool call_with_path(void *ctx, const char *place, json_t *value)
{
    struct path_caller *c = ctx;
    bool more = true;
    if (strcmp(place, "explored.paths[]") == 0) {
        struct buf condition = BUF_INIT, where = BUF_INIT;
        size_t i;
        json_t *e;
        json_array_foreach(json_object_get(value, "conditions"), i, e)
            buf_printf(&condition, "%s(%s)", i ? " && " : "", json_string_value(e));
        json_array_foreach(json_object_get(value, "where"), i, e)
            buf_printf(&where, "%s%s = %s", i ? "\n" : "", json_string_value(json_object_get(e, "name")),
                       json_string_value(json_object_get(e, "term")));
        struct assay_path path = {
            .condition = condition.len ? buf_text(&condition) : "true",
            .where = buf_text(&where),
            .result = json_string_value(json_object_get(value, "result")),
            .end = json_string_value(json_object_get(value, "end")),
            .writes = json_array_size(json_object_get(value, "writes")),
            .calls = json_array_size(json_object_get(value, "events")),
        };
        more = c->fn(c->ctx, &path);
        buf_free(&condition);
        buf_free(&where);
    }
    json_decref(value);
    return more;
}

bool assay_explore(assay_program *p, const char *function, const struct assay_explore_options *opt,
                   bool (*fn)(void *ctx, const struct assay_path *path), void *ctx, struct assay_error *err)
{
    const struct flow_function *f = find(p, function, err);
    if (!f)
        return false;
    struct path_caller c = {fn, ctx};
    struct report_explore o = explore_options(opt);
    struct error e = {0};
    bool ok = report_paths(inside(p), f, &o, (struct report_sink){.put = call_with_path, .ctx = &c}, &e);
    if (!ok)
        tell(err, &e);
    return ok;
}

void assay_report_free(assay_report *r)
{
    report_free((struct report *)r);
}

/* Gives the buffer's storage away. */
static char *taken(struct buf *b)
{
    buf_puts(b, "");
    return b->data ? b->data : xstrdup("");
}

char *assay_report_text(const assay_report *r)
{
    struct buf b = BUF_INIT;
    report_text((const struct report *)r, (struct report_style){.color = false}, &b);
    return taken(&b);
}

char *assay_report_json(const assay_report *r)
{
    struct buf b = BUF_INIT;
    report_json((const struct report *)r, &b);
    return taken(&b);
}

char *assay_report_dot(const assay_report *r)
{
    struct report *inner = (struct report *)r;
    if (!json_object_get(report_document(inner), "blocks"))
        return NULL;
    struct buf b = BUF_INIT;
    report_dot(inner, &b);
    return taken(&b);
}
