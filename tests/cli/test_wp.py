# SPDX-License-Identifier: GPL-3.0-or-later
"""assay wp: what a person would say of small functions (wp_old.c, wp_new.c), on several processors and levels."""
import json
import re
import subprocess
import tempfile

from common import *

RETURN = {"x86_64": "RAX", "aarch64": "X0", "arm": "R0", "i686": "EAX"}
HOLDS, FAILS, UNKNOWN = 0, 1, 3
WORD = {HOLDS: "UNSAT!", FAILS: "SAT!", UNKNOWN: "UNKNOWN!"}

# What one function does: (function, options, verdict, because)
ONE = [
    ("assert_three", ["--trip-asserts"], FAILS, "n == 3 gets there"),
    ("assert_never", ["--trip-assert"], HOLDS, "no number is above 5 and below 3"),
    ("assumed", ["--trip-asserts"], HOLDS, "what is assumed excludes it"),
    ("nondet", ["--trip-asserts"], FAILS, "two unknown numbers may be in any order"),
    ("first_value", ["--check-null-derefs"], HOLDS, "the pointer is checked"),
    ("first_value_unchecked", ["--check-null-derefs"], FAILS, "it is not"),
    ("first_value_unchecked", ["--check-null-derefs", "--pre", "n != 0"], HOLDS, "the caller checks"),
    ("touch", ["--check-null-derefs"], FAILS, "a load counts though its value is not used"),
    ("list_length", ["--post", "ret < 3"], FAILS, "lists may be longer"),
    ("max", ["--post", "ret >= a && ret >= b && (ret == a || ret == b)"], HOLDS, "that is what a maximum is"),
    ("clamp", ["--post", "0 <= ret && ret <= 100"], HOLDS, "both ends are cut"),
    ("clamp", ["--post", "ret > 0"], FAILS, "clamp(0) is 0"),
    ("fib", ["--post", "ret <= 21"], HOLDS, "the table's largest number is 21"),
    ("fib", ["--post", "ret < 21"], FAILS, "fib(7) is 21"),
    ("sum_of_squares", ["--inline", "square", "--post", "a == 2 && b == 3 ==> ret == 13"], HOLDS, "4 + 9"),
    ("store_through", ["--post", "p != 0 ==> *p == v"], HOLDS, "it is stored"),
    ("store_through", ["--post", "*p == v"], FAILS, "not through a null pointer"),
    ("copy16", ["--post", "mem32[arg0 + 4] == init(mem32[arg1 + 4])", "--pre", "arg0 + 16 <= arg1 && arg1 < 0x10000 && arg0 < 0x10000",
                "--num-unroll=16"], HOLDS, "every byte is copied"),
    ("copy16", ["--post", "mem32[arg0 + 16] == init(mem32[arg1 + 16])", "--pre", "arg0 + 32 <= arg1 && arg1 < 0x10000 && arg0 < 0x10000",
                "--num-unroll=16"], FAILS, "but no more than 16"),
]

# What two versions do; @R is the register of results.
TWO = [
    ("process_message", ["--compare-func-calls"], FAILS, "a NAV message now falls through to DEPLOY"),
    ("assert_three", ["--trip-asserts"], FAILS, "4 fails in the new one only"),
    ("first_value", ["--check-null-derefs"], FAILS, "the check is gone"),
    ("second_value", ["--check-null-derefs"], HOLDS, "written in another way"),
    ("second_value", ["--compare-post-reg-values=@R"], HOLDS, "written in another way"),
    ("list_length", ["--compare-post-reg-values=@R"], HOLDS, "up to the bound on loops"),
    ("lowest_bit", ["--compare-post-reg-values=@R", "--num-unroll=32"], HOLDS, "de Bruijn's trick is right"),
    ("hash", ["--compare-post-reg-values=@R"], HOLDS, "33 * h is h << 5 plus h"),
    ("count", ["--post", "ret@old == ret@new"], HOLDS, "the same variable in another place"),
    ("fib", ["--post", "ret@old == ret@new"], HOLDS, "equal tables in different places"),
    ("sum_of_squares", ["--post", "ret@old == ret@new", "--inline=.*"], HOLDS, "addition commutes"),
    ("sum_of_squares", ["--post", "ret@old == ret@new"], HOLDS, "square is followed: its summary does not say that it keeps no state"),
    ("uses_helper", ["--post", "ret@old == ret@new"], FAILS, "another argument"),
    ("divide", ["--compare-func-calls"], FAILS, "helper is called in more cases"),
    ("clamp", ["--post", "ret@old == ret@new"], HOLDS, "the order of cuts does not matter"),
    ("store_through", ["--check-null-derefs"], FAILS, "the check is gone"),
    ("store_through", ["--check-invalid-derefs"], FAILS, "the check is gone"),
]

FLOAT = ("average", ["--post", "ret@old == ret@new"], HOLDS, "the same operations through memory")


def build(arch, version, level):
    return os.path.join(INPUTS, "wp-%s-%s-O%s" % (arch, version, level))


class Verdicts(Test):
    def ask(self, arch, level, case, versions):
        function, options, verdict, why = case
        files = [build(arch, v, level) for v in versions]
        r = assay("wp", "--func=" + function, *[o.replace("@R", RETURN[arch]) for o in options], *files)
        self.assertEqual(r.code, verdict, (arch, level, case, r.out, r.err))
        self.assertEqual(r.out.split("\n")[0], WORD[verdict], (arch, level, case))

    def all(self, arch, level, names=None, extra=()):
        for cases, versions in ((ONE, ["old"]), (TWO, ["old", "new"]), (list(extra), ["old", "new"])):
            for case in cases:
                if names is None or case[0] in names:
                    self.ask(arch, level, case, versions)

    def test_x86_64(self):
        self.all("x86_64", 2, extra=[FLOAT])

    def test_x86_64_unoptimised(self):
        self.all("x86_64", 0, ["process_message", "first_value", "touch", "clamp", "count", "fib", "list_length"])

    def test_aarch64(self):
        self.all("aarch64", 2, extra=[FLOAT])

    def test_aarch64_unoptimised(self):
        self.all("aarch64", 0, ["process_message", "assert_three", "first_value", "list_length", "max", "sum_of_squares"])

    def test_arm(self):
        self.all("arm", 0, ["process_message", "first_value", "clamp", "fib", "count", "hash"])

    def test_arm_optimised(self):
        self.all("arm", 2, [c[0] for c in ONE + TWO if c[0] not in ("sum_of_squares", "average")])

    def test_position_independent_or_not(self):
        """The same source in a shared library and linked to fixed addresses: data lies elsewhere, and is found in other ways."""
        for function, register in (("fib", "RAX"), ("count", "RAX"), ("hash", "RAX"), ("list_length", "RAX"), ("average", "XMM0")):
            r = assay("wp", "--func=" + function, "--compare-post-reg-values=" + register, build("x86_64", "old", 2), build("x86_64", "old", 1))
            self.assertEqual(r.code, HOLDS, (function, r.out, r.err))
        r = assay("wp", "--func=fib", "--compare-post-reg-values=RAX", "--post", "ret@new < 21", build("x86_64", "old", 2), build("x86_64", "old", 1))
        self.assertEqual(r.code, FAILS, r.out)

    def test_i386(self):
        self.all("i686", 2, ["process_message", "assert_three", "store_through", "fib", "clamp"])


