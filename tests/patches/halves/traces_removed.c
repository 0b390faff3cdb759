/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=traces_removed function=login_check kind=removals parts=2
 * why: The password was written to two logs. */
struct login {
    const char *name, *password;
    unsigned tries;
};

extern void trace_text(const char *what, const char *text);
extern void journal_put(const char *line, const char *text);
extern const char *hash_text(const char *text);
extern const char *stored_hash(const char *name);

int login_check(struct login *l)
{
    const char *stored = stored_hash(l->name);

    if (stored == NULL)
        return -1;
#if !FIX(1)
    trace_text("password", l->password);
#endif
    if (++l->tries > 3) {
        journal_put("too many tries", l->name);
        return -2;
    }
    if (strcmp(hash_text(l->password), stored) != 0) {
#if !FIX(2)
        journal_put("wrong password", l->password);
#endif
        return -3;
    }
    l->tries = 0;
    return 0;
}
