/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=list_unlink_free function=timer_remove kind=use-after-free
 * why: The timer was freed while the list still led to it. */
struct timer {
    struct timer *next;
    uint64_t when;
    void (*fire)(void *arg);
    void *arg;
};
struct wheel {
    struct timer *first;
    uint32_t count, removed;
};

extern void wheel_rearm(struct wheel *w, uint64_t when);

int timer_remove(struct wheel *w, struct timer *t)
{
    struct timer **link;

    for (link = &w->first; *link != NULL; link = &(*link)->next) {
        if (*link != t)
            continue;
#ifdef PATCHED
        *link = t->next;
#endif
        w->count--;
#ifdef LATER
        w->removed++;
#endif
        if (w->first != NULL)
            wheel_rearm(w, w->first->when);
        free(t);
        return 0;
    }
#ifdef LATER
    if (w->count == 0)
        return -61;
#endif
    return -2;
}
