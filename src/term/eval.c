/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models, and the value of a term under one. */
#include <stdlib.h>
#include <string.h>

#include "term/internal.h"

struct model_array {
    struct bits cell; /* default */
    struct map at;    /* index to a position in term_model.store */
};

struct model_entry {
    size_t arg; /* position of the arguments in term_model.store */
    unsigned nargs;
    bool typed; /* the last argument is the signature of the function meant; otherwise any of that name */
    struct bits value;
    size_t next; /* 1 + another entry with the same hash; 0: none */
};

struct model_function {
    struct bits value;  /* default */
    struct map by_hash; /* hash of the arguments to 1 + the first entry */
};

struct term_model {
    unsigned held;    /* by this many besides the first */
    bool keeps;       /* functions that it does not know return the array that they are given */
    struct map value; /* term to a position in store */
    struct map array; /* term to a position in arrays */
    struct strmap function;
    struct arena text;
    VEC(struct bits) store;
    VEC(struct model_array) arrays;
    VEC(struct model_function) functions;
    VEC(struct model_entry) entries;
};

struct term_model *term_model_new(void)
{
    return xcalloc(1, sizeof(struct term_model));
}

struct term_model *term_model_hold(struct term_model *m)
{
    m->held++;
    return m;
}

void term_model_free(struct term_model *m)
{
    if (!m || m->held--)
        return;
    for (size_t i = 0; i < m->arrays.len; i++)
        map_free(&m->arrays.data[i].at);
    for (size_t i = 0; i < m->functions.len; i++)
        map_free(&m->functions.data[i].by_hash);
    map_free(&m->value);
    map_free(&m->array);
    strmap_free(&m->function);
    arena_free(&m->text);
    vec_free(&m->store);
    vec_free(&m->arrays);
    vec_free(&m->functions);
    vec_free(&m->entries);
    free(m);
}

struct term_model *term_model_copy(const struct term_model *from)
{
    struct term_model *m = term_model_new();
    m->keeps = from->keeps;
    m->value = map_copy(&from->value);
    m->array = map_copy(&from->array);
    for (size_t i = 0; i < from->function.cap; i++)
        if (from->function.key[i])
            strmap_set(&m->function, arena_strdup(&m->text, from->function.key[i]), from->function.value[i]);
    for (size_t i = 0; i < from->store.len; i++)
        vec_push(&m->store, from->store.data[i]);
    for (size_t i = 0; i < from->arrays.len; i++)
        vec_push(&m->arrays,
                 ((struct model_array){from->arrays.data[i].cell, map_copy(&from->arrays.data[i].at)}));
    for (size_t i = 0; i < from->functions.len; i++)
        vec_push(&m->functions, ((struct model_function){from->functions.data[i].value,
                                                         map_copy(&from->functions.data[i].by_hash)}));
    for (size_t i = 0; i < from->entries.len; i++)
        vec_push(&m->entries, from->entries.data[i]);
    return m;
}

void term_model_keep_arrays(struct term_model *m)
{
    m->keeps = true;
}

static size_t store(struct term_model *m, struct bits v)
{
    vec_push(&m->store, v);
    return m->store.len - 1;
}

void term_model_set(struct term_model *m, term symbol, struct bits value)
{
    uint64_t at;
    if (map_get(&m->value, symbol, &at))
        m->store.data[at] = value;
    else
        map_set(&m->value, symbol, store(m, value));
}

static struct model_array *array_of(struct term_model *m, term array)
{
    uint64_t at;
    if (!map_get(&m->array, array, &at)) {
        at = m->arrays.len;
        struct model_array a = {0};
        vec_push(&m->arrays, a);
        map_set(&m->array, array, at);
    }
    return &m->arrays.data[at];
}

void term_model_set_default(struct term_model *m, term array, struct bits cell)
{
    array_of(m, array)->cell = cell;
}

void term_model_set_cell(struct term_model *m, term array, uint64_t index, struct bits cell)
{
    map_set(&array_of(m, array)->at, index, store(m, cell));
}

void term_model_set_array(struct term_model *m, term array, term as)
{
    uint64_t at;
    if (map_get(&m->array, as, &at))
        map_set(&m->array, array, at);
}

