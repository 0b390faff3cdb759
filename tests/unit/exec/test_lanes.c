/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random blocks that only compute, on many inputs at once and on each by itself. */
#include "../test.h"

#include <string.h>

#include "exec/concrete.h"
#include "exec/lanes.h"
#include "mini.h"

static ir_val pick(struct ir_builder *b, uint64_t *seed)
{
    return ir_get(b, R0 + test_random(seed) % 6 * 8, 64);
}

/* Registers in parts, and ways out on the way. */
static void build(struct mini *m, uint64_t *seed)
{
    static const enum op ops[] = {OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_MUL, OP_UDIV, OP_SHL, OP_ASHR};
    struct ir_builder *b = mini_begin(m, 0);
    for (unsigned k = 2 + test_random(seed) % 8; k; k--) {
        ir_val x = ir_bin(b, ops[test_random(seed) % (sizeof ops / sizeof *ops)], pick(b, seed), pick(b, seed));
        unsigned width = 8u << test_random(seed) % 4, at = R0 + (unsigned)(test_random(seed) % 6) * 8;
        ir_put(b, at + (width < 64 ? (unsigned)(test_random(seed) % 2) : 0), ir_extract(b, x, 0, width));
        if (test_random(seed) % 3 == 0)
            ir_exit(b, ir_bin(b, OP_ULT, pick(b, seed), ir_const(b, 64, UINT64_MAX / 5)), IR_EXIT_JUMP,
                    mini_label(20 + k));
        if (test_random(seed) % 3 == 0)
            ir_put(b, at, ir_ite(b, ir_bin(b, OP_EQ, ir_extract(b, x, 0, 2), ir_const(b, 2, 1)), x, pick(b, seed)));
    }
    mini_jump(m, 1);
}

static void each_lane_is_a_run(void **state)
{
    (void)state;
    uint64_t seed = 4711;
    unsigned parted = 0;
    for (unsigned round = 0; round < 300; round++) {
        struct mini *m = mini_new();
        build(m, &seed);
        const struct ir_block *b = &m->block.data[0];
        struct lanes *l = lanes_new(&mini_machine, (struct ir_pures){0});
        struct concrete *c = concrete_new(&mini_machine, (struct ir_pures){0}, NULL, NULL);
        uint64_t set = test_random(&seed) | 1, before[LANES][6];
        ir_label next[LANES] = {0};
        for (unsigned i = 0; i < LANES; i++)
            for (unsigned r = 0; r < 6; r++) {
                before[i][r] = test_random(&seed) >> test_random(&seed) % 64;
                lanes_set(l, i, R0 + r * 8, 64, before[i][r]);
            }
        assert_true(lanes_run_block(l, b, set, next));
        for (unsigned i = 0; i < LANES; i++) {
            concrete_reset(c);
            for (unsigned r = 0; r < 6; r++)
                concrete_set(c, R0 + r * 8, 64, bits_u64(before[i][r], 64));
            if (set >> i & 1) {
                struct concrete_result x = concrete_run_block(c, b);
                assert_int_equal(x.stop, CONCRETE_JUMP);
                assert_int_equal(x.label, next[i]);
                parted += x.label != mini_label(1);
            } else {
                assert_int_equal(next[i], 0);
            }
            for (unsigned r = 0; r < 7; r++)
                assert_int_equal(lanes_get(l, i, R0 + r * 8, 64), bits_low(concrete_get(c, R0 + r * 8, 64)));
        }
        concrete_free(c);
        lanes_free(l);
        mini_free(m);
    }
    assert_true(parted > 1000);
}

static void what_does_more_is_refused(void **state)
{
    (void)state;
    struct mini *m = mini_new();
    struct lanes *l = lanes_new(&mini_machine, (struct ir_pures){0});
    ir_label next[LANES];
    struct ir_builder *b = mini_begin(m, 0);
    ir_put(b, R0, ir_const(b, 64, 1));
    ir_put(b, R1, ir_load(b, 0, ir_get(b, R0, 64), 64, IR_NONE, IR_NONE));
    mini_return(m);
    b = mini_begin(m, 1);
    ir_put(b, R0, ir_const(b, 64, 1));
    mini_trap(m);
    b = mini_begin(m, 2);
    ir_put(b, V0, ir_bin(b, OP_ADD, ir_get(b, V0, 128), ir_get(b, V0, 128)));
    mini_return(m);
    for (unsigned i = 0; i < 3; i++)
        assert_false(lanes_run_block(l, &m->block.data[i], 1, next));
    assert_int_equal(lanes_get(l, 0, R0, 64), 0);
    lanes_free(l);
    mini_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_is_a_run),
        cmocka_unit_test(what_does_more_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
