/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of bitcode: for every path an input is found, run on the concrete interpreter, and must
 * do what the path says. Arguments: explore.bc, big.bc, and modules of the corpus. */
#include <stdio.h>
#include <string.h>

#include "exec/bitcode.h"
#include "exec/replay.h"
#include "flow/bitcode.h"
#include "test.h"

enum { PATHS = 12 };

static int nmodules;
static char **module;

struct run {
    struct explorer *x;
    const struct flow_graph *g;
    const char *file, *name;
    unsigned ok, unable, no_input, differs;
};

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct run *r = ctx;
    struct replay out = {0};
    replay_path(r->x, r->g, path, &out);
    switch (out.outcome) {
    case REPLAY_OK:
        r->ok++;
        break;
    case REPLAY_UNABLE:
        r->unable++;
        break;
    case REPLAY_NO_INPUT:
        r->no_input++;
        break;
    case REPLAY_DIFFERS:
        r->differs++;
        print_error("%s: %s: %s\n", r->file, r->name, out.why);
        break;
    }
    return true;
}

static void explore(struct bitcode *m, const struct bitcode_function *f, bool merge, unsigned depth,
                    struct run *r)
{
    struct error err = {0};
    const struct bitcode_code *c = bitcode_code(m, f, &err);
    if (!c)
        fail_msg("%s", err.text);
    struct arena arena = ARENA_INIT;
    struct terms *t = terms_new();
    struct solver *s = solver_new(
        t, &(struct solve_options){.timeout_ms = 600000, .effort = 500000, .fp_theory = true}, &err);
    struct explore_options opt = {.axioms = AXIOM_ALL,
                                  .max_paths = PATHS,
                                  .merge = merge,
                                  .merge_returns = merge,
                                  .max_depth = 60,
                                  .inline_depth = depth,
                                  .inline_blocks = 40,
                                  .recursion = 2};
    r->x = explorer_new_bitcode(m, c, t, s, &opt);
    r->g = flow_bitcode(c, &arena);
    r->name = f->name;
    assert_true(explore_graph(r->x, r->g, on_path, r, &err));
    explorer_free(r->x);
    solver_free(s);
    terms_free(t);
    arena_free(&arena);
}

/* ---- functions of explore.ll and big.ll, one by one ---- */

static const char *close_file, *big_file;

struct seen {
    struct explorer *x;
    struct terms *t;
    unsigned n;
    char end[8][24], result[8][512];
    char events[1024]; /* name(argument,...) of all paths */
};

static bool look(void *ctx, const struct exec_path *path)
{
    struct seen *s = ctx;
    struct buf b = BUF_INIT;
    if (s->n == 8)
        return false;
    if (path->result != TERM_NONE)
        term_print(&b, s->t, path->result);
    snprintf(s->end[s->n], sizeof s->end[0], "%s", path_end_name(path->end));
    snprintf(s->result[s->n++], sizeof s->result[0], "%s", buf_text(&b));
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        size_t at = strlen(s->events);
        buf_clear(&b);
        buf_printf(&b, "%s(", e->name ? e->name : "*");
        for (unsigned k = 0; k < e->nargs; k++) {
            if (k)
                buf_putc(&b, ',');
            term_print(&b, s->t, e->arg[k]);
        }
        buf_puts(&b, ")");
        snprintf(s->events + at, sizeof s->events - at, "%s%s", at ? " " : "", buf_text(&b));
    }
    buf_free(&b);
    return true;
}

static struct seen explore_to(const char *file, const char *name, unsigned axioms, unsigned depth)
{
    struct seen s = {0};
    struct error err = {0};
    struct bitcode *m = bitcode_open(file, &err);
    const struct bitcode_function *f = m ? bitcode_function(m, name, &err) : NULL;
    const struct bitcode_code *c = f ? bitcode_code(m, f, &err) : NULL;
    if (!c)
        fail_msg("%s", err.text);
    struct arena arena = ARENA_INIT;
    s.t = terms_new();
    struct solver *solver = solver_new(s.t, &(struct solve_options){0}, &err);
    s.x = explorer_new_bitcode(
        m, c, s.t, solver,
        &(struct explore_options){.axioms = axioms, .prune = true, .inline_depth = depth, .keep_regs = true});
    assert_true(explore_graph(s.x, flow_bitcode(c, &arena), look, &s, &err));
    explorer_free(s.x);
    solver_free(solver);
    terms_free(s.t);
    arena_free(&arena);
    bitcode_free(m);
    return s;
}

static struct seen explore_by(const char *file, const char *name, unsigned axioms)
{
    return explore_to(file, name, axioms, 0);
}

