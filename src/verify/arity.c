/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a call passes to a function whose prototype nobody knows.
 *
 * All registers that can carry arguments are taken to be passed, so that nothing that is an argument goes
 * without being compared. When two calls differ in one it is asked what that register was set for. A value
 * that is put there on every way to the call and goes nowhere else was SURELY set for the callee. One that
 * nobody set, or an earlier callee left there, is UNSET. Of anything else, such as a value that is also
 * stored, tested or computed with, it is POSSIBLE that it is an argument. The same tells whether a register
 * is a result: whether on every way to a return it is surely set for that. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { DEPTH_MAX = 6 };

int arity_told(void *ctx, const char *name)
{
    const struct side *s = ctx;
    const struct verify_knowledge *know = s->c->opt->know;
    for (size_t i = 0; name && know && i < know->nprototypes; i++)
        if (strcmp(know->prototype[i].name, name) == 0) {
            know->prototype[i].used = true;
            if (know->prototype[i].nargs >= 0 && !know->prototype[i].variadic)
                return know->prototype[i].nargs;
        }
    return -1;
}

int arity_of(void *ctx, const char *name, uint64_t site)
{
    (void)name;
    (void)site;
    const struct side *s = ctx;
    const struct ir_machine *m = program_machine(s->p);
    /* Where arguments are on the stack only the engine sees them. */
    return m->nargs ? (int)m->nargs : -1;
}

static bool is_resized(const struct ir_insn *in)
{
    return in->op == OP_ZEXT || in->op == OP_SEXT || in->op == OP_EXTRACT;
}

/* The value that another is but for its width. */
static ir_val root_of(const struct ir_block *b, ir_val v)
{
    while (is_resized(&b->insn[v]))
        v = b->insn[v].a;
    return v;
}

static bool is_comparison(unsigned op)
{
    return op == OP_EQ || op == OP_ULT || op == OP_ULE || op == OP_SLT || op == OP_SLE;
}

/* What the block leaves in the register, and (unless NULL) where it puts it there; IR_NONE: it does not. */
static ir_val last_put(const struct ir_block *b, unsigned reg, uint32_t *at)
{
    for (uint32_t i = b->ninsn; i-- > 0;)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == reg) {
            if (at)
                *at = i;
            return b->insn[i].b;
        }
    return IR_NONE;
}

/* Which instruction of the machine it belongs to. */
static uint32_t mark_of(const struct ir_block *b, uint32_t insn)
{
    uint32_t k = 0;
    while (k + 1 < b->nmark && b->mark[k + 1].first <= insn)
        k++;
    return k;
}

/* The value is what a register held at the block's beginning, with something added. */
static bool is_based_on(const struct ir_block *b, ir_val v, unsigned reg)
{
    while (b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB || b->insn[v].op == OP_AND)
        v = b->insn[b->insn[v].a].op == IR_CONST ? b->insn[v].b : b->insn[v].a;
    return b->insn[v].op == IR_GET && b->insn[v].a == reg;
}

/* An address in the frame, as far as the block shows it. */
static bool in_frame(const struct ir_machine *m, const struct ir_block *b, ir_val v)
{
    return is_based_on(b, v, m->sp) || is_based_on(b, v, m->fp);
}

/* The instruction stores to a part of the frame that the function does not read: somebody else does. */
static bool stores_for_others(const struct side *s, const struct ir_block *b, uint32_t insn)
{
    uint64_t at;
    if (!s || !b->nmark || !map_get(&s->c->access[s->new], b->mark[mark_of(b, insn)].address << 8, &at))
        return false;
    return !frame_is_read(s->c, s->new, (int64_t)at >> 8, at & 0xff);
}

/* A value is stored, computed with or used as an address from instruction `from` on: were it another, that
 * would show. */
static bool shows(const struct side *s, const struct ir_machine *m, const struct ir_block *b, ir_val root,
                  uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (is_resized(in) || is_comparison(in->op))
            continue;
        unsigned n = in->op < OP_COUNT_                        ? op_info[in->op].arity
                     : in->op == IR_LOAD || in->op == IR_STORE ? 2
                                                               : 0;
        if (in->op == IR_LOAD)
            n = 1;
        /* nobody sees what is put into the frame to be read again */
        if (in->op == IR_STORE && in_frame(m, b, in->a) && !stores_for_others(s, b, i))
            continue;
        for (unsigned k = 0; k < n; k++)
            if (arg[k] != IR_NONE && root_of(b, arg[k]) == root)
                return true;
    }
    /* Nor is it an argument where it is what is called. */
    return s && b->end.next != IR_NONE && root_of(b, b->end.next) == root;
}

static bool is_constant(const struct ir_block *b, ir_val v, struct ir_insn k)
{
    const struct ir_insn *in = &b->insn[root_of(b, v)];
    enum { WIDE = 64 };
    if (in->op == IR_CONST && in->width > WIDE && k.width > WIDE)
        return bits_eq(b->wide[in->a], b->wide[k.a]);
    return in->op == IR_CONST && in->width <= WIDE && k.width <= WIDE &&
           ir_imm(in->a, in->b) == ir_imm(k.a, k.b);
}

/* A constant like that is stored to memory in the block: it may have been put there for that. */
static bool uses_constant(const struct ir_block *b, struct ir_insn k)
{
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_STORE && is_constant(b, b->insn[i].b, k))
            return true;
    return false;
}

