/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs that end: did they do the same?
 *
 * A pair of exits is compared under the condition V that both are reached and both are valid: the calls made,
 * then memory, callee-saved registers, the order of observable events, and the result. */
#include <stdio.h>
#include <string.h>

#include "verify/private.h"

static bool surely_returns(const struct pair_side *s)
{
    return check_of(s)->exits.user_returns > 0 || check_of(s)->exits.returns_call || check_declaration(s) ||
           abi_may_return(s->abi);
}

/* Registers that may hold a part of what is returned besides the first: the second half, two for floats, on
 * ARM four. UINT16_MAX: there is none. */
static unsigned result_part_register(const struct check *c, unsigned which)
{
    enum { HALF_VECTOR = 16 };
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    unsigned floats = m->arch == MACHINE_ARM || m->arch == MACHINE_ARM64 ? 4 : 2;
    if (which == RESULT_SECOND)
        return m->ret2;
    if (which >= RESULT_UPPER)
        return m->arch == MACHINE_AMD64 ? m->farg[which - RESULT_UPPER] + HALF_VECTOR : UINT16_MAX;
    if (which == RESULT_FLOAT)
        return m->fret;
    return which <= floats && which <= m->nfargs ? m->farg[which - 1] : UINT16_MAX;
}

/* The upper half of a vector is not meant: it holds what was there at entry, what a callee clobbered, or the
 * zeros that every AVX instruction on the lower half leaves. */
static bool is_no_upper_half(struct check *c, int side, term x, unsigned which)
{
    return x == TERM_NONE || (term_is_const(c->t, x) && bits_is_zero(term_known(c->t, x).one)) ||
           clobbered_by_callee(c, x) || as_at_entry(c, side, x, result_part_register(c, which));
}

/* A register that the function did not set. */
static bool is_left(struct check *c, int side, term x, unsigned which)
{
    unsigned reg = result_part_register(c, which);
    return x == TERM_NONE || clobbered_by_callee(c, x) || as_at_entry(c, side, x, reg);
}

/* A library function whose results are all known clobbered it: it cannot be a result. */
static bool is_garbage(struct check *c, const struct end *e, term x)
{
    const struct terms *t = c->t;
    if (x == TERM_NONE || !clobbered_by_callee(c, x))
        return false;
    if (term_kind(t, x) != TERM_APPLY) {
        bool all = true;
        for (unsigned i = term_kind(t, x) == OP_ITE; i < term_nkids(t, x); i++)
            all = all && is_garbage(c, e, term_kid(t, x, i));
        return all;
    }
    for (unsigned i = 0; i < e->path->nevents; i++)
        if (e->path->event[i].silent && e->path->event[i].token != TERM_NONE &&
            canonical_term(&c->pair, e->s, e->path->event[i].token) == term_kid(t, x, 0))
            return true;
    return false;
}

/* No caller can rely on what the old version leaves there; or neither version sets it, and it is not live-in.
 */
static bool is_no_result(struct check *c, const struct end *o, const struct end *n, term a, term b)
{
    return is_garbage(c, o, a) || (is_garbage(c, n, b) && a != TERM_NONE && never_set(c, OLD, a));
}

/* On ARM a register for floats may be two floats. */
static bool sets_part(struct check *c, int side, unsigned which, bool alone)
{
    enum { FLOAT = 4 };
    const struct abi *abi = c->pair.side[side].abi;
    unsigned reg = result_part_register(c, which);
    bool two = program_machine(c->pair.side[side].p)->arch == MACHINE_ARM && which >= RESULT_FLOAT;
    return abi_sets_result(abi, reg, 32, alone) || (two && abi_sets_result(abi, reg + FLOAT, 32, alone));
}

bool compare_both_return_in(struct check *c, unsigned which)
{
    return sets_part(c, OLD, which, false) && sets_part(c, NEW, which, false);
}

/* One version alone shows that the register is part of what is returned. */
static bool is_meant(struct check *c, int side, unsigned which)
{
    return !(which == 0 && c->exits.padding[side]) && sets_part(c, side, which, true);
}

/* One version sets the register, and nobody reads it: compilers leave such code out unless it is for the
 * caller. */
static bool may_be_meant(struct check *c, unsigned which)
{
    for (int s = 0; s < 2; s++)
        if (!(which == 0 && c->exits.padding[s]) &&
            abi_leaves_unread(c->pair.side[s].abi, result_part_register(c, which), 32))
            return true;
    return false;
}

