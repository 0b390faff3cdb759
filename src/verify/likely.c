/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that a program can really be given.
 *
 * To the processor every number is an address. Compilers know more: a pointer is aligned as its type asks
 * for, so that two words are in the same place or have nothing in common, and what is constant is not written
 * to, though another file has it and nothing here says that it is constant. Words of different sizes, but for
 * bytes, are of different types and not in one place. A callee that is given a local does not overwrite the
 * parameters that the function has spilled above it. And memcpy is not given memory that overlaps, nor a
 * structure copied over a part of itself. An int
 * that a library function returns fills its register, a narrow parameter does (extended.c), and a parameter
 * on the stack is what lies in its place there. Which of two NaNs a sum is nobody asks (nans.c). A difference
 * that only inputs outside these rules show is none between the programs. Nothing is proved by this: the
 * verdict becomes *unknown*. */
#include <stdlib.h>
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

enum { NEAR = 1 << 20 };

/* ---- words that overlap ---- */

/* The base is aligned as far as the distance from it is; where that says something. */
static term aligned(struct check *c, struct apart_access p)
{
    term base;
    uint64_t off;
    term_split(c->t, p.at, &base, &off);
    uint64_t by = off & -off;
    by = by && by < p.bytes ? by : p.bytes;
    if (base == TERM_NONE || base == c->sp || by < 2 || by & (by - 1) || by > c->width / 8)
        return term_true(c->t);
    term low = term_bin(c->t, OP_AND, base, term_const(c->t, c->width, by - 1));
    return term_eq(c->t, low, term_const(c->t, c->width, 0));
}

/* The address is made from that of the import, other than by what lies there. */
static bool is_made_from(const struct terms *t, term x, term import)
{
    bool made = false;
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, x);
    while (todo.len && !made) {
        term u = vec_pop(&todo);
        unsigned kind = term_kind(t, u);
        made = u == import;
        if (!map_set(&seen, u, 1) || kind == TERM_READ || kind == TERM_APPLY)
            continue;
        for (unsigned i = 0; i < term_nkids(t, u); i++)
            vec_push(&todo, term_kid(t, u, i));
    }
    vec_free(&todo);
    map_free(&seen);
    return made;
}

/* What is read of it, if its address is made from that of the import, lies near that; what is written does
 * not. */
static term apart(struct check *c, term import, struct apart_access p)
{
    int64_t off;
    bool own = is_made_from(c->t, p.at, import);
    term near = term_const(c->t, c->width, NEAR), d = term_bin(c->t, OP_SUB, p.at, import);
    if (own == p.write || pair_sp_offset(&c->pair, p.at, &off))
        return term_true(c->t);
    return p.write ? term_bin(c->t, OP_ULE, term_add_const(c->t, near, NEAR), term_add_const(c->t, d, NEAR))
                   : term_bin(c->t, OP_ULT, d, near);
}

/* What debug information says that a parameter points to; NULL: it does not say. */
static const struct object_type_info *pointed_to(const struct check *c, term base)
{
    unsigned i;
    for (int s = 0; s < 2 && origin_is_argument(c->t, base, &i); s++) {
        const struct object_function_debug *d =
            object_debug_function(c->pair.side[s].o, c->pair.side[s].f->address);
        const struct object_type_info *p = d && i < d->nparams ? d->param[i].type : NULL;
        if (p && p->kind == TYPE_POINTER && p->target)
            return p->target;
    }
    return NULL;
}

/* Both are declared to lead to one type; signed and unsigned numbers are one. */
static bool lead_to_one_type(const struct check *c, term a, term b)
{
    const struct object_type_info *x = pointed_to(c, a), *y = pointed_to(c, b);
    return x && y && x->kind == y->kind && x->size == y->size &&
           (x->kind != TYPE_STRUCT || (x->name && y->name && strcmp(x->name, y->name) == 0));
}

/* One of the terms that an address is the sum of is one of another's: both are found from the same pointer.
 */
