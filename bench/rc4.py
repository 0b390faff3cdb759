# SPDX-License-Identifier: GPL-3.0-or-later
"""RC4 of OpenSSL and mbedTLS in place of each other: both directions of key set-up and encryption, and the libraries that come
out in programs that were not changed.

  rc4.py ASSAY ROOT DIR CC [RUNNER...]   the libraries are below ROOT; CC compiles for them, RUNNER starts what it makes"""
import glob
import json
import os
import resource
import subprocess
import sys

# Which line of what bench/rc4.c prints: three well-known answers, and some of RFC 6229.
ANSWERS = {0: "bbf316e8d940af0ad3", 1: "1021bf0420", 2: "45a01f645fc35b383552544b9bf5", 3: "b2396305f03dc027ccc3524a0a1118a8",
           4: "28cb1132c96ce286421dcaadb8b69eae", 5: "ff25b58995996707e51fbdf08b34d875", 6: "293f02d47f37c9b633f2af5285feb46b",
           9: "9ac7cc9a609d1ef7b2932899cde41b97", 12: "eaa6bd25880bf93d3f5d1e4ca2611d91"}


def directions(openssl, mbedtls):
    return [("key set-up", f"{openssl}:RC4_set_key", f"{mbedtls}:mbedtls_arc4_setup", ["--assume", "(int)arg1 > 0"]),
            ("key set-up", f"{mbedtls}:mbedtls_arc4_setup", f"{openssl}:RC4_set_key", ["--assume", "(int)arg2 > 0"]),
            ("encryption", f"{openssl}:RC4", f"{mbedtls}:mbedtls_arc4_crypt", []),
            ("encryption", f"{mbedtls}:mbedtls_arc4_crypt", f"{openssl}:RC4", [])]


def ask(assay, out, cc, n, target, inner, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    r = subprocess.run([assay, "adapt", "--quiet", "--json", "--family", "memory", "--search-timeout", "10m", "--timeout", "1h", "--emit", "preload",
                        *options, target, inner], capture_output=True, text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    doc = json.loads(r.stdout) if r.stdout else {"verdict": r.stderr.strip()}
    if "c" not in doc:
        return doc, seconds, None
    with open(f"{out}/adapter{n}.c", "w", encoding="utf-8") as f:
        f.write(doc["c"])
    subprocess.run([cc, "-O2", "-shared", "-fPIC", f"{out}/adapter{n}.c", "-o", f"{out}/adapter{n}.so"], check=True)
    return doc, seconds, f"{out}/adapter{n}.so"


def answers(runner, program, preload=()):
    """What the program prints; an emulator is given the preloaded libraries as an option."""
    files = " ".join(os.path.abspath(p) for p in preload)
    before = ["-E", "LD_PRELOAD=" + files] if runner else ["env", "LD_PRELOAD=" + files]
    return subprocess.run([*runner, *before, program], capture_output=True, text=True, check=True).stdout.split("\n")


def main():
    assay, root, out, cc, *runner = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    openssl, mbedtls = (glob.glob(f"{root}/usr/lib/*/{name}")[0] for name in ("libcrypto.so.3", "libmbedcrypto.so.7"))
    library, wrong = [], 0
    print("| | target | inner | answer | runs: interpreter, compiled | processor time |\n|---|---|---|---|---|---|")
    for n, (what, target, inner, options) in enumerate(directions(openssl, mbedtls)):
        doc, seconds, file = ask(assay, out, cc, n, target, inner, options)
        library.append(file)
        answer = doc["verdict"] + (", up to a bound" if doc.get("bounded") else "") + (f": {doc['reason']}" if "reason" in doc else "")
        runs = f"{doc['counts']['runs']}, {doc.get('compiled', {}).get('runs')}" if "counts" in doc else ""
        print(f"| {what} | {target.split(':')[1]} | {inner.split(':')[1]} | {answer} | {runs} | {seconds:.0f} s |", flush=True)
        for note in doc.get("notes", []):
            print(f"<!-- {note} -->")
    for name, how, file, preload in ("openssl", ["-DOPENSSL"], openssl, library[0::2]), ("mbedtls", [], mbedtls, library[1::2]):
        program = f"{out}/uses_{name}"
        subprocess.run([cc, "-O1", *how, "bench/rc4.c", file, f"-Wl,-rpath,{os.path.dirname(os.path.abspath(file))}", "-o", program], check=True)
        plain = answers(runner, program)
        if None in preload:
            wrong += 1
            print(f"{name}: not all adapters were found")
            continue
        other = answers(runner, program, preload)
        good = plain[:-2] == other[:-2] and all(other[line] == text for line, text in ANSWERS.items())
        wrong += not good or "used openssl mbedtls" not in other
        print(f"a program linked with {name}, {'all' if good else 'NOT all'} of {len(plain) - 2} answers are right with the other library's RC4 ({other[-2]}; before: {plain[-2]})")
    return wrong != 0


sys.exit(main())
