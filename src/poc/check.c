/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To which variable an access belongs is told in two ways. An address that the code adds up from a known
 * address in a variable and something else belongs to that variable. An instruction that goes through memory
 * in small steps belongs where it was before. Variables are symbols of the program and, of the function that
 * is explored, what debug information says of its frame. */
#include "poc/check.h"

#include <string.h>

#include "poc/bounds.h"

/* ---- variables ---- */

static bool view_get(void *ctx, unsigned number, uint64_t *out)
{
    (void)ctx, (void)number, (void)out;
    return false; /* what registers hold in the middle of the function is not known here */
}

static bool view_load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    (void)ctx, (void)address, (void)bytes, (void)out;
    return false;
}

static bool is_flat(const struct object_type_info *t)
{
    while (t && t->kind == TYPE_ARRAY)
        t = t->target;
    return t && (t->kind == TYPE_INT || t->kind == TYPE_BOOL || t->kind == TYPE_FLOAT);
}

void check_find_locals(struct poc_side *side)
{
    enum { VARIABLES = 128, STEP = 8, PLACES = 512 };
    const struct object *o = program_object(side->p);
    const struct ir_machine *m = side->s->m;
    struct object_variable v[VARIABLES];
    uint64_t sp = 0;
    vec_clear(&side->local);
    memcpy(&sp, side->s->registers + m->sp, m->pointer_width / 8);
    struct object_view view = {.cfa = sp + m->call_pushes,
                               .pointer_bytes = m->pointer_width / 8,
                               .get = view_get,
                               .load = view_load};
    struct map seen = {0};
    for (uint64_t k = 0; k < side->f->size && k / STEP < PLACES; k += STEP) {
        size_t n = object_debug_variables(o, side->f->address + k, v, VARIABLES);
        for (size_t i = 0; i < n && i < VARIABLES; i++) {
            if (!v[i].type || v[i].type->size < 2)
                continue;
            struct object_place p = object_debug_place(o, &v[i], side->f->address + k, &view);
            if (p.kind == PLACE_MEMORY && map_set(&seen, p.value, 1))
                vec_push(&side->local, (struct poc_local){p.value, v[i].type->size, is_flat(v[i].type)});
        }
    }
    map_free(&seen);
}

/* The array that is a member of a structure and has that offset of a value of the type, the innermost; one of
 * a single element may stand for any number of them. */
static bool member_array(const struct object_type_info *t, uint64_t offset, struct poc_local *out)
{
    uint64_t low = 0;
    bool found = false;
    while (t) {
        const struct object_type_info *in = NULL;
        uint64_t from = 0;
        if (t->kind == TYPE_ARRAY && t->target && t->target->size) {
            in = t->target;
            from = offset / in->size * in->size;
        }
        for (size_t i = 0; t->kind == TYPE_STRUCT && i < t->nfields && !in; i++) {
            const struct object_field *f = &t->field[i];
            if (!f->type || f->bit_size || offset - f->offset >= f->type->size)
                continue;
            in = f->type;
            from = f->offset;
            if (in->kind == TYPE_ARRAY && in->count > 1) {
                *out = (struct poc_local){.low = low + from, .size = in->size};
                found = true;
            }
        }
        low += from;
        offset -= from;
        t = in;
    }
    return found;
}

/* ... of an object that the call is given, by its address. */
static bool member_at(const struct poc_side *side, uint64_t a, struct poc_local *out)
{
    const struct poc_object *o = side->members ? poc_object_at(side->a, a) : NULL;
    if (!o || !o->type || !o->type->size)
        return false;
    const uint64_t offset = a - o->base, first = offset / o->type->size * o->type->size;
    if (!member_array(o->type, offset - first, out))
        return false;
    out->low += o->base + first;
    return true;
}

static bool variable_at(const struct poc_side *side, uint64_t a, struct poc_local *out)
{
    if (member_at(side, a, out))
        return true;
    for (size_t i = 0; i < side->local.len; i++)
        if (a - side->local.data[i].low < side->local.data[i].size) {
            *out = side->local.data[i];
            return true;
        }
    uint64_t offset;
    const struct object_symbol *sym = object_symbol_at(program_object(side->p), a - side->s->base, &offset);
    if (!sym || sym->type != SYMBOL_OBJECT || !sym->size || offset >= sym->size || sym->undefined)
        return false;
    *out = (struct poc_local){a - offset, sym->size, false};
    return true;
}

