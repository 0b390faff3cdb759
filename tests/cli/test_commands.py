# SPDX-License-Identifier: GPL-3.0-or-later
"""info, functions, cfg and lift on a program compiled for each instruction set."""
import hashlib
import pty
import re
import shutil
import struct
import subprocess
import xml.dom.minidom

from common import *

NAMES = {"clamp": (3, "value"), "kind_name": (1, "value"), "checksum": (2, "value"), "parse": (3, "value"), "main": (2, "value")}


class Commands(Test):
    def test_json_is_the_same_twice(self):
        f = demo("x86_64")
        for c in [["info", f], ["functions", f], ["cfg", f, "main"], ["lift", f, "parse"], ["explore", f, "parse"],
                  ["explore", "--paths", "--stats", f, "clamp"]]:
            first, second = assay(*c, "--json"), assay(*c, "--json", *(["--jobs=3"] if c[0] in ("explore", "diff") else []))
            self.assertEqual(first.code, 0, first.err)
            self.assertEqual(first.out, second.out)
            doc = json.loads(first.out)
            self.assertEqual(doc["schema"], "assay/" + c[0] + "/1")
            self.assertEqual(doc["tool"]["name"], "assay")
            facts = doc["members"][0] if c[0] == "info" else doc["input"]
            self.assertEqual(facts["sha256"], hashlib.sha256(read(f)).hexdigest())
            self.assertRegex(facts["build_id"], "^[0-9a-f]{40}$")

    def test_info(self):
        for arch, name, bits in [("x86_64", "x86-64", 64), ("aarch64", "aarch64", 64), ("i686", "i386", 32), ("arm", "arm", 32)]:
            m = self.json("info", "--json", demo(arch))["members"]
            self.assertEqual(len(m), 1)
            self.assertEqual((m[0]["bits"], m[0]["supported"], m[0]["stripped"], m[0]["static"]), (bits, True, False, False))
            self.assertIn(".text", [s["name"] for s in m[0]["sections"]])
            self.assertIn(m[0]["sha256"], self.ok("info", demo(arch)))

    def test_info_of_a_directory(self):
        os.mkdir(self.path("d"))
        shutil.copy(demo("x86_64"), self.path("d/prog"))
        self.write("d/notes.txt", b"hello")
        doc = self.json("info", "--json", self.path("d"))
        self.assertEqual([m["path"] for m in doc["members"]], sorted(m["path"] for m in doc["members"]))
        self.assertEqual(sum("sha256" in m for m in doc["members"]), 1)

    def test_functions(self):
        for arch in ARCHES:
            doc = self.json("functions", "--json", demo(arch))
            self.assertEqual([int(f["address"], 16) for f in doc["functions"]],
                             sorted(int(f["address"], 16) for f in doc["functions"]))
            by_name = {f["name"]: f for f in doc["functions"]}
            for name, (nargs, returns) in NAMES.items():
                f = by_name[name]
                self.assertEqual((f["arguments"], f["returns"], f["prototype"]), (nargs, returns, "dwarf"), (arch, f))
                self.assertIn("symbol", f["sources"])
            self.assertTrue(by_name["fail"]["noreturn"], arch)
            self.assertFalse(by_name["main"]["noreturn"], arch)
            self.assertEqual(doc["totals"]["unresolved_jumps"], 0, arch)
            text = self.ok("functions", demo(arch))
            self.assertRegex(text, r"(?m)^0x\w+ +\d+ +3 value +dwarf .* clamp( \[thumb\])?$")
            self.assertRegex(text, r"(?m)^0x\w+ +\d+ +1 never .* fail( |$)")

    def test_what_is_returned_is_not_known(self):
        """What an unknown callee left in the result register may be a result that is handed through."""
        source = self.write("through.s", b""".text
.globl through, twice, sure, none
.type through,@function
.type twice,@function
.type sure,@function
.type none,@function
through: subq $8,%rsp
 call elsewhere
 addq $8,%rsp
 ret
.size through,.-through
twice: subq $8,%rsp
 call through
 addq $8,%rsp
 ret
.size twice,.-twice
sure: movl $1,%eax
 ret
.size sure,.-sure
none: movl $1,shared(%rip)
 ret
.size none,.-none
""")
        o = self.path("through.o")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", source, "-o", o], check=True)
        got = {f["name"]: f["returns"] for f in self.json("functions", "--json", o)["functions"]}
        self.assertEqual(got, {"through": None, "twice": None, "sure": "value", "none": "nothing", "elsewhere": None})
        self.assertRegex(self.ok("functions", o), r"(?m)^0x\w+ +\d+ +0 \? +code .* through$")

    def test_externs_are_functions_when_called(self):
        """Data that an object file only refers to is not among the functions."""
        source = self.write("refers.c", b"extern int shared, *table[]; extern int called(int); int jumped(int);\n"
                            b"int *user(int i) { shared += called(i); return table[i]; }\nint tail(int i) { return jumped(i + 1); }\n")
        for target, flags in [("x86_64-linux-gnu", []), ("x86_64-linux-gnu", ["-fPIC"]), ("x86_64-linux-gnu", ["-fPIC", "-fno-plt"]),
                              ("i686-linux-gnu", ["-fPIC"]), ("i686-linux-gnu", []), ("aarch64-linux-gnu", []), ("aarch64-linux-gnu", ["-fPIC"]),
                              ("arm-linux-gnueabihf", ["-marm"]), ("arm-linux-gnueabihf", ["-mthumb", "-fPIC"])]:
            o = self.path("refers.o")
            subprocess.run(["clang", "--target=" + target, "-O2", *flags, "-c", source, "-o", o], check=True)
            names = {f["name"] for f in self.json("functions", "--json", o)["functions"]}
            self.assertEqual(names, {"user", "tail", "called", "jumped"}, (target, flags))

    def test_tables_only(self):
        """Without a look at the code nothing that only the code says is said."""
        for arch in ARCHES:
            bare = self.path("bare")
            subprocess.run(["llvm-strip", "--strip-debug", "-o", bare, demo(arch)], check=True)
            doc = self.json("functions", "--json", "--tables-only", bare)
            self.assertNotIn("blocks", doc["totals"])
            by_name = {f["name"]: f for f in doc["functions"]}
            f = by_name["clamp"]
            self.assertEqual((f["prototype"], f["arguments"], f["returns"], f["noreturn"]), ("none", None, None, None), arch)
            self.assertEqual({f["prototype"] for f in doc["functions"]} - {"none", "library"}, set())
            self.assertIn("the code was not searched", self.ok("functions", "--tables-only", bare))
            debug = self.json("functions", "--json", "--tables-only", demo(arch))
            self.assertEqual({f["name"]: f for f in debug["functions"]}["clamp"]["prototype"], "dwarf")

    def test_stripped(self):
        """Without symbols and debug information the same functions are found, and prototypes come from the code."""
        for arch, triple in [("x86_64", "x86_64-linux-gnu"), ("aarch64", "aarch64-linux-gnu")]:
            bare = self.path("bare")
            subprocess.run([triple + "-strip", "-o", bare, demo(arch)], check=True)
            want = {f["address"]: f for f in self.json("functions", "--json", demo(arch))["functions"] if f["name"] in NAMES}
            got = {f["address"]: f for f in self.json("functions", "--json", bare)["functions"]}
            for address, f in want.items():
                self.assertIn(address, got, (arch, f["name"]))
                self.assertEqual(got[address]["prototype"], "code")
                self.assertEqual(got[address]["name"], "main" if f["name"] == "main" else "sub_" + address[2:])

    def test_cfg(self):
        for arch in ARCHES:
            doc = self.json("cfg", "--json", demo(arch), "kind_name")
            self.assertEqual(doc["problems"], [], arch)
            for b in doc["blocks"]:
                self.assertGreater(len(b["instructions"]), 0)
                for s in b["successors"]:
                    self.assertLess(s["to"], len(doc["blocks"]))
            main_doc = self.json("cfg", "--json", demo(arch), "main")
            called = {c["name"] for c in main_doc["calls"]}
            self.assertLessEqual({"parse", "kind_name", "fail"}, called, arch)
            text = self.ok("cfg", demo(arch), "main")
            self.assertRegex(text, r"^main at 0x\w+: \d+ bytes, \d+ blocks, \d+ instructions\n")
            self.assertIn("fail, which never returns", text)

    def thrower(self, target):
        source = self.write("throw.cc", b'extern "C" int work(int), done(int);\nstruct guard { int n; ~guard() { done(n); } };\n'
                            b'extern "C" int handler(int x) { guard g{x}; try { return work(x); } catch (int e) { return e + 7; } }\n'
                            b'extern "C" int plain(int x) { return work(x) + 1; }\n')
        out = self.path(target + ".o")
        subprocess.run(["clang++", "--target=" + target, "-O2", "-c", source, "-o", out], check=True)
        return out

    def test_exception_handlers(self):
        """Code that only exceptions lead to is a part of its function."""
        for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "i686-linux-gnu"]:
            o = self.thrower(target)
            doc = self.json("cfg", "--json", o, "handler")
            self.assertEqual(doc["problems"], [], target)
            self.assertLessEqual({"work", "done", "__cxa_begin_catch", "__cxa_end_catch"}, {c["name"] for c in doc["calls"]}, target)
            landing = [b for b in doc["blocks"] if b.get("landing")]
            self.assertGreaterEqual(len(landing), 2, target)
            into = [(b["index"], s["to"]) for b in doc["blocks"] for s in b["successors"] if s["kind"] == "unwind"]
            self.assertEqual({to for _, to in into}, {b["index"] for b in landing}, target)
            self.assertLessEqual({b for b, _ in into}, {c["block"] for c in doc["calls"]}, target)
            self.assertIn(", landing pad: entered when a call throws\n", self.ok("lift", o, "handler"))
            self.assertNotIn("unwind", self.ok("cfg", o, "plain"))
            # Symbolic execution takes calls not to throw, and says so.
            x = self.json("explore", "--json", "--paths", o, "handler")["explored"][0]
            self.assertEqual(len(x["paths"]), 1)
            self.assertGreater(x["ledger"]["axioms_used"]["no-throw"], 0)

    def test_damaged_exception_handlers(self):
        """A table that lies is listed, and the functions are still there."""
        o = self.thrower("x86_64-linux-gnu")
        data = read(o)
        header = struct.unpack_from("<Q", data, 40)[0]
        count = struct.unpack_from("<H", data, 60)[0]
        names = struct.unpack_from("<Q", data, header + 64 * struct.unpack_from("<H", data, 62)[0] + 24)[0]
        for i in range(count):
            at = header + 64 * i
            name = names + struct.unpack_from("<I", data, at)[0]
            if data[name:].startswith(b".gcc_except_table\0"):
                place, size = struct.unpack_from("<QQ", data, at + 24)
        self.assertGreater(size, 8)
        for k in range(0, 16):
            bad = bytearray(data)
            bad[place + k] = 0xff
            f = self.write("bad.o", bytes(bad))
            self.assertEqual(assay("cfg", f, "handler").code, 0)
            if k == 4: # the length of the table of call sites
                self.assertIn("exception handlers", self.json("info", "--json", f)["members"][0]["problems"][0]["text"])

    def test_source_lines(self):
        """With debug information an instruction says its line and what was inlined there."""
        source = self.write("lines.c", b"static inline __attribute__((always_inline)) int twice(int x)\n"
                            b"{\n    return x * 2 + 1;\n}\nint f(int a, int *p)\n{\n    *p = twice(a);\n    return 3;\n}\n")
        for target in ["x86_64-linux-gnu", "aarch64-linux-gnu"]:
            o = self.path(target + ".o")
            subprocess.run(["clang", "--target=" + target, "-g", "-O1", "-c", source, "-o", o], check=True)
            text = self.ok("cfg", o, "f")
            self.assertRegex(text, r"(?m)^  lines\.c:3, inlined twice$")
            self.assertRegex(text, r"(?m)^  lines\.c:8$")
            insns = [i for b in self.json("lift", "--json", o, "f")["blocks"] for i in b["instructions"]]
            self.assertIn(["twice"], [i.get("inlined") for i in insns])
            self.assertIn("lines.c:7", [i.get("source") for i in insns])

    def test_by_address(self):
        doc = self.json("cfg", "--json", demo("x86_64"), "clamp")
        again = self.json("cfg", "--json", demo("x86_64"), doc["function"]["address"])
        self.assertEqual(doc["blocks"], again["blocks"])

    def test_dot_and_svg(self):
        dot = self.ok("cfg", "--dot", demo("x86_64"), "main")
        self.assertTrue(dot.startswith('digraph "main" {'))
        self.assertEqual(dot.count("{"), 1 + dot.count("\\{"))
        subprocess.run(["dot", "-Tplain"], input=dot.encode(), stdout=subprocess.DEVNULL, check=True)
        svg = self.ok("cfg", "--svg", demo("x86_64"), "main")
        self.assertEqual(xml.dom.minidom.parseString(svg).documentElement.tagName, "svg")

    def test_svg_without_graphviz(self):
        r = assay("cfg", "--svg", demo("x86_64"), "main", env={"PATH": self.dir.name})
        self.assertEqual((r.code, r.out), (3, ""))
        self.assertIn("install graphviz", r.err)

    def test_lift(self):
        for arch in ARCHES:
            doc = self.json("lift", "--json", demo(arch), "clamp")
            lines = [l for b in doc["blocks"] for i in b["instructions"] for l in i["ir"]]
            self.assertTrue(any("slt" in l or "sle" in l for l in lines), (arch, lines))
            self.assertTrue(any(l.startswith("return") for l in lines), (arch, lines))
            text = self.ok("lift", demo(arch), "clamp")
            self.assertRegex(text, r"(?m)^  0x\w+ +\w+.*\n      %\d+:\d+ = ")

    def test_colours(self):
        plain = self.ok("cfg", demo("x86_64"), "clamp")
        self.assertNotIn("\033", plain)
        self.assertIn("\033", self.ok("cfg", "--color=always", demo("x86_64"), "clamp"))
        self.assertEqual(plain, self.ok("cfg", "--color=always", demo("x86_64"), "clamp", env={"NO_COLOR": "1"}))
        self.assertNotIn("\033", self.ok("cfg", "--color=always", "--json", demo("x86_64"), "clamp"))

    def test_colours_on_a_terminal(self):
        for env, coloured in [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]:
            leader, follower = pty.openpty()
            e = dict(os.environ, TERM="xterm")
            e.pop("NO_COLOR", None)
            e.update(env)
            p = subprocess.Popen([ASSAY, "cfg", demo("x86_64"), "clamp"], stdout=follower, stderr=subprocess.PIPE, env=e)
            os.close(follower)
            seen = b""
            while True:
                try:
                    more = os.read(leader, 65536)
                except OSError:
                    break
                if not more:
                    break
                seen += more
            os.close(leader)
            p.stderr.close()
            self.assertEqual(p.wait(), 0)
            self.assertEqual(b"\033[" in seen, coloured, env)

    def test_stats_go_to_stderr(self):
        r = assay("explore", "--stats", demo("x86_64"), "clamp")
        self.assertEqual(r.code, 0)
        self.assertEqual(r.out, self.ok("explore", demo("x86_64"), "clamp"))
        for word in ["paths", "terms", "solver calls", "answered by cache"]:
            self.assertRegex(r.err, r"(?m)^  %s +\d+$" % word)


main()
