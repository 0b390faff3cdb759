/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=names_two_copies function=user_fill kind=call-sites parts=2
 * why: Two names of any length were copied into fields of fixed size. */
struct user {
    char login[32], home[64];
    unsigned id;
};

extern const char *entry_field(const void *entry, unsigned n);
extern unsigned entry_number(const void *entry, unsigned n);

int user_fill(struct user *u, const void *entry)
{
    const char *login = entry_field(entry, 0), *home = entry_field(entry, 5);

    if (login == NULL || home == NULL)
        return -1;
#if FIX(1)
    snprintf(u->login, sizeof u->login, "%s", login);
#else
    strcpy(u->login, login);
#endif
    u->id = entry_number(entry, 2);
#if FIX(2)
    snprintf(u->home, sizeof u->home, "%s", home);
#else
    strcpy(u->home, home);
#endif
    return 0;
}
