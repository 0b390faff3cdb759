/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state a run begins in, from a file: our JSON form or the YAML of CBAT's bildb (docs/debug.md). */
#ifndef DEBUG_INIT_H
#define DEBUG_INIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"

enum init_version { INIT_BOTH, INIT_OLD, INIT_NEW };

struct init_register {
    const char *name;
    struct bits value;
};
struct init_memory {
    uint64_t address;
    const uint8_t *bytes;
    size_t size;
};

struct debug_init {
    struct arena arena;
    const char *name;     /* of the file, for messages */
    const char *arch;     /* or NULL */
    const char *function; /* or NULL */
    enum init_version version;
    struct init_register *reg;
    size_t nreg;
    struct init_memory *memory; /* sorted by address, no two overlap */
    size_t nmemory;
};

struct debug_init *debug_init_read(const char *path, struct error *err);
/* `name` is for messages. */
struct debug_init *debug_init_parse(const char *name, const char *text, size_t len, struct error *err);
void debug_init_free(struct debug_init *i);

#endif
