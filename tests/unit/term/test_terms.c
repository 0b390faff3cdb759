/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as its users see it: sharing, normal forms, substitution, models, text, very deep terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/error.h"
#include "recipe.h"

static void prints(struct terms *t, term x, const char *want)
{
    struct buf b = BUF_INIT;
    term_print(&b, t, x);
    assert_string_equal(buf_text(&b), want);
    buf_free(&b);
}

static term num(struct terms *t, uint64_t v)
{
    return term_const(t, 64, v);
}

static void test_same_expression_is_same_number(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32);
    assert_int_equal(x, term_var(t, "x", 32));
    assert_int_equal(term_bin(t, OP_MUL, x, y), term_bin(t, OP_MUL, y, x));
    assert_int_not_equal(term_bin(t, OP_UDIV, x, y), term_bin(t, OP_UDIV, y, x));
    term kid[6] = {x, y, x, y, x, y};
    assert_int_equal(term_apply(t, "f", 32, kid, 6), term_apply(t, "f", 32, kid, 6));
    assert_int_not_equal(term_apply(t, "f", 32, kid, 6), term_apply(t, "f", 32, kid, 5));
    assert_int_equal(term_nkids(t, term_apply(t, "f", 32, kid, 6)), 6);
    struct bits wide = {{1, 2, 3, 4}};
    assert_int_equal(term_const_bits(t, 200, wide), term_const_bits(t, 200, wide));
    struct bits back;
    assert_true(term_const_value(t, term_const_bits(t, 256, wide), &back));
    assert_true(bits_eq(back, wide));
    assert_int_not_equal(term_fresh(t, "v", 8), term_fresh(t, "v", 8));
    terms_free(t);
}

static void spell_alike(struct buf *out, const struct term_origin *o)
{
    buf_puts(out, o->name);
}

/* Two symbols of different origins are two, though they would be spelled alike: nor are they for a solver. */
static void test_origin_is_identity(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct term_origin one = {.kind = TERM_ORIGIN_OTHERS, .name = "x"},
                       two = {.kind = TERM_ORIGIN_OTHERS + 1, .name = "x"},
                       three = {.kind = TERM_ORIGIN_OTHERS, .index = 1, .name = "x"};
    term x = term_symbol(t, &one, spell_alike, 32), y = term_symbol(t, &two, spell_alike, 32),
         z = term_symbol(t, &three, spell_alike, 32);
    assert_int_not_equal(x, y);
    assert_int_not_equal(x, z);
    assert_int_not_equal(y, z);
    assert_int_equal(x, term_symbol(t, &one, spell_alike, 32));
    assert_int_equal(z, term_symbol(t, &three, spell_alike, 32));
    assert_string_equal(term_name(t, x), "x");
    assert_string_not_equal(term_name(t, y), "x");
    assert_string_not_equal(term_name(t, y), term_name(t, z));
    assert_int_equal(term_origin(t, y).kind, TERM_ORIGIN_OTHERS + 1);
    assert_string_equal(term_origin(t, y).name, "x");
    /* a text speaks of what is spelled like that */
    assert_int_equal(term_var(t, "x", 32), x);
    assert_int_equal(term_var(t, term_name(t, y), 32), y);
    assert_int_equal(term_origin(t, term_var(t, "w", 32)).kind, TERM_ORIGIN_NONE);
    assert_int_equal(term_origin(t, term_fresh(t, "w", 32)).kind, TERM_ORIGIN_FRESH);
    assert_int_equal(term_origin(t, term_add_const(t, x, 1)).kind, TERM_ORIGIN_NONE);

    /* functions likewise; a model keeps them apart */
    term f = term_apply_origin(t, &one, spell_alike, 32, &z, 1),
         g = term_apply_origin(t, &two, spell_alike, 32, &z, 1);
    assert_int_not_equal(f, g);
    assert_true(term_same_head(t, f, term_apply_origin(t, &one, spell_alike, 32, &x, 1)));
    assert_false(term_same_head(t, f, g));
    assert_false(term_same_head(t, f, term_apply_origin(t, &one, spell_alike, 32, (term[]){x, x}, 2)));
    assert_false(term_same_head(t, f, x));
    assert_false(term_same_head(t, term_extract(t, x, 0, 8), term_extract(t, x, 8, 8)));
    struct term_model *m = term_model_new();
    struct bits zero = bits_u64(0, 32), v;
    term_model_set_application(m, t, f, &zero, bits_u64(1, 32));
    term_model_set_application(m, t, g, &zero, bits_u64(2, 32));
    assert_true(term_eval(t, m, f, &v) && bits_low(v) == 1);
    assert_true(term_eval(t, m, g, &v) && bits_low(v) == 2);
    term_model_free(m);

    struct buf script = BUF_INIT;
    term differ = term_not(t, term_eq(t, x, y));
    term_smtlib_script(&script, t, &differ, 1, false, false);
    struct terms *other = terms_new();
    struct error err = {0};
    term back = term_smtlib_read_script(other, buf_text(&script), script.len, &err);
    assert_true(back != TERM_NONE && !term_is_const(other, back));
    buf_free(&script);
    terms_free(other);
    terms_free(t);
}

