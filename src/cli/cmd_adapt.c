/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/engine.h"
#include "cli/session.h"
#include "report/adapt.h"

struct adapt_command_options {
    struct common common;
    unsigned format, emit;
    uint64_t visits, runs, search, summary;
    uint64_t near;
    const char *families, *constants, *sweep, *against, *tasks, *slice, *store, *output, *repair, *by;
    struct option_list assume, regions;
    bool truth, modulo_faults, enumerate, native, fragments, no_cache;
};

#define AT(member) offsetof(struct adapt_command_options, member)
static const struct option table[] = {
    {"family", 0, OPTION_TEXT, .value = "LIST", .initial = "all",
     .help = "permute,substitute,convert,arithmetic,return, all of these, or memory: what adapters may do",
     .at = AT(families)},
    {"constants", 0, OPTION_TEXT, .value = "any|LIST", .initial = "any",
     .help = "constants that adapters may use: any, or N,N,...", .at = AT(constants)},
    {"assume", 0, OPTION_LIST, .value = "EXPR",
     .help = "what holds when the target is called, as in assay wp --pre; repeatable", .at = AT(assume)},
    {"regions", 0, OPTION_LIST, .value = "argN:SIZE",
     .help = "argument N of the target points to SIZE bytes; repeatable", .at = AT(regions)},
    {"truth", 0, OPTION_FLAG, .help = "of results only whether they are 0 counts", .at = AT(truth)},
    {"modulo-faults", 0, OPTION_FLAG, .help = "inputs on which the target faults do not count",
     .at = AT(modulo_faults)},
    {"enumerate", 0, OPTION_FLAG, .help = "try adapters one by one instead of solving for them",
     .at = AT(enumerate)},
    {"native", 0, OPTION_FLAG, .help = "also run both functions on this machine, without system calls",
     .at = AT(native)},
    {"emit", 0, OPTION_CHOICE, .value = "none|c|preload|patch", .initial = "none",
     .help = "the adapter as C, to be linked with INNER or as a library for LD_PRELOAD, which is compiled "
             "and run "
             "without system calls; or in a patched copy of TARGET's file",
     .at = AT(emit)},
    {"output", 'o', OPTION_TEXT, .hint_file = true, .value = "FILE", .help = "where the patched file goes",
     .at = AT(output)},
    {"repair", 0, OPTION_TEXT, .hint_file = true, .value = "OLD",
     .help = "patch FUNC of OLD to be a function of --by, and ask verify about it", .at = AT(repair)},
    {"by", 0, OPTION_TEXT, .hint_file = true, .value = "FILE:FUNC", .help = "what takes the place of FUNC",
     .at = AT(by)},
    {"sweep", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "ask about many pairs of functions of FILE", .at = AT(sweep)},
    {"near", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 1000000, .initial = "5",
     .help = "sweep: each function against N neighbours on either side", .at = AT(near)},
    {"against", 0, OPTION_TEXT, .hint_file = true, .value = "FILE",
     .help = "sweep: each function against every function of FILE", .at = AT(against)},
    {"fragments", 0, OPTION_FLAG,
     .help = "sweep: the targets are FILE's fragments of ARM code, with --against", .at = AT(fragments)},
    {"tasks", 0, OPTION_TEXT, .hint_file = true, .value = "LIST",
     .help = "sweep: pairs from a file, a line TARGET INNER each", .at = AT(tasks)},
    {"slice", 0, OPTION_TEXT, .value = "I/N", .help = "sweep: only the I-th of N parts, from 0 on",
     .at = AT(slice)},
    {"store", 0, OPTION_TEXT, .hint_file = true, .value = "DB",
     .help = "sweep: keep answers in this SQLite database, and leave out those it has", .at = AT(store)},
    {"no-cache", 0, OPTION_FLAG, .help = "neither use nor keep what was found out of functions in other runs",
     .at = AT(no_cache)},
    {"json", 0, OPTION_SET, .min = FORMAT_JSON, .help = "print the answer as JSON", .at = AT(format)},
    {"visits", 0, OPTION_NUMBER, .value = "N", .min = 1, .max = 200, .initial = "4",
     .help = "times a path may enter the same block where an open condition leads there", .at = AT(visits)},
    {"runs", 0, OPTION_NUMBER, .value = "N", .max = 100000000, .initial = "10000",
     .help = "runs of an adapter on the interpreter, and of its C; 0: none", .at = AT(runs)},
    {"search-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "60s", .max = 24 * 3600 * 1000,
     .help = "processor time for the search", .at = AT(search)},
    {"summary-timeout", 0, OPTION_TIME, .value = "TIME", .initial = "20s", .max = 24 * 3600 * 1000,
     .help = "processor time to explore one function", .at = AT(summary)},
};

