/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=null_result_check function=find_user kind=null-check
 * strict: safe
 * analyst: safe
 * why: A search that found nothing gives no user, where it went on with a null pointer. */
#include <stddef.h>
#include <stdint.h>

struct user {
    const char *name;
    uint32_t uid, logins;
    struct user *next;
};

extern struct user *table_find(void *table, const char *name);
extern uint32_t clock_seconds(void);

struct user *find_user(void *table, const char *name, uint32_t *when)
{
    struct user *u;

    u = table_find(table, name);
#ifdef PATCHED
    if (u == NULL)
        return NULL;
#endif
    u->logins++;
    *when = clock_seconds();
    return u;
}
