# SPDX-License-Identifier: GPL-3.0-or-later
"""assay poc: candidates of small programs, judged by running them."""
import difflib
import platform
import shutil
import signal
import subprocess
import time

from poc_common import *


class Poc(PocTest):
    def test_sizes(self):
        """A repair that fits only the size that the block has on the proof of concept. That it refuses what the original does
        with a larger one is a regression only if the block has no parts, and nothing says that."""
        crash = self.write("crash.txt", b"8 12 1\n")
        all = [self.store("fix", "if (count > b->size) return -1;"),
               self.store("constant", "if (count > 8) return -1;"),
               self.store("larger", "if (count > 8 && count > b->size) return -1;")]
        fix, constant, larger = self.poc(self.store("old"), *all, "--", crash, code=0)["candidates"]
        self.assertEqual(fix["verdict"], "not refuted")
        self.assertEqual((constant["verdict"], constant["confirmed_by"]), ("doubtful", "input"))
        self.assertEqual((larger["verdict"], larger["finding"], larger["confirmed_by"]), ("refuted", "crash-same", "input"))

    def test_sizes_in_a_byte(self):
        """How much the block may become is more than the number can say that is its size."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int put(unsigned char *, unsigned char, unsigned);
            int main(int n, char **v) {
                unsigned size, at;
                if (sscanf(v[1], "%u,%u", &size, &at) != 2 || size > 255) return 2;
                return put(malloc(size), size, at);
            }
            """
        names = [self.build(name, "int put(unsigned char *b, unsigned char n, unsigned i) { %s b[i] = 1; return 0; }" % repair, driver=driver)
                 for name, repair in (("old", ""), ("fix", "if (i >= n) return 1;"), ("constant", "if (!n || i >= 128) return 1;"))]
        fix, constant = self.poc(*names, "--", "128,130", code=0)["candidates"]
        self.assertEqual((fix["verdict"], constant["verdict"]), ("not refuted", "refuted"))

    def test_overflow(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        old = self.store("old")
        all = [self.store("fix", "if (count > b->size) return -1;"),
               self.store("clip", "if (count > b->size) count = b->size;"),
               self.store("value", "if (count == 12) return -1;"),
               self.store("one", "if (count > b->size + 1) return -1;"),
               self.store("much", "if (count >= b->size / 2) return -1;"),
               self.store("always", "return -1;"),
               self.store("never", "if (count > 100000) return -1;"),
               self.store("wrong", "if (first == 1) return -1;")]
        doc = self.poc(old, *all, "--", crash, code=0)
        self.assertEqual(doc["schema"], "assay/poc/1")
        self.assertEqual((doc["original"]["function"], doc["original"]["crash"]), ("store", "access out of bounds"))
        self.assertEqual([(c["verdict"], c["finding"]) for c in doc["candidates"]],
                         [("not refuted", None), ("not refuted", None), ("refuted", "crash-same"), ("refuted", "crash-same"),
                          ("refuted", "regression"), ("refuted", "regression"), ("refuted", "still-crashes"),
                          ("refuted", "crash-same")])
        for c in doc["candidates"][2:]:
            self.assertEqual(c["confirmed_by"], "input")
        # the same bytes again, whoever is asked first
        self.assertEqual(assay("poc", "--json", old, *all, "--", crash).out, assay("poc", "--json", old, *all, "--", crash).out)
        self.assertEqual(self.verdicts(old, *all[2:], "--", crash, code=1)[0], ("refuted", "crash-same"))

    def test_files_that_are_not_there(self):
        old, fix = self.store("old"), self.store("fix", "if (count > b->size) return -1;")
        crash = self.write("crash.txt", b"8 12 1\n")
        for args, name in ((["--poc", self.path("nosuch"), old, fix, "--", "@@"], "nosuch"), (["--stdin", self.path("nosuch"), old, fix, "--", crash], "nosuch"),
                           (["--core", self.path("nosuch"), old, fix], "nosuch"), (["--core", self.dir.name, old, fix], self.dir.name)):
            r = assay("poc", *args)
            self.assertEqual(r.code, 2, r.out)
            self.assertIn(name, r.err)
            self.assertIn("No such file" if name == "nosuch" else "Is a directory", r.err)

    def test_diffs_of_trees(self):
        """New directories, renamed files, and builds that do not end."""
        tree = self.path("tree")
        shutil.copytree(BOX, tree)
        crash = self.write("crash.txt", b"8 12 1\n")
        build = "gcc -g -O1 -I. -o {} store*.c main.c"
        text = open(os.path.join(tree, "store.c")).read()
        repaired = text.replace("    REPAIR\n", "#include \"checks/size.h\"\n", 1)
        added = "diff --git a/checks/size.h b/checks/size.h\nnew file mode 100644\n--- /dev/null\n+++ b/checks/size.h\n@@ -0,0 +1 @@\n+if (count > b->size) return -1;\n"
        changed = "".join(difflib.unified_diff(text.splitlines(True), repaired.splitlines(True), "a/store.c", "b/store.c"))
        renamed = "diff --git a/store.c b/store_all.c\nsimilarity index 95%\nrename from store.c\nrename to store_all.c\n" + changed.replace("+++ b/store.c", "+++ b/store_all.c")
        moved = "diff --git a/main.c b/store_main.c\nsimilarity index 100%\nrename from main.c\nrename to store_main.c\n"
        diffs = [self.write("add.diff", (added + changed).encode()), self.write("rename.diff", (added + renamed).encode())]
        old = self.store("old")
        doc = self.poc("--patch", diffs[0], "--patch", diffs[1], "--source", tree, "--cc", build, old, "--", crash, code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted"] * 2)
        moves = self.write("move.diff", (moved + added + changed).encode())
        doc = self.poc("--patch", moves, "--source", tree, "--cc", "gcc -g -O1 -I. -o {} store.c store_main.c", old, "--", crash, code=0)
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")
        doc = self.poc("--patch", diffs[0], "--source", tree, "--build-timeout", "100ms", "--cc", "sleep 1000 & wait", old, self.store("fix", "if (count > b->size) return -1;"), "--", crash, code=0)
        self.assertIn("--build-timeout", doc["candidates"][1]["reason"])

    def test_kept_sizes(self):
        """A size that nothing in reach says is kept, and told."""
        driver = """#include <stdlib.h>
#include <stdio.h>
int fill(char *to, unsigned n);
int main(int c, char **v) { char *p = malloc(10); printf("%d\\n", fill(p, atoi(v[1]))); return 0; }"""
        text = "int fill(char *to, unsigned n) { REPAIR for (unsigned i = 0; i < n; i++) to[i] = 1; return n; }"
        old, fix = (self.build(name, text.replace("REPAIR", repair), driver=driver) for name, repair in (("old", ""), ("fix", "if (n > 10) return -1;")))
        doc = self.poc(old, fix, "--", "13", code=0)
        self.assertEqual([(o["name"], o["size_kept"]) for o in doc["original"]["graph"]["objects"]], [("to", True)])
        self.assertIn("nothing in reach says them: to (10 bytes)", assay("poc", old, fix, "--", "13").out)

    def test_more_paths_than_can_be_followed(self):
        """What the proof of concept does not come to has more paths than may be; what it does is looked at."""
        driver = """#include <stdlib.h>
#include <stdio.h>
int fill(char *to, int n, unsigned kind);
int main(int c, char **v) { printf("%d\\n", fill(malloc(8), atoi(v[1]), atoi(v[2]))); return 0; }"""
        text = """static int count(unsigned kind) { int s = 0; for (int i = 0; i < 6; i++) if (kind >> i & 1) s += i * s + 1; return s; }
int fill(char *to, int n, unsigned kind) {
    if (kind) return count(kind);
    REPAIR
    for (int i = 0; i < n; i++) to[i] = 1;
    return n;
}"""
        old, fix, value = (self.build(name, text.replace("REPAIR", repair), "-O0", driver=driver) for name, repair in (
            ("old", ""), ("fix", "if (n > 8) return -1;"), ("value", "if (n == 12) return -1;")))
        fix, value = self.poc("--max-paths", "20", old, fix, value, "--", "12", "0", code=0)["candidates"]
        self.assertEqual(fix["verdict"], "not refuted")
        self.assertEqual((value["verdict"], value["finding"], value["confirmed_by"]), ("refuted", "crash-same", "input"))

    def test_parts_of_a_block_that_the_call_allocates(self):
        """The original goes from one part of the block into the next: that a repair refuses that is no regression."""
        driver = """#include <stdio.h>
#include <stdlib.h>
int copy(const unsigned char *, unsigned, unsigned, unsigned);
int main(int c, char **v) { printf("%d\\n", copy(calloc(8, 1), 4 + atoi(v[1]), atoi(v[2]), atoi(v[3]))); return 0; }"""
        text = """#include <stdlib.h>
static int count(unsigned kind) { int s = 0; for (int i = 0; i < 6; i++) if (kind >> i & 1) s += i * s + 1; return s; }
int copy(const unsigned char *from, unsigned n, unsigned m, unsigned kind) {
    if (kind) return count(kind);
    REPAIR
    unsigned char *to = malloc(n);
    to[n - 1] = 1;
    for (unsigned i = 0; i < m; i++) to[i] = from[i];
    return to[n - 1];
}"""
        old, fix = (self.build(name, text.replace("REPAIR", repair), "-O0", driver=driver) for name, repair in (
            ("old", ""), ("fix", "if (m >= n) return -1;")))
        self.assertEqual(self.verdicts("--max-paths", "20", old, fix, "--", "1", "6", "0", code=3), [("doubtful", "regression")])

    def test_checksum(self):
        """What differs is behind the comparison of a checksum, which is wrong in all that is near the proof of concept."""
        driver = """#include <stdio.h>
#include <stdlib.h>
int take(const unsigned char *, unsigned);
int main(int c, char **v) {
    unsigned char *p = malloc(8);
    if (fread(p, 1, 8, fopen(v[1], "rb")) != 8) return 2;
    printf("%d\\n", take(p, atoi(v[2])));
    return 0;
}"""
        text = """static int count(unsigned kind) { int s = 0; for (int i = 0; i < 6; i++) if (kind >> i & 1) s += i * s + 1; return s; }
int take(const unsigned char *p, unsigned kind) {
    int seven = 7;
    if (kind) return count(kind);
    unsigned n = p[0], sum = p[4] | p[5] << 8 | p[6] << 16 | (unsigned)p[7] << 24;
    REPAIR
    int value = *(n == 1 ? 0 : &seven);
    return (n * 2654435761u ^ n >> 3) == sum ? value : -1;
}"""
        old, fix, much = (self.build(name, text.replace("REPAIR", repair), "-O0", driver=driver) for name, repair in (
            ("old", ""), ("fix", "if (n == 1) return -1;"), ("much", "if (n < 100) return -1;")))
        fix, much = self.poc("--max-paths", "20", old, fix, much, "--", self.write("crash.bin", b"\1abc9999"), "0", code=0)["candidates"]
        self.assertEqual((fix["verdict"], much["verdict"]), ("not refuted", "refuted"))
        self.assertEqual((much["finding"], much["confirmed_by"]), ("regression", "input"))

    def test_errors_in_other_words(self):
        """Bad input may be refused in other words than before; what worked may not be refused."""
        driver = """#include <stdlib.h>
#include <stdio.h>
int fill(int *to, unsigned n);
int main(int c, char **v) {
    int *p = malloc(40), r = fill(p, atoi(v[1]));
    puts(r == -1 ? "too much" : r == -2 ? "odd" : "fine");
    return r < 0 ? 2 : 0;
}"""
        text = "int fill(int *to, unsigned n) { REPAIR for (unsigned i = 0; i < n; i++) to[i] = 1; return n & 1 ? -2 : n; }"
        old, words, works = (self.build(name, text.replace("REPAIR", repair), driver=driver) for name, repair in (
            ("old", ""), ("words", "if (n > 10 || n == 1) return -1;"), ("works", "if (n > 10 || n == 0) return -1;")))
        one, other = self.poc(old, words, works, "--", "13", code=3)["candidates"]
        self.assertEqual((one["verdict"], one["confirmed_by"]), ("doubtful", "input"))
        self.assertIn("both report an error", one["reason"])
        self.assertEqual((other["verdict"], other["confirmed_by"]), ("refuted", "input"))

    def test_signed(self):
        text = """struct acc { int sum, n; };
int add(struct acc *a, int v) { REPAIR a->sum += v; a->n++; return a->sum; }"""
        driver = """#include <stdlib.h>
#include <stdio.h>
struct acc { int sum, n; };
int add(struct acc *a, int v);
int main(int c, char **v) { struct acc *a = malloc(sizeof *a); a->sum = atoi(v[1]); a->n = 0; printf("%d\\n", add(a, atoi(v[2]))); return 0; }"""
        program = lambda name, repair, *flags: self.build(name, text.replace("REPAIR", repair), *flags, driver=driver)
        old = program("old", "")
        all = [program("fix", "int r; if (__builtin_add_overflow(a->sum, v, &r)) return -1;"),
               program("long", "long s = (long)a->sum + v; if (s != (int)s) return -1;"),
               program("unsigned", "unsigned s = (unsigned)a->sum + (unsigned)v; if ((a->sum ^ s) & (v ^ s) & 0x80000000u) return -1;"),
               program("positive", "if (v > 0 && a->sum > 2147483647 - v) return -1;"),
               program("much", "if (a->sum > 100) return -1;")]
        oracle = program("oracle", "", "-fsanitize=undefined")
        for asked in ([], ["--oracle", oracle]):
            doc = self.poc(*asked, old, *all, "--", "2147483645", "5", code=0)
            self.assertEqual((doc["original"]["function"], doc["original"]["crash"]), ("add", "signed overflow"))
            self.assertEqual([(c["verdict"], c["finding"]) for c in doc["candidates"]],
                             [("not refuted", None), ("not refuted", None), ("not refuted", None), ("doubtful", "crash-same"), ("refuted", "regression")])

    def test_signed_division(self):
        """The least number by -1, which only some processors trap."""
        driver = """#include <stdlib.h>
#include <stdio.h>
int quotient(int x, int y);
int main(int c, char **v) { printf("%d\\n", quotient(atoi(v[1]), atoi(v[2]))); return 0; }"""
        program = lambda name, repair: self.build(name, "int quotient(int x, int y) { if (y == 0) return 0; %s return x / y; }" % repair, driver=driver)
        doc = self.poc(program("old", ""), program("fix", "if (y == -1 && x == -2147483647 - 1) return 0;"), program("much", "if (y == -1) return 0;"), "--", "-2147483648", "-1", code=0)
        traps = platform.machine() == "x86_64"
        self.assertEqual(doc["original"]["crash"], "quotient too large" if traps else "signed overflow")
        self.assertEqual([(c["verdict"], c["finding"]) for c in doc["candidates"]], [("proved" if traps else "not refuted", None), ("refuted", "regression")])

    def test_other_quotients(self):
        """A division by zero is repaired though the least number divided by -1 is none that fits, and the other way round."""
        driver = """#include <stdlib.h>
#include <stdio.h>
int quotient(int x, int y);
int main(int c, char **v) { printf("%d\\n", quotient(atoi(v[1]), atoi(v[2]))); return 0; }"""
        program = lambda name, repair: self.build(name, "int quotient(int x, int y) { %s return x / y; }" % repair, driver=driver)
        old, zero, least = program("old", ""), program("zero", "if (y == 0) return 0;"), program("least", "if (y == -1 && x == -2147483647 - 1) return 0;")
        doc = self.poc(old, zero, least, "--", "7", "0", code=0)
        self.assertEqual(doc["original"]["crash"], "division by zero")
        self.assertIn(doc["candidates"][0]["verdict"], ("proved", "not refuted"))
        self.assertEqual((doc["candidates"][1]["verdict"], doc["candidates"][1]["finding"]), ("refuted", "still-crashes"))
        if platform.machine() == "x86_64":
            doc = self.poc(old, zero, least, "--", "-2147483648", "-1", code=0)
            self.assertEqual(doc["original"]["crash"], "quotient too large")
            self.assertEqual([c["verdict"] for c in doc["candidates"]], ["refuted", "not refuted"])

    def test_several_proofs_of_concept(self):
        """Each candidate is asked around all of them; one that decides against it is named. Equal code is asked once."""
        one, two = self.write("one.txt", b"8 12 1\n"), self.write("two.txt", b"8 30 1\n")
        old, fix = self.store("old"), self.store("fix", "if (count > b->size) return -1;")
        again = self.store("again", "  if (count > b->size)  return -1; ")
        less = self.store("less", "if (count > b->size && count < 20) return -1;")
        doc = self.poc("--poc", one, "--poc", two, old, fix, again, less, "--", "@@", code=0)
        self.assertEqual([(c["verdict"], c["finding"]) for c in doc["candidates"]],
                         [("not refuted", None), ("not refuted", None), ("refuted", "still-crashes")])
        self.assertEqual([c["same_as"] for c in doc["candidates"]], [None, fix, None])
        self.assertEqual(doc["candidates"][2]["proof_of_concept"], two)
        self.assertEqual([o["proof_of_concept"] for o in [doc["original"], *doc["further"]]], [one, two])
        alone = self.poc("--poc", one, old, fix, "--", "@@", code=0)
        self.assertEqual(doc["candidates"][0]["classes"], 2 * alone["candidates"][0]["classes"])
        self.refused("poc", "--poc", one, "--poc", self.write("fine.txt", b"8 3 1\n"), old, fix, "--", "@@", says=["fine.txt", "does not crash"])
        self.refused("poc", "--poc", one, "--stdin", two, old, fix, "--", says=["@@"])

    def test_candidates_from_diffs(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        tree = self.path("tree")
        shutil.copytree(BOX, tree)
        before = read(os.path.join(tree, "store.c")).decode()
        diff = lambda name, repair: self.write(name, "".join(difflib.unified_diff(before.splitlines(True), before.replace("    REPAIR\n", "    " + repair + "\n").splitlines(True),
                                                                                 "a/store.c", "b/store.c")).encode())
        all = [diff("fix.diff", "if (count > b->size) return -1;"), diff("one.diff", "if (count > b->size + 1) return -1;"),
               diff("bad.diff", "if (count > b->sise) return -1;"), self.write("none.diff", b"--- a/no.c\n+++ b/no.c\n@@ -1 +1 @@\n-x\n+y\n")]
        build = ["--source", tree, "--cc", "gcc -g -O1 -o {} store.c main.c"]
        doc = self.poc(*build, *(x for d in all for x in ("--patch", d)), self.store("old"), "--", crash, code=0)
        self.assertEqual([(c["file"], c["verdict"]) for c in doc["candidates"]],
                         list(zip(all, ["not refuted", "refuted", "unknown", "unknown"])))
        self.assertIn("sise", doc["candidates"][2]["reason"])
        self.assertIn("has no file a/no.c", doc["candidates"][3]["reason"])
        self.assertEqual(read(os.path.join(tree, "store.c")).decode(), before)
        linked = self.path("linked")
        os.mkdir(linked)
        for name in os.listdir(tree):
            os.symlink(os.path.join(tree, name), os.path.join(linked, name))
        self.poc("--source", linked, *build[2:], "--patch", all[0], self.store("old"), "--", crash, code=0)
        self.assertEqual(read(os.path.join(tree, "store.c")).decode(), before)
        self.refused("poc", *build, "--patch", all[2], "--patch", all[3], self.store("old"), "--", crash, says=["bad.diff", "sise"])
        self.refused("poc", "--source", tree, "--cc", "true", "--patch", all[0], self.store("old"), "--", crash, says=["does not write {}"])
        self.refused("poc", "--patch", all[0], self.store("old"), "--", crash, says=["--source", "--cc"])
        self.refused("poc", self.store("old"), "--", crash, says=["no candidates"])

    def test_oracle(self):
        """A sanitizer sees the overflow that the program falls over later, and as something else."""
        text = "extern long table[8]; extern char *name;\nint f(int n, int v) { %s table[n] = v; return *name + (int)table[v & 3]; }"
        driver = "#include <stdio.h>\n#include <stdlib.h>\nlong table[8] = {1}; char *name = \"x\"; int f(int n, int v); " \
                 "int main(int c, char **v) { int n = atoi(v[1]); printf(\"%d\\n\", f(n < 0 ? (int)((long *)&name - table) : n, atoi(v[2]))); return 0; }"
        build = lambda name, repair, *flags: self.build(name, text % repair, *flags, driver=driver)
        old, fix = build("old", ""), build("fix", "if (n < 0 || n > 7) return -1;")
        self.assertEqual(self.poc(old, fix, "--", "-1", "0", code=3)["original"]["crash"], "null pointer")
        oracle = build("oracle", "", "-fsanitize=undefined,bounds-strict")
        doc = self.poc("--oracle", oracle, old, fix, "--", "-1", "0", code=0)
        self.assertEqual((doc["original"]["crash"], doc["original"]["place"]), ("access out of bounds", "f"))
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")
        self.refused("poc", "--oracle", fix, old, fix, "--", "-1", "0", says=["reports no error"])

    def test_stack_protector(self):
        """The program says at the end of the call that its stack was overwritten; what counts is where that happened."""
        text = "int f(int n, int v) { int b[16] = {0}, r = 0; %s for (int i = 0; i < n; i++) b[i] = v; for (int i = 0; i < 16; i++) r = r * 3 + b[i]; return r; }"
        driver = "#include <stdio.h>\n#include <stdlib.h>\nint f(int n, int v); int main(int c, char **v) { printf(\"%d\\n\", f(atoi(v[1]), atoi(v[2]))); return 0; }"
        old, fix, one = (self.build(name, text % repair, "-fstack-protector-all", driver=driver) for name, repair in
                         (("old", ""), ("fix", "if (n > 16) return -1;"), ("one", "if (n > 17) return -1;")))
        doc = self.poc(old, fix, one, "--", "20", "5", code=0)
        self.assertEqual(doc["original"]["crash"], "access out of bounds")
        self.assertEqual([(c["verdict"], c["confirmed_by"]) for c in doc["candidates"]], [("not refuted", None), ("refuted", "input")])

    def test_core_of_a_debugger(self):
        """A state that gdb wrote is explored, and nothing is run: what is found is doubtful at most."""
        text = "int table[8] = {1, 2, 3, 4, 5, 6, 7, 8}, after[40] = {1};\nint f(int n, int v) { %s table[n] = v; return table[v & 3] + after[v & 3]; }"
        driver = "#include <stdio.h>\n#include <stdlib.h>\nint f(int n, int v); int main(int c, char **v) { printf(\"%d\\n\", f(atoi(v[1]), atoi(v[2]))); return 0; }"
        old, fix, one = (self.build(name, text % repair, driver=driver) for name, repair in
                         (("old", ""), ("fix", "if (n < 0 || n > 7) return -1;"), ("one", "if (n < 0 || n > 8) return -1;")))
        core = lambda place, name: subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", "break " + place, "-ex", "run 12 5", "-ex", "generate-core-file " + self.path(name), old],
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        core("*f", "at-f")
        core("main", "at-main")
        doc = self.poc("--core", self.path("at-f"), old, fix, one, code=0)
        self.assertEqual(doc["original"]["crash"], "access out of bounds")
        self.assertEqual([(c["verdict"], c["confirmed_by"]) for c in doc["candidates"]], [("not refuted", None), ("doubtful", None)])
        self.assertEqual(doc["candidates"][1]["witness"][0]["is"], "8")
        self.refused("poc", "--core", self.path("at-main"), old, fix, says=["stands in main", "break *f"])
        self.refused("poc", "--core", self.path("at-f"), old, fix, "--", "12", "5", says=["nothing is run"])
        self.refused("poc", "--core", old, old, fix, says=["not a core file"])

    def test_witness_reproduces(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        old, one = self.store("old"), self.store("one", "if (count > b->size + 1) return -1;")
        doc = self.poc("--witness", self.path("found"), "--snapshot", self.path("core"), old, one, "--", crash, code=1)
        self.assertEqual((read(self.path("core"))[:4], read(self.path("core"))[16]), (b"\x7fELF", 4))
        # with that state nothing else comes out; it is that of one input
        again = self.poc("--witness", self.path("found"), "--snapshot", self.path("core"), old, one, "--", crash, code=1)
        self.assertEqual(again, doc)
        other = self.write("other.txt", b"8 14 1\n")
        self.refused("poc", "--snapshot", self.path("core"), old, one, "--", other, says=["another proof of concept"])
        self.refused("poc", "--snapshot", other, old, one, "--", crash, says=["not a core file"])
        self.refused("poc", "--snapshot", self.write("cut", read(self.path("core"))[:9000]), old, one, "--", crash, says=["damaged"])
        saved = doc["candidates"][0]["saved"]
        self.assertEqual(read(saved), b"8 9 1\n")
        # it is a proof of concept of the candidate itself
        again = self.poc(one, self.store("fix", "if (count > b->size) return -1;"), "--", saved, code=0)
        self.assertEqual(again["candidates"][0]["verdict"], "not refuted")

    LIST = """
        #include <stdio.h>
        #include <stdlib.h>
        struct node { int value; struct node *next; };
        int last(struct node *n, int k);
        int main(int c, char **v) {
            struct node *list = NULL;
            for (int i = atoi(v[1]); i > 0; i--) {
                struct node *n = malloc(sizeof *n);
                n->value = i * 3; n->next = list; list = n;
            }
            printf("%d\\n", last(list, atoi(v[2])));
            return 0;
        }"""

    def test_length_of_a_text(self):
        """The input has the length, the state has the text: another length is looked for as a number."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            int f(char *to, const char *from, int room);
            int main(int c, char **v) {
                int n = atoi(v[2]);
                char *to = malloc(atoi(v[1])), *from = malloc(n + 1);
                memset(from, 'x', n);
                from[n] = 0;
                printf("%d\\n", f(to, from, atoi(v[1])));
                return 0;
            }"""
        text = "#include <string.h>\nint f(char *to, const char *from, int room) { %s int i = 0; while (from[i]) { to[i] = from[i]; i++; } to[i] = 0; return i; }"
        old, fix, off = (self.build(name, text % repair, driver=driver) for name, repair in
                         (("old", ""), ("fix", "if (strlen(from) >= room) return -1;"), ("off", "if (strlen(from) > room) return -1;")))
        doc = self.poc(old, fix, off, "--", "6", "9", code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "refuted"])
        self.assertEqual((doc["candidates"][1]["confirmed_by"], doc["candidates"][1]["input"]), ("input", 'argument 2, byte 0: "9" becomes "6"'))

    def test_inputs_that_grow(self):
        """A block's contents stand in the input behind their length; a number in them says how long a part is."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int part(const unsigned char *block, unsigned size);
            int main(int c, char **v) {
                FILE *f = fopen(v[1], "rb");
                unsigned n = fgetc(f);
                unsigned char *block = malloc(n);
                if (n < 4 || fread(block, 1, n, f) != n) return 2;
                unsigned size = block[2] | block[3] << 8;
                if (size > n - 4) return 2;
                printf("%d\\n", part(block, size));
                return 0;
            }"""
        text = "int part(const unsigned char *block, unsigned size) { REPAIR return block[4] | block[5] << 8; }"
        repairs = (("old", ""), ("fix", "if (size < 2) return -1;"), ("value", "if (size == 0) return -1;"), ("never", "if (size > 4) return -1;"),
                   ("much", "if (size < 6) return -1;"))
        old, *new = (self.build(name, text.replace("REPAIR", repair), driver=driver) for name, repair in repairs)
        crash = self.write("crash.bin", b"\x04\x09\x07\x00\x00")
        fix, value, never, much = self.poc(old, *new, "--", crash, code=0)["candidates"]
        # that the original gets by where other parts follow is no regression of the fix
        self.assertEqual((fix["verdict"], never["verdict"]), ("not refuted", "refuted"))
        self.assertEqual((value["verdict"], value["finding"], value["confirmed_by"]), ("refuted", "crash-same", "input"))
        # the block is one byte longer, and both numbers say so
        self.assertEqual(value["input"], "file of argument 1, byte 0: 04 becomes 05, byte 3: 00 00 becomes 01 00, byte 5: \"\" becomes 00")
        # blocks of other sizes are tried, in which the original may go wrong unseen
        self.assertEqual((much["verdict"], much["finding"], much["confirmed_by"]), ("doubtful", "regression", "input"))
        self.assertEqual(much["condition"], "the block that is overflowed has 6 bytes")

    def test_blocks_with_room_behind_their_contents(self):
        """A block is larger than what stands in the input, and its length counts itself."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int part(const unsigned char *block, unsigned n);
            int main(int c, char **v) {
                FILE *f = fopen(v[1], "rb");
                unsigned n = fgetc(f);
                unsigned char *block = malloc(n + 4);
                if (n < 3 || fread(block + 1, 1, n - 1, f) != n - 1) return 2;
                block[0] = n;
                printf("%d\\n", part(block, n));
                return 0;
            }"""
        text = """int part(const unsigned char *block, unsigned n) {
            unsigned sum = 0;
            REPAIR
            if (block[1] & 0x10) for (unsigned i = 2; i < 24; i++) sum += block[i] * 3;
            else for (unsigned i = 2; i < 14; i++) sum += block[i];
            return sum; }"""
        old, *new = (self.build(name, text.replace("REPAIR", repair), driver=driver) for name, repair in (
            ("old", ""), ("fix", "if (n < (block[1] & 0x10 ? 24 : 14)) return -1;"), ("half", "if (n < 7) return -1;"),
            ("narrow", "if (n < 14) return -1;"), ("much", "if (n < (block[1] & 0x10 ? 24 : 15)) return -1;")))
        fix, half, narrow, much = self.poc(old, *new, "--", self.write("crash.bin", b"\x06\x05bcde"), code=0)["candidates"]
        # what the original does with room that nothing was written to is no regression of the fix
        self.assertEqual(fix["verdict"], "not refuted")
        # the last size with which the original crashes
        self.assertEqual((half["verdict"], half["finding"], half["confirmed_by"]), ("refuted", "crash-same", "input"))
        # as many bytes as it checks, and another number that says that there are more
        self.assertEqual((narrow["verdict"], narrow["finding"], narrow["confirmed_by"]), ("refuted", "crash-same", "input"))
        self.assertEqual((much["verdict"], much["condition"]), ("doubtful", "the block that is overflowed has 18 bytes"))

    def test_outputs_with_times(self):
        """A program that prints the time of its input is no other one for that."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/stat.h>
            int part(const unsigned char *block, unsigned n);
            int main(int c, char **v) {
                FILE *f = fopen(v[1], "rb");
                struct stat st;
                unsigned n = fgetc(f);
                unsigned char *block = malloc(n);
                if (n < 1 || fread(block, 1, n, f) != n || fstat(fileno(f), &st)) return 2;
                printf("%s %lld.%ld: %d\\n", v[1], (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, part(block, n));
                return 0;
            }"""
        text = "int part(const unsigned char *block, unsigned n) { REPAIR return block[4] | block[5] << 8; }"
        old, *new = (self.build(name, text.replace("REPAIR", repair), driver=driver) for name, repair in (
            ("old", ""), ("fix", "if (n < 6) return -1;"), ("again", "if (n <= 5) return -1;"), ("much", "if (n < 7) return -1;")))
        candidates = self.poc(old, *new, "--", self.write("crash.bin", b"\x04abcd"), code=0)["candidates"]
        self.assertEqual([c["verdict"] for c in candidates], ["not refuted", "not refuted", "doubtful"])

    def test_numbers_around_a_block(self):
        """An input with a longer block is refused if another number does not follow, which counts what is around it."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int part(const unsigned char *block, unsigned size);
            int main(int c, char **v) {
                FILE *f = fopen(v[1], "rb");
                unsigned n = fgetc(f);
                unsigned char *block = malloc(n);
                if (fread(block, 1, n, f) != n) return 2;
                int all = fgetc(f) << 8;
                all |= fgetc(f);
                printf("%d\\n", part(block, n));
                return ftell(f) != all;
            }"""
        text = "int part(const unsigned char *block, unsigned size) { REPAIR return block[4] | block[5] << 8; }"
        old, fix, always = (self.build(name, text.replace("REPAIR", repair), driver=driver) for name, repair in (
            ("old", ""), ("fix", "if (size < 6) return -1;"), ("always", "return -1;")))
        fix, always = self.poc(old, fix, always, "--", self.write("crash.bin", b"\x04abcd\x00\x07"), code=0)["candidates"]
        self.assertEqual((fix["verdict"], always["verdict"], always["finding"], always["confirmed_by"]), ("not refuted", "doubtful", "regression", "input"))

    def test_libraries(self):
        def library(name, repair=""):
            subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", "-Wl,-soname,libstore.so", "-DREPAIR=" + repair, "-o", self.path(name), os.path.join(BOX, "store.c")], check=True)
            return self.path(name)
        crash = self.write("crash.txt", b"8 12 1\n")
        old, fix, value = library("old.so"), library("fix.so", "if (count > b->size) return -1;"), library("value.so", "if (count == 12) return -1;")
        subprocess.run(["gcc", "-g", "-O1", "-o", self.path("user"), os.path.join(BOX, "main.c"), old], check=True)
        doc = self.poc("--harness", self.path("user"), old, fix, value, "--", crash, code=0)
        self.assertEqual((doc["original"]["function"], doc["original"]["crash"]), ("store", "access out of bounds"))
        fix, value = doc["candidates"]
        self.assertEqual((fix["verdict"], fix["classes_wrong"]), ("not refuted", 0))
        self.assertEqual((value["verdict"], value["finding"], value["confirmed_by"], value["classes_wrong"]), ("refuted", "crash-same", "input", 1))
        # one that the library is nothing to
        none = self.build("none", "int main(void) { return 0; }")
        self.refused("poc", "--harness", none, old, self.path("fix.so"), "--", crash, says=["does not crash"])
        self.refused("poc", "--harness", none, "--snapshot", self.path("core"), old, self.path("fix.so"), "--", crash, says=["no state is kept"])

    def test_access_across_the_end_of_a_block(self):
        # compilers make one store of two bytes of the first two rounds
        text = "#include <stdlib.h>\nint f(const char *s, unsigned char n) { %s unsigned char room = n + 2; char *p = malloc(room); for (int i = 0; i < 3; i++) p[i] = s[i]; int r = p[0] + p[n]; free(p); return r; }"
        driver = "#include <stdlib.h>\nint f(const char *, unsigned char); int main(int c, char **v) { return atoi(v[1]) < 1 ? 2 : f(\"abcdefg\", atoi(v[1])); }"
        old, fix, value = [self.build(n, text % r, "-O2", driver=driver) for n, r in (("old", ""), ("fix", "if (n > 253) return -1;"), ("value", "if (n == 255) return -1;"))]
        doc = self.poc(old, value, "--", "255", code=1)
        self.assertEqual((doc["original"]["crash"], doc["original"]["place"]), ("access out of bounds", "f"))
        self.assertEqual(doc["candidates"][0]["finding"], "crash-same")
        self.assertNotEqual(json.loads(assay("poc", "--json", old, fix, "--", "255").out)["candidates"][0]["verdict"], "refuted")

    def test_null(self):
        text = """
            struct node { int value; struct node *next; };
            int last(struct node *n, int k) {
                while (k-- > 0) { %s n = n->next; }
                return %s n->value;
            }"""
        old = self.build("old", text % ("", ""), driver=self.LIST)
        fix = self.build("fix", text % ("if (!n) return -1;", "!n ? -1 :"), driver=self.LIST)
        value = self.build("value", text % ("if (!n && k == 1) return -1;", "!n ? -1 :"), driver=self.LIST)
        always = self.build("always", text % ("return -1;", "-1 +"), driver=self.LIST)
        self.assertEqual(self.verdicts(old, fix, value, always, "--", "3", "5", code=0),
                         [("not refuted", None), ("refuted", "crash-same"), ("refuted", "regression")])

    def test_shapes(self):
        """A repair that is right for lists as long as that of the proof of concept only."""
        text = """
            struct node { int value; struct node *next; };
            int last(struct node *n, int k) {
                %s
                while (k-- > 0) { %s n = n->next; }
                return n ? n->value : -1;
            }"""
        old = self.build("old", text % ("", ""), driver=self.LIST)
        fix = self.build("fix", text % ("", "if (!n) return -1;"), driver=self.LIST)
        three = self.build("three", text % ("if (k > 3 && n && n->next && n->next->next && !n->next->next->next) return -1;", ""), driver=self.LIST)
        args = (old, fix, three, "--", "3", "5")
        doc = self.poc(*args, code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "doubtful"])
        self.assertIn("n->next", doc["candidates"][1]["shape"])
        self.assertEqual(doc["candidates"][1]["confirmed_by"], "state")
        self.assertGreater(doc["original"]["shapes"], 3)
        self.assertIn("-k", doc["original"]["shapes_bound"])
        self.assertIn("in a state with", assay("poc", *args).out)
        self.assertEqual(self.verdicts("-k", "0", *args, code=0), [("not refuted", None)] * 2)
        self.assertEqual(self.poc("--uc", *args, code=0)["candidates"][1]["verdict"], "doubtful")
        self.assertEqual(self.poc("--rubric", "witness", *args, code=0)["candidates"][1]["verdict"], "refuted")
        for option in ("--no-order", "--no-concretise"):
            self.assertEqual(self.poc(option, *args, code=0)["candidates"][0]["verdict"], "not refuted")

    def test_function_pointers(self):
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            struct op { int (*run)(int); int x; };
            int twice(int x) { return 2 * x + 1; }
            int (*const table[])(int) = {twice};
            int use(struct op *o, int n);
            int main(int c, char **v) {
                struct op *o = malloc(sizeof *o);
                o->run = atoi(v[1]) ? table[0] : 0;
                o->x = 7;
                printf("%d\\n", use(o, atoi(v[2])));
                return 0;
            }"""
        text = """
            struct op { int (*run)(int); int x; };
            int use(struct op *o, int n) {
                %s
                int r = o->run ? o->run(n) : 1;
                if (n > 3) o = 0;
                return r + o->x;
            }"""
        old = self.build("old", text % "", driver=driver)
        fix = self.build("fix", text % "if (n > 3) return -1;", driver=driver)
        much = self.build("much", text % "if (n > 3 || o->run) return -1;", driver=driver)
        doc = self.poc(old, fix, much, "--", "0", "9", code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "doubtful"])
        self.assertEqual(doc["candidates"][1]["shape"], "o->run = a function")
        self.assertEqual(self.verdicts("--no-function-pointers", old, fix, much, "--", "0", "9", code=0), [("not refuted", None)] * 2)

    def test_errno(self):
        """Where the thread's errno is only the C library knows: that it is somewhere is no crash."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int f(int n, int v);
            int main(int c, char **v) { printf("%d\\n", f(atoi(v[1]), atoi(v[2]))); return 0; }"""
        text = "#include <errno.h>\nint slots[8] = {1}, after[40] = {1};\nint f(int n, int v) { errno = 0; %s slots[n] = v; return slots[v & 7] + after[v & 7] + errno; }"
        repairs = ("if (n < 0 || n > 7) { errno = EINVAL; return -1; }", "if (n == 12) return -1;")
        programs = [self.build("errno%d" % i, text % r, driver=driver) for i, r in enumerate(("",) + repairs)]
        doc = self.poc(*programs, "--", "12", "5", code=0)
        self.assertEqual(doc["original"]["crash"], "access out of bounds")
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "refuted"])

    def test_what_does_not_trap(self):
        """The processor lets it pass: checks of the executor find it, in the original, in candidates and for witnesses."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int f(int n, int v);
            int main(int c, char **v) { printf("%d\\n", f(atoi(v[1]), atoi(v[2]))); return 0; }"""
        around = "static int before[4] = {9, 9, 9, 9}, table[8] = {1, 2, 3, 4, 5, 6, 7, 8}, after[40] = {1};"
        for name, poc, kind, text, repairs in (
                ("index", ("12", "5"), "access out of bounds", around + "int f(int n, int v) { %s table[n] = v; return table[v & 3] + before[v & 3] + after[v & 3]; }",
                 ("if (n < 0 || n > 7) return -1;", "if (n == 12) return -1;", "if (n < 0 || n > 8) return -1;")),
                ("walk", ("12", "5"), "access out of bounds", around + "int f(int n, int v) { %s int *p = table; for (int k = 0; k < n; k++) *p++ = v + k; return table[3] + before[v & 3] + after[v & 3]; }",
                 ("if (n > 8) return -1;", "if (n == 12) return -1;", "if (n > 9) return -1;")),
                ("stack", ("20", "5"), "access out of bounds", "int f(int n, int v) { int b[16] = {0}, r = 0; %s for (int i = 0; i < n; i++) b[i] = v; for (int i = 0; i < 16; i++) r = r * 3 + b[i]; return r; }",
                 ("if (n > 16) return -1;", "if (n == 20) return -1;", "if (n > 17) return -1;")),
                ("division", ("12", "3"), "division by zero", "int f(int n, int v) { %s return n / (v - 3) + 1; }",
                 ("if (v == 3) return -1;", "if (n == 12) return -1;", "if (v == 4) return -1;"))):
            build = lambda i, repair: self.build("%s%d" % (name, i), text % repair, "-fno-stack-protector", driver=driver)
            doc = self.poc(build(0, ""), *(build(i + 1, r) for i, r in enumerate(repairs)), "--", *poc, code=0)
            self.assertEqual((doc["original"]["crash"], doc["original"]["call"]), (kind, 1))
            self.assertEqual([c["verdict"] for c in doc["candidates"]], ["proved" if name == "division" and platform.machine() == "aarch64" else "not refuted", "refuted", "refuted"], name)
            self.assertEqual([c["confirmed_by"] for c in doc["candidates"]], [None, "input", "input"])

    def test_proved(self):
        """All paths of all states were followed: for what is given in numbers and one object, not for buffers."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            struct range { int low, high; };
            int f(struct range *r, int x);
            int main(int c, char **v) {
                struct range *r = malloc(sizeof *r);
                r->low = atoi(v[1]); r->high = r->low + 10;
                printf("%d\\n", f(r, atoi(v[2])));
                return 0;
            }"""
        # a repair after which no assertion is left would have no text of it either: that is data
        text = "#define assert(c) do if (!(c)) *(volatile int *)8 = 1; while (0)\nstruct range { int low, high; };\nint f(struct range *r, int x) {\n%s\nassert(x >= r->low && x < r->high);\nreturn x - r->low;\n}"
        repairs = ("if (x < r->low || x >= r->high) return -1;", "if (x == 20) return -1;", "if (x < r->low || x >= r->high - 1) return -1;")
        old = self.build("old", text % "", driver=driver)
        args = (old, *(self.build("new%d" % i, text % r, driver=driver) for i, r in enumerate(repairs)), "--", "5", "20")
        page = self.path("page.html")
        doc = self.poc("--html", page, *args, code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["proved", "refuted", "refuted"])
        self.assertEqual((doc["verdict"], doc["summary"]["proved"], len(doc["ranking"])), ("proved", 1, 1))
        self.assertEqual(doc["original"]["graph"]["objects"],
                         [{"name": "r", "type": "struct range", "where": "heap", "bytes": 8, "symbolic_bytes": 8, "leaf": True, "size_kept": False}])
        self.assertIn("old.c:", doc["candidates"][1]["paths"]["original"])
        self.assertIn("new1.c:", doc["candidates"][1]["paths"]["candidate"])
        html = read(page).decode()
        for part in ("<svg", "8/8 symbolic", "<h2>The snapshot</h2>", "The ways of the two", "struct range", "all (8)", "refuted"):
            self.assertIn(part, html)
        sarif = json.loads(assay("poc", "--sarif", *args).out)["runs"][0]["results"]
        self.assertEqual([r["ruleId"] for r in sarif], ["poc/refuted"] * 2)
        self.assertIn("still crashes", sarif[0]["message"]["text"])
        # nor is output a proof: whether the library may read what it is given is not checked
        for output, reasons in (("fflush(0);", ["what output reads is not checked"]),
                                ('fputs("called\\n", stderr);', ["memory is read that is kept as it was", "how objects point to each other is kept"])):
            old, new = (self.build(name, "#include <stdio.h>\n" + text % (output + repair), driver=driver) for name, repair in (("old", ""), ("new", repairs[0])))
            (c,) = self.poc(old, new, "--", "5", "20", code=0)["candidates"]
            self.assertEqual(c["verdict"], "not refuted")
            self.assertIn(c["not_proved_because"], reasons)
        # what is kept of the snapshot is no proof
        crash = self.write("crash.txt", b"8 12 1\n")
        doc = self.poc(self.store("box"), self.store("fix", "if (count > b->size) return -1;"), "--", crash, code=0)
        self.assertEqual((doc["candidates"][0]["verdict"], doc["candidates"][0]["not_proved_because"] is not None), ("not refuted", True))

    def test_changes_beside_the_function(self):
        """What is proved of a function is proved of the candidate only if nothing else differs."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int f(unsigned n, int v);
            int g(int);
            extern int limit;
            int main(int c, char **v) { printf("%d %d\\n", limit + g(atoi(v[2])), f(atoi(v[1]), atoi(v[2]))); return 0; }"""
        text = """
            static const unsigned char t[4] = {1, 2, 3, %s};
            int limit = %s;
            int g(int x) { return %s; }
            int f(unsigned n, int v) { %s return t[n & 3] + 100 / v; }"""
        build = lambda name, table="4", limit="8", g="x * 3", repair="if (!v) return -1;": self.build(name, text % (table, limit, g, repair), driver=driver)
        all = [build("fix"), build("table", table="5"), build("data", limit="4"), build("other", g="x == 9 ? 1 : x * 3")]
        candidates = self.poc(build("old", repair=""), *all, "--", "5", "0", code=0)["candidates"]
        data = "the candidate changes data beside the function"
        # not every processor traps a division by zero
        self.assertIn(candidates[0]["verdict"], ("proved", "not refuted"))
        for c in candidates[1:]:
            self.assertEqual(c["verdict"], "not refuted")
        if candidates[0]["verdict"] == "proved":
            self.assertEqual([c["not_proved_because"] for c in candidates[1:]],
                             [data, data, "the candidate changes another function beside the one that crashes"])

    def test_regression_by_branches(self):
        """A guard that returns what the original would have returned is another way, and no other output."""
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int f(int x, int y);
            int main(int c, char **v) { printf("%d\\n", f(atoi(v[1]), atoi(v[2]))); return 0; }"""
        text = "int f(int x, int y) {\n%s\nif (y == 3) *(volatile int *)8 = 1;\nif (x > 5) __asm__ volatile(\"nop\\n nop\\n nop\");\nreturn y + 7;\n}"
        old = self.build("old", text % "", driver=driver)
        fix = self.build("fix", text % "if (y == 3) return -1;", driver=driver)
        way = self.build("way", text % "if (y == 3) return -1; if (x > 7) return y + 7;", driver=driver)
        verdicts = lambda *options: [c["verdict"] for c in self.poc(*options, old, fix, way, "--", "1", "3", code=0)["candidates"]]
        self.assertEqual(verdicts(), ["proved", "proved"])
        self.assertEqual(verdicts("--regression", "branches"), ["not refuted", "doubtful"])
        self.assertEqual(verdicts("--regression", "both"), ["proved", "doubtful"])

    def test_freed_and_asserted(self):
        driver = """
            #include <stdio.h>
            #include <stdlib.h>
            int take(char *p, int how);
            int main(int c, char **v) {
                char *p = malloc(10);
                p[0] = 7;
                printf("%d\\n", take(p, atoi(v[1])));
                return 0;
            }"""
        text = """
            #include <assert.h>
            #include <stdlib.h>
            int take(char *p, int how) {
                %s
                if (how & 4) free(p);
                assert(how != 3);
                int x = how & 1 ? p[0] : 9;
                if (how & 2) free(p);
                return x;
            }"""
        old = self.build("old", text % "", driver=driver)
        fix = self.build("fix", text % "if (how & 4) how &= ~3;", driver=driver)
        half = self.build("half", text % "if ((how & 5) == 5) how &= ~1;", driver=driver)
        doc = self.poc(old, fix, half, "--", "5", code=0)
        self.assertEqual(doc["original"]["crash"], "use after free")
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")
        doc = self.poc(old, fix, half, "--", "6", code=0)
        self.assertEqual(doc["original"]["crash"], "invalid free")
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "refuted"])
        doc = self.poc(old, self.build("three", text % "if (how == 3) return 0;", driver=driver), "--", "3", code=0)
        self.assertEqual(doc["original"]["crash"], "assertion")

    def test_other_machines(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        for triple, emulator in (("i686-linux-gnu", "qemu-i386"), ("arm-linux-gnueabihf", "qemu-arm")):
            repairs = {"old": "", "fix": "if (count > b->size) return -1;", "one": "if (count > b->size + 1) return -1;"}
            for name, repair in repairs.items():
                subprocess.run([triple + "-gcc", "-g", "-O1", "-DREPAIR=" + repair, "-o", self.path(name),
                                os.path.join(BOX, "store.c"), os.path.join(BOX, "main.c")], check=True)
            doc = self.poc("--run-timeout", "100s", "--emulator", emulator + " -L /usr/" + triple, self.path("old"), self.path("fix"),
                           self.path("one"), "--", crash, code=0)
            self.assertEqual(doc["original"]["crash"], "access out of bounds")
            self.assertEqual([(c["verdict"], c["confirmed_by"]) for c in doc["candidates"]], [("not refuted", None), ("refuted", "input")])
            self.refused("poc", self.path("old"), self.path("fix"), "--", crash, says=["--emulator"])
            # an emulator does not say which address it was
            for name, repair in (("none", ""), ("test", "if (!n) return -1;")):
                source = self.write(name + ".c", ("int f(int *n, int k) { %s return n[k & 1]; }" % repair).encode())
                main = self.write("main.c", b"#include <stdlib.h>\nint f(int *, int); int main(int c, char **v) { static int x[2] = {3, 4}; return f(v[1][0] == 'x' ? 0 : x, c); }")
                subprocess.run([triple + "-gcc", "-g", "-O1", "-o", self.path(name), source, main], check=True)
            doc = self.poc("--run-timeout", "100s", "--emulator", emulator + " -L /usr/" + triple, self.path("none"), self.path("test"), "--", "x", code=0)
            self.assertEqual(doc["original"]["crash"], "null pointer")
            # ARM has no instruction for it: a function divides
            for name, repair in (("none", ""), ("zero", "if (k == 3) return -1;"), ("other", "if (n == 12) return -1;")):
                source = self.write(name + ".c", ("int f(int n, int k) { %s return n / (k - 3); }" % repair).encode())
                main = self.write("main.c", b"#include <stdio.h>\n#include <stdlib.h>\nint f(int, int); int main(int c, char **v) { printf(\"%d\\n\", f(atoi(v[1]), atoi(v[2]))); return 0; }")
                subprocess.run([triple + "-gcc", "-g", "-O1", "-o", self.path(name), source, main], check=True)
            doc = self.poc("--run-timeout", "100s", "--emulator", emulator + " -L /usr/" + triple, *map(self.path, ("none", "zero", "other")), "--", "12", "3", code=0)
            self.assertEqual(doc["original"]["crash"], "division by zero")
            self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "refuted"])
        self.refused("poc", "--emulator", "/bin/false", self.path("old"), self.path("fix"), "--", crash, says=["does not answer"])

    def test_narrow_machine(self):
        """Addresses wrap around, the stack protector's guard is found through a segment, and a table's address has the first index taken off;
        where an element is, more than one instruction says."""
        i386, arm = "i686-linux-gnu qemu-i386", "arm-linux-gnueabihf qemu-arm"
        local = "int f(int n, int v) { int b[6] = {1, 2, 3, 4, 5, 6}; %s b[n] = v; int r = 0; for (int i = 0; i < 6; i++) r = r * 5 + b[i]; return r; }"
        cases = (
            (i386, "guarded", "int f(int n, int v) { int b[6] = {v, v}, r = 0; %s for (int i = 0; i < 6; i++) r += b[n] + i; return r + v / (n - 3); }", "-fstack-protector-all",
             ("3", "5"), "division by zero", "if (n < 0 || n >= 6 || n == 3) return -1;", "if (v == 5) return -1;"),
            (i386, "wraps", "int other[8] = {5, 4, 3}, table[8] = {1, 2, 3, 4, 5, 6, 7, 8}, behind[64] = {1};\nint f(int n, int v) { %s table[n] = v; return table[0] + other[v & 7] + behind[v & 7]; }", "-O2",
             ("12", "5"), "access out of bounds", "if (n < 0 || n > 7) return -1;", "if (n == 12) return -1;"),
            (i386, "counts", "int other[8] = {5}, table[8] = {1}, behind[64] = {1};\nstatic int top;\nint f(int n, int v) { int r = 0; for (int k = 0; k < n; k++) { %s table[top++] = v; r += top; } return r + other[2] + behind[3]; }", "-O2",
             ("11", "5"), "access out of bounds", "if (top >= 8) return -1;", "if (n > 5000) return -1;"),
            (i386, "frame", local, "-O0", ("7", "4"), "access out of bounds", "if (n < 0 || n > 5) return -1;", "if (n == 7) return -1;"),
            (arm, "local", local, "-O2", ("7", "4"), "access out of bounds", "if (n < 0 || n > 5) return -1;", "if (n == 7) return -1;"))
        driver = """#include <stdio.h>
            #include <stdlib.h>
            int f(int n, int v);
            int main(int c, char **v) { printf("%d\\n", f(atoi(v[1]), atoi(v[2]))); return 0; }"""
        self.write("driver.c", driver.encode())
        for machine, name, text, flag, poc, kind, right, wrong in cases:
            triple, emulator = machine.split()
            for suffix, repair in (("old", ""), ("right", right), ("wrong", wrong)):
                self.write(name + suffix + ".c", (text % repair).encode())
                subprocess.run([triple + "-gcc", "-g", "-O1", "-w", flag, "-o", self.path(name + suffix), self.path(name + suffix + ".c"), self.path("driver.c")], check=True)
            programs = [self.path(name + suffix) for suffix in ("old", "right", "wrong")]
            doc = json.loads(assay("poc", "--json", "--run-timeout", "100s", "--emulator", emulator + " -L /usr/" + triple, *programs, "--", *poc).out)
            self.assertEqual(doc["original"]["crash"], kind, name)
            self.assertNotEqual(doc["candidates"][0]["verdict"], "refuted", name)
            self.assertEqual(doc["candidates"][1]["verdict"], "refuted", name)
            if text is local:
                self.assertIn("n < -0x20000000", doc["candidates"][1]["condition"])

    def test_gdbserver(self):
        """It runs programs as the processor does, says nothing in their name, and hands on arguments as they are."""
        text = "int f(int *t, int n, int v) { %s for (int i = 0; i < n; i++) t[i] = v; return t[0] + t[3]; }"
        driver = """#include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            int f(int *, int, int);
            int main(int c, char **v) {
                if (c != 3 || strcmp(v[1], "a 'b' $c")) return 9;
                fprintf(stderr, "%d\\n", f(calloc(4, sizeof(int)), atoi(v[2]), 5));
                return 0;
            }"""
        old, fix, one = (self.build(name, text % repair, driver=driver) for name, repair in
                         (("old", ""), ("fix", "if (n > 4) return -1;"), ("one", "if (n > 5) return -1;")))
        asked = (old, fix, one, "--", "a 'b' $c", "9")
        natively = self.poc(*asked, code=0)
        self.assertEqual([c["verdict"] for c in natively["candidates"]], ["not refuted", "refuted"])
        self.assertEqual(self.poc("--run-timeout", "100s", "--emulator", "gdbserver", *asked, code=0), natively)
        self.refused("poc", "--emulator", self.path("gdbserver"), *asked, says=["as gdbserver does"])

    def test_what_cannot_be_asked(self):
        crash, fine = self.write("crash.txt", b"8 12 1\n"), self.write("fine.txt", b"8 3 1\n")
        old, fix = self.store("old"), self.store("fix", "if (count > b->size) return -1;")
        self.refused("poc", old, fix, "--", fine, says=["does not crash on the proof of concept"])
        self.refused("poc", old, old, "--", crash, says=["no candidate changes a function"])
        self.refused("poc", "--func", "nothing", old, fix, "--", crash, says=["nothing"])
        self.refused("poc", old, self.path("crash.txt"), "--", crash)
        self.refused("poc", old, says=["no candidates"])
        away = self.build("away", "int f(int x) { return x + 1; }", driver="#include <stdlib.h>\nint f(int); int main(void) { if (f(1) == 2) abort(); return 0; }")
        other = self.build("other", "int f(int x) { return x * 2; }", driver="#include <stdlib.h>\nint f(int); int main(void) { if (f(1) == 2) abort(); return 0; }")
        self.refused("poc", away, other, "--", says=["is not below a call of what was changed"])
        fork = "#include <unistd.h>\n#include <stdlib.h>\nint f(int); int main(void) { fork(); return f(1); }"
        self.refused("poc", self.build("forks", "int f(int x) { return x + 1; }", driver=fork),
                     self.build("forks2", "int f(int x) { return x + 2; }", driver=fork), "--", says=["makes other processes"])
        hang = "int f(int); int main(void) { for (;;) f(1); }"
        self.refused("poc", "--run-timeout", "300ms", self.build("hangs", "int f(int x) { return x + 1; }", driver=hang),
                     self.build("hangs2", "int f(int x) { return x + 2; }", driver=hang), "--", says=["hangs"])

    def test_bad_candidates_are_a_line_each(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        old, fix = self.store("old"), self.store("fix", "if (count > b->size) return -1;")
        hangs = self.store("hangs", "while (count > b->size) ;")
        kills = self.store("kills", "extern int kill(int, int); kill(0, 9);")
        forks = self.store("forks", "extern int fork(void); fork();")
        eats = self.store("eats", "extern void *sbrk(long); extern void abort(void); if (count > b->size) { if (sbrk(2L << 30) == (void *)-1) abort(); return -1; }")
        writes = self.store("writes", "extern int open(const char *, int, ...); extern long write(int, const void *, long); static char block[1 << 20]; "
                            "int fd = open(\"much\", 0101, 0600); while (count > b->size && write(fd, block, 1 << 20) > 0) ; if (count > b->size) return -1;")
        doc = self.poc("--run-timeout", "2s", "--run-memory", "1G", "--run-output", "4M", old, hangs, kills, fix, self.path("crash.txt"), forks, eats, writes, "--",
                       crash, code=0)
        verdicts = [c["verdict"] for c in doc["candidates"]]
        self.assertEqual(verdicts[:6], ["unknown", "unknown", "not refuted", "unknown", "unknown", "refuted"])
        self.assertIn("killed by signal 9", doc["candidates"][1]["reason"])
        self.assertIn("hangs", doc["candidates"][0]["reason"])
        self.assertIn("makes other processes", doc["candidates"][4]["reason"])
        self.assertEqual(len(verdicts), 7)
        self.assertIn("limit of output", doc["candidates"][6]["reason"])

    def test_interrupted(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        old, fix = self.store("old"), self.store("fix", "if (count > b->size) return -1;")
        hangs = self.store("hangs", "extern char *getcwd(char *, long); extern int open(const char *, int, ...); extern long write(int, const void *, long); "
                           "char here[200] = {0}; getcwd(here, 200); int fd = open(\"%s\", 0101, 0600); write(fd, here, 200); "
                           "extern int mkdir(const char *, int); mkdir(\"left\", 0); while (count > b->size) ;" % self.path("where"))
        for wait in limits(1000):
            p = subprocess.Popen([ASSAY, "poc", "--json", "--jobs", "1", "--run-timeout", "600s", old, fix, hangs, "--", crash],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                p.wait(wait / 1000)
            except subprocess.TimeoutExpired:
                pass
            p.send_signal(signal.SIGINT)
            out, err = p.communicate()
            self.assertEqual(p.returncode, 3, err)
            doc = json.loads(out)
            self.assertEqual([c["file"] for c in doc["candidates"]], [fix, hangs])
            self.assertEqual((doc["candidates"][1]["verdict"], doc["candidates"][1]["reason"]), ("unknown", "interrupted"))
            if doc["candidates"][0]["verdict"] != "unknown":
                break
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")
        if os.path.exists(self.path("where")):
            self.assertFalse(os.path.exists(read(self.path("where")).rstrip(b"\0").decode()))


main()
