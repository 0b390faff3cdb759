/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/session.h"
#include "report/poc.h"

struct poc_command_options {
    struct common common;
    unsigned format, rubric, regression;
    const char *function, *input, *emulator, *harness, *member, *witness_dir, *html, *snapshot, *core,
        *oracle, *source, *cc, *link;
    uint64_t verify_budget, build_timeout, run_timeout, run_memory, run_output, visits, max_paths, k;
    struct option_list pocs, patches;
    bool verify, no_heuristic, empty, no_order, no_concretise, no_function_pointers;
};

#define AT(member) offsetof(struct poc_command_options, member)
static const struct option table[] = {
    {"func", 0, OPTION_TEXT, .value = "FUNC", .help = "the repaired function (default: those that changed)",
     .at = AT(function)},
    {"stdin", 0, OPTION_TEXT, .hint_file = true, .value = "FILE", .help = "standard input of the program",
     .at = AT(input)},
    {"poc", 0, OPTION_LIST, .hint_file = true, .value = "FILE",
     .help = "a proof of concept: stands for @@ among ARGs, or is standard input; several may be given",
     .at = AT(pocs)},
    {"emulator", 0, OPTION_TEXT, .value = "COMMAND",
     .help = "run programs of another architecture with this qemu-user command, or with gdbserver",
     .at = AT(emulator)},
    {"harness", 0, OPTION_TEXT, .hint_file = true, .value = "PROGRAM",
     .help = "run PROGRAM, which loads OLD and the candidates: shared objects", .at = AT(harness)},
    {"member", 0, OPTION_TEXT, .value = "PATH",
     .help = "OLD and candidates are packages: the program in them, or with --harness the library (default: "
             "the only one)",
     .at = AT(member)},
    {"oracle", 0, OPTION_TEXT, .hint_file = true, .value = "PROGRAM",
     .help = "OLD built with sanitizers: says what the crash is and where", .at = AT(oracle)},
    {"patch", 'p', OPTION_LIST, .hint_file = true, .value = "DIFF",
     .help = "a candidate as a unified diff, built with --source and --cc; repeatable", .at = AT(patches)},
    {"source", 0, OPTION_TEXT, .hint_dir = true, .value = "TREE", .help = "the source tree of OLD",
     .at = AT(source)},
    {"cc", 0, OPTION_TEXT, .value = "COMMAND",
     .help = "shell command that builds {} in a copy of TREE, with the options that OLD was built with",
     .at = AT(cc)},
    {"link", 0, OPTION_TEXT, .value = "COMMAND",
     .help = "OLD and candidates are object files: shell command that makes a program {} of {object}",
     .at = AT(link)},
    {"build-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10m", .min = 100, .max = 24 * 3600 * 1000,
     .help = "limit of building or linking one candidate", .at = AT(build_timeout)},
    {"rubric", 0, OPTION_CHOICE, .value = "class|witness", .initial = "class",
     .help = "what refutes in addition to an input: a whole class that goes wrong, or one state",
     .at = AT(rubric)},
    {"regression", 0, OPTION_CHOICE, .value = "outputs|branches|both", .initial = "outputs",
     .help =
         "what differs where both end normally: what the caller sees, the way through the code, or either",
     .at = AT(regression)},
    {"no-heuristic", 0, OPTION_FLAG,
     .help = "any crash counts, not only one like that of the proof of concept", .at = AT(no_heuristic)},
    {"depth", 'k', OPTION_NUMBER, .value = "N", .max = 16, .initial = "3",
     .help = "new objects behind one another that pointers may lead to; 0: pointers stay as they are",
     .at = AT(k)},
    {"uc", 0, OPTION_FLAG, .help = "begin with no objects instead of those of the proof of concept",
     .at = AT(empty)},
    {"no-order", 0, OPTION_FLAG, .help = "vary pointers into one object one by one", .at = AT(no_order)},
    {"no-concretise", 0, OPTION_FLAG,
     .help = "do not give addresses that have no type their value in the snapshot", .at = AT(no_concretise)},
    {"no-function-pointers", 0, OPTION_FLAG, .help = "leave pointers to functions NULL where they were",
     .at = AT(no_function_pointers)},
    {"snapshot", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "keep the state of OLD at the call in FILE, a core file; if it is there, OLD is not run for it",
     .at = AT(snapshot)},
    {"core", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "begin with this core file of OLD at the call, and run nothing", .at = AT(core)},
    {"witness", 0, OPTION_TEXT, .hint_dir = true, .value = "DIR", .help = "write inputs that refute to DIR",
     .at = AT(witness_dir)},
    {"verify", 0, OPTION_FLAG,
     .help =
         "say below each verdict how the candidate differs from OLD on all inputs, as 'assay verify' does",
     .at = AT(verify)},
    {"verify-budget", 0, OPTION_TIME, .value = "TIME", .initial = "1m", .min = 100, .max = 24 * 3600 * 1000,
     .help = "work limit of that for one candidate, calibrated to about this time", .at = AT(verify_budget)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print JSON", .at = AT(format)},
    {"sarif", 0, OPTION_SET, .min = FORMAT_SARIF, .help = "print SARIF 2.1.0", .at = AT(format)},
    {"html", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "also write the report as an HTML page", .at = AT(html)},
    {"visits", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 250, .initial = "40",
     .help = "undecided branches at one block on one path", .at = AT(visits)},
    {"max-paths", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000, .initial = "400",
     .help = "paths of one exploration", .at = AT(max_paths)},
    {"run-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "10s", .min = 100, .max = 3600 * 1000,
     .help = "limit of one run of a program", .at = AT(run_timeout)},
    {"run-memory", 0, OPTION_SIZE, .value = "SIZE", .initial = "4G",
     .help = "address space of a program that is run", .at = AT(run_memory)},
    {"run-output", 0, OPTION_SIZE, .value = "SIZE", .initial = "64M",
     .help = "size of a file that a program writes", .at = AT(run_output)},
};

/* As `assay verify` asks where no option says otherwise. */
static struct ask_verify verify_question(const struct poc_command_options *o)
{
    enum { FUNCTION_MS = 60000, QUERY_MS = 10000 };
    return (struct ask_verify){
        .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
        .how = {.heuristics = VERIFY_BY_ALL,
                .assume = VERIFY_ASSUME_ALL,
                .axioms = AXIOM_ALL,
                .short_ratio = 0.8,
                .timeout_ms = FUNCTION_MS,
                .solve = {.timeout_ms = QUERY_MS, .fp_theory = true}},
        .budget_ms = o->verify_budget,
        .remember = true,
        .limits = session_limits(&o->common)};
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct poc_command_options *o = options;
    const struct ask_verify verify = verify_question(o);
    struct ask_poc q = {
        .old = argv[0],
        .candidate = (const char *const *)argv + 1,
        .ncandidates = (size_t)argc - 1,
        .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
        .argument = (const char *const *)o->common.behind,
        .narguments = (size_t)o->common.nbehind,
        .input = o->input,
        .poc = o->pocs.item,
        .npocs = o->pocs.n,
        .function = o->function,
        .harness = o->harness,
        .member = o->member,
        .oracle = o->oracle,
        .patch = o->patches.item,
        .npatches = o->patches.n,
        .source = o->source,
        .cc = o->cc,
        .link = o->link,
        .build_ms = o->build_timeout,
        .emulator = o->emulator,
        .snapshot = o->snapshot,
        .core = o->core,
        .witness_dir = o->witness_dir,
        .verify = o->verify ? &verify : NULL,
        .how = {.any_crash = o->no_heuristic,
                .witness = o->rubric == 1,
                .regression = o->regression + 1, /* a set */
                .k = (unsigned)o->k,
                .empty = o->empty,
                .no_order = o->no_order,
                .no_concretise = o->no_concretise,
                .no_function_pointers = o->no_function_pointers,
                .visits = (unsigned)o->visits,
                .paths = o->max_paths,
                .work = UINT64_C(100000000),
                /* the effort ends a query, a second or so of it; the clock only one in which no steps are
                 * counted, so that a loaded machine says the same */
                .solve = {.timeout_ms = 60000, .effort = 2500000, .fp_theory = true}},
        .run = {.time_ms = (unsigned)o->run_timeout, .memory = o->run_memory, .output = o->run_output},
        .limits = session_limits(&o->common)};
    const char *wrong = !ask_poc_candidates(&q) ? "no candidates: give programs, or diffs with --patch"
                        : q.npatches && (!q.source || !q.cc)
                            ? "--patch needs --source TREE and --cc COMMAND, which builds {} in it"
                        : q.link && (!strstr(q.link, "{}") || !strstr(q.link, "{object}"))
                            ? "--link needs a command with {}, the program to make, and {object}"
                            : NULL;
    if (wrong) {
        print_error("poc: %s", wrong);
        return EXIT_BAD;
    }
    struct session s;
    struct ask_poc_answer a;
    session_begin(&s, &o->common, q.old);
    if (!ask_poc(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    struct report *r = session_answered(&a.end, a.begun) ? report_poc(&a) : NULL;
    bool written = true;
    if (r && o->html) {
        struct buf page = BUF_INIT;
        report_poc_html(report_document(r), &page);
        written = session_write_file(o->html, &page, &s.err);
        buf_free(&page);
    }
    int code = session_finish(&s, &a.end, a.begun, ask_poc_status(&a), r, (enum report_format)o->format);
    ask_poc_free(&a);
    return written ? code : session_failed(&s);
}

const struct command command_poc = {
    .name = "poc",
    .arguments = "OLD [CANDIDATE...] -- ARG...",
    .summary = "which candidate repairs fix a crash, for the inputs around its proof of concept",
    .details = "RUNS the programs: OLD crashes on the proof of concept, which is among the ARGs or given "
               "with --stdin; every CANDIDATE\n"
               "is OLD with one function repaired. Of a package or directory, one program in it is judged; "
               "object files are linked with\n"
               "--link, libraries are loaded by a --harness. They run in a scratch directory, with limits of "
               "time, memory and output,\n"
               "and without network where the system allows that. Looks for states around the one in which "
               "OLD crashes on which a\n"
               "candidate still crashes, or does something else than OLD does where OLD is fine; runs both "
               "programs to confirm each,\n"
               "and tries to find an input that shows it. A candidate is refuted, doubtful (a state was "
               "found, and maybe no input\n"
               "leads to it), not refuted, proved or unknown. Exit status: 0 a candidate is not refuted, 1 "
               "all are refuted, 2 bad\n"
               "input (no crash, no changed function on its stack, the program hangs or forks), 3 neither.",
    .examples = "assay poc ./parser ./parser.fix1 ./parser.fix2 -- crash.bin\n"
                "assay poc --stdin crash.txt --witness found --json ./tool ./tool.fixed -- -v\n"
                "assay poc --patch 1.diff --patch 2.diff --source . --cc 'gcc -g -O1 -o {} tool.c' ./tool -- "
                "crash.bin\n"
                "assay poc --link 'gcc -o {} {object} main.o' old.o new.o -- crash.bin\n"
                "assay poc --member usr/bin/tool tool_1.0_amd64.deb tool_1.1_amd64.deb -- crash.bin\n"
                "assay poc --verify --html report.html ./tool ./tool.fixed -- crash.bin\n"
                "assay poc --func read_header --rubric witness ./tool ./tool.fixed -- crash.bin",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct poc_command_options),
    .min_args = 1,
    .max_args = -1,
    .behind = true,
    .run = run,
};
