/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/vex/undecoded.h"

#include <stdio.h>
#include <string.h>

#include "lift/vex/state.h"

bool disassembler_init(struct disassembler *d, enum machine_arch arch)
{
    memset(d, 0, sizeof *d);
    d->arch = arch;
    bool ok = false;
    switch (arch) {
    case MACHINE_AMD64:
        ok = cs_open(CS_ARCH_X86, CS_MODE_64, &d->handle[0]) == CS_ERR_OK;
        break;
    case MACHINE_X86:
        ok = cs_open(CS_ARCH_X86, CS_MODE_32, &d->handle[0]) == CS_ERR_OK;
        break;
    case MACHINE_ARM:
        ok = cs_open(CS_ARCH_ARM, (cs_mode)(CS_MODE_ARM | CS_MODE_V8), &d->handle[0]) == CS_ERR_OK &&
             cs_open(CS_ARCH_ARM, (cs_mode)(CS_MODE_THUMB | CS_MODE_V8), &d->handle[1]) == CS_ERR_OK;
        break;
    case MACHINE_ARM64:
        ok = cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &d->handle[0]) == CS_ERR_OK;
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < 2 && ok; i++) {
        if (!d->handle[i])
            continue;
        cs_option(d->handle[i], CS_OPT_DETAIL, CS_OPT_ON);
        d->insn[i] = cs_malloc(d->handle[i]);
        ok = d->insn[i] != NULL;
    }
    if (!ok)
        disassembler_free(d);
    return ok;
}

void disassembler_free(struct disassembler *d)
{
    for (unsigned i = 0; i < 2; i++) {
        if (d->insn[i])
            cs_free(d->insn[i], 1);
        if (d->handle[i])
            cs_close(&d->handle[i]);
    }
    memset(d, 0, sizeof *d);
}

const cs_insn *disassemble(struct disassembler *d, ir_label label, const uint8_t *bytes, size_t available)
{
    unsigned mode = d->arch == MACHINE_ARM && (label & 1);
    uint64_t address = mode ? label - 1 : label;
    return cs_disasm_iter(d->handle[mode], &bytes, &available, &address, d->insn[mode]) ? d->insn[mode]
                                                                                        : NULL;
}

/* ---- what an instruction may write ---- */

static void add_write(struct ir_unknown *u, unsigned offset, unsigned bytes)
{
    for (unsigned i = 0; i < u->nwrites; i++)
        if (u->writes[i].offset == offset && u->writes[i].bytes == bytes)
            return;
    if (u->nwrites == IR_EFFECT_MAX)
        u->all_registers = true;
    else
        u->writes[u->nwrites++] = (struct ir_range){offset, bytes};
}

static void add_flags(const struct vex_ctx *c, struct ir_unknown *u)
{
    switch (c->arch) {
    case MACHINE_AMD64:
        add_write(u, AMD64(CC_OP), 32);
        break;
    case MACHINE_X86:
        add_write(u, X86(CC_OP), 16);
        break;
    case MACHINE_ARM:
        add_write(u, ARM(CC_OP), 16);
        break;
    default:
        add_write(u, ARM64(CC_OP), 32);
        break;
    }
}

/* Registers that exist but not in the register file: nothing lifted can read them. */
static bool is_outside_file(const char *name)
{
    unsigned n;
    if (name[0] == 'k' && name[1] >= '0' && name[1] <= '7' && !name[2])
        return true;
    if (strcmp(name, "wzr") == 0 || strcmp(name, "xzr") == 0)
        return true;
    return (sscanf(name, "xmm%u", &n) == 1 || sscanf(name, "ymm%u", &n) == 1 ||
            sscanf(name, "zmm%u", &n) == 1) &&
           n > 15;
}

/* The whole register that a named one is part of: writing a part often clears the rest. False: it is not
 * known. */
static bool whole_register(const struct vex_ctx *c, const char *name, struct ir_range *out)
{
    const struct ir_machine *m = c->machine;
    char buffer[32];
    uint16_t offset, width;
    if (m->arch == MACHINE_AMD64 && strncmp(name, "zmm", 3) == 0) {
        snprintf(buffer, sizeof buffer, "y%s", name + 1);
        name = buffer;
    }
    for (unsigned i = 0; machine_register_find(m, name, &offset, &width) && i < m->nreg; i++) {
        const struct machine_register *r = &m->reg[i];
        if (r->offset <= offset && offset + width / 8 <= r->offset + r->width / 8) {
            *out = (struct ir_range){r->offset, r->width / 8};
            return true;
        }
    }
    return false;
}

