#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten methods of each of three libraries, from Debian's packages: what `assay java` says of each, and what it did not know.

An answer is fine unless an opcode is unknown or the command fails. What is unknown is listed with how often it was met.

usage: java_libraries.py ASSAY FOLDER [--timeout TIME]   (packages are fetched to the folder, with apt-get download)"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import time

LIBRARIES = {
    "libcommons-cli-java": ("commons-cli", [
        "org.apache.commons.cli.Util.stripLeadingHyphens", "org.apache.commons.cli.Util.stripLeadingAndTrailingQuotes",
        "org.apache.commons.cli.OptionValidator.validate", "org.apache.commons.cli.PatternOptionBuilder.getValueClass",
        "org.apache.commons.cli.PatternOptionBuilder.isValueCode", "org.apache.commons.cli.HelpFormatter.createPadding",
        "org.apache.commons.cli.HelpFormatter.rtrim", "org.apache.commons.cli.HelpFormatter.findWrapPos",
        "org.apache.commons.cli.Options.hasOption", "org.apache.commons.cli.Option$Builder.valueSeparator(C)Lorg/apache/commons/cli/Option$Builder;"]),
    "libcommons-lang3-java": ("commons-lang3", [
        "org.apache.commons.lang3.StringUtils.isBlank", "org.apache.commons.lang3.StringUtils.isNumeric",
        "org.apache.commons.lang3.StringUtils.reverse", "org.apache.commons.lang3.StringUtils.countMatches(Ljava/lang/CharSequence;C)I",
        "org.apache.commons.lang3.math.NumberUtils.max(III)I", "org.apache.commons.lang3.math.NumberUtils.isDigits",
        "org.apache.commons.lang3.math.Fraction.getFraction(II)Lorg/apache/commons/lang3/math/Fraction;",
        "org.apache.commons.lang3.BooleanUtils.toBoolean(Ljava/lang/String;)Z", "org.apache.commons.lang3.CharUtils.toIntValue(C)I",
        "org.apache.commons.lang3.BitField.setValue"]),
    "libjson-simple-java": ("json-simple", [
        "org.json.simple.JSONValue.escape(Ljava/lang/String;)Ljava/lang/String;", "org.json.simple.parser.Yytoken.toString", "org.json.simple.parser.ParseException.getMessage",
        "org.json.simple.ItemList.size", "org.json.simple.ItemList.toString()Ljava/lang/String;", "org.json.simple.ItemList.add(Ljava/lang/String;)V",
        "org.json.simple.JSONObject.toJSONString()Ljava/lang/String;", "org.json.simple.JSONArray.toJSONString()Ljava/lang/String;",
        "org.json.simple.JSONValue.toJSONString", "org.json.simple.parser.JSONParser.getPosition"]),
}


def fetch(package, folder):
    """The package's largest jar."""
    where = os.path.join(folder, package)
    if not os.path.isdir(where):
        os.makedirs(where)
        subprocess.run(["apt-get", "download", "-qq", package], cwd=where, check=True, stderr=subprocess.DEVNULL)
        for deb in glob.glob(os.path.join(where, "*.deb")):
            subprocess.run(["dpkg-deb", "-x", deb, where], check=True)
    jars = [j for j in glob.glob(os.path.join(where, "usr/share/java/*.jar")) if not os.path.islink(j)]
    return max(jars, key=os.path.getsize)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("assay")
    p.add_argument("folder")
    p.add_argument("--timeout", default="20s")
    a = p.parse_args()
    bad = 0
    for package, (name, methods) in LIBRARIES.items():
        jar = fetch(package, a.folder)
        unknown, verdicts, begun = collections.Counter(), collections.Counter(), time.monotonic()
        for method in methods:
            r = subprocess.run([a.assay, "java", "--json", "--timeout", a.timeout, jar, method], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
            try:
                doc = json.loads(r.stdout)
            except ValueError:
                doc = None
            if doc is None or r.returncode not in (0, 1, 3) or any("opcode" in u for u in doc.get("unknown", [])):
                bad += 1
                print("%s: %s: exit status %d: %s" % (name, method, r.returncode, r.stderr.decode().strip()))
                continue
            verdicts[doc["verdict"]] += 1
            for u in doc.get("unknown", []) if doc["verdict"] == "unknown" else []:
                unknown[u] += 1
        print("%-14s %s, %.1f s" % (name, ", ".join("%d %s" % (n, v) for v, n in sorted(verdicts.items())), time.monotonic() - begun))
        for u, n in unknown.most_common():
            print("    %d unknown: %s" % (n, u))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
