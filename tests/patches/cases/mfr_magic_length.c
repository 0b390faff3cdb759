/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=mfr_magic_length function=mfr_print_element kind=length-check
 * why: A magic number of another length than four was read past its end (after CVE-2018-14468). */
struct printer {
    int verbose;
    void (*out)(struct printer *p, const char *format, ...);
};

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint16_t be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

extern void print_time(struct printer *p, const uint8_t *data, unsigned length);
extern void hex_dump(struct printer *p, const uint8_t *data, unsigned length);

unsigned mfr_print_element(struct printer *p, const uint8_t *t, unsigned length)
{
    unsigned type, len;

    if (length < 2) {
        p->out(p, "[|mfr]");
        return 0;
    }
    type = t[0];
    len = t[1];
    if (len < 2 || len > length) {
        p->out(p, "[|mfr]");
        return 0;
    }
    p->out(p, "\n\tIE %u, length %u: ", type, len);
    t += 2;
    len -= 2;
    switch (type) {
    case 1:
        p->out(p, "bundle %.*s", len, t);
        break;
    case 3:
#ifdef PATCHED
        if (len != 4) {
            p->out(p, "(invalid length)");
            break;
        }
#endif
        p->out(p, "0x%08x", be32(t));
        break;
    case 5:
        if (len < 2)
            break;
        p->out(p, "sequence %u", be16(t));
        break;
    case 7:
        print_time(p, t, len);
        break;
#ifdef LATER
    case 9:
        if (p->verbose > 2)
            p->out(p, "vendor %u", len);
        break;
#endif
    default:
        if (p->verbose > 1)
            hex_dump(p, t, len);
    }
#ifdef LATER
    if (p->verbose)
        hex_dump(p, t, len);
#endif
    return len + 2;
}
