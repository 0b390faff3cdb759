/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/engine.h"
#include "cli/session.h"
#include "report/verify.h"

struct verify_command_options {
    struct common common;
    uint64_t function_timeout, budget, query_timeout, short_percent;
    unsigned format, strategy, accept;
    struct option_list functions, no_axioms, libraries;
    const char *heuristics, *assume, *config, *write_config, *answers, *write_questions, *html, *solver,
        *dump_dir;
    bool ask, no_libraries, no_cache;
};

#define AT(member) offsetof(struct verify_command_options, member)
static const struct option table[] = {
    {"func", 'f', OPTION_LIST, .value = "FUNC",
     .help = "only this function: NAME, 0xADDRESS or OLD:NEW; repeatable", .at = AT(functions)},
    {"strategy", 0, OPTION_CHOICE, .value = "converge|paths", .initial = "converge",
     .help = "execute both versions together, or compare path by path", .at = AT(strategy)},
    {"accept", 0, OPTION_CHOICE, .value = "proved|bounded", .initial = "proved",
     .help = "'bounded': exit status 0 also for bounded(K)", .at = AT(accept)},
    {"heuristics", 0, OPTION_TEXT, .value = "LIST", .initial = "A,B,C,user",
     .help = "what identifies error exits; 'none': every exit is valid", .at = AT(heuristics)},
    {"short", 0, OPTION_NUMBER, .value = "PERCENT", .min = 1, .max = 100, .initial = "80",
     .help = "heuristic C: paths shorter than this share of the average are errors", .at = AT(short_percent)},
    {"assume", 0, OPTION_TEXT, .value = "LIST",
     .initial = "frame,data,private,arguments,result,libraries,aliasing",
     .help = "permitted assumptions about moved objects and unknown callees, or 'none'", .at = AT(assume)},
    {"no-axiom", 0, OPTION_LIST, .value = "frame|heap|literal|return|faults|x87",
     .help = "drop this axiom about memory; repeatable", .at = AT(no_axioms)},
    {"libraries", 'L', OPTION_LIST, .hint_dir = true, .value = "DIR",
     .help = "search DIR for the libraries that the files need; repeatable", .at = AT(libraries)},
    {"no-libraries", 0, OPTION_FLAG, .help = "ignore libraries, even next to the files",
     .at = AT(no_libraries)},
    {"timeout", 't', OPTION_TIME, .value = "TIME", .max = 7 * 24 * 3600 * 1000u, .initial = "60s",
     .help = "work limit per function, calibrated to about this time; 0: none", .at = AT(function_timeout)},
    {"budget", 0, OPTION_TIME, .value = "TIME", .max = 30 * 24 * 3600 * 1000ull, .initial = "5m",
     .help = "work limit for the whole run, likewise; 0: none", .at = AT(budget)},
    {"config", 'c', OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "JSON with prototypes, names, error functions, ...", .at = AT(config)},
    {"write-config", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write the recovered facts, for correction", .at = AT(write_config)},
    {"answers", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "differences already accepted or rejected; --ask adds to it", .at = AT(answers)},
    {"write-questions", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "write the questions, to be filled in and passed to --answers", .at = AT(write_questions)},
    {"ask", 0, OPTION_FLAG, .help = "ask about every difference, on a terminal", .at = AT(ask)},
    {"no-cache", 0, OPTION_FLAG, .help = "neither use nor keep verdicts of other runs", .at = AT(no_cache)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the report as JSON", .at = AT(format)},
    {"sarif", 0, OPTION_SET, .min = FORMAT_SARIF, .help = "print the report as SARIF 2.1.0",
     .at = AT(format)},
    {"markdown", 0, OPTION_SET, .min = FORMAT_MARKDOWN, .help = "print a summary for a review comment",
     .at = AT(format)},
    {"junit", 0, OPTION_SET, .min = FORMAT_JUNIT, .help = "print the report as JUnit XML", .at = AT(format)},
    {"html", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "also write the report as an HTML page", .at = AT(html)},
    {"solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3", .help = "SMT solver",
     .at = AT(solver)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10s", .max = 3600 * 1000,
     .help = "work limit per solver query, calibrated likewise", .at = AT(query_timeout)},
    {"dump-smt", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR", .help = "write every solver query to DIR",
     .at = AT(dump_dir)},
};

struct question {
    const struct verify_command_options *o;
    struct ask_verify ask;
    bool again; /* something was accepted: ask all of it once more */
};

/* ---- the answer ---- */

static bool write_page(const struct verify_command_options *o, const struct ask_verify_answer *a, struct error *err)
{
    struct buf page = BUF_INIT;
    struct report *r = report_verify(a, &(struct report_verify){.stats = o->common.stats, .page = true});
    report_html(r, &page);
    bool ok = session_write_file(o->html, &page, err);
    buf_free(&page);
    report_free(r);
    return ok;
}

static bool write_recovered(const char *path, json_t *recovered, struct error *err)
{
    json_t *all = recovered ? json_incref(recovered) : json_object();
    bool ok = config_write(path, all, err);
    json_decref(all);
    return ok;
}

/* Asks about one difference; false when the user quits. */
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
        config_set_answer(q->ask.config, json_string_value(json_object_get(one, "key")), answer, one);
        q->again = q->again || answer == ANSWER_YES;
    }
    return more;
}

