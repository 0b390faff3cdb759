# SPDX-License-Identifier: GPL-3.0-or-later
"""assay verify as a run over many functions: how its work is shared out, and what it says while it works and in the end."""
import pty
import signal
import subprocess

from common import *

# Whether b is a factor of a large number: no solver decides it soon.
HARD = "int hard%d(unsigned a, unsigned b) { return a > 1 && b > %d && 0ull + a * (b + 0ull) == 1ull ? 5 : 4; }\n"
EASY = "int easy%d(int n) { return n * %d; }\n"
PRODUCT = "%dull" % ((2 ** 31 - 1) * (2 ** 31 - 19))


class Run(Test):
    def build(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        source = self.write(os.path.basename(name) + ".c", text.encode())
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", "-c", "-o", self.path(name), source], check=True)
        return self.path(name)

    def pair(self, text, *changes, name="x.o"):
        old = self.build("old/" + name, text)
        for was, becomes in changes:
            self.assertIn(was, text)
            text = text.replace(was, becomes)
        return old, self.build("new/" + name, text)


class Budget(Run):
    def functions(self, doc):
        return {f["name"]: f for file in doc["files"] for f in file["functions"]}

    def test_everything_first(self):
        """What is easy is decided though what comes before it is not, and the budget ends the run."""
        old, new = self.pair(HARD % (1, 1) + HARD % (2, 3) + EASY % (1, 5), ("1ull", PRODUCT), ("n * 5", "n * 7"))
        command = ["verify", "--json", "--budget=500ms"]
        doc = self.json(*command, old, new, code=1)
        f = self.functions(doc)
        self.assertEqual({n: x["verdict"] for n, x in f.items()}, {"hard1": "unknown", "hard2": "unknown", "easy1": "unsafe"})
        self.assertIn("raise --budget", f["hard1"]["remedy"])
        self.assertLess(f["hard1"]["limit_ms"], 500)
        self.assertEqual(len({assay(*command, jobs, old, new).out for jobs in ["-j1", "-j2"]}), 1)

    def test_more_for_what_is_left(self):
        old, new = self.pair(HARD % (1, 1) + EASY % (1, 5), ("1ull", PRODUCT), ("n * 5", "n * 7"))
        doc = self.json("verify", "--json", "--budget=0", "--timeout=1200ms", old, new, code=1)
        f = self.functions(doc)["hard1"]
        self.assertEqual((f["verdict"], f["limit_ms"], f["remedy"]), ("unknown", 1200, "raise --timeout"))

    def test_several_files(self):
        """The rounds go over all files; the report is that of one run, whatever the number of workers."""
        for name in ["a.o", "b.o"]:
            self.pair(HARD % (1, 1) + EASY % (1, 5), ("1ull", PRODUCT), ("n * 5", "n * 7"), name=name)
        command = ["verify", "--json", "--budget=6s", "--timeout=1200ms"]
        doc = self.json(*command, self.path("old"), self.path("new"), code=1)
        self.assertEqual(doc["summary"]["unsafe"], 2)
        self.assertEqual(doc["summary"]["unknown"], 2)
        for file in doc["files"]:
            self.assertEqual([(f["name"], f.get("limit_ms")) for f in file["functions"]], [("hard1", 1200), ("easy1", None)])
        self.assertEqual(len({assay(*command, jobs, self.path("old"), self.path("new")).out for jobs in ["-j1", "-j2"]}), 1)

    def test_interrupted_while_it_works_on_the_rest(self):
        """The live line says where it is; Ctrl-C keeps the verdicts of the first pass, in every format."""
        old, new = self.pair(HARD % (1, 1) + HARD % (2, 3) + EASY % (1, 5), ("1ull", PRODUCT), ("n * 5", "n * 7"))
        for how in ["--json", "--sarif"]:
            leader, follower = pty.openpty()
            with open(self.path("out"), "w+") as out:
                p = subprocess.Popen([ASSAY, "verify", how, "--html", self.path("page.html"), "-j1", "--timeout=1h", "--query-timeout=1h",
                                      "--budget=0", old, new], stdin=subprocess.DEVNULL, stdout=out, stderr=follower)
                os.close(follower)
                seen = b""
                while b"verifying hard1 (1 of 2, 2 undecided)" not in seen:
                    seen += os.read(leader, 4096)
                p.send_signal(signal.SIGINT)
                try:
                    while more := os.read(leader, 4096):
                        seen += more
                except OSError:
                    pass
                os.close(leader)
                self.assertEqual(p.wait(), 3)
                out.seek(0)
                doc = json.load(out)
            self.assertIn(b"verifying hard1 (1 of 3)", seen)
            self.assertTrue(read(self.path("page.html")).rstrip().endswith(b"</html>"))
            if how == "--sarif":
                self.assertFalse(doc["runs"][0]["invocations"][0]["executionSuccessful"])
                continue
            self.assertEqual((doc["complete"], doc["verdict"]), (False, "unsafe"))
            self.assertEqual([doc["summary"][v] for v in ["safe", "unsafe", "unknown"]], [0, 1, 2])
            self.assertEqual(doc["files"][0]["reasons"], [])


if __name__ == "__main__":
    unittest.main()
