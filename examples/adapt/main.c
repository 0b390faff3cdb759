/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

unsigned char lookup1(unsigned char *table, int key);

int main(int argc, char **argv)
{
    static unsigned char table[255];
    for (int i = 0; i < 255; i++)
        table[i] = (unsigned char)(i / 2);
    for (int i = 1; i < argc; i++)
        printf("%d\n", lookup1(table, (int)strtoll(argv[i], NULL, 0)));
    return 0;
}
