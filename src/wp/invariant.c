/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop invariants, checked by induction: the invariant must hold when the loop is entered; then everything
 * the loop may change is havocked but for the invariant; and it must hold when the head is reached again.
 * Nothing is unrolled: whatever follows from the invariant at the loop's exits holds for any number of
 * iterations. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "term/smtlib.h"
#include "wp/internal.h"

/* (((address 0x12) (invariant "(assert ...)")) ...) */
static bool read_one(struct wp *w, const struct sexp *s)
{
    struct invariant v = {0};
    bool address = false;
    for (size_t i = 0; s->token == SMTLIB_OPEN && i < s->nkids; i++) {
        const struct sexp *pair = s->kid[i];
        if (pair->token != SMTLIB_OPEN || pair->nkids < 2)
            continue;
        if (sexp_is(pair->kid[0], "address")) {
            /* 0x12 is two words in SMT-LIB: 0 and x12 */
            struct buf number = BUF_INIT;
            char *end;
            for (size_t k = 1; k < pair->nkids; k++)
                buf_puts(&number, pair->kid[k]->text ? pair->kid[k]->text : "?");
            v.address = object_internal_address(w->side[0].code->o, strtoull(buf_text(&number), &end, 0));
            address = number.len && !*end;
            buf_free(&number);
        } else if (sexp_is(pair->kid[0], "invariant") && pair->kid[1]->text) {
            v.text = arena_strndup(w->arena, pair->kid[1]->text, pair->kid[1]->len);
        }
    }
    if (!address || !v.text)
        return wp_fail(w, "--loop-invariant: %u:%u: expected ((address 0x...) (invariant \"(assert ...)\"))",
                       s->line, s->column);
    vec_push(&w->invariant, v);
    return true;
}

bool invariants_read(struct wp *w)
{
    const char *text = w->opt->loop_invariant;
    if (!text)
        return true;
    struct smtlib_lexer lexer;
    struct arena arena = ARENA_INIT;
    struct sexp *s;
    struct error err = {0};
    smtlib_lexer_init(&lexer, text, strlen(text));
    bool ok = sexp_read(&lexer, &arena, &s, &err);
    if (!ok)
        wp_fail(w, "--loop-invariant: %s", err.text);
    else if (!s || s->token != SMTLIB_OPEN)
        ok = wp_fail(w, "--loop-invariant: expected (((address 0x...) (invariant \"(assert ...)\")) ...)");
    for (size_t i = 0; ok && i < s->nkids; i++)
        ok = read_one(w, s->kid[i]);
    arena_free(&arena);
    return ok;
}

/* ---- what a loop may change ---- */

struct loop_effect {
    bool *in;        /* by block */
    uint8_t *writes; /* by word of the register file */
    bool calls, unknown_store;
};

/* The blocks from which the head can be reached again without leaving through it. */
static void find_loop(const struct flow_graph *g, uint32_t head, bool *in)
{
    bool *from = xcalloc(g->nblocks, sizeof *from);
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, head);
    while (todo.len) {
        uint32_t b = vec_pop(&todo);
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++)
            if (!from[g->edge[e].to]) {
                from[g->edge[e].to] = true;
                vec_push(&todo, g->edge[e].to);
            }
    }
    in[head] = true;
    vec_push(&todo, head);
    while (todo.len) {
        uint32_t b = vec_pop(&todo);
        for (uint32_t e = 0; e < g->nedges; e++)
            if (g->edge[e].to == b && from[g->edge[e].from] && !in[g->edge[e].from]) {
                in[g->edge[e].from] = true;
                vec_push(&todo, g->edge[e].from);
            }
    }
    vec_free(&todo);
    free(from);
}

static void find_writes(struct side *s, const struct flow_graph *g, struct loop_effect *l)
{
    unsigned unit = s->code->m->pointer_width / 8;
    for (uint32_t b = 0; b < g->nblocks; b++) {
        const struct ir_block *k = &g->block[b];
        if (!l->in[b])
            continue;
        l->calls = l->calls || k->end.kind == IR_END_CALL || k->end.kind == IR_END_SYSCALL || k->nevent ||
                   k->nunknown;
        for (uint32_t i = 0; i < k->ninsn; i++) {
            const struct ir_insn *in = &k->insn[i];
            if (in->op == IR_EXIT && in->exit == IR_EXIT_CALL)
                l->calls = true;
            if (in->op != IR_PUT)
                continue;
            unsigned bytes = (k->insn[in->b].width + 7u) / 8;
            for (unsigned o = in->a; o < in->a + bytes; o++)
                l->writes[o / unit] = 1;
        }
    }
}

/* A store at register plus constant, where the loop does not change the register. */
struct cell {
    unsigned reg;
    uint64_t offset;
    unsigned bytes;
};
typedef VEC(struct cell) cell_vec;

static bool address_of(struct side *s, const struct ir_block *k, ir_val v, const struct loop_effect *l,
                       struct cell *out)
{
    const struct ir_insn *in = &k->insn[v];
    unsigned unit = s->code->m->pointer_width / 8;
    if (in->op == IR_GET) {
        *out = (struct cell){.reg = in->a};
        /* an earlier assignment in the block would make it another value; the loop makes none */
        return in->width == s->code->m->pointer_width && !l->writes[in->a / unit];
    }
    if (in->op != OP_ADD && in->op != OP_SUB)
        return false;
    const struct ir_insn *c = &k->insn[in->b], *other = &k->insn[in->a];
    ir_val base = in->a;
    if (c->op != IR_CONST && other->op == IR_CONST && in->op == OP_ADD) {
        c = other;
        base = in->b;
    }
    if (c->op != IR_CONST || c->width > 64 || !address_of(s, k, base, l, out))
        return false;
    uint64_t n = ir_imm(c->a, c->b);
    out->offset += in->op == OP_ADD ? n : -n;
    return true;
}

