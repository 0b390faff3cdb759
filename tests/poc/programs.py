# SPDX-License-Identifier: GPL-3.0-or-later
"""Small programs that crash, and repairs of them that are right or wrong.

Each has a function, in a file of its own with a place for a repair, and a driver that reads numbers from its
arguments. `poc` is the proof of concept, `inputs` the values that each argument takes when a repair is tried out on all
inputs; which repairs are right is not said here but found out by those runs (run.py). Names of repairs begin with
how they are made: fix, value (only the input's), off (by one), much (too much is blocked), less (functionality is
gone), moved (the crash), other (the wrong variable), wraps (a product of two that are not 0 is 0), always, never."""

HEAD = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n"


class Program:
    def __init__(self, name, kind, types, function, driver, poc, inputs, repairs, flags=()):
        self.name, self.kind, self.poc, self.inputs, self.repairs, self.flags = name, kind, poc, inputs, repairs, list(flags)
        self.types, self.function, self.driver = types, function, driver
        self.aside = False

    def sources(self, repair):
        """The function and the driver, as two files."""
        main = "int main(int argc, char **argv) { int a[8] = {0}; for (int i = 1; i < argc && i < 9; i++) a[i - 1] = atoi(argv[i]); %s }\n"
        return (HEAD + self.types + "\n#define REPAIR " + repair.replace("\n", " ") + "\n" + self.function,
                HEAD + self.types + "\n" + main % self.driver)


R = range
ALL = []


def program(name, kind, types, function, driver, poc, inputs, repairs, flags=()):
    ALL.append(Program(name, kind, types, function, driver, poc, inputs, repairs, flags))


# ---- overflows of the heap ----

BOX = "struct box { unsigned size; unsigned char *item; }; int f(struct box *b, unsigned n, int v);"
BOX_MAIN = """struct box *b = malloc(sizeof *b); if (!b || a[0] < 1 || a[0] > 64) return 2; b->size = a[0]; b->item = malloc(b->size);
 memset(b->item, 0, b->size); int r = f(b, a[1], a[2]); unsigned s = 0; for (unsigned i = 0; i < b->size; i++) s = s * 7 + b->item[i]; printf("%d %u\\n", r, s); return 0;"""
BOX_FIXES = {
    "fix": "if (n > b->size) return -1;", "fix-clip": "if (n > b->size) n = b->size;",
    "value": "if (n == 12) return -1;", "off": "if (n > b->size + 1) return -1;", "much": "if (n >= b->size / 2) return -1;",
    "less": "if (n > b->size) return -1; b->item = 0; n = 0;", "other": "if ((unsigned)v > b->size) return -1;",
    "always": "return -1;", "never": "if (n > 100000) return -1;", "moved": "if (n > b->size) *(volatile int *)16 = 1;"}
program("heap-fill", "heap", BOX, "int f(struct box *b, unsigned n, int v) { REPAIR for (unsigned i = 0; i < n; i++) b->item[i] = v + i; return n; }",
        BOX_MAIN, (8, 12, 9), (R(4, 10, 2), R(0, 16), (0, 3, 9)), BOX_FIXES)
program("heap-index", "heap", BOX, "int f(struct box *b, unsigned n, int v) { REPAIR b->item[n] = v; return b->item[n] + 1; }",
        BOX_MAIN, (8, 12, 9), (R(4, 10, 2), R(0, 16), (0, 3, 9)), {
            "fix": "if (n >= b->size) return -1;", "fix-not": "if (!(n < b->size)) return -1;", "value": "if (n == 12) return -1;",
            "off": "if (n > b->size) return -1;", "much": "if (n >= b->size / 2) return -1;", "less": "if (n < 1000) return 1;",
            "other": "if ((unsigned)v >= b->size) return -1;", "always": "return -1;", "never": "if (n > 100000) return -1;",
            "moved": "if (n >= b->size) abort();"})
program("heap-copy", "heap", "struct msg { char *text; unsigned room; }; int f(struct msg *m, const char *from, int len);",
        "int f(struct msg *m, const char *from, int len) { REPAIR memcpy(m->text, from, len); return len; }",
        """struct msg *m = malloc(sizeof *m); char *from = malloc(32); for (int i = 0; i < 32; i++) from[i] = 'a' + i % 26; if (a[0] < 1 || a[0] > 32 || a[1] < 0 || a[1] > 32) return 2;
 m->room = a[0]; m->text = calloc(1, a[0]); int r = f(m, from, a[1]); int s = 0; for (int i = 0; i < a[0]; i++) s += m->text[i]; printf("%d %d\\n", r, s); return 0;""",
        (10, 17), (R(2, 14, 3), R(0, 24)), {
            "fix": "if ((unsigned)len > m->room) return -1;", "fix-clip": "if ((unsigned)len > m->room) len = m->room;",
            "value": "if (len == 17) return -1;", "off": "if ((unsigned)len > m->room + 1) return -1;", "much": "if (len > 3) return -1;",
            "less": "len = 0;", "other": "if (from[0] == 'a') len = 5;", "always": "return -1;", "never": "if (len < 0) return -1;",
            "moved": "if ((unsigned)len > m->room) abort();"})
