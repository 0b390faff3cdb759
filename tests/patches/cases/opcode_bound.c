/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=opcode_bound function=vm_step kind=bounds
 * why: The number of a register comes from the program and was not compared with how many there are. */
struct vm {
    const uint32_t *code;
    uint32_t pc, length;
    uint32_t reg[16];
    uint32_t steps;
    int halted;
};

extern void vm_trap(struct vm *v, int why);
extern uint32_t vm_io(struct vm *v, uint32_t port);

int vm_step(struct vm *v)
{
    uint32_t insn, op, a, b;

    if (v->pc >= v->length) {
        vm_trap(v, 1);
        return -1;
    }
    insn = v->code[v->pc++];
    op = insn >> 24;
    a = insn >> 16 & 0xff;
    b = insn >> 8 & 0xff;
#ifdef PATCHED
    if (a >= 16 || b >= 16) {
        vm_trap(v, 2);
        return -1;
    }
#endif
#ifdef LATER
    v->steps++;
#endif
    switch (op) {
    case 0:
        v->halted = 1;
        return 0;
    case 1:
        v->reg[a] += v->reg[b];
        break;
    case 2:
        v->reg[a] -= v->reg[b];
        break;
    case 3:
        v->reg[a] ^= v->reg[b];
        break;
    case 4:
        v->reg[a] = vm_io(v, v->reg[b]);
        break;
#ifdef LATER
    case 5:
        v->reg[a] = ~v->reg[b];
        break;
#endif
    default:
        vm_trap(v, 3);
        return -1;
    }
    return 1;
}
