/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/table.h"

#include <string.h>

#include "flow/sym.h"

enum {
    ENTRIES_MAX = 4096,
    SHAPE_ENTRIES_MAX = 256, /* without a comparison: an index of a byte at most */
    NODES_MAX = 96,
    BACK_MAX = 6,
    STEPS_MAX = 96,
    CONDS_MAX = 24,
};

struct search {
    struct builder *b;
    struct values *v;
    struct jump_answer *answer;
    unsigned steps;
};

/* What holds on the way walked so far, at the entry of the block reached. */
struct conds {
    struct {
        sym cond;
        bool truth;
    } at[CONDS_MAX];
    unsigned n;
};

/* The nodes of an expression, operands before what uses them. False when there are too many. */
static bool collect(const struct values *v, sym x, sym *node, unsigned *n, unsigned depth)
{
    for (unsigned i = 0; i < *n; i++) {
        if (node[i] == x)
            return true;
    }
    const struct sym_node *s = value_node(v, x);
    if (depth > NODES_MAX)
        return false;
    const sym arg[3] = {s->a, s->b, s->c};
    for (unsigned i = 0; i < 3; i++) {
        if (arg[i] != SYM_NONE && !collect(v, arg[i], node, n, depth + 1))
            return false;
    }
    if (*n == NODES_MAX)
        return false;
    node[(*n)++] = x;
    return true;
}

/* True when x is a function of var, constants and memory alone. */
static bool closed(const struct values *v, sym x, sym var)
{
    if (x == var)
        return true;
    const struct sym_node *n = value_node(v, x);
    if (n->op == SYM_CONST)
        return true;
    if (n->op == SYM_LOAD)
        return closed(v, n->a, var);
    if (n->op >= OP_COUNT_)
        return false;
    return closed(v, n->a, var) && (n->b == SYM_NONE || closed(v, n->b, var)) &&
           (n->c == SYM_NONE || closed(v, n->c, var));
}

static bool valid_target(const struct builder *b, ir_label label, bool strict)
{
    uint64_t address = label_address(b->p, label);
    switch (b->p->machine->arch) {
    case MACHINE_ARM64:
        if (address & 3)
            return false;
        break;
    case MACHINE_ARM:
        if (!(label & 1) && (address & 3))
            return false;
        break;
    default:
        break;
    }
    if (!program_is_code(b->p, address))
        return false;
    return (address >= b->lo && address < b->hi) || (!strict && builder_owns(b, address));
}

/* Evaluates the destination for every value in the range; false, with nothing added, when one is not code. */
static bool enumerate(struct search *s, sym dest, sym var, struct range r, bool strict)
{
    size_t before = s->answer->dest.len;
    unsigned width = value_node(s->v, var)->width;
    for (uint64_t i = 0; i < r.count; i++) {
        uint64_t number = (r.start + i) & word_ones(width), to;
        if (!value_eval(s->v, dest, var, number, &to) || !valid_target(s->b, to, strict)) {
            s->answer->dest.len = before;
            return false;
        }
        vec_push(&s->answer->dest, (struct jump_dest){to, number});
    }
    return true;
}

/* Where the table is: the load whose address depends on the index. */
static void note_table(struct search *s, const sym *node, unsigned n, sym var, uint64_t first)
{
    for (unsigned i = n; i-- > 0;) {
        const struct sym_node *x = value_node(s->v, node[i]);
        uint64_t at;
        if (x->op != SYM_LOAD || node[i] == var || value_is_const(s->v, x->a, NULL) ||
            !value_eval(s->v, x->a, var, first, &at))
            continue;
        s->answer->entry_size = x->width / 8;
        s->answer->table = at >= s->b->lo && at < s->b->hi ? 0 : at;
        return;
    }
}

/* The end of the data object that a table without a comparison lies in, as a number of entries. */
static uint64_t entries_by_symbol(const struct search *s, sym dest, sym var)
{
    sym node[NODES_MAX];
    unsigned n = 0;
    if (!collect(s->v, dest, node, &n, 0))
        return 0;
    for (unsigned i = n; i-- > 0;) {
        const struct sym_node *x = value_node(s->v, node[i]);
        uint64_t a0, a1, offset;
        if (x->op != SYM_LOAD || node[i] == var || !value_eval(s->v, x->a, var, 0, &a0) ||
            !value_eval(s->v, x->a, var, 1, &a1) || a1 - a0 != x->width / 8u)
            continue;
        const struct object_symbol *o = object_symbol_at(s->b->p->object, a0, &offset);
        if (!o || o->type != SYMBOL_OBJECT || offset >= o->size)
            return 0;
        return (o->size - offset) / (x->width / 8);
    }
    return 0;
}

