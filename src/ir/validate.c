/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>

#include "base/buf.h"
#include "ir/ir.h"
#include "ir/machine.h"

enum { MAX_COMPLAINTS = 8 };

struct validator {
    const struct ir_block *b;
    const struct ir_machine *machine;
    const struct ir_pures *pures;
    struct buf *why;
    uint32_t i; /* instruction looked at; b->ninsn for the end */
    unsigned complaints;
};

static const char *insn_name(unsigned op)
{
    static const char *const names[] = {"const", "get", "put", "load", "store", "pure", "event", "unknown", "exit"};
    if (op < OP_COUNT_)
        return op_info[op].name;
    return op < IR_OP_COUNT_ ? names[op - OP_COUNT_] : "?";
}

__attribute__((format(printf, 2, 3))) static void complain(struct validator *v, const char *fmt, ...)
{
    if (v->complaints++ >= MAX_COMPLAINTS || !v->why)
        return;
    if (v->i < v->b->ninsn)
        buf_printf(v->why, "insn %u (%s): ", v->i, insn_name(v->b->insn[v->i].op));
    else
        buf_puts(v->why, "end: ");
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(v->why, fmt, ap);
    va_end(ap);
    buf_putc(v->why, '\n');
}

/* The width of an operand, 0 (with a complaint) when it is not a value defined before. */
static unsigned operand(struct validator *v, ir_val x, const char *what)
{
    if (x >= v->i || !v->b->insn[x].width) {
        complain(v, "%s is not a value defined before", what);
        return 0;
    }
    return v->b->insn[x].width;
}

static void expect(struct validator *v, ir_val x, unsigned width, const char *what)
{
    unsigned w = operand(v, x, what);
    if (w && w != width)
        complain(v, "%s has width %u, not %u", what, w, width);
}

static void check_operator(struct validator *v, const struct ir_insn *i)
{
    static const char *const place[] = {"operand a", "operand b", "operand c", "operand d"};
    const uint32_t arg[] = {i->a, i->b, i->c, i->d};
    unsigned width[OP_MAX_ARITY];
    for (unsigned k = 0; k < op_info[i->op].arity; k++)
        if (!(width[k] = operand(v, arg[k], place[k])))
            return;
    const char *wrong = op_check((enum op)i->op, i->width, width, i->op == OP_EXTRACT ? i->b : 0);
    if (wrong)
        complain(v, "%s", wrong);
}

static void check_range(struct validator *v, uint32_t offset, uint32_t bytes)
{
    if (v->machine && (offset > v->machine->file_size || bytes > v->machine->file_size - offset))
        complain(v, "bytes %u..%u are outside the register file of %u", offset, offset + bytes, v->machine->file_size);
}

