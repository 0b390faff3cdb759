# SPDX-License-Identifier: GPL-3.0-or-later
"""The corpus of patches: reading the cases, and compiling them.

A case is one C file in cases/: without -DPATCHED it is the program before the patch, with it the one after. A comment at its top is
read by machines:

    /* corpus: name=NAME function=FUNCTION kind=KIND [build=so|exe|obj]
     * strict: safe | unsafe P1 P2|P4 ...    the verdict without an analyst; the properties that fail, | where either may
     * strict@O0,arm: ...                    the same for compilations that have all of these words (clang, O2, thumb, strip, ...)
     * analyst: safe [accept=Q1,P3] | unsafe the verdict with the questions an analyst answers with yes (P3: about the result)
     * relies: C | not-C | B01               the heuristic of error exits that the verdict hangs on
     * why: the reason of the patch */

Everything is freestanding and needs no headers of a C library. Functions that a case calls are declared with `extern`, on
one line, with names for their parameters: the stubs of executables and of the mutation harness are made from that.
"""
import hashlib
import os
import re
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")

ARCHES = ["x86-64", "i386", "arm", "thumb", "aarch64"]
COMPILERS = ["gcc", "clang"]
LEVELS = ["O0", "O1", "O2", "O3", "Os"]
# sym: symbols without debug information; strip: without symbols but for those a loader needs; debug: with DWARF.
VARIANTS = ["sym", "strip", "debug"]

TRIPLE = {"x86-64": "x86_64-linux-gnu", "i386": "i686-linux-gnu", "arm": "arm-linux-gnueabihf",
          "thumb": "arm-linux-gnueabihf", "aarch64": "aarch64-linux-gnu"}
MACHINE = {"arm": ["-marm"], "thumb": ["-mthumb"]}
COMMON = ["-std=gnu17", "-ffreestanding", "-fno-strict-aliasing", "-fno-stack-protector",
          "-w"]

# Old and new by different compilers or flags, as when a distribution updates its compiler together with a package.
CROSS = [("gcc", "O2", "clang", "O2"), ("clang", "O2", "gcc", "O2"), ("gcc", "O1", "gcc", "O2"), ("clang", "O1", "clang", "O2"),
         ("gcc", "O2", "gcc", "O3"), ("gcc", "O2", "gcc", "Os"), ("clang", "Os", "clang", "O3"), ("gcc", "O0", "gcc", "O1")]


class CorpusError(Exception):
    pass


class Case:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="ascii") as f:
            self.text = f.read()
        found = re.search(r"/\* corpus: (.*?)\*/", self.text, re.S)
        if not found:
            raise CorpusError(f"{path}: there is no '/* corpus:' comment")
        fields, key = {}, "corpus"
        for line in ("corpus: " + found.group(1)).split("\n"):
            line = re.sub(r"^\s*\*\s*", "", line).strip()
            start = re.match(r"(corpus|strict(?:@[\w,-]+)?|analyst|relies|why):\s*(.*)", line)
            if start:
                key, line = start.groups()
            fields[key] = (fields.get(key, "") + " " + line).strip()
        words = dict(w.split("=", 1) for w in fields["corpus"].split())
        self.name = words["name"]
        self.function = words["function"]
        self.kind = words["kind"]
        self.build = words.get("build", "so")
        self.relies = fields.get("relies", "")
        self.why = fields.get("why", "")
        self.strict = Expectation(fields.get("strict", ""), path)
        self.overrides = [(set(k[7:].split(",")), Expectation(v, path)) for k, v in sorted(fields.items()) if k.startswith("strict@")]
        self.analyst = fields.get("analyst", "")
        if os.path.basename(path) != self.name + ".c" or not self.why or not self.analyst.startswith(("safe", "unsafe")) \
                or not re.search(r"\b" + self.function + r"\(", self.text) or self.build not in ("so", "exe", "obj"):
            raise CorpusError(f"{path}: the corpus comment is incomplete or does not fit the file")
        self.externs = [Extern(m) for m in re.finditer(r"^extern\s+([^;(]*?[\s*])((?!__attribute__)\w+)\((.*?)\)\s*(__attribute__[^;]*)?;", self.text, re.M)]

    def expected(self, *words):
        for need, expectation in self.overrides:
            if need <= set(words):
                return expectation
        return self.strict


