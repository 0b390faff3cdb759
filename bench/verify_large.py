#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay verify` on the largest functions of a library with one comparison flipped.

  verify_large.py ASSAY DIRECTORY [--library FILE] [--functions N] [--timeout TIME] [--pair OLD NEW FUNC]...

Of the N largest functions (2 unless given) of the library (libcrypto.so.3 of this machine unless given; x86-64), in each of which
the first conditional jump behind the prologue that jumps forwards is turned into its opposite in a copy, prints size, verdict and
processor time of all of it, with opening and matching both files. --pair adds files that were compiled otherwise, for instance an
object file recompiled with other options. Exit status 1 when one took more than ten seconds, or got no verdict.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no place to remember verdicts: every one is found anew

LIMIT = 10
PLACES = ["/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/lib/x86_64-linux-gnu/libcrypto.so.3"]
JUMP = re.compile(r"\s+([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\tj(\w+)\s+([0-9a-f]+)")


def functions(assay, library):
    out = subprocess.run([assay, "functions", "--json", "--tables-only", library], stdout=subprocess.PIPE, check=True).stdout
    return sorted(json.loads(out)["functions"], key=lambda f: -f["size"])


def conditional_jumps(library, address, size):
    """(address, index of the byte whose lowest bit says which way) of those that jump forwards."""
    text = subprocess.run(["objdump", "-d", "--start-address=%d" % address, "--stop-address=%d" % (address + size), library],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in text.splitlines():
        m = JUMP.match(line)
        if m and m[3] != "mp" and int(m[4], 16) > int(m[1], 16):
            yield int(m[1], 16), int(m[2].startswith("0f"))


def offset_of(library, address):
    text = subprocess.run(["readelf", "-lW", library], stdout=subprocess.PIPE, check=True).stdout.decode()
    for m in re.finditer(r"LOAD\s+(0x\w+)\s+(0x\w+)\s+\S+\s+(0x\w+)", text):
        offset, start, size = (int(x, 16) for x in m.groups())
        if start <= address < start + size:
            return offset + address - start
    raise ValueError("no segment has %#x" % address)


def flipped(library, function, path):
    """A copy of the library with one jump of the function flipped; where, or None when there is none."""
    address = int(function["address"], 16)
    jump = next(conditional_jumps(library, address, function["size"]), None)
    if not jump:
        return None
    with open(library, "rb") as f:
        data = bytearray(f.read())
    data[offset_of(library, jump[0]) + jump[1]] ^= 1
    with open(path, "wb") as f:
        f.write(data)
    return jump[0]


def ask(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def verdict(args, old, new, func):
    report, seconds = ask([args.assay, "verify", "--json", "--jobs=1", "--timeout=" + args.timeout, "--func=" + func, old, new])
    all_of_it = report["files"][0]["functions"] if report["files"] else []
    one = all_of_it[0] if all_of_it else {"verdict": "identical", "reason": None}
    return one["verdict"], seconds, one.get("reason") or ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("assay")
    p.add_argument("directory")
    p.add_argument("--library", default=next((x for x in PLACES if os.path.exists(x)), None))
    p.add_argument("--functions", type=int, default=2)
    p.add_argument("--timeout", default="10s")
    p.add_argument("--pair", nargs=3, action="append", default=[], metavar=("OLD", "NEW", "FUNC"))
    args = p.parse_args()
    os.makedirs(args.directory, exist_ok=True)
    fine = True
    print("| function | bytes | what was done | verdict | processor | |")
    print("|---|---|---|---|---|---|")
    line = "| %s | %s | %s | %s | %.1f s | %s |"
    done = 0
    for f in functions(args.assay, args.library) if args.library else []:
        if done == args.functions:
            break
        copy = os.path.join(args.directory, "flipped.so")
        at = flipped(args.library, f, copy)
        if at is None:
            continue
        done += 1
        answer, seconds, why = verdict(args, args.library, copy, f["address"])
        fine = fine and seconds < LIMIT and answer not in ("unknown", "bounded")
        print(line % (f["name"], f["size"], "jump at %#x flipped" % at, answer, seconds, why), flush=True)
    for old, new, func in args.pair:
        answer, seconds, why = verdict(args, old, new, func)
        fine = fine and seconds < LIMIT and answer not in ("unknown", "bounded")
        print(line % (func, "", "%s against %s" % (os.path.basename(old), os.path.basename(new)), answer, seconds, why), flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