class Assembly(Test):
    """Labels without a type, local or not, are functions; what is listed can be asked about."""
    CODE = """.text
.globl f
f: push %%rbx
 call called
 pop %%rbx
 ret
called: lea 1(%%rdi), %%eax
 ret
lonely: imul $%d, %%edi, %%eax
 ret
"""

    def test_labels(self):
        pair = []
        for factor in (5, 6):
            pair.append(self.path("labels%d.o" % factor))
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write("labels.s", (self.CODE % factor).encode()), "-o", pair[-1]], check=True)
        names = [f["name"] for f in self.json("functions", "--json", pair[0])["functions"]]
        self.assertEqual(sorted(names), ["called", "f", "lonely"])
        for name in names:
            differs = name == "lonely"
            self.assertEqual(assay("wp", "--func", name, "--compare-post-reg-values=RAX", *pair).code, FAILS if differs else HOLDS)
            self.assertEqual(assay("verify", "--func", name, *pair).code, 1 if differs else 0)


class Story(Test):
    """The paper's example from the question to the drawing and the debugger's files."""

    def test_process_message(self):
        old, new = build("x86_64", "old", 2), build("x86_64", "new", 2)
        with tempfile.TemporaryDirectory() as d:
            r = subprocess.run([ASSAY, "wp", "--func=process_message", "--show=paths", "--compare-func-calls",
                                "--bildb-output=init.yml", "--debug-output=init.json", "--gdb-output=init.gdb", old, new],
                               cwd=d, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            out = r.stdout.decode()
            self.assertEqual(r.returncode, FAILS, r.stderr)
            self.assertRegex(out, r"RDI +\|-> +#x000000000000002a")
            self.assertIn("deploy_payload is called only if the original calls it", out)
            self.assertIn("calls deploy_payload", out.split("Path of the modified version:")[1])
            self.assertNotIn("calls deploy_payload", out.split("Path of the modified version:")[0].split("Path of the")[1])
            for version in ("orig", "mod"):
                dot = read(os.path.join(d, "process_message_%s.dot" % version)).decode()
                self.assertIn("color=red", dot)
                self.assertIn("->", dot)
                plain = [e for e in re.findall(r"^  b\d+ -> .*$", dot, re.M) if "red" not in e]
                self.assertTrue(plain, "not every edge is on the way")
            init = json.loads(read(os.path.join(d, "init.json")))
            self.assertEqual((init["schema"], init["arch"], init["version"], int(init["registers"]["RDI"], 16)),
                             (1, "x86-64", "old", 0x2A))
            self.assertEqual(json.loads(read(os.path.join(d, "init_mod.json")))["version"], "new")
            self.assertIn("  RDI: 0x2a\n", read(os.path.join(d, "init.yml")).decode())
            gdb = read(os.path.join(d, "init.gdb")).decode()
            self.assertTrue(gdb.startswith("break *process_message\n"), gdb)
            self.assertIn("set $rdi = 0x2a\n", gdb)
            self.assertNotIn("$rsp", gdb)

    def test_no_files_without_a_countermodel(self):
        with tempfile.TemporaryDirectory() as d:
            r = subprocess.run([ASSAY, "wp", "--func=clamp", "--post", "ret >= 0", "--show=paths", "--gdb-output=x.gdb",
                                build("x86_64", "old", 2)], cwd=d, stdout=subprocess.PIPE)
            self.assertEqual((r.returncode, os.listdir(d)), (HOLDS, []))


class Control(Test):
    OLD, NEW = build("x86_64", "old", 2), build("x86_64", "new", 2)

    def verdict(self, code, *args):
        r = assay("wp", *args)
        self.assertEqual(r.code, code, (args, r.out, r.err))
        return r.out

    def test_precondition_and_postcondition(self):
        post = "--postcond=(assert (= ((_ extract 31 0) RAX) #x00000064))"
        self.verdict(FAILS, "--func=clamp", post, self.OLD)
        self.verdict(HOLDS, "--func=clamp", "--precond=(assert (= RDI #x0000000000000400))", post, self.OLD)
        self.verdict(HOLDS, "--func=max", "--postcond=(assert (= RAX_orig RAX_mod))",
                     "--precond=(assert (= RDI_orig #x0000000000000003)) (assert (= RDI_mod #x0000000000000003))", self.OLD, self.NEW)
        self.verdict(HOLDS, "--func=touch", "--postcond=(assert (= RBX init_RBX))", self.OLD)
        self.verdict(HOLDS, "--func=second_value", "--postcond=(assert (= mem_orig mem_mod))", self.OLD, self.NEW)
        out = self.verdict(HOLDS, "--func=clamp", "--pre", "x > 5 && x < 3", "--post", "ret == 77", self.OLD)
        self.assertIn("the precondition is unsatisfiable", out)

    def test_memory_at_entry(self):
        self.verdict(FAILS, "--func=count", "--post", "by == 1 ==> ret == 8", self.OLD)
        self.verdict(HOLDS, "--func=count", "--post", "by == 1 ==> ret == 8", "--init-mem", self.OLD)

    def test_loops(self):
        out = self.verdict(HOLDS, "--func=list_length", "--post", "ret >= 0", self.OLD)
        self.assertIn("for up to 5 loop iterations", out)
        out = self.verdict(UNKNOWN, "--func=list_length", "--num-unroll=auto", "--post", "ret >= 0", self.OLD)
        self.assertIn("loops can continue", out)
        self.verdict(FAILS, "--func=list_length", "--num-unroll=auto", "--post", "ret != 9", self.OLD)
        out = self.verdict(HOLDS, "--func=lowest_bit", "--num-unroll=auto", "--post", "ret <= 32", self.OLD)
        self.assertNotIn("repetition", out)

    def test_summaries(self):
        spec = "helper,(assert true),(assert (= RAX (bvadd init_RDI (_ bv%d 64))))"
        small = "--precond=(assert (bvult RDI #x0000000000000100))"
        compare = ["--func=uses_helper", "--compare-post-reg-values=RAX", small]
        self.verdict(HOLDS, *compare, "--user-func-specs-orig=" + spec % 8, "--user-func-specs-mod=" + spec % 4, self.OLD, self.NEW)
        self.verdict(FAILS, *compare, "--user-func-specs-orig=" + spec % 8, "--user-func-specs-mod=" + spec % 5, self.OLD, self.NEW)
        self.verdict(FAILS, *compare, "--user-func-specs=" + spec % 8, self.OLD, self.NEW)
        nonzero = "--user-func-specs=helper, (assert (not (= ((_ extract 31 0) RDI) (_ bv0 32)))), (assert true)"
        self.verdict(HOLDS, "--func=divide", nonzero, self.OLD)
        out = self.verdict(FAILS, "--func=divide", nonzero, self.NEW)
        self.assertIn("precondition of helper", out)
        out = self.verdict(HOLDS, "--func=uses_helper", "--fun-specs=chaos-rax", "--postcond=(assert (= RCX init_RCX))", self.OLD)
        self.assertIn("helper is assumed to change no more than the return register", out)
        self.verdict(FAILS, "--func=uses_helper", "--postcond=(assert (= RCX init_RCX))", self.OLD)

    def test_built_in_summaries(self):
        """Each in its turn, and the first that applies wins."""
        source = self.write("s.c", b"void __afl_maybe_log(void); void nothing(void) {} int one(void) { return 1; } int outside(int);"
                            b"int logged(void) { int x; asm volatile(\"mov $7, %%r8d\" ::: \"r8\"); __afl_maybe_log(); asm(\"mov %%r8d, %0\" : \"=r\"(x)); return x; }"
                            b"int plain(void) { int x; asm volatile(\"mov $7, %%r8d\" ::: \"r8\"); nothing(); asm(\"mov %%r8d, %0\" : \"=r\"(x)); return x; }"
                            b"int result(void) { int x; asm volatile(\"mov $7, %%r8d\" ::: \"r8\"); one(); asm(\"mov %%r8d, %0\" : \"=r\"(x)); return x; }"
                            b"int other(void) { int x; asm volatile(\"mov $7, %%r8d\" ::: \"r8\"); outside(1); asm(\"mov %%r8d, %0\" : \"=r\"(x)); return x; }")
        f = self.path("s.o")
        subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-w", "-fno-inline", "-fno-ipa-ra", "-fno-ipa-pure-const", "-fno-stack-protector", "-c", source, "-o", f], check=True)
        for function, specs, verdict, why in (
                ("logged", "afl-maybe-log", HOLDS, "it changes RAX, RCX and RDX only"),
                ("logged", "chaos-caller-saved", FAILS, "R8 belongs to the callee"),
                ("logged", "chaos-caller-saved,afl-maybe-log", FAILS, "the first that applies is taken"),
                ("plain", "empty", HOLDS, "it does nothing"),
                ("result", "rax-out", HOLDS, "it assigns RAX"),
                ("other", "rax-out,chaos-rax", HOLDS, "nothing is known of it, so the next one applies"),
                ("other", "rax-out,chaos-caller-saved", FAILS, "R8 belongs to the callee")):
            r = assay("wp", "--func=" + function, "--fun-specs=" + specs, "--post", "(int)ret == 7", f)
            self.assertEqual(r.code, verdict, (function, specs, why, r.out, r.err))

    def test_no_run_ends(self):
        """A loop of a fixed number of rounds that is longer than the bound: nothing would have been seen of the end."""
        source = self.write("l.c", b"int f(int x) { int s = x; for (volatile int i = 0; i < 9; i++) s += 2; return s; }"
                            b"int g(int x) { int s = x; for (volatile int i = 0; i < 900; i++) s += 2; return s; }")
        for compiler in ("x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"):
            f = self.path("l.o")
            subprocess.run([compiler, "-O1", "-c", source, "-o", f], check=True)
            self.assertIn("ret", self.verdict(FAILS, "--func=f", "--post", "(int)ret == (int)arg0", f))
            self.verdict(HOLDS, "--func=f", "--post", "(int)ret == (int)arg0 + 18", f)
            out = self.verdict(UNKNOWN, "--func=g", "--post", "(int)ret == (int)arg0", f)
            self.assertIn("no run ends within", out)

    def test_jump_tables(self):
        """Two switches over things of different widths, whose indices are hard to reason about."""
        source = self.write("j.c", b"int g(int, int); int f(const unsigned char *p, const unsigned *q) {"
                            b"switch (p[p[1]]) { case 1: g(1, 2); break; case 2: g(2, 4); break; case 3: g(3, 9); break; case 4: g(4, 1); break; case 5: g(7, 7); break;"
                            b" case 6: g(0, 0); break; case 7: g(5, 3); break; default: break; }"
                            b"switch (q[q[1]]) { case 1: return g(1, 3); case 2: return g(2, 5); case 3: return g(3, 1); case 4: return g(4, 8); case 5: return g(7, 6);"
                            b" case 6: return g(0, 2); case 7: return g(5, 0); } return 3; }")
        for compiler in ("gcc", "clang"):
            f = self.path("j.o")
            subprocess.run([compiler, "-O2", "-fPIC", "-fno-stack-protector", "-c", source, "-o", f], check=True)
            r = assay("wp", "--func=f", "--check-null-derefs", "--pre", "arg0 != 0 && arg1 != 0", f)
            self.assertIn(r.code, (HOLDS, FAILS), r.out + r.err)

    def test_recursion(self):
        for arch in ("x86_64", "arm", "aarch64"):
            self.verdict(HOLDS, "--func=fact", "--inline=fact", "--pre", "n <= 3", "--post", "ret <= 6", build(arch, "old", 0))
            self.verdict(FAILS, "--func=fact", "--inline=fact", "--pre", "n <= 3", "--post", "ret <= 5", build(arch, "old", 0))
        self.verdict(HOLDS, "--func=fact", "--pre", "n == 3", "--post", "ret == 6", build("x86_64", "old", 0))

    def test_arithmetic_by_the_compilers_library(self):
        """Division of 64 bits is a call where registers have 32: it divides nevertheless."""
        source = self.write("d.c", b"typedef long long s64; typedef unsigned long long u64;"
                            b"u64 quotient(u64 a, unsigned b) { return b < 10 ? 0 : a / b; }"
                            b"s64 rest(s64 a, s64 b) { return b <= 0 || b > 100 ? 0 : a % b; }")
        for compiler in (["i686-linux-gnu-gcc"], ["arm-linux-gnueabihf-gcc"], ["clang", "--target=armv5te-linux-gnueabi"]):
            f = self.path("d.o")
            subprocess.run(compiler + ["-g", "-O2", "-c", source, "-o", f], check=True)
            out = self.verdict(HOLDS, "--func=quotient", "--post", "ret <= 0x1999999999999999", f)
            self.assertIn("behaves as documented by the compiler's library", out)
            self.verdict(FAILS, "--func=quotient", "--post", "ret < 0x1999999999999999", f)
            self.verdict(HOLDS, "--func=rest", "--post", "ret < 100 && ret > -100", f)
            self.verdict(FAILS, "--func=rest", "--post", "ret < 99", f)

    def test_large_numbers_beside_small_types(self):
        """As in C: the smaller side is made as large as the other."""
        self.verdict(HOLDS, "--func=clamp", "--post", "ret < 0x8000000000", self.OLD)
        self.verdict(FAILS, "--func=clamp", "--post", "ret > 0x8000000000", self.OLD)

    def test_names(self):
        self.verdict(FAILS, "--func=first_value", "--func-name-map=first(.*),second\\1", "--compare-post-reg-values=RAX", self.OLD,
                     self.NEW)
        self.verdict(HOLDS, "--func=second_value", "--compare-post-reg-values=EAX,RBX,YMM0,RSP", self.OLD, self.NEW)

    def test_solvers(self):
        for solver in ("--ext-solver=cvc5", "--ext-solver=race", "--ext-solver-path=cvc5"):
            self.verdict(HOLDS, "--func=clamp", "--post", "ret >= 0", solver, self.OLD)
            self.verdict(FAILS, "--func=clamp", "--post", "ret > 0", solver, self.OLD)

    def test_stack_and_pointers(self):
        out = self.verdict(FAILS, "--func=first_value_unchecked", "--check-null-derefs", "--stack-base=0x7fff0000",
                           "--stack-size=0x100000", "--debug=constraint-stats", self.OLD)
        self.assertIn("null dereference", out)
        self.verdict(HOLDS, "--func=first_value_unchecked", "--check-null-derefs", "--pointer-reg-list=RDI", self.OLD)

    def test_accepted(self):
        """Flags of CBAT that say what is always done here."""
        self.verdict(HOLDS, "--func=count", "--mem-offset", "--rewrite-addresses", "--use-fun-input-regs",
                     "--compare-post-reg-values=RAX", self.OLD, self.NEW)

    def test_show(self):
        out = self.verdict(HOLDS, "--func=max", "--post", "ret >= a", "--show=bir,precond-smtlib,precond-internal,refuted-goals", self.OLD)
        self.assertIn("(check-sat)", out)
        self.assertIn("goal 1: postcondition", out)
        self.assertIn("rax = ", out)
        r = assay("wp", "--func=max", "--post", "ret >= a", "--show=diagnostics", self.OLD)
        self.assertIn("condition of", r.err)

    def test_json_and_page(self):
        args = ("wp", "--func=clamp", "--post", "ret > 0", self.OLD)
        doc = json.loads(assay(*args, "--json").out)
        self.assertEqual((doc["schema"], doc["checked"][0]["verdict"], doc["checked"][0]["runs"][0]["replayed"]),
                         ("assay/wp/1", "sat", True))
        self.assertEqual(assay(*args, "--json").out, assay(*args, "--json").out)
        page = assay(*args, "--html").out
        self.assertIn("class=\"block taken\"", page)
        self.assertTrue(page.rstrip().endswith("</html>"))

    def test_all(self):
        r = assay("wp", "--all", "--compare-post-reg-values=RBX,RBP,R12,R13,R14,R15,RSP", self.OLD, self.NEW)
        self.assertRegex(r.out, r"(?m)^UNSAT! +process_message$")
        self.assertRegex(r.out, r"\d+ hold, 0 do not, \d+ unknown")


class Invariants(Test):
    """add_up counts x up and y down; their sum is n."""

    def invariant(self, text):
        f = build("x86_64", "old", 0)
        graph = json.loads(self.ok("cfg", "--json", f, "add_up"))
        # the head is where the only backward edge goes
        blocks = graph["blocks"]
        head = [blocks[s["to"]]["address"] for b in blocks for s in b["successors"]
                if int(blocks[s["to"]]["address"], 16) < int(b["address"], 16)]
        body = [b for b in blocks if b["address"] == head[0]][0]
        test = blocks[body["successors"][0]["to"]]["address"]
        read_word = ("(define-fun word ((o (_ BitVec 64))) (_ BitVec 32) (let ((a (bvadd RBP o))) (concat "
                     "(select mem (bvadd a #x0000000000000003)) (select mem (bvadd a #x0000000000000002)) "
                     "(select mem (bvadd a #x0000000000000001)) (select mem a))))")
        for name, offset in (("X", "fc"), ("Y", "f8"), ("N", "ec")):
            text = re.sub(r"\b%s\b" % name, "(word #xffffffffffffff%s)" % offset, text)
        sexp = '(((address %s) (invariant "%s (assert %s)")))' % (test, read_word, text)
        r = assay("wp", "--func=add_up", "--post", "ret == n", "--loop-invariant=" + sexp, f)
        return r.code, r.out + r.err

    def test_holds(self):
        code, out = self.invariant("(= (bvadd X Y) N)")
        self.assertEqual(code, HOLDS, out)
        self.assertNotIn("repetition", out)

    def test_not_on_entry(self):
        code, out = self.invariant("(= X #x00000001)")
        self.assertEqual(code, FAILS, out)
        self.assertIn("the invariant holds when the loop", out)

    def test_not_inductive(self):
        code, out = self.invariant("(= X #x00000000)")
        self.assertEqual(code, FAILS, out)
        self.assertIn("holds after another iteration", out)

    def test_too_weak(self):
        code, out = self.invariant("true")
        self.assertEqual(code, FAILS, out)
        self.assertIn("postcondition", out)


# x counts up and y down in registers; the result is their sum.
# On one path to the call of use() another callee left whatever it likes in rsi: that is no argument of use().
LEFTOVER = (".globl f\n.type f,@function\nf: push %%rbx\n mov %%rdi,%%rbx\n cmpl $0,(%%rdi)\n je 1f\n call other@plt\n jmp 2f\n"
            "1: %s\n2: %s,%%rdi\n call use@plt\n pop %%rbx\n ret\n.size f,.-f\n")


class CalleesWithoutPrototype(Test):
    def ask(self, store, pointer, *options):
        files = []
        for name, code in (("old", LEFTOVER % ("movl $7,(%rbx)", "mov %rbx")), ("new", LEFTOVER % (store, pointer))):
            source = self.write(name + ".s", code.encode())
            files.append(self.path(name + ".o"))
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", source, "-o", files[-1]], check=True)
        return assay("wp", "--func=f", "--compare-post-reg-values=RAX", *options, *files)

    def test_leftovers_are_in_doubt(self):
        r = self.ask("mov $7,%esi; mov %esi,(%rbx)", "mov %rbx")
        self.assertEqual(r.code, UNKNOWN, r.out)
        self.assertIn("there is no countermodel if it takes at most 1 argument", r.out)

    def test_arguments_are_not(self):
        self.assertEqual(self.ask("movl $7,(%rbx)", "lea 4(%rbx)").code, FAILS)
        self.assertEqual(self.ask("movl $7,(%rbx)", "mov %rbx").code, HOLDS)
        # What is set right before the call is passed.
        self.assertEqual(self.ask("movl $7,(%rbx)", "mov (%rbx),%rsi; mov %rbx").code, FAILS)


# Each returns 5, or goes to code that an argument points to.
ELSEWHERE = {
    "x86_64": ["push %rdx\n ret", "cmp $7,%edi\n jne 1f\n mov %rdx,(%rsp)\n nop\n1: nop\n ret", "incq (%rsp)\n ret"],
    "aarch64": ["ret x3", "mov x30,x3\n cbz x1,1f\n nop\n1: ret"],
    "arm": ["push {r3}\n pop {pc}", "bx r3", "cmp r1,#0\n moveq lr,r3\n bx lr"],
}
TO_CALLER = {
    "x86_64": ["ret", "pop %rcx\n jmp *%rcx", "push %rdx\n pop %rdx\n ret"],
    "aarch64": ["ret", "mov x16,x30\n ret x16", "stp x29,x30,[sp,-16]!\n bl other\n mov x0,#5\n ldp x29,x30,[sp],16\n ret"],
    "arm": ["bx lr", "push {r4,lr}\n bl other\n mov r0,#5\n pop {r4,pc}", "mov ip,lr\n bx ip"],
}


class Returns(Test):
    def ask(self, arch, code):
        first = {"x86_64": "mov $5,%eax", "aarch64": "mov x0,#5", "arm": "mov r0,#5"}[arch]
        source, f = self.write("f.s", (".globl f\n.type f,%%function\nf: %s\n %s\n.size f,.-f\n" % (first, code)).encode()), self.path("f.o")
        triple = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "arm": "arm-linux-gnueabihf"}[arch]
        subprocess.run(["clang", "--target=" + triple, "-c", source, "-o", f], check=True)
        return assay("wp", "--func=f", "--post=ret == 5", f)

    def test_what_returns_elsewhere_is_not_known(self):
        for arch, codes in ELSEWHERE.items():
            for code in codes:
                self.assertNotEqual(self.ask(arch, code).code, HOLDS, (arch, code))

    def test_what_returns_to_the_caller_is(self):
        for arch, codes in TO_CALLER.items():
            for code in codes:
                self.assertEqual(self.ask(arch, code).code, HOLDS, (arch, code))


