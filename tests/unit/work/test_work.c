/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker pool: whatever a job does, the run goes on and says what happened to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "work/work.h"

/* Running out of memory is part of what is tested: malloc must say so instead of ending the test. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:handle_abort=0:handle_segv=0";
}

struct seen {
    enum work_outcome outcome;
    char *output, *reason;
    size_t len;
};

struct run {
    VEC(struct seen) seen;
    size_t streamed;
    volatile int cancel;
    size_t cancel_after; /* set cancel when that many results were seen; 0: never */
    bool cancel_on_output;
};

static void collect(void *ctx, const struct work_result *r)
{
    struct run *run = ctx;
    assert_int_equal(r->job, run->seen.len);
    struct seen s = {.outcome = r->outcome, .reason = xstrdup(r->reason), .len = r->output_len};
    s.output = xmalloc(r->output_len + 1);
    memcpy(s.output, r->output, r->output_len);
    s.output[r->output_len] = 0;
    vec_push(&run->seen, s);
    if (run->cancel_after && run->seen.len == run->cancel_after)
        run->cancel = 1;
}

static void stream(void *ctx, size_t job, const char *bytes, size_t n)
{
    struct run *run = ctx;
    (void)job;
    (void)bytes;
    run->streamed += n;
    if (run->cancel_on_output)
        run->cancel = 1;
}

static void run_free(struct run *run)
{
    for (size_t i = 0; i < run->seen.len; i++) {
        free(run->seen.data[i].output);
        free(run->seen.data[i].reason);
    }
    vec_free(&run->seen);
    /* Whatever happened, no child is left. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void run_jobs(struct run *run, size_t n, struct work_options opt, work_job_fn *job)
{
    struct error err = {0};
    assert_true(work_run(n, &opt, job, collect, run, &run->cancel, &err));
    assert_int_equal(run->seen.len, n);
}

static bool job_number(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    buf_printf(out, "job %zu", job);
    return true;
}

static void test_thousand_jobs_in_order(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 1000, (struct work_options){.jobs = 4}, job_number);
    for (size_t i = 0; i < 1000; i++) {
        char want[32];
        snprintf(want, sizeof want, "job %zu", i);
        assert_int_equal(run.seen.data[i].outcome, WORK_DONE);
        assert_string_equal(run.seen.data[i].output, want);
    }
    run_free(&run);
}

static void test_no_jobs(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 0, (struct work_options){0}, job_number);
    run_free(&run);
}

static bool job_dies(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    buf_puts(out, "half");
    work_flush(out);
    switch (job) {
    case 1:
        signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
        kill(getpid(), SIGSEGV);
        break;
    case 2:
        abort();
    case 3:
        _exit(9);
    case 4:
        return false;
    case 5:
        _exit(0);
    }
    return true;
}

static void test_a_death_is_one_failure(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 7, (struct work_options){.jobs = 3}, job_dies);
    static const enum work_outcome want[] = {WORK_DONE,   WORK_CRASH, WORK_CRASH, WORK_CRASH,
                                             WORK_FAILED, WORK_DONE,  WORK_DONE};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(run.seen.data[i].outcome, want[i]);
        assert_string_equal(run.seen.data[i].output, "half");
    }
    assert_string_equal(run.seen.data[1].reason, "killed by signal 11 (SIGSEGV)");
    assert_string_equal(run.seen.data[2].reason, "killed by signal 6 (SIGABRT)");
    assert_string_equal(run.seen.data[3].reason, "exited with status 9");
    run_free(&run);
}

static bool job_waits_forever(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    buf_printf(out, "begun %zu\n", job);
    work_flush(out);
    while (pause() == -1)
        ;
    return true;
}

static bool job_one_hangs(void *ctx, size_t job, struct buf *out)
{
    return job == 1 ? job_waits_forever(ctx, job, out) : job_number(ctx, job, out);
}

/* What was written before the time was up is kept; the limit grows until that is something, as it may not be on a slow
 * machine. */
static void test_time_limit(void **state)
{
    (void)state;
    bool begun = false;
    for (unsigned limit = 50; !begun && limit < 60000; limit *= 2) {
        struct run run = {0};
        char reason[64];
        snprintf(reason, sizeof reason, "time limit of %u ms", limit);
        run_jobs(&run, 2, (struct work_options){.jobs = 2, .timeout_ms = limit}, job_waits_forever);
        begun = true;
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(run.seen.data[i].outcome, WORK_TIMEOUT);
            assert_string_equal(run.seen.data[i].reason, reason);
            begun = begun && strncmp(run.seen.data[i].output, "begun", 5) == 0;
        }
        run_free(&run);
    }
    assert_true(begun);
}

