/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same functions as bitcode on our interpreter and as machine code on this processor. Arguments: modules.
 */
#include <stdio.h>
#include <string.h>

#include "play.h"
#include "test.h"

enum { RUNS = 24 };

typedef uint64_t case_fn(uint64_t a, uint64_t b, uint64_t *p);
struct test_case {
    const char *name;
    case_fn *run;
};
/* The linker gathers what corpus.c puts into the section `cases`. */
extern const struct test_case __start_cases[], __stop_cases[];

#define ODD(X)                                                                                               \
    X(odd_wide_multiply)                                                                                     \
    X(odd_wide_constant)                                                                                     \
    X(odd_saturate) X(odd_funnel) X(odd_extremes) X(odd_switch) X(odd_phis) X(odd_exit_value)                \
        X(odd_aggregates) X(odd_mask_memory) X(odd_vector_bits) X(odd_vector_pointers) X(odd_masked)         \
            X(odd_atomics) X(odd_floats) X(odd_class) X(odd_freeze) X(odd_globals)
#define DECLARE(name) case_fn name;
ODD(DECLARE)
#undef DECLARE
static const struct test_case odd[] = {
#define ENTRY(name) {#name, name},
    ODD(ENTRY)
#undef ENTRY
};

static int nmodules;
static char **module;

/* Numbers with something at stake: small, near the ends, floats, and any. */
static uint64_t interesting(uint64_t *seed)
{
    static const uint64_t some[] = {0,
                                    1,
                                    UINT64_MAX,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x3ff0000000000000,
                                    0x7ff0000000000000,
                                    0xfff8000000000000,
                                    0x4024000040490fdb,
                                    0x80,
                                    0x7f,
                                    0xc1e0000000000000,
                                    0x0000000000000003};
    uint64_t r = test_random(seed);
    switch (test_random(seed) % 5) {
    case 0:
        return some[r % (sizeof some / sizeof *some)];
    case 1:
        return r % 256;
    case 2:
        return 0x4000000000000000 + (r >> 3) % 0x0200000000000000;
    case 3:
        return r >> (test_random(seed) % 64);
    default:
        return r;
    }
}

static unsigned compare(struct play *p, const struct test_case *c, const char *file, uint64_t *seed)
{
    unsigned bad = 0;
    for (int i = 0; i < RUNS && !bad; i++) {
        uint64_t a = interesting(seed), b = interesting(seed), got = 0;
        _Alignas(64) uint64_t words[PLAY_WORDS];
        uint64_t ours[PLAY_WORDS];
        char why[256] = "";
        for (int k = 0; k < PLAY_WORDS; k++)
            words[k] = interesting(seed);
        memcpy(ours, words, sizeof ours);
        uint64_t want = c->run(a, b, words);
        bool ran = play_call(p, c->name, a, b, ours, &got, why);
        if (ran && got == want && memcmp(words, ours, sizeof ours) == 0)
            continue;
        print_error("%s: %s(%#llx, %#llx): ", file, c->name, (unsigned long long)a, (unsigned long long)b);
        if (!ran)
            print_error("%s\n", why);
        else if (got != want)
            print_error("%#llx, not %#llx\n", (unsigned long long)got, (unsigned long long)want);
        else
            print_error("leaves other memory\n");
        bad++;
    }
    return bad;
}

static void same_as_native(void **state)
{
    (void)state;
    unsigned bad = 0, ran = 0;
    for (int i = 0; i < nmodules; i++) {
        struct error err = {0};
        struct bitcode *m = bitcode_open(module[i], &err);
        if (!m)
            fail_msg("%s", err.text);
        struct play *p = play_new(m);
        uint64_t seed = 0x9e3779b97f4a7c15;
        bool has_odd = bitcode_function(m, odd[0].name, NULL) != NULL;
        const struct test_case *c = has_odd ? odd : __start_cases,
                               *end = has_odd ? odd + sizeof odd / sizeof *odd : __stop_cases;
        for (; c < end; c++) {
            if (!bitcode_function(m, c->name, NULL))
                continue;
            bad += compare(p, c, module[i], &seed);
            ran++;
        }
        play_free(p);
        bitcode_free(m);
    }
    print_message("%u functions of %d modules, %d runs each\n", ran, nmodules, RUNS);
    assert_int_equal(bad, 0);
    assert_true(ran > 300);
}

int main(int argc, char **argv)
{
    nmodules = argc - 1;
    module = argv + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_native)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
