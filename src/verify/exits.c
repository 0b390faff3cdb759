/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which exits are error exits.
 *
 * Heuristic A: the path ends in, or passes, a call that ends in error: one that does not return, or that the
 * user named; not one that goes on elsewhere (longjmp, pthread_exit), nor an exit with status 0. A trap is
 * the same. Heuristic B: the value returned is invalid. The values both versions return as constants are
 * gathered; of 0 and 1 alone the one whose paths are shorter on average is invalid, unless they store more or
 * call more; otherwise negative ones are, unless the old version is a comparator, or the result is declared
 * unsigned, or they are seen to be results: bounds of what is returned otherwise, computed, or returned where
 * all the work is done; so is NULL where the function returns pointers; so is what the user named. Heuristic
 * C: the path is shorter than 0.8 of the average path. It is there to recognise the early exit that a patch
 * adds, so it is applied to the new version, and to inputs on which the old one's path is longer: an old path
 * is no error because it is short, and what it did must be done. Only paths through no loop are counted as
 * short, only where all paths could be counted, and only in functions that return nothing: where there is a
 * result it says what is an error, and a short path that reports success is none.
 *
 * Both versions are classed by the same rules: what one of them calls invalid is invalid in the other. */
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "verify/profile.h"

enum { PROFILE_PATHS = 4000 };
/* Beyond this there are too many paths to compute an average. */
enum { PROFILE_MS = 1000 };

static bool returns_pointer(const struct pair_side *s)
{
    const struct object_function_debug *d = check_declaration(s);
    return d && d->result && d->result->kind == TYPE_POINTER;
}

static void add_invalid(struct check *c, int64_t v, unsigned by)
{
    for (size_t i = 0; i < c->exits.invalid.len; i++)
        if (c->exits.invalid.data[i] == v)
            return;
    vec_push(&c->exits.invalid, v);
    vec_push(&c->exits.invalid_by, (uint8_t)by);
}

/* In some block that returns, what is returned is what was in that register. */
static bool is_returned(const struct pair_side *s, unsigned reg)
{
    const struct ir_machine *m = program_machine(s->p);
    if (reg == m->ret)
        return true;
    for (uint32_t k = 0; k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; b->end.kind == IR_END_RET && i < b->ninsn; i++) {
            if (b->insn[i].op != IR_PUT || b->insn[i].a != m->ret)
                continue;
            const struct ir_insn *v = &b->insn[b->insn[i].b];
            while (v->op == OP_ZEXT || v->op == OP_SEXT || v->op == OP_EXTRACT)
                v = &b->insn[v->a];
            if (v->op == IR_GET && v->a == reg)
                return true;
        }
    }
    return false;
}

enum { ERRNO_MAX = 4095 };

static bool is_declared(const struct check *c)
{
    return check_declaration(&c->pair.side[OLD]) || check_declaration(&c->pair.side[NEW]);
}

/* What the function is declared to return, by the old version if that says so; NULL: not known, or nothing.
 */
static const struct object_type_info *declared_result(const struct check *c)
{
    for (int s = 0; s < 2; s++) {
        const struct object_function_debug *d = check_declaration(&c->pair.side[s]);
        if (d)
            return d->result;
    }
    return NULL;
}

static bool is_unsigned(const struct object_type_info *r)
{
    return r && !r->is_signed && (r->kind == TYPE_INT || r->kind == TYPE_BOOL || r->kind == TYPE_ENUM);
}

/* A size counts things in memory, so that the largest one is none. */
static bool is_size(const struct object_type_info *r)
{
    return r->name && (strcmp(r->name, "size_t") == 0 || strcmp(r->name, "std::size_t") == 0);
}

static const struct value_use *used_in(const struct profile *p, int64_t v)
{
    for (size_t i = 0; i < p->value.len; i++)
        if (p->value.data[i].value == v)
            return &p->value.data[i];
    return NULL;
}

/* The most that a path of the version does. */
static uint64_t most_done(const struct profile *p)
{
    uint64_t most = p->others_most;
    for (size_t i = 0; i < p->value.len; i++)
        most = p->value.data[i].most > most ? p->value.data[i].most : most;
    return most;
}

/* A negative constant is an error. A large one may be a colour, a mask or a hash, unless the result is
 * declared signed. One that is declared unsigned is never negative: only the largest is an error, by
 * convention, and only if the old version has that: it returns it where it does less than elsewhere, or it
 * returns a size. */
