#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a verdict costs: processor time of `assay verify` against the size of a function and against the size of a patch.

  verify.py ASSAY DIRECTORY [SVG]    compiles into DIRECTORY, prints tables, and draws them into SVG

One table has what unchanged code costs: N blocks that call and store, and one check before, among or behind them.

The functions are made: N branches one after the other, each of which changes a field, so that there are 2^N paths (2^64 from 64 on). The patch
adds a check to one of them (safe), changes a constant in one of them (unsafe), or adds checks to K of 128.
"""
import json
import math
import os
import resource
import subprocess
import sys

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

SIZES = [8, 16, 32, 60, 128, 256, 512, 1024]
PATCHES = [1, 2, 4, 8, 16, 32, 64, 128]
FIXED = 128


def source(branches, checks=(), constants=()):
    """A function with so many branches; `checks` and `constants` are the numbers of those that are patched."""
    lines = ["struct state { unsigned x[%d]; };" % branches, "int step(struct state *s, unsigned long in)", "{"]
    for k in range(branches):
        lines.append("    if (in >> %d & 1) {" % (k % 64))
        if k in checks:
            lines.append("        if (s->x[%d] > 100000)\n            return -22;" % k)
        lines.append("        s->x[%d] = s->x[%d] * 3 + %d;" % (k, k, k + (k in constants)))
        lines.append("    }")
    return "\n".join(lines + ["    return 0;", "}", ""])


def blocks(n, check=None):
    """A function of n conditions, every fourth of which calls; with a check before number `check`."""
    lines = ["struct state { unsigned x[%d], y; };" % n, "void note(unsigned);", "int step(struct state *s, unsigned k)", "{"]
    for i in range(n + 1):
        if i == check:
            lines.append("    if (s->y > 100) {\n        note(1);\n        return -22;\n    }")
        if i < n:
            lines.append("    if (s->x[%d] > k) {\n        s->x[%d] += %d;%s\n    }" % (i, i, i + 3, "\n        note(k + %d);" % i if i % 4 == 0 else ""))
    return "\n".join(lines + ["    return 0;", "}", ""])


def compiled(directory, name, text):
    path = os.path.join(directory, name + ".o")
    subprocess.run(["cc", "-O2", "-x", "c", "-c", "-", "-o", path], input=text.encode(), check=True)
    return path


def verdict(assay, old, new):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([assay, "verify", "--json", "--jobs=1", "--func=step", old, new], stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report["verdict"], seconds, report["files"][0]["functions"][0]["old"]["size"]


def slope(points):
    """The exponent of growth: of a straight line through the upper half of the points, both scales logarithmic."""
    (x0, y0), (x1, y1) = points[len(points) // 2], points[-1]
    return math.log(y1 / y0) / math.log(x1 / x0)


class Plot:
    """A few curves, both axes logarithmic."""

    WIDTH, HEIGHT, LEFT, BOTTOM = 420, 300, 56, 44

    def __init__(self, title, xlabel, curves):
        self.title, self.xlabel, self.curves = title, xlabel, curves
        points = [p for _, c in curves for p in c]
        self.x = (min(p[0] for p in points), max(p[0] for p in points))
        self.y = (10 ** math.floor(math.log10(min(p[1] for p in points))), 10 ** math.ceil(math.log10(max(p[1] for p in points))))

    def at(self, x, y):
        fx = math.log(x / self.x[0]) / math.log(self.x[1] / self.x[0])
        fy = math.log(y / self.y[0]) / math.log(self.y[1] / self.y[0])
        return self.LEFT + fx * (self.WIDTH - self.LEFT - 16), self.HEIGHT - self.BOTTOM - fy * (self.HEIGHT - self.BOTTOM - 36)

    def svg(self, left):
        out = ['<g transform="translate(%d 0)">' % left, '<text x="%d" y="18" font-weight="bold">%s</text>' % (self.LEFT, self.title)]
        for x in [p[0] for p in self.curves[0][1]]:
            px, py = self.at(x, self.y[0])
            out.append('<text x="%.1f" y="%.1f" text-anchor="middle">%d</text>' % (px, py + 16, x))
        tick = self.y[0]
        while tick <= self.y[1] * 1.01:
            (x0, y), (x1, _) = self.at(self.x[0], tick), self.at(self.x[1], tick)
            out.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#bbb"/>' % (x0, y, x1, y))
            out.append('<text x="%.1f" y="%.1f" text-anchor="end">%g s</text>' % (x0 - 6, y + 4, tick))
            tick *= 10
        for number, (name, points) in enumerate(self.curves):
            dash = ' stroke-dasharray="6 3"' if number else ""
            colour = ("#0b5394", "#b45f06")[number]
            out.append('<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>' %
                       (colour, dash, " ".join("%.1f,%.1f" % self.at(*p) for p in points)))
            out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*self.at(*p), colour) for p in points]
            out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (self.LEFT + 12, 52 + 16 * number, colour, name))
        out.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % ((self.LEFT + self.WIDTH) // 2, self.HEIGHT - 8, self.xlabel))
        return out + ["</g>"]


def draw(path, plots):
    width = sum(p.WIDTH for p in plots) + 20
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' %
           (width, Plot.HEIGHT, width, Plot.HEIGHT),
           "<title>Processor time of a verdict against the size of the function and of the patch</title>",
           '<rect width="100%" height="100%" fill="white"/>']
    for number, p in enumerate(plots):
        out += p.svg(number * (Plot.WIDTH + 20))
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(out + ["</svg>", ""]))


def main():
    assay, directory = sys.argv[1], sys.argv[2]
    os.makedirs(directory, exist_ok=True)
    safe, unsafe, patch = [], [], []
    fine = True
    print("branches  bytes   a check added      a constant changed")
    for n in SIZES:
        old = compiled(directory, "old%d" % n, source(n))
        a, ta, size = verdict(assay, old, compiled(directory, "check%d" % n, source(n, checks=[n // 2])))
        b, tb, _ = verdict(assay, old, compiled(directory, "constant%d" % n, source(n, constants=[n // 2])))
        fine = fine and a == "safe" and b == "unsafe"
        safe.append((n, ta))
        unsafe.append((n, tb))
        print("%8d %6d   %-8s %6.2f s  %-8s %6.2f s" % (n, size, a, ta, b, tb), flush=True)
    print("grows like size to the power of %.2f and %.2f\n" % (slope(safe), slope(unsafe)))
    print("checks added to %d branches" % FIXED)
    old = compiled(directory, "old", source(FIXED))
    for k in PATCHES:
        a, ta, _ = verdict(assay, old, compiled(directory, "patch%d" % k, source(FIXED, checks=range(0, FIXED, FIXED // k))))
        fine = fine and a == "safe"
        patch.append((k, ta))
        print("%8d   %-8s %6.2f s" % (k, a, ta), flush=True)
    print("grows like the patch to the power of %.2f" % slope(patch))
    print("\nunchanged   a check before     among them         behind")
    for n in SIZES:
        old = compiled(directory, "blocks%d" % n, blocks(n))
        told = [verdict(assay, old, compiled(directory, "blocks%d_%d" % (n, at), blocks(n, at)))[:2] for at in (0, n // 2, n)]
        fine = fine and all(v == "safe" for v, _ in told)
        print("%9d   %s" % (n, "  ".join("%-8s %6.2f s" % x for x in told)), flush=True)
    if len(sys.argv) > 3:
        draw(sys.argv[3], [Plot("Size of the function", "branches", [("a check added: safe", safe), ("a constant changed: not safe", unsafe)]),
                           Plot("Size of the patch", "branches patched, of %d" % FIXED, [("checks added: safe", patch)])])
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
