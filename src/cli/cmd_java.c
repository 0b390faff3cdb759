/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/engine.h"
#include "cli/session.h"
#include "report/java.h"

struct java_command_options {
    struct common common;
    unsigned format, mode, fp;
    uint64_t number, unwind, length, max_paths, query_timeout;
    const char *jdk, *solver, *dump_dir, *checks, *symbolic, *tests, *page, *sources, *property, *witness;
    bool args, replay, coverage;
};

/* --mode N, --merge and --paths set the same thing. */
#define AT(member) offsetof(struct java_command_options, member)
static const struct option table[] = {
    {"check", 0, OPTION_TEXT, .value = "LIST", .initial = "all",
     .help = "which uncaught exceptions are failures: assert,bounds,null,divide,cast,size,exception,all",
     .at = AT(checks)},
    {"merge", 0, OPTION_SET, .min = 5, .help = "merge states where branches meet (default; --mode 5)",
     .at = AT(mode)},
    {"paths", 0, OPTION_SET, .min = 1, .help = "follow one path at a time (--mode 1)", .at = AT(mode)},
    {"mode", 0, OPTION_NUMBER, .value = "1..5", .min = 1, .max = 5,
     .help = "merge: 1 nothing, 2 regions, 3 and methods, 4 and around throws, 5 and early returns",
     .at = AT(number)},
    {"unwind", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 60000, .initial = "20",
     .help = "iterations of a loop whose condition depends on inputs", .at = AT(unwind)},
    {"length", 0, OPTION_NUMBER, .value = "N", .max = 40, .initial = "4",
     .help = "greatest length of arrays and strings that are arguments", .at = AT(length)},
    {"symbolic", 0, OPTION_TEXT, .value = "NAMES",
     .help = "which arguments and static fields are inputs: arg0, arg0.length, arg1[3], pack.Class.field",
     .at = AT(symbolic)},
    {"symbolic-args", 0, OPTION_FLAG, .help = "main's arguments are inputs; otherwise there are none",
     .at = AT(args)},
    {"max-paths", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000000, .initial = "1000000",
     .help = "stop after N paths", .at = AT(max_paths)},
    {"jdk", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR",
     .help = "where the JDK's own classes are; otherwise the installed one's", .at = AT(jdk)},
    {"replay", 0, OPTION_FLAG, .help = "run each failure on the virtual machine: this executes the program",
     .at = AT(replay)},
    {"tests", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR",
     .help = "write JUnit 4 tests to DIR, one for each path or merged case", .at = AT(tests)},
    {"coverage", 0, OPTION_FLAG, .help = "say which lines and branches inputs were found for",
     .at = AT(coverage)},
    {"coverage-html", 0, OPTION_TEXT, .value = "FILE", .help = "write that to FILE, on the source",
     .at = AT(page)},
    {"sources", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR", .initial = ".",
     .help = "where the source is, for that page", .at = AT(sources)},
    {"svcomp", 0, OPTION_TEXT, .value = "FILE",
     .help = "check the property in FILE (SV-COMP), print TRUE, FALSE or UNKNOWN, write a witness",
     .at = AT(property)},
    {"witness", 0, OPTION_TEXT, .value = "FILE", .initial = "witness.graphml",
     .help = "where --svcomp writes it", .at = AT(witness)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the answer as JSON", .at = AT(format)},
    {"solver", 0, OPTION_TEXT, .value = "z3|cvc5|race|COMMAND", .initial = "z3", .help = "SMT solver",
     .at = AT(solver)},
    {"query-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10s", .max = 3600 * 1000,
     .help = "limit per solver query", .at = AT(query_timeout)},
    {"dump-smt", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR", .help = "write every solver query to DIR",
     .at = AT(dump_dir)},
};

static bool read_checks(const char *list, unsigned *out, struct error *err)
{
    *out = 0;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        unsigned found = n == 3 && strncmp(p, "all", 3) == 0 ? JAVA_CHECK_ALL : 0;
        for (unsigned c = 1; c < JAVA_CHECK_ALL; c <<= 1)
            if (strlen(ask_java_check_name(c)) == n && strncmp(p, ask_java_check_name(c), n) == 0)
                found = c;
        if (!found)
            return error_set(
                err, ERROR_USAGE,
                "--check %.*s: not one of assert, bounds, null, divide, cast, size, exception, all", (int)n,
                p);
        *out |= found;
        p += n + (p[n] == ',');
    }
    return *out || error_set(err, ERROR_USAGE, "--check: which? name some, or all");
}

/* CHECK( init(Main.main()), LTL(G assert) ), or LTL(G ! uncaught(java.lang.RuntimeException)). */
struct property {
    char text[256], class[128];
    unsigned checks;
};

