/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one block on one state. Operators become terms one to one; a side exit whose condition is open forks
 * the state; the end of the block says where it goes. */
#include <assert.h>
#include <string.h>

#include "exec/engine.h"

/* What is remembered of a load that feeds a jump through a table. */
struct table_read {
    term address, value;
    uint64_t first; /* address of the first entry */
    term index;     /* what fits_without was last asked about, and its answer */
    bool fits;
};

struct step {
    struct activation *a;
    struct explorer *x;
    struct state *st;
    const struct ir_block *b;
    const struct flow_jump_table *table;
    struct table_read read;
    term *v;
    uint64_t site;
};

/* and(sp + c, -2^k) is sp plus a constant when the convention aligns sp to 2^k at entry. */
static term align_stack(struct explorer *x, term p, term mask)
{
    uint64_t m, off;
    term base;
    if (!term_const_u64(x->t, mask, &m))
        return TERM_NONE;
    uint64_t low = ~m & (x->width == 64 ? UINT64_MAX : UINT32_MAX);
    if (low >= x->sp_align || (low & (low + 1)))
        return TERM_NONE;
    term_split(x->t, p, &base, &off);
    if (base != x->sp)
        return TERM_NONE;
    return term_add_const(x->t, base, off - ((off + x->sp_residue) & low));
}

static term operator(struct step *s, const struct ir_insn *in)
{
    struct explorer *x = s->x;
    if (in->op == OP_EXTRACT)
        return term_extract(x->t, s->v[in->a], in->b, in->width);
    unsigned n = op_info[in->op].arity;
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    term kid[OP_MAX_ARITY];
    for (unsigned i = 0; i < n; i++)
        kid[i] = s->v[arg[i]];
    if (in->op == OP_AND && in->width == x->width) {
        term r = align_stack(x, kid[0], kid[1]);
        if (r == TERM_NONE)
            r = align_stack(x, kid[1], kid[0]);
        if (r != TERM_NONE)
            return r;
    }
    term out = term_op(x->t, in->op, in->width, kid, n);
    uint64_t value;
    /* an address that is put together: a word of a literal pool and the program counter */
    if (in->width == x->width && term_const_u64(x->t, out, &value)) {
        term known = mapped_constant(x, s->site, value);
        out = known != TERM_NONE ? known : out;
    }
    return out;
}

static void see_access(struct step *s, const struct ir_insn *in, term address, unsigned width, bool write,
                       term guard)
{
    const struct explore_hooks *h = s->x->opt.hooks;
    struct exec_moment m = {.x = s->x, .st = s->st, .depth = s->a->depth};
    struct ir_space space;
    if (h && h->access && machine_space(s->x->m, in->d, &space))
        h->access(h->ctx, &m, in->d, address, width / space.cell_width, write, guard, s->site);
}

static void finish(struct step *s, struct state *st, enum path_end end);

/* Ends a path where the condition holds; true when nothing is left of the state. */
static bool fault_when(struct step *s, term cond, struct exec_fault f)
{
    struct explorer *x = s->x;
    enum branch br = x->stop ? BRANCH_NOT : explore_branch(s->a, s->st, cond, UINT32_MAX);
    if (br == BRANCH_NOT)
        return false;
    struct state *other = s->st;
    f.condition = cond;
    if (br == BRANCH_BOTH) {
        other = state_fork(x, s->st);
        x->stats.forks++;
        state_assume(x, other, cond);
        state_assume(x, s->st, term_not(x->t, cond));
    }
    other->fault = arena_dup(&x->arena, &f, sizeof f);
    finish(s, other, PATH_FAULT);
    if (other != s->st && x->stop) {
        x->stats.dropped++;
        state_free(x, s->st);
    }
    return other == s->st || x->stop;
}

/* What the code of the block adds up to an address: two values, and constants. */
static void see_sum(const struct step *s, ir_val address, struct exec_moment *m)
{
    enum { DEPTH = 4 };
    ir_val todo[DEPTH + 1] = {address};
    term part[2];
    unsigned n = 1, parts = 0;
    while (n) {
        ir_val v = todo[--n];
        const struct ir_insn *in = &s->b->insn[v];
        if (in->op == OP_ADD && n + 2 <= DEPTH) {
            todo[n++] = in->a;
            todo[n++] = in->b;
        } else if (in->op == OP_SUB && s->b->insn[in->b].op == IR_CONST && in->width <= 64) {
            const struct ir_insn *less = &s->b->insn[in->b];
            m->offset -= ir_imm(less->a, less->b);
            todo[n++] = in->a;
        } else if (in->op == IR_CONST && in->width <= 64) {
            m->offset += ir_imm(in->a, in->b);
        } else if (parts == 2) {
            return;
        } else {
            part[parts++] = s->v[v];
        }
    }
    m->base = parts == 2 ? part[0] : TERM_NONE;
    m->index = parts ? part[parts - 1] : TERM_NONE;
}

