/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of the new version that the old one does not have.
 *
 * A trap that is meant (ud2, brk) rejects its input. A fault does not: an input on which the new version
 * divides by zero, or makes an access that has to be aligned and is not, is one that the old version went on
 * with. That is a difference (P2: the run has no end). Whether memory is there cannot be known of one
 * function. What the old version accesses, too, on the same input, is there; one page from where a pointer
 * leads is taken as a whole. Of all other accesses only this is asked: may the pointer be NULL where the old
 * version compares it with NULL, and is it an argument with which the old version never does anything?
 * Otherwise the verdict rests on the axiom `faults`. */
#include "flow/library.h"
#include "verify/private.h"

enum { TOUCHED_MAX = 4000, ASKED_MAX = 24, FAULT_NODES = 5000 };

/* ---- traps ---- */

bool faults_end(const struct end *e)
{
    return e->path->end == PATH_TRAP && e->path->trap != TRAP_MEANT;
}

static unsigned long long shown(const struct end *e, uint64_t site)
{
    return object_display_address(program_object(e->s->p), site);
}

bool faults_compare(struct check *c, const struct end *o, const struct end *n, struct findings *found)
{
    if (!faults_end(n) || faults_end(o))
        return true;
    term q[] = {o->cond, n->cond, term_not(c->t, o->error)};
    struct term_model *model = NULL;
    enum answer r = query_possible(c, q, 3, &model);
    if (r == NO)
        return true;
    struct view w;
    term all = term_and(c->t, q[0], term_and(c->t, q[1], q[2]));
    view_start(&w, c, o, n, all);
    bool paired = true, never = calls_settle(&w, all, &paired), division = n->path->trap != TRAP_MISALIGNED;
    if (never) {
        term_model_free(model);
    } else {
        /* Where a call of the new version has no partner, what it returns may be what the old one's does. */
        struct failure f = accept_failure(&w, VERIFY_P2, division && paired ? r : UNDECIDED, model);
        f.site[NEW] = n->path->end_address;
        f.when = all;
        f.certain = true;
        f.whole = true;
        f.what = division ? "a division that traps" : "a misaligned access that traps";
        f.reason =
            reason_of(c->arena, division ? VERIFY_REASON_DIVISION_TRAPS : VERIFY_REASON_MISALIGNED_TRAPS,
                      shown(n, n->path->end_address));
        accept_or_fail(c, found, f);
    }
    view_end(&w);
    return never;
}

/* ---- accesses ---- */

void faults_see(struct check *c, const struct pair_side *s, const struct exec_moment *at, term base,
                uint64_t distance, term guard, uint64_t site)
{
    touches *all = &c->touched[s->new];
    if (base == TERM_NONE || base == c->sp || all->len == TOUCHED_MAX)
        return;
    term when = moment_condition(at);
    if (guard != TERM_NONE)
        when = term_and(c->t, when, guard);
    const bool index = canonical_is_place(s, distance);
    uint64_t last;
    if (map_get(&c->touched_at[s->new], base, &last) && all->data[last].when == when &&
        all->data[last].index == index)
        return;
    map_set(&c->touched_at[s->new], base, all->len);
    vec_push(all, (struct touch){base, when, site, index});
}

void faults_forget(struct check *c, int side)
{
    vec_clear(&c->touched[side]);
    map_clear(&c->touched_at[side]);
}

void faults_see_tests(struct check *c, const struct exec_path *p)
{
    for (unsigned i = 0; i < p->nliterals; i++) {
        term l = p->literal[i];
        l = term_kind(c->t, l) == OP_NOT ? term_kid(c->t, l, 0) : l;
        if (term_kind(c->t, l) == OP_EQ)
            map_set(&c->null_tests, l, 1);
    }
}

/* What the old version does depends on whether the pointer is NULL, or it accesses memory through it only
 * where it is not. */
static bool is_tested(struct check *c, const ends *old, term null, term covered)
{
    const term q[] = {covered, null};
    if (map_get(&c->null_tests, null, NULL))
        return true;
    if (!term_is_false(c->t, covered) && query_possible(c, q, 2, NULL) == NO)
        return true;
    for (size_t i = 0; i < old->len; i++) {
        const struct end *e = &old->data[i];
        const term of[] = {e->cond, e->mem, e->result};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (of[k] != TERM_NONE && term_any(c->t, of[k], term_is_that, &null))
                return true;
    }
    return false;
}

