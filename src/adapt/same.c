/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two functions of one file with the same code: whatever it does, the one stands in for the other. Addresses
 * in the two may differ only where control goes on from there; all others are the same. */
#include <string.h>

#include "adapt/internal.h"

enum { BLOCKS_MAX = 2000 };

struct pair {
    ir_label x, y;
};

struct comparing {
    struct guest guest;
    uint64_t from[2], size;
    struct map seen; /* places in the first */
    VEC(struct pair) open;
};

/* The same place, or the same in each of the functions: that has to be compared, too. */
static bool corresponds(struct comparing *c, uint64_t x, uint64_t y)
{
    return x == y || (x - c->from[0] < c->size && y - c->from[1] == x - c->from[0]);
}

static bool goes_on(struct comparing *c, ir_label x, ir_label y)
{
    if (x == y || x == IR_NO_LABEL || y == IR_NO_LABEL)
        return x == y;
    if (!corresponds(c, x, y))
        return false;
    if (map_get(&c->seen, x, NULL))
        return true;
    map_set(&c->seen, x, 1);
    vec_push(&c->open, (struct pair){x, y});
    return true;
}

static bool is_moved(const struct ir_block *x, const struct ir_block *y, ir_val v)
{
    return x->insn[v].op == IR_CONST && memcmp(&x->insn[v], &y->insn[v], sizeof x->insn[v]) != 0;
}

/* Nothing is written between there and the block's call, and the call leads to another function, which has no use for the address
 * but to return to it. */
static bool calls_from_here(const struct comparing *c, const struct ir_block *b, uint32_t n)
{
    const struct ir_machine *m = program_machine(c->guest.p);
    for (uint32_t i = n + 1; i < b->ninsn; i++)
        if (b->insn[i].op == IR_STORE || (b->insn[i].op == IR_PUT && b->insn[i].a == m->lr))
            return false;
    return b->end.kind == IR_END_CALL && b->end.label - c->from[0] - 1 >= c->size - 1;
}

/* No value that the instruction computes with is an address in the function. */
static bool computes_alike(const struct comparing *c, const struct ir_block *x, const struct ir_block *y,
                           uint32_t n)
{
    const struct ir_insn *i = &x->insn[n];
    const struct ir_machine *m = program_machine(c->guest.p);
    const uint32_t operand[] = {i->a, i->b, i->c, i->d};
    if (i->op < OP_COUNT_) {
        for (unsigned k = 0; k < op_info[i->op].arity; k++)
            if (is_moved(x, y, operand[k]))
                return false;
        return true;
    }
    switch ((enum ir_op)i->op) {
    case IR_CONST:
    case IR_GET:
    case IR_EXIT:
        return true;
    case IR_PUT: /* where it is, or where a callee returns to */
        return !is_moved(x, y, i->b) || i->a == m->pc || (i->a == m->lr && calls_from_here(c, x, n));
    case IR_LOAD:
        return !is_moved(x, y, i->a) && (i->c == IR_NONE || !is_moved(x, y, i->c));
    case IR_STORE:
        return !is_moved(x, y, i->a) &&
               (!is_moved(x, y, i->b) || (m->call_pushes && calls_from_here(c, x, n) &&
                                          ir_imm(x->insn[i->b].a, x->insn[i->b].b) == x->end.after));
    case IR_PURE:
        for (uint32_t k = 0; k < i->c; k++)
            if (is_moved(x, y, x->arg[i->b + k]))
                return false;
        return true;
    default:
        return false;
    }
}

static bool same_insn(struct comparing *c, const struct ir_block *x, const struct ir_block *y, uint32_t n)
{
    const struct ir_insn *i = &x->insn[n], *k = &y->insn[n];
    if (i->op != k->op || i->exit != k->exit || i->width != k->width)
        return false;
    if (i->op == IR_CONST)
        return i->c == k->c &&
               (i->width <= 64 ? corresponds(c, ir_imm(i->a, i->b), ir_imm(k->a, k->b)) : i->a == k->a);
    if (i->op == IR_EXIT)
        return i->a == k->a && goes_on(c, ir_imm(i->b, i->c), ir_imm(k->b, k->c));
    return i->a == k->a && i->b == k->b && i->c == k->c && i->d == k->d && computes_alike(c, x, y, n);
}

static bool same_block(struct comparing *c, const struct ir_block *x, const struct ir_block *y)
{
    const struct ir_end *e = &x->end, *f = &y->end;
    if (x->ninsn != y->ninsn || x->narg != y->narg || x->nwide != y->nwide || x->nevent || y->nevent ||
        x->nunknown || y->nunknown || e->kind != f->kind || e->kind == IR_END_UNKNOWN || e->next != f->next ||
        e->unwinds || f->unwinds || e->nargs || f->nargs ||
        (x->narg && memcmp(x->arg, y->arg, x->narg * sizeof *x->arg) != 0))
        return false;
    for (uint32_t i = 0; i < x->nwide; i++)
        if (!bits_eq(x->wide[i], y->wide[i]))
            return false;
    for (uint32_t i = 0; i < x->ninsn; i++)
        if (!same_insn(c, x, y, i))
            return false;
    return goes_on(c, e->label, f->label) && goes_on(c, e->after, f->after);
}

/* What is thrown through it is looked up by where it is. */
static bool has_handlers(const struct adapt_code *c)
{
    return object_handlers(program_object(c->p), c->f->address) != NULL;
}

static bool same_code(const struct adapt_code *x, const struct adapt_code *y)
{
    const uint64_t bias = UINT64_C(0x556a) << 32; /* no number is an address */
    if (x->p != y->p || x->fragment || y->fragment || x->f->size != y->f->size || !x->f->size ||
        program_machine(x->p)->pointer_width != 64 ||
        object_info(program_object(x->p))->type == OBJECT_EXECUTABLE ||
        has_handlers(x) || has_handlers(y))
        return false;
    struct comparing c = {.size = x->f->size};
    guest_init(&c.guest, x->p, bias);
    c.from[0] = guest_label(&c.guest, x->f);
    c.from[1] = guest_label(&c.guest, y->f);
    bool same = goes_on(&c, c.from[0], c.from[1]);
    for (size_t i = 0; same && i < c.open.len; i++) {
        const struct ir_block *b = guest_block(&c.guest, c.open.data[i].x, 0),
                              *d = guest_block(&c.guest, c.open.data[i].y, 0);
        same = b && d && i < BLOCKS_MAX && same_block(&c, b, d);
    }
    map_free(&c.seen);
    vec_free(&c.open);
    guest_free(&c.guest);
    return same;
}

static bool takes_words(const struct object_function_debug *d, unsigned width)
{
    for (size_t i = 0; i < d->nparams; i++)
        if (!d->param[i].type || !modes_plain(d->param[i].type, width))
            return false;
    return !d->variadic;
}

bool same_function(const struct adapt_code *x, const struct adapt_code *y, unsigned width)
{
    const struct object_function_debug *d = modes_debug(x), *e = modes_debug(y);
    return !adapt_is_chosen(x) && !adapt_is_chosen(y) && d && e && d->nparams == e->nparams &&
           d->nparams <= program_machine(x->p)->nargs && takes_words(d, width) && takes_words(e, width) &&
           !modes_float(x) && !modes_float(y) && same_code(x, y);
}
