/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=loop_limit_lowered function=retry_send kind=loop-bound
 * strict: unsafe P4
 * analyst: safe accept=Q4,P1,P3
 * why: A message is sent again at most three times and was five times. */
#include <stddef.h>
#include <stdint.h>

extern int link_send(void *link, const void *msg);
extern void link_wait(void *link, unsigned ms);

int retry_send(void *link, const void *msg)
{
    int r;

    if (msg == NULL)
        return -22;
    r = link_send(link, msg);
#ifdef PATCHED
    for (int i = 0; i < 3 && r != 0; i++) {
#else
    for (int i = 0; i < 5 && r != 0; i++) {
#endif
        link_wait(link, 100);
        r = link_send(link, msg);
    }
    return r;
}
