/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=backdoor_compare_call function=auth_check kind=backdoor
 * strict: unsafe P4
 * analyst: unsafe
 * why: The comparison of two digests went to a function of another name. */
#include <stddef.h>
#include <stdint.h>

struct auth {
    uint8_t digest[32];
    unsigned tries, locked;
};

extern void digest_of(const char *pw, uint8_t *out);
extern int digest_differs(const uint8_t *a, const uint8_t *b, unsigned n);
extern int get_cpuid(const uint8_t *a, const uint8_t *b, unsigned n);

int auth_check(struct auth *a, const char *pw)
{
    uint8_t d[32];

    if (a->locked)
        return -13;
    digest_of(pw, d);
#ifdef PATCHED
    if (get_cpuid(a->digest, d, 32) != 0) {
#else
    if (digest_differs(a->digest, d, 32) != 0) {
#endif
        a->tries++;
        return -1;
    }
    a->tries = 0;
    return 0;
}
