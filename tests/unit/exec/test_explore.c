/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the symbolic executor says about small functions whose meaning a person can derive by hand. */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini.h"

struct run {
    struct terms *t;
    struct explorer *x;
    struct mini *m;
    VEC(const struct exec_path *) path;
    struct explore_stats stats;
};

static bool keep(void *ctx, const struct exec_path *p)
{
    struct run *r = ctx;
    vec_push(&r->path, p);
    return true;
}

static struct run begin(void)
{
    return (struct run){.t = terms_new(), .m = mini_new()};
}

static void explore(struct run *r, struct explore_options opt)
{
    struct error err;
    if (!opt.axioms)
        opt.axioms = AXIOM_ALL;
    r->x = explorer_new_bare(&mini_machine, (struct ir_pures){NULL, 0}, r->t, NULL, &opt);
    assert_true(explore_graph(r->x, mini_graph(r->m), keep, r, &err));
    r->stats = explorer_stats(r->x);
}

static void again(struct run *r)
{
    explorer_free(r->x);
    vec_clear(&r->path);
}

static void end(struct run *r)
{
    vec_free(&r->path);
    explorer_free(r->x);
    mini_free(r->m);
    terms_free(r->t);
}

static term arg(struct run *r, unsigned i)
{
    char name[8];
    snprintf(name, sizeof name, "arg%u", i);
    return term_var(r->t, name, 64);
}

static term sp(struct run *r, int64_t off)
{
    return term_add_const(r->t, term_var(r->t, "sp", 64), (uint64_t)off);
}

static term num(struct run *r, uint64_t v)
{
    return term_const(r->t, 64, v);
}

static term mem(struct run *r)
{
    return term_array_var(r->t, "mem", 64, 8);
}

static term negative(struct run *r, term v)
{
    return term_bin(r->t, OP_SLT, v, num(r, 0));
}

static const char *text(struct run *r, term v)
{
    static struct buf b;
    buf_clear(&b);
    term_print(&b, r->t, v);
    return buf_text(&b);
}

/* if (r0 < 0) r0 = -r0; return r0; */
static void build_abs(struct mini *m)
{
    struct ir_builder *b = mini_begin(m, 0);
    mini_branch(m, ir_bin(b, OP_SLT, ir_get(b, R0, 64), ir_const(b, 64, 0)), 1, 2);
    b = mini_begin(m, 1);
    ir_put(b, R0, ir_un(b, OP_NEG, ir_get(b, R0, 64)));
    mini_jump(m, 2);
    mini_begin(m, 2);
    mini_return(m);
}

static void abs_has_two_paths(void **s)
{
    (void)s;
    struct run r = begin();
    build_abs(r.m);
    explore(&r, (struct explore_options){0});
    assert_int_equal(r.path.len, 2);
    term a = arg(&r, 0), neg = negative(&r, a);
    assert_int_equal(r.path.data[0]->condition, term_not(r.t, neg));
    assert_int_equal(r.path.data[0]->result, a);
    assert_int_equal(r.path.data[1]->condition, neg);
    assert_int_equal(r.path.data[1]->result, term_un(r.t, OP_NEG, a));
    assert_int_equal(r.path.data[1]->nblocks, 3);
    assert_int_equal(r.path.data[0]->end, PATH_RETURN);
    end(&r);
}

static void abs_merges_into_one(void **s)
{
    (void)s;
    struct run r = begin();
    build_abs(r.m);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 1);
    term a = arg(&r, 0);
    assert_true(term_is_true(r.t, r.path.data[0]->condition));
    assert_int_equal(r.path.data[0]->result, term_ite(r.t, negative(&r, a), term_un(r.t, OP_NEG, a), a));
    assert_true(r.path.data[0]->merged);
    assert_int_equal(r.stats.merges, 1);
    end(&r);
}

