/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=conn_timeout_constant function=conn_init kind=constant
 * strict: unsafe P2
 * analyst: safe accept=Q1,Q5
 * why: The default timeout was doubled. */
#include <stddef.h>
#include <stdint.h>

struct conn {
    int fd;
    unsigned timeout, retries, state;
    void *tls;
};

extern void *tls_new(int fd);

int conn_init(struct conn *c, int fd)
{
    if (fd < 0)
        return -9;
    c->fd = fd;
    c->retries = 3;
#ifdef PATCHED
    c->timeout = 60;
#else
    c->timeout = 30;
#endif
    c->state = 1;
    c->tls = tls_new(fd);
    if (c->tls == NULL)
        return -12;
    return 0;
}