static void add_register(const struct vex_ctx *c, struct ir_unknown *u, const char *name)
{
    struct ir_range r;
    if (!name || is_outside_file(name))
        return;
    if (strstr(name, "flags") || strcmp(name, "nzcv") == 0 || strcmp(name, "cpsr") == 0 ||
        strcmp(name, "apsr") == 0 || strcmp(name, "apsr_nzcv") == 0)
        add_flags(c, u);
    else if (whole_register(c, name, &r))
        add_write(u, r.offset, r.bytes);
    else
        u->all_registers = true;
}

static bool in_group(const cs_insn *i, uint8_t group)
{
    for (unsigned k = 0; k < i->detail->groups_count; k++)
        if (i->detail->groups[k] == group)
            return true;
    return false;
}

/* Transfers of control other than to the next instruction. */
static bool is_branch(const struct vex_ctx *c, csh handle, const cs_insn *i)
{
    if (in_group(i, CS_GRP_JUMP) || in_group(i, CS_GRP_CALL) || in_group(i, CS_GRP_RET) ||
        in_group(i, CS_GRP_IRET) || in_group(i, CS_GRP_INT))
        return true;
    const char *pc = c->arch == MACHINE_AMD64 ? "rip" : c->arch == MACHINE_X86 ? "eip" : "pc";
    cs_regs read, write;
    uint8_t nread, nwrite;
    if (cs_regs_access(handle, i, read, &nread, write, &nwrite) != CS_ERR_OK)
        return true;
    for (unsigned k = 0; k < nwrite; k++)
        if (strcmp(cs_reg_name(handle, write[k]), pc) == 0)
            return true;
    return false;
}

static bool has_memory_operand(const struct vex_ctx *c, const cs_insn *i)
{
    switch (c->arch) {
    case MACHINE_AMD64:
    case MACHINE_X86:
        for (unsigned k = 0; k < i->detail->x86.op_count; k++)
            if (i->detail->x86.operands[k].type == X86_OP_MEM)
                return true;
        return false;
    case MACHINE_ARM:
        for (unsigned k = 0; k < i->detail->arm.op_count; k++)
            if (i->detail->arm.operands[k].type == ARM_OP_MEM)
                return true;
        /* Load and store multiple have no memory operand in Capstone's view. */
        return strncmp(i->mnemonic, "st", 2) == 0 || strncmp(i->mnemonic, "vst", 3) == 0 ||
               strncmp(i->mnemonic, "push", 4) == 0 || strncmp(i->mnemonic, "vpush", 5) == 0;
    default:
        for (unsigned k = 0; k < i->detail->arm64.op_count; k++)
            if (i->detail->arm64.operands[k].type == ARM64_OP_MEM)
                return true;
        return false;
    }
}

/* Instructions that touch memory without an operand saying so are not told apart. */
static bool may_write_memory(const struct vex_ctx *c, const cs_insn *i)
{
    if (c->arch == MACHINE_ARM64 && strncmp(i->mnemonic, "ld", 2) == 0)
        return false;
    if (c->arch == MACHINE_ARM && (strncmp(i->mnemonic, "ld", 2) == 0 || strncmp(i->mnemonic, "vld", 3) == 0))
        return false;
    return has_memory_operand(c, i) || in_group(i, CS_GRP_PRIVILEGE) || i->id == 0 ||
           (c->machine->call_pushes &&
            (strncmp(i->mnemonic, "push", 4) == 0 || strncmp(i->mnemonic, "enter", 5) == 0));
}

static const char *text_of(struct vex_ctx *c, const cs_insn *i)
{
    return arena_printf(c->arena, "%s%s%s", i->mnemonic, i->op_str[0] ? " " : "", i->op_str);
}

static const char *text_of_bytes(struct vex_ctx *c, const uint8_t *bytes, size_t n)
{
    char hex[3 * 16 + 1] = "", *at = hex;
    for (size_t i = 0; i < n && i < 16; i++)
        at += sprintf(at, "%s%02x", i ? " " : "", bytes[i]);
    return arena_printf(c->arena, ".byte %s", hex);
}

