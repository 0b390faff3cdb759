/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ir/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct machine_register *by_name(const struct ir_machine *m, const char *name)
{
    for (unsigned i = 0; i < m->nreg; i++)
        if (strcasecmp(m->reg[i].name, name) == 0)
            return &m->reg[i];
    return NULL;
}

/* Names of parts of registers: the register whose low `width` bits (from byte `shift` on) they are. */
struct alias {
    const char *name, *whole;
    uint8_t shift;
    uint16_t width;
};

static const struct alias amd64_alias[] = {
    {"eax", "rax", 0, 32}, {"ax", "rax", 0, 16},  {"al", "rax", 0, 8},   {"ah", "rax", 1, 8},
    {"ebx", "rbx", 0, 32}, {"bx", "rbx", 0, 16},  {"bl", "rbx", 0, 8},   {"bh", "rbx", 1, 8},
    {"ecx", "rcx", 0, 32}, {"cx", "rcx", 0, 16},  {"cl", "rcx", 0, 8},   {"ch", "rcx", 1, 8},
    {"edx", "rdx", 0, 32}, {"dx", "rdx", 0, 16},  {"dl", "rdx", 0, 8},   {"dh", "rdx", 1, 8},
    {"esi", "rsi", 0, 32}, {"si", "rsi", 0, 16},  {"sil", "rsi", 0, 8},  {"edi", "rdi", 0, 32},
    {"di", "rdi", 0, 16},  {"dil", "rdi", 0, 8},  {"ebp", "rbp", 0, 32}, {"bp", "rbp", 0, 16},
    {"bpl", "rbp", 0, 8},  {"esp", "rsp", 0, 32}, {"sp", "rsp", 0, 16},  {"spl", "rsp", 0, 8},
};

static const struct alias x86_alias[] = {
    {"ax", "eax", 0, 16}, {"al", "eax", 0, 8},  {"ah", "eax", 1, 8},  {"bx", "ebx", 0, 16},
    {"bl", "ebx", 0, 8},  {"bh", "ebx", 1, 8},  {"cx", "ecx", 0, 16}, {"cl", "ecx", 0, 8},
    {"ch", "ecx", 1, 8},  {"dx", "edx", 0, 16}, {"dl", "edx", 0, 8},  {"dh", "edx", 1, 8},
    {"si", "esi", 0, 16}, {"di", "edi", 0, 16}, {"bp", "ebp", 0, 16}, {"sp", "esp", 0, 16},
};

static const struct alias arm_alias[] = {
    {"sp", "r13", 0, 32}, {"lr", "r14", 0, 32}, {"pc", "r15", 0, 32}, {"ip", "r12", 0, 32}, {"fp", "r11", 0, 32},
};

static bool from_alias(const struct ir_machine *m, const struct alias *table, size_t n, const char *name, uint16_t *offset,
                       uint16_t *width)
{
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(table[i].name, name) != 0)
            continue;
        const struct machine_register *r = by_name(m, table[i].whole);
        if (!r)
            return false;
        *offset = (uint16_t)(r->offset + table[i].shift);
        *width = table[i].width;
        return true;
    }
    return false;
}

