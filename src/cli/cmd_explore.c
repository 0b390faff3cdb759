/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/engine.h"
#include "cli/session.h"
#include "report/explore.h"

struct explore_command_options {
    struct common common;
    unsigned format, paths, fp;
    uint64_t visits, depth, max_paths, inline_depth, query_timeout;
    const char *solver, *dump_dir;
    struct option_list no_axioms;
    bool all, no_prune;
};

#define AT(member) offsetof(struct explore_command_options, member)
static const struct option table[] = {
    {"merge", 0, OPTION_SET, .min = 0, .help = "merge states where branches meet (default)", .at = AT(paths)},
    {"paths", 0, OPTION_SET, .min = 1, .help = "follow one path at a time", .at = AT(paths)},
    {"all", 'a', OPTION_FLAG, .help = "every function instead of FUNC", .at = AT(all)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the paths as JSON", .at = AT(format)},
    {"visits", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000, .initial = "2",
     .help = "times a path may enter the same block", .at = AT(visits)},
    {"depth", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 100000000, .initial = "10000",
     .help = "maximum blocks per path", .at = AT(depth)},
    {"max-paths", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000000, .initial = "100000",
     .help = "stop after N paths", .at = AT(max_paths)},
    {"inline", 0, OPTION_NUMBER, .value = "N", .max = 100, .initial = "0",
     .help = "inline calls to small functions, N levels deep", .at = AT(inline_depth)},
    {"solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3", .help = "SMT solver",
     .at = AT(solver)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10s", .max = 3600 * 1000,
     .help = "limit per solver query", .at = AT(query_timeout)},
    {"dump-smt", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR", .help = "write every solver query to DIR",
     .at = AT(dump_dir)},
    {"fp", 0, OPTION_CHOICE, .value = "theory|uf", .initial = "theory",
     .help = "floating point: the solver's theory, or uninterpreted functions", .at = AT(fp)},
    {"no-axiom", 0, OPTION_LIST, .value = "frame|heap|literal|return|object",
     .help = "drop this axiom about memory; repeatable", .at = AT(no_axioms)},
    {"no-prune", 0, OPTION_FLAG, .help = "do not ask the solver whether a path is feasible",
     .at = AT(no_prune)},
};

static bool settings(const struct explore_command_options *o, struct ask_explore *q, struct error *err)
{
    q->explore = (struct explore_options){.merge = !o->paths,
                                          .merge_returns = !o->paths,
                                          .visits = (unsigned)o->visits,
                                          .max_depth = (unsigned)o->depth,
                                          .max_paths = o->max_paths,
                                          .inline_depth = (unsigned)o->inline_depth,
                                          .timeout_ms = (unsigned)o->common.timeout,
                                          .prune = !o->no_prune};
    q->solve = (struct solve_options){.timeout_ms = (unsigned)o->query_timeout, .fp_theory = o->fp == 0};
    return engine_solver(o->solver, o->dump_dir, &q->solve, err) &&
           engine_axioms(&o->no_axioms, &q->explore.axioms, err);
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct explore_command_options *o = options;
    struct ask_explore q = {.file = argv[0],
                            .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                            .function = (const char *const *)argv + 1,
                            .nfunctions = (size_t)argc - 1,
                            .all = o->all,
                            .limits = session_limits(&o->common)};
    struct session s;
    struct ask_explore_answer a;
    if (o->all != (q.nfunctions == 0)) {
        print_error("explore: %s", o->all ? "--all and a function exclude each other"
                                          : "which function? name one, or use --all");
        return EXIT_BAD;
    }
    session_begin(&s, &o->common, q.file);
    if (!settings(o, &q, &s.err)) {
        print_error("explore: %s", s.err.text);
        return error_exit_code(s.err.kind);
    }
    if (!ask_explore(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    struct report *r = session_answered(&a.end, a.begun) ? report_explore(&a, o->common.stats) : NULL;
    int code = session_finish(&s, &a.end, a.begun, ask_explore_status(&a), r, (enum report_format)o->format);
    ask_explore_free(&a);
    return code;
}

const struct command command_explore = {
    .name = "explore",
    .arguments = "FILE FUNC...",
    .summary = "what a function does, path by path",
    .details =
        "Executes FUNC symbolically, with unknown arguments and memory. Prints for every path its condition, "
        "the result, the\n"
        "calls, and the stores outside its own frame. The arguments are arg0, arg1, ...; memory at entry is "
        "mem. Exit status 3\n"
        "means that a limit cut the answer short.",
    .examples = "assay explore a.out main\nassay explore --paths --visits 4 --stats a.out parse_header\n"
                "assay explore --all --jobs 4 --timeout 10s --json libz.so.1",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct explore_command_options),
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
