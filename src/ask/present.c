/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Present, where the work is done: patches are learnt, and targets asked about them. */
#include "ask/present.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "object/container.h"
#include "present/cache.h"
#include "present/source.h"

struct asked {
    const char *name;
    struct reference reference;
    bool answered; /* by some program of the container that is being looked into */
    bool doubtful; /* one without names may have the function */
};

struct asking {
    const struct ask_present *o;
    struct ask_sink *say;
    struct exprs *e;
    struct reference_options ro;
    VEC(struct asked) patch;
    VEC(const char *) function;      /* asked for, without addresses */
    VEC(struct present_place) place; /* and with them */
    VEC(uint64_t) entry;             /* their addresses */
    struct arena arena;
    size_t answered; /* targets that could be asked */
    struct error failed;
    /* In a target's worker: */
    const char *container; /* being looked into */
    size_t asked;          /* of its programs */
    struct error err;
};

/* ---- references ---- */

/* "CVE-2024-1234.diff" is the patch of CVE-2024-1234. */
static const char *patch_name(struct asking *q, const char *path)
{
    const char *base = path_base(path), *dot = strrchr(base, '.');
    bool ending = dot && dot > base && (strcmp(dot, ".diff") == 0 || strcmp(dot, ".patch") == 0);
    return ending ? arena_strndup(&q->arena, base, (size_t)(dot - base)) : base;
}

static struct reference *new_patch(struct asking *q, const char *name)
{
    struct asked p = {.name = name};
    reference_init(&p.reference, q->e);
    vec_push(&q->patch, p);
    return &vec_last(&q->patch).reference;
}

struct making {
    struct asking *q;
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

static void add_words(struct cache_key *k, const char *what, const struct ask_words *list)
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

static bool read_source(struct asking *q, struct reference *r, const struct patch *patch, const char *text,
                        size_t n, struct error *err)
{
    const struct ask_present *o = q->o;
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
        if (!ok && message.len)
            ask_say(q->say, PRESENT_SAYS_COMPILER, &wire_text, &(const char *){buf_text(&message)});
        buf_free(&message);
    }
    return made(&m, r, ok, there, err);
}

static bool read_patch(struct asking *q, const char *path, struct error *err)
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

static bool read_pairs(struct asking *q, struct error *err)
{
    const struct ask_present *o = q->o;
    struct reference *r = new_patch(q, o->name ? o->name : path_base(o->new.item[0]));
    struct making m = {.q = q, .cached = !o->no_cache};
    for (size_t i = 0; i < o->old.n && m.cached; i++)
        m.cached = cache_key_file(&m.key, o->old.item[i]) && cache_key_file(&m.key, o->new.item[i]);
    bool there = remembered(&m, r), ok = true;
    for (size_t i = 0; i < o->old.n && ok && !there; i++)
        ok = reference_add(r, path_base(o->new.item[i]), o->old.item[i], o->new.item[i], &q->ro, err);
    return made(&m, r, ok, there, err);
}

static bool read_references(struct asking *q, struct error *err)
{
    const struct ask_present *o = q->o;
    for (size_t i = 0; i < o->patches.n; i++)
        if (!read_patch(q, o->patches.item[i], err))
            return false;
    if (o->before && !read_source(q, new_patch(q, o->name ? o->name : path_base(o->after)), NULL, "", 0, err))
        return false;
    return o->old.n == 0 || read_pairs(q, err);
}

/* ---- what is said of a program ---- */

static const char *pattern_text(const struct exprs *t, const struct feature *f, struct arena *arena)
{
    struct buf b = BUF_INIT;
    feature_print_under(&b, t, f);
    const char *text = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return text;
}

static const char *source_line(const struct feature *f, struct arena *arena)
{
    return f->file ? arena_printf(arena, "%s:%u", f->file, f->line) : NULL;
}

static struct ask_feature feature_of(const struct exprs *t, bool has, const struct feature *f, bool found,
                                     const struct object *in, uint64_t site, struct arena *arena)
{
    if (!has)
        return (struct ask_feature){0};
    return (struct ask_feature){.has = true,
                                .text = pattern_text(t, f, arena),
                                .line = source_line(f, arena),
                                .found = found,
                                .address = object_display_address(in, site)};
}

