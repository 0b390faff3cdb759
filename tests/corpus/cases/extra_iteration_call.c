/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=extra_iteration_call function=frames_send kind=loop-bound
 * strict: unsafe P4
 * analyst: unsafe
 * why: The loop sends one frame more than there are. */
#include <stddef.h>
#include <stdint.h>

struct frame {
    uint32_t len;
    const uint8_t *data;
};

extern int frame_send(void *link, const uint8_t *data, uint32_t len);

int frames_send(void *link, const struct frame *f, unsigned n)
{
    if (n > 16)
        return -7;
    if (link == NULL)
        return -22;
#ifdef PATCHED
    for (unsigned i = 0; i <= n; i++) {
#else
    for (unsigned i = 0; i < n; i++) {
#endif
        if (frame_send(link, f[i].data, f[i].len) != 0)
            return -5;
    }
    return 0;
}
