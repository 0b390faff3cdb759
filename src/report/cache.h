/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay cache`. */
#ifndef REPORT_CACHE_H
#define REPORT_CACHE_H

#include "ask/cache.h"
#include "report/report.h"

struct report *report_cache(const struct ask_cache_answer *a);
void report_cache_text(json_t *doc, struct buf *out);

#endif
