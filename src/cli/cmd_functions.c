/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"
#include "report/functions.h"

struct functions_options {
    struct common common;
    unsigned format;
    bool tables_only;
};

#define AT(member) offsetof(struct functions_options, member)
static const struct option table[] = {
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the list as JSON", .at = AT(format)},
    {"tables-only", 0, OPTION_FLAG, .help = "use symbols and unwind tables only; do not search the code",
     .at = AT(tables_only)},
};

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    (void)argc;
    const struct functions_options *o = options;
    struct ask_functions q = {.file = argv[0],
                              .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                              .tables_only = o->tables_only,
                              .limits = session_limits(&o->common)};
    struct session s;
    struct ask_functions_answer a;
    session_begin(&s, &o->common, q.file);
    if (!ask_functions(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    struct report *r = session_answered(&a.end, a.begun) ? report_functions(&a) : NULL;
    int code = session_finish(&s, &a.end, a.begun, ASK_YES, r, (enum report_format)o->format);
    ask_functions_free(&a);
    return code;
}

const struct command command_functions = {
    .name = "functions",
    .arguments = "FILE",
    .summary = "the functions of a program",
    .details =
        "Lists the functions of FILE by address: size, number of arguments, kind of result, source of that "
        "prototype\n"
        "(dwarf: debug information; library: the table of C library functions; code: recovered from "
        "the instructions),\n"
        "how the function was found, and its name. RETURNS is 'never' for a function that does not "
        "return, and '?' where\n"
        "it is unknown: the function may pass on what an unknown callee returned. When a limit cuts "
        "the analysis short,\n"
        "the remaining functions are listed from the tables alone.",
    .examples = "assay functions /bin/true\nassay functions --json libz.so.1 | jq '.functions[].name'",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct functions_options),
    .min_args = 1,
    .max_args = 1,
    .one_job = true,
    .run = run,
};
