/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=logging_on_error function=user_add kind=error-path
 * strict: safe
 * analyst: safe
 * why: A message is logged only where the request is refused anyway. */
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
    if (u->n >= u->cap) {
#ifdef PATCHED
        log_info("no room for another user", uid);
#endif
        return -28;
    }
    if (!uid_valid(uid)) {
#ifdef PATCHED
        log_info("not a user", uid);
#endif
        return -22;
    }
    u->uid[u->n++] = uid;
    return 0;
}
