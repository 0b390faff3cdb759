/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay verify` (docs/verify-use.md describes the document), and its renderers. */
#ifndef REPORT_VERIFY_H
#define REPORT_VERIFY_H

#include "ask/verify.h"
#include "report/report.h"

struct report_verify {
    bool stats; /* counters */
    bool page;  /* what only the page shows: graphs and steps, which must have been asked for */
};
struct report *report_verify(const struct ask_verify_answer *a, const struct report_verify *how);

/* ---- the renderers ---- */

void report_verify_text(json_t *doc, bool color, struct buf *out);
const char *report_verdict_text(const char *verdict); /* "safe to apply" */
/* What helps against unknown verdicts, each once: [{"remedy", "for": "put" or "3 functions"}...]. */
json_t *report_verify_remedies(json_t *doc);
/* The counters of all functions together; nothing when the report has none. */
void report_verify_stats_text(json_t *doc, struct buf *out);
/* A question as an element of the list for config_write_questions. */
json_t *report_verify_question(const struct ask_question *q);
/* The question in a sentence, the difference, its condition and counterexample, in some lines. */
void report_verify_question_text(json_t *question, bool explain, struct buf *out);
/* One page, of a document made for it. */
void report_html(const struct report *r, struct buf *out);

#endif