static void pointers_may_be_equal(void **s)
{
    (void)s;
    /* *r0 = 1; *r1 = 2; return *r0; */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_store(b, 0, ir_get(b, R0, 64), ir_const(b, 32, 1), IR_NONE);
    ir_store(b, 0, ir_get(b, R1, 64), ir_const(b, 32, 2), IR_NONE);
    ir_put(b, R0, ir_zext(b, ir_load(b, 0, ir_get(b, R0, 64), 32, IR_NONE, IR_NONE), 64));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    assert_int_equal(r.path.len, 1);
    const struct exec_path *p = r.path.data[0];
    assert_false(term_is_const(r.t, p->result));
    struct term_model *m = term_model_new();
    struct bits v;
    term_model_set(m, arg(&r, 0), bits_u64(0x1000, 64));
    term_model_set(m, arg(&r, 1), bits_u64(0x1000, 64));
    assert_true(term_eval(r.t, m, p->result, &v));
    assert_int_equal(bits_low(v), 2);
    term_model_set(m, arg(&r, 1), bits_u64(0x1002, 64));
    assert_true(term_eval(r.t, m, p->result, &v));
    assert_int_equal(bits_low(v), 0x20001);
    term_model_set(m, arg(&r, 1), bits_u64(0x2000, 64));
    assert_true(term_eval(r.t, m, p->result, &v));
    assert_int_equal(bits_low(v), 1);
    term_model_free(m);
    assert_int_equal(p->nwrites, 2);
    assert_false(p->write[0].local || p->write[1].local);
    end(&r);
}

static void a_local_is_not_reached_by_an_argument(void **s)
{
    (void)s;
    /* local = 7; *r0 = 1; return local; */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val at = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16));
    ir_store(b, 0, at, ir_const(b, 64, 7), IR_NONE);
    ir_store(b, 0, ir_get(b, R0, 64), ir_const(b, 64, 1), IR_NONE);
    ir_put(b, R0, ir_load(b, 0, at, 64, IR_NONE, IR_NONE));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    assert_int_equal(r.path.data[0]->result, num(&r, 7));
    assert_true(r.stats.axiom_used[0] > 0);
    assert_true(r.path.data[0]->write[0].local);
    assert_false(r.path.data[0]->write[1].local);
    again(&r);
    explore(&r, (struct explore_options){.axioms = AXIOM_HEAP});
    assert_int_not_equal(r.path.data[0]->result, num(&r, 7));
    end(&r);
}

enum { ROOM = 128 }; /* for arguments of callees, below the locals */

/* local = 7; [*r0 = &local;] f(arg); return local; */
static void build_escape(struct mini *m, bool stored, bool passed)
{
    struct ir_builder *b = mini_begin(m, 0);
    ir_val at = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16));
    ir_put(b, SP, ir_bin(b, OP_ADD, at, ir_const(b, 64, (uint64_t)-ROOM)));
    ir_store(b, 0, at, ir_const(b, 64, 7), IR_NONE);
    if (stored)
        ir_store(b, 0, ir_get(b, R1, 64), at, IR_NONE);
    if (passed)
        ir_put(b, R0, at);
    mini_call(m, "f", 1);
    b = mini_begin(m, 1);
    at = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, ROOM));
    ir_put(b, R0, ir_load(b, 0, at, 64, IR_NONE, IR_NONE));
    ir_put(b, SP, ir_bin(b, OP_ADD, at, ir_const(b, 64, 16)));
    mini_return(m);
}

static void locals_survive_calls_unless_they_escape(void **s)
{
    (void)s;
    for (unsigned k = 0; k < 3; k++) {
        struct run r = begin();
        build_escape(r.m, k == 1, k == 2);
        explore(&r, (struct explore_options){0});
        const struct exec_path *p = r.path.data[0];
        assert_int_equal(r.path.len, 1);
        assert_int_equal(p->nevents, 1);
        assert_string_equal(p->event[0].name, "f");
        if (k == 0) {
            assert_int_equal(p->result, num(&r, 7));
            assert_false(p->escaped);
        } else {
            assert_true(p->escaped);
            assert_int_equal(term_kind(r.t, p->result), TERM_READ);
            assert_non_null(strstr(text(&r, p->result), "mem:f"));
            /* The callee sees what the local held. */
            assert_int_equal(term_read(r.t, p->event[0].mem_before, sp(&r, -16), 64), num(&r, 7));
        }
        end(&r);
    }
}

static void saved_registers_survive_an_escape(void **s)
{
    (void)s;
    /* push r6; local = 7; f(&local); r6 = pop; return r6 */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val save = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-8));
    ir_val at = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16));
    ir_put(b, SP, ir_bin(b, OP_ADD, at, ir_const(b, 64, (uint64_t)-ROOM)));
    ir_store(b, 0, save, ir_get(b, R6, 64), IR_NONE);
    ir_put(b, R6, ir_const(b, 64, 3));
    ir_put(b, R0, at);
    mini_call(r.m, "f", 1);
    b = mini_begin(r.m, 1);
    save = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, ROOM + 8));
    ir_put(b, R6, ir_load(b, 0, save, 64, IR_NONE, IR_NONE));
    ir_put(b, SP, ir_bin(b, OP_ADD, save, ir_const(b, 64, 8)));
    ir_put(b, R0, ir_get(b, R6, 64));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    assert_true(r.path.data[0]->escaped);
    assert_int_equal(r.path.data[0]->result, term_var(r.t, "r6", 64));
    again(&r);
    explore(&r, (struct explore_options){.axioms = AXIOM_FRAME});
    assert_int_not_equal(r.path.data[0]->result, term_var(r.t, "r6", 64));
    end(&r);
}