/* ... or something is found by it: a table of where to go on, in the code. */
static bool is_base(const struct ir_block *b, struct ir_insn k)
{
    enum { ADDRESS_MIN = 0x1000 };
    for (uint32_t i = 0; i < b->ninsn && ir_imm(k.a, k.b) >= ADDRESS_MIN; i++)
        if (b->insn[i].op == OP_ADD && (is_constant(b, b->insn[i].a, k) || is_constant(b, b->insn[i].b, k)))
            return true;
    return false;
}

/* ... or selected. */
static bool selects_constant(const struct ir_block *b, struct ir_insn k)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == OP_ITE && in->width >= 32 && (is_constant(b, in->b, k) || is_constant(b, in->c, k)))
            return true;
    }
    return false;
}

static bool is_compared(const struct ir_block *b, ir_val root)
{
    for (uint32_t i = root + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (is_comparison(in->op) && (root_of(b, in->a) == root || root_of(b, in->b) == root))
            return true;
        if (in->op == IR_EXIT && root_of(b, in->a) == root)
            return true;
    }
    return false;
}

/* Another part of what an instruction computed goes elsewhere: a remainder beside a quotient, the upper half
 * of a product. */
static bool is_split(const struct ir_block *b, ir_val root, ir_val put)
{
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].b != put && b->insn[b->insn[i].b].op == OP_EXTRACT &&
            root_of(b, b->insn[i].b) == root)
            return true;
    return false;
}

/* Condition codes are made of it, which nobody looks at behind a return. */
static bool is_for_codes(const struct ir_machine *m, const struct ir_block *b, const struct ir_insn *put)
{
    const char *name = machine_register_name(m, put->a, b->insn[put->b].width);
    return b->end.kind == IR_END_RET && name && *name == '<';
}

/* The value is put elsewhere behind instruction `from`: it may have been on its way only. */
static bool is_copied(const struct ir_machine *m, const struct ir_block *b, ir_val root, uint32_t from)
{
    for (uint32_t i = from + 1; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && root_of(b, b->insn[i].b) == root && !is_for_codes(m, b, &b->insn[i]))
            return true;
    return false;
}

/* A copy is used where the register that it is of has something else in it already. */
static bool stands_in(const struct side *s, const struct ir_machine *m, const struct ir_block *b, ir_val root,
                      uint32_t copied)
{
    for (uint32_t i = copied + 1; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == b->insn[root].a && root_of(b, b->insn[i].b) != root)
            return shows(s, m, b, root, i + 1);
    return false;
}

/* What is in the register at the end of the block may be read somewhere behind it; `calls`: by callees, too.
 */
static bool is_read_behind(const struct side *s, uint32_t block, unsigned reg, bool calls)
{
    enum { BYTES = 4 };
    const struct flow_graph *g = s->g;
    const struct ir_machine *m = program_machine(s->p);
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    bool found = false, argument = false;
    for (unsigned i = 0; i < m->nargs; i++)
        argument = argument || m->arg[i] == reg;
    for (unsigned i = 0; i < m->nfargs; i++)
        argument = argument || m->farg[i] == reg;
    vec_push(&todo, block);
    for (bool own = true; todo.len && !found; own = false) {
        uint32_t at = vec_pop(&todo);
        const struct ir_block *b = &g->block[at];
        bool put = false;
        for (uint32_t i = 0; i < b->ninsn && !put && !found && !own; i++) {
            const struct ir_insn *in = &b->insn[i];
            found = in->op == IR_GET && in->a < reg + BYTES && reg < in->a + (in->width + 7u) / 8;
            put = in->op == IR_PUT && in->a == reg && b->insn[in->b].width >= BYTES * 8;
        }
        found = found || (!put && calls && argument && b->end.kind == IR_END_CALL);
        for (uint32_t i = g->first_edge[at]; i < g->first_edge[at + 1] && !put; i++)
            if (g->edge[i].kind != EDGE_RETURN && !seen[g->edge[i].to]) {
                seen[g->edge[i].to] = 1;
                vec_push(&todo, g->edge[i].to);
            }
    }
    vec_free(&todo);
    free(seen);
    return found;
}

/* Nobody but a callee looks at a copy, whichever way is taken. */
static bool is_for_callees(const struct side *s, const struct ir_machine *m, const struct ir_block *b,
                           unsigned reg, ir_val root, uint32_t copied)
{
    return s && reg != m->ret && reg != m->ret2 && !shows(s, m, b, root, copied + 1) &&
           !is_read_behind(s, (uint32_t)(b - s->g->block), reg, false);
}

/* What the block does to an argument register; ARITY_UNSET: nothing. `own`: the call is in the block itself.
 * `only`: a copy that may be used otherwise, too, is not surely made for it. */
