/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which numbers decide how much there is to do: how often a loop runs, where an array is written.
 *
 * Merging two states that differ in such a number, where it is known in one of them, makes a choice of what
 * was known: each turn of the loop then asks the solver, on terms that grow with every turn, and each store
 * may be to any of several elements. Apart they are as cheap as paths, of which there are never more than
 * without merging. Kuznetsov et al.
 * ("Efficient state merging in symbolic execution", 2012) keep states apart that differ in what many later
 * queries depend on; these are the numbers for which that is so whatever the program goes on to ask.
 *
 * Three backward analyses of a graph, each by block the registers whose value at its entry flows into ...
 *   KNOWN_DECIDES  the condition by which a loop is left, or the index of a store
 *   KNOWN_INDEXES  the index of a load
 *   KNOWN_CARRIED  the index of a store, or, at the head of a loop, a register of either of the above: what a
 * loop carries from turn to turn. A condition that is computed afresh in each turn is not. A space is one of
 * them where what is loaded from it is, by KNOWN_DECIDES. An argument is what the callee makes of it that was
 * last followed from there: virtual calls are as good as others. The result is what the caller makes of it.
 */
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"

struct known {
    uint64_t version; /* of explorer.known_version */
    bool busy;
    struct slot_set *at[KNOWN_SETS]; /* by block */
};

struct known_callee {
    struct graph *g;
    const struct exec_input *input;
    unsigned ninputs;
};

void known_free(struct graph *g)
{
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; g->known[i] && k < KNOWN_SETS; k++)
            free(g->known[i]->at[k]);
        free(g->known[i]);
    }
    free(g->callee);
}

static void set_slot(struct slot_set *s, unsigned i, bool on)
{
    if (i >= 64 * SLOT_WORDS)
        return;
    if (on)
        s->w[i / 64] |= UINT64_C(1) << (i % 64);
    else
        s->w[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static void add(struct slot_set *s, const struct slot_set *o)
{
    for (unsigned i = 0; i < SLOT_WORDS; i++)
        s->w[i] |= o->w[i];
}

/* Whether a condition in the block, which leads to block `to` or on, decides between leaving a loop and
 * staying in it. */
static bool decides_turns(struct graph *g, uint32_t block, uint32_t to)
{
    const struct ir_end *end = &g->g->block[block].end;
    uint32_t next =
        end->kind == IR_END_JUMP && end->label != IR_NO_LABEL ? graph_block(g, end->label) : block;
    if (to == UINT32_MAX || next == UINT32_MAX)
        return false;
    for (uint32_t l = g->loop[block]; l != UINT32_MAX; l = g->loops[l].parent) {
        bool leaves = !graph_in_loop(g, to, l), passes = !graph_in_loop(g, next, l);
        if (leaves != passes && graph_returns(g, leaves ? to : next))
            return true;
    }
    return false;
}

struct flow {
    struct explorer *x;
    struct graph *g;
    enum known_set set;
    bool result; /* what is returned is one of them */
    struct known *k;
    uint8_t *hot; /* by value of a block */
};

static const struct known *analyse(struct explorer *x, struct graph *g, bool result);

static void reach(struct flow *f, ir_label label, struct slot_set *s)
{
    uint32_t to = label == IR_NO_LABEL ? UINT32_MAX : graph_block(f->g, label);
    if (to == UINT32_MAX)
        return;
    add(s, &f->k->at[f->set][to]);
    if (f->set == KNOWN_CARRIED && f->g->head[to]) {
        add(s, &f->k->at[KNOWN_DECIDES][to]);
        add(s, &f->k->at[KNOWN_INDEXES][to]);
    }
}

static void heat_index(struct flow *f, const struct ir_block *b, ir_val address)
{
    if (b->insn[address].op == OP_CONCAT)
        f->hot[b->insn[address].b] = 1;
}

static void at_end(struct flow *f, uint32_t block, struct slot_set *s)
{
    const struct flow_graph *fg = f->g->g;
    const struct ir_block *b = &fg->block[block];
    const struct ir_end *end = &b->end;
    if (end->kind == IR_END_RET) {
        if (f->result && f->x->root_machine->ret != UINT16_MAX)
            set_slot(s, f->x->root_machine->ret / f->x->unit, true);
        return;
    }
    if (end->kind == IR_END_JUMP && end->label == IR_NO_LABEL) {
        for (uint32_t e = fg->first_edge[block]; e < fg->first_edge[block + 1]; e++)
            reach(f, fg->block[fg->edge[e].to].label, s);
        return;
    }
    reach(f, end->kind == IR_END_JUMP ? end->label : end->after, s);
    if (end->kind != IR_END_CALL)
        return;
    bool wanted = false;
    if (end->result != IR_NONE) {
        wanted = slot_set_has(s, end->result / f->x->unit);
        set_slot(s, end->result / f->x->unit, false);
    }
    if (end->unwinds)
        reach(f, end->unwind, s);
    const struct known_callee *c = f->g->callee ? &f->g->callee[block] : NULL;
    if (!c || !c->g)
        return;
    const struct known *k = analyse(f->x, c->g, wanted);
    for (uint32_t i = 0; k && i < end->nargs && i < c->ninputs; i++)
        if (slot_set_has(&k->at[f->set][0], c->input[i].offset / f->x->unit))
            f->hot[b->arg[end->args + i]] = 1;
}

static struct slot_set at_entry(struct flow *f, uint32_t block)
{
    const struct ir_block *b = &f->g->g->block[block];
    struct slot_set s = {0};
    memset(f->hot, 0, b->ninsn);
    at_end(f, block, &s);
    for (uint32_t i = b->ninsn; i-- > 0;) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op < OP_COUNT_) {
            const uint32_t arg[] = {in->a, in->b, in->c, in->d};
            for (unsigned k = 0; f->hot[i] && k < op_info[in->op].arity; k++)
                f->hot[arg[k]] = 1;
            continue;
        }
        switch (in->op) {
        case IR_GET:
            if (f->hot[i])
                set_slot(&s, in->a / f->x->unit, true);
            break;
        case IR_PUT:
            if (slot_set_has(&s, in->a / f->x->unit))
                f->hot[in->b] = 1;
            set_slot(&s, in->a / f->x->unit, false);
            break;
        case IR_LOAD:
            if (f->set == KNOWN_INDEXES)
                heat_index(f, b, in->a);
            if (f->set == KNOWN_DECIDES && f->hot[i])
                map_set(&f->x->known_spaces, in->d, 1);
            break;
        case IR_STORE:
            if (f->set != KNOWN_INDEXES)
                heat_index(f, b, in->a);
            break;
        case IR_PURE:
            for (uint32_t k = 0; f->hot[i] && k < in->c; k++)
                f->hot[b->arg[in->b + k]] = 1;
            break;
        case IR_EXIT: {
            ir_label label = ir_imm(in->b, in->c);
            reach(f, label, &s);
            if (f->set == KNOWN_DECIDES && decides_turns(f->g, block, graph_block(f->g, label)))
                f->hot[in->a] = 1;
            break;
        }
        default:
            break;
        }
    }
    return s;
}

