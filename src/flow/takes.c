/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function surely takes, for analyses that ignore everything else.
 *
 * prototype.c guesses; this says only what the whole code shows. Two sets of registers are
 * followed from the entry on: those that may still hold what the caller put there, and those that do so on
 * every path. What is read of the latter is a parameter. What may be read of the former, where another way
 * has set it (a local that is set on some paths only is read where it is), through a saved copy, after a
 * conditional move, or by a callee of which nothing is known, may be one; if that is more, nothing is said.
 * Words of the caller's stack count when they are accessed; nothing is said where an address among them is
 * kept, or the stack pointer is not known throughout.
 *
 * Callees in the same file are looked at in the same way. A compiler knows which registers they leave alone,
 * so what they do not write still holds what it did. */
#include <stdlib.h>
#include <string.h>

#include "flow/value.h"

enum {
    TAKES_DEPTH = 8,
    TAKES_BLOCKS = 1000,           /* of one function */
    TAKES_FUNCTIONS = 48,          /* looked at for one question */
    TAKES_WORDS = 24,              /* of the stack */
    FLOATS_AT = FLOW_TAKES_FLOATS, /* in a set of registers: before them those of plain arguments, ... */
    OTHERS_AT = 16,                /* ... after them those in which nothing is passed by the convention */
    OTHERS_MAX = 32,
};

#define INTS UINT64_C(0xff)
#define ARGUMENTS UINT64_C(0xffff)

struct taken {
    bool known;
    uint64_t reads, may; /* registers that surely, or possibly, are parameters */
    uint64_t wide;       /* of those, more than the lower half may be looked at */
    uint64_t writes;     /* registers that may be changed */
    uint64_t back;       /* registers of results that may be returned unchanged */
    unsigned words;
    bool indexed; /* words may also be accessed by an index */
};

/* One question. */
struct asking {
    struct program *p;
    struct arena arena;
    struct map done; /* index of a function -> struct taken */
    struct map busy;
    unsigned left; /* functions that may still be looked at */
    const struct machine_register *other[OTHERS_MAX];
    unsigned nothers;
};

struct facts {
    uint64_t sure, may;
    uint32_t slots; /* arguments that may be where an instruction saved them */
    bool reached;
};

/* One function. */
struct look {
    struct asking *a;
    const struct ir_machine *m;
    const struct flow_graph *g;
    uint32_t index;
    struct values *values;
    struct facts *in;
    struct map frame; /* register -> the highest place in the frame that it ever points to, by design */
    bool saved[MACHINE_MAX_ARGS];
    int64_t slot[MACHINE_MAX_ARGS];
    struct taken out;
};

struct left_at { /* a side exit, and what holds there */
    uint32_t insn;
    struct facts x;
};
typedef VEC(struct left_at) exits;

static bool is_among(const uint16_t *set, unsigned n, unsigned offset)
{
    for (unsigned i = 0; i < n; i++)
        if (set[i] == offset)
            return true;
    return false;
}

static void find_others(struct asking *a)
{
    const struct ir_machine *m = a->p->machine;
    for (unsigned i = 0; i < m->nreg && a->nothers < OTHERS_MAX; i++) {
        const struct machine_register *r = &m->reg[i];
        bool plain = r->width == m->pointer_width && strchr("erx", r->name[0]) && r->offset != m->pc &&
                     r->offset != m->sp && r->offset != m->fp && r->offset != m->lr &&
                     !is_among(m->saved, m->nsaved, r->offset) && !is_among(m->arg, m->nargs, r->offset);
        /* Vectors are passed in registers even where everything else is on the stack. */
        bool vector = !m->nfargs && r->width == 128;
        if (!r->pseudo && (plain || vector))
            a->other[a->nothers++] = r;
    }
}

