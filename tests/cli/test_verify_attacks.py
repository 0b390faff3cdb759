# SPDX-License-Identifier: GPL-3.0-or-later
"""assay verify: small changes that hide well. None of these pairs is safe to apply, and none may be called so."""
import json
import re
import subprocess

import common
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
    "a vector, which i386 passes in a register":
        (I386, "typedef int v __attribute__((vector_size(16))); void g(v, int); void f(v *p) { g(p[0], 3); }", "p[0]", "p[1]"),
    "the second of two vectors":
        (I386, "typedef int v __attribute__((vector_size(16))); void g(v, v); void f(v x, v *p) { g(x, p[0]); }", "p[0]", "p[1]"),
    "a result that one way does not set":
        (I386, "int f(int *p) { int v; if (*p == 1) v = 5; else if (*p == 2) v = 9; return v; }", "v = 5", "v = 6"),
    "a weaker barrier": (X86_64, "void f(int *p) { *p = 1; __asm__ volatile(\"mfence\" ::: \"memory\"); p[1] = 2; }", "mfence", "sfence"),
    "a weaker barrier on ARM":
        (ARM, "void f(int *p) { *p = 1; __asm__ volatile(\"dmb ish\" ::: \"memory\"); p[1] = 2; }", "dmb ish", "dmb ishst"),
    "a weaker barrier on AArch64":
        ("aarch64-linux-gnu", "void f(int *p) { *p = 1; __asm__ volatile(\"dmb ish\" ::: \"memory\"); p[1] = 2; }", "dmb ish", "dmb ishst"),
    "the upper half of a long long": (I386, "long long f(int x) { return (long long)x << 32; }", "<< 32", "<< 33"),
    "a parameter on the stack that a callee is given":
        (I386, "int g(int *); int f(int a) { int l = 0, t = a; g(&l); g(&a); return a + l; }", "return a", "return t"),
    "a parameter on the stack that somebody keeps the address of":
        (I386, "extern int *k; int g(int *); int f(int a) { int l = 0, t = a; k = &a; g(&l); return a + l; }", "return a", "return t"),
    "one of several parameters on the stack":
        (I386, "int g(int *, int **); int f(int a, int b) { int l = 0, t = b, *q[2] = {&a, &b}; g(&l, q); return b + l; }", "return b", "return t"),
    "a local at a computed place, before its address is given away":
        (X86_64, "void g(void *); int f(int n) { int b[64]; b[n & 63] = 1; b[0] = 1; g(b); return 3; }", "63] = 1", "63] = 2"),
    "a local at a computed place, after its address was given away":
        (X86_64, "void g(void *); int h(void); int f(int i) { int v[4]; g(v); v[i & 3] = 5; h(); return 0; }", "= 5", "= 6"),
    "the middle of a local, of which all is written at once":
        (X86_64, "int g(void *); int f(void) { int v[4] = {1, 2, 3, 4}; g(&v[1]); return 0; }", "&v[1]", "&v[2]"),
    "the middle of a local, of which some element is written":
        (X86_64, "int g(void *); int f(int a) { int v[4]; g(v); v[a & 3] = 7; g(&v[1]); return 0; }", "&v[1]", "&v[2]"),
    "a short way around a comparison":
        (X86_64, "extern int n; int g(void); int f(const char *u, const char *p) { for (int i = 0; i < 8; i++) if (u[i] != p[i])"
                 " return 0; n++; g(); return 1; }", "{ for", "{ if (u[0] == 7 && p[0] == 9) return 1; for"),
    "a counter of a loop that passes 2^32":
        (X86_64, "void g(long); void h(void); void f(const char *p, long n) { for (unsigned long i = 0; i < n; i++) { if (p[i] == 7)"
                 " { g(i); return; } if (i >> 33) { h(); return; } } }", "i >> 33", "i >> 63"),
    "the last of parameters that are handed on":
        (X86_64, "extern int arr[16]; void g(long, long, long, long); void f(long a, long b, long c, long d)"
                 " { long t = a + 8; arr[t & 15]++; g(a, b, c, d); }", "c, d);", "c, t);"),
    "an argument of one call, where another call hands on a parameter":
        (X86_64, "extern int arr[16]; extern long x; void g(long); void f(long a) { g(a); long t = x + 8; arr[t & 15]++; g(t); }",
         "x + 8", "x + 8 + 4096"),
    "an argument that another call of a variadic function does not have":
        (ARM, "extern int arr[16]; extern int x; void h(void); void g(const char *, ...); void f(void)"
              " { h(); g(\"a\"); h(); int t = x + 8; arr[t & 15]++; g(\"%d\", t); }", "x + 8", "x + 8 + 4096"),
    "an argument of one function pointer, where another has none":
        (X86_64, "extern int arr[16]; extern long x; void h(void); void f(void (*p)(void), void (*q)(long))"
                 " { h(); p(); h(); long t = x + 8; arr[t & 15]++; q(t); }", "x + 8", "x + 8 + 4096"),
    "a way to success, where a parameter comes in the register of the result":
        (ARM, "void g(int *); int h(void); int f(int *p) { g(p); if (*p) g(p); return h(); }", "{ g(p);", "{ if (!p) return 0; g(p);"),
    "a way to success that hands a float back as it came":
        (X86_64, "double g(int *); void h(double); void k(void); double f(double x, int *p) { h(x); if (*p) k(); return g(p); }", "{ h(x);",
         "{ if (!p) return x; h(x);"),
    "a way to success, where a float is returned":
        (I386, "struct s { int on, most; }; double g(double, struct s *); double f(double x, struct s *s) { if (!s->on) return x; x = g(x, s); s->on = 0; return x; }",
         "{ if (!s->on)", "{ if (s->most == 7) return x; if (!s->on)"),
    "the rounding mode": (X86_64, "void f(unsigned m) { __builtin_ia32_ldmxcsr(m); }", "(m);", "(m ^ 0x6000);"),
}


