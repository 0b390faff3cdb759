/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operators that stand for flag helpers, against the helpers themselves: every operation, condition and
 * flag. */
#include <stdlib.h>

#include "lift/lift.h"
#include "lift/vex/state.h"
#include "lift/vex/vex.h"
#include "test.h"

ULong amd64g_calculate_condition(ULong cond, ULong op, ULong dep1, ULong dep2, ULong ndep);
ULong amd64g_calculate_rflags_all(ULong op, ULong dep1, ULong dep2, ULong ndep);
ULong amd64g_calculate_rflags_c(ULong op, ULong dep1, ULong dep2, ULong ndep);
UInt x86g_calculate_condition(UInt cond, UInt op, UInt dep1, UInt dep2, UInt ndep);
UInt x86g_calculate_eflags_all(UInt op, UInt dep1, UInt dep2, UInt ndep);
UInt x86g_calculate_eflags_c(UInt op, UInt dep1, UInt dep2, UInt ndep);
UInt armg_calculate_condition(UInt cond_n_op, UInt dep1, UInt dep2, UInt dep3);
UInt armg_calculate_flags_nzcv(UInt op, UInt dep1, UInt dep2, UInt dep3);
UInt armg_calculate_flag_c(UInt op, UInt dep1, UInt dep2, UInt dep3);
ULong arm64g_calculate_condition(ULong cond_n_op, ULong dep1, ULong dep2, ULong dep3);
ULong arm64g_calculate_flags_nzcv(ULong op, ULong dep1, ULong dep2, ULong dep3);
ULong arm64g_calculate_flag_c(ULong op, ULong dep1, ULong dep2, ULong dep3);

enum { ROUNDS = 40 };

/* Small numbers, sign boundaries of every size, and anything. */
static uint64_t interesting(uint64_t *s)
{
    static const uint64_t edge[] = {0,
                                    1,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff};
    uint64_t r = test_random(s);
    return r & 1 ? edge[(r >> 8) % (sizeof edge / sizeof *edge)] : test_random(s);
}

/* Evaluates the instructions made so far; IR_GET of offset 0 is the unknown cc_op. */
static uint64_t evaluate(struct vex_ctx *c, ir_val x, uint64_t cc_op)
{
    struct arena arena = ARENA_INIT;
    struct ir_block block;
    ir_put(c->b, 8, x);
    ir_finish(c->b, (struct ir_end){.kind = IR_END_TRAP, .next = IR_NONE}, 0, &arena, &block);
    struct bits *value = xcalloc(block.ninsn, sizeof *value);
    uint64_t out = 0;
    for (uint32_t i = 0; i < block.ninsn; i++) {
        const struct ir_insn *p = &block.insn[i];
        if (p->op == IR_CONST) {
            value[i] = bits_u64(ir_imm(p->a, p->b), p->width);
        } else if (p->op == IR_GET) {
            value[i] = bits_u64(cc_op, p->width);
        } else if (p->op == IR_PUT) {
            out = bits_low(value[p->b]);
        } else {
            assert_true(p->op < OP_COUNT_);
            const uint32_t operand[] = {p->a, p->b, p->c, p->d};
            struct bits arg[OP_MAX_ARITY];
            unsigned width[OP_MAX_ARITY];
            for (unsigned k = 0; k < op_info[p->op].arity; k++) {
                arg[k] = value[operand[k]];
                width[k] = block.insn[operand[k]].width;
            }
            value[i] = bits_apply((enum op)p->op, p->width, arg, width, p->op == OP_EXTRACT ? p->b : 0);
        }
    }
    free(value);
    arena_free(&arena);
    return out;
}

struct subject {
    struct vex_ctx c;
    unsigned nops, width;
};

static struct subject subject_of(enum machine_arch arch, unsigned nops)
{
    struct subject s = {.nops = nops};
    s.c.arch = arch;
    s.c.machine = lift_machine(arch);
    s.c.b = ir_builder_new();
    s.width = s.c.machine->pointer_width;
    return s;
}

/* A thunk with these numbers; cc_op is a constant or not. */
static void make_thunk(struct subject *s, bool known, uint64_t op, const uint64_t dep[3], ir_val thunk[4])
{
    ir_begin(s->c.b, 0);
    thunk[0] = known ? ir_const(s->c.b, s->width, op) : ir_get(s->c.b, 0, s->width);
    for (unsigned i = 0; i < 3; i++)
        thunk[i + 1] = ir_const(s->c.b, s->width, dep[i]);
}

static void check(const char *what, unsigned op, unsigned which, const uint64_t dep[3], uint64_t got,
                  uint64_t want)
{
    if (got != want)
        fail_msg("%s %u of operation %u (%llx, %llx, %llx): %llx, not %llx", what, which, op,
                 (unsigned long long)dep[0], (unsigned long long)dep[1], (unsigned long long)dep[2],
                 (unsigned long long)got, (unsigned long long)want);
}

