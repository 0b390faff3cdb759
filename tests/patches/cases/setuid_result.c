/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=setuid_result function=drop_privileges kind=condition
 * why: When the user could not be changed the program went on as root. */
struct identity {
    unsigned user, group;
    int dropped;
    const char *home;
};

extern int sys_setgroups(unsigned n, const unsigned *groups);
extern int sys_setgid(unsigned group);
extern int sys_setuid(unsigned user);
extern int sys_chdir(const char *path);
extern void fatal(const char *what);

int drop_privileges(struct identity *id)
{
    if (id->user == 0)
        return 0;
#ifdef LATER
    if (id->home != NULL && sys_chdir(id->home) < 0)
        return -2;
#endif
    if (sys_setgroups(0, NULL) < 0) {
        fatal("setgroups");
        return -1;
    }
    if (sys_setgid(id->group) < 0) {
        fatal("setgid");
        return -1;
    }
#ifdef PATCHED
    if (sys_setuid(id->user) < 0) {
        fatal("setuid");
        return -1;
    }
#else
    sys_setuid(id->user);
#endif
    id->dropped = 1;
#ifdef LATER
    id->home = NULL;
#endif
    return 0;
}
