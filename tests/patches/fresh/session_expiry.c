/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=session_expiry function=session_lookup kind=missing-check
 * why: Sessions that had ended were found as long as nobody had swept them out. */
struct session {
    struct session *next;
    uint8_t id[16];
    uint64_t created, last_seen;
    uint32_t lifetime, user;
    uint8_t revoked;
};
struct session_table {
    struct session *bucket[64];
    uint32_t hits, misses;
};

extern uint64_t clock_now(void);
extern void session_drop(struct session_table *t, struct session *s);

struct session *session_lookup(struct session_table *t, const uint8_t *id)
{
    struct session *s;

    for (s = t->bucket[id[0] & 63]; s != NULL; s = s->next) {
        if (memcmp(s->id, id, 16) != 0)
            continue;
        if (s->revoked)
            return NULL;
#ifdef PATCHED
        if (clock_now() - s->created > s->lifetime) {
            session_drop(t, s);
            return NULL;
        }
#endif
        t->hits++;
#ifdef LATER
        s->last_seen = s->created + t->hits;
#endif
        return s;
    }
    t->misses++;
    return NULL;
}
