/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "present/gather.h"

/* ---- what can be a part ---- */

enum { COMPLEX_MAX = 40 }; /* two compilers agree on nothing larger */

/* Whether an expression holds something that only this compilation has: a loop's value whose step is unknown,
 * a register, a word of the frame. */
static bool is_unstable(const struct exprs *e, expr x)
{
    const char *name = x == EXPR_NONE ? NULL : expr_name(e, x);
    if (x == EXPR_NONE)
        return false;
    if (expr_kind(e, x) == EXPR_OTHER)
        return !name || strcmp(name, "n") != 0;
    if (expr_kind(e, x) == EXPR_CALL && name && (strcmp(name, "next") == 0 || strcmp(name, "chain") == 0))
        return true;
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        if (is_unstable(e, expr_kid(e, x, i)))
            return true;
    return false;
}

/* Not: how often memory is read, what lies in locals. */
static bool is_evident(const struct exprs *e, const struct feature *f)
{
    const char *name = expr_name(e, f->what);
    if (feature_is_order(e, f))
        return !f->first;
    if (f->first || !signature_says_something(e, f) || expr_complexity(e, f->what) > COMPLEX_MAX ||
        is_unstable(e, f->what) || is_unstable(e, f->value))
        return false;
    if (f->kind == FEATURE_STORE)
        return !feature_is_given(e, f);
    return f->kind != FEATURE_CALL ||
           (expr_kind(e, f->what) == EXPR_CALL && !(name && strcmp(name, "reads") == 0));
}

/* The same but for the numbers in it: x < 240 and x < 24. */
static bool same_shape(const struct exprs *e, expr x, expr y)
{
    if (x == y || x == EXPR_NONE || y == EXPR_NONE)
        return x == y;
    unsigned n = expr_nkids(e, x), same = 0;
    if (expr_kind(e, x) != expr_kind(e, y) || expr_nkids(e, y) != n ||
        !text_same(expr_name(e, x), expr_name(e, y)))
        return false;
    if (expr_kind(e, x) == EXPR_CONST)
        return true;
    if (expr_value(e, x) != expr_value(e, y))
        return false;
    for (unsigned i = 0; i < n; i++)
        same += same_shape(e, expr_kid(e, x, i), expr_kid(e, y, i));
    return same == n;
}

/* ---- the parts of one function ---- */

static const struct features *side_of(const struct reference_variant *v, bool new)
{
    return new ? &v->new : &v->old;
}

static bool counts(const struct reference_variant *v, unsigned bits)
{
    return v->bits == bits;
}

/* All features of the other version, and those of this one in one variant. */
static void gather(const struct reference_function *f, unsigned bits, bool new,
                   const struct reference_variant *own, struct features *out)
{
    for (size_t i = 0; i < f->variant.len; i++) {
        const struct features *s = side_of(&f->variant.data[i], !new);
        for (size_t k = 0; counts(&f->variant.data[i], bits) && k < s->list.len; k++)
            vec_push(&out->list, s->list.data[k]);
    }
    for (size_t k = 0; k < side_of(own, new)->list.len; k++)
        vec_push(&out->list, side_of(own, new)->list.data[k]);
}

/* Whether every way of compiling in which the patch changes the function shows it. */
static bool is_everywhere(struct exprs *e, const struct reference_function *f, unsigned bits, bool new,
                          const struct feature *pattern)
{
    for (size_t i = 0; i < f->variant.len; i++) {
        const struct reference_variant *v = &f->variant.data[i];
        if (counts(v, bits) && v->tells && !signature_find(e, pattern, side_of(v, new)))
            return false;
    }
    return true;
}

/* At how many places instances of a pattern are. The same feature under several conditions is in the list one
 * after the other. */
static unsigned places(const struct exprs *e, const struct feature *pattern, const struct features *in)
{
    unsigned n = 0;
    for (size_t i = 0; i < in->list.len; i++)
        if ((i == 0 || !feature_same(&in->list.data[i - 1], &in->list.data[i])) &&
            signature_instance(e, pattern, &in->list.data[i]))
            n += in->list.data[i].sites;
    return n;
}

