/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

struct cfg_options {
    struct common common;
    unsigned format;
};

#define AT(member) offsetof(struct cfg_options, member)
static const struct option table[] = {
    {"dot", 0, OPTION_SET, .min = FORMAT_DOT, .help = "the graph for Graphviz", .at = AT(format)},
    {"svg", 0, OPTION_SET, .min = FORMAT_SVG, .help = "the graph as a drawing; needs Graphviz's dot",
     .at = AT(format)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the graph as JSON", .at = AT(format)},
};

struct question {
    const struct cfg_options *o;
    const char *file, *function;
};

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    const struct question *q = ctx;
    struct program *p = session_open(&q->o->common, q->file, false, err);
    const struct flow_function *f = p ? program_function(p, q->function, err) : NULL;
    bool ok = f && report_graph(p, f, false, sink, err);
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

const struct command command_cfg = {
    .name = "cfg",
    .arguments = "FILE FUNC",
    .summary = "a function's control-flow graph",
    .details = "Shows the blocks of FUNC with their instructions and where each goes, its calls, its jump "
               "tables, and what could\n"
               "not be resolved.",
    .examples = "assay cfg /bin/true main\nassay cfg --svg a.out 0x1139 > graph.svg",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct cfg_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
