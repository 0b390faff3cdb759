/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug/expr.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_NAME = 256 };

/* A number and its width; 0: a constant, which takes the width of what it meets. */
struct value {
    uint64_t x;
    unsigned width;
    bool is_thing; /* a variable or a part of one */
    bool is_signed;
    struct variable thing;
};

struct parser {
    struct debuggee *d;
    const char *begin, *at;
    struct error *err;
    unsigned depth;
};

__attribute__((format(printf, 2, 3))) static bool bad(struct parser *p, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_set(p->err, ERROR_USAGE, "%s at column %d of '%s'", text, (int)(p->at - p->begin) + 1,
                     p->begin);
}

static void space(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool binary(struct parser *p, unsigned level, struct value *out);

static bool enclosed(struct parser *p, char close, struct value *out)
{
    p->at++;
    if (!binary(p, 0, out))
        return false;
    space(p);
    if (*p->at != close)
        return bad(p, "'%c' is missing", close);
    p->at++;
    return true;
}

static bool memory(struct parser *p, unsigned bytes, struct value *out)
{
    struct value address;
    uint8_t data[8] = {0};
    if (!enclosed(p, ']', &address))
        return false;
    debuggee_peek(p->d, address.x, data, bytes, NULL);
    *out = (struct value){.x = bits_low(bits_from_bytes(data, bytes)), .width = bytes * 8};
    return true;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '@';
}

static bool symbol(struct parser *p, const char *name, const char *from, struct value *out)
{
    const struct object_symbol *s = object_symbol_by_name(p->d->o, name);
    if (s && !s->undefined && s->type != SYMBOL_TLS) {
        *out = (struct value){.x = s->address, .width = p->d->m->pointer_width};
        return true;
    }
    struct error e = {0};
    const struct flow_function *f = program_function(p->d->p, name, &e);
    if (f) {
        *out = (struct value){.x = f->address, .width = p->d->m->pointer_width};
        return true;
    }
    p->at = from;
    return bad(p, "'%s' is neither a register nor a symbol", name);
}

/* ---- variables ---- */

static bool from_thing(struct parser *p, struct variable t, struct value *out)
{
    bool known;
    *out = (struct value){.is_thing = true, .thing = t, .is_signed = variable_is_signed(&t), .width = 64};
    if (variable_value(p->d, &t, &out->x, &out->width, &known))
        return true;
    if (t.kind == PLACE_NONE)
        return bad(p, "no value here");
    out->x = t.at; /* a structure: only its parts are numbers */
    return true;
}

static bool member(struct parser *p, bool arrow, struct value *v)
{
    char name[MAX_NAME];
    size_t n = 0;
    struct variable t = v->thing;
    p->at += arrow ? 2 : 1;
    space(p);
    while ((isalnum((unsigned char)*p->at) || *p->at == '_') && n + 1 < sizeof name)
        name[n++] = *p->at++;
    name[n] = 0;
    if (arrow && !variable_element(p->d, &v->thing, 0, &t))
        return bad(p, "not a pointer to a structure");
    struct variable part;
    if (!variable_member(&t, name, &part))
        return bad(p, "no member '%s'", name);
    return from_thing(p, part, v);
}

static bool element(struct parser *p, struct value *v)
{
    struct value index;
    struct variable t = v->thing, part;
    if (!enclosed(p, ']', &index))
        return false;
    if (!variable_element(p->d, &t, index.x, &part))
        return bad(p, "not an array or pointer");
    return from_thing(p, part, v);
}

/* p->f, s.f, a[i] */
static bool parts(struct parser *p, struct value *v)
{
    for (unsigned fuel = MAX_DEPTH; v->is_thing && fuel; fuel--) {
        bool ok = true;
        space(p);
        if (p->at[0] == '-' && p->at[1] == '>')
            ok = member(p, true, v);
        else if (p->at[0] == '.')
            ok = member(p, false, v);
        else if (p->at[0] == '[')
            ok = element(p, v);
        else
            break;
        if (!ok)
            return false;
    }
    return true;
}

/* A variable in scope; symbols may have dots in them, so that a name may have to end before one. */
static bool variable(struct parser *p, char *name, const char *from, bool address, struct value *out,
                     bool *is)
{
    struct variable t;
    size_t n = strcspn(name, ".");
    char dot = name[n];
    name[n] = 0;
    *is = variable_find(p->d, name, &t);
    if (!*is) {
        name[n] = dot;
        return true;
    }
    p->at = from + (address ? 1 : 0) + n;
    if (!from_thing(p, t, out) || !parts(p, out))
        return false;
    if (!address)
        return true;
    if (out->thing.kind != PLACE_MEMORY || out->thing.bit_size)
        return bad(p, "not in memory");
    *out = (struct value){.x = out->thing.at, .width = p->d->m->pointer_width};
    return true;
}

static bool pointed_to(struct parser *p, struct value *v)
{
    struct variable t;
    if (!v->is_thing || !variable_element(p->d, &v->thing, 0, &t))
        return bad(p, "only a pointer of the program can be followed; mem32[ADDRESS] reads any");
    return from_thing(p, t, v);
}

static bool by_convention(struct parser *p, const char *name, struct value *out)
{
    unsigned n;
    char rest;
    if (strcmp(name, "ret") == 0) {
        *out = (struct value){.x = debuggee_word(p->d, p->d->m->ret), .width = p->d->m->pointer_width};
        return true;
    }
    if (sscanf(name, "arg%u%c", &n, &rest) == 1 && n < 64) {
        *out = (struct value){.x = import_argument(p->d, n), .width = p->d->m->pointer_width};
        return true;
    }
    return false;
}

static bool named(struct parser *p, struct value *out)
{
    const char *from = p->at;
    bool address = *p->at == '&', reg = *p->at == '$' || *p->at == '%';
    if (address || reg)
        p->at++;
    char name[MAX_NAME];
    size_t n = 0;
    if (*p->at == '\'') {
        const char *end = strchr(p->at + 1, '\'');
        n = end ? (size_t)(end - p->at - 1) : 0;
        if (!n || n >= sizeof name)
            return bad(p, "unterminated quoted name");
        memcpy(name, p->at + 1, n);
        name[n] = 0;
        p->at = end + 1;
        if (n == 1 && !address) {
            *out = (struct value){.x = (unsigned char)name[0], .width = 0};
            return true;
        }
        return symbol(p, name, from, out);
    }
    while (is_name(*p->at) && n + 1 < sizeof name)
        name[n++] = *p->at++;
    name[n] = 0;
    if (!n)
        return bad(p, *p->at ? "a value is missing" : "a value is missing at the end,");
    unsigned width;
    char rest;
    space(p);
    if (!address && *p->at == '[' && sscanf(name, "mem%u%c", &width, &rest) == 1 &&
        (width == 8 || width == 16 || width == 32 || width == 64))
        return memory(p, width / 8, out);
    uint16_t offset, bits;
    if (!address && machine_register_find(p->d->m, name, &offset, &bits)) {
        *out =
            (struct value){.x = bits_low(debuggee_get(p->d, offset, bits)), .width = bits < 64 ? bits : 64};
        return true;
    }
    bool flag;
    if (!address && debuggee_flag(p->d, name, &flag)) {
        *out = (struct value){.x = flag, .width = 0};
        return true;
    }
    if (!reg) {
        bool is;
        if (!variable(p, name, from, address, out, &is))
            return false;
        if (is)
            return true;
    }
    if (!address && by_convention(p, name, out))
        return true;
    if (reg) {
        p->at = from;
        return bad(p, "%s has no register '%s'", p->d->m->name, name);
    }
    return symbol(p, name, from, out);
}

static bool number(struct parser *p, struct value *out)
{
    uint64_t x = 0;
    unsigned base = 10;
    const char *from = p->at;
    if (p->at[0] == '0' && (p->at[1] | 0x20) == 'x') {
        base = 16;
        p->at += 2;
    }
    const char *digits = p->at;
    for (;; p->at++) {
        unsigned char c = (unsigned char)*p->at;
        unsigned v = isdigit(c)                  ? (unsigned)(c - '0')
                     : isxdigit(c) && base == 16 ? (unsigned)((c | 0x20) - 'a' + 10)
                                                 : 99;
        if (v >= base)
            break;
        if (__builtin_mul_overflow(x, base, &x) || __builtin_add_overflow(x, v, &x)) {
            p->at = from;
            return bad(p, "a number of more than 64 bits");
        }
    }
    if (p->at == digits || is_name(*p->at)) {
        p->at = from;
        return bad(p, "not a number");
    }
    *out = (struct value){.x = x, .width = 0};
    return true;
}

static uint64_t cut(uint64_t x, unsigned width)
{
    return width && width < 64 ? x & ((UINT64_C(1) << width) - 1) : x;
}

static int64_t with_sign(uint64_t x, unsigned width)
{
    unsigned shift = width && width < 64 ? 64 - width : 0;
    return (int64_t)(x << shift) >> shift;
}

static bool unary(struct parser *p, struct value *out)
{
    space(p);
    if (++p->depth > MAX_DEPTH)
        return bad(p, "nested too deeply");
    bool ok;
    char c = *p->at;
    if (c == '*') {
        p->at++;
        ok = unary(p, out) && pointed_to(p, out) && parts(p, out);
    } else if (c == '-' || c == '~' || c == '!' || c == '+') {
        p->at++;
        ok = unary(p, out);
        out->is_thing = false;
        if (c == '!')
            *out = (struct value){.x = !out->x};
        else
            out->x = cut(c == '-' ? -out->x : c == '~' ? ~out->x : out->x, out->width);
    } else if (c == '(') {
        ok = enclosed(p, ')', out) && parts(p, out);
    } else if (c == '[') {
        ok = memory(p, p->d->m->pointer_width / 8, out);
    } else if (isdigit((unsigned char)c)) {
        ok = number(p, out);
    } else {
        ok = named(p, out);
    }
    p->depth--;
    return ok;
}

enum operator{ OR, AND, BIT_OR, XOR, BIT_AND, EQ, NE, LE, GE, LT, GT, SHL, SHR, ADD, SUB, MUL, DIV, REM };

/* In the order in which they must be tried: a longer one before its beginning. */
static const struct {
    const char *text;
    unsigned char op, level;
    bool has_signed;
} operators[] = {
    {"||", OR, 0, false},     {"&&", AND, 1, false}, {"|", BIT_OR, 2, false}, {"^", XOR, 3, false},
    {"&", BIT_AND, 4, false}, {"==", EQ, 5, false},  {"!=", NE, 5, false},    {"<<", SHL, 7, false},
    {">>", SHR, 7, true},     {"<=", LE, 6, true},   {">=", GE, 6, true},     {"<", LT, 6, true},
    {">", GT, 6, true},       {"+", ADD, 8, false},  {"-", SUB, 8, false},    {"*", MUL, 9, false},
    {"/", DIV, 9, true},      {"%", REM, 9, true},
};
enum { LEVELS = 10 };

static uint64_t apply(enum operator op, bool is_signed, uint64_t a, uint64_t b, unsigned width)
{
    int64_t x = with_sign(a, width), y = with_sign(b, width);
    switch (op) {
    case OR:
        return a || b;
    case AND:
        return a && b;
    case BIT_OR:
        return a | b;
    case XOR:
        return a ^ b;
    case BIT_AND:
        return a & b;
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LE:
        return is_signed ? x <= y : a <= b;
    case GE:
        return is_signed ? x >= y : a >= b;
    case LT:
        return is_signed ? x < y : a < b;
    case GT:
        return is_signed ? x > y : a > b;
    case SHL:
        return b > 63 ? 0 : a << b;
    case SHR:
        return is_signed ? (uint64_t)(x >> (b > 63 ? 63 : b)) : b > 63 ? 0 : a >> b;
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return !b ? 0 : is_signed ? (y == -1 ? -(uint64_t)x : (uint64_t)(x / y)) : a / b;
    case REM:
        return !b ? 0 : is_signed ? (y == -1 ? 0 : (uint64_t)(x % y)) : a % b;
    }
    return 0;
}

/* Index into operators, or -1; *n is its length with the letter for signed. */
static int operator_here(const struct parser *p, unsigned level, size_t *n)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t len = strlen(operators[i].text);
        if (strncmp(p->at, operators[i].text, len) != 0)
            continue;
        if (operators[i].level != level)
            return -1;
        *n = len + (operators[i].has_signed && p->at[len] == 's' && !is_name(p->at[len + 1]));
        return (int)i;
    }
    return -1;
}

