/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/notes.h"

void notes_add(struct notes *n, struct arena *arena, const char *fmt, va_list ap)
{
    char text[512];
    vsnprintf(text, sizeof text, fmt, ap);
    for (size_t i = 0; i < n->list.len; i++)
        if (strcmp(n->list.data[i], text) == 0)
            return;
    vec_push(&n->list, arena_strdup(arena, text));
}