COUNTING = {
    "x86_64": ("RCX", "RDX", "RDI", ".globl f\n.type f,@function\nf: xor %ecx,%ecx\n mov %edi,%edx\nhead: cmp %edi,%ecx\n jge 1f\n inc %ecx\n dec %edx\n"
               " jmp head\n1: lea (%rcx,%rdx),%eax\n ret\n.size f,.-f\n"),
    "aarch64": ("X1", "X2", "X0", ".globl f\n.type f,@function\nf: mov w1,#0\n mov w2,w0\nhead: cmp w1,w0\n b.ge 1f\n add w1,w1,#1\n sub w2,w2,#1\n b head\n"
                "1: add w0,w1,w2\n ret\n.size f,.-f\n"),
    "arm": ("R1", "R2", "R0", ".globl f\n.type f,%function\nf: mov r1,#0\n mov r2,r0\nhead: cmp r1,r0\n bge 1f\n add r1,r1,#1\n sub r2,r2,#1\n b head\n"
            "1: add r0,r1,r2\n bx lr\n.size f,.-f\n"),
}


class InvariantsInRegisters(Test):
    def test_every_processor(self):
        for arch, (x, y, n, code) in COUNTING.items():
            source, f = self.write("f.s", code.encode()), self.path("f.o")
            triple = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "arm": "arm-linux-gnueabihf"}[arch]
            subprocess.run(["clang", "--target=" + triple, "-c", source, "-o", f], check=True)
            blocks = json.loads(self.ok("cfg", "--json", f, "f"))["blocks"]
            head = blocks[1]["address"]
            low = {r: r if arch == "arm" else "((_ extract 31 0) %s)" % r for r in (x, y, n)}
            kept = "(= %s init_%s)" % (n, n)
            one, zero = "#x00000001", "#x00000000"
            for invariant, code_wanted, says in (
                    ("(and %s (= (bvadd %s %s) %s))" % (kept, low[x], low[y], low[n]), HOLDS, "UNSAT!"),
                    ("(and %s (= %s %s))" % (kept, low[x], one), FAILS, "the invariant holds when the loop"),
                    ("(and %s (= %s %s))" % (kept, low[x], zero), FAILS, "holds after another iteration"),
                    (kept, FAILS, "postcondition")):
                r = assay("wp", "--func=f", "--post", "(int)ret == (int)arg0",
                          '--loop-invariant=(((address %s) (invariant "(assert %s)")))' % (head, invariant), f)
                self.assertEqual(r.code, code_wanted, (arch, invariant, r.out, r.err))
                self.assertIn(says, r.out, arch)


