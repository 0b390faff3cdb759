/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries of C library functions, more precise than havoc: from the attributes in data/prototypes.txt, and
 * in full for a few. */
#include <stdio.h>
#include <string.h>

#include "exec/engine.h"

enum { COPY_MAX = 256 }; /* bytes that a copy of known length is spelled out for */

/* Functions whose results depend on the order of observable events. */
static term apply_ordered(struct explorer *x, const struct state *st, struct term_origin what,
                          const struct callee *c, unsigned width, const term *arg, unsigned nargs,
                          bool memory)
{
    term kid[40];
    unsigned n = nargs < 36 ? nargs : 36;
    memcpy(kid, arg, n * sizeof(term));
    if (memory)
        kid[n++] = st->mem;
    kid[n++] = st->world;
    what.name = c->name;
    what.index = c->lib->variadic ? n : 0;
    return width ? origin_apply(x->t, what, width, kid, n)
                 : origin_apply_array(x->t, what, x->width, 8, kid, n);
}

struct term_origin summary_result_origin(const struct flow_library_entry *l, const char *name, unsigned first,
                                         unsigned nargs)
{
    struct term_origin o = {.kind = ORIGIN_RESULT, .name = name};
    if (l && nargs >= l->nargs && (l->least != INT64_MIN || l->most != INT64_MAX || l->upto >= 0)) {
        o.part = ORIGIN_RESULT_BOUNDED;
        o.offset = first;
    }
    return o;
}

static void move_on(struct explorer *x, struct state *st, const struct callee *c, const term *arg,
                    unsigned nargs)
{
    st->world =
        apply_ordered(x, st, (struct term_origin){.kind = ORIGIN_WORLD_AFTER}, c, 64, arg, nargs, false);
}

static bool small(struct explorer *x, term v, uint64_t *n)
{
    return term_const_u64(x->t, v, n) && *n <= COPY_MAX;
}

static void copy(struct explorer *x, struct state *st, term to, term from, uint64_t n, uint64_t site)
{
    enum { PIECE = OP_MAX_WIDTH / 8 };
    term part[COPY_MAX / PIECE + 1];
    for (uint64_t at = 0; at < n; at += PIECE)
        part[at / PIECE] = memory_load(x, st, 0, term_add_const(x->t, from, at),
                                       (unsigned)(n - at < PIECE ? n - at : PIECE) * 8);
    for (uint64_t at = 0; at < n; at += PIECE)
        memory_store(x, st, 0, term_add_const(x->t, to, at), part[at / PIECE], TERM_NONE, site);
}

static void fill(struct explorer *x, struct state *st, term to, term byte, uint64_t n, uint64_t site)
{
    enum { PIECE = 8 };
    while (n) {
        unsigned len = n < PIECE ? (unsigned)n : PIECE;
        term v = byte;
        while (term_width(x->t, v) < len * 8)
            v = term_concat(x->t, byte, v);
        memory_store(x, st, 0, to, v, TERM_NONE, site);
        to = term_add_const(x->t, to, len);
        n -= len;
    }
}

/* Length of a constant string in memory that is never written. */
static bool literal_length(struct explorer *x, term p, uint64_t *n)
{
    size_t len;
    if (!(x->opt.axioms & AXIOM_LITERAL) || !x->source->text(x, p, &len))
        return false;
    *n = len;
    return true;
}

/* ... in which no conversion is asked for. */
static bool literal_text(struct explorer *x, term p, uint64_t *n)
{
    size_t len;
    return literal_length(x, p, n) && !memchr(x->source->text(x, p, &len), '%', *n);
}

static term new_object(struct explorer *x, struct state *st, const struct callee *c, const term *arg,
                       unsigned nargs)
{
    x->heap_seen = true;
    term h =
        apply_ordered(x, st, (struct term_origin){.kind = ORIGIN_ALLOCATION}, c, x->width, arg, nargs, false);
    move_on(x, st, c, arg, nargs);
    return h;
}

static term errno_place(struct explorer *x)
{
    x->heap_seen = true;
    term nothing = term_const(x->t, 1, 0);
    return origin_apply(x->t, (struct term_origin){.kind = ORIGIN_ERRNO_PLACE}, x->width, &nothing, 1);
}

bool summary_names_errno(const struct explorer *x, const struct flow_function *f)
{
    enum { FUNCTIONS_MAX = 32 };
    const struct flow_function *way[FUNCTIONS_MAX] = {f};
    if (!f || !x->file->p || !program_library(x->file->p))
        return true;
    for (size_t at = 0, n = 1; at < n; at++) {
        const struct flow_graph *g = flow_graph(x->file->p, way[at]);
        for (uint32_t i = 0; g && i < g->ncalls; i++) {
            const struct flow_call *k = &g->call[i];
            const struct flow_library_entry *l =
                k->name ? flow_library_find(program_library(x->file->p), k->name) : NULL;
            const struct flow_function *to = k->target ? program_local_function(x->file->p, k->target) : NULL;
            bool seen = !to;
            for (size_t w = 0; w < n && !seen; w++)
                seen = way[w] == to;
            if ((l && l->like == LIKE_ERRNO_LOCATION) || (!seen && n == FUNCTIONS_MAX))
                return true;
            if (!seen)
                way[n++] = to;
        }
    }
    return false;
}

