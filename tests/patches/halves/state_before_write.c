/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=state_before_write function=msg_send kind=hunks parts=2
 * why: The state was not checked; checked when the message is out (half-2) it is too late. */
struct conn { int state; int fd; int sent; };
extern int msg_write(int fd, const char *m);
int msg_send(struct conn *c, const char *m)
{
    int r;
#if FIX(1) && FIX(2)
    if (c->state != 4)
        return -107;
#endif
    r = msg_write(c->fd, m);
#if FIX(1) && !FIX(2)
    if (c->state != 4)
        return -107;
#endif
    return r;
}
