/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/decide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "match/match.h"
#include "present/absent.h"
#include "present/find.h"
#include "present/sense.h"
#include "present/weigh.h"

/* How much of what both versions have a target must have for the absence of a feature to mean something. */
#define CONTEXT_ENOUGH 0.35
/* And for the absence of all features in a function that was found by similarity (it may be an unrelated one), and of
 * all that a patch removes to mean that it is there: where every way of compiling shows something of that, and where
 * not. */
#define CONTEXT_SURE 0.6
#define CONTEXT_ALL 0.9

const char *present_verdict_name(enum present_verdict v)
{
    static const char *const name[] = {"patched", "partially patched", "vulnerable", "unknown", "not-there"};
    return name[v];
}

struct test {
    struct program *p;
    const struct reference *r;
    const struct present_options *opt;
    struct present_answer *out;
    struct prover *prover; /* NULL: features are compared by their form only */
    struct map tried; /* functions of a stripped target that were looked at: address -> number of `kept` */
    VEC(struct features *) kept;
};

/* ---- the function in the target ---- */

static bool is_code(const struct flow_function *f)
{
    return !(f->flags & (FLOW_PLT | FLOW_EXTERN));
}

/* ---- callees without names ---- */

struct names {
    const struct test *t;
    const char *from, *to; /* to is NULL: there is no name for it */
    bool several;          /* more than one */
};

static void note_name(struct names *n, const char **at, const char *name)
{
    if (*at && strcmp(*at, name) != 0)
        n->several = true;
    *at = name;
}

static bool is_imported(const struct object *o, const char *name)
{
    const struct object_stub *stub;
    size_t n = object_stubs(o, &stub);
    for (size_t i = 0; i < n; i++)
        if (stub[i].name && strcmp(stub[i].name, name) == 0)
            return true;
    return false;
}

/* Adds functions called in x: with `target`, those of the target that have no name; else those that the
 * target does not know by their name. */
static void find_names(struct names *n, expr x, bool target, struct map *seen)
{
    const struct exprs *e = n->t->r->e;
    struct program *p = n->t->p;
    if (x == EXPR_NONE || !map_set(seen, x, 1))
        return;
    const char *name = expr_kind(e, x) == EXPR_CALL ? expr_name(e, x) : NULL;
    const struct flow_function *f = name ? program_function(p, name, NULL) : NULL;
    if (target && f && !f->named)
        note_name(n, &n->from, name);
    if (!target && !f && name && reference_arity((void *)(uintptr_t)n->t->r, name) >= 0 &&
        !is_imported(program_object(p), name))
        note_name(n, &n->to, name);
    for (unsigned i = 0; i < expr_nkids(e, x); i++)
        find_names(n, expr_kid(e, x, i), target, seen);
}

static void find_all_names(struct names *n, const struct features *f, bool target)
{
    struct map seen = {0};
    for (size_t i = 0; i < f->list.len; i++) {
        find_names(n, f->list.data[i].what, target, &seen);
        find_names(n, f->list.data[i].value, target, &seen);
    }
    map_free(&seen);
}

static const char *rename_callee(void *ctx, const char *name)
{
    const struct names *n = ctx;
    return strcmp(name, n->from) == 0 ? n->to : NULL;
}

/* If the target calls exactly one function without a name, and exactly one callee of the references is
 * unknown to the target by name, they are the same. */
static bool find_renamed(struct names *n, const struct reference_function *rf, const struct features *target)
{
    find_all_names(n, target, true);
    for (size_t i = 0; n->from && i < rf->variant.len; i++) {
        find_all_names(n, &rf->variant.data[i].old, false);
        find_all_names(n, &rf->variant.data[i].new, false);
    }
    return n->from && n->to && !n->several;
}

/* Adds the features of a function of the target, which is taken for rf, or may be anything when that is NULL.
 */