static bool share_pointer(const struct terms *t, term a, term b)
{
    if (term_kind(t, a) == OP_ADD)
        return share_pointer(t, term_kid(t, a, 0), b) || share_pointer(t, term_kid(t, a, 1), b);
    return apart_is_summand(t, b, a);
}

/* Words reached from different pointers: those of different sizes are of different types, and bytes may be of
 * any. Those of one size may be, unless debug information says what the pointers lead to. */
static bool are_of_two_types(struct check *c, struct apart_access a, struct apart_access b)
{
    term base[2];
    uint64_t off;
    term_split(c->t, a.at, &base[0], &off);
    term_split(c->t, b.at, &base[1], &off);
    if (!(c->opt->assume & VERIFY_ASSUME_ALIASING) || a.bytes < 2 || b.bytes < 2 || a.bytes > c->width / 8 ||
        b.bytes > c->width / 8 || base[0] == base[1] || base[0] == c->sp || base[1] == c->sp ||
        base[0] == TERM_NONE || base[1] == TERM_NONE)
        return false;
    return a.bytes != b.bytes ||
           (!share_pointer(c->t, base[0], base[1]) && !lead_to_one_type(c, base[0], base[1]));
}

/* The two have nothing in common. */
static term disjoint(struct check *c, struct apart_access a, struct apart_access b)
{
    term d = term_bin(c->t, OP_SUB, b.at, a.at);
    return term_and(c->t, term_bin(c->t, OP_ULE, term_const(c->t, c->width, a.bytes), d),
                    term_bin(c->t, OP_ULE, d, term_const(c->t, c->width, -(uint64_t)b.bytes)));
}

/* ---- objects that overlap in part ---- */

/* What is accessed at constant distances from one pointer. */
struct extent {
    term base;
    uint64_t low, high;
    unsigned most; /* bytes that are accessed at once */
    bool write;
};

enum { EXTENTS_MAX = 16 };

static unsigned extents(struct check *c, const struct apart *all, struct extent out[EXTENTS_MAX])
{
    unsigned n = 0, k;
    for (size_t i = 0; i < all->access.len; i++) {
        const struct apart_access *p = &all->access.data[i];
        struct extent e = {.most = p->bytes, .write = p->write};
        term_split(c->t, p->at, &e.base, &e.low);
        e.high = e.low + p->bytes;
        if (e.base == TERM_NONE || e.base == c->sp || e.low > NEAR)
            continue;
        for (k = 0; k < n && out[k].base != e.base; k++)
            ;
        if (k == EXTENTS_MAX)
            continue;
        if (k == n)
            out[n++] = e;
        out[k].low = e.low < out[k].low ? e.low : out[k].low;
        out[k].high = e.high > out[k].high ? e.high : out[k].high;
        out[k].most = e.most > out[k].most ? e.most : out[k].most;
        out[k].write = out[k].write || e.write;
    }
    return n;
}

/* How much lies behind the pointer that is moved as one: a structure or vector, by debug information, else
 * what is accessed. 0: single words may be. */
static uint64_t moved_as_one(struct check *c, const struct extent *e)
{
    const struct object_type_info *p = pointed_to(c, e->base);
    if (p)
        return p->kind == TYPE_STRUCT || p->kind == TYPE_UNION || p->kind == TYPE_ARRAY ? p->size : 0;
    bool told = object_debug_function(c->pair.side[OLD].o, c->pair.side[OLD].f->address) ||
                object_debug_function(c->pair.side[NEW].o, c->pair.side[NEW].f->address);
    return told || e->high - e->low == e->most ? 0 : e->high - e->low;
}

/* What is moved as one does not overlap another such in part (C17 6.5.16.1): compilers read and write its
 * words in any order. */
