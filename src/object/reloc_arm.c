/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relocations of ARM objects, ARM and Thumb code ("ELF for the Arm Architecture", section "Relocation").
 *
 * Branches between ARM and Thumb functions become blx where the instruction allows it; a plain jump across
 * would need a veneer and is reported. An undefined function is assumed to be in the caller's own instruction
 * set. */
#include <elf.h>

#include "object/private.h"

static uint32_t get32(const struct reloc *r)
{
    return image_u32(&r->o->image, r->at);
}

static enum reloc_result put32(struct reloc *r, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        r->at[i] = (uint8_t)(value >> (8 * i));
    return RELOC_DONE;
}

/* A 32-bit Thumb instruction is two halfwords, the first in the upper half here. */
static uint32_t get_thumb(const struct reloc *r)
{
    return (uint32_t)image_u16(&r->o->image, r->at) << 16 | image_u16(&r->o->image, r->at + 2);
}

static enum reloc_result put_thumb(struct reloc *r, uint32_t value)
{
    r->at[0] = (uint8_t)(value >> 16);
    r->at[1] = (uint8_t)(value >> 24);
    r->at[2] = (uint8_t)value;
    r->at[3] = (uint8_t)(value >> 8);
    return RELOC_DONE;
}

static int32_t sign_extend(uint32_t x, unsigned bits)
{
    return (int32_t)(x << (32 - bits)) >> (32 - bits);
}

static bool fits(int64_t value, unsigned bits)
{
    int64_t half = INT64_C(1) << (bits - 1);
    return value >= -half && value < half;
}

static bool is_extern(const struct reloc *r)
{
    return r->symbol->section == SHN_UNDEF;
}

static enum reloc_result arm_branch(struct reloc *r)
{
    uint32_t insn = get32(r);
    bool blx = insn >> 28 == 15;
    int64_t addend =
        r->has_addend ? r->addend : sign_extend(insn & 0xffffff, 24) * 4 + (blx ? (int)(insn >> 23 & 2) : 0);
    int64_t offset = (int64_t)r->value + addend - (int64_t)r->place;
    bool to_thumb = r->symbol->thumb;
    if (!fits(offset, 26))
        return RELOC_OVERFLOW;
    uint32_t imm = (uint32_t)(offset >> 2) & 0xffffff;
    if (to_thumb) {
        bool call = blx || (insn >> 24 == 0xeb && r->type != R_ARM_JUMP24);
        if (!call)
            return RELOC_OVERFLOW;
        return put32(r, 0xfa000000 | (uint32_t)(offset >> 1 & 1) << 24 | imm);
    }
    if (blx && !is_extern(r))
        insn = 0xeb000000;
    return put32(r, (insn & 0xff000000) | imm);
}

static enum reloc_result thumb_branch(struct reloc *r, bool call)
{
    uint32_t insn = get_thumb(r);
    uint32_t s = insn >> 26 & 1, j1 = insn >> 13 & 1, j2 = insn >> 11 & 1;
    uint32_t i1 = !(j1 ^ s), i2 = !(j2 ^ s);
    uint32_t raw = s << 24 | i1 << 23 | i2 << 22 | (insn >> 16 & 0x3ff) << 12 | (insn & 0x7ff) << 1;
    int64_t addend = r->has_addend ? r->addend : sign_extend(raw, 25);
    bool to_arm = !r->symbol->thumb && !is_extern(r) && r->symbol->type == STT_FUNC;
    if (to_arm && !call)
        return RELOC_OVERFLOW;
    int64_t place = (int64_t)(to_arm ? r->place & ~UINT64_C(3) : r->place);
    int64_t offset = (int64_t)r->value + addend - place;
    if (!fits(offset, 25))
        return RELOC_OVERFLOW;
    uint32_t o = (uint32_t)offset;
    s = o >> 24 & 1;
    j1 = !((o >> 23 & 1) ^ s);
    j2 = !((o >> 22 & 1) ^ s);
    insn &= 0xf800d000;
    if (call)
        insn = to_arm ? insn & ~UINT32_C(0x1000) : insn | 0x1000; /* blx or bl */
    return put_thumb(r, insn | s << 26 | (o >> 12 & 0x3ff) << 16 | j1 << 13 | j2 << 11 |
                            (o >> 1 & (to_arm ? 0x7fe : 0x7ff)));
}