static bool means_error(const struct check *c, const struct profile *old, int64_t value)
{
    const struct object_type_info *r = declared_result(c);
    if (value >= 0)
        return false;
    if (is_unsigned(r)) {
        const struct value_use *u = value == -1 ? used_in(old, value) : NULL;
        return u && (is_size(r) || u->most < most_done(old));
    }
    return value >= -ERRNO_MAX || (r && r->is_signed);
}

static void add_maybe(struct check *c, int64_t v)
{
    for (size_t i = 0; i < c->exits.maybe.len; i++)
        if (c->exits.maybe.data[i] == v)
            return;
    for (size_t i = 0; i < c->exits.invalid.len; i++)
        if (c->exits.invalid.data[i] == v)
            return;
    vec_push(&c->exits.maybe, v);
}

/* ---- negative numbers that may be results ---- */

/* All that the version does it does where it returns negative numbers, that one among them. */
static bool is_of_work(const struct profile *p, int64_t v)
{
    const struct value_use *u = used_in(p, v);
    bool valid = p->others, works = p->others && p->others_most;
    for (size_t i = 0; i < p->value.len; i++)
        if (p->value.data[i].value >= 0) {
            valid = true;
            works = works || p->value.data[i].most;
        }
    return u && u->most && valid && !works;
}

/* The old version has numbers that mean an error. */
static bool has_errors(const struct check *c, const struct profile *old)
{
    for (size_t i = 0; i < old->value.len; i++) {
        int64_t v = old->value.data[i].value;
        if (means_error(c, old, v) && !profile_is_bound(old, v) && !is_of_work(old, v))
            return true;
    }
    return false;
}

/* Only the new version returns it, and no branch leads to it: it may be computed. */
static bool is_moved(const struct check *c, const struct profile p[2], int64_t v)
{
    const struct value_use *u = used_in(&p[NEW], v);
    return u && u->moved == u->paths && !used_in(&p[OLD], v) && !has_errors(c, &p[OLD]);
}

/* The new version returns it where the old one returns the same number with the other sign. */
static bool is_turned(const struct profile p[2], int64_t v)
{
    int64_t turned = (int64_t)(0 - (uint64_t)v);
    const struct value_use *was = used_in(&p[OLD], turned), *is = used_in(&p[NEW], turned);
    return was && used_in(&p[NEW], v) && !used_in(&p[OLD], v) && (!is || is->paths < was->paths);
}

/* Takes a negative number for an error, unless the code shows that it is a result, or may be one. */
static void add_negative(struct check *c, const struct profile p[2], int64_t v)
{
    bool works =
        is_of_work(&p[OLD], v) || (!used_in(&p[OLD], v) && most_done(&p[OLD]) && is_of_work(&p[NEW], v));
    if (profile_is_bound(&p[OLD], v) || profile_is_bound(&p[NEW], v))
        return;
    c->exits.works = c->exits.works || works;
    if (works || is_moved(c, p, v) || is_turned(p, v))
        add_maybe(c, v);
    else
        add_invalid(c, v, VERIFY_BY_B);
}

/* Small negative constants in the code: returned after a loop that was not followed to its end, they would be
 * errors as well. Of what is declared unsigned, the largest may be one; of a size, it is. */
static void negative_constants(struct check *c, const struct profile p[2], const struct pair_side *s)
{
    const struct object_type_info *r = declared_result(c);
    for (uint32_t k = 0; k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->ninsn; i++) {
            const struct ir_insn *in = &b->insn[i];
            if (in->op != IR_PUT && in->op != IR_STORE)
                continue;
            const struct ir_insn *put = &b->insn[in->b];
            const ir_val either[] = {in->b, put->b, put->c}; /* of a conditional move */
            for (unsigned n = put->op == OP_ITE ? 3 : 1; n-- > 0;) {
                const struct ir_insn *v = &b->insn[either[n]];
                if (v->op != IR_CONST || (v->width != 32 && v->width != 64))
                    continue;
                int64_t value = profile_number(c, ir_imm(v->a, v->b), v->width);
                if (value >= 0 || value < -ERRNO_MAX || (in->op == IR_PUT && !is_returned(s, in->a)))
                    continue;
                if (!is_unsigned(r) || (value == -1 && is_size(r) && in->op == IR_PUT && !s->new))
                    add_negative(c, p, value);
                else if (value == -1)
                    add_maybe(c, value);
            }
        }
    }
}

