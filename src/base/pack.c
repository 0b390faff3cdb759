/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/pack.h"

#include <string.h>

void pack_number(struct buf *out, uint64_t n)
{
    char byte[10];
    size_t len = 0;
    do {
        byte[len++] = (char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        n >>= 7;
    } while (n);
    buf_put(out, byte, len);
}

void pack_text(struct buf *out, const char *text)
{
    const size_t n = text ? strlen(text) : 0;
    pack_number(out, text ? n + 1 : 0);
    if (n)
        buf_put(out, text, n);
}

struct unpack unpack_begin(const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    return (struct unpack){.at = at, .end = n ? at + n : at};
}

uint64_t unpack_number(struct unpack *u)
{
    uint64_t n = 0;
    for (unsigned shift = 0; !u->bad && u->at < u->end; shift += 7) {
        const uint8_t byte = *u->at++;
        if (shift > 63 || (shift == 63 && byte > 1) || (shift && !byte))
            break;
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return n;
    }
    u->bad = true;
    return 0;
}

uint64_t unpack_upto(struct unpack *u, uint64_t most)
{
    const uint64_t n = unpack_number(u);
    if (n <= most)
        return n;
    u->bad = true;
    return 0;
}

const uint8_t *unpack_bytes(struct unpack *u, size_t n)
{
    if (u->bad || (size_t)(u->end - u->at) < n) {
        u->bad = true;
        return NULL;
    }
    const uint8_t *bytes = u->at;
    u->at += n;
    return bytes;
}

const char *unpack_text(struct unpack *u, struct arena *arena)
{
    const uint64_t n = unpack_number(u);
    const uint8_t *bytes = n ? unpack_bytes(u, n - 1 > SIZE_MAX ? SIZE_MAX : (size_t)(n - 1)) : NULL;
    if (bytes && memchr(bytes, 0, (size_t)(n - 1))) {
        u->bad = true;
        bytes = NULL;
    }
    return bytes ? arena_strndup(arena, (const char *)bytes, (size_t)(n - 1)) : NULL;
}

bool unpack_done(const struct unpack *u)
{
    return !u->bad && u->at == u->end;
}
