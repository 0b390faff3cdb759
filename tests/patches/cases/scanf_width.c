/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=scanf_width function=parse_mount_line kind=format-string
 * why: Nothing bounds what is read into the two buffers. */
struct mount {
    char device[64], point[64], type[16];
    unsigned flags;
};

extern unsigned mount_flags(const char *text);
extern int mount_add(const struct mount *m);

int parse_mount_line(const char *line, struct mount *m)
{
    char options[128];
    int n;

    while (*line == ' ' || *line == '\t')
        line++;
    if (*line == '#' || *line == '\0')
        return 0;
#ifdef LATER
    memset(m, 0, sizeof *m);
#endif
    options[0] = '\0';
#ifdef PATCHED
    n = sscanf(line, "%63s %63s %15s %127s", m->device, m->point, m->type, options);
#else
    n = sscanf(line, "%s %s %s %s", m->device, m->point, m->type, options);
#endif
    if (n < 3)
        return -22;
    m->flags = mount_flags(options);
    if (strcmp(m->type, "swap") == 0)
        return 0;
#ifdef LATER
    if (m->point[0] != '/')
        return -22;
#endif
    return mount_add(m);
}