/* False: of the constants one is an error, perhaps, and it is not known which. */
static bool heuristic_b(struct check *c, const struct profile *p)
{
    bool zero = false, one = false, more = p[OLD].others || p[NEW].others;
    double length[2] = {0}, paths[2] = {0};
    uint64_t most[2] = {0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < p[s].value.len; i++) {
            const struct value_use *u = &p[s].value.data[i];
            if (u->value == 0 || u->value == 1) {
                /* The new version is the one being judged: only the old one says which of the two is the
                 * error. */
                if (s == OLD) {
                    *(u->value ? &one : &zero) = true;
                    length[u->value] += u->length;
                    paths[u->value] += (double)u->paths;
                    most[u->value] = u->most;
                }
            } else {
                more = true;
            }
        }
    if (c->exits.pointer) {
        add_invalid(c, 0, VERIFY_BY_B);
        return true;
    }
    if (zero && one && !more && !p[OLD].cut) {
        /* An instruction more or less says nothing; nor does length where the shorter paths do more. */
        const double clearly = 0.8;
        double a = length[0] / paths[0], b = length[1] / paths[1];
        unsigned shorter = a < b ? 0 : 1;
        bool known = (a < clearly * b || b < clearly * a) && most[shorter] <= most[!shorter];
        /* A predicate that says yes at once rejects nothing. */
        if (known && shorter == 1 && !most[0] && !most[1]) {
            add_maybe(c, 1);
            return false;
        }
        if (known)
            add_invalid(c, shorter, VERIFY_BY_B);
        return known;
    }
    if (!is_unsigned(declared_result(c)) && profile_compares(&p[OLD]))
        return true;
    bool known = true;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < p[s].value.len; i++) {
            bool error = means_error(c, &p[OLD], p[s].value.data[i].value);
            if (error)
                add_negative(c, p, p[s].value.data[i].value);
            known = known && (error || p[s].value.data[i].value >= 0);
        }
    for (int s = 0; s < 2; s++)
        negative_constants(c, p, &c->pair.side[s]);
    return known;
}

/* What heuristic B takes for errors is in doubt where no caller would see one. */
static void doubt_unheeded(struct check *c)
{
    struct exits *x = &c->exits;
    size_t told = 0, all = x->invalid.len; /* what the user named comes first */
    while (told < all && x->invalid_by.data[told] != VERIFY_BY_B)
        told++;
    if (told == all || callers_heed_result(c))
        return;
    x->invalid.len = x->invalid_by.len = told;
    for (size_t i = told; i < all; i++)
        add_maybe(c, x->invalid.data[i]);
}

/* Heuristic B does not take it for an error after all. */
static void drop_invalid(struct check *c, int64_t v)
{
    struct exits *x = &c->exits;
    size_t kept = 0;
    for (size_t i = 0; i < x->invalid.len; i++) {
        if (x->invalid.data[i] == v && x->invalid_by.data[i] == VERIFY_BY_B)
            continue;
        x->invalid.data[kept] = x->invalid.data[i];
        x->invalid_by.data[kept++] = x->invalid_by.data[i];
    }
    x->invalid.len = x->invalid_by.len = kept;
}

/* A number on which every caller fails is an error, or may be one where others may call it. Of 0 and 1 the
 * other is none then. */
static void fail_callers(struct check *c, const struct profile p[2])
{
    enum { TRIED_MAX = 8 };
    struct exits *x = &c->exits;
    bool any = false;
    unsigned tried = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < p[s].value.len && tried < TRIED_MAX; i++) {
            const int64_t v = p[s].value.data[i].value;
            const enum answer fail = v < 0 || v > INT32_MAX ? NO : callers_fail_on(c, v);
            tried++;
            if (fail == NO)
                continue;
            if (v <= 1)
                drop_invalid(c, 1 - v);
            if (fail == YES)
                add_invalid(c, v, VERIFY_BY_B);
            else
                add_maybe(c, v);
            any = any || fail == YES;
        }
    if (any)
        x->doubt &= ~(unsigned)(EXITS_ZERO | EXITS_VOID);
}

/* The old version returns it where it does nothing else. Then 0 is an error if wherever it is returned that is so, or
 * the last callee returned 0; another number if 0 is returned only where more is done. */
static bool rejects(const struct profile *old, const struct value_use *u)
{
    const struct value_use *zero = used_in(old, 0);
    return u->idle && (u->value ? zero && !zero->idle && zero->most > u->most : u->idle + u->told == u->paths);
}

/* So it may be: where loops were not followed to their end, more may be done where 0 is returned. */
static bool seems_to_reject(const struct profile *old, const struct value_use *u)
{
    const struct value_use *zero = used_in(old, 0);
    return rejects(old, u) || (old->cut && u->value && u->idle && zero && !zero->idle && zero->most >= u->most);
}

/* Some other number is an error because 0 is returned only where more is done: then 0 is none. */
static bool zero_is_result(const struct profile *old)
{
    for (size_t i = 0; i < old->value.len; i++)
        if (old->value.data[i].value && rejects(old, &old->value.data[i]))
            return true;
    return false;
}

