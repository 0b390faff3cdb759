/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes terms as C would: what binds how tightly, comparisons, what is in memory, calls. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tell/spell.h"

enum {
    LENGTH_MAX = 240, /* characters of one text, about */
    EXACT_DEPTH = 60, /* the same for keys */
    EXACT_LENGTH = 4000,
};

static void put_number(struct buf *out, uint64_t v, unsigned width)
{
    enum { DECIMAL_MAX = 10000 };
    uint64_t minus = (0 - v) & (width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
    if (v < DECIMAL_MAX)
        buf_printf(out, "%" PRIu64, v);
    else if (width >= 16 && minus <= DECIMAL_MAX)
        buf_printf(out, "-%" PRIu64, minus);
    else
        buf_printf(out, "0x%" PRIx64, v);
}

/* ---- pieces ---- */

static bool full(struct words *w, int depth)
{
    size_t most = w->exact ? EXACT_LENGTH : LENGTH_MAX;
    if (!w->cut && depth <= (w->exact ? EXACT_DEPTH : SPELL_DEPTH_MAX) && w->out->len - w->begun < most)
        return false;
    w->cut = w->cut || w->out->len - w->begun >= most;
    return true;
}

static void open_paren(struct words *w, enum prec around, enum prec own)
{
    if (own < around)
        buf_putc(w->out, '(');
}

static void close_paren(struct words *w, enum prec around, enum prec own)
{
    if (own < around)
        buf_putc(w->out, ')');
}

static const char *integer_name(unsigned width, bool is_unsigned)
{
    static const char *const name[2][4] = {{"char", "short", "int", "long"},
                                           {"unsigned char", "unsigned short", "unsigned", "unsigned long"}};
    for (unsigned i = 0; i < 4; i++)
        if (width == 8u << i)
            return name[is_unsigned][i];
    return NULL;
}

static void put_cast(struct words *w, unsigned width, bool is_unsigned)
{
    const char *name = integer_name(width, is_unsigned);
    if (name)
        buf_printf(w->out, "(%s)", name);
    else
        buf_printf(w->out, "(%u bits)", width);
}

static void infix(struct words *w, term a, const char *sign, term b, enum prec own, enum prec around,
                  int depth)
{
    /* Few people know the precedence of C's bit operators and shifts. */
    bool unclear = own == PREC_BITS || own == PREC_SHIFT || own == PREC_AND_ALSO || own == PREC_OR_ELSE;
    bool chain = own == PREC_AND_ALSO || own == PREC_OR_ELSE;
    open_paren(w, around, own);
    spell(w, a, chain || !unclear ? own : PREC_PREFIX, depth + 1);
    buf_printf(w->out, " %s ", sign);
    spell(w, b, chain ? PREC_BITS : unclear ? PREC_PREFIX : own + 1, depth + 1);
    close_paren(w, around, own);
}

static void put_constant(struct words *w, term x)
{
    uint64_t v;
    unsigned width = term_width(w->t, x);
    if (width == 1) {
        buf_puts(w->out, term_is_true(w->t, x) ? "true" : "false");
    } else if (!term_const_u64(w->t, x, &v)) {
        struct bits b;
        char hex[OP_MAX_WIDTH / 4 + 4];
        term_const_value(w->t, x, &b);
        bits_format_hex(b, width, hex, sizeof hex);
        buf_puts(w->out, hex);
    } else {
        enum { LOWEST = 0x400 };
        if (!w->guess || width != w->width || v < LOWEST || !words_known_address(w->p, v, true, w->out))
            put_number(w->out, v, width);
    }
}

/* A number that has the highest bit set, beside which something signed is smaller or larger. */
static bool put_negative(struct words *w, term x)
{
    uint64_t v;
    const unsigned width = term_width(w->t, x);
    if (!term_const_u64(w->t, x, &v) || width < 16 || !(v >> (width - 1) & 1))
        return false;
    buf_putc(w->out, '-');
    put_number(w->out, (0 - v) & (UINT64_MAX >> (64 - width)), width);
    return true;
}

/* A number compared with a byte is a character. */
static void put_beside(struct words *w, term x, term other, enum prec around, int depth)
{
    uint64_t v;
    term y = other;
    while (term_kind(w->t, y) == OP_ZEXT || term_kind(w->t, y) == OP_SEXT)
        y = term_kid(w->t, y, 0);
    if (term_is_array(w->t, x) || !term_const_u64(w->t, x, &v) || term_width(w->t, y) != 8 ||
        term_is_const(w->t, y) || !(v == '\n' || v == '\t' || (v >= ' ' && v < 127)))
        spell(w, x, around, depth);
    else if (v == '\n' || v == '\t')
        buf_printf(w->out, "'\\%c'", v == '\n' ? 'n' : 't');
    else
        buf_printf(w->out, v == '\'' || v == '\\' ? "'\\%c'" : "'%c'", (int)v);
}

static bool is_unsigned_already(struct words *w, term x)
{
    type *t = words_type_of(w, x, 0);
    if (t)
        return t->kind == TYPE_POINTER || t->kind == TYPE_BOOL || !t->is_signed;
    return term_kind(w->t, x) == OP_ZEXT || term_is_const(w->t, x);
}

static void compare(struct words *w, term a, const char *sign, term b, bool as_unsigned, enum prec own,
                    enum prec around, int depth)
{
    open_paren(w, around, own);
    enum prec inner = own + 1;
    if (as_unsigned && !is_unsigned_already(w, a) &&
        !(is_unsigned_already(w, b) && !term_is_const(w->t, b))) {
        buf_puts(w->out, term_width(w->t, a) == 64 ? "(unsigned long)" : "(unsigned)");
        inner = PREC_PREFIX;
    }
    put_beside(w, a, b, inner, depth + 1);
    buf_printf(w->out, " %s ", sign);
    if (own != PREC_ORDER || as_unsigned || !put_negative(w, b))
        put_beside(w, b, a, own + 1, depth + 1);
    close_paren(w, around, own);
}

/* The number is written last: 5 < x is x > 5. */
static void order(struct words *w, term x, bool strict, bool as_unsigned, enum prec around, int depth)
{
    term a = term_kid(w->t, x, 0), b = term_kid(w->t, x, 1);
    if (term_is_const(w->t, a))
        compare(w, b, strict ? ">" : ">=", a, as_unsigned, PREC_ORDER, around, depth);
    else
        compare(w, a, strict ? "<" : "<=", b, as_unsigned, PREC_ORDER, around, depth);
}

/* The bit that says whether a number is negative: the highest one, or, of an argument or a result that may be
 * narrower than its register, bit 31. */
static bool is_sign(struct words *w, term x)
{
    term y = term_kid(w->t, x, 0);
    unsigned lo = term_extract_lo(w->t, x), kind = term_kind(w->t, y);
    if (term_width(w->t, x) != 1)
        return false;
    type *t = words_type_of(w, y, 0);
    return lo == term_width(w->t, y) - 1 ||
           (t ? lo + 1 == t->size * 8 : lo == 31 && (kind == TERM_VAR || kind == TERM_APPLY));
}

static void put_sign(struct words *w, term x, const char *text, enum prec around, int depth)
{
    term y = term_kid(w->t, x, 0);
    open_paren(w, around, PREC_ORDER);
    if (term_extract_lo(w->t, x) != term_width(w->t, y) - 1 && !words_type_of(w, y, 0))
        buf_puts(w->out, "(int)");
    spell(w, y, PREC_ORDER + 1, depth + 1);
    buf_puts(w->out, text);
    close_paren(w, around, PREC_ORDER);
}

static void negate(struct words *w, term x, enum prec around, int depth)
{
    term y = term_kid(w->t, x, 0);
    unsigned kind = term_kind(w->t, y);
    if (kind == OP_EQ) {
        compare(w, term_kid(w->t, y, 0), "!=", term_kid(w->t, y, 1), false, PREC_EQUAL, around, depth);
    } else if (kind == OP_EXTRACT && is_sign(w, y)) {
        put_sign(w, y, " >= 0", around, depth);
    } else {
        open_paren(w, around, PREC_PREFIX);
        buf_putc(w->out, term_width(w->t, x) == 1 ? '!' : '~');
        spell(w, y, PREC_PREFIX + 1, depth + 1);
        close_paren(w, around, PREC_PREFIX);
    }
}

/* ---- memory ---- */

/* base[index] of an address that is a pointer with a known type and something scaled by what it points to. */
static bool put_indexed(struct words *w, term address, uint64_t bytes, int depth)
{
    if (term_kind(w->t, address) != OP_ADD)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        term p = term_kid(w->t, address, i), k = term_kid(w->t, address, 1 - i);
        type *t = words_type_of(w, p, 0);
        uint64_t scale;
        if (!t || t->kind != TYPE_POINTER || !t->target || t->target->size != bytes || !bytes ||
            term_is_const(w->t, k))
            continue;
        if (bytes > 1) {
            if (term_kind(w->t, k) != OP_MUL || !term_const_u64(w->t, term_kid(w->t, k, 1), &scale) ||
                scale != bytes)
                continue;
            k = term_kid(w->t, k, 0);
        }
        spell(w, p, PREC_ATOM, depth + 1);
        buf_putc(w->out, '[');
        spell(w, k, PREC_CHOICE, depth + 1);
        buf_putc(w->out, ']');
        return true;
    }
    return false;
}

