# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of assay verify in headless Chromium: drawn without overlaps, usable from the keyboard, on its own, and printable."""
import html
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "tests", "cli"))
from common import *  # noqa: E402

OLD = """
struct image { int width, depth; char *row; };
extern void note(const char *text, int n);
extern void *copy(void *to, const void *from, int n);
int total;
int checksum(const char *s, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31 + s[i];
    return sum;
}
int set_row(struct image *image, const char *from, int n)
{
    int sum = 0;
    if (n < 0) {
        note("negative", n);
        return -1;
    }
    if (!image->row)
        return -1;
    for (int i = 0; i < n; i++) {
        sum += from[i] == '\\n' ? 3 : from[i];
        if (sum > 1000)
            break;
    }
    if (image->depth == 1)
        total += 1;
    else if (image->depth == 2)
        note("<two> & \\"three\\"", n);
    copy(image->row, from, n);
    return 0;
}
"""
CHANGES = (("copy(image->row, from, n)", "copy(image->row, from, n + 1)"), ("!image->row", "!image->row || n > image->width"),
           ("total += 1", "total += 4"), ("sum * 31", "sum * 33"))


def chromium(*args):
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1400,1000", *args],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


class Page(Test):
    def page(self):
        new = OLD
        for change in CHANGES:
            self.assertIn(change[0], new)
            new = new.replace(*change)
        for name, text in ("old", OLD), ("new", new):
            source = self.write(name + ".c", text.encode())
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-O1", "-g", "-ffreestanding", "-c", source, "-o", self.path(name + ".o")],
                           check=True)
        page = self.path("page.html")
        r = assay("verify", "--html", page, self.path("old.o"), self.path("new.o"))
        self.assertEqual(r.code, 1, r.err)
        return page

    def test_page(self):
        text = read(self.page()).decode()
        probe = read(os.path.join(SOURCE, "tests", "browser", "probe.js")).decode()
        self.write("probed.html", text.replace("</body>", "<script>" + probe + "</script></body>").encode())
        dom = chromium("--user-data-dir=" + self.path("profile"), "--dump-dom", "file://" + self.path("probed.html")).decode()
        found = json.loads(html.unescape(re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S).group(1)))
        self.assertEqual(found["requests"], [])
        self.assertEqual(len(found["drawings"]), 4)  # two functions, two versions
        for d in found["drawings"]:
            self.assertGreater(d["blocks"], 1)
            self.assertGreaterEqual(d["edges"], d["blocks"] - 1)
            self.assertEqual((d["overlaps"], d["sticking_out"], d["unlabelled"]), (0, 0, 0), d)
        self.assertGreater(sum(d["changed"] + d["alone"] for d in found["drawings"]), 1)
        self.assertGreater(sum(d["on"] for d in found["drawings"]), 2)
        self.assertTrue(found["buttons"])
        self.assertTrue(all(not hidden for hidden, _ in found["buttons"]))
        self.assertEqual([found["after_j"], found["after_jj"], found["after_k"]], ["f0-name", "f1-name", "f0-name"])
        self.assertRegex(found["after_n"], r"\b(changed|alone)\b")
        self.assertIn(found["partner"], (True, None))
        self.assertTrue(found["same_partner"])
        if "switched" in found:
            self.assertTrue(found["switched"])
        self.assertTrue(found["steps"])  # of both versions, shown without a click
        self.assertTrue(all(s["rows"] > 1 and s["shown"] and "= 0x" in s["text"] for s in found["steps"]), found["steps"])
        self.assertEqual({s["caption"] for s in found["steps"]}, {"old version", "new version"})
        self.assertEqual(found["headings"].count("H1"), 1)
        self.assertEqual(found["headings"].count("H2"), 3)  # two functions, and the files
        self.assertTrue(found["wide"])
        pdf = self.path("page.pdf")
        chromium("--user-data-dir=" + self.path("profile"), "--no-pdf-header-footer", "--print-to-pdf=" + pdf, "file://" + self.path("page.html"))
        printed = read(pdf)
        self.assertTrue(printed.startswith(b"%PDF"))
        self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", printed)), 1)


if __name__ == "__main__":
    if not shutil.which("chromium"):
        sys.exit(77)
    main()