/* Both versions return a number: the register for floats may hold what is left of computing it. */
static bool is_beside_number(struct check *c, unsigned which)
{
    unsigned reg = result_part_register(c, which);
    return !abi_is_declared(c->pair.side[OLD].abi) && !abi_is_declared(c->pair.side[NEW].abi) &&
           abi_sets_number_last(c->pair.side[OLD].abi, reg) &&
           abi_sets_number_last(c->pair.side[NEW].abi, reg);
}

/* The analyst has accepted that other functions are called: they clobber registers differently, too. */
static bool calls_accepted(const struct findings *found)
{
    for (size_t i = 0; i < found->accepted.len; i++)
        if (found->accepted.data[i].question == VERIFY_Q3 || found->accepted.data[i].question == VERIFY_Q4)
            return true;
    return false;
}

/* Once something is refuted, further differences are worth only small queries. */
static void look_less(struct check *c, const struct findings *found)
{
    enum { FURTHER_NODES = 5000 };
    if (findings_refute(found) && c->query.nodes_max > FURTHER_NODES)
        c->query.nodes_max = FURTHER_NODES;
}

/* A register as that call left it, or a part of it. */
static bool is_left_by(struct check *c, term x, term token, unsigned reg, unsigned bytes)
{
    const struct terms *t = c->t;
    unsigned kind = term_kind(t, x);
    if (kind == TERM_APPLY) {
        struct term_origin left = term_origin(t, x);
        bool named = left.kind == ORIGIN_CLOBBERED && left.part <= ORIGIN_CLOBBERED_PART && left.name;
        return named && term_kid(t, x, 0) == token && left.offset >= reg && left.offset < reg + bytes;
    }
    if (kind == OP_CONCAT)
        return is_left_by(c, term_kid(t, x, 0), token, reg, bytes) &&
               is_left_by(c, term_kid(t, x, 1), token, reg, bytes);
    return (kind == OP_EXTRACT || kind == OP_ZEXT) && is_left_by(c, term_kid(t, x, 0), token, reg, bytes);
}

/* What is in the register is what a call left there that the other version makes last of all, and returns
 * from to the caller: so it is there, too. */
static bool is_left_by_last(struct view *w, const struct end *e, term x, const struct end *tail, unsigned reg)
{
    const struct exec_path *p = e->path, *t = tail->path;
    const struct exec_event *last = t->nevents ? &t->event[t->nevents - 1] : NULL;
    const struct exec_event *v = p->nevents ? &p->event[p->nevents - 1] : NULL;
    return x != TERM_NONE && reg != UINT16_MAX && t->end == PATH_TAIL_CALL && p->end == PATH_RETURN && last &&
           last->tail && v && v->token != TERM_NONE &&
           (v->name && last->name ? strcmp(v->name, last->name) == 0 : v->name == last->name) &&
           is_left_by(w->c, x, view_side(w, e, v->token), reg, term_width(w->c->t, x) / 8);
}

/* ---- the properties ---- */

/* P2: memory outside of the frames, and what callers expect to be left as it was. */
static void compare_p2(struct view *w, struct findings *found)
{
    struct check *c = w->c;
    struct term_model *model = NULL;
    term a = view_see(w, w->o->mem), b = view_see(w, w->n->mem);
    struct memory_answer m;
    accept_nothing(w);
    for (unsigned round = 0; (m = memory_same(w, TERM_NONE, a, b, &model)).same != YES; round++) {
        struct failure f = accept_failure(w, VERIFY_P2, m.same == NO ? YES : UNDECIDED, model);
        f.question = VERIFY_Q1;
        f.place = m.at;
        unsigned bits = m.text ? c->width : 8;
        accept_differ(c, &f, term_read(c->t, a, m.at, bits), term_read(c->t, b, m.at, bits));
        f.what = "memory";
        if (m.text)
            f.reason = reason_of(c->arena, VERIFY_REASON_ADDRESS_UNPAIRED);
        accept_name_memory(w, &f, a, b);
        if (!accept_or_fail(c, found, f))
            break;
        accept_memory(w, &f, a, b);
        if (round == ACCEPTED_MAX) {
            accept_too_many(w, found);
            break;
        }
        model = NULL;
    }
    accept_nothing(w);
    kept_compare(w, found);
    stray_compare(w, found);
}

/* Debug information says that the function returns a value, or that it does not. */
static bool is_declared(const struct pair_side *s, bool value)
{
    const struct object_function_debug *d = check_declaration(s);
    return d && (d->result && d->result->kind != TYPE_VOID) == value;
}

