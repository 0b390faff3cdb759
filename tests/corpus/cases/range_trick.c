/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=range_trick function=ident_char kind=refactoring
 * strict: safe
 * analyst: safe
 * why: Two comparisons became one of a difference. */
#include <stddef.h>
#include <stdint.h>

struct lexer {
    const char *p;
    unsigned column, hash;
};

int ident_char(struct lexer *l)
{
    unsigned char c = (unsigned char)*l->p;

#ifdef PATCHED
    if ((unsigned)c - 'a' > 'z' - 'a' && c != '_')
        return -1;
#else
    if ((c < 'a' || c > 'z') && c != '_')
        return -1;
#endif
    l->p++;
    l->column++;
    l->hash = l->hash * 33 ^ c;
    return 0;
}
