/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=double_free_removed function=cert_list_parse kind=deletion
 * why: The list's owner frees the entry as well. */
struct entry {
    uint32_t tag, length;
    void *value;
    struct entry *next;
};
struct list {
    struct entry *first;
    unsigned count;
    int broken, strict;
};

extern struct entry *entry_new(const uint8_t *p, size_t size);
extern void entry_free(struct entry *e);
extern int entry_check(const struct entry *e);
extern void list_note(const struct list *l, const char *what);

int cert_list_parse(struct list *l, const uint8_t *p, size_t size)
{
    while (size >= 8) {
        struct entry *e = entry_new(p, size);

        if (e == NULL)
            return -12;
        e->next = l->first;
        l->first = e;
        l->count++;
        if (entry_check(e) < 0) {
            l->broken = 1;
#ifdef LATER
            list_note(l, "entry is broken");
#endif
#ifndef PATCHED
            entry_free(e);
#endif
            return -22;
        }
        if (e->length > size - 8)
            return -22;
        p += 8 + e->length;
        size -= 8 + e->length;
#ifdef LATER
        if (l->strict && l->count > 64)
            return -7;
#endif
    }
    return (int)l->count;
}