/* P3: the new version returns nothing, and callers of the old version may read the result. */
static void compare_result_gone(struct view *w, struct findings *found)
{
    struct check *c = w->c;
    if (!is_declared(&c->pair.side[OLD], true) || !is_declared(&c->pair.side[NEW], false))
        return;
    struct term_model *model = NULL;
    enum answer r = query_possible(c, &w->v, 1, &model);
    if (r == NO)
        return;
    struct failure f = accept_failure(w, VERIFY_P3, r, model);
    if (w->o->path->result != TERM_NONE)
        f.value[OLD] = view_side(w, w->o, w->o->path->result);
    f.what = "the return value";
    accept_or_fail(c, found, f);
}

/* The input shows a difference in the lower halves, or gets replaced by one that does. */
static bool differ_in_lower_half(struct view *w, struct failure *f, term a, term b)
{
    struct check *c = w->c;
    const term lower[] = {term_extract(c->t, a, 0, 32), term_extract(c->t, b, 0, 32)};
    const term differ = term_not(c->t, term_eq(c->t, lower[OLD], lower[NEW]));
    struct term_model *model = NULL;
    struct bits v;
    if (f->model && term_eval(c->t, f->model, differ, &v) && !bits_is_zero(v))
        return true;
    if (view_same(w, TERM_NONE, lower[OLD], lower[NEW], &model) != NO)
        return false;
    term_model_free(f->model);
    f->model = model;
    return true;
}

/* Nothing says that something is returned, and both versions need what they put in the register for something
 * else: it is stored, compared or computed with. In one of them a callee may have left it there. */
static bool is_scratch(const struct check *c)
{
    bool used = false;
    return c->exits.user_returns <= 0 && !c->exits.returns_call && !check_declaration(&c->pair.side[OLD]) &&
           abi_uses_result_elsewhere(c->pair.side[OLD].abi, &used) &&
           abi_uses_result_elsewhere(c->pair.side[NEW].abi, &used) && used;
}

/* P3: the register that a result is returned in. */
static void compare_result(struct view *w, struct findings *found)
{
    struct check *c = w->c;
    struct term_model *model = NULL;
    if (w->o->result == TERM_NONE || w->n->result == TERM_NONE || c->exits.padded)
        return;
    term a = view_see(w, w->o->result), b = view_see(w, w->n->result);
    enum answer r = view_same(w, TERM_NONE, a, b, &model);
    if (r == YES)
        return;
    struct failure f = accept_failure(w, VERIFY_P3, r == NO ? YES : UNDECIDED, model);
    accept_differ(c, &f, a, b);
    f.what = "the return value";
    if (f.refuted && c->width == 64 && c->exits.width != 64 && term_width(c->t, a) == 64 &&
        !differ_in_lower_half(w, &f, a, b)) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_RESULT_UPPER_HALF);
    }
    if (f.refuted && narrow_may_be(w, a, b)) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_RESULT_NARROW);
    }
    if (!surely_returns(&c->pair.side[OLD]) || is_scratch(c)) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_RESULT_UNSURE);
    }
    accept_or_fail(c, found, f);
}

/* Nobody put it in the upper part of a register for floats: it is as in a register at entry, a callee left
 * it, or it is the zeros that loads and moves of single numbers leave. */
static bool is_idle_upper(struct check *c, int side, term x, unsigned lo)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    if ((term_is_const(c->t, x) && bits_is_zero(term_known(c->t, x).one)) || clobbered_by_callee(c, x))
        return true;
    unsigned width = term_width(c->t, x);
    for (unsigned i = 0; i < m->nfargs; i++)
        if (x == term_extract(c->t, explorer_entry(c->pair.side[side].x, m->farg[i], lo + width), lo, width))
            return true;
    return false;
}

/* ... or what the mask of a single number leaves of that: all of it comes from above bit `lo`. */
static bool is_masked_upper(struct check *c, int side, term x, unsigned lo)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    unsigned kind = term_kind(c->t, x), width = term_width(c->t, x);
    if (term_is_const(c->t, x) || is_idle_upper(c, side, x, lo))
        return true;
    if (kind == OP_EXTRACT && term_extract_lo(c->t, x) >= lo) {
        unsigned from = term_extract_lo(c->t, x);
        for (unsigned i = 0; i < m->nfargs; i++)
            if (x == term_extract(c->t, explorer_entry(c->pair.side[side].x, m->farg[i], from + width), from,
                                  width))
                return true;
    }
    bool all = kind == OP_AND || kind == OP_OR || kind == OP_XOR || kind == OP_NOT || kind == OP_ZEXT ||
               kind == OP_CONCAT;
    for (unsigned i = 0; all && i < term_nkids(c->t, x); i++)
        all = is_masked_upper(c, side, term_kid(c->t, x, i), lo);
    return all;
}

