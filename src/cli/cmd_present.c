/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/session.h"
#include "report/present.h"

struct present_command_options {
    struct common common;
    unsigned format;
    struct option_list functions, old, new, patches, units;
    const char *name, *source, *before, *after, *cc, *compile_commands, *html, *openvex;
    bool no_solver, no_ranking, no_refinement, no_cache;
};

#define AT(member) offsetof(struct present_command_options, member)
static const struct option table[] = {
    {"patch", 'p', OPTION_LIST, .hint_file = true, .value = "DIFF",
     .help = "the patch, a unified diff; repeatable, each is a separate patch", .at = AT(patches)},
    {"source", 0, OPTION_TEXT, .hint_dir = true, .value = "TREE",
     .help = "the source tree it applies to, before or after the patch", .at = AT(source)},
    {"before", 0, OPTION_TEXT, .hint_dir = true, .value = "TREE",
     .help = "instead of --patch: the source before it", .at = AT(before)},
    {"after", 0, OPTION_TEXT, .hint_dir = true, .value = "TREE", .help = "and the source after it",
     .at = AT(after)},
    {"cc", 0, OPTION_TEXT, .value = "COMMAND", .initial = "clang",
     .help = "compiler command: clang and its options", .at = AT(cc)},
    {"compile-commands", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "compile_commands.json with the options of each source file", .at = AT(compile_commands)},
    {"compile", 0, OPTION_LIST, .hint_file = true, .value = "FILE",
     .help = "compile this source file as well as the changed ones; repeatable", .at = AT(units)},
    {"old", 0, OPTION_LIST, .hint_file = true, .value = "FILE",
     .help = "reference before the patch: bitcode or a program; repeatable, with --new", .at = AT(old)},
    {"new", 0, OPTION_LIST, .hint_file = true, .value = "FILE", .help = "reference after the patch",
     .at = AT(new)},
    {"func", 'f', OPTION_LIST, .value = "FUNC[=ADDRESS]",
     .help = "only this function, found at ADDRESS in TARGET; repeatable", .at = AT(functions)},
    {"name", 0, OPTION_TEXT, .value = "ID",
     .help = "the name of the patch in the report, such as CVE-2024-1234", .at = AT(name)},
    {"no-solver", 0, OPTION_FLAG, .help = "compare features by their form only", .at = AT(no_solver)},
    {"no-ranking", 0, OPTION_FLAG, .help = "try features unordered and unpaired", .at = AT(no_ranking)},
    {"no-refinement", 0, OPTION_FLAG, .help = "do not generalise features", .at = AT(no_refinement)},
    {"no-cache", 0, OPTION_FLAG, .help = "neither read nor write the cache of patch features",
     .at = AT(no_cache)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the report as JSON", .at = AT(format)},
    {"sarif", 0, OPTION_SET, .min = FORMAT_SARIF, .help = "print the report as SARIF 2.1.0",
     .at = AT(format)},
    {"html", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "also write the report as an HTML page", .at = AT(html)},
    {"openvex", 0, OPTION_TEXT, .hint_file = true, .value = "FILE", .help = "also write an OpenVEX document",
     .at = AT(openvex)},
};

static bool write_text(const char *path, void (*render)(json_t *doc, struct buf *out), struct report *r,
                       struct error *err)
{
    struct buf text = BUF_INIT;
    render(report_document(r), &text);
    bool ok = session_write_file(path, &text, err);
    buf_free(&text);
    return ok;
}

/* Writes the output files. */
static int finish(const struct present_command_options *o, struct report *r, int code)
{
    struct error err = {0};
    if ((!o->html || write_text(o->html, report_present_html, r, &err)) &&
        (!o->openvex || write_text(o->openvex, report_present_openvex, r, &err)))
        return code;
    print_error("present: %s", err.text);
    return EXIT_UNKNOWN;
}

/* Warnings. */
static void show_notes(const struct present_command_options *o, const struct ask_present_answer *a)
{
    for (const char *c = a->compiler; c && *c; c++)
        fputc((unsigned char)*c < 32 && *c != '\n' && *c != '\t' ? '?' : *c, stderr);
    for (size_t i = 0; i < a->complaint.len; i++)
        print_error("%s", a->complaint.data[i]);
    for (size_t i = 0; o->common.stats && i < a->executed.len; i++)
        fprintf(stderr, "%s: %s: executed %llu of %llu functions\n", a->executed.data[i].target,
                a->executed.data[i].patch, (unsigned long long)a->executed.data[i].executed,
                (unsigned long long)a->executed.data[i].functions);
}

/* Whether the options go together; what is wrong, or NULL. */
static const char *wrong_with(const struct present_command_options *o)
{
    bool patch = o->patches.n, trees = o->before || o->after, files = o->old.n || o->new.n;
    if (patch + trees + files != 1)
        return patch + trees + files
                   ? "--patch, --before and --after, --old and --new exclude each other"
                   : "which patch? give --patch and --source, --before and --after, or --old and --new";
    if (patch && !o->source)
        return "--patch needs --source TREE, the source it is for";
    if (trees && !(o->before && o->after))
        return "--before and --after need each other";
    if (o->old.n != o->new.n)
        return "each --old needs a --new";
    return NULL;
}

static struct ask_words words(const struct option_list *l)
{
    return (struct ask_words){l->item, l->n};
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct present_command_options *o = options;
    const char *wrong = wrong_with(o);
    if (wrong) {
        print_error("present: %s", wrong);
        return EXIT_BAD;
    }
    struct ask_present q = {.patches = words(&o->patches),
                            .source = o->source,
                            .before = o->before,
                            .after = o->after,
                            .cc = o->cc,
                            .compile_commands = o->compile_commands,
                            .units = words(&o->units),
                            .old = words(&o->old),
                            .new = words(&o->new),
                            .functions = words(&o->functions),
                            .name = o->name,
                            .no_solver = o->no_solver,
                            .no_ranking = o->no_ranking,
                            .no_refinement = o->no_refinement,
                            .no_cache = o->no_cache,
                            .target = argv,
                            .ntargets = (size_t)argc,
                            .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
                            .limits = session_limits(&o->common)};
    struct session s;
    struct ask_present_answer a;
    session_begin(&s, &o->common, argv[0]);
    if (!ask_present(&q, &s.ask, &a, &s.err))
        return session_failed(&s);
    session_clear(&s);
    show_notes(o, &a);
    int code = session_ended(&s, &a.end, a.begun, ask_present_status(&a));
    struct report *r = session_answered(&a.end, a.begun) ? report_present(&a) : NULL;
    if (r)
        code = finish(o, r, code);
    code = session_show(&s, r, (enum report_format)o->format, code);
    report_free(r);
    ask_present_free(&a);
    return code;
}

const struct command command_present = {
    .name = "present",
    .arguments = "TARGET...",
    .summary = "decide whether a source patch is in a binary",
    .details =
        "Decides whether a fix is in TARGET, whatever its compiler, optimisation level and architecture. "
        "Learns\n"
        "what the patch changes from references before and after it, and searches the functions of TARGET "
        "for\n"
        "it: results, conditions, calls and stores. The patch is present only if every part of it is. Exit\n"
        "status: 0 present, 1 absent or only partly present, 2 bad usage or input, 3 undetermined.",
    .examples =
        "assay present --patch fix.diff --source libfoo-1.2 --cc 'clang -Iinclude' /usr/lib/libfoo.so.1\n"
        "assay present --old before.bc --new after.bc libfoo.so.1\n"
        "assay present --old libfoo-1.2.so --new libfoo-1.3.so --func parse firmware/libfoo.so",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct present_command_options),
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