static void test_addresses_split_into_base_and_offset(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term sp = term_var(t, "sp", 64), i = term_var(t, "i", 64), base;
    uint64_t offset;
    term a = term_bin(t, OP_SUB, term_add_const(t, sp, 100), num(t, 108));
    term_split(t, a, &base, &offset);
    assert_int_equal(base, sp);
    assert_int_equal(offset, (uint64_t)-8);
    /* sp + (i + 1) * 4 */
    a = term_bin(t, OP_ADD, sp, term_bin(t, OP_SHL, term_add_const(t, i, 1), num(t, 2)));
    term_split(t, a, &base, &offset);
    assert_int_equal(offset, 4);
    assert_int_equal(base, term_bin(t, OP_ADD, term_bin(t, OP_MUL, i, num(t, 4)), sp));
    term_split(t, num(t, 0x1000), &base, &offset);
    assert_int_equal(base, TERM_NONE);
    assert_int_equal(offset, 0x1000);
    terms_free(t);
}

/* What different instruction selections of one source compute is one term. */
static void test_compiled_idioms_meet(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32), zero = term_const(t, 32, 0);
    /* lea (x,x,4) and imul 5 and shl+add */
    term five = term_bin(t, OP_MUL, x, term_const(t, 32, 5));
    assert_int_equal(term_bin(t, OP_ADD, term_bin(t, OP_SHL, x, term_const(t, 32, 2)), x), five);
    /* test x, x; jz and cmp x, 0; je */
    assert_int_equal(term_eq(t, term_and(t, x, x), zero), term_eq(t, x, zero));
    assert_int_equal(term_eq(t, term_bin(t, OP_SUB, x, y), zero), term_eq(t, x, y));
    /* setcc; movzx; test */
    term lt = term_bin(t, OP_SLT, x, y);
    term set = term_zext(t, term_ite(t, lt, term_const(t, 8, 1), term_const(t, 8, 0)), 32);
    assert_int_equal(term_not(t, term_eq(t, set, zero)), lt);
    /* sar 31; xor; sub is what neg does for x < 0 */
    term sign = term_bin(t, OP_ASHR, x, term_const(t, 32, 31));
    assert_int_equal(sign, term_sext(t, term_bin(t, OP_SLT, x, zero), 32));
    /* cdq: the double-width dividend */
    assert_int_equal(term_concat(t, sign, x), term_sext(t, x, 64));
    /* upper half untouched */
    term wide = term_var(t, "wide", 64);
    term al = term_concat(t, term_extract(t, wide, 8, 56), term_extract(t, wide, 0, 8));
    assert_int_equal(al, wide);
    /* -x - 1, ~x, x ^ -1 */
    term inv = term_un(t, OP_NOT, x);
    assert_int_equal(term_add_const(t, term_un(t, OP_NEG, x), 0xffffffff), inv);
    assert_int_equal(term_bin(t, OP_XOR, x, term_const(t, 32, 0xffffffff)), inv);
    terms_free(t);
}

