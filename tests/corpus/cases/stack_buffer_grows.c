/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=stack_buffer_grows function=greet_user kind=argument
 * strict: unsafe P4
 * analyst: safe accept=Q5
 * why: A buffer on the stack became larger, and so did the size the formatter is told. */
#include <stddef.h>
#include <stdint.h>

extern int format_name(char *out, unsigned cap, const char *name);
extern int send_text(int fd, const char *text);

int greet_user(int fd, const char *name)
{
#ifdef PATCHED
    char line[128];
#else
    char line[64];
#endif
    int n;

    if (fd < 0)
        return -9;
    n = format_name(line, sizeof line, name);
    if (n < 0)
        return -22;
    if (send_text(fd, line) != 0)
        return -5;
    return 0;
}
