/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two files put different things into memory. */
#include <string.h>

#include "object/object.h"

/* In an identifier of the build, which no program looks at; *end: where that ends. */
static bool is_build_id(const struct object *o, uint64_t address, uint64_t *end)
{
    const struct object_section *s;
    const size_t n = object_sections(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].name && strcmp(s[i].name, ".note.gnu.build-id") == 0 && address - s[i].address < s[i].size) {
            *end = s[i].address + s[i].size;
            return true;
        }
    return false;
}

static bool same_layout(const struct object *x, const struct object *y)
{
    const struct object_segment *a, *b;
    const size_t n = object_segments(x, &a);
    bool same = n == object_segments(y, &b);
    for (size_t i = 0; i < n && same; i++)
        same = a[i].address == b[i].address && a[i].size == b[i].size && a[i].exec == b[i].exec &&
               a[i].write == b[i].write;
    return same;
}

bool object_differ(const struct object *x, const struct object *y, uint64_t from, uint64_t *at)
{
    enum { AT_ONCE = 4096 };
    const struct object_segment *segment;
    const size_t n = object_segments(x, &segment);
    *at = UINT64_MAX;
    if (!same_layout(x, y))
        return true;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = segment[i].address + segment[i].size;
        uint64_t a = segment[i].address > from ? segment[i].address : from;
        while (a < end && a < *at) {
            size_t nx, ny;
            const uint8_t *p = object_bytes(x, a, &nx), *q = object_bytes(y, a, &ny);
            if (!p || !q)
                break; /* zero in both, as their sizes are the same */
            size_t len = nx < ny ? nx : ny;
            len = len < end - a ? len : (size_t)(end - a);
            len = len < AT_ONCE ? len : AT_ONCE;
            uint64_t behind;
            if (memcmp(p, q, len) == 0) {
                a += len;
                continue;
            }
            while (*p == *q)
                a++, p++, q++;
            if (is_build_id(x, a, &behind) && is_build_id(y, a, &behind))
                a = behind;
            else
                *at = a;
        }
    }
    return *at != UINT64_MAX;
}