/* The address of an access that is only made when the guard holds. */
static term address_when(struct explorer *x, term address, term guard)
{
    const term yes = term_true(x->t);
    if (guard == TERM_NONE || term_is_const(x->t, guard))
        return address;
    /* also where the address hangs on the opposite of it */
    const term from[] = {guard, term_not(x->t, guard)}, to[] = {yes, term_false(x->t)};
    return term_substitute(x->t, address, from, to, 2);
}

/* A load or store of space 0 that cannot be done. */
static bool access_faults(struct step *s, const struct ir_insn *in)
{
    enum { LOWEST = 4096 };
    struct explorer *x = s->x;
    bool write = in->op == IR_STORE;
    unsigned set = x->opt.faults & (FAULT_NULL | FAULT_UNMAPPED);
    if (!set || in->d != 0 || memory_on_stack(x, s->v[in->a]))
        return false;
    ir_val only = write ? in->c : in->b;
    term guard = only == IR_NONE ? term_true(x->t) : s->v[only];
    term address = address_when(x, s->v[in->a], guard);
    struct exec_fault f = {.kind = FAULT_NULL,
                           .address = address,
                           .bytes = (write ? term_width(x->t, s->v[in->b]) : in->width) / 8,
                           .write = write};
    term low = term_bin(x->t, OP_ULT, address, term_const(x->t, x->width, LOWEST));
    if (set & FAULT_NULL && fault_when(s, term_and(x->t, guard, low), f))
        return true;
    f.kind = FAULT_UNMAPPED;
    struct exec_moment m = {.x = x, .st = s->st, .depth = s->a->depth, .site = s->site};
    see_sum(s, in->a, &m);
    return set & FAULT_UNMAPPED && x->snapshot &&
           fault_when(s, term_and(x->t, guard, memory_unmapped(x, &m, address, f.bytes)), f);
}

static bool division_faults(struct step *s, const struct ir_insn *in)
{
    struct explorer *x = s->x;
    if (!(x->opt.faults & FAULT_DIVISION) ||
        (in->op != OP_UDIV && in->op != OP_UREM && in->op != OP_SDIV && in->op != OP_SREM))
        return false;
    struct exec_fault f = {.kind = FAULT_DIVISION, .address = s->v[in->a]};
    return fault_when(s, term_eq(x->t, s->v[in->b], term_const(x->t, in->width, 0)), f);
}

/* A constant, or the address that it is known to be. */
static term constant(struct step *s, const struct ir_insn *in)
{
    struct explorer *x = s->x;
    if (in->width > 64)
        return term_const_bits(x->t, in->width, s->b->wide[in->a]);
    uint64_t value = ir_imm(in->a, in->b);
    term known = in->width == x->width ? mapped_constant(x, s->site, value) : TERM_NONE;
    return known != TERM_NONE ? known : term_const(x->t, in->width, value);
}

static term load(struct step *s, const struct ir_insn *in)
{
    struct explorer *x = s->x;
    term guard = in->b == IR_NONE ? TERM_NONE : s->v[in->b], address = s->v[in->a];
    if (guard != TERM_NONE && term_is_false(x->t, guard))
        return s->v[in->c];
    address = address_when(x, address, guard);
    see_access(s, in, address, in->width, false, guard);
    term value = memory_load(x, s->st, in->d, address, in->width);
    if (s->table && in->width == s->table->entry_size * 8) {
        term base;
        uint64_t off;
        term_split(x->t, address, &base, &off);
        /* What is taken off the index may be taken off the address instead, which then is before the table.
         */
        if (base != TERM_NONE && x->file->o &&
            (s->read.value == TERM_NONE ||
             object_is_readonly(x->file->o, off - x->file->bias, s->table->entry_size)))
            s->read = (struct table_read){.address = address, .value = value, .first = off};
    }
    if (guard != TERM_NONE && !term_is_true(x->t, guard))
        value = term_ite(x->t, guard, value, s->v[in->c]);
    return value;
}

