/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tail_call_kept function=file_close kind=tail-call
 * strict: safe
 * analyst: safe
 * why: The mirror image of tail_call_argument: a check was added, the call at the end stayed as it was. */
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
#ifdef PATCHED
    if (f->cache == NULL)
        return -22;
#endif
    if (f->dirty) {
        if (cache_flush(f->cache, f->fd) != 0)
            return -5;
        f->dirty = 0;
    }
    return sys_close(f->fd, 0);
}
