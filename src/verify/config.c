/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "verify/jsonfile.h"

enum { ARGUMENTS_MAX = 64, OUTPUTS_MAX = 32 };

struct entry {
    const char *text;
    uint8_t list; /* enum which */
    uint32_t index;
};

typedef VEC(struct verify_word) word_list;

struct config {
    struct arena arena;
    struct verify_knowledge know; /* points into the vectors below */
    VEC(struct verify_prototype) prototype;
    VEC(struct verify_name) name;
    VEC(struct verify_equal) equal;
    word_list error_function, pure_function, ignore, accepted;
    VEC(struct verify_value) invalid;
    VEC(struct verify_edge) edge;
    VEC(struct entry) entry;
    json_t *answers;      /* list, in the order of the file */
    struct strmap by_key; /* key to 1 + index in it */
};

/* The lists that have entries, for `used` marks. */
enum which { PROTOTYPE, NAME, EQUAL, ERROR_FUNCTION, PURE_FUNCTION, IGNORE, INVALID, EDGE, ACCEPTED };

struct config *config_new(void)
{
    struct config *c = xcalloc(1, sizeof *c);
    c->answers = json_array();
    return c;
}

void config_free(struct config *c)
{
    if (!c)
        return;
    vec_free(&c->prototype);
    vec_free(&c->name);
    vec_free(&c->equal);
    vec_free(&c->error_function);
    vec_free(&c->pure_function);
    vec_free(&c->ignore);
    vec_free(&c->accepted);
    vec_free(&c->invalid);
    vec_free(&c->edge);
    vec_free(&c->entry);
    json_decref(c->answers);
    strmap_free(&c->by_key);
    arena_free(&c->arena);
    free(c);
}

struct verify_knowledge *config_knowledge(struct config *c)
{
    c->know = (struct verify_knowledge){
        .prototype = c->prototype.data,
        .nprototypes = c->prototype.len,
        .name = c->name.data,
        .nnames = c->name.len,
        .equal = c->equal.data,
        .nequals = c->equal.len,
        .error_function = c->error_function.data,
        .nerror_functions = c->error_function.len,
        .pure_function = c->pure_function.data,
        .npure_functions = c->pure_function.len,
        .ignore = c->ignore.data,
        .nignores = c->ignore.len,
        .invalid = c->invalid.data,
        .ninvalid = c->invalid.len,
        .edge = c->edge.data,
        .nedges = c->edge.len,
        .accepted = c->accepted.data,
        .naccepted = c->accepted.len,
    };
    return &c->know;
}

size_t config_entries(struct config *c)
{
    return c->entry.len;
}

const char *config_entry(struct config *c, size_t i, bool **used)
{
    const struct entry *e = &c->entry.data[i];
    switch ((enum which)e->list) {
    case PROTOTYPE:
        *used = &c->prototype.data[e->index].used;
        break;
    case NAME:
        *used = &c->name.data[e->index].used;
        break;
    case EQUAL:
        *used = &c->equal.data[e->index].used;
        break;
    case ERROR_FUNCTION:
        *used = &c->error_function.data[e->index].used;
        break;
    case PURE_FUNCTION:
        *used = &c->pure_function.data[e->index].used;
        break;
    case IGNORE:
        *used = &c->ignore.data[e->index].used;
        break;
    case INVALID:
        *used = &c->invalid.data[e->index].used;
        break;
    case EDGE:
        *used = &c->edge.data[e->index].used;
        break;
    case ACCEPTED:
        *used = &c->accepted.data[e->index].used;
        break;
    }
    return e->text;
}

/* ---- reading ---- */

struct reader {
    struct config *c;
    const struct jsonfile *f;
    struct error *err;
};

static struct jsonfile_place member(const json_t *in, const char *key)
{
    return (struct jsonfile_place){.in = in, .key = key};
}

static struct jsonfile_place element(const json_t *in, size_t index)
{
    return (struct jsonfile_place){.in = in, .index = index};
}

static void add_entry(struct config *c, enum which list, size_t len, const char *text)
{
    vec_push(&c->entry, (struct entry){text, (uint8_t)list, (uint32_t)(len - 1)});
}

/* Complains about the first member that is none of the known ones (NULL-terminated). */
static bool only_known(struct reader *r, json_t *object, const char *const *known, const char *where)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            return jsonfile_error(r->f, member(object, key), r->err, "%s has no member '%s'", where, key);
    }
    return true;
}

