/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The IR's builder, validator and printer, on a made-up machine with two 64-bit registers. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "ir/ir.h"
#include "ir/machine.h"
#include "test.h"

static const struct machine_register toy_reg[] = {{"r0", 0, 64, false}, {"r1", 8, 64, false}};
static const struct ir_space toy_space[] = {{.name = "next", .index_width = 32, .cell_width = 32}};
static const struct ir_machine toy = {.name = "toy",
                                      .pointer_width = 64,
                                      .file_size = 16,
                                      .space = toy_space,
                                      .nspaces = 1,
                                      .reg = toy_reg,
                                      .nreg = 2};

struct fixture {
    struct ir_builder *b;
    struct arena arena;
    struct ir_block block;
    struct buf text;
};

static int setup(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);
    f->b = ir_builder_new();
    ir_begin(f->b, 0x1000);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ir_builder_free(f->b);
    arena_free(&f->arena);
    buf_free(&f->text);
    free(f);
    return 0;
}

static void finish(struct fixture *f, ir_val next)
{
    struct ir_end end = {.kind = IR_END_JUMP, .next = next, .label = IR_NO_LABEL, .after = IR_NO_LABEL, .result = IR_NONE};
    ir_finish(f->b, end, 4, &f->arena, &f->block);
}

static void constants_fold_while_building(void **state)
{
    struct fixture *f = *state;
    uint64_t c;
    ir_val sum = ir_bin(f->b, OP_ADD, ir_const(f->b, 32, 0xffffffff), ir_const(f->b, 32, 2));
    assert_true(ir_is_const(f->b, sum, &c));
    assert_int_equal(c, 1);
    ir_val x = ir_get(f->b, 0, 64);
    assert_int_equal(ir_bin(f->b, OP_ADD, x, ir_const(f->b, 64, 0)), x);
    assert_int_equal(ir_ite(f->b, ir_const(f->b, 1, 1), x, sum == x ? x : ir_get(f->b, 8, 64)), x);
    ir_val lo = ir_extract(f->b, x, 0, 32), hi = ir_extract(f->b, x, 32, 32);
    ir_val both = ir_bin(f->b, OP_CONCAT, hi, lo);
    assert_int_equal(ir_extract(f->b, both, 0, 32), lo);
    assert_int_equal(ir_extract(f->b, both, 32, 32), hi);
    assert_true(ir_is_const(f->b, ir_extract(f->b, ir_zext(f->b, lo, 64), 40, 8), &c));
}

/* movwlt r3, #0x2064; movtlt r3, #1: where the condition holds, a constant; elsewhere what was there. */
static void halves_on_one_condition_are_one_constant(void **state)
{
    struct fixture *f = *state;
    ir_mark_insn(f->b, 0x1000, 4);
    ir_val was = ir_get(f->b, 8, 64), c = ir_extract(f->b, ir_get(f->b, 0, 64), 0, 1);
    ir_val low = ir_ite(f->b, c, ir_const(f->b, 64, 0x2064), was);
    ir_val top = ir_bin(f->b, OP_AND, low, ir_const(f->b, 64, 0xffff));
    top = ir_bin(f->b, OP_OR, top, ir_const(f->b, 64, 0x10000));
    finish(f, ir_ite(f->b, c, top, low));
    ir_print_block(&f->text, &f->block, &toy, NULL);
    assert_non_null(strstr(buf_text(&f->text), "ite %2, 0x12064:64, %0\n"));
}

static void unused_values_are_dropped_and_loads_kept(void **state)
{
    struct fixture *f = *state;
    ir_mark_insn(f->b, 0x1000, 2);
    ir_val x = ir_get(f->b, 0, 64);
    ir_bin(f->b, OP_MUL, x, x);
    ir_load(f->b, 0, x, 32, IR_NONE, IR_NONE);
    ir_mark_insn(f->b, 0x1002, 2);
    ir_val y = ir_get(f->b, 8, 64);
    finish(f, y);
    assert_int_equal(f->block.ninsn, 3);
    assert_int_equal(f->block.insn[1].op, IR_LOAD);
    assert_int_equal(f->block.mark[1].first, 2);
    assert_int_equal(f->block.end.next, 2);
    assert_true(ir_validate(&f->block, &toy, NULL, &f->text));
}