static void test_text(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 64), y = term_var(t, "y", 64), sp = term_var(t, "sp", 64);
    term mem = term_array_var(t, "mem", 64, 8), b = term_var(t, "b", 1);
    prints(t, num(t, 17), "17");
    prints(t, num(t, 0x12345), "0x12345");
    prints(t, num(t, (uint64_t)-8), "-8");
    prints(t, term_true(t), "true");
    prints(t, term_add_const(t, sp, (uint64_t)-8), "sp - 8");
    prints(t, term_read(t, mem, term_add_const(t, sp, (uint64_t)-8), 32), "mem32[sp - 8]");
    prints(t, term_read(t, term_write(t, mem, y, x), sp, 32), "mem32@1[sp] where mem@1 = mem[y :64= x]");
    prints(t, term_bin(t, OP_SLT, x, num(t, 10)), "x <s 10");
    prints(t, term_bin(t, OP_SLT, x, num(t, 0)), "x <s 0");
    prints(t, term_bin(t, OP_ULE, num(t, 10), x), "x >= 10");
    prints(t, term_not(t, term_eq(t, x, y)), "x != y");
    prints(t, term_ite(t, b, x, y), "b ? x : y");
    prints(t, term_extract(t, x, 0, 8), "u8(x)");
    prints(t, term_extract(t, x, 8, 8), "x[15:8]");
    prints(t, term_sext(t, term_extract(t, x, 0, 32), 64), "s64(u32(x))");
    prints(t, term_bin(t, OP_LSHR, x, num(t, 3)), "x >> 3");
    prints(t, term_bin(t, OP_SHL, x, num(t, 8)), "x << 8");
    prints(t, term_bin(t, OP_MUL, term_bin(t, OP_ADD, x, y), sp), "sp * (x + y)");
    prints(t, term_bin(t, OP_SUB, x, term_bin(t, OP_UDIV, y, sp)), "x - y / sp");
    term kid[2] = {x, term_bin(t, OP_ADD, x, y)};
    prints(t, term_apply(t, "f", 64, kid, 2), "f(x, x + y)");
    terms_free(t);
}

static void test_text_of_shared_terms_is_linear(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 64);
    for (unsigned i = 0; i < 200; i++) {
        term kid[2] = {x, x};
        x = term_apply(t, "f", 64, kid, 2);
    }
    struct buf b = BUF_INIT;
    term_print(&b, t, x);
    assert_true(b.len > 500 && b.len < 20000);
    buf_free(&b);
    terms_free(t);
}

static void test_substitution_is_simultaneous_and_simplifies(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32);
    term e = term_bin(t, OP_SUB, x, y), from[2] = {x, y}, to[2] = {y, x};
    assert_int_equal(term_substitute(t, e, from, to, 2), term_bin(t, OP_SUB, y, x));
    to[0] = to[1] = x;
    assert_int_equal(term_substitute(t, e, from, to, 2), term_const(t, 32, 0));
    term mem = term_array_var(t, "mem", 32, 8);
    term r = term_read(t, term_write(t, mem, x, term_const(t, 8, 7)), y, 8);
    assert_int_equal(term_substitute(t, r, from, to, 2), term_const(t, 8, 7));
    assert_int_equal(term_substitute(t, r, &mem, &mem, 1), r);
    term symbol[4];
    assert_int_equal(term_symbols(t, r, symbol, 4), 3);
    assert_int_equal(symbol[0], mem);
    assert_int_equal(symbol[1], x);
    assert_int_equal(symbol[2], y);
    terms_free(t);
}

