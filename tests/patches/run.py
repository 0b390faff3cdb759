#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `assay present` whether each patch is in binaries built without and with it, in many ways, and compares with what is true."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import resource
import subprocess
import sys
import time

import patches
from patches import corpus

# What is asked for: of everything, of each compiler at each level, and of a slice, where a wrong answer more counts much.
F1_ALL = 0.97
F1_EACH = 0.95
F1_SLICE = 0.93

EXIT = {"patched": 0, "partially patched": 1, "vulnerable": 1, "unknown": 3, "not-there": 3}
ABLATIONS = {"no-solver": ["--no-solver"], "no-ranking": ["--no-ranking"], "no-refinement": ["--no-refinement"]}


class Test:
    """One question: a patch, and how the target is made."""

    def __init__(self, patch, version, arch, compiler, level, variant):
        self.patch, self.version, self.arch, self.compiler, self.level, self.variant = patch, version, arch, compiler, level, variant

    def vulnerable(self):
        return self.version.startswith("before")

    def half(self):
        return self.version.startswith("half")

    def wanted(self):
        return "partially patched" if self.half() else "vulnerable" if self.vulnerable() else "patched"

    def label(self):
        return f"{self.patch.name} {self.version} {self.arch} {self.compiler} {self.level} {self.variant}"


def all_tests(cases, options):
    return [Test(p, v, a, c, l, k) for p in cases for c in options.compiler or corpus.COMPILERS for l in options.level or corpus.LEVELS
            for a in options.arch or patches.ARCHES for k in options.variant or patches.VARIANTS[:1]
            for v in options.version or (patches.versions_of_halves(p) if options.halves else patches.VERSIONS)]


def sample(tests, count):
    """A fixed choice of at least `count` tests: chosen at random once and for all, the vulnerable and the patched one always together."""
    pairs = collections.defaultdict(list)
    for t in tests:
        pairs[(t.patch.name, t.arch, t.compiler, t.level, t.variant, t.version.endswith("later"))].append(t)  # with its half fixes
    keys = sorted(pairs)
    random.Random(20241027).shuffle(keys)
    # Every patch before any of them a second time.
    seen = collections.Counter()
    order = {}
    for k in keys:
        order[k] = seen[k[0]]
        seen[k[0]] += 1
    keys.sort(key=lambda k: order[k])
    out = []
    for k in keys:
        if len(out) >= count:
            break
        out += pairs[k]
    return out


class Result:
    def __init__(self, test, verdict, reason="", seconds=0.0, wrong_place=False):
        self.test, self.verdict, self.reason, self.seconds, self.wrong_place = test, verdict, reason, seconds, wrong_place

    def right(self):
        return self.verdict == self.test.wanted()

    def sort(self):
        if self.verdict == "same":
            return "same code"
        if self.right():
            return "right"
        if self.verdict == "vulnerable" and self.test.half():
            return "right"  # it is not fixed, and said to be
        if self.verdict in ("patched", "vulnerable"):
            return "wrong " + self.verdict
        return self.verdict


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def references(builder, patch):
    out = []
    for side, version in (("--old", "before"), ("--new", "after")):
        for level in patches.REFERENCE_LEVELS:
            out += [side, builder.reference(patch, version, level)]
    return out


BATCH = 40  # targets that one call is given


class Question:
    """A test with what it needs compiled."""

    def __init__(self, builder, test):
        self.test, self.result = test, None
        try:
            if not builder.told_apart(test.patch, test.version, test.arch, test.compiler, test.level):
                self.result = Result(test, "same")
            self.target, self.where = builder.target(test.patch, test.version, test.arch, test.compiler, test.level, test.variant)
            self.references = references(builder, test.patch)
        except corpus.CorpusError as e:
            self.result = Result(test, "broken", "not compiled: " + str(e))

    def function(self):
        """Only where it has to be said."""
        if self.test.variant != "address":
            return []
        name = self.test.patch.function if self.test.patch.function in self.where else self.test.patch.caller
        return ["--func", f"{name}={self.where[name]}"]


def batches(questions, size):
    """Questions that one call can answer."""
    groups = collections.defaultdict(list)
    for q in questions:
        if not q.result:
            groups[tuple(q.references + q.function())].append(q)
    return [g[i:i + size] for g in groups.values() for i in range(0, len(g), size)]


