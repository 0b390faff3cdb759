/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/wire.h"

#include <assert.h>
#include <string.h>

static const struct wire_field text_field[] = {{.kind = WIRE_STRING, .limit = 1}};
static const struct wire_field u64_field[] = {{.kind = WIRE_NUMBER, .size = sizeof(uint64_t)}};
static const struct wire_field u32_field[] = {{.kind = WIRE_NUMBER, .size = sizeof(uint32_t)}};
static const struct wire_field u8_field[] = {{.kind = WIRE_NUMBER, .size = 1}};
const struct wire_type wire_text = WIRE_TYPE(const char *, text_field);
const struct wire_type wire_u64 = WIRE_TYPE(uint64_t, u64_field);
const struct wire_type wire_u32 = WIRE_TYPE(uint32_t, u32_field);
const struct wire_type wire_u8 = WIRE_TYPE(uint8_t, u8_field);

static void put_size(struct buf *out, uint64_t n)
{
    buf_put(out, &n, sizeof n);
}

void wire_put(struct buf *out, const struct wire_type *t, const void *value)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct wire_field *f = &t->field[i];
        const char *at = (const char *)value + f->at, *text;
        size_t count;
        switch (f->kind) {
        case WIRE_NUMBER:
        case WIRE_TRUTH:
        case WIRE_NAMED:
            buf_put(out, at, f->size);
            break;
        case WIRE_STRING: /* its length and one; 0: NULL */
            memcpy(&text, at, sizeof text);
            put_size(out, text ? strlen(text) + 1 : 0);
            if (text)
                buf_put(out, text, strlen(text));
            break;
        case WIRE_PART:
            wire_put(out, f->type, at);
            break;
        case WIRE_MANY:
            memcpy(&text, at, sizeof text);
            memcpy(&count, (const char *)value + f->count, sizeof count);
            put_size(out, count);
            for (size_t k = 0; k < count; k++)
                wire_put(out, f->type, text + k * f->type->size);
            break;
        }
    }
}

struct reader {
    const char *at, *end;
    struct arena *arena;
};

static bool take(struct reader *r, void *out, size_t n)
{
    if ((size_t)(r->end - r->at) < n)
        return false;
    memcpy(out, r->at, n);
    r->at += n;
    return true;
}

static bool get(struct reader *r, const struct wire_type *t, char *value);

static bool get_field(struct reader *r, const struct wire_field *f, char *value)
{
    char *at = value + f->at;
    uint64_t n, number = 0;
    char *text = NULL;
    size_t count;
    switch (f->kind) {
    case WIRE_NUMBER:
        return take(r, at, f->size);
    case WIRE_TRUTH:
        if (!take(r, &number, f->size) || number > 1)
            return false;
        memcpy(at, &number, f->size);
        return true;
    case WIRE_NAMED: /* little-endian, as all hosts are */
        assert(f->size <= sizeof number);
        if (!take(r, &number, f->size) || number >= f->limit)
            return false;
        memcpy(at, &number, f->size);
        return true;
    case WIRE_STRING:
        if (!take(r, &n, sizeof n) || (n && n - 1 > (size_t)(r->end - r->at)))
            return false;
        if (n || f->limit)
            text = arena_strndup(r->arena, r->at, n ? n - 1 : 0);
        r->at += n ? n - 1 : 0;
        memcpy(at, &text, sizeof text);
        return true;
    case WIRE_PART:
        return get(r, f->type, at);
    case WIRE_MANY:
        /* every element takes a byte at least */
        if (!take(r, &n, sizeof n) || n > (size_t)(r->end - r->at))
            return false;
        count = (size_t)n;
        if (count)
            text = arena_zalloc(r->arena, count * f->type->size);
        memcpy(at, &text, sizeof text);
        memcpy(value + f->count, &count, sizeof count);
        for (size_t k = 0; k < count; k++)
            if (!get(r, f->type, text + k * f->type->size))
                return false;
        return true;
    }
    return false;
}

static bool get(struct reader *r, const struct wire_type *t, char *value)
{
    for (size_t i = 0; i < t->nfields; i++)
        if (!get_field(r, &t->field[i], value))
            return false;
    return true;
}

bool wire_get(const char *bytes, size_t n, const struct wire_type *t, void *value, struct arena *arena)
{
    struct reader r = {bytes, bytes + n, arena};
    memset(value, 0, t->size);
    return get(&r, t, value) && r.at == r.end;
}