static bool binary(struct parser *p, unsigned level, struct value *out)
{
    if (level == LEVELS)
        return unary(p, out);
    if (!binary(p, level + 1, out))
        return false;
    for (;;) {
        size_t n;
        space(p);
        int i = operator_here(p, level, &n);
        if (i < 0)
            return true;
        bool is_signed = n > strlen(operators[i].text);
        p->at += n;
        bool left = out->is_signed || !out->width;
        struct value right;
        if (!binary(p, level + 1, &right))
            return false;
        enum operator op =(enum operator) operators[i].op;
        unsigned width = out->width > right.width ? out->width : right.width;
        bool truth = op <= AND || (op >= EQ && op <= GT),
             both = width && left && (right.is_signed || !right.width);
        uint64_t a = out->x, b = right.x;
        if (both) { /* as in C: both are signed, or numbers */
            a = out->width ? (uint64_t)with_sign(a, out->width) : a;
            b = right.width ? (uint64_t)with_sign(b, right.width) : b;
        }
        uint64_t x = apply(op, is_signed || both, cut(a, width), cut(b, width), width);
        *out = truth ? (struct value){.x = x}
                     : (struct value){.x = cut(x, width), .width = width, .is_signed = both};
    }
}

bool expr_take(struct debuggee *d, const char **text, uint64_t *out, unsigned *width, struct error *err)
{
    struct parser p = {.d = d, .begin = *text, .at = *text, .err = err};
    struct value v = {0};
    if (!binary(&p, 0, &v))
        return false;
    *out = v.x;
    if (width)
        *width = v.width ? v.width : 64;
    space(&p);
    *text = p.at;
    return true;
}

bool expr_thing(struct debuggee *d, const char *text, struct variable *out)
{
    struct error quiet = {0};
    struct parser p = {.d = d, .begin = text, .at = text, .err = &quiet};
    struct value v = {0};
    if (!unary(&p, &v))
        return false;
    space(&p);
    *out = v.thing;
    return v.is_thing && !*p.at;
}

bool expr_eval(struct debuggee *d, const char *text, uint64_t *out, struct error *err)
{
    struct parser p = {.d = d, .begin = text, .at = text, .err = err};
    struct value v = {0};
    if (!binary(&p, 0, &v))
        return false;
    *out = v.x;
    space(&p);
    return *p.at ? bad(&p, "unexpected text") : true;
}
