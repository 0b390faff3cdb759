/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one path shows: its calls, stores, conditions, reads and results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "match/match.h"
#include "present/gather.h"

/* What compilers and the C library's headers call instead of what was written. */
static const struct {
    const char *name, *plain;
    int8_t drop[2]; /* arguments that were added; -1: none, -2: the last */
    bool zero;      /* the byte to fill with is left out */
    bool swapped;   /* the last two arguments */
} alias[] = {
    {"__aeabi_memcpy", "memcpy", {-1, -1}, false, false},
    {"__aeabi_memmove", "memmove", {-1, -1}, false, false},
    {"__aeabi_memset", "memset", {-1, -1}, false, true},
    {"__aeabi_memclr", "memset", {-1, -1}, true, false},
    {"__memcpy_chk", "memcpy", {-2, -1}, false, false},
    {"__memmove_chk", "memmove", {-2, -1}, false, false},
    {"__memset_chk", "memset", {-2, -1}, false, false},
    {"__strcpy_chk", "strcpy", {-2, -1}, false, false},
    {"__strncpy_chk", "strncpy", {-2, -1}, false, false},
    {"__strcat_chk", "strcat", {-2, -1}, false, false},
    {"__strncat_chk", "strncat", {-2, -1}, false, false},
    {"__sprintf_chk", "sprintf", {1, 2}, false, false},
    {"__snprintf_chk", "snprintf", {2, 3}, false, false},
    {"__printf_chk", "printf", {0, -1}, false, false},
    {"__fprintf_chk", "fprintf", {1, -1}, false, false},
};

static const char *plain_call(struct exprs *t, const char *name, expr *arg, unsigned *n)
{
    for (size_t i = 0; name && i < sizeof alias / sizeof *alias; i++) {
        size_t len = strlen(alias[i].name);
        /* __aeabi_memcpy4, __aeabi_memcpy8: the same with a promise about alignment */
        if (strncmp(name, alias[i].name, len) != 0 ||
            (name[len] && strcmp(name + len, "4") != 0 && strcmp(name + len, "8") != 0))
            continue;
        for (int d = 1; d >= 0; d--) {
            int k = alias[i].drop[d] == -2 ? (int)*n - 1 : alias[i].drop[d];
            if (k < 0 || k >= (int)*n)
                continue;
            memmove(&arg[k], &arg[k + 1], (*n - (unsigned)k - 1) * sizeof *arg);
            --*n;
        }
        if (alias[i].swapped && *n == 3) {
            expr last = arg[2];
            arg[2] = arg[1];
            arg[1] = last;
        }
        if (alias[i].zero && *n == 2) {
            arg[2] = arg[1];
            arg[1] = expr_const(t, 0);
            *n = 3;
        }
        return alias[i].plain;
    }
    return name;
}

/* The arguments of a call in the order of calling conventions: floats after all others. */
static unsigned arguments(struct gatherer *g, const struct exec_event *e, expr *out)
{
    unsigned given = e->nargs - e->nhidden, n = 0;
    const struct bitcode_function *f = g->n.m && e->name ? bitcode_function(g->n.m, e->name, NULL) : NULL;
    uint64_t floats = f && !f->variadic ? f->floats : 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < given; i++)
            if ((i < 64 && floats >> i & 1) == pass)
                out[n++] = expr_maybe_place(g->e, normal_of(&g->n, e->arg[i]));
    int more = e->name && g->opt && g->opt->floats ? g->opt->floats(g->opt->arity_ctx, e->name) : 0;
    for (int i = 0; i < more && (unsigned)i < e->nfloats; i++)
        out[n++] = normal_of(&g->n, term_extract(g->n.t, e->arg[given + (unsigned)i], 0, 64));
    return n;
}

/* The callee, without the suffixes that compilers give to clones. */
static const char *callee(struct gatherer *g, const char *name)
{
    const char *other = name && g->opt && g->opt->rename ? g->opt->rename(g->opt->rename_ctx, name) : NULL;
    size_t stem = name ? name_stem(name) : 0;
    if (other)
        return other;
    return name && name[stem] ? arena_strndup(&g->arena, name, stem) : name;
}

