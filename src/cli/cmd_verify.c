/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "cli/engine.h"
#include "cli/pairs.h"
#include "report/verify.h"

/* What a worker gets on top of the function's own limit, which is looked at between two questions to the
 * solver, to say what it found. */
enum { GRACE_MS = 5000 };

struct verify_command_options {
    struct common common;
    uint64_t function_timeout, query_timeout, short_percent;
    unsigned format, strategy;
    struct option_list functions, no_axioms, libraries;
    const char *heuristics, *assume, *config, *write_config, *answers, *write_questions, *html, *solver,
        *dump_dir;
    bool ask, no_libraries;
};

#define AT(member) offsetof(struct verify_command_options, member)
static const struct option table[] = {
    {"func", 'f', OPTION_LIST, .value = "FUNC",
     .help = "only this one: NAME, 0xADDRESS, or OLD:NEW; may be repeated", .at = AT(functions)},
    {"strategy", 0, OPTION_CHOICE, .value = "converge|paths", .initial = "converge",
     .help = "both versions at once, or path by path", .at = AT(strategy)},
    {"heuristics", 0, OPTION_TEXT, .value = "LIST", .initial = "A,B,C,user",
     .help = "what tells error exits from valid ones; 'none': nothing does", .at = AT(heuristics)},
    {"short", 0, OPTION_NUMBER, .value = "PERCENT", .min = 1, .max = 100, .initial = "80",
     .help = "heuristic C: paths this short against the average are errors", .at = AT(short_percent)},
    {"assume", 0, OPTION_TEXT, .value = "LIST", .initial = "frame,data,private,arguments,result,libraries",
     .help = "what may be assumed about moved things and unknown callees; 'none': nothing", .at = AT(assume)},
    {"no-axiom", 0, OPTION_LIST, .value = "frame|heap|literal|return",
     .help = "do not assume this about memory; may be repeated", .at = AT(no_axioms)},
    {"libraries", 'L', OPTION_LIST, .hint_dir = true, .value = "DIR",
     .help = "where the libraries are that the files need; may be repeated", .at = AT(libraries)},
    {"no-libraries", 0, OPTION_FLAG, .help = "do not look at libraries, also where they lie beside the files",
     .at = AT(no_libraries)},
    {"timeout", 't', OPTION_TIME, .value = "TIME", .max = 7 * 24 * 3600 * 1000u, .initial = "60s",
     .help = "limit for one function: work that takes about so long; 0: none", .at = AT(function_timeout)},
    {"config", 'c', OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "prototypes, names, error functions, ... in JSON", .at = AT(config)},
    {"write-config", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write what was recovered, to be corrected", .at = AT(write_config)},
    {"answers", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "differences accepted before; --ask adds to it", .at = AT(answers)},
    {"write-questions", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write the questions, to be answered and given to --answers", .at = AT(write_questions)},
    {"ask", 0, OPTION_FLAG, .help = "ask about every difference, on a terminal", .at = AT(ask)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the report as JSON", .at = AT(format)},
    {"sarif", 0, OPTION_SET, .min = FORMAT_SARIF, .help = "the report as SARIF 2.1.0", .at = AT(format)},
    {"html", 0, OPTION_TEXT, .hint_file = true, .value = "FILE", .help = "write the report as a page, too",
     .at = AT(html)},
    {"solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3",
     .help = "who decides what is possible", .at = AT(solver)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10s", .max = 3600 * 1000,
     .help = "limit for one question to the solver, likewise", .at = AT(query_timeout)},
    {"dump-smt", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR",
     .help = "write every question to the solver there", .at = AT(dump_dir)},
};

struct question {
    const struct verify_command_options *o;
    const char *old, *new;
    struct config *config;
    struct report_verify how;
    bool again; /* something was accepted: ask all of it once more */
    /* In the worker: */
    unsigned function_jobs;
    struct report_verified *file;
};

/* ---- one worker a function ---- */

static bool verify_one(void *ctx, size_t job, struct buf *out)
{
    struct question *q = ctx;
    char dir[4096];
    if (q->o->dump_dir) { /* or they would overwrite each other's files */
        snprintf(dir, sizeof dir, "%s/%#llx", q->how.how.solve.dump_dir,
                 (unsigned long long)report_verify_address(q->file, job));
        mkdir(dir, 0777);
        q->how.how.solve.dump_dir = dir;
    }
    struct session_sender sender = {.out = out};
    report_verify_function(q->file, job, session_send(&sender));
    return true;
}

static bool hand_record(void *ctx, const char *place, json_t *value)
{
    struct report_sink *sink = ctx;
    return sink->put(sink->ctx, place, value);
}

struct spread {
    struct question *q;
    struct report_sink sink;
};

static bool verify_job(void *ctx, size_t job, struct buf *out)
{
    return verify_one(((struct spread *)ctx)->q, job, out);
}

static void verified_one(void *ctx, const struct work_result *r)
{
    struct spread *s = ctx;
    size_t records = report_read_lines(r->output, r->output_len, hand_record, &s->sink);
    if (r->outcome != WORK_DONE && !records) {
        struct arena arena = ARENA_INIT;
        enum verify_reason_code code = r->outcome == WORK_TIMEOUT ? VERIFY_REASON_OUT_OF_TIME
                                       : r->outcome == WORK_MEMORY && s->q->o->common.memory
                                           ? VERIFY_REASON_OUT_OF_MEMORY
                                           : VERIFY_REASON_WORKER_DIED;
        report_verify_failed(s->q->file, r->job, reason_of(&arena, code, r->reason), s->sink);
        arena_free(&arena);
    }
    session_flush(s->sink.ctx);
    if (s->sink.progress)
        s->sink.progress(s->sink.ctx, "functions verified", r->job + 1, report_verify_count(s->q->file));
}

/* ---- one worker for the libraries ---- */

static bool ask_libraries(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    struct session_sender sender = {.out = out};
    report_verify_libraries(((struct spread *)ctx)->q->file, session_send(&sender));
    return true;
}

static void asked_libraries(void *ctx, const struct work_result *r)
{
    struct spread *s = ctx;
    report_read_lines(r->output, r->output_len, report_verify_told, s->q->file);
    report_verify_ready(s->q->file, r->outcome == WORK_DONE ? NULL : r->reason, s->sink);
}

/* ---- one worker a pair of files ---- */

static bool verify_file(void *ctx, const struct match_file_pair *pair, struct report_sink sink,
                        struct error *err)
{
    struct question *q = ctx;
    work_limit_time((unsigned)q->o->common.timeout);
    q->file = report_verify_open(pair, &q->how, sink, err);
    work_limit_time(0);
    if (!q->file)
        return false;
    struct spread s = {q, sink};
    struct work_options w = {
        .jobs = q->function_jobs,
        .timeout_ms = (unsigned)budget_guard(q->o->function_timeout),
        .grace_ms = GRACE_MS + (unsigned)budget_guard(q->o->query_timeout),
        .memory_bytes = q->o->common.memory,
    };
    size_t n = report_verify_count(q->file);
    session_flush(sink.ctx);
    if (!report_verify_wants_libraries(q->file))
        report_verify_ready(q->file, NULL, sink);
    bool ok = !report_verify_wants_libraries(q->file) ||
              work_run(1, &w, ask_libraries, asked_libraries, &s, NULL, err);
    ok = ok && (n == 0 || work_run(n, &w, verify_job, verified_one, &s, NULL, err));
    report_verify_close(q->file);
    return ok;
}

static json_t *words_of(const char *list)
{
    json_t *out = json_array();
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n && strncmp(list, "none", n) != 0)
            json_array_append_new(out, json_stringn(list, n));
        list += n + (list[n] == ',');
    }
    return out;
}

static void put_input(const struct question *q, struct report_sink sink)
{
    json_t *functions = json_array();
    for (size_t i = 0; i < q->o->functions.n; i++)
        json_array_append_new(functions, report_string(q->o->functions.item[i]));
    sink.put(sink.ctx, "input",
             json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "old", report_string(q->old), "new",
                       report_string(q->new), "strategy",
                       q->o->strategy == VERIFY_PATHS ? "paths" : "converge", "heuristics",
                       words_of(q->o->heuristics), "assume", words_of(q->o->assume), "functions", functions));
}

