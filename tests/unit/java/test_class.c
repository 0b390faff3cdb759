/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Class files made here byte by byte: what is read of them, what is refused, and what the check of code says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "java/world.h"
#include "lift/java/check.h"
#include "lift/java/opcode.h"
#include "test.h"

static void u1(struct buf *b, unsigned v)
{
    buf_putc(b, (char)v);
}

static void u2(struct buf *b, unsigned v)
{
    u1(b, v >> 8);
    u1(b, v & 0xff);
}

static void u4(struct buf *b, unsigned v)
{
    u2(b, v >> 16);
    u2(b, v & 0xffff);
}

static void utf8(struct buf *b, const char *text)
{
    u1(b, JAVA_CP_UTF8);
    u2(b, (unsigned)strlen(text));
    buf_puts(b, text);
}

/* A class with one static method f, with that code and one line. */
static void make_class(struct buf *b, unsigned version, const char *name, const char *super, const char *desc, unsigned stack,
                       unsigned locals, const uint8_t *code, unsigned n)
{
    u4(b, 0xcafebabe);
    u2(b, 0);
    u2(b, version);
    u2(b, 9);
    utf8(b, name); /* 1 */
    u1(b, JAVA_CP_CLASS);
    u2(b, 1); /* 2 */
    utf8(b, super); /* 3 */
    u1(b, JAVA_CP_CLASS);
    u2(b, 3); /* 4 */
    utf8(b, "f"); /* 5 */
    utf8(b, desc); /* 6 */
    utf8(b, "Code"); /* 7 */
    utf8(b, "LineNumberTable"); /* 8 */
    u2(b, JAVA_PUBLIC | 0x20);
    u2(b, 2);
    u2(b, 4);
    u2(b, 0); /* interfaces */
    u2(b, 0); /* fields */
    u2(b, 1); /* methods */
    u2(b, JAVA_STATIC);
    u2(b, 5);
    u2(b, 6);
    u2(b, 1);
    u2(b, 7);
    u4(b, 12 + n + 12);
    u2(b, stack);
    u2(b, locals);
    u4(b, n);
    buf_put(b, (const char *)code, n);
    u2(b, 0); /* handlers */
    u2(b, 1);
    u2(b, 8);
    u4(b, 6);
    u2(b, 1);
    u2(b, 0);
    u2(b, 42);
    u2(b, 0); /* attributes of the class */
}

static const uint8_t add[] = {26, 27, 96, 172}; /* iload_0, iload_1, iadd, ireturn */

static struct java_class *read_class(const struct buf *b, struct arena *arena, struct error *err)
{
    return java_class_read((const uint8_t *)b->data, b->len, "here", arena, err);
}

static void test_reads(void **state)
{
    (void)state;
    struct buf b = BUF_INIT;
    struct arena arena = {0};
    struct error err = {0};
    make_class(&b, 61, "p/A", "java/lang/Object", "(II)I", 2, 2, add, sizeof add);
    struct java_class *c = read_class(&b, &arena, &err);
    assert_non_null(c);
    assert_string_equal(c->name, "p/A");
    assert_string_equal(c->super_name, "java/lang/Object");
    assert_int_equal(c->version, 61);
    assert_int_equal(c->nmethods, 1);
    assert_string_equal(c->method[0].desc, "(II)I");
    assert_int_equal(c->method[0].ncode, sizeof add);
    assert_int_equal(java_line(&c->method[0], 3), 42);
    arena_free(&arena);
    buf_free(&b);
}

static void test_refuses(void **state)
{
    (void)state;
    struct buf b = BUF_INIT;
    make_class(&b, 61, "p/A", "java/lang/Object", "(II)I", 2, 2, add, sizeof add);
    for (size_t n = 0; n < b.len; n++) {
        struct arena arena = {0};
        struct error err = {0};
        /* exactly as large, so that a sanitizer sees what is read behind it */
        uint8_t *part = malloc(n ? n : 1);
        memcpy(part, b.data, n);
        assert_null(java_class_read(part, n, "here", &arena, &err));
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_non_null(strstr(err.text, "here"));
        free(part);
        arena_free(&arena);
    }
    for (unsigned version = 0; version < 100; version++) {
        struct buf v = BUF_INIT;
        struct arena arena = {0};
        struct error err = {0};
        make_class(&v, version, "p/A", "java/lang/Object", "(II)I", 2, 2, add, sizeof add);
        assert_int_equal(read_class(&v, &arena, &err) != NULL, version >= JAVA_VERSION_MIN && version <= JAVA_VERSION_MAX);
        arena_free(&arena);
        buf_free(&v);
    }
    buf_free(&b);
}

static void test_changed_bytes(void **state)
{
    (void)state;
    uint64_t seed = 19;
    struct buf b = BUF_INIT;
    make_class(&b, 61, "p/A", "java/lang/Object", "(II)I", 2, 2, add, sizeof add);
    for (unsigned i = 0; i < 20000; i++) {
        struct arena arena = {0};
        struct error err = {0};
        struct buf v = BUF_INIT;
        buf_put(&v, b.data, b.len);
        for (unsigned k = 0; k < 1 + i % 3; k++)
            v.data[test_random(&seed) % v.len] = (char)test_random(&seed);
        struct java_class *c = read_class(&v, &arena, &err);
        assert_true(c || err.kind == ERROR_INPUT);
        for (unsigned m = 0; c && m < c->nmethods; m++) {
            struct java_checked checked = {0};
            if (c->method[m].code) {
                java_check(&c->method[m], &checked);
                java_checked_free(&checked);
            }
        }
        arena_free(&arena);
        buf_free(&v);
    }
    buf_free(&b);
}