static struct model_function *function_of(struct term_model *m, const char *name)
{
    uint64_t at;
    if (!strmap_get(&m->function, name, &at)) {
        at = m->functions.len;
        struct model_function f = {0};
        vec_push(&m->functions, f);
        strmap_set(&m->function, arena_strdup(&m->text, name), at);
    }
    return &m->functions.data[at];
}

void term_model_set_function_default(struct term_model *m, const char *name, struct bits value)
{
    function_of(m, name)->value = value;
}

static struct model_entry *entry_find(const struct term_model *m, const struct model_function *f,
                                      const struct bits *arg, unsigned nargs, bool typed)
{
    size_t i = map_find(&f->by_hash, hash_bytes(arg, nargs * sizeof *arg), 0);
    for (; i; i = m->entries.data[i - 1].next) {
        struct model_entry *e = &m->entries.data[i - 1];
        if (e->nargs == nargs && e->typed == typed &&
            (!nargs || memcmp(&m->store.data[e->arg], arg, nargs * sizeof *arg) == 0))
            return e;
    }
    return NULL;
}

static void set_entry(struct term_model *m, const char *name, const struct bits *arg, unsigned nargs,
                      struct bits value, bool typed)
{
    struct model_function *f = function_of(m, name);
    struct model_entry *old = entry_find(m, f, arg, nargs, typed);
    if (old) {
        old->value = value;
        return;
    }
    uint64_t h = hash_bytes(arg, nargs * sizeof *arg);
    struct model_entry e = {.arg = m->store.len,
                            .nargs = nargs,
                            .typed = typed,
                            .value = value,
                            .next = map_find(&f->by_hash, h, 0)};
    for (unsigned i = 0; i < nargs; i++)
        store(m, arg[i]);
    vec_push(&m->entries, e);
    map_set(&f->by_hash, h, m->entries.len);
}

void term_model_set_function(struct term_model *m, const char *name, const struct bits *arg, unsigned nargs,
                             struct bits value)
{
    set_entry(m, name, arg, nargs, value, false);
}

/* The widths of result and operands as one value: functions of one name and different widths are different
 * functions, as they are for a solver. */
static struct bits signature_of(const struct terms *t, term x)
{
    struct bits s = bits_u64(width_of(t, x), 64);
    for (unsigned i = 0; i < nkids_of(t, x); i++) {
        uint64_t top = s.w[7];
        s = bits_add(bits_shl(s, 10), bits_u64(width_of(t, kid_of(t, x, i)), 64));
        if (top >> 54) /* more than 50 operands */
            s.w[0] ^= hash_u64(top >> 54);
    }
    return s;
}

void term_model_set_application(struct term_model *m, const struct terms *t, term x, const struct bits *arg,
                                struct bits value)
{
    unsigned n = nkids_of(t, x);
    struct bits *all = xcalloc(n + 1u, sizeof *all);
    if (n)
        memcpy(all, arg, n * sizeof *all);
    all[n] = signature_of(t, x);
    set_entry(m, term_name(t, x), all, n + 1, value, true);
    free(all);
}

/* ---- evaluating ---- */

/* Values found so far: terms.evaluated[x] is the number of this evaluation in its high half where x was, and
 * 1 + a position in `word` in its low half, or 0 when the model cannot say. Array terms are evaluated too,
 * without a value: that what they are made of has been is all a read needs. One evaluation ends before the
 * next begins. */
struct evaluation {
    struct terms *t;
    const struct term_model *m;
    uint64_t nodes;
    VEC(uint64_t) word;
};

static struct evaluation evaluation_begin(struct terms *t, const struct term_model *m)
{
    if (t->evaluated_cap < t->count) {
        t->evaluated_cap = t->count + t->count / 2;
        free(t->evaluated);
        t->evaluated = xcalloc(t->evaluated_cap, sizeof *t->evaluated);
        t->evaluation = 0;
    }
    if (t->evaluation == UINT32_MAX) {
        memset(t->evaluated, 0, t->evaluated_cap * sizeof *t->evaluated);
        t->evaluation = 0;
    }
    t->evaluation++;
    return (struct evaluation){.t = t, .m = m};
}

static void evaluation_end(struct evaluation *e)
{
    enum { WORK = 2 }; /* a node */
    e->t->work += WORK * e->nodes;
    vec_free(&e->word);
}