/* Numbered families: r8d, r8w, r8b on x86-64; wN, bN, hN, sN, dN, qN of xN and vN on AArch64; sN, dN, qN on ARM. */
static bool from_family(const struct ir_machine *m, const char *name, uint16_t *offset, uint16_t *width)
{
    char letter = (char)(name[0] | 0x20), whole[16], *end;
    if (name[1] < '0' || name[1] > '9')
        return false;
    unsigned long n = strtoul(name + 1, &end, 10);
    const struct machine_register *r = NULL;
    unsigned w = 0, part = 0;
    if (m->arch == MACHINE_AMD64 && letter == 'r' && n >= 8 && n <= 15 && end[0] && !end[1]) {
        char suffix = (char)(end[0] | 0x20);
        w = suffix == 'd' ? 32 : suffix == 'w' ? 16 : suffix == 'b' || suffix == 'l' ? 8 : 0;
        snprintf(whole, sizeof whole, "r%lu", n);
        r = by_name(m, whole);
    } else if (m->arch == MACHINE_ARM64 && !*end && n < 32) {
        const char *letters = "bhsdq";
        const char *at = strchr(letters, letter);
        w = letter == 'w' ? 32 : at ? 8u << (at - letters) : 0;
        snprintf(whole, sizeof whole, "%c%lu", letter == 'w' ? 'x' : 'v', n);
        r = by_name(m, whole);
        if (!r && letter != 'w') {
            snprintf(whole, sizeof whole, "q%lu", n);
            r = by_name(m, whole);
        }
    } else if (m->arch == MACHINE_ARM && !*end && n < 32 && (letter == 's' || letter == 'q')) {
        w = letter == 's' ? 32 : 128;
        unsigned long d = letter == 's' ? n / 2 : n * 2;
        part = letter == 's' ? (unsigned)(n % 2) * 4 : 0;
        snprintf(whole, sizeof whole, "d%lu", d);
        r = by_name(m, whole);
    }
    if (!r || !w)
        return false;
    *offset = (uint16_t)(r->offset + part);
    *width = (uint16_t)w;
    return true;
}

bool machine_register_find(const struct ir_machine *m, const char *name, uint16_t *offset, uint16_t *width)
{
    const struct machine_register *r = by_name(m, name);
    if (r) {
        *offset = r->offset;
        *width = r->width;
        return true;
    }
    switch (m->arch) {
    case MACHINE_AMD64:
        if (from_alias(m, amd64_alias, sizeof amd64_alias / sizeof *amd64_alias, name, offset, width))
            return true;
        break;
    case MACHINE_X86:
        if (from_alias(m, x86_alias, sizeof x86_alias / sizeof *x86_alias, name, offset, width))
            return true;
        break;
    case MACHINE_ARM:
        if (from_alias(m, arm_alias, sizeof arm_alias / sizeof *arm_alias, name, offset, width))
            return true;
        break;
    default:
        break;
    }
    return from_family(m, name, offset, width);
}

const char *machine_register_name(const struct ir_machine *m, unsigned offset, unsigned width)
{
    for (unsigned i = 0; i < m->nreg; i++)
        if (m->reg[i].offset == offset && m->reg[i].width == width)
            return m->reg[i].name;
    return NULL;
}

bool machine_space(const struct ir_machine *m, unsigned space, struct ir_space *out)
{
    if (space > m->nspaces)
        return false;
    *out = space
               ? m->space[space - 1]
               : (struct ir_space){.name = "mem", .index_width = (uint16_t)m->pointer_width, .cell_width = 8};
    return true;
}

unsigned machine_slots(const struct ir_machine *m)
{
    unsigned unit = m->pointer_width / 8;
    return (m->file_size + unit - 1) / unit;
}

static void keep(const struct ir_machine *m, unsigned offset, unsigned bytes, uint8_t *slot)
{
    for (unsigned i = offset; i < offset + bytes && i < m->file_size; i++)
        slot[i / (m->pointer_width / 8)] = 1;
}

void machine_kept_slots(const struct ir_machine *m, uint8_t *slot)
{
    /* Registers that belong to the thread or the process, not to a function. */
    static const char *const kept[] = {"fs_base", "gs_base",   "cs",       "ds",       "es",    "fs",  "gs",
                                       "ss",      "tpidr_el0", "tpidruro", "tpidrurw", "fpscr", "fpcr"};
    const unsigned unit = m->pointer_width / 8;
    memset(slot, m->locals, machine_slots(m));
    /* Flags, vector and argument registers are anybody's; processor modes stay as they are. */
    for (unsigned i = 0; i < m->nreg; i++) {
        const struct machine_register *r = &m->reg[i];
        bool keeps = r->pseudo && strncasecmp(r->name, "<cc", 3) != 0;
        for (unsigned k = 0; k < sizeof kept / sizeof *kept; k++)
            keeps = keeps || strcasecmp(r->name, kept[k]) == 0;
        if (keeps)
            keep(m, r->offset, (r->width + 7u) / 8, slot);
    }
    for (unsigned i = 0; i < m->nsaved; i++)
        keep(m, m->saved[i], unit, slot);
    keep(m, m->sp, unit, slot);
    keep(m, m->pc, unit, slot);
}
