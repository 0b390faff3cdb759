/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay diff`: what of two programs is the same, file by file and function by function. */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "ask/diff.h"
#include "report/report.h"

struct report *report_diff(const struct ask_diff_answer *a);
void report_diff_text(json_t *doc, bool color, struct buf *out);

#endif
