/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=check_only_if_strict function=level_set kind=conjuncts parts=2
 * why: A level above the highest was set; half-2 checks it only if an option is set. */
struct levels {
    int strict;
    unsigned level;
};

extern void level_apply(struct levels *l, unsigned level);

int level_set(struct levels *l, unsigned level)
{
    if (FIX(1) && (FIX(2) || l->strict) && level > 9)
        return -22;
    level_apply(l, level);
    return 0;
}
