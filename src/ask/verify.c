/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verify, where the work is done: files are opened, functions selected, and each is asked about in a worker.
 */
#include "ask/remember.h"
#include "ask/verify_schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/map.h"
#include "verify/libraries.h"

/* What a worker gets on top of the function's own limit, which is looked at between two questions to the
 * solver, to say what it found. */
enum { GRACE_MS = 5000 };

struct verifying {
    const struct ask_verify *q;
    struct ask_sink *say;
    bool several;                    /* files: a function need not be in each */
    const struct match_files *files; /* all of them */
    size_t nfiles;                   /* that differ */
    unsigned function_jobs;
    const struct schedule *again;       /* what is asked once more; NULL: the first time */
    const struct match_file_pair *pair; /* of the first time */
};

/* A pair of files that is open. */
struct opened {
    const struct verifying *all;
    const struct ask_verify *q;
    struct ask_sink *say;
    struct compared c;
    VEC(struct match_pair) ask; /* pairs to be asked about, by address in the old program */
    VEC(uint32_t) job;          /* those that are asked about in this round */
    unsigned limit_ms;          /* of it */
    const char *file_key;       /* what verdicts of this file are remembered by; NULL: they are not */
    VEC(const char *) key;      /* of each job, or NULL */
    VEC(struct ask_verified) known; /* of each job: remembered, where it has a name */
    VEC(uint32_t) open;             /* jobs that are not */
    size_t said;                    /* jobs whose results were said */
    struct arena round;             /* of what is remembered of these jobs */
    struct schedule schedule;   /* of this file */
    VEC(bool) used; /* entries of the configuration that were in use before any function was asked */
    struct arena arena;
    const char *const *wanted; /* imports that nothing is known of */
    size_t nwanted;
    VEC(struct verify_import) import; /* what libraries told about them */
    /* What becomes the selection: */
    VEC(const char *) reason;
    VEC(const char *) ignored;
    VEC(struct ask_identical) identical;
    VEC(struct ask_place) added;
    VEC(struct ask_place) removed;
};

/* ---- the configuration ---- */

/* The entries that are in use now and were not when the file was opened. */
static size_t now_used(struct opened *v, bool first, struct arena *arena, const uint32_t **out)
{
    struct config *config = v->q->config;
    size_t n = config ? config_entries(config) : 0, found = 0;
    uint32_t *list = arena_array(arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool *used;
        config_entry(config, i, &used);
        if (first)
            vec_push(&v->used, *used);
        if (*used && (first || !v->used.data[i]))
            list[found++] = (uint32_t)i;
    }
    *out = list;
    return found;
}

/* ---- which functions ---- */

static uint64_t named_place(const struct opened *v, const struct verify_name *n)
{
    return object_internal_address(program_object(v->c.p[n->new]), n->address);
}

static const char *given_name(const struct opened *v, int side, uint64_t address)
{
    struct verify_knowledge *k = v->q->how.know;
    for (size_t i = 0; k && i < k->nnames; i++)
        if (k->name[i].new == (side == 1) && named_place(v, &k->name[i]) == address)
            return k->name[i].name;
    return NULL;
}

/* A function of one side by what a person calls it: names of the configuration come first. */
static const struct flow_function *find(const struct opened *v, int side, const char *spec, struct error *err)
{
    struct verify_knowledge *k = v->q->how.know;
    for (size_t i = 0; k && i < k->nnames; i++)
        if (k->name[i].new == (side == 1) && strcmp(k->name[i].name, spec) == 0) {
            k->name[i].used = true;
            return program_function_at(v->c.p[side], named_place(v, &k->name[i]));
        }
    return program_function(v->c.p[side], spec, err);
}

/* Entries of the configuration that are about something there is in either program, whether it comes to
 * matter or not. */
static void mark_known(const struct opened *v)
{
    struct verify_knowledge *k = v->q->how.know;
    for (int side = 0; k && side < 2; side++) {
        struct program *p = v->c.p[side];
        for (size_t i = 0; i < k->nnames; i++)
            if (k->name[i].new == (side == 1)) {
                const struct flow_function *f = program_function_at(p, named_place(v, &k->name[i]));
                k->name[i].used = f && (f->named || strcmp(f->name, k->name[i].name) == 0);
            }
        for (size_t i = 0; i < k->nprototypes; i++)
            if (program_function(p, k->prototype[i].name, NULL))
                k->prototype[i].used = true;
        for (size_t i = 0; i < k->nerror_functions; i++)
            if (program_function(p, k->error_function[i].text, NULL))
                k->error_function[i].used = true;
        for (size_t i = 0; i < k->npure_functions; i++)
            if (program_function(p, k->pure_function[i].text, NULL))
                k->pure_function[i].used = true;
    }
}