def ask(options, builder, questions, more=()):
    """Answers all questions of a batch."""
    if options.compile_only:
        for q in questions:
            q.result = Result(q.test, q.test.wanted())
        return
    fixed = [options.assay, "present", "--json", *questions[0].references, *questions[0].function(), *options.extra, *more]
    command = fixed + [q.target for q in questions]
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(builder.directory, "cache"))
    try:
        start, spent = time.perf_counter(), processor_seconds()
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=options.timeout * len(questions))
        # Of one question at a time the processor's time is known: other work on the machine does not count.
        seconds = processor_seconds() - spent if options.jobs == 1 else time.perf_counter() - start
    except subprocess.TimeoutExpired:
        for q in questions:
            q.result = Result(q.test, "broken", f"no answer in {options.timeout} s: " + " ".join(fixed + [q.target]), options.timeout)
        return
    try:
        report = json.loads(done.stdout.decode("utf-8"))
        answers = {r["target"]: r for r in report["results"]}
        if EXIT[report["verdict"]] != done.returncode:
            raise ValueError(f"exit code {done.returncode} does not go with {report['verdict']}")
        for q in questions:
            answer = answers[q.target]
            q.result = Result(q.test, answer["verdict"], " ".join(fixed + [q.target]) if options.commands else "", seconds / len(questions),
                              wrong_place(answer, q.where))
    except (ValueError, KeyError) as e:
        said = done.stderr.decode("utf-8", "replace").strip()
        for q in questions:
            q.result = Result(q.test, "broken", f"exit code {done.returncode}: {said or e}: {' '.join(fixed + [q.target])}", seconds)


def wrong_place(answer, where):
    """Whether a function was looked at that is another one."""
    at = {f["address"] for f in answer["functions"] if f.get("address")}
    return bool(at) and not at <= set(where.values())


class Score:
    """Vulnerable is the positive class, as in the paper. A test without an answer counts as wrong on either side: as a vulnerable
    target that was missed, or as a patched one that was called vulnerable. `lenient` follows the paper's rule instead: whatever is
    not decided is taken for vulnerable."""

    def __init__(self, results, lenient=False):
        counted = [r for r in results if r.verdict != "same" and not r.test.half()]
        self.count = len(counted)
        hit = [r for r in counted if r.test.vulnerable() and (r.right() or (lenient and r.verdict != "patched"))]
        self.true_positive = len(hit)
        self.false_positive = sum(not r.test.vulnerable() and not r.right() for r in counted)
        self.false_negative = sum(r.test.vulnerable() for r in counted) - len(hit)

    def precision(self):
        return self.true_positive / max(1, self.true_positive + self.false_positive)

    def recall(self):
        return self.true_positive / max(1, self.true_positive + self.false_negative)

    def f1(self):
        return 2 * self.true_positive / max(1, 2 * self.true_positive + self.false_positive + self.false_negative)


SORTS = ["right", "wrong patched", "wrong vulnerable", "partially patched", "unknown", "not-there", "broken", "same code"]


def table(title, groups):
    print(f"{title:24s} {'tests':>6s}" + "".join(f" {s:>{max(7, len(s))}s}" for s in SORTS) + f" {'P':>6s} {'R':>6s} {'F1':>6s}")
    for name, results in groups:
        counts = collections.Counter(r.sort() for r in results)
        score = Score(results)
        print(f"{name:24s} {len(results):6d}" + "".join(f" {counts[s]:{max(7, len(s))}d}" for s in SORTS)
              + f" {score.precision():6.3f} {score.recall():6.3f} {score.f1():6.3f}")
    print()


def grouped(results, key):
    groups = collections.defaultdict(list)
    for r in results:
        groups[key(r.test)].append(r)
    return sorted(groups.items())


