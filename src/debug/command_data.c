/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that look at registers and memory and change them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/command.h"
#include "debug/expr.h"

bool command_registers(struct request *r)
{
    if (*r->rest && strcmp(r->rest, "all") != 0)
        return request_bad(r, "takes no argument, or 'all'");
    for (unsigned i = r->s->first; i <= r->s->last; i++)
        show_registers(&r->s->side[i], *r->rest || strcmp(r->name, "all") == 0, r->out);
    return true;
}

/* The format after a slash: a count, a letter for how, a letter for the size. */
static bool read_format(struct request *r, unsigned word, unsigned *count, char *format, unsigned *unit)
{
    const char *p = r->format;
    unsigned long n = 1;
    if (isdigit((unsigned char)*p)) {
        char *end;
        n = strtoul(p, &end, 10);
        p = end;
    }
    if (n == 0 || n > 65536)
        return request_bad(r, "'%s': a count from 1 to 65536", r->format);
    *count = (unsigned)n;
    *unit = word;
    for (; *p; p++) {
        const char *sizes = "bhwg", *at = strchr(sizes, *p);
        if (strchr("xdutcsia", *p))
            *format = *p;
        else if (at)
            *unit = 1u << (at - sizes);
        else
            return request_bad(r, "'%s': letters are x d u t c s i a for the format and b h w g for the size",
                               r->format);
    }
    if (*format == 'c')
        *unit = 1;
    if (*format == 'a')
        *unit = word;
    return true;
}

bool command_examine(struct request *r)
{
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        unsigned count, unit;
        char format = 'x';
        uint64_t address;
        if (!read_format(r, side->d->m->pointer_width / 8, &count, &format, &unit) ||
            !request_value(r, side, r->rest, &address))
            return false;
        show_memory(side, address, count, format, unit, r->out);
    }
    return true;
}

/* As in bildb a mere number is an address, and a second number asks for this many bytes. */
bool command_print(struct request *r)
{
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        unsigned count, unit;
        char format = 0;
        uint64_t value, size = 0;
        uint16_t offset, width;
        if (!read_format(r, 8, &count, &format, &unit) || !request_range(r, side, 0, &value, &size))
            return false;
        struct variable thing;
        if (!format && expr_thing(side->d, r->rest, &thing)) {
            buf_printf(r->out, "%s%s%s = ", side->d->title, *side->d->title ? ": " : "", r->rest);
            variable_text(side->d, &thing, r->out);
            buf_putc(r->out, '\n');
            continue;
        }
        bool number =
            r->rest[strspn(r->rest, "0123456789abcdefABCDEFxX")] == 0 && isdigit((unsigned char)*r->rest);
        if (size || (number && !format)) {
            show_memory(side, value, size > 65536 ? 65536 : size ? (unsigned)size : 1, 'x', 1, r->out);
        } else if (machine_register_find(side->d->m, r->rest, &offset, &width) && width > 64) {
            char hex[160];
            bits_format_hex(debuggee_get(side->d, offset, width), width, hex, sizeof hex);
            buf_printf(r->out, "%s%s%s = %s\n", side->d->title, *side->d->title ? ": " : "", r->rest, hex);
        } else {
            const char *at = r->rest;
            unsigned bits = 64;
            expr_take(side->d, &at, &value, &bits, r->err);
            show_value(side, r->rest, value, bits, format, r->out);
        }
    }
    return true;
}

/* ---- changing ---- */

/* The '=' that is not part of a comparison. */
static const char *find_equals(const char *s)
{
    for (const char *p = s; (p = strchr(p, '=')); p++) {
        if (p[1] == '=')
            p++;
        else if (p == s || !strchr("<>!=", p[-1]))
            return p;
    }
    return NULL;
}

static int digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* "text" with \n \t \\ \" \xNN, or hex:0011ff. The bytes are added to *out; false when it is neither or
 * wrong. */
