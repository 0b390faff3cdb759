#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay adapt on the C library for amd64: the 31 directions of the thesis's table 1.4, and a sweep of neighbours.

usage: adapt.py ASSAY LIBC DEBUG DIR [SLICE/SLICES]

DEBUG is the folder of debug files.

Answers, and what was found out of functions, are kept in DIR, so that a sweep goes on where it was."""
import json
import os
import subprocess
import sys

TABLE = """abs labs|abs llabs|labs llabs|llabs labs|ldiv lldiv|lldiv ldiv|ffs ffsl|ffs ffsll|ffsl ffsll|ffsll ffsl|setpgrp setpgid|wait waitpid
wait wait4|waitpid wait4|wait wait3|wait3 wait4|umount umount2|recv recvfrom|send sendto|atol atoll|atoll atol|atol strtol|atoi strtol|atoll strtoll""".replace("\n", "|").split("|")

# The thesis states a precondition for killpg. The others are what glibc needs and the thesis did not model: a locale in which
# upper case is 32 below lower case; a stream that its caller has locked, with room for one more character, whose buffer does not
# lie over its own flags; for wide characters also that the stream is the one that stdout is at the start.
CASE = "arg0 >= {low} && arg0 < {high} && ((__libc_tsd_CTYPE_B[arg0] & {this}) != 0) == ((__libc_tsd_CTYPE_B[arg0 {shift} 32] & {that}) != 0)"
UPPER = CASE.format(low=-128, high=224, this="0x100", shift="+", that="0x200")
LOWER = CASE.format(low=-96, high=256, this="0x200", shift="-", that="0x100")
LOCKED = "(stdout->_flags & 0x8000) != 0"
ROOM = LOCKED + " && stdout->_IO_write_ptr < stdout->_IO_write_end && (size_t)stdout->_IO_write_ptr - (size_t)stdout >= 4"
WIDE = "stdout->_wide_data"
WIDE_ROOM = (f"{LOCKED} && stdout == &_IO_2_1_stdout_ && {WIDE} == &_IO_wide_data_1 && {WIDE}->_IO_write_ptr < {WIDE}->_IO_write_end && "
             f"(size_t){WIDE}->_IO_write_ptr - (size_t)stdout - 4 < 0x7fffffffffff")
ASSUMED = [("killpg", "kill", "(int)arg0 >= 0", []),
           ("isupper", "islower", UPPER, ["--truth"]),
           ("islower", "isupper", LOWER, ["--truth"]),
           ("putchar", "putchar_unlocked", ROOM, []),
           ("putchar_unlocked", "putchar", ROOM, []),
           ("putwchar", "putwchar_unlocked", WIDE_ROOM, []),
           ("putwchar_unlocked", "putwchar", WIDE_ROOM, [])]
FAMILIES = ["--family", "permute,substitute,convert,return"]


def assay(program, debug, *args):
    r = subprocess.run([program, "adapt", "--json", "--debug-dir", debug, *args], stdout=subprocess.PIPE, check=False)
    return json.loads(r.stdout) if r.stdout else {}


def main():
    program, libc, debug, directory = sys.argv[1:5]
    os.makedirs(directory, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = os.path.abspath(directory)
    tasks = os.path.join(directory, "table.txt")
    with open(tasks, "w", encoding="utf-8") as f:
        f.write("\n".join(TABLE) + "\n")
    doc = assay(program, debug, "--sweep", libc, "--tasks", tasks, *FAMILIES, "--search-timeout", "20s")
    found = 0
    for t in doc.get("tasks", []):
        found += t["verdict"] == "adapter"
        print(f"{t['target']} <- {t['inner']}: {t['verdict']} {t.get('adapter', t.get('reason', ''))}")
    for target, inner, assumed, options in ASSUMED:
        d = assay(program, debug, *options, "--assume", assumed, f"{libc}:{target}", f"{libc}:{inner}")
        found += d.get("verdict") == "adapter"
        print(f"{' '.join([*options, target])} <- {inner} if {assumed}: {d.get('verdict')} {', '.join(d.get('arguments', []))}")
    print(f"table: {found} of {len(TABLE) + len(ASSUMED)} directions")
    part = ["--slice", sys.argv[5]] if len(sys.argv) > 5 else []
    doc = assay(program, debug, "--sweep", libc, "--near", "5", *FAMILIES, "--search-timeout", "2s", "--runs", "1000", "--store",
                os.path.join(directory, "sweep.db"), *part)
    print("sweep:", json.dumps(doc.get("counts")))


main()