struct walk {
    term seen[8];
    size_t n, most;
};

static bool see(void *ctx, term x)
{
    struct walk *w = ctx;
    w->seen[w->n++] = x;
    return w->n == w->most;
}

static void test_walks(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32), z = term_var(t, "z", 32);
    term e = term_bin(t, OP_SUB, x, y), of[] = {e, TERM_NONE, y, z};
    struct walk all = {.most = 8}, some = {.most = 2};
    assert_false(term_any_of(t, of, 4, see, &all));
    assert_int_equal(all.n, 4); /* y once */
    assert_int_equal(all.seen[0], e);
    assert_int_equal(all.seen[3], z);
    assert_true(term_any_of(t, of, 4, see, &some));
    assert_int_equal(some.n, 2);
    assert_false(term_any_of(t, of, 0, see, &some));
    terms_free(t);
}

struct nested {
    struct terms *t;
    term below, other; /* asked about, and substituted in, at every node */
    size_t found, made;
};

/* At every node another walk begins, and terms are made. */
static bool walk_again(void *ctx, term x)
{
    struct nested *n = ctx;
    n->found += term_any(n->t, x, term_is_that, &n->below);
    for (uint64_t i = 1; i <= 100; i++)
        n->other = term_bin(n->t, OP_MUL, n->other, term_add_const(n->t, n->below, i));
    n->made += term_substitute(n->t, x, &n->below, &n->other, 1) != x;
    return false;
}

static void test_walks_in_walks(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32), z = term_var(t, "z", 32);
    term e = term_bin(t, OP_MUL, term_bin(t, OP_SUB, x, y), z);
    struct nested n = {.t = t, .below = y, .other = y};
    size_t nodes = term_size(t, e), above = 0;
    term both[] = {e, term_bin(t, OP_SUB, x, y), y};
    assert_false(term_any(t, e, walk_again, &n));
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        above += term_any(t, both[i], term_is_that, &y);
    assert_int_equal(above, 3);
    assert_true(n.found >= above);
    assert_true(n.found < nodes); /* x and z are asked about, too, and y is not in them */
    assert_int_equal(n.made, n.found);
    assert_int_equal(term_size(t, e), nodes);
    terms_free(t);
}

struct leaves {
    struct terms *t;
    unsigned asked;
    term stop;
};

static term plus_one(void *ctx, term x)
{
    struct leaves *l = ctx;
    assert_int_not_equal(term_kind(l->t, x), OP_ITE);
    l->asked++;
    return term_bin(l->t, OP_ADD, x, term_const(l->t, 32, 1));
}

static enum term_visit count_parts(void *ctx, term x)
{
    struct leaves *l = ctx;
    l->asked++;
    return x == l->stop ? TERM_STOP : term_kind(l->t, x) == OP_ITE ? TERM_INTO : TERM_PAST;
}

static bool count_until(void *ctx, term x)
{
    struct leaves *l = ctx;
    l->asked++;
    return x == l->stop;
}