static bool by_meaning(struct explorer *x, struct state *st, const struct callee *c, const term *arg,
                       unsigned nargs, uint64_t site, term *result)
{
    uint64_t n, m;
    switch (c->lib->like) {
    case LIKE_MEMCPY:
    case LIKE_MEMMOVE:
    case LIKE_MEMPCPY:
        if (nargs < 3 || !small(x, arg[2], &n))
            return false;
        copy(x, st, arg[0], arg[1], n, site);
        *result = c->lib->like == LIKE_MEMPCPY ? term_add_const(x->t, arg[0], n) : arg[0];
        return true;
    case LIKE_BCOPY:
        if (nargs < 3 || !small(x, arg[2], &n))
            return false;
        copy(x, st, arg[1], arg[0], n, site);
        return true;
    case LIKE_MEMSET:
        if (nargs < 3 || !small(x, arg[2], &n))
            return false;
        fill(x, st, arg[0], term_extract(x->t, arg[1], 0, 8), n, site);
        *result = arg[0];
        return true;
    case LIKE_BZERO:
        if (nargs < 2 || !small(x, arg[1], &n))
            return false;
        fill(x, st, arg[0], term_const(x->t, 8, 0), n, site);
        return true;
    case LIKE_STRLEN:
        if (nargs < 1 || !literal_length(x, arg[0], &n))
            return false;
        *result = term_const(x->t, x->width, n);
        return true;
    case LIKE_STRCPY:
    case LIKE_STPCPY:
        if (nargs < 2 || !literal_length(x, arg[1], &n) || n >= COPY_MAX)
            return false;
        copy(x, st, arg[0], arg[1], n + 1, site);
        *result = c->lib->like == LIKE_STPCPY ? term_add_const(x->t, arg[0], n) : arg[0];
        return true;
    case LIKE_SPRINTF: /* of a text that is written as it is */
        if (nargs < 2 || !literal_text(x, arg[1], &n) || n >= COPY_MAX)
            return false;
        copy(x, st, arg[0], arg[1], n + 1, site);
        *result = term_const(x->t, x->width, n);
        return true;
    case LIKE_ABS: {
        if (nargs < 1)
            return false;
        unsigned w = c->lib->arg[0] == LIBRARY_INT ? 32 : term_width(x->t, arg[0]);
        term v = term_extract(x->t, arg[0], 0, w);
        v = term_ite(x->t, term_bin(x->t, OP_SLT, v, term_const(x->t, w, 0)), term_un(x->t, OP_NEG, v), v);
        *result = w < x->width ? term_zext(x->t, v, x->width) : v;
        return w <= x->width;
    }
    case LIKE_MALLOC:
        *result = new_object(x, st, c, arg, nargs);
        return true;
    case LIKE_CALLOC:
        if (nargs < 2 || !term_const_u64(x->t, arg[0], &n) || !term_const_u64(x->t, arg[1], &m) ||
            n > COPY_MAX || m > COPY_MAX || n * m > COPY_MAX)
            return false;
        *result = new_object(x, st, c, arg, nargs);
        for (uint64_t at = 0; at < n * m; at += 8)
            st->mem = term_write(x->t, st->mem, term_add_const(x->t, *result, at),
                                 term_const(x->t, (unsigned)(n * m - at < 8 ? n * m - at : 8) * 8, 0));
        return true;
    case LIKE_SYSCONF: {
        /* Of the GNU library's names, those that it has, but how many processors and how much memory there
         * are. */
        enum { NAMES = 249, PROCESSORS = 83, MEMORY_FREE = 86 };
        if (nargs < 1 || !term_const_u64(x->t, arg[0], &n) || n >= NAMES ||
            (n >= PROCESSORS && n <= MEMORY_FREE))
            return false;
        *result =
            apply_ordered(x, st, (struct term_origin){.kind = ORIGIN_RESULT}, c, x->width, arg, 1, false);
        return true;
    }
    case LIKE_ERRNO_LOCATION:
        *result = errno_place(x);
        return true;
    default:
        return false;
    }
}

/* It may replace memory that is mapped already. */
static bool maps_over(const struct explorer *x, const struct flow_library_entry *l, const term *arg,
                      unsigned nargs)
{
    enum { FLAGS = 3, FIXED = 0x10 }; /* MAP_FIXED, the same for all that are supported */
    uint64_t flags;
    return l->attrs & LIBRARY_MAPS &&
           (nargs <= FLAGS || !term_const_u64(x->t, arg[FLAGS], &flags) || flags & FIXED);
}

