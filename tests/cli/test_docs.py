# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands in the documentation print what the documentation says.

A block of README.md or docs/*.md that is marked `console` holds lines "$ COMMAND" and, under each, its output. They
run in order, in an empty directory where `examples` is the project's and `assay` is the built program. A line "..." stands for any
number of lines."""
import re
import subprocess

from common import *


def blocks(path):
    for m in re.finditer(r"^```console\n(.*?)^```$", read(path).decode(), re.M | re.S):
        command = None
        out = []
        for line in m.group(1).splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield command, out
                command, out = line[2:], []
            else:
                out.append(line)
        if command is not None:
            yield command, out


def pattern(lines):
    return "".join(r"(?:.*\n)*?" if l.strip() == "..." else re.escape(l) + r"\n" for l in lines)


class Docs(Test):
    def check(self, path):
        os.symlink(os.path.join(SOURCE, "examples"), self.path("examples"))
        bin_dir = self.path("bin")
        os.mkdir(bin_dir)
        os.symlink(ASSAY, os.path.join(bin_dir, "assay"))
        env = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], XDG_CACHE_HOME=self.path("cache"))
        n = 0
        for command, want in blocks(path):
            if command.startswith("./dev"):
                continue
            r = subprocess.run(["sh", "-c", command], cwd=self.dir.name, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            got = r.stdout.decode()
            self.assertRegex(got, "^" + pattern(want) + "$", "%s: $ %s" % (path, command))
            n += 1
        return n

    def test_readme(self):
        self.assertGreater(self.check(os.path.join(SOURCE, "README.md")), 1)


    def test_assumptions(self):
        """docs/verify.md explains every assumption that a verdict may list, with its switch."""
        source = read(os.path.join(SOURCE, "src/verify/ledger.def")).decode()
        rows = re.findall(r'^X\(\w+, "([^"]+)", (\w+),', source, re.M)
        self.assertGreater(len(rows), 10)
        table = read(os.path.join(SOURCE, "docs/verify.md")).decode().split("## What is assumed")[1]
        switch = {"ASSUME": "`--assume` without `%s`", "AXIOM": "`--no-axiom %s`", "HEURISTICS": "`--heuristics` without it"}
        for name, by in rows:
            want = switch[by] % name if "%s" in switch.get(by, "") else switch.get(by, "none")
            line = [l for l in table.splitlines() if l.startswith("| %s |" % name) and want in l]
            self.assertEqual(len(line), 1, "%s: one line with %s" % (name, want))
        told = re.findall(r"^\| ([a-z][\w -]*?) \|.*\| (?:none|`-)", table, re.M)
        self.assertEqual(set(told), {name for name, by in rows})


def add(name):
    def test(self):
        if name in ("bitcode.md", "present.md") and os.environ.get("HAVE_LLVM") != "1":
            self.skipTest("built without LLVM")
        self.check(os.path.join(SOURCE, "docs", name))
    setattr(Docs, "test_docs_" + name.replace(".", "_").replace("-", "_").lower(), test)


for name in sorted(os.listdir(os.path.join(SOURCE, "docs"))):
    if name.endswith(".md"):
        add(name)

main()