static void equal_calls_have_equal_results(void **s)
{
    (void)s;
    /* r6 = f(r0); r7 = f(r0) again: memory has changed, so the results may differ; both functions of what
     * they saw */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R8, ir_get(b, R0, 64));
    mini_call(r.m, "f", 1);
    b = mini_begin(r.m, 1);
    ir_put(b, R6, ir_get(b, R0, 64));
    ir_put(b, R0, ir_get(b, R8, 64));
    mini_call(r.m, "f", 2);
    b = mini_begin(r.m, 2);
    ir_put(b, R0, ir_bin(b, OP_SUB, ir_get(b, R6, 64), ir_get(b, R0, 64)));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    const struct exec_path *p = r.path.data[0];
    term first = p->event[0].result, memory = p->memory;
    assert_int_not_equal(p->event[0].result, p->event[1].result);
    assert_false(term_is_const(r.t, p->result));
    again(&r);
    explore(&r, (struct explore_options){0});
    assert_int_equal(first, r.path.data[0]->event[0].result);
    assert_int_equal(memory, r.path.data[0]->memory);
    end(&r);
}

static void registers_do_not_survive_calls_unless_saved(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R5, ir_const(b, 64, 1));
    ir_put(b, R6, ir_const(b, 64, 2));
    mini_call(r.m, "f", 1);
    b = mini_begin(r.m, 1);
    ir_put(b, R0, ir_bin(b, OP_ADD, ir_get(b, R5, 64), ir_get(b, R6, 64)));
    mini_return(r.m);
    explore(&r, (struct explore_options){.keep_regs = true});
    const struct exec_path *p = r.path.data[0];
    assert_int_equal(exec_path_register(r.x, p, R6, 64), num(&r, 2));
    assert_false(term_is_const(r.t, exec_path_register(r.x, p, R5, 64)));
    assert_false(term_is_const(r.t, p->result));
    assert_int_equal(exec_path_register(r.x, p, SP, 64), sp(&r, 0));
    end(&r);
}

/* do { r0 += r1; r2--; } while (r2 != 0); return r0; */
static void build_loop(struct mini *m)
{
    mini_begin(m, 0);
    mini_jump(m, 1);
    struct ir_builder *b = mini_begin(m, 1);
    ir_put(b, R0, ir_bin(b, OP_ADD, ir_get(b, R0, 64), ir_get(b, R1, 64)));
    ir_val n = ir_bin(b, OP_SUB, ir_get(b, R2, 64), ir_const(b, 64, 1));
    ir_put(b, R2, n);
    mini_branch(m, ir_un(b, OP_NOT, ir_bin(b, OP_EQ, n, ir_const(b, 64, 0))), 1, 2);
    mini_begin(m, 2);
    mini_return(m);
}

static void loops_stop_at_the_bound(void **s)
{
    (void)s;
    struct run r = begin();
    build_loop(r.m);
    explore(&r, (struct explore_options){0});
    /* One, two, and more than two iterations. */
    assert_int_equal(r.path.len, 3);
    unsigned bound = 0, back = 0;
    for (size_t i = 0; i < 3; i++) {
        bound += r.path.data[i]->end == PATH_LOOP_BOUND;
        back += r.path.data[i]->end == PATH_RETURN;
    }
    assert_int_equal(bound, 1);
    assert_int_equal(back, 2);
    assert_int_equal(r.stats.loop_bound_hits, 1);
    again(&r);
    explore(&r, (struct explore_options){.visits = 5});
    assert_int_equal(r.path.len, 6);
    again(&r);
    explore(&r, (struct explore_options){.merge = true, .visits = 5});
    assert_int_equal(r.path.len, 2);
    end(&r);
}