/* How often a version has it at least, or at most, in the variants that count. */
static unsigned bound_of_places(const struct exprs *e, const struct reference_function *f, unsigned bits,
                                bool new, const struct feature *pattern, bool most)
{
    unsigned bound = most ? 0 : UINT32_MAX;
    for (size_t i = 0; i < f->variant.len; i++) {
        const struct reference_variant *v = &f->variant.data[i];
        if (!counts(v, bits) || !v->tells)
            continue;
        unsigned n = places(e, pattern, side_of(v, new));
        bound = most == (n > bound) ? n : bound;
    }
    return bound;
}

/* Checks that both versions make, the new one at more places. */
static void add_repeated(struct exprs *e, const struct reference_function *f,
                         const struct reference_variant *own, struct reference_parts *out)
{
    for (size_t i = 0; i < own->new.list.len; i++) {
        struct feature whole = own->new.list.data[i];
        if (whole.kind != FEATURE_CONDITION || !is_evident(e, &whole) ||
            !features_have(&own->old, &whole, false) ||
            (i && feature_same(&own->new.list.data[i - 1], &whole)))
            continue;
        unsigned least = bound_of_places(e, f, out->bits, true, &whole, false),
                 most = bound_of_places(e, f, out->bits, false, &whole, true);
        if (least > most && least > 1)
            vec_push(&out->part,
                     (struct reference_part){
                         .pattern = whole, .whole = whole, .new = true, .instead = SIZE_MAX, .times = least});
    }
}

static void add_side(struct exprs *e, const struct reference_function *f, bool new,
                     const struct reference_variant *own, struct reference_parts *out)
{
    enum { NO_KIND = FEATURE_LAST + 1 };
    const struct features *s = side_of(own, new);
    struct features others = {0};
    gather(f, out->bits, new, own, &others);
    size_t first = others.list.len - s->list.len;
    for (size_t i = 0; i < s->list.len; i++) {
        struct feature whole = s->list.data[i];
        whole.under = EXPR_NONE;
        if (!is_evident(e, &whole) || (i && feature_same(&s->list.data[i - 1], &whole)))
            continue;
        /* The same under other conditions is the same part. */
        for (size_t k = first; k < others.list.len; k++)
            if (feature_same(&others.list.data[k], &whole))
                others.list.data[k].kind = NO_KIND;
        struct feature pattern = signature_refine(e, whole, &others);
        if (!signature_find(e, &pattern, &others) && is_everywhere(e, f, out->bits, new, &pattern))
            vec_push(&out->part, (struct reference_part){
                                     .pattern = pattern,
                                     .whole = whole,
                                     .new = new,
                                     .instead = SIZE_MAX,
                                     .times = new && out->always && whole.kind == FEATURE_CONDITION
                                                  ? bound_of_places(e, f, out->bits, true, &pattern, false)
                                                  : 1});
        for (size_t k = first; k < others.list.len; k++)
            others.list.data[k].kind = s->list.data[k - first].kind;
    }
    vec_free(&others.list);
}

/* Constants that the new version returns where the old one does not, though it returns them elsewhere: the
 * conditions of a check, as they are combined. */
static void add_returns(struct exprs *e, const struct reference_function *f,
                        const struct reference_variant *own, struct reference_parts *out)
{
    for (size_t i = 0; i < own->new.list.len; i++) {
        struct feature whole = own->new.list.data[i], under = {.kind = FEATURE_CONDITION};
        under.what = whole.under == EXPR_NONE ? EXPR_NONE : expr_branch(e, whole.under);
        if (whole.kind != FEATURE_RETURN || expr_kind(e, whole.what) != EXPR_CONST ||
            under.what == EXPR_NONE || whole.first || !is_evident(e, &under))
            continue;
        bool part = true;
        for (size_t k = 0; k < f->variant.len && part; k++) {
            const struct reference_variant *v = &f->variant.data[k];
            part = !counts(v, out->bits) || (!features_have(&v->old, &whole, true) &&
                                             (!v->tells || features_have(&v->new, &whole, true)));
        }
        if (part)
            vec_push(&out->part,
                     (struct reference_part){
                         .pattern = whole, .whole = whole, .new = true, .instead = SIZE_MAX, .times = 1});
    }
}

static bool is_in(const struct exprs *e, expr part, expr x)
{
    if (x == EXPR_NONE || part == x)
        return x != EXPR_NONE;
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        if (is_in(e, part, expr_kid(e, x, i)))
            return true;
    return false;
}

