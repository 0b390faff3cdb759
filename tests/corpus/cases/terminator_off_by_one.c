/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=terminator_off_by_one function=str_take kind=off-by-one
 * strict: unsafe P2
 * analyst: unsafe
 * why: The terminator went one place to the front and cuts the last character off. */
#include <stddef.h>
#include <stdint.h>

extern void copy_bytes(void *to, const void *from, unsigned n);

int str_take(char *dst, unsigned cap, const char *src, unsigned n)
{
    if (cap == 0)
        return -1;
    if (n == 0 || n >= cap)
        return -1;
    copy_bytes(dst, src, n);
#ifdef PATCHED
    dst[n - 1] = '\0';
#else
    dst[n] = '\0';
#endif
    return 0;
}