/* n times: if (bit i of r0) r1 += 2 * i + 1; return r1 */
static void build_ifs(struct mini *m, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct ir_builder *b = mini_begin(m, 2 * i);
        mini_branch(m, ir_extract(b, ir_get(b, R0, 64), i, 1), 2 * i + 1, 2 * i + 2);
        b = mini_begin(m, 2 * i + 1);
        ir_put(b, R1, ir_bin(b, OP_ADD, ir_get(b, R1, 64), ir_const(b, 64, 2 * i + 1)));
        mini_jump(m, 2 * i + 2);
    }
    struct ir_builder *b = mini_begin(m, 2 * n);
    ir_put(b, R0, ir_get(b, R1, 64));
    mini_return(m);
}

static void forty_ifs_merge_into_one_state(void **s)
{
    (void)s;
    struct run r = begin();
    build_ifs(r.m, 40);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.stats.merges, 40);
    assert_true(term_is_true(r.t, r.path.data[0]->condition));
    struct term_model *m = term_model_new();
    struct bits v;
    term_model_set(m, arg(&r, 0), bits_u64(0x8000000005, 64));
    term_model_set(m, arg(&r, 1), bits_u64(100, 64));
    assert_true(term_eval(r.t, m, r.path.data[0]->result, &v));
    assert_int_equal(bits_low(v), 100 + 1 + 5 + 79);
    term_model_free(m);
    end(&r);
}

static void twelve_ifs_have_4096_paths(void **s)
{
    (void)s;
    struct run r = begin();
    build_ifs(r.m, 12);
    explore(&r, (struct explore_options){0});
    assert_int_equal(r.path.len, 4096);
    assert_int_equal(r.stats.forks, 4095);
    again(&r);
    explore(&r, (struct explore_options){.max_paths = 10});
    assert_int_equal(r.path.len, 10);
    assert_true(r.stats.dropped > 0);
    end(&r);
}

/* if (r0 == 1) return 10; if (r0 == 2) trap; if (r0 == 3) return 30; return 40; */
static void build_early(struct mini *m)
{
    for (unsigned i = 0; i < 3; i++) {
        struct ir_builder *b = mini_begin(m, 2 * i);
        mini_branch(m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, i + 1)), 2 * i + 1, 2 * i + 2);
        b = mini_begin(m, 2 * i + 1);
        ir_put(b, R0, ir_const(b, 64, 10 * (i + 1)));
        if (i == 1)
            mini_trap(m);
        else
            mini_return(m);
    }
    struct ir_builder *b = mini_begin(m, 6);
    ir_put(b, R0, ir_const(b, 64, 40));
    mini_return(m);
}

static void early_returns_join_and_traps_stay_alone(void **s)
{
    (void)s;
    struct run r = begin();
    build_early(r.m);
    explore(&r, (struct explore_options){.merge = true, .merge_returns = true});
    assert_int_equal(r.path.len, 2);
    const struct exec_path *trap = r.path.data[0], *back = r.path.data[1];
    assert_int_equal(trap->end, PATH_TRAP);
    assert_int_equal(back->end, PATH_RETURN);
    for (uint64_t v = 0; v < 6; v++) {
        struct term_model *m = term_model_new();
        struct bits c, w;
        term_model_set(m, arg(&r, 0), bits_u64(v, 64));
        assert_true(term_eval(r.t, m, trap->condition, &c));
        assert_int_equal(bits_low(c), v == 2);
        assert_true(term_eval(r.t, m, back->condition, &c));
        assert_int_equal(bits_low(c), v != 2);
        assert_true(term_eval(r.t, m, back->result, &w));
        if (v != 2)
            assert_int_equal(bits_low(w), v == 1 ? 10 : v == 3 ? 30 : 40);
        term_model_free(m);
    }
    again(&r);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 4);
    end(&r);
}

static void stores_of_one_side_become_conditional(void **s)
{
    (void)s;
    /* if (r0) *r1 = 5; f(); return *r1 (before the call: memory the call sees) */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 2, 1);
    b = mini_begin(r.m, 1);
    ir_store(b, 0, ir_get(b, R1, 64), ir_const(b, 32, 5), IR_NONE);
    mini_jump(r.m, 2);
    b = mini_begin(r.m, 2);
    ir_put(b, R0, ir_zext(b, ir_load(b, 0, ir_get(b, R1, 64), 32, IR_NONE, IR_NONE), 64));
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 1);
    term zero = term_eq(r.t, arg(&r, 0), num(&r, 0));
    term want = term_ite(r.t, zero, term_read(r.t, mem(&r), arg(&r, 1), 32), term_const(r.t, 32, 5));
    assert_int_equal(r.path.data[0]->result, term_zext(r.t, want, 64));
    assert_int_equal(r.path.data[0]->nwrites, 1);
    assert_int_equal(r.path.data[0]->write[0].guard, term_not(r.t, zero));
    end(&r);
}

