/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends of a path beside returning: faults that were asked for, objects thrown. */
#include "../test.h"

#include <string.h>

#include "exec/code.h"
#include "exec/replay.h"
#include "exec/start.h"
#include "mini.h"

static void explore(struct mini_run *r, struct explore_options opt, struct exec_start start)
{
    struct error err;
    opt.axioms = AXIOM_ALL;
    opt.prune = true;
    explorer_free(r->x);
    vec_clear(&r->path);
    r->x = explorer_new_bare(&r->machine, (struct ir_pures){NULL, 0}, r->t, r->s, &opt);
    start.g = mini_graph(r->m);
    for (uint32_t i = 0; i < start.g->nblocks; i++)
        assert_true(ir_validate(&start.g->block[i], &r->machine, NULL, NULL));
    assert_true(explore_start(r->x, &start, mini_run_keep, r, &err));
}

static const struct exec_path *only(struct mini_run *r, enum path_end which)
{
    const struct exec_path *found = NULL;
    for (size_t i = 0; i < r->path.len; i++)
        if (r->path.data[i]->end == which) {
            assert_null(found);
            found = r->path.data[i];
        }
    assert_non_null(found);
    return found;
}

static void replays(struct mini_run *r)
{
    for (size_t i = 0; i < r->path.len; i++) {
        struct replay out;
        if (!replay_path(r->x, r->m->g, r->path.data[i], &out))
            fail_msg("path %zu: %s", i, out.why);
    }
}

static term arg(struct mini_run *r, unsigned i)
{
    return term_var(r->t, i ? "arg1" : "arg0", 64);
}

static term num(struct mini_run *r, uint64_t v)
{
    return term_const(r->t, 64, v);
}

/* [sp - 8] = [r0]; return [r0 + 8]: the second access is not below 4096 when the first was not. */
static void a_null_access_is_an_end(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val p = ir_get(b, R0, 64), slot = ir_bin(b, OP_SUB, ir_get(b, SP, 64), ir_const(b, 64, 8));
    ir_store(b, 0, slot, ir_load(b, 0, p, 64, IR_NONE, IR_NONE), IR_NONE);
    ir_put(b, R0, ir_load(b, 0, p, 32, IR_NONE, IR_NONE));
    mini_return(r.m);
    explore(&r, (struct explore_options){0}, (struct exec_start){0});
    assert_int_equal(r.path.len, 1);
    explore(&r, (struct explore_options){.faults = FAULT_NULL | FAULT_DIVISION | FAULT_UNMAPPED},
            (struct exec_start){0});
    assert_int_equal(r.path.len, 2);
    const struct exec_path *f = only(&r, PATH_FAULT), *ret = only(&r, PATH_RETURN);
    term low = term_bin(r.t, OP_ULT, arg(&r, 0), num(&r, 4096));
    assert_int_equal(f->fault->kind, FAULT_NULL);
    assert_int_equal(f->fault->condition, low);
    assert_int_equal(f->fault->address, arg(&r, 0));
    assert_int_equal(f->fault->bytes, 8);
    assert_false(f->fault->write);
    assert_int_equal(f->end_address, mini_label(0));
    assert_int_equal(f->condition, low);
    assert_int_equal(ret->condition, term_not(r.t, low));
    replays(&r);
    mini_run_end(&r);
}

/* A guarded store faults only where it is done; nothing goes on where it always faults. */
static void a_fault_has_the_access_guard(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_val guard = ir_extract(b, ir_get(b, R1, 64), 0, 1);
    ir_store(b, 0, ir_const(b, 64, 0), ir_get(b, R0, 64), guard);
    mini_return(r.m);
    explore(&r, (struct explore_options){.faults = FAULT_NULL}, (struct exec_start){0});
    assert_int_equal(r.path.len, 2);
    assert_int_equal(only(&r, PATH_FAULT)->condition, term_extract(r.t, arg(&r, 1), 0, 1));
    assert_true(only(&r, PATH_FAULT)->fault->write);
    term given[] = {TERM_NONE, num(&r, 1)};
    explore(&r, (struct explore_options){.faults = FAULT_NULL},
            (struct exec_start){.arg = given, .nargs = 2});
    assert_int_equal(r.path.len, 1);
    assert_int_equal(r.path.data[0]->end, PATH_FAULT);
    mini_run_end(&r);
}

