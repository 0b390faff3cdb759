/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=mac_length_and_bytes function=mac_check kind=hunks parts=2
 * why: A short code was compared, and only as far as it went. */
struct mac {
    uint8_t bytes[32];
    unsigned length;
};

extern void mac_compute(const uint8_t *data, unsigned size, uint8_t *out);
extern int same_bytes(const void *a, const void *b, unsigned n);

int mac_check(const struct mac *m, const uint8_t *data, unsigned size)
{
    uint8_t own[32];

#if FIX(1)
    if (m->length != 32)
        return -3;
#endif
    mac_compute(data, size, own);
#if FIX(2)
    if (!same_bytes(own, m->bytes, 32))
        return -4;
#else
    if (memcmp(own, m->bytes, m->length) != 0)
        return -4;
#endif
    return 0;
}