static bool is_stub(const struct flow_function *f)
{
    return f->flags & (FLOW_PLT | FLOW_EXTERN);
}

static void add_pair(struct opened *v, const struct match_pair *x)
{
    for (size_t i = 0; i < v->ask.len; i++)
        if (v->ask.data[i].old == x->old && v->ask.data[i].new == x->new)
            return;
    vec_push(&v->ask, *x);
}

/* OLD:NEW names both functions; whether the matcher took them for partners does not matter. */
static bool add_both(struct opened *v, const char *spec, const char *colon, struct error *err)
{
    const struct flow_function *f[2];
    for (int side = 0; side < 2; side++) {
        char *one = side ? xstrdup(colon + 1) : strndup(spec, (size_t)(colon - spec));
        f[side] = one ? find(v, side, one, err) : NULL;
        free(one);
        if (!f[side])
            return false;
        if (is_stub(f[side]))
            return error_set(err, ERROR_INPUT, "%s has no code in this program", f[side]->name);
    }
    uint32_t old = (uint32_t)(f[0] - v->c.f[0]), new = (uint32_t)(f[1] - v->c.f[1]);
    const struct match_pair *x = match_function(v->c.m, f[0]->address);
    struct match_pair pair = {.old = old, .new = new, .status = MATCH_CHANGED, .change = MATCH_CHANGE_CODE};
    if (x && x->new == new)
        pair = *x;
    pair.sure = 1; /* somebody says so */
    add_pair(v, &pair);
    return true;
}

static bool add_function(struct opened *v, const char *spec, struct error *err)
{
    const char *colon = compare_colon(spec);
    if (colon)
        return add_both(v, spec, colon, err);
    const struct flow_function *old = find(v, 0, spec, err), *new = find(v, 1, spec, NULL);
    if (!old && !new)
        return false;
    const struct match_pair *a = old ? match_function(v->c.m, old->address) : NULL,
                            *b = new ? match_function_new(v->c.m, new->address) : NULL;
    if (!a && !b)
        return error_set(err, ERROR_INPUT, "%s has no code in this program", (old ? old : new)->name);
    if (a)
        add_pair(v, a);
    if (b && b != a)
        add_pair(v, b);
    return true;
}

static bool is_ignored(const struct opened *v, const struct match_pair *x)
{
    struct verify_knowledge *k = v->q->how.know;
    bool ignored = false;
    for (size_t i = 0; k && i < k->nignores; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t index = side ? x->new : x->old;
            if (index == MATCH_NONE)
                continue;
            const struct flow_function *f = &v->c.f[side][index];
            const char *given = given_name(v, side, f->address);
            if (strcmp(k->ignore[i].text, f->name) == 0 || (given && strcmp(k->ignore[i].text, given) == 0))
                ignored = k->ignore[i].used = true;
        }
    return ignored;
}

/* ---- the file ---- */

static void select_unpaired(struct opened *v, const struct match_pair *x)
{
    int side = x->old == MATCH_NONE;
    struct ask_place place = compare_place(v->c.p[side], &v->c.f[side][side ? x->new : x->old]);
    if (side)
        vec_push(&v->added, place);
    else
        vec_push(&v->removed, place);
}

static void select_identical(struct opened *v, const struct match_pair *x)
{
    const struct flow_function *old = &v->c.f[0][x->old], *new = &v->c.f[1][x->new];
    vec_push(&v->identical, (struct ask_identical){
                                new->name, object_display_address(program_object(v->c.p[0]), old->address),
                                object_display_address(program_object(v->c.p[1]), new->address)});
}

/* Parts of functions that lie apart (.cold) are in the graphs of the functions they belong to: when one
 * changed, those are asked about, whatever the rest of them looks like. */
static bool is_part(const struct opened *v, const struct match_pair *x)
{
    return (x->old != MATCH_NONE && v->c.f[0][x->old].flags & FLOW_PART) ||
           (x->new != MATCH_NONE && v->c.f[1][x->new].flags &FLOW_PART);
}