/* A call pushes its return address. In memory that others see it would make the same call from another place
 * look different, and nobody but the callee's return reads it: it is left out. */
static bool is_return_push(const struct step *s, term value)
{
    uint64_t v;
    return s->x->m->call_pushes && s->b->end.kind == IR_END_CALL && s->b->end.after != IR_NO_LABEL &&
           s->b->end.label != s->b->end.after && term_const_u64(s->x->t, value, &v) &&
           v == s->b->end.after + s->x->file->bias && term_width(s->x->t, value) == s->x->width;
}

static void store(struct step *s, const struct ir_insn *in)
{
    term value = s->v[in->b], guard = in->c == IR_NONE ? TERM_NONE : s->v[in->c];
    if (is_return_push(s, value))
        return;
    term address = address_when(s->x, s->v[in->a], guard);
    memory_store(s->x, s->st, in->d, address, value, guard, s->site);
    see_access(s, in, address, term_width(s->x->t, value), true, guard);
}

/* ---- leaving ---- */

static void go(struct step *s, struct state *st, ir_label label)
{
    uint32_t to = graph_block(s->a->g, label);
    if (to != UINT32_MAX) {
        activation_push(s->a, st, to);
        return;
    }
    struct call_site c = {.site = s->site,
                          .label = label,
                          .target = memory_code(s->x, label),
                          .after = IR_NO_LABEL,
                          .tail = true,
                          .block = s->b};
    call_run(s->a, st, &c);
}

static void finish(struct step *s, struct state *st, enum path_end end)
{
    activation_finish(s->a, st, end, s->site);
}

/* Takes the side exit of kind and label with state st. */
static void leave(struct step *s, struct state *st, enum ir_exit kind, ir_label label)
{
    switch (kind) {
    case IR_EXIT_JUMP:
        go(s, st, label);
        break;
    case IR_EXIT_TRAP:
    case IR_EXIT_DIVISION:
    case IR_EXIT_QUOTIENT:
    case IR_EXIT_MISALIGNED:
        st->trap = kind == IR_EXIT_DIVISION     ? TRAP_DIVISION
                   : kind == IR_EXIT_QUOTIENT   ? TRAP_QUOTIENT
                   : kind == IR_EXIT_MISALIGNED ? TRAP_MISALIGNED
                                                : TRAP_MEANT;
        finish(s, st, PATH_TRAP);
        break;
    case IR_EXIT_RET:
        finish(s, st, PATH_RETURN);
        break;
    case IR_EXIT_CALL: {
        struct call_site c = {.site = s->site,
                              .label = label,
                              .target = memory_code(s->x, label),
                              .after = s->b->end.kind == IR_END_JUMP ? s->b->end.label : IR_NO_LABEL,
                              .block = s->b};
        call_run(s->a, st, &c);
        break;
    }
    }
}

/* An open condition: `away` goes to a block, `stays` to what follows. Counts iterations of loops that one
 * stays in and the other leaves. */
static void count_iteration(struct step *s, struct state *away, struct state *stays, uint32_t to)
{
    struct graph *g = s->a->g;
    const struct ir_end *end = &s->b->end;
    uint32_t here = stays->block;
    uint32_t next = end->kind == IR_END_JUMP && end->label != IR_NO_LABEL ? graph_block(g, end->label) : here;
    if (to == UINT32_MAX || next == UINT32_MAX)
        return;
    for (uint32_t l = g->loop[here]; l != UINT32_MAX; l = g->loops[l].parent) {
        uint32_t slot = g->nvisits + g->visit_slot[g->loops[l].head];
        bool leaves = !graph_in_loop(g, to, l), passes = !graph_in_loop(g, next, l);
        if (leaves && !passes && graph_returns(g, to))
            stays->visits[slot]++;
        if (passes && !leaves && graph_returns(g, next))
            away->visits[slot]++;
    }
}

static void tell_pass(const struct step *s, ir_label to, term condition)
{
    const struct explore_hooks *h = s->x->opt.hooks;
    if (h && h->pass)
        h->pass(h->ctx, &(struct exec_moment){s->x, s->st, s->a->depth}, s->site, to, condition);
}

