#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay poc` on bugs of programs that Debian ships, with repairs that are right or wrong.

  poc_real.py fetch DIR              gets the source packages with apt-get
  poc_real.py build DIR              builds each program without its fix, and with every repair
  poc_real.py run DIR ASSAY          asks, and compares with the labels
  poc_real.py hundred DIR ASSAY      what a hundred repairs cost, beside one; builds them first

--only TEXT selects bugs. The program before the fix is the package's with the fix taken out; the first repair is the fix itself. Labels were
derived by reading: a repair is right when it keeps every input from the error and changes nothing else that works. Inputs are made here.
Nothing that is fetched belongs into the repository.
"""
import argparse
import collections
import glob
import json
import os
import re
import struct
import subprocess
import sys
import time

MIRROR = "http://deb.debian.org/debian bookworm main"
UNZIP_FLAGS = ("-I. -Iunix -DUNIX -DLARGE_FILE_SUPPORT -DUNICODE_SUPPORT -DUNICODE_WCHAR -DUTF8_MAYBE_NATIVE -DNO_LCHMOD -DHAVE_TERMIOS_H -D_MBCS -DNO_LCHOWN "
               "-DHAVE_DIRENT_H -fno-inline-functions-called-once")
UNZIP = "unzip crc32 crypt envargs explode extract fileio globals inflate list match process ttyio ubz2err unreduce unshrink zipinfo unix/unix"
GIFLIB = "dgif_lib egif_lib gifalloc gif_err gif_font gif_hash openbsd-reallocarray quantize getarg qprintf giftool"


def zip_file():
    """An entry whose size stands in an extra field for zip64, which is empty."""
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    extra = struct.pack("<HH", 1, 0)
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 0, 0, 0, 0, 0, 0xffffffff, 1, len(extra), 0, 0, 0, 0, 0) + b"a" + extra
    return local + entry + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(entry), len(local), 0)


def zip_extra(extra):
    """An empty entry with an extra field before its contents."""
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 0, 0, 0, 0, 0, 0, 1, len(extra)) + b"a" + extra
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    return local + entry + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(entry), len(local), 0)


def zip_empty_attributes():
    """Attributes of OS/2 that have no size."""
    return zip_extra(struct.pack("<HH", 9, 0))


def zip_long_attributes():
    """Attributes of OS/2 that are 16 bytes, and say that they are one."""
    return zip_extra(struct.pack("<HHIHI", 9, 26, 1, 0, 0) + b"0123456789abcdef")


def gif_file():
    """An image with a graphics control extension of one byte."""
    return (b"GIF89a" + struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + bytes([0, 0, 0, 255, 255, 255]) + b"\x21\xf9\x01\x05\x00" + b"\x2c"
            + struct.pack("<HHHHB", 0, 0, 2, 2, 0) + b"\x02\x03\x44\x02\x05\x00" + b"\x3b")


def jpeg_file():
    """A table of coefficients that ends after four of them."""
    return (b"\xff\xd8\xff\xdb" + struct.pack(">H", 7) + b"\x00" + b"\x10" * 4 + b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 4, 4, 1) + b"\x01\x11\x00"
            + b"\xff\xda" + struct.pack(">H", 8) + b"\x01\x01\x00\x00\x3f\x00" + b"\x00\x00\xff\xd9")


def spline_file():
    """A spline through three points."""
    return (b"#FIG 3.1\nLandscape\nCenter\nMetric\n1200 2\n3 2 0 1 0 7 50 -1 -1 0.0 0 0 0 3\n\t 0 0 1200 0 1200 1200\n"
            b"\t 0 0 600 0\n\t 900 0 1200 300\n\t 1200 900 0 0\n")


class Bug:
    def __init__(self, name, package, file, fix, repairs, sources, flags, poc, arguments, prepare=None):
        self.name, self.package, self.file, self.fix, self.repairs = name, package, file, fix, repairs
        self.sources, self.flags, self.poc, self.arguments, self.prepare = sources.split(), flags.split(), poc, arguments, prepare


# The parts of the fix, in the order of `fix`, as each repair has them, and whether that is right. @@ is the proof of concept.
BUGS = [
    Bug("unzip-zip64", "unzip", "process.c", ["            if (offset+ 8 > ef_len)\n              return PK_ERR;\n\n            G.crec.ucsize"], {
        "fix": (["if (offset + 8 > ef_len) return PK_ERR; G.crec.ucsize"], True), "fix-length": (["if (ef_len < 8 + EB_HEADSIZE) return PK_ERR; G.crec.ucsize"], True),
        "value": (["if (ef_len == 4) return PK_ERR; G.crec.ucsize"], False), "off": (["if (offset + 7 > ef_len) return PK_ERR; G.crec.ucsize"], False),
        "much": (["if (offset + 16 > ef_len) return PK_ERR; G.crec.ucsize"], False), "other": (["if (eb_id > ef_len) return PK_ERR; G.crec.ucsize"], False),
        "always": (["return PK_ERR; G.crec.ucsize"], False), "never": (["if (ef_len > 70000) return PK_ERR; G.crec.ucsize"], False),
        "": (["G.crec.ucsize"], None)}, UNZIP, UNZIP_FLAGS, zip_file, ["-l", "@@"]),
    Bug("unzip-attributes", "unzip", "extract.c", ["if ((eb_size < (EB_UCSIZE_P + 4)) ||"], {
        "fix": (["if ((eb_size < (EB_UCSIZE_P + 4)) ||"], True), "fix-header": (["if ((eb_size <= compr_offset + EB_CMPRHEADLEN) ||"], True),
        "value": (["if ((eb_size == 0) ||"], False), "off": (["if ((eb_size < (EB_UCSIZE_P + 3)) ||"], False), "much": (["if ((eb_size < 16) ||"], False),
        "other": (["if ((compr_offset < 4) ||"], False), "always": (["if ((eb_size < 65536) ||"], False), "never": (["if ((eb_size > 65535) ||"], False),
        "": (["if ("], None)}, UNZIP, UNZIP_FLAGS, zip_empty_attributes, ["-t", "@@"]),
    Bug("unzip-stored", "unzip", "extract.c", ["    if ((eb_compr_method == STORED) &&\n     (eb_size != compr_offset + EB_CMPRHEADLEN + eb_ucsize))\n        return PK_ERR;\n"], {
        "fix": (["if (eb_compr_method == STORED && eb_size != compr_offset + EB_CMPRHEADLEN + eb_ucsize) return PK_ERR;"], True),
        "fix-more": (["if (eb_compr_method == STORED && eb_size > compr_offset + EB_CMPRHEADLEN + eb_ucsize) return PK_ERR;"], True),
        "value": (["if (eb_ucsize == 1) return PK_ERR;"], False), "off": (["if (eb_compr_method == STORED && eb_size > compr_offset + EB_CMPRHEADLEN + eb_ucsize + 1) return PK_ERR;"], False),
        "much": (["if (eb_compr_method == STORED) return PK_ERR;"], False), "other": (["if (eb_compr_method == STORED && eb_size < eb_ucsize) return PK_ERR;"], False),
        "always": (["return PK_ERR;"], False), "never": (["if (eb_ucsize > 1000000) return PK_ERR;"], False), "": ([""], None)},
        UNZIP, UNZIP_FLAGS, zip_long_attributes, ["-t", "@@"]),
    Bug("giflib-control", "giflib", "egif_lib.c", ["\t\tif (ep->ByteCount < 4) {\n\t\t\treturn GIF_ERROR;\n\t\t}\n"], {
        "fix": (["if (ep->ByteCount < 4) return GIF_ERROR;"], True), "fix-skip": (["if (ep->ByteCount < 4) continue;"], True),
        "value": (["if (ep->ByteCount == 1) return GIF_ERROR;"], False), "off": (["if (ep->ByteCount < 3) return GIF_ERROR;"], False),
        "much": (["if (ep->ByteCount < 5) return GIF_ERROR;"], False), "other": (["if (ep->Function < 4) return GIF_ERROR;"], False),
        "always": (["return GIF_ERROR;"], False), "never": (["if (ep->ByteCount > 255) return GIF_ERROR;"], False), "": ([""], None)}, GIFLIB, "", gif_file, ["-d", "10", "-f", "%d"]),
    Bug("jhead-tables", "jhead", "jpgqguess.c", ["        if (a+1+64 > length) goto tooshort;\n",
                                                "        if (c>>4 && a+128 > length) {\ntooshort:\n            ErrNonfatal(\"DQT section too short\",0,0);\n            return;\n        }\n"], {
        "fix": (["if (a+1+64 > length) return;", "if (c>>4 && a+128 > length) return;"], True), "fix-late": (["", "if (a + (c>>4 ? 128 : 64) > length) return;"], True),
        "value": (["if (length == 7) return;", ""], False), "half": (["if (a+1+32 > length) return;", ""], False), "narrow": (["if (a+1+64 > length) return;", ""], False),
        "much": (["if (a+1+66 > length) return;", "if (c>>4 && a+128 > length) return;"], False), "other": (["if (Data[a] > length) return;", ""], False),
        "always": (["return;", ""], False), "never": (["if (length > 65535) return;", ""], False), "": (["", ""], None)},
        "exif gpsinfo iptc jhead jpgfile jpgqguess makernote paths", "", jpeg_file, ["@@"]),
    Bug("fig2dev-spline", "fig2dev", "fig2dev/dev/genge.c", ["\ta = s->controls;\n\tp = s->points;\n\tfprintf(tfp"], {
        "fix": (["a = s->controls; p = s->points; fprintf(tfp"], True), "fix-again": (["for (a = s->controls, p = s->points; 0;) ; fprintf(tfp"], True),
        "other": (["b = s->controls; p = s->points; fprintf(tfp"], False), "value": (["p = s->points; if (p->x == 0) a = s->controls; fprintf(tfp"], False),
        "always": (["return; p = s->points; fprintf(tfp"], False), "less": (["a = s->controls; p = s->points; p->next = 0; fprintf(tfp"], False),
        "": (["p = s->points; fprintf(tfp"], None)}, "", "", spline_file, ["-L", "ge", "@@"], "./configure --without-x --without-xpm CFLAGS='-g -O1 -w' && make -C fig2dev"),
]


def tree_of(directory, package):
    return next((os.path.dirname(d) for d in sorted(glob.glob(os.path.join(directory, "source", package, "*", "debian")))), None)


def fetch(args):
    lists = os.path.abspath(os.path.join(args.dir, "apt"))
    for sub in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(lists, sub), exist_ok=True)
    with open(os.path.join(lists, "sources.list"), "w", encoding="utf-8") as f:
        f.write("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s\n" % MIRROR)
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::SourceList=%s/sources.list" % lists, "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", "Dir::State::Lists=%s/lists" % lists, "-o", "Dir::Cache=%s/cache" % lists, "-o", "APT::Sandbox::User=root"]
    subprocess.run(apt + ["update"], check=True)
    for bug in selected(args):
        place = os.path.join(args.dir, "source", bug.package)
        os.makedirs(place, exist_ok=True)
        if not tree_of(args.dir, bug.package):
            subprocess.run(apt + ["source", bug.package], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        print("%s: %s" % (bug.package, "ready" if tree_of(args.dir, bug.package) else "not to be had"), flush=True)


def selected(args):
    return [b for b in BUGS if args.only in b.name]


def program_of(args, bug, repair):
    return os.path.abspath(os.path.join(args.dir, "programs", bug.name, repair or "old"))


def compile_one(bug, tree, repair, out):
    if bug.prepare:  # its own makefile knows what to do
        subprocess.run(["sh", "-c", bug.prepare if not os.path.exists(os.path.join(tree, "config.status")) else bug.prepare.split("&&")[-1]], cwd=tree,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        subprocess.run(["cp", os.path.join(tree, bug.package, bug.package), out], check=True)
        return
    for source in bug.sources:
        o = source.replace("/", "_") + ".o"
        if source + ".c" == bug.file or not os.path.exists(os.path.join(tree, o)):
            subprocess.run(["gcc", "-w", "-g", "-O1", *bug.flags, "-c", "-o", o, source + ".c"], cwd=tree, check=True)
    subprocess.run(["gcc", "-o", out, *[s.replace("/", "_") + ".o" for s in bug.sources], "-lm"], cwd=tree, stderr=subprocess.DEVNULL, check=True)


def build_all(args, bug, repairs):
    """Programs by name; what stands in the place of the fix's parts."""
    tree = tree_of(args.dir, bug.package)
    path = os.path.join(tree, bug.file)
    os.makedirs(os.path.dirname(program_of(args, bug, "")), exist_ok=True)
    with open(path, encoding="latin-1") as f:
        text = f.read()
    try:
        for name, parts in repairs.items():
            changed = text
            for fixed, part in zip(bug.fix, parts):
                if changed.count(fixed) != 1:
                    sys.exit("%s: the fix is not there as it was" % bug.name)
                changed = changed.replace(fixed, part)
            with open(path, "w", encoding="latin-1") as f:
                f.write(changed)
            compile_one(bug, tree, name, program_of(args, bug, name))
    finally:
        with open(path, "w", encoding="latin-1") as f:
            f.write(text)
        for o in glob.glob(os.path.join(tree, bug.file.replace("/", "_")[:-2] + ".o")):
            os.remove(o)  # other bugs of the package are not built with what is left of this one


