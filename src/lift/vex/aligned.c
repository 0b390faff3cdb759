/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory operands of SSE. VEX checks the alignment of moves that ask for it (movaps, movdqa), and of no other
 * instruction; but every 16-byte operand of an instruction without a VEX prefix has to be aligned, unless the
 * instruction is there for those that are not (Intel SDM, volume 1, 4.1.1 and volume 2, 2.4). */
#include "lift/vex/vex.h"

/* The instruction without its prefixes; *prefix: 0x66, 0xf2 or 0xf3, the last of them, or 0. */
static const uint8_t *without_prefixes(const struct vex_ctx *c, uint8_t *prefix)
{
    const uint8_t *p = c->insn_bytes, *end = p + c->insn_length;
    *prefix = 0;
    for (; p < end; p++) {
        if (*p == 0x66 || *p == 0xf2 || *p == 0xf3)
            *prefix = *p;
        else if (*p != 0x67 && *p != 0x2e && *p != 0x36 && *p != 0x3e && *p != 0x26 && *p != 0x64 &&
                 *p != 0x65 && !(c->arch == MACHINE_AMD64 && (*p & 0xf0) == 0x40))
            break;
    }
    return p;
}

bool vex_must_be_aligned(const struct vex_ctx *c)
{
    if (c->arch != MACHINE_AMD64 && c->arch != MACHINE_X86)
        return false;
    uint8_t prefix;
    const uint8_t *p = without_prefixes(c, &prefix), *end = c->insn_bytes + c->insn_length;
    if (end - p < 3 || p[0] != 0x0f)
        return false;
    switch (p[1]) {
    case 0x10: /* movups, movupd */
    case 0x11:
    case 0xae: /* fxsave and others that know their operand's shape */
        return false;
    case 0x6f: /* movdqu */
    case 0x7f:
        return prefix != 0xf3;
    case 0xf0: /* lddqu */
        return false;
    case 0x3a: /* pcmpestrm, pcmpestri, pcmpistrm, pcmpistri */
        return p[2] < 0x60 || p[2] > 0x63;
    default:
        return true;
    }
}