static bool put_questions(struct question *q, const struct ask_verify_answer *a, struct error *err)
{
    bool asked = false, more = true;
    for (size_t i = 0; more && i < a->question.len; i++) {
        json_t *one = report_verify_question(&a->question.data[i]);
        if (config_answer(q->ask.config, json_string_value(json_object_get(one, "key"))) == ANSWER_NONE) {
            asked = true;
            more = put_question(q, one);
        }
        json_decref(one);
    }
    return !asked || !q->o->answers || config_write_answers(q->ask.config, q->o->answers, err);
}

static bool write_questions(const char *path, const struct ask_verify_answer *a, struct error *err)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->question.len; i++)
        json_array_append_new(list, report_verify_question(&a->question.data[i]));
    return config_write_questions(path, list, err);
}

/* Asks the user, and writes the output files. */
static int finish(struct question *q, const struct ask_verify_answer *a, int code)
{
    struct error err = {0};
    bool ok = true;
    if (q->o->ask && a->end.outcome == WORK_DONE)
        ok = put_questions(q, a, &err);
    if (ok && q->again)
        return code;
    if (ok && q->o->write_questions)
        ok = write_questions(q->o->write_questions, a, &err);
    if (ok && q->o->write_config)
        ok = write_recovered(q->o->write_config, a->recovered, &err);
    if (ok && q->o->html)
        ok = write_page(q->o, a, &err);
    if (!ok)
        print_error("verify: %s", err.text);
    return ok ? code : EXIT_UNKNOWN;
}

/* Asks once. */
static int ask(struct question *q)
{
    const struct verify_command_options *o = q->o;
    struct session s;
    struct ask_verify_answer a;
    const char *missing;
    q->again = false;
    q->ask.how.know = config_knowledge(q->ask.config);
    session_begin(&s, &o->common, q->ask.new);
    if (!ask_verify(&q->ask, &s.ask, &a, &s.err))
        return session_failed(&s);
    int code = session_ended(&s, &a.end, a.begun, ask_verify_status(&a, &missing));
    for (size_t i = 0; i < a.warning.len && a.end.outcome != WORK_FAILED; i++)
        print_error("%s", a.warning.data[i]);
    if (missing)
        print_error("%s", missing);
    struct report *r = NULL;
    if (session_answered(&a.end, a.begun)) {
        code = finish(q, &a, code);
        r = report_verify(&a, &(struct report_verify){.stats = o->common.stats});
    }
    if (!q->again)
        code = session_show(&s, r, (enum report_format)o->format, code);
    if (o->common.stats && !q->again)
        fprintf(stderr, "verdicts of earlier runs %llu\n", (unsigned long long)a.nremembered);
    report_free(r);
    ask_verify_free(&a);
    return code;
}