/* ---- accesses ---- */

static term outside(const struct poc_side *side, const struct poc_local *v, term address, unsigned bytes)
{
    struct terms *t = side->t;
    const unsigned width = side->s->m->pointer_width;
    return term_or(t, term_not(t, bounds_in_range(t, width, address, v->low, v->size, bytes)),
                   bounds_wraps(side, address));
}

/* An address one element before the end of a variable may be that of the next one less an element: compilers
 * count from one, and put the rest into the address. */
static bool variable_behind(const struct poc_side *side, uint64_t a, const struct poc_local *v,
                            unsigned bytes, struct poc_local *out)
{
    return a != v->low && variable_at(side, a + bytes, out) && out->low == a + bytes;
}

bool check_leaves_sum(struct poc_side *side, const struct exec_moment *at, term address, unsigned bytes,
                      term *when)
{
    struct terms *t = side->t;
    term part[3] = {TERM_NONE, TERM_NONE, term_const(t, side->s->m->pointer_width, 0)};
    const uint64_t widest = UINT64_MAX >> (64 - side->s->m->pointer_width);
    uint64_t offset, base;
    if (!moment_sum(at, &part[0], &part[1], &offset))
        return false;
    bool pair = part[0] != TERM_NONE;
    for (unsigned i = 0; i < 3; i++) {
        struct poc_local v, other;
        /* of a value and a constant the constant is the variable's address: the other way round it is a
         * pointer */
        if (part[i] == TERM_NONE || (i == 1 && !pair) || !term_const_u64(t, part[i], &base))
            continue;
        const uint64_t at_first = (base + offset) & widest;
        if (!variable_at(side, at_first, &v))
            continue;
        *when = outside(side, &v, address, bytes);
        /* a constant that was taken off the index */
        if (offset && variable_at(side, base, &other))
            *when = term_and(t, *when, outside(side, &other, address, bytes));
        if (variable_behind(side, at_first, &v, bytes, &other)) {
            *when = term_and(t, *when, outside(side, &other, address, bytes));
            v = other;
        }
        side->left = v;
        return true;
    }
    return false;
}

/* Remembers what the instruction accesses; true when it comes out of a variable by a small step. */
static bool leaves_walk(struct poc_side *side, const struct exec_moment *at, uint64_t a, unsigned bytes)
{
    enum { SMALL = 16, CELLS = 400 };
    struct terms *t = side->t;
    unsigned width = side->s->m->pointer_width;
    uint64_t last;
    struct poc_local v;
    term cell = term_const(t, width, POC_LAST + (moment_site(at) * 40503 >> 2) % CELLS * 8);
    bool known = term_const_u64(t, moment_load(at, cell, width), &last);
    moment_store((struct exec_moment *)at, cell, term_const(t, width, a));
    if (!known || last < POC_REAL || (a - last > SMALL && last - a > SMALL) || a == last)
        return false;
    if (!variable_at(side, last, &v) || (a >= v.low && a + bytes <= v.low + v.size))
        return false;
    side->left = v;
    return true;
}

bool check_leaves(struct poc_side *side, const struct exec_moment *at, term address, unsigned bytes, term *when)
{
    uint64_t a;
    /* what stays in a member may be freed */
    if (check_leaves_sum(side, at, address, bytes, when))
        return !side->members || !term_is_false(side->t, *when);
    *when = term_true(side->t);
    return moment_file(at) == 0 && term_const_u64(side->t, address, &a) && leaves_walk(side, at, a, bytes);
}

void check_mark(struct poc_side *side, struct exec_moment *at, uint64_t where, term when)
{
    struct terms *t = side->t;
    const term ghost = term_const(t, side->s->m->pointer_width, where);
    term was = moment_load(at, ghost, 8);
    if (term_is_false(t, when) || (term_is_const(t, was) && !term_is_false(t, term_extract(t, was, 0, 1))))
        return;
    if (origin_is(t, term_array_root(t, moment_memory(at)), ORIGIN_MEMORY) && !term_is_const(t, was) &&
        was == term_read(t, explorer_symbols(side->x).mem, ghost, 8))
        was = term_const(t, 8, 0);
    moment_store(at, ghost, term_ite(t, when, term_const(t, 8, 1), was));
}