static uint64_t registers_at(const struct asking *a, unsigned offset, unsigned bytes)
{
    const struct ir_machine *m = a->p->machine;
    unsigned word = m->pointer_width / 8, vector = m->nfargs > 1 ? m->farg[1] - m->farg[0] : 0;
    uint64_t set = 0;
    for (unsigned i = 0; i < m->nargs; i++)
        if (offset < m->arg[i] + word && m->arg[i] < offset + bytes)
            set |= UINT64_C(1) << i;
    for (unsigned i = 0; i < m->nfargs; i++)
        if (offset < m->farg[i] + vector && m->farg[i] < offset + bytes)
            set |= UINT64_C(1) << (FLOATS_AT + i);
    for (unsigned i = 0; i < a->nothers; i++)
        if (offset < a->other[i]->offset + a->other[i]->width / 8u && a->other[i]->offset < offset + bytes)
            set |= UINT64_C(1) << (OTHERS_AT + i);
    return set;
}

static int highest(uint64_t set)
{
    return set ? 64 - __builtin_clzll(set) : 0;
}

/* ---- what becomes of a value ---- */

/* Nothing is done with the value but to leave it where it is, on a condition. Marks what it goes through. */
static bool is_kept(const struct ir_block *b, ir_val v, unsigned reg, uint8_t *kept)
{
    kept[v] = 1;
    if (b->end.next == v)
        return false;
    for (uint32_t i = v + 1; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (!insn_has_operand(b, in, v))
            continue;
        bool through = in->op == OP_EXTRACT || in->op == OP_ZEXT || (in->op == OP_ITE && in->a != v) ||
                       (in->op == IR_LOAD && in->a != v && in->b != v);
        if (!(in->op == IR_PUT && in->a == reg) && !(through && (kept[i] || is_kept(b, i, reg, kept))))
            return false;
    }
    return true;
}

/* Only the lower half of the value is looked at. */
static bool is_halved(const struct ir_block *b, ir_val v)
{
    enum { HALF = 32 };
    if (b->insn[v].width <= HALF)
        return true;
    if (b->end.next == v)
        return false;
    for (uint32_t i = v + 1; i < b->ninsn; i++)
        if (insn_has_operand(b, &b->insn[i], v) &&
            !(b->insn[i].op == OP_EXTRACT && b->insn[i].b + b->insn[i].width <= HALF))
            return false;
    return true;
}

/* ---- the frame ---- */

/* The value points into the frame, as far as anything shows that; *offset: where to, but for an index. */
static bool points_to_frame(const struct look *k, sym x, int64_t *offset, unsigned depth)
{
    enum { DEPTH = 12 };
    const struct sym_node n = *value_node(k->values, x);
    uint64_t c, known;
    *offset = 0;
    if (n.op == SYM_SP0)
        return true;
    if (n.op == SYM_REG) {
        bool yes = map_get(&k->frame, n.imm, &known);
        *offset = yes ? (int64_t)known : 0;
        return yes;
    }
    if (n.op >= OP_COUNT_ || depth == DEPTH)
        return false;
    if (n.op == OP_ADD || n.op == OP_SUB) {
        int64_t sign = n.op == OP_ADD ? 1 : -1;
        if (value_is_const(k->values, n.b, &c) && points_to_frame(k, n.a, offset, depth + 1)) {
            *offset += sign * (n.width == 32 ? (int32_t)c : (int64_t)c);
            return true;
        }
        if (n.op == OP_ADD && value_is_const(k->values, n.a, &c) &&
            points_to_frame(k, n.b, offset, depth + 1)) {
            *offset += n.width == 32 ? (int32_t)c : (int64_t)c;
            return true;
        }
    }
    const sym kid[] = {n.a, n.b, n.c};
    for (unsigned i = 0; i < 3; i++)
        if (kid[i] != SYM_NONE && points_to_frame(k, kid[i], offset, depth + 1))
            return true;
    return false;
}

