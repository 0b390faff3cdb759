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
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the list as JSON", .at = AT(format)},
    {"tables-only", 0, OPTION_FLAG,
     .help = "only what symbols and unwind tables tell; do not search the code", .at = AT(tables_only)},
};

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    (void)argc;
    const struct functions_options *o = options;
    struct ask_functions q = {.file = argv[0],
                              .object = {.debug_dirs = o->common.debug_dirs.item},
                              .tables_only = o->tables_only,
                              .limits = session_limits(&o->common)};
    struct session s;
    struct ask_functions_answer a;
    session_begin(&s, &o->common, q.file);
    if (!ask_functions(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    int code = session_ended(&s, &a.end, a.begun, ASK_YES);
    struct report *r = session_answered(&a.end, a.begun) ? report_functions(&a) : NULL;
    code = session_show(&s, r, (enum session_format)o->format, code);
    report_free(r);
    ask_functions_free(&a);
    return code;
}

const struct command command_functions = {
    .name = "functions",
    .arguments = "FILE",
    .summary = "the functions of a program",
    .details = "Lists the functions of FILE by address: size, number of arguments, whether a value is "
               "returned, where that\n"
               "prototype came from (dwarf: debug information; library: the table of C-library functions; "
               "code: recovered\n"
               "from the instructions), how the function was found, and its name. RETURNS is 'never' for a "
               "function that\n"
               "does not come back, '?' where it is not known: a value of an unknown callee may be handed "
               "through. When it is\n"
               "cut short, functions that were not looked at yet are listed with what tables say.",
    .examples = "assay functions /bin/true\nassay functions --json libz.so.1 | jq '.functions[].name'",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct functions_options),
    .min_args = 1,
    .max_args = 1,
    .one_job = true,
    .run = run,
};