static bool add_features(struct test *t, const struct flow_function *f, const struct reference_function *rf,
                         struct features *out, struct error *err)
{
    struct features_options fo = {.arity = reference_arity,
                                  .floats = reference_floats,
                                  .arity_ctx = (void *)(uintptr_t)t->r,
                                  .timeout_ms = t->opt->timeout_ms};
    struct features part;
    struct names names = {.t = t};
    bool ok = features_of_function(t->r->e, t->p, f, &fo, &part, err);
    t->out->executed++;
    if (ok && rf && object_info(program_object(t->p))->stripped && find_renamed(&names, rf, &part)) {
        fo.rename = rename_callee;
        fo.rename_ctx = &names;
        features_free(&part);
        ok = features_of_function(t->r->e, t->p, f, &fo, &part, err);
    }
    for (size_t k = 0; k < part.list.len; k++)
        vec_push(&out->list, part.list.data[k]);
    for (size_t k = 0; k < part.note.len; k++)
        vec_push(&out->note, part.note.data[k]);
    out->unknown += part.unknown;
    out->complete = out->complete && part.complete;
    features_free(&part);
    return ok;
}

static void is_found(struct test *t, const struct flow_function *f, struct present_function *pf)
{
    pf->found = arena_strdup(&t->out->arena, f->name);
    pf->address = f->address;
}

/* Features of a candidate, kept until the end of the test: several functions may be looked for. */
static const struct features *candidate(void *ctx, const struct flow_function *f)
{
    struct test *t = ctx;
    uint64_t at;
    if (!map_get(&t->tried, f->address, &at)) {
        struct features *x = arena_new(&t->out->arena, struct features);
        x->complete = true;
        bool ok = add_features(t, f, NULL, x, NULL);
        vec_push(&t->kept, x);
        at = ok ? t->kept.len : 0;
        map_set(&t->tried, f->address, at);
    }
    return at ? t->kept.data[at - 1] : NULL;
}

static const struct flow_function *place_of(struct test *t, const char *name, struct error *err)
{
    for (size_t i = 0; i < t->opt->nplaces; i++) {
        char spec[32];
        if (strcmp(t->opt->place[i].name, name) != 0)
            continue;
        snprintf(spec, sizeof spec, "0x%" PRIx64, t->opt->place[i].address);
        return program_function(t->p, spec, err);
    }
    return NULL;
}

/* Whether functions of the program's own are in the section. */
static bool holds_functions(const struct object_section *x)
{
    return x->alloc && x->exec && strncmp(x->name, ".plt", 4) != 0;
}

/* Whether much of the code lies in no known function, as in stripped ARM programs without unwind tables. */
static bool partly_unknown(struct program *p)
{
    const struct flow_function *f;
    const struct object_section *x;
    uint64_t known = 0, code = 0;
    size_t n = program_functions(p, &f);
    for (size_t i = 0; i < n; i++)
        known += is_code(&f[i]) ? f[i].size : 0;
    n = object_sections(program_object(p), &x);
    for (size_t i = 0; i < n; i++)
        code += holds_functions(&x[i]) ? x[i].size : 0;
    return known < code - code / 8;
}

/* Features of the function, found where the user said, by its name or by similarity; and of what compilers
 * split off it (.part.0, .constprop.0). */
