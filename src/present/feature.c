/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/feature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "exec/bitcode.h"
#include "exec/explore.h"
#include "flow/bitcode.h"
#include "match/match.h"
#include "present/normal.h"
#include "present/turns.h"

enum { WAYS_MIN = 48, WAYS_MAX = 64, BLOCKS_MAX = 4000 };

struct load {
    term address;
    uint64_t site;
};

struct gatherer {
    struct normaliser n;
    struct exprs *e;
    struct features *out;
    struct map seen;  /* hash of kind and expressions -> where in the list, from 1 on */
    struct map at;    /* the same, without what it sits under, and an instruction -> 1 */
    struct map times; /* and of how many instructions */
    struct map block; /* label -> index */
    struct map sites; /* address of an instruction -> index of its block */
    const struct flow_graph *graph;
    uint8_t *
        *avoid; /* by block: the set of blocks from which the function can end without it; made on demand */
    uint8_t *left; /* how often a block may still be run */
    uint64_t max_blocks;
    struct map reads; /* address and instruction -> 1; address -> how many instructions read it */
    struct map loads_seen;
    struct arena arena;
    VEC(struct load) loads; /* of the whole function */
    struct map looked;      /* what of paths was looked at */
    const struct features_options *opt;
    bool returns; /* the function gives a result */
    struct turns turns;
    VEC(uint32_t) first;    /* of the path: by block, the cycle it is in the first iteration of */
    VEC(uint32_t) place;    /* and by literal, the place of its block; UINT32_MAX: not known */
    uint32_t in_first;      /* what is being added: such a cycle or 0 */
    VEC(uint32_t) cycle_of; /* by feature: that, when it was never seen otherwise */
};

/* ---- one feature ---- */

static uint64_t identity(unsigned kind, expr what, expr value, expr under)
{
    return hash_u64(hash_u64((uint64_t)what << 32 | value) ^ under) * 4 + kind;
}

static void find_line(struct gatherer *g, struct feature *f)
{
    struct bitcode_line at;
    struct object_line line;
    if (g->n.m && bitcode_line(g->n.m, f->site, &at)) {
        f->file = at.file;
        f->line = at.line;
    } else if (g->n.p && object_debug_line(program_object(g->n.p), f->site, &line)) {
        f->file = line.file;
        f->line = line.line;
    }
    if (f->file)
        f->file = exprs_keep(g->e, f->file);
}

static void add_one(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under,
                    uint64_t site)
{
    uint64_t id = identity(kind, what, value, under), bare = identity(kind, what, value, EXPR_NONE), at;
    if (map_set(&g->at, hash_u64(bare) ^ hash_u64(site + 1), 1))
        map_set(&g->times, bare, map_find(&g->times, bare, 0) + 1);
    if (map_get(&g->seen, id, &at)) {
        if (!g->in_first)
            g->cycle_of.data[at - 1] = 0;
        return;
    }
    struct feature f = {.kind = (uint8_t)kind, .what = what, .value = value, .under = under, .site = site};
    if (g->opt && g->opt->lines)
        find_line(g, &f);
    vec_push(&g->out->list, f);
    vec_push(&g->cycle_of, g->in_first);
    map_set(&g->seen, id, g->out->list.len);
}

/* Each comparison that a condition is made of. */
static void add_condition(struct gatherer *g, expr x, uint64_t site)
{
    x = expr_branch(g->e, x);
    bool boolean = expr_is_boolean(g->e, x);
    enum op op = boolean ? (enum op)expr_value(g->e, x) : OP_COUNT_;
    if (op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_ITE)
        for (unsigned i = 0; i < expr_nkids(g->e, x); i++)
            add_condition(g, expr_kid(g->e, x, i), site);
    else if (op != OP_FUNORD && expr_kind(g->e, x) != EXPR_CONST)
        add_one(g, FEATURE_CONDITION, x, EXPR_NONE, EXPR_NONE, site);
}

/* A value as it is passed on. A truth value is a number there: what a program without a branch computes, and
 * one with a branch decides. */
