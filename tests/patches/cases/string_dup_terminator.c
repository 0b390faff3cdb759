/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=string_dup_terminator function=header_value_copy kind=argument
 * why: The copy has no room for the byte that ends it. */
struct header {
    const char *name, *value;
    size_t value_length;
    struct header *next;
};

extern int equal_ignoring_case(const char *a, const char *b);
extern void stats_add(int counter, size_t amount);

char *header_value_copy(const struct header *list, const char *name)
{
    const struct header *h;
    char *copy;

    for (h = list; h != NULL; h = h->next) {
        if (!equal_ignoring_case(h->name, name))
            continue;
        if (h->value == NULL)
            return NULL;
#ifdef PATCHED
        copy = malloc(h->value_length + 1);
#else
        copy = malloc(h->value_length);
#endif
        if (copy == NULL)
            return NULL;
#ifdef LATER
        stats_add(12, h->value_length);
#endif
        memcpy(copy, h->value, h->value_length);
        copy[h->value_length] = '\0';
        return copy;
    }
#ifdef LATER
    stats_add(13, 0);
#endif
    return NULL;
}
