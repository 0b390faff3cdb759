/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public library: thin names over src/ask, src/report and src/flow. */
#include "assay/assay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/explore.h"
#include "report/functions.h"
#include "report/graph.h"
#include "report/info.h"
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
        .address = object_display_address(program_object(inside(p)), f->address),
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
    program_reach(inside(p), spec);
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

/* Whether a question that was put in this process was answered; tells why not. */
static bool answered(bool put, const struct ask_end *end, const struct error *e, struct assay_error *err)
{
    if (put && end->outcome == WORK_DONE)
        return true;
    tell(err, put ? &end->err : e);
    return false;
}

assay_report *assay_report_info(const char *path, struct assay_error *err)
{
    struct ask_info q = {.file = path, .limits = {.here = true}};
    struct ask_info_answer a;
    struct error e = {0};
    bool ok = answered(ask_info(&q, NULL, &a, &e), &a.end, &e, err);
    struct report *r = ok ? report_info(&a) : NULL;
    ask_info_free(&a);
    return (assay_report *)r;
}

assay_report *assay_report_functions(assay_program *p, struct assay_error *err)
{
    struct ask_functions q = {.open = inside(p), .limits = {.here = true}};
    struct ask_functions_answer a;
    struct error e = {0};
    bool ok = answered(ask_functions(&q, NULL, &a, &e), &a.end, &e, err);
    struct report *r = ok ? report_functions(&a) : NULL;
    ask_functions_free(&a);
    return (assay_report *)r;
}

static assay_report *graph(assay_program *p, const char *function, bool with_ir, struct assay_error *err)
{
    struct ask_graph q = {
        .open = inside(p), .function = function, .with_ir = with_ir, .limits = {.here = true}};
    struct ask_graph_answer a;
    struct error e = {0};
    bool ok = answered(ask_graph(&q, NULL, &a, &e), &a.end, &e, err);
    struct report *r = ok ? report_graph(&a) : NULL;
    ask_graph_free(&a);
    return (assay_report *)r;
}

assay_report *assay_report_cfg(assay_program *p, const char *function, struct assay_error *err)
{
    return graph(p, function, false, err);
}

assay_report *assay_report_lift(assay_program *p, const char *function, struct assay_error *err)
{
    return graph(p, function, true, err);
}

/* `function` must outlive the question. */
static struct ask_explore explore_question(assay_program *p, const char *const *function,
                                           const struct assay_explore_options *opt)
{
    struct ask_explore q = {
        .open = inside(p),
        .function = function,
        .nfunctions = 1,
        .explore = {.merge = true, .merge_returns = true, .axioms = AXIOM_ALL, .prune = true},
        .solve = {.fp_theory = true},
        .limits = {.here = true}};
    if (opt) {
        q.explore.merge = q.explore.merge_returns = !opt->paths;
        q.explore.visits = opt->visits;
        q.explore.max_paths = opt->max_paths;
        q.explore.timeout_ms = opt->timeout_ms;
        q.solve.fp_theory = !opt->no_fp_theory;
    }
    return q;
}

assay_report *assay_report_explore(assay_program *p, const char *function,
                                   const struct assay_explore_options *opt, struct assay_error *err)
{
    struct ask_explore q = explore_question(p, &function, opt);
    struct ask_explore_answer a;
    struct error e = {0};
    bool ok = answered(ask_explore(&q, NULL, &a, &e), &a.end, &e, err);
    struct report *r = ok ? report_explore(&a, opt && opt->stats) : NULL;
    ask_explore_free(&a);
    return (assay_report *)r;
}

struct path_caller {
    bool (*fn)(void *ctx, const struct assay_path *path);
    void *ctx;
};

static bool call_with_path(void *ctx, const struct ask_path *p)
{
    struct path_caller *c = ctx;
    struct buf condition = BUF_INIT, where = BUF_INIT;
    for (size_t i = 0; i < p->nconditions; i++)
        buf_printf(&condition, "%s(%s)", i ? " && " : "", p->condition[i]);
    for (size_t i = 0; i < p->nwhere; i++)
        buf_printf(&where, "%s%s = %s", i ? "\n" : "", p->where[i].name, p->where[i].term);
    struct assay_path path = {
        .condition = condition.len ? buf_text(&condition) : "true",
        .where = buf_text(&where),
        .result = p->result,
        .end = path_end_name((enum path_end)p->end),
        .writes = p->nwrites,
        .calls = p->nevents,
    };
    bool more = c->fn(c->ctx, &path);
    buf_free(&condition);
    buf_free(&where);
    return more;
}