static bool job_limits_a_part(void *ctx, size_t job, struct buf *out)
{
    work_limit_time(job == 0 ? 20 : 60000);
    if (job == 0)
        return job_waits_forever(ctx, job, out);
    work_limit_time(0);
    return job_number(ctx, job, out);
}

static void test_time_limit_of_a_part(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 2, (struct work_options){.jobs = 2}, job_limits_a_part);
    assert_int_equal(run.seen.data[0].outcome, WORK_TIMEOUT);
    assert_string_equal(run.seen.data[0].reason, "time limit");
    assert_int_equal(run.seen.data[1].outcome, WORK_DONE);
    run_free(&run);
}

static bool job_eats_memory(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    (void)out;
    if (job == 1)
        return true;
    for (;;) {
        char *p = xmalloc(16 << 20);
        memset(p, 1, 16 << 20);
        __asm__ volatile("" : : "r"(p) : "memory");
    }
}

static void test_memory_limit(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 2, (struct work_options){.jobs = 2, .memory_bytes = 256 << 20}, job_eats_memory);
    assert_int_equal(run.seen.data[0].outcome, WORK_MEMORY);
    assert_string_equal(run.seen.data[0].reason, "memory limit of 256 MiB");
    assert_int_equal(run.seen.data[1].outcome, WORK_DONE);
    run_free(&run);
}

/* As a library that does not look: it takes what there is and then aborts. */
static bool job_trusts_malloc(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    (void)out;
    for (size_t size = 1 << 20; job == 0 && size >= 4096; size /= 2)
        while (mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
            ;
    raise(SIGABRT);
    return true;
}

static void test_crash_without_memory(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 2, (struct work_options){.jobs = 2, .memory_bytes = 64 << 20}, job_trusts_malloc);
    assert_int_equal(run.seen.data[0].outcome, WORK_MEMORY);
    assert_string_equal(run.seen.data[0].reason, "memory limit of 64 MiB");
    assert_int_equal(run.seen.data[1].outcome, WORK_CRASH);
    assert_string_equal(run.seen.data[1].reason, "killed by signal 6 (SIGABRT)");
    run_free(&run);
}

enum { BIG = 5000000 };

static bool job_big(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    for (size_t i = 0; i < BIG; i++)
        buf_putc(out, (char)('a' + (i + job) % 26));
    return true;
}

static void test_large_results(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 4, (struct work_options){.jobs = 4}, job_big);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(run.seen.data[j].outcome, WORK_DONE);
        assert_int_equal(run.seen.data[j].len, BIG);
        for (size_t i = 0; i < BIG; i += 4999)
            assert_int_equal(run.seen.data[j].output[i], 'a' + (i + j) % 26);
    }
    run_free(&run);
    struct run streamed = {0};
    run_jobs(&streamed, 4, (struct work_options){.jobs = 4, .output = stream}, job_big);
    assert_int_equal(streamed.streamed, 4 * (size_t)BIG);
    assert_int_equal(streamed.seen.data[0].len, 0);
    run_free(&streamed);
}

static void test_too_large_result(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 1, (struct work_options){.max_output = 100000}, job_big);
    assert_int_equal(run.seen.data[0].outcome, WORK_FAILED);
    assert_string_equal(run.seen.data[0].reason, "result larger than 100000 bytes");
    assert_true(run.seen.data[0].len <= 100000);
    run_free(&run);
}

static void test_cancel_keeps_what_is_known(void **state)
{
    (void)state;
    struct run run = {.cancel_after = 1};
    run_jobs(&run, 5, (struct work_options){.jobs = 2}, job_one_hangs);
    assert_int_equal(run.seen.data[0].outcome, WORK_DONE);
    assert_int_equal(run.seen.data[1].outcome, WORK_CANCELLED);
    assert_string_equal(run.seen.data[1].reason, "interrupted");
    assert_int_equal(run.seen.data[4].outcome, WORK_CANCELLED);
    run_free(&run);
}

