#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How `assay wp` does on whole programs.

  wp.py ASSAY sample PROGRAM [EVERY]       every EVERY-th function of one program: does RBX (X19) survive? Prints size of the
                                           function, of the condition, processor time and verdict, and a summary
  wp.py ASSAY compare ORIGINAL MODIFIED    every function of two builds: do callee-saved registers agree at the end?
"""
import json
import resource
import subprocess
import sys

SAVED = {"x86-64": "RBX,RBP,R12,R13,R14,R15", "aarch64": "X19,X20,X21,X22,X23,X24,X25,X26,X27,X28,X29"}


def run(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def machine(assay, program):
    text = run(assay, "info", program)[0].stdout.decode()
    return "aarch64" if "aarch64" in text.split("\n")[0].lower() else "x86-64"


def sample(assay, program, every):
    names = json.loads(run(assay, "functions", "--json", program)[0].stdout)["functions"]
    names = [f["address"] for f in names if not set(f["flags"]) & {"plt", "part", "extern"}][::every]
    register = SAVED[machine(assay, program)].split(",")[0]
    opening = min(run(assay, "cfg", program, names[0])[1] for _ in range(3))
    rows = []
    for address in names:
        r, seconds = run(assay, "wp", "--func=" + address, "--postcond=(assert (= %s init_%s))" % (register, register), "--json",
                         "--stats", "--timeout=10s", program)
        doc = json.loads(r.stdout) if r.stdout else {}
        e = (doc.get("checked") or [{}])[0]
        st = e.get("stats", {})
        rows.append((max(0, seconds - opening), e.get("verdict", "none"), st.get("instructions", 0), st.get("terms", 0), address))
        print("%s %6.3f s  %-8s %5d instructions %7d terms" % (address, *rows[-1][:4]))
    decided = [r for r in rows if r[1] in ("sat", "unsat")]
    print("%d functions; %d decided, %d of them in under 1 s of processor time (%.1f %% of all); median %.3f s" %
          (len(rows), len(decided), sum(r[0] < 1 for r in decided), 100 * sum(r[0] < 1 for r in decided) / len(rows),
           sorted(r[0] for r in rows)[len(rows) // 2]))


def compare(assay, original, modified):
    r, seconds = run(assay, "wp", "--all", "--json", "--timeout=10s", "--compare-post-reg-values=" + SAVED[machine(assay, original)],
                     original, modified)
    count = {}
    for e in json.loads(r.stdout)["checked"]:
        count[e["verdict"]] = count.get(e["verdict"], 0) + 1
    n = sum(v for k, v in count.items() if k != "absent")
    for k, v in sorted(count.items()):
        print("%-8s %5d%s" % (k, v, "" if k == "absent" else "  %.1f %%" % (100 * v / n)))
    print("%d functions, %.1f s of processor time" % (n, seconds))


if len(sys.argv) > 3 and sys.argv[2] == "sample":
    sample(sys.argv[1], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 1)
elif len(sys.argv) == 5 and sys.argv[2] == "compare":
    compare(sys.argv[1], sys.argv[3], sys.argv[4])
else:
    sys.exit(__doc__)
