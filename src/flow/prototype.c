/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a function takes and whether it returns a value. From the code: an argument register
 * counts when it may be read while it still holds what the caller put there; a stack argument when the
 * caller's side of the frame is read. A value is returned when the result register is written on every path
 * to every return, by an instruction or by a call that returns one. That a value is written and never used by
 * any caller cannot be seen here. Where all that a caller may find is what an unknown callee left, or an
 * argument as it came, it is not known whether a value is returned. */
#include <string.h>

#include "flow/value.h"

enum { PROTO_DEPTH = 6, PROTO_BLOCKS = 4000 };

/* What the result register may hold. */
enum { RESULT_ENTRY = 1, RESULT_WRITTEN = 2, RESULT_NONE = 4, RESULT_UNSURE = 8 };

static bool counts_as_float(const struct object_type_info *t)
{
    return t && t->kind == TYPE_FLOAT;
}

/* Words of a stack or core registers that a value of this type takes on a machine with small registers. */
static int words(const struct program *p, const struct object_type_info *t)
{
    unsigned word = p->machine->pointer_width / 8;
    if (!t || t->size <= word || t->kind == TYPE_ARRAY)
        return 1;
    return (int)((t->size + word - 1) / word);
}

static struct flow_prototype from_debug(const struct program *p, const struct object_function_debug *d)
{
    struct flow_prototype out = {.source = PROTO_DWARF, .variadic = d->variadic, .noreturn = d->noreturn};
    for (size_t i = 0; i < d->nparams; i++) {
        const struct object_type_info *t = d->param[i].type;
        if (counts_as_float(t))
            out.nfargs++;
        else if (t && (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION) && t->size > 16)
            out.nargs += p->machine->arch == MACHINE_ARM64 ? 1
                         : p->machine->pointer_width == 32 ? words(p, t)
                                                           : 0;
        else
            out.nargs += words(p, t);
    }
    out.returns = d->result != NULL && d->result->kind != TYPE_VOID;
    out.returns_float = counts_as_float(d->result);
    /* A large structure is returned through a hidden pointer, which AArch64 passes in a register of its own.
     */
    if (d->result && (d->result->kind == TYPE_STRUCT || d->result->kind == TYPE_UNION) &&
        p->machine->arch != MACHINE_ARM64 &&
        d->result->size > (p->machine->pointer_width == 64   ? 16
                           : p->machine->arch == MACHINE_ARM ? 4
                                                             : 0))
        out.nargs++;
    return out;
}

static struct flow_prototype from_entry(const struct program *p, const struct flow_library_entry *e)
{
    struct flow_prototype out = {.nfargs = (int)e->nfargs,
                                 .variadic = e->variadic,
                                 .returns = e->returns,
                                 .returns_float = e->returns_float,
                                 .noreturn = e->noreturn,
                                 .source = PROTO_LIBRARY};
    for (unsigned i = 0; i < e->nparams; i++) {
        if (!strchr("fdD", e->arg[i]))
            out.nargs += e->arg[i] == LIBRARY_WIDE && p->machine->pointer_width == 32 ? 2 : 1;
    }
    return out;
}

bool flow_library_prototype(const struct program *p, const char *name, struct flow_prototype *out)
{
    const struct flow_library_entry *e = flow_library_find(p->library, name);
    if (e)
        *out = from_entry(p, e);
    return e != NULL;
}

bool prototype_from_debug(const struct program *p, const struct object_function_debug *d,
                          struct flow_prototype *out)
{
    unsigned word = p->machine->pointer_width / 8;
    if (!d || d->variadic || (d->result && d->result->size > word))
        return false;
    for (size_t i = 0; i < d->nparams; i++) {
        const struct object_type_info *t = d->param[i].type;
        bool plain = t && (t->kind == TYPE_INT || t->kind == TYPE_BOOL || t->kind == TYPE_ENUM ||
                           t->kind == TYPE_POINTER);
        /* Floats have registers of their own on machines with 64 bits. */
        if (!t || t->size > word || !(plain || (counts_as_float(t) && word == 8)))
            return false;
    }
    *out = from_debug(p, d);
    return true;
}

