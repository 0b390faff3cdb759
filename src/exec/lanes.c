/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/lanes.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct lanes {
    const struct ir_machine *machine;
    struct ir_pures pures;
    uint8_t *regs;    /* one register file behind the other */
    uint64_t *value;  /* of the block being run: LANES for each instruction */
    size_t nvalue;
    unsigned lane[LANES]; /* those of the set */
    bool gone[LANES];     /* by a side exit; by place in the set */
    unsigned n, left;
};

struct lanes *lanes_new(const struct ir_machine *m, struct ir_pures pures)
{
    struct lanes *l = xcalloc(1, sizeof *l);
    l->machine = m;
    l->pures = pures;
    l->regs = xcalloc(LANES, m->file_size);
    return l;
}

void lanes_free(struct lanes *l)
{
    if (!l)
        return;
    free(l->regs);
    free(l->value);
    free(l);
}

void lanes_reset(struct lanes *l)
{
    memset(l->regs, 0, (size_t)LANES * l->machine->file_size);
}

static uint8_t *place(const struct lanes *l, unsigned lane, unsigned offset)
{
    return l->regs + (size_t)lane * l->machine->file_size + offset;
}

/* The register file is little-endian, whatever the host is. */
static uint64_t word_get(const uint8_t *at, unsigned bytes)
{
    uint64_t x = 0;
    uint32_t most;
    if (bytes == sizeof most) {
        memcpy(&most, at, sizeof most);
        return le32toh(most);
    }
    for (unsigned i = 0; i < bytes; i++)
        x |= (uint64_t)at[i] << 8 * i;
    return x;
}

static void word_put(uint8_t *at, unsigned bytes, uint64_t x)
{
    if (bytes == sizeof(uint32_t)) {
        uint32_t most = htole32((uint32_t)x);
        memcpy(at, &most, sizeof most);
        return;
    }
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(x >> 8 * i);
}

void lanes_set(struct lanes *l, unsigned lane, unsigned offset, unsigned width, uint64_t value)
{
    assert(lane < LANES && width <= 64 && offset + (width + 7) / 8 <= l->machine->file_size);
    word_put(place(l, lane, offset), (width + 7) / 8, value & word_ones(width));
}

uint64_t lanes_get(const struct lanes *l, unsigned lane, unsigned offset, unsigned width)
{
    assert(lane < LANES && width <= 64 && offset + (width + 7) / 8 <= l->machine->file_size);
    return word_get(place(l, lane, offset), (width + 7) / 8) & word_ones(width);
}

/* ---- what can be run ---- */

static bool fits(const struct ir_block *b, const uint32_t *operand, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (b->insn[operand[k]].width > 64)
            return false;
    return true;
}

static bool is_plain(const struct lanes *l, const struct ir_block *b, const struct ir_insn *i)
{
    if (i->width > 64)
        return false;
    if (i->op < OP_COUNT_) {
        const uint32_t operand[] = {i->a, i->b, i->c, i->d};
        const struct op_info *op = &op_info[i->op];
        return op->shape <= OP_SHAPE_COUNT && fits(b, operand, op->arity);
    }
    switch ((enum ir_op)i->op) {
    case IR_CONST:
    case IR_GET: return true;
    case IR_PUT: return b->insn[i->b].width <= 64;
    case IR_PURE: return l->pures.table[i->a].eval && fits(b, &b->arg[i->b], i->c);
    case IR_EXIT: return i->exit == IR_EXIT_JUMP;
    default: return false;
    }
}

static bool can_run(const struct lanes *l, const struct ir_block *b)
{
    for (uint32_t n = 0; n < b->ninsn; n++)
        if (!is_plain(l, b, &b->insn[n]))
            return false;
    return b->end.kind == IR_END_JUMP || b->end.kind == IR_END_CALL || b->end.kind == IR_END_RET;
}

/* ---- running ---- */