/* It is an argument, and the old version accesses nothing through it and gives it to nobody. */
static bool is_idle_argument(struct check *c, const ends *old, term pointer)
{
    unsigned number;
    bool used = !origin_is_argument(c->t, pointer, &number) || map_get(&c->based[OLD], pointer, NULL);
    for (size_t i = 0; i < old->len && !used; i++) {
        const struct exec_path *p = old->data[i].path;
        used = term_any(c->t, old->data[i].mem, term_is_that, &pointer) || p->end == PATH_CUT ||
               p->end == PATH_TAIL_CALL;
        for (unsigned k = 0; k < p->nevents && !used; k++)
            used = term_any_of(c->t, p->event[k].arg, p->event[k].nargs, term_is_that, &pointer);
    }
    return !used;
}

/* The old version does not reject the input. */
static term accepts(struct check *c, const ends *old)
{
    term is = term_false(c->t);
    for (size_t i = 0; i < old->len; i++)
        is = term_or(c->t, is, term_and(c->t, old->data[i].cond, term_not(c->t, old->data[i].error)));
    return is;
}

static void fail(struct check *c, const ends *old, const ends *new, const struct touch *t, term when,
                 enum verify_reason_code code, struct findings *found)
{
    struct failure f = {.property = VERIFY_P2,
                        .path = {old->len ? old->data[0].path : NULL, new->len ? new->data[0].path : NULL},
                        .when = when,
                        .what = "memory that only the new version accesses",
                        .site = {0, t->site},
                        .whole = true,
                        .certain = true,
                        .doubt = true};
    f.reason =
        reason_of(c->arena, code,
                  (unsigned long long)object_display_address(program_object(c->pair.side[NEW].p), t->site));
    accept_or_fail(c, found, f);
}

static void assume(struct check *c, uint64_t site)
{
    for (size_t i = 0; i < c->now->touched.len; i++)
        if (c->now->touched.data[i] == site)
            return;
    vec_push(&c->now->touched, site);
}

/* When the new version makes the access and the old one none near there; false: never. *covered: when the
 * old one makes one. */
static term alone(struct check *c, const struct touch *t, const touches *old, term *covered)
{
    const struct pair_side *side = c->pair.side;
    term when = canonical_term(&c->pair, &side[NEW], t->when),
         base = canonical_term(&c->pair, &side[NEW], t->base);
    *covered = term_false(c->t);
    for (size_t i = 0; i < old->len; i++) {
        const struct touch *o = &old->data[i];
        if (canonical_term(&c->pair, &side[OLD], o->base) != base)
            continue;
        term also = canonical_term(&c->pair, &side[OLD], o->when);
        if (also == when || term_is_true(c->t, also))
            return term_false(c->t);
        *covered = term_or(c->t, *covered, also);
    }
    return term_and(c->t, when, term_not(c->t, *covered));
}

/* ---- strings ---- */

/* A set of arguments that such a function reads to the byte that ends a string, and one of those that it
 * reads no further than a number says. */
static const struct reading {
    enum library_like like;
    unsigned whole, limited;
} readings[] = {{LIKE_STRLEN, 1, 0},  {LIKE_STRCPY, 2, 0},  {LIKE_STPCPY, 2, 0},  {LIKE_STRCAT, 3, 0},
                {LIKE_STRNCAT, 1, 2}, {LIKE_STRCMP, 3, 0},  {LIKE_STRCHR, 1, 0},  {LIKE_STRRCHR, 1, 0},
                {LIKE_STRSPN, 3, 0},  {LIKE_STRCSPN, 3, 0}, {LIKE_STRPBRK, 3, 0}, {LIKE_STRSTR, 3, 0},
                {LIKE_STRDUP, 1, 0},  {LIKE_STRNLEN, 0, 1}, {LIKE_MEMCHR, 0, 1},  {LIKE_STRNCMP, 0, 3},
                {LIKE_MEMCMP, 0, 3},  {LIKE_BCMP, 0, 3},    {LIKE_MEMCPY, 0, 2},  {LIKE_MEMPCPY, 0, 2},
                {LIKE_MEMMOVE, 0, 2}, {LIKE_STRNCPY, 0, 2}, {LIKE_STRNDUP, 0, 1}, {LIKE_BCOPY, 0, 1}};

static const struct reading *reading_of(const struct check *c, const struct pair_side *s,
                                        const struct exec_event *e)
{
    const struct flow_library_entry *l = names_library(c, s, e);
    for (size_t i = 0; l && i < sizeof readings / sizeof *readings; i++)
        if (readings[i].like == l->like)
            return &readings[i];
    return NULL;
}

/* The old version reads no more than a number of bytes there. */
static bool is_limited(struct check *c, const ends *old, term pointer)
{
    bool limited = false;
    for (size_t i = 0; i < old->len; i++)
        for (unsigned k = 0; k < old->data[i].path->nevents; k++) {
            const struct pair_side *s = old->data[i].s;
            const struct exec_event *e = &old->data[i].path->event[k];
            const struct reading *r = reading_of(c, s, e);
            for (unsigned a = 0; r && a < e->nargs; a++) {
                if (canonical_term(&c->pair, s, e->arg[a]) != pointer)
                    continue;
                if (r->whole >> a & 1)
                    return false;
                limited = limited || r->limited >> a & 1;
            }
        }
    return limited;
}