static void check_args(struct validator *v, uint32_t first, uint32_t n)
{
    if (first > v->b->narg || n > v->b->narg - first) {
        complain(v, "argument list reaches past its table");
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        operand(v, v->b->arg[first + k], "argument");
}

static void check_access(struct validator *v, const struct ir_insn *i, unsigned width, ir_val guard)
{
    struct ir_space s = {.cell_width = 8};
    bool known = v->machine && machine_space(v->machine, i->d, &s);
    if (v->machine && !known)
        complain(v, "no memory space %u", i->d);
    if (width % s.cell_width)
        complain(v, "access of %u bits to cells of %u", width, s.cell_width);
    if (known)
        expect(v, i->a, s.index_width, "address");
    else
        operand(v, i->a, "address");
    if (guard != IR_NONE)
        expect(v, guard, 1, "guard");
}

static void check_pure(struct validator *v, const struct ir_insn *i)
{
    check_args(v, i->b, i->c);
    if (!v->pures)
        return;
    if (i->a >= v->pures->count) {
        complain(v, "no pure function %u", i->a);
        return;
    }
    const struct pure *f = &v->pures->table[i->a];
    if (f->width != i->width || f->nargs != i->c)
        complain(v, "%s has width %u and %u arguments", f->name, f->width, f->nargs);
    for (uint32_t k = 0; k < f->nargs && k < i->c && i->b + k < v->b->narg; k++)
        expect(v, v->b->arg[i->b + k], f->arg_width[k], "argument");
}

static void check_event(struct validator *v, const struct ir_insn *i)
{
    if (i->a >= v->b->nevent) {
        complain(v, "no event %u", i->a);
        return;
    }
    const struct ir_event *e = &v->b->event[i->a];
    if (!e->name)
        complain(v, "event without a name");
    check_args(v, e->args, e->nargs);
    if (e->guard != IR_NONE)
        expect(v, e->guard, 1, "guard");
    if (e->mem_read || e->mem_write)
        operand(v, e->mem_addr, "memory address");
    for (unsigned k = 0; k < e->nreads; k++)
        check_range(v, e->reads[k].offset, e->reads[k].bytes);
    for (unsigned k = 0; k < e->nwrites; k++)
        check_range(v, e->writes[k].offset, e->writes[k].bytes);
}

static void check_insn(struct validator *v, const struct ir_insn *i)
{
    if (i->op < OP_COUNT_) {
        check_operator(v, i);
        return;
    }
    bool defines = i->op == IR_CONST || i->op == IR_GET || i->op == IR_LOAD || i->op == IR_PURE;
    if (defines ? i->width < 1 || i->width > OP_MAX_WIDTH : i->width && i->op != IR_EVENT)
        complain(v, "result of width %u", i->width);
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        if (i->width > 64 ? i->a >= v->b->nwide : i->width < 64 && ir_imm(i->a, i->b) >> i->width)
            complain(v, "constant does not fit its width");
        break;
    case IR_GET:
        if (i->width != 1 && i->width % 8)
            complain(v, "register access of %u bits", i->width);
        check_range(v, i->a, (i->width + 7u) / 8);
        break;
    case IR_PUT: {
        unsigned w = operand(v, i->b, "value");
        if (w != 1 && w % 8)
            complain(v, "register access of %u bits", w);
        check_range(v, i->a, (w + 7) / 8);
        break;
    }
    case IR_LOAD:
        check_access(v, i, i->width, i->b);
        if (i->b != IR_NONE)
            expect(v, i->c, i->width, "alternative");
        break;
    case IR_STORE:
        check_access(v, i, operand(v, i->b, "value"), i->c);
        break;
    case IR_PURE:
        check_pure(v, i);
        break;
    case IR_EVENT:
        check_event(v, i);
        break;
    case IR_UNKNOWN:
        if (i->a >= v->b->nunknown)
            complain(v, "no unknown effect %u", i->a);
        else
            for (unsigned k = 0; k < v->b->unknown[i->a].nwrites; k++)
                check_range(v, v->b->unknown[i->a].writes[k].offset, v->b->unknown[i->a].writes[k].bytes);
        break;
    case IR_EXIT:
        expect(v, i->a, 1, "condition");
        if (i->exit > IR_EXIT_RET)
            complain(v, "exit of kind %u", i->exit);
        break;
    default:
        complain(v, "instruction number %u", i->op);
        break;
    }
}

static void check_end(struct validator *v, const struct ir_end *e)
{
    if (e->kind > IR_END_UNKNOWN)
        complain(v, "end of kind %u", e->kind);
    bool goes = e->kind == IR_END_JUMP || e->kind == IR_END_CALL;
    if (goes && e->next == IR_NONE && e->label == IR_NO_LABEL)
        complain(v, "no destination");
    if (e->kind == IR_END_THROW) {
        unsigned width = operand(v, e->next, "object");
        if (v->machine && width && width != v->machine->throws)
            complain(v, "object has width %u, not %u", width, v->machine->throws);
    } else if (e->next != IR_NONE) {
        if (v->machine)
            expect(v, e->next, v->machine->pointer_width, "destination");
        else
            operand(v, e->next, "destination");
    }
    check_args(v, e->args, e->nargs);
    if (e->unwinds && e->kind != IR_END_CALL)
        complain(v, "only a call has a handler");
    if (e->unwinds && v->machine && e->caught_width != v->machine->throws)
        complain(v, "an object of width %u is caught, not %u", e->caught_width, v->machine->throws);
    if (e->unwinds)
        check_range(v, e->caught, (e->caught_width + 7u) / 8);
}

bool ir_validate(const struct ir_block *b, const struct ir_machine *machine, const struct ir_pures *pures, struct buf *why)
{
    struct validator v = {b, machine, pures, why, 0, 0};
    for (; v.i < b->ninsn; v.i++)
        check_insn(&v, &b->insn[v.i]);
    check_end(&v, &b->end);
    for (uint32_t m = 0; m < b->nmark; m++)
        if (b->mark[m].first > b->ninsn || (m && b->mark[m].first < b->mark[m - 1].first))
            complain(&v, "instruction mark %u is out of order", m);
    return v.complaints == 0;
}
