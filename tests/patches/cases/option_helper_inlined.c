/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=option_helper_inlined function=option_copy caller=dhcp_fill_lease kind=inlined
 * why: The helper copied as many bytes as the option has, not as many as there is room for. */
struct lease {
    uint8_t router[4], dns[8], domain[32];
    uint32_t seconds;
    unsigned renewals;
};

extern const uint8_t *dhcp_option(const uint8_t *packet, size_t size, unsigned code, size_t *length);
extern void dhcp_note(unsigned code, size_t length);

static size_t option_copy(const uint8_t *packet, size_t size, unsigned code, uint8_t *to, size_t room)
{
    size_t length = 0;
    const uint8_t *p = dhcp_option(packet, size, code, &length);

    if (p == NULL)
        return 0;
#ifdef PATCHED
    if (length > room)
        length = room;
#endif
    memcpy(to, p, length);
    return length;
}

int dhcp_fill_lease(struct lease *l, const uint8_t *packet, size_t size)
{
    uint8_t time[4];

    if (size < 240)
        return -1;
    if (option_copy(packet, size, 3, l->router, sizeof l->router) != 4)
        return -1;
    option_copy(packet, size, 6, l->dns, sizeof l->dns);
#ifdef LATER
    memset(l->domain, 0, sizeof l->domain);
    l->renewals++;
#endif
    option_copy(packet, size, 15, l->domain, sizeof l->domain);
    if (option_copy(packet, size, 51, time, sizeof time) == 4)
        l->seconds = (uint32_t)time[0] << 24 | (uint32_t)time[1] << 16 | (uint32_t)time[2] << 8 | time[3];
    else
        l->seconds = 3600;
#ifdef LATER
    dhcp_note(51, l->seconds);
#endif
    return 0;
}
