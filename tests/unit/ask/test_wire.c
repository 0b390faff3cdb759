/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker says arrives as it was said; what is cut off or wrong is refused, and never read past its
 * end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ask/facts.h"
#include "ask/present.h"
#include "ask/verify.h"

/* One of everything that an answer about a function can have. */
static struct ask_verified everything(void)
{
    static const struct verify_input input[] = {{"arg0", "0x7"}, {"mem[arg1]", "\"abc\""}};
    static const struct verify_access access[] = {{"total", "0x1", true}};
    static const struct verify_step step[] = {{0x1000, input, 1, access, 1}, {0, NULL, 0, NULL, 0}};
    static const uint64_t trace[] = {0x1000, 0x1010};
    static const struct verify_difference difference[] = {{.property = VERIFY_P3,
                                                           .question = VERIFY_Q5,
                                                           .what = "the return value",
                                                           .share = 0.25,
                                                           .share_high = 1,
                                                           .new_line = "a.c:7",
                                                           .input = input,
                                                           .ninputs = 2,
                                                           .old_trace = trace,
                                                           .nold_trace = 2,
                                                           .new_step = step,
                                                           .nnew_steps = 2,
                                                           .replay = VERIFY_REPLAYED,
                                                           .accepted = true}};
    static const struct verify_exit exit[] = {
        {.new = true, .address = 5, .by = VERIFY_BY_A, .why = "calls abort"}};
    static const struct verify_assumption assumption[] = {{"frame", "sp-8 here is sp-16 there", 3}};
    static const char *const text[] = {"one", ""};
    static const uint32_t used[] = {4, 0};
    static const struct ask_insn insn[] = {{0x1000, "ret", NULL}};
    static const struct ask_edge edge[] = {{1, "fall"}};
    static const struct ask_block block[] = {{0x1000, MATCH_BLOCK_CHANGED, MATCH_NONE, insn, 1, edge, 1}};
    return (struct ask_verified){.name = "f",
                                 .old = {"f", 0x1000, 16},
                                 .new = {"f.part", 0x2000, 17},
                                 .change = MATCH_CHANGE_DATA,
                                 .sure = 99,
                                 .result = {.verdict = VERIFY_UNSAFE,
                                            .failed = VERIFY_P3,
                                            .difference = difference,
                                            .ndifferences = 1,
                                            .naccepted = 1,
                                            .exit = exit,
                                            .nexits = 1,
                                            .assumption = assumption,
                                            .nassumptions = 1,
                                            .warning = text,
                                            .nwarnings = 2,
                                            .path_pairs = 12,
                                            .stats = {.merges = 8}},
                                 .used = used,
                                 .nused = 2,
                                 .has_graphs = true,
                                 .block = {block, NULL},
                                 .nblocks = {1, 0}};
}

static void test_round_trip(void **state)
{
    (void)state;
    struct ask_verified f = everything(), g;
    struct arena arena = ARENA_INIT;
    struct buf once = BUF_INIT, again = BUF_INIT;
    wire_put(&once, &ask_verified_type, &f);
    assert_true(wire_get(once.data, once.len, &ask_verified_type, &g, &arena));
    const struct verify_difference *d = g.result.difference;
    assert_string_equal(g.new.name, "f.part");
    assert_int_equal(g.result.verdict, VERIFY_UNSAFE);
    assert_null(g.result.reason.text);
    assert_int_equal(g.result.ndifferences, 1);
    assert_null(d->key);
    assert_true(d->share == 0.25 && d->accepted);
    assert_string_equal(d->input[1].value, "\"abc\"");
    assert_int_equal(d->old_trace[1], 0x1010);
    assert_string_equal(d->new_step[0].access[0].place, "total");
    assert_string_equal(g.result.warning[1], "");
    assert_int_equal(g.used[0], 4);
    assert_int_equal(g.block[0][0].partner, MATCH_NONE);
    assert_string_equal(g.block[0][0].successor[0].kind, "fall");
    /* and nothing was lost: it is said in the same bytes */
    wire_put(&again, &ask_verified_type, &g);
    assert_int_equal(once.len, again.len);
    assert_memory_equal(once.data, again.data, once.len);
    buf_free(&once);
    buf_free(&again);
    arena_free(&arena);
}