/* Whether it only shows what becomes of the result of a call that is a part itself. */
static bool is_consequence(const struct exprs *e, const struct reference_parts *all, size_t at)
{
    const struct reference_part *p = &all->part.data[at];
    for (size_t i = 0; i < all->part.len; i++) {
        const struct feature *call = &all->part.data[i].whole;
        if (i != at && call->kind == FEATURE_CALL && all->part.data[i].new == p->new &&
            p->whole.kind != FEATURE_CONDITION && call->what != p->whole.what &&
            (is_in(e, call->what, p->whole.what) || is_in(e, call->what, p->whole.value)))
            return true;
    }
    return false;
}

static bool is_line(const struct feature *f, const char *file, unsigned line)
{
    return f->file && file && f->line == line && strcmp(f->file, file) == 0;
}

/* Whether a feature of a function comes from a part of another that is inlined in it: from its line, or it is
 * the same comparison, of which an optimiser may have lost the line. */
static bool is_of_part(const struct reference *r, const struct feature *f)
{
    for (size_t i = 0; i < r->function.len; i++)
        for (size_t k = 0; k < r->function.data[i].parts.len; k++) {
            const struct reference_parts *all = &r->function.data[i].parts.data[k];
            for (size_t n = 0; all->always && n < all->part.len; n++)
                if (is_line(f, all->part.data[n].whole.file, all->part.data[n].whole.line) ||
                    (f->kind == FEATURE_CONDITION && signature_instance(r->e, &all->part.data[n].pattern, f)))
                    return true;
        }
    return false;
}

static void pair_up(const struct exprs *e, struct reference_parts *all)
{
    for (size_t i = 0; i < all->part.len; i++)
        for (size_t k = i + 1; k < all->part.len && all->part.data[i].instead == SIZE_MAX; k++) {
            struct reference_part *a = &all->part.data[i], *b = &all->part.data[k];
            if (a->new == b->new || b->instead != SIZE_MAX || a->whole.kind != b->whole.kind ||
                !same_shape(e, a->whole.what, b->whole.what) ||
                !same_shape(e, a->whole.value, b->whole.value))
                continue;
            a->instead = k;
            b->instead = i;
        }
}

static void find_in(struct reference *r, struct reference_function *f, unsigned bits, bool always)
{
    struct reference_parts all = {.bits = bits, .always = true};
    const struct reference_variant *first = NULL;
    for (size_t i = f->variant.len; i-- > 0;) {
        const struct reference_variant *v = &f->variant.data[i];
        if (!counts(v, bits))
            continue;
        all.always = all.always && v->tells;
        first = v->tells ? v : first;
    }
    if (!first || all.always != always)
        return;
    add_side(r->e, f, true, first, &all);
    add_side(r->e, f, false, first, &all);
    if (always) {
        add_repeated(r->e, f, first, &all);
        add_returns(r->e, f, first, &all);
    }
    bool *drop = xcalloc(all.part.len + 1, sizeof *drop);
    size_t kept = 0;
    for (size_t i = 0; i < all.part.len; i++)
        drop[i] = is_consequence(r->e, &all, i) || (!always && !is_of_part(r, &all.part.data[i].whole));
    for (size_t i = 0; i < all.part.len; i++)
        if (!drop[i])
            all.part.data[kept++] = all.part.data[i];
    all.part.len = kept;
    free(drop);
    pair_up(r->e, &all);
    vec_push(&f->parts, all);
}

void parts_find(struct reference *r)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->function.len; i++) {
            struct reference_function *f = &r->function.data[i];
            for (size_t k = 0; k < f->variant.len; k++) {
                bool known = false;
                for (size_t n = 0; n < k; n++)
                    known = known || f->variant.data[n].bits == f->variant.data[k].bits;
                if (!known)
                    find_in(r, f, f->variant.data[k].bits, pass == 0);
            }
        }
}

const struct reference_parts *parts_of(const struct reference_function *f, unsigned bits)
{
    for (size_t i = 0; i < f->parts.len; i++)
        if (!bits || f->parts.data[i].bits == bits)
            return &f->parts.data[i];
    return NULL;
}

/* ---- in a target ---- */

