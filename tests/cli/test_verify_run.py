# SPDX-License-Identifier: GPL-3.0-or-later
"""assay verify as a run over many functions: how its work is shared out, and what it says while it works and in the end."""
import gzip
import io
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import xml.etree.ElementTree

from common import *

# Whether b is a factor of a large number: no solver decides it soon.
HARD = "int hard%d(unsigned long a, unsigned long b) { return a > 1 && b > %d && (unsigned __int128)a * b == 1ull ? 5 : 4; }\n"
EASY = "int easy%d(int n) { return n * %d; }\n"
PRODUCT = "((unsigned __int128)%dull << 64 | %dull)" % divmod((2 ** 63 - 25) * (2 ** 63 - 165), 2 ** 64)


class Run(Test):
    FLAGS = []

    def build(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        source = self.write(os.path.basename(name) + ".c", text.encode())
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", *self.FLAGS, "-c", "-o", self.path(name), source], check=True)
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
                seen += rest_of_terminal(leader)
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


class Headline(Run):
    FLAGS = ["-g"]
    BASE = """extern void note(const char *text, int n);
extern void log_error(const char *file, int line, const char *text);
struct s { int len, cap; char *p; };
int put(int *to, int n) { if (n < 0) return -1; *to = n * 3; note("put", n - 7); return 0; }
int two(struct s *s) { int a = s->len; note("two", a); return s->len == a ? 5 : 6; }
void logged(int n) { if (n == 3) log_error("x.c", 120, "three"); note("logged", n); }
void version(void) { note("1.2.3", 1); }
"""
    CHECK = ("n < 0", "n < 0 || n > 64")
    WRITE = ("n * 3", "n * 5")
    TWO = ("s->len == a ?", "s->len == 0 ?")
    LINE = ("120", "127")
    VERSION = ("1.2.3", "1.2.4")

    def verify(self, *changes, name="x.o", code):
        old, new = self.pair(self.BASE, *changes, name=name)
        doc, text = self.json("verify", "--json", old, new, code=code), assay("verify", old, new).out
        self.assertEqual(text.splitlines()[1], "  " + doc["headline"]["text"])
        return doc["headline"], {f["name"]: f for f in doc["files"][0]["functions"]}, text

    def test_no_code_changed(self):
        old = self.build("old/x.o", self.BASE)
        new = self.build("new/x.o", self.BASE + '__asm__(".section .comment; .asciz \\"x\\"; .text");')
        doc = self.json("verify", "--json", old, new)
        self.assertEqual(doc["headline"]["kind"], "no code changed")
        self.assertIn("\n  NO CODE CHANGED: ", assay("verify", old, new).out)
        self.assertNotEqual(self.json("verify", "--json", "--func=put", old, new)["headline"]["kind"], "no code changed")

    def test_only_rejects_more(self):
        headline, f, text = self.verify(self.CHECK, code=0)
        self.assertEqual((headline["kind"], headline["rejects_more"]), ("only rejects more", 1))
        self.assertEqual(len(f["put"]["now_rejects"]), 1)
        self.assertRegex(f["put"]["now_rejects"][0]["when"], r"^n >= 65$")
        self.assertRegex(text, r"\n    now rejects: n >= 65 \(.*:4\)\n")

    def test_same_behaviour(self):
        headline, f, _ = self.verify(("*to = n", "__asm__(\"xorl %%r10d, %%r10d\" ::: \"r10\"); *to = n"), code=0)
        self.assertEqual((headline["kind"], list(f)), ("same behaviour", ["put"]))
        self.assertTrue(all(not x["now_rejects"] for x in f.values()))

    def test_behaviour_changes(self):
        headline, f, text = self.verify(self.WRITE, self.LINE, self.VERSION, code=1)
        self.assertEqual((headline["kind"], headline["behaviour_changes"], headline["minor"]), ("behaviour changes", 1, 2))
        self.assertEqual({n: x.get("group") for n, x in f.items()}, {"put": None, "logged": "line numbers", "version": "version strings"})
        self.assertIn("\n1 function differs only in line numbers passed to logging and assertions: logged\n", text)
        self.assertIn("\n1 function differs only in version strings: version\n", text)
        self.assertNotIn("unsafe logged", text)
        self.assertLess(text.index("unsafe put"), text.index("line numbers passed"))
        self.assertIn("unsafe logged", assay("verify", "--func=logged", self.path("old/x.o"), self.path("new/x.o")).out)

    def test_minor_only(self):
        headline, _, _ = self.verify(self.LINE, code=1)
        self.assertEqual((headline["kind"], headline["minor"]), ("minor changes", 1))

    def test_numbers_that_are_no_lines(self):
        """An argument of something that does not report, or a number that is far off, is a change of behaviour."""
        self.assertEqual(self.verify(("n - 7", "9"), code=1)[0]["behaviour_changes"], 1)
        self.assertEqual(self.verify(("120", "90001"), code=1)[0]["behaviour_changes"], 1)
        self.assertEqual(self.verify(("1.2.3", "3.2.1 beta"), code=1)[0]["behaviour_changes"], 1)

    def test_two_states(self):
        _, f, _ = self.verify(self.TWO, code=1)
        d = f["two"]["differences"][0]
        self.assertIn(" at entry", d["condition"])
        self.assertIn(" after note", d["condition"])
        self.assertNotEqual(d["old"], d["new"])

    def test_several_programs(self):
        for name in ["a.o", "b.o", "c.o"]:
            self.pair(self.BASE, self.WRITE, name=name)
        doc = self.json("verify", "--json", self.path("old"), self.path("new"), code=1)
        f = [x for file in doc["files"] for x in file["functions"]]
        self.assertEqual([(x.get("also_in"), x.get("same_in")) for x in f], [(2, None), (None, "a.o"), (None, "a.o")])
        text = assay("verify", self.path("old"), self.path("new")).out
        self.assertEqual(text.count("unsafe put at"), 1)
        self.assertIn("; the same in 2 other programs\n", text)
        self.assertEqual(text.count("  as told above: put (unsafe)\n"), 2)


class Formats(Run):
    FLAGS = ["-g"]

    def setUp(self):
        super().setUp()
        self.files = self.pair(Headline.BASE + HARD % (1, 1), Headline.WRITE, Headline.LINE, Headline.TWO,
                               ("n == 3", "n == 3 || n > 99"), ("1ull", PRODUCT))

    def test_markdown(self):
        r = assay("verify", "--markdown", "--timeout=200ms", *self.files)
        self.assertEqual(r.code, 1)
        doc = self.json("verify", "--json", "--timeout=200ms", *self.files, code=1)
        lines = r.out.splitlines()
        self.assertEqual((lines[0], lines[2]), ("### Not safe to apply", "**%s.**" % doc["headline"]["text"]))
        for part in ["#### Behaviour changes", "- `put`\n  - P2", "is `n * 5`", "#### Undecided\n\n- `hard1`: work limit reached",
                     "; both versions were run on it\n"]:
            self.assertIn(part, r.out)
        self.assertLess(r.out.index("Behaviour changes"), r.out.index("Undecided"))

    def test_markdown_is_not_left(self):
        """Names from files end neither a code span nor a line."""
        old, new = self.pair('__asm__(".globl \\"a`b<i>\\"; .type \\"a`b<i>\\", @function; \\"a`b<i>\\": movl $5, %eax; ret; .size \\"a`b<i>\\", .-\\"a`b<i>\\"");\n',
                             ("$5", "$7"), name="odd.o")
        out = assay("verify", "--markdown", old, new).out
        self.assertIn("- ``a`b<i>``\n", out)

    def test_junit(self):
        r = assay("verify", "--junit", "--timeout=200ms", *self.files)
        self.assertEqual(r.code, 1)
        root = xml.etree.ElementTree.fromstring(r.out)
        suite = root.find("testsuite")
        doc = self.json("verify", "--json", "--timeout=200ms", *self.files, code=1)
        for e in [root, suite]:
            self.assertEqual([int(e.get(k)) for k in ["tests", "failures", "errors"]],
                             [sum(doc["summary"][v] for v in ["safe", "unsafe", "unknown"]), doc["summary"]["unsafe"], doc["summary"]["unknown"]])
        cases = {c.get("name"): c for c in suite.iter("testcase")}
        self.assertEqual(set(cases), {f["name"] for f in doc["files"][0]["functions"]})
        self.assertIn("n * 5", cases["put"].find("failure").get("message"))
        self.assertIn("for example", cases["put"].find("failure").text)
        self.assertEqual(cases["hard1"].find("error").get("message"), "work limit reached")
        self.assertEqual(r.out, assay("verify", "--junit", "--timeout=200ms", "-j1", *self.files).out)

    def test_page(self):
        """What matters comes first, and a function without a verdict has its graphs, too."""
        page = self.path("page.html")
        assay("verify", "--html", page, "--timeout=200ms", *self.files)
        text = read(page).decode()
        doc = self.json("verify", "--json", "--timeout=200ms", *self.files, code=1)
        self.assertIn('<p class="headline"><strong>%s</strong></p>' % doc["headline"]["text"], text)
        names = re.findall(r'<li><a href="#f\d+"><code>(\w+)</code></a> <span class="(\w+)">', text)
        order = ["unsafe", "unknown", "safe"]
        ranks = [order.index(v) for n, v in names if n != "logged"]
        self.assertEqual(ranks, sorted(ranks))
        self.assertEqual(len(names), len(doc["files"][0]["functions"]))
        self.assertEqual(text.count('class="graphs"'), len(names))


FAKE_CLIENT = """#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *debuginfod_begin(void) { return strdup("client"); }
void debuginfod_end(void *client) { free(client); }
int debuginfod_find_debuginfo(void *client, const unsigned char *id, int length, char **path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", getenv("FAKE_SERVER"), (const char *)id);
    int fd = length == 0 ? open(name, O_RDONLY) : -2;
    if (fd >= 0)
        *path = strdup(name);
    return fd;
}
"""


class DebugFiles(Run):
    """Detached debug files, in packages of debug symbols and on servers."""
    FLAGS = ["-g"]

    def setUp(self):
        super().setUp()
        linked = self.path("linked")
        subprocess.run(["clang", "--target=x86_64-linux-gnu", "-nostdlib", "-fuse-ld=lld", "-shared", "-Wl,--build-id=sha1", "-o", linked,
                        self.build("o/x.o", "struct order { int count; };\nint price(struct order *o) { return o->count * 3; }\n")], check=True)
        self.program, self.debug = self.path("program"), self.path("debug")
        subprocess.run(["x86_64-linux-gnu-objcopy", "--only-keep-debug", linked, self.debug], check=True)
        subprocess.run(["x86_64-linux-gnu-strip", "-o", self.program, linked], check=True)
        self.id = self.json("info", "--json", self.program)["members"][0]["build_id"]

    def package(self, name, path):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as tar:
            tar.add(self.debug, path)
        members = [("debian-binary", b"2.0\n"), ("control.tar.gz", gzip.compress(b"\0" * 1024)), ("data.tar.gz", data.getvalue())]
        out = b"!<arch>\n"
        for member, content in members:
            out += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (member.encode(), 0, 0, 0, b"100644", len(content)) + content + b"\n" * (len(content) % 2)
        return self.write(name, out)

    def debug_file(self, *args, env=None):
        return json.loads(assay("info", "--json", *args, self.program, env=env).out)["members"][0]["debug_file"]

    def test_package(self):
        where = ".build-id/%s/%s.debug" % (self.id[:2], self.id[2:])
        package = self.package("x-dbgsym.deb", "./usr/lib/debug/" + where)
        self.assertIsNone(self.debug_file())
        self.assertEqual(self.debug_file("--debug-dir", package), package + "/" + where)
        other = self.package("other.deb", "./usr/lib/debug/.build-id/00/00.debug")
        self.assertIsNone(self.debug_file("--debug-dir", other))
        self.assertEqual(self.debug_file("--debug-dir", other, "--debug-dir", package), package + "/" + where)
        self.assertIsNone(self.debug_file("--debug-dir", self.write("text", b"no package")))
        self.refused("info", "--debug-dir", "/dev/null", self.program, says=["neither a directory nor a package"])

    def test_server(self):
        """With a client that fetches from a directory."""
        os.mkdir(self.path("lib"))
        os.mkdir(self.path("server"))
        env = {"LD_LIBRARY_PATH": self.path("lib"), "FAKE_SERVER": self.path("server")}
        client = self.path("lib/libdebuginfod.so.1")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", client, self.write("client.c", FAKE_CLIENT.encode())], check=True)
        self.assertIsNone(self.debug_file("--debuginfod", env=env))
        fetched = self.path("server/" + self.id)
        shutil.copy(self.debug, fetched)
        self.assertIsNone(self.debug_file(env=env))
        self.assertEqual(self.debug_file("--debuginfod", env=env), fetched)
        shutil.copy(self.program, fetched)  # it has the build-id, and nothing else
        self.assertEqual(assay("info", "--debuginfod", self.program, env=env).code, 0)
        with open(fetched, "wb") as f:
            f.write(b"what a broken server sends")
        self.assertIsNone(self.debug_file("--debuginfod", env=env))

    def test_no_client(self):
        os.mkdir(self.path("lib"))
        self.write("lib/libdebuginfod.so.1", b"nothing")
        r = assay("info", "--debuginfod", self.program, env={"LD_LIBRARY_PATH": self.path("lib")})
        self.assertEqual(r.code, 2)
        self.assertIn("libdebuginfod", r.err)


class Remembered(Run):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("cache")}
        self.store = os.path.join(self.path("cache"), "assay", "verdicts.sqlite")
        self.files = self.pair(EASY % (1, 5) + EASY % (2, 9), ("n * 5", "n * 7"),
                               ("easy2(int n) {", "easy2(int n) { if (n > 3) __builtin_trap();"))

    def verify(self, *args, env=None, files=None):
        """The report, the number of verdicts that were remembered, and what else was said."""
        r = assay("verify", "--json", "--stats", *args, *(files or self.files), env=env or self.env)
        lines = r.err.splitlines()
        n = next(int(x.split()[-1]) for x in lines if x.startswith("verdicts of earlier runs"))
        return (r.code, r.out), n, [x for x in lines if x.startswith("assay: ")]

    def test_second_run(self):
        first, n, said = self.verify()
        self.assertEqual((n, said), (0, []))
        self.assertEqual(self.verify(), (first, 2, []))
        self.assertEqual(self.verify("-j1"), (first, 2, []))
        self.assertEqual(self.verify("--no-cache"), (first, 0, []))

    def test_what_a_verdict_depends_on(self):
        """Another question, configuration or file is not answered by what is remembered."""
        self.verify()
        config = self.write("config.json", b'{"prototypes": {"easy1": {"arguments": 1, "returns": true}}}')
        for more in [["--heuristics=none"], ["--assume=none"], ["--timeout=900ms"], ["--strategy=paths"], ["--no-axiom=frame"], ["--short=70"],
                     ["--query-timeout=9s"], ["--config", config], ["--html", self.path("page.html")]]:
            with self.subTest(more):
                self.assertEqual(self.verify(*more)[1], 0)
                self.assertEqual(self.verify(*more)[1], 2)
        config = self.write("config.json", b'{"prototypes": {"easy1": {"arguments": 2, "returns": true}}}')
        self.assertEqual(self.verify("--config", config)[1], 0)
        other = self.build("new/x.o", EASY % (1, 8) + EASY % (2, 9))
        self.assertEqual(self.verify(files=(self.files[0], other))[1], 0)

    def test_queries_are_written(self):
        self.verify()
        self.assertEqual(self.verify("--dump-smt", self.path("queries"))[1], 0)

    def test_no_place(self):
        first = self.verify()[0]
        for env in [{"XDG_CACHE_HOME": "/dev/null"}, {"XDG_CACHE_HOME": "", "HOME": "nowhere"}]:
            self.assertEqual(self.verify(env=env), (first, 0, []))
        r = assay("cache", env={"XDG_CACHE_HOME": "", "HOME": "nowhere"})
        self.assertEqual(r.code, 2)
        self.assertIn("XDG_CACHE_HOME", r.err)

    def test_damaged(self):
        """It costs the use of the store, and a warning."""
        first = self.verify()[0]
        for damage in [b"nonsense" * 1000, read(self.store)[:4096] + b"x" * 8192]:
            for name in os.listdir(os.path.dirname(self.store)):
                os.unlink(os.path.join(os.path.dirname(self.store), name))
            with open(self.store, "wb") as f:
                f.write(damage)
            (code, out), n, said = self.verify()
            doc, was = json.loads(out), json.loads(first[1])
            self.assertEqual((code, doc["files"], n), (first[0], was["files"], 0))
            self.assertEqual(len(said), 1, said)
            self.assertIn("verdicts.sqlite", said[0])
            self.assertIn("damaged: ", assay("cache", env=self.env).out)
        assay("cache", "--clear", env=self.env)
        self.assertEqual(self.verify(), (first, 0, []))
        self.assertEqual(self.verify(), (first, 2, []))

    def test_foreign_entries(self):
        """A value that is not of its key, or not whole, is not used."""
        first = self.verify()[0]
        for change in ["UPDATE verdict SET message = (SELECT message FROM verdict ORDER BY key DESC LIMIT 1), digest = (SELECT digest FROM verdict ORDER BY key DESC LIMIT 1)",
                       "UPDATE verdict SET message = zeroblob(length(message))", "UPDATE verdict SET message = x''", "UPDATE verdict SET digest = ''",
                       "UPDATE verdict SET message = 17, digest = 4"]:
            db = sqlite3.connect(self.store)
            db.execute(change)
            db.commit()
            db.close()
            again, n, said = self.verify()
            self.assertEqual((again, said), (first, []))
            self.assertLess(n, 2)
            self.assertEqual(self.verify(), (first, 2, []))

    def test_several_at_once(self):
        command = [ASSAY, "verify", "--json", *self.files]
        env = dict(os.environ, **self.env)
        all_at_once = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
        done = [p.communicate() for p in all_at_once]
        self.assertEqual({out for out, _ in done}, {done[0][0]})
        self.assertEqual({err for _, err in done}, {b""})
        self.assertEqual(self.verify()[1], 2)

    def test_command(self):
        show = lambda *args: json.loads(assay("cache", "--json", *args, env=self.env).out)
        self.assertEqual(show()["verdicts"], {"entries": 0, "bytes": 0})
        self.verify()
        doc = show()
        self.assertEqual((doc["schema"], doc["directory"], doc["verdicts"]["entries"]), ("assay/cache/1", os.path.dirname(self.store), 2))
        self.assertRegex(assay("cache", env=self.env).out, r"verdicts of verify: 2 entries, \d+ KiB")
        self.assertTrue(show("--clear")["cleared"])
        self.assertEqual(show()["verdicts"], {"entries": 0, "bytes": 0})
        self.assertEqual(self.verify()[1], 0)


if __name__ == "__main__":
    unittest.main()