static bool read_bytes(struct request *r, const char *p, struct buf *out, bool *is)
{
    *is = true;
    if (strncmp(p, "hex:", 4) == 0) {
        for (p += 4; *p; p += 2) {
            if (digit(p[0]) < 0 || digit(p[1]) < 0)
                return request_bad(r, "hex: takes two digits for each byte");
            buf_putc(out, (char)(digit(p[0]) << 4 | digit(p[1])));
        }
        return true;
    }
    if (*p != '"') {
        *is = false;
        return true;
    }
    for (p++; *p && *p != '"'; p++) {
        if (*p != '\\') {
            buf_putc(out, *p);
            continue;
        }
        p++;
        if (*p == 'x' && digit(p[1]) >= 0 && digit(p[2]) >= 0) {
            buf_putc(out, (char)(digit(p[1]) << 4 | digit(p[2])));
            p += 2;
        } else if (*p && strchr("nt0\\\"", *p)) {
            buf_putc(out, *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == '0' ? 0 : *p);
        } else {
            return request_bad(
                r, "a backslash is followed by n, t, 0, x and two digits, a quote or a backslash");
        }
    }
    if (*p != '"' || p[1])
        return request_bad(r, "the text must end with a quote");
    return true;
}

static bool set_register(struct request *r, struct debug_side *side, const char *name, const char *value,
                         bool *is)
{
    struct debuggee *d = side->d;
    uint16_t offset, width;
    uint64_t x;
    *is = true;
    if (*name == '$' || *name == '%')
        name++;
    if (machine_register_find(d->m, name, &offset, &width)) {
        struct bits v;
        if (!(width > 64 && value[0] == '0' && (value[1] | 0x20) == 'x' &&
              bits_parse_hex(value + 2, strlen(value + 2), width, &v))) {
            if (!request_value(r, side, value, &x))
                return false;
            v = bits_u64(x, 64);
        }
        if (offset == d->m->pc)
            return request_bad(r, "use 'jump' to continue elsewhere");
        debuggee_put(d, offset, width, v);
        return true;
    }
    bool old;
    if (debuggee_flag(d, name, &old)) {
        if (!request_value(r, side, value, &x))
            return false;
        debuggee_set_flag(d, name, x != 0);
        return true;
    }
    *is = false;
    return true;
}

static bool set_variable(struct request *r, struct debug_side *side, const char *name, const char *value,
                         bool *is)
{
    struct variable t;
    uint64_t x;
    *is = expr_thing(side->d, name, &t);
    if (!*is)
        return true;
    if (!request_value(r, side, value, &x))
        return false;
    return variable_set(side->d, &t, x)
               ? true
               : request_bad(r, "%s cannot be set as a whole, or is not live here", name);
}

static bool set_memory(struct request *r, struct debug_side *side, const char *left, const char *value)
{
    struct debuggee *d = side->d;
    unsigned bits = 8;
    int n = 0;
    uint64_t address, x;
    struct buf bytes = BUF_INIT;
    bool is_bytes;
    char *inner = NULL;
    if (sscanf(left, "mem%u[%n", &bits, &n) == 1 && n && left[strlen(left) - 1] == ']') {
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
            return request_bad(r, "mem8, mem16, mem32 or mem64");
        inner = request_trim(left + n, strlen(left) - (size_t)n - 1);
        left = inner;
    } else {
        bits = 8;
    }
    bool ok = request_value(r, side, left, &address) && read_bytes(r, value, &bytes, &is_bytes);
    if (ok && !is_bytes) {
        uint8_t data[8];
        ok = request_value(r, side, value, &x);
        bits_to_bytes(bits_u64(x, 64), data, 8);
        if (ok)
            buf_put(&bytes, data, bits / 8);
    }
    if (ok && bytes.len)
        debuggee_poke(d, address, (const uint8_t *)bytes.data, bytes.len);
    free(inner);
    buf_free(&bytes);
    return ok;
}

bool command_set(struct request *r)
{
    const char *equals = find_equals(r->rest);
    if (!equals)
        return request_bad(
            r,
            "set REGISTER = VALUE, set ADDRESS = BYTE, set mem32[ADDRESS] = VALUE, set ADDRESS = \"text\"");
    char *left = request_trim(r->rest, (size_t)(equals - r->rest)),
         *right = request_trim(equals + 1, strlen(equals + 1));
    bool ok = *left && *right ? true : request_bad(r, "'=' needs an expression on both sides");
    for (unsigned i = r->s->first; ok && i <= r->s->last; i++) {
        bool is;
        ok = set_register(r, &r->s->side[i], left, right, &is) &&
             (is || set_variable(r, &r->s->side[i], left, right, &is)) &&
             (is || set_memory(r, &r->s->side[i], left, right));
        if (ok)
            stop_points_refresh(&r->s->side[i]);
    }
    free(left);
    free(right);
    return ok;
}
