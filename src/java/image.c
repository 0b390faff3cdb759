/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java/image.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 28, MAGIC_WORD = 0xcafedada, SEED = 0x01000193 };

static uint32_t word(const struct java_image *im, size_t at)
{
    uint32_t v;
    memcpy(&v, im->data + at, sizeof v);
    return im->swapped ? __builtin_bswap32(v) : v;
}

bool java_image_open(struct java_image *im, const uint8_t *data, size_t size)
{
    *im = (struct java_image){.data = data, .size = size};
    if (size < HEADER)
        return false;
    im->swapped = word(im, 0) != (uint32_t)MAGIC_WORD;
    if (word(im, 0) != (uint32_t)MAGIC_WORD)
        return false;
    im->length = word(im, 16);
    im->places_size = word(im, 20);
    im->names_size = word(im, 24);
    im->redirect = HEADER;
    im->offsets = im->redirect + (size_t)im->length * 4;
    im->places = im->offsets + (size_t)im->length * 4;
    im->names = im->places + im->places_size;
    im->contents = im->names + im->names_size;
    return im->length && im->contents <= size;
}

static uint32_t hash(const char *s, uint32_t seed)
{
    for (; *s; s++)
        seed = (seed * SEED) ^ (uint8_t)*s;
    return seed & 0x7fffffff;
}

enum {
    PLACE_END,
    PLACE_MODULE,
    PLACE_PARENT,
    PLACE_BASE,
    PLACE_EXTENSION,
    PLACE_OFFSET,
    PLACE_PACKED,
    PLACE_SIZE,
    PLACES
};

static bool place(const struct java_image *im, uint32_t at, uint64_t out[PLACES])
{
    memset(out, 0, PLACES * sizeof *out);
    while (at < im->places_size) {
        unsigned kind = im->data[im->places + at] >> 3, n = (im->data[im->places + at] & 7) + 1;
        if (kind == PLACE_END)
            return true;
        if (kind >= PLACES || im->places_size - at <= n)
            return false;
        out[kind] = 0;
        for (unsigned i = 1; i <= n; i++)
            out[kind] = out[kind] << 8 | im->data[im->places + at + i];
        at += 1 + n;
    }
    return false;
}

/* The name at an offset; "" when it is none. */
static const char *name(const struct java_image *im, uint64_t at)
{
    if (at >= im->names_size || !memchr(im->data + im->names + at, 0, im->names_size - at))
        return "";
    return (const char *)im->data + im->names + at;
}

static bool is_called(const struct java_image *im, const uint64_t p[PLACES], const char *full)
{
    char all[1024];
    const char *module = name(im, p[PLACE_MODULE]), *parent = name(im, p[PLACE_PARENT]),
               *extension = name(im, p[PLACE_EXTENSION]);
    int n = snprintf(all, sizeof all, "%s%s%s%s%s%s%s%s", *module ? "/" : "", module, *module ? "/" : "",
                     parent, *parent ? "/" : "", name(im, p[PLACE_BASE]), *extension ? "." : "", extension);
    return n > 0 && (size_t)n < sizeof all && strcmp(all, full) == 0;
}

static const uint8_t *find(const struct java_image *im, const char *full, size_t *size)
{
    uint32_t index = hash(full, SEED) % im->length;
    int32_t value = (int32_t)word(im, im->redirect + (size_t)index * 4);
    uint64_t p[PLACES];
    if (value == 0)
        return NULL;
    index = value < 0 ? (uint32_t)(-1 - value) : hash(full, (uint32_t)value) % im->length;
    if (index >= im->length || !place(im, word(im, im->offsets + (size_t)index * 4), p) ||
        !is_called(im, p, full))
        return NULL;
    if (p[PLACE_PACKED] || p[PLACE_OFFSET] > im->size - im->contents ||
        p[PLACE_SIZE] > im->size - im->contents - p[PLACE_OFFSET])
        return NULL;
    *size = (size_t)p[PLACE_SIZE];
    return im->data + im->contents + p[PLACE_OFFSET];
}

const uint8_t *java_image_find(const struct java_image *im, const char *file, size_t *size)
{
    char full[1024];
    /* A package is in one module as a rule: java.base is asked first, then /packages/java.util, which is a
     * list of pairs: whether there is nothing of the package in the module, and the module's name. */
    int n = snprintf(full, sizeof full, "/java.base/%s", file);
    const uint8_t *out = n > 0 && (size_t)n < sizeof full ? find(im, full, size) : NULL;
    const char *slash = strrchr(file, '/');
    if (out || !slash || (size_t)(slash - file) > sizeof full / 2)
        return out;
    n = snprintf(full, sizeof full, "/packages/%.*s", (int)(slash - file), file);
    for (char *s = full + strlen("/packages/"); *s; s++)
        *s = *s == '/' ? '.' : *s;
    size_t bytes;
    const uint8_t *list = find(im, full, &bytes);
    for (size_t i = 0; list && i + 8 <= bytes && !out; i += 8) {
        size_t at = (size_t)(list - im->data) + i;
        n = snprintf(full, sizeof full, "/%s/%s", name(im, word(im, at + 4)), file);
        if (!word(im, at) && n > 0 && (size_t)n < sizeof full)
            out = find(im, full, size);
    }
    return out;
}
