/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, enum error_kind kind, const char *fmt, ...)
{
    if (!err)
        return false;
    err->kind = kind;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return false;
}

void error_prefix(struct error *err, const char *fmt, ...)
{
    if (!err)
        return;
    char rest[sizeof err->text];
    memcpy(rest, err->text, sizeof rest);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    if ((size_t)n < sizeof err->text)
        snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", rest);
}

int error_exit_code(enum error_kind kind)
{
    return kind == ERROR_USAGE || kind == ERROR_INPUT ? 2 : 3;
}
