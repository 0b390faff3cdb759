#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks assay poc about the programs of programs.py, and compares with what runs on all inputs say.

A repair is right when, built with checks of every bound that the compiler knows and run with the guarding allocator, it
goes wrong on no input of the program's input space, and does what the original does wherever that goes wrong on none.
What was found out is kept in the file of --labels. With --guard, each input that refutes is run again in the same way. Fails when a right
repair is refuted or a wrong one proved, an input does not show what is said of it, or fewer than three of four wrong ones are refuted."""
import argparse
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

import programs

HARNESS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int program_main(int, char **);
int main(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        fflush(stdout);
        pid_t p = fork();
        if (!p) {
            char *v[10] = {"x"}; int n = 1;
            for (char *t = strtok(line, " \\n"); t; t = strtok(NULL, " \\n")) v[n++] = t;
            v[n] = NULL;
            alarm(5);
            dup2(open_null(), 2);
            exit(program_main(n, v));
        }
        int s;
        waitpid(p, &s, 0);
        printf("|%d\\n", s);
    }
    return 0;
}
"""
HARNESS = HARNESS.replace("int program_main", "#include <fcntl.h>\nstatic int open_null(void) { return open(\"/dev/null\", O_WRONLY); }\nint program_main", 1)


GUARD = None


def build(program, repair, out, compiler, flags, sanitize=False):
    if os.path.exists(out):
        return out
    f, d = program.sources(repair)
    with open(out + ".f.c", "w") as x:
        x.write(f)
    with open(out + ".d.c", "w") as x:
        x.write(d.replace("int main(", "int program_main(") if sanitize else d)
    sources = [out + ".f.c", out + ".d.c"]
    how = ["-w", "-g", *flags, *program.flags]
    if sanitize:
        with open(out + ".h.c", "w") as x:
            x.write(HARNESS)
        sources.append(out + ".h.c")
        how = ["-w", "-O0", "-fsanitize=undefined,bounds-strict", "-fsanitize-undefined-trap-on-error", "-fno-stack-protector"]
    subprocess.run([*compiler, *how, "-o", out, *sources], check=True)
    return out


def behaviours(binary, inputs):
    lines = "".join(" ".join(map(str, i)) + "\n" for i in inputs)
    env = dict(os.environ, LD_PRELOAD=GUARD)
    out = subprocess.run([binary], input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env).stdout
    return out.decode("latin-1").split("\n")


def parse(lines, n):
    """What each input gives: text and status, or None when it goes wrong."""
    out, text = [], ""
    for l in lines:
        if "|" not in l:
            text += l + "\n"
            continue
        before, status = l.rsplit("|", 1)
        status = int(status)
        wrong = status & 127
        out.append(None if wrong else (text + before, status))
        text = ""
    assert len(out) == n, (len(out), n)
    return out


def checked(program, repair, dir, name, inputs):
    """What the program does on each input with checks of every bound."""
    binary = build(program, repair, os.path.join(dir, "checked-" + name), ["gcc"], [], True)
    return parse(behaviours(binary, inputs), len(inputs))


def label(program, repairs, dir):
    """For each repair: is it right?"""
    inputs = list(itertools.product(*program.inputs))
    old = checked(program, "", dir, "old", inputs)
    assert None in old, program.name + ": nothing goes wrong"
    right = {}
    for name, repair in repairs.items():
        new = checked(program, repair, dir, name, inputs)
        right[name] = all(x is not None and (o is None or o == x) for o, x in zip(old, new))
    return right


