/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=macaddr_loop_constant function=parse_mac kind=constant
 * why: Seven pairs of digits were read into room for six. */
struct nic {
    uint8_t mac[6];
    uint8_t state, mode;
    uint32_t changes;
};

extern int hex_value(int c);
extern void nic_program(struct nic *n);

int parse_mac(struct nic *n, const char *text)
{
    unsigned i;

#ifdef PATCHED
    for (i = 0; i < 6; i++) {
#else
    for (i = 0; i < 7; i++) {
#endif
        int high = hex_value(text[0]), low;

        if (high < 0)
            return -22;
        low = hex_value(text[1]);
        if (low < 0)
            return -22;
        n->mac[i] = (uint8_t)(high << 4 | low);
        text += 2;
        if (*text == ':' || *text == '-')
            text++;
    }
    if (*text != '\0')
        return -22;
#ifdef LATER
    if (n->mac[0] & 1)
        return -99;
    n->changes++;
#endif
    nic_program(n);
    return 0;
}
