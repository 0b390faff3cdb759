/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=group_get_and_set function=group_set kind=functions parts=2
 * why: The index of a group was checked neither when it is read nor when it is written. */
extern uint32_t group_table[128];
extern void group_changed(unsigned index);
extern int group_locked(void);

int group_get(unsigned index, uint32_t *out)
{
    if (group_locked())
        return -11;
#if FIX(1)
    if (index >= 128)
        return -22;
#endif
    *out = group_table[index];
    return 0;
}

int group_set(unsigned index, uint32_t value)
{
    if (group_locked())
        return -11;
#if FIX(2)
    if (index >= 128)
        return -22;
#endif
    group_table[index] = value;
    group_changed(index);
    return 0;
}
