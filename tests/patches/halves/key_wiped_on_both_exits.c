/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=key_wiped_on_both_exits function=wk_sign kind=call-sites parts=2
 * why: A key stayed on the stack, after success and after an error. */
extern int wk_derive(unsigned char *k, int id), wk_do(const unsigned char *k, const void *m);
extern void wk_wipe(void *p, size_t n);
extern void wk_note(void);
int wk_sign(int id, const void *m)
{
    unsigned char k[32];
    int r = wk_derive(k, id);
    if (r < 0) {
#if FIX(1)
        wk_wipe(k, sizeof k);
#endif
        return r;
    }
    r = wk_do(k, m);
#if FIX(2)
    wk_wipe(k, sizeof k);
#endif
    return r;
}
