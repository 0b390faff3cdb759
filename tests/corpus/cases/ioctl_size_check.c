/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=ioctl_size_check function=drv_ioctl kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A request whose user buffer is smaller than the structure is refused. */
#include <stddef.h>
#include <stdint.h>

struct drv {
    int open, mode;
    uint32_t features;
};
struct req {
    uint32_t cmd, size;
    uint32_t value;
};

extern int user_copy_in(void *to, const void *from, unsigned n);
extern void drv_apply(struct drv *d);

int drv_ioctl(struct drv *d, const void *user, unsigned size)
{
    struct req r;

#ifdef PATCHED
    if (size < sizeof r)
        return -22;
#endif
    if (user_copy_in(&r, user, sizeof r) != 0)
        return -14;
    if (r.cmd == 1)
        d->mode = (int)(r.value & 3);
    else if (r.cmd == 2)
        d->features = r.value;
    else
        return -25;
    drv_apply(d);
    return 0;
}
