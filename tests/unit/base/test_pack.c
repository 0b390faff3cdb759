/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/pack.h"

static const uint64_t some[] = {0, 1, 127, 128, 300, 16383, 16384, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX};
enum { SOME = sizeof some / sizeof *some };

static void test_numbers(void **state)
{
    (void)state;
    struct buf b = BUF_INIT;
    for (unsigned i = 0; i < SOME; i++)
        pack_number(&b, some[i]);
    struct unpack u = unpack_begin(b.data, b.len);
    for (unsigned i = 0; i < SOME; i++)
        assert_true(unpack_number(&u) == some[i]);
    assert_true(unpack_done(&u));
    assert_true(unpack_number(&u) == 0 && u.bad && !unpack_done(&u));
    u = unpack_begin(b.data, b.len);
    assert_true(unpack_upto(&u, 0) == 0 && !u.bad && unpack_upto(&u, 0) == 0 && u.bad);
    buf_free(&b);
}

/* A number has one spelling, and 64 bits. */
static void test_other_spellings(void **state)
{
    (void)state;
    static const struct {
        uint8_t byte[11];
        unsigned n;
    } bad[] = {{{0x80, 0x00}, 2},
               {{0xff, 0x80, 0x00}, 3},
               {{0x80}, 1},
               {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 10},
               {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x01}, 11}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct unpack u = unpack_begin(bad[i].byte, bad[i].n);
        assert_true(unpack_number(&u) == 0 && u.bad);
    }
}

static void test_texts(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;
    struct buf b = BUF_INIT;
    pack_text(&b, "strlen");
    pack_text(&b, NULL);
    pack_text(&b, "");
    struct unpack u = unpack_begin(b.data, b.len);
    assert_string_equal(unpack_text(&u, &arena), "strlen");
    assert_null(unpack_text(&u, &arena));
    assert_string_equal(unpack_text(&u, &arena), "");
    assert_true(unpack_done(&u));
    for (size_t n = 1; n < 7; n++) {
        u = unpack_begin(b.data, n);
        assert_null(unpack_text(&u, &arena));
        assert_true(u.bad);
    }
    b.data[2] = 0; /* in the middle of it */
    u = unpack_begin(b.data, b.len);
    assert_null(unpack_text(&u, &arena));
    assert_true(u.bad && !unpack_bytes(&u, 1));
    buf_clear(&b);
    pack_number(&b, UINT64_MAX);
    u = unpack_begin(b.data, b.len);
    assert_null(unpack_text(&u, &arena));
    assert_true(u.bad);
    buf_free(&b);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_other_spellings),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