static void run(struct flow *f)
{
    uint32_t n = f->g->g->nblocks;
    uint32_t *order = xcalloc(n + 1, sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        order[n - 1 - f->g->position[i]] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n; i++) {
            struct slot_set s = at_entry(f, order[i]), *known = &f->k->at[f->set][order[i]];
            add(&s, known);
            changed = changed || memcmp(&s, known, sizeof s) != 0;
            *known = s;
        }
    }
    free(order);
}

/* NULL: it is being made, because of recursion. */
static const struct known *analyse(struct explorer *x, struct graph *g, bool result)
{
    struct known *k = g->known[result];
    uint32_t n = g->g->nblocks, most = 1;
    if (!k)
        k = g->known[result] = xcalloc(1, sizeof *k);
    if (k->busy || (k->at[0] && k->version == x->known_version))
        return k->at[KNOWN_SETS - 1] ? k : NULL;
    k->busy = true;
    for (uint32_t i = 0; i < n; i++)
        most = g->g->block[i].ninsn > most ? g->g->block[i].ninsn : most;
    struct flow f = {.x = x, .g = g, .result = result, .k = k, .hot = xcalloc(most, 1)};
    for (unsigned set = 0; set < KNOWN_SETS; set++) {
        if (!k->at[set])
            k->at[set] = xcalloc(n + 1, sizeof *k->at[set]);
        f.set = (enum known_set)set;
        run(&f);
    }
    free(f.hot);
    k->version = x->known_version;
    k->busy = false;
    return k;
}

void known_called(struct activation *a, uint32_t block, const struct activation *sub,
                  const struct exec_body *body)
{
    struct explorer *x = a->x;
    if (!x->opt.keep_known)
        return;
    if (!a->g->callee)
        a->g->callee = xcalloc(a->g->g->nblocks + 1, sizeof *a->g->callee);
    struct known_callee *c = &a->g->callee[block];
    if (c->g != sub->g) {
        *c = (struct known_callee){sub->g, body->input, body->ninputs};
        x->known_version++;
    }
}

/* Whether the result of a call, as it is in the register after it, is one of the set. */
static bool result_in(const struct activation *a, const struct call_site *site, enum known_set set)
{
    uint32_t after = site->after == IR_NO_LABEL ? UINT32_MAX : graph_block(a->g, site->after);
    if (after == UINT32_MAX || site->end->result == IR_NONE)
        return false;
    const struct known *k = analyse(a->x, a->g, a->result[set]);
    return k && slot_set_has(&k->at[set][after], site->end->result / a->x->unit);
}

