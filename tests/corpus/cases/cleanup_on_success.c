/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=cleanup_on_success function=upload_finish kind=call-added
 * strict: unsafe P4
 * analyst: safe accept=Q4
 * why: A temporary file is removed also when all went well. */
#include <stddef.h>
#include <stdint.h>

struct upload {
    int fd;
    const char *temp;
    uint64_t size;
};

extern int upload_commit(struct upload *u);
extern int sys_close(int fd);
extern int sys_unlink(const char *path);

int upload_finish(struct upload *u)
{
    if (u->fd < 0)
        return -9;
    if (upload_commit(u) != 0) {
        sys_close(u->fd);
        sys_unlink(u->temp);
        return -5;
    }
    sys_close(u->fd);
#ifdef PATCHED
    sys_unlink(u->temp);
#endif
    u->fd = -1;
    return 0;
}
