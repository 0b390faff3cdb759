/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs that end: did they do the same?
 *
 * A pair of exits is compared under the condition V that both are reached and both are valid. Calls are compared one
 * by one in the order they were made; two that are the same (callee, arguments, and the memory and order of things
 * they saw) have the same results, so what the second made is taken to be what the first made from then on. In the
 * end memory, the order of what was observable, and the result are compared.
 *
 * What a callee sees of memory is compared outside the frames, and inside them slot by slot where both versions have
 * the slot. A slot that only one version has is taken to be out of the callee's reach (the assumption `private`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/system.h"
#include "verify/private.h"

/* ---- asking ---- */

bool out_of_time(struct check *c)
{
    if (!c->late && c->deadline && now_ms() >= c->deadline)
        c->late = true;
    return c->late;
}

/* ---- constant tables ---- */

enum { TABLE_BYTES = 512 };
typedef struct {
    term *data;
    size_t len, cap;
} table_facts;

/* What is in the constant table that begins at a canonical address. */
static void add_table(struct check *c, uint64_t at, table_facts *out)
{
    term mem = explorer_symbols(c->side[OLD].x).mem;
    unsigned word = c->width / 8;
    for (int s = 0; s < 2; s++) {
        struct side *sd = &c->side[s];
        uint64_t native = s ? norm_unpaired(c, at) : at - sd->bias;
        if (c->width == 32)
            native = (uint32_t)native;
        if (!object_is_readonly(sd->o, native, 1))
            continue;
        for (unsigned i = 0; i < TABLE_BYTES && object_is_readonly(sd->o, native + i, word); i += word) {
            term v = explorer_constant(sd->x, native + i, c->width);
            if (v != TERM_NONE)
                vec_push(out, term_eq(c->t, term_read(c->t, mem, term_const(c->t, c->width, at + i), c->width),
                                      c->native ? v : norm(c, sd, v)));
        }
        return;
    }
}

/* Reads of memory as it was at a computed distance from a constant address: an element of a table. */
static void find_tables(struct check *c, term x, table_facts *out)
{
    term mem = explorer_symbols(c->side[OLD].x).mem;
    struct map seen = {0}, told = {0};
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, x);
    while (todo.len) {
        term u = vec_pop(&todo), base;
        uint64_t off;
        if (!map_set(&seen, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(c->t, u); i++)
            vec_push(&todo, term_kid(c->t, u, i));
        if (term_kind(c->t, u) != TERM_READ)
            continue;
        term array = term_kid(c->t, u, 0);
        while (term_kind(c->t, array) == TERM_WRITE)
            array = term_kid(c->t, array, 0);
        if (array != mem)
            continue;
        term_split(c->t, term_kid(c->t, u, 1), &base, &off);
        if (base != TERM_NONE && base != c->sp && off && map_set(&told, off, 1))
            add_table(c, off, out);
    }
    vec_free(&todo);
    map_free(&seen);
    map_free(&told);
}

enum answer possible(struct check *c, const term *v, size_t n, struct term_model **model)
{
    for (size_t i = 0; i < n; i++)
        if (term_is_false(c->t, v[i]))
            return NO;
    if (out_of_time(c)) {
        c->unknown_answers++;
        return UNDECIDED;
    }
    VEC(term) all = VEC_INIT;
    const term *a;
    size_t na = explorer_assumptions(c->side[OLD].x, &a);
    for (size_t i = 0; i < n; i++)
        vec_push(&all, v[i]);
    for (size_t i = 0; i < na; i++)
        vec_push(&all, a[i]);
    table_facts facts = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        find_tables(c, v[i], &facts);
    for (size_t i = 0; i < facts.len; i++)
        vec_push(&all, facts.data[i]);
    vec_free(&facts);
    enum solve_answer r = solve_check(c->solver, all.data, all.len, model);
    vec_free(&all);
    if (r == SOLVE_UNKNOWN) {
        c->unknown_answers++;
        if (!c->unknown_why)
            c->unknown_why = arena_printf(c->arena, "the solver gave up: %s", solver_reason(c->solver));
        return UNDECIDED;
    }
    return r == SOLVE_SAT ? YES : NO;
}

/* ---- a pair of exits being looked at ---- */

void view_start(struct view *w, struct check *c, const struct end *o, const struct end *n, term v)
{
    *w = (struct view){.c = c, .o = o, .n = n, .v = v};
    term from[NORM_LITERALS_MAX], to[NORM_LITERALS_MAX];
    size_t count = 0;
    norm_literals(c, v, from, to, &count);
    for (size_t i = 0; i < count; i++)
        map_set(&w->known, from[i], to[i]);
}

void view_end(struct view *w)
{
    map_free(&w->known);
    map_free(&w->seen);
}

static term see_node(struct view *w, term u)
{
    struct terms *t = w->c->t;
    unsigned n = term_nkids(t, u);
    if (n == 0)
        return u;
    term small[8], *kid = n <= 8 ? small : xcalloc(n, sizeof *kid);
    for (unsigned i = 0; i < n; i++)
        kid[i] = (term)map_find(&w->seen, term_kid(t, u, i), TERM_NONE);
    term out = norm_rebuild(w->c, u, kid);
    if (kid != small)
        free(kid);
    return out;
}

term view_see(struct view *w, term x)
{
    uint64_t known;
    if (x == TERM_NONE)
        return x;
    if (map_get(&w->seen, x, &known))
        return (term)known;
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, x);
    while (todo.len) {
        term u = vec_last(&todo);
        if (map_get(&w->seen, u, NULL)) {
            (void)vec_pop(&todo);
            continue;
        }
        if (map_get(&w->known, u, &known)) {
            map_set(&w->seen, u, known);
            continue;
        }
        bool wait = false;
        for (unsigned i = 0; i < term_nkids(w->c->t, u); i++)
            if (!map_get(&w->seen, term_kid(w->c->t, u, i), NULL)) {
                vec_push(&todo, term_kid(w->c->t, u, i));
                wait = true;
            }
        if (wait)
            continue;
        (void)vec_pop(&todo);
        map_set(&w->seen, u, see_node(w, u));
    }
    vec_free(&todo);
    return (term)map_find(&w->seen, x, x);
}

/* A term of a side, canonical and as seen. */
term view_side(struct view *w, const struct end *e, term x)
{
    return view_see(w, norm(w->c, e->s, x));
}

/* Are they always equal when v and `when` hold? a and b are as seen. */
static enum answer same(struct view *w, term when, term a, term b, struct term_model **model)
{
    struct check *c = w->c;
    if (a == b)
        return YES;
    if (a == TERM_NONE || b == TERM_NONE)
        return NO;
    if (!term_is_array(c->t, a) && term_width(c->t, a) != term_width(c->t, b))
        return NO;
    if (term_is_const(c->t, a) && term_is_const(c->t, b) && !model)
        return NO;
    term q[] = {w->v, when == TERM_NONE ? term_true(c->t) : when, term_not(c->t, term_eq(c->t, a, b))};
    enum answer r = possible(c, q, 3, model);
    return r == NO ? YES : r == YES ? NO : UNDECIDED;
}

/* ---- memory ---- */

enum { FRAME_BYTES = 1 << 20 };