static expr call_expr(struct gatherer *g, const struct exec_event *e, const char *called)
{
    unsigned n, first = !e->name && e->target != TERM_NONE;
    expr *arg = xcalloc(e->nargs + first + 1, sizeof *arg);
    if (first)
        arg[0] = normal_of(&g->n, e->target);
    n = first + arguments(g, e, arg + first);
    const char *name = plain_call(g->e, called, arg, &n);
    expr r = expr_call(g->e, name, arg, n);
    free(arg);
    return r;
}

static bool is_local(const struct exprs *t, expr address)
{
    if (expr_kind(t, address) == EXPR_LOCAL)
        return true;
    if (expr_kind(t, address) != EXPR_OP || expr_value(t, address) != OP_ADD)
        return false;
    for (unsigned i = 0; i < expr_nkids(t, address); i++)
        if (expr_kind(t, expr_kid(t, address, i)) == EXPR_LOCAL)
            return true;
    return false;
}

/* Where the value returned was chosen: with several paths to one exit, that is not the exit. */
static uint64_t return_site(const struct gatherer *g, const struct exec_path *path)
{
    uint32_t last = path->nblocks ? path->block[path->nblocks - 1] : UINT32_MAX, ways = 0;
    for (uint32_t i = 0; i < g->graph->nedges; i++)
        ways += g->graph->edge[i].to == last;
    uint64_t before = path->nblocks > 1 && ways > 1 ? gather_last_site(g, path->block[path->nblocks - 2]) : 0;
    return before ? before : path->end_address;
}

/* Contents of locals whose address is passed: the callee sees them. */
static void gather_given(struct gatherer *g, const struct exec_event *e, expr under)
{
    enum { WORDS = 24, UNIT = 4 };
    struct terms *t = g->n.t;
    for (unsigned i = 0; i < e->nargs - e->nhidden; i++) {
        if (expr_kind(g->e, normal_of(&g->n, e->arg[i])) != EXPR_LOCAL)
            continue;
        for (unsigned k = 0; k < WORDS; k++) {
            term at = term_add_const(t, e->arg[i], k * UINT64_C(4)),
                 v = term_read(t, e->frame_before, at, UNIT * 8);
            expr value = normal_of(&g->n, v);
            if (expr_kind(g->e, value) != EXPR_CONST)
                continue;
            expr place[] = {expr_const(g->e, i), expr_const(g->e, k * 4)};
            char name[256];
            snprintf(name, sizeof name, "%s" GATHER_GIVEN, e->name ? e->name : "*");
            gather_add(g, FEATURE_STORE, expr_call(g->e, name, place, 2), value, under, e->site);
        }
    }
}

/* Processors that cannot divide call a function for it; what it returns is what counts. */
static bool divides(struct gatherer *g, const struct exec_event *e, expr call)
{
    static const struct {
        const char *name;
        enum op op;
    } function[] = {{"__aeabi_uidiv", OP_UDIV}, {"__aeabi_uidivmod", OP_UDIV}, {"__aeabi_uldivmod", OP_UDIV},
                    {"__aeabi_idiv", OP_SDIV},  {"__aeabi_idivmod", OP_SDIV},  {"__aeabi_ldivmod", OP_SDIV},
                    {"__udivdi3", OP_UDIV},     {"__divdi3", OP_SDIV},         {"__umoddi3", OP_UREM},
                    {"__moddi3", OP_SREM}};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        if (!e->name || strcmp(e->name, function[i].name) != 0 || expr_nkids(g->e, call) != 2)
            continue;
        expr kid[] = {expr_kid(g->e, call, 0), expr_kid(g->e, call, 1)};
        if (e->result != TERM_NONE)
            normal_name(&g->n, e->result, expr_op(g->e, function[i].op, kid, 2));
        if (e->token != TERM_NONE)
            normal_divided(&g->n, e->token,
                           expr_op(g->e, function[i].op == OP_UDIV ? OP_UREM : OP_SREM, kid, 2),
                           strstr(e->name, "ldivmod") != NULL);
        return true;
    }
    return false;
}

/* Some functions return an argument, as memcpy does: then that has a name already. */
static bool is_given(const struct exec_event *e, term x)
{
    for (unsigned i = 0; i < e->nargs - e->nhidden; i++)
        if (e->arg[i] == x)
            return true;
    return false;
}

