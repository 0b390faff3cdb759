/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hand-assembled instructions of the five instruction sets, and what their IR must look like. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lift/lift.h"
#include "test.h"

enum { AMD64 = MACHINE_AMD64, X86 = MACHINE_X86, ARM = MACHINE_ARM, ARM64 = MACHINE_ARM64 };

static size_t parse_hex(const char *hex, uint8_t *out, size_t cap)
{
    size_t n = 0;
    for (; *hex; hex += 2) {
        while (*hex == ' ')
            hex++;
        if (!*hex)
            break;
        unsigned byte;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        assert_true(n < cap);
        out[n++] = (uint8_t)byte;
    }
    return n;
}

struct lifted {
    struct lifter *lifter;
    struct arena arena;
    struct ir_block block;
    struct buf text;
};

static struct lifted lift(int arch, ir_label label, const char *hex, unsigned max_insns)
{
    struct lifted l = {.arena = ARENA_INIT, .text = BUF_INIT};
    struct error err;
    uint8_t bytes[2048];
    size_t n = parse_hex(hex, bytes, sizeof bytes);
    l.lifter = lifter_new((enum machine_arch)arch, &err);
    assert_non_null(l.lifter);
    lift_block(l.lifter, label, bytes, n, max_insns, &l.arena, &l.block);
    struct ir_pures pures = lift_pures();
    ir_print_block(&l.text, &l.block, lift_machine((enum machine_arch)arch), &pures);
    struct buf why = BUF_INIT;
    if (!ir_validate(&l.block, lift_machine((enum machine_arch)arch), &pures, &why))
        fail_msg("%s: %s", hex, buf_text(&why));
    buf_free(&why);
    return l;
}

static void release(struct lifted *l)
{
    lifter_free(l->lifter);
    arena_free(&l->arena);
    buf_free(&l->text);
}

/* What must be in the printed block, pieces separated by '|'; a piece after '!' must not be. */
struct shape {
    int arch;
    ir_label label;
    const char *bytes, *expected;
};