bool flow_declared_prototype(const struct program *p, uint64_t site, const char *name,
                             struct flow_prototype *out)
{
    return prototype_from_debug(p, object_debug_declared(p->object, site, name), out);
}

unsigned flow_argument_bits(const struct program *p, uint64_t site, const char *name, unsigned i)
{
    const struct flow_library_entry *e = flow_library_find(p->library, name);
    struct flow_prototype declared;
    unsigned n = 0;
    for (unsigned k = 0; e && k < e->nparams; k++)
        if (!strchr("fdD", e->arg[k]) && n++ == i)
            return e->arg[k] == LIBRARY_INT ? 32 : 64;
    if (e || !flow_declared_prototype(p, site, name, &declared))
        return 0;
    const struct object_function_debug *d = object_debug_declared(p->object, site, name);
    for (size_t k = 0; k < d->nparams; k++)
        if (!counts_as_float(d->param[k].type) && n++ == i)
            return (unsigned)d->param[k].type->size * 8;
    return 0;
}

/* ---- from the code ---- */

struct facts {
    uint32_t entry; /* argument registers that may still hold what the caller put there: int from bit 0, float
                       from 8 */
    uint32_t set;   /* ... that may have been set since the last call */
    uint8_t result, fresult; /* sets of RESULT_* */
    bool reached;
};

struct recovery {
    struct program *p;
    const struct flow_graph *g;
    struct facts *in;
    uint32_t used, left;     /* registers for arguments: read, left to callees nothing is known of */
    int words;               /* of the caller's stack, that functions it ends with take */
    bool left_words;         /* ... or may take, of which nothing is known */
    uint8_t result, fresult; /* over all returns */
    bool any_return;
    unsigned depth;
};

static struct flow_prototype prototype(struct program *p, uint32_t index, unsigned depth);

static uint32_t arguments_at(const struct ir_machine *m, unsigned offset, unsigned bytes)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < m->nargs; i++) {
        if (offset < m->arg[i] + m->pointer_width / 8u && m->arg[i] < offset + bytes)
            set |= 1u << i;
    }
    for (unsigned i = 0; i < m->nfargs; i++) {
        if (offset < m->farg[i] + 8u && m->farg[i] < offset + bytes)
            set |= 256u << i;
    }
    return set;
}

static uint32_t first_arguments(const struct ir_machine *m, int n, int nf)
{
    uint32_t set = 0;
    for (int i = 0; i < n && i < (int)m->nargs; i++)
        set |= 1u << i;
    for (int i = 0; i < nf && i < (int)m->nfargs; i++)
        set |= 256u << i;
    return set;
}

static struct flow_prototype callee_prototype(struct recovery *r, const struct flow_call *c)
{
    struct flow_prototype none = {.nargs = -1}, out;
    uint32_t f = c->target ? program_index_at(r->p, c->target) : NO_INDEX;
    const struct object_stub *stub = c->target ? object_stub_at(r->p->object, c->target) : NULL;
    if (stub && stub->target && !stub->ifunc && program_index_at(r->p, stub->target) != NO_INDEX)
        f = program_index_at(r->p, stub->target);
    bool elsewhere = f == NO_INDEX || r->p->function.data[f].flags & (FLOW_PLT | FLOW_EXTERN);
    if (elsewhere)
        return c->name && flow_library_prototype(r->p, c->name, &out) ? out : none;
    return prototype(r->p, f, r->depth + 1);
}

