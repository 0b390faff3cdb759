/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two calls compared: arguments in registers, the memory they see, the calls before them. */
#include <stdio.h>
#include <string.h>

#include "verify/calls.h"

static void doubt(struct call_answer *d, enum verify_reason_code what)
{
    d->doubt = d->doubt ? d->doubt : what;
}

/* The register still holds what the function was given in it. */
static bool is_parameter(struct check *c, const struct exec_event *e, unsigned i)
{
    unsigned n;
    return origin_is_argument(c->t, e->arg[i], &n) && n == i;
}

/* Nobody set the register for this call. */
static bool is_unset(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    return (is_parameter(c, e, i) && (i >= abi_nparams(c->pair.side[side].abi) ||
                                      (abi_spills_parameters(c->pair.side[side].abi) &&
                                       abi_argument(c->pair.side[side].abi, e->site, i).set == ABI_UNSET))) ||
           clobbered_by_callee(c, e->arg[i]);
}

/* The function has no such parameter: the register is not live-in. */
static bool has_no_parameter(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    const struct pair_side *s = &c->pair.side[side];
    unsigned own = abi_nparams(c->pair.side[OLD].abi) > abi_nparams(c->pair.side[NEW].abi)
                       ? abi_nparams(c->pair.side[OLD].abi)
                       : abi_nparams(c->pair.side[NEW].abi);
    if (abi_is_declared(s->abi) ||
        (abi_spills_parameters(s->abi) && abi_argument(s->abi, e->site, i).set == ABI_UNSET))
        return i >= abi_nparams(s->abi) || !abi_is_declared(s->abi);
    struct abi_sites callers = callee_sites(c, c->pair.side[OLD].f->name);
    if (callers.fixed && i >= callers.most)
        return true;
    /* A function that only passes its parameters on does not read them. */
    bool hands_on = true;
    for (unsigned k = 0; k < i; k++)
        hands_on = hands_on && is_parameter(c, e, k);
    return i >= own && own && !hands_on && c->opt->assume & VERIFY_ASSUME_ARGUMENTS;
}

static bool is_known_address(const struct pair_side *s, term x, uint64_t *address)
{
    size_t n;
    uint64_t v;
    if (!s->bias || !term_const_u64(s->pair->t, x, &v))
        return false;
    *address = s->pair->width == 32 ? (uint32_t)(v - s->bias) : v - s->bias;
    return object_bytes(s->o, *address, &n) != NULL;
}

/* Nobody can pass what no program can name: the GOT, in which position-independent code finds addresses. */
static bool is_got(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    uint64_t address;
    const struct pair_side *s = &c->pair.side[side];
    return !e->depth && is_known_address(s, e->arg[i], &address) && abi_in_got(s->abi, address);
}

/* The product that the register holds a half of is passed, before it. */
static bool passes_product(struct check *c, const struct exec_event *e, unsigned i, bool upper)
{
    enum { HALF = 32 };
    term whole = term_kind(c->t, e->arg[i]) == OP_EXTRACT ? term_kid(c->t, e->arg[i], 0) : TERM_NONE;
    term product = !upper ? e->arg[i] : whole == TERM_NONE ? TERM_NONE : term_extract(c->t, whole, 0, HALF);
    for (unsigned n = 0; n < i; n++)
        if (e->arg[n] == product)
            return true;
    return false;
}

/* The code shows that the compiler considered the register free at that call, which has at most `most`
 * arguments. */
static bool is_free(struct check *c, int side, const struct exec_event *e, unsigned i, unsigned most)
{
    if (e->depth || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS))
        return false;
    enum abi_evidence why = abi_free_register(c->pair.side[side].abi, e->site, i, most);
    if (why == ABI_OVERFLOW_LOWER || why == ABI_OVERFLOW_UPPER)
        return passes_product(c, e, i, why == ABI_OVERFLOW_UPPER) || is_got(c, side, e, i);
    return why != ABI_NO_EVIDENCE || is_got(c, side, e, i);
}

