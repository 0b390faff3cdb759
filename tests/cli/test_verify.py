# SPDX-License-Identifier: GPL-3.0-or-later
"""assay verify: verdicts, what a person can tell it, its reports, and what is no input for it."""
import pty
import re
import select
import shutil
import signal
import subprocess

from common import *

BASE = """
extern void note(const char *text, int n);
extern void fail(int n);
int total;
int same(int n) { return n * 7 + 1; }
int put(int *to, int n)
{
    if (n < 0)
        return -1;
    *to = n * 3;
    note("put", n - 7);
    return 0;
}
"""
CHECK = ("if (n < 0)", "if (n < 0 || n > 1000)")  # rejects more: safe
NO_CHECK = ("    if (n < 0)\n        return -1;\n", "")  # P1
WRITE = ("n * 3", "n * 5")  # P2
RESULT = ("return 0;", "return 9;")  # P3
ARGUMENT = ("n - 7", "n + 2")  # P4
TEXT = ('"put"', '"set"')  # P4, in what is pointed to
MOVED = ("int total;", "int total;\nint before(int n) { return n + 4; }")  # everything lies elsewhere

# What no machine code says is assumed: target, the old version, the new one. Both are of
# int f(int *p, int n) { if (...) return -5; *p = 1; return 0; }
ASSUMED = {
    "result, of which the new version clears the upper half":
        ("x86_64-linux-gnu", "push %rbx; mov %rdi, %rbx; call g@plt; test %eax, %eax; jne 1f; movl $1, (%rbx); pop %rbx; ret; 1: mov $-5, %eax; pop %rbx; ret",
         "push %rbx; mov %rdi, %rbx; call g@plt; mov %eax, %ecx; test %eax, %eax; jne 1f; movl $1, (%rbx); jmp 2f; 1: mov $-5, %ecx; 2: mov %ecx, %eax; pop %rbx; ret"),
    "padding of a frame, taken off the stack into a register that could be part of a result":
        ("x86_64-linux-gnu", "test %esi, %esi; jne 1f; movl $1, (%rdi); xor %eax, %eax; ret; 1: mov $-5, %eax; ret",
         "push %r8; test %esi, %esi; jne 1f; movl $1, (%rdi); xor %eax, %eax; jmp 2f; 1: mov $-5, %eax; 2: pop %rdx; ret"),
    "parameters on the stack, read before or behind a call that is given a local":
        ("i686-linux-gnu", "sub $28, %esp; lea 12(%esp), %eax; movl $0, 12(%esp); mov %eax, (%esp); call g; test %eax, %eax; jne 1f; mov 32(%esp), %edx; movl $1, (%edx);"
                           "xor %eax, %eax; add $28, %esp; ret; 1: mov $-5, %eax; add $28, %esp; ret",
         "push %ebx; sub $24, %esp; mov 32(%esp), %ebx; lea 8(%esp), %eax; movl $0, 8(%esp); mov %eax, (%esp); call g; test %eax, %eax; jne 1f; movl $1, (%ebx);"
         "xor %eax, %eax; add $24, %esp; pop %ebx; ret; 1: mov $-5, %eax; add $24, %esp; pop %ebx; ret"),
    "a register that a callee left on some way to the call":
        ("x86_64-linux-gnu", "push %rbx; mov %rdi, %rbx; cmpl $0, (%rdi); je 1f; call g@plt; mov %eax, (%rbx); jmp 2f; 1: mov 8(%rbx), %edx; mov %edx, 12(%rbx);"
                             "2: mov %rbx, %rdi; call h@plt; xor %eax, %eax; pop %rbx; ret",
         "push %rbx; mov %rdi, %rbx; cmpl $0, (%rdi); je 1f; call g@plt; mov %eax, (%rbx); jmp 2f; 1: mov 8(%rbx), %ecx; mov %ecx, 12(%rbx);"
         "2: mov %rbx, %rdi; call h@plt; xor %eax, %eax; pop %rbx; ret"),
    "a register whose value is used up, in code that is not optimised":
        ("x86_64-linux-gnu", "push %rbp; mov %rsp, %rbp; sub $16, %rsp; mov %rdi, -8(%rbp); mov %rsi, -16(%rbp); mov -8(%rbp), %rax; mov 4(%rax), %eax; lea 1(%rax), %edx;"
                             "mov -8(%rbp), %rax; mov %edx, 4(%rax); mov -16(%rbp), %rsi; mov -8(%rbp), %rdi; call g; xor %eax, %eax; leave; ret",
         "sub $8, %rsp; incl 4(%rdi); call g; xor %eax, %eax; add $8, %rsp; ret"),
    "words of the stack where a local is":
        ("x86_64-linux-gnu", "sub $24, %rsp; mov %rsi, (%rsp); mov %rdi, 8(%rsp); call g; mov (%rsp), %rax; mov 8(%rsp), %rdi; mov %rax, (%rdi); xor %eax, %eax; add $24, %rsp; ret",
         "push %rbx; push %rbp; sub $8, %rsp; mov %rsi, %rbx; mov %rdi, %rbp; call g; mov %rbx, (%rbp); xor %eax, %eax; add $8, %rsp; pop %rbp; pop %rbx; ret"),
    "a parameter that is saved along with the return address":
        ("arm-linux-gnueabihf", "push {r3, r4, r5, lr}; mov r4, r0; mov r5, r2; mov r0, r3; bl g; str r5, [r4]; mov r0, #0; pop {r3, r4, r5, pc}",
         "push {r4, r5, r6, lr}; mov r5, r0; mov r6, r2; cmp r2, #9; bhi 1f; mov r0, r3; bl g; str r6, [r5]; mov r0, #0; pop {r4, r5, r6, pc};"
         "1: mvn r0, #0; pop {r4, r5, r6, pc}"),
    "a parameter that is not used, in code that is not optimised":
        ("arm-linux-gnueabihf", "push {fp, lr}; sub sp, sp, #24; str r0, [sp, #16]; str r1, [sp, #12]; str r2, [sp, #8]; ldr r0, [sp, #8]; ldr r1, [sp, #16]; str r0, [r1];"
                                "ldr r0, [sp, #8]; bl g; mov r0, #0; add sp, sp, #24; pop {fp, pc}",
         "push {fp, lr}; sub sp, sp, #24; str r0, [sp, #16]; str r1, [sp, #12]; str r2, [sp, #8]; ldr r0, [sp, #8]; ldr r1, [sp, #12]; cmp r0, r1; bhi 1f; ldr r0, [sp, #8];"
         "ldr r1, [sp, #16]; str r0, [r1]; ldr r0, [sp, #8]; bl g; mov r0, #0; add sp, sp, #24; pop {fp, pc}; 1: mvn r0, #0; add sp, sp, #24; pop {fp, pc}"),
    "a result's place, used up in code that is not optimised":
        ("x86_64-linux-gnu", "push %rbp; mov %rsp, %rbp; sub $16, %rsp; mov %rdi, -8(%rbp); mov %rsi, -16(%rbp); mov -8(%rbp), %rax; mov 4(%rax), %edx;"
                             "mov -16(%rbp), %rax; mov %edx, %esi; mov %rax, %rdi; call g@plt; xor %eax, %eax; leave; ret",
         "sub $8, %rsp; mov %rdi, %rax; mov %rsi, %rdi; mov 4(%rax), %esi; call g@plt; xor %eax, %eax; add $8, %rsp; ret"),
    "the upper half of a product that is checked":
        ("x86_64-linux-gnu", "sub $8, %rsp; mov %rdx, %rax; imul %rsi, %rax; mov %rax, %rdi; call g@plt; xor %eax, %eax; add $8, %rsp; ret",
         "sub $8, %rsp; mov %rdx, %rax; mul %rsi; jo 1f; mov %rax, %rdi; call g@plt; xor %eax, %eax; add $8, %rsp; ret; 1: mov $-5, %eax; add $8, %rsp; ret"),
    "the lower half of a product that is checked, computed again for the callee":
        ("arm-linux-gnueabihf", "push {r4, lr}; mov r4, r0; mul r0, r2, r1; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc}",
         "push {r4, lr}; mov r4, r2; umull r2, r3, r4, r1; cmp r3, #0; bne 1f; mul r3, r4, r1; mov r4, r0; mov r0, r3; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc};"
         "1: mvn r0, #4; pop {r4, pc}"),
    "the upper half of a product that is checked, next to the lower one":
        ("arm-linux-gnueabihf", "push {r4, lr}; mov r4, r0; mul r0, r2, r1; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc}",
         "push {r4, r5, r6, lr}; mov r4, r0; mov r5, r1; umull r0, r1, r1, r2; cmp r1, #0; bne 1f; mul r0, r2, r5; bl g; str r0, [r4]; mov r0, #0; pop {r4, r5, r6, pc};"
         "1: mvn r0, #4; pop {r4, r5, r6, pc}"),
    "words that are pushed to align the stack":
        ("i686-linux-gnu", "sub $24, %esp; mov 28(%esp), %eax; cmpl $0, (%eax); js 1f; push %eax; call g; xor %eax, %eax; add $28, %esp; ret; 1: mov $-1, %eax; add $24, %esp; ret",
         "sub $12, %esp; mov 16(%esp), %edx; or $-1, %eax; cmpl $0, (%edx); js 1f; push %eax; push %eax; push %eax; push %edx; call g; xor %eax, %eax; add $16, %esp; 1: add $12, %esp; ret"),
    "a word that is pushed to make room in the frame":
        ("i686-linux-gnu", "push %ebx; sub $8, %esp; mov 16(%esp), %ebx; test %ebx, %ebx; je 1f; push $3; push $2; push $1; push %ebx; call g; add $16, %esp; xor %eax, %eax; add $8, %esp; pop %ebx; ret;"
                           "1: mov $-1, %eax; add $8, %esp; pop %ebx; ret",
         "push %ebp; mov %esp, %ebp; push %ebx; push %eax; mov 8(%ebp), %ebx; test %ebx, %ebx; je 1f; push $3; push $2; push $1; push %ebx; call g; add $16, %esp; xor %eax, %eax;"
         "mov -4(%ebp), %ebx; leave; ret; 1: mov $-1, %eax; mov -4(%ebp), %ebx; leave; ret"),
}