bool summary_shares(const struct explorer *x, const struct flow_library_entry *l)
{
    const struct explore_hooks *h = x->opt.hooks;
    bool shares = false;
    for (const char *at = l->by; at && *at && !shares; at += strspn(at, ",")) {
        char name[32];
        const size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        shares = h && h->names ? h->names(h->ctx, name)
                               : x->file->o && object_symbol_by_name(x->file->o, name) != NULL;
        at += n;
    }
    return shares;
}

bool summary_reads(const struct explorer *x, const struct flow_library_entry *l)
{
    return !(l->attrs & LIBRARY_CONST) &&
           (l->pointers || l->written || l->variadic || summary_shares(x, l) ||
            l->attrs & (LIBRARY_CALLBACK | LIBRARY_LOCK | LIBRARY_TWICE | LIBRARY_GLOBALS));
}

/* The argument that the result always is; TERM_NONE: none. */
static term argument_returned(const struct flow_library_entry *l, const term *arg, unsigned nargs)
{
    const bool is = l->returns_arg >= 0 && (unsigned)l->returns_arg < nargs && !(l->attrs & LIBRARY_NULL);
    return is ? arg[l->returns_arg] : TERM_NONE;
}

term summary_unless_null(struct explorer *x, const struct callee *c, const term *arg, unsigned nargs,
                         term result)
{
    const struct flow_library_entry *l = c->lib;
    if (!l || !(l->attrs & LIBRARY_NULL) || l->returns_arg < 0 || (unsigned)l->returns_arg >= nargs ||
        term_width(x->t, result) != x->width)
        return result;
    const term null = term_const(x->t, x->width, 0), given = arg[l->returns_arg];
    const term made =
        l->attrs & LIBRARY_MAKES ? term_ite(x->t, term_eq(x->t, given, null), result, given) : given;
    return term_ite(x->t, term_eq(x->t, result, null), null, made);
}

term event_result_made(const struct terms *t, const struct exec_event *e)
{
    if (e->result == TERM_NONE || term_kind(t, e->result) != OP_ITE)
        return e->result;
    const term null = term_kid(t, e->result, 0);
    return term_kind(t, null) == OP_EQ && term_kind(t, term_kid(t, null, 0)) == TERM_APPLY
               ? term_kid(t, null, 0)
               : e->result;
}

term summary_result(struct explorer *x, const struct state *st, const struct callee *c, const term *arg,
                    unsigned nargs)
{
    const struct flow_library_entry *l = c->lib;
    const term same = argument_returned(l, arg, nargs);
    if (same != TERM_NONE)
        return same;
    if (l->like == LIKE_MEMPCPY && nargs > 2)
        return term_bin(x->t, OP_ADD, arg[0], arg[2]);
    if (l->like != LIKE_STPCPY || nargs < 2)
        return TERM_NONE;
    const struct explore_hooks *hooks = x->opt.hooks;
    const char *length = hooks && hooks->name ? hooks->name(hooks->ctx, "strlen", 0) : "strlen";
    const term kid[] = {arg[1], st->mem};
    term n =
        origin_apply(x->t, (struct term_origin){.kind = ORIGIN_RESULT, .name = length}, x->width, kid, 2);
    return term_bin(x->t, OP_ADD, arg[0], n);
}

/* Memory with a new object of zeros. All that was written is older than the object and lies elsewhere (axiom
 * `heap`), so it may as well have been written afterwards: what was written before the allocation in one
 * version and after it in the other is told to be the same. */
static term with_zeros(struct explorer *x, struct state *st, const struct callee *c, const term *arg,
                       unsigned nargs)
{
    const struct term_origin after = {.kind = ORIGIN_MEMORY_AFTER};
    const term whole = st->mem;
    VEC(term) written = VEC_INIT;
    while (x->opt.axioms & AXIOM_HEAP && term_kind(x->t, st->mem) == TERM_WRITE) {
        vec_push(&written, st->mem);
        st->mem = term_kid(x->t, st->mem, 0);
    }
    term mem = apply_ordered(x, st, after, c, 0, arg, nargs, true);
    while (written.len) {
        const term w = vec_pop(&written);
        mem = term_write(x->t, mem, term_kid(x->t, w, 1), term_kid(x->t, w, 2));
    }
    st->mem = whole;
    vec_free(&written);
    return mem;
}

