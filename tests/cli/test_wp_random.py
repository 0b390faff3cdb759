# SPDX-License-Identifier: GPL-3.0-or-later
"""assay wp against the processor: random functions are run on many inputs, and no property that one of these runs breaks may be
said to hold. WP_SEEDS=FIRST-LAST in the environment runs others than the few that are always run."""
import random
import subprocess

from common import *

SEEDS = os.environ.get("WP_SEEDS", "1-2")
COMPILERS = {
    "x86_64": [["gcc"], ["clang", "--target=x86_64-linux-gnu"]],
    "i686": [["i686-linux-gnu-gcc"], ["clang", "--target=i686-linux-gnu"]],
    "arm": [["arm-linux-gnueabihf-gcc"], ["clang", "--target=arm-linux-gnueabihf"]],
    "aarch64": [["aarch64-linux-gnu-gcc"], ["clang", "--target=aarch64-linux-gnu"]],
}
if os.uname().machine != "x86_64":
    COMPILERS["x86_64"][0] = ["x86_64-linux-gnu-gcc"]
# Overflow wraps and pointers of different types may meet, so that what a function does is what its text says.
FLAGS = ["-w", "-g", "-fwrapv", "-fno-strict-aliasing", "-fno-stack-protector", "-fno-builtin", "-ffreestanding"]

PRELUDE = """
typedef unsigned char u8; typedef signed char s8; typedef short s16; typedef unsigned short u16; typedef unsigned u32; typedef long long s64;
struct s { s16 a; u8 b; u8 c; int d[4]; struct s *n; };
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern int ext1(int), ext2(int, int);
extern int G[4], g0;
#define KEEP __attribute__((noinline, used))
"""

HARNESS = """
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <stdint.h>
jmp_buf out;
int tripped, calls;
int G[4], g0;
void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { tripped = 1; longjmp(out, 1); }
int ext1(int x) { calls |= 1; g0 += x; return x * 3 + 1; }
int ext2(int x, int y) { calls |= 2; return (x ^ (y << 1)) - G[y & 3]; }
int old_f(int a, int b, int c, int d, int *p, int *q, struct s *r, u32 e);
int new_f(int a, int b, int c, int d, int *p, int *q, struct s *r, u32 e);
static u32 state = 12345;
static u32 next(void) { state = state * 1664525u + 1013904223u; return state >> 8 ^ state << 16; }
static int some(void)
{
    static const int all[] = {0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 32, 64, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 0x7fffffff,
                              -1, -2, -3, -8, -100, -128, -32768, -2147483647 - 1, 0x55555555, 0x12345678};
    return next() % 3 ? all[next() % (sizeof all / sizeof *all)] : (int)next();
}
static struct s pool[3];
static int area[8];
struct input { int a, b, c, d; int *p, *q; struct s *r; u32 e; };
static int call(int (*f)(int, int, int, int, int *, int *, struct s *, u32), const struct input *in, int *G_, int *area_, struct s *pool_, int g)
{
    memcpy(G, G_, sizeof G); memcpy(area, area_, sizeof area); memcpy(pool, pool_, sizeof pool); g0 = g;
    tripped = calls = 0;
    if (setjmp(out)) return 0;
    return f(in->a, in->b, in->c, in->d, in->p, in->q, in->r, in->e);
}
int main(void)
{
    for (int i = 0; i < 3000; i++) {
        struct input in = {some(), some(), some(), some(), &area[next() % 7], &area[next() % 7], &pool[next() % 3], (u32)some()};
        if (next() % 4 == 0) in.q = &G[next() % 3];
        int g[4], ar[8]; struct s po[3];
        for (int k = 0; k < 4; k++) g[k] = some();
        for (int k = 0; k < 8; k++) ar[k] = some();
        for (int k = 0; k < 3; k++) po[k] = (struct s){(s16)some(), (u8)some(), (u8)some(), {some(), some(), some(), some()}, &pool[next() % 3]};
        int x = call(old_f, &in, g, ar, po, 5), xt = tripped, xc = calls;
        int xg = g0 ^ G[0] * 3 ^ G[1] * 5 ^ G[2] * 7 ^ G[3] * 11, xa = 0; for (int k = 0; k < 8; k++) xa = xa * 31 + area[k];
        int y = call(new_f, &in, g, ar, po, 5), yt = tripped, yc = calls;
        int yg = g0 ^ G[0] * 3 ^ G[1] * 5 ^ G[2] * 7 ^ G[3] * 11, ya = 0; for (int k = 0; k < 8; k++) ya = ya * 31 + area[k];
        printf("%d %d %d %d %d %d %d %u %d %d %d %d %d %d %d %d\\n", i, in.a, in.b, in.c, in.d, 0, 0, in.e, x, xt, xc, y, yt, yc, xg != yg, xa != ya);
    }
    return 0;
}
"""