/* Which registers ever point into the frame, and that none points to where the caller's part begins. */
static bool find_pointers(struct look *k)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < k->g->nblocks; i++)
            for (uint32_t j = 0; j < k->g->block[i].ninsn; j++) {
                const struct ir_insn *in = &k->g->block[i].insn[j];
                int64_t off;
                uint64_t was;
                bool put = in->op == IR_PUT && in->a != k->m->sp;
                if ((!put && in->op != IR_STORE) ||
                    !points_to_frame(k, value_of(k->values, i, in->b), &off, 0))
                    continue;
                if (off >= (int64_t)k->m->stack_arg)
                    return false;
                int64_t exact;
                k->out.indexed =
                    k->out.indexed || !value_is_frame(k->values, value_of(k->values, i, in->b), &exact);
                if (put && (!map_get(&k->frame, in->a, &was) || (int64_t)was < off))
                    map_set(&k->frame, in->a, (uint64_t)off);
            }
    for (uint32_t i = 0; i < k->g->nblocks; i++) {
        int64_t off;
        sym sp = value_register(k->values, i, UINT32_MAX, k->m->sp, k->m->pointer_width);
        if (!value_is_frame(k->values, sp, &off))
            return false;
    }
    return true;
}

/* Memory is accessed. False: nothing can be said any more. */
static bool see_access(struct look *k, uint32_t block, ir_val at, unsigned bytes, bool read, bool pops,
                       struct facts *x)
{
    int64_t off, first = k->m->stack_arg;
    int word = (int)k->m->pointer_width / 8;
    sym a = value_of(k->values, block, at);
    if (!value_is_frame(k->values, a, &off)) {
        /* The first word may be looked for after where an index of 0 leads. */
        if (!points_to_frame(k, a, &off, 0))
            return true;
        k->out.indexed = true;
        return off + (int)bytes <= first;
    }
    if (off + (int)bytes > first) {
        int64_t words = (off - first + (int)bytes + word - 1) / word;
        if (off < first || words > TAKES_WORDS)
            return false;
        if (words > (int64_t)k->out.words)
            k->out.words = (unsigned)words;
        return true;
    }
    for (unsigned i = 0; i < k->m->nargs; i++) {
        if (!(x->slots >> i & 1) || off >= k->slot[i] + word || k->slot[i] >= off + (int)bytes)
            continue;
        if (read && !pops) {
            k->out.may |= UINT64_C(1) << i;
            k->out.wide |= UINT64_C(1) << i;
        } else if (!read && off <= k->slot[i] && off + (int)bytes >= k->slot[i] + word) {
            x->slots &= ~(1u << i);
        }
    }
    return true;
}

/* ---- callees ---- */

static struct taken ask(struct asking *a, uint32_t index, unsigned depth);

/* Of a function of the C library. */
static bool from_library(const struct look *k, const char *name, struct taken *t)
{
    const struct ir_machine *m = k->m;
    const struct flow_library_entry *e = name ? flow_library_find(k->a->p->library, name) : NULL;
    unsigned n = 0;
    *t = (struct taken){.known = e && !e->variadic, .writes = ~UINT64_C(0)};
    for (unsigned i = 0; t->known && i < e->nparams; i++) {
        bool real = strchr("fdD", e->arg[i]) != NULL;
        /* What takes two registers may begin in an even one only. */
        if ((real && !m->nfargs) || e->arg[i] == LIBRARY_LONG_DOUBLE ||
            (e->arg[i] == LIBRARY_WIDE && m->pointer_width == 32) || (real && m->arch == MACHINE_ARM))
            t->known = false;
        if (real)
            continue;
        if (n < m->nargs && e->arg[i] != LIBRARY_INT)
            t->wide |= UINT64_C(1) << n;
        n++;
    }
    if (!t->known)
        return false;
    unsigned registers = n < m->nargs ? n : m->nargs;
    t->words = n - registers;
    t->reads = ((UINT64_C(1) << registers) - 1) | ((UINT64_C(1) << e->nfargs) - 1) << FLOATS_AT;
    t->may = t->reads;
    return e->nfargs <= m->nfargs;
}

/* What is called; *own: it is in the same file and cannot be interposed. */
static struct taken callee(struct look *k, const struct flow_call *c, unsigned depth, bool *own)
{
    struct program *p = k->a->p;
    struct taken none = {.writes = ~UINT64_C(0)}, out;
    uint32_t f = c->target ? program_index_at(p, c->target) : NO_INDEX;
    const struct object_stub *stub = c->target ? object_stub_at(p->object, c->target) : NULL;
    *own = !stub;
    if (stub)
        f = stub->target && !stub->ifunc ? program_index_at(p, stub->target) : NO_INDEX;
    if (f == NO_INDEX || p->function.data[f].flags & (FLOW_PLT | FLOW_EXTERN | FLOW_IFUNC)) {
        *own = false;
        return from_library(k, c->name, &out) ? out : none;
    }
    /* What the function itself reads is seen anyway. */
    if (f == k->index)
        return (struct taken){.known = true, .writes = ~UINT64_C(0)};
    return ask(k->a, f, depth + 1);
}