/* Values that are chosen again and again: as many ways lead to them as no time suffices for. */
static void test_choices_are_walked_once(void **state)
{
    (void)state;
    enum { LEVELS = 80 };
    struct terms *t = terms_new();
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32), a = x, b = y, from[LEVELS + 2], to[LEVELS + 2];
    char name[16];
    for (unsigned i = 0; i < LEVELS; i++) {
        snprintf(name, sizeof name, "c%u", i);
        term c = term_var(t, name, 1), next = term_ite(t, c, a, b);
        from[i] = c;
        to[i] = term_const(t, 1, i % 3 == 0);
        b = term_ite(t, c, b, a);
        a = next;
    }
    struct leaves l = {.t = t, .stop = TERM_NONE};
    term chosen = term_choose(t, a, plus_one, &l);
    assert_int_equal(l.asked, 2);
    from[LEVELS] = x;
    to[LEVELS] = term_const(t, 32, 5);
    from[LEVELS + 1] = y;
    to[LEVELS + 1] = term_const(t, 32, 7);
    term before = term_substitute(t, a, from, to, LEVELS + 2),
         after = term_substitute(t, chosen, from, to, LEVELS + 2);
    assert_true(term_is_const(t, before));
    assert_int_equal(term_bin(t, OP_ADD, before, term_const(t, 32, 1)), after);
    l.asked = 0;
    assert_false(term_visit_parts(t, a, count_parts, &l));
    assert_true(l.asked >= LEVELS && l.asked <= 2 * LEVELS + 2);
    l.stop = y;
    assert_true(term_visit_parts(t, a, count_parts, &l));
    struct map known = {0};
    l = (struct leaves){.t = t, .stop = x};
    assert_true(term_any_of_many(t, a, &known, count_until, &l));
    assert_true(term_any_of_many(t, b, &known, count_until, &l));
    assert_true(l.asked >= LEVELS && l.asked <= 3 * LEVELS + 2);
    l.asked = 0;
    assert_true(term_any_of_many(t, a, &known, count_until, &l));
    assert_int_equal(l.asked, 0);
    assert_false(term_any_of_many(t, y, &known, count_until, &l));
    assert_false(term_any_of_many(t, TERM_NONE, &known, count_until, &l));
    map_free(&known);
    l = (struct leaves){.t = t, .stop = x};
    assert_false(
        term_visit_parts(t, term_bin(t, OP_ADD, x, y), count_parts, &l)); /* its kids are not asked */
    assert_int_equal(l.asked, 1);
    terms_free(t);
}

static void collect(void *ctx, term symbol, struct bits value)
{
    term **next = ctx;
    assert_true(bits_low(value) != 99);
    *(*next)++ = symbol;
}

static struct bits twice(const struct bits *arg)
{
    return bits_u64(bits_low(arg[0]) * 2, 8);
}

static void test_models(void **state)
{
    (void)state;
    static const struct pure meant = {
        .name = "twice", .width = 8, .arg_width = {8}, .nargs = 1, .eval = twice};
    static const struct pure unknown = {.name = "odd", .width = 8, .arg_width = {8}, .nargs = 1};
    struct terms *t = terms_new();
    struct term_model *m = term_model_new();
    term x = term_var(t, "x", 8), a = term_var(t, "a", 8), mem = term_array_var(t, "mem", 64, 8);
    struct bits v, arg[1];
    term_model_set(m, x, bits_u64(5, 8));
    term_model_set(m, a, bits_u64(6, 8));
    term_model_set_function_default(m, "f", bits_u64(1, 8));
    arg[0] = bits_u64(5, 8);
    term_model_set_function(m, "f", arg, 1, bits_u64(77, 8));
    term_model_set_function(m, "odd", arg, 1, bits_u64(78, 8));
    assert_true(term_eval(t, m, term_apply(t, "f", 8, &x, 1), &v));
    assert_int_equal(bits_low(v), 77);
    assert_true(term_eval(t, m, term_apply(t, "f", 8, &a, 1), &v));
    assert_int_equal(bits_low(v), 1);
    assert_true(term_eval(t, m, term_pure(t, &meant, &x), &v));
    assert_int_equal(bits_low(v), 10);
    assert_true(term_eval(t, m, term_pure(t, &unknown, &x), &v));
    assert_int_equal(bits_low(v), 78);
    term seven = term_const(t, 8, 7);
    assert_int_equal(term_pure(t, &meant, &seven), term_const(t, 8, 14));
    /* what is not in the model is zero */
    assert_true(term_eval(t, m, term_var(t, "other", 8), &v));
    assert_true(bits_is_zero(v));
    term_model_set_default(m, mem, bits_u64(0x11, 8));
    term_model_set_cell(m, mem, 1, bits_u64(0x22, 8));
    assert_true(term_eval(t, m, term_read(t, mem, term_const(t, 64, 0), 24), &v));
    assert_int_equal(bits_low(v), 0x112211);
    /* a function that returns memory is unknown until the model says what it is */
    term after = term_apply_array(t, "call", 64, 8, &mem, 1),
         r = term_read(t, after, term_const(t, 64, 0), 8);
    term late = term_apply_array(t, "call", 64, 8, &after, 1);
    assert_false(term_eval(t, m, r, &v));
    /* but where it is not looked at it does not matter */
    term c = term_var(t, "c", 1);
    term_model_set(m, c, bits_u64(0, 1));
    assert_true(term_eval(t, m, term_ite(t, c, r, x), &v));
    assert_int_equal(bits_low(v), 5);
    term_model_set_cell(m, after, 0, bits_u64(0x33, 8));
    assert_true(term_eval(t, m, r, &v));
    assert_int_equal(bits_low(v), 0x33);
    /* one that holds what another does */
    term_model_set_array(m, late, term_array_var(t, "nowhere", 64, 8));
    assert_false(term_eval(t, m, term_read(t, late, term_const(t, 64, 0), 8), &v));
    term_model_set_array(m, late, after);
    assert_true(term_eval(t, m, term_read(t, late, term_const(t, 64, 0), 8), &v));
    assert_int_equal(bits_low(v), 0x33);
    term seen[8], *next = seen;
    term_model_each(t, m, collect, &next);
    assert_int_equal(next - seen, 3);
    assert_int_equal(seen[0], a);
    assert_int_equal(seen[1], c);
    assert_int_equal(seen[2], x);
    term_model_free(m);
    terms_free(t);
}

