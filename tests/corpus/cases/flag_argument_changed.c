/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=flag_argument_changed function=socket_listen kind=argument
 * strict: unsafe P4
 * analyst: safe accept=Q5
 * why: The backlog handed to the system was raised. */
#include <stddef.h>
#include <stdint.h>

struct listener {
    int fd;
    unsigned port, state;
};

extern int sys_bind(int fd, unsigned port);
extern int sys_listen(int fd, int backlog);

int socket_listen(struct listener *l, unsigned port)
{
    if (l->fd < 0)
        return -9;
    if (sys_bind(l->fd, port) != 0)
        return -98;
#ifdef PATCHED
    if (sys_listen(l->fd, 128) != 0)
        return -5;
#else
    if (sys_listen(l->fd, 5) != 0)
        return -5;
#endif
    l->port = port;
    l->state = 2;
    return 0;
}
