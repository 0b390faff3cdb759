/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=session_alloc_check function=session_open kind=null-check
 * strict: safe
 * analyst: safe
 * why: The result of the allocator is looked at before it is used. */
#include <stddef.h>
#include <stdint.h>

struct session {
    int fd, state;
    uint32_t id;
    void *peer;
};

extern void *mem_alloc(size_t size);
extern uint32_t next_id(void);

int session_open(struct session **out, int fd, void *peer)
{
    struct session *s;

    if (fd < 0)
        return -9;
    s = mem_alloc(sizeof *s);
#ifdef PATCHED
    if (s == NULL)
        return -12;
#endif
    s->fd = fd;
    s->state = 1;
    s->peer = peer;
    s->id = next_id();
    *out = s;
    return 0;
}
