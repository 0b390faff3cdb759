#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewrites functions so that they mean the same, and asks `assay verify` about the pair: it must not say unsafe.

Functions are those that mutate.py changes. Each is rewritten in its source (operands commuted, conditions turned round, loops rotated,
values hidden from the optimiser, helpers outlined and inlined), by passes of LLVM over its intermediate code, or by other flags, another level or another
compiler: other registers, another schedule, other loops. Old and new are run beside each other on random inputs first (sandbox.c), so
that a rewriting that is none is not counted against verify. What is wrong is kept with all that is needed to look at it.
"""
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import sys

import corpus
import mutate

# What these hand out is what lay on the stack, which every rewriting may change.
UNDEFINED = ["stack_buffer_cleared"]

# ---- in the source ----

SIMPLE = r"[A-Za-z_]\w*(?:(?:->|\.)\w+)*|\d+[uUlL]*"
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def replace_one(inside, pattern, make, rng):
    found = list(re.finditer(pattern, inside))
    if not found:
        return None
    m = rng.choice(found)
    new = make(m)
    return new and inside[:m.start()] + new + inside[m.end():]


def commute(inside, rng):
    """Operands that nothing binds more tightly to: a bracket or the statement's ends are around them."""
    return replace_one(inside, rf"(?:(?<=\()|(?<== )|(?<=return ))({SIMPLE}) ([+*&|^]) ({SIMPLE})(?=[);])", lambda m: f"{m[3]} {m[2]} {m[1]}", rng)


def turn_comparison(inside, rng):
    return replace_one(inside, rf"(?<=\()({SIMPLE}) (<=|>=|==|!=|<|>) ({SIMPLE})(?=\))", lambda m: f"{m[3]} {TURNED[m[2]]} {m[1]}", rng)


def conditions(inside):
    """Start and end of what stands in brackets behind if and while, from the innermost bracket on."""
    return [(m.end(), mutate.balanced(inside, m.end() - 1) - 1) for m in re.finditer(r"\b(?:if|while) \(", inside)]


def rewrite_condition(make):
    def rewrite(inside, rng):
        found = conditions(inside)
        if not found:
            return None
        start, end = rng.choice(found)
        return inside[:start] + make(inside[start:end]) + inside[end:]
    return rewrite


def negate_twice(condition):
    """De Morgan, where there is one operator."""
    parts = re.split(r" (&&|\|\|) ", condition)
    if len(parts) == 3 and all(p.count("(") == p.count(")") for p in parts):
        other = "||" if parts[1] == "&&" else "&&"
        return f"!(!({parts[0]}) {other} !({parts[2]}))"
    return f"!!({condition})"


def hide_condition(condition):
    return f"({{ int hidden_ = !({condition}); __asm__(\"\" : \"+r\"(hidden_)); !hidden_; }})"


def outline_condition(condition):
    return f"outlined_truth_({condition})"


def invert_if(inside, rng):
    """if (C) A else B: if (!(C)) B else A, of blocks."""
    found = []
    for m in re.finditer(r"\bif \(", inside):
        end = mutate.balanced(inside, m.end() - 1)
        rest = inside[end:]
        if rest.lstrip().startswith("{"):
            first = end + rest.index("{")
            first_end = mutate.balanced(inside, first)
            other = re.match(r"\s*else\s*(?=\{)", inside[first_end:])
            if other:
                second = first_end + other.end()
                found.append((m.end(), end - 1, first, first_end, second, mutate.balanced(inside, second)))
    if not found:
        return None
    a, b, c, d, e, f = rng.choice(found)
    return inside[:a] + f"!({inside[a:b]})) " + inside[e:f] + " else " + inside[c:d] + inside[f:]


