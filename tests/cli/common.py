# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command-line tests share: running assay, and looking at what it says."""
import json
import os
import subprocess
import tempfile
import unittest
import zlib

ASSAY = os.environ["ASSAY"]
INPUTS = os.environ["INPUTS"]
SOURCE = os.environ["SOURCE_ROOT"]
BUILD = os.environ["BUILD_ROOT"]
EVERY = int(os.environ.get("TEST_EVERY", "1"))  # one test of so many is run
PART = int(os.environ.get("TEST_PART", "1"))  # of the cases of a test that has many, one of so many is asked
ARCHES = ["x86_64", "aarch64", "i686", "arm"]
COMMANDS = ["info", "functions", "cfg", "lift", "explore", "diff", "debug", "verify", "wp", "present", "poc", "adapt", "java", "cache"]


def demo(arch):
    return os.path.join(INPUTS, "demo-" + arch)


def branches(arch):
    return os.path.join(INPUTS, "branches-" + arch + ".o")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def rest_of_terminal(leader):
    """What is still written to a pseudo-terminal, until nobody has it open; closes it."""
    seen = b""
    try:
        while more := os.read(leader, 4096):
            seen += more
    except OSError:
        pass
    os.close(leader)
    return seen


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8")
        self.err = done.stderr.decode("utf-8")


def assay(*args, env=None, **more):
    e = dict(os.environ)
    e.pop("NO_COLOR", None)
    e.update(env or {})
    return Result(subprocess.run([ASSAY, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=e, **more))


def part(cases, turn=0):
    """Those of a long list that are asked here, for another turn others; the first one always in the first."""
    return cases[turn % PART::PART]


def limits(first):
    """Time limits in ms, each twice the one before: what is to happen within a limit happens within one of them, on
    the slowest machine. A test leaves the loop when it has seen it."""
    for doubling in range(8):
        yield first << doubling


class Test(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        if zlib.crc32(self.id().encode()) % EVERY:
            self.skipTest("not in this part")
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def ok(self, *args, **more):
        """Runs assay, expects success and silence on stderr."""
        r = assay(*args, **more)
        self.assertEqual((r.code, r.err), (0, ""), (args, r.out[-2000:]))
        return r.out

    def json(self, *args, code=0):
        r = assay(*args)
        self.assertEqual(r.code, code, (args, r.err))
        return json.loads(r.out)

    def refused(self, *args, code=2, says=()):
        """Runs assay, expects a complaint of one line, nothing on stdout, and an exit code."""
        r = assay(*args)
        self.assertEqual(r.code, code, (args, r.out[-500:], r.err))
        self.assertEqual(r.out, "", args)
        self.assertTrue(r.err.startswith("assay: "), r.err)
        self.assertEqual(r.err.count("\n"), 1, r.err)
        for word in says:
            self.assertIn(word, r.err)
        return r.err


main = unittest.main
