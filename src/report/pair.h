/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that the reports about two programs share. */
#ifndef REPORT_PAIR_H
#define REPORT_PAIR_H

#include "ask/compare.h"
#include "report/report.h"

/* "old", "new" and "renamed" of a pair of files, and "error" when there is one. */
json_t *pair_record(const struct ask_pair *p);
json_t *pair_place(const struct ask_place *p); /* {"name", "address", "size"} */
json_t *pair_places(const struct ask_place *p, size_t n);
json_t *pair_data(const struct ask_datum *d, size_t n);
json_t *pair_outside(const struct match_outside *x, size_t n);

#endif
