/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/options.h"

struct values {
    bool flag;
    unsigned set, choice;
    uint64_t number, size, time;
    const char *text;
    struct option_list list;
};

#define AT(member) offsetof(struct values, member)
static const struct option table_options[] = {
    {"flag", 'f', OPTION_FLAG, .help = "", .at = AT(flag)},
    {"set", 0, OPTION_SET, .min = 3, .help = "", .at = AT(set)},
    {"number", 'n', OPTION_NUMBER, .value = "N", .min = 2, .max = 9, .initial = "5", .help = "",
     .at = AT(number)},
    {"size", 0, OPTION_SIZE, .value = "SIZE", .max = UINT64_C(1) << 40, .initial = "4G", .help = "",
     .at = AT(size)},
    {"time", 0, OPTION_TIME, .value = "TIME", .initial = "2m", .help = "", .at = AT(time)},
    {"text", 't', OPTION_TEXT, .value = "TEXT", .help = "", .at = AT(text)},
    {"choice", 0, OPTION_CHOICE, .value = "one|two|three", .initial = "two", .help = "", .at = AT(choice)},
    {"list", 'l', OPTION_LIST, .value = "X", .help = "", .at = AT(list)},
};
static const struct option_table table = {table_options, sizeof table_options / sizeof *table_options};

/* Parses words separated by spaces; the error's text, or NULL. */
static const char *parse(const char *line, struct values *v, int *nargs, char *argv[16])
{
    static char copy[256];
    static struct error err;
    int argc = 0;
    strcpy(copy, line);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    memset(v, 0, sizeof *v);
    options_init(&table, 1, v);
    return options_parse(&table, 1, argc, argv, nargs, v, &err) ? NULL : err.text;
}

static void test_initial_values(void **state)
{
    (void)state;
    struct values v;
    char *argv[16];
    int n;
    assert_null(parse("", &v, &n, argv));
    assert_int_equal(v.number, 5);
    assert_int_equal(v.size, UINT64_C(4) << 30);
    assert_int_equal(v.time, 120000);
    assert_int_equal(v.choice, 1);
    assert_null(v.text);
    assert_int_equal(n, 0);
}

static void test_every_kind(void **state)
{
    (void)state;
    struct values v;
    char *argv[16];
    int n;
    assert_null(parse(
        "a -f --set --number=7 b --size 512K --time=1500ms -thello --choice three -l x --list=y -- --flag",
        &v, &n, argv));
    assert_true(v.flag);
    assert_int_equal(v.set, 3);
    assert_int_equal(v.number, 7);
    assert_int_equal(v.size, 512 * 1024);
    assert_int_equal(v.time, 1500);
    assert_string_equal(v.text, "hello");
    assert_int_equal(v.choice, 2);
    assert_int_equal(v.list.n, 2);
    assert_string_equal(v.list.item[1], "y");
    assert_null(v.list.item[2]);
    assert_int_equal(n, 3);
    assert_string_equal(argv[0], "a");
    assert_string_equal(argv[1], "b");
    assert_string_equal(argv[2], "--flag");
    options_free(&table, 1, &v);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"--nubmer=3", "did you mean '--number'?"},
        {"--numb 3", "did you mean '--number'?"},
        {"--xyzzyplugh", "unknown option '--xyzzyplugh'"},
        {"-x", "unknown option '-x'"},
        {"-fx", "unknown option '-fx'"},
        {"--number=1", "out of range"},
        {"--number=10", "out of range"},
        {"--number=-3", "not a number"},
        {"--number=3x", "not a number"},
        {"--number=", "not a number"},
        {"--number", "needs a value"},
        {"--flag=1", "takes no value"},
        {"--size=3T", "not a size"},
        {"--size=99999999999999999G", "not a size"},
        {"--size=2000G", "too large"},
        {"--time=1d", "not a time"},
        {"--choice=four", "one|two|three"},
        {"--choice=tw", "one|two|three"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct values v;
        char *argv[16];
        int n;
        const char *text = parse(cases[i].line, &v, &n, argv);
        assert_non_null(text);
        if (!strstr(text, cases[i].says))
            fail_msg("%s: %s", cases[i].line, text);
    }
}

static void test_nearest_word(void **state)
{
    (void)state;
    static const char *const words[] = {"functions", "cfg", "lift", "explore", "info", "help"};
    assert_string_equal(nearest_word("fnctions", words, 6), "functions");
    assert_string_equal(nearest_word("lfit", words, 6), "lift");
    assert_string_equal(nearest_word("expl", words, 6), "explore");
    assert_null(nearest_word("verify", words, 6));
    assert_null(nearest_word("", words, 0));
}

static void test_help_lists_all(void **state)
{
    (void)state;
    struct buf b = BUF_INIT;
    options_help(&table, &b);
    for (size_t i = 0; i < table.count; i++)
        assert_non_null(strstr(buf_text(&b), table.option[i].name));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_values), cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_nearest_word),
        cmocka_unit_test(test_help_lists_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
