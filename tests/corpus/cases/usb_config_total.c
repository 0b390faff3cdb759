/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=usb_config_total function=usb_parse_config kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A configuration descriptor whose total length is less than its header is refused. */
#include <stddef.h>
#include <stdint.h>

struct usb_config {
    uint16_t total;
    uint8_t interfaces, value, attributes, power;
};

int usb_parse_config(struct usb_config *cfg, const uint8_t *buf, int size)
{
    if (size < 9)
        return -22;
    if (buf[1] != 2)
        return -22;
    unsigned total = buf[2] | buf[3] << 8;
#ifdef PATCHED
    if (total < 9)
        return -22;
#endif
    cfg->total = total;
    cfg->interfaces = buf[4];
    cfg->value = buf[5];
    cfg->attributes = buf[7] & 0xe0;
    cfg->power = buf[8];
    if (cfg->interfaces > 32)
        cfg->interfaces = 32;
    return 0;
}