static term whole_objects(struct check *c, const struct apart *all)
{
    struct terms *t = c->t;
    struct extent e[EXTENTS_MAX];
    unsigned n = extents(c, all, e);
    term is = term_true(t);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < i; k++) {
            uint64_t one = moved_as_one(c, &e[i]), other = moved_as_one(c, &e[k]),
                     size = one < other ? one : other;
            if (!size || !(e[i].write || e[k].write))
                continue;
            term d = term_bin(t, OP_SUB, e[i].base, e[k].base);
            term off = term_and(t, term_bin(t, OP_ULE, term_const(t, c->width, size), d),
                                term_bin(t, OP_ULE, d, term_const(t, c->width, -size)));
            is = term_and(t, is, term_or(t, term_eq(t, d, term_const(t, c->width, 0)), off));
        }
    return is;
}

/* ---- spilled parameters ---- */

/* What lay there before the callees that may have written to the word. */
static term before_calls(struct check *c, term word)
{
    term at = term_kid(c->t, word, 1);
    unsigned width = term_width(c->t, word);
    while (term_kind(c->t, word) == TERM_READ &&
           origin_is(c->t, term_kid(c->t, word, 0), ORIGIN_MEMORY_AFTER)) {
        term after = term_kid(c->t, word, 0), mem = TERM_NONE;
        for (unsigned i = 0; i < term_nkids(c->t, after); i++)
            if (term_is_array(c->t, term_kid(c->t, after, i)))
                mem = term_kid(c->t, after, i);
        if (mem == TERM_NONE)
            break;
        word = term_read(c->t, mem, at, width);
    }
    return word;
}

/* Every parameter that lies in the frame is as the function put it there. */
static term spills_kept(struct check *c, const struct apart *all)
{
    term is = term_true(c->t);
    for (size_t i = 0; i < all->left.len; i++) {
        term word = all->left.data[i], before;
        int64_t off;
        unsigned index;
        if (!pair_sp_offset(&c->pair, term_kid(c->t, word, 1), &off) || off >= 0)
            continue;
        before = before_calls(c, word);
        if (origin_is_argument(c->t, before, &index))
            is = term_and(c->t, is, term_eq(c->t, word, before));
    }
    return is;
}

/* ---- copies ---- */

/* The function copies memory that must not overlap: where its third argument says how much. */
static bool copies_apart(struct check *c, int side, const struct exec_event *e)
{
    const struct flow_library_entry *known = e->silent ? names_library(c, &c->pair.side[side], e) : NULL;
    return known && (known->like == LIKE_MEMCPY || known->like == LIKE_MEMPCPY) && e->nargs > 2;
}

/* Whatever memcpy copies on the two paths does not overlap. */
static term copied_apart(struct check *c, const struct failure *f)
{
    struct terms *t = c->t;
    term is = term_true(t);
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; f->path[s] && i < f->path[s]->nevents; i++) {
            const struct exec_event *e = &f->path[s]->event[i];
            if (!copies_apart(c, s, e))
                continue;
            const struct pair_side *side = &c->pair.side[s];
            term to = canonical_term(&c->pair, side, e->arg[0]),
                 n = canonical_term(&c->pair, side, e->arg[2]),
                 d = term_bin(t, OP_SUB, canonical_term(&c->pair, side, e->arg[1]), to),
                 back = term_bin(t, OP_SUB, term_const(t, c->width, 0), d),
                 apart = term_and(t, term_bin(t, OP_ULE, n, d), term_bin(t, OP_ULE, n, back));
            if (e->guard != TERM_NONE)
                apart = term_or(t, apart, term_not(t, canonical_term(&c->pair, side, e->guard)));
            is = term_and(t, is, apart);
        }
    return is;
}

/* ---- numbers ---- */

static bool returns_int(struct check *c, int side, const struct exec_event *e)
{
    const struct flow_library_entry *known = names_library(c, &c->pair.side[side], e);
    return known && known->result == LIBRARY_INT && e->result != TERM_NONE &&
           !term_is_array(c->t, e->result) && term_width(c->t, e->result) == 64;
}

