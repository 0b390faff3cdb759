/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of the new version from which it can only reject its input.
 *
 * On the way to an error exit there may be a loop: a list is freed, a text is trimmed for a message. The old
 * version goes on elsewhere, so nothing is paired with that loop, and at its head the exit is not in sight.
 * It is looked for here over all that can follow: each way out must return a number that means an error, or
 * end the program, and come back with the caller's registers as they were.
 *
 * Of a register, or of a word of the frame, is known that it holds a constant, a place in the frame, or still
 * what it held at first; what goes round a loop keeps what holds on every round. A store through a pointer is
 * taken not to overwrite what is saved (axiom `return`). Each block must have a way out: what goes round for
 * ever rejects nothing. */
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

enum { BLOCKS_MAX = 400, PASSES_MAX = 6, NUMBERS_MAX = 4 };

enum kind {
    UNREACHED, /* of a block: no way there was seen yet */
    ANY,
    NUMBER, /* one of v */
    FRAME,  /* the stack pointer at the function's entry and v */
    FIRST,  /* what register v held at first */
    SAVED,  /* what the frame held at first, at distance v */
};

struct value {
    uint8_t kind, n; /* of a number, how many there are */
    uint64_t v[NUMBERS_MAX];
};

struct doom {
    struct check *c;
    const struct pair_side *s;
    const struct ir_machine *m;
    const struct flow_graph *g;
    const struct exec_point *p;
    unsigned unit, nslots;
    uint8_t *kept;     /* by slot: callees leave it alone */
    uint8_t *mode;     /* by byte of the register file: of a mode of the processor */
    struct value *in;  /* by block, by slot */
    struct map stored; /* bytes of the frame that are written, by distance */
    VEC(uint32_t) todo;
    uint64_t values; /* the values that mean an error which are returned, by index, as bits */
    uint8_t *ends;   /* by block: an end is reached from it, as far as is known */
    bool again;      /* more of the frame is written than was known */
};

static const struct value any = {ANY};

static struct value value(enum kind kind, uint64_t v)
{
    return (struct value){kind, 1, {v}};
}

static bool has(struct value x, uint64_t v)
{
    for (unsigned i = 0; i < x.n; i++)
        if (x.v[i] == v)
            return true;
    return false;
}

static bool is_same(struct value a, struct value b)
{
    bool same = a.kind == b.kind && a.n == b.n;
    for (unsigned i = 0; i < a.n && same; i++)
        same = a.v[i] == b.v[i];
    return same;
}

/* It is the one or the other. */
static struct value either(struct value a, struct value b)
{
    if (a.kind != NUMBER || b.kind != NUMBER)
        return is_same(a, b) ? a : any;
    for (unsigned i = 0; i < b.n; i++) {
        if (has(a, b.v[i]))
            continue;
        if (a.n == NUMBERS_MAX)
            return any;
        a.v[a.n++] = b.v[i];
    }
    return a;
}

static uint64_t cut_to(uint64_t v, unsigned width)
{
    return width < 64 ? v & ((UINT64_C(1) << width) - 1) : v;
}

/* ---- what a block computes ---- */

static bool is_stored(const struct doom *d, uint64_t at, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (map_get(&d->stored, at + i, NULL))
            return true;
    return false;
}

static uint64_t changed(const struct ir_block *b, const struct ir_insn *in, uint64_t v)
{
    const unsigned from = b->insn[in->a].width;
    if (in->op == OP_EXTRACT)
        return cut_to(v >> in->b, in->width);
    if (in->op == OP_SEXT && v >> (from - 1) & 1)
        v |= ~cut_to(UINT64_MAX, from);
    return cut_to(v, in->width);
}

static struct value computed(const struct ir_block *b, const struct ir_insn *in, const struct value *known)
{
    struct value x = known[in->a];
    const struct value y = op_info[in->op].arity > 1 ? known[in->b] : any;
    const uint64_t ones = cut_to(UINT64_MAX, in->width);
    if (in->op == OP_ITE)
        return either(y, known[in->c]);
    if (in->op == OP_OR && ((x.kind == NUMBER && x.n == 1 && x.v[0] == ones) ||
                            (y.kind == NUMBER && y.n == 1 && y.v[0] == ones)))
        return value(NUMBER, ones);
    if (in->width > 64 || b->insn[in->a].width > 64)
        return any;
    if (x.kind == NUMBER && (in->op == OP_EXTRACT || in->op == OP_ZEXT || in->op == OP_SEXT)) {
        for (unsigned i = 0; i < x.n; i++)
            x.v[i] = changed(b, in, x.v[i]);
        return x;
    }
    if (y.kind == ANY || x.n != 1 || y.n != 1)
        return any;
    const uint64_t sum = cut_to(in->op == OP_SUB ? x.v[0] - y.v[0] : x.v[0] + y.v[0], in->width);
    if ((in->op == OP_ADD || in->op == OP_SUB) && x.kind <= FRAME && y.kind == NUMBER)
        return value((enum kind)x.kind, sum);
    if (in->op == OP_ADD && x.kind == NUMBER && y.kind == FRAME)
        return value(FRAME, sum);
    if (x.kind != NUMBER || y.kind != NUMBER || (in->op != OP_AND && in->op != OP_OR))
        return any;
    return value(NUMBER, in->op == OP_AND ? x.v[0] & y.v[0] : x.v[0] | y.v[0]);
}

