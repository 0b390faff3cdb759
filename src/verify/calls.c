/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did both make the same calls?
 *
 * Calls are compared one by one in the order they were made; two that are the same (callee, arguments, and
 * the memory and order of things they saw) have the same results, so what the second made is taken to be what
 * the first made from then on. */
#include <stdio.h>
#include <string.h>

#include "verify/private.h"

struct call {
    const struct exec_event *e;
    term guard; /* as seen; TERM_NONE: always */
    bool matched;
    term done;   /* when this holds it has been matched already; TERM_NONE: never */
    bool united; /* with one that it is the same as only sometimes */
};
typedef VEC(struct call) calls;

/* Compilers put in and leave out these as they like; what they do is seen in memory. */
bool call_is_transparent(const char *name)
{
    static const char *const all[] = {"memcpy", "memmove", "memset",          "memcmp",
                                      "bzero",  "bcopy",   "__stack_chk_fail"};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    /* Operators for which the processor has no instruction. */
    size_t n = name ? strlen(name) : 0;
    return n > 6 && (strncmp(name, "__aeabi_", 8) == 0 ||
                     (strncmp(name, "__", 2) == 0 &&
                      (strcmp(name + n - 3, "di3") == 0 || strcmp(name + n - 3, "si3") == 0 ||
                       strcmp(name + n - 3, "di2") == 0 || strcmp(name + n - 3, "si2") == 0 ||
                       strcmp(name + n - 3, "di4") == 0)));
}

static bool is_pure(struct check *c, const char *name)
{
    struct verify_knowledge *k = c->opt->know;
    return k && norm_is_listed(name, k->pure_function, k->npure_functions);
}

/* What such a function does to memory is not seen where it is not known how much it writes. */
static bool counts(struct check *c, const struct exec_event *e)
{
    return e->kind != EVENT_CALL ||
           ((!call_is_transparent(e->name) || e->mem_made != TERM_NONE) && !is_pure(c, e->name));
}

static bool same_name(const struct exec_event *a, const struct exec_event *b)
{
    if (a->kind != b->kind || !a->name != !b->name)
        return false;
    return !a->name || strcmp(a->name, b->name) == 0;
}

/* From now on what n made is what o made. */
static void unite(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const struct side *s = w->n->s;
    const term from[] = {n->result, n->mem_made, n->world_after, n->token, n->x87};
    const term to[] = {o->result, o->mem_made, o->world_after, o->token, o->x87};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE)
            continue;
        term f = norm(c, s, from[i]), t = view_see(w, to[i]);
        if (f == t || term_kind(c->t, f) != TERM_APPLY)
            continue;
        map_set(&w->known, f, t);
        if (term_kind(c->t, to[i]) == TERM_APPLY)
            map_set(&w->made, f, to[i]);
        /* Whatever else differs must do so with that in mind. If they are not the same after all, that is the
         * difference. */
        w->v = term_substitute(c->t, w->v, &f, &t, 1);
    }
    /* Of functions whose effect is seen in one version only. */
    if (!o->mem_made != !n->mem_made) {
        term f = o->mem_made ? o->mem_made : norm(c, s, n->mem_made);
        map_set(&w->known, f, view_see(w, o->mem_made ? norm(c, s, n->mem_after) : o->mem_after));
    }
    map_clear(&w->seen);
}

/* From now on what o made is what n made, which is known to be what another call of the old version made. */
static void unite_again(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const term from[] = {o->result, o->mem_made, o->world_after, o->token, o->x87};
    const term to[] = {n->result, n->mem_made, n->world_after, n->token, n->x87};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE || term_kind(c->t, from[i]) != TERM_APPLY)
            continue;
        term f = from[i], t = view_see(w, norm(c, w->n->s, to[i]));
        if (f == t)
            continue;
        map_set(&w->known, f, t);
        w->v = term_substitute(c->t, w->v, &f, &t, 1);
    }
    map_clear(&w->seen);
}

/* Two calls are the same, or taken to be. */
static void join(struct view *w, const struct call *o, const struct call *n)
{
    if (n->united)
        unite_again(w, o->e, n->e);
    else
        unite(w, o->e, n->e);
}

enum {
    SAME_CALL,
    OTHER_ARGUMENT,
    OTHER_MEMORY,
    OTHER_LOCAL,
    OTHER_CALL,
    CALL_UNDECIDED,
    CALL_ARGUMENT_UNDECIDED
};

/* What is different about two calls. */
struct call_difference {
    unsigned which;    /* the argument, or how many bytes of a local */
    term at;           /* where memory is, or the local */
    const char *doubt; /* what could not be decided first; NULL: everything was */
    bool argument;     /* that is the argument `which`, ... */
    bool sure;         /* ... which surely is one */
};

static void doubt(struct call_difference *d, const char *what)
{
    d->doubt = d->doubt ? d->doubt : what;
}

