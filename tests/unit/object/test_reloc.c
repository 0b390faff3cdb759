/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relocatable objects: every instruction and word that names a symbol reaches it. */
#include "inputs.h"

static int64_t rel32(const struct object *o, uint64_t place)
{
    return (int32_t)input_u32(o, place);
}

static void no_problems(const struct object *o)
{
    const struct object_problem *p;
    if (object_problems(o, &p))
        fail_msg("%s: 0x%llx %s", object_info(o)->name, (unsigned long long)p->address, p->text);
}

/* The undefined symbol has a place with its name, and nothing can be read there. */
static uint64_t extern_place(const struct object *o, const char *name)
{
    const struct object_symbol *s = input_symbol(o, name);
    assert_true(s->undefined);
    const struct object_stub *stub = object_stub_at(o, s->address);
    assert_non_null(stub);
    assert_int_equal(stub->kind, STUB_EXTERN);
    assert_string_equal(stub->name, name);
    assert_null(object_bytes(o, s->address, NULL));
    return s->address;
}

/* Where its address is used and not called, a symbol has one of its own. */
static void check_use(const struct object *o, uint64_t value, const char *name, int64_t offset)
{
    int64_t at;
    const struct object_stub *stub = object_extern_at(o, value, &at);
    assert_non_null(stub);
    assert_string_equal(stub->name, name);
    assert_false(stub->called);
    assert_int_equal(at, offset);
}

static void check_got(const struct object *o, uint64_t slot, uint64_t value, const char *name)
{
    assert_int_equal(input_word(o, slot), value);
    assert_true(object_is_readonly(o, slot, object_info(o)->bits / 8));
    const struct object_stub *stub = object_stub_at(o, slot);
    assert_non_null(stub);
    assert_int_equal(stub->kind, STUB_GOT);
    assert_string_equal(stub->name, name);
}

static void amd64(void **state)
{
    (void)state;
    struct object *o = input_open("x86_64", "-reloc.o");
    no_problems(o);
    uint64_t outside = extern_place(o, "outside"), start = input_symbol(o, "start")->address;
    uint64_t local = input_symbol(o, "local")->address, data = input_symbol(o, "data")->address;
    assert_true(start >= OBJECT_RELOC_BASE);
    assert_int_equal(start + 5 + (uint64_t)rel32(o, start + 1), outside);
    assert_int_equal(start + 10 + (uint64_t)rel32(o, start + 6), local);
    assert_int_equal(start + 17 + (uint64_t)rel32(o, start + 13), data);
    check_got(o, start + 24 + (uint64_t)rel32(o, start + 20), outside, "outside");
    assert_int_equal(input_u32(o, start + 25), data);
    assert_int_equal(input_word(o, start + 31), data + 8);
    assert_int_equal(rel32(o, start + 43), -4); /* the second of two words in front of the thread pointer */
    assert_int_equal(input_word(o, data), local);
    check_use(o, input_word(o, data + 8), "outside", 4);
    assert_int_equal(data + 16 + (uint64_t)rel32(o, data + 16), local);
    object_free(o);
}

static void i386(void **state)
{
    (void)state;
    struct object *o = input_open("i386", "-reloc.o");
    no_problems(o);
    uint64_t outside = extern_place(o, "outside"), start = input_symbol(o, "start")->address;
    uint64_t local = input_symbol(o, "local")->address, data = input_symbol(o, "data")->address;
    assert_int_equal(start + 5 + (uint64_t)rel32(o, start + 1), outside);
    assert_int_equal(start + 10 + (uint64_t)rel32(o, start + 6), local);
    assert_int_equal(input_u32(o, start + 11), data + 4);
    /* ebx held the address the assembler took: that of the add instruction. */
    uint64_t got = start + 15 + (uint64_t)rel32(o, start + 17);
    assert_int_equal(got + (uint64_t)rel32(o, start + 23), data);
    check_got(o, got + (uint64_t)rel32(o, start + 29), outside, "outside");
    assert_int_equal(rel32(o, start + 35), -4);
    assert_int_equal(input_u32(o, data), local);
    check_use(o, input_u32(o, data + 4), "outside", 4);
    object_free(o);
}

