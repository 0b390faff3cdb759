/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=socket_freed_and_cleared function=conn_drop kind=hunks parts=2
 * why: The buffer was freed but kept, and the timer went on. */
struct conn {
    int fd;
    uint8_t *buffer;
    unsigned state, timer;
};

extern void fd_close(int fd);
extern void timer_stop(unsigned id);
extern void conn_log(const char *what, int fd);

void conn_drop(struct conn *c, int why)
{
    conn_log("dropping", c->fd);
    if (c->state == 3)
        fd_close(c->fd);
#if FIX(1)
    timer_stop(c->timer);
#endif
    free(c->buffer);
#if FIX(2)
    c->buffer = NULL;
#endif
    c->state = why < 0 ? 9 : 0;
}
