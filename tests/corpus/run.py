#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `assay verify` about every patch of the corpus, compiled in many ways, and compares what it says with what is true."""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time

import corpus

# The share of right verdicts that is asked for: by one compiler with one set of flags, and by two.
SHARE_SAME = 0.95
SHARE_CROSS = 0.90


class Combination:
    """A case and how its two sides are compiled."""

    def __init__(self, case, arch, old, new, variant):
        self.case, self.arch, self.old, self.new, self.variant = case, arch, old, new, variant

    def cross(self):
        return self.old != self.new

    def compilation(self):
        old, new = "-".join(self.old), "-".join(self.new)
        return old if old == new else old + ">" + new

    def label(self):
        return f"{self.case.name} {self.arch} {self.compilation()} {self.variant}"

    def expected(self):
        return self.case.expected(self.arch, *self.old, *self.new, self.variant)


def variants(case):
    # Without its symbols a relocatable file says nothing about itself.
    return [v for v in corpus.VARIANTS if not (case.build == "obj" and v == "strip")]


def all_combinations(cases, arches):
    return [Combination(c, a, (k, l), (k, l), v) for c in cases for a in arches for k in corpus.COMPILERS
            for l in corpus.LEVELS for v in variants(c)]


def cross_combinations(cases, arches):
    return [Combination(c, a, p[:2], p[2:], v) for c in cases for a in arches for p in corpus.CROSS for v in variants(c)[:2]]


