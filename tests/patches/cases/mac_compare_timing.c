/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=mac_compare_timing function=record_check_mac kind=call
 * why: The comparison took the longer the more bytes were right. */
struct mac_state {
    uint8_t key[32];
    uint64_t sequence;
    size_t tag_length;
    uint32_t rejected;
};

extern int hmac(const uint8_t *key, size_t key_length, const void *data, size_t length, uint8_t *out);
extern int compare_constant_time(const void *a, const void *b, size_t n);
extern void alert(int level, int what);

int record_check_mac(struct mac_state *m, const uint8_t *data, size_t length)
{
    uint8_t tag[32];
    size_t body;

    if (length < m->tag_length) {
        alert(2, 50);
        return -1;
    }
    body = length - m->tag_length;
#ifdef LATER
    if (m->tag_length > sizeof tag)
        return -1;
#endif
    if (hmac(m->key, sizeof m->key, data, body, tag) != 0)
        return -1;
#ifdef PATCHED
    if (compare_constant_time(tag, data + body, m->tag_length) != 0) {
#else
    if (memcmp(tag, data + body, m->tag_length) != 0) {
#endif
        alert(2, 20);
#ifdef LATER
        m->rejected++;
#endif
        return -1;
    }
    m->sequence++;
    return (int)body;
}
