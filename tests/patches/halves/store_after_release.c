/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=store_after_release function=slot_drop kind=hunks parts=2
 * why: A slot kept the number of what was closed; forgotten before it is closed (half-2), another one is closed. */
struct slots {
    int open;
    int gone;
    int slot[4];
};

extern void slot_note(struct slots *s);
extern void slot_close(struct slots *s, int which);

void slot_drop(struct slots *s, int which)
{
    slot_note(s);
    if (FIX(1) && !FIX(2))
        s->open = -9;
    slot_close(s, which);
    if (FIX(1) && FIX(2))
        s->open = -9;
    s->gone = which;
}