/* x86: the registers that operands name, and those that memory operands are found by. */
static void read_operands(struct vex_ctx *c, csh handle, const cs_insn *i, struct ir_unknown *u)
{
    const cs_x86 *x = &i->detail->x86;
    for (unsigned k = 0; k < x->op_count; k++) {
        const cs_x86_op *op = &x->operands[k];
        const x86_reg by[] = {op->type == X86_OP_REG   ? op->reg
                              : op->type == X86_OP_MEM ? op->mem.base
                                                       : X86_REG_INVALID,
                              op->type == X86_OP_MEM ? op->mem.index : X86_REG_INVALID};
        for (unsigned n = 0; n < 2 && u->nreads < IR_EFFECT_MAX; n++) {
            const char *name = by[n] == X86_REG_INVALID ? NULL : cs_reg_name(handle, by[n]);
            u->nreads += name && whole_register(c, name, &u->reads[u->nreads]);
        }
    }
}

static void collect_registers(struct vex_ctx *c, csh handle, const cs_insn *i, struct ir_unknown *u)
{
    cs_regs read, write;
    uint8_t nread, nwrite;
    if (cs_regs_access(handle, i, read, &nread, write, &nwrite) != CS_ERR_OK) {
        u->all_registers = true;
        return;
    }
    for (unsigned k = 0; k < nwrite; k++)
        add_register(c, u, cs_reg_name(handle, write[k]));
    for (unsigned k = 0; k < nread && u->nreads < IR_EFFECT_MAX; k++) {
        const char *name = cs_reg_name(handle, read[k]);
        u->nreads += name && whole_register(c, name, &u->reads[u->nreads]);
    }
    if (c->arch == MACHINE_AMD64 || c->arch == MACHINE_X86) {
        /* Capstone does not know for every vector instruction what it reads, nor what it writes: its first
         * operand, if a register. */
        const cs_x86 *x = &i->detail->x86;
        read_operands(c, handle, i, u);
        if (x->op_count && x->operands[0].type == X86_OP_REG)
            add_register(c, u, cs_reg_name(handle, x->operands[0].reg));
        else if (nwrite == 0 && !has_memory_operand(c, i))
            u->all_registers = true;
    } else if (nwrite == 0 && !has_memory_operand(c, i)) {
        u->all_registers = true;
    }
}

/* ---- x86: VEX and EVEX encodings ---- */

/* The fields of an encoding that Capstone may not know. Intel SDM volume 2, 2.3 and 2.7: prefixes; c5 and one
 * payload byte, c4 and two, or 62 and three; opcode, ModRM, SIB, displacement, immediate. */
struct encoding {
    unsigned length; /* 0: neither VEX nor EVEX, or cut off */
    bool evex;
    unsigned map;
    uint8_t opcode, modrm;
    unsigned reg; /* ModRM's register field with its extension bit */
};

static bool is_segment_or_size_prefix(uint8_t x)
{
    return x == 0x64 || x == 0x65 || x == 0x67 || x == 0x2e || x == 0x36 || x == 0x3e || x == 0x26;
}

static struct encoding vector_encoding(const struct vex_ctx *c, const uint8_t *p, size_t n)
{
    struct encoding e = {0};
    size_t i = 0;
    while (i < n && i < 4 && is_segment_or_size_prefix(p[i]))
        i++;
    if (i + 2 > n || (c->arch == MACHINE_X86 && p[i + 1] < 0xc0))
        return e;
    unsigned payload = p[i] == 0xc5 ? 1 : p[i] == 0xc4 ? 2 : p[i] == 0x62 ? 3 : 0;
    if (payload == 0 || i + 3 + payload > n)
        return e;
    e.evex = payload == 3;
    e.map = payload == 1 ? 1 : p[i + 1] & (e.evex ? 7 : 31);
    bool extended = !(p[i + 1] & 0x80);
    i += 1 + payload;
    e.opcode = p[i++];
    bool has_modrm = e.evex || e.map != 1 || e.opcode != 0x77; /* vzeroupper */
    if (has_modrm) {
        e.modrm = p[i++];
        e.reg = (e.modrm >> 3 & 7) + (extended ? 8 : 0);
        unsigned mod = e.modrm >> 6, rm = e.modrm & 7;
        if (mod != 3 && rm == 4) {
            if (i >= n)
                return e;
            i += 1 + (mod == 0 && (p[i] & 7) == 5 ? 4 : 0);
        } else if (mod == 0 && rm == 5) {
            i += 4;
        }
        i += mod == 1 ? 1 : mod == 2 ? 4 : 0;
    }
    uint8_t op = e.opcode;
    if (e.map == 3 ||
        (e.map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6))))
        i++;
    if (i <= n && i <= 15)
        e.length = (unsigned)i;
    return e;
}

