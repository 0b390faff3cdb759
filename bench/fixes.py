#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay verify` on fixes of published C projects, with the verdict that a person derives from reading each.

  fixes.py fetch DIR                 gets the source packages named in fixes.json with apt-get, and configures them
  fixes.py build DIR                 compiles each fixed file before and after its fix, with and without debug information
  fixes.py run DIR ASSAY [--half tune|kept|all] [--only TEXT] [--timeout TIME] [--limit SECONDS] [--results FILE] [--extra OPTION]

A fix is a file of debian/patches; the file before it is the one in the package with that patch taken back. The label is of the
whole object file: safe if every function that changed is. Fixes are in two halves by the hash of their names: one to work with, and
one that is kept for the end. Nothing that is fetched belongs into the repository.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

HERE = os.path.dirname(os.path.abspath(__file__))
CROSS = "x86_64-linux-gnu-gcc"
BUILDS = [("gcc-O2", [CROSS, "-O2"]), ("clang-O2", ["clang", "--target=x86_64-linux-gnu", "-O2"])]
DEBUG = [("plain", []), ("debug", ["-g"])]
MIRRORS = ["http://deb.debian.org/debian bookworm main", "http://deb.debian.org/debian-security bookworm-security main"]


def table():
    with open(os.path.join(HERE, "fixes.json"), encoding="utf-8") as f:
        return json.load(f)


def name_of(fix):
    return "%s/%s/%s" % (fix[0], os.path.splitext(fix[1])[0], os.path.basename(fix[2]))


def half_of(fix):
    return "kept" if hashlib.sha256(name_of(fix).encode()).digest()[0] & 1 else "tune"


def tree_of(directory, project):
    base = os.path.join(directory, "source", project)
    return next((os.path.join(base, d) for d in sorted(os.listdir(base)) if os.path.isdir(os.path.join(base, d, "debian"))), None)


