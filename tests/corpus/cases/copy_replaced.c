/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=copy_replaced function=name_set kind=call-replaced
 * strict: unsafe P4
 * analyst: safe accept=Q3,Q5
 * why: An unbounded copy was replaced by one that is told the size. */
#include <stddef.h>
#include <stdint.h>

struct device {
    char name[32];
    unsigned named;
};

extern size_t text_length(const char *s);
extern void text_copy(char *to, const char *from);
extern void text_copy_bounded(char *to, const char *from, size_t cap);

int name_set(struct device *d, const char *name)
{
    if (name == NULL)
        return -22;
    if (text_length(name) == 0)
        return -22;
#ifdef PATCHED
    text_copy_bounded(d->name, name, sizeof d->name);
#else
    text_copy(d->name, name);
#endif
    d->named = 1;
    return 0;
}
