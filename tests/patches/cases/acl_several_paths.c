/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=acl_several_paths function=acl_allows kind=several-paths
 * why: A rule for a group was used when the rule for the user had already said no. */
struct acl_entry {
    uint8_t kind;
    uint8_t rights;
    uint16_t flags;
    uint32_t id;
};
struct acl {
    uint32_t owner, group, count;
    uint8_t mask, other;
    struct acl_entry entry[32];
};

extern int in_group(uint32_t user, uint32_t group);
extern void acl_trace(uint32_t user, int result);

int acl_allows(const struct acl *a, uint32_t user, unsigned wanted)
{
    unsigned i, granted = 0, denied = 0;

    if (user == 0)
        return 1;
    for (i = 0; i < a->count && i < 32; i++) {
        const struct acl_entry *e = &a->entry[i];

        if (e->kind == 1 && e->id == user) {
            if (e->flags & 0x8000)
                denied |= e->rights;
            else
                granted |= e->rights & a->mask;
        } else if (e->kind == 2 && in_group(user, e->id)) {
            if (e->flags & 0x8000)
                denied |= e->rights;
            else
                granted |= e->rights & a->mask;
        } else if (e->kind == 3) {
            granted |= e->rights & a->other;
        }
#ifdef LATER
        if (e->flags & 0x4000)
            break;
#endif
    }
    if (user == a->owner)
        granted |= 4;
#ifdef PATCHED
    granted &= ~denied;
#endif
#ifdef LATER
    acl_trace(user, (granted & wanted) == wanted);
#endif
    return (granted & wanted) == wanted;
}
