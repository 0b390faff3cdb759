/* SPDX-License-Identifier: GPL-3.0-or-later */
/* docs/poc.md: reads "SIZE COUNT FIRST" from a file, and stores COUNT numbers from FIRST on in a box of SIZE. */
#include <stdio.h>
#include <stdlib.h>

#include "store.h"

int main(int argc, char **argv)
{
    struct box *b = malloc(sizeof *b);
    unsigned count, sum = 0;
    int first;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!f || !b || fscanf(f, "%u %u %d", &b->size, &count, &first) != 3 || b->size > 4096)
        return 2;
    b->item = calloc(1, b->size);
    int stored = store(b, count, first);
    for (unsigned i = 0; i < b->size; i++)
        sum += b->item[i];
    printf("%d stored, sum %u\n", stored, sum);
    return stored < 0;
}