/* The first register that nobody set for the call is not an argument, nor are those after it. `another`: the
 * call shows something of other calls. */
static unsigned passed_at(struct check *c, int side, const struct exec_event *e, unsigned most, bool another)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    for (unsigned i = 0; i < most; i++)
        if (is_free(c, side, e, i, most))
            return i;
    for (unsigned i = 0; i < most; i++)
        /* Half of what a callee returned may be left where it is, to be passed on. */
        if ((clobbered_by_callee(c, e->arg[i]) && !(another && m->arg[i] == m->ret2)) ||
            (is_parameter(c, e, i) && has_no_parameter(c, side, e, i)))
            return i;
    return most;
}

/* Nobody passes a function its own address: the register holds it for the call. The other version must not
 * have set it for anything else. */
static bool is_for_calling(struct check *c, const struct exec_event *const e[2], unsigned i)
{
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    bool one = false, all = m->arg[i] != m->ret && c->opt->assume & VERIFY_ASSUME_ARGUMENTS;
    for (int s = 0; s < 2 && all; s++) {
        bool own = e[s]->target != TERM_NONE && e[s]->arg[i] == e[s]->target && !e[s]->depth;
        one = one || own;
        all = own || is_unset(c, s, e[s], i) ||
              abi_argument(c->pair.side[s].abi, e[s]->site, i).set == ABI_UNSET;
    }
    return one && all;
}

/* How many arguments two calls have at most; where a function takes a fixed number, all calls of it show
 * that. */
static unsigned passed_at_most(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct check *c = w->c;
    const struct end *end[2] = {w->o, w->n};
    unsigned registers = program_machine(c->pair.side[OLD].p)->nargs;
    unsigned old = passed_at(c, OLD, o, registers, false), new = passed_at(c, NEW, n, registers, false);
    unsigned most = old < new ? old : new;
    const struct exec_event *const both[] = {o, n};
    for (unsigned i = 0; i < most; i++)
        most = is_for_calling(c, both, i) ? i : most;
    /* A low count in one version bounds the other. */
    most = passed_at(c, NEW, n, passed_at(c, OLD, o, most, false), false);
    if (!o->name || !(c->opt->assume & VERIFY_ASSUME_ARGUMENTS))
        return most;
    struct abi_sites all = callee_sites(c, o->name);
    if (all.varies)
        return old > new ? old : new;
    if (!all.fixed)
        return most;
    most = all.most < most ? all.most : most;
    for (int s = 0; s < 2; s++)
        for (unsigned k = 0; k < end[s]->path->nevents; k++) {
            const struct exec_event *e = &end[s]->path->event[k];
            if (names_same(e, o) && e->bounded)
                most = passed_at(c, s, e, most, true);
        }
    return most;
}

/* Arguments that differ only in bits that the callee does not look at, or (then that is in doubt) may not
 * look at. */
static bool same_below(struct view *w, const struct call *o, const struct call *n, term a, term b, unsigned i,
                       struct call_answer *d)
{
    enum { HALF = 32 };
    struct check *c = w->c;
    if (c->width != 2 * HALF ||
        view_same(w, o->guard, term_extract(c->t, a, 0, HALF), term_extract(c->t, b, 0, HALF), NULL) != YES)
        return false;
    const char *name = o->e->name;
    unsigned bits = name ? flow_argument_bits(c->pair.side[OLD].p, o->e->site, name, i) : 0;
    unsigned other = name ? flow_argument_bits(c->pair.side[NEW].p, n->e->site, name, i) : 0;
    bits = other > bits ? other : bits;
    const struct verify_import *told = bits || i >= MACHINE_MAX_ARGS ? NULL : callee_import(c, name);
    if (told)
        bits = told->takes.bits[i];
    if (!bits)
        doubt(d, VERIFY_REASON_CALL_WIDTH);
    return bits <= HALF;
}