static struct ask_evidence evidence_of(const struct exprs *t, const struct present_function *f,
                                       const struct present_evidence *e, const struct object *in,
                                       struct arena *arena)
{
    const struct signature_pair *p = e->pair;
    const struct feature *one = p->has_new ? &p->new : &p->old;
    return (struct ask_evidence){.function = f->f->name,
                                 .kind = feature_kind_name((enum feature_kind)one->kind),
                                 .reference = f->f->variant.data[e->variant].how,
                                 .decided = e->decided,
                                 .solved = e->solved,
                                 .old = feature_of(t, p->has_old, &p->old, e->old, in, e->old_site, arena),
                                 .new = feature_of(t, p->has_new, &p->new, e->new, in, e->new_site, arena)};
}

static struct ask_part part_of(const struct exprs *t, const struct present_function *f,
                               const struct present_part *p, const struct object *in, struct arena *arena)
{
    const struct feature *whole = &p->part->whole;
    return (struct ask_part){.function = f->f->name,
                             .added = p->part->new,
                             .text = pattern_text(t, whole, arena),
                             .line = source_line(whole, arena),
                             .state = (uint8_t)p->state,
                             .address = p->site ? object_display_address(in, p->site) : ASK_NO_PLACE};
}

static void say_result(struct asking *q, const struct asked *patch, const char *target,
                       const struct object *in, const struct present_answer *a)
{
    const struct object_info *about = object_info(in);
    struct arena arena = ARENA_INIT;
    struct ask_present_function *function =
        arena_array(&arena, struct ask_present_function, a->function.len + 1);
    VEC(struct ask_evidence) evidence = VEC_INIT;
    VEC(struct ask_part) part = VEC_INIT;
    for (size_t i = 0; i < a->function.len; i++) {
        const struct present_function *f = &a->function.data[i];
        function[i] =
            (struct ask_present_function){.name = f->f->name,
                                          .found = f->found,
                                          .address = f->found ? object_display_address(in, f->address) : 0,
                                          .guessed = f->guessed,
                                          .verdict = (uint8_t)f->verdict,
                                          .confidence = f->confidence,
                                          .context = f->context,
                                          .reason = f->reason};
        for (size_t k = 0; k < f->evidence.len; k++)
            vec_push(&evidence, evidence_of(patch->reference.e, f, &f->evidence.data[k], in, &arena));
        for (size_t k = 0; k < f->part.len; k++)
            vec_push(&part, part_of(patch->reference.e, f, &f->part.data[k], in, &arena));
    }
    struct ask_present_result r = {.patch = patch->name,
                                   .target = target,
                                   .asked = true,
                                   .sha256 = about->sha256,
                                   .build_id = about->build_id,
                                   .architecture = about->arch_name,
                                   .verdict = (uint8_t)a->verdict,
                                   .confidence = a->confidence,
                                   .reason = a->reason,
                                   .function = function,
                                   .nfunctions = a->function.len,
                                   .part = part.data,
                                   .nparts = part.len,
                                   .evidence = evidence.data,
                                   .nevidence = evidence.len};
    ask_say(q->say, PRESENT_SAYS_RESULT, &ask_present_result_type, &r);
    vec_free(&evidence);
    vec_free(&part);
    arena_free(&arena);
}

/* A program that could not be asked, or in which nothing was found to ask about. */
static void say_without(struct asking *q, const char *patch, const char *target, enum present_verdict verdict,
                        const char *reason)
{
    ask_say(q->say, PRESENT_SAYS_RESULT, &ask_present_result_type,
            &(struct ask_present_result){
                .patch = patch, .target = target, .verdict = (uint8_t)verdict, .reason = reason});
}

/* ---- targets ---- */

static bool ask_program(struct asking *q, const char *name, struct program *p, bool alone, struct error *err)
{
    struct present_options how = {
        .place = q->place.data, .nplaces = q->place.len, .no_solver = q->o->no_solver};
    for (size_t i = 0; i < q->patch.len; i++) {
        struct asked *patch = &q->patch.data[i];
        struct present_answer a;
        if (!present_test(p, &patch->reference, &how, &a, err))
            return false;
        bool found = false;
        for (size_t k = 0; k < a.function.len; k++)
            found = found || a.function.data[k].found;
        patch->doubtful |= !found && a.verdict == PRESENT_UNKNOWN;
        if (alone || found) {
            say_result(q, patch, name, program_object(p), &a);
            patch->answered = true;
        }
        const struct flow_function *f;
        ask_say(q->say, PRESENT_SAYS_EXECUTED, &ask_executed_type,
                &(struct ask_executed){name, patch->name, a.executed, program_functions(p, &f)});
        present_free(&a);
    }
    return true;
}