program("heap-sum", "heap", "struct tab { int *cell; int n; int step; }; int f(struct tab *t, int from);",
        "int f(struct tab *t, int from) { REPAIR int s = 0; for (int i = 0; i < 3; i++) s += t->cell[from + i * t->step]; return s; }",
        """struct tab *t = malloc(sizeof *t); if (a[0] < 1 || a[0] > 32 || a[2] < 0 || a[2] > 9) return 2; t->n = a[0]; t->step = a[2]; t->cell = malloc(t->n * sizeof(int));
 for (int i = 0; i < t->n; i++) t->cell[i] = i * i; if (a[1] < 0) return 2; printf("%d\\n", f(t, a[1])); return 0;""",
        (8, 5, 3), ((4, 8), R(0, 10), R(0, 5)), {
            "fix": "if (from + 2 * t->step >= t->n) return -1;", "fix-each": "for (int i = 0; i < 3; i++) if (from + i * t->step >= t->n) return -1;",
            "value": "if (from == 5 && t->step == 3) return -1;", "off": "if (from + 2 * t->step > t->n) return -1;", "much": "if (from + 3 * t->step >= t->n) return -1;",
            "less": "return 0;", "other": "if (t->step >= 3) return -1;", "always": "return -1;", "never": "if (t->n < 0) return -1;",
            "moved": "if (from + 2 * t->step >= t->n) abort();"})
program("heap-string", "heap", "int f(char *to, const char *from, int room);",
        "int f(char *to, const char *from, int room) { REPAIR int i = 0; while (from[i]) { to[i] = from[i]; i++; } to[i] = 0; return i; }",
        """if (a[0] < 1 || a[0] > 20 || a[1] < 0 || a[1] > 20) return 2; char *to = malloc(a[0]), *from = malloc(a[1] + 1); memset(from, 'x', a[1]); from[a[1]] = 0; to[0] = 0;
 int r = f(to, from, a[0]); printf("%d %s\\n", r, r < 0 ? "-" : to); return 0;""",
        (6, 9), (R(1, 12, 3), R(0, 16)), {
            "fix": "if (strlen(from) >= (size_t)room) return -1;", "fix-plus": "if ((int)strlen(from) + 1 > room) return -1;", "value": "if (strlen(from) == 9) return -1;",
            "off": "if (strlen(from) > (size_t)room) return -1;", "much": "if (strlen(from) >= (size_t)room / 2) return -1;", "less": "to[0] = 0; return 0;",
            "other": "if (strlen(from) >= 9 && room > 4) return -1;", "always": "return -1;", "never": "if (room < 0) return -1;", "moved": "if (strlen(from) >= (size_t)room) abort();"})
program("heap-nested", "heap", "struct row { int n; short *v; }; struct grid { struct row *row; int rows; }; int f(struct grid *g, int y, int x);",
        "int f(struct grid *g, int y, int x) { REPAIR struct row *r = &g->row[y]; r->v[x] += 3; return r->v[x]; }",
        """if (a[0] < 1 || a[0] > 6 || a[1] < 0 || a[1] >= a[0] || a[2] < 0) return 2; struct grid *g = malloc(sizeof *g); g->rows = a[0]; g->row = malloc(a[0] * sizeof *g->row);
 for (int i = 0; i < a[0]; i++) { g->row[i].n = i + 2; g->row[i].v = calloc(i + 2, 2); for (int k = 0; k < i + 2; k++) g->row[i].v[k] = k * k; } printf("%d\\n", f(g, a[1], a[2])); return 0;""",
        (4, 1, 5), ((4,), R(0, 4), R(0, 9)), {
            "fix": "if (x >= g->row[y].n) return -1;", "fix-both": "if (y >= g->rows || x >= g->row[y].n) return -1;", "value": "if (x == 5) return -1;",
            "off": "if (x > g->row[y].n) return -1;", "much": "if (x + 1 >= g->row[y].n) return -1;", "less": "return x + 3;", "other": "if (x >= g->rows) return -1;",
            "always": "return -1;", "never": "if (x > 50000) return -1;", "moved": "if (x >= g->row[y].n) abort();"})

# ---- use after free ----

ITEM = "struct item { int id; char *name; int live; }; int f(struct item *it, int how);"
ITEM_MAIN = """struct item *it = malloc(sizeof *it); it->id = a[1]; it->live = 1; it->name = malloc(8); strcpy(it->name, "abc"); printf("%d\\n", f(it, a[0])); return 0;"""
program("freed-name", "freed", ITEM, "int f(struct item *it, int how) { REPAIR if (how & 1) { free(it->name); it->live = 0; } int r = it->id; if (how & 2) r += it->name[0]; return r; }",
        ITEM_MAIN, (3, 5), (R(0, 8), (0, 5)), {
            "fix": "if ((how & 3) == 3) return -1;", "fix-mask": "if (how & 1) how &= ~2;", "value": "if (how == 3) return -1;", "off": "if ((how & 7) == 3) return -1;",
            "much": "if (how & 2) return -1;", "less": "return it->id;", "other": "if (it->id == 5) return -1;", "always": "return -1;", "never": "if (how > 50) return -1;",
            "moved": "if ((how & 3) == 3) abort();"})
program("freed-list", "freed", "struct node { int v; struct node *next; }; int f(struct node *n, int drop);",
        "int f(struct node *n, int drop) { int s = 0; while (n) { struct node *next = n->next; REPAIR s += n->v; if (n->v == drop) free(n); if (drop > 3) s += n->v; n = next; } return s; }",
        """struct node *l = NULL; if (a[0] < 1 || a[0] > 5) return 2; for (int i = a[0]; i > 0; i--) { struct node *n = malloc(sizeof *n); n->v = i; n->next = l; l = n; } printf("%d\\n", f(l, a[1])); return 0;""",
        (5, 4), (R(1, 6), R(0, 8)), {
            "fix": "if (n->v == drop) { s += drop > 3 ? 2 * n->v : n->v; free(n); n = next; continue; }", "fix-keep": "if (drop > 3) { s += 2 * n->v; n = next; continue; }",
            "value": "if (n->v == 4 && drop == 4) { s += 8; n = next; continue; }", "off": "if (n->v == drop && drop > 4) { s += 2 * n->v; n = next; continue; }", "much": "if (drop > 2) return 0;", "less": "return 1;",
            "other": "if (s > 5) return s;", "always": "return -1;", "never": "if (drop > 90) return -1;", "moved": "if (n->v == drop && drop > 3) abort();"})
