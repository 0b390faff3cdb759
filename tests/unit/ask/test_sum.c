/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What answers come to, and how a question runs: in a worker, in this process, through workers below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ask/verify.h"

static void test_worst(void **state)
{
    (void)state;
    for (int a = VERIFY_SAFE; a < VERIFY_VERDICTS; a++)
        for (int b = VERIFY_SAFE; b < VERIFY_VERDICTS; b++) {
            enum verify_verdict w = ask_worst((enum verify_verdict)a, (enum verify_verdict)b);
            assert_int_equal(w == VERIFY_UNSAFE, a == VERIFY_UNSAFE || b == VERIFY_UNSAFE);
            assert_int_equal(w == VERIFY_SAFE, a == VERIFY_SAFE && b == VERIFY_SAFE);
            if (a == VERIFY_UNKNOWN || b == VERIFY_UNKNOWN) /* what is bounded does not hide it */
                assert_int_not_equal(w, VERIFY_BOUNDED);
            assert_int_equal(ask_verdict_status(w),
                             ask_worst_status(ask_verdict_status((enum verify_verdict)a),
                                              ask_verdict_status((enum verify_verdict)b)));
        }
}

/* ---- verify's answer, as it is heard ---- */

static void hear(struct ask_verify_answer *a, unsigned message, const struct wire_type *type,
                 const void *value)
{
    struct buf b = BUF_INIT;
    wire_put(&b, type, value);
    assert_true(ask_verify_hear(a, message, buf_text(&b), b.len));
    buf_free(&b);
}

static bool say_files(void *ctx, struct ask_sink *say, struct error *err)
{
    (void)ctx;
    (void)err;
    static const struct match_file old = {.path = "a", .sha256 = "1"}, new = {.path = "a", .sha256 = "2"};
    ask_say(say, PAIR_BEGUN, &wire_u64, &(uint64_t){2});
    ask_say_pair(say, &(struct match_file_pair){&old, &new, false});
    return true;
}

static bool hear_any(void *ctx, unsigned message, const char *bytes, size_t n)
{
    return ask_verify_hear(ctx, message, bytes, n);
}

static void begin(struct ask_verify_answer *a, const struct ask_verify *q)
{
    *a = (struct ask_verify_answer){.q = q};
    assert_true(ask_here(say_files, hear_any, a, NULL));
    assert_int_equal(a->file.len, 1);
}

static void say_verdict(struct ask_verify_answer *a, const char *name, enum verify_verdict v,
                        const char *rests_on)
{
    struct ask_verified f = {
        .name = name,
        .old = {.name = name, .address = a->file.len ? vec_last(&a->file).function.len : 0},
        .result = {.verdict = v}};
    if (rests_on) {
        f.result.rests_on = &rests_on;
        f.result.nrests_on = 1;
    }
    hear(a, VERIFY_SAYS_FUNCTION, &ask_verified_type, &f);
}

static void test_all_reached(void **state)
{
    (void)state;
    struct ask_verify q = {.old = "x"};
    struct ask_verify_answer a;
    const char *complaint;
    begin(&a, &q);
    a.pairs = 1;
    hear(&a, VERIFY_SAYS_SELECTION, &ask_selection_type, &(struct ask_selection){.asked = 2});
    say_verdict(&a, "f", VERIFY_SAFE, "g");
    say_verdict(&a, "g", VERIFY_SAFE, "h");
    ask_verify_sum(&a);
    assert_int_equal(a.verdict, VERIFY_SAFE);
    assert_int_equal(ask_verify_status(&a, &complaint), ASK_YES);
    assert_null(complaint);
    assert_true(a.file.data[0].function.data[0].rests_on[0].asked);
    assert_false(a.file.data[0].function.data[1].rests_on[0].asked);
    ask_verify_free(&a);
}

/* What is accepted of a callee holds for its callers, and theirs: they are not plainly safe. */
static void test_accepted_travels(void **state)
{
    (void)state;
    struct verify_word accepted = {.text = "k P2 total: 1 -> 2"};
    struct verify_knowledge know = {.accepted = &accepted, .naccepted = 1};
    struct ask_verify q = {.old = "x", .how = {.know = &know}};
    struct ask_verify_answer a;
    begin(&a, &q);
    a.pairs = 1;
    hear(&a, VERIFY_SAYS_SELECTION, &ask_selection_type, &(struct ask_selection){.asked = 5});
    say_verdict(&a, "f", VERIFY_SAFE, "g");
    say_verdict(&a, "g", VERIFY_SAFE, "h");
    struct ask_verified h = {.name = "h", .old = {.name = "h", .address = 2}, .result = {.naccepted = 1}};
    hear(&a, VERIFY_SAYS_FUNCTION, &ask_verified_type, &h);
    say_verdict(&a, "other", VERIFY_SAFE, "kk"); /* not asked about; nothing is accepted of it */
    say_verdict(&a, "last", VERIFY_SAFE, "k");   /* not asked about either, but something is */
    ask_verify_sum(&a);
    const struct ask_verified *f = a.file.data[0].function.data;
    const bool given[] = {true, true, false, false, true};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_int_equal(f[i].given_accepted, given[i]);
    assert_true(f[0].rests_on[0].given_accepted && f[1].rests_on[0].given_accepted && f[4].rests_on[0].given_accepted);
    assert_int_equal(a.count.given_accepted, 3);
    ask_verify_free(&a);
}

