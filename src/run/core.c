/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/core.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* General registers as the kernel has them in NT_PRSTATUS, by machine; NULL: one that is not kept. What stands before
 * them are signals, process numbers and times. */
static const char *const amd64_register[] = {"r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9",
                                             "r8",  "rax", "rcx", "rdx", "rsi", "rdi", NULL,  "rip", NULL,
                                             NULL,  "rsp", NULL,  "fs_base", "gs_base", NULL,  NULL,  NULL,  NULL};
static const char *const x86_register[] = {"ebx", "ecx", "edx", "esi", "edi", "ebp", "eax", NULL, NULL,
                                           NULL,  NULL,  NULL,  "eip", NULL,  NULL,  "esp", NULL};
static const char *const arm_register[] = {"r0", "r1", "r2",  "r3",  "r4",  "r5",  "r6",  "r7",  "r8",
                                           "r9", "r10", "r11", "r12", "r13", "r14", "r15", NULL,  NULL};
static const char *const arm64_register[] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16",
    "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",  "pc",  NULL};

static const struct layout {
    enum machine_arch arch;
    uint16_t machine;
    const char *const *name;
    unsigned count, before;
} layout[] = {
#define COUNT(x) sizeof x / sizeof *x
    {MACHINE_AMD64, EM_X86_64, amd64_register, COUNT(amd64_register), 112},
    {MACHINE_X86, EM_386, x86_register, COUNT(x86_register), 72},
    {MACHINE_ARM, EM_ARM, arm_register, COUNT(arm_register), 72},
    {MACHINE_ARM64, EM_AARCH64, arm64_register, COUNT(arm64_register), 112},
#undef COUNT
};

static void put_number(struct buf *b, uint64_t v, unsigned bytes)
{
    buf_put(b, &v, bytes);
}

static void put_zero(struct buf *b, size_t n)
{
    static const char zero[64];
    for (; n; n -= n < sizeof zero ? n : sizeof zero)
        buf_put(b, zero, n < sizeof zero ? n : sizeof zero);
}

static void put_note(struct buf *b, uint32_t type, const char *data, size_t n)
{
    put_number(b, 5, 4);
    put_number(b, n, 4);
    put_number(b, type, 4);
    buf_put(b, "CORE\0\0\0", 8);
    buf_put(b, data, n);
    put_zero(b, -n & 3);
}

static void put_status(struct buf *notes, const struct snapshot *s, const struct layout *l)
{
    unsigned word = s->m->pointer_width / 8;
    struct buf b = BUF_INIT;
    put_zero(&b, 12);
    put_number(&b, 5 /* SIGTRAP: it stands at a breakpoint */, 2);
    put_zero(&b, l->before == 112 ? 32 - b.len : 24 - b.len);
    put_number(&b, 1, 4); /* process */
    put_zero(&b, l->before - b.len);
    for (unsigned i = 0; i < l->count; i++) {
        uint16_t offset, width;
        uint64_t v = 0;
        if (l->name[i] && machine_register_find(s->m, l->name[i], &offset, &width))
            memcpy(&v, s->registers + offset, word);
        put_number(&b, v, word);
    }
    put_zero(&b, word == 8 ? 8 : 4); /* whether there are floating-point registers */
    put_note(notes, NT_PRSTATUS, buf_text(&b), b.len);
    buf_free(&b);
}

/* How many, the page size, where each is, and all names. */
static void put_files(struct buf *notes, const struct snapshot *s)
{
    enum { PAGE = 4096 };
    unsigned word = s->m->pointer_width / 8;
    struct buf b = BUF_INIT;
    uint64_t n = 0;
    for (size_t i = 0; i < s->nparts; i++)
        n += s->part[i].file != NULL;
    put_number(&b, n, word);
    put_number(&b, PAGE, word);
    for (size_t i = 0; i < s->nparts; i++)
        if (s->part[i].file) {
            put_number(&b, s->part[i].low, word);
            put_number(&b, s->part[i].high, word);
            put_number(&b, s->part[i].offset / PAGE, word);
        }
    for (size_t i = 0; i < s->nparts; i++)
        if (s->part[i].file)
            buf_put(&b, s->part[i].file, strlen(s->part[i].file) + 1);
    put_note(notes, NT_FILE, buf_text(&b), b.len);
    buf_free(&b);
}