term outside_frames(struct check *c, term at)
{
    int64_t top = 0;
    for (int s = 0; s < 2; s++) {
        int64_t t = explorer_symbols(c->side[s].x).frame_top;
        top = t > top ? t : top;
    }
    term d = term_add_const(c->t, term_bin(c->t, OP_SUB, at, c->sp), FRAME_BYTES);
    return term_bin(c->t, OP_ULE, term_const(c->t, c->width, (uint64_t)(FRAME_BYTES + top)), d);
}

enum { WRITES_MAX = 200, NESTING_MAX = 12 };

static term both(struct check *c, term when, term cond)
{
    return when == TERM_NONE ? cond : term_and(c->t, when, cond);
}

/* True when it can be seen without asking about arrays that two are equal: the same writes in the same order, the same
 * choices. Addresses and values are asked for one at a time. */
static bool same_array(struct view *w, term when, term a, term b, unsigned depth)
{
    struct check *c = w->c;
    struct terms *t = c->t;
    if (a == b)
        return true;
    if (!depth || out_of_time(c))
        return false;
    unsigned ka = term_kind(t, a), kb = term_kind(t, b);
    if (ka == TERM_AITE && kb == TERM_AITE &&
        (term_kid(t, a, 0) == term_kid(t, b, 0) || same(w, when, term_kid(t, a, 0), term_kid(t, b, 0), NULL) == YES)) {
        term cond = term_kid(t, a, 0);
        return same_array(w, both(c, when, cond), term_kid(t, a, 1), term_kid(t, b, 1), depth - 1) &&
               same_array(w, both(c, when, term_not(t, cond)), term_kid(t, a, 2), term_kid(t, b, 2), depth - 1);
    }
    if (ka == TERM_AITE || kb == TERM_AITE) {
        term ite = ka == TERM_AITE ? a : b, other = ka == TERM_AITE ? b : a, cond = term_kid(t, ite, 0);
        return same_array(w, both(c, when, cond), term_kid(t, ite, 1), other, depth - 1) &&
               same_array(w, both(c, when, term_not(t, cond)), term_kid(t, ite, 2), other, depth - 1);
    }
    if (ka != TERM_WRITE || kb != TERM_WRITE)
        return false;
    term ca[WRITES_MAX], cb[WRITES_MAX];
    unsigned na = 0, nb = 0;
    for (; term_kind(t, a) == TERM_WRITE && na < WRITES_MAX; a = term_kid(t, a, 0))
        ca[na++] = a;
    for (; term_kind(t, b) == TERM_WRITE && nb < WRITES_MAX; b = term_kid(t, b, 0))
        cb[nb++] = b;
    if (na != nb || !same_array(w, when, a, b, depth - 1))
        return false;
    while (na) {
        term x = ca[--na], y = cb[na], ax = term_kid(t, x, 1), ay = term_kid(t, y, 1);
        if (ax != ay && same(w, when, ax, ay, NULL) != YES)
            return false;
        /* what is known to be equal by now */
        term from[] = {b, ay}, to[] = {a, ax};
        term vy = term_substitute(t, term_kid(t, y, 2), from, to, 2);
        if (vy != term_kid(t, x, 2) && same(w, when, term_kid(t, x, 2), vy, NULL) != YES)
            return false;
        a = x;
        b = y;
    }
    return true;
}

/* The array with another value in the place of one that is written to it, or (TERM_NONE) without it; the same array when
 * it is not written. */
static term write_instead(struct terms *t, term array, term at, term from, term to)
{
    VEC(term) above = VEC_INIT;
    term x = array;
    while (term_kind(t, x) == TERM_WRITE && !(term_kid(t, x, 1) == at && term_kid(t, x, 2) == from)) {
        vec_push(&above, x);
        x = term_kid(t, x, 0);
    }
    if (term_kind(t, x) == TERM_WRITE) {
        x = to == TERM_NONE ? term_kid(t, x, 0) : term_write(t, term_kid(t, x, 0), at, to);
        while (above.len) {
            term y = vec_pop(&above);
            x = term_write(t, x, term_kid(t, y, 1), term_kid(t, y, 2));
        }
        array = x;
    }
    vec_free(&above);
    return array;
}

/* Looks for a difference where one of the two has written: small questions, before the one about any address. */
static bool differs_where_written(struct view *w, term when, term a, term b, struct term_model **model, term *at)
{
    enum { TRIED_MAX = 48 };
    struct check *c = w->c;
    struct terms *t = c->t;
    unsigned tried = 0;
    struct map seen = {0};
    bool found = false;
    const term array[] = {b, a};
    for (int s = 0; s < 2 && !found; s++)
        for (term x = array[s]; term_kind(t, x) == TERM_WRITE && tried < TRIED_MAX && !found; x = term_kid(t, x, 0)) {
            term place = term_kid(t, x, 1), base;
            uint64_t off;
            unsigned bytes = term_width(t, term_kid(t, x, 2)) / 8;
            term_split(t, place, &base, &off);
            if (base == c->sp || !map_set(&seen, place, 1))
                continue;
            for (unsigned i = 0; i < bytes && !found && tried < TRIED_MAX; i++) {
                term p = term_add_const(t, place, i);
                term va = term_read(t, a, p, 8), vb = term_read(t, b, p, 8);
                if (va == vb)
                    continue;
                tried++;
                term q[] = {w->v, when == TERM_NONE ? term_true(t) : when, outside_frames(c, p),
                            term_not(t, term_eq(t, va, vb))};
                found = possible(c, q, 4, model) == YES;
                if (found)
                    *at = p;
                else if (c->unknown_answers)
                    tried += TRIED_MAX / 8; /* these are not small */
            }
        }
    map_free(&seen);
    return found;
}

static enum answer same_memory(struct view *w, term when, term a, term b, struct term_model **model, term *at)
{
    struct check *c = w->c;
    for (unsigned i = 0; i < w->granted.n; i++) {
        term *x = w->granted.old[i] ? &a : &b;
        *x = w->granted.at[i] == TERM_NONE
                 ? term_substitute(c->t, *x, &w->granted.from[i], &w->granted.to[i], 1)
                 : write_instead(c->t, *x, w->granted.at[i], w->granted.from[i], w->granted.to[i]);
    }
    if (same_array(w, when, a, b, NESTING_MAX))
        return YES;
    if (model && differs_where_written(w, when, a, b, model, at))
        return NO;
    /* Any address: one that nothing is known of. */
    if (c->at == TERM_NONE)
        c->at = term_fresh(c->t, "differs_at", c->width);
    *at = c->at;
    term q[] = {w->v, when == TERM_NONE ? term_true(c->t) : when, outside_frames(c, *at),
                term_not(c->t, term_eq(c->t, term_read(c->t, a, *at, 8), term_read(c->t, b, *at, 8))),
                w->granted.where == TERM_NONE ? term_true(c->t) : w->granted.where};
    enum answer r = possible(c, q, 5, model);
    return r == NO ? YES : r == YES ? NO : UNDECIDED;
}

static int by_offset(const void *a, const void *b)
{
    const int64_t *l = a, *r = b;
    return *l < *r ? -1 : *l > *r;
}

