/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=copy_from_user_result function=gpio_ioctl kind=unchecked-result
 * why: When the copy failed, what lay on the stack was used as the request. */
struct gpio_request {
    uint32_t pin, value, mode, reserved;
};
struct gpio_chip {
    uint32_t npins, direction;
    uint32_t *base;
};

extern unsigned long copy_from_user(void *to, const void *from, unsigned long size);
extern unsigned long copy_to_user(void *to, const void *from, unsigned long size);
extern void gpio_write(uint32_t *base, uint32_t pin, uint32_t value);
extern uint32_t gpio_read(uint32_t *base, uint32_t pin);

long gpio_ioctl(struct gpio_chip *c, unsigned command, void *user)
{
    struct gpio_request r;

#ifdef PATCHED
    if (copy_from_user(&r, user, sizeof r) != 0)
        return -14;
#else
    copy_from_user(&r, user, sizeof r);
#endif
    if (r.pin >= c->npins)
        return -22;
#ifdef LATER
    if (r.reserved != 0)
        return -95;
#endif
    switch (command) {
    case 0x4701:
        if (!(c->direction >> r.pin & 1))
            return -1;
        gpio_write(c->base, r.pin, r.value);
        return 0;
    case 0x4702:
        r.value = gpio_read(c->base, r.pin);
        if (copy_to_user(user, &r, sizeof r) != 0)
            return -14;
        return 0;
    default:
        return -25;
    }
}