static void x86_like(enum machine_arch arch, unsigned nops)
{
    struct subject s = subject_of(arch, nops);
    bool wide = arch == MACHINE_AMD64;
    uint64_t seed = 0x9e3779b97f4a7c15;
    for (unsigned op = 0; op < nops; op++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t dep[3] = {interesting(&seed), interesting(&seed), interesting(&seed)};
            if (op >= 1 + 6 * (wide ? 4 : 3) && op < 1 + 7 * (wide ? 4u : 3u))
                dep[2] &= 1; /* inc and dec note the carry alone */
            if (op >= 1 + 5 * (wide ? 4 : 3) && op < 1 + 7 * (wide ? 4u : 3u))
                dep[2] &= 1;
            if (!wide)
                for (unsigned i = 0; i < 3; i++)
                    dep[i] &= UINT32_MAX;
            bool known = round % 8 != 0;
            ir_val thunk[4];
            uint64_t want;
            for (unsigned cond = 0; cond < 16; cond++) {
                make_thunk(&s, known, op, dep, thunk);
                ir_val x = vex_x86_condition(&s.c, ir_const(s.c.b, s.width, cond), thunk);
                want = wide ? amd64g_calculate_condition(cond, op, dep[0], dep[1], dep[2])
                            : x86g_calculate_condition(cond, op, (UInt)dep[0], (UInt)dep[1], (UInt)dep[2]);
                check("condition", op, cond, dep, evaluate(&s.c, x, op), want);
            }
            make_thunk(&s, known, op, dep, thunk);
            want = wide ? amd64g_calculate_rflags_c(op, dep[0], dep[1], dep[2])
                        : x86g_calculate_eflags_c((UInt)op, (UInt)dep[0], (UInt)dep[1], (UInt)dep[2]);
            check("carry", op, 0, dep, evaluate(&s.c, vex_x86_carry(&s.c, thunk), op), want);
            make_thunk(&s, known, op, dep, thunk);
            want = wide ? amd64g_calculate_rflags_all(op, dep[0], dep[1], dep[2])
                        : x86g_calculate_eflags_all((UInt)op, (UInt)dep[0], (UInt)dep[1], (UInt)dep[2]);
            uint64_t six = 0x8d5; /* operations that keep old flags keep bits that are none, too */
            check("flags", op, 0, dep, evaluate(&s.c, vex_x86_flags(&s.c, thunk), op), want & six);
        }
    }
    ir_builder_free(s.c.b);
}

static void test_amd64(void **state)
{
    (void)state;
    x86_like(MACHINE_AMD64, 65);
}

static void test_x86(void **state)
{
    (void)state;
    x86_like(MACHINE_X86, 40);
}

static void arm_like(enum machine_arch arch, unsigned nops)
{
    struct subject s = subject_of(arch, nops);
    bool wide = arch == MACHINE_ARM64;
    uint64_t seed = 0x2545f4914f6cdd1d;
    for (unsigned op = 0; op < nops; op++) {
        for (unsigned round = 0; round < 4 * ROUNDS; round++) {
            uint64_t dep[3] = {interesting(&seed), interesting(&seed), interesting(&seed)};
            /* The helpers insist on flags being flags. */
            if (wide ? op >= 5 && op <= 8 : op == 3 || op == 4)
                dep[2] &= 1;
            if (!wide && op == 5) {
                dep[1] &= 1;
                dep[2] &= 1;
            }
            if (!wide && op >= 6)
                dep[2] &= 3;
            if (!wide)
                for (unsigned i = 0; i < 3; i++)
                    dep[i] &= UINT32_MAX;
            bool known = round % 4 != 0;
            ir_val thunk[4];
            uint64_t want;
            for (unsigned cond = 0; cond < 15; cond++) {
                make_thunk(&s, known, op, dep, thunk);
                ir_val x = vex_arm_condition(&s.c, ir_const(s.c.b, 4, cond), thunk[0], thunk + 1);
                want =
                    wide ? arm64g_calculate_condition(cond << 4 | op, dep[0], dep[1], dep[2])
                         : armg_calculate_condition(cond << 4 | op, (UInt)dep[0], (UInt)dep[1], (UInt)dep[2]);
                check("condition", op, cond, dep, evaluate(&s.c, x, op), want);
            }
            make_thunk(&s, known, op, dep, thunk);
            want = wide ? arm64g_calculate_flags_nzcv(op, dep[0], dep[1], dep[2])
                        : armg_calculate_flags_nzcv(op, (UInt)dep[0], (UInt)dep[1], (UInt)dep[2]);
            check("flags", op, 0, dep, evaluate(&s.c, vex_arm_flags(&s.c, thunk), op), want);
            make_thunk(&s, known, op, dep, thunk);
            want = wide ? arm64g_calculate_flag_c(op, dep[0], dep[1], dep[2])
                        : armg_calculate_flag_c(op, (UInt)dep[0], (UInt)dep[1], (UInt)dep[2]);
            check("carry", op, 0, dep, evaluate(&s.c, vex_arm_flag(&s.c, VEX_C, thunk), op), want);
        }
    }
    ir_builder_free(s.c.b);
}

static void test_arm(void **state)
{
    (void)state;
    arm_like(MACHINE_ARM, 8);
}

static void test_arm64(void **state)
{
    (void)state;
    arm_like(MACHINE_ARM64, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amd64),
        cmocka_unit_test(test_x86),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_arm64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