static bool target_features(struct test *t, const struct reference_function *rf, struct present_function *pf,
                            struct features *out, struct error *err)
{
    const struct flow_function *f, *place;
    const char *name = rf->name;
    size_t n = program_functions(t->p, &f), len = strlen(name);
    struct error wrong = {0};
    *out = (struct features){.complete = true};
    place = place_of(t, name, &wrong);
    if (wrong.kind) {
        if (err)
            *err = wrong;
        return false;
    }
    if (place) {
        is_found(t, place, pf);
        return add_features(t, place, rf, out, err);
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_code(&f[i]) || (f[i].flags & FLOW_PART) || strncmp(f[i].name, name, len) != 0 ||
            name_stem(f[i].name) != len)
            continue;
        if (!add_features(t, &f[i], rf, out, err))
            return false;
        if (!pf->found || f[i].name[len] == '\0')
            is_found(t, &f[i], pf);
    }
    if (pf->found)
        return true;
    pf->reason = "the target has no function of that name";
    /* A symbol table without the name means that the function is not there. */
    if (!object_info(program_object(t->p))->stripped)
        return true;
    bool several;
    place = find_function(t->p, t->r, rf, candidate, t, &several, &pf->reason);
    if (!place && !program_searched(t->p) && partly_unknown(t->p)) {
        program_search(t->p, NULL, NULL);
        place = find_function(t->p, t->r, rf, candidate, t, &several, &pf->reason);
    }
    if (several)
        pf->verdict = PRESENT_UNKNOWN;
    if (place) {
        if (!add_features(t, place, rf, out, err))
            return false;
        is_found(t, place, pf);
        pf->reason = NULL;
        pf->guessed = true;
    }
    return true;
}

/* ---- features in the target ---- */

static double context_of(struct exprs *e, const struct reference_variant *v, const struct features *target)
{
    size_t common = 0, found = 0;
    for (size_t i = 0; i < v->old.list.len; i++) {
        const struct feature *f = &v->old.list.data[i];
        if (feature_is_minor(e, &v->old, f) || !features_have(&v->new, f, false))
            continue;
        common++;
        found += features_have(target, f, false);
    }
    return common ? (double)found / (double)common : 0;
}

struct order {
    uint32_t variant;
    double context;
};

static int by_context(const void *a, const void *b)
{
    const struct order *l = a, *r = b;
    if (l->context != r->context)
        return l->context > r->context ? -1 : 1;
    return l->variant < r->variant ? -1 : l->variant > r->variant;
}

/* Absence says less than presence: compilers remove and hide code, but do not invent it. */
#define MISSING 0.25

/* What one pair says. */
static void look(struct weigher *w, const struct features *target, double context, struct present_evidence *e)
{
    const struct signature_pair *p = e->pair;
    const struct feature *f[2] = {NULL, NULL};
    double part[2] = {0, 0}, says[2] = {0, 0};
    bool has[2] = {p->has_old, p->has_new};
    uint64_t solved = w->solved;
    for (unsigned i = 0; i < 2; i++) {
        if (!has[i])
            continue;
        double worth = weigh_side(w, p, i);
        part[i] = weigh_found(w, p, i, target, &f[i]);
        says[i] = worth * part[i];
        if (part[i] == 0 && !has[!i] && !p->place)
            says[!i] += MISSING * worth * context;
    }
    e->solved = w->solved != solved;
    e->old = part[0] > 0;
    e->new = part[1] > 0;
    e->old_site = f[0] ? f[0]->site : 0;
    e->new_site = f[1] ? f[1]->site : 0;
    e->says = (says[1] - says[0]) * context;
}

/* ---- the decision ---- */

/* Whether the patch removes something that every variant shows. */
static bool takes_away(const struct present_function *pf)
{
    for (size_t i = 0; i < pf->part.len; i++)
        if (!pf->part.data[i].part->new)
            return true;
    return false;
}

/* Whether target and references were executed to the end: what is missing in one part of a function may be in
 * another. */
static bool is_whole(const struct present_function *pf, const struct features *target)
{
    bool whole = target->complete;
    for (size_t i = 0; i < pf->f->variant.len; i++)
        whole = whole && pf->f->variant.data[i].old.complete && pf->f->variant.data[i].new.complete;
    return whole;
}

/* Whether the target lacks something that the patch adds however the function is compiled. What only some
 * compilations show says nothing when it is not there. */
static bool lacks_part(const struct present_function *pf)
{
    for (size_t i = 0; i < pf->part.len; i++)
        if (pf->part.data[i].part->new && pf->part.data[i].state == PART_MISSING)
            return true;
    return false;
}