static void test_cancel_while_output_arrives(void **state)
{
    (void)state;
    struct run run = {.cancel_on_output = true};
    run_jobs(&run, 1, (struct work_options){.jobs = 1, .output = stream}, job_waits_forever);
    assert_int_equal(run.seen.data[0].outcome, WORK_CANCELLED);
    assert_int_equal(run.streamed, strlen("begun 0\n"));
    run_free(&run);
}

/* One that writes without end, into a parent that is slow to look, is still stopped. */
static bool job_floods(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    (void)job;
    for (;;) {
        buf_puts(out, "more and more and more");
        work_flush(out);
    }
    return true;
}

static void test_a_flood_can_be_stopped(void **state)
{
    (void)state;
    struct run run = {.cancel_on_output = true};
    run_jobs(&run, 1, (struct work_options){.jobs = 1, .output = stream}, job_floods);
    assert_int_equal(run.seen.data[0].outcome, WORK_CANCELLED);
    run_free(&run);
    struct run limited = {0};
    run_jobs(&limited, 1,
             (struct work_options){.jobs = 1, .timeout_ms = 50, .output = stream, .max_output = SIZE_MAX / 2},
             job_floods);
    assert_int_equal(limited.seen.data[0].outcome, WORK_TIMEOUT);
    run_free(&limited);
}

static bool job_reads_stdin(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    (void)job;
    char c;
    buf_printf(out, "%zd", read(STDIN_FILENO, &c, 1));
    return true;
}

static void test_no_stdin(void **state)
{
    (void)state;
    int fd[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], "x", 1), 1);
    dup2(fd[0], STDIN_FILENO);
    struct run run = {0};
    run_jobs(&run, 1, (struct work_options){0}, job_reads_stdin);
    assert_string_equal(run.seen.data[0].output, "0");
    run_free(&run);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    close(fd[0]);
    close(fd[1]);
}

/* A helper process that outlives its worker and holds the pipe must neither hang the run nor survive it. */
static bool job_leaves_a_child(void *ctx, size_t job, struct buf *out)
{
    int *tell = ctx;
    (void)job;
    buf_puts(out, "done");
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    return write(*tell, &pid, sizeof pid) == sizeof pid;
}

static void collect_only_output(void *ctx, const struct work_result *r)
{
    (void)ctx;
    assert_int_equal(r->outcome, WORK_DONE);
    assert_string_equal(r->output, "done");
}

static void test_leftover_child(void **state)
{
    (void)state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    struct error err = {0};
    assert_true(work_run(1, NULL, job_leaves_a_child, collect_only_output, &fd[1], NULL, &err));
    pid_t child = 0;
    assert_int_equal(read(fd[0], &child, sizeof child), sizeof child);
    close(fd[0]);
    close(fd[1]);
    /* It is dead at some moment: a process that has ended lets poll() return, collected or not. */
    int handle = (int)syscall(SYS_pidfd_open, child, 0u);
    if (handle >= 0) {
        struct pollfd p = {handle, POLLIN, 0};
        assert_int_equal(poll(&p, 1, -1), 1);
        close(handle);
    } else {
        assert_int_equal(errno, ESRCH);
    }
}

static bool job_nested(void *ctx, size_t job, struct buf *out)
{
    (void)ctx;
    struct run inner = {0};
    struct error err = {0};
    if (!work_run(3, &(struct work_options){.jobs = 2}, job_number, collect, &inner, NULL, &err))
        return false;
    for (size_t i = 0; i < inner.seen.len; i++)
        buf_printf(out, "%zu/%s ", job, inner.seen.data[i].output);
    run_free(&inner);
    return true;
}

static void test_a_job_may_use_workers(void **state)
{
    (void)state;
    struct run run = {0};
    run_jobs(&run, 2, (struct work_options){.jobs = 2}, job_nested);
    assert_string_equal(run.seen.data[1].output, "1/job 0 1/job 1 1/job 2 ");
    run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousand_jobs_in_order),
        cmocka_unit_test(test_no_jobs),
        cmocka_unit_test(test_a_death_is_one_failure),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_time_limit_of_a_part),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_crash_without_memory),
        cmocka_unit_test(test_large_results),
        cmocka_unit_test(test_too_large_result),
        cmocka_unit_test(test_cancel_keeps_what_is_known),
        cmocka_unit_test(test_cancel_while_output_arrives),
        cmocka_unit_test(test_a_flood_can_be_stopped),
        cmocka_unit_test(test_no_stdin),
        cmocka_unit_test(test_leftover_child),
        cmocka_unit_test(test_a_job_may_use_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