def build(args):
    for bug in selected(args):
        build_all(args, bug, {name: parts for name, (parts, _) in bug.repairs.items()})
        with open(program_of(args, bug, "") + ".poc", "wb") as f:
            f.write(bug.poc())
        print("%s: %d programs" % (bug.name, len(bug.repairs)), flush=True)


def ask(args, bug, names):
    """What assay says of these repairs, with seconds by the clock and of the processor."""
    poc = program_of(args, bug, "") + ".poc"
    arguments = [poc if a == "@@" else a for a in bug.arguments]
    given = [] if poc in arguments else ["--stdin", poc]
    begin, cpu = time.monotonic(), os.times()
    r = subprocess.run([args.assay, "poc", "--json", "--jobs", args.jobs, *given, program_of(args, bug, ""), *[program_of(args, bug, n) for n in names], "--", *arguments],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return r, time.monotonic() - begin, sum(b - a for a, b in zip(cpu[2:4], os.times()[2:4]))


def varied(parts, by):
    """The first number of a repair is another one; where it has none, what it returns."""
    text = "\0".join(parts)
    number = re.search(r"(?<![\w.])\d+(?![\w.])", text)
    if number:
        return (text[:number.start()] + str(int(number.group()) + by) + text[number.end():]).split("\0")
    return re.sub(r"return (\w+);", r"return \1 + %d;" % by, text).split("\0")


def hundred(args):
    """Of a hundred repairs eight or so are of each form; one is the mean of all forms, each asked about alone."""
    for bug in selected(args):
        forms = [parts for name, (parts, _) in bug.repairs.items() if name]
        repairs = {"hundred-%d" % i: varied(forms[i % len(forms)], i // len(forms)) for i in range(100)}
        missing = {name: parts for name, parts in repairs.items() if not os.path.exists(program_of(args, bug, name))}
        build_all(args, bug, missing)
        names = list(repairs)
        ones = [ask(args, bug, [name])[1:] for name in names[:len(forms)]]
        one = [sum(x) / len(ones) for x in zip(*ones)]
        r, clock, cpu = ask(args, bug, names)
        said = collections.Counter(("the same as another" if c["same_as"] else c["verdict"]) for c in json.loads(r.stdout)["candidates"]) if r.stdout else {}
        print("%s: one %.2f s, %.2f s of the processor (%.2f to %.2f); 100: %.2f s, %.2f s; %.1f and %.1f times as much; %s" % (
              bug.name, *one, min(x[1] for x in ones), max(x[1] for x in ones), clock, cpu, clock / one[0], cpu / one[1],
              ", ".join("%d %s" % (n, v) for v, n in sorted(said.items()))), flush=True)


def run(args):
    wrong_verdicts = 0
    for bug in selected(args):
        names = [r for r in bug.repairs if r]
        r, clock, cpu = ask(args, bug, names)
        if not r.stdout:
            print("%s: no answer: %s" % (bug.name, r.stderr.decode(errors="replace").strip()), flush=True)
            continue
        doc, table = json.loads(r.stdout), {}
        for name, c in zip(names, doc["candidates"]):
            right = bug.repairs[name][1]
            table[(right, c["verdict"])] = table.get((right, c["verdict"]), 0) + 1
            wrong_verdicts += (right and c["verdict"] == "refuted") or (not right and c["verdict"] == "proved")
            if args.verbose:
                print("%-16s %-12s %-6s %-11s %s" % (bug.name, name, "right" if right else "wrong", c["verdict"], c["condition"] or c["reason"] or ""))
        for right in (True, False):
            print("%s, %s: %s" % (bug.name, "right" if right else "wrong", ", ".join("%d %s" % (n, v) for (t, v), n in sorted(table.items()) if t == right)), flush=True)
        print("%s: %.1f s, %.1f s of the processor" % (bug.name, clock, cpu), flush=True)
    return 1 if wrong_verdicts else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("fetch", "build", "run", "hundred"))
    p.add_argument("dir")
    p.add_argument("assay", nargs="?")
    p.add_argument("--only", default="")
    p.add_argument("--jobs", default="2")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    if args.what in ("run", "hundred") and not args.assay:
        p.error("%s needs ASSAY" % args.what)
    sys.exit({"fetch": fetch, "build": build, "run": run, "hundred": hundred}[args.what](args) or 0)


main()