/* What nobody put there: a register as a callee or the caller left it. */
bool is_left_by_callee(struct check *c, term x)
{
    unsigned kind = term_kind(c->t, x);
    if (kind == TERM_APPLY)
        return strncmp(term_name(c->t, x), "clobber:", 8) == 0;
    if (kind == OP_EXTRACT || kind == OP_ZEXT)
        return is_left_by_callee(c, term_kid(c->t, x, 0));
    if (kind == OP_CONCAT)
        return is_left_by_callee(c, term_kid(c->t, x, 0)) && is_left_by_callee(c, term_kid(c->t, x, 1));
    if (kind == OP_ITE)
        return is_left_by_callee(c, term_kid(c->t, x, 1)) && is_left_by_callee(c, term_kid(c->t, x, 2));
    return false;
}

/* The register still holds what the function was given in it. */
static bool is_parameter(struct check *c, const struct exec_event *e, unsigned i)
{
    char name[16];
    snprintf(name, sizeof name, "arg%u", i);
    return e->arg[i] == term_find_var(c->t, name);
}

/* Nobody set the register for this call. */
static bool is_unset(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    return (is_parameter(c, e, i) &&
            (i >= c->side[side].own ||
             (c->side[side].reloads && arity_at(&c->side[side], e->site, i) == ARITY_UNSET))) ||
           is_left_by_callee(c, e->arg[i]);
}

/* The function has no such parameter, so that what is in the register at entry is nothing. */
static bool has_no_parameter(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    const struct side *s = &c->side[side];
    unsigned own = c->side[OLD].own > c->side[NEW].own ? c->side[OLD].own : c->side[NEW].own;
    if (s->told || (s->reloads && arity_at(s, e->site, i) == ARITY_UNSET))
        return i >= s->own || !s->told;
    struct callee_sites callers = sites_of(c, c->side[OLD].f->name);
    if (callers.fixed && i >= callers.most)
        return true;
    /* One that only hands on what it is given does not look at it. */
    bool hands_on = true;
    for (unsigned k = 0; k < i; k++)
        hands_on = hands_on && is_parameter(c, e, k);
    return i >= own && own && !hands_on && c->opt->assume & VERIFY_ASSUME_ARGUMENTS;
}

/* The code shows that whoever compiled it takes the register for free at that call. */
static bool is_dead(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    const struct side *s = &c->side[side];
    const struct ir_machine *m = program_machine(s->p);
    if (e->depth || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS) || m->arg[i] == m->ret)
        return false;
    /* Nobody hands a function its own address. */
    return (e->target != TERM_NONE && e->arg[i] == e->target) || sites_left(c, side, e->site, i) ||
           (s->plain && m->arg[i] != m->ret2 && arity_at(s, e->site, i) == ARITY_UNSET);
}

/* The first register that nobody set for the call is not an argument, nor are those behind it. `another`: the
 * call shows something of other calls. */
static unsigned passed_at(struct check *c, int side, const struct exec_event *e, unsigned most, bool another)
{
    const struct ir_machine *m = program_machine(c->side[side].p);
    for (unsigned i = 0; i < most; i++)
        if (is_dead(c, side, e, i))
            return i;
    for (unsigned i = 0; i < most; i++)
        /* Half of what a callee returned may be left where it is, to be passed on. */
        if ((is_left_by_callee(c, e->arg[i]) && !(another && m->arg[i] == m->ret2)) ||
            (is_parameter(c, e, i) && has_no_parameter(c, side, e, i)))
            return i;
    return most;
}

/* How many arguments two calls have at most; where a function takes a fixed number, all calls of it show
 * that. */
static unsigned passed_at_most(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const struct end *end[2] = {w->o, w->n};
    unsigned most = program_machine(c->side[OLD].p)->nargs;
    most = passed_at(c, NEW, n, passed_at(c, OLD, o, most, false), false);
    if (!o->name || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS))
        return most;
    struct callee_sites all = sites_of(c, o->name);
    if (!all.fixed)
        return most;
    most = all.most < most ? all.most : most;
    for (int s = 0; s < 2; s++)
        for (unsigned k = 0; k < end[s]->path->nevents; k++) {
            const struct exec_event *e = &end[s]->path->event[k];
            if (same_name(e, o) && e->bounded)
                most = passed_at(c, s, e, most, true);
        }
    return most;
}

/* The register still holds what it held at entry. */
bool is_as_at_entry(struct check *c, int side, term x, unsigned reg)
{
    return x == explorer_entry(c->side[side].x, reg, term_width(c->t, x));
}

static bool is_idle(struct check *c, int side, term x)
{
    unsigned n;
    if (is_left_by_callee(c, x))
        return true;
    return term_kind(c->t, x) == TERM_VAR && sscanf(term_name(c->t, x), "arg%u", &n) == 1 &&
           n >= c->side[side].own && n < program_machine(c->side[side].p)->nargs;
}

/* A word pushed only to align the stack holds some register as it was at entry; something may lie in its
 * upper half. What a callee left in a register may be a part of its result. */
