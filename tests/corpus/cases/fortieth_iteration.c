/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=fortieth_iteration function=mix_rounds kind=late-iteration
 * strict: safe
 * analyst: safe
 * why: The mirror image of fifth_iteration: the round that would differ is one that never happens. */
#include <stddef.h>
#include <stdint.h>

extern void key_wipe(void *k);

int mix_rounds(uint32_t *state, const uint32_t *key, unsigned rounds)
{
    uint32_t a = state[0], b = state[1];

    if (rounds > 32)
        return -1;
    for (unsigned i = 0; i < rounds; i++) {
        a += (b << 4) ^ key[i & 3];
#ifdef PATCHED
        if (i == 40)
            a ^= 1;
#endif
        b += (a >> 5) + i;
    }
    state[0] = a;
    state[1] = b;
    key_wipe(state + 2);
    return 0;
}