/* An instance of what a version has and the other has not. */
static const struct feature *instance(struct weigher *w, const struct reference_part *p,
                                      const struct features *target)
{
    for (unsigned solver = 0; solver <= (w->prover && p->new); solver++)
        for (size_t i = 0; i < target->list.len; i++) {
            const struct feature *f = &target->list.data[i];
            if (weigh_has(w, f, !p->new))
                continue;
            if (solver
                    ? prover_instance(w->prover, &p->pattern, f) || prover_instance(w->prover, &p->whole, f)
                    : signature_instance(w->e, &p->pattern, f))
                return f;
        }
    return NULL;
}

static const struct feature *exactly(const struct reference_part *p, const struct features *target)
{
    for (size_t i = 0; i < target->list.len; i++)
        if (feature_same(&p->whole, &target->list.data[i]))
            return &target->list.data[i];
    return NULL;
}

/* Whether a call may be there unseen: how many arguments an unknown function takes is not known. */
static bool may_be_unseen(const struct exprs *e, const struct feature *f, const struct features *target)
{
    const char *name = expr_name(e, f->what);
    return f->kind == FEATURE_CALL &&
           (!name || (gather_is_expanded(name) && !features_call(e, target, name)));
}

/* Whether a comparison with a small number may come from such an expansion: it is of an argument of a call
 * that the target does not have. */
static bool may_be_inlined(const struct weigher *w, const struct feature *f, const struct features *target)
{
    enum { SMALL = 32 };
    const struct exprs *e = w->e;
    if (f->kind != FEATURE_CONDITION || expr_kind(e, f->what) != EXPR_OP || expr_nkids(e, f->what) != 2 ||
        expr_kind(e, expr_kid(e, f->what, 1)) != EXPR_CONST || expr_value(e, expr_kid(e, f->what, 1)) > SMALL)
        return false;
    for (size_t i = 0; i < w->f->variant.len; i++) {
        const struct features *new = &w->f->variant.data[i].new;
        for (size_t k = 0; k < new->list.len; k++) {
            expr call = new->list.data[k].what;
            if (new->list.data[k].kind != FEATURE_CALL || !may_be_unseen(e, &new->list.data[k], target) ||
                !expr_name(e, call))
                continue;
            for (unsigned n = 0; n < expr_nkids(e, call); n++)
                if (expr_kid(e, call, n) == expr_kid(e, f->what, 0))
                    return true;
        }
    }
    return false;
}

/* The unknowns that an expression is made of: what is in memory, what is returned, arguments. */
static void unknowns(const struct exprs *e, expr x, struct map *out)
{
    enum expr_kind k = expr_kind(e, x);
    if (k == EXPR_MEM || k == EXPR_CALL || k == EXPR_ARG)
        map_set(out, x, 1);
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        unknowns(e, expr_kid(e, x, i), out);
}

/* Whether the target compares most of what the part compares in a way that no reference does: that may be the
 * same comparison, made by another compiler. */
static bool may_be_other_form(const struct weigher *w, const struct feature *part,
                              const struct features *target)
{
    bool is = false;
    struct map own = {0};
    if (part->kind != FEATURE_CONDITION)
        return false;
    unknowns(w->e, part->what, &own);
    for (size_t i = 0; i < target->list.len && !is; i++) {
        const struct feature *f = &target->list.data[i];
        struct map other = {0};
        size_t common = 0;
        if (f->kind != FEATURE_CONDITION || weigh_has(w, f, false) || weigh_has(w, f, true))
            continue;
        unknowns(w->e, f->what, &other);
        uint64_t key;
        for (size_t k = 0; (k = map_next(&own, k, &key, NULL)) != 0;)
            common += map_get(&other, key, NULL);
        is = common * 2 > own.len;
        map_free(&other);
    }
    map_free(&own);
    return is;
}

/* Comparisons of floats, which compilers swap as far as NaNs allow. */
static bool compares_floats(const struct exprs *e, const struct feature *f)
{
    enum op op = expr_kind(e, f->what) == EXPR_OP ? (enum op)expr_value(e, f->what) : OP_COUNT_;
    return f->kind == FEATURE_CONDITION && op < OP_COUNT_ && op_info[op].shape == OP_SHAPE_FCMP;
}