# Many functions of one file, OLD and NEW of which differ where V says so.
PAIR = """
#ifdef NEW
#define V(old, new) new
#else
#define V(old, new) old
#endif
"""
CALLS = PAIR + """
typedef long long ll;
struct two { long a, b; }; struct dd { double x, y; }; struct mx { long a; double d; }; struct large { long v[24]; };
struct two gs(int); struct dd gdd(int); struct mx gm(int); double gd(int); void g0(void); int count; char byte;
void g7(long, long, long, long, long, long, long); void g9(long, long, long, long, long, long, long, long, long);
void g9d(double, double, double, double, double, double, double, double, double); void gill(int, ll, int); void glarge(struct large);
void seventh_handed_on(long a, long b, long c, long d, long e, long f) { g7(a, b, c, d, e, f, V(1, 2)); }
void ninth_handed_on(long a, long b, long c, long d, long e, long f, long g, long h) { g9(a, b, c, d, e, f, g, h, V(1, 2)); }
int own_stack(long a, long b, long c, long d, long e, long f, long g, long h, long i) { g9(a, b, c, d, e, f, V(g, h), V(h, g), i); return 7; }
void ninth_in_place(long a, long b, long c, long d, long e, long f, long g, long h, long i) { g9(a, b, c, d, e, f, g, h, i + V(1, 2)); }
void ninth_float(double a) { g9d(a, a, a, a, a, a, a, a, a + V(1, 2)); }
void by_pointer(void (*p)(double, double, double, double, double, double, double, double, double), double a) { p(a, a, a, a, a, a, a, a, a + V(1, 2)); }
void behind_a_gap(int a, ll b) { gill(a, b, V(5, 6)); }
int large(struct large *p) { struct large s = *p; s.v[23] = V(1, 2); glarge(s); return 7; }
double other_result(void) { double a = gd(1), b = gd(2); count++; return V(a, b); }
struct two other_half(void) { struct two r = gs(1), s = gs(2); return (struct two){r.a, V(r.b, s.b)}; }
struct dd other_float(void) { struct dd r = gdd(1), s = gdd(2); return (struct dd){r.x, V(r.y, s.y)}; }
struct mx mixed(int x) { if (x) { struct mx r = gm(x); count++; return r; } return (struct mx){1, V(2.0, 3.0)}; }
struct mx mixed_own(double d, int x) { if (x) return (struct mx){1, d}; return (struct mx){2, d * V(2., 3.)}; }
double float_own(double d, int x) { if (x == 1) return 5.3; if (x == 2) return d; return d * V(2., 3.); }
void narrowed(int a, ll b) { ll t = b + V(1, 257); byte = (char)t; gill(a, t, 1); }
#ifdef __SIZEOF_INT128__
void gi128(long, long, long, long, long, long, long, __int128); __int128 gr128(int);
void wide(long a) { gi128(a, a, a, a, a, a, a, (__int128)V(1, 2)); }
__int128 wide_half(void) { __int128 r = gr128(1), s = gr128(2); return V(r, (r & ~0ul) | (s & ((__int128)~0ul << 64))); }
#endif
int same_seventh(long a) { V(, if (a == 99) return -1;) g7(a, 2, 3, 4, 5, 6, 7); return 5; }
int same_in_place(long a) { V(, if (a == 99) return -1;) count += V(a + a, 2 * a); g0(); return 5; }
"""
TRIPLES = ["x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf", "i686-linux-gnu"]

