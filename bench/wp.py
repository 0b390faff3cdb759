#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How `assay wp` does on whole programs. Times are of the processor, so that other work on the machine counts little.

  wp.py ASSAY sample PROGRAM [EVERY [ROWS]]  every EVERY-th function of one program: does RBX (X19) survive? Prints size of the
                                             function, of the condition, times and verdict, and a summary; ROWS gets a table
  wp.py plot ROWS FILE.svg                   draws that table: condition and time to build it against the function's size
  wp.py ASSAY compare ORIGINAL MODIFIED      every function of two builds: do callee-saved registers agree at the end? 10 s each
"""
import json
import math

import re
import resource
import subprocess
import sys

SAVED = {"x86-64": "RBX,RBP,R12,R13,R14,R15", "aarch64": "X19,X20,X21,X22,X23,X24,X25,X26,X27,X28,X29"}
LIMIT = 10


def run(*args, limit=None):
    def bound():
        if limit:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=bound)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def machine(assay, program):
    text = run(assay, "info", program)[0].stdout.decode()
    return "aarch64" if "aarch64" in text.split("\n")[0].lower() else "x86-64"


def functions(assay, program):
    names = json.loads(run(assay, "functions", "--json", program)[0].stdout)["functions"]
    return [f for f in names if not set(f["flags"]) & {"plt", "part", "extern"}]


def opening(assay, program, function):
    """Time to open the program, which every question pays."""
    return min(run(assay, "cfg", program, function)[1] for _ in range(3))


def sample(assay, program, every, rows_file):
    names = [f["address"] for f in functions(assay, program)][::every]
    register = SAVED[machine(assay, program)].split(",")[0]
    once = opening(assay, program, names[0])
    rows = []
    for address in names:
        r, seconds = run(assay, "wp", "--func=" + address, "--postcond=(assert (= %s init_%s))" % (register, register), "--json",
                         "--stats", "--show=diagnostics", "--timeout=100s", program, limit=LIMIT + 2)
        doc = json.loads(r.stdout) if r.stdout else {}
        e = (doc.get("checked") or [{}])[0]
        st = e.get("stats", {})
        built = re.search(rb"built in (\d+) ms", r.stderr)
        rows.append((max(0, seconds - once), e.get("verdict", "none"), st.get("instructions", 0), st.get("terms", 0),
                     st.get("condition_terms", 0), int(built.group(1)) if built else 0, address))
        print("%-8s %6.3f s  %-8s %5d instructions %7d terms %6d of them the condition, built in %d ms" %
              (address, *rows[-1][:6]), flush=True)
    decided = [r for r in rows if r[1] in ("sat", "unsat")]
    print("%d functions; %d decided, %d of them in under 1 s of processor time (%.1f %% of all); median %.3f s" %
          (len(rows), len(decided), sum(r[0] < 1 for r in decided), 100 * sum(r[0] < 1 for r in decided) / len(rows),
           sorted(r[0] for r in rows)[len(rows) // 2]))
    if rows_file:
        with open(rows_file, "w") as f:
            for r in rows:
                f.write("\t".join(map(str, r)) + "\n")


def plot(rows_file, svg):
    with open(rows_file) as f:
        rows = [l.rstrip("\n").split("\t") for l in f]
    size = [int(r[2]) for r in rows]
    panels = (("terms made for the condition", [int(r[3]) for r in rows]), ("milliseconds to build it", [int(r[5]) for r in rows]))
    wide, high, left, top, gap = 330, 260, 62, 24, 90
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">' %
           (2 * wide + gap + left + 20, high + top + 46), '<rect width="100%" height="100%" fill="white"/>']
    decades = [(0, max(1, math.ceil(math.log10(max(size + [10])))))]
    for k, (label, values) in enumerate(panels):
        x0, top_decade = left + k * (wide + gap), max(1, math.ceil(math.log10(max(values + [10]))))

        def at(x, y):
            return (x0 + wide * math.log10(max(x, 1)) / decades[0][1], top + high - high * math.log10(max(y, 1)) / top_decade)
        out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>' % (x0, top, wide, high))
        for d in range(decades[0][1] + 1):
            x, _ = at(10 ** d, 1)
            out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/>' % (x, top, x, top + high))
            out.append('<text x="%.1f" y="%d" text-anchor="middle">%d</text>' % (x, top + high + 14, 10 ** d))
        for d in range(top_decade + 1):
            _, y = at(1, 10 ** d)
            out.append('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>' % (x0, y, x0 + wide, y))
            out.append('<text x="%d" y="%.1f" text-anchor="end">%d</text>' % (x0 - 4, y + 4, 10 ** d))
        for x, y in zip(size, values):
            out.append('<circle cx="%.1f" cy="%.1f" r="2" fill="#246" fill-opacity="0.6"/>' % at(x, y))
        out.append('<text x="%d" y="%d">%s</text>' % (x0, top - 8, label))
        out.append('<text x="%d" y="%d" text-anchor="end">instructions of the function</text>' % (x0 + wide, top + high + 32))
    with open(svg, "w") as f:
        f.write("\n".join(out + ["</svg>"]) + "\n")


def compare(assay, original, modified):
    registers = SAVED[machine(assay, original)]
    there = {f["name"] for f in functions(assay, modified)}
    names = [f["name"] for f in functions(assay, original) if f["name"] in there]
    once = opening(assay, original, names[0]) + opening(assay, modified, names[0])
    count, total = {}, 0
    for name in names:
        r, seconds = run(assay, "wp", "--func=" + name, "--json", "--timeout=150s", "--compare-post-reg-values=" + registers, original,
                         modified, limit=LIMIT + 2)
        e = (json.loads(r.stdout).get("checked") or [{}])[0] if r.stdout else {}
        verdict = e.get("verdict", "timeout")
        if seconds - once > LIMIT:
            verdict = "timeout"
        if verdict not in ("unsat",):
            print("%-8s %6.2f s  %s: %s" % (verdict, seconds - once, name, e.get("reason", "")), flush=True)
        count[verdict] = count.get(verdict, 0) + 1
        total += seconds
    for k, v in sorted(count.items()):
        print("%-8s %5d  %.1f %%" % (k, v, 100 * v / len(names)))
    print("%d functions, %.1f s of processor time" % (len(names), total))


if len(sys.argv) > 3 and sys.argv[2] == "sample":
    sample(sys.argv[1], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 1, sys.argv[5] if len(sys.argv) > 5 else None)
elif len(sys.argv) == 5 and sys.argv[2] == "compare":
    compare(sys.argv[1], sys.argv[3], sys.argv[4])
elif len(sys.argv) == 4 and sys.argv[1] == "plot":
    plot(sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__)
