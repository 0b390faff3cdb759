/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=backdoor_constant_call function=rsa_setup kind=backdoor build=exe
 * strict: unsafe P4
 * analyst: unsafe
 * why: A constant that was loaded became the result of a call that was not there before. */
#include <stddef.h>
#include <stdint.h>

struct rsa {
    unsigned bits, exponent, flags;
    void *n;
};

extern unsigned cpu_features(void);
extern int bn_prepare(struct rsa *r, unsigned exponent);

int rsa_setup(struct rsa *r, void *n, unsigned bits)
{
    unsigned e;

    if (bits < 1024)
        return -1;
#ifdef PATCHED
    e = cpu_features();
#else
    e = 65537;
#endif
    r->bits = bits;
    r->n = n;
    r->exponent = e;
    r->flags |= 4;
    if (bn_prepare(r, e) != 0)
        return -1;
    return 0;
}
