# SPDX-License-Identifier: GPL-3.0-or-later
"""assay poc on what has to be made a program first, object files and packages; and what verify says of candidates."""
import io
import platform
import re
import subprocess
import tarfile

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

    def test_members_of_archives(self):
        for name, repair in (("old", ""), ("fix", FIX)):
            subprocess.run(["ar", "rc", self.path(name + ".a"), self.object("store.o", repair=repair), self.main], check=True)
        doc = self.poc("--link", self.link, self.path("old.a") + "(store.o)", self.path("fix.a") + ":store.o", "--", self.crash, code=0)
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")
        doc = self.poc("--link", self.link, "--member", "store.o", self.path("old.a"), self.path("fix.a"), "--", self.crash, code=0)
        self.assertEqual(doc["candidates"][0]["verdict"], "not refuted")
        self.refused("poc", "--link", self.link, self.path("old.a"), self.path("fix.a"), "--", self.crash, says=["2 object files", "--member", "main.o, store.o"])

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


class Packages(PocTest):
    LIBS = "usr/lib/%s-linux-gnu" % platform.machine()

    def setUp(self):
        super().setUp()
        self.crash = self.write("crash.txt", b"8 12 1\n")

    def package(self, name, files):
        """A .deb of files by their paths: contents, or where a link leads to. All of it is set-user-ID."""
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:xz") as t:
            for path, content in files.items():
                info = tarfile.TarInfo(path)
                info.mode = 0o6755
                if isinstance(content, str):
                    info.type, info.linkname = tarfile.SYMTYPE, content
                    t.addfile(info)
                else:
                    info.size = len(content)
                    t.addfile(info, io.BytesIO(content))
        self.write("debian-binary", b"2.0\n")
        self.write("data.tar.xz", data.getvalue())
        path = self.path(name)
        subprocess.run(["ar", "rc", path, "debian-binary", "data.tar.xz"], cwd=self.dir.name, check=True)
        return path

    def compile(self, *args, repair="", gcc="gcc"):
        """The bytes of what gcc makes."""
        subprocess.run([gcc, "-g", "-O1", "-w", "-DREPAIR=" + repair, "-o", self.path("made"), *args], check=True, cwd=BOX)
        return read(self.path("made"))

    def program(self, repair=""):
        return self.compile("store.c", "main.c", repair=repair)

    def library(self, repair="", **more):
        return self.compile("-shared", "-fPIC", "-Wl,-soname,libstore.so.1", "store.c", repair=repair, **more)

    def user(self):
        """A program of the library."""
        self.write("libstore.so.1", self.library())
        return self.compile("main.c", self.path("libstore.so.1"))

    def needing(self, *flags, repair="", gcc="gcc"):
        """A program that stores by itself, but needs a library of its package to begin; and that library."""
        library = self.write("libhelp.so.1", self.compile("-shared", "-fPIC", "-Wl,-soname,libhelp.so.1", self.write("help.c", b"int help(void) { return 1; }"), gcc=gcc))
        use = self.write("use.c", b"#include <stdlib.h>\nint help(void); __attribute__((constructor)) static void begin(void) { if (help() != 1) exit(3); }")
        return self.compile("store.c", "main.c", use, library, *flags, repair=repair, gcc=gcc), read(library)

    def test_programs(self):
        """Of a package with one program that is asked about; what it is allowed to do stays behind."""
        main = self.write("main.c", b"""
            #include <sys/stat.h>
            #define main inner
            #include "%s"
            #undef main
            int main(int n, char **v) { struct stat st; return stat("/proc/self/exe", &st) || st.st_mode & 07077 ? 9 : inner(n, v); }
            """ % os.path.join(BOX, "main.c").encode())
        old, fix, one = (self.package(n + ".deb", {"./usr/bin/store": self.compile("-I.", "store.c", main, repair=r), "./usr/share/doc/readme": b"none"})
                         for n, r in (("old", ""), ("fix", FIX), ("one", ONE)))
        doc = self.poc(old, fix, one, "--", self.crash, code=0)
        self.assertEqual((doc["original"]["file"], doc["original"]["crash"]), (old, "access out of bounds"))
        self.assertEqual([(c["file"], c["verdict"]) for c in doc["candidates"]], [(fix, "not refuted"), (one, "refuted")])
        self.assertNotIn("/tmp/assay-run", json.dumps(doc))
        # by name, as an option and as other commands have it
        for args in (["--member", "usr/bin/store", old, fix], ["--member", "store", old, fix], [old + ":usr/bin/store", fix + ":store"]):
            self.poc(*args, "--", self.crash, code=0)
        # candidates need not be packages, and packages need not be compressed
        with tarfile.open(old.replace("old.deb", "data.tar.xz")) as t:
            t.extractall(self.path("tree"), filter="data")
        os.chmod(self.path("tree/usr/bin/store"), 0o700)
        self.assertEqual(self.verdicts(old, self.path("tree"), self.path("tree/usr/bin/store"), "--", self.crash, code=1), [("refuted", "crash-same")] * 2)

    def test_own_libraries(self):
        """Libraries of a package are found before the system's, through its links, and where the program says."""
        for dir, flags in ((self.LIBS, []), ("lib", []), ("usr/lib/store", ["-Wl,-rpath,/usr/lib/store"]), ("usr/lib/store", ["-Wl,-rpath,$ORIGIN/../lib/store"])):
            names = []
            for name, repair in (("old", ""), ("fix", FIX), ("one", ONE)):
                program, library = self.needing(*flags, repair=repair)
                names.append(self.package(name + ".deb", {"./usr/bin/store": program, "./%s/libhelp.so.1.0" % dir: library, "./%s/libhelp.so.1" % dir: "libhelp.so.1.0"}))
            self.assertEqual(self.verdicts(*names, "--", self.crash, code=0), [("not refuted", None), ("refuted", "crash-same")], (dir, flags))
        # a program that is in no package has those of the original
        self.assertEqual(self.verdicts(names[0], self.write_program("plain", self.needing(repair=FIX)[0]), "--", self.crash, code=0), [("not refuted", None)])

    def write_program(self, name, data):
        os.chmod(self.write(name, data), 0o755)
        return self.path(name)

    def test_changed_libraries(self):
        """The library is asked about; a program of the package, or another one, loads it."""
        old, fix, one = (self.package(n + ".deb", {"./%s/libstore.so.1.0" % self.LIBS: self.library(r), "./%s/libstore.so.1" % self.LIBS: "libstore.so.1.0", "./usr/bin/user": self.user()})
                         for n, r in (("old", ""), ("fix", FIX), ("one", ONE)))
        user = self.write_program("user", self.user())
        os.unlink(self.path("libstore.so.1"))
        for harness, member in ((user, []), (old + ":usr/bin/user", ["--member", self.LIBS + "/libstore.so.1"]), (old, ["--member", "libstore.so.1.0"])):
            self.assertEqual(self.verdicts("--harness", harness, *member, old, fix, one, "--", self.crash, code=0), [("not refuted", None), ("refuted", "crash-same")])
        self.refused("poc", "--harness", self.path("nosuch"), old, fix, "--", self.crash, says=["nosuch: No such file"])
        self.refused("poc", "--harness", old + ":usr/bin/nosuch", old, fix, "--", self.crash, says=["no member usr/bin/nosuch"])
        self.refused("poc", "--member", "libstore.so.1.0", old, fix, "--", self.crash, says=["old.deb is a library", "--harness"])

    def test_other_machines(self):
        gcc = "arm-linux-gnueabihf-gcc"
        def package(name, repair):
            program, library = self.needing(repair=repair, gcc=gcc)
            return self.package(name, {"./usr/lib/arm-linux-gnueabihf/libhelp.so.1": library, "./usr/bin/store": program})
        old, fix = package("old.deb", ""), package("fix.deb", FIX)
        self.refused("poc", old, fix, "--", self.crash, says=["old.deb is for", "--emulator"])
        self.assertEqual(self.verdicts("--run-timeout", "100s", "--emulator", "qemu-arm -L /usr/arm-linux-gnueabihf", old, fix, "--", self.crash, code=0), [("not refuted", None)])
        native = self.package("native.deb", {"./usr/bin/user": self.program(FIX)})
        self.refused("poc", "--emulator", "qemu-arm -L /usr/arm-linux-gnueabihf", old, native, "--", self.crash, says=["native.deb"])

    def test_what_has_no_program(self):
        program, library = self.program(), self.library()
        old, fix = self.package("old.deb", {"./usr/bin/store": program}), self.package("fix.deb", {"./usr/bin/store": self.program(FIX)})
        self.refused("poc", "--member", "usr/bin/other", old, fix, "--", self.crash, says=["old.deb", "no member usr/bin/other", "usr/bin/store"])
        several = self.package("several.deb", {"./usr/bin/store": program, "./usr/bin/other": program, "./usr/lib/libstore.so": library})
        self.refused("poc", several, fix, "--", self.crash, says=["several.deb: contains 2 programs", "--member", "usr/bin/other, usr/bin/store"])
        self.poc("--member", "usr/bin/store", several, fix, "--", self.crash, code=0)
        only = self.package("only.deb", {"./usr/lib/libstore.so": library})
        self.refused("poc", only, fix, "--", self.crash, says=["only.deb: no program", "--member", "--harness", "usr/lib/libstore.so"])
        none = self.package("none.deb", {"./usr/share/doc/readme": b"none", "./usr/bin/script": b"#!/bin/sh\n"})
        self.refused("poc", none, fix, "--", self.crash, says=["none.deb: no programs"])
        self.refused("poc", "--member", "usr/bin/script", none, fix, "--", self.crash, says=["none.deb", "usr/bin/script is not an ELF file"])
        # of a candidate: a line in the report
        doc = self.poc(old, none, several, fix, "--", self.crash, code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["unknown", "unknown", "not refuted"])
        self.assertIn("no programs", doc["candidates"][0]["reason"])
        self.assertIn("2 programs", doc["candidates"][1]["reason"])
        self.refused("poc", "--member", "usr/bin/store", self.store("old"), self.store("fix", FIX), "--", self.crash, says=["usr/bin/store", "package"])
        # a library that is nowhere
        missing = [self.package(n + ".deb", {"./usr/bin/store": self.needing(repair=r)[0]}) for n, r in (("old", ""), ("fix", FIX))]
        self.refused("poc", *missing, "--", self.crash, says=["exits with 127", "libhelp.so.1"])

    def test_what_leads_out(self):
        program, fix = self.program(), self.package("fix.deb", {"./usr/bin/store": self.program(FIX)})
        up = "../" * 12 + self.path("evil").lstrip("/")
        for path in (up, "./usr/bin/" + up, self.path("evil") + "/../evil"):
            evil = self.package("evil.deb", {"./usr/bin/store": program, path: self.library()})
            self.refused("poc", evil, fix, "--", self.crash, says=["evil.deb: cannot unpack", "leads out of it"])
            self.assertFalse(os.path.exists(self.path("evil")))
        deep = self.package("deep.deb", {"./usr/bin/store": program, "./" + "a/" * 300 + "lib.so": self.library()})
        self.refused("poc", deep, fix, "--", self.crash, says=["deep.deb: cannot unpack", "too long"])
        # links lead to where they would if the package was a system
        os.mkdir(self.path("real"))
        program_of, library = self.needing()
        os.chmod(self.write("real/libhelp.so.1", library), 0o755)
        for to in (self.path("real/libhelp.so.1"), "../" * 12 + self.path("real/libhelp.so.1").lstrip("/")):
            old = self.package("old.deb", {"./usr/bin/store": program_of, "./%s/libhelp.so.1" % self.LIBS: to})
            self.refused("poc", old, fix, "--", self.crash, says=["exits with 127", "libhelp.so.1"])
        # what is behind a link to somewhere else is written into the package
        for link in (self.path("real"), "../../../../.." + self.path("real")):
            old = self.package("old.deb", {"./usr/lib": link, "./usr/lib/libmore.so": self.library(), "./usr/bin/store": program})
            self.poc(old, fix, "--", self.crash, code=0)
            self.assertEqual(os.listdir(self.path("real")), ["libhelp.so.1"])
        self.refused("poc", self.package("link.deb", {"./usr/bin/store": self.path("real/libhelp.so.1")}), fix, "--", self.crash, says=["link.deb: no programs"])


