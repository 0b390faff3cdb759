/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms for people: infix, C-like.
 *
 *   x + 4   x - 8   0x1f40   u8(x)   u64(x)   s64(x)   x[15:8]   x[31]   x >> 3   x <s 0   c ? a : b   f(a,
 * b) mem32[sp - 8]        32 bits of the array `mem` at sp - 8 mem32@2[...]         of mem after writes,
 * which are in the where-list: mem@2 = mem@1[p :64= x]
 *
 * The printer first counts how often each node is used; one that is used again and is not small is given a
 * name (t1, t2, ... or mem@1, ...) and spelled once, after "where". So is one nested too deep, which bounds
 * both the text's depth and the C stack. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "term/internal.h"

enum {
    SHARED_SIZE = 6, /* a shared node with at least this many operators below it (as a tree) gets a name */
    NEST_MAX = 60,   /* levels spelled inside each other */
};

/* How tightly things bind, loosest first. */
enum prec {
    PREC_CHOICE,
    PREC_OR_ELSE,
    PREC_AND_ALSO,
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_EQUAL,
    PREC_ORDER,
    PREC_SHIFT,
    PREC_SUM,
    PREC_PRODUCT,
    PREC_PREFIX,
    PREC_ATOM,
};

struct printer {
    struct buf *out;
    const struct terms *t;
    struct map name;  /* term to 1 + its number among the named */
    struct map size;  /* term to operators below it, as a tree, names counting one */
    struct map uses;  /* term to how often it is a kid */
    VEC(term) named;  /* in order of definition, kids first */
    struct map nest;  /* term to levels below it that would be spelled */
    struct map root;  /* array to the array its chain of writes starts from */
    struct map label; /* term to its index in given_name, when the caller has a name for it */
    const char *const *given_name;
};

static void print(struct printer *p, term x, enum prec around, bool spell);

static bool is_leaf(const struct terms *t, term x)
{
    return nkids_of(t, x) == 0;
}

/* Finds what needs a name: kids first, with an explicit stack. A single root is spelled and needs none; one
 * of several may be a part of another. */
static void survey(struct printer *p, const term *roots, size_t n)
{
    const struct terms *t = p->t;
    struct map seen = {0};
    term root = n == 1 ? roots[0] : TERM_NONE;
    VEC(term) stack = VEC_INIT, order = VEC_INIT;
    for (size_t i = n; i-- > 0;) {
        vec_push(&stack, roots[i]);
        map_set(&p->uses, roots[i], map_find(&p->uses, roots[i], 0) + 1);
    }
    while (stack.len) {
        term x = vec_last(&stack);
        uint64_t state = map_find(&seen, x, 0);
        if (state) {
            stack.len--;
            if (state == 1) {
                map_set(&seen, x, 2);
                vec_push(&order, x);
            }
            continue;
        }
        map_set(&seen, x, 1);
        for (unsigned i = map_get(&p->label, x, NULL) ? 0 : nkids_of(t, x); i-- > 0;) {
            term k = kid_of(t, x, i);
            map_set(&p->uses, k, map_find(&p->uses, k, 0) + 1);
            if (!map_get(&seen, k, NULL))
                vec_push(&stack, k);
        }
    }
    for (size_t i = 0; i < order.len; i++) {
        term x = order.data[i];
        if (map_get(&p->label, x, NULL))
            continue;
        unsigned kind = kind_of(t, x);
        if (kind == TERM_WRITE || kind == TERM_AITE) {
            term below = kid_of(t, x, kind == TERM_WRITE ? 0 : 2);
            map_set(&p->root, x, map_find(&p->root, below, below));
        }
        uint64_t size = !is_leaf(t, x), nest = 0;
        for (unsigned k = 0; k < nkids_of(t, x); k++) {
            term y = kid_of(t, x, k);
            bool short_name = map_get(&p->name, y, NULL);
            size += short_name ? 1 : map_find(&p->size, y, 0);
            uint64_t below = short_name ? 0 : map_find(&p->nest, y, 0);
            nest = below > nest ? below : nest;
        }
        nest += !is_leaf(t, x);
        map_set(&p->size, x, size);
        map_set(&p->nest, x, nest);
        bool shared = map_find(&p->uses, x, 0) > 1 && size >= SHARED_SIZE && x != root;
        bool writes = term_is_array(t, x) && !is_leaf(t, x) && kind_of(t, x) != TERM_APPLY && x != root;
        if (shared || writes || (nest >= NEST_MAX && x != root)) {
            vec_push(&p->named, x);
            map_set(&p->name, x, p->named.len);
        }
    }
    map_free(&seen);
    vec_free(&stack);
    vec_free(&order);
}

