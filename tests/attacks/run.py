#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `assay verify` about small pairs, one idea each, and compares what it says with what a person derives.

The pairs are in NN-CLASS.txt beside this file, in blocks:

    === NAME | safe or unsafe | INSTRUCTION SETS | FLAGS [; FLAGS...] | OPTIONS OF VERIFY
    # why a person derives this verdict
    old source
    ---
    new source

Without the line of dashes there is one source, in which @{old@|new@} stands for what differs; flags may differ in the same way. The sets are x86-64, i386, arm,
thumb and aarch64, or `all` for the first three and the last, each with :clang behind it for that compiler; x86-64 if none is named.
The flags are -O2 if none are given. With -shared or -static the file is linked, with `-x assembler` the source is assembly.

*unknown* is never wrong and never right, unless a worker died over it. A wrong verdict fails the run, but for those in
known.txt ("NAME SET FLAGS: VERDICT"), and an entry there that is no longer so fails it, too: the list only gets shorter.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import threading

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN = os.path.join(HERE, "known.txt")
ALL = ["x86-64", "i386", "arm", "aarch64"]
TRIPLE = {"x86-64": "x86_64-linux-gnu", "i386": "i686-linux-gnu", "arm": "arm-linux-gnueabihf",
          "thumb": "arm-linux-gnueabihf", "aarch64": "aarch64-linux-gnu"}
MACHINE = {"arm": ["-marm"], "thumb": ["-mthumb"]}
DEATH = re.compile(r"killed by signal|exited with status|the job failed|could not be read")


class AttackError(Exception):
    pass


def side(text, number):
    return re.sub(r"@\{(.*?)@\|(.*?)@\}", rf"\{number}", text, flags=re.S)


class Pair:
    def __init__(self, file, block):
        head, body = block.split("\n", 1)
        part = [p.strip() for p in re.split(r"(?<!@)\|", head)] + ["", "", ""]
        self.file, self.name, self.expected = file, part[0], part[1]
        self.sets = [s for w in (part[2] or "x86-64").split() for s in ([a + w[3:] for a in ALL] if w in ("all", "all:clang") else [w])]
        self.flags = [f.strip() for f in (part[3] or "-O2").split(";")]
        self.options = part[4].split()
        why = re.match(r"((?:# .*\n)+)", body)
        if self.expected not in ("safe", "unsafe") or not why or not all(s.split(":")[0] in TRIPLE for s in self.sets):
            raise AttackError(f"{file}: {self.name}: the head or the reason is missing or wrong")
        self.why = " ".join(line[2:] for line in why.group(1).split("\n"))
        source = body[why.end():]
        if "\n---\n" in source:
            self.old, self.new = source.split("\n---\n")
        else:
            self.old, self.new = (side(source, n) for n in (1, 2))
        if self.old == self.new and not any("@{" in f for f in self.flags):
            raise AttackError(f"{file}: {self.name}: both sides are the same")