static enum arity in_block(const struct side *s, const struct ir_machine *m, const struct ir_block *b,
                           unsigned reg, unsigned width, bool own, bool only)
{
    uint32_t last = 0;
    ir_val put = last_put(b, reg, &last);
    bool left = false; /* there is a way out behind it */
    for (uint32_t i = last; i < b->ninsn; i++)
        left = left || b->insn[i].op == IR_EXIT;
    if (put == IR_NONE) {
        for (uint32_t i = 0; i < b->ninsn; i++)
            if (b->insn[i].op == IR_GET && b->insn[i].a == reg && shows(s, m, b, i, i + 1))
                return ARITY_POSSIBLE;
        return ARITY_UNSET;
    }
    if (b->insn[put].width < width)
        return ARITY_POSSIBLE;
    /* Uses of a constant are not seen: elsewhere than right before the call it must be among the last things
     * done. */
    if (b->insn[put].op == IR_CONST) {
        for (uint32_t i = last; !own && i < b->ninsn; i++)
            if (b->insn[i].op < OP_COUNT_ || b->insn[i].op == IR_LOAD || b->insn[i].op == IR_STORE)
                return ARITY_POSSIBLE;
        return left || uses_constant(b, b->insn[put]) || (only && is_base(b, b->insn[put])) ||
                       (s && selects_constant(b, b->insn[put]))
                   ? ARITY_POSSIBLE
                   : ARITY_SURE;
    }
    ir_val root = root_of(b, put);
    /* A copy of another register is made for the callee, whatever else that register is used for. */
    if (b->insn[root].op == IR_GET && b->insn[root].a != reg)
        return (left && !is_for_callees(s, m, b, reg, root, last)) ||
                       (only && shows(s, m, b, root, last + 1)) || (s && stands_in(s, m, b, root, last))
                   ? ARITY_POSSIBLE
                   : ARITY_SURE;
    if (shows(s, m, b, root, root + 1) || is_split(b, root, put) || is_copied(m, b, root, last))
        return ARITY_POSSIBLE;
    return left || is_compared(b, root) ? ARITY_POSSIBLE : ARITY_SURE;
}

enum arity arity_in_block(const struct ir_machine *m, const struct ir_block *b, unsigned reg, unsigned width)
{
    return in_block(NULL, m, b, reg, width, true, false);
}

/* The value of a register was put there to be stored, compared, copied or used as an address. In code that is
 * not optimised that is all it was put there for, unless it happens in the block of the call itself: there an
 * assignment may be an argument as well. Compilers that set arguments last of all are told by those before
 * it, which are set after that use. */
static bool is_used_up(const struct side *s, const struct ir_block *b, unsigned reg, bool own)
{
    const struct ir_machine *m = program_machine(s->p);
    uint32_t last, used = 0;
    ir_val put = last_put(b, reg, &last);
    if (put == IR_NONE)
        return false;
    ir_val root = root_of(b, put);
    for (uint32_t i = root + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        bool one = (in->op == IR_LOAD || in->op == IR_STORE || is_comparison(in->op)) &&
                   (root_of(b, in->a) == root || (in->op != IR_LOAD && root_of(b, in->b) == root));
        if (one || (in->op == IR_PUT && i > last && in->a != reg && root_of(b, in->b) == root))
            used = i;
    }
    if (!used || !own)
        return used;
    for (unsigned k = 0; k < m->nargs && m->arg[k] != reg; k++)
        for (uint32_t i = used + 1; i < b->ninsn; i++)
            if (b->insn[i].op == IR_PUT && b->insn[i].a == m->arg[k]) {
                const struct ir_insn *v = &b->insn[root_of(b, b->insn[i].b)];
                if (v->op == IR_LOAD && (in_frame(m, b, v->a) || is_based_on(b, v->a, s->frame)))
                    return true;
            }
    return false;
}

/* For whom a register is set; ANEW: what a callee left there may be for it; ALONE: a copy counts only if
 * nothing else uses it. */
enum purpose { FOR_CALL, FOR_CALL_ANEW, FOR_RETURN, FOR_RETURN_ALONE };

static enum arity on_the_way(const struct side *s, uint32_t block, unsigned reg, unsigned width, bool passed,
                             enum purpose what, unsigned depth)
{
    const struct flow_graph *g = s->g;
    bool call = what == FOR_CALL || what == FOR_CALL_ANEW;
    enum arity here = in_block(call ? s : NULL, program_machine(s->p), &g->block[block], reg, width,
                               depth == DEPTH_MAX, what == FOR_RETURN_ALONE),
               all = ARITY_UNSET;
    if (here == ARITY_POSSIBLE && call && s->plain &&
        is_used_up(s, &g->block[block], reg, depth == DEPTH_MAX))
        return ARITY_UNSET;
    if (here != ARITY_UNSET)
        return here;
    if (!depth)
        return ARITY_POSSIBLE;
    /* At entry it is what the caller passed. */
    bool first = block == 0;
    if (first)
        all = passed ? ARITY_POSSIBLE : ARITY_UNSET;
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block || g->edge[e].from == block)
            continue;
        enum arity from = g->edge[e].kind == EDGE_RETURN
                              ? (what == FOR_CALL_ANEW ? ARITY_POSSIBLE : ARITY_UNSET)
                              : on_the_way(s, g->edge[e].from, reg, width, passed, what, depth - 1);
        if (first && all != from)
            all = ARITY_POSSIBLE;
        else if (!first)
            all = from;
        first = true;
    }
    return all;
}

const struct flow_call *side_call_at(const struct side *s, uint64_t site)
{
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].site == site)
            return &s->g->call[i];
    return NULL;
}

enum arity arity_at(const struct side *s, uint64_t site, unsigned a)
{
    const struct flow_call *k = side_call_at(s, site);
    return k ? on_the_way(s, k->block, program_machine(s->p)->arg[a], s->c->width, a < s->own && !s->reloads,
                          FOR_CALL, DEPTH_MAX)
             : ARITY_POSSIBLE;
}

