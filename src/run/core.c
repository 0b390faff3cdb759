/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/core.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "run/private.h"

/* General registers as the kernel has them in NT_PRSTATUS, by machine; NULL: one that is not kept. What
 * stands before them are signals, process numbers and times. */
static const char *const amd64_register[] = {
    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10",     "r9",      "r8", "rax", "rcx", "rdx", "rsi",
    "rdi", NULL,  "rip", NULL,  NULL,  "rsp", NULL,  "fs_base", "gs_base", NULL, NULL,  NULL,  NULL};
static const char *const x86_register[] = {"ebx", "ecx", "edx", "esi", "edi", "ebp", "eax", NULL, NULL,
                                           NULL,  NULL,  NULL,  "eip", NULL,  NULL,  "esp", NULL};
static const char *const arm_register[] = {"r0", "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7", "r8",
                                           "r9", "r10", "r11", "r12", "r13", "r14", "r15", NULL, NULL};
static const char *const arm64_register[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",
                                             "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                                             "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
                                             "x27", "x28", "x29", "x30", "sp",  "pc",  NULL};

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

/* Owners of notes, with what fills them up. */
static const char CORE[8] = "CORE", ASSAY[8] = "ASSAY";
enum { NOTE_STATE = 1, NOTE_ABOUT };

/* NOTE_STATE, before the whole register file. */
struct state {
    uint64_t base, pool_at, guarded;
};

static const struct layout *layout_of(const struct ir_machine *m)
{
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++)
        if (layout[i].arch == m->arch)
            return &layout[i];
    return NULL;
}

/* ---- writing ---- */

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

static void put_note(struct buf *b, const char name[static 8], uint32_t type, const char *data, size_t n)
{
    put_number(b, strlen(name) + 1, 4);
    put_number(b, n, 4);
    put_number(b, type, 4);
    buf_put(b, name, 8);
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
    put_note(notes, CORE, NT_PRSTATUS, buf_text(&b), b.len);
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
    put_note(notes, CORE, NT_FILE, buf_text(&b), b.len);
    buf_free(&b);
}

struct part {
    uint32_t type, flags;
    uint64_t offset, address, size, memory;
};

static void put_part(struct buf *b, const struct part *p, bool wide)
{
    if (wide) {
        Elf64_Phdr h = {.p_type = p->type,
                        .p_flags = p->flags,
                        .p_offset = p->offset,
                        .p_vaddr = p->address,
                        .p_filesz = p->size,
                        .p_memsz = p->memory,
                        .p_align = 1};
        buf_put(b, &h, sizeof h);
    } else {
        Elf32_Phdr h = {.p_type = p->type,
                        .p_flags = p->flags,
                        .p_offset = (uint32_t)p->offset,
                        .p_vaddr = (uint32_t)p->address,
                        .p_filesz = (uint32_t)p->size,
                        .p_memsz = (uint32_t)p->memory,
                        .p_align = 1};
        buf_put(b, &h, sizeof h);
    }
}

static void put_head(struct buf *b, const struct layout *l, bool wide, size_t parts)
{
    unsigned char ident[EI_NIDENT] = {
        ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, wide ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB, EV_CURRENT};
    if (wide) {
        Elf64_Ehdr h = {.e_type = ET_CORE,
                        .e_machine = l->machine,
                        .e_version = EV_CURRENT,
                        .e_phoff = sizeof h,
                        .e_ehsize = sizeof h,
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_phnum = (uint16_t)parts};
        memcpy(h.e_ident, ident, sizeof ident);
        buf_put(b, &h, sizeof h);
    } else {
        Elf32_Ehdr h = {.e_type = ET_CORE,
                        .e_machine = l->machine,
                        .e_version = EV_CURRENT,
                        .e_phoff = sizeof h,
                        .e_ehsize = sizeof h,
                        .e_phentsize = sizeof(Elf32_Phdr),
                        .e_phnum = (uint16_t)parts};
        memcpy(h.e_ident, ident, sizeof ident);
        buf_put(b, &h, sizeof h);
    }
}

static void put_state(struct buf *notes, const struct snapshot *s)
{
    struct state state = {.base = s->base, .pool_at = s->pool_at, .guarded = s->guarded};
    struct buf b = BUF_INIT;
    buf_put(&b, &state, sizeof state);
    buf_put(&b, s->registers, s->m->file_size);
    put_note(notes, ASSAY, NOTE_STATE, buf_text(&b), b.len);
    buf_free(&b);
}

