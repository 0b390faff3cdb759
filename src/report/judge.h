/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of two programs may matter and no function shows: each is a record at "files.reasons[]", and speaks
 * against calling the whole safe. */
#ifndef REPORT_JUDGE_H
#define REPORT_JUDGE_H

#include "report/compare.h"

void judge_put(struct report_sink sink, const char *name, const char *what); /* "NAME WHAT" */
/* A function that only one of the two has. */
void judge_unpaired(const struct compared *c, const struct match_pair *x, struct report_sink sink);
/* What variables start with, what others look at, and what runs when the program is loaded. */
void judge_data(const struct compared *c, struct report_sink sink);

#endif
