/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=switch_case_missing function=icmp_error_size kind=addition
 * why: Two types of message fell into the default, which trusts the length. */
struct icmp_packet {
    uint8_t type, code;
    uint16_t length;
    const uint8_t *body;
};

extern int icmp_quoted_length(const uint8_t *body, unsigned length);
extern void icmp_count(unsigned type);

int icmp_error_size(const struct icmp_packet *p)
{
#ifdef LATER
    icmp_count(p->type);
#endif
    if (p->length < 8)
        return -1;
    switch (p->type) {
    case 0:
    case 8:
        return p->length;
    case 3:
        if (p->code > 15)
            return -1;
        return icmp_quoted_length(p->body, 576);
#ifdef PATCHED
    case 11:
    case 12:
        return icmp_quoted_length(p->body, 128);
#endif
    case 5:
        return 28;
#ifdef LATER
    case 13:
    case 14:
        return 20;
#endif
    default:
        return p->length - 8;
    }
}