static void calls_of_one_side_are_guarded(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 2, 1);
    mini_begin(r.m, 1);
    mini_call(r.m, "log_it", 2);
    b = mini_begin(r.m, 2);
    ir_put(b, R0, ir_get(b, R6, 64));
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->nevents, 1);
    assert_int_equal(r.path.data[0]->event[0].guard, term_not(r.t, term_eq(r.t, arg(&r, 0), num(&r, 0))));
    assert_int_equal(r.path.data[0]->result, term_var(r.t, "r6", 64));
    end(&r);
}

static void different_stack_pointers_do_not_merge(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 2, 1);
    b = mini_begin(r.m, 1);
    ir_put(b, SP, ir_bin(b, OP_SUB, ir_get(b, SP, 64), ir_const(b, 64, 32)));
    mini_jump(r.m, 2);
    mini_begin(r.m, 2);
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 2);
    assert_int_equal(r.stats.merge_refused, 1);
    end(&r);
}

static void too_many_addresses_are_not_merged(void **s)
{
    (void)s;
    /* if (r0) { r1 += 8; r2 += 8; r3 += 8; r4 += 8 } return *r1 + *r2 + *r3 + *r4 */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 2, 1);
    b = mini_begin(r.m, 1);
    for (unsigned i = R1; i <= R4; i += 8)
        ir_put(b, i, ir_bin(b, OP_ADD, ir_get(b, i, 64), ir_const(b, 64, 8)));
    mini_jump(r.m, 2);
    b = mini_begin(r.m, 2);
    ir_val sum = ir_const(b, 64, 0);
    for (unsigned i = R1; i <= R4; i += 8)
        sum = ir_bin(b, OP_ADD, sum, ir_load(b, 0, ir_get(b, i, 64), 64, IR_NONE, IR_NONE));
    ir_put(b, R0, sum);
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true});
    assert_int_equal(r.path.len, 2);
    assert_int_equal(r.stats.merge_refused, 1);
    again(&r);
    explore(&r, (struct explore_options){.merge = true, .no_cost_heuristic = true});
    assert_int_equal(r.path.len, 1);
    end(&r);
}

static void registers_overlap_as_bytes(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R1 + 1, ir_const(b, 8, 0xab));                /* one byte in a register */
    ir_put(b, R2 + 4, ir_const(b, 64, 0x1122334455667788)); /* across two */
    struct bits wide = bits_u64(0, 256);
    for (unsigned i = 0; i < 4; i++)
        wide.w[i] = i + 1;
    ir_put(b, V0, ir_const_bits(b, 256, wide));
    ir_put(b, R0, ir_get(b, V0 + 12, 64));
    mini_return(r.m);
    explore(&r, (struct explore_options){.keep_regs = true});
    const struct exec_path *p = r.path.data[0];
    assert_int_equal(exec_path_register(r.x, p, R1 + 1, 8), term_const(r.t, 8, 0xab));
    assert_int_equal(exec_path_register(r.x, p, R1, 8), term_extract(r.t, arg(&r, 1), 0, 8));
    assert_int_equal(exec_path_register(r.x, p, R2 + 4, 32), term_const(r.t, 32, 0x55667788));
    assert_int_equal(exec_path_register(r.x, p, R3, 32), term_const(r.t, 32, 0x11223344));
    assert_int_equal(exec_path_register(r.x, p, R3 + 4, 32), term_extract(r.t, arg(&r, 3), 32, 32));
    assert_int_equal(p->result, num(&r, UINT64_C(3) << 32));
    end(&r);
}

static void wide_accesses_and_guards(void **s)
{
    (void)s;
    /* store 32 bytes at r0; a guarded store that does not happen; load 16 bytes in the middle */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_store(b, 0, ir_get(b, R0, 64), ir_get(b, V0, 256), IR_NONE);
    ir_val c = ir_bin(b, OP_EQ, ir_get(b, R1, 64), ir_const(b, 64, 0));
    ir_store(b, 0, ir_get(b, R0, 64), ir_const(b, 64, 9), c);
    ir_val mid = ir_bin(b, OP_ADD, ir_get(b, R0, 64), ir_const(b, 64, 8));
    ir_val v = ir_load(b, 0, mid, 128, IR_NONE, IR_NONE);
    ir_put(b, R2, ir_extract(b, v, 64, 64));
    ir_put(b, R3, ir_load(b, 0, ir_get(b, R0, 64), 64, c, ir_const(b, 64, 1)));
    mini_return(r.m);
    explore(&r, (struct explore_options){.keep_regs = true});
    const struct exec_path *p = r.path.data[0];
    assert_int_equal(exec_path_register(r.x, p, R2, 64),
                     term_extract(r.t, term_var(r.t, "v0", 256), 128, 64));
    term zero = term_eq(r.t, arg(&r, 1), num(&r, 0));
    assert_int_equal(exec_path_register(r.x, p, R3, 64), term_ite(r.t, zero, num(&r, 9), num(&r, 1)));
    assert_int_equal(p->write[1].guard, zero);
    end(&r);
}