static void printing_names_registers(void **state)
{
    struct fixture *f = *state;
    ir_mark_insn(f->b, 0x1000, 4);
    ir_val x = ir_get(f->b, 0, 32);
    ir_put(f->b, 8, ir_zext(f->b, ir_bin(f->b, OP_ADD, x, ir_const(f->b, 32, 5)), 64));
    ir_exit(f->b, ir_bin(f->b, OP_EQ, x, ir_const(f->b, 32, 0)), IR_EXIT_JUMP, 0x1010);
    finish(f, ir_const(f->b, 64, 0x1004));
    ir_print_block(&f->text, &f->block, &toy, NULL);
    assert_string_equal(buf_text(&f->text), "block 0x1000 (4 bytes)\n"
                                            "  0x1000:\n"
                                            "    %0:32 = r0[31:0]\n"
                                            "    %2:32 = add %0, 0x5:32\n"
                                            "    %3:64 = zext %2\n"
                                            "    r1 = %3\n"
                                            "    %6:1 = eq %0, 0x0:32\n"
                                            "    if %6 goto 0x1010\n"
                                            "    goto 0x1004:64\n");
}

/* Each broken block is reported with its instruction and what is wrong. */
static void validator_finds_what_is_broken(void **state)
{
    struct fixture *f = *state;
    ir_val x = ir_get(f->b, 0, 64), y = ir_get(f->b, 8, 64);
    ir_store(f->b, 0, x, ir_bin(f->b, OP_ADD, x, y), IR_NONE);
    finish(f, y);
    struct ir_insn *insn = f->block.insn;
    struct {
        uint32_t at;
        struct ir_insn broken;
        const char *says;
    } cases[] = {
        {2, {OP_ADD, 0, 32, 0, 1, 0, 0}, "insn 2 (add): operand width differs"},
        {2, {OP_ADD, 0, 64, 0, 2, 0, 0}, "insn 2 (add): operand b is not a value defined before"},
        {2, {OP_EXTRACT, 0, 8, 0, 60, 0, 0}, "insn 2 (extract): extract reaches past"},
        {1, {IR_GET, 0, 64, 12, 0, 0, 0}, "insn 1 (get): bytes 12..20 are outside"},
        {1, {IR_GET, 0, 12, 0, 0, 0, 0}, "insn 1 (get): register access of 12 bits"},
        {3, {IR_STORE, 0, 0, 0, 2, IR_NONE, 9}, "insn 3 (store): no memory space 9"},
        {3, {IR_STORE, 0, 0, 0, 2, IR_NONE, 1}, "insn 3 (store): address has width 64, not 32"},
        {3, {IR_LOAD, 0, 16, 0, IR_NONE, IR_NONE, 1}, "insn 3 (load): access of 16 bits to cells of 32"},
        {3, {IR_STORE, 0, 0, 0, 2, 1, 0}, "insn 3 (store): guard has width 64, not 1"},
        {2, {IR_CONST, 0, 8, 0x100, 0, 0, 0}, "insn 2 (const): constant does not fit"},
        {2, {IR_PURE, 0, 64, 0, 7, 1, 0}, "argument list reaches past"},
        {3, {IR_EVENT, 0, 0, 0, 0, 0, 0}, "insn 3 (event): no event 0"},
        {3, {IR_EXIT, 0, 0, 0, 0, 0, 0}, "insn 3 (exit): condition has width 64, not 1"},
        {3, {200, 0, 0, 0, 0, 0, 0}, "instruction number 200"},
    };
    assert_true(ir_validate(&f->block, &toy, NULL, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ir_insn good = insn[cases[i].at];
        insn[cases[i].at] = cases[i].broken;
        buf_clear(&f->text);
        assert_false(ir_validate(&f->block, &toy, NULL, &f->text));
        if (!strstr(buf_text(&f->text), cases[i].says))
            fail_msg("expected \"%s\" in:\n%s", cases[i].says, buf_text(&f->text));
        insn[cases[i].at] = good;
    }
    f->block.end.next = 17;
    assert_false(ir_validate(&f->block, &toy, NULL, NULL));
}

static void register_parts_are_found_by_name(void **state)
{
    (void)state;
    static const struct machine_register reg[] = {{"rax", 16, 64, false}, {"r9", 88, 64, false}};
    const struct ir_machine m = {.arch = MACHINE_AMD64, .reg = reg, .nreg = 2, .file_size = 96};
    uint16_t offset, width;
    assert_true(machine_register_find(&m, "AH", &offset, &width));
    assert_int_equal(offset, 17);
    assert_int_equal(width, 8);
    assert_true(machine_register_find(&m, "r9d", &offset, &width));
    assert_int_equal(offset, 88);
    assert_int_equal(width, 32);
    assert_false(machine_register_find(&m, "r9x", &offset, &width));
    assert_false(machine_register_find(&m, "ecx", &offset, &width));
    assert_string_equal(machine_register_name(&m, 16, 64), "rax");
    assert_null(machine_register_name(&m, 16, 32));
}

/* The toy's r1 is the stack pointer. */
static void stack_addresses_are_followed_through_registers(void **state)
{
    struct fixture *f = *state;
    struct ir_machine m = toy;
    m.sp = 8;
    int64_t offset;
    const ir_val sp = ir_get(f->b, 8, 64);
    ir_put(f->b, 8, ir_bin(f->b, OP_SUB, sp, ir_const(f->b, 64, 24)));
    ir_put(f->b, 0, ir_bin(f->b, OP_ADD, ir_get(f->b, 8, 64), ir_const(f->b, 64, 8)));
    const ir_val before = ir_get(f->b, 0, 64);
    ir_store(f->b, 0, before, ir_const(f->b, 8, 1), IR_NONE);
    ir_put(f->b, 1, ir_const(f->b, 8, 60));
    const ir_val after = ir_get(f->b, 0, 64);
    ir_store(f->b, 0, after, ir_const(f->b, 8, 2), IR_NONE);
    ir_finish(
        f->b,
        (struct ir_end){.kind = IR_END_TRAP, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL}, 4,
        &f->arena, &f->block);
    unsigned stores = 0;
    for (uint32_t i = 0; i < f->block.ninsn; i++) {
        if (f->block.insn[i].op != IR_STORE)
            continue;
        const bool there = ir_on_stack(&f->block, f->block.insn[i].a, &m, &offset);
        assert_int_equal(there, stores == 0); /* a byte of the second one's address is another */
        if (there)
            assert_int_equal(offset, -16);
        stores++;
    }
    assert_int_equal(stores, 2);
    assert_int_equal(ir_value_at_end(&f->block, 0, 64), IR_NONE);
    const ir_val byte = ir_value_at_end(&f->block, 1, 8);
    assert_int_equal(f->block.insn[byte].op, IR_CONST);
    assert_int_equal(f->block.insn[byte].a, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(constants_fold_while_building, setup, teardown),
        cmocka_unit_test_setup_teardown(halves_on_one_condition_are_one_constant, setup, teardown),
        cmocka_unit_test_setup_teardown(unused_values_are_dropped_and_loads_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(printing_names_registers, setup, teardown),
        cmocka_unit_test_setup_teardown(validator_finds_what_is_broken, setup, teardown),
        cmocka_unit_test_setup_teardown(stack_addresses_are_followed_through_registers, setup, teardown),
        cmocka_unit_test(register_parts_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