static bool read_words(struct reader *r, const char *key, word_list *v, enum which which)
{
    json_t *array = json_object_get(r->f->root, key), *e;
    size_t i;
    if (!array)
        return true;
    if (!json_is_array(array))
        return jsonfile_error(r->f, member(r->f->root, key), r->err, "%s: expected a list of names", key);
    json_array_foreach(array, i, e)
    {
        if (!json_is_string(e) || !json_string_length(e))
            return jsonfile_error(r->f, element(array, i), r->err, "%s: expected a quoted name", key);
        struct verify_word word = {.text = arena_strdup(&r->c->arena, json_string_value(e))};
        vec_push(v, word);
        add_entry(r->c, which, v->len, arena_printf(&r->c->arena, "%s: %s", key, word.text));
    }
    return true;
}

static bool read_accepted(struct reader *r)
{
    json_t *array = json_object_get(r->f->root, "accepted"), *e;
    size_t i;
    if (array && !json_is_array(array))
        return jsonfile_error(r->f, member(r->f->root, "accepted"), r->err,
                              "accepted: expected a list of keys");
    json_array_foreach(array, i, e)
    {
        if (!json_is_string(e))
            return jsonfile_error(r->f, element(array, i), r->err, "accepted: expected a quoted key");
        vec_push(&r->c->accepted,
                 (struct verify_word){.text = arena_strdup(&r->c->arena, json_string_value(e))});
        add_entry(r->c, ACCEPTED, r->c->accepted.len,
                  arena_printf(&r->c->arena, "accepted: %s", json_string_value(e)));
    }
    return true;
}

/* Addresses are written as strings, "0x401000", since JSON has no hexadecimal; a number is taken too. */
static bool read_address(const json_t *value, uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    char *end;
    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return *end == 0 && errno == 0;
}

static bool read_truth(struct reader *r, json_t *in, const char *key, int *out)
{
    json_t *value = json_object_get(in, key);
    if (value && !json_is_boolean(value))
        return jsonfile_error(r->f, member(in, key), r->err, "%s: expected true or false", key);
    if (value)
        *out = json_is_true(value);
    return true;
}

static bool read_outputs(struct reader *r, json_t *in, uint32_t *out)
{
    json_t *list = json_object_get(in, "outputs"), *e;
    size_t i;
    if (list && !json_is_array(list))
        return jsonfile_error(r->f, member(in, "outputs"), r->err,
                              "outputs: expected a list of argument numbers, counted from 0");
    json_array_foreach(list, i, e)
    {
        json_int_t n = json_integer_value(e);
        if (!json_is_integer(e) || n < 0 || n >= OUTPUTS_MAX)
            return jsonfile_error(r->f, element(list, i), r->err,
                                  "outputs: expected an argument number from 0 to %d", OUTPUTS_MAX - 1);
        *out |= UINT32_C(1) << n;
    }
    return true;
}

static bool read_prototypes(struct reader *r)
{
    static const char *const known[] = {"arguments", "returns", "variadic", "outputs", NULL};
    json_t *all = json_object_get(r->f->root, "prototypes"), *p;
    const char *name;
    if (all && !json_is_object(all))
        return jsonfile_error(r->f, member(r->f->root, "prototypes"), r->err,
                              "prototypes: expected an object with one member per function");
    json_object_foreach(all, name, p)
    {
        struct verify_prototype q = {.name = arena_strdup(&r->c->arena, name), .nargs = -1, .returns = -1};
        if (!json_is_object(p))
            return jsonfile_error(r->f, member(all, name), r->err,
                                  "%s: expected an object such as {\"arguments\": 2}", name);
        if (!only_known(r, p, known, "a prototype"))
            return false;
        json_t *n = json_object_get(p, "arguments");
        if (n && (!json_is_integer(n) || json_integer_value(n) < 0 || json_integer_value(n) > ARGUMENTS_MAX))
            return jsonfile_error(r->f, member(p, "arguments"), r->err,
                                  "arguments: expected a number from 0 to %d", ARGUMENTS_MAX);
        if (n)
            q.nargs = (int)json_integer_value(n);
        int variadic = 0;
        if (!read_truth(r, p, "returns", &q.returns) || !read_truth(r, p, "variadic", &variadic) ||
            !read_outputs(r, p, &q.outputs))
            return false;
        q.variadic = variadic;
        vec_push(&r->c->prototype, q);
        add_entry(r->c, PROTOTYPE, r->c->prototype.len, arena_printf(&r->c->arena, "prototypes: %s", name));
    }
    return true;
}

