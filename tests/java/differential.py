#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random Java methods, run by a virtual machine and by `assay java`: both must come to the same.

Every method takes numbers and gives a number, or throws. The virtual machine says which; a second class then asserts
it, call by call, and assay has to say that it holds: with the arguments as constants, and with the arguments as inputs
that are assumed to be those constants.

usage: differential.py ASSAY [--runs N] [--seed N] [--inputs] [--keep DIR]"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS_OF_A_METHOD = 5
METHODS_OF_A_CLASS = 8

INTS = ["0", "1", "-1", "2", "7", "31", "32", "33", "63", "64", "127", "128", "255", "-128", "-129", "32767", "65535",
        "65536", "2147483647", "-2147483648", "1000003"]
LONGS = ["0L", "1L", "-1L", "63L", "2147483648L", "-2147483649L", "9223372036854775807L", "-9223372036854775808L",
         "1234567890123L"]
FLOATS = ["0f", "-0f", "1f", "-1.5f", "0.1f", "3.4028235e38f", "1.4e-45f", "Float.NaN", "Float.POSITIVE_INFINITY",
          "16777217f", "2147483648f"]
DOUBLES = ["0.0", "-0.0", "1.0", "-2.5", "0.1", "1e308", "4.9e-324", "Double.NaN", "Double.NEGATIVE_INFINITY",
           "9007199254740993.0", "1e10"]
CONSTANTS = {"int": INTS, "long": LONGS, "float": FLOATS, "double": DOUBLES}
ARRAYS = {"byte": "int", "short": "int", "char": "int", "int": "int", "long": "long", "float": "float",
          "double": "double", "boolean": "boolean"}

FRAME = """import assay.Input;
public class %(name)s {
    static int si; static long sl; static double sd; static String ss = "s";
    static abstract class Base { int f = 3; long g = 4; float h = 5; byte b; abstract int m(int x); int k(int x) { return f * x; } }
    static class One extends Base { int m(int x) { return x + f; } }
    static class Two extends Base { double d = 0.5; int m(int x) { f += x; return f ^ x; } int k(int x) { return super.k(x) - 1; } }
    interface Fn { long of(long x); }
    static long sum(int... a) { long s = 0; for (int v : a) s = s * 31 + v; return s; }
    static long mix(double d) { long l = Double.doubleToLongBits(d); return l ^ l >>> 32; }
    static long code(Throwable t) { return t.getClass().getName().hashCode() * 1000003L; }
    static Base pick(int i) { return (i & 3) == 0 ? null : (i & 1) == 0 ? new One() : new Two(); }
%(body)s
}
"""


