/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=cert_usage_predicate function=cert_usable kind=added-condition
 * strict: safe
 * analyst: safe
 * relies: B01
 * why: A predicate that answers 0 or 1 says no to certificates without the signing bit, too. */
#include <stddef.h>
#include <stdint.h>

struct cert {
    uint32_t not_before, not_after, usage;
    int chain_len;
};

extern int clock_now(uint32_t *out);
extern int chain_check(const struct cert *c);
extern void cert_log(const struct cert *c);

int cert_usable(const struct cert *c)
{
    uint32_t now = 0;

    if (clock_now(&now) != 0)
        return 0;
    if (now < c->not_before)
        return 0;
    if (now > c->not_after)
        return 0;
#ifdef PATCHED
    if ((c->usage & 4) == 0)
        return 0;
#endif
    if (chain_check(c) == 0)
        return 0;
    if (c->chain_len > 3)
        cert_log(c);
    cert_log(c);
    return 1;
}
