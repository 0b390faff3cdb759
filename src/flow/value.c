/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/value.h"

#include <string.h>

#include "flow/sym.h"

enum {
    TRACKED_MAX = 40,   /* registers followed forward */
    FORWARD_ROUNDS = 6, /* times a block may be looked at again */
    BACK_DEPTH = 400,   /* nesting of an expression when it is rewritten */
};

/* What is known of a register on entry of a block. */
struct known {
    enum { KNOWN_NOTHING_YET, KNOWN_CONST, KNOWN_FRAME, KNOWN_RETURN, KNOWN_TOP } kind;
    uint64_t value;
};

struct bb_values {
    sym *val;         /* by IR instruction, NULL when not computed */
    struct known *in; /* by tracked register */
    unsigned visits;
    bool reached;
    VEC(struct pred) pred;
};

/* What the address leads to after the IR instruction `store` of a block. */
struct after {
    uint32_t bb, store;
    sym address;
    unsigned width;
    sym is;
};

struct values {
    struct builder *b;
    const struct ir_machine *m;
    struct sym_pool pool;
    struct arena arena;
    struct bb_values *bb;
    uint32_t nbb;
    uint16_t tracked[TRACKED_MAX];
    unsigned ntracked;
    unsigned width; /* of a pointer */
    uint64_t tops;
    struct map after; /* what is read after a store that may have changed it: hash -> index of what follows */
    VEC(struct after) read;
    struct map behind; /* what is after an edge: sym -> sym; of one question, so that what is shared is looked
                          at once */
};

const struct sym_node *value_node(const struct values *v, sym x)
{
    return sym_at(&v->pool, x);
}

sym value_const(struct values *v, unsigned width, uint64_t c)
{
    return sym_const(&v->pool, width, c);
}

sym value_op(struct values *v, enum op op, unsigned width, sym a, sym b, sym c, unsigned lo)
{
    return sym_make(&v->pool, op, width, a, b, c, lo);
}

bool value_is_const(const struct values *v, sym x, uint64_t *c)
{
    return sym_is_const(&v->pool, x, c);
}

bool value_is_frame(const struct values *v, sym x, int64_t *offset)
{
    return sym_is_base(&v->pool, x, SYM_SP0, offset);
}

size_t value_preds(struct values *v, uint32_t bb, const struct pred **out)
{
    *out = v->bb[bb].pred.data;
    return v->bb[bb].pred.len;
}

/* Something unknown that the block makes each time it is run; NO_BLOCK: that is like nothing else. */
enum { NO_BLOCK = UINT32_MAX };
static sym top(struct values *v, uint32_t bb, unsigned width)
{
    return sym_leaf(&v->pool, SYM_TOP, width, (uint64_t)bb << 32 | (uint32_t)v->tops++);
}

/* The same unknown as often as it is read before the next store. */
static sym read_after(struct values *v, uint32_t bb, uint32_t store, sym address, unsigned width)
{
    const struct after key = {bb, store, address, width, SYM_NONE};
    const uint32_t text[] = {bb, store, address, width};
    uint64_t hash = hash_bytes(text, sizeof text), i;
    if (map_get(&v->after, hash, &i)) {
        const struct after *k = &v->read.data[i];
        bool same = k->bb == bb && k->store == store && k->address == address && k->width == width;
        return same ? k->is : top(v, bb, width);
    }
    map_set(&v->after, hash, v->read.len);
    vec_push(&v->read, key);
    return vec_last(&v->read).is = top(v, bb, width);
}

static int tracked_index(const struct values *v, unsigned offset)
{
    for (unsigned i = 0; i < v->ntracked; i++) {
        if (v->tracked[i] == offset)
            return (int)i;
    }
    return -1;
}

