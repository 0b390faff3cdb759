/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a debuggee share: the log of changes, and the rules of memory access. */
#ifndef DEBUG_LOG_H
#define DEBUG_LOG_H

#include "debug/debuggee.h"

void log_add(struct debuggee *d, struct undo u);
/* Old contents, before they are changed; memory counts as given afterwards. */
void log_registers(struct debuggee *d, unsigned offset, unsigned bytes);
void log_memory(struct debuggee *d, uint64_t address, size_t bytes);
/* Undoes the newest entry. */
void log_take_back(struct debuggee *d);

/* Whether the program may do this; false sets state and why. Makes notes, and marks watched places. */
bool debuggee_may_access(struct debuggee *d, uint64_t address, size_t n, bool write);

#endif
