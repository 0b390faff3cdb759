/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=version_string function=server_banner kind=constant
 * strict: unsafe P4
 * analyst: safe accept=Q5
 * why: The text that is sent differs in one character. */
#include <stddef.h>
#include <stdint.h>

extern int send_text(int fd, const char *text);
extern int send_options(int fd, unsigned mask);

int server_banner(int fd, unsigned options)
{
    if (fd < 0)
        return -9;
    if (options & 0x80)
        return -95;
#ifdef PATCHED
    if (send_text(fd, "220 mail ready, version 2.4.2") != 0)
        return -5;
#else
    if (send_text(fd, "220 mail ready, version 2.4.1") != 0)
        return -5;
#endif
    return send_options(fd, options);
}