static uint64_t *value_of(const struct lanes *l, ir_val v)
{
    return l->value + (size_t)v * LANES;
}

static void get(struct lanes *l, const struct ir_insn *i, uint64_t *out)
{
    unsigned bytes = (i->width + 7u) / 8;
    uint64_t mask = word_ones(i->width);
    for (unsigned k = 0; k < l->n; k++)
        out[k] = word_get(place(l, l->lane[k], i->a), bytes) & mask;
}

static void put(struct lanes *l, const struct ir_block *b, const struct ir_insn *i)
{
    unsigned bytes = (b->insn[i->b].width + 7u) / 8;
    const uint64_t *x = value_of(l, i->b);
    for (unsigned k = 0; k < l->n; k++)
        if (!l->gone[k])
            word_put(place(l, l->lane[k], i->a), bytes, x[k]);
}

static void pure(struct lanes *l, const struct ir_block *b, const struct ir_insn *i, uint64_t *out)
{
    struct bits arg[PURE_MAX_ARGS] = {{{0}}};
    for (unsigned k = 0; k < l->n; k++) {
        for (uint32_t a = 0; a < i->c; a++)
            arg[a].w[0] = value_of(l, b->arg[i->b + a])[k];
        out[k] = bits_low(l->pures.table[i->a].eval(arg)) & word_ones(i->width);
    }
}

static void leave(struct lanes *l, const struct ir_insn *i, ir_label *next)
{
    const uint64_t *condition = value_of(l, i->a);
    for (unsigned k = 0; k < l->n; k++)
        if (condition[k] && !l->gone[k]) {
            next[l->lane[k]] = ir_imm(i->b, i->c);
            l->gone[k] = true;
            l->left--;
        }
}

static void run_insn(struct lanes *l, const struct ir_block *b, uint32_t n, ir_label *next)
{
    const struct ir_insn *i = &b->insn[n];
    uint64_t *out = value_of(l, n);
    if (i->op < OP_COUNT_) {
        const uint32_t operand[] = {i->a, i->b, i->c, i->d};
        const uint64_t *arg[OP_MAX_ARITY];
        unsigned width[OP_MAX_ARITY];
        for (unsigned k = 0; k < op_info[i->op].arity; k++) {
            arg[k] = value_of(l, operand[k]);
            width[k] = b->insn[operand[k]].width;
        }
        bool known = bits_apply_words((enum op)i->op, i->width, arg, width, i->op == OP_EXTRACT ? i->b : 0, l->n, out);
        assert(known);
        (void)known;
        return;
    }
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        for (unsigned k = 0; k < l->n; k++)
            out[k] = ir_imm(i->a, i->b) & word_ones(i->width);
        break;
    case IR_GET: get(l, i, out); break;
    case IR_PUT: put(l, b, i); break;
    case IR_PURE: pure(l, b, i, out); break;
    default: leave(l, i, next); break;
    }
}

bool lanes_run_block(struct lanes *l, const struct ir_block *b, uint64_t set, ir_label *next)
{
    if (!can_run(l, b))
        return false;
    if (l->nvalue < b->ninsn) {
        l->nvalue = b->ninsn * 2;
        l->value = xreallocarray(l->value, l->nvalue * LANES, sizeof *l->value);
    }
    for (l->n = 0; set; set &= set - 1)
        l->lane[l->n++] = (unsigned)__builtin_ctzll(set);
    l->left = l->n;
    memset(l->gone, 0, sizeof l->gone);
    for (uint32_t n = 0; n < b->ninsn && l->left; n++)
        run_insn(l, b, n, next);
    for (unsigned k = 0; k < l->n; k++)
        if (!l->gone[k])
            next[l->lane[k]] = b->end.label != IR_NO_LABEL ? b->end.label
                               : b->end.next != IR_NONE    ? value_of(l, b->end.next)[k]
                                                           : IR_NO_LABEL;
    return true;
}
