# SPDX-License-Identifier: GPL-3.0-or-later
"""Relocatable objects and programs without symbols: where their functions are, and what they are called."""
import subprocess

from common import *

GCC = {"x86_64": "x86_64-linux-gnu-gcc", "i686": "i686-linux-gnu-gcc", "arm": "arm-linux-gnueabihf-gcc", "aarch64": "aarch64-linux-gnu-gcc"}
CODE = """
__attribute__((noinline)) int first(int x) { return x * 3; }
__attribute__((noipa)) int (*get(void))(int) { return first; }
__attribute__((noinline)) int second(int x) { return x < 0 ? first(x) : first(x - STEP) + 5; }
int called(int x) { return get() ? x : -1; }
"""
APART = '__attribute__((section(".text.apart"))) int third(int x) { return second(x) + first(x); }\n'

# A function that says so, one that is global, one that is called, one that nothing leads to, a loop inside it.
ASSEMBLY = {
    "x86_64": """ .text\n .globl said\n .type said, @function\nsaid: push %rbx\n mov %edi, %ebx\n call called\n add %ebx, %eax\n pop %rbx\n ret\n .size said, .-said
 .globl known\nknown: mov $3, %eax\n.Lhere: ret\ncalled: lea 1(%rdi), %eax\nagain: sub $1, %eax\n jg again\n ret\nlonely: lea (%rdi,%rdi), %eax\n ret\n""",
    "i686": """ .text\n .globl said\n .type said, @function\nsaid: push %ebx\n mov 8(%esp), %ebx\n push %ebx\n call called\n pop %ecx\n add %ebx, %eax\n pop %ebx\n ret\n .size said, .-said
 .globl known\nknown: mov $3, %eax\n.Lhere: ret\ncalled: mov 4(%esp), %eax\nagain: sub $1, %eax\n jg again\n ret\nlonely: mov 4(%esp), %eax\n add %eax, %eax\n ret\n""",
    "arm": """ .syntax unified\n .arm\n .text\n .globl said\n .type said, %function\nsaid: push {r4, lr}\n mov r4, r0\n bl called\n add r0, r0, r4\n pop {r4, pc}\n .size said, .-said
 .globl known\nknown: mov r0, #3\n.Lhere: bx lr\n .word 7\ncalled: add r0, r0, #1\nagain: subs r0, r0, #1\n bgt again\n bx lr\nlonely: add r0, r0, r0\n bx lr\n""",
    "aarch64": """ .text\n .globl said\n .type said, %function\nsaid: stp x29, x30, [sp, #-32]!\n str w0, [sp, #16]\n bl called\n ldr w1, [sp, #16]\n add w0, w0, w1\n ldp x29, x30, [sp], #32\n ret\n .size said, .-said
 .globl known\nknown: mov w0, #3\n.Lhere: ret\ncalled: add w0, w0, #1\nagain: subs w0, w0, #1\n b.gt again\n ret\nlonely: add w0, w0, w0\n ret\n""",
}
PROGRAM = """
#include <stdio.h>
__attribute__((noinline)) static int twice(int x) { return 2 * x + STEP; }
int main(int argc, char **argv) { printf("%d\\n", twice(argc)); return argc > 3; }
"""


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
            self.assertIn("no function starts at 0x2;", assay("cfg", o, "0x2").err)

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

    def test_labels_of_assembly_are_names(self):
        for arch in GCC:
            for version, number in (("old", "3"), ("new", "4")):
                source = ASSEMBLY[arch].replace("$3", "$" + number).replace("#3\n", "#%s\n" % number)
                self.write(version + ".s", source.encode())
                subprocess.run([GCC[arch], "-c", self.path(version + ".s"), "-o", self.path(version + ".o")], check=True)
            old, new = self.path("old.o"), self.path("new.o")
            names = [f["name"] for f in self.json("functions", "--json", old)["functions"]]
            self.assertEqual(sorted(names), ["called", "known", "lonely", "said"], arch)
            for name in names:
                self.assertEqual(self.json("cfg", "--json", old, name)["function"]["name"], name)
                self.assertIn(assay("explore", old, name).code, (0, 3))
                r = assay("wp", "--func=" + name, "--post=1", old)
                self.assertEqual((r.code, r.err), (0, ""), (arch, name))
                r = assay("verify", "--func", name, old, new)
                self.assertEqual((r.code, " %s at " % name in r.out), (1 if name == "known" else 0, True), r.out + r.err)
                self.assertIn("starts at " + name, assay("debug", "--func", name, old).out)
            self.refused("cfg", old, "again", says=["again is a label inside called"])
            self.refused("cfg", old, ".Lhere", says=["no function"])
            self.refused("cfg", old, "$d" if arch == "arm" else "$x", says=["no function"])

    def test_main_without_symbols(self):
        for arch in GCC:
            for kind in ("pie", "no-pie"):
                for version in ("1", "2"):
                    self.write("p.c", PROGRAM.encode())
                    path = self.path("p" + version)
                    subprocess.run([GCC[arch], "-O1", "-f" + kind, "-" + kind, "-DSTEP=" + version, self.path("p.c"), "-o", path], check=True)
                    where = self.values(arch, path)["main"]
                    subprocess.run([GCC[arch][:-3] + "strip", path], check=True)
                mains = [f for f in self.json("functions", "--json", self.path("p1"))["functions"] if f["name"] == "main"]
                self.assertEqual([int(f["address"], 16) for f in mains], [where], (arch, kind))
                self.assertIn("main at 0x%x" % where, self.ok("cfg", self.path("p1"), "main"))
                r = assay("verify", "--func", "main", self.path("p1"), self.path("p2"))
                self.assertIn(" main at 0x%x -> " % where, r.out, (arch, kind, r.err))

    def test_main_without_symbols_in_static_programs(self):
        self.write("p.c", PROGRAM.encode())
        for arch in GCC:
            for kind in ("static", "static-pie") if arch != "arm" else ("static",):
                path = self.path("p")
                subprocess.run([GCC[arch], "-O1", "-fpie" if kind == "static-pie" else "-fno-pie", "-" + kind, "-DSTEP=1", self.path("p.c"), "-o", path], check=True)
                where = self.values(arch, path)["main"]
                subprocess.run([GCC[arch][:-3] + "strip", path], check=True)
                self.assertIn("main at 0x%x" % where, self.ok("cfg", path, "main"), (arch, kind))

    def test_main_is_what_is_passed_with_argc(self):
        """A program without a C library that passes the address of code and another word."""
        for arch, code in (("x86_64", "pop %rax; lea f(%rip), %rdi; WORD; call g; hlt; f: ret; g: ret"),
                           ("aarch64", "adr x0, f; WORD; bl g; brk 1; f: ret; g: ret")):
            for word, found in (("ARGC", True), ("OTHER", False)):
                word = {"x86_64": {"ARGC": "mov %rax, %rsi", "OTHER": "mov $3, %esi"}, "aarch64": {"ARGC": "ldr x1, [sp]", "OTHER": "ldr x1, [sp, 8]"}}[arch][word]
                self.write("s.s", (".text; .globl _start; _start: " + code.replace("WORD", word) + "\n").encode())
                path = self.path("s")
                subprocess.run([GCC[arch], "-nostdlib", "-static", self.path("s.s"), "-o", path], check=True)
                subprocess.run([GCC[arch][:-3] + "strip", path], check=True)
                self.assertEqual("main" in [f["name"] for f in self.json("functions", "--json", path)["functions"]], found, (arch, word))


main()
