#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay adapt on the C library for amd64: the 31 directions of the thesis's table 1.4, and a sweep of neighbours.

usage: adapt.py ASSAY LIBC DEBUG DIR [SLICE/SLICES]

DEBUG is the folder of debug files.

Answers are kept in DIR, so that a sweep goes on where it was."""
import json
import os
import subprocess
import sys

TABLE = """abs labs|abs llabs|labs llabs|llabs labs|ldiv lldiv|lldiv ldiv|ffs ffsl|ffs ffsll|ffsl ffsll|ffsll ffsl|setpgrp setpgid|wait waitpid
wait wait4|waitpid wait4|wait wait3|wait3 wait4|umount umount2|putchar putchar_unlocked|putchar_unlocked putchar|putwchar putwchar_unlocked
putwchar_unlocked putwchar|recv recvfrom|send sendto|atol atoll|atoll atol|atol strtol|atoi strtol|atoll strtoll|isupper islower|islower isupper""".replace("\n", "|").split("|")
# with the preconditions that the thesis states
ASSUMED = [("killpg", "kill", "(int)arg0 >= 0")]
FAMILIES = ["--family", "permute,substitute,convert,return"]


def assay(program, debug, *args):
    r = subprocess.run([program, "adapt", "--json", "--debug-dir", debug, *args], stdout=subprocess.PIPE, check=False)
    return json.loads(r.stdout) if r.stdout else {}


def main():
    program, libc, debug, directory = sys.argv[1:5]
    os.makedirs(directory, exist_ok=True)
    tasks = os.path.join(directory, "table.txt")
    with open(tasks, "w", encoding="utf-8") as f:
        f.write("\n".join(TABLE) + "\n")
    doc = assay(program, debug, "--sweep", libc, "--tasks", tasks, *FAMILIES, "--search-timeout", "20s")
    found = 0
    for t in doc.get("tasks", []):
        found += t["verdict"] == "adapter"
        print(f"{t['target']} <- {t['inner']}: {t['verdict']} {t.get('adapter', t.get('reason', ''))}")
    for target, inner, assumed in ASSUMED:
        d = assay(program, debug, "--assume", assumed, f"{libc}:{target}", f"{libc}:{inner}")
        found += d.get("verdict") == "adapter"
        print(f"{target} <- {inner} if {assumed}: {d.get('verdict')} {', '.join(d.get('arguments', []))}")
    print(f"table: {found} of {len(TABLE) + len(ASSUMED)} directions")
    part = ["--slice", sys.argv[5]] if len(sys.argv) > 5 else []
    doc = assay(program, debug, "--sweep", libc, "--near", "5", *FAMILIES, "--search-timeout", "2s", "--runs", "1000", "--store",
                os.path.join(directory, "sweep.db"), *part)
    print("sweep:", json.dumps(doc.get("counts")))


main()