/* The bytes of the frame that both versions have hold the same, where callees can see them. */
/* Something was written at a computed place in the frame since the last call. */
static bool writes_computed(struct check *c, term x, unsigned depth)
{
    struct terms *t = c->t;
    for (; term_kind(t, x) == TERM_WRITE; x = term_kid(t, x, 0)) {
        term base;
        uint64_t off;
        term_split(t, term_kid(t, x, 1), &base, &off);
        if (base != c->sp && base != TERM_NONE && explorer_in_frame(c->side[OLD].x, base))
            return true;
    }
    return term_kind(t, x) == TERM_AITE && depth &&
           (writes_computed(c, term_kid(t, x, 1), depth - 1) || writes_computed(c, term_kid(t, x, 2), depth - 1));
}

static enum answer same_frames(struct view *w, term when, term a, term b, struct term_model **model, term *where,
                               unsigned *bytes)
{
    struct check *c = w->c;
    if (a == b)
        return YES;
    if (writes_computed(c, a, NESTING_MAX) || writes_computed(c, b, NESTING_MAX))
        return same_array(w, when, a, b, NESTING_MAX) ? YES : UNDECIDED;
    VEC(int64_t) common = VEC_INIT;
    uint64_t key, one;
    for (size_t i = 0; (i = map_next(&c->slots[NEW], i, &key, &one));)
        if (map_get(&c->slots[OLD], key, NULL))
            vec_push(&common, (int64_t)key);
    vec_sort(&common, by_offset);
    enum answer all = YES;
    for (size_t i = 0, n; i < common.len && all != NO; i += n) {
        n = 1;
        while (i + n < common.len && n < 8 && common.data[i + n] == common.data[i] + (int64_t)n)
            n++;
        term at = term_add_const(c->t, c->sp, (uint64_t)common.data[i]);
        enum answer r =
            same(w, when, term_read(c->t, a, at, (unsigned)n * 8), term_read(c->t, b, at, (unsigned)n * 8), model);
        all = r == YES ? all : r;
        if (r == NO) {
            *where = at;
            *bytes = (unsigned)n;
        }
    }
    /* Bytes that only one has: out of the callee's reach if they lie below all it was given. */
    int64_t lowest[2] = {frame_lowest_passed(c, OLD), frame_lowest_passed(c, NEW)};
    int64_t low = lowest[OLD] < lowest[NEW] ? lowest[OLD] : lowest[NEW];
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; (i = map_next(&c->slots[s], i, &key, &one));) {
            if (map_get(&c->slots[!s], key, NULL))
                continue;
            if ((int64_t)key < low && c->opt->assume & VERIFY_ASSUME_PRIVATE)
                c->private_used++;
            else if (all == YES)
                all = UNDECIDED;
        }
    vec_free(&common);
    return all;
}

/* ---- calls ---- */

struct call {
    const struct exec_event *e;
    term guard; /* as seen; TERM_NONE: always */
    bool matched;
};
typedef VEC(struct call) calls;

/* Compilers put in and leave out these as they like; what they do is seen in memory. */
static bool is_transparent(const char *name)
{
    static const char *const all[] = {"memcpy", "memmove", "memset", "memcmp", "bzero", "bcopy", "__stack_chk_fail"};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    /* Operators for which the processor has no instruction. */
    size_t n = name ? strlen(name) : 0;
    return n > 6 && (strncmp(name, "__aeabi_", 8) == 0 ||
                     (strncmp(name, "__", 2) == 0 && (strcmp(name + n - 3, "di3") == 0 || strcmp(name + n - 3, "si3") == 0 ||
                                                      strcmp(name + n - 3, "di2") == 0 || strcmp(name + n - 3, "si2") == 0 ||
                                                      strcmp(name + n - 3, "di4") == 0)));
}

static bool is_pure(struct check *c, const char *name)
{
    struct verify_knowledge *k = c->opt->know;
    for (size_t i = 0; k && name && i < k->npure_functions; i++)
        if (strcmp(k->pure_function[i].text, name) == 0) {
            k->pure_function[i].used = true;
            return true;
        }
    return false;
}

static bool counts(struct check *c, const struct exec_event *e)
{
    return e->kind != EVENT_CALL || (!is_transparent(e->name) && !is_pure(c, e->name));
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
        map_set(&w->seen, f, t);
    }
}

enum { SAME_CALL, OTHER_ARGUMENT, OTHER_MEMORY, OTHER_LOCAL, OTHER_CALL, CALL_UNDECIDED };

/* What nobody put there: a register as a callee or the caller left it. */
static bool is_junk(struct check *c, term x)
{
    unsigned kind = term_kind(c->t, x);
    if (kind == TERM_APPLY)
        return strncmp(term_name(c->t, x), "clobber:", 8) == 0;
    if (kind == OP_EXTRACT || kind == OP_ZEXT)
        return is_junk(c, term_kid(c->t, x, 0));
    if (kind == OP_CONCAT)
        return is_junk(c, term_kid(c->t, x, 0)) && is_junk(c, term_kid(c->t, x, 1));
    if (kind == OP_ITE)
        return is_junk(c, term_kid(c->t, x, 1)) && is_junk(c, term_kid(c->t, x, 2));
    return false;
}

/* Nobody knows how many arguments it takes: all registers were taken. */
static bool is_guessed(struct check *c, const struct exec_event *e)
{
    const struct ir_machine *m = program_machine(c->side[OLD].p);
    struct flow_prototype p;
    return e->kind == EVENT_CALL && m->nargs && e->nargs - e->nhidden == m->nargs &&
           !(e->name && flow_library_prototype(c->side[OLD].p, e->name, &p));
}

/* Nobody set the register for this call. */
static bool is_unset(struct check *c, int side, const struct exec_event *e, unsigned i)
{
    char name[16];
    snprintf(name, sizeof name, "arg%u", i);
    return (i >= c->side[side].own && e->arg[i] == term_find_var(c->t, name)) || is_junk(c, e->arg[i]);
}

/* The first register that nobody set at some call of the function is not an argument, nor are those behind it. */
static unsigned passed_at_most(struct view *w, const struct exec_event *like)
{
    struct check *c = w->c;
    const struct end *end[2] = {w->o, w->n};
    unsigned most = program_machine(c->side[OLD].p)->nargs;
    for (int s = 0; s < 2; s++)
        for (unsigned k = 0; k < end[s]->path->nevents; k++) {
            const struct exec_event *e = &end[s]->path->event[k];
            if (!same_name(e, like) || !is_guessed(c, e))
                continue;
            for (unsigned i = 0; i < most; i++)
                if (is_unset(c, s, e, i))
                    most = i;
        }
    return most;
}

/* Arguments that one version was seen to pass and the other was not, and what callees read besides arguments, count
 * only if somebody put them there. */
/* The register still holds what it held at entry. */
static bool is_untouched(struct check *c, int side, term x, unsigned reg)
{
    return x == explorer_entry(c->side[side].x, reg, term_width(c->t, x));
}

static bool is_idle(struct check *c, int side, term x)
{
    unsigned n;
    if (is_junk(c, x))
        return true;
    return term_kind(c->t, x) == TERM_VAR && sscanf(term_name(c->t, x), "arg%u", &n) == 1 && n >= c->side[side].own;
}

