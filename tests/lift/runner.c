/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs differential test cases on the processor it is compiled for: loads the registers, jumps to the code, stores
 * the registers. `runner CASES RESULTS`. A case that raises a signal is recorded with the signal.
 *
 * The code page, the data page and the context page have fixed low addresses. The code ends in a jump to `leave`,
 * which must store every register without having one free: x86 uses absolute addressing; ARM and AArch64 keep the
 * context's address in r9 and x28, which the generated code never touches. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

/* At CASE_CONTEXT. The assembly below knows these offsets. */
struct context {
    struct machine_state state; /* 0: loaded from here, stored to here */
    uint64_t host_sp;           /* 1296 */
    uint64_t host_extra;        /* 1304 */
    uint64_t code;              /* 1312: where to jump */
};
_Static_assert(offsetof(struct context, state.flags) == 256, "flags");
_Static_assert(offsetof(struct context, state.fpflags) == 264, "fpflags");
_Static_assert(offsetof(struct context, state.vector) == 272, "vector");
_Static_assert(offsetof(struct context, host_sp) == 1296, "host_sp");
_Static_assert(offsetof(struct context, code) == 1312, "code");

void enter(void);
void leave(void);

#if defined(__x86_64__)
/* x86-64: general registers at 8*n, ymm at 272+32*n; context at 0x30000000. */
#define VEC(op) \
    op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)
#define LOADV(n) "vmovdqu 0x30000110+32*" #n ", %ymm" #n "\n"
#define STOREV(n) "vmovdqu %ymm" #n ", 0x30000110+32*" #n "\n"
__asm__(".text\n.globl enter\nenter:\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, 0x30000510\n" VEC(LOADV)
        "pushq 0x30000100\npopfq\n"
        "mov 0x30000000, %rax\nmov 0x30000008, %rcx\nmov 0x30000010, %rdx\nmov 0x30000018, %rbx\n"
        "mov 0x30000020, %rsp\nmov 0x30000028, %rbp\nmov 0x30000030, %rsi\nmov 0x30000038, %rdi\n"
        "mov 0x30000040, %r8\nmov 0x30000048, %r9\nmov 0x30000050, %r10\nmov 0x30000058, %r11\n"
        "mov 0x30000060, %r12\nmov 0x30000068, %r13\nmov 0x30000070, %r14\nmov 0x30000078, %r15\n"
        "jmp *0x30000520\n"
        ".globl leave\nleave:\n"
        "mov %rax, 0x30000000\nmov %rcx, 0x30000008\nmov %rdx, 0x30000010\nmov %rbx, 0x30000018\n"
        "mov %rsp, 0x30000020\nmov %rbp, 0x30000028\nmov %rsi, 0x30000030\nmov %rdi, 0x30000038\n"
        "mov %r8, 0x30000040\nmov %r9, 0x30000048\nmov %r10, 0x30000050\nmov %r11, 0x30000058\n"
        "mov %r12, 0x30000060\nmov %r13, 0x30000068\nmov %r14, 0x30000070\nmov %r15, 0x30000078\n"
        "mov 0x30000510, %rsp\npushfq\npopq 0x30000100\n" VEC(STOREV)
        "cld\npushq $0x202\npopfq\nvzeroupper\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");

/* jmp *[rip+0]; address */
static unsigned put_jump(uint8_t *at, unsigned thumb)
{
    (void)thumb;
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    uint64_t target = (uint64_t)(uintptr_t)leave;
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
    return sizeof jump + sizeof target;
}
#elif defined(__i386__)
#define VEC(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define LOADV(n) "movdqu 0x30000110+32*" #n ", %xmm" #n "\n"
#define STOREV(n) "movdqu %xmm" #n ", 0x30000110+32*" #n "\n"
__asm__(".text\n.globl enter\nenter:\n"
        "push %ebx\npush %ebp\npush %esi\npush %edi\n"
        "mov %esp, 0x30000510\n" VEC(LOADV)
        "pushl 0x30000100\npopfl\n"
        "mov 0x30000000, %eax\nmov 0x30000008, %ecx\nmov 0x30000010, %edx\nmov 0x30000018, %ebx\n"
        "mov 0x30000020, %esp\nmov 0x30000028, %ebp\nmov 0x30000030, %esi\nmov 0x30000038, %edi\n"
        "jmp *0x30000520\n"
        ".globl leave\nleave:\n"
        "mov %eax, 0x30000000\nmov %ecx, 0x30000008\nmov %edx, 0x30000010\nmov %ebx, 0x30000018\n"
        "mov %esp, 0x30000020\nmov %ebp, 0x30000028\nmov %esi, 0x30000030\nmov %edi, 0x30000038\n"
        "mov 0x30000510, %esp\npushfl\npopl 0x30000100\n" VEC(STOREV)
        "cld\npushl $0x202\npopfl\nemms\n"
        "pop %edi\npop %esi\npop %ebp\npop %ebx\nret\n");