/* The values of x where the jump is, from comparisons; *compared says that there were any. */
static struct range range_here(struct search *s, uint32_t bb, sym x, const struct conds *c, bool at_end,
                               bool *compared)
{
    unsigned width = value_node(s->v, x)->width;
    struct range shape = value_shape_range(s->v, x);
    struct range r = at_end ? value_range_at_end(s->v, bb, x) : value_range(s->v, bb, x);
    for (unsigned j = 0; j < c->n; j++)
        r = range_both(width, r, value_range_if(s->v, c->at[j].cond, c->at[j].truth, x));
    *compared = r.count != 0 && (r.count != shape.count || shape.count <= 2);
    /* The upper bits of something that was compared as a whole. */
    const struct sym_node n = *value_node(s->v, x);
    uint64_t by = n.lo;
    if (!*compared && ((n.op == OP_LSHR && value_is_const(s->v, n.b, &by) && by < width) ||
                       (n.op == OP_EXTRACT && by + width == value_node(s->v, n.a)->width))) {
        struct range whole = range_here(s, bb, n.a, c, at_end, compared);
        if (*compared && whole.start + whole.count > whole.start)
            r = (struct range){whole.start >> by,
                               ((whole.start + whole.count - 1) >> by) - (whole.start >> by) + 1};
    }
    return range_both(width, r, shape);
}

static bool try_here(struct search *s, uint32_t bb, sym dest, const struct conds *c, bool at_end)
{
    sym node[NODES_MAX];
    unsigned n = 0;
    if (!collect(s->v, dest, node, &n, 0))
        return false;
    for (unsigned i = 0; i < n; i++) {
        sym x = node[i];
        struct sym_node k = *value_node(s->v, x);
        if (x == dest || k.op == SYM_CONST || k.op == OP_ZEXT || k.op == OP_SEXT || k.width > 64 ||
            (k.op == OP_ADD && value_is_const(s->v, k.b, NULL)) || !closed(s->v, dest, x))
            continue;
        bool compared;
        struct range r = range_here(s, bb, x, c, at_end, &compared);
        /* The lower half was compared, or a part of that; the rest is zero from the time it was set. */
        for (unsigned bits = 32; bits >= 8; bits /= 2) {
            bool part_compared;
            if (bits >= k.width)
                continue;
            sym low = value_op(s->v, OP_EXTRACT, bits, x, SYM_NONE, SYM_NONE, 0);
            struct range part = range_here(s, bb, low, c, at_end, &part_compared);
            if (!part_compared || !part.count || (r.count && part.count >= r.count) ||
                !value_fits(s->v, bb, x, bits))
                continue;
            r = part;
            compared = true;
        }
        uint64_t most = compared ? ENTRIES_MAX : SHAPE_ENTRIES_MAX;
        if (r.count == 0 || r.count > most) {
            uint64_t entries = entries_by_symbol(s, dest, x);
            if (entries == 0 || entries > ENTRIES_MAX)
                continue;
            r = (struct range){0, entries};
            compared = false;
        }
        if (enumerate(s, dest, x, r, !compared)) {
            note_table(s, node, n, x, r.start & word_ones(k.width));
            return true;
        }
    }
    return false;
}

static void add_conds(struct search *s, const struct pred *p, struct conds *c)
{
    const struct ir_block *x = &s->b->bb.data[p->bb].b;
    uint32_t end = p->insn == UINT32_MAX ? x->ninsn : p->insn + 1;
    for (uint32_t i = 0; i < end && c->n < CONDS_MAX; i++) {
        if (x->insn[i].op != IR_EXIT)
            continue;
        c->at[c->n].cond = value_of(s->v, p->bb, x->insn[i].a);
        c->at[c->n++].truth = i == p->insn;
    }
}

/* Where several things vary, one may be a base that is set once and kept in a register or frame slot. */
static sym settle(struct search *s, uint32_t bb, sym dest)
{
    sym node[NODES_MAX];
    unsigned n = 0, leaves = 0;
    if (!collect(s->v, dest, node, &n, 0))
        return dest;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < n; i++) {
            const struct sym_node *k = value_node(s->v, node[i]);
            bool slot = k->op == SYM_LOAD && value_is_frame(s->v, k->a, NULL);
            if (!slot && k->op != SYM_REG)
                continue;
            if (pass == 0)
                leaves++;
            else
                dest = value_settle(s->v, bb, dest, node[i]);
        }
        if (leaves < 2)
            break;
    }
    return dest;
}

