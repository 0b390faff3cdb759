/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=icc_tag_count function=icc_read_tags kind=bound-check
 * strict: safe
 * analyst: safe
 * why: The number of tags is checked against the size of the profile before the loop. */
#include <stddef.h>
#include <stdint.h>

struct icc {
    const uint8_t *data;
    uint32_t size, ntags;
};

extern int icc_tag(struct icc *icc, uint32_t sig, uint32_t off, uint32_t len);

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

int icc_read_tags(struct icc *icc)
{
    const uint8_t *p = icc->data + 132;
    uint32_t n;

    if (icc->size < 132)
        return -1;
    n = be32(icc->data + 128);
#ifdef PATCHED
    if (n > (icc->size - 132) / 12)
        return -1;
#endif
    icc->ntags = n;
    for (uint32_t i = 0; i < n; i++) {
        if (icc_tag(icc, be32(p), be32(p + 4), be32(p + 8)) < 0)
            return -2;
        p += 12;
    }
    return 0;
}
