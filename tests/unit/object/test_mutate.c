/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged programs: whatever byte of a header or table is wrong, and wherever the file ends, opening it works
 * or says what is wrong. Run under AddressSanitizer this also shows that nothing is read that is not there.
 */
#include "inputs.h"

static void attempt(const uint8_t *bytes, size_t size, const char *what, size_t where)
{
    struct error err = {ERROR_NONE, ""};
    /* A private copy of exactly this size, so that reading past the end is seen. */
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    struct object *o = object_open_memory("damaged", copy, size, NULL, &err);
    free(copy);
    if (!o) {
        if ((err.kind != ERROR_INPUT && err.kind != ERROR_UNSUPPORTED) || strncmp(err.text, "damaged: ", 9))
            fail_msg("%s at 0x%zx: kind %d, \"%s\"", what, where, err.kind, err.text);
        return;
    }
    const struct object_bound *b;
    size_t n = object_bounds(o, &b);
    for (size_t i = 0; i < n && i < 4; i++) {
        struct object_line line;
        assert_true(object_is_exec(o, b[i].address));
        object_debug_function(o, b[i].address);
        object_debug_line(o, b[i].address, &line);
    }
    object_free(o);
}

static void truncations(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        static const char *const suffix[] = {"-small", "-reloc.o"};
        for (int k = 0; k < 2; k++) {
            size_t size;
            if (k == 1 && !strcmp(input_arch[a], "thumb"))
                continue;
            uint8_t *bytes = input_bytes(input_arch[a], suffix[k], &size);
            size_t step = size > 4096 ? 31 : 7;
            for (size_t n = 0; n < size; n += n < 256 ? 1 : step)
                attempt(bytes, n, "truncated", n);
            for (size_t n = size - 64; n < size; n++)
                attempt(bytes, n, "truncated", n);
            free(bytes);
        }
    }
}

static uint64_t get(const uint8_t *p, size_t n)
{
    uint64_t x = 0;
    while (n-- > 0)
        x = x << 8 | p[n];
    return x;
}

/* Flips bits and plants extreme values in a range of the file. */
static void damage(uint8_t *bytes, size_t size, size_t from, size_t n, size_t step)
{
    static const uint8_t value[] = {0x00, 0x80, 0xff};
    if (from >= size)
        return;
    if (n > size - from)
        n = size - from;
    for (size_t at = from; at < from + n; at += step) {
        uint8_t old = bytes[at];
        for (size_t v = 0; v < sizeof value; v++) {
            if (value[v] == old)
                continue;
            bytes[at] = value[v];
            attempt(bytes, size, "byte", at);
        }
        bytes[at] = old ^ 1;
        attempt(bytes, size, "bit", at);
        bytes[at] = old;
    }
}

static void damaged_headers(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        size_t size;
        uint8_t *bytes = input_bytes(input_arch[a], "-small", &size);
        bool is64 = bytes[4] == 2;
        size_t phoff = get(bytes + (is64 ? 32 : 28), is64 ? 8 : 4),
               shoff = get(bytes + (is64 ? 40 : 32), is64 ? 8 : 4);
        size_t phnum = get(bytes + (is64 ? 56 : 44), 2), shnum = get(bytes + (is64 ? 60 : 48), 2);
        damage(bytes, size, 0, is64 ? 64 : 52, 1);
        damage(bytes, size, phoff, phnum * (is64 ? 56 : 32), 1);
        damage(bytes, size, shoff, shnum * (is64 ? 64 : 40), 5);
        /* The dynamic section and what it points to lie behind the program headers. */
        damage(bytes, size, phoff + phnum * (is64 ? 56 : 32), 2048, 5);
        free(bytes);
    }
}

static void damaged_objects(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        size_t size;
        if (!strcmp(input_arch[a], "thumb"))
            continue;
        uint8_t *bytes = input_bytes(input_arch[a], "-reloc.o", &size);
        damage(bytes, size, 0, size, 7);
        free(bytes);
    }
}

/* Lies of a size that would hurt if believed. */
static void huge_claims(void **state)
{
    (void)state;
    size_t size;
    struct error err;
    uint8_t *bytes = input_bytes("x86_64", "-small", &size);
    size_t phoff = get(bytes + 32, 8), phnum = get(bytes + 56, 2);
    for (size_t i = 0; i < phnum; i++) {
        uint8_t *p = bytes + phoff + 56 * i;
        if (get(p, 4) != 1)
            continue;
        uint8_t old[8];
        memcpy(old, p + 40, 8);
        memcpy(p + 40, "\0\0\0\0\0\0\0\020", 8); /* p_memsz = 2^60 */
        assert_null(object_open_memory("huge", bytes, size, NULL, &err));
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_non_null(strstr(err.text, "huge: segment"));
        assert_non_null(strstr(err.text, "offset 0x"));
        memcpy(p + 40, old, 8);
    }
    free(bytes);
    bytes = input_bytes("x86_64", "-reloc.o", &size);
    size_t shoff = get(bytes + 40, 8), shnum = get(bytes + 60, 2);
    for (size_t i = 1; i < shnum; i++) {
        uint8_t *p = bytes + shoff + 64 * i, old[8];
        memcpy(old, p + 32, 8);
        memcpy(p + 32, "\0\0\0\0\0\0\0\020", 8);
        assert_null(object_open_memory("huge", bytes, size, NULL, &err));
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_non_null(strstr(err.text, "huge: section"));
        memcpy(p + 32, old, 8);
    }
    free(bytes);
}

/* Damage in debug information is never more than missing information. */
static void damaged_debug(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = input_bytes("x86_64", "-clang.o", &size);
    size_t shoff = get(bytes + 40, 8), shnum = get(bytes + 60, 2), strndx = get(bytes + 62, 2);
    size_t names = get(bytes + shoff + 64 * strndx + 24, 8);
    for (size_t i = 1; i < shnum; i++) {
        const uint8_t *p = bytes + shoff + 64 * i;
        const char *name = (const char *)bytes + names + get(p, 4);
        if (!strncmp(name, ".debug_", 7))
            damage(bytes, size, get(p + 24, 8), get(p + 32, 8), 19);
    }
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(truncations), cmocka_unit_test(damaged_headers), cmocka_unit_test(damaged_objects),
    cmocka_unit_test(huge_claims), cmocka_unit_test(damaged_debug),
};
INPUT_MAIN("object-mutate", tests)
