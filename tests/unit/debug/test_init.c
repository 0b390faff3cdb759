/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Init files: both forms say the same, and what is wrong is refused with its place. */
#include <stdlib.h>
#include <string.h>

#include "debug/init.h"
#include "test.h"

static struct debug_init *parse(const char *text, struct error *err)
{
    *err = (struct error){0};
    return debug_init_parse("x", text, strlen(text), err);
}

static void refused(const char *text, const char *says)
{
    struct error err;
    struct debug_init *i = parse(text, &err);
    assert_null(i);
    assert_int_equal(err.kind, ERROR_INPUT);
    if (!strstr(err.text, says) || strncmp(err.text, "x: ", 3) != 0)
        fail_msg("'%s' says '%s', not '%s'", text, err.text, says);
}

static void test_both_forms(void **state)
{
    (void)state;
    const char *const texts[] = {
        "{\"schema\": 1, \"registers\": {\"RDI\": \"0x2A\", \"ymm0\": "
        "\"0x112233445566778899aabbccddeeff00\"},"
        " \"memory\": [{\"address\": \"0x1001\", \"bytes\": \"0d\"}, {\"address\": \"0x1000\", \"bytes\": "
        "\"e0\"}]}",
        "Variables:\n  RDI: 0x2a\n  ymm0: 0x112233445566778899aabbccddeeff00\nLocations:\n  0x1000: 0xe0\n  "
        "0x1001: 0x0000000d\n",
    };
    for (int k = 0; k < 2; k++) {
        struct error err;
        struct debug_init *i = parse(texts[k], &err);
        if (!i)
            fail_msg("%s", err.text);
        assert_int_equal(i->nreg, 2);
        assert_string_equal(i->reg[0].name, "RDI");
        assert_int_equal(bits_low(i->reg[0].value), 0x2a);
        assert_int_equal(i->reg[1].value.w[1], UINT64_C(0x1122334455667788));
        assert_int_equal(i->nmemory, 2);
        assert_int_equal(i->memory[0].address, 0x1000);
        assert_int_equal(i->memory[0].bytes[0], 0xe0);
        assert_int_equal(i->memory[1].bytes[0], 0x0d);
        assert_int_equal(i->version, INIT_BOTH);
        debug_init_free(i);
    }
}

static void test_members(void **state)
{
    (void)state;
    struct error err;
    struct debug_init *i = parse(
        "{\"schema\":1,\"arch\":\"arm\",\"function\":\"0x10\",\"version\":\"new\",\"note\":[1],\"tool\":{}}",
        &err);
    assert_non_null(i);
    assert_string_equal(i->arch, "arm");
    assert_string_equal(i->function, "0x10");
    assert_int_equal(i->version, INIT_NEW);
    debug_init_free(i);
    /* What bildb itself writes for a byte that is wider than one. */
    i = parse("Variables:\nLocations:\n  0x3ffffff1: 0x00000123\n", &err);
    assert_non_null(i);
    assert_int_equal(i->memory[0].bytes[0], 0x23);
    debug_init_free(i);
    i = parse("", &err);
    assert_non_null(i);
    assert_int_equal(i->nreg + i->nmemory, 0);
    debug_init_free(i);
}

static void test_refused(void **state)
{
    (void)state;
    refused("{", "line 1");
    refused("{}", "schema");
    refused("{\"schema\": 2}", "schema is not 1");
    refused("{\"schema\": 1, \"schema\": 1}", "duplicate");
    refused("{\"schema\": 1, \"register\": {}}", "unknown member 'register'");
    refused("{\"schema\": 1, \"version\": \"mod\"}", "version");
    refused("{\"schema\": 1, \"registers\": {\"RAX\": 5}}", "RAX");
    refused("{\"schema\": 1, \"registers\": {\"RAX\": \"5\"}}", "RAX: '5' is not a hexadecimal number");
    refused("{\"schema\": 1, \"registers\": {\"RAX\": \"0x5\", \"rax\": \"0x6\"}}", "rax occurs twice");
    refused("{\"schema\": 1, \"memory\": [{\"address\": \"0x10\", \"bytes\": \"012\"}]}", "two digits");
    refused("{\"schema\": 1, \"memory\": [{\"address\": \"0x10\", \"bytes\": \"\"}]}", "two digits");
    refused("{\"schema\": 1, \"memory\": [{\"address\": \"0x10\", \"bytes\": \"zz\"}]}", "'z'");
    refused("{\"schema\": 1, \"memory\": [{\"address\": 16, \"bytes\": \"00\"}]}", "memory[0]");
    refused("{\"schema\": 1, \"memory\": [{\"address\": \"0x10\", \"bytes\": \"0011\"}, {\"address\": "
            "\"0x11\", \"bytes\": \"00\"}]}",
            "0x11 occurs twice");
    refused("{\"schema\": 1, \"memory\": [{\"address\": \"0xffffffffffffffff\", \"bytes\": \"0011\"}]}",
            "past the last address");
    refused("{\"schema\": 1, \"memory\": [{\"address\": \"0x10000000000000000\", \"bytes\": \"00\"}]}",
            "not an address");
    refused("Variable:\n  RAX: 0x1\n", "line 1: 'Variable' is neither");
    refused("Variables:\n  RAX: 1\n", "line 2: register RAX: '1' is not");
    refused("Variables:\n  RAX: 0x1\n  rax: 0x1\n", "rax occurs twice");
    refused("Variables:\n  RAX: 0x1\nVariables:\n  RBX: 0x1\n", "line 3: 'Variables' occurs twice");
    refused("Variables:\n  - RAX\n", "line 2: lists");
    refused("Variables:\n  RAX: {a: 1}\n", "line 2: a mapping");
    refused("Variables: &a\n  RAX: 0x1\nLocations: *a\n", "line");
    refused("Variables:\n  RAX: [\n", "line");
    refused("--- a\n--- b\n", "expected the sections");
    refused("Locations:\n  rax: 0x1\n", "line 2: 'rax' is not an address");
    refused("hello\n", "expected the sections");
    refused("Variables: 0x1\n", "indented");
}

/* Whatever the bytes, an answer or an error. */
static void test_mutations(void **state)
{
    (void)state;
    static const char *const seed[] = {
        "{\"schema\": 1, \"registers\": {\"RDI\": \"0x2A\"}, \"memory\": [{\"address\": \"0x1001\", "
        "\"bytes\": \"0d\"}]}",
        "Variables:\n  RDI: 0x2a\nLocations:\n  0x1000: 0xe0\n  0x1001: 0x0000000d\n"};
    uint64_t random = 11;
    for (int k = 0; k < 4000; k++) {
        char text[256];
        size_t n = strlen(seed[k % 2]);
        memcpy(text, seed[k % 2], n);
        for (unsigned i = 0; i <= test_random(&random) % 4; i++)
            text[test_random(&random) % n] =
                (char)(test_random(&random) % 3 ? "{}[]\":,-&*!|>\n \t0x"[test_random(&random) % 18]
                                                : (char)test_random(&random));
        struct error err = {0};
        struct debug_init *i = debug_init_parse("x", text, n - test_random(&random) % 3, &err);
        assert_true(i || err.kind == ERROR_INPUT);
        debug_init_free(i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_forms),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