/* Many files are shared among the workers, of few the functions are. */
static unsigned file_jobs(struct question *q, const struct pairs *pairs)
{
    unsigned jobs = (unsigned)q->o->common.jobs;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!jobs)
        jobs = processors > 0 ? (unsigned)processors : 1;
    size_t work = 0;
    for (size_t i = 0; i < pairs->n; i++) {
        const struct match_file_pair *p = &pairs->pair[i];
        work += p->old && p->new && strcmp(p->old->sha256, p->new->sha256) != 0;
    }
    bool many = work >= 4 * (size_t)jobs && jobs > 1;
    q->function_jobs = many ? 1 : jobs;
    return many ? jobs : 1;
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    struct question *q = ctx;
    struct pairs pairs = {.ask = verify_file, .ctx = q, .status = "compared"};
    if (!pairs_open(&pairs, &q->o->common, q->old, q->new, err))
        return false;
    q->how.several = pairs.n > 1;
    q->how.files = pairs.files;
    put_input(q, sink);
    report_verify_configuration(q->config, sink);
    sink.put(sink.ctx, "pairs", json_integer((json_int_t)pairs.n));
    struct work_options limits = {.jobs = file_jobs(q, &pairs)};
    bool ok = pairs_run(&pairs, limits, sink, err);
    pairs_close(&pairs);
    return ok;
}

