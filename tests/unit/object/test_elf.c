/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked programs of every architecture: what they are, their symbols, stubs, pointers and functions. */
#include "inputs.h"

#include "base/sha256.h"

static enum machine_arch expected_arch(int a)
{
    static const enum machine_arch arch[] = {MACHINE_AMD64, MACHINE_X86, MACHINE_ARM, MACHINE_ARM,
                                             MACHINE_ARM64};
    return arch[a];
}

static bool is_thumb(int a)
{
    return !strcmp(input_arch[a], "thumb");
}

static void digest(void **state)
{
    (void)state;
    char hex[SHA256_HEX];
    sha256_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void facts(void **state)
{
    (void)state;
    static const struct {
        const char *suffix;
        enum object_type type;
        bool is_static, stripped;
    } kind[] = {{"-pie", OBJECT_PIE, false, false},        {"-lazy", OBJECT_PIE, false, false},
                {"-exe", OBJECT_EXECUTABLE, false, false}, {"-static", OBJECT_EXECUTABLE, true, false},
                {"-so", OBJECT_SHARED, false, false},      {"-lib.so", OBJECT_SHARED, false, false},
                {"-stripped", OBJECT_PIE, false, true},    {"-lld", OBJECT_PIE, false, false},
                {".o", OBJECT_RELOCATABLE, true, false}};
    for (int a = 0; a < INPUT_ARCHES; a++) {
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
            struct object *o = input_open(input_arch[a], kind[k].suffix);
            const struct object_info *info = object_info(o);
            assert_int_equal(info->type, kind[k].type);
            assert_int_equal(info->arch, expected_arch(a));
            assert_int_equal(info->bits, a == 0 || a == 4 ? 64 : 32);
            assert_int_equal(info->is_static, kind[k].is_static);
            assert_int_equal(info->stripped, kind[k].stripped);
            assert_int_equal(strlen(info->sha256), 64);
            if (kind[k].type == OBJECT_PIE || kind[k].type == OBJECT_EXECUTABLE)
                assert_true(object_is_exec(o, info->entry));
            const struct object_problem *p;
            assert_int_equal(object_problems(o, &p), 0);
            object_free(o);
        }
        struct object *lib = input_open(input_arch[a], "-lib.so");
        assert_string_equal(object_info(lib)->soname, "library.so");
        assert_int_equal(strlen(object_info(lib)->build_id), 40);
        object_free(lib);
    }
}

static const struct object_stub *stub_named(const struct object *o, const char *name, uint8_t kind)
{
    const struct object_stub *s;
    size_t n = object_stubs(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].kind == kind && s[i].name && !strcmp(s[i].name, name))
            return &s[i];
    return NULL;
}

/* GNU ld with and without lazy binding and landing pads, and lld: every import is called through a named
 * stub. */
static void stubs(void **state)
{
    (void)state;
    static const char *const suffix[] = {"-pie", "-lazy", "-exe", "-so", "-stripped", "-lld"};
    for (int a = 0; a < INPUT_ARCHES; a++) {
        for (size_t k = 0; k < sizeof suffix / sizeof *suffix; k++) {
            struct object *o = input_open(input_arch[a], suffix[k]);
            static const char *const import[] = {"lib_call", "lib_other"};
            static const char *const version[] = {"LIB_1.0", "LIB_2.0"};
            for (int i = 0; i < 2; i++) {
                const struct object_stub *plt = stub_named(o, import[i], STUB_PLT);
                const struct object_stub *got = stub_named(o, import[i], STUB_GOT);
                if (!plt || !got)
                    fail_msg("%s: no stub for %s", object_info(o)->name, import[i]);
                assert_int_equal(plt->slot, got->address);
                assert_int_equal(plt->target, 0);
                assert_string_equal(plt->version, version[i]);
                assert_true(object_is_exec(o, plt->address));
                assert_true(plt->size >= 4 && plt->size <= 32);
                assert_ptr_equal(object_stub_at(o, plt->address), plt);
            }
            object_free(o);
        }
    }
}