/* A word pushed only to align the stack holds some register as it was at entry. */
static bool is_padding(struct check *c, int side, term x)
{
    return is_idle(c, side, x) || (term_kind(c->t, x) == TERM_VAR && strncmp(term_name(c->t, x), "arg", 3) != 0);
}

static bool idle_from(struct check *c, int side, const struct exec_event *e, unsigned first)
{
    for (unsigned i = first; i < e->nargs; i++)
        if (!is_padding(c, side, e->arg[i]))
            return false;
    return true;
}

static bool same_extras(struct view *w, const struct call *o, const struct call *n, unsigned common)
{
    struct check *c = w->c;
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden;
    for (unsigned i = common; i < on; i++)
        if (!is_idle(c, OLD, o->e->arg[i]))
            return false;
    for (unsigned i = common; i < nn; i++)
        if (!is_idle(c, NEW, n->e->arg[i]))
            return false;
    /* Floats and words of the stack first, then other registers; where the two lists differ in length, the rest. */
    unsigned of = o->e->nfloats + o->e->nstack, nf = n->e->nfloats + n->e->nstack, few = of < nf ? of : nf;
    bool whole = of == nf && o->e->nhidden == n->e->nhidden;
    unsigned both_have = whole ? o->e->nhidden : few;
    for (unsigned i = 0; i < both_have; i++) {
        term a = o->e->arg[on + i], b = n->e->arg[nn + i];
        /* A word that one version pushed only to align the stack is no argument. */
        bool word = i >= o->e->nfloats && i < of;
        const struct ir_machine *m = program_machine(c->side[OLD].p);
        if (i < o->e->nfloats && (is_junk(c, a) || is_untouched(c, OLD, a, m->farg[i])) &&
            (is_junk(c, b) || is_untouched(c, NEW, b, m->farg[i])))
            continue;
        if (word ? is_padding(c, OLD, a) || is_padding(c, NEW, b) : is_idle(c, OLD, a) && is_idle(c, NEW, b))
            continue;
        if (same(w, o->guard, view_side(w, w->o, a), view_side(w, w->n, b), NULL) != YES)
            return false;
    }
    return whole || (idle_from(c, OLD, o->e, on + few) && idle_from(c, NEW, n->e, nn + few));
}

/* Compares two calls of one name. *which: the argument that differs, or how many bytes of a local at *at. */
static int same_call(struct view *w, const struct call *o, const struct call *n, unsigned *which,
                     struct term_model **model, term *at)
{
    struct check *c = w->c;
    unsigned on = o->e->nargs - o->e->nhidden, nn = n->e->nargs - n->e->nhidden, common = on < nn ? on : nn;
    struct flow_prototype known;
    bool undecided = false;
    if (on != nn && o->e->name && flow_library_prototype(c->side[OLD].p, o->e->name, &known)) {
        *which = common;
        return OTHER_ARGUMENT;
    }
    if (o->e->target != TERM_NONE || n->e->target != TERM_NONE) {
        enum answer r =
            same(w, o->guard, view_side(w, w->o, o->e->target), view_side(w, w->n, n->e->target), model);
        if (r == NO)
            return OTHER_CALL;
        undecided = r == UNDECIDED;
    }
    bool guessed = is_guessed(c, o->e) && is_guessed(c, n->e);
    unsigned most = guessed ? passed_at_most(w, o->e) : common;
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
        bool sure = (ao == ARITY_SURE && (an == ARITY_SURE || un)) || (an == ARITY_SURE && uo);
        enum answer r = same(w, o->guard, a, b, sure ? model : NULL);
        if (r == NO && sure) {
            *which = i;
            return OTHER_ARGUMENT;
        }
        undecided = undecided || r != YES;
    }
    undecided = undecided || !same_extras(w, o, n, common);
    if (o->e->mem_made != TERM_NONE) {
        term a = view_side(w, w->o, o->e->mem_before), b = view_side(w, w->n, n->e->mem_before);
        enum answer r = same_memory(w, o->guard, a, b, model, at);
        if (r == NO)
            return OTHER_MEMORY;
        undecided = undecided || r == UNDECIDED;
        if (o->e->escaped || n->e->escaped) {
            r = same_frames(w, o->guard, a, b, model, at, which);
            if (r == NO)
                return OTHER_LOCAL;
            undecided = undecided || r != YES;
        }
    }
    enum answer r = same(w, o->guard, view_see(w, norm(c, w->o->s, o->e->world_before)),
                         view_side(w, w->n, n->e->world_before), NULL);
    if (r == NO)
        return OTHER_CALL;
    return undecided || r == UNDECIDED ? CALL_UNDECIDED : SAME_CALL;
}

enum { KEY_MAX = 400 };

/* What it is, without addresses, so that the next build gives the same. */
static const char *key_of(struct check *c, const struct failure *f)
{
    struct buf b = BUF_INIT;
    char p[16];
    buf_printf(&b, "%s %s %s", c->side[OLD].f->name, verify_properties_text(f->property, p, sizeof p),
               f->what ? f->what : "");
    for (int s = 0; s < 2; s++) {
        buf_puts(&b, s ? " -> " : ": ");
        if (f->event[s] && f->property != VERIFY_P2)
            buf_printf(&b, "%s", f->event[s]->name ? f->event[s]->name : "*");
        if (f->value[s] != TERM_NONE) {
            buf_putc(&b, ' ');
            words_exactly(&b, c->words[s], f->value[s]);
        }
    }
    /* Without values it is the condition that makes it this difference; but that a function is called more or less
     * often is accepted for the function. */
    bool count = f->question == VERIFY_Q4 && (f->event[OLD] || f->event[NEW]);
    if (f->value[OLD] == TERM_NONE && f->value[NEW] == TERM_NONE && !count && f->when != TERM_NONE) {
        buf_puts(&b, " when ");
        words_exactly(&b, c->words[OLD], f->when);
    }
    if (b.len > KEY_MAX) { /* what is cut off still counts */
        char hex[SHA256_HEX];
        sha256_hex(buf_text(&b), b.len, hex);
        size_t n = KEY_MAX;
        while (n && ((unsigned char)b.data[n] & 0xc0) == 0x80)
            n--;
        b.data[b.len = n] = 0;
        buf_printf(&b, "... #%.16s", hex);
    }
    const char *out = arena_strdup(c->arena, buf_text(&b));
    buf_free(&b);
    return out;
}

/* What a callee left in a register or in the words of its arguments. */
static bool is_left_over(const struct check *c, term x)
{
    if (x == TERM_NONE || term_kind(c->t, x) != TERM_APPLY)
        return false;
    const char *name = term_name(c->t, x);
    return strncmp(name, "clobber:", 8) == 0 || strncmp(name, "slot:", 5) == 0;
}

/* Some bytes of the frame are accessed by one version only. */
static bool frames_differ(const struct check *c)
{
    uint64_t key, one;
    if (c->slots[OLD].len != c->slots[NEW].len)
        return true;
    for (size_t i = 0; (i = map_next(&c->slots[OLD], i, &key, &one));)
        if (!map_get(&c->slots[NEW], key, NULL))
            return true;
    return false;
}

