/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relocations of AArch64 objects ("ELF for the Arm 64-bit Architecture", section "Relocation"). */
#include <elf.h>

#include "object/private.h"

static uint32_t get32(const struct reloc *r)
{
    return image_u32(&r->o->image, r->at);
}

static enum reloc_result put(struct reloc *r, unsigned bytes, uint64_t value)
{
    if (r->room < bytes)
        return RELOC_SHORT;
    for (unsigned i = 0; i < bytes; i++)
        r->at[i] = (uint8_t)(value >> (8 * i));
    return RELOC_DONE;
}

static bool fits(int64_t value, unsigned bits)
{
    int64_t half = INT64_C(1) << (bits - 1);
    return value >= -half && value < half;
}

/* Puts `width` bits of value at bit `low` of the instruction. */
static enum reloc_result field(struct reloc *r, unsigned low, unsigned width, uint64_t value)
{
    uint32_t mask = ((UINT32_C(1) << width) - 1) << low;
    return put(r, 4, (get32(r) & ~mask) | ((uint32_t)(value << low) & mask));
}

/* A branch or literal offset in words. */
static enum reloc_result words(struct reloc *r, unsigned low, unsigned width, uint64_t target)
{
    int64_t distance = (int64_t)(target - r->place);
    if (!fits(distance, width + 2))
        return RELOC_OVERFLOW;
    return field(r, low, width, (uint64_t)distance >> 2);
}

/* adr and adrp: 21 bits, the low two at bit 29. */
static enum reloc_result adr(struct reloc *r, int64_t value, bool check)
{
    if (check && !fits(value, 21))
        return RELOC_OVERFLOW;
    uint32_t insn = get32(r) & ~UINT32_C(0x60ffffe0);
    return put(
        r, 4, insn | (uint32_t)((uint64_t)value & 3) << 29 | (uint32_t)((uint64_t)value >> 2 & 0x7ffff) << 5);
}

static int64_t page_distance(uint64_t target, uint64_t place)
{
    return (int64_t)((target & ~UINT64_C(0xfff)) - (place & ~UINT64_C(0xfff))) >> 12;
}

static enum reloc_result low12(struct reloc *r, uint64_t value, unsigned scale)
{
    return field(r, 10, 12, (value & 0xfff) >> scale);
}

/* movz/movn/movk: a signed value turns movz into movn when it is negative. */
static enum reloc_result mov_signed(struct reloc *r, int64_t value, unsigned group, bool keep)
{
    if (!keep) {
        uint32_t insn = get32(r) | UINT32_C(1) << 30;
        if (value < 0)
            insn &= ~(UINT32_C(1) << 30);
        put(r, 4, insn);
        if (value < 0)
            value = ~value;
    }
    return field(r, 5, 16, (uint64_t)value >> (16 * group));
}