/* Of the constants that the old version returns, those may be errors that it does not return where it does most,
 * or returns there as well as where it does nothing. */
static void doubt_values(struct check *c, const struct profile p[2], bool any)
{
    enum { VALUES_MAX = 64 };
    const struct profile *old = &p[OLD];
    struct exits *x = &c->exits;
    const uint64_t most = most_done(old);
    bool busy = old->others && old->others_most == most;
    for (size_t i = 0; i < old->value.len; i++)
        busy = busy || (old->value.data[i].most == most && !old->value.data[i].idle);
    /* The largest unsigned number may be an error that the new version brings. */
    if (is_unsigned(declared_result(c)) && used_in(&p[NEW], -1) && !used_in(old, -1))
        add_maybe(c, -1);
    x->maybe_surely = x->complete && !x->maybe.len;
    for (size_t i = 0; i < old->value.len && x->maybe.len < VALUES_MAX; i++) {
        const struct value_use *u = &old->value.data[i];
        bool known = (u->most == most && (!u->idle || !busy)) || (!u->value && zero_is_result(old));
        for (size_t k = 0; k < x->invalid.len; k++)
            known = known || x->invalid.data[k] == u->value;
        if (known || (!any && !seems_to_reject(old, u)))
            continue;
        add_maybe(c, u->value);
        x->maybe_surely = x->maybe_surely && rejects(old, u);
    }
    if (x->maybe.len)
        x->doubt |= EXITS_VALUES;
}

/* The version ends with a constant that may be an error; or it is not known with what. */
static bool may_reject(struct check *c, const struct failure *f, int s)
{
    struct bits v;
    term r = f->witness[s]->result;
    if (r == TERM_NONE)
        return false;
    bool may = !term_eval(c->t, f->model, canonical_term(&c->pair, &c->pair.side[s], r), &v);
    for (size_t k = 0; k < c->exits.maybe.len && !may; k++)
        may = profile_number(c, bits_low(v), term_width(c->t, r)) == c->exits.maybe.data[k];
    return may;
}

bool exits_doubt_matters(struct check *c)
{
    if (c->exits.doubt & ~(unsigned)EXITS_VALUES)
        return true;
    for (size_t i = 0; i < c->now->failed.len; i++) {
        const struct failure *f = &c->now->failed.data[i];
        bool matters = !f->refuted || !f->model || !f->witness[OLD] || !f->witness[NEW];
        /* What the new version accepts, it accepts whatever the number means that the old one returns. */
        if (!matters)
            matters = may_reject(c, f, NEW) || (!c->exits.maybe_newly && may_reject(c, f, OLD));
        if (!matters)
            return false;
    }
    return true;
}

/* No constant but 0 is returned. */
static bool only_zero(const struct profile *p)
{
    for (size_t i = 0; i < p->value.len; i++)
        if (p->value.data[i].value)
            return false;
    return true;
}

/* Every value but 0 was tested for 0 before it is returned, and the paths on which it is 0 are shorter: 0 is
 * a callee's failure, passed on. */
static bool hands_on_failure(const struct profile *p)
{
    for (size_t i = 0; i < p->value.len; i++) {
        const struct value_use *u = &p->value.data[i];
        if (u->value == 0 && u->paths && p->handed && p->handed == p->others && !p->cut)
            return only_zero(p) && u->length / (double)u->paths < p->handed_length / (double)p->handed;
    }
    return false;
}

/* Where a number is found not to be 0 it is returned at once, and the work goes on where it is 0: then 0 is
 * no error. Where pointers are as wide as numbers, it might be one thing that is looked for in one place and
 * then in another: steps of a work are several, and only they say how it went. */
static bool zero_goes_on(const struct profile p[2])
{
    const struct profile *old = &p[OLD];
    return old->some && old->rest && old->numbers >= old->others &&
           (old->c->width == 64 || (old->many && !old->pointers && !old->constant && !p[NEW].constant)) &&
           old->some_length / (double)old->some < old->rest_length / (double)old->rest;
}

/* What the configuration says about whether the function returns a value. */
static int returns_as_told(struct check *c)
{
    const struct verify_knowledge *k = c->opt->know;
    for (size_t i = 0; k && i < k->nprototypes; i++)
        if (strcmp(k->prototype[i].name, c->pair.side[OLD].f->name) == 0 && k->prototype[i].returns >= 0) {
            k->prototype[i].used = true;
            return k->prototype[i].returns;
        }
    return -1;
}

/* One version surely sets the register for floats on every path to a return, or has a callee do so, and not
 * both of them the first one: what is in that says nothing. */
