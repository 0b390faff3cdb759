/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled C, all instruction sets: for each path of each function an input is solved for and run on the
 * concrete interpreter; it must take that path and leave what was predicted. Files are given on the command
 * line. */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/replay.h"

struct tally {
    unsigned paths, ok, differs, no_input, unable;
};

struct run {
    struct program *p;
    struct terms *t;
    struct solver *s;
    struct explorer *x;
    VEC(const struct exec_path *) path;
};

static bool keep(void *ctx, const struct exec_path *p)
{
    struct run *r = ctx;
    vec_push(&r->path, p);
    return true;
}

/* One program, one table of terms and one solver for all that is explored of it. */
struct file {
    struct program *p;
    struct terms *t;
    struct solver *s;
};

static struct file open_file(const char *path)
{
    struct error err;
    struct file f = {.p = program_open(path, NULL, &err), .t = terms_new()};
    if (!f.p)
        fail_msg("%s", err.text);
    struct solve_options so = {.timeout_ms = 600000};
    f.s = solver_new(f.t, &so, &err);
    assert_non_null(f.s);
    return f;
}

static void close_file(struct file *f)
{
    solver_free(f->s);
    terms_free(f->t);
    program_free(f->p);
}

static struct run begin(struct file *f, const struct explore_options *opt)
{
    return (struct run){.p = f->p, .t = f->t, .s = f->s, .x = explorer_new(f->p, f->t, f->s, opt)};
}

static void end(struct run *r)
{
    vec_free(&r->path);
    explorer_free(r->x);
}

static bool replay_function(struct file *in, const char *file, const struct flow_function *f, bool merge,
                            struct tally *tally)
{
    struct explore_options opt = {.merge = merge,
                                  .merge_returns = merge,
                                  .axioms = AXIOM_ALL,
                                  .prune = !merge,
                                  .max_paths = 40,
                                  .timeout_ms = 600000};
    struct run r = begin(in, &opt);
    struct error err;
    bool good = explore_function(r.x, f, keep, &r, &err);
    if (!good)
        fprintf(stderr, "%s %s: %s\n", file, f->name, err.text);
    for (size_t i = 0; i < r.path.len; i++) {
        struct replay out;
        replay_path(r.x, flow_graph(in->p, f), r.path.data[i], &out);
        tally->paths++;
        tally->ok += out.outcome == REPLAY_OK;
        tally->differs += out.outcome == REPLAY_DIFFERS;
        tally->no_input += out.outcome == REPLAY_NO_INPUT;
        tally->unable += out.outcome == REPLAY_UNABLE;
        if (out.outcome != REPLAY_OK && (out.outcome != REPLAY_NO_INPUT || !merge || getenv("VERBOSE")))
            fprintf(stderr, "%s %s %s path %zu: %s\n", file, f->name, merge ? "merged" : "paths", i, out.why);
        good = good && out.outcome != REPLAY_DIFFERS;
    }
    end(&r);
    return good;
}

/* ---- meaning derived by hand ---- */

static term low(struct run *r, unsigned i)
{
    char name[8];
    snprintf(name, sizeof name, "arg%u", i);
    unsigned w = program_machine(r->p)->pointer_width;
    return term_extract(r->t, term_var(r->t, name, w), 0, 32);
}

static term result32(struct run *r, const struct exec_path *p)
{
    return term_extract(r->t, p->result, 0, 32);
}

static void valid(struct run *r, term x)
{
    if (solve_valid(r->s, NULL, 0, x) != SOLVE_UNSAT) {
        struct buf b = BUF_INIT;
        term_print(&b, r->t, x);
        fprintf(stderr, "not valid: %s\n", buf_text(&b));
        buf_free(&b);
        fail();
    }
}

static term clamp(struct run *r, term x)
{
    term zero = term_const(r->t, 32, 0), most = term_const(r->t, 32, 100);
    x = term_ite(r->t, term_bin(r->t, OP_SLT, most, x), most, x);
    return term_ite(r->t, term_bin(r->t, OP_SLT, x, zero), zero, x);
}

static void explore(struct run *r, const char *name)
{
    struct error err;
    const struct flow_function *f = program_function(r->p, name, &err);
    assert_non_null(f);
    assert_true(explore_function(r->x, f, keep, r, &err));
}