static const struct shape shapes[] = {
    /* comparisons and branches */
    {AMD64, 0x1000, "39f7 7c05", "slt|goto 0x1009|goto 0x1004|!ite|!amd64g"},
    {AMD64, 0x1000, "4839f7 7605", "ule"},
    {AMD64, 0x1000, "85ff 7405", "eq|goto"},
    {AMD64, 0x1000, "83c001 7005", "extract|goto"},
    {AMD64, 0x1000, "31c9 0fa3c8 0f92c0", "rax|!amd64g"},
    {X86, 0x1000, "39f7 7c05", "slt|!x86g"},
    {ARM, 0x1000, "010050e1 0000000b", "if|call 0x100c|goto 0x1008|eq"},
    {ARM, 0x1000, "010050e1 000000ba", "slt|!armg"},
    {ARM, 0x1001, "8842 01db", "slt|goto 0x1009"},
    {ARM64, 0x1000, "1f0001eb 4b000054", "slt|!arm64g"},
    {ARM64, 0x1000, "200000b4", "eq|goto 0x1004"},
    /* calls and returns */
    {AMD64, 0x1000, "e8fb000000", "call 0x1100, then 0x1005"},
    {AMD64, 0x1000, "ffd0", "call|then 0x1002|rax"},
    {AMD64, 0x1000, "c3", "return"},
    {AMD64, 0x1000, "ffe0", "goto"},
    {X86, 0x1000, "e800000000 5b", "ebx = 0x1005|!call"},
    {X86, 0x1000, "c20800", "return"},
    {ARM, 0x1000, "1eff2fe1", "return|r14"},
    {ARM, 0x1000, "1eff2f11", "if|goto 0x1004|return"},
    {ARM, 0x1000, "0080bd18", "if|goto 0x1004|return"},
    {ARM, 0x1000, "0fe0a0e1 13ff2fe1", "call|then 0x1008|r3"},
    {ARM, 0x1001, "00f0fef8", "call 0x1201, then 0x1005"},
    {ARM, 0x1001, "00f0feec", "call 0x1a00, then 0x1005"},
    {ARM, 0x1001, "7047", "return"},
    {ARM64, 0x1000, "c0035fd6", "return|x30"},
    {ARM64, 0x1000, "00003fd6", "call|then 0x1004"},
    /* position-dependent constants */
    {AMD64, 0x1000, "488d0510000000 c3", "rax = 0x1017"},
    {ARM, 0x1000, "0f00a0e1 1eff2fe1", "r0 = 0x1008"},
    {ARM, 0x10001, "0048 7047", "mem:32[0x10004:32]"},
    {ARM, 0x10003, "0048 7047", "mem:32[0x10004:32]"},
    {ARM, 0xfffffff1, "7846 7047", "r0 = 0xfffffff4"},
    {ARM64, 0x1000, "80000010 c0035fd6", "x0 = 0x1010"},
    /* traps and system calls */
    {AMD64, 0x1000, "0f0b", "trap"},
    {AMD64, 0x1000, "cc", "trap"},
    {AMD64, 0x1000, "f4", "trap"},
    {AMD64, 0x1000, "0f05", "syscall"},
    {X86, 0x1000, "cd80", "syscall"},
    {ARM, 0x1000, "000000ef", "syscall"},
    {ARM, 0x1001, "00df", "syscall"},
    {ARM, 0x1001, "ffde", "trap"},
    {ARM, 0x1000, "f000f0e7", "trap"},
    {ARM64, 0x1000, "010000d4", "syscall"},
    {ARM64, 0x1000, "000020d4", "trap"},
    {ARM64, 0x1000, "00000000", "trap"},
    {AMD64, 0x1000, "f7f1 90c3", "trap at 0x1000|udiv"},
    {AMD64, 0x1000, "f7f1 31c0 31d2 c3", "trap at 0x1000|!udiv"},
    {AMD64, 0x1000, "99f7f9 c3", "trap at 0x1001|0x80000000"},
    /* segments, atomics, exclusive accesses, fences */
    {AMD64, 0x1000, "64488b042528000000 c3", "fs_base"},
    {X86, 0x1000, "65a114000000 c3", "gs_base"},
    {AMD64, 0x1000, "f00fc107 c3", "mem:32|!goto|!ite"},
    {AMD64, 0x1000, "f00fb10f c3", "mem:32|eq"},
    {AMD64, 0x1000, "0faef0 c3", "fence"},
    {ARM64, 0x1000, "407c5fc8 407c01c8 c0035fd6", "<monitor_valid>|<monitor_address>"},
    {ARM64, 0x1000, "2000a1b8 c0035fd6", "mem:32|!goto"},
    {ARM, 0x1000, "9f0f91e1 90cf81e1 1eff2fe1", "<monitor_valid>"},
    /* intrinsics */
    {AMD64, 0x1000, "0fa2 c3", "cpuid|reads rax, rcx"},
    {X86, 0x1000, "0fa2 c3", "cpuid|reads eax, ecx"},
    {AMD64, 0x1000, "8cd8 c3", "rax = |event selector:ds|!unknown"},
    {AMD64, 0x1000, "668cc8 c3", "rax[15:0] = |event selector:cs"},
    {AMD64, 0x1000, "8c27 c3", "mem:16|event selector:fs"},
    /* pointer authentication; what protects return addresses is left out */
    {ARM64, 0x1000, "2000c1da e21fc1da e343c1da c0035fd6", "event pacia|event autdb|event xpaci|!unknown"},
    {ARM64, 0x1000, "01083fd7", "event autia|call"},
    {ARM64, 0x1000, "9f081fd6", "event autia|goto"},
    {ARM64, 0x1000, "1f2103d5 c0035fd6", "x17 = |event pacia"},
    {ARM64, 0x1000, "3f2303d5 ff0b5fd6", "!event|return"},
    {AMD64, 0x1000, "0f31 c3", "rdtsc"},
    {AMD64, 0x1000, "660f38dcc1 c3", "x86:aesenc"},
    {AMD64, 0x1000, "db2f c3", "x87:f80to64|mem:80"},
    {ARM64, 0x1000, "40e03bd5 c0035fd6", "mrs:cntvct_el0"},
    {ARM64, 0x1000, "0048284e c0035fd6", "arm64g_dirtyhelper_AESE|!unknown"},
    /* extensions VEX decodes when told that the processor has them */
    {AMD64, 0x1000, "f30fb8c1 f30fbdd1 f30fbcd9 c3", "clz|ctz|!unknown"},
    {AMD64, 0x1000, "0f38f007 f3480f38f6c1 c4e2f0f3d9 c4e2fdb8c1 c3", "!unknown"},
    {AMD64, 0x1000, "f30f1efa 0fc7f0 c4e27913c1 c5fdfec1 c3", "!unknown|rdrand"},
    {ARM64, 0x1000, "3f2303d5 5f2403d5 bf2303d5 c0035fd6", "!unknown"},
    {ARM64, 0x1000, "4140c11a 3b28206e 2028e11e c0035fd6", "!.byte"},
    /* conditional execution */
    {ARM, 0x1000, "010050e1 0200a0c1 1eff2fe1", "slt|ite|r0"},
    {ARM, 0x1001, "8842 c8bf 1046 7047", "slt|ite|r0"},
    /* Valgrind's own instructions are what the processor makes of them */
    {AMD64, 0x1000, "48c1c703 48c1c70d 48c1c73d 48c1c733 4887db c3", "return|!<nraddr>"},
    {AMD64, 0x1000, "48c1c703 48c1c70d 48c1c73d 48c1c733 4887ff c3", "return"},
};

