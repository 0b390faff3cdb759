/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two files mapped at once, for an instruction set: the test is the loader, and gives an exploration what it
 * wrote to the GOT slots and pointers of both as a snapshot. Callees in the other file are followed, or not,
 * and every path is replayed. Given pairs of a program and its library. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/replay.h"
#include "exec/start.h"

enum { STACK_SIZE = 0x2000 };

struct file {
    struct program *p;
    const struct object *o;
    uint64_t at;
};

struct run {
    struct file file[2];
    struct terms *t;
    struct solver *s;
    struct explorer *x;
    const struct ir_machine *m;
    term arg;
    VEC(struct exec_page) page;
    struct exec_snapshot snapshot;
    VEC(uint8_t *) bytes;
    uint64_t sp;
    const struct flow_function *f;
    VEC(const struct exec_path *) path;
};

static char **input;
static int ninputs;

static bool keep(void *ctx, const struct exec_path *p)
{
    struct run *r = ctx;
    vec_push(&r->path, p);
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct exec_page *l = a, *r = b;
    return l->address < r->address ? -1 : l->address > r->address;
}

static void write_word(struct run *r, uint64_t address, uint64_t value)
{
    for (size_t i = 0; i < r->page.len; i++)
        if (r->page.data[i].address == address)
            return;
    unsigned n = r->m->pointer_width / 8;
    uint8_t *byte = xcalloc(1, 8);
    memcpy(byte, &value, n);
    vec_push(&r->bytes, byte);
    vec_push(&r->page, ((struct exec_page){address, byte, n}));
}

/* Where a function that a file imports is; 0: nowhere. */
static uint64_t find(const struct run *r, const char *name)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct object_symbol *s = object_symbol_by_name(r->file[i].o, name);
        if (s && !s->undefined)
            return s->address + r->file[i].at + s->thumb;
    }
    return 0;
}

static void load(struct run *r, const struct file *f)
{
    const struct object_stub *stub;
    const struct object_pointer *ptr;
    size_t n = object_stubs(f->o, &stub);
    for (size_t i = 0; i < n; i++) {
        uint64_t slot = stub[i].kind == STUB_GOT ? stub[i].address : stub[i].slot;
        uint64_t to = stub[i].name ? find(r, stub[i].name) : 0;
        if (slot && to)
            write_word(r, slot + f->at, to);
    }
    n = object_pointers(f->o, &ptr);
    for (size_t i = 0; i < n; i++) {
        uint64_t to = ptr[i].name ? find(r, ptr[i].name) : (ptr[i].target | ptr[i].thumb) + f->at;
        if (to)
            write_word(r, ptr[i].address + f->at, to + (ptr[i].name ? (uint64_t)ptr[i].addend : 0));
    }
}

static struct run begin(int pair, uint64_t at)
{
    struct error err;
    struct run r = {.t = terms_new()};
    for (unsigned i = 0; i < 2; i++) {
        r.file[i].p = program_open(input[2 * pair + (int)i], NULL, &err);
        if (!r.file[i].p)
            fail_msg("%s", err.text);
        r.file[i].o = program_object(r.file[i].p);
    }
    r.s = solver_new(r.t, NULL, &err);
    assert_non_null(r.s);
    r.m = program_machine(r.file[0].p);
    bool wide = r.m->pointer_width == 64;
    r.file[0].at = at;
    r.file[1].at = wide ? UINT64_C(0x7f1234567000) : 0xf7123000;
    r.arg = term_var(r.t, "x", r.m->pointer_width);
    load(&r, &r.file[0]);
    load(&r, &r.file[1]);
    uint64_t stack = wide ? UINT64_C(0x7ffd00000000) : 0xbe000000;
    uint8_t *byte = xcalloc(1, STACK_SIZE);
    r.sp = stack + STACK_SIZE - 0x100 - r.m->call_pushes;
    if (r.m->call_pushes)
        memcpy(byte + (r.sp - stack), &(uint32_t){0xc0ffee0}, 4);
    vec_push(&r.bytes, byte);
    vec_push(&r.page, ((struct exec_page){stack, byte, STACK_SIZE}));
    vec_sort(&r.page, by_address);
    r.snapshot = (struct exec_snapshot){r.page.data, r.page.len};
    return r;
}

