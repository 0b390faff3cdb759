/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information: asks about every function the input has, follows the types it gets. */
#include <stdlib.h>
#include <string.h>

#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t follow(const struct object_type_info *t, int depth)
{
    size_t seen = 0;
    for (int i = 0; t && i < 32; i++) {
        seen += t->name ? strlen(t->name) : 0;
        for (size_t k = 0; k < t->nfields && k < 16 && depth < 3; k++)
            seen += follow(t->field[k].type, depth + 1) + (t->field[k].name ? strlen(t->field[k].name) : 0);
        t = t->target;
    }
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {ERROR_NONE, ""};
    struct object *o = object_open_memory("fuzz", data, size, NULL, &err);
    if (!o)
        return 0;
    const struct object_bound *bound;
    size_t n = object_bounds(o, &bound), seen = 0;
    for (size_t i = 0; i < n && i < 64; i++) {
        const struct object_function_debug *f = object_debug_function(o, bound[i].address);
        for (size_t k = 0; f && k < f->nparams; k++)
            seen += follow(f->param[k].type, 0) + (f->param[k].name ? strlen(f->param[k].name) : 0);
        if (f)
            seen += follow(f->result, 0) + (f->file ? strlen(f->file) : 0);
        struct object_line line;
        if (object_debug_line(o, bound[i].address, &line))
            seen += strlen(line.file);
        struct object_inline calls[4];
        size_t covering = object_debug_inlined(o, bound[i].address + bound[i].size / 2, calls, 4);
        for (size_t k = 0; k < covering && k < 4; k++)
            seen += (calls[k].name ? strlen(calls[k].name) : 0) +
                    (calls[k].call_file ? strlen(calls[k].call_file) : 0);
    }
    object_free(o);
    return seen == SIZE_MAX;
}
