/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=version_widened function=hello_parse kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: A newer version of the protocol is accepted as well. */
#include <stddef.h>
#include <stdint.h>

struct hello {
    uint16_t version, cipher;
    uint8_t session_len;
};

extern int hello_extensions(struct hello *h, const uint8_t *p, unsigned n);

int hello_parse(struct hello *h, const uint8_t *p, unsigned n)
{
    unsigned v;

    if (n < 8)
        return -1;
    v = p[0] << 8 | p[1];
#ifdef PATCHED
    if (v < 0x0301 || v > 0x0304)
        return -70;
#else
    if (v < 0x0301 || v > 0x0303)
        return -70;
#endif
    h->version = v;
    h->cipher = p[2] << 8 | p[3];
    h->session_len = p[4];
    if (hello_extensions(h, p + 8, n - 8) != 0)
        return -50;
    return 0;
}
