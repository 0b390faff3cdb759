/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=path_traversal function=archive_member_path kind=call
 * why: A name with ".." in it left the directory that is unpacked to. */
struct archive {
    char root[128];
    unsigned members, skipped;
};

extern void archive_warn(const struct archive *a, const char *what, const char *name);
extern int archive_mkdirs(const char *path);

int archive_member_path(struct archive *a, const char *name, char *out, size_t room)
{
    size_t root = strlen(a->root), length = strlen(name);

    while (*name == '/') {
        name++;
        length--;
    }
#ifdef LATER
    if (length == 0)
        return 0;
#endif
#ifdef PATCHED
    if (strstr(name, "../") != NULL) {
        archive_warn(a, "member leaves the archive", name);
        return -1;
    }
#endif
    if (root + length + 2 > room) {
        archive_warn(a, "name too long", name);
        return -1;
    }
    memcpy(out, a->root, root);
    out[root] = '/';
    memcpy(out + root + 1, name, length + 1);
    a->members++;
#ifdef LATER
    if (archive_mkdirs(out) < 0)
        a->skipped++;
#endif
    return (int)(root + 1 + length);
}