static struct seen explore_one(const char *name)
{
    return explore_by(close_file, name, AXIOM_ALL);
}

static void globals(void **state)
{
    (void)state;
    struct seen s = explore_one("globals_apart");
    assert_int_equal(s.n, 1);
    assert_string_equal(s.result[0], "0");
    /* Without the axiom the store may have hit the other one. */
    s = explore_by(close_file, "globals_apart", AXIOM_ALL & ~AXIOM_OBJECT);
    assert_string_not_equal(s.result[0], "0");
    s = explore_one("global_address");
    assert_int_equal(s.n, 1); /* &first is not null, and &weak may be */
    assert_string_equal(s.result[0], "&weak == 0");
    s = explore_one("constant_data");
    assert_string_equal(s.result[0], "115"); /* 'l' + 7 */
    s = explore_by(close_file, "constant_data", AXIOM_ALL & ~AXIOM_LITERAL);
    assert_string_not_equal(s.result[0], "115");
}

static void calls(void **state)
{
    (void)state;
    struct seen s = explore_one("library");
    assert_string_equal(s.result[0], "5");
    s = explore_one("call_arguments");
    assert_string_equal(s.events, "outside(arg0 + 1,&\"hello\")");
    assert_non_null(strstr(s.result[0], "+ 5")); /* a local that nobody has a pointer to survives */
    s = explore_one("call_through_table");
    assert_string_equal(s.events, "local(arg0)");
    s = explore_one("never_comes_back");
    assert_int_equal(s.n, 2);
    assert_string_equal(s.events, "stop()");
    assert_true(strcmp(s.end[0], "does not return") == 0 || strcmp(s.end[1], "does not return") == 0);
    s = explore_one("assembly");
    assert_string_equal(s.events, "asm \"mangle $0, $1\"(arg0)");
    s = explore_one("vector_call");
    assert_non_null(strstr(s.events, "vector.callee(concat("));
    s = explore_one("formats");
    assert_int_equal(s.n, 1);
    assert_non_null(strstr(s.events, "printf(&\"hello\",arg0,"));
}

static void effects(void **state)
{
    (void)state;
    struct seen s = explore_one("plain_twice");
    assert_string_equal(s.result[0], "0");
    s = explore_one("volatile_twice"); /* a device may give another value each time */
    assert_string_not_equal(s.result[0], "0");
    assert_string_equal(s.events, "volatile.load4(arg0) volatile.load4(arg0)");
    s = explore_one("throwing");
    assert_int_equal(s.n, 2);
    assert_true(strcmp(s.result[0], "-1") == 0 || strcmp(s.result[1], "-1") == 0);
    s = explore_one("divides"); /* by zero, and a quotient that does not fit */
    assert_int_equal(s.n, 3);
    assert_int_equal((strcmp(s.end[0], "traps") == 0) + (strcmp(s.end[1], "traps") == 0) +
                         (strcmp(s.end[2], "traps") == 0),
                     2);
    s = explore_one("jumps");
    assert_int_equal(s.n, 2);
    assert_string_equal(s.end[0], "returns");
    assert_string_equal(s.end[1], "returns");
}

static void big_endian(void **state)
{
    (void)state;
    struct seen s = explore_by(big_file, "first_byte", AXIOM_ALL);
    assert_string_equal(s.result[0], "arg0 >> 24");
    s = explore_by(big_file, "entry", AXIOM_ALL);
    assert_string_equal(s.result[0], "772");
}