static void a_division_by_zero_is_an_end(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R0, ir_bin(b, OP_UDIV, ir_get(b, R0, 64), ir_get(b, R1, 64)));
    mini_return(r.m);
    explore(&r, (struct explore_options){.faults = FAULT_DIVISION}, (struct exec_start){0});
    assert_int_equal(r.path.len, 2);
    assert_int_equal(only(&r, PATH_FAULT)->fault->kind, FAULT_DIVISION);
    assert_int_equal(only(&r, PATH_FAULT)->condition, term_eq(r.t, arg(&r, 1), num(&r, 0)));
    replays(&r);
    mini_run_end(&r);
}

/* What two adjacent pages have is mapped as one; an access that reaches past the second is not. */
static void outside_the_pages_is_unmapped(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R0, ir_load(b, 0, ir_get(b, R0, 64), 32, IR_NONE, IR_NONE));
    mini_return(r.m);
    uint8_t data[16] = {1};
    struct exec_page page[] = {{0x5000, data, 8}, {0x5008, data, 8}};
    struct exec_snapshot snapshot = {page, 2};
    static const struct {
        uint64_t at;
        bool faults;
    } cases[] = {{0x5000, false}, {0x5006, false}, {0x500c, false},
                 {0x500d, true},  {0x4fff, true},  {0x6000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        term at = num(&r, cases[i].at);
        explore(&r, (struct explore_options){.faults = FAULT_UNMAPPED},
                (struct exec_start){.snapshot = &snapshot, .arg = &at, .nargs = 1});
        assert_int_equal(r.path.len, 1);
        assert_int_equal(r.path.data[0]->end, cases[i].faults ? PATH_FAULT : PATH_RETURN);
    }
    explore(&r, (struct explore_options){.faults = FAULT_UNMAPPED},
            (struct exec_start){.snapshot = &snapshot});
    assert_int_equal(r.path.len, 2);
    assert_int_equal(only(&r, PATH_FAULT)->fault->kind, FAULT_UNMAPPED);
    replays(&r);
    mini_run_end(&r);
}

/* if (r0) throw 7; return */
static void a_throw_is_an_end(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    r.machine.throws = 32;
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_branch(r.m, ir_bin(b, OP_EQ, ir_get(b, R0, 64), ir_const(b, 64, 0)), 1, 2);
    mini_begin(r.m, 1);
    mini_return(r.m);
    b = mini_begin(r.m, 2);
    mini_throw(r.m, ir_const(b, 32, 7));
    explore(&r, (struct explore_options){.merge = true, .merge_returns = true}, (struct exec_start){0});
    assert_int_equal(r.path.len, 2);
    assert_int_equal(only(&r, PATH_THROW)->thrown, term_const(r.t, 32, 7));
    assert_string_equal(path_end_name(PATH_THROW), "throws");
    replays(&r);
    mini_run_end(&r);
}

/* A callee that is not followed returns or throws: to the handler where there is one, else out of the
 * function. */
static void an_unknown_callee_may_throw(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    r.machine.throws = 32;
    mini_begin(r.m, 0);
    mini_try(r.m, "f", 1, 2);
    mini_begin(r.m, 1);
    mini_call(r.m, "other", 3);
    struct ir_builder *b = mini_begin(r.m, 2); /* the handler */
    ir_put(b, R0, ir_zext(b, ir_get(b, R0, 32), 64));
    mini_return(r.m);
    mini_begin(r.m, 3);
    mini_return(r.m);
    explore(&r, (struct explore_options){0}, (struct exec_start){0});
    assert_int_equal(r.path.len, 3);
    const struct exec_path *out = only(&r, PATH_THROW), *caught = NULL;
    assert_string_equal(out->event[1].name, "other");
    assert_int_equal(out->thrown, out->event[1].thrown);
    for (size_t i = 0; i < r.path.len; i++)
        if (r.path.data[i]->end == PATH_RETURN && r.path.data[i]->nevents == 1)
            caught = r.path.data[i];
    assert_non_null(caught);
    assert_int_equal(caught->condition, caught->event[0].threw);
    assert_int_equal(caught->result, term_zext(r.t, caught->event[0].thrown, 64));
    replays(&r);
    mini_run_end(&r);
}

/* ---- an object comes out of a callee that is followed ---- */

enum { WORD = 0x5000 };

/* Two functions with register files of their own: the one asked for, and all that it calls. */
struct pair {
    struct mini *callee;
    struct ir_machine caller_machine, callee_machine;
};

static bool body_of(void *ctx, uint64_t address, struct exec_body *out)
{
    struct pair *p = ctx;
    bool asked = address == mini_label(0);
    *out = (struct exec_body){.graph = asked ? NULL : p->callee->g,
                              .machine = asked ? &p->caller_machine : &p->callee_machine,
                              .frame = 64,
                              .top = UINT32_MAX};
    return true;
}

