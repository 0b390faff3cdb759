/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "ask/store.h"

enum { PROCESSES = 8, ROUNDS = 25 };

/* Waits until all are there, then opens it and adds a row. */
static int one_of_several(int ready, const char *path)
{
    struct store s;
    struct error err = {0};
    char c;
    if (read(ready, &c, 1) != 0)
        return 2;
    if (!store_open(&s, path, "CREATE TABLE IF NOT EXISTS row (x INTEGER);", &err) ||
        !store_run(&s, "INSERT INTO row VALUES (1);", &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    store_close(&s);
    return 0;
}

/* With what SQLite may leave beside it. */
static void remove_all(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[80];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

/* Several that make a new store at once all get it. */
static void test_several_make_it(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_store.XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    for (int round = 0; round < ROUNDS; round++) {
        int ready[2];
        assert_int_equal(pipe(ready), 0);
        snprintf(path, sizeof path, "%s/%d.sqlite", dir, round);
        for (int i = 0; i < PROCESSES; i++)
            if (!fork()) {
                close(ready[1]);
                _exit(one_of_several(ready[0], path));
            }
        close(ready[0]);
        close(ready[1]);
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        remove_all(path);
    }
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_make_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
