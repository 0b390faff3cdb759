# SPDX-License-Identifier: GPL-3.0-or-later
"""assay diff: two programs, two packages, and what is no input for it."""
import hashlib
import shutil
import subprocess
import tarfile

from common import *


class Diff(Test):
    def build(self, name, change=None, *, target="x86_64-linux-gnu", ident="none"):
        text = read(os.path.join(SOURCE, "examples", "price.s")).decode()
        if change:
            self.assertIn(change[0], text)
            text = text.replace(*change)
        out = self.path(name)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        source = self.write(name + ".s", text.encode())
        subprocess.run(["clang", "--target=" + target, "-shared", "-nostdlib", "-fuse-ld=lld", "-Wl,--build-id=" + ident, source, "-o", out], check=True)
        os.remove(source)
        return out

    def test_same_file(self):
        old = self.build("old")
        self.assertEqual(self.ok("diff", old, old), "identical: both are the same file\n")

    def test_changed(self):
        old, new = self.build("old"), self.build("new", ("sarl	$3", "sarl	$2"))
        r = assay("diff", old, new)
        self.assertEqual(r.code, 1)
        self.assertEqual(r.out.splitlines()[0], "1 function changed, 0 added, 0 removed, 0 unchanged")
        self.assertIn("- sar ecx, 3", r.out)
        self.assertIn("+ sar ecx, 2", r.out)
        f = json.loads(assay("diff", "--json", old, new).out)
        self.assertEqual((f["schema"], f["verdict"]), ("assay/diff/1", "changed"))
        self.assertEqual(f["files"][0]["functions"][0]["blocks"], {"unchanged": 3, "changed": 1, "removed": 0, "added": 0})

    def test_which_files(self):
        """Both files are named by what is in them, and by their build-ids when they have one."""
        old, new = self.build("old", ident="0x" + "12" * 20), self.build("new", ("sarl	$3", "sarl	$2"))
        f = self.json("diff", "--json", old, new, code=1)["files"][0]
        self.assertEqual((f["old"]["build_id"], f["new"]["build_id"]), ("12" * 20, None))
        self.assertEqual(f["new"]["sha256"], hashlib.sha256(read(new)).hexdigest())

    def test_moved(self):
        old = self.build("old")
        new = self.build("new", ('.string	"empty order"', '.string	"empty order"\n\t.section .rodata\ntable: .zero 4096\n'))
        r = assay("diff", "--all", old, new)
        self.assertEqual(r.code, 0, r.out)
        self.assertEqual(r.out.splitlines()[0], "0 functions changed, 0 added, 0 removed, 1 unchanged")
        self.assertIn("unchanged price", r.out)

    def test_function(self):
        old, new = self.build("old"), self.build("new", ("sarl	$3", "sarl	$2"))
        self.assertIn("changed price", assay("diff", "--func", "price", old, new).out)
        self.refused("diff", "--func", "prise", old, new, says=["prise"])

    def test_twice_the_same_bytes(self):
        a, b = demo("x86_64"), self.build("other")
        one, two = assay("diff", "--json", a, b, "-j1"), assay("diff", "--json", a, b, "-j2")
        self.assertEqual(one.out, two.out)
        self.assertEqual(one.code, 1)

    def test_packages(self):
        self.build("a/usr/lib/libprice.so.1.2")
        self.build("a/usr/lib/libsame.so.1")
        self.build("a/usr/bin/gone")
        os.mkdir(self.path("b"))
        shutil.copytree(os.path.join(self.path("a"), "usr"), os.path.join(self.path("b"), "usr"))
        os.remove(os.path.join(self.path("b"), "usr", "bin", "gone"))
        os.remove(os.path.join(self.path("b"), "usr", "lib", "libprice.so.1.2"))
        self.build("b/usr/lib/libprice.so.1.3", ("sarl	$3", "sarl	$2"))
        for side in "ab":
            with tarfile.open(self.path(side + ".tar.gz"), "w:gz") as t:
                t.add(os.path.join(self.path(side), "usr"), "usr")
        for old, new in (("a", "b"), ("a.tar.gz", "b.tar.gz"), ("a", "b.tar.gz")):
            r = assay("diff", "--json", self.path(old), self.path(new))
            self.assertEqual(r.code, 1, r.err)
            files = [((f["old"] or {}).get("path"), (f["new"] or {}).get("path"), f["status"]) for f in json.loads(r.out)["files"]]
            self.assertEqual(files, [("usr/bin/gone", None, "removed"),
                                     ("usr/lib/libprice.so.1.2", "usr/lib/libprice.so.1.3", "changed"),
                                     ("usr/lib/libsame.so.1", "usr/lib/libsame.so.1", "identical")])
        r = assay("diff", self.path("a.tar.gz") + ":usr/lib/libsame.so.1", self.path("b.tar.gz") + ":libsame.so.1")
        self.assertEqual((r.code, r.out), (0, "identical: both are the same file\n"))

    def test_bad_input(self):
        old = self.build("old")
        text = self.write("text", b"no program\n")
        os.mkdir(self.path("empty"))
        self.refused("diff", old, text, says=["text"])
        self.refused("diff", old, self.path("empty"), says=["no program in it"])
        self.refused("diff", old, self.path("missing"), says=["missing"])
        self.refused("diff", demo("x86_64"), demo("aarch64"), says=["the same architecture"])
        self.refused("diff", old, says=["missing argument"])


main()