static bool walk(struct search *s, uint32_t bb, sym dest, const struct conds *c, unsigned depth)
{
    uint64_t constant;
    if (value_is_const(s->v, dest, &constant)) {
        if (!valid_target(s->b, constant, false))
            return false;
        vec_push(&s->answer->dest, (struct jump_dest){constant, 0});
        return true;
    }
    if (try_here(s, bb, dest, c, depth == 0))
        return true;
    sym settled = settle(s, bb, dest);
    if (settled != dest && try_here(s, bb, settled, c, depth == 0))
        return true;
    const struct pred *pred;
    size_t n = value_preds(s->v, bb, &pred);
    if (depth == BACK_MAX || n == 0 || bb == 0)
        return false;
    struct conds here = *c;
    if (depth == 0)
        add_conds(s, &(struct pred){bb, EDGE_JUMP, UINT32_MAX}, &here);
    size_t before = s->answer->dest.len;
    for (size_t i = 0; i < n; i++) {
        if (s->steps == 0)
            break;
        s->steps--;
        struct conds over = {.n = here.n};
        for (unsigned j = 0; j < here.n; j++) {
            over.at[j].cond = value_back(s->v, here.at[j].cond, &pred[i]);
            over.at[j].truth = here.at[j].truth;
        }
        add_conds(s, &pred[i], &over);
        sym there = value_back(s->v, dest, &pred[i]);
        if (value_node(s->v, there)->op == SYM_TOP || !walk(s, pred[i].bb, there, &over, depth + 1)) {
            s->answer->dest.len = before;
            return false;
        }
    }
    return s->answer->dest.len > before;
}

/* Some load's address is a place in the file plus the index, and not just an offset from a pointer. */
static bool reads_table(const struct search *s, const sym *node, unsigned n, sym var)
{
    for (unsigned i = 0; i < n; i++) {
        const struct sym_node *x = value_node(s->v, node[i]);
        uint64_t at;
        if (x->op == SYM_LOAD && node[i] != var && value_eval(s->v, x->a, var, 0, &at) && at >= 4096)
            return true;
    }
    return false;
}

/* An index into a table of places in this very function, only without a bound. */
static bool looks_like_table(const struct search *s, sym dest)
{
    sym node[NODES_MAX];
    unsigned n = 0;
    if (!collect(s->v, dest, node, &n, 0))
        return true;
    /* A sum of two things that vary: pointers to functions are loaded, not computed. */
    const struct sym_node *top = value_node(s->v, dest);
    if (top->op == OP_ADD && !value_is_const(s->v, top->b, NULL))
        return true;
    for (unsigned i = 0; i < n; i++) {
        const struct sym_node *k = value_node(s->v, node[i]);
        if (node[i] == dest || k->op == SYM_CONST || k->width > 64 || !closed(s->v, dest, node[i]) ||
            !reads_table(s, node, n, node[i]))
            continue;
        for (uint64_t number = 0; number < 16; number++) {
            uint64_t to;
            if (value_eval(s->v, dest, node[i], number, &to) && label_address(s->b->p, to) != s->b->entry &&
                valid_target(s->b, to, true))
                return true;
        }
    }
    return false;
}

static bool is_return(const struct builder *b, const struct values *v, sym dest, bool sp_back, int64_t sp)
{
    /* Bit 0 of a destination only says Thumb. */
    const struct sym_node *n = value_node(v, dest);
    while (n->op == OP_AND || n->op == OP_OR) {
        if (!value_is_const(v, n->b, NULL))
            return false;
        n = value_node(v, n->a);
    }
    if (n->op == SYM_LR0)
        return true;
    int64_t slot;
    if (n->op != SYM_LOAD || !value_is_frame(v, n->a, &slot) || !sp_back)
        return false;
    if (b->p->machine->call_pushes)
        return slot == 0 && sp == (int64_t)b->p->machine->call_pushes;
    return sp == 0 && slot < 0;
}

void table_resolve(struct builder *b, struct values *v, uint32_t bb, struct jump_answer *answer)
{
    const struct ir_block *x = &b->bb.data[bb].b;
    struct search s = {b, v, answer, STEPS_MAX};
    answer->kind = JUMP_UNKNOWN;
    if (x->end.next == IR_NONE)
        return;
    sym dest = value_of(v, bb, x->end.next);
    struct conds none = {.n = 0};
    int64_t sp = 0;
    bool sp_known = value_is_frame(
        v, value_register(v, bb, UINT32_MAX, b->p->machine->sp, b->p->machine->pointer_width), &sp);
    if (is_return(b, v, dest, sp_known, sp)) {
        answer->kind = JUMP_RETURN;
        return;
    }
    uint64_t constant;
    if (value_is_const(v, dest, &constant)) {
        uint32_t f = program_index_at(b->p, label_address(b->p, constant));
        if (f != NO_INDEX && f != b->index && !(b->p->function.data[f].flags & FLOW_PART)) {
            answer->kind = JUMP_TAIL;
            answer->target = label_address(b->p, constant);
            return;
        }
    }
    if (walk(&s, bb, dest, &none, 0)) {
        answer->kind = JUMP_TABLE;
        return;
    }
    const struct sym_node *n = value_node(v, dest);
    uint64_t slot;
    if (n->op == SYM_LOAD && value_is_const(v, n->a, &slot)) {
        const struct object_stub *stub = object_stub_at(b->p->object, slot);
        if (stub) {
            answer->kind = JUMP_TAIL;
            answer->name = stub->name;
            answer->target = stub->target && !stub->ifunc ? stub->target : stub->name ? slot : 0;
            return;
        }
    }
    if (sp_known && sp == 0 && !looks_like_table(&s, dest))
        answer->kind = JUMP_TAIL;
}
