/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A copy of the target's file in which the inner function stands in for the target, and what `verify` says of it. */
#ifndef ASK_ADAPT_REPAIR_H
#define ASK_ADAPT_REPAIR_H

#include "ask/adapt.h"

/* The answer has edits. False when the file cannot be written. */
bool ask_adapt_write(struct ask_adapt_answer *a, const struct ask_session *session, struct error *err);

#endif
