/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

struct lift_options {
    struct common common;
    unsigned format;
};

#define AT(member) offsetof(struct lift_options, member)
static const struct option table[] = {
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the listing as JSON", .at = AT(format)},
};

struct question {
    const struct lift_options *o;
    const char *file, *function;
};

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    const struct question *q = ctx;
    struct program *p = session_open(&q->o->common, q->file, false, err);
    const struct flow_function *f = p ? program_function(p, q->function, err) : NULL;
    bool ok = f && report_graph(p, f, true, sink, err);
    if (p)
        program_free(p);
    return ok;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    struct question q = {options, argv[0], argv[1]};
    return session_run(&(struct session){.common = &q.o->common,
                                         .kind = c->name,
                                         .subject = q.file,
                                         .format = (enum session_format)q.o->format,
                                         .ask = ask,
                                         .ctx = &q,
                                         .timeout = q.o->common.timeout});
}

const struct command command_lift = {
    .name = "lift",
    .arguments = "FILE FUNC",
    .summary = "a function in assay's intermediate representation",
    .details = "Prints each instruction of FUNC and, under it, what it does in the intermediate "
               "representation that every\n"
               "analysis works on.",
    .examples = "assay lift /bin/true main\nassay lift libz.so.1 adler32",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct lift_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