/* It depends on what a callee left in the own frame. */
static bool reads_local(struct check *c, term x)
{
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    bool found = false;
    if (x != TERM_NONE)
        vec_push(&todo, x);
    while (todo.len && !found) {
        term u = vec_pop(&todo), base;
        uint64_t off;
        if (!map_set(&seen, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(c->t, u); i++)
            vec_push(&todo, term_kid(c->t, u, i));
        if (term_kind(c->t, u) != TERM_READ)
            continue;
        term_split(c->t, term_kid(c->t, u, 1), &base, &off);
        found = base == c->sp;
    }
    vec_free(&todo);
    map_free(&seen);
    return found;
}

bool fail(struct check *c, struct failure f)
{
    struct verify_knowledge *k = c->opt->know;
    if (f.refuted && (is_left_over(c, f.value[OLD]) || is_left_over(c, f.value[NEW]))) {
        f.refuted = false;
        f.why = "one version leaves something there that nobody put there";
    }
    if (f.refuted && frames_differ(c) &&
        (reads_local(c, f.value[OLD]) || reads_local(c, f.value[NEW]) ||
         (f.property == VERIFY_P1 && reads_local(c, f.when)))) {
        f.refuted = false;
        f.why = "it depends on locals that a callee may change, and the two frames are laid out differently";
    }
    if (f.refuted && (norm_has_unpaired(c, f.value[OLD]) || norm_has_unpaired(c, f.value[NEW]))) {
        f.refuted = false;
        f.why = "an address of the new file may be what another is in the old one, but nothing says so";
    }
    f.key = key_of(c, &f);
    for (size_t i = 0; k && !f.whole && i < k->naccepted; i++)
        if (strcmp(k->accepted[i].text, f.key) == 0) {
            k->accepted[i].used = true;
            vec_push(&c->accepted, f);
            return true;
        }
    vec_push(&c->failed, f);
    return false;
}

/* The two values it is about are different. */
static void differ(struct check *c, struct failure *f, term a, term b)
{
    f->value[OLD] = a;
    f->value[NEW] = b;
    if (a != TERM_NONE && b != TERM_NONE && term_width(c->t, a) == term_width(c->t, b))
        f->differ = term_not(c->t, term_eq(c->t, a, b));
}

static struct failure failure_of(struct view *w, unsigned property, enum answer r, struct term_model *model)
{
    struct failure f = {.property = property,
                        .refuted = r == YES,
                        .model = r == YES ? model : NULL,
                        .path = {w->o->path, w->n->path},
                        .when = w->v};
    VEC(term) from = VEC_INIT, to = VEC_INIT;
    uint64_t key, value;
    for (size_t i = 0; (i = map_next(&w->known, i, &key, &value));)
        if (term_kind(w->c->t, (term)key) == TERM_APPLY && term_kind(w->c->t, (term)value) == TERM_APPLY) {
            vec_push(&from, (term)key);
            vec_push(&to, (term)value);
        }
    f.united[0] = arena_dup(w->c->arena, from.data, from.len * sizeof(term));
    f.united[1] = arena_dup(w->c->arena, to.data, to.len * sizeof(term));
    f.nunited = from.len;
    vec_free(&from);
    vec_free(&to);
    return f;
}

/* ---- what was accepted ---- */

static void grant_nothing(struct view *w)
{
    memset(&w->granted, 0, sizeof w->granted);
}

/* What a chain of writes begins with. */
static term root_of(const struct terms *t, term x)
{
    while (term_kind(t, x) == TERM_WRITE)
        x = term_kid(t, x, 0);
    return x;
}

static bool same_words(struct check *c, term a, term b)
{
    struct buf x = BUF_INIT, y = BUF_INIT;
    words_exactly(&x, c->words[OLD], a);
    words_exactly(&y, c->words[OLD], b);
    bool same = strcmp(buf_text(&x), buf_text(&y)) == 0;
    buf_free(&x);
    buf_free(&y);
    return same;
}

/* Names a difference by what was written there last. False when that says nothing: it was not written, or what was
 * written differs only because of memory that it was made from. */
static bool name_write(struct view *w, struct failure *f, const struct failure *witness)
{
    struct check *c = w->c;
    const struct exec_write *x[2] = {evidence_write(c, witness, OLD), evidence_write(c, witness, NEW)};
    if (!x[OLD] && !x[NEW])
        return false;
    if (x[OLD] && x[NEW] && same_words(c, view_side(w, w->o, x[OLD]->value), view_side(w, w->n, x[NEW]->value)))
        return false;
    if (!x[OLD] || !x[NEW])
        f->question = VERIFY_Q2;
    for (int s = 0; s < 2; s++) {
        f->value[s] = TERM_NONE;
        f->site[s] = x[s] ? x[s]->site : 0;
        if (!x[s])
            continue;
        const struct end *e = s ? w->n : w->o;
        struct buf text = BUF_INIT;
        words_place(&text, c->words[OLD], view_side(w, e, x[s]->address), term_width(c->t, x[s]->value) / 8);
        f->what = arena_strdup(c->arena, buf_text(&text));
        buf_free(&text);
        f->value[s] = view_side(w, e, x[s]->value);
    }
    return true;
}

/* Two memories that one callee left: whether it was given different arguments, and whether it saw different memory; then
 * *a and *b are what it saw. */
static bool calls_differ(const struct terms *t, term *a, term *b, bool *arguments, bool *memory)
{
    term x = root_of(t, *a), y = root_of(t, *b);
    *arguments = *memory = false;
    if (x == y || term_kind(t, x) != TERM_APPLY || term_kind(t, y) != TERM_APPLY ||
        strcmp(term_name(t, x), term_name(t, y)) != 0 || term_nkids(t, x) != term_nkids(t, y))
        return false;
    for (unsigned i = 0; i < term_nkids(t, x); i++) {
        term k = term_kid(t, x, i), l = term_kid(t, y, i);
        if (k == l)
            continue;
        *arguments = *arguments || !term_is_array(t, k);
        if (term_is_array(t, k)) {
            *memory = true;
            *a = k;
            *b = l;
        }
    }
    return *arguments || *memory;
}

/* A difference in memory is one about a place that was written, or about what a callee leaves in memory: says which. It can
 * be accepted when that tells it from all others. */
static void name_memory(struct view *w, struct failure *f, term a, term b)
{
    enum { DEEP = 6 };
    struct check *c = w->c;
    bool arguments, memory;
    f->whole = true;
    if (!f->model)
        return;
    if (name_write(w, f, f)) {
        f->whole = false;
        return;
    }
    term x = a, y = b;
    for (int i = 0; i < DEEP; i++) {
        term left[2] = {root_of(c->t, x), root_of(c->t, y)};
        if (!calls_differ(c->t, &x, &y, &arguments, &memory))
            return;
        if (arguments) {
            const char *name = term_name(c->t, left[OLD]), *colon = strchr(name, ':');
            f->what = arena_printf(c->arena, "what %s leaves in memory", colon ? colon + 1 : name);
            f->value[OLD] = left[OLD];
            f->value[NEW] = left[NEW];
            f->whole = i > 0 || memory || w->granted.n == 8;
            return;
        }
        struct failure inner = {.path = {f->path[OLD], f->path[NEW]}};
        if (same_memory(w, TERM_NONE, x, y, &inner.model, &inner.place) == NO && name_write(w, f, &inner)) {
            term_model_free(inner.model);
            return;
        }
        term_model_free(inner.model);
    }
}

/* From now on that difference is none. */
static void grant_memory(struct view *w, const struct failure *f, term a, term b)
{
    struct check *c = w->c;
    const struct exec_write *both[2] = {evidence_write(c, f, OLD), evidence_write(c, f, NEW)};
    bool written = both[OLD] || both[NEW];
    if (written && w->granted.n < 8) {
        /* Both write there, or only one of them does. */
        int s = both[NEW] ? NEW : OLD;
        term at = view_side(w, s ? w->n : w->o, both[s]->address), other = f->value[!s];
        bool fits = other == TERM_NONE || (view_side(w, w->o, both[OLD]->address) == at &&
                                           term_width(c->t, other) == term_width(c->t, f->value[s]));
        term memory = s ? b : a;
        if (fits && write_instead(c->t, memory, at, f->value[s], other) != memory) {
            w->granted.old[w->granted.n] = s == OLD;
            w->granted.at[w->granted.n] = at;
            w->granted.from[w->granted.n] = f->value[s];
            w->granted.to[w->granted.n++] = other;
            return;
        }
    }
    for (int s = 0; s < 2; s++) {
        const struct exec_write *x = both[s];
        if (!x)
            continue;
        term address = view_side(w, s ? w->n : w->o, x->address);
        term off = term_bin(c->t, OP_SUB, f->place, address);
        term out = term_bin(c->t, OP_ULE, term_const(c->t, c->width, term_width(c->t, x->value) / 8), off);
        w->granted.where = w->granted.where == TERM_NONE ? out : term_and(c->t, w->granted.where, out);
    }
    if (!written) {
        w->granted.old[w->granted.n] = false;
        w->granted.at[w->granted.n] = TERM_NONE;
        w->granted.from[w->granted.n] = root_of(c->t, b);
        w->granted.to[w->granted.n++] = root_of(c->t, a);
    }
}

enum { GRANTS_MAX = 64 };

static void too_many_grants(struct view *w)
{
    struct failure f = failure_of(w, VERIFY_P2, UNDECIDED, NULL);
    f.whole = true;
    f.what = "memory";
    f.why = "too many accepted differences in one place";
    fail(w->c, f);
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
    return a == b || same(w, TERM_NONE, a, b, NULL) == YES;
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
    }
    map_clear(&w->seen);
}

