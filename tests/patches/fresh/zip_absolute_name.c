/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=zip_absolute_name function=zip_extract_entry kind=path-traversal
 * why: Names that begin with a slash were written outside the directory. */
struct zip_entry {
    const char *name;
    uint32_t crc, packed, size;
    uint16_t method, flags;
};

extern int zip_open_output(const char *directory, const char *name, unsigned mode);
extern int zip_copy(int fd, const struct zip_entry *e);
extern int zip_inflate(int fd, const struct zip_entry *e);
extern void zip_close(int fd);
extern void zip_error(const char *text, const char *name);

int zip_extract_entry(const struct zip_entry *e, const char *directory)
{
    int fd, r;

    if (e->name[0] == '\0' || strstr(e->name, "../") != NULL) {
        zip_error("bad name", e->name);
        return -22;
    }
#ifdef PATCHED
    if (e->name[0] == '/') {
        zip_error("absolute name", e->name);
        return -22;
    }
#endif
    if (e->flags & 1) {
        zip_error("encrypted", e->name);
        return -95;
    }
#ifdef LATER
    if (e->size > 0x40000000)
        return -27;
#endif
    fd = zip_open_output(directory, e->name, 0644);
    if (fd < 0)
        return fd;
    if (e->method == 0)
        r = zip_copy(fd, e);
    else if (e->method == 8)
        r = zip_inflate(fd, e);
    else
        r = -95;
    zip_close(fd);
    return r;
}