bool summary_apply(struct explorer *x, struct state *st, const struct callee *c, const term *arg,
                   unsigned nargs, uint64_t site, term *found, term *result)
{
    const struct flow_library_entry *l = c->lib;
    if (by_meaning(x, st, c, arg, nargs, site, result))
        return true;
    if (l->attrs & (LIBRARY_CALLBACK | LIBRARY_TWICE | LIBRARY_LOCK | LIBRARY_REALLOC | LIBRARY_NORETURN |
                    LIBRARY_GLOBALS) ||
        maps_over(x, l, arg, nargs) || summary_shares(x, l))
        return false;
    /* What is read through a pointer into the frame must be where the function looks for it. */
    for (unsigned i = 0; i < nargs; i++)
        if (memory_tainted(x, arg[i]))
            memory_escape(x, st);
    *found = st->mem;

    uint64_t most = 0;
    if (l->written) {
        /* Written through arguments: spelled out when it is known how much. */
        uint64_t k = 1;
        if (l->bytes < 0 || (unsigned)l->bytes >= nargs || !small(x, arg[l->bytes], &most))
            return false;
        if (l->times >= 0 && ((unsigned)l->times >= nargs || !small(x, arg[l->times], &k)))
            return false;
        most *= k;
        if (most > COPY_MAX)
            return false;
    }
    if (l->variadic && l->attrs & LIBRARY_SCAN)
        return false;
    /* Without effects; with hidden state it returns the same as long as nothing that is observable is done.
     */
    bool idle = l->attrs & (LIBRARY_CONST | LIBRARY_PURE);
    bool pure = idle && !(l->attrs & (LIBRARY_STATE | LIBRARY_IO));
    unsigned width = l->returns_float ? 64 : x->width;
    if (l->attrs & LIBRARY_ALLOC) {
        *result = new_object(x, st, c, arg, nargs);
        if (l->like == LIKE_CALLOC)
            st->mem = with_zeros(x, st, c, arg, nargs);
        else if (l->like == LIKE_STRDUP || l->like == LIKE_STRNDUP)
            st->mem = apply_ordered(x, st, (struct term_origin){.kind = ORIGIN_MEMORY_AFTER}, c, 0, arg,
                                    nargs, true);
    } else if (pure) {
        term kid[40];
        unsigned n = nargs < 36 ? nargs : 36;
        memcpy(kid, arg, n * sizeof(term));
        if (!(l->attrs & LIBRARY_CONST))
            kid[n++] = st->mem;
        if (!n)
            kid[n++] = term_const(x->t, 1, 0);
        if (l->returns)
            *result = origin_apply(x->t, summary_result_origin(l, c->name, 0, nargs), width, kid, n);
    } else if (l->returns) {
        *result = argument_returned(l, arg, nargs);
        if (*result == TERM_NONE)
            *result = summary_unless_null(x, c, arg, nargs,
                                          apply_ordered(x, st, summary_result_origin(l, c->name, 0, nargs), c,
                                                        width, arg, nargs, !(l->attrs & LIBRARY_CONST)));
    }
    /* What it returned before may be overwritten. */
    if (l->attrs & LIBRARY_STATIC && !pure)
        st->mem =
            apply_ordered(x, st, (struct term_origin){.kind = ORIGIN_MEMORY_AFTER}, c, 0, arg, nargs, true);
    for (unsigned i = 0; i < nargs && i < 32 && most; i++) {
        if (!(l->written >> i & 1))
            continue;
        for (uint64_t at = 0; at < most; at += 64) {
            struct term_origin what = {.kind = ORIGIN_OUTPUT, .part = (uint16_t)i, .offset = at};
            term v = apply_ordered(x, st, what, c, (unsigned)(most - at < 64 ? most - at : 64) * 8, arg,
                                   nargs, true);
            memory_store(x, st, 0, term_add_const(x->t, arg[i], at), v, TERM_NONE, site);
        }
    }
    if (l->attrs & LIBRARY_ERRNO) {
        st->mem = term_write(x->t, st->mem, errno_place(x),
                             apply_ordered(x, st, (struct term_origin){.kind = ORIGIN_ERRNO}, c, 32, arg,
                                           nargs, summary_reads(x, l)));
    }
    if (!idle && !(l->attrs & LIBRARY_ALLOC))
        move_on(x, st, c, arg, nargs);
    return true;
}

term summary_heap_root(struct explorer *x, term v)
{
    if (v == TERM_NONE)
        return TERM_NONE;
    unsigned kind = term_kind(x->t, v);
    if (kind == TERM_APPLY)
        return origin_is_new_object(x->t, v) ? v : TERM_NONE;
    if (kind != OP_ADD)
        return TERM_NONE;
    uint64_t known;
    if (map_get(&x->heap_base, v, &known))
        return (term)known;
    term a = summary_heap_root(x, term_kid(x->t, v, 0)), b = summary_heap_root(x, term_kid(x->t, v, 1));
    term root = a == TERM_NONE ? b : b == TERM_NONE ? a : TERM_NONE;
    map_set(&x->heap_base, v, root);
    return root;
}