static uint64_t branch26(const struct object *o, uint64_t at)
{
    return at + (uint64_t)((int64_t)((uint64_t)input_u32(o, at) << 38) >> 36);
}

static uint64_t adrp(const struct object *o, uint64_t at)
{
    uint32_t insn = input_u32(o, at);
    uint64_t imm = (insn >> 29 & 3) | (uint64_t)(insn >> 5 & 0x7ffff) << 2;
    return (at & ~UINT64_C(0xfff)) + (uint64_t)((int64_t)(imm << 43) >> 31);
}

static void arm64(void **state)
{
    (void)state;
    struct object *o = input_open("aarch64", "-reloc.o");
    no_problems(o);
    uint64_t outside = extern_place(o, "outside"), start = input_symbol(o, "start")->address;
    uint64_t local = input_symbol(o, "local")->address, data = input_symbol(o, "data")->address;
    assert_int_equal(branch26(o, start), outside);
    assert_int_equal(branch26(o, start + 4), local);
    assert_int_equal(adrp(o, start + 8) + (input_u32(o, start + 12) >> 10 & 0xfff), data);
    assert_int_equal(adrp(o, start + 8) + (input_u32(o, start + 16) >> 10 & 0xfff) * 8, data);
    check_got(o, adrp(o, start + 20) + (input_u32(o, start + 24) >> 10 & 0xfff) * 8, outside, "outside");
    assert_int_equal(start + 28 + (input_u32(o, start + 28) >> 5 & 0x7ffff) * 4, local);
    assert_int_equal(
        (input_u32(o, start + 32) >> 5 & 0xffff) | (input_u32(o, start + 36) >> 5 & 0xffff) << 16, data);
    assert_int_equal(input_word(o, data), local);
    check_use(o, input_word(o, data + 8), "outside", 4);
    object_free(o);
}

static uint64_t arm_target(const struct object *o, uint64_t at)
{
    return (at + 8 + (uint64_t)(int64_t)((int32_t)(input_u32(o, at) << 8) >> 6)) & UINT32_MAX;
}

static uint32_t thumb_insn(const struct object *o, uint64_t at)
{
    uint32_t raw = input_u32(o, at);
    return raw << 16 | raw >> 16;
}

static uint64_t thumb_target(const struct object *o, uint64_t at)
{
    uint32_t i = thumb_insn(o, at), s = i >> 26 & 1;
    uint32_t i1 = !((i >> 13 & 1) ^ s), i2 = !((i >> 11 & 1) ^ s);
    uint32_t offset = s << 24 | i1 << 23 | i2 << 22 | (i >> 16 & 0x3ff) << 12 | (i & 0x7ff) << 1;
    bool blx = !(i & 0x1000);
    return ((blx ? at & ~UINT64_C(3) : at) + 4 + (uint64_t)(int64_t)((int32_t)(offset << 7) >> 7)) &
           UINT32_MAX;
}