/* Whether the compiler may have expanded what the patch calls, or store in another way what it stores. */
static bool hides_part(const struct exprs *e, const struct present_function *pf)
{
    for (size_t i = 0; i < pf->part.len; i++) {
        const struct reference_part *p = pf->part.data[i].part;
        enum part_state state = pf->part.data[i].state;
        if (p->new && (p->whole.kind == FEATURE_CALL || p->whole.kind == FEATURE_STORE) &&
            !feature_is_order(e, &p->whole) && (state == PART_HIDDEN || state == PART_UNSURE))
            return true;
    }
    return false;
}

static bool is_in_new(const struct exprs *e, const struct reference_function *f,
                      const struct feature *pattern)
{
    for (size_t i = 0; i < f->variant.len; i++)
        if (signature_find(e, pattern, &f->variant.data[i].new))
            return true;
    return false;
}

/* Whether the patch takes something away, or only returns what the old version returns under other
 * conditions: a target that has neither is no more like the old version than like the new one. */
static bool takes_away_or_moves(const struct exprs *e, const struct present_function *pf)
{
    bool old = false, placed = true;
    for (size_t i = 0; i < pf->f->variant.len; i++) {
        const struct reference_variant *v = &pf->f->variant.data[i];
        for (size_t k = 0; v->tells && k < v->signature.pair.len; k++) {
            const struct signature_pair *p = &v->signature.pair.data[k];
            old = old ||
                  (p->has_old && !p->place && !feature_is_order(e, &p->old) && !is_in_new(e, pf->f, &p->old));
            placed = placed && p->place && (p->has_old ? p->old : p->new).kind == FEATURE_RETURN;
        }
    }
    return old || placed;
}

static void by_default(const struct exprs *e, struct present_function *pf, const struct features *target,
                       bool deletion)
{
    pf->confidence = pf->context / 2;
    if (pf->context < CONTEXT_ENOUGH) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "the target has no distinguishing feature, and too few of the common ones";
    } else if (pf->guessed && pf->context < CONTEXT_SURE) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "the most similar function has no distinguishing feature, and may be an unrelated one";
    } else if (!is_whole(pf, target)) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "no trace of the patch, but the function is too large to execute to the end";
    } else if (deletion && pf->context < (takes_away(pf) ? CONTEXT_SURE : CONTEXT_ALL)) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "the patch only removes code, and a compiler may hide what it removes";
    } else if (deletion) {
        pf->verdict = PRESENT_PATCHED;
        pf->reason = "the patch only removes code, and no trace of that code is left";
    } else if ((takes_away_or_moves(e, pf) || hides_part(e, pf)) && !lacks_part(pf)) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "the target has nothing of what the patch adds, and nothing of what it removes";
    } else {
        pf->verdict = PRESENT_VULNERABLE;
        pf->reason = "no trace of the patch";
    }
}

/* Variants laid out as the target is, when there are such; 0: all. */
static unsigned bits_to_use(const struct reference_function *f, unsigned bits)
{
    for (size_t i = 0; i < f->variant.len; i++)
        if (f->variant.data[i].bits == bits && f->variant.data[i].tells)
            return bits;
    return 0;
}

/* Each part of the patch by itself: the patch is there if all of them are. */
static void look_at_parts(struct weigher *w, const struct features *target, unsigned bits,
                          struct present_function *pf)
{
    const struct reference_parts *all = parts_of(pf->f, bits);
    pf->always = all && all->always;
    for (size_t k = 0; all && k < all->part.len; k++) {
        struct present_part p = {.part = &all->part.data[k]};
        const struct feature *found;
        p.state = part_look(w, all, p.part, target, &found);
        if (p.state == PART_MISSING && p.part->new && !target->complete)
            p.state = PART_UNSURE; /* it may be in code that was not reached */
        p.site = found ? found->site : 0;
        p.tells = found && weigh_feature(w, found, p.part->new) > 1;
        vec_push(&pf->part, p);
    }
}

