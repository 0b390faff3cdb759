/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function the README looks at. price.s is what gcc 12 -O2 makes of it for x86-64, kept so that the
 * README's output is the same whatever compiler is at hand. */
struct order {
    int count, unit, total;
};

void audit(int count, int total);

int price(struct order *o, int member)
{
    if (o->count <= 0)
        return -1;
    int total = o->count * o->unit;
    if (member)
        total -= total >> 3;
    o->total = total;
    audit(o->count, total);
    return 0;
}