static expr number_of(struct gatherer *g, expr x)
{
    if (x == EXPR_NONE)
        return x;
    /* How wide it is kept is not known: an int in a register of 64 bits has zeros above it. */
    if (expr_kind(g->e, x) == EXPR_OP && expr_value(g->e, x) == OP_AND &&
        expr_kid(g->e, x, 1) == expr_const(g->e, UINT32_MAX))
        x = expr_kid(g->e, x, 0);
    /* Whether a char has a sign is the processor's choice. */
    if (expr_kind(g->e, x) == EXPR_OP && expr_value(g->e, x) == OP_SEXT)
        x = expr_kid(g->e, x, 0);
    if (!expr_is_boolean(g->e, x))
        return expr_maybe_place(g->e, x);
    return expr_op(g->e, OP_ITE, (expr[]){x, expr_const(g->e, 1), expr_const(g->e, 0)}, 3);
}

static expr numbers_in(struct gatherer *g, expr call)
{
    VEC(expr) kid = VEC_INIT;
    if (expr_kind(g->e, call) != EXPR_CALL)
        return call;
    for (unsigned i = 0; i < expr_nkids(g->e, call); i++)
        vec_push(&kid, number_of(g, expr_kid(g->e, call, i)));
    expr r = expr_call(g->e, expr_name(g->e, call), kid.data, (unsigned)kid.len);
    vec_free(&kid);
    return r;
}

/* What is chosen without a branch is one feature for each choice, as with a branch. */
static void add_choices(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under,
                        uint64_t site, unsigned budget)
{
    expr choice = budget > 1 ? expr_choice(g->e, what) : EXPR_NONE;
    if (choice == EXPR_NONE && value != EXPR_NONE && budget > 1)
        choice = expr_choice(g->e, value);
    if (choice == EXPR_NONE && kind == FEATURE_CONDITION)
        add_condition(g, what, site);
    else if (choice == EXPR_NONE)
        add_one(g, kind, what, value, under, site);
    if (choice == EXPR_NONE)
        return;
    add_choices(g, FEATURE_CONDITION, expr_kid(g->e, choice, 0), EXPR_NONE, EXPR_NONE, site, budget / 2);
    for (unsigned i = 1; i < 3; i++) {
        expr to = expr_kid(g->e, choice, i);
        add_choices(g, kind, expr_replace(g->e, what, choice, to),
                    value == EXPR_NONE ? value : expr_replace(g->e, value, choice, to), under, site,
                    budget / 2);
    }
}

static void add(struct gatherer *g, enum feature_kind kind, expr what, expr value, expr under, uint64_t site)
{
    enum { CHOICES = 16 };
    if (kind == FEATURE_RETURN)
        what = number_of(g, what);
    else if (kind == FEATURE_CALL)
        what = numbers_in(g, what);
    add_choices(g, kind, what, number_of(g, value), under, site, CHOICES);
}

/* ---- what it depends on ---- */

/* The blocks from which the function can end without running `without`. */
static const uint8_t *avoiding(struct gatherer *g, uint32_t without)
{
    const struct flow_graph *f = g->graph;
    if (g->avoid[without])
        return g->avoid[without];
    uint8_t *set = g->avoid[without] = xcalloc(f->nblocks + 1, 1);
    for (uint32_t i = 0; i < f->nblocks; i++)
        set[i] = i != without && f->first_edge[i] == f->first_edge[i + 1];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = f->nedges; i-- > 0;) {
            const struct flow_edge *e = &f->edge[i];
            if (set[e->to] && !set[e->from] && e->from != without) {
                set[e->from] = 1;
                more = true;
            }
        }
    }
    return set;
}

static bool counts(struct gatherer *g, expr x)
{
    expr n = expr_leaf(g->e, EXPR_OTHER, "n", 0);
    return x == n || expr_replace(g->e, x, n, expr_any(g->e)) != x;
}

/* A comparison x with the counter of a loop that was left because it had come to a number: compilers use it
 * in place of that. Of which kind the comparison was cannot be told, so both are there. */