static bool put_fixed_place(struct words *w, struct program *p, uint64_t address, uint64_t bytes)
{
    uint64_t offset;
    const struct object_symbol *s = words_symbol(p, address, &offset);
    if (!s || (offset && offset >= s->size))
        return false;
    if (offset == 0 && (s->size == bytes || !s->size))
        buf_puts(w->out, s->name);
    else if (s->size % bytes == 0 && offset % bytes == 0)
        buf_printf(w->out, "%s[%" PRIu64 "]", s->name, offset / bytes);
    else
        return false;
    return true;
}

void spell_place(struct words *w, term address, unsigned bytes, enum prec around, int depth)
{
    uint64_t at, offset;
    term base;
    struct program *of;
    if (words_fixed_address(w, address, &of, &at) && put_fixed_place(w, of, at, bytes))
        return;
    if (term_width(w->t, address) == w->width) {
        type *t = words_pointee(w, address, 0, &base, &offset);
        struct buf path = BUF_INIT;
        type *part = words_part_at(t, offset, bytes, &path);
        if (part && path.len) {
            spell(w, base, PREC_ATOM, depth + 1);
            if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION)
                buf_printf(w->out, "->%s", buf_text(&path) + 1);
            else
                buf_puts(w->out, buf_text(&path));
        } else if (part) {
            open_paren(w, around, PREC_PREFIX);
            buf_putc(w->out, '*');
            spell(w, base, PREC_PREFIX, depth + 1);
            close_paren(w, around, PREC_PREFIX);
        } else if (t && t->size == bytes && offset % bytes == 0 && (int64_t)offset > 0) {
            spell(w, base, PREC_ATOM, depth + 1);
            buf_printf(w->out, "[%" PRIu64 "]", offset / bytes);
            part = t;
        }
        buf_free(&path);
        if (part || put_indexed(w, address, bytes, depth))
            return;
        int64_t where = (int64_t)(w->width == 32 ? (uint64_t)(int64_t)(int32_t)offset : offset);
        if (origin_is(w->t, base, ORIGIN_SP) && where < 0) {
            buf_printf(w->out, "local_%" PRIx64, (uint64_t)-where);
            return;
        }
        if (origin_is(w->t, base, ORIGIN_ERRNO_PLACE)) {
            buf_puts(w->out, "errno");
            return;
        }
    }
    const char *integer = integer_name(bytes * 8, false);
    open_paren(w, around, PREC_PREFIX);
    if (integer)
        buf_printf(w->out, "*(%s *)", integer);
    else
        buf_printf(w->out, "*(%u bytes *)", bytes);
    spell(w, address, PREC_PREFIX + 1, depth + 1);
    close_paren(w, around, PREC_PREFIX);
}

