/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=index_and_value_inlined function=ih_ok caller=ih_set kind=conjuncts parts=2
 * why: A helper that compilers inline checked neither the index nor the value. */
struct ih { unsigned n; int v[40]; int t; };
extern void ih_done(struct ih *x);
static int ih_ok(unsigned i, int v)
{
#if FIX(1)
    if (i >= 40)
        return 0;
#endif
#if FIX(2)
    if (v < -9)
        return 0;
#endif
    return 1;
}
int ih_set(struct ih *x, unsigned i, int v)
{
    if (!x || !ih_ok(i, v))
        return -1;
    x->v[i] = v;
    ih_done(x);
    return 0;
}
