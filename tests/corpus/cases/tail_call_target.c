/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tail_call_target function=msg_dispatch kind=tail-call build=exe
 * strict: unsafe P4
 * analyst: unsafe
 * why: The last jump goes to another function. */
#include <stddef.h>
#include <stdint.h>

struct msg {
    unsigned type, len, seen;
    uint8_t *body;
};

extern int msg_local(struct msg *m, void *ctx);
extern int msg_forward(struct msg *m, void *ctx);

int msg_dispatch(struct msg *m, void *ctx)
{
    if (m->len > 4096)
        return -90;
    m->seen = 1;
    if (m->type == 7)
        m->body[0] |= 0x80;
#ifdef PATCHED
    return msg_forward(m, ctx);
#else
    return msg_local(m, ctx);
#endif
}
