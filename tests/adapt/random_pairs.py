#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random pairs for `assay adapt`: functions wrapped in a random adapter, for which it must not say that there is none, and
near misses. Every adapter that it finds is compiled and run against the target on inputs of its own.

usage: random_pairs.py ASSAY DIR SEED PAIRS"""
import json
import random
import re
import subprocess
import sys

FAMILIES = "permute,substitute,convert,return"


def expression(r, depth, names):
    if depth == 0 or r.random() < 0.2:
        return r.choice(names + [str(r.choice([1, 2, 3, 7, 255, -1, 0x1234]))])
    op = r.choice(["+", "-", "^", "&", "|", "*", "<", "?", ">>", "=="])
    a, b = expression(r, depth - 1, names), expression(r, depth - 1, names)
    if op == "?":
        return f"(({a}) < ({b}) ? ({expression(r, depth - 1, names)}) : ({a}))"
    if op == ">>":
        return f"(({a}) >> {r.randrange(1, 9)})"
    return f"(({a}) {op} ({b}))"


class Pair:
    """inner_K and target_K: the target calls the inner function inline, with something put in place of each argument."""

    def __init__(self, r, k):
        self.k, self.near = k, r.random() < 0.3
        self.memory = r.random() < 0.4
        n, self.ints = r.randrange(1, 4), r.randrange(1, 4)
        names = [f"b{i}" for i in range(n)] + (["p[0]", "p[2]"] if self.memory else [])
        value = expression(r, 3, names)
        write = f"p[1] = {expression(r, 2, names)}; " if self.memory and r.random() < 0.5 else ""
        before = "int *p, " if self.memory else ""
        inner = before + ", ".join(f"int b{i}" for i in range(n))
        convert = ["{}", "{}", "{}", "(signed char){}", "(unsigned short){}", "({} != 0)"]
        given = [r.choice(convert).format(f"a{r.randrange(self.ints)}") if r.random() < 0.7 else str(r.choice([0, 5, -3, 0xbeef])) for _ in range(n)]
        result = r.choice(["{}", "{}", "(unsigned char){}", "({} != 0)"])
        body = result.format(f"once_{k}({'p, ' if self.memory else ''}{', '.join(given)})")
        spoil = ""
        if self.near:
            spoil = r.choice(["r ^= a0 == 12345;", "p[3] = a0;" if self.memory else "r += a0 == -7;", "r ^= p[100000] == 99;" if self.memory else "r = -r;"])
        parameters = ", ".join(f"int a{i}" for i in range(self.ints)) + (", int *p" if self.memory else "")
        self.source = (f"static inline __attribute__((always_inline)) int once_{k}({inner}) {{ {write}return {value}; }}\n"
                       f"int inner_{k}({inner}) {{ {write}return {value}; }}\n"
                       f"int target_{k}({parameters}) {{ int r = {body}; {spoil} return r; }}\n")

    def check(self, adapter):
        """C that runs both on random inputs, and says where they differ."""
        given, result = adapter.split(" -> ")
        index = lambda text: re.sub(r"#(\d+)", lambda m: f"x[{m.group(1)}]", text)
        names = ", ".join(["word"] * len(parts(given)))
        x = ", ".join(f"(int)x[{i}]" for i in range(self.ints)) + (f", (int *)x[{self.ints}]" if self.memory else "")
        kept = "memcpy(m, start, sizeof m);" if self.memory else ""
        return (f"static int check_{self.k}(void) {{ word (*inner)({names}) = (word (*)({names}))inner_{self.k};\n"
                f" for (int i = 0; i < 3000; i++) {{ word x[8]; for (int k = 0; k < 8; k++) x[k] = number(); fill(start, sizeof start / 4); {kept}\n"
                f"  {f'x[{self.ints}] = (word)m;' if self.memory else ''} int want = target_{self.k}({x}); memcpy(after, m, sizeof m); {kept}\n"
                f"  word result = inner({', '.join(c_of(index(g)) for g in parts(given))});\n"
                f"  if (want != (int)({c_of(result)}) || memcmp(after, m, sizeof m)) return 1; }} return 0; }}\n")


def parts(text):
    """A list with commas, some of them in parentheses."""
    out, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [p.strip() for p in out if p.strip()]


def c_of(text):
    text = re.sub(r"\b(\d+)-to-64([SZ])\(", lambda m: f"(word)({'u' if m.group(2) == 'Z' else ''}int{m.group(1)}_t)(", text)
    return "(word)" + re.sub(r"\((\d+) bits of ", lambda m: f"((uint{m.group(1)}_t)", text)


HARNESS = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint64_t word;
static int m[200000], start[200000], after[200000];
static word state = 1;
static word number(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    word x = state >> 20;
    switch (state >> 60) { case 0: return x % 4; case 1: return x % 256; case 2: return -(x % 256); case 3: return 12345; case 4: return -7; default: return x << 12 ^ x; }
}
static void fill(int *p, int n) { for (int i = 0; i < 8; i++) p[i] = (int)number(); p[100000 % n] = number() % 2 ? 99 : 0; }
"""


def main():
    program, directory, seed, n = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    r = random.Random(seed)
    pairs = [Pair(r, k) for k in range(n)]
    path = f"{directory}/random"
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write("".join(p.source for p in pairs))
    with open(path + ".tasks", "w", encoding="utf-8") as f:
        f.write("".join(f"target_{p.k} inner_{p.k}\n" for p in pairs))
    subprocess.run(["x86_64-linux-gnu-gcc", "-O2", "-g", "-w", "-shared", "-fPIC", "-nostdlib", "-fwrapv", path + ".c", "-o", path + ".so"], check=True)
    out = subprocess.run([program, "adapt", "--json", "--no-cache", "--sweep", path + ".so", "--tasks", path + ".tasks", "--family", FAMILIES, "--runs", "200",
                          "--search-timeout", "5s"], stdout=subprocess.PIPE, check=True).stdout
    tasks = {int(t["target"].split("_")[1]): t for t in json.loads(out)["tasks"]}
    wrong = [f"pair {p.k}: none, but there is one:\n{p.source}" for p in pairs if not p.near and tasks[p.k]["verdict"] == "none"]
    found = [p for p in pairs if tasks[p.k]["verdict"] == "adapter"]
    with open(path + "_run.c", "w", encoding="utf-8") as f:
        f.write(HARNESS + "".join(p.source + p.check(tasks[p.k]["adapter"]) for p in found))
        f.write("int main(void) {" + "".join(f' if (check_{p.k}()) puts("{p.k}");' for p in found) + " return 0; }\n")
    subprocess.run(["cc", "-O1", "-w", "-fwrapv", path + "_run.c", "-o", path + "_run"], check=True)
    for k in subprocess.run([path + "_run"], stdout=subprocess.PIPE, check=True, text=True).stdout.split():
        wrong.append(f"pair {k}: {tasks[int(k)]['adapter']} is no adapter:\n{pairs[int(k)].source}")
    count = {v: sum(t["verdict"] == v for t in tasks.values()) for v in ("adapter", "none", "undecided")}
    print(f"{n} pairs from seed {seed}, {sum(p.near for p in pairs)} near misses: {count}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
