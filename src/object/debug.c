/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information through libdw. */
#include <string.h>

#include "object/private.h"

struct debug {
    int unused;
};

struct debug *debug_new(void)
{
    return xcalloc(1, sizeof(struct debug));
}

void debug_free(struct debug *d)
{
    free(d);
}

bool debug_attach(struct object *o, const struct object_options *opt, struct error *err)
{
    (void)o, (void)opt, (void)err;
    return true;
}

const struct object_function_debug *object_debug_function(const struct object *o, uint64_t address)
{
    (void)o, (void)address;
    return NULL;
}

bool object_debug_line(const struct object *o, uint64_t address, struct object_line *out)
{
    (void)o, (void)address, (void)out;
    return false;
}

size_t object_debug_inlined(const struct object *o, uint64_t address, struct object_inline *out, size_t cap)
{
    (void)o, (void)address, (void)out, (void)cap;
    return 0;
}