/* A number of one to eight bytes that are all this one. */
static bool is_repeated(int64_t value, int64_t byte)
{
    uint64_t all = (uint64_t)(byte & 0xff) * UINT64_C(0x0101010101010101);
    for (unsigned bits = 8; bits <= 64; bits *= 2)
        if ((uint64_t)value == (all & word_ones(bits)) ||
            (uint64_t)value == (uint64_t)((int64_t)(all << (64 - bits)) >> (64 - bits)))
            return true;
    return false;
}

/* Whether the call stores the value so far behind its first byte. */
static bool leaves(struct exprs *e, expr call, expr into, expr value)
{
    expr from = expr_kid(e, call, 1);
    if (text_same(expr_name(e, call), "memset"))
        return expr_kind(e, from) == EXPR_CONST && expr_kind(e, value) == EXPR_CONST &&
               is_repeated(expr_value(e, value), expr_value(e, from));
    return expr_kind(e, value) == EXPR_MEM &&
           expr_kid(e, value, 0) == expr_op(e, OP_ADD, (expr[]){from, into}, 2);
}

/* The call in the target that fills or copies so much that a store is one of its steps. One that both
 * versions make shows nothing. *sure: it stores what the patch does. */
static const struct feature *filled(const struct weigher *w, const struct feature *part,
                                    const struct features *target, bool *sure)
{
    static const char *const fills[] = {"memcpy", "memmove", "memset"};
    struct exprs *e = w->e;
    for (size_t i = 0; part->kind == FEATURE_STORE && i < target->list.len; i++) {
        const struct feature *f = &target->list.data[i];
        bool named = false;
        for (size_t k = 0; k < sizeof fills / sizeof *fills; k++)
            named = named || feature_calls(e, f, fills[k]);
        if (!named || expr_nkids(e, f->what) != 3 || expr_kind(e, expr_kid(e, f->what, 2)) != EXPR_CONST ||
            weigh_has(w, f, false))
            continue;
        expr into = expr_op(e, OP_SUB, (expr[]){part->what, expr_kid(e, f->what, 0)}, 2);
        if (expr_kind(e, into) == EXPR_CONST && expr_value(e, into) >= 0 &&
            expr_value(e, into) < expr_value(e, expr_kid(e, f->what, 2))) {
            *sure = leaves(e, f->what, into, part->value);
            return f;
        }
    }
    return NULL;
}

/* Whether the target stores the same in a loop that begins at the address or before it: it may fill memory
 * so. */
static bool may_be_looped(const struct weigher *w, const struct feature *part, const struct features *target)
{
    enum { FAR = 4096 };
    struct exprs *e = w->e;
    expr n = expr_leaf(e, EXPR_OTHER, "n", 0), zero = expr_const(e, 0);
    for (size_t i = 0; part->kind == FEATURE_STORE && i < target->list.len; i++) {
        const struct feature *f = &target->list.data[i];
        if (f->kind != FEATURE_STORE)
            continue;
        expr begin = expr_replace(e, f->what, n, zero);
        bool copies = expr_kind(e, f->value) == EXPR_MEM && expr_kind(e, part->value) == EXPR_MEM;
        if (begin == f->what || (!copies && f->value != part->value))
            continue;
        expr into = expr_op(e, OP_SUB, (expr[]){part->what, begin}, 2);
        if (expr_kind(e, into) == EXPR_CONST && expr_value(e, into) >= 0 && expr_value(e, into) < FAR)
            return true;
    }
    return false;
}

/* Whether the target stores something there that no reference does: then the compiler may leave out what the
 * patch stores. */
static bool may_be_overwritten(const struct weigher *w, const struct feature *part,
                               const struct features *target)
{
    for (size_t i = 0; i < target->list.len; i++) {
        const struct feature *f = &target->list.data[i];
        if (part->kind == FEATURE_STORE && f->kind == FEATURE_STORE && f->what == part->what &&
            !weigh_has(w, f, false) && !weigh_has(w, f, true))
            return true;
    }
    return false;
}

/* Whether a store is one of several that fill or copy memory, and the target may do that in steps that
 * overlap. */
static bool may_overlap(const struct weigher *w, const struct feature *part, const struct features *target,
                        unsigned bits)
{
    int64_t word = bits / 8;
    bool run = false, near = false;
    for (size_t i = 0; i < w->f->variant.len && !run; i++)
        run = features_have_run(w->e, &w->f->variant.data[i].new, part, -word);
    for (int64_t by = 1 - word; by < word && run && !near; by++)
        near = features_have_run(w->e, target, part, by);
    return near;
}