/* They may be the same, or both NaNs where what is beside them differs. */
static bool may_be_same_beside(struct view *w, const term upper[2], term a, term b)
{
    struct check *c = w->c;
    return view_same(w, TERM_NONE, a, b, NULL) != NO ||
           (upper[OLD] != upper[NEW] &&
            view_same(w, TERM_NONE, nans_same(c, a, b), term_true(c->t), NULL) != NO);
}

/* The registers may hold the same number, and beside it what nobody may have meant. */
static bool may_be_same_number(struct view *w, term a, term b)
{
    struct check *c = w->c;
    for (unsigned lo = 32; lo < term_width(c->t, a); lo *= 2) {
        unsigned rest = term_width(c->t, a) - lo;
        const term upper[] = {term_extract(c->t, a, lo, rest), term_extract(c->t, b, lo, rest)};
        if ((is_idle_upper(c, OLD, upper[OLD], lo) || is_idle_upper(c, NEW, upper[NEW], lo)) &&
            is_masked_upper(c, OLD, upper[OLD], lo) && is_masked_upper(c, NEW, upper[NEW], lo) &&
            may_be_same_beside(w, upper, term_extract(c->t, a, 0, lo), term_extract(c->t, b, 0, lo)))
            return true;
    }
    return false;
}

/* P3: what is returned. calls_fail: the calls were found to differ. */
static void compare_p3(struct view *w, bool calls_fail, struct findings *found)
{
    static const char *const what[] = {"the second half of the return value",
                                       "the floating-point return value",
                                       "the second floating-point return value",
                                       "the third floating-point return value",
                                       "the fourth floating-point return value",
                                       "the upper half of the returned vector",
                                       "the upper half of the second vector",
                                       "the top of the x87 stack",
                                       "the x87 stack below its top"};
    _Static_assert(sizeof what / sizeof *what == RESULT_PARTS, "each part has its name");
    struct check *c = w->c;
    compare_result_gone(w, found);
    compare_result(w, found);
    for (unsigned i = 0; i < RESULT_PARTS; i++) {
        struct term_model *model = NULL;
        term a = w->o->parts[i], b = w->n->parts[i];
        bool upper = i >= RESULT_UPPER && i < RESULT_REGISTERS;
        if (upper && is_no_upper_half(c, OLD, a, i) && is_no_upper_half(c, NEW, b, i))
            continue;
        if (i < RESULT_REGISTERS && is_left(c, OLD, a, i) && is_left(c, NEW, b, i) && calls_accepted(found))
            continue;
        if (i < RESULT_REGISTERS && is_no_result(c, w->o, w->n, a, b))
            continue;
        if (a == b || (i < RESULT_REGISTERS && is_left(c, OLD, a, i) && is_left(c, NEW, b, i) &&
                       view_see(w, a) == view_see(w, b)))
            continue;
        a = view_see(w, a);
        b = view_see(w, b);
        unsigned reg = i < RESULT_REGISTERS ? result_part_register(c, i) : UINT16_MAX;
        if (!calls_fail && (is_left_by_last(w, w->o, a, w->n, reg) || is_left_by_last(w, w->n, b, w->o, reg)))
            continue;
        enum answer r = a == TERM_NONE || b == TERM_NONE ? UNDECIDED : view_same(w, TERM_NONE, a, b, &model);
        if (r == YES)
            continue;
        struct failure f = accept_failure(w, VERIFY_P3, r == NO ? YES : UNDECIDED, model);
        accept_differ(c, &f, a, b);
        f.what = what[i];
        f.reason = reason_of(c->arena, VERIFY_REASON_RESULT_REGISTER);
        /* Both versions must mean it for a result. */
        unsigned lower = upper ? i - RESULT_UPPER + RESULT_FLOAT : i;
        f.refuted = f.refuted && (i >= RESULT_X87 || compare_both_return_in(c, lower) ||
                                  (i == RESULT_SECOND && w->o->product && w->n->product));
        if (second_may_be_left(c, i, w->o, a, w->n, b))
            f.refuted = false;
        f.refuted = f.refuted && !(lower >= RESULT_FLOAT && i < RESULT_X87 && is_beside_number(c, lower));
        if (f.refuted && i >= RESULT_FLOAT && i < RESULT_UPPER && may_be_same_number(w, a, b)) {
            f.refuted = false;
            f.reason = reason_of(c->arena, VERIFY_REASON_RESULT_UPPER_HALF);
        }
        accept_or_fail(c, found, f);
    }
    callers_compare(w, found);
}

/* P4: the calls made. True when they differ. Their effects are treated as the same from then on, so the other
 * properties are compared after this one. */
