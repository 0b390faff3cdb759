#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what `assay verify` calls safe in two ways that share nothing with it.

The questions of a proof, as --dump-smt writes them, are put to cvc5: what was answered with unsat must be unsat, and sat sat. And both
versions are run by the processor, or qemu, on random inputs: on those that the new one accepts they must do the same. What cvc5
does not answer in time is counted, and no failure; an answer that contradicts is one, and so is a run that differs.

The pairs are the patches of the corpus. Valid is what mutate.py takes for valid, so exits are classed by heuristics A and B only, and
cases that need another are left out. With --attacks they are those of tests/attacks. Of these, functions that reject no more than before are
run on the interpreter by --runner (runpair.c), which learns from debug information what they take. With --replay the questions in a directory are checked, whoever wrote them, and nothing is run.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import corpus
import mutate

WAYS = [("gcc", "O0"), ("gcc", "O2"), ("clang", "O1"), ("clang", "O3")]


def questions(directory):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(directory) for name in names if name.endswith(".smt2"))


def replay(options, path):
    """What was answered, and what cvc5 answers: sat, unsat, or unknown."""
    with open(path, encoding="utf-8", errors="replace") as f:
        said = re.findall(r"^; answer: (\w+)", f.read(), re.M)
    try:
        done = subprocess.run([options.solver, f"--tlimit={options.query_ms}", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=options.query_ms / 1000 * 4 + 10)
        lines = done.stdout.decode("utf-8", "replace").split("\n")
    except subprocess.TimeoutExpired:
        lines = []
    answer = next((l for l in lines if l in ("sat", "unsat")), "unknown")
    error = next((l for l in lines if l.startswith("(error") and "timeout" not in l and "interrupted" not in l), "")
    return said[-1] if said else "none", "error" if error else answer, error


class Recheck:
    def __init__(self, options):
        self.options = options
        if options.build:
            options.build = os.path.abspath(options.build)
            self.builder = corpus.Builder(os.path.join(options.build, "objects"))
        self.answers = collections.Counter()
        self.runs = collections.Counter()
        self.verdicts = collections.Counter()
        self.wrong = 0

    def fail(self, text):
        self.wrong += 1
        print("WRONG: " + text, flush=True)

    def replay(self, directory, what):
        """Only sat and unsat can be contradicted: of what was not answered nothing was concluded."""
        for path in questions(directory):
            said, answer, error = replay(self.options, path)
            self.answers[said, answer] += 1
            if error:
                self.fail(f"{what}: {path} cannot be read: {error}")
            elif {said, answer} == {"sat", "unsat"}:
                self.fail(f"{what}: {path} was answered with {said}, and is {answer}")

    def pair(self, case, arch, compiler, level):
        sides = []
        for patched in (False, True):
            o = self.builder.object(case.name, case.text, arch, compiler, level, ["-fPIC"] + (["-DPATCHED"] if patched else []))
            sides.append(self.builder.link([o], o[:-2] + ".so", arch, compiler, "so"))
        return sides

    def ask(self, function, old, new, dump):
        command = [self.options.assay, "verify", "--json", "--jobs=1", "--heuristics=A,B", "--dump-smt", dump, "--func", function,
                   *self.options.extra, old, new]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            return json.loads(done.stdout.decode("utf-8"))["verdict"]
        except (ValueError, KeyError):
            return "broken"

    def one(self, which):
        (case, subject), arch, (compiler, level) = which
        what = f"{case.name} {arch} {compiler} -{level}"
        old, new = self.pair(case, arch, compiler, level)
        dump = os.path.join(self.options.build, "questions", what.replace(" ", "-"))
        shutil.rmtree(dump, ignore_errors=True)
        os.makedirs(dump)
        verdict = self.ask(case.function, old, new, dump)
        self.verdicts[verdict] += 1
        if verdict == "safe":
            self.replay(dump, what)
            self.run(subject, arch, old, new, what)
        shutil.rmtree(dump, ignore_errors=True)

    def attack(self, question):
        what = question.label
        dump = os.path.join(self.options.build, "questions", re.sub(r"[^\w.-]+", "-", what))
        shutil.rmtree(dump, ignore_errors=True)
        os.makedirs(dump)
        old, new = (question.compile(os.path.join(self.options.build, "objects"), number) for number in (1, 2))
        command = [self.options.assay, "verify", "--json", "--jobs=1", "--dump-smt", dump, *question.pair.options, *self.options.extra, old, new]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        verdict = {0: "safe", 1: "unsafe", 3: "unknown"}.get(done.returncode, "broken")
        self.verdicts[verdict] += 1
        if verdict == "safe":
            self.replay(dump, what)
            self.interpret(question, json.loads(done.stdout.decode("utf-8")))
        shutil.rmtree(dump, ignore_errors=True)

    def interpret(self, question, report):
        """Runs the functions that are called the same, as they are with debug information."""
        names = [f["name"] for file in report["files"] for f in file.get("functions", []) if f["verdict"] == "safe" and not f.get("now_rejects")]
        if not self.options.runner or not names or "assembler" in question.flags:
            return
        told = type(question)(question.pair, question.machine, question.flags + " -g")
        files = [told.compile(os.path.join(self.options.build, "objects"), number) for number in (1, 2)]
        done = subprocess.run([self.options.runner, *files, str(self.options.inputs), str(self.options.seed), *names], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in done.stdout.decode("utf-8").splitlines():
            self.runs[line.split()[0]] += 1
            if line.startswith("differs"):
                self.fail(f"{question.label} is called safe, and run on the interpreter: {line}")
        if done.returncode not in (0, 1):
            self.runs["died"] += 1

    def run(self, subject, arch, old, new, what):
        sandbox = mutate.Sandbox(self.options.build, subject, arch)
        try:
            files = mutate.Pair(self.options.build, mutate.read(old), mutate.read(new), "recheck-" + what.replace(" ", "-"))
            ran = sandbox.ask(*files.paths, self.options.seed, self.options.inputs, files.shared)
            files.remove()
        finally:
            sandbox.close()
        self.runs[ran.split()[0] if ran else "died"] += 1
        if ran.startswith(("differs", "widened")):
            self.fail(f"{what} is called safe, and run: {ran}")

    def show(self):
        if self.verdicts:
            print("verdicts: " + ", ".join(f"{k} {n}" for k, n in sorted(self.verdicts.items())))
            print(f"runs of {self.options.inputs} inputs: " + (", ".join(f"{k} {n}" for k, n in sorted(self.runs.items())) or "none"))
        for (said, answer), n in sorted(self.answers.items()):
            print(f"questions answered with {said}: cvc5 {answer} {n}")
        print(f"{sum(self.answers.values())} questions, {self.wrong} wrong")


def chosen(options):
    """Cases, machines and ways of compiling: of each case one way for each machine, in turn, or with --all all of them."""
    out = []
    for i, (case, subject) in enumerate(mutate.subjects(options.case)):
        if case is None or case.relies in ("B01", "C"):
            continue
        for k, arch in enumerate(options.arch):
            out += [((case, subject), arch, way) for way in (WAYS if options.all else [WAYS[(i + k) % len(WAYS)]])]
    return out[::options.every]


def attacks(options):
    """All pairs of tests/attacks that are not unsafe, compiled in every way that they name."""
    spec = importlib.util.spec_from_file_location("attacks", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "attacks", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    os.makedirs(os.path.join(options.build, "objects"), exist_ok=True)
    return [module.Question(p, s, f) for p in module.load([]) if p.expected == "safe" for s in p.sets for f in p.flags][::options.every]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--assay", default="assay", help="the program")
    p.add_argument("--build", help="directory for what is compiled")
    p.add_argument("--replay", metavar="DIR", help="only check the questions that a run has written there (--dump-smt)")
    p.add_argument("--solver", default="cvc5", help="a program that reads SMT-LIB 2, called as cvc5 is")
    p.add_argument("--query-ms", type=int, default=10000, metavar="N", help="limit for a question to it")
    p.add_argument("--inputs", type=int, default=10000, help="how many a pair is run on")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--runner", help="the program that runs attacks (build/tests/corpus/runpair)")
    p.add_argument("--attacks", action="store_true", help="the pairs of tests/attacks instead of the corpus")
    p.add_argument("--all", action="store_true", help="every case in every way, on every machine")
    p.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth")
    p.add_argument("--case", action="append", metavar="NAME", help="only this case; may be given again")
    p.add_argument("--arch", action="append", choices=corpus.ARCHES, help="only these machines (all that can be run)")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--extra", action="append", default=[], metavar="OPTION", help="handed on to assay verify")
    options = p.parse_args()
    if not options.replay and not options.build:
        p.error("--build is needed, or --replay")
    recheck = Recheck(options)
    if options.replay:
        recheck.replay(options.replay, "replayed")
        recheck.show()
        return 1 if recheck.wrong or not recheck.answers else 0
    options.arch = options.arch or [a for a in corpus.ARCHES if mutate.runs(a)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(recheck.attack, attacks(options)) if options.attacks else pool.map(recheck.one, chosen(options)):
            pass
    recheck.show()
    return 1 if recheck.wrong or not recheck.verdicts["safe"] else 0


if __name__ == "__main__":
    sys.exit(main())