bool arity_declared(void *ctx, const char *name, uint64_t site, struct flow_prototype *out)
{
    const struct side *s = ctx, *other = &s->c->side[!s->new];
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k = side_call_at(s, site);
    if (!k || !(s->c->opt->assume & VERIFY_ASSUME_ARGUMENTS) ||
        !flow_declared_prototype(other->p, other->f->address, name, out) || (unsigned)out->nargs >= m->nargs)
        return false;
    /* It may take more in this version than it was declared with in the other; on ARM something of two words
     * begins in every other register. */
    unsigned n = (unsigned)out->nargs, even = m->arch == MACHINE_ARM ? n + n % 2 : n;
    for (uint32_t i = 0; i < s->g->ncalls; i++) {
        const struct flow_call *l = &s->g->call[i];
        for (unsigned a = n; l->target == k->target && a < m->nargs; a++)
            if (arity_at(s, l->site, a) == ARITY_SURE ||
                ((a == n || a == even) && last_put(&s->g->block[l->block], m->arg[a], NULL) != IR_NONE))
                return false;
    }
    s->c->arity_used++;
    return true;
}

bool arity_used_up(const struct side *s, uint64_t site, unsigned a)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k = s->plain ? side_call_at(s, site) : NULL;
    bool result = m->arg[a] == m->ret || m->arg[a] == m->ret2;
    return k && on_the_way(s, k->block, m->arg[a], s->c->width, a < s->own && !s->reloads,
                           result ? FOR_CALL_ANEW : FOR_CALL, DEPTH_MAX) == ARITY_UNSET;
}

/* The block leaves the upper half of a product in the register, whose other half goes elsewhere, and where to
 * go on hangs on the upper half. Nobody chooses that register. */
static bool is_overflow(const struct ir_block *b, unsigned reg)
{
    ir_val put = last_put(b, reg, NULL);
    if (put == IR_NONE || b->insn[put].op != OP_EXTRACT)
        return false;
    ir_val root = root_of(b, put);
    const struct ir_insn *product = &b->insn[root];
    bool compared = false, left = false;
    for (uint32_t i = root; i < b->ninsn && product->op == OP_MUL; i++) {
        const struct ir_insn *in = &b->insn[i];
        /* the condition makes the product again */
        if (in->op == OP_MUL && in->width == product->width) {
            ir_val x = root_of(b, in->a), y = root_of(b, in->b), u = root_of(b, product->a),
                   v = root_of(b, product->b);
            if ((x == u && y == v) || (x == v && y == u))
                compared = compared || is_compared(b, i);
        }
        left = left || in->op == IR_EXIT;
    }
    return compared && left && is_split(b, root, put);
}

bool arity_overflow(const struct side *s, uint64_t site, unsigned a)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *k = side_call_at(s, site);
    if (m->arch != MACHINE_AMD64 || m->arg[a] != m->ret2 || !k)
        return false;
    uint32_t at = k->block;
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        uint32_t ways = 0, from = at;
        if (last_put(&s->g->block[at], m->arg[a], NULL) != IR_NONE)
            return is_overflow(&s->g->block[at], m->arg[a]);
        for (uint32_t e = 0; e < s->g->nedges; e++)
            if (s->g->edge[e].to == at) {
                ways += s->g->edge[e].kind == EDGE_RETURN ? 2 : 1;
                from = s->g->edge[e].from;
            }
        if (ways != 1 || at == 0)
            return false;
        at = from;
    }
    return false;
}

/* The block sets the register, or a part of it, for nothing else that is seen in the block; false if it does
 * not set it: then *set is false. */
static bool is_set_alone(const struct ir_machine *m, const struct ir_block *b, unsigned reg, unsigned width,
                         bool *set)
{
    uint32_t last = 0;
    *set = false;
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a >= reg && b->insn[i].a < reg + width / 8) {
            *set = true;
            last = i;
        }
    if (!*set || b->insn[last].a != reg)
        return *set;
    ir_val put = b->insn[last].b, root = root_of(b, put);
    if (b->insn[put].width < width)
        return false;
    /* Whatever else it is used for there, it is no more than a number. */
    if (b->insn[put].op == IR_CONST)
        return !uses_constant(b, b->insn[put]) && !is_base(b, b->insn[put]);
    if (is_compared(b, root))
        return false;
    if (b->insn[root].op == IR_GET && b->insn[root].a != reg)
        return !shows(NULL, m, b, root, last + 1);
    return !shows(NULL, m, b, root, root + 1) && !is_split(b, root, put) && !is_copied(m, b, root, last);
}

/* On every way to a return the register is set for nothing else, or it is left there behind a call with the
 * first one: that callee's result may be handed on. On some it is set. */
static bool is_set_or_handed_on(const struct side *s, unsigned reg, unsigned width)
{
    const struct flow_graph *g = s->g;
    const struct ir_machine *m = program_machine(s->p);
    uint8_t *seen = xcalloc(g->nblocks + 1, 1); /* 1: the first register is not set behind it, 2: it is */
    VEC(uint32_t) todo = VEC_INIT;
    bool any = false, ok = true;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (g->block[i].end.kind == IR_END_RET)
            vec_push(&todo, i << 1);
    while (todo.len && ok) {
        uint32_t at = vec_pop(&todo), block = at >> 1, first = at & 1;
        bool set, alone = is_set_alone(m, &g->block[block], reg, width, &set);
        if (seen[block] & 1 << first)
            continue;
        seen[block] |= (uint8_t)(1 << first);
        if (set) {
            any = true;
            ok = alone && !is_read_behind(s, block, reg, true);
            continue;
        }
        for (uint32_t i = 0; i < g->block[block].ninsn; i++)
            first = first || (g->block[block].insn[i].op == IR_PUT && g->block[block].insn[i].a == m->ret);
        ok = block != 0;
        for (uint32_t e = 0; e < g->nedges && ok; e++) {
            if (g->edge[e].to != block)
                continue;
            if (g->edge[e].kind == EDGE_RETURN)
                ok = !first;
            else
                vec_push(&todo, g->edge[e].from << 1 | first);
        }
    }
    vec_free(&todo);
    free(seen);
    return ok && any;
}

