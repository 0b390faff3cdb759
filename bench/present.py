#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often `assay present` is right about the patches of tests/patches, what its steps are worth, and how long it takes.

Prints tables as they are in docs/benchmarks.md. Everything takes an hour or two; --slice N makes it a fixed choice of N tests a row.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "patches"))
import run  # noqa: E402  (before patches, which makes the folder of another run.py known)
import patches  # noqa: E402

# Tables 2 and 4 of the paper (x86-64 only).
PAPER = {("gcc", "O0"): (0.92, 0.98, 0.95), ("gcc", "O1"): (0.89, 1, 0.94), ("gcc", "O2"): (0.87, 1, 0.93), ("gcc", "O3"): (0.87, 1, 0.93),
         ("clang", "O0"): (0.91, 0.98, 0.94), ("clang", "O1"): (0.86, 0.96, 0.91), ("clang", "O2"): (0.85, 0.96, 0.90),
         ("clang", "O3"): (0.85, 0.96, 0.90)}
PAPER_ABLATION = {"all steps": (0.88, 0.98, 0.93), "no-solver": (0.66, 0.99, 0.80), "no-ranking": (0.88, 0.95, 0.92),
                  "no-refinement": (0.79, 0.95, 0.86)}


TIMED = 200


def row(name, results, paper=None):
    s = run.Score(results)
    undecided = sum(r.verdict in ("unknown", "not-there") for r in results)
    theirs = " | ".join(f"{v:.2f}" for v in paper) if paper else " | | "
    print(f"| {name} | {s.count} | {s.precision():.3f} | {s.recall():.3f} | {s.f1():.3f} | {undecided} | {theirs} |", flush=True)


def head(title):
    print(f"\n| {title} | tests | precision | recall | F1 | undecided | paper: precision | recall | F1 |\n|---|---|---|---|---|---|---|---|---|")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    run.arguments(p)
    options = p.parse_args()
    options.variant = options.variant or patches.VARIANTS[:1]
    tests, builder = run.choose(options)
    print(f"{len({t.patch.name for t in tests})} patches, {len(tests)} tests")
    results = run.run(options, builder, tests)
    head("compiler")
    for key, group in run.grouped(results, lambda t: (t.compiler, t.level)):
        row(" -".join(key), group, PAPER.get(key))
    row("all", results, PAPER_ABLATION["all steps"])
    head("target")
    for name, group in run.grouped(results, lambda t: t.arch):
        row(name, group)
    for name, group in run.grouped(results, lambda t: "later version" if t.version.endswith("later") else "version of the patch"):
        row(name, group)
    for variant in patches.VARIANTS[1:]:
        options.variant = [variant]
        row(variant, run.run(options, builder, run.choose(options)[0]))
    head("steps")
    row("all steps", results, PAPER_ABLATION["all steps"])
    for name, more in run.ABLATIONS.items():
        row(name, run.run(options, builder, tests, more), PAPER_ABLATION[name])
    same = sum(r.verdict == "same" for r in results)
    print(f"\nleft out, since the compiler makes the same of both versions: {same}")
    print(f"F1 when what is not decided is taken for vulnerable: {run.Score(results, lenient=True).f1():.3f}")
    # References are in the cache by now; a call for each target, as somebody at a terminal would make it.
    options.jobs = 1
    seconds = sorted(r.seconds for r in run.run(options, builder, run.sample(tests, TIMED), batch=1) if r.seconds > 0)
    if seconds:
        print(f"processor seconds a test, target lifted, references cached: mean {sum(seconds) / len(seconds):.4f}, least {seconds[0]:.4f},"
              f" greatest {seconds[-1]:.4f}")
    return 0 if run.fine(results, not options.slice) else 1


if __name__ == "__main__":
    sys.exit(main())
