/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=secret_cleared_whole function=secret_drop kind=constants parts=2
 * why: A secret was not cleared before its memory was given back; with sizeof a pointer (half-2) only its first bytes are. */
struct secret {
    unsigned char key[48];
    unsigned uses;
};

extern void secret_put(struct secret *s);
extern void secret_note(unsigned uses);

void secret_drop(struct secret *s)
{
    secret_note(s->uses);
#if FIX(1)
    memset(s, 0, FIX(2) ? sizeof *s : sizeof s);
#endif
    secret_put(s);
}