static term guard_of(struct check *c, const struct call *k)
{
    return k->guard == TERM_NONE ? term_true(c->t) : k->guard;
}

/* The call of the other side that this one should have been, or became. */
static struct call *partner(struct view *w, const struct call *k, calls *theirs, bool new)
{
    struct check *c = w->c;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < theirs->len; i++) {
            struct call *l = &theirs->data[i];
            if (l->matched || !counts(c, l->e))
                continue;
            bool name = same_name(k->e, l->e);
            /* the same function, then any other at the same time, then the same function at another time */
            if (name == (pass != 1) && (pass == 2 || (new ? same_guard(w, l, k) : same_guard(w, k, l))))
                return l;
        }
    return NULL;
}

/* What is different about two calls: what same_call says, and which argument it is. */
static int explain_call(struct view *w, const struct call *o, const struct call *n, struct failure *f, unsigned *argument)
{
    struct check *c = w->c;
    const char *name = o->e->name ? o->e->name : "a function pointer";
    struct term_model *model = NULL;
    unsigned which = 0;
    term at = TERM_NONE;
    f->question = VERIFY_Q5;
    int kind = same_call(w, o, n, &which, &model, &at);
    *argument = which;
    switch (kind) {
    case OTHER_ARGUMENT:
        differ(c, f, which < o->e->nargs ? view_side(w, w->o, o->e->arg[which]) : TERM_NONE,
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
        differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, 8),
               term_read(c->t, view_side(w, w->n, n->e->mem_before), at, 8));
        f->whole = true;
        break;
    case OTHER_LOCAL:
        f->whole = true;
        f->what = arena_printf(c->arena, "a local that %s can reach", name);
        differ(c, f, term_read(c->t, view_side(w, w->o, o->e->mem_before), at, which * 8),
               term_read(c->t, view_side(w, w->n, n->e->mem_before), at, which * 8));
        break;
    case OTHER_CALL:
        f->what = o->e->name ? "the order of calls" : "where a call through a pointer goes";
        f->question = VERIFY_Q3;
        break;
    default:
        f->refuted = false;
        f->what = arena_printf(c->arena, "the call of %s", name);
        f->why = arena_printf(c->arena, "could not decide whether two calls of %s are the same", name);
    }
    if (model) {
        term_model_free(f->model);
        f->model = model;
    }
    if (kind == OTHER_MEMORY)
        name_memory(w, f, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
    return kind;
}

/* Two calls that are taken for one another, and all in which they differ. `f` is what is known of them already. */
static void compare_call(struct view *w, const struct call *o, const struct call *n, struct failure f)
{
    bool unknown = o->e->kind == EVENT_UNKNOWN || n->e->kind == EVENT_UNKNOWN, more = true;
    grant_nothing(w);
    for (unsigned round = 0; more; round++) {
        struct failure g = f;
        unsigned which;
        f.model = NULL; /* g has it */
        int kind = round == GRANTS_MAX ? OTHER_CALL : explain_call(w, o, n, &g, &which);
        if (round && kind == SAME_CALL) {
            term_model_free(g.model);
            break;
        }
        if (round == GRANTS_MAX) {
            too_many_grants(w);
            break;
        }
        if (unknown) {
            g.refuted = false;
            g.why = "an instruction that is not understood";
        }
        more = fail(w->c, g);
        if (more && kind == OTHER_ARGUMENT && which < 64 && which < o->e->nargs && which < n->e->nargs)
            w->granted.arguments |= UINT64_C(1) << which;
        else if (more && kind == OTHER_MEMORY)
            grant_memory(w, &g, view_side(w, w->o, o->e->mem_before), view_side(w, w->n, n->e->mem_before));
        else
            more = false;
    }
    grant_nothing(w);
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
        if (!p || object_stub_at(c->side[s].o, g->call[i].target))
            return true;
        const struct flow_function *f = program_function_at(c->side[s].p, g->call[i].target);
        return p->old != MATCH_NONE && p->new != MATCH_NONE ? p->sure >= sure : f && f->named;
    }
    return true;
}

/* A call that found no equal. It becomes a failure, and from then on it is as if it had been accepted, so that what
 * only follows from it is not reported again. */
static bool fail_call(struct check *c, struct failure f, const struct call *k, const struct call *other)
{
    if (k->e->kind == EVENT_UNKNOWN || (other && other->e->kind == EVENT_UNKNOWN)) {
        f.refuted = false;
        f.why = "an instruction that is not understood";
    }
    return fail(c, f);
}