static void explore(struct run *r, const char *name, struct explore_options opt)
{
    struct error err;
    opt.axioms = AXIOM_ALL;
    opt.bias = r->file[0].at;
    opt.prune = true;
    explorer_free(r->x);
    vec_clear(&r->path);
    r->x = explorer_new(r->file[0].p, r->t, r->s, &opt);
    assert_int_equal(explorer_map(r->x, r->file[1].p, r->file[1].at), 1);
    struct exec_set set[] = {{r->m->sp, term_const(r->t, r->m->pointer_width, r->sp)},
                             {r->m->lr, term_const(r->t, r->m->pointer_width, 0xc0ffee0)}};
    r->f = program_function(r->file[0].p, name, &err);
    assert_non_null(r->f);
    struct exec_start start = {.f = r->f,
                               .snapshot = &r->snapshot,
                               .arg = &r->arg,
                               .nargs = 1,
                               .set = set,
                               .nsets = r->m->lr == UINT16_MAX ? 1 : 2};
    if (!explore_start(r->x, &start, keep, r, &err))
        fail_msg("%s: %s", name, err.text);
}

static void end(struct run *r)
{
    vec_free(&r->path);
    explorer_free(r->x);
    solver_free(r->s);
    terms_free(r->t);
    for (size_t i = 0; i < r->bytes.len; i++)
        free(r->bytes.data[i]);
    vec_free(&r->bytes);
    vec_free(&r->page);
    program_free(r->file[0].p);
    program_free(r->file[1].p);
}

static void replays(struct run *r, const char *name)
{
    for (size_t i = 0; i < r->path.len; i++) {
        struct replay out;
        if (!replay_path(r->x, flow_graph(r->file[0].p, r->f), r->path.data[i], &out))
            fail_msg("%s, path %zu (%s): %s", name, i, path_end_name(r->path.data[i]->end), out.why);
    }
}

static term x32(struct run *r)
{
    return term_extract(r->t, r->arg, 0, 32);
}

static term num(struct run *r, int64_t v)
{
    return term_const(r->t, 32, (uint32_t)v);
}

/* Explores it, with and without merging: every path returns that, whatever x is, and was not summarised. */
static void returns(struct run *r, const char *name, const struct explore_hooks *h, term want)
{
    for (unsigned merge = 0; merge < 2; merge++) {
        explore(r, name, (struct explore_options){.inline_depth = 3, .merge = merge, .hooks = h});
        assert_true(r->path.len > 0);
        const term *assume;
        size_t n = explorer_assumptions(r->x, &assume);
        for (size_t i = 0; i < r->path.len; i++) {
            const struct exec_path *p = r->path.data[i];
            if (p->end != PATH_RETURN)
                fail_msg("%s: %s in file %u at %#llx", name, path_end_name(p->end), p->end_file,
                         (unsigned long long)p->end_address);
            assert_int_equal(p->nevents, 0);
            VEC(term) q = VEC_INIT;
            for (size_t k = 0; k < n; k++)
                vec_push(&q, assume[k]);
            vec_push(&q, p->condition);
            vec_push(&q, term_not(r->t, term_eq(r->t, term_extract(r->t, p->result, 0, 32), want)));
            enum solve_answer a = solve_check(r->s, q.data, q.len, NULL);
            vec_free(&q);
            if (a != SOLVE_UNSAT) {
                struct buf b = BUF_INIT;
                term_print(&b, r->t, p->result);
                fail_msg("%s: path %zu returns %s", name, i, buf_text(&b));
            }
        }
        assert_int_equal(r->path.data[0]->end_file, 0);
        replays(r, name);
    }
}

static term scaled(struct run *r, term x)
{
    return term_ite(r->t, term_bin(r->t, OP_SLT, num(r, 100), x), num(r, 0),
                    term_bin(r->t, OP_MUL, x, num(r, 3)));
}

static struct exec_call follow(void *ctx, struct exec_moment *at, const struct exec_callee *c)
{
    (void)ctx;
    (void)at;
    return (struct exec_call){.kind = c->f ? EXEC_CALL_FOLLOW : EXEC_CALL_USUAL};
}

