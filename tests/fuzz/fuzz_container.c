/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Containers: walks the input as an archive and touches every byte of every member. */
#include <stdlib.h>
#include <string.h>

#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    size_t members, bytes;
    char *last;
};

static bool member(void *ctx, const struct object_member *m)
{
    struct seen *s = ctx;
    s->members++;
    for (size_t i = 0; i < m->size; i++)
        s->bytes += m->data[i];
    if (m->is_symlink != (m->link != NULL) || (s->last && strcmp(s->last, m->path) > 0))
        abort();
    free(s->last);
    s->last = strdup(m->path);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {ERROR_NONE, ""};
    struct seen s = {0, 0, NULL};
    if (!container_walk_memory("fuzz", data, size, member, &s, &err) &&
        (err.kind == ERROR_NONE || !err.text[0]))
        abort();
    free(s.last);
    return 0;
}