static bool returns_float(const struct check *c)
{
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    bool first = true, some = false;
    for (int s = 0; s < 2 && m->fret != UINT16_MAX; s++) {
        some = some || abi_sets_result(c->pair.side[s].abi, m->fret, 32, false) ||
               abi_sets_result(c->pair.side[s].abi, m->fret, 32, true);
        first = first && abi_sets_result(c->pair.side[s].abi, m->ret, 32, true);
    }
    return some && !first;
}

/* Both versions return a float, and neither is seen to set the first register for a result: that holds what
 * was left over. */
static bool returns_only_float(const struct check *c, const struct profile p[2])
{
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    for (int s = 0; s < 2; s++) {
        const struct abi *abi = c->pair.side[s].abi;
        bool sets = m->fret != UINT16_MAX ? abi_sets_result(abi, m->fret, 32, false) ||
                                                abi_sets_result(abi, m->fret, 32, true)
                                          : p[s].signs.ways && !p[s].signs.bare;
        if (!sets || abi_sets_result(abi, m->ret, 32, false))
            return false;
    }
    return true;
}

void exits_profile(struct check *c)
{
    struct exits *x = &c->exits;
    struct profile p[2] = {{.c = c, .s = &c->pair.side[OLD]}, {.c = c, .s = &c->pair.side[NEW]}};
    x->complete = true;
    x->user_returns = returns_as_told(c);
    const struct object_type_info *result = declared_result(c);
    x->width = result ? (unsigned)result->size * 8 : 0;
    x->narrow = is_unsigned(result) && result->size < sizeof(uint32_t);
    for (int s = 0; s < 2; s++) {
        struct explore_options o = {
            .visits = 2, .axioms = c->opt->axioms, .keep_regs = true, .max_paths = PROFILE_PATHS};
        unsigned ms = c->opt->timeout_ms / 8 + 1;
        const struct budget share = query_budget(c, !c->opt->timeout_ms ? 0
                                                    : ms < PROFILE_MS   ? ms
                                                                        : PROFILE_MS);
        query_explore_within(&o, &share);
        check_explorer(c, &c->pair.side[s], &o);
        struct error err = {0};
        explore_function(c->pair.side[s].x, c->pair.side[s].f, profile_see, &p[s], &err);
        struct explore_stats st = explorer_stats(c->pair.side[s].x);
        x->complete = x->complete && st.dropped == 0;
        x->paths += p[s].paths;
        x->average[s] = p[s].paths ? p[s].length / (double)p[s].paths : 0;
        c->stats.paths += st.paths;
        for (size_t i = 0; i < p[s].open.len; i++) {
            bool based = map_get(&c->based[s], p[s].open.data[i], NULL);
            p[s].pointers += based;
        }
        check_explored(&c->pair.side[s]);
    }
    result_decide(c, (const struct result_signs[]){p[OLD].signs, p[NEW].signs});
    x->two_words = p[OLD].extended && !p[OLD].unextended;
    bool told = is_declared(c);
    bool open = !told && p[OLD].others + p[NEW].others > 0 && only_zero(&p[OLD]) && only_zero(&p[NEW]);
    uint64_t others = p[OLD].others + p[NEW].others, pointers = p[OLD].pointers + p[NEW].pointers;
    /* What else the new version returns does not make the old one's pointers numbers. */
    bool was = !told && p[OLD].others && p[OLD].others == p[OLD].pointers && only_zero(&p[OLD]);
    was = was || (!told && hands_on_failure(&p[OLD]));
    x->pointer =
        !x->unset && (returns_pointer(&c->pair.side[OLD]) || returns_pointer(&c->pair.side[NEW]) ||
                      ((was || (open && others == pointers)) && !p[OLD].signs.left && !p[NEW].signs.left));
    if (!x->pointer && open && x->user_returns != 0 && !x->unset && c->opt->heuristics & VERIFY_BY_B &&
        !zero_goes_on(p))
        x->doubt |= EXITS_ZERO;
    if (!told && x->user_returns < 0 && !x->unset && !x->returns_call && !x->pointer &&
        !abi_may_return(c->pair.side[OLD].abi) && c->opt->heuristics & VERIFY_BY_C)
        x->doubt |= EXITS_VOID;
    const struct verify_knowledge *k = c->opt->know;
    for (size_t i = 0; k && c->opt->heuristics & VERIFY_BY_USER && i < k->ninvalid; i++)
        if (!k->invalid[i].function || strcmp(k->invalid[i].function, c->pair.side[OLD].f->name) == 0) {
            k->invalid[i].used = true;
            add_invalid(c, k->invalid[i].value, VERIFY_BY_USER);
        }
    x->nothing = x->user_returns == 0 || x->unset;
    bool floats = (!told && x->user_returns < 0 && !x->unset && returns_float(c)) ||
                  c->pair.side[OLD].proto.returns_float || c->pair.side[NEW].proto.returns_float;
    bool known = !(c->opt->heuristics & VERIFY_BY_B) || x->nothing || floats || heuristic_b(c, p);
    x->floats = !told && x->user_returns < 0 && !x->nothing && c->opt->assume & VERIFY_ASSUME_RESULT &&
                returns_only_float(c, p);
    if (!x->pointer)
        doubt_unheeded(c);
    if (c->opt->heuristics & VERIFY_BY_B && !x->nothing && !floats && !x->pointer)
        fail_callers(c, p);
    x->sure = x->invalid.len;
    /* Without debug information the old version's numbers are what they are, unless it returns them where it
     * does nothing; then only that inputs newly get them is in doubt. */
    x->maybe_newly = !told && known;
    if (c->opt->heuristics & VERIFY_BY_B && !x->nothing && !floats && !x->pointer)
        doubt_values(c, p, !x->maybe_newly);
    x->maybe_newly = x->maybe_newly && !x->works;
    x->maybe_surely = x->maybe_surely && told;
    /* Where return values tell errors, heuristic C is not needed. */
    x->count = c->opt->heuristics & VERIFY_BY_C && x->complete && x->paths > 2 && !x->invalid.len && !floats;
    x->idle = c->opt->heuristics & VERIFY_BY_C && !x->invalid.len && !floats;
    if (floats)
        x->doubt = 0;
    for (int s = 0; s < 2; s++) {
        vec_free(&p[s].value);
        vec_free(&p[s].open);
        vec_free(&p[s].below);
        vec_free(&p[s].above);
        vec_free(&p[s].beyond);
        map_free(&p[s].returned);
        map_free(&p[s].errno_known);
    }
}

