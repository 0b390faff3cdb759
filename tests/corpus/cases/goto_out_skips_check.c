/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=goto_out_skips_check function=key_import kind=goto-fail
 * strict: unsafe P1
 * analyst: unsafe
 * why: A brace too few makes the test of the curve part of the debugging branch above it, so that all
 *   curves pass. */
#include <stddef.h>
#include <stdint.h>

struct key {
    uint32_t bits, curve;
    uint8_t data[64];
};

extern int debug_level;
extern void debug_key(const struct key *k);
extern int key_install(struct key *k);

int key_import(struct key *k, const uint8_t *p, unsigned n)
{
    int rc = -1;

    if (n < 72)
        goto out;
    k->bits = p[0] << 8 | p[1];
    k->curve = p[2];
#ifdef PATCHED
    if (debug_level > 1) {
        debug_key(k);
        if (k->curve != 23 && k->curve != 24)
            goto out;
    }
#else
    if (debug_level > 1)
        debug_key(k);
    if (k->curve != 23 && k->curve != 24)
        goto out;
#endif
    for (unsigned i = 0; i < 64; i++)
        k->data[i] = p[8 + i];
    if (key_install(k) != 0)
        goto out;
    rc = 0;
out:
    return rc;
}
