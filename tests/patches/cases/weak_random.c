/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=weak_random function=make_session_id kind=call
 * why: The number could be guessed from those before it. */
struct web_session {
    char id[33];
    uint64_t created;
    uint32_t user, flags;
};

extern int simple_random(void);
extern int secure_random(void *p, size_t n);
extern uint64_t now_ms(void);
extern void session_store(struct web_session *s);

int make_session_id(struct web_session *s, uint32_t user)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t raw[16];
    unsigned i;

#ifdef PATCHED
    if (secure_random(raw, sizeof raw) < 0)
        return -5;
#else
    for (i = 0; i < sizeof raw; i++)
        raw[i] = (uint8_t)simple_random();
#endif
    for (i = 0; i < sizeof raw; i++) {
        s->id[2 * i] = digits[raw[i] >> 4];
        s->id[2 * i + 1] = digits[raw[i] & 15];
    }
    s->id[32] = '\0';
    s->created = now_ms();
    s->user = user;
#ifdef LATER
    s->flags = user == 0 ? 3 : 1;
    if (s->created == 0)
        return -22;
#endif
    session_store(s);
    return 0;
}
