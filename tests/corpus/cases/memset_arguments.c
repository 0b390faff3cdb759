/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=memset_arguments function=secret_clear kind=argument
 * strict: unsafe P4
 * analyst: safe accept=Q5
 * why: Size and value of a memset were the wrong way round; repairing that changes what is called. */
#include <stddef.h>
#include <stdint.h>

struct secret {
    uint8_t key[48];
    size_t used;
    unsigned state;
};

extern void *memset(void *p, int c, size_t n);
extern void state_log(unsigned s);

int secret_clear(struct secret *s)
{
    if (s->used > sizeof s->key)
        return -22;
    state_log(s->state);
#ifdef PATCHED
    memset(s->key, 0, s->used);
#else
    memset(s->key, (int)s->used, 0);
#endif
    s->used = 0;
    s->state = 0;
    return 0;
}
