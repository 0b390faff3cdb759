/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/cache.h"

#include "report/page.h"

static json_t *part(const struct ask_cache_part *p)
{
    return json_pack("{s:I, s:I}", "entries", (json_int_t)p->entries, "bytes", (json_int_t)p->bytes);
}

struct report *report_cache(const struct ask_cache_answer *a)
{
    struct report *r = report_new("cache");
    report_add(r, "directory", report_string(a->directory));
    report_add(r, "cleared", json_boolean(a->cleared));
    report_add(r, "verdicts", part(&a->verdicts));
    report_add(r, "summaries", part(&a->summaries));
    report_add(r, "features", part(&a->features));
    if (a->damaged)
        report_add(r, "damaged", report_string(a->damaged));
    return r;
}

static void text_part(struct buf *out, const char *what, json_t *part_record)
{
    enum { KIB = 1024 };
    json_int_t n = num(part_record, "entries");
    buf_printf(out, "  %s: %lld entr%s, %lld KiB\n", what, (long long)n, n == 1 ? "y" : "ies",
               (long long)((num(part_record, "bytes") + KIB - 1) / KIB));
}

void report_cache_text(json_t *doc, struct buf *out)
{
    buf_printf(out, "%s%s\n", str(doc, "directory"), is_true(doc, "cleared") ? ": cleared" : "");
    text_part(out, "verdicts of verify", json_object_get(doc, "verdicts"));
    text_part(out, "functions of adapt", json_object_get(doc, "summaries"));
    text_part(out, "patch features of present", json_object_get(doc, "features"));
    if (has(doc, "damaged"))
        buf_printf(out, "  damaged: %s; 'assay cache --clear' removes it\n", str(doc, "damaged"));
}
