/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is recorded of a run of one side. */
#include "test.h"

#include <string.h>

#include "pair/pair.h"
#include "pair/run.h"

struct fixture {
    struct program *p[2];
    struct terms *t;
    struct solver *solver;
    struct pair pair;
    const struct exec_path *path;
    struct term_model *model;
    struct arena arena;
};

static bool take(void *ctx, const struct exec_path *p)
{
    struct fixture *f = ctx;
    if (p->end == PATH_RETURN && !f->path)
        f->path = p;
    return true;
}

static int start(void **state)
{
    static struct fixture f;
    const char *const *file = *state;
    struct error err = {0};
    f = (struct fixture){.arena = ARENA_INIT, .t = terms_new()};
    f.p[OLD] = program_open(file[OLD], &(struct program_options){.deep = false}, &err);
    assert_non_null(f.p[OLD]);
    const struct flow_function *function[2] = {program_function(f.p[OLD], "given", &err), NULL};
    pair_start_symbolic(&f.pair, NULL, f.p, function, f.t);
    f.solver = solver_new(f.t, &(struct solve_options){.engine = SOLVE_Z3}, &err);
    assert_non_null(f.solver);
    struct pair_side *s = &f.pair.side[OLD];
    s->x =
        explorer_new(s->p, f.t, f.solver, &(struct explore_options){.axioms = AXIOM_ALL, .keep_regs = true});
    assert_true(explore_function(s->x, s->f, take, &f, &err));
    assert_non_null(f.path);
    const term *given;
    size_t n = explorer_assumptions(s->x, &given);
    VEC(term) q = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&q, given[i]);
    vec_push(&q, f.path->condition);
    vec_push(&q, term_eq(f.t, f.pair.sp, term_const(f.t, f.pair.width, 0x7ff00008)));
    assert_int_equal(solve_check(f.solver, q.data, q.len, &f.model), SOLVE_SAT);
    vec_free(&q);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    term_model_free(f->model);
    explorer_free(f->pair.side[OLD].x);
    pair_end(&f->pair);
    solver_free(f->solver);
    terms_free(f->t);
    program_free(f->p[OLD]);
    arena_free(&f->arena);
    return 0;
}

static void test_record(void **state)
{
    struct fixture *f = *state;
    struct run r;
    struct replay out = {0};
    struct pair_side *s = &f->pair.side[OLD];
    assert_true(run_side(&r, &f->arena, s, f->path, f->model, (struct run_real){0}, &out));
    assert_true(run_returned(&r));
    assert_non_null(r.regs);
    /* one step a block of the path, and the state behind the last */
    assert_int_equal(r.step.len, f->path->nblocks + 1);
    for (unsigned i = 0; i < f->path->nblocks; i++)
        assert_int_equal(r.step.data[i].block, f->path->block[i]);
    assert_int_equal(vec_last(&r.step).block, RUN_END);
    /* the first step has all registers, the stack pointer among them; the next only what changed */
    bool sp = false;
    for (size_t i = 0; i < r.step.data[0].nregs; i++)
        sp = sp || r.step.data[0].reg[i].reg->offset == s->m->sp;
    assert_true(sp);
    assert_true(r.step.data[1].nregs < r.step.data[0].nregs);
    assert_int_equal(r.call.len, 2);
    assert_string_equal(r.call.data[0].name, "fill");
    assert_string_equal(r.call.data[1].name, "take");
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(r.call.data[i].event);
        assert_int_equal(r.call.data[i].site, r.call.data[i].event->site);
    }
    assert_false(r.null);
    run_free(&r);
}

/* What is read before it is written is the input; a byte of the buffer that the callee filled is read, too.
 */
static void test_accesses(void **state)
{
    struct fixture *f = *state;
    struct run r;
    struct replay out = {0};
    assert_true(run_side(&r, &f->arena, &f->pair.side[OLD], f->path, f->model, (struct run_real){0}, &out));
    const struct object_symbol *y = object_symbol_by_name(f->pair.side[OLD].o, "limit");
    bool limit = false, known = false;
    for (size_t i = 0; i < r.read.len; i++)
        limit = limit || r.read.data[i].address == y->address;
    assert_true(limit);
    for (size_t i = 0; i < r.step.data[0].naccesses; i++) {
        const struct run_access *a = &r.step.data[0].access[i];
        if (a->address == y->address && a->bytes == 4 && !a->write)
            known = a->known;
    }
    assert_true(known);
    run_free(&r);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const struct CMUnitTest tests[] = {{"test_record", test_record, start, end, argv + 1},
                                       {"test_accesses", test_accesses, start, end, argv + 1}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
