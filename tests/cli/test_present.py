# SPDX-License-Identifier: GPL-3.0-or-later
"""assay present: from a patch, or references, to a verdict about programs."""
import re
import shutil
import tarfile

from common import *

LIB = """\
#include <stdlib.h>
#include <string.h>
struct record { unsigned length; char *name; };
extern void audit(const char *what, unsigned n);
int record_set(struct record *r, const char *name, unsigned length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return -1;
    memcpy(copy, name, length);
    copy[length] = 0;
    free(r->name);
    audit("name replaced", length);
    r->name = copy;
    r->length = length;
    return 0;
}
int record_clear(struct record *r)
{
    free(r->name);
    r->name = NULL;
    return 0;
}
"""
FIXED = LIB.replace("    char *copy", "    if (length > 4096)\n        return -22;\n    char *copy", 1)
DIFF = """\
--- a/src/record.c
+++ b/src/record.c
@@ -4,5 +4,7 @@
 extern void audit(const char *what, unsigned n);
 int record_set(struct record *r, const char *name, unsigned length)
 {
+    if (length > 4096)
+        return -22;
     char *copy = malloc(length + 1);
     if (copy == NULL)
"""


@unittest.skipIf(os.environ.get("HAVE_LLVM") != "1", "built without LLVM")
class Present(Test):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.env = {"XDG_CACHE_HOME": os.path.join(cls.shared.name, "cache")}
        for tree, text in (("before", LIB), ("after", FIXED)):
            os.makedirs(cls.at(tree, "src"))
            with open(cls.at(tree, "src", "record.c"), "w") as f:
                f.write(text)
        with open(cls.at("CVE-1.diff"), "w") as f:
            f.write(DIFF)
        for name, tree, command in (("old.so", "before", ["gcc", "-O2", "-shared", "-fPIC"]),
                                    ("new.so", "after", ["gcc", "-O1", "-shared", "-fPIC"]),
                                    ("stripped.so", "after", ["gcc", "-O2", "-shared", "-fPIC", "-s", "-fvisibility=hidden"]),
                                    ("arm.o", "after", ["arm-linux-gnueabihf-gcc", "-O2", "-c"]),
                                    ("arm64.o", "before", ["aarch64-linux-gnu-gcc", "-Os", "-c"])):
            subprocess.run([*command, "-w", "-o", cls.at(name), cls.at(tree, "src", "record.c")], check=True)
        for tree in ("before", "after"):
            subprocess.run(["clang", "-w", "-O0", "-g", "-emit-llvm", "-c", "-o", cls.at(tree + ".bc"), cls.at(tree, "src", "record.c")],
                           check=True)

    @classmethod
    def at(cls, *parts):
        return os.path.join(cls.shared.name, *parts)

    def ask(self, *args):
        return assay("present", *args, env=self.env)

    def source(self, *targets, diff="CVE-1.diff", tree="before", more=()):
        return self.ask("--patch", self.at(diff), "--source", self.at(tree), *more, *[self.at(t) for t in targets])

    def refuse(self, r, *says):
        self.assertEqual((r.code, r.out), (2, ""), r.err)
        for s in says:
            self.assertIn(s, r.err)

    def test_patch(self):
        for target, verdict, code in (("old.so", "vulnerable", 1), ("new.so", "patched", 0), ("arm.o", "patched", 0), ("arm64.o", "vulnerable", 1)):
            r = self.source(target)
            self.assertEqual(r.code, code, target + r.out + r.err)
            self.assertTrue(r.out.startswith(self.at(target) + ": CVE-1: " + verdict), r.out)
        self.assertIn("(src/record.c:8): found at 0x", self.source("new.so").out)

    def test_the_tree_may_be_the_patched_one(self):
        self.assertEqual(self.source("old.so", tree="after").code, 1)
        self.assertEqual(self.source("new.so", tree="after").code, 0)

    def test_two_trees(self):
        for target, code in (("old.so", 1), ("new.so", 0)):
            self.assertEqual(self.ask("--before", self.at("before"), "--after", self.at("after"), self.at(target)).code, code)

    def test_bitcode(self):
        for target, code in (("old.so", 1), ("new.so", 0)):
            self.assertEqual(self.ask("--old", self.at("before.bc"), "--new", self.at("after.bc"), self.at(target)).code, code)

    def test_two_programs(self):
        """No source at all."""
        self.assertEqual(self.ask("--old", self.at("old.so"), "--new", self.at("new.so"), self.at("stripped.so")).code, 0)

    def test_stripped(self):
        r = self.source("stripped.so", more=["--json"])
        doc = json.loads(r.out)
        self.assertEqual((r.code, doc["verdict"]), (0, "patched"))
        self.assertTrue(doc["results"][0]["functions"][0]["by_likeness"])
        address = doc["results"][0]["functions"][0]["address"]
        self.assertEqual(self.source("stripped.so", more=["--func", "record_set=" + address]).code, 0)
        self.refuse(self.source("stripped.so", more=["--func", "record_set=here"]), "is no address")

    def test_stripped_arm(self):
        """No table tells where functions of such a program begin: gcc makes none, and lld one entry of all."""
        declarations = "#define NULL 0\nvoid *malloc(unsigned), free(void *), *memcpy(void *, const void *, unsigned);\n"
        for cc in (["arm-linux-gnueabihf-gcc", "-O2", "-mthumb"],
                   ["clang", "--target=arm-linux-gnueabihf", "-march=armv7-a", "-Os", "-fuse-ld=lld"]):
            for text, code in ((LIB, 1), (FIXED, 0)):
                source, target = self.write("record.c", (declarations + text.split("\n", 2)[2]).encode()), self.path("arm.so")
                subprocess.run([*cc, "-w", "-shared", "-fPIC", "-nostdlib", "-ffreestanding", "-fvisibility=hidden", "-o", target, source],
                               check=True)
                subprocess.run(["llvm-strip", target], check=True)
                r = self.source(target, more=["--json"])
                self.assertEqual(r.code, code, (cc, r.out))
                self.assertTrue(json.loads(r.out)["results"][0]["functions"][0]["by_likeness"])

    def test_labels(self):
        """A function of assembly is a label, which nothing says is a function."""
        for text, code in ((LIB, 1), (FIXED, 0)):
            source = self.write("record.c", text.encode())
            subprocess.run(["gcc", "-w", "-O2", "-S", "-o", self.path("record.s"), source], check=True)
            bare = [l for l in read(self.path("record.s")).decode().splitlines() if not re.match(r"\s*\.(type|size|cfi_)", l)]
            subprocess.run(["gcc", "-c", "-o", self.path("labels.o"), self.write("bare.s", ("\n".join(bare) + "\n").encode())], check=True)
            self.assertIn("NOTYPE", subprocess.run(["readelf", "-sW", self.path("labels.o")], stdout=subprocess.PIPE).stdout.decode().split(" record_set")[0].splitlines()[-1])
            r = self.source(self.path("labels.o"), more=["--json"])
            self.assertEqual(r.code, code, r.out)
            self.assertFalse(json.loads(r.out)["results"][0]["functions"][0].get("by_likeness"))

    def test_not_known_to_be_absent(self):
        """Nothing says of a program without names that a function that refers to nothing is not in it."""
        for name, text in (("a.c", "int twice(int x) { return x * 2; }"), ("b.c", "int twice(int x) { return x > 9 ? 0 : x * 2; }")):
            subprocess.run(["clang", "-O2", "-g", "-c", "-emit-llvm", "-o", self.path(name + ".bc"), self.write(name, text.encode())], check=True)
        r = self.ask("--old", self.path("a.c.bc"), "--new", self.path("b.c.bc"), self.at("stripped.so"))
        self.assertEqual(r.code, 3)
        self.assertIn("twice: unknown", r.out)

    def test_not_there(self):
        r = self.ask("--patch", self.at("CVE-1.diff"), "--source", self.at("before"), demo("x86_64"))
        self.assertEqual(r.code, 3)
        self.assertIn("record_set: not-there: no sufficiently similar function found, and the target has no string", r.out)

    def test_inlined_by_the_targets_compiler(self):
        """No function has its name, and its code is there all the same: that is not known, and not 'not affected'."""
        plain = LIB.replace('    audit("name replaced", length);\n', "")
        for lib, before, after in ((LIB, self.at("before.bc"), self.at("after.bc")), (plain, self.path("a.bc"), self.path("b.bc"))):
            if lib is plain:
                for out, text in ((before, plain), (after, plain.replace("    char *copy", "    if (length > 4096)\n        return -22;\n    char *copy", 1))):
                    subprocess.run(["clang", "-w", "-O0", "-g", "-c", "-emit-llvm", "-o", out, self.write("x.c", text.encode())], check=True)
            text = lib.replace("int record_set(", "static inline __attribute__((always_inline)) int record_set(", 1) \
                + "int rename_both(struct record *r, const char *n, unsigned k)\n{\n    return record_set(r, n, k) < 0 ? -1 : record_set(r + 1, n, k);\n}\n"
            target = self.path("inlined.so")
            subprocess.run(["gcc", "-O2", "-w", "-shared", "-fPIC", "-o", target, self.write("inlined.c", text.encode())], check=True)
            for strip in (False, True):
                if strip:
                    subprocess.run(["strip", target], check=True)
                r = self.ask("--old", before, "--new", after, "--openvex", self.path("v.json"), target)
                self.assertEqual(r.code, 3, r.out)
                self.assertIn("record_set: unknown", r.out)
                self.assertEqual(json.loads(read(self.path("v.json")))["statements"][0]["status"], "under_investigation")

    def test_compile_commands(self):
        database = [{"directory": self.at("before"), "file": "src/record.c",
                     "command": "gcc -c -O2 -fno-such-option-of-clang -DX='a b' -o x.o src/record.c"}]
        with open(self.path("db.json"), "w") as f:
            json.dump(database, f)
        self.assertEqual(self.source("new.so", more=["--compile-commands", self.path("db.json"), "--no-cache"]).code, 0)
        with open(self.path("db.json"), "w") as f:
            json.dump([], f)
        self.refuse(self.source("new.so", more=["--compile-commands", self.path("db.json")]), "no entry for", "record.c")

    def test_cache(self):
        """The second run compiles nothing; a change of the source is noticed."""
        shutil.copytree(self.at("before"), self.path("tree"))
        ask = lambda cc: self.ask("--patch", self.at("CVE-1.diff"), "--source", self.path("tree"), "--cc", cc, self.at("new.so"))
        with open(self.path("cc"), "w") as f:
            f.write("#!/bin/sh\necho x >> %s\nexec clang \"$@\"\n" % self.path("log"))
        os.chmod(self.path("cc"), 0o755)
        runs = lambda: len(read(self.path("log")).splitlines())
        self.assertEqual(ask(self.path("cc")).code, 0)
        self.assertEqual(runs(), 4)
        self.assertEqual(ask(self.path("cc")).code, 0)
        self.assertEqual(runs(), 4)
        with open(self.path("tree/src/record.c"), "a") as f:
            f.write("/* newer */\n")
        self.assertEqual(ask(self.path("cc")).code, 0)
        self.assertEqual(runs(), 8)
        cache = os.path.join(self.env["XDG_CACHE_HOME"], "assay", "present")
        for name in os.listdir(cache):
            with open(os.path.join(cache, name), "r+b") as f:
                f.seek(30)
                f.write(b"\xff\xff\xff\xff")
        self.assertEqual(ask(self.path("cc")).code, 0)

    def test_cache_of_trees(self):
        """Two trees are compiled once, too, and again when a file of either changes."""
        for side in ("before", "after"):
            shutil.copytree(self.at(side), self.path(side))
        with open(self.path("cc"), "w") as f:
            f.write("#!/bin/sh\necho x >> %s\nexec clang \"$@\"\n" % self.path("log"))
        os.chmod(self.path("cc"), 0o755)
        ask = lambda: self.ask("--before", self.path("before"), "--after", self.path("after"), "--cc", self.path("cc"), self.at("new.so"))
        runs = lambda: len(read(self.path("log")).splitlines())
        self.assertEqual(ask().code, 0)
        once = runs()
        self.assertEqual(ask().code, 0)
        self.assertEqual(runs(), once)
        with open(self.path("before/src/record.c"), "a") as f:
            f.write("/* older */\n")
        self.assertEqual(ask().code, 0)
        self.assertEqual(runs(), 2 * once)

    def test_package_and_table(self):
        with tarfile.open(self.path("pkg.tar"), "w") as t:
            for name in ("old.so", "new.so"):
                t.add(self.at(name), "usr/lib/" + name)
            t.add(demo("x86_64"), "usr/bin/demo")
        r = self.ask("--patch", self.at("CVE-1.diff"), "--source", self.at("before"), self.path("pkg.tar"), self.at("arm.o"), self.at("CVE-1.diff"))
        self.assertEqual(r.code, 1)
        lines = r.out.splitlines()
        self.assertEqual([l.split()[1] for l in lines[:4]], ["patched", "vulnerable", "patched", "unknown"])
        self.assertIn("pkg.tar:usr/lib/new.so", lines[0])

    def test_reports(self):
        html, vex = self.path("p.html"), self.path("v.json")
        r = self.source("old.so", "new.so", more=["--sarif", "--html", html, "--openvex", vex, "--name", "CVE-2099-1"])
        sarif = json.loads(r.out)
        self.assertEqual([x["ruleId"] for x in sarif["runs"][0]["results"]], ["assay/vulnerable"])
        status = {s["products"][0]["@id"].split("?")[0]: s for s in json.loads(read(vex))["statements"]}
        self.assertEqual(status["pkg:generic/old.so"]["status"], "affected")
        self.assertIn("action_statement", status["pkg:generic/old.so"])
        self.assertEqual(status["pkg:generic/new.so"]["status"], "fixed")
        self.assertEqual(status["pkg:generic/new.so"]["vulnerability"]["name"], "CVE-2099-1")
        page = read(html).decode()
        self.assertIn("vulnerable", page)
        self.assertNotIn("<script", page)

    def test_half_a_fix(self):
        """One of two conjuncts is there: that is not fixed, and the report says which is missing."""
        both = LIB.replace("    char *copy", "    if (r == NULL || length > 4096)\n        return -22;\n    char *copy", 1)
        for name, text in (("a.c", LIB), ("b.c", both)):
            subprocess.run(["clang", "-w", "-O0", "-g", "-c", "-emit-llvm", "-o", self.path(name + ".bc"), self.write(name, text.encode())], check=True)
        refs = ["--old", self.path("a.c.bc"), "--new", self.path("b.c.bc"), "--name", "CVE-2099-2"]
        for name, conjunct, missing in (("one", "r == NULL", "(arg2 < 0x1001)"), ("two", "length > 4096", "(arg0 == 0)")):
            source = self.write(name + ".c", both.replace("r == NULL || length > 4096", conjunct).encode())
            for cc in ("gcc", "arm-linux-gnueabihf-gcc"):
                subprocess.run([cc, "-O2", "-w", "-c", "-o", self.path(name + ".o"), source], check=True)
                r = self.ask(*refs, "--openvex", self.path("half.json"), self.path(name + ".o"))
                self.assertEqual(r.code, 1, r.out)
                self.assertIn("CVE-2099-2: partially patched", r.out)
                self.assertRegex(r.out, r"missing: condition " + re.escape(missing) + r" \(\S*b\.c:\d+\)")
                statement = json.loads(read(self.path("half.json")))["statements"][0]
                self.assertEqual(statement["status"], "affected")
                self.assertIn("condition " + missing + " in record_set", statement["action_statement"])

    def test_conditions_put_together_in_another_way(self):
        """All comparisons of the patch are there, but it rejects too little: that is not the patch."""
        both = LIB.replace("    char *copy", "    if (r == NULL || length > 4096)\n        return -22;\n    char *copy", 1)
        for name, text in (("a.c", LIB), ("b.c", both)):
            subprocess.run(["clang", "-w", "-O0", "-g", "-c", "-emit-llvm", "-o", self.path(name + ".bc"), self.write(name, text.encode())], check=True)
        for operator, code in (("||", 0), ("&&", 3)):
            source = self.write("c.c", both.replace("r == NULL || length", f"r == NULL {operator} length").encode())
            for level in ("-O0", "-O2"):
                subprocess.run(["gcc", level, "-w", "-c", "-o", self.path("c.o"), source], check=True)
                r = self.ask("--old", self.path("a.c.bc"), "--new", self.path("b.c.bc"), self.path("c.o"))
                self.assertEqual(r.code, code, r.out)

    def test_memory_filled_in_a_loop(self):
        """What a compiler makes of memset with `rep stos` has no stores of its own: that the patch is not seen there does not mean that it is missing."""
        text = "typedef struct { char key[48]; int uses; } secret; void put(secret *s); void *memset(void *, int, unsigned long);\n" \
               "void drop(secret *s)\n{\n    memset(s, 0, SIZE);\n    put(s);\n}\n"
        for name, size in (("a", "sizeof s"), ("b", "sizeof *s")):
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O0", "-g", "-c", "-emit-llvm", "-DSIZE=" + size, "-o", self.path(name + ".bc"),
                            self.write("drop.c", text.encode())], check=True)
        for fill, code in (("mov $13, %ecx\nxor %eax, %eax\nmov %rdi, %rdx\nrep stosl\nmov %rdx, %rdi\n", 3), ("movq $0, (%rdi)\n", 1)):
            source = self.write("drop.s", (".globl drop\n.type drop, @function\ndrop:\n" + fill + "jmp put@plt\n.size drop, .-drop\n").encode())
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", "-o", self.path("drop.o"), source], check=True)
            r = self.ask("--old", self.path("a.bc"), "--new", self.path("b.bc"), self.path("drop.o"))
            self.assertEqual(r.code, code, r.out + r.err)

    def test_one_of_two_functions(self):
        both = FIXED.replace("    free(r->name);\n    r->name = NULL;", "    if (r->length > 77)\n        return -77;\n    free(r->name);\n    r->name = NULL;")
        for name, text in (("a.c", LIB), ("b.c", both)):
            subprocess.run(["clang", "-w", "-O0", "-g", "-c", "-emit-llvm", "-o", self.path(name + ".bc"), self.write(name, text.encode())], check=True)
        r = self.ask("--json", "--old", self.path("a.c.bc"), "--new", self.path("b.c.bc"), self.at("new.so"))
        row = json.loads(r.out)["results"][0]
        self.assertEqual((r.code, row["verdict"]), (1, "partially patched"))
        self.assertEqual([f["verdict"] for f in row["functions"]], ["vulnerable", "patched"])

    def test_every_target_is_answered(self):
        """One that a limit ends, or that is no program, is a row of its own, and the document has no gap."""
        self.source("new.so")  # the compiler needs more memory than is given below
        vex = self.path("x.vex.json")
        shutil.copy(self.at("new.so"), self.path("large.so"))
        os.truncate(self.path("large.so"), 1 << 30)
        r = self.source(self.path("large.so"), "old.so", "CVE-1.diff", "new.so", more=["--memory=512M", "--json", "--openvex", vex])
        rows = json.loads(r.out)["results"]
        self.assertEqual([x["verdict"] for x in rows], ["unknown", "vulnerable", "unknown", "patched"], r.err)
        self.assertIn("memory limit", rows[0]["reason"])
        self.assertIn("neither an ELF file", rows[2]["reason"])
        self.assertEqual(r.code, 1)
        statements = json.loads(read(vex))["statements"]
        self.assertEqual([s["status"] for s in statements], ["under_investigation", "affected", "under_investigation", "fixed"])
        self.assertIn("memory limit", statements[0]["status_notes"])
        self.assertRegex(statements[3]["status_notes"], r"confidence 0\.\d\d|confidence 1\.00")
        self.assertRegex(statements[3]["status_notes"], r"decided by what is there after it: .* \(src/record.c:\d+\), at 0x")

    def test_ablations(self):
        for option in ("--no-solver", "--no-ranking", "--no-refinement"):
            self.assertEqual(self.source("new.so", more=[option]).code, 0, option)

    def test_two_runs_agree(self):
        args = ("new.so", "stripped.so")
        self.assertEqual(self.source(*args, more=["--json"]).out, self.source(*args, more=["--json", "--no-cache"]).out)

    def test_bad_patches(self):
        def with_diff(text):
            with open(self.at("bad.diff"), "w") as f:
                f.write(text)
            return self.source("new.so", diff="bad.diff")
        self.refuse(with_diff(DIFF.replace("malloc", "calloc")), "hunk 1", "src/record.c", "does not apply")
        self.refuse(with_diff(DIFF.replace("record.c", "other.c")), "a/src/other.c", "is not in")
        self.refuse(with_diff(DIFF.replace("a/src/record.c", "../../../etc/passwd.c")), "is not in")
        self.refuse(with_diff("nothing"), "not a unified diff")
        self.refuse(with_diff(DIFF[:-40]), "bad.diff", "line")
        self.refuse(with_diff(DIFF.replace("return -22", "retrun -22")), "does not compile", "error: use of undeclared identifier 'retrun'")
        self.refuse(with_diff(DIFF.replace("+    if (length > 4096)\n+        return -22;", "+/* a */\n+/* b */")), "the behaviour of no function")

    def test_bad_usage(self):
        so = self.at("new.so")
        self.refuse(self.ask(so), "which patch?")
        self.refuse(self.ask("--patch", self.at("CVE-1.diff"), so), "--source")
        self.refuse(self.ask("--before", self.at("before"), so), "--after")
        self.refuse(self.ask("--old", self.at("before.bc"), so), "each --old needs a --new")
        self.refuse(self.ask("--old", self.at("before.bc"), "--new", so, so), "of different kinds")
        self.refuse(self.ask("--patch", self.at("CVE-1.diff"), "--source", self.at("nowhere"), so), "no such directory")
        self.refuse(self.source("missing.so"), "missing.so")
        r = self.source("new.so", more=["--cc", "no-such-compiler"])
        self.assertEqual(r.code, 3)
        self.assertIn("cannot run 'no-such-compiler'", r.err)
        # Bitcode of a version that does not exist yet: an identification block, and then nothing known.
        with open(self.path("new.bc"), "wb") as f:
            f.write(b"BC\xc0\xde" + b"\xff" * 64)
        r = self.ask("--old", self.path("new.bc"), "--new", self.path("new.bc"), so)
        self.assertIn(r.code, (2, 3))
        self.assertIn("new.bc", r.err)


main()
