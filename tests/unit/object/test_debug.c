/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DWARF of every architecture, from gcc (DWARF 5) and clang, in .o files, linked and detached. */
#include "inputs.h"

#include <sys/stat.h>
#include <unistd.h>

static void check_types(const struct object *o)
{
    const struct object_function_debug *f = object_debug_function(o, input_bound(o, "compute")->address);
    assert_non_null(f);
    assert_string_equal(f->name, "compute");
    assert_true(f->external && !f->noreturn && !f->variadic);
    assert_non_null(strstr(f->file, "program.c"));
    assert_int_equal(f->line, 28);
    assert_int_equal(f->result->kind, TYPE_INT);
    assert_true(f->result->is_signed);
    assert_int_equal(f->result->size, 4);
    assert_int_equal(f->nparams, 2);
    assert_string_equal(f->param[0].name, "n");
    assert_string_equal(f->param[1].name, "x");

    unsigned word = object_info(o)->bits / 8;
    const struct object_type_info *pointer = f->param[0].type, *node = pointer->target;
    assert_int_equal(pointer->kind, TYPE_POINTER);
    assert_int_equal(pointer->size, word);
    assert_string_equal(pointer->name, "node_t *");
    assert_int_equal(node->kind, TYPE_STRUCT);
    assert_string_equal(node->name, "node_t");
    assert_int_equal(node->size, word + 28 + (word == 8 ? 4 : 0));
    assert_int_equal(node->nfields, 4);
    /* The list goes on for ever; each step is a node again. */
    const struct object_type_info *next = node->field[0].type;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(next->kind, TYPE_POINTER);
        assert_string_equal(next->target->name, "struct node");
        assert_int_equal(next->target->nfields, 4);
        next = next->target->field[0].type;
    }
    const struct object_type_info *grid = node->field[1].type;
    assert_int_equal(node->field[1].offset, word);
    assert_int_equal(grid->kind, TYPE_ARRAY);
    assert_int_equal(grid->count, 2);
    assert_int_equal(grid->size, 24);
    assert_int_equal(grid->target->count, 3);
    assert_int_equal(grid->target->target->kind, TYPE_INT);
    assert_string_equal(node->field[2].name, "flag");
    assert_int_equal(node->field[2].bit_size, 3);
    assert_int_equal(node->field[2].bit_offset, 0);
    assert_int_equal(node->field[3].bit_size, 5);
    assert_int_equal(node->field[3].bit_offset, 3);
    assert_int_equal(node->field[2].offset, word + 24);
}

static void check_functions(const struct object *o)
{
    const struct object_function_debug *f = object_debug_function(o, input_bound(o, "stop")->address);
    assert_non_null(f);
    assert_true(f->noreturn);
    assert_null(f->result);
    assert_int_equal(f->nparams, 1);
    assert_string_equal(f->param[0].type->name, "const char *");
    f = object_debug_function(o, input_bound(o, "_start")->address);
    assert_non_null(f);
    assert_int_equal(f->nparams, 0);
    /* An address inside belongs to the function too. */
    const struct object_bound *b = input_bound(o, "compute");
    f = object_debug_function(o, b->address + b->size - 2);
    assert_non_null(f);
    assert_string_equal(f->name, "compute");
    assert_null(object_debug_function(o, 1));
}

/* Some instruction of compute comes from the inlined call of twice, and says so. */
static void check_inlining(const struct object *o)
{
    const struct object_bound *b = input_bound(o, "compute");
    unsigned inlined = 0, lines = 0;
    for (uint64_t at = b->address; at < b->address + b->size; at += 2) {
        struct object_inline call[4];
        struct object_line line;
        size_t n = object_debug_inlined(o, at, call, 4);
        assert_true(n <= 1);
        if (n) {
            inlined++;
            assert_string_equal(call[0].name, "twice");
            assert_int_equal(call[0].call_line, 32);
            assert_non_null(strstr(call[0].call_file, "program.c"));
            assert_true(call[0].low <= at && at < call[0].high);
        }
        if (object_debug_line(o, at, &line)) {
            assert_non_null(strstr(line.file, "program.c"));
            assert_true(line.line >= 25 && line.line <= 33);
            lines++;
        }
    }
    assert_true(inlined > 0);
    assert_true(lines > 4);
    struct object_line line;
    assert_true(object_debug_line(o, b->address, &line));
    assert_true(line.line >= 28 && line.line <= 30); /* without a prologue it begins with the test */
}