/* A copy that ends where the bytes do, so that the sanitizers see a read behind them. */
static bool reads(const char *bytes, size_t n)
{
    struct arena arena = ARENA_INIT;
    struct ask_verified g;
    char *exact = malloc(n ? n : 1);
    memcpy(exact, bytes, n);
    bool ok = wire_get(exact, n, &ask_verified_type, &g, &arena);
    free(exact);
    arena_free(&arena);
    return ok;
}

static void test_cut_off(void **state)
{
    (void)state;
    struct ask_verified f = everything();
    struct buf b = BUF_INIT;
    wire_put(&b, &ask_verified_type, &f);
    assert_true(reads(b.data, b.len));
    for (size_t n = 0; n < b.len; n++)
        assert_false(reads(b.data, n));
    buf_putc(&b, 0);
    assert_false(reads(b.data, b.len));
    buf_free(&b);
}

/* A byte that is another one makes another value, or none, and no crash. */
static void test_wrong_bytes(void **state)
{
    (void)state;
    struct ask_verified f = everything();
    struct buf b = BUF_INIT;
    wire_put(&b, &ask_verified_type, &f);
    for (size_t i = 0; i < b.len; i++) {
        char was = b.data[i];
        b.data[i] = (char)(was ^ 0x81);
        reads(b.data, b.len);
        b.data[i] = was;
    }
    buf_free(&b);
}

struct small {
    bool truth;
    uint8_t named;
    const char *name;
};
static const struct wire_field small_field[] = {
    WIRE_VALUE(struct small, truth),
    WIRE_ENUM(struct small, named, 3),
    WIRE_NAME(struct small, name),
};
static const struct wire_type small_type = WIRE_TYPE(struct small, small_field);

static void test_ranges(void **state)
{
    (void)state;
    struct arena arena = ARENA_INIT;
    struct buf b = BUF_INIT;
    struct small s;
    wire_put(&b, &small_type, &(struct small){true, 2, NULL});
    assert_true(wire_get(b.data, b.len, &small_type, &s, &arena));
    assert_true(s.truth);
    assert_int_equal(s.named, 2);
    assert_string_equal(s.name, ""); /* a name is never NULL */
    b.data[0] = 2;
    assert_false(wire_get(b.data, b.len, &small_type, &s, &arena));
    b.data[0] = 0;
    b.data[1] = 3;
    assert_false(wire_get(b.data, b.len, &small_type, &s, &arena));
    buf_free(&b);
    arena_free(&arena);
}

/* ---- nothing is forgotten ---- */

static size_t field_size(const struct wire_field *f)
{
    return f->kind == WIRE_STRING || f->kind == WIRE_MANY ? sizeof(void *)
           : f->kind == WIRE_PART                         ? f->type->size
                                                          : f->size;
}

/* Bytes of a struct, and of those it has inside or in lists, that no field describes. What is shorter than a
 * word may be padding. */
static size_t forgotten(const struct wire_type *t)
{
    char *seen = calloc(t->size, 1);
    size_t sum = 0, run = 0;
    for (size_t i = 0; i < t->nfields; i++) {
        const struct wire_field *f = &t->field[i];
        memset(seen + f->at, 1, field_size(f));
        if (f->kind == WIRE_MANY)
            memset(seen + f->count, 1, sizeof(size_t));
        if (f->type)
            sum += forgotten(f->type);
    }
    for (size_t i = 0; i <= t->size; i++) {
        if (i < t->size && !seen[i]) {
            run++;
            continue;
        }
        sum += run >= sizeof(void *) ? run : 0;
        run = 0;
    }
    free(seen);
    return sum;
}

/* A member that is added to a struct and not to its table would be lost between a worker and its parent. */
static void test_nothing_forgotten(void **state)
{
    (void)state;
    /* The parent makes what is at the end, the callees' verdicts, itself. */
    assert_int_equal(forgotten(&ask_verified_type),
                     sizeof(struct ask_verified) - offsetof(struct ask_verified, rests_on));
    assert_int_equal(forgotten(&ask_selection_type), 0);
    assert_int_equal(forgotten(&ask_present_result_type), 0);
    assert_int_equal(forgotten(&ask_executed_type), 0);
    assert_int_equal(forgotten(&ask_facts_type), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_wrong_bytes),       cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_nothing_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
