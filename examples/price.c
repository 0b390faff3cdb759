/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function the README looks at. price.s is what gcc 12 -O2 makes of it for x86-64, kept so that the README's
 * output is the same whatever compiler is at hand. */
#include <stdio.h>

struct order {
    int count, unit, total;
};

int price(struct order *o, int member)
{
    if (o->count <= 0) {
        puts("empty order");
        return -1;
    }
    int total = o->count * o->unit;
    if (member)
        total -= total >> 3;
    o->total = total;
    return 0;
}
