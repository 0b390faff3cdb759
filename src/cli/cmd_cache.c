/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"
#include "report/cache.h"

struct cache_options {
    struct common common;
    unsigned format;
    bool clear;
};

#define AT(member) offsetof(struct cache_options, member)
static const struct option table[] = {
    {"clear", 0, OPTION_FLAG, .help = "remove everything that is kept", .at = AT(clear)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the report as JSON", .at = AT(format)},
};

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    (void)argc;
    (void)argv;
    const struct cache_options *o = options;
    struct session s;
    struct ask_cache_answer a;
    int code;
    session_begin(&s, &o->common, "cache");
    if (ask_cache(o->clear, &a, &s.err)) {
        struct report *r = report_cache(&a);
        code = session_show(&s, r, (enum report_format)o->format, EXIT_YES);
        report_free(r);
    } else {
        print_error("cache: %s", s.err.text);
        code = error_exit_code(s.err.kind);
    }
    ask_cache_free(&a);
    return code;
}

const struct command command_cache = {
    .name = "cache",
    .arguments = "",
    .summary = "show or clear what is kept between runs",
    .details = "Shows what is kept from run to run in $XDG_CACHE_HOME/assay, or ~/.cache/assay: verdicts of "
               "'assay verify',\n"
               "what functions do, of 'assay adapt', and features of patches of 'assay present'. Nothing "
               "there is needed; it only saves time.",
    .examples = "assay cache\nassay cache --clear",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct cache_options),
    .min_args = 0,
    .max_args = 0,
    .one_job = true,
    .run = run,
};
