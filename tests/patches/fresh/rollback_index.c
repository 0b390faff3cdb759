/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=rollback_index function=boot_accept_image kind=wrong-comparison
 * why: An image of the version that was revoked last was still accepted. */
struct boot_header {
    uint32_t magic, version, flags, size;
    uint64_t rollback;
    uint8_t digest[32];
};
struct boot_state {
    uint64_t stored[4];
    uint32_t slot, tries;
    uint8_t locked;
};

extern int boot_digest_ok(const struct boot_header *h, const uint8_t *image);
extern void boot_log(const char *text, uint64_t value);

int boot_accept_image(struct boot_state *s, const struct boot_header *h, const uint8_t *image, unsigned slot)
{
    if (h->magic != 0x21544f42)
        return -8;
    if (slot >= 4)
        return -22;
    if (h->size < 4096 || h->size > 64u << 20)
        return -27;
    if (s->locked) {
#ifdef PATCHED
        if (h->rollback <= s->stored[slot]) {
#else
        if (h->rollback < s->stored[slot]) {
#endif
            boot_log("image is too old", h->rollback);
            return -116;
        }
    }
    if (!boot_digest_ok(h, image)) {
        boot_log("digest does not fit", h->version);
        return -74;
    }
#ifdef LATER
    if (h->flags & 2)
        s->tries = 7;
#endif
    s->slot = slot;
    return 0;
}