/* What was saved may lie where the callee looks for arguments. */
static void pass_slots(struct look *k, const struct flow_call *c, const struct taken *t,
                       const struct facts *x)
{
    const struct ir_machine *m = k->m;
    int64_t sp = 0, word = m->pointer_width / 8;
    bool known = value_is_frame(
        k->values, value_register(k->values, c->block, UINT32_MAX, m->sp, m->pointer_width), &sp);
    int64_t end = sp + m->stack_arg + (int64_t)t->words * word;
    for (unsigned i = 0; i < m->nargs; i++)
        if (x->slots >> i & 1 && (!t->known || !known || c->conditional || k->slot[i] < end)) {
            k->out.may |= UINT64_C(1) << i;
            k->out.wide |= UINT64_C(1) << i;
        }
}

static bool apply_call(struct look *k, const struct flow_call *c, struct facts *x, unsigned depth)
{
    bool own, tail = c->kind == CALL_TAIL || c->kind == CALL_TAIL_INDIRECT;
    struct taken t = callee(k, c, depth, &own);
    if (!tail)
        pass_slots(k, c, &t, x);
    uint64_t may = t.known ? t.may : ARGUMENTS;
    k->out.reads |= t.known ? t.reads & x->sure : 0;
    k->out.may |= may & x->may;
    k->out.wide |= (t.known ? t.wide : ARGUMENTS) & x->may;
    if (tail) {
        k->out.words = t.words > k->out.words ? t.words : k->out.words;
        k->out.indexed = k->out.indexed || t.indexed;
        k->out.back |= t.back & x->may;
        return t.known;
    }
    uint64_t writes = own ? t.writes : ~UINT64_C(0);
    k->out.writes |= writes;
    if (!c->conditional) {
        x->sure &= ~writes;
        x->may &= ~writes;
    }
    return true;
}

/* ---- one function ---- */

/* The registers of results, as far as they are also those of arguments. */
static uint64_t results(const struct look *k)
{
    enum { FLOATS = 4 }; /* an aggregate of floats */
    unsigned word = k->m->pointer_width / 8;
    return ((registers_at(k->a, k->m->ret, word) | registers_at(k->a, k->m->ret2, word)) & INTS) |
           ((UINT64_C(1) << FLOATS) - 1) << FLOATS_AT;
}

/* An instruction reads a register. */
static void see_read(struct look *k, const struct ir_block *b, uint32_t i, bool saves, uint32_t to,
                     uint8_t *kept, const struct facts *x)
{
    const struct ir_insn *in = &b->insn[i];
    uint64_t set = registers_at(k->a, in->a, (in->width + 7u) / 8) & x->may;
    if (!set || (saves && !insn_read_again(b, i, to)))
        return;
    memset(kept, 0, b->ninsn);
    if (is_kept(b, i, in->a, kept))
        return;
    memset(kept, 0, b->ninsn);
    k->out.reads |= set & x->sure;
    k->out.may |= set;
    if (!is_halved(b, i))
        k->out.wide |= set;
}

/* A register is saved by an instruction that only does that: where to. */
static bool see_saved(struct look *k, uint32_t block, uint32_t i, struct facts *x)
{
    const struct ir_block *b = &k->g->block[block];
    const struct ir_insn *in = &b->insn[i], *v = &b->insn[in->b];
    int64_t off;
    if (v->op != IR_GET)
        return true;
    for (unsigned a = 0; a < k->m->nargs; a++) {
        if (v->a != k->m->arg[a] || !(x->may >> a & 1))
            continue;
        if (!value_is_frame(k->values, value_of(k->values, block, in->a), &off) ||
            (k->saved[a] && k->slot[a] != off))
            return false;
        k->saved[a] = true;
        k->slot[a] = off;
        x->slots |= 1u << a;
    }
    return true;
}

