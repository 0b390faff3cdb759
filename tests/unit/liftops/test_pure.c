/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of pure functions, and what the named ones compute. */
#include "eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lift/vex/pure.h"

static const struct pure *named(const char *name)
{
    int i = vex_pure_index(name);
    if (i < 0)
        fail_msg("there is no %s", name);
    return &lift_pures().table[i];
}

static void every_function_is_found_by_its_name(void **state)
{
    (void)state;
    struct ir_pures pures = lift_pures();
    assert_int_equal(pures.count, VEX_PURE_COUNT_);
    for (int i = VEX_PURE_BEFORE_ + 1; i < VEX_PURE_COUNT_; i++)
        assert_int_equal(vex_pure_index(pures.table[i].name), i);
    assert_int_equal(vex_pure_index("no_such_function"), -1);
    assert_int_equal(vex_pure_index(""), -1);
    assert_int_equal(vex_pure_index("zzz"), -1);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void no_two_functions_share_a_name(void **state)
{
    (void)state;
    struct ir_pures pures = lift_pures();
    const char **name = calloc(pures.count, sizeof *name);
    assert_non_null(name);
    for (size_t i = 0; i < pures.count; i++)
        name[i] = pures.table[i].name;
    qsort(name, pures.count, sizeof *name, by_name);
    for (size_t i = 1; i < pures.count; i++)
        assert_string_not_equal(name[i - 1], name[i]);
    free(name);
}

/* Whatever the operands, results stay within their width and helpers of libVEX do not stop the process. */
static void functions_bear_any_operands(void **state)
{
    struct eval *e = *state;
    struct ir_pures pures = lift_pures();
    for (size_t i = 0; i < pures.count; i++) {
        const struct pure *p = &pures.table[i];
        assert_true(p->nargs <= PURE_MAX_ARGS && p->width >= 1 && p->width <= OP_MAX_WIDTH);
        for (int round = 0; p->eval != NULL && round < 50; round++) {
            struct bits arg[PURE_MAX_ARGS] = {{{0}}};
            for (unsigned j = 0; j < p->nargs; j++)
                arg[j] = eval_operand(e, p->arg_width[j], p->arg_width[j]);
            struct bits r = p->eval(arg);
            assert_true(bits_eq(r, bits_mask(r, p->width)));
            assert_true(bits_eq(r, p->eval(arg)));
        }
    }
}

/* Functions written in operators against the helpers of libVEX: which arguments an instruction fixes, and to what. */
static const struct {
    const char *name;
    unsigned fixed;
    uint64_t value[7];
    unsigned nvalues;
} lowered[] = {
    {"amd64g_calculate_RCL", 3, {1, 2, 4, 8, (uint64_t)-1, (uint64_t)-2, (uint64_t)-8}, 7},
    {"amd64g_calculate_RCR", 3, {1, 2, 4, 8, (uint64_t)-1, (uint64_t)-4, (uint64_t)-8}, 7},
    {"x86g_calculate_RCL", 3, {1, 2, 4}, 3},
    {"x86g_calculate_RCR", 3, {1, 2, 4}, 3},
    {"x86g_calculate_daa_das_aaa_aas", 1, {0x27, 0x2f, 0x37, 0x3f}, 4},
    {"x86g_calculate_aad_aam", 1, {0xd4, 0xd5}, 2},
    {"amd64g_calculate_FXAM", 0, {0, 1}, 2},
    {"x86g_calculate_FXAM", 0, {0, 1}, 2},
    {"amd64g_calculate_mmx_pmaddwd", 7, {0}, 1},
    {"x86g_calculate_mmx_psadbw", 7, {0}, 1},
    {"amd64g_calculate_sse_phminposuw", 7, {0}, 1},
    {"amd64g_calculate_pext", 1, {0, UINT64_MAX, 0xff00fff0, 0x8000000000000001, 0x5555}, 5},
    {"amd64g_calculate_pdep", 1, {0, UINT64_MAX, 0xff00fff0, 0x8000000000000001, 0x5555}, 5},
};

static void functions_in_operators_agree_with_the_helpers(void **state)
{
    struct eval *e = *state;
    for (size_t r = 0; r < sizeof lowered / sizeof lowered[0]; r++) {
        unsigned index = (unsigned)vex_pure_index(lowered[r].name), fixed = lowered[r].fixed;
        const struct pure *p = named(lowered[r].name);
        bool rotates = strstr(p->name, "_RC") != NULL;
        for (int round = 0; round < 400; round++) {
            struct bits arg[PURE_MAX_ARGS] = {{{0}}};
            for (unsigned i = 0; i < p->nargs; i++)
                arg[i] = strstr(p->name, "FXAM") ? eval_float_operand(e, p->arg_width[i], p->arg_width[i])
                                                 : eval_operand(e, p->arg_width[i], p->arg_width[i]);
            if (fixed < p->nargs)
                arg[fixed] = bits_u64(lowered[r].value[round % lowered[r].nvalues], p->arg_width[fixed]);
            if (rotates) {
                /* The operand comes zero-extended; a count of zero leaves the flags alone, unlike in the helper. */
                int64_t size = p->arg_width[3] == 64 ? (int64_t)arg[3].w[0] : (int32_t)arg[3].w[0];
                unsigned bytes = (unsigned)(size < 0 ? -size : size);
                arg[0] = bits_mask(arg[0], 8 * bytes);
                if ((arg[1].w[0] & (bytes == 8 ? 63 : 31)) == 0)
                    arg[1].w[0]++;
            }
            struct bits expected = p->eval(arg);
            if (!bits_eq(eval_pure(e, index, arg, 1u << fixed), expected) ||
                !bits_eq(eval_pure(e, index, arg, UINT32_MAX), expected))
                fail_msg("%s: round %d", p->name, round);
        }
    }
}

static void rotating_by_nothing_keeps_the_flags(void **state)
{
    const struct bits arg[4] = {bits_u64(0x80, 64), bits_u64(0x20, 64), bits_u64(0x8d4, 64), bits_u64((uint64_t)-1, 64)};
    assert_int_equal(eval_pure(*state, VEX_PURE_AMD64_RCR, arg, 8).w[0], 0x8d4);
}

static struct bits call(const char *name, struct bits a, struct bits b)
{
    const struct bits arg[2] = {a, b};
    return named(name)->eval(arg);
}

static struct bits vector(uint64_t high, uint64_t low)
{
    struct bits r = {{low, high}};
    return r;
}

/* FIPS 197, appendix B: the first round on the example's state. */
static void an_aes_round(void **state)
{
    (void)state;
    /* State and key bytes in memory order are the columns of the standard's figures. */
    struct bits start = vector(UINT64_C(0x0848f8e92a8dc69a), UINT64_C(0x2be2f4a0bee33d19));
    struct bits key = vector(UINT64_C(0x05766c2a3939a323), UINT64_C(0xb12c548817fefaa0));
    struct bits once = call("x86:aesenc", start, key);
    assert_true(bits_eq(once, vector(UINT64_C(0x49506a0243ea5b6b), UINT64_C(0x2b359f68f27f9ca4))));
    /* Arm splits the round: the key is added before, and mixing is an instruction of its own. */
    struct bits arm = named("arm64g_dirtyhelper_AESE")->eval(&start);
    arm = named("arm64g_dirtyhelper_AESMC")->eval(&arm);
    assert_true(bits_eq(once, vector(arm.w[1] ^ key.w[1], arm.w[0] ^ key.w[0])));
    /* Undoing it: mix columns back, then the last round of decryption without a key. */
    struct bits back = vector(once.w[1] ^ key.w[1], once.w[0] ^ key.w[0]);
    back = named("x86:aesimc")->eval(&back);
    assert_true(bits_eq(call("x86:aesdeclast", back, vector(0, 0)), start));
}

static void checksums_and_bit_fields(void **state)
{
    (void)state;
    /* CRC-32C of "123456789" is 0xe3069283, CRC-32 of it 0xcbf43926. */
    uint64_t castagnoli = UINT32_MAX, ethernet = UINT32_MAX;
    for (const char *p = "123456789"; *p; p++) {
        castagnoli = call("amd64g_calc_crc32b", bits_u64(castagnoli, 64), bits_u64((uint8_t)*p, 64)).w[0];
        ethernet = call("arm64g_calc_crc32b", bits_u64(ethernet, 64), bits_u64((uint8_t)*p, 64)).w[0];
    }
    assert_int_equal((uint32_t)~castagnoli, 0xe3069283);
    assert_int_equal((uint32_t)~ethernet, 0xcbf43926);
    assert_int_equal(call("amd64g_calculate_pext", bits_u64(0x12345678, 64), bits_u64(0xff00fff0, 64)).w[0], 0x12567);
    assert_int_equal(call("amd64g_calculate_pdep", bits_u64(0x12567, 64), bits_u64(0xff00fff0, 64)).w[0], 0x12005670);
}

/* pcmpistri $0x08 (equal each), as strcmp uses it: the index of the first byte that differs. */
static void comparing_strings(void **state)
{
    (void)state;
    struct bits arg[5] = {bits_from_bytes((const uint8_t *)"the same, then A\0", 16),
                          bits_from_bytes((const uint8_t *)"the same, then B\0", 16), bits_u64(0x6318, 64),
                          bits_u64(0, 64), bits_u64(0, 64)};
    uint64_t r = named("x86:pcmpxstrx")->eval(arg).w[0];
    assert_int_equal(r >> 16, 15);
    assert_true(r & 1); /* CF: something differs */
}

static double f64(struct bits x)
{
    double d;
    memcpy(&d, &x.w[0], sizeof d);
    return d;
}

static struct bits of_f64(double d)
{
    struct bits x = {{0}};
    memcpy(&x.w[0], &d, sizeof d);
    return x;
}

static double x87(const char *name, double a, double b)
{
    const struct bits arg[3] = {bits_u64(0, 32), of_f64(a), of_f64(b)};
    return f64(named(name)->eval(arg));
}

static unsigned x87_flags(const char *name, double a, double b)
{
    const struct bits arg[3] = {bits_u64(0, 32), of_f64(a), of_f64(b)};
    return (unsigned)named(name)->eval(arg).w[0];
}

static void x87_functions(void **state)
{
    (void)state;
    assert_true(x87("x87:sin", 1, 0) == sin(1) && x87("x87:cos", 1, 0) == cos(1) && x87("x87:tan", 1, 0) == tan(1));
    assert_true(x87("x87:sin", 0x1p70, 0) == 0x1p70);
    assert_true(x87("x87:2xm1", 1, 0) == 1 && x87("x87:2xm1", -1, 0) == -0.5);
    assert_true(x87("x87:atan", 1, 1) == M_PI_4);
    assert_true(x87("x87:yl2x", 3, 8) == 9);
    assert_true(x87("x87:yl2xp1", 3, 1) == 3);
    assert_true(x87("x87:scale", 3, 4.9) == 48 && x87("x87:scale", 3, -1.5) == 1.5);
    assert_true(isinf(x87("x87:scale", 1, 1e9)) && x87("x87:scale", 1, -1e9) == 0);
    assert_true(isnan(x87("x87:scale", 0, INFINITY)));
    /* 17 = 3 * 5 + 2: quotient 5 is binary 101, shown in C0, C3, C1. */
    assert_true(x87("x87:prem", 17, 3) == 2);
    assert_int_equal(x87_flags("x87:prem.flags", 17, 3), 1 << 8 | 1 << 9);
    assert_true(x87("x87:prem", -17, 3) == -2);
    /* To nearest the quotient is 6, binary 110. */
    assert_true(x87("x87:prem1", 17, 3) == -1);
    assert_int_equal(x87_flags("x87:prem1.flags", 17, 3), 1 << 8 | 1 << 14);
    assert_true(x87("x87:prem1", 5, 2) == 1 && x87("x87:prem1", 7, 2) == -1);
    /* Too far apart for one step: C2. */
    assert_int_equal(x87_flags("x87:prem.flags", 0x1p100, 3), 1 << 10);
    struct bits wide = named("x87:f64to80")->eval(&(struct bits){{UINT64_C(0xc000000000000000)}});
    assert_true(bits_eq(wide, vector(0xc000, UINT64_C(0x8000000000000000))));
    assert_true(f64(named("x87:f80to64")->eval(&wide)) == -2);
}

/* The architecture's example values: the reciprocal estimate of 1.0 is 0x3f7f8000. */
static void estimates(void **state)
{
    (void)state;
    struct bits one = bits_u64(0x3f800000, 32);
    assert_int_equal(named("arm:frecpe32")->eval(&one).w[0], 0x3f7f8000);
    assert_int_equal(named("arm:frsqrte32")->eval(&one).w[0], 0x3f7f8000);
    struct bits top = bits_u64(0x80000000, 32);
    assert_int_equal(named("arm:urecpe32")->eval(&top).w[0], 0xff800000);
}

static int setup(void **state)
{
    *state = eval_new(MACHINE_AMD64);
    return 0;
}

static int teardown(void **state)
{
    eval_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_found_by_its_name),
        cmocka_unit_test(no_two_functions_share_a_name),
        cmocka_unit_test(functions_bear_any_operands),
        cmocka_unit_test(functions_in_operators_agree_with_the_helpers),
        cmocka_unit_test(rotating_by_nothing_keeps_the_flags),
        cmocka_unit_test(an_aes_round),
        cmocka_unit_test(checksums_and_bit_fields),
        cmocka_unit_test(comparing_strings),
        cmocka_unit_test(x87_functions),
        cmocka_unit_test(estimates),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