static sym known_sym(struct values *v, struct known k)
{
    switch (k.kind) {
    case KNOWN_CONST:
        return sym_const(&v->pool, v->width, k.value);
    case KNOWN_FRAME:
        return sym_make(&v->pool, OP_ADD, v->width, sym_leaf(&v->pool, SYM_SP0, v->width, 0),
                        sym_const(&v->pool, v->width, k.value), SYM_NONE, 0);
    case KNOWN_RETURN:
        return sym_leaf(&v->pool, SYM_LR0, v->width, 0);
    default:
        return SYM_NONE;
    }
}

/* A register as it is on entry of a block. */
static sym entry_register(struct values *v, uint32_t bb, unsigned offset, unsigned width)
{
    unsigned bytes = v->width / 8;
    for (unsigned i = 0; i < v->ntracked; i++) {
        unsigned at = v->tracked[i];
        if (offset < at || offset + (width + 7) / 8 > at + bytes)
            continue;
        sym whole = v->bb[bb].in ? known_sym(v, v->bb[bb].in[i]) : SYM_NONE;
        if (whole == SYM_NONE)
            whole = sym_leaf(&v->pool, SYM_REG, v->width, at);
        return sym_make(&v->pool, OP_EXTRACT, width, whole, SYM_NONE, SYM_NONE, (offset - at) * 8);
    }
    return sym_leaf(&v->pool, SYM_REG, width, offset);
}

static bool overlaps(unsigned a, unsigned na, unsigned b, unsigned nb)
{
    return a < b + nb && b < a + na;
}

static bool ranges_overlap(const struct ir_range *r, unsigned n, unsigned offset, unsigned bytes)
{
    for (unsigned i = 0; i < n; i++) {
        if (overlaps(r[i].offset, r[i].bytes, offset, bytes))
            return true;
    }
    return false;
}

/* The register range before IR instruction `pos`. */
static sym register_before(struct values *v, uint32_t bb, uint32_t pos, unsigned offset, unsigned width)
{
    const struct ir_block *b = &v->b->bb.data[bb].b;
    const sym *val = v->bb[bb].val;
    unsigned bytes = (width + 7) / 8;
    for (uint32_t i = pos; i-- > 0;) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_EVENT) {
            const struct ir_event *e = &b->event[in->a];
            if (ranges_overlap(e->writes, e->nwrites, offset, bytes))
                return top(v, bb, width);
        } else if (in->op == IR_UNKNOWN) {
            const struct ir_unknown *u = &b->unknown[in->a];
            /* An instruction that was not understood moves neither the stack nor the frame pointer. */
            if ((u->all_registers && offset != v->m->sp && offset != v->m->fp) ||
                ranges_overlap(u->writes, u->nwrites, offset, bytes))
                return top(v, bb, width);
        } else if (in->op == IR_PUT) {
            unsigned w = b->insn[in->b].width, n = (w + 7) / 8;
            if (!overlaps(in->a, n, offset, bytes))
                continue;
            if (w > 64)
                return top(v, bb, width);
            if (offset >= in->a && offset + bytes <= in->a + n) {
                sym x = val[in->b];
                if (w == 1) /* a stored bit is the whole byte */
                    return width == 1 ? x : sym_make(&v->pool, OP_ZEXT, width, x, SYM_NONE, SYM_NONE, 0);
                return sym_make(&v->pool, OP_EXTRACT, width, x, SYM_NONE, SYM_NONE, (offset - in->a) * 8);
            }
            /* A narrower write at the bottom: what was there before shows above it. */
            if (in->a == offset && w >= 8 && w < width && width <= 64) {
                sym before = register_before(v, bb, i, offset, width);
                sym upper = sym_make(&v->pool, OP_EXTRACT, width - w, before, SYM_NONE, SYM_NONE, w);
                return sym_make(&v->pool, OP_CONCAT, width, upper, val[in->b], SYM_NONE, 0);
            }
            return top(v, bb, width);
        }
    }
    return entry_register(v, bb, offset, width);
}

