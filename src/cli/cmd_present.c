/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "base/vec.h"
#include "cli/session.h"
#include "object/container.h"
#include "present/cache.h"
#include "present/source.h"
#include "report/present.h"
#include "work/work.h"

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

struct asked {
    const char *name;
    struct reference reference;
    bool answered; /* by some program of the container that is being looked into */
    bool doubtful; /* one without names may have the function */
};

struct question {
    const struct present_command_options *o;
    char *const *target;
    size_t ntargets;
    /* In the worker: */
    struct exprs *e;
    struct reference_options ro;
    VEC(struct asked) patch;
    VEC(const char *) function;      /* of --func, without addresses */
    VEC(struct present_place) place; /* and with them */
    VEC(uint64_t) entry;             /* their addresses */
    struct arena arena;
    struct report_sink sink;
    size_t answered; /* targets that could be asked */
    struct error failed;
    /* In a target's worker: */
    const char *container; /* being looked into */
    size_t asked;          /* of its programs */
    struct error err;
};

/* ---- references ---- */

/* "CVE-2024-1234.diff" is the patch of CVE-2024-1234. */
static const char *patch_name(struct question *q, const char *path)
{
    const char *base = path_base(path), *dot = strrchr(base, '.');
    bool ending = dot && dot > base && (strcmp(dot, ".diff") == 0 || strcmp(dot, ".patch") == 0);
    return ending ? arena_strndup(&q->arena, base, (size_t)(dot - base)) : base;
}

static struct reference *new_patch(struct question *q, const char *name)
{
    struct asked p = {.name = name};
    reference_init(&p.reference, q->e);
    vec_push(&q->patch, p);
    return &vec_last(&q->patch).reference;
}

/* What the compiler said, for a terminal. */
static void show_message(const struct buf *message)
{
    for (size_t i = 0; i < message->len; i++) {
        unsigned char c = (unsigned char)message->data[i];
        fputc(c < 32 && c != '\n' && c != '\t' ? '?' : c, stderr);
    }
}

struct making {
    struct question *q;
    struct cache_key key;
    cache_files files;
    struct arena arena;
    bool cached;
};

static void remember_file(void *ctx, const char *path)
{
    struct making *m = ctx;
    for (size_t i = 0; i < m->files.len; i++)
        if (strcmp(m->files.data[i], path) == 0)
            return;
    vec_push(&m->files, arena_strdup(&m->arena, path));
}

static void add_words(struct cache_key *k, const char *what, const struct option_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        cache_key_add(k, what, list->item[i], strlen(list->item[i]));
}

/* Whether it is there already. All that the key needs must have been added. */
static bool remembered(struct making *m, struct reference *r)
{
    for (size_t i = 0; i < m->q->function.len; i++)
        cache_key_add(&m->key, "function", m->q->function.data[i], strlen(m->q->function.data[i]));
    return m->cached && cache_load(&m->key, r);
}

/* The last step of making a reference; frees. */
static bool made(struct making *m, struct reference *r, bool ok, bool was_there, struct error *err)
{
    ok = ok && reference_settle(r, &m->q->ro, err);
    if (ok && m->cached && !was_there)
        cache_save(&m->key, &m->files, r);
    cache_key_free(&m->key);
    vec_free(&m->files);
    arena_free(&m->arena);
    return ok;
}