/* Two calls of one callee, as far as is known what it takes. */
struct called {
    bool bounded; /* any register may carry an argument */
    bool words;   /* words of the stack were seen to be set: i386 */
    unsigned most;
};

/* i386: word i of the stack is stored before the call, and the function reads it: it keeps something there,
 * as locals lie where arguments of callees that take more would be. */
static bool is_read_back(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    const int64_t word = c->width / 8;
    int64_t first;
    return c->opt->assume & VERIFY_ASSUME_ARGUMENTS && !e->depth && e->stack != TERM_NONE &&
           pair_sp_offset(&c->pair, e->stack, &first) && first + i * word < 0 &&
           !abi_word_is_pushed(c->pair.side[side].abi, e->site, i) &&
           frame_is_read(&c->pair, side, first + i * word, c->width / 8);
}

/* What was returned is where this callee takes its argument, so that nothing had to be set. On some paths it
 * may be as it was at entry. */
static bool is_result(const struct check *c, struct abi_answer set, unsigned i)
{
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    return (set.why == ABI_CALLEE_LEFT || set.why == ABI_UNTOUCHED) &&
           (m->arg[i] == m->ret || m->arg[i] == m->ret2);
}

/* What one version shows of argument i: what the code sets it for, and what it holds. */
static struct abi_answer shown_by(struct check *c, int side, const struct exec_event *e,
                                  const struct called *k, unsigned i)
{
    const struct pair_side *s = &c->pair.side[side];
    if (!k->bounded && k->words && origin_is_register(c->t, e->arg[i]))
        return abi_answer(ABI_ALIGNMENT);
    if (!k->bounded && k->words)
        return is_read_back(c, side, e, i) ? abi_answer(ABI_READ_BACK) : abi_word(s->abi, e->site, i);
    if (!k->bounded)
        return abi_answer(ABI_DECLARED);
    if (c->opt->assume & VERIFY_ASSUME_ARGUMENTS && is_got(c, side, e, i))
        return abi_answer(ABI_GOT);
    struct abi_answer set = abi_argument(s->abi, e->site, i);
    if (set.set >= ABI_LIKELY || !is_unset(c, side, e, i))
        return is_result(c, set, i) ? abi_answer(ABI_CALLEE_RESULT) : set;
    return abi_answer(clobbered_by_callee(c, e->arg[i]) ? ABI_CALLEE_LEFT : ABI_ENTRY_VALUE);
}

/* What both versions together show: what one of them surely passes the other passes as well, as it is the
 * same callee, unless the word only aligns the stack in one of them. */
static struct abi_answer shown_by_both(struct abi_answer old, struct abi_answer new, bool counted)
{
    struct abi_answer more = new.set > old.set ? new : old;
    if (more.set < ABI_LIKELY && !counted)
        return abi_answer(ABI_UNTOUCHED);
    return old.why == ABI_ALIGNMENT ? old : new.why == ABI_ALIGNMENT ? new : more;
}

static struct abi_answer argument_shown(struct check *c, const struct call *o, const struct call *n,
                                        const struct called *k, unsigned i)
{
    return shown_by_both(shown_by(c, OLD, o->e, k, i), shown_by(c, NEW, n->e, k, i), i < k->most);
}

bool arguments_sure(struct check *c, const struct exec_event *o, const struct exec_event *n, unsigned i)
{
    const struct called k = {.bounded = o->bounded && n->bounded,
                             .words = o->guessed >= 0 && n->guessed >= 0};
    return shown_by(c, OLD, o, &k, i).set == ABI_SURE && shown_by(c, NEW, n, &k, i).set == ABI_SURE;
}

/* The compiler of the call cannot have known what the callee does with its arguments. */
static bool is_foreign(struct check *c, int side, const struct exec_event *e)
{
    struct flow_prototype known;
    const struct flow_call *k =
        e->kind == EVENT_CALL && !e->depth ? abi_call_at(c->pair.side[side].abi, e->site) : NULL;
    return k && (!e->name || (k->target && object_stub_at(c->pair.side[side].o, k->target) &&
                              !flow_library_prototype(c->pair.side[side].p, e->name, &known)));
}

