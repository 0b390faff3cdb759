/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=return_clamped function=read_some kind=return-code
 * strict: unsafe P3 P4
 * analyst: unsafe
 * why: What is asked for and returned is cut to a page. */
#include <stddef.h>
#include <stdint.h>

extern unsigned avail(void *dev);
extern void dev_copy(void *dev, void *to, unsigned n);

int read_some(void *dev, void *to, unsigned want)
{
    unsigned n;

    if (to == NULL)
        return -14;
    if (want > 0x100000)
        return -22;
    n = avail(dev);
    if (n > want)
        n = want;
#ifdef PATCHED
    if (n > 4096)
        n = 4096;
#endif
    dev_copy(dev, to, n);
    return (int)n;
}