static bool read_source(struct question *q, struct reference *r, const struct patch *patch, const char *text,
                        size_t n, struct error *err)
{
    const struct present_command_options *o = q->o;
    struct making m = {.q = q, .cached = !o->no_cache};
    struct source_options s = {.tree = patch ? o->source : o->after,
                               .patch = patch,
                               .before = o->before,
                               .cc = o->cc,
                               .compile_commands = o->compile_commands,
                               .unit = o->units.item,
                               .nunits = o->units.n,
                               .read = remember_file,
                               .ctx = &m};
    char *tree = realpath(s.tree, NULL);
    cache_key_add(&m.key, "patch", text, n);
    cache_key_add(&m.key, "tree", tree, tree ? strlen(tree) : 0);
    cache_key_add(&m.key, "cc", o->cc, strlen(o->cc));
    add_words(&m.key, "unit", &o->units);
    /* Of two trees any file may have changed, come or gone. */
    if (!patch && m.cached)
        m.cached = cache_key_tree(&m.key, o->before) && cache_key_tree(&m.key, o->after);
    if (o->compile_commands)
        m.cached = cache_key_file(&m.key, o->compile_commands) && m.cached;
    free(tree);
    bool there = remembered(&m, r), ok = there;
    if (!there) {
        struct buf message = BUF_INIT;
        ok = source_add(r, &s, &q->ro, &message, err);
        if (!ok)
            show_message(&message);
        buf_free(&message);
    }
    return made(&m, r, ok, there, err);
}

static bool read_patch(struct question *q, const char *path, struct error *err)
{
    size_t n;
    char *text = (char *)container_read_file(path, &n, err);
    struct patch p = {.name = NULL};
    bool one = q->o->patches.n == 1, ok;
    ok = text && patch_read(&p, path, text, n, err) &&
         read_source(q, new_patch(q, one && q->o->name ? q->o->name : patch_name(q, path)), &p, text, n, err);
    patch_free(&p);
    free(text);
    return ok;
}

static bool read_pairs(struct question *q, struct error *err)
{
    const struct present_command_options *o = q->o;
    struct reference *r = new_patch(q, o->name ? o->name : path_base(o->new.item[0]));
    struct making m = {.q = q, .cached = !o->no_cache};
    for (size_t i = 0; i < o->old.n && m.cached; i++)
        m.cached = cache_key_file(&m.key, o->old.item[i]) && cache_key_file(&m.key, o->new.item[i]);
    bool there = remembered(&m, r), ok = true;
    for (size_t i = 0; i < o->old.n && ok && !there; i++)
        ok = reference_add(r, path_base(o->new.item[i]), o->old.item[i], o->new.item[i], &q->ro, err);
    return made(&m, r, ok, there, err);
}

static bool read_references(struct question *q, struct error *err)
{
    const struct present_command_options *o = q->o;
    for (size_t i = 0; i < o->patches.n; i++)
        if (!read_patch(q, o->patches.item[i], err))
            return false;
    if (o->before && !read_source(q, new_patch(q, o->name ? o->name : path_base(o->after)), NULL, "", 0, err))
        return false;
    return o->old.n == 0 || read_pairs(q, err);
}

/* ---- targets ---- */

static bool ask_program(struct question *q, const char *name, struct program *p, bool alone,
                        struct error *err)
{
    struct present_options how = {
        .place = q->place.data, .nplaces = q->place.len, .no_solver = q->o->no_solver};
    for (size_t i = 0; i < q->patch.len; i++) {
        struct report_present_patch patch = {q->patch.data[i].name, &q->patch.data[i].reference};
        struct present_answer a;
        if (!present_test(p, patch.reference, &how, &a, err))
            return false;
        bool found = false;
        for (size_t k = 0; k < a.function.len; k++)
            found = found || a.function.data[k].found;
        q->patch.data[i].doubtful |= !found && a.verdict == PRESENT_UNKNOWN;
        if (alone || found) {
            report_present(&patch, name, p, &a, q->sink);
            q->patch.data[i].answered = true;
        }
        const struct flow_function *f;
        if (q->o->common.stats)
            fprintf(stderr, "%s: %s: executed %zu of %zu functions\n", name, patch.name, a.executed,
                    program_functions(p, &f));
        present_free(&a);
    }
    return true;
}

static struct program_options target_options(const struct question *q)
{
    return (struct program_options){.object = {.debug_dirs = q->o->common.debug_dirs.item},
                                    .entry = q->entry.data,
                                    .nentries = q->entry.len};
}

