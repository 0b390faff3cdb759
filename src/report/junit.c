/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay verify` as JUnit XML, as CI systems show tests: a suite a file, a case a function. An unsafe
 * function is a failure, one that is undecided an error. There are no times in it: two runs give the same
 * bytes. */
#include <string.h>

#include "report/html.h"
#include "report/page.h"
#include "report/verify.h"

static void attribute(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, " %s=\"", name);
    html_text(out, value);
    buf_putc(out, '"');
}

static void begin_case(struct buf *out, const char *suite, const char *name)
{
    buf_puts(out, "    <testcase");
    attribute(out, "classname", suite);
    attribute(out, "name", name);
}

static void put_change(struct buf *out, json_t *d)
{
    buf_printf(out, "%s %s", str(d, "property"), str(d, "what"));
    if (has(d, "old"))
        buf_printf(out, "; was %s", str(d, "old"));
    if (has(d, "new"))
        buf_printf(out, "; is %s", str(d, "new"));
    if (has(d, "condition"))
        buf_printf(out, "; when %s", str(d, "condition"));
}

static void put_failure(struct buf *out, json_t *f)
{
    json_t *d, *e;
    size_t i, k;
    struct buf first = BUF_INIT, all = BUF_INIT;
    json_array_foreach(json_object_get(f, "differences"), i, d)
    {
        if (is_true(d, "accepted"))
            continue;
        if (!first.len)
            put_change(&first, d);
        put_change(&all, d);
        json_array_foreach(json_object_get(d, "inputs"), k, e)
            buf_printf(&all, "%s%s = %s", k ? ", " : "\n  for example ", str(e, "name"), str(e, "value"));
        buf_putc(&all, '\n');
    }
    buf_puts(out, "      <failure type=\"unsafe\"");
    attribute(out, "message", buf_text(&first));
    buf_putc(out, '>');
    html_text(out, buf_text(&all));
    buf_puts(out, "</failure>\n");
    buf_free(&first);
    buf_free(&all);
}

static void put_error(struct buf *out, const char *type, const char *message)
{
    buf_puts(out, "      <error");
    attribute(out, "type", type);
    attribute(out, "message", message);
    buf_puts(out, "/>\n");
}

static void put_function(struct buf *out, const char *suite, json_t *f)
{
    const char *verdict = str(f, "verdict");
    json_t *e;
    size_t i;
    begin_case(out, suite, str(f, "name"));
    if (strcmp(verdict, "safe") == 0 && !json_array_size(json_object_get(f, "now_rejects"))) {
        buf_puts(out, "/>\n");
        return;
    }
    buf_puts(out, ">\n");
    if (strcmp(verdict, "unsafe") == 0)
        put_failure(out, f);
    else if (strcmp(verdict, "safe") != 0)
        put_error(out, verdict, str(f, "reason"));
    json_array_foreach(json_object_get(f, "now_rejects"), i, e)
    {
        buf_puts(out, "      <system-out>now rejects: ");
        html_text(out, has(e, "when") ? str(e, "when") : "inputs that it accepted");
        buf_puts(out, "</system-out>\n");
    }
    buf_puts(out, "    </testcase>\n");
}

/* What keeps a file from being safe besides its functions: each is a case of its own. */
static void put_reason(struct buf *out, const char *suite, const char *reason)
{
    begin_case(out, suite, "the file");
    buf_puts(out, ">\n");
    put_error(out, "unknown", reason);
    buf_puts(out, "    </testcase>\n");
}

static void put_counts(struct buf *out, json_int_t tests, json_int_t failures, json_int_t errors)
{
    buf_printf(out, " tests=\"%lld\" failures=\"%lld\" errors=\"%lld\" skipped=\"0\">\n", (long long)tests,
               (long long)failures, (long long)errors);
}

static json_int_t undecided(json_t *summary)
{
    return num(summary, "unknown") + num(summary, "bounded");
}

static json_int_t more_reasons(json_t *file)
{
    return (json_int_t)json_array_size(json_object_get(file, "reasons")) + has(file, "error");
}

void report_junit(const struct report *r, struct buf *out)
{
    json_t *doc = report_document((struct report *)r), *files = json_object_get(doc, "files"), *file, *e,
           *s = json_object_get(doc, "summary");
    json_int_t reasons = 0, cut = json_is_false(json_object_get(doc, "complete"));
    size_t i, k;
    json_array_foreach(files, i, file) reasons += more_reasons(file);
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay verify\"");
    put_counts(out, num(s, "safe") + num(s, "unsafe") + undecided(s) + reasons + cut, num(s, "unsafe"),
               undecided(s) + reasons + cut);
    json_array_foreach(files, i, file)
    {
        json_t *new = json_object_get(file, "new"), *own = json_object_get(file, "summary");
        const char *path = str(json_is_object(new) ? new : json_object_get(file, "old"), "path");
        const char *suite = *path ? path : str(json_object_get(doc, "input"), "new");
        json_int_t more = more_reasons(file);
        buf_puts(out, "  <testsuite");
        attribute(out, "name", suite);
        put_counts(out, num(own, "safe") + num(own, "unsafe") + undecided(own) + more, num(own, "unsafe"),
                   undecided(own) + more);
        json_array_foreach(json_object_get(file, "functions"), k, e) put_function(out, suite, e);
        json_array_foreach(json_object_get(file, "reasons"), k, e)
            put_reason(out, suite, json_string_value(e));
        if (has(file, "error"))
            put_reason(out, suite, str(file, "error"));
        buf_puts(out, "  </testsuite>\n");
    }
    if (cut) {
        buf_puts(out, "  <testsuite name=\"the run\"");
        put_counts(out, 1, 0, 1);
        put_reason(out, "the run", str(doc, "reason"));
        buf_puts(out, "  </testsuite>\n");
    }
    buf_puts(out, "</testsuites>\n");
}
