/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=option_zero_length function=tcp_parse_options kind=loop
 * why: An option of length zero was parsed again and again. */
struct tcp_options {
    uint16_t mss;
    uint8_t window_scale, sack;
    uint32_t echo;
    uint32_t unknown;
};

int tcp_parse_options(const uint8_t *p, int length, struct tcp_options *o)
{
    while (length > 0) {
        int kind = p[0], size;

        if (kind == 0)
            return 0;
        if (kind == 1) {
            p++;
            length--;
            continue;
        }
        if (length < 2)
            return -1;
        size = p[1];
#ifdef PATCHED
        if (size < 2 || size > length)
#else
        if (size > length)
#endif
            return -1;
        switch (kind) {
        case 2:
            if (size == 4)
                o->mss = (uint16_t)(p[2] << 8 | p[3]);
            break;
        case 3:
            if (size == 3)
                o->window_scale = p[2] > 14 ? 14 : p[2];
            break;
        case 4:
            o->sack = 1;
            break;
#ifdef LATER
        case 8:
            if (size == 10)
                o->echo = (uint32_t)p[2] << 24 | (uint32_t)p[3] << 16 | (uint32_t)p[4] << 8 | p[5];
            break;
        default:
            o->unknown++;
#endif
        }
        p += size;
        length -= size;
    }
    return 0;
}
