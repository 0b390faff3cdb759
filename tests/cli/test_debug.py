# SPDX-License-Identifier: GPL-3.0-or-later
"""assay debug as a user meets it: commands from a pipe, a file and a terminal, and what is no input for it."""
import fcntl
import pty
import random
import re
import shlex
import shutil
import signal
import subprocess
import termios

from common import *

ARGUMENT = {"x86_64": "RDI", "aarch64": "X0", "arm": "R0"}


class Debug(Test):
    def build(self, name, change=None):
        text = read(os.path.join(SOURCE, "examples", "price.s")).decode()
        if change:
            self.assertIn(change[0], text)
            text = text.replace(*change)
        source = self.write(name + ".s", text.encode())
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", source, "-o", self.path(name)], check=True)
        return self.path(name)

    def order(self, **more):
        """An order of three pieces at eight, by a member."""
        doc = {"schema": 1, "arch": "x86-64", "function": "price", "registers": {"RDI": "0x5000", "rsi": "0x1"},
               "memory": [{"address": "0x5000", "bytes": "0300000008000000"}]}
        doc.update(more)
        return self.write("order.json", json.dumps(doc).encode())

    def debug(self, *args, commands="", code=0, err=""):
        text = "".join(c + "\n" for c in ([commands] if isinstance(commands, str) else commands) if c)
        r = subprocess.run([ASSAY, "debug", *args], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((r.returncode, r.stderr.decode()), (code, err), r.stdout.decode()[-1500:])
        return r.stdout.decode()

    def test_every_architecture(self):
        for arch in ARGUMENT:
            init = self.write("init.json", json.dumps({"schema": 1, "function": "kind_name", "registers": {ARGUMENT[arch]: "0x4"}}).encode())
            out = self.debug("--init", init, demo(arch), commands=["continue", "print/s ret", "-continue", "where"])
            self.assertIn('ret = "probe"', out, arch)
            self.assertRegex(out, r"\nat the start\n=> 0x[0-9a-f]+ <kind_name>.*demo.c:\d+\n", arch)

    def test_yaml(self):
        yml = self.write("init.yml", b"Variables:\n  RDI: 0x5000\n  RSI: 0x1\nLocations:\n  0x5000: 0x3\n  0x5001: 0x0\n"
                         b"  0x5002: 0x0\n  0x5003: 0x0\n  0x5004: 0x8\n  0x5005: 0x0\n  0x5006: 0x0\n  0x5007: 0x0\n")
        out = self.debug("--init", yml, "--func", "price", self.build("price.o"), commands=["continue", "p/d mem32[0x5008]"])
        self.assertNotIn("uninitialised", out)
        self.assertIn("mem32[0x5008] = 21", out)

    def test_commands_file(self):
        script = self.write("script", b"# a comment\nwatch mem32[0x5008]\n\ncontinue\necho done\n")
        out = self.debug("--init", self.order(), "--commands", script, self.build("price.o"))
        self.assertIn("watchpoint 1: mem32[0x5008] was 0x0, is 0x15", out)
        self.assertTrue(out.endswith("done\n"))

    def test_wrong_command_ends_a_script(self):
        price = self.build("price.o")
        out = self.debug("--init", self.order(), price, commands=["step", "stepp", "echo not reached"], code=2,
                         err="assay: standard input:2: unknown command 'stepp'; 'h' lists the commands\n")
        self.assertNotIn("not reached", out)
        script = self.write("script", b"p rdi\np nothing\n")
        self.debug("--init", self.order(), "-x", script, price, code=2,
                   err="assay: %s:2: print: 'nothing' is neither a register nor a symbol at column 1 of 'nothing'\n" % script)

    def test_two_versions(self):
        old, new = self.build("old.o"), self.build("new.o", ("sarl\t$3", "sarl\t$2"))
        out = self.debug("--init", self.order(), old, new, commands="continue", code=1)
        self.assertIn("difference: memory at 0x5008: old 15 by price+0x18, new 12 by price+0x18\n", out)
        out = self.debug("--init", self.order(registers={"RDI": "0x5000"}), old, new, commands="continue")
        self.assertIn("no difference\n", out)
        self.debug("--init", self.order(), old, new, commands="step", code=3)
        # An empty order: both call puts with the same string.
        self.debug("--init", self.order(memory=[{"address": "0x5000", "bytes": "00" * 8}]), old, new, commands="continue")
        # Each has its own state.
        a = self.order(version="new", registers={"RDI": "0x6000"})
        b = self.write("b.json", b'{"schema": 1, "function": "price", "version": "old", "registers": {"RDI": "0x7000"}}')
        out = self.debug("--init", a, "--init", b, old, new, commands="p rdi", code=3)
        self.assertIn("old: rdi = 0x7000", out)
        self.assertIn("new: rdi = 0x6000", out)

    def test_countermodel(self):
        """From a property that does not hold to the call that breaks it: the paper's story."""
        source = os.path.join(SOURCE, "tests", "unit", "debug", "input.c")
        files = [self.path("old.so"), self.path("new.so")]
        for f, flags in zip(files, ([], ["-DNEW"])):
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", "-fPIC", "-shared", "-nostdlib", "-ffreestanding", "-fuse-ld=lld", "-w",
                            *flags, source, "-o", f], check=True)
        init, yml = self.path("init.json"), self.path("init.yml")
        r = assay("wp", "--func=process_message", "--compare-func-calls", "--debug-output=" + init, "--bildb-output=" + yml, *files)
        self.assertEqual(r.code, 1, r.out + r.err)
        out = self.debug("--init", init, *files, commands=["p/d edi", "compare calls", "continue", "return 0", "continue"], code=1)
        self.assertIn("old: edi = 42\nnew: edi = 42\n", out)
        self.assertIn("difference: old ends (returned), new calls reset_position\n", out)
        self.assertIn("edi = 42", self.debug("--init", yml, "--func=process_message", files[0], commands="p/d edi"))

    VARIABLES = b"""struct node { short kind; int value; struct node *next; unsigned low : 3, high : 5; char name[8]; };
static int weigh(int w, int k)
{
    int r = w * k;
    return r + 1;
}
int total(struct node *n, int limit)
{
    int sum = 0, ret = -5;
    while (n) {
        int w = n->value;
        sum += weigh(w, limit);
        n = n->next;
    }
    return sum + ret;
}
"""
    COMPILERS = {"x86_64": ["x86_64-linux-gnu-gcc"], "aarch64": ["aarch64-linux-gnu-gcc"], "arm": ["arm-linux-gnueabihf-gcc"],
                 "clang": ["clang", "--target=aarch64-linux-gnu"]}

    def variables(self, how, level="-O0"):
        """A list of one element, value -2, name "Ab", and a limit of 3."""
        source, out = self.write("v.c", self.VARIABLES), self.path("v-" + how)
        subprocess.run([*self.COMPILERS[how], "-g", level, "-fno-stack-protector", "-fno-inline", "-c", source, "-o", out], check=True)
        word = 4 if how == "arm" else 8
        node = b"\7\0\0\0" + b"\xfe\xff\xff\xff" + b"\0" * word + b"\xaa" + b"Ab" + b"\0" * 9
        regs = {"x86_64": ("RDI", "RSI"), "arm": ("R0", "R1")}.get(how, ("X0", "X1"))
        init = self.write("v.json", json.dumps({"schema": 1, "function": "total", "registers": {regs[0]: "0x5000", regs[1]: "0x3"},
                                                "memory": [{"address": "0x5000", "bytes": node.hex()}]}).encode())
        return ["--init", init, out]

    def test_variables(self):
        for how in self.COMPILERS:
            out = self.debug(*self.variables(how), commands=["nl 4", "p *n", "p n->value", "p n->value < 0", "p n->name", "p sum + ret", "locals",
                                                             "set limit = 9", "b v.c:13", "c", "p sum", "p/x limit", "b weigh", "-c", "-c"])
            self.assertIn('*n = {kind = 7, value = -2, next = 0x0, low = 2, high = 21, name = "Ab"}\nn->value = -2\nn->value < 0 = 0x1\n'
                          'n->name = "Ab"\n', out, how)
            self.assertIn("n = 0x5000  (parameter)\nlimit = 3  (parameter)\nsum = 0\nret = -5\nw = -2\n", out, how)
            self.assertIn("sum = -17\nlimit = 0x00000009", out, how)  # -2 * 9 + 1
        # Optimised, they are where the compiler keeps them, or not there at all.
        out = self.debug(*self.variables("x86_64", "-O1"), commands=["b weigh", "c", "locals", "finish", "c"])
        self.assertIn("w = -2  (parameter)\nk = 3  (parameter)\n", out)
        out = self.debug(*self.variables("x86_64"), commands=["p nothing"], code=2,
                         err="assay: standard input:1: print: 'nothing' is neither a register nor a symbol at column 1 of 'nothing'\n")
        out = self.debug(*self.variables("x86_64"), commands=["nl 4", "p n->nothing"], code=2,
                         err="assay: standard input:2: print: no member 'nothing' at column 11 of 'n->nothing'\n")
        out = self.debug(*self.variables("x86_64"), commands=["b v.c:99"], code=2,
                         err="assay: standard input:1: break: no code for line 99 of v.c\n")

    def test_source_lines(self):
        def lines(text):
            return re.findall(r"^=> .*; v\.c:(\d+)$", text, re.M)
        for how in self.COMPILERS:
            out = self.debug(*self.variables(how), commands=["nl 4", "line", "line", "line", "line", "nl", "nl", "-nl", "-nl", "-nl", "-nl"])
            # into weigh by its lines and out of it into the middle of 12; back over it
            wanted = "8 12 3 4 5 6 12 13 12 11 10 9" if how != "clang" else "8 12 3 4 5 12 13 10 13 12 11 10"
            self.assertEqual(lines(out), wanted.split(), how)

    def test_first_difference_in_memory(self):
        """Both stop behind the instruction that writes something else, and not at the call that follows."""
        files = []
        for k in (1, 2):
            source = self.write("m.c", b"int g[8]; void note(int);\nvoid f(int n, int k)\n{\n    for (int i = 0; i < n; i++) {\n        g[i] = i * k;\n"
                                b"        if (i == 3)\n            g[7] = %d;\n    }\n    note(n);\n}\n" % k)
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-g", "-O0", "-c", source, "-o", self.path("m%d" % k)], check=True)
            files.append(self.path("m%d" % k))
        init = self.write("f.json", b'{"schema": 1, "function": "f", "registers": {"RDI": "0x6", "RSI": "0x2"}}')
        out = self.debug("--init", init, "--calls=zero", *files, commands=["continue", "p i", "continue"], code=1)
        self.assertRegex(out, r"difference: memory at 0x[0-9a-f]+ \(g\+0x1c\): old 01 by f\+0x\w+, new 02 by f\+0x\w+\n")
        self.assertIn("old: i = 3\nnew: i = 3\n", out)
        self.assertIn("old: the function returned", out)

    def test_callees_at_equal_addresses(self):
        """What stands for functions of other files, and functions that lie in the same place, are told apart by what they are."""
        for text, old, new in (("void a(void), b(void), c(void); void f(int x) { a(); if (x) b(); }", "b()", "c()"),
                               ("__attribute__((noinline)) static void a(int *p) { *p = 1; } void f(int *x) { a(x); }", "a(", "longer_name(")):
            files = []
            for name, t in (("old", text), ("new", text.replace(old, new))):
                source = self.write(name + ".c", t.encode())
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O0", "-c", source, "-o", self.path(name)], check=True)
                files.append(self.path(name))
            out = self.debug("--init", self.write("f.json", b'{"schema": 1, "function": "f", "registers": {"RDI": "0x5000"}}'), "--calls=zero", *files,
                             commands=["continue"], code=1 if old == "b()" else 0)
            self.assertIn("difference: old calls b, new calls c\n" if old == "b()" else "no difference\n", out)

    def test_bad_input(self):
        price = self.build("price.o")
        self.refused("debug", price, says=["which function?"])
        self.refused("debug", price, "--func", "prise", says=["prise"])
        self.refused("debug", self.path("missing"), "--func", "f", says=["missing", "No such file"])
        self.refused("debug", price, "--init", self.path("missing.json"), says=["missing.json"])
        self.refused("debug", price, "--commands", self.path("missing"), "--func", "price", says=["missing"])
        self.refused("debug", demo("aarch64"), "--init", self.order(), says=["order.json is for x86-64", "aarch64"])
        self.refused("debug", price, "--init", self.order(registers={"X0": "0x1"}), says=["no register 'X0'"])
        self.refused("debug", price, "--init", self.order(registers={"EAX": "0x100000000"}), says=["EAX", "32 bits"])
        self.refused("debug", price, "--init", self.order(schema=7), says=["schema"])
        self.refused("debug", price, "--init", self.order(), "--init", self.order(), says=["more init files than programs"])
        self.refused("debug", price, demo("arm"), "--func", "price", says=["the same architecture"])
        self.refused("debug", price, "--func", "price", "--calls", "ignore", says=["ignore"])
        self.refused("debug", demo("arm"), "--init", self.write("far.json", b'{"schema": 1, "function": "main", "memory": [{"address": "0x100000000", "bytes": "00"}]}'),
                     says=["0x100000000", "not an address"])

    def test_options(self):
        price = self.build("price.o")
        bare = self.order(memory=[])
        self.assertIn("note: 4 uninitialised bytes at 0x5000, read by price, assumed to be 0", self.debug("--init", bare, price, commands="continue"))
        self.assertIn("stopped: about to read 4 uninitialised bytes at 0x5000",
                      self.debug("--init", bare, "--uninitialised=stop", price, commands="continue"))
        out = self.debug("--func", "main", "--calls=zero", "--max-steps=50", demo("x86_64"), commands=["continue"])
        self.assertRegex(out, "fprintf has no model: assumed to return 0")

    def test_limits(self):
        loop = self.write("loop.s", b".globl f\n.type f,@function\nf: incl counter(%rip)\n jmp f\n.size f,.-f\n.data\ncounter: .long 0\n")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", loop, "-o", self.path("loop.o")], check=True)
        loop = self.path("loop.o")
        self.assertIn("stopped after 1000 instructions", self.debug("--func", "f", "--max-steps=1000", loop, commands="continue"))
        out = self.debug("--func", "f", "--max-steps=100000", "--history=1M", loop, commands=["continue", "-continue"])
        self.assertIn("the start is no longer in the history", out)
        self.assertIn("time limit", self.debug("--func", "f", "--max-steps=0", "--history=1M", "--timeout=200ms", loop, commands="continue"))
        # Ctrl-C, and then the next command.
        p = subprocess.Popen([ASSAY, "debug", "--func", "f", "--max-steps=0", "--history=1M", loop], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        p.stdin.write(b"echo begun\ncontinue\n")
        p.stdin.flush()
        while b"begun" not in p.stdout.readline():
            pass
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.stdout.readline(), b"interrupted\n")
        p.stdin.close()
        p.stdout.read()
        p.stdout.close()
        self.assertEqual(p.wait(), 0)

    def test_hostile_programs(self):
        """Whatever is in the file, the session goes on or ends with an error."""
        rng = random.Random(5)
        for arch in ARCHES:
            data = bytearray(read(demo(arch)))
            for _ in range(3):
                bad = bytearray(data)
                for _ in range(300):
                    bad[rng.randrange(64, len(bad))] = rng.randrange(256)
                f = self.write("damaged", bytes(bad))
                r = subprocess.run([ASSAY, "debug", "--func", "main", "--calls=zero", "--max-steps=3000", f], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   input=b"s 40\nshow 4\nbt\nregs\nc\n-c\nst 30\n-st 10\nbl\nx/20i main\nlist\nc\nquit\n")
                self.assertIn(r.returncode, (0, 2, 3), r.stderr)
                self.assertNotIn(b"bug in assay", r.stderr)

    def test_deceptive_names(self):
        """Nothing from a file reaches the terminal as it is."""
        source = self.write("evil.s", b'.globl "PLACE_A"\n.type "PLACE_A",@function\n"PLACE_A": call "PLACE_B"\n ret\n.size "PLACE_A", .-"PLACE_A"\n')
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", source, "-o", self.path("evil.o")], check=True)
        data = read(self.path("evil.o")).replace(b"PLACE_A", b'\x1b[2J\nX"').replace(b"PLACE_B", b'<&">\xe2\x80\xae')
        out = self.debug("--func", "0x0", self.write("evil.o", data), commands=["continue", "bt", 'set 0x5000 = "\\x1b[2J\\0"', "x/s 0x5000"])
        for bad in "\x1b\u202e\r":
            self.assertNotIn(bad, out)

    def test_terminal(self):
        """Line editing, history, completion and Ctrl-C, on a terminal of its own."""
        leader, follower = pty.openpty()
        p = subprocess.Popen([ASSAY, "debug", "--init", self.order(), self.build("price.o")], stdin=follower, stdout=follower, stderr=follower,
                             env=dict(os.environ, TERM="xterm", INPUTRC="/dev/null"), start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(follower)
        self.addCleanup(os.close, leader)
        # LeakSanitizer stops the process by a SIGSTOP, which the SIGCONT of a terminal that goes takes away, and then waits for ever.
        self.addCleanup(p.kill)
        seen = b""
        prompt = b"(assay) "
        for typed, wanted in [
                (b"", b"starts at price"),
                (b"s\n", b"<price+0x2>"),
                (b"\n", b"<price+0x4>"),  # the last one again
                (b"nonsense\n", b"unknown command 'nonsense'"),  # is passed over
                (b"rest\t\n", b"at the start"),  # completed
                (b"break pri\t\n", b"breakpoint 1 at 0x400000 price"),
                (b"\x1b[A\x1b[A\n", b"at the start"),  # two back in the history: restart
                (b"stt\x7fep\x01# \x05\n", b"ep"),  # edited into a comment, drawn in pieces
                (b"half a line\x03", b"^C"),  # dropped
                (b"p/d rsi\n", b"rsi = 1")]:
            os.write(leader, typed)
            for text in (wanted, prompt):
                while text not in seen:
                    more = os.read(leader, 4096)
                    self.assertTrue(more, seen)
                    seen += more
                seen = seen[seen.index(text) + len(text):]
        os.write(leader, b"q\n")
        self.assertEqual(p.wait(), 0)

    def test_terminal_gone(self):
        """When the terminal goes, at the prompt or in the middle of a command, the program ends; also where no signal tells it."""
        spin = self.write("spin.s", b".globl spin\n.type spin,@function\nspin: inc %rax\n jmp spin\n.size spin, .-spin\n")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", spin, "-o", self.path("spin.o")], check=True)
        for own, typed in ((True, b""), (False, b""), (True, b"continue\n")):
            with self.subTest(own=own, typed=typed):
                leader, follower = pty.openpty()
                p = subprocess.Popen([ASSAY, "debug", "--func", "spin", "--max-steps=1000000000", "--timeout=0", self.path("spin.o")],
                                     stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
                                     env=dict(os.environ, TERM="xterm", INPUTRC="/dev/null"),
                                     preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if own else None)
                os.close(follower)
                seen = b""
                while b"(assay) " not in seen:
                    seen += os.read(leader, 4096)
                os.write(leader, typed)
                while typed and b"continue" not in seen[seen.index(b"(assay) "):]:
                    seen += os.read(leader, 4096)
                os.close(leader)
                self.assertIn(p.wait(), (0, 3))

    def test_tmux(self):
        """What a person sees, on a terminal that is drawn."""
        if not shutil.which("tmux"):
            self.skipTest("tmux is not there")
        tmux = ["tmux", "-S", self.path("socket"), "-f", "/dev/null"]
        command = [ASSAY, "debug", "--init", self.order(), self.build("price.o")]
        env = dict(os.environ, TERM="screen", INPUTRC="/dev/null")
        subprocess.run(tmux + ["new-session", "-d", "-x", "100", "-y", "24", shlex.join(command) + "; read wait"], check=True, env=env)
        self.addCleanup(subprocess.run, tmux + ["kill-server"], stderr=subprocess.DEVNULL)

        def screen(wanted):
            while True:
                text = subprocess.run(tmux + ["capture-pane", "-p"], stdout=subprocess.PIPE, check=True).stdout.decode().rstrip()
                if re.search(wanted, text, re.M):
                    return text

        def keys(*names):
            subprocess.run(tmux + ["send-keys", *names], check=True)

        screen(r"\(assay\)$")
        keys("brea", "Tab")
        screen(r"^\(assay\) break")
        keys("C-u", "step", "Enter")
        screen(r"<price\+0x2>(.|\n)*\(assay\)$")
        keys("Up", "Left", "Left", "Left", "Left", "-", "Enter")  # step becomes -step
        screen(r"^\(assay\) -step\n=> 0x400000 <price>(.|\n)*\(assay\)$")
        subprocess.run(tmux + ["resize-window", "-x", "60"], check=True)
        keys("quit", "Enter")
        screen(r"^\(assay\) quit$")


main()