class Expectation:
    def __init__(self, text, path):
        words = text.split()
        if not words or words[0] not in ("safe", "unsafe") or (words[0] == "unsafe") != (len(words) > 1) \
                or not all(re.fullmatch(r"P[1-4](\|P[1-4])*", w) for w in words[1:]):
            raise CorpusError(f"{path}: not a verdict: {text!r}")
        self.verdict = words[0]
        self.properties = [set(w.split("|")) for w in words[1:]]

    def properties_right(self, failed):
        return all(group & set(failed) for group in self.properties)


class Extern:
    """A function a case calls: what is needed to define it."""

    def __init__(self, match):
        self.result = match.group(1).strip()
        self.name = match.group(2)
        self.noreturn = "noreturn" in (match.group(4) or "")
        self.params = []
        depth, last = 0, ""
        for c in match.group(3) + ",":
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                self.params.append(last.strip())
                last = ""
            else:
                last += c
        if self.params == ["void"]:
            self.params = []

    def types(self):
        """C types of the parameters that need no declarations but those of stdint.h and stddef.h."""
        out = []
        for p in self.params:
            if "*" in p or "[" in p:
                out.append("void *")
            elif p != "...":
                out.append(re.sub(r"\s*\b\w+$", "", p))
        return out

    def result_type(self):
        return "void *" if "*" in self.result else self.result


def load(names=None):
    cases = [Case(os.path.join(CASES, f)) for f in sorted(os.listdir(CASES)) if f.endswith(".c")]
    if names:
        unknown = set(names) - {c.name for c in cases}
        if unknown:
            raise CorpusError("there is no case named " + ", ".join(sorted(unknown)))
        cases = [c for c in cases if c.name in names]
    return cases


def stubs(case):
    """Source of definitions of what a case calls, for executables. Each keeps its arguments, where nothing else is kept, and gives a
    result that is no constant; no two are the same."""
    lines = ["#include <stddef.h>", "#include <stdint.h>"]
    for number, e in enumerate(case.externs):
        types = e.types()
        lines += [f"volatile uintptr_t kept_{number}_{i};" for i in range(len(types) + 1)]
        lines.append(f"{e.result_type()} {e.name}({', '.join(f'{t} a{i}' for i, t in enumerate(types)) or 'void'})\n{{")
        lines += [f"    kept_{number}_{i} = (uintptr_t)a{i};" for i in range(len(types))]
        lines.append(f"    kept_{number}_{len(types)} += {number * 17 + 3};")
        if e.noreturn:
            lines.append(f"    for (;;)\n        kept_{number}_{len(types)}++;")
        elif e.result != "void":
            lines.append(f"    return ({e.result_type()})kept_{number}_{len(types)};")
        lines.append("}")
    lines.append("volatile uintptr_t started;\nvoid _start(void)\n{\n    for (;;)\n        started++;\n}\n")
    return "\n".join(lines)


def companion(case):
    """Source of the library that has what a case calls, as a real one would: every argument and every word of it is used, in a
    way that no compiler can leave out, and results are no constants."""
    lines = ["#include <stdarg.h>", "#include <stddef.h>", "#include <stdint.h>"]
    for number, e in enumerate(case.externs):
        types, variadic, result = e.types(), "..." in e.params, e.result_type()
        lines += [f"static {t} volatile kept_{number}_{i};" for i, t in enumerate(types)]
        if result != "void":
            lines.append(f"static {result} volatile given_{number};")
        if e.noreturn:
            lines.append(f"static int volatile ended_{number};")
        lines.append(f"{result} {e.name}({', '.join([f'{t} a{i}' for i, t in enumerate(types)] + ['...'] * variadic) or 'void'})\n{{")
        lines += [f"    kept_{number}_{i} = a{i};" for i in range(len(types))]
        if variadic:
            lines.append(f"    va_list rest;\n    va_start(rest, a{len(types) - 1});\n    while (va_arg(rest, int))\n        ;\n    va_end(rest);")
        if e.noreturn:
            lines.append(f"    for (;;)\n        ended_{number}++;")
        elif result != "void":
            lines.append(f"    return given_{number};")
        lines.append("}")
    return "\n".join(lines) + "\n"