/* Moves and arithmetic of mask registers are VEX-encoded. */
static bool is_mask_instruction(const struct encoding *e)
{
    uint8_t op = e->opcode;
    if (e->length == 0 || e->evex)
        return false;
    if (e->map == 3)
        return op >= 0x30 && op <= 0x33;
    return e->map == 1 && ((op >= 0x41 && op <= 0x47 && op != 0x43) || op == 0x4a || op == 0x4b ||
                           (op >= 0x90 && op <= 0x93) || op == 0x98 || op == 0x99);
}

/* The instructions of mask registers that touch anything else: kmov to memory or a general register, ktest.
 */
static void mask_instruction(const struct vex_ctx *c, const struct encoding *e, struct ir_unknown *u)
{
    unsigned bytes = c->machine->pointer_width / 8;
    if (e->map != 1)
        return;
    if (e->opcode == 0x91)
        u->mem_write = true;
    else if (e->opcode == 0x93)
        add_write(u, (c->arch == MACHINE_AMD64 ? AMD64(RAX) : X86(EAX)) + e->reg * bytes, bytes);
    else if (e->opcode == 0x98 || e->opcode == 0x99)
        add_flags(c, u);
}

static void avx512(struct vex_ctx *c, struct disassembler *d, ir_label label, const uint8_t *bytes,
                   const struct encoding *e, struct ir_unknown *u)
{
    const cs_insn *i = disassemble(d, label, bytes, e->length);
    bool known = i && i->size == e->length && i->id != 0;
    u->avx512 = true;
    u->text = known ? text_of(c, i) : text_of_bytes(c, bytes, e->length);
    if (known)
        read_operands(c, d->handle[0], i, u);
    if (!e->evex) {
        mask_instruction(c, e, u);
        return;
    }
    u->mem_write = e->modrm < 0xc0;
    if (!known) {
        u->all_registers = true;
        return;
    }
    const cs_x86 *x = &i->detail->x86;
    for (unsigned k = 0; k < x->op_count; k++)
        if (x->operands[k].type == X86_OP_REG)
            add_register(c, u, cs_reg_name(d->handle[0], x->operands[k].reg));
    if (strstr(i->mnemonic, "com"))
        add_flags(c, u);
}

static bool is_x86_trap(const cs_insn *i)
{
    return strncmp(i->mnemonic, "ud", 2) == 0 || strcmp(i->mnemonic, "hlt") == 0 ||
           strcmp(i->mnemonic, "int1") == 0;
}

/* ---- the Arm architectures ---- */

static uint32_t word_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static unsigned arm_length(ir_label label, const uint8_t *p, size_t n)
{
    if (!(label & 1))
        return n >= 4 ? 4 : 0;
    if (n < 2)
        return 0;
    unsigned length = p[1] >= 0xe8 ? 4 : 2;
    return n >= length ? length : 0;
}

/* Permanently undefined instructions and breakpoints. */
static bool is_arm_trap(ir_label label, const uint8_t *p, unsigned length)
{
    if (length == 2)
        return p[1] == 0xde || p[1] == 0xbe;
    uint32_t w = word_at(p);
    if (label & 1)
        return (w & 0xf000fff0) == 0xa000f7f0;
    return (w & 0x0ff000f0) == 0x07f000f0 || (w & 0x0ff000f0) == 0x01200070;
}

/* Hints (wfe, sev, dbg, ...) change nothing. */
static bool is_arm_hint(ir_label label, const uint8_t *p, unsigned length)
{
    if (length == 2)
        return p[1] == 0xbf && (p[0] & 15) == 0;
    uint32_t w = word_at(p);
    return label & 1 ? (w & 0xff00ffff) == 0x8000f3af : (w & 0x0fffff00) == 0x0320f000;
}

static ir_val x_register(struct vex_ctx *c, unsigned n)
{
    return n == 31 ? ir_const(c->b, 64, 0) : ir_get(c->b, ARM64(X0) + 8 * n, 64);
}

