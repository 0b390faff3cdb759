/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=logging_added function=user_add kind=call-added
 * strict: unsafe P4
 * analyst: safe accept=Q4
 * why: A message about each new user is logged. */
#include <stddef.h>
#include <stdint.h>

struct users {
    unsigned n, cap;
    uint32_t *uid;
};

extern int uid_valid(uint32_t uid);
extern void log_info(const char *text, uint32_t value);

int user_add(struct users *u, uint32_t uid)
{
    if (u->n >= u->cap)
        return -28;
    if (!uid_valid(uid))
        return -22;
#ifdef PATCHED
    log_info("adding a user", uid);
#endif
    u->uid[u->n++] = uid;
    return 0;
}