/* ---- the order of calls ---- */

/* The two that an order is of. */
static const char *order_first(const struct exprs *e, const struct feature *f, size_t *len)
{
    const char *name = expr_name(e, f->what);
    *len = (size_t)(strstr(name, GATHER_THEN) - name);
    return name;
}

static const char *order_second(const struct exprs *e, const struct feature *f)
{
    return strstr(expr_name(e, f->what), GATHER_THEN) + strlen(GATHER_THEN);
}

static bool knows_call(const struct weigher *w, const char *name)
{
    for (size_t i = 0; i < w->f->variant.len; i++)
        if (features_call(w->e, &w->f->variant.data[i].old, name) ||
            features_call(w->e, &w->f->variant.data[i].new, name))
            return true;
    return false;
}

/* Whether the target has an order but for one call in between that no reference has: a later version may. */
static const struct feature *order_in(const struct weigher *w, const struct feature *order,
                                      const struct features *target)
{
    size_t len, own;
    const char *first = order_first(w->e, order, &len), *second = order_second(w->e, order);
    for (size_t i = 0; i < target->list.len; i++) {
        const struct feature *a = &target->list.data[i];
        if (feature_same(a, order))
            return a;
        if (!feature_is_order(w->e, a) || strncmp(order_first(w->e, a, &own), first, len) != 0 ||
            own != len || knows_call(w, order_second(w->e, a)))
            continue;
        for (size_t k = 0; k < target->list.len; k++) {
            const struct feature *b = &target->list.data[k];
            if (feature_is_order(w->e, b) && strcmp(order_second(w->e, b), second) == 0 &&
                strncmp(order_first(w->e, b, &own), order_second(w->e, a), own) == 0 &&
                order_second(w->e, a)[own] == 0)
                return a;
        }
    }
    return NULL;
}

static bool order_names_known(const struct exprs *e, const struct feature *order,
                              const struct features *target)
{
    char first[256];
    size_t len;
    const char *name = order_first(e, order, &len), *second = order_second(e, order);
    snprintf(first, sizeof first, "%.*s", (int)len, name);
    return (strcmp(first, GATHER_START) == 0 || features_call(e, target, first)) &&
           (strcmp(second, GATHER_RETURN) == 0 || features_call(e, target, second));
}

/* An order that the patch makes and the target does not have may be hidden by what was inlined, so it is
 * never sure that it is missing. */
static enum part_state order_look(const struct weigher *w, const struct reference_part *p,
                                  const struct features *target, const struct feature **found)
{
    *found = p->new ? order_in(w, &p->whole, target) : exactly(p, target);
    if (p->new == (*found != NULL))
        return PART_THERE;
    return p->new && !order_names_known(w->e, &p->whole, target) ? PART_HIDDEN : PART_UNSURE;
}

/* The same but for which arguments, variables or results it is of. */
static bool same_but_names(const struct exprs *e, expr x, expr y)
{
    unsigned n = expr_nkids(e, x);
    bool leaf = n == 0 && expr_kind(e, x) != EXPR_CONST;
    if (expr_kind(e, x) != expr_kind(e, y) || expr_nkids(e, y) != n ||
        (!leaf && expr_value(e, x) != expr_value(e, y)))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!same_but_names(e, expr_kid(e, x, i), expr_kid(e, y, i)))
            return false;
    return true;
}

/* Whether the target compares something else with what the part does. */
static bool is_of_others(const struct weigher *w, const struct reference_part *p, const struct feature *found)
{
    return p->whole.kind == FEATURE_CONDITION && p->whole.what != found->what &&
           same_but_names(w->e, p->whole.what, found->what) &&
           !(w->prover && prover_instance(w->prover, &p->whole, found));
}

enum truth { NO, YES, OPEN };

static enum truth opposite(enum truth x)
{
    return x == OPEN ? OPEN : x == YES ? NO : YES;
}

/* What becomes of a condition x where that of one part holds, and of the conditions of the others that return
 * the same none. */