bool gather_is_expanded(const char *name)
{
    static const char *const known[] = {"bcmp",    "bcopy",   "bzero",   "memchr",  "memcmp",  "memcpy",
                                        "memmove", "mempcpy", "memset",  "stpcpy",  "strcat",  "strchr",
                                        "strcmp",  "strcpy",  "strcspn", "strlen",  "strncat", "strncmp",
                                        "strncpy", "strnlen", "strpbrk", "strrchr", "strspn",  "strstr"};
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return name && strncmp(name, "llvm.", 5) == 0;
}

/* Which call comes after which, or first or last: where a lock is taken, and where it is given back. */
static void gather_order(struct gatherer *g, const char *before, const char *called, uint64_t site)
{
    char name[512];
    snprintf(name, sizeof name, "%.200s" GATHER_THEN "%.200s", before, called);
    gather_add(g, FEATURE_CALL, expr_leaf(g->e, EXPR_OTHER, name, 0), EXPR_NONE, EXPR_NONE, site);
}

void gather_read(struct gatherer *g, term address, uint64_t site)
{
    enum { TIMES = 4 };
    expr a = expr_place(g->e, normal_of(&g->n, address));
    if (is_local(g->e, a) || !map_set(&g->reads, hash_u64((uint64_t)a << 32) ^ hash_u64(site), 1))
        return;
    uint64_t times = map_find(&g->reads, a, 0) + 1;
    map_set(&g->reads, a, times);
    if (times > 1 && times <= TIMES)
        gather_add(g, FEATURE_CALL,
                   expr_call(g->e, "reads", (expr[]){a, expr_const(g->e, (int64_t)times)}, 2), EXPR_NONE,
                   EXPR_NONE, site);
}

/* Whether something that was decided after this many literals is new: paths share their beginnings. */
static bool is_new(struct gatherer *g, const struct exec_path *path, unsigned decided, uint64_t what,
                   uint64_t site)
{
    unsigned n = decided < path->nliterals ? decided : path->nliterals;
    uint64_t key = hash_u64(what) ^ hash_u64(site * 3 + 1);
    for (unsigned i = 0; i < 2 && i < n; i++)
        key = hash_u64(key ^ path->literal[n - 1 - i]);
    return map_set(&g->looked, key, 1);
}

/* Where a jump to a block ends: tables may be made of jumps. */
static uint32_t landing(const struct flow_graph *f, uint32_t block)
{
    enum { JUMPS = 4 };
    for (unsigned i = 0; i < JUMPS && block < f->nblocks; i++) {
        const struct flow_edge *e = &f->edge[f->first_edge[block]];
        if (f->first_edge[block + 1] - f->first_edge[block] != 1 || e->kind != EDGE_JUMP ||
            f->block[block].nmark != 1)
            break;
        block = e->to;
    }
    return block;
}

/* Whether a comparison at the end of the block leads there. */
static bool leads(const struct flow_graph *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = f->first_edge[from]; i < f->first_edge[from + 1]; i++)
        if (f->edge[i].kind != EDGE_SWITCH && landing(f, f->edge[i].to) == to)
            return true;
    return false;
}

/* Whether a jump table led to the default case of its range check, or nowhere: a value that the source does
 * not mention. `at` is the place in the path's blocks where that was decided. */
static bool is_default(const struct gatherer *g, const struct exec_path *path, unsigned at)
{
    const struct flow_graph *f = g->graph;
    uint32_t here = path->block[at];
    if (here >= f->nblocks || f->first_edge[here + 1] - f->first_edge[here] <= 2)
        return false;
    if (at + 1 >= path->nblocks)
        return true;
    uint32_t to = landing(f, path->block[at + 1]);
    return leads(f, here, to) ||
           (at > 0 && path->block[at - 1] < f->nblocks && leads(f, path->block[at - 1], to));
}

/* Whether a range check only guards a jump table: x - 2 < 7 before a switch. */
static bool is_guard(const struct gatherer *g, const struct exec_path *path, unsigned at, expr x)
{
    const struct flow_graph *f = g->graph;
    uint32_t here = path->block[at];
    x = expr_branch(g->e, x);
    if (here >= f->nblocks || !expr_is_boolean(g->e, x) || expr_value(g->e, x) != OP_AND)
        return false;
    for (uint32_t i = f->first_edge[here]; i < f->first_edge[here + 1]; i++) {
        uint32_t to = f->edge[i].to;
        if (f->edge[i].kind == EDGE_SWITCH ||
            (f->first_edge[to + 1] > f->first_edge[to] && f->edge[f->first_edge[to]].kind == EDGE_SWITCH))
            return true;
    }
    return false;
}