struct verify_reason exits_take_doubt(struct check *c)
{
    struct exits *x = &c->exits;
    if (x->doubt & EXITS_ZERO) {
        x->doubt &= ~(unsigned)EXITS_ZERO;
        add_invalid(c, 0, VERIFY_BY_B);
        return reason_of(c->arena, VERIFY_REASON_SAFE_IF_ZERO_FAILS);
    }
    if (x->doubt & EXITS_VALUES) {
        x->doubt &= ~(unsigned)EXITS_VALUES;
        x->maybe_taken = true;
        struct buf b = BUF_INIT;
        for (size_t i = 0; i < x->maybe.len; i++) {
            add_invalid(c, x->maybe.data[i], VERIFY_BY_B);
            buf_printf(&b, "%s%lld", i == 0 ? "" : i + 1 < x->maybe.len ? ", " : " or ", (long long)x->maybe.data[i]);
        }
        struct verify_reason r = reason_of(c->arena, VERIFY_REASON_SAFE_IF_VALUE_FAILS, buf_text(&b));
        buf_free(&b);
        return x->maybe_surely ? (struct verify_reason){0} : r;
    }
    x->doubt &= ~(unsigned)EXITS_VOID;
    x->invalid.len = x->invalid_by.len = x->sure;
    x->nothing = true;
    x->count = x->complete && x->paths > 2 && !x->invalid.len;
    x->idle = !x->invalid.len;
    return reason_of(c->arena, VERIFY_REASON_SAFE_IF_VOID);
}

/* ---- classing ---- */

static bool is_error_function(struct check *c, const char *name)
{
    struct verify_knowledge *k = c->opt->know;
    return k && c->opt->heuristics & VERIFY_BY_USER &&
           names_listed(c, name, k->error_function, k->nerror_functions);
}

/* length < limit, for an if-then-else of constants. The limit is the same for all terms of a check. */
static term shorter(struct check *c, term length, uint64_t limit)
{
    uint64_t n;
    if (length == TERM_NONE)
        return term_false(c->t);
    if (term_const_u64(c->t, length, &n))
        return n < limit ? term_true(c->t) : term_false(c->t);
    if (map_get(&c->shorter, length, &n))
        return (term)n;
    term out = term_false(c->t);
    if (term_kind(c->t, length) == OP_ITE)
        out = term_ite(c->t, term_kid(c->t, length, 0), shorter(c, term_kid(c->t, length, 1), limit),
                       shorter(c, term_kid(c->t, length, 2), limit));
    map_set(&c->shorter, length, out);
    return out;
}

