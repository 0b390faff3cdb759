#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `assay java` about every method of the corpus, and compares with the verdict that stands above it.

A line "//= VERDICT [CHECK]" is above a method: holds, fails CHECK, bounded or unknown. A verdict of holds or fails that
is not the expected one is wrong; anything else is undecided.

With --replay every failure has to happen on the virtual machine, too; with --compare one path at a time has to find the
same ones; with --tests every JUnit test that is written has to pass there, and to reach what it claims.

usage: run.py ASSAY CLASSES [--every N] [--mode N] [--timeout TIME] [--replay] [--compare] [--tests] [NAME...]"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def cases():
    """(class, method, verdict, check) of every method of the corpus."""
    folder = os.path.join(HERE, "corpus")
    for name in sorted(os.listdir(folder)):
        wanted = None
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for line in f:
                m = re.match(r"\s*//= (\w+) ?(\w*)", line)
                if m:
                    wanted = m.groups()
                elif wanted:
                    method = re.search(r"(\w+)\(", line).group(1)
                    yield (name[:-5], method, *wanted)
                    wanted = None


def ask(assay, classes, method, *more):
    r = subprocess.run([assay, "java", "--json", *more, classes, method], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    try:
        return r.returncode, json.loads(r.stdout), r.stderr.decode()
    except ValueError:
        return r.returncode, None, r.stderr.decode()


def judge(doc, verdict, check):
    """right, wrong or undecided; and what it said."""
    if doc is None:
        return "wrong", "no answer"
    got = doc["verdict"]
    checks = sorted({f["check"] for f in doc.get("failures", [])})
    said = got + (" " + ",".join(checks) if checks else "") + "".join("; " + u for u in doc.get("unknown", []))
    if got == verdict and (verdict != "fails" or checks == [check]):
        return "right", said
    if got == "fails" or (got == "holds" and verdict != "holds"):
        return "wrong", said
    return "undecided", said


def check_tests(assay, classes, folder, wanted):
    """Has JUnit tests written for each method of the list (followed by its options), and runs them on the virtual machine, instruction by instruction: each
    has to pass, to come to the lines and to take the branches that it claims. How many there are of each method; and what is wrong."""
    counts, wrong, todo, source = {}, [], [], {}
    for method, *options in wanted:
        out = os.path.join(folder, method)
        _, doc, err = ask(assay, classes, method, "--tests", out, *options)
        if doc is None:
            wrong.append((method, err))
            continue
        cases_of = doc.get("cases", [])  # none where nothing was decided
        counts[method] = len(cases_of)
        todo += [(method.replace(".", "_").replace("$", "_") + "_Test", "case%d" % i, case) for i, case in enumerate(cases_of, 1)]
        source.update({n: os.path.join(at, n) for at, _, names in os.walk(out) for n in names if n.endswith(".java")})
    source.update({n: os.path.join(at, n) for at, _, names in os.walk(os.path.join(HERE, "tools")) for n in names if n.endswith(".java")})
    made = os.path.join(folder, "classes")
    subprocess.run(["javac", "-nowarn", "-d", made, *source.values()], check=True)
    for name, case, claim in todo:
        r = subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", made, "Reach", made + ":" + classes, name, case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        reached = set(r.stdout.decode().splitlines())
        missed = [p for p in claim["reaches"]
                  if ("%(method)s %(from)d %(to)d" % p if p["branch"] else "%(file)s:%(line)d" % p) not in reached]
        if r.returncode or missed:
            wrong.append((name, case, claim["inputs"], missed, r.stderr.decode()[-500:]))
    return counts, wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("assay")
    p.add_argument("classes")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--mode", default="5")
    p.add_argument("--timeout", default="10s")
    p.add_argument("--replay", action="store_true")
    p.add_argument("--compare", action="store_true")
    p.add_argument("--tests", action="store_true")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    compared = {"same": 0, "different": 0, "undecided": 0}
    replayed = {"confirmed": 0, "not confirmed": 0}
    count = {"right": 0, "wrong": 0, "undecided": 0}
    asked, bad = [], []
    for i, (cls, method, verdict, check) in enumerate(cases()):
        if i % a.every or (a.names and cls not in a.names and cls + "." + method not in a.names):
            continue
        begun = time.monotonic()
        _, doc, err = ask(a.assay, a.classes, cls + "." + method, "--mode", a.mode, "--timeout", a.timeout,
                          *(["--replay"] if a.replay else []))
        asked.append([cls + "." + method, "--timeout", a.timeout])
        outcome, said = judge(doc, verdict, check)
        for f in doc.get("failures", []) if doc and a.replay else []:
            replayed[f["replay"]] += 1
            if f["replay"] != "confirmed":
                print("replay    %s.%s: %s, said %s" % (cls, method, f["exception"], f.get("replay_said")))
        if a.compare and doc:
            _, apart, _ = ask(a.assay, a.classes, cls + "." + method, "--mode", "1", "--timeout", a.timeout)
            both = [sorted((f["exception"], f["method"], f.get("line", 0)) for f in d.get("failures", [])) for d in (doc, apart or {})]
            if "unknown" in (doc["verdict"], (apart or {}).get("verdict", "unknown")):
                compared["undecided"] += 1
            elif both[0] == both[1] and doc["verdict"] == apart["verdict"]:
                compared["same"] += 1
            else:
                compared["different"] += 1
                print("different %s.%s: %s %s, apart %s %s" % (cls, method, doc["verdict"], both[0], apart["verdict"], both[1]))
        count[outcome] += 1
        if outcome != "right":
            print("%-9s %s.%s: expected %s %s, said %s %s(%.1f s)"
                  % (outcome, cls, method, verdict, check, said, err.strip()[:120], time.monotonic() - begun))
    print("%(right)d right, %(wrong)d wrong, %(undecided)d undecided" % count)
    if a.replay:
        print("failures on the virtual machine: %(confirmed)d confirmed, %(not confirmed)d not confirmed" % replayed)
    if a.compare:
        print("merged and one path at a time: %(same)d the same, %(different)d different, %(undecided)d not decided by both" % compared)
    if a.tests:
        with tempfile.TemporaryDirectory() as folder:
            made, bad = check_tests(a.assay, a.classes, folder, asked)
        for b in bad:
            print("test      %s" % (b,))
        print("tests on the virtual machine: %d, of which %d fail or do not reach what they claim" % (sum(made.values()), len(bad)))
    return 1 if bad or count["wrong"] or replayed["not confirmed"] or compared["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