program("freed-flag", "freed", ITEM, "int f(struct item *it, int how) { char *name = it->name; if (how > 2) { free(it->name); it->name = 0; } REPAIR if (how > 4) return name[1]; return it->live; }",
        ITEM_MAIN, (7, 1), (R(0, 10), (1, 2)), {
            "fix": "if (how > 4) return -1;", "fix-null": "if (!it->name && how > 4) return -2;", "value": "if (how == 7) return -1;", "off": "if (how > 5) return -1;",
            "much": "if (how > 1) return -1;", "less": "if (how < 99) return 0;", "other": "if (it->live > 1) return -1;", "always": "return -1;", "never": "if (how > 99) return -1;",
            "moved": "if (how > 4) abort();"})

# ---- double free ----

program("double-plain", "double", "int f(char *p, int how);", "int f(char *p, int how) { int r = p[0]; if (how & 1) free(p); REPAIR if (how & 4) free(p); return r + how; }",
        "char *p = malloc(5); p[0] = a[1]; printf(\"%d\\n\", f(p, a[0])); return 0;", (5, 3), (R(0, 8), (3, 4)), {
            "fix": "if (how & 1) return r + how;", "fix-mask": "if ((how & 5) == 5) return r + how;", "value": "if (how == 5) return r + 5;", "off": "if ((how & 7) == 5) return r + how;",
            "much": "if (how & 1) return 0;", "less": "return r;", "other": "if (r == 3) return r + how;", "always": "return -1;", "never": "if (how > 77) return 0;", "moved": "if ((how & 5) == 5) abort();"})
program("double-pair", "double", "struct pair { char *x, *y; int same; }; int f(struct pair *p, int keep);",
        "int f(struct pair *p, int keep) { REPAIR if (keep < 2) free(p->x); if (keep < 5) free(p->y); return p->same + keep; }",
        "struct pair *p = malloc(sizeof *p); p->x = malloc(3); p->same = a[0] > 2; p->y = p->same ? p->x : malloc(4); printf(\"%d\\n\", f(p, a[1])); return 0;", (4, 1), ((0, 4), R(0, 8)), {
            "fix": "if (p->x == p->y && keep < 2) { free(p->x); return p->same + keep; }", "fix-null": "if (p->same && keep < 2) p->y = 0;", "value": "if (p->same && keep == 1) return 2;", "off": "if (p->same && keep < 1) return p->same + keep;",
            "much": "if (p->same) return 0;", "less": "return p->same;", "other": "if (p->same && keep == 1) p->y = 0;", "always": "return -1;", "never": "if (keep < -3) return 0;", "moved": "if (p->same && keep < 2) abort();"})

# ---- null pointers ----

program("null-list", "null", "struct node { int v; struct node *next; }; int f(struct node *n, int k);",
        "int f(struct node *n, int k) { while (k-- > 0) { REPAIR n = n->next; } if (!n) return -1; return n->v; }",
        """struct node *l = NULL; for (int i = a[0]; i > 0; i--) { struct node *n = malloc(sizeof *n); n->v = i * 3; n->next = l; l = n; } printf("%d\\n", f(l, a[1])); return 0;""",
        (3, 5), (R(0, 4), R(0, 8)), {
            "fix": "if (!n) return -1;", "fix-break": "if (!n) break;", "value": "if (!n && k == 1) return -1;", "off": "if (!n && k > 0) return -1;", "much": "if (!n || !n->next) return -1;",
            "less": "return -1;", "other": "if (k > 3) return -1;", "always": "return -2;", "never": "if (k > 100) return -1;", "moved": "if (!n) abort();"})
program("null-lookup", "null", "struct ent { int key, val; }; struct dict { struct ent *e; int n; int dflt; }; int f(struct dict *d, int key);",
        "int f(struct dict *d, int key) { struct ent *hit = NULL; for (int i = 0; i < d->n; i++) if (d->e[i].key == key) hit = &d->e[i]; REPAIR return hit->val; }",
        """struct dict *d = malloc(sizeof *d); d->n = 4; d->dflt = 77; d->e = malloc(4 * sizeof *d->e); for (int i = 0; i < 4; i++) { d->e[i].key = i * 3; d->e[i].val = 50 + i; } printf("%d\\n", f(d, a[0])); return 0;""",
        (7,), (R(-2, 14),), {
            "fix": "if (!hit) return d->dflt;", "fix-err": "if (hit == NULL) return -1;", "value": "if (key == 7) return -1;", "off": "if (!hit && key > 1) return -1;", "much": "if (!hit || key > 5) return -1;",
            "less": "return d->dflt;", "other": "if (d->n < 4) return -1;", "always": "return -1;", "never": "if (key > 1000) return -1;", "moved": "if (!hit) abort();"})
program("null-optional", "null", "struct opt { int *level; int base; }; int f(struct opt *o, int mode);",
        "int f(struct opt *o, int mode) { REPAIR if (mode > 3) o->level = NULL; return o->base + *o->level * mode; }",
        "struct opt *o = malloc(sizeof *o); int *l = malloc(sizeof *l); *l = a[1]; o->level = l; o->base = 10; printf(\"%d\\n\", f(o, a[0])); return 0;", (6, 2), (R(0, 10), (2, 5)), {
            "fix": "if (mode > 3) return o->base;", "fix-clip": "if (mode > 3) mode = 3;", "value": "if (mode == 6) return o->base;", "off": "if (mode > 4) return o->base;", "much": "if (mode > 1) return o->base;",
            "less": "return o->base;", "other": "if (o->base > 10) return o->base;", "always": "return -1;", "never": "if (mode > 1000) return 0;", "moved": "if (mode > 3) abort();"})

