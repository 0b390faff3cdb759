/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=state_before_check function=handshake_finished kind=moved
 * why: The connection counted as authenticated before the digest was compared. */
struct peer {
    int state;
    uint8_t expected[32];
    uint32_t flags;
    uint64_t since;
};

extern int digest_equal(const uint8_t *a, const uint8_t *b, size_t n);
extern void peer_close(struct peer *p, int reason);
extern void peer_notify(struct peer *p, int what);
extern uint64_t clock_now(void);

int handshake_finished(struct peer *p, const uint8_t *message, size_t length)
{
    if (p->state != 4) {
        peer_close(p, 10);
        return -1;
    }
    if (length != 32) {
        peer_close(p, 50);
        return -1;
    }
#ifdef LATER
    if (p->flags & 0x80)
        peer_notify(p, 3);
#endif
#ifdef PATCHED
    if (!digest_equal(message, p->expected, 32)) {
        peer_close(p, 51);
        return -1;
    }
    p->flags |= 1;
    p->state = 5;
#else
    p->flags |= 1;
    p->state = 5;
    if (!digest_equal(message, p->expected, 32)) {
        peer_close(p, 51);
        return -1;
    }
#endif
#ifdef LATER
    p->since = clock_now();
#endif
    peer_notify(p, 1);
    return 0;
}
