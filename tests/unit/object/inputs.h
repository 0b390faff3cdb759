/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of this layer share: the compiled inputs (make-inputs) are in the directory given as the
 * program's first argument. */
#ifndef TEST_OBJECT_INPUTS_H
#define TEST_OBJECT_INPUTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "object/object.h"

extern const char *input_dir; /* set by main */

static const char *const input_arch[] = {"x86_64", "i386", "arm", "thumb", "aarch64"};
enum { INPUT_ARCHES = 5 };

static inline void input_path(char out[512], const char *arch, const char *suffix)
{
    snprintf(out, 512, "%s/%s%s", input_dir, arch, suffix);
}

static inline struct object *input_open_with(const char *arch, const char *suffix,
                                             const struct object_options *opt)
{
    char path[512];
    struct error err = {ERROR_NONE, ""};
    input_path(path, arch, suffix);
    struct object *o = object_open(path, opt, &err);
    if (!o)
        fail_msg("%s", err.text);
    return o;
}

static inline struct object *input_open(const char *arch, const char *suffix)
{
    return input_open_with(arch, suffix, NULL);
}

static inline uint8_t *input_bytes(const char *arch, const char *suffix, size_t *size)
{
    char path[512];
    input_path(path, arch, suffix);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = malloc(*size);
    assert_non_null(p);
    assert_int_equal(fread(p, 1, *size, f), *size);
    fclose(f);
    return p;
}

static inline const struct object_symbol *input_symbol(const struct object *o, const char *name)
{
    const struct object_symbol *s = object_symbol_by_name(o, name);
    if (!s)
        fail_msg("%s: no symbol %s", object_info(o)->name, name);
    return s;
}

static inline const struct object_bound *input_bound(const struct object *o, const char *name)
{
    const struct object_bound *b;
    size_t n = object_bounds(o, &b);
    for (size_t i = 0; i < n; i++)
        if (b[i].name && !strcmp(b[i].name, name))
            return &b[i];
    fail_msg("%s: no function %s", object_info(o)->name, name);
    return NULL;
}

static inline uint64_t input_word(const struct object *o, uint64_t address)
{
    uint8_t raw[8] = {0};
    size_t n = object_info(o)->bits / 8;
    assert_true(object_read(o, address, raw, n));
    uint64_t x = 0;
    for (size_t i = n; i-- > 0;)
        x = x << 8 | raw[i];
    return x;
}

static inline uint32_t input_u32(const struct object *o, uint64_t address)
{
    uint8_t raw[4];
    assert_true(object_read(o, address, raw, 4));
    return (uint32_t)raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
}

#define INPUT_MAIN(name, tests)                                                                              \
    const char *input_dir;                                                                                   \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        input_dir = argc > 1 ? argv[1] : ".";                                                                \
        return cmocka_run_group_tests_name(name, tests, NULL, NULL);                                         \
    }

#endif