class Maker:
    def __init__(self, rng):
        self.r = rng
        self.depth = 0
        self.fresh = 0

    def pick(self, *of):
        return self.r.choice(of)

    def constant(self, kind):
        if kind == "boolean":
            return self.pick("true", "false")
        if kind == "int" and self.r.random() < 0.3:
            return str(self.r.randint(-300, 300))
        return self.r.choice(CONSTANTS[kind])

    def variable(self, kind):
        names = {"int": ["a", "b", "i0", "i1", "si", "o.f", "o.b", "p.f", "ai[%s]", "ab[%s]", "ac[%s]", "as[%s]", "m[%s][%s]"],
                 "long": ["c", "l0", "l1", "sl", "o.g", "al[%s]"],
                 "float": ["f0", "f1", "o.h", "af[%s]"],
                 "double": ["d", "d0", "sd", "ad[%s]"], "boolean": ["z0", "az[%s]"]}[kind]
        n = self.r.choice(names)
        while "%s" in n:
            n = n.replace("%s", self.index(), 1)
        return n

    def index(self):
        return self.pick("0", "1", "2", "3", "i0 & 3", "a & 3", "(int) (l0 & 3)", "%s & 3" % self.expr("int"),
                         self.expr("int") if self.r.random() < 0.15 else "1")

    def expr(self, kind):
        self.depth += 1
        try:
            if self.depth > 4 or self.r.random() < 0.25:
                return self.constant(kind) if self.r.random() < 0.4 else self.variable(kind)
            return "(" + getattr(self, kind + "_expr")() + ")"
        finally:
            self.depth -= 1

    def any_number(self):
        return self.expr(self.pick("int", "long", "float", "double"))

    def int_expr(self):
        e = self.expr
        k = self.r.randrange(16)
        if k < 4:
            return "%s %s %s" % (e("int"), self.pick("+", "-", "*", "&", "|", "^"), e("int"))
        if k == 4:
            return "%s %s %s" % (e("int"), self.pick("/", "%"), e("int"))
        if k == 5:
            return "%s %s %s" % (e("int"), self.pick("<<", ">>", ">>>"), e(self.pick("int", "long")))
        if k == 6:
            return "(%s) %s" % (self.pick("int", "byte", "short", "char"), self.any_number())
        if k == 7:
            return "%s ? %s : %s" % (e("boolean"), e("int"), e("int"))
        if k == 8:
            return self.pick("- ", "~") + e("int")
        if k == 9:
            return self.pick("o", "p") + self.pick(".m(%s)", ".k(%s)") % e("int")
        if k == 10:
            return "%s%s" % (self.variable("int"), self.pick("++", "--"))
        if k == 11:
            return "%s %s= %s" % (self.variable("int"), self.pick("+", "-", "*", "^", ">>"), e("int"))
        if k == 12:
            return self.pick("Integer.bitCount(%s)", "Math.abs(%s)", "Integer.numberOfLeadingZeros(%s)", "Integer.reverse(%s)",
                             "Integer.valueOf(%s).hashCode()", "String.valueOf(%s).length()", "Integer.parseInt(\"\" + %s)") % e("int")
        if k == 13:
            return "Long.compare(%s, %s)" % (e("long"), e("long"))
        if k == 14:
            return "(ss + %s).hashCode()" % e(self.pick("int", "long", "boolean"))
        return "Float.floatToIntBits(%s)" % e("float")

    def long_expr(self):
        e = self.expr
        k = self.r.randrange(11)
        if k < 3:
            return "%s %s %s" % (e("long"), self.pick("+", "-", "*", "&", "|", "^"), e(self.pick("long", "int")))
        if k == 3:
            return "%s %s %s" % (e("long"), self.pick("/", "%"), e("long"))
        if k == 4:
            return "%s %s %s" % (e("long"), self.pick("<<", ">>", ">>>"), e(self.pick("int", "long")))
        if k == 5:
            return "(long) " + self.any_number()
        if k == 6:
            return "%s ? %s : %s" % (e("boolean"), e("long"), e("long"))
        if k == 7:
            return "sum(%s, %s)" % (e("int"), e("int"))
        if k == 8:
            return "%s%s" % (self.variable("long"), self.pick("++", "--"))
        if k == 9:
            return "%s %s= %s" % (self.variable("long"), self.pick("+", "*", "^", "<<", ""), e("int"))
        return "fn.of(%s)" % e("long")

    def float_expr(self):
        e = self.expr
        k = self.r.randrange(6)
        if k < 3:
            return "%s %s %s" % (e("float"), self.pick("+", "-", "*", "/", "%"), e("float"))
        if k == 3:
            return "(float) " + self.any_number()
        if k == 4:
            return "- " + e("float")
        return "%s ? %s : %s" % (e("boolean"), e("float"), e("float"))

    def double_expr(self):
        e = self.expr
        k = self.r.randrange(8)
        if k < 3:
            return "%s %s %s" % (e("double"), self.pick("+", "-", "*", "/", "%"), e(self.pick("double", "float", "long")))
        if k == 3:
            return "(double) " + self.any_number()
        if k == 4:
            return "- " + e("double")
        if k == 5:
            return self.pick("Math.sqrt(%s)", "Math.floor(%s)", "Math.ceil(%s)", "Math.rint(%s)", "Math.abs(%s)") % e("double")
        if k == 6:
            return "%s %s= %s" % (self.variable("double"), self.pick("+", "*", ""), e("double"))
        return "%s ? %s : %s" % (e("boolean"), e("double"), e("double"))

    def boolean_expr(self):
        e = self.expr
        k = self.r.randrange(6)
        if k < 3:
            kind = self.pick("int", "long", "float", "double")
            return "%s %s %s" % (e(kind), self.pick("<", "<=", "==", "!=", ">", ">="), e(kind))
        if k == 3:
            return "%s %s %s" % (e("boolean"), self.pick("&&", "||", "&", "^"), e("boolean"))
        if k == 4:
            return "!" + e("boolean")
        return self.pick("o instanceof One", "p != null", "o == p", "((Object) o).equals(p)", "ss.equals(\"s\" + %s)" % e("int"))

    def block(self, n):
        return " ".join(self.statement() for _ in range(n))

    def statement(self):
        self.depth += 1
        try:
            k = self.r.randrange(14) if self.depth < 4 else self.r.randrange(5)
            if k < 5:
                kind = self.pick("int", "int", "long", "float", "double", "boolean")
                target = self.variable(kind)
                cast = "(byte) " if target.startswith(("ab", "o.b")) else "(char) " if target.startswith("ac") else \
                    "(short) " if target.startswith("as") else ""
                return "%s = %s%s;" % (target, cast, self.expr(kind))
            if k < 7:
                return "if (%s) { %s } else { %s }" % (self.expr("boolean"), self.block(2), self.block(1))
            if k == 7:
                self.fresh += 1
                v = "k%d" % self.fresh
                return "for (int %s = 0; %s < %d; %s++) { %s i0 += %s; if (%s) %s; }" % (
                    v, v, self.r.randint(1, 5), v, self.block(1), v, self.expr("boolean"), self.pick("break", "continue"))
            if k == 8:
                cases = "".join("case %d: %s %s " % (c, self.block(1), self.pick("break;", "")) for c in
                                self.r.sample([-1000, -1, 0, 1, 2, 3, 4, 90000], self.r.randint(1, 5)))
                return "switch (0 + %s) { %s default: i1++; }" % (self.expr("int"), cases)
            if k == 9:
                e = self.pick("RuntimeException", "ArithmeticException", "NullPointerException", "IndexOutOfBoundsException",
                              "Exception", "ClassCastException")
                return "try { %s } catch (%s x%d) { %s } finally { i1 += 3; }" % (self.block(2), e, self.depth, self.block(1))
            if k == 10:
                return self.pick("o = pick(%s);", "p = pick(%s);", "ai = new int[%s & 7];", "al = new long[%s %% 5];",
                                 "m = new int[%s & 3][2];", "o = (Base) objects[%s & 3];", "p = (Two) pick(%s);",
                                 "objects[%s & 3] = o;") % self.expr("int")
            if k == 11:
                return "if (%s) throw new %s(\"\" + %s);" % (self.expr("boolean"), self.pick("IllegalStateException",
                                                             "ArithmeticException", "RuntimeException"), self.expr("int"))
            if k == 12:
                return "{ Fn old = fn; long w = %s; fn = x -> x * 3 + w; l1 += fn.of(%s); fn = old; }" % (self.expr("long"), self.expr("long"))
            return "synchronized (ss) { %s }" % self.block(1)
        finally:
            self.depth -= 1

    def method(self, name):
        return """    static long %s(int a, int b, long c, double d) {
        int i0 = 1, i1 = 2; long l0 = 3, l1 = 4; float f0 = 1.5f, f1 = -2; double d0 = 2.25; boolean z0 = true;
        int[] ai = new int[4]; byte[] ab = new byte[4]; char[] ac = new char[4]; short[] as = new short[4]; long[] al = new long[4];
        float[] af = new float[4]; double[] ad = new double[4]; boolean[] az = new boolean[4]; int[][] m = new int[4][4];
        Base o = new One(), p = new Two(); Object[] objects = {o, p, null, "text"}; Fn fn = x -> x + 1;
        si = 0; sl = 0; sd = 0;
        %s
        return sum(i0, i1, si, o == null ? 1 : o.f, ai.length > 1 ? ai[1] : 2, ab[1], ac[2], as[3], z0 ? 1 : 0, az[0] ? 1 : 0, m.length) + l0 * 3 + l1 + sl
            + mix(f0) + mix(f1) * 3 + mix(d0) * 5 + mix(sd) + mix(af[0] + ad[1]) + al.length;
    }
""" % (name, "\n        ".join(self.statement() for _ in range(self.r.randint(3, 7))))


