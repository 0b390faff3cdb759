/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay java`: a verdict, and what makes the method fail. */
#ifndef REPORT_JAVA_H
#define REPORT_JAVA_H

#include <jansson.h>

#include "ask/java.h"
#include "report/report.h"

/* What was covered, on the source, as a page. */
void report_java_page(json_t *doc, struct buf *out);
/* A witness as the software-verification competition exchanges them; `when` is an ISO time. */
void report_java_witness(json_t *doc, const char *property, const char *program, const char *when, struct buf *out);
struct report *report_java(const struct ask_java_answer *a, bool with_stats);
void report_java_text(json_t *doc, bool color, struct buf *out);

#endif
