/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "base/buf.h"
#include "ir/ir.h"
#include "ir/machine.h"

struct printer {
    struct buf *out;
    const struct ir_block *b;
    const struct ir_machine *machine;
    const struct ir_pures *pures;
};

/* Constants are shown in place, everything else by its number. */
static void put_value(const struct printer *p, ir_val v)
{
    if (v == IR_NONE) {
        buf_puts(p->out, "-");
        return;
    }
    if (v < p->b->ninsn && p->b->insn[v].op == IR_CONST) {
        const struct ir_insn *i = &p->b->insn[v];
        struct bits x = bits_u64(ir_imm(i->a, i->b), 64);
        if (i->width > 64 && i->a < p->b->nwide)
            x = p->b->wide[i->a];
        char text[160];
        bits_format_hex(x, i->width, text, sizeof text);
        buf_printf(p->out, "%s:%u", text, i->width);
        return;
    }
    buf_printf(p->out, "%%%u", v);
}

static void put_register(const struct printer *p, unsigned offset, unsigned width)
{
    const char *name = p->machine ? machine_register_name(p->machine, offset, width) : NULL;
    if (name) {
        buf_puts(p->out, name);
        return;
    }
    for (unsigned i = 0; p->machine && i < p->machine->nreg; i++) {
        const struct machine_register *r = &p->machine->reg[i];
        if (offset >= r->offset && offset + (width + 7) / 8 <= r->offset + r->width / 8u) {
            unsigned lo = (offset - r->offset) * 8;
            buf_printf(p->out, "%s[%u:%u]", r->name, lo + width - 1, lo);
            return;
        }
    }
    buf_printf(p->out, "reg(%u):%u", offset, width);
}

static void put_args(const struct printer *p, uint32_t first, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (k)
            buf_puts(p->out, ", ");
        put_value(p, first + k < p->b->narg ? p->b->arg[first + k] : IR_NONE);
    }
}

static void put_ranges(const struct printer *p, const char *word, const struct ir_range *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        buf_printf(p->out, "%s", i ? ", " : word);
        put_register(p, r[i].offset, r[i].bytes * 8);
    }
}

static void put_space(const struct printer *p, unsigned space, unsigned width)
{
    struct ir_space s;
    if (!space)
        buf_puts(p->out, "mem");
    else if (p->machine && machine_space(p->machine, space, &s))
        buf_puts(p->out, s.name);
    else
        buf_printf(p->out, "mem%u", space);
    buf_printf(p->out, ":%u[", width);
}

static const char *exit_name(unsigned kind)
{
    switch (kind) {
    case IR_EXIT_JUMP: return "goto";
    case IR_EXIT_TRAP:
    case IR_EXIT_DIVISION:
    case IR_EXIT_QUOTIENT:
    case IR_EXIT_MISALIGNED:
        return "trap at";
    case IR_EXIT_CALL: return "call";
    default: return "return";
    }
}

static unsigned value_width(const struct printer *p, ir_val v)
{
    return v < p->b->ninsn ? p->b->insn[v].width : 0;
}

static void put_event(const struct printer *p, const struct ir_event *e)
{
    buf_printf(p->out, "event %s(", e->name);
    put_args(p, e->args, e->nargs);
    buf_puts(p->out, ")");
    if (e->guard != IR_NONE) {
        buf_puts(p->out, " if ");
        put_value(p, e->guard);
    }
    put_ranges(p, " reads ", e->reads, e->nreads);
    put_ranges(p, " writes ", e->writes, e->nwrites);
    if (e->mem_read || e->mem_write) {
        buf_printf(p->out, "%s%s mem[", e->mem_read ? " reads" : "", e->mem_write ? " writes" : "");
        put_value(p, e->mem_addr);
        buf_printf(p->out, "..+%u]", e->mem_bytes);
    }
}