static void system_register(struct vex_ctx *c, uint32_t w)
{
    bool is_read = w & 0x200000;
    struct ir_event e = {.guard = IR_NONE, .mem_addr = IR_NONE, .observable = true};
    e.name = arena_printf(c->arena, "%s:s%u_%u_c%u_c%u_%u", is_read ? "mrs" : "msr", 2 + (w >> 19 & 1),
                          w >> 16 & 7, w >> 12 & 15, w >> 8 & 15, w >> 5 & 7);
    unsigned t = w & 31;
    if (is_read) {
        ir_val x = ir_event(c->b, &e, NULL, 0, 64);
        if (t != 31)
            ir_put(c->b, ARM64(X0) + 8 * t, x);
    } else {
        ir_val x = x_register(c, t);
        ir_event(c->b, &e, &x, 1, 0);
    }
}

static struct bits keep_pointer(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)regs;
    (void)mem;
    return arg[0];
}

/* Signing, authenticating or stripping a pointer: some function of the pointer and the modifier, another one
 * for each key. Run concretely, every signature is empty. */
static ir_val pointer_code(struct vex_ctx *c, const char *name, ir_val pointer, ir_val modifier)
{
    struct ir_event e = {.name = name, .guard = IR_NONE, .mem_addr = IR_NONE, .eval = keep_pointer};
    ir_val arg[2] = {pointer, modifier};
    return ir_event(c->b, &e, arg, modifier == IR_NONE ? 1 : 2, 64);
}

/* x0 to x30, or the stack pointer. */
static ir_val x_register_or_sp(struct vex_ctx *c, unsigned n)
{
    return ir_get(c->b, n == 31 ? ARM64(XSP) : ARM64(X0) + 8 * n, 64);
}

/* pacia to autdb, with a register or zero as modifier, and xpaci, xpacd. */
static bool pointer_authentication(struct vex_ctx *c, uint32_t w)
{
    static const char *const name[] = {"pacia", "pacib", "pacda", "pacdb", "autia",
                                       "autib", "autda", "autdb", "xpaci", "xpacd"};
    unsigned op = w >> 10 & 63, d = w & 31, n = w >> 5 & 31;
    if ((w & 0xffff0000) != 0xdac10000 || op > 17 || (op >= 8 && n != 31))
        return false;
    bool strips = op >= 16, zero = op >= 8;
    ir_val modifier = strips ? IR_NONE : zero ? ir_const(c->b, 64, 0) : x_register_or_sp(c, n);
    ir_val code = pointer_code(c, name[strips ? op - 8 : op & 7], x_register(c, d), modifier);
    if (d != 31)
        ir_put(c->b, ARM64(X0) + 8 * d, code);
    return true;
}

/* pacia1716 and its kin sign or authenticate x17 with x16: hints 8, 10, 12 and 14. */
static void pointer_hint(struct vex_ctx *c, unsigned hint)
{
    static const char *const name[] = {"pacia", "pacib", "autia", "autib"};
    if (hint != 8 && hint != 10 && hint != 12 && hint != 14)
        return;
    ir_put(c->b, ARM64(X17), pointer_code(c, name[hint / 2 - 4], x_register(c, 17), x_register(c, 16)));
}

/* Simple instructions that VEX leaves out. A return address is assumed to authenticate: there, a signed
 * pointer is the pointer. */
static bool arm64_by_hand(struct vex_ctx *c, uint32_t w, uint64_t address, struct undecoded *out)
{
    out->length = 4;
    if ((w & 0xfffff01f) == 0xd503201f) { /* hints: bti, pacia*sp, autia*sp, esb, ... */
        pointer_hint(c, w >> 5 & 127);
        return true;
    }
    if ((w & 0xffff0000) == 0 || (w & 0xffe0001f) == 0xd4400000) { /* udf, hlt */
        out->ends = true;
        out->end =
            (struct ir_end){.kind = IR_END_TRAP, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL};
        return true;
    }
    if ((w & 0xfe9ff800) == 0xd61f0800 && (w >> 21 & 3) != 3) { /* braa, blraa, retaa and variants */
        unsigned kind = w >> 21 & 3, n = kind == 2 ? 30 : w >> 5 & 31;
        out->ends = true;
        ir_val to = x_register(c, n);
        if (kind != 2) { /* by key A or B; with a modifier or zero */
            ir_val modifier = w >> 24 & 1 ? x_register_or_sp(c, w & 31) : ir_const(c->b, 64, 0);
            to = pointer_code(c, w >> 10 & 1 ? "autib" : "autia", to, modifier);
        }
        out->end = (struct ir_end){.next = to, .label = IR_NO_LABEL, .after = IR_NO_LABEL};
        out->end.kind = kind == 0 ? IR_END_JUMP : kind == 1 ? IR_END_CALL : IR_END_RET;
        if (kind == 1) {
            ir_put(c->b, ARM64(X30), ir_const(c->b, 64, address + 4));
            out->end.after = address + 4;
        }
        return true;
    }
    if ((w & 0xffd00000) == 0xd5100000) { /* mrs, msr (register) */
        system_register(c, w);
        return true;
    }
    return pointer_authentication(c, w);
}