static void apply_call(struct recovery *r, const struct flow_call *c, struct facts *x, bool tail)
{
    const struct ir_machine *m = r->p->machine;
    struct flow_prototype proto = callee_prototype(r, c);
    if (proto.nargs > 0 || proto.nfargs > 0)
        r->used |= first_arguments(m, proto.nargs, proto.nfargs) & x->entry;
    if (proto.nargs < 0 || proto.hands_on)
        r->left |= x->entry;
    if (tail) {
        const uint32_t all = first_arguments(m, m->nargs, 0);
        const int words = proto.nargs + (m->nfargs ? 0 : 2 * proto.nfargs) - (int)m->nargs;
        if (proto.nargs < 0 || proto.hands_on || proto.variadic)
            r->left_words = r->left_words || ((x->entry | x->set) & all) == all;
        r->words = words > r->words ? words : r->words;
    }
    bool unsure = proto.nargs < 0 || proto.returns_unknown;
    uint8_t result = unsure                                  ? RESULT_UNSURE
                     : proto.returns && !proto.returns_float ? RESULT_WRITTEN
                                                             : RESULT_NONE;
    uint8_t fresult = unsure ? RESULT_UNSURE : proto.returns_float ? RESULT_WRITTEN : RESULT_NONE;
    if (tail) {
        if (!c->noreturn) {
            r->any_return = true;
            r->result |= result;
            r->fresult |= fresult;
        }
        return;
    }
    x->entry = x->set = 0;
    /* Compilers know which registers a function of their own file leaves alone: i386 asks for its own address
     * after mov $-1, %eax. Where arguments come in registers that is seldom, and the last argument of a
     * callee would look like a result. */
    if (m->nargs || !proto.keeps_result)
        x->result = result;
    x->fresult = fresult;
}

bool insn_only_saves(const struct ir_machine *m, const struct ir_block *b, bool entry,
                     const struct ir_mark *mark, uint32_t to)
{
    bool stores = false, moves = false, link = false;
    for (uint32_t i = mark->first; i < to; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_STORE) {
            const struct ir_insn *v = &b->insn[in->b];
            stores = stores || v->op == IR_GET;
            link = link || (v->op == IR_GET && v->a == m->lr);
        }
        moves = moves || (in->op == IR_PUT && in->a == m->sp);
    }
    if (m->arch == MACHINE_ARM)
        return link;
    return m->call_pushes && entry && mark->length == 1 && stores && moves;
}

bool insn_has_operand(const struct ir_block *b, const struct ir_insn *in, ir_val v)
{
    switch (in->op) {
    case IR_CONST:
    case IR_GET:
    case IR_UNKNOWN:
        return false;
    case IR_PUT:
        return in->b == v;
    case IR_LOAD:
    case IR_STORE:
        return in->a == v || in->b == v || in->c == v;
    case IR_EXIT:
        return in->a == v;
    case IR_PURE:
        for (uint32_t i = 0; i < in->c; i++) {
            if (b->arg[in->b + i] == v)
                return true;
        }
        return false;
    case IR_EVENT: {
        const struct ir_event *e = &b->event[in->a];
        for (uint32_t i = 0; i < e->nargs; i++) {
            if (b->arg[e->args + i] == v)
                return true;
        }
        return e->guard == v || e->mem_addr == v;
    }
    default:
        if (in->op == OP_EXTRACT)
            return in->a == v;
        return in->a == v || (op_info[in->op].arity > 1 && in->b == v) ||
               (op_info[in->op].arity > 2 && in->c == v) || (op_info[in->op].arity > 3 && in->d == v);
    }
}

bool insn_read_again(const struct ir_block *b, ir_val v, uint32_t from)
{
    for (uint32_t i = from; i < b->ninsn; i++) {
        if (insn_has_operand(b, &b->insn[i], v))
            return true;
    }
    return b->end.next == v;
}

/* x86-64 compilers make room for one word with push rax, and give it back with pop rax where no result is in
 * it, with pop rcx where there is one. Is this that pop? */
static bool drops_padding(const struct recovery *r, const struct ir_block *b, const struct ir_mark *mark)
{
    const struct ir_machine *m = r->p->machine;
    const struct ir_block *first = &r->g->block[0];
    if (m->arch != MACHINE_AMD64 || b->end.kind != IR_END_RET || b->nmark < 2 ||
        mark != &b->mark[b->nmark - 2] || mark->length != 1)
        return false;
    for (uint32_t k = 0; k < first->nmark; k++) {
        uint32_t to = k + 1 < first->nmark ? first->mark[k + 1].first : first->ninsn;
        for (uint32_t i = first->mark[k].first; first->mark[k].length == 1 && i < to; i++) {
            const struct ir_insn *in = &first->insn[i];
            if (in->op == IR_STORE && first->insn[in->b].op == IR_GET && first->insn[in->b].a == m->ret)
                return true;
        }
    }
    return false;
}

