#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay verify` on fixes of published C projects, with the verdict that a person derives from reading each.

  fixes.py fetch DIR                 gets the source packages named in fixes.json with apt-get, and configures them
  fixes.py build DIR                 compiles each fixed file before and after its fix, and names those that do not differ
  fixes.py run DIR ASSAY             asks, and compares with the labels

--half tuning|aside|all and --only TEXT select fixes; --cc gcc,clang, --opt O2,O3 and --debug with,without select builds. Without them,
`build` makes all, and `run` asks about the half for tuning, gcc -O2 with debug information.

A fix is a file of debian/patches; the file before it is the one in the package with that patch taken back. The label is of the
whole object file: safe if every function that changed is. Fixes are in two halves by the hash of their names: one to tune with, and
one that is set aside for the end. Nothing that is fetched belongs into the repository.
"""
import argparse
import collections
import filecmp
import glob
import hashlib
import itertools
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
COMPILERS = {"gcc": [CROSS], "clang": ["clang", "--target=x86_64-linux-gnu"]}
HALVES = ("tuning", "aside")
KINDS = ("right", "wrong safe", "wrong unsafe", "bounded, safe", "bounded, unsafe", "unknown")
MIRRORS = ["http://deb.debian.org/debian bookworm main", "http://deb.debian.org/debian-security bookworm-security main"]


def table():
    with open(os.path.join(HERE, "fixes.json"), encoding="utf-8") as f:
        return json.load(f)


def name_of(fix):
    return "%s/%s/%s" % (fix[0], os.path.splitext(fix[1])[0], os.path.basename(fix[2]))


def half_of(fix):
    return HALVES[hashlib.sha256(name_of(fix).encode()).digest()[0] & 1]


def selected(args):
    return [fix for fix in table()["fixes"] if args.half in ("all", half_of(fix)) and args.only in name_of(fix)]


def object_of(directory, fix, cc, opt, debug, side):
    return os.path.join(directory, "pairs", name_of(fix), "%s-%s-%s-%s.o" % (cc, opt, "debug" if debug == "with" else "plain", side))


def tree_of(directory, project):
    return next((os.path.dirname(d) for d in sorted(glob.glob(os.path.join(directory, "source", project, "*", "debian")))), None)


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
    wanted = {fix[0] for fix in selected(args)}
    for project, how in table()["projects"].items():
        if project not in wanted:
            continue
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


def write_old(fix, tree, old):
    """Writes the file as it was before the fix. Returns what went wrong."""
    shutil.copy(os.path.join(tree, fix[2]), old)
    r = subprocess.run(["patch", "-R", "-s", "-F3", "--no-backup-if-mismatch", old], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       input=only_of(os.path.join(tree, "debian/patches", fix[1]), fix[2]).encode("utf-8", "surrogateescape"), check=False)
    return "the patch is not to be taken back: " + r.stdout.decode(errors="replace")[:200] if r.returncode else None


def compile_side(args, fix, tree, source, side, cc, opt):
    """Compiles with debug information, and takes that away for the object without: the code is the same. Returns what went wrong."""
    full, plain = (os.path.abspath(object_of(args.dir, fix, cc, opt, d, side)) for d in ("with", "without"))
    if os.path.exists(plain):
        return None
    # both under one name and with one number for all lines, so that nothing but the change differs
    link = os.path.join(os.path.dirname(os.path.join(tree, fix[2])), "assay_fix_" + os.path.basename(fix[2]))
    shutil.copy(source, link)
    r = subprocess.run(COMPILERS[cc] + ["-" + opt, "-g", "-w", "-c", "-fPIC", "-ffunction-sections", "-D__LINE__=0", "-o", full]
                       + table()["projects"][fix[0]]["flags"].split() + [os.path.relpath(link, tree)],
                       cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    os.remove(link)
    if r.returncode:
        return r.stdout.decode(errors="replace")[:300]
    subprocess.run(["llvm-objcopy", "--strip-debug", full, plain], check=True)
    return None


def build_fix(args, fix):
    """Makes the pairs of a fix. Returns those that are not usable, and why."""
    tree = tree_of(args.dir, fix[0])
    if not tree or not os.path.exists(os.path.join(tree, ".prepared")):
        return ["the package is not there"]
    target = os.path.join(args.dir, "pairs", name_of(fix))
    os.makedirs(target, exist_ok=True)
    new, old = os.path.join(tree, fix[2]), os.path.join(target, "old.c")
    why = write_old(fix, tree, old)
    if why:
        return [why]
    wrong = []
    for cc, opt in itertools.product(args.cc, args.opt):
        why = compile_side(args, fix, tree, old, "old", cc, opt) or compile_side(args, fix, tree, new, "new", cc, opt)
        if not why and filecmp.cmp(*(object_of(args.dir, fix, cc, opt, "without", side) for side in ("old", "new")), shallow=False):
            why = "the code is the same"
        if why:
            wrong.append("%s -%s: %s" % (cc, opt, why))
    return wrong


def build(args):
    bad = 0
    for fix in selected(args):
        wrong = build_fix(args, fix)
        if wrong:
            bad += 1
            print("%s: %s" % (name_of(fix), "; ".join(wrong)), flush=True)
    print("%d fixes, %d of them not usable in all builds" % (len(selected(args)), bad))
    return 1 if bad else 0


def ask(assay, pair, options, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        r = subprocess.run([assay, "verify", "--json", "--quiet", "--jobs=1"] + options + pair, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=limit, check=False)
        report = json.loads(r.stdout)
    except subprocess.TimeoutExpired:
        return {"verdict": "late"}, limit  # what its processes took is not known
    except ValueError:
        report = {"verdict": "error: " + r.stderr.decode(errors="replace")[:100]}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return report, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def kind_of(verdict, label):
    if verdict == "bounded":
        return "bounded, " + label
    if verdict not in ("safe", "unsafe", "identical", "unchanged"):
        return "unknown"
    if (verdict == "unsafe") == (label == "unsafe"):
        return "right"
    return "wrong unsafe" if verdict == "unsafe" else "wrong safe"


def summary(what, kinds, times):
    times.sort()
    print("%s: %d pairs: %s; processor time: median %.2f s, 95 %% under %.2f s, sum %.0f s" % (
        what, len(kinds), ", ".join("%s %d (%.0f %%)" % (k, kinds.count(k), 100 * kinds.count(k) / len(kinds)) for k in KINDS),
        times[len(times) // 2], times[len(times) * 95 // 100], sum(times)))


def run(args):
    kinds, times, functions = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
    results = open(args.results, "w", encoding="utf-8") if args.results else None
    for fix, cc, opt, debug in itertools.product(selected(args), args.cc, args.opt, args.debug):
        pair = [object_of(args.dir, fix, cc, opt, debug, side) for side in ("old", "new")]
        build_name = "%s-%s-%s" % (cc, opt, debug)
        if not all(os.path.exists(p) for p in pair):
            print("missing  %s %s" % (name_of(fix), build_name))
            continue
        report, seconds = ask(args.assay, pair, ["--timeout", args.timeout] + args.extra, args.limit)
        changed = [f for file in report.get("files", []) for f in file.get("functions", []) if f.get("verdict")]
        for f in changed:
            functions[f["verdict"]] += 1
        kind = kind_of(report["verdict"], fix[3])
        kinds[half_of(fix)].append(kind)
        times[half_of(fix)].append(seconds)
        why = "; ".join("%s: %s %s" % (f.get("name") or f["old"].get("name"), f["verdict"], f.get("reason") or "")
                        for f in changed if f["verdict"] not in ("safe", "unchanged"))
        print("%-12s %-9s %6.2f s  %s %s  %s" % (kind, report["verdict"], seconds, name_of(fix), build_name, why[:150]), flush=True)
        if results:
            results.write(json.dumps({"fix": name_of(fix), "half": half_of(fix), "cc": cc, "opt": opt, "debug": debug, "label": fix[3],
                                      "verdict": report["verdict"], "kind": kind, "seconds": seconds}) + "\n")
    for half in kinds:
        summary(half, kinds[half], times[half])
    if len(kinds) > 1:
        summary("both", sum(kinds.values(), []), sum(times.values(), []))
    print("changed functions: %s" % ", ".join("%s %d" % x for x in sorted(functions.items())))
    return 1 if any("wrong safe" in k for k in kinds.values()) else 0


def several(of):
    """An argument of several of these, separated by commas."""
    def split(text):
        if not set(text.split(",")) <= set(of):
            raise argparse.ArgumentTypeError("not one of " + ", ".join(of))
        return text.split(",")
    return split


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["fetch", "build", "run"])
    p.add_argument("dir")
    p.add_argument("assay", nargs="?")
    p.add_argument("--half", choices=[*HALVES, "all"])
    p.add_argument("--only", default="", metavar="TEXT", help="fixes with this in their names")
    p.add_argument("--cc", type=several(COMPILERS))
    p.add_argument("--opt", type=several(["O2", "O3"]))
    p.add_argument("--debug", type=several(["with", "without"]), default=["with"])
    p.add_argument("--timeout", default="10s", help="given to assay: for one function")
    p.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for one pair")
    p.add_argument("--results", metavar="FILE")
    p.add_argument("--extra", action="append", default=[], metavar="OPTION")
    args = p.parse_args()
    args.half = args.half or ("tuning" if args.what == "run" else "all")
    args.cc = args.cc or (["gcc"] if args.what == "run" else list(COMPILERS))
    args.opt = args.opt or (["O2"] if args.what == "run" else ["O2", "O3"])
    if args.what == "fetch":
        return fetch(args)
    if args.what == "build":
        return build(args)
    if not args.assay:
        p.error("run needs ASSAY")
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
