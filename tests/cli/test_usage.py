# SPDX-License-Identifier: GPL-3.0-or-later
"""Help, versions, mistyped words, option values."""
import re
import shutil
from common import *


class Usage(Test):
    def test_no_arguments(self):
        r = assay()
        self.assertEqual((r.code, r.out), (2, ""))
        self.assertTrue(r.err.startswith("usage: assay COMMAND"))

    def test_help(self):
        text = self.ok("--help")
        self.assertEqual(text, self.ok("help"))
        self.assertEqual(text, self.ok("-h"))
        for c in COMMANDS:
            self.assertIn("\n  " + c + " ", text)

    def test_command_help(self):
        for c in COMMANDS:
            text = self.ok(c, "--help")
            self.assertEqual(text, self.ok("help", c))
            takes = r"\n" if c == "cache" else r" (FILE|OLD NEW|OLD \[CANDIDATE\.\.\.\] -- ARG|TARGET|CLASSPATH)"
            self.assertRegex(text, "^usage: assay " + c + r" \[OPTION\]\.\.\." + takes)
            self.assertIn("\nexamples\n  assay " + c, text)

    def test_version(self):
        self.assertRegex(self.ok("--version"), r"^assay \d+\.\d+\.\d+\n$")
        self.assertEqual(self.ok("explore", "--version"), self.ok("--version"))

    def test_mistyped_command(self):
        self.refused("fucntions", "x", says=["unknown command 'fucntions'", "did you mean 'functions'?"])
        self.refused("exp", "x", says=["did you mean 'explore'?"])
        self.refused("zzzzzzzzz", says=["'assay help' lists the commands"])
        self.refused("help", "lfit", says=["did you mean 'lift'?"])

    def test_mistyped_option(self):
        self.refused("functions", "--jsno", "x", says=["unknown option '--jsno'", "did you mean '--json'?"])
        self.refused("explore", "--vists=3", "x", "y", says=["did you mean '--visits'?"])
        self.refused("functions", "-Z", "x", says=["unknown option '-Z'"])
        self.refused("--jsno", says=["unknown option '--jsno'"])

    def test_values(self):
        self.refused("explore", "--visits=many", "x", "y", says=["--visits: 'many' is not a number"])
        self.refused("explore", "--visits=0", "x", "y", says=["out of range"])
        self.refused("explore", "--visits=99999999999999999999", "x", "y", says=["is not a number"])
        self.refused("explore", "--visits", says=["--visits needs a value"])
        self.refused("explore", "--fp=sometimes", "x", "y", says=["theory|uf"])
        self.refused("explore", "--no-axiom=gravity", "x", "y", says=["frame, heap, literal, return"])
        self.refused("info", "--timeout=soon", "x", says=["500ms, 30s, 5m or 1h"])
        self.refused("info", "--memory=lots", "x", says=["512M or 2G"])
        self.refused("info", "--json=yes", "x", says=["--json takes no value"])
        self.refused("info", "--color=blue", "x", says=["auto|always|never"])

    def test_number_of_arguments(self):
        for c in COMMANDS:
            if c == "cache":
                self.refused(c, "a", says=["too many arguments", "usage: assay " + c])
                continue
            self.refused(c, says=["missing argument", "usage: assay " + c])
        self.refused("info", "a", "b", says=["too many arguments"])
        self.refused("explore", "a", says=["which function?"])
        self.refused("explore", "--all", "a", "b", says=["exclude each other"])

    def test_options_anywhere_and_dashes(self):
        first = self.ok("info", "--json", demo("x86_64"))
        self.assertEqual(first, self.ok("info", demo("x86_64"), "--json"))
        self.assertEqual(first, self.ok("info", "--json", "--", demo("x86_64")))


PROGRAM = """
#include <stdio.h>
int hash(const char *s) { int h = STEP; while (*s) h = h * 31 + *s++; return h; }
int parse_header(const char *s, int n) { return n < STEP ? -1 : s[0] == 'A' ? 1 : 0; }
int parse(const char *s) { return s[0] == 'x' ? parse_header(s + STEP, 4) : hash(s); }
int process_message(const char *s) { return parse(s) == STEP ? puts(s) : 0; }
unsigned adler32(unsigned a, const unsigned char *p, unsigned n) { while (n--) a += *p++; return a % 65521; }
#ifdef MAIN
int main(int argc, char **argv) { return argc > 1 ? process_message(argv[1]) : 0; }
#endif
"""


POC_MAIN = b"""
#include <stdio.h>
int read_header(int, int);
int main(int argc, char **argv) {
    int a = 0, b = 0;
    FILE *f = argc > 1 && argv[1][0] != '-' ? fopen(argv[1], "r") : stdin;
    if (!f || fscanf(f, "%d %d", &a, &b) != 2)
        return 2;
    printf("%d\\n", read_header(a, b));
    return 0;
}
"""