/* What the block puts last into the register of float results is a vector that it stores as it is: it may be
 * there for that alone, as compilers clear and copy several words at once. */
static bool only_stores_vector(const struct ir_machine *m, const struct ir_block *b)
{
    enum { VECTOR = 128 };
    ir_val put = IR_NONE;
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[i].a == m->fret)
            put = b->insn[i].b;
    bool stored = false;
    for (uint32_t i = 0; i < b->ninsn && put != IR_NONE; i++) {
        const struct ir_insn *in = &b->insn[i], *x = &b->insn[put];
        if (in->op != IR_STORE || b->insn[in->b].width < VECTOR)
            continue;
        const struct ir_insn *y = &b->insn[in->b];
        stored = stored || x == y ||
                 (x->op == IR_CONST && y->op == IR_CONST && x->width == y->width &&
                  bits_eq(b->wide[x->a], b->wide[y->a]));
    }
    return stored;
}

static struct facts transfer(struct recovery *r, uint32_t index, struct facts x)
{
    const struct ir_machine *m = r->p->machine;
    const struct ir_block *b = &r->g->block[index];
    uint32_t mark = 0;
    bool saving = false;
    uint32_t to = 0;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        while (mark < b->nmark && b->mark[mark].first <= i) {
            to = mark + 1 < b->nmark ? b->mark[mark + 1].first : b->ninsn;
            saving = insn_only_saves(m, b, index == 0, &b->mark[mark], to);
            mark++;
        }
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_GET && in->a != m->sp) {
            if (!saving || insn_read_again(b, i, to))
                r->used |= arguments_at(m, in->a, (in->width + 7u) / 8) & x.entry;
        } else if (in->op == IR_PUT) {
            unsigned width = b->insn[in->b].width, bytes = (width + 7u) / 8;
            if (width >= 32)
                x.entry &= ~arguments_at(m, in->a, bytes);
            x.set |= arguments_at(m, in->a, bytes);
            if (in->a == m->ret)
                x.result = mark && drops_padding(r, b, &b->mark[mark - 1]) ? RESULT_NONE : RESULT_WRITTEN;
            if (in->a == m->fret)
                x.fresult = RESULT_WRITTEN;
        } else if (in->op == IR_EVENT) {
            const struct ir_event *e = &b->event[in->a];
            for (unsigned j = 0; j < e->nreads; j++)
                r->used |= arguments_at(m, e->reads[j].offset, e->reads[j].bytes) & x.entry;
            for (unsigned j = 0; j < e->nwrites; j++) {
                x.entry &= ~arguments_at(m, e->writes[j].offset, e->writes[j].bytes);
                x.set |= arguments_at(m, e->writes[j].offset, e->writes[j].bytes);
                if (e->writes[j].offset <= m->ret && m->ret < e->writes[j].offset + e->writes[j].bytes)
                    x.result = RESULT_WRITTEN;
                if (e->writes[j].offset <= m->fret && m->fret < e->writes[j].offset + e->writes[j].bytes)
                    x.fresult = RESULT_WRITTEN;
            }
        } else if (in->op == IR_UNKNOWN) {
            const struct ir_unknown *u = &b->unknown[in->a];
            for (unsigned j = 0; j < u->nreads; j++)
                r->used |= arguments_at(m, u->reads[j].offset, u->reads[j].bytes) & x.entry;
            for (unsigned j = 0; j < u->nwrites; j++)
                if (u->writes[j].offset <= m->ret && m->ret < u->writes[j].offset + u->writes[j].bytes)
                    x.result = RESULT_WRITTEN;
        }
    }
    if (only_stores_vector(m, b))
        x.fresult = RESULT_UNSURE;
    for (uint32_t i = 0; i < r->g->ncalls; i++) {
        const struct flow_call *c = &r->g->call[i];
        if (c->block == index)
            apply_call(r, c, &x, c->kind == CALL_TAIL || c->kind == CALL_TAIL_INDIRECT);
    }
    bool returns = b->end.kind == IR_END_RET;
    for (uint32_t i = 0; i < b->ninsn && !returns; i++)
        returns = b->insn[i].op == IR_EXIT && b->insn[i].exit == IR_EXIT_RET;
    if (returns) {
        r->any_return = true;
        r->result |= x.result;
        r->fresult |= x.fresult;
    }
    if (b->end.kind == IR_END_SYSCALL)
        x.result = RESULT_WRITTEN;
    return x;
}