# ---- assertions ----

program("assert-range", "assertion", "struct win { int low, high; }; int f(struct win *w, int x);",
        "int f(struct win *w, int x) { REPAIR assert(x >= w->low && x < w->high); return (x - w->low) * 2; }",
        "struct win *w = malloc(sizeof *w); w->low = a[0]; w->high = a[0] + 10; printf(\"%d\\n\", f(w, a[1])); return 0;", (5, 20), ((0, 5), R(-2, 24, 1)), {
            "fix": "if (x < w->low || x >= w->high) return -1;", "fix-unsigned": "if ((unsigned)(x - w->low) >= (unsigned)(w->high - w->low)) return -1;", "value": "if (x == 20) return -1;",
            "off": "if (x < w->low || x > w->high) return -1;", "much": "if (x < w->low || x + 4 >= w->high) return -1;", "less": "return 0;", "other": "if (x >= w->high) return -1;",
            "always": "return -1;", "never": "if (x > 99999) return -1;", "moved": "if (x >= w->high) *(volatile int *)8 = 1;"})
program("assert-state", "assertion", "struct st { int mode, depth; }; int f(struct st *s, int op);",
        "int f(struct st *s, int op) { REPAIR if (op == 1) s->depth++; if (op == 2) s->depth--; assert(s->depth >= 0); return s->mode * 10 + s->depth; }",
        "struct st *s = malloc(sizeof *s); s->mode = 2; s->depth = a[0]; if (a[0] < 0) return 2; printf(\"%d\\n\", f(s, a[1])); return 0;", (0, 2), (R(0, 4), R(0, 4)), {
            "fix": "if (op == 2 && s->depth == 0) return -1;", "fix-le": "if (op == 2 && s->depth <= 0) return -1;", "value": "if (op == 2 && s->depth == 0 && s->mode == 2) return -1;", "off": "if (op == 2 && s->depth <= 1) return -1;",
            "much": "if (op == 2) return -1;", "less": "op = 0;", "other": "if (s->mode == 2) return -1;", "always": "return -1;", "never": "if (op > 44) return -1;", "moved": "if (op == 2 && s->depth == 0) abort();"})
program("abort-tag", "assertion", "int f(const unsigned char *p, int n);",
        "int f(const unsigned char *p, int n) { int s = 0; for (int i = 0; i < n; i++) { REPAIR if (p[i] > 200) abort(); s += p[i]; } return s; }",
        "unsigned char *p = malloc(4); for (int i = 0; i < 4; i++) p[i] = a[i]; printf(\"%d\\n\", f(p, 4)); return 0;", (10, 20, 250, 7), ((0, 210), (3, 201), (9, 200, 250), (7, 255)), {
            "fix": "if (p[i] > 200) return -1;", "fix-skip": "if (p[i] > 200) continue;", "value": "if (p[i] == 250) return -1;", "off": "if (p[i] > 201) return -1;", "much": "if (p[i] > 8) return -1;",
            "less": "return 0;", "other": "if (p[0] > 200) return -1;", "always": "return -1;", "never": "if (p[i] == 255 && i == 9) return -1;", "moved": "if (p[i] > 200) *(volatile int *)8 = 1;"})

# ---- integer overflow into an allocation ----

program("alloc-mul", "integer", "int f(unsigned char *out, unsigned n, unsigned per);",
        "int f(unsigned char *out, unsigned n, unsigned per) { REPAIR unsigned char size = n * per; unsigned char *p = malloc(size); for (unsigned i = 0; i < n; i++) p[i * per] = i; out[0] = n ? p[0] : 0; int r = n ? p[(n - 1) * per] : 0; free(p); return r; }",
        "unsigned char *o = malloc(2); if (a[0] < 0 || a[1] < 1) return 2; printf(\"%d\\n\", f(o, a[0], a[1])); return 0;", (20, 15), (R(0, 41, 4), (1, 5, 15, 16)), {
            "fix": "if (n && (n - 1ull) * per >= (n * per & 255)) return -1;", "fix-div": "unsigned room = n * per & 255; if (n && (!room || n - 1 > (room - 1) / per)) return -1;", "value": "if (n == 20 && per == 15) return -1;", "off": "if (n * per > 256) return -1;",
            "much": "if (n * per > 30) return -1;", "less": "return 0;", "other": "if (n > 17) return -1;", "always": "return -1;", "never": "if (n > 77777) return -1;", "moved": "if (n * per > 255) abort();"})
program("alloc-add", "integer", "int f(const char *s, unsigned char len);",
        "int f(const char *s, unsigned char len) { REPAIR unsigned char room = len + 2; char *p = malloc(room); for (int i = 0; i < 3; i++) p[i] = s[i]; p[len] = 0; int r = p[0] + p[1]; free(p); return r; }",
        "char *s = malloc(8); memcpy(s, \"abcdefg\", 8); if (a[0] < 1 || a[0] > 255) return 2; printf(\"%d\\n\", f(s, a[0])); return 0;", (255,), ((1, 2, 3, 17, 100, 200, 252, 253, 254, 255),), {
            "fix": "if (len > 253) return -1;", "fix-int": "if ((int)len + 2 > 255) return -1;", "value": "if (len == 255) return -1;", "off": "if (len > 254) return -1;", "much": "if (len > 99) return -1;", "less": "return 0;",
            "other": "if (s[0] == 'a') return -1;", "always": "return -1;", "never": "if (s[0] == 0) return -1;", "moved": "if (len > 253) abort();"})

# ---- the stack: the protector says so when the function returns ----