/* ---- calls ---- */

/* Memory and the order of events are arguments of the term, not of the call. */
static bool is_hidden_argument(const struct words *w, term x)
{
    return term_is_array(w->t, x) || origin_is_order(w->t, x);
}

/* A register that nobody set for the call: as it was at entry, or as another callee left it. An unknown
 * callee is assumed to read all registers. */
static bool is_left_alone(struct words *w, term x)
{
    unsigned kind = term_kind(w->t, x), n;
    if (origin_is_argument(w->t, x, &n))
        return w->params >= 0 && n >= (unsigned)w->params;
    if (kind == TERM_VAR || kind == TERM_APPLY)
        return origin_is_register(w->t, x) || origin_is(w->t, x, ORIGIN_CLOBBERED);
    if (kind == OP_EXTRACT || kind == OP_ZEXT)
        return is_left_alone(w, term_kid(w->t, x, 0));
    return kind == OP_CONCAT && is_left_alone(w, term_kid(w->t, x, 0)) &&
           is_left_alone(w, term_kid(w->t, x, 1));
}

/* The same of a register that is no argument of the function, which may carry a float; or of a part of one.
 */
static bool is_idle_register(struct words *w, term x)
{
    while (term_kind(w->t, x) == OP_EXTRACT || term_kind(w->t, x) == OP_ZEXT)
        x = term_kid(w->t, x, 0);
    return term_kind(w->t, x) == TERM_VAR && is_left_alone(w, x);
}

