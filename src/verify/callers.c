/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What callers in the same file read of what the function leaves, besides what the calling convention
 * returns, and whether they heed that.
 *
 * A register counts if a caller of the old version reads it, and one of the new version: a caller that only
 * one version has is compared itself, with what is known of its callee. Flags are kept as an operation and
 * its operands, which may differ though the flags do not: so what the callers' blocks make of them is
 * compared. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { CALLERS_MAX = 64, CALLERS_DEPTH = 2, READERS_MAX = 8 };

static void targets_of(const struct pair_side *s, const struct flow_function *f, addresses *out)
{
    const struct object_stub *stub;
    size_t n = object_stubs(s->o, &stub);
    vec_push(out, f->address);
    for (size_t i = 0; i < n; i++)
        if (stub[i].target == f->address && !stub[i].ifunc)
            vec_push(out, stub[i].address);
}

/* Adds what callers read of what `f` leaves. `left`: this many callers may still be looked at. */
static void find_left(struct check *c, int s, const struct flow_function *f, unsigned depth, unsigned *left,
                      struct abi_reads_after *out)
{
    const struct pair_side *side = &c->pair.side[s];
    const struct flow_function *all;
    size_t n = program_functions(side->p, &all);
    addresses to = VEC_INIT;
    targets_of(side, f, &to);
    for (uint32_t i = 0; i < n && *left; i++) {
        if (all[i].flags & (FLOW_PLT | FLOW_EXTERN | FLOW_PART) || !callees_refers_to(c, s, i, &to))
            continue;
        --*left;
        struct abi_reads_after behind = abi_reads_after_begin(program_machine(side->p));
        if (depth < CALLERS_DEPTH && &all[i] != f)
            find_left(c, s, &all[i], depth + 1, left, &behind);
        abi_reads_after_add(out, side->p, &all[i], to.data, to.len, &behind);
        abi_reads_after_free(&behind);
    }
    vec_free(&to);
}

/* What the calling convention says of the slot is asked elsewhere. */
static bool is_of_convention(const struct ir_machine *m, unsigned slot)
{
    unsigned vector = 16, unit = m->pointer_width / 8, at = slot * unit;
    bool general = abi_is_flag_slot(m, slot);
    for (unsigned i = 0; i < m->nreg && !general; i++)
        general = !m->reg[i].pseudo && at >= m->reg[i].offset &&
                  at < m->reg[i].offset + (m->reg[i].width + 7u) / 8 && strncmp(m->reg[i].name, "mm", 2) != 0 &&
                  strncmp(m->reg[i].name, "fp", 2) != 0;
    for (unsigned i = 0; i < m->nsaved; i++)
        if (m->saved[i] / unit == slot)
            return true;
    return !general || at == m->ret || at == m->sp || at == m->pc || at == m->lr ||
           (m->fret != UINT16_MAX && at >= m->fret && at < m->fret + vector);
}

static const struct abi_reads_after *left_by(struct check *c)
{
    struct callers *k = &c->callers;
    if (k->known)
        return k->left;
    k->known = true;
    for (int s = 0; s < 2; s++) {
        unsigned left = CALLERS_MAX;
        k->left[s] = abi_reads_after_begin(program_machine(c->pair.side[s].p));
        find_left(c, s, c->pair.side[s].f, 0, &left, &k->left[s]);
    }
    return k->left;
}

void callers_free(struct callers *k)
{
    for (int s = 0; s < 2 && k->known; s++)
        abi_reads_after_free(&k->left[s]);
}

/* ---- results ---- */

/* Another file may call it. */
static bool is_reachable(const struct pair_side *s)
{
    const bool linked = object_info(s->o)->type != OBJECT_RELOCATABLE;
    const struct object_symbol *y;
    size_t n = object_symbols(s->o, &y);
    for (size_t i = 0; i < n; i++)
        if (y[i].address == s->f->address && !y[i].undefined && y[i].bind != BIND_LOCAL &&
            (y[i].dynamic || !linked))
            return true;
    return false;
}

bool callers_heed_result(struct check *c)
{
    const struct pair_side *side = &c->pair.side[NEW];
    const struct flow_function *all;
    size_t n = program_functions(side->p, &all);
    bool heed = is_reachable(side), some = false;
    addresses to = VEC_INIT;
    targets_of(side, side->f, &to);
    unsigned left = CALLERS_MAX;
    for (uint32_t i = 0; i < n && !heed; i++) {
        if (all[i].flags & (FLOW_PLT | FLOW_EXTERN | FLOW_PART) || &all[i] == side->f ||
            !callees_refers_to(c, NEW, i, &to))
            continue;
        some = true;
        heed = !left-- || abi_heeds_result(side->p, &all[i], to.data, to.len);
    }
    vec_free(&to);
    return heed || !some;
}