static bool compare_p4(struct view *w, struct findings *found)
{
    struct findings calls = calls_compare(w);
    bool differ = calls.failed.len > 0;
    look_less(w->c, &calls);
    findings_add(found, &calls);
    return differ;
}

/* P4: the order of all that is observable, of calls that are the same one by one. */
static void compare_p4_order(struct view *w, struct findings *found)
{
    struct term_model *model = NULL;
    term a = view_see(w, w->o->world), b = view_see(w, w->n->world);
    enum answer r = a == b ? YES : view_same(w, TERM_NONE, a, b, &model);
    if (r == YES)
        return;
    struct failure f = accept_failure(w, VERIFY_P4, r == NO ? YES : UNDECIDED, model);
    f.question = VERIFY_Q4;
    f.what = "the order of calls";
    accept_or_fail(w->c, found, f);
}

static struct findings compare_valid(struct view *w)
{
    struct findings found = {0};
    size_t nodes_max = w->c->query.nodes_max;
    bool calls_fail = compare_p4(w, &found);
    if (!query_has_enough(w->c, &found))
        compare_p2(w, &found);
    if (!calls_fail)
        compare_p4_order(w, &found);
    if (!query_has_enough(w->c, &found))
        compare_p3(w, calls_fail, &found);
    w->c->query.nodes_max = nodes_max;
    return found;
}

/* ---- calls that one version makes in one place and the other in two ---- */

term compare_undecided_call(struct view *w)
{
    const struct end *end[2] = {w->o, w->n};
    struct map guards[2] = {{0}, {0}};
    term found = TERM_NONE;
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; i < end[s]->path->nevents; i++)
            map_set(&guards[s], calls_guard(w, end[s], &end[s]->path->event[i]), 1);
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; i < end[s]->path->nevents && found == TERM_NONE; i++) {
            term g = calls_guard(w, end[s], &end[s]->path->event[i]);
            if (!term_is_const(w->c->t, g) && !map_get(&guards[!s], g, NULL))
                found = g;
        }
    map_free(&guards[OLD]);
    map_free(&guards[NEW]);
    return found;
}

static struct findings compare_under(struct check *c, const struct end *o, const struct end *n, term v,
                                     unsigned splits)
{
    struct view w;
    view_start(&w, c, o, n, v);
    struct findings found = compare_valid(&w);
    view_end(&w);
    if (!found.failed.len || !splits || query_is_late(c))
        return found;
    view_start(&w, c, o, n, v);
    term guard = compare_undecided_call(&w);
    view_end(&w);
    if (guard == TERM_NONE)
        return found;
    findings_drop(&found);
    term half[] = {term_and(c->t, v, guard), term_and(c->t, v, term_not(c->t, guard))};
    for (int i = 0; i < 2 && !query_has_enough(c, &found); i++)
        if (query_possible(c, &half[i], 1, NULL) != NO) {
            struct findings one = compare_under(c, o, n, half[i], splits - 1);
            findings_add(&found, &one);
        }
    return found;
}

/* What is found counts, and not only whether anything is. */
static struct findings all_under(struct check *c, const struct end *o, const struct end *n, term v)
{
    const bool one = c->query.one_is_enough;
    c->query.one_is_enough = false;
    struct findings found = compare_under(c, o, n, v, 0);
    c->query.one_is_enough = one;
    return found;
}

static struct verify_reason not_followed(struct check *c, const struct end *e)
{
    const char *version = e->s->new ? "new" : "old";
    unsigned long long at = object_display_address(program_object(e->s->p), e->path->end_address);
    if (e->path->end == PATH_LOOP_BOUND && abi_call_at(e->s->abi, e->path->end_address))
        return reason_of(c->arena, VERIFY_REASON_RECURSION_NOT_FOLLOWED, version, at);
    if (e->path->end == PATH_LOOP_BOUND)
        return reason_of(c->arena, VERIFY_REASON_LOOP_NOT_FOLLOWED, version, at);
    return reason_of(c->arena, VERIFY_REASON_END_NOT_FOLLOWED, path_end_name((enum path_end)e->path->end),
                     version, at);
}