static void mark_parents(const struct opened *v, const struct match_pair *x, struct map changed[2])
{
    for (int side = 0; side < 2; side++) {
        uint32_t index = side ? x->new : x->old;
        if (index == MATCH_NONE)
            continue;
        const struct flow_function *f = &v->c.f[side][index];
        map_set(&changed[side], f->flags & FLOW_PART ? f->parent : index, 1);
    }
}

static void select_pair(struct opened *v, const struct match_pair *x)
{
    if (x->status == MATCH_CHANGED && is_ignored(v, x)) {
        vec_push(&v->ignored, v->c.f[1][x->new].name);
    } else if (x->status == MATCH_CHANGED) {
        vec_push(&v->ask, *x);
    } else if (x->status == MATCH_IDENTICAL) {
        select_identical(v, x);
    } else {
        select_unpaired(v, x);
    }
}

static void select_everything(struct opened *v)
{
    const struct match_pair *x;
    size_t n = match_pairs(v->c.m, &x);
    struct map changed[2] = {{0}, {0}};
    for (size_t i = 0; i < n; i++)
        if (is_part(v, &x[i]) && x[i].status != MATCH_IDENTICAL)
            mark_parents(v, &x[i], changed);
    for (size_t i = 0; i < n; i++) {
        if (is_part(v, &x[i]))
            continue;
        struct match_pair y = x[i];
        if (y.status == MATCH_IDENTICAL &&
            (map_get(&changed[0], y.old, NULL) || map_get(&changed[1], y.new, NULL))) {
            y.status = MATCH_CHANGED;
            y.change = MATCH_CHANGE_CODE;
        }
        select_pair(v, &y);
    }
    map_free(&changed[0]);
    map_free(&changed[1]);
}

/* Functions asked for by name. Identical ones are asked about like the others: it costs nothing. */
static bool select_chosen(struct opened *v, struct error *err)
{
    for (size_t i = 0; i < v->q->nfunctions; i++)
        if (!add_function(v, v->q->function[i], err))
            return false;
    size_t kept = 0;
    for (size_t i = 0; i < v->ask.len; i++) {
        const struct match_pair *x = &v->ask.data[i];
        if (x->old != MATCH_NONE && x->new != MATCH_NONE) {
            v->ask.data[kept++] = *x;
            continue;
        }
        select_unpaired(v, x);
        vec_push(&v->reason,
                 arena_printf(&v->arena, "%s has no partner; name one with --func OLD:NEW",
                              x->old == MATCH_NONE ? v->c.f[1][x->new].name : v->c.f[0][x->old].name));
    }
    v->ask.len = kept;
    return true;
}

/* What differs outside of functions, and what of it matters. */
static void select_rest(struct opened *v, struct ask_selection *s)
{
    s->noutside = match_outside(v->c.m, &s->outside);
    for (size_t i = 0; i < s->noutside; i++)
        if (s->outside[i].matters)
            vec_push(&v->reason, s->outside[i].text);
    s->ndata = compare_data(&v->c, &v->arena, &s->data);
}

static bool select_functions(struct opened *v, struct error *err)
{
    struct ask_selection s = {0};
    const struct ask_verify *q = v->q;
    if (!q->nfunctions) {
        select_everything(v);
        select_rest(v, &s);
    } else {
        struct error missing = {0};
        if (!select_chosen(v, &missing)) {
            if (!v->all->several) {
                *err = missing;
                return false;
            }
            v->ask.len = 0;
            s.not_found = arena_strdup(&v->arena, missing.text);
        }
    }
    s.reason = v->reason.data;
    s.nreasons = v->reason.len;
    s.identical = v->identical.data;
    s.nidentical = v->identical.len;
    s.added = v->added.data;
    s.nadded = v->added.len;
    s.removed = v->removed.data;
    s.nremoved = v->removed.len;
    s.ignored = v->ignored.data;
    s.nignored = v->ignored.len;
    s.nused = now_used(v, true, &v->arena, &s.used);
    s.asked = v->ask.len;
    ask_say(v->say, VERIFY_SAYS_SELECTION, &ask_selection_type, &s);
    return true;
}

/* ---- libraries ---- */

/* Libraries that the files need tell what functions take that are imported from them. They are asked once for
 * all, in a worker of their own. */
