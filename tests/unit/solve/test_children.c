/* SPDX-License-Identifier: GPL-3.0-or-later */
/* External solvers that lie, hang, crash or babble: never believed, never left behind. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "solve/solve.h"

static char home[64];    /* scripts, and what they write */
static char scratch[80]; /* TMPDIR while solvers run: must stay empty */

static int group_setup(void **state)
{
    (void)state;
    strcpy(home, "/tmp/assay-test-XXXXXX");
    if (!mkdtemp(home))
        return -1;
    snprintf(scratch, sizeof scratch, "%s/tmp", home);
    return mkdir(scratch, 0700) || setenv("TMPDIR", scratch, 1);
}

static void empty(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.')
            remove(path);
    }
    if (d)
        closedir(d);
}

static int group_teardown(void **state)
{
    (void)state;
    empty(scratch);
    empty(home);
    return rmdir(home);
}

static unsigned files_in(const char *dir)
{
    DIR *d = opendir(dir);
    unsigned n = 0;
    struct dirent *e;
    assert_non_null(d);
    while ((e = readdir(d)))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static const char *script(const char *name, const char *body)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", body);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

/* Satisfiable by one x only, which no guess finds. */
static term question(struct terms *t)
{
    term x = term_var(t, "x", 32);
    term y = term_bin(t, OP_XOR, term_bin(t, OP_MUL, x, term_const(t, 32, 0x01000193)),
                      term_const(t, 32, 0x811c9dc5));
    return term_eq(t, term_bin(t, OP_ADD, y, term_bin(t, OP_LSHR, y, term_const(t, 32, 3))),
                   term_const(t, 32, 0x1234));
}

/* No process is left. */
static void end_all(struct solver *s, struct terms *t)
{
    solver_free(s);
    terms_free(t);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void expect_unknown(const char *command, enum solve_engine engine, unsigned timeout_ms,
                           const char *reason)
{
    struct terms *t = terms_new();
    struct error err = {0};
    struct solver *s = solver_new(
        t, &(struct solve_options){.engine = engine, .command = command, .timeout_ms = timeout_ms}, &err);
    if (!s)
        fail_msg("%s", err.text);
    term q = question(t);
    struct term_model *m;
    assert_int_equal(solve_check(s, &q, 1, &m), SOLVE_UNKNOWN);
    assert_null(m);
    if (!strstr(solver_reason(s), reason))
        fail_msg("reason \"%s\" does not say \"%s\"", solver_reason(s), reason);
    assert_int_equal(solver_stats(s).unknown, 1);
    end_all(s, t);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(files_in(scratch), 0);
}

static void test_wrong_model(void **state)
{
    (void)state;
    const char *liar = script("liar", "echo sat; echo '((x #x00000007))'");
    expect_unknown(liar, SOLVE_EXTERNAL, 10000, "does not satisfy");
    struct terms *t = terms_new();
    struct solver *s =
        solver_new(t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = liar}, NULL);
    term q = question(t);
    assert_int_equal(solve_check(s, &q, 1, NULL), SOLVE_UNKNOWN);
    assert_int_equal(solver_stats(s).models_rejected, 1);
    solver_free(s);
    terms_free(t);
}

static void test_model_of_another_shape(void **state)
{
    (void)state;
    expect_unknown(script("wide", "echo sat; echo '((x #x0000000000000007))'"), SOLVE_EXTERNAL, 10000,
                   "malformed model");
    expect_unknown(script("short", "echo sat; echo '()'"), SOLVE_EXTERNAL, 10000, "malformed model");
    expect_unknown(script("none", "echo sat"), SOLVE_EXTERNAL, 10000, "without a model");
    expect_unknown(script("term", "echo sat; echo '((x (bvadd x #x00000001)))'"), SOLVE_EXTERNAL, 10000,
                   "malformed model");
}

static void test_garbage(void **state)
{
    (void)state;
    expect_unknown(script("hello", "echo hello"), SOLVE_EXTERNAL, 10000, "begins with 'hello'");
    expect_unknown(script("open", "echo '((((((('"), SOLVE_EXTERNAL, 10000, "not SMT-LIB");
    expect_unknown(script("bytes", "printf '\\001\\377\\000|'"), SOLVE_EXTERNAL, 10000, "not SMT-LIB");
    expect_unknown(script("silent", "exit 0"), SOLVE_EXTERNAL, 10000, "no answer");
    expect_unknown(script("error", "echo '(error \"no such logic\")'"), SOLVE_EXTERNAL, 10000,
                   "no such logic");
    expect_unknown(script("unsure", "echo unknown"), SOLVE_EXTERNAL, 10000, "answered unknown");
}

static void test_crash(void **state)
{
    (void)state;
    expect_unknown(script("crash", "kill -SEGV $$"), SOLVE_EXTERNAL, 10000, "signal 11");
}

static void test_babble(void **state)
{
    (void)state;
    expect_unknown(script("babble", "exec yes '(((((((((((((((((((((((((((((((((((((((((((((((((((('"),
                   SOLVE_EXTERNAL, 60000, "more than 16 MB");
}

/* True once the process is gone or only waits for its parent to notice. */
static bool is_dead(pid_t pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return true;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(f);
    return state == 'Z' || state == 'X';
}

static pid_t read_pid(const char *name)
{
    char path[160];
    int pid = 0;
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *f = fopen(path, "r");
    if (f) {
        if (fscanf(f, "%d\n", &pid) != 1 || pid <= 0)
            pid = 0;
        fclose(f);
    }
    return pid;
}

/* Waits for a condition another process brings about; the bound is for a broken build only. */
#define await(condition)                                                                                     \
    do {                                                                                                     \
        int tries_ = 0;                                                                                      \
        while (!(condition) && tries_++ < 3000)                                                              \
            poll(NULL, 0, 10);                                                                               \
        assert_true(condition);                                                                              \
    } while (0)

static void test_hang(void **state)
{
    (void)state;
    char body[256];
    snprintf(body, sizeof body, "sleep 1000 & echo $! > %s/pid; wait", home);
    const char *hang = script("hang", body);
    expect_unknown(hang, SOLVE_EXTERNAL, 500, "time limit of 500 ms");
    pid_t grandchild = read_pid("pid");
    assert_true(grandchild > 0);
    await(is_dead(grandchild));
}

static void test_race_with_bad_solvers(void **state)
{
    (void)state;
    static const char *const body[] = {"echo hello", "kill -SEGV $$", "sleep 1000",
                                       "echo sat; echo '((x #x00000007))'"};
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        struct terms *t = terms_new();
        struct solve_options opt = {
            .engine = SOLVE_RACE, .command = script("rival", body[i]), .head_start_ms = 1};
        struct solver *s = solver_new(t, &opt, NULL);
        term q = question(t);
        struct term_model *m;
        assert_int_equal(solve_check(s, &q, 1, &m), SOLVE_SAT);
        term_model_free(m);
        end_all(s, t);
        assert_int_equal(files_in(scratch), 0);
    }
}