/* What is in a register that surely carries a vector is not compared. */
static bool passes_vector(struct check *c, int side, const struct exec_event *e)
{
    return is_foreign(c, side, e) && abi_passes_vector(c->pair.side[side].abi, e->site);
}

/* The stack is where the calling convention has it at a call of another file's function, which may rely on
 * that. */
static bool is_aligned(struct check *c, int side, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->pair.side[side].p);
    int64_t off, to = m->arch == MACHINE_ARM ? 8 : 16;
    return m->arch == MACHINE_X86 || e->depth || e->stack == TERM_NONE || !is_foreign(c, side, e) ||
           !pair_sp_offset(&c->pair, e->stack, &off) || (off - (int64_t)m->call_pushes) % to == 0;
}

/* What one of the arguments, which surely is one, points to in the frame differs in its first byte. */
static bool differs_at_argument(struct view *w, const struct call *o, const struct call *n, unsigned common,
                                const struct called *k, struct term_model **model, struct call_answer *d)
{
    struct check *c = w->c;
    if (!is_foreign(c, OLD, o->e) || !is_foreign(c, NEW, n->e))
        return false;
    for (unsigned i = 0; i < common; i++) {
        bool certain, sure = argument_shown(c, o, n, k, i).set == ABI_SURE;
        term at = view_side(w, w->o, o->e->arg[i]);
        if (sure && at == view_side(w, w->n, n->e->arg[i]) &&
            memory_argument_differs(w, o->guard, o->e, n->e, i, model, &certain)) {
            d->sure = certain;
            d->at = at;
            d->which = 1;
            return true;
        }
    }
    return false;
}

static struct call_answer kind_of(struct call_answer d, enum call_kind kind)
{
    d.kind = kind;
    return d;
}

/* The lowest address in the frame that a call of the path was given up to this one; false: none was. */
static bool lowest_given(struct view *w, const struct end *e, const struct exec_event *until, int64_t *lowest)
{
    const struct pair *pair = &w->c->pair;
    bool any = false;
    for (const struct exec_event *v = e->path->event; v <= until; v++)
        for (unsigned i = 0; i < v->nargs; i++) {
            int64_t off;
            if (term_width(w->c->t, v->arg[i]) != pair->width ||
                !pair_sp_offset(pair, canonical_term(&w->c->pair, e->s, v->arg[i]), &off) || off >= 0)
                continue;
            *lowest = any && *lowest < off ? *lowest : off;
            any = true;
        }
    return any;
}

/* It lies in the frame below all that callees were given of it: they would have to go backwards from that. */
static bool is_below_given(struct view *w, const struct exec_event *o, const struct exec_event *n, term at)
{
    int64_t off, lowest[2];
    return pair_sp_offset(&w->c->pair, at, &off) && lowest_given(w, w->o, o, &lowest[OLD]) &&
           lowest_given(w, w->n, n, &lowest[NEW]) && off < lowest[OLD] && off < lowest[NEW];
}

