# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call passes is told by the library that the callee is in."""
import os
import shutil
import subprocess

from common import *

TRIPLES = {"x86-64": ["x86_64-linux-gnu"], "i386": ["i686-linux-gnu"], "arm": ["arm-linux-gnueabihf", "-marm"],
           "thumb": ["arm-linux-gnueabihf", "-mthumb"], "aarch64": ["aarch64-linux-gnu"]}

# What a register is used for beside the call: each of them may be an argument, too, for all that the code shows.
PUT = """
put: pushq %%rbx
    movl 8(%%rdi), %%%(register)s
    movl %%%(register)s, 12(%%rdi)
    addq %(value)s, %%rdi
    call submit@plt
    xorl %%eax, %%eax
    popq %%rbx
    ret
.globl put
.type put, @function
.size put, .-put
"""


class Libraries(Test):
    def setUp(self):
        super().setUp()
        for name in ("old", "new"):
            os.mkdir(self.path(name))

    def compile(self, arch, text, out, *more, language="c"):
        triple, *flags = TRIPLES[arch]
        subprocess.run(["clang", "--target=" + triple, *flags, "-fPIC", "-w", "-ffreestanding", "-nostdlib", "-fuse-ld=lld", "-shared", "-x",
                        language, "-", "-x", "none", *more, "-o", self.path(out)], input=text.encode(), check=True)
        return self.path(out)

    def library(self, text, *more, arch="x86-64", language="c", where=("old", "new"), name="libsubmit.so.1"):
        first, *others = [os.path.join(side, name) for side in where]
        path = self.compile(arch, text, first, "-Wl,-soname," + name, *(more or ["-O1"]), language=language)
        for other in others:
            shutil.copy(path, self.path(other))
        return path

    def pair(self, *more, value=("$0", "$0"), register=("esi", "ecx")):
        """Two versions of a function that calls `submit`: with another value, and with something else in a register."""
        return [self.compile("x86-64", PUT % {"value": value[i], "register": register[i]}, side + "/put.so", self.path(side + "/libsubmit.so.1"),
                             *more, language="assembler") for i, side in enumerate(("old", "new"))]

    def ask(self, pair, *more, code, jobs=1):
        r = self.json("verify", "--json", "--jobs=%d" % jobs, "--func", "put", *more, *pair, code=code)
        self.assertEqual(r["verdict"], {0: "safe", 1: "unsafe", 3: "unknown"}[code])
        return r

    def told(self, report):
        return [a["text"] for a in report["files"][0]["functions"][0]["assumptions"] if a["name"] == "libraries"]

    def test_decides(self):
        self.library("int last; void submit(int order) { last = order; }")
        pair = self.pair()
        report = self.ask(pair, code=0)
        self.assertEqual(self.told(report), ["submit takes 1 argument, as its code in libsubmit.so.1 shows"])
        # It can be denied, and without the library nothing is told.
        self.assertEqual(self.told(self.ask(pair, "--no-libraries", code=3)), [])
        self.assertEqual(self.told(self.ask(pair, "--assume=none", code=3)), [])
        self.assertEqual(self.told(self.ask(pair, "--assume=frame,data,private,arguments,result", code=3)), [])
        os.mkdir(self.path("apart"))
        moved = [shutil.copy(p, self.path("apart/" + side + ".so")) for p, side in zip(pair, ("old", "new"))]
        r = self.ask(moved, code=3)
        self.assertIn("--libraries", r["files"][0]["functions"][0]["remedy"])
        # A directory that is given, also the root of a system.
        self.ask(moved, "--libraries", self.path("old"), code=0)
        os.makedirs(self.path("root/usr/lib/x86_64-linux-gnu"))
        shutil.copy(self.path("new/libsubmit.so.1"), self.path("root/usr/lib/x86_64-linux-gnu"))
        self.ask(moved, "--libraries", self.path("apart"), "-L", self.path("root"), code=0)
        # The same bytes whatever --jobs is; and what was learned can be written down.
        one, two = (self.ok("verify", "--json", "--jobs=%d" % n, *pair) for n in (1, 2))
        self.assertEqual(one, two)
        config = self.path("c.json")
        self.ask(pair, "--write-config", config, code=0)
        self.assertIn('"submit": {\n      "arguments": 1\n    }', read(config).decode())

    def test_trees(self):
        # A library goes by the name that the linker knows it by, whatever its file is called.
        self.library("int last; void submit(int order) { last = order; }")
        pair = self.pair()
        for side in ("old", "new"):
            os.makedirs(self.path(side + "/usr/lib"))
            os.rename(self.path(side + "/libsubmit.so.1"), self.path(side + "/usr/lib/libsubmit.so.1.2.3"))
        report = self.json("verify", "--json", self.path("old"), self.path("new"))
        self.assertEqual(report["verdict"], "safe")
        subprocess.run(["tar", "cf", self.path("old.tar"), "-C", self.path("old"), "."], check=True)
        subprocess.run(["tar", "cf", self.path("new.tar"), "-C", self.path("new"), "."], check=True)
        self.assertEqual(self.json("verify", "--json", self.path("old.tar"), self.path("new.tar"))["verdict"], "safe")
        self.ask(pair, code=3)

    def test_a_real_argument(self):
        self.library("int last; void submit(int order) { last = order; }")
        self.ask(self.pair(value=("$0", "$4")), code=1)
        # What the library looks at on one way only, or through another function, is an argument.
        pair = self.pair()
        for body in ("if (a == 1) last = b;", "helper(a, b);", "deeper(b);", "last = a ? b : 3;", "last = (unsigned char)b;"):
            self.library("int last; __attribute__((noinline)) static void helper(int a, int b) { last = a * b; }"
                         "__attribute__((noinline)) static void lowest(int unused, int b) { last = b; }"
                         "__attribute__((noinline)) static void deeper(int b) { lowest(1, b); }"
                         "void submit(int a, int b) { last = a; %s }" % body)
            self.ask(pair, code=1)

    def test_says_nothing(self):
        self.library("void submit(int a) {}")
        pair = self.pair()
        for body in ("#include <stdarg.h>\nint last; void submit(int a, ...) { va_list l; va_start(l, a); last = va_arg(l, int); va_end(l); }",
                     "extern void elsewhere(int a, int b); void submit(int a, int b) { elsewhere(a, b); }",
                     "extern void elsewhere(void); int last; void submit(int a) { elsewhere(); last = a; }",
                     "extern void elsewhere(void); void submit(int a) { __asm__(\"jmp elsewhere@plt\"); }",
                     "void (*hook)(int, int); void submit(int a, int b) { hook(a, b); }",
                     "int last; static void one(int a) { last = a; } __attribute__((used)) static void *choose(void) { return one; }"
                     "void submit(int a) __attribute__((ifunc(\"choose\")));",
                     "int last; void submit(int a) { int r; __asm__(\"mov %%r10d, %0\" : \"=r\"(r)); last = a + r; }"):
            self.library(body)
            self.assertEqual(self.told(self.ask(pair, code=3)), [], body)
        # Hand-written code may read a register from where it was saved.
        self.library("submit: pushq %rsi\nmovl (%rsp), %eax\naddl %edi, %eax\nmovl %eax, last(%rip)\npopq %rcx\nret\n.globl submit\n"
                     ".type submit, @function\n.size submit, .-submit\n.data\nlast: .long 0\n", language="assembler")
        self.assertEqual(self.told(self.ask(pair, code=3)), [])
        # A local that is set, and read again, only under a condition is no parameter.
        self.library("submit: testl %edi, %edi\nje 1f\nmovl 4(%rdi), %esi\n1: incl last(%rip)\ntestl %edi, %edi\nje 2f\nmovl %esi, last(%rip)\n2: ret\n.globl submit\n"
                     ".type submit, @function\n.size submit, .-submit\n.data\nlast: .long 0\n", language="assembler")
        self.assertEqual(self.told(self.ask(pair, code=3)), [])
        # The two versions' libraries do not agree.
        self.library("int last; void submit(int a) { last = a; }", where=["old"])
        self.library("int last; void submit(int a, int b, int c) { last = a + b + c; }", where=["new"])
        self.assertEqual(self.told(self.ask(pair, code=3)), [])
        # Several libraries define it.
        self.library("int last; void submit(int a) { last = a; }")
        self.library("int last; void submit(int a) { last = a; }", name="libother.so")
        pair = self.pair("-Wl,--no-as-needed", self.path("old/libother.so"))
        self.assertEqual(self.told(self.ask(pair, code=3)), [])

    def test_versions(self):
        script = self.write("map", b"ONE { global: submit; }; TWO { global: submit; } ONE;")
        self.library("int last; __attribute__((symver(\"submit@ONE\"))) void submit1(int a) { last = a; }"
                     "__attribute__((symver(\"submit@@TWO\"))) void submit2(int a, int b) { last = a + b; }"
                     "".replace("__attribute__((symver(\"submit@ONE\")))", "__asm__(\".symver submit1, submit@ONE\");")
                     .replace("__attribute__((symver(\"submit@@TWO\")))", "__asm__(\".symver submit2, submit@@TWO\");"),
                     "-O1", "-Wl,--version-script=" + script)
        report = self.ask(self.pair(), code=1)
        self.assertEqual(self.told(report), ["submit takes 2 arguments, as its code in libsubmit.so.1 shows"])

    def test_unused_parameter(self):
        # The library ignores what it is given, but it surely is given.
        self.library("int last; void submit(int a, int unused) { last = a; }")
        pair = [self.compile("x86-64", "extern void submit(int, int); int put(int *p) { submit(*p, %d); return 0; }" % n, side + "/put.so",
                             "-O1", self.path(side + "/libsubmit.so.1")) for n, side in enumerate(("old", "new"))]
        self.ask(pair, code=1)

    def test_handed_back(self):
        """What a function does nothing with but to return it, or finds behind an index, is an argument like any other."""
        for arch, declared, body, use in (
                ("aarch64", "void *submit(void *p)", "last++; return p;", "submit(%s)" % "p%s"),
                ("arm", "struct two { int a, b; }; struct two submit(int a, int b)", "struct two r = {last + a, b}; return r;", "submit(3, n%s).b"),
                ("i386", "struct four { int v[4]; }; int submit(int i, struct four s)", "return s.v[i - 1];",
                 "submit(n, (struct four){{1, 2%s, 3, 4}})")):
            self.library("int last; %s { %s }" % (declared, body), "-O2", arch=arch)
            pair = [self.compile(arch, "%s; int put(int *p, int n) { return %s != 0; }" % (declared, use % more), side + "/put.so", "-O1",
                                 self.path(side + "/libsubmit.so.1")) for more, side in (("", "old"), (" + 1", "new"))]
            r = assay("verify", "--json", "--jobs=1", "--func", "put", *pair)
            self.assertIn(r.code, (1, 3), (arch, r.out))

    def test_bad_libraries(self):
        good = self.library("int last; void submit(int a) { last = a; }")
        pair, text = self.pair(), read(good)
        for content in (b"", b"not an ELF file", text[:100], text[:len(text) // 2], b"\x7fELF" + bytes(200), text[:60] + b"\xff" * 40 + text[100:]):
            for side in ("old", "new"):
                self.write(side + "/libsubmit.so.1", content)
            self.assertIn("libsubmit.so.1", " ".join(self.ask(pair, code=3)["warnings"]))
        for side in ("old", "new"):
            os.unlink(self.path(side + "/libsubmit.so.1"))
            os.mkfifo(self.path(side + "/libsubmit.so.1"))
        self.ask(pair, code=3)
        for side in ("old", "new"):
            os.unlink(self.path(side + "/libsubmit.so.1"))
        self.library("int last; void submit(int a) { last = a; }", arch="aarch64")
        self.assertIn("not a library for", " ".join(self.ask(pair, code=3)["warnings"]))

    def test_machines(self):
        """A leftover in a register or a word of the stack is none of the callee's arguments, wherever those are."""
        text = """extern int next(int a, const char *b); extern long long wide(int a, long long b, int c); extern double scale(double x, int n);
            int put(int *p, int n) { int x = p[0] * n; if (n > %d) return -1; p[1] = x; if (next(n, "a") < 0) return -1;
              p[2] = (int)wide(n, p[3], x); p[4] = (int)scale(p[5], n); return x; }"""
        library = """volatile long long kept; volatile double real; volatile const void *at;
            int next(int a, const char *b) { kept = a; at = b; return kept; } long long wide(int a, long long b, int c) { kept = a; kept = b; kept = c; return kept; }
            double scale(double x, int n) { kept = n; real = x; return real; }"""
        words = {"i386": (2, 4), "arm": (2, 5), "thumb": (2, 5), "x86-64": (2, 3), "aarch64": (2, 3)}
        for arch, level in (("x86-64", "-O0"), ("i386", "-Os"), ("i386", "-O0"), ("arm", "-O2"), ("thumb", "-O0"), ("aarch64", "-O1")):
            self.library(library, level, "-Wl,-s", arch=arch)
            pair = [self.compile(arch, text % n, side + "/put.so", level, self.path(side + "/libsubmit.so.1"))
                    for n, side in ((100, "old"), (50, "new"))]
            told = self.told(self.ask(pair, code=0))
            self.assertEqual([t.split(",")[0] for t in told][:1], ["next takes %d arguments" % words[arch][0]], (arch, level))
            self.assertIn("wide takes %d arguments, as its" % words[arch][1], " ".join(told), (arch, level))


main()