# What tables and the dynamic linker say: machines, level, source.
TABLES = {
    "a table behind another that is the same":
        ("aarch64 arm", "-O2", "long a0(int i) { static const long t[4] = {1, 2, 3, 4}; return t[i & 3]; }"
         "int mode(int i) { static const int t[4] = {7, V(1, 2), 3, 9}; return t[i & 3]; }"),
    "values of a switch":
        ("aarch64 arm", "-O2", "long a0(int i) { static const long t[4] = {1, 2, 3, 4}; return t[i & 3]; } int f(int c) { switch (c) { case 0:"
         " return 3; case 1: return 17; case 2: return V(5, 6); case 3: return 9; case 4: return 22; case 5: return 1; default: return 2; } }"),
    "a string in a table of strings":
        ("x86_64 i686", "-O2", "const char *f(int c) { static const char *const t[] = {\"ab\", \"cd\", V(\"ef\", \"eg\"), \"xx\"}; return t[c & 3]; }"
         "double g(int c) { static const double t[] = {1, 2, 3, 5}; return t[c & 3]; }"),
    "another thread-local of somebody else":
        ("i686 arm", "-O2", "extern __thread int ta, tb; int f(void) { return V(ta, tb); } int use(void) { return ta + tb; }"),
    "another thread-local of its own":
        ("x86_64", "-O0", "static __thread int tc, td; int ga(void *); int set(void) { return ga(&tc) + ga(&td); } int f(void) { return V(tc, td); }"),
    "the last of three floats returned":
        ("aarch64", "-O2", "struct s { float a, b, c; }; struct s f(float x) { return (struct s){x, x, V(x, -x)}; }"),
    "functions in a table that reads like text":
        ("x86_64", "-O0", "asm(\".text; .skip 0x1100 - (. - .text)\"); int n; static int a(int x) { n += x; return 1; } static int b(int x) { n -= x; return 2; }"
         "int f(int i) { static int (*const t[])(int) = {a, V(b, a), b}; return t[i % 3u](i); }"),
    "a long double": ("x86_64", "-O0", "void gld(long double); void f(long double d) { gld(d + V(1, 2)); }"),
    "a result that is set before the code asks for its own address":
        ("i686", "-Os", "void *made(int); int f(void **c, int fd) { if (fd < 0) return -9; c[0] = (void *)fd; c[1] = made(fd); return c[1] ? V(0, 4) : -12; }"),
    "a number where pointers were returned":
        ("x86_64 arm", "-O2", "int a, b, n; int *f(int c) { n++; if (c == 1) return V(&a, (int *)0xffffffa9); if (c == 2) return &b; return 0; }"),
}

# On ARM nearly every instruction can be skipped, and so can returns.
SKIPPED = """
.arm
.type first, %function
first: push {lr}; cmp r0, #1; popeq {pc}; str r1, [r2, #WHERE]; pop {pc}
.size first, . - first
.type second, %function
second: cmp r0, #1; moveq pc, lr; str r1, [r2, #WHERE]; mov pc, lr
.size second, . - second
"""


WORDS = """
#ifdef NEW
#define AND(...) , __VA_ARGS__
#else
#define AND(...)
#endif
void note(const char *, ...); int get(int); int count;
int one(int a, int b) { int x = get(a); if (x < 0) return -1; note("a" AND(x)); return b; }
int two(int a, int b) { int x = get(a); if (x < 0) return -1; note("a", b AND(x)); return b; }
int three(int a, int b) { int x = get(a); if (x < 0) return -1; note("a", b, 7 AND(x)); return b; }
int both(int a, int b) { int x = get(a); if (x < 0) return -1; note("a", b AND(x, x)); return b; }
int number(int a, int b) { int x = get(a); if (x < 0) return -1; note("a", b, x AND(-1)); return b; }
int numbers(int a, int b) { if (a < 0) return -1; note("a", b AND(-1, -1)); return b; }
int own(int a, int b) { if (a < 0) return -22; note("a" AND(b)); count = b; return 0; }
int kept(int a, int b) { int x = get(a); count = x; note("a", b, a AND(x)); return 7; }
"""

# Words of the stack that look like those that align it.
PUSHED = PAIR + """
int g7(long, long, long, long, long, long, long), g8(long, long, long, long, long, long, long, long); int gv(const char *, ...); extern int count;
int large(long a) { if (a < 0) return -1; g7(a, 2, 3, 4, 5, 6, V(0x123456789abcd, 0x123456789abce)); return 0; }
int string(long a) { if (a < 0) return -1; g7(a, 2, 3, 4, 5, 6, (long)V("abc", "abd")); return 0; }
int two(long a) { g8(1, 2, 3, 4, 5, 6, V(0x777777777777, 0x777777777778), a); return 0; }
#ifdef NEW
#define AND(x) , x
#else
#define AND(x)
#endif
int another(long a) { if (a < 0) return -1; gv("%d %d %d %d %d", 1, 2, 3, 4, 5 AND(0)); return 0; }
int address(long a) { if (a < 0) return -1; gv("%d %d %d %d", 1, 2, 3, 4, 6 AND(&count)); return 0; }
"""

# A pointer that is passed in one version and a small number in the other, each used otherwise, too.
KINDS = PAIR + """
struct s { long a; int *p; unsigned char k; struct s *next; }; extern int arr[16];
int g2(void *, long), g3(long, long, long);
int byte(struct s *s) { int *q = s->p; unsigned char k = s->k; if (!*q || !k) return -1; g2(s, V((long)q, k)); return 0; }
int own(long a, int *p, int f) { if (f) { arr[3] = 1; *p = 1; return g3(a, V((long)p, 1), 1); } return 0; }
int one(struct s *s) { int *q = s->p; s->k = 1; q[3] = 1; g2(s, V((long)q, 1)); return 0; }
int third(int a, struct s *s) { unsigned char k = s->k; struct s *q = s->next; if (!k || !q->a) return -1; return g3(a, 4, V((long)q, (long)k)); }
"""

