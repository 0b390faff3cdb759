/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=auth_attempts function=pin_verify kind=order
 * why: The counter of attempts was taken down after the comparison, so that cutting the power gave as many as one liked. */
struct pin_state {
    uint8_t pin[8];
    uint8_t length, tries, blocked, events;
};

extern int nv_store(const struct pin_state *s);
extern int compare_slowly(const uint8_t *a, const uint8_t *b, unsigned size);

int pin_verify(struct pin_state *s, const uint8_t *pin, unsigned length)
{
    if (s->blocked || s->tries == 0)
        return -13;
    if (length != s->length)
        return -22;
#ifdef PATCHED
    s->tries--;
    if (nv_store(s) != 0)
        return -5;
#endif
    if (compare_slowly(s->pin, pin, length) != 0) {
#ifndef PATCHED
        s->tries--;
        nv_store(s);
#endif
#ifdef LATER
        s->events++;
#endif
        return -1;
    }
    s->tries = 3;
    return nv_store(s);
}