def empty_then(inside, rng):
    """if (C) S without else: if (!(C)) ; else S."""
    found = []
    for m in re.finditer(r"\bif \(", inside):
        end = mutate.balanced(inside, m.end() - 1)
        stop = inside.find(";", end)
        if re.match(r"\s*[^\s{;][^;{}]*;", inside[end:]) and not re.match(r"\s*(if|for|while|do|switch)\b", inside[end:]) \
                and not re.match(r"\s*else\b", inside[stop + 1:]):
            found.append((m.end(), end))
    if not found:
        return None
    a, b = rng.choice(found)
    return inside[:a] + f"!({inside[a:b - 1]})) ; else" + inside[b:]


def rotate_loop(inside, rng):
    """while (C) B: if (C) do B while (C). continue goes to the condition in both."""
    found = []
    for m in re.finditer(r"(?<!\} )\bwhile \(", inside):
        end = mutate.balanced(inside, m.end() - 1)
        if re.match(r"\s*\{", inside[end:]):
            block = end + inside[end:].index("{")
            found.append((m.start(), inside[m.end():end - 1], block, mutate.balanced(inside, block)))
    if not found:
        return None
    start, condition, block, stop = rng.choice(found)
    return inside[:start] + f"if ({condition}) do {inside[block:stop]} while ({condition});" + inside[stop:]


def open_for(inside, rng):
    """for (I; C; S) B without continue: I; if (C) for (;;) { B S; if (!(C)) break; }."""
    found = []
    for m in re.finditer(r"\bfor \(", inside):
        end = mutate.balanced(inside, m.end() - 1)
        head = inside[m.end():end - 1].split(";")
        if len(head) == 3 and head[1].strip() and re.match(r"\s*\{", inside[end:]):
            block = end + inside[end:].index("{")
            stop = mutate.balanced(inside, block)
            if not re.search(r"\bcontinue\b", inside[block:stop]):
                found.append((m.start(), head, block, stop))
    if not found:
        return None
    start, (first, condition, step), block, stop = rng.choice(found)
    return inside[:start] + f"{{ {first}; if ({condition}) for (;;) {{ {inside[block:stop]} {step}; if (!({condition})) break; }} }}" + inside[stop:]


def hide_value(inside, rng):
    """The optimiser does not know what was assigned."""
    return replace_one(inside, r"(?<=\n)(\s+)([a-z_]\w*) ([-+|&^]?=) ([^;={}]*);(?=\n)",
                       lambda m: f"{m[1]}{{ {m[2]} {m[3]} {m[4]}; __asm__(\"\" : \"+r\"({m[2]})); }}", rng)


def split_variable(inside, rng):
    """A value takes the way through a local in memory."""
    return replace_one(inside, r"(?<=\n)(\s+)([a-z_]\w*) = ([^;={}]*);(?=\n)",
                       lambda m: f"{m[1]}{{ volatile __typeof__({m[2]}) split_ = {m[3]}; {m[2]} = split_; }}", rng)


def fence(inside, rng):
    """Nothing is moved over this place."""
    return replace_one(inside, r"(?<=;)\n(?=\s+[a-z_][^\n]*;\n)", lambda m: " __asm__ volatile(\"\" ::: \"memory\");\n", rng)


def shift_for_product(inside, rng):
    return replace_one(inside, rf"(?:(?<=\()|(?<== )|(?<=return ))({SIMPLE}) \* (2|4|8|16|32)(?=[);])", lambda m: f"{m[1]} * 2 * {int(m[2]) // 2}", rng)


SOURCE = {"commuted": commute, "comparison turned": turn_comparison, "negated twice": rewrite_condition(negate_twice),
          "condition hidden": rewrite_condition(hide_condition), "condition outlined": rewrite_condition(outline_condition), "if inverted": invert_if,
          "empty then": empty_then, "loop rotated": rotate_loop, "loop opened": open_for, "value hidden": hide_value, "variable split": split_variable,
          "fenced": fence, "product split": shift_for_product}
HELPERS = "__attribute__((noinline)) static int outlined_truth_(_Bool b)\n{\n    return b;\n}\n"


