/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random bytes, for every instruction set: no crash, well-formed IR, and nothing outside the bytes given. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lift/lift.h"
#include "test.h"

enum { BLOCKS = 6000, LENGTH = 48 };

static void fill(uint64_t *seed, uint8_t *bytes, size_t n, enum machine_arch arch)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(test_random(seed) >> 32);
    /* Half of random ARM code would be conditional on "never"; half of x86 never reaches the longer
     * encodings. */
    if (arch == MACHINE_ARM && test_random(seed) & 1)
        for (size_t i = 3; i < n; i += 4)
            bytes[i] = (uint8_t)(0xe0 | (bytes[i] & 15));
    static const uint8_t escape[] = {0x0f, 0x66, 0xf2, 0xf3, 0xc4, 0xc5, 0x62, 0xd8, 0xdb, 0xf0};
    if (arch == MACHINE_AMD64 || arch == MACHINE_X86)
        bytes[0] = test_random(seed) & 1 ? bytes[0] : escape[test_random(seed) % sizeof escape];
}

static void lift_random(enum machine_arch arch, bool thumb)
{
    struct error err;
    struct lifter *l = lifter_new(arch, &err);
    assert_non_null(l);
    struct arena arena = ARENA_INIT;
    struct buf why = BUF_INIT;
    struct ir_pures pures = lift_pures();
    uint64_t seed = 0x853c49e6748fea9b + (uint64_t)arch * 2 + thumb;
    for (unsigned i = 0; i < BLOCKS; i++) {
        /* The exact size on the heap: an access past the end is found by the sanitizer. */
        size_t n = 1 + test_random(&seed) % LENGTH;
        uint8_t *bytes = xmalloc(n);
        fill(&seed, bytes, n, arch);
        uint64_t address = test_random(&seed) >> 33 & ~UINT64_C(3);
        unsigned max = test_random(&seed) % 4 == 0 ? 1 + (unsigned)(test_random(&seed) % 5) : 0;
        struct ir_block block;
        lift_block(l, address | thumb, bytes, n, max, &arena, &block);
        if (!ir_validate(&block, lift_machine(arch), &pures, &why))
            fail_msg("%s", buf_text(&why));
        assert_true(block.bytes <= n);
        assert_true(max == 0 || block.nmark <= max);
        for (uint32_t k = 0; k < block.nmark; k++)
            assert_true(block.mark[k].address + block.mark[k].length <= address + n);
        arena_reset(&arena);
        free(bytes);
    }
    struct lift_stats stats = lifter_stats(l);
    assert_true(stats.blocks == BLOCKS && stats.instructions > 0);
    lifter_free(l);
    arena_free(&arena);
    buf_free(&why);
}

static void test_amd64(void **state)
{
    (void)state;
    lift_random(MACHINE_AMD64, false);
}

static void test_x86(void **state)
{
    (void)state;
    lift_random(MACHINE_X86, false);
}

static void test_arm(void **state)
{
    (void)state;
    lift_random(MACHINE_ARM, false);
}

static void test_thumb(void **state)
{
    (void)state;
    lift_random(MACHINE_ARM, true);
}

static void test_arm64(void **state)
{
    (void)state;
    lift_random(MACHINE_ARM64, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amd64), cmocka_unit_test(test_x86),   cmocka_unit_test(test_arm),
        cmocka_unit_test(test_thumb), cmocka_unit_test(test_arm64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
