/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences that no run can show: in what is done while other threads run, behind instructions that are not
 * understood, and where one version calls a function of the compiler's for what the other computes itself. */
#include <stdlib.h>
#include <string.h>

#include "verify/calls.h"
#include "verify/private.h"

static bool has_event(const struct exec_path *p, bool (*is)(const struct exec_event *e))
{
    bool has = false;
    for (unsigned i = 0; p && i < p->nevents && !has; i++)
        has = is(&p->event[i]);
    return has;
}

/* On the paths of both versions there is such an event. */
static bool both_have(const struct failure *f, bool (*is)(const struct exec_event *e))
{
    return has_event(f->path[OLD], is) && has_event(f->path[NEW], is);
}

/* It looks at memory that other threads change meanwhile. Two versions may do so in different ways to the
 * same end: a compare-and-swap until it succeeds, or an addition. */
static bool watches_threads(const struct exec_event *e)
{
    return e->kind == EVENT_INTRINSIC && e->reads && e->result != TERM_NONE;
}

/* An instruction that is not supported: what it leaves is anything. */
static bool is_unknown(const struct exec_event *e)
{
    return e->kind == EVENT_UNKNOWN;
}

/* The code of a callee has one. */
static bool is_obscure(const struct exec_event *e)
{
    return e->kind == EVENT_CALL && e->obscure;
}

/* One of libgcc's functions for atomic accesses, of which gcc takes the one or the other for AArch64. */
static bool is_atomic_helper(const struct exec_event *e)
{
    static const char start[] = "__aarch64_";
    return e->kind == EVENT_CALL && e->name && strncmp(e->name, start, strlen(start)) == 0;
}

/* The first call of one on the path that the other path does not make; NULL: there is none. */
static const struct exec_event *helper_of_its_own(const struct exec_path *p, const struct exec_path *than,
                                                  bool (*is)(const struct exec_event *e))
{
    for (unsigned i = 0; i < p->nevents; i++) {
        bool made = !is(&p->event[i]);
        for (unsigned k = 0; k < than->nevents && !made; k++)
            made = is(&than->event[k]) && strcmp(than->event[k].name, p->event[i].name) == 0;
        if (!made)
            return &p->event[i];
    }
    return NULL;
}

static bool is_fence(const struct exec_event *e)
{
    static const char fence[] = "fence";
    return e->kind == EVENT_INTRINSIC && e->name && strncmp(e->name, fence, strlen(fence)) == 0;
}

static bool is_atomic(const struct exec_event *e)
{
    return is_atomic_helper(e) || watches_threads(e) || is_fence(e);
}

/* The forms in which the path orders accesses, a set: by an access itself (lda), by a barrier (dmb), by one
 * of ARMv6 (mcr). The lifter's names tell them apart. */
static unsigned forms_of_fences(const struct exec_path *p)
{
    enum { ACCESS = 1, BARRIER = 2, COPROCESSOR = 4, BARRIER_MAX = 0xff };
    unsigned all = 0;
    for (unsigned i = 0; p && i < p->nevents; i++) {
        if (!is_fence(&p->event[i]))
            continue;
        const char *kind = strchr(p->event[i].name, ':');
        all |= !kind ? ACCESS : strtoul(kind + 1, NULL, 16) > BARRIER_MAX ? COPROCESSOR : BARRIER;
    }
    return all;
}

/* Both versions order their accesses, in other forms: how many of the one form do the work of another, and
 * where, is not known. */
static bool orders_in_other_forms(const struct failure *f)
{
    const unsigned old = forms_of_fences(f->path[OLD]), new = forms_of_fences(f->path[NEW]);
    const bool about = f->question == VERIFY_Q4 || (f->event[OLD] && is_fence(f->event[OLD])) ||
                       (f->event[NEW] && is_fence(f->event[NEW]));
    return about && old && new && old != new;
}

/* One version calls such a helper that the other does not, and the other way round, or the other does it
 * itself: what they return in a run is made up, and one may do the work of another. */
