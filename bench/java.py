#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the chapter on Java Ranger, with programs of the same shape: paths, queries and time by mode, and how
much slower or faster the others are than one path at a time. Seconds are of the processor.

usage: java.py ASSAY CLASSES"""
import json
import os
import subprocess
import sys

# (method, the modes that end in reasonable time)
PROGRAMS = [("WheelBrake.step1", "12345"), ("WheelBrake.step2", "12345"), ("WheelBrake.check3", "12345"), ("WheelBrake.check10", "5"),
            ("Avoidance.step1", "12345"), ("Avoidance.step2", "12345"), ("Avoidance.step10", "5"), ("Replacer.simple", "12345"),
            ("Replacer.closure", "12345"), ("Replacer.long5", "12345"), ("Replacer.open33", "12345"), ("Filters.count8", "12345"),
            ("Filters.count16", "5"), ("Filters.positive8", "12345"), ("Filters.positive12", "15"), ("Filters.list5", "15"),
            ("Variants.brakes10", "5"), ("Variants.avoid1", "12345"), ("Variants.avoid10", "5"), ("Variants.thrower", "12345"),
            ("Boxes.run6", "12345"), ("Boxes.run200", "5")]


def ask(assay, classes, method, mode):
    begun = os.times().children_user + os.times().children_system
    r = subprocess.run([assay, "java", "--json", "--stats", "--timeout", "120s", "--mode", mode, classes, method], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    seconds = os.times().children_user + os.times().children_system - begun
    try:
        doc = json.loads(r.stdout)
    except ValueError:
        doc = {}
    return doc.get("verdict", "no answer"), doc.get("paths", 0), doc.get("stats", {}).get("queries", 0), seconds


def main():
    assay, classes = sys.argv[1:3]
    print("%-20s %5s %-8s %9s %9s %8s %8s" % ("program", "mode", "verdict", "paths", "queries", "seconds", "ratio"))
    for method, modes in PROGRAMS:
        first = None
        for mode in modes:
            verdict, paths, queries, seconds = ask(assay, classes, method, mode)
            first = seconds if mode == "1" else first
            print("%-20s %5s %-8s %9d %9d %8.2f %8s"
                  % (method, mode, verdict, paths, queries, seconds, "%.2f" % (seconds / first) if first else ""))


if __name__ == "__main__":
    main()
