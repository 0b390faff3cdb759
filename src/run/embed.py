#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes files as C arrays: embed.py OUT.h NAME=FILE... A single zero byte for NAME= without a file."""
import sys

with open(sys.argv[1], "w") as out:
    for one in sys.argv[2:]:
        name, path = one.split("=", 1)
        data = open(path, "rb").read() if path else b"\0"
        out.write("static const uint8_t %s[] = {%s};\n" % (name, ",".join(map(str, data))))
