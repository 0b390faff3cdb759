/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay java`: a verdict, and what makes the method fail. */
#ifndef REPORT_JAVA_H
#define REPORT_JAVA_H

#include <jansson.h>

#include "ask/java.h"
#include "report/report.h"

struct report *report_java(const struct ask_java_answer *a, bool with_stats);
void report_java_text(json_t *doc, bool color, struct buf *out);

#endif
