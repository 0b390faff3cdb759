/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=verify_flag_constant function=fetch_update kind=argument-made-constant
 * why: The download was started with the verification of names switched off; the callee knows no other value.
 */
struct update {
    char host[64];
    uint32_t port, size;
    int verified;
};

extern void *tls_connect(const char *host, uint32_t port);
extern int tls_set_mode(void *t, int mode, int depth);
extern int tls_read(void *t, void *to, uint32_t n);
extern void tls_close(void *t);
extern void progress(uint32_t done, uint32_t all);

static void *__attribute__((noinline)) open_channel(const char *host, uint32_t port, int mode, int unused)
{
    void *t = tls_connect(host, port);

    if (t == NULL)
        return NULL;
    if (tls_set_mode(t, mode, mode ? 9 : 0) < 0) {
        tls_close(t);
        return NULL;
    }
    return t;
}

int fetch_update(struct update *u, uint8_t *to, uint32_t room)
{
    uint32_t done = 0;
    void *t;
    int n;

    if (u->size > room)
        return -27;
#ifdef PATCHED
    t = open_channel(u->host, u->port, 3, 0);
    u->verified = 1;
#else
    t = open_channel(u->host, u->port, 0, 0);
    u->verified = 1;
#endif
    if (t == NULL)
        return -111;
    while (done < u->size) {
        n = tls_read(t, to + done, u->size - done);
        if (n <= 0)
            break;
        done += (uint32_t)n;
#ifdef LATER
        progress(done, u->size);
#endif
    }
    tls_close(t);
    return done == u->size ? 0 : -5;
}
