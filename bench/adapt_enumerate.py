#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay adapt: enumeration against synthesis over growing spaces of adapters, as the thesis plots it (figure 1.7).

usage: adapt_enumerate.py ASSAY DIR [LIMIT]

The inner function takes three arguments; the space grows with the list of constants. Each space has three targets,
whose constants lie anywhere in the list. A search has LIMIT seconds (20). Writes the table to the terminal and
DIR/enumerate.svg."""
import json
import math
import os
import resource
import subprocess
import sys

SIZES = [2, 4, 8, 16, 32, 60]
WAYS = {"synthesis": [], "enumeration": ["--enumerate"], "enumeration, native": ["--enumerate", "--native"]}
COLOURS = ["#0b6", "#c33", "#36c"]


def spent():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def compile_pairs(directory):
    text = "int inner(int a, int b, int c) { return (a ^ b * 5) + (c << 3) + a * c; }\n"
    for n in SIZES:
        for k in range(3):
            b, c = 3 * ((n * (k + 1)) // 4 % n) + 1, 3 * ((n * (5 * k + 2)) // 7 % n) + 1
            text += f"int target_{n}_{k}(int x, int y) {{ (void)y; return (x ^ {b} * 5) + ({c} << 3) + x * {c}; }}\n"
    source, library = os.path.join(directory, "enumerate.c"), os.path.join(directory, "enumerate.so")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run(["cc", "-O1", "-g", "-w", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def ask(program, library, n, k, limit, options):
    constants = ",".join(str(3 * i + 1) for i in range(n))
    before = spent()
    r = subprocess.run([program, "adapt", "--json", "--no-cache", "--family", "substitute", "--constants", constants, "--runs", "10", "--search-timeout",
                        f"{limit}s", *options, f"{library}:target_{n}_{k}", f"{library}:inner"], stdout=subprocess.PIPE, check=False)
    return spent() - before, json.loads(r.stdout)["verdict"]


def plot(path, spaces, times):
    low, high = -2.5, 2

    def place(space, seconds):
        return 60 + 130 * math.log10(space), 340 - 300 * (math.log10(max(seconds, 0.003)) - low) / (high - low)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="780" height="390" font-family="sans-serif" font-size="12">',
           '<text x="300" y="380">adapters in the family</text><text x="4" y="20">seconds of processor time</text>']
    for e in range(0, 6):
        out.append(f'<text x="{60 + 130 * e}" y="358">10^{e}</text>')
    for e in range(-2, 3):
        y = place(1, 10.0 ** e)[1]
        out.append(f'<text x="10" y="{y:.0f}">{10.0 ** e:g}</text><path d="M60 {y:.0f}H740" stroke="#ddd"/>')
    for i, (way, list_) in enumerate(times.items()):
        points = [place(s, t) for s, t in zip(spaces, list_)]
        out.append(f'<polyline fill="none" stroke="{COLOURS[i]}" points="{" ".join(f"{x:.0f},{y:.0f}" for x, y in points)}"/>')
        out.append(f'<text x="620" y="{40 + 16 * i}" fill="{COLOURS[i]}">{way}</text>')
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n</svg>\n")


def main():
    program, directory = sys.argv[1:3]
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    os.makedirs(directory, exist_ok=True)
    library = compile_pairs(directory)
    times = {way: [] for way in WAYS}
    spaces = [(n + 1) ** 3 for n in SIZES]
    print("| adapters | " + " | ".join(WAYS) + " |")
    print("|---|" + "---|" * len(WAYS))
    for n, space in zip(SIZES, spaces):
        row = []
        for way, options in WAYS.items():
            answers = [ask(program, library, n, k, limit, options) for k in range(3)]
            mean = sum(t for t, _ in answers) / 3
            found = sum(v == "adapter" for _, v in answers)
            times[way].append(mean)
            row.append(f"{mean:.2f} s" + ("" if found == 3 else f" ({found} of 3 found)"))
        print(f"| {space:,} | " + " | ".join(row) + " |", flush=True)
    plot(os.path.join(directory, "enumerate.svg"), spaces, times)


main()