static void test_shapes(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        struct lifted l = lift(s->arch, s->label, s->bytes, 0);
        char expected[256];
        snprintf(expected, sizeof expected, "%s", s->expected);
        for (char *save, *piece = strtok_r(expected, "|", &save); piece; piece = strtok_r(NULL, "|", &save)) {
            bool absent = piece[0] == '!';
            if (!!strstr(buf_text(&l.text), piece + absent) == absent) {
                print_error("%s: %s\"%s\" in\n%s", s->bytes, absent ? "" : "no ", piece + absent,
                            buf_text(&l.text));
                wrong++;
            }
        }
        release(&l);
    }
    assert_int_equal(wrong, 0);
}

/* A block may be one instruction long: only a stepper does not know whether it is under an IT instruction. */
static void test_one_thumb_instruction_is_not_under_it(void **state)
{
    (void)state;
    struct lifted l = lift(ARM, 0x1001, "0120 0220", 1),
                  step = lift(ARM, 0x1001, "0120 0220", LIFT_STEP); /* movs r0, #1 */
    assert_int_equal(l.block.nmark, 1);
    assert_int_equal(step.block.nmark, 1);
    assert_null(strstr(buf_text(&l.text), "itstate"));
    assert_non_null(strstr(buf_text(&step.text), "itstate"));
    release(&l);
    release(&step);
}

static void test_max_insns_is_exact(void **state)
{
    (void)state;
    static const struct {
        int arch;
        ir_label label;
        const char *nops;
        unsigned length;
    } code[] = {
        {AMD64, 0x1000, "90 90 90 90 90 90 90 90 c3", 1},
        {X86, 0x1000, "90 90 90 90 90 90 90 90 c3", 1},
        {ARM, 0x1000, "00f020e3 00f020e3 00f020e3 00f020e3 1eff2fe1", 4},
        {ARM, 0x1001, "00bf 00bf 00bf 00bf 00bf 7047", 2},
        {ARM64, 0x1000, "1f2003d5 1f2003d5 1f2003d5 1f2003d5 c0035fd6", 4},
    };
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        for (unsigned max = 1; max <= 4; max++) {
            struct lifted l = lift(code[i].arch, code[i].label, code[i].nops, max);
            assert_int_equal(l.block.nmark, max);
            assert_int_equal(l.block.bytes, max * code[i].length);
            assert_int_equal(l.block.end.kind, IR_END_JUMP);
            assert_true(l.block.end.label == code[i].label + max * code[i].length);
            release(&l);
        }
        struct lifted l = lift(code[i].arch, code[i].label, code[i].nops, 0);
        assert_int_equal(l.block.end.kind, IR_END_RET);
        release(&l);
    }
}

