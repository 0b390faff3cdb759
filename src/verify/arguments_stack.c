/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call is given besides arguments in registers: words of the stack, floats, other registers. Which of
 * the words are arguments is not known where there is no prototype: what lies where the first ones would be
 * may be a local, a saved register, or there only to align the stack. */
#include <string.h>

#include "verify/calls.h"

/* What was in some register at entry; something may lie in its upper half. What a callee left in a register
 * may be a part of its result. */
static bool is_padding(struct check *c, int side, term x)
{
    for (unsigned k; (k = term_kind(c->t, x)) == OP_CONCAT || k == OP_EXTRACT || k == OP_ZEXT;)
        x = term_kid(c->t, x, k == OP_CONCAT);
    /* Addresses of other files' data and what loops have changed are symbols, too. */
    return origin_is_register(c->t, x) || (term_kind(c->t, x) == TERM_VAR && never_set(c, side, x));
}

/* A register of the caller's is kept there, to be restored. */
static bool is_callers(struct check *c, int side, term x)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    for (unsigned i = 0; i < m->nsaved; i++)
        if (as_at_entry(c, side, x, m->saved[i]))
            return true;
    return m->lr != UINT16_MAX && as_at_entry(c, side, x, m->lr);
}

/* Where words of the stack that are arguments would begin there is a local: the function reads it itself, or
 * callees are given its address. */
static bool begins_with_local(const struct check *c, int side, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    int64_t off;
    if (!m->nargs || e->depth || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS) || e->stack == TERM_NONE ||
        !pair_sp_offset(&c->pair, e->stack, &off) || off >= 0)
        return false;
    bool local = frame_is_read(&c->pair, side, off, c->width / 8);
    for (unsigned i = 0; i < c->width / 8; i++)
        local = local || map_get(&c->pair.observed.escaped[side], (uint64_t)off + i, NULL);
    return local;
}

/* Stack words carry arguments only once the argument registers are used up: not while one of those holds what
 * an earlier callee left. The last one may be skipped for something that takes two, on ARM every other one;
 * on x86-64 structures of more than a word are on the stack in any case. */
static bool stack_unused(struct check *c, int side, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    unsigned on = e->nargs - e->nhidden;
    if (!e->bounded || on < m->nargs || !m->nargs || !e->nfloats ||
        (m->arch == MACHINE_AMD64 && e->nstack > 1) || !clobbered_by_callee(c, e->arg[on + e->nfloats - 1]))
        return false;
    if (m->arch == MACHINE_ARM)
        return clobbered_by_callee(c, e->arg[0]) ||
               (clobbered_by_callee(c, e->arg[2]) && clobbered_by_callee(c, e->arg[3]));
    for (unsigned i = 0; i + 1 < m->nargs; i++)
        if (clobbered_by_callee(c, e->arg[i]))
            return true;
    return false;
}

/* That is so at another call, of a function that takes a fixed number of arguments. On x86-64 structures are
 * on the stack in any case. */
static bool no_call_passes_words(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    if (!o->name || !o->bounded || !n->bounded || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS) ||
        (program_machine(c->pair.side[OLD].p)->arch == MACHINE_AMD64 && (o->nstack > 1 || n->nstack > 1)))
        return false;
    struct abi_sites all = callee_sites(c, o->name);
    return all.fixed && all.no_words;
}

/* A local that callees are given the address of may begin at `from`, or between there and `to`. */
static bool is_given_between(struct check *c, int side, int64_t from, int64_t to)
{
    uint64_t key, v;
    for (size_t i = 0; (i = map_next(&c->pair.observed.access[side], i, &key, &v));)
        if (key & 0xff && !(v & 0xff) && (int64_t)v >> 8 >= from && (int64_t)v >> 8 < to)
            return true;
    return c->pair.observed.escaped_anywhere[side];
}

/* Word i from where arguments on the stack would begin is none: a parameter is kept there by code that is not
 * optimised, or it was only taken along. */
static bool is_no_argument(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    const struct pair_side *s = &c->pair.side[side];
    int64_t first, word = c->width / 8;
    if (e->depth || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS) ||
        !pair_sp_offset(&c->pair, e->stack, &first) || first + i * word >= 0)
        return false;
    uint64_t store = i < e->nword_sites ? e->word_site[i] : 0;
    enum abi_evidence why = abi_frame_word(s->abi, first + i * word, store);
    bool yes = why != ABI_NO_EVIDENCE &&
               (why != ABI_HOME || i > 0 || frame_is_read(&c->pair, side, first + i * word, c->width / 8));
    c->arity_used += yes;
    return yes;
}

/* Words of the stack were written after one that was not, and are no locals that somebody reads: there is an
 * argument of which a part was never set. */
