# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion scripts offer what the program understands, and the shells accept them."""
import shutil
import subprocess

from common import *


class Completion(Test):
    def test_unknown_shell(self):
        self.refused("__completion", "tcsh", says=["bash|zsh|fish"])

    def complete(self, *words):
        script = self.write("completion", self.ok("__completion", "bash").encode())
        ask = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _assay; printf "%s\\n" "${COMPREPLY[@]}"'
        r = subprocess.run(["bash", "--norc", "-c", ask, script, "assay", *words], stdout=subprocess.PIPE, check=True, cwd=self.dir.name)
        return r.stdout.decode().split()

    def test_bash(self):
        self.assertEqual(self.complete("fun"), ["functions"])
        self.assertEqual(self.complete("explore", "--vis"), ["--visits="])
        self.assertEqual(self.complete("explore", "--fp", "=", "u"), ["uf"])
        self.assertEqual(self.complete("explore", "--fp", "th"), ["theory"])
        self.assertEqual(self.complete("cfg", "--s"), ["--svg", "--stats"])
        self.write("a.out", b"")
        self.assertEqual(self.complete("cfg", "a."), ["a.out"])

    def test_other_shells_accept_them(self):
        for shell in ["bash", "zsh", "fish"]:
            script = self.write("s", self.ok("__completion", shell).encode())
            if shutil.which(shell):
                subprocess.run([shell, "-n", script], check=True)
            text = read(script).decode()
            for c in COMMANDS:
                self.assertIn(c, text)
            self.assertIn("query-timeout", text)


main()