class Examples(Test):
    """Every example of --help is run, in a directory where there is what it is about."""

    def compile(self, step, out, *options):
        os.makedirs(os.path.dirname(self.path(out)), exist_ok=True)
        subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-g", "-DSTEP=" + step, *options, self.path("program.c"), "-o", self.path(out)], check=True)

    def package(self, out, file, at="usr/lib/libfoo.so.1"):
        os.makedirs(self.path("tree/DEBIAN"))
        self.write("tree/DEBIAN/control", b"Package: foo\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: foo\n")
        os.makedirs(os.path.dirname(self.path("tree/" + at)))
        shutil.copy(self.path(file), self.path("tree/" + at))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", self.path("tree"), self.path(out)], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.path("tree"))

    def prepare(self):
        self.write("program.c", PROGRAM.encode())
        shared = ("-shared", "-fPIC")
        self.compile("1", "a.out", "-DMAIN")
        self.compile("1", "old/prog", "-DMAIN")
        self.compile("2", "new/prog", "-DMAIN")
        for step, names in (("1", ["libz.so.1", "libfoo.so.1", "libfoo.so.1.2", "libfoo-1.2.so", "old.so"]),
                            ("2", ["libfoo.so.1.3", "libfoo-1.3.so", "new.so", "firmware/libfoo.so", "usr/lib/libfoo.so.1"])):
            for name in names:
                self.compile(step, name, *shared)
        subprocess.run(["x86_64-linux-gnu-gcc", "-O2", "-g", "-w", *shared, os.path.join(SOURCE, "tests/adapt/pairs.c"), "-o", self.path("math.so")], check=True)
        self.package("old.deb", "old.so")
        self.package("new.deb", "new.so")
        shutil.copy(self.path("old.deb"), self.path("hello_2.10-3_amd64.deb"))
        os.mkdir(self.path("sysroot"))
        self.write("countermodel.json", b'{"schema": 1, "function": "hash", "registers": {"RDI": "0x5000"}, "memory": [{"address": "0x5000", "bytes": "6100"}]}')
        self.write("main.c", POC_MAIN)
        for name, repair in (("parser", b""), ("parser.fix1", b"if (a == 4096) return 0;"), ("parser.fix2", b"if (a > 100) return 0;")):
            self.write("header.c", b"int read_header(int a, int b) { %s return a > 100 ? *(int *)8 : a + b; }" % repair)
            subprocess.run(["gcc", "-O1", "-w", self.path("header.c"), self.path("main.c"), "-o", self.path(name)], check=True)
            subprocess.run(["gcc", "-O1", "-w", "-c", self.path("header.c"), "-o", self.path("new.o" if repair else "old.o")], check=True)
        subprocess.run(["gcc", "-O1", "-w", "-c", self.path("main.c"), "-o", self.path("main.o")], check=True)
        tool = b"__attribute__((noipa)) int read_header(int a, int b)\n{\n    return a > 100 ? *(int *)8 : a + b;\n}\n" + POC_MAIN
        fixed = tool.replace(b"{\n    return a > 100", b"{\n    if (a > 100)\n        return 0;\n    return a > 100", 1)
        for name, text in (("tool.fixed", fixed), ("tool", tool)):
            self.write("tool.c", text)
            subprocess.run(["gcc", "-g", "-O1", "-w", "-o", self.path(name), self.path("tool.c")], check=True)
        self.package("tool_1.0_amd64.deb", "tool", "usr/bin/tool")
        self.package("tool_1.1_amd64.deb", "tool.fixed", "usr/bin/tool")
        for name, limit in (("1.diff", b"4095"), ("2.diff", b"100")):
            lines = tool.split(b"\n")[:3]
            self.write(name, b"--- a/tool.c\n+++ b/tool.c\n@@ -1,3 +1,5 @@\n %s\n %s\n+    if (a > %s)\n+        return 0;\n %s\n" % (lines[0], lines[1], limit, lines[2]))
        for name in ("crash.bin", "crash.txt"):
            self.write(name, b"4096 17\n")
        os.makedirs(self.path("src/org/example"))
        self.write("src/Main.java", b"public class Main { public static void main(String[] a) { assert a.length == 0; } }")
        self.write("src/org/example/Parser.java", b"package org.example; public class Parser { static int parse(byte[] b) { assert b.length < 4; return b.length; } }")
        subprocess.run(["javac", "--release", "17", "-d", self.path("classes"), self.path("src/Main.java"), self.path("src/org/example/Parser.java")], check=True)
        shutil.make_archive(self.path("app"), "zip", self.path("classes"))
        os.rename(self.path("app.zip"), self.path("app.jar"))
        if os.environ.get("HAVE_LLVM") == "1":
            before = "#define STEP 1" + PROGRAM
            for name, text in (("before", before), ("after", before.replace("STEP 1", "STEP 2"))):
                self.write(name + ".c", text.encode())
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", "-g", "-w", "-emit-llvm", "-c", self.path(name + ".c"), "-o", self.path(name + ".bc")], check=True)
            os.makedirs(self.path("libfoo-1.2"))
            shutil.copy(self.path("before.c"), self.path("libfoo-1.2/foo.c"))
            shutil.copy(self.path("after.c"), self.path("libfoo-1.2/foo2.c"))
            diff = subprocess.run(["diff", "-u", "--label", "a/foo.c", "--label", "b/foo.c", self.path("before.c"), self.path("after.c")], stdout=subprocess.PIPE)
            self.write("fix.diff", diff.stdout)

    def test_examples(self):
        self.prepare()
        os.mkdir(self.path("bin"))
        os.symlink(ASSAY, self.path("bin/assay"))
        env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"], XDG_CACHE_HOME=self.path("cache"))
        main_at = next(f["address"] for f in self.json("functions", "--json", self.path("a.out"))["functions"] if f["name"] == "main")
        for c in COMMANDS:
            if c == "present" and os.environ.get("HAVE_LLVM") != "1":
                continue
            examples = self.ok(c, "--help").split("\nexamples\n")[1].split("\n\n")[0].splitlines()
            self.assertTrue(examples)
            for line in examples:
                # what stands for the user's own machine, and the pipe into a program that need not be there
                command = re.sub(r" \| jq .*", "", line.strip()).replace("0x1139", main_at).replace(" /usr/lib/libfoo", " usr/lib/libfoo")
                r = Result(subprocess.run(["sh", "-c", command], cwd=self.dir.name, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
                self.assertIn(r.code, (0, 1, 3), (line, r.err, r.out[-500:]))
                self.assertNotIn("assay: ", r.err, line)
                if ">" not in command:
                    self.assertNotEqual(r.out, "", line)


main()
