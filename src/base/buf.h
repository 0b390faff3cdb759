/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string. Always terminated once something was added; buf_text never returns NULL. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *data;
    size_t len, cap;
};
#define BUF_INIT { NULL, 0, 0 }

void buf_putc(struct buf *b, char c);
void buf_puts(struct buf *b, const char *s);
void buf_put(struct buf *b, const void *p, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* One line of bytes that may be anything: control characters (newlines too), characters that change the
 * direction of writing, and what is not UTF-8 become \xNN. */
void buf_put_printable(struct buf *b, const char *s);
const char *buf_text(const struct buf *b);
void buf_clear(struct buf *b);
void buf_free(struct buf *b);

#endif