program("stack-fill", "stack", "int f(const char *s, int n);",
        "int f(const char *s, int n) { char b[16]; memset(b, 0, sizeof b); REPAIR for (int i = 0; i < n; i++) b[i] = s[i]; unsigned r = 0; for (int i = 0; i < 16; i++) r = r * 3 + b[i]; return r; }",
        "char *s = malloc(64); memset(s, 'k', 64); if (a[0] < 0 || a[0] > 60) return 2; printf(\"%d\\n\", f(s, a[0])); return 0;", (40,), (R(0, 48),), {
            "fix": "if (n > 16) return -1;", "fix-clip": "if (n > (int)sizeof b) n = sizeof b;", "value": "if (n == 40) return -1;", "off": "if (n > 41) n = 0;", "much": "if (n > 3) return -1;", "less": "n = 0;",
            "other": "if (s[0] == 'k') return -1;", "always": "return -1;", "never": "if (n > 1000) return -1;", "moved": "if (n > 16) abort();"}, ["-fstack-protector-all"])
program("stack-digits", "stack", "int f(int n);",
        "int f(int n) { char b[8]; memset(b, '0', sizeof b); REPAIR int i = 0; do { b[i++] = '0' + n % 2; n /= 2; } while (n); int r = i; for (int k = 0; k < 8; k++) r = r * 2 + b[k]; return r; }",
        "if (a[0] < 0) return 2; printf(\"%d\\n\", f(a[0])); return 0;", (1 << 29,), ((0, 1, 5, 127, 128, 255, 256, 65535, 1 << 24, 1 << 29),), {
            "fix": "if (n > 255) return -1;", "fix-shift": "if (n >> 8) return -1;", "value": "if (n == 1 << 29) return -1;", "off": "if (n > (1 << 29) - 1) return -1;", "much": "if (n > 100) return -1;", "less": "n = 0;",
            "other": "if (n % 2 == 0) return -1;", "always": "return -1;", "never": "if (n < 0) return -1;", "moved": "if (n > 255) abort();"}, ["-fstack-protector-all"])

# ---- division: a trap on x86 only ----

program("division-mean", "division", "struct acc { int sum, n; }; int f(struct acc *c, int drop);",
        "int f(struct acc *c, int drop) { REPAIR return c->sum / (c->n - drop); }",
        "struct acc *c = malloc(sizeof *c); c->sum = a[0]; c->n = a[1]; printf(\"%d\\n\", f(c, a[2])); return 0;", (50, 3, 3), ((0, 50), R(0, 5), R(0, 5)), {
            "fix": "if (c->n == drop) return 0;", "fix-minus": "if (c->n - drop == 0) return -1;", "value": "if (c->n == 3 && drop == 3) return 0;", "off": "if (c->n - drop == 1) return 0;", "much": "if (c->n <= drop) return 0;",
            "less": "return c->sum;", "other": "if (drop == 3) return 0;", "always": "return -1;", "never": "if (c->n < -50) return 0;", "moved": "if (c->n == drop) abort();"})
program("division-scale", "division", "int f(int x, int y);",
        "int f(int x, int y) { int d = (x & 3) - (y & 3); REPAIR return 100 % d + x / 2; }",
        "printf(\"%d\\n\", f(a[0], a[1])); return 0;", (6, 2), (R(0, 8), R(0, 8)), {
            "fix": "if (d == 0) return 0;", "fix-not": "if (!d) return -1;", "value": "if (x == 6 && y == 2) return 0;", "off": "if (d == 0 && x != y) return 0;", "much": "if (d <= 0) return 0;", "less": "return x / 2;",
            "other": "if (x == y + 4) return 0;", "always": "return -1;", "never": "if (x > 99999) return 0;", "moved": "if (d == 0) abort();"})

# ---- global variables: nothing traps, checks find them. What follows was written after the rest; every second program was
# put aside, to be asked only when nothing was changed any more ----

TABLE = "extern int table[8], other[8]; int f(int n, int v);"
TABLE_MAIN = "printf(\"%d\", f(a[0], a[1])); int s = 0; for (int i = 0; i < 8; i++) s = s * 3 + table[i]; printf(\" %d\\n\", s); return 0;"
TABLE_DATA = "int other[8] = {5, 4, 3}; int table[8] = {1, 2, 3, 4, 5, 6, 7, 8}; int behind[64] = {1};\n"
program("global-index", "global", TABLE, TABLE_DATA + "int f(int n, int v) { REPAIR table[n] = v; return table[0] + other[v & 7] + behind[v & 7]; }",
        TABLE_MAIN, (12, 5), (R(0, 20), (0, 3, 5)), {
            "fix": "if (n < 0 || n > 7) return -1;", "fix-unsigned": "if ((unsigned)n >= 8) return -1;", "value": "if (n == 12) return -1;", "off": "if (n < 0 || n > 8) return -1;",
            "much": "if (n > 1) return -1;", "less": "if (n >= 0) return 1;", "other": "if (v > 4) return -1;", "always": "return -1;", "never": "if (n > 5000) return -1;", "moved": "if (n > 7) abort();"})
program("global-fill", "global", TABLE, TABLE_DATA + "int f(int n, int v) { REPAIR for (int i = 0; i < n; i++) table[i] = v + i; return table[3] + other[v & 7] + behind[v & 7]; }",
        TABLE_MAIN, (12, 5), (R(0, 20), (0, 3, 5)), {
            "fix": "if (n > 8) return -1;", "fix-clip": "if (n > 8) n = 8;", "value": "if (n == 12) return -1;", "off": "if (n > 9) return -1;",
            "much": "if (n > 2) return -1;", "less": "n = 0;", "other": "if (v > 4) return -1;", "always": "return -1;", "never": "if (n > 5000) return -1;", "moved": "if (n > 8) abort();"})