/* P1: rejected before, accepted now. `both`: these two exits are reached. */
static void compare_p1(struct check *c, const struct end *o, const struct end *n, term both,
                       struct findings *found)
{
    struct terms *t = c->t;
    struct view w;
    struct term_model *model = NULL;
    term ok = term_not(t, term_or(t, n->error, n->invalid)), q[] = {both, ok, o->error};
    enum answer r = query_possible(c, q, 3, &model);
    if (r == NO)
        return;
    term all = term_and(t, o->error, term_and(t, both, ok));
    view_start(&w, c, o, n, all);
    bool real = !calls_settle(&w, all, NULL);
    view_end(&w);
    if (!real) {
        term_model_free(model);
        return;
    }
    view_start(&w, c, o, n, term_true(t));
    struct failure f = accept_failure(&w, VERIFY_P1, r, model);
    f.when = all;
    f.what = "accepted inputs";
    f.site[OLD] = o->path->end_address;
    f.site[NEW] = n->path->end_address;
    /* If it is impossible when equal calls return equal results, it only follows from calls that differ, and
     * those are the finding. */
    if (calls_unite_by_name(&w) && view_excludes(&w, all))
        vec_push(&found->consequence, f);
    else
        accept_or_fail(c, found, f);
    view_end(&w);
}

/* Where only a guess says that both reject the input, and they do so differently, the verdict hangs on it. */
static void look_at_both_rejected(struct check *c, const struct end *o, const struct end *n)
{
    enum { LOOKS_MAX = 4, NODES = 500 };
    struct terms *t = c->t;
    term when = term_and(t, term_and(t, o->cond, n->cond), term_and(t, o->error, n->error));
    if (!rejected_is_guessed(n) || o->bad || n->bad || term_is_false(t, when) || query_is_late(c) ||
        (o->result == n->result && o->mem == n->mem && o->world == n->world) || c->now->looks >= LOOKS_MAX)
        return;
    c->now->looks++;
    const uint64_t unknown_answers = c->now->unknown_answers;
    const struct verify_reason unknown = c->now->unknown;
    const size_t nodes_max = c->query.nodes_max;
    c->query.nodes_max = nodes_max < NODES ? nodes_max : NODES;
    if (query_possible(c, &when, 1, NULL) != NO) {
        bool numbers = o->result != n->result && o->result != TERM_NONE && n->result != TERM_NONE &&
                       term_is_const(t, o->result) && term_is_const(t, n->result);
        struct findings differ = {0};
        if (!numbers || o->mem != n->mem)
            differ = all_under(c, o, n, when);
        if (numbers || differ.failed.len)
            rejected_note(c, o, n, when, &differ);
        findings_drop(&differ);
    }
    c->query.nodes_max = nodes_max;
    c->now->unknown_answers = unknown_answers;
    c->now->unknown = unknown;
}

static bool is_throw(const struct exec_event *e)
{
    return e && e->name && names_throw(e->name);
}

/* The call that throws, with which the run ends; or NULL. */
static const struct exec_event *thrown_by(const struct end *e)
{
    const struct exec_path *p = e->path;
    const struct exec_event *last = p->end == PATH_NORETURN && p->nevents ? &p->event[p->nevents - 1] : NULL;
    return is_throw(last) ? last : NULL;
}

/* What is thrown is caught by its type and looked at: it is what such a run returns. */
static void compare_thrown(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    struct terms *t = c->t;
    term when = term_and(t, term_and(t, o->cond, n->cond), term_and(t, o->error, n->error));
    if (!thrown_by(o) || !thrown_by(n) || term_is_false(t, when) || query_possible(c, &when, 1, NULL) == NO)
        return;
    struct findings differ = all_under(c, o, n, when);
    bool other = false;
    for (size_t i = 0; i < differ.failed.len; i++)
        other =
            other || is_throw(differ.failed.data[i].event[OLD]) || is_throw(differ.failed.data[i].event[NEW]);
    findings_drop(&differ);
    if (!other)
        return;
    struct failure f = {.property = VERIFY_P3,
                        .path = {o->path, n->path},
                        .when = when,
                        .what = "the exception thrown",
                        .reason = reason_of(c->arena, VERIFY_REASON_THROWN_OTHERWISE),
                        .site = {o->path->end_address, n->path->end_address}};
    accept_or_fail(c, found, f);
}

void compare_rejected(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    rejected_look(c, o, n);
    kept_compare_rejected(c, o, n, found);
    compare_thrown(c, o, n, found);
    resumes_compare(c, o, n, found);
    idle_compare(c, o, n, found);
}

/* A number that means an error may do so even where it was computed. What differs nowhere else is not known
 * to. */
static void excuse_computed(struct check *c, const struct end *o, const struct end *n, term v,
                            struct findings *valid)
{
    struct terms *t = c->t;
    term w = term_and(t, v, term_not(t, term_or(t, o->invalid, n->invalid)));
    if (w == v || !findings_refute(valid))
        return;
    struct findings elsewhere = {0};
    if (query_possible(c, &w, 1, NULL) != NO)
        elsewhere = compare_under(c, o, n, w, 0);
    bool only = !elsewhere.failed.len && !elsewhere.accepted.len;
    findings_drop(&elsewhere);
    if (!only)
        return;
    findings_open(valid);
    for (size_t i = 0; i < valid->failed.len; i++)
        valid->failed.data[i].reason = chosen_or_computed(c);
}

