/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=asn1_length_bytes function=der_length kind=constant
 * why: A length in more bytes than an integer has was computed all the same. */
struct der {
    const uint8_t *p, *end;
    int depth;
    uint32_t longest;
};

extern int der_fail(struct der *d, const char *why);

int der_length(struct der *d, uint32_t *length)
{
    uint32_t v = 0;
    unsigned n;

    if (d->p >= d->end)
        return der_fail(d, "no length");
    n = *d->p++;
    if (n < 0x80) {
        *length = n;
        return 0;
    }
    n &= 0x7f;
#ifdef PATCHED
    if (n == 0 || n > 4)
#else
    if (n == 0 || n > 8)
#endif
        return der_fail(d, "length of length");
    if ((size_t)(d->end - d->p) < n)
        return der_fail(d, "length is cut off");
    while (n--)
        v = v << 8 | *d->p++;
#ifdef LATER
    if (v > d->longest)
        d->longest = v;
    if (v < 0x80)
        return der_fail(d, "length is not minimal");
#endif
    *length = v;
    return 0;
}
