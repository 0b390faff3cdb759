/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=temp_file_exclusive function=spool_create kind=argument
 * why: A link somebody put there first was followed, and everybody could read the file. */
struct spool {
    char path[108];
    int fd;
    unsigned jobs;
};

extern int sys_open(const char *path, int flags, unsigned mode);
extern int sys_fchown(int fd, unsigned user, unsigned group);
extern void sys_close(int fd);
extern void spool_note(const char *path, unsigned jobs);

int spool_create(struct spool *s, const char *directory, unsigned user)
{
    int n = snprintf(s->path, sizeof s->path, "%s/job.%u", directory, s->jobs);

    if (n < 0 || n >= (int)sizeof s->path)
        return -36;
#ifdef PATCHED
    s->fd = sys_open(s->path, 0102 | 0200, 0600);
#else
    s->fd = sys_open(s->path, 0102, 0666);
#endif
    if (s->fd < 0)
        return s->fd;
    if (user != 0 && sys_fchown(s->fd, user, 7) < 0) {
        sys_close(s->fd);
        s->fd = -1;
        return -1;
    }
#ifdef LATER
    spool_note(s->path, s->jobs);
#endif
    s->jobs++;
    return 0;
}