enum { MAX_LIST = 64 };

struct lists {
    uint64_t constant[MAX_LIST];
    struct adapt_region region[MAX_LIST];
};

static bool read_number(const char **at, uint64_t *out)
{
    char *end;
    errno = 0;
    bool minus = **at == '-';
    *out = strtoull(*at + minus, &end, 0);
    if (end == *at + minus || errno)
        return false;
    if (minus)
        *out = -*out;
    *at = end;
    return true;
}

static bool read_constants(const char *text, struct lists *l, struct adapt_options *how, struct error *err)
{
    if (strcmp(text, "any") == 0)
        return true;
    how->constant = l->constant;
    for (const char *at = text;; at++) {
        if (how->nconstants >= MAX_LIST || !read_number(&at, &l->constant[how->nconstants++]) ||
            (*at && *at != ','))
            return error_set(err, ERROR_USAGE, "--constants: not a list of at most %d numbers: %s", MAX_LIST,
                             text);
        if (!*at)
            return true;
    }
}

static bool read_regions(const struct option_list *list, struct lists *l, struct adapt_options *how,
                         struct error *err)
{
    how->region = l->region;
    for (size_t i = 0; i < list->n; i++) {
        const char *at = list->item[i];
        uint64_t n, size;
        bool ok = i < MAX_LIST && strncmp(at, "arg", 3) == 0;
        at += ok ? 3 : 0;
        ok = ok && read_number(&at, &n) && n < ADAPT_ARGUMENTS && *at == ':';
        at += ok;
        if (!ok || !read_number(&at, &size) || *at || !size)
            return error_set(err, ERROR_USAGE, "--regions: not argN:SIZE: %s", list->item[i]);
        l->region[how->nregions++] = (struct adapt_region){(unsigned)n, size};
    }
    return true;
}

static bool settings(const struct adapt_command_options *o, struct ask_adapt *q, struct lists *l,
                     struct error *err)
{
    static const char *const word[] = {"permute", "substitute", "convert", "arithmetic",
                                       "return",  "all",        "memory"};
    static const unsigned bit[] = {ADAPT_PERMUTE, ADAPT_SUBSTITUTE, ADAPT_CONVERT, ADAPT_ARITHMETIC,
                                   ADAPT_RETURN,  ADAPT_ALL,        ADAPT_MEMORY};
    q->how = (struct adapt_options){.assume = o->assume.item,
                                    .truth = o->truth,
                                    .modulo_faults = o->modulo_faults,
                                    .enumerate = o->enumerate,
                                    .native = o->native,
                                    .timeout_ms = (unsigned)o->search,
                                    .summary_ms = (unsigned)o->summary,
                                    .visits = (unsigned)o->visits,
                                    .runs = (unsigned)o->runs};
    q->emit = (uint8_t)(o->repair ? ASK_EMIT_PATCH : o->emit);
    if (!engine_set("family", o->families, word, bit, sizeof word / sizeof *word, &q->how.families, err) ||
        !read_constants(o->constants, l, &q->how, err) || !read_regions(&o->regions, l, &q->how, err))
        return false;
    if (q->how.families == ADAPT_RETURN)
        q->how.families |= ADAPT_PERMUTE;
    if (q->how.families & ADAPT_MEMORY && q->emit == ASK_EMIT_PATCH)
        return error_set(err, ERROR_USAGE,
                         "--family memory: structures are copied in C only; use --emit preload");
    if (q->how.families & ADAPT_MEMORY && q->how.truth)
        return error_set(err, ERROR_USAGE, "--truth: not with --family memory");
    return q->how.families || error_set(err, ERROR_USAGE, "--family: no family");
}

