/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=entry_null_removed function=entry_rename kind=widened build=exe
 * strict: unsafe P1
 * analyst: unsafe
 * why: The test for a missing name was taken out as redundant; it is not. */
#include <stddef.h>
#include <stdint.h>

struct entry {
    const char *name;
    unsigned hash, renames;
};

extern unsigned hash_name(const char *s);
extern void index_move(struct entry *e, unsigned from, unsigned to);

int entry_rename(struct entry *e, const char *name)
{
    unsigned hash;

#ifndef PATCHED
    if (name == NULL)
        return -22;
#endif
    if (e->name == name)
        return -17;
    hash = hash_name(name);
    index_move(e, e->hash, hash);
    e->name = name;
    e->hash = hash;
    e->renames++;
    return 0;
}
