# SPDX-License-Identifier: GPL-3.0-or-later
"""The patches that `assay present` is measured with: reading them, and compiling references and targets.

A patch is one C file in cases/: without -DPATCHED it is the vulnerable program, with it the one that is fixed. -DLATER makes either of
them a later version, with changes that have nothing to do with the patch. A comment at its top is read by machines:

    /* patch: name=NAME function=FUNCTION [caller=FUNCTION] kind=KIND [parts=N]
     * why: the reason of the patch */

`function` is the one that the patch changes; `caller`, where it is static, the one it may disappear in when it is compiled. Functions
that are not static have names that no other case has: all cases are linked into one library as well.

Patches of halves/ have `parts`, each of which can be left out: -DPATCHED -DLEFT_OUT=2 is the patch without its second part, which is not fixed.
"""
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus"))
import corpus  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
# Written before anybody asked about them: what is right here at the first run is what to expect of other programs.
FRESH = os.path.join(HERE, "fresh")
HALVES = os.path.join(HERE, "halves")

ARCHES = ["x86-64", "arm", "aarch64"]
VERSIONS = ["before", "after", "before-later", "after-later"]
# sym: a library with symbols; strip: a stripped one that exports the function; address, hidden: all cases in one stripped library that
# exports nothing, the function given by its address, or not at all.
VARIANTS = ["sym", "strip", "address", "hidden"]
# The references are those of the paper: one processor, one compiler, no optimisation and all of it.
REFERENCE_LEVELS = ["O0", "O3"]

# The corpus of verify is freestanding; these are programs like others.
HOSTED = ["-fhosted", "-fstrict-aliasing"]


class Patch:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="ascii") as f:
            self.text = f.read()
        found = re.search(r"/\* patch: (.*?)\n \* why: (.*?)\*/", self.text, re.S)
        if not found:
            raise corpus.CorpusError(f"{path}: there is no '/* patch:' comment")
        words = dict(w.split("=", 1) for w in found.group(1).split())
        self.name, self.function, self.kind = words["name"], words["function"], words["kind"]
        self.caller = words.get("caller", self.function)
        self.parts = int(words.get("parts", 0))
        self.why = re.sub(r"\s*\n \*\s*", " ", found.group(2)).strip()
        if os.path.basename(path) != self.name + ".c" or not re.search(r"\b" + self.function + r"\(", self.text) \
                or not re.search(r"^(?!static).*\b" + self.caller + r"\(", self.text, re.M):
            raise corpus.CorpusError(f"{path}: the comment does not fit the file")


def load(names=None, folder=CASES):
    patches = [Patch(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.endswith(".c")]
    unknown = set(names or []) - {p.name for p in patches}
    if unknown:
        raise corpus.CorpusError("there is no patch named " + ", ".join(sorted(unknown)))
    return [p for p in patches if not names or p.name in names]


def versions_of_halves(patch):
    return ["before", "after"] + [f"half-{n + 1}" for n in range(patch.parts)]


class Builder(corpus.Builder):
    def __init__(self, directory, patches):
        super().__init__(directory)
        self.patches = patches
        with open(os.path.join(HERE, "common.h"), encoding="ascii") as f:
            self.common = f.read()

    def source(self, patch):
        return f'{self.common}#line 1 "{patch.name}.c"\n{patch.text}'

    def defines(self, version):
        if version.startswith("half-"):
            return ["-DPATCHED", "-DLEFT_OUT=" + version[len("half-"):]]
        return (["-DPATCHED"] if version.startswith("after") else []) + (["-DLATER"] if version.endswith("-later") else [])

    def reference(self, patch, version, level):
        """Bitcode of one version of a patch."""
        command = self.compiler("clang", "x86-64") + corpus.COMMON + HOSTED + ["-" + level, "-g", "-emit-llvm"] + self.defines(version)
        text = self.source(patch)
        digest = hashlib.sha256(repr((text, command, self.version(command[0]))).encode()).hexdigest()[:20]
        path = os.path.join(self.directory, f"{patch.name}-{version}-{level}-{digest}.bc")
        return self.once(path, lambda out: self.run(command + ["-x", "c", "-c", "-", "-o", out], text.encode()))

    def target_object(self, patch, version, arch, compiler, level):
        return self.object(patch.name, self.source(patch), arch, compiler, level, HOSTED + ["-fPIC"] + self.defines(version))

    def stripped(self, path, arch, compiler):
        strip = "llvm-strip" if compiler == "clang" else corpus.TRIPLE[arch] + "-strip"
        return self.once(path + ".stripped", lambda tmp: self.run([strip, "-s", path, "-o", tmp]))

    def library(self, version, arch, compiler, level):
        """All patches in one library that exports nothing."""
        objects = [self.target_object(p, version, arch, compiler, level) for p in self.patches]
        digest = hashlib.sha256(repr(objects).encode()).hexdigest()[:20]
        script = self.once(os.path.join(self.directory, "nothing.map"), lambda tmp: open(tmp, "w").write("{ local: *; };\n"))
        linker = ["ld.lld"] if compiler == "clang" else [corpus.TRIPLE[arch] + "-ld"]
        return self.once(os.path.join(self.directory, f"all-{version}-{arch}-{compiler}-{level}-{digest}.so"), lambda tmp: self.run(
            linker + ["-shared", "--build-id=none", "--version-script=" + script, *objects, "-o", tmp]))

    def target(self, patch, version, arch, compiler, level, variant):
        """The path of a target, and the addresses in it of the functions of the patch's file, by name."""
        if variant in ("sym", "strip"):
            o = self.target_object(patch, version, arch, compiler, level)
            path = self.link([o], o[:-2] + ".so", arch, compiler, "so")
        else:
            path = self.library(version, arch, compiler, level)
        table = self.once(path + ".nm", lambda tmp: open(tmp, "w").write(self.run([corpus.TRIPLE[arch] + "-nm", path])))
        with open(table, encoding="ascii") as f:
            symbols = {m[1]: "0x%x" % (int(m[0], 16) & ~1) for m in re.findall(r"^([0-9a-f]+) [tT] (\w+)$", f.read(), re.M)}
        where = {n: a for n, a in symbols.items() if re.search(rf"\b{n}\(", patch.text)}
        return (path if variant == "sym" else self.stripped(path, arch, compiler)), where

    def told_apart(self, patch, version, arch, compiler, level):
        """Whether the compiler leaves a difference between this version and the one without, or with, the patch; of a half fix, and the whole."""
        other = version.replace("after", "before") if version.startswith("after") else \
            "after" if version.startswith("half") else version.replace("before", "after")
        a, b = (self.target_object(patch, v, arch, compiler, level) for v in (version, other))
        with open(a, "rb") as f, open(b, "rb") as g:
            return f.read() != g.read()