/* jmp rel32 */
static unsigned put_jump(uint8_t *at, unsigned thumb)
{
    (void)thumb;
    uint32_t offset = (uint32_t)(uintptr_t)leave - ((uint32_t)(uintptr_t)at + 5);
    at[0] = 0xe9;
    memcpy(at + 1, &offset, sizeof offset);
    return 5;
}
#elif defined(__aarch64__)
#define PAIRS(op) op(0, 1) op(2, 3) op(4, 5) op(6, 7) op(8, 9) op(10, 11) op(12, 13) op(14, 15) op(16, 17) op(18, 19) op(20, 21) op(22, 23) op(24, 25) op(26, 27)
#define VECS(op) \
    op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15) op(16) op(17) \
        op(18) op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) op(29) op(30) op(31)
#define LOADP(a, b) "ldp x" #a ", x" #b ", [x28, #8*" #a "]\n"
#define STOREP(a, b) "stp x" #a ", x" #b ", [x28, #8*" #a "]\n"
#define LOADV(n) "ldr q" #n ", [x28, #272+32*" #n "]\n"
#define STOREV(n) "str q" #n ", [x28, #272+32*" #n "]\n"
__asm__(".text\n.globl enter\nenter:\n"
        "stp x29, x30, [sp, #-176]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x28, #0x30000000\n"
        "mov x0, sp\nstr x0, [x28, #1296]\nmrs x0, fpsr\nstr x0, [x28, #1304]\n"
        "ldr x0, [x28, #264]\nmsr fpsr, x0\nldr x0, [x28, #256]\nmsr nzcv, x0\n"
        "ldr x0, [x28, #248]\nmov sp, x0\n" VECS(LOADV) PAIRS(LOADP)
        "ldp x29, x30, [x28, #232]\n"
        "ldr x28, [x28, #1312]\nbr x28\n"
        ".globl leave\nleave:\n"
        PAIRS(STOREP)
        "stp x29, x30, [x28, #232]\nmov x0, sp\nstr x0, [x28, #248]\n"
        "mrs x0, nzcv\nstr x0, [x28, #256]\nmrs x0, fpsr\nstr x0, [x28, #264]\n" VECS(STOREV)
        "ldr x0, [x28, #1304]\nmsr fpsr, x0\n"
        "ldr x0, [x28, #1296]\nmov sp, x0\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\nldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\nldp x29, x30, [sp], #176\nret\n");

/* Both jumps go through x28, which is reserved and constant: whoever is jumped to puts the constant back. */
static unsigned put_jump(uint8_t *at, unsigned thumb)
{
    (void)thumb;
    static const uint32_t jump[] = {0x5800005c /* ldr x28, .+8 */, 0xd61f0380 /* br x28 */};
    extern void leave_stub(void);
    uint64_t target = (uint64_t)(uintptr_t)leave_stub;
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
    return sizeof jump + sizeof target;
}
__asm__(".text\n.globl leave_stub\nleave_stub:\nmov x28, #0x30000000\nb leave\n");
#define ENTRY_PREFIX 0xd2a6001c /* mov x28, #0x30000000 */
#elif defined(__arm__)
__asm__(".text\n.arm\n.syntax unified\n.globl enter\nenter:\n"
        "push {r4-r11, lr}\nvpush {d8-d15}\n"
        "mov r9, #0x30000000\nadd r8, r9, #0x500\nstr sp, [r8, #0x10]\nvmrs r0, fpscr\nstr r0, [r8, #0x18]\n"
        "ldr r0, [r9, #264]\nvmsr fpscr, r0\nldr r0, [r9, #256]\nmsr APSR_nzcvqg, r0\n"
        "add r0, r9, #272\n"
        ".irp d,0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30\nvldr d\\d, [r0]\nadd r0, r0, #32\n.endr\n"
        "add r0, r9, #272\n"
        ".irp d,1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31\nvldr d\\d, [r0, #8]\nadd r0, r0, #32\n.endr\n"
        "ldr r0, [r9, #0]\nldr r1, [r9, #8]\nldr r2, [r9, #16]\nldr r3, [r9, #24]\nldr r4, [r9, #32]\nldr r5, [r9, #40]\n"
        "ldr r6, [r9, #48]\nldr r7, [r9, #56]\nldr r8, [r9, #64]\nldr r10, [r9, #80]\nldr r11, [r9, #88]\nldr r12, [r9, #96]\n"
        "ldr sp, [r9, #104]\nldr lr, [r9, #112]\n"
        "ldr pc, [r9, #1312]\n"
        ".globl leave\nleave:\n"
        "mov r9, #0x30000000\n"
        "str r0, [r9, #0]\nstr r1, [r9, #8]\nstr r2, [r9, #16]\nstr r3, [r9, #24]\nstr r4, [r9, #32]\nstr r5, [r9, #40]\n"
        "str r6, [r9, #48]\nstr r7, [r9, #56]\nstr r8, [r9, #64]\nstr r10, [r9, #80]\nstr r11, [r9, #88]\nstr r12, [r9, #96]\n"
        "str sp, [r9, #104]\nstr lr, [r9, #112]\n"
        "mrs r0, APSR\nstr r0, [r9, #256]\nvmrs r0, fpscr\nstr r0, [r9, #264]\n"
        "add r0, r9, #272\n"
        ".irp d,0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30\nvstr d\\d, [r0]\nadd r0, r0, #32\n.endr\n"
        "add r0, r9, #272\n"
        ".irp d,1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31\nvstr d\\d, [r0, #8]\nadd r0, r0, #32\n.endr\n"
        "add r8, r9, #0x500\nldr r0, [r8, #0x18]\nvmsr fpscr, r0\nldr sp, [r8, #0x10]\n"
        "vpop {d8-d15}\npop {r4-r11, pc}\n");