/* Where in the path everything is. */
static void find_places(struct gatherer *g, const struct exec_path *path)
{
    vec_clear(&g->first);
    vec_clear(&g->place);
    for (unsigned i = 0; i < path->nblocks; i++)
        vec_push(&g->first, 0);
    iterations_of_path(&g->iterations, path->block, path->nblocks, g->first.data);
    for (unsigned i = 0; i < path->nliterals; i++) {
        uint32_t k = path->literal_after[i] - 1;
        bool is = k < path->nblocks && path->block[k] == path->literal_block[i];
        vec_push(&g->place, is ? k : UINT32_MAX);
    }
}

/* The cycle that something is in the first iteration of that was done after this many decisions, or 0. */
static uint32_t first_iteration(const struct gatherer *g, const struct exec_path *path, unsigned decided,
                                uint64_t site)
{
    uint64_t block;
    uint32_t k = decided && decided <= path->nliterals ? g->place.data[decided - 1] : 0;
    if (!map_get(&g->sites, site, &block) || k == UINT32_MAX)
        return 0;
    while (k < path->nblocks && path->block[k] != block)
        k++;
    return k < path->nblocks ? g->first.data[k] : 0;
}

static void gather_conditions(struct gatherer *g, const struct exec_path *path)
{
    for (unsigned i = 0; i < path->nliterals; i++) {
        uint32_t k = g->place.data[i] == UINT32_MAX ? path->nblocks : g->place.data[i];
        g->in_first = k < path->nblocks ? g->first.data[k] : 0;
        if (!gather_is_branch(g, path, i) || !is_new(g, path, i, path->literal[i], path->literal_block[i]) ||
            (k < path->nblocks && is_default(g, path, k)))
            continue;
        expr x = normal_truth(&g->n, path->literal[i]);
        gather_bounds(g, x, path->literal_block[i]);
        if (k == path->nblocks || !is_guard(g, path, k, x))
            gather_add(g, FEATURE_CONDITION, gather_known(g, path, i, x), EXPR_NONE, EXPR_NONE,
                       gather_last_site(g, path->literal_block[i]));
    }
}

static void gather_store(struct gatherer *g, const struct exec_path *path, const struct exec_write *w,
                         term address, term value);

/* A constant of a word may be two that lie side by side: then both ways of seeing it are there. */
static void gather_halves(struct gatherer *g, const struct exec_path *path, const struct exec_write *w,
                          term address, term value)
{
    enum { HALF = 32 };
    struct terms *t = g->n.t;
    struct bits v;
    if (term_width(t, value) != 2 * HALF || !term_const_value(t, value, &v))
        return;
    /* A small number has zeros or ones above it, and an address is one. */
    uint64_t above = bits_low(v) >> HALF;
    if (above == 0 || above == UINT32_MAX || (g->n.bias && above == g->n.bias >> HALF))
        return;
    gather_store(g, path, w, address, term_extract(t, value, 0, HALF));
    gather_store(g, path, w, term_add_const(t, address, HALF / 8), term_extract(t, value, HALF, HALF));
}

/* What fills or copies memory does so in steps as wide as some register, and is known by the words that it
 * writes: how many there are is what matters of memset and memcpy. Of many the first ones and the last. */
static bool gather_words(struct gatherer *g, const struct exec_path *path, const struct exec_write *w,
                         term address, term value)
{
    enum { WORDS_MAX = 16 }; /* more are not expanded */
    struct terms *t = g->n.t;
    unsigned word = g->n.machine->pointer_width, width = term_width(t, value), n = width / word;
    bool read = term_kind(t, value) == TERM_READ;
    if (n < 2 || (!read && !term_is_const(t, value)))
        return false;
    for (unsigned i = 0; i * word < width; i++) {
        unsigned lo = i * word, bits = width - lo < word ? width - lo : word;
        if (i >= WORDS_MAX && lo + word < width)
            continue;
        term at = term_add_const(t, address, lo / 8);
        gather_store(
            g, path, w, at,
            read ? term_read(t, term_kid(t, value, 0), term_add_const(t, term_kid(t, value, 1), lo / 8), bits)
                 : term_extract(t, value, lo, bits));
    }
    return true;
}

