/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"
#include "report/bitcode.h"

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

struct question {
    const struct functions_options *o;
    const char *file;
};

static void searching(void *ctx, size_t done, size_t total)
{
    const struct report_sink *sink = ctx;
    sink->progress(sink->ctx, "functions looked at", done, total);
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    const struct question *q = ctx;
    if (bitcode_is_file(q->file)) {
        struct bitcode *m = bitcode_open(q->file, err);
        bool told = m && report_bitcode_functions(m, sink, err);
        bitcode_free(m);
        return told;
    }
    struct program *p = session_open(&q->o->common, q->file, false, err);
    if (!p)
        return false;
    if (!q->o->tables_only) {
        report_functions_known(p, sink);
        program_search(p, sink.progress ? searching : NULL, &sink);
    }
    bool ok = report_functions(p, sink, err);
    program_free(p);
    return ok;
}

static int conclude(struct report *r)
{
    report_functions_settle(r);
    return EXIT_YES;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    struct question q = {options, argv[0]};
    return session_ask(c, &q.o->common, q.o->format, q.file, ask, conclude, &q);
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