static bool is_padding(struct check *c, int side, term x)
{
    for (unsigned k; (k = term_kind(c->t, x)) == OP_CONCAT || k == OP_EXTRACT || k == OP_ZEXT;)
        x = term_kid(c->t, x, k == OP_CONCAT);
    return term_kind(c->t, x) == TERM_VAR &&
           (strncmp(term_name(c->t, x), "arg", 3) != 0 || is_idle(c, side, x));
}

/* Where words of the stack that are arguments would begin there is a local: the function reads it itself, or
 * callees are given its address. */
static bool begins_with_local(const struct check *c, int side, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->side[side].p);
    int64_t off;
    if (!m->nargs || e->depth || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS) || e->stack == TERM_NONE ||
        !is_sp_offset(c, e->stack, &off) || off >= 0)
        return false;
    for (unsigned i = 0; i < c->width / 8; i++)
        if (map_get(&c->loaded[side], (uint64_t)off + i, NULL) ||
            map_get(&c->given[side], (uint64_t)off + i, NULL))
            return true;
    return false;
}

/* Words of the stack carry arguments only once the registers are used up: not when an earlier callee's
 * leavings are in one of them. The last one may be skipped for something that takes two, on ARM every other
 * one; on x86-64 structures of more than a word are on the stack in any case. */
static bool stack_unused(struct check *c, int side, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->side[side].p);
    unsigned on = e->nargs - e->nhidden;
    if (!e->bounded || on < m->nargs || !m->nargs || !e->nfloats ||
        (m->arch == MACHINE_AMD64 && e->nstack > 1) || !is_left_by_callee(c, e->arg[on + e->nfloats - 1]))
        return false;
    if (m->arch == MACHINE_ARM)
        return is_left_by_callee(c, e->arg[0]) ||
               (is_left_by_callee(c, e->arg[2]) && is_left_by_callee(c, e->arg[3]));
    for (unsigned i = 0; i + 1 < m->nargs; i++)
        if (is_left_by_callee(c, e->arg[i]))
            return true;
    return false;
}

/* That is so at another call, of a function that takes a fixed number of arguments. On x86-64 structures are
 * on the stack in any case. */
static bool no_call_passes_words(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    if (!o->name || !o->bounded || !n->bounded || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS) ||
        (program_machine(c->side[OLD].p)->arch == MACHINE_AMD64 && (o->nstack > 1 || n->nstack > 1)))
        return false;
    struct callee_sites all = sites_of(c, o->name);
    return all.fixed && all.no_words;
}

/* A local that callees are given the address of may begin at `from`, or between there and `to`. */
static bool is_given_between(struct check *c, int side, int64_t from, int64_t to)
{
    uint64_t key, v;
    for (size_t i = 0; (i = map_next(&c->access[side], i, &key, &v));)
        if (key & 0xff && (int64_t)v >> 8 >= from && (int64_t)v >> 8 < to)
            return true;
    return c->given_anywhere[side];
}

/* Words of the stack were written behind one that was not, and are no locals that somebody reads: there is an
 * argument of which a part was never set. */
static bool has_hole(struct check *c, int side, const struct exec_event *e)
{
    int64_t first, word = c->width / 8;
    if (!e->behind || e->depth || !is_sp_offset(c, e->stack, &first))
        return false;
    for (unsigned i = 0; i < 64; i++) {
        int64_t off = first + i * word;
        bool local = !(e->behind >> i & 1) || off >= 0 || is_given_between(c, side, first, off + word);
        for (unsigned k = 0; k < word; k++)
            local = local || map_get(&c->loaded[side], (uint64_t)off + k, NULL);
        if (!local)
            return true;
    }
    return false;
}

/* There may be arguments on the stack that are not listed. */
static bool has_more_words(struct check *c, int side, const struct exec_event *e)
{
    bool filled = e->unlisted || (e->bounded && !e->depth && arity_fills_stack(&c->side[side], e->site));
    bool local = filled && begins_with_local(c, side, e);
    c->arity_used += local;
    return (filled && !local) || has_hole(c, side, e);
}

/* i386: a word that only one version pushed, a register as it is, where the other left room to align the
 * stack. */
static bool only_aligns(struct check *c, int side, const struct exec_event *e, const struct exec_event *other,
                        unsigned i)
{
    enum { ALIGNED = 16 };
    int64_t off, there;
    bool yes = i + 1 == e->nargs - e->nhidden && !has_hole(c, !side, other) &&
               c->opt->assume & VERIFY_ASSUME_ARGUMENTS && !e->depth && e->guessed >= 0 &&
               other->guessed >= 0 && is_sp_offset(c, e->stack, &off) &&
               is_sp_offset(c, other->stack, &there) && (off - (int)(c->width / 8)) % ALIGNED == 0 &&
               (there - (int)(c->width / 8)) % ALIGNED == 0 && arity_may_align(&c->side[side], e->site, i);
    c->arity_used += yes;
    return yes;
}

/* What a callee is given beside its arguments: registers for floats, words of the stack, other registers. */
struct beside {
    const term *floats, *words, *others;
    unsigned nfloats, nwords, nothers;
};