static void open_paren(struct printer *p, enum prec around, enum prec own)
{
    if (own < around)
        buf_putc(p->out, '(');
}

static void close_paren(struct printer *p, enum prec around, enum prec own)
{
    if (own < around)
        buf_putc(p->out, ')');
}

static void print_number(struct printer *p, struct bits v, unsigned width)
{
    uint64_t n;
    char hex[OP_MAX_WIDTH / 4 + 4];
    if (width == 1) {
        buf_puts(p->out, bits_bit(v, 0) ? "true" : "false");
        return;
    }
    if (bits_to_u64(v, &n) && n < 1000) {
        buf_printf(p->out, "%u", (unsigned)n);
        return;
    }
    if (bits_bit(v, width - 1)) { /* a small negative number reads better as one */
        struct bits minus = bits_apply(OP_NEG, width, &v, &width, 0);
        if (width >= 8 && bits_to_u64(minus, &n) && n <= 128) {
            buf_printf(p->out, "-%u", (unsigned)n);
            return;
        }
    }
    bits_format_hex(v, width, hex, sizeof hex);
    buf_puts(p->out, hex);
}

/* The name of the array an array term starts from. */
static const char *memory_name(const struct printer *p, term x)
{
    uint64_t given;
    x = (term)map_find(&p->root, x, x);
    if (map_get(&p->label, x, &given))
        return p->given_name[given];
    return kind_of(p->t, x) == TERM_ACONST ? "const" : term_name(p->t, x);
}

static void print_label(struct printer *p, term x)
{
    uint64_t n = map_find(&p->name, x, 0);
    if (term_is_array(p->t, x))
        buf_printf(p->out, "%s@%llu", memory_name(p, x), (unsigned long long)n);
    else
        buf_printf(p->out, "t%llu", (unsigned long long)n);
}

static void print_infix(struct printer *p, term x, const char *sign, enum prec own, enum prec around)
{
    /* C's order of bitwise operators, shifts and && in || is known to few: those are always set off, except
     * in a chain of one operator */
    bool unclear = (own >= PREC_OR && own <= PREC_AND) || own == PREC_SHIFT;
    term a = kid_of(p->t, x, 0), b = kid_of(p->t, x, 1);
    enum prec left = own, right = own + 1;
    if (unclear || (own == PREC_OR_ELSE && kind_of(p->t, a) != OP_OR))
        left = kind_of(p->t, a) == kind_of(p->t, x) ? own : unclear ? PREC_PREFIX : PREC_OR;
    if (unclear || own == PREC_OR_ELSE)
        right = unclear ? PREC_PREFIX : PREC_OR;
    open_paren(p, around, own);
    print(p, a, left, false);
    buf_printf(p->out, " %s ", sign);
    print(p, b, right, false);
    close_paren(p, around, own);
}

static void print_call(struct printer *p, const char *name, term x)
{
    buf_printf(p->out, "%s(", name);
    for (unsigned i = 0; i < nkids_of(p->t, x); i++) {
        if (i)
            buf_puts(p->out, ", ");
        print(p, kid_of(p->t, x, i), PREC_CHOICE, false);
    }
    buf_putc(p->out, ')');
}