static struct value got(const struct doom *d, const struct value *state, const struct ir_insn *in)
{
    struct value x = state[in->a / d->unit];
    const unsigned from = in->a % d->unit * 8;
    if (in->width == d->unit * 8 && !from)
        return x;
    if (x.kind != NUMBER || from + in->width > d->unit * 8)
        return any;
    for (unsigned i = 0; i < x.n; i++)
        x.v[i] = cut_to(x.v[i] >> from, in->width);
    return x;
}

static void put(const struct doom *d, struct value *state, const struct ir_insn *in, unsigned width,
                struct value x)
{
    const bool whole = width == d->unit * 8 && in->a % d->unit == 0;
    for (unsigned s = in->a / d->unit; width && s <= (in->a + (width - 1) / 8) / d->unit && s < d->nslots;
         s++)
        state[s] = whole ? x : any;
}

static struct value loaded(const struct doom *d, const struct ir_insn *in, struct value at)
{
    if (at.kind != FRAME || in->width != d->unit * 8 || is_stored(d, at.v[0], d->unit))
        return any;
    return value(SAVED, at.v[0]);
}

static void store(struct doom *d, struct value at, unsigned bytes)
{
    for (unsigned i = 0; i < bytes && at.kind == FRAME; i++)
        if (map_set(&d->stored, at.v[0] + i, 1))
            d->again = true;
}

/* Runs the block up to instruction `until`. False: it does what is not followed here. */
static bool run(struct doom *d, const struct ir_block *b, uint32_t until, struct value *state,
                struct value *known)
{
    for (uint32_t i = 0; i < b->ninsn && i < until; i++) {
        const struct ir_insn *in = &b->insn[i];
        known[i] = any;
        switch (in->op) {
        case IR_CONST:
            if (in->width <= 64)
                known[i] = value(NUMBER, ir_imm(in->a, in->b));
            break;
        case IR_GET:
            known[i] = got(d, state, in);
            break;
        case IR_PUT:
            if (d->mode[in->a])
                return false;
            put(d, state, in, b->insn[in->b].width, known[in->b]);
            break;
        case IR_LOAD:
            known[i] = loaded(d, in, known[in->a]);
            break;
        case IR_STORE:
            store(d, known[in->a], b->insn[in->b].width / 8u);
            break;
        case IR_PURE:
            break;
        case IR_EXIT:
            if (in->exit != IR_EXIT_JUMP)
                return false;
            break;
        case IR_EVENT:
        case IR_UNKNOWN:
            return false;
        default:
            known[i] = computed(b, in, known);
        }
    }
    return true;
}

/* ---- where it ends ---- */

/* The number means an error. */
static bool is_error(struct doom *d, uint64_t number)
{
    const struct exits *x = &d->c->exits;
    for (size_t i = 0; i < x->invalid.len && i < 64; i++) {
        const uint64_t v = (uint64_t)x->invalid.data[i];
        if (number == cut_to(v, d->unit * 8) ||
            (x->width != 64 && x->invalid.data[i] < 0 && number == (uint32_t)v)) {
            d->values |= UINT64_C(1) << i;
            return true;
        }
    }
    return false;
}

static bool are_errors(struct doom *d, struct value x)
{
    bool are = x.kind == NUMBER;
    for (unsigned i = 0; i < x.n && are; i++)
        are = is_error(d, x.v[i]);
    return are;
}

/* A word of the frame held that at first. */
static bool was_saved(const struct doom *d, uint64_t at, term what)
{
    struct terms *t = d->c->t;
    return term_read(t, d->p->frame, term_add_const(t, d->c->pair.sp, at), d->unit * 8) == what;
}