/* The state goes on behind an exit that it does not take: what was computed before hangs on that, too. */
static void pass_exit(struct step *s, const struct ir_insn *in, term cond)
{
    if (term_is_const(s->x->t, cond))
        return;
    term no = term_not(s->x->t, cond);
    for (const struct ir_insn *i = s->b->insn; i < in; i++)
        s->v[i - s->b->insn] = state_decided(s->x, s->v[i - s->b->insn], no, cond);
}

/* True when the state has left this block. */
static bool side_exit(struct step *s, const struct ir_insn *in)
{
    struct explorer *x = s->x;
    term cond = s->v[in->a];
    ir_label label = ir_imm(in->b, in->c);
    enum branch which = explore_branch(s->a, s->st, cond, graph_block(s->a->g, label));
    if (which != BRANCH_NOT)
        tell_pass(s, label, which == BRANCH_BOTH ? cond : TERM_NONE);
    switch (which) {
    case BRANCH_NOT:
        state_decide(x, s->st, term_not(x->t, cond));
        pass_exit(s, in, cond);
        return false;
    case BRANCH_TAKEN:
        state_decide(x, s->st, cond);
        leave(s, s->st, in->exit, label);
        return true;
    case BRANCH_BOTH:
        break;
    }
    s->st->decided = true;
    struct state *other = state_fork(x, s->st);
    x->stats.forks++;
    state_assume(x, other, cond);
    state_assume(x, s->st, term_not(x->t, cond));
    pass_exit(s, in, cond);
    if (x->opt.symbolic_iterations && in->exit == IR_EXIT_JUMP)
        count_iteration(s, other, s->st, graph_block(s->a->g, label));
    leave(s, other, in->exit, label);
    if (x->stop) {
        x->stats.dropped++;
        state_free(x, s->st);
    }
    return x->stop;
}

/* This many of the highest bits are zero, wherever the state is. */
static bool fits_without(struct step *s, term inner, unsigned by)
{
    struct terms *t = s->x->t;
    unsigned width = term_width(t, inner);
    struct term_known k = term_known(t, inner);
    bool fits = true;
    for (unsigned i = 0; i < by; i++)
        fits = fits && bits_bit(k.zero, width - 1 - i);
    if (fits || !by)
        return true;
    if (s->read.index != inner) {
        term top = term_extract(t, inner, width - by, by);
        s->read.index = inner;
        s->read.fits = explore_holds_never(s->x, s->st, term_not(t, term_eq(t, top, term_const(t, by, 0))), true);
    }
    return s->read.fits;
}

/* base == value, with shifts, extensions and constants taken off the base as far as they cannot lose
 * anything. */
static term index_is(struct step *s, term base, uint64_t value)
{
    struct explorer *x = s->x;
    for (unsigned fuel = 16; fuel; fuel--) {
        unsigned width = term_width(x->t, base), kind = term_kind(x->t, base);
        uint64_t c;
        term inner;
        if (width < 64 && value >> width)
            return term_false(x->t);
        if (kind == OP_MUL && term_const_u64(x->t, term_kid(x->t, base, 1), &c) && c && !(c & (c - 1))) {
            inner = term_kid(x->t, base, 0);
            if (!fits_without(s, inner, (unsigned)__builtin_ctzll(c)))
                break;
            if (value & (c - 1))
                return term_false(x->t);
            base = inner;
            value /= c;
        } else if (kind == OP_EXTRACT && base == term_extract(x->t, term_kid(x->t, base, 0), 0, width)) {
            inner = term_kid(x->t, base, 0);
            if (!fits_without(s, inner, term_width(x->t, inner) - width))
                break;
            base = inner;
        } else if (kind == OP_ZEXT) {
            base = term_kid(x->t, base, 0);
        } else if (kind == OP_CONCAT && term_const_u64(x->t, term_kid(x->t, base, 0), &c) && c == 0) {
            base = term_kid(x->t, base, 1);
        } else if (kind == OP_CONCAT && term_const_u64(x->t, term_kid(x->t, base, 1), &c) && c == 0) {
            unsigned low = term_width(x->t, term_kid(x->t, base, 1));
            if (value & ((UINT64_C(1) << low) - 1))
                return term_false(x->t);
            base = term_kid(x->t, base, 0);
            value >>= low;
        } else {
            break;
        }
    }
    return term_eq(x->t, base, term_const(x->t, term_width(x->t, base), value));
}