/* What a solver does after its answer is not waited for. */
static void test_answer_is_enough(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    const char *slow = script("slow", "echo unsat; echo '(error \"no model\")'; exec sleep 1000");
    struct solver *s = solver_new(
        t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = slow, .timeout_ms = 600000}, NULL);
    term q = question(t);
    assert_int_equal(solve_check(s, &q, 1, NULL), SOLVE_UNSAT);
    solver_free(s);
    const char *model = script("model", "echo sat; printf '(('; echo 'x #x00000007))'; exec sleep 1000");
    s = solver_new(
        t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = model, .timeout_ms = 600000}, NULL);
    q = term_eq(t, term_bin(t, OP_MUL, term_var(t, "x", 32), term_var(t, "x", 32)), term_const(t, 32, 49));
    struct term_model *m = NULL;
    assert_int_equal(solve_check(s, &q, 1, &m), SOLVE_SAT);
    term_model_free(m);
    end_all(s, t);
}

/* A question Z3 does not finish in its head start is answered by whoever is first: here the other, with a
 * model. */
static void test_race_won_by_the_other(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    const char *lucky = script("lucky", "echo sat; echo '((a #xb504f32d) (b #xee6b2807))'");
    struct solver *s = solver_new(
        t, &(struct solve_options){.engine = SOLVE_RACE, .command = lucky, .timeout_ms = 60000}, NULL);
    term a = term_zext(t, term_var(t, "a", 32), 64), b = term_zext(t, term_var(t, "b", 32), 64);
    term q = term_and(
        t, term_eq(t, term_bin(t, OP_MUL, a, b), term_const(t, 64, UINT64_C(3037000493) * 4000000007u)),
        term_bin(t, OP_ULT, term_const(t, 64, 1), a));
    struct term_model *m = NULL;
    assert_int_equal(solve_check(s, &q, 1, &m), SOLVE_SAT);
    term_model_free(m);
    end_all(s, t);
    assert_int_equal(files_in(scratch), 0);
}

static pid_t ask_in_a_fork(const char *command)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        struct terms *t = terms_new();
        struct solver *s = solver_new(
            t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = command, .timeout_ms = 600000},
            NULL);
        term q = question(t);
        solve_check(s, &q, 1, NULL);
        _exit(0);
    }
    return pid;
}

/* The query is never a file that could be left behind, and the solver goes with assay also when nobody minds
 * it any more: all other children of assay are killed before. */