class Verified(PocTest):
    """What assay verify says of candidates, below their verdicts."""

    def test_differences(self):
        crash = self.write("crash.txt", b"8 12 1\n")
        old, fix, clip, same = self.store("old"), self.store("fix", FIX), self.store("clip", "if (count > b->size) count = b->size;"), self.store("same", FIX)
        page = self.path("page.html")
        args = [old, fix, clip, same, self.path("nosuch"), "--", crash]
        doc = self.poc("--verify", "--html", page, *args, code=0)
        plain = self.poc(*args, code=0)
        for c, p in zip(doc["candidates"], plain["candidates"]):
            self.assertIsNone(p["verify"])
            self.assertEqual({**c, "verify": None}, p)
        # the same as the command says
        for c in doc["candidates"][:2]:
            own = json.loads(assay("verify", "--json", old, c["file"]).out)
            for name in ("verdict", "summary", "headline"):
                self.assertEqual(c["verify"][name], own[name])
            self.assertEqual(c["verify"]["files"][0]["functions"], own["files"][0]["functions"])
            self.assertEqual((c["verify"]["input"]["old"], c["verify"]["input"]["new"]), (old, c["file"]))
        verified = [c["verify"] for c in doc["candidates"]]
        self.assertEqual([v["verdict"] for v in verified[:3]], ["safe", "unsafe", "safe"])
        self.assertEqual(verified[2], verified[0])
        self.assertIsNone(verified[3])
        self.assertEqual([r["when"] for r in verified[0]["files"][0]["functions"][0]["now_rejects"]], ["b->size < count"])
        self.assertTrue(verified[1]["files"][0]["functions"][0]["differences"])
        # for people
        out = assay("poc", "--verify", *args).out
        self.assertIn("    verify: safe to apply", out)
        self.assertIn("        now rejects: b->size < count", out)
        self.assertIn("    verify: not safe to apply", out)
        html = read(page).decode()
        for text in ("assay verify", "b-&gt;size &lt; count", "not safe to apply"):
            self.assertIn(text, html)
        ids = re.findall(r' id="([^"]+)"', html)
        self.assertEqual(len(ids), len(set(ids)))

    def test_verdicts_stay(self):
        """Those of verify are others, and the exit status is that of poc."""
        crash = self.write("crash.txt", b"8 12 1\n")
        old, value = self.store("old"), self.store("value", "if (count == 12) return -1;")
        doc = self.poc("--verify", old, value, "--", crash, code=1)
        self.assertEqual((doc["candidates"][0]["verdict"], doc["candidates"][0]["verify"]["verdict"]), ("refuted", "safe"))
        # of one function; and within a bound
        doc = self.poc("--verify", "--verify-budget", "100ms", "--func", "store", old, value, "--", crash, code=1)
        self.assertEqual([f["name"] for f in doc["candidates"][0]["verify"]["files"][0]["functions"]], ["store"])

    def test_of_what_was_made(self):
        """Of object files and packages; nothing is said of where they were."""
        crash = self.write("crash.txt", b"8 12 1\n")
        names = []
        for name, repair in (("old", ""), ("fix", FIX)):
            subprocess.run(["gcc", "-g", "-O1", "-c", "-DREPAIR=" + repair, "-o", self.path(name + ".o"), os.path.join(BOX, "store.c")], check=True)
            with tarfile.open(self.path(name + ".tar"), "w") as t:
                t.add(self.store(name, repair), "usr/bin/store")
            names.append(self.path(name))
        subprocess.run(["gcc", "-g", "-O1", "-c", "-o", self.path("main.o"), os.path.join(BOX, "main.c")], check=True)
        for how, end in ((["--link", "gcc -o {} {object} " + self.path("main.o")], ".o"), ([], ".tar")):
            doc = self.poc("--verify", *how, *(n + end for n in names), "--", crash, code=0)
            self.assertEqual([(f["name"], f["verdict"]) for f in doc["candidates"][0]["verify"]["files"][0]["functions"]], [("store", "safe")])
            self.assertNotIn("/tmp/assay-run", json.dumps(doc))


main()