/* What a worker sent, on its way to the one above. */
struct hearing {
    struct question *q;
    VEC(const char *) patch; /* that something was said about */
    struct arena arena;
    struct error err;
};

static bool hear_record(void *ctx, const char *place, json_t *value)
{
    struct hearing *h = ctx;
    size_t i = (size_t)json_integer_value(value);
    if (place[0] != '!') {
        const char *patch = json_string_value(json_object_get(value, "patch"));
        if (patch)
            vec_push(&h->patch, arena_strdup(&h->arena, patch));
        return h->q->sink.put(h->q->sink.ctx, place, value);
    }
    if (strcmp(place, "!error") == 0)
        error_set(&h->err, (enum error_kind)json_integer_value(json_object_get(value, "kind")), "%s",
                  json_string_value(json_object_get(value, "text")));
    else if (strcmp(place, "!answered") == 0 && i < h->q->patch.len)
        h->q->patch.data[i].answered = true;
    else if (strcmp(place, "!doubtful") == 0 && i < h->q->patch.len)
        h->q->patch.data[i].doubtful = true;
    json_decref(value);
    return true;
}

static void send_error(struct buf *out, const struct error *err)
{
    report_line(out, "!error",
                json_pack("{s:i, s:o}", "kind", (int)err->kind, "text", report_string(err->text)));
}

/* Hands on what a worker found out about a target. When it died, every patch that it left unanswered is
 * unknown; and when the target cannot be asked, with `rows`, too. False: it cannot. */
static bool hear(struct question *q, const struct work_result *r, const char *target, bool rows,
                 struct error *err)
{
    struct hearing h = {.q = q};
    report_read_lines(r->output, r->output_len, hear_record, &h);
    bool failed = r->outcome == WORK_FAILED && h.err.kind;
    for (size_t i = 0; i < q->patch.len && (failed ? rows : r->outcome != WORK_DONE); i++) {
        bool said = false;
        for (size_t k = 0; k < h.patch.len; k++)
            said = said || strcmp(h.patch.data[k], q->patch.data[i].name) == 0;
        q->patch.data[i].answered = true;
        if (!said)
            report_present_without(q->patch.data[i].name, target, PRESENT_UNKNOWN,
                                   failed ? h.err.text : r->reason, q->sink);
    }
    if (failed)
        *err = h.err;
    else if (r->outcome != WORK_DONE)
        complain("%s: %s%s", target, r->reason, r->outcome == WORK_CRASH ? "; this is a bug in assay" : "");
    vec_free(&h.patch);
    arena_free(&h.arena);
    return !failed;
}

/* A program of a package, archive or directory. */
struct member {
    struct question *q;
    const struct object_member *m;
    const char *name;
};

static bool ask_job(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    struct member *m = ctx;
    struct question *q = m->q;
    struct program_options how = target_options(q);
    struct error err = {0};
    struct session_sender sender = {.out = out};
    q->sink = session_send(&sender);
    for (size_t i = 0; i < q->patch.len; i++)
        q->patch.data[i].answered = q->patch.data[i].doubtful = false;
    struct object *o = object_open_memory(m->name, m->m->data, m->m->size, &how.object, &err);
    struct program *p = o ? program_from_object(o, &how, &err) : NULL;
    bool ok = p && ask_program(q, m->name, p, false, &err);
    program_free(p);
    for (size_t i = 0; i < q->patch.len; i++) {
        if (q->patch.data[i].answered)
            report_line(out, "!answered", json_integer((json_int_t)i));
        if (q->patch.data[i].doubtful)
            report_line(out, "!doubtful", json_integer((json_int_t)i));
    }
    if (!ok)
        send_error(out, &err);
    return ok;
}

static void asked_member(void *ctx, const struct work_result *r)
{
    struct member *m = ctx;
    hear(m->q, r, m->name, false, &m->q->err);
}

