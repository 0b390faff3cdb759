# SPDX-License-Identifier: GPL-3.0-or-later
"""LLVM bitcode in place of a program."""
import subprocess

from common import *

HAVE_LLVM = os.environ.get("HAVE_LLVM") == "1"


class Bitcode(Test):
    def compile(self, source, *flags):
        out = self.path("module.bc")
        subprocess.run(["clang", "-w", "-emit-llvm", "-c", *flags, source, "-o", out], check=True)
        return out

    def setUp(self):
        super().setUp()
        self.demo = self.compile(os.path.join(SOURCE, "examples/demo.c"), "-g", "-O1")


@unittest.skipUnless(HAVE_LLVM, "built without LLVM")
class Reads(Bitcode):
    def test_functions(self):
        found = {f["name"]: f for f in self.json("functions", "--json", self.demo)["functions"]}
        self.assertEqual((found["clamp"]["arguments"], found["clamp"]["returns"]), (3, "value"))
        self.assertTrue(found["fail"]["noreturn"])
        self.assertIn("extern", found["printf"]["flags"])
        self.assertTrue(found["printf"]["variadic"])
        self.assertIn("clamp", self.ok("functions", self.demo))

    def test_every_function_is_explored(self):
        doc = self.json("explore", "--all", "--json", "--timeout", "20s", self.demo)
        self.assertEqual(doc["input"]["type"], "LLVM bitcode")
        names = [e["function"] for e in doc["explored"]]
        self.assertEqual(names, ["clamp", "kind_name", "checksum", "parse", "main", "fail"])
        self.assertTrue(all(e["paths"] for e in doc["explored"]))
        self.assertEqual(doc["explored"][-1]["paths"][-1]["end"], "does not return")

    def test_same_as_machine_code(self):
        """clamp does the same whichever way it is looked at."""
        code = self.path("demo.o")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-ffreestanding", "-w", "-O1", "-c",
                        os.path.join(SOURCE, "examples/limit.c"), "-o", code], check=True)
        module = self.compile(os.path.join(SOURCE, "examples/limit.c"), "--target=x86_64-linux-gnu", "-O1")
        calls = []
        for f in [code, module]:
            doc = self.json("explore", "--json", "--paths", f, "checked")
            calls.append({e["name"] for p in doc["explored"][0]["paths"] for e in p["events"]})
        self.assertEqual(calls, [{"report"}, {"report"}])

    def test_graph(self):
        doc = self.json("cfg", "--json", self.demo, "kind_name")
        self.assertGreater(len(doc["blocks"]), 1)
        self.assertTrue(any("source" in i for b in doc["blocks"] for i in b["instructions"]))
        self.assertIn("digraph", self.ok("cfg", "--dot", self.demo, "parse"))
        self.assertIn("mem:16[", self.ok("lift", self.demo, "parse"))

    def test_two_runs_print_the_same(self):
        self.assertEqual(*(self.ok("explore", "--json", self.demo, "parse") for _ in range(2)))

    def test_axiom_object(self):
        f = self.write("apart.c", b"int a, b; int f(int v) { int x = b; a = v; return b - x; }")
        module = self.compile(f, "-O0")
        self.assertIn("object (", self.ok("explore", module, "f"))
        self.assertNotIn("object (", self.ok("explore", "--no-axiom", "object", module, "f"))

    def test_refusals(self):
        self.refused("explore", self.demo, "nothing", says=["no function", "nothing"])
        self.refused("explore", self.demo, "printf", says=["defined elsewhere"], code=3)
        self.refused("cfg", self.demo, "clam", says=["clamp"])
        avr = self.write("small.c", b"int f(int x) { return x; }")
        module = self.compile(avr, "--target=avr")
        self.refused("functions", module, says=["16 bits"], code=3)

    def test_damaged(self):
        data = read(self.demo)
        for n in [4, 8, 100, len(data) // 2, len(data) - 8]:
            self.refused("functions", self.write("cut.bc", data[:n]), says=["cut.bc"])
        self.refused("explore", self.write("bad.bc", b"BC\xc0\xde" + bytes(200)), "f", says=["bad.bc"])


@unittest.skipIf(HAVE_LLVM, "built with LLVM")
class Without(Bitcode):
    def test_says_what_to_install(self):
        self.refused("functions", self.demo, says=["llvm-19-dev"], code=3)
        self.refused("explore", self.demo, "main", says=["llvm-19-dev"], code=3)


main()