/* The upper half of an int that a library function returns is 0, or its sign. */
static term results_fill(struct check *c, const struct failure *f)
{
    enum { INT = 32 };
    struct terms *t = c->t;
    term is = term_true(t);
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; f->path[s] && i < f->path[s]->nevents; i++) {
            const struct exec_event *e = &f->path[s]->event[i];
            if (!returns_int(c, s, e))
                continue;
            term r = canonical_term(&c->pair, &c->pair.side[s], e->result),
                 upper = term_extract(t, r, INT, INT);
            term zero = term_eq(t, upper, term_const(t, INT, 0)),
                 sign = term_and(t, term_extract(t, r, INT - 1, 1),
                                 term_eq(t, upper, term_const(t, INT, UINT32_MAX)));
            is = term_and(t, is, term_or(t, zero, sign));
        }
    return is;
}

/* ---- calls ---- */

/* What surely are arguments of both calls are the same; false where none surely is. */
static term given_same(struct check *c, const struct failure *f, const struct exec_event *const call[2])
{
    struct terms *t = c->t;
    const unsigned n = call[OLD]->nargs < call[NEW]->nargs ? call[OLD]->nargs : call[NEW]->nargs;
    term is = term_true(t);
    bool some = false;
    for (unsigned i = 0; i < n; i++) {
        bool sure = true;
        term given[2];
        for (int s = 0; s < 2; s++) {
            sure = sure && i < program_machine(c->pair.side[s].p)->nargs &&
                   abi_argument(c->pair.side[s].abi, call[s]->site, i).set == ABI_SURE;
            given[s] = attempt_seen(c, f, &c->pair.side[s], call[s]->arg[i]);
        }
        if (sure)
            is = term_and(t, is, term_eq(t, given[OLD], given[NEW]));
        some = some || sure;
    }
    return some ? is : term_false(t);
}

static bool is_unknown_call(const struct exec_event *e)
{
    return e->kind == EVENT_CALL && !e->silent && !e->depth && e->bounded && e->name &&
           e->result != TERM_NONE;
}

/* Calls of which nobody knows how many arguments they take return the same where they are given the same,
 * whatever is left in the other registers and in frames: that they see other memory is a difference of its
 * own. Those of one name are taken in order. */
static term results_agree(struct check *c, const struct failure *f)
{
    struct terms *t = c->t;
    term is = term_true(t);
    for (unsigned i = 0; f->path[OLD] && f->path[NEW] && i < f->path[OLD]->nevents; i++) {
        const struct exec_event *call[2] = {&f->path[OLD]->event[i]};
        unsigned before = 0;
        if (!is_unknown_call(call[OLD]))
            continue;
        for (unsigned k = 0; k < i; k++)
            before +=
                is_unknown_call(&f->path[OLD]->event[k]) && names_same(&f->path[OLD]->event[k], call[OLD]);
        for (unsigned k = 0; k < f->path[NEW]->nevents && !call[NEW]; k++) {
            const struct exec_event *e = &f->path[NEW]->event[k];
            if (is_unknown_call(e) && names_same(e, call[OLD]) && before-- == 0)
                call[NEW] = e;
        }
        if (!call[NEW] || term_is_array(t, call[OLD]->result) ||
            term_width(t, call[OLD]->result) != term_width(t, call[NEW]->result))
            continue;
        term given = given_same(c, f, call),
             same = term_eq(t, attempt_seen(c, f, &c->pair.side[OLD], call[OLD]->result),
                            attempt_seen(c, f, &c->pair.side[NEW], call[NEW]->result));
        is = term_and(t, is, term_or(t, term_not(t, given), same));
    }
    return is;
}

struct stack_words {
    const struct terms *t;
    VEC(term) parameter, read;
};

static bool see_word(void *ctx, term u)
{
    enum { WORDS_MAX = 64 };
    struct stack_words *w = ctx;
    unsigned number;
    term base;
    uint64_t off;
    if (origin_is_argument(w->t, u, &number)) {
        vec_push(&w->parameter, u);
    } else if (term_kind(w->t, u) == TERM_READ) {
        term_split(w->t, term_kid(w->t, u, 1), &base, &off);
        if (base != TERM_NONE && origin_is(w->t, base, ORIGIN_CALLER))
            vec_push(&w->read, u);
    }
    return w->parameter.len + w->read.len >= WORDS_MAX;
}

