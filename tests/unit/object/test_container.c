/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Containers: every format is walked in order, members are opened by name, bombs and damage are refused. */
#include "inputs.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

struct file {
    const char *path;
    const uint8_t *data;
    size_t size;
    const char *link;
};

typedef int setup_fn(struct archive *);

/* Writes an archive of the given files with libarchive, in memory. */
static uint8_t *pack(setup_fn *format, setup_fn *filter, const struct file *file, size_t n, size_t *size)
{
    size_t room = 1 << 16;
    for (size_t i = 0; i < n; i++)
        room += file[i].size + 4096;
    uint8_t *out = malloc(room);
    assert_non_null(out);
    struct archive *a = archive_write_new();
    assert_int_equal(format(a), ARCHIVE_OK);
    if (filter)
        assert_int_equal(filter(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out, room, size), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, file[i].path);
        archive_entry_set_perm(e, 0755);
        if (file[i].link) {
            archive_entry_set_filetype(e, AE_IFLNK);
            archive_entry_set_symlink(e, file[i].link);
        } else {
            archive_entry_set_filetype(e, AE_IFREG);
            archive_entry_set_size(e, (la_int64_t)file[i].size);
        }
        assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
        if (file[i].size)
            assert_int_equal(archive_write_data(a, file[i].data, file[i].size), file[i].size);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    return out;
}

static bool list_member(void *ctx, const struct object_member *m)
{
    struct buf *b = ctx;
    buf_printf(b, "%s%s%s%s;", m->path, m->is_elf ? "*" : "", m->is_symlink ? "->" : "",
               m->is_symlink ? m->link : "");
    return true;
}

static void expect_listing(const uint8_t *data, size_t size, const char *want)
{
    struct buf b = BUF_INIT;
    struct error err = {ERROR_NONE, ""};
    if (!container_walk_memory("archive", data, size, list_member, &b, &err))
        fail_msg("%s", err.text);
    assert_string_equal(buf_text(&b), want);
    buf_free(&b);
}

struct fixture {
    uint8_t *program, *other;
    size_t program_size, other_size;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->program = input_bytes("x86_64", "-small", &f->program_size);
    f->other = input_bytes("aarch64", "-small", &f->other_size);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    free(f->program);
    free(f->other);
    free(f);
    return 0;
}

static void formats(void **state)
{
    const struct fixture *f = *state;
    const struct file files[] = {{"usr/lib/b.so", f->other, f->other_size, NULL},
                                 {"usr/bin/a", f->program, f->program_size, NULL},
                                 {"readme", (const uint8_t *)"text\n", 5, NULL}};
    static const struct {
        setup_fn *format, *filter;
    } kind[] = {{archive_write_set_format_pax_restricted, NULL},
                {archive_write_set_format_ustar, archive_write_add_filter_gzip},
                {archive_write_set_format_gnutar, archive_write_add_filter_xz},
                {archive_write_set_format_ustar, archive_write_add_filter_bzip2},
                {archive_write_set_format_ustar, archive_write_add_filter_zstd},
                {archive_write_set_format_ustar, archive_write_add_filter_lz4},
                {archive_write_set_format_v7tar, NULL},
                {archive_write_set_format_cpio_newc, NULL},
                {archive_write_set_format_zip, NULL},
                {archive_write_set_format_7zip, NULL}};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        size_t size;
        uint8_t *data = pack(kind[i].format, kind[i].filter, files, 3, &size);
        expect_listing(data, size, "readme;usr/bin/a*;usr/lib/b.so*;");
        free(data);
    }
    expect_listing(f->program, f->program_size, "*;");
}

/* What a .deb is: an ar archive that holds compressed tar archives. */
static uint8_t *make_deb(const struct fixture *f, size_t *size)
{
    const struct file data[] = {{"./usr/bin/tool", f->program, f->program_size, NULL},
                                {"./usr/lib/libx.so.1", NULL, 0, "libx.so.1.2"},
                                {"./usr/lib/libx.so.1.2", f->other, f->other_size, NULL},
                                {"./usr/lib/loop", NULL, 0, "loop"},
                                {"./usr/share/doc/x", (const uint8_t *)"doc", 3, NULL}};
    const struct file control[] = {{"./control", (const uint8_t *)"Package: x\n", 11, NULL}};
    size_t data_size, control_size;
    uint8_t *data_tar =
        pack(archive_write_set_format_gnutar, archive_write_add_filter_xz, data, 5, &data_size);
    uint8_t *control_tar =
        pack(archive_write_set_format_gnutar, archive_write_add_filter_gzip, control, 1, &control_size);
    const struct file outer[] = {{"debian-binary", (const uint8_t *)"2.0\n", 4, NULL},
                                 {"control.tar.gz", control_tar, control_size, NULL},
                                 {"data.tar.xz", data_tar, data_size, NULL}};
    uint8_t *deb = pack(archive_write_set_format_ar_svr4, NULL, outer, 3, size);
    free(data_tar);
    free(control_tar);
    return deb;
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static struct object *open_spec(const char *dir, const char *spec, struct error *err)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, spec);
    return object_open(path, NULL, err);
}

