/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=dhcp_option_walk function=dhcp_find_option kind=off-by-one
 * why: The length byte of an option at the very end was read from behind the packet, and its value too. */
struct dhcp_packet {
    uint8_t fixed[236];
    uint8_t magic[4];
    uint8_t options[312];
};

const uint8_t *dhcp_find_option(const struct dhcp_packet *p, unsigned size, uint8_t wanted, uint8_t *length)
{
    unsigned at = 0, end;

    if (size < 240)
        return NULL;
    end = size - 240;
    if (end > 312)
        end = 312;
    while (at < end) {
        uint8_t code = p->options[at];

        if (code == 255)
            break;
        if (code == 0) {
            at++;
            continue;
        }
#ifdef PATCHED
        if (at + 2 > end || at + 2 + p->options[at + 1] > end)
            return NULL;
#endif
        if (code == wanted) {
            *length = p->options[at + 1];
            return &p->options[at + 2];
        }
#ifdef LATER
        if (code == 52)
            return NULL;
#endif
        at += 2u + p->options[at + 1];
    }
    return NULL;
}