/* What is no string need not end where it is there. */
static void strings_read_on(struct check *c, const ends *old, const ends *new, struct findings *found)
{
    for (size_t i = 0; i < new->len; i++)
        for (unsigned k = 0; k < new->data[i].path->nevents; k++) {
            const struct pair_side *s = new->data[i].s;
            const struct exec_event *e = &new->data[i].path->event[k];
            const struct reading *r = reading_of(c, s, e);
            for (unsigned a = 0; r && a < e->nargs; a++)
                if (r->whole >> a & 1 && is_limited(c, old, canonical_term(&c->pair, s, e->arg[a])))
                    fail(c, old, new, &(struct touch){.site = e->site}, new->data[i].cond,
                         VERIFY_REASON_STRING_READ_ON, found);
        }
}

void faults_accesses(struct check *c, const ends *old, const ends *new, struct findings *found)
{
    strings_read_on(c, old, new, found);
    const touches *all = c->touched;
    size_t nodes_max = c->query.nodes_max;
    unsigned asked = 0;
    term accepted = TERM_NONE;
    for (size_t i = 0; i < all[NEW].len && !query_is_late(c); i++) {
        const struct touch *t = &all[NEW].data[i];
        term covered, when = alone(c, t, &all[OLD], &covered),
                      base = canonical_term(&c->pair, &c->pair.side[NEW], t->base);
        if (term_is_false(c->t, when) || origin_is_new_object(c->t, base))
            continue;
        accepted = accepted == TERM_NONE ? accepts(c, old) : accepted;
        const term q[] = {when, accepted, term_eq(c->t, base, term_const(c->t, c->width, 0))};
        c->query.nodes_max = nodes_max < FAULT_NODES ? nodes_max : FAULT_NODES;
        bool ask = asked++ < ASKED_MAX, never = ask && query_possible(c, q, 2, NULL) == NO;
        /* Where an index is 0, something of the file is there. */
        bool tested = !never && ask && !t->index && is_tested(c, old, q[2], covered);
        bool null = tested && query_possible(c, q, 3, NULL) != NO;
        c->query.nodes_max = nodes_max;
        if (never)
            continue;
        if (null)
            fail(c, old, new, t, when, VERIFY_REASON_NULL_ACCESS, found);
        else if (!tested && !t->index && is_idle_argument(c, old, base))
            fail(c, old, new, t, when, VERIFY_REASON_IDLE_ARGUMENT, found);
        else if (!(c->opt->axioms & AXIOM_FAULTS))
            fail(c, old, new, t, when, VERIFY_REASON_NEW_ACCESS, found);
        else
            assume(c, t->site);
    }
}

/* ---- alignment on ARM ---- */

/* The instruction accesses words that have to be aligned, not on the stack: ldm, stm, ldrd, strd, vldr, vstr,
 * vldm, vstm. The first halfword of a Thumb instruction is in the upper half. */
static bool needs_alignment(uint32_t w, bool thumb, unsigned length)
{
    enum { SP = 13 };
    if (length == 2)
        return w >> 28 == 0xc;
    bool vector = (w & (thumb ? 0xfe000e00 : 0x0e000e00)) == (thumb ? 0xec000a00 : 0x0c000a00);
    bool several = thumb ? (w & 0xfe400000) == 0xe8000000 && (w >> 23 & 3) % 3 : (w & 0x0e000000) == 0x08000000;
    bool two = thumb ? (w & 0xfe400000) == 0xe8400000 && (w & 0x01200000)
                     : (w & 0x0e1000d0) == 0x000000d0 && (w & 0x0f0000f0) != 0x000000f0;
    return (vector || several || two) && (w >> 16 & 0xf) != SP;
}

size_t faults_aligned(const struct pair_side *s, uint64_t *site)
{
    bool thumb = s->f->flags & FLOW_THUMB;
    size_t n = 0;
    for (uint32_t k = 0; program_machine(s->p)->arch == MACHINE_ARM && k < s->g->nblocks; k++) {
        const struct ir_block *b = &s->g->block[k];
        for (uint32_t i = 0; i < b->nmark; i++) {
            uint8_t p[4] = {0};
            if (b->mark[i].length > sizeof p || !object_read(s->o, b->mark[i].address, p, b->mark[i].length))
                continue;
            uint32_t low = p[0] | (uint32_t)p[1] << 8, high = p[2] | (uint32_t)p[3] << 8;
            if (!needs_alignment(thumb ? low << 16 | high : high << 16 | low, thumb, b->mark[i].length))
                continue;
            *site = b->mark[i].address;
            n++;
        }
    }
    return n;
}
