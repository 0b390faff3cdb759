/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=global_initialised function=logger_setup kind=initialised build=exe
 * strict: unsafe P2
 * analyst: safe accept=Q2
 * why: A global that relied on being zero is set when the module starts. */
#include <stddef.h>
#include <stdint.h>

int log_level;
int log_fd;
unsigned log_dropped;

extern int sys_open(const char *path, int flags, int mode);

int logger_setup(const char *path, int level)
{
    int fd;

    if (level < 0 || level > 7)
        return -22;
    fd = sys_open(path, 0x441, 0600);
    if (fd < 0)
        return -2;
    log_fd = fd;
    log_level = level;
#ifdef PATCHED
    log_dropped = 0;
#endif
    return 0;
}
