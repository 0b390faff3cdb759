#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay wp on two versions of programs with globals, against the processor.

  data.py ASSAY [PAIRS [FIRST]]   PAIRS functions (2,000 unless told) in programs made from the seeds from FIRST on

Each program has arrays, structures and variables in an order of its own; of the second version some begin with other contents,
have another size or another place. Functions read and write them, also outside their bounds. Both are linked, and the files that
assay reads are run: natively, or by qemu-user. Asked is whether results agree, with the contents that the files have. No "holds" of
functions that differ on one of the inputs tried, no countermodel that does not show a difference when it is run."""
import json
import os
import random
import subprocess
import sys
import tempfile

ARCHES = {
    "x86_64": (["x86_64-linux-gnu-gcc"], ["qemu-x86_64", "-L", "/usr/x86_64-linux-gnu"], ["RDI", "RSI"]),
    "i686": (["i686-linux-gnu-gcc"], ["qemu-i386", "-L", "/usr/i686-linux-gnu"], None),
    "arm": (["arm-linux-gnueabihf-gcc", "-marm"], ["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"], ["R0", "R1"]),
    "thumb": (["arm-linux-gnueabihf-gcc", "-mthumb"], ["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"], ["R0", "R1"]),
    "aarch64": (["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"], ["X0", "X1"]),
}
HOST = {"x86_64": "x86_64", "aarch64": "aarch64"}.get(os.uname().machine)
if HOST:
    ARCHES[HOST] = (["gcc"], [], ARCHES[HOST][2])
FUNCTIONS = 8
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Every call finds the variables as the file has them; all lie between the first and the last. */
int main(int argc, char **argv)
{
    static char kept[4096];
    char *from = (char *)first;
    unsigned long n = (char *)(last + 8) - from;
    if (n > sizeof kept)
        return 1;
    memcpy(kept, from, n);
    for (int k = 1; k + 2 < argc; k += 3) {
        printf("%d\\n", all[atoi(argv[k])](atoi(argv[k + 1]), atoi(argv[k + 2])));
        memcpy(from, kept, n);
    }
    return 0;
}
"""


