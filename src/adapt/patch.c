/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter as machine code, put into a copy of the target's file.
 *
 * The target begins with a jump to the adapter, whoever calls it. The adapter lies at the end of the file, in
 * a segment of its own: a note gives its program header for that. The inner function is called where it is
 * in the same file; one of another file is copied beside the adapter when nothing in its code refers to
 * anything else. What is left of the target's old code is not reached any more. */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/internal.h"
#include "base/file.h"
#include "lift/lift.h"

enum { ALIGN = 0x10000, CODE_ALIGN = 16, MOST_REGISTERS = 8 };

/* ---- code ---- */

struct code {
    struct buf *out;
    uint64_t at; /* where the first byte will be */
    bool far;    /* a jump does not reach */
};

static uint64_t here(const struct code *c)
{
    return c->at + c->out->len;
}

static void put_bytes(struct code *c, const uint8_t *bytes, size_t n)
{
    buf_put(c->out, (const char *)bytes, n);
}

static void put32(struct code *c, uint32_t x)
{
    uint8_t bytes[] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24)};
    put_bytes(c, bytes, 4);
}

static bool is_plain(const struct adapt_value *v, unsigned arg)
{
    return v->conversion == ADAPT_AS_IS && v->scale == 1 && !v->two && !v->constant && v->arg == arg;
}

/* -- AArch64: arguments of the target are kept in the frame; x10 and x11 are free -- */

enum { A64_SLOTS = 64, A64_FRAME = 80, X10 = 10, X11 = 11 };

static void a64_number(struct code *c, unsigned reg, uint64_t x)
{
    put32(c, UINT32_C(0xd2800000) | (uint32_t)(x & 0xffff) << 5 | reg); /* movz */
    for (unsigned i = 1; i < 4; i++)
        if (x >> 16 * i & 0xffff)
            put32(c, UINT32_C(0xf2800000) | i << 21 | (uint32_t)(x >> 16 * i & 0xffff) << 5 | reg); /* movk */
}

static void a64_convert(struct code *c, unsigned conversion, unsigned r)
{
    static const uint32_t extend[ADAPT_CONVERSIONS] = {
        [ADAPT_S32] = 0x93407c00, [ADAPT_Z32] = 0xd3407c00, [ADAPT_S16] = 0x93403c00, [ADAPT_Z16] = 0xd3403c00,
        [ADAPT_S8] = 0x93401c00,  [ADAPT_Z8] = 0xd3401c00,  [ADAPT_BOOL32] = 0xd3407c00,
        [ADAPT_BOOL8] = 0xd3401c00};
    if (extend[conversion])
        put32(c, extend[conversion] | r << 5 | r); /* sbfx, ubfx */
    if (conversion >= ADAPT_BOOL) {
        put32(c, UINT32_C(0xf100001f) | r << 5); /* cmp r, 0 */
        put32(c, UINT32_C(0x9a9f07e0) | r);      /* cset r, ne */
    }
}

/* `slot`: where what it is made of is; result: it is in x0, and is made there. */
static void a64_value(struct code *c, const struct adapt_value *v, unsigned to, bool result)
{
    unsigned sum = result ? X11 + 1 : to;
    a64_number(c, sum, v->constant);
    for (unsigned k = 0; k < (v->two ? 2u : v->scale ? 1u : 0u); k++) {
        uint64_t scale = k ? v->scale2 : v->scale;
        unsigned arg = k ? v->arg2 : v->arg, from = result ? 0 : X10;
        if (!result)
            put32(c, UINT32_C(0xf9400000) | arg << 10 | 31u << 5 | X10); /* ldr x10, [sp, 8 * arg] */
        a64_number(c, X11, scale);
        put32(c, UINT32_C(0x9b000000) | X11 << 16 | sum << 10 | from << 5 | sum); /* madd */
    }
    a64_convert(c, v->conversion, sum);
    if (sum != to)
        put32(c, UINT32_C(0xaa0003e0) | sum << 16 | to); /* mov */
}

static void a64_jump(struct code *c, uint64_t to, bool call)
{
    int64_t distance = (int64_t)(to - here(c));
    c->far = c->far || distance < -(INT64_C(1) << 27) || distance >= INT64_C(1) << 27;
    put32(c, (call ? UINT32_C(0x94000000) : UINT32_C(0x14000000)) | ((uint32_t)(distance >> 2) & 0x3ffffff));
}

