/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=opcode_range function=vm_decode kind=bound-check
 * strict: safe
 * analyst: safe
 * why: Opcodes over the last known one no longer reach the dispatch table. */
#include <stddef.h>
#include <stdint.h>

struct insn {
    uint8_t op, dst, src;
    int16_t off;
    int32_t imm;
};

typedef int op_fn(struct insn *i, uint64_t *regs);

int vm_decode(op_fn *const *table, unsigned known, struct insn *i, uint64_t *regs)
{
    if (i->dst > 10 || i->src > 10)
        return -22;
#ifdef PATCHED
    if (i->op >= known)
        return -22;
#endif
    regs[11] = i->op;
    regs[12] = (uint64_t)(int64_t)i->off;
    return table[i->op](i, regs);
}