/* x + c with a negative c is x - |c|. */
static void print_sum(struct printer *p, term x, enum prec around)
{
    unsigned width = width_of(p->t, x);
    struct bits c;
    term y = kid_of(p->t, x, 1);
    if (!term_const_value(p->t, y, &c) || !bits_bit(c, width - 1)) {
        print_infix(p, x, "+", PREC_SUM, around);
        return;
    }
    open_paren(p, around, PREC_SUM);
    print(p, kid_of(p->t, x, 0), PREC_SUM, false);
    buf_puts(p->out, " - ");
    print_number(p, bits_apply(OP_NEG, width, &c, &width, 0), width);
    close_paren(p, around, PREC_SUM);
}

static void print_extract(struct printer *p, term x, enum prec around)
{
    const struct terms *t = p->t;
    term y = kid_of(t, x, 0);
    unsigned lo = term_extract_lo(t, x), width = width_of(t, x), from = width_of(t, y);
    if (width == 1 && lo == from - 1) {
        open_paren(p, around, PREC_ORDER);
        print(p, y, PREC_ORDER + 1, false);
        buf_puts(p->out, " <s 0");
        close_paren(p, around, PREC_ORDER);
    } else if (lo == 0 && width >= 8) {
        buf_printf(p->out, "u%u(", width);
        print(p, y, PREC_CHOICE, false);
        buf_putc(p->out, ')');
    } else {
        print(p, y, PREC_ATOM, false);
        if (width == 1)
            buf_printf(p->out, "[%u]", lo);
        else
            buf_printf(p->out, "[%u:%u]", lo + width - 1, lo);
    }
}

static void print_extend(struct printer *p, term x, enum prec around)
{
    const struct terms *t = p->t;
    term y = kid_of(t, x, 0);
    bool sign = kind_of(t, x) == OP_SEXT;
    unsigned width = width_of(t, x);
    if (kind_of(t, y) == OP_EXTRACT && width_of(t, kid_of(t, y, 0)) == width && !map_get(&p->name, y, NULL)) {
        unsigned lo = term_extract_lo(t, y), n = width_of(t, y);
        if (lo + n == width) {
            open_paren(p, around, PREC_SHIFT);
            print(p, kid_of(t, y, 0), PREC_PREFIX, false);
            buf_printf(p->out, " %s %u", sign ? ">>s" : ">>", lo);
            close_paren(p, around, PREC_SHIFT);
            return;
        }
        if (lo == 0 && !sign && n < 64) {
            open_paren(p, around, PREC_AND);
            print(p, kid_of(t, y, 0), PREC_PREFIX, false);
            buf_printf(p->out, " & 0x%llx", (unsigned long long)mask64(n));
            close_paren(p, around, PREC_AND);
            return;
        }
    }
    buf_printf(p->out, "%c%u(", sign ? 's' : 'u', width);
    print(p, y, PREC_CHOICE, false);
    buf_putc(p->out, ')');
}

static void print_not(struct printer *p, term x, enum prec around)
{
    const struct terms *t = p->t;
    term y = kid_of(t, x, 0);
    bool named = map_get(&p->name, y, NULL);
    if (!named && kind_of(t, y) == OP_EQ) {
        print_infix(p, y, "!=", PREC_EQUAL, around);
        return;
    }
    if (!named && kind_of(t, y) == OP_EXTRACT && width_of(t, y) == 1 &&
        term_extract_lo(t, y) == width_of(t, kid_of(t, y, 0)) - 1) {
        open_paren(p, around, PREC_ORDER);
        print(p, kid_of(t, y, 0), PREC_ORDER + 1, false);
        buf_puts(p->out, " >=s 0");
        close_paren(p, around, PREC_ORDER);
        return;
    }
    open_paren(p, around, PREC_PREFIX);
    buf_putc(p->out, width_of(t, x) == 1 ? '!' : '~');
    print(p, y, PREC_PREFIX, false);
    close_paren(p, around, PREC_PREFIX);
}

