/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for keys from -127 to 127. abs(INT_MIN) is negative, so that the smallest key passes the check. */
#include <stdlib.h>

unsigned char lookup1(unsigned char *table, int key)
{
    if (abs(key) > 127)
        return -1;
    return table[key + 127];
}
