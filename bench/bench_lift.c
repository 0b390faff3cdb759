/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of real programs is lifted, and how fast: every block of every function of each file, once by
 * libVEX's own front end and once by assay's lifter on the same bytes.
 *
 * usage: bench_lift [FILE...]; without one, this system's C library, bash and libcrypto. Each file has a
 * process of its own, so that its peak memory is its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "flow/flow.h"

struct piece {
    ir_label label;
    const uint8_t *bytes;
    size_t available;
    unsigned instructions;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int measure(const char *path)
{
    struct error err = {0};
    double t0 = seconds();
    struct program *p =
        program_open(path, &(struct program_options){.object = {.no_debug = true}, .deep = true}, &err);
    if (!p) {
        fprintf(stderr, "bench_lift: %s\n", err.text);
        return 1;
    }
    flow_analyse_all(p, NULL, NULL);
    double flow_time = seconds() - t0;
    const struct flow_function *f;
    size_t n = program_functions(p, &f);
    VEC(struct piece) pieces = VEC_INIT;
    bool arm = program_machine(p)->arch == MACHINE_ARM;
    size_t functions = 0, with_problem = 0;
    for (size_t i = 0; i < n; i++) {
        if (f[i].flags & (FLOW_PLT | FLOW_EXTERN))
            continue;
        functions++;
        const struct flow_graph *g = flow_graph(p, &f[i]);
        bool unresolved = false;
        for (uint32_t k = 0; k < g->nproblems; k++)
            unresolved |= g->problem[k].kind == PROBLEM_INDIRECT_JUMP;
        with_problem += unresolved;
        for (uint32_t b = 0; b < g->nblocks; b++) {
            struct piece q = {.label = g->block[b].label, .instructions = g->block[b].nmark};
            q.bytes = object_bytes(program_object(p), arm ? q.label & ~UINT64_C(1) : q.label, &q.available);
            if (q.bytes && q.instructions && q.available >= g->block[b].bytes) {
                q.available = g->block[b].bytes;
                vec_push(&pieces, q);
            }
        }
    }
    struct lifter *l = program_lifter(p);
    /* The first round warms caches and the allocator for both. */
    uint64_t vex_insns = 0;
    double vex_time = 0, assay_time = 0;
    struct lift_stats before = {0}, after = {0};
    struct arena a = ARENA_INIT;
    for (int round = 0; round < 2; round++) {
        vex_insns = 0;
        double t = seconds();
        for (size_t i = 0; i < pieces.len; i++)
            vex_insns += lift_vex_only(l, pieces.data[i].label, pieces.data[i].bytes,
                                       pieces.data[i].available, pieces.data[i].instructions);
        vex_time = seconds() - t;
        before = lifter_stats(l);
        t = seconds();
        for (size_t i = 0; i < pieces.len; i++) {
            struct ir_block b;
            lift_block(l, pieces.data[i].label, pieces.data[i].bytes, pieces.data[i].available,
                       pieces.data[i].instructions, &a, &b);
            arena_reset(&a);
        }
        assay_time = seconds() - t;
        after = lifter_stats(l);
    }
    uint64_t insns = after.instructions - before.instructions, bad = after.undecoded - before.undecoded,
             avx512 = after.undecoded_avx512 - before.undecoded_avx512;
    struct flow_stats fs = program_flow_stats(p);
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%s (%s)\n", path, program_machine(p)->name);
    printf("  functions                  %10zu, %zu blocks\n", functions, pieces.len);
    printf("  instructions               %10" PRIu64 ", %.2f IR operations each\n", insns,
           insns ? (double)(after.ir_insns - before.ir_insns) / (double)insns : 0.0);
    printf("  undecoded                  %10" PRIu64 " (%.3f %%), AVX-512 apart: %" PRIu64 "\n", bad,
           percent(bad, insns), avx512);
    printf("  panics                     %10" PRIu64 "\n", after.panics - before.panics);
    printf("  jump tables                %10" PRIu64 "; functions with an unresolved jump: %zu (%.2f %%)\n",
           fs.tables, with_problem, percent(with_problem, functions));
    printf("  functions and flow         %10.2f s\n", flow_time);
    printf("  libVEX alone               %10.0f instructions/s\n",
           vex_time > 0 ? (double)vex_insns / vex_time : 0.0);
    printf("  assay                      %10.0f instructions/s, %.2f times the time\n",
           assay_time > 0 ? (double)insns / assay_time : 0.0, vex_time > 0 ? assay_time / vex_time : 0.0);
    printf("  peak memory                %10ld MiB\n", u.ru_maxrss / 1024);
    arena_free(&a);
    vec_free(&pieces);
    program_free(p);
    return 0;
}

static int measure_apart(const char *path)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int code = measure(path);
        fflush(NULL);
        _exit(code);
    }
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    if (WIFSIGNALED(status))
        fprintf(stderr, "bench_lift: %s: killed by signal %d\n", path, WTERMSIG(status));
    return status != 0;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {
#if defined(__x86_64__)
        "/lib/x86_64-linux-gnu/libc.so.6",
        "/bin/bash",
        "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
#else
        "/lib/aarch64-linux-gnu/libc.so.6",
        "/bin/bash",
        "/usr/lib/aarch64-linux-gnu/libcrypto.so.3",
#endif
    };
    int bad = 0;
    if (argc > 1) {
        for (int i = 1; i < argc; i++)
            bad |= measure_apart(argv[i]);
        return bad;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (access(usual[i], R_OK) == 0)
            bad |= measure_apart(usual[i]);
    return bad;
}