static struct beside beside_of(struct check *c, int side, const struct exec_event *e)
{
    struct beside out = {.nfloats = e->nfloats, .nwords = e->nstack};
    out.nothers = e->nhidden - e->nfloats - e->nstack;
    out.floats = e->arg + e->nargs - e->nhidden;
    out.words = out.floats + e->nfloats;
    out.others = out.words + e->nstack;
    if (out.nwords && begins_with_local(c, side, e)) {
        out.nwords = 0;
        c->arity_used++;
    }
    return out;
}

static bool all_padding(struct check *c, int side, const term *v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!is_padding(c, side, v[i]))
            return false;
    return true;
}

/* Arguments that one version was seen to pass and the other was not, and what callees read besides arguments,
 * count only if somebody put them there. What is in doubt about them; NULL: nothing. */
static const char *extras_doubt(struct view *w, const struct call *o, const struct call *n, unsigned common)
{
    static const char *const number = "how many arguments there are",
                             *const word = "an argument on the stack",
                             *const other = "what is in a register that may carry an argument";
    struct check *c = w->c;
    const struct ir_machine *m = program_machine(c->side[OLD].p);
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden;
    bool no_words =
        (stack_unused(c, OLD, o->e) && stack_unused(c, NEW, n->e)) || no_call_passes_words(w, o->e, n->e);
    if (!no_words && (has_more_words(c, OLD, o->e) || has_more_words(c, NEW, n->e)))
        return word;
    for (unsigned i = common; i < on; i++)
        if (!is_idle(c, OLD, o->e->arg[i]) && !only_aligns(c, OLD, o->e, n->e, i))
            return number;
    for (unsigned i = common; i < nn; i++)
        if (!is_idle(c, NEW, n->e->arg[i]) && !only_aligns(c, NEW, n->e, o->e, i))
            return number;
    struct beside a = beside_of(c, OLD, o->e), b = beside_of(c, NEW, n->e);
    bool one = a.nfloats == b.nfloats;
    for (unsigned i = 0; one && i < a.nfloats; i++) {
        if ((is_left_by_callee(c, a.floats[i]) || is_as_at_entry(c, OLD, a.floats[i], m->farg[i])) &&
            (is_left_by_callee(c, b.floats[i]) || is_as_at_entry(c, NEW, b.floats[i], m->farg[i])))
            continue;
        if (view_same(w, o->guard, view_side(w, w->o, a.floats[i]), view_side(w, w->n, b.floats[i]), NULL) !=
            YES)
            return "a floating-point argument";
    }
    if (!one && (!all_padding(c, OLD, a.floats, a.nfloats) || !all_padding(c, NEW, b.floats, b.nfloats)))
        return "a floating-point argument";
    unsigned few = no_words ? 0 : a.nwords < b.nwords ? a.nwords : b.nwords;
    for (unsigned i = 0; i < few; i++)
        /* A word that one version pushed only to align the stack is no argument. */
        if (!is_padding(c, OLD, a.words[i]) && !is_padding(c, NEW, b.words[i]) &&
            view_same(w, o->guard, view_side(w, w->o, a.words[i]), view_side(w, w->n, b.words[i]), NULL) !=
                YES)
            return word;
    if (!no_words && (!all_padding(c, OLD, a.words + few, a.nwords - few) ||
                      !all_padding(c, NEW, b.words + few, b.nwords - few)))
        return word;
    one = a.nothers == b.nothers;
    for (unsigned i = 0; one && i < a.nothers; i++)
        if (!(is_idle(c, OLD, a.others[i]) && is_idle(c, NEW, b.others[i])) &&
            view_same(w, o->guard, view_side(w, w->o, a.others[i]), view_side(w, w->n, b.others[i]), NULL) !=
                YES)
            return other;
    return one || (all_padding(c, OLD, a.others, a.nothers) && all_padding(c, NEW, b.others, b.nothers))
               ? NULL
               : other;
}

/* Arguments that differ only in bits that the callee does not look at, or (then that is in doubt) may not
 * look at. */
static bool same_below(struct view *w, const struct call *k, term a, term b, unsigned i,
                       struct call_difference *d)
{
    enum { HALF = 32 };
    struct check *c = w->c;
    if (c->width != 2 * HALF || !k->e->name ||
        view_same(w, k->guard, term_extract(c->t, a, 0, HALF), term_extract(c->t, b, 0, HALF), NULL) != YES)
        return false;
    unsigned bits = flow_argument_bits(c->side[OLD].p, k->e->site, k->e->name, i);
    if (!bits)
        doubt(d, "how wide an argument is");
    return bits <= HALF;
}