static bool has_hole(struct check *c, int side, const struct exec_event *e)
{
    int64_t first, word = c->width / 8;
    if (!e->behind || e->depth || !pair_sp_offset(&c->pair, e->stack, &first))
        return false;
    for (unsigned i = 0; i < 64; i++) {
        int64_t off = first + i * word;
        bool local = !(e->behind >> i & 1) || off >= 0 || is_given_between(c, side, first, off + word) ||
                     frame_is_read(&c->pair, side, off, c->width / 8);
        if (!local && !is_no_argument(c, side, e, i))
            return true;
    }
    return false;
}

/* The instruction that stores there last; 0: none is seen to. */
static uint64_t stored_by(const struct exec_path *p, term at)
{
    for (unsigned i = p->nwrites; i-- > 0;)
        if (p->write[i].address == at)
            return p->write[i].site;
    return 0;
}

/* The word behind those that were set since the last call was set before that, and nobody reads it: it may
 * have been pushed for this call already. TERM_NONE: it is none of those. */
static term pushed_before(struct check *c, const struct end *end, const struct exec_event *e, unsigned words)
{
    const int side = end->s->new;
    const struct pair_side *s = &c->pair.side[side];
    int64_t off, word = c->width / 8;
    if (e->depth || e->escaped || e->stack == TERM_NONE || e->frame_after == TERM_NONE ||
        !pair_sp_offset(&c->pair, e->stack, &off) || (off += words * word) >= 0 ||
        frame_is_read(&c->pair, side, off, c->width / 8) || is_given_between(c, side, off, off + word))
        return TERM_NONE;
    term at = term_add_const(c->t, c->pair.sp, (uint64_t)off), x = TERM_NONE;
    for (term f = e->frame_after; term_kind(c->t, f) == TERM_WRITE; f = term_kid(c->t, f, 0))
        if (term_kid(c->t, f, 1) == at) {
            x = term_kid(c->t, f, 2);
            break;
        }
    return x == TERM_NONE || is_callers(c, side, x) ||
                   (is_padding(c, side, x) && abi_is_pushed(s->abi, off, stored_by(end->path, at))) ||
                   origin_is(c->t, x, ORIGIN_CLOBBERED_WORD) ||
                   abi_frame_word(s->abi, off, 0) != ABI_NO_EVIDENCE
               ? TERM_NONE
               : x;
}

/* What a function of the library filled is a local: others are given its address, too. */
static bool fills_local(const struct check *c, int side, const struct exec_event *e)
{
    int64_t off;
    return !e->depth && c->opt->assume & VERIFY_ASSUME_ARGUMENTS && e->fill != TERM_NONE &&
           pair_sp_offset(&c->pair, e->fill, &off) &&
           map_get(&c->pair.observed.escaped[side], (uint64_t)off, NULL);
}

/* There may be arguments on the stack that are not listed. */
static bool has_more_words(struct check *c, int side, const struct exec_event *e)
{
    bool copied = e->bounded && !e->depth && abi_copies_to_stack(c->pair.side[side].abi, e->site);
    bool filled = e->unlisted || copied;
    bool local = filled && (begins_with_local(c, side, e) || (!copied && fills_local(c, side, e)));
    c->arity_used += local;
    return (filled && !local) || has_hole(c, side, e);
}

/* i386: words that only one version pushed, a register as it is, where the other left room to align the
 * stack. */
static bool only_aligns(struct check *c, int side, const struct exec_event *e, const struct exec_event *other,
                        unsigned from)
{
    enum { ALIGNED = 16 };
    int64_t off, there;
    bool yes = !has_hole(c, !side, other) && c->opt->assume & VERIFY_ASSUME_ARGUMENTS && !e->depth &&
               e->guessed >= 0 && other->guessed >= 0 && pair_sp_offset(&c->pair, e->stack, &off) &&
               pair_sp_offset(&c->pair, other->stack, &there) && (off - (int)(c->width / 8)) % ALIGNED == 0 &&
               (there - (int)(c->width / 8)) % ALIGNED == 0 &&
               abi_words_align(c->pair.side[side].abi, e->site, from, e->nargs - e->nhidden);
    c->arity_used += yes;
    return yes;
}

/* i386: the word lies in the frame, where the accumulator was pushed to make room for it. */
static bool only_makes_room(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    const struct pair_side *s = &c->pair.side[side];
    bool yes = !e->depth && e->guessed >= 0 && c->opt->assume & VERIFY_ASSUME_ARGUMENTS &&
               as_at_entry(c, side, e->arg[i], program_machine(s->p)->ret) &&
               abi_word_is_of_frame(s->abi, e->site, i);
    c->arity_used += yes;
    return yes;
}

/* What a callee is given in addition to its arguments: floating-point registers, stack words, other
 * registers. */
struct unlisted {
    const term *floats, *words, *others;
    unsigned nfloats, nwords, nothers;
};

