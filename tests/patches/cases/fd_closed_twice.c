/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=fd_closed_twice function=socket_shutdown kind=use-after-free
 * why: The number of a closed descriptor may belong to somebody else by the next call. */
struct channel {
    int fd, peer_fd;
    int state;
    void *ssl;
    uint32_t errors;
};

extern int fd_close(int fd);
extern void ssl_shutdown(void *ssl);
extern void ssl_free(void *ssl);
extern void channel_event(struct channel *c, int event);

int socket_shutdown(struct channel *c, int orderly)
{
    int ret = 0;

    if (c->state == 0)
        return -107;
    if (c->ssl != NULL) {
        if (orderly)
            ssl_shutdown(c->ssl);
        ssl_free(c->ssl);
        c->ssl = NULL;
    }
    if (c->fd >= 0) {
        ret = fd_close(c->fd);
#ifdef PATCHED
        c->fd = -1;
#endif
#ifdef LATER
        if (ret < 0)
            c->errors++;
#endif
    }
#ifdef LATER
    if (c->peer_fd >= 0)
        fd_close(c->peer_fd);
#endif
    c->state = 0;
    channel_event(c, 2);
    return ret;
}