def rewrite_source(text, body, rng):
    kind = rng.choice(sorted(SOURCE))
    inside = SOURCE[kind](text[body[0]:body[1]], rng)
    if inside is None:
        return None
    new = text[:body[0]] + inside + text[body[1]:]
    if "outlined_truth_" in inside:
        at = re.search(r"^(?![#/*\s])", new, re.M).start()
        new = new[:at] + HELPERS + new[at:]
    return kind, new


# ---- by the compilers ----

FLAGS = {
    "gcc": ["-fno-schedule-insns2", "-fno-schedule-insns", "-fno-if-conversion -fno-if-conversion2", "-fno-tree-vrp", "-fno-ivopts", "-funroll-loops",
            "-fno-tree-ch", "-fno-omit-frame-pointer", "-fno-shrink-wrap", "-fno-gcse", "-fno-tree-pre", "-ftree-vectorize", "-fno-reorder-blocks",
            "-fira-region=all", "-fira-algorithm=priority", "-fno-optimize-sibling-calls", "-fno-tree-ter", "-fno-cse-follow-jumps", "-fno-jump-tables",
            "-fno-tree-switch-conversion", "-fno-inline", "-finline-functions", "-fno-peephole2", "-frename-registers", "-fno-tree-sra", "-fno-tree-sink",
            "-fno-crossjumping", "-fno-guess-branch-probability", "-fno-store-merging", "-fno-split-paths", "-fno-strict-overflow", "-fwrapv"],
    "clang": ["-mllvm -regalloc=basic", "-fno-vectorize -fno-slp-vectorize", "-fno-unroll-loops", "-mllvm -disable-lsr", "-fno-omit-frame-pointer",
              "-fno-optimize-sibling-calls", "-fno-jump-tables", "-fno-inline", "-mllvm -enable-misched=false", "-mllvm -disable-block-placement",
              "-mllvm -enable-gvn-hoist", "-mllvm -disable-early-ifcvt", "-mllvm -enable-machine-outliner=never", "-fwrapv", "-mllvm -disable-cgp"],
}
PASSES = ["reassociate", "loop-rotate", "loop(loop-rotate)", "simplifycfg", "gvn", "sink", "jump-threading", "mergereturn", "lowerswitch", "reg2mem",
          "speculative-execution", "function(loop(licm))", "instcombine", "early-cse", "sccp", "adce", "loop-unroll", "correlated-propagation", "flattencfg",
          "consthoist", "iroutliner", "tailcallelim", "slsr", "nary-reassociate", "loop-simplify,lcssa", "gvn-hoist", "div-rem-pairs", "mergeicmps,expandmemcmp"]


class Rewriting(mutate.Mutant):
    """One rewriting, of a function compiled in one way."""

    def flags(self):
        compiler = self.compiler
        more = self.rng.choice(FLAGS[compiler]).split()
        o = self.run.builder.object(self.subject.name, self.subject.text, self.arch, compiler, self.level, self.more + more)
        return f"flags, {' '.join(more)}", mutate.read(self.link(o)), None

    def passes(self):
        if self.compiler != "clang":
            return None
        text = self.run.once(("ir", self.subject.name, self.arch, self.level, tuple(self.more)), self.intermediate)
        name = self.rng.choice(PASSES)
        done = self.run.builder.run(["opt", "-S", "-passes=" + name], text.encode())
        if done == text:
            return None
        return f"passes, {name}", self.compiled_once(done, "ir"), None

    def way_of_compiling(self):
        self.compiler, self.level = self.rng.choice(corpus.COMPILERS), self.rng.choice(corpus.LEVELS)
        return f"compiled, {self.compiler} -{self.level}", mutate.read(self.compiled(self.subject.text)), None

    def source(self):
        text, kinds = self.subject.text, []
        body = self.subject.body
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            change = rewrite_source(text, body, self.rng)
            if change is not None:
                kinds.append(change[0])
                text = change[1]
                body = mutate.Subject(self.subject.name, self.subject.function, text, self.subject.externs).body
        return (f"source, {' and '.join(kinds)}", self.compiled_once(text), text) if kinds else None

    def change(self, old):
        which = self.rng.random()
        return self.source() if which < .55 else self.flags() if which < .8 else self.passes() if which < .93 else self.way_of_compiling()

    def judge(self, sandbox):
        options, subject = self.run.options, self.subject
        if subject.name in UNDEFINED:
            return 0
        data = mutate.read(self.compiled(subject.text))
        by = f"{self.compiler} -{self.level}"
        try:
            change = self.change(None)
        except corpus.CorpusError:
            change = None  # it does not compile, or this version has no such flag
        if change is None:
            return 0
        what, rewritten, text = change
        if rewritten == data:
            self.run.count("identical", None)
            return 0
        what = f"{self.arch}, {by}, {what}"
        pair = mutate.Pair(options.build, data, rewritten, self.name)
        ran = sandbox.ask(*pair.paths, self.rng.randrange(1 << 40), options.inputs, pair.shared)
        pair.remove()
        if not ran.startswith("same"):
            self.run.judged(what, ran, "none")
            if ran.startswith(("differs", "widened")):
                print(f"NOT EQUIVALENT: {self.name}: {what}: {ran}", flush=True)
            return 1
        files = [self.file("old", data), self.file("new", rewritten)]
        verdict, report = mutate.verify(options, subject.function, *files)
        self.run.judged(what, ran, verdict)
        if verdict in ("broken", "unsafe"):
            self.run.keep(subject, *files, self.name, what, ran, verdict, report, text)
        for f in files:
            os.unlink(f)
        return 1