static void walk(struct recovery *r)
{
    VEC(uint32_t) work = VEC_INIT;
    r->in[0] = (struct facts){.entry = first_arguments(r->p->machine, 8, 8),
                              .result = RESULT_ENTRY,
                              .fresult = RESULT_ENTRY,
                              .reached = true};
    vec_push(&work, 0);
    while (work.len) {
        uint32_t at = vec_pop(&work);
        struct facts out = transfer(r, at, r->in[at]);
        for (uint32_t e = r->g->first_edge[at]; e < r->g->first_edge[at + 1]; e++) {
            struct facts *to = &r->in[r->g->edge[e].to];
            struct facts was = *to;
            bool thrown = r->g->edge[e].kind == EDGE_UNWIND; /* the registers then hold the exception */
            to->entry |= out.entry;
            to->set |= out.set;
            to->result |= thrown ? RESULT_NONE : out.result;
            to->fresult |= thrown ? RESULT_NONE : out.fresult;
            to->reached = true;
            if (!was.reached || was.entry != to->entry || was.set != to->set || was.result != to->result ||
                was.fresult != to->fresult)
                vec_push(&work, r->g->edge[e].to);
        }
    }
    vec_free(&work);
}

void builder_reopen(struct builder *b, struct program *p, uint32_t index, const struct flow_graph *g,
                    struct arena *arena)
{
    builder_init(b, p, index, arena);
    for (uint32_t i = 0; i < g->nblocks; i++) {
        vec_push(&b->bb, (struct bb){.label = g->block[i].label, .b = g->block[i], .lifted = true});
        map_set(&b->by_label, g->block[i].label, i);
    }
    for (uint32_t i = 0; i < g->nedges; i++) {
        const struct flow_edge *e = &g->edge[i];
        vec_push(&b->bb.data[e->from].succ, (struct succ){g->block[e->to].label, e->kind, e->insn, e->value});
    }
    b->values = values_new(b);
}

struct sum {
    int64_t offset;
    bool frame, index;
};

static void add_addends(const struct values *v, sym x, unsigned depth, struct sum *out)
{
    enum { DEEPEST = 6 };
    const struct sym_node *n = value_node(v, x);
    int64_t offset;
    uint64_t c;
    if (value_is_frame(v, x, &offset)) {
        out->frame = true;
        out->offset += offset;
    } else if (value_is_const(v, x, &c)) {
        out->offset += n->width == 32 ? (int32_t)c : (int64_t)c;
    } else if (n->op == OP_ADD && depth < DEEPEST) {
        add_addends(v, n->a, depth + 1, out);
        add_addends(v, n->b, depth + 1, out);
    } else {
        out->index = true;
    }
}

/* An index is added to an address among the words of the caller's stack. */
static bool is_indexed_word(const struct builder *b, sym address)
{
    struct sum all = {0};
    add_addends(b->values, address, 0, &all);
    return all.frame && all.index && all.offset >= (int64_t)b->p->machine->stack_arg;
}

/* Words of the caller's stack that are read, from the first stack argument on; *taken when an address there
 * is kept, as va_start does, or an index is added to one, so that there may be more. */
