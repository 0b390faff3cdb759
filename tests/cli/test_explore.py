# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of functions whose paths are known."""
import subprocess

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

    def test_words_since_the_last_call(self):
        """Where two ways meet, each has words on the stack that were set for calls of its own: none is an argument of the next call."""
        code = """.globl f
            f: sub $28, %esp; mov 32(%esp), %eax; test %eax, %eax; je 1f; call e; jmp 2f
            1: call e; mov 36(%esp), %eax; movl $2, 4(%esp); movl $1, (%esp); mov %eax, 8(%esp); call h
            2: mov 36(%esp), %eax; mov %eax, (%esp); call g; xor %eax, %eax; add $28, %esp; ret
            """
        for jump in ("je", "jne"):
            path = self.path("f.o")
            subprocess.run(["clang", "--target=i686-linux-gnu", "-c", self.write("f.s", code.replace("je", jump).encode()), "-o", path], check=True)
            paths = explored(self.json("explore", "--json", path, "f"))["paths"]
            given = {e["name"]: e["arguments"] for p in paths for e in p["events"]}
            self.assertEqual((given["h"], given["g"]), (["1", "2", "arg1"], ["arg1"]))

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
        for limit in limits(500):
            r = assay("explore", "--paths", "--no-prune", "--timeout=%dms" % limit, branches("x86_64"), "many")
            self.assertEqual(r.code, 3)
            if "\npath " in r.out:
                break
        self.assertRegex(r.out, r"^many at 0x\w+: \d+ paths?, not complete: ")
        self.assertIn("\npath 1: ", r.out)

    def hard(self):
        """Twelve questions that only a solver can answer."""
        source = self.write("hard.c", b"int ext(int);\n#define Q(n) if (x * x * (n + 3) % 65521 == n + 7) ext(n);\n"
                            b"void hard(unsigned x) { Q(0) Q(1) Q(2) Q(3) Q(4) Q(5) Q(6) Q(7) Q(8) Q(9) Q(10) Q(11) }\n")
        return self.compiled(source)

    def compiled(self, source):
        out = self.path("input.o")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", "-c", source, "-o", out], check=True)
        return out

    def solver(self, then):
        """A solver that never knows; $n is how often it was asked. Its parent is the worker."""
        script = self.write("solver", b"#!/bin/sh\necho >>%s\nn=$(wc -l <%s)\n%s\necho unknown\n"
                            % (self.path("asked").encode(), self.path("asked").encode(), then))
        os.chmod(script, 0o755)
        return "--solver=" + script

    def works(self, seconds):
        """Processor time that a solver spends."""
        return b"(ulimit -t %d; while :; do :; done) 2>/dev/null" % seconds

    def test_what_was_found_before_a_worker_died(self):
        """With several functions each has a worker; the paths of one that was ended are kept."""
        f = self.hard()
        r = assay("explore", "--json", "--paths", self.solver(b"[ $n -lt 60 ] || kill -9 $PPID"), f, "hard", "hard")
        self.assertEqual(r.code, 3)
        for x in json.loads(r.out)["explored"]:
            self.assertEqual((x["function"], x["complete"]), ("hard", False))
            self.assertIn("SIGKILL", x["reason"])
        self.assertGreater(sum(len(x["paths"]) for x in json.loads(r.out)["explored"]), 1)

    def test_time_limit_before_the_next_question(self):
        """However long the solver takes, the time limit ends the exploration and not the worker."""
        f = self.hard()
        r = assay("explore", "--json", "--paths", self.solver(self.works(1)), "--timeout=500ms", f, "hard")
        self.assertEqual((r.code, r.err), (3, ""))
        x = json.loads(r.out)["explored"][0]
        self.assertEqual((x["complete"], x["reason"]), (False, "time limit of 500 ms"))
        self.assertIn("ledger", x)
        self.assertLess(len(read(self.path("asked"))), 10)

    def test_time_limit_when_merging(self):
        """States that had returned when time was up are paths, too."""
        source = self.write("early.s", b""".text
.globl early
.type early,@function
early: subq $8,%rsp
""" + b"".join(b"""%d: call f
 testl %%eax,%%eax
 je %df
 addq $8,%%rsp
 movl $%d,%%eax
 ret
""" % (i, i + 1, i) for i in range(1, 6)) + b"6: addq $8,%rsp\n ret\n.size early,.-early\n")
        f = self.compiled(source)
        for limit in limits(1000):
            solver = self.solver(b"[ $n -lt 6 ] || " + self.works(limit // 1000 + 1))
            self.write("asked", b"")
            r = assay("explore", "--json", "--timeout=%dms" % limit, solver, f, "early")
            self.assertEqual(r.code, 3, r.err)
            x = json.loads(r.out)["explored"][0]
            self.assertEqual(x["reason"], "time limit of %d ms" % limit)
            if len(x["paths"]) > 1:
                break
        self.assertEqual([p["result"] for p in x["paths"]][:2], ["1", "2"])
        self.assertEqual(len({p["end_address"] for p in x["paths"]}), len(x["paths"]))


main()
