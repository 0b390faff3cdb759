#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes functions at random, runs old and new on random inputs, and asks `assay verify` about the pair.

Wherever the two behave differently on an input that both take for valid, or the new one takes inputs for valid that were errors,
`verify` must not say safe. Functions come from the corpus (as they are before the patch), from compute.c and from effects.c; they are changed
in the source, in what clang makes of it before it generates code, or in the bytes of the compiled shared object. They are run by sandbox.c,
which for other machines than this one is run by qemu. An atomic access that became a plain one differs by construction: one thread does not
show it.

Valid is what does not return a negative number, NULL as a pointer, or 0 from a predicate, and does not call a function that ends the program:
verify is told to class exits by no other heuristics.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import platform
import random
import re
import shutil
import struct
import subprocess
import sys
import threading
import time

import corpus

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

# Names of the C library that stubs must not take over from the sandbox itself: renamed in the copies that are run.
RENAMED = {"abort": "Abort", "exit": "Exit", "__assert_fail": "X_assert_fail"}
EMULATORS = {"x86-64": "qemu-x86_64", "arm": "qemu-arm", "thumb": "qemu-arm", "aarch64": "qemu-aarch64"}
NATIVE = {"x86_64": "x86-64", "aarch64": "aarch64"}.get(platform.machine())
# Programs for i386 run where the processor and the kernel can: timers do not stop them in qemu.
I386 = ["/usr/i686-linux-gnu/lib/ld-linux.so.2", "--library-path", "/usr/i686-linux-gnu/lib"]