bool assay_explore(assay_program *p, const char *function, const struct assay_explore_options *opt,
                   bool (*fn)(void *ctx, const struct assay_path *path), void *ctx, struct assay_error *err)
{
    struct path_caller c = {fn, ctx};
    struct ask_explore q = explore_question(p, &function, opt);
    struct ask_explore_answer a;
    struct error e = {0};
    q.each = call_with_path;
    q.ctx = &c;
    bool ok = answered(ask_explore(&q, NULL, &a, &e), &a.end, &e, err);
    ask_explore_free(&a);
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

/* Puts the question in this process, and hands the answer to `use`. */
static bool verify(const char *old, const char *new, const struct assay_verify_options *opt,
                   void (*use)(void *ctx, const struct ask_verify_answer *a), void *ctx,
                   struct assay_error *err)
{
    struct config *config = config_new();
    struct ask_verify q = {
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
        .limits = {.here = true},
    };
    struct ask_verify_answer a = {0};
    struct error e = {0};
    bool ok = (!opt || !opt->config || config_read(config, opt->config, &e)) &&
              (!opt || !opt->answers || config_read_answers(config, opt->answers, false, &e));
    q.how.know = config_knowledge(config);
    if (!ok)
        tell(err, &e);
    ok = ok && answered(ask_verify(&q, NULL, &a, &e), &a.end, &e, err);
    if (ok)
        use(ctx, &a);
    ask_verify_free(&a);
    config_free(config);
    return ok;
}

static void make_report(void *ctx, const struct ask_verify_answer *a)
{
    *(struct report **)ctx = report_verify(a, &(struct report_verify){0});
}

assay_report *assay_report_verify(const char *old_path, const char *new_path,
                                  const struct assay_verify_options *opt, struct assay_error *err)
{
    struct report *r = NULL;
    verify(old_path, new_path, opt, make_report, &r, err);
    return (assay_report *)r;
}

static enum assay_verdict public_verdict(enum verify_verdict v)
{
    return v == VERIFY_SAFE ? ASSAY_SAFE : v == VERIFY_UNSAFE ? ASSAY_UNSAFE : ASSAY_UNKNOWN;
}

_Static_assert(ASSAY_P1 == (int)VERIFY_P1 && ASSAY_P2 == (int)VERIFY_P2 && ASSAY_P3 == (int)VERIFY_P3 &&
                   ASSAY_P4 == (int)VERIFY_P4,
               "the public set is the engine's");

struct verified_caller {
    bool (*fn)(void *ctx, const struct assay_verified *function);
    void *ctx;
    enum assay_verdict *verdict;
};

static bool call_with_function(const struct verified_caller *c, const struct ask_verified *f)
{
    char failed[32];
    struct assay_verified one = {
        .name = f->name,
        .old_address = f->old.address,
        .new_address = f->new.address,
        .verdict = public_verdict(f->result.verdict),
        .failed = verify_properties_text(f->result.failed, failed, sizeof failed),
        .reason = f->result.reason.text,
        .differences = f->result.ndifferences,
        .failed_set = f->result.failed,
        .remedy = verify_is_open(f->result.verdict) ? verify_remedy_text(f->result.reason.remedy) : NULL,
    };
    return c->fn(c->ctx, &one);
}

static void call_with_functions(void *ctx, const struct ask_verify_answer *a)
{
    const struct verified_caller *c = ctx;
    bool more = c->fn != NULL;
    *c->verdict = public_verdict(a->verdict);
    for (size_t i = 0; i < a->file.len; i++)
        for (size_t k = 0; more && k < a->file.data[i].function.len; k++)
            more = call_with_function(c, &a->file.data[i].function.data[k]);
}

bool assay_verify(const char *old_path, const char *new_path, const struct assay_verify_options *opt,
                  bool (*fn)(void *ctx, const struct assay_verified *function), void *ctx,
                  enum assay_verdict *verdict, struct assay_error *err)
{
    struct verified_caller c = {fn, ctx, verdict};
    return verify(old_path, new_path, opt, call_with_functions, &c, err);
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