/* The register holds what it held at the function's entry. */
static bool is_restored(const struct doom *d, struct value x, unsigned reg)
{
    const term first = explorer_entry(d->s->x, reg, d->unit * 8);
    if (x.kind == SAVED)
        return was_saved(d, x.v[0], first);
    return x.kind == FIRST && x.v[0] == reg / d->unit && d->p->reg[x.v[0]] == first;
}

static bool returns_to_caller(const struct doom *d, struct value to)
{
    const term caller = explorer_symbols(d->s->x).ret;
    if (to.kind == SAVED)
        return was_saved(d, to.v[0], caller) && (!d->m->call_pushes || to.v[0] == 0);
    return to.kind == FIRST && !d->m->call_pushes && d->p->reg[to.v[0]] == caller;
}

static bool rejects(struct doom *d, const struct ir_block *b, const struct value *state,
                    const struct value *known)
{
    const struct ir_machine *m = d->m;
    const struct value result = state[m->ret / d->unit], sp = state[m->sp / d->unit];
    const struct value to = b->end.next == IR_NONE ? any : known[b->end.next];
    bool ok = sp.kind == FRAME && sp.v[0] == m->call_pushes && are_errors(d, result) && returns_to_caller(d, to);
    for (unsigned i = 0; i < m->nsaved && ok; i++)
        ok = is_restored(d, state[m->saved[i] / d->unit], m->saved[i]);
    return ok;
}

static const struct flow_library_entry *library_of(const struct doom *d, const struct flow_call *k)
{
    return k->name && program_library(d->s->p) ? flow_library_find(program_library(d->s->p), k->name) : NULL;
}

/* The call does not come back, and says by that that the input is rejected. */
static bool ends_in_error(const struct doom *d, const struct flow_call *k)
{
    const struct flow_library_entry *l = library_of(d, k);
    return l && d->c->opt->heuristics & VERIFY_BY_A && l->attrs & LIBRARY_NORETURN &&
           !(l->attrs & LIBRARY_JUMP) && l->like != LIKE_EXIT && !names_throw(k->name);
}

/* ---- all that follows ---- */

static void arrive(struct doom *d, uint32_t block, const struct value *state)
{
    struct value *in = d->in + (size_t)block * d->nslots;
    bool more = in[0].kind == UNREACHED;
    for (unsigned i = 0; i < d->nslots; i++) {
        const struct value x = in[i].kind == UNREACHED ? state[i] : either(in[i], state[i]);
        more = more || !is_same(x, in[i]);
        in[i] = x;
    }
    if (more)
        vec_push(&d->todo, block);
}

static const struct flow_call *call_of(const struct flow_graph *g, uint32_t block)
{
    for (uint32_t i = 0; i < g->ncalls; i++)
        if (g->call[i].block == block)
            return &g->call[i];
    return NULL;
}

static void come_back(const struct doom *d, const struct flow_call *k, struct value *state)
{
    const struct value sp = state[d->m->sp / d->unit];
    const struct abi_convention *how = k->target ? abi_convention(d->s->p, k->target) : NULL;
    for (unsigned i = 0; i < d->nslots; i++)
        if (!d->kept[i])
            state[i] = any;
    /* i386: a function may pop more than the return address. */
    const bool known = how ? how->pops_known : d->m->arch != MACHINE_X86 || library_of(d, k);
    const uint64_t pops = d->m->call_pushes + (how ? how->pops : 0);
    state[d->m->sp / d->unit] = sp.kind == FRAME && known ? value(FRAME, sp.v[0] + pops) : any;
}

/* False: something may follow the block that rejects nothing. */
static bool follow(struct doom *d, uint32_t block)
{
    const struct flow_graph *g = d->g;
    const struct ir_block *b = &g->block[block];
    const struct flow_call *k = call_of(g, block);
    struct value *known = xmalloc((b->ninsn + 1) * sizeof *known),
                 *state = xmalloc(d->nslots * sizeof *state);
    bool ok = true;
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1] && ok; e++) {
        memcpy(state, d->in + (size_t)block * d->nslots, d->nslots * sizeof *state);
        ok = run(d, b, g->edge[e].insn, state, known);
        if (ok && g->edge[e].insn == UINT32_MAX && b->end.kind == IR_END_CALL && k)
            come_back(d, k, state);
        if (ok && g->edge[e].insn == UINT32_MAX && b->end.kind == IR_END_SYSCALL)
            ok = false;
        if (ok)
            arrive(d, g->edge[e].to, state);
    }
    memcpy(state, d->in + (size_t)block * d->nslots, d->nslots * sizeof *state);
    ok = ok && run(d, b, b->ninsn, state, known);
    switch (b->end.kind) {
    case IR_END_RET:
        ok = ok && rejects(d, b, state, known);
        d->ends[block] = 1;
        break;
    case IR_END_CALL:
        d->ends[block] = k && (k->noreturn || b->end.after == IR_NO_LABEL);
        ok = ok && k && !k->conditional && !b->end.unwinds &&
             (d->ends[block] ? ends_in_error(d, k) : k->kind != CALL_TAIL);
        break;
    case IR_END_JUMP:
        ok = ok && !k && g->first_edge[block] < g->first_edge[block + 1];
        break;
    case IR_END_TRAP:
        ok = ok && d->c->opt->heuristics & VERIFY_BY_A;
        d->ends[block] = 1;
        break;
    default:
        ok = false;
    }
    free(known);
    free(state);
    return ok;
}