static void a64_adapter(struct code *c, const struct adapter *d, uint64_t inner)
{
    bool tail = is_plain(&d->result, 0);
    put32(c, 0xd10143ff); /* sub sp, sp, 80 */
    put32(c, 0xa9047bfd); /* stp x29, x30, [sp, 64] */
    for (unsigned i = 0; i < d->target.words; i++)
        put32(c, UINT32_C(0xf9000000) | i << 10 | 31u << 5 | i); /* str xi, [sp, 8 * i] */
    for (unsigned i = 0; i < d->inner.words; i++)
        if (!is_plain(&d->arg[i], i))
            a64_value(c, &d->arg[i], i, false);
    if (!tail) {
        a64_jump(c, inner, true);
        a64_value(c, &d->result, 0, true);
    }
    put32(c, 0xa9447bfd); /* ldp x29, x30, [sp, 64] */
    put32(c, 0x910143ff); /* add sp, sp, 80 */
    if (tail)
        a64_jump(c, inner, false);
    else
        put32(c, 0xd65f03c0); /* ret */
}

/* -- x86-64: arguments of the target are pushed; rax and r11 are free -- */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R11 = 11, X64_SLOTS = 8, X64_FRAME = 56 };
static const uint8_t x64_arg[] = {RDI, RSI, RDX, RCX, R8, R9};
enum { X64_ARGS = sizeof x64_arg };

static void x64_number(struct code *c, unsigned reg, uint64_t x)
{
    uint8_t bytes[10] = {(uint8_t)(0x48 | reg >> 3), (uint8_t)(0xb8 | (reg & 7))}; /* movabs */
    for (unsigned i = 0; i < 8; i++)
        bytes[2 + i] = (uint8_t)(x >> 8 * i);
    put_bytes(c, bytes, sizeof bytes);
}

/* op reg, rm with two registers. */
static void x64_two(struct code *c, bool wide, bool escape, uint8_t op, unsigned reg, unsigned rm)
{
    uint8_t bytes[4], n = 0;
    bytes[n++] = (uint8_t)(0x40 | wide << 3 | (reg >> 3) << 2 | rm >> 3);
    if (escape)
        bytes[n++] = 0x0f;
    bytes[n++] = op;
    bytes[n++] = (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));
    put_bytes(c, bytes, n);
}

static void x64_convert(struct code *c, unsigned conversion, unsigned r)
{
    static const struct {
        bool wide, escape;
        uint8_t op;
    } extend[ADAPT_CONVERSIONS] = {[ADAPT_S32] = {true, false, 0x63},   [ADAPT_Z32] = {false, false, 0x8b},
                                   [ADAPT_S16] = {true, true, 0xbf},    [ADAPT_Z16] = {true, true, 0xb7},
                                   [ADAPT_S8] = {true, true, 0xbe},     [ADAPT_Z8] = {true, true, 0xb6},
                                   [ADAPT_BOOL32] = {false, false, 0x8b}, [ADAPT_BOOL8] = {true, true, 0xb6}};
    if (extend[conversion].op)
        x64_two(c, extend[conversion].wide, extend[conversion].escape, extend[conversion].op, r, r);
    if (conversion >= ADAPT_BOOL) {
        x64_two(c, true, false, 0x85, r, r);                     /* test r, r */
        put_bytes(c, (const uint8_t[]){0x0f, 0x95, 0xc0}, 3); /* setne al */
        x64_two(c, false, true, 0xb6, r, RAX);                   /* movzx r, al */
    }
}

static void x64_value(struct code *c, const struct adapt_value *v, unsigned to, bool result)
{
    unsigned sum = result ? RCX : to;
    x64_number(c, sum, v->constant);
    for (unsigned k = 0; k < (v->two ? 2u : v->scale ? 1u : 0u); k++) {
        uint64_t scale = k ? v->scale2 : v->scale;
        unsigned arg = k ? v->arg2 : v->arg;
        if (!result)
            put_bytes(c, (const uint8_t[]){0x48, 0x8b, 0x44, 0x24, (uint8_t)(X64_SLOTS + 8 * arg)},
                      5); /* mov rax, [rsp + slot] */
        x64_number(c, R11, scale);
        x64_two(c, true, true, 0xaf, R11, RAX); /* imul r11, rax */
        x64_two(c, true, false, 0x03, sum, R11);
    }
    x64_convert(c, v->conversion, sum);
    if (sum != to)
        x64_two(c, true, false, 0x8b, to, sum);
}

