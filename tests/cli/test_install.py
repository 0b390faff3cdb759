# SPDX-License-Identifier: GPL-3.0-or-later
"""`meson install` gives what a user of the library needs: examples/list-functions.c builds against it and runs."""
import glob
import re
import subprocess

from common import *


class Install(Test):
    def setUp(self):
        super().setUp()
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", self.dir.name], check=True,
                       stdout=subprocess.DEVNULL)
        pc = glob.glob(self.dir.name + "/**/assay.pc", recursive=True)
        self.assertEqual(len(pc), 1)
        self.pkg = os.path.dirname(pc[0])
        self.lib = os.path.dirname(self.pkg)

    def flags(self, *what):
        env = dict(os.environ, PKG_CONFIG_PATH=self.pkg, PKG_CONFIG_SYSROOT_DIR=self.dir.name)
        return subprocess.run(["pkg-config", *what, "assay"], env=env, stdout=subprocess.PIPE, check=True).stdout.decode().split()

    def sanitizers(self):
        """The library of an instrumented build needs the same instrumentation in who links it."""
        options = json.loads(subprocess.run(["meson", "introspect", "--buildoptions", BUILD], stdout=subprocess.PIPE, check=True).stdout)
        value = [o["value"] for o in options if o["name"] == "b_sanitize"][0]
        value = ",".join(value) if isinstance(value, list) else value
        return [] if value in ("none", "") else ["-fsanitize=" + value]

    def test_example(self):
        cc = os.environ.get("CC", "cc").split()
        prog = self.path("list-functions")
        subprocess.run([*cc, "-std=c11", "-Wall", "-Wextra", "-Werror", *self.sanitizers(), os.path.join(SOURCE, "examples/list-functions.c"),
                        *self.flags("--cflags"), *self.flags("--libs"), "-o", prog], check=True)
        env = dict(os.environ, LD_LIBRARY_PATH=self.lib)
        r = subprocess.run([prog, demo("aarch64")], env=env, stdout=subprocess.PIPE, check=True)
        self.assertRegex(r.stdout.decode(), r"^aarch64, \d+ functions\n")
        self.assertRegex(r.stdout.decode(), r"(?m)^ *0x\w+ clamp$")
        r = subprocess.run([prog, demo("aarch64"), "clamp"], env=env, stdout=subprocess.PIPE, check=True)
        self.assertRegex(r.stdout.decode(), r"^path 1: returns\n  when   \S")
        r = subprocess.run([prog, self.path("nothing")], env=env, stderr=subprocess.PIPE)
        self.assertEqual(r.returncode, 2)

    def test_header_is_good_cplusplus_and_version_agrees(self):
        self.assertEqual(self.flags("--modversion"), [re.sub(r"^assay ", "", self.ok("--version")).strip()])

    def test_only_the_interface_is_visible(self):
        so = glob.glob(self.lib + "/libassay.so.*")[0]
        names = subprocess.run(["nm", "-D", "--defined-only", so], stdout=subprocess.PIPE, check=True).stdout.decode().split()[2::3]
        self.assertIn("assay_open", names)
        self.assertEqual([n for n in names if not n.startswith("assay_")], [])
        self.assertIn("SONAME", subprocess.run(["readelf", "-d", so], stdout=subprocess.PIPE, check=True).stdout.decode())

    def test_everything_is_there(self):
        have = {os.path.relpath(f, self.dir.name) for f in glob.glob(self.dir.name + "/**", recursive=True)}
        for end in ["bin/assay", "include/assay/assay.h", "man/man1/assay.1", "man/man1/assay-explore.1", "completions/assay",
                    "site-functions/_assay", "vendor_completions.d/assay.fish"]:
            self.assertTrue(any(f.endswith(end) for f in have), end)


main()