/* What is made of the results of this call and of those that led here, once a merge asks for it. */
static void ask_callers(struct activation *a)
{
    if (!a->caller || a->asked == a->x->known_version + 1)
        return;
    ask_callers(a->caller);
    for (unsigned set = 0; set < KNOWN_SETS; set++)
        a->result[set] = result_in(a->caller, a->site, (enum known_set)set);
    a->asked = a->x->known_version + 1;
    analyse(a->x, a->g, a->result[KNOWN_DECIDES]);
}

static bool differ(const struct explorer *x, term l, term r)
{
    return l != r && l != TERM_NONE && r != TERM_NONE && (term_is_const(x->t, l) || term_is_const(x->t, r));
}

/* Whether the object was made in the state, whatever led there: nobody who has it can tell what is in others.
 */
static bool is_made(struct explorer *x, const struct state *st, term address)
{
    struct ir_space s;
    uint64_t at, made;
    if (!term_const_u64(x->t, address, &at) || !machine_space(x->m, x->opt.keep_known, &s))
        return false;
    at = term_width(x->t, address) > s.index_width ? at >> s.index_width : at;
    term reference = term_const(x->t, s.index_width, at);
    return !at ||
           (term_const_u64(x->t, space_load(x, st, x->opt.keep_known, reference, s.cell_width), &made) &&
            made);
}

static bool cell_differs(struct explorer *x, const struct state *l, const struct state *r,
                         const struct known_cell *c)
{
    return differ(x, space_load(x, l, c->space, c->address, c->width),
                  space_load(x, r, c->space, c->address, c->width)) &&
           is_made(x, l, c->address) && is_made(x, r, c->address);
}

static bool space_differs(struct explorer *x, const struct state *l, const struct state *r, uint32_t space)
{
    enum { LOOK = 64 };
    term side[] = {space_get(x, l, space), space_get(x, r, space)};
    for (unsigned n = 0; side[0] != side[1] && n < LOOK; n++) {
        term *big = side[0] > side[1] ? &side[0] : &side[1];
        if (term_kind(x->t, *big) != TERM_WRITE)
            return false;
        struct known_cell c = {space, term_width(x->t, term_kid(x->t, *big, 2)), term_kid(x->t, *big, 1)};
        if (cell_differs(x, l, r, &c)) {
            x->known_last = c;
            return true;
        }
        *big = term_kid(x->t, *big, 0);
    }
    return false;
}

/* The registers whose numbers have to stay known where the state stands: before a block, or returned. */
static struct slot_set carried(struct activation *a, const struct state *st)
{
    struct slot_set out = {0};
    ask_callers(a);
    const struct known *k = analyse(a->x, a->g, a->result[KNOWN_CARRIED]);
    if (a->returning)
        set_slot(&out, a->x->m->ret / a->x->unit, a->result[KNOWN_CARRIED]);
    else if (k)
        out = k->at[KNOWN_CARRIED][st->block];
    return out;
}

/* Nothing is done with what the function explored returns. */
static bool is_over(const struct activation *a)
{
    return a->returning && !a->caller;
}

uint64_t known_key(struct activation *a, const struct state *st)
{
    const struct explorer *x = a->x;
    uint64_t key = 0;
    if (!x->opt.keep_known || is_over(a))
        return key;
    struct slot_set set = carried(a, st);
    for (unsigned i = 0; i < x->nslots; i++)
        if (slot_set_has(&set, i) && st->reg[i] != TERM_NONE && term_is_const(x->t, st->reg[i])) {
            const uint64_t word[] = {key, i, st->reg[i]};
            key = hash_bytes(word, sizeof word);
        }
    return key;
}

bool known_lost(struct activation *a, const struct state *l, const struct state *r)
{
    struct explorer *x = a->x;
    if (!x->opt.keep_known || is_over(a))
        return false;
    struct slot_set set = carried(a, l);
    for (unsigned i = 0; i < x->nslots; i++)
        if (slot_set_has(&set, i) && differ(x, l->reg[i], r->reg[i]))
            return true;
    /* mostly it is the same cell in which others differed before */
    if (x->known_last.width && cell_differs(x, l, r, &x->known_last))
        return true;
    for (uint32_t i = 0, j = 0; i < l->nspaces || j < r->nspaces;) {
        uint32_t space = j == r->nspaces || (i < l->nspaces && l->space[i].space < r->space[j].space)
                             ? l->space[i].space
                             : r->space[j].space;
        i += i < l->nspaces && l->space[i].space == space;
        j += j < r->nspaces && r->space[j].space == space;
        if (map_get(&x->known_spaces, space, NULL) && space_differs(x, l, r, space))
            return true;
    }
    return false;
}