# The same look, but what is in the register may well be an argument that is another one in the new version.
NOT_ASSUMED = {
    "a copy that is compared, and that nobody but a callee looks at":
        ("arm-linux-gnueabihf", "push {r4, lr}; mov r4, r1; bl h; cmp r0, #0; blt 1f; mov r0, r4; mov r1, r4; mov r2, r4; bl g; mov r0, #0; pop {r4, pc}; 1: mvn r0, #0; pop {r4, pc}",
         "push {r4, lr}; mov r4, r1; bl h; subs r3, r0, #0; blt 1f; mov r0, r4; mov r1, r4; mov r2, r4; bl g; mov r0, #0; pop {r4, pc}; 1: mvn r0, #0; pop {r4, pc}"),
    "a pointer in one version where the other has a character":
        ("aarch64-linux-gnu", "stp x29, x30, [sp, -16]!; ldr x8, [x0]; ldrb w1, [x8]; cmp w1, 34; b.eq 1f; bl g; mov w0, 0; ldp x29, x30, [sp], 16; ret; 1: mov w0, -5; ldp x29, x30, [sp], 16; ret",
         "stp x29, x30, [sp, -16]!; ldr x1, [x0]; ldrb w8, [x1]; cmp w8, 34; b.eq 1f; bl g; mov w0, 0; ldp x29, x30, [sp], 16; ret; 1: mov w0, -5; ldp x29, x30, [sp], 16; ret"),
    "the upper half of a product that nobody checks":
        ("x86_64-linux-gnu", "sub $8, %rsp; mov %rdx, %rax; imul %rsi, %rax; mov %rax, %rdi; call g@plt; xor %eax, %eax; add $8, %rsp; ret",
         "sub $8, %rsp; mov %rdx, %rax; mul %rsi; mov %rax, %rdi; call g@plt; xor %eax, %eax; add $8, %rsp; ret"),
    "the upper half of a product that is checked, in the register that 0 may be passed in":
        ("arm-linux-gnueabihf", "push {r4, lr}; mov r4, r0; mul r0, r2, r1; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc}",
         "push {r4, r5, r6, lr}; mov r4, r0; mov r5, r1; umull r3, r1, r1, r2; cmp r1, #0; bne 1f; mul r0, r2, r5; bl g; str r0, [r4]; mov r0, #0; pop {r4, r5, r6, pc};"
         "1: mvn r0, #4; pop {r4, r5, r6, pc}"),
    "the upper half of a product, where there is one":
        ("arm-linux-gnueabihf", "push {r4, lr}; mov r4, r0; mul r0, r2, r1; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc}",
         "push {r4, r5, r6, lr}; mov r4, r0; mov r5, r1; umull r0, r1, r1, r2; cmp r1, #0; beq 1f; mul r0, r2, r5; bl g; str r0, [r4]; mov r0, #0; pop {r4, r5, r6, pc};"
         "1: mvn r0, #4; pop {r4, r5, r6, pc}"),
    "the lower half of a product that is checked, for which nothing else is computed":
        ("arm-linux-gnueabihf", "push {r4, lr}; mov r4, r0; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc}",
         "push {r4, lr}; mov r4, r0; umull r2, r3, r2, r1; cmp r3, #0; bne 1f; bl g; str r0, [r4]; mov r0, #0; pop {r4, pc}; 1: mvn r0, #4; pop {r4, pc}"),
    "a pointer where the other version has a number that may be one":
        ("aarch64-linux-gnu", "stp x29, x30, [sp, -16]!; ldr x8, [x0]; mov w1, 1; str w1, [x0, 8]; str w1, [x8]; bl g; mov w0, 0; ldp x29, x30, [sp], 16; ret",
         "stp x29, x30, [sp, -16]!; ldr x1, [x0]; mov w8, 1; str w8, [x0, 8]; str w8, [x1]; bl g; mov w0, 0; ldp x29, x30, [sp], 16; ret"),
    "another pointer":
        ("aarch64-linux-gnu", "stp x29, x30, [sp, -16]!; ldr x8, [x0]; ldr x1, [x0, 8]; ldrb w9, [x8]; ldrb w10, [x1]; cmp w9, w10; b.eq 1f; bl g; mov w0, 0; ldp x29, x30, [sp], 16; ret;"
                              "1: mov w0, -5; ldp x29, x30, [sp], 16; ret",
         "stp x29, x30, [sp, -16]!; ldr x1, [x0]; ldr x8, [x0, 8]; ldrb w9, [x1]; ldrb w10, [x8]; cmp w9, w10; b.eq 1f; bl g; mov w0, 0; ldp x29, x30, [sp], 16; ret;"
         "1: mov w0, -5; ldp x29, x30, [sp], 16; ret"),
    "a pointer for a function of the same file, which may take something else now":
        ("aarch64-linux-gnu", "stp x29, x30, [sp, -16]!; ldr x8, [x0]; ldrb w1, [x8]; cmp w1, 34; b.eq 1f; bl h; mov w0, 0; ldp x29, x30, [sp], 16; ret; 1: mov w0, -5; ldp x29, x30, [sp], 16; ret;"
                              ".size f, .-f; .globl h; .type h, %function; h: str x1, [x2]; ret; .size h, .-h",
         "stp x29, x30, [sp, -16]!; ldr x1, [x0]; ldrb w8, [x1]; cmp w8, 34; b.eq 1f; bl h; mov w0, 0; ldp x29, x30, [sp], 16; ret; 1: mov w0, -5; ldp x29, x30, [sp], 16; ret;"
         ".size f, .-f; .globl h; .type h, %function; h: str x1, [x2]; ret; .size h, .-h"),
    "a word that is pushed early, of a register that the function looks at":
        ("i686-linux-gnu", "push %ebx; sub $8, %esp; mov 16(%esp), %ebx; test %ebx, %ebx; je 1f; push $3; push $2; push $1; push %ebx; call g; add $16, %esp; xor %eax, %eax; add $8, %esp; pop %ebx; ret;"
                           "1: mov $-1, %eax; add $8, %esp; pop %ebx; ret",
         "push %ebp; mov %esp, %ebp; push %ebx; push %eax; mov 8(%ebp), %ebx; test %eax, %eax; js 1f; test %ebx, %ebx; je 1f; push $3; push $2; push $1; push %ebx; call g; add $16, %esp; xor %eax, %eax;"
         "mov -4(%ebp), %ebx; leave; ret; 1: mov $-1, %eax; mov -4(%ebp), %ebx; leave; ret"),
    "a word that is pushed where room was left to align the stack":
        ("i686-linux-gnu", "sub $12, %esp; mov 16(%esp), %eax; cmpl $0, (%eax); js 1f; mov 4(%eax), %edx; sub $12, %esp; push %edx; call g; add $16, %esp; xor %eax, %eax; add $12, %esp; ret;"
                           "1: mov $-1, %eax; add $12, %esp; ret",
         "sub $12, %esp; mov 16(%esp), %eax; cmpl $0, (%eax); js 1f; mov 8(%eax), %edx; sub $12, %esp; push %edx; call g; add $16, %esp; xor %eax, %eax; add $12, %esp; ret;"
         "1: mov $-1, %eax; add $12, %esp; ret"),
}


# Both are of void f(int *p) { g(); if (*p) h(p); k(); } and the new one returns at once where there is no p.
ASSUMED["result, as nobody sets one on a new way to a return"] = (
    "i686-linux-gnu", "push %ebx; mov 8(%esp), %ebx; call g; cmpl $0, (%ebx); je 1f; push %ebx; call h; add $4, %esp; 1: call k; pop %ebx; ret",
    "push %ebx; mov 8(%esp), %ebx; test %ebx, %ebx; je 2f; call g; cmpl $0, (%ebx); je 1f; push %ebx; call h; add $4, %esp; 1: call k; 2: pop %ebx; ret")
ASSUMED["result, as what is in its register is compared only, in code that is not optimised"] = (
    "aarch64-linux-gnu", "stp x29, x30, [sp, -32]!; str x0, [sp, 24]; ldr x0, [sp, 24]; bl g; ldr x0, [sp, 24]; ldr w0, [x0]; cmp w0, 0; b.eq 1f;"
    "ldr x0, [sp, 24]; bl h; 1: bl k; ldp x29, x30, [sp], 32; ret",
    "stp x29, x30, [sp, -32]!; str x0, [sp, 24]; ldr x0, [sp, 24]; cmp x0, 0; b.eq 2f; bl g; ldr x0, [sp, 24]; ldr w0, [x0]; cmp w0, 0; b.eq 1f;"
    "ldr x0, [sp, 24]; bl h; 1: bl k; 2: ldp x29, x30, [sp], 32; ret")


class Verify(Test):
    def build(self, name, *changes, target="x86_64-linux-gnu", flags=(), base=BASE):
        text = base
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        out = self.path(name)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        source = self.write(name + ".c", text.encode())
        subprocess.run(["clang", "--target=" + target, "-O1", "-g", "-ffreestanding", "-fno-stack-protector", "-c", *flags, source,
                        "-o", out], check=True)
        os.remove(source)
        return out

    def pair(self, *changes, **more):
        return self.build("old.o", **more), self.build("new.o", *changes, **more)

    def function(self, *args, code, name="put"):
        doc = self.json("verify", "--json", *args, code=code)
        return doc, [f for f in doc["files"][0]["functions"] if f["name"] == name][0]