static struct program_options target_options(const struct asking *q)
{
    return (struct program_options){.object = q->o->object, .entry = q->entry.data, .nentries = q->entry.len};
}

/* What a worker below said, on its way up. */
struct hearing {
    struct asking *q;
    VEC(const char *) patch; /* that something was said about */
    struct arena arena;
};

static bool hear_below(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct hearing *h = ctx;
    struct ask_present_result r;
    struct ask_executed e;
    const char *text;
    uint64_t i;
    switch (message) {
    case PRESENT_SAYS_RESULT:
        if (!wire_get(bytes, n, &ask_present_result_type, &r, &h->arena))
            return false;
        vec_push(&h->patch, r.patch);
        return ask_say(h->q->say, message, &ask_present_result_type, &r);
    case PRESENT_SAYS_EXECUTED:
        return wire_get(bytes, n, &ask_executed_type, &e, &h->arena) &&
               ask_say(h->q->say, message, &ask_executed_type, &e);
    case PRESENT_SAYS_COMPLAINT:
        return wire_get(bytes, n, &wire_text, &text, &h->arena) &&
               ask_say(h->q->say, message, &wire_text, &text);
    case PRESENT_SAYS_ANSWERED:
    case PRESENT_SAYS_DOUBTFUL:
        if (!wire_get(bytes, n, &wire_u64, &i, &h->arena) || i >= h->q->patch.len)
            return false;
        if (message == PRESENT_SAYS_ANSWERED)
            h->q->patch.data[i].answered = true;
        else
            h->q->patch.data[i].doubtful = true;
        return true;
    }
    return false;
}

/* Hands on what a worker found out about a target. When it died, every patch that it left unanswered is
 * unknown; and when the target cannot be asked, with `rows`, too. False: it cannot. */
static bool hear(struct asking *q, const struct work_result *r, const char *target, bool rows,
                 struct error *err)
{
    struct hearing h = {.q = q};
    struct error wrong = {0};
    ask_hear_below(r->output, r->output_len, hear_below, &h, &wrong);
    bool failed = r->outcome == WORK_FAILED && wrong.kind;
    for (size_t i = 0; i < q->patch.len && (failed ? rows : r->outcome != WORK_DONE); i++) {
        bool said = false;
        for (size_t k = 0; k < h.patch.len; k++)
            said = said || strcmp(h.patch.data[k], q->patch.data[i].name) == 0;
        q->patch.data[i].answered = true;
        if (!said)
            say_without(q, q->patch.data[i].name, target, PRESENT_UNKNOWN, failed ? wrong.text : r->reason);
    }
    if (failed) {
        *err = wrong;
    } else if (r->outcome != WORK_DONE) {
        const char *text = arena_printf(&h.arena, "%s: %s%s", target, r->reason,
                                        r->outcome == WORK_CRASH ? "; this is a bug in assay" : "");
        ask_say(q->say, PRESENT_SAYS_COMPLAINT, &wire_text, &text);
    }
    vec_free(&h.patch);
    arena_free(&h.arena);
    return !failed;
}

/* A program of a package, archive or directory. */
struct member {
    struct asking *q;
    const struct object_member *m;
    const char *name;
};

static bool ask_job(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    struct member *m = ctx;
    struct asking *q = m->q;
    struct program_options how = target_options(q);
    struct error err = {0};
    struct ask_sink say = ask_below(out);
    q->say = &say;
    for (size_t i = 0; i < q->patch.len; i++)
        q->patch.data[i].answered = q->patch.data[i].doubtful = false;
    struct object *o = object_open_memory(m->name, m->m->data, m->m->size, &how.object, &err);
    struct program *p = o ? program_from_object(o, &how, &err) : NULL;
    bool ok = p && ask_program(q, m->name, p, false, &err);
    program_free(p);
    for (size_t i = 0; i < q->patch.len; i++) {
        if (q->patch.data[i].answered)
            ask_say(&say, PRESENT_SAYS_ANSWERED, &wire_u64, &(uint64_t){i});
        if (q->patch.data[i].doubtful)
            ask_say(&say, PRESENT_SAYS_DOUBTFUL, &wire_u64, &(uint64_t){i});
    }
    if (!ok)
        ask_say_error(&say, &err);
    return ok;
}