def runs(arch):
    """Whether programs of this machine can be run here."""
    if arch != "i386":
        return arch == NATIVE or shutil.which(EMULATORS[arch])
    try:
        return subprocess.run(I386[:1] + ["--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


# ---- subjects: functions to mutate ----

def resolve(text, patched):
    """The text without conditionals on PATCHED."""
    out, stack = [], []
    for line in text.split("\n"):
        word = line.split()
        if word[:2] in (["#ifdef", "PATCHED"], ["#ifndef", "PATCHED"]):
            stack.append((word[0] == "#ifdef") == patched)
        elif word[:1] == ["#else"]:
            stack[-1] = not stack[-1]
        elif word[:1] == ["#endif"]:
            stack.pop()
        elif all(stack):
            out.append(line)
    return "\n".join(out)


def balanced(text, start):
    """The index behind the bracket that closes the one at start."""
    depth = 0
    text = re.sub(r"'[^']*'|\"[^\"\n]*\"", lambda m: "x" * len(m.group(0)), text)
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
    raise corpus.CorpusError("brackets do not balance")


def split_list(text):
    out, depth, last = [], 0, ""
    for c in text + ",":
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            out.append(last.strip())
            last = ""
        else:
            last += c
    return [] if out in (["void"], [""]) else out


class Subject:
    """`predicate` says that 0 is a no, as heuristic B takes it of functions that answer 0 or 1."""

    def __init__(self, name, function, text, externs, predicate=False):
        self.name, self.function, self.text, self.externs, self.predicate = name, function, text, externs, predicate
        for m in re.finditer(rf"^([A-Za-z_][\w\s*]*?[\s*]){function}\(", text, re.M):
            end = balanced(text, m.end() - 1)
            if text[end:].lstrip().startswith("{"):
                self.result = m.group(1).strip()
                self.params = split_list(text[m.end():end - 1])
                self.body = (text.index("{", end) + 1, balanced(text, text.index("{", end)) - 1)
                break
        else:
            raise corpus.CorpusError(f"{name}: no definition of {function}")
        self.structs = dict((m.group(1), m.group(2)) for m in re.finditer(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S))
        self.data = re.findall(r"^extern ([^();]+?\b(\w+)(?:\[\w+\])?)( __attribute__[^;]*)?;", text, re.M)

    def header(self, arch):
        """The header that makes sandbox.c run this function."""
        name_struct = lambda t: re.sub(r"\bstruct (\w+)", r"struct case_\1", t)
        numbers = sorted({int(n.rstrip("uUlL"), 0) for n in re.findall(r"\b(?:0x[0-9a-fA-F]+|\d+)[uUlL]*\b", self.text)
                          if not re.match(r"0\d", n)})
        chars = [ord(c) for c in re.findall(r"'(.)'", self.text)]
        out = []
        for m in re.finditer(r"^(struct \w+;|typedef [^;{]*;)", self.text, re.M):
            out.append(name_struct(m.group(1)))
        self.pointer_stubs = 0
        stubs, fills = [], []
        for struct_name, body in self.structs.items():
            out.append(name_struct(f"struct {struct_name} {{\n{body}}};"))
            lines = [f"    struct case_{struct_name} *p = at;", "    (void)p;", "    (void)depth;"]
            for declaration in re.sub(r"/\*.*?\*/", "", body, flags=re.S).split(";"):
                lines += self.fill_field(declaration.strip(), stubs)
            fills.append(f"__attribute__((unused)) static void fill_{struct_name}(void *at, unsigned depth);")
            fills.append(f"static void fill_{struct_name}(void *at, unsigned depth)\n{{\n" + "\n".join(lines) + "\n}")
        for e in self.externs:
            if e.name not in (self.function, "memset"):  # whose effect everybody knows, and is not in being called
                stubs.append(self.stub(RENAMED.get(e.name, e.name), e.result, e.params, e.noreturn))
        data = []
        for declaration, name, attribute in self.data:
            if "visibility" in attribute:
                continue
            stubs.append(re.sub(r"\bconst\b", "", declaration) + ";")
            data.append(f"    for (unsigned i = 0; i < sizeof {name}; i++)\n        ((uint8_t *)&{name})[i] = (uint8_t)number(next_random());")
        lines = ["    unsigned first = (unsigned)(next_random() >> 8) % 11;", "    (void)first;"]
        word = 0
        for i, p in enumerate(self.params):
            two = arch in ("i386", "arm", "thumb") and re.match(r"u?int64_t \w+$|(unsigned )?long long \w+$", p)
            word += word & 1 if two and arch != "i386" else 0
            lines += self.make_argument(i, word, p, stubs, two)
            word += 2 if two else 1
        out += [s for s in fills if s.endswith(";")]
        out += [name_struct(s) for s in stubs]
        out += [s for s in fills if not s.endswith(";")]
        out.append("static void make_arguments(void)\n{\n" + "\n".join(lines + data) + "\n}")
        bits, error = self.result_kind()
        return f'#define FUNCTION "{self.function}"\n#define RESULT_BITS {bits}\n#define RESULT_ERROR {error}\n' + "\n".join(out) + "\n", \
            "".join(f"{n}," for n in numbers[:200] + chars)

    def result_kind(self):
        r = re.sub(r"\b(static|const)\b", "", self.result).strip()
        if "*" in r:
            return "(8 * __SIZEOF_POINTER__)", "result == 0"
        if self.predicate:
            return 32, "(int32_t)result <= 0"
        return {"void": (0, "false"), "int": (32, "(int32_t)result < 0"), "int32_t": (32, "(int32_t)result < 0"),
                "long": ("(8 * __SIZEOF_LONG__)", "(long)result < 0"), "int64_t": (64, "(int64_t)result < 0"), "unsigned": (32, "false"), "uint32_t": (32, "false"),
                "uint16_t": (16, "false"), "uint64_t": (64, "false")}[r]

    def pointer_stub(self, declaration, stubs):
        """A function for a pointer declared as `int (*name)(int a)`; its name."""
        m = re.match(r"(.*?)\(\*\s*(\w*)\)\s*\((.*)\)$", declaration, re.S)
        self.pointer_stubs += 1
        name = f"pointer_stub_{self.pointer_stubs}"
        stubs.append(self.stub(name, m.group(1).strip(), [p if re.search(r"\w\s+\*?\w+$|\*\w+$", p) else p + " x"
                                                           for p in split_list(m.group(3))], False))
        return name

    def stub(self, name, result, params, noreturn):
        lines, typed = [f'    call_begin("{name}");'], []
        for i, p in enumerate(params):
            if p == "...":
                typed.append("...")
                continue
            if "(*" in p:
                typed.append(f"void *a{i}")
                lines.append(f"    call_argument_pointer(a{i}, 0, true, false);")
                continue
            kind = re.sub(r"\b\w+(\[\w*\])?$", "", p).strip() + ("*" if p.endswith("]") else "")
            if "*" in kind:
                typed.append(f"void *a{i}")
                target = kind[:kind.rindex("*")].replace("const", "").strip()
                tag = re.match(r"struct (\w+)$", target)
                size = f"sizeof(struct {tag.group(1)})" if tag and tag.group(1) in self.structs else \
                    f"sizeof({target})" if re.fullmatch(r"u?int(16|32|64)_t|int|unsigned|size_t", target) else "0"
                constant = "true" if kind.startswith("const") or "*" in target else "false"
                lines.append(f"    call_argument_pointer(a{i}, {size}, {constant}, {'true' if kind.startswith('const char') else 'false'});")
            else:
                typed.append(f"{kind} a{i}")
                lines.append(f"    call_argument_integer((uint64_t)a{i}, sizeof a{i});")
        if noreturn:
            lines.append("    call_stops();")
        elif result == "void":
            lines.append("    call_end();")
        elif "*" in result:
            lines.append("    return call_result_pointer();")
        else:
            lines.append(f"    return ({result})call_result_integer();")
        kind = "void *" if "*" in result else result
        head = f"__attribute__((used)) {kind} {name}({', '.join(typed) or 'void'})"
        return head + ";\n" + head + "\n{\n" + "\n".join(lines) + "\n}"

    def fill_field(self, declaration, stubs):
        if not declaration:
            return []
        if "(*" in declaration:
            field = re.search(r"\(\*\s*(\w+)\)", declaration).group(1)
            return [f"    p->{field} = (void *){self.pointer_stub(declaration, stubs)};"]
        parts = split_list(declaration)
        base = re.match(r"((?:const |volatile )*(?:struct \w+|unsigned(?: (?:int|char|short|long)\b)?|\w+))\s*(.*)$", parts[0], re.S)
        out = []
        for part in [base.group(2)] + parts[1:]:
            name = re.search(r"(\w+)\s*((?:\[\w+\])*)$", part)
            tag = re.match(r"(?:const )?struct (\w+)$", base.group(1))
            field = name.group(1)
            if name.group(2):
                out.append(f"    for (unsigned i = 0; i < sizeof p->{field} && i < 768; i += 4)\n"
                           f"        fill((uint8_t *)p->{field} + i, 4, false);")
            elif part.startswith("*") and not part.startswith("**"):
                out.append(f"    fill((void *)&p->{field}, sizeof p->{field}, true);")
                if tag and tag.group(1) in self.structs:
                    out.append(f"    if (depth < 2 && p->{field} != NULL)\n        fill_{tag.group(1)}((void *)p->{field}, depth + 1);")
            else:
                out.append(f"    fill((void *)&p->{field}, sizeof p->{field}, {'true' if '*' in part else 'false'});")
        return out

    def make_argument(self, i, word, p, stubs, two):
        """Lines that fill the words of parameter number i, which begin with this one."""
        if "(*" in p:
            return [f"    argument[{word}] = (uintptr_t){self.pointer_stub(p, stubs)};"]
        if "*" not in p:
            kind = re.sub(r"\s*\b\w+$", "", p)
            out = [f"    uint64_t value{i} = (uint64_t)({kind})number(next_random());", f"    argument[{word}] = (uintptr_t)value{i};"]
            return out + ([f"    argument[{word + 1}] = (uintptr_t)(value{i} >> 32);"] if two else [])
        out = [f"    argument[{word}] = (next_random() & 31) == 0 ? 0 : (uintptr_t)slot((next_random() & 15) == 0 ? first : first + {i});"]
        tag = re.match(r"(?:const )?struct (\w+) \*(\w+)$", p)
        if tag and tag.group(1) in self.structs:
            out.append(f"    if (argument[{word}] != 0)\n        fill_{tag.group(1)}((void *)argument[{word}], 0);")
        elif p.count("*") > 1:
            out.append(f"    if (argument[{word}] != 0)\n        for (unsigned k = 0; k < SLOT; k += sizeof(void *))\n"
                       f"            fill((uint8_t *)argument[{word}] + k, sizeof(void *), true);")
        return out


def subjects(names):
    out = []
    for c in corpus.load():
        if not names or c.name in names:
            out.append((c, Subject(c.name, c.function, resolve(c.text, False), c.externs, c.relies == "B01")))
    for file in ("compute", "effects"):
        with open(os.path.join(corpus.HERE, file + ".c"), encoding="ascii") as f:
            text = f.read()
        functions = list(re.finditer(r"^[a-z][\w ]*?\**(\w+)\([^;{]*\)\n\{", text, re.M))
        above = text[:functions[0].start()]
        for m in functions:
            if not names or m.group(1) in names:
                source = above + text[m.start():balanced(text, text.index("{", m.start()))] + "\n"
                out.append((None, Subject(f"{file}-{m.group(1)}", m.group(1), source, [])))
    return out


# ---- files ----

class Elf:
    """What is needed of a little-endian shared object."""

    def __init__(self, data):
        wide = data[4] == 2
        at, = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)
        entry, count, names = struct.unpack_from("<HHH", data, 58 if wide else 46)
        heads = [struct.unpack_from("<IIQQQQIIQQ" if wide else "<IIIIIIIIII", data, at + i * entry) for i in range(count)]
        name = lambda table, off: data[table[4] + off:data.index(b"\0", table[4] + off)].decode()
        self.sections = [(name(heads[names], h[0]),) + h[1:] for h in heads]
        self.symbols = {}
        for h in heads:
            if h[1] == 2:
                for i in range(h[5] // (24 if wide else 16)):
                    if wide:
                        n, info, _, section, value, size = struct.unpack_from("<IBBHQQ", data, h[4] + i * 24)
                    else:
                        n, value, size, info, _, section = struct.unpack_from("<IIIBBH", data, h[4] + i * 16)
                    if section not in (0, 0xfff1) and section < count and size:
                        self.symbols[name(heads[h[6]], n)] = (info & 15, self.sections[section][0], value, size)

    def globals(self):
        return {n: (v, s) for n, (kind, section, v, s) in self.symbols.items() if kind == 1 and section in (".data", ".bss")}

    def offset(self, address):
        for s in self.sections:
            if s[1] == 1 and s[3] <= address < s[3] + s[5]:
                return address - s[3] + s[4]
        raise corpus.CorpusError("no section has this address")


def for_running(data):
    """With the names renamed that the sandbox needs for itself."""
    for old, new in RENAMED.items():
        data = data.replace(b"\0" + old.encode() + b"\0", b"\0" + new.encode() + b"\0")
    return data


# ---- mutations ----

RELATIONS = ["<", "<=", ">", ">=", "==", "!="]
ARITHMETIC = ["+", "-", "*", "&", "|", "^", "<<", ">>"]
ASSIGNMENTS = ["=", "+=", "-=", "|=", "&=", "^="]


# Atomic accesses, and the plain ones that do the same in one thread.
ATOMIC = r"__atomic_(fetch_add|fetch_sub|fetch_or|fetch_and|exchange_n|compare_exchange_n)\(((?:[^()]|\([^()]*\))*)\)"
PLAIN = {"fetch_add": "((*{0} += {1}) - {1})", "fetch_sub": "((*{0} -= {1}) + {1})",
         "fetch_or": "(*{0} |= {1})", "fetch_and": "(*{0} &= {1})",
         "exchange_n": "({{ __typeof__(*{0}) was = *{0}; *{0} = {1}; was; }})",
         "compare_exchange_n": "(*{0} == *{1} ? (*{0} = {2}, 1) : (*{1} = *{0}, 0))"}


def mutate_call(inside, rng):
    """What is passed to a callee, or what is made of its result, changed; None where there is no call."""
    calls = [m for m in re.finditer(r"\b([a-z_]\w*)\(", inside) if m.group(1) not in KEYWORDS]
    if not calls:
        return None
    m = rng.choice(calls)
    end = balanced(inside, m.end() - 1)
    given = split_list(inside[m.end():end - 1])
    if not given or rng.random() < .2:
        return inside[:m.start()] + "1 + " + inside[m.start():] if re.search(r"[=(?:+-] $|return $", inside[:m.start()]) else None
    i = rng.randrange(len(given))
    if rng.random() < .4 and len(given) > 1:
        k = rng.choice([k for k in range(len(given)) if k != i])
        given[i], given[k] = given[k], given[i]
    else:
        given[i] = f"({given[i]}) {rng.choice(['+', '-', '^'])} {rng.choice([1, 1, 2, 4])}"
    return inside[:m.end()] + ", ".join(given) + inside[end - 1:]


def mutate_source(text, body, rng):
    """The text with one change inside of the function's body; None when the choice found nothing to change."""
    inside = text[body[0]:body[1]]
    kind = rng.choice(["relation", "relation", "arithmetic", "assign", "number", "number", "number", "logic", "negate", "delete", "delete",
                       "swap", "step", "name", "duplicate", "argument", "argument", "atomic"])

    def replace(pattern, make):
        found = list(re.finditer(pattern, inside))
        if not found:
            return None
        m = rng.choice(found)
        return inside[:m.start()] + make(m) + inside[m.end():]

    other = lambda of: lambda m: m.group(0).replace(m.group(1), rng.choice([o for o in of if o != m.group(1)]))
    lines = inside.split("\n")
    statements = [i for i, l in enumerate(lines) if re.fullmatch(r"\s+[^#/]*;", l) and not re.match(r"\s+(return|break|goto|case|default)\b", l)
                  and not re.match(r"\s+(struct|const|unsigned|u?int\d*_t|int|char|size_t|void|long) ", l)]
    if kind == "relation":
        new = replace(r"(?<= )(<=|>=|==|!=|<|>)(?= )", other(RELATIONS))
    elif kind == "arithmetic":
        new = replace(r"(?<=[\w)\]] )(<<|>>|[-+*&|^])(?= [\w(])", other(ARITHMETIC))
    elif kind == "assign":
        new = replace(r"(?<= )(\+=|-=|\|=|&=|\^=|=)(?= )", other(ASSIGNMENTS))
    elif kind == "number":
        def change(m):
            v = int(m.group(0), 0)
            return str(rng.choice([v + 1, v - 1, v * 2, v ^ 1 << rng.randrange(8), 0, v + 0x41, v // 2]))
        new = replace(r"(?<![\w.])(?:0x[0-9a-fA-F]+|[1-9]\d*|0)\b(?!\w)", change)
    elif kind == "logic":
        new = replace(r"&&|\|\|", lambda m: "||" if m.group(0) == "&&" else "&&")
    elif kind == "negate":
        found = list(re.finditer(r"\b(?:if|while) \(", inside))
        new = None
        if found:
            m = rng.choice(found)
            end = balanced(inside, m.end() - 1)
            new = inside[:m.end()] + "!(" + inside[m.end():end - 1] + ")" + inside[end - 1:]
    elif kind == "delete":
        new = None
        if statements:
            i = rng.choice(statements)
            new = "\n".join(lines[:i] + ["    ;"] + lines[i + 1:])
    elif kind == "duplicate":
        new = None
        if statements:
            i = rng.choice(statements)
            new = "\n".join(lines[:i] + ["{" + lines[i], lines[i] + "}"] + lines[i + 1:])
    elif kind == "swap":
        pairs = [i for i in statements if i + 1 in statements]
        new = None
        if pairs:
            i = rng.choice(pairs)
            new = "\n".join(lines[:i] + [lines[i + 1], lines[i]] + lines[i + 2:])
    elif kind == "argument":
        new = mutate_call(inside, rng)
    elif kind == "atomic":
        new = replace(ATOMIC, lambda m: PLAIN[m.group(1)].format(*split_list(m.group(2))))
    elif kind == "step":
        new = replace(r"\+\+|--", lambda m: "--" if m.group(0) == "++" else "++")
    else:
        names = sorted(set(re.findall(r"(?<![.>\w\"'])[a-z_]\w*\b(?!\()", inside)) - KEYWORDS)
        new = replace(r"(?<![.>\w\"'])(?:" + "|".join(names) + r")\b(?!\()", lambda m: rng.choice(names)) if names else None
    if new is None or new == inside:
        return None
    return kind, text[:body[0]] + new + text[body[1]:]


KEYWORDS = set("if else for while do return break continue goto switch case default sizeof struct const unsigned int char long void static "
               "volatile signed short uint8_t uint16_t uint32_t uint64_t int16_t int32_t int64_t size_t uintptr_t fallthrough".split())


def mutate_ir(text, function, rng):
    """The same for the intermediate code of clang."""
    start = re.search(rf"^define [^\n]*@{function}\(", text, re.M).start()
    end = text.index("\n}", start)
    inside = text[start:end]
    kind = rng.choice(["predicate", "predicate", "operation", "operation", "constant", "constant", "constant", "branch", "operands", "cast"])
    patterns = {"predicate": r"\bicmp (\w+) ", "operation": r"= (add|sub|mul|and|or|xor|shl|lshr|ashr)(?: nuw| nsw| exact)* (?=i)",
                "constant": r"(?:(?<=, )|(?<= i8 )|(?<= i16 )|(?<= i32 )|(?<= i64 ))-?\d+(?=[,)\n])",
                "branch": r"\bbr i1 [^,]*, (label %[\w.]+), (label %[\w.]+)", "operands": r"= (?:sub|shl|lshr|ashr|icmp \w+|select i1 [^,]*,)[^\n]*? (\S+), (?:i\d+ )?(\S+)(?=\n)",
                "cast": r"= (zext|sext)\b"}
    found = [m for m in re.finditer(patterns[kind], inside) if "align" not in inside[inside.rfind("\n", 0, m.start()):m.start()]]
    if not found:
        return None
    m = rng.choice(found)
    old = m.group(0)
    if kind == "predicate":
        new = f"icmp {rng.choice(['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'])} "
    elif kind == "operation":
        new = f"= {rng.choice(['add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'lshr', 'ashr'])} "
    elif kind == "constant":
        v = int(old)
        new = str(rng.choice([v + 1, v - 1, v ^ 1 << rng.randrange(8), -v, v * 2, 0]))
    elif kind == "cast":
        new = "= zext" if m.group(1) == "sext" else "= sext"
    else:
        a, b = m.group(1), m.group(2)
        new = old[:m.start(1) - m.start()] + b + old[m.end(1) - m.start():m.start(2) - m.start()] + a + old[m.end(2) - m.start():]
    if new == old:
        return None
    return kind, text[:start] + inside[:m.start()] + new + inside[m.end():] + text[end:]


def instructions(path, arch, address, size):
    """Address, bytes and text of each."""
    text = subprocess.run([corpus.TRIPLE[arch] + "-objdump", "-d", "-w", f"--start-address={address}", f"--stop-address={address + size}", path],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    out = []
    for m in re.finditer(r"^\s+([0-9a-f]+):\t((?:[0-9a-f]+ )+)\s*\t(.*)$", text, re.M):
        if not m.group(3).startswith("."):
            # Units of instructions of ARM are printed as numbers.
            data = b"".join(bytes.fromhex(u) if len(u) == 2 else bytes.fromhex(u)[::-1] for u in m.group(2).split())
            out.append((int(m.group(1), 16), data, m.group(3).strip()))
    return out


def mutate_bytes(code, arch, rng):
    """One changed instruction, or two swapped ones: kind, address and new bytes; None when the choice found nothing."""
    return mutate_x86(code, arch == "x86-64", rng) if arch in ("x86-64", "i386") else mutate_arm(code, arch, rng)


def mutate_arm(code, arch, rng):
    """The same where instructions are words whose every bit means something."""
    kind = rng.choice(["flip", "flip", "flip", "flip", "nothing", "swap", "condition"])
    i = rng.randrange(len(code))
    address, old, text = code[i]
    b = bytearray(old)
    jumps = ("b", "c", "t", "pop", "ldm", "ret")
    if kind == "flip":
        b[rng.randrange(len(b))] ^= 1 << rng.randrange(8)
    elif kind == "nothing":
        b[:] = {"arm": bytes.fromhex("00f020e3"), "thumb": b"\x00\xbf" * (len(b) // 2), "aarch64": bytes.fromhex("1f2003d5")}[arch]
    elif kind == "condition":
        if arch == "arm":
            b[3] ^= 0x10 if b[3] >> 4 < 14 else 0
        elif arch == "thumb" and len(b) == 2:
            b[1] ^= 1 if b[1] >> 4 == 13 else 8 if b[1] & 0xf5 == 0xb1 else 0
        elif arch == "aarch64":
            if text.startswith("b."):
                b[0] ^= 1
            elif text.startswith(("cb", "tb")):
                b[3] ^= 1
            elif text.startswith("cs"):
                b[1] ^= 0x10
    elif i + 1 < len(code) and len(code[i + 1][1]) == len(old):
        follow = code[i + 1]
        if not any(t.startswith(jumps) or "pc" in t for t in (text, follow[2])):
            return (kind, address, follow[1] + old) if follow[1] != old else None
    return (kind, address, bytes(b)) if bytes(b) != old else None


def mutate_x86(code, wide, rng):
    kind = rng.choice(["condition", "immediate", "immediate", "displacement", "register", "operation", "nothing", "flip", "extend", "width", "swap"])
    i = rng.randrange(len(code))
    address, old, text = code[i]
    b = bytearray(old)
    prefix = 0
    while prefix < len(b) - 1 and (b[prefix] in (0x66, 0xf2, 0xf3) or wide and 0x40 <= b[prefix] <= 0x4f):
        prefix += 1
    op = b[prefix]
    if kind == "condition":
        if 0x70 <= op <= 0x7f:
            b[prefix] = op ^ 1 if rng.random() < .5 else 0x70 | rng.randrange(16)
        elif op == 0x0f and len(b) > prefix + 1 and b[prefix + 1] >> 4 in (4, 8, 9):
            b[prefix + 1] = b[prefix + 1] ^ 1 if rng.random() < .5 else (b[prefix + 1] & 0xf0) | rng.randrange(16)
    elif kind == "immediate":
        m = re.search(r"\$0x([0-9a-f]+)", text)
        if m:
            v = int(m.group(1), 16)
            for n in (4, 2, 1):
                if len(b) > n and int.from_bytes(b[-n:], "little") == v & (1 << 8 * n) - 1 and (n == 1 or v > 127 or len(b) > 4):
                    new = rng.choice([v + 1, v - 1, v ^ 1 << rng.randrange(8 * n), v * 2, 0, rng.randrange(1 << 8 * n)])
                    b[-n:] = (new & (1 << 8 * n) - 1).to_bytes(n, "little")
                    break
    elif kind == "displacement":
        m = re.search(r"(-?)0x([0-9a-f]+)\(%[re][^i]", text)
        if m:
            v = int(m.group(1) + m.group(2), 16)
            if -128 <= v <= 127 and (v & 0xff) in b[prefix + 2:]:
                at = b.index(v & 0xff, prefix + 2)
                b[at] = (v + rng.choice([1, -1, 4, -4, 8, -8])) & 0xff
    elif kind == "register":
        if len(b) >= prefix + 2 and not text.startswith(("j", "call", "ret")):
            b[min(prefix + 1 + (op == 0x0f), len(b) - 1)] ^= 1 << rng.randrange(6)
    elif kind == "operation":
        if op < 0x40 and op & 7 < 6:
            b[prefix] = rng.choice([x for x in range(0, 0x40, 8)]) | (op & 7)
        elif op in (0x80, 0x81, 0x83, 0xc0, 0xc1, 0xd0, 0xd1, 0xd3):
            b[prefix + 1] = (b[prefix + 1] & 0xc7) | rng.randrange(8) << 3
    elif kind == "nothing":
        if not text.startswith("ret"):
            b[:] = b"\x90" * len(b)
    elif kind == "flip":
        b[rng.randrange(len(b))] ^= 1 << rng.randrange(8)
    elif kind == "extend":
        if op == 0x0f and b[prefix + 1] in (0xb6, 0xb7, 0xbe, 0xbf):
            b[prefix + 1] ^= rng.choice([8, 1])
        elif op == 0x63:
            b[prefix] = 0x8b
    elif kind == "width":
        if wide and prefix and 0x40 <= b[prefix - 1] <= 0x4f:
            b[prefix - 1] ^= 8
        elif op in (0x88, 0x89, 0x8a, 0x8b, 0x38, 0x39, 0x3a, 0x3b, 0x00, 0x01, 0x84, 0x85):
            b[prefix] ^= 1
    elif kind == "swap" and i + 1 < len(code):
        follow = code[i + 1]
        if not any(t.startswith(("j", "call", "ret")) for t in (text, follow[2])) and "(%rip)" not in text + follow[2]:
            return (kind, address, follow[1] + old) if follow[1] != old else None
    return (kind, address, bytes(b)) if bytes(b) != old else None


# ---- running ----

class Sandbox:
    """A running sandbox.c for a subject; one question at a time."""

    def __init__(self, directory, subject, arch):
        header, interesting = subject.header(arch)
        text = header + interesting + arch
        digest = hashlib.sha256((text + open(os.path.join(corpus.HERE, "sandbox.c")).read()).encode()).hexdigest()[:16]
        path = os.path.join(directory, f"sandbox-{subject.name}-{arch}-{digest}")
        if not os.path.exists(path):
            made = f"{path}.{os.getpid()}-{threading.get_ident()}"  # others may be making it, too
            with open(made + ".h", "w", encoding="ascii") as f:
                f.write(header)
            command = [corpus.TRIPLE[arch] + "-gcc", "-O1", "-w", "-fno-builtin", "-fno-strict-aliasing", "-rdynamic", "-no-pie", f'-DCASE_HEADER="{made}.h"',
                       f"-DINTERESTING={interesting}", os.path.join(corpus.HERE, "sandbox.c"), "-o", made, "-ldl"]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise corpus.CorpusError(" ".join(command) + "\n" + done.stdout.decode())
            os.remove(made + ".h")
            os.rename(made, path)
        emulator = [] if arch == NATIVE else I386 if arch == "i386" else [EMULATORS[arch], "-L", "/usr/" + corpus.TRIPLE[arch]]
        seconds = "20" if emulator and emulator != I386 else "1"  # of the processor, for all inputs of a pair
        self.process = subprocess.Popen(emulator + [path, seconds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, old, new, seed, count, shared):
        lines = f"{old} {new} {seed} {count}\n" + "".join(f"{n} {s} {a} {b}\n" for n, s, a, b in shared) + ".\n"
        self.process.stdin.write(lines.encode())
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Pair:
    """Writes the two files to be run, and the globals they share."""

    def __init__(self, directory, old, new, name):
        self.paths = []
        elves = []
        for which, data in (("old", old), ("new", new)):
            path = os.path.join(directory, f"{name}-{which}.so")
            with open(path, "wb") as f:
                f.write(for_running(data))
            self.paths.append(path)
            elves.append(Elf(data))
        a, b = (e.globals() for e in elves)
        self.shared = [(n, a[n][1], a[n][0], b[n][0]) for n in sorted(a) if n in b and a[n][1] == b[n][1]]

    def remove(self):
        for p in self.paths:
            os.unlink(p)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def verify(options, function, old, new):
    command = [options.assay, "verify", "--json", "--func", function, *options.extra, old, new]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=options.timeout)
        report = json.loads(done.stdout.decode("utf-8"))
        return report["verdict"], report
    except subprocess.TimeoutExpired:
        return "broken", "no answer in time"
    except (ValueError, KeyError):
        return "broken", f"exit code {done.returncode}: " + done.stderr.decode("utf-8", "replace").strip()


class Run:
    """`mutant` is the class of what is made and judged."""

    def __init__(self, options, mutant):
        self.options, self.mutant = options, mutant
        self.builder = corpus.Builder(os.path.join(options.build, "objects"))
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.kinds = collections.Counter()
        self.misses = 0
        self.number = 0
        self.end = time.monotonic() + options.seconds if options.seconds else None
        self.known = {}

    def finished(self):
        return (self.options.mutants and self.number >= self.options.mutants) or (self.end and time.monotonic() > self.end)

    def once(self, key, make):
        """make(), or what it returned the last time."""
        with self.lock:
            if key in self.known:
                return self.known[key]
        value = make()
        with self.lock:
            self.known[key] = value
        return value

    def mutants(self, subject, seed, count):
        """Makes and judges mutants of one subject, on one machine."""
        if self.finished():
            return
        rng = random.Random(f"{seed} {subject.name}")
        arch = rng.choice([a for a in self.options.arch for _ in range(1 if a in EMULATORS and a != NATIVE else 2)])  # qemu is slow
        sandbox = Sandbox(self.options.build, subject, arch)
        done, tries = 0, 0
        try:
            while done < count and tries < count * 20 and not self.finished():
                if tries % SAME_WAY == 0:
                    way = Way(rng, rng.random() < self.options.cross)
                tries += 1
                done += self.mutant(self, subject, arch, way, rng, f"{subject.name}-{arch}-{seed}-{tries}").judge(sandbox)
        finally:
            sandbox.close()

    def count(self, *key):
        with self.lock:
            self.counts[key] += 1

    def judged(self, what, ran, verdict):
        with self.lock:
            self.number += 1
            if self.number % 250 == 0:
                print(f"{self.number} mutants, {self.misses} misses", file=sys.stderr, flush=True)
            self.counts[(ran.split()[0] if ran else "died", verdict)] += 1
            words = what.split(", ")
            self.kinds[words[0]] += 1
            self.kinds[words[2] + " " + words[3].split()[0]] += 1

    def collect(self, subject, old, new, name, what, ran):
        """Keeps a mutant to ask about it later, and again when the program has changed."""
        os.makedirs(self.options.collect, exist_ok=True)
        paths = [os.path.join(self.options.collect, f"{name}.{which}") for which in ("old", "new")]
        shutil.move(old, paths[0])
        shutil.move(new, paths[1])
        with self.lock, open(os.path.join(self.options.collect, "index"), "a", encoding="utf-8") as f:
            f.write(json.dumps({"name": name, "subject": subject.name, "function": subject.function, "what": what, "ran": ran}) + "\n")

    def collected(self, by_name, line):
        """Asks about one that was kept."""
        if self.finished():
            return
        e = json.loads(line)
        old, new = (os.path.join(self.options.collected, f"{e['name']}.{which}") for which in ("old", "new"))
        verdict, report = verify(self.options, e["function"], old, new)
        if verdict == "safe":
            e["ran"] = self.run_again(by_name[e["subject"]], e, old, new)
        self.judged(e["what"], e["ran"], verdict)
        if verdict == "broken" or verdict == "safe" and e["ran"].startswith(("differs", "widened")):
            self.keep(by_name[e["subject"]], old, new, e["name"], e["what"], e["ran"], verdict, report, None)

    def run_again(self, subject, e, old, new):
        """What the sandbox says of it today, beginning with the input that it said differs."""
        if e["what"].endswith("source, atomic"):
            return e["ran"]
        sandbox = Sandbox(self.options.build, subject, e["what"].split(",")[0])
        pair = Pair(self.options.build, read(old), read(new), e["name"])
        try:
            return sandbox.ask(*pair.paths, e["ran"].split()[1], self.options.inputs, pair.shared)
        finally:
            pair.remove()
            sandbox.close()

    def keep(self, subject, old, new, name, what, ran, verdict, report, text):
        with self.lock:
            self.misses += verdict == "safe"
        directory = os.path.join(self.options.keep, ("miss-" if verdict == "safe" else "broken-") + name)
        os.makedirs(directory, exist_ok=True)
        shutil.copy(old, os.path.join(directory, "old.so"))
        shutil.copy(new, os.path.join(directory, "new.so"))
        for side, source in (("old.c", subject.text), ("new.c", text)):
            if source:
                with open(os.path.join(directory, side), "w", encoding="ascii") as f:
                    f.write(source)
        with open(os.path.join(directory, "note"), "w", encoding="utf-8") as f:
            f.write(f"{subject.function}: {what}\nrun: {ran}\nverify: {verdict}\n"
                    f"assay verify --func {subject.function} {' '.join(self.options.extra)} old.so new.so\n{json.dumps(report, indent=1)}\n")
        print(f"{'MISS' if verdict == 'safe' else 'BROKEN'}: {directory}: {what}; {ran}; said {verdict}", flush=True)

    def show(self):
        verdicts = ["safe", "unsafe", "unknown", "bounded", "broken", "none"]
        print(f"{self.number} mutants: " + ", ".join(f"{k} {n}" for k, n in sorted(self.kinds.items())))
        print(f"{'run':10s} {'all':>7s}" + "".join(f" {v:>8s}" for v in verdicts))
        for ran in ["differs", "widened", "same", "slow", "died", "bad"]:  # identical ones are not counted as mutants
            row = [self.counts[(ran, v)] for v in verdicts]
            print(f"{ran:10s} {sum(row):7d}" + "".join(f" {n:8d}" for n in row))
        print(f"{self.counts['identical', None]} more changes made no difference in the file")
        print(f"{self.misses} misses: mutants that behave differently and are called safe")


SAME_WAY = 8  # mutants in a row are compiled in the same way: what they are made from is compiled once


class Way:
    """How a function is compiled; the mutant in the same way, or in another."""

    def __init__(self, rng, cross):
        self.compiler, self.level = rng.choice(corpus.COMPILERS), rng.choice(corpus.LEVELS)
        self.more = ["-fPIC"] + (["-g"] if rng.random() < .2 else [])
        self.mutant = self.compiler, self.level
        while cross and self.mutant == (self.compiler, self.level):
            self.mutant = rng.choice(corpus.COMPILERS), rng.choice(corpus.LEVELS)


class Mutant:
    """One change, of a function compiled in one way."""

    def __init__(self, run, subject, arch, way, rng, name):
        self.run, self.subject, self.arch, self.rng, self.name = run, subject, arch, rng, name
        self.compiler, self.level, self.more, self.way = way.compiler, way.level, way.more, way
        self.strip = rng.random() < .3

    def link(self, o):
        return self.run.builder.link([o], o[:-2] + ".so", self.arch, self.compiler, "so")

    def compiled(self, text, language="c"):
        return self.link(self.run.builder.object(self.subject.name, text, self.arch, self.compiler, self.level, self.more, language))

    def compiled_once(self, text, language="c"):
        """The bytes, of a text that will not come again."""
        path = self.compiled(text, language)
        data = read(path)
        os.unlink(path)
        os.unlink(path[:-3] + ".o")
        return data

    def intermediate(self):
        command = self.run.builder.compiler("clang", self.arch) + corpus.COMMON + corpus.MACHINE.get(self.arch, []) + ["-" + self.level] + self.more
        return self.run.builder.run(command + ["-x", "c", "-S", "-emit-llvm", "-", "-o", "-"], self.subject.text.encode())

    def change(self, old):
        """What was done, the bytes of the changed file, and its source, if that is what was changed; None if nothing came of it."""
        subject, rng = self.subject, self.rng
        where = rng.random()
        data = read(old)
        if where < self.run.options.source:
            change = mutate_source(subject.text, subject.body, rng)
            return change and (f"source, {change[0]}", self.compiled_once(change[1]), change[1])
        if where < self.run.options.source * 1.5 and self.compiler == "clang":
            # Optimised once already, and for code once more: so is what it is compared with.
            text = self.run.once(("ir", old), self.intermediate)
            change = mutate_ir(text, subject.function, rng)
            return change and (f"intermediate, {change[0]}", self.compiled_once(change[1], "ir"), change[1])
        elf = Elf(data)
        address, size = elf.symbols[subject.function][2:]
        address &= ~1 if self.arch == "thumb" else ~0
        code = self.run.once(("code", old), lambda: instructions(old, self.arch, address, size))
        change = mutate_bytes(code, self.arch, rng)
        if change is None:
            return None
        at = elf.offset(change[1])
        return f"bytes, {change[0]} at {change[1]:#x}: {change[2].hex()}", data[:at] + change[2] + data[at + len(change[2]):], None

    def file(self, which, data):
        """Path of a file to ask about."""
        path = os.path.join(self.run.options.build, f"{self.name}-{which}-asked.so")
        with open(path, "wb") as f:
            f.write(data)
        if self.strip:
            self.run.builder.run([corpus.TRIPLE[self.arch] + "-strip", "-s", path])
        return path

    def judge(self, sandbox):
        """1 if there was something to judge."""
        options, subject = self.run.options, self.subject
        data = read(self.compiled(subject.text))
        by = f"{self.compiler} -{self.level}"
        self.compiler, self.level = self.way.mutant
        if by != f"{self.compiler} -{self.level}":
            by += f" to {self.compiler} -{self.level}"
        try:
            change = self.change(self.compiled(subject.text))
        except corpus.CorpusError:
            change = None  # it does not compile
        if change is None:
            return 0
        what, mutated, text = change
        if mutated == data:
            self.run.count("identical", None)
            return 0
        what = f"{self.arch}, {by}, {what}"
        pair = Pair(options.build, data, mutated, self.name)
        ran = sandbox.ask(*pair.paths, self.rng.randrange(1 << 40), options.inputs, pair.shared)
        pair.remove()
        if what.endswith("source, atomic"):
            ran = "differs by construction"
        differs = ran.startswith(("differs", "widened"))
        if options.no_verify or not differs and (options.differing or options.collect):
            self.run.judged(what, ran, "none")
            return 1
        files = [self.file("old", data), self.file("new", mutated)]
        if options.collect:
            self.run.collect(subject, *files, self.name, what, ran)
            self.run.judged(what, ran, "none")
            return 1
        verdict, report = verify(options, subject.function, *files)
        self.run.judged(what, ran, verdict)
        if verdict == "broken" or (differs and verdict == "safe"):
            self.run.keep(subject, *files, self.name, what, ran, verdict, report, text)
        for f in files:
            os.unlink(f)
        return 1


def go_on(run, options):
    """Round after round over all functions, until there is enough."""
    seed = random.randrange(1 << 30) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    all_subjects = [s for _, s in subjects(options.case)]
    random.Random(seed).shuffle(all_subjects)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            while not run.finished():
                before = run.number
                for _ in pool.map(lambda s: run.mutants(s, seed, options.each), all_subjects):
                    pass
                seed += 1
                if run.number == before:
                    break
        except KeyboardInterrupt:
            run.end = 1


def self_test(options):
    """Runs both sides of every case: a safe patch must not differ, and most unsafe ones do."""
    builder = corpus.Builder(os.path.join(options.build, "objects"))
    failed = 0

    def one(which):
        (case, subject), arch = which
        if case is None or case.relies in ("B01", "C"):
            return None
        sandbox = Sandbox(options.build, subject, arch)
        lines = []
        try:
            for compiler, level in (("gcc", "O0"), ("gcc", "O2"), ("clang", "O1"), ("clang", "O3")):
                sides = []
                for patched in (False, True):
                    o = builder.object(case.name, case.text, arch, compiler, level, ["-fPIC"] + (["-DPATCHED"] if patched else []))
                    sides.append(read(builder.link([o], o[:-2] + ".so", arch, compiler, "so")))
                files = Pair(options.build, *sides, f"self-{case.name}-{arch}")
                ran = sandbox.ask(*files.paths, 1, options.inputs * 5, files.shared)
                files.remove()
                differs = ran.startswith(("differs", "widened"))
                expected = case.expected(arch, compiler, level).verdict
                lines.append((differs, expected, f"{case.name:28s} {arch} {compiler} -{level} {expected:7s} {ran}"))
        finally:
            sandbox.close()
        return lines

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines in pool.map(one, [(s, a) for a in options.arch for s in subjects(options.case)]):
            for differs, expected, line in lines or []:
                bad = differs and expected == "safe"
                failed += bad
                if bad or not differs and expected == "unsafe" or options.verbose:
                    print(("WRONG: " if bad else "not shown by running: " if expected == "unsafe" and not differs else "") + line)
    print(f"{failed} cases called safe behave differently")
    return 1 if failed else 0


def parser(doc, what, inputs):
    """The options of this harness and of equivalent.py, which makes other changes."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--assay", default="assay")
    p.add_argument("--build", required=True, help="directory for what is compiled")
    p.add_argument("--keep", help="directory for what went wrong (BUILD/found)")
    p.add_argument("--" + what, type=int, default=0, dest="mutants", help="how many (no end)")
    p.add_argument("--seconds", type=int, default=0, help="how long (60, unless a number is given)")
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--inputs", type=int, default=inputs, help="how many inputs the two are run on")
    p.add_argument("--each", type=int, default=8, help=f"how many {what} of a function at a time")
    p.add_argument("--case", action="append", help="only this case, or function of compute.c")
    p.add_argument("--arch", action="append", choices=corpus.ARCHES, help="only these machines (all that qemu is there for)")
    p.add_argument("--timeout", type=int, default=180)
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--extra", action="append", default=[], help="handed on to assay verify")
    return p


def parse(p):
    options = p.parse_args()
    options.build = os.path.abspath(options.build)
    options.arch = options.arch or [a for a in corpus.ARCHES if runs(a)]
    options.keep = os.path.abspath(options.keep or os.path.join(options.build, "found"))
    os.makedirs(options.build, exist_ok=True)
    if not options.mutants and not options.seconds and not getattr(options, "collected", None):
        options.seconds = 60
    return options


def main():
    p = parser(__doc__, "mutants", 3000)
    p.add_argument("--source", type=float, default=0.35, help="the share of mutants made in the source; half as many are made in intermediate code")
    p.add_argument("--cross", type=float, default=0.25, help="the share of mutants that are compiled otherwise than what they are compared with")
    p.add_argument("--differing", action="store_true", help="ask assay about mutants only that were seen to differ")
    p.add_argument("--no-verify", action="store_true", help="make and run mutants only")
    p.add_argument("--collect", metavar="DIR", help="ask nothing, and keep the mutants that were seen to differ")
    p.add_argument("--collected", metavar="DIR", help="ask about the mutants that were kept there")
    p.add_argument("--self-test", action="store_true", help="run both sides of the corpus against each other, without assay")
    p.add_argument("--verbose", action="store_true")
    options = parse(p)
    if options.self_test:
        return self_test(options)
    run = Run(options, Mutant)
    if options.collected:
        by_name = {s.name: s for _, s in subjects(None)}
        with open(os.path.join(options.collected, "index"), encoding="utf-8") as f, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for _ in pool.map(lambda line: run.collected(by_name, line), f):
                pass
        run.show()
        return 1 if run.misses else 0
    go_on(run, options)
    run.show()
    return 1 if run.misses else 0


if __name__ == "__main__":
    sys.exit(main())