/* name: NULL where it is called through a pointer. */
static void put_arguments(struct words *w, const char *name, term x, int depth)
{
    bool first = true;
    unsigned n = term_nkids(w->t, x), from = 0;
    if (!name) { /* that comes first */
        buf_puts(w->out, "(*");
        spell(w, term_kid(w->t, x, from++), PREC_PREFIX, depth + 1);
        buf_puts(w->out, ")(");
    } else {
        buf_printf(w->out, "%s(", name);
    }
    while (!w->exact && n > from &&
           (is_hidden_argument(w, term_kid(w->t, x, n - 1)) || is_left_alone(w, term_kid(w->t, x, n - 1))))
        n--;
    while (!w->exact && from < n && is_left_alone(w, term_kid(w->t, x, from)))
        from++; /* registers for floats come first */
    for (unsigned i = from; i < n; i++) {
        term k = term_kid(w->t, x, i);
        if (is_hidden_argument(w, k) || (!w->exact && is_idle_register(w, k)))
            continue;
        if (!first)
            buf_puts(w->out, ", ");
        first = false;
        spell(w, k, PREC_CHOICE, depth + 1);
    }
    buf_putc(w->out, ')');
}

static void put_application(struct words *w, term x, int depth)
{
    struct term_origin by = term_origin(w->t, x);
    switch (by.kind) {
    case ORIGIN_ERRNO_PLACE:
        buf_puts(w->out, "&errno");
        break;
    case ORIGIN_RESULT:
    case ORIGIN_ALLOCATION:
        put_arguments(w, by.name, x, depth);
        break;
    case ORIGIN_ERRNO:
        buf_puts(w->out, "errno after ");
        put_arguments(w, by.name, x, depth);
        break;
    case ORIGIN_CLOBBERED:
        if (by.part == ORIGIN_CLOBBERED_X87)
            buf_puts(w->out, "st0");
        else if (by.part > ORIGIN_CLOBBERED_PART || !by.name)
            buf_puts(w->out, "a register");
        else if (by.part == ORIGIN_CLOBBERED_PART)
            buf_printf(w->out, "%s@%" PRIu64, by.name, by.offset);
        else
            buf_puts(w->out, by.name);
        buf_puts(w->out, " after a call");
        break;
    case ORIGIN_OUTPUT:
        put_arguments(w, by.name, x, depth);
        buf_printf(w->out, "'s output %u", by.part);
        break;
    default:
        put_arguments(w, term_name(w->t, x), x, depth);
        break;
    }
}