static struct work_options limits_of(const struct question *q)
{
    return (struct work_options){
        .jobs = 1, .timeout_ms = (unsigned)q->o->common.timeout, .memory_bytes = q->o->common.memory};
}

/* Most have nothing to do with the patch, and are not mentioned. */
static bool ask_member(void *ctx, const struct object_member *m)
{
    struct question *q = ctx;
    struct buf name = BUF_INIT;
    if (m->error || !m->is_elf || m->is_symlink)
        return true;
    buf_printf(&name, "%s:%s", q->container, m->path);
    q->asked++;
    struct member one = {.q = q, .m = m, .name = buf_text(&name)};
    struct work_options limits = limits_of(q);
    work_run(1, &limits, ask_job, asked_member, &one, NULL, &q->err);
    /* The container's own limit is for reading it. */
    work_limit_time(limits.timeout_ms);
    buf_free(&name);
    return true;
}

static bool ask_container(struct question *q, const char *path, struct error *err)
{
    q->container = path;
    q->asked = 0;
    q->err = (struct error){0};
    for (size_t i = 0; i < q->patch.len; i++)
        q->patch.data[i].answered = q->patch.data[i].doubtful = false;
    if (!container_walk(path, ask_member, q, err))
        return false;
    if (!q->asked)
        return error_set(err, ERROR_INPUT, "%s: no program in it", path);
    for (size_t i = 0; i < q->patch.len; i++)
        if (!q->patch.data[i].answered)
            report_present_without(
                q->patch.data[i].name, path,
                q->err.kind || q->patch.data[i].doubtful ? PRESENT_UNKNOWN : PRESENT_NOT_THERE,
                q->err.kind                 ? q->err.text
                : q->patch.data[i].doubtful ? "no program in it has a function of that name, but one may "
                                              "contain it inlined or stripped; name its address with "
                                              "--func NAME=0xADDRESS"
                                            : "no program in it has the function",
                q->sink);
    return true;
}

/* A plain program; "pkg.deb:usr/bin/x" and "libx.a(y.o)" are opened as one. */
static bool is_program(const char *path)
{
    uint8_t head[4] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    return !f || (n == sizeof head && container_is_elf(head, n)) || access(path, F_OK) != 0;
}

static bool ask_target(struct question *q, const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && (S_ISDIR(st.st_mode) || !is_program(path)))
        return ask_container(q, path, err);
    struct program_options how = target_options(q);
    struct program *p = program_open(path, &how, err);
    bool ok = p && ask_program(q, path, p, true, err);
    program_free(p);
    return ok;
}

static bool ask_one(void *ctx, size_t job, struct buf *out)
{
    struct question *q = ctx;
    struct error err = {0};
    struct session_sender sender = {.out = out};
    q->sink = session_send(&sender);
    bool ok = ask_target(q, q->target[job], &err);
    if (!ok)
        send_error(out, &err);
    return ok;
}

/* One that cannot be asked, or whose worker died, is not the end of the others; every patch is answered for
 * every target. */
static void asked_one(void *ctx, const struct work_result *r)
{
    struct question *q = ctx;
    q->answered += hear(q, r, q->target[r->job], q->ntargets > 1, &q->failed);
    ask_flush(q->sink.ctx);
    if (q->sink.progress)
        q->sink.progress(q->sink.ctx, "targets", r->job + 1, q->ntargets);
}

/* Each target in a worker of its own. */
static bool ask_targets(struct question *q, struct error *err)
{
    struct work_options limits = limits_of(q);
    limits.jobs = (unsigned)q->o->common.jobs;
    work_limit_time(0);
    if (!work_run(q->ntargets, &limits, ask_one, asked_one, q, NULL, err))
        return false;
    if (q->answered == 0)
        *err = q->failed;
    return q->answered;
}

