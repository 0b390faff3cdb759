#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `assay verify` about every patch of the corpus, compiled in many ways, and compares what it says with what is true."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import corpus

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

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
    return [Combination(c, a, p[:2], p[2:], v) for c in cases for a in arches for p in corpus.CROSS for v in variants(c)]


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


def spread(combinations):
    """In an order that has nothing to do with what they are: any number of the first ones is a fair sample."""
    return sorted(combinations, key=lambda c: hashlib.sha256(c.label().encode()).digest())


class Run:
    """A finished process: what it wrote, and what it took. `code` is None when it was not ready in time."""

    def __init__(self, command, timeout):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            late = []
            timer = threading.Timer(timeout, lambda: (late.append(True), process.kill()))
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.code = None if late else process.returncode
            self.wall = time.monotonic() - start
            self.seconds = usage.ru_utime + usage.ru_stime
            self.kilobytes = usage.ru_maxrss
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace").strip()


class Result:
    def __init__(self, combination, verdict, failed=(), reason="", run=None, sizes=(0, 0)):
        self.combination, self.verdict, self.failed, self.reason, self.run, self.sizes = combination, verdict, list(failed), reason, run, sizes
        self.seconds = run.seconds if run else 0
        self.analyst = None  # what was wrong with the verdict after the questions were answered; "" when it was right
        self.paths = None  # what the other strategy says
        expected = combination.expected()
        self.right = verdict == expected.verdict
        self.wrong_safe = verdict == "safe" and expected.verdict == "unsafe"
        self.wrong_unsafe = verdict == "unsafe" and expected.verdict == "safe"
        self.properties_right = not (self.right and verdict == "unsafe") or expected.properties_right(failed)

    def strategies_differ(self):
        return self.paths in ("safe", "unsafe") and self.paths != self.verdict

    def as_json(self):
        c = self.combination
        return {"case": c.case.name, "arch": c.arch, "old": "-".join(c.old), "new": "-".join(c.new), "variant": c.variant,
                "sort": self.sort(), "verdict": self.verdict, "failed": self.failed, "expected": c.expected().verdict,
                "properties": self.properties_right, "reason": self.reason, "analyst": self.analyst, "paths": self.paths,
                "seconds": round(self.seconds, 3), "wall": round(self.run.wall, 3) if self.run else 0,
                "kilobytes": self.run.kilobytes if self.run else 0, "sizes": self.sizes}

    def sort(self):
        return "right" if self.right else "wrong safe" if self.wrong_safe else "wrong unsafe" if self.wrong_unsafe else \
            "unknown" if self.verdict in ("unknown", "bounded") else "broken"


class Question:
    """A pair of files to ask `assay verify` about."""

    def __init__(self, options, builder, c):
        self.options, self.combination = options, c
        self.old = builder.build(c.case, False, c.arch, *c.old, c.variant, alone=options.alone)
        self.new = builder.build(c.case, True, c.arch, *c.new, c.variant, alone=options.alone)
        self.function = c.case.function
        if c.variant == "strip" and c.case.build == "exe":
            self.function = builder.address(self.old, self.function, c.arch) + ":" + builder.address(self.new, self.function, c.arch)

    def run(self, *more):
        options = self.options
        alone = ["--no-libraries"] if options.alone else []
        self.command = [options.assay, "verify", "--jobs=1", "--func", self.function, *alone, *options.extra, *more, self.old, self.new]
        return Run(self.command, options.timeout)

    def ask(self, *more):
        run = self.run("--json", *more)
        if run.code is None:
            return Result(self.combination, "broken", reason=f"no answer in {self.options.timeout} s: " + " ".join(self.command), run=run)
        try:
            report = json.loads(run.out)
            verdict = report["verdict"]
            functions = [f for file in report["files"] for f in file.get("functions", []) if f["verdict"] == verdict]
            failed = sorted({p for f in functions for p in f.get("failed", [])})
            reason = "; ".join([str(report.get("reason") or "")] + [str(f.get("reason") or "") for f in functions]).strip("; ")
            sizes = (functions[0]["old"]["size"], functions[0]["new"]["size"]) if functions else (0, 0)
            if run.code != {"safe": 0, "unsafe": 1, "unknown": 3, "bounded": 3}[verdict]:
                raise ValueError(f"exit code {run.code} does not go with {verdict}")
        except (ValueError, KeyError) as e:
            return Result(self.combination, "broken", reason=f"exit code {run.code}: {run.err or e}: {' '.join(self.command)}", run=run)
        return Result(self.combination, verdict, failed, reason, run, sizes)

    def analyst(self):
        """Answers the questions as the case says an analyst would. What is wrong then with the verdict; nothing when it is right."""
        accept = set(re.search(r"accept=(\S+)", self.combination.case.analyst).group(1).split(","))
        with tempfile.TemporaryDirectory(prefix="assay-corpus-") as directory:
            questions, path = os.path.join(directory, "questions.json"), os.path.join(directory, "answers.json")
            known = {}
            for number in range(5):  # accepting one difference may show others
                self.run("--write-questions", questions, *(["--answers", path] if number else []))
                with open(questions, encoding="utf-8") as f:
                    file = json.load(f)
                new = [a for a in file["answers"] if a["key"] not in known]
                known.update((a["key"], dict(a, answer="yes" if {a.get("question"), a["property"]} & accept else "no")) for a in new)
                with open(path, "w", encoding="utf-8") as f:
                    json.dump(dict(file, answers=list(known.values())), f)
                if not new:
                    break
            run = self.run("--answers", path)
        first = run.out.split("\n")[0]
        if run.code == 0 and re.match(r"safe to apply, given [1-9]\d* accepted differences?:", first):
            return ""
        asked = ", ".join(f"{a.get('question') or a['property']} {a['what']}: {a['answer']}" for a in known.values())
        return (first or run.err) + "; asked " + (asked or "nothing")


