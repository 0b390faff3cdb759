/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay explore`: paths of functions. */
#ifndef REPORT_EXPLORE_H
#define REPORT_EXPLORE_H

#include "ask/explore.h"
#include "report/report.h"

/* The document; `with_stats`: with counters. */
struct report *report_explore(const struct ask_explore_answer *a, bool with_stats);

#endif
