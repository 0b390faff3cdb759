/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=flag_cleared function=negotiate_features kind=constant
 * why: The bit for the old, broken compression stayed on. */
struct negotiation {
    uint32_t offered, accepted, required;
    int version;
    uint32_t rounds;
};

extern int negotiation_send(struct negotiation *n, uint32_t bits);
extern void negotiation_fail(struct negotiation *n, uint32_t missing);

int negotiate_features(struct negotiation *n, uint32_t theirs)
{
    uint32_t common = n->offered & theirs;

    if (n->version < 3)
        common &= 0xffff;
#ifdef PATCHED
    common &= ~(0x40u | 0x200u);
#else
    common &= ~0x40u;
#endif
#ifdef LATER
    n->rounds++;
    if (n->rounds > 3) {
        negotiation_fail(n, 0);
        return -71;
    }
#endif
    if ((common & n->required) != n->required) {
        negotiation_fail(n, n->required & ~common);
        return -71;
    }
    n->accepted = common;
    return negotiation_send(n, common);
}