# Data that the two versions begin with, and have beside each other, in different ways.
DATA = """
#ifdef NEW
int limit = 1000, same = 7, extra = 55, table[4] = {1, 2, 3, 4}, other = 7;
#else
int limit = 100, same = 7, other = 7, table[4] = {1, 2, 3, 4};
#endif
int below(int x) { return x < limit; }
int below_ten(int x) { return x < 10 && x < limit; }
int before(void) { return table[-1]; }
int wide(void) { return *(volatile long long *)&same >> 32; }
int element(int i) { return table[i]; }
int element_masked(int i) { return table[i & 3]; }
int element_last(int i) { return table[(i & 3) + 1]; }
int moved(int x) { return x + other; }
int store(int i, int v) { table[i] = v; return other; }
int store_masked(int i, int v) { table[i & 3] = v; return other; }
int *where(void) { return &other; }
void _start(void) {}
"""
DATA_HOLDS = ["below_ten", "element_masked", "moved", "store_masked", "where"]
DATA_FAILS = ["below", "wide", "element", "element_last", "store"]
DATA_COMPILERS = {"x86_64": "x86_64-linux-gnu-gcc", "i686": "i686-linux-gnu-gcc", "arm": "arm-linux-gnueabihf-gcc -marm",
                  "thumb": "arm-linux-gnueabihf-gcc -mthumb", "aarch64": "aarch64-linux-gnu-gcc"}