/* Compares two calls of one name. */
static int same_call(struct view *w, const struct call *o, const struct call *n, struct term_model **model,
                     struct call_difference *d)
{
    struct check *c = w->c;
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden, common = on < nn ? on : nn;
    struct flow_prototype known;
    *d = (struct call_difference){0};
    if (on != nn && o->e->name && flow_library_prototype(c->side[OLD].p, o->e->name, &known)) {
        d->which = common;
        return OTHER_ARGUMENT;
    }
    if (o->e->target != TERM_NONE || n->e->target != TERM_NONE) {
        enum answer r =
            view_same(w, o->guard, view_side(w, w->o, o->e->target), view_side(w, w->n, n->e->target), model);
        if (r == NO)
            return OTHER_CALL;
        if (r == UNDECIDED)
            doubt(d, "where it goes");
    }
    bool guessed = o->e->bounded && n->e->bounded;
    unsigned most = guessed ? passed_at_most(w, o->e, n->e) : common;
    for (unsigned i = 0; i < common; i++) {
        term a = view_side(w, w->o, o->e->arg[i]), b = view_side(w, w->n, n->e->arg[i]);
        if (a == b || (i < 64 && w->granted.arguments >> i & 1))
            continue;
        /* It may be no argument at all. */
        enum arity ao = guessed ? arity_at(&c->side[OLD], o->e->site, i) : ARITY_SURE;
        enum arity an = guessed ? arity_at(&c->side[NEW], n->e->site, i) : ARITY_SURE;
        bool uo = guessed && is_unset(c, OLD, o->e, i), un = guessed && is_unset(c, NEW, n->e, i);
        if (ao != ARITY_SURE && an != ARITY_SURE &&
            (i >= most || ((uo || ao == ARITY_UNSET) && (un || an == ARITY_UNSET)))) {
            c->arity_used++;
            continue;
        }
        /* What one version surely passes the other passes as well: it is the same callee. */
        bool sure = ao == ARITY_SURE || an == ARITY_SURE;
        if (o->e->guessed >= 0 && n->e->guessed >= 0 &&
            (arity_may_align(&c->side[OLD], o->e->site, i) || arity_may_align(&c->side[NEW], n->e->site, i)))
            sure = false;
        enum answer r = view_same(w, o->guard, a, b, sure ? model : NULL);
        if (r == NO && same_below(w, o, a, b, i, d))
            continue;
        if (r == NO && sure) {
            d->which = i;
            return OTHER_ARGUMENT;
        }
        if (r != YES && !d->doubt) {
            d->argument = true;
            d->which = i;
            d->sure = sure;
            doubt(d,
                  arena_printf(c->arena, sure ? "argument %u" : "argument %u, if it takes so many", i + 1));
        }
    }
    const char *extras = extras_doubt(w, o, n, common);
    if (extras)
        doubt(d, extras);
    if (o->e->mem_made != TERM_NONE) {
        term a = view_side(w, w->o, o->e->mem_before), b = view_side(w, w->n, n->e->mem_before);
        enum answer r = memory_same(w, o->guard, a, b, model, &d->at);
        if (r == NO)
            return OTHER_MEMORY;
        if (r == UNDECIDED)
            doubt(d, "the memory it sees");
        if (o->e->escaped || n->e->escaped) {
            unsigned bytes = 0;
            r = memory_same_frames(w, o->guard, a, b, model, &d->at, &bytes);
            if (r == NO) {
                d->which = bytes;
                return OTHER_LOCAL;
            }
            if (r != YES)
                doubt(d, "locals that it can reach");
        }
    }
    enum answer r = view_same(w, o->guard, view_see(w, norm(c, w->o->s, o->e->world_before)),
                              view_side(w, w->n, n->e->world_before), NULL);
    if (r == NO)
        return OTHER_CALL;
    if (r == UNDECIDED)
        doubt(d, "what was called before");
    return d->doubt ? CALL_UNDECIDED : SAME_CALL;
}

static term guard_of(struct check *c, const struct call *k)
{
    return k->guard == TERM_NONE ? term_true(c->t) : k->guard;
}

/* What earlier calls made may be known by now. */
static void see_guards(struct view *w, const struct end *e, calls *all)
{
    for (size_t i = 0; i < all->len; i++) {
        struct call *k = &all->data[i];
        if (k->matched || (k->e->guard == TERM_NONE && k->done == TERM_NONE))
            continue;
        k->guard = k->e->guard == TERM_NONE ? term_true(w->c->t) : view_side(w, e, k->e->guard);
        if (k->done != TERM_NONE)
            k->guard = term_and(w->c->t, k->guard, term_not(w->c->t, view_see(w, k->done)));
        if (term_is_true(w->c->t, k->guard))
            k->guard = TERM_NONE;
    }
}

static void collect_calls(struct view *w, const struct end *e, calls *out)
{
    for (unsigned i = 0; i < e->path->nevents; i++) {
        const struct exec_event *ev = &e->path->event[i];
        struct call k = {.e = ev};
        if (ev->guard != TERM_NONE) {
            k.guard = view_side(w, e, ev->guard);
            if (term_is_false(w->c->t, k.guard))
                continue;
            if (term_is_true(w->c->t, k.guard))
                k.guard = TERM_NONE;
        }
        vec_push(out, k);
    }
}

static bool same_guard(struct view *w, const struct call *o, const struct call *n)
{
    term yes = term_true(w->c->t);
    term a = o->guard == TERM_NONE ? yes : o->guard, b = n->guard == TERM_NONE ? yes : n->guard;
    return a == b || view_same(w, TERM_NONE, a, b, NULL) == YES;
}