class Verdicts(Verify):
    def test_same_file(self):
        old = self.build("old.o")
        self.assertEqual(self.ok("verify", old, old), "safe: identical, both are the same file\n")
        doc = self.json("verify", "--json", old, old)
        self.assertEqual((doc["schema"], doc["verdict"], doc["reason"]), ("assay/verify/1", "safe", "identical"))

    def test_moved_only(self):
        old, new = self.pair(MOVED)
        out = self.ok("verify", old, new)
        self.assertEqual(out.splitlines()[0], "safe to apply: 0 functions changed, 1 added, 0 removed, 2 identical")
        self.assertIn("  added before at 0x", out)

    def test_safe(self):
        out = self.ok("verify", *self.pair(CHECK, MOVED))
        self.assertEqual(out.splitlines()[0],
                         "safe to apply: 1 function changed (1 safe, 0 unsafe, 0 unknown), 1 added, 0 removed, 1 identical")
        self.assertRegex(out, r"\n  safe put at 0x\w+ -> 0x\w+")

    def test_unsafe(self):
        for change, property in ((NO_CHECK, "P1"), (WRITE, "P2"), (RESULT, "P3"), (ARGUMENT, "P4"), (TEXT, "P4")):
            with self.subTest(property=property, change=change):
                old, new = self.pair(change)
                doc, f = self.function(old, new, code=1)
                self.assertEqual((doc["verdict"], f["verdict"]), ("unsafe", "unsafe"))
                self.assertIn(property, f["failed"])
                d = f["differences"][0]
                self.assertTrue(d["key"])
                self.assertNotRegex(d["key"], r"0x[0-9a-f]{6}")
                self.assertEqual(d["accepted"], False)
                for side in "old", "new":
                    if d[side + "_line"]:
                        self.assertRegex(d[side + "_line"], r"^%s.o.c:\d+$" % side)
                    self.assertIn(f[side]["address"], d[side + "_trace"])
                text = assay("verify", old, new)
                self.assertEqual(text.code, 1)
                self.assertTrue(text.out.startswith("not safe to apply: 1 function changed (0 safe, 1 unsafe, 0 unknown)"), text.out)

    def test_exits(self):
        _, f = self.function(*self.pair(CHECK), code=0)
        self.assertTrue(any(e["class"] in ("error", "sometimes") and "B" in e["by"] and "-1" in e["why"] for e in f["exits"]), f["exits"])
        _, f = self.function("--heuristics=none", *self.pair(CHECK), code=1)
        self.assertEqual(f["verdict"], "unsafe")

    def test_calls_when_rejecting(self):
        """What is done with inputs that are no longer accepted is not compared, but calls are named."""
        _, f = self.function(*self.pair((CHECK[0], "if (n > 1000) { other(n); return -1; }\n    if (n < 0)"),
                                        base="void other(int);\n" + BASE), code=0)
        self.assertEqual([w.split(", at")[0] for w in f["warnings"]],
                         ["newly rejected inputs reach a call to other"])

    def test_left_by_rejecting(self):
        """Inputs that are no longer accepted: what such a run leaves behind is warned of, and nothing where it cleans up, or only sets errno."""
        base = """
            int *__errno_location(void), pthread_mutex_lock(void *), pthread_mutex_unlock(void *);
            void *malloc(unsigned long);
            void free(void *);
            int total, root, lock;
            char *kept;
            int put(int n)
            {
                if (n < 0)
                    return -1;
                %s
                return 0;
            }
            """
        stored = base % "/**/ total = n;"
        locked = base % "pthread_mutex_lock(&lock); total += n; /**/ pthread_mutex_unlock(&lock);"
        allocated = base % "char *p = malloc(16); if (!p) return -1; /**/ *p = 1; kept = p;"
        for source, reject, warned in [
                (stored, "root = 1;", r"leave behind a store to root, at "),
                (stored, "*__errno_location() = 22;", None),
                (stored, "", None),
                (locked, "total -= n;", r"keep the lock acquired by pthread_mutex_lock, at "),
                (locked, "total -= n; pthread_mutex_unlock(&lock);", None),
                (allocated, "", r"leak memory allocated by malloc, at "),
                (allocated, "free(p);", r"reach a call to free, at "),
                (allocated, "*p = 1; kept = p;", None)]:
            for flags in ("-O0",), ("-O2",):
                with self.subTest(reject=reject, warned=warned, flags=flags):
                    old, new = self.pair(("/**/", "if (n > 1000) { %s return -1; }" % reject), base=source, flags=flags)
                    _, f = self.function(old, new, code=0)
                    self.assertEqual(len(f["warnings"]), 1 if warned else 0, f["warnings"])
                    if warned:
                        self.assertRegex(f["warnings"][0], "^newly rejected inputs " + warned)

    def test_guessed_exits(self):
        """That an exit rejects is a guess: where the verdict hangs on it, it is named. It does not where no input is newly rejected."""
        _, f = self.function(*self.pair(CHECK), code=0)
        said = [a["text"] for a in f["assumptions"] if a["name"] == "exits"]
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], r"^the exit at 0x[0-9a-f]+ rejects its input \(heuristic B: it returns -1\)$")
        self.assertIn("    assumes exits: " + said[0] + "\n", self.ok("verify", *self.pair(CHECK)))
        _, f = self.function(*self.pair(("*to = n * 3", "*to = n * 2 + n")), "--func", "put", code=0)
        self.assertNotIn("exits", [a["name"] for a in f["assumptions"]])
        both = "int g(int); int put(int *to, int n) { if (n > 100) return -4; *to = g(n); return 0; }"
        _, f = self.function(*self.pair(("return -4", "return -5"), base=both), code=0)
        self.assertRegex(" ".join(a["text"] for a in f["assumptions"] if a["name"] == "exits"), r"^the exit at 0x[0-9a-f]+ .* returns -5\)$")

    def test_numbered_labels(self):
        """clang numbers its texts: one more, and the others have another name. That says nothing; what they hold does."""
        base = """int printf(const char *, ...); int g(int);
            int first(int n) { if (n < 0) { printf("negative\\n"); return -1; } printf("one\\n"); return g(n); }
            int second(int n) { printf("two\\n"); return g(n + 1); }"""
        more = base.replace("if (n < 0)", 'if (n > 99) { printf("too large\\n"); return -1; } if (n < 0)')
        other = more.replace("two", "tvo")
        paths = []
        for name, text in (("base", base), ("more", more), ("other", other)):
            paths.append(self.path(name + ".o"))
            subprocess.run(["clang", "-O2", "-fPIC", "-ffunction-sections", "-c", self.write(name + ".c", text.encode()), "-o", paths[-1]], check=True)
        self.assertIn(b"\0.Lstr", read(paths[0]))
        self.assertEqual(self.json("verify", "--json", paths[0], paths[1], code=0)["verdict"], "safe")
        doc = self.json("verify", "--json", paths[1], paths[2], code=1)
        self.assertEqual([f["old"]["name"] for f in doc["files"][0]["functions"] if f["verdict"] == "unsafe"], ["second"])

    def test_callees_of_unknown_arguments(self):
        """What a callee takes is not known, and one version leaves a word on the stack where an argument of it may be: what differs
        behind the call differs whether that is one or not."""
        base = """int ask(const char *), turn(int, int); void note(int); extern int state[4];
            int put(int a, int *b, int c)
            { int r = ask("a"), k = *b; if (r < 0) return -1; note(r); state[1] = turn(r, c) + (r > 5 ? a : 0); state[2] = k; return 0; }"""
        old, new = self.pair((", k = *b", ""), (" + (r > 5 ? a : 0)", ""), ("= k", "= *b"), base=base, flags=("-O2", "-g0"))
        _, f = self.function(old, new, code=1)
        self.assertIn("replayed", [d["replay"] for d in f["differences"]])

    def test_shown_by_a_run_whatever_is_an_error(self):
        """Whether 0 is an error is not known, and the input that a run shows the difference with is accepted in either case."""
        base = """typedef unsigned long size; void *malloc(size), *memcpy(void *, const void *, size), *many(void *, size, size), *map(int, void *);
            struct image { int left, top, w, h; void *colors; unsigned char *bits; int n; char *blocks; };
            struct file { long a, b; int count; struct image *all; }; void drop(struct file *);
            struct image *put(struct file *f, const struct image *from)
            {
                if (!f->all) f->all = malloc(sizeof *f->all);
                else { struct image *more = many(f->all, f->count + 1, sizeof *more); if (!more) return 0; f->all = more; }
                if (!f->all) return 0;
                struct image *to = &f->all[f->count++];
                if (!from) { memcpy(to, &(struct image){0}, sizeof *to); return to; }
                memcpy(to, from, sizeof *to);
                if (from->colors && !(to->colors = map(*(int *)from->colors, from->colors))) { drop(f); return 0; }
                if (!(to->bits = many(0, from->w * from->h, 1))) { drop(f); return 0; }
                memcpy(to->bits, from->bits, from->w * from->h);
                if (from->blocks) {
                    if (!(to->blocks = many(0, from->n, 1))) { drop(f); return 0; }
                    memcpy(to->blocks, from->blocks, from->n);
                }
                return to;
            }"""
        cleared = "memcpy(to, from, sizeof *to);"
        old, new = self.pair((cleared, cleared + " to->colors = 0; to->bits = 0; to->blocks = 0; to->n = 0;"), base=base, flags=("-O3", "-g0", "-fhosted"))
        _, f = self.function("--timeout", "5s", old, new, code=1)
        self.assertEqual((f["verdict"], f["differences"][0]["replay"]), ("unsafe", "replayed"))

    def test_callers_fail_on_it(self):
        """Whether 0 is an error of run, its callers say: all of them return one where they get it."""
        base = """struct s { int a, b, mode; }; int g(struct s *, int); void note(int);
            static __attribute__((noinline)) int run(struct s *p, int n)
            {
                int r;
                if (p->mode == 1) { p->b = n; return 1; }
                r = g(p, n);
                if (r < 0) { note(r); p->a = n; return 0; }
                p->a = r; note(n);
                return 1;
            }
            int f(struct s *p, int n) { if (n < 1) return -2; if (!run(p, n)) { note(3); return -30; } return p->b; }
            int h(struct s *p, int n) { if (!run(p, n + 1)) return -1; p->mode = n; return 0; }
            """
        check = ("int r;", "int r; if (n > 100) return 0;")
        old, new = self.pair(check, base=base, flags=("-O2", "-g0"))
        _, f = self.function(old, new, code=0, name="run")
        self.assertTrue(any("returns an error value: 0" in e["why"] for e in f["exits"]), f["exits"])
        for other in ("int k(struct s *p, int n) { return run(p, n - 1) * 2; }", "int (*const how)(struct s *, int) = run;",
                      "int k(struct s *p, int n) { return run(p, n) ? 1 : p->b ? -1 : 4; }",
                      "int k(struct s *p, int n) { while (!run(p, n)) n /= 2; return n; }",
                      "void exit(int); int k(struct s *p, int n) { if (!run(p, n)) exit(0); return -1; }",
                      "void take(int (*)(struct s *, int)); int k(struct s *p, int n) { take(run); return run(p, n) ? 0 : -1; }"):
            with self.subTest(other):
                pair = self.pair(check, base=base + other, flags=("-O2", "-g0"))
                self.assertNotEqual(assay("verify", "--func", "run", *pair).code, 0)

    def test_data_moved_together(self):
        """What moved by one distance is one assumption, named by the first and the last place; numbers in a variable are no texts."""
        base = """struct row { const char *name; int n; };
            const struct row rows[] = {{"first", 1}, {"second", 2}, {"third", 3}, {"fourth", 4}, {"fifth", 5}, {0, 0}};
            int g(const char *), h(const char *);
            int put(int n) { for (const struct row *r = rows; r->name; r++) if (g(r->name)) return r->n + n * 2; return h("none"); }"""
        moved = ("const struct row rows[]", "const int before[12] = {5, 6, 7}; const struct row rows[]")
        _, f = self.function(*self.pair(moved, ("n * 2", "n + n - (n > 40)"), base=base), name="put", code=1)
        said = [a["text"] for a in f["assumptions"] if a["name"] == "data"]
        runs = [t for t in said if " places from " in t]
        self.assertTrue(any(re.match(r"^\d+ places from &rows at 0x\w+ to &rows \+ \d+ at 0x\w+ of the new file are those from &rows at ", t)
                            for t in runs), said)
        self.assertLess(len(said), 6, said)
        self.assertNotIn("\\x", "".join(said))

    def test_alignment_is_assumed(self):
        """On ARM ldm needs words that are aligned, which two loads do not."""
        two, several = "ldr r1, [r0]\nldr r2, [r0, #4]\nadd r0, r1, r2\nbx lr", "ldm r0, {r1, r2}\nadd r0, r1, r2\nbx lr"
        pair = self.assembled("arm-linux-gnueabihf", two, several)
        _, f = self.function(*pair, code=0, name="f")
        self.assertIn("faults", [a["name"] for a in f["assumptions"]])
        self.assertEqual(assay("verify", "--no-axiom", "faults", *pair).code, 3)
        _, f = self.function(*reversed(pair), code=0, name="f")
        self.assertNotIn("faults", [a["name"] for a in f["assumptions"]])

    def assembled(self, target, *versions, flags=("-c",)):
        pair = []
        for code in versions:
            pair.append(self.path("assumed%d.o" % len(pair)))
            size = "" if ".size f" in code else "\n.size f, .-f"
            source = self.write("assumed.s", (".globl f\n.type f, %function\nf: " + code + size + "\n").encode())
            subprocess.run(["clang", "--target=" + target, *flags, source, "-o", pair[-1]], check=True)
        return pair

    def test_assumed(self):
        for what, versions in ASSUMED.items():
            with self.subTest(what):
                pair = self.assembled(*versions)
                self.assertEqual(assay("verify", *pair).code, 0)
                self.assertIn(assay("verify", "--assume", "none", *pair).code, (1, 3))
        for what, versions in NOT_ASSUMED.items():
            with self.subTest(what):
                self.assertIn(assay("verify", *self.assembled(*versions)).code, (1, 3))

    def test_computed_to_be_pushed(self):
        """Only registers as they are are pushed to align the stack: what is computed for nothing else is an argument."""
        code = ("sub $12, %%esp; mov 16(%%esp), %%eax; cmpl $0, (%%eax); js 1f; mov 8(%%eax), %%edx; and $%d, %%edx; push %%edx; push 4(%%eax); push (%%eax); push %%eax; call g; add $16, %%esp;"
                "xor %%eax, %%eax; add $12, %%esp; ret; 1: mov $-1, %%eax; add $12, %%esp; ret")
        self.assertEqual(assay("verify", *self.assembled("i686-linux-gnu", code % 1, code % 3)).code, 1)

    def test_registers_that_carry_nothing(self):
        """The table of addresses of code that runs anywhere, which no program can name; and on ARM what is in r12 when a function of another
        file is called, because the code in between destroys it."""
        end = "bl g; mov r0, #0; pop {r4, pc}; 2: .word _GLOBAL_OFFSET_TABLE_-(1b+8); 3: .word total(GOT); .bss; .globl total; .type total, %object; .size total, 4; total: .zero 4; .text; .size f, 2b-f"
        pair = self.assembled("arm-linux-gnueabihf", "push {r4, lr}; ldr r1, [r0, #4]; ldr r4, 2f; 1: add r4, pc, r4; ldr r3, 3f; ldr r4, [r4, r3]; str r1, [r4]; " + end,
                              "push {r4, lr}; ldr r4, [r0, #4]; ldr r1, 2f; 1: add r1, pc, r1; ldr r3, 3f; ldr ip, [r1, r3]; str r4, [ip]; " + end,
                              flags=("-shared", "-nostdlib", "-fuse-ld=lld"))
        self.assertEqual(assay("verify", *pair).code, 0)
        self.assertIn(assay("verify", "--assume=none", *pair).code, (1, 3))
        start, end = "push {r4, lr}; sub sp, sp, #8; ", "mov r4, r0; bl g; mov r0, #0; add sp, sp, #8; pop {r4, pc}"
        pair = self.assembled("arm-linux-gnueabihf", start + "str r1, [sp, #4]; ldr r3, [sp, #4]; str r3, [r0]; " + end,
                              start + "add ip, sp, #4; str r1, [ip]; ldr r3, [sp, #4]; str r3, [r0]; " + end)
        self.assertEqual(assay("verify", *pair).code, 0)

    def test_steps_of_a_work(self):
        """Several steps that each may fail, and are gone on from where they return 0: that is no error where nothing tells pointers from
        numbers. Of what is looked for in one place and then in another it is not said."""
        text = "int a(int), b(int), c(int), d(int); int f(int q) {%s int r = a(q); if (r) return r; r = b(q); if (r) return r; %s }"
        last = " r = c(q); if (r) return r; return d(q);"
        for old, new, code in ((("", last), ("", "return c(q);"), 1), (("", last), ("if (!q) return 0;", last), 3)):
            pair = []
            for version in old, new:
                pair.append(self.path("steps%d.o" % len(pair)))
                subprocess.run(["clang", "--target=i686-linux-gnu", "-O1", "-c", "-o", pair[-1], self.write("steps.c", (text % version).encode())],
                               check=True)
            self.assertEqual(assay("verify", *pair).code, code, new)

    def test_calls_in_doubt(self):
        """Two calls of which it is not known whether they are the same are taken for the same in all that follows: what only differs if they
        are not is not known, what differs anyway is a difference. The second call leaves what it was given by the first in a register that
        carries no argument."""
        old = """
            .globl put
            put: push %rbx; mov %rdi, %rbx; mov 8(%rdi), %esi; mov %esi, 12(%rdi); call submit@plt
            mov 8(%rbx), %r8d; mov %r8d, 16(%rbx); mov %eax, %edi; call check@plt
            cmpl $3, (%rbx); jle 1f; mov %rbx, %rdi; call note@plt
            1: xor %eax, %eax; pop %rbx; ret
            """
        new = old.replace("esi", "ecx").replace("r8d", "r9d")
        pair = [self.path("old.o"), self.path("new.o")]

        def ask(text, code):
            for path, code_of in zip(pair, (old, text)):
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write("f.s", code_of.encode()), "-o", path], check=True)
            return self.function(*pair, name="put", code=code)[1]

        self.assertIn("calls to submit are equal: argument 2, if it takes that many", ask(new, 3)["reason"])
        self.assertEqual([d["what"] for d in ask(new.replace("$3", "$4"), 1)["differences"]], ["calls to note"])

    def test_left_in_registers(self):
        """What a register holds that was the bound of a loop, or was made to be stored, was not surely put there for the callee."""
        old = """
            .globl f
            f: sub $0x48, %rsp; mov %rsp, %rax; lea 0x40(%rsp), %rdx
            1: movb $0, (%rax); add $1, %rax; cmp %rdx, %rax; jne 1b
            mov %rsp, %rdi; call g@plt; add $0x48, %rsp; xor %eax, %eax; ret
            """
        pair = [self.path("old.o"), self.path("new.o")]

        def ask(old, new, code):
            for path, text in zip(pair, (old, new)):
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write("f.s", text.encode()), "-o", path], check=True)
            return self.function(*pair, name="f", code=code)[1]

        self.assertIn("argument 3, if it takes that many", ask(old, old.replace("rdx", "rcx"), 3)["reason"])
        # what is set for it and nothing else
        old = old.replace("call", "mov $7, %edx; call")
        f = ask(old, old.replace("$7", "$8"), 1)
        self.assertEqual([d["what"] for d in f["differences"]], ["argument 3 of g"])
        source = self.write("f.c", b"int g(void *); int f(int n) { long t[2]; t[0] = n; t[1] = 0; g(t); t[0] = 0; g(&t[1]); return (int)t[1]; }")
        for path, level in zip(pair, ("-O0", "-O2")):
            subprocess.run(["aarch64-linux-gnu-gcc", level, "-fPIC", "-shared", "-nostdlib", "-o", path, source], check=True)
        self.assertNotEqual(assay("verify", "--func=f", *pair).code, 1)

    def test_function_in_a_register_of_arguments(self):
        """A register that holds what is called is no argument, unless the other version puts something else there."""
        code = ".globl f\nf: ldr x1, [x0]; cbz x1, 1f; mov x16, x1; br x16\n1: mov w0, #-1; ret\n"
        other = code.replace("x1,", "x2,").replace("x16, x1", "x16, x2")
        pair = [self.path("old.o"), self.path("new.o")]
        for new, verdict in ((other, 0), (other.replace("cbz", "mov x1, x0; cbz"), 3)):
            for path, text in zip(pair, (code, new)):
                subprocess.run(["clang", "--target=aarch64-linux-gnu", "-c", self.write("f.s", text.encode()), "-o", path], check=True)
            self.assertEqual(assay("verify", *pair).code, verdict, new)

    def test_call_of_the_function_behind(self):
        """A call whose callee begins where it would return to does not read the program counter if that is the end of the function."""
        code = """
            .globl f; .type f, @function; .type stop, @function; .comm count, 4
            f: .cfi_startproc; mov 4(%esp), %eax; CHECK; movl $1, (%eax); ret
            1: call stop; .cfi_endproc
            stop: .cfi_startproc; movl $3, count
            2: incl count; jmp 2b; .cfi_endproc
            """
        pair = [self.path("old"), self.path("new")]
        for new, verdict in (("cmpl $2, 4(%eax); je 1f", 0), ("cmpl $2, 4(%eax); je 1f; incl 8(%eax)", 1)):
            for path, check in zip(pair, ("", new)):
                source = self.write("f.s", code.replace("CHECK", check).encode())
                subprocess.run(["clang", "--target=i686-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "-Wl,-e,f", "-s", source, "-o", path],
                               check=True)
            self.assertEqual(assay("verify", *pair).code, verdict, new)

    def test_padding_in_the_register_of_results(self):
        """Who takes padding off the stack into the register of results has none to return; into another one, may have."""
        old = ".globl f\nf: mov (%rdi), %rax; and $-8, %rax; sub %rax, (%rsi); ret\n"
        new = ".globl f\nf: push %rax; cmpl $3, 8(%rdi); je 1f; mov (%rdi), %rcx; and $-8, %rcx; sub %rcx, (%rsi); pop %rax; ret\n1: ud2\n"
        pair = [self.path("old.o"), self.path("new.o")]
        for text, verdict in ((new, 0), (new.replace("pop %rax", "mov (%rsi), %rax; pop %rdx"), 3), (new.replace("$-8", "$-4"), 1)):
            for path, code in zip(pair, (old, text)):
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write("f.s", code.encode()), "-o", path], check=True)
            r = assay("verify", *pair)
            self.assertEqual(r.code, verdict, (text, r.out))

    def test_other_calls_show_arguments(self):
        """The second register for arguments holds something else in the new version. That it carries no argument shows where the callee
        is called with what another function left there."""
        old = """
            .globl f, other
            f: push %rbx; mov %rdi, %rbx; mov (%rdi), %rsi; mov %rsi, 8(%rdi); call g; xor %eax, %eax; pop %rbx; ret
            1: mov $-1, %eax; pop %rbx; ret
            other: push %rbx; call h; mov $1, %edi; call g; pop %rbx; ret
            """
        new = old.replace("mov (%rdi), %rsi; mov %rsi, 8(%rdi)", "mov (%rdi), %rax; mov %rax, 8(%rdi); mov 16(%rdi), %rsi; cmp $5, %rsi; ja 1f")

        def ask(change, *options, code):
            pair = []
            for name, text in (("old.o", old), ("new.o", new)):
                pair.append(self.path(name))
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write(name + ".s", text.replace(*change).encode()), "-o",
                                pair[-1]], check=True)
            return self.function("--func=f", *options, *pair, name="f", code=code)[1]

        f = ask(("", ""), code=0)
        self.assertIn("arguments", [a["name"] for a in f["assumptions"]])
        f = ask(("", ""), "--assume=frame,data,private", code=3)
        self.assertIn("calls to g are equal: argument 2, if it takes that many", f["reason"])
        ask(("call h", "nop"), code=3)

    def test_prototype_of_the_other_version(self):
        """clang declares no functions of elsewhere for ARM, gcc does."""
        text = "struct p { int n; unsigned char c[256][3]; }; void t(int, unsigned); int f(struct p *p, int i, unsigned *out) { if (i >= p->n)" \
               " return -1; unsigned char *c = p->c[i]; *out = c[0] << 16 | c[1] << 8 | c[2]; t(i, *out); return 0; }"
        checked = text.replace("i >= p", "i < 0 || i >= p")
        old = self.build("old.o", base=text, target="armv7-linux-gnueabihf", flags=["-O2", "-mthumb", "-fPIC"])

        def ask(new, debug="-g"):
            source, out = self.write("new.c", new.encode()), self.path("new.o")
            subprocess.run(["arm-linux-gnueabihf-gcc", "-O2", "-mthumb", "-fPIC", debug, "-c", source, "-o", out], check=True)
            return assay("verify", "--func=f", old, out).code

        self.assertEqual(ask(checked), 0)
        self.assertEqual(ask(checked, "-g0"), 3)
        self.assertEqual(ask(checked.replace("t(i, *out)", "t(i, *out + 1)")), 1)
        fewer = checked.replace("t(i, *out)", "t(i)").replace("t(int, unsigned)", "t(int)")
        self.assertIn(ask(fewer), (1, 3))

    def test_share(self):
        """How many inputs a difference is about: an estimate, and bounds where comparisons of an argument tell."""
        text = "void g(int); int f(unsigned char k, int n) { if (k == 3) { g(1); return n; } g(0); return 5; }"
        new = text.replace("g(1)", "g(2)")
        d = self.function(self.build("old.o", base=text), self.build("new.o", base=new), code=1, name="f")[1]["differences"][0]
        self.assertLessEqual(d["share_ppm_low"], 1000000 // 256)
        self.assertIn(d["share_ppm_high"], (3906, 3907))
        self.assertTrue(2000 < d["share_ppm"] < 6000, d["share_ppm"])
        r = assay("verify", self.path("old.o"), self.path("new.o"))
        self.assertRegex(r.out, r"share +about 0\.\d+ % of inputs.*at most 0\.39")

    def test_error_values(self):
        """What the old version returns where it does nothing else is an error, if 0 is returned only where more is done; else that is
        not known."""
        base = """
struct s { int on, n, sum; };
void note(struct s *, int);
int put(struct s *s, int n)
{
    if (!s->on)
        return 2;
    s->n = n;
    s->sum += n;
    note(s, n);
    return 0;
}
"""
        checked = ("    s->n =", "    if (n > 100) return 2; s->n =")
        f = self.function(*self.pair(checked, base=base), code=0)[1]
        self.assertIn("returning 2 means an error", " ".join(a["text"] for a in f["assumptions"]))
        self.function("--heuristics=A,C,user", *self.pair(checked, base=base), code=1)
        # a success that does less is none
        self.function(*self.pair(("    s->n =", "    if (n > 100) return 0; s->n ="), base=base), code=1)
        # what is stored and called on the way to success still counts
        self.function(*self.pair(checked, ("note(s, n)", "note(s, 0)"), base=base), code=1)
        base = base.replace("return 2", "return 0").replace("return 0;\n}", "return 3;\n}").replace("    s->sum", "    if (!s->sum) return 0; s->sum")
        f = self.function(*self.pair(("    s->n =", "    if (n > 100) return 0; s->n ="), base=base), code=3)[1]
        self.assertIn("safe if returning 0 means an error", f["reason"])

    def test_condition(self):
        """It is simplified, says through what a pointer is called, and how far loops were followed."""
        base = """
struct list { void (*each)(void *, int); void *with; };
int first(struct list *l, int n)
{
    if (!l || n < 0 || n == 0)
        return -1;
    if (n != 3 && n != 5)
        return 2;
    l->each(l->with, n + 1);
    return 0;
}
extern void note(const char *text, int n);
void fill(char *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (char)i;
    note("filled", 4);
}
"""
        old, new = self.build("old.o", base=base), self.build("new.o", ("n + 1", "n + 2"), ("to[i] = (char)i", "to[i] = (char)(i + i)"), base=base)
        doc, f = self.function(old, new, code=1, name="first")
        self.assertEqual([(d["what"], d["condition"]) for d in f["differences"]],
                         [("argument 2 of (*l->each)", "l != 0 && (n == 5 || n == 3)")])
        f = [f for f in doc["files"][0]["functions"] if f["name"] == "fill"][0]
        rounds = [a for a in f["assumptions"] if a["name"] == "rounds"]
        self.assertEqual(len(rounds), 1 if "loop iterations" in f["differences"][0]["condition"] else 0)

    def test_strategies_agree(self):
        for change, code in ((CHECK, 0), (ARGUMENT, 1)):
            self.function("--strategy=paths", *self.pair(change), code=code)

    def test_bounded(self):
        """No difference in two rounds, and a difference, in the third: neither is called safe."""
        base = """int get(void); void put(int, int);
int pump(int m)
{
    int n = 0;
    while (get() > 0)
        put(n++, m * 4);
    return m;
}
"""
        old = self.build("old.o", base=base)
        same = self.build("new.o", ("m * 4", "(m + m) * 2 + (m & 0)"), ("> 0", ">= 1"), base=base, flags=["-O0"])
        third = self.build("third.o", ("put(n++, m * 4)", "put(n, n == 3 ? m : m * 4), n++"), base=base)
        for new in same, third:
            doc, f = self.function("--strategy=paths", old, new, code=3, name="pump")
            self.assertEqual((doc["verdict"], doc["summary"]["bounded"], f["verdict"], f["rounds"]), ("bounded", 1, "bounded", 2))
            self.assertIn("rounds", [a["name"] for a in f["assumptions"]])
        text = assay("verify", "--strategy=paths", "--accept=bounded", old, same)
        self.assertEqual(text.code, 0)
        self.assertIn("bounded(2) pump", text.out)
        self.assertEqual(self.json("verify", "--sarif", "--strategy=paths", old, same, code=3)["runs"][0]["results"][0]["ruleId"], "assay/unknown")
        self.assertIn('<error type="bounded"', assay("verify", "--junit", "--strategy=paths", old, same).out)
        self.assertIn("`pump`, in 2", assay("verify", "--markdown", "--strategy=paths", old, same).out)

    def test_bounded_says_something(self):
        """Where no path that two rounds come to the end of has what changed on it, nothing is said."""
        base = """void put(int);
int pump(int m)
{
    for (int i = 0; i < 9; i++)
        put(m * 4);
    return m;
}
"""
        doc, f = self.function("--strategy=paths", *self.pair(("m * 4", "m * 5"), base=base, flags=["-O1"]), code=3, name="pump")
        self.assertEqual(f["verdict"], "unknown")

    def test_bounded_by_the_same_inputs(self):
        """Three rounds of the new version for each of the old one: what it then does was not compared."""
        base = """void put(int);
int pump(int n)
{
    for (int i = 0; i < n; i++)
        put(i);
    return n;
}
"""
        _, f = self.function("--strategy=paths", *self.pair(("i < n", "i < n * 3"), base=base, flags=["-O1"]), code=3, name="pump")
        self.assertEqual(f["verdict"], "unknown")

    def test_paths_of_volatile(self):
        """A difference that may not be one has no worker die over it."""
        base = """extern volatile int level;
int sum(int n, int *p)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        r += p[i];
        level = r;
    }
    return r;
}
"""
        _, f = self.function("--timeout=2s", *self.pair(("level = r;\n    }", "}\n    level = r;"), base=base, flags=["-O1", "-g"]), code=3, name="sum")
        self.assertNotEqual(f["verdict"], "safe")
        self.assertNotIn("signal", f["reason"] or "")

    def test_unrolled(self):
        """Four elements a round, and what is left over one by one: proved for all lengths, or not said to be the same."""
        loop = "for (unsigned i = 0; i < n; i++)\n        hits += p[i] == want;"
        unrolled = """unsigned whole = n & ~3u, i = 0, left = n & 3u;
    for (; i < whole; i += 4)
        hits += (p[i] == want) + (p[i + 1] == want) + (p[i + 2] == want) + (p[i + 3] == want);
    for (const unsigned char *q = p + i; left; left--)
        hits += *q++ == want;"""
        base = """
int put(const unsigned char *p, unsigned n, unsigned want)
{
    int hits = 0;
    if (n > 4096)
        return -7;
    %s
    return hits;
}
""" % loop
        self.function(*self.pair((loop, unrolled), base=base), code=0)
        wrong = unrolled.replace("p[i + 3]", "p[i + 2]")
        _, f = self.function(*self.pair((loop, wrong), base=base), code=1)
        self.assertEqual([d["property"] for d in f["differences"]], ["P3"])

    def test_function(self):
        old, new = self.pair(ARGUMENT, MOVED)
        doc, f = self.function("--func=put", old, new, code=1)
        at = f["old"]["address"], f["new"]["address"]
        for spec in (at[0], at[0] + ":" + at[1], "put:put"):
            self.assertEqual(self.function("--func", spec, old, new, code=1)[1], f)
        doc, f = self.function("--func=same", old, new, code=0, name="same")
        self.assertEqual((f["verdict"], f["reason"]), ("safe", "identical code"))
        self.refused("verify", "--func=putt", old, new, says=["putt", "put"])
        self.refused("verify", "--func=put:putt", old, new, says=["putt", "put"])
        r = assay("verify", "--func=before", old, new)
        self.assertEqual(r.code, 3)
        self.assertIn("before has no partner; name one with --func OLD:NEW", r.out)

    def test_function_by_address(self):
        """A function that no table knows, and that nobody calls, is one when somebody says so."""
        text = "int total; void _start(void) { for (;;) total++; }\nint put(int n) { if (n > 5) return -1; total += n; return total; }\n"
        for target, flags in (("arm-linux-gnueabihf", ["-mthumb"]), ("arm-linux-gnueabihf", ["-marm"]), ("aarch64-linux-gnu", [])):
            pair, at = [], []
            for name, t in (("old", text), ("new", text.replace("+= n", "+= n + 1"))):
                pair.append(self.path(name))
                link = ["clang", "--target=" + target, *flags, "-O1", "-nostdlib", "-static", "-fuse-ld=lld", "-ffreestanding",
                        "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", self.write("f.c", t.encode())]
                subprocess.run([*link, "-o", pair[-1]], check=True)
                at += [f["address"] for f in self.json("functions", "--json", pair[-1])["functions"] if f["name"] == "put"]
                subprocess.run([*link, "-s", "-o", pair[-1]], check=True)
            doc = self.json("verify", "--json", "--func", at[0] + ":" + at[1], *pair, code=1)
            f = doc["files"][0]["functions"][0]
            self.assertEqual((f["old"]["address"], f["new"]["address"], f["sure"]), (at[0], at[1], 100))
        self.refused("verify", "--func=0x10", *pair, says=["no function starts at 0x10"])

    def test_numbers_are_no_addresses(self):
        """In a relocatable object only what a relocation changes is an address."""
        for target in ("x86_64", "i686"):
            pair = []
            for name, first, number in (("old", "", "0x0"), ("new", "int before(int n) { return n * 9; }", "0x10")):
                pair.append(self.path(name + ".o"))
                text = first + "int a(int n) { return n + 1; } int f(void) { return %s; }" % number
                subprocess.run(["clang", "--target=%s-linux-gnu" % target, "-O1", "-c", self.write("n.c", text.encode()), "-o", pair[-1]],
                               check=True)
            self.assertIn("1 function changed", assay("verify", *pair).out.splitlines()[0])

    def test_initial_contents(self):
        """Functions take variables as inputs: that one starts with something else is nobody's difference but the file's."""
        r = assay("verify", *self.pair(("total = 3", "total = 4"), base=BASE.replace("int total;", "int total = 3;")))
        self.assertEqual(r.code, 3)
        self.assertIn("unknown total has different initial contents", r.out)

    def linked(self, *changes, base=BASE):
        """Two stripped shared objects."""
        for f in self.pair(*changes, base=base):
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-nostdlib", "-fuse-ld=lld", "-shared", "-s", f, "-o", f + ".so"], check=True)
            yield f + ".so"

    def test_what_no_function_shows(self):
        for change, says in ((("int same(int n) { return n * 7 + 1; }", ""), "export same was removed"),
                             (("hidden = 3", "hidden = 4"), ".data has different initial contents"),
                             (("int total;", "int total;\n__attribute__((constructor)) static void early(void) { note(\"early\", 1); }"),
                              "was added and runs at load time")):
            base = BASE + "static int hidden = 3;\nint next(void) { return hidden++; }\n"
            r = assay("verify", *self.linked(change, base=base))
            self.assertEqual(r.code, 3, r.out)
            self.assertIn(says, r.out)
        hidden = (MOVED[0], MOVED[1].replace("int before", "__attribute__((visibility(\"hidden\"))) int before"))
        self.ok("verify", *self.linked(hidden, base=base))

    def test_copied_variable(self):
        """That a program uses a variable of a library shows in its exports, and means nothing there."""
        text = """#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc < 2) {
#ifdef NEW
        fputs("usage", stderr);
#endif
        return -1;
    }
    return puts(argv[1]) + 7;
}
"""
        source, path = self.write("s.c", text.encode()), [self.path("old"), self.path("new")]
        for i in range(2):
            subprocess.run(["x86_64-linux-gnu-gcc", "-O1", "-fPIE", "-pie", source, "-o", path[i]] + ["-DNEW"] * i, check=True)
        out = self.ok("verify", *path)
        self.assertIn("note stderr of a library is now copied into the program", out)

    def test_buffer_cleared(self):
        """A callee sees what a buffer holds that it is given: whatever lay on the stack, or zeros. What a compiler knows to look at
        none of it may be given either."""
        base = """int fill(void *p, unsigned n);
int put(int n) { char b[32]; if (n < 0) return -1; /**/ return fill(b, 32) ? -1 : b[n & 7]; }
"""
        clear = ("/**/", "__builtin_memset(b, 0, sizeof b);")
        for target, flags in (("x86_64-linux-gnu", []), ("i686-linux-gnu", ["-Os"])):
            f = self.function("--func=put", *self.pair(clear, base=base, target=target, flags=flags), code=1)[1]
            self.assertEqual([(d["what"], d["new"], d["replay"]) for d in f["differences"]],
                             [("a local that fill can reach", "0", "replayed")])
        own = base.replace("n);", "n) { *(char *)p = n; return 0; }", 1)
        self.assertNotEqual(assay("verify", "--func=put", *self.pair(clear, base=own, flags=["-fno-inline"])).code, 1)

    def test_locals_in_other_places(self):
        """Where a local lies is no difference, nor what it holds as long as nobody was given it; which of two is given is one."""
        two = """int get(int *a, int *b);
int put(int n) { int p, q = 0; if (n < 0) return -1; return get(&q, &p) ? -1 : p - q * 2; }
"""
        old, new = self.build("old.o", base=two, flags=["-O0"]), self.build("new.o", base=two, flags=["-O2"])
        self.assertNotEqual(assay("verify", old, new).code, 1)
        swap = ("get(&q, &p)", "get(&p, &q)")
        self.assertEqual(assay("verify", *self.pair(swap, base=two)).code, 1)
        later = """int range(char *b, char *e); int get(int *z);
int put(int n) { char b[16]; int z; if (n < 0) return -1; if (range(b, b + 16)) return -1; z = 0; return get(&z) ? -1 : z; }
"""
        first = ("if (range(b, b + 16)) return -1; z = 0;", "z = 0; if (range(b, b + 16)) return -1;")
        for target in "x86_64", "i686", "aarch64":
            r = assay("verify", *self.pair(first, base=later, target=target + "-linux-gnu", flags=["-O0"]))
            self.assertNotEqual(r.code, 1, r.out)

    def test_words_that_overlap_in_part(self):
        """Nobody is given pointers to words of which one ends in the middle of the other."""
        for write, code in (("mov %eax, (%rsi)", 3), ("movl $7, (%rsi)", 1)):
            pair = []
            for name, again in (("old", ""), ("new", "mov (%rdi), %eax; ")):
                text = "mov (%rdi), %eax; " + write + "; " + again + "mov %eax, 8(%rdi); xor %eax, %eax"
                pair.append(self.path(name + ".o"))
                subprocess.run(["clang", "--target=x86_64-linux-gnu", "-c", self.write("o.s", (".globl f\n.type f,@function\nf: " + text +
                               "; ret\n.size f, .-f\n").encode()), "-o", pair[-1]], check=True)
            r = assay("verify", *pair)
            self.assertEqual(r.code, code, r.out)
            self.assertEqual("misaligned pointer" in r.out, code == 3)

    def test_pointers_lead_to_different_places(self):
        """Where it does not matter where pointers lead, an input has them lead to places far from each other, and none to no place."""
        base = "int put(int *p, int *q, int n) { if (n < 0) return -1; *p = n; return *q & 15; }\n"
        for target in "x86_64-linux-gnu", "i686-linux-gnu", "arm-linux-gnueabihf", "aarch64-linux-gnu":
            f = self.function(*self.pair(("15", "31"), base=base, target=target), code=1)[1]
            for d in f["differences"]:
                at = [int(i["value"], 16) for i in d["inputs"] if i["name"] in ("arg0", "arg1")]
                self.assertTrue(all(at) and (len(at) < 2 or abs(at[0] - at[1]) > 1 << 20), d["inputs"])

    def test_twice_the_same_bytes(self):
        old, new = self.pair(ARGUMENT, WRITE)
        one, two = assay("verify", "--json", "-j1", old, new), assay("verify", "--json", "-j2", old, new)
        self.assertEqual(one.out, two.out)

    def test_late(self):
        """A function that takes too much work is one unknown, with its reason; the others have their verdicts. Where it is given
        up is the same every time, whatever else goes on."""
        hard = "int hard%d(unsigned a, unsigned b) { return a > 1 && b > %d && 0ull + a * (b + 0ull) == 1ull ? 5 : 4; }\n"
        old, new = self.pair(CHECK, ("1ull", "%dull" % ((2 ** 31 - 1) * (2 ** 31 - 19))),  # a product of two primes
                             base=BASE + hard % (1, 1) + hard % (2, 3))
        command = [ASSAY, "verify", "--json", "--stats", "--timeout=150ms", old, new]
        alone = subprocess.run([*command, "-j1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        beside = [subprocess.Popen([*command, "-j2"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(2)]
        reports = [alone] + [p.communicate()[0] for p in beside]
        functions = json.loads(alone)["files"][0]["functions"]
        self.assertEqual({f["name"]: f["verdict"] for f in functions}, {"put": "safe", "hard1": "unknown", "hard2": "unknown"})
        self.assertEqual([(f["reason"], f["remedy"]) for f in functions if f["name"] != "put"], [("work limit reached", "raise --timeout")] * 2)
        self.assertEqual(len(set(reports)), 1)


class Packages(Verify):
    def test_directories(self):
        self.build("a/usr/lib/libput.o")
        self.build("a/usr/lib/libsame.o")
        shutil.copytree(self.path("a"), self.path("b"))
        self.build("b/usr/lib/libput.o", ARGUMENT)
        self.build("a/usr/bin/gone.o")
        self.build("b/usr/bin/fresh.o", MOVED)
        doc = self.json("verify", "--json", self.path("a"), self.path("b"), code=1)
        files = {(f["new"] or f["old"])["path"]: (f["status"], f["verdict"]) for f in doc["files"]}
        self.assertEqual(files, {"usr/bin/gone.o": ("removed", "unknown"), "usr/bin/fresh.o": ("added", "safe"),
                                 "usr/lib/libput.o": ("compared", "unsafe"), "usr/lib/libsame.o": ("identical", "safe")})
        self.assertEqual(doc["verdict"], "unsafe")
        one = self.json("verify", "--json", "--func=put", self.path("a"), self.path("b"), code=1)
        self.assertEqual(one["files"][-2]["functions"][0]["verdict"], "unsafe")

    def test_one_member(self):
        """The text says which program of a package it is about, even if there is only one."""
        self.build("a/lib/libx.so.1.2")
        self.build("b/lib/libx.so.1.3", WRITE)
        out = assay("verify", self.path("a"), self.path("b")).out
        self.assertIn("\nlib/libx.so.1.3, was lib/libx.so.1.2: unsafe\n", out)
        out = assay("diff", self.path("a"), self.path("b")).out
        self.assertIn("\nlib/libx.so.1.3, was lib/libx.so.1.2: 1 changed", out)

    def test_no_program(self):
        os.mkdir(self.path("empty"))
        self.refused("verify", self.path("empty"), self.build("new.o"), says=["empty"])

    def test_bad_input(self):
        old = self.build("old.o")
        self.refused("verify", old, self.write("text", b"hello\n"), says=["text"])
        self.refused("verify", old, self.path("missing"), says=["missing"])
        self.refused("verify", old, self.build("arm.o", target="aarch64-linux-gnu"), says=["x86-64", "aarch64"])
        self.refused("verify", "--heuristics=A,D", old, old, says=["'D'", "A, B, C, user"])
        self.refused("verify", "--assume=luck", old, old, says=["'luck'"])
        self.refused("verify", "--ask", old, old, says=["terminal"])

    def test_interrupted(self):
        """Ctrl-C in the middle of a package: what is known so far, as a valid report that says so."""
        self.build("a/1same.o")
        shutil.copytree(self.path("a"), self.path("b"))
        self.build("a/2put.o", ("n * 3", "n + total"))
        self.build("b/2put.o", ("n * 3", "(n ^ total) + 2 * (n & total)"))  # the same, which the solver has to say
        begun, never = self.path("begun"), self.path("never")
        os.mkfifo(begun)
        os.mkfifo(never)
        solver = self.write("solver", b"#!/bin/sh\necho > '%s'\nread x < '%s'\n" % (begun.encode(), never.encode()))
        os.chmod(solver, 0o755)
        out = open(self.path("out"), "w+")
        asked = os.open(begun, os.O_RDWR)
        p = subprocess.Popen([ASSAY, "verify", "--json", "-j1", "--timeout=0", "--query-timeout=1h", "--solver", solver, self.path("a"),
                              self.path("b")], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE)
        ready, _, _ = select.select([asked, p.stderr], [], [])
        p.send_signal(signal.SIGINT)
        err = p.communicate()[1].decode()
        os.close(asked)
        self.assertIn(asked, ready, err)
        out.seek(0)
        doc = json.load(out)
        out.close()
        self.assertEqual((p.returncode, doc["complete"], doc["reason"], doc["verdict"]), (3, False, "interrupted", "unknown"))
        self.assertEqual([(f["status"], f["verdict"]) for f in doc["files"]], [("identical", "safe"), ("compared", "unknown")])
        self.assertLessEqual(set(doc["files"][1]["reasons"]), {"1 changed function was not reached"})  # in the first pass, or a later one
        self.assertIn("interrupted; partial results follow", err)


class Configuration(Verify):
    def config(self, value):
        return "--config=" + self.write("config.json", value.encode() if isinstance(value, str) else json.dumps(value).encode())

    def test_malformed(self):
        old, new = self.pair(CHECK)
        for text, place in (('{"ignore": ["a",\n  ]}', "2:3"), ('{\n  "ignore": [\n    "a", 3]}', "3:10"), ("[]", "1:1"),
                            ('{"prototypes": {"f": {"arguments": "two"}}}', "1:23"), ('{"names": {"old":\n {"12x": "f"}}}', "2:3"),
                            ('{"exit_edges": [{"side": "left", "from": "0x1", "to": "0x2"}]}', "1:17"), ('{"colour": 1}', "1:2"),
                            ('{"equal": [["a"]]}', "1:12"), ('{"invalid_values": [-1, true]}', "1:25")):
            self.refused("verify", self.config(text), old, new, says=["config.json:%s: " % place])
        self.refused("verify", "--config", self.path("no.json"), old, new, says=["no.json"])

    def test_unused(self):
        old, new = self.pair(CHECK)
        r = assay("verify", "--json", self.config({"error_functions": ["never_called"], "ignore": ["nobody"], "accepted": ["put P9"]}), old, new)
        self.assertEqual(r.code, 0)
        for what in "error_functions: never_called", "ignore: nobody", "accepted: put P9":
            self.assertIn("configuration: %s matches nothing" % what, r.err)
            self.assertIn("configuration: %s matches nothing" % what, json.loads(r.out)["warnings"])

    def test_ignore(self):
        old, new = self.pair(ARGUMENT)
        r = assay("verify", self.config({"ignore": ["put"]}), old, new)
        self.assertEqual((r.code, r.err), (0, ""))
        self.assertIn("1 ignored", r.out.splitlines()[0])
        self.assertIn("  ignored put\n", r.out)

    def test_error_function(self):
        """The new version calls fail() for some inputs: that is a rejection once one says so."""
        old, new = self.pair(("    *to = n * 3;", "    if (n > 1000) {\n        fail(n);\n        return 0;\n    }\n    *to = n * 3;"))
        self.assertEqual(assay("verify", "--heuristics=A,B,user", old, new).code, 1)
        r = assay("verify", "--heuristics=A,B,user", self.config({"error_functions": ["fail"]}), old, new)
        self.assertEqual((r.code, r.err), (0, ""), r.out)

    def test_added_error_function(self):
        """It is only in the new version, and the compiler made a clone of it."""
        base = BASE + "__attribute__((noinline)) static void die(int n) { total += n; note(\"bad\", 4); }\n"
        old = self.build("old.o")
        new = self.build("new.o", ("int put(", 'void die(int n) __asm__("die.constprop.0");\nint put('),
                         ("    *to = n * 3;", "    if (n > 1000) {\n        die(n);\n        return 0;\n    }\n    *to = n * 3;"),
                         base=base.replace("static void", "void"))
        self.assertEqual(assay("verify", "--heuristics=A,B,user", old, new).code, 1)
        r = assay("verify", "--heuristics=A,B,user", self.config({"error_functions": ["die"]}), old, new)
        self.assertEqual((r.code, r.err), (0, ""), r.out)

    def test_prototypes(self):
        base = 'extern int say(const char *, ...);\nint total;\nint put(int n) { return say("%d", n + 1) > 3; }\n'
        old, new = self.pair(("n + 1", "n + 2"), base=base, flags=["-g0"])
        for prototype, code in (({"arguments": 1}, 0), ({"arguments": 2}, 1), ({"arguments": 1, "variadic": True}, 1)):
            r = assay("verify", self.config({"prototypes": {"say": prototype}}), old, new)
            self.assertEqual((r.code, r.err), (code, ""), (prototype, r.out))
        # What is in the register at the end is no result when one says so.
        base = "int total;\nvoid put(int n) { total = n; __asm__ volatile(\"mov $4, %%eax\" ::: \"eax\"); }\n"
        old, new = self.pair(("$4", "$5"), base=base, flags=["-g0"])
        for returns, code in ((True, 1), (False, 0)):
            r = assay("verify", self.config({"prototypes": {"put": {"returns": returns}}}), old, new)
            self.assertEqual((r.code, r.err), (code, ""), (returns, r.out))

    def test_remedies(self):
        """What is not known says what to do about it, each remedy once, and doing it decides."""
        def twice(code):
            return "\n".join('__asm__(".globl {0}\\n.type {0}, @function\\n{0}: {1}\\n.size {0}, .-{0}");'.format(f, code) for f in ("put", "set"))
        old, new = self.pair(("%esi", "%ecx"), base=twice("push %rbx; mov 8(%rdi), %esi; mov %esi, 12(%rdi); call g@plt; xor %eax, %eax; pop %rbx; ret"))
        doc, f = self.function(old, new, code=3)
        self.assertIn("argument 2, if it takes that many", f["reason"])
        self.assertIn("numbers of arguments", f["remedy"])
        out = assay("verify", old, new).out
        self.assertEqual(re.findall("remedy for (.*): (.*)\n", out), [("2 functions", f["remedy"])])
        recovered = self.path("recovered.json")
        assay("verify", "--write-config", recovered, old, new)
        config = json.loads(read(recovered))
        for arguments, code in ((1, 0), (2, 1)):
            config["prototypes"]["g"]["arguments"] = arguments
            self.assertEqual(assay("verify", self.config(config), old, new).code, code, arguments)
        # Is what lies in the register a result, or was it only used to count with?
        old, new = self.pair(("%eax", "%ecx"), base=twice("mov (%rdi), %eax; test %eax, %eax; js 1f; add $1, %eax; mov %eax, (%rdi); ret; 1: ret"))
        doc, f = self.function(old, new, code=3)
        self.assertIn("whether the function returns a value", f["remedy"])
        for returns, code in ((True, 1), (False, 0)):
            config = {"prototypes": {name: {"returns": returns} for name in ("put", "set")}}
            self.assertEqual(assay("verify", self.config(config), old, new).code, code, returns)

    def test_names(self):
        """Functions of stripped programs go by the names they are given: in the report, in keys and in other entries."""
        text = """
int limit, seen;
__attribute__((noinline)) static void die(int n) { seen += n; __asm__ volatile("" ::: "memory"); limit = n; }
int start(int n)
{
#ifdef NEW
    if (n > limit) {
        die(n);
        return 9;
    }
#endif
    seen = n;
    return 9;
}
#ifndef NEW
int other(int n) { die(n); return n; }
#else
int other(int n) { die(n + 4); return n; }
#endif
"""
        source = self.write("s.c", text.encode())
        entry, path = {}, {}
        for side in "old", "new":
            out = self.path(side + ".so")
            link = ["x86_64-linux-gnu-gcc", "-O1", "-fcf-protection=none", "-shared", "-fPIC", "-nostdlib", "-fvisibility=hidden", source,
                    "-Wl,--no-gc-sections", "-o", out] + ["-DNEW"] * (side == "new")
            subprocess.run(link, check=True)
            entry[side] = {f["name"]: f["address"] for f in self.json("functions", "--json", out)["functions"]}
            subprocess.run(link + ["-s"], check=True)
            path[side] = out
        names = {side: {entry[side][f]: f for f in ("die", "start", "other")} for side in path}
        config = self.config({"names": names, "error_functions": ["die"]})
        r = assay("verify", "--json", "--heuristics=A,user", config, "--func=start", path["old"], path["new"])
        self.assertEqual((r.code, r.err), (0, ""), r.out)
        r = assay("verify", "--json", "--heuristics=A", config, "--func=other", path["old"], path["new"])
        self.assertEqual(r.code, 1, r.err)
        self.assertEqual(json.loads(r.out)["files"][0]["functions"][0]["differences"][0]["key"],
                         "other P4 argument 1 of die: die arg0 -> die arg0 + 4")

    def test_write(self):
        old, new = self.pair(ARGUMENT)
        path = self.path("recovered.json")
        assay("verify", "--write-config", path, old, new)
        wrote = json.loads(read(path))
        self.assertEqual(wrote["schema"], "assay/verify-config/1")
        self.assertIn("note", wrote["prototypes"])
        r = assay("verify", "--config", path, old, new)
        self.assertEqual((r.code, r.err), (1, ""))
        self.assertEqual(self.refused("verify", "--config", path, old, self.path("none"), says=["none"]).count("recovered"), 0)


class Answers(Verify):
    def test_questions(self):
        old, new = self.pair(ARGUMENT)
        path = self.path("answers.json")
        self.assertEqual(assay("verify", "--write-questions", path, old, new).code, 1)
        questions = json.loads(read(path))
        self.assertEqual(questions["schema"], "assay/answers/1")
        one = questions["answers"][0]
        self.assertEqual((one["answer"], one["function"], one["property"]), ("", "put", "P4"))
        # Not answered yet, and answered with no.
        for word in "", "no":
            one["answer"] = word
            self.write("answers.json", json.dumps(questions).encode())
            self.assertEqual(assay("verify", "--answers", path, old, new).code, 1)
        for one in questions["answers"]:
            one["answer"] = "yes"
        self.write("answers.json", json.dumps(questions).encode())
        r = assay("verify", "--answers", path, old, new)
        self.assertEqual((r.code, r.err), (0, ""), r.out)
        self.assertTrue(r.out.startswith("safe to apply, given %d accepted difference" % len(questions["answers"])), r.out)
        # The next build: everything lies elsewhere, and is compiled otherwise.
        old, new = self.build("old2.o", MOVED, flags=["-O2"]), self.build("new2.o", MOVED, ARGUMENT, flags=["-O2"])
        self.assertEqual(assay("verify", "--answers", path, old, new).code, 0)
        # Another difference is still one.
        self.assertEqual(assay("verify", "--answers", path, old, self.build("new3.o", ARGUMENT, RESULT)).code, 1)

    def test_what_is_accepted_travels(self):
        """Who calls a function of which a difference was accepted, through others or not, is safe given that only, changed or not, asked or not."""
        base = """
            int total, copy;
            __attribute__((noinline)) int put(int n) { if (n < 0) return -1; total = n * 3; return 0; }
            __attribute__((noinline)) int middle(int n) { return put(n + 1) + 3; }
            int caller(int n) { int r = middle(n); copy = total; return r; }
            int changed(int n) { int r = put(n); copy = total; return r * 2 + 1; }
            int apart(int n) { return n ^ 5; }
            """
        old, new = self.pair(("n * 3", "n * 5"), ("r * 2 + 1", "(r + r) | 1"), base=base, flags=("-fno-inline", "-fno-optimize-sibling-calls"))
        path = self.path("answers.json")
        self.assertEqual(assay("verify", "--write-questions", path, old, new).code, 1)
        self.write("answers.json", read(path).replace(b'"answer": ""', b'"answer": "yes"'))
        for function, status in ("changed", "safe"), ("changed", "not asked"), ("caller", "not asked"), ("apart", None):
            with self.subTest(function=function, status=status):
                only = ["--func", function] + (["--func", "put"] if status == "safe" else [])
                doc, f = self.function("--answers", path, *only, old, new, code=0, name=function)
                self.assertEqual([(c["name"], c["verdict"], c["given_accepted"]) for c in f["rests_on"]], [("put", status, True)] if status else [])
                out = self.ok("verify", "--answers", path, *only, old, new)
                self.assertEqual(", given what is accepted of put" in out, bool(status), out)
                self.assertEqual(out.startswith("safe to apply, given "), bool(status), out)

    def test_nothing_else_is_accepted(self):
        """What was accepted is one argument, one value in one place: not what else differs about the same call or in memory."""
        path = self.path("answers.json")
        other = ("*to = ", "to[1] = n + 1;\n    *to = ")
        for one, more in ((TEXT, ARGUMENT), (ARGUMENT, TEXT), (WRITE, other), (WRITE, ARGUMENT), (other, WRITE)):
            old, new = self.pair(one)
            assay("verify", "--write-questions", path, old, new)
            answers = read(path).replace(b'"answer": ""', b'"answer": "yes"')
            self.write("answers.json", answers)
            self.assertEqual(assay("verify", "--answers", path, old, new).code, 0, answers)
            r = assay("verify", "--answers", path, old, self.build("more.o", one, more))
            self.assertEqual(r.code, 1, r.out)

    def test_cleared_buffer(self):
        """That a local was cleared is accepted for the next build, too, in which it lies elsewhere; what else differs is not."""
        base = """int fill(char *b, int n); int send(const char *b, int n);
int put(int n) { char b[32]; if (n < 0) return -1; /**/ if (fill(b, 32)) return -1; return send(b, 32); }
"""
        clear, send = ("/**/", "b[0] = 0;"), ("send(b, 32)", "send(b, 31)")
        moved = ("char b[32];", "volatile long far[9]; char b[32]; far[8] = n;")
        old, new = self.pair(clear, base=base)
        path = self.path("answers.json")
        self.assertEqual(assay("verify", "--write-questions", path, old, new).code, 1)
        self.write("answers.json", read(path).replace(b'"answer": ""', b'"answer": "yes"'))
        self.assertEqual(assay("verify", "--answers", path, old, new).code, 0)
        old = self.build("old2.o", moved, base=base)
        self.assertEqual(assay("verify", "--answers", path, old, self.build("new2.o", moved, clear, base=base)).code, 0)
        self.assertEqual(assay("verify", "--answers", path, old, self.build("new3.o", moved, clear, send, base=base)).code, 1)

    def test_unprintable(self):
        """A key is the same in the file of answers as it was, whatever is in a string."""
        old, new = self.build("old.o", ('"put"', r'"\033[1mput \xff"')), self.build("new.o", ('"put"', r'"\033[1mset \xff"'))
        path = self.path("answers.json")
        self.assertEqual(assay("verify", "--write-questions", path, old, new).code, 1)
        self.write("answers.json", read(path).replace(b'"answer": ""', b'"answer": "yes"'))
        self.assertEqual(assay("verify", "--answers", path, old, new).code, 0)

    def test_malformed(self):
        old, new = self.pair(ARGUMENT)
        for text, place in (('{"answers": [{"key": "k", "answer": "perhaps"}]}', "1:27"), ('{"answers": [{"answer": "yes"}]}', "1:14"), ("{}", "1:1")):
            self.refused("verify", "--answers", self.write("a.json", text.encode()), old, new, says=["a.json:%s: " % place])

    def ask(self, answers, *args):
        leader, follower = pty.openpty()
        p = subprocess.Popen([ASSAY, "verify", "--ask", *args], stdin=follower, stdout=subprocess.PIPE, stderr=follower,
                             env=dict(os.environ, TERM="dumb"))
        os.close(follower)
        seen, left = b"", list(answers)
        while True:
            try:
                more = os.read(leader, 4096)
            except OSError:
                break
            if not more:
                break
            seen += more
            if seen.count(b"quit: ") > len(answers) - len(left) and left:
                os.write(leader, left.pop(0) + b"\n")
        os.close(leader)
        out = p.communicate()[0]
        return p.returncode, out.decode(), seen.decode()

    def test_terminal(self):
        old, new = self.pair(ARGUMENT)
        path = self.path("project.json")
        code, out, seen = self.ask([b"explain", b"yes"] + [b"yes"] * 5, "--answers", path, old, new)
        self.assertEqual(code, 0, seen)
        self.assertTrue(out.startswith("safe to apply, given "), out)
        self.assertIn("put: An argument changed.", seen)
        self.assertIn("key ", seen)
        # It is remembered.
        self.assertEqual(assay("verify", "--answers", path, old, new).code, 0)
        code, out, seen = self.ask([], "--answers", path, old, new)
        self.assertEqual((code, "quit: " in seen), (0, False))

    def test_refused(self):
        old, new = self.pair(ARGUMENT)
        code, out, _ = self.ask([b"no"] * 5, old, new)
        self.assertEqual(code, 1)
        self.assertTrue(out.startswith("not safe to apply"), out)


class Reports(Verify):
    def sarif(self, *args):
        r = assay("verify", "--sarif", *args)
        return r.code, json.loads(r.out)

    def test_sarif(self):
        code, doc = self.sarif(*self.pair(ARGUMENT))
        self.assertEqual((code, doc["version"]), (1, "2.1.0"))
        run = doc["runs"][0]
        self.assertEqual([r["id"] for r in run["tool"]["driver"]["rules"]], ["assay/P1", "assay/P2", "assay/P3", "assay/P4", "assay/file", "assay/unknown"])
        result = run["results"][0]
        self.assertEqual((result["ruleId"], result["level"]), ("assay/P4", "error"))
        self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], "assay/P4")
        place = result["locations"][0]
        self.assertEqual(place["physicalLocation"]["artifactLocation"]["uri"], "new.o.c")
        self.assertGreater(place["physicalLocation"]["region"]["startLine"], 1)
        self.assertEqual(place["logicalLocations"][0]["name"], "put")
        # The same result in the next build.
        _, again = self.sarif(self.build("old2.o", MOVED), self.build("new2.o", MOVED, ARGUMENT))
        prints = [[r["partialFingerprints"] for r in d["runs"][0]["results"]] for d in (doc, again)]
        self.assertEqual(*prints)

    def test_page(self):
        page = self.path("page.html")
        old, new = self.pair(ARGUMENT)
        self.assertEqual(assay("verify", "--html", page, old, new).code, 1)
        text = read(page).decode()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        self.assertEqual(text.count("<svg "), 2)
        for outside in ("src=", "<link", "@import", "url(http"):
            self.assertNotIn(outside, text)
        self.assertEqual(set(re.findall(r'https?://[^"\s<]*', text)), {"http://www.w3.org/2000/svg"})
        with_page = assay("verify", "--json", "--html", page, old, new).out
        self.assertEqual(with_page, assay("verify", "--json", old, new).out)
        r = assay("verify", "--html", self.path("no/where.html"), old, new)
        self.assertEqual(r.code, 3)
        self.assertIn("cannot write", r.err)

    def test_page_steps(self):
        """Memory at a step is what the code there read, not what the call that ends it left behind."""
        base = "extern int note(int n);\nint put(int *at) { return note(*at + 1) > 7 ? *at : 3; }\n"
        old, new = self.pair(("*at + 1", "*at + 2"), base=base)
        page = self.path("page.html")
        doc = self.json("verify", "--json", "--html", page, old, new, code=1)
        given = {i["name"]: i["value"] for i in doc["files"][0]["functions"][0]["differences"][0]["inputs"]}
        seen = re.findall(r"reads \[%s\] = (0x\w+)" % given["at"], read(page).decode())
        self.assertEqual(len(seen) >= 2 and seen[0], given["*at"])
        steps = re.findall(r"<tbody>(.*?)</tbody>", read(page).decode(), re.S)
        first = [re.search(r"reads \[%s\] = (0x\w+)" % given["at"], s) for s in steps]
        self.assertEqual({m.group(1) for m in first if m}, {given["*at"]})

    def test_stats(self):
        old, new = self.pair(ARGUMENT)
        r = assay("verify", "--stats", "--json", old, new)
        self.assertIn("queries", json.loads(r.out)["files"][0]["functions"][0]["stats"])
        self.assertRegex(r.err, r"(?m)^  queries +\d+$")


main()
