/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that may be missing. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool text_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

#endif