static bool read_names(struct reader *r)
{
    static const char *const side[] = {"old", "new", NULL};
    json_t *names = json_object_get(r->f->root, "names"), *e;
    const char *key;
    if (!names)
        return true;
    if (!json_is_object(names))
        return jsonfile_error(r->f, member(r->f->root, "names"), r->err,
                              "names: expected an object with the members old and new");
    if (!only_known(r, names, side, "names"))
        return false;
    for (int i = 0; i < 2; i++) {
        json_t *list = json_object_get(names, side[i]);
        if (list && !json_is_object(list))
            return jsonfile_error(r->f, member(names, side[i]), r->err,
                                  "%s: expected an object such as {\"0x401000\": \"parse\"}", side[i]);
        json_object_foreach(list, key, e)
        {
            struct verify_name n = {.new = i == 1};
            json_t *text = json_string(key);
            bool ok = read_address(text, &n.address);
            json_decref(text);
            if (!ok)
                return jsonfile_error(r->f, member(list, key), r->err, "'%s' is not an address", key);
            if (!json_is_string(e) || !json_string_length(e))
                return jsonfile_error(r->f, member(list, key), r->err, "%s: expected a quoted name", key);
            n.name = arena_strdup(&r->c->arena, json_string_value(e));
            vec_push(&r->c->name, n);
            add_entry(r->c, NAME, r->c->name.len,
                      arena_printf(&r->c->arena, "names: %s in the %s program", key, side[i]));
        }
    }
    return true;
}

static bool read_equal(struct reader *r)
{
    json_t *list = json_object_get(r->f->root, "equal"), *e;
    size_t i;
    if (list && !json_is_array(list))
        return jsonfile_error(r->f, member(r->f->root, "equal"), r->err, "equal: expected a list of pairs");
    json_array_foreach(list, i, e)
    {
        const char *old = json_string_value(json_array_get(e, 0)),
                   *new = json_string_value(json_array_get(e, 1));
        if (json_array_size(e) != 2 || !old || !new)
            return jsonfile_error(r->f, element(list, i), r->err,
                                  "equal: expected a pair of functions, [\"OLD\", \"NEW\"]");
        vec_push(&r->c->equal, (struct verify_equal){.old = arena_strdup(&r->c->arena, old),
                                                     .new = arena_strdup(&r->c->arena, new)});
        add_entry(r->c, EQUAL, r->c->equal.len, arena_printf(&r->c->arena, "equal: %s and %s", old, new));
    }
    return true;
}

static bool read_invalid(struct reader *r)
{
    static const char *const known[] = {"function", "value", NULL};
    json_t *list = json_object_get(r->f->root, "invalid_values"), *e;
    size_t i;
    if (list && !json_is_array(list))
        return jsonfile_error(r->f, member(r->f->root, "invalid_values"), r->err,
                              "invalid_values: expected a list");
    json_array_foreach(list, i, e)
    {
        struct verify_value v = {0};
        json_t *value = json_is_object(e) ? json_object_get(e, "value") : e,
               *function = json_object_get(e, "function");
        if (json_is_object(e) && !only_known(r, e, known, "an invalid value"))
            return false;
        if (!json_is_integer(value) || (function && !json_is_string(function)))
            return jsonfile_error(
                r->f, element(list, i), r->err,
                "invalid_values: expected a number or {\"function\": \"NAME\", \"value\": NUMBER}");
        v.value = json_integer_value(value);
        if (function)
            v.function = arena_strdup(&r->c->arena, json_string_value(function));
        vec_push(&r->c->invalid, v);
        add_entry(r->c, INVALID, r->c->invalid.len,
                  arena_printf(&r->c->arena, "invalid_values: %" PRId64 "%s%s", v.value,
                               v.function ? " of " : "", v.function ? v.function : ""));
    }
    return true;
}

static bool read_edges(struct reader *r)
{
    static const char *const known[] = {"side", "from", "to", NULL};
    json_t *list = json_object_get(r->f->root, "exit_edges"), *e;
    size_t i;
    if (list && !json_is_array(list))
        return jsonfile_error(r->f, member(r->f->root, "exit_edges"), r->err, "exit_edges: expected a list");
    json_array_foreach(list, i, e)
    {
        struct verify_edge v = {0};
        const char *side = json_string_value(json_object_get(e, "side"));
        if (json_is_object(e) && !only_known(r, e, known, "an exit edge"))
            return false;
        if (!side || (strcmp(side, "old") != 0 && strcmp(side, "new") != 0) ||
            !read_address(json_object_get(e, "from"), &v.from) ||
            !read_address(json_object_get(e, "to"), &v.to))
            return jsonfile_error(
                r->f, element(list, i), r->err,
                "exit_edges: expected {\"side\": \"old\" or \"new\", \"from\": \"0xADDRESS\", \"to\": "
                "\"0xADDRESS\"}");
        v.new = strcmp(side, "new") == 0;
        vec_push(&r->c->edge, v);
        add_entry(r->c, EDGE, r->c->edge.len,
                  arena_printf(&r->c->arena, "exit_edges: 0x%" PRIx64 " to 0x%" PRIx64 " in the %s program",
                               v.from, v.to, side));
    }
    return true;
}

