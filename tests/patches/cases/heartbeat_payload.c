/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=heartbeat_payload function=tls_process_heartbeat kind=bounds
 * why: The payload's length was believed whatever the record's length; what lay behind it was sent back. */
struct record {
    uint8_t type;
    uint32_t length;
    uint8_t *data;
};
struct connection {
    uint32_t version;
    struct record in;
    void (*callback)(int direction, const uint8_t *data, uint32_t length, void *arg);
    void *callback_arg;
    uint32_t pending, sequence;
};

extern int random_bytes(uint8_t *p, int n);
extern int write_bytes(struct connection *c, int type, const uint8_t *p, uint32_t n);

int tls_process_heartbeat(struct connection *c)
{
    uint8_t *p = c->in.data;
    uint32_t payload, padding = 16;
    uint16_t type;

    if (c->callback)
        c->callback(0, p, c->in.length, c->callback_arg);
#ifdef PATCHED
    if (1 + 2 + 16 > c->in.length)
        return 0;
#endif
    type = *p++;
    payload = (uint32_t)p[0] << 8 | p[1];
    p += 2;
#ifdef PATCHED
    if (1 + 2 + payload + 16 > c->in.length)
        return 0;
#endif
    if (type == 1) {
        uint8_t *buffer, *bp;
        int r;

        buffer = malloc(1 + 2 + payload + padding);
        if (buffer == NULL)
            return -1;
        bp = buffer;
        *bp++ = 2;
        *bp++ = (uint8_t)(payload >> 8);
        *bp++ = (uint8_t)payload;
        memcpy(bp, p, payload);
        bp += payload;
        random_bytes(bp, (int)padding);
        r = write_bytes(c, 24, buffer, 3 + payload + padding);
        if (r >= 0 && c->callback)
            c->callback(1, buffer, 3 + payload + padding, c->callback_arg);
        free(buffer);
        if (r < 0)
            return r;
#ifdef LATER
        c->in.type = 0;
#endif
    } else if (type == 2) {
        uint32_t seq = (uint32_t)p[0] << 8 | p[1];

#ifdef LATER
        if (payload == 18 && seq == c->sequence && c->pending) {
#else
        if (payload == 18 && seq == c->sequence) {
#endif
            c->sequence++;
            c->pending = 0;
        }
    }
    return 0;
}
