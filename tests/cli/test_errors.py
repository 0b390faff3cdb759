# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input is an error of one line and exit code 2, never a crash; unwritable output is said."""
import gzip
import io
import random
import stat
import struct
import subprocess
import tarfile
import zipfile

from common import *


class Errors(Test):
    def everywhere(self, path, says, code=2):
        self.refused("info", path, says=says, code=code)
        self.refused("functions", path, says=says, code=code)
        for c in ["cfg", "lift", "explore"]:
            self.refused(c, path, "main", says=says, code=code)

    def test_missing_file(self):
        self.everywhere(self.path("nothing"), says=[self.path("nothing"), "No such file"])

    def test_missing_container(self):
        """A name with a colon or parentheses is that of a member only where the container is there."""
        for name in ("nosuch:member", "nosuch(member.o)", "no:such:member"):
            self.refused("verify", self.path(name), self.path("other"), says=[name, "No such file"])
            self.refused("diff", self.path(name), self.path("other"), says=[name, "No such file"])
            self.refused("poc", self.path(name), self.path("other"), "--", "x", says=[name, "No such file"])

    def test_no_permission(self):
        f = self.write("secret", b"x")
        os.chmod(f, 0)
        if os.access(f, os.R_OK):
            self.skipTest("this user may read everything")
        self.everywhere(f, says=[f, "Permission denied"])

    def test_not_a_program(self):
        self.everywhere(self.write("text", b"hello\n" * 20), says=[self.path("text")])
        self.everywhere(self.write("empty", b""), says=[self.path("empty")])

    def test_directory_without_program(self):
        self.write("readme", b"nothing here")
        self.everywhere(self.dir.name, says=[self.dir.name])

    def test_truncated(self):
        data = read(demo("x86_64"))
        for n in [4, 16, 52, 63]:
            f = self.write("cut", data[:n])
            self.everywhere(f, says=[f])
        for n in [64, 100, 1000, 5000, len(data) - 1, len(data) - 700]:
            f = self.write("cut", data[:n])
            for c in [["functions", f], ["explore", f, "main"], ["info", f]]:
                r = assay(*c)
                self.assertIn(r.code, (0, 2, 3), (n, r.err))
                self.assertEqual(r.code == 0, r.err == "")
                self.assertNotIn("bug in assay", r.err)

    def test_damaged(self):
        """Whatever is flipped, an answer or an error comes back."""
        rng = random.Random(7)
        for arch in ARCHES:
            data = read(demo(arch))
            for _ in range(6):
                bad = bytearray(data)
                for _ in range(40):
                    bad[rng.randrange(len(bad) if rng.random() < 0.5 else 0x400)] = rng.randrange(256)
                f = self.write("damaged", bytes(bad))
                r = assay("functions", "--timeout=60s", f)
                self.assertIn(r.code, (0, 2, 3), r.err)
                self.assertNotIn("bug in assay", r.err)

    def test_unknown_function(self):
        for c in ["cfg", "lift", "explore"]:
            self.refused(c, demo("x86_64"), "kind_nmae", says=["kind_nmae", "kind_name"])
            self.refused(c, demo("x86_64"), "0x10", says=["0x10"])

    def test_deceptive_names(self):
        """Names from a file cannot steer the terminal, forge lines or turn the writing around."""
        source = self.write("evil.s", b'''.text
.globl "PLACE_A"
.type "PLACE_A",@function
"PLACE_A": call "PLACE_B"
 ret
.size "PLACE_A", .-"PLACE_A"
.section ".PLACE_S","a"
.byte 0
''')
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", source, "-o", self.path("evil.o")], check=True)
        data = read(self.path("evil.o"))
        for old, new in [(b"PLACE_A", b'\x1b[2J\nX"'), (b"PLACE_B", b'<&">\xe2\x80\xae'), (b"PLACE_S", b"\x1b]0;\x07\r\t")]:
            data = data.replace(old, new)
        f = self.write("evil.o", data)
        for c in [["info", f], ["functions", f], ["cfg", f, "0x0"], ["cfg", "--dot", f, "0x0"],
                  ["lift", f, "0x0"], ["explore", f, "0x0"], ["explore", "--json", f, "0x0"]]:
            out = self.ok(*c)
            for bad in "\x1b\x07\r\t\u202e":
                self.assertNotIn(bad, out, c)
            self.assertFalse([line for line in out.split("\n") if line.startswith('X"')], c)
        self.assertIn('\\x1b[2J\\x0aX" at 0x0', self.ok("cfg", f, "0x0"))
        self.assertIn("\\xe2\\x80\\xae", self.ok("explore", f, "0x0"))
        self.assertIn("\\x1b]0;\\x07\\x0d\\x09", self.ok("info", f))
        self.refused("info", self.path("no\x1b[31m\nsuch"), says=["no\\x1b[31m\\x0asuch"])
        self.refused("info", "--no\x1b[31m", "x", says=["--no\\x1b[31m"])

    def test_member_twice(self):
        """What unpacks to the last of two is not answered from the first."""
        def tar(name, *contents):
            with tarfile.open(self.path(name), "w") as t:
                for data in contents:
                    info = tarfile.TarInfo("bin/tool")
                    info.size = len(data)
                    t.addfile(info, io.BytesIO(data))
            return self.path(name) + ":bin/tool"
        a, b = read(demo("x86_64")), read(demo("aarch64"))
        self.refused("functions", tar("two.tar", a, b), says=["bin/tool occurs more than once"])
        self.ok("functions", tar("same.tar", a, a))

    def test_unreadable_file_in_a_directory(self):
        """One file that cannot be read does not hide the others."""
        os.makedirs(self.path("tree/bin"))
        self.write("tree/bin/tool", read(demo("x86_64")))
        with open(self.path("tree/bin/huge"), "wb") as f:
            f.truncate(1 << 42)
        tree = self.path("tree")
        r = assay("info", "--json", tree)
        self.assertEqual(r.code, 3)
        self.assertIn("some files could not be read", r.err)
        doc = json.loads(r.out)
        members = {m["path"]: m for m in doc["members"]}
        self.assertIn("larger than", members["bin/huge"]["error"])
        self.assertIn("sha256", members["bin/tool"])
        self.assertIs(doc["complete"], False)
        self.assertIn("bin/huge: ", assay("info", tree).out)
        # Which program is meant is not known as long as one cannot be looked at.
        self.refused("functions", tree, says=["bin/huge", "larger than"])
        self.ok("functions", tree + ":bin/tool")
        self.refused("diff", tree, tree, says=["bin/huge", "larger than"])

    def test_debug_directory(self):
        for c in [["info"], ["functions"], ["diff", demo("x86_64")]]:
            self.refused(*c, "--debug-dir=" + self.path("nowhere"), demo("x86_64"), says=["--debug-dir", "nowhere", "No such file"])
        self.refused("info", "--debug-dir=/dev/null", demo("x86_64"), says=["neither a directory nor a package"])

    def test_jobs_where_there_is_one(self):
        for c in [["info"], ["functions"], ["cfg"], ["lift"]]:
            self.refused(*c, "--jobs=2", demo("x86_64"), "main", says=["unknown option '--jobs'"])
            self.assertNotIn("--jobs", self.ok(*c, "--help"))

    def test_link_out_of_a_directory(self):
        """A link in an unpacked package means a file of the package, not of this machine."""
        os.makedirs(self.path("tree/bin"))
        outside = self.write("outside", read(demo("x86_64")))
        os.symlink(outside, self.path("tree/bin/out"))
        self.write("tree/bin/real", read(demo("x86_64")))
        os.symlink("real", self.path("tree/bin/in"))
        os.symlink("/bin/real", self.path("tree/bin/rooted"))
        tree = self.path("tree")
        self.ok("functions", tree + ":bin/in")
        self.ok("functions", tree + ":bin/rooted")
        self.refused("functions", tree + ":bin/out", says=["no member", "bin/real"])

    def test_many_small_members(self):
        """Memory goes by what is in an archive and not by how many members there are."""
        with zipfile.ZipFile(self.path("many.zip"), "w") as z:
            for i in range(8000):
                z.writestr("f%d" % i, b"x")
            z.writestr("demo", read(demo("x86_64")))
        self.ok("functions", "--memory=256M", "--timeout=0", self.path("many.zip"))

    def test_nested_too_deep(self):
        data = b"x"
        for _ in range(12):
            data = gzip.compress(data)
        self.refused("info", self.write("deep.gz", data), code=3, says=["nested more than 8 deep; unpack it"])

    def test_stdout_closed(self):
        r = subprocess.run(["sh", "-c", '"$0" info "$1" >&-', ASSAY, demo("x86_64")], stderr=subprocess.PIPE)
        self.assertEqual(r.returncode, 3)
        self.assertIn(b"assay: cannot write the result", r.stderr)

    def test_disk_full(self):
        if not os.path.exists("/dev/full") or not stat.S_ISCHR(os.stat("/dev/full").st_mode):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            r = subprocess.run([ASSAY, "info", demo("x86_64")], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(r.returncode, 3)
        self.assertIn(b"assay: cannot write the result: No space left", r.stderr)

    def test_reader_gone(self):
        p = subprocess.Popen([ASSAY, "functions", demo("x86_64")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.close()
        self.assertEqual(p.stderr.read(), b"")
        p.stderr.close()
        self.assertEqual(p.wait(), 0)

    def test_no_standard_descriptors(self):
        r = subprocess.run(["sh", "-c", '"$0" info "$1" <&- >&- 2>&-', ASSAY, demo("x86_64")])
        self.assertEqual(r.returncode, 3)

    def test_limits(self):
        self.refused("functions", "--memory=1M", ASSAY, code=3,
                     says=["memory limit of 1 MiB reached; raise it with --memory"])

    def test_memory_limit_in_a_library(self):
        """A library that crashes for want of memory met the limit; that is no bug."""
        for size in ["8M", "16M", "24M"]:
            r = assay("explore", "--memory=" + size, "--timeout=2s", ASSAY, "main")
            self.assertIn(r.code, (0, 3), r.err)
            self.assertNotIn("bug in assay", r.err)

    def test_what_could_not_be_used(self):
        """A relocation nobody knows does not keep a file from being read, and is listed."""
        data = bytearray(read(branches("x86_64")))
        headers, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
        tables = [headers + 64 * i for i in range(count) if struct.unpack_from("<I", data, headers + 64 * i + 4)[0] == 4]
        for at in tables:
            struct.pack_into("<I", data, struct.unpack_from("<Q", data, at + 24)[0] + 8, 250)
        f = self.write("odd.o", bytes(data))
        self.assertRegex(self.ok("info", f), r"\n  not used\n +0x\w+ .*relocation of type 250")
        self.assertIn("type 250", self.json("info", "--json", f)["members"][0]["problems"][0]["text"])
        self.assertEqual(self.json("info", "--json", branches("x86_64"))["members"][0]["problems"], [])

    def test_time_limit_of_opening(self):
        """With many functions each has a limit of its own; opening the file has one as well."""
        self.refused("explore", "--all", "--timeout=1ms", ASSAY, code=3,
                     says=["time limit reached; raise it with --timeout"])

    def test_time_limit_of_opening_two(self):
        self.refused("diff", "--timeout=1ms", ASSAY, ASSAY, code=3, says=["time limit reached; raise it with --timeout"])

    def test_file_may_not_grow(self):
        with open(self.path("out"), "w") as out:
            r = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$0" functions --json "$1"', ASSAY, demo("x86_64")],
                               stdout=out, stderr=subprocess.PIPE)
        self.assertEqual(r.returncode, 3)
        self.assertIn(b"assay: cannot write the result: File too large", r.stderr)


main()