static void arm_and_thumb(void **state)
{
    (void)state;
    struct object *o = input_open("arm", "-reloc.o");
    no_problems(o);
    uint64_t outside = extern_place(o, "outside"), start = input_symbol(o, "start")->address;
    const struct object_symbol *thumb = input_symbol(o, "thumb_local"), *arm = input_symbol(o, "arm_local");
    uint64_t data = input_symbol(o, "data")->address;
    assert_true(thumb->thumb);
    assert_false(arm->thumb);
    assert_int_equal(thumb->address & 1, 0);

    assert_int_equal(arm_target(o, start), outside);
    assert_int_equal(input_u32(o, start + 4) >> 25, 0xfa >> 1); /* blx */
    assert_int_equal(arm_target(o, start + 4) + (input_u32(o, start + 4) >> 23 & 2), thumb->address);
    uint32_t low = input_u32(o, start + 8), high = input_u32(o, start + 12);
    assert_int_equal((low & 0xfff) | (low >> 4 & 0xf000) | (high & 0xfff) << 16 | (high >> 4 & 0xf000) << 16,
                     data);
    assert_int_equal(arm_target(o, start + 16), arm->address);
    check_got(o, start + 20 + input_u32(o, start + 20), outside, "outside");
    assert_int_equal(input_u32(o, start + 24), thumb->address | 1);

    uint64_t t = thumb->address;
    assert_int_equal(thumb_target(o, t), outside);
    assert_int_equal(thumb_insn(o, t + 4) & 0x1000, 0); /* blx */
    assert_int_equal(thumb_target(o, t + 4), arm->address);
    assert_int_equal(thumb_target(o, t + 16), input_symbol(o, "thumb_end")->address);
    assert_int_equal(input_u32(o, data), thumb->address | 1);

    const struct object_pointer *p;
    size_t n = object_pointers(o, &p), seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i].address == data) {
            seen++;
            assert_int_equal(p[i].target, thumb->address);
            assert_true(p[i].thumb);
        } else if (p[i].address == data + 4) {
            seen++;
            assert_string_equal(p[i].name, "outside");
            assert_int_equal(p[i].addend, 4);
        }
    }
    assert_int_equal(seen, 2);
    assert_int_equal(object_code_mode(o, start), 0);
    assert_int_equal(object_code_mode(o, start + 20), 2);
    assert_int_equal(object_code_mode(o, t), 1);
    object_free(o);
}

/* Whatever is near the address of another file's variable is known to be made from it; a function's is its
 * own address only. */
static void check_extern(const struct object *o, uint64_t at, bool function)
{
    const struct object_stub *stub = object_stub_at(o, at);
    int64_t offset;
    assert_int_equal(stub->called, function);
    assert_ptr_equal(object_extern_at(o, at, &offset), stub);
    assert_int_equal(offset, 0);
    assert_ptr_equal(object_extern_at(o, at + 1000, &offset), function ? NULL : stub);
    assert_true(function || offset == 1000);
    assert_ptr_equal(object_extern_at(o, at - 1000, &offset), function ? NULL : stub);
    assert_true(function || offset == -1000);
}

/* Everything gcc and clang wrote for a whole file is understood. */
static void compiled_objects(void **state)
{
    (void)state;
    static const char *const suffix[] = {".o", "-pic.o", "-clang.o"};
    for (int a = 0; a < INPUT_ARCHES; a++) {
        for (int k = 0; k < 3; k++) {
            struct object *o = input_open(input_arch[a], suffix[k]);
            no_problems(o);
            assert_int_equal(object_info(o)->type, OBJECT_RELOCATABLE);
            check_extern(o, extern_place(o, "lib_call"), true);
            check_extern(o, extern_place(o, "lib_other"), true);
            check_extern(o, extern_place(o, "lib_data"), false);
            uint64_t table = input_symbol(o, "table")->address, own = input_symbol(o, "own_pointer")->address;
            unsigned word = object_info(o)->bits / 8;
            assert_int_equal(input_word(o, own), table + 4);
            assert_int_equal(input_word(o, own + word), table + 8);
            uint64_t compute = input_symbol(o, "compute")->address;
            bool thumb = input_symbol(o, "compute")->thumb;
            assert_int_equal(thumb, !strcmp(input_arch[a], "thumb"));
            assert_int_equal(input_word(o, input_symbol(o, "functions")->address), compute | thumb);
            assert_string_equal(object_string(o, input_word(o, input_symbol(o, "current")->address), NULL),
                                "a message in read-only memory");
            assert_true(input_bound(o, "compute")->sources & BOUND_SYMBOL);
            if (!strncmp(input_arch[a], "x86", 3) || a == 4)
                assert_true(input_bound(o, "compute")->sources & BOUND_EH_FRAME);
            object_free(o);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(amd64),
    cmocka_unit_test(i386),
    cmocka_unit_test(arm64),
    cmocka_unit_test(arm_and_thumb),
    cmocka_unit_test(compiled_objects),
};
INPUT_MAIN("object-reloc", tests)