static void test_all_killed(void **state)
{
    (void)state;
    char body[256], path[128], text[4096], others[64];
    snprintf(body, sizeof body, "cat $1 > %s/seen; echo $$ > %s/solver; exec sleep 1000", home, home);
    pid_t pid = ask_in_a_fork(script("hang3", body));
    await(read_pid("solver") > 0);
    assert_int_equal(files_in(scratch), 0);
    pid_t solver = read_pid("solver");
    snprintf(others, sizeof others, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *f = fopen(others, "r");
    assert_non_null(f);
    int child, killed = 0;
    while (fscanf(f, "%d", &child) == 1)
        if (child != solver)
            killed += kill(child, SIGKILL) == 0;
    fclose(f);
    assert_int_equal(killed, 1);
    assert_false(is_dead(solver));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    await(is_dead(solver));
    assert_int_equal(files_in(scratch), 0);
    snprintf(path, sizeof path, "%s/seen", home);
    f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_non_null(strstr(text, "(check-sat)"));
}

static enum solve_answer ask_about(struct solver *s, struct terms *t, unsigned n)
{
    term x = term_var(t, "x", 32), y = term_var(t, "y", 32);
    term q = term_eq(t, term_bin(t, OP_MUL, x, term_bin(t, OP_MUL, y, y)), term_const(t, 32, 12345 + 2 * n));
    return solve_check(s, &q, 1, NULL);
}

/* Questions go on when somebody has killed the process that minds the solver. */
static void test_minder_killed(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    const char *sly =
        script("sly", "echo unsat; kill -9 $(sed \"s/\\<$$\\>//\" /proc/$PPID/task/$PPID/children)");
    struct solver *s = solver_new(
        t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = sly, .timeout_ms = 60000}, NULL);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(ask_about(s, t, i), SOLVE_UNSAT);
    end_all(s, t);
}

/* A fork has its own processes, and leaves those of its parent alone. */
static void test_solver_in_a_fork(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct solver *s = solver_new(t,
                                  &(struct solve_options){.engine = SOLVE_EXTERNAL,
                                                          .command = script("calm", "echo unsat"),
                                                          .timeout_ms = 60000},
                                  NULL);
    assert_int_equal(ask_about(s, t, 0), SOLVE_UNSAT);
    pid_t pid = fork();
    assert_true(pid >= 0);
    bool right = ask_about(s, t, 1) == SOLVE_UNSAT && ask_about(s, t, 2) == SOLVE_UNSAT;
    solver_free(s);
    terms_free(t);
    if (!pid)
        _exit(right ? 0 : 1);
    int status;
    assert_true(right);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A killed assay takes its solver and the solver's children with it. */
static void test_parent_killed(void **state)
{
    (void)state;
    char body[256];
    snprintf(body, sizeof body, "sleep 1000 & echo $! > %s/orphan; wait", home);
    const char *hang = script("hang2", body);
    pid_t pid = ask_in_a_fork(hang);
    await(read_pid("orphan") > 0);
    pid_t orphan = read_pid("orphan");
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    await(is_dead(orphan));
    assert_int_equal(files_in(scratch), 0);
}

static void test_unusable_options(void **state)
{
    (void)state;
    struct terms *t = terms_new();
    struct error err = {0};
    assert_null(solver_new(
        t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = "no-such-solver -x"}, &err));
    assert_non_null(strstr(err.text, "no-such-solver"));
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_null(solver_new(t, &(struct solve_options){.engine = SOLVE_EXTERNAL, .command = "  "}, &err));
    assert_null(solver_new(t, &(struct solve_options){.dump_dir = "/proc/no/such/place"}, &err));
    assert_non_null(strstr(err.text, "/proc/no/such/place"));
    terms_free(t);
}

static void test_dump(void **state)
{
    (void)state;
    char dir[128], path[200];
    snprintf(dir, sizeof dir, "%s/dump", home);
    struct terms *t = terms_new();
    struct solver *s = solver_new(t, &(struct solve_options){.dump_dir = dir}, NULL);
    assert_non_null(s);
    term x = term_var(t, "x", 32), q = question(t);
    assert_int_equal(solve_check(s, &q, 1, NULL), SOLVE_SAT);
    term no[] = {q, term_eq(t, term_bin(t, OP_UREM, x, term_const(t, 32, 7)), term_const(t, 32, 6)),
                 term_eq(t, term_bin(t, OP_UREM, x, term_const(t, 32, 14)), term_const(t, 32, 1))};
    assert_int_equal(solve_check(s, no, 3, NULL), SOLVE_UNSAT);
    assert_int_equal(solver_stats(s).by_solver, 2);
    assert_int_equal(files_in(dir), 2);
    for (unsigned i = 1; i <= 2; i++) {
        snprintf(path, sizeof path, "%s/%06u.smt2", dir, i);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        char text[8192];
        size_t n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        text[n] = 0;
        assert_non_null(strstr(text, i == 1 ? "; answer: sat\n" : "; answer: unsat\n"));
        struct error err = {0};
        term back = term_smtlib_read_script(t, text, n, &err);
        if (!back)
            fail_msg("%s", err.text);
        assert_int_equal(solve_check(s, &back, 1, NULL), i == 1 ? SOLVE_SAT : SOLVE_UNSAT);
    }
    solver_free(s);
    terms_free(t);
    empty(dir);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_model),
        cmocka_unit_test(test_model_of_another_shape),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_babble),
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_race_with_bad_solvers),
        cmocka_unit_test(test_race_won_by_the_other),
        cmocka_unit_test(test_all_killed),
        cmocka_unit_test(test_minder_killed),
        cmocka_unit_test(test_solver_in_a_fork),
        cmocka_unit_test(test_answer_is_enough),
        cmocka_unit_test(test_parent_killed),
        cmocka_unit_test(test_unusable_options),
        cmocka_unit_test(test_dump),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
