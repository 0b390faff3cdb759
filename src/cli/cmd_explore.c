/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system.h"
#include "base/vec.h"
#include "cli/engine.h"
#include "cli/session.h"
#include "report/bitcode.h"
#include "work/work.h"

/* What a worker gets on top of the exploration's own time limit, which ends it between two steps: a step may
 * wait for one answer of the solver, and what was found has to be written down. */
enum { GRACE_MS = 10000 };

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
    {"merge", 0, OPTION_SET, .min = 0,
     .help = "join states where branches meet (this is what happens unless told)", .at = AT(paths)},
    {"paths", 0, OPTION_SET, .min = 1, .help = "one path at a time", .at = AT(paths)},
    {"all", 'a', OPTION_FLAG, .help = "every function, instead of FUNC", .at = AT(all)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the paths as JSON", .at = AT(format)},
    {"visits", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000, .initial = "2",
     .help = "how often a path may enter a block", .at = AT(visits)},
    {"depth", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 100000000, .initial = "10000",
     .help = "blocks on one path", .at = AT(depth)},
    {"max-paths", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000000, .initial = "100000",
     .help = "stop after so many paths", .at = AT(max_paths)},
    {"inline", 0, OPTION_NUMBER, .value = "N", .max = 100, .initial = "0",
     .help = "follow calls into small functions, so deep", .at = AT(inline_depth)},
    {"solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3",
     .help = "who decides what is feasible", .at = AT(solver)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10s", .max = 3600 * 1000,
     .help = "limit for one question to the solver", .at = AT(query_timeout)},
    {"dump-smt", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR",
     .help = "write every question to the solver there", .at = AT(dump_dir)},
    {"fp", 0, OPTION_CHOICE, .value = "theory|uf", .initial = "theory",
     .help = "floating point in the solver's theory, or as unknown functions", .at = AT(fp)},
    {"no-axiom", 0, OPTION_LIST, .value = "frame|heap|literal|return|object",
     .help = "do not assume this about memory; may be repeated", .at = AT(no_axioms)},
    {"no-prune", 0, OPTION_FLAG, .help = "do not ask the solver whether a path is feasible",
     .at = AT(no_prune)},
};

/* A function asked for, of a program or of a module. */
struct subject {
    const char *name;
    uint64_t address;
    const struct flow_function *f;
    const struct bitcode_function *b;
};

struct question {
    const struct explore_command_options *o;
    const char *file;
    char *const *spec; /* functions asked for */
    size_t nspecs;
    struct report_explore how;
    /* In the worker: */
    struct program *p;
    struct bitcode *m; /* instead of a program */
    VEC(struct subject) f;
};

/* ---- one worker a function, when there are several ---- */

struct spread {
    struct question *q;
    struct report_sink sink;
    struct error err; /* of the function whose records are handed on */
};

static bool report_one(struct question *q, size_t i, const struct report_explore *how, struct report_sink sink,
                       struct error *err)
{
    const struct subject *s = &q->f.data[i];
    return s->b ? report_bitcode_paths(q->m, s->b, how, sink, err) : report_paths(q->p, s->f, how, sink, err);
}

static bool explore_one(void *ctx, size_t job, struct buf *out)
{
    struct question *q = ((struct spread *)ctx)->q;
    struct report_explore how = q->how;
    char dir[4096];
    if (how.solve.dump_dir) { /* or they would overwrite each other's files */
        snprintf(dir, sizeof dir, "%s/%#llx", how.solve.dump_dir,
                 (unsigned long long)q->f.data[job].address);
        mkdir(dir, 0777);
        how.solve.dump_dir = dir;
    }
    struct error err = {0};
    struct session_sender sender = {.out = out};
    bool ok = report_one(q, job, &how, session_send(&sender), &err);
    if (!ok)
        report_line(out, "!error", report_string(err.text));
    return ok;
}

static bool hand_on(void *ctx, const char *place, json_t *value)
{
    struct spread *s = ctx;
    if (strcmp(place, "!error") != 0)
        return s->sink.put(s->sink.ctx, place, value);
    error_set(&s->err, ERROR_UNSUPPORTED, "%s", json_string_value(value));
    json_decref(value);
    return true;
}

static void explored_one(void *ctx, const struct work_result *r)
{
    struct spread *s = ctx;
    if (s->sink.progress)
        s->sink.progress(s->sink.ctx, "functions explored", r->job + 1, s->q->f.len);
    s->err = (struct error){0};
    size_t records = report_read_lines(r->output, r->output_len, hand_on, s);
    const char *why = s->err.kind ? s->err.text : r->reason;
    if (r->outcome == WORK_DONE)
        return;
    if (records > (s->err.kind ? 1 : 0)) /* it was begun: what was found is there, and not all of it */
        s->sink.put(s->sink.ctx, "explored.reason", report_string(why));
    else
        report_paths_failed(s->q->f.data[r->job].name, why, s->sink);
}

static unsigned grace(const struct explore_command_options *o)
{
    return (unsigned)(GRACE_MS + o->query_timeout);
}

static bool explore_several(struct question *q, struct report_sink sink, struct error *err)
{
    struct spread s = {q, sink};
    struct work_options w = {.jobs = (unsigned)q->o->common.jobs,
                             .timeout_ms = (unsigned)q->o->common.timeout,
                             .grace_ms = grace(q->o),
                             .memory_bytes = q->o->common.memory};
    return work_run(q->f.len, &w, explore_one, explored_one, &s, NULL, err);
}

