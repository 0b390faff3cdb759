/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must not be claimed of hostile.c, all instruction sets. Files are given on the command line. */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "exec/explore.h"

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

static struct run explore(const char *file, const char *name)
{
    struct error err;
    struct run r = {.p = program_open(file, NULL, &err), .t = terms_new()};
    if (!r.p)
        fail_msg("%s", err.text);
    r.s = solver_new(r.t, &(struct solve_options){.timeout_ms = 600000}, &err);
    r.x = explorer_new(r.p, r.t, r.s, &(struct explore_options){.axioms = AXIOM_ALL, .prune = true});
    const struct flow_function *f = program_function(r.p, name, &err);
    if (!f)
        return r;
    assert_true(explore_function(r.x, f, keep, &r, &err));
    return r;
}

static void end(struct run *r)
{
    vec_free(&r->path);
    explorer_free(r->x);
    solver_free(r->s);
    terms_free(r->t);
    program_free(r->p);
}

/* A symbol or function of that name, or one that begins so, is in x. */
static bool mentions(struct run *r, term x, const char *name)
{
    VEC(term) todo = VEC_INIT;
    struct map seen = {0};
    bool found = false;
    vec_push(&todo, x);
    while (todo.len && !found) {
        term u = vec_pop(&todo);
        if (u == TERM_NONE || !map_set(&seen, u, 1))
            continue;
        unsigned kind = term_kind(r->t, u);
        found =
            (kind == TERM_VAR || kind == TERM_APPLY) && strncmp(term_name(r->t, u), name, strlen(name)) == 0;
        for (unsigned i = 0; i < term_nkids(r->t, u); i++)
            vec_push(&todo, term_kid(r->t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
    return found;
}

/* On every path: when argument 0 is i (and argument 1 is n), the result is v. */
static void gives(struct run *r, uint64_t i, const uint64_t *n, uint64_t v)
{
    unsigned w = program_machine(r->p)->pointer_width;
    const term from[] = {term_var(r->t, "caller", w), term_var(r->t, "arg0", w), term_var(r->t, "arg1", w)};
    const term to[] = {term_var(r->t, "sp", w), term_const(r->t, w, i),
                       n ? term_const(r->t, w, *n) : from[2]};
    const term *assume;
    size_t nassume = explorer_assumptions(r->x, &assume);
    assert_int_not_equal(r->path.len, 0);
    /* What is in memory is the same by whatever symbols its address was told apart. */
    terms_set_distinct(r->t, (struct term_distinct){0});
    for (size_t k = 0; k < r->path.len; k++) {
        VEC(term) q = VEC_INIT;
        for (size_t j = 0; j < nassume; j++)
            vec_push(&q, term_substitute(r->t, assume[j], from, to, 3));
        vec_push(&q, term_substitute(r->t, r->path.data[k]->condition, from, to, 3));
        term result = term_substitute(r->t, r->path.data[k]->result, from, to, 3);
        term same = term_eq(r->t, term_extract(r->t, result, 0, 32), term_const(r->t, 32, v));
        assert_int_equal(solve_valid(r->s, q.data, q.len, same), SOLVE_UNSAT);
        vec_free(&q);
    }
}

static void results_mention(const char *file, const char *function, const char *name)
{
    struct run r = explore(file, function);
    for (size_t i = 0; i < r.path.len; i++)
        if (r.path.data[i]->end == PATH_RETURN && !mentions(&r, r.path.data[i]->result, name))
            fail_msg("%s %s: the result does not depend on %s", file, function, name);
    end(&r);
}

static void large_results_are_written_by_the_callee(void **s)
{
    for (char **file = *s; *file; file++) {
        results_mention(*file, "h_large_result", "mem:make");
        results_mention(*file, "h_large_result_elsewhere", "mem:far_big");
        results_mention(*file, "h_nested", "mem:inner");
    }
}

static void arguments_on_the_stack_count(void **s)
{
    for (char **file = *s; *file; file++) {
        struct run r = explore(*file, "h_large_argument");
        for (size_t i = 0; i < r.path.len; i++) {
            const struct exec_event *e = &r.path.data[i]->event[0];
            bool given = false;
            for (unsigned k = 0; k < e->nargs; k++)
                given = given || mentions(&r, e->arg[k], "arg0");
            if (r.path.data[i]->nevents && !given && !mentions(&r, e->mem_before, "arg0"))
                fail_msg("%s: the callee is not given arg0", *file);
            if (r.path.data[i]->result != TERM_NONE && !mentions(&r, r.path.data[i]->result, "arg0"))
                fail_msg("%s: the result does not depend on arg0", *file);
        }
        end(&r);
    }
}

static void registers_a_callee_leaves_alone_are_kept(void **s)
{
    for (char **file = *s; *file; file++) {
        results_mention(*file, "h_registers_left_alone", "arg1");
        results_mention(*file, "h_registers_left_alone", "arg2");
    }
}

static void unknown_offsets_on_the_stack_may_alias(void **s)
{
    for (char **file = *s; *file; file++) {
        struct run r = explore(*file, "h_computed_size");
        gives(&r, 100, &(uint64_t){256}, 7);
        end(&r);
        r = explore(*file, "h_index_of_argument");
        gives(&r, 0, NULL, 7);
        end(&r);
    }
}

static void locals_may_differ_when_a_call_returns_again(void **s)
{
    for (char **file = *s; *file; file++) {
        struct run r = explore(*file, "h_returns_twice");
        for (size_t i = 0; i < r.path.len; i++) {
            uint64_t v;
            assert_false(term_const_u64(r.t, term_extract(r.t, r.path.data[i]->result, 0, 32), &v) && v == 0);
        }
        end(&r);
    }
}

static void every_word_of_a_wide_load_is_relocated(void **s)
{
    for (char **file = *s; *file; file++) {
        struct run r = explore(*file, "h_copies_pointers");
        for (size_t i = 0; i < r.path.len; i++)
            for (unsigned k = 0; k < r.path.data[i]->nwrites; k++) {
                const struct exec_write *w = &r.path.data[i]->write[k];
                if (mentions(&r, w->address, "arg0") &&
                    term_width(r.t, w->value) > program_machine(r.p)->pointer_width)
                    assert_false(term_is_const(r.t, w->value));
            }
        end(&r);
    }
}

static void results_on_the_x87_stack_are_not_lost(void **s)
{
    for (char **file = *s; *file; file++) {
        struct run r = explore(*file, "h_double_result");
        term either = term_false(r.t);
        for (size_t i = 0; i < r.path.len; i++) {
            const struct exec_path *p = r.path.data[i];
            term one = term_eq(r.t, term_extract(r.t, p->result, 0, 32), term_const(r.t, 32, 1));
            either = term_or(r.t, either, term_and(r.t, p->condition, one));
        }
        assert_int_equal(solve_check(r.s, &either, 1, NULL), SOLVE_SAT);
        end(&r);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(large_results_are_written_by_the_callee, argv + 1),
        cmocka_unit_test_prestate(arguments_on_the_stack_count, argv + 1),
        cmocka_unit_test_prestate(registers_a_callee_leaves_alone_are_kept, argv + 1),
        cmocka_unit_test_prestate(unknown_offsets_on_the_stack_may_alias, argv + 1),
        cmocka_unit_test_prestate(locals_may_differ_when_a_call_returns_again, argv + 1),
        cmocka_unit_test_prestate(every_word_of_a_wide_load_is_relocated, argv + 1),
        cmocka_unit_test_prestate(results_on_the_x87_stack_are_not_lost, argv + 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
