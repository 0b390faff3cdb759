# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of functions whose paths are known."""
from common import *


def explored(doc):
    assert len(doc["explored"]) == 1
    return doc["explored"][0]


class Explore(Test):
    def paths(self, arch, function, *args):
        x = explored(self.json("explore", "--json", "--paths", *args, branches(arch), function))
        self.assertTrue(x["complete"])
        return x["paths"]

    def test_call_or_not(self):
        for arch in ARCHES:
            paths = self.paths(arch, "call_or_not")
            self.assertEqual(len(paths), 2, (arch, paths))
            calling = [p for p in paths if any(e["kind"] == "call" for e in p["events"])]
            self.assertEqual(len(calling), 1, arch)
            call = [e for e in calling[0]["events"] if e["kind"] == "call"][0]
            self.assertEqual(call["name"], "external")
            if arch != "i686":  # what is pushed for a function that nothing is known of is not known either
                self.assertIn("arg0", call["arguments"][0])
            other = [p for p in paths if p is not calling[0]][0]
            self.assertEqual(other["result"], "7", arch)
            self.assertIn("arg0", " ".join(other["conditions"]))

    def test_store_if(self):
        for arch in ARCHES:
            paths = self.paths(arch, "store_if")
            writes = sorted(len(p["writes"]) for p in paths)
            # ARM may do it with a conditional store: one path, one guarded write.
            self.assertIn(writes, ([0, 1], [1]), (arch, paths))
            w = [w for p in paths for w in p["writes"]][0]
            self.assertEqual(w["address"], "arg0")
            self.assertIn("arg1", w["value"])
            self.assertEqual(w["bytes"], 4)

    def test_eight(self):
        for arch in ARCHES:
            self.assertEqual(len(self.paths(arch, "eight")), 8, arch)
            merged = explored(self.json("explore", "--json", "--merge", branches(arch), "eight"))
            self.assertTrue(merged["complete"])
            self.assertLess(len(merged["paths"]), 8)

    def test_visits(self):
        two = self.paths("x86_64", "count")
        four = self.paths("x86_64", "count", "--visits=4")
        self.assertGreater(len(four), len(two))
        self.assertTrue(any(p["end"] == "loop bound" for p in two))

    def test_limit_on_paths(self):
        r = assay("explore", "--json", "--paths", "--max-paths=5", branches("x86_64"), "eight")
        x = explored(json.loads(r.out))
        self.assertEqual((r.code, len(x["paths"]), x["complete"]), (3, 5, False))
        self.assertIn("5", x["reason"])

    def test_several_functions(self):
        doc = self.json("explore", "--json", "--jobs=2", branches("x86_64"), "eight", "call_or_not", "store_if")
        self.assertEqual([x["function"] for x in doc["explored"]], ["eight", "call_or_not", "store_if"])
        self.assertTrue(all(x["complete"] for x in doc["explored"]))

    def test_all(self):
        r = assay("explore", "--json", "--all", "--max-paths=50", branches("aarch64"))
        names = {x["function"] for x in json.loads(r.out)["explored"]}
        self.assertEqual(names, {"call_or_not", "store_if", "many", "eight", "count"})

    def test_text(self):
        text = self.ok("explore", "--paths", branches("x86_64"), "call_or_not")
        self.assertRegex(text, r"^call_or_not at 0x\w+: 2 paths\n\npath 1: returns at 0x\w+\n  when +\S")
        self.assertRegex(text, r"(?m)^  calls +r1 = external\(")
        self.assertRegex(text, r"(?m)^  result +7$")

    def test_dump_smt(self):
        r = assay("explore", "--paths", "--dump-smt=" + self.path("q"), branches("x86_64"), "count")
        self.assertEqual(r.code, 0, r.err)
        self.assertTrue(os.path.isdir(self.path("q")))
        for f in os.listdir(self.path("q")):
            self.assertIn("check-sat", read(os.path.join(self.path("q"), f)).decode())

    def test_solvers_agree(self):
        z3 = self.ok("explore", "--paths", branches("x86_64"), "call_or_not")
        self.assertEqual(z3, self.ok("explore", "--paths", "--solver=cvc5", branches("x86_64"), "call_or_not"))
        self.assertEqual(z3, self.ok("explore", "--paths", "--solver=race", branches("x86_64"), "call_or_not"))

    def test_unknown_solver(self):
        self.refused("explore", "--solver=no-such-solver", branches("x86_64"), "eight", says=["no-such-solver"])

    def test_time_limit_keeps_what_was_found(self):
        r = assay("explore", "--paths", "--no-prune", "--timeout=1s", branches("x86_64"), "many")
        self.assertEqual(r.code, 3)
        self.assertRegex(r.out, r"^many at 0x\w+: \d+ paths?, not complete: ")
        self.assertIn("\npath 1: ", r.out)


main()