bool core_write(const struct snapshot *s, const char *path, const void *about, size_t nabout,
                struct error *err)
{
    enum { PARTS = 65534 };
    const struct layout *l = layout_of(s->m);
    bool wide = s->m->pointer_width == 64;
    if (!l || s->nparts > PARTS)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no core file can be made of that", path);
    struct buf head = BUF_INIT, notes = BUF_INIT;
    put_status(&notes, s, l);
    put_note(&notes, CORE, NT_AUXV, (const char *)s->auxv, s->nauxv);
    put_files(&notes, s);
    put_state(&notes, s);
    put_note(&notes, ASSAY, NOTE_ABOUT, about, nabout);
    put_head(&head, l, wide, s->nparts + 1);
    uint64_t at = head.len + (s->nparts + 1) * (wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
    put_part(&head, &(struct part){.type = PT_NOTE, .offset = at, .size = notes.len}, wide);
    at += notes.len;
    for (size_t i = 0; i < s->nparts; i++) {
        const struct snapshot_part *p = &s->part[i];
        uint64_t size = p->high - p->low;
        /* what is all zero takes no room */
        put_part(
            &head,
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

/* ---- reading ---- */

enum { LARGEST = 1 << 28 }; /* part that is read from a file */

struct reading {
    const char *path;
    const uint8_t *byte;
    size_t size;
    bool wide;
    const struct layout *l;
    struct snapshot *s;
    uint8_t *registers;
    VEC(struct snapshot_part) part;
    const uint8_t *files; /* NT_FILE */
    size_t nfiles;
    bool ours, there; /* the state is ours; registers were found */
    const char *about;
    size_t nabout;
};

static bool damaged(const struct reading *r, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s: not a core file of %s, or a damaged one", r->path, r->s->m->name);
}

static bool read_all(struct reading *r, struct error *err)
{
    enum { MOST = 1 << 30 };
    struct buf all = BUF_INIT;
    bool ok = file_read(r->path, MOST, &all, err);
    r->byte = arena_dup(&r->s->arena, buf_text(&all), all.len);
    r->size = all.len;
    buf_free(&all);
    return ok;
}

static uint64_t number_at(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static void read_status(struct reading *r, const uint8_t *data, size_t n)
{
    unsigned word = r->s->m->pointer_width / 8;
    /* the first thread is the one that stopped */
    if (r->there || n < r->l->before + (size_t)r->l->count * word)
        return;
    r->there = true;
    for (unsigned i = 0; i < r->l->count && !r->ours; i++)
        if (r->l->name[i])
            process_put(r->s->m, r->registers, r->l->name[i], data + r->l->before + (size_t)i * word, word);
}

static void read_note(struct reading *r, const char *name, uint32_t type, const uint8_t *data, size_t n)
{
    struct state state;
    if (strcmp(name, ASSAY) == 0 && type == NOTE_STATE && n == sizeof state + r->s->m->file_size) {
        memcpy(&state, data, sizeof state);
        memcpy(r->registers, data + sizeof state, r->s->m->file_size);
        r->s->base = state.base;
        r->s->pool_at = state.pool_at;
        r->s->guarded = state.guarded != 0;
        r->ours = r->there = true;
    } else if (strcmp(name, ASSAY) == 0 && type == NOTE_ABOUT) {
        r->about = (const char *)data;
        r->nabout = n;
    } else if (type == NT_PRSTATUS && strcmp(name, CORE) == 0) {
        read_status(r, data, n);
    } else if (type == NT_AUXV) {
        r->s->auxv = data;
        r->s->nauxv = n;
    } else if (type == NT_FILE) {
        r->files = data;
        r->nfiles = n;
    } else if (type == NT_ARM_TLS && n >= 8 && !r->ours) {
        process_put(r->s->m, r->registers, "tpidr_el0", data, 8);
    }
}

static void read_notes(struct reading *r, uint64_t at, uint64_t size)
{
    enum { HEAD = 12 };
    uint64_t end = at + size;
    while (end - at >= HEAD) {
        uint64_t named = number_at(r->byte + at, 4), n = number_at(r->byte + at + 4, 4);
        uint32_t type = (uint32_t)number_at(r->byte + at + 8, 4);
        uint64_t name = at + HEAD, data = name + ((named + 3) & ~UINT64_C(3));
        if (data > end || n > end - data)
            return;
        if (named && named <= 16 && r->byte[name + named - 1] == 0)
            read_note(r, (const char *)r->byte + name, type, r->byte + data, n);
        n = (n + 3) & ~UINT64_C(3);
        at = n > end - data ? end : data + n;
    }
}

/* A file that was mapped, as NT_FILE has it. */
struct mapped {
    uint64_t low, high, offset;
    const char *file;
};

/* Those that are known. *at: where the next is found, 0 at first; false: there is none. */
static bool next_mapped(const struct reading *r, uint64_t *at, const char **name, struct mapped *out)
{
    unsigned word = r->wide ? 8 : 4;
    if (r->nfiles < 2 * word)
        return false;
    uint64_t n = number_at(r->files, word), page = number_at(r->files + word, word);
    if (n > r->nfiles / (3 * word) || (2 + 3 * n) * word > r->nfiles || *at >= n)
        return false;
    const char *end = (const char *)r->files + r->nfiles;
    const char *here = *at ? *name : (const char *)r->files + (2 + 3 * n) * word;
    const char *zero = memchr(here, '\0', (size_t)(end - here));
    if (!zero)
        return false;
    const uint8_t *p = r->files + (2 + 3 * *at) * word;
    *out = (struct mapped){.low = number_at(p, word),
                           .high = number_at(p + word, word),
                           .offset = number_at(p + 2 * word, word) * page,
                           .file = here};
    *name = zero + 1;
    ++*at;
    return true;
}

/* The name that NT_FILE has for an address, and where in that file it is. */
static void name_part(const struct reading *r, struct snapshot_part *part)
{
    struct mapped m;
    const char *name;
    for (uint64_t at = 0; next_mapped(r, &at, &name, &m);)
        if (part->low >= m.low && part->low < m.high) {
            part->file = m.file;
            part->offset = m.offset + (part->low - m.low);
            return;
        }
}

/* What whoever wrote the core left out because the mapped file has it. */
static bool fill_part(const struct reading *r, struct snapshot_part *part, uint64_t dumped,
                      const uint8_t *byte)
{
    uint64_t size = part->high - part->low;
    if (dumped == size || (r->ours && !dumped)) {
        part->byte = dumped ? byte : NULL;
        return true;
    }
    uint8_t *all = arena_alloc(&r->s->arena, size);
    memset(all, 0, size);
    memcpy(all, byte, dumped);
    part->byte = all;
    FILE *f = part->file ? fopen(part->file, "re") : NULL;
    if (f) {
        bool ok = fseek(f, (long)(part->offset + dumped), SEEK_SET) == 0 &&
                  fread(all + dumped, 1, size - dumped, f) <= size - dumped;
        fclose(f);
        return ok;
    }
    return !part->file;
}

static int by_low(const void *a, const void *b)
{
    const struct snapshot_part *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* gdb writes no header for what is mapped from a file and was not written to. Where the file is gone, that
 * memory is not there. */
static void add_mapped(struct reading *r)
{
    struct mapped m;
    const char *name;
    size_t dumped = r->part.len;
    for (uint64_t at = 0; !r->ours && next_mapped(r, &at, &name, &m);) {
        uint64_t low = m.low;
        /* the parts are sorted: what is between them is left out */
        for (size_t i = 0; i <= dumped && low < m.high; i++) {
            const struct snapshot_part *p = i < dumped ? &r->part.data[i] : NULL;
            if (p && p->high <= low)
                continue;
            uint64_t high = p && p->low < m.high ? p->low : m.high, next = p ? p->high : m.high;
            struct snapshot_part part = {
                .low = low, .high = high, .offset = m.offset + (low - m.low), .file = m.file, .read = true};
            low = next;
            if (part.low >= part.high)
                continue;
            if (part.high - part.low <= LARGEST && fill_part(r, &part, 0, r->byte))
                vec_push(&r->part, part);
        }
    }
    vec_sort(&r->part, by_low);
}

static bool read_parts(struct reading *r, struct error *err)
{
    Elf64_Ehdr eh = {0};
    Elf32_Ehdr small;
    if (r->size < (r->wide ? sizeof eh : sizeof small))
        return damaged(r, err);
    if (r->wide) {
        memcpy(&eh, r->byte, sizeof eh);
    } else {
        memcpy(&small, r->byte, sizeof small);
        eh.e_type = small.e_type;
        eh.e_machine = small.e_machine;
        eh.e_phoff = small.e_phoff;
        eh.e_phnum = small.e_phnum;
    }
    size_t each = r->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (eh.e_type != ET_CORE || eh.e_machine != r->l->machine || eh.e_phoff > r->size ||
        (r->size - eh.e_phoff) / each < eh.e_phnum)
        return damaged(r, err);
    /* notes first: they name the files of the parts */
    for (int notes = 1; notes >= 0; notes--)
        for (unsigned i = 0; i < eh.e_phnum; i++) {
            Elf64_Phdr p = {0};
            Elf32_Phdr q;
            const uint8_t *at = r->byte + eh.e_phoff + i * each;
            if (r->wide) {
                memcpy(&p, at, sizeof p);
            } else {
                memcpy(&q, at, sizeof q);
                p = (Elf64_Phdr){.p_type = q.p_type,
                                 .p_flags = q.p_flags,
                                 .p_offset = q.p_offset,
                                 .p_vaddr = q.p_vaddr,
                                 .p_filesz = q.p_filesz,
                                 .p_memsz = q.p_memsz};
            }
            if (p.p_offset > r->size || p.p_filesz > r->size - p.p_offset)
                return damaged(r, err);
            if (p.p_type == PT_NOTE && notes)
                read_notes(r, p.p_offset, p.p_filesz);
            if (p.p_type != PT_LOAD || notes || !(p.p_flags & PF_R) || !p.p_memsz || p.p_memsz < p.p_filesz ||
                p.p_vaddr + p.p_memsz < p.p_vaddr ||
                (p.p_memsz > LARGEST && p.p_filesz != p.p_memsz && p.p_filesz))
                continue;
            struct snapshot_part part = {.low = p.p_vaddr,
                                         .high = p.p_vaddr + p.p_memsz,
                                         .read = true,
                                         .write = p.p_flags & PF_W,
                                         .exec = p.p_flags & PF_X};
            name_part(r, &part);
            if (!fill_part(r, &part, p.p_filesz, r->byte + p.p_offset))
                return error_set(err, ERROR_INPUT, "%s: %s, which was mapped, cannot be read", r->path,
                                 part.file);
            vec_push(&r->part, part);
        }
    vec_sort(&r->part, by_low);
    add_mapped(r);
    for (size_t i = 1; i < r->part.len; i++)
        if (r->part.data[i].low < r->part.data[i - 1].high)
            return damaged(r, err);
    return r->there || damaged(r, err);
}

/* Where the program was loaded: the kernel tells it where its first instruction is. */
static bool find_base(const struct reading *r, uint64_t entry)
{
    unsigned word = r->wide ? 8 : 4;
    for (size_t i = 0; i + 2 * word <= r->s->nauxv; i += 2 * word)
        if (number_at(r->s->auxv + i, word) == AT_ENTRY) {
            r->s->base = number_at(r->s->auxv + i + word, word) - entry;
            return true;
        }
    return false;
}

static bool read_guard(struct snapshot *s)
{
    uint8_t *to = (uint8_t *)&s->pool;
    for (size_t at = 0, n; at < sizeof s->pool; at += n) {
        const uint8_t *p = snapshot_at(s, s->pool_at + at, &n);
        if (!p)
            return false;
        n = n < sizeof s->pool - at ? n : sizeof s->pool - at;
        memcpy(to + at, p, n);
    }
    return guard_valid(&s->pool);
}

bool core_read(const char *path, const struct ir_machine *m, uint64_t entry, struct snapshot *s,
               const char **about, size_t *nabout, struct error *err)
{
    *s = (struct snapshot){.m = m, .arena = ARENA_INIT};
    struct reading r = {.path = path, .wide = m->pointer_width == 64, .l = layout_of(m), .s = s};
    r.registers = arena_alloc(&s->arena, m->file_size);
    memset(r.registers, 0, m->file_size);
    s->registers = r.registers;
    bool ok = (r.l || damaged(&r, err)) && read_all(&r, err) && read_parts(&r, err);
    s->part = arena_dup(&s->arena, r.part.data ? r.part.data : (void *)"", r.part.len * sizeof *r.part.data);
    s->nparts = r.part.len;
    vec_free(&r.part);
    if (ok && !r.ours && !find_base(&r, entry))
        ok = error_set(err, ERROR_INPUT, "%s: it does not say where the program was loaded", path);
    if (ok && s->guarded && !read_guard(s))
        ok = damaged(&r, err);
    *about = r.about;
    *nabout = r.nabout;
    if (!ok)
        snapshot_free(s);
    return ok;
}
