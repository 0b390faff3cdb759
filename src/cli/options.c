/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/distance.h"
#include "base/vec.h"

/* ---- nearest word ---- */

const char *nearest_word(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    unsigned best_distance = (unsigned)strlen(word) / 3 + 2; /* further away than this it is another word */
    for (size_t i = 0; i < n; i++) {
        unsigned k = edit_distance(word, words[i], best_distance);
        size_t len = strlen(word);
        if (len >= 2 && strncmp(word, words[i], len) == 0)
            k = 1; /* a beginning is a good guess however much is missing */
        if (k < best_distance) {
            best = words[i];
            best_distance = k;
        }
    }
    return best;
}

/* ---- values ---- */

static bool read_number(const char *text, const char *const *suffix, const uint64_t *factor, size_t nsuffix,
                        uint64_t plain, uint64_t *out)
{
    if (!isdigit((unsigned char)*text))
        return false;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno)
        return false;
    uint64_t by = plain;
    if (*end) {
        size_t i = 0;
        while (i < nsuffix && strcmp(end, suffix[i]) != 0)
            i++;
        if (i == nsuffix)
            return false;
        by = factor[i];
    }
    return !__builtin_mul_overflow((uint64_t)n, by, out);
}

static bool read_size(const char *text, uint64_t *out)
{
    static const char *const suffix[] = {"K", "M", "G", "KiB", "MiB", "GiB"};
    static const uint64_t factor[] = {1u << 10, 1u << 20, 1u << 30, 1u << 10, 1u << 20, 1u << 30};
    return read_number(text, suffix, factor, 6, 1u << 20, out);
}

static bool read_time(const char *text, uint64_t *out)
{
    static const char *const suffix[] = {"ms", "s", "m", "h"};
    static const uint64_t factor[] = {1, 1000, 60000, 3600000};
    return read_number(text, suffix, factor, 4, 1000, out);
}

static bool read_choice(const char *words, const char *text, unsigned *out)
{
    unsigned i = 0;
    size_t len = strlen(text);
    for (const char *w = words;; i++) {
        size_t n = strcspn(w, "|");
        if (n == len && strncmp(w, text, n) == 0) {
            *out = i;
            return true;
        }
        if (!w[n])
            return false;
        w += n + 1;
    }
}

static bool set_value(const struct option *o, const char *text, void *out, struct error *err)
{
    void *at = (char *)out + o->at;
    uint64_t n = 0;
    switch ((enum option_kind)o->kind) {
    case OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case OPTION_SET:
        *(unsigned *)at = (unsigned)o->min;
        return true;
    case OPTION_TEXT:
        *(const char **)at = text;
        return true;
    case OPTION_LIST: {
        struct option_list *l = at;
        l->item = xreallocarray(l->item, l->n + 2, sizeof *l->item);
        l->item[l->n++] = text;
        l->item[l->n] = NULL;
        return true;
    }
    case OPTION_CHOICE:
        if (!read_choice(o->value, text, at))
            return error_set(err, ERROR_USAGE, "--%s: '%s' is not one of %s", o->name, text, o->value);
        return true;
    case OPTION_NUMBER:
        if (!read_number(text, NULL, NULL, 0, 1, &n))
            return error_set(err, ERROR_USAGE, "--%s: '%s' is not a number", o->name, text);
        break;
    case OPTION_SIZE:
        if (!read_size(text, &n))
            return error_set(err, ERROR_USAGE, "--%s: '%s' is not a size; write 512M or 2G", o->name, text);
        break;
    case OPTION_TIME:
        if (!read_time(text, &n))
            return error_set(err, ERROR_USAGE, "--%s: '%s' is not a time; write 500ms, 30s, 5m or 1h",
                             o->name, text);
        break;
    }
    if (o->kind == OPTION_NUMBER && (n < o->min || (o->max && n > o->max)))
        return error_set(err, ERROR_USAGE, "--%s: %llu is out of range; the range is %llu to %llu", o->name,
                         (unsigned long long)n, (unsigned long long)o->min, (unsigned long long)o->max);
    if (o->kind != OPTION_NUMBER && o->max && n > o->max)
        return error_set(err, ERROR_USAGE, "--%s: %s is too large", o->name, text);
    *(uint64_t *)at = n;
    return true;
}

/* ---- tables ---- */

