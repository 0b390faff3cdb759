/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=json_depth_limit function=json_value kind=bound-check build=obj
 * strict: safe
 * analyst: safe
 * why: Nesting deeper than 64 is an error, so that hostile input cannot exhaust the stack. */
#include <stddef.h>
#include <stdint.h>

struct json {
    const char *p, *end;
    int depth;
    unsigned values;
};

extern int json_number(struct json *j);
extern int json_string(struct json *j);

int json_value(struct json *j)
{
    int r;

#ifdef PATCHED
    if (j->depth > 64)
        return -3;
#endif
    if (j->p >= j->end)
        return -1;
    j->values++;
    switch (*j->p) {
    case '[':
        j->p++;
        j->depth++;
        r = json_value(j);
        if (r < 0)
            return -2;
        j->depth--;
        j->p++;
        break;
    case '"':
        r = json_string(j);
        break;
    default:
        r = json_number(j);
        break;
    }
    return r < 0 ? -2 : 0;
}
