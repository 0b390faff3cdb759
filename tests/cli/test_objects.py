# SPDX-License-Identifier: GPL-3.0-or-later
"""Relocatable objects and programs without symbols: where their functions are, and what they are called."""
import subprocess

from common import *

GCC = {"x86_64": "x86_64-linux-gnu-gcc", "i686": "i686-linux-gnu-gcc", "arm": "arm-linux-gnueabihf-gcc", "aarch64": "aarch64-linux-gnu-gcc"}
CODE = """
__attribute__((noinline)) int first(int x) { return x * 3; }
__attribute__((noipa)) int (*get(void))(int) { return first; }
__attribute__((noinline)) int second(int x) { return x < 0 ? first(x) : first(x - STEP); }
int called(int x) { return get() ? x : -1; }
"""
APART = '__attribute__((section(".text.apart"))) int third(int x) { return second(x) + first(x); }\n'


class Objects(Test):
    def compile(self, arch, name, source, *options):
        self.write(name + ".c", source.encode())
        subprocess.run([GCC[arch], "-O1", "-fno-pic", "-w", *options, self.path(name + ".c"), "-o", self.path(name)], check=True)
        return self.path(name)

    def values(self, arch, path):
        """Of the functions, as nm prints them."""
        lines = subprocess.run([GCC[arch][:-3] + "nm", path], check=True, capture_output=True, text=True).stdout.splitlines()
        return {x[2]: int(x[0], 16) & (~1 if arch == "arm" else -1) for x in (y.split() for y in lines) if len(x) == 3 and x[1] in "tT" and "$" not in x[2]}

    def test_one_code_section(self):
        for arch in GCC:
            o = self.compile(arch, arch + ".o", CODE, "-c", "-DSTEP=1")
            nm = self.values(arch, o)
            listed = {f["name"]: f for f in self.json("functions", "--json", o)["functions"]}
            self.assertEqual(nm["first"], 0)
            for name, value in nm.items():
                self.assertEqual((int(listed[name]["address"], 16), listed[name].get("place")), (value, None), arch)
                graph = self.json("cfg", "--json", o, hex(value))
                self.assertEqual((graph["function"]["name"], graph["blocks"][0]["address"]), (name, hex(value)))
            calls = self.json("cfg", "--json", o, "second")["calls"]
            self.assertIn(("first", "0x0"), [(c["name"], c["target"]) for c in calls])
            new = self.compile(arch, arch + "2.o", CODE, "-c", "-DSTEP=2")
            r = assay("verify", "--func", hex(nm["second"]), o, new)
            self.assertEqual(r.code, 1, r.out + r.err)
            self.assertIn("unsafe second at %s -> %s" % (hex(nm["second"]), hex(nm["second"])), r.out)
            self.assertIn("no function begins at 0x2;", assay("cfg", o, "0x2").err)

    def test_several_code_sections(self):
        for arch in GCC:
            o = self.compile(arch, arch + ".o", CODE + APART, "-c", "-DSTEP=1")
            listed = {f["name"]: f for f in self.json("functions", "--json", o)["functions"]}
            nm = self.values(arch, o)
            for name, section in [("first", ".text"), ("second", ".text"), ("third", ".text.apart")]:
                place = "%s+%s" % (section, hex(nm[name]))
                self.assertEqual(listed[name]["place"], place)
                for spec in (place, listed[name]["address"]):
                    self.assertEqual(self.json("cfg", "--json", o, spec)["function"]["name"], name)
                self.assertIn("%s (%s)" % (name, place), self.ok("functions", o))
            self.assertEqual(len({f["address"] for f in listed.values()}), len(listed))
            self.refused("cfg", o, ".text.apart+0x100000", says=["no function"])

    def test_what_is_at_0_is_no_null_pointer(self):
        for arch in GCC:
            o = self.compile(arch, arch + ".o", CODE, "-c", "-DSTEP=1")
            r = assay("wp", "--func=called", "--post=ret == arg0", "--pre=arg0 == 5", "--inline=get", o)
            self.assertEqual(r.code, 0, r.out + r.err)


main()