static term goes_to(struct step *s, term next, term to)
{
    struct explorer *x = s->x;
    term base;
    uint64_t first, at;
    term_split(x->t, next, &base, &first);
    if (base == TERM_NONE || !term_const_u64(x->t, to, &at))
        return term_eq(x->t, next, to);
    at -= first;
    return index_is(s, base, x->m->pointer_width < 64 ? at & ((UINT64_C(1) << x->m->pointer_width) - 1) : at);
}

/* What is left of a state when a computed jump went to all the places known: nothing, if the condition that
 * it goes elsewhere cannot hold; else a path of its own that says so. */
static void elsewhere(struct step *s, struct state *st, term cond)
{
    struct explorer *x = s->x;
    if (explore_holds_never(x, st, cond, false)) {
        state_free(x, st);
        return;
    }
    state_assume(x, st, cond);
    x->stats.unresolved_jumps++;
    finish(s, st, PATH_UNRESOLVED);
}

/* A jump through a table: each target once, under the condition that the index selects it. */
static bool jump_by_table(struct step *s, term next)
{
    struct explorer *x = s->x;
    const struct flow_jump_table *tab = s->table;
    if (!tab || s->read.value == TERM_NONE)
        return false;
    struct arm {
        ir_label label;
        uint32_t block;
        term cond;
    };
    VEC(struct arm) arms = VEC_INIT;
    term base;
    uint64_t first;
    term_split(x->t, s->read.address, &base, &first);
    first -= x->file->bias;
    uint64_t begin = (tab->table ? tab->table : (s->b->label & ~UINT64_C(1)) + s->b->bytes) - first;
    if (x->m->pointer_width < 64)
        begin &= (UINT64_C(1) << x->m->pointer_width) - 1;
    bool ok = tab->entries <= 4096;
    for (uint32_t i = 0; ok && i < tab->entries; i++) {
        uint64_t at = begin + (uint64_t)i * tab->entry_size, label;
        term entry = memory_readonly(x, x->file, first + at, tab->entry_size * 8);
        term to = entry == TERM_NONE ? next : term_substitute(x->t, next, &s->read.value, &entry, 1);
        /* ldrls pc: what is loaded when the guard fails went another way. */
        while (!term_is_const(x->t, to) && term_kind(x->t, to) == OP_ITE) {
            term c = term_kid(x->t, to, 0);
            if (state_has_literal(s->st, c))
                to = term_kid(x->t, to, 1);
            else if (state_has_literal(s->st, term_not(x->t, c)))
                to = term_kid(x->t, to, 2);
            else
                break;
        }
        ok = memory_resolve(x, to, &label) == x->file;
        if (!ok)
            break;
        uint32_t block = graph_block(s->a->g, label);
        if (block == UINT32_MAX && x->m->arch == MACHINE_ARM)
            block = graph_block(s->a->g, label ^ 1);
        if (block == UINT32_MAX)
            continue; /* past the end of the table */
        term cond = index_is(s, base, at);
        size_t k = 0;
        while (k < arms.len && arms.data[k].block != block)
            k++;
        if (k == arms.len)
            vec_push(&arms, (struct arm){label, block, cond});
        else
            arms.data[k].cond = term_or(x->t, arms.data[k].cond, cond);
    }
    ok = ok && arms.len;
    /* The worklist is a stack: last first. */
    term rest = term_true(x->t);
    for (size_t k = arms.len; ok && k-- > 0;) {
        enum branch br = explore_branch(s->a, s->st, arms.data[k].cond, arms.data[k].block);
        rest = term_and(x->t, rest, term_not(x->t, arms.data[k].cond));
        if (br == BRANCH_NOT)
            continue;
        struct state *other = state_fork(x, s->st);
        x->stats.forks++;
        other->decided = s->st->decided || br == BRANCH_BOTH;
        if (br == BRANCH_BOTH)
            state_assume(x, other, arms.data[k].cond);
        activation_push(s->a, other, arms.data[k].block);
    }
    vec_free(&arms);
    if (ok)
        elsewhere(s, s->st, rest);
    return ok;
}

/* A place in the function itself that its graph does not have: the jump was not understood, and is no tail
 * call. */
static bool is_missing(const struct step *s, ir_label label)
{
    const struct explorer *x = s->x;
    const struct flow_function *f = s->a->f;
    uint64_t at = x->m->arch == MACHINE_ARM ? label & ~UINT64_C(1) : label;
    return f && x->file->p && at != f->address && graph_block(s->a->g, label) == UINT32_MAX &&
           program_function_covering(x->file->p, at) == f;
}