class Program:
    """Two texts."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        kinds = ["int", "int", "short", "unsigned char", "long long"]
        self.vars = [("v%d" % i, r.choice(kinds), r.choice([0, 0, 4, 4, 6])) for i in range(r.randrange(3, 6))]
        self.structs = ["s%d" % i for i in range(r.randrange(0, 3))]
        self.functions = [self.function(i) for i in range(FUNCTIONS)]
        values = {n: [r.randrange(1, 100) for _ in range(max(k, 1))] for n, _, k in self.vars}
        values.update({n: [r.randrange(1, 100) for _ in range(4)] for n in self.structs})
        order = [n for n, _, _ in self.vars] + self.structs
        self.old = self.text(order, values, 0)
        changed = {n: list(v) for n, v in values.items()}
        if r.random() < 0.5:
            v = changed[r.choice(order)]
            v[r.randrange(len(v))] += r.randrange(1, 20)
        if r.random() < 0.5:
            order = r.sample(order, len(order))
        if r.random() < 0.3:
            order.insert(r.randrange(len(order)), "more")
        self.new = self.text(order, changed, 1 if r.random() < 0.3 else 0)

    def index(self):
        return self.r.choice(["a & 3", "a & 3", "(a & 3) + 1", "(a & 7) - 2", "b & 3", "1", "2", "4", "-1"])

    def leaf(self):
        n, _, k = self.r.choice(self.vars)
        what = ["a", "b", str(self.r.randrange(-5, 50)), "%s[%s]" % (n, self.index()) if k else n]
        if self.structs:
            s = self.r.choice(self.structs)
            what += [s + ".x", s + ".y[%s]" % self.r.choice(["a & 1", "b & 1", "0"]), s + ".z"]
        return self.r.choice(what + what[3:])

    def function(self, i):
        r, body = self.r, ""
        for _ in range(r.randrange(0, 2)):
            n, _, k = r.choice(self.vars)
            body += "%s = %s; " % ("%s[%s]" % (n, self.index()) if k else n, self.leaf())
        e = "%s %s %s" % (self.leaf(), r.choice(["+", "-", "^", "<", "=="]), self.leaf())
        if r.random() < 0.5:
            e = "%s < %s ? %s : %s" % (self.leaf(), self.leaf(), e, self.leaf())
        return ("int f%d(int a, int b) { %sreturn " % (i, body), e, "; }")

    def text(self, order, values, change):
        out = "int first[8] = {9, 9, 9, 9, 9, 9, 9, 9};\n"
        kind = {n: (t, k) for n, t, k in self.vars}
        for n in order:
            if n == "more":
                out += "int more = 77;\n"
            elif n in kind:
                t, k = kind[n]
                v = values[n]
                out += "%s %s%s = %s;\n" % (t, n, "[%d]" % k if k else "", "{%s}" % ", ".join(map(str, v)) if k else v[0])
            else:
                out += "struct { int x; short y[2]; int z; } %s = {%d, {%d, %d}, %d};\n" % (n, *values[n])
        out += "int last[8] = {9, 9, 9, 9, 9, 9, 9, 9};\n"
        for i, (head, e, tail) in enumerate(self.functions):
            out += "__attribute__((noinline)) " + head + ("(%s) + 1" % e if change and i % 3 == 0 else e) + tail + "\n"
        return out + "int (*const all[])(int, int) = {%s};\n" % ", ".join("f%d" % i for i in range(FUNCTIONS)) + MAIN


def run(arch, program, calls):
    words = [str(x) for c in calls for x in c]
    r = subprocess.run([*ARCHES[arch][1], program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
    if r.returncode:
        raise SystemExit("%s: ended with %d" % (program, r.returncode))
    return r.stdout.decode().split()


def signed(text):
    v = int(text, 16) & 0xffffffff
    return v - (1 << 32) if v >> 31 else v


def arguments(arch, c):
    """a and b of the countermodel."""
    start = c["runs"][0]
    registers = {x["name"].upper(): x["value"] for x in start["registers"]}
    if ARCHES[arch][2]:
        return [signed(registers[n]) for n in ARCHES[arch][2]]
    memory = {}
    for piece in start["memory"]:
        for i in range(len(piece["bytes"]) // 2):
            memory[int(piece["address"], 16) + i] = int(piece["bytes"][2 * i:2 * i + 2], 16)
    sp = int(registers["ESP"], 16)
    return [signed("%x" % sum(memory.get(sp + 4 + 4 * n + i, 0) << 8 * i for i in range(4))) for n in range(2)]


def one(assay, seed, count, wrong):
    p = Program(seed)
    arch = sorted(ARCHES)[seed % len(ARCHES)]
    level = random.Random(seed).choice("012s")
    with tempfile.TemporaryDirectory() as d:
        files = []
        for name, text in (("old", p.old), ("new", p.new)):
            source = os.path.join(d, name + ".c")
            with open(source, "w") as f:
                f.write(text)
            files.append(os.path.join(d, name))
            pie = ["-no-pie", "-fno-pie"] if seed % 2 else []
            subprocess.run([*ARCHES[arch][0], "-O" + level, "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-toplevel-reorder", *pie, source,
                            "-o", files[-1]], check=True)
        inputs = [(a, b) for a in range(-1, 8) for b in (0, 3, 50, -7)]
        calls = [(i, a, b) for i in range(FUNCTIONS) for a, b in inputs]
        ran = [run(arch, f, calls) for f in files]
        for i in range(FUNCTIONS):
            part = slice(i * len(inputs), (i + 1) * len(inputs))
            differs = ran[0][part] != ran[1][part]
            where = "seed %d f%d %s -O%s" % (seed, i, arch, level)
            for options in (["--init-mem"], []):
                r = subprocess.run([assay, "wp", "--func=f%d" % i, "--json", "--timeout=20s", "--query-timeout=5s", *options, "--post",
                                    "(int)ret@old == (int)ret@new", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                c = (json.loads(r.stdout).get("checked") if r.returncode in (0, 1, 3) else None) or [{"verdict": "unknown", "reason": r.stderr}]
                c = c[0]
                key = ("differ" if differs else "agree", options[0] if options else "any contents", c["verdict"])
                count[key] = count.get(key, 0) + 1
                if differs and c["verdict"] == "unsat":
                    wrong.append("%s: said to hold %s" % (where, options))
                if differs and c["verdict"] == "unknown":
                    print("%s: unknown %s: %s" % (where, options, c.get("reason")), flush=True)
                if c["verdict"] == "sat" and options:
                    call = [(i, *arguments(arch, c))]
                    shown = [run(arch, f, call) for f in files]
                    if shown[0] == shown[1]:
                        wrong.append("%s: %s does not happen" % (where, call))
    return FUNCTIONS


def main():
    assay, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed, done, count, wrong = int(sys.argv[3]) if len(sys.argv) > 3 else 1, 0, {}, []
    while done < pairs:
        before = len(wrong)
        done += one(assay, seed, count, wrong)
        for w in wrong[before:]:
            print("WRONG", w, flush=True)
        seed += 1
    for key in sorted(count):
        print("%-8s %-14s %-8s %d" % (*key, count[key]))
    print("%d pairs, %d wrong" % (done, len(wrong)))
    return len(wrong) != 0


sys.exit(main())