static void weigh_parts(struct present_function *pf)
{
    size_t n[PART_LAST + 1] = {0}, told = 0;
    for (size_t i = 0; i < pf->part.len; i++) {
        const struct present_part *p = &pf->part.data[i];
        n[p->state]++;
        told += p->state == PART_THERE && p->part->new && p->tells;
    }
    if (pf->verdict == PRESENT_PATCHED && n[PART_MISSING] == 0 && n[PART_UNSURE]) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "some of the patch is present, and a part of it cannot be distinguished from other code";
    } else if (pf->verdict == PRESENT_PATCHED && n[PART_MISSING] == 0 && pf->against) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = pf->against;
    } else if (pf->verdict == PRESENT_PATCHED && n[PART_MISSING] == 0) {
        pf->confidence *= (double)(n[PART_THERE] + 1) / (double)(n[PART_THERE] + n[PART_HIDDEN] + 1);
    } else if (n[PART_MISSING] &&
               (pf->verdict == PRESENT_PATCHED || (pf->verdict == PRESENT_VULNERABLE && told))) {
        pf->verdict = PRESENT_PARTIAL;
        pf->confidence = pf->context;
        pf->reason = "a part of the patch is missing";
    }
}

/* Whether nothing of the patch was found but which call follows which, though it is more: a later version may
 * have that order for another reason. */
static bool is_order_only(const struct exprs *e, const struct present_function *pf)
{
    bool more = false;
    for (size_t i = 0; i < pf->evidence.len; i++) {
        const struct present_evidence *x = &pf->evidence.data[i];
        bool order = !x->pair->has_new || feature_is_order(e, &x->pair->new);
        if (x->new && !order)
            return false;
        more = more || !order;
    }
    return more;
}

static void decide(struct test *t, const struct features *target, struct present_function *pf)
{
    enum { LEAST_CONTEXT = 5 }; /* in hundredths: of a variant that resembles nothing */
    size_t n = 0, decided = SIZE_MAX;
    struct order *order = xcalloc(pf->f->variant.len + 1, sizeof *order);
    unsigned bits = bits_to_use(pf->f, program_machine(t->p)->pointer_width);
    bool deletion = true, found = false;
    double sum = 0, all = 0, most = 0;
    struct weigher w;
    for (size_t i = 0; i < pf->f->variant.len; i++)
        if (!bits || pf->f->variant.data[i].bits == bits)
            order[n++] = (struct order){(uint32_t)i, context_of(t->r->e, &pf->f->variant.data[i], target)};
    qsort(order, n, sizeof *order, by_context);
    pf->context = n ? order[0].context : 0;
    pf->untouched = n && !pf->f->variant.data[order[0].variant].tells;
    weigher_init(&w, t->r->e, pf->f, bits);
    w.prover = t->prover;
    for (size_t i = 0; i < n; i++) {
        const struct reference_variant *v = &pf->f->variant.data[order[i].variant];
        deletion = deletion && (!v->tells || v->signature.deletion);
        for (size_t k = 0; v->tells && k < v->signature.pair.len; k++) {
            struct present_evidence e = {.variant = order[i].variant, .pair = &v->signature.pair.data[k]};
            look(&w, target, order[i].context + LEAST_CONTEXT / 100.0, &e);
            sum += e.says;
            all += e.says < 0 ? -e.says : e.says;
            found = found || e.old || e.new;
            vec_push(&pf->evidence, e);
        }
    }
    look_at_parts(&w, target, bits, pf);
    pf->against = sense_against(&w, parts_of(pf->f, bits), target, bits, pf->found);
    weigher_free(&w);
    free(order);
    if (!found || sum == 0) {
        by_default(t->r->e, pf, target, deletion);
        return;
    }
    for (size_t i = 0; i < pf->evidence.len; i++) {
        struct present_evidence *e = &pf->evidence.data[i];
        double says = sum > 0 ? e->says : -e->says;
        if (says > most && (e->old || e->new)) {
            most = says;
            decided = i;
        }
    }
    if (decided != SIZE_MAX)
        pf->evidence.data[decided].decided = true;
    pf->says = sum;
    pf->verdict = sum > 0 ? PRESENT_PATCHED : PRESENT_VULNERABLE;
    pf->confidence = (sum > 0 ? sum : -sum) / all;
    if (pf->verdict == PRESENT_PATCHED && is_order_only(t->r->e, pf)) {
        pf->verdict = PRESENT_UNKNOWN;
        pf->confidence = 0;
        pf->reason = "only the order of calls is that of the patch";
    }
}

