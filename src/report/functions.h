/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay functions`. */
#ifndef REPORT_FUNCTIONS_H
#define REPORT_FUNCTIONS_H

#include "ask/functions.h"
#include "report/report.h"

struct report *report_functions(const struct ask_functions_answer *a);

#endif