bool arity_result(const struct side *s, unsigned reg, unsigned width, bool alone)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < s->g->nblocks; i++)
        if (s->g->block[i].end.kind == IR_END_RET) {
            all = all && on_the_way(s, i, reg, width, false, alone ? FOR_RETURN_ALONE : FOR_RETURN,
                                    DEPTH_MAX) == ARITY_SURE;
            any = true;
        }
    return (all && any) || (alone && is_set_or_handed_on(s, reg, width));
}

bool arity_reloaded(const struct side *s, unsigned reg)
{
    bool all = true;
    for (uint32_t k = 0; k < s->g->nblocks && all; k++) {
        const struct ir_block *b = &s->g->block[k];
        if (b->end.kind != IR_END_RET)
            continue;
        ir_val put = last_put(b, reg, NULL);
        all = put != IR_NONE && b->insn[root_of(b, put)].op == IR_LOAD;
    }
    return all;
}

static bool is_stored(const struct ir_block *b, unsigned reg)
{
    ir_val put = last_put(b, reg, NULL);
    for (uint32_t i = 0; i < b->ninsn && put != IR_NONE; i++)
        if (b->insn[i].op == IR_STORE && root_of(b, b->insn[i].b) == root_of(b, put))
            return true;
    return false;
}

/* On some way to a return the register is surely set for it. `strictly`: it is not even put into the frame.
 */
static bool on_some_way(const struct side *s, unsigned reg, unsigned width, bool strictly)
{
    const struct flow_graph *g = s->g;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    bool found = false;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (g->block[i].end.kind == IR_END_RET)
            vec_push(&todo, i);
    while (todo.len && !found) {
        uint32_t at = vec_pop(&todo);
        if (seen[at])
            continue;
        seen[at] = 1;
        enum arity here = in_block(NULL, program_machine(s->p), &g->block[at], reg, width,
                                   g->block[at].end.kind == IR_END_RET, strictly);
        found = here == ARITY_SURE && !(strictly && is_stored(&g->block[at], reg));
        for (uint32_t e = 0; e < g->nedges && here == ARITY_UNSET; e++)
            if (g->edge[e].to == at && g->edge[e].kind != EDGE_RETURN)
                vec_push(&todo, g->edge[e].from);
    }
    vec_free(&todo);
    free(seen);
    return found;
}

bool arity_may_return(const struct side *s)
{
    return s->proto.returns && on_some_way(s, program_machine(s->p)->ret, 8, false);
}

bool arity_sets_result(const struct side *s)
{
    return on_some_way(s, program_machine(s->p)->ret, 32, true);
}

bool arity_odd_stack(const struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    for (uint32_t k = 0; k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            if (b->insn[i].op != IR_PUT || b->insn[i].a != m->sp)
                continue;
            ir_val v = b->insn[i].b;
            while (b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB || b->insn[v].op == OP_AND)
                v = b->insn[v].a;
            unsigned op = b->insn[v].op;
            if (op != OP_ITE && op != IR_GET && op != IR_LOAD)
                return true;
        }
    }
    return false;
}

/* A value is an operand of an instruction from `from` on. */
static bool is_operand(const struct ir_block *b, ir_val v, uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (in->op == IR_PURE || in->op == IR_EVENT || (in->op == IR_PUT && in->b == v))
            return true;
        unsigned n = in->op < OP_COUNT_                       ? op_info[in->op].arity
                     : in->op == IR_STORE                     ? 2
                     : in->op == IR_LOAD || in->op == IR_EXIT ? 1
                                                              : 0;
        for (unsigned k = 0; k < n; k++)
            if (arg[k] == v)
                return true;
    }
    return b->end.next == v;
}

/* On ARM a push that saves the return address takes registers along that nobody needs, to keep the stack
 * aligned. */
static bool is_saving_push(const struct ir_machine *m, const struct ir_block *b, uint32_t mark)
{
    bool link = false, moves = false;
    uint32_t end = mark + 1 < b->nmark ? b->mark[mark + 1].first : b->ninsn;
    for (uint32_t i = b->nmark ? b->mark[mark].first : end; i < end; i++) {
        const struct ir_insn *in = &b->insn[i];
        link = link || (in->op == IR_STORE && b->insn[in->b].op == IR_GET && b->insn[in->b].a == m->lr);
        moves = moves || (in->op == IR_PUT && in->a == m->sp);
    }
    return m->arch == MACHINE_ARM && link && moves;
}

static bool saves_return(const struct ir_machine *m, const struct ir_block *b, uint32_t insn)
{
    uint32_t k = mark_of(b, insn), end = k + 1 < b->nmark ? b->mark[k + 1].first : b->ninsn;
    return is_saving_push(m, b, k) && !is_operand(b, insn, end);
}

/* No parameter comes in the register of results. */
static bool returns_apart(const struct ir_machine *m)
{
    return !m->nargs || m->ret != m->arg[0];
}

/* x86: pushes the register of results, of which nobody expects anything there, to align the stack. */
static bool aligns_stack(const struct side *s, const struct ir_block *b, uint32_t insn)
{
    enum { PUSH_EAX = 0x50 };
    const struct ir_machine *m = program_machine(s->p);
    uint32_t k = mark_of(b, insn);
    uint8_t code;
    return (m->arch == MACHINE_X86 || m->arch == MACHINE_AMD64) && b->insn[insn].a == m->ret && b->nmark &&
           b->mark[k].length == 1 && object_read(s->o, b->mark[k].address, &code, 1) && code == PUSH_EAX;
}

