/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/readable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, HASH = 17 }; /* Rust's hash: "h" and 16 digits */

/* <source-name>: its length, and then this many characters. NULL when there are fewer. */
static const char *source_name(const char **p, size_t *length)
{
    char *end;
    if (!isdigit((unsigned char)**p))
        return NULL;
    unsigned long n = strtoul(*p, &end, 10);
    if (n == 0 || n > strlen(end))
        return NULL;
    *p = end + n;
    *length = n;
    return end;
}

static bool skip(const char **p, int depth);

static bool skip_to_end(const char **p, int depth)
{
    while (**p && **p != 'E')
        if (!skip(p, depth))
            return false;
    return *(*p)++ == 'E';
}

/* One piece of a type or of a template's arguments. */
static bool skip(const char **p, int depth)
{
    size_t n;
    char c = **p;
    if (depth > DEPTH_MAX)
        return false;
    if (isdigit((unsigned char)c))
        return source_name(p, &n) != NULL;
    ++*p;
    switch (c) {
    case 'N':
    case 'I':
    case 'J':
    case 'F':
        return skip_to_end(p, depth + 1);
    case 'L': /* a number, with its type */
        if (!islower((unsigned char)**p))
            return false;
        *p += strcspn(*p, "E");
        return *(*p)++ == 'E';
    case 'S':
        if (**p && strchr("tasbiod", **p))
            ++*p;
        else
            *p += strspn(*p, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1;
        return (*p)[-1] != '\0';
    case 'T':
    case 'A':
        *p += strspn(*p, "0123456789");
        return *(*p)++ == '_';
    case 'D':
        return *(*p)++ != '\0';
    default:
        return islower((unsigned char)c) || (c && strchr("PROKVM", c));
    }
}

/* "$LT$" and the like, and ".." for "::". */
static void put_name(struct buf *out, const char *s, size_t n)
{
    static const struct {
        const char *code;
        char c;
    } known[] = {{"$LT$", '<'},  {"$GT$", '>'},  {"$LP$", '('},  {"$RP$", ')'},   {"$C$", ','},
                 {"$RF$", '&'},  {"$BP$", '*'},  {"$u20$", ' '}, {"$u27$", '\''}, {"$u5b$", '['},
                 {"$u5d$", ']'}, {"$u7b$", '{'}, {"$u7d$", '}'}};
    for (size_t i = 0; i < n;) {
        size_t k = 0, all = sizeof known / sizeof *known;
        while (k < all && strncmp(s + i, known[k].code, strlen(known[k].code)) != 0)
            k++;
        if (k < all && i + strlen(known[k].code) <= n) {
            buf_putc(out, known[k].c);
            i += strlen(known[k].code);
        } else if (i + 1 < n && s[i] == '.' && s[i + 1] == '.') {
            buf_puts(out, "::");
            i += 2;
        } else {
            buf_putc(out, s[i++]);
        }
    }
}

/* The components of a name, up to what follows it: an E, or what the function takes. */
static bool components(struct buf *out, const char **p, bool nested)
{
    const char *last = NULL, *s;
    size_t length = 0, n;
    for (unsigned count = 0;; count++) {
        if (nested && **p == 'E')
            return ++*p, last != NULL;
        if (!nested && count && **p != 'I')
            return true;
        if (**p == 'I' && last) {
            ++*p;
            if (!skip_to_end(p, 0))
                return false;
            buf_puts(out, "<...>");
            continue;
        }
        if (**p == 'L') /* of this file only */
            ++*p;
        if (out->len)
            buf_puts(out, "::");
        if ((**p == 'C' || **p == 'D') && last && isdigit((unsigned char)(*p)[1])) {
            if (**p == 'D')
                buf_putc(out, '~');
            put_name(out, last, length);
            *p += 2;
        } else if ((s = source_name(p, &n))) {
            bool hash = nested && **p == 'E' && n == HASH && s[0] == 'h' && last;
            if (hash) {
                out->data[out->len -= 2] = 0;
                continue;
            }
            put_name(out, s, n);
            last = s;
            length = n;
        } else {
            return false;
        }
    }
}

bool readable_name(struct buf *out, const char *name)
{
    struct buf b = BUF_INIT;
    const char *p = name + 2;
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    bool nested = *p == 'N';
    if (nested)
        p += 1 + strspn(p + 1, "rVKRO");
    if (strncmp(p, "St", 2) == 0) {
        buf_puts(&b, "std");
        p += 2;
    }
    bool ok = components(&b, &p, nested);
    const char *clone = ok ? strchr(p, '.') : NULL;
    if (ok)
        buf_printf(out, "%s%s", buf_text(&b), clone ? clone : "");
    buf_free(&b);
    return ok;
}