# On the way that nobody takes nothing is put into the register of the result.
LEAVES = """
.type f, @function
f: cmpl $VALUE, %edi; sete %cl; je 1f; cmpl $9, %esi; jne 2f
1: movl %esi, %eax
2: testb %cl, %cl; jne 3f; movl $99, %eax
3: ret
.size f, . - f
"""


# What no function shows: what is said, and how the new file is made from the same source (LIBRARY) otherwise.
LIBRARY = """
int count; static int hidden = 3; __thread int mine = 5; __thread int other; const int table[2] = {1, 2};
void evil(void) { count = 1; }
int api(int x) { return x + count + table[x & 1] + hidden++; }
int local(void) { return mine; }
static int twin = 1; int first(void) { return twin++; }
int spare(int x) { return x * 5; }
int (*hook)(int) = api;
"""
FILE_ATTACKS = [
    (["-Wl,-init=evil", "-Wl,-rpath,/tmp", "-Wl,-soname,other.so", "-Wl,-z,execstack", "-Wl,-z,norelro", "-Wl,-z,nodelete",
      "-Wl,-z,interpose", "-Wl,--no-as-needed", "HELPER"],
     ["initialisation function (DT_INIT): evil, was nothing", "library search path (RUNPATH): /tmp, was nothing",
      "soname: other.so, was nothing", "the stack is newly executable",
      "relocated data (RELRO) stays writable after loading",
      "dynamic flag added: never unload it (NODELETE)",
      "dynamic flag added: search it for symbols before all others (INTERPOSE)", "libhelper.so is newly needed"]),
    (["-Wl,-fini=evil", "-Wl,-rpath,/tmp,--disable-new-dtags", "-Wl,-Bsymbolic"],
     ["termination function (DT_FINI): evil, was nothing", "library search path (RPATH): /tmp, was nothing",
      "dynamic flag added: search the library itself for symbols first (SYMBOLIC)"]),
]
FILE_CHANGES = {
    "mine has different initial contents": ("mine = 5", "mine = 6"),
    "hidden has different initial contents": ("hidden = 3", "hidden = 4"),
    "export table changed its contents": ("{1, 2}", "{1, 3}"),
    "export evil was removed": ("void evil", "__attribute__((visibility(\"hidden\"))) void evil"),
    "export getenv was added: it may interpose on another of that name":
        ("int count;", "int count; extern int getenv __attribute__((alias(\"count\")));"),
    "hook has different initial contents": ("= api;", "= spare;"),
}


DEATH = re.compile("killed by signal|exited with status|the job failed|out of memory|memory limit|result larger than")


def assay(*args, **more):
    """A verifier that died calls nothing safe either: what is not known must not be so for that reason."""
    r = common.assay(*args, **more)
    died = DEATH.search(r.out + r.err)
    assert not died, (args, died.group(), r.out[-2000:], r.err)
    return r


