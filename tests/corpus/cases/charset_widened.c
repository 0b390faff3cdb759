/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=charset_widened function=user_name_check kind=widened
 * strict: unsafe P1
 * analyst: unsafe
 * why: Names may contain a slash now. */
#include <stddef.h>
#include <stdint.h>

int user_name_check(const char *s, unsigned n, uint32_t *hash)
{
    uint32_t h = 5381;

    if (n == 0 || n > 32)
        return -22;
    for (unsigned i = 0; i < n; i++) {
        char c = s[i];

#ifdef PATCHED
        if ((c < 'a' || c > 'z') && c != '-' && c != '/')
            return -22;
#else
        if ((c < 'a' || c > 'z') && c != '-')
            return -22;
#endif
        h = h * 33 + (unsigned char)c;
    }
    *hash = h;
    return 0;
}
