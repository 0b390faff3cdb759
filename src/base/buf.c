/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void buf_reserve(struct buf *b, size_t more)
{
    size_t want = b->len + more + 1;
    if (want <= b->cap)
        return;
    size_t cap = b->cap ? b->cap * 2 : 128;
    b->cap = cap < want ? want : cap;
    b->data = xrealloc(b->data, b->cap);
}

void buf_put(struct buf *b, const void *p, size_t n)
{
    buf_reserve(b, n);
    if (n)
        memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = 0;
}

void buf_putc(struct buf *b, char c)
{
    buf_put(b, &c, 1);
}

void buf_puts(struct buf *b, const char *s)
{
    buf_put(b, s, strlen(s));
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0) {
        buf_reserve(b, (size_t)n);
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

/* Length of the well-formed UTF-8 sequence at s (RFC 3629, table in section 4), 0 when there is none. */
static unsigned utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    unsigned n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;
    for (unsigned i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* Characters that move the cursor, end a line or change the direction of writing: with them a name could make
 * the text around it look like something else. The second half are Unicode's line separators, marks,
 * embeddings, overrides and isolates (UAX #9) and the invisible U+FEFF. */
static bool is_deceptive(const unsigned char *s, unsigned n)
{
    if (n == 1)
        return s[0] < 0x20 || s[0] == 0x7f;
    if (n == 2)
        return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
    if (n != 3)
        return false;
    unsigned c = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff;
}

void buf_put_printable(struct buf *out, const char *s)
{
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        unsigned n = utf8_length(p);
        if (n && !is_deceptive(p, n)) {
            buf_put(out, p, n);
            p += n;
            continue;
        }
        for (n = n ? n : 1; n; n--)
            buf_printf(out, "\\x%02x", *p++);
    }
}

const char *buf_text(const struct buf *b)
{
    return b->data ? b->data : "";
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = 0;
}

void buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf)BUF_INIT;
}