class Run(mutate.Run):
    def __init__(self, options):
        super().__init__(options, Rewriting)
        self.wrong = collections.Counter()

    def keep(self, subject, old, new, name, what, ran, verdict, report, text):
        directory = os.path.join(self.options.keep, verdict + "-" + name)
        os.makedirs(directory, exist_ok=True)
        shutil.copy(old, os.path.join(directory, "old.so"))
        shutil.copy(new, os.path.join(directory, "new.so"))
        for side, source in (("old.c", subject.text), ("new.c", text)):
            if source:
                with open(os.path.join(directory, side), "w", encoding="ascii") as f:
                    f.write(source)
        functions = [f for file in report["files"] for f in file.get("functions", [])] if verdict == "unsafe" else []
        said = "; ".join(f"{d['property']} {d['what']}: {d.get('old')} -> {d.get('new')}" for f in functions for d in f.get("differences", []))
        with open(os.path.join(directory, "note"), "w", encoding="utf-8") as f:
            f.write(f"{subject.function}: {what}\nrun: {ran}\nverify: {verdict}\n"
                    f"assay verify --func {subject.function} {' '.join(self.options.extra)} old.so new.so\n{json.dumps(report, indent=1)}\n")
        with self.lock:
            self.misses += 1
            self.wrong[what.split(", ")[3]] += 1
        print(f"WRONG {verdict}: {directory}: {what}: {said[:300]}", flush=True)

    def show(self):
        verdicts = ["safe", "unsafe", "unknown", "bounded", "broken", "none"]
        print(f"{self.number} rewritings: " + ", ".join(f"{k} {n}" for k, n in sorted(self.kinds.items())))
        print(f"{'run':10s} {'all':>7s}" + "".join(f" {v:>8s}" for v in verdicts))
        for ran in ["same", "differs", "widened", "slow", "died", "bad"]:
            row = [self.counts[(ran, v)] for v in verdicts]
            print(f"{ran:10s} {sum(row):7d}" + "".join(f" {n:8d}" for n in row))
        print(f"{self.counts['identical', None]} more made no difference in the file")
        print(f"{self.misses} wrong: equivalent and called unsafe" + "".join(f"; {k} {n}" for k, n in self.wrong.most_common()))


def main():
    p = mutate.parser(__doc__, "rewritings", 2000)
    p.add_argument("--allowed", type=int, default=0, help="so many may be wrong")
    options = mutate.parse(p)
    options.cross = 0
    run = Run(options)
    mutate.go_on(run, options)
    run.show()
    return 1 if run.misses > options.allowed else 0


if __name__ == "__main__":
    sys.exit(main())
