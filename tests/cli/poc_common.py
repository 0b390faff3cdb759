# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of assay poc share: small programs that crash, and their repairs."""
from common import *

BOX = os.path.join(SOURCE, "examples", "poc")


class PocTest(Test):
    def build(self, name, text, *flags, driver=None):
        """A program of two files, so that the compiler does not look from one into the other."""
        self.write(name + ".c", text.encode())
        sources = [self.path(name + ".c")]
        if driver:
            self.write("driver.c", driver.encode())
            sources.append(self.path("driver.c"))
        subprocess.run(["gcc", "-g", "-O1", "-w", *flags, "-o", self.path(name), *sources], check=True)
        return self.path(name)

    def store(self, name, repair=""):
        out = self.path(name)
        subprocess.run(["gcc", "-g", "-O1", "-DREPAIR=" + repair, "-o", out, os.path.join(BOX, "store.c"),
                        os.path.join(BOX, "main.c")], check=True)
        return out

    def poc(self, *args, code):
        r = assay("poc", "--json", *args)
        self.assertEqual(r.code, code, (r.err, r.out))
        return json.loads(r.out)

    def verdicts(self, *args, code):
        return [(c["verdict"], c["finding"]) for c in self.poc(*args, code=code)["candidates"]]
