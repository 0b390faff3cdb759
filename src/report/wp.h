/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay wp`: the document, text, page and graphs. */
#ifndef REPORT_WP_H
#define REPORT_WP_H

#include "ask/wp.h"
#include "report/report.h"

struct report_wp {
    bool page;  /* it is to be one: disassembly is needed for it */
    bool paths; /* the text shows the paths of countermodels */
    bool stats;
};
struct report *report_wp(const struct ask_wp_answer *a, const struct report_wp *how);

/* The graph of a version with the countermodel's path; its code must have been asked for. */
void report_wp_dot(const struct ask_wp_run *run, const char *title, struct buf *out);

void report_wp_text(json_t *doc, bool color, struct buf *out);
void report_wp_page(json_t *doc, struct buf *out);
/* The counters of an answer about one function; the times of all. */
void report_wp_stats_text(const struct ask_wp_answer *a, struct buf *out);
void report_wp_times_text(const struct ask_wp_answer *a, struct buf *out);

#endif