/* What the registers hold there. */
static void begin(struct doom *d, struct value *state)
{
    const struct check *c = d->c;
    for (unsigned i = 0; i < d->nslots; i++) {
        int64_t off;
        uint64_t v;
        state[i] = value(FIRST, i);
        if (i >= d->p->nregs || term_is_array(c->t, d->p->reg[i]))
            continue;
        if (term_const_u64(c->t, d->p->reg[i], &v))
            state[i] = value(NUMBER, v);
        else if (pair_sp_offset(&c->pair, d->p->reg[i], &off))
            state[i] = value(FRAME, (uint64_t)off);
    }
}

/* An end is reached from all blocks that were looked at: there is no loop without a way out. */
static bool all_end(const struct doom *d)
{
    const struct flow_graph *g = d->g;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t e = 0; e < g->nedges; e++)
            if (d->ends[g->edge[e].to] && !d->ends[g->edge[e].from])
                d->ends[g->edge[e].from] = more = true;
    }
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (d->in[(size_t)i * d->nslots].kind != UNREACHED && !d->ends[i])
            return false;
    return true;
}

/* The modes of the processor are as they were at the function's entry; on i386, no way out pops arguments. */
static bool begins_well(const struct doom *d)
{
    const struct abi_convention *how = abi_convention(d->s->p, d->s->f->address);
    for (unsigned i = 0; i < d->nslots && i < d->p->nregs; i++)
        for (unsigned at = i * d->unit; at < (i + 1) * d->unit; at++)
            if (d->mode[at] && d->p->reg[i] != explorer_entry(d->s->x, i * d->unit, d->unit * 8))
                return false;
    return d->m->arch != MACHINE_X86 || (how && how->pops_known && !how->pops);
}

static bool follow_all(struct doom *d)
{
    struct value *state = xmalloc(d->nslots * sizeof *state);
    bool ok = true;
    unsigned steps = 0;
    memset(d->in, 0, (size_t)d->g->nblocks * d->nslots * sizeof *d->in);
    memset(d->ends, 0, d->g->nblocks);
    d->again = false;
    d->values = 0;
    d->todo.len = 0;
    begin(d, state);
    arrive(d, d->p->block, state);
    while (d->todo.len && ok && !d->again)
        ok = ++steps <= BLOCKS_MAX && follow(d, vec_pop(&d->todo));
    free(state);
    return ok && !d->again && all_end(d);
}

bool doomed(struct check *c, const struct end *n, uint64_t *values)
{
    const struct pair_side *s = n->s;
    const struct flow_graph *g = s->g;
    struct doom d = {.c = c, .s = s, .m = program_machine(s->p), .g = g, .p = n->path->point};
    if (n->path->end != PATH_CUT || g->nproblems || !c->exits.invalid.len || c->exits.two_words ||
        d.m->locals)
        return false;
    d.unit = d.m->pointer_width / 8;
    d.nslots = machine_slots(d.m);
    d.kept = xcalloc(d.nslots, 1);
    d.in = xcalloc((size_t)g->nblocks * d.nslots, sizeof *d.in);
    d.ends = xcalloc(g->nblocks, 1);
    d.mode = xcalloc((size_t)d.nslots * d.unit, 1);
    machine_kept_slots(d.m, d.kept);
    kept_modes(d.m, d.mode);
    bool ok = false;
    d.again = begins_well(&d);
    for (unsigned i = 0; i < PASSES_MAX && d.again; i++)
        ok = follow_all(&d);
    vec_free(&d.todo);
    map_free(&d.stored);
    free(d.in);
    free(d.ends);
    free(d.kept);
    free(d.mode);
    *values = d.values;
    return ok;
}
