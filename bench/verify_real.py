#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay verify` on pairs of packages as they were published.

  verify_real.py ASSAY DIR [--only NAME/ARCH]... [--timeout TIME] [--jobs N] [--keep DIR]

DIR holds NAME/ARCH/{old,new}/PACKAGE. Prints a line a package (functions paired, changed, their verdicts, processor and wall
time, the largest process) and what most of the unknown verdicts come from. --keep saves the JSON reports. Exit status 1 when a run ended
otherwise than with a verdict, or a function's worker died.
"""
import argparse
import collections
import json
import os
import re
import resource
import subprocess
import sys
import time

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

CRASHES = re.compile(r"crash|signal|assert|killed|died")


def class_of(reason):
    """The reason without what is only about one function."""
    reason = re.sub(r"0x[0-9a-f]+", "ADDRESS", reason or "none given")
    reason = re.sub(r"(calls of) \S+", r"\1 ...", reason)
    return re.sub(r"\d+", "N", reason)


def run(assay, old, new, options):
    """The report and its cost, in a child of its own: the largest process is known only of all children together."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        begun = time.monotonic()
        r = subprocess.run([assay, "verify", "--json", *options, old, new], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        with os.fdopen(write, "wb") as f:
            head = {"code": r.returncode, "wall": time.monotonic() - begun, "cpu": u.ru_utime + u.ru_stime,
                    "kib": u.ru_maxrss, "stderr": r.stderr.decode(errors="replace")}
            f.write(json.dumps(head).encode() + b"\n" + r.stdout)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as f:
        head = json.loads(f.readline())
        text = f.read()
    os.waitpid(pid, 0)
    return head, text


def package(args, name, count):
    old, new = (os.path.join(args.dir, name, side) for side in ("old", "new"))
    old, new = (os.path.join(d, sorted(os.listdir(d))[0]) for d in (old, new))
    head, text = run(args.assay, old, new, ["--jobs", str(args.jobs), "--timeout", args.timeout])
    bad = []
    try:
        doc = json.loads(text)
    except ValueError:
        return None, ["%s: exit status %d, no report: %s" % (name, head["code"], head["stderr"].strip()[:200])]
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
        with open(os.path.join(args.keep, name.replace("/", "-") + ".json"), "wb") as f:
            f.write(text)
    if head["code"] not in (0, 1, 3):
        bad.append("%s: exit status %d: %s" % (name, head["code"], head["stderr"].strip()[:200]))
    s = doc["summary"]
    for f in doc["files"]:
        if f.get("error"):
            bad.append("%s: %s: %s" % (name, (f["new"] or f["old"])["path"], f["error"]))
        for x in f["functions"]:
            if x["verdict"] in ("unknown", "bounded"):
                count[class_of(x["reason"])] += 1
                if CRASHES.search(x["reason"] or ""):
                    bad.append("%s: %s at %s: %s" % (name, x["name"], x["old"]["address"], x["reason"]))
    changed = s["safe"] + s["unsafe"] + s["unknown"] + s["bounded"]
    row = (name, s["identical"] + changed, changed, s["safe"], s["unsafe"], s["unknown"], s["bounded"], s["added"], s["removed"], doc["verdict"],
           head["cpu"], head["wall"], head["kib"] // 1024)
    return row, bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("assay")
    p.add_argument("dir")
    p.add_argument("--only", action="append")
    p.add_argument("--timeout", default="10s")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--keep")
    args = p.parse_args()
    names = args.only or sorted("%s/%s" % (n, a) for n in os.listdir(args.dir) if os.path.isdir(os.path.join(args.dir, n))
                                for a in os.listdir(os.path.join(args.dir, n)))
    count, rows, failed = collections.Counter(), [], []
    print("| package | paired | changed | safe | unsafe | unknown | bounded | added | removed | verdict | processor | wall | memory |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    line = "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %.0f s | %.0f s | %d MiB |"
    for name in names:
        row, bad = package(args, name, count)
        failed += bad
        if row:
            rows.append(row)
            print(line % row, flush=True)
    if rows:
        total = [sum(r[i] for r in rows) for i in range(1, 9)]
        print(line % ("all", *total, "", sum(r[10] for r in rows), sum(r[11] for r in rows), max(r[12] for r in rows)))
    print()
    for reason, n in count.most_common(20):
        print("%5d %5.1f %%  %s" % (n, 100 * n / sum(count.values()), reason))
    for text in failed:
        print("FAILED", text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
