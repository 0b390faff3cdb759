/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/library.h"

static const char *data_dir;

static void the_built_in_table_is_the_file(void **state)
{
    (void)state;
    struct error err = {0};
    struct flow_library *built_in = flow_library_open(NULL, &err), *file = flow_library_open(data_dir, &err);
    assert_non_null(built_in);
    assert_non_null(file);
    assert_int_equal(flow_library_count(built_in), flow_library_count(file));
    assert_true(flow_library_count(file) > 900);
    flow_library_free(built_in);
    flow_library_free(file);
}

static void known_functions_have_their_meaning(void **state)
{
    (void)state;
    struct error err = {0};
    struct flow_library *l = flow_library_open(NULL, &err);
    const struct flow_library_entry *e = flow_library_find(l, "memcpy");
    assert_non_null(e);
    assert_int_equal(e->nargs, 3);
    assert_int_equal(e->like, LIKE_MEMCPY);
    assert_int_equal(e->written, 1);
    assert_int_equal(e->bytes, 2);
    assert_int_equal(e->returns_arg, 0);
    assert_ptr_equal(flow_library_find(l, "memcpy@GLIBC_2.14"), e);
    e = flow_library_find(l, "exit");
    assert_true(e->noreturn && !e->returns && e->attrs & LIBRARY_NORETURN);
    e = flow_library_find(l, "pow");
    assert_true(e->returns_float && e->nfargs == 2 && e->nargs == 0 && e->attrs & LIBRARY_CONST);
    e = flow_library_find(l, "printf");
    assert_true(e->variadic && e->nargs == 1 && e->attrs & LIBRARY_IO);
    e = flow_library_find(l, "fread");
    assert_true(e->bytes == 1 && e->times == 2);
    e = flow_library_find(l, "close");
    assert_true(e->least == -1 && e->most == 0 && e->upto == -1);
    e = flow_library_find(l, "read");
    assert_true(e->least == -1 && e->most == INT64_MAX && e->upto == 2);
    e = flow_library_find(l, "fread");
    assert_true(e->least == INT64_MIN && e->most == INT64_MAX && e->upto == 2);
    /* not promised: F_GETOWN, devices with large places, MSG_TRUNC */
    assert_true(flow_library_find(l, "fcntl")->least == INT64_MIN);
    assert_true(flow_library_find(l, "lseek")->least == INT64_MIN);
    assert_true(flow_library_find(l, "recv")->upto == -1);
    assert_null(flow_library_find(l, "no_such_function"));
    flow_library_free(l);
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"f\n", "t:1: RESULT(ARGUMENTS) is missing"},
        {"# x\nf i[p)\n", "t:2: \"i[p)\" is not RESULT(ARGUMENTS)"},
        {"f i(z)\n", "t:1: 'z' is not an argument type"},
        {"f i(p\n", "t:1: \"i(p\" does not end"},
        {"f i(p) sharp\n", "t:1: unknown word \"sharp\""},
        {"f i(p) bytes=1\n", "t:1: unknown word \"bytes=1\""},
        {"f i(p) range=0\n", "t:1: unknown word \"range=0\""},
        {"f i(p) range=1..2\n", "t:1: unknown word \"range=1..2\""},
        {"f i(p) range=-1..2147483648\n", "t:1: unknown word"},
        {"f p(p) range=0..\n", "t:1: unknown word \"range=0..\""},
        {"f i(p) upto=0\n", "t:1: unknown word \"upto=0\""},
        {"f i(ql) upto=1\n", "t:1: unknown word \"upto=1\""},
        {"f w(w) makes\n", "t:1: \"makes\" needs \"null\""},
        {"f i(p)\nf i(p)\n", "t:2: \"f\" is listed twice"},
        {"f i(ppppppppppppp)\n", "t:1: more than 12 arguments"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = {0};
        assert_null(flow_library_parse("t", bad[i].text, strlen(bad[i].text), &err));
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_non_null(strstr(err.text, bad[i].says));
    }
    struct error err = {0};
    assert_null(flow_library_open("/nonexistent", &err));
    assert_non_null(strstr(err.text, "/nonexistent/prototypes.txt"));
}

int main(int argc, char **argv)
{
    data_dir = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_built_in_table_is_the_file),
        cmocka_unit_test(known_functions_have_their_meaning),
        cmocka_unit_test(mistakes_are_named_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
