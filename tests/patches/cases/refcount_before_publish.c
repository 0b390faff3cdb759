/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=refcount_before_publish function=file_table_get kind=moved
 * why: The reference is taken while the table is locked, not after. */
struct file {
    int references;
    uint32_t mode;
    void *node;
};
struct file_table {
    void *lock;
    struct file *slot[256];
    uint32_t highest, lookups;
};

extern void spin_acquire(void *lock);
extern void spin_release(void *lock);
extern void file_hold(struct file *f);

struct file *file_table_get(struct file_table *t, uint32_t fd, uint32_t mode)
{
    struct file *f;

    if (fd >= 256)
        return NULL;
    spin_acquire(t->lock);
#ifdef LATER
    t->lookups++;
#endif
    f = fd <= t->highest ? t->slot[fd] : NULL;
    if (f == NULL || (f->mode & mode) != mode) {
        spin_release(t->lock);
        return NULL;
    }
#ifdef PATCHED
    file_hold(f);
    spin_release(t->lock);
#else
    spin_release(t->lock);
    file_hold(f);
#endif
#ifdef LATER
    if (mode & 0x400)
        f->mode |= 0x8000;
#endif
    return f;
}
