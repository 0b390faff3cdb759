/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=mode_bits_masked function=file_create kind=constants parts=2
 * why: Files were made with rights that others must not have. */
struct file {
    int fd;
    unsigned mode;
};

extern int sys_open(const char *path, unsigned flags, unsigned mode);
extern void file_note(const char *path, int fd);

int file_create(struct file *f, const char *path, unsigned mode)
{
    if (path == NULL)
        return -14;
    f->mode = FIX(1) ? mode & 0x1c0 : mode;
    f->fd = sys_open(path, FIX(2) ? 0xc1 : 0x41, f->mode);
    if (f->fd < 0)
        return -2;
    file_note(path, f->fd);
    return 0;
}