static int stack_words(struct program *p, uint32_t index, const struct flow_graph *g, bool *taken)
{
    const struct ir_machine *m = p->machine;
    struct arena arena = ARENA_INIT;
    struct builder b;
    builder_reopen(&b, p, index, g, &arena);
    unsigned word = m->pointer_width / 8;
    int most = 0;
    for (uint32_t i = 0; i < g->nblocks; i++) {
        for (uint32_t j = 0; j < g->block[i].ninsn; j++) {
            const struct ir_insn *in = &g->block[i].insn[j];
            int64_t offset;
            bool kept = in->op == IR_STORE || (in->op == IR_PUT && in->a != m->sp);
            if (kept && value_is_frame(b.values, value_of(b.values, i, in->b), &offset) &&
                offset >= (int64_t)m->stack_arg)
                *taken = true;
            if (in->op == IR_LOAD && in->d == 0 && is_indexed_word(&b, value_of(b.values, i, in->a)))
                *taken = true;
            if (in->op != IR_LOAD || in->d != 0 ||
                !value_is_frame(b.values, value_of(b.values, i, in->a), &offset) ||
                offset < (int64_t)m->stack_arg || offset > 1024)
                continue;
            int n = (int)((offset - m->stack_arg) / word) + (int)((in->width / 8 + word - 1) / word);
            if (n > most)
                most = n;
        }
    }
    builder_free(&b);
    arena_free(&arena);
    return most;
}

/* x86-64 passes the number of vector registers used to a variadic function in al, which nothing else reads on
 * entry; such a function begins by storing the registers of its unnamed arguments. Returns how many are
 * named, or -1. */
static int named_arguments(const struct ir_machine *m, const struct flow_graph *g)
{
    if (m->arch != MACHINE_AMD64)
        return -1;
    const struct ir_block *b = &g->block[0];
    bool tests_al = false;
    int named = (int)m->nargs;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT && in->a == m->ret)
            break;
        tests_al = tests_al || (in->op == IR_GET && in->a == m->ret);
    }
    for (uint32_t i = 0; tests_al && i < b->ninsn; i++) {
        if (b->insn[i].op != IR_STORE || b->insn[b->insn[i].b].op != IR_GET)
            continue;
        for (int j = 0; j < named; j++) {
            if (b->insn[b->insn[i].b].a == m->arg[j])
                named = j;
        }
    }
    return tests_al ? named : -1;
}

/* Whether what the returns leave in a result register may be a value that was only passed through. */
static bool may_hand_through(uint8_t result, uint16_t reg, uint16_t argument, bool argument_read)
{
    unsigned possible = RESULT_UNSURE | (reg == argument && argument_read ? RESULT_ENTRY : 0);
    return reg != UINT16_MAX && result && !(result & ~possible);
}

static int highest(uint32_t set)
{
    return set ? 32 - __builtin_clz(set) : 0;
}

static struct flow_prototype from_code(struct program *p, uint32_t index, unsigned depth)
{
    struct flow_prototype out = {.nargs = -1, .source = PROTO_CODE};
    bool kept = p->state.data[index].owned != NULL;
    const struct flow_graph *g = flow_graph(p, &p->function.data[index]);
    if (g->nblocks == 0 || g->nblocks > PROTO_BLOCKS) {
        if (!kept)
            flow_drop(p, &p->function.data[index]);
        out.returns_unknown = true;
        return out;
    }
    struct recovery r = {.p = p, .g = g, .depth = depth};
    r.in = xcalloc(g->nblocks, sizeof *r.in);
    walk(&r);
    out.nargs = highest(r.used & 0xff);
    out.nfargs = highest(r.used >> 8);
    out.hands_on = (r.left & 0xff) >> out.nargs || r.left >> 8 >> out.nfargs || r.left_words;
    int named = r.used >> 8 == 0xff ? named_arguments(p->machine, g) : -1;
    if (named >= 0) {
        out.variadic = true;
        out.nargs = named;
        out.nfargs = 0;
    } else if (out.nargs == (int)p->machine->nargs) {
        bool taken = false;
        const int words = stack_words(p, index, g, &taken);
        out.nargs += words > r.words ? words : r.words;
    }
    /* A call of a function that nothing is known of does not speak against a result; nor does an argument
     * that is returned as it came, where the first argument comes in the register of the result. */
    unsigned neutral =
        RESULT_UNSURE | (p->machine->ret == p->machine->arg[0] && p->machine->nargs ? RESULT_ENTRY : 0);
    out.returns = r.any_return && (r.result & ~neutral) == RESULT_WRITTEN;
    if (!out.returns && r.any_return && p->machine->fret != UINT16_MAX &&
        (r.fresult & ~RESULT_UNSURE) == RESULT_WRITTEN)
        out.returns = out.returns_float = true;
    const struct ir_machine *m = p->machine;
    if (!out.returns)
        out.returns_unknown =
            !r.any_return ||
            may_hand_through(r.result, m->ret, m->nargs ? m->arg[0] : UINT16_MAX, r.used & 1) ||
            may_hand_through(r.fresult, m->fret, m->nfargs ? m->farg[0] : UINT16_MAX, r.used & 256);
    out.keeps_result = r.any_return && r.result == RESULT_ENTRY;
    out.noreturn = g->noreturn;
    free(r.in);
    if (!kept)
        flow_drop(p, &p->function.data[index]);
    return out;
}