/* A run, and its input is accepted: what others that go the same way and are rejected leave behind takes time
 * that is better spent on what they do. */
static bool is_accepted_run(const struct check *c, const struct end *n)
{
    struct bits v;
    return c->query.only_placed && c->query.hint && term_eval(c->t, c->query.hint, n->error, &v) &&
           bits_is_zero(v);
}

static void compare_pair(struct check *c, const struct end *o, const struct end *as_classed,
                         struct findings *found)
{
    struct terms *t = c->t;
    struct end exits;
    initial_pair(c, &o, &as_classed, &exits, found);
    const struct end beside = exits_class_paired(c, o, as_classed), *n = &beside;
    if (faults_end(n)) {
        faults_compare(c, o, n, found);
        return;
    }
    if (!term_is_false(t, n->error) && !is_accepted_run(c, n)) {
        compare_rejected(c, o, n, found);
        look_at_both_rejected(c, o, n);
    }
    if (term_is_true(t, n->error) && !n->bad)
        return;
    term both = term_and(t, o->cond, n->cond), ok = term_not(t, n->error);
    term q[] = {both, ok};
    if (term_is_false(t, both) || query_possible(c, q, 2, NULL) == NO)
        return;
    if (o->bad || n->bad) {
        const struct end *e = n->bad ? n : o;
        struct failure f = {.property = VERIFY_PROPERTIES_ALL,
                            .path = {o->path, n->path},
                            .when = both,
                            .what = "code that was not followed",
                            .whole = true};
        f.reason = not_followed(c, e);
        accept_or_fail(c, found, f);
        return;
    }
    compare_p1(c, o, n, both, found);
    if (term_is_true(t, o->error))
        return;
    term v = term_and(t, term_and(t, both, ok), term_not(t, o->error));
    if (query_possible(c, &v, 1, NULL) == NO)
        return;
    struct findings valid = compare_under(c, o, n, v, SPLITS_MAX);
    excuse_computed(c, o, n, v, &valid);
    findings_add(found, &valid);
}

/* The budget is used up: building queries for hundreds of pairs of exits would take its time, too. */
static void leave_pair(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    struct failure f = {.property = VERIFY_PROPERTIES_ALL,
                        .path = {o->path, n->path},
                        .when = term_and(c->t, o->cond, n->cond),
                        .what = "exits that were not compared",
                        .reason = query_limit(c, false),
                        .whole = true};
    accept_or_fail(c, found, f);
}

struct findings compare_exits(struct check *c, const ends *old, const ends *new)
{
    struct findings found = {0};
    size_t nodes_max = c->query.nodes_max;
    bool left = false;
    for (size_t i = 0; i < new->len; i++)
        for (size_t k = 0; k < old->len && !left && !query_has_enough(c, &found); k++)
            if (new->data[i].path->end != PATH_CUT && old->data[k].path->end != PATH_CUT) {
                left = !c->query.hint && query_is_late(c);
                (left ? leave_pair : compare_pair)(c, &old->data[k], &new->data[i], &found);
                look_less(c, &found);
            }
    c->query.nodes_max = nodes_max;
    /* What was to follow from calls that differ is a finding of its own if none did. */
    for (size_t i = 0; i < found.consequence.len; i++) {
        found.consequence.data[i].follows = true;
        if (!found.failed.len && !found.accepted.len)
            accept_or_fail(c, &found, found.consequence.data[i]);
        else
            term_model_free(found.consequence.data[i].model);
    }
    vec_free(&found.consequence);
    return found;
}

/* As far as is known: only code that was shown to return nothing does not. */
static bool gives_result(const struct pair_side *s)
{
    return check_of(s)->exits.user_returns > 0 || check_declaration(s) || s->proto.returns ||
           s->proto.returns_unknown || s->proto.source != PROTO_CODE || abi_sets_result_somewhere(s->abi);
}

/* Debug information of both versions says that one float is returned: how many bits it has; 0: it does not.
 */
static unsigned one_float(const struct check *c)
{
    unsigned width = 0;
    for (int s = 0; s < 2; s++) {
        const struct pair_side *sd = &c->pair.side[s];
        const struct object_function_debug *d = check_declaration(sd);
        if (!d || !d->result || d->result->kind != TYPE_FLOAT ||
            (d->result->size != 4 && d->result->size != 8))
            return 0;
        width = d->result->size * 8 > width ? (unsigned)d->result->size * 8 : width;
    }
    return width;
}