/* r4 = 8; if ([WORD]) throw [WORD] + 1 */
static void build_thrower(struct mini *m)
{
    struct ir_builder *b = mini_begin(m, 0);
    ir_put(b, R4, ir_const(b, 64, 8));
    ir_val v = ir_load(b, 0, ir_const(b, 64, WORD), 32, IR_NONE, IR_NONE);
    ir_put(b, R5, ir_zext(b, v, 64));
    mini_branch(m, ir_bin(b, OP_EQ, v, ir_const(b, 32, 0)), 1, 2);
    mini_begin(m, 1);
    mini_return(m);
    b = mini_begin(m, 2);
    mini_throw(m, ir_bin(b, OP_ADD, ir_get(b, R5, 32), ir_const(b, 32, 1)));
    mini_graph(m);
}

/* r4 = 7; try { f(); } catch (r0) { return r0 + r4; } [WORD] = r1; f(); return r4 */
static void a_followed_callee_throws(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct error err;
    struct pair p = {.callee = mini_new()};
    r.machine.throws = 32;
    r.machine.locals = true;
    r.machine.ret_width = 64;
    p.caller_machine = p.callee_machine = r.machine;
    build_thrower(p.callee);
    struct ir_builder *b = mini_begin(r.m, 0);
    ir_put(b, R4, ir_const(b, 64, 7));
    mini_try(r.m, "f", 1, 2);
    b = mini_begin(r.m, 1);
    ir_store(b, 0, ir_const(b, 64, WORD), ir_get(b, R1, 32), IR_NONE);
    mini_call(r.m, "f", 3);
    b = mini_begin(r.m, 2);
    ir_put(b, R0, ir_bin(b, OP_ADD, ir_zext(b, ir_get(b, R0, 32), 64), ir_get(b, R4, 64)));
    mini_return(r.m);
    b = mini_begin(r.m, 3);
    ir_put(b, R0, ir_get(b, R4, 64));
    mini_return(r.m);
    mini_graph(r.m);

    struct exec_code code = {.ctx = &p, .body = body_of};
    struct explore_options opt = {.axioms = AXIOM_ALL, .prune = true, .inline_depth = 1};
    r.x = explorer_new_code(&code, &p.caller_machine, r.t, r.s, &opt);
    assert_true(explore_graph(r.x, r.m->g, mini_run_keep, &r, &err));
    assert_int_equal(r.path.len, 3);
    term word = term_read(r.t, explorer_symbols(r.x).mem, num(&r, WORD), 32), one = term_const(r.t, 32, 1);
    term none = term_eq(r.t, word, term_const(r.t, 32, 0));
    const struct exec_path *out = only(&r, PATH_THROW);
    term given = term_extract(r.t, explorer_entry(r.x, R1, 64), 0, 32);
    assert_int_equal(out->thrown, term_bin(r.t, OP_ADD, given, one));
    assert_int_equal(out->end_address, mini_label(1));
    unsigned caught = 0;
    for (size_t i = 0; i < r.path.len; i++) {
        const struct exec_path *path = r.path.data[i];
        assert_int_equal(path->nevents, 0);
        if (path->end != PATH_RETURN)
            continue;
        if (path->condition == term_not(r.t, none)) {
            term object = term_zext(r.t, term_bin(r.t, OP_ADD, word, one), 64);
            assert_int_equal(path->result, term_add_const(r.t, object, 7));
            caught++;
        } else { /* the register that the callee used is the caller's again */
            assert_int_equal(path->result, num(&r, 7));
        }
    }
    assert_int_equal(caught, 1);
    replays(&r);
    mini_free(p.callee);
    mini_run_end(&r);
}

static void a_block_that_throws_is_checked(void **s)
{
    (void)s;
    struct mini_run r = mini_run_begin();
    struct ir_builder *b = mini_begin(r.m, 0);
    mini_throw(r.m, ir_const(b, 32, 7));
    struct buf why = BUF_INIT;
    assert_false(ir_validate(&mini_graph(r.m)->block[0], &mini_machine, NULL, &why));
    assert_non_null(strstr(buf_text(&why), "object has width 32, not 0"));
    buf_free(&why);
    mini_run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_access_is_an_end),
        cmocka_unit_test(a_fault_has_the_access_guard),
        cmocka_unit_test(a_division_by_zero_is_an_end),
        cmocka_unit_test(outside_the_pages_is_unmapped),
        cmocka_unit_test(a_throw_is_an_end),
        cmocka_unit_test(an_unknown_callee_may_throw),
        cmocka_unit_test(a_followed_callee_throws),
        cmocka_unit_test(a_block_that_throws_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
