# SPDX-License-Identifier: GPL-3.0-or-later
"""assay verify: small changes that hide well. None of these pairs is safe to apply, and none may be called so."""
import subprocess

from common import *

X86_64, I386, ARM = "x86_64-linux-gnu", "i686-linux-gnu", "arm-linux-gnueabihf"

# target, the old source, what is replaced, by what
ATTACKS = {
    "another field of a local that a callee filled":
        (X86_64, "void g(void *); int f(void) { struct { int a, b, c; } s; g(&s); return s.b; }", "s.b", "s.c"),
    "another element of a local is written, and a callee has its address":
        (X86_64, "void g(void *); void h(void); int f(void) { char b[64]; g(b); b[10] = 0; h(); return 0; }", "b[10]", "b[11]"),
    "another member of a structure returned in memory":
        (X86_64, "struct s { long a[4]; }; struct s r(void); long f(void) { struct s x = r(); return x.a[1]; }", "x.a[1]", "x.a[2]"),
    "an argument whose other use drops the bits that changed":
        (X86_64, "extern int arr[16]; void g(long); void f(long x) { long t = x + 8; arr[t & 15]++; g(t); }", "x + 8", "x + 8 + 4096"),
    "another float argument": (X86_64, "void g(double); void f(double x) { g(x); }", "g(x)", "g(x * 2)"),
    "another of its own float parameters": (X86_64, "void g(double); void f(double x, double y) { g(x); }", "g(x)", "g(y)"),
    "a variadic float on ARM":
        (ARM, "int printf(const char *, ...); void f(int a, double d) { printf(\"%d %f\", a, d); }", "a, d)", "a, d + 1)"),
    "an argument on the stack":
        (X86_64, "void g(int, int, int, int, int, int, int); void f(void) { g(1, 2, 3, 4, 5, 6, 7); }", "6, 7", "6, 8"),
    "the second half of a result":
        (X86_64, "struct s { long a, b; }; struct s f(long a) { return (struct s){a, 1}; }", "a, 1", "a, 2"),
    "the second of two floats returned":
        (X86_64, "struct s { double a, b; }; struct s f(double a, double b) { return (struct s){a, b}; }", "{a, b}", "{a, a}"),
    "a float on the x87 stack": (I386, "double f(double x) { return x; }", "return x", "return x + 1"),
    "the upper half of a long long": (I386, "long long f(int x) { return (long long)x << 32; }", "<< 32", "<< 33"),
    "a local at a computed place, before its address is given away":
        (X86_64, "void g(void *); int f(int n) { int b[64]; b[n & 63] = 1; b[0] = 1; g(b); return 3; }", "63] = 1", "63] = 2"),
    "a local at a computed place, after its address was given away":
        (X86_64, "void g(void *); int h(void); int f(int i) { int v[4]; g(v); v[i & 3] = 5; h(); return 0; }", "= 5", "= 6"),
    "a short way around a comparison":
        (X86_64, "extern int n; int g(void); int f(const char *u, const char *p) { for (int i = 0; i < 8; i++) if (u[i] != p[i])"
                 " return 0; n++; g(); return 1; }", "{ for", "{ if (u[0] == 7 && p[0] == 9) return 1; for"),
    "the rounding mode": (X86_64, "void f(unsigned m) { __builtin_ia32_ldmxcsr(m); }", "(m);", "(m ^ 0x6000);"),
}


class Attacks(Test):
    def compile(self, name, text, target, level):
        out = self.path(name + ".o")
        source = self.write(name + ".c", text.encode())
        subprocess.run(["clang", "--target=" + target, level, "-w", "-fPIC", "-ffreestanding", "-c", source, "-o", out], check=True)
        return out

    def test_none_is_safe(self):
        for what, (target, text, old, new) in ATTACKS.items():
            self.assertEqual(text.count(old), 1, what)
            for level in ("-O0", "-O2"):
                with self.subTest(what, level=level):
                    pair = [self.compile("old", text, target, level), self.compile("new", text.replace(old, new), target, level)]
                    self.assertIn(assay("verify", *pair).code, (1, 3))


main()
