/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELF reader: opens the input as a program and asks it everything but debug information. */
#include <stdlib.h>
#include <string.h>

#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct object *o, uint64_t address)
{
    uint64_t offset;
    size_t n;
    const uint8_t *p = object_bytes(o, address, &n);
    if (p && n > 0) {
        uint8_t ends[2] = {p[0], p[n - 1]}, read[1];
        if (!object_read(o, address, read, 1) || read[0] != ends[0])
            abort();
    } else if (p || n) {
        abort();
    }
    object_symbol_at(o, address, &offset);
    object_code_mode(o, address);
    object_stub_at(o, address);
    object_is_readonly(o, address, 8);
    const char *s = object_string(o, address, &n);
    if (s && strlen(s) != n)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct object_options opt = {.no_debug = true};
    struct error err = {ERROR_NONE, ""};
    struct object *o = object_open_memory("fuzz", data, size, &opt, &err);
    if (!o) {
        if (err.kind == ERROR_NONE || !err.text[0])
            abort();
        return 0;
    }
    const struct object_symbol *symbol;
    const struct object_stub *stub;
    const struct object_bound *bound;
    const struct object_pointer *pointer;
    const struct object_section *section;
    size_t n = object_symbols(o, &symbol);
    for (size_t i = 0; i < n; i++) {
        if (i && symbol[i - 1].address > symbol[i].address)
            abort();
        if (i < 100)
            look_at(o, symbol[i].address);
        if (!object_symbol_by_name(o, symbol[i].name) && symbol[i].type != SYMBOL_FILE &&
            symbol[i].type != SYMBOL_SECTION)
            abort();
    }
    n = object_stubs(o, &stub);
    for (size_t i = 0; i < n; i++)
        if (object_stub_at(o, stub[i].address) != &stub[i])
            abort();
    n = object_bounds(o, &bound);
    for (size_t i = 0; i < n; i++) {
        if (!object_is_exec(o, bound[i].address) || (i && bound[i - 1].address >= bound[i].address))
            abort();
        if (i < 100)
            look_at(o, bound[i].address + bound[i].size);
    }
    n = object_pointers(o, &pointer);
    for (size_t i = 0; i < n && i < 100; i++)
        look_at(o, pointer[i].target);
    n = object_sections(o, &section);
    for (size_t i = 0; i < n && i < 100; i++)
        look_at(o, section[i].address);
    object_free(o);
    return 0;
}
