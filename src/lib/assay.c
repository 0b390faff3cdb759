/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public library: thin names over src/report and src/flow. */
#include "assay/assay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report.h"
#include "report/verify.h"

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

/* ---- two versions ---- */

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

static bool verify_pair(const struct match_file_pair *pair, const struct report_verify *how,
                        struct report_sink sink, struct error *err)
{
    struct report_verified *v = report_verify_open(pair, how, sink, err);
    if (!v)
        return false;
    if (report_verify_wants_libraries(v))
        report_verify_libraries(v, (struct report_sink){.put = report_verify_told, .ctx = v});
    report_verify_ready(v, NULL, sink);
    for (size_t i = 0; i < report_verify_count(v); i++)
        report_verify_function(v, i, sink);
    report_verify_close(v);
    return true;
}

static bool verify_all(const char *old, const char *new, const struct assay_verify_options *opt,
                       struct config *config, struct report *r, struct error *err)
{
    struct report_verify how = {
        .old = old,
        .new = new,
        .function = opt ? opt->functions : NULL,
        .nfunctions = opt ? count(opt->functions) : 0,
        .config = config,
        .how = {.strategy = opt && opt->paths ? VERIFY_PATHS : VERIFY_CONVERGE,
                .heuristics = VERIFY_BY_ALL,
                .assume = VERIFY_ASSUME_ALL,
                .axioms = AXIOM_ALL,
                .timeout_ms = opt ? opt->timeout_ms : 0,
                .solve = {.fp_theory = true}},
    };
    if ((opt && opt->config && !config_read(config, opt->config, err)) ||
        (opt && opt->answers && !config_read_answers(config, opt->answers, false, err)))
        return false;
    how.how.know = config_knowledge(config);
    struct match_files *files = match_files_open(old, new, err);
    if (!files)
        return false;
    const struct match_file_pair *pair;
    size_t n = match_file_pairs(files, &pair);
    struct report_sink sink = report_sink(r);
    how.several = n > 1;
    how.files = files;
    report_add(r, "input", json_pack("{s:o, s:o}", "old", report_string(old), "new", report_string(new)));
    report_verify_configuration(config, sink);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        ok = verify_pair(&pair[i], &how, sink, err);
        if (!ok && n > 1) { /* one that cannot be compared makes the whole unknown */
            report_add(r, "files.error", report_string(err->text));
            ok = true;
        }
    }
    match_files_free(files);
    if (ok)
        report_verify_sum(r);
    return ok;
}

assay_report *assay_report_verify(const char *old_path, const char *new_path,
                                  const struct assay_verify_options *opt, struct assay_error *err)
{
    struct report *r = report_new("verify");
    struct config *config = config_new();
    struct error e = {0};
    bool ok = verify_all(old_path, new_path, opt, config, r, &e);
    config_free(config);
    return finish(r, ok, &e, err);
}

static enum assay_verdict verdict_of(json_t *j)
{
    const char *s = json_string_value(json_object_get(j, "verdict"));
    return s && strcmp(s, "safe") == 0     ? ASSAY_SAFE
           : s && strcmp(s, "unsafe") == 0 ? ASSAY_UNSAFE
                                           : ASSAY_UNKNOWN;
}

static uint64_t address_of(json_t *place)
{
    const char *s = json_string_value(json_object_get(place, "address"));
    return s ? strtoull(s, NULL, 16) : 0;
}

static bool call_with_function(json_t *f, bool (*fn)(void *ctx, const struct assay_verified *function),
                               void *ctx)
{
    struct buf failed = BUF_INIT;
    size_t i;
    json_t *p;
    json_array_foreach(json_object_get(f, "failed"), i, p)
        buf_printf(&failed, "%s%s", i ? "," : "", json_string_value(p));
    struct assay_verified one = {
        .name = json_string_value(json_object_get(f, "name")),
        .old_address = address_of(json_object_get(f, "old")),
        .new_address = address_of(json_object_get(f, "new")),
        .verdict = verdict_of(f),
        .failed = buf_text(&failed),
        .reason = json_string_value(json_object_get(f, "reason")),
        .differences = json_array_size(json_object_get(f, "differences")),
    };
    bool more = fn(ctx, &one);
    buf_free(&failed);
    return more;
}

bool assay_verify(const char *old_path, const char *new_path, const struct assay_verify_options *opt,
                  bool (*fn)(void *ctx, const struct assay_verified *function), void *ctx,
                  enum assay_verdict *verdict, struct assay_error *err)
{
    assay_report *report = assay_report_verify(old_path, new_path, opt, err);
    if (!report)
        return false;
    json_t *doc = report_document((struct report *)report), *file, *f;
    size_t i, k;
    bool more = fn != NULL;
    *verdict = verdict_of(doc);
    json_array_foreach(json_object_get(doc, "files"), i, file)
        json_array_foreach(json_object_get(file, "functions"), k, f) more =
            more && call_with_function(f, fn, ctx);
    assay_report_free(report);
    return true;
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
