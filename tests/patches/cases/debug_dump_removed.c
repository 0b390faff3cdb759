/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=debug_dump_removed function=session_resume kind=deletion
 * why: The secret was written to the log. */
struct ticket {
    uint8_t id[16], secret[48];
    uint32_t issued, lifetime;
};

extern struct ticket *ticket_find(const uint8_t *id);
extern void ticket_drop(struct ticket *t);
extern void trace_hex(const char *what, const void *p, size_t n);
extern int keys_from_secret(void *keys, const uint8_t *secret, size_t n);
extern void metric(const char *name, int add);

int session_resume(void *keys, const uint8_t *id, uint32_t now)
{
    struct ticket *t = ticket_find(id);

    if (t == NULL) {
#ifdef LATER
        metric("ticket.miss", 1);
#endif
        return 0;
    }
    if (now - t->issued > t->lifetime) {
        ticket_drop(t);
        return 0;
    }
#ifndef PATCHED
    trace_hex("resumed secret", t->secret, sizeof t->secret);
#endif
    if (keys_from_secret(keys, t->secret, sizeof t->secret) < 0) {
        ticket_drop(t);
        return -1;
    }
#ifdef LATER
    metric("ticket.hit", 1);
    t->issued = now;
#endif
    return 1;
}
