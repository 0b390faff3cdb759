# SPDX-License-Identifier: GPL-3.0-or-later
"""Help, versions, mistyped words, option values."""
from common import *


class Usage(Test):
    def test_no_arguments(self):
        r = assay()
        self.assertEqual((r.code, r.out), (2, ""))
        self.assertTrue(r.err.startswith("usage: assay COMMAND"))

    def test_help(self):
        text = self.ok("--help")
        self.assertEqual(text, self.ok("help"))
        self.assertEqual(text, self.ok("-h"))
        for c in COMMANDS:
            self.assertIn("\n  " + c + " ", text)

    def test_command_help(self):
        for c in COMMANDS:
            text = self.ok(c, "--help")
            self.assertEqual(text, self.ok("help", c))
            self.assertRegex(text, "^usage: assay " + c + r" \[OPTION\]\.\.\. (FILE|OLD NEW|TARGET)")
            self.assertIn("\nexamples\n  assay " + c, text)

    def test_version(self):
        self.assertRegex(self.ok("--version"), r"^assay \d+\.\d+\.\d+\n$")
        self.assertEqual(self.ok("explore", "--version"), self.ok("--version"))

    def test_mistyped_command(self):
        self.refused("fucntions", "x", says=["unknown command 'fucntions'", "did you mean 'functions'?"])
        self.refused("exp", "x", says=["did you mean 'explore'?"])
        self.refused("zzzzzzzzz", says=["'assay help' lists them"])
        self.refused("help", "lfit", says=["did you mean 'lift'?"])

    def test_mistyped_option(self):
        self.refused("functions", "--jsno", "x", says=["unknown option '--jsno'", "did you mean '--json'?"])
        self.refused("explore", "--vists=3", "x", "y", says=["did you mean '--visits'?"])
        self.refused("functions", "-Z", "x", says=["unknown option '-Z'"])
        self.refused("--jsno", says=["unknown option '--jsno'"])

    def test_values(self):
        self.refused("explore", "--visits=many", "x", "y", says=["--visits: 'many' is not a number"])
        self.refused("explore", "--visits=0", "x", "y", says=["out of range"])
        self.refused("explore", "--visits=99999999999999999999", "x", "y", says=["is not a number"])
        self.refused("explore", "--visits", says=["--visits needs a value"])
        self.refused("explore", "--fp=sometimes", "x", "y", says=["theory|uf"])
        self.refused("explore", "--no-axiom=gravity", "x", "y", says=["frame, heap, literal, return"])
        self.refused("info", "--timeout=soon", "x", says=["500ms, 30s, 5m or 1h"])
        self.refused("info", "--memory=lots", "x", says=["512M or 2G"])
        self.refused("info", "--json=yes", "x", says=["--json takes no value"])
        self.refused("info", "--color=blue", "x", says=["auto|always|never"])

    def test_number_of_arguments(self):
        for c in COMMANDS:
            self.refused(c, says=["an argument is missing", "usage: assay " + c])
        self.refused("info", "a", "b", says=["too many arguments"])
        self.refused("explore", "a", says=["which function?"])
        self.refused("explore", "--all", "a", "b", says=["exclude each other"])

    def test_options_anywhere_and_dashes(self):
        first = self.ok("info", "--json", demo("x86_64"))
        self.assertEqual(first, self.ok("info", demo("x86_64"), "--json"))
        self.assertEqual(first, self.ok("info", "--json", "--", demo("x86_64")))


main()