/* c <= x reads better as x >= c. */
static void print_order(struct printer *p, term x, const char *sign, const char *flipped, enum prec around)
{
    if (!is_const(p->t, kid_of(p->t, x, 0))) {
        print_infix(p, x, sign, PREC_ORDER, around);
        return;
    }
    open_paren(p, around, PREC_ORDER);
    print(p, kid_of(p->t, x, 1), PREC_ORDER, false);
    buf_printf(p->out, " %s ", flipped);
    print(p, kid_of(p->t, x, 0), PREC_ORDER + 1, false);
    close_paren(p, around, PREC_ORDER);
}

static void print_product(struct printer *p, term x, enum prec around)
{
    unsigned k;
    if (!is_pow2(p->t, kid_of(p->t, x, 1), &k) || k < 5) {
        print_infix(p, x, "*", PREC_PRODUCT, around);
        return;
    }
    open_paren(p, around, PREC_SHIFT);
    print(p, kid_of(p->t, x, 0), PREC_PREFIX, false);
    buf_printf(p->out, " << %u", k);
    close_paren(p, around, PREC_SHIFT);
}

static void print_choice(struct printer *p, term x, enum prec around)
{
    open_paren(p, around, PREC_CHOICE);
    print(p, kid_of(p->t, x, 0), PREC_CHOICE + 1, false);
    buf_puts(p->out, " ? ");
    print(p, kid_of(p->t, x, 1), PREC_CHOICE + 1, false);
    buf_puts(p->out, " : ");
    print(p, kid_of(p->t, x, 2), PREC_CHOICE, false);
    close_paren(p, around, PREC_CHOICE);
}

static void print_read(struct printer *p, term x)
{
    const struct terms *t = p->t;
    term array = kid_of(t, x, 0);
    uint64_t n;
    if (is_leaf(t, array)) {
        buf_printf(p->out, "%s%u[", term_name(t, array), width_of(t, x));
    } else if (map_get(&p->name, array, &n)) {
        buf_printf(p->out, "%s%u@%llu[", memory_name(p, array), width_of(t, x), (unsigned long long)n);
    } else {
        print(p, array, PREC_ATOM, false);
        buf_printf(p->out, ":%u[", width_of(t, x));
    }
    print(p, kid_of(t, x, 1), PREC_CHOICE, false);
    buf_putc(p->out, ']');
}

static void print_write(struct printer *p, term x)
{
    const struct terms *t = p->t;
    print(p, kid_of(t, x, 0), PREC_ATOM, false);
    buf_putc(p->out, '[');
    print(p, kid_of(t, x, 1), PREC_CHOICE, false);
    buf_printf(p->out, " :%u= ", width_of(t, kid_of(t, x, 2)));
    print(p, kid_of(t, x, 2), PREC_CHOICE, false);
    buf_putc(p->out, ']');
}