/* The block ends in a call of a function that does not touch the register of results. */
static bool keeps_result(const struct side *s, uint32_t block)
{
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].block == block) {
            const struct flow_function *f = program_function_at(s->p, s->g->call[i].target);
            return f && flow_prototype(s->p, f).keeps_result;
        }
    return false;
}

/* The function reads the register as its caller left it. */
static bool reads_entry(const struct side *s, unsigned offset)
{
    const struct flow_graph *g = s->g;
    const struct ir_machine *m = program_machine(s->p);
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, 0);
    bool found = false;
    while (todo.len && !found) {
        uint32_t at = vec_pop(&todo);
        if (seen[at])
            continue;
        seen[at] = 1;
        const struct ir_block *b = &g->block[at];
        bool put = false;
        for (uint32_t i = 0; i < b->ninsn && !put && !found; i++) {
            const struct ir_insn *in = &b->insn[i];
            unsigned bytes = s->c->width / 8;
            if (in->op == IR_GET && in->a >= offset && in->a < offset + bytes)
                found = !saves_return(m, b, i) && !aligns_stack(s, b, i);
            else if (in->op == IR_PUT && in->a == offset)
                put = true;
        }
        bool kept = offset == m->ret && returns_apart(m) && keeps_result(s, at);
        if (put || (b->end.kind == IR_END_CALL && !kept))
            continue;
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++)
            vec_push(&todo, g->edge[e].to);
    }
    vec_free(&todo);
    free(seen);
    return found;
}

/* What is in the register at the end of the way was put there to decide where to go: code that is not
 * optimised loads the result in the block that returns. */
static bool decides_only(const struct side *s, const uint32_t *block, unsigned n, unsigned reg)
{
    for (unsigned k = n; s->plain && k-- > 0;) {
        const struct ir_block *b = &s->g->block[block[k]];
        ir_val put = last_put(b, reg, NULL);
        if (b->end.kind == IR_END_CALL)
            return false;
        if (put != IR_NONE)
            return k + 1 < n && is_compared(b, root_of(b, put));
    }
    return false;
}

bool arity_leaves_result(const struct side *s, const uint32_t *block, unsigned n, bool untouched)
{
    const struct ir_machine *m = program_machine(s->p);
    bool put = false;
    for (unsigned k = 0; k < n; k++)
        put = put || last_put(&s->g->block[block[k]], m->ret, NULL) != IR_NONE;
    if (untouched && !put)
        return returns_apart(m) ? !reads_entry(s, m->ret) : s->plain;
    return decides_only(s, block, n, m->ret);
}

/* The offset from the stack pointer at the block's beginning, when it is one. */
static bool stack_offset(const struct ir_machine *m, const struct ir_block *b, ir_val v, int64_t *off)
{
    *off = 0;
    for (; b->insn[v].op == OP_ADD || b->insn[v].op == OP_SUB; v = b->insn[v].a) {
        const struct ir_insn *k = &b->insn[b->insn[v].b];
        if (k->op != IR_CONST)
            return false;
        int64_t d = k->width == 32 ? (int32_t)k->a : (int64_t)ir_imm(k->a, k->b);
        *off += b->insn[v].op == OP_ADD ? d : -d;
    }
    return b->insn[v].op == IR_GET && b->insn[v].a == m->sp;
}

/* The instruction stores a word where it has moved the stack pointer to. `room` (or NULL): what lies
 * between that word and where the stack pointer was at the block's beginning. */
static bool is_push(const struct ir_machine *m, const struct ir_block *b, uint32_t mark, int64_t *room)
{
    bool stores = false, moves = false, known = false;
    int64_t off = 0;
    for (uint32_t i = b->mark[mark].first; i < (mark + 1 < b->nmark ? b->mark[mark + 1].first : b->ninsn);
         i++) {
        stores = stores || b->insn[i].op == IR_STORE;
        if (b->insn[i].op == IR_PUT && b->insn[i].a == m->sp)
            known = stack_offset(m, b, b->insn[i].b, &off), moves = true;
    }
    if (room && stores && moves)
        *room = known ? -off - m->pointer_width / 8 : 0;
    return stores && moves;
}

/* x86: the instruction pushes one of the accumulator and the two registers behind it as it is; *from: which.
 */
static bool is_plain_push(const struct side *s, const struct ir_block *b, uint32_t mark, unsigned *from)
{
    enum { PUSH_EAX = 0x50, PUSH_EDX = 0x52 };
    static const char *const name[][3] = {{"eax", "ecx", "edx"}, {"rax", "rcx", "rdx"}};
    const struct ir_machine *m = program_machine(s->p);
    uint8_t code;
    uint16_t at, width;
    if (b->mark[mark].length != 1 || !object_read(s->o, b->mark[mark].address, &code, 1) || code < PUSH_EAX ||
        code > PUSH_EDX ||
        !machine_register_find(m, name[m->arch == MACHINE_AMD64][code - PUSH_EAX], &at, &width))
        return false;
    *from = at;
    return true;
}

/* i386: the instruction that pushes argument i right before the call; false: there is none. */
static bool push_of(const struct side *s, const struct ir_block *b, unsigned i, uint32_t *mark)
{
    /* The last instruction is the call. */
    for (uint32_t k = b->nmark ? b->nmark - 1 : 0; k-- > 0;)
        if (is_push(program_machine(s->p), b, k, NULL) && i-- == 0) {
            *mark = k;
            return true;
        }
    return false;
}