static void x64_jump(struct code *c, uint64_t to, bool call)
{
    int64_t distance = (int64_t)(to - here(c) - 5);
    c->far = c->far || distance != (int32_t)distance;
    put_bytes(c, (const uint8_t[]){call ? 0xe8 : 0xe9}, 1);
    put32(c, (uint32_t)distance);
}

static void x64_adapter(struct code *c, const struct adapter *d, uint64_t inner)
{
    bool tail = is_plain(&d->result, 0);
    for (unsigned i = X64_ARGS; i-- > 0;) {
        if (x64_arg[i] >= 8)
            put_bytes(c, (const uint8_t[]){0x41}, 1);
        put_bytes(c, (const uint8_t[]){(uint8_t)(0x50 | (x64_arg[i] & 7))}, 1); /* push */
    }
    put_bytes(c, (const uint8_t[]){0x48, 0x83, 0xec, 8}, 4); /* sub rsp, 8 */
    for (unsigned i = 0; i < d->inner.words; i++)
        if (!is_plain(&d->arg[i], i))
            x64_value(c, &d->arg[i], x64_arg[i], false);
    put_bytes(c, (const uint8_t[]){0x31, 0xc0}, 2); /* xor eax, eax: no floating-point arguments */
    if (!tail) {
        x64_jump(c, inner, true);
        x64_value(c, &d->result, RAX, true);
    }
    put_bytes(c, (const uint8_t[]){0x48, 0x83, 0xc4, X64_FRAME}, 4); /* add rsp, 56 */
    if (tail)
        x64_jump(c, inner, false);
    else
        put_bytes(c, (const uint8_t[]){0xc3}, 1);
}

/* ---- code that refers to nothing but itself ---- */

static bool same_block(const struct ir_block *x, const struct ir_block *y, uint64_t moved)
{
    if (x->ninsn != y->ninsn || x->end.kind != y->end.kind ||
        (x->end.label != IR_NO_LABEL) != (y->end.label != IR_NO_LABEL) ||
        (x->end.label != IR_NO_LABEL && x->end.label + moved != y->end.label))
        return false;
    for (uint32_t i = 0; i < x->ninsn; i++) {
        const struct ir_insn *p = &x->insn[i], *q = &y->insn[i];
        /* where a block goes is a value, too, beside its label */
        bool next = x->end.label != IR_NO_LABEL && i == x->end.next;
        bool same = p->op == IR_EXIT && p->exit == IR_EXIT_JUMP
                        ? p->a == q->a && ir_imm(p->b, p->c) + moved == ir_imm(q->b, q->c)
                        : p->a == q->a && p->b == q->b && p->c == q->c && p->d == q->d;
        if (p->op != q->op || p->width != q->width || (!same && !next))
            return false;
    }
    return true;
}

/* Its code does the same wherever it is: lifted at two places it differs in nothing but where it jumps, which
 * is inside. */
static bool is_self_contained(const struct adapt_code *code)
{
    enum { MOVED = 0x12340000 };
    const struct flow_graph *g = flow_graph(code->p, code->f);
    struct guest moved, plain;
    guest_init(&moved, code->p, MOVED);
    guest_init(&plain, code->p, 0);
    uint64_t from = code->f->address, to = from + code->f->size;
    bool ok = !g->ncalls && !g->ntables && !g->nproblems && code->f->size;
    for (uint32_t i = 0; ok && i < g->nblocks; i++) {
        ir_label label = g->block[i].label;
        const struct ir_block *x = guest_block(&plain, label, 0), *y = guest_block(&moved, label + MOVED, 0);
        ok = x && y && label >= from && label < to && same_block(x, y, MOVED) && x->end.kind != IR_END_CALL &&
             (x->end.kind != IR_END_JUMP || (x->end.label >= from && x->end.label < to));
    }
    guest_free(&plain);
    guest_free(&moved);
    return ok;
}

/* ---- the file ---- */

struct elf {
    uint8_t *bytes;
    size_t size;
    Elf64_Ehdr head;
    Elf64_Phdr *segment; /* a copy */
    Elf64_Phdr note;     /* the one that was given up */
};

