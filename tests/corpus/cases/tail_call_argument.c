/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tail_call_argument function=file_close kind=tail-call
 * strict: unsafe P4
 * analyst: unsafe
 * why: The argument of a call in tail position changed, which optimisers turn into a jump. */
#include <stddef.h>
#include <stdint.h>

struct file {
    int fd, dirty;
    void *cache;
};

extern int cache_flush(void *cache, int fd);
extern int sys_close(int fd, int flags);

int file_close(struct file *f)
{
    if (f->fd < 0)
        return -9;
    if (f->dirty) {
        if (cache_flush(f->cache, f->fd) != 0)
            return -5;
        f->dirty = 0;
    }
#ifdef PATCHED
    return sys_close(f->fd, 1);
#else
    return sys_close(f->fd, 0);
#endif
}
