/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guarding allocator (guard.c) as its users see it: the file to preload, and its state in a process. */
#ifndef RUN_GUARD_H
#define RUN_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/machine.h"

/* The shared object for a machine; NULL: none was built (there was no compiler for it). */
const uint8_t *guard_image(enum machine_arch arch, size_t *size);

enum { GUARD_CLASSES = 4, GUARD_SLOTS = 1692 };
enum guard_state { GUARD_NEVER, GUARD_LIVE, GUARD_FREED };

/* `guard_pool` in the process: numbers of 64 bits, whatever the machine. */
struct guard_class {
    uint64_t base, bytes, slots, used, open, first;
};
struct guard_pool {
    uint64_t ready;
    struct guard_class cls[GUARD_CLASSES];
    uint64_t size[GUARD_SLOTS];
    uint8_t state[GUARD_SLOTS];
    uint8_t fill; /* what chunks hold at first */
};

/* Whether it can be what the guard has made: the program may have overwritten it. */
bool guard_valid(const struct guard_pool *g);
/* The class of slots that has the address; -1: none. */
int guard_class_of(const struct guard_pool *g, uint64_t address);
/* The chunk that has the address, or whose end it is; false when it is in no chunk, live or not. */
struct guard_chunk {
    uint64_t base, size;
    unsigned slot; /* index of `state` */
    enum guard_state state;
};
bool guard_chunk_at(const struct guard_pool *g, uint64_t address, struct guard_chunk *out);
/* Whether a byte can be accessed, of an address in a class. */
bool guard_mapped(const struct guard_pool *g, int class, uint64_t address);

#endif