program("global-read", "global", TABLE, TABLE_DATA + "int f(int n, int v) { REPAIR int s = 0; for (int i = 0; i < 3; i++) s += table[n + i] * v; return s + other[0] + behind[1]; }",
        TABLE_MAIN, (7, 5), (R(0, 12), (1, 3, 5)), {
            "fix": "if (n < 0 || n > 5) return -1;", "fix-sum": "if (n < 0 || n + 2 >= 8) return -1;", "value": "if (n == 7) return -1;", "off": "if (n < 0 || n > 6) return -1;",
            "much": "if (n > 1) return -1;", "less": "return other[0];", "other": "if (v == 5) return -1;", "always": "return -1;", "never": "if (v > 5000) return -1;", "moved": "if (n > 5) abort();"})
program("global-state", "global", TABLE, TABLE_DATA + "static int top = 0; int f(int n, int v) { int r = 0; for (int k = 0; k < n; k++) { REPAIR table[top++] = v; r += top; } return r + other[2] + behind[3]; }",
        TABLE_MAIN, (11, 5), (R(0, 16), (3, 5)), {
            "fix": "if (top >= 8) return -1;", "fix-break": "if (top > 7) break;", "value": "if (n == 11) return -1;", "off": "if (top > 8) return -1;",
            "much": "if (top >= 2) return -1;", "less": "return 0;", "other": "if (k > 8) return -1;", "always": "return -1;", "never": "if (top < 0) return -1;", "moved": "if (top >= 8) abort();"})

# ---- the stack, without the protector ----

program("stack-index", "stack", "int f(int n, int v);", "int f(int n, int v) { int b[6] = {1, 2, 3, 4, 5, 6}; REPAIR b[n] = v; int r = 0; for (int i = 0; i < 6; i++) r = r * 5 + b[i]; return r; }",
        "printf(\"%d\\n\", f(a[0], a[1])); return 0;", (7, 4), (R(0, 12), (0, 4)), {
            "fix": "if (n < 0 || n > 5) return -1;", "fix-unsigned": "if ((unsigned)n >= 6u) return -1;", "value": "if (n == 7) return -1;", "off": "if (n < 0 || n > 6) return -1;",
            "much": "if (n > 1) return -1;", "less": "n = 0;", "other": "if (v == 4) return -1;", "always": "return -1;", "never": "if (n > 5000) return -1;", "moved": "if (n > 5) abort();"}, ["-fno-stack-protector"])
program("stack-pairs", "stack", "int f(const int *p, int n);", "int f(const int *p, int n) { int x[4] = {0}; REPAIR for (int i = 0; i + 1 < n; i += 2) x[i / 2] = p[i] * p[i + 1]; return x[0] + x[1] * 2 + x[2] * 3 + x[3] * 4; }",
        "int *p = malloc(64); for (int i = 0; i < 16; i++) p[i] = i + a[1]; if (a[0] < 0 || a[0] > 16) return 2; printf(\"%d\\n\", f(p, a[0])); return 0;", (12, 1), (R(0, 17), (1, 2)), {
            "fix": "if (n > 9) return -1;", "fix-clip": "if (n > 8) n = 8;", "value": "if (n == 12) return -1;", "off": "if (n > 10) return -1;",
            "much": "if (n > 3) return -1;", "less": "return 0;", "other": "if (p[0] == 1) return -1;", "always": "return -1;", "never": "if (n > 5000) return -1;", "moved": "if (n > 9) abort();"}, ["-fno-stack-protector"])

# ---- division ----

program("division-ratio", "division", "struct r { int num, den; }; int f(struct r *x, struct r *y);", "int f(struct r *x, struct r *y) { int d = (int)((unsigned)x->den * (unsigned)y->den); REPAIR return x->num * 100 / d; }",
        "struct r *x = malloc(sizeof *x), *y = malloc(sizeof *y); x->num = a[0]; x->den = a[1]; y->num = 1; y->den = a[2]; printf(\"%d\\n\", f(x, y)); return 0;", (7, 4, 0), ((7, 9), (0, 1, 2, 3, 4, 65536), (0, 1, 2, 3, 4, 65536)), {
            "fix": "if (d == 0) return -1;", "wraps": "if (!x->den || !y->den) return -1;", "value": "if (x->den == 4 && y->den == 0) return -1;", "off": "if (!x->den) return -1;",
            "much": "if (x->den < 3 || y->den < 3) return -1;", "less": "return 0;", "other": "if (x->num == 7) return -1;", "always": "return -1;", "never": "if (x->num < -9) return -1;", "moved": "if (d == 0) abort();"})
program("division-loop", "division", "int f(const int *p, int n);", "int f(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { REPAIR s += 60 / p[i]; } return s; }",
        "int *p = malloc(12); for (int i = 0; i < 3; i++) p[i] = a[i]; printf(\"%d\\n\", f(p, 3)); return 0;", (2, 0, 5), (R(0, 3), R(0, 3), (0, 5)), {
            "fix": "if (p[i] == 0) return -1;", "fix-skip": "if (!p[i]) continue;", "value": "if (p[i] == 0 && i == 1) return -1;", "off": "if (p[i] == 1) return -1;",
            "much": "if (p[i] < 2) return -1;", "less": "return 0;", "other": "if (p[0] == 2) return -1;", "always": "return -1;", "never": "if (n > 9) return -1;", "moved": "if (p[i] == 0) abort();"})

# ---- the rest ----

