/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relation at a loop head: guessed on the first arrival, weakened on later ones, until it is inductive;
 * and what follows from it at the exits. loop_input.c in four versions. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "verify/relation.h"

enum { ARRIVALS_MAX = 12 };

struct looped {
    struct asked x;
    struct relation r;
    uint8_t *stop[2];
};

static bool collect(void *ctx, const struct exec_path *p)
{
    VEC(const struct exec_path *) *all = ctx;
    vec_push(all, p);
    return true;
}

/* Runs a side from the entry or from the relation; the ends that are at the head, or those that return. */
static struct end run(struct looped *l, int s, bool entry, bool to_head)
{
    struct check *c = &l->x.c;
    struct pair_side *sd = &c->pair.side[s];
    VEC(const struct exec_path *) paths = VEC_INIT;
    struct error err = {0};
    struct end out = {0};
    assert_true(explore_segment(sd->x, sd->f, entry ? NULL : l->r.at[s], l->stop[s], collect, &paths, &err));
    for (size_t i = 0; i < paths.len; i++)
        if ((paths.data[i]->end == PATH_CUT) == to_head && (to_head || paths.data[i]->end == PATH_RETURN)) {
            assert_null(out.path); /* there is one loop, and returns are merged */
            out = compare_end(c, sd, paths.data[i]);
        }
    assert_non_null(out.path);
    vec_free(&paths);
    return out;
}

static enum relation_change arrive(struct looped *l, bool entry, bool rich)
{
    struct check *c = &l->x.c;
    struct end o = run(l, OLD, entry, true), n = run(l, NEW, entry, true);
    struct view w;
    view_start(&w, c, &o, &n, term_and(c->t, o.cond, n.cond));
    enum relation_change change = relation_arrive(&l->r, &w, rich, !entry);
    view_end(&w);
    return change;
}

static void start(struct looped *l, void **state, int new)
{
    char **version = *state;
    *l = (struct looped){0};
    asked_start(&l->x, version[0], version[new], "sum");
    struct check *c = &l->x.c;
    attempt_begin(c, &l->x.a);
    for (int s = 0; s < 2; s++) {
        struct pair_side *sd = &c->pair.side[s];
        const struct explore_options o = {.merge = true,
                                          .merge_returns = true,
                                          .no_cost_heuristic = true,
                                          .keep_regs = true,
                                          .visits = 2,
                                          .max_depth = 1000000,
                                          .max_paths = UINT64_MAX / 2,
                                          .axioms = AXIOM_ALL};
        check_explorer(c, sd, &o);
        l->stop[s] = xcalloc(sd->g->nblocks + 1, 1);
        memcpy(l->stop[s], explorer_loop_heads(sd->x, sd->f), sd->g->nblocks);
    }
}

static void end(struct looped *l)
{
    relation_free(&l->r);
    free(l->stop[OLD]);
    free(l->stop[NEW]);
    asked_end(&l->x);
}

/* Arrives until nothing changes any more; how often that was. */
static unsigned settle(struct looped *l, bool rich)
{
    bool entry = true, loop = false;
    unsigned arrivals = 0;
    while (entry || loop) {
        assert_true(++arrivals < ARRIVALS_MAX);
        bool from_entry = entry;
        enum relation_change change = arrive(l, from_entry, rich);
        assert_int_not_equal(change, RELATION_FAILS);
        /* As the walk of converge.c has it: what follows from a weaker one is to be looked at again, what a
         * stronger one follows from, too. */
        entry = change == RELATION_STRONGER;
        loop = change != RELATION_COVERS || (from_entry && loop);
    }
    return arrivals;
}

/* From the relation on, do both return the same? */
static enum answer same_result(struct looped *l)
{
    struct check *c = &l->x.c;
    struct end o = run(l, OLD, false, false), n = run(l, NEW, false, false);
    struct view w;
    view_start(&w, c, &o, &n, term_and(c->t, o.cond, n.cond));
    enum answer same = view_same(&w, TERM_NONE, view_see(&w, o.result), view_see(&w, n.result), NULL);
    view_end(&w);
    return same;
}

static void test_guessed(void **state)
{
    struct looped l;
    start(&l, state, 1);
    assert_int_equal(arrive(&l, true, false), RELATION_WEAKER); /* than nothing, which holds nowhere */
    assert_int_equal(l.r.arrivals, 1);
    assert_int_equal(l.r.symbols.len, 0); /* the very terms */
    assert_int_equal(l.r.count, TERM_NONE);
    end(&l);
}

static void test_weakened(void **state)
{
    struct looped l;
    start(&l, state, 1);
    arrive(&l, true, false);
    assert_int_equal(arrive(&l, false, false), RELATION_WEAKER);
    assert_true(l.r.symbols.len > 0);
    size_t own = l.r.symbols.len;
    settle(&l, false);
    assert_true(l.r.symbols.len >= own); /* never stronger */
    end(&l);
}

static void test_inductive(void **state)
{
    struct looped l;
    start(&l, state, 1);
    settle(&l, false);
    unsigned arrivals = l.r.arrivals;
    size_t own = l.r.symbols.len;
    assert_int_equal(arrive(&l, false, false), RELATION_COVERS); /* however often the loop goes round */
    assert_int_equal(arrive(&l, true, false), RELATION_COVERS);
    assert_int_equal(l.r.arrivals, arrivals + 2);
    assert_int_equal(l.r.symbols.len, own);
    assert_int_equal(same_result(&l), YES);
    end(&l);
}

/* A counter that goes up and one that goes down are tied by how often the loop went round. */
static void test_counted(void **state)
{
    struct looped l;
    start(&l, state, 2);
    settle(&l, true);
    assert_int_not_equal(l.r.count, TERM_NONE);
    assert_int_equal(same_result(&l), YES);
    end(&l);
}

static void test_another_sum(void **state)
{
    struct looped l;
    start(&l, state, 3);
    settle(&l, false);
    assert_int_not_equal(same_result(&l), YES);
    end(&l);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
#define TEST(name) cmocka_unit_test_prestate(name, argv + 1)
    const struct CMUnitTest tests[] = {TEST(test_guessed), TEST(test_weakened), TEST(test_inductive),
                                       TEST(test_counted), TEST(test_another_sum)};
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