class Builder:
    """Compiles into a directory; what was compiled with the same text by the same command is not compiled again."""

    def __init__(self, directory):
        self.directory = os.path.abspath(directory)
        os.makedirs(self.directory, exist_ok=True)
        self.versions = {}
        self.locks = {}
        self.guard = threading.Lock()

    def compiler(self, compiler, arch):
        if compiler == "gcc":
            return [TRIPLE[arch] + "-gcc"]
        return ["clang", "--target=" + TRIPLE[arch]] + (["-march=armv7-a"] if arch in MACHINE else [])

    def version(self, command):
        with self.guard:
            if command not in self.versions:
                self.versions[command] = subprocess.run([command, "--version"], stdout=subprocess.PIPE, check=True).stdout
            return self.versions[command]

    def once(self, key, make):
        with self.guard:
            lock = self.locks.setdefault(key, threading.Lock())
        with lock:
            if not os.path.exists(key):
                make(f"{key}.{os.getpid()}")  # of another process, the same may be under way
                os.rename(f"{key}.{os.getpid()}", key)
        return key

    def run(self, command, stdin=None):
        done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise CorpusError(" ".join(command) + "\n" + done.stdout.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "replace")

    def object(self, name, text, arch, compiler, level, more, language="c"):
        command = self.compiler(compiler, arch) + COMMON + MACHINE.get(arch, []) + ["-" + level] + more
        digest = hashlib.sha256(repr((text, command, self.version(command[0]))).encode()).hexdigest()[:20]
        path = os.path.join(self.directory, f"{name}-{arch}-{compiler}-{level}-{digest}.o")
        return self.once(path, lambda out: self.run(command + ["-x", language, "-c", "-", "-o", out], text.encode()))

    def link(self, objects, out, arch, compiler, kind, more=()):
        linker = ["ld.lld"] if compiler == "clang" else [TRIPLE[arch] + "-ld"]
        mode = ["-shared"] if kind == "so" else ["-static", "-no-pie", "-e", "_start"]
        if kind == "exe" and arch in MACHINE:
            # Division is a function there, and a division by zero calls raise.
            helpers = self.run([TRIPLE[arch] + "-gcc", "-print-libgcc-file-name"]).strip()
            objects = objects + [helpers, "--defsym=raise=_start"]
        return self.once(out, lambda tmp: self.run(linker + mode + ["--build-id=none", *more, *objects, "-o", tmp]))

    def stripped(self, path, out, arch, compiler):
        strip = "llvm-strip" if compiler == "clang" else TRIPLE[arch] + "-strip"
        return self.once(out, lambda tmp: self.run([strip, "-s", path, "-o", tmp]))

    def library(self, case, arch, compiler, level, variant):
        """The library that a case's functions come from, in a directory of its own, compiled as the case is. Those of
        distributions come without debug information, and so does this one."""
        o = self.object("lib" + case.name, companion(case), arch, compiler, level, ["-fPIC"])
        name = f"lib{case.name}.so.1"
        directory = o[:-2] + (".stripped" if variant == "strip" else ".with")
        os.makedirs(directory, exist_ok=True)
        if variant != "strip":
            return self.link([o], os.path.join(directory, name), arch, compiler, "so", ["-soname", name])
        whole = self.library(case, arch, compiler, level, "sym")
        return self.stripped(whole, os.path.join(directory, name), arch, compiler)

    def build(self, case, patched, arch, compiler, level, variant="sym", text=None, alone=True):
        """The path of one side of a case, compiled. `text` replaces the case's source. Unless `alone` a library is linked with the
        library that the functions which it calls come from, and lies beside it."""
        more = ["-fPIC"] if case.build == "so" else ["-fno-pie"]
        more += ["-g"] if variant == "debug" else []
        more += ["-DPATCHED"] if patched else []
        o = self.object(case.name, text or case.text, arch, compiler, level, more)
        if case.build == "obj":
            return o
        objects = [o]
        if case.build == "exe":
            objects.append(self.object("stubs", stubs(case), arch, compiler, "O1", ["-fno-pie"]))
        out = o[:-2] + "." + case.build
        if case.build == "so" and case.externs and not alone:
            library = self.library(case, arch, compiler, level, variant)
            objects.append(library)
            out = os.path.join(os.path.dirname(library), os.path.basename(out))
        out = self.link(objects, out, arch, compiler, case.build)
        return self.stripped(out, out + ".stripped", arch, compiler) if variant == "strip" else out

    def address(self, path, function, arch):
        """Of a function, by the symbols of the file that was stripped."""
        table = self.run([TRIPLE[arch] + "-nm", path.removesuffix(".stripped")])
        found = re.search(rf"^([0-9a-f]+) \w {function}$", table, re.M)
        if not found:
            raise CorpusError(f"{path} has no function {function}")
        return "0x%x" % (int(found.group(1), 16) | (arch == "thumb"))