/* As if it had not been made. */
static void forget(struct view *w, const struct end *e, const struct exec_event *v)
{
    struct check *c = w->c;
    const term from[] = {v->mem_made, v->world_after}, to[] = {v->mem_before, v->world_before};
    for (size_t i = 0; i < 2; i++) {
        if (from[i] == TERM_NONE || to[i] == TERM_NONE)
            continue;
        term f = norm(c, e->s, from[i]), t = view_see(w, norm(c, e->s, to[i]));
        if (f != t && term_kind(c->t, f) == TERM_APPLY)
            map_set(&w->known, f, t);
        /* Whatever else differs must do so with that in mind. If they are not the same after all, that is the
         * difference. */
        w->v = term_substitute(c->t, w->v, &f, &t, 1);
    }
    map_clear(&w->seen);
}

/* There is one of that name that found no equal. */
static bool has_unmatched(const calls *all, const struct exec_event *like)
{
    for (size_t i = 0; i < all->len; i++)
        if (!all->data[i].matched && same_name(all->data[i].e, like))
            return true;
    return false;
}

/* The call of the other side that this one should have been, or became. */
static struct call *partner(struct view *w, const struct call *k, const calls *ours, calls *theirs, bool new)
{
    struct check *c = w->c;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < theirs->len; i++) {
            struct call *l = &theirs->data[i];
            bool name = same_name(k->e, l->e);
            if (l->matched || !(counts(c, l->e) || (name && call_is_transparent(l->e->name))))
                continue;
            /* the same function, then any other at the same time, then the same function at another time */
            if (pass == 1 && has_unmatched(ours, l->e))
                continue;
            if (name == (pass != 1) && (pass == 2 || (new ? same_guard(w, l, k) : same_guard(w, k, l))))
                return l;
        }
    return NULL;
}

/* What is different about two calls: what same_call says, and which argument it is. */
static int explain_call(struct view *w, const struct call *o, const struct call *n, struct failure *f,
                        unsigned *argument)
{
    struct check *c = w->c;
    const char *name = callee_text(c, OLD, o->e);
    struct term_model *model = NULL;
    struct call_difference d;
    f->question = VERIFY_Q5;
    int kind = same_call(w, o, n, &model, &d);
    unsigned which = *argument = d.which;
    term at = d.at;
    switch (kind) {
    case OTHER_ARGUMENT:
        failure_differ(c, f, which < o->e->nargs ? view_side(w, w->o, o->e->arg[which]) : TERM_NONE,
                       which < n->e->nargs ? view_side(w, w->n, n->e->arg[which]) : TERM_NONE);
        f->what = arena_printf(c->arena, "argument %u of %s", which + 1, name);
        if (which < o->e->nargs && which < n->e->nargs && !model)
            f->refuted = false;
        break;
    case OTHER_MEMORY:
        f->property = VERIFY_P2;
        f->question = VERIFY_Q1;
        f->place = at;
        f->what = arena_printf(c->arena, "memory at the call of %s", name);
        failure_differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, 8),
                       term_read(c->t, view_side(w, w->n, n->e->mem_before), at, 8));
        f->whole = true;
        break;
    case OTHER_LOCAL:
        f->whole = true;
        f->what = arena_printf(c->arena, "a local that %s can reach", name);
        failure_differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, which * 8),
                       term_read(c->t, view_side(w, w->n, n->e->mem_before), at, which * 8));
        break;
    case OTHER_CALL:
        f->what = o->e->name ? "the order of calls" : "where a call through a pointer goes";
        f->question = VERIFY_Q3;
        break;
    default:
        f->refuted = false;
        f->what = arena_printf(c->arena, "the call of %s", name);
        if (d.argument) {
            f->what = arena_printf(c->arena,
                                   d.sure ? "argument %u of %s" : "argument %u of %s, if it takes so many",
                                   which + 1, name);
            failure_differ(c, f, view_side(w, w->o, o->e->arg[which]), view_side(w, w->n, n->e->arg[which]));
            kind = CALL_ARGUMENT_UNDECIDED;
        }
        f->why = out_of_time(c)
                     ? "out of time"
                     : arena_printf(c->arena, "could not decide whether two calls of %s are the same: %s",
                                    name, d.doubt ? d.doubt : "when it is called");
    }
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    if (kind == OTHER_MEMORY)
        accept_name_memory(w, f, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
    return kind;
}

/* Two calls that are taken for one another, and all in which they differ. `f` is what is known of them
 * already. */
