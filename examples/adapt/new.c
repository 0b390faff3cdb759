/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same for tables of any length, without that error. */
unsigned char lookup2(unsigned char *table, int len, int key)
{
    if (!(-(len / 2) <= key && key <= len / 2))
        return -1;
    return table[key + len / 2];
}