/* ARM: the last register for arguments is put where those on the stack begin: so that all of them are in one
 * row, for a function that takes any number, or a structure that is partly in registers. */
static bool makes_row(const struct look *k, uint32_t block, const struct ir_insn *in)
{
    const struct ir_machine *m = k->m;
    const struct ir_insn *v = &k->g->block[block].insn[in->b];
    int64_t off;
    return m->nargs && v->op == IR_GET && v->a == m->arg[m->nargs - 1] &&
           value_is_frame(k->values, value_of(k->values, block, in->a), &off) &&
           off == (int64_t)m->stack_arg - (int)m->pointer_width / 8;
}

/* The instruction pops words right before a return, and not to return them. */
static bool only_pops(const struct look *k, const struct ir_block *b, uint32_t from, uint32_t to)
{
    bool moves = false;
    for (uint32_t i = from; i < to; i++) {
        moves = moves || (b->insn[i].op == IR_PUT && b->insn[i].a == k->m->sp);
        if (b->insn[i].op == IR_PUT && b->insn[i].a == k->m->ret)
            return false;
    }
    return moves && b->end.kind == IR_END_RET;
}

static void see_write(struct look *k, const struct ir_block *b, const struct ir_insn *in, bool on_condition,
                      struct facts *x)
{
    unsigned width = b->insn[in->b].width;
    uint64_t set = registers_at(k->a, in->a, (width + 7u) / 8);
    bool whole = width >= k->m->pointer_width || (set & ~INTS && !(set & INTS) && width >= 32);
    k->out.writes |= set;
    x->sure &= ~set;
    if (whole && !on_condition)
        x->may &= ~set;
}

static bool see_event(struct look *k, uint32_t block, const struct ir_event *e, struct facts *x)
{
    for (unsigned j = 0; j < e->nreads; j++) {
        uint64_t set = registers_at(k->a, e->reads[j].offset, e->reads[j].bytes) & x->may;
        k->out.reads |= set & x->sure;
        k->out.may |= set;
        k->out.wide |= set;
    }
    for (unsigned j = 0; j < e->nwrites; j++) {
        uint64_t set = registers_at(k->a, e->writes[j].offset, e->writes[j].bytes);
        k->out.writes |= set;
        x->sure &= ~set;
    }
    return !(e->mem_read || e->mem_write) || see_access(k, block, e->mem_addr, e->mem_bytes, true, false, x);
}

/* The instruction pushes a register, and is among the first of the function: perhaps only to make room. */
static bool only_saves(const struct look *k, uint32_t block, uint32_t mark, uint32_t to)
{
    const struct ir_block *b = &k->g->block[block];
    const struct ir_mark *at = &b->mark[mark];
    struct ir_mark first = *at;
    /* One of the later registers of x86-64 has a prefix. */
    if (k->m->arch == MACHINE_AMD64 && at->length == 2)
        first.length = 1;
    return insn_only_saves(k->m, b, block == 0, &first, to);
}

static bool see_block(struct look *k, uint32_t index, struct facts *x, exits *left)
{
    const struct ir_block *b = &k->g->block[index];
    uint8_t *kept = xcalloc(b->ninsn + 1, 1), *keeps = xcalloc(b->ninsn + 1, 1);
    uint32_t mark = 0, to = 0;
    bool saves = false, pops = false, ok = b->end.kind != IR_END_UNKNOWN;
    for (uint32_t i = 0; i < b->ninsn && ok; i++) {
        const struct ir_insn *in = &b->insn[i];
        while (mark < b->nmark && b->mark[mark].first <= i) {
            to = mark + 1 < b->nmark ? b->mark[mark + 1].first : b->ninsn;
            saves = only_saves(k, index, mark, to);
            pops = only_pops(k, b, b->mark[mark].first, to);
            mark++;
        }
        switch (in->op) {
        case IR_GET:
            see_read(k, b, i, saves, to, kept, x);
            for (uint32_t j = 0; j < b->ninsn; j++)
                keeps[j] |= kept[j];
            memset(kept, 0, b->ninsn);
            break;
        case IR_PUT:
            see_write(k, b, in, keeps[in->b], x);
            break;
        case IR_LOAD:
            ok = see_access(k, index, in->a, in->width / 8, true, pops, x);
            break;
        case IR_STORE:
            ok = see_access(k, index, in->a, b->insn[in->b].width / 8, false, false, x) &&
                 !makes_row(k, index, in) && (!saves || see_saved(k, index, i, x));
            break;
        case IR_EVENT:
            ok = see_event(k, index, &b->event[in->a], x);
            break;
        case IR_EXIT:
            vec_push(left, (struct left_at){i, *x});
            if (in->exit == IR_EXIT_RET)
                k->out.back |= x->may & results(k);
            break;
        case IR_UNKNOWN:
            ok = false;
            break;
        default:
            break;
        }
    }
    free(kept);
    free(keeps);
    return ok;
}

