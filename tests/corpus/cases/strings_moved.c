/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=strings_moved function=server_banner kind=refactoring
 * strict: safe
 * analyst: safe
 * why: The same text is sent; it lies elsewhere, because an error message was added in front of it. */
#include <stddef.h>
#include <stdint.h>

extern int send_text(int fd, const char *text);
extern int send_options(int fd, unsigned mask);
extern void log_error(const char *text);

int server_banner(int fd, unsigned options)
{
    if (fd < 0) {
#ifdef PATCHED
        log_error("a banner needs a connection");
#endif
        return -9;
    }
    if (options & 0x80)
        return -95;
    if (send_text(fd, "220 mail ready, version 2.4.1") != 0)
        return -5;
    return send_options(fd, options);
}