struct told {
    const struct verify_import *import;
    size_t nimports;
    const char *const *warning;
    size_t nwarnings;
};
#define T struct verify_import
static const struct wire_field import_field[] = {
    WIRE_NAME(T, name),          WIRE_NAME(T, library),     WIRE_VALUE(T, takes.nargs),
    WIRE_VALUE(T, takes.floats), WIRE_VALUE(T, takes.back), WIRE_VALUE(T, takes.bits),
};
static const struct wire_type import_type = WIRE_TYPE(T, import_field);
#undef T
#define T struct told
static const struct wire_field told_field[] = {
    WIRE_LIST(T, import, nimports, &import_type),
    WIRE_LIST(T, warning, nwarnings, &wire_text),
};
static const struct wire_type told_type = WIRE_TYPE(T, told_field);
#undef T

static struct library_places library_places(struct opened *v, bool new)
{
    const char *path = new ? v->q->new : v->q->old, *slash = strrchr(path, '/');
    struct library_places out = {.dir = v->q->library_dirs};
    if (v->all->files)
        out.nfiles = match_files_of(v->all->files, new, &out.file);
    out.program_dir = !slash ? "." : arena_strndup(&v->arena, path, slash == path ? 1 : (size_t)(slash - path));
    return out;
}

static bool ask_libraries(void *ctx, struct ask_sink *say, struct error *err)
{
    (void)err;
    struct opened *v = ctx;
    const struct library_places places[2] = {library_places(v, false), library_places(v, true)};
    struct library_answers a;
    libraries_ask(v->c.m, places, v->wanted, v->nwanted, &v->arena, &a);
    ask_say(say, 0, &told_type, &(struct told){a.import, a.nimports, a.warning, a.nwarnings});
    return true;
}

static void say_warning(struct opened *v, const char *text)
{
    ask_say(v->say, VERIFY_SAYS_WARNING, &wire_text, &text);
}

static bool hear_libraries(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct opened *v = ctx;
    struct told t;
    if (message != 0 || !wire_get(bytes, n, &told_type, &t, &v->arena))
        return false;
    for (size_t i = 0; i < t.nimports; i++)
        vec_push(&v->import, t.import[i]);
    for (size_t i = 0; i < t.nwarnings; i++)
        say_warning(v, t.warning[i]);
    return true;
}

static bool learn_from_libraries(struct opened *v, const struct work_options *limits, struct error *err)
{
    const struct ask_limits own = {.here = v->q->limits.here, .memory = limits->memory_bytes};
    struct ask_end end;
    if (!v->nwanted)
        return true;
    if (!ask_put(ask_libraries, hear_libraries, v, &own, limits->timeout_ms, limits->grace_ms, NULL, &end,
                 err))
        return false;
    if (end.outcome != WORK_DONE) {
        say_warning(v, arena_printf(&v->arena, "libraries: not used: %s", end.reason));
        vec_clear(&v->import);
    }
    return true;
}

static void say_recovered(struct opened *v)
{
    const struct match_pair **x = xcalloc(v->ask.len + 1, sizeof *x);
    for (size_t i = 0; i < v->ask.len; i++)
        x[i] = &v->ask.data[i];
    json_t *j = config_recovered(v->c.p[0], v->c.p[1], x, v->ask.len, v->import.data, v->import.len);
    char *text = json_dumps(j, JSON_COMPACT);
    if (!text)
        alloc_exhausted(0);
    ask_say(v->say, VERIFY_SAYS_RECOVERED, &wire_text, &text);
    free(text);
    json_decref(j);
    free(x);
}

/* ---- one function ---- */

static const char *shown_name(const struct opened *v, const struct match_pair *x)
{
    const struct flow_function *f[2] = {&v->c.f[0][x->old], &v->c.f[1][x->new]};
    const char *given[2] = {given_name(v, 0, f[0]->address), given_name(v, 1, f[1]->address)};
    return f[1]->named || !(given[0] || given[1] || f[0]->named) ? f[1]->name
           : given[1]                                            ? given[1]
           : given[0]                                            ? given[0]
                                                                 : f[0]->name;
}

static struct ask_verified heading(const struct opened *v, const struct match_pair *x)
{
    return (struct ask_verified){.name = shown_name(v, x),
                                 .old = compare_place(v->c.p[0], &v->c.f[0][x->old]),
                                 .new = compare_place(v->c.p[1], &v->c.f[1][x->new]),
                                 .identical = x->status == MATCH_IDENTICAL,
                                 .change = x->change,
                                 .sure = (uint32_t)(x->sure * 100 + 0.5),
                                 .similar = (uint32_t)(x->similar * 100)};
}

