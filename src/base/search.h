/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one binary search. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/* How many of the elements 0 to n - 1 satisfy `holds`, an expression in the index `i`. It must hold for a
 * prefix and for nothing after it: the result is the index of the first element that does not satisfy it. */
#define partition_point(n, i, holds)                                                                         \
    ({                                                                                                       \
        size_t low_ = 0, high_ = (n);                                                                        \
        while (low_ < high_) {                                                                               \
            const size_t i = low_ + (high_ - low_) / 2;                                                      \
            if (holds)                                                                                       \
                low_ = i + 1;                                                                                \
            else                                                                                             \
                high_ = i;                                                                                   \
        }                                                                                                    \
        low_;                                                                                                \
    })

#endif