static bool elf_read(struct elf *e, const char *path, struct error *err)
{
    struct buf b = BUF_INIT;
    bool ok = file_read(path, SIZE_MAX - 1, &b, err);
    *e = (struct elf){.bytes = (uint8_t *)b.data, .size = b.len};
    if (!ok)
        return false;
    if (e->size >= sizeof e->head)
        memcpy(&e->head, e->bytes, sizeof e->head);
    size_t table = (size_t)e->head.e_phnum * sizeof(Elf64_Phdr);
    if (e->size < sizeof e->head || memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0 ||
        e->head.e_ident[EI_CLASS] != ELFCLASS64 || e->head.e_ident[EI_DATA] != ELFDATA2LSB ||
        e->head.e_phentsize != sizeof(Elf64_Phdr) || e->head.e_phoff > e->size ||
        table > e->size - e->head.e_phoff)
        return error_set(err, ERROR_UNSUPPORTED, "%s: only 64-bit programs and libraries are patched", path);
    e->segment = xmalloc(table + 1);
    memcpy(e->segment, e->bytes + e->head.e_phoff, table);
    return true;
}

/* Where the file has what is at an address; false: nowhere. */
static bool elf_offset(const struct elf *e, uint64_t address, uint64_t size, uint64_t *out)
{
    for (unsigned i = 0; i < e->head.e_phnum; i++) {
        const Elf64_Phdr *p = &e->segment[i];
        uint64_t in = address - p->p_vaddr;
        if (p->p_type != PT_LOAD || in >= p->p_filesz || size > p->p_filesz - in || p->p_offset > e->size ||
            p->p_filesz > e->size - p->p_offset)
            continue;
        *out = p->p_offset + in;
        return true;
    }
    return false;
}

/* The last note becomes the program header of code at the end of the file: behind the other segments, as
 * their addresses increase. */
static bool elf_add_segment(struct elf *e, uint64_t *address, uint64_t *offset)
{
    unsigned note = UINT_MAX, last = 0;
    uint64_t end = 0;
    for (unsigned i = 0; i < e->head.e_phnum; i++) {
        const Elf64_Phdr *p = &e->segment[i];
        if (p->p_type == PT_NOTE)
            note = i;
        if (p->p_type != PT_LOAD)
            continue;
        last = i;
        if (p->p_vaddr + p->p_memsz > end)
            end = p->p_vaddr + p->p_memsz;
    }
    if (note == UINT_MAX || end > INT64_MAX)
        return false;
    *offset = (e->size + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
    *address = (end + ALIGN - 1) / ALIGN * ALIGN + *offset % ALIGN;
    Elf64_Phdr made = {.p_type = PT_LOAD,
                       .p_flags = PF_R | PF_X,
                       .p_offset = *offset,
                       .p_vaddr = *address,
                       .p_paddr = *address,
                       .p_align = ALIGN};
    e->note = e->segment[note];
    memmove(e->segment + note, e->segment + note + 1, (e->head.e_phnum - note - 1) * sizeof *e->segment);
    unsigned at = note < last ? last : last + 1;
    memmove(e->segment + at + 1, e->segment + at, (e->head.e_phnum - at - 1) * sizeof *e->segment);
    e->segment[at] = made;
    return true;
}

static void elf_set_size(struct elf *e, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < e->head.e_phnum; i++)
        if (e->segment[i].p_type == PT_LOAD && e->segment[i].p_vaddr == address)
            e->segment[i].p_filesz = e->segment[i].p_memsz = size;
}

static struct adapt_edit edit_of(struct arena *arena, uint64_t offset, const void *bytes, size_t n)
{
    struct buf hex = BUF_INIT;
    for (size_t i = 0; i < n; i++)
        buf_printf(&hex, "%02x", ((const uint8_t *)bytes)[i]);
    struct adapt_edit e = {.offset = offset, .hex = arena_strdup(arena, buf_text(&hex))};
    buf_free(&hex);
    return e;
}

/* The header of a section of the note that was given up becomes one of the code's: so that whoever reads the
 * file finds it. A file without sections needs none. */
static struct adapt_edit edit_section(const struct elf *e, uint64_t address, uint64_t offset, uint64_t size,
                                      struct arena *arena)
{
    const Elf64_Ehdr *h = &e->head;
    bool there = h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff <= e->size &&
                 h->e_shnum <= (e->size - h->e_shoff) / sizeof(Elf64_Shdr);
    for (unsigned i = 0; there && i < h->e_shnum; i++) {
        Elf64_Shdr s;
        uint64_t at = h->e_shoff + i * sizeof s;
        memcpy(&s, e->bytes + at, sizeof s);
        if (s.sh_type != SHT_NOTE || s.sh_offset - e->note.p_offset >= e->note.p_filesz)
            continue;
        s.sh_type = SHT_PROGBITS;
        s.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
        s.sh_addr = address;
        s.sh_offset = offset;
        s.sh_size = size;
        s.sh_addralign = CODE_ALIGN;
        return edit_of(arena, at, &s, sizeof s);
    }
    return edit_of(arena, 0, NULL, 0);
}

