/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=tar_octal_digit function=tar_octal kind=bound-check
 * strict: safe
 * analyst: safe
 * why: A digit that is none makes the field invalid instead of being added up. */
#include <stddef.h>
#include <stdint.h>

int tar_octal(const char *field, unsigned width, uint32_t *out)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < width; i++) {
        char c = field[i];

        if (c == ' ')
            break;
#ifdef PATCHED
        if (c < '0' || c > '7')
            return -1;
#endif
        v = v << 3 | (uint32_t)(c - '0');
    }
    *out = v;
    return 0;
}
