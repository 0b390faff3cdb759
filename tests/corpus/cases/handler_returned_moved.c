/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=handler_returned_moved function=handler_for kind=function-pointer
 * strict: safe
 * analyst: safe
 * why: The mirror image of handler_returned: the same functions are returned, they only lie elsewhere in
 *   the file. */
#include <stddef.h>
#include <stdint.h>

typedef int handler(const uint8_t *p, unsigned n);

static unsigned lookups;

#ifdef PATCHED
__attribute__((noinline)) static int on_close(const uint8_t *p, unsigned n)
{
    return n == 1 ? p[0] ^ 0x55 : -1;
}
#endif

__attribute__((noinline)) static int on_hello(const uint8_t *p, unsigned n)
{
    return n > 2 ? p[0] + p[1] : -1;
}

__attribute__((noinline)) static int on_data(const uint8_t *p, unsigned n)
{
    return n > 9 ? p[8] * 3 : -1;
}

#ifndef PATCHED
__attribute__((noinline)) static int on_close(const uint8_t *p, unsigned n)
{
    return n == 1 ? p[0] ^ 0x55 : -1;
}
#endif

handler *handler_for(unsigned type)
{
#ifdef PATCHED
    if (type > 3)
        return NULL;
#endif
    lookups++;
    switch (type) {
    case 1:
        return on_hello;
    case 2:
        return on_data;
    case 3:
        return on_close;
    default:
        return NULL;
    }
}

handler *const handlers_used[] = {on_hello, on_data, on_close};
