/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=local_struct_grows function=query_run kind=struct-layout
 * strict: safe
 * analyst: safe
 * why: A structure on the stack got room for an error text, used only on the way out with an error, and
 *   the frame moved. */
#include <stddef.h>
#include <stdint.h>

struct query {
    uint32_t kind, count;
#ifdef PATCHED
    char reason[40];
#endif
};

extern int db_count(void *db, unsigned kind, uint32_t *out);
extern void db_note(void *db, const char *text);

int query_run(void *db, unsigned kind, uint32_t *out)
{
    struct query q;
    uint32_t total = 0;

    if (kind > 9)
        return -22;
    if (db_count(db, kind, &total) != 0) {
#ifdef PATCHED
        q.reason[0] = 'f';
        q.reason[1] = 0;
        db_note(db, q.reason);
#endif
        return -5;
    }
    q.kind = kind;
    q.count = total + 1;
    *out = q.kind * 1000 + q.count;
    return 0;
}