static void find_stores(struct side *s, const struct flow_graph *g, struct loop_effect *l, cell_vec *cells)
{
    for (uint32_t b = 0; b < g->nblocks; b++) {
        const struct ir_block *k = &g->block[b];
        for (uint32_t i = 0; l->in[b] && i < k->ninsn; i++) {
            if (k->insn[i].op != IR_STORE)
                continue;
            struct cell c;
            if (address_of(s, k, k->insn[i].a, l, &c)) {
                c.bytes = k->insn[k->insn[i].b].width / 8;
                vec_push(cells, c);
            } else {
                l->unknown_store = true;
            }
        }
    }
}

static void forget(struct side *s, struct exec_moment *at, const struct flow_graph *g, uint32_t head)
{
    struct wp *w = s->w;
    unsigned unit = s->code->m->pointer_width / 8, words = (s->code->m->file_size + unit - 1) / unit;
    struct loop_effect l = {.in = xcalloc(g->nblocks, sizeof(bool)), .writes = xcalloc(words, 1)};
    cell_vec cells = VEC_INIT;
    find_loop(g, head, l.in);
    find_writes(s, g, &l);
    find_stores(s, g, &l, &cells);
    if (l.calls) { /* what a callee may change: everything that it need not keep */
        memset(l.writes, 1, words);
        for (unsigned i = 0; i < s->code->m->nsaved; i++)
            l.writes[s->code->m->saved[i] / unit] = 0;
        l.writes[s->code->m->sp / unit] = 0;
        find_writes(s, g, &l);
    }
    unsigned sp = s->code->m->sp / unit;
    if (l.unknown_store || l.calls) {
        moment_forget_memory(at);
    } else {
        for (size_t i = 0; i < cells.len; i++) {
            term base = moment_register(at, cells.data[i].reg, s->code->m->pointer_width);
            moment_store(at, term_add_const(w->t, base, cells.data[i].offset),
                         term_fresh(w->t, "any", cells.data[i].bytes * 8));
        }
    }
    for (unsigned i = 0; i < words; i++) {
        if (l.writes[i] && i != sp) /* which must be the same again: part of the invariant */
            moment_set(at, i * unit, term_fresh(w->t, "any", unit * 8));
    }
    vec_free(&cells);
    free(l.in);
    free(l.writes);
}

/* A head that is come to again from outside its loop: the other loop has to be cut by an invariant, too. */
static bool is_inside_another(struct side *s, const struct flow_graph *g, uint32_t head)
{
    const uint32_t *idom = flow_dominators(s->code->p, g);
    bool *from = xcalloc(g->nblocks, sizeof *from), found = false;
    VEC(uint32_t) todo = VEC_INIT;
    vec_push(&todo, head);
    while (todo.len) {
        uint32_t b = vec_pop(&todo);
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
            uint32_t to = g->edge[e].to;
            bool cut = false; /* another head with an invariant */
            for (size_t i = 0; i < s->w->invariant.len && to != head; i++)
                cut = cut || s->w->invariant.data[i].address == g->block[to].label;
            if (!from[to] && !cut) {
                from[to] = true;
                vec_push(&todo, to);
            }
        }
    }
    for (uint32_t e = 0; e < g->nedges && !found; e++) {
        if (g->edge[e].to != head || !from[g->edge[e].from])
            continue;
        uint32_t b = g->edge[e].from;
        while (b != head && b != UINT32_MAX && idom[b] != b)
            b = idom[b];
        found = b != head;
    }
    vec_free(&todo);
    free(from);
    return found;
}

bool invariant_enter(struct side *s, struct exec_moment *at, ir_label block, unsigned n)
{
    struct wp *w = s->w;
    uint64_t address = s->code->m->arch == MACHINE_ARM ? block & ~UINT64_C(1) : block;
    struct invariant *v = NULL;
    for (size_t i = 0; i < w->invariant.len; i++)
        if (w->invariant.data[i].address == address)
            v = &w->invariant.data[i];
    if (!v || moment_depth(at) != 0 || w->failed)
        return true;
    v->seen = true;
    struct condition_names names = {.side = s, .now = at};
    term holds = condition_read(w, "--loop-invariant", v->text, &names);
    if (holds == TERM_NONE)
        return false;
    bool first = n == 1;
    term sp = moment_register(at, s->code->m->sp, s->code->m->pointer_width);
    if (first)
        v->sp = sp;
    else
        holds = term_and(w->t, holds, term_eq(w->t, sp, v->sp));
    goal_add(w, (struct goal){.kind = first ? GOAL_INVARIANT : GOAL_INDUCTIVE,
                              .side = (uint8_t)s->code->new,
                              .site = address,
                              .when = moment_condition(at),
                              .must = holds,
                              .tag = arena_printf(w->arena,
                                                  first ? "the invariant holds when the loop at 0x%" PRIx64
                                                          " is entered"
                                                        : "the invariant of the loop at 0x%" PRIx64
                                                          " holds after another iteration",
                                                  object_display_address(s->code->o, address))});
    if (!first)
        return false;
    const struct flow_graph *g = flow_graph(s->code->p, s->code->f);
    for (uint32_t b = 0; b < g->nblocks; b++) {
        if (g->block[b].label != block)
            continue;
        if (is_inside_another(s, g, b))
            w->open = arena_printf(
                w->arena, "the loop at 0x%" PRIx64 " is nested in another, which needs an invariant, too",
                object_display_address(s->code->o, address));
        forget(s, at, g, b);
    }
    names.now = at;
    holds = condition_read(w, "--loop-invariant", v->text, &names);
    if (holds != TERM_NONE)
        moment_assume(at, holds);
    return holds != TERM_NONE;
}