/* The jump at the entry; what has to be first in a function that is called through pointers stays so. */
static bool put_entry(struct code *c, const struct elf *e, uint64_t offset, bool arm, uint64_t to)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const uint8_t *old = e->bytes + offset;
    uint32_t insn = (uint32_t)old[0] | (uint32_t)old[1] << 8 | (uint32_t)old[2] << 16 | (uint32_t)old[3] << 24;
    if (arm) {
        if ((insn & 0xfffff01f) == 0xd503201f && insn != 0xd503201f)
            put32(c, 0xd503245f); /* bti c, for that or a signed return address */
        a64_jump(c, to, false);
    } else {
        if (memcmp(old, endbr64, sizeof endbr64) == 0)
            put_bytes(c, endbr64, sizeof endbr64);
        x64_jump(c, to, false);
    }
    return !c->far;
}

/* ---- whether it can be done ---- */

enum way {
    WAY_CODE, /* whoever comes to the target's code gets the adapter */
    WAY_NAME  /* whoever asks the dynamic linker for its name does */
};

/* The call leads to the adapter that takes the place of the target. */
static bool is_replaced(const struct adapt_code *target, enum way way, const struct program *p,
                        const struct flow_call *k)
{
    if (way == WAY_CODE)
        return k->target && program_local_function(p, k->target) == target->f;
    const struct object_stub *stub = k->target ? object_stub_at(program_object(p), k->target) : NULL;
    const char *name = stub ? stub->name : k->target ? NULL : k->name;
    return name && strcmp(name, target->f->name) == 0;
}

/* The function, or one that it calls, leads to the adapter, which calls it again. *pointers: whatever it
 * calls through a pointer might. */
static bool leads_back(const struct adapt_code *inner, const struct adapt_code *target, enum way way,
                       bool *pointers)
{
    VEC(const struct flow_function *) todo = VEC_INIT;
    struct map seen = {0};
    bool found = way == WAY_CODE && inner->f == target->f;
    *pointers = false;
    vec_push(&todo, inner->f);
    for (size_t next = 0; next < todo.len && !found; next++) {
        if (!map_set(&seen, todo.data[next]->address, 1))
            continue;
        const struct flow_graph *g = flow_graph(inner->p, todo.data[next]);
        for (uint32_t i = 0; g && i < g->ncalls && !found; i++) {
            const struct flow_call *k = &g->call[i];
            const struct flow_function *callee =
                k->target ? program_local_function(inner->p, k->target) : NULL;
            found = is_replaced(target, way, inner->p, k);
            *pointers = *pointers || (!k->target && !k->name);
            if (callee)
                vec_push(&todo, callee);
        }
        *pointers = *pointers || (g && g->nproblems);
    }
    vec_free(&todo);
    map_free(&seen);
    return found;
}

bool adapt_can_preload(const struct adapt_code *target, const struct adapt_code *inner, bool *pointers,
                       struct error *err)
{
    return !leads_back(inner, target, WAY_NAME, pointers) ||
           error_set(err, ERROR_INPUT,
                     "%s: it calls %s by its name, which would call it again; use another function",
                     inner->f->name, target->f->name);
}

static bool is_arm(const struct adapt_code *code)
{
    return program_machine(code->p)->arch == MACHINE_ARM64;
}

/* *at: where the file has the target. */
static bool has_room(const struct elf *e, const struct adapt_code *target, uint64_t *at)
{
    enum { LEAST = 4 }; /* bytes that are looked at */
    struct buf entry = BUF_INIT;
    struct code jump = {.out = &entry, .at = target->f->address};
    bool ok = target->f->size >= LEAST && elf_offset(e, target->f->address, target->f->size, at) &&
              put_entry(&jump, e, *at, is_arm(target), target->f->address) && entry.len <= target->f->size;
    buf_free(&entry);
    return ok;
}

