/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What assay says, before it is text, JSON or a drawing.
 *
 * A report is a JSON document in memory. It is put together from records, each a value and the place it
 * belongs to, which come in the order they become known: so a worker can send them through a pipe while it
 * works, and what arrived before it was ended is still a report. Every renderer reads the document and
 * nothing else, so text and JSON cannot disagree.
 *
 * A place is a path of member names: "input" sets a member of the document, "functions[]" appends to a list,
 * "explored.paths[]" appends to the list `paths` of the last element of the list `explored`.
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
#include "base/error.h"
#include "exec/explore.h"
#include "flow/flow.h"
#include "match/match.h"

/* ---- the document ---- */

struct report;

/* kind: "functions", "cfg", "lift", "explore", "info". The schema is "assay/KIND/1". */
struct report *report_new(const char *kind);
void report_free(struct report *r);
json_t *report_document(struct report *r); /* borrowed */
/* Takes the value. A place that does not fit the document is a caller's mistake when the record was made
 * here, and is refused (false) because records also come through pipes. */
bool report_add(struct report *r, const char *place, json_t *value);

/* Where records go. Takes the value; false tells the maker to stop. */
typedef bool report_sink_fn(void *ctx, const char *place, json_t *value);
struct report_sink {
    report_sink_fn *put;
    void *ctx;
    /* Told how far the work is, for a progress bar; may be NULL. total 0: not known. */
    void (*progress)(void *ctx, const char *what, size_t done, size_t total);
};
/* A sink that adds to a report. */
struct report_sink report_sink(struct report *r);

/* A record as one line, for a pipe, and back. */
void report_line(struct buf *out, const char *place, json_t *value); /* takes the value */
bool report_add_line(struct report *r, const char *line, size_t n);
/* The records of many lines, one after the other; fn takes the value, and returns false when it has enough. A
 * last line without its end, of a writer that was ended half way, is left out. Returns how many there were. */
size_t report_read_lines(const char *text, size_t n, report_sink_fn *fn, void *ctx);

/* Says in the document that the answer was cut short, if it was. */
void report_cut(struct report *r, const struct ask_end *end);

/* The text as buf_put_printable makes it, as a JSON string. NULL: null. */
json_t *report_string(const char *s);
json_t *report_address(uint64_t address); /* "0x401000": a value */
/* The same of a place in a program, as it is shown (object_shown). */
json_t *report_place(const struct program *p, uint64_t address);

/* ---- the renderers ---- */

struct report_style {
    bool color;
};
void report_text(const struct report *r, struct report_style style, struct buf *out);
void report_json(const struct report *r, struct buf *out);
/* Graphviz; cfg reports only. */
void report_dot(const struct report *r, struct buf *out);
/* Inside a double-quoted label of it: a quote and a backslash are escaped, a line ends with \l (left-justified).
 * Nothing of the text can end the string. */
void report_dot_escaped(struct buf *out, const char *s);
/* The counters of an explore report made with stats, for people; empty when there are none. */
void report_stats_text(const struct report *r, struct buf *out);
/* False when something was cut short or could not be read: the document or an element of "explored" is not
 * complete. */
bool report_complete(const struct report *r);

#endif
