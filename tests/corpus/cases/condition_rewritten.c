/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=condition_rewritten function=option_parse kind=refactoring
 * strict: safe
 * analyst: safe
 * why: The mirror image of condition_constant: the same condition over the two bytes taken together. */
#include <stddef.h>
#include <stdint.h>

struct opts {
    uint32_t mss, flags;
};

extern void opt_unknown(unsigned kind, unsigned len);

int option_parse(struct opts *o, const uint8_t *p, unsigned n)
{
    if (n < 4)
        return -1;
    o->flags |= 1;
#ifdef PATCHED
    if ((p[0] << 8 | p[1]) == 0x204)
#else
    if (p[0] == 2 && p[1] == 4)
#endif
        o->mss = p[2] << 8 | p[3];
    else
        opt_unknown(p[0], p[1]);
    return 0;
}
