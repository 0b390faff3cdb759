/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch directories go, whatever was left in them and whoever left them; copies of snapshots; the guard's
 * pool. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include "run/core.h"
#include "run/scratch.h"
#include "run/watch.h"
#include "test.h"

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void put(const char *dir, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static void test_scratch_is_removed(void **state)
{
    (void)state;
    struct scratch s, other;
    struct error err;
    char path[256], kept[256], link[256];
    assert_true(scratch_open(&s, &err));
    assert_true(scratch_open(&other, &err)); /* nobody takes one that is held */
    assert_true(is_there(s.path));
    snprintf(path, sizeof path, "%s/in/deep", s.path);
    snprintf(kept, sizeof kept, "%s/in", s.path);
    assert_int_equal(mkdir(kept, 0700), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    put(path, "file");
    assert_int_equal(chmod(path, 0), 0);
    put(other.path, "of others");
    snprintf(link, sizeof link, "%s/link", s.path);
    assert_int_equal(symlink(other.path, link), 0);
    snprintf(kept, sizeof kept, "%s", s.path);
    scratch_close(&s);
    assert_false(is_there(kept));
    snprintf(path, sizeof path, "%s/of others", other.path);
    assert_true(is_there(path)); /* links are not followed */
    scratch_close(&other);
    scratch_close(&other); /* once is enough */
}

static void test_abandoned_scratch(void **state)
{
    (void)state;
    int fd[2];
    char path[64] = "";
    assert_int_equal(pipe(fd), 0);
    pid_t p = fork();
    if (p == 0) {
        struct scratch s;
        struct error err;
        if (scratch_open(&s, &err)) {
            put(s.path, "stdout");
            if (write(fd[1], s.path, sizeof s.path) < 0)
                _exit(1);
        }
        raise(9);
    }
    assert_true(read(fd[0], path, sizeof path) > 0);
    waitpid(p, NULL, 0);
    assert_true(is_there(path));
    struct scratch s;
    struct error err;
    assert_true(scratch_open(&s, &err));
    assert_false(is_there(path));
    scratch_close(&s);
    close(fd[0]);
    close(fd[1]);
}

static void test_copies_of_snapshots(void **state)
{
    (void)state;
    static const uint8_t byte[32] = {1, 2, 3};
    static const struct ir_machine m = {.pointer_width = 64, .file_size = 16};
    static const uint8_t registers[16] = {9};
    const struct snapshot_part part[] = {{.low = 4096, .high = 4128, .byte = byte, .write = true},
                                         {.low = 4128, .high = 4160, .write = true}};
    struct snapshot s = {.m = &m, .part = part, .nparts = 2, .registers = registers}, copy;
    size_t n;
    snapshot_copy(&s, &copy);
    assert_true(snapshot_write(&copy, 4126, "abcd", 4)); /* over the end of a part */
    assert_false(snapshot_write(&copy, 4158, "abcd", 4));
    assert_int_equal(*snapshot_at(&copy, 4127, &n), 'b');
    assert_int_equal(*snapshot_at(&copy, 4128, &n), 'c');
    assert_int_equal(*snapshot_at(&copy, 4097, &n), 2);
    assert_int_equal(*snapshot_at(&s, 4127, &n), 0);
    assert_int_equal(*snapshot_at(&s, 4128, &n), 0);
    snapshot_register_set(&copy, 8, 77);
    assert_int_equal(copy.registers[8], 77);
    assert_int_equal(s.registers[8], 0);
    snapshot_free(&copy);
}

static void same_bytes(const struct snapshot *a, const struct snapshot *b)
{
    assert_int_equal(a->nparts, b->nparts);
    for (size_t i = 0; i < a->nparts; i++)
        for (uint64_t at = a->part[i].low; at < a->part[i].high;) {
            size_t n, m;
            const uint8_t *x = snapshot_at(a, at, &n), *y = snapshot_at(b, at, &m);
            n = n < m ? n : m;
            assert_true(x && y && n);
            assert_memory_equal(x, y, n);
            at += n;
        }
}

/* What is borrowed from another snapshot is what the process has, also where it was written to since. */
static void test_borrowed_snapshots(void **state)
{
    (void)state;
#if defined __x86_64__
    static const struct ir_machine m = {.arch = MACHINE_AMD64, .pointer_width = 64, .file_size = 16};
#else
    static const struct ir_machine m = {.arch = MACHINE_ARM64, .pointer_width = 64, .file_size = 16};
#endif
    struct scratch s;
    struct error err;
    struct snapshot first, changed, all, later;
    assert_true(scratch_open(&s, &err));
    struct run_target t = {
        .m = &m, .program = "/proc/self/exe", .scratch = s.path, .limits = {.time_ms = 60000}};
    struct process *p = process_start(&t, &err);
    assert_non_null(p);
    assert_true(snapshot_take(p, &t, NULL, &first, &err));
    uint64_t written[3] = {0}; /* code, data of a file, the stack */
    bool special = false;      /* what the kernel puts there is no memory that was never come to */
    for (size_t i = 0; i < first.nparts; i++) {
        const struct snapshot_part *x = &first.part[i];
        if (x->write || (x->exec && x->file))
            written[x->exec ? 0 : x->file ? 1 : 2] = x->high - 8;
        special |= !x->file && x->exec && x->byte && memcmp(x->byte, ELFMAG, SELFMAG) == 0;
    }
    assert_true(special);
    uint8_t was[3];
    for (unsigned i = 0; i < 3; i++) {
        assert_true(process_read(p, written[i], &was[i], 1));
        uint8_t is = was[i] ^ 1;
        assert_true(process_write(p, written[i], &is, 1));
    }
    assert_true(snapshot_take(p, &t, &first, &changed, &err));
    assert_true(snapshot_take(p, &t, NULL, &all, &err));
    same_bytes(&changed, &all);
    size_t n;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(*snapshot_at(&changed, written[i], &n), was[i] ^ 1);
        assert_int_equal(*snapshot_at(&first, written[i], &n), was[i]);
    }
    process_end(p);
    /* a new process is as the first one was, whatever a snapshot of the changed one holds */
    p = process_start(&t, &err);
    assert_non_null(p);
    assert_true(snapshot_take(p, &t, &changed, &later, &err));
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(*snapshot_at(&later, written[i], &n), was[i]);
    process_end(p);
    snapshot_free(&later);
    snapshot_free(&all);
    snapshot_free(&changed);
    snapshot_free(&first);
    scratch_close(&s);
}

static void test_chunks(void **state)
{
    (void)state;
    static struct guard_pool g;
    struct guard_chunk c;
    g.cls[0] = (struct guard_class){.base = 0x10000, .bytes = 4096, .slots = 4, .used = 2};
    g.size[0] = 24;
    g.state[0] = GUARD_LIVE;
    g.size[1] = 8;
    g.state[1] = GUARD_FREED;
    assert_true(guard_chunk_at(&g, 0x10000 + 4096 - 24, &c));
    assert_int_equal(c.size, 24);
    assert_true(guard_chunk_at(&g, 0x10000 + 4096, &c)); /* behind its end */
    assert_int_equal(c.state, GUARD_LIVE);
    assert_true(guard_chunk_at(&g, 0x12000 + 4095, &c));
    assert_int_equal(c.state, GUARD_FREED);
    assert_false(guard_chunk_at(&g, 0x14000, &c)); /* given to nobody */
    assert_false(guard_chunk_at(&g, 0x20000, &c));
    assert_true(guard_mapped(&g, 0, 0x10000));
    assert_false(guard_mapped(&g, 0, 0x11000));
    assert_false(guard_mapped(&g, 0, 0x12000));
}

/* Notes and parts are where the headers say. */
static void test_core(void **state)
{
    (void)state;
    static const struct ir_machine m = {.arch = MACHINE_ARM64, .pointer_width = 64, .file_size = 16};
    static const uint8_t byte[4096] = {7, 8}, registers[16] = {1, 2, 3};
    const struct snapshot_part part[] = {
        {.low = 0x10000, .high = 0x11000, .byte = byte, .read = true, .exec = true, .file = "/bin/some", .offset = 8192},
        {.low = 0x20000, .high = 0x24000, .read = true, .write = true}};
    struct snapshot s = {.m = &m, .part = part, .nparts = 2, .registers = registers, .auxv = byte, .nauxv = 16};
    char path[] = "/tmp/test-core-XXXXXX";
    struct error err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(core_write(&s, path, "some", 4, &err));
    static unsigned char file[65536];
    ssize_t n = pread(fd, file, sizeof file, 0);
    Elf64_Ehdr h;
    Elf64_Phdr p[3];
    assert_true(n > (ssize_t)sizeof h);
    memcpy(&h, file, sizeof h);
    assert_int_equal(h.e_type, ET_CORE);
    assert_int_equal(h.e_machine, EM_AARCH64);
    assert_int_equal(h.e_phnum, 3);
    memcpy(p, file + h.e_phoff, sizeof p);
    assert_int_equal(p[0].p_type, PT_NOTE);
    assert_int_equal(p[1].p_flags, PF_R | PF_X);
    assert_int_equal(p[1].p_vaddr, 0x10000);
    assert_int_equal(file[p[1].p_offset + 1], 8);
    assert_int_equal(p[2].p_filesz, 0);
    assert_int_equal(p[2].p_memsz, 0x4000);
    assert_int_equal(p[1].p_offset + p[1].p_filesz, (uint64_t)n);
    static const struct {
        uint32_t type;
        uint32_t size;
    } note[] = {{NT_PRSTATUS, 392}, {NT_AUXV, 16}, {NT_FILE, 16 + 24 + 10}};
    uint64_t at = p[0].p_offset;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t head[3];
        memcpy(head, file + at, sizeof head);
        assert_int_equal(head[0], 5);
        assert_int_equal(head[1], note[i].size);
        assert_int_equal(head[2], note[i].type);
        assert_string_equal((char *)file + at + 12, "CORE");
        at += 20 + (head[1] + 3) / 4 * 4;
    }
    assert_false(core_write(&s, "/nowhere/core", NULL, 0, &err));
    /* read back it is what it was; cut anywhere it is refused, or has less */
    struct snapshot back;
    const char *about;
    size_t nabout, there;
    assert_true(core_read(path, &m, 0, &back, &about, &nabout, &err));
    assert_int_equal(nabout, 4);
    assert_memory_equal(about, "some", 4);
    assert_memory_equal(back.registers, registers, sizeof registers);
    assert_int_equal(back.nparts, 2);
    assert_string_equal(back.part[0].file, "/bin/some");
    assert_int_equal(back.part[0].offset, 8192);
    assert_true(back.part[0].exec && !back.part[0].write && back.part[1].write);
    assert_int_equal(*snapshot_at(&back, 0x10001, &there), 8);
    assert_int_equal(*snapshot_at(&back, 0x20001, &there), 0);
    snapshot_free(&back);
    for (ssize_t cut = n - 1; cut >= 0; cut = cut > (ssize_t)p[1].p_offset ? (ssize_t)p[1].p_offset : cut - 1) {
        assert_int_equal(ftruncate(fd, cut), 0);
        assert_false(core_read(path, &m, 0, &back, &about, &nabout, &err));
    }
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scratch_is_removed),
                                       cmocka_unit_test(test_abandoned_scratch),
                                       cmocka_unit_test(test_copies_of_snapshots),
                                       cmocka_unit_test(test_borrowed_snapshots),
                                       cmocka_unit_test(test_chunks),
                                       cmocka_unit_test(test_core)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