class Attacks(Test):
    def json(self, *args, code=0):
        r = assay(*args)
        self.assertEqual(r.code, code, (args, r.err))
        return json.loads(r.out)

    def library(self, name, text, *flags):
        """Linked with lld, so that it does not depend on the host."""
        out, source = self.path(name), self.write(name + ".c", text.encode())
        flags = [self.helper() if f == "HELPER" else f for f in flags]
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", "-w", "-fPIC", "-ffreestanding", "-nostdlib", "-fuse-ld=lld", "-shared",
                        "-Wl,-z,noexecstack", source, "-o", out, *flags], check=True)
        return out

    def helper(self):
        out = self.path("libhelper.so")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-nostdlib", "-fuse-ld=lld", "-shared", "-Wl,-soname,libhelper.so",
                        self.write("helper.c", b"int helps;"), "-o", out, "-fPIC"], check=True)
        return out

    def reasons(self, *pair):
        doc = self.json("verify", "--json", *pair, code=3)
        return sorted(doc["files"][0]["reasons"])

    def test_no_file_is_safe(self):
        """The functions are the same; what the dynamic linker is told is not."""
        old = self.library("old.so", LIBRARY)
        for flags, says in FILE_ATTACKS:
            self.assertEqual(self.reasons(old, self.library("new.so", LIBRARY, *flags)), sorted(says))

    def test_no_handler_is_safe(self):
        """Code that only runs when a callee throws is not followed, so it must not be called the same."""
        text = b"struct A { int x; }; void g(int); int f(int n) { try { g(n); } catch (A &) { return %d; } return 0; }"
        pair = []
        for name, value in (("old.so", 2), ("new.so", 3)):
            pair.append(self.path(name))
            subprocess.run(["clang++", "--target=x86_64-linux-gnu", "-O1", "-fPIC", "-nostdlib", "-fuse-ld=lld", "-shared", "-x", "c++",
                            self.write(name + ".cc", text % value), "-o", pair[-1]], check=True)
        doc = self.json("verify", "--json", *pair, code=3)
        self.assertIn("reachable only when a callee throws", doc["files"][0]["functions"][0]["reason"])

    def test_no_data_is_safe(self):
        old, text = self.library("old.so", LIBRARY), LIBRARY
        for a, b in FILE_CHANGES.values():
            self.assertEqual(text.count(a), 1)
            text = text.replace(a, b)
        doc = self.json("verify", "--json", old, self.library("new.so", text), code=1)
        self.assertEqual(sorted(doc["files"][0]["reasons"]), sorted(FILE_CHANGES))
        stripped = [self.library(name, t, "-s") for name, t in (("old.so", LIBRARY), ("new.so", LIBRARY.replace("mine = 5", "mine = 6")))]
        self.assertEqual(self.reasons(*stripped), ["mine has different initial contents"])
        stripped = [self.library(name, t, "-s") for name, t in (("old.so", LIBRARY), ("new.so", LIBRARY.replace("hidden = 3", "hidden = 4")))]
        self.assertEqual(self.reasons(*stripped), [".data has different initial contents"])

    def test_fewer_rights_are_told(self):
        old = self.library("old.so", LIBRARY, "-Wl,-z,execstack", "-Wl,-z,norelro")
        out = self.ok("verify", old, self.library("new.so", LIBRARY))
        self.assertIn("note the stack is no longer executable", out)
        self.assertIn("note relocated data (RELRO) is no longer writable after loading", out)
        doc = self.json("verify", "--json", old, self.path("new.so"))
        self.assertEqual([(e["kind"], e["matters"]) for e in doc["files"][0]["outside"]], [("relro", False), ("stack", False)])
        self.assertEqual(doc["files"][0]["reasons"], [])

    def test_imports(self):
        """A function of another version, and one that may be missing: the code that calls them is the same."""
        versions = self.write("versions", b"V1 {}; V2 {} V1;")
        library = self.library("libv.so", 'int v1(void) { return 1; } int v2(void) { return 2; } int w(void) { return 3; }'
                               'asm(".symver v1,v@V1\\n.symver v2,v@@V2");', "-Wl,-soname,libv.so", "-Wl,--version-script," + versions)
        text = 'VERSION WEAK int w(void); int v(void); int f(void) { return v() + w(); }'
        make = lambda name, version, weak: self.library(name, text.replace("VERSION", version).replace("WEAK", weak), library)
        first, weak = 'asm(".symver v,v@V1");', "__attribute__((weak))"
        old = make("old.so", first, "")
        self.assertEqual(self.reasons(old, make("new.so", "", "")), ["v is imported as V2, was as V1"])
        self.assertEqual(self.reasons(old, make("new.so", first, weak)),
                         ["w may newly be missing at load time (WEAK)"])
        out = self.ok("verify", self.path("new.so"), old)
        self.assertIn("note w must now be present at load time (no longer WEAK)", out)

    def test_tables_stay_locked(self):
        text = "static volatile const int k[4] = {1, 2, 3, 4}; int *const p[1] = {0}; int z; int f(int i) { z++; return k[i & 3] + i + (p[i & 0] == &z); }"
        change = [("volatile const int k", "volatile int k"), ("*const p", "*p")]
        old, new = text, text
        for a, b in change:
            new = new.replace(a, b)
        pair = self.library("old.so", old), self.library("new.so", new)
        doc = self.json("verify", "--json", *pair, code=3)
        self.assertNotEqual(doc["verdict"], "safe")
        self.assertEqual(sorted(doc["files"][0]["reasons"]), ["k is newly writable", "p is newly writable"])
        doc = self.json("verify", "--json", *reversed(pair), code=1)
        self.assertEqual([(e["text"], e["matters"]) for e in doc["files"][0]["outside"]],
                         [("k is no longer writable", False), ("p is no longer writable", False)])

    def test_offset_table_of_relocatable_i386(self):
        """Code of a relocatable object reaches its data through a table that the object only names."""
        text = "static const int t[4] = {1, 2, 3, 4}; static int a = 1, b = 2; void set(int x, int y) { a = x; b = y; }" \
               "int f(int i) { return t[i & 3] + a; } int g(void) { return b; }"
        def make(name, text):
            out = self.path(name)
            subprocess.run(["clang", "--target=i686-linux-gnu", "-O1", "-fPIC", "-c", self.write(name + ".c", text.encode()), "-o", out], check=True)
            return out
        old = make("old.o", text)
        doc = self.json("verify", "--json", old, make("new.o", text.replace("3, 4", "4, 4")), code=1)
        self.assertEqual(doc["verdict"], "unsafe")
        doc = self.json("verify", "--json", old, make("new.o", text.replace("static int a", "static int c = 7; int h(void) { return ++c; } static int a")))
        self.assertEqual(doc["verdict"], "safe")

    def test_entry(self):
        text = "void _start(void) { for (;;) ; }\nvoid alt(void) { _start(); }\n"
        pair = []
        for name, flags in (("old", "-e,_start,--dynamic-linker=/lib/ld"), ("new", "-e,alt,--dynamic-linker=/tmp/ld")):
            pair.append(self.path(name))
            subprocess.run(["clang", "--target=aarch64-linux-gnu", "-nostdlib", "-pie", "-fPIC", "-fuse-ld=lld", "-ffreestanding",
                            self.write("entry.c", text.encode()), "-Wl," + flags, "-o", pair[-1]], check=True)
        self.assertEqual(self.reasons(*pair), ["entry point: alt, was _start", "interpreter: /tmp/ld, was /lib/ld"])

    def test_exceptions(self):
        """Which type is caught is told by a table only."""
        text = "struct A { int x; }; struct B { int y; }; void g(); int h() { try { g(); } catch (B&) { return 1; } catch (A&) { return 2; }" \
               " return 3; }" \
               "int f() { try { g(); } catch (A&) { return 1; } return 0; }"
        pair = []
        for name, t in (("old.so", text), ("new.so", text.replace("catch (A&) { return 1", "catch (B&) { return 1"))):
            pair.append(self.path(name))
            subprocess.run(["clang++", "--target=x86_64-linux-gnu", "-O1", "-fPIC", "-nostdlib", "-nostdinc++", "-shared", "-fuse-ld=lld",
                            "-Wl,-z,undefs", self.write("e.cc", t.encode()), "-o", pair[-1]], check=True)
        self.assertEqual(self.reasons(*pair), ["_Z1fv may catch other exceptions"])
        subprocess.run(["cp", pair[0], pair[1]], check=True)
        self.ok("verify", *pair)

    def test_code_of_no_function(self):
        """Code that no table knows is called, or jumped to, by functions that do not change."""
        text = '__asm__(".text; called: lea V(%rdi), %eax; ret; jumped: .rept 400; xor %edi, %esi; .endr; lea W(%rdi), %eax; ret");'
        text += "int called(int); int f(int x) { return called(x) + 1; }"
        text += '__attribute__((naked)) int g(int x) { __asm__("jmp jumped"); }'
        text += "".join("int k%d(int *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] * n + %d; return n + *p; }" % (i, i) for i in range(90))
        pair = []
        for name, v, w in (("old.so", 1, 1), ("called.so", 2, 1), ("jumped.so", 1, 2)):
            pair.append(self.path(name))
            source = self.write("stray.c", text.replace("V(", "%d(" % v).replace("W(", "%d(" % w).encode())
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-Os", "-fPIC", "-ffreestanding", "-nostdlib", "-shared", "-fuse-ld=lld", "-s",
                            source, "-o", pair[-1]], check=True)
        self.assertEqual(assay("verify", pair[0], pair[1]).code, 1)
        self.assertIn(assay("verify", pair[0], pair[2]).code, (1, 3))

    def test_thread_locals(self):
        """Which thread-local variable is meant is told by words that the dynamic linker fills in."""
        text = "__thread int a = 5, b = 6; int f(void) { return a; } int g(void) { return b; }\n"
        for target, models in (("x86_64", ["global-dynamic", "initial-exec"]), ("aarch64", ["global-dynamic"])):
            for model in models:
                pair = []
                for name, t in (("old.so", text), ("new.so", text.replace("return a", "return b"))):
                    pair.append(self.path(name))
                    subprocess.run(["clang", "--target=%s-linux-gnu" % target, "-O1", "-fPIC", "-ffreestanding", "-nostdlib", "-shared",
                                    "-fuse-ld=lld", "-ftls-model=" + model, self.write("tls.c", t.encode()), "-o", pair[-1]], check=True)
                with self.subTest(target, model=model):
                    r = assay("verify", *pair)
                    self.assertIn(r.code, (1, 3), r.out)
                    self.assertIn("1 function changed", r.out)

    def compile(self, name, text, target, level):
        out = self.path(name + ".o")
        source = self.write(name + ".c", text.encode())
        subprocess.run(["clang", "--target=" + target, level, "-w", "-fPIC", "-ffreestanding", "-c", source, "-o", out], check=True)
        return out

    def pair(self, name, text, triple, *flags):
        """Compiled by gcc as a shared object, without and with NEW."""
        source, out = self.write(name + ".c", text.encode()), []
        for which in ([], ["-DNEW"]):
            out.append(self.path("%s-%d.so" % (name, len(out))))
            subprocess.run([triple + "-gcc", "-w", "-fPIC", "-shared", "-nostdlib", "-ffreestanding", "-fno-stack-protector", *flags, *which, source,
                            "-o", out[-1]], check=True)
        return out

    def test_no_call_is_safe(self):
        """Arguments and results that the calling convention puts far away."""
        for triple in part(TRIPLES[:3]):  # all arguments are in words of the stack on the last
            with self.subTest(triple):
                r = assay("verify", "--json", *self.pair("calls", CALLS, triple, "-O2"))
                self.assertEqual(r.code, 1, r.err)
                file = json.loads(r.out)["files"][0]
                safe = {f["name"] for f in file["functions"] if f["verdict"] == "safe"} | {f["name"] for f in file["identical"]}
                self.assertEqual({name for name in safe if "thunk" not in name}, {"same_in_place", "same_seventh"})

    def test_no_pushed_word_is_safe(self):
        for level in "-O2", "-Os":
            with self.subTest(level):
                file = json.loads(assay("verify", "--json", *self.pair("pushed", PUSHED, TRIPLES[0], level)).out)["files"][0]
                self.assertEqual({f["name"] for f in file["functions"] if f["verdict"] != "safe"}, {"large", "string", "two", "another", "address"})

    def test_no_other_kind_is_safe(self):
        for triple in TRIPLES[:3]:
            with self.subTest(triple):
                file = json.loads(assay("verify", "--json", *self.pair("kinds", KINDS, triple, "-O2")).out)["files"][0]
                self.assertEqual({f["name"] for f in file["functions"] if f["verdict"] != "safe"}, {"byte", "own", "one", "third"})

    def test_no_word_is_safe(self):
        """Words of the stack that one version pushes and for which the other only leaves room."""
        for levels in (["-O1"], ["-O2"]):
            with self.subTest(levels):
                file = self.json("verify", "--json", *self.pair("words", WORDS, "i686-linux-gnu", *levels), code=3)["files"][0]
                safe = {f["name"] for f in file["functions"] if f["verdict"] == "safe"} | {f["name"] for f in file["identical"]}
                self.assertEqual({name for name in safe if "thunk" not in name}, set())

    def test_no_instruction_is_lost(self):
        """Behind an instruction that libVEX jumps around inside an IT block the others of it are conditional, too."""
        code = ".syntax unified; .thumb; .fpu vfpv3; .globl f; .type f, %%function; f: cmp r1, #0; itttt ne; %s; movne r1, #1; strne r1, [r0];" \
               " bxne lr; movs r1, #VALUE; str r1, [r0]; bx lr; .size f, .-f"
        for skipped in ("vstrne d0, [r0, #8]", "vldrne d0, [r0, #8]", "stmiane r0, {r2, r3}", "vaddne.f64 d0, d0, d0"):
            with self.subTest(skipped):
                pair = []
                for value in ("2", "3"):
                    pair.append(self.path(value + ".o"))
                    source = self.write("it.s", (code % skipped).replace("VALUE", value).encode())
                    subprocess.run(["clang", "--target=armv7-linux-gnueabihf", "-mthumb", "-c", source, "-o", pair[-1]], check=True)
                self.assertEqual(assay("verify", *pair).code, 1)

    def test_no_table_is_safe(self):
        cases = [(what, triple) for what, (machines, _, _) in TABLES.items() for triple in TRIPLES if triple.split("-")[0] in machines.split()]
        for what, triple in part(cases):
            _, level, text = TABLES[what]
            with self.subTest(what, triple=triple):
                self.assertIn(assay("verify", *self.pair("table", PAIR + text, triple, level)).code, (1, 3))

    def test_no_stored_function_is_safe(self):
        """Where the table of addresses lies is kept in the frame, where an argument of a callee would be."""
        text = """struct d { void (*f)(int *), (*g)(int *); unsigned id, caps; }; extern unsigned get(void *, unsigned);
void one(int *p) { *p |= 1; } void two(int *p) { *p ^= 256; } void three(int *p) { *p = 0; }
int probe(struct d *d, void *b) {
    unsigned id = get(b, 0); if (id == -1u) return -19;
    d->id = id & 65535; d->caps = get(b, 4); d->g = three; d->f = WHICH; return 0; }
"""
        pair = []
        for which in "one", "two":
            pair.append(self.path(which + ".so"))
            subprocess.run(["clang", "--target=i686-linux-gnu", "-O0", "-fPIC", "-ffreestanding", "-nostdlib", "-shared", "-fuse-ld=lld", "-DWHICH=" + which,
                            self.write("probe.c", text.encode()), "-o", pair[-1]], check=True)
        self.assertEqual(assay("verify", "--func=probe", *pair).code, 1)

    def test_no_text_is_safe(self):
        """Without symbols nobody knows where a table ends whose bytes are all letters, nor that a text is one of wide characters: read as
        bytes, both begin with the same text."""
        text = "int g(const void *); int rows(int i, int j) { static const char t[3][4] = {\"abc\", V(\"def\", \"deg\"), \"xyz\"}; return t[i][j]; }" \
               "int wide(void) { return g(V(L\"abc\", L\"abd\")); }"
        for triple in ("x86_64-linux-gnu", "arm-linux-gnueabihf"):
            with self.subTest(triple):
                r = assay("verify", "--json", *self.pair("text", PAIR + text, triple, "-O2", "-s"))
                self.assertEqual(r.code, 1, r.err)
                self.assertEqual([f["verdict"] for f in json.loads(r.out)["files"][0]["functions"]], ["unsafe", "unknown"])

    def test_number_in_parts(self):
        """The low byte of a system call's number is that of `exit`, and the call returns."""
        code = ".globl f; .type f, @function; f: mov $0x100, %%eax; mov $60, %%al; syscall; mov $%d, %%eax; ret; .size f, .-f\n"
        pair = []
        for value in (1, 2):
            pair.append(self.path("%d.o" % value))
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write("number.s", (code % value).encode()), "-o", pair[-1]], check=True)
        self.assertEqual(assay("verify", *pair).code, 1)

    def test_skipped_returns(self):
        pair = []
        for name, where in (("old", "0"), ("new", "4")):
            pair.append(self.path(name + ".o"))
            source = self.write(name + ".s", SKIPPED.replace("WHERE", where).encode())
            subprocess.run(["clang", "--target=armv7-linux-gnueabihf", "-c", source, "-o", pair[-1]], check=True)
        doc = self.json("verify", "--json", *pair, code=1)
        self.assertEqual([f["verdict"] for f in doc["files"][0]["functions"]], ["unsafe", "unsafe"])

    def test_result_that_some_ways_leave(self):
        pair = []
        for value in ("7", "8"):
            pair.append(self.path(value + ".o"))
            source = self.write(value + ".s", LEAVES.replace("VALUE", value).encode())
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", source, "-o", pair[-1]], check=True)
        self.assertIn(assay("verify", "--heuristics", "none", *pair).code, (1, 3))

    def test_names_of_functions_decide_nothing(self):
        """An import that is called like the verifier calls a function that only the new version has; and one that is called like
        an allocation, a register that a callee left, the stack pointer."""
        new = "extern long k; static __attribute__((noinline)) void g(long x) { k = x; } void f(long x) { g(x); }"
        kept = "long *a(long *) __asm__(\"%s\"); long f(void) { long l = 7; long *p = a(&l), t = l; *p = 9; return %s; }"
        pairs = [("void n(long) __asm__(\"new:g\"); void f(long x) { n(x); }", new)]
        pairs += [(kept % (name, "l"), kept % (name, "t")) for name in ("arg0", "heap:x", "clobber:rax", "sp", "new:f", "world")]
        for texts in pairs:
            pair = []
            for which, text in zip(("old", "new"), texts):
                pair.append(self.path(which + ".o"))
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-g", "-O1", "-fno-optimize-sibling-calls", "-c",
                                self.write("n.c", text.encode()), "-o", pair[-1]], check=True)
            with self.subTest(text=texts[0]):
                r = assay("verify", "--json", "--func=f", *pair)
                self.assertIn(r.code, (1, 3), r.out)
                self.assertNotIn("killed by", r.out)

    def test_variable_behind_code_that_grew(self):
        """In a file that is not linked yet its address is in a slot that nobody has filled; the patch is safe."""
        text = b"int g(int); int z, y; int f(int a) { if (NEW && a == 3) return -1; z = 1; g(a); y++; return 5; }"
        pair = []
        for which in ("0", "1"):
            pair.append(self.path(which + ".o"))
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O2", "-fPIC", "-DNEW=" + which, "-c", self.write("v.c", text), "-o", pair[-1]],
                           check=True)
        self.ok("verify", *pair)

    def test_result_of_a_tail_call(self):
        """What a callee left in another register is not what it returned."""
        text = b"struct s { double a, b, c, d; }; struct s g(void); struct s f(void) { struct s x = g(); if (NEW) x.d = x.a; return x; }"
        pair = []
        for which in ("0", "1"):
            pair.append(self.path(which + ".o"))
            subprocess.run(["clang", "--target=aarch64-linux-gnu", "-O2", "-DNEW=" + which, "-c", self.write("t.c", text), "-o", pair[-1]], check=True)
        self.assertIn(assay("verify", *pair).code, (1, 3))

    def test_float_beside_a_number(self):
        """A number that is stored is still in a register where others return what means an error: here a float is returned."""
        text = """int g(int *); double h(double, int *);
            double f(double a, double b, int *p) { if (g(p) < 0) return h(a, p); p[1] = -1; return %s; }"""
        for level in ("-O1", "-O2"):
            pair = self.pair("t", text % "\n#ifdef NEW\nb\n#else\na\n#endif\n", "aarch64-linux-gnu", level)
            self.assertIn(assay("verify", "--func=f", *pair).code, (1, 3), level)

    def test_none_is_safe(self):
        for what, (_, text, old, _) in ATTACKS.items():
            self.assertEqual(text.count(old), 1, what)
        for what, level in part([(what, level) for what in ATTACKS for level in ("-O0", "-O2")]):
            target, text, old, new = ATTACKS[what]
            with self.subTest(what, level=level):
                pair = [self.compile("old", text, target, level), self.compile("new", text.replace(old, new), target, level)]
                self.assertIn(assay("verify", *pair).code, (1, 3))


main()
