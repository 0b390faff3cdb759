/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay adapt`. */
#ifndef REPORT_ADAPT_H
#define REPORT_ADAPT_H

#include "ask/adapt.h"
#include "ask/adapt_sweep.h"
#include "report/report.h"

struct report *report_adapt_sweep(const struct ask_adapt_swept *a);
struct report *report_adapt(const struct ask_adapt_answer *a);
void report_adapt_sweep_text(json_t *doc, bool color, struct buf *out);
void report_adapt_text(json_t *doc, bool color, struct buf *out);

#endif