static const struct explore_hooks all = {.call = follow}; /* tail calls, too */

static void callees_there_are_followed(struct run *r)
{
    term x = x32(r);
    returns(r, "through_stub", NULL, term_bin(r->t, OP_ADD, scaled(r, x), num(r, 1)));
    returns(r, "through_pointer", NULL, term_bin(r->t, OP_ADD, scaled(r, x), num(r, 2)));
    returns(r, "last", &all, scaled(r, term_bin(r->t, OP_ADD, x, num(r, 1))));
    /* and from there back into this one */
    term minus = term_bin(r->t, OP_SUB, x, num(r, 4));
    term back = term_bin(r->t, OP_ADD, term_bin(r->t, OP_MUL, minus, num(r, 10)), num(r, 2));
    returns(r, "there_and_back", &all, back);
}

/* A constant of the other file by a known index; a symbolic one is told to the solver by replaying. */
static void readonly_data_there_is_read(struct run *r)
{
    term one = r->arg;
    r->arg = term_const(r->t, r->m->pointer_width, 1);
    returns(r, "reads_there", NULL, num(r, 750));
    returns(r, "passes_own", &all, num(r, 246));
    r->arg = one;
    explore(r, "reads_there", (struct explore_options){.inline_depth = 3});
    assert_int_equal(r->path.len, 1);
    replays(r, "reads_there");
}

static void callees_there_are_summarised(struct run *r)
{
    static const char *const name[] = {"through_stub", "through_pointer"};
    for (unsigned i = 0; i < 2; i++) {
        explore(r, name[i], (struct explore_options){0});
        assert_int_equal(r->path.len, 1);
        const struct exec_path *p = r->path.data[0];
        assert_int_equal(p->nevents, 1);
        assert_string_equal(p->event[0].name, "1:scale");
        assert_int_equal(p->event[0].file, 0);
        assert_int_equal(p->event[0].nargs - p->event[0].nhidden, 1);
        assert_int_equal(p->event[0].guessed, -1);
        replays(r, name[i]);
    }
}

static bool within(const struct run *r, unsigned file, const char *name, uint64_t address)
{
    struct error err;
    const struct flow_function *f = program_function(r->file[file].p, name, &err);
    assert_non_null(f);
    return address >= f->address && address < f->address + f->size;
}

static void reports_name_the_file(struct run *r)
{
    explore(r, "unknown_there", (struct explore_options){.inline_depth = 3});
    assert_int_equal(r->path.len, 1);
    const struct exec_event *e = &r->path.data[0]->event[0];
    assert_int_equal(r->path.data[0]->nevents, 1);
    assert_string_equal(e->name, "1:missing");
    assert_int_equal(e->file, 1);
    assert_true(within(r, 1, "reports", e->site));
    replays(r, "unknown_there");

    explore(r, "traps_there", (struct explore_options){.inline_depth = 3});
    assert_int_equal(r->path.len, 2);
    unsigned traps = 0;
    for (size_t i = 0; i < 2; i++) {
        const struct exec_path *p = r->path.data[i];
        traps += p->end == PATH_TRAP;
        assert_int_equal(p->end_file, p->end == PATH_TRAP);
        if (p->end == PATH_TRAP)
            assert_true(within(r, 1, "checked", p->end_address));
    }
    assert_int_equal(traps, 1);
    replays(r, "traps_there");
}

static void each(void (*check)(struct run *))
{
    for (int i = 0; i < ninputs / 2; i++)
        for (unsigned k = 0; k < 2; k++) {
            struct run r = begin(i, k ? 0x55550000 : 0);
            check(&r);
            end(&r);
        }
}

static void followed(void **s)
{
    (void)s;
    each(callees_there_are_followed);
}

static void readonly(void **s)
{
    (void)s;
    each(readonly_data_there_is_read);
}

static void summarised(void **s)
{
    (void)s;
    each(callees_there_are_summarised);
}

static void reports(void **s)
{
    (void)s;
    each(reports_name_the_file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(followed),
        cmocka_unit_test(readonly),
        cmocka_unit_test(summarised),
        cmocka_unit_test(reports),
    };
    input = argv + 1;
    ninputs = argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
