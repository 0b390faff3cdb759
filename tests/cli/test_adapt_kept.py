# SPDX-License-Identifier: GPL-3.0-or-later
"""What assay adapt keeps of functions: found again by all that it depends on, and never to be seen in an answer."""
import hashlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import unittest

from common import ASSAY, INPUTS, Test, assay

FILE = os.path.join(INPUTS, "adapt-x86_64-g.so")
# With an adapter and without; tables, memory, system calls, callees.
PAIRS = [("get_y", "get_at"), ("lookup1", "lookup2"), ("is_digit", "is_of_class"), ("write_out", "write_to"), ("set", "set_turned"), ("calls_helper", "calls_helper_too")]
# More than one worker is given, the last two with functions of the first.
TASKS = [("second", "same"), ("same", "second"), ("twice_at", "sum_at"), ("get_at_or", "get_at"), ("sum_at", "twice_at"), ("minus", "minus_turned"),
         ("pick3", "pick3_turned"), *PAIRS, ("set_zero", "set_turned"), ("twice_at", "get_at")]


def text(data):
    """As base/pack.h writes it."""
    n, out = len(data) + 1, b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n]) + data


class Kept(Test):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("cache")}
        self.store = os.path.join(self.path("cache"), "assay", "summaries.sqlite")

    def ask(self, *args, env=None):
        """The report, how many functions were explored and known, and what else was said."""
        family = [] if "--family" in args else ["--family", "substitute"]
        r = assay("adapt", "--json", "--stats", "--runs", "20", *family, *args, env=env or self.env)
        made, known = re.search(r"functions explored (\d+), known (\d+)", r.err).groups()
        return (r.code, r.out), int(made), int(known), [x for x in r.err.splitlines() if x.startswith("assay: ")]

    def pair(self, target, inner, *args, file=FILE, env=None):
        return self.ask(*args, f"{file}:{target}", f"{file}:{inner}", env=env)

    def change(self, *statements):
        db = sqlite3.connect(self.store)
        for s in statements:
            db.execute(*s)
        db.commit()
        db.close()

    def rows(self):
        db = sqlite3.connect(self.store)
        rows = list(db.execute("SELECT key, message FROM summary ORDER BY key"))
        db.close()
        return rows

    def test_second_run(self):
        for target, inner in PAIRS:
            with self.subTest(f"{target} {inner}"):
                without = self.pair(target, inner, "--no-cache")
                self.assertEqual((without[2], without[3]), (0, []))
                self.assertGreater(without[1], 1)
                first = self.pair(target, inner)
                self.assertEqual((first[0], first[1] + first[2], first[3]), (without[0], without[1], []))
                self.assertEqual(self.pair(target, inner), (first[0], 0, without[1], []))

    def test_other_machines(self):
        for arch in ["aarch64", "arm", "i686"]:
            file = os.path.join(INPUTS, f"adapt-{arch}-g.so")
            if not os.path.exists(file):
                continue
            with self.subTest(arch):
                first = self.pair("get_y", "get_at", file=file)
                self.assertGreater(first[1], 1)
                self.assertEqual(self.pair("get_y", "get_at", file=file), (first[0], 0, first[1], []))

    def test_no_place(self):
        first = self.pair("get_y", "get_at", "--no-cache")
        for env in [{"XDG_CACHE_HOME": "/dev/null"}, {"XDG_CACHE_HOME": "", "HOME": "nowhere"}]:
            self.assertEqual(self.pair("get_y", "get_at", env=env), first)

    def test_what_it_depends_on(self):
        self.pair("get_y", "get_at", "--family", "substitute")
        for same in [["--family", "convert"], ["--runs", "7"], ["--modulo-faults"], ["--constants", "1,2"]]:
            with self.subTest(same):
                self.assertEqual(self.pair("get_y", "get_at", *same)[1], 0)
        for other in [["--visits", "3"], ["--summary-timeout", "19s"], ["--search-timeout", "3s"], ["--assume", "arg0 > 64"]]:
            with self.subTest(other):
                self.assertGreater(self.pair("get_y", "get_at", *other)[1], 0)
                self.assertEqual(self.pair("get_y", "get_at", *other)[1], 0)
        self.assertGreater(self.pair("get_y", "get_at", "--assume", "arg0 > 65")[1], 0)
        stripped = os.path.join(INPUTS, "adapt-x86_64-s.so")
        self.assertGreater(self.pair("get_y", "get_at", file=stripped)[1], 0)
        # wherever the file is, and whatever its name
        copy = shutil.copy(FILE, self.path("copy.so"))
        self.assertEqual(self.pair("get_y", "get_at", file=copy)[1], 0)
        # the other way round the same functions are asked about, of one file; of two, one is elsewhere
        self.assertEqual(self.pair("get_at", "get_y")[1], 0)
        two = self.ask(f"{FILE}:get_y", f"{copy}:get_at")
        self.assertEqual(two[1:3], (1, 1))
        self.assertEqual(self.ask(f"{FILE}:get_y", f"{copy}:get_at"), (two[0], 0, 2, []))

    def test_what_cannot_be_done(self):
        """That exploring took its whole time, or is not possible, is known the next time."""
        first = self.pair("is_digit", "is_of_class", "--summary-timeout", "1ms", "--visits", "200")
        self.assertEqual(self.pair("is_digit", "is_of_class", "--summary-timeout", "1ms", "--visits", "200"), (first[0], 0, first[1], []))
        if not shutil.which("cc"):
            return
        many = self.path("many.so")
        args = ", ".join(f"long a{i}" for i in range(15))
        code = f"long many({args}) {{ return a0 + a14 * a3; }}\nlong one(long *p) {{ return *p; }}\n"
        with open(self.path("many.c"), "w", encoding="utf-8") as f:
            f.write(code)
        subprocess.run(["cc", "-O2", "-g", "-shared", "-fPIC", "-o", many, self.path("many.c")], check=True)
        first = self.pair("many", "one", file=many)
        if first[1]:
            self.assertEqual(self.pair("many", "one", file=many), (first[0], 0, first[1], []))

    def test_sweep(self):
        """Workers share what they find out, and so do sweeps that were cut off."""
        tasks = self.write("tasks", "".join(f"{target} {inner}\n" for target, inner in TASKS).encode())
        sweep = ["--sweep", FILE, "--tasks", tasks]
        none, made, known, said = self.ask(*sweep, "--no-cache", "--jobs", "2")
        self.assertEqual((none[0], known, said), (0, 0, []))
        self.assertGreater(self.ask(*sweep, "--slice", "0/4")[1], 0)
        first = self.ask(*sweep, "--jobs", "1")
        self.assertEqual((first[0], first[1] + first[2], first[3]), (none, made, []))
        # those of the slice, and set_turned, get_at and twice_at in the last worker
        self.assertGreater(first[2], 4)
        self.assertEqual(self.ask(*sweep, "--jobs", "2"), (none, 0, made, []))

    def test_damaged(self):
        """It costs the use of the store, and a warning."""
        first = self.pair("get_y", "get_at")
        with open(self.store, "rb") as f:
            whole = f.read()
        for damage in [b"nonsense" * 1000, whole[:4096] + b"x" * 8192]:
            for name in os.listdir(os.path.dirname(self.store)):
                os.unlink(os.path.join(os.path.dirname(self.store), name))
            with open(self.store, "wb") as f:
                f.write(damage)
            again = self.pair("get_y", "get_at")
            self.assertEqual((again[0], again[1:3]), (first[0], first[1:3]))
            self.assertLessEqual(len(again[3]), 1, again[3])
            for line in again[3]:
                self.assertIn("summaries.sqlite", line)
        assay("cache", "--clear", env=self.env)
        self.assertEqual(self.pair("get_y", "get_at"), first)
        self.assertEqual(self.pair("get_y", "get_at")[1], 0)

    def test_foreign_entries(self):
        """A value that is not of its key, or not whole, is not used."""
        first = self.pair("get_y", "get_at")
        other = "(SELECT %s FROM summary ORDER BY key DESC LIMIT 1)"
        for change in [f"UPDATE summary SET message = {other % 'message'}, digest = {other % 'digest'}", "UPDATE summary SET message = zeroblob(length(message))",
                       "UPDATE summary SET message = x''", "UPDATE summary SET digest = ''", "UPDATE summary SET message = 17, digest = 4"]:
            self.change((change,))
            again = self.pair("get_y", "get_at")
            self.assertEqual((again[0], again[3]), (first[0], []))
            self.assertGreater(again[1], 0)
            self.assertEqual(self.pair("get_y", "get_at")[1], 0)

    def test_broken_entries(self):
        """Bytes with the right digest that are no summary: a miss, and nothing crashes."""
        first = self.pair("write_out", "write_to")
        r = random.Random(7)
        put = lambda key, data: ("UPDATE summary SET message = ?, digest = ? WHERE key = ?", (data, hashlib.sha256(text(key.encode()) + data).hexdigest(), key))
        rows = self.rows()
        for cut in [0, 1, 5, 0.5, 0.9, 1.0]:
            self.change(*(put(key, data[:int(len(data) * cut) - 1] if isinstance(cut, float) else data[:cut]) for key, data in rows))
            self.assertEqual(self.pair("write_out", "write_to"), first)
        self.change(*(put(key, data + b"\0") for key, data in rows))
        self.assertEqual(self.pair("write_out", "write_to"), first)
        for _ in range(25):
            broken = [(key, bytearray(data)) for key, data in rows]
            for _, data in broken:
                data[r.randrange(len(data))] = r.randrange(256)
            self.change(*(put(key, bytes(data)) for key, data in broken))
            code, out = self.pair("write_out", "write_to")[0]
            self.assertIn(code, [0, 1, 3])
            self.assertTrue(json.loads(out).get("complete", True), out)

    def test_several_at_once(self):
        command = [ASSAY, "adapt", "--json", "--runs", "20", f"{FILE}:set_zero", f"{FILE}:set"]
        env = dict(os.environ, **self.env)
        all_at_once = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
        done = [p.communicate() for p in all_at_once]
        self.assertEqual({out for out, _ in done}, {done[0][0]})
        self.assertEqual({err for _, err in done}, {b""})
        self.assertEqual(self.pair("set_zero", "set")[1], 0)

    def test_command(self):
        show = lambda *args: json.loads(assay("cache", "--json", *args, env=self.env).out)
        self.assertEqual(show()["summaries"], {"entries": 0, "bytes": 0})
        made = self.pair("get_y", "get_at")[1]
        self.assertEqual(show()["summaries"]["entries"], made)
        self.assertRegex(assay("cache", env=self.env).out, rf"functions of adapt: {made} entries, \d+ KiB")
        self.assertTrue(show("--clear")["cleared"])
        self.assertEqual(show()["summaries"], {"entries": 0, "bytes": 0})
        self.assertEqual(self.pair("get_y", "get_at")[1], made)


if __name__ == "__main__":
    unittest.main()
