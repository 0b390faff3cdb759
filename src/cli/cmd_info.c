/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"
#include "report/info.h"

struct info_options {
    struct common common;
    unsigned format;
};

static const struct option table[] = {
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the facts as JSON",
     .at = offsetof(struct info_options, format)},
};

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    (void)argc;
    const struct info_options *o = options;
    struct ask_info q = {.file = argv[0],
                         .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                         .limits = session_limits(&o->common)};
    struct session s;
    struct ask_info_answer a;
    session_begin(&s, &o->common, q.file);
    if (!ask_info(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    int code = session_ended(&s, &a.end, a.member.len, ask_info_status(&a));
    struct report *r = session_answered(&a.end, a.member.len) ? report_info(&a) : NULL;
    if (r && a.unread)
        print_error("some files could not be read; the report lists them with the reason");
    code = session_show(&s, r, (enum report_format)o->format, code);
    report_free(r);
    ask_info_free(&a);
    return code;
}

const struct command command_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "facts about a file and the programs in it",
    .details = "Prints what FILE is: type, architecture, SHA-256, build-id, sections, tables. For a package, "
               "archive or\n"
               "directory, it does so for every program inside.",
    .examples = "assay info /bin/true\nassay info --json hello_2.10-3_amd64.deb",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct info_options),
    .min_args = 1,
    .max_args = 1,
    .one_job = true,
    .run = run,
};
