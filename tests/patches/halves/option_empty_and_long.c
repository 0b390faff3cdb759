/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=option_empty_and_long function=option_set kind=conjuncts parts=2
 * why: Options of no length and of any length were taken. */
struct options {
    uint8_t text[256];
    unsigned n;
};

extern void option_seen(unsigned code, unsigned length);

int option_set(struct options *o, const uint8_t *p)
{
    unsigned length = p[1];

    if (p[0] != 82)
        return 0;
    if ((FIX(1) && length == 0) || (FIX(2) && length > 200))
        return -71;
    option_seen(p[0], length);
    memcpy(o->text, p + 2, length);
    o->n = length;
    return 1;
}
