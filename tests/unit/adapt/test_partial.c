/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What circuits say of words with unknown bits holds for every way to fill these in, and of known words it is what
 * the terms mean. */
#include "test.h"

#include "adapt/partial.h"

enum { ARGS = 3, TERMS = 24, WIDTH = 8 };

static uint64_t next(uint64_t *seed)
{
    return *seed = hash_u64(*seed + 1);
}

/* A term of the arguments, of the width. */
static term some_term(struct terms *t, uint64_t *seed, const term *arg)
{
    static const enum op two[] = {OP_ADD, OP_SUB,  OP_MUL,  OP_AND,  OP_OR,   OP_XOR, OP_SHL,
                                  OP_LSHR, OP_ASHR, OP_UDIV, OP_UREM, OP_SDIV, OP_SREM};
    static const enum op compare[] = {OP_EQ, OP_ULT, OP_ULE, OP_SLT, OP_SLE};
    static const enum op one[] = {OP_NOT, OP_NEG, OP_CLZ, OP_CTZ, OP_POPCNT};
    term made[TERMS + ARGS];
    for (unsigned i = 0; i < ARGS; i++)
        made[i] = arg[i];
    for (unsigned n = ARGS; n < TERMS + ARGS; n++) {
        uint64_t r = next(seed);
        term x = made[(r >> 8) % n], y = made[(r >> 16) % n], z = made[(r >> 24) % n];
        switch (r % 8) {
        case 0:
            made[n] = term_const(t, WIDTH, r >> 32);
            break;
        case 1:
            made[n] = term_ite(t, term_bin(t, compare[(r >> 32) % 5], x, y), y, z);
            break;
        case 2:
            made[n] = term_un(t, one[(r >> 32) % 5], x);
            break;
        case 3:
            made[n] = (r >> 40 & 1 ? term_sext : term_zext)(t, term_extract(t, x, (r >> 32) % 4, 3), WIDTH);
            break;
        case 4:
            made[n] = term_concat(t, term_extract(t, x, 2, 4), term_extract(t, y, 0, 4));
            break;
        default:
            made[n] = term_bin(t, two[(r >> 32) % 13], x, y);
        }
    }
    return made[TERMS + ARGS - 1];
}

static uint64_t value_of(struct terms *t, term x, const term *arg, const uint64_t *value)
{
    term to[ARGS];
    uint64_t out = 0;
    for (unsigned i = 0; i < ARGS; i++)
        to[i] = term_const(t, WIDTH, value[i]);
    assert_true(term_const_u64(t, term_substitute(t, x, arg, to, ARGS), &out));
    return out;
}

static void test_right(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned said = 0;
    for (unsigned round = 0; round < 400; round++) {
        struct terms *t = terms_new();
        term arg[ARGS] = {term_var(t, "a", WIDTH), term_var(t, "b", WIDTH), term_var(t, "c", WIDTH)};
        struct circuit c;
        term x = some_term(t, &seed, arg);
        assert_true(circuit_make(&c, t, x, arg, ARGS));
        struct partial given[ARGS];
        uint64_t value[ARGS];
        for (unsigned i = 0; i < ARGS; i++) {
            uint64_t r = next(&seed);
            given[i].known = round % 4 ? r & (r >> 8 | r >> 16) & 0xff : 0xff;
            given[i].value = r >> 32 & given[i].known;
        }
        struct partial is = circuit_run(&c, given, NULL, NULL, NULL);
        said += round % 4 && is.known;
        assert_int_equal(is.value & ~is.known, 0);
        for (unsigned fill = 0; fill < 20; fill++) {
            for (unsigned i = 0; i < ARGS; i++)
                value[i] = given[i].value | (next(&seed) & 0xff & ~given[i].known);
            uint64_t want = value_of(t, x, arg, value);
            assert_int_equal(want & is.known, is.value);
            assert_int_equal(circuit_number(&c, value), want);
        }
        if (round % 4 == 0)
            assert_int_equal(is.known, 0xff);
        circuit_free(&c);
        terms_free(t);
    }
    assert_true(said > 100); /* it does say something */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