/* Goes to a computed destination. */
static void jump_to(struct step *s, struct state *st, term next, unsigned fuel)
{
    struct explorer *x = s->x;
    uint64_t label;
    if (next == x->ret && s->a->last) {
        finish(s, st, PATH_RETURN);
        return;
    }
    const struct mapped *in = memory_resolve(x, next, &label);
    if (in == x->file && is_missing(s, label)) {
        x->stats.unresolved_jumps++;
        finish(s, st, PATH_UNRESOLVED);
        return;
    }
    if (in == x->file) {
        go(s, st, label);
        return;
    }
    if (fuel && term_kind(x->t, next) == OP_ITE) {
        term c = term_kid(x->t, next, 0);
        enum branch br = explore_branch(s->a, st, c, UINT32_MAX);
        if (br == BRANCH_BOTH) {
            st->decided = true;
            struct state *other = state_fork(x, st);
            x->stats.forks++;
            state_assume(x, other, c);
            state_assume(x, st, term_not(x->t, c));
            jump_to(s, other, term_kid(x->t, next, 1), fuel - 1);
            br = BRANCH_NOT;
        }
        jump_to(s, st, term_kid(x->t, next, br == BRANCH_TAKEN ? 1 : 2), fuel - 1);
        return;
    }
    const struct flow_graph *g = s->a->g->g;
    uint32_t here = st->block;
    bool leaves = in != NULL;
    for (uint32_t i = 0; i < g->ncalls && !leaves; i++)
        leaves = g->call[i].block == here && g->call[i].kind == CALL_TAIL_INDIRECT;
    if (leaves) {
        struct call_site c = {.site = s->site,
                              .label = IR_NO_LABEL,
                              .target = next,
                              .after = IR_NO_LABEL,
                              .tail = true,
                              .block = s->b};
        call_run(s->a, st, &c);
        return;
    }
    bool any = false;
    term rest = term_true(x->t);
    for (uint32_t e = g->first_edge[here + 1]; e-- > g->first_edge[here];) {
        if (g->edge[e].kind != EDGE_SWITCH)
            continue;
        bool again = false;
        for (uint32_t k = e + 1; k < g->first_edge[here + 1]; k++)
            again = again || (g->edge[k].kind == EDGE_SWITCH && g->edge[k].to == g->edge[e].to);
        if (again)
            continue;
        any = true;
        ir_label to = g->block[g->edge[e].to].label;
        term cond = goes_to(s, next, memory_code(x, to));
        enum branch br = explore_branch(s->a, st, cond, g->edge[e].to);
        rest = term_and(x->t, rest, term_not(x->t, cond));
        if (br == BRANCH_NOT)
            continue;
        struct state *other = state_fork(x, st);
        x->stats.forks++;
        other->decided = st->decided || br == BRANCH_BOTH;
        if (br == BRANCH_BOTH)
            state_assume(x, other, cond);
        activation_push(s->a, other, g->edge[e].to);
    }
    if (any) {
        elsewhere(s, st, rest);
        return;
    }
    x->stats.unresolved_jumps++;
    finish(s, st, PATH_UNRESOLVED);
}

static void end_block(struct step *s)
{
    struct explorer *x = s->x;
    const struct ir_end *end = &s->b->end;
    struct state *st = s->st;
    term next = end->next == IR_NONE ? TERM_NONE : s->v[end->next];
    switch (end->kind) {
    case IR_END_JUMP:
        if (end->label != IR_NO_LABEL)
            go(s, st, end->label);
        else if (!jump_by_table(s, next))
            jump_to(s, st, next, 8);
        return;
    case IR_END_CALL: {
        if (end->label != IR_NO_LABEL && end->label == end->after) {
            go(s, st, end->label); /* i386's way to read its own address */
            return;
        }
        struct call_site c = {.site = s->site,
                              .label = end->label,
                              .after = end->after,
                              .end = end,
                              .val = s->v,
                              .block = s->b,
                              .target = next != TERM_NONE ? next : memory_code(x, end->label)};
        call_run(s->a, st, &c);
        return;
    }
    case IR_END_RET:
        if (s->a->last && next != TERM_NONE && x->ret != TERM_NONE && next != x->ret)
            x->stats.returns_unproved++;
        if (s->a->last)
            st->returns_to = next;
        finish(s, st, PATH_RETURN);
        return;
    case IR_END_SYSCALL:
        call_syscall(x, st, s->site);
        if (end->after == IR_NO_LABEL)
            finish(s, st, PATH_NORETURN);
        else
            go(s, st, end->after);
        return;
    case IR_END_TRAP:
        finish(s, st, PATH_TRAP);
        return;
    case IR_END_THROW:
        st->thrown = next;
        finish(s, st, PATH_THROW);
        return;
    default:
        finish(s, st, PATH_UNKNOWN_CODE);
        return;
    }
}

