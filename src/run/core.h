/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as a core file: ET_CORE with a part for each mapping and the notes that debuggers read (NT_PRSTATUS,
 * NT_AUXV, NT_FILE). */
#ifndef RUN_CORE_H
#define RUN_CORE_H

#include "run/watch.h"

bool core_write(const struct snapshot *s, const char *path, struct error *err);

#endif