class Data(Test):
    def ask(self, function, verdict, *args):
        r = assay("wp", "--func=" + function, "--post", "ret@old == ret@new", *args)
        self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (function, args, r.out, r.err))

    def test_every_processor(self):
        source = self.write("data.c", DATA.encode())
        for arch, compiler in DATA_COMPILERS.items():
            if arch == "x86_64" and os.uname().machine == "x86_64":
                compiler = "gcc"
            if arch == "aarch64" and os.uname().machine == "aarch64":
                compiler = "gcc"
            files = []
            for version in ("OLD", "NEW"):
                files.append(self.path(arch + version))
                subprocess.run([*compiler.split(), "-O1", "-w", "-fno-toplevel-reorder", "-nostdlib", "-static", "-D" + version, source, "-o",
                                files[-1]], check=True)
            for f in DATA_HOLDS:
                self.ask(f, HOLDS, *files)
            for f in DATA_FAILS:
                self.ask(f, FAILS, *files)
            self.ask("below", FAILS, "--init-mem", *files)
            self.ask("below", HOLDS, "--init-mem", "--pre", "(int)arg0 < 100" if arch != "i686" else "1 == 0", *files)


class Errors(Test):
    OLD, NEW = build("x86_64", "old", 2), build("x86_64", "new", 2)

    def two(self, compiler, old, new, *options):
        with tempfile.TemporaryDirectory() as d:
            files = [os.path.join(d, name) for name in ("old.o", "new.o")]
            for text, out in zip((old, new), files):
                subprocess.run([*compiler, "-O2", "-w", "-c", "-x", "c", "-", "-o", out], input=text.encode(), check=True)
            return assay("wp", "--func=f", *options, *files)

    def test_thread_local_data(self):
        """Where thread-local variables lie, and what they begin with, no run shows."""
        text = "__thread int a = 1, b = 2; int f(void) { return a; }"
        for compiler, register in (("x86_64-linux-gnu-gcc", "RAX"), ("aarch64-linux-gnu-gcc", "X0")):
            r = self.two([compiler], text, text.replace("a = 1", "a = 3"), "--compare-post-reg-values=" + register)
            self.assertEqual((r.code, r.out.split("\n")[0]), (UNKNOWN, "UNKNOWN!"), r.err)
            self.assertIn("thread-local", r.out)

    def test_changed_callee_is_named(self):
        text = "static __attribute__((noinline)) int h(int x) { return x + 1; } int f(int x) { return h(x) * 3; }"
        new = text.replace("x + 1", "x + 2")
        r = self.two(["x86_64-linux-gnu-gcc"], text, new, "--compare-post-reg-values=RAX")
        self.assertEqual(r.code, HOLDS)
        self.assertIn("h does the same in both versions, though its code differs", r.out)
        self.assertEqual(self.two(["x86_64-linux-gnu-gcc"], text, new, "--compare-post-reg-values=RAX", "--inline=h").code, FAILS)

    FAIL = "void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));"

    def one(self, compiler, text, *options, level="-O1", debug=False):
        with tempfile.TemporaryDirectory() as d:
            out = os.path.join(d, "one.o")
            subprocess.run([compiler, level, "-w", "-fno-builtin", "-c", "-x", "c", "-", "-o", out] + ["-g"] * debug, input=text.encode(), check=True)
            return assay("wp", "--func=f", *options, out)

    def holds(self, verdict, *args, **more):
        for compiler in ("x86_64-linux-gnu-gcc", "i686-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"):
            r = self.one(compiler, *args, **more)
            self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (compiler, args, r.out, r.err))

    def test_assertions_in_callees(self):
        """What a summary leaves out is looked at, wherever the call graph leads to an assertion."""
        check = "%s __attribute__((noinline)) int chk(int a) { if (a == 77) __assert_fail(0, 0, 0, 0); return 3; }"
        for caller in ("int f(int a) { chk(a + 1); return a; }", "int f(int a) { return chk(a); }",
                       "static __attribute__((noinline)) int g(int a) { return chk(a) + 1; } int f(int a) { return g(a - 2) + 1; }"):
            for kind in ("static", ""):
                for level in ("-O0", "-O2"):
                    self.holds(FAILS, self.FAIL + check % kind + caller, "--trip-asserts", level=level)
        self.holds(HOLDS, self.FAIL + check % "static" + "int f(int a) { return chk(a & 7); }", "--trip-asserts")
        self.holds(HOLDS, self.FAIL + check % "static" + "static __attribute__((noinline)) int g(int a) { return a * 3; }"
                   "int f(int a) { return g(a); } int h(int a) { return chk(a); }", "--trip-asserts")

    def test_assertions_behind_pointers(self):
        """Where a computed call leads is not known: it may be to an assertion of the file."""
        text = self.FAIL + "static void chk(int a) { if (a == 77) __assert_fail(0, 0, 0, 0); } void (*t)(int) = chk; int f(int a) { t(a); return a; }"
        r = self.one("x86_64-linux-gnu-gcc", text, "--trip-asserts")
        self.assertEqual((r.code, r.out.split("\n")[0]), (UNKNOWN, "UNKNOWN!"), r.out)
        self.assertIn("computed call", r.out)
        r = self.one("x86_64-linux-gnu-gcc", "void (*t)(int); int f(int a) { t(a); return a; }", "--trip-asserts")
        self.assertEqual(r.code, HOLDS, r.out)
        self.assertIn("fails no assertion", r.out)

    def test_dereferences_in_callees(self):
        callee = "static __attribute__((noinline)) int g(int *p) { return *p + p[3]; }"
        self.holds(FAILS, callee + "int f(int *p) { return g(p) + 1; }", "--check-null-derefs")
        self.holds(HOLDS, callee + "int f(int *p) { return p ? g(p) + 1 : 0; }", "--check-null-derefs")
        self.holds(HOLDS, callee + "int f(int *p) { return g(p) + 1; }", "--check-null-derefs", "--pre", "arg0 != 0")
        r = self.one("x86_64-linux-gnu-gcc", "int g(int *); int f(int *p) { return g(p); }", "--check-null-derefs")
        self.assertEqual(r.code, HOLDS, r.out)
        self.assertIn("g makes no wrong access: its code is not looked at", r.out)

    def test_dereferences_by_the_library(self):
        """<string.h> accesses what it is given; unless it is told that there is nothing."""
        size = "typedef __SIZE_TYPE__ size_t; size_t strlen(const char *); void *memcpy(void *, const void *, size_t); char *strcat(char *, const char *);" \
               "void free(void *);"
        null = "--check-null-derefs"
        self.holds(FAILS, size + "size_t f(char *p) { return strlen(p); }", null)
        self.holds(HOLDS, size + "size_t f(char *p) { return p ? strlen(p) : 0; }", null)
        self.holds(FAILS, size + "void f(char *p, char *q, size_t n) { memcpy(p, q, n); }", null, "--pre", "arg0 != 0")
        self.holds(HOLDS, size + "void f(char *p, char *q, size_t n) { memcpy(p, q, n); }", null, "--pre", "arg2 == 0")
        self.holds(FAILS, size + "void f(char *q) { char b[9]; b[0] = 0; strcat(b, q); }", null)
        self.holds(HOLDS, size + "void f(char *q) { free(q); }", null)

    def test_dereferences_of_two_versions(self):
        old = "static __attribute__((noinline)) int g(int *p) { return *p; } int f(int *p) { return p ? g(p) : 0; }"
        new = old.replace("p ? g(p) : 0", "g(p)")
        for text, other, verdict in ((old, new, FAILS), (new, old, HOLDS), (new, new.replace("g(p);", "1 * g(p);"), HOLDS)):
            r = self.two(["x86_64-linux-gnu-gcc"], text, other, "--check-null-derefs")
            self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), r.out)

    def test_table_in_changed_thumb_code(self):
        text = "int f(unsigned x, int y) { switch (x) { case 0: return y + 7; case 1: return y * 3; case 2: return y ^ 9;" \
               " case 3: return y / 5; case 4: return y - 11; case 5: return y % 7; } return 1; }"
        r = self.two(["arm-linux-gnueabihf-gcc", "-mthumb"], text, text.replace("y ^ 9", "y ^ 8"), "--compare-post-reg-values=R0")
        self.assertEqual((r.code, r.out.split("\n")[0]), (FAILS, "SAT!"), r.err)

    VARIABLES = """
        struct node { int key; short kind; struct node *next; } first = {5, 6, &first}, *head = &first;
        static const int table[4] = {3, 1, 4, 1};
        int limit = 10, row[8];
        __thread int other = 1, mine = 2;
        extern int elsewhere;
        int f(int x) { return x < limit ? head->key + head->next->kind : table[x & 3] + mine; }
        void set(int x) { static int calls; calls++; row[2] = x; }
        int *g(void) { return &elsewhere + other; }"""

    def test_variables_of_the_file(self):
        """Debug information says of what type they are; conditions read what the code reads."""
        for verdict, options in ((HOLDS, ["--pre", "x == 1 && limit == 5 && head == &first && first.next == head && head->key == 7 && head->next->kind == -2",
                                          "--post", "ret == 5"]),
                                 (FAILS, ["--pre", "x == 1 && limit == 5 && head == &first && first.next == head && head->key == 7", "--post", "ret == 5"]),
                                 (HOLDS, ["--pre", "head == &first && first.next == &first && x < limit", "--post", "ret == init(first.key + first.kind)"]),
                                 (HOLDS, ["--func=set", "--post", "row[2] == x && row[2] == mem32[&row + 8] && &row[2] - &row == 8"]),
                                 (HOLDS, ["--func=set", "--post", "calls == init(calls) + 1"]),
                                 (FAILS, ["--func=set", "--post", "calls == init(calls)"]),
                                 (HOLDS, ["--post", "table[2] == 4 && table[x & 3] < 5"])):
            self.holds(verdict, self.VARIABLES, *options, debug=True)
        for verdict, post in ((HOLDS, "ret == table[x & 3] + init(mine)"), (FAILS, "ret == table[x & 3] + init(other)")):
            r = self.one("x86_64-linux-gnu-gcc", self.VARIABLES, "--pre", "limit < x", "--post", post, debug=True)
            self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (post, r.out, r.err))

    def test_variables_of_each_thread(self):
        """In a program the linker knew where they are, in a library the dynamic linker does."""
        for kind in (["-pie", "-fPIE"], ["-shared", "-fPIC", "-ftls-model=initial-exec"]):
            with tempfile.TemporaryDirectory() as d:
                text = self.VARIABLES + "\nint elsewhere; int main(void) { return f(1); }"
                subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-g", *kind, "-x", "c", "-", "-o", f"{d}/t"], input=text.encode(), check=True)
                for verdict, post in ((HOLDS, "ret == table[x & 3] + init(mine)"), (FAILS, "ret == table[x & 3] + init(other)")):
                    r = assay("wp", "--func=f", "--pre", "limit < x", "--post", post, f"{d}/t")
                    self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (kind, post, r.out, r.err))

    def test_variables_of_two_versions(self):
        """A variable lies elsewhere in the new version, and is the same one."""
        old = "int limit = 4, room = 9; int f(int x) { return x < limit ? x : room; }"
        new = "int more[7] = {1}, room = 9, limit = 4; int f(int x) { return x >= limit ? room : x; }"
        for verdict, post in ((HOLDS, "x < init(limit) ==> ret@new == x"), (HOLDS, "ret@old == ret@new"), (HOLDS, "limit@old == limit@new"),
                              (FAILS, "room@new == limit@old"), (FAILS, "x < init(room) ==> ret@new == x")):
            with tempfile.TemporaryDirectory() as d:
                for text, name in ((old, "old"), (new, "new")):
                    subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-g", "-shared", "-fPIC", "-Wl,-Bsymbolic", "-x", "c", "-", "-o", f"{d}/{name}.so"],
                                   input=text.encode(), check=True)
                r = assay("wp", "--func=f", "--post", post, f"{d}/old.so", f"{d}/new.so")
                self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (post, r.out, r.err))

    def test_variables_of_other_units(self):
        """A variable that another file defines is none that a unit of this one keeps to itself."""
        with tempfile.TemporaryDirectory() as d:
            for name, text in (("a", "extern int mode; extern __attribute__((visibility(\"hidden\"))) int kept; int f(int x) { mode = x; return mode; } int g(void) { return kept; }"),
                               ("b", "static const int mode = 3; const int *bump(void) { return &mode; } __attribute__((visibility(\"hidden\"))) int kept = 4;")):
                subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-g", "-fPIC", "-c", "-x", "c", "-", "-o", f"{d}/{name}.o"], input=text.encode(), check=True)
            for order in (("a", "b"), ("b", "a")):
                subprocess.run(["x86_64-linux-gnu-gcc", "-shared", *[f"{d}/{n}.o" for n in order], "-o", f"{d}/t.so"], check=True)
                for verdict, func, post in ((HOLDS, "f", "mode == x"), (FAILS, "f", "mode == 3"), (HOLDS, "g", "ret == kept")):
                    r = assay("wp", f"--func={func}", "--post", post, f"{d}/t.so")
                    self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (order, post, r.out, r.err))
            subprocess.run(["strip", "-g", f"{d}/t.so"], check=True)
            r = assay("wp", "--func=f", "--post", "mem32[&mode] == 3", f"{d}/t.so")
            self.assertEqual((r.code, r.out), (2, ""), r.err)
            self.assertIn("several variables have this name", r.err)

    def test_decimal_numbers_are_what_they_say(self):
        """A number that does not fit into an int is none of its negative values, unless it is written in hexadecimal."""
        text = "int f(int x, unsigned char c) { return x < 0; }"
        for verdict, options in ((FAILS, ["--pre", "x < 3000000000", "--post", "ret == 1"]), (HOLDS, ["--post", "x < 3000000000 && x > -3000000000"]),
                                 (HOLDS, ["--pre", "x == 0xffffffff", "--post", "ret == 1 && x == -1"]), (HOLDS, ["--post", "(unsigned)x <= 4294967295"]),
                                 (HOLDS, ["--pre", "(int)c + 1 > 255", "--post", "c == 255"])):
            r = self.one("x86_64-linux-gnu-gcc", text, *options, debug=True)
            self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (options, r.out, r.err))

    def test_words_of_the_stack_at_entry(self):
        """Conditions may read where the return address is."""
        for verdict, options in ((FAILS, ["--post", "mem64[$rsp] == 5"]), (HOLDS, ["--pre", "mem8[$rsp + 9] == 1", "--post", "ret == a + b"])):
            r = self.one("x86_64-linux-gnu-gcc", "int f(int a, int b) { return a + b; }", *options, debug=True)
            self.assertEqual((r.code, r.out.split("\n")[0]), (verdict, WORD[verdict]), (options, r.out, r.err))

    def test_variables_that_cannot_be_named(self):
        for text, options in (("type", ["--pre", "limit > 3"]), ("has an address", ["-g", "--pre", "&(limit + 1) == 0"]), ("nobody", ["-g", "--pre", "nobody == 0"]), ("which version", ["-g", "--post", "limit == 10", "two"])):
            with tempfile.TemporaryDirectory() as d:
                out = f"{d}/f.o"
                subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-c", "-x", "c", "-", "-o", out] + ["-g"] * ("-g" in options), input=self.VARIABLES.encode(), check=True)
                files = [out] * (2 if "two" in options else 1)
                r = assay("wp", "--func=f", *[o for o in options if o not in ("-g", "two")], *[] if "--post" in options else ["--post", "ret == ret"], *files)
                self.assertEqual((r.code, r.out), (2, ""), (text, r.out, r.err))
                self.assertIn(text, r.err)

    def test_bad_questions(self):
        for wanted, args in (
                ("'RAQ'", ["--func=max", "--precond=(assert (= RDI RAQ))", "--post", "ret > 0", self.OLD]),
                ("1:9:", ["--func=max", "--precond=(assert (= RDI #x00))", "--post", "ret > 0", self.OLD]),
                ("1:1:", ["--func=max", "--postcond=(assert", self.OLD]),
                ("R99", ["--func=max", "--compare-post-reg-values=R99", self.OLD, self.NEW]),
                ("column 7", ["--func=max", "--post", "ret & & 3", self.OLD]),
                ("column 1", ["--func=max", "--post", "foo > 3", self.OLD]),
                ("ret@old or ret@new", ["--func=max", "--post", "ret > 3", self.OLD, self.NEW]),
                ("RAX_orig", ["--func=max", "--postcond=(assert (= RAX #x0000000000000000))", self.OLD, self.NEW]),
                ("no function", ["--func=nowhere", "--trip-asserts", self.OLD]),
                ("not found", ["--func=max", "--post", "ret > 0", "--ext-solver-path=/no/such/solver", self.OLD]),
                ("aarch64", ["--func=max", "--compare-post-reg-values=RAX", self.OLD, build("aarch64", "new", 2)]),
                ("only one is given", ["--func=max", "--compare-func-calls", self.OLD]),
                ("which property", ["--func=max", self.OLD]),
                ("which function", ["--trip-asserts", self.OLD]),
                ("unknown summary", ["--func=max", "--trip-asserts", "--fun-specs=chaos", self.OLD]),
                ("regular expression", ["--func=max", "--trip-asserts", "--inline=(", self.OLD]),
                ("NAME,(assert PRE)", ["--func=max", "--user-func-specs=helper", self.OLD]),
                ("is not the beginning", ["--func=max", "--post", "ret > 0", "--loop-invariant",
                                          '(((address 0x1) (invariant "(assert true)")))', self.OLD]),
                ("not closed", ["--func=max", "--post", "ret > 0", "--loop-invariant=((address", self.OLD]),
                ("--num-unroll", ["--func=max", "--post", "ret > 0", "--num-unroll=many", self.OLD]),
                ("--show", ["--func=max", "--post", "ret > 0", "--show=nothing", self.OLD])):
            r = assay("wp", *args)
            self.assertEqual((r.code, r.out), (2, ""), (args, r.err))
            self.assertIn(wanted, r.err, args)


main()