/* Data of the file, or that its dynamic linker fills in, leads there: somebody may call it through that. */
static bool is_pointed_to(const struct pair_side *s)
{
    const struct object_pointer *p;
    const size_t n = object_pointers(s->o, &p);
    for (size_t i = 0; i < n; i++)
        if (!p[i].name && !p[i].other && p[i].target == s->f->address)
            return true;
    return false;
}

enum answer callers_fail_on(struct check *c, int64_t number)
{
    bool fail = true, all_seen = true;
    for (int s = 0; s < 2 && fail; s++) {
        const struct pair_side *side = &c->pair.side[s];
        const struct flow_function *all;
        const size_t n = program_functions(side->p, &all);
        addresses to = VEC_INIT;
        bool some = false;
        /* Data of a program that is not moved leads anywhere without saying so, and on other processors an
         * address that is kept is put together. */
        all_seen =
            all_seen && side->m->arch == MACHINE_AMD64 && object_info(side->o)->type != OBJECT_EXECUTABLE;
        fail = !is_reachable(side) && !is_pointed_to(side);
        targets_of(side, side->f, &to);
        unsigned left = CALLERS_MAX;
        for (uint32_t i = 0; i < n && fail; i++) {
            if (all[i].flags & (FLOW_PLT | FLOW_EXTERN) || !callees_refers_to(c, s, i, &to))
                continue;
            some = true;
            fail = left-- && !(all[i].flags & FLOW_PART) &&
                   abi_fails_on(side->p, &all[i], to.data, to.len, number);
        }
        fail = fail && some;
        vec_free(&to);
    }
    return !fail ? NO : all_seen ? YES : UNDECIDED;
}

/* ---- flags ---- */

/* A caller's block as it runs after the exits of the two versions: the same state but for the flags. */
struct reading {
    struct view *w;
    const struct ir_block *b;
    term *value[2];
    struct map same[2]; /* registers, by offset and width, that were asked or put */
    struct map fresh;   /* what both begin with */
};

static term fresh_for(struct reading *r, uint64_t key, unsigned width)
{
    uint64_t known;
    if (!map_get(&r->fresh, key, &known)) {
        known = term_fresh(r->w->c->t, "caller", width);
        map_set(&r->fresh, key, known);
    }
    return (term)known;
}

static bool differs(struct reading *r, ir_val v)
{
    return v != IR_NONE && r->value[OLD][v] != r->value[NEW][v];
}

/* One instruction on both sides. *shows: what it makes of the flags is seen. False: it is not understood. */
static bool read_one(struct reading *r, uint32_t i, bool *shows)
{
    struct terms *t = r->w->c->t;
    const struct ir_insn *in = &r->b->insn[i];
    const struct ir_machine *m = program_machine(r->w->c->pair.side[OLD].p);
    unsigned unit = m->pointer_width / 8;
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    const struct end *end[2] = {r->w->o, r->w->n};
    for (int s = 0; s < 2; s++) {
        term *v = &r->value[s][i];
        uint64_t key = (uint64_t)in->a << 16 | in->width, put;
        switch (in->op) {
        case IR_CONST:
            *v = in->width <= 64 ? term_const(t, in->width, ir_imm(in->a, in->b))
                                 : term_const_bits(t, in->width, r->b->wide[in->a]);
            break;
        case IR_GET:
            if (map_get(&r->same[s], key, &put))
                *v = (term)put;
            else if (abi_is_flag_slot(m, in->a / unit))
                *v = view_side(r->w, end[s], exec_path_register(end[s]->s->x, end[s]->path, in->a, in->width));
            else
                *v = fresh_for(r, key, in->width);
            break;
        case IR_PUT:
            key = (uint64_t)in->a << 16 | r->b->insn[in->b].width;
            map_set(&r->same[s], key, r->value[s][in->b]);
            break;
        case OP_EXTRACT:
            *v = term_extract(t, r->value[s][in->a], in->b, in->width);
            break;
        case IR_LOAD:
        case IR_PURE:
            *v = fresh_for(r, UINT64_C(1) << 48 | i, in->width);
            break;
        case IR_STORE:
        case IR_EXIT:
            break;
        default: {
            if (in->op >= OP_COUNT_)
                return false;
            term kid[OP_MAX_ARITY];
            for (unsigned k = 0; k < op_info[in->op].arity; k++)
                kid[k] = r->value[s][arg[k]];
            *v = term_op(t, in->op, in->width, kid, op_info[in->op].arity);
        }
        }
    }
    *shows = ((in->op == IR_STORE || in->op == IR_LOAD) &&
              (differs(r, in->a) || differs(r, in->b) || differs(r, in->c))) ||
             (in->op == IR_EXIT && differs(r, in->a)) || (in->op == IR_PUT && differs(r, in->b));
    for (uint32_t k = 0; in->op == IR_PURE && k < in->c; k++)
        if (differs(r, r->b->arg[in->b + k]))
            return false;
    return true;
}

