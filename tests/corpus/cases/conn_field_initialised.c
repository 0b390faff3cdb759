/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=conn_field_initialised function=conn_reset kind=initialised
 * strict: unsafe P2
 * analyst: safe accept=Q2
 * why: A field that was left as it was is now cleared with the others. */
#include <stddef.h>
#include <stdint.h>

struct conn {
    uint32_t rx, tx, errors, window;
    uint8_t *pending;
    uint32_t pending_len;
};

extern void pending_free(uint8_t *p);

int conn_reset(struct conn *c)
{
    if (c->window == 0)
        return -1;
    if (c->pending != NULL)
        pending_free(c->pending);
    c->pending = NULL;
#ifdef PATCHED
    c->pending_len = 0;
#endif
    c->rx = 0;
    c->tx = 0;
    c->errors = 0;
    return 0;
}
