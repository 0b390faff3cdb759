/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked in front of the rest, to move it: code, constants, data. */
char front_data[208] = {1, 2, 3};
char front_zero[4096 + 48];
const char front_constant[] = "something in front of all other constants, of no particular length";

int front(const char *s);
int front(const char *s)
{
    int n = 0;
    while (s[n] && s[n] != front_constant[n])
        front_data[n % 200] = front_zero[n % 300] = s[n], n++;
    return n * 3;
}