void options_init(const struct option_table *table, size_t ntables, void *out)
{
    for (size_t t = 0; t < ntables; t++)
        for (size_t i = 0; i < table[t].count; i++) {
            const struct option *o = &table[t].option[i];
            if (o->initial && o->kind != OPTION_FLAG && o->kind != OPTION_SET && o->kind != OPTION_LIST)
                set_value(o, o->initial, out, NULL);
        }
}

void options_free(const struct option_table *table, size_t ntables, void *out)
{
    for (size_t t = 0; t < ntables; t++)
        for (size_t i = 0; i < table[t].count; i++)
            if (table[t].option[i].kind == OPTION_LIST)
                free(((struct option_list *)((char *)out + table[t].option[i].at))->item);
}

static const struct option *find_option(const struct option_table *table, size_t ntables, const char *name,
                                        size_t n, char letter)
{
    for (size_t t = 0; t < ntables; t++)
        for (size_t i = 0; i < table[t].count; i++) {
            const struct option *o = &table[t].option[i];
            if (letter ? o->letter == letter : strlen(o->name) == n && strncmp(o->name, name, n) == 0)
                return o;
        }
    return NULL;
}

static bool unknown_option(const struct option_table *table, size_t ntables, const char *arg,
                           struct error *err)
{
    VEC(const char *) names = VEC_INIT;
    for (size_t t = 0; t < ntables; t++)
        for (size_t i = 0; i < table[t].count; i++)
            vec_push(&names, table[t].option[i].name);
    char word[64];
    size_t n = strcspn(arg, "=");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), arg);
    const char *near = strncmp(word, "--", 2) == 0 ? nearest_word(word + 2, names.data, names.len) : NULL;
    vec_free(&names);
    if (near)
        return error_set(err, ERROR_USAGE, "unknown option '%s'; did you mean '--%s'?", word, near);
    return error_set(err, ERROR_USAGE, "unknown option '%s'", word);
}

bool option_takes_value(const struct option *o)
{
    return o->kind != OPTION_FLAG && o->kind != OPTION_SET;
}

bool options_parse(const struct option_table *table, size_t ntables, int argc, char **argv, int *nargs,
                   void *out, struct error *err)
{
    *nargs = 0;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        if (strcmp(arg, "--") == 0) {
            while (++i < argc)
                argv[(*nargs)++] = argv[i];
            break;
        }
        if (arg[0] != '-' || !arg[1]) {
            argv[(*nargs)++] = arg;
            continue;
        }
        const struct option *o;
        const char *value = NULL;
        if (arg[1] == '-') {
            size_t n = strcspn(arg + 2, "=");
            o = find_option(table, ntables, arg + 2, n, 0);
            if (arg[2 + n])
                value = arg + 2 + n + 1;
            if (o && value && !option_takes_value(o))
                return error_set(err, ERROR_USAGE, "--%s takes no value", o->name);
        } else {
            o = find_option(table, ntables, NULL, 0, arg[1]);
            if (o && arg[2] && option_takes_value(o))
                value = arg + 2;
            else if (arg[2])
                o = NULL;
        }
        if (!o)
            return unknown_option(table, ntables, arg, err);
        if (option_takes_value(o) && !value) {
            if (i + 1 >= argc)
                return error_set(err, ERROR_USAGE, "--%s needs a value: %s", o->name, o->value);
            value = argv[++i];
        }
        if (!set_value(o, value, out, err))
            return false;
    }
    return true;
}

bool options_have(const struct option_table *table, const char *name)
{
    return find_option(table, 1, name, strlen(name), 0) != NULL;
}

void options_help(const struct option_table *table, struct buf *out)
{
    enum { COLUMN = 28 };
    for (size_t i = 0; i < table->count; i++) {
        const struct option *o = &table->option[i];
        size_t start = out->len;
        if (o->letter)
            buf_printf(out, "  -%c, --%s", o->letter, o->name);
        else
            buf_printf(out, "      --%s", o->name);
        if (option_takes_value(o))
            buf_printf(out, "=%s", o->value);
        if (out->len - start + 2 > COLUMN)
            buf_printf(out, "\n%*s", COLUMN, "");
        else
            buf_printf(out, "%*s", (int)(COLUMN - (out->len - start)), "");
        buf_puts(out, o->help);
        if (o->initial)
            buf_printf(out, " (default %s)", o->initial);
        buf_putc(out, '\n');
    }
}
