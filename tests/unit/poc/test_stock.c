/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are copies of a program which stands ready are as those that start it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "flow/flow.h"
#include "run/scratch.h"
#include "run/watch.h"
#include "test.h"

static struct program *program;
static struct scratch scratch;

static struct run_target target(struct process_stock *stock)
{
    return (struct run_target){.m = program_machine(program),
                               .program = STOCK_PROGRAM,
                               .entry = object_info(program_object(program))->entry,
                               .scratch = scratch.path,
                               .stock = stock,
                               .limits = {.time_ms = 600000, .output = 1 << 20}};
}

/* What it prints; *code: how it ends. */
static char *run(struct run_target t, const char *first, const char *second, const char *input, int *code)
{
    struct watch_run w;
    struct error err;
    t.argument = (const char *const[]){first, second};
    t.narguments = 2;
    t.input = input;
    const bool ok = watch_run(&t, NULL, 0, &w, &err);
    *code = ok && w.end == WATCH_EXIT ? w.code : -1;
    char *text = ok ? strdup(w.text[0]) : strdup("no end");
    if (ok)
        watch_run_free(&w);
    return text;
}

static const char *file_with(const char *name, const char *text)
{
    static char path[2][128];
    char *p = path[*name == 'b'];
    snprintf(p, sizeof path[0], "%s/%s", scratch.path, name);
    FILE *f = fopen(p, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return p;
}

static void test_copies(void **state)
{
    (void)state;
    struct process_stock *stock = process_stock_new();
    const char *a = file_with("a", "some\ntext\n"), *b = file_with("b", "other");
    const struct {
        const char *first, *second, *input;
    } given[] = {{"1", "2", NULL}, {"", "a longer argument than there was", NULL}, {"-", "x", a}, {"-", "y", b}, {"end", "", NULL},
                 {"1", "2", NULL}, {"3", "4", a}, {"more than sixty-four characters need a place of another size, as they do", "", NULL}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        int code[2];
        char *text[2];
        for (unsigned k = 0; k < 2; k++)
            text[k] = run(target(k ? stock : NULL), given[i].first, given[i].second, given[i].input, &code[k]);
        assert_string_equal(text[0], text[1]);
        assert_int_equal(code[0], code[1]);
        assert_true(strstr(text[0], "1234567 1 ") || strcmp(given[i].first, "end") == 0);
        free(text[0]);
        free(text[1]);
    }
    process_stock_free(stock);
}

/* A copy may be of a program that is another one in some bytes. */
static void test_patched_copies(void **state)
{
    (void)state;
    static const uint8_t was[] = {0x67, 0x45, 0x23, 0x01}, is[] = {0x21, 0x43, 0x65, 0x07};
    struct process_stock *stock = process_stock_new();
    struct run_target t = target(stock);
    const struct object_segment *s;
    struct run_patch patch = {.byte = is, .n = sizeof is};
    size_t n = object_segments(program_object(program), &s), there;
    for (size_t i = 0; i < n && !patch.address; i++) {
        const uint8_t *p = object_bytes(program_object(program), s[i].address, &there), *found;
        if (p && s[i].exec && (found = memmem(p, s[i].size < there ? s[i].size : there, was, sizeof was)))
            patch.address = s[i].address + (uint64_t)(found - p);
    }
#if defined __x86_64__
    assert_true(patch.address);
    t.like = STOCK_PROGRAM;
    t.patch = &patch;
    t.npatches = 1;
    int code;
    for (unsigned k = 0; k < 2; k++) {
        char *text = run(t, "1", "2", NULL, &code);
        assert_non_null(strstr(text, "7654321"));
        assert_int_equal(code, 3);
        free(text);
    }
    char *text = run(target(stock), "1", "2", NULL, &code);
    assert_non_null(strstr(text, "1234567"));
    free(text);
#endif
    process_stock_free(stock);
}

/* Who is forked from the process that fills a stock begins with an empty one. */
static void test_stock_of_a_child(void **state)
{
    (void)state;
    struct process_stock *stock = process_stock_new();
    int code;
    free(run(target(stock), "1", "2", NULL, &code));
    pid_t pid = fork();
    if (!pid) {
        free(run(target(stock), "1", "2", NULL, &code));
        process_stock_clear(stock);
        _exit(code);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    free(run(target(stock), "1", "2", NULL, &code));
    assert_int_equal(code, 3);
    process_stock_free(stock);
}

int main(void)
{
    struct error err;
    program = program_open(STOCK_PROGRAM, &(struct program_options){.object = {.no_debug = true}}, &err);
    if (!program || !scratch_open(&scratch, &err))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_patched_copies),
                                       cmocka_unit_test(test_stock_of_a_child)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_close(&scratch);
    program_free(program);
    return failed;
}
