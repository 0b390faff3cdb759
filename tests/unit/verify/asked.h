/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A check of a function in two compiled versions, for tests that look inside. */
#ifndef TEST_VERIFY_ASKED_H
#define TEST_VERIFY_ASKED_H

#include "verify/private.h"

struct asked {
    struct program *p[2];
    struct match *m;
    struct arena arena;
    struct verify_options opt;
    struct check c;
    struct attempt a;
};

/* With an attempt begun, and the exits profiled. */
static inline void asked_start(struct asked *x, const char *old, const char *new, const char *function)
{
    struct error err = {0};
    const char *const file[] = {old, new};
    uint32_t index[2];
    *x = (struct asked){
        .arena = ARENA_INIT,
        .opt = {.heuristics = VERIFY_BY_ALL, .assume = VERIFY_ASSUME_ALL, .axioms = AXIOM_ALL}};
    for (int s = 0; s < 2; s++) {
        const struct flow_function *all;
        x->p[s] = program_open(file[s], &(struct program_options){.deep = false}, &err);
        assert_non_null(x->p[s]);
        program_functions(x->p[s], &all);
        index[s] = (uint32_t)(program_function(x->p[s], function, &err) - all);
    }
    x->m = match_programs(x->p[OLD], x->p[NEW], NULL, &err);
    assert_non_null(x->m);
    check_start(&x->c, x->m, index[OLD], index[NEW], &x->opt, &x->arena);
    assert_non_null(x->c.query.solver);
    attempt_begin(&x->c, &x->a);
    exits_profile(&x->c);
}

static inline void asked_end(struct asked *x)
{
    attempt_drop(&x->c, &x->a);
    check_end(&x->c);
    match_free(x->m);
    program_free(x->p[OLD]);
    program_free(x->p[NEW]);
    arena_free(&x->arena);
}

#endif
