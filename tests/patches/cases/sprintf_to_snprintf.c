/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=sprintf_to_snprintf function=ftp_build_reply kind=format-string
 * why: The reply is as long as the client's file name makes it. */
struct ftp_session {
    int control;
    char reply[512];
    int last_code;
    uint32_t replies;
};

extern int ftp_send(int fd, const char *text, size_t size);

int ftp_build_reply(struct ftp_session *s, int code, const char *file, int more)
{
    char separator = more ? '-' : ' ';
    int n;

    if (code < 100 || code > 599)
        return -1;
#ifdef LATER
    if (file == NULL)
        file = "";
    s->replies++;
#endif
#ifdef PATCHED
    n = snprintf(s->reply, sizeof s->reply, "%d%c%s\r\n", code, separator, file);
    if (n < 0 || (size_t)n >= sizeof s->reply)
        return -1;
#else
    n = sprintf(s->reply, "%d%c%s\r\n", code, separator, file);
    if (n < 0)
        return -1;
#endif
    s->last_code = code;
    return ftp_send(s->control, s->reply, (size_t)n);
}