def show(results, one):
    print()
    if len({r.test.patch.name for r in results}) > 1:
        table("patch", [(n, g) for n, g in grouped(results, lambda t: t.patch.name) if not all(r.right() or r.verdict == "same" for r in g)])
        table("kind", grouped(results, lambda t: t.patch.kind))
    table("compilation", grouped(results, lambda t: f"{t.compiler} -{t.level}"))
    table("architecture", grouped(results, lambda t: t.arch))
    table("version", grouped(results, lambda t: t.version))
    table("variant", grouped(results, lambda t: t.variant))
    table("all", [("all", results)])
    print(f"F1 with what is undecided taken for vulnerable: {Score(results, lenient=True).f1():.3f}")
    misplaced = sum(r.wrong_place for r in results)
    if misplaced:
        print(f"looked at another function: {misplaced}")
    seconds = sorted(r.seconds for r in results if r.seconds > 0)
    if seconds:
        print(f"seconds a test{', of the processor' if one else ''}: mean {sum(seconds) / len(seconds):.4f}, median {seconds[len(seconds) // 2]:.4f},"
              f" 95 % {seconds[len(seconds) * 95 // 100]:.4f}, longest {seconds[-1]:.4f}")


def fine(results, whole):
    # Of a half fix nothing may ever say that it is one.
    if any(r.verdict == "patched" and r.test.half() for r in results):
        return False
    if any(r.verdict == "broken" for r in results) or Score(results).f1() < (F1_ALL if whole else F1_SLICE):
        return False
    return not whole or all(Score(g).f1() >= F1_EACH for _, g in grouped(results, lambda t: (t.compiler, t.level)))


def run(options, builder, tests, more=(), batch=BATCH):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        questions = list(pool.map(lambda t: Question(builder, t), tests))
        list(pool.map(lambda b: ask(options, builder, b, more), batches(questions, batch)))
    results = [q.result for q in questions]
    for r in results:
        if (r.sort() not in ("right", "same code") or r.wrong_place) and (not options.quiet or r.verdict == "broken"):
            print(f"{r.sort().upper()}{' ELSEWHERE' if r.wrong_place else ''}: {r.test.label()}{': ' + r.reason if r.reason else ''}",
                  flush=True)
    return results


def arguments(p):
    p.add_argument("--assay", default="assay", help="the program")
    p.add_argument("--build", required=True, help="directory for what is compiled")
    p.add_argument("--slice", type=int, metavar="N", help="a fixed choice of N tests")
    p.add_argument("--case", action="append", metavar="NAME", help="only this patch; may be given again")
    p.add_argument("--fresh", action="store_true", help="the patches of fresh/, which nothing was made to fit")
    p.add_argument("--halves", action="store_true", help="the patches of halves/, whole and with each of their parts left out")
    p.add_argument("--arch", action="append", choices=patches.ARCHES)
    p.add_argument("--compiler", action="append", choices=corpus.COMPILERS)
    p.add_argument("--level", action="append", choices=corpus.LEVELS)
    p.add_argument("--version", action="append", metavar="VERSION", help="one of " + ", ".join(patches.VERSIONS) + ", half-N")
    p.add_argument("--variant", action="append", choices=patches.VARIANTS, help="how the target is made (sym)")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--timeout", type=int, default=60, help="seconds for an answer")
    p.add_argument("--extra", action="append", default=[], metavar="OPTION", help="handed on to assay present")
    p.add_argument("--compile-only", action="store_true", help="compile, and ask nothing")
    p.add_argument("--commands", action="store_true", help="with the command line of each wrong answer")
    p.add_argument("--quiet", action="store_true", help="list failures only")


def folder_of(options):
    return patches.HALVES if options.halves else patches.FRESH if options.fresh else patches.CASES


def choose(options):
    """The tests that the arguments name, and a builder."""
    try:
        every = patches.load(folder=folder_of(options))
        tests = all_tests(patches.load(options.case, folder_of(options)), options)
    except corpus.CorpusError as e:
        sys.exit(str(e))
    if options.slice:
        tests = sample(tests, options.slice)
    return tests, patches.Builder(options.build, every)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    arguments(p)
    p.add_argument("--ablation", choices=sorted(ABLATIONS), help="leave a step out")
    p.add_argument("--list", action="store_true", help="list the patches")
    options = p.parse_args()
    if options.list:
        for c in patches.load(options.case, folder_of(options)):
            print(f"{c.name:26s} {c.kind:24s} {c.why}")
        return 0
    tests, builder = choose(options)
    results = run(options, builder, tests, ABLATIONS.get(options.ablation, ()))
    show(results, options.jobs == 1)
    print(f"processor time, compiling included: {processor_seconds():.1f} s")
    return 0 if fine(results, not options.slice) else 1


if __name__ == "__main__":
    sys.exit(main())