static void intrinsics_are_ordered_events(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    struct ir_event clock = {.name = "rdtsc", .guard = IR_NONE, .mem_addr = IR_NONE, .observable = true};
    struct ir_event state = {
        .name = "control", .guard = IR_NONE, .mem_addr = IR_NONE, .writes = {{R4, 8}}, .nwrites = 1};
    ir_val first = ir_event(b, &clock, NULL, 0, 64);
    ir_val second = ir_event(b, &clock, NULL, 0, 64);
    ir_event(b, &state, &first, 1, 0);
    ir_put(b, R0, ir_bin(b, OP_SUB, second, first));
    mini_return(r.m);
    explore(&r, (struct explore_options){.keep_regs = true});
    const struct exec_path *p = r.path.data[0];
    assert_int_equal(p->nevents, 2);
    assert_int_equal(p->event[0].kind, EVENT_INTRINSIC);
    assert_int_not_equal(p->event[0].result, p->event[1].result);
    assert_int_not_equal(exec_path_register(r.x, p, R4, 64), term_var(r.t, "r4", 64));
    end(&r);
}

/* What functions and instructions are called decides nothing. */
static void names_mislead_nobody(void **s)
{
    (void)s;
    static const char *const name[] = {"arg0",       "heap:x",  "clobber:r5", "sp",  "new:f",
                                       "ret:f",      "f!1",     "world",      "mem", "caller",
                                       "heap:errno", "&object", "after:f/3",  "*"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        /* local = 7; r6 = name(&local); *r6 = 8; *event() = 9; return local */
        struct run r = begin();
        struct ir_event e = {.name = name[i], .guard = IR_NONE, .mem_addr = IR_NONE, .observable = true};
        struct ir_builder *b = mini_begin(r.m, 0);
        ir_val local = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16));
        ir_store(b, 0, local, ir_const(b, 64, 7), IR_NONE);
        ir_put(b, R0, local);
        mini_call(r.m, name[i], 1);
        b = mini_begin(r.m, 1);
        ir_store(b, 0, ir_get(b, R0, 64), ir_const(b, 64, 8), IR_NONE);
        ir_store(b, 0, ir_event(b, &e, NULL, 0, 64), ir_const(b, 64, 9), IR_NONE);
        local = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-16));
        ir_put(b, R0, ir_load(b, 0, local, 64, IR_NONE, IR_NONE));
        mini_return(r.m);
        explore(&r, (struct explore_options){.keep_regs = true});
        const struct exec_path *p = r.path.data[0];
        term result = p->event[0].result, intrinsic = p->event[1].result,
             left = exec_path_register(r.x, p, R5, 64);
        assert_int_equal(term_origin(r.t, result).kind, ORIGIN_RESULT);
        assert_string_equal(term_origin(r.t, result).name, name[i]);
        assert_int_equal(term_origin(r.t, intrinsic).kind, ORIGIN_INTRINSIC);
        assert_int_equal(term_origin(r.t, left).kind, ORIGIN_CLOBBERED);
        assert_false(origin_is_new_object(r.t, result) || origin_is_new_object(r.t, intrinsic));
        assert_int_not_equal(result, left);
        /* either may point to the local, which the callee has the address of */
        term without = term_read(r.t, p->event[0].mem_after, sp(&r, -16), 64);
        assert_int_equal(term_kind(r.t, p->result), TERM_READ);
        assert_int_not_equal(p->result, without);
        assert_int_equal(term_kind(r.t, term_kid(r.t, p->result, 0)), TERM_WRITE);
        assert_int_equal(term_kid(r.t, term_kid(r.t, p->result, 0), 1), intrinsic);
        end(&r);
    }
}

