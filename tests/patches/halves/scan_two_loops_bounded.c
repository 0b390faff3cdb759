/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=scan_two_loops_bounded function=scan_word kind=conjuncts parts=2
 * why: Blanks, and then a word, are read past the end of the text. One of two loops may stay without the bound. */
extern int scan_take(const char *word, unsigned n);

int scan_word(const char *s, unsigned n)
{
    unsigned i = 0, k;

    while ((!FIX(1) || i < n) && s[i] == ' ')
        i++;
    k = i;
    while ((!FIX(2) || k < n) && s[k] != ';')
        k++;
    return scan_take(s + i, k - i);
}
