/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "flow/builtin.h"

struct flow_library {
    struct arena arena;
    struct strmap by_name; /* index into entry */
    VEC(struct flow_library_entry) entry;
};

static const char *const attr_word[] = {
#define ATTR_WORD(id, word) word,
    LIBRARY_ATTRS(ATTR_WORD)
#undef ATTR_WORD
};

static const char *const like_word[] = {
#define LIKE_WORD(id, word) word,
    LIBRARY_LIKES(LIKE_WORD)
#undef LIKE_WORD
};

/* A place in the text, for messages. */
struct place {
    const char *name;
    unsigned line;
};

static bool parse_signature(struct flow_library_entry *e, const char *s, const struct place *at,
                            struct error *err)
{
    e->result = s[0];
    if (!s[0] || !strchr("vilqpwfdD", s[0]) || s[1] != '(')
        return error_set(err, ERROR_INPUT, "%s:%u: \"%s\" is not RESULT(ARGUMENTS)", at->name, at->line, s);
    const char *c = s + 2;
    for (; *c && *c != ')' && *c != '.'; c++) {
        if (!strchr("ilqpwcfdD", *c))
            return error_set(err, ERROR_INPUT, "%s:%u: '%c' is not an argument type", at->name, at->line, *c);
        if (e->nparams == LIBRARY_MAX_ARGS)
            return error_set(err, ERROR_INPUT, "%s:%u: more than %d arguments", at->name, at->line,
                             LIBRARY_MAX_ARGS);
        if (strchr("fdD", *c))
            e->nfargs++;
        else
            e->nargs++;
        if (*c == 'p' || *c == 'w')
            e->pointers |= 1u << e->nparams;
        if (*c == 'w')
            e->written |= 1u << e->nparams;
        e->arg[e->nparams++] = *c;
    }
    if (strncmp(c, "...", 3) == 0) {
        e->variadic = true;
        c += 3;
    }
    if (strcmp(c, ")") != 0)
        return error_set(err, ERROR_INPUT, "%s:%u: \"%s\" does not end with a single ')'", at->name, at->line,
                         s);
    e->returns_float = strchr("fdD", e->result) != NULL;
    e->returns = e->result != 'v';
    return true;
}

/* Reads an argument number and leaves *s past it. */
static bool parse_argument_number(const struct flow_library_entry *e, const char **s, int *out)
{
    char *end;
    unsigned long n = strtoul(*s, &end, 10);
    if (end == *s || n >= e->nparams)
        return false;
    *s = end;
    *out = (int)n;
    return true;
}

/* LEAST..MOST, or LEAST.. for all from there on. */
static bool parse_range(struct flow_library_entry *e, const char *s)
{
    char *end;
    e->least = strtoll(s, &end, 10);
    if (end == s || strncmp(end, "..", 2) != 0 || e->least < INT32_MIN || e->least > 0)
        return false;
    s = end + 2;
    if (!*s)
        return true;
    e->most = strtoll(s, &end, 10);
    return end != s && !*end && e->most >= 0 && e->most <= INT32_MAX;
}

/* Registers hold integers one after the other only where none is wider than they are. */
static bool parse_upto(struct flow_library_entry *e, const char *s)
{
    if (!parse_argument_number(e, &s, &e->upto) || *s || !strchr("il", e->arg[e->upto]))
        return false;
    for (int i = 0; i < e->upto; i++)
        if (!strchr("ilpwc", e->arg[i]))
            return false;
    return true;
}

static bool parse_word(struct flow_library_entry *e, const char *w, const struct place *at, struct error *err)
{
    for (unsigned i = 0; i < sizeof attr_word / sizeof *attr_word; i++) {
        if (strcmp(w, attr_word[i]) == 0) {
            e->attrs |= 1u << i;
            return true;
        }
    }
    const char *v = strchr(w, '=');
    v = v ? v + 1 : "";
    if (strncmp(w, "like=", 5) == 0) {
        for (unsigned i = 1; i < LIKE_COUNT_; i++) {
            if (strcmp(v, like_word[i]) == 0) {
                e->like = (enum library_like)i;
                return true;
            }
        }
    } else if (strncmp(w, "bytes=", 6) == 0) {
        if (parse_argument_number(e, &v, &e->bytes) &&
            (*v == '\0' || (*v++ == '*' && parse_argument_number(e, &v, &e->times) && *v == '\0')))
            return true;
    } else if (strncmp(w, "returns=", 8) == 0) {
        if (parse_argument_number(e, &v, &e->returns_arg) && *v == '\0')
            return true;
    } else if (strncmp(w, "range=", 6) == 0) {
        if (strchr("ilq", e->result) && parse_range(e, v))
            return true;
    } else if (strncmp(w, "upto=", 5) == 0) {
        if (strchr("il", e->result) && parse_upto(e, v))
            return true;
    } else if (strncmp(w, "by=", 3) == 0 && *v) {
        e->by = v; /* the line stays in the arena */
        return true;
    }
    return error_set(err, ERROR_INPUT, "%s:%u: unknown word \"%s\"", at->name, at->line, w);
}

