/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as a core file: ET_CORE with a part for each mapping and the notes that debuggers read
 * (NT_PRSTATUS, NT_AUXV, NT_FILE). A note of our own has what those have no room for, so that a file that was
 * written here is read back as it was; files of others are read too. */
#ifndef RUN_CORE_H
#define RUN_CORE_H

#include "run/watch.h"

/* `about` is kept beside the state, for whoever reads it. */
bool core_write(const struct snapshot *s, const char *path, const void *about, size_t nabout,
                struct error *err);
/* `entry` is where the program's file says that it begins. *about: what was kept; NULL: it was not written
 * here. */
bool core_read(const char *path, const struct ir_machine *m, uint64_t entry, struct snapshot *s,
               const char **about, size_t *nabout, struct error *err);

#endif
