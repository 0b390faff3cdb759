/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=error_becomes_success function=mount_check kind=return-code
 * strict: unsafe P1
 * analyst: unsafe
 * why: An unknown feature was an error and is ignored now. */
#include <stddef.h>
#include <stdint.h>

struct super {
    uint32_t magic, version, features, state;
};

extern int journal_replay(struct super *s);

int mount_check(struct super *s)
{
    if (s->magic != 0x4c414958)
        return -22;
    if (s->features & ~0xffu) {
#ifdef PATCHED
        s->features &= 0xff;
#else
        return -95;
#endif
    }
    if (s->version > 3)
        return -95;
    s->state = 2;
    if (journal_replay(s) != 0)
        return -5;
    return 0;
}