/* Where the parameter lies on the stack; false: in a register. */
static bool lies_at(const struct ir_machine *m, unsigned number, uint64_t *off)
{
    *off = m->stack_arg + (uint64_t)(number - m->nargs) * (m->pointer_width / 8);
    return number >= m->nargs;
}

/* What is read where a parameter lies on the stack is the parameter, also behind a call: the words are the
 * function's own. */
static term parameters_lie(struct check *c, const struct failure *f)
{
    const struct ir_machine *m = program_machine(c->pair.side[OLD].p);
    const term of[] = {f->when, f->differ, f->value[OLD], f->value[NEW]};
    struct stack_words w = {.t = c->t};
    term is = term_true(c->t), base;
    term_any_of(c->t, of, sizeof of / sizeof *of, see_word, &w);
    for (size_t i = 0; i < w.read.len; i++) {
        const term read = w.read.data[i];
        const unsigned width = term_width(c->t, read);
        is = term_and(c->t, is, term_eq(c->t, read, before_calls(c, read)));
        for (size_t k = 0; k < w.parameter.len; k++) {
            unsigned number;
            uint64_t off, place;
            term_split(c->t, term_kid(c->t, read, 1), &base, &off);
            origin_is_argument(c->t, w.parameter.data[k], &number);
            if (lies_at(m, number, &place) && off == place && term_width(c->t, w.parameter.data[k]) >= width)
                is = term_and(c->t, is,
                              term_eq(c->t, read, term_extract(c->t, w.parameter.data[k], 0, width)));
        }
    }
    vec_free(&w.parameter);
    vec_free(&w.read);
    return is;
}

/* What parameters lead to is not in the frames, which were not there when they were given. */
static term parameters_outside(struct check *c, const struct apart *all)
{
    term is = term_true(c->t), base;
    uint64_t off;
    unsigned index;
    for (size_t i = 0; c->opt->axioms & AXIOM_FRAME && i < all->access.len; i++) {
        const struct apart_access *a = &all->access.data[i];
        term_split(c->t, a->at, &base, &off);
        if (base == TERM_NONE || !origin_is_argument(c->t, base, &index))
            continue;
        const term last = term_add_const(c->t, a->at, a->bytes - 1);
        is = term_and(
            c->t, is,
            term_and(c->t, pair_outside_frames(&c->pair, a->at), pair_outside_frames(&c->pair, last)));
    }
    return is;
}

/* What the accesses do not say. */
static term plausible(struct check *c, const struct failure *f, const struct apart *all)
{
    term is = term_and(c->t, spills_kept(c, all), copied_apart(c, f));
    is = term_and(c->t, is, parameters_outside(c, all));
    is = term_and(c->t, is, term_and(c->t, results_fill(c, f), parameters_lie(c, f)));
    is = term_and(c->t, is, term_and(c->t, results_agree(c, f), nans_apart(c, f)));
    return term_and(c->t, is, term_and(c->t, extended_parameters(c, f), whole_objects(c, all)));
}

/* ---- asking again ---- */

static term likely(struct check *c, const struct failure *f, const struct apart *all)
{
    enum { PAIRS_MAX = 256 };
    unsigned pairs = 0;
    term is = plausible(c, f, all);
    for (size_t i = 0; i < all->access.len; i++)
        for (size_t k = 0; k < all->access.len && pairs < PAIRS_MAX; k++)
            if (all->access.data[i].write && are_of_two_types(c, all->access.data[i], all->access.data[k])) {
                is = term_and(c->t, is, disjoint(c, all->access.data[i], all->access.data[k]));
                pairs++;
            }
    for (size_t i = 0; i < all->access.len; i++) {
        is = term_and(c->t, is, aligned(c, all->access.data[i]));
        for (size_t k = 0; k < all->imports.len; k++)
            is = term_and(c->t, is, apart(c, all->imports.data[k], all->access.data[i]));
    }
    return is;
}

/* Of the input: a write changes a part of another word, or what is read of an import, a callee changes a
 * spilled parameter, or memcpy is given memory that overlaps. Not decided where it does not say how two lie
 * to each other. */