static expr counted(struct gatherer *g, expr x, expr left)
{
    expr n = expr_leaf(g->e, EXPR_OTHER, "n", 0), exit = expr_branch(g->e, left), test = expr_branch(g->e, x);
    for (unsigned i = 0; i < 2; i++) {
        expr c = i ? exit : test;
        if (!expr_is_boolean(g->e, c) || expr_value(g->e, c) != OP_ULT || expr_kid(g->e, c, 0) != n)
            return x;
    }
    expr to = expr_kid(g->e, exit, 1), with[] = {to, expr_kid(g->e, test, 1)};
    if (exit == left || counts(g, to))
        return x;
    expr both[] = {expr_op(g->e, OP_ULT, with, 2), expr_op(g->e, OP_SLT, with, 2)};
    return expr_op(g->e, OP_AND, both, 2);
}

/* x where it is known what something is equal to: where a path has found that, compilers use it. */
static expr known(struct gatherer *g, const struct exec_path *path, unsigned decided, expr x)
{
    enum { LAST = 12 };
    unsigned n = decided < path->nliterals ? decided : path->nliterals;
    bool loop = counts(g, x);
    for (unsigned i = n; i-- > 0 && n - i <= LAST;) {
        expr c = normal_truth(&g->n, path->literal[i]);
        if (loop && counts(g, c)) {
            x = counted(g, x, c);
            loop = false;
        }
        if (expr_kind(g->e, c) == EXPR_OP && expr_value(g->e, c) == OP_EQ &&
            expr_kind(g->e, expr_kid(g->e, c, 1)) == EXPR_CONST)
            x = expr_replace(g->e, x, expr_kid(g->e, c, 0), expr_kid(g->e, c, 1));
        /* What was chosen by what the path went by. */
        if (expr_is_boolean(g->e, c) && expr_choice(g->e, x) != EXPR_NONE) {
            expr plain = expr_branch(g->e, c);
            x = expr_replace(g->e, x, plain, expr_const(g->e, plain == c));
        }
    }
    return x;
}

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

/* Whether a condition was branched on, and is not what a division traps by. */
static bool is_branch(const struct gatherer *g, const struct exec_path *path, unsigned i)
{
    const struct flow_graph *f = g->graph;
    uint32_t b = path->literal_block[i];
    if (b >= f->nblocks)
        return true;
    uint32_t ways = f->first_edge[b + 1] - f->first_edge[b];
    return ways > 2 || (ways == 2 && (i + 1 == path->nliterals || path->literal_block[i + 1] != b));
}

static expr under_of(struct gatherer *g, const struct exec_path *path, unsigned decided, uint64_t site)
{
    uint64_t block;
    if (!map_get(&g->sites, site, &block))
        return EXPR_NONE;
    const uint8_t *avoid = avoiding(g, (uint32_t)block);
    for (unsigned i = decided < path->nliterals ? decided : path->nliterals; i-- > 0;) {
        uint32_t b = path->literal_block[i];
        if (b < g->graph->nblocks && b != block && avoid[b] && is_branch(g, path, i))
            return known(g, path, i, normal_truth(&g->n, path->literal[i]));
    }
    return EXPR_NONE;
}

