/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relocations of x86-64 and i386 objects (System V ABI supplements, tables "Relocation Types"). */
#include <elf.h>

#include "object/private.h"

enum check { ANY, SIGNED, UNSIGNED };

static bool fits(int64_t value, unsigned bytes, enum check check)
{
    if (bytes >= 8 || check == ANY)
        return true;
    int64_t half = INT64_C(1) << (8 * bytes - 1);
    if (check == SIGNED)
        return value >= -half && value < half;
    return value >= 0 && value < 2 * half;
}

static enum reloc_result store(struct reloc *r, unsigned bytes, int64_t value, enum check check)
{
    if (r->room < bytes)
        return RELOC_SHORT;
    if (!fits(value, bytes, check))
        return RELOC_OVERFLOW;
    for (unsigned i = 0; i < bytes; i++)
        r->at[i] = (uint8_t)((uint64_t)value >> (8 * i));
    return RELOC_DONE;
}

enum reloc_result reloc_amd64(struct reloc *r)
{
    if (!r->has_addend)
        return RELOC_UNKNOWN;
    uint64_t sa = r->sum = r->value + (uint64_t)r->addend, p = r->place, a = (uint64_t)r->addend;
    int64_t tls = (int64_t)((uint64_t)reloc_tls_offset(r) + a);
    switch (r->type) {
    case R_X86_64_NONE:
        return RELOC_DONE;
    case R_X86_64_64:
        return store(r, 8, (int64_t)sa, ANY);
    case R_X86_64_32:
        return store(r, 4, (int64_t)sa, UNSIGNED);
    case R_X86_64_32S:
        return store(r, 4, (int64_t)sa, SIGNED);
    case R_X86_64_16:
        return store(r, 2, (int64_t)sa, ANY);
    case R_X86_64_8:
        return store(r, 1, (int64_t)sa, ANY);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        return store(r, 4, (int64_t)(sa - p), SIGNED);
    case R_X86_64_PC16:
        return store(r, 2, (int64_t)(sa - p), SIGNED);
    case R_X86_64_PC8:
        return store(r, 1, (int64_t)(sa - p), SIGNED);
    case R_X86_64_PC64:
        return store(r, 8, (int64_t)(sa - p), ANY);
    case R_X86_64_SIZE32:
        return store(r, 4, (int64_t)(r->symbol->size + a), UNSIGNED);
    case R_X86_64_SIZE64:
        return store(r, 8, (int64_t)(r->symbol->size + a), ANY);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return store(r, 4, (int64_t)(got_entry(r, GOT_ADDRESS) + a - p), SIGNED);
    case R_X86_64_GOTPCREL64:
        return store(r, 8, (int64_t)(got_entry(r, GOT_ADDRESS) + a - p), ANY);
    case R_X86_64_GOT32:
        return store(r, 4, (int64_t)(got_entry(r, GOT_ADDRESS) - got_base(r->got) + a), SIGNED);
    case R_X86_64_GOT64:
        return store(r, 8, (int64_t)(got_entry(r, GOT_ADDRESS) - got_base(r->got) + a), ANY);
    case R_X86_64_GOTOFF64:
    case R_X86_64_PLTOFF64:
        return store(r, 8, (int64_t)(sa - got_base(r->got)), ANY);
    case R_X86_64_GOTPC32:
        return store(r, 4, (int64_t)(got_base(r->got) + a - p), SIGNED);
    case R_X86_64_GOTPC64:
        return store(r, 8, (int64_t)(got_base(r->got) + a - p), ANY);
    case R_X86_64_TPOFF32:
        return store(r, 4, tls, SIGNED);
    case R_X86_64_TPOFF64:
        return store(r, 8, tls, ANY);
    case R_X86_64_DTPOFF32:
        return store(r, 4, (int64_t)(sa - r->o->tls_address), SIGNED);
    case R_X86_64_DTPOFF64:
        return store(r, 8, (int64_t)(sa - r->o->tls_address), ANY);
    case R_X86_64_GOTTPOFF:
        return store(r, 4, (int64_t)(got_entry(r, GOT_TPOFF) + a - p), SIGNED);
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_GOTPC32_TLSDESC:
        return store(r, 4, (int64_t)(got_entry(r, GOT_TLS_PAIR) + a - p), SIGNED);
    case R_X86_64_TLSDESC_CALL:
        return RELOC_DONE; /* marks the call only */
    default:
        return RELOC_UNKNOWN;
    }
}

