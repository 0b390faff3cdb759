#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# embed-text.sh NAME INPUT OUTPUT: turns a text into a C array of its lines, NULL at the end.
set -eu
{
    printf 'extern const char *const %s[];\nconst char *const %s[] = {\n' "$1" "$1"
    awk '{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); print "    \"" $0 "\"," }' "$2"
    printf '    0,\n};\n'
} >"$3"
