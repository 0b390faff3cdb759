/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=memset_swapped function=keyring_reset kind=argument
 * why: The byte and the length were exchanged: nothing was cleared. */
struct keyring {
    uint32_t count, capacity;
    uint8_t slot[8][32];
    uint32_t generation;
    void (*changed)(struct keyring *k, uint32_t generation);
};

extern void audit(int what, uint32_t value);

void keyring_reset(struct keyring *k, int level)
{
    uint32_t i;

    audit(5, k->count);
    for (i = 0; i < k->count && i < 8; i++) {
#ifdef PATCHED
        memset(k->slot[i], 0, (size_t)level);
#else
        memset(k->slot[i], level, 0);
        k->slot[i][0] = 0;
#endif
    }
#ifdef LATER
    k->capacity = 8;
    if (k->generation == 0xffffffffu)
        audit(6, i);
#endif
    k->count = 0;
    k->generation++;
    if (k->changed)
        k->changed(k, k->generation);
}