static bool use_other_helpers(const struct failure *f)
{
    const struct exec_path *o = f->path[OLD], *n = f->path[NEW];
    if (!o || !n)
        return false;
    const bool own[] = {helper_of_its_own(o, n, is_atomic_helper), helper_of_its_own(n, o, is_atomic_helper)};
    /* an atomic access that is not aligned traps, in a helper, too */
    const bool traps = o->trap == TRAP_MISALIGNED || n->trap == TRAP_MISALIGNED;
    return (own[OLD] && own[NEW]) || ((own[OLD] || own[NEW]) && (traps || both_have(f, is_atomic)));
}

static bool is_exclusive_load(const struct exec_event *e)
{
    return e->kind == EVENT_INTRINSIC && e->name && strcmp(e->name, "exclusive load") == 0;
}

static bool is_exclusive_store(const struct exec_event *e)
{
    return e->kind == EVENT_INTRINSIC && e->name && strcmp(e->name, "exclusive store") == 0;
}

/* A barrier that one version alone passes where a compare-and-swap finds another value and stores nothing in
 * either: whether that is to be ordered, the source says and the code does not. */
static bool orders_failed_swap(const struct failure *f)
{
    bool failed = (f->event[OLD] && is_fence(f->event[OLD])) != (f->event[NEW] && is_fence(f->event[NEW]));
    for (int s = 0; s < 2; s++)
        failed = failed && has_event(f->witness[s], is_exclusive_load) &&
                 !has_event(f->witness[s], is_exclusive_store);
    return failed;
}

/* Functions that the compiler calls where it has no instruction, or is told to check: of libgcc, and of libm
 * those that processors round with. What they return in a run is made up. */
