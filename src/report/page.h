/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What renderers share: members of the document, and words on a page. A document may lack any member: its
 * worker may have ended early. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "report/readable.h"

struct page {
    struct buf *out;
    bool color;
    bool all; /* nothing is left out to be brief */
    json_t *doc;
};

enum ink { INK_BOLD = 1, INK_DIM = 2, INK_RED = 31, INK_GREEN = 32, INK_YELLOW = 33, INK_CYAN = 36 };

/* A text, "" when there is none; a number, or 0. */
static inline const char *str(const json_t *j, const char *name)
{
    const char *s = json_string_value(json_object_get(j, name));
    return s ? s : "";
}

static inline json_int_t num(const json_t *j, const char *name)
{
    return json_integer_value(json_object_get(j, name));
}

/* Whether there is a text; whether there is a true. */
static inline bool has(const json_t *j, const char *name)
{
    return json_is_string(json_object_get(j, name));
}

static inline bool is_true(const json_t *j, const char *name)
{
    return json_is_true(json_object_get(j, name));
}

static inline const char *plural(json_int_t n)
{
    return n == 1 ? "" : "s";
}

/* A list of texts. */
static inline void join(struct buf *out, const char *between, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        buf_printf(out, "%s%s", i ? between : "", s ? s : "");
    }
}

/* Only one file, and it is no member of a package: those have a path there. */
static inline bool is_single(const json_t *files)
{
    const json_t *f = json_array_get(files, 0);
    return json_array_size(files) == 1 && !*str(json_object_get(f, "old"), "path") &&
           !*str(json_object_get(f, "new"), "path");
}

/* What a name of C++ or Rust stands for, after it. */
static inline void put_readable(struct buf *out, const char *name)
{
    struct buf b = BUF_INIT;
    if (readable_name(&b, name))
        buf_printf(out, " (%s)", buf_text(&b));
    buf_free(&b);
}

static inline void ink(const struct page *p, enum ink i, const char *text)
{
    if (p->color)
        buf_printf(p->out, "\033[%dm%s\033[0m", i, text);
    else
        buf_puts(p->out, text);
}

/* Counters, one a line. */
static inline void put_counters(struct buf *out, json_t *counters)
{
    const char *name;
    json_t *n;
    json_object_foreach(counters, name, n)
    {
        struct buf label = BUF_INIT;
        for (const char *c = name; *c; c++)
            buf_putc(&label, *c == '_' ? ' ' : *c);
        buf_printf(out, "  %-24s %lld\n", buf_text(&label), (long long)json_integer_value(n));
        buf_free(&label);
    }
}

#endif