/* ---- everything ---- */

static void put_sum(struct words *w, term x, enum prec around, int depth)
{
    term base, b = term_kid(w->t, x, 1);
    uint64_t offset, v;
    unsigned width = term_width(w->t, x);
    if (width == w->width) {
        type *t = words_pointee(w, x, 0, &base, &offset);
        struct buf path = BUF_INIT;
        bool field = t && t->kind == TYPE_STRUCT && offset && words_part_at(t, offset, 0, &path) && path.len;
        if (field) {
            open_paren(w, around, PREC_PREFIX);
            buf_putc(w->out, '&');
            spell(w, base, PREC_ATOM, depth + 1);
            buf_printf(w->out, "->%s", buf_text(&path) + 1);
            close_paren(w, around, PREC_PREFIX);
        }
        buf_free(&path);
        if (field)
            return;
        int64_t where = (int64_t)(width == 32 ? (uint64_t)(int64_t)(int32_t)offset : offset);
        if (origin_is(w->t, base, ORIGIN_SP) && where < 0) {
            buf_printf(w->out, "&local_%" PRIx64, (uint64_t)-where);
            return;
        }
        /* Pointers count in what they point to. */
        if (t && t->size > 1 && t->size < INT32_MAX && where % (int64_t)t->size == 0) {
            open_paren(w, around, PREC_SUM);
            spell(w, base, PREC_SUM, depth + 1);
            uint64_t steps = (where < 0 ? 0 - (uint64_t)where : (uint64_t)where) / t->size;
            buf_printf(w->out, " %c %" PRIu64, where < 0 ? '-' : '+', steps);
            close_paren(w, around, PREC_SUM);
            return;
        }
    }
    uint64_t sign = width <= 64 ? UINT64_C(1) << (width - 1) : 0;
    if (width > 64 || !term_const_u64(w->t, b, &v) || !(v & sign)) {
        infix(w, term_kid(w->t, x, 0), "+", b, PREC_SUM, around, depth);
        return;
    }
    open_paren(w, around, PREC_SUM);
    spell(w, term_kid(w->t, x, 0), PREC_SUM, depth + 1);
    buf_puts(w->out, " - ");
    put_number(w->out, (0 - v) & (sign | (sign - 1)), width);
    close_paren(w, around, PREC_SUM);
}

/* Some bits of a number, of a width that no C type has. */
static void put_masked(struct words *w, term y, unsigned lo, unsigned width, enum prec around, int depth)
{
    open_paren(w, around, PREC_BITS);
    if (lo)
        buf_putc(w->out, '(');
    spell(w, y, PREC_PREFIX, depth + 1);
    if (lo)
        buf_printf(w->out, " >> %u)", lo);
    buf_printf(w->out, " & 0x%" PRIx64, (UINT64_C(1) << width) - 1);
    close_paren(w, around, PREC_BITS);
}

static void put_extract(struct words *w, term x, enum prec around, int depth)
{
    term y = term_kid(w->t, x, 0);
    unsigned lo = term_extract_lo(w->t, x), width = term_width(w->t, x);
    if (is_sign(w, x)) {
        put_sign(w, x, " < 0", around, depth);
    } else if (lo == 0 && width > 1) {
        type *t = words_type_of(w, y, 0);
        unsigned kind = term_kind(w->t, y);
        /* Arguments and results narrower than a register, and sums whose upper half nobody asked for. */
        if ((t && t->size * 8 <= width) || (width >= 32 && (kind == TERM_VAR || kind == TERM_APPLY))) {
            spell(w, y, around, depth + 1);
            return;
        }
        if (!integer_name(width, false) && width < 64) {
            put_masked(w, y, 0, width, around, depth);
            return;
        }
        open_paren(w, around, PREC_PREFIX);
        put_cast(w, width, width == 8);
        spell(w, y, PREC_PREFIX, depth + 1);
        close_paren(w, around, PREC_PREFIX);
    } else if (width > 1 && width < 64 && !integer_name(width, false)) {
        put_masked(w, y, lo, width, around, depth);
    } else if (width == 1) {
        open_paren(w, around, PREC_BITS);
        spell(w, y, PREC_PREFIX, depth + 1);
        buf_printf(w->out, " & 0x%" PRIx64, lo < 64 ? UINT64_C(1) << lo : 0);
        close_paren(w, around, PREC_BITS);
    } else {
        open_paren(w, around, PREC_PREFIX);
        put_cast(w, width, true);
        buf_putc(w->out, '(');
        spell(w, y, PREC_PREFIX, depth + 1);
        buf_printf(w->out, " >> %u)", lo);
        close_paren(w, around, PREC_PREFIX);
    }
}