static enum answer is_odd(struct check *c, const struct failure *f, struct term_model *model,
                          const struct apart *all)
{
    struct bits v;
    term kept = plausible(c, f, all);
    bool known_kept = term_eval(c->t, model, kept, &v);
    bool odd = known_kept && !bits_low(v), open = !known_kept;
    uint64_t *at = xcalloc(all->access.len + 1, sizeof *at);
    const struct apart_access *a = all->access.data;
    bool *known = xcalloc(all->access.len + 1, sizeof *known);
    for (size_t i = 0; i < all->access.len; i++)
        if ((known[i] = term_eval(c->t, model, a[i].at, &v)))
            at[i] = bits_low(v);
    for (size_t i = 0; i < all->access.len && !odd; i++)
        for (size_t k = 0; k < all->access.len && a[i].write; k++) {
            const uint64_t few = a[i].bytes < a[k].bytes ? a[i].bytes : a[k].bytes,
                           mask = c->width == 32 ? UINT32_MAX : UINT64_MAX, d = (at[k] - at[i]) & mask,
                           back = -d & mask;
            if (!known[i] || !known[k]) {
                open = open || (i != k && a[i].at != a[k].at);
                continue;
            }
            if (d >= a[i].bytes && back >= a[k].bytes)
                continue;
            odd = odd || d % few || are_of_two_types(c, a[i], a[k]);
            for (size_t m = 0; m < all->imports.len && !a[k].write; m++)
                odd = odd || (is_made_from(c->t, a[k].at, all->imports.data[m]) &&
                              !is_made_from(c->t, a[i].at, all->imports.data[m]));
        }
    free(at);
    free(known);
    return odd ? YES : open ? UNDECIDED : NO;
}

static struct apart accesses_of(struct check *c, const struct failure *f)
{
    const term of[] = {f->when, f->differ, f->value[OLD], f->value[NEW]};
    struct apart all = {.t = c->t};
    term_any_of(c->t, of, sizeof of / sizeof *of, apart_see, &all);
    return all;
}

/* Looks for another input that shows the difference if the one that was found is odd, or may be. */
static enum answer has_likely_input(struct check *c, struct failure *f)
{
    struct apart all = accesses_of(c, f);
    struct term_model *model = NULL;
    enum answer r = YES;
    if (is_odd(c, f, f->model, &all) != NO) {
        term is = likely(c, f, &all);
        f->likely = f->likely == TERM_NONE ? is : term_and(c->t, f->likely, is);
        term q[FAILURE_TERMS];
        size_t n = attempt_failure_terms(c, f, q);
        struct term_model *numbers = nans_other_input(c, f, q, n);
        c->query.hint = numbers ? numbers : f->model;
        r = query_possible(c, q, n, &model);
        c->query.hint = NULL;
        if (numbers)
            term_model_free(numbers);
    }
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    apart_free(&all);
    return r;
}

struct term_model *likely_model(struct check *c, const struct failure *f, struct term_model *model,
                                const term *q, size_t n)
{
    struct apart all = accesses_of(c, f);
    if (is_odd(c, f, model, &all) == YES) {
        question more = VEC_INIT;
        struct term_model *other = NULL;
        for (size_t i = 0; i < n; i++)
            vec_push(&more, q[i]);
        vec_push(&more, likely(c, f, &all));
        query_possible(c, more.data, more.len, &other);
        term_model_free(model);
        model = other;
        vec_free(&more);
    }
    apart_free(&all);
    return model;
}

void likely_failures(struct check *c)
{
    for (size_t i = 0; i < c->now->failed.len; i++) {
        struct failure *f = &c->now->failed.data[i];
        enum answer r = f->refuted && f->model ? has_likely_input(c, f) : YES;
        if (r == YES)
            continue;
        f->refuted = false;
        f->reason =
            reason_of(c->arena, r == NO ? VERIFY_REASON_INPUT_UNLIKELY : VERIFY_REASON_INPUT_MAY_BE_UNLIKELY);
    }
}