static void versions_and_ifuncs(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        struct object *o = input_open(input_arch[a], "-lib.so");
        const struct object_symbol *call = input_symbol(o, "lib_call"), *other = input_symbol(o, "lib_other");
        assert_string_equal(call->version, "LIB_1.0");
        assert_string_equal(other->version, "LIB_2.0");
        assert_true(call->version_default && call->dynamic && !call->undefined);
        assert_int_equal(call->thumb, is_thumb(a));
        const struct object_symbol *chosen = input_symbol(o, "lib_chosen");
        assert_int_equal(chosen->type, SYMBOL_IFUNC);
        assert_true(input_bound(o, "lib_chosen")->ifunc);
        /* The library calls its own exported function through a stub, which says where that is. */
        const struct object_stub *own = stub_named(o, "lib_call", STUB_PLT);
        assert_non_null(own);
        assert_int_equal(own->target, call->address);
        object_free(o);

        o = input_open(input_arch[a], "-static");
        const struct object_stub *s = stub_named(o, "lib_chosen", STUB_PLT);
        assert_non_null(s);
        assert_true(s->ifunc);
        assert_int_equal(s->target, input_symbol(o, "lib_chosen")->address);
        object_free(o);
    }
}

static const struct object_pointer *pointer_at(const struct object *o, uint64_t address)
{
    const struct object_pointer *p;
    size_t n = object_pointers(o, &p);
    for (size_t i = 0; i < n; i++)
        if (p[i].address == address)
            return &p[i];
    return NULL;
}

static void memory_and_pointers(void **state)
{
    (void)state;
    static const char *const suffix[] = {"-pie", "-exe", "-static", "-so", "-lld"};
    for (int a = 0; a < INPUT_ARCHES; a++) {
        for (size_t k = 0; k < sizeof suffix / sizeof *suffix; k++) {
            struct object *o = input_open(input_arch[a], suffix[k]);
            unsigned word = object_info(o)->bits / 8;
            uint64_t table = input_symbol(o, "table")->address, own = input_symbol(o, "own_pointer")->address;
            uint64_t functions = input_symbol(o, "functions")->address,
                     compute = input_symbol(o, "compute")->address;
            assert_int_equal(input_u32(o, table), 1);
            assert_int_equal(input_u32(o, table + 12), 4);
            assert_int_equal(input_word(o, own), table + 4);
            assert_int_equal(input_word(o, functions), compute | is_thumb(a));
            if (object_is_readonly(o, table, 4))
                fail_msg("%s: a variable is taken for a constant", object_info(o)->name);
            assert_true(object_is_readonly(o, own, 2 * word));
            assert_true(object_is_readonly(o, compute, 4));
            assert_false(object_is_exec(o, table));
            assert_int_equal(input_u32(o, input_symbol(o, "zeroed")->address + 400), 0);
            uint64_t text = input_word(o, input_symbol(o, "current")->address);
            size_t length;
            assert_string_equal(object_string(o, text, &length), "a message in read-only memory");
            assert_int_equal(length, 29);
            assert_null(object_string(o, table, NULL));
            bool relocated = object_info(o)->type != OBJECT_EXECUTABLE;
            const struct object_pointer *p = pointer_at(o, own);
            assert_int_equal(p != NULL, relocated);
            if (relocated) {
                assert_null(p->name);
                assert_int_equal(p->target, table + 4);
                p = pointer_at(o, functions);
                assert_non_null(p);
                assert_int_equal(p->target, compute);
                assert_int_equal(p->thumb, is_thumb(a));
                p = pointer_at(o, input_symbol(o, "import_pointer")->address);
                assert_non_null(p);
                if (k != 0 && k != 4) /* a copy relocation may have made the data the program's own */
                    assert_string_equal(p->name, "lib_data");
            }
            uint64_t offset;
            const struct object_symbol *s = object_symbol_at(o, table + 5, &offset);
            assert_non_null(s);
            assert_string_equal(s->name, "table");
            assert_int_equal(offset, 5);
            assert_null(object_bytes(o, 0x10, NULL) && !relocated ? "mapped" : NULL);
            object_free(o);
        }
    }
}

static void function_bounds(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        struct object *full = input_open(input_arch[a], "-pie"),
                      *bare = input_open(input_arch[a], "-stripped");
        static const char *const name[] = {"compute", "hidden_helper", "stop", "prepare", "_start"};
        const struct object_bound *found;
        size_t n = object_bounds(bare, &found);
        for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
            const struct object_bound *b = input_bound(full, name[i]);
            assert_int_equal(b->thumb, is_thumb(a));
            assert_true(b->size > 0);
            /* Stripped, the unwind tables still know where it is. */
            const struct object_bound *same = NULL;
            for (size_t k = 0; k < n; k++)
                if (found[k].address == b->address)
                    same = &found[k];
            if (!same)
                fail_msg("%s: %s is lost when stripped", input_arch[a], name[i]);
            assert_true(same->sources & (a == 2 || a == 3 ? BOUND_EXIDX : BOUND_EH_FRAME));
            assert_int_equal(same->thumb, is_thumb(a));
            assert_true(same->size >= b->size && same->size <= b->size + 16);
            if (!strcmp(name[i], "_start"))
                assert_true(same->sources & BOUND_ENTRY);
            if (!strcmp(name[i], "prepare"))
                assert_true(same->sources & BOUND_INIT);
        }
        object_free(full);
        object_free(bare);
    }
}