static bool is_computing_helper(const struct exec_event *e)
{
    static const char *const start[] = {"__addv",  "__subv", "__mulv",  "__negv", "__absv", "__extend",
                                        "__trunc", "__fix",  "__float", "__powi", "__gnu_", "__aeabi_",
                                        "__udiv",  "__div",  "__umod",  "__mod",  "__mul",  "__popcount",
                                        "__clz",   "__ctz",  "__parity"};
    static const char *const rounding[] = {"floor",     "ceil",   "trunc",   "rint", "nearbyint", "round",
                                           "roundeven", "fma",    "sqrt",    "fmin", "fmax",      "lrint",
                                           "llrint",    "lround", "llround", "fabs", "copysign"};
    if (e->kind != EVENT_CALL || !e->name)
        return false;
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (strncmp(e->name, start[i], strlen(start[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++) {
        const size_t n = strlen(rounding[i]);
        if (strncmp(e->name, rounding[i], n) == 0 &&
            (!e->name[n] || ((e->name[n] == 'f' || e->name[n] == 'l') && !e->name[n + 1])))
            return true;
    }
    return false;
}

struct made {
    const struct terms *t;
    const char *callee;
};

static bool is_made_by(void *ctx, term x)
{
    const struct made *m = ctx;
    const char *name = term_kind(m->t, x) == TERM_APPLY ? term_origin(m->t, x).name : NULL;
    return name && strcmp(name, m->callee) == 0;
}

/* What differs hangs on what the call left. */
static bool hangs_on(const struct check *c, const struct failure *f, const struct exec_event *e)
{
    struct made m = {c->t, e->name};
    const term of[] = {f->value[OLD], f->value[NEW], f->place, f->when, f->differ};
    return term_any_of(c->t, of, sizeof of / sizeof *of, is_made_by, &m);
}

/* The difference is about a call of such a function, or one version alone calls one and it hangs on what that
 * returned: the other may compute the same with instructions. NULL: not so. */
static const char *computed_by_a_call(struct check *c, const struct failure *f)
{
    const struct exec_path *const path[] = {f->path[OLD], f->path[NEW]};
    for (int s = 0; s < 2; s++)
        if (f->event[s] && is_computing_helper(f->event[s]))
            return f->event[s]->name;
    if (!path[OLD] || !path[NEW])
        return NULL;
    const struct exec_event *own[2];
    for (int s = 0; s < 2; s++)
        own[s] = helper_of_its_own(path[s], path[!s], is_computing_helper);
    for (int s = 0; s < 2; s++)
        if (own[s] && !own[!s] && hangs_on(c, f, own[s]))
            return own[s]->name;
    return NULL;
}

/* The call of that name on the path before which there are `before` others. */
static const struct exec_event *call_of(const struct exec_path *p, const char *name, unsigned before)
{
    for (unsigned i = 0; p && i < p->nevents; i++)
        if (p->event[i].kind == EVENT_CALL && p->event[i].name && strcmp(p->event[i].name, name) == 0 &&
            !before--)
            return &p->event[i];
    return NULL;
}

/* In the input the two calls return different numbers. */
static bool return_otherwise(struct check *c, const struct failure *f, const struct exec_event *o,
                             const struct exec_event *n)
{
    struct bits a, b;
    return f->model && o->result != TERM_NONE && n->result != TERM_NONE &&
           term_eval(c->t, f->model, o->result, &a) &&
           term_eval(c->t, f->model, canonical_term(&c->pair, &c->pair.side[NEW], n->result), &b) &&
           !bits_eq(a, b);
}

/* In the input both give the callee the same, but for words that may be none of its arguments, of which some
 * differ or are hidden. */
static bool given_same(struct check *c, const struct failure *f, const struct exec_event *o,
                       const struct exec_event *n)
{
    const unsigned on = o->nargs - o->nhidden, nn = n->nargs - n->nhidden, common = on < nn ? on : nn;
    bool doubt = (o->nhidden && n->nhidden) || (on != nn && o->bounded && n->bounded);
    for (unsigned i = 0; i < common; i++) {
        struct bits a, b;
        const term to = canonical_term(&c->pair, &c->pair.side[NEW], n->arg[i]);
        if (to == o->arg[i] ||
            (term_eval(c->t, f->model, o->arg[i], &a) && term_eval(c->t, f->model, to, &b) && bits_eq(a, b)))
            continue;
        if (arguments_sure(c, o, n, i))
            return false;
        doubt = true;
    }
    return doubt;
}

/* Addresses that what differs is read from. */
struct reads {
    const struct terms *t;
    VEC(term) at;
};

static bool see_read(void *ctx, term x)
{
    enum { READS_MAX = 64 };
    struct reads *r = ctx;
    if (term_kind(r->t, x) == TERM_READ)
        vec_push(&r->at, term_kid(r->t, x, 1));
    return r->at.len == READS_MAX;
}

static bool reads_same(struct check *c, const struct failure *f, term old, term new, term at)
{
    struct bits where, a, b;
    if (!term_eval(c->t, f->model, at, &where))
        return true;
    at = term_const_bits(c->t, c->width, where);
    new = canonical_term(&c->pair, &c->pair.side[NEW], new);
    return !term_eval(c->t, f->model, term_read(c->t, old, at, 8), &a) ||
           !term_eval(c->t, f->model, term_read(c->t, new, at, 8), &b) || bits_eq(a, b);
}

/* In the input the two calls find the same and leave different bytes, where what differs is read from. */
static bool leave_otherwise(struct check *c, const struct failure *f, const struct exec_event *o,
                            const struct exec_event *n)
{
    const term of[] = {f->value[OLD], f->value[NEW], f->place, f->when, f->differ};
    struct reads r = {.t = c->t};
    bool other = false;
    term_any_of(c->t, of, sizeof of / sizeof *of, see_read, &r);
    for (size_t i = 0; i < r.at.len && !other; i++)
        other = term_width(c->t, r.at.data[i]) == c->width &&
                reads_same(c, f, o->mem_before, n->mem_before, r.at.data[i]) &&
                !reads_same(c, f, o->mem_after, n->mem_after, r.at.data[i]);
    vec_free(&r.at);
    return other;
}

/* The input makes it. */
static bool is_made(struct check *c, const struct failure *f, int side, const struct exec_event *e)
{
    struct bits v;
    return e->guard == TERM_NONE ||
           (term_eval(c->t, f->model, canonical_term(&c->pair, &c->pair.side[side], e->guard), &v) &&
            !bits_is_zero(v));
}

/* Where the difference was found, what a call of the new version made was taken for something that the old
 * one's made. */
static bool was_taken(struct check *c, const struct failure *f, term old, term new)
{
    const term x = new == TERM_NONE ? new : canonical_term(&c->pair, &c->pair.side[NEW], new);
    bool taken = x == old;
    for (size_t i = 0; i < f->nunited && !taken; i++)
        taken = f->united[0][i] == x;
    return taken;
}

/* If the callee takes what the two differ in, the calls do, and else it does the same, as was supposed: there
 * is a difference in either case. */
static bool taken_for_same(struct check *c, const struct failure *f, const struct exec_event *o,
                           const struct exec_event *n)
{
    return was_taken(c, f, event_result_made(c->t, o), event_result_made(c->t, n)) &&
           was_taken(c, f, o->mem_made, n->mem_made) && was_taken(c, f, o->world_made, n->world_made);
}

/* The call is made before the one that is different, or there is none of that version. */
static bool comes_before(const struct exec_path *p, const struct exec_event *call,
                         const struct exec_event *differs)
{
    return !differs || differs < p->event || differs >= p->event + p->nevents || call < differs;
}

/* A callee of which nobody knows what it takes was given other words by the two, or other numbers of words,
 * some of which may only lie where arguments would, and the difference hangs on what it returned or left.
 * Where it is an argument that differs, the calls do. NULL: there is none. */
static const char *counted_otherwise(struct check *c, const struct failure *f)
{
    const struct exec_path *o = f->path[OLD];
    const bool calls = f->event[OLD] || f->event[NEW];
    for (unsigned i = 0; o && f->path[NEW] && i < o->nevents; i++) {
        const struct exec_event *e = &o->event[i];
        if (e->kind != EVENT_CALL || !e->name)
            continue;
        unsigned before = 0;
        for (unsigned k = 0; k < i; k++)
            before +=
                o->event[k].kind == EVENT_CALL && o->event[k].name && strcmp(o->event[k].name, e->name) == 0;
        const struct exec_event *n = call_of(f->path[NEW], e->name, before);
        if (!n || !comes_before(o, e, f->event[OLD]) || !comes_before(f->path[NEW], n, f->event[NEW]))
            continue;
        if (taken_for_same(c, f, e, n))
            continue;
        const bool doubt =
            f->model && is_made(c, f, OLD, e) && is_made(c, f, NEW, n) && given_same(c, f, e, n);
        if ((!calls && n->nargs != e->nargs && hangs_on(c, f, e)) ||
            (doubt && ((return_otherwise(c, f, e, n) && hangs_on(c, f, e)) || leave_otherwise(c, f, e, n))))
            return e->name;
    }
    return NULL;
}

/* Such an event of either version is on the way. */
static bool meets(const struct failure *f, bool (*is)(const struct exec_event *e))
{
    bool has = false;
    for (int s = 0; s < 2; s++)
        has = has || has_event(f->path[s], is) || has_event(f->witness[s], is);
    return has;
}

struct verify_reason unshown_why(struct check *c, const struct failure *f, const struct verify_difference *d)
{
    const bool run = d->replay != VERIFY_NOT_REPLAYED;
    const char *callee = computed_by_a_call(c, f);
    if (use_other_helpers(f) || orders_in_other_forms(f) || orders_failed_swap(f) ||
        (!run && both_have(f, watches_threads)))
        return reason_of(c->arena, VERIFY_REASON_RUN_OF_THREADS);
    if (callee)
        return reason_of(c->arena, VERIFY_REASON_CALL_INLINED, callee);
    callee = counted_otherwise(c, f);
    if (callee)
        return reason_of(c->arena, VERIFY_REASON_CALL_HOW_MANY, callee);
    /* What an instruction that is not supported does may be what the other version does with others. In a run
     * a callee that has one does anything. */
    const bool unclear = (!run && meets(f, is_unknown)) || meets(f, is_obscure);
    return reason_of(c->arena, unclear ? VERIFY_REASON_NOT_UNDERSTOOD : VERIFY_REASON_NONE);
}
