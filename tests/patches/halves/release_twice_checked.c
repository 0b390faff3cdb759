/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=release_twice_checked function=pair_release kind=call-sites parts=2
 * why: A handle that is not open was released, on either side. */
struct pair {
    int in, out;
    unsigned users;
};

extern void handle_release(int h);
extern void pair_gone(struct pair *p);

int pair_release(struct pair *p)
{
    if (--p->users)
        return 1;
#if FIX(1)
    if (p->in >= 0)
#endif
        handle_release(p->in);
#if FIX(2)
    if (p->out >= 0)
#endif
        handle_release(p->out);
    pair_gone(p);
    return 0;
}
