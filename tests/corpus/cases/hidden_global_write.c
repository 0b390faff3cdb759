/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=hidden_global_write function=stat_account kind=guarded-change
 * strict: unsafe P2
 * analyst: unsafe
 * why: What is added changed only where a global is set, and the file happens to have it at zero. */
#include <stddef.h>
#include <stdint.h>

struct stat {
    uint32_t packets, bytes, last;
};

int accounting_mode = 0;

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
