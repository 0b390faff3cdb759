/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What callers count on whatever the function was given: control comes back to them, with the stack pointer,
 * the callee-saved registers and the modes of the processor as they were. So this is compared where the input
 * is rejected, too (P2). A caller that looks at an error has to be there still. */
#include <string.h>

#include "verify/private.h"

/* Control comes back to the caller, be it from the function jumped to. */
static bool comes_back(const struct end *e)
{
    return e->path->end == PATH_RETURN || e->path->end == PATH_TAIL_CALL;
}

/* What a register holds when control comes back; for a version that never does, what it should hold. */
static term register_at(const struct check *c, const struct end *e, unsigned at, unsigned width)
{
    const struct ir_machine *m = program_machine(e->s->p);
    term x =
        comes_back(e) ? exec_path_register(e->s->x, e->path, at, width) : explorer_entry(e->s->x, at, width);
    /* The return address is yet to be popped. */
    return at == m->sp && e->path->end != PATH_RETURN ? term_add_const(c->t, x, m->call_pushes) : x;
}

static term returns_to(const struct end *e)
{
    return comes_back(e) ? e->path->returns_to : explorer_symbols(e->s->x).ret;
}

/* a and b are what the versions leave, as seen, `entry` is what was there at entry: that is never wrong where
 * the input is rejected, though the old version, overrun by it, leaves something else. TERM_NONE: it is not
 * asked for. */
static enum answer same(struct view *w, term entry, term a, term b, struct term_model **model)
{
    struct terms *t = w->c->t;
    term other = entry == TERM_NONE ? TERM_NONE : term_not(t, term_eq(t, view_side(w, w->n, entry), b));
    enum answer r = view_same(w, other, a, b, model);
    /* What a segment that does not begin at the entry finds in a register need not be what was there at
     * entry. */
    return r == NO && !comes_back(w->o) && w->c->now->inside ? UNDECIDED : r;
}

/* The old version goes on, and the two are looked at from a cut: what was there at entry is not known. It is
 * taken to be in the place of the frame that it is restored from; the stack pointer is known. */
static bool is_restored(const struct view *w, term x, unsigned at)
{
    const struct check *c = w->c;
    const struct terms *t = c->t;
    const struct ir_machine *m = program_machine(w->n->s->p);
    int64_t off;
    if (comes_back(w->o) || !c->now->inside || x == TERM_NONE)
        return false;
    if (at == m->sp)
        return pair_sp_offset(&c->pair, x, &off) && off == (int64_t)m->call_pushes;
    return term_kind(t, x) == TERM_READ && term_kind(t, term_kid(t, x, 0)) == TERM_VAR &&
           pair_sp_offset(&c->pair, term_kid(t, x, 1), &off);
}

/* What the caller had there, and should find. */
static term should_be(const struct check *c, const struct end *e, unsigned at, unsigned width)
{
    const struct ir_machine *m = program_machine(e->s->p);
    return term_add_const(c->t, explorer_entry(e->s->x, at, width), at == m->sp ? m->call_pushes : 0);
}

/* i386: a callee that returns a structure pops the pointer to it. Where the code of a callee is not there,
 * and the versions come back with the stack at different places, it is not known which of them counts on
 * that. */
bool kept_pops_open(const struct check *c, const struct failure *f)
{
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    const struct exec_path *const *p = f->path;
    if (m->arch != MACHINE_X86 || !p[OLD] || !p[NEW] || p[OLD]->end != PATH_RETURN ||
        p[NEW]->end != PATH_RETURN)
        return false;
    bool open = false;
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; i < p[s]->nevents && !open; i++)
            open = p[s]->event[i].kind == EVENT_CALL && p[s]->event[i].pops_open;
    if (!open)
        return false;
    term sp[2];
    for (int s = 0; s < 2; s++)
        sp[s] = exec_path_register(c->pair.side[s].x, p[s], m->sp, c->width);
    return sp[OLD] != sp[NEW] || p[OLD]->returns_to != p[NEW]->returns_to;
}