/* The value of the instruction that shows what the flags were. */
static ir_val shown_by(const struct reading *r, uint32_t i)
{
    const struct ir_insn *in = &r->b->insn[i];
    const ir_val of[] = {in->a, in->b, in->c};
    if (in->op == IR_EXIT)
        return in->a;
    if (in->op == IR_PUT)
        return in->b;
    for (unsigned k = 0; k < 3; k++)
        if (of[k] != IR_NONE && r->value[OLD][of[k]] != r->value[NEW][of[k]])
            return of[k];
    return IR_NONE;
}

/* The block behaves the same with the flags of both. */
static enum answer reads_same(struct view *w, const struct ir_block *b, term differ[2], struct term_model **model)
{
    struct reading r = {.w = w, .b = b};
    const struct ir_machine *m = program_machine(w->c->pair.side[OLD].p);
    enum answer out = YES;
    for (int s = 0; s < 2; s++)
        r.value[s] = xcalloc(b->ninsn + 1, sizeof(term));
    for (uint32_t i = 0; i < b->ninsn && out == YES; i++) {
        bool shows = false;
        if (!read_one(&r, i, &shows)) {
            out = UNDECIDED;
            break;
        }
        /* Flags that are passed on with what set them are read elsewhere. */
        if (!shows || (b->insn[i].op == IR_PUT && abi_is_flag_slot(m, b->insn[i].a * 8u / m->pointer_width)))
            continue;
        ir_val at = shown_by(&r, i);
        differ[OLD] = view_see(w, r.value[OLD][at]);
        differ[NEW] = view_see(w, r.value[NEW][at]);
        out = view_same(w, TERM_NONE, differ[OLD], differ[NEW], model);
    }
    for (int s = 0; s < 2; s++) {
        free(r.value[s]);
        map_free(&r.same[s]);
    }
    map_free(&r.fresh);
    return out;
}

static void compare_flags(struct view *w, const struct abi_reads_after *left, struct findings *found)
{
    struct check *c = w->c;
    for (size_t i = 0; i < left[OLD].reader.len; i++) {
        const struct abi_reader *r = &left[OLD].reader.data[i];
        const struct flow_graph *g = flow_graph(c->pair.side[OLD].p, r->f);
        struct term_model *model = NULL;
        term differ[2] = {TERM_NONE, TERM_NONE};
        enum answer a = i < READERS_MAX && r->block != UINT32_MAX ? reads_same(w, &g->block[r->block], differ, &model) : UNDECIDED;
        if (a == YES)
            continue;
        struct failure f = accept_failure(w, VERIFY_P3, a == NO ? YES : UNDECIDED, model);
        accept_differ(c, &f, differ[OLD], differ[NEW]);
        f.what = arena_printf(c->arena, "the flags, which %s reads", r->f->name);
        f.reason = reason_of(c->arena, VERIFY_REASON_CALLER_READS);
        accept_or_fail(c, found, f);
        return;
    }
}

/* ---- all of it ---- */

void callers_compare(struct view *w, struct findings *found)
{
    struct check *c = w->c;
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    bool returns = w->o->path->end == PATH_RETURN && w->n->path->end == PATH_RETURN, flags = false;
    for (unsigned s = 0; s < machine_slots(m) && returns && !m->locals; s++) {
        unsigned unit = m->pointer_width / 8;
        if (is_of_convention(m, s))
            continue;
        term a = exec_path_register(w->o->s->x, w->o->path, s * unit, c->width);
        term b = exec_path_register(w->n->s->x, w->n->path, s * unit, c->width);
        if (a == b)
            continue;
        a = view_side(w, w->o, a);
        b = view_side(w, w->n, b);
        if (a == b || !left_by(c)[OLD].slot[s] || !left_by(c)[NEW].slot[s])
            continue;
        if (abi_is_flag_slot(m, s)) {
            flags = true;
            continue;
        }
        struct term_model *model = NULL;
        enum answer r = view_same(w, TERM_NONE, a, b, &model);
        if (r == YES)
            continue;
        struct failure f = accept_failure(w, VERIFY_P3, r == NO ? YES : UNDECIDED, model);
        accept_differ(c, &f, a, b);
        const char *name = machine_register_name(m, s * unit, c->width);
        f.what = arena_printf(c->arena, "%s, which a caller in the file reads", name ? name : "a register");
        f.reason = reason_of(c->arena, VERIFY_REASON_CALLER_READS);
        f.refuted = f.refuted && !(clobbered_by_callee(c, a) && clobbered_by_callee(c, b));
        accept_or_fail(c, found, f);
    }
    if (flags)
        compare_flags(w, left_by(c), found);
}
