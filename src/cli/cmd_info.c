/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

struct info_options {
    struct common common;
    unsigned format;
};

static const struct option table[] = {
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the facts as JSON",
     .at = offsetof(struct info_options, format)},
};

struct question {
    const struct info_options *o;
    const char *file;
};

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    const struct question *q = ctx;
    struct object_options o = {.debug_dirs = q->o->common.debug_dirs.item};
    return report_info(q->file, &o, sink, err);
}

static int conclude(struct report *r)
{
    if (report_complete(r))
        return EXIT_YES;
    complain("not every file could be read; those that could not are listed with the reason");
    return EXIT_UNKNOWN;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    struct question q = {options, argv[0]};
    return session_ask(c, &q.o->common, q.o->format, q.file, ask, conclude, &q);
}

const struct command command_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "facts about a file and the programs in it",
    .details = "Says what FILE is: type, architecture, SHA-256, build-id, sections, tables; for a package, "
               "archive or\n"
               "directory, the same of every program in it.",
    .examples = "assay info /bin/true\nassay info --json hello_2.10-3_amd64.deb",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct info_options),
    .min_args = 1,
    .max_args = 1,
    .one_job = true,
    .run = run,
};
