/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=attribute_helper_and_caller function=attr_load kind=functions parts=2
 * why: The helper trusted a length, and its caller a count. */
struct attrs {
    uint32_t count;
    uint8_t value[16][40];
};

extern const uint8_t *attr_at(const void *blob, unsigned n, uint32_t *length);
extern void attr_error(const char *what, unsigned n);

int attr_copy(struct attrs *a, unsigned n, const void *blob)
{
    uint32_t length;
    const uint8_t *p = attr_at(blob, n, &length);

    if (p == NULL) {
        attr_error("no attribute", n);
        return -1;
    }
#if FIX(1)
    if (length > 40) {
        attr_error("attribute too long", n);
        return -2;
    }
#endif
    memcpy(a->value[n], p, length);
    return 0;
}

int attr_load(struct attrs *a, const void *blob, uint32_t count)
{
    unsigned i;

#if FIX(2)
    if (count > 16) {
        attr_error("too many attributes", count);
        return -3;
    }
#endif
    for (i = 0; i < count; i++)
        if (attr_copy(a, i, blob) < 0)
            return -4;
    a->count = count;
    return 0;
}
