/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=stack_buffer_cleared function=vendor_read kind=initialised
 * strict: unsafe P4
 * analyst: safe accept=Q4,Q5
 * why: A buffer on the stack is cleared before a device fills a part of it, as in many fixes of
 *   information leaks. */
#include <stddef.h>
#include <stdint.h>

extern void *memset(void *p, int c, size_t n);
extern int device_control(void *dev, int req, void *buf, unsigned n);
extern int user_copy_out(void *user, const void *from, unsigned n);

int vendor_read(void *dev, void *user, int req)
{
    uint8_t buf[64];
    int n;

    if (req < 0)
        return -22;
#ifdef PATCHED
    memset(buf, 0, sizeof buf);
#endif
    n = device_control(dev, req, buf, sizeof buf);
    if (n < 0)
        return -5;
    if (user_copy_out(user, buf, sizeof buf) != 0)
        return -14;
    return 0;
}