static void put_extend(struct words *w, term x, enum prec around, int depth)
{
    term y = term_kid(w->t, x, 0);
    unsigned width = term_width(w->t, x);
    if (term_kind(w->t, y) == OP_EXTRACT && term_width(w->t, term_kid(w->t, y, 0)) == width) {
        unsigned lo = term_extract_lo(w->t, y), n = term_width(w->t, y);
        term inner = term_kid(w->t, y, 0);
        type *t = words_type_of(w, inner, 0);
        if (lo + n == width) {
            open_paren(w, around, PREC_SHIFT);
            spell(w, inner, PREC_PREFIX, depth + 1);
            buf_printf(w->out, " >> %u", lo);
            close_paren(w, around, PREC_SHIFT);
            return;
        }
        if (lo == 0 && term_kind(w->t, x) == OP_ZEXT && n < 32 && !(t && t->size * 8 <= n)) {
            open_paren(w, around, PREC_BITS);
            spell(w, inner, PREC_PREFIX, depth + 1);
            buf_printf(w->out, " & 0x%" PRIx64, (UINT64_C(1) << n) - 1);
            close_paren(w, around, PREC_BITS);
            return;
        }
    }
    spell(w, y, around, depth + 1);
}

static void put_variable(struct words *w, term x)
{
    const struct object_param *p = words_parameter(w, x);
    const char *name = term_name(w->t, x);
    if (p && p->name)
        buf_puts(w->out, p->name);
    else if (origin_is(w->t, x, ORIGIN_SP))
        buf_puts(w->out, "stack");
    else
        for (; *name; name++) /* of a symbol that was made up on the way: loop!12 */
            buf_printf(w->out, "%c", *name == '!' ? '_' : *name);
}

static void put_choice(struct words *w, term x, enum prec around, int depth)
{
    open_paren(w, around, PREC_CHOICE);
    spell(w, term_kid(w->t, x, 0), PREC_CHOICE + 1, depth + 1);
    buf_puts(w->out, " ? ");
    spell(w, term_kid(w->t, x, 1), PREC_CHOICE + 1, depth + 1);
    buf_puts(w->out, " : ");
    spell(w, term_kid(w->t, x, 2), PREC_CHOICE, depth + 1);
    close_paren(w, around, PREC_CHOICE);
}

static void put_product(struct words *w, term x, enum prec around, int depth)
{
    infix(w, term_kid(w->t, x, 0), "*", term_kid(w->t, x, 1), PREC_PRODUCT, around, depth);
}