/* Absence is only reported when it is proved. */
static void absent(struct test *t, struct present_function *pf)
{
    const char *why;
    if (pf->verdict == PRESENT_UNKNOWN)
        return;
    if (absent_proved(t->p, t->r, pf->f, &why)) {
        pf->reason =
            "no sufficiently similar function found, and the target has no string or function that it "
            "refers to";
        return;
    }
    pf->verdict = PRESENT_UNKNOWN;
    pf->reason = why;
}

static bool test_function(struct test *t, const struct reference_function *f, struct error *err)
{
    struct present_function pf = {.f = f, .verdict = PRESENT_NOT_THERE};
    struct features target;
    if (!target_features(t, f, &pf, &target, err)) {
        features_free(&target);
        return false;
    }
    if (pf.found) {
        decide(t, &target, &pf);
        weigh_parts(&pf);
    } else
        absent(t, &pf);
    features_free(&target);
    vec_push(&t->out->function, pf);
    return true;
}

/* ---- functions together ---- */

/* Whether some way of compiling g calls f: in another it may be inlined. */
static bool calls(const struct exprs *e, const struct reference_function *g,
                  const struct reference_function *f)
{
    for (size_t i = 0; i < g->variant.len; i++)
        if (features_call(e, &g->variant.data[i].new, f->name))
            return true;
    return false;
}

/* Whether a function without code of its own was examined where it is inlined: something was found in a
 * function that the patch changes only by that inlining. */
static bool is_covered(const struct present_answer *a, const struct exprs *e,
                       const struct present_function *f)
{
    for (size_t i = 0; i < a->function.len; i++) {
        const struct present_function *g = &a->function.data[i];
        if (g->found && !g->always && (g->says != 0 || g->part.len) && calls(e, g->f, f->f))
            return true;
    }
    return false;
}

/* The sum over functions. Those count in which something was found, and of these the ones that the patch
 * changes when compiled as they seem to have been. */
struct sums {
    double says[PRESENT_VULNERABLE + 1], best[PRESENT_VULNERABLE + 1];
};

static struct sums add_up(const struct present_answer *a)
{
    enum { DEFAULT = 2, FOUND = 4 }; /* one less where the patch changes nothing */
    struct sums s = {0};
    unsigned level = 0;
    for (size_t i = 0; i < a->function.len; i++) {
        const struct present_function *f = &a->function.data[i];
        unsigned l = f->verdict > PRESENT_VULNERABLE ? 0 : f->says == 0 ? DEFAULT : FOUND;
        l -= l && f->untouched;
        if (l > level)
            s = (struct sums){0};
        level = l > level ? l : level;
        if (l == 0 || l < level)
            continue;
        s.says[f->verdict] += f->says == 0 ? f->confidence : f->says < 0 ? -f->says : f->says;
        if (f->confidence > s.best[f->verdict])
            s.best[f->verdict] = f->confidence;
    }
    return s;
}

