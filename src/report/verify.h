/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay verify` (docs/verify.md describes the document), and its renderers.
 *
 * A pair of files is opened once, and then asked about function by function; the records of the functions may
 * be made in other processes, and must be added in order. */
#ifndef REPORT_VERIFY_H
#define REPORT_VERIFY_H

#include "report/report.h"
#include "verify/config.h"
#include "verify/verify.h"

struct report_verify {
    const char *old, *new; /* the containers, for messages */
    struct object_options object;
    const char *const *function; /* only these: NAME, 0xADDRESS or OLD:NEW */
    size_t nfunctions;
    bool several; /* files: a function need not be in each */
    const struct match_files *files; /* all of them, or NULL */
    const char *const *library_dirs; /* where libraries are, beside the files' own directories; NULL-terminated, or NULL */
    bool no_libraries;
    struct verify_options how;
    struct config *config; /* or NULL */
    bool stats, graphs /* for the page */, recover /* for --write-config */;
};

/* What the configuration says, so that report_verify_sum can tell what of it was of no use. */
void report_verify_configuration(struct config *config, struct report_sink sink);

struct report_verified;
/* Adds an element to "files" with all that is known before a function is asked about. Added, removed and
 * identical files are not opened, and have no functions. */
struct report_verified *report_verify_open(const struct match_file_pair *pair,
                                           const struct report_verify *opt, struct report_sink sink,
                                           struct error *err);
void report_verify_close(struct report_verified *v);
/* Libraries that the files need tell what functions take that are imported from them. They are opened only if there
 * are such functions, and asked once for all; it is better done in a process of its own. */
bool report_verify_wants_libraries(const struct report_verified *v);
void report_verify_libraries(struct report_verified *v, struct report_sink sink);
/* Takes a record of that (a report_sink_fn; ctx is a struct report_verified). */
bool report_verify_told(void *ctx, const char *place, json_t *value);
/* Says what there is to say once that is done: warnings, and what was recovered. `failed` (or NULL): why nothing was
 * told. */
void report_verify_ready(struct report_verified *v, const char *failed, struct report_sink sink);
size_t report_verify_count(const struct report_verified *v);               /* functions to ask about */
uint64_t report_verify_address(const struct report_verified *v, size_t i); /* in the old program */
void report_verify_function(struct report_verified *v, size_t i, struct report_sink sink);
/* The record of a function whose worker did not finish. */
void report_verify_failed(struct report_verified *v, size_t i, struct verify_reason reason,
                          struct report_sink sink);

/* Verdicts and sums of the files that are in the report, and of the whole; warnings. The member "pairs", when
 * there is one, says how many files there should be. */
void report_verify_sum(struct report *r);

/* ---- the renderers ---- */

void report_verify_text(json_t *doc, bool color, struct buf *out);
/* What helps against unknown verdicts, each once: [{"remedy", "for": "put" or "3 functions"}...]. */
json_t *report_verify_remedies(json_t *doc);
/* The counters of all functions together; nothing when the report has none. */
void report_verify_stats_text(json_t *doc, struct buf *out);
/* What was asked about a difference and can be answered, as a list for config_write_questions. */
json_t *report_verify_questions(json_t *doc);
/* The question in a sentence, the difference, its condition and counterexample, in some lines. */
void report_verify_question_text(json_t *question, bool explain, struct buf *out);
/* SARIF 2.1.0. */
void report_sarif(const struct report *r, struct buf *out);
/* One page; the report must have been made with `graphs`. */
void report_html(const struct report *r, struct buf *out);
/* Takes out of the document what only the page needs. */
void report_verify_drop_graphs(struct report *r);

/* The graphs of a pair of functions, for the page (report/verify_graph.c). */
struct compared;
json_t *report_verify_graphs(const struct compared *c, const struct match_pair *x);

#endif
