/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=limits_lowered function=session_limits kind=constants parts=2
 * why: Both limits were higher than what the table has room for. */
struct session {
    unsigned channels, window;
    int fd;
};

extern int session_refuse(int fd, const char *why);
extern void session_ready(struct session *s);

#if FIX(1)
#define CHANNELS 24
#else
#define CHANNELS 240
#endif
#if FIX(2)
#define WINDOW 0x8000
#else
#define WINDOW 0x80000
#endif

int session_limits(struct session *s, unsigned channels, unsigned window)
{
    if (s->fd < 0)
        return -1;
    if (channels > CHANNELS)
        return session_refuse(s->fd, "too many channels");
    if (window > WINDOW)
        return session_refuse(s->fd, "window too large");
    s->channels = channels;
    s->window = window;
    session_ready(s);
    return 0;
}