/* ---- the command line ---- */

static bool settings(const struct verify_command_options *o, struct question *q, struct error *err)
{
    static const char *const heuristic[] = {"A", "B", "C", "user"};
    static const unsigned heuristic_bit[] = {VERIFY_BY_A, VERIFY_BY_B, VERIFY_BY_C, VERIFY_BY_USER};
    static const char *const assumption[] = {"frame", "data", "private", "arguments", "result",
                                             "libraries", "aliasing"};
    static const unsigned assumption_bit[] = {VERIFY_ASSUME_FRAME, VERIFY_ASSUME_DATA, VERIFY_ASSUME_PRIVATE,
                                              VERIFY_ASSUME_ARGUMENTS, VERIFY_ASSUME_RESULT,
                                              VERIFY_ASSUME_LIBRARIES, VERIFY_ASSUME_ALIASING};
    struct verify_options *how = &q->ask.how;
    q->ask.object.debug_dirs = o->common.debug_dirs.item;
    q->ask.object.debuginfod = o->common.debuginfod;
    q->ask.function = o->functions.item;
    q->ask.nfunctions = o->functions.n;
    q->ask.library_dirs = o->libraries.item;
    q->ask.no_libraries = o->no_libraries;
    q->ask.heuristics = o->heuristics;
    q->ask.assume = o->assume;
    q->ask.graphs = o->html != NULL;
    q->ask.recover = o->write_config != NULL;
    q->ask.limits = session_limits(&o->common);
    q->ask.budget_ms = o->budget;
    q->ask.accept_bounded = o->accept != 0;
    q->ask.remember = !o->no_cache;
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
           engine_set("assume", o->assume, assumption, assumption_bit, 7, &how->assume, err) &&
           engine_axioms(&o->no_axioms, &how->axioms, err) &&
           (!o->config || config_read(q->ask.config, o->config, err)) &&
           (!o->answers || config_read_answers(q->ask.config, o->answers, o->ask, err));
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    (void)argc;
    const struct verify_command_options *o = options;
    struct question q = {.o = o, .ask = {.old = argv[0], .new = argv[1], .config = config_new()}};
    struct error err = {0};
    int code;
    if (o->ask && !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO))) {
        print_error("verify: --ask needs a terminal; --write-questions and --answers do not");
        code = EXIT_BAD;
    } else if (!settings(o, &q, &err)) {
        print_error("verify: %s", err.text);
        code = error_exit_code(err.kind);
    } else {
        do
            code = ask(&q);
        while (q.again);
    }
    config_free(q.ask.config);
    return code;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "OLD NEW",
    .summary = "prove that a change is safe to apply",
    .details =
        "Proves for every changed function that the new version accepts no input that the old one rejects "
        "(P1), and that on\n"
        "accepted input it writes the same memory (P2), returns the same value (P3) and makes the same "
        "calls (P4); or shows\n"
        "an input on which it does not. OLD and NEW are programs, packages or directories; the last "
        "two are compared file\n"
        "by file. A function rejects an input when it leaves by an error exit: (A) it calls a function "
        "that reports an\n"
        "error, (B) it returns a value that means an error, or (C) its path is much shorter than the "
        "others. Exit status:\n"
        "0 safe, 1 unsafe, 2 bad usage or input, 3 undetermined. bounded(K): no difference on paths that run "
        "no\n"
        "block more than K times, and no proof for longer ones; undetermined unless --accept bounded is "
        "given.",
    .examples = "assay verify libfoo.so.1.2 libfoo.so.1.3\n"
                "assay verify --func parse_header --html report.html old.deb new.deb\n"
                "assay verify --libraries sysroot old/prog new/prog\n"
                "assay verify --budget 1h --timeout 10m old.deb new.deb\n"
                "assay verify --markdown old.deb new.deb > comment.md\n"
                "assay verify --write-questions questions.json old new\n"
                "assay verify --answers questions.json --sarif old new",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct verify_command_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