/* NAME, or NAME=0xADDRESS. */
static bool read_functions(struct question *q, struct error *err)
{
    for (size_t i = 0; i < q->o->functions.n; i++) {
        const char *word = q->o->functions.item[i], *equals = strchr(word, '=');
        const char *name = equals ? arena_strndup(&q->arena, word, (size_t)(equals - word)) : word;
        char *end = NULL;
        if (equals) {
            struct present_place p = {.name = name, .address = strtoull(equals + 1, &end, 0)};
            if (end == equals + 1 || *end)
                return error_set(err, ERROR_USAGE,
                                 "--func: '%s' is no address; NAME=0x401000 says where it is", equals + 1);
            vec_push(&q->place, p);
            vec_push(&q->entry, p.address);
        }
        vec_push(&q->function, name);
    }
    return true;
}

static bool ask(void *ctx, struct report_sink sink, struct error *err)
{
    struct question *q = ctx;
    q->sink = sink;
    q->e = exprs_new();
    /* For learning of the patches; each target's worker has it anew. */
    work_limit_time((unsigned)q->o->common.timeout);
    if (!read_functions(q, err))
        return false;
    q->ro = (struct reference_options){
        .function = q->function.data,
        .nfunctions = q->function.len,
        .object = {.debug_dirs = q->o->common.debug_dirs.item},
        .signature = {.no_refinement = q->o->no_refinement, .no_ranking = q->o->no_ranking}};
    bool ok = read_references(q, err);
    if (ok) {
        json_t *patches = json_array(), *targets = json_array();
        for (size_t i = 0; i < q->patch.len; i++)
            json_array_append_new(patches, report_string(q->patch.data[i].name));
        for (size_t i = 0; i < q->ntargets; i++)
            json_array_append_new(targets, report_string(q->target[i]));
        sink.put(sink.ctx, "input", json_pack("{s:o, s:o}", "patches", patches, "targets", targets));
        sink.put(sink.ctx, "results", json_array());
    }
    ok = ok && ask_targets(q, err);
    for (size_t i = 0; i < q->patch.len; i++)
        reference_free(&q->patch.data[i].reference);
    vec_free(&q->patch);
    vec_free(&q->function);
    vec_free(&q->place);
    vec_free(&q->entry);
    arena_free(&q->arena);
    exprs_free(q->e);
    return ok;
}

static int conclude(struct report *r)
{
    report_present_sum(r);
    const char *verdict = json_string_value(json_object_get(report_document(r), "verdict"));
    return strcmp(verdict, "patched") == 0 ? EXIT_YES : present_is_unfixed(verdict) ? EXIT_NO : EXIT_UNKNOWN;
}

static bool write_text(const char *path, void (*render)(json_t *doc, struct buf *out), struct report *r,
                       struct error *err)
{
    struct buf text = BUF_INIT;
    render(report_document(r), &text);
    FILE *out = fopen(path, "w");
    bool ok = out && fwrite(buf_text(&text), 1, text.len, out) == text.len;
    ok = out && fclose(out) == 0 && ok;
    buf_free(&text);
    return ok || error_set(err, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
}

static int finish(void *ctx, struct report *r, int code)
{
    struct question *q = ctx;
    struct error err = {0};
    if ((!q->o->html || write_text(q->o->html, report_present_html, r, &err)) &&
        (!q->o->openvex || write_text(q->o->openvex, report_present_openvex, r, &err)))
        return code;
    complain("present: %s", err.text);
    return EXIT_UNKNOWN;
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

static int run(const struct command *c, const void *options, int argc, char **argv)
{
    const char *wrong = wrong_with(options);
    if (wrong) {
        complain("present: %s", wrong);
        return EXIT_BAD;
    }
    struct question q = {.o = options, .target = argv, .ntargets = (size_t)argc};
    return session_run(&(struct session_question){.common = &q.o->common,
                                         .kind = c->name,
                                         .subject = argv[0],
                                         .format = (enum session_format)q.o->format,
                                         .ask = ask,
                                         .ctx = &q,
                                         .conclude = conclude,
                                         .finish = finish});
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