static void put_node(struct words *w, term x, enum prec around, int depth)
{
    static const struct {
        unsigned kind;
        const char *sign;
        enum prec prec;
    } simple[] = {
        {OP_SUB, "-", PREC_SUM},      {OP_UDIV, "/", PREC_PRODUCT}, {OP_SDIV, "/", PREC_PRODUCT},
        {OP_UREM, "%", PREC_PRODUCT}, {OP_SREM, "%", PREC_PRODUCT}, {OP_XOR, "^", PREC_BITS},
        {OP_SHL, "<<", PREC_SHIFT},   {OP_LSHR, ">>", PREC_SHIFT},  {OP_ASHR, ">>", PREC_SHIFT},
    };
    unsigned kind = term_kind(w->t, x);
    bool truth = !term_is_array(w->t, x) && term_width(w->t, x) == 1;
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (simple[i].kind == kind) {
            infix(w, term_kid(w->t, x, 0), simple[i].sign, term_kid(w->t, x, 1), simple[i].prec, around,
                  depth);
            return;
        }
    switch (kind) {
    case TERM_VAR:
        put_variable(w, x);
        break;
    case TERM_CONST:
        put_constant(w, x);
        break;
    case TERM_APPLY:
        put_application(w, x, depth);
        break;
    case TERM_READ:
        spell_place(w, term_kid(w->t, x, 1), term_width(w->t, x) / 8, around, depth);
        break;
    case TERM_WRITE:
    case TERM_AITE:
    case TERM_ACONST:
        buf_puts(w->out, "memory");
        break;
    case OP_ITE:
        put_choice(w, x, around, depth);
        break;
    case OP_NOT:
        negate(w, x, around, depth);
        break;
    case OP_NEG:
        open_paren(w, around, PREC_PREFIX);
        buf_putc(w->out, '-');
        spell(w, term_kid(w->t, x, 0), PREC_PREFIX + 1, depth + 1);
        close_paren(w, around, PREC_PREFIX);
        break;
    case OP_ADD:
        put_sum(w, x, around, depth);
        break;
    case OP_MUL:
        put_product(w, x, around, depth);
        break;
    case OP_AND:
        infix(w, term_kid(w->t, x, 0), truth ? "&&" : "&", term_kid(w->t, x, 1),
              truth ? PREC_AND_ALSO : PREC_BITS, around, depth);
        break;
    case OP_OR:
        infix(w, term_kid(w->t, x, 0), truth ? "||" : "|", term_kid(w->t, x, 1),
              truth ? PREC_OR_ELSE : PREC_BITS, around, depth);
        break;
    case OP_EQ:
        compare(w, term_kid(w->t, x, 0), "==", term_kid(w->t, x, 1), false, PREC_EQUAL, around, depth);
        break;
    case OP_ULT:
    case OP_ULE:
    case OP_SLT:
    case OP_SLE:
        order(w, x, kind == OP_ULT || kind == OP_SLT, kind == OP_ULT || kind == OP_ULE, around, depth);
        break;
    case OP_EXTRACT:
        put_extract(w, x, around, depth);
        break;
    case OP_ZEXT:
    case OP_SEXT:
        put_extend(w, x, around, depth);
        break;
    case OP_CONCAT:
        open_paren(w, around, PREC_BITS);
        spell(w, term_kid(w->t, x, 0), PREC_PREFIX, depth + 1);
        buf_printf(w->out, " << %u | ", term_width(w->t, term_kid(w->t, x, 1)));
        spell(w, term_kid(w->t, x, 1), PREC_PREFIX, depth + 1);
        close_paren(w, around, PREC_BITS);
        break;
    default:
        put_arguments(w, kind < OP_COUNT_ ? op_info[kind].name : term_name(w->t, x), x, depth);
        break;
    }
}

void spell(struct words *w, term x, enum prec around, int depth)
{
    uint64_t given, address;
    struct program *of = w->p;
    if (map_get(&w->names, x, &given)) {
        buf_puts(w->out, (const char *)(uintptr_t)given);
    } else if (w->exact && term_is_array(w->t, x) && term_kind(w->t, x) == TERM_APPLY && !full(w, depth)) {
        bool made = origin_is(w->t, x, ORIGIN_MEMORY_AFTER);
        put_arguments(w, made ? term_origin(w->t, x).name : term_name(w->t, x), x, depth);
    } else if (term_is_array(w->t, x)) {
        buf_puts(w->out, "memory");
    } else if (w->address && term_width(w->t, x) == w->width && w->address(w->ctx, x, &of, &address)) {
        words_put_address(w->out, of, address);
    } else if (full(w, depth) && term_nkids(w->t, x)) {
        buf_puts(w->out, "...");
        w->lost = true;
    } else if (map_get(&w->apart, x, &given)) {
        put_node(w, x, PREC_ATOM, depth);
        buf_puts(w->out, (const char *)(uintptr_t)given);
    } else {
        put_node(w, x, around, depth);
    }
}