static const uint64_t *shown_all(const struct object *o, struct arena *arena, const uint64_t *address,
                                 size_t n)
{
    uint64_t *out = arena_array(arena, uint64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = object_display_address(o, address[i]);
    return out;
}

static const struct verify_step *shown_steps(const struct object *o, struct arena *arena,
                                             const struct verify_step *s, size_t n)
{
    struct verify_step *out = arena_array(arena, struct verify_step, n + 1);
    for (size_t i = 0; i < n; i++) {
        out[i] = s[i];
        out[i].block = s[i].block ? object_display_address(o, s[i].block) : ASK_NO_PLACE;
    }
    return out;
}

/* Addresses of a result become those that are shown. */
static void show_places(const struct opened *v, struct arena *arena, struct verify_result *r)
{
    const struct object *o[2] = {program_object(v->c.p[0]), program_object(v->c.p[1])};
    struct verify_difference *d = arena_array(arena, struct verify_difference, r->ndifferences + 1);
    for (size_t i = 0; i < r->ndifferences; i++) {
        d[i] = r->difference[i];
        d[i].old_site = d[i].old_site ? object_display_address(o[0], d[i].old_site) : ASK_NO_PLACE;
        d[i].new_site = d[i].new_site ? object_display_address(o[1], d[i].new_site) : ASK_NO_PLACE;
        d[i].old_trace = shown_all(o[0], arena, d[i].old_trace, d[i].nold_trace);
        d[i].new_trace = shown_all(o[1], arena, d[i].new_trace, d[i].nnew_trace);
        d[i].old_step = shown_steps(o[0], arena, d[i].old_step, d[i].nold_steps);
        d[i].new_step = shown_steps(o[1], arena, d[i].new_step, d[i].nnew_steps);
    }
    struct verify_exit *e = arena_array(arena, struct verify_exit, r->nexits + 1);
    for (size_t i = 0; i < r->nexits; i++) {
        e[i] = r->exit[i];
        e[i].address = object_display_address(o[e[i].new], e[i].address);
    }
    struct verify_rejection *x = arena_array(arena, struct verify_rejection, r->nrejections + 1);
    for (size_t i = 0; i < r->nrejections; i++) {
        x[i] = r->rejection[i];
        x[i].site = object_display_address(o[1], x[i].site);
    }
    r->difference = d;
    r->exit = e;
    r->rejection = x;
}

static void verify_one(struct opened *v, size_t job, struct ask_sink *say)
{
    const struct match_pair *x = &v->ask.data[v->job.data[job]];
    struct ask_verified f = heading(v, x);
    struct arena arena = ARENA_INIT;
    struct verify_options how = v->q->how;
    how.timeout_ms = f.limit_ms = v->limit_ms;
    f.key = v->key.data[job];
    how.import = v->import.data;
    how.nimports = v->import.len;
    if (how.solve.dump_dir)
        how.solve.dump_dir = ask_dump_dir(how.solve.dump_dir, f.old.address, &arena);
    bool accepts = how.know && how.know->naccepted;
    if (f.identical) {
        f.result = (struct verify_result){.verdict = VERIFY_SAFE, .reason.text = "identical code"};
        if (accepts)
            verify_rests_on(v->c.m, x->old, true, &arena, &f.result);
    } else {
        verify_functions(v->c.m, x->old, x->new, &how, &arena, &f.result);
    }
    show_places(v, &arena, &f.result);
    if (v->q->graphs)
        ask_verify_graphs(&v->c, x, &arena, &f);
    f.nused = now_used(v, false, &arena, &f.used);
    ask_say(say, VERIFY_SAYS_FUNCTION, &ask_verified_type, &f);
    arena_free(&arena);
}

/* A function whose worker did not finish. */
static void say_failed(struct opened *v, const struct work_result *r, size_t job)
{
    struct arena arena = ARENA_INIT;
    struct ask_verified f = heading(v, &v->ask.data[v->job.data[job]]);
    enum verify_reason_code code = r->outcome == WORK_TIMEOUT ? VERIFY_REASON_OUT_OF_TIME
                                   : r->outcome == WORK_MEMORY && v->q->limits.memory
                                       ? VERIFY_REASON_OUT_OF_MEMORY
                                       : VERIFY_REASON_WORKER_DIED;
    f.result = (struct verify_result){.verdict = VERIFY_UNKNOWN,
                                      .failed = VERIFY_PROPERTIES_ALL,
                                      .reason = reason_of(&arena, code, r->reason)};
    f.limit_ms = v->limit_ms;
    if (v->q->graphs)
        ask_verify_graphs(&v->c, &v->ask.data[v->job.data[job]], &arena, &f);
    ask_say(v->say, VERIFY_SAYS_FUNCTION, &ask_verified_type, &f);
    arena_free(&arena);
}

static bool verify_job(void *ctx, size_t job, struct buf *out)
{
    struct opened *v = ctx;
    struct ask_sink say = ask_below(out);
    verify_one(v, v->open.data[job], &say);
    return true;
}

/* ---- what is remembered ---- */

/* Looks up the jobs of this round. The database is closed again before a worker is started. */
static void look_up(struct opened *v)
{
    struct error err = {0};
    struct shelf *m = v->file_key && v->job.len ? shelf_open(&remember_shelf, &err) : NULL;
    vec_clear(&v->key);
    vec_clear(&v->known);
    vec_clear(&v->open);
    v->said = 0;
    arena_free(&v->round);
    v->round = (struct arena)ARENA_INIT;
    for (uint32_t i = 0; i < v->job.len; i++) {
        const struct match_pair *x = &v->ask.data[v->job.data[i]];
        const char *key = v->file_key ? remember_key(v->file_key, x, v->limit_ms, &v->round) : NULL;
        struct ask_verified f = {0};
        f.remembered = m && remember_get(m, key, &v->round, &f, &err);
        vec_push(&v->key, key);
        vec_push(&v->known, f);
        if (!f.remembered)
            vec_push(&v->open, i);
    }
    shelf_close(m);
    if (err.text[0]) {
        say_warning(v, err.text);
        v->file_key = NULL;
    }
}

/* Says what is remembered of the jobs before this one, so that the order does not depend on it. */
static void say_known(struct opened *v, size_t before)
{
    for (; v->said < before; v->said++)
        if (v->known.data[v->said].remembered)
            ask_say(v->say, VERIFY_SAYS_FUNCTION, &ask_verified_type, &v->known.data[v->said]);
}

static void show_progress(struct opened *v, size_t done)
{
    if (!v->say->progress || done >= v->job.len)
        return;
    struct buf b = BUF_INIT;
    buf_puts(&b, "verifying ");
    buf_put_printable(&b, shown_name(v, &v->ask.data[v->job.data[done]]));
    buf_printf(&b, " (%zu of %zu", done + 1, v->job.len);
    if (v->schedule.left.len)
        buf_printf(&b, ", %zu undecided", v->schedule.left.len);
    buf_puts(&b, ")");
    ask_progress(v->say, buf_text(&b), 0, 0);
    buf_free(&b);
}

static void verified_one(void *ctx, const struct work_result *r)
{
    struct opened *v = ctx;
    size_t messages = 0, job = v->open.data[r->job];
    struct error err = {0};
    say_known(v, job);
    ask_hand_on(v->say, r->output, r->output_len, &messages, &err);
    if (r->outcome != WORK_DONE && !messages)
        say_failed(v, r, job);
    v->said = job + 1;
    ask_flush(v->say);
    show_progress(v, job + 1);
}

static void share_graphs(struct opened *v)
{
    VEC(struct match_pair) ask = VEC_INIT;
    for (size_t i = 0; i < v->open.len; i++)
        vec_push(&ask, v->ask.data[v->job.data[v->open.data[i]]]);
    if (ask.len > 1)
        ask_verify_share(&v->c, ask.data, ask.len);
    vec_free(&ask);
}

/* One round. */
static bool verify_jobs(struct opened *v, struct error *err)
{
    const struct ask_verify *q = v->q;
    const struct work_options limits = {
        .jobs = v->all->function_jobs,
        .timeout_ms = (unsigned)budget_guard(v->limit_ms),
        .grace_ms = GRACE_MS + (unsigned)budget_guard(q->how.solve.timeout_ms),
        .memory_bytes = q->limits.memory,
    };
    look_up(v);
    show_progress(v, 0);
    if (q->limits.here) {
        for (size_t i = 0; i < v->job.len; i++)
            verify_one(v, i, v->say);
        return true;
    }
    share_graphs(v);
    if (v->open.len && !work_run(v->open.len, &limits, verify_job, verified_one, v, NULL, err))
        return false;
    say_known(v, v->job.len);
    return true;
}

/* What a schedule chose of a file. */
static void choose(struct opened *v, const struct schedule *s, uint32_t file)
{
    const struct object *o[2] = {program_object(v->c.p[0]), program_object(v->c.p[1])};
    vec_clear(&v->job);
    for (uint32_t i = 0; i < v->ask.len; i++) {
        const struct match_pair *x = &v->ask.data[i];
        const struct schedule_item *item =
            schedule_find(s, file, object_display_address(o[0], v->c.f[0][x->old].address),
                          object_display_address(o[1], v->c.f[1][x->new].address));
        if (item && item->chosen)
            vec_push(&v->job, i);
    }
    v->limit_ms = s->limit_ms;
}

/* All functions with a small limit. When there is only this file, then what is left with larger ones; of
 * several the rest comes when all have had the first. */
static bool verify_first(struct opened *v, struct error *err)
{
    for (uint32_t i = 0; i < v->ask.len; i++)
        vec_push(&v->job, i);
    v->limit_ms = schedule_first(&v->schedule, v->all->nfiles, v->ask.len);
    bool ok = verify_jobs(v, err);
    while (ok && !v->all->several && schedule_next(&v->schedule)) {
        choose(v, &v->schedule, v->schedule.file);
        ok = verify_jobs(v, err);
    }
    return ok;
}

/* ---- one pair of files ---- */

static bool open_pair(struct opened *v, const struct match_file_pair *pair, struct error *err)
{
    const struct ask_verify *q = v->q;
    const struct verify_knowledge *k = q->how.know;
    if (!compare_open(&v->c, pair,
                      &(struct compare_options){q->old, q->new, &q->object, q->function, q->nfunctions,
                                                k ? k->name : NULL, k ? k->nnames : 0},
                      v->say, err))
        return false;
    mark_known(v);
    if (!select_functions(v, err))
        return false;
    if (!q->no_libraries && q->how.assume & VERIFY_ASSUME_LIBRARIES)
        v->nwanted = libraries_wanted(v->c.m, v->ask.data, v->ask.len, &v->arena, &v->wanted);
    return true;
}

static void close_pair(struct opened *v)
{
    compare_close(&v->c);
    vec_free(&v->ask);
    vec_free(&v->job);
    vec_free(&v->key);
    vec_free(&v->known);
    vec_free(&v->open);
    arena_free(&v->round);
    schedule_end(&v->schedule);
    vec_free(&v->used);
    vec_free(&v->import);
    vec_free(&v->reason);
    vec_free(&v->ignored);
    vec_free(&v->identical);
    vec_free(&v->added);
    vec_free(&v->removed);
    arena_free(&v->arena);
}

/* Opens both, and finds out everything that functions are asked with. */
static bool prepare_pair(struct opened *v, const struct match_file_pair *pair, struct error *err)
{
    const struct ask_verify *q = v->q;
    const struct work_options limits = {
        .timeout_ms = (unsigned)budget_guard(q->how.timeout_ms),
        .grace_ms = GRACE_MS + (unsigned)budget_guard(q->how.solve.timeout_ms),
        .memory_bytes = q->limits.memory,
    };
    if (!q->limits.here)
        work_limit_time((unsigned)q->limits.timeout);
    bool ok = open_pair(v, pair, err);
    if (!q->limits.here)
        work_limit_time(0);
    ask_flush(v->say);
    if (!ok || !learn_from_libraries(v, &limits, err))
        return false;
    if (remember_possible(q))
        v->file_key = remember_file_key(
            &(struct remember_file){q, pair, &v->c, v->import.data, v->import.len}, &v->arena);
    return true;
}

static bool verify_pair(void *ctx, const struct match_file_pair *pair, struct ask_sink *say,
                        struct error *err)
{
    const struct verifying *all = ctx;
    struct ask_sink hearing = *say;
    struct opened v = {.all = all, .q = all->q, .say = &hearing, .schedule = schedule_begin(all->q)};
    hearing.overhear = schedule_hear;
    hearing.overhear_ctx = &v.schedule;
    ask_say_pair(&hearing, pair);
    /* Added, removed and identical files have no functions to ask about, and are not opened. */
    if (!pair->old || !pair->new || strcmp(pair->old->sha256, pair->new->sha256) == 0)
        return true;
    bool ok = prepare_pair(&v, pair, err);
    if (ok && all->q->recover)
        say_recovered(&v);
    ok = ok && verify_first(&v, err);
    close_pair(&v);
    return ok;
}

static bool ignore(void *ctx, unsigned message, const char *bytes, size_t n)
{
    (void)ctx;
    (void)message;
    (void)bytes;
    (void)n;
    return true;
}

/* A file of several once more: what it is was said before. */
static bool verify_again(void *ctx, const struct match_file_pair *pair, struct ask_sink *say,
                         struct error *err)
{
    const struct verifying *all = ctx;
    struct ask_sink silent = {.hear = ignore};
    struct opened v = {.all = all, .q = all->q, .say = &silent};
    uint64_t file = 0;
    while (all->pair[file].old != pair->old || all->pair[file].new != pair->new)
        file++;
    bool ok = prepare_pair(&v, pair, err);
    if (ok) {
        v.say = say;
        ask_say(say, VERIFY_SAYS_AGAIN, &wire_u64, &file);
        choose(&v, all->again, (uint32_t)file);
        ok = verify_jobs(&v, err);
    }
    close_pair(&v);
    return ok;
}

/* ---- the question ---- */

/* Many files are shared among the workers, of few the functions are. */
static unsigned file_jobs(struct verifying *all, size_t nfiles)
{
    unsigned jobs = all->q->limits.jobs;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!jobs)
        jobs = processors > 0 ? (unsigned)processors : 1;
    bool many = nfiles >= 4 * (size_t)jobs && jobs > 1;
    all->function_jobs = many ? 1 : jobs;
    return many ? jobs : 1;
}