def ask(options, builder, c):
    try:
        question = Question(options, builder, c)
    except corpus.CorpusError as e:
        return Result(c, "broken", reason="not compiled: " + str(e))
    if options.compile_only:
        return Result(c, c.expected().verdict)
    result = question.ask()
    if options.analyst and "accept=" in c.case.analyst and result.verdict == "unsafe":
        result.analyst = question.analyst()
    if options.paths:
        result.paths = question.ask("--strategy=paths", f"--timeout={options.paths}s").verdict
    return result


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
    if r.analyst:
        print(f"ANALYST: {r.combination.label()}: {r.analyst}", flush=True)
    if r.strategies_differ():
        print(f"STRATEGIES: {r.combination.label()}: {r.verdict} by converge, {r.paths} by paths, is {expected.verdict}", flush=True)


def show(options, results):
    wrong = [r for r in results if not r.right]
    print()
    if wrong and len({r.combination.case.name for r in results}) > 1:
        table("case", [(n, g) for n, g in grouped(results, lambda r: r.combination.case.name) if not all(r.right for r in g)])
    same = [r for r in results if not r.combination.cross()]
    cross = [r for r in results if r.combination.cross()]
    for group, name in ((same, ""), (cross, ", cross")):
        if group:
            table("architecture" + name, grouped(group, lambda r: r.combination.arch))
            table("variant" + name, grouped(group, lambda r: r.combination.variant))
    if same:
        table("compiler", grouped(same, lambda r: r.combination.old[0]))
        table("level", grouped(same, lambda r: r.combination.old[1]))
    if cross:
        table("compilations, cross", grouped(cross, lambda r: r.combination.compilation()))
    table("kind", grouped(results, lambda r: r.combination.case.kind))
    table("build", grouped(results, lambda r: r.combination.case.build))
    totals = [(n, g) for n, g in (("same compilation", same), ("different compilations", cross)) if g]
    table("total", totals)
    unsafe = [r for r in results if r.right and r.verdict == "unsafe"]
    if unsafe:
        print(f"properties named right: {sum(r.properties_right for r in unsafe)} of {len(unsafe)}")
    answered = [r for r in results if r.analyst is not None]
    if answered:
        print(f"safe once the questions are answered: {sum(not r.analyst for r in answered)} of {len(answered)}")
    finished = [r for r in results if r.paths in ("safe", "unsafe")]
    if finished:
        print(f"the same verdict by paths: {sum(not r.strategies_differ() for r in finished)} of {len(finished)}")
    seconds = sorted(r.seconds for r in results)
    if seconds and seconds[-1] > 0:
        print("seconds of processor time a verdict: " + ", ".join(f"{n} {seconds[min(len(seconds) * p // 100, len(seconds) - 1)]:.2f}" for n, p in
              (("median", 50), ("90 %", 90), ("95 %", 95), ("99 %", 99), ("longest", 100))))
    fine = True
    for r in results:
        fine = fine and not r.wrong_safe and r.verdict != "broken" and not r.analyst and not r.strategies_differ()
    for group, share in ((same, options.share / 100 if options.share else SHARE_SAME), (cross, SHARE_CROSS)):
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
    p.add_argument("--spread", action="store_true", help="in an order of which any beginning is a fair sample")
    p.add_argument("--seconds", type=int, metavar="N", help="begin no more combinations when N seconds have gone by")
    p.add_argument("--accepting", action="store_true", help="only cases with differences that an analyst accepts")
    p.add_argument("--analyst", action="store_true", help="also answer the questions as the cases say, and see that the verdict is safe then")
    p.add_argument("--paths", type=int, metavar="N", help="also ask with --strategy=paths, N seconds long; the verdicts must agree where it comes to one")
    p.add_argument("--share", type=int, metavar="PERCENT", help="of the verdicts that have to be right (95; different compilations 90)")
    p.add_argument("--results", metavar="FILE", help="write every result, as a line of JSON")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--timeout", type=int, default=300, help="seconds for a verdict")
    p.add_argument("--alone", action="store_true", help="without the libraries that the files need")
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
    if options.accepting:
        cases = [c for c in cases if "accept=" in c.analyst]
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
    if options.spread:
        combinations = spread(combinations)
    builder = corpus.Builder(options.build)
    end = time.monotonic() + options.seconds if options.seconds else None
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(options.results or os.devnull, "w", encoding="utf-8") as log:
        for r in pool.map(lambda c: None if end and time.monotonic() > end else ask(options, builder, c), combinations):
            if r:
                say_wrong(options, r)
                log.write(json.dumps(dict(r.as_json(), alone=options.alone)) + "\n")
                log.flush()
                results.append(r)
    print("the libraries that the files need are " + ("not there" if options.alone else "beside them"))
    if len(results) < len(combinations):
        print(f"{len(results)} of {len(combinations)} combinations")
    return 0 if show(options, results) else 1


if __name__ == "__main__":
    sys.exit(main())