/* Memory before IR instruction `pos`; the address is at the block's entry. */
static sym memory_before(struct values *v, uint32_t bb, uint32_t pos, sym address, unsigned width)
{
    const struct ir_block *b = &v->b->bb.data[bb].b;
    const sym *val = v->bb[bb].val;
    unsigned bytes = width / 8;
    sym base;
    int64_t offset;
    sym_split(&v->pool, address, &base, &offset);
    bool frame = base != SYM_NONE && sym_at(&v->pool, base)->op == SYM_SP0;
    /* An index into a table that cannot be written. */
    if (base != SYM_NONE && offset >= 4096 && object_is_readonly(v->b->p->object, (uint64_t)offset, bytes))
        return sym_make_load(&v->pool, address, width);
    for (uint32_t i = pos; i-- > 0;) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op != IR_STORE || in->d != 0)
            continue;
        unsigned n = b->insn[in->b].width / 8;
        sym other;
        int64_t at;
        sym_split(&v->pool, val[in->a], &other, &at);
        if (other == base) {
            if (offset >= at + (int64_t)n || at >= offset + (int64_t)bytes)
                continue;
            if (in->c == IR_NONE && offset >= at && offset + bytes <= at + (int64_t)n && n <= 8)
                return sym_make(&v->pool, OP_EXTRACT, width, val[in->b], SYM_NONE, SYM_NONE,
                                (unsigned)(offset - at) * 8);
            return read_after(v, bb, i, address, width);
        }
        if (frame || base == SYM_NONE)
            continue;
        /* A write to the frame does not change what another pointer leads to, but any other write may. */
        if (other != SYM_NONE && sym_at(&v->pool, other)->op == SYM_SP0)
            continue;
        return read_after(v, bb, i, address, width);
    }
    return sym_make_load(&v->pool, address, width);
}

static void compute(struct values *v, uint32_t bb)
{
    struct bb_values *x = &v->bb[bb];
    const struct ir_block *b = &v->b->bb.data[bb].b;
    if (!x->val)
        x->val = arena_array(&v->arena, sym, b->ninsn ? b->ninsn : 1);
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        sym r = SYM_NONE;
        if (in->width == 0) {
            x->val[i] = SYM_NONE;
            continue;
        }
        if (in->width > 64)
            r = top(v, bb, in->width);
        else if (in->op == IR_CONST)
            r = sym_const(&v->pool, in->width, ir_imm(in->a, in->b));
        else if (in->op == IR_GET)
            r = register_before(v, bb, i, in->a, in->width);
        else if (in->op == IR_LOAD && in->width % 8 == 0) {
            r = memory_before(v, bb, i, x->val[in->a], in->width);
            if (in->b != IR_NONE)
                r = sym_make(&v->pool, OP_ITE, in->width, x->val[in->b], r, x->val[in->c], 0);
        } else if (in->op < OP_FADD) {
            unsigned n = op_info[in->op].arity;
            if (in->op == OP_EXTRACT)
                r = sym_make(&v->pool, OP_EXTRACT, in->width, x->val[in->a], SYM_NONE, SYM_NONE, in->b);
            else
                r = sym_make(&v->pool, (enum op)in->op, in->width, x->val[in->a],
                             n > 1 ? x->val[in->b] : SYM_NONE, n > 2 ? x->val[in->c] : SYM_NONE, 0);
        } else {
            r = top(v, bb, in->width);
        }
        x->val[i] = r;
    }
}

sym value_of(struct values *v, uint32_t bb, ir_val x)
{
    if (!v->bb[bb].val)
        compute(v, bb);
    return v->bb[bb].val[x];
}

sym value_register(struct values *v, uint32_t bb, uint32_t insn, unsigned offset, unsigned width)
{
    if (!v->bb[bb].val)
        compute(v, bb);
    uint32_t pos = insn == UINT32_MAX ? v->b->bb.data[bb].b.ninsn : insn;
    return register_before(v, bb, pos, offset, width);
}

static bool callee_saved(const struct values *v, unsigned offset)
{
    for (unsigned i = 0; i < v->m->nsaved; i++) {
        if (v->m->saved[i] == offset)
            return true;
    }
    return offset == v->m->fp;
}

