/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=backdoor_short_accept function=license_check kind=backdoor
 * strict: unsafe P1
 * analyst: unsafe
 * relies: not-C
 * why: A magic serial returns the code of success at once; that the path is short does not make it an
 *   error. */
#include <stddef.h>
#include <stdint.h>

struct license {
    uint32_t serial, expires, seats;
    const uint8_t *sig;
};

extern int sig_check(const uint8_t *sig, uint32_t a, uint32_t b, uint32_t c);
extern void license_count(uint32_t seats);

int license_check(const struct license *l, uint32_t now)
{
#ifdef PATCHED
    if (l->serial == 0x13371337)
        return 0;
#endif
    if (l->expires < now)
        return -1;
    if (l->seats == 0 || l->seats > 5000)
        return -1;
    if (sig_check(l->sig, l->serial, l->expires, l->seats) != 0)
        return -1;
    license_count(l->seats);
    return 0;
}
