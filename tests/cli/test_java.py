# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay java`: verdicts, paths, and what it says about bad input."""
import re
import shutil
import struct
import subprocess
import sys
import zipfile

from common import *

sys.path.insert(0, os.path.join(SOURCE, "tests", "java"))
import run as corpus  # noqa: E402

CLASSES = os.environ["JAVA_CLASSES"]


class Java(Test):
    def answer(self, method, *options, code):
        return self.json("java", "--json", *options, CLASSES, method, code=code)

    def counts(self, method, *options):
        r = assay("java", "--json", "--stats", *options, CLASSES, method)
        doc = json.loads(r.out)
        return doc["verdict"], doc["paths"], doc["stats"]["queries"]

    def test_paths_of_the_chapter(self):
        self.assertEqual(self.counts("WheelBrake.step1", "--paths"), ("holds", 24, 46))
        self.assertEqual(self.counts("WheelBrake.step2", "--mode", "1"), ("holds", 576, 1150))

    def test_one_path(self):
        for method in ("WheelBrake.step1", "WheelBrake.check3", "WheelBrake.check10", "Avoidance.step1", "Avoidance.step2",
                       "Avoidance.step10", "Boxes.plain200", "Variants.brakes1", "Variants.brakes10", "Variants.avoid1", "Variants.avoid10"):
            verdict, paths, _ = self.counts(method)
            self.assertEqual((verdict, paths), ("holds", 1), method)

    def test_two_hundred_boxes(self):
        doc = self.answer("Boxes.run200", code=1)
        inputs = [i["value"] for i in doc["failures"][0]["inputs"]]
        self.assertEqual((len(inputs), inputs.count("42")), (100, 75))

    def test_modes_agree(self):
        for method in ("Boxes.run6", "Replacer.simple", "WheelBrake.step1", "Avoidance.step1"):
            got = {mode: self.counts(method, "--mode", mode)[:2] for mode in "12345"}
            self.assertEqual(len({verdict for verdict, _ in got.values()}), 1, got)
            self.assertGreaterEqual(got["1"][1], got["5"][1], got)

    def test_modes_differ(self):
        """Regions; and calls in them; and throws in them; and several returns: each mode has what the one before has, and more."""
        for method, paths in (("WheelBrake.step1", [24, 1, 1, 1, 1]), ("Variants.avoid1", [17, 7, 1, 1, 1]),
                              ("Variants.thrower", [33, 14, 14, 4, 4]), ("Avoidance.step1", [68, 7, 7, 7, 1]),
                              ("Variants.brakes1", [12, 4, 1, 1, 1])):
            self.assertEqual([self.counts(method, "--mode", mode)[1] for mode in "12345"], paths, method)

    def test_known_numbers_stay_known(self):
        """Where merging would make a loop's counter a choice it does not pay: no query more than without it, none for the solver."""
        for method in ("Replacer.simple", "Replacer.closure", "Replacer.long5"):
            merged, apart = (json.loads(assay("java", "--json", "--stats", "--mode", mode, CLASSES, method).out) for mode in "51")
            self.assertEqual((merged["verdict"], apart["verdict"]), ("holds", "holds"))
            self.assertLessEqual(merged["stats"]["queries"], apart["stats"]["queries"], method)
            self.assertEqual(merged["stats"]["solver_calls"], 0, method)
            self.assertGreater(merged["stats"]["merges_refused"], 0, method)

    def test_filters(self):
        """As many states as numbers of elements that were kept, not as choices of them: 2^16."""
        merged = json.loads(assay("java", "--json", "--stats", CLASSES, "Filters.count16").out)
        self.assertEqual((merged["verdict"], merged["paths"], merged["stats"]["mode"]), ("holds", 1, 5))
        self.assertLess(merged["stats"]["forks"], 200)

    def test_merging_does_not_cost_more_than_it_saves(self):
        """Beyond a small trial it takes at most about twice the work of one path at a time, where it does not pay."""
        trial = 15 * 10000
        for method in ("count8", "positive8", "positive12", "list5"):
            merged, apart = (json.loads(assay("java", "--json", "--stats", "--mode", mode, CLASSES, "Filters." + method).out) for mode in "51")
            self.assertEqual((merged["verdict"], apart["verdict"]), ("holds", "holds"))
            self.assertLess(merged["stats"]["work"], 2 * apart["stats"]["work"] + trial, method)

    def test_merging_is_given_up(self):
        """What is too hard for merged paths is decided one at a time, and the counts say so."""
        for mode, paths in (("5", 243), ("1", 243)):
            doc = json.loads(assay("java", "--json", "--stats", "--mode", mode, CLASSES, "Filters.list5").out)
            self.assertEqual((doc["verdict"], doc["paths"], doc["stats"]["mode"]), ("holds", paths, 1))

    def test_corpus(self):
        """A part of it, merged and path by path: none is wrong."""
        for i, (cls, method, verdict, check) in enumerate(corpus.cases()):
            if i % 6:
                continue
            for mode in ("5", "1"):
                _, doc, err = corpus.ask(ASSAY, CLASSES, cls + "." + method, "--mode", mode, "--timeout", "10s")
                outcome, said = corpus.judge(doc, verdict, check)
                self.assertNotEqual(outcome, "wrong", (cls, method, mode, said, err))

    def test_virtual_machine_agrees(self):
        """Random methods: what the virtual machine computes is what is proved of them."""
        for more in ([], ["--inputs"]):
            r = subprocess.run([sys.executable, os.path.join(SOURCE, "tests/java/differential.py"), ASSAY, "--runs", "40", *more],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(r.returncode, 0, r.stdout.decode()[-3000:])

    def test_checks_are_chosen(self):
        self.answer("Arithmetic.divide", "--check", "divide", code=1)
        self.answer("Arithmetic.divide", "--check", "assert,null", code=0)
        self.refused("java", "--check", "assert,nul", CLASSES, "Arithmetic.divide", says=["--check nul"])

    def test_failure_is_told(self):
        f = self.answer("Arithmetic.divide", code=1)["failures"][0]
        self.assertEqual((f["check"], f["exception"], f["file"]), ("divide", "java.lang.ArithmeticException", "Arithmetic.java"))
        self.assertEqual([(i["name"], i["type"]) for i in f["inputs"]], [("arg0", "int"), ("arg1", "int")])
        self.assertEqual(f["inputs"][1]["value"], "0")

    def test_replay(self):
        """Failures happen on the virtual machine, with the inputs that were found (all of the corpus: ./dev bench java)."""
        for cls, method in (("Boxes", "run6"), ("Exceptions", "assertion"), ("Strings", "charAtAny"), ("Competition", "nondetStarts")):
            for f in self.answer(cls + "." + method, "--replay", code=1)["failures"]:
                self.assertEqual(f["replay"], "confirmed", (cls, method, f))

    def test_replay_differs(self):
        """What depends on the clock cannot be repeated."""
        f = self.answer("Variants.clock", "--replay", code=1)["failures"][0]
        self.assertEqual((f["replay"], f["replay_said"]), ("not confirmed", "returned"))

    def test_junit(self):
        """JUnit itself runs what was written."""
        folder, made = self.path("junit"), self.path("junit-made")
        doc = json.loads(assay("java", "--json", "--tests", folder, CLASSES, "Variants.thrower").out)
        jars = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar"
        source = [os.path.join(at, n) for at, _, names in os.walk(folder) for n in names if n.endswith(".java")]
        subprocess.run(["javac", "-nowarn", "-cp", jars, "-d", made, *source], check=True)
        r = subprocess.run(["java", "-ea", "-cp", ":".join([made, CLASSES, jars]), "org.junit.runner.JUnitCore", "Variants_thrower_Test"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(r.returncode, 0, r.stdout.decode())
        self.assertIn("OK (%d tests)" % len(doc["cases"]), r.stdout.decode())

    def test_tests_pass_and_reach(self):
        """What --tests wrote passes on the virtual machine, comes to each line and takes each branch that it claims (all of the corpus: ./dev bench java)."""
        counts, wrong = corpus.check_tests(ASSAY, CLASSES, self.path("generated"), [
            ["Arithmetic.divide"], ["Variants.thrower"], ["Control.lookupSwitch"], ["Variants.symbol", "--symbolic", "arg0[2],Variants.level"]])
        self.assertEqual(wrong, [])
        self.assertEqual(counts["Arithmetic.divide"], 2)
        self.assertEqual(counts["Variants.thrower"], 5)
        self.assertGreaterEqual(counts["Control.lookupSwitch"], 4)

    def test_coverage(self):
        page = self.path("page.html")
        doc = self.answer("Variants.thrower", "--coverage", "--coverage-html", page, "--sources", os.path.join(SOURCE, "tests/java/programs"), code=1)
        c = doc["coverage"]
        self.assertEqual((c["lines"], c["branches"], c["branches_taken"]), (c["lines_covered"], 12, 9))
        text = read(page).decode()
        self.assertIn("throw new IllegalStateException", text)
        self.assertIn('class="yes"', text)
        c = self.answer("Variants.half", "--coverage", code=0)["coverage"]
        self.assertEqual((c["branches"], c["branches_taken"], c["lines"] - c["lines_covered"]), (4, 2, 1))

    def test_symbolic(self):
        self.answer("Variants.symbol", "--symbolic", "arg0[2],Variants.level", code=1)
        doc = self.answer("Variants.symbol", "--symbolic", "arg0[2]", code=3)
        self.assertEqual(doc["verdict"], "bounded")
        f = self.answer("Variants.symbol", "--symbolic", "Variants.level", code=1)["failures"][0]
        self.assertEqual(f["check"], "null")
        self.refused("java", "--symbolic", "arg7", CLASSES, "Variants.symbol", says=["arg7", "1 argument"])
        self.refused("java", "--symbolic", "Variants.lvel", CLASSES, "Variants.symbol", says=["Variants.lvel"])

    def test_competition(self):
        prp, witness = self.write("a.prp", b"CHECK( init(Boxes.run6()), LTL(G assert) )\n"), self.path("w.graphml")
        r = assay("java", "--svcomp", prp, "--witness", witness, CLASSES, "Boxes.run6")
        self.assertEqual((r.code, r.out), (1, "FALSE\n"))
        text = read(witness).decode()
        self.assertIn("violation_witness", text)
        self.assertEqual(text.count('<data key="assumption">'), 3)
        asked = [n for n, line in enumerate(read(os.path.join(SOURCE, "tests/java/programs/Boxes.java")).decode().split("\n"), 1) if "anyInt" in line]
        lines = re.findall(r'<edge .*?</edge>', text, re.S)
        self.assertEqual([re.search(r'startline">(\d+)<', e).group(1) for e in lines[:3]], [str(asked[0])] * 3)
        self.assertTrue(all("Boxes.java" in e for e in lines))
        r = assay("java", "--svcomp", prp, "--witness", witness, CLASSES, "Variants.brakes1")
        self.assertEqual((r.code, r.out), (0, "TRUE\n"))
        self.refused("java", "--svcomp", self.write("b.prp", b"CHECK( init(main()), LTL(G valid-free) )\n"), CLASSES, says=["b.prp", "property"])
        self.refused("java", CLASSES, says=["which class"])

    def test_native_is_unknown(self):
        doc = self.answer("Strings.upper", code=3)
        self.assertEqual(doc["verdict"], "unknown")
        self.assertTrue(doc["unknown"])

    def test_what_is_not_supported_is_named(self):
        for method, what in (("thread", "threads are not supported (java/lang/Thread.<init>)"), ("waits", "threads are not supported (java/lang/Object.wait)"),
                             ("reflects", "reflection is not supported (java/lang/Class.forName)")):
            doc = self.answer("Variants." + method, code=3)
            self.assertEqual((doc["verdict"], doc["unknown"]), ("unknown", [what]))
        doc = self.answer("Variants.locks", code=0)
        self.assertIn("monitors are ignored: there is one thread", doc["assumed"])

    def test_same_bytes(self):
        runs = {assay("java", "--json", CLASSES, "Objects.writeThrough").out for _ in range(3)}
        self.assertEqual(len(runs), 1)

    def test_jar(self):
        jar = self.path("a.jar")
        with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as z:
            for name in os.listdir(CLASSES):
                if name.startswith("Objects"):
                    z.write(os.path.join(CLASSES, name), name)
        self.assertEqual(self.json("java", "--json", jar, "Objects.dispatch")["verdict"], "holds")
        data = read(jar)
        self.refused("java", self.write("cut.jar", data[:len(data) // 2]), "Objects.dispatch", says=["cut.jar"])

    def test_jmod(self):
        jmod = self.path("a.jmod")
        with zipfile.ZipFile(self.path("z.zip"), "w", zipfile.ZIP_DEFLATED) as z:
            for name in os.listdir(CLASSES):
                if name.startswith("Objects"):
                    z.write(os.path.join(CLASSES, name), "classes/" + name)
        self.write("a.jmod", b"JM\x01\x00" + read(self.path("z.zip")))
        self.assertEqual(self.json("java", "--json", jmod, "Objects.dispatch")["verdict"], "holds")
        self.refused("java", self.write("cut.jmod", read(jmod)[:500]), "Objects.dispatch", says=["cut.jmod"])

    def test_bad_input(self):
        self.refused("java", CLASSES, "Objets.dispatch", says=["no such class", "did you mean Objects"])
        self.refused("java", CLASSES, "Objects.dispatc", says=["no such method", "did you mean dispatch"])
        self.refused("java", CLASSES, "Control.gcd(II)J", says=["no such method"])
        self.refused("java", CLASSES, "Control.gcd(II", says=["descriptor"])
        self.refused("java", self.path("none"), "A", says=["none"])
        self.refused("java", "--jdk", self.path("nojdk"), CLASSES, "Objects.dispatch", says=["nojdk"])
        os.mkdir(self.path("emptyjdk"))
        self.refused("java", "--jdk", self.path("emptyjdk"), CLASSES, "Objects.dispatch", says=["emptyjdk", "not the directory of a JDK"])
        os.mkdir(self.path("c"))
        data = bytearray(read(os.path.join(CLASSES, "Floats.class")))
        struct.pack_into(">H", data, 6, 70)
        self.write("c/Floats.class", bytes(data))
        self.refused("java", self.path("c"), "Floats.sqrt", says=["version is 70", "--release"])
        self.write("c/Floats.class", read(os.path.join(CLASSES, "Floats.class"))[:300])
        self.refused("java", self.path("c"), "Floats.sqrt", says=["Floats.class", "ends too early"])
        self.write("c/Floats.class", b"")
        self.refused("java", self.path("c"), "Floats.sqrt", says=["Floats.class"])

    def test_no_jdk(self):
        """As on a machine without one: nothing is mounted where they are installed."""
        if subprocess.run(["unshare", "-rm", "true"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("needs a mount namespace")
        environment = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"}
        r = subprocess.run(["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /usr/lib/jvm && exec "$0" java "$1" Objects.dispatch', ASSAY, CLASSES],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.assertEqual((r.returncode, r.stdout), (2, b""))
        self.assertRegex(r.stderr.decode(), r"^assay: no JDK .*install openjdk-17.*--jdk DIR\n$")

    def test_java_home(self):
        r = subprocess.run([ASSAY, "java", CLASSES, "Objects.dispatch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=dict(os.environ, JAVA_HOME=self.path("moved")))
        self.assertEqual((r.returncode, r.stdout), (2, b""))
        self.assertRegex(r.stderr.decode(), r"^assay: .*moved: JAVA_HOME names it, .*--jdk DIR\n$")

    def test_damaged_classes(self):
        """Every byte of a class file changed, one at a time in a few ways: an answer or a complaint, nothing else."""
        os.mkdir(self.path("d"))
        for name in os.listdir(CLASSES):
            if name.startswith("Avoidance") or name == "assay":
                (shutil.copytree if name == "assay" else shutil.copy)(os.path.join(CLASSES, name), self.path("d/" + name))
        data = read(os.path.join(CLASSES, "Avoidance.class"))
        for at in range(0, len(data), 23):
            changed = bytearray(data)
            changed[at] ^= 0xff if at % 2 else 1 << at // 2 % 8
            self.write("d/Avoidance.class", bytes(changed))
            r = assay("java", "--timeout", "5s", self.path("d"), "Avoidance.step1")
            self.assertIn(r.code, (0, 1, 2, 3), (at, r.err))
            self.assertNotIn("crash", r.err, at)
            self.assertNotIn("signal", r.err, at)


main()