class Generator:
    """Writes a function f(a, b, c, d, p, q, r, e) of few statements, and a second version with one of its pieces changed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.fuel = self.r.choice([4, 6, 9, 12])
        self.extern = self.r.random() < 0.4
        self.pointers = self.r.random() < 0.6
        self.changes = []  # places of the text that can be changed: (marker, other text)
        self.loops = 0

    def pick(self, *options):
        return self.r.choice(options)

    def number(self):
        n = self.pick(0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 100, 127, 128, 255, 1000, -1, -2, -128, 0x7fff, 0x12345678, self.r.randrange(-1000, 1000))
        return self.mark(str(n) if n >= 0 else "(%d)" % n, str(n + 1) if n + 1 >= 0 else "(%d)" % (n + 1))

    def mark(self, text, other):
        if len(self.changes) > 60 or self.r.random() < 0.5:
            return text
        self.changes.append((text, other))
        return "@%d@" % (len(self.changes) - 1)

    def leaf(self):
        names = ["a", "b", "c", "d", "e", "x", "y", "z"]
        if self.pointers:
            names += ["*p", "*q", "p[1]", "r->a", "r->b", "r->d[%s & 3]" % self.pick("a", "x", "c"), "r->n->c"]
        names += ["g0", "G[%s & 3]" % self.pick("a", "x", "b"), "t[%s & 7]" % self.pick("a", "x", "y"), "table[%s & 15]" % self.pick("b", "x", "e")]
        return self.number() if self.r.random() < 0.25 else self.pick(*names[:8], *names)

    def expr(self, depth=2):
        if depth == 0 or self.r.random() < 0.2:
            return self.leaf()
        k = self.r.randrange(14)
        l, m = self.expr(depth - 1), self.expr(depth - 1)
        if k < 5:
            op = self.pick("+", "-", "*", "&", "|", "^", "+", "-")
            return "(%s %s %s)" % (l, self.mark(op, self.pick("+", "-", "^", "|")), m)
        if k == 5:
            return "(%s %s (%s & 31))" % (l, self.mark(*self.pick(("<<", ">>"), (">>", "<<"))), m)
        if k == 6:
            return "((%s)(%s) %s ((%s & 7) + 1))" % (self.pick("int", "u32", "s64"), l, self.pick("/", "%"), m)
        if k == 7:
            return "(%s ? %s : %s)" % (self.cond(depth - 1), l, m)
        if k == 8:
            return "((%s)%s)" % (self.pick("u8", "s8", "s16", "u16", "s64", "u32"), l)
        if k == 9:
            return "(%s%s)" % (self.pick("~", "-"), l)
        if k == 10:
            return "help(%s, %s)" % (l, m)
        if k == 11 and self.extern:
            return self.pick("ext1(%s)" % l, "ext2(%s, %s)" % (l, m))
        if k == 12:
            return "(int)((s64)%s * %s >> %d)" % (l, m, self.pick(0, 8, 32))
        return "(%s)" % self.cond(depth)

    def cond(self, depth=1):
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": ">=", "!=": "<"}[op]
        c = "(%s%s) %s (%s)" % (self.pick("", "", "(u32)", "(s8)"), self.expr(depth), self.mark(op, other), self.expr(depth))
        if self.r.random() < 0.2:
            c = "(%s) %s (%s)" % (c, self.mark(*self.pick(("&&", "||"), ("||", "&&"))), self.cond(0))
        return c

    def place(self):
        places = ["x", "y", "z", "x", "y", "t[%s & 7]" % self.pick("a", "x", "y", "b"), "g0", "G[%s & 3]" % self.pick("a", "b", "x")]
        if self.pointers:
            places += ["*p", "*q", "p[0]", "r->a", "r->b", "r->d[%s & 3]" % self.pick("x", "a"), "r->n->b"]
        return self.pick(*places)

    def block(self, depth):
        return "{ %s }" % " ".join(self.statement(depth - 1) for _ in range(self.r.randrange(1, 3)))

    def statement(self, depth=2):
        self.fuel -= 1
        k = self.r.randrange(12) if depth > 0 and self.fuel > 0 else 0
        if k < 4:
            return "%s %s %s;" % (self.place(), self.pick("=", "=", "+=", "^=", "-="), self.expr())
        if k < 6:
            return "if (%s) %s" % (self.cond(), self.block(depth)) + (" else " + self.block(depth) if self.r.random() < 0.5 else "")
        if k == 6 and self.loops < 1:
            self.loops += 1
            i = "i%d" % self.loops
            return "for (int %s = 0; %s < %s; %s++) %s" % (i, i, self.pick("3", "4", "(x & 3)", "(a & 3)"), i, self.block(depth))
        if k == 7:
            cases = self.r.sample(range(8), self.r.randrange(2, 7))
            body = " ".join("case %d: %s%s" % (c, self.statement(0), " break;" if self.r.random() < 0.8 else "") for c in cases)
            return "switch (%s & 7) { %s default: %s }" % (self.leaf(), body, self.statement(0))
        if k == 8:
            return "if (%s) return %s;" % (self.cond(), self.expr())
        if k == 9:
            return "if ((%s) && (%s)) __assert_fail(\"\", \"\", 1, \"\");" % (self.cond(0), self.cond(0))
        if k == 10 and self.pointers:
            return "*r = *r->n;" if self.r.random() < 0.5 else "{ struct s tmp = *r; tmp.d[%s & 3] += %s; *r->n = tmp; }" % (self.leaf(), self.leaf())
        if k == 11:
            return "fill(t, %s);" % self.leaf()
        return "y = rec(%s & 3, %s);" % (self.leaf(), self.leaf())

    def program(self):
        body = " ".join(self.statement() for _ in range(self.r.randrange(2, 6)))
        table = ", ".join(str(self.r.randrange(-200, 200)) for _ in range(16))
        text = PRELUDE + """
