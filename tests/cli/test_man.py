# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command has a man page that names every option, and the pages are clean."""
import re
import subprocess

from common import *

PAGES = os.path.join(SOURCE, "docs", "man")


class Man(Test):
    def test_lint(self):
        pages = sorted(os.path.join(PAGES, f) for f in os.listdir(PAGES) if f.endswith(".1"))
        self.assertEqual(len(pages), 1 + len(COMMANDS))
        r = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((r.returncode, r.stdout.decode()), (0, ""))

    def test_options(self):
        for c in COMMANDS:
            page = read(os.path.join(PAGES, "assay-" + c + ".1")).decode()
            wanted = set(re.findall(r"--([a-z-]+)", self.ok(c, "--help").split("\nexamples\n")[0].split("\noptions", 1)[1]))
            for option in wanted:
                self.assertIn("Fl -" + option, page, c)
            for option in re.findall(r"^\.It .*?Fl -([a-z-]+)", page, re.M):
                self.assertIn(option, wanted, c)

    def test_main_page_names_the_commands(self):
        page = read(os.path.join(PAGES, "assay.1")).decode()
        for c in COMMANDS:
            self.assertIn("Xr assay-%s 1" % c, page)


main()
