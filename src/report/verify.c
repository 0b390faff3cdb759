/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay verify`: what becomes of every function of two programs, and of the programs. */
#include "report/verify.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "report/compare.h"
#include "report/page.h"
#include "verify/libraries.h"

struct report_verified {
    const struct report_verify *opt;
    struct compared c;
    VEC(struct match_pair) ask; /* pairs to be asked about, by address in the old program */
    VEC(bool) used; /* entries of the configuration that were in use before any function was asked */
    struct arena arena;
    const char *const *wanted; /* imports that nothing is known of */
    size_t nwanted;
    VEC(struct verify_import) import; /* what libraries told about them */
    VEC(const char *) warning;
};

/* ---- the configuration ---- */

void report_verify_configuration(struct config *config, struct report_sink sink)
{
    json_t *list = json_array();
    for (size_t i = 0; config && i < config_entries(config); i++) {
        bool *used;
        json_array_append_new(list, report_string(config_entry(config, i, &used)));
    }
    sink.put(sink.ctx, "configuration", list);
}

/* Says which entries are in use now and were not when the file was opened. */
static void put_used(struct report_verified *v, bool first, struct report_sink sink)
{
    struct config *config = v->opt->config;
    json_t *list = json_array();
    for (size_t i = 0; config && i < config_entries(config); i++) {
        bool *used;
        config_entry(config, i, &used);
        if (first)
            vec_push(&v->used, *used);
        if (*used && (first || !v->used.data[i]))
            json_array_append_new(list, json_integer((json_int_t)i));
    }
    if (json_array_size(list))
        sink.put(sink.ctx, "used[]", list);
    else
        json_decref(list);
}

/* ---- which functions ---- */

static const char *given_name(const struct report_verified *v, int side, uint64_t address)
{
    struct verify_knowledge *k = v->opt->how.know;
    for (size_t i = 0; k && i < k->nnames; i++)
        if (k->name[i].new == (side == 1) && k->name[i].address == address)
            return k->name[i].name;
    return NULL;
}

/* A function of one side by what a person calls it: names of the configuration come first. */
static const struct flow_function *find(const struct report_verified *v, int side, const char *spec,
                                        struct error *err)
{
    struct verify_knowledge *k = v->opt->how.know;
    for (size_t i = 0; k && i < k->nnames; i++)
        if (k->name[i].new == (side == 1) && strcmp(k->name[i].name, spec) == 0) {
            k->name[i].used = true;
            return program_function_at(v->c.p[side], k->name[i].address);
        }
    return program_function(v->c.p[side], spec, err);
}

/* Entries of the configuration that are about something there is in either program, whether it comes to matter or
 * not. */
static void mark_known(const struct report_verified *v)
{
    struct verify_knowledge *k = v->opt->how.know;
    for (int side = 0; k && side < 2; side++) {
        struct program *p = v->c.p[side];
        for (size_t i = 0; i < k->nnames; i++)
            if (k->name[i].new == (side == 1)) {
                const struct flow_function *f = program_function_at(p, k->name[i].address);
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

static void add_pair(struct report_verified *v, const struct match_pair *x)
{
    for (size_t i = 0; i < v->ask.len; i++)
        if (v->ask.data[i].old == x->old && v->ask.data[i].new == x->new)
            return;
    vec_push(&v->ask, *x);
}

/* OLD:NEW names both functions; whether the matcher took them for partners does not matter. */
static bool add_both(struct report_verified *v, const char *spec, const char *colon, struct error *err)
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

static bool add_function(struct report_verified *v, const char *spec, struct error *err)
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

static bool is_ignored(const struct report_verified *v, const struct match_pair *x)
{
    struct verify_knowledge *k = v->opt->how.know;
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

static void put_unpaired(struct report_verified *v, const struct match_pair *x, struct report_sink sink)
{
    int side = x->old == MATCH_NONE;
    sink.put(sink.ctx, side ? "files.added[]" : "files.removed[]",
             compare_place(&v->c.f[side][side ? x->new : x->old]));
}

static void put_identical(struct report_verified *v, const struct match_pair *x, struct report_sink sink)
{
    const struct flow_function *old = &v->c.f[0][x->old], *new = &v->c.f[1][x->new];
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(new->name));
    json_object_set_new(j, "old", report_address(old->address));
    json_object_set_new(j, "new", report_address(new->address));
    sink.put(sink.ctx, "files.identical[]", j);
}

/* Parts of functions that lie apart (.cold) are in the graphs of the functions they belong to: when one
 * changed, those are asked about, whatever the rest of them looks like. */
static bool is_part(const struct report_verified *v, const struct match_pair *x)
{
    return (x->old != MATCH_NONE && v->c.f[0][x->old].flags & FLOW_PART) ||
           (x->new != MATCH_NONE && v->c.f[1][x->new].flags &FLOW_PART);
}

static void mark_parents(const struct report_verified *v, const struct match_pair *x, struct map changed[2])
{
    for (int side = 0; side < 2; side++) {
        uint32_t index = side ? x->new : x->old;
        if (index == MATCH_NONE)
            continue;
        const struct flow_function *f = &v->c.f[side][index];
        map_set(&changed[side], f->flags & FLOW_PART ? f->parent : index, 1);
    }
}

static void put_pair(struct report_verified *v, const struct match_pair *x, struct report_sink sink)
{
    if (x->status == MATCH_CHANGED && is_ignored(v, x)) {
        sink.put(sink.ctx, "files.ignored[]", report_string(v->c.f[1][x->new].name));
    } else if (x->status == MATCH_CHANGED) {
        vec_push(&v->ask, *x);
    } else if (x->status == MATCH_IDENTICAL) {
        put_identical(v, x, sink);
    } else {
        put_unpaired(v, x, sink);
    }
}

static void put_everything(struct report_verified *v, struct report_sink sink)
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
        put_pair(v, &y, sink);
    }
    map_free(&changed[0]);
    map_free(&changed[1]);
    compare_put_outside(&v->c, true, sink);
    compare_put_data(&v->c, sink);
}

/* Functions asked for by name. Identical ones are asked about like the others: it costs nothing. */
static bool put_chosen(struct report_verified *v, struct report_sink sink, struct error *err)
{
    for (size_t i = 0; i < v->opt->nfunctions; i++)
        if (!add_function(v, v->opt->function[i], err))
            return false;
    size_t kept = 0;
    for (size_t i = 0; i < v->ask.len; i++) {
        const struct match_pair *x = &v->ask.data[i];
        if (x->old != MATCH_NONE && x->new != MATCH_NONE) {
            v->ask.data[kept++] = *x;
            continue;
        }
        put_unpaired(v, x, sink);
        struct buf b = BUF_INIT;
        buf_printf(&b, "%s has no partner; --func OLD:NEW names one",
                   x->old == MATCH_NONE ? v->c.f[1][x->new].name : v->c.f[0][x->old].name);
        sink.put(sink.ctx, "files.reasons[]", report_string(buf_text(&b)));
        buf_free(&b);
    }
    v->ask.len = kept;
    return true;
}

/* ---- libraries ---- */

bool report_verify_wants_libraries(const struct report_verified *v)
{
    return v->nwanted > 0;
}

static struct library_places library_places(struct report_verified *v, bool new)
{
    const char *path = new ? v->opt->new : v->opt->old, *slash = strrchr(path, '/');
    struct library_places out = {.dir = v->opt->library_dirs};
    if (v->opt->files)
        out.nfiles = match_files_of(v->opt->files, new, &out.file);
    out.beside = !slash ? "." : arena_strndup(&v->arena, path, slash == path ? 1 : (size_t)(slash - path));
    return out;
}

void report_verify_libraries(struct report_verified *v, struct report_sink sink)
{
    const struct library_places places[2] = {library_places(v, false), library_places(v, true)};
    struct library_answers a;
    libraries_ask(v->c.m, places, v->wanted, v->nwanted, &v->arena, &a);
    for (size_t i = 0; i < a.nimports; i++) {
        const struct verify_import *x = &a.import[i];
        json_t *bits = json_array();
        for (unsigned k = 0; k < MACHINE_MAX_ARGS; k++)
            json_array_append_new(bits, json_integer(x->takes.bits[k]));
        sink.put(sink.ctx, "import",
                 json_pack("{s:o, s:o, s:i, s:i, s:b, s:o}", "name", report_string(x->name), "library",
                           report_string(x->library), "arguments", (int)x->takes.nargs, "back", (int)x->takes.back, "floats",
                           (int)x->takes.floats, "bits", bits));
    }
    for (size_t i = 0; i < a.nwarnings; i++)
        sink.put(sink.ctx, "warning", report_string(a.warning[i]));
}

bool report_verify_told(void *ctx, const char *place, json_t *value)
{
    struct report_verified *v = ctx;
    if (strcmp(place, "import") == 0) {
        json_t *bits = json_object_get(value, "bits");
        struct verify_import x = {
            .name = arena_strdup(&v->arena, json_string_value(json_object_get(value, "name"))),
            .library = arena_strdup(&v->arena, json_string_value(json_object_get(value, "library"))),
            .takes = {.nargs = (unsigned)json_integer_value(json_object_get(value, "arguments")),
                      .back = (uint32_t)json_integer_value(json_object_get(value, "back")),
                      .floats = json_is_true(json_object_get(value, "floats"))}};
        for (unsigned k = 0; k < MACHINE_MAX_ARGS; k++)
            x.takes.bits[k] = (uint8_t)json_integer_value(json_array_get(bits, k));
        vec_push(&v->import, x);
    } else if (strcmp(place, "warning") == 0) {
        vec_push(&v->warning, arena_strdup(&v->arena, json_string_value(value)));
    }
    json_decref(value);
    return true;
}

static void put_recovered(struct report_verified *v, struct report_sink sink)
{
    const struct match_pair **x = xcalloc(v->ask.len + 1, sizeof *x);
    for (size_t i = 0; i < v->ask.len; i++)
        x[i] = &v->ask.data[i];
    sink.put(sink.ctx, "recovered[]",
             config_recovered(v->c.p[0], v->c.p[1], x, v->ask.len, v->import.data, v->import.len));
    free(x);
}

void report_verify_ready(struct report_verified *v, const char *failed, struct report_sink sink)
{
    for (size_t i = 0; i < v->warning.len; i++)
        sink.put(sink.ctx, "library_warnings[]", report_string(v->warning.data[i]));
    if (failed) {
        struct buf b = BUF_INIT;
        buf_printf(&b, "libraries: nothing is learned from them: %s", failed);
        sink.put(sink.ctx, "library_warnings[]", report_string(buf_text(&b)));
        buf_free(&b);
        vec_clear(&v->import);
    }
    if (v->opt->recover && v->c.m)
        put_recovered(v, sink);
}

static void put_lists(struct report_sink sink)
{
    static const char *const list[] = {"files.reasons", "files.functions", "files.identical", "files.added",
                                       "files.removed", "files.ignored",   "files.outside",   "files.data"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        sink.put(sink.ctx, list[i], json_array());
}

struct report_verified *report_verify_open(const struct match_file_pair *pair,
                                           const struct report_verify *opt, struct report_sink sink,
                                           struct error *err)
{
    struct report_verified *v = xcalloc(1, sizeof *v);
    v->opt = opt;
    json_t *j = json_object();
    bool both = pair->old && pair->new, same = both &&strcmp(pair->old->sha256, pair->new->sha256) == 0;
    json_object_set_new(j, "old", pair->old ? compare_file(pair->old) : json_null());
    json_object_set_new(j, "new", pair->new ? compare_file(pair->new) : json_null());
    json_object_set_new(j, "renamed", json_boolean(pair->renamed));
    json_object_set_new(j, "status",
                        json_string(same        ? "identical"
                                    : both      ? "compared"
                                    : pair->old ? "removed"
                                                : "added"));
    sink.put(sink.ctx, "files[]", j);
    put_lists(sink);
    if (!both || same)
        return v;
    const struct verify_knowledge *k = opt->how.know;
    if (!compare_open(&v->c, pair,
                      &(struct compare_options){opt->old, opt->new, &opt->object, opt->function,
                                                opt->nfunctions, k ? k->name : NULL, k ? k->nnames : 0},
                      sink, err)) {
        report_verify_close(v);
        return NULL;
    }
    mark_known(v);
    if (opt->nfunctions) {
        struct error missing = {0};
        if (!put_chosen(v, sink, &missing)) {
            if (!opt->several) {
                *err = missing;
                report_verify_close(v);
                return NULL;
            }
            v->ask.len = 0;
            sink.put(sink.ctx, "files.not_found", report_string(missing.text));
        }
    } else {
        put_everything(v, sink);
    }
    put_used(v, true, sink);
    if (!opt->no_libraries && opt->how.assume & VERIFY_ASSUME_LIBRARIES)
        v->nwanted = libraries_wanted(v->c.m, v->ask.data, v->ask.len, &v->arena, &v->wanted);
    sink.put(sink.ctx, "files.asked", json_integer((json_int_t)v->ask.len));
    return v;
}

void report_verify_close(struct report_verified *v)
{
    compare_close(&v->c);
    vec_free(&v->ask);
    vec_free(&v->used);
    vec_free(&v->import);
    vec_free(&v->warning);
    arena_free(&v->arena);
    free(v);
}

size_t report_verify_count(const struct report_verified *v)
{
    return v->ask.len;
}

uint64_t report_verify_address(const struct report_verified *v, size_t i)
{
    return v->c.f[0][v->ask.data[i].old].address;
}

/* ---- one function ---- */

static const char *shown_name(const struct report_verified *v, const struct match_pair *x)
{
    const struct flow_function *f[2] = {&v->c.f[0][x->old], &v->c.f[1][x->new]};
    const char *given[2] = {given_name(v, 0, f[0]->address), given_name(v, 1, f[1]->address)};
    return f[1]->named || !(given[0] || given[1] || f[0]->named) ? f[1]->name
           : given[1]                                            ? given[1]
           : given[0]                                            ? given[0]
                                                                 : f[0]->name;
}

static json_t *function_heading(const struct report_verified *v, const struct match_pair *x)
{
    static const char *const change[] = {"none", "code", "callee", "data"};
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(shown_name(v, x)));
    json_object_set_new(j, "old", compare_place(&v->c.f[0][x->old]));
    json_object_set_new(j, "new", compare_place(&v->c.f[1][x->new]));
    json_object_set_new(j, "status", json_string(x->status == MATCH_IDENTICAL ? "identical" : "changed"));
    json_object_set_new(j, "change", json_string(change[x->change]));
    json_object_set_new(j, "sure", json_integer((json_int_t)(x->sure * 100 + 0.5)));
    json_object_set_new(j, "similar", json_integer((json_int_t)(x->similar * 100)));
    return j;
}

static json_t *properties(unsigned set)
{
    static const char *const name[] = {"P1", "P2", "P3", "P4"};
    json_t *list = json_array();
    for (unsigned i = 0; i < 4; i++)
        if (set >> i & 1)
            json_array_append_new(list, json_string(name[i]));
    return list;
}

static json_t *address_or_null(uint64_t address)
{
    return address ? report_address(address) : json_null();
}

static json_t *addresses(const uint64_t *address, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, report_address(address[i]));
    return list;
}

static json_t *strings(const char *const *text, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, report_string(text[i]));
    return list;
}

/* A bound stays one when it is rounded. */
static json_t *per_million(double share, double (*rounded)(double))
{
    enum { MILLION = 1000000 };
    double n = rounded(share * MILLION);
    return json_integer(n < 0 ? 0 : n > MILLION ? MILLION : (json_int_t)n);
}

static json_t *steps(const struct verify_step *s, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *reg = json_array(), *access = json_array();
        for (size_t k = 0; k < s[i].nregs; k++)
            json_array_append_new(reg, json_pack("[o, o]", report_string(s[i].reg[k].name), report_string(s[i].reg[k].value)));
        for (size_t k = 0; k < s[i].naccesses; k++)
            json_array_append_new(access, json_pack("[o, o, b]", report_string(s[i].access[k].place),
                                                    report_string(s[i].access[k].value), s[i].access[k].write));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "block", address_or_null(s[i].block), "registers", reg,
                                              "memory", access));
    }
    return list;
}

static json_t *difference_record(const struct verify_difference *d)
{
    static const char *const replay[] = {"not tried", "replayed", "failed"};
    json_t *j = json_object(), *inputs = json_array(), *property = properties(d->property);
    json_object_set(j, "property", json_array_get(property, 0));
    json_decref(property);
    json_object_set_new(j, "question",
                        d->question == VERIFY_Q_NONE ? json_null()
                                                     : json_string(verify_question_name(d->question)));
    json_object_set_new(j, "key", report_string(d->key));
    json_object_set_new(j, "what", report_string(d->what));
    json_object_set_new(j, "old", report_string(d->old_text));
    json_object_set_new(j, "new", report_string(d->new_text));
    json_object_set_new(j, "condition", report_string(d->condition));
    json_object_set_new(j, "share_ppm", d->share < 0 ? json_null() : per_million(d->share, round));
    json_object_set_new(j, "share_ppm_low", per_million(d->share_low, floor));
    json_object_set_new(j, "share_ppm_high", per_million(d->share_high, ceil));
    json_object_set_new(j, "old_site", address_or_null(d->old_site));
    json_object_set_new(j, "new_site", address_or_null(d->new_site));
    json_object_set_new(j, "old_line", report_string(d->old_line));
    json_object_set_new(j, "new_line", report_string(d->new_line));
    for (size_t i = 0; i < d->ninputs; i++)
        json_array_append_new(inputs, json_pack("{s:o, s:o}", "name", report_string(d->input[i].name),
                                                "value", report_string(d->input[i].value)));
    json_object_set_new(j, "inputs", inputs);
    json_object_set_new(j, "old_trace", addresses(d->old_trace, d->nold_trace));
    json_object_set_new(j, "new_trace", addresses(d->new_trace, d->nnew_trace));
    if (d->nold_steps)
        json_object_set_new(j, "old_steps", steps(d->old_step, d->nold_steps));
    if (d->nnew_steps)
        json_object_set_new(j, "new_steps", steps(d->new_step, d->nnew_steps));
    json_object_set_new(j, "replay", json_string(replay[d->replay]));
    json_object_set_new(j, "replay_reason", report_string(d->replay_why));
    json_object_set_new(j, "accepted", json_boolean(d->accepted));
    return j;
}

static json_t *exit_record(const struct verify_exit *e)
{
    static const char *const heuristic[] = {"A", "B", "C", "user"};
    struct buf by = BUF_INIT;
    for (unsigned i = 0; i < 4; i++)
        if (e->by >> i & 1)
            buf_printf(&by, "%s%s", by.len ? "," : "", heuristic[i]);
    json_t *j = json_object();
    json_object_set_new(j, "side", json_string(e->new ? "new" : "old"));
    json_object_set_new(j, "address", report_address(e->address));
    json_object_set_new(j, "end", json_string(path_end_name((enum path_end)e->end)));
    json_object_set_new(j, "class", json_string(e->sometimes ? "sometimes" : e->error ? "error" : "valid"));
    json_object_set_new(j, "by", by.len ? json_string(buf_text(&by)) : json_null());
    json_object_set_new(j, "why", report_string(e->why));
    json_object_set_new(j, "when", report_string(e->when));
    buf_free(&by);
    return j;
}

static json_t *stats_record(const struct verify_stats *s)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "terms", (json_int_t)s->terms, "queries",
                     (json_int_t)s->queries, "queries_by_solver", (json_int_t)s->by_solver, "cut_points",
                     (json_int_t)s->cut_points, "segments", (json_int_t)s->segments, "paths",
                     (json_int_t)s->paths, "states", (json_int_t)s->states, "merges", (json_int_t)s->merges);
}

static void put_result(const struct report_verified *v, json_t *j, const struct verify_result *r)
{
    json_t *list = json_array();
    json_object_set_new(j, "verdict", json_string(verify_verdict_name(r->verdict)));
    json_object_set_new(j, "failed", properties(r->failed));
    json_object_set_new(j, "reason", report_string(r->reason.text));
    if (r->verdict == VERIFY_UNKNOWN)
        json_object_set_new(j, "remedy", report_string(verify_remedy_text(r->reason.remedy)));
    json_object_set_new(j, "accepted", json_integer((json_int_t)r->naccepted));
    for (size_t i = 0; i < r->ndifferences; i++)
        json_array_append_new(list, difference_record(&r->difference[i]));
    json_object_set_new(j, "differences", list);
    list = json_array();
    for (size_t i = 0; i < r->nexits; i++)
        json_array_append_new(list, exit_record(&r->exit[i]));
    json_object_set_new(j, "exits", list);
    list = json_array();
    for (size_t i = 0; i < r->nassumptions; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:o}", "name", report_string(r->assumption[i].name), "text",
                            report_string(r->assumption[i].text), "count", (json_int_t)r->assumption[i].count,
                            "denied_by", report_string(r->assumption[i].denied_by)));
    json_object_set_new(j, "assumptions", list);
    json_object_set_new(j, "warnings", strings(r->warning, r->nwarnings));
    json_object_set_new(j, "rests_on", strings(r->rests_on, r->nrests_on));
    if (v->opt->how.strategy == VERIFY_PATHS) {
        json_object_set_new(j, "divisible", json_boolean(r->divisible));
        json_object_set_new(j, "path_pairs", json_integer((json_int_t)r->path_pairs));
    }
    if (v->opt->stats)
        json_object_set_new(j, "stats", stats_record(&r->stats));
}

void report_verify_function(struct report_verified *v, size_t i, struct report_sink sink)
{
    const struct match_pair *x = &v->ask.data[i];
    json_t *j = function_heading(v, x);
    struct arena arena = ARENA_INIT;
    struct verify_result r = {0};
    struct verify_options how = v->opt->how;
    how.import = v->import.data;
    how.nimports = v->import.len;
    if (x->status == MATCH_IDENTICAL)
        r = (struct verify_result){.verdict = VERIFY_SAFE, .reason.text = "identical code"};
    else
        verify_functions(v->c.m, x->old, x->new, &how, &arena, &r);
    put_result(v, j, &r);
    arena_free(&arena);
    if (v->opt->graphs)
        json_object_set_new(j, "graphs", report_verify_graphs(&v->c, x));
    sink.put(sink.ctx, "files.functions[]", j);
    put_used(v, false, sink);
}

void report_verify_failed(struct report_verified *v, size_t i, struct verify_reason reason,
                          struct report_sink sink)
{
    json_t *j = function_heading(v, &v->ask.data[i]);
    struct verify_result r = {.verdict = VERIFY_UNKNOWN, .failed = VERIFY_PROPERTIES_ALL, .reason = reason};
    put_result(v, j, &r);
    sink.put(sink.ctx, "files.functions[]", j);
}

/* ---- the sum ---- */

/* Of all files, each once. */
static void warn_of_libraries(json_t *doc, json_t *warnings)
{
    json_t *all = json_object_get(doc, "library_warnings"), *w;
    size_t i, k;
    json_array_foreach(all, i, w)
    {
        for (k = 0; k < i && !json_equal(json_array_get(all, k), w); k++)
            ;
        if (k == i)
            json_array_append(warnings, w);
    }
    json_object_del(doc, "library_warnings");
}

/* The worst of two verdicts. */
static const char *worst(const char *a, const char *b)
{
    static const char *const bad[] = {"unsafe", "unknown"};
    for (int i = 0; i < 2; i++)
        if (strcmp(a, bad[i]) == 0 || strcmp(b, bad[i]) == 0)
            return bad[i];
    return "safe";
}

/* Gives the callees a verdict rests on their own verdicts. */
static void join_callees(json_t *functions)
{
    size_t i, k;
    json_t *f, *name;
    struct strmap verdict = {0};
    json_array_foreach(functions, i, f)
    {
        strmap_set(&verdict, str(f, "name"), i + 1);
        strmap_set(&verdict, str(json_object_get(f, "old"), "name"), i + 1);
    }
    json_array_foreach(functions, i, f)
    {
        json_t *list = json_array();
        json_array_foreach(json_object_get(f, "rests_on"), k, name)
        {
            const char *callee = json_is_object(name) ? str(name, "name") : json_string_value(name);
            uint64_t at = strmap_find(&verdict, callee, 0);
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "name", callee, "verdict",
                                at ? str(json_array_get(functions, at - 1), "verdict") : "not asked"));
        }
        json_object_set_new(f, "rests_on", list);
    }
    strmap_free(&verdict);
}

enum { SAFE, UNSAFE, UNKNOWN, IDENTICAL, ADDED, REMOVED, IGNORED, ACCEPTED, COUNTS };
static const char *const count_name[] = {"safe",  "unsafe",  "unknown", "identical",
                                         "added", "removed", "ignored", "accepted"};

static json_t *summary(const json_int_t *count)
{
    json_t *j = json_object();
    for (int i = 0; i < COUNTS; i++)
        json_object_set_new(j, count_name[i], json_integer(count[i]));
    return j;
}

static const char *sum_file(json_t *f, json_int_t *total)
{
    json_int_t count[COUNTS] = {0};
    json_t *functions = json_object_get(f, "functions"), *e;
    size_t i;
    join_callees(functions);
    const char *status = str(f, "status"), *verdict = strcmp(status, "removed") == 0 ? "unknown" : "safe";
    json_array_foreach(functions, i, e)
    {
        const char *v = str(e, "verdict");
        verdict = worst(verdict, v);
        count[strcmp(v, "safe") == 0 ? SAFE : strcmp(v, "unsafe") == 0 ? UNSAFE : UNKNOWN]++;
        count[ACCEPTED] += num(e, "accepted");
    }
    count[IDENTICAL] = (json_int_t)json_array_size(json_object_get(f, "identical"));
    count[ADDED] = (json_int_t)json_array_size(json_object_get(f, "added"));
    count[REMOVED] = (json_int_t)json_array_size(json_object_get(f, "removed"));
    count[IGNORED] = (json_int_t)json_array_size(json_object_get(f, "ignored"));
    json_t *reasons = json_object_get(f, "reasons");
    bool begun = json_object_get(f, "asked") || strcmp(status, "compared") != 0;
    json_int_t missing = num(f, "asked") - (json_int_t)json_array_size(functions);
    if (missing > 0) {
        char text[64];
        snprintf(text, sizeof text, "%lld changed function%s not reached", (long long)missing,
                 missing == 1 ? " was" : "s were");
        json_array_append_new(reasons, json_string(text));
    }
    if (strcmp(status, "removed") == 0)
        json_array_append_new(reasons, json_string("it is not in the new version"));
    if (json_array_size(reasons) || json_object_get(f, "error") || !begun)
        verdict = worst(verdict, "unknown");
    json_object_del(f, "asked");
    json_object_set_new(f, "summary", summary(count));
    json_object_set_new(f, "verdict", json_string(verdict));
    for (int k = 0; k < COUNTS; k++)
        total[k] += count[k];
    return verdict;
}

/* Entries of the configuration that no worker found a use for. */
static void warn_of_unused(json_t *doc, json_t *warnings)
{
    json_t *entries = json_object_get(doc, "configuration"), *list, *e;
    size_t i, k, n = json_array_size(entries);
    bool *used = xcalloc(n + 1, sizeof *used);
    json_array_foreach(json_object_get(doc, "used"), i, list) json_array_foreach(list, k, e)
    {
        json_int_t at = json_integer_value(e);
        if (at >= 0 && (size_t)at < n)
            used[at] = true;
    }
    json_array_foreach(entries, i, e) if (!used[i])
    {
        struct buf b = BUF_INIT;
        buf_printf(&b, "configuration: %s matches nothing", json_string_value(e));
        json_array_append_new(warnings, report_string(buf_text(&b)));
        buf_free(&b);
    }
    free(used);
    json_object_del(doc, "configuration");
    json_object_del(doc, "used");
}

json_t *report_verify_remedies(json_t *doc)
{
    json_t *out = json_array(), *file, *f, *one;
    size_t i, k, n;
    json_array_foreach(json_object_get(doc, "files"), i, file)
        json_array_foreach(json_object_get(file, "functions"), k, f)
    {
        const char *remedy = json_string_value(json_object_get(f, "remedy"));
        json_t *same = NULL;
        json_array_foreach(
            out, n, one) if (remedy && strcmp(json_string_value(json_object_get(one, "remedy")), remedy) == 0)
            same = one;
        if (!remedy)
            continue;
        json_int_t number = same ? json_integer_value(json_object_get(same, "number")) + 1 : 1;
        char text[32];
        snprintf(text, sizeof text, "%lld functions", (long long)number);
        if (!same)
            json_array_append_new(
                out, same = json_pack("{s:s, s:O}", "remedy", remedy, "for", json_object_get(f, "name")));
        else
            json_object_set_new(same, "for", json_string(text));
        json_object_set_new(same, "number", json_integer(number));
    }
    return out;
}

void report_verify_sum(struct report *r)
{
    json_t *doc = report_document(r), *files = json_object_get(doc, "files"), *f, *warnings = json_array();
    json_int_t total[COUNTS] = {0}, expected = num(doc, "pairs");
    const char *verdict = "safe";
    size_t i, identical = 0, n = json_array_size(files), not_found = 0;
    json_array_foreach(files, i, f)
    {
        verdict = worst(verdict, sum_file(f, total));
        identical += strcmp(str(f, "status"), "identical") == 0;
        not_found += json_object_get(f, "not_found") != NULL;
    }
    if ((json_int_t)n < expected)
        verdict = worst(verdict, "unknown");
    warn_of_unused(doc, warnings);
    warn_of_libraries(doc, warnings);
    json_t *s = summary(total);
    json_object_set_new(s, "files", json_integer((json_int_t)n));
    report_add(r, "summary", s);
    report_add(r, "warnings", warnings);
    report_add(r, "verdict", json_string(verdict));
    if (n && identical == n && (json_int_t)n >= expected)
        report_add(r, "reason", json_string("identical"));
    else if ((json_int_t)n < expected)
        report_add(r, "reason", json_string("not all files were reached"));
    json_object_del(doc, "pairs");
}