enum reloc_result reloc_arm64(struct reloc *r)
{
    if (!r->has_addend)
        return RELOC_UNKNOWN;
    uint64_t a = (uint64_t)r->addend, sa = r->sum = r->value + a, p = r->place;
    uint64_t tls = (uint64_t)reloc_tls_offset(r) + a;
    bool data = r->type == R_AARCH64_NONE || (r->type >= R_AARCH64_ABS64 && r->type <= R_AARCH64_PREL16) ||
                r->type == R_AARCH64_TLSDESC_CALL;
    if (!data && r->room < 4)
        return RELOC_SHORT;
    switch (r->type) {
    case R_AARCH64_NONE:
    case R_AARCH64_TLSDESC_CALL:
        return RELOC_DONE;
    case R_AARCH64_ABS64:
        return put(r, 8, sa);
    case R_AARCH64_ABS32:
        return put(r, 4, sa);
    case R_AARCH64_ABS16:
        return put(r, 2, sa);
    case R_AARCH64_PREL64:
        return put(r, 8, sa - p);
    case R_AARCH64_PREL32:
    case 314: /* R_AARCH64_PLT32, younger than some elf.h */
        return fits((int64_t)(sa - p), 33) ? put(r, 4, sa - p) : RELOC_OVERFLOW;
    case R_AARCH64_PREL16:
        return fits((int64_t)(sa - p), 17) ? put(r, 2, sa - p) : RELOC_OVERFLOW;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        return words(r, 0, 26, sa);
    case R_AARCH64_CONDBR19:
    case R_AARCH64_LD_PREL_LO19:
        return words(r, 5, 19, sa);
    case R_AARCH64_TSTBR14:
        return words(r, 5, 14, sa);
    case R_AARCH64_GOT_LD_PREL19:
        return words(r, 5, 19, got_entry(r, GOT_ADDRESS) + a);
    case R_AARCH64_ADR_PREL_LO21:
        return adr(r, (int64_t)(sa - p), true);
    case R_AARCH64_ADR_PREL_PG_HI21:
        return adr(r, page_distance(sa, p), true);
    case R_AARCH64_ADR_PREL_PG_HI21_NC:
        return adr(r, page_distance(sa, p), false);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        return low12(r, sa, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
        return low12(r, sa, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
        return low12(r, sa, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
        return low12(r, sa, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
        return low12(r, sa, 4);
    case R_AARCH64_ADR_GOT_PAGE:
        return adr(r, page_distance(got_entry(r, GOT_ADDRESS) + a, p), true);
    case R_AARCH64_LD64_GOT_LO12_NC:
        return low12(r, got_entry(r, GOT_ADDRESS) + a, 3);
    case R_AARCH64_LD64_GOTPAGE_LO15:
        return field(r, 10, 12, (got_entry(r, GOT_ADDRESS) + a - (got_base(r->got) & ~UINT64_C(0xfff))) >> 3);
    case R_AARCH64_MOVW_UABS_G0:
    case R_AARCH64_MOVW_UABS_G0_NC:
        return field(r, 5, 16, sa);
    case R_AARCH64_MOVW_UABS_G1:
    case R_AARCH64_MOVW_UABS_G1_NC:
        return field(r, 5, 16, sa >> 16);
    case R_AARCH64_MOVW_UABS_G2:
    case R_AARCH64_MOVW_UABS_G2_NC:
        return field(r, 5, 16, sa >> 32);
    case R_AARCH64_MOVW_UABS_G3:
        return field(r, 5, 16, sa >> 48);
    case R_AARCH64_MOVW_SABS_G0:
        return mov_signed(r, (int64_t)sa, 0, false);
    case R_AARCH64_MOVW_SABS_G1:
        return mov_signed(r, (int64_t)sa, 1, false);
    case R_AARCH64_MOVW_SABS_G2:
        return mov_signed(r, (int64_t)sa, 2, false);
    case R_AARCH64_MOVW_PREL_G0:
    case R_AARCH64_MOVW_PREL_G1:
    case R_AARCH64_MOVW_PREL_G2:
        return mov_signed(r, (int64_t)(sa - p), (r->type - R_AARCH64_MOVW_PREL_G0) / 2, false);
    case R_AARCH64_MOVW_PREL_G0_NC:
    case R_AARCH64_MOVW_PREL_G1_NC:
    case R_AARCH64_MOVW_PREL_G2_NC:
        return mov_signed(r, (int64_t)(sa - p), (r->type - R_AARCH64_MOVW_PREL_G0_NC) / 2, true);
    case R_AARCH64_MOVW_PREL_G3:
        return mov_signed(r, (int64_t)(sa - p), 3, true);
    case R_AARCH64_TLSLE_ADD_TPREL_HI12:
        return field(r, 10, 12, tls >> 12);
    case R_AARCH64_TLSLE_ADD_TPREL_LO12:
    case R_AARCH64_TLSLE_ADD_TPREL_LO12_NC:
    case R_AARCH64_TLSLE_LDST8_TPREL_LO12:
    case R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC:
        return low12(r, tls, 0);
    case R_AARCH64_TLSLE_LDST16_TPREL_LO12:
    case R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC:
        return low12(r, tls, 1);
    case R_AARCH64_TLSLE_LDST32_TPREL_LO12:
    case R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC:
        return low12(r, tls, 2);
    case R_AARCH64_TLSLE_LDST64_TPREL_LO12:
    case R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC:
        return low12(r, tls, 3);
    case R_AARCH64_TLSLE_MOVW_TPREL_G0:
    case R_AARCH64_TLSLE_MOVW_TPREL_G0_NC:
        return field(r, 5, 16, tls);
    case R_AARCH64_TLSLE_MOVW_TPREL_G1:
    case R_AARCH64_TLSLE_MOVW_TPREL_G1_NC:
        return field(r, 5, 16, tls >> 16);
    case R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21:
        return adr(r, page_distance(got_entry(r, GOT_TPOFF), p), true);
    case R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC:
        return low12(r, got_entry(r, GOT_TPOFF), 3);
    case R_AARCH64_TLSDESC_ADR_PAGE21:
    case R_AARCH64_TLSGD_ADR_PAGE21:
    case R_AARCH64_TLSLD_ADR_PAGE21:
        return adr(r, page_distance(got_entry(r, GOT_TLS_PAIR), p), true);
    case R_AARCH64_TLSDESC_LD64_LO12:
        return low12(r, got_entry(r, GOT_TLS_PAIR), 3);
    case R_AARCH64_TLSDESC_ADD_LO12:
    case R_AARCH64_TLSGD_ADD_LO12_NC:
    case R_AARCH64_TLSLD_ADD_LO12_NC:
        return low12(r, got_entry(r, GOT_TLS_PAIR), 0);
    default:
        return RELOC_UNKNOWN;
    }
}