/* Is it the C library's function of that name, and not one of the program's own that happens to be called so?
 * Imported ones are, those of a static program are assumed to be, and so are those that the C library itself
 * defines. */
static bool is_library_function(const struct program *p, const struct flow_function *f)
{
    if (f->flags & (FLOW_PLT | FLOW_EXTERN))
        return true;
    const struct object_info *info = object_info(p->object);
    if (info->is_static && info->type == OBJECT_EXECUTABLE)
        return f->named;
    const struct object_symbol *symbol = f->named ? object_symbol_by_name(p->object, f->name) : NULL;
    return symbol && symbol->version && strncmp(symbol->version, "GLIBC_", 6) == 0;
}

/* The function of this very file that a stub leads to, or the function itself. */
static uint32_t behind_stub(const struct program *p, uint32_t index)
{
    const struct flow_function *f = &p->function.data[index];
    const struct object_stub *stub = f->flags & FLOW_PLT ? object_stub_at(p->object, f->address) : NULL;
    uint32_t own = stub && stub->target && !stub->ifunc ? program_index_at(p, stub->target) : NO_INDEX;
    return own != NO_INDEX && !(p->function.data[own].flags & (FLOW_PLT | FLOW_EXTERN)) ? own : index;
}

/* At the address of a function that is chosen when the program starts is who chooses it, and takes nothing.
 */
static bool from_tables(const struct program *p, const struct flow_function *f, struct flow_prototype *out)
{
    const struct object_function_debug *d =
        f->flags & FLOW_IFUNC ? NULL : object_debug_function(p->object, f->address);
    if (d && d->address == f->address) {
        *out = from_debug(p, d);
        return true;
    }
    return is_library_function(p, f) && flow_library_prototype(p, f->name, out);
}

static struct flow_prototype prototype(struct program *p, uint32_t index, unsigned depth)
{
    struct fn_state *s = &p->state.data[index];
    const struct flow_function *f = &p->function.data[index];
    struct flow_prototype out = {.nargs = -1};
    if (s->proto_done)
        return s->proto;
    uint32_t own = behind_stub(p, index);
    if (own != index)
        return prototype(p, own, depth);
    if (!from_tables(p, f, &out)) {
        if (f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_IFUNC) || s->proto_busy || depth > PROTO_DEPTH)
            return out;
        s->proto_busy = true;
        out = from_code(p, index, depth);
        s = &p->state.data[index];
        s->proto_busy = false;
    }
    out.noreturn = out.noreturn || fn_never_returns(p, index);
    if (out.noreturn)
        out.returns = out.returns_float = out.returns_unknown = false;
    s->proto = out;
    s->proto_done = true;
    return out;
}

struct flow_prototype flow_prototype(struct program *p, const struct flow_function *f)
{
    return prototype(p, (uint32_t)(f - p->function.data), 0);
}

struct flow_prototype flow_table_prototype(struct program *p, const struct flow_function *f)
{
    struct flow_prototype out = {.nargs = -1};
    uint32_t index = behind_stub(p, (uint32_t)(f - p->function.data));
    from_tables(p, &p->function.data[index], &out);
    return out;
}

int flow_stack_words(struct program *p, const struct flow_function *f, bool *taken)
{
    const struct flow_graph *g = flow_graph(p, f);
    *taken = false;
    return g->nblocks && g->nblocks <= PROTO_BLOCKS
               ? stack_words(p, (uint32_t)(f - p->function.data), g, taken)
               : -1;
}