static void asked_member(void *ctx, const struct work_result *r)
{
    struct member *m = ctx;
    hear(m->q, r, m->name, false, &m->q->err);
}

static struct work_options limits_of(const struct asking *q)
{
    return (struct work_options){
        .jobs = 1, .timeout_ms = (unsigned)q->o->limits.timeout, .memory_bytes = q->o->limits.memory};
}

/* Most have nothing to do with the patch, and are not mentioned. */
static bool ask_member(void *ctx, const struct object_member *m)
{
    struct asking *q = ctx;
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

static bool ask_container(struct asking *q, const char *path, struct error *err)
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
            say_without(q, q->patch.data[i].name, path,
                        q->err.kind || q->patch.data[i].doubtful ? PRESENT_UNKNOWN : PRESENT_NOT_THERE,
                        q->err.kind ? q->err.text
                        : q->patch.data[i].doubtful
                            ? "no program in it has a function of that name, but one may "
                              "contain it inlined or stripped; name its address with "
                              "--func NAME=0xADDRESS"
                            : "no program in it has the function");
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

static bool ask_target(struct asking *q, const char *path, struct error *err)
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
    struct asking *q = ctx;
    struct error err = {0};
    struct ask_sink say = ask_below(out);
    q->say = &say;
    bool ok = ask_target(q, q->o->target[job], &err);
    if (!ok)
        ask_say_error(&say, &err);
    return ok;
}

/* One that cannot be asked, or whose worker died, is not the end of the others; every patch is answered for
 * every target. */
static void asked_one(void *ctx, const struct work_result *r)
{
    struct asking *q = ctx;
    q->answered += hear(q, r, q->o->target[r->job], q->o->ntargets > 1, &q->failed);
    ask_flush(q->say);
    ask_progress(q->say, "targets", r->job + 1, q->o->ntargets);
}

/* Each target in a worker of its own. */
static bool ask_targets(struct asking *q, struct error *err)
{
    struct work_options limits = limits_of(q);
    limits.jobs = q->o->limits.jobs;
    work_limit_time(0);
    if (!work_run(q->o->ntargets, &limits, ask_one, asked_one, q, NULL, err))
        return false;
    if (q->answered == 0)
        *err = q->failed;
    return q->answered;
}

/* NAME, or NAME=0xADDRESS. */
static bool read_functions(struct asking *q, struct error *err)
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

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_present *o = ((struct ask_present_answer *)ctx)->q;
    struct asking q = {.o = o, .say = say, .e = exprs_new()};
    /* For learning of the patches; each target's worker has it anew. */
    work_limit_time((unsigned)o->limits.timeout);
    bool ok = read_functions(&q, err);
    q.ro = (struct reference_options){
        .function = q.function.data,
        .nfunctions = q.function.len,
        .object = o->object,
        .signature = {.no_refinement = o->no_refinement, .no_ranking = o->no_ranking}};
    ok = ok && read_references(&q, err);
    if (ok) {
        const char **name = arena_array(&q.arena, const char *, q.patch.len + 1);
        for (size_t i = 0; i < q.patch.len; i++)
            name[i] = q.patch.data[i].name;
        ask_say(say, PRESENT_SAYS_PATCHES, &ask_patches_type, &(struct ask_patches){name, q.patch.len});
    }
    ok = ok && ask_targets(&q, err);
    for (size_t i = 0; i < q.patch.len; i++)
        reference_free(&q.patch.data[i].reference);
    vec_free(&q.patch);
    vec_free(&q.function);
    vec_free(&q.place);
    vec_free(&q.entry);
    arena_free(&q.arena);
    exprs_free(q.e);
    return ok;
}

static bool hear_all(void *ctx, unsigned message, const char *bytes, size_t n)
{
    return ask_present_hear(ctx, message, bytes, n);
}

bool ask_present(const struct ask_present *q, const struct ask_session *session, struct ask_present_answer *a,
                 struct error *err)
{
    *a = (struct ask_present_answer){.q = q};
    if (!ask_put(ask, hear_all, a, &q->limits, 0, 0, session, &a->end, err))
        return false;
    ask_present_sum(a);
    return true;
}
