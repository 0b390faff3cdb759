/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=cert_time_compare function=cert_valid_at kind=wrong-operand
 * why: The end of validity was compared with its beginning and not with the time. */
struct cert_time {
    char text[16];
};
struct cert {
    struct cert_time not_before, not_after;
    uint32_t serial, usage;
    uint8_t is_ca;
};

extern void cert_warn(uint32_t serial, const char *text);

int cert_valid_at(const struct cert *c, const struct cert_time *now)
{
    if (memcmp(now->text, c->not_before.text, 15) < 0) {
        cert_warn(c->serial, "not valid yet");
        return 0;
    }
#ifdef PATCHED
    if (memcmp(now->text, c->not_after.text, 15) > 0) {
#else
    if (memcmp(c->not_before.text, c->not_after.text, 15) > 0) {
#endif
        cert_warn(c->serial, "not valid any more");
        return 0;
    }
#ifdef LATER
    if (c->is_ca && !(c->usage & 0x20))
        return 0;
#endif
    return 1;
}
