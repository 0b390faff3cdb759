#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the chapter on Java Ranger, with programs of the same shape: paths, queries and time by mode, and how
much slower or faster the others are than one path at a time. Seconds are of the processor.

usage: java.py ASSAY CLASSES"""
import json
import os
import subprocess
import sys

# (method, whether one path at a time ends in reasonable time)
PROGRAMS = [("WheelBrake.step1", True), ("WheelBrake.step2", True), ("WheelBrake.check3", True), ("WheelBrake.check10", False),
            ("Avoidance.step1", True), ("Avoidance.step2", True), ("Avoidance.step10", False), ("Replacer.simple", True),
            ("Replacer.closure", True), ("Replacer.long5", True), ("Replacer.open33", True),
            ("Filters.count8", True), ("Filters.count16", False), ("Filters.positive8", True), ("Filters.positive12", True), ("Filters.list5", True),
            ("Variants.brakes10", False), ("Variants.avoid1", True),
            ("Variants.avoid10", False), ("Variants.thrower", True), ("Boxes.run6", True), ("Boxes.run200", False)]


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
    for method, plain in PROGRAMS:
        first = None
        for mode in "12345" if plain else "5":
            verdict, paths, queries, seconds = ask(assay, classes, method, mode)
            first = seconds if mode == "1" else first
            print("%-20s %5s %-8s %9d %9d %8.2f %8s"
                  % (method, mode, verdict, paths, queries, seconds, "%.2f" % (seconds / first) if first else ""))


if __name__ == "__main__":
    main()