static void unmatched(struct view *w, struct call *k, calls *theirs, bool new)
{
    struct check *c = w->c;
    k->matched = true;
    term q[] = {w->v, guard_of(c, k), TERM_NONE};
    enum answer r = possible(c, q, 2, NULL);
    if (r == NO)
        return;
    struct call *other = partner(w, k, theirs, new);
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
    f.what = arena_printf(c->arena, "calls of %s", k->e->name ? k->e->name : "a function pointer");
    f.when = term_and(c->t, w->v, term_and(c->t, q[1], q[2]));
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
        unite(w, o->e, n->e);
        map_clear(&w->seen);
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
            unsigned which;
            term at;
            if (l->matched || !same_name(k->e, l->e))
                continue;
            /* what earlier calls made may be known by now */
            if (l->e->guard != TERM_NONE)
                l->guard = view_side(w, w->n, l->e->guard);
            if (l->guard != TERM_NONE && term_is_true(c->t, l->guard))
                l->guard = TERM_NONE;
            if (!same_guard(w, k, l) || same_call(w, k, l, &which, NULL, &at) != SAME_CALL)
                continue;
            k->matched = l->matched = true;
            unite(w, k->e, l->e);
        }
    }
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
        match_calls(w, &o, &n);
        struct call *k = first_unmatched(c, &o), *l = first_unmatched(c, &n);
        if (k)
            unmatched(w, k, &n, false);
        else if (l)
            unmatched(w, l, &o, true);
        else
            break;
    }
    vec_free(&o);
    vec_free(&n);
}

/* ---- exits ---- */

static const char *register_name(const struct check *c, unsigned offset)
{
    const char *name = machine_register_name(program_machine(c->side[OLD].p), offset, c->width);
    return name ? name : "a register";
}

/* What the calling convention wants back as it was. */
static void compare_kept(struct view *w)
{
    struct check *c = w->c;
    const struct ir_machine *m = program_machine(c->side[OLD].p);
    if (w->o->path->end != PATH_RETURN || w->n->path->end != PATH_RETURN)
        return;
    for (unsigned i = 0; i <= m->nsaved; i++) {
        unsigned off = i < m->nsaved ? m->saved[i] : m->sp;
        term a = exec_path_register(w->o->s->x, w->o->path, off, c->width);
        term b = exec_path_register(w->n->s->x, w->n->path, off, c->width);
        if (a == b && a == (i < m->nsaved ? explorer_entry(w->o->s->x, off, c->width) : a))
            continue;
        struct term_model *model = NULL;
        a = view_side(w, w->o, a);
        b = view_side(w, w->n, b);
        enum answer r = same(w, TERM_NONE, a, b, &model);
        if (r == YES)
            continue;
        struct failure f = failure_of(w, VERIFY_P2, r == NO ? YES : UNDECIDED, model);
        f.question = VERIFY_Q1;
        differ(c, &f, a, b);
        f.what = arena_printf(c->arena, "%s, which a caller expects back as it was", register_name(c, off));
        fail(c, f);
    }
}

static bool surely_returns(const struct side *s)
{
    return object_debug_function(s->o, s->f->address) || s->proto.returns;
}

/* A register that the function did not set. */
static bool is_left(struct check *c, int side, term x, unsigned which)
{
    const struct ir_machine *m = program_machine(c->side[OLD].p);
    unsigned reg = which == 0 ? m->ret2 : which == 1 ? m->fret : m->farg[1];
    return x == TERM_NONE || is_junk(c, x) || is_untouched(c, side, x, reg);
}

static bool both_return_in(struct check *c, unsigned which)
{
    const struct ir_machine *m = program_machine(c->side[OLD].p);
    unsigned reg = which == 0 ? m->ret2 : which == 1 ? m->fret : m->farg[1];
    return arity_result(&c->side[OLD], reg, 32) && arity_result(&c->side[NEW], reg, 32);
}

/* Rounding modes and the direction of string instructions are left as the other version leaves them. */
static void compare_modes(struct view *w)
{
    static const char *const name[] = {"<dflag>", "<sse_round>", "<x87_round>", "fpcr", "fpscr"};
    struct check *c = w->c;
    const struct ir_machine *m = program_machine(c->side[OLD].p);
    if (w->o->path->end != PATH_RETURN || w->n->path->end != PATH_RETURN)
        return;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        uint16_t at, width;
        if (!machine_register_find(m, name[i], &at, &width) || width > 64)
            continue;
        width = (uint16_t)((width + 7) / 8 * 8);
        term a = view_side(w, w->o, exec_path_register(w->o->s->x, w->o->path, at, width));
        term b = view_side(w, w->n, exec_path_register(w->n->s->x, w->n->path, at, width));
        if (same(w, TERM_NONE, a, b, NULL) == YES)
            continue;
        struct failure f = failure_of(w, VERIFY_P2, UNDECIDED, NULL);
        f.what = "a mode of the processor";
        f.why = "a mode of the processor is left differently";
        fail(c, f);
    }
}

static void compare_valid(struct view *w)
{
    struct check *c = w->c;
    size_t before = c->failed.len;
    view_calls(w);
    bool calls_fail = c->failed.len > before;
    struct term_model *model = NULL;
    term at = TERM_NONE, a = view_see(w, w->o->mem), b = view_see(w, w->n->mem);
    enum answer r;
    grant_nothing(w);
    for (unsigned round = 0; (r = same_memory(w, TERM_NONE, a, b, &model, &at)) != YES; round++) {
        struct failure f = failure_of(w, VERIFY_P2, r == NO ? YES : UNDECIDED, model);
        f.question = VERIFY_Q1;
        f.place = at;
        differ(c, &f, term_read(c->t, a, at, 8), term_read(c->t, b, at, 8));
        f.what = "memory";
        name_memory(w, &f, a, b);
        if (!fail(c, f))
            break;
        grant_memory(w, &f, a, b);
        if (round == GRANTS_MAX) {
            too_many_grants(w);
            break;
        }
        model = NULL;
    }
    grant_nothing(w);
    compare_kept(w);
    compare_modes(w);
    a = view_see(w, w->o->world);
    b = view_see(w, w->n->world);
    if (!calls_fail && a != b) {
        model = NULL;
        r = same(w, TERM_NONE, a, b, &model);
        if (r != YES) {
            struct failure f = failure_of(w, VERIFY_P4, r == NO ? YES : UNDECIDED, model);
            f.question = VERIFY_Q4;
            f.what = "the order of calls";
            fail(c, f);
        }
    }
    model = NULL;
    if (w->o->result != TERM_NONE && w->n->result != TERM_NONE) {
        a = view_see(w, w->o->result);
        b = view_see(w, w->n->result);
        r = same(w, TERM_NONE, a, b, &model);
        if (r != YES) {
            struct failure f = failure_of(w, VERIFY_P3, r == NO ? YES : UNDECIDED, model);
            differ(c, &f, a, b);
            f.what = "the return value";
            if (!surely_returns(&c->side[OLD]) && !surely_returns(&c->side[NEW])) {
                f.refuted = false;
                f.why = "nothing says whether it returns a value, and what is in the register differs";
            }
            fail(c, f);
        }
    }
    static const char *const what[] = {"the second half of the return value", "the floating-point return value",
                                       "the second floating-point return value", "what is on the x87 stack"};
    for (unsigned i = 0; i < sizeof what / sizeof *what; i++) {
        a = w->o->more[i];
        b = w->n->more[i];
        if (a == b || (i < 3 && is_left(c, OLD, a, i) && is_left(c, NEW, b, i)))
            continue;
        model = NULL;
        a = view_see(w, a);
        b = view_see(w, b);
        r = a == TERM_NONE || b == TERM_NONE ? UNDECIDED : same(w, TERM_NONE, a, b, &model);
        if (r == YES)
            continue;
        struct failure f = failure_of(w, VERIFY_P3, r == NO ? YES : UNDECIDED, model);
        differ(c, &f, a, b);
        f.what = what[i];
        f.why = "a register that may be part of the result differs";
        /* Both versions must mean it for a result. */
        f.refuted = f.refuted && (i == 3 || both_return_in(c, i));
        fail(c, f);
    }
}

