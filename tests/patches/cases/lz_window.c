/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=lz_window function=lz_decode kind=bounds
 * why: A match may not begin before the output does. */
struct lz {
    const uint8_t *in, *in_end;
    uint8_t *out, *start, *out_end;
    uint32_t matches, literals;
};

extern int lz_error(struct lz *z, int code);

int lz_decode(struct lz *z)
{
    while (z->in < z->in_end) {
        unsigned token = *z->in++;
        unsigned length = (token >> 4) + 1, offset;

        if (token & 1) {
            if (z->in_end - z->in < 2)
                return lz_error(z, 1);
            offset = (unsigned)z->in[0] | (unsigned)z->in[1] << 8;
            z->in += 2;
#ifdef LATER
            z->matches++;
#endif
            if ((size_t)(z->out_end - z->out) < length)
                return lz_error(z, 2);
#ifdef PATCHED
            if (offset == 0 || offset > (size_t)(z->out - z->start))
                return lz_error(z, 3);
#endif
            while (length--) {
                *z->out = *(z->out - offset);
                z->out++;
            }
        } else {
            if ((size_t)(z->in_end - z->in) < length || (size_t)(z->out_end - z->out) < length)
                return lz_error(z, 4);
            memcpy(z->out, z->in, length);
            z->out += length;
            z->in += length;
#ifdef LATER
            z->literals += length;
#endif
        }
    }
    return (int)(z->out - z->start);
}
