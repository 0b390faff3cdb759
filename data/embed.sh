#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# embed.sh INPUT OUTPUT: turns prototypes.txt into a C array of its lines (line numbers are kept for messages).
set -eu
{
    printf '#include "flow/builtin.h"\n\nconst char *const flow_builtin_prototypes[] = {\n'
    awk '/^#/ { print "    \"\","; next } { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); print "    \"" $0 "\"," }' "$1"
    printf '};\nconst size_t flow_builtin_prototypes_lines = sizeof flow_builtin_prototypes / sizeof *flow_builtin_prototypes;\n'
} >"$2"
