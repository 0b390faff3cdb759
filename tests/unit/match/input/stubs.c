/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For programs that are linked without libraries. */
int puts(const char *text);
__attribute__((noinline)) int puts(const char *text)
{
    int n = 0;
    while (text[n])
        n++;
    return n;
}