/* ---- a call that is all known ---- */

/* How the class ends that the state itself is in. Where the end of what may have overflowed does not count, it is in
 * none, and may have. */
static struct poc_crash crash_of_state(struct poc_side *side)
{
    struct terms *t = side->t;
    const struct poc_abstract *a = side->a;
    struct poc_crash crash = {0};
    struct term_model *m = term_model_new();
    term memory = explorer_symbols(side->x).mem;
    for (unsigned i = 0; i < a->narguments; i++)
        term_model_set(m, poc_argument_symbol(t, side->s->m->pointer_width, i),
                       bits_u64(a->argument[i].value, side->s->m->pointer_width));
    for (size_t i = 0; i < a->npages; i++)
        for (size_t k = 0; a->open[i] && k < a->page[i].size; k++)
            if (a->open[i][k])
                term_model_set_cell(m, memory, a->page[i].address + k, bits_u64(a->page[i].byte[k], 8));
    bool found = false;
    for (size_t i = 0; i < side->class.len && !found; i++) {
        struct bits holds;
        found = term_eval(t, m, side->class.data[i].path->condition, &holds) && bits_low(holds);
        if (found)
            crash = side->class.data[i].crash;
    }
    if (!found && side->signed_strict)
        crash.kind = POC_SIGNED;
    term_model_free(m);
    return crash;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Where all is known, nothing tells signed numbers from others: so what is signed is open once more, and the class is
 * looked for that the state belongs to. */
static struct poc_crash check_signed(struct poc_side *side)
{
    enum { ROUNDS = 8 };
    struct error err = {0};
    VEC(uint64_t) read = VEC_INIT;
    for (size_t i = 0; i < side->read.len; i++)
        vec_push(&read, side->read.data[i]);
    vec_sort(&read, by_number);
    side->a->concrete = false;
    side->signed_checked = true;
    poc_abstract_globals(side->a, side->p, read.data, read.len);
    vec_free(&read);
    bool ok = poc_explore(side, &err);
    for (unsigned i = 0; ok && i < ROUNDS && poc_abstract_close(side->a, side); i++)
        ok = poc_explore(side, &err);
    return ok ? crash_of_state(side) : (struct poc_crash){0};
}

struct poc_crash poc_check_call(const struct poc_side *like, struct snapshot *s)
{
    struct poc_abstract a;
    struct poc_crash crash = {0};
    struct error err = {0};
    const struct object_symbol *pool =
        like->guard ? object_symbol_by_name(program_object(like->guard), "guard_pool") : NULL;
    poc_abstract_make(&a, like->p, like->f, s);
    a.concrete = true;
    poc_abstract_globals(&a, like->p, NULL, 0);
    struct poc_side side = {.p = like->p,
                            .answers = like->answers,
                            .guard = s->guarded ? like->guard : NULL,
                            .f = like->f,
                            .s = s,
                            .a = &a,
                            .guard_base = pool && s->guarded ? s->pool_at - pool->address : 0,
                            .t = like->t,
                            .opt = like->opt,
                            .solver = like->solver,
                            .signed_strict = like->signed_strict,
                            .members = like->members,
                            .checked = true};
    if (poc_explore(&side, &err) && side.class.len)
        crash = side.class.data[0].crash;
    if (crash.kind == POC_OVERFLOW && !crash.size) {
        crash.base = side.left.low;
        crash.size = side.left.size;
        crash.flat = side.left.flat;
    }
    if (!crash.kind && like->signed_checked)
        crash = check_signed(&side);
    poc_side_free(&side);
    poc_abstract_free(&a);
    return crash;
}

struct poc_crash poc_check_run(const struct poc_side *like, const struct run_target *t, uint64_t *call)
{
    enum { CALLS = 16 };
    struct poc_crash crash = {0};
    struct error err;
    struct process *p = watch_call(t, like->f->address, 1, &err);
    bool there = p != NULL;
    for (*call = 0; there && *call < CALLS && !crash.kind; there = watch_again(p, like->f->address)) {
        struct snapshot s;
        ++*call;
        if (snapshot_take(p, t, like->s, &s, &err)) {
            crash = poc_check_call(like, &s);
            snapshot_free(&s);
        }
    }
    process_end(p);
    return crash;
}