/* Conditional branch, 21 bits. */
static enum reloc_result thumb_branch19(struct reloc *r)
{
    uint32_t insn = get_thumb(r);
    uint32_t raw = (insn >> 26 & 1) << 20 | (insn >> 11 & 1) << 19 | (insn >> 13 & 1) << 18 |
                   (insn >> 16 & 0x3f) << 12 | (insn & 0x7ff) << 1;
    int64_t addend = r->has_addend ? r->addend : sign_extend(raw, 21);
    int64_t offset = (int64_t)r->value + addend - (int64_t)r->place;
    if (!fits(offset, 21))
        return RELOC_OVERFLOW;
    uint32_t o = (uint32_t)offset;
    return put_thumb(r, (insn & 0xfbc0d000) | (o >> 20 & 1) << 26 | (o >> 12 & 0x3f) << 16 |
                            (o >> 18 & 1) << 13 | (o >> 19 & 1) << 11 | (o >> 1 & 0x7ff));
}

/* 16-bit Thumb branches: b (11 bits) and b<cond> (8 bits). */
static enum reloc_result thumb_short(struct reloc *r, unsigned bits)
{
    uint32_t insn = image_u16(&r->o->image, r->at), mask = (1u << bits) - 1;
    int64_t addend = r->has_addend ? r->addend : sign_extend((insn & mask) << 1, bits + 1);
    int64_t offset = (int64_t)r->value + addend - (int64_t)r->place;
    if (!fits(offset, bits + 1))
        return RELOC_OVERFLOW;
    insn = (insn & ~mask) | ((uint32_t)(offset >> 1) & mask);
    r->at[0] = (uint8_t)insn;
    r->at[1] = (uint8_t)(insn >> 8);
    return RELOC_DONE;
}

/* movw and movt: a 16-bit immediate scattered over the instruction. */
static enum reloc_result move16(struct reloc *r, bool thumb, bool top, bool relative)
{
    uint32_t insn = thumb ? get_thumb(r) : get32(r);
    uint32_t imm =
        thumb ? (insn >> 16 & 15) << 12 | (insn >> 26 & 1) << 11 | (insn >> 12 & 7) << 8 | (insn & 0xff)
              : (insn >> 16 & 15) << 12 | (insn & 0xfff);
    int64_t addend = r->has_addend ? r->addend : sign_extend(imm, 16);
    uint64_t value = r->sum = r->value + (uint64_t)addend;
    if (!top && r->symbol->thumb)
        value |= 1;
    if (relative)
        value -= r->place;
    imm = (uint32_t)(top ? value >> 16 : value) & 0xffff;
    if (thumb)
        return put_thumb(r, (insn & 0xfbf08f00) | imm >> 12 << 16 | (imm >> 11 & 1) << 26 |
                                (imm >> 8 & 7) << 12 | (imm & 0xff));
    return put32(r, (insn & 0xfff0f000) | imm >> 12 << 16 | (imm & 0xfff));
}