/* ARM: ldr pc, [pc, #-4]; Thumb: ldr.w pc, [pc, #0] on a word boundary (padded with nop). */
static unsigned put_jump(uint8_t *at, unsigned thumb)
{
    uint32_t target = (uint32_t)(uintptr_t)leave;
    unsigned n = 0;
    if (thumb) {
        if ((uintptr_t)at & 2) {
            at[n++] = 0x00;
            at[n++] = 0xbf;
        }
        static const uint8_t jump[] = {0xdf, 0xf8, 0x00, 0xf0};
        memcpy(at + n, jump, 4);
    } else {
        static const uint32_t jump = 0xe51ff004;
        memcpy(at, &jump, 4);
    }
    memcpy(at + n + 4, &target, 4);
    return n + 8;
}
#else
#error "no runner for this processor"
#endif

static sigjmp_buf back;

static void on_signal(int signal)
{
    siglongjmp(back, signal);
}

static void *map_at(uint32_t address, size_t size, int prot)
{
    void *p = mmap((void *)(uintptr_t)address, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (p == MAP_FAILED) {
        perror("runner: mmap");
        exit(2);
    }
    return p;
}

static void run(const struct diff_case *c, struct diff_result *r)
{
    struct context *ctx = (struct context *)(uintptr_t)CASE_CONTEXT;
    uint8_t *code = (uint8_t *)(uintptr_t)CASE_CODE;
    memset(code, 0, 4096);
    memcpy(code, c->code, c->code_len);
    unsigned n = put_jump(code + c->code_len, c->thumb);
    __builtin___clear_cache((char *)code - 4, (char *)code + c->code_len + n);
    case_fill_data(c->data_seed, (uint8_t *)(uintptr_t)CASE_DATA);
    ctx->state = c->before;
    ctx->code = CASE_CODE | (c->thumb ? 1 : 0);
#ifdef ENTRY_PREFIX
    static const uint32_t prefix = ENTRY_PREFIX;
    memcpy(code - sizeof prefix, &prefix, sizeof prefix);
    ctx->code -= sizeof prefix;
#endif
    int signal = sigsetjmp(back, 1);
    if (signal == 0)
        enter();
    r->signal = (uint32_t)signal;
    r->after = ctx->state;
    memcpy(r->data, (void *)(uintptr_t)CASE_DATA, CASE_DATA_BYTES);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: runner CASES RESULTS\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
    if (!in || !out) {
        perror("runner");
        return 2;
    }
    map_at(CASE_CODE - 4096, 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    map_at(CASE_DATA, CASE_DATA_BYTES, PROT_READ | PROT_WRITE);
    map_at(CASE_CONTEXT, 4096, PROT_READ | PROT_WRITE);
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    static struct diff_case c;
    static struct diff_result r;
    while (fread(&c, sizeof c, 1, in) == 1) {
        if (c.code_len > CASE_CODE_BYTES)
            return 2;
        memset(&r, 0, sizeof r);
        run(&c, &r);
        if (fwrite(&r, sizeof r, 1, out) != 1)
            return 2;
    }
    return fclose(out) ? 2 : 0;
}