/* Blocks of exit edges of the user that lie on the path: only exact for one path. */
static bool takes_edge(struct check *c, const struct end *e)
{
    const struct verify_knowledge *k = c->opt->know;
    const struct exec_path *p = e->path;
    for (size_t i = 0; k && c->opt->heuristics & VERIFY_BY_USER && i < k->nedges; i++) {
        if (k->edge[i].new != e->s->new)
            continue;
        const struct object *o = program_object(e->s->p);
        uint64_t first = object_internal_address(o, k->edge[i].from),
                 second = object_internal_address(o, k->edge[i].to);
        for (unsigned b = 0; b + 1 < p->nblocks; b++) {
            const struct ir_block *from = &e->s->g->block[p->block[b]],
                                  *to = &e->s->g->block[p->block[b + 1]];
            if (first >= from->label && first < from->label + from->bytes && second == to->label) {
                k->edge[i].used = true;
                return true;
            }
        }
    }
    return false;
}

term exits_returns(struct check *c, term result, int64_t v)
{
    unsigned width = term_width(c->t, result);
    term is = term_eq(c->t, result, term_const(c->t, width, (uint64_t)v));
    /* As an int, with whatever above it. */
    if (width == 64 && v < 0 && c->exits.width != 64)
        is = term_or(c->t, is, term_eq(c->t, result, term_const(c->t, width, (uint32_t)v)));
    return is;
}

struct end exits_class_paired(struct check *c, const struct end *o, const struct end *n)
{
    struct end out = *n;
    if (n->by & VERIFY_BY_C && o->path->length != TERM_NONE) {
        term less = term_bin(c->t, OP_ULT, canonical_term(&c->pair, n->s, n->path->length),
                             canonical_term(&c->pair, o->s, o->path->length));
        out.error = term_or(c->t, n->otherwise, term_and(c->t, n->short_way, less));
    }
    idle_class(c, o, &out);
    return out;
}

/* The call that the path ends with, of a library function; NULL: none. */
static const struct flow_library_entry *ended_by(const struct check *c, const struct end *e)
{
    const struct exec_path *p = e->path;
    return p->end == PATH_NORETURN && p->nevents ? names_library(c, e->s, &p->event[p->nevents - 1]) : NULL;
}

/* When the program ends with a status that says that it failed; TERM_NONE: the call says nothing like that.
 * The parent is told eight bits of it; one that is computed is taken to fit. */
static term fails(struct check *c, const struct end *e, const struct flow_library_entry *l)
{
    enum { STATUS = 32, TOLD = 8 };
    const struct exec_event *last = l && l->like == LIKE_EXIT ? &e->path->event[e->path->nevents - 1] : NULL;
    if (!last || !last->nargs || term_is_array(c->t, last->arg[0]) || term_width(c->t, last->arg[0]) < STATUS)
        return TERM_NONE;
    term status = canonical_term(&c->pair, e->s, last->arg[0]);
    unsigned bits = term_is_const(c->t, status) ? TOLD : STATUS;
    return term_not(c->t, term_eq(c->t, term_extract(c->t, status, 0, bits), term_const(c->t, bits, 0)));
}

/* That the second register of a result of two words holds what extends the number in the first; without one,
 * always. Structures are returned in memory where two words are a number. */
static term is_extended(struct check *c, const struct end *e, int64_t number)
{
    const term second = e->parts[RESULT_SECOND];
    if (!c->exits.two_words || second == TERM_NONE || !compare_both_return_in(c, RESULT_SECOND))
        return term_true(c->t);
    return term_eq(c->t, second, term_const(c->t, c->width, number < 0 ? UINT32_MAX : 0));
}

