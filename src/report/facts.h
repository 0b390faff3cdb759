/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every report says about the program it is about. */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include "ask/facts.h"
#include "report/report.h"

json_t *facts_record(const struct ask_facts *f);

#endif
