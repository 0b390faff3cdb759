/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=usb_descriptor_mask function=usb_parse_endpoint kind=constant
 * why: The number of an endpoint has four bits; with more it indexed past the table. */
struct endpoint {
    uint8_t address, attributes;
    uint16_t packet;
    uint8_t interval;
    int enabled;
};
struct usb_device {
    int speed;
    struct endpoint *in[16], *out[16];
    int endpoints;
};

extern void usb_warn(const struct usb_device *d, const char *format, ...);

#ifdef PATCHED
#define NUMBER 0x0f
#else
#define NUMBER 0x7f
#endif

int usb_parse_endpoint(struct usb_device *d, const uint8_t *desc, size_t size, struct endpoint *e)
{
    unsigned n;

    if (size < 7 || desc[0] < 7 || desc[1] != 5) {
        usb_warn(d, "short endpoint descriptor");
        return -22;
    }
    n = desc[2] & NUMBER;
    if (n == 0) {
        usb_warn(d, "endpoint descriptor for the control endpoint");
        return -22;
    }
    e->address = desc[2];
    e->attributes = desc[3] & 3;
    e->packet = (uint16_t)(desc[4] | desc[5] << 8);
    e->interval = desc[6];
#ifdef LATER
    if (e->packet > 1024 && d->speed < 4) {
        usb_warn(d, "packet of %u bytes", e->packet);
        e->packet = 1024;
    }
#endif
    if (desc[2] & 0x80)
        d->in[n] = e;
    else
        d->out[n] = e;
    e->enabled = 1;
#ifdef LATER
    d->endpoints++;
#endif
    return 0;
}
