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

void report_add(struct report *r, const char *place, json_t *value)
{
    size_t n = strlen(place);
    if (!value)
        alloc_exhausted(0);
    if (n < 2 || strcmp(place + n - 2, "[]") != 0) {
        json_object_set_new(r->doc, place, value);
        return;
    }
    json_t *list = json_object_getn(r->doc, place, n - 2);
    if (!list) {
        list = json_array();
        json_object_setn_new(r->doc, place, n - 2, list);
    }
    assert(json_is_array(list));
    json_array_append_new(list, value);
}

static int dump_to_buf(const char *bytes, size_t n, void *ctx)
{
    buf_put(ctx, bytes, n);
    return 0;
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

json_t *report_strings(const char *const *text, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, report_string(text[i]));
    return list;
}

json_t *report_address(uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

void report_render(const struct report *r, enum report_format format, struct report_style style,
                   struct buf *out)
{
    switch (format) {
#define X(code, rendering)                                                                                   \
    case FORMAT_##code:                                                                                      \
        rendering;                                                                                           \
        break;
#include "report/formats.def"
#undef X
    }
}

void report_json(const struct report *r, struct buf *out)
{
    json_dump_callback(r->doc, dump_to_buf, out, JSON_INDENT(REPORT_INDENT) | JSON_SORT_KEYS);
    buf_putc(out, '\n');
}
