/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/pairs.h"

struct diff_options {
    struct common common;
    unsigned format;
    bool all;
    const char *function;
};

#define AT(member) offsetof(struct diff_options, member)
static const struct option table[] = {
    {"func", 'f', OPTION_TEXT, .value = "FUNC", .help = "only this function, with all of its blocks",
     .at = AT(function)},
    {"all", 'a', OPTION_FLAG, .help = "list unchanged functions too", .at = AT(all)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "the differences as JSON", .at = AT(format)},
};

struct question {
    const struct diff_options *o;
    const char *old, *new;
    struct report_diff how;
};

static bool compare(void *ctx, const struct match_file_pair *pair, struct report_sink sink, struct error *err)
{
    const struct question *q = ctx;
    return report_diff_file(pair, &q->how, sink, err);
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    struct question *q = ctx;
    const struct common *common = &q->o->common;
    struct pairs pairs = {.ask = compare, .ctx = q};
    if (!pairs_open(&pairs, common, q->old, q->new, err))
        return false;
    q->how = (struct report_diff){.old = q->old,
                                  .new = q->new,
                                  .object = {.debug_dirs = common->debug_dirs.item},
                                  .function = q->o->function,
                                  .all = q->o->all};
    json_t *input = json_pack("{s:o, s:o}", "old", report_string(q->old), "new", report_string(q->new));
    if (q->o->function)
        json_object_set_new(input, "function", report_string(q->o->function));
    sink.put(sink.ctx, "input", input);
    struct work_options limits = {.jobs = (unsigned)common->jobs,
                                  .timeout_ms = (unsigned)common->timeout,
                                  .memory_bytes = common->memory};
    bool ok = pairs_run(&pairs, limits, sink, err);
    pairs_close(&pairs);
    return ok;
}

static int conclude(struct report *r)
{
    report_diff_sum(r);
    const char *verdict = json_string_value(json_object_get(report_document(r), "verdict"));
    if (strcmp(verdict, "unknown") == 0) {
        complain("some files could not be compared; they are listed with the reason");
        return EXIT_UNKNOWN;
    }
    return strcmp(verdict, "changed") == 0 ? EXIT_NO : EXIT_YES;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)argc;
    struct question q = {.o = options, .old = argv[0], .new = argv[1]};
    return session_run(&(struct session){.common = &q.o->common,
                                         .kind = c->name,
                                         .subject = q.new,
                                         .format = (enum session_format)q.o->format,
                                         .ask = ask,
                                         .ctx = &q,
                                         .conclude = conclude});
}

const struct command command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .summary = "which functions differ between two programs",
    .details = "Pairs the functions of OLD and NEW and says which changed, were added or removed; code that "
               "was only "
               "moved by the\n"
               "linker is not a change. OLD and NEW are programs, or packages or directories, which are "
               "compared file "
               "by file.\n"
               "For every pair it says how sure it is and by what the two were recognised; for a changed "
               "function, the "
               "blocks that\n"
               "differ. Exit status: 0 no difference, 1 differences, 2 bad usage or input, 3 not known.",
    .examples =
        "assay diff libfoo.so.1.2 libfoo.so.1.3\nassay diff --json old.deb new.deb | jq '.files[].summary'",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct diff_options),
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