static void test_marks_have_no_thumb_bit_and_labels_do(void **state)
{
    (void)state;
    struct lifted l = lift(ARM, 0x1001, "00bf fee7", 0);
    assert_true(l.block.label == 0x1001);
    assert_true(l.block.mark[0].address == 0x1000 && l.block.mark[1].address == 0x1002);
    assert_true(l.block.end.label == 0x1003);
    release(&l);
}

static void test_undecoded_instructions_are_named_and_counted(void **state)
{
    (void)state;
    /* vpaddd zmm0, zmm1, zmm2; kmovq rdx, k4; then plain code */
    struct lifted l = lift(AMD64, 0x1000, "62f17548fec2 c4e1fb93d4 4889d0 c3", 0);
    assert_int_equal(l.block.nunknown, 2);
    assert_true(l.block.unknown[0].avx512 && l.block.unknown[1].avx512);
    assert_int_equal(l.block.unknown[0].length, 6);
    assert_false(l.block.unknown[0].mem_write);
    uint16_t offset, width;
    assert_true(machine_register_find(lift_machine(MACHINE_AMD64), "rdx", &offset, &width));
    assert_int_equal(l.block.unknown[1].nwrites, 1);
    assert_int_equal(l.block.unknown[1].writes[0].offset, offset);
    assert_int_equal(l.block.end.kind, IR_END_RET);
    assert_true(lifter_stats(l.lifter).undecoded_avx512 == 2 && lifter_stats(l.lifter).undecoded == 0);
    assert_int_equal(l.block.nmark, 4);
    release(&l);

    /* a store with a mask: memory may change */
    l = lift(AMD64, 0x1000, "62f17f497f07 c3", 0);
    assert_true(l.block.unknown[0].mem_write);
    release(&l);

    /* SVE: ptrue p0.b; ret */
    l = lift(ARM64, 0x1000, "e0e31825 c0035fd6", 0);
    assert_int_equal(l.block.nunknown, 1);
    assert_int_equal(l.block.end.kind, IR_END_RET);
    assert_true(lifter_stats(l.lifter).undecoded == 1);
    release(&l);

    /* no instruction at all */
    l = lift(AMD64, 0x1000, "90 06", 0);
    assert_int_equal(l.block.end.kind, IR_END_UNKNOWN);
    assert_int_equal(l.block.nunknown, 1);
    assert_true(l.block.unknown[0].all_registers && l.block.unknown[0].mem_write);
    assert_int_equal(l.block.nmark, 1);
    release(&l);
}

static void test_instructions_that_libvex_mistakes_are_not_decoded(void **state)
{
    (void)state;
    static const char *const mistaken[] = {
        "00dc615e", /* fmulx d0, d0, d1 */
        "00dc214e", /* fmulx v0.4s, v0.4s, v1.4s */
        "0098c16f", /* fmulx v0.2d, v0.2d, v1.d[1] */
        "0098a17f", /* fmulx s0, s0, v1.s[3] */
        "0068617e", /* fcvtxn s0, d0 */
        "2068616e", /* fcvtxn2 v0.4s, v1.2d */
        "0008e11e", /* fmul h0, h0, h1 */
        "0018e11e", /* fdiv h0, h0, h1 */
        "00f8304e", /* fmaxv h0, v0.8h */
        "00c8b04e", /* fminnmv h0, v0.8h */
        "2084426e", /* sqrdmlah v0.8h, v1.8h, v2.8h */
        "208c827e", /* sqrdmlsh s0, s1, s2 */
        "20f0a26f", /* sqrdmlsh v0.4s, v1.4s, v2.s[1] */
        "20d0727f", /* sqrdmlah h0, h1, v2.h[3] */
    };
    static const char *const plain[] = {
        "00dc216e", /* fmul v0.4s, v0.4s, v1.4s */
        "0028e11e", /* fadd h0, h0, h1 */
        "00f8306e", /* fmaxv s0, v0.4s */
        "2068614e", /* fcvtn2 v0.4s, v1.2d */
    };
    for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++) {
        struct lifted l = lift(ARM64, 0x1000, mistaken[i], 1);
        if (l.block.nunknown != 1)
            fail_msg("%s is decoded", mistaken[i]);
        release(&l);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        struct lifted l = lift(ARM64, 0x1000, plain[i], 1);
        if (l.block.nunknown != 0)
            fail_msg("%s is not decoded", plain[i]);
        release(&l);
    }
}

