/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=snprintf_room function=build_status_path kind=argument
 * why: The size of a pointer was given for the size of what it points to, or rather the other buffer's. */
struct device_paths {
    char base[32], status[128];
    int unit;
};

extern int path_exists(const char *path);
extern int path_open(const char *path, int flags);

int build_status_path(struct device_paths *d, const char *root, const char *driver)
{
    int n, fd;

    if (root == NULL || root[0] != '/')
        root = "/sys";
#ifdef PATCHED
    n = snprintf(d->base, sizeof d->base, "%s/%s", root, driver);
#else
    n = snprintf(d->base, sizeof d->status, "%s/%s", root, driver);
#endif
    if (n < 0)
        return -22;
#ifdef LATER
    if (!path_exists(root))
        return -20;
#endif
    n = snprintf(d->status, sizeof d->status, "%s/%d/status", d->base, d->unit);
    if (n < 0 || n >= (int)sizeof d->status)
        return -36;
    if (!path_exists(d->status))
        return -2;
#ifdef LATER
    fd = path_open(d->status, 0x80000);
#else
    fd = path_open(d->status, 0);
#endif
    return fd < 0 ? -5 : fd;
}
