/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=handler_returned function=handler_for kind=function-pointer
 * strict: unsafe P3
 * analyst: unsafe
 * relies: not-C
 * why: The function returned for one type of message is another one. */
#include <stddef.h>
#include <stdint.h>

typedef int handler(const uint8_t *p, unsigned n);

static unsigned lookups;

__attribute__((noinline)) static int on_hello(const uint8_t *p, unsigned n)
{
    return n > 2 ? p[0] + p[1] : -1;
}

__attribute__((noinline)) static int on_data(const uint8_t *p, unsigned n)
{
    return n > 9 ? p[8] * 3 : -1;
}

__attribute__((noinline)) static int on_close(const uint8_t *p, unsigned n)
{
    return n == 1 ? p[0] ^ 0x55 : -1;
}

handler *handler_for(unsigned type)
{
    lookups++;
    switch (type) {
    case 1:
        return on_hello;
    case 2:
#ifdef PATCHED
        return on_close;
#else
        return on_data;
#endif
    case 3:
        return on_close;
    default:
        return NULL;
    }
}

handler *const handlers_used[] = {on_hello, on_data, on_close};