/* x86: the function pops its arguments. */
static bool takes_off(const struct look *k, const struct ir_block *b)
{
    enum { RET_WORDS = 0xc2 };
    uint8_t code;
    const struct ir_mark *last = b->nmark ? &b->mark[b->nmark - 1] : NULL;
    return k->m->call_pushes && b->end.kind == IR_END_RET && last && last->length >= 3 &&
           (!object_read(k->a->p->object, last->address + last->length - 3, &code, 1) || code == RET_WORDS);
}

/* What holds at the side exit of the instruction at the address. */
static struct facts facts_at(const struct ir_block *b, const exits *left, uint64_t site,
                             struct facts otherwise)
{
    for (size_t i = 0; i < left->len; i++)
        for (uint32_t m = 0; m < b->nmark; m++)
            if (b->mark[m].address == site && b->mark[m].first <= left->data[i].insn &&
                (m + 1 == b->nmark || left->data[i].insn < b->mark[m + 1].first))
                return left->data[i].x;
    return otherwise;
}

static bool follow(struct look *k, uint32_t index, unsigned depth, exits *left, struct facts *x)
{
    const struct ir_block *b = &k->g->block[index];
    struct facts begin = *x;
    if (!see_block(k, index, x, left) || takes_off(k, b))
        return false;
    for (uint32_t i = 0; i < k->g->ncalls; i++) {
        const struct flow_call *c = &k->g->call[i];
        struct facts there = c->conditional ? facts_at(b, left, c->site, begin) : *x;
        if (c->block != index)
            continue;
        if (!apply_call(k, c, c->conditional ? &there : x, depth))
            return false;
    }
    if (b->end.kind == IR_END_SYSCALL) {
        k->out.may |= x->may & ARGUMENTS;
        k->out.wide |= x->may & ARGUMENTS;
    }
    if (b->end.kind == IR_END_RET)
        k->out.back |= x->may & results(k);
    return true;
}

static bool walk(struct look *k, unsigned depth)
{
    const struct flow_graph *g = k->g;
    VEC(uint32_t) work = VEC_INIT;
    exits left = VEC_INIT;
    bool ok = true;
    k->in[0] = (struct facts){.sure = ~UINT64_C(0), .may = ~UINT64_C(0), .reached = true};
    vec_push(&work, 0);
    while (work.len && ok) {
        uint32_t at = vec_pop(&work);
        struct facts end = k->in[at];
        vec_clear(&left);
        ok = follow(k, at, depth, &left, &end);
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1] && ok; e++) {
            struct facts x = end, *to = &k->in[g->edge[e].to], was = *to;
            for (size_t i = 0; i < left.len; i++)
                if (left.data[i].insn == g->edge[e].insn)
                    x = left.data[i].x;
            to->sure = was.reached ? to->sure & x.sure : x.sure;
            to->may |= x.may;
            to->slots |= x.slots;
            to->reached = true;
            if (!was.reached || was.sure != to->sure || was.may != to->may || was.slots != to->slots)
                vec_push(&work, g->edge[e].to);
        }
    }
    /* What is held on every path is known only now. */
    k->out.reads = 0;
    for (uint32_t i = 0; i < g->nblocks && ok; i++) {
        struct facts end = k->in[i];
        vec_clear(&left);
        ok = !end.reached || follow(k, i, depth, &left, &end);
    }
    vec_free(&work);
    vec_free(&left);
    return ok;
}

