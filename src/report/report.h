/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer as a document, which the renderers turn into text, JSON or a drawing.
 *
 * A report is a JSON document in memory, made from a typed answer of src/ask: report_verify, report_diff, ...
 * in the header of the question's own name. Every renderer reads the document and nothing else, so text and
 * JSON cannot disagree. Nothing is decided here: verdicts, counts and reasons are the answer's.
 *
 * The document holds no wall time, no address of this process and no order of arrival, so two runs on the
 * same input give the same bytes. Names from input files are made printable before they get in
 * (report_string). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>

#include "ask/run.h"
#include "base/buf.h"

/* ---- the document ---- */

struct report;

/* kind: the name of the command. The schema is "assay/KIND/1". */
struct report *report_new(const char *kind);
void report_free(struct report *r);
json_t *report_document(struct report *r); /* borrowed */
/* Takes the value. "input" sets a member, "functions[]" appends to a list. */
void report_add(struct report *r, const char *place, json_t *value);

/* Says in the document that the answer was cut short, if it was. */
void report_cut(struct report *r, const struct ask_end *end);

/* The text as buf_put_printable makes it, as a JSON string. NULL: null. */
json_t *report_string(const char *s);
json_t *report_strings(const char *const *text, size_t n);
json_t *report_address(uint64_t address); /* "0x401000"; answers have places as they are shown */

/* ---- the renderers ---- */

enum report_format {
#define X(code, rendering) FORMAT_##code,
#include "report/formats.def"
#undef X
};

struct report_style {
    bool color;
};
/* The report in a format that goes to standard output. */
void report_render(const struct report *r, enum report_format format, struct report_style style,
                   struct buf *out);
void report_text(const struct report *r, struct report_style style, struct buf *out);
void report_json(const struct report *r, struct buf *out);
/* SARIF 2.1.0; verify, present and poc reports only. */
void report_sarif(const struct report *r, struct buf *out);
/* Markdown, for a review comment, and JUnit XML; verify reports only. */
void report_markdown(const struct report *r, struct buf *out);
void report_junit(const struct report *r, struct buf *out);
/* Graphviz; cfg reports only. */
void report_dot(const struct report *r, struct buf *out);
/* Inside a double-quoted label of it: a quote and a backslash are escaped, a line ends with \l
 * (left-justified). Nothing of the text can end the string. */
void report_dot_escaped(struct buf *out, const char *s);
/* The counters of an explore report made with stats, for people; empty when there are none. */
void report_stats_text(const struct report *r, struct buf *out);

#endif