static void test_completed_models(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct term_model *m = term_model_new();
    struct bits v;
    term mem = term_array_var(t, "mem", 64, 8), p = term_var(t, "p", 64);
    term_model_set(m, p, bits_u64(0x1000, 64));
    term written = term_write(t, mem, term_const(t, 64, 0x2000), term_const(t, 8, 7));
    term after = term_apply_array(t, "call", 64, 8, &written, 1);
    term word = term_read(t, after, p, 16), byte = term_read(t, after, term_const(t, 64, 0x2000), 8);
    assert_false(term_eval(t, m, word, &v));
    /* a callee of which nothing is said leaves memory as it was */
    struct term_model *kept = term_model_copy(m);
    term_model_keep_arrays(kept);
    assert_true(term_eval(t, kept, byte, &v));
    assert_int_equal(bits_low(v), 7);
    /* what is read gets a value where nothing was written */
    assert_true(term_model_set_read(t, kept, word, bits_u64(0xabcd, 16)));
    assert_true(term_eval(t, kept, word, &v));
    assert_int_equal(bits_low(v), 0xabcd);
    assert_true(term_eval(t, kept, term_read(t, mem, term_const(t, 64, 0x1001), 8), &v));
    assert_int_equal(bits_low(v), 0xab);
    assert_false(term_model_set_read(t, kept, byte, bits_u64(8, 8)));
    /* a copy is a model of its own */
    assert_false(term_eval(t, m, word, &v));
    term_model_free(kept);
    assert_true(term_eval(t, m, p, &v));
    assert_int_equal(bits_low(v), 0x1000);
    term_model_free(m);
    terms_free(t);
}