static struct taken look_at(struct asking *a, uint32_t index, unsigned depth)
{
    struct program *p = a->p;
    bool had = p->state.data[index].owned != NULL;
    const struct flow_graph *g = flow_graph(p, &p->function.data[index]);
    struct look k = {.a = a, .m = p->machine, .g = g, .index = index};
    if (g->nblocks && g->nblocks <= TAKES_BLOCKS && !g->nproblems) {
        struct arena arena = ARENA_INIT;
        struct builder b;
        builder_reopen(&b, p, index, g, &arena);
        k.values = b.values;
        k.in = xcalloc(g->nblocks, sizeof *k.in);
        k.out.known = find_pointers(&k) && walk(&k, depth);
        free(k.in);
        map_free(&k.frame);
        builder_free(&b);
        arena_free(&arena);
    }
    if (!k.out.known)
        k.out.writes = ~UINT64_C(0);
    if (!had)
        flow_drop(p, &p->function.data[index]);
    return k.out;
}

static struct taken ask(struct asking *a, uint32_t index, unsigned depth)
{
    struct taken *t;
    uint64_t known;
    if (map_get(&a->done, index, &known))
        return *(const struct taken *)(uintptr_t)known;
    if (depth > TAKES_DEPTH || !a->left || map_get(&a->busy, index, NULL))
        return (struct taken){.writes = ~UINT64_C(0)};
    a->left--;
    map_set(&a->busy, index, 1);
    t = arena_new(&a->arena, struct taken);
    *t = look_at(a, index, depth);
    map_remove(&a->busy, index);
    map_set(&a->done, index, (uint64_t)(uintptr_t)t);
    return *t;
}

static bool from_debug(struct program *p, const struct object_function_debug *d, struct flow_takes *out)
{
    struct flow_prototype proto;
    unsigned n = 0;
    if (!prototype_from_debug(p, d, &proto))
        return false;
    out->nargs = (unsigned)proto.nargs;
    out->floats = proto.nfargs > 0;
    for (size_t i = 0; i < d->nparams && n < MACHINE_MAX_ARGS; i++)
        if (d->param[i].type->kind != TYPE_FLOAT)
            out->bits[n++] = (uint8_t)(d->param[i].type->size * 8);
    return true;
}

bool flow_takes(struct program *p, const struct flow_function *f, struct flow_takes *out)
{
    const struct object_function_debug *d = object_debug_function(p->object, f->address);
    *out = (struct flow_takes){0};
    if (f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_IFUNC | FLOW_PART))
        return false;
    if (d && d->address == f->address)
        return from_debug(p, d, out);
    struct asking a = {.p = p, .left = TAKES_FUNCTIONS};
    find_others(&a);
    struct taken t = ask(&a, (uint32_t)(f - p->function.data), 0);
    map_free(&a.done);
    map_free(&a.busy);
    arena_free(&a.arena);
    unsigned n = (unsigned)highest(t.may & INTS);
    if (!t.known || n != (unsigned)highest(t.reads & INTS) || t.reads >> OTHERS_AT ||
        (t.words && n < p->machine->nargs))
        return false;
    /* A function that does nothing with its first argument but to return it looks like one without. */
    uint64_t back = t.back & ~((UINT64_C(1) << n) - 1);
    if (back & registers_at(&a, p->machine->ret, 1))
        return false;
    /* Structures are on the stack of x86 whatever is in registers. */
    if (t.indexed && (p->machine->call_pushes || n == p->machine->nargs))
        return false;
    out->nargs = n + t.words;
    out->floats = t.may & ARGUMENTS & ~INTS;
    out->back = (uint32_t)(back & ARGUMENTS);
    for (unsigned i = 0; i < n && p->machine->pointer_width == 64; i++)
        out->bits[i] = t.reads >> i & 1 && !(t.wide >> i & 1) ? 32 : 0;
    return true;
}