static void test_bytes_that_end_too_early(void **state)
{
    (void)state;
    struct lifted l = lift(AMD64, 0x1000, "", 0);
    assert_int_equal(l.block.end.kind, IR_END_UNKNOWN);
    assert_int_equal(l.block.ninsn, 0);
    assert_int_equal(l.block.bytes, 0);
    release(&l);

    /* two whole instructions and the beginning of a third */
    l = lift(AMD64, 0x1000, "90 4889c8 48c7c0", 0);
    assert_int_equal(l.block.nmark, 2);
    assert_int_equal(l.block.bytes, 4);
    assert_int_equal(l.block.end.kind, IR_END_JUMP);
    assert_true(l.block.end.label == 0x1004);
    release(&l);

    l = lift(AMD64, 0x1000, "48c7c0", 0);
    assert_int_equal(l.block.end.kind, IR_END_UNKNOWN);
    release(&l);

    l = lift(ARM64, 0x1000, "1f2003", 0);
    assert_int_equal(l.block.end.kind, IR_END_UNKNOWN);
    release(&l);

    l = lift(ARM, 0x1001, "00bf fe", 0);
    assert_int_equal(l.block.nmark, 1);
    release(&l);
}

static void test_straight_code_longer_than_vex_takes(void **state)
{
    (void)state;
    char hex[1024] = "";
    for (unsigned i = 0; i < 250; i++)
        strcat(hex, "90 ");
    struct lifted l = lift(AMD64, 0x1000, hex, 0);
    assert_int_equal(l.block.end.kind, IR_END_JUMP);
    assert_true(l.block.nmark >= 50 && l.block.bytes == l.block.nmark);
    assert_true(l.block.end.label == 0x1000 + l.block.bytes);
    release(&l);
    l = lift(AMD64, 0x1000, hex, 200);
    assert_int_equal(l.block.nmark, 200);
    release(&l);
}

static void test_known_flags_make_plain_comparisons(void **state)
{
    (void)state;
    /* cmp rdi, rsi; jl: the second jump of a three-way comparison follows in a block of its own. */
    struct lifted l = lift(AMD64, 0x1000, "4839f7 7c05", 0);
    uint64_t cc_op;
    assert_false(lift_uses_flags(&l.block, MACHINE_AMD64));
    assert_true(lift_flags_at(&l.block, MACHINE_AMD64, l.block.ninsn, &cc_op));
    struct ir_block plain, after;
    const uint8_t je[] = {0x74, 0x05};
    lift_block(l.lifter, 0x1005, je, sizeof je, 0, &l.arena, &plain);
    assert_true(lift_uses_flags(&plain, MACHINE_AMD64));
    assert_false(lift_flags_at(&plain, MACHINE_AMD64, plain.ninsn, &cc_op));
    lift_block_after(l.lifter, cc_op, 0x1005, je, sizeof je, 0, &l.arena, &after);
    assert_false(lift_uses_flags(&after, MACHINE_AMD64));
    assert_true(after.ninsn < 10 && plain.ninsn > 50);
    release(&l);
}

static void test_disassembly(void **state)
{
    (void)state;
    struct error err;
    struct lifter *l = lifter_new(MACHINE_AMD64, &err);
    char text[64];
    assert_int_equal(lift_disassemble(l, 0x1000, (const uint8_t *)"\x48\x89\xc8", 3, text, sizeof text), 3);
    assert_string_equal(text, "mov rax, rcx");
    assert_int_equal(lift_disassemble(l, 0x1000, (const uint8_t *)"\x06", 1, text, sizeof text), 0);
    lifter_free(l);
    l = lifter_new(MACHINE_ARM, &err);
    assert_int_equal(lift_disassemble(l, 0x1001, (const uint8_t *)"\x70\x47", 2, text, sizeof text), 2);
    assert_string_equal(text, "bx lr");
    lifter_free(l);
}

static void test_unknown_architecture_is_refused(void **state)
{
    (void)state;
    struct error err;
    assert_null(lifter_new(MACHINE_NONE, &err));
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_null(lift_machine(MACHINE_NONE));
}