def fetch(args):
    lists = os.path.join(args.dir, "apt")
    for sub in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(lists, sub), exist_ok=True)
    with open(os.path.join(lists, "sources.list"), "w", encoding="utf-8") as f:
        for m in MIRRORS:
            f.write("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s\n" % m)
    lists = os.path.abspath(lists)
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::SourceList=%s/sources.list" % lists, "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", "Dir::State::Lists=%s/lists" % lists, "-o", "Dir::Cache=%s/cache" % lists, "-o", "APT::Sandbox::User=root"]
    subprocess.run(apt + ["update"], check=True)
    for project, how in table()["projects"].items():
        place = os.path.join(args.dir, "source", project)
        os.makedirs(place, exist_ok=True)
        if not tree_of(args.dir, project):
            subprocess.run(apt + ["source", project], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        tree = tree_of(args.dir, project)
        if not tree:
            print("%s: not to be had" % project)
            continue
        if not os.path.exists(os.path.join(tree, ".prepared")):
            r = subprocess.run(["sh", "-c", how["prepare"]], cwd=tree, env=dict(os.environ, CROSS=CROSS),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if r.returncode:
                print("%s: not configured: %s" % (project, r.stdout.decode(errors="replace")[-400:]))
                continue
            open(os.path.join(tree, ".prepared"), "w", encoding="utf-8").close()
        print("%s: ready" % project)


def only_of(patch, path):
    """The part of a patch that is about one file."""
    out, on = [], False
    with open(patch, encoding="utf-8", errors="surrogateescape") as f:
        lines = f.read().split("\n")
    for i, line in enumerate(lines):
        if line.startswith("--- ") and i + 1 < len(lines) and lines[i + 1].startswith("+++ "):
            new = lines[i + 1][4:].split("\t")[0].split(" ")[0]
            on = new == path or new.split("/", 1)[-1] == path
        elif re.match(r"(diff |Index: |-- $)", line):
            on = False
        if on:
            out.append(line)
    return "\n".join(out) + "\n"


def build(args):
    t = table()
    for fix in t["fixes"]:
        project, patch, path, _, _ = fix
        tree = tree_of(args.dir, project)
        if not tree:
            continue
        target = os.path.abspath(os.path.join(args.dir, "pairs", name_of(fix)))
        os.makedirs(target, exist_ok=True)
        new, old = os.path.join(tree, path), os.path.join(target, "old.c")
        shutil.copy(new, old)
        r = subprocess.run(["patch", "-R", "-s", "-F3", "--no-backup-if-mismatch", old], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           input=only_of(os.path.join(tree, "debian/patches", patch), path).encode("utf-8", "surrogateescape"), check=False)
        if r.returncode:
            print("%s: the patch is not to be taken back: %s" % (name_of(fix), r.stdout.decode(errors="replace")[:200]))
            continue
        for (b, compiler) in BUILDS:
            for (d, debug) in DEBUG:
                for side, source in (("old", old), ("new", new)):
                    out = os.path.join(target, "%s-%s-%s.o" % (b, d, side))
                    if os.path.exists(out):
                        continue
                    # both under one name, so that nothing but the change differs
                    link = os.path.join(os.path.dirname(new), "assay_fix_" + os.path.basename(path))
                    shutil.copy(source, link)
                    r = subprocess.run(compiler + debug + ["-w", "-c", "-fPIC", "-ffunction-sections", "-o", out] + t["projects"][project]["flags"].split()
                                       + [os.path.relpath(link, tree)], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                    os.remove(link)
                    if r.returncode:
                        print("%s %s: %s" % (name_of(fix), b, r.stdout.decode(errors="replace")[:300]))
                        break


def ask(assay, pair, options, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        r = subprocess.run([assay, "verify", "--json", "--quiet", "--jobs=1"] + options + pair, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=limit, check=False)
        report = json.loads(r.stdout)
    except subprocess.TimeoutExpired:
        report = {"verdict": "late"}
    except ValueError:
        report = {"verdict": "error: " + r.stderr.decode(errors="replace")[:100]}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return report, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(args):
    count, times, functions = collections.Counter(), [], collections.Counter()
    results = open(args.results, "w", encoding="utf-8") if args.results else None
    for fix in table()["fixes"]:
        if args.half not in ("all", half_of(fix)) or args.only not in name_of(fix):
            continue
        for b, _ in BUILDS:
            for d, _ in DEBUG:
                if args.builds and "%s-%s" % (b, d) not in args.builds.split(","):
                    continue
                pair = [os.path.join(args.dir, "pairs", name_of(fix), "%s-%s-%s.o" % (b, d, s)) for s in ("old", "new")]
                if not all(os.path.exists(p) for p in pair):
                    continue
                report, seconds = ask(args.assay, pair, ["--timeout", args.timeout] + args.extra, args.limit)
                verdict = report["verdict"]
                changed = [f for file in report.get("files", []) for f in file.get("functions", []) if f.get("verdict")]
                for f in changed:
                    functions[f["verdict"]] += 1
                if verdict in ("undetermined", "unknown", "late") or verdict not in ("safe", "unsafe", "identical", "unchanged"):
                    kind = "unknown"
                elif (verdict == "unsafe") == (fix[3] == "unsafe"):
                    kind = "right"
                else:
                    kind = "WRONG " + verdict
                count[kind] += 1
                times.append(seconds)
                why = "; ".join("%s: %s %s" % (f.get("name") or f["old"].get("name"), f["verdict"], f.get("reason") or "")
                                for f in changed if f["verdict"] not in ("safe", "unchanged"))
                print("%-8s %-9s %6.2f s  %s %s-%s  %s" % (kind, verdict, seconds, name_of(fix), b, d, why[:150]), flush=True)
                if results:
                    results.write(json.dumps({"fix": name_of(fix), "build": b, "debug": d, "label": fix[3], "verdict": verdict, "kind": kind,
                                              "seconds": seconds}) + "\n")
    total = sum(count.values()) or 1
    times.sort()
    print("%d pairs: %s" % (total, ", ".join("%s %d (%.0f %%)" % (k, n, 100 * n / total) for k, n in sorted(count.items()))))
    print("changed functions: %s" % ", ".join("%s %d" % x for x in sorted(functions.items())))
    if times:
        print("processor time: median %.2f s, 95 %% under %.2f s, sum %.0f s" % (times[len(times) // 2], times[len(times) * 95 // 100], sum(times)))
    return 1 if any(k.startswith("WRONG safe") for k in count) else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["fetch", "build", "run"])
    p.add_argument("dir")
    p.add_argument("assay", nargs="?")
    p.add_argument("--half", default="tune", choices=["tune", "kept", "all"])
    p.add_argument("--only", default="")
    p.add_argument("--builds", default="")
    p.add_argument("--timeout", default="10s")
    p.add_argument("--limit", type=float, default=600)
    p.add_argument("--results")
    p.add_argument("--extra", action="append", default=[])
    args = p.parse_args()
    if args.what == "fetch":
        return fetch(args)
    if args.what == "build":
        return build(args)
    if not args.assay:
        p.error("run needs ASSAY")
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
