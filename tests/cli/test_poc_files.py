# SPDX-License-Identifier: GPL-3.0-or-later
"""assay poc on what has to be made a program first: object files, packages."""
import subprocess

from poc_common import *

FIX, ONE = "if (count > b->size) return -1;", "if (count > b->size + 1) return -1;"


class Objects(PocTest):
    def setUp(self):
        super().setUp()
        self.crash = self.write("crash.txt", b"8 12 1\n")
        self.main = self.object("main.o", "main.c")
        self.link = "gcc -o {} {object} %s" % self.main

    def object(self, name, source="store.c", repair="", gcc="gcc"):
        subprocess.run([gcc, "-g", "-O1", "-c", "-DREPAIR=" + repair, "-o", self.path(name), os.path.join(BOX, source)], check=True)
        return self.path(name)

    def test_linked(self):
        """The names of object files mean nothing to the shell."""
        old, fix, one = self.object("old $(false)'.o"), self.object("fix.o", repair=FIX), self.object("one;.o", repair=ONE)
        doc = self.poc("--link", self.link, old, fix, one, "--", self.crash, code=0)
        self.assertEqual((doc["original"]["file"], doc["original"]["function"], doc["original"]["crash"]), (old, "store", "access out of bounds"))
        self.assertEqual([(c["file"], c["verdict"], c["confirmed_by"]) for c in doc["candidates"]],
                         [(fix, "not refuted", None), (one, "refuted", "input")])
        # relative names in the command are those of the user
        r = assay("poc", "--json", "--link", "gcc -o {} {object} main.o", "old $(false)'.o", "fix.o", "--", self.crash, cwd=self.dir.name)
        self.assertEqual(r.code, 0, r.err)

    def test_linked_as_libraries(self):
        old, fix = self.object("old.o"), self.object("fix.o", repair=FIX)
        subprocess.run(["gcc", "-shared", "-Wl,-soname,libstore.so", "-o", self.path("libstore.so"), old], check=True)
        subprocess.run(["gcc", "-o", self.path("user"), self.main, self.path("libstore.so")], check=True)
        doc = self.poc("--link", "gcc -shared -Wl,-soname,libstore.so -o {} {object}", "--harness", self.path("user"), old, fix, "--", self.crash, code=0)
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")

    def test_diffs_of_objects(self):
        """A diff may be built as an object file, too."""
        old = self.object("old.o")
        diff = self.write("fix.diff", b"--- a/store.c\n+++ b/store.c\n@@ -11,1 +11,1 @@\n-    REPAIR\n+    if (count > b->size) return -1;\n")
        doc = self.poc("--link", self.link, "--patch", diff, "--source", BOX, "--cc", "gcc -g -O1 -c -o {} store.c", old, "--", self.crash, code=0)
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")

    def test_what_cannot_be_linked(self):
        old, fix = self.object("old.o"), self.object("fix.o", repair=FIX)
        missing = self.object("missing.o", repair="extern int nowhere(void); if (count > b->size) return nowhere();")
        arm = self.object("arm.o", gcc="arm-linux-gnueabihf-gcc", repair=FIX)
        other = self.object("main2.o", "main.c")
        # of a candidate: it is unknown, with the first error
        doc = self.poc("--link", self.link, old, missing, fix, arm, other, "--", self.crash, code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["unknown", "not refuted", "unknown", "unknown"])
        self.assertRegex(doc["candidates"][0]["reason"], "missing.o cannot be linked: .*undefined reference to .nowhere")
        self.assertRegex(doc["candidates"][2]["reason"], "arm.o is for .*, and .*old.o is for ")
        self.assertRegex(doc["candidates"][3]["reason"], "main2.o cannot be linked: .*multiple definition")
        self.assertNotIn("/tmp/assay-run", json.dumps(doc))
        # of the original, or of all candidates
        self.refused("poc", "--link", self.link, missing, fix, "--", self.crash, says=["missing.o cannot be linked", "nowhere"])
        self.refused("poc", "--link", self.link, old, missing, "--", self.crash, says=["missing.o cannot be linked", "nowhere"])
        self.refused("poc", "--link", "gcc -o {} {object} " + self.path("nosuch.o"), old, fix, "--", self.crash, says=["old.o cannot be linked", "nosuch.o"])
        self.refused("poc", "--link", "true {} {object}", old, fix, "--", self.crash, says=["old.o cannot be linked", "does not write {}"])
        self.refused("poc", "--link", "ld -r -o {} {object}", old, fix, "--", self.crash, says=["old.o", "no program"])
        self.refused("poc", "--build-timeout", "100ms", "--link", "sleep 1000; true {} {object}", old, fix, "--", self.crash, says=["old.o is not linked after", "--build-timeout"])
        # without a command that links
        self.refused("poc", old, fix, "--", self.crash, says=["old.o is an object file", "--link"])
        doc = self.poc(self.store("old"), fix, self.store("fix", FIX), "--", self.crash, code=0)
        self.assertIn("--link", doc["candidates"][0]["reason"])
        self.refused("poc", "--link", "gcc main.o", old, fix, "--", self.crash, says=["{object}"])
        # objects of another machine need somebody to run them
        arms = [self.object(n + "-arm.o", s, r, "arm-linux-gnueabihf-gcc") for n, s, r in (("main", "main.c", ""), ("old", "store.c", ""), ("fix", "store.c", FIX))]
        link = "arm-linux-gnueabihf-gcc -o {} {object} " + arms[0]
        self.refused("poc", "--link", link, *arms[1:], "--", self.crash, says=["old-arm.o is for", "--emulator"])
        doc = self.poc("--run-timeout", "100s", "--link", link, "--emulator", "qemu-arm -L /usr/arm-linux-gnueabihf", *arms[1:], "--", self.crash, code=0)
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")


main()