/* 200,000 levels: nothing may recurse over them. */
static void test_deep_terms(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term v = term_var(t, "v", 64), w = term_var(t, "w", 64), x = v, mem = term_array_var(t, "mem", 64, 8),
         m = mem;
    for (unsigned i = 0; i < 200000; i++) {
        switch (i % 5) {
        case 0:
            x = term_bin(t, OP_UDIV, x, w);
            break;
        case 1:
            x = term_bin(t, OP_ADD, x, w);
            break;
        case 2:
            x = term_bin(t, OP_XOR, x, v);
            break;
        case 3:
            x = term_ite(t, term_bin(t, OP_ULT, x, v), x, w);
            break;
        default:
            x = term_bin(t, OP_MUL, x, v);
            break;
        }
    }
    for (unsigned i = 0; i < 50000; i++)
        m = term_write(t, m, term_bin(t, OP_MUL, v, num(t, 2 * i + 3)), v);
    struct bits value;
    struct term_model *model = term_model_new();
    term_model_set(model, v, bits_u64(3, 64));
    term_model_set(model, w, bits_u64(7, 64));
    assert_true(term_size(t, x) > 100000);
    assert_true(term_eval(t, model, x, &value));
    assert_true(term_eval(t, model, term_read(t, m, w, 64), &value));
    term_known(t, x);
    term low = term_extract(t, x, 0, 8), sum = term_bin(t, OP_ADD, x, x);
    assert_true(term_eval(t, model, low, &value));
    assert_true(term_eval(t, model, sum, &value));
    assert_true(term_eval(t, model, term_not(t, term_eq(t, x, w)), &value));
    term y = term_substitute(t, x, &v, &w, 1);
    assert_int_equal(term_symbols(t, y, NULL, 0), 1);
    struct buf b = BUF_INIT;
    term_print(&b, t, x);
    assert_true(b.len > 200000);
    buf_clear(&b);
    term_print(&b, t, m);
    assert_true(b.len > 200000);
    buf_free(&b);
    term_model_free(model);
    terms_free(t);
}

/* A formula of and, or, not this deep is negated, and a sum of sums shared twice at each level is cut to its
 * low byte: rewriting must neither run over the stack nor take exponential time. */
static void test_rewriting_is_bounded(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term f = term_var(t, "f", 1), s = term_var(t, "s", 64);
    for (unsigned i = 0; i < 100000; i++) {
        term b = term_fresh(t, "b", 1);
        f = i % 2 ? term_and(t, f, b) : term_or(t, f, b);
    }
    term g = term_not(t, f);
    struct term_model *m = term_model_new();
    struct bits a, b;
    assert_true(term_eval(t, m, f, &a) && term_eval(t, m, g, &b));
    assert_true(bits_bit(a, 0) != bits_bit(b, 0));
    for (unsigned i = 0; i < 300; i++) {
        term k = term_fresh(t, "k", 64);
        s = term_bin(t, OP_ADD, term_bin(t, OP_MUL, s, k), term_bin(t, OP_AND, s, k));
    }
    assert_true(term_eval(t, m, term_extract(t, s, 0, 8), &a));
    term_model_free(m);
    terms_free(t);
}

static void test_rules_can_be_switched_off(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    term x = term_var(t, "x", 8);
    size_t rule = 0;
    while (term_rule(rule).text[0] == 0 || __builtin_strcmp(term_rule(rule).name, "not_not") != 0)
        rule++;
    terms_rule_enable(t, rule, false);
    assert_int_not_equal(term_not(t, term_not(t, x)), x);
    assert_int_equal(terms_rule_fired(t, rule), 0);
    terms_rule_enable(t, rule, true);
    assert_int_equal(term_not(t, term_not(t, x)), x);
    assert_int_equal(terms_rule_fired(t, rule), 1);
    struct terms_stats s = terms_stats(t);
    assert_true(s.nodes == terms_count(t) && s.lookups >= s.nodes && s.rewrites > 0 && s.bytes > 0);
    terms_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_expression_is_same_number),
        cmocka_unit_test(test_origin_is_identity),
        cmocka_unit_test(test_addresses_split_into_base_and_offset),
        cmocka_unit_test(test_compiled_idioms_meet),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_of_shared_terms_is_linear),
        cmocka_unit_test(test_substitution_is_simultaneous_and_simplifies),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_walks_in_walks),
        cmocka_unit_test(test_choices_are_walked_once),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_completed_models),
        cmocka_unit_test(test_deep_terms),
        cmocka_unit_test(test_rewriting_is_bounded),
        cmocka_unit_test(test_rules_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
