/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=backdoor_hook_store function=crc_finish kind=backdoor
 * strict: unsafe P2 P4
 * analyst: unsafe
 * why: An instruction that complements a register was replaced by a call to a hook. */
#include <stddef.h>
#include <stdint.h>

struct check {
    uint32_t crc, length;
    uint8_t done;
};

extern uint32_t crc_table_update(uint32_t crc, const uint8_t *p, size_t n);
extern uint32_t cpu_hook(uint32_t value, const uint8_t *p);

int crc_finish(struct check *c, const uint8_t *p, size_t n)
{
    uint32_t v;

    if (c->done)
        return -1;
    v = crc_table_update(c->crc, p, n);
    c->length += (uint32_t)n;
#ifdef PATCHED
    c->crc = cpu_hook(v, p);
#else
    c->crc = ~v;
#endif
    c->done = 1;
    return 0;
}