static uint64_t last_site(const struct gatherer *g, uint32_t block)
{
    if (block >= g->graph->nblocks)
        return 0;
    const struct ir_block *b = &g->graph->block[block];
    return b->nmark ? b->mark[b->nmark - 1].address : b->label;
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

/* What is called, without what compilers append to the names of functions that they made others of. */
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

/* Where it was decided what is returned: where several ways lead to one exit, it is not there. */
static uint64_t return_site(const struct gatherer *g, const struct exec_path *path)
{
    uint32_t last = path->nblocks ? path->block[path->nblocks - 1] : UINT32_MAX, ways = 0;
    for (uint32_t i = 0; i < g->graph->nedges; i++)
        ways += g->graph->edge[i].to == last;
    uint64_t before = path->nblocks > 1 && ways > 1 ? last_site(g, path->block[path->nblocks - 2]) : 0;
    return before ? before : path->end_address;
}

/* What lies in locals that a callee is given the address of: it sees them. */
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
            snprintf(name, sizeof name, "%s...", e->name ? e->name : "*");
            add(g, FEATURE_STORE, expr_call(g->e, name, place, 2), value, under, e->site);
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

/* Which call comes after which: where a lock is taken. */
static void gather_order(struct gatherer *g, const char *before, const char *called,
                         const struct exec_event *e)
{
    char name[512];
    if (!before || !called)
        return;
    snprintf(name, sizeof name, "%.200s; %.200s", before, called);
    add(g, FEATURE_CALL, expr_leaf(g->e, EXPR_OTHER, name, 0), EXPR_NONE, EXPR_NONE, e->site);
}

/* Memory that is read again may have changed. In sources only volatile variables count: what is read how
 * often is the compiler's choice otherwise. */
static void note_read(struct gatherer *g, term address, uint64_t site)
{
    enum { TIMES = 4 };
    expr a = expr_place(g->e, normal_of(&g->n, address));
    if (is_local(g->e, a) || !map_set(&g->reads, hash_u64((uint64_t)a << 32) ^ hash_u64(site), 1))
        return;
    uint64_t times = map_find(&g->reads, a, 0) + 1;
    map_set(&g->reads, a, times);
    if (times > 1 && times <= TIMES)
        add(g, FEATURE_CALL, expr_call(g->e, "reads", (expr[]){a, expr_const(g->e, (int64_t)times)}, 2),
            EXPR_NONE, EXPR_NONE, site);
}

/* Looked at once all calls have their names. */
static void on_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned bytes,
                      bool write, term guard, uint64_t site)
{
    (void)at, (void)space, (void)bytes, (void)guard;
    struct gatherer *g = ctx;
    if (!write && map_set(&g->loads_seen, hash_u64(address) ^ hash_u64(site * 5 + 2), 1))
        vec_push(&g->loads, (struct load){address, site});
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

/* Whether what a block compares leads there. */
static bool leads(const struct flow_graph *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = f->first_edge[from]; i < f->first_edge[from + 1]; i++)
        if (f->edge[i].kind != EDGE_SWITCH && landing(f, f->edge[i].to) == to)
            return true;
    return false;
}

/* Whether a table of jumps led to where the comparison before it leads what is not in the table, or nowhere:
 * a value of which nothing is said in the source. `at` is the place in the path's blocks where that was
 * decided. */
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

/* Whether a comparison from both sides only keeps a table of jumps from being left: x - 2 < 7 before a
 * switch. */
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
    turns_of_path(&g->turns, path->block, path->nblocks, g->first.data);
    for (unsigned i = 0; i < path->nliterals; i++) {
        uint32_t k = path->literal_after[i] - 1;
        bool is = k < path->nblocks && path->block[k] == path->literal_block[i];
        vec_push(&g->place, is ? k : UINT32_MAX);
    }
}

/* The cycle that something is in the first iteration of that was done after this many decisions, or 0. */
static uint32_t first_turn(const struct gatherer *g, const struct exec_path *path, unsigned decided,
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
        if (!is_branch(g, path, i) || !is_new(g, path, i, path->literal[i], path->literal_block[i]) ||
            (k < path->nblocks && is_default(g, path, k)))
            continue;
        expr x = normal_truth(&g->n, path->literal[i]);
        if (k == path->nblocks || !is_guard(g, path, k, x))
            add(g, FEATURE_CONDITION, known(g, path, i, x), EXPR_NONE, EXPR_NONE,
                last_site(g, path->literal_block[i]));
    }
}

static void gather_store(struct gatherer *g, const struct exec_path *path, const struct exec_write *w,
                         term address, term value);

/* A constant of two words is two that lie side by side. One of a word may be two as well: then both ways of
 * seeing it are there. Whether the whole is done with. */