static const int table[16] = {%s};
KEEP static int help(int a, int b) { return %s; }
KEEP static int rec(int n, int v) { return n <= 0 ? v : rec(n - 1, v * 3) + n; }
KEEP static void fill(int *t, int v) { t[v & 7] = v; t[(v + 1) & 7] += 2; }
KEEP int f(int a, int b, int narrow, int half, int *p, int *q, struct s *r, u32 e)
{
    /* compilers do not agree on who extends narrow arguments */
    u8 c = narrow; s16 d = half; int x = a, y = b, z = 0, t[8] = {0};
    %s
    return %s;
}
""" % (table, self.pick("a + b", "a > b ? a : b", "a * 2 - b", "(a ^ b) + g0", "(u8)(a + b)"), body, self.expr())
        chosen = self.r.randrange(len(self.changes)) if self.changes else None
        old, new = text, text
        for i in reversed(range(len(self.changes))):
            old = old.replace("@%d@" % i, self.changes[i][0])
            new = new.replace("@%d@" % i, self.changes[i][1 if i == chosen else 0])
        return old, new


# Callees of which nothing is known, given something else by the second version. Without debug information what they take can
# only be guessed, and nobody may guess too little: "holds" would be wrong in every case.
HANDED_ON = [
    ("int g(int, int); int f(int a, int b) { return g(a, b); }", "g(a, b);", "g(a, b + 1);"),
    ("int g(int, int); int f(int a, int b, int c) { if (a) return g(a, b); return g(b, c); }", "g(b, c);", "g(b, c + 1);"),
    ("int g(int), h(int); int f(int a) { return g(h(a)); }", "h(a))", "h(a) + 1)"),
    ("int g(int, int, int, int, int, int, int, int, int); int f(int a) { return g(1, 2, 3, 4, 5, 6, 7, 8, a); }", "8, a)", "8, a + 1)"),
    ("double g(double); double f(double a) { return g(a); }", "g(a)", "g(a + 1)"),
    ("float g(float, int); float f(float a, int b) { return g(a, b); }", "g(a, b)", "g(a, b + 1)"),
    ("void g(int *); int f(int a, int b) { int t[2] = {a, b}; g(t); return t[1]; }", "{a, b}", "{a, b + 1}"),
]


class HandedOn(Test):
    def test_never_too_few(self):
        for arch in ("x86_64", "aarch64", "arm"):
            for text, old, new in HANDED_ON:
                self.assertEqual(text.count(old), 1, text)
                for level in "02" if arch == "x86_64" else "2":
                    files = []
                    for name, t in (("old", text), ("new", text.replace(old, new))):
                        source = self.write(name + ".c", t.encode())
                        subprocess.run([*COMPILERS[arch][1], "-O" + level, "-w", "-ffreestanding", "-c", source, "-o", source + ".o"], check=True)
                        files.append(source + ".o")
                    r = assay("wp", "--func=f", "--post", "ret@old == ret@new", *files)
                    self.assertIn(r.code, (1, 3), (arch, level, text, r.out, r.err))


class Random(Test):
    def compile(self, name, text, compiler, level, how):
        out = self.path(name + (".so" if how else ".o"))
        source = self.write(name + ".c", text.encode())
        more = ["-shared", "-fPIC", "-nostdlib"] + (["-fuse-ld=lld"] if "clang" in compiler[0] else []) if how else ["-c"]
        subprocess.run([*compiler, "-O" + level, *FLAGS, *more, source, "-o", out], check=True)
        return out

    def runs(self, old, new):
        """What the functions do on this machine."""
        texts = [old.replace(" f(int a", " old_f(int a"), new.replace(" f(int a", " new_f(int a")]
        objects = []
        for i, t in enumerate(texts):
            s = self.write("run%d.c" % i, t.encode())
            subprocess.run(["gcc", "-O1", *FLAGS, "-c", s, "-o", s + ".o"], check=True)
            objects.append(s + ".o")
        s = self.write("harness.c", (PRELUDE + HARNESS).encode())
        subprocess.run(["gcc", "-O1", "-w", s, *objects, "-o", self.path("harness")], check=True)
        lines = subprocess.run([self.path("harness")], stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode().split("\n")
        names = "i a b c d p q e x xt xc y yt yc g area".split()
        return [dict(zip(names, map(int, l.split()))) for l in lines if l]

    def verdict(self, *args):
        r = assay("wp", "--func=f", "--json", "--timeout=20s", "--query-timeout=5s", *args)
        self.assertIn(r.code, (0, 1, 3), (args, r.err))
        checked = json.loads(r.out).get("checked")  # nothing when the time was up
        return checked[0] if checked else {"verdict": "unknown", "rests_on": []}

    def never_holds(self, seed, why, *args):
        c = self.verdict(*args)
        self.count[c["verdict"]] = self.count.get(c["verdict"], 0) + 1
        self.assertNotEqual(c["verdict"], "unsat", (seed, why, args, c))

    def never_fails(self, seed, why, *args):
        c = self.verdict(*args)
        self.held[c["verdict"]] = self.held.get(c["verdict"], 0) + 1
        # one compiler divides by itself, another calls a function for it, of which nothing is known
        helpers = [k for r in c.get("runs", []) for k in r["calls"] if k["name"].startswith("__") and "assert" not in k["name"]]
        if "the number of arguments of some calls is guessed" not in c["rests_on"] and not helpers:
            self.assertNotEqual(c["verdict"], "sat", (seed, why, args, c))

    def one(self, seed):
        g = Generator(seed)
        old, new = g.program()
        runs = self.runs(old, new)
        returned = [r for r in runs if not r["xt"]]
        rng = random.Random(seed)
        arch = rng.choice(sorted(COMPILERS))
        compiler, level, how = rng.choice(COMPILERS[arch]), rng.choice("012s"), arch != "i686" and rng.random() < 0.5
        what = "%s %s -O%s%s" % (seed, " ".join(compiler), level, " -fPIC" if how else "")
        a = self.compile("a", old, compiler, level, how)
        follow = ["--inline=.*"] if rng.random() < 0.7 else []
        if returned:
            counts = {}
            for r in returned:
                counts[r["x"]] = counts.get(r["x"], 0) + 1
            rare = min(counts, key=lambda k: (counts[k], k))
            self.never_holds(what, "returns %d" % rare, "--post", "(int)ret != %d" % rare, *follow, a)
            top = max(counts)
            self.never_holds(what, "returns %d" % top, "--post", "(int)ret < %d" % top, *follow, a)
        if any(r["xt"] for r in runs):
            self.never_holds(what, "trips", "--trip-asserts", *follow, a)
        b = self.compile("b", new, compiler, level, how)
        both = [r for r in runs if not r["xt"] and not r["yt"]]
        if any(r["x"] != r["y"] for r in both):
            self.never_holds(what, "results differ", "--post", "ret@old == ret@new", *follow, a, b)
        if any(r["yc"] & ~r["xc"] for r in runs):
            self.never_holds(what, "calls differ", "--compare-func-calls", *follow, a, b)
        if any(r["yt"] and not r["xt"] for r in runs):
            self.never_holds(what, "only the new one trips", "--trip-asserts", *follow, a, b)
        if any(r["g"] or r["area"] for r in both) and arch == "x86_64":
            self.never_holds(what, "memory differs", "--postcond=(assert (= mem_orig mem_mod))", *follow, a, b)
        # the same text by another compiler
        other = self.compile("c", old, COMPILERS[arch][compiler is COMPILERS[arch][0]], rng.choice("12s"), how)
        self.never_fails(what, "same text", "--post", "(int)ret@old == (int)ret@new", *follow, a, other)
        self.never_fails(what, "same text", "--trip-asserts", *follow, a, other)

    def test_random(self):
        self.count, self.held = {}, {}
        first, last = map(int, SEEDS.split("-"))
        for seed in range(first, last + 1):
            with self.subTest(seed=seed):
                self.one(seed)
        if "WP_SEEDS" in os.environ:
            print("do not hold:", self.count, "hold:", self.held)


main()