class Question:
    """A pair, compiled for one instruction set with one list of flags."""

    def __init__(self, pair, machine, flags):
        self.pair, self.machine, self.flags = pair, machine, flags
        self.label = f"{pair.name} {machine} {flags}"

    def command(self, number, out):
        name, _, compiler = self.machine.partition(":")
        flags = side(self.flags, number).split()
        if compiler == "clang":
            command = ["clang", "--target=" + TRIPLE[name]] + (["-march=armv7-a"] if name in MACHINE else [])
            command += ["-fuse-ld=lld"] if {"-shared", "-static"} & set(flags) else []
        else:
            command = [TRIPLE[name] + "-gcc"]
        language = [] if "-x" in flags else ["-x", "c"]
        link = ["-nostdlib"] if {"-shared", "-static"} & set(flags) else ["-c"]
        libraries = [f for f in flags if f.startswith("-l")]
        return command + ["-w"] + MACHINE.get(name, []) + [f for f in flags if f not in libraries] + link + language + ["-", "-x", "none"] + libraries + ["-o", out]

    def compile(self, directory, number):
        """The path of what the text was compiled to; what was compiled before, by the same command, is not compiled again."""
        text = self.pair.old if number == 1 else self.pair.new
        digest = hashlib.sha256(repr((text, self.command(number, ""))).encode()).hexdigest()[:20]
        path = os.path.join(directory, f"{self.pair.name}-{digest}.o")
        if not os.path.exists(path):
            mine = f"{path}.{os.getpid()}.{threading.get_ident()}"
            done = subprocess.run(self.command(number, mine), input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise AttackError(done.stdout.decode("utf-8", "replace"))
            os.rename(mine, path)
        return path


class Answer:
    def __init__(self, question, verdict, reason="", files=()):
        self.question, self.verdict, self.reason, self.files = question, verdict, reason, files
        self.wrong = verdict in ("safe", "unsafe") and verdict != question.pair.expected
        self.broken = verdict not in ("safe", "unsafe", "unknown", "bounded")
        self.sort = verdict if self.broken else "WRONG " + verdict if self.wrong else "right" if verdict == question.pair.expected else "unknown"


def ask(options, q):
    try:
        files = [q.compile(options.build, number) for number in (1, 2)]
    except AttackError as e:
        return Answer(q, "not compiled", str(e))
    command = [options.assay, "verify", "--json", "--jobs=1", "--timeout=3s", *q.pair.options, *options.extra, *files]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        report = json.loads(done.stdout)
        verdict = report["verdict"]
        reasons = [report.get("reason")] + [r for f in report["files"] for r in f.get("reasons", []) + [f.get("error")]]
        reasons += [f"{f['name']}: {' '.join(f.get('failed') or [])} {f.get('reason') or ''}" for file in report["files"] for f in file.get("functions", [])
                    if f["verdict"] == verdict]
        reason = "; ".join(str(r) for r in reasons if r)
    except (ValueError, KeyError) as e:
        return Answer(q, "broken", f"exit status {done.returncode}: {done.stderr.decode('utf-8', 'replace') or e}", files)
    if verdict == "unknown" and DEATH.search(reason):
        return Answer(q, "died", reason, files)
    if done.returncode != {"safe": 0, "unsafe": 1, "unknown": 3, "bounded": 3}[verdict]:
        return Answer(q, "broken", f"exit status {done.returncode} does not go with {verdict}", files)
    return Answer(q, verdict, reason, files)


def load(names):
    pairs = []
    for file in sorted(f for f in os.listdir(HERE) if re.fullmatch(r"\d\d-[\w-]+\.txt", f)):
        with open(os.path.join(HERE, file), encoding="ascii") as f:
            pairs += [Pair(file, b) for b in re.split(r"^=== ", f.read(), flags=re.M)[1:]]
    twice = [n for n, c in collections.Counter(p.name for p in pairs).items() if c > 1]
    if twice:
        raise AttackError("two pairs are named " + ", ".join(twice))
    if names:
        pairs = [p for p in pairs if p.name in names or p.file in names or p.file[:2] in names]
    return pairs


def read_known():
    with open(KNOWN, encoding="ascii") as f:
        return dict(line.rstrip("\n").rsplit(": ", 1) for line in f if line.strip() and not line.startswith("#"))


def write_known(known):
    with open(KNOWN, encoding="ascii") as f:
        head = [line for line in f if line.startswith("#")]
    with open(KNOWN, "w", encoding="ascii") as f:
        f.writelines(head + [f"{k}: {v}\n" for k, v in sorted(known.items())])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--assay", default="assay", help="the program")
    p.add_argument("--build", required=True, help="directory for what is compiled")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth question")
    p.add_argument("--set", action="append", metavar="SET", help="only for this instruction set")
    p.add_argument("--extra", action="append", default=[], metavar="OPTION", help="handed on to assay verify")
    p.add_argument("--shrink", action="store_true", help="take out of known.txt what is no longer wrong")
    p.add_argument("--files", action="store_true", help="print the files with every answer")
    p.add_argument("names", nargs="*", help="pairs, files or numbers of files; all if none are given")
    options = p.parse_args()
    options.assay = os.path.abspath(options.assay) if os.path.sep in options.assay else options.assay
    os.makedirs(options.build, exist_ok=True)
    try:
        pairs = load(options.names)
    except AttackError as e:
        sys.exit(str(e))
    known = read_known()
    questions = [Question(p, s, f) for p in pairs for s in p.sets for f in p.flags if not options.set or s in options.set]
    strange = set(known) - {q.label for q in questions} if not options.names and not options.set else set()
    questions = questions[::options.every]
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    answers, failed = [], 0
    for a in pool.map(lambda q: ask(options, q), questions):
        answers.append(a)
        was = known.get(a.question.label)
        excused = a.wrong and was == a.verdict
        mended = was is not None and not excused
        failed += a.broken or (a.wrong and not excused) or mended
        print(f"{a.sort:13s} {a.question.label}: expected {a.question.pair.expected}"
              + (" (known)" if excused else " (known.txt says it is called " + was + ": take it out)" if mended else "")
              + (": " + a.reason[:300] if a.sort != "right" and a.reason else ""), flush=True)
        if options.files and a.files:
            print("  " + " ".join(a.files))
    for label in sorted(strange):
        print(f"known.txt: there is no question {label}")
    counts = collections.Counter(a.sort for a in answers)
    print(f"{len({a.question.pair.name for a in answers})} pairs, {len(answers)} questions: " + ", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
    if options.shrink:
        said = {a.question.label: a for a in answers}
        write_known({k: v for k, v in known.items() if k not in strange and (k not in said or said[k].verdict == v)})
    return 1 if failed or strange else 0


if __name__ == "__main__":
    sys.exit(main())