bool config_read(struct config *c, const char *path, struct error *err)
{
    static const char *const known[] = {"schema",          "prototypes",     "names",  "equal",
                                        "error_functions", "pure_functions", "ignore", "invalid_values",
                                        "exit_edges",      "accepted",       NULL};
    struct jsonfile f;
    if (!jsonfile_read(&f, path, err))
        return false;
    struct reader r = {c, &f, err};
    bool ok = only_known(&r, f.root, known, "the configuration") && read_prototypes(&r) && read_names(&r) &&
              read_equal(&r) && read_words(&r, "error_functions", &c->error_function, ERROR_FUNCTION) &&
              read_words(&r, "pure_functions", &c->pure_function, PURE_FUNCTION) &&
              read_words(&r, "ignore", &c->ignore, IGNORE) && read_invalid(&r) && read_edges(&r) &&
              read_accepted(&r);
    jsonfile_free(&f);
    return ok;
}

/* ---- what was recovered ---- */

struct imports {
    const struct verify_import *import;
    size_t n;
};

static json_t *recover_import(const struct imports *all, const char *name)
{
    json_t *j = json_object();
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->import[i].name, name) == 0 && all->import[i].takes.nargs <= ARGUMENTS_MAX)
            json_object_set_new(j, "arguments", json_integer(all->import[i].takes.nargs));
    return j;
}

static void recover_callee(struct program *p, const struct flow_call *call, const struct imports *imports,
                           json_t *prototypes, json_t *errors)
{
    const struct flow_function *f = call->target ? program_function_at(p, call->target) : NULL;
    const char *name = call->name ? call->name : f ? f->name : NULL;
    struct flow_prototype proto = {.nargs = -1};
    if (!name || json_object_get(prototypes, name))
        return;
    if (!flow_library_prototype(p, name, &proto) && !flow_declared_prototype(p, call->site, name, &proto) &&
        f)
        proto = flow_prototype(p, f);
    if (proto.source == PROTO_NONE && !call->noreturn) { /* to be filled in, where no library told */
        json_object_set_new(prototypes, name, recover_import(imports, name));
        return;
    }
    if (proto.noreturn || call->noreturn) {
        json_t *e;
        size_t i;
        json_array_foreach(errors, i, e) if (strcmp(json_string_value(e), name) == 0) return;
        json_t *text = json_string(name);
        if (text)
            json_array_append_new(errors, text);
        return;
    }
    json_t *j = json_object();
    if (proto.nargs >= 0 && proto.nargs <= ARGUMENTS_MAX)
        json_object_set_new(j, "arguments", json_integer(proto.nargs));
    json_object_set_new(j, "returns", json_boolean(proto.returns || proto.returns_float));
    if (proto.variadic)
        json_object_set_new(j, "variadic", json_true());
    json_object_set_new(prototypes, name, j);
}

json_t *config_recovered(struct program *old, struct program *new, const struct match_pair *const *pair,
                         size_t n, const struct verify_import *import, size_t nimports)
{
    struct program *p[2] = {old, new};
    struct imports imports = {import, nimports};
    json_t *prototypes = json_object(), *errors = json_array(), *names[2] = {json_object(), json_object()};
    for (size_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t index = side ? pair[i]->new : pair[i]->old;
            const struct flow_function *f;
            if (index == MATCH_NONE || index >= program_functions(p[side], &f))
                continue;
            f += index;
            char address[24];
            snprintf(address, sizeof address, "0x%" PRIx64,
                     object_display_address(program_object(p[side]), f->address));
            if (!f->named)
                json_object_set_new(names[side], address, json_string(f->name));
            const struct flow_graph *g = flow_graph(p[side], f);
            for (uint32_t k = 0; k < g->ncalls; k++)
                recover_callee(p[side], &g->call[k], &imports, prototypes, errors);
        }
    return json_pack("{s:s, s:o, s:{s:o, s:o}, s:[], s:o, s:[], s:[], s:[], s:[]}", "schema",
                     "assay/verify-config/1", "prototypes", prototypes, "names", "old", names[0], "new",
                     names[1], "equal", "error_functions", errors, "pure_functions", "ignore",
                     "invalid_values", "exit_edges");
}