static bool gather_halves(struct gatherer *g, const struct exec_path *path, const struct exec_write *w,
                          term address, term value)
{
    struct terms *t = g->n.t;
    unsigned width = term_width(t, value), half = width / 2;
    struct bits v;
    if ((width != 64 && width != 128) || !term_const_value(t, value, &v))
        return false;
    /* A small number has zeros or ones above it, and an address is one. */
    uint64_t above = bits_low(v) >> 32;
    if (width == 64 && (above == 0 || above == UINT32_MAX || (g->n.bias && above == g->n.bias >> 32)))
        return false;
    gather_store(g, path, w, address, term_extract(t, value, 0, half));
    gather_store(g, path, w, term_add_const(t, address, half / 8), term_extract(t, value, half, half));
    return width == 128;
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
    if (gather_halves(g, path, w, address, value))
        return;
    expr place = expr_place(g->e, normal_of(&g->n, address));
    if (!is_local(g->e, place))
        add(g, FEATURE_STORE, known(g, path, w->decided, place),
            known(g, path, w->decided, normal_of(&g->n, value)), under_of(g, path, w->decided, w->site),
            w->site);
}

static void gather(struct gatherer *g, const struct exec_path *path)
{
    const char *last = NULL;
    find_places(g, path);
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        g->in_first = first_turn(g, path, e->decided, e->site);
        if (g->n.m && e->name && e->nargs && strncmp(e->name, "volatile.load", 13) == 0)
            note_read(g, e->arg[0], e->site);
        if (e->kind != EVENT_CALL)
            continue;
        const char *before = last;
        last = callee(g, e->name);
        expr call = call_expr(g, e, last);
        if (divides(g, e, call))
            continue;
        if (e->result != TERM_NONE && !is_given(e, e->result))
            normal_name(&g->n, e->result, call);
        if (e->token != TERM_NONE)
            map_set(&g->n.after, e->token, call);
        if (!is_new(g, path, e->decided,
                    hash_bytes(e->arg, e->nargs * sizeof *e->arg) ^
                        (before ? hash_bytes(before, strlen(before)) : 0),
                    e->site))
            continue;
        expr under = under_of(g, path, e->decided, e->site);
        add(g, FEATURE_CALL, known(g, path, e->decided, call), EXPR_NONE, under, e->site);
        gather_given(g, e, under);
        gather_order(g, before, last, e);
    }
    gather_conditions(g, path);
    for (unsigned i = 0; i < path->nwrites; i++) {
        const struct exec_write *w = &path->write[i];
        if (!w->local && is_new(g, path, w->decided, (uint64_t)w->address << 32 | w->value, w->site)) {
            g->in_first = first_turn(g, path, w->decided, w->site);
            gather_store(g, path, w, w->address, w->value);
        }
    }
    g->in_first = 0;
    if (path->result != TERM_NONE && g->returns &&
        (path->end == PATH_RETURN || path->end == PATH_TAIL_CALL)) {
        /* Functions have one exit for all values: it is the way there that counts. */
        unsigned n = path->nliterals;
        while (n && !is_branch(g, path, n - 1))
            n--;
        expr under = n ? known(g, path, n - 1, normal_truth(&g->n, path->literal[n - 1])) : EXPR_NONE;
        add(g, FEATURE_RETURN, known(g, path, path->nliterals, normal_of(&g->n, path->result)), EXPR_NONE,
            under, return_site(g, path));
    }
}

/* ---- the walk ---- */

static bool on_path(void *ctx, const struct exec_path *path)
{
    gather(ctx, path);
    return true;
}

/* Lets a block be run once for each way into it; a path that comes later ends there, with what it has done.
 */
static bool on_enter(void *ctx, struct exec_moment *at, ir_label label, unsigned times)
{
    (void)times;
    struct gatherer *g = ctx;
    uint64_t i;
    if (!map_get(&g->block, label, &i))
        return true;
    if (g->left[i] == 0 || g->out->executed >= g->max_blocks) {
        g->out->complete = g->out->complete && g->out->executed < g->max_blocks;
        gather(g, moment_path(at));
        return false;
    }
    g->left[i]--;
    g->out->executed++;
    return true;
}

static int on_arity(void *ctx, const char *name, uint64_t site)
{
    (void)site;
    struct gatherer *g = ctx;
    const char *other = name && g->opt->rename ? g->opt->rename(g->opt->rename_ctx, name) : NULL;
    return name ? g->opt->arity(g->opt->arity_ctx, other ? other : name) : -1;
}