void exits_class(struct check *c, struct end *e)
{
    struct terms *t = c->t;
    const struct exec_path *p = e->path;
    const struct flow_library_entry *last = ended_by(c, e);
    /* It goes on elsewhere, which is told a number: that is no end of the program. */
    bool jumps = last && last->attrs & LIBRARY_JUMP;
    if ((p->end == PATH_NORETURN && !jumps) || p->end == PATH_TRAP) {
        term failed = fails(c, e, last);
        if (c->opt->heuristics & VERIFY_BY_A) {
            e->error = failed == TERM_NONE ? term_true(t) : failed;
            e->by = VERIFY_BY_A;
        }
        if (!(c->opt->heuristics & VERIFY_BY_A) || term_is_true(t, e->error))
            return;
        jumps = true;
    }
    if (takes_edge(c, e)) {
        e->error = term_true(t);
        e->by = VERIFY_BY_USER;
        return;
    }
    for (unsigned i = 0; i < p->nevents; i++)
        if (is_error_function(c, p->event[i].name)) {
            term g = p->event[i].guard == TERM_NONE ? term_true(t)
                                                    : canonical_term(&c->pair, e->s, p->event[i].guard);
            e->error = term_or(t, e->error, g);
            e->by |= VERIFY_BY_USER;
        }
    if (jumps)
        return;
    term pinned = e->result == TERM_NONE || p->merged ? TERM_NONE : result_pinned(e->s, p);
    const bool given = pinned != TERM_NONE && term_is_const(t, pinned);
    /* What the register of results happened to hold is no error of the old version. */
    const bool left = !e->s->new && p->end == PATH_RETURN &&result_is_left(e->s, p);
    for (size_t i = 0; e->result != TERM_NONE && !left && i < c->exits.invalid.len; i++) {
        const int64_t v = c->exits.invalid.data[i];
        const bool guess = i < c->exits.sure && c->exits.invalid_by.data[i] == VERIFY_BY_B && v < 0;
        const term extended = is_extended(c, e, v);
        term is = term_and(t, exits_returns(c, e->result, v), extended);
        if (term_is_false(t, is))
            continue;
        e->invalid = term_or(t, e->invalid, is);
        is = guess ? term_and(t, chosen_returns(c, e->result, v, given), extended) : is;
        if (term_is_false(t, is))
            continue;
        e->error = term_or(t, e->error, is);
        e->by |= c->exits.invalid_by.data[i];
    }
    /* What is on the x87 stack is returned. */
    bool some = e->result != TERM_NONE || e->parts[RESULT_X87] != TERM_NONE;
    if (e->s->new && c->exits.count && p->length != TERM_NONE && !some) {
        double ratio = c->opt->short_ratio > 0 ? c->opt->short_ratio : 0.8;
        double limit = ratio * c->exits.average[NEW];
        uint64_t whole = (uint64_t)limit + ((double)(uint64_t)limit < limit);
        e->short_way = canonical_term(&c->pair, e->s, shorter(c, p->length, whole));
        if (!term_is_false(t, e->short_way)) {
            e->otherwise = e->error;
            e->error = term_or(t, e->error, e->short_way);
            e->by |= VERIFY_BY_C;
        }
    }
}

void exits_report(struct check *c, const ends *all)
{
    for (size_t i = 0; i < all->len; i++) {
        const struct end *e = &all->data[i];
        if (e->path->end == PATH_CUT)
            continue;
        struct verify_exit x = {.new = e->s->new, .end = e->path->end, .address = e->path->end_address};
        x.error = term_is_true(c->t, e->error);
        /* A value that is taken for invalid may be all that it returns. */
        if (!x.error && c->exits.invalid.len > c->exits.sure && !term_is_false(c->t, e->error)) {
            const term q[] = {e->cond, term_not(c->t, e->error)};
            x.error = query_possible(c, q, 2, NULL) == NO;
        }
        x.sometimes = !x.error && !term_is_false(c->t, e->error);
        x.by = x.error || x.sometimes ? e->by : 0;
        bool known = false;
        for (size_t k = 0; k < c->now->exit.len && !known; k++) {
            struct verify_exit *y = &c->now->exit.data[k];
            known = y->new == x.new && y->end == x.end && y->address == x.address;
            if (known && (y->error != x.error || y->sometimes != x.sometimes)) {
                y->sometimes = true;
                y->error = false;
                y->by |= x.by;
            }
        }
        if (known)
            continue;
        struct buf why = {0};
        if (e->path->end == PATH_NORETURN && e->path->nevents) {
            const struct exec_event *last = &e->path->event[e->path->nevents - 1];
            buf_printf(&why, "calls %s, which does not return", last->name ? last->name : "a function");
        } else if (e->path->end == PATH_TRAP) {
            buf_printf(&why, "traps");
        } else if (x.by & (VERIFY_BY_B | VERIFY_BY_USER) && c->exits.invalid.len) {
            buf_printf(&why, "returns an error value:");
            for (size_t k = 0; k < c->exits.invalid.len; k++)
                buf_printf(&why, "%s %lld", k ? "," : "", (long long)c->exits.invalid.data[k]);
        } else if (x.by & VERIFY_BY_C) {
            buf_printf(&why, "shorter than %.2f of the average of %.1f blocks",
                       c->opt->short_ratio > 0 ? c->opt->short_ratio : 0.8, c->exits.average[x.new]);
        } else {
            buf_printf(&why, "%s", path_end_name((enum path_end)e->path->end));
        }
        x.why = arena_strdup(c->arena, why.data ? why.data : "");
        buf_free(&why);
        vec_push(&c->now->exit, x);
    }
}