static bool is_evaluated(const struct evaluation *e, term x)
{
    return e->t->evaluated[x] >> 32 == e->t->evaluation;
}

static bool value_of(const struct evaluation *e, term x, struct bits *v)
{
    uint32_t at = is_evaluated(e, x) ? (uint32_t)e->t->evaluated[x] : 0;
    *v = (struct bits){{0}};
    if (!at)
        return false;
    memcpy(v->w, &e->word.data[at - 1], words_of(width_of(e->t, x)) * sizeof v->w[0]);
    return true;
}

/* The index is so far behind where something begins; false: farther than 64 bits can say. */
static bool distance(const struct bits *index, const struct bits *from, unsigned width, uint64_t *d)
{
    if (width <= 64) {
        *d = (index->w[0] - from->w[0]) & mask64(width);
        return true;
    }
    struct bits arg[2] = {*index, *from};
    unsigned widths[2] = {width, width};
    return bits_to_u64(bits_apply(OP_SUB, width, arg, widths, 0), d);
}

static struct bits part(struct bits v, unsigned width, unsigned lo, unsigned n)
{
    return bits_apply(OP_EXTRACT, n, &v, &width, lo);
}

/* What a function was given that returns an array, where the model says no more than that it keeps it. */
static term kept_array(const struct evaluation *e, term x)
{
    const struct terms *t = e->t;
    for (unsigned i = 0; e->m->keeps && kind_of(t, x) == TERM_APPLY && i < nkids_of(t, x); i++)
        if (term_is_array(t, kid_of(t, x, i)) && !map_get(&e->m->array, x, NULL) &&
            term_index_width(t, kid_of(t, x, i)) == term_index_width(t, x) &&
            term_cell_width(t, kid_of(t, x, i)) == term_cell_width(t, x))
            return kid_of(t, x, i);
    return TERM_NONE;
}

/* The cell of an array at a concrete index: down the writes and choices to what the model says. `bottom` receives
 * the array that the model says it of; it is TERM_NONE where the cell was written. */
static bool cell_below(const struct evaluation *e, term array, struct bits index, struct bits *cell, term *bottom)
{
    const struct terms *t = e->t;
    unsigned iw = term_index_width(t, array), cw = term_cell_width(t, array);
    *bottom = TERM_NONE;
    for (;; e->t->work++) {
        struct bits v;
        switch (kind_of(t, array)) {
        case TERM_WRITE: {
            if (!value_of(e, kid_of(t, array, 1), &v))
                return false;
            uint64_t k;
            unsigned n = width_of(t, kid_of(t, array, 2));
            if (distance(&index, &v, iw, &k) && k < n / cw) {
                if (!value_of(e, kid_of(t, array, 2), &v))
                    return false;
                *cell = part(v, n, (unsigned)k * cw, cw);
                return true;
            }
            array = kid_of(t, array, 0);
            break;
        }
        case TERM_AITE:
            if (!value_of(e, kid_of(t, array, 0), &v))
                return false;
            array = kid_of(t, array, bits_is_zero(v) ? 2 : 1);
            break;
        case TERM_ACONST:
            return value_of(e, kid_of(t, array, 0), cell);
        default: {
            uint64_t at, k;
            term kept = kept_array(e, array);
            if (kept != TERM_NONE) {
                array = kept;
                break;
            }
            *bottom = array;
            if (!map_get(&e->m->array, array, &at)) {
                *cell = (struct bits){{0}};
                return kind_of(t, array) == TERM_VAR;
            }
            const struct model_array *a = &e->m->arrays.data[at];
            *cell = a->cell;
            if (bits_to_u64(index, &k) && map_get(&a->at, k, &at))
                *cell = e->m->store.data[at];
            return true;
        }
        }
    }
}

static bool cell_at(const struct evaluation *e, term array, struct bits index, struct bits *cell)
{
    term bottom;
    return cell_below(e, array, index, cell, &bottom);
}

/* The array without the writes on top of it, and choices, that have nothing to do with n cells at a concrete
 * index. */