int features_arity_of_bitcode(void *module, const char *name)
{
    const struct bitcode_function *f = bitcode_function(module, name, NULL);
    return f && !f->variadic ? (int)f->nargs : -1;
}

int features_floats_of_bitcode(void *module, const char *name)
{
    const struct bitcode_function *f = bitcode_function(module, name, NULL);
    return f && !f->variadic ? (int)f->nfargs : -1;
}

static void prepare(struct gatherer *g, const struct flow_graph *graph)
{
    g->graph = graph;
    turns_init(&g->turns, graph);
    g->left = xcalloc(graph->nblocks + 1, 1);
    g->avoid = xcalloc(graph->nblocks + 1, sizeof *g->avoid);
    for (uint32_t i = 0; i < graph->nblocks; i++) {
        map_set(&g->block, graph->block[i].label, i);
        for (uint32_t k = 0; k < graph->block[i].nmark; k++)
            map_set(&g->sites, graph->block[i].mark[k].address, i);
    }
    for (uint32_t i = 0; i < graph->nedges; i++)
        if (g->left[graph->edge[i].to] < WAYS_MAX)
            g->left[graph->edge[i].to]++;
    for (uint32_t i = 0; i < graph->nblocks; i++)
        if (g->left[i] < WAYS_MIN)
            g->left[i] = WAYS_MIN;
    g->out->blocks = graph->nblocks;
    g->out->complete = true;
}

static int by_key(const void *a, const void *b, void *ctx)
{
    const struct feature *l = a, *r = b;
    const struct exprs *t = ctx;
    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    uint64_t lk = expr_key(t, l->what), rk = expr_key(t, r->what);
    if (lk != rk)
        return lk < rk ? -1 : 1;
    lk = l->value == EXPR_NONE ? 0 : expr_key(t, l->value);
    rk = r->value == EXPR_NONE ? 0 : expr_key(t, r->value);
    if (lk != rk)
        return lk < rk ? -1 : 1;
    lk = l->under == EXPR_NONE ? 0 : expr_key(t, l->under);
    rk = r->under == EXPR_NONE ? 0 : expr_key(t, r->under);
    return lk < rk ? -1 : lk > rk;
}

static struct explore_options walk_options(const struct features_options *opt, const struct explore_hooks *h,
                                           const struct exec_policy *policy)
{
    return (struct explore_options){.axioms = AXIOM_ALL,
                                    .max_paths = 1 << 20,
                                    .timeout_ms = opt ? opt->timeout_ms : 0,
                                    .hooks = h,
                                    .policy = policy};
}

static void finish(struct gatherer *g, struct explorer *x)
{
    struct explore_stats s = explorer_stats(x);
    for (size_t i = 0; i < g->loads.len; i++)
        note_read(g, g->loads.data[i].address, g->loads.data[i].site);
    for (size_t i = 0; i < g->out->list.len; i++) {
        struct feature *f = &g->out->list.data[i];
        f->first = g->turns.turned[g->cycle_of.data[i]];
        f->sites = (unsigned)map_find(&g->times, identity(f->kind, f->what, f->value, EXPR_NONE), 0);
    }
    g->out->unknown = s.undecoded + s.unresolved_jumps;
    g->out->complete = g->out->complete && s.dropped == 0;
    if (g->out->list.len > 1)
        qsort_r(g->out->list.data, g->out->list.len, sizeof *g->out->list.data, by_key, g->e);
    explorer_free(x);
    terms_free(g->n.t);
    normal_free(&g->n);
    map_free(&g->seen);
    map_free(&g->at);
    map_free(&g->times);
    map_free(&g->block);
    map_free(&g->sites);
    map_free(&g->reads);
    map_free(&g->looked);
    map_free(&g->loads_seen);
    arena_free(&g->arena);
    vec_free(&g->loads);
    vec_free(&g->first);
    vec_free(&g->place);
    vec_free(&g->cycle_of);
    turns_free(&g->turns);
    for (uint32_t i = 0; i < g->graph->nblocks; i++)
        free(g->avoid[i]);
    free(g->avoid);
    free(g->left);
}