static void put_insn(const struct printer *p, const struct ir_insn *i)
{
    struct buf *out = p->out;
    if (i->op < OP_COUNT_) {
        const uint32_t v[] = {i->a, i->b, i->c, i->d};
        buf_printf(out, "%s ", op_info[i->op].name);
        for (unsigned k = 0; k < op_info[i->op].arity; k++) {
            if (k)
                buf_puts(out, ", ");
            put_value(p, v[k]);
        }
        if (i->op == OP_EXTRACT)
            buf_printf(out, ", %u..%u", i->b + i->width - 1, i->b);
        return;
    }
    switch ((enum ir_op)i->op) {
    case IR_GET:
        put_register(p, i->a, i->width);
        break;
    case IR_PUT:
        put_register(p, i->a, value_width(p, i->b));
        buf_puts(out, " = ");
        put_value(p, i->b);
        break;
    case IR_LOAD:
        put_space(p, i->d, i->width);
        put_value(p, i->a);
        buf_puts(out, "]");
        if (i->b != IR_NONE) {
            buf_puts(out, " if ");
            put_value(p, i->b);
            buf_puts(out, " else ");
            put_value(p, i->c);
        }
        break;
    case IR_STORE:
        put_space(p, i->d, value_width(p, i->b));
        put_value(p, i->a);
        buf_puts(out, "] = ");
        put_value(p, i->b);
        if (i->c != IR_NONE) {
            buf_puts(out, " if ");
            put_value(p, i->c);
        }
        break;
    case IR_PURE:
        if (p->pures && i->a < p->pures->count)
            buf_printf(out, "%s(", p->pures->table[i->a].name);
        else
            buf_printf(out, "pure%u(", i->a);
        put_args(p, i->b, i->c);
        buf_puts(out, ")");
        break;
    case IR_EVENT:
        put_event(p, &p->b->event[i->a]);
        break;
    case IR_UNKNOWN: {
        const struct ir_unknown *u = &p->b->unknown[i->a];
        buf_printf(out, "unknown \"%s\"", u->text ? u->text : "");
        if (u->all_registers)
            buf_puts(out, " writes all registers");
        put_ranges(p, " writes ", u->writes, u->nwrites);
        if (u->mem_write)
            buf_puts(out, " writes mem");
        break;
    }
    case IR_EXIT: {
        ir_label label = ir_imm(i->b, i->c);
        buf_puts(out, "if ");
        put_value(p, i->a);
        buf_printf(out, " %s", exit_name(i->exit));
        if (label != IR_NO_LABEL)
            buf_printf(out, " 0x%llx", (unsigned long long)label);
        break;
    }
    default:
        buf_printf(out, "op%u", i->op);
        break;
    }
}

static void put_destination(const struct printer *p, const struct ir_end *e)
{
    if (e->label != IR_NO_LABEL)
        buf_printf(p->out, "0x%llx", (unsigned long long)e->label);
    else
        put_value(p, e->next);
}

static void put_end(const struct printer *p, const struct ir_end *e)
{
    switch ((enum ir_end_kind)e->kind) {
    case IR_END_JUMP:
        buf_puts(p->out, "goto ");
        put_destination(p, e);
        break;
    case IR_END_CALL:
        buf_puts(p->out, "call ");
        put_destination(p, e);
        if (e->nargs) {
            buf_puts(p->out, "(");
            put_args(p, e->args, e->nargs);
            buf_puts(p->out, ")");
        }
        break;
    case IR_END_RET:
        buf_puts(p->out, "return");
        if (e->next != IR_NONE) {
            buf_puts(p->out, " to ");
            put_destination(p, e);
        }
        break;
    case IR_END_SYSCALL: buf_puts(p->out, "syscall"); break;
    case IR_END_TRAP: buf_puts(p->out, "trap"); break;
    case IR_END_THROW:
        buf_puts(p->out, "throw ");
        put_value(p, e->next);
        break;
    case IR_END_UNKNOWN: buf_puts(p->out, "unknown code"); break;
    }
    if (e->after != IR_NO_LABEL)
        buf_printf(p->out, ", then 0x%llx", (unsigned long long)e->after);
    if (e->unwinds)
        buf_printf(p->out, ", unwinds to 0x%llx", (unsigned long long)e->unwind);
}

static void put_line(const struct printer *p, uint32_t n)
{
    if (n == p->b->ninsn) {
        put_end(p, &p->b->end);
        return;
    }
    if (p->b->insn[n].width)
        buf_printf(p->out, "%%%u:%u = ", n, p->b->insn[n].width);
    if (p->b->insn[n].op == IR_CONST)
        put_value(p, n);
    else
        put_insn(p, &p->b->insn[n]);
}

void ir_print_insn(struct buf *out, const struct ir_block *b, uint32_t n, const struct ir_machine *machine,
                   const struct ir_pures *pures)
{
    put_line(&(struct printer){out, b, machine, pures}, n);
}

void ir_print_block(struct buf *out, const struct ir_block *b, const struct ir_machine *machine, const struct ir_pures *pures)
{
    struct printer p = {out, b, machine, pures};
    buf_printf(out, "block 0x%llx (%u bytes)\n", (unsigned long long)b->label, b->bytes);
    uint32_t mark = 0;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        for (; mark < b->nmark && b->mark[mark].first <= i; mark++)
            buf_printf(out, "  0x%llx:\n", (unsigned long long)b->mark[mark].address);
        if (b->insn[i].op == IR_CONST)
            continue;
        buf_puts(out, "    ");
        put_line(&p, i);
        buf_putc(out, '\n');
    }
    for (; mark < b->nmark; mark++)
        buf_printf(out, "  0x%llx:\n", (unsigned long long)b->mark[mark].address);
    buf_puts(out, "    ");
    put_line(&p, b->ninsn);
    buf_putc(out, '\n');
}
