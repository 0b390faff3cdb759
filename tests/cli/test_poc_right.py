# SPDX-License-Identifier: GPL-3.0-or-later
"""assay poc: right repairs that differ from the original where that shows nothing, and wrong ones that differ there where it does."""
from poc_common import *

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
MAIN = "int main(int argc, char **argv) { int a[4] = {0}; for (int i = 1; i < argc && i < 5; i++) a[i - 1] = atoi(argv[i]); %s }\n"
S = "struct s { int *next; int v[4], w[12]; }; int f(struct s *p, int n, int m);"
BYTES = "int f(const unsigned char *p, unsigned have, unsigned n);"
SUM = "int f(const unsigned char *p, unsigned have, unsigned n) { REPAIR int s = 0; for (unsigned i = 0; i < n; i++) s = s * 3 + p[i] + 1; return s & 0xffff; }"


class Right(PocTest):
    def ask(self, types, function, main, input, *repairs):
        """What is said of repairs of a function: verdict, what confirms it, and the reason."""
        names = [self.build(name, HEAD + types + function.replace("REPAIR", repair), driver=HEAD + types + MAIN % main)
                 for name, repair in [("old", "")] + [("new%d" % i, r) for i, r in enumerate(repairs)]]
        r = assay("poc", "--json", *names, "--", *input.split())
        return [(c["verdict"], c["confirmed_by"], c["reason"] or "") for c in json.loads(r.out)["candidates"]]

    def refutes(self, *question):
        """The last repair is refuted, and none of the others."""
        said = self.ask(*question)
        self.assertEqual([v == "refuted" for v, _, _ in said], [False] * (len(said) - 1) + [True], said)
        return said

    def test_larger_blocks(self):
        """Where a larger block lies is another number, and nobody looks at it."""
        said = self.refutes("struct box { unsigned size; unsigned char *item; }; int f(struct box *b, unsigned n);", """
            int f(struct box *b, unsigned n) {
                int room = 8;
                REPAIR
                b->item = malloc(room);
                for (unsigned i = 0; i < n; i++) b->item[i] = i + 1;
                return n;
            }""", """
            struct box *b = calloc(1, sizeof *b);
            if (a[0] < 0 || a[0] > 16) return 2;
            int r = f(b, a[0]);
            unsigned s = 0;
            for (int i = 0; i < r; i++) s = s * 7 + b->item[i];
            printf("%u\\n", s);
            return 0;""", "12", "room = 16;", "return 0;")
        self.assertEqual(said[0], ("doubtful", "state", "only the state that the call leaves behind differs: output and exit status of the program are the same"))

    def test_error_codes(self):
        """The caller of the function only sees that it is an error."""
        said = self.refutes("int f(const unsigned char *t, int n);", "int f(const unsigned char *t, int n) { REPAIR if (n < 0) return -1; return t[n]; }", """
            unsigned char *t = malloc(8);
            for (int i = 0; i < 8; i++) t[i] = i * i;
            int r = f(t, 33 - a[0]);
            puts(r < 0 ? "bad" : "good");
            return 0;""", "24", "if (n < 0 || n >= 8) return -22;", "return -1;")
        self.assertEqual([s[:2] for s in said], [("doubtful", "state"), ("refuted", "state")])

    def test_parts_of_a_block(self):
        """Nothing says how much of a block there is: half of it may be too much."""
        for allocated in ("malloc(64)", "calloc(64, 1)"):
            self.refutes(BYTES, SUM, "unsigned char *p = %s; for (int i = 0; i < a[0]; i++) p[i] = i + 1; printf(\"%%d\\n\", f(p, a[0], a[1])); return 0;" % allocated,
                         "5 70", "if (n > have) return -1;", "return -1;")
        self.refutes(BYTES, SUM.replace("p[i]", "p[1 + i]"), "unsigned char *p = malloc(64); memset(p, 7, 64); p[0] = a[0]; printf(\"%d\\n\", f(p, 0, a[1])); return 0;",
                     "5 70", "if (n > p[0]) return -1;", "return -1;")
        self.refutes(BYTES, SUM, "unsigned char *p = malloc(64); memset(p, 7, 64); printf(\"%d\\n\", f(p, 64, a[0])); return 0;", "70", "if (n > 8) return -1;", "return -1;")

    def test_memory_that_nobody_wrote(self):
        """What is in it is no reason to print it."""
        undefined = "what the original does there is not defined"
        main = "struct s *p = malloc(sizeof *p); p->next = NULL; %s; printf(\"%%d\\n\", f(p, a[0], 0)); return 0;"
        said = self.refutes(S, "int f(struct s *p, int n, int m) { if (n > 3) p->w[0] = n; REPAIR if (n > 6) return *p->next; return p->w[0]; }", main % "",
                            "7", "if (n <= 3) p->w[0] = -1; if (n > 6) return -1;", "if (n > 4) return -1;")
        self.assertIn(undefined, said[0][2])
        said = self.refutes(S, """__attribute__((noinline)) int g(int n, int *out) { if (n > 3) *out = n; return n; }
            int f(struct s *p, int n, int m) { int v; g(n, &v); REPAIR if (n > 6) return *p->next; return v & 0xff; }""", main % "",
                            "7", "if (n <= 3) v = 1; if (n > 6) return -1;", "if (n > 4) return -1;")
        self.assertIn(undefined, said[0][2])
        # also where the function's own callee does it
        said = self.refutes(S, """__attribute__((noinline)) int g(int n) { int *x = malloc(16); x[0] = 1; x[1] = 2; return x[n & 3]; }
            int f(struct s *p, int n, int m) { REPAIR if (n > 6) return *p->next; return g(n); }""", main % "", "7", "if (n > 6 || n == 2) return -1;", "if (n > 6 || n == 1) return -1;")
        self.assertIn(undefined, said[0][2])

    def test_other_members(self):
        """One array of a structure is followed by another, and no access faults."""
        said = self.refutes(S, "int f(struct s *p, int n, int m) { REPAIR if (n > 12) return *p->next; return p->v[n]; }", """
            struct s *p = calloc(1, sizeof *p);
            for (int i = 0; i < 12; i++) p->w[i] = i;
            for (int i = 0; i < 4; i++) p->v[i] = 20 + i;
            if (a[0] < 0 || a[0] > 14) return 2;
            printf("%d\\n", f(p, a[0], 0));
            return 0;""", "13", "if (n >= 4) return -1;", "if (n >= 3) return -1;")
        self.assertIn("leaves a variable", said[0][2])

    def test_signed_overflow(self):
        said = self.refutes(S, "int f(struct s *p, int n, int m) { REPAIR if (n == 7) return *p->next; return n * m; }",
                            "struct s p = {0}; printf(\"%d\\n\", f(&p, a[0], a[1])); return 0;", "7 100000",
                            "long long all = (long long)n * m; if (n == 7 || all > 2147483647 || all < -2147483648LL) return -1;", "if (n == 7 || m == 5) return -1;")
        self.assertIn("overflows", said[0][2])

    def test_products_that_wrap(self):
        """A repair may refuse a product that does not fit: what the original does with the rest of it is not meant."""
        said = self.refutes("int f(unsigned n, unsigned size);", "int f(unsigned n, unsigned size) { REPAIR unsigned all = n * size; return 100000 / (int)all; }",
                            "if (a[1] < 3) return 3; printf(\"%d\\n\", f(a[0], a[1])); return 0;", "0 7",
                            "if (n == 0 || n > 0xffffffffu / size) return -1;", "if (n == 0 || size == 7) return -1;")
        self.assertIn("overflows", said[0][2])

    def test_guarded_loads(self):
        """What is loaded on a condition, from where another such load says, is no unknown memory: so what the original does counts."""
        item = "struct item { int id; char *name; int live; };\nint f(struct item *it, int how);\n"
        function = "int f(struct item *it, int how) { %s if (how & 1) { free(it->name); it->live = 0; } int r = it->id; if (how & 2) r += it->name[0]; return r; }"
        main = "struct item *it = malloc(sizeof *it); it->id = a[1]; it->live = 1; it->name = malloc(8); strcpy(it->name, \"abc\"); printf(\"%d\\n\", f(it, a[0])); return 0;"
        self.write("driver.c", (HEAD + item + MAIN % main).encode())
        names = []
        for name, repair in (("old", ""), ("fix", "if ((how & 3) == 3) return -1;"), ("always", "return -1;")):
            self.write(name + ".c", (HEAD + item + function % repair).encode())
            names.append(self.path(name))
            subprocess.run(["arm-linux-gnueabihf-gcc", "-g", "-O2", "-w", "-o", names[-1], names[-1] + ".c", self.path("driver.c")], check=True)
        doc = self.poc("--run-timeout", "100s", "--emulator", "qemu-arm -L /usr/arm-linux-gnueabihf", *names, "--", "3", "5", code=0)
        self.assertEqual([c["verdict"] for c in doc["candidates"]], ["not refuted", "refuted"])


if __name__ == "__main__":
    unittest.main()