static void test_register_tables(void **state)
{
    (void)state;
    static const struct {
        int arch;
        const char *names;
    } tables[] = {
        {AMD64, "rax eax ah r8d r15b rip xmm3 ymm15 fs_base mm7"},
        {X86, "eax al esi eip xmm7 gs_base gs"},
        {ARM, "r0 sp lr pc d31 s5 q15 fpscr"},
        {ARM64, "x0 w30 sp pc v31 d8 q0 fpcr tpidr_el0"},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct ir_machine *m = lift_machine((enum machine_arch)tables[i].arch);
        char names[128];
        snprintf(names, sizeof names, "%s", tables[i].names);
        for (char *save, *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
            uint16_t offset, width;
            if (!machine_register_find(m, name, &offset, &width))
                fail_msg("%s has no %s", m->name, name);
            assert_true(offset + width / 8u <= m->file_size);
        }
        for (unsigned r = 0; r < m->nreg; r++)
            assert_true(m->reg[r].offset + m->reg[r].width / 8u <= m->file_size);
    }
}

static bool is_kept(void *ctx, uint64_t insn, unsigned length, uint64_t number)
{
    (void)ctx;
    return insn >= 0x1000 && length && (number == 0x5ac3f000 || number == 0x5ad3f000);
}

/* A constant that is kept stays an operand of whatever is done with it, however the code makes it.
 */
static void test_kept_constants_are_not_computed_with(void **state)
{
    (void)state;
    static const struct shape kept[] = {
        {AMD64, 0x1000, "b800f0c35a a80f 7405", "extract|and|eq"},           /* mov, test, je */
        {AMD64, 0x1000, "bb00f0c35a 4881fb00f0d35a 7205", "ult|0x5ad3f000"}, /* mov, cmp, jb */
        {X86, 0x1000, "bb00f0c35a 81fb00f0d35a 7205", "ult|0x5ad3f000"},
        {ARM, 0x1000, "00300fe3 c33a45e3 00200fe3 d32a45e3 020053e1 0000003a",
         "ult|goto"},                                            /* movw, movt, ..., bcc */
        {ARM64, 0x1000, "e1612dd0 210c4092 c10000b4", "and|eq"}, /* adrp, and, cbz */
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        for (int keep = 0; keep < 2; keep++) {
            struct lifted l = {.arena = ARENA_INIT, .text = BUF_INIT};
            struct error err;
            uint8_t bytes[64];
            size_t n = parse_hex(kept[i].bytes, bytes, sizeof bytes);
            l.lifter = lifter_new((enum machine_arch)kept[i].arch, &err);
            if (keep)
                lifter_keep_constants(l.lifter, is_kept, NULL);
            lift_block(l.lifter, kept[i].label, bytes, n, 0, &l.arena, &l.block);
            struct ir_pures pures = lift_pures();
            ir_print_block(&l.text, &l.block, lift_machine((enum machine_arch)kept[i].arch), &pures);
            char pieces[64];
            snprintf(pieces, sizeof pieces, "%s", kept[i].expected);
            bool all = true;
            for (char *save, *piece = strtok_r(pieces, "|", &save); piece; piece = strtok_r(NULL, "|", &save))
                all = all && strstr(buf_text(&l.text), piece);
            if (all != keep)
                fail_msg("%s, %s: %s", kept[i].bytes, keep ? "kept" : "not kept", buf_text(&l.text));
            release(&l);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_one_thumb_instruction_is_not_under_it),
        cmocka_unit_test(test_max_insns_is_exact),
        cmocka_unit_test(test_marks_have_no_thumb_bit_and_labels_do),
        cmocka_unit_test(test_undecoded_instructions_are_named_and_counted),
        cmocka_unit_test(test_instructions_that_libvex_mistakes_are_not_decoded),
        cmocka_unit_test(test_bytes_that_end_too_early),
        cmocka_unit_test(test_straight_code_longer_than_vex_takes),
        cmocka_unit_test(test_known_flags_make_plain_comparisons),
        cmocka_unit_test(test_disassembly),
        cmocka_unit_test(test_unknown_architecture_is_refused),
        cmocka_unit_test(test_register_tables),
        cmocka_unit_test(test_kept_constants_are_not_computed_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