/* Whatever the adapter. */
static bool can_be_patched(const struct elf *e, const struct adapt_code *target,
                           const struct adapt_code *inner, bool *pointers, struct error *err)
{
    bool copied = inner->p != target->p, note = false;
    uint64_t at;
    for (unsigned i = 0; i < e->head.e_phnum; i++)
        note = note || e->segment[i].p_type == PT_NOTE;
    *pointers = false;
    if (copied && !is_self_contained(inner))
        return error_set(err, ERROR_INPUT,
                         "%s: it refers to other code or data of its file, so that it cannot be copied into "
                         "another; use --emit preload",
                         inner->f->name);
    if (!copied && leads_back(inner, target, WAY_CODE, pointers))
        return error_set(err, ERROR_INPUT,
                         "%s: it is or calls %s, which would call it again; use another function",
                         inner->f->name, target->f->name);
    if (!has_room(e, target, &at))
        return error_set(err, ERROR_INPUT, "%s: there is no room for a jump in it", target->f->name);
    return note || error_set(err, ERROR_INPUT, "%s: the file has no note whose place new code could take",
                             target->file);
}

bool adapt_can_patch(const struct adapt_code *target, const struct adapt_code *inner, bool *pointers,
                     struct error *err)
{
    unsigned arch = program_machine(target->p)->arch;
    struct elf e;
    if ((arch != MACHINE_ARM64 && arch != MACHINE_AMD64) || target->fragment || inner->fragment)
        return error_set(err, ERROR_INPUT, "%s: only functions for x86-64 and AArch64 are patched",
                         target->f->name);
    bool ok = elf_read(&e, target->file, err) && can_be_patched(&e, target, inner, pointers, err);
    free(e.bytes);
    free(e.segment);
    return ok;
}

/* ---- doing it ---- */

static bool moves_floats(const struct adapter *d)
{
    for (unsigned i = 0; i < d->inner.floats; i++)
        if (!d->arg[d->inner.words + i].scale || d->arg[d->inner.words + i].arg != d->target.words + i)
            return true;
    return false;
}

static bool make(struct elf *e, const struct adapt_code *target, const struct adapt_code *inner,
                 const struct adapter *d, struct arena *arena, struct adapt_edit *edit, struct error *err)
{
    bool arm = is_arm(target), copied = inner->p != target->p;
    unsigned registers = arm ? MOST_REGISTERS : X64_ARGS;
    uint64_t address, offset, at_target, inner_at = inner->f->address;
    const char *name = target->f->name;
    if (d->target.words > registers || d->inner.words > registers)
        return error_set(err, ERROR_INPUT, "%s: arguments on the stack are not patched", name);
    if (moves_floats(d))
        return error_set(
            err, ERROR_INPUT,
            "%s: a patch leaves floating-point arguments where they are; --emit preload moves them", name);
    if (!has_room(e, target, &at_target) || !elf_add_segment(e, &address, &offset))
        return error_set(err, ERROR_INPUT, "%s: it cannot be patched", name);
    struct buf code = BUF_INIT, entry = BUF_INIT;
    struct code c = {.out = &code, .at = address}, jump = {.out = &entry, .at = target->f->address};
    if (copied) {
        size_t room;
        const uint8_t *bytes = object_bytes(program_object(inner->p), inner->f->address, &room);
        if (bytes && room >= inner->f->size)
            put_bytes(&c, bytes, inner->f->size);
        inner_at = address;
        while (code.len % CODE_ALIGN)
            buf_putc(&code, '\0');
    }
    uint64_t adapter = here(&c);
    if (arm)
        a64_adapter(&c, d, inner_at);
    else
        x64_adapter(&c, d, inner_at);
    bool ok = put_entry(&jump, e, at_target, arm, adapter) && !c.far;
    if (!ok)
        error_set(err, ERROR_UNSUPPORTED, "%s: the file is too large for a jump to its end", target->file);
    elf_set_size(e, address, code.len);
    edit[0] = edit_of(arena, e->head.e_phoff, e->segment, e->head.e_phnum * sizeof *e->segment);
    edit[1] = edit_of(arena, at_target, entry.data, entry.len);
    edit[2] = edit_of(arena, offset, code.data, code.len);
    edit[2].adapter = adapter;
    edit[3] = edit_section(e, address, offset, code.len, arena);
    buf_free(&code);
    buf_free(&entry);
    return ok;
}

bool adapt_patch(const struct adapt_code *target, const struct adapt_code *inner, const struct adapter *d,
                 struct arena *arena, struct adapt_edit *edit, struct error *err)
{
    struct elf e;
    bool ok = elf_read(&e, target->file, err) && make(&e, target, inner, d, arena, edit, err);
    free(e.bytes);
    free(e.segment);
    return ok;
}