static struct unlisted unlisted_of(struct check *c, int side, const struct exec_event *e)
{
    struct unlisted out = {.nfloats = e->nfloats, .nwords = e->nstack};
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

/* A word that is pushed only to align the stack, or is no argument for another reason. One that is stored is
 * there for somebody. */
static bool is_padding_word(struct check *c, int side, const struct exec_event *e, const struct unlisted *b,
                            unsigned i)
{
    int64_t first;
    return (is_padding(c, side, b->words[i]) &&
            (is_callers(c, side, b->words[i]) || !pair_sp_offset(&c->pair, e->stack, &first) ||
             abi_is_pushed(c->pair.side[side].abi, first + (int64_t)(i * (c->width / 8)),
                           i < e->nword_sites ? e->word_site[i] : 0))) ||
           is_no_argument(c, side, e, i);
}

enum verify_reason_code arguments_stack_doubt(struct view *w, const struct call *o, const struct call *n,
                                              unsigned common)
{
    struct check *c = w->c;
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden;
    bool no_words =
        (stack_unused(c, OLD, o->e) && stack_unused(c, NEW, n->e)) || no_call_passes_words(w, o->e, n->e);
    if (!no_words && (has_more_words(c, OLD, o->e) || has_more_words(c, NEW, n->e)))
        return VERIFY_REASON_CALL_STACK_WORD;
    for (unsigned i = common; i < on; i++)
        if (!never_set(c, OLD, o->e->arg[i]) && !only_makes_room(c, OLD, o->e, i) &&
            !only_aligns(c, OLD, o->e, n->e, common))
            return VERIFY_REASON_CALL_HOW_MANY;
    for (unsigned i = common; i < nn; i++)
        if (!never_set(c, NEW, n->e->arg[i]) && !only_makes_room(c, NEW, n->e, i) &&
            !only_aligns(c, NEW, n->e, o->e, common))
            return VERIFY_REASON_CALL_HOW_MANY;
    struct unlisted a = unlisted_of(c, OLD, o->e), b = unlisted_of(c, NEW, n->e);
    bool one = a.nfloats == b.nfloats;
    for (unsigned i = 0; one && i < a.nfloats; i++) {
        if ((clobbered_by_callee(c, a.floats[i]) || as_at_entry(c, OLD, a.floats[i], m->farg[i])) &&
            (clobbered_by_callee(c, b.floats[i]) || as_at_entry(c, NEW, b.floats[i], m->farg[i])))
            continue;
        if (view_same(w, o->guard, view_side(w, w->o, a.floats[i]), view_side(w, w->n, b.floats[i]), NULL) !=
            YES)
            return VERIFY_REASON_CALL_FLOAT;
    }
    if (!one && (!all_padding(c, OLD, a.floats, a.nfloats) || !all_padding(c, NEW, b.floats, b.nfloats)))
        return VERIFY_REASON_CALL_FLOAT;
    unsigned few = no_words ? 0 : a.nwords < b.nwords ? a.nwords : b.nwords;
    /* A word that one version pushed only to align the stack is no argument in the other either, unless it is
     * a variadic function that may be given more there. */
    bool fixed = few && o->e->name && callee_sites(c, o->e->name).fixed;
    for (unsigned i = 0; i < few; i++) {
        bool po = is_padding_word(c, OLD, o->e, &a, i), pn = is_padding_word(c, NEW, n->e, &b, i);
        if (!(fixed ? po || pn : po && pn) && view_same(w, o->guard, view_side(w, w->o, a.words[i]),
                                                        view_side(w, w->n, b.words[i]), NULL) != YES)
            return VERIFY_REASON_CALL_STACK_WORD;
    }
    for (unsigned i = few; !no_words && (i < a.nwords || i < b.nwords); i++)
        if (!(i < a.nwords ? is_padding_word(c, OLD, o->e, &a, i) : is_padding_word(c, NEW, n->e, &b, i)))
            return VERIFY_REASON_CALL_STACK_WORD;
    unsigned words = m->nargs ? a.nwords : on, there = m->nargs ? b.nwords : nn;
    term x = no_words || words != there || (o->e->bounded != n->e->bounded)
                 ? TERM_NONE
                 : pushed_before(c, w->o, o->e, words),
         y = x == TERM_NONE ? TERM_NONE : pushed_before(c, w->n, n->e, there);
    if (y != TERM_NONE && term_width(c->t, x) != term_width(c->t, y))
        return VERIFY_REASON_CALL_STACK_WORD;
    if (y != TERM_NONE && view_same(w, o->guard, view_side(w, w->o, x), view_side(w, w->n, y), NULL) != YES)
        return VERIFY_REASON_CALL_STACK_WORD;
    one = a.nothers == b.nothers;
    for (unsigned i = 0; one && i < a.nothers; i++)
        if (!(never_set(c, OLD, a.others[i]) && never_set(c, NEW, b.others[i])) &&
            view_same(w, o->guard, view_side(w, w->o, a.others[i]), view_side(w, w->n, b.others[i]), NULL) !=
                YES)
            return VERIFY_REASON_CALL_REGISTER;
    return one || (all_padding(c, OLD, a.others, a.nothers) && all_padding(c, NEW, b.others, b.nothers))
               ? VERIFY_REASON_NONE
               : VERIFY_REASON_CALL_REGISTER;
}