static enum truth where_only(struct exprs *e, const struct reference_parts *all,
                             const struct reference_part *only, expr x)
{
    expr plain = expr_branch(e, x);
    if (plain != x)
        return opposite(where_only(e, all, only, plain));
    for (size_t i = 0; i < all->part.len; i++) {
        const struct feature *f = &all->part.data[i].whole;
        if (f->under == EXPR_NONE || f->what != only->whole.what || expr_branch(e, f->under) != x)
            continue;
        return (f == &only->whole) == (f->under == x) ? YES : NO;
    }
    enum op op = expr_is_boolean(e, x) ? (enum op)expr_value(e, x) : OP_COUNT_;
    if (op == OP_ITE) {
        enum truth c = where_only(e, all, only, expr_kid(e, x, 0));
        return c == OPEN ? OPEN : where_only(e, all, only, expr_kid(e, x, c == YES ? 1 : 2));
    }
    if (op != OP_AND && op != OP_OR)
        return OPEN;
    enum truth r = op == OP_AND ? YES : NO;
    for (unsigned i = 0; i < expr_nkids(e, x); i++) {
        enum truth k = where_only(e, all, only, expr_kid(e, x, i));
        if (k == (op == OP_AND ? NO : YES))
            return k;
        r = k == OPEN ? OPEN : r;
    }
    return r;
}

/* A constant that is returned under a condition. Where the target returns it under another one of the check
 * and not under this, or not under this alone, the check may be put together in another way. Otherwise the
 * compiler may decide in another order. */
static enum part_state return_look(struct exprs *e, const struct reference_parts *all,
                                   const struct reference_part *p, const struct features *target,
                                   const struct feature **found)
{
    expr condition = expr_branch(e, p->whole.under);
    struct feature under = {.kind = FEATURE_CONDITION, .what = condition};
    bool never = false;
    *found = NULL;
    for (size_t i = 0; i < target->list.len; i++) {
        const struct feature *f = &target->list.data[i];
        if (!feature_same(f, &p->whole) || f->under == EXPR_NONE || !is_in(e, condition, f->under))
            continue;
        enum truth is = where_only(e, all, p, f->under);
        if (is == YES) {
            *found = f;
            return PART_THERE;
        }
        never = never || is == NO;
    }
    for (size_t i = 0; !never && features_have(target, &under, false) && i < all->part.len; i++) {
        const struct feature *other = &all->part.data[i].whole;
        never = other->under != EXPR_NONE && other->what == p->whole.what && signature_find(e, other, target);
    }
    return never ? PART_UNSURE : PART_HIDDEN;
}

enum part_state part_look(struct weigher *w, const struct reference_parts *all,
                          const struct reference_part *p, const struct features *target,
                          const struct feature **found)
{
    if (feature_is_order(w->e, &p->whole))
        return order_look(w, p, target, found);
    if (p->whole.under != EXPR_NONE)
        return return_look(w->e, all, p, target, found);
    if (!p->new) {
        *found = exactly(p, target);
        return *found ? PART_MISSING : PART_THERE;
    }
    *found = p->times > 1 ? signature_find(w->e, &p->pattern, target) : NULL;
    if (*found)
        return places(w->e, &p->pattern, target) < p->times ? PART_MISSING : PART_THERE;
    *found = instance(w, p, target);
    if (*found && p->times > 1)
        return PART_UNSURE; /* in another form, in which the places cannot be counted */
    if (*found)
        return may_be_inlined(w, *found, target) || (!exactly(p, target) && is_of_others(w, p, *found))
                   ? PART_UNSURE
                   : PART_THERE;
    bool sure = false;
    *found = filled(w, &p->whole, target, &sure);
    if (*found)
        return sure ? PART_THERE : PART_UNSURE;
    if (p->instead != SIZE_MAX) {
        *found = exactly(&all->part.data[p->instead], target);
        return *found ? PART_MISSING : PART_HIDDEN;
    }
    if (may_be_unseen(w->e, &p->whole, target))
        return PART_HIDDEN;
    return compares_floats(w->e, &p->whole) || may_be_other_form(w, &p->whole, target) ||
                   may_overlap(w, &p->whole, target, all->bits) || may_be_overwritten(w, &p->whole, target) ||
                   may_be_looped(w, &p->whole, target)
               ? PART_UNSURE
               : PART_MISSING;
}