def reproduces(program, repair, name, candidate, dir, number):
    """Whether the input that was written shows in runs of both programs, without assay, what is said of it: with checks, or, where the
    stack protector is what tells, in the programs themselves."""
    with open(os.path.join(dir, "found", "candidate%d.args" % number)) as f:
        given = f.read().split()
    old, = checked(program, "", dir, "old", [given])
    new, = checked(program, repair, dir, name, [given])
    if candidate["finding"] == "crash-same":
        return old is None and new is None
    if candidate["finding"] == "regression":
        return old is not None and new is not None and old != new
    return old is not None and new is None


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--assay", required=True)
    p.add_argument("--guard", help="the guarding allocator of this machine, for labels")
    p.add_argument("--only", action="append", help="programs whose names begin so")
    p.add_argument("--labels", help="file to keep what is right in")
    p.add_argument("--cc", default="gcc")
    p.add_argument("-O", default="1")
    p.add_argument("--jobs", default="2")
    p.add_argument("--option", action="append", default=[], help="of assay poc; repeatable")
    p.add_argument("--strip", action="store_true", help="without debug information")
    p.add_argument("--part", choices=("seen", "aside"), help="only programs that were looked at while poc was mended, or those that were put aside")
    p.add_argument("--refactored", action="store_true", help="ask about other ways to write the right repairs instead")
    p.add_argument("--ablation", action="store_true", help="ask again with each option that leaves something out, and print a table")
    p.add_argument("--timing", action="store_true", help="what a hundred candidates cost, beside one")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    global GUARD
    GUARD = args.guard
    if args.timing:
        return timing(args)
    if args.ablation:
        return ablation(args)
    table, seconds, bad = ask(args, args.option, True)
    for truth in (True, False):
        row = {v: n for (t, v), n in sorted(table.items()) if t == truth}
        print("%s: %s of %d" % ("right repairs" if truth else "wrong repairs", ", ".join("%d %s" % (n, v) for v, n in row.items()), total(table, truth)))
    if seconds:
        print("%.2f s of the processor a candidate in the median" % sorted(seconds)[len(seconds) // 2])
    wrong = total(table, False)
    sys.exit(1 if bad or table.get((False, "refuted"), 0) * 4 < wrong * 3 else 0)


def processor():
    """Seconds of the processor that commands have used."""
    return sum(os.times()[2:4])


def total(table, truth):
    return sum(n for (t, v), n in table.items() if t == truth and not v.startswith("of these"))


def ablation(args):
    """As the paper's tables: recall is the share of right repairs that are not refuted, specificity that of wrong ones that are."""
    print("| | recall | specificity | refuted or doubtful | s a candidate |\n|---|---|---|---|---|")
    keep = tempfile.TemporaryDirectory()
    for options in ([], ["--rubric=witness"], ["--no-heuristic"], ["--uc"], ["-k", "0"], ["-k", "6"], ["-k", "9"], ["--no-order"], ["--no-concretise"],
                    ["--no-function-pointers"], ["--regression=branches"], ["--regression=both"]):
        table, seconds, _ = ask(args, options, False, keep.name)
        right, wrong = total(table, True), total(table, False)
        out = table.get((False, "refuted"), 0)
        print("| %s | %.0f %% | %.0f %% | %.0f %% | %.2f |" % (" ".join(options) or "as it is", 100 * (1 - table.get((True, "refuted"), 0) / max(right, 1)), 100 * out / max(wrong, 1),
              100 * (out + table.get((False, "doubtful"), 0)) / max(wrong, 1), sorted(seconds)[len(seconds) // 2] if seconds else 0), flush=True)


def timing(args):
    """A hundred candidates are the repairs of a program that return -1, each returning another number."""
    for program in programs.ALL:
        if not any(program.name.startswith(o) for o in args.only or ("heap-fill",)):
            continue
        forms = [r for r in program.repairs.values() if "return -1;" in r]
        with tempfile.TemporaryDirectory() as dir:
            build_one = lambda r, name: build(program, r, os.path.join(dir, name), args.cc.split(), ["-O" + args.O])
            old = build_one("", "old")
            new = [build_one(forms[i % len(forms)].replace("return -1;", "return -%d;" % (i + 1)), "c%d" % i) for i in range(100)]
            cost = {}
            for n in (1, 100):
                for _ in range(3):
                    begin, used = time.monotonic(), processor()
                    subprocess.run([args.assay, "poc", "--json", "--jobs", args.jobs, *args.option, old, *new[:n], "--", *map(str, program.poc)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                    this = (processor() - used, time.monotonic() - begin)
                    cost[n] = min(cost.get(n, this), this)
            print("%s: one candidate %.2f s of the processor, %.2f s by the clock; 100: %.2f s and %.2f s; %.1f and %.1f times as much" % (
                  program.name, *cost[1], *cost[100], cost[100][0] / cost[1][0], cost[100][1] / cost[1][1]), flush=True)


def ask(args, options, tell, keep=None):
    """Asks about all programs; what is built stays in the directory `keep`. Verdicts counted by (right, verdict), seconds a candidate, and what is wrong for certain."""
    table, bad, seconds, shows, distinct = {}, [], [], {True: 0, False: 0}, 0
    labels = json.load(open(args.labels)) if args.labels and os.path.exists(args.labels) else {}
    for program in programs.ALL:
        if args.only and not any(program.name.startswith(o) for o in args.only):
            continue
        if args.part and program.aside != (args.part == "aside"):
            continue
        with contextlib.ExitStack() as stack:
            dir = os.path.join(keep, program.name) if keep else stack.enter_context(tempfile.TemporaryDirectory())
            os.makedirs(dir, exist_ok=True)
            right = labels.get(program.name)
            if right is None or set(right) != set(program.repairs):
                right = labels[program.name] = label(program, program.repairs, dir)
                if args.labels:
                    with open(args.labels, "w") as f:
                        json.dump(labels, f, indent=1, sort_keys=True)
            repairs = program.repairs
            if args.refactored:
                repairs = {"%s-%d" % (name, i): r for name in repairs if right[name] for i, r in enumerate(programs.refactorings(repairs[name]))}
                right = label(program, repairs, dir) if GUARD else {name: True for name in repairs}
                assert all(right.values()), (program.name, right)
            build_one = lambda r, name: build(program, r, os.path.join(dir, name), args.cc.split(), ["-O" + args.O])
            old = build_one("", "old")
            new = [build_one(r, name) for name, r in repairs.items()]
            if args.strip:
                subprocess.run(["strip", "-g", old, *new], check=True)
            begin = processor()
            r = subprocess.run([args.assay, "poc", "--json", "--jobs", args.jobs, "--witness", os.path.join(dir, "found"), *options, old, *new, "--", *map(str, program.poc)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            seconds.append((processor() - begin) / max(len(new), 1))
            if not r.stdout:
                print("%s: no answer: %s" % (program.name, r.stderr.decode().strip()))
                for name in repairs:
                    key = (right[name], "no answer")
                    table[key] = table.get(key, 0) + 1
                continue
            doc = json.loads(r.stdout)
            for i, (name, c) in enumerate(zip(repairs, doc["candidates"])):
                if GUARD and c["saved"] and not c["same_as"]:
                    shown = reproduces(program, repairs[name], name, c, dir, i + 1)
                    shows[shown] += 1
                    if not shown:
                        bad.append((program.name, name))
                        print("%s %s: %s (%s) does not show in runs with checks" % (program.name, name, c["finding"], c["input"]), flush=True)
        for name, c in zip(repairs, doc["candidates"]):
            key = (right[name], c["verdict"])
            table[key] = table.get(key, 0) + 1
            distinct += c["same_as"] is None
            if c["confirmed_by"] == "state" and c["verdict"] == "refuted":
                table[(right[name], "of these by state only")] = table.get((right[name], "of these by state only"), 0) + 1
            wrong = (right[name] and c["verdict"] == "refuted") or (not right[name] and c["verdict"] in ("not refuted", "proved"))
            if tell and (args.verbose or wrong or c["verdict"] in ("unknown", "doubtful")):
                print("%-14s %-12s %-6s %-11s %s %s" % (program.name, name, "right" if right[name] else "wrong", c["verdict"], c["finding"] or "",
                                                     c["condition"] or c["reason"] or ""), flush=True)
            if (right[name] and c["verdict"] == "refuted") or (not right[name] and c["verdict"] == "proved"):
                bad.append((program.name, name))
    if tell:
        print("%d candidates that differ in their code" % distinct)
        if GUARD:
            print("%d of %d inputs that refute show it in runs with checks" % (shows[True], sum(shows.values())))
    return table, seconds, bad


main()
