/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data/prototypes.txt as compiled in, line by line; the definition is generated at build time. */
#ifndef FLOW_BUILTIN_H
#define FLOW_BUILTIN_H

#include <stddef.h>

extern const char *const flow_builtin_prototypes[];
extern const size_t flow_builtin_prototypes_lines;

#endif