static void compare_call(struct view *w, const struct call *o, const struct call *n, struct failure f)
{
    bool unknown = o->e->kind == EVENT_UNKNOWN || n->e->kind == EVENT_UNKNOWN, more = true;
    accept_nothing(w);
    for (unsigned round = 0; more; round++) {
        struct failure g = f;
        unsigned which;
        f.model = NULL; /* g has it */
        int kind = round == ACCEPTED_MAX ? OTHER_CALL : explain_call(w, o, n, &g, &which);
        if (kind == SAME_CALL) {
            term_model_free(g.model);
            break;
        }
        if (round == ACCEPTED_MAX) {
            accept_too_many(w);
            break;
        }
        if (unknown) {
            g.refuted = false;
            g.why = "an instruction that is not understood";
        }
        more = fail(w->c, g);
        if (more && (kind == OTHER_ARGUMENT || kind == CALL_ARGUMENT_UNDECIDED) && which < 64 &&
            which < o->e->nargs && which < n->e->nargs)
            w->granted.arguments |= UINT64_C(1) << which;
        else if (more && kind == OTHER_MEMORY)
            accept_memory(w, &g, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
        else
            more = false;
    }
    accept_nothing(w);
}

/* It is certain which function of the other program the callee is, or that it is one of neither. */
static bool surely_paired(struct check *c, int s, uint64_t site)
{
    const double sure = 0.95;
    const struct flow_graph *g = c->side[s].g;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        if (g->call[i].site != site || !g->call[i].target)
            continue;
        const struct match_pair *p =
            s ? match_function_new(c->m, g->call[i].target) : match_function(c->m, g->call[i].target);
        if (object_stub_at(c->side[s].o, g->call[i].target))
            return true;
        if (!p)
            return false;
        const struct flow_function *f = program_function_at(c->side[s].p, g->call[i].target);
        return p->old != MATCH_NONE && p->new != MATCH_NONE ? p->sure >= sure : f && f->named;
    }
    return true;
}

/* A call that found no equal. It becomes a failure, and from then on it is as if it had been accepted, so
 * that what only follows from it is not reported again. */
static bool fail_call(struct check *c, struct failure f, const struct call *k, const struct call *other)
{
    if (k->e->kind == EVENT_UNKNOWN || (other && other->e->kind == EVENT_UNKNOWN)) {
        f.refuted = false;
        f.why = "an instruction that is not understood";
    }
    return fail(c, f);
}

static unsigned calls_by_name(const struct end *e, const struct exec_event *like)
{
    unsigned n = 0;
    for (unsigned i = 0; i < e->path->nevents; i++)
        n += same_name(&e->path->event[i], like);
    return n;
}

static void unmatched(struct view *w, struct call *k, const calls *ours, calls *theirs, bool new)
{
    struct check *c = w->c;
    k->matched = true;
    term q[] = {w->v, guard_of(c, k), TERM_NONE};
    enum answer r = possible(c, q, 2, NULL);
    if (r == NO)
        return;
    struct call *other = partner(w, k, ours, theirs, new);
    struct term_model *model = NULL;
    bool named = other && same_name(k->e, other->e);
    bool often = other && !(new ? same_guard(w, other, k) : same_guard(w, k, other));
    q[2] = often ? term_not(c->t, term_eq(c->t, guard_of(c, k), guard_of(c, other))) : term_true(c->t);
    if (often)
        q[1] = term_true(c->t);
    r = possible(c, q, 3, &model);
    struct failure f = failure_of(w, VERIFY_P4, r, model);
    f.event[new] = k->e;
    f.site[new] = k->e->site;
    f.question = VERIFY_Q4;
    f.what = arena_printf(c->arena, "calls of %s", callee_text(c, new ? NEW : OLD, k->e));
    f.when = term_and(c->t, w->v, term_and(c->t, q[1], q[2]));
    if (call_is_transparent(k->e->name) &&
        (!named || calls_by_name(w->o, k->e) != calls_by_name(w->n, k->e))) {
        f.refuted = false;
        f.why = arena_printf(c->arena, "what %s does may be done without a call in the other version",
                             k->e->name);
    }
    if (other) {
        f.event[!new] = other->e;
        f.site[!new] = other->e->site;
        other->matched = true;
        const struct call *o = new ? other : k, *n = new ? k : other;
        bool alike = named && !often;
        if (!alike) {
            if (!named) {
                f.question = VERIFY_Q3;
                f.what = "a call replaced by another";
                if (!surely_paired(c, OLD, o->e->site) || !surely_paired(c, NEW, n->e->site)) {
                    f.refuted = false;
                    f.why = "it is not certain which function of the one program a callee is in the other";
                }
            }
            /* One function in the place of another is accepted for what it does, not for what it is given. */
            struct failure base = f;
            base.model = NULL;
            if (fail_call(c, f, k, other) && !named && !often) {
                f = base;
                f.refuted = true;
                alike = true;
            }
        }
        if (alike)
            compare_call(w, o, n, f);
        join(w, o, n);
    } else {
        forget(w, new ? w->n : w->o, k->e);
        fail_call(c, f, k, NULL);
    }
}

static void match_calls(struct view *w, calls *o, calls *n)
{
    struct check *c = w->c;
    size_t first = 0; /* of n that is not matched */
    for (size_t i = 0; i < o->len && !out_of_time(c); i++) {
        struct call *k = &o->data[i];
        while (first < n->len && n->data[first].matched)
            first++;
        for (size_t j = first; j < n->len && !k->matched; j++) {
            struct call *l = &n->data[j];
            struct call_difference d;
            if (l->matched || !same_name(k->e, l->e))
                continue;
            if (!same_guard(w, k, l) || same_call(w, k, l, NULL, &d) != SAME_CALL)
                continue;
            k->matched = l->matched = true;
            join(w, k, l);
            see_guards(w, w->n, n);
        }
    }
}

