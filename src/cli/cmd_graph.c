/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cfg and lift: the graph of one function, without and with what each instruction means. */
#include "cli/session.h"
#include "report/graph.h"

struct graph_options {
    struct common common;
    unsigned format;
};

#define AT(member) offsetof(struct graph_options, member)
static const struct option cfg_table[] = {
    {"dot", 0, OPTION_SET, .min = FORMAT_DOT, .help = "print the graph for Graphviz", .at = AT(format)},
    {"svg", 0, OPTION_SET, .min = FORMAT_SVG, .help = "print the graph as SVG; needs Graphviz's dot",
     .at = AT(format)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the graph as JSON", .at = AT(format)},
};
static const struct option lift_table[] = {
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the listing as JSON", .at = AT(format)},
};

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    const struct graph_options *o = options;
    struct ask_graph q = {.file = argv[0],
                          .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                          .function = argv[1],
                          .with_ir = c == &command_lift,
                          .limits = session_limits(&o->common)};
    struct session s;
    struct ask_graph_answer a;
    session_begin(&s, &o->common, q.file);
    if (!ask_graph(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    struct report *r = session_answered(&a.end, a.begun) ? report_graph(&a) : NULL;
    int code = session_finish(&s, &a.end, a.begun, ASK_YES, r, (enum report_format)o->format);
    ask_graph_free(&a);
    return code;
}

const struct command command_cfg = {
    .name = "cfg",
    .arguments = "FILE FUNC",
    .summary = "a function's control-flow graph",
    .details =
        "Prints the blocks of FUNC with their instructions and successors, its calls, its jump tables, and "
        "what could not\n"
        "be resolved.",
    .examples = "assay cfg /bin/true main\nassay cfg --svg a.out 0x1139 > graph.svg",
    .options = {cfg_table, sizeof cfg_table / sizeof *cfg_table},
    .options_size = sizeof(struct graph_options),
    .min_args = 2,
    .max_args = 2,
    .one_job = true,
    .run = run,
};

const struct command command_lift = {
    .name = "lift",
    .arguments = "FILE FUNC",
    .summary = "a function in assay's intermediate representation",
    .details =
        "Prints each instruction of FUNC and, below it, its meaning in the intermediate representation "
        "that every\n"
        "analysis works on.",
    .examples = "assay lift /bin/true main\nassay lift libz.so.1 adler32",
    .options = {lift_table, sizeof lift_table / sizeof *lift_table},
    .options_size = sizeof(struct graph_options),
    .min_args = 2,
    .max_args = 2,
    .one_job = true,
    .run = run,
};