struct part {
    uint32_t type, flags;
    uint64_t offset, address, size, memory;
};

static void put_part(struct buf *b, const struct part *p, bool wide)
{
    if (wide) {
        Elf64_Phdr h = {.p_type = p->type, .p_flags = p->flags, .p_offset = p->offset, .p_vaddr = p->address,
                        .p_filesz = p->size, .p_memsz = p->memory, .p_align = 1};
        buf_put(b, &h, sizeof h);
    } else {
        Elf32_Phdr h = {.p_type = p->type, .p_flags = p->flags, .p_offset = (uint32_t)p->offset,
                        .p_vaddr = (uint32_t)p->address, .p_filesz = (uint32_t)p->size,
                        .p_memsz = (uint32_t)p->memory, .p_align = 1};
        buf_put(b, &h, sizeof h);
    }
}

static void put_head(struct buf *b, const struct layout *l, bool wide, size_t parts)
{
    unsigned char ident[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, wide ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB,
                                      EV_CURRENT};
    if (wide) {
        Elf64_Ehdr h = {.e_type = ET_CORE, .e_machine = l->machine, .e_version = EV_CURRENT, .e_phoff = sizeof h,
                        .e_ehsize = sizeof h, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (uint16_t)parts};
        memcpy(h.e_ident, ident, sizeof ident);
        buf_put(b, &h, sizeof h);
    } else {
        Elf32_Ehdr h = {.e_type = ET_CORE, .e_machine = l->machine, .e_version = EV_CURRENT, .e_phoff = sizeof h,
                        .e_ehsize = sizeof h, .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = (uint16_t)parts};
        memcpy(h.e_ident, ident, sizeof ident);
        buf_put(b, &h, sizeof h);
    }
}

bool core_write(const struct snapshot *s, const char *path, struct error *err)
{
    enum { PARTS = 65534 };
    const struct layout *l = NULL;
    bool wide = s->m->pointer_width == 64;
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++)
        l = layout[i].arch == s->m->arch ? &layout[i] : l;
    if (!l || s->nparts > PARTS)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no core file can be made of that", path);
    struct buf head = BUF_INIT, notes = BUF_INIT;
    put_status(&notes, s, l);
    put_note(&notes, NT_AUXV, (const char *)s->auxv, s->nauxv);
    put_files(&notes, s);
    put_head(&head, l, wide, s->nparts + 1);
    uint64_t at = head.len + (s->nparts + 1) * (wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
    put_part(&head, &(struct part){.type = PT_NOTE, .offset = at, .size = notes.len}, wide);
    at += notes.len;
    for (size_t i = 0; i < s->nparts; i++) {
        const struct snapshot_part *p = &s->part[i];
        uint64_t size = p->high - p->low;
        /* what is all zero takes no room */
        put_part(&head,
                 &(struct part){.type = PT_LOAD,
                                .flags = (p->read ? PF_R : 0u) | (p->write ? PF_W : 0u) | (p->exec ? PF_X : 0u),
                                .offset = at,
                                .address = p->low,
                                .size = p->byte ? size : 0,
                                .memory = size},
                 wide);
        at += p->byte ? size : 0;
    }
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(buf_text(&head), 1, head.len, f) == head.len &&
              fwrite(buf_text(&notes), 1, notes.len, f) == notes.len;
    for (size_t i = 0; i < s->nparts && ok; i++) {
        size_t size = (size_t)(s->part[i].high - s->part[i].low);
        ok = !s->part[i].byte || fwrite(s->part[i].byte, 1, size, f) == size;
    }
    if (f && fclose(f) != 0)
        ok = false;
    buf_free(&head);
    buf_free(&notes);
    return ok || error_set(err, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
}