/* Whenever the one is made, so is the other. */
static bool only_with(struct view *w, const struct call *one, const struct call *other)
{
    struct check *c = w->c;
    term q[] = {w->v, guard_of(c, one), term_not(c->t, guard_of(c, other))};
    return possible(c, q, 3, NULL) == NO;
}

/* The one is made only when the other is: are they the same then? If so the other is left for when the one is
 * not made. */
static bool match_part(struct view *w, struct call *o, struct call *n, bool new)
{
    struct check *c = w->c;
    struct call *one = new ? n : o, *other = new ? o : n, a = *o, b = *n;
    struct call_difference d;
    if ((new && n->united) || !only_with(w, one, other))
        return false;
    a.guard = b.guard = guard_of(c, one);
    if (same_call(w, &a, &b, NULL, &d) != SAME_CALL)
        return false;
    join(w, o, n);
    one->matched = n->united = true;
    other->done = other->done == TERM_NONE ? a.guard : term_or(c->t, other->done, a.guard);
    see_guards(w, w->o, &(calls){.data = o, .len = 1});
    see_guards(w, w->n, &(calls){.data = n, .len = 1});
    term q[] = {w->v, guard_of(c, other)};
    other->matched = possible(c, q, 2, NULL) == NO;
    return true;
}

/* One call that became several, each made sometimes, or the other way round: branches that end alike. True
 * when there is one. */
static bool match_parts(struct view *w, calls *o, calls *n)
{
    for (size_t i = 0; i < o->len; i++)
        for (size_t j = 0; j < n->len && !out_of_time(w->c); j++) {
            struct call *k = &o->data[i], *l = &n->data[j];
            if (!k->matched && !l->matched && same_name(k->e, l->e) && counts(w->c, k->e) &&
                (match_part(w, k, l, true) || match_part(w, k, l, false)))
                return true;
        }
    return false;
}

static struct call *first_unmatched(struct check *c, calls *k)
{
    for (size_t i = 0; i < k->len; i++)
        if (!k->data[i].matched && counts(c, k->data[i].e))
            return &k->data[i];
    return NULL;
}

/* Pairs the calls of both, in order. */
void view_calls(struct view *w)
{
    struct check *c = w->c;
    calls o = VEC_INIT, n = VEC_INIT;
    collect_calls(w, w->o, &o);
    collect_calls(w, w->n, &n);
    /* calls that do not count do nothing but return something */
    for (size_t i = 0; i < o.len; i++)
        if (is_pure(c, o.data[i].e->name))
            forget(w, w->o, o.data[i].e);
    for (size_t i = 0; i < n.len; i++)
        if (is_pure(c, n.data[i].e->name))
            forget(w, w->n, n.data[i].e);
    for (;;) {
        see_guards(w, w->o, &o);
        see_guards(w, w->n, &n);
        match_calls(w, &o, &n);
        if (match_parts(w, &o, &n))
            continue;
        struct call *k = first_unmatched(c, &o), *l = first_unmatched(c, &n);
        /* A call that only the new version makes comes before those that see what it did. */
        bool added = l && !has_unmatched(&o, l->e) && (!k || has_unmatched(&n, k->e));
        if (k && !added)
            unmatched(w, k, &o, &n, false);
        else if (l)
            unmatched(w, l, &n, &o, true);
        else
            break;
    }
    vec_free(&o);
    vec_free(&n);
}

/* Takes calls that are made in the same order for the same, whatever they are given. True when there are any.
 */
bool calls_unite_by_name(struct view *w)
{
    struct map taken = {0};
    bool any = false;
    for (unsigned i = 0; i < w->o->path->nevents; i++)
        for (unsigned k = 0; k < w->n->path->nevents; k++)
            if (!map_get(&taken, k, NULL) && same_name(&w->o->path->event[i], &w->n->path->event[k])) {
                unite(w, &w->o->path->event[i], &w->n->path->event[k]);
                map_set(&taken, k, 1);
                any = true;
                break;
            }
    map_free(&taken);
    return any;
}

/* Calls that are the same return the same, and then it cannot be. */
bool calls_settle(struct view *w, term all)
{
    calls o = VEC_INIT, n = VEC_INIT;
    collect_calls(w, w->o, &o);
    collect_calls(w, w->n, &n);
    match_calls(w, &o, &n);
    bool any = false;
    for (size_t i = 0; i < o.len; i++)
        any = any || o.data[i].matched;
    vec_free(&o);
    vec_free(&n);
    /* what was only decided by the condition itself is open again */
    view_open(w);
    term seen = any ? view_see(w, all) : TERM_NONE;
    return any && possible(w->c, &seen, 1, NULL) == NO;
}