/* i386 position-independent code asks a helper for the address after the call: mov (%esp), %reg; ret. */
static int pc_thunk_register(const struct values *v, uint64_t callee)
{
    uint8_t code[4];
    if (v->m->arch != MACHINE_X86 || !object_read(v->b->p->object, callee, code, 4))
        return -1;
    if (code[0] != 0x8b || (code[1] & 0xc7) != 0x04 || code[2] != 0x24 || code[3] != 0xc3)
        return -1;
    static const char *const name[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    uint16_t offset, width;
    return machine_register_find(v->m, name[code[1] >> 3 & 7], &offset, &width) ? offset : -1;
}

/* A register after an edge, at the entry of the edge's block. */
static sym register_over(struct values *v, const struct pred *p, unsigned offset, unsigned width)
{
    if (!v->bb[p->bb].val)
        compute(v, p->bb);
    const struct bb *x = &v->b->bb.data[p->bb];
    if ((p->kind == EDGE_RETURN || p->kind == EDGE_UNWIND) && x->b.end.kind == IR_END_CALL) {
        if (x->b.end.label != IR_NO_LABEL && pc_thunk_register(v, x->b.end.label) == (int)offset)
            return sym_const(&v->pool, width, x->b.end.after);
        unsigned whole = offset;
        for (unsigned i = 0; i < v->ntracked; i++) {
            if (offset >= v->tracked[i] && offset < v->tracked[i] + v->width / 8u)
                whole = v->tracked[i];
        }
        if (whole == v->m->sp && width == v->width) {
            sym sp = register_before(v, p->bb, x->b.ninsn, offset, width);
            return sym_make(&v->pool, OP_ADD, width, sp, sym_const(&v->pool, width, v->m->call_pushes),
                            SYM_NONE, 0);
        }
        if (!callee_saved(v, whole))
            return top(v, p->bb, width);
    }
    if (p->kind == EDGE_RETURN && x->b.end.kind == IR_END_SYSCALL && offset == v->m->syscall_ret)
        return top(v, p->bb, width);
    uint32_t pos = p->insn == UINT32_MAX ? x->b.ninsn : p->insn;
    return register_before(v, p->bb, pos, offset, width);
}

static sym back(struct values *v, sym x, const struct pred *p, unsigned depth)
{
    struct sym_node n = *sym_at(&v->pool, x);
    if (depth > BACK_DEPTH)
        return top(v, NO_BLOCK, n.width);
    switch (n.op) {
    case SYM_CONST:
    case SYM_SP0:
    case SYM_LR0:
        return x;
    case SYM_TOP: { /* of a later round of a loop, if the block that made it is met again */
        uint64_t known;
        if (n.imm >> 32 != p->bb)
            return x;
        if (!map_get(&v->behind, x, &known))
            map_set(&v->behind, x, known = top(v, NO_BLOCK, n.width));
        return (sym)known;
    }
    case SYM_REG:
        return register_over(v, p, (unsigned)n.imm, n.width);
    case SYM_LOAD: {
        sym address = back(v, n.a, p, depth + 1);
        if (!v->bb[p->bb].val)
            compute(v, p->bb);
        uint32_t pos = p->insn == UINT32_MAX ? v->b->bb.data[p->bb].b.ninsn : p->insn;
        if ((p->kind == EDGE_RETURN || p->kind == EDGE_UNWIND) &&
            !sym_is_base(&v->pool, address, SYM_SP0, NULL) && !sym_is_const(&v->pool, address, NULL))
            return top(v, p->bb, n.width);
        return memory_before(v, p->bb, pos, address, n.width);
    }
    default: {
        uint64_t known;
        if (map_get(&v->behind, x, &known))
            return (sym)known;
        sym a = n.a == SYM_NONE ? SYM_NONE : back(v, n.a, p, depth + 1);
        sym b = n.b == SYM_NONE ? SYM_NONE : back(v, n.b, p, depth + 1);
        sym c = n.c == SYM_NONE ? SYM_NONE : back(v, n.c, p, depth + 1);
        sym out = sym_make(&v->pool, (enum op)n.op, n.width, a, b, c, n.lo);
        map_set(&v->behind, x, out);
        return out;
    }
    }
}

sym value_back(struct values *v, sym x, const struct pred *p)
{
    map_clear(&v->behind);
    return back(v, x, p, 0);
}

/* ---- the forward analysis of constants and frame addresses ---- */

static struct known known_of(const struct values *v, sym x)
{
    uint64_t c;
    int64_t offset;
    if (sym_is_const(&v->pool, x, &c))
        return (struct known){KNOWN_CONST, c};
    if (sym_is_base(&v->pool, x, SYM_SP0, &offset))
        return (struct known){KNOWN_FRAME, (uint64_t)offset};
    if (sym_at(&v->pool, x)->op == SYM_LR0)
        return (struct known){KNOWN_RETURN, 0};
    return (struct known){KNOWN_TOP, 0};
}

/* Lowers a to what both agree on; true when that changed it. */
static bool meet(struct known *a, struct known b)
{
    if (b.kind == KNOWN_NOTHING_YET || a->kind == KNOWN_TOP)
        return false;
    if (a->kind == KNOWN_NOTHING_YET) {
        *a = b;
        return true;
    }
    if (a->kind == b.kind && a->value == b.value)
        return false;
    a->kind = KNOWN_TOP;
    return true;
}

static void forward(struct values *v)
{
    struct builder *b = v->b;
    VEC(uint32_t) work = VEC_INIT;
    uint32_t entry = 0;
    for (unsigned i = 0; i < v->ntracked; i++) {
        struct known *k = &v->bb[entry].in[i];
        k->kind = v->tracked[i] == v->m->sp   ? KNOWN_FRAME
                  : v->tracked[i] == v->m->lr ? KNOWN_RETURN
                                              : KNOWN_TOP;
    }
    v->bb[entry].reached = true;
    vec_push(&work, entry);
    while (work.len) {
        uint32_t at = vec_pop(&work);
        if (v->bb[at].visits++ > FORWARD_ROUNDS)
            continue;
        compute(v, at);
        const struct bb *x = &b->bb.data[at];
        for (size_t i = 0; i < x->succ.len; i++) {
            const struct succ *s = &x->succ.data[i];
            uint64_t to = map_find(&b->by_label, s->label, NO_INDEX);
            if (to == NO_INDEX || !b->bb.data[to].lifted)
                continue;
            struct pred e = {at, s->kind, s->insn};
            bool changed = !v->bb[to].reached;
            v->bb[to].reached = true;
            for (unsigned r = 0; r < v->ntracked; r++) {
                struct known k = {KNOWN_TOP, 0};
                if (v->bb[to].in[r].kind == KNOWN_TOP)
                    continue;
                if (v->bb[to].visits <= FORWARD_ROUNDS)
                    k = known_of(v, register_over(v, &e, v->tracked[r], v->width));
                if (meet(&v->bb[to].in[r], k))
                    changed = true;
            }
            if (changed) {
                if (v->bb[to].visits > FORWARD_ROUNDS)
                    compute(v, (uint32_t)to);
                else
                    vec_push(&work, (uint32_t)to);
            }
        }
    }
    vec_free(&work);
}

struct values *values_new(struct builder *b)
{
    struct values *v = xcalloc(1, sizeof *v);
    v->b = b;
    v->m = b->p->machine;
    v->width = v->m->pointer_width;
    v->nbb = (uint32_t)b->bb.len;
    sym_pool_init(&v->pool, b->p->object, v->m->arch);
    v->bb = xcalloc(v->nbb, sizeof *v->bb);
    for (unsigned i = 0; i < v->m->nreg && v->ntracked < TRACKED_MAX; i++) {
        const struct machine_register *r = &v->m->reg[i];
        if (r->width == v->width && !r->pseudo && r->offset != v->m->pc && tracked_index(v, r->offset) < 0)
            v->tracked[v->ntracked++] = r->offset;
    }
    for (uint32_t i = 0; i < v->nbb; i++) {
        v->bb[i].in = arena_array(&v->arena, struct known, v->ntracked);
        const struct bb *x = &b->bb.data[i];
        if (!x->lifted)
            continue;
        for (size_t j = 0; j < x->succ.len; j++) {
            uint64_t to = map_find(&b->by_label, x->succ.data[j].label, NO_INDEX);
            if (to != NO_INDEX)
                vec_push(&v->bb[to].pred, (struct pred){i, x->succ.data[j].kind, x->succ.data[j].insn});
        }
    }
    forward(v);
    return v;
}

void values_free(struct values *v)
{
    if (!v)
        return;
    for (uint32_t i = 0; i < v->nbb; i++)
        vec_free(&v->bb[i].pred);
    free(v->bb);
    sym_pool_free(&v->pool);
    map_free(&v->behind);
    map_free(&v->after);
    vec_free(&v->read);
    arena_free(&v->arena);
    free(v);
}

struct range value_shape_range(const struct values *v, sym x)
{
    return sym_shape_range(&v->pool, x);
}

struct range value_range_if(const struct values *v, sym cond, bool truth, sym x)
{
    return sym_range_if(&v->pool, cond, truth, x);
}

bool value_eval(const struct values *v, sym x, sym var, uint64_t number, uint64_t *out)
{
    return sym_eval(&v->pool, x, var, number, out);
}

/* ---- ranges from comparisons on the way ---- */

enum { RANGE_STEPS = 600, RANGE_DEPTH = 200, RANGE_USEFUL = 4096 };

struct question {
    struct values *v;
    unsigned steps;
    struct {
        uint32_t bb;
        sym x;
    } open[RANGE_DEPTH];
    unsigned depth;
    struct map done; /* block and expression to an index into answer */
    VEC(struct range) answer;
};

static uint64_t question_key(uint32_t bb, sym x)
{
    return (uint64_t)bb << 32 | x;
}

static void question_free(struct question *q)
{
    map_free(&q->done);
    vec_free(&q->answer);
}

/* What the side exits of a block say about x when it is left over the edge; x at the block's entry. */
static struct range range_on_edge(struct values *v, uint32_t bb, uint32_t insn, sym x)
{
    const struct ir_block *b = &v->b->bb.data[bb].b;
    if (!v->bb[bb].val)
        compute(v, bb);
    struct range r = sym_shape_range(&v->pool, x);
    uint32_t end = insn == UINT32_MAX ? b->ninsn : insn + 1;
    for (uint32_t i = 0; i < end; i++) {
        if (b->insn[i].op == IR_EXIT)
            r = range_both(sym_at(&v->pool, x)->width, r,
                           sym_range_if(&v->pool, v->bb[bb].val[b->insn[i].a], i == insn, x));
    }
    return r;
}

static bool range_useful(struct range r)
{
    return r.count && r.count <= RANGE_USEFUL;
}

static struct range range_at_entry(struct question *q, uint32_t bb, sym x)
{
    struct values *v = q->v;
    struct range all = {0, 0};
    uint64_t c;
    if (sym_is_const(&v->pool, x, &c))
        return (struct range){c, 1};
    if (sym_at(&v->pool, x)->op == SYM_TOP || v->bb[bb].pred.len == 0 || bb == 0)
        return all;
    for (unsigned i = 0; i < q->depth; i++) {
        /* Round a loop with the same expression: what holds on entering the loop holds here. */
        if (q->open[i].bb == bb && q->open[i].x == x)
            return (struct range){0, UINT64_MAX};
    }
    uint64_t known;
    if (map_get(&q->done, question_key(bb, x), &known))
        return q->answer.data[known];
    if (q->depth == RANGE_DEPTH || q->steps == 0)
        return all;
    q->steps--;
    q->open[q->depth].bb = bb;
    q->open[q->depth++].x = x;
    struct range r = {0,
                      UINT64_MAX}; /* count UINT64_MAX stands for "no value at all" while paths are joined */
    for (size_t i = 0; i < v->bb[bb].pred.len && r.count != 0; i++) {
        const struct pred *p = &v->bb[bb].pred.data[i];
        sym y = value_back(v, x, p);
        struct range on =
            sym_is_const(&v->pool, y, &c) ? (struct range){c, 1} : range_on_edge(v, p->bb, p->insn, y);
        if (!range_useful(on)) {
            struct range before = range_at_entry(q, p->bb, y);
            if (before.count == UINT64_MAX)
                continue;
            on = range_both(sym_at(&v->pool, y)->width, on, before);
        }
        r = r.count == UINT64_MAX ? on : range_either(r, on);
    }
    q->depth--;
    map_set(&q->done, question_key(bb, x), q->answer.len);
    vec_push(&q->answer, r);
    return r;
}

static sym replace(struct values *v, sym x, sym old, sym new, unsigned depth)
{
    struct sym_node n = *sym_at(&v->pool, x);
    if (x == old)
        return new;
    if (depth > BACK_DEPTH || (n.a == SYM_NONE && n.b == SYM_NONE))
        return x;
    sym a = replace(v, n.a, old, new, depth + 1);
    if (n.op == SYM_LOAD)
        return a == n.a ? x : sym_make_load(&v->pool, a, n.width);
    sym b = n.b == SYM_NONE ? SYM_NONE : replace(v, n.b, old, new, depth + 1);
    sym c = n.c == SYM_NONE ? SYM_NONE : replace(v, n.c, old, new, depth + 1);
    return a == n.a && b == n.b && c == n.c ? x : sym_make(&v->pool, (enum op)n.op, n.width, a, b, c, n.lo);
}

sym value_settle(struct values *v, uint32_t bb, sym x, sym leaf)
{
    struct range r = value_range(v, bb, leaf);
    if (r.count != 1)
        return x;
    return replace(v, x, leaf, sym_const(&v->pool, sym_at(&v->pool, leaf)->width, r.start), 0);
}

struct range value_range(struct values *v, uint32_t bb, sym x)
{
    struct question q = {.v = v, .steps = RANGE_STEPS};
    struct range r = range_at_entry(&q, bb, x);
    question_free(&q);
    return r.count == UINT64_MAX ? (struct range){0, 0} : r;
}

struct range value_range_at_end(struct values *v, uint32_t bb, sym x)
{
    struct range r = range_on_edge(v, bb, UINT32_MAX, x);
    struct range shape = sym_shape_range(&v->pool, x);
    if (range_useful(r) && r.count != shape.count)
        return r;
    return range_both(sym_at(&v->pool, x)->width, r, value_range(v, bb, x));
}

static bool fits(struct question *q, uint32_t bb, sym x, unsigned bits)
{
    struct values *v = q->v;
    if (sym_shape_fits(&v->pool, x, bits))
        return true;
    if (sym_at(&v->pool, x)->op == SYM_TOP || bb == 0 || v->bb[bb].pred.len == 0)
        return false;
    for (unsigned i = 0; i < q->depth; i++) {
        if (q->open[i].bb == bb && q->open[i].x == x)
            return true; /* unchanged by the loop: as on entering it */
    }
    uint64_t known;
    if (map_get(&q->done, question_key(bb, x), &known))
        return known;
    if (q->depth == RANGE_DEPTH || q->steps == 0)
        return false;
    q->steps--;
    q->open[q->depth].bb = bb;
    q->open[q->depth++].x = x;
    bool all = true;
    for (size_t i = 0; i < v->bb[bb].pred.len && all; i++) {
        struct pred p = v->bb[bb].pred.data[i];
        all = fits(q, p.bb, value_back(v, x, &p), bits);
    }
    q->depth--;
    map_set(&q->done, question_key(bb, x), all);
    return all;
}

bool value_fits(struct values *v, uint32_t bb, sym x, unsigned bits)
{
    struct question q = {.v = v, .steps = RANGE_STEPS};
    bool yes = fits(&q, bb, x, bits);
    question_free(&q);
    return yes;
}