/* Takes calls that are made in the same order for the same, whatever they are given. True when there are any. */
static bool unite_by_name(struct view *w)
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
    map_clear(&w->seen);
    return any;
}

/* Keeps of what is known only what calls made. */
static void view_open(struct view *w)
{
    struct map kept = {0};
    uint64_t key, value;
    for (size_t i = 0; (i = map_next(&w->known, i, &key, &value));)
        if (term_kind(w->c->t, (term)key) == TERM_APPLY && term_kind(w->c->t, (term)value) == TERM_APPLY)
            map_set(&kept, key, value);
    map_free(&w->known);
    w->known = kept;
    map_clear(&w->seen);
}

/* Calls that are the same return the same, and then it cannot be. */
static bool settled(struct view *w, term all)
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

static bool follows(struct view *w, term all)
{
    term seen = view_see(w, all);
    return possible(w->c, &seen, 1, NULL) == NO;
}

static const char *end_problem(const struct end *e)
{
    return e->path->end == PATH_LOOP_BOUND ? "a loop was not followed to its end"
                                           : path_end_name((enum path_end)e->path->end);
}

static void compare_pair(struct check *c, const struct end *o, const struct end *n)
{
    struct terms *t = c->t;
    if (term_is_true(t, n->error) && !n->bad)
        return;
    term both = term_and(t, o->cond, n->cond), ok = term_not(t, n->error);
    term q[] = {both, ok, TERM_NONE};
    if (term_is_false(t, both) || possible(c, q, 2, NULL) == NO)
        return;
    struct view w;
    if (o->bad || n->bad) {
        const struct end *e = n->bad ? n : o;
        struct failure f = {.property = 15, .path = {o->path, n->path}, .when = both};
        f.why = arena_printf(c->arena, "%s in the %s version, at %#llx", end_problem(e), n->bad ? "new" : "old",
                             (unsigned long long)e->path->end_address);
        fail(c, f);
        return;
    }
    /* P1: rejected before, accepted now. */
    struct term_model *model = NULL;
    q[2] = o->error;
    enum answer r = possible(c, q, 3, &model);
    if (r != NO) {
        term all = term_and(t, o->error, term_and(t, both, ok));
        view_start(&w, c, o, n, all);
        bool real = !settled(&w, all);
        view_end(&w);
        if (!real) {
            term_model_free(model);
            r = NO;
        }
    }
    if (r != NO) {
        term all = term_and(t, o->error, term_and(t, both, ok));
        view_start(&w, c, o, n, term_true(t));
        struct failure f = failure_of(&w, VERIFY_P1, r, model);
        f.when = all;
        f.what = "inputs that are accepted";
        f.site[OLD] = o->path->end_address;
        f.site[NEW] = n->path->end_address;
        /* If it could not be with calls that return the same, it only follows from calls that differ, and those are
         * the finding. */
        if (unite_by_name(&w) && follows(&w, all))
            vec_push(&c->consequence, f);
        else
            fail(c, f);
        view_end(&w);
    }
    if (term_is_true(t, o->error))
        return;
    term v = term_and(t, term_and(t, both, ok), term_not(t, o->error));
    if (possible(c, &v, 1, NULL) == NO)
        return;
    view_start(&w, c, o, n, v);
    compare_valid(&w);
    view_end(&w);
}

void compare_exits(struct check *c, const ends *old, const ends *new)
{
    size_t before = c->failed.len + c->accepted.len;
    for (size_t i = 0; i < new->len; i++)
        for (size_t k = 0; k < old->len; k++)
            if (new->data[i].path->end != PATH_CUT && old->data[k].path->end != PATH_CUT)
                compare_pair(c, &old->data[k], &new->data[i]);
    /* What was to follow from calls that differ is a finding of its own if none did. */
    for (size_t i = 0; i < c->consequence.len; i++) {
        if (c->failed.len + c->accepted.len == before)
            fail(c, c->consequence.data[i]);
        else
            term_model_free(c->consequence.data[i].model);
    }
    vec_clear(&c->consequence);
}

/* As far as that is known: only code that was understood to return nothing does not. */
static bool gives_result(const struct side *s)
{
    return object_debug_function(s->o, s->f->address) || s->proto.returns || s->proto.returns_unknown ||
           s->proto.source != PROTO_CODE;
}

/* Registers that may hold a part of what is returned. */
static void more_results(struct check *c, struct side *s, const struct exec_path *p, struct end *e)
{
    const struct ir_machine *m = program_machine(s->p);
    unsigned wide = m->arch == MACHINE_ARM ? 64 : 128;
    const struct {
        uint16_t at;
        unsigned width;
    } reg[] = {{m->ret2, c->width},
               {m->fret, wide},
               {m->nfargs > 1 ? m->farg[1] : UINT16_MAX, wide}};
    for (unsigned i = 0; i < 3; i++)
        /* The first register for floats is rarely used for anything else; the others must be seen to be meant. */
        if (reg[i].at != UINT16_MAX &&
            (i == 1 || arity_result(&c->side[OLD], reg[i].at, 32) || arity_result(&c->side[NEW], reg[i].at, 32)))
            e->more[i] = norm(c, s, exec_path_register(s->x, p, reg[i].at, reg[i].width));
    uint16_t top_at, regs, width;
    uint64_t top;
    if (!machine_register_find(m, "<x87_top>", &top_at, &width) || !machine_register_find(m, "mm0", &regs, &width))
        return;
    term t = exec_path_register(s->x, p, top_at, 32);
    /* Something is on the x87 stack, which was empty at entry. */
    if (!term_const_u64(c->t, t, &top))
        e->more[3] = norm(c, s, t);
    else if (top & 7)
        e->more[3] = norm(c, s, exec_path_register(s->x, p, regs + (unsigned)(top & 7) * 8, 64));
}

struct end end_of(struct check *c, struct side *s, const struct exec_path *p)
{
    struct end e = {.path = p, .s = s, .cond = norm(c, s, p->condition)};
    e.mem = norm(c, s, p->memory);
    e.error = term_false(c->t);
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
    e.world = norm(c, s, p->world);
    const struct object_function_debug *d = object_debug_function(s->o, s->f->address);
    if (e.returns) {
        e.result = norm(c, s, p->result);
        if (!gives_result(&c->side[OLD]) && !gives_result(&c->side[NEW]))
            e.result = TERM_NONE;
        bool simple = d && (!d->result || d->result->kind == TYPE_VOID || d->result->kind == TYPE_INT ||
                            d->result->kind == TYPE_BOOL || d->result->kind == TYPE_ENUM ||
                            d->result->kind == TYPE_POINTER);
        if (p->end == PATH_RETURN && !(simple && (!d->result || d->result->size * 8 <= c->width)))
            more_results(c, s, p, &e);
    }
    if (p->end != PATH_CUT)
        exits_class(c, &e);
    return e;
}