bool arity_may_align(const struct side *s, uint64_t site, unsigned i)
{
    enum { ALIGNED = 16, WORD = 4 };
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *call = m->arch == MACHINE_X86 ? side_call_at(s, site) : NULL;
    const struct ir_block *b = call ? &s->g->block[call->block] : NULL;
    unsigned n = 0, from = 0, above = 0;
    uint32_t mark;
    int64_t room = 0; /* below where the stack pointer was in the beginning */
    if (!b || !push_of(s, b, i, &mark) || !is_plain_push(s, b, mark, &from))
        return false;
    if (call->block == 0)
        return true;
    /* What was pushed first aligns the stack, one word or the same several times, unless room was left. */
    bool same = push_of(s, b, i + 1, &mark) && is_plain_push(s, b, mark, &above) && above == from;
    for (uint32_t k = b->nmark - 1; k-- > 0;)
        n += is_push(m, b, k, &room);
    bool left = room > 0 && room < ALIGNED && (room + n * WORD) % ALIGNED == 0;
    return !left && (n == i + 1 || same);
}

/* The block ends in a call of what does mov (%esp), REG; ret: how i386 code learns where it lies. It changes
 * nothing else. */
static bool asks_for_place(const struct side *s, uint32_t block, unsigned reg)
{
    static const char *const name[] = {"eax", "ecx", "edx", "ebx", NULL, "ebp", "esi", "edi"};
    uint8_t code[4];
    uint16_t at, width;
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].block == block && s->g->call[i].target &&
            object_read(s->o, s->g->call[i].target, code, sizeof code) && code[0] == 0x8b &&
            (code[1] & 0xc7) == 0x04 && code[2] == 0x24 && code[3] == 0xc3 && name[code[1] >> 3 & 7])
            return machine_register_find(program_machine(s->p), name[code[1] >> 3 & 7], &at, &width) &&
                   at != reg;
    return false;
}

/* or $-1, REG is a short way to set all bits. */
static bool is_number(const struct ir_block *b, ir_val v, uint64_t *number)
{
    const struct ir_insn *in = &b->insn[v];
    bool all = in->op == OP_OR && b->insn[in->b].op == IR_CONST;
    const struct ir_insn *k = all ? &b->insn[in->b] : in;
    *number = k->op == IR_CONST ? ir_imm(k->a, k->b) : 0;
    return all ? (uint32_t)*number == UINT32_MAX : k->op == IR_CONST;
}

/* Whichever way the instruction is come to, the register was last set to a number; `one`: to the same one. */
static bool is_set_to_number(const struct side *s, uint32_t block, uint32_t mark, unsigned reg, bool one)
{
    const struct flow_graph *g = s->g;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    uint64_t number = 0, known;
    bool yes = true, any = false;
    vec_push(&todo, block);
    for (bool first = true; todo.len && yes; first = false) {
        uint32_t at = vec_pop(&todo);
        const struct ir_block *b = &g->block[at];
        if (seen[at])
            continue;
        seen[at] = !first; /* it may be come to again, from behind */
        ir_val put = IR_NONE;
        for (uint32_t i = first ? b->mark[mark].first : b->ninsn; i-- > 0 && put == IR_NONE;)
            if (b->insn[i].op == IR_PUT && b->insn[i].a == reg)
                put = b->insn[i].b;
        if (put != IR_NONE) {
            yes = is_number(b, put, &known) && (!one || !any || known == number);
            number = known;
            any = true;
            continue;
        }
        yes = at != 0;
        for (uint32_t e = 0; e < g->nedges && yes; e++)
            if (g->edge[e].to == at) {
                yes = g->edge[e].kind != EDGE_RETURN || asks_for_place(s, g->edge[e].from, reg);
                vec_push(&todo, g->edge[e].from);
            }
    }
    vec_free(&todo);
    free(seen);
    return yes && any;
}

/* The function makes room of one or two words by subtracting: then it does not do so by pushing. */
static bool makes_room(const struct side *s)
{
    for (uint32_t k = 0; k < s->g->nblocks; k++)
        for (uint32_t i = 0; i < s->g->block[k].nmark; i++) {
            static const uint8_t one[] = {0x83, 0xec, 4}, two[] = {0x83, 0xec, 8}; /* sub $4, %esp */
            const struct ir_mark *at = &s->g->block[k].mark[i];
            uint8_t code[sizeof one];
            if (at->length == sizeof code && object_read(s->o, at->address, code, sizeof code) &&
                (memcmp(code, one, sizeof code) == 0 || memcmp(code, two, sizeof code) == 0))
                return true;
        }
    return false;
}

bool arity_aligns(const struct side *s, uint64_t site, unsigned from, unsigned to)
{
    enum { GROUP = 4 }; /* words that the stack is aligned to */
    const struct flow_call *call = program_machine(s->p)->arch == MACHINE_X86 ? side_call_at(s, site) : NULL;
    unsigned first = 0, reg;
    uint32_t mark = 0;
    if (!call || from >= to || to % GROUP || to - from >= GROUP || makes_room(s))
        return false;
    const struct ir_block *b = &s->g->block[call->block];
    for (unsigned i = from; i < to; i++) {
        if (!push_of(s, b, i, &mark) || !is_plain_push(s, b, mark, &reg) || (i > from && reg != first))
            return false;
        first = reg;
    }
    return is_set_to_number(s, call->block, mark, first, to - from == 1);
}

