/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=tlv_remaining function=tlv_find kind=loop
 * why: A length greater than what is left took the walk out of the packet. */
struct tlv {
    uint8_t type;
    size_t length;
    const uint8_t *value;
};

extern void tlv_malformed(const uint8_t *at);
extern void tlv_seen(unsigned type);

int tlv_find(const uint8_t *p, size_t size, unsigned type, struct tlv *out)
{
    const uint8_t *end = p + size;
#ifdef LATER
    unsigned walked = 0;
#endif

    while ((size_t)(end - p) >= 2) {
        size_t length = p[1];

        if (p[0] == 0) {
            p++;
            continue;
        }
#ifdef LATER
        walked++;
#endif
#ifdef PATCHED
        if (length > (size_t)(end - p) - 2) {
            tlv_malformed(p);
            return -1;
        }
#endif
        if (p[0] == type) {
            out->type = p[0];
            out->length = length;
            out->value = p + 2;
#ifdef LATER
            tlv_seen(walked);
#endif
            return 1;
        }
        p += 2 + length;
    }
    return 0;
}
