/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cli/session.h"
#include "report/wp.h"
#include "work/work.h"

struct wp_command_options {
    struct common common;
    unsigned format;
    const char *func, *precond, *postcond, *post_regs, *loop_invariant, *follow, *num_unroll, *fun_specs,
        *user_specs, *user_specs_orig, *user_specs_mod, *name_map, *pointer_regs, *stack_base, *stack_size,
        *ext_solver, *ext_solver_path, *show, *debug, *gdb, *bildb, *debug_output;
    struct option_list pre, post;
    uint64_t query_timeout;
    bool trip_asserts, null_derefs, invalid_derefs, func_calls, use_fun_input_regs, mem_offset,
        rewrite_addresses, init_mem, all, html;
};

#define AT(member) offsetof(struct wp_command_options, member)
static const struct option table[] = {
    {"func", 'f', OPTION_TEXT, .value = "FUNC", .help = "the function to check", .at = AT(func)},
    {"function", 0, OPTION_TEXT, .value = "FUNC", .help = "the same", .at = AT(func)},
    {"all", 'a', OPTION_FLAG, .help = "every function, one line each", .at = AT(all)},
    {"trip-asserts", 0, OPTION_FLAG, .help = "can __assert_fail or __VERIFIER_error be reached?",
     .at = AT(trip_asserts)},
    {"trip-assert", 0, OPTION_FLAG, .help = "the same", .at = AT(trip_asserts)},
    {"check-null-derefs", 0, OPTION_FLAG,
     .help = "is a null pointer dereferenced? of two: does the modified one add any?", .at = AT(null_derefs)},
    {"check-invalid-derefs", 0, OPTION_FLAG,
     .help = "does the modified one add an access outside stack, heap and data?", .at = AT(invalid_derefs)},
    {"compare-func-calls", 0, OPTION_FLAG, .help = "does the modified one call what the original does not?",
     .at = AT(func_calls)},
    {"compare-post-reg-values", 0, OPTION_TEXT, .value = "R1,R2,...",
     .help = "do these registers agree at the end?", .at = AT(post_regs)},
    {"precond", 0, OPTION_TEXT, .value = "SMTLIB", .help = "what holds at entry: (assert (= RDI_orig #x...))",
     .at = AT(precond)},
    {"postcond", 0, OPTION_TEXT, .value = "SMTLIB",
     .help = "what must hold at the end: (assert (= RAX_orig RAX_mod))", .at = AT(postcond)},
    {"pre", 0, OPTION_LIST, .value = "EXPR",
     .help = "the same, C-like: 'arg0 != 0 && mem32[arg0+8] < 100'; may be repeated", .at = AT(pre)},
    {"post", 0, OPTION_LIST, .value = "EXPR",
     .help = "the same, C-like: 'ret@new == ret@old'; may be repeated", .at = AT(post)},
    {"loop-invariant", 0, OPTION_TEXT, .value = "SEXP",
     .help = "(((address 0x...) (invariant \"(assert ...)\")) ...)", .at = AT(loop_invariant)},
    {"inline", 0, OPTION_TEXT, .value = "REGEX",
     .help = "follow calls of functions with such names instead of summarising them", .at = AT(follow)},
    {"num-unroll", 0, OPTION_TEXT, .value = "N|auto", .initial = "5",
     .help = "repetitions of a loop; auto: until it makes no difference", .at = AT(num_unroll)},
    {"fun-specs", 0, OPTION_TEXT, .value = "NAME,...",
     .help = "built-in summaries of callees, in order of precedence", .at = AT(fun_specs)},
    {"user-func-specs", 0, OPTION_TEXT, .value = "SPECS",
     .help = "summaries NAME,(assert PRE),(assert POST);...", .at = AT(user_specs)},
    {"user-func-specs-orig", 0, OPTION_TEXT, .value = "SPECS", .help = "for the original only",
     .at = AT(user_specs_orig)},
    {"user-func-specs-mod", 0, OPTION_TEXT, .value = "SPECS", .help = "for the modified one only",
     .at = AT(user_specs_mod)},
    {"use-fun-input-regs", 0, OPTION_FLAG, .help = "results of calls depend on their arguments (always so)",
     .at = AT(use_fun_input_regs)},
    {"func-name-map", 0, OPTION_TEXT, .value = "REGEX,NAME;...",
     .help = "names of the original in the modified one: '(.*),new_\\1'", .at = AT(name_map)},
    {"mem-offset", 0, OPTION_FLAG, .help = "data is the same wherever it lies (always so)",
     .at = AT(mem_offset)},
    {"rewrite-addresses", 0, OPTION_FLAG, .help = "addresses of the same symbol are the same (always so)",
     .at = AT(rewrite_addresses)},
    {"init-mem", 0, OPTION_FLAG, .help = "variables hold at entry what the file says", .at = AT(init_mem)},
    {"pointer-reg-list", 0, OPTION_TEXT, .value = "R1,R2,...",
     .help = "these registers point to initialised memory at entry", .at = AT(pointer_regs)},
    {"stack-base", 0, OPTION_TEXT, .value = "ADDRESS", .initial = "0x40000000",
     .help = "where the stack begins", .at = AT(stack_base)},
    {"stack-size", 0, OPTION_TEXT, .value = "BYTES", .initial = "0x800000", .help = "how far it reaches down",
     .at = AT(stack_size)},
    {"ext-solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3", .help = "who decides",
     .at = AT(ext_solver)},
    {"ext-solver-path", 0, OPTION_TEXT, .hint_file = true, .value = "PATH",
     .help = "the program of another solver", .at = AT(ext_solver_path)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "60s", .max = 24 * 3600 * 1000u,
     .help = "limit for one question to the solver", .at = AT(query_timeout)},
    {"show", 0, OPTION_TEXT, .value = "WHAT,...",
     .help = "bir, refuted-goals, paths, precond-smtlib, precond-internal, diagnostics", .at = AT(show)},
    {"debug", 0, OPTION_TEXT, .value = "WHAT,...",
     .help = "z3-solver-stats, z3-verbose, constraint-stats, eval-constraint-stats: counters",
     .at = AT(debug)},
    {"gdb-output", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "the countermodel as a script for gdb", .at = AT(gdb)},
    {"bildb-output", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "the countermodel as YAML, as for CBAT's bildb", .at = AT(bildb)},
    {"debug-output", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "the countermodel for assay debug", .at = AT(debug_output)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the answer as JSON", .at = AT(format)},
    {"html", 0, OPTION_FLAG, .help = "the answer as a page", .at = AT(html)},
};

struct question {
    const struct wp_command_options *o;
    const char *orig, *mod; /* mod NULL: one program */
    struct report_wp how;
    /* In the worker: */
    struct program *p[2];
    struct match *match;
    VEC(const struct flow_function *) f;
};

/* ---- the command line ---- */

static bool read_number(const char *option, const char *text, uint64_t *out, struct error *err)
{
    char *end;
    *out = strtoull(text, &end, 0);
    if (!*text || *end || *text == '-')
        return error_set(err, ERROR_USAGE, "--%s: '%s' is no number", option, text);
    return true;
}

/* The words of a list, as a set by position in `words`. */
static bool read_words(const char *option, const char *text, const char *const *words, size_t n,
                       unsigned *set, struct error *err)
{
    while (text && *text) {
        size_t len = strcspn(text, ","), k = 0;
        while (k < n && (strlen(words[k]) != len || strncmp(words[k], text, len) != 0))
            k++;
        if (k == n)
            return error_set(err, ERROR_USAGE, "--%s: there is no '%.*s'; see --help", option, (int)len,
                             text);
        *set |= 1u << k;
        text += len + (text[len] == ',');
    }
    return true;
}

static bool read_solver(const struct wp_command_options *o, struct solve_options *s, struct error *err)
{
    const char *name = o->ext_solver;
    s->timeout_ms = (unsigned)o->query_timeout;
    /* one question may not use up the time of all: then the reason could not be told */
    if (o->common.timeout && s->timeout_ms > o->common.timeout / 2)
        s->timeout_ms = (unsigned)(o->common.timeout / 2);
    s->fp_theory = true;
    if (o->ext_solver_path) {
        s->engine = SOLVE_EXTERNAL;
        s->command = o->ext_solver_path;
        return *o->ext_solver_path || error_set(err, ERROR_USAGE, "--ext-solver-path: which program?");
    }
    s->engine = strcmp(name, "z3") == 0 ? SOLVE_Z3 : strcmp(name, "race") == 0 ? SOLVE_RACE : SOLVE_EXTERNAL;
    s->command = s->engine == SOLVE_EXTERNAL ? name : NULL;
    return true;
}

static bool settings(struct question *q, struct error *err)
{
    static const char *const show[] = {
        "bir", "refuted-goals", "paths", "precond-smtlib", "precond-internal", "diagnostics", "colorful"};
    static const char *const debug[] = {"z3-solver-stats", "z3-verbose", "constraint-stats",
                                        "eval-constraint-stats"};
    const struct wp_command_options *o = q->o;
    struct wp_options *h = &q->how.how;
    unsigned shown = 0, counters = 0;
    *h = (struct wp_options){.trip_asserts = o->trip_asserts,
                             .null_derefs = o->null_derefs,
                             .invalid_derefs = o->invalid_derefs,
                             .func_calls = o->func_calls,
                             .post_regs = o->post_regs,
                             .precond = o->precond,
                             .postcond = o->postcond,
                             .loop_invariant = o->loop_invariant,
                             .pre = o->pre.item,
                             .post = o->post.item,
                             .follow = o->follow,
                             .fun_specs = o->fun_specs,
                             .user_specs = o->user_specs,
                             .user_specs_orig = o->user_specs_orig,
                             .user_specs_mod = o->user_specs_mod,
                             .name_map = o->name_map,
                             .init_mem = o->init_mem,
                             .pointer_regs = o->pointer_regs,
                             .timeout_ms = (unsigned)o->common.timeout};
    uint64_t unroll = WP_UNROLL_AUTO;
    h->unroll_auto = strcmp(o->num_unroll, "auto") == 0;
    if (!h->unroll_auto && !read_number("num-unroll", o->num_unroll, &unroll, err))
        return false;
    if (unroll > WP_UNROLL_MOST)
        return error_set(err, ERROR_USAGE, "--num-unroll: at most %d", WP_UNROLL_MOST);
    h->unroll = (unsigned)unroll;
    if (!read_number("stack-base", o->stack_base, &h->stack_base, err) ||
        !read_number("stack-size", o->stack_size, &h->stack_size, err))
        return false;
    if (h->stack_size < 65536 || h->stack_base < 2 * h->stack_size)
        return error_set(err, ERROR_USAGE,
                         "--stack-size: at least 65536 bytes, and the stack must lie above its size");
    if (!read_words("show", o->show, show, sizeof show / sizeof *show, &shown, err) ||
        !read_words("debug", o->debug, debug, sizeof debug / sizeof *debug, &counters, err) ||
        !read_solver(o, &h->solve, err))
        return false;
    _Static_assert(WP_SHOW_IR == 1 && WP_SHOW_DIAGNOSTICS == 32, "the order of the words");
    q->how.show = shown & 63;
    q->how.stats = counters || o->common.stats;
    q->how.page = o->html;
    q->how.gdb = o->gdb;
    q->how.bildb = o->bildb;
    q->how.debug = o->debug_output;
    bool two = q->mod != NULL;
    const char *alone = o->invalid_derefs ? "check-invalid-derefs"
                        : o->func_calls   ? "compare-func-calls"
                        : o->post_regs    ? "compare-post-reg-values"
                                          : NULL;
    if (!two && alone)
        return error_set(err, ERROR_USAGE, "--%s compares two programs; only one is given", alone);
    if (o->all == (o->func != NULL))
        return error_set(err, ERROR_USAGE, "%s",
                         o->all ? "--all and --func exclude each other"
                                : "which function? say --func=NAME, or --all");
    if (!o->trip_asserts && !o->null_derefs && !o->invalid_derefs && !o->func_calls && !o->post_regs &&
        !o->postcond && !o->post.n && !o->user_specs && !o->user_specs_orig && !o->user_specs_mod &&
        !o->loop_invariant && !o->show)
        return error_set(err, ERROR_USAGE,
                         "what is to hold? say --post, --postcond, --trip-asserts, --check-null-derefs%s",
                         two ? ", --compare-post-reg-values or another property" : " or another property");
    return true;
}

/* ---- in the worker ---- */

static bool open_programs(struct question *q, struct error *err)
{
    const char *file[] = {q->orig, q->mod};
    for (unsigned i = 0; i < 2 && file[i]; i++) {
        q->p[i] = session_open(&q->o->common, file[i], false, err);
        if (!q->p[i])
            return false;
        if (q->o->null_derefs || q->o->invalid_derefs)
            lifter_keep_loads(program_lifter(q->p[i]));
    }
    if (!q->mod)
        return true;
    const struct ir_machine *a = program_machine(q->p[0]), *b = program_machine(q->p[1]);
    if (a->arch != b->arch)
        return error_set(err, ERROR_INPUT,
                         "%s is for %s and %s for %s; only programs of one architecture can be compared",
                         q->orig, a->name, q->mod, b->name);
    q->match = match_programs(q->p[0], q->p[1], NULL, err);
    return q->match != NULL;
}

static bool check(struct question *q, const struct flow_function *f, struct report_sink sink,
                  struct error *err)
{
    const struct flow_function *g = NULL;
    if (q->mod) {
        g = wp_counterpart(q->p[1], f, q->match, q->o->name_map, err);
        if (!g) {
            error_prefix(err, "%s", q->mod);
            return false;
        }
    }
    return report_wp_function(q->p[0], f, q->p[1], g, q->match, &q->how, sink, err);
}

struct spread {
    struct question *q;
    struct report_sink sink;
};

static bool put_line(void *ctx, const char *place, json_t *value)
{
    report_line(ctx, place, value);
    return true;
}

static bool check_one(void *ctx, size_t job, struct buf *out)
{
    struct question *q = ((struct spread *)ctx)->q;
    struct error err = {0};
    if (q->mod && !wp_counterpart(q->p[1], q->f.data[job], q->match, q->o->name_map, &err)) {
        report_wp_failed(q->f.data[job]->name, "absent", "not in the modified program",
                         (struct report_sink){.put = put_line, .ctx = out});
        return true;
    }
    if (check(q, q->f.data[job], (struct report_sink){.put = put_line, .ctx = out}, &err))
        return true;
    buf_clear(out);
    buf_puts(out, err.text);
    return false;
}

static void checked_one(void *ctx, const struct work_result *r)
{
    struct spread *s = ctx;
    if (s->sink.progress)
        s->sink.progress(s->sink.ctx, "functions checked", r->job + 1, s->q->f.len);
    if (r->outcome != WORK_DONE) {
        bool said = r->outcome == WORK_FAILED && r->output_len;
        report_wp_failed(s->q->f.data[r->job]->name, r->outcome == WORK_TIMEOUT ? "timeout" : "unknown",
                         said ? r->output : r->reason, s->sink);
        return;
    }
    for (const char *line = r->output; *line;) {
        size_t n = strcspn(line, "\n"), k = strcspn(line, " ");
        json_t *value = k < n ? json_loadb(line + k + 1, n - k - 1, JSON_DECODE_ANY, NULL) : NULL;
        char place[64];
        snprintf(place, sizeof place, "%.*s", (int)k, line);
        if (value)
            s->sink.put(s->sink.ctx, place, value);
        line += n + (line[n] == '\n');
    }
}

static bool check_all(struct question *q, struct report_sink sink, struct error *err)
{
    const struct flow_function *f;
    size_t n = program_functions(q->p[0], &f);
    for (size_t i = 0; i < n; i++)
        if (!(f[i].flags & (FLOW_PLT | FLOW_PART | FLOW_EXTERN)))
            vec_push(&q->f, &f[i]);
    sink.put(sink.ctx, "several", json_true());
    work_limit_time(0);
    struct spread s = {q, sink};
    struct work_options w = {.jobs = (unsigned)q->o->common.jobs,
                             .timeout_ms = (unsigned)q->o->common.timeout,
                             .memory_bytes = q->o->common.memory};
    bool ok = work_run(q->f.len, &w, check_one, checked_one, &s, NULL, err);
    vec_free(&q->f);
    return ok;
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    struct question *q = ctx;
    if (q->o->all)
        work_limit_time((unsigned)q->o->common.timeout);
    bool ok = open_programs(q, err);
    if (ok) {
        report_wp_input(q->p[0], q->p[1], sink);
        if (q->o->html)
            sink.put(sink.ctx, "page", json_true());
        if (q->o->all) {
            ok = check_all(q, sink, err);
        } else {
            const struct flow_function *f = program_function(q->p[0], q->o->func, err);
            ok = f && check(q, f, sink, err);
        }
    }
    match_free(q->match);
    program_free(q->p[1]);
    program_free(q->p[0]);
    return ok;
}

static int conclude(struct report *r)
{
    json_t *e;
    size_t i;
    int code = EXIT_YES;
    json_t *list = json_object_get(report_document(r), "checked");
    json_array_foreach(list, i, e)
    {
        const char *v = json_string_value(json_object_get(e, "verdict"));
        if (v && strcmp(v, "absent") == 0)
            continue;
        int one = v && strcmp(v, "unsat") == 0 ? EXIT_YES
                  : v && strcmp(v, "sat") == 0 ? EXIT_NO
                                               : EXIT_UNKNOWN;
        code = one == EXIT_NO || (one == EXIT_UNKNOWN && code == EXIT_YES) ? one : code;
    }
    json_t *stats = json_object_get(json_array_get(list, 0), "stats");
    const char *key;
    json_t *value;
    if (stats && json_array_size(list) == 1)
        json_object_foreach(stats, key, value)
            fprintf(stderr, "%s %lld\n", key, (long long)json_integer_value(value));
    return json_array_size(list) ? code : EXIT_UNKNOWN;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    struct question q = {.o = options, .orig = argv[0], .mod = argc > 1 ? argv[1] : NULL};
    struct error err = {0};
    if (!settings(&q, &err)) {
        complain("wp: %s", err.text);
        return error_exit_code(err.kind);
    }
    return session_run(&(struct session_question){.common = &q.o->common,
                                         .kind = c->name,
                                         .subject = q.mod ? q.mod : q.orig,
                                         .format = (enum session_format)q.o->format,
                                         .ask = ask,
                                         .ctx = &q,
                                         .timeout = q.o->all ? 0 : q.o->common.timeout,
                                         .conclude = conclude});
}

const struct command command_wp = {
    .name = "wp",
    .arguments = "FILE [MODIFIED]",
    .summary = "does a property of a function hold, or of two versions of it",
    .details = "Checks a property of one function of FILE, or compares it with its version in MODIFIED. "
               "Prints UNSAT! when\n"
               "the property holds (exit status 0), SAT! with a countermodel when it does not (1), UNKNOWN! "
               "with the reason\n"
               "(3), and what the answer rests on. A countermodel was run on an interpreter before it is "
               "shown. The options\n"
               "are those of CBAT's 'bap wp', and more.",
    .examples = "assay wp --func=main --trip-asserts a.out\n"
                "assay wp --func=parse --pre 'arg0 != 0' --post 'ret >= 0' a.out\n"
                "assay wp --func=process_message --compare-func-calls --show=paths old new\n"
                "assay wp --func=hash --compare-post-reg-values=RAX old.so new.so",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct wp_command_options),
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