static void check_meaning(struct file *in)
{
    struct explore_options merged = {.merge = true, .merge_returns = true, .axioms = AXIOM_ALL};
    struct explore_options paths = {.axioms = AXIOM_ALL, .prune = true};
    struct run r = begin(in, &merged);
    explore(&r, "t_abs");
    assert_int_equal(r.path.len, 1);
    term a = low(&r, 0), zero = term_const(r.t, 32, 0);
    term want = term_ite(r.t, term_bin(r.t, OP_SLT, a, zero), term_un(r.t, OP_NEG, a), a);
    valid(&r, term_eq(r.t, result32(&r, r.path.data[0]), want));
    end(&r);

    r = begin(in, &merged);
    explore(&r, "t_sign");
    assert_int_equal(r.path.len, 1);
    a = low(&r, 0), zero = term_const(r.t, 32, 0);
    want = term_ite(r.t, term_bin(r.t, OP_SLT, a, zero), term_const(r.t, 32, UINT32_MAX),
                    term_zext(r.t, term_bin(r.t, OP_SLT, zero, a), 32));
    valid(&r, term_eq(r.t, result32(&r, r.path.data[0]), want));
    end(&r);

    /* *p may or may not be overwritten through q. */
    r = begin(in, &paths);
    explore(&r, "t_alias");
    assert_int_equal(r.path.len, 1);
    unsigned w = program_machine(in->p)->pointer_width;
    term pp = term_var(r.t, "arg0", w), q = term_var(r.t, "arg1", w), res = result32(&r, r.path.data[0]);
    valid(&r, term_implies(r.t, term_eq(r.t, pp, q), term_eq(r.t, res, term_const(r.t, 32, 2))));
    term far =
        term_bin(r.t, OP_ULT, term_const(r.t, w, 8), term_add_const(r.t, term_bin(r.t, OP_SUB, pp, q), 4));
    valid(&r, term_implies(r.t, far, term_eq(r.t, res, term_const(r.t, 32, 1))));
    assert_false(term_is_const(r.t, res));
    end(&r);

    /* A local that did not escape survives the call; the result of the call is in the sum. */
    r = begin(in, &paths);
    explore(&r, "t_kept");
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->nevents, 1);
    assert_string_equal(r.path.data[0]->event[0].name, "outside");
    want = term_bin(r.t, OP_ADD, term_add_const(r.t, low(&r, 0), 1),
                    term_extract(r.t, r.path.data[0]->event[0].result, 0, 32));
    valid(&r, term_eq(r.t, result32(&r, r.path.data[0]), want));
    end(&r);

    /* One that did does not. */
    r = begin(in, &paths);
    explore(&r, "t_escaped");
    assert_int_equal(r.path.len, 1);
    assert_true(r.path.data[0]->escaped);
    assert_false(term_is_const(r.t, result32(&r, r.path.data[0])));
    end(&r);

    /* A loop: zero, one, ... iterations and the bound. */
    r = begin(in, &paths);
    explore(&r, "t_length");
    unsigned back = 0, bound = 0;
    for (size_t i = 0; i < r.path.len; i++) {
        back += r.path.data[i]->end == PATH_RETURN;
        bound += r.path.data[i]->end == PATH_LOOP_BOUND;
    }
    assert_true(back >= 2 && bound >= 1);
    end(&r);

    /* A callee that is followed: its returns are joined, so two calls make one path. */
    struct explore_options followed = {
        .merge = true, .merge_returns = true, .axioms = AXIOM_ALL, .inline_depth = 1, .inline_blocks = 12};
    r = begin(in, &followed);
    explore(&r, "t_clamped");
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->nevents, 0);
    assert_int_equal(explorer_stats(r.x).inlined, 2);
    want = term_bin(r.t, OP_ADD, clamp(&r, low(&r, 0)), clamp(&r, low(&r, 1)));
    valid(&r, term_eq(r.t, result32(&r, r.path.data[0]), want));
    end(&r);

    /* malloc's result is not the global written in between. */
    r = begin(in, &paths);
    explore(&r, "t_alloc");
    for (size_t i = 0; i < r.path.len; i++)
        assert_int_equal(r.path.data[i]->end, PATH_RETURN);
    assert_int_equal(r.path.len, 2);
    end(&r);
}

static int nfiles;
static char **files;

static void every_path_can_be_run(void **s)
{
    (void)s;
    struct tally all = {0};
    bool good = true;
    const char *only = getenv("ONLY");
    for (int i = 0; i < nfiles; i++) {
        struct file in = open_file(files[i]);
        const char *base = strrchr(files[i], '/') ? strrchr(files[i], '/') + 1 : files[i];
        const struct flow_function *f;
        size_t n = program_functions(in.p, &f);
        struct tally t = {0};
        for (size_t k = 0; k < n; k++) {
            if (strncmp(f[k].name, "t_", 2) != 0 || (only && strcmp(only, f[k].name) != 0))
                continue;
            good = replay_function(&in, base, &f[k], false, &t) && good;
            good = replay_function(&in, base, &f[k], true, &t) && good;
        }
        printf("%-22s paths %4u ok %4u differ %u no input %u unable %u\n", base, t.paths, t.ok, t.differs,
               t.no_input, t.unable);
        if (!only)
            assert_true(t.ok > 100);
        all.paths += t.paths;
        all.unable += t.unable;
        all.ok += t.ok;
        close_file(&in);
    }
    assert_true(good);
    if (!only)
        assert_true(all.ok * 100 >= all.paths * 90);
}

static void results_mean_what_the_source_says(void **s)
{
    (void)s;
    for (int i = 0; i < nfiles; i++) {
        struct file in = open_file(files[i]);
        check_meaning(&in);
        close_file(&in);
    }
}

int main(int argc, char **argv)
{
    nfiles = argc - 1;
    files = argv + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_can_be_run),
        cmocka_unit_test(results_mean_what_the_source_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
