/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=stack_slot_added function=mac_format kind=refactoring
 * strict: safe
 * analyst: safe
 * why: A local of another size was added for a check, and the stack frame is laid out anew. */
#include <stddef.h>
#include <stdint.h>

extern int text_hex(char *out, unsigned cap, const uint8_t *p, unsigned n);
extern int name_store(void *dev, const char *text);

int mac_format(void *dev, const uint8_t *mac)
{
    char text[18];
#ifdef PATCHED
    uint8_t any[6];

    for (unsigned i = 0; i < 6; i++)
        any[i] = mac[i];
    if ((any[0] | any[1] | any[2] | any[3] | any[4] | any[5]) == 0)
        return -99;
#endif
    if (text_hex(text, sizeof text, mac, 6) != 0)
        return -22;
    text[17] = '\0';
    return name_store(dev, text);
}