static bool parse_line(struct flow_library *l, char *line, const struct place *at, struct error *err)
{
    char *save = NULL;
    char *names = strtok_r(line, " \t\r", &save);
    if (!names || names[0] == '#')
        return true;
    char *signature = strtok_r(NULL, " \t\r", &save);
    if (!signature)
        return error_set(err, ERROR_INPUT, "%s:%u: RESULT(ARGUMENTS) is missing after \"%s\"", at->name,
                         at->line, names);
    struct flow_library_entry e = {
        .bytes = -1, .times = -1, .returns_arg = -1, .least = INT64_MIN, .most = INT64_MAX, .upto = -1};
    if (!parse_signature(&e, signature, at, err))
        return false;
    for (char *w; (w = strtok_r(NULL, " \t\r", &save));) {
        if (!parse_word(&e, w, at, err))
            return false;
    }
    if (e.attrs & LIBRARY_NULL && e.returns_arg < 0)
        return error_set(err, ERROR_INPUT, "%s:%u: \"null\" needs \"returns=N\"", at->name, at->line);
    if (e.attrs & LIBRARY_MAKES && !(e.attrs & LIBRARY_NULL))
        return error_set(err, ERROR_INPUT, "%s:%u: \"makes\" needs \"null\"", at->name, at->line);
    e.noreturn = (e.attrs & LIBRARY_NORETURN) != 0;
    char *name_save = NULL;
    for (char *n = strtok_r(names, ",", &name_save); n; n = strtok_r(NULL, ",", &name_save)) {
        if (strmap_get(&l->by_name, n, NULL))
            return error_set(err, ERROR_INPUT, "%s:%u: \"%s\" is listed twice", at->name, at->line, n);
        e.name = arena_strdup(&l->arena, n);
        strmap_set(&l->by_name, e.name, l->entry.len);
        vec_push(&l->entry, e);
    }
    return true;
}

static struct flow_library *library_new(void)
{
    return xcalloc(1, sizeof(struct flow_library));
}

struct flow_library *flow_library_parse(const char *name, const char *text, size_t len, struct error *err)
{
    struct flow_library *l = library_new();
    struct place at = {name, 0};
    for (size_t i = 0; i < len;) {
        const char *eol = memchr(text + i, '\n', len - i);
        size_t n = eol ? (size_t)(eol - (text + i)) : len - i;
        at.line++;
        char *line = arena_strndup(&l->arena, text + i, n);
        if (!parse_line(l, line, &at, err)) {
            flow_library_free(l);
            return NULL;
        }
        i += n + 1;
    }
    return l;
}

static struct flow_library *library_builtin(struct error *err)
{
    struct flow_library *l = library_new();
    struct place at = {"built-in prototypes.txt", 0};
    for (size_t i = 0; i < flow_builtin_prototypes_lines; i++) {
        at.line++;
        if (!parse_line(l, arena_strdup(&l->arena, flow_builtin_prototypes[i]), &at, err)) {
            flow_library_free(l);
            return NULL;
        }
    }
    return l;
}

struct flow_library *flow_library_open(const char *dir, struct error *err)
{
    if (!dir)
        return library_builtin(err);
    struct arena scratch = ARENA_INIT;
    const char *path = arena_printf(&scratch, "%s/prototypes.txt", dir);
    struct flow_library *l = NULL;
    FILE *f = fopen(path, "re");
    if (!f) {
        error_set(err, ERROR_INPUT, "%s: %s; without a data directory the built-in table is used", path,
                  strerror(errno));
    } else {
        VEC(char) text = VEC_INIT;
        size_t n;
        do {
            vec_reserve(&text, text.len + 65536);
            n = fread(text.data + text.len, 1, 65536, f);
            text.len += n;
        } while (n > 0);
        if (ferror(f))
            error_set(err, ERROR_INPUT, "%s: cannot read", path);
        else
            l = flow_library_parse(path, text.data, text.len, err);
        vec_free(&text);
        fclose(f);
    }
    arena_free(&scratch);
    return l;
}

void flow_library_free(struct flow_library *l)
{
    if (!l)
        return;
    strmap_free(&l->by_name);
    vec_free(&l->entry);
    arena_free(&l->arena);
    free(l);
}

size_t flow_library_count(const struct flow_library *l)
{
    return l->entry.len;
}

const struct flow_library_entry *flow_library_find(const struct flow_library *l, const char *name)
{
    char plain[256];
    const char *at = strchr(name, '@');
    if (at) {
        size_t n = (size_t)(at - name);
        if (n >= sizeof plain)
            return NULL;
        memcpy(plain, name, n);
        plain[n] = '\0';
        name = plain;
    }
    uint64_t i;
    return strmap_get(&l->by_name, name, &i) ? &l->entry.data[i] : NULL;
}

uint64_t flow_library_look(enum library_like like, uint64_t at, const char *in, const char *set)
{
    if (like == LIKE_STRSPN)
        return strspn(in, set);
    if (like == LIKE_STRCSPN)
        return strcspn(in, set);
    const char *found = like == LIKE_STRSTR ? strstr(in, set) : strpbrk(in, set);
    return found ? at + (uint64_t)(found - in) : 0;
}
