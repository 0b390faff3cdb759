/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"
#include "report/diff.h"

struct diff_options {
    struct common common;
    unsigned format;
    bool all;
    const char *function;
};

#define AT(member) offsetof(struct diff_options, member)
static const struct option table[] = {
    {"func", 'f', OPTION_TEXT, .value = "FUNC", .help = "only this function, with all its blocks",
     .at = AT(function)},
    {"all", 'a', OPTION_FLAG, .help = "also list unchanged functions", .at = AT(all)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the differences as JSON", .at = AT(format)},
};

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    (void)argc;
    const struct diff_options *o = options;
    struct ask_diff q = {.old = argv[0],
                         .new = argv[1],
                         .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                         .function = o->function,
                         .all = o->all,
                         .limits = session_limits(&o->common)};
    struct session s;
    struct ask_diff_answer a;
    session_begin(&s, &o->common, q.new);
    if (!ask_diff(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    int code = session_ended(&s, &a.end, a.begun, ask_diff_status(&a));
    struct report *r = session_answered(&a.end, a.begun) ? report_diff(&a) : NULL;
    if (r && a.verdict == DIFF_SAYS_UNKNOWN)
        print_error("some files could not be compared; the report lists them with the reason");
    code = session_show(&s, r, (enum report_format)o->format, code);
    report_free(r);
    ask_diff_free(&a);
    return code;
}

const struct command command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .summary = "which functions differ between two programs",
    .details =
        "Pairs the functions of OLD and NEW and reports which were changed, added or removed. Code that the "
        "linker merely\n"
        "moved is not a change. OLD and NEW are programs, packages or directories; the last two are "
        "compared file by file.\n"
        "Each pair comes with a confidence and the evidence for it; each changed function with the "
        "blocks that differ.\n"
        "Exit status: 0 no difference, 1 differences, 2 bad usage or input, 3 undetermined.",
    .examples =
        "assay diff libfoo.so.1.2 libfoo.so.1.3\nassay diff --json old.deb new.deb | jq '.files[].summary'",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct diff_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