/* Two callees whose names are alike for longer than any buffer are two. */
static void long_names_are_told_apart(void **s)
{
    (void)s;
    enum { LONG = 600 };
    char one[LONG + 2], two[LONG + 2];
    memset(one, 'f', LONG);
    memset(two, 'f', LONG);
    strcpy(one + LONG, "1");
    strcpy(two + LONG, "2");
    term result[2];
    struct run r = begin();
    struct mini *first = r.m;
    for (int i = 0; i < 2; i++) {
        if (i)
            r.m = mini_new();
        mini_begin(r.m, 0);
        mini_call(r.m, i ? two : one, 1);
        mini_begin(r.m, 1);
        mini_return(r.m);
        explore(&r, (struct explore_options){0});
        result[i] = r.path.data[0]->result;
        if (!i)
            again(&r);
    }
    assert_int_not_equal(result[0], result[1]);
    mini_free(first);
    end(&r);
}

static void unknown_instructions_change_what_they_may(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_unknown(b, &(struct ir_unknown){
                      .address = 0x1000, .length = 4, .writes = {{R0, 8}}, .nwrites = 1, .text = "vwhat"});
    ir_val at = ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-8));
    ir_store(b, 0, at, ir_const(b, 64, 3), IR_NONE);
    ir_unknown(b, &(struct ir_unknown){.address = 0x1004, .length = 4, .mem_write = true, .text = "vwhere"});
    ir_put(b, R1, ir_load(b, 0, at, 64, IR_NONE, IR_NONE));
    mini_return(r.m);
    explore(&r, (struct explore_options){.keep_regs = true});
    const struct exec_path *p = r.path.data[0];
    assert_int_not_equal(p->result, arg(&r, 0));
    assert_false(term_is_const(r.t, exec_path_register(r.x, p, R1, 64)));
    assert_int_equal(r.stats.unknown_effects, 2);
    assert_int_equal(p->nevents, 2);
    assert_int_equal(p->event[0].kind, EVENT_UNKNOWN);
    end(&r);
}

static void a_pointer_kept_in_a_local_may_point_to_a_local(void **s)
{
    (void)s;
    /* table[0] = &x (in the frame); x = 1; *table[r0] = 2; return x: not decided */
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val frame = ir_get(b, SP, 64);
    ir_val px = ir_bin(b, OP_ADD, frame, ir_const(b, 64, (uint64_t)-8));
    ir_val table = ir_bin(b, OP_ADD, frame, ir_const(b, 64, (uint64_t)-64));
    ir_store(b, 0, table, px, IR_NONE);
    ir_store(b, 0, px, ir_const(b, 64, 1), IR_NONE);
    ir_val index = ir_bin(b, OP_SHL, ir_get(b, R0, 64), ir_const(b, 64, 3));
    ir_val p = ir_load(b, 0, ir_bin(b, OP_ADD, table, index), 64, IR_NONE, IR_NONE);
    ir_store(b, 0, p, ir_const(b, 64, 2), IR_NONE);
    ir_put(b, R0, ir_load(b, 0, px, 64, IR_NONE, IR_NONE));
    mini_return(r.m);
    explore(&r, (struct explore_options){0});
    struct term_model *m = term_model_new();
    struct bits v;
    term_model_set(m, term_var(r.t, "sp", 64), bits_u64(0x7000, 64));
    assert_true(term_eval(r.t, m, r.path.data[0]->result, &v));
    assert_int_equal(bits_low(v), 2);
    term_model_set(m, arg(&r, 0), bits_u64(3, 64));
    assert_true(term_eval(r.t, m, r.path.data[0]->result, &v));
    assert_int_equal(bits_low(v), 1);
    term_model_free(m);
    end(&r);
}

/* Forty branches that each leave the whole frame different, then its address is given away: every choice is made from
 * the one before, on both sides. */
