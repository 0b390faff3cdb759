/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=hidden_const_write function=stat_account kind=guarded-change
 * strict: safe
 * analyst: safe
 * why: The mirror image of hidden_global_write: the flag is in read-only memory, so that the changed code
 *   never runs. */
#include <stddef.h>
#include <stdint.h>

struct stat {
    uint32_t packets, bytes, last;
};

/* Written in assembly, so that no compiler folds it. */
__asm__(".pushsection .rodata\n.balign 4\naccounting_mode: .long 0\n.popsection");
extern const int accounting_mode __attribute__((visibility("hidden")));

extern void stat_flush(struct stat *s);

int stat_account(struct stat *s, uint32_t len)
{
    if (len > 65535)
        return -90;
    s->packets++;
    s->last = len;
    if (accounting_mode) {
#ifdef PATCHED
        s->bytes += len + 18;
#else
        s->bytes += len + 14;
#endif
    }
    if (s->packets > 1000)
        stat_flush(s);
    return 0;
}