static enum reloc_result x86_addend(struct reloc *r, unsigned bytes)
{
    if (r->room < bytes)
        return RELOC_SHORT;
    if (!r->has_addend)
        r->addend = bytes == 1   ? (int8_t)r->at[0]
                    : bytes == 2 ? (int16_t)image_u16(&r->o->image, r->at)
                                 : (int32_t)image_u32(&r->o->image, r->at);
    return RELOC_DONE;
}

enum reloc_result reloc_x86(struct reloc *r)
{
    unsigned bytes = r->type == R_386_16 || r->type == R_386_PC16 ? 2
                     : r->type == R_386_8 || r->type == R_386_PC8 ? 1
                                                                  : 4;
    if (r->type == R_386_NONE)
        return RELOC_DONE;
    enum reloc_result readable = x86_addend(r, bytes);
    if (readable != RELOC_DONE)
        return readable;
    uint64_t a = (uint64_t)r->addend, sa = r->sum = r->value + a, p = r->place;
    switch (r->type) {
    case R_386_32:
    case R_386_16:
    case R_386_8:
        return store(r, bytes, (int64_t)sa, ANY);
    case R_386_PC32:
    case R_386_PLT32:
    case R_386_PC16:
    case R_386_PC8:
        return store(r, bytes, (int64_t)(sa - p), ANY);
    case R_386_GOTPC:
        return store(r, 4, (int64_t)(got_base(r->got) + a - p), ANY);
    case R_386_GOTOFF:
        return store(r, 4, (int64_t)(sa - got_base(r->got)), ANY);
    case R_386_GOT32:
    case R_386_GOT32X: {
        /* Without a base register (mod 00, r/m 101 in the byte before) the instruction wants the slot's
         * address. */
        uint64_t slot = got_entry(r, GOT_ADDRESS);
        bool absolute = r->type == R_386_GOT32X && r->before > 0 && (r->at[-1] & 0xc7) == 0x05;
        return store(r, 4, (int64_t)(slot + a - (absolute ? 0 : got_base(r->got))), ANY);
    }
    case R_386_SIZE32:
        return store(r, 4, (int64_t)(r->symbol->size + a), ANY);
    case R_386_TLS_LE:
        return store(r, 4, (int64_t)((uint64_t)reloc_tls_offset(r) + a), ANY);
    case R_386_TLS_LE_32:
        return store(r, 4, (int64_t)(a - (uint64_t)reloc_tls_offset(r)), ANY);
    case R_386_TLS_LDO_32:
    case R_386_TLS_DTPOFF32:
        return store(r, 4, (int64_t)(sa - r->o->tls_address), ANY);
    case R_386_TLS_IE:
        return store(r, 4, (int64_t)(got_entry(r, GOT_TPOFF) + a), ANY);
    case R_386_TLS_GOTIE:
        return store(r, 4, (int64_t)(got_entry(r, GOT_TPOFF) + a - got_base(r->got)), ANY);
    case R_386_TLS_GD:
    case R_386_TLS_LDM:
    case R_386_TLS_GOTDESC:
        return store(r, 4, (int64_t)(got_entry(r, GOT_TLS_PAIR) + a - got_base(r->got)), ANY);
    case R_386_TLS_DESC_CALL:
        return RELOC_DONE;
    default:
        return RELOC_UNKNOWN;
    }
}