/* Callee-saved registers and the stack pointer. */
static void compare_registers(struct view *w, bool rejected, struct findings *found)
{
    struct check *c = w->c;
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    for (unsigned i = 0; i <= m->nsaved; i++) {
        unsigned off = i < m->nsaved ? m->saved[i] : m->sp;
        term a = register_at(c, w->o, off, c->width), b = register_at(c, w->n, off, c->width);
        if (a == b && a == (i < m->nsaved ? explorer_entry(w->o->s->x, off, c->width) : a))
            continue;
        if (is_restored(w, b, off))
            continue;
        struct term_model *model = NULL;
        a = view_side(w, w->o, a);
        b = view_side(w, w->n, b);
        /* On i386 a function may pop its arguments, and a caller counts on that whatever is returned. */
        const bool pops = off == m->sp && m->arch == MACHINE_X86;
        enum answer r =
            same(w, rejected && !pops ? should_be(c, w->n, off, c->width) : TERM_NONE, a, b, &model);
        if (r == YES)
            continue;
        struct failure f = accept_failure(w, VERIFY_P2, r == NO ? YES : UNDECIDED, model);
        const char *name = machine_register_name(m, off, c->width);
        f.question = VERIFY_Q1;
        accept_differ(c, &f, a, b);
        f.what = arena_printf(c->arena, "%s, which is callee-saved", name ? name : "a register");
        accept_or_fail(c, found, f);
    }
}

/* Code that is not the caller's comes next, and may look at anything. A symbol of a relation stands for
 * something else on one of the ways there: a return address that nobody overwrote stays what it is. */
static bool goes_elsewhere(const struct check *c, const struct end *e)
{
    if (!comes_back(e) || e->path->returns_to == TERM_NONE)
        return false;
    return explorer_return_to(e->s->x, e->path->returns_to) == RETURN_ELSEWHERE ||
           term_origin(c->t, e->path->returns_to).kind == TERM_ORIGIN_FRESH;
}

/* Where the two return to. A return address that nothing overwrote is the caller's in both. */
static void compare_return(struct view *w, bool rejected, struct findings *found)
{
    struct check *c = w->c;
    term a = returns_to(w->o), b = returns_to(w->n);
    const bool elsewhere = goes_elsewhere(c, w->o) && goes_elsewhere(c, w->n);
    if (!elsewhere && ((a == b && a != TERM_NONE) || is_restored(w, b, program_machine(w->n->s->p)->pc)))
        return;
    struct term_model *model = NULL;
    enum answer r = UNDECIDED;
    if (a != TERM_NONE && b != TERM_NONE) {
        a = view_side(w, w->o, a);
        b = view_side(w, w->n, b);
        r = same(w, rejected ? explorer_symbols(w->n->s->x).ret : TERM_NONE, a, b, &model);
    }
    if (r == YES && !elsewhere)
        return;
    struct failure f = accept_failure(w, VERIFY_P2, r == NO ? YES : UNDECIDED, model);
    f.question = VERIFY_Q1;
    accept_differ(c, &f, a, b);
    f.what = "the return address";
    f.reason = reason_of(c->arena, VERIFY_REASON_RETURN_ADDRESS);
    accept_or_fail(c, found, f);
}

/* `bits` of a register from `lo` on, 0: all of it. ARM keeps comparison and exception flags in the same
 * register. */
static const struct mode {
    const char *name, *what;
    uint8_t lo, bits;
    bool mmx; /* asked where such instructions are */
} modes[] = {{"<dflag>", "the direction of string instructions", 0, 0},
             {"<acflag>", "whether accesses that are not aligned trap", 0, 0},
             {"<sse_round>", "the rounding mode", 0, 0},
             {"<x87_round>", "the rounding mode of the x87 unit", 0, 0},
             {"<x87_top>", "the depth of the x87 stack", 0, 0},
             {"<x87_tag1>", "which registers of the x87 unit are empty", 0, 0, true},
             {"cs", "a segment register", 0, 0},
             {"ds", "a segment register", 0, 0},
             {"es", "a segment register", 0, 0},
             {"fs", "a segment register", 0, 0},
             {"gs", "a segment register", 0, 0},
             {"ss", "a segment register", 0, 0},
             {"fs_base", "where the data of the thread are", 0, 0},
             {"gs_base", "where the data of the thread are", 0, 0},
             {"tpidr_el0", "where the data of the thread are", 0, 0},
             {"tpidruro", "where the data of the thread are", 0, 0},
             {"tpidrurw", "where the data of the thread are", 0, 0},
             {"fpcr", "a mode of floating point", 0, 0},
             {"fpscr", "a mode of floating point", 22, 5}};