/* A function, a file or a selection that did not arrive makes the whole unknown: nothing is safe by default.
 */
static void test_something_missing(void **state)
{
    (void)state;
    struct ask_verify q = {.old = "x"};
    struct ask_verify_answer a;
    begin(&a, &q);
    a.pairs = 1;
    hear(&a, VERIFY_SAYS_SELECTION, &ask_selection_type, &(struct ask_selection){.asked = 2});
    say_verdict(&a, "f", VERIFY_SAFE, NULL);
    ask_verify_sum(&a);
    assert_int_equal(a.verdict, VERIFY_UNKNOWN);
    assert_string_equal(a.file.data[0].reason.data[0], "1 changed function was not reached");
    ask_verify_free(&a);

    begin(&a, &q); /* of two files one */
    hear(&a, VERIFY_SAYS_SELECTION, &ask_selection_type, &(struct ask_selection){.asked = 0});
    ask_verify_sum(&a);
    assert_int_equal(a.file.data[0].verdict, VERIFY_SAFE);
    assert_int_equal(a.verdict, VERIFY_UNKNOWN);
    ask_verify_free(&a);

    begin(&a, &q); /* nothing selected */
    a.pairs = 1;
    ask_verify_sum(&a);
    assert_int_equal(a.verdict, VERIFY_UNKNOWN);
    ask_verify_free(&a);
}

/* ---- running ---- */

struct talk {
    size_t heard, stop_after;
    bool die, fail;
    char last[16];
};

static bool talk(void *ctx, struct ask_sink *say, struct error *err)
{
    struct talk *t = ctx;
    const char *word[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        if (!ask_say(say, 7, &wire_text, &word[i]))
            return true;
    ask_flush(say);
    if (t->die)
        abort();
    return !t->fail || error_set(err, ERROR_INPUT, "no good");
}

static bool listen(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct talk *t = ctx;
    struct arena arena = ARENA_INIT;
    const char *word;
    bool ok = message == 7 && wire_get(bytes, n, &wire_text, &word, &arena);
    assert_true(ok);
    strncpy(t->last, word, sizeof t->last - 1);
    arena_free(&arena);
    return ++t->heard != t->stop_after;
}

static void put(struct talk *t, bool here, struct ask_end *end)
{
    struct ask_limits limits = {.here = here};
    struct error err = {0};
    assert_true(ask_put(talk, listen, t, &limits, 0, 0, NULL, end, &err));
}

static void test_ends(void **state)
{
    (void)state;
    struct ask_end end;
    for (int here = 0; here < 2; here++) {
        struct talk t = {0}, f = {.fail = true};
        put(&t, here, &end);
        assert_int_equal(end.outcome, WORK_DONE);
        assert_int_equal(t.heard, 3);
        assert_string_equal(t.last, "c");
        put(&f, here, &end);
        assert_int_equal(end.outcome, WORK_FAILED);
        assert_int_equal(end.err.kind, ERROR_INPUT);
        assert_string_equal(end.err.text, "no good");
        assert_int_equal(f.heard, 3);
    }
    struct talk d = {.die = true}, s = {.stop_after = 1};
    put(&d, false, &end);
    assert_int_equal(end.outcome, WORK_CRASH);
    assert_int_equal(d.heard, 3); /* what was said before it died */
    put(&s, true, &end);
    assert_int_equal(s.heard, 1);
}

/* Frames come in pieces. */
static void test_handing_on(void **state)
{
    (void)state;
    struct talk t = {0};
    struct buf frames = BUF_INIT;
    struct ask_sink below = ask_below(&frames), up = {.hear = listen, .ctx = &t};
    struct error err = {0}, wrong = {.kind = ERROR_INPUT, .text = "wrong"};
    size_t messages = 0;
    ask_say_error(&below, &wrong);
    assert_int_equal(ask_hand_on(&up, frames.data, frames.len - 1, &messages, &err), 0);
    assert_int_equal(ask_hand_on(&up, frames.data, frames.len, &messages, &err), frames.len);
    assert_int_equal(messages, 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.text, "wrong");
    buf_free(&frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worst),
        cmocka_unit_test(test_all_reached),
        cmocka_unit_test(test_accepted_travels),
        cmocka_unit_test(test_something_missing),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_handing_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
