/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Init files of the debugger, JSON and YAML: any bytes give a state that keeps its promises, or an error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "debug/init.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct debug_init *i = debug_init_parse("fuzz", (const char *)data, size, &err);
    if (!i) {
        if (err.kind != ERROR_INPUT || !err.text[0])
            broken("refused without saying why");
        return 0;
    }
    for (size_t k = 1; k < i->nreg; k++)
        if (strcasecmp(i->reg[k - 1].name, i->reg[k].name) >= 0)
            broken("registers are not sorted, or one is there twice");
    for (size_t k = 0; k < i->nmemory; k++) {
        const struct init_memory *m = &i->memory[k];
        if (!m->size || m->address + (m->size - 1) < m->address)
            broken("memory that is empty or wraps");
        if (k && m->address - m[-1].address < m[-1].size)
            broken("memory that overlaps");
        volatile uint8_t last = m->bytes[m->size - 1];
        (void)last;
    }
    debug_init_free(i);
    return 0;
}
