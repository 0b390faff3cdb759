#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks `assay present` about patches of tests/patches in the programs of this machine, which have none of them.

Every program must be answered for every patch; none may be called patched or vulnerable. Prints what was said, and exits with 1 when a row is
missing, a worker died, or the function was found where it is not.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "patches"))
import run  # noqa: E402  (before patches, which makes the folder of another run.py known)
import patches  # noqa: E402

PATCHES = ["acl_several_paths", "dns_name_label", "heartbeat_payload", "log_format_string", "sprintf_to_snprintf"]


def programs(folders, count):
    """As many ELF files of each folder, evenly spread over their names."""
    out = []
    for folder in folders:
        found = []
        for place, below, names in os.walk(folder):
            below[:] = [b for b in below if b != "debug"]
            for path in (os.path.join(place, n) for n in names):
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, "rb") as f:
                    head = f.read(18)
                if head[:4] == b"\x7fELF" and head[16] in (2, 3):
                    found.append(path)
        found.sort()
        want = count // len(folders)
        out += [found[i * len(found) // want] for i in range(min(want, len(found)))]
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--assay", default="assay", help="the program")
    p.add_argument("--build", required=True, help="directory for what is compiled")
    p.add_argument("--count", type=int, default=200, help="programs (200)")
    p.add_argument("--jobs", default="0")
    p.add_argument("--timeout", default="60s", help="for one program")
    p.add_argument("folder", nargs="*", default=["/usr/bin", "/usr/lib"])
    options = p.parse_args()
    targets = programs(options.folder, options.count)
    builder = patches.Builder(options.build, patches.load())
    said, bad = collections.Counter(), 0
    print(f"{len(targets)} programs, {sum(os.path.getsize(t) for t in targets) >> 20} MiB; {len(PATCHES)} patches")
    print("| patch | rows | patched | partially patched | vulnerable | not-there | unknown | of these: died or out of time | s |\n|---|---|---|---|---|---|---|---|---|")
    for patch in patches.load(PATCHES):
        command = [options.assay, "present", "--json", "--no-cache", "--jobs", options.jobs, "--timeout", options.timeout,
                   *run.references(builder, patch), *targets]
        begun = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        rows = json.loads(done.stdout)["results"] if done.stdout else []
        count = collections.Counter(r["verdict"] for r in rows)
        died = [r for r in rows if r["reason"] and ("killed" in r["reason"] or "limit" in r["reason"])]
        print(f"| {patch.name} | {len(rows)} | " + " | ".join(str(count[v]) for v in ("patched", "partially patched", "vulnerable", "not-there", "unknown"))
              + f" | {len(died)} | {time.monotonic() - begun:.0f} |", flush=True)
        for r in rows:
            said[r["reason"] or (r["functions"][0]["reason"] if r["functions"] else None)] += 1
            if r in died or r["verdict"] not in ("unknown", "not-there"):
                print(f"  {r['verdict']}: {r['target']}: {r['reason']}")
        bad += {r["target"] for r in rows} != set(targets) or len(rows) > count["unknown"] + count["not-there"] or any("killed" in r["reason"] for r in died)
    for reason, n in said.most_common():
        print(f"{n:6d} {reason}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