enum reloc_result reloc_arm(struct reloc *r)
{
    switch (r->type) {
    case R_ARM_NONE:
    case R_ARM_V4BX: /* marks a bx for ARMv4 linkers */
        return RELOC_DONE;
    case R_ARM_THM_PC11:
        return r->room < 2 ? RELOC_SHORT : thumb_short(r, 11);
    case R_ARM_THM_PC9:
        return r->room < 2 ? RELOC_SHORT : thumb_short(r, 8);
    case R_ARM_ABS8:
        if (r->room < 1)
            return RELOC_SHORT;
        r->at[0] = (uint8_t)(r->value + (uint64_t)(r->has_addend ? r->addend : (int8_t)r->at[0]));
        return RELOC_DONE;
    case R_ARM_ABS16: {
        if (r->room < 2)
            return RELOC_SHORT;
        uint64_t value =
            r->value + (uint64_t)(r->has_addend ? r->addend : (int16_t)image_u16(&r->o->image, r->at));
        r->at[0] = (uint8_t)value;
        r->at[1] = (uint8_t)(value >> 8);
        return RELOC_DONE;
    }
    default:
        break;
    }
    if (r->room < 4)
        return RELOC_SHORT;
    uint32_t word = get32(r);
    int64_t a = r->has_addend ? r->addend : (int32_t)word;
    uint64_t sa = (r->value + (uint64_t)a) | (r->symbol->thumb ? 1 : 0), p = r->place;
    r->sum = sa;
    switch (r->type) {
    case R_ARM_ABS32:
    case R_ARM_TARGET1:
        return put32(r, (uint32_t)sa);
    case R_ARM_REL32:
        return put32(r, (uint32_t)(sa - p));
    case R_ARM_PREL31: {
        int64_t addend = r->has_addend ? r->addend : sign_extend(word & 0x7fffffff, 31);
        uint64_t value = r->value + (uint64_t)addend - p;
        return put32(r, (word & 0x80000000) | ((uint32_t)value & 0x7fffffff));
    }
    case R_ARM_PC24:
    case R_ARM_CALL:
    case R_ARM_JUMP24:
    case R_ARM_PLT32:
        return arm_branch(r);
    case R_ARM_THM_PC22: /* R_ARM_THM_CALL */
        return thumb_branch(r, true);
    case R_ARM_THM_JUMP24:
        return thumb_branch(r, false);
    case R_ARM_THM_JUMP19:
        return thumb_branch19(r);
    case R_ARM_MOVW_ABS_NC:
        return move16(r, false, false, false);
    case R_ARM_MOVT_ABS:
        return move16(r, false, true, false);
    case R_ARM_MOVW_PREL_NC:
        return move16(r, false, false, true);
    case R_ARM_MOVT_PREL:
        return move16(r, false, true, true);
    case R_ARM_THM_MOVW_ABS_NC:
        return move16(r, true, false, false);
    case R_ARM_THM_MOVT_ABS:
        return move16(r, true, true, false);
    case R_ARM_THM_MOVW_PREL_NC:
        return move16(r, true, false, true);
    case R_ARM_THM_MOVT_PREL:
        return move16(r, true, true, true);
    case R_ARM_GOTPC: /* R_ARM_BASE_PREL */
        return put32(r, (uint32_t)(got_base(r->got) + (uint64_t)a - p));
    case R_ARM_GOTOFF: /* R_ARM_GOTOFF32 */
        return put32(r, (uint32_t)(sa - got_base(r->got)));
    case R_ARM_GOT32: /* R_ARM_GOT_BREL */
        return put32(r, (uint32_t)(got_entry(r, GOT_ADDRESS) + (uint64_t)a - got_base(r->got)));
    case R_ARM_GOT_PREL:
    case R_ARM_TARGET2: /* on Linux, TARGET2 is GOT_PREL */
        return put32(r, (uint32_t)(got_entry(r, GOT_ADDRESS) + (uint64_t)a - p));
    case R_ARM_GOT_ABS:
        return put32(r, (uint32_t)(got_entry(r, GOT_ADDRESS) + (uint64_t)a));
    case R_ARM_TLS_LE32:
        return put32(r, (uint32_t)(reloc_tls_offset(r) + a));
    case R_ARM_TLS_IE32:
        return put32(r, (uint32_t)(got_entry(r, GOT_TPOFF) + (uint64_t)a - p));
    case R_ARM_TLS_LDO32:
    case R_ARM_TLS_DTPOFF32:
        return put32(r, (uint32_t)(sa - r->o->tls_address));
    case R_ARM_TLS_GD32:
    case R_ARM_TLS_LDM32:
        return put32(r, (uint32_t)(got_entry(r, GOT_TLS_PAIR) + (uint64_t)a - p));
    default:
        return RELOC_UNKNOWN;
    }
}