/* Compilers store several things at once where they lie side by side: each is a store of its own. */
static void gather_store(struct gatherer *g, const struct exec_path *path, const struct exec_write *w,
                         term address, term value)
{
    struct terms *t = g->n.t;
    if (term_kind(t, value) == OP_CONCAT && term_width(t, value) > 64) {
        unsigned low = term_width(t, term_kid(t, value, 1));
        if (low % 8 == 0) {
            gather_store(g, path, w, address, term_kid(t, value, 1));
            gather_store(g, path, w, term_add_const(t, address, low / 8), term_kid(t, value, 0));
            return;
        }
    }
    if (gather_words(g, path, w, address, value))
        return;
    gather_halves(g, path, w, address, value);
    expr place = expr_place(g->e, normal_of(&g->n, address));
    if (!is_local(g->e, place))
        gather_add(g, FEATURE_STORE, gather_known(g, path, w->decided, place),
                   gather_known(g, path, w->decided, normal_of(&g->n, value)),
                   gather_under(g, path, w->decided, w->site), w->site);
}

void gather_path(struct gatherer *g, const struct exec_path *path)
{
    const char *last = GATHER_START; /* what was called last; NULL: nobody knows */
    find_places(g, path);
    vec_clear(&g->calls);
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        g->in_first = first_iteration(g, path, e->decided, e->site);
        if (g->n.m && e->name && e->nargs && strncmp(e->name, "volatile.load", 13) == 0)
            gather_read(g, e->arg[0], e->site);
        if (e->kind != EVENT_CALL)
            continue;
        expr call = call_expr(g, e, callee(g, e->name));
        if (divides(g, e, call))
            continue;
        const char *before = last, *called = expr_name(g->e, call);
        last = !called ? NULL : gather_is_expanded(called) ? last : called;
        if (last == called)
            vec_push(&g->calls, (struct call){called, e});
        if (e->result != TERM_NONE && !is_given(e, e->result))
            normal_name(&g->n, e->result, call);
        if (e->token != TERM_NONE)
            map_set(&g->n.after, e->token, call);
        if (!is_new(g, path, e->decided,
                    hash_bytes(e->arg, e->nargs * sizeof *e->arg) ^
                        (before ? hash_bytes(before, strlen(before)) : 0),
                    e->site))
            continue;
        expr under = gather_under(g, path, e->decided, e->site);
        gather_add(g, FEATURE_CALL, gather_known(g, path, e->decided, call), EXPR_NONE, under, e->site);
        gather_given(g, e, under);
        if (before && last == called && called)
            gather_order(g, before, called, e->site);
    }
    gather_conditions(g, path);
    for (unsigned i = 0; i < path->nwrites; i++) {
        const struct exec_write *w = &path->write[i];
        if (!w->local && is_new(g, path, w->decided, (uint64_t)w->address << 32 | w->value, w->site)) {
            g->in_first = first_iteration(g, path, w->decided, w->site);
            g->follows = gather_before(g, w);
            gather_store(g, path, w, w->address, w->value);
            g->follows = NULL;
        }
    }
    g->in_first = 0;
    if (last && (path->end == PATH_RETURN || path->end == PATH_TAIL_CALL))
        gather_order(g, last, GATHER_RETURN, return_site(g, path));
    if (path->result != TERM_NONE && g->returns &&
        (path->end == PATH_RETURN || path->end == PATH_TAIL_CALL)) {
        /* A function has one exit for all values: the path to it is what counts. */
        unsigned n = path->nliterals;
        while (n && !gather_is_branch(g, path, n - 1))
            n--;
        expr under = n ? gather_known(g, path, n - 1, normal_truth(&g->n, path->literal[n - 1])) : EXPR_NONE;
        gather_add(g, FEATURE_RETURN, gather_known(g, path, path->nliterals, normal_of(&g->n, path->result)),
                   EXPR_NONE, under, return_site(g, path));
    }
}