enum { MODES = sizeof modes / sizeof *modes };

void kept_modes(const struct ir_machine *m, uint8_t *byte)
{
    uint16_t at, width;
    for (size_t i = 0; i < MODES; i++)
        if (machine_register_find(m, modes[i].name, &at, &width))
            memset(byte + at, 1, (width + 7u) / 8);
}

/* TERM_NONE: there is no such register, or it does not count. Calls are taken to leave a float, so a tag says
 * something where MMX is used only; that sets all of them. */
static term mode_at(const struct check *c, const struct end *e, const struct mode *m)
{
    uint16_t at, width;
    if (m->mmx && !c->mmx)
        return TERM_NONE;
    if (!machine_register_find(program_machine(e->s->p), m->name, &at, &width) || width > 64)
        return TERM_NONE;
    term x = register_at(c, e, at, (width + 7u) / 8 * 8);
    return m->bits ? term_extract(c->t, x, m->lo, m->bits) : x;
}

/* Both versions leave rounding modes and the direction flag alike. */
static void compare_modes(struct view *w, struct findings *found)
{
    struct check *c = w->c;
    for (size_t i = 0; i < MODES; i++) {
        term a = mode_at(c, w->o, &modes[i]), b = mode_at(c, w->n, &modes[i]);
        if (a == TERM_NONE || b == TERM_NONE)
            continue;
        struct term_model *model = NULL;
        a = view_side(w, w->o, a);
        b = view_side(w, w->n, b);
        enum answer r = same(w, TERM_NONE, a, b, &model);
        if (r == YES)
            continue;
        struct failure f = accept_failure(w, VERIFY_P2, r == NO ? YES : UNDECIDED, model);
        accept_differ(c, &f, a, b);
        f.what = modes[i].what;
        f.reason = reason_of(c->arena, VERIFY_REASON_MODE);
        accept_or_fail(c, found, f);
    }
}

static void compare_kept(struct view *w, bool rejected, struct findings *found)
{
    if (!comes_back(w->n))
        return;
    compare_registers(w, rejected, found);
    compare_return(w, rejected, found);
    compare_modes(w, found);
}

void kept_compare(struct view *w, struct findings *found)
{
    compare_kept(w, false, found);
}

/* Nothing needs to be asked: the terms are the same. */
static bool all_same(const struct check *c, const struct end *o, const struct end *n)
{
    const struct ir_machine *m = program_machine(o->s->p);
    bool is = returns_to(o) == returns_to(n) && !goes_elsewhere(c, o);
    for (unsigned i = 0; i <= m->nsaved && is; i++) {
        unsigned off = i < m->nsaved ? m->saved[i] : m->sp;
        is = register_at(c, o, off, c->width) == register_at(c, n, off, c->width);
    }
    for (size_t i = 0; i < MODES && is; i++)
        is = mode_at(c, o, &modes[i]) == mode_at(c, n, &modes[i]);
    return is;
}

void kept_compare_rejected(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    struct terms *t = c->t;
    term when = term_and(t, term_and(t, o->cond, n->cond), n->error);
    if (!comes_back(n) || o->bad || n->bad || faults_end(o) || term_is_false(t, when) || all_same(c, o, n) ||
        query_possible(c, &when, 1, NULL) == NO)
        return;
    struct view w;
    view_start(&w, c, o, n, when);
    if (!calls_settle(&w, when, NULL))
        compare_kept(&w, true, found);
    view_end(&w);
}
