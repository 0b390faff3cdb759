/* SPDX-License-Identifier: GPL-3.0-or-later */
/* docs/poc.md: the function that crashes, and is repaired by what REPAIR says. */
#include "store.h"

#ifndef REPAIR
#define REPAIR
#endif

int store(struct box *b, unsigned count, int first)
{
    REPAIR
    for (unsigned i = 0; i < count; i++)
        b->item[i] = (unsigned char)(first + (int)i);
    return (int)count;
}