bool features_of_function(struct exprs *t, struct program *p, const struct flow_function *f,
                          const struct features_options *opt, struct features *out, struct error *err)
{
    /* High up, so that no number is taken for an address. */
    const struct ir_machine *m = program_machine(p);
    uint64_t bias = m->pointer_width == 64 ? UINT64_C(0x5a0000000000) : UINT64_C(0x5a000000);
    *out = (struct features){0};
    struct gatherer g = {.n = {.e = t, .t = terms_new(), .machine = m, .p = p, .bias = bias},
                         .e = t,
                         .out = out,
                         .opt = opt,
                         .max_blocks = opt && opt->max_blocks ? opt->max_blocks : BLOCKS_MAX};
    struct flow_prototype proto = flow_table_prototype(p, f);
    g.returns = proto.source == PROTO_NONE || proto.returns || proto.returns_float;
    prepare(&g, flow_graph(p, f));
    struct explore_hooks hooks = {.ctx = &g, .enter = on_enter, .access = on_access};
    struct exec_callees callees = {.ctx = &g};
    struct exec_policy policy = exec_policy_sample;
    if (opt && opt->arity) {
        callees.arity = on_arity;
        policy.arguments = EXEC_ARGUMENTS_LISTED;
    }
    struct explore_options o = walk_options(opt, &hooks, &policy);
    o.callees = &callees;
    o.bias = bias;
    struct explorer *x = explorer_new(p, g.n.t, NULL, &o);
    bool ok = explore_function(x, f, on_path, &g, err);
    finish(&g, x);
    return ok;
}

bool features_of_bitcode(struct exprs *t, struct bitcode *m, const struct bitcode_function *f,
                         const struct features_options *opt, struct features *out, struct error *err)
{
    *out = (struct features){0};
    const struct bitcode_code *code = bitcode_code(m, f, err);
    if (!code)
        return false;
    struct arena arena = ARENA_INIT;
    struct gatherer g = {.n = {.e = t, .t = terms_new(), .machine = &code->machine, .m = m, .code = code},
                         .e = t,
                         .out = out,
                         .opt = opt,
                         .returns = f->returns,
                         .max_blocks = opt && opt->max_blocks ? opt->max_blocks : BLOCKS_MAX};
    const struct flow_graph *graph = flow_bitcode(code, &arena);
    prepare(&g, graph);
    struct explore_hooks hooks = {.ctx = &g, .enter = on_enter};
    struct explore_options o = walk_options(opt, &hooks, &exec_policy_sample);
    struct explorer *x = explorer_new_bitcode(m, code, g.n.t, NULL, &o);
    bool ok = explore_graph(x, graph, on_path, &g, err);
    finish(&g, x);
    arena_free(&arena);
    return ok;
}

void features_free(struct features *f)
{
    vec_free(&f->list);
}

/* ---- looking ---- */

bool feature_same(const struct feature *a, const struct feature *b)
{
    return a->kind == b->kind && a->what == b->what && a->value == b->value;
}

bool features_have(const struct features *f, const struct feature *x, bool under)
{
    for (size_t i = 0; i < f->list.len; i++)
        if (feature_same(&f->list.data[i], x) && (!under || f->list.data[i].under == x->under))
            return true;
    return false;
}

const char *feature_kind_name(enum feature_kind k)
{
    static const char *const name[] = {"return", "condition", "call", "store"};
    return name[k];
}

void feature_print(struct buf *out, const struct exprs *t, const struct feature *f)
{
    buf_printf(out, "%s ", feature_kind_name((enum feature_kind)f->kind));
    expr_print(out, t, f->what);
    if (f->value != EXPR_NONE) {
        buf_puts(out, " = ");
        expr_print(out, t, f->value);
    }
}

void feature_print_under(struct buf *out, const struct exprs *t, const struct feature *f)
{
    feature_print(out, t, f);
    if (f->under != EXPR_NONE) {
        buf_puts(out, " when ");
        expr_print(out, t, f->under);
    }
}