program("alloc-pad", "integer", "int f(const char *s, unsigned char len, unsigned char pad);",
        "int f(const char *s, unsigned char len, unsigned char pad) { REPAIR unsigned char room = len + pad; char *p = malloc(room); for (int i = 0; i < pad; i++) p[len + i] = s[i & 7]; int r = pad ? p[len] : 0; free(p); return r; }",
        "char *s = malloc(8); memcpy(s, \"abcdefg\", 8); if (a[0] < 0 || a[0] > 255 || a[1] < 0 || a[1] > 15) return 2; printf(\"%d\\n\", f(s, a[0], a[1])); return 0;", (250, 9), ((0, 9, 100, 240, 246, 250, 255), R(0, 12, 3)), {
            "fix": "if (len + pad > 255) return -1;", "fix-rest": "if (pad > 255 - len) return -1;", "value": "if (len == 250) return -1;", "off": "if (len + pad > 256) return -1;", "much": "if (len > 90) return -1;", "less": "return 0;",
            "other": "if (pad > 8) return -1;", "always": "return -1;", "never": "if (s[0] == 0) return -1;", "moved": "if (len + pad > 255) abort();"})
program("freed-cache", "freed", "struct c { char *last; int hits; }; int f(struct c *c, char *p, int how);",
        "int f(struct c *c, char *p, int how) { if (how & 1) c->last = p; if (how & 2) free(p); REPAIR if (how & 4) return c->last[0]; return c->hits; }",
        "struct c *c = malloc(sizeof *c); char *p = malloc(4), *q = malloc(4); p[0] = 3; q[0] = 4; c->last = q; c->hits = a[1]; printf(\"%d\\n\", f(c, p, a[0])); return 0;", (7, 2), (R(0, 8), (2, 5)), {
            "fix": "if ((how & 3) == 3) c->last = 0; if (!c->last) return -1;", "fix-mask": "if ((how & 7) == 7) return -1;", "value": "if (how == 7 && c->hits == 2) return -1;", "off": "if ((how & 15) == 7 && c->hits < 5) return -1;", "much": "if (how & 4) return -1;", "less": "return c->hits;",
            "other": "if (c->hits == 2) return -1;", "always": "return -1;", "never": "if (how > 900) return -1;", "moved": "if ((how & 7) == 7) abort();"})
program("double-list", "double", "struct n { struct n *next; int tag; }; int f(struct n *l, int tag);",
        "int f(struct n *l, int tag) { int k = 0; for (struct n *n = l; n;) { struct n *next = n->next; if (n->tag == tag) { free(n); k++; REPAIR if (tag == 2) free(n); } n = next; } return k; }",
        "struct n *l = 0; for (int i = 3; i > 0; i--) { struct n *n = malloc(sizeof *n); n->tag = a[i - 1]; n->next = l; l = n; } printf(\"%d\\n\", f(l, a[3])); return 0;", (1, 2, 3, 2), ((1, 2), (2, 3), (3,), R(0, 5)), {
            "fix": "n = next; continue;", "fix-tag": "if (tag == 2) { n = next; continue; }", "value": "if (n == l->next) { n = next; continue; }", "off": "if (tag == 3) { n = next; continue; }", "much": "if (tag > 0) return 0;", "less": "return 0;",
            "other": "if (k > 1) { n = next; continue; }", "always": "return -1;", "never": "if (tag > 77) return 0;", "moved": "if (tag == 2) abort();"})
program("null-tree", "null", "struct t { struct t *l, *r; int v; }; int f(struct t *t, int path);",
        "int f(struct t *t, int path) { for (int i = 0; i < 3; i++) { REPAIR t = path >> i & 1 ? t->r : t->l; } return t ? t->v : -5; }",
        "struct t *n[7]; for (int i = 6; i >= 0; i--) { n[i] = malloc(sizeof *n[i]); n[i]->v = i + a[1]; n[i]->l = 2 * i + 1 < 7 && i != 2 ? n[2 * i + 1] : 0; n[i]->r = 2 * i + 2 < 7 && i != 2 ? n[2 * i + 2] : 0; } printf(\"%d\\n\", f(n[0], a[0])); return 0;",
        (1, 3), (R(0, 8), (3, 4)), {
            "fix": "if (!t) return -1;", "fix-break": "if (!t) break;", "value": "if (!t && path == 1) return -1;", "off": "if (!t && i < 2) return -1;", "much": "if (path & 1) return -1;", "less": "return 0;", "other": "if (path > 4) return -1;",
            "always": "return -1;", "never": "if (path > 77) return -1;", "moved": "if (!t) abort();"})
program("null-pair", "null", "struct s { int *a, *b; int n; }; int f(struct s *s, int k);",
        "int f(struct s *s, int k) { REPAIR int *p = k < s->n ? s->a : s->b; return *p + k; }",
        "struct s *s = malloc(sizeof *s); s->a = malloc(4); *s->a = 9; s->b = 0; s->n = a[0]; printf(\"%d\\n\", f(s, a[1])); return 0;", (4, 6), ((2, 4), R(0, 8)), {
            "fix": "if (k >= s->n && !s->b) return -1;", "fix-late": "if (!(k < s->n ? s->a : s->b)) return -1;", "value": "if (k == 6) return -1;", "off": "if (k > s->n && !s->b) return -1;", "much": "if (k + 1 >= s->n) return -1;", "less": "return 0;",
            "other": "if (s->n > 3) return -1;", "always": "return -1;", "never": "if (!s->a) return -1;", "moved": "if (k >= s->n) abort();"})