static size_t differing(const struct pairs *pairs)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->n; i++) {
        const struct match_file_pair *p = &pairs->pair[i];
        n += p->old && p->new &&strcmp(p->old->sha256, p->new->sha256) != 0;
    }
    return n;
}

/* Files that have functions which the schedule chose. */
static bool ask_again(struct verifying *all, const struct pairs *first, const struct schedule *s,
                      struct ask_sink *say, struct error *err)
{
    VEC(struct match_file_pair) pair = VEC_INIT;
    for (uint32_t i = 0; i < first->n; i++)
        for (size_t k = 0; k < s->left.len; k++)
            if (s->left.data[k].file == i && s->left.data[k].chosen) {
                vec_push(&pair, first->pair[i]);
                break;
            }
    struct pairs again = {.pair = pair.data, .n = pair.len, .ask = verify_again, .ctx = all, .again = true};
    all->again = s;
    all->pair = first->pair;
    struct work_options own = {.jobs = file_jobs(all, pair.len)};
    bool ok = pairs_run(&again, &all->q->limits, own, say, err);
    buf_free(&again.heard);
    vec_free(&pair);
    return ok;
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_verify *q = ((struct ask_verify_answer *)ctx)->q;
    struct verifying all = {.q = q, .say = say};
    struct pairs pairs = {.ask = verify_pair, .ctx = &all};
    struct schedule schedule = schedule_begin(q);
    struct ask_sink hearing = *say;
    if (!pairs_open(&pairs, &q->limits, q->old, q->new, err))
        return false;
    all.several = pairs.n > 1;
    all.files = pairs.files;
    all.nfiles = differing(&pairs);
    hearing.overhear = schedule_hear;
    hearing.overhear_ctx = &schedule;
    struct work_options own = {.jobs = file_jobs(&all, all.nfiles)};
    bool ok = pairs_run(&pairs, &q->limits, own, &hearing, err);
    while (ok && all.several && schedule_next(&schedule))
        ok = ask_again(&all, &pairs, &schedule, &hearing, err);
    schedule_end(&schedule);
    pairs_close(&pairs);
    return ok;
}

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    return ask_verify_hear(ctx, message, bytes, n);
}

bool ask_verify(const struct ask_verify *q, const struct ask_session *session, struct ask_verify_answer *a,
                struct error *err)
{
    *a = (struct ask_verify_answer){.q = q};
    for (size_t i = 0; q->config && i < config_entries(q->config); i++)
        vec_push(&a->used, false);
    if (!ask_put(ask, hear, a, &q->limits, 0, 0, session, &a->end, err))
        return false;
    ask_verify_sum(a);
    return true;
}