static bool read_slice(const char *text, struct ask_adapt_sweep *q, struct error *err)
{
    if (!text)
        return true;
    const char *at = text;
    uint64_t i, n;
    if (!read_number(&at, &i) || *at++ != '/' || !read_number(&at, &n) || *at || !n || i >= n || n > 1000000)
        return error_set(err, ERROR_USAGE, "--slice: not I/N with I below N: %s", text);
    q->slice = (unsigned)i;
    q->slices = (unsigned)n;
    return true;
}

/* What is said besides the answer, which is the same whatever was known before. */
static void tell_effort(const struct session *s, const char *trouble, uint64_t made, uint64_t found)
{
    if (trouble)
        print_error("%s", trouble);
    if (s->common->stats)
        fprintf(stderr, "functions explored %llu, known %llu\n", (unsigned long long)made,
                (unsigned long long)found);
}

static int run_sweep(const struct adapt_command_options *o, const struct ask_adapt *one, struct session *s)
{
    struct ask_adapt_sweep q = {.file = o->sweep,
                                .against = o->against,
                                .near = (unsigned)o->near,
                                .tasks = o->tasks,
                                .fragments = o->fragments,
                                .store = o->store,
                                .keep = !o->no_cache,
                                .object = one->object,
                                .how = one->how,
                                .limits = one->limits};
    struct ask_adapt_swept a;
    q.how.cluster = true;
    if (!read_slice(o->slice, &q, &s->err) ||
        (o->fragments && !o->against &&
         !error_set(&s->err, ERROR_USAGE, "--fragments needs --against FILE"))) {
        print_error("adapt: %s", s->err.text);
        return error_exit_code(s->err.kind);
    }
    if (!ask_adapt_sweep(&q, &s->ask, &a, &s->err)) {
        session_clear(s);
        print_error("adapt: %s", s->err.text);
        ask_adapt_sweep_free(&a);
        return error_exit_code(s->err.kind);
    }
    bool begun = a.task.len || a.end.outcome == WORK_DONE;
    int code = session_ended(s, &a.end, begun, ask_adapt_sweep_status(&a));
    struct report *r = session_answered(&a.end, begun) ? report_adapt_sweep(&a) : NULL;
    code = session_show(s, r, (enum report_format)o->format, code);
    uint64_t made = 0, found = 0;
    for (size_t i = 0; i < a.task.len; i++) {
        made += a.task.data[i].made;
        found += a.task.data[i].found;
    }
    tell_effort(s, a.trouble, made, found);
    report_free(r);
    ask_adapt_sweep_free(&a);
    return code;
}

static int run_one(const struct adapt_command_options *o, struct ask_adapt *q)
{
    struct lists l;
    struct session s;
    struct ask_adapt_answer a;
    session_begin(&s, &o->common, o->sweep ? o->sweep : q->target);
    if (!settings(o, q, &l, &s.err)) {
        print_error("adapt: %s", s.err.text);
        return error_exit_code(s.err.kind);
    }
    if (o->sweep)
        return run_sweep(o, q, &s);
    if (!ask_adapt(q, &s.ask, &a, &s.err)) {
        ask_adapt_free(&a);
        session_clear(&s);
        print_error("%s", s.err.text);
        return error_exit_code(s.err.kind);
    }
    int code = session_ended(&s, &a.end, a.begun, ask_adapt_status(&a));
    struct report *r = session_answered(&a.end, a.begun) ? report_adapt(&a) : NULL;
    code = session_show(&s, r, (enum report_format)o->format, code);
    tell_effort(&s, a.trouble, a.adapted.made, a.adapted.found);
    report_free(r);
    ask_adapt_free(&a);
    return code;
}