/* What cannot be represented is refused or counted, and never left out. */
static void honest(void **state)
{
    (void)state;
    struct error err = {0};
    struct bitcode *m = bitcode_open(close_file, &err);
    assert_non_null(m);
    const struct bitcode_function *f = bitcode_function(m, "not_understood_bfloat", &err);
    const struct bitcode_code *c = bitcode_code(m, f, &err);
    assert_non_null(c);
    assert_int_equal(c->unknown, 1);
    assert_null(bitcode_code(m, bitcode_function(m, "too_wide", &err), &err));
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "i1024"));
    assert_null(bitcode_code(m, bitcode_function(m, "outside", &err), &err));
    assert_non_null(strstr(err.text, "defined elsewhere"));
    assert_null(bitcode_function(m, "divid", &err));
    assert_non_null(strstr(err.text, "divides"));
    assert_null(bitcode_function(m, "0x1", &err));
    bitcode_free(m);
    static const uint8_t bad[] = {'B', 'C', 0xc0, 0xde, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_null(bitcode_read("bad", bad, sizeof bad, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_null(bitcode_read("text", (const uint8_t *)"hello", 5, &err));
    assert_null(bitcode_open("/nowhere/at/all", &err));
}

static void data(void **state)
{
    (void)state;
    struct error err = {0};
    struct bitcode *m = bitcode_open(close_file, &err);
    struct bitcode_symbol s;
    struct bitcode_datum d;
    size_t n;
    assert_true(bitcode_symbol(m, "table", &s));
    assert_true(s.constant && s.initialised && !s.weak && !s.function);
    assert_int_equal(s.size, 32);
    assert_true(bitcode_symbol(m, "first", &s));
    assert_true(!s.constant && s.align == 16 && s.size == 4);
    assert_true(bitcode_symbol(m, "weak", &s) && s.weak);
    assert_true(bitcode_symbol(m, "outside", &s) && s.function);
    assert_false(bitcode_symbol(m, "nothing", &s));
    assert_true(bitcode_data(m, "table", 16, 4, &d));
    assert_int_equal(bits_low(d.value), 9);
    assert_true(bitcode_data(m, "table", 24, 8, &d));
    assert_string_equal(d.symbol, "\"hello\"");
    assert_int_equal(bits_low(d.value), 2);
    assert_false(bitcode_data(m, "table", 24, 4, &d)); /* half of an address */
    assert_false(bitcode_data(m, "table", 30, 4, &d)); /* past the end */
    assert_string_equal(bitcode_string(m, "\"hello\"", 2, &n), "llo");
    assert_int_equal(n, 3);
    assert_null(bitcode_string(m, "first", 0, &n));
    bitcode_free(m);
}

/* A callee that is followed has registers and locals of its own. */
static void followed(void **state)
{
    (void)state;
    struct seen s = explore_to(close_file, "follows", AXIOM_ALL, 1);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.result[0], "arg0 * 2 + 6");
    assert_string_equal(s.events, "");
    s = explore_to(close_file, "six", AXIOM_ALL, 4);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.result[0], "6");
    s = explore_to(close_file, "takes_pair", AXIOM_ALL, 1);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.result[0], "u64(arg0) + 9");
    s = explore_to(close_file, "callee_traps", AXIOM_ALL, 1);
    assert_int_equal(s.n, 2);
    assert_true(strcmp(s.end[0], "traps") == 0 || strcmp(s.end[1], "traps") == 0);
    /* what is not followed is a call as ever */
    s = explore_to(close_file, "vector_call", AXIOM_ALL, 2);
    assert_non_null(strstr(s.events, "vector.callee("));
    s = explore_to(close_file, "six", AXIOM_ALL, 2);
    assert_non_null(strstr(s.events, "factorial("));
    struct run r = {.file = close_file};
    struct error err = {0};
    struct bitcode *m = bitcode_open(close_file, &err);
    static const char *const name[] = {"follows", "factorial", "six", "takes_pair", "callee_traps"};
    for (unsigned i = 0; i < 2 * sizeof name / sizeof *name; i++)
        explore(m, bitcode_function(m, name[i / 2], &err), i % 2, 3, &r);
    assert_int_equal(r.differs + r.unable + r.no_input, 0);
    bitcode_free(m);
}

static void paths_replay(void **state)
{
    (void)state;
    struct run r = {0};
    for (int i = 0; i < nmodules; i++) {
        struct error err = {0};
        struct bitcode *m = bitcode_open(module[i], &err);
        if (!m)
            fail_msg("%s", err.text);
        const struct bitcode_function *f;
        size_t n = bitcode_functions(m, &f);
        r.file = module[i];
        for (size_t k = 0; k < n; k++)
            if (!f[k].declared && (k + (size_t)i) % 6 == 0) /* every function, in one or two of the modules */
                explore(m, &f[k], k % 2, (k + (size_t)i) / 6 % 2 * 3, &r);
        bitcode_free(m);
    }
    print_message("%u paths replayed, %u without an input, %u that cannot be run\n", r.ok, r.no_input,
                  r.unable);
    assert_int_equal(r.differs, 0);
    assert_true(r.ok > 100);
}

int main(int argc, char **argv)
{
    close_file = argv[1];
    big_file = argv[2];
    nmodules = argc - 3;
    module = argv + 3;
    const struct CMUnitTest tests[] = {cmocka_unit_test(globals),  cmocka_unit_test(calls),
                                       cmocka_unit_test(effects),  cmocka_unit_test(big_endian),
                                       cmocka_unit_test(honest),   cmocka_unit_test(data),
                                       cmocka_unit_test(followed), cmocka_unit_test(paths_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