static void print_node(struct printer *p, term x, enum prec around)
{
    const struct terms *t = p->t;
    unsigned kind = kind_of(t, x);
    bool bit = width_of(t, x) == 1;
    switch (kind) {
    case TERM_VAR:
        buf_puts(p->out, term_name(t, x));
        break;
    case TERM_CONST: {
        struct bits v;
        term_const_value(t, x, &v);
        print_number(p, v, width_of(t, x));
        break;
    }
    case TERM_APPLY:
    case TERM_PURE:
        print_call(p, term_name(t, x), x);
        break;
    case TERM_READ:
        print_read(p, x);
        break;
    case TERM_WRITE:
        print_write(p, x);
        break;
    case TERM_ACONST:
        print_call(p, "const", x);
        break;
    case TERM_AITE:
    case OP_ITE:
        print_choice(p, x, around);
        break;
    case OP_NOT:
        print_not(p, x, around);
        break;
    case OP_NEG:
        open_paren(p, around, PREC_PREFIX);
        buf_putc(p->out, '-');
        print(p, kid_of(t, x, 0), PREC_PREFIX + 1, false);
        close_paren(p, around, PREC_PREFIX);
        break;
    case OP_ADD:
        print_sum(p, x, around);
        break;
    case OP_SUB:
        print_infix(p, x, "-", PREC_SUM, around);
        break;
    case OP_MUL:
        print_product(p, x, around);
        break;
    case OP_UDIV:
        print_infix(p, x, "/", PREC_PRODUCT, around);
        break;
    case OP_SDIV:
        print_infix(p, x, "/s", PREC_PRODUCT, around);
        break;
    case OP_UREM:
        print_infix(p, x, "%", PREC_PRODUCT, around);
        break;
    case OP_SREM:
        print_infix(p, x, "%s", PREC_PRODUCT, around);
        break;
    case OP_AND:
        print_infix(p, x, bit ? "&&" : "&", bit ? PREC_AND_ALSO : PREC_AND, around);
        break;
    case OP_OR:
        print_infix(p, x, bit ? "||" : "|", bit ? PREC_OR_ELSE : PREC_OR, around);
        break;
    case OP_XOR:
        print_infix(p, x, "^", PREC_XOR, around);
        break;
    case OP_SHL:
        print_infix(p, x, "<<", PREC_SHIFT, around);
        break;
    case OP_LSHR:
        print_infix(p, x, ">>", PREC_SHIFT, around);
        break;
    case OP_ASHR:
        print_infix(p, x, ">>s", PREC_SHIFT, around);
        break;
    case OP_EQ:
        print_infix(p, x, "==", PREC_EQUAL, around);
        break;
    case OP_ULT:
        print_order(p, x, "<", ">", around);
        break;
    case OP_ULE:
        print_order(p, x, "<=", ">=", around);
        break;
    case OP_SLT:
        print_order(p, x, "<s", ">s", around);
        break;
    case OP_SLE:
        print_order(p, x, "<=s", ">=s", around);
        break;
    case OP_EXTRACT:
        print_extract(p, x, around);
        break;
    case OP_ZEXT:
    case OP_SEXT:
        print_extend(p, x, around);
        break;
    default:
        print_call(p, op_info[kind].name, x);
        break;
    }
}

/* A named term is spelled only where it is defined. */
static void print(struct printer *p, term x, enum prec around, bool spell)
{
    uint64_t given;
    if (map_get(&p->label, x, &given))
        buf_puts(p->out, p->given_name[given]);
    else if (!spell && map_get(&p->name, x, NULL))
        print_label(p, x);
    else
        print_node(p, x, around);
}

static void printer_free(struct printer *p)
{
    map_free(&p->name);
    map_free(&p->size);
    map_free(&p->uses);
    map_free(&p->nest);
    map_free(&p->root);
    map_free(&p->label);
    vec_free(&p->named);
}

void term_print(struct buf *out, const struct terms *t, term x)
{
    struct printer p = {.out = out, .t = t};
    survey(&p, &x, 1);
    print(&p, x, PREC_CHOICE, true);
    for (size_t i = 0; i < p.named.len; i++) {
        buf_puts(out, i ? ", " : " where ");
        print_label(&p, p.named.data[i]);
        buf_puts(out, " = ");
        print(&p, p.named.data[i], PREC_CHOICE, true);
    }
    printer_free(&p);
}

void term_print_together(struct buf *out, struct buf *where, const struct terms *t, const term *x, size_t n,
                         const term *known, const char *const *name, size_t nknown)
{
    struct printer p = {.t = t, .given_name = name};
    for (size_t i = nknown; i-- > 0;)
        map_set(&p.label, known[i], i);
    survey(&p, x, n);
    for (size_t i = 0; i < n; i++) {
        p.out = &out[i];
        print(&p, x[i], PREC_CHOICE, false);
    }
    p.out = where;
    for (size_t i = 0; i < p.named.len; i++) {
        print_label(&p, p.named.data[i]);
        buf_puts(where, " = ");
        print(&p, p.named.data[i], PREC_CHOICE, true);
        buf_putc(where, '\n');
    }
    printer_free(&p);
}