static term without_others(const struct evaluation *e, term array, uint64_t index, unsigned n)
{
    const struct terms *t = e->t;
    const unsigned iw = term_index_width(t, array), cw = term_cell_width(t, array);
    for (;; e->t->work++) {
        struct bits v;
        uint64_t at;
        if (kind_of(t, array) == TERM_AITE) {
            if (!value_of(e, kid_of(t, array, 0), &v))
                return array;
            array = kid_of(t, array, bits_is_zero(v) ? 2 : 1);
            continue;
        }
        if (kind_of(t, array) != TERM_WRITE)
            return array;
        if (!small_const(t, kid_of(t, array, 1), &at) &&
            (!value_of(e, kid_of(t, array, 1), &v) || !bits_to_u64(v, &at)))
            return array;
        if (((index - at) & mask64(iw)) < width_of(t, kid_of(t, array, 2)) / cw ||
            ((at - index) & mask64(iw)) < n)
            return array;
        array = kid_of(t, array, 0);
    }
}

static bool eval_read(const struct evaluation *e, term x, struct bits *v)
{
    const struct terms *t = e->t;
    term array = kid_of(t, x, 0);
    unsigned iw = term_index_width(t, array), cw = term_cell_width(t, array), width = width_of(t, x);
    struct bits index;
    if (!value_of(e, kid_of(t, x, 1), &index))
        return false;
    *v = (struct bits){{0}};
    uint64_t first;
    if (iw <= 64 && bits_to_u64(index, &first))
        array = without_others(e, array, first, width / cw);
    for (unsigned i = 0; i < width / cw; i++) {
        struct bits arg[2] = {index, bits_u64(i, iw)}, cell;
        unsigned widths[2] = {iw, iw};
        if (!cell_at(e, array, bits_apply(OP_ADD, iw, arg, widths, 0), &cell))
            return false;
        for (unsigned b = 0; b < cw; b++) {
            unsigned to = i * cw + b;
            v->w[to / 64] |= (uint64_t)bits_bit(cell, b) << to % 64;
        }
    }
    return true;
}

/* `arg` has room for the signature after the arguments. */
static struct bits eval_function(const struct evaluation *e, term x, struct bits *arg, unsigned nargs)
{
    uint64_t at;
    if (!strmap_get(&e->m->function, term_name(e->t, x), &at))
        return (struct bits){{0}};
    const struct model_function *f = &e->m->functions.data[at];
    arg[nargs] = signature_of(e->t, x);
    const struct model_entry *found = entry_find(e->m, f, arg, nargs + 1, true);
    if (!found)
        found = entry_find(e->m, f, arg, nargs, false);
    return found ? found->value : f->value;
}

/* Applications and pure functions, of any number of arguments. An array argument counts as zero: a function
 * table cannot tell arrays apart, a value set for the application itself can. */
static bool eval_call(const struct evaluation *e, term x, struct bits *v)
{
    const struct terms *t = e->t;
    unsigned n = nkids_of(t, x);
    struct bits *arg = xcalloc(n + 1u, sizeof *arg);
    bool ok = true;
    for (unsigned i = 0; i < n && ok; i++)
        ok = term_is_array(t, kid_of(t, x, i)) || value_of(e, kid_of(t, x, i), &arg[i]);
    if (ok) {
        const struct pure *f = term_pure_of(t, x);
        *v = f && f->eval ? f->eval(arg) : eval_function(e, x, arg, n);
        *v = bits_mask(*v, width_of(t, x));
    }
    free(arg);
    return ok;
}

/* The indices at which an array may differ from its default: what is written, and the model's exceptions. */
static bool exceptional(const struct evaluation *e, term array, struct map *index)
{
    const struct terms *t = e->t;
    unsigned cw = term_cell_width(t, array), iw = term_index_width(t, array);
    if (iw > 64)
        return false;
    for (;;) {
        struct bits v;
        uint64_t at, key;
        switch (kind_of(t, array)) {
        case TERM_WRITE:
            if (!value_of(e, kid_of(t, array, 1), &v))
                return false;
            for (unsigned k = 0; k < width_of(t, kid_of(t, array, 2)) / cw; k++)
                map_set(index, (bits_low(v) + k) & mask64(iw), 1);
            array = kid_of(t, array, 0);
            break;
        case TERM_AITE:
            if (!value_of(e, kid_of(t, array, 0), &v))
                return false;
            array = kid_of(t, array, bits_is_zero(v) ? 2 : 1);
            break;
        default:
            if (kept_array(e, array) != TERM_NONE) {
                array = kept_array(e, array);
                break;
            }
            if (map_get(&e->m->array, array, &at)) {
                const struct map *cells = &e->m->arrays.data[at].at;
                for (size_t i = 0; (i = map_next(cells, i, &key, &at));)
                    map_set(index, key, 1);
            }
            return true;
        }
    }
}

