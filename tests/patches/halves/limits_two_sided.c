/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=limits_two_sided function=rl_set kind=conjuncts parts=3
 * why: Each of three numbers had a bound on one side only, or one that was far too high. */
struct rl { int a, b, c, t; };
extern int rl_go(struct rl *r);
int rl_set(struct rl *r, int a, int b, int c)
{
#if FIX(1)
    if (a < 1 || a > 500)
        return -1;
#else
    if (a < 1 || a > 50000)
        return -1;
#endif
#if FIX(2)
    if (b < 2 || b > 600)
        return -1;
#else
    if (b < 2)
        return -1;
#endif
#if FIX(3)
    if (c < 3 || c > 700)
        return -1;
#else
    if (c > 700)
        return -1;
#endif
    r->a = a;
    r->b = b;
    r->c = c;
    return rl_go(r);
}