/* What is wrong with the arguments, or NULL. */
static const char *wrong_with(const struct adapt_command_options *o, int argc)
{
    bool patch = o->repair || o->emit == ASK_EMIT_PATCH;
    if (o->sweep && argc)
        return "--sweep takes no functions";
    if (!o->sweep && (o->against || o->tasks || o->slice || o->store || o->fragments))
        return "--against, --fragments, --tasks, --slice and --store are for --sweep FILE";
    if (o->tasks && o->fragments)
        return "--tasks names fragments itself; --fragments takes all that there are";
    if (o->sweep && (patch || o->by || o->emit != ASK_EMIT_NONE))
        return "--sweep emits nothing";
    if (!o->repair != !o->by || (o->repair && argc != 1))
        return "a repair is: assay adapt --repair OLD FUNC --by FILE:FUNC --output NEW";
    if (o->repair && o->emit != ASK_EMIT_NONE && o->emit != ASK_EMIT_PATCH)
        return "--repair writes a patched file; for C, name the two functions without it";
    if (patch != (o->output != NULL))
        return patch ? "--output FILE is missing: where the patched file goes"
                     : "--output is for --emit patch and --repair";
    if (!o->sweep && !o->repair && argc != 2)
        return "missing argument; usage: assay adapt [OPTION]... FILE:TARGET FILE:INNER";
    return NULL;
}

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    (void)c;
    const struct adapt_command_options *o = options;
    struct ask_adapt q = {
        .target = argc > 0 ? argv[0] : NULL,
        .inner = argc > 1 ? argv[1] : NULL,
        .object = {.debug_dirs = o->common.debug_dirs.item, .debuginfod = o->common.debuginfod},
        .limits = session_limits(&o->common),
        .keep = !o->no_cache,
        .output = o->output};
    const char *wrong = wrong_with(o, argc);
    if (wrong) {
        print_error("adapt: %s", wrong);
        return EXIT_BAD;
    }
    struct buf target = BUF_INIT;
    if (o->repair) {
        buf_printf(&target, "%s:%s", o->repair, argv[0]);
        q.target = buf_text(&target);
        q.inner = o->by;
        q.verify = true;
    }
    int code = run_one(o, &q);
    buf_free(&target);
    return code;
}

const struct command command_adapt = {
    .name = "adapt",
    .arguments = "FILE:TARGET FILE:INNER",
    .summary = "can one function stand in for another, and with which adapter?",
    .details = "Looks for a wrapper around INNER that does what TARGET does: the same result, the same "
               "memory, the same system\n"
               "calls, for all inputs. #0, #1, ... are the arguments of TARGET; 32-to-64S(x) is the low half "
               "of x, extended with\n"
               "its sign. Exit status 0: an adapter was found and proved; 1: proved that the families have "
               "none, or verify calls\n"
               "the repair unsafe; 3: undecided.",
    .examples = "assay adapt math.so:to_byte math.so:clamp\n"
                "assay adapt --emit c math.so:minus math.so:minus_turned\n"
                "assay adapt --sweep math.so --near 1 --slice 0/40 --search-timeout 2s --store sweep.db\n"
                "assay adapt --modulo-faults --regions arg0:255 math.so:lookup1 math.so:lookup2\n"
                "assay adapt --assume 'arg0 >= 0' --family arithmetic math.so:is_upper math.so:is_lower",
    .options = {table, sizeof table / sizeof *table},
    .options_size = sizeof(struct adapt_command_options),
    .min_args = 0,
    .max_args = 2,
    .run = run,
};
