/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=reply_fields_cleared function=reply_make kind=stores parts=3
 * why: Fields of the reply were left as they were in memory. */
struct reply {
    uint32_t id, code, flags, extra;
    uint64_t when;
    uint8_t pad[8];
};

extern uint64_t clock_now(void);
extern int reply_send(const struct reply *r);

int reply_make(struct reply *r, uint32_t id, uint32_t code)
{
    if (code >= 600)
        return -1;
    r->id = id;
    r->code = code;
    r->when = clock_now();
#if FIX(1)
    r->flags = 0x10;
#endif
#if FIX(2)
    r->extra = 77;
#endif
#if FIX(3)
    memset(r->pad, 0, sizeof r->pad);
#endif
    return reply_send(r);
}
