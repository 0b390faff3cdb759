/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small library with a fault that CVE-2099-1234.diff mends; docs/present.md looks for the patch in it. */
#include <stdlib.h>
#include <string.h>

struct record {
    unsigned length;
    char *name;
};

int record_set_name(struct record *r, const char *name, unsigned length);

int record_set_name(struct record *r, const char *name, unsigned length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return -1;
    memcpy(copy, name, length);
    copy[length] = '\0';
    free(r->name);
    r->name = copy;
    r->length = length;
    return 0;
}