def arguments(rng):
    i = [rng.choice(INTS) if rng.random() < 0.5 else str(rng.randint(-50, 50)) for _ in range(2)]
    return i[0], i[1], rng.choice(LONGS), rng.choice(DOUBLES)


def runner(name, calls):
    lines = ["        try { r = %s.%s(%s); } catch (Throwable t) { r = %s.code(t); } System.out.println(r);"
             % (name, m, ", ".join(args), name) for m, args in calls]
    return "public class Run%s { public static void main(String[] x) { long r;\n%s\n} }\n" % (name, "\n".join(lines))


def checker(name, calls, results, inputs):
    tests = []
    for n in range(0, len(calls), RUNS_OF_A_METHOD):
        body = []
        for k in range(n, min(n + RUNS_OF_A_METHOD, len(calls))):
            m, args = calls[k]
            given = ", ".join(args)
            if inputs:
                body.append("{ int a = Input.anyInt(), b = Input.anyInt(); long c = Input.anyLong(); Input.assume(a == %s && b == %s && c == %s);"
                            % args[:3])
                given = "a, b, c, " + args[3]
            body.append("try { r = %s.%s(%s); } catch (Throwable t) { r = %s.code(t); } assert r == %sL;%s"
                        % (name, m, given, name, results[k], " }" if inputs else ""))
        tests.append("    static void t%d() { long r;\n        %s\n    }" % (n // RUNS_OF_A_METHOD, "\n        ".join(body)))
    return "import assay.Input;\npublic class Check%s {\n%s\n}\n" % (name, "\n".join(tests)), len(tests)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("assay")
    p.add_argument("--runs", type=int, default=400)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--inputs", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--mode", default="5")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return compare(a, a.keep or scratch)


def compare(a, folder):
    os.makedirs(folder, exist_ok=True)
    done = wrong = undecided = 0
    reasons = {}
    per_class = RUNS_OF_A_METHOD * METHODS_OF_A_CLASS
    classes = []
    for n in range(max(1, (a.runs + per_class - 1) // per_class)):
        rng = random.Random(a.seed * 100003 + n)
        name = "G%d" % n
        methods = "".join(Maker(rng).method("m%d" % k) for k in range(METHODS_OF_A_CLASS))
        calls = [("m%d" % k, arguments(rng)) for k in range(METHODS_OF_A_CLASS) for _ in range(RUNS_OF_A_METHOD)]
        with open(os.path.join(folder, name + ".java"), "w", encoding="utf-8") as f:
            f.write(FRAME % {"name": name, "body": methods})
        with open(os.path.join(folder, "Run%s.java" % name), "w", encoding="utf-8") as f:
            f.write(runner(name, calls))
        classes.append((name, calls))
    javac = ["javac", "-Xlint:-options", "-nowarn", "--release", "17", "-g", "-cp", folder, "-d", folder]
    sources = [os.path.join(folder, prefix + name + ".java") for name, _ in classes for prefix in ("", "Run")]
    subprocess.run(javac + [os.path.join(HERE, "assay", "Input.java")] + sources, check=True)
    checks = []
    for name, calls in classes:
        out = subprocess.run(["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", folder, "Run" + name], check=True, stdout=subprocess.PIPE)
        results = out.stdout.decode().split()
        text, n = checker(name, calls, results, a.inputs)
        with open(os.path.join(folder, "Check%s.java" % name), "w", encoding="utf-8") as f:
            f.write(text)
        checks.append((name, n))
    subprocess.run(javac + [os.path.join(folder, "Check%s.java" % name) for name, _ in checks], check=True)
    for name, n in checks:
        for k in range(n):
            method = "Check%s.t%d" % (name, k)
            r = subprocess.run([a.assay, "java", "--timeout", "20s", "--mode", a.mode, folder, method], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
            done += RUNS_OF_A_METHOD
            if r.returncode == 1 or r.returncode not in (0, 3):
                wrong += 1
                print("MISMATCH", method, "in", folder, r.stdout.decode()[:600])
            elif r.returncode == 3:
                undecided += 1
                for line in r.stdout.decode().splitlines():
                    if "not known" in line or "bound:" in line:
                        reasons[line.strip()] = reasons.get(line.strip(), 0) + 1
    print("%d runs, %d mismatches, %d of %d checks undecided" % (done, wrong, undecided, sum(n for _, n in checks)))
    for line, n in sorted(reasons.items(), key=lambda x: -x[1])[:8]:
        print("  %d: %s" % (n, line))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