static bool choose(struct question *q, struct error *err)
{
    if (q->o->all) {
        const struct flow_function *f;
        size_t n = program_functions(q->p, &f);
        for (size_t i = 0; i < n; i++)
            if (!(f[i].flags & (FLOW_PLT | FLOW_PART | FLOW_EXTERN)))
                vec_push(&q->f, (struct subject){f[i].name, f[i].address, &f[i], NULL});
        return true;
    }
    for (size_t i = 0; i < q->nspecs; i++) {
        const struct flow_function *f = program_function(q->p, q->spec[i], err);
        if (!f)
            return false;
        vec_push(&q->f, (struct subject){f->name, f->address, f, NULL});
    }
    return true;
}

static bool choose_bitcode(struct question *q, struct error *err)
{
    const struct bitcode_function *f;
    size_t n = bitcode_functions(q->m, &f);
    for (size_t i = 0; i < n && q->o->all; i++)
        if (!f[i].declared)
            vec_push(&q->f, (struct subject){f[i].name, f[i].address, NULL, &f[i]});
    for (size_t i = 0; i < q->nspecs; i++) {
        if (!(f = bitcode_function(q->m, q->spec[i], err)))
            return false;
        vec_push(&q->f, (struct subject){f->name, f->address, NULL, f});
    }
    return true;
}

/* What is left of a time limit, in which the file was opened too. */
static unsigned left_of(uint64_t limit, uint64_t spent)
{
    return (unsigned)(limit == 0 ? 0 : spent < limit ? limit - spent : 1);
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    struct question *q = ctx;
    bool several = q->o->all || q->nspecs > 1;
    uint64_t begun = now_ms();
    if (several) /* the limits of the workers to come do not hold for this one */
        work_limit_time((unsigned)q->o->common.timeout);
    bool bitcode = bitcode_is_file(q->file), ok;
    if (bitcode)
        ok = (q->m = bitcode_open(q->file, err)) && choose_bitcode(q, err);
    else
        ok = (q->p = session_open(&q->o->common, q->file, q->o->all, err)) && choose(q, err);
    work_limit_time(0);
    if (ok) {
        if (bitcode)
            report_bitcode_input(q->m, sink);
        else
            report_input(q->p, sink);
        if (!several)
            q->how.explore.timeout_ms = left_of(q->o->common.timeout, now_ms() - begun);
        if (q->f.len == 1)
            ok = report_one(q, 0, &q->how, sink, err);
        else
            ok = explore_several(q, sink, err);
    }
    vec_free(&q->f);
    program_free(q->p);
    bitcode_free(q->m);
    return ok;
}

/* ---- the command line ---- */

static bool settings(const struct explore_command_options *o, struct report_explore *how, struct error *err)
{
    *how = (struct report_explore){
        .explore = {.merge = !o->paths,
                    .merge_returns = !o->paths,
                    .visits = (unsigned)o->visits,
                    .max_depth = (unsigned)o->depth,
                    .max_paths = o->max_paths,
                    .inline_depth = (unsigned)o->inline_depth,
                    .timeout_ms = (unsigned)o->common.timeout,
                    .prune = !o->no_prune},
        .solve = {.timeout_ms = (unsigned)o->query_timeout, .fp_theory = o->fp == 0},
        .limit_ms = (unsigned)o->common.timeout,
        .stats = o->common.stats,
    };
    return engine_solver(o->solver, o->dump_dir, &how->solve, err) &&
           engine_axioms(&o->no_axioms, &how->explore.axioms, err);
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    const struct explore_command_options *o = options;
    struct question q = {.o = o, .file = argv[0], .spec = argv + 1, .nspecs = (size_t)argc - 1};
    struct error err = {0};
    if (o->all != (q.nspecs == 0)) {
        complain("explore: %s", o->all ? "--all and a function exclude each other"
                                       : "which function? name one, or say --all");
        return EXIT_BAD;
    }
    if (!settings(o, &q.how, &err)) {
        complain("explore: %s", err.text);
        return error_exit_code(err.kind);
    }
    /* With several functions each has its own worker and limit under this one. */
    bool one = !o->all && q.nspecs == 1;
    return session_run(&(struct session_question){.common = &o->common,
                                         .kind = c->name,
                                         .subject = q.file,
                                         .format = (enum session_format)o->format,
                                         .ask = ask,
                                         .ctx = &q,
                                         .timeout = one ? o->common.timeout : 0,
                                         .grace = grace(o)});
}

const struct command command_explore = {
    .name = "explore",
    .arguments = "FILE FUNC...",
    .summary = "what a function does, path by path",
    .details =
        "Executes FUNC symbolically, from unknown arguments and memory, and prints for every path under "
        "which condition\n"
        "it is taken, what it returns, what it calls and what it writes outside its own frame. Arguments are "
        "called\n"
        "arg0, arg1, ...; memory at entry is mem. Exit status 3 says that a limit cut the answer short.",
    .examples = "assay explore a.out main\nassay explore --paths --visits 4 --stats a.out parse_header\n"
                "assay explore --all --jobs 4 --timeout 10s --json libz.so.1",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct explore_command_options),
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