static void set_word(uint8_t *p, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

/* Without section headers the same is found from what the loader uses. */
static void no_section_headers(void **state)
{
    (void)state;
    for (int a = 0; a < INPUT_ARCHES; a++) {
        size_t size;
        uint8_t *bytes = input_bytes(input_arch[a], "-stripped", &size);
        bool is64 = bytes[4] == 2;
        set_word(bytes + (is64 ? 40 : 32), is64 ? 8 : 4, 0); /* e_shoff */
        set_word(bytes + (is64 ? 60 : 48), 4, 0);            /* e_shnum, e_shstrndx */
        struct error err = {ERROR_NONE, ""};
        struct object *o = object_open_memory("sstripped", bytes, size, NULL, &err);
        if (!o)
            fail_msg("%s", err.text);
        struct object *with = input_open(input_arch[a], "-stripped");
        const struct object_section *section;
        const struct object_bound *b, *wb;
        assert_int_equal(object_sections(o, &section), 0);
        static const char *const import[] = {"lib_call", "lib_other"};
        for (int i = 0; i < 2; i++) {
            const struct object_stub *s = stub_named(o, import[i], STUB_PLT);
            if (!s)
                fail_msg("%s: no stub for %s", input_arch[a], import[i]);
            assert_int_equal(s->address, stub_named(with, import[i], STUB_PLT)->address);
        }
        assert_true(input_symbol(o, "lib_call")->undefined);
        /* All functions are there; the frame entry of the PLT's head may look like one more. */
        size_t n = object_bounds(o, &b), wn = object_bounds(with, &wb), k = 0;
        assert_true(n >= wn && n <= wn + 1);
        for (size_t i = 0; i < n; i++)
            k += k < wn && b[i].address == wb[k].address && b[i].size == wb[k].size &&
                 b[i].thumb == wb[k].thumb;
        assert_int_equal(k, wn);
        assert_string_equal(object_info(o)->build_id, object_info(with)->build_id);
        object_free(o);
        object_free(with);
        free(bytes);
    }
}

static void sections_and_segments(void **state)
{
    (void)state;
    struct object *o = input_open("x86_64", "-pie");
    const struct object_section *s;
    const struct object_segment *g;
    size_t n = object_sections(o, &s);
    bool text = false, relro = false;
    for (size_t i = 0; i < n; i++) {
        text |= !strcmp(s[i].name, ".text") && s[i].exec && s[i].alloc && !s[i].write;
        relro |= !strcmp(s[i].name, ".data.rel.ro") && s[i].relro;
    }
    assert_true(text && relro);
    n = object_segments(o, &g);
    assert_true(n >= 3);
    object_free(o);
}

static void refusals(void **state)
{
    (void)state;
    struct error err;
    char path[512];
    static const struct {
        const char *arch, *suffix, *says;
        enum error_kind kind;
    } bad[] = {{"x86_64", "-pie.debug", "detached debug file", ERROR_INPUT},
               {"x86_64", "-nonexistent", "No such file", ERROR_INPUT},
               {"x86_64", ".a", "contains 2 programs", ERROR_INPUT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        input_path(path, bad[i].arch, bad[i].suffix);
        assert_null(object_open(path, NULL, &err));
        assert_int_equal(err.kind, bad[i].kind);
        assert_non_null(strstr(err.text, bad[i].says));
        assert_non_null(strstr(err.text, path));
    }
    assert_null(object_open_memory("core", (const uint8_t *)"\177ELF\002\001\001", 7, NULL, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_null(object_open_memory("nothing", NULL, 0, NULL, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(digest),
    cmocka_unit_test(facts),
    cmocka_unit_test(stubs),
    cmocka_unit_test(versions_and_ifuncs),
    cmocka_unit_test(memory_and_pointers),
    cmocka_unit_test(function_bounds),
    cmocka_unit_test(no_section_headers),
    cmocka_unit_test(sections_and_segments),
    cmocka_unit_test(refusals),
};
INPUT_MAIN("object-elf", tests)
