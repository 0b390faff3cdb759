/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "report/wp.h"

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
    {"function", 0, OPTION_TEXT, .value = "FUNC", .help = "same as --func", .at = AT(func)},
    {"all", 'a', OPTION_FLAG, .help = "every function, one line each", .at = AT(all)},
    {"trip-asserts", 0, OPTION_FLAG, .help = "can __assert_fail or __VERIFIER_error be reached?",
     .at = AT(trip_asserts)},
    {"trip-assert", 0, OPTION_FLAG, .help = "same as --trip-asserts", .at = AT(trip_asserts)},
    {"check-null-derefs", 0, OPTION_FLAG,
     .help = "is a null pointer dereferenced? with MODIFIED: newly dereferenced?", .at = AT(null_derefs)},
    {"check-invalid-derefs", 0, OPTION_FLAG,
     .help = "does MODIFIED add an access outside stack, heap and data?", .at = AT(invalid_derefs)},
    {"compare-func-calls", 0, OPTION_FLAG, .help = "does MODIFIED call a function that FILE does not?",
     .at = AT(func_calls)},
    {"compare-post-reg-values", 0, OPTION_TEXT, .value = "R1,R2,...",
     .help = "do these registers agree at the end?", .at = AT(post_regs)},
    {"precond", 0, OPTION_TEXT, .value = "SMTLIB", .help = "precondition: (assert (= RDI_orig #x...))",
     .at = AT(precond)},
    {"postcond", 0, OPTION_TEXT, .value = "SMTLIB", .help = "postcondition: (assert (= RAX_orig RAX_mod))",
     .at = AT(postcond)},
    {"pre", 0, OPTION_LIST, .value = "EXPR",
     .help = "C-like precondition: 'arg0 != 0 && mem32[arg0+8] < 100'; repeatable", .at = AT(pre)},
    {"post", 0, OPTION_LIST, .value = "EXPR",
     .help = "C-like postcondition: 'ret@new == ret@old'; repeatable", .at = AT(post)},
    {"loop-invariant", 0, OPTION_TEXT, .value = "SEXP",
     .help = "(((address 0x...) (invariant \"(assert ...)\")) ...)", .at = AT(loop_invariant)},
    {"inline", 0, OPTION_TEXT, .value = "REGEX",
     .help = "inline callees whose names match, instead of summarising them", .at = AT(follow)},
    {"num-unroll", 0, OPTION_TEXT, .value = "N|auto", .initial = "5",
     .help = "loop iterations; auto: until more make no difference", .at = AT(num_unroll)},
    {"fun-specs", 0, OPTION_TEXT, .value = "NAME,...",
     .help = "built-in summaries of callees, in order of precedence", .at = AT(fun_specs)},
    {"user-func-specs", 0, OPTION_TEXT, .value = "SPECS",
     .help = "summaries NAME,(assert PRE),(assert POST);...", .at = AT(user_specs)},
    {"user-func-specs-orig", 0, OPTION_TEXT, .value = "SPECS", .help = "summaries for FILE only",
     .at = AT(user_specs_orig)},
    {"user-func-specs-mod", 0, OPTION_TEXT, .value = "SPECS", .help = "summaries for MODIFIED only",
     .at = AT(user_specs_mod)},
    {"use-fun-input-regs", 0, OPTION_FLAG, .help = "results of calls depend on their arguments (always on)",
     .at = AT(use_fun_input_regs)},
    {"func-name-map", 0, OPTION_TEXT, .value = "REGEX,NAME;...",
     .help = "how functions of FILE are called in MODIFIED: '(.*),new_\\1'", .at = AT(name_map)},
    {"mem-offset", 0, OPTION_FLAG, .help = "data is matched across addresses (always on)",
     .at = AT(mem_offset)},
    {"rewrite-addresses", 0, OPTION_FLAG, .help = "addresses of the same symbol are equal (always on)",
     .at = AT(rewrite_addresses)},
    {"init-mem", 0, OPTION_FLAG, .help = "global variables hold their initial values at entry",
     .at = AT(init_mem)},
    {"pointer-reg-list", 0, OPTION_TEXT, .value = "R1,R2,...",
     .help = "these registers point to initialised memory at entry", .at = AT(pointer_regs)},
    {"stack-base", 0, OPTION_TEXT, .value = "ADDRESS", .initial = "0x40000000", .help = "top of the stack",
     .at = AT(stack_base)},
    {"stack-size", 0, OPTION_TEXT, .value = "BYTES", .initial = "0x800000", .help = "size of the stack",
     .at = AT(stack_size)},
    {"ext-solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3", .help = "SMT solver",
     .at = AT(ext_solver)},
    {"ext-solver-path", 0, OPTION_TEXT, .hint_file = true, .value = "PATH",
     .help = "path of an external solver", .at = AT(ext_solver_path)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "60s", .max = 24 * 3600 * 1000u,
     .help = "limit per solver query", .at = AT(query_timeout)},
    {"show", 0, OPTION_TEXT, .value = "WHAT,...",
     .help = "bir, refuted-goals, paths, precond-smtlib, precond-internal, diagnostics", .at = AT(show)},
    {"debug", 0, OPTION_TEXT, .value = "WHAT,...",
     .help = "z3-solver-stats, z3-verbose, constraint-stats, eval-constraint-stats: counters",
     .at = AT(debug)},
    {"gdb-output", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write the countermodel as a gdb script", .at = AT(gdb)},
    {"bildb-output", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write the countermodel as YAML for CBAT's bildb", .at = AT(bildb)},
    {"debug-output", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write the countermodel for assay debug", .at = AT(debug_output)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the answer as JSON", .at = AT(format)},
    {"html", 0, OPTION_FLAG, .help = "print the answer as an HTML page", .at = AT(html)},
};

/* --show, by position in the list of its words. */
enum { SHOW_IR = 1, SHOW_GOALS = 2, SHOW_PATHS = 4, SHOW_SMTLIB = 8, SHOW_INTERNAL = 16, SHOW_TIMES = 32 };

struct question {
    const struct wp_command_options *o;
    struct ask_wp ask;
    unsigned show; /* a set */
    bool counters;
};

/* ---- the command line ---- */

static bool read_number(const char *option, const char *text, uint64_t *out, struct error *err)
{
    char *end;
    *out = strtoull(text, &end, 0);
    if (!*text || *end || *text == '-')
        return error_set(err, ERROR_USAGE, "--%s: '%s' is not a number", option, text);
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
            return error_set(err, ERROR_USAGE, "--%s: unknown word '%.*s'; see --help", option, (int)len,
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
    struct wp_options *h = &q->ask.how;
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
    q->show = shown;
    q->counters = counters || o->common.stats;
    h->want_smtlib = shown & SHOW_SMTLIB;
    h->want_internal = shown & SHOW_INTERNAL;
    q->ask.want_ir = shown & SHOW_IR;
    q->ask.want_code = o->html || shown & SHOW_PATHS;
    q->ask.want_gdb = o->gdb != NULL;
    q->ask.want_bildb = o->bildb != NULL;
    q->ask.want_debug = o->debug_output != NULL;
    bool two = q->ask.mod != NULL;
    const char *alone = o->invalid_derefs ? "check-invalid-derefs"
                        : o->func_calls   ? "compare-func-calls"
                        : o->post_regs    ? "compare-post-reg-values"
                                          : NULL;
    if (!two && alone)
        return error_set(err, ERROR_USAGE, "--%s compares two programs, but only one is given", alone);
    if (o->all == (o->func != NULL))
        return error_set(err, ERROR_USAGE, "%s",
                         o->all ? "--all and --func exclude each other"
                                : "which function? use --func=NAME or --all");
    if (!o->trip_asserts && !o->null_derefs && !o->invalid_derefs && !o->func_calls && !o->post_regs &&
        !o->postcond && !o->post.n && !o->user_specs && !o->user_specs_orig && !o->user_specs_mod &&
        !o->loop_invariant && !o->show)
        return error_set(err, ERROR_USAGE,
                         "which property? use --post, --postcond, --trip-asserts, --check-null-derefs%s",
                         two ? ", --compare-post-reg-values or another property" : " or another property");
    return true;
}

/* ---- files ---- */

/* NAME for one program; NAME with the version before its ending for two. */
static bool write_version(const char *name, size_t side, const char *text, struct error *err)
{
    char path[4096];
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    struct buf b = BUF_INIT;
    if (!dot || (slash && dot < slash))
        dot = name + strlen(name);
    if (side == 0)
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%.*s_mod%s", (int)(dot - name), name, dot);
    buf_puts(&b, text);
    bool ok = session_write_file(path, &b, err);
    buf_free(&b);
    return ok;
}

/* The graph of a version, in a file with the function's name. */
static bool write_graph(const struct ask_checked *c, size_t side, struct error *err)
{
    static const char *const suffix[] = {"orig", "mod"};
    char path[300], title[300];
    size_t n = 0;
    for (const char *p = c->function; *p && n < 200; p++) /* it becomes a file's name */
        path[n++] = strchr("/ \\\"'<>|&;$`", *p) || (unsigned char)*p < 32 ? '_' : *p;
    snprintf(path + n, sizeof path - n, "_%s.dot", suffix[side & 1]);
    snprintf(title, sizeof title, "%s%s", c->run[side].function,
             c->nruns == 1 ? ""
             : side        ? " (modified)"
                           : " (original)");
    struct buf text = BUF_INIT;
    report_wp_dot(&c->run[side], title, &text);
    bool ok = session_write_file(path, &text, err);
    buf_free(&text);
    return ok;
}

static bool write_files(const struct question *q, const struct ask_wp_answer *a, struct error *err)
{
    const struct wp_command_options *o = q->o;
    for (size_t i = 0; i < a->checked.len; i++)
        for (size_t k = 0; k < a->checked.data[i].nruns; k++) {
            const struct ask_wp_run *r = &a->checked.data[i].run[k];
            if ((r->gdb && !write_version(o->gdb, k, r->gdb, err)) ||
                (r->bildb && !write_version(o->bildb, k, r->bildb, err)) ||
                (r->debug && !write_version(o->debug_output, k, r->debug, err)) ||
                (q->show & SHOW_PATHS && !write_graph(&a->checked.data[i], k, err)))
                return false;
        }
    return true;
}

/* ---- asking ---- */

static void print_counters(const struct question *q, const struct ask_wp_answer *a)
{
    struct buf b = BUF_INIT;
    if (q->show & SHOW_TIMES)
        report_wp_times_text(a, &b);
    if (q->counters)
        report_wp_stats_text(a, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct wp_command_options *o = options;
    struct question q = {.o = o,
                         .ask = {.orig = argv[0],
                                 .mod = argc > 1 ? argv[1] : NULL,
                                 .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                                 .function = o->func,
                                 .limits = session_limits(&o->common)}};
    struct session s;
    struct ask_wp_answer a;
    session_begin(&s, &o->common, q.ask.mod ? q.ask.mod : q.ask.orig);
    if (!settings(&q, &s.err)) {
        print_error("wp: %s", s.err.text);
        return error_exit_code(s.err.kind);
    }
    if (!ask_wp(&q.ask, &s.ask, &a, &s.err))
        return session_failed(&s);
    int code = session_ended(&s, &a.end, a.begun, ask_wp_status(&a));
    struct report *r = NULL;
    if (!write_files(&q, &a, &s.err)) {
        code = session_failed(&s);
    } else if (session_answered(&a.end, a.begun)) {
        print_counters(&q, &a);
        r = report_wp(&a, &(struct report_wp){
                              .page = o->html, .paths = q.show & SHOW_PATHS, .stats = q.counters});
    }
    code = session_show(&s, r, (enum report_format)o->format, code);
    report_free(r);
    ask_wp_free(&a);
    return code;
}

const struct command command_wp = {
    .name = "wp",
    .arguments = "FILE [MODIFIED]",
    .summary = "check a property of a function, or of two versions of it",
    .details =
        "Checks a property of one function of FILE, or compares it with its version in MODIFIED. Prints "
        "UNSAT! if the\n"
        "property holds (exit status 0), SAT! with a countermodel if it does not (1), UNKNOWN! with "
        "the reason if\n"
        "undetermined (3); and the assumptions behind the answer. Every countermodel is replayed on an "
        "interpreter before\n"
        "it is shown. The options include those of CBAT's 'bap wp'.",
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