/* A patch is there when it is in every function that it changes. */
static void together(struct present_answer *a, const struct exprs *e)
{
    enum { AGAINST = 3 };
    struct sums s = add_up(a);
    const double *says = s.says, *best = s.best;
    bool there = false, open = false, found = false, missing = says[PRESENT_PARTIAL] > 0,
         patched = says[PRESENT_PATCHED] > 0 || missing;
    for (size_t i = 0; i < a->function.len; i++) {
        const struct present_function *f = &a->function.data[i];
        const struct reference_parts *all = f->f->parts.len ? &f->f->parts.data[0] : NULL;
        there = there || f->verdict != PRESENT_NOT_THERE;
        found = found || f->says != 0 || (f->always && f->verdict == PRESENT_VULNERABLE);
        missing = missing || f->verdict == PRESENT_PARTIAL ||
                  (f->verdict == PRESENT_VULNERABLE && f->always && !f->untouched);
        open = open || (f->verdict == PRESENT_UNKNOWN && all && all->always && !is_covered(a, e, f));
    }
    if (says[PRESENT_PATCHED] + says[PRESENT_PARTIAL] + says[PRESENT_VULNERABLE] == 0) {
        a->verdict = there ? PRESENT_UNKNOWN : PRESENT_NOT_THERE;
        return;
    }
    if (!patched && open && !found) {
        /* Nothing was found in functions that may inline it; others may inline it, too. */
        a->verdict = PRESENT_UNKNOWN;
        a->reason =
            "a function that the patch changes was not found, and those found show no trace of the patch";
    } else if (!patched) {
        a->verdict = PRESENT_VULNERABLE;
        a->confidence = best[PRESENT_VULNERABLE];
    } else if (missing) {
        a->verdict = PRESENT_PARTIAL;
        a->confidence = best[PRESENT_PARTIAL] > 0                          ? best[PRESENT_PARTIAL]
                        : best[PRESENT_PATCHED] < best[PRESENT_VULNERABLE] ? best[PRESENT_PATCHED]
                                                                           : best[PRESENT_VULNERABLE];
    } else if (says[PRESENT_VULNERABLE] > says[PRESENT_PATCHED]) {
        a->verdict = PRESENT_VULNERABLE;
        a->confidence = best[PRESENT_VULNERABLE];
    } else if (says[PRESENT_VULNERABLE] * AGAINST > says[PRESENT_PATCHED]) {
        /* A patch is not reported as present while some function seems to lack it. */
        a->verdict = PRESENT_UNKNOWN;
        a->reason = "the functions disagree";
    } else if (open) {
        a->verdict = PRESENT_UNKNOWN;
        a->reason = "undetermined for some function that the patch changes";
    } else {
        a->verdict = PRESENT_PATCHED;
        a->confidence = best[PRESENT_PATCHED] * says[PRESENT_PATCHED] /
                        (says[PRESENT_PATCHED] + says[PRESENT_VULNERABLE]);
    }
}

bool present_test(struct program *p, const struct reference *r, const struct present_options *opt,
                  struct present_answer *out, struct error *err)
{
    struct test t = {
        .p = p, .r = r, .opt = opt, .out = out, .prover = opt->no_solver ? NULL : prover_new(r->e)};
    bool ok = true;
    *out = (struct present_answer){0};
    for (size_t i = 0; i < r->function.len && ok; i++)
        ok = test_function(&t, &r->function.data[i], err);
    prover_free(t.prover);
    for (size_t i = 0; i < t.kept.len; i++)
        features_free(t.kept.data[i]);
    vec_free(&t.kept);
    map_free(&t.tried);
    if (ok)
        together(out, r->e);
    else
        present_free(out);
    return ok;
}

void present_free(struct present_answer *a)
{
    for (size_t i = 0; i < a->function.len; i++) {
        vec_free(&a->function.data[i].evidence);
        vec_free(&a->function.data[i].part);
    }
    vec_free(&a->function);
    arena_free(&a->arena);
    *a = (struct present_answer){0};
}
