/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay info`. */
#ifndef REPORT_INFO_H
#define REPORT_INFO_H

#include "ask/info.h"
#include "report/report.h"

struct report *report_info(const struct ask_info_answer *a);

#endif