def slice_combinations(cases, arches, each):
    """A fixed choice: every case `each` times, over different architectures, levels and compilers, all of them evenly."""
    out = []
    for i, case in enumerate(cases):
        for j in range(each):
            n = i * each + j
            arch = arches[(i + j * 2) % len(arches)]
            how = (corpus.COMPILERS[(i + j) % 2], corpus.LEVELS[(n + n // 5) % 5])
            out.append(Combination(case, arch, how, how, variants(case)[(n // 2) % len(variants(case))]))
    return out


class Result:
    def __init__(self, combination, verdict, failed, reason, seconds):
        self.combination, self.verdict, self.failed, self.reason, self.seconds = combination, verdict, failed, reason, seconds
        expected = combination.expected()
        self.right = verdict == expected.verdict
        self.wrong_safe = verdict == "safe" and expected.verdict == "unsafe"
        self.wrong_unsafe = verdict == "unsafe" and expected.verdict == "safe"
        self.properties_right = not (self.right and verdict == "unsafe") or expected.properties_right(failed)

    def sort(self):
        return "right" if self.right else "wrong safe" if self.wrong_safe else "wrong unsafe" if self.wrong_unsafe else \
            "unknown" if self.verdict == "unknown" else "broken"


def ask(options, builder, c):
    try:
        old = builder.build(c.case, False, c.arch, *c.old, c.variant)
        new = builder.build(c.case, True, c.arch, *c.new, c.variant)
        function = c.case.function
        if c.variant == "strip" and c.case.build == "exe":
            function = builder.address(old, function, c.arch) + ":" + builder.address(new, function, c.arch)
    except corpus.CorpusError as e:
        return Result(c, "broken", [], "not compiled: " + str(e), 0)
    if options.compile_only:
        return Result(c, c.expected().verdict, [], "", 0)
    command = [options.assay, "verify", "--json", "--func", function, *options.extra, old, new]
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return Result(c, "broken", [], f"no answer in {options.timeout} s: " + " ".join(command), options.timeout)
    seconds = time.monotonic() - start
    try:
        report = json.loads(done.stdout.decode("utf-8"))
        verdict = report["verdict"]
        functions = [f for file in report["files"] for f in file.get("functions", []) if f["verdict"] == verdict]
        failed = sorted({p for f in functions for p in f.get("failed", [])})
        reason = "; ".join([str(report.get("reason") or "")] + [str(f.get("reason") or "") for f in functions]).strip("; ")
        if done.returncode != {"safe": 0, "unsafe": 1, "unknown": 3}[verdict]:
            raise ValueError(f"exit code {done.returncode} does not go with {verdict}")
    except (ValueError, KeyError) as e:
        said = done.stderr.decode("utf-8", "replace").strip()
        return Result(c, "broken", [], f"exit code {done.returncode}: {said or e}: {' '.join(command)}", seconds)
    return Result(c, verdict, failed, reason, seconds)


def table(title, groups):
    """groups: name -> list of results."""
    columns = ["right", "wrong safe", "wrong unsafe", "unknown", "broken"]
    print(f"{title:24s} {'all':>6s}" + "".join(f" {c:>12s}" for c in columns) + f" {'share':>7s}")
    for name, results in groups:
        counts = collections.Counter(r.sort() for r in results)
        share = counts["right"] / len(results) if results else 1
        print(f"{name:24s} {len(results):6d}" + "".join(f" {counts[c]:12d}" for c in columns) + f" {100 * share:6.1f}%")
    print()


def grouped(results, key):
    groups = collections.defaultdict(list)
    for r in results:
        groups[key(r)].append(r)
    return sorted(groups.items())


def say_wrong(options, r):
    """A line for a verdict that is not what it should be."""
    expected = r.combination.expected()
    properties = " ".join("|".join(sorted(p)) for p in expected.properties)
    if not r.right and (not options.quiet or r.wrong_safe or r.verdict == "broken"):
        print(f"{r.sort().upper()}: {r.combination.label()}: said {' '.join([r.verdict, *r.failed])}, is {expected.verdict} {properties}"
              f"{'; ' + r.reason if r.reason else ''}", flush=True)
    elif not r.properties_right and not options.quiet:
        print(f"PROPERTIES: {r.combination.label()}: said {' '.join(r.failed)}, are {properties}", flush=True)


def show(results):
    wrong = [r for r in results if not r.right]
    print()
    if wrong and len({r.combination.case.name for r in results}) > 1:
        table("case", [(n, g) for n, g in grouped(results, lambda r: r.combination.case.name) if not all(r.right for r in g)])
    table("architecture", grouped(results, lambda r: r.combination.arch))
    table("compilation", grouped(results, lambda r: r.combination.compilation()))
    table("variant", grouped(results, lambda r: r.combination.variant))
    table("kind", grouped(results, lambda r: r.combination.case.kind))
    table("build", grouped(results, lambda r: r.combination.case.build))
    same = [r for r in results if not r.combination.cross()]
    cross = [r for r in results if r.combination.cross()]
    totals = [(n, g) for n, g in (("same compilation", same), ("different compilations", cross)) if g]
    table("total", totals)
    unsafe = [r for r in results if r.right and r.verdict == "unsafe"]
    if unsafe:
        print(f"properties named right: {sum(r.properties_right for r in unsafe)} of {len(unsafe)}")
    seconds = sorted(r.seconds for r in results)
    if seconds and seconds[-1] > 0:
        print(f"seconds a verdict: median {seconds[len(seconds) // 2]:.3f}, 95 % {seconds[len(seconds) * 95 // 100]:.3f},"
              f" longest {seconds[-1]:.3f}")
    fine = True
    for r in results:
        fine = fine and not r.wrong_safe and r.verdict != "broken"
    for group, share in ((same, SHARE_SAME), (cross, SHARE_CROSS)):
        fine = fine and (not group or sum(r.right for r in group) >= share * len(group))
    return fine


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--assay", default="assay", help="the program")
    p.add_argument("--build", required=True, help="directory for what is compiled")
    what = p.add_mutually_exclusive_group()
    what.add_argument("--slice", type=int, nargs="?", const=3, metavar="N", help="a fixed choice, every case N times (3)")
    what.add_argument("--all", action="store_true", help="everything (the default)")
    p.add_argument("--case", action="append", metavar="NAME", help="only this case; may be given again")
    p.add_argument("--cross", action="store_true", help="also (with --all) or only pairs of different compilations")
    p.add_argument("--arch", action="append", choices=corpus.ARCHES)
    p.add_argument("--compiler", action="append", choices=corpus.COMPILERS)
    p.add_argument("--level", action="append", choices=corpus.LEVELS)
    p.add_argument("--variant", action="append", choices=corpus.VARIANTS)
    p.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth combination")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--timeout", type=int, default=60, help="seconds for a verdict")
    p.add_argument("--extra", action="append", default=[], metavar="OPTION", help="handed on to assay verify")
    p.add_argument("--compile-only", action="store_true", help="compile, and ask nothing")
    p.add_argument("--quiet", action="store_true", help="list wrong safe verdicts and failures only")
    p.add_argument("--list", action="store_true", help="list the cases")
    options = p.parse_args()
    try:
        cases = corpus.load(options.case)
    except corpus.CorpusError as e:
        sys.exit(str(e))
    if options.list:
        for c in cases:
            print(f"{c.name:28s} {c.kind:20s} {c.strict.verdict:7s} {c.why}")
        return 0
    arches = options.arch or corpus.ARCHES
    if options.slice:
        combinations = slice_combinations(cases, arches, options.slice)
    else:
        combinations = [] if options.cross and not options.all else all_combinations(cases, arches)
    if options.cross:
        combinations += cross_combinations(cases, arches)
    combinations = [c for c in combinations
                    if (not options.compiler or {c.old[0], c.new[0]} <= set(options.compiler))
                    and (not options.level or {c.old[1], c.new[1]} <= set(options.level))
                    and (not options.variant or c.variant in options.variant)][::options.every]
    builder = corpus.Builder(options.build)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = []
        for r in pool.map(lambda c: ask(options, builder, c), combinations):
            say_wrong(options, r)
            results.append(r)
    return 0 if show(results) else 1


if __name__ == "__main__":
    sys.exit(main())
