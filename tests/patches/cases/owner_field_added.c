/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=owner_field_added function=shm_attach kind=structure-offset
 * why: A segment has an owner now, before its other fields, and only the owner may write to it. */
struct segment {
#ifdef PATCHED
    uint32_t owner;
    uint32_t padding;
#endif
    uint32_t key, mode;
    uint64_t size;
    void *base;
    uint32_t attached;
#ifdef LATER
    uint32_t last_user;
#endif
};

extern struct segment *segment_find(uint32_t key);
extern void *map_pages(void *base, uint64_t size, int writable);
extern void shm_count(int n);

void *shm_attach(uint32_t key, uint32_t user, int writable)
{
    struct segment *s = segment_find(key);
    void *p;

    if (s == NULL)
        return NULL;
    if (writable && !(s->mode & 0200))
        return NULL;
#ifdef PATCHED
    if (writable && s->owner != user)
        return NULL;
#endif
#ifdef LATER
    if (s->size == 0)
        return NULL;
    s->last_user = user;
#endif
    p = map_pages(s->base, s->size, writable);
    if (p == NULL)
        return NULL;
    s->attached++;
#ifdef LATER
    shm_count((int)s->attached);
#endif
    return p;
}
