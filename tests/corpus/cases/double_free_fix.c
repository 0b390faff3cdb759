/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=double_free_fix function=handle_release kind=missing-write
 * strict: unsafe P2
 * analyst: safe accept=Q2
 * why: The pointer is cleared after what it points to was given back. */
#include <stddef.h>
#include <stdint.h>

struct handle {
    void *data;
    unsigned size, open;
};

extern void mem_free(void *p);

int handle_release(struct handle *h)
{
    if (h->open == 0)
        return -9;
    if (h->size > 0x10000)
        return -22;
    mem_free(h->data);
#ifdef PATCHED
    h->data = NULL;
#endif
    h->size = 0;
    h->open = 0;
    return 0;
}
