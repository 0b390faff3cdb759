# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C ends a long exploration with what is known so far. The progress bar says when there is something."""
import pty
import signal
import subprocess

from common import *


class Interrupt(Test):
    def interrupted(self, *args, sig=signal.SIGINT):
        return self.interrupt(b" paths", "explore", "--paths", "--no-prune", "--max-paths=1000000000", "--timeout=0", *args,
                              branches("x86_64"), "many", sig=sig)

    def interrupt(self, when, *args, sig=signal.SIGINT):
        """Runs assay, and interrupts it when the progress bar says that."""
        leader, follower = pty.openpty()
        out = open(self.path("out"), "w+")
        p = subprocess.Popen([ASSAY, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=follower)
        os.close(follower)
        seen = b""
        while when not in seen:
            seen += os.read(leader, 4096)
        p.send_signal(sig)
        while True:
            try:
                more = os.read(leader, 4096)
            except OSError:
                break
            if not more:
                break
            seen += more
        os.close(leader)
        code = p.wait()
        out.seek(0)
        text = out.read()
        out.close()
        return code, text, seen.decode()

    def test_bar_only_where_it_can_be_drawn(self):
        for term, drawn in [("xterm", True), ("dumb", False)]:
            leader, follower = pty.openpty()
            p = subprocess.Popen([ASSAY, "explore", "--paths", "--no-prune", "--max-paths=50", branches("x86_64"), "many"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower,
                                 env=dict(os.environ, TERM=term))
            os.close(follower)
            seen = rest_of_terminal(leader)
            p.wait()
            self.assertEqual(b"\x1b" in seen, drawn, (term, seen))

    def test_text(self):
        code, out, err = self.interrupted()
        self.assertEqual(code, 3)
        self.assertRegex(out, r"^many at 0x\w+: \d+ paths?, not complete: interrupted\n")
        self.assertIn("\npath 1: ", out)
        self.assertIn("interrupted; partial results follow", err)

    def test_json(self):
        code, out, _ = self.interrupted("--json", sig=signal.SIGTERM)
        doc = json.loads(out)
        self.assertEqual((code, doc["complete"], doc["explored"][0]["complete"]), (3, False, False))
        self.assertGreater(len(doc["explored"][0]["paths"]), 0)

    def test_functions(self):
        """What tables say of the functions is there, whatever else was to be found."""
        code, out, err = self.interrupt(b"functions scanned", "functions", ASSAY)
        self.assertEqual(code, 3)
        self.assertRegex(out, r"(?m)^0x\w+ .* main$")
        self.assertRegex(out, r"\n\d+ functions known so far, not complete: interrupted\n$")
        self.assertIn("interrupted; partial results follow", err)
        code, out, _ = self.interrupt(b"functions scanned", "functions", "--json", ASSAY)
        doc = json.loads(out)
        self.assertEqual((code, doc["complete"], doc["reason"]), (3, False, "interrupted"))
        tables = self.json("functions", "--json", "--tables-only", ASSAY)
        self.assertEqual(doc["functions"], tables["functions"])


main()
