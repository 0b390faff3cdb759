/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"
#include "test.h"

static void map_keeps_what_was_set(void **state)
{
    (void)state;
    struct map m = {0};
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(map_set(&m, i * 4096, i));
    assert_false(map_set(&m, 4096, 7));
    assert_int_equal(map_find(&m, 4096, 0), 7);
    for (uint64_t i = 0; i < 5000; i += 2)
        assert_true(map_remove(&m, i * 4096));
    assert_int_equal(m.len, 2500);
    for (uint64_t i = 3; i < 5000; i++)
        assert_int_equal(map_get(&m, i * 4096, NULL), i % 2);
    size_t seen = 0;
    uint64_t key, value;
    for (size_t i = 0; (i = map_next(&m, i, &key, &value));) {
        assert_true(value == 7 || key == value * 4096);
        seen++;
    }
    assert_int_equal(seen, 2500);
    map_free(&m);
}

/* Keys that come and go must not fill the table with tombstones. */
static void map_copy_is_its_own(void **state)
{
    (void)state;
    struct map m = {0}, none = map_copy(&m);
    for (uint64_t i = 0; i < 100; i++)
        map_set(&m, i * 4096, i);
    for (uint64_t i = 0; i < 100; i += 3)
        map_remove(&m, i * 4096);
    struct map copy = map_copy(&m);
    assert_int_equal(copy.len, m.len);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(map_find(&copy, i * 4096, 1000), i % 3 ? i : 1000);
    for (uint64_t i = 0; i < 1000; i++)
        map_set(&copy, i * 4096, 1);
    assert_int_equal(map_find(&m, 4096 * 2, 0), 2);
    assert_false(map_get(&m, 0, NULL));
    assert_true(map_set(&none, 5, 6));
    map_free(&none);
    map_free(&copy);
    map_free(&m);
}

static void map_survives_churn(void **state)
{
    (void)state;
    struct map m = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        map_set(&m, i, i);
        if (i >= 8)
            assert_true(map_remove(&m, i - 8));
    }
    assert_int_equal(m.len, 8);
    assert_true(m.cap <= 64);
    map_free(&m);
}

static void strmap_finds_by_content(void **state)
{
    (void)state;
    struct strmap m = {0};
    struct arena a = ARENA_INIT;
    for (int i = 0; i < 1000; i++)
        assert_true(strmap_set(&m, arena_printf(&a, "sym_%d", i), (uint64_t)i));
    char name[] = "sym_421";
    assert_int_equal(strmap_find(&m, name, 0), 421);
    assert_false(strmap_get(&m, "sym_1000", NULL));
    strmap_free(&m);
    arena_free(&a);
}

static void arena_hands_out_separate_memory(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT;
    assert_non_null(arena_alloc(&a, 0));
    char *p[1000];
    for (int i = 0; i < 1000; i++) {
        p[i] = arena_alloc(&a, (size_t)i + 1);
        memset(p[i], i & 0xff, (size_t)i + 1);
        assert_int_equal((uintptr_t)p[i] % 16, 0);
    }
    char *big = arena_zalloc(&a, 10 << 20);
    assert_int_equal(big[(10 << 20) - 1], 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal((unsigned char)p[i][i], i & 0xff);
    arena_free(&a);
    assert_int_equal(a.total, 0);
}

static void vec_and_buf_grow(void **state)
{
    (void)state;
    VEC(int) v = VEC_INIT;
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i);
    assert_int_equal(vec_pop(&v), 999);
    assert_int_equal(v.len, 999);
    vec_free(&v);

    struct buf b = BUF_INIT;
    assert_string_equal(buf_text(&b), "");
    for (int i = 0; i < 100; i++)
        buf_printf(&b, "%d,", i);
    assert_int_equal(b.len, 290);
    assert_int_equal(strlen(buf_text(&b)), 290);
    buf_free(&b);
}

static void error_text_is_prefixed_and_cut(void **state)
{
    (void)state;
    struct error e = {0};
    assert_false(error_set(&e, ERROR_INPUT, "section %d reaches past the end", 7));
    error_prefix(&e, "%s", "libx.so");
    assert_string_equal(e.text, "libx.so: section 7 reaches past the end");
    assert_int_equal(error_exit_code(e.kind), 2);
    char name[4096];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    error_prefix(&e, "%s", name);
    assert_true(strlen(e.text) < sizeof e.text);
}

static void search_finds_where_a_predicate_ends(void **state)
{
    (void)state;
    static const int sorted[] = {1, 3, 3, 3, 8};
    for (size_t n = 0; n <= 5; n++)
        for (int x = 0; x < 10; x++) {
            size_t below = 0, most = 0;
            for (size_t k = 0; k < n; k++) {
                below += sorted[k] < x;
                most += sorted[k] <= x;
            }
            assert_int_equal(partition_point(n, i, sorted[i] < x), below);
            assert_int_equal(partition_point(n, i, sorted[i] <= x), most);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_keeps_what_was_set),
        cmocka_unit_test(map_survives_churn),
        cmocka_unit_test(map_copy_is_its_own),
        cmocka_unit_test(strmap_finds_by_content),
        cmocka_unit_test(arena_hands_out_separate_memory),
        cmocka_unit_test(vec_and_buf_grow),
        cmocka_unit_test(error_text_is_prefixed_and_cut),
        cmocka_unit_test(search_finds_where_a_predicate_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
