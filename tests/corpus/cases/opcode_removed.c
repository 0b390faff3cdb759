/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=opcode_removed function=shader_op kind=switch-case
 * strict: safe
 * analyst: safe
 * why: The mirror image of opcode_added: an operation became an error. */
#include <stddef.h>
#include <stdint.h>

struct vm {
    uint32_t r[8];
    uint32_t pc;
};

int shader_op(struct vm *v, unsigned op, unsigned d, unsigned s)
{
    if (d > 7 || s > 7)
        return -22;
    switch (op) {
    case 1:
        v->r[d] += v->r[s];
        break;
    case 2:
        v->r[d] -= v->r[s];
        break;
    case 3:
        v->r[d] *= v->r[s];
        break;
#ifndef PATCHED
    case 4:
        v->r[d] ^= v->r[s];
        break;
#endif
    default:
        return -38;
    }
    v->pc += 4;
    return 0;
}
