/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay present` (docs/present.md describes the document), and its renderers. */
#ifndef REPORT_PRESENT_H
#define REPORT_PRESENT_H

#include "ask/present.h"
#include "report/report.h"

struct report *report_present(const struct ask_present_answer *a);

/* Whether a verdict says that the fix is not in: "vulnerable" or "partially patched". */
bool present_is_unfixed(const char *verdict);

/* One page. */
void report_present_html(json_t *doc, struct buf *out);
/* OpenVEX 0.2.0: fixed, affected, not_affected or under_investigation. */
void report_present_openvex(json_t *doc, struct buf *out);
void report_present_sarif(json_t *doc, struct buf *out);
void report_present_text(json_t *doc, bool color, struct buf *out);

#endif
