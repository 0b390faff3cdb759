/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay poc`: which candidates were refuted, and how that shows. */
#ifndef REPORT_POC_H
#define REPORT_POC_H

#include "ask/poc.h"
#include "report/report.h"

struct report *report_poc(const struct ask_poc_answer *a);
void report_poc_text(json_t *doc, bool color, struct buf *out);
void report_poc_sarif(json_t *doc, struct buf *out);
/* One page, without scripts: the candidates, the objects of the snapshot, and for each finding the ways of
 * the two. */
void report_poc_html(json_t *doc, struct buf *out);

#endif