enum { BLOCK_WORK = 3 * BUDGET_MS / 1000 }; /* beside the terms that it makes */

void step_block(struct activation *a, struct state *st)
{
    struct explorer *x = a->x;
    const struct flow_graph *g = a->g->g;
    const struct ir_block *b = &g->block[st->block];
    if (a->nval < b->ninsn) {
        a->val = xreallocarray(a->val, b->ninsn, sizeof *a->val);
        a->nval = b->ninsn;
    }
    if (b->ninsn)
        memset(a->val, 0, b->ninsn * sizeof *a->val); /* TERM_NONE: no value yet */
    struct step s = {.a = a, .x = x, .st = st, .b = b, .v = a->val, .site = b->label};
    for (uint32_t i = 0; i < g->ntables && !s.table; i++)
        if (g->table[i].block == st->block)
            s.table = &g->table[i];
    const struct explore_hooks *h = x->opt.hooks;
    uint32_t slot = a->g->visit_slot[st->block];
    struct exec_moment moment = {.x = x, .st = st, .depth = a->depth};
    if (h && h->enter && !h->enter(h->ctx, &moment, b->label, slot == UINT32_MAX ? 1 : st->visits[slot])) {
        state_free(x, st);
        return;
    }
    if (a->depth == 0) {
        state_trace(x, st, st->block);
        st->length = segment_longer(x, st->length, a->g->head[st->block]);
    }
    x->stats.blocks++;
    explore_count(x, st->ways);
    if (x->opt.work)
        *terms_work(x->t) += BLOCK_WORK;
    st->steps++;
    uint32_t mark = 0;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        while (mark < b->nmark && b->mark[mark].first <= i) {
            s.site = b->mark[mark++].address;
            tell_pass(&s, IR_NO_LABEL, TERM_NONE);
        }
        if (in->op < OP_COUNT_) {
            if (x->opt.faults && division_faults(&s, in))
                return;
            s.v[i] = operator(&s, in);
            continue;
        }
        if (x->opt.faults && (in->op == IR_LOAD || in->op == IR_STORE) && access_faults(&s, in))
            return;
        switch (in->op) {
        case IR_CONST:
            s.v[i] = constant(&s, in);
            break;
        case IR_GET:
            s.v[i] = state_get(x, st, in->a, in->width);
            break;
        case IR_PUT:
            if (in->a == x->m->sp)
                arguments_stack_moved(x, st, s.v[in->b]);
            state_put(x, st, in->a, s.v[in->b]);
            break;
        case IR_LOAD:
            s.v[i] = load(&s, in);
            break;
        case IR_STORE:
            store(&s, in);
            break;
        case IR_PURE: {
            term kid[PURE_MAX_ARGS];
            assert(in->a < x->pures.count && in->c <= PURE_MAX_ARGS);
            for (uint32_t k = 0; k < in->c; k++)
                kid[k] = s.v[b->arg[in->b + k]];
            s.v[i] = term_pure(x->t, &x->pures.table[in->a], kid);
            break;
        }
        case IR_EVENT:
            call_event(a, st, b, i, s.site);
            break;
        case IR_UNKNOWN:
            x->stats.undecoded++;
            call_unknown(x, st, &b->unknown[in->a]);
            break;
        case IR_EXIT:
            if (side_exit(&s, in))
                return;
            break;
        }
    }
    while (mark < b->nmark) {
        s.site = b->mark[mark++].address;
        tell_pass(&s, IR_NO_LABEL, TERM_NONE);
    }
    if (b->end.kind == IR_END_JUMP && b->end.label != IR_NO_LABEL)
        tell_pass(&s, b->end.label, TERM_NONE);
    end_block(&s);
}