/* Debug information says of a version that it returns a float, and of none that it returns something else. */
static bool declares_float(const struct check *c)
{
    bool some = false;
    for (int s = 0; s < 2; s++) {
        const struct pair_side *sd = &c->pair.side[s];
        const struct object_function_debug *d = check_declaration(sd);
        if (d && (!d->result || d->result->kind != TYPE_FLOAT))
            return false;
        some = some || d;
    }
    return some;
}

/* `told`: debug information says that the result takes more than the first register. */
static void more_results(struct check *c, struct pair_side *s, const struct exec_path *p, bool told,
                         struct end *e)
{
    const struct ir_machine *m = program_machine(s->p);
    unsigned wide = m->arch == MACHINE_ARM ? 64 : 128, width = one_float(c);
    bool x87 = declares_float(c) && result_on_x87(s, p); /* so the result is in no other register */
    if (width && m->fret != UINT16_MAX) {
        e->parts[RESULT_FLOAT] = canonical_term(&c->pair, s, exec_path_register(s->x, p, m->fret, width));
        return;
    }
    for (unsigned i = 0; i < RESULT_REGISTERS && !x87; i++) {
        unsigned reg = result_part_register(c, i);
        unsigned lower = i >= RESULT_UPPER ? i - RESULT_UPPER + RESULT_FLOAT : i;
        /* The first register for floats is rarely used for anything else; the others must be seen to be
         * meant. */
        if (reg != UINT16_MAX &&
            (told || lower == RESULT_FLOAT || !(c->opt->assume & VERIFY_ASSUME_RESULT) ||
             (i == RESULT_SECOND && (e->product || c->exits.product)) || is_meant(c, OLD, lower) ||
             is_meant(c, NEW, lower) || compare_both_return_in(c, lower) || may_be_meant(c, lower)))
            e->parts[i] = canonical_term(
                &c->pair, s, exec_path_register(s->x, p, reg, i == RESULT_SECOND ? c->width : wide));
    }
    uint16_t top_at, regs, bits;
    uint64_t top;
    if (!machine_register_find(m, "<x87_top>", &top_at, &bits) ||
        !machine_register_find(m, "mm0", &regs, &bits))
        return;
    term t = exec_path_register(s->x, p, top_at, 32);
    /* Something is on the x87 stack, which was empty at entry. */
    if (!term_const_u64(c->t, t, &top)) {
        e->parts[RESULT_X87] = canonical_term(&c->pair, s, t);
        return;
    }
    for (unsigned i = 0, at = top & 7; i < 2 && at && at < 8; i++, at++)
        e->parts[RESULT_X87 + i] =
            canonical_term(&c->pair, s, exec_path_register(s->x, p, regs + at * 8, 64));
}

struct end compare_end(struct check *c, struct pair_side *s, const struct exec_path *p)
{
    struct end e = {.path = p, .s = s, .cond = canonical_term(&c->pair, s, p->condition)};
    e.mem = canonical_term(&c->pair, s, p->memory);
    e.error = e.invalid = term_false(c->t);
    switch ((enum path_end)p->end) {
    case PATH_RETURN:
    case PATH_TAIL_CALL:
        e.returns = true;
        break;
    case PATH_NORETURN:
    case PATH_TRAP:
    case PATH_CUT:
        break;
    default:
        e.bad = true;
    }
    e.world = canonical_term(&c->pair, s, p->world);
    const struct object_function_debug *d = check_declaration(s);
    if (e.returns) {
        e.result = canonical_term(&c->pair, s, p->result);
        if (c->exits.nothing || c->exits.floats || (declares_float(c) && result_on_x87(s, p)) ||
            (!gives_result(&c->pair.side[OLD]) && !gives_result(&c->pair.side[NEW])))
            e.result = TERM_NONE;
        if (e.result != TERM_NONE && c->exits.half)
            e.result = term_extract(c->t, e.result, 0, c->width / 2);
        e.product = result_is_product(s, p);
        bool simple = d && (!d->result || d->result->kind == TYPE_VOID || d->result->kind == TYPE_INT ||
                            d->result->kind == TYPE_BOOL || d->result->kind == TYPE_ENUM ||
                            d->result->kind == TYPE_POINTER);
        if (p->end == PATH_RETURN && c->exits.user_returns != 0 &&
            !(simple && (!d->result || d->result->size * 8 <= c->width)))
            more_results(c, s, p, d != NULL, &e);
    }
    if (p->end != PATH_CUT)
        exits_class(c, &e);
    return e;
}