program("assert-sorted", "assertion", "int f(int *p, int x);", "int f(int *p, int x) { REPAIR p[1] = x; assert(p[0] <= p[1] && p[1] <= p[2]); return p[2] - p[1]; }",
        "int *p = malloc(12); p[0] = a[0]; p[1] = a[0]; p[2] = a[0] + 4; printf(\"%d\\n\", f(p, a[1])); return 0;", (3, 9), ((0, 3), R(-2, 10)), {
            "fix": "if (x < p[0] || x > p[2]) return -1;", "fix-clip": "if (x < p[0]) x = p[0]; if (x > p[2]) x = p[2];", "value": "if (x == 9) return -1;", "off": "if (x < p[0] || x > p[2] + 1) return -1;", "much": "if (x <= p[0] || x >= p[2]) return -1;", "less": "x = p[1];",
            "other": "if (p[0] > 2) return -1;", "always": "return -1;", "never": "if (x > 7777) return -1;", "moved": "if (x < p[0] || x > p[2]) *(volatile int *)8 = 1;"})
program("assert-sum", "assertion", "struct q { unsigned head, tail, cap; }; int f(struct q *q, unsigned n);", "int f(struct q *q, unsigned n) { REPAIR q->tail += n; assert(q->tail - q->head <= q->cap); return q->cap - (q->tail - q->head); }",
        "struct q *q = malloc(sizeof *q); q->head = 2; q->tail = 2 + a[0]; q->cap = 6; if (a[0] < 0 || a[0] > 6 || a[1] < 0) return 2; printf(\"%d\\n\", f(q, a[1])); return 0;", (3, 5), (R(0, 7), R(0, 8)), {
            "fix": "if (n > q->cap - (q->tail - q->head)) return -1;", "fix-sum": "if (q->tail - q->head + n > q->cap) return -1;", "value": "if (n == 5) return -1;", "off": "if (q->tail - q->head + n > q->cap + 1) return -1;", "much": "if (q->tail - q->head + n >= q->cap) return -1;", "less": "n = 0;",
            "other": "if (n > q->head) return -1;", "always": "return -1;", "never": "if (n > 7777) return -1;", "moved": "if (q->tail - q->head + n > q->cap) *(volatile int *)8 = 1;"})
program("heap-matrix", "heap", "struct m { int w, h; int *v; }; int f(struct m *m, int x, int y);", "int f(struct m *m, int x, int y) { REPAIR m->v[y * m->w + x] = 7; return m->v[0]; }",
        "struct m *m = malloc(sizeof *m); if (a[0] < 1 || a[0] > 5 || a[1] < 0 || a[2] < 0) return 2; m->w = a[0]; m->h = 3; m->v = calloc(m->w * 3, 4); int r = f(m, a[1], a[2]); int s = 0; for (int i = 0; i < m->w * 3; i++) s = s * 3 + m->v[i]; printf(\"%d %d\\n\", r, s); return 0;",
        (3, 2, 4), ((3, 4), R(0, 5), R(0, 5)), {
            "fix": "if (y * m->w + x >= m->w * m->h || y * m->w + x < 0) return -1;", "fix-rows": "if ((unsigned)(y * m->w + x) >= (unsigned)(m->w * m->h)) return -1;", "value": "if (y == 4) return -1;", "off": "if (y > m->h) return -1;", "much": "if (y > 0) return -1;", "less": "return 0;",
            "other": "if (x >= m->w) return -1;", "always": "return -1;", "never": "if (y > 7777) return -1;", "moved": "if (y >= m->h) abort();"})
program("heap-concat", "heap", "struct b { char *p; int len, cap; }; int f(struct b *b, const char *s, int n);", "int f(struct b *b, const char *s, int n) { REPAIR for (int i = 0; i < n; i++) b->p[b->len + i] = s[i]; b->len += n; return b->len; }",
        "struct b *b = malloc(sizeof *b); if (a[0] < 0 || a[0] > 8 || a[1] < 0 || a[1] > 12) return 2; b->cap = 8; b->len = a[0]; b->p = malloc(8); memset(b->p, 'x', 8); char *s = malloc(12); memset(s, 'y', 12); int r = f(b, s, a[1]); int t = 0; for (int i = 0; i < 8; i++) t = t * 3 + b->p[i]; printf(\"%d %d\\n\", r, t); return 0;",
        (5, 6), (R(0, 9), R(0, 12)), {
            "fix": "if (b->len + n > b->cap) return -1;", "fix-rest": "if (n > b->cap - b->len) return -1;", "value": "if (b->len == 5 && n == 6) return -1;", "off": "if (b->len + n > b->cap + 1) return -1;", "much": "if (b->len + n > 2) return -1;", "less": "n = 0;",
            "other": "if (n > b->cap) return -1;", "always": "return -1;", "never": "if (n > 7777) return -1;", "moved": "if (b->len + n > b->cap) abort();"})

NEW = ALL[23:]
for i, p in enumerate(NEW):
    p.aside = i % 2 == 1


# ---- refactorings: other ways to write a repair ----

def conditions(repair):
    """The conditions of the repair's ifs: where each begins and ends."""
    at = 0
    while (at := repair.find("if (", at)) >= 0:
        depth, end = 0, at + 3
        while True:
            depth += {"(": 1, ")": -1}.get(repair[end], 0)
            if depth == 0:
                break
            end += 1
        yield at, end + 1
        at = end


def refactorings(repair):
    """Repairs that do the same."""
    found = list(conditions(repair))
    if not found:
        return []
    begin, end = found[0]
    cond, rest = repair[begin + 3:end], repair[end:]
    before = repair[:begin]
    return [before + form % cond + rest for form in (
        "if (!%s) ; else", "if (%s ? 1 : 0)", "if (!!%s)", "if (({ int holds_ = %s != 0; holds_; }))", "if (({ volatile int holds_ = %s != 0; holds_; }))",
        "if (__builtin_expect(%s != 0, 0))", "if (__builtin_expect(%s != 0, 1))", "if (({ int fails_ = %s == 0; __asm__ volatile (\"\" : \"+r\" (fails_)); !fails_; }))")]