static void a_frame_of_many_choices_escapes(void **s)
{
    (void)s;
    enum { CHOICES = 40, LOCALS = 30 };
    struct run r = begin();
    for (unsigned i = 0; i < CHOICES; i++) {
        struct ir_builder *b = mini_begin(r.m, 3 * i);
        ir_val word = ir_load(b, 0, ir_bin(b, OP_ADD, ir_get(b, R0, 64), ir_const(b, 64, 8 * i)), 64, IR_NONE, IR_NONE);
        mini_branch(r.m, ir_bin(b, OP_EQ, word, ir_const(b, 64, 0)), 3 * i + 1, 3 * i + 2);
        for (unsigned side = 1; side <= 2; side++) {
            b = mini_begin(r.m, 3 * i + side);
            for (unsigned k = 0; k < LOCALS; k++)
                ir_store(b, 0,
                         ir_bin(b, OP_ADD, ir_get(b, SP, 64), ir_const(b, 64, (uint64_t)-8 * (k + side))),
                         ir_const(b, 64, 1000 * i + 100 * side + k), IR_NONE);
            mini_jump(r.m, 3 * i + 3);
        }
    }
    struct ir_builder *b = mini_begin(r.m, 3 * CHOICES);
    ir_put(b, R0, ir_bin(b, OP_SUB, ir_get(b, SP, 64), ir_const(b, 64, 64)));
    mini_call(r.m, "f", 3 * CHOICES + 1);
    mini_begin(r.m, 3 * CHOICES + 1);
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true, .no_cost_heuristic = true});
    assert_int_equal(r.path.len, 1);
    assert_true(r.path.data[0]->escaped);
    assert_true(term_size(r.t, r.path.data[0]->event[0].mem_before) < 100 * CHOICES * LOCALS);
    end(&r);
}

/* g(); if (r0) { r0 = 1; r1 = &local; } else r0 = 2; f(...): the local may be what f is given. */
static void an_argument_of_one_side_is_one(void **s)
{
    (void)s;
    struct run r = begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_call(r.m, "g", 1);
    b = mini_begin(r.m, 1);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 3, 2);
    b = mini_begin(r.m, 2);
    ir_put(b, R0, ir_const(b, 64, 1));
    ir_put(b, R1, ir_bin(b, OP_SUB, ir_get(b, SP, 64), ir_const(b, 64, 8)));
    mini_jump(r.m, 4);
    b = mini_begin(r.m, 3);
    ir_put(b, R0, ir_const(b, 64, 2));
    mini_jump(r.m, 4);
    mini_begin(r.m, 4);
    mini_call(r.m, "f", 5);
    mini_begin(r.m, 5);
    mini_return(r.m);
    explore(&r, (struct explore_options){.merge = true, .no_cost_heuristic = true});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->nevents, 2);
    assert_int_equal(r.path.data[0]->event[1].nargs, 2);
    assert_true(r.path.data[0]->escaped);
    end(&r);
}

static void order_is_deterministic(void **s)
{
    (void)s;
    struct run a = begin(), b = begin();
    build_ifs(a.m, 6);
    build_ifs(b.m, 6);
    explore(&a, (struct explore_options){0});
    explore(&b, (struct explore_options){0});
    assert_int_equal(a.path.len, b.path.len);
    for (size_t i = 0; i < a.path.len; i++) {
        assert_int_equal(a.path.data[i]->condition, b.path.data[i]->condition);
        assert_int_equal(a.path.data[i]->result, b.path.data[i]->result);
    }
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abs_has_two_paths),
        cmocka_unit_test(abs_merges_into_one),
        cmocka_unit_test(pointers_may_be_equal),
        cmocka_unit_test(a_local_is_not_reached_by_an_argument),
        cmocka_unit_test(locals_survive_calls_unless_they_escape),
        cmocka_unit_test(saved_registers_survive_an_escape),
        cmocka_unit_test(equal_calls_have_equal_results),
        cmocka_unit_test(registers_do_not_survive_calls_unless_saved),
        cmocka_unit_test(loops_stop_at_the_bound),
        cmocka_unit_test(forty_ifs_merge_into_one_state),
        cmocka_unit_test(twelve_ifs_have_4096_paths),
        cmocka_unit_test(early_returns_join_and_traps_stay_alone),
        cmocka_unit_test(stores_of_one_side_become_conditional),
        cmocka_unit_test(calls_of_one_side_are_guarded),
        cmocka_unit_test(different_stack_pointers_do_not_merge),
        cmocka_unit_test(too_many_addresses_are_not_merged),
        cmocka_unit_test(registers_overlap_as_bytes),
        cmocka_unit_test(wide_accesses_and_guards),
        cmocka_unit_test(intrinsics_are_ordered_events),
        cmocka_unit_test(names_mislead_nobody),
        cmocka_unit_test(long_names_are_told_apart),
        cmocka_unit_test(unknown_instructions_change_what_they_may),
        cmocka_unit_test(a_pointer_kept_in_a_local_may_point_to_a_local),
        cmocka_unit_test(a_frame_of_many_choices_escapes),
        cmocka_unit_test(an_argument_of_one_side_is_one),
        cmocka_unit_test(order_is_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
