/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Return instructions that are jumps, and calls whose return address nobody returns to. Compilers make both
 * where the processor must not guess the destination of a jump (retpolines):
 *
 *     call 1f; 2: pause; lfence; jmp 2b; 1: mov %r11,(%rsp); ret     jumps to %r11
 *     call 1f; 2: pause; lfence; jmp 2b; 1: lea 8(%rsp),%rsp; ret    returns
 *
 * No name is looked at: what a short block does with the word on top of the stack says it. */
#include <string.h>

#include "base/alloc.h"
#include "flow/private.h"

enum { INSNS_MAX = 4 };

/* Where a block's return instruction gets its destination. */
struct source {
    ir_val value;   /* what the block itself has put there; IR_NONE: it did not */
    bool stack;     /* from the stack: */
    int64_t offset; /* the place, counted from the stack pointer at the block's entry */
};

static struct source source_of(const struct ir_machine *m, const struct ir_block *b)
{
    struct source s = {.value = ir_same_value(b, b->end.next)};
    const struct ir_insn *in = &b->insn[s.value];
    while ((in->op == OP_AND || in->op == OP_OR) && b->insn[in->b].op == IR_CONST) { /* Thumb or not */
        s.value = ir_same_value(b, in->a);
        in = &b->insn[s.value];
    }
    if (in->op != IR_LOAD)
        return s;
    ir_val load = s.value;
    s.value = IR_NONE;
    s.stack = in->d == 0 && ir_on_stack(b, in->a, m, &s.offset);
    for (ir_val i = load; s.stack && i-- > 0;) {
        int64_t at;
        if (b->insn[i].op != IR_STORE || b->insn[i].d != 0 || !ir_on_stack(b, b->insn[i].a, m, &at))
            continue;
        const unsigned width = b->insn[b->insn[i].b].width;
        if (at >= s.offset + in->width / 8 || s.offset >= at + width / 8)
            continue;
        /* what is there in part is like what is loaded from elsewhere */
        const bool whole = b->insn[i].c == IR_NONE && at == s.offset && width == in->width;
        s.value = whole ? ir_same_value(b, b->insn[i].b) : load;
        break;
    }
    return s;
}

bool over_is_jump(const struct ir_machine *m, const struct ir_block *b)
{
    if (b->end.kind != IR_END_RET || b->end.next == IR_NONE)
        return false;
    struct source s = source_of(m, b);
    if (s.value == IR_NONE)
        return false;
    const struct ir_insn *in = &b->insn[s.value];
    return in->op == IR_CONST || in->op == IR_LOAD || (in->op == IR_GET && in->a != m->lr);
}

/* Most code is neither and need not be lifted to see that: it begins with no call, and returns later if at
 * all. */
static bool may_be_over(const uint8_t *bytes, size_t n)
{
    enum { CALL = 0xe8, RET = 0xc3, RET_POPS = 0xc2, BYTES_MAX = 24 };
    n = n < BYTES_MAX ? n : BYTES_MAX;
    return n && (bytes[0] == CALL || memchr(bytes, RET, n) || memchr(bytes, RET_POPS, n));
}

static bool lift_short(struct program *p, ir_label label, struct arena *arena, struct ir_block *b)
{
    size_t available = 0;
    const uint8_t *bytes = object_bytes(p->object, label, &available);
    if (!bytes || !program_is_code(p, label) || !may_be_over(bytes, available))
        return false;
    lift_block(p->lifter, label, bytes, available, INSNS_MAX, arena, b);
    return true;
}

/* The block, which a call leads to, does not return to behind that call. */
static bool drops_return(const struct ir_machine *m, const struct ir_block *b)
{
    if (b->end.kind != IR_END_RET)
        return false;
    struct source s = source_of(m, b);
    return s.stack && s.offset >= 0 && (s.offset > 0 || s.value != IR_NONE);
}

enum over_kind over_kind(struct program *p, ir_label label, uint16_t *reg)
{
    const struct ir_machine *m = p->machine;
    if (!m->call_pushes || label == IR_NO_LABEL)
        return OVER_NONE;
    struct arena arena = ARENA_INIT;
    struct ir_block first, to;
    enum over_kind kind = OVER_NONE;
    const bool lifted = lift_short(p, label, &arena, &first);
    if (lifted && drops_return(m, &first)) {
        kind = OVER_CALL;
    } else if (lifted && first.end.kind == IR_END_CALL && first.nmark == 1 &&
               first.end.label != IR_NO_LABEL && lift_short(p, first.end.label, &arena, &to) &&
               drops_return(m, &to)) {
        struct source s = source_of(m, &to);
        kind = OVER_CODE;
        if (s.value != IR_NONE && s.offset == 0 && to.nmark == 2 && to.insn[s.value].op == IR_GET &&
            to.insn[s.value].a != m->sp && to.insn[s.value].width == m->pointer_width) {
            *reg = (uint16_t)to.insn[s.value].a;
            kind = OVER_REGISTER;
        }
    }
    arena_free(&arena);
    return kind;
}

void over_call_register(struct ir_block *b, uint16_t reg, unsigned width, struct arena *arena)
{
    struct ir_insn *insn = arena_array(arena, struct ir_insn, b->ninsn + 1);
    memcpy(insn, b->insn, b->ninsn * sizeof *insn);
    insn[b->ninsn] = (struct ir_insn){.op = IR_GET, .width = (uint16_t)width, .a = reg};
    b->insn = insn;
    b->end.next = b->ninsn++;
    b->end.label = IR_NO_LABEL;
}