static void expect_arch(const char *dir, const char *spec, enum machine_arch arch)
{
    struct error err = {ERROR_NONE, ""};
    struct object *o = open_spec(dir, spec, &err);
    if (!o)
        fail_msg("%s", err.text);
    assert_int_equal(object_info(o)->arch, arch);
    object_free(o);
}

static void expect_refusal(const char *dir, const char *spec, const char *says)
{
    struct error err = {ERROR_NONE, ""};
    assert_null(open_spec(dir, spec, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void packages(void **state)
{
    const struct fixture *f = *state;
    size_t size;
    uint8_t *deb = make_deb(f, &size);
    expect_listing(
        deb, size,
        "control.tar.gz/./control;data.tar.xz/./usr/bin/tool*;data.tar.xz/./usr/lib/libx.so.1->libx.so.1.2;"
        "data.tar.xz/./usr/lib/libx.so.1.2*;data.tar.xz/./usr/lib/loop->loop;data.tar.xz/./usr/share/doc/x;"
        "debian-binary;");
    char dir[] = "/tmp/assay-test-XXXXXX", path[600];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/x.deb", dir);
    write_file(path, deb, size);
    expect_arch(dir, "x.deb:usr/bin/tool", MACHINE_AMD64);
    expect_arch(dir, "x.deb:/usr/bin/tool", MACHINE_AMD64);
    expect_arch(dir, "x.deb(usr/bin/tool)", MACHINE_AMD64);
    expect_arch(dir, "x.deb:data.tar.xz/usr/bin/tool", MACHINE_AMD64);
    expect_arch(dir, "x.deb:tool", MACHINE_AMD64);
    expect_arch(dir, "x.deb:usr/lib/libx.so.1.2", MACHINE_ARM64);
    expect_arch(dir, "x.deb:usr/lib/libx.so.1", MACHINE_ARM64); /* through the symbolic link */
    expect_refusal(dir, "x.deb", "contains 2 programs");
    expect_refusal(dir, "x.deb", "usr/bin/tool");
    expect_refusal(dir, "x.deb:usr/bin/nothing", "no member");
    expect_refusal(dir, "x.deb:usr/share/doc/x", "not an ELF file");
    expect_refusal(dir, "x.deb:usr/lib/loop", "cycle of symbolic links");
    unlink(path);
    rmdir(dir);
    free(deb);
}

/* A .rpm: a lead, two header structures (empty here), a compressed cpio archive. */
static void rpm(void **state)
{
    const struct fixture *f = *state;
    const struct file files[] = {{"./usr/bin/tool", f->program, f->program_size, NULL}};
    size_t payload_size;
    uint8_t *payload =
        pack(archive_write_set_format_cpio_newc, archive_write_add_filter_zstd, files, 1, &payload_size);
    enum { LEAD = 96, HEADER = 16 };
    uint8_t *data = calloc(1, LEAD + 2 * HEADER + payload_size);
    assert_non_null(data);
    memcpy(data, "\355\253\356\333\003\000\000\000", 8);
    data[79] = 5; /* signature type: header structure */
    memcpy(data + LEAD, "\216\255\350\001", 4);
    memcpy(data + LEAD + HEADER, "\216\255\350\001", 4);
    memcpy(data + LEAD + 2 * HEADER, payload, payload_size);
    expect_listing(data, LEAD + 2 * HEADER + payload_size, "./usr/bin/tool*;");
    free(data);
    free(payload);
}

static void static_archive(void **state)
{
    (void)state;
    struct object *o = input_open("arm", ".a(arm.o)");
    assert_int_equal(object_info(o)->type, OBJECT_RELOCATABLE);
    assert_non_null(strstr(object_info(o)->name, "arm.a(arm.o)"));
    input_symbol(o, "compute");
    object_free(o);
    o = input_open("x86_64", ".a:x86_64-pic.o");
    input_symbol(o, "compute");
    object_free(o);
}

static void compressed_program(void **state)
{
    const struct fixture *f = *state;
    const struct file one[] = {{"data", f->program, f->program_size, NULL}};
    size_t size, inner_size;
    uint8_t *inner = pack(archive_write_set_format_raw, archive_write_add_filter_gzip, one, 1, &inner_size);
    expect_listing(inner, inner_size, "*;");
    const struct file outer[] = {{"boot/kernel.gz", inner, inner_size, NULL}};
    uint8_t *tar = pack(archive_write_set_format_ustar, NULL, outer, 1, &size);
    expect_listing(tar, size, "boot/kernel.gz/kernel*;");
    free(tar);
    free(inner);
}

static void directory(void **state)
{
    const struct fixture *f = *state;
    char dir[] = "/tmp/assay-test-XXXXXX", path[600], sub[600], link[600];
    assert_non_null(mkdtemp(dir));
    snprintf(sub, sizeof sub, "%s/sub", dir);
    assert_int_equal(mkdir(sub, 0700), 0);
    snprintf(path, sizeof path, "%s/sub/a.out", dir);
    write_file(path, f->program, f->program_size);
    snprintf(link, sizeof link, "%s/again", dir);
    assert_int_equal(symlink(".", link), 0);
    struct buf b = BUF_INIT;
    struct error err;
    assert_true(container_walk(dir, list_member, &b, &err));
    assert_string_equal(buf_text(&b), "again->.;sub/a.out*;");
    buf_free(&b);
    struct object *o = object_open(dir, NULL, &err);
    assert_non_null(o);
    object_free(o);
    expect_arch(dir, ":sub/a.out", MACHINE_AMD64);
    unlink(link);
    unlink(path);
    rmdir(sub);
    rmdir(dir);
}

static void damage(void **state)
{
    const struct fixture *f = *state;
    struct error err;
    size_t size;
    uint8_t *deb = make_deb(f, &size);
    for (size_t n = 0; n < size; n += 97) {
        struct buf b = BUF_INIT;
        err = (struct error){ERROR_NONE, ""};
        /* An exact copy, so that AddressSanitizer sees a read past its end. */
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, deb, n);
        if (!container_walk_memory("cut", cut, n, list_member, &b, &err)) {
            assert_int_equal(err.kind, ERROR_INPUT);
            assert_int_equal(strncmp(err.text, "cut: ", 5), 0);
        }
        free(cut);
        buf_free(&b);
    }
    free(deb);
    assert_false(container_walk_memory("text", (const uint8_t *)"just text", 9, list_member, NULL, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_false(container_walk_memory("thin", (const uint8_t *)"!<thin>\n", 8, list_member, NULL, &err));
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
}

/* A tar in a tar in a tar ...: refused before it costs anything. */
static void nesting(void **state)
{
    (void)state;
    uint8_t *data = (uint8_t *)strdup("deep inside");
    size_t size = 11;
    for (int i = 0; i < 12; i++) {
        const struct file one[] = {{"inner", data, size, NULL}};
        size_t outer_size;
        uint8_t *outer = pack(archive_write_set_format_ustar, NULL, one, 1, &outer_size);
        free(data);
        data = outer;
        size = outer_size;
    }
    struct error err = {ERROR_NONE, ""};
    struct buf b = BUF_INIT;
    assert_false(container_walk_memory("matryoshka", data, size, list_member, &b, &err));
    assert_int_equal(err.kind, ERROR_RESOURCE);
    assert_non_null(strstr(err.text, "nested"));
    buf_free(&b);
    free(data);
}

static bool count_one(void *ctx, const struct object_member *m)
{
    (void)m;
    return ++*(int *)ctx < 1;
}

static void stopping(void **state)
{
    const struct fixture *f = *state;
    size_t size;
    uint8_t *deb = make_deb(f, &size);
    int seen = 0;
    struct error err;
    assert_true(container_walk_memory("deb", deb, size, count_one, &seen, &err));
    assert_int_equal(seen, 1);
    free(deb);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(formats, set_up, tear_down),
    cmocka_unit_test_setup_teardown(packages, set_up, tear_down),
    cmocka_unit_test_setup_teardown(rpm, set_up, tear_down),
    cmocka_unit_test(static_archive),
    cmocka_unit_test_setup_teardown(compressed_program, set_up, tear_down),
    cmocka_unit_test_setup_teardown(directory, set_up, tear_down),
    cmocka_unit_test_setup_teardown(damage, set_up, tear_down),
    cmocka_unit_test(nesting),
    cmocka_unit_test_setup_teardown(stopping, set_up, tear_down),
};
INPUT_MAIN("object-container", tests)