/* Two arrays are compared where either is exceptional, and at one index more, which stands for all the
 * others. */
static bool eval_array_eq(const struct evaluation *e, term x, term y, struct bits *v)
{
    const struct terms *t = e->t;
    unsigned iw = term_index_width(t, x);
    struct map index = {0};
    uint64_t key, any;
    bool ok = true, same = true;
    *v = bits_u64(1, 1);
    if (x == y)
        return true;
    if (exceptional(e, x, &index) && exceptional(e, y, &index)) {
        if (iw >= 64 || index.len < (uint64_t)1 << iw) {
            uint64_t other = 0;
            while (map_get(&index, other, NULL))
                other++;
            map_set(&index, other, 1);
        }
        for (size_t i = 0; ok && same && (i = map_next(&index, i, &key, &any));) {
            struct bits a, b;
            ok = cell_at(e, x, bits_u64(key, iw), &a) && cell_at(e, y, bits_u64(key, iw), &b);
            same = ok && bits_eq(a, b);
        }
    } else {
        ok = false;
    }
    map_free(&index);
    *v = bits_u64(same, 1);
    return ok;
}

static bool eval_op(const struct evaluation *e, term x, struct bits *v)
{
    const struct terms *t = e->t;
    unsigned op = kind_of(t, x), n = nkids_of(t, x), width[OP_MAX_ARITY];
    struct bits arg[OP_MAX_ARITY];
    if (op == OP_EQ && term_is_array(t, kid_of(t, x, 0)))
        return eval_array_eq(e, kid_of(t, x, 0), kid_of(t, x, 1), v);
    if (op == OP_ITE) {
        if (!value_of(e, kid_of(t, x, 0), &arg[0]))
            return false;
        return value_of(e, kid_of(t, x, bits_is_zero(arg[0]) ? 2 : 1), v);
    }
    if ((op == OP_AND || op == OP_OR) && width_of(t, x) == 1 && value_of(e, kid_of(t, x, 0), v) &&
        bits_is_zero(*v) == (op == OP_AND))
        return true;
    for (unsigned i = 0; i < n; i++) {
        width[i] = width_of(t, kid_of(t, x, i));
        if (!value_of(e, kid_of(t, x, i), &arg[i]))
            return false;
    }
    *v = bits_apply((enum op)op, width_of(t, x), arg, width, op == OP_EXTRACT ? term_extract_lo(t, x) : 0);
    return true;
}

static bool eval_node(const struct evaluation *e, term x, struct bits *v)
{
    const struct terms *t = e->t;
    uint64_t at;
    if (map_get(&e->m->value, x, &at)) {
        *v = bits_mask(e->m->store.data[at], width_of(t, x));
        return true;
    }
    switch (kind_of(t, x)) {
    case TERM_CONST:
        return term_const_value(t, x, v);
    case TERM_VAR:
        *v = (struct bits){{0}};
        return true;
    case TERM_APPLY:
    case TERM_PURE:
        return eval_call(e, x, v);
    case TERM_READ:
        return eval_read(e, x, v);
    default:
        return eval_op(e, x, v);
    }
}

/* The operand that has to be evaluated next before the term can be; TERM_NONE: none. The side that a choice
 * does not take and what an operand before it decides are not looked at: in what was merged that is most of
 * it. */
static term needed(const struct evaluation *e, term x)
{
    const struct terms *t = e->t;
    const unsigned kind = kind_of(t, x), n = nkids_of(t, x);
    struct bits v;
    if (term_is_array(t, x) ? kind == TERM_APPLY && map_get(&e->m->array, x, NULL)
                            : map_get(&e->m->value, x, NULL))
        return TERM_NONE;
    for (unsigned i = 0; i < n; i++) {
        term k = kid_of(t, x, i);
        if (!is_evaluated(e, k))
            return k;
        if (i)
            continue;
        bool known = value_of(e, k, &v);
        if (kind == OP_ITE || kind == TERM_AITE) {
            term taken = known ? kid_of(t, x, bits_is_zero(v) ? 2 : 1) : TERM_NONE;
            return taken != TERM_NONE && !is_evaluated(e, taken) ? taken : TERM_NONE;
        }
        if (known && (kind == OP_AND || kind == OP_OR) && width_of(t, x) == 1 &&
            bits_is_zero(v) == (kind == OP_AND))
            return TERM_NONE;
    }
    return TERM_NONE;
}

