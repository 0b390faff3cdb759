/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a class file: it is read or refused with an error, and so is the code of each of its methods.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "java/class.h"
#include "lift/java/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = {0};
    struct java_class *c = java_class_read(data, size, "fuzz.class", &arena, &err);
    if (!c && (err.kind != ERROR_INPUT || !err.text[0])) {
        fprintf(stderr, "refused without saying why\n");
        abort();
    }
    for (unsigned i = 0; c && i < c->nmethods; i++) {
        struct java_checked checked;
        if (!c->method[i].code)
            continue;
        java_check(&c->method[i], &checked);
        java_checked_free(&checked);
    }
    arena_free(&arena);
    return 0;
}
