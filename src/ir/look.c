/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a block's own code says of its values: which of them are the same, and which lie on the stack. */
#include "ir/ir.h"
#include "ir/machine.h"

static bool overlap(uint32_t x, uint32_t bytes, uint32_t y, uint32_t more)
{
    return x < y + more && y < x + bytes;
}

static bool any_overlaps(const struct ir_range *r, unsigned n, uint32_t offset, uint32_t bytes)
{
    for (unsigned k = 0; k < n; k++)
        if (overlap(r[k].offset, r[k].bytes, offset, bytes))
            return true;
    return false;
}

/* Whether the instruction writes any of the register's bytes. *value is what is there then; IR_NONE: nothing
 * that is a value of the block. */
static bool writes(const struct ir_block *b, const struct ir_insn *in, uint32_t offset, uint32_t bytes,
                   ir_val *value)
{
    *value = IR_NONE;
    if (in->op == IR_PUT) {
        const unsigned width = b->insn[in->b].width;
        if (in->a == offset && width == bytes * 8)
            *value = in->b;
        return overlap(in->a, (width + 7) / 8, offset, bytes);
    }
    if (in->op == IR_EVENT)
        return any_overlaps(b->event[in->a].writes, b->event[in->a].nwrites, offset, bytes);
    if (in->op == IR_UNKNOWN) {
        const struct ir_unknown *u = &b->unknown[in->a];
        return u->all_registers || any_overlaps(u->writes, u->nwrites, offset, bytes);
    }
    return false;
}

/* Through registers that the block has set. *own: what is left is no register that something else has
 * changed. */
static ir_val resolve(const struct ir_block *b, ir_val v, bool *own)
{
    *own = true;
    for (uint32_t i = v; b->insn[v].op == IR_GET && i-- > 0;) {
        ir_val value;
        if (!writes(b, &b->insn[i], b->insn[v].a, (b->insn[v].width + 7u) / 8, &value))
            continue;
        *own = value != IR_NONE;
        if (!*own)
            break;
        v = i = value;
    }
    return v;
}

ir_val ir_same_value(const struct ir_block *b, ir_val v)
{
    bool own;
    return resolve(b, v, &own);
}

ir_val ir_value_at_end(const struct ir_block *b, unsigned offset, unsigned width)
{
    ir_val value;
    for (uint32_t i = b->ninsn; i-- > 0;)
        if (writes(b, &b->insn[i], offset, width / 8, &value))
            return value == IR_NONE ? value : ir_same_value(b, value);
    return IR_NONE;
}

bool ir_on_stack(const struct ir_block *b, ir_val v, const struct ir_machine *m, int64_t *offset)
{
    *offset = 0;
    for (;;) {
        bool own;
        v = resolve(b, v, &own);
        const struct ir_insn *in = &b->insn[v];
        if (in->op == IR_GET)
            return own && in->a == m->sp && in->width == m->pointer_width;
        if ((in->op != OP_ADD && in->op != OP_SUB) || in->width > 64 || b->insn[in->b].op != IR_CONST)
            return false;
        const struct ir_insn *by = &b->insn[in->b];
        int64_t n = in->width == 32 ? (int32_t)by->a : (int64_t)ir_imm(by->a, by->b);
        *offset += in->op == OP_ADD ? n : -n;
        v = in->a;
    }
}
