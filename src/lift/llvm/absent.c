/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for the front end where assay was built without the headers of LLVM. */
#include "lift/llvm/bitcode.h"

struct bitcode *bitcode_read(const char *name, const uint8_t *bytes, size_t n, struct error *err)
{
    (void)bytes;
    (void)n;
    error_set(err, ERROR_UNSUPPORTED,
              "%s: this assay was built without support for LLVM bitcode; install llvm-19-dev and build it "
              "again with "
              "-Dllvm=enabled",
              name);
    return NULL;
}

void bitcode_free(struct bitcode *m)
{
    (void)m;
}

/* No module exists, so nothing below is ever called. */

void bitcode_lay_out_32(struct bitcode *m)
{
    (void)m;
}

const struct bitcode_info *bitcode_info(const struct bitcode *m)
{
    (void)m;
    return NULL;
}

size_t bitcode_functions(const struct bitcode *m, const struct bitcode_function **out)
{
    (void)m;
    *out = NULL;
    return 0;
}

const struct bitcode_function *bitcode_function_at(const struct bitcode *m, uint64_t address)
{
    (void)m;
    (void)address;
    return NULL;
}

const struct bitcode_code *bitcode_code(struct bitcode *m, const struct bitcode_function *f,
                                        struct error *err)
{
    (void)m;
    (void)f;
    error_set(err, ERROR_UNSUPPORTED, "no support for LLVM bitcode");
    return NULL;
}

struct ir_pures bitcode_pures(void)
{
    return (struct ir_pures){0};
}

bool bitcode_text(struct bitcode *m, uint64_t address, struct buf *out)
{
    (void)m;
    (void)address;
    (void)out;
    return false;
}

bool bitcode_line(struct bitcode *m, uint64_t address, struct bitcode_line *out)
{
    (void)m;
    (void)address;
    (void)out;
    return false;
}

bool bitcode_symbol(const struct bitcode *m, const char *name, struct bitcode_symbol *out)
{
    (void)m;
    (void)name;
    (void)out;
    return false;
}

bool bitcode_data(struct bitcode *m, const char *symbol, uint64_t offset, unsigned bytes,
                  struct bitcode_datum *out)
{
    (void)m;
    (void)symbol;
    (void)offset;
    (void)bytes;
    (void)out;
    return false;
}

const char *bitcode_string(struct bitcode *m, const char *symbol, uint64_t offset, size_t *len)
{
    (void)m;
    (void)symbol;
    (void)offset;
    (void)len;
    return NULL;
}