bool arity_only_fills(const struct side *s, uint64_t site)
{
    const struct ir_machine *m = program_machine(s->p);
    for (uint32_t k = 0; k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->nmark; i++)
            if (b->mark[i].address == site)
                return is_saving_push(m, b, i);
    }
    return false;
}

/* x86: the block is an instruction that stores again and again. */
static bool is_repeated_store(const struct side *s, const struct ir_block *b)
{
    enum { REPEAT = 0xf3, WIDE = 0x48, MOVS = 0xa4, STOS = 0xaa };
    uint8_t code[3];
    if (b->nmark != 1 || !object_read(s->o, b->mark[0].address, code, sizeof code) || code[0] != REPEAT)
        return false;
    uint8_t op = code[1] == WIDE ? code[2] : code[1];
    return (op & ~1) == MOVS || (op & ~1) == STOS;
}

/* What such an instruction stores to is put into the register for that before it, and it is in the frame. */
static bool begins_in_frame(const struct side *s, uint32_t block, unsigned to)
{
    const struct flow_graph *g = s->g;
    const struct ir_machine *m = program_machine(s->p);
    for (uint32_t e = 0; e < g->nedges; e++) {
        if (g->edge[e].to != block || g->edge[e].from == block)
            continue;
        const struct ir_block *b = &g->block[g->edge[e].from];
        ir_val put = last_put(b, to, NULL);
        if (put == IR_NONE || in_frame(m, b, put))
            return true;
    }
    return false;
}

bool arity_fills_stack(const struct side *s, uint64_t site)
{
    const struct flow_graph *g = s->g;
    const struct ir_machine *m = program_machine(s->p);
    const struct flow_call *call = side_call_at(s, site);
    uint16_t to, width;
    bool any = false, found = false;
    if (!call ||
        (!machine_register_find(m, "rdi", &to, &width) && !machine_register_find(m, "edi", &to, &width)))
        return false;
    for (uint32_t i = 0; i < g->nblocks && !any; i++)
        any = is_repeated_store(s, &g->block[i]);
    if (!any)
        return false;
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, call->block);
    while (todo.len && !found) {
        uint32_t at = vec_pop(&todo);
        if (seen[at])
            continue;
        seen[at] = 1;
        found = is_repeated_store(s, &g->block[at]) && begins_in_frame(s, at, to);
        for (uint32_t e = 0; e < g->nedges; e++)
            if (g->edge[e].to == at && g->edge[e].kind != EDGE_RETURN)
                vec_push(&todo, g->edge[e].from);
    }
    vec_free(&todo);
    free(seen);
    return found;
}

/* Compilers that are not to optimise store every argument first of all, and load it again wherever it is
 * used. */
bool arity_reloads(struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct ir_block *b = s->g->nblocks ? &s->g->block[0] : NULL;
    unsigned stored = 0, all = s->own <= m->nargs ? s->own : m->nargs;
    bool again = false;
    for (uint32_t i = 0; b && i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        int64_t off;
        if (in->op == IR_LOAD && stack_offset(m, b, in->a, &off))
            again = again || map_get(&s->home, (uint64_t)off, NULL);
        if (in->op != IR_STORE || !stack_offset(m, b, in->a, &off))
            continue;
        const struct ir_insn *v = &b->insn[root_of(b, in->b)];
        for (unsigned k = 0; v->op == IR_GET && k < all; k++)
            stored += v->a == m->arg[k] && map_set(&s->home, (uint64_t)off, 1);
    }
    if (!again || !all || stored < all)
        map_free(&s->home);
    return again && all && stored >= all;
}

/* No register that calls leave alone holds anything but the frame's place. */
bool arity_is_plain(struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    s->frame = m->sp;
    for (uint32_t k = 0; s->reloads && k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            const struct ir_insn *in = &b->insn[i];
            bool saved = false;
            for (unsigned r = 0; in->op == IR_PUT && r < m->nsaved; r++)
                saved = saved || (in->a == m->saved[r] && in->a != m->lr);
            if (saved && k == 0 && s->frame == m->sp && is_based_on(b, in->b, m->sp))
                s->frame = in->a;
            if (saved && !is_based_on(b, in->b, m->sp) && !is_based_on(b, in->b, s->frame) &&
                !(b->insn[in->b].op == IR_LOAD && b->end.kind == IR_END_RET))
                return false;
        }
    }
    return s->reloads;
}

bool arity_takes_off(struct side *s, uint64_t site)
{
    const struct ir_machine *m = program_machine(s->p);
    uint64_t known;
    if (map_get(&s->takes_off, site, &known))
        return known;
    bool moves = false, stores = false;
    for (uint32_t k = 0; k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->nmark; i++) {
            uint32_t end = i + 1 < b->nmark ? b->mark[i + 1].first : b->ninsn;
            for (uint32_t n = b->mark[i].first; b->mark[i].address == site && n < end; n++) {
                moves = moves || (b->insn[n].op == IR_PUT && b->insn[n].a == m->sp);
                stores = stores || b->insn[n].op == IR_STORE;
            }
        }
    }
    /* What is read and pushed is a local like any other. */
    map_set(&s->takes_off, site, moves && !stores);
    return moves && !stores;
}

unsigned arity_own(const struct side *s)
{
    const struct ir_machine *m = program_machine(s->p);
    const struct object_function_debug *d = object_debug_function(s->o, s->f->address);
    if (d)
        return s->proto.nargs > (int)d->nparams ? (unsigned)s->proto.nargs : (unsigned)d->nparams;
    for (unsigned a = m->nargs; a-- > 0;)
        if (reads_entry(s, m->arg[a]))
            return a + 1;
    return 0;
}