/* Newer instructions whose group says enough: two-source arithmetic (irg, gmi, ...) writes its destination
 * only. */
static void arm64_writes(uint32_t w, struct ir_unknown *u)
{
    if ((w & 0x5fe00000) != 0x1ac00000)
        return;
    u->all_registers = u->mem_write = false;
    if ((w & 31) != 31)
        add_write(u, (unsigned)ARM64(X0) + 8 * (w & 31), 8);
}

/* Thumb: the next instruction of an IT block becomes the current one. */
static void advance_it(struct vex_ctx *c)
{
    if (!c->thumb_it)
        return;
    ir_val state = ir_get(c->b, ARM(ITSTATE), 32);
    ir_put(c->b, ARM(ITSTATE), ir_bin(c->b, OP_LSHR, state, ir_const(c->b, 32, 8)));
}

/* ---- all of them ---- */

static void end_with(struct undecoded *out, enum ir_end_kind kind)
{
    out->ends = true;
    out->end =
        (struct ir_end){.kind = (uint8_t)kind, .next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL};
}

struct undecoded vex_undecoded(struct vex_ctx *c, struct disassembler *d, ir_label label,
                               const uint8_t *bytes, size_t available)
{
    bool x86 = c->arch == MACHINE_AMD64 || c->arch == MACHINE_X86,
         thumb = c->arch == MACHINE_ARM && (label & 1);
    uint64_t address = thumb ? label - 1 : label;
    struct undecoded out = {.counted = true};
    struct ir_unknown u = {.address = address};
    csh handle = d->handle[thumb];

    if (!x86)
        out.length = arm_length(c->arch == MACHINE_ARM ? label : 0, bytes, available);
    struct encoding e = {0};
    if (x86)
        e = vector_encoding(c, bytes, available);
    bool is_avx512 = e.length && (e.evex || is_mask_instruction(&e));
    const cs_insn *i = is_avx512 ? NULL : disassemble(d, label, bytes, available);
    if (x86)
        out.length = e.length ? e.length : i ? i->size : 0;
    c->insn_address = address;
    c->insn_length = out.length;
    if (out.length)
        ir_mark_insn(c->b, address, out.length);

    if (c->arch == MACHINE_ARM64 && out.length && arm64_by_hand(c, word_at(bytes), address, &out)) {
        out.counted = false;
        return out;
    }
    if ((x86 && i && is_x86_trap(i)) ||
        (c->arch == MACHINE_ARM && out.length && is_arm_trap(label, bytes, out.length))) {
        end_with(&out, IR_END_TRAP);
        out.counted = false;
        return out;
    }
    if (c->arch == MACHINE_ARM && out.length && is_arm_hint(label, bytes, out.length)) {
        out.counted = false;
        if (thumb)
            advance_it(c);
        return out;
    }
    u.length = (uint8_t)out.length;
    if (is_avx512) {
        avx512(c, d, label, bytes, &e, &u);
    } else if (i && i->size == out.length && i->id != 0) {
        u.text = text_of(c, i);
        u.mem_write = may_write_memory(c, i);
        collect_registers(c, handle, i, &u);
        if (is_branch(c, handle, i))
            end_with(&out, IR_END_UNKNOWN);
    } else {
        u.text = text_of_bytes(c, bytes, out.length ? out.length : available < 16 ? available : 16);
        u.all_registers = u.mem_write = true;
        /* No VEX-encoded instruction is a branch; on arm64 branches are the group with 101 in bits 28 to 26.
         */
        bool falls_through =
            e.length || (c->arch == MACHINE_ARM64 && out.length && (word_at(bytes) >> 26 & 7) != 5);
        if (!falls_through)
            end_with(&out, IR_END_UNKNOWN);
        if (c->arch == MACHINE_ARM64 && falls_through)
            arm64_writes(word_at(bytes), &u);
    }
    out.avx512 = u.avx512;
    ir_unknown(c->b, &u);
    if (thumb)
        advance_it(c);
    return out;
}