struct call_answer arguments_compare(struct view *w, const struct call *o, const struct call *n,
                                     struct term_model **model)
{
    struct check *c = w->c;
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden, common = on < nn ? on : nn;
    struct flow_prototype known;
    struct call_answer d = {0};
    if (on != nn && o->e->name && flow_library_prototype(c->pair.side[OLD].p, o->e->name, &known)) {
        d.which = common;
        return kind_of(d, OTHER_ARGUMENT);
    }
    if (o->e->target != TERM_NONE || n->e->target != TERM_NONE) {
        enum answer r =
            view_same(w, o->guard, view_side(w, w->o, o->e->target), view_side(w, w->n, n->e->target), model);
        if (r == NO)
            return kind_of(d, OTHER_CALL);
        if (r == UNDECIDED)
            doubt(&d, VERIFY_REASON_CALL_TARGET);
    }
    struct called k = {.bounded = o->e->bounded && n->e->bounded,
                       .words = o->e->guessed >= 0 && n->e->guessed >= 0,
                       .most = common};
    if (k.bounded)
        k.most = passed_at_most(w, o->e, n->e);
    for (unsigned i = 0; i < common; i++) {
        term a = view_side(w, w->o, o->e->arg[i]), b = view_side(w, w->n, n->e->arg[i]);
        if (a == b || (i < 64 && w->granted.arguments >> i & 1))
            continue;
        struct abi_answer shown = argument_shown(c, o, n, &k, i);
        bool sure = shown.set == ABI_SURE && arguments_sure(c, o->e, n->e, i);
        if (shown.set == ABI_UNSET) {
            c->arity_used++;
            continue;
        }
        enum answer r = view_same(w, o->guard, a, b, sure ? model : NULL);
        if (r == NO && same_below(w, o, n, a, b, i, &d))
            continue;
        if (r == NO && sure) {
            d.which = i;
            return kind_of(d, OTHER_ARGUMENT);
        }
        if (r != YES && !d.doubt) {
            d.argument = true;
            d.which = i;
            d.sure = sure;
            d.why = shown.why;
            doubt(&d, sure ? VERIFY_REASON_CALL_ARGUMENT : VERIFY_REASON_CALL_ARGUMENT_OR_NONE);
        }
        if (d.doubt && !model)
            return kind_of(d, CALL_UNDECIDED);
    }
    doubt(&d, arguments_stack_doubt(w, o, n, common));
    if (passes_vector(c, OLD, o->e) || passes_vector(c, NEW, n->e))
        doubt(&d, VERIFY_REASON_CALL_VECTOR);
    if (is_aligned(c, OLD, o->e) && !is_aligned(c, NEW, n->e))
        doubt(&d, VERIFY_REASON_CALL_ALIGNMENT);
    if (d.doubt && !model)
        return kind_of(d, CALL_UNDECIDED);
    if (o->e->reads || n->e->reads) {
        term a = view_side(w, w->o, o->e->mem_before), b = view_side(w, w->n, n->e->mem_before);
        struct memory_answer m = memory_same(w, o->guard, a, b, model);
        d.at = m.at;
        if (m.same == NO)
            return kind_of(d, OTHER_MEMORY);
        if (m.same == UNDECIDED)
            doubt(&d, VERIFY_REASON_CALL_MEMORY);
        if (d.doubt && !model)
            return kind_of(d, CALL_UNDECIDED);
        if ((o->e->escaped || n->e->escaped) && !w->granted.locals) {
            const struct exec_event *const call[] = {o->e, n->e};
            m = memory_same_frames(w, o->guard, call, a, b, model);
            /* Where one version gives nothing of its frame away, what the other gives in addition is no
             * local. */
            const bool both = o->e->escaped && n->e->escaped;
            if (m.same == NO && both && !is_below_given(w, o->e, n->e, m.at)) {
                d.at = m.at;
                d.which = m.bytes;
                return kind_of(d, OTHER_LOCAL);
            }
            if (m.same != YES && differs_at_argument(w, o, n, common, &k, model, &d))
                return kind_of(d, OTHER_LOCAL);
            if (m.same != YES)
                doubt(&d, VERIFY_REASON_CALL_LOCALS);
        }
    }
    enum answer r = view_same(w, o->guard, view_see(w, canonical_term(&c->pair, w->o->s, o->e->world_before)),
                              view_side(w, w->n, n->e->world_before), NULL);
    if (r == NO)
        return kind_of(d, OTHER_CALL);
    if (r == UNDECIDED)
        doubt(&d, VERIFY_REASON_CALL_BEFORE);
    return kind_of(d, d.doubt ? CALL_UNDECIDED : SAME_CALL);
}
