/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=length_becomes_signed function=msg_append kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: The comparison became a signed one, so that lengths over 2 GB pass. */
#include <stddef.h>
#include <stdint.h>

struct msg {
    uint8_t *buf;
    uint32_t used, cap;
};

extern void copy_bytes(void *to, const void *from, uint32_t n);

int msg_append(struct msg *m, const void *data, uint32_t len)
{
    uint32_t room = m->cap - m->used;

    if (m->cap > 0x100000 || m->used > m->cap)
        return -1;
#ifdef PATCHED
    if ((int)len > (int)room)
        return -1;
#else
    if (len > room)
        return -1;
#endif
    copy_bytes(m->buf + m->used, data, len);
    m->used += len;
    return 0;
}
