/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/assay.h"
#include "base/alloc.h"

enum { REPORT_SCHEMA = 1, REPORT_INDENT = 2 };

struct report {
    json_t *doc;
};

struct report *report_new(const char *kind)
{
    struct report *r = xcalloc(1, sizeof *r);
    char schema[64];
    snprintf(schema, sizeof schema, "assay/%s/%d", kind, REPORT_SCHEMA);
    r->doc =
        json_pack("{s:s, s:{s:s, s:s}}", "schema", schema, "tool", "name", "assay", "version", ASSAY_VERSION);
    if (!r->doc)
        alloc_exhausted(sizeof schema);
    return r;
}

void report_free(struct report *r)
{
    if (!r)
        return;
    json_decref(r->doc);
    free(r);
}

json_t *report_document(struct report *r)
{
    return r->doc;
}

/* The object a place's last component belongs to; NULL when the path leads nowhere. */
static json_t *holder(struct report *r, const char *place, const char **last)
{
    json_t *at = r->doc;
    const char *dot;
    while ((dot = strchr(place, '.'))) {
        char name[64];
        size_t n = (size_t)(dot - place);
        if (n == 0 || n >= sizeof name)
            return NULL;
        memcpy(name, place, n);
        name[n] = 0;
        at = json_object_get(at, name);
        if (json_is_array(at))
            at = json_array_get(at, json_array_size(at) - 1);
        if (!json_is_object(at))
            return NULL;
        place = dot + 1;
    }
    *last = place;
    return at;
}

bool report_add(struct report *r, const char *place, json_t *value)
{
    if (!value)
        alloc_exhausted(0);
    const char *last;
    json_t *at = holder(r, place, &last);
    size_t n = at ? strlen(last) : 0;
    if (n > 2 && strcmp(last + n - 2, "[]") == 0) {
        char name[64];
        if (n - 2 < sizeof name) {
            memcpy(name, last, n - 2);
            name[n - 2] = 0;
            json_t *list = json_object_get(at, name);
            if (!list) {
                list = json_array();
                json_object_set_new(at, name, list);
            }
            if (json_is_array(list))
                return json_array_append_new(list, value) == 0;
        }
    } else if (n > 0) {
        return json_object_set_new(at, last, value) == 0;
    }
    json_decref(value);
    return false;
}

static bool sink_add(void *ctx, const char *place, json_t *value)
{
    bool fits = report_add(ctx, place, value);
    assert(fits);
    return fits;
}

struct report_sink report_sink(struct report *r)
{
    return (struct report_sink){.put = sink_add, .ctx = r};
}

static int dump_to_buf(const char *bytes, size_t n, void *ctx)
{
    buf_put(ctx, bytes, n);
    return 0;
}

void report_line(struct buf *out, const char *place, json_t *value)
{
    buf_puts(out, place);
    buf_putc(out, ' ');
    json_dump_callback(value, dump_to_buf, out, JSON_COMPACT | JSON_ENCODE_ANY);
    buf_putc(out, '\n');
    json_decref(value);
}

/* A record from its line; NULL when it is none. */
static json_t *read_line(const char *line, size_t n, char *place, size_t cap)
{
    const char *space = memchr(line, ' ', n);
    if (!space || (size_t)(space - line) >= cap)
        return NULL;
    memcpy(place, line, (size_t)(space - line));
    place[space - line] = 0;
    return json_loadb(space + 1, n - (size_t)(space + 1 - line), JSON_DECODE_ANY, NULL);
}

bool report_add_line(struct report *r, const char *line, size_t n)
{
    char place[128];
    json_t *value = read_line(line, n, place, sizeof place);
    return value && report_add(r, place, value);
}

size_t report_read_lines(const char *text, size_t n, report_sink_fn *fn, void *ctx)
{
    size_t records = 0;
    for (const char *end = text + n, *nl; text < end && (nl = memchr(text, '\n', (size_t)(end - text)));
         text = nl + 1) {
        char place[128];
        json_t *value = read_line(text, (size_t)(nl - text), place, sizeof place);
        if (!value)
            continue;
        records++;
        if (!fn(ctx, place, value))
            break;
    }
    return records;
}

void report_cut(struct report *r, const struct ask_end *end)
{
    if (end->outcome == WORK_DONE)
        return;
    report_add(r, "complete", json_false());
    report_add(r, "reason", report_string(end->reason));
}

json_t *report_string(const char *s)
{
    if (!s)
        return json_null();
    struct buf b = BUF_INIT;
    buf_put_printable(&b, s);
    json_t *j = json_stringn(buf_text(&b), b.len);
    buf_free(&b);
    if (!j)
        alloc_exhausted(b.len);
    return j;
}

json_t *report_address(uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

json_t *report_place(const struct program *p, uint64_t address)
{
    return report_address(object_shown(program_object(p), address));
}

void report_json(const struct report *r, struct buf *out)
{
    json_dump_callback(r->doc, dump_to_buf, out, JSON_INDENT(REPORT_INDENT) | JSON_SORT_KEYS);
    buf_putc(out, '\n');
}

bool report_complete(const struct report *r)
{
    if (json_is_false(json_object_get(r->doc, "complete")))
        return false;
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(r->doc, "explored"), i,
                       e) if (!json_is_true(json_object_get(e, "complete"))) return false;
    return true;
}
