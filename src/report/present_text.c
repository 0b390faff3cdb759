/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay present` for people: a table when there are several results, then each with what decided it. */
#include <string.h>

#include "report/page.h"
#include "report/present.h"

static void put_verdict(struct buf *out, bool color, const char *verdict)
{
    enum ink code = strcmp(verdict, "patched") == 0 ? INK_GREEN
                    : present_is_unfixed(verdict)   ? INK_RED
                                                    : INK_YELLOW;
    ink(&(struct page){out, color}, code, verdict);
}

static void put_side(struct buf *out, const char *label, json_t *side)
{
    if (!json_is_object(side))
        return;
    buf_printf(out, "      %s %s", label, str(side, "feature"));
    if (*str(side, "line"))
        buf_printf(out, " (%s)", str(side, "line"));
    if (json_is_true(json_object_get(side, "found")))
        buf_printf(out, ": found at %s\n", str(side, "address"));
    else
        buf_puts(out, ": not found\n");
}

static void put_features(struct buf *out, json_t *result, const char *function)
{
    json_t *f;
    size_t i, shown = 0, more = 0;
    enum { SHOWN = 4 };
    json_array_foreach(json_object_get(result, "features"), i, f)
    {
        bool decided = json_is_true(json_object_get(f, "decided"));
        if (strcmp(str(f, "function"), function) != 0 || strcmp(str(f, "says"), "nothing") == 0)
            continue;
        if (!decided && shown >= SHOWN) {
            more++;
            continue;
        }
        shown++;
        buf_printf(out, "    indicates %s%s%s:\n", str(f, "says"), decided ? ", and decides" : "",
                   strcmp(str(f, "by"), "solver") == 0 ? " (by the solver)" : "");
        put_side(out, "before:", json_object_get(f, "old"));
        put_side(out, "after: ", json_object_get(f, "new"));
    }
    if (more)
        buf_printf(out, "    and %zu more (--json lists them)\n", more);
}

/* The parts of the patch that are not there, or cannot be told. */
static void put_parts(struct buf *out, json_t *result, const char *function)
{
    json_t *p;
    size_t i;
    json_array_foreach(json_object_get(result, "parts"), i, p)
    {
        const char *state = str(p, "state");
        bool removed = strcmp(str(p, "change"), "removed") == 0;
        if (strcmp(str(p, "function"), function) != 0 ||
            (strcmp(state, "missing") != 0 && strcmp(state, "unsure") != 0))
            continue;
        buf_printf(out, "    %s: %s%s", state, removed ? "the removal of " : "", str(p, "feature"));
        if (has(p, "line"))
            buf_printf(out, " (%s)", str(p, "line"));
        if (has(p, "address"))
            buf_printf(out, "%s at %s", removed ? ", which is" : "; see", str(p, "address"));
        buf_putc(out, '\n');
    }
}

static void put_result(struct buf *out, bool color, json_t *r)
{
    json_t *f;
    size_t i;
    ink(&(struct page){out, color}, INK_BOLD, str(r, "target"));
    buf_printf(out, ": %s: ", str(r, "patch"));
    put_verdict(out, color, str(r, "verdict"));
    if (json_number_value(json_object_get(r, "confidence")) > 0)
        buf_printf(out, " (confidence %.2f)", json_number_value(json_object_get(r, "confidence")));
    if (*str(r, "reason"))
        buf_printf(out, ": %s", str(r, "reason"));
    buf_putc(out, '\n');
    json_array_foreach(json_object_get(r, "functions"), i, f)
    {
        buf_printf(out, "  %s", str(f, "name"));
        if (*str(f, "address"))
            buf_printf(out, " at %s", str(f, "address"));
        if (*str(f, "found") && strcmp(str(f, "found"), str(f, "name")) != 0)
            buf_printf(out, ", named %s there", str(f, "found"));
        buf_puts(out, ": ");
        put_verdict(out, color, str(f, "verdict"));
        if (*str(f, "reason"))
            buf_printf(out, ": %s", str(f, "reason"));
        buf_putc(out, '\n');
        if (strcmp(str(f, "verdict"), "vulnerable") != 0)
            put_parts(out, r, str(f, "name"));
        put_features(out, r, str(f, "name"));
    }
}

static void put_table(struct buf *out, bool color, json_t *results)
{
    json_t *r;
    size_t i, wide = 5, verdict = 10;
    json_array_foreach(results, i, r)
    {
        size_t n = strlen(str(r, "patch")), v = strlen(str(r, "verdict"));
        wide = n > wide ? n : wide;
        verdict = v > verdict ? v : verdict;
    }
    json_array_foreach(results, i, r)
    {
        buf_printf(out, "%-*s  ", (int)wide, str(r, "patch"));
        put_verdict(out, color, str(r, "verdict"));
        buf_printf(out, "%*s  %s\n", (int)(verdict - strlen(str(r, "verdict"))), "", str(r, "target"));
    }
    buf_putc(out, '\n');
}

void report_present_text(json_t *doc, bool color, struct buf *out)
{
    json_t *results = json_object_get(doc, "results"), *r;
    size_t i;
    if (json_array_size(results) > 1)
        put_table(out, color, results);
    json_array_foreach(results, i, r) put_result(out, color, r);
}
