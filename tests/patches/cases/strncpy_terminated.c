/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=strncpy_terminated function=set_interface_name kind=addition
 * why: strncpy() leaves a name that fills its room without an end. */
struct interface {
    int index;
    char name[16];
    unsigned mtu;
    struct interface *next;
};

extern struct interface *interface_by_name(const char *name);
extern void interface_changed(struct interface *i, int what);

int set_interface_name(struct interface *i, const char *name)
{
    const char *p;

    if (name[0] == '\0' || strcmp(name, ".") == 0)
        return -22;
    for (p = name; *p != '\0'; p++)
        if (*p == '/' || *p == ':')
            return -22;
#ifdef LATER
    if (strcmp(name, i->name) == 0)
        return 0;
#endif
    if (interface_by_name(name) != NULL)
        return -17;
    strncpy(i->name, name, sizeof i->name);
#ifdef PATCHED
    i->name[sizeof i->name - 1] = '\0';
#endif
#ifdef LATER
    if (i->mtu < 68)
        i->mtu = 1500;
#endif
    interface_changed(i, 2);
    return 0;
}
