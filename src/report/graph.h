/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay cfg` and `assay lift`. */
#ifndef REPORT_GRAPH_H
#define REPORT_GRAPH_H

#include "ask/graph.h"
#include "report/report.h"

struct report *report_graph(const struct ask_graph_answer *a);

#endif
