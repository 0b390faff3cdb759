/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=return_code_error function=path_join kind=return-code
 * strict: safe
 * analyst: safe
 * why: Only the codes of the errors changed. */
#include <stddef.h>
#include <stdint.h>

extern size_t text_length(const char *s);
extern void copy_bytes(char *to, const char *from, size_t n);

int path_join(char *out, size_t cap, const char *dir, const char *name)
{
    size_t a = text_length(dir);
    size_t b = text_length(name);

    if (b == 0)
#ifdef PATCHED
        return -22;
#else
        return -1;
#endif
    if (a > cap || b + 2 > cap - a)
#ifdef PATCHED
        return -36;
#else
        return -1;
#endif
    copy_bytes(out, dir, a);
    out[a] = '/';
    copy_bytes(out + a + 1, name, b);
    out[a + 1 + b] = '\0';
    return 0;
}
