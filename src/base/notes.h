/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences that go with an answer, in the order they were first said, each once. */
#ifndef BASE_NOTES_H
#define BASE_NOTES_H

#include <stdarg.h>

#include "base/alloc.h"
#include "base/vec.h"

struct notes {
    VEC(const char *) list;
};

void notes_add(struct notes *n, struct arena *arena, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

#endif
