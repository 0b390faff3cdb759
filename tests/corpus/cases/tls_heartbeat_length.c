/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tls_heartbeat_length function=tls_heartbeat kind=bound-check
 * strict: safe
 * analyst: safe
 * why: The payload length a peer announces has to fit in the record it came in. */
#include <stddef.h>
#include <stdint.h>

struct record {
    const uint8_t *data;
    uint32_t length;
};

extern int tls_write(void *conn, int type, const uint8_t *data, unsigned len);
extern void *pool_get(void *conn, unsigned len);
extern void copy_bytes(uint8_t *to, const uint8_t *from, unsigned len);

int tls_heartbeat(void *conn, const struct record *rec)
{
    const uint8_t *p = rec->data;
    unsigned type, payload;
    uint8_t *reply;

#ifdef PATCHED
    if (rec->length < 19)
        return -1;
#endif
    type = p[0];
    payload = p[1] << 8 | p[2];
#ifdef PATCHED
    if (payload + 19 > rec->length)
        return -1;
#endif
    if (type != 1)
        return -2;
    reply = pool_get(conn, payload + 19);
    reply[0] = 2;
    reply[1] = payload >> 8;
    reply[2] = payload;
    copy_bytes(reply + 3, p + 3, payload);
    return tls_write(conn, 24, reply, payload + 19);
}
