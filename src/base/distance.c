/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/distance.h"

#include <stddef.h>
#include <string.h>

unsigned edit_distance(const char *a, const char *b, unsigned most)
{
    enum { LONGEST = 64 };
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST || (na > nb ? na - nb : nb - na) > most)
        return most + 1;
    unsigned row[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *cur = row[i % 3], *prev = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        cur[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = prev[j - 1] + (a[i - 1] != b[j - 1]);
            if (prev[j] + 1 < best)
                best = prev[j] + 1;
            if (cur[j - 1] + 1 < best)
                best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            cur[j] = best;
        }
    }
    unsigned d = row[na % 3][nb];
    return d > most ? most + 1 : d;
}