static void test_descriptors(void **state)
{
    (void)state;
    unsigned words, count;
    const char *end;
    assert_true(java_signature("(IJ[BLjava/lang/String;D)V", &words, &count));
    assert_int_equal(words, 7);
    assert_int_equal(count, 5);
    static const char *const bad[] = {"", "I", "(", "(I", "(I)", "(V)V", "(Q)V", "(L;)V", "(Ljava)V", "([)V", "(I)VV", "()[V"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (java_signature(bad[i], &words, &count))
            fail_msg("%s is taken for a descriptor", bad[i]);
    assert_int_equal(java_type("[[IJ", &end), '[');
    assert_string_equal(end, "J");
    assert_int_equal(java_type("Lx;", &end), 'L');
    assert_int_equal(java_type("X", &end), 0);
}

/* What the check says of the code of a method with two ints and a stack of two words. */
static const char *checked(const uint8_t *code, unsigned n, char *out, size_t cap)
{
    struct buf b = BUF_INIT;
    struct arena arena = {0};
    struct error err = {0};
    struct java_checked c = {0};
    make_class(&b, 50, "p/A", "java/lang/Object", "(II)I", 2, 2, code, n);
    struct java_class *k = read_class(&b, &arena, &err);
    assert_non_null(k);
    java_check(&k->method[0], &c);
    snprintf(out, cap, "%s", c.why ? c.why : "");
    java_checked_free(&c);
    arena_free(&arena);
    buf_free(&b);
    return out;
}

static void test_check(void **state)
{
    (void)state;
    char why[256];
    assert_string_equal(checked(add, sizeof add, why, sizeof why), "");
    static const struct {
        uint8_t code[8];
        unsigned n;
    } bad[] = {
        {{96, 172}, 2},                     /* iadd of nothing */
        {{26, 27}, 2},                      /* runs off the end */
        {{26, 26, 26, 172}, 4},             /* more than the stack holds */
        {{26, 140, 172}, 3},                /* l2i of an int... */
        {{167, 0, 2, 3, 172}, 5},           /* a jump into an instruction */
        {{167, 0, 40, 3, 172}, 5},          /* ... out of the method */
        {{21, 9, 172}, 3},                  /* a local that is not there */
        {{3, 154, 0, 4, 3, 172}, 6},        /* the stack differs where ways join */
        {{203, 172}, 2},                    /* no instruction */
        {{16}, 1},                          /* half an instruction */
        {{26, 173}, 2},                     /* an int is returned as a long */
        {{170, 0, 0, 0, 0, 0, 0, 0}, 8},    /* half a switch */
        {{178, 0, 200, 172}, 4},            /* an entry of the constant pool that is not there */
        {{178, 0, 2, 172}, 4},              /* a class where a field belongs */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!*checked(bad[i].code, bad[i].n, why, sizeof why))
            fail_msg("code %zu is taken for well formed", i);
}

static void test_lengths(void **state)
{
    (void)state;
    uint8_t code[64] = {0};
    struct java_method m = {.code = code};
    for (unsigned op = 0; op < J_COUNT; op++) {
        memset(code, 0, sizeof code);
        code[0] = (uint8_t)op;
        m.ncode = sizeof code;
        uint32_t n = java_length(&m, 0);
        if (op == J_WIDE)
            continue; /* of nop there is no wide form */
        assert_in_range(n, 1, 40);
        for (m.ncode = 1; m.ncode < n; m.ncode++)
            assert_int_equal(java_length(&m, 0), 0);
    }
    code[0] = J_WIDE;
    code[1] = J_IINC;
    m.ncode = sizeof code;
    assert_int_equal(java_length(&m, 0), 6);
    code[1] = J_ILOAD;
    assert_int_equal(java_length(&m, 0), 4);
}

/* ---- classes of a program ---- */

static void write_class(const char *dir, const char *name, const char *super)
{
    char path[512];
    struct buf b = BUF_INIT;
    make_class(&b, 52, name, super, "(II)I", 2, 2, add, sizeof add);
    snprintf(path, sizeof path, "%s/%s.class", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(b.data, 1, b.len, f), b.len);
    fclose(f);
    buf_free(&b);
}

static void test_world(void **state)
{
    (void)state;
    char dir[] = "/tmp/assay-java-XXXXXX", path[512];
    static const char *const name[] = {"B", "C", "Loop", "Other", "Missing"};
    static const char *const super[] = {"C", "Missing2", "Loop2", "Wrong", "Nowhere"};
    struct error err = {0};
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < 5; i++)
        write_class(dir, name[i], super[i]);
    write_class(dir, "Loop2", "Loop");
    struct java_path *p = java_path_new();
    struct java_world w;
    assert_true(java_path_add(p, dir, &err));
    java_world_init(&w, p);
    for (size_t i = 0; i < 5; i++) {
        struct error why = {0};
        assert_null(java_world_class(&w, name[i], &why));
        assert_int_equal(why.kind, ERROR_INPUT);
    }
    assert_null(java_world_class(&w, "Loop", &err)); /* a superclass of itself */
    java_world_free(&w);
    java_path_free(p);
    static const char *const made[] = {"B", "C", "Loop", "Other", "Missing", "Loop2"};
    for (size_t i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%s.class", dir, made[i]);
        unlink(path);
    }
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),       cmocka_unit_test(test_refuses), cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_descriptors), cmocka_unit_test(test_check),   cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
