/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cfg and lift: the graph of one function, without and with what each instruction means. */
#include "cli/session.h"
#include "report/bitcode.h"

struct graph_options {
    struct common common;
    unsigned format;
};

#define AT(member) offsetof(struct graph_options, member)
static const struct option cfg_table[] = {
    {"dot", 0, OPTION_SET, .min = FORMAT_DOT, .help = "the graph for Graphviz", .at = AT(format)},
    {"svg", 0, OPTION_SET, .min = FORMAT_SVG, .help = "the graph as a drawing; needs Graphviz's dot",
     .at = AT(format)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the graph as JSON", .at = AT(format)},
};
static const struct option lift_table[] = {
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the listing as JSON", .at = AT(format)},
};

struct question {
    const struct graph_options *o;
    const char *file, *function;
    bool with_ir;
};

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    const struct question *q = ctx;
    if (bitcode_is_file(q->file)) {
        struct bitcode *m = bitcode_open(q->file, err);
        const struct bitcode_function *b = m ? bitcode_function(m, q->function, err) : NULL;
        bool told = b && report_bitcode_graph(m, b, q->with_ir, sink, err);
        bitcode_free(m);
        return told;
    }
    struct program *p = session_open(&q->o->common, q->file, false, err);
    const struct flow_function *f = p ? program_function(p, q->function, err) : NULL;
    bool ok = f && report_graph(p, f, q->with_ir, sink, err);
    if (p)
        program_free(p);
    return ok;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    struct question q = {options, argv[0], argv[1], c == &command_lift};
    return session_ask(c, &q.o->common, q.o->format, q.file, ask, NULL, &q);
}

const struct command command_cfg = {
    .name = "cfg",
    .arguments = "FILE FUNC",
    .summary = "a function's control-flow graph",
    .details = "Shows the blocks of FUNC with their instructions and where each goes, its calls, its jump "
               "tables, and what could\n"
               "not be resolved.",
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
    .details = "Prints each instruction of FUNC and, under it, what it does in the intermediate "
               "representation that every\n"
               "analysis works on.",
    .examples = "assay lift /bin/true main\nassay lift libz.so.1 adler32",
    .options = {lift_table, sizeof lift_table / sizeof *lift_table},
    .options_size = sizeof(struct graph_options),
    .min_args = 2,
    .max_args = 2,
    .one_job = true,
    .run = run,
};