/* ---- the answer ---- */

static int conclude(struct report *r)
{
    report_verify_sum(r);
    json_t *doc = report_document(r), *files = json_object_get(doc, "files"), *f, *e;
    const char *verdict = json_string_value(json_object_get(doc, "verdict")), *missing = NULL;
    size_t i, without = 0, compared = 0;
    json_array_foreach(json_object_get(doc, "warnings"), i, e) complain("%s", json_string_value(e));
    json_array_foreach(files, i, f)
    {
        const char *why = json_string_value(json_object_get(f, "not_found"));
        compared += strcmp(json_string_value(json_object_get(f, "status")), "compared") == 0;
        without += why != NULL;
        missing = why && !missing ? why : missing;
    }
    if (compared && without == compared) {
        complain("%s", missing);
        return EXIT_BAD;
    }
    return strcmp(verdict, "safe") == 0 ? EXIT_YES : strcmp(verdict, "unsafe") == 0 ? EXIT_NO : EXIT_UNKNOWN;
}

static bool write_page(const char *path, struct report *r, struct error *err)
{
    struct buf page = BUF_INIT;
    report_html(r, &page);
    FILE *out = fopen(path, "w");
    bool ok = out && fwrite(buf_text(&page), 1, page.len, out) == page.len;
    ok = out && fclose(out) == 0 && ok;
    buf_free(&page);
    return ok || error_set(err, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
}

static bool write_recovered(const char *path, json_t *doc, struct error *err)
{
    json_t *all = json_object(), *one;
    size_t i;
    json_array_foreach(json_object_get(doc, "recovered"), i, one) config_join(all, one);
    bool ok = config_write(path, all, err);
    json_decref(all);
    return ok;
}

/* One question; false when the person has had enough. */
static bool put_question(struct question *q, json_t *one)
{
    struct buf text = BUF_INIT;
    char line[256];
    report_verify_question_text(one, false, &text);
    fputs(buf_text(&text), stderr);
    enum config_answer answer = ANSWER_NONE;
    bool more = true;
    while (answer == ANSWER_NONE && more) {
        fputs("  accept it? yes, no, explain, quit: ", stderr);
        fflush(stderr);
        if (!fgets(line, sizeof line, stdin) || line[0] == 'q') {
            more = false;
        } else if (line[0] == 'y') {
            answer = ANSWER_YES;
        } else if (line[0] == 'n') {
            answer = ANSWER_NO;
        } else if (line[0] == 'e') {
            buf_clear(&text);
            report_verify_question_text(one, true, &text);
            fputs(buf_text(&text), stderr);
        }
    }
    buf_free(&text);
    if (answer != ANSWER_NONE) {
        config_set_answer(q->config, json_string_value(json_object_get(one, "key")), answer, one);
        q->again = q->again || answer == ANSWER_YES;
    }
    return more;
}

static bool put_questions(struct question *q, json_t *doc, struct error *err)
{
    json_t *list = report_verify_questions(doc), *one;
    size_t i;
    bool asked = false;
    json_array_foreach(list, i, one)
    {
        if (config_answer(q->config, json_string_value(json_object_get(one, "key"))) != ANSWER_NONE)
            continue;
        asked = true;
        if (!put_question(q, one))
            break;
    }
    json_decref(list);
    return !asked || !q->o->answers || config_write_answers(q->config, q->o->answers, err);
}

/* Runs in the parent before anything is printed. */
static int finish(void *ctx, struct report *r, int code)
{
    struct question *q = ctx;
    json_t *doc = report_document(r);
    struct error err = {0};
    bool ok = true;
    if (q->o->ask && !json_is_false(json_object_get(doc, "complete")))
        ok = put_questions(q, doc, &err);
    if (ok && q->again)
        return SESSION_AGAIN;
    if (ok && q->o->write_questions)
        ok = config_write_questions(q->o->write_questions, report_verify_questions(doc), &err);
    if (ok && q->o->write_config)
        ok = write_recovered(q->o->write_config, doc, &err);
    json_object_del(doc, "recovered");
    if (ok && q->o->html)
        ok = write_page(q->o->html, r, &err);
    report_verify_drop_graphs(r);
    if (!ok)
        complain("verify: %s", err.text);
    return ok ? code : EXIT_UNKNOWN;
}

/* ---- the command line ---- */

static bool settings(const struct verify_command_options *o, struct question *q, struct error *err)
{
    static const char *const heuristic[] = {"A", "B", "C", "user"};
    static const unsigned heuristic_bit[] = {VERIFY_BY_A, VERIFY_BY_B, VERIFY_BY_C, VERIFY_BY_USER};
    static const char *const assumption[] = {"frame", "data", "private", "arguments", "result",
                                             "libraries"};
    static const unsigned assumption_bit[] = {VERIFY_ASSUME_FRAME, VERIFY_ASSUME_DATA, VERIFY_ASSUME_PRIVATE,
                                              VERIFY_ASSUME_ARGUMENTS, VERIFY_ASSUME_RESULT,
                                              VERIFY_ASSUME_LIBRARIES};
    struct verify_options *how = &q->how.how;
    q->how = (struct report_verify){
        .old = q->old,
        .new = q->new,
        .object = {.debug_dirs = o->common.debug_dirs.item},
        .function = o->functions.item,
        .nfunctions = o->functions.n,
        .config = q->config,
        .library_dirs = o->libraries.item,
        .no_libraries = o->no_libraries,
        .stats = o->common.stats,
        .graphs = o->html != NULL,
        .recover = o->write_config != NULL,
    };
    *how = (struct verify_options){
        .strategy = (enum verify_strategy)o->strategy,
        .short_ratio = (double)o->short_percent / 100,
        .timeout_ms = (unsigned)o->function_timeout,
        .steps = o->html != NULL,
        .solve = {.timeout_ms = (unsigned)o->query_timeout, .fp_theory = true},
    };
    if (!engine_solver(o->solver, o->dump_dir, &how->solve, err))
        return false;
    return engine_set("heuristics", o->heuristics, heuristic, heuristic_bit, 4, &how->heuristics, err) &&
           engine_set("assume", o->assume, assumption, assumption_bit, 6, &how->assume, err) &&
           engine_axioms(&o->no_axioms, &how->axioms, err) &&
           (!o->config || config_read(q->config, o->config, err)) &&
           (!o->answers || config_read_answers(q->config, o->answers, o->ask, err));
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    const struct verify_command_options *o = options;
    struct question q = {.o = o, .old = argv[0], .new = argv[1], .config = config_new()};
    struct error err = {0};
    int code;
    if (o->ask && !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO))) {
        complain("verify: --ask needs a terminal; --write-questions and --answers do without");
        code = EXIT_BAD;
    } else if (!settings(o, &q, &err)) {
        complain("verify: %s", err.text);
        code = error_exit_code(err.kind);
    } else {
        do {
            q.again = false;
            q.how.how.know = config_knowledge(q.config);
            code = session_run(&(struct session){.common = &o->common,
                                                 .kind = c->name,
                                                 .subject = q.new,
                                                 .format = (enum session_format)o->format,
                                                 .ask = ask,
                                                 .ctx = &q,
                                                 .conclude = conclude,
                                                 .finish = finish});
        } while (code == SESSION_AGAIN);
    }
    config_free(q.config);
    return code;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "OLD NEW",
    .summary = "is a change safe to apply",
    .details = "Proves for every function that changed that the new version accepts no input the old one "
               "rejects (P1), "
               "and on the\n"
               "input it accepts writes the same memory (P2), returns the same value (P3) and makes the same "
               "calls (P4); "
               "or shows an\n"
               "input on which it does not. OLD and NEW are programs, or packages or directories, which are "
               "compared "
               "file by file.\n"
               "Which inputs a function rejects is told by its exits: A, it calls a function that ends in "
               "error; B, it "
               "returns a\n"
               "value that means an error; C, its path is much shorter than others. Exit status: 0 safe, 1 "
               "not safe, 2 "
               "bad usage or\n"
               "input, 3 not known.",
    .examples = "assay verify libfoo.so.1.2 libfoo.so.1.3\n"
                "assay verify --func parse_header --html report.html old.deb new.deb\n"
                "assay verify --libraries sysroot old/prog new/prog\n"
                "assay verify --write-questions questions.json old new\n"
                "assay verify --answers questions.json --sarif old new",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct verify_command_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
