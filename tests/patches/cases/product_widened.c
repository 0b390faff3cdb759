/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=product_widened function=disk_read_sectors kind=overflow
 * why: Sector times size was computed in 32 bits and only then widened. */
struct disk {
    int fd;
    uint32_t sector_size, sectors;
    uint64_t start, reads;
};

extern int64_t disk_seek(int fd, uint64_t offset);
extern int disk_read(int fd, void *to, uint32_t n);
extern void disk_error(const struct disk *d, uint32_t sector);

int disk_read_sectors(struct disk *d, uint32_t sector, uint32_t count, void *to)
{
    uint64_t offset;

    if (sector >= d->sectors || count > d->sectors - sector)
        return -34;
#ifdef LATER
    if (count == 0)
        return 0;
    d->reads++;
#endif
#ifdef PATCHED
    offset = d->start + (uint64_t)sector * d->sector_size;
#else
    offset = d->start + sector * d->sector_size;
#endif
    if (disk_seek(d->fd, offset) < 0) {
        disk_error(d, sector);
        return -29;
    }
    if (disk_read(d->fd, to, count * d->sector_size) < 0) {
        disk_error(d, sector);
        return -5;
    }
    return (int)count;
}
