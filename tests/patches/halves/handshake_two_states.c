/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=handshake_two_states function=hs_message kind=hunks parts=2
 * why: Two messages were accepted in states in which they must not come. */
struct handshake {
    unsigned state, received;
    const uint8_t *key;
};

extern int hs_finish(struct handshake *h, const uint8_t *m);
extern int hs_key(struct handshake *h, const uint8_t *m);
extern int hs_hello(struct handshake *h, const uint8_t *m);
extern int hs_alert(struct handshake *h, int code);

int hs_message(struct handshake *h, const uint8_t *m)
{
    h->received++;
    switch (m[0]) {
    case 1:
        if (h->state != 0)
            return hs_alert(h, 10);
        return hs_hello(h, m);
    case 16:
        if (FIX(1) && h->state != 2)
            return hs_alert(h, 11);
        return hs_key(h, m);
    case 20:
        if (FIX(2) && h->key == NULL)
            return hs_alert(h, 12);
        return hs_finish(h, m);
    default:
        return hs_alert(h, 80);
    }
}
