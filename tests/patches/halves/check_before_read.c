/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=check_before_read function=hdr_read kind=hunks parts=2
 * why: The length was not checked; checked behind the read (half-2) it is too late. */
struct in { unsigned len; unsigned char *p; unsigned kind; };
extern void hdr_use(unsigned a, unsigned b);
int hdr_read(struct in *in)
{
#if FIX(2)
#if FIX(1)
    if (in->len < 8)
        return -5;
#endif
#endif
    hdr_use(in->p[0], in->p[7]);
#if FIX(1) && !FIX(2)
    if (in->len < 8)
        return -5;
#endif
    return in->p[6] == 9;
}