static void everywhere(void **state)
{
    (void)state;
    static const char *const suffix[] = {".o",   "-pic.o",  "-clang.o", "-pie",
                                         "-exe", "-static", "-so",      "-lld"};
    for (int a = 0; a < INPUT_ARCHES; a++) {
        for (size_t k = 0; k < sizeof suffix / sizeof *suffix; k++) {
            struct object *o = input_open(input_arch[a], suffix[k]);
            check_types(o);
            check_functions(o);
            check_inlining(o);
            object_free(o);
        }
    }
}

static void without(void **state)
{
    (void)state;
    struct object_options off = {.no_debug = true};
    struct object *o = input_open_with("x86_64", "-pie", &off);
    struct object_line line;
    uint64_t compute = input_bound(o, "compute")->address;
    assert_null(object_debug_function(o, compute));
    assert_false(object_debug_line(o, compute, &line));
    assert_int_equal(object_debug_inlined(o, compute, NULL, 0), 0);
    object_free(o);
    o = input_open("x86_64", "-stripped");
    assert_null(object_debug_function(o, object_info(o)->entry));
    assert_null(object_info(o)->debug_file);
    object_free(o);
}

/* The supplementary file the debug information names is a pipe: it is left alone, or this would wait for
 * ever. */
static void pipe_as_supplement(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        struct object *o = input_open(input_arch[a], "-altlink");
        check_types(o);
        object_free(o);
    }
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    int c;
    while ((c = getc(in)) != EOF)
        putc(c, out);
    fclose(in);
    fclose(out);
}

static void by_build_id(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        struct object *bare = input_open(input_arch[a], "-stripped");
        char dir[] = "/tmp/assay-test-XXXXXX", path[512], sub[512], debug[512];
        assert_non_null(mkdtemp(dir));
        const char *id = object_info(bare)->build_id;
        assert_non_null(id);
        snprintf(path, sizeof path, "%s/.build-id", dir);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(sub, sizeof sub, "%s/.build-id/%.2s", dir, id);
        assert_int_equal(mkdir(sub, 0700), 0);
        char file[600];
        snprintf(file, sizeof file, "%s/%s.debug", sub, id + 2);
        input_path(debug, input_arch[a], "-pie.debug");
        copy_file(debug, file);

        const char *dirs[] = {"/nonexistent", dir, NULL};
        struct object_options opt = {.debug_dirs = dirs};
        struct object *o = input_open_with(input_arch[a], "-stripped", &opt);
        assert_string_equal(object_info(o)->debug_file, file);
        assert_true(object_info(o)->stripped);
        check_types(o);
        check_inlining(o);
        object_free(o);
        object_free(bare);

        /* A file of that name that belongs to another program is not believed. */
        input_path(debug, input_arch[(a + 1) % INPUT_ARCHES], "-pie.debug");
        copy_file(debug, file);
        o = input_open_with(input_arch[a], "-stripped", &opt);
        assert_null(object_info(o)->debug_file);
        object_free(o);
        unlink(file);
        rmdir(sub);
        rmdir(path);
        rmdir(dir);
    }
}

static void by_link(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        struct object *o = input_open(input_arch[a], "-linked");
        assert_non_null(object_info(o)->debug_file);
        assert_non_null(strstr(object_info(o)->debug_file, "-pie.debug"));
        check_types(o);
        check_functions(o);
        object_free(o);

        /* Next to a debug file of the right name with other contents it stays without. */
        char dir[] = "/tmp/assay-test-XXXXXX", from[512], program[512], debug[512];
        assert_non_null(mkdtemp(dir));
        snprintf(program, sizeof program, "%s/program", dir);
        snprintf(debug, sizeof debug, "%s/%s-pie.debug", dir, input_arch[a]);
        input_path(from, input_arch[a], "-linked");
        copy_file(from, program);
        input_path(from, input_arch[(a + 1) % INPUT_ARCHES], "-pie.debug");
        copy_file(from, debug);
        struct error err;
        o = object_open(program, NULL, &err);
        assert_non_null(o);
        assert_null(object_info(o)->debug_file);
        object_free(o);
        unlink(program);
        unlink(debug);
        rmdir(dir);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(everywhere),  cmocka_unit_test(without), cmocka_unit_test(pipe_as_supplement),
    cmocka_unit_test(by_build_id), cmocka_unit_test(by_link),
};
INPUT_MAIN("object-debug", tests)