void config_join(json_t *into, json_t *more)
{
    const char *key;
    json_t *value;
    size_t i, k;
    json_object_foreach(more, key, value)
    {
        json_t *have = json_object_get(into, key), *e, *f;
        if (!have) {
            json_object_set(into, key, value);
        } else if (json_is_object(have) && json_is_object(value)) {
            config_join(have, value);
        } else if (json_is_array(have) && json_is_array(value)) {
            json_array_foreach(value, i, e)
            {
                bool there = false;
                json_array_foreach(have, k, f) there = there || json_equal(e, f);
                if (!there)
                    json_array_append(have, e);
            }
        }
    }
}

bool config_write(const char *path, const json_t *configuration, struct error *err)
{
    return jsonfile_write(path, configuration, err);
}

/* ---- answers ---- */

static const char *const answer_word[] = {"", "yes", "no"};

static void refresh_accepted(struct config *c, const char *key, enum config_answer answer)
{
    for (size_t i = 0; i < c->accepted.len; i++)
        if (strcmp(c->accepted.data[i].text, key) == 0) {
            if (answer != ANSWER_YES) /* its place stays: entries know it by number */
                c->accepted.data[i].text = "";
            return;
        }
    if (answer == ANSWER_YES)
        vec_push(&c->accepted, (struct verify_word){.text = arena_strdup(&c->arena, key)});
}

void config_set_answer(struct config *c, const char *key, enum config_answer answer, json_t *about)
{
    uint64_t at = strmap_find(&c->by_key, key, 0);
    json_t *j = at ? json_array_get(c->answers, at - 1) : json_object();
    if (about)
        json_object_update(j, about);
    json_object_set_new(j, "key", json_string(key));
    json_object_set_new(j, "answer", json_string(answer_word[answer]));
    if (!at) {
        json_array_append_new(c->answers, j);
        strmap_set(&c->by_key, arena_strdup(&c->arena, key), json_array_size(c->answers));
    }
    refresh_accepted(c, key, answer);
}

enum config_answer config_answer(const struct config *c, const char *key)
{
    uint64_t at = strmap_find(&c->by_key, key, 0);
    const char *word =
        at ? json_string_value(json_object_get(json_array_get(c->answers, at - 1), "answer")) : "";
    return strcmp(word, "yes") == 0 ? ANSWER_YES : strcmp(word, "no") == 0 ? ANSWER_NO : ANSWER_NONE;
}

static bool read_answer(struct reader *r, json_t *list, size_t i, json_t *e)
{
    const char *key = json_string_value(json_object_get(e, "key")),
               *word = json_string_value(json_object_get(e, "answer"));
    if (!key)
        return jsonfile_error(r->f, element(list, i), r->err, "an answer needs the member \"key\", a string");
    for (int a = ANSWER_NONE; word && a <= ANSWER_NO; a++)
        if (strcmp(word, answer_word[a]) == 0) {
            config_set_answer(r->c, key, (enum config_answer)a, e);
            return true;
        }
    struct jsonfile_place at = json_object_get(e, "answer") ? member(e, "answer") : element(list, i);
    return jsonfile_error(r->f, at, r->err, "answer: expected \"yes\", \"no\" or \"\"");
}

bool config_read_answers(struct config *c, const char *path, bool may_be_new, struct error *err)
{
    FILE *there = may_be_new ? fopen(path, "r") : NULL;
    if (may_be_new && !there && errno == ENOENT)
        return true;
    if (there)
        fclose(there);
    struct jsonfile f;
    if (!jsonfile_read(&f, path, err))
        return false;
    struct reader r = {c, &f, err};
    json_t *list = json_object_get(f.root, "answers"), *e;
    size_t i;
    bool ok = json_is_array(list);
    if (!ok)
        jsonfile_error(&f, member(f.root, "answers"), err, "expected the member \"answers\", a list");
    json_array_foreach(list, i, e) ok = ok && read_answer(&r, list, i, e);
    jsonfile_free(&f);
    return ok;
}

static bool write_list(const char *path, json_t *list, struct error *err)
{
    json_t *all = json_pack("{s:s, s:o}", "schema", "assay/answers/1", "answers", list);
    bool ok = jsonfile_write(path, all, err);
    json_decref(all);
    return ok;
}

bool config_write_answers(const struct config *c, const char *path, struct error *err)
{
    return write_list(path, json_incref(c->answers), err);
}

bool config_write_questions(const char *path, json_t *questions, struct error *err)
{
    return write_list(path, questions, err);
}