/* Evaluates x and what decides its value, as far as that has not been done. */
static void eval_into(struct evaluation *e, term x)
{
    const struct terms *t = e->t;
    VEC(term) stack = VEC_INIT;
    vec_push(&stack, x);
    while (stack.len) {
        term y = vec_last(&stack), next = is_evaluated(e, y) ? TERM_NONE : needed(e, y);
        if (next != TERM_NONE) {
            vec_push(&stack, next);
            continue;
        }
        stack.len--;
        if (is_evaluated(e, y))
            continue;
        struct bits v;
        uint64_t at = 0;
        if (!term_is_array(t, y) && eval_node(e, y, &v)) {
            at = e->word.len + 1;
            for (unsigned i = 0; i < words_of(width_of(t, y)); i++)
                vec_push(&e->word, v.w[i]);
        }
        e->t->evaluated[y] = (uint64_t)t->evaluation << 32 | at;
        e->nodes++;
    }
    vec_free(&stack);
}

void term_eval_all(struct terms *t, const struct term_model *m, const term *x, size_t n, struct bits *value,
                   bool *known)
{
    struct evaluation e = evaluation_begin(t, m);
    for (size_t i = 0; i < n; i++) {
        assert(width_of(t, x[i]) != 0);
        eval_into(&e, x[i]);
        known[i] = value_of(&e, x[i], &value[i]);
    }
    evaluation_end(&e);
}

bool term_eval_none_false(struct terms *t, const struct term_model *m, const term *x, size_t n, bool *known)
{
    struct evaluation e = evaluation_begin(t, m);
    bool holds = true;
    *known = true;
    for (size_t i = n; i-- > 0 && holds;) {
        struct bits v;
        eval_into(&e, x[i]);
        if (!value_of(&e, x[i], &v))
            *known = false;
        else
            holds = !bits_is_zero(v);
    }
    evaluation_end(&e);
    return holds;
}

bool term_eval(struct terms *t, const struct term_model *m, term x, struct bits *value)
{
    bool known;
    term_eval_all(t, m, &x, 1, value, &known);
    return known;
}

bool term_model_set_read(struct terms *t, struct term_model *m, term x, struct bits value)
{
    struct evaluation e = evaluation_begin(t, m);
    term array = kid_of(t, x, 0);
    unsigned iw = term_index_width(t, array), cw = term_cell_width(t, array), width = width_of(t, x);
    struct bits index;
    eval_into(&e, x);
    bool ok = value_of(&e, kid_of(t, x, 1), &index);
    for (unsigned i = 0; i < width / cw && ok; i++) {
        struct bits arg[2] = {index, bits_u64(i, iw)}, cell;
        unsigned widths[2] = {iw, iw};
        uint64_t k;
        term bottom;
        struct bits at = bits_apply(OP_ADD, iw, arg, widths, 0);
        ok = cell_below(&e, array, at, &cell, &bottom) && bottom != TERM_NONE && bits_to_u64(at, &k);
        if (ok)
            term_model_set_cell(m, bottom, k, part(value, width, i * cw, cw));
    }
    evaluation_end(&e);
    return ok;
}

struct named_value {
    const char *name;
    term symbol;
    struct bits value;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named_value *)a)->name, ((const struct named_value *)b)->name);
}

void term_model_each(const struct terms *t, const struct term_model *m,
                     void (*fn)(void *ctx, term symbol, struct bits value), void *ctx)
{
    VEC(struct named_value) list = VEC_INIT;
    uint64_t key, at;
    for (size_t i = 0; (i = map_next(&m->value, i, &key, &at));) {
        if (kind_of(t, (term)key) != TERM_VAR)
            continue;
        struct named_value v = {term_name(t, (term)key), (term)key, m->store.data[at]};
        vec_push(&list, v);
    }
    vec_sort(&list, by_name);
    for (size_t i = 0; i < list.len; i++)
        fn(ctx, list.data[i].symbol, list.data[i].value);
    vec_free(&list);
}
