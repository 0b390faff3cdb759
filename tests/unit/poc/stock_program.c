/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what it is given, and a number. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) int number(void);
int number(void)
{
    __asm__ volatile("");
    return 0x1234567;
}

int main(int n, char **v)
{
    char line[64] = "";
    for (int i = 1; i < n; i++)
        printf("%s|", v[i]);
    while (fgets(line, sizeof line, stdin))
        printf("%s|", line);
    printf("%x %d %p\n", number(), getpgrp() == getpid(), (void *)v);
    fflush(stdout);
    if (n > 1 && strcmp(v[1], "end") == 0)
        kill(0, SIGKILL);
    return n;
}