static bool read_property(const char *path, struct property *out, struct error *err)
{
    char line[512];
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
    out->checks = 0;
    while (fgets(line, sizeof line, f)) {
        const char *init = strstr(line, "init(");
        if (!init || !strstr(line, "LTL(") || sscanf(init, "init(%127[^()]()", out->class) != 1)
            continue;
        snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(line, "\r\n"), line);
        out->checks |= strstr(line, "LTL(G assert)") ? JAVA_CHECK_ASSERT : 0;
        if (strstr(line, "uncaught(") || strstr(line, "exception"))
            out->checks |= JAVA_CHECK_ALL & ~(unsigned)JAVA_CHECK_ASSERT;
    }
    fclose(f);
    return out->checks ||
           error_set(err, ERROR_INPUT,
                     "%s: no property that is known: CHECK( init(Main.main()), LTL(G assert) ) is one", path);
}

static int show_svcomp(struct session *s, const struct ask_java_answer *a, const struct property *p,
                       const char *witness, int code)
{
    static const char *const said[] = {"TRUE", "FALSE", "UNKNOWN", "UNKNOWN"};
    struct buf out = BUF_INIT, file = BUF_INIT;
    char when[32];
    time_t now = time(NULL);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    struct report *r = report_java(a, false);
    buf_printf(&out, "%s\n", said[a->verdict]);
    if (a->verdict == JAVA_HOLDS || a->verdict == JAVA_FAILS) {
        report_java_witness(report_document(r), p->text, a->q->class_path, when, &file);
        if (!session_write_file(witness, &file, &s->err)) {
            print_error("java: %s", s->err.text);
            code = error_exit_code(s->err.kind);
        }
    }
    code = session_write(&out, code);
    report_free(r);
    buf_free(&out);
    buf_free(&file);
    return code;
}

/* Files beside the answer. */
static int write_files(struct session *s, const struct java_command_options *o,
                       const struct ask_java_answer *a, struct report *r, int code)
{
    struct buf page = BUF_INIT;
    bool ok = !o->tests || java_write_tests(a, o->tests, &s->err);
    if (ok && o->page) {
        report_java_page(report_document(r), &page);
        ok = session_write_file(o->page, &page, &s->err);
    }
    buf_free(&page);
    if (!ok)
        print_error("java: %s", s->err.text);
    return ok ? code : error_exit_code(s->err.kind);
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct java_command_options *o = options;
    struct property property = {0};
    struct ask_java q = {.class_path = argv[0],
                         .method = argc > 1 ? argv[1] : NULL,
                         .symbolic = o->symbolic,
                         .replay = o->replay,
                         .cases = o->tests || o->coverage || o->page,
                         .coverage = o->coverage || o->page,
                         .sources = o->page ? o->sources : NULL,
                         .jdk = o->jdk,
                         .mode = o->number ? (unsigned)o->number
                                 : o->mode ? o->mode
                                           : 5,
                         .unwind = (unsigned)o->unwind,
                         .length = (unsigned)o->length,
                         .args = o->args,
                         .max_paths = o->max_paths,
                         .solve = {.timeout_ms = (unsigned)o->query_timeout, .fp_theory = true},
                         .limits = session_limits(&o->common)};
    struct session s;
    struct ask_java_answer a;
    session_begin(&s, &o->common, q.class_path);
    bool ok = read_checks(o->checks, &q.checks, &s.err);
    if (ok && o->property) {
        ok = read_property(o->property, &property, &s.err);
        q.checks = property.checks;
        q.method = q.method ? q.method : property.class;
    }
    if (ok && !q.method)
        ok = error_set(&s.err, ERROR_USAGE, "which class? assay java CLASSPATH CLASS[.METHOD[DESCRIPTOR]]");
    if (!ok || !engine_solver(o->solver, o->dump_dir, &q.solve, &s.err)) {
        print_error("java: %s", s.err.text);
        return error_exit_code(s.err.kind);
    }
    if (!ask_java(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    int code = session_ended(&s, &a.end, a.begun, ask_java_status(&a));
    if (o->property && session_answered(&a.end, a.begun)) {
        code = show_svcomp(&s, &a, &property, o->witness, code);
        ask_java_free(&a);
        return code;
    }
    struct report *r = session_answered(&a.end, a.begun) ? report_java(&a, o->common.stats) : NULL;
    if (r)
        code = write_files(&s, o, &a, r, code);
    code = session_show(&s, r, (enum report_format)o->format, code);
    report_free(r);
    ask_java_free(&a);
    return code;
}

const struct command command_java = {
    .name = "java",
    .arguments = "CLASSPATH CLASS[.METHOD[DESCRIPTOR]]",
    .summary = "can a Java method fail, on any input",
    .details = "Executes METHOD (main by default) symbolically, with what it calls, the JDK's classes "
               "included, and says\n"
               "whether an exception can leave it. Its arguments are inputs, and so is what the program asks "
               "of assay.Input,\n"
               "of Verifier (SV-COMP) and of Debug (Symbolic PathFinder). Assertions are enabled. Exit "
               "status 0: it cannot\n"
               "fail; 1: it can, and the inputs are shown; 2: bad input; 3: not known, or only looked at "
               "within bounds.",
    .examples = "assay java classes Main\nassay java --check assert app.jar org.example.Parser.parse\n"
                "assay java --paths --stats classes 'Main.main([Ljava/lang/String;)V'",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct java_command_options),
    .min_args = 1,
    .max_args = 2,
    .one_job = true,
    .run = run,
};
