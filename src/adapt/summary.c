/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function does, explored once with every branch joined again. */
#include <limits.h>
#include <string.h>

#include "adapt/internal.h"

enum {
    FOLLOW_DEPTH = 24,
    FOLLOW_BLOCKS = 200,
    MAX_PATHS = 400,
    MAX_ACCESSES = 300,
    /* Of one case of a proof: */
    MOST_ACCESSES = 5000,
    MOST_TERMS = 200000,
    CASE_DEPTH = 6000,
    MAX_TERMS = 20000, /* in what it does, counted once for each part */
    /* When that is too much, paths one by one: */
    SOME_PATHS = 60,
    SOME_VISITS = 2,
    SOME_DEPTH = 2000,
    SOME_MS = 2000,
    SMALL_TERMS = 1500, /* in one path, or one access */

    FLOAT_SYMBOLS = 64, /* the symbols of floating-point arguments have numbers from there on */
};

bool summary_argument(const struct summary *s, term x, unsigned *i)
{
    if (!origin_is_argument(s->a->t, x, i))
        return false;
    if (*i >= FLOAT_SYMBOLS)
        *i += s->shape.words - FLOAT_SYMBOLS;
    else if (s->shape.floats && *i >= s->shape.words)
        *i = UINT_MAX;
    return true;
}

void summary_symbols(struct summary *s)
{
    struct terms *t = s->a->t;
    s->sp = origin_symbol(t, (struct term_origin){.kind = ORIGIN_SP}, s->a->width);
    s->memory = origin_array(t, (struct term_origin){.kind = ORIGIN_MEMORY}, s->a->width, 8);
    s->world = origin_symbol(t, (struct term_origin){.kind = ORIGIN_WORLD}, 64);
}

static term float_symbol(const struct summary *s, unsigned i)
{
    return origin_symbol(s->a->t, (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = FLOAT_SYMBOLS + i},
                         s->a->width);
}

void summary_name_arguments(struct summary *s)
{
    for (unsigned i = 0; i < s->nargs; i++)
        s->arg[i] = i >= s->shape.words
                        ? float_symbol(s, i - s->shape.words)
                        : origin_symbol(s->a->t, (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = i},
                                        s->a->width);
    for (unsigned i = 0; i < s->nargs; i++) {
        if (s->used[i])
            s->use[s->nuse++] = i;
        if (i < s->shape.words)
            s->nuse_words = s->nuse;
    }
}

static bool is_kept(const char *name)
{
    static const char *const kept[] = {"fs_base",   "gs_base",  "fs",   "gs",
                                       "tpidr_el0", "tpidruro", "fpcr", "fpscr"};
    for (size_t i = 0; name && i < sizeof kept / sizeof *kept; i++)
        if (strcasecmp(name, kept[i]) == 0)
            return true;
    return false;
}

/* A register at entry that carries no argument, and that the next caller may leave otherwise. */
static bool is_leftover(const struct summary *s, term x)
{
    struct terms *t = s->a->t;
    unsigned i;
    if (summary_argument(s, x, &i))
        return i >= s->nargs;
    return (origin_is(t, x, ORIGIN_REGISTER) && !is_kept(term_origin(t, x).name)) ||
           origin_is(t, x, ORIGIN_RETURN_ADDRESS);
}

static bool is_ordering_name(const char *name)
{
    return name && (strcmp(name, "atomic") == 0 || strncmp(name, "fence", 5) == 0);
}

static bool is_syscall(const struct terms *t, term x)
{
    struct term_origin o = term_origin(t, x);
    return term_kind(t, x) == TERM_APPLY && o.name && strcmp(o.name, "syscall") == 0 &&
           (o.kind == ORIGIN_RESULT || o.kind == ORIGIN_MEMORY_AFTER || o.kind == ORIGIN_WORLD_AFTER);
}

static bool is_of_floats(const struct summary *s, term x)
{
    for (unsigned i = 0; i < s->m->nfargs; i++)
        if (term_any(s->a->t, explorer_entry(s->x, s->m->farg[i], s->a->width), term_is_that, &x))
            return true;
    return false;
}

/* A register as the caller left it, or a part of one. */
static bool is_left_there(const struct summary *s, term x)
{
    struct terms *t = s->a->t;
    while (term_kind(t, x) == OP_EXTRACT || term_kind(t, x) == OP_ZEXT)
        x = term_kid(t, x, 0);
    return is_leftover(s, x) && !(s->vague && is_of_floats(s, x));
}

/* What a callee that was not followed is given, or did. */
static bool is_of_call(const struct terms *t, term x)
{
    unsigned kind = term_origin(t, x).kind;
    return term_kind(t, x) == TERM_APPLY &&
           (kind == ORIGIN_RESULT || kind == ORIGIN_FLOAT_RESULT || kind == ORIGIN_MEMORY_AFTER ||
            kind == ORIGIN_WORLD_AFTER || kind == ORIGIN_TOKEN || kind == ORIGIN_ERRNO ||
            kind == ORIGIN_OUTPUT);
}

/* In which order other threads see memory is not compared. */
static bool is_ordering(const struct terms *t, term x)
{
    struct term_origin o = term_origin(t, x);
    return term_kind(t, x) == TERM_APPLY && o.kind == ORIGIN_WORLD_AFTER &&
           o.part == ORIGIN_WORLD_INTRINSIC && term_nkids(t, x) == 1 && is_ordering_name(o.name);
}

/* At which of its arguments a system call looks, a set. False: that is not known. */
static bool looks_at(const struct summary *s, uint64_t number, term second, unsigned *set)
{
    uint64_t operation = 0;
    bool known = second != TERM_NONE && term_const_u64(s->a->t, second, &operation);
    return syscall_looks_at(s->m, number, known ? &operation : NULL, set);
}

/* Registers that a system call does not look at are nothing that it is given; nor are those that carry
 * nothing for the function itself given to a callee: no function looks at what nobody put there. */
static term without_leftovers(void *ctx, term x, const term *kid)
{
    enum { CALL_KIDS = 256 };
    const struct summary *s = ctx;
    struct terms *t = s->a->t;
    uint64_t number;
    term given[16];
    unsigned n = term_nkids(t, x), looks;
    if (is_ordering(t, x))
        return kid[0];
    if (is_of_call(t, x) && !is_syscall(t, x) && n <= CALL_KIDS) {
        term call[CALL_KIDS];
        for (unsigned i = 0; i < n; i++)
            call[i] = is_left_there(s, kid[i]) ? term_const(t, term_width(t, kid[i]), 0) : kid[i];
        return term_rebuild(t, x, call);
    }
    if (!is_syscall(t, x) || n > 16 || !term_const_u64(t, kid[0], &number) ||
        !looks_at(s, number, n > 2 ? kid[2] : TERM_NONE, &looks))
        return term_rebuild(t, x, kid);
    memcpy(given, kid, n * sizeof *given);
    for (unsigned i = 0; i < s->m->nsyscall_args && i + 1 < n; i++)
        if (!(looks >> i & 1))
            given[i + 1] = term_const(t, s->a->width, 0);
    return term_rebuild(t, x, given);
}

/* ---- what the explorer asks ---- */

static void on_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned cells,
                      bool write, term guard, uint64_t site)
{
    struct summary *s = ctx;
    struct terms *t = s->a->t;
    (void)site;
    if (space != 0)
        return;
    term base;
    uint64_t offset;
    term_split(t, address, &base, &offset);
    if (origin_is(t, base, ORIGIN_SP) || origin_is(t, base, ORIGIN_CALLER))
        return;
    if (s->seen.len >= (s->given ? MOST_ACCESSES : MAX_ACCESSES)) {
        s->lost = true;
        return;
    }
    term when = moment_condition(at);
    if (guard != TERM_NONE)
        when = term_and(t, when, guard);
    vec_push(&s->seen, (struct access){address, when, cells, write});
}

/* An address of the file less a number, so that an index that does not begin at 0 leads back into it. */
static bool is_astray(const struct summary *s, uint64_t offset)
{
    const uint64_t reach = UINT64_C(1) << (s->a->width == 64 ? 40 : 28), ones = word_ones(s->a->width);
    uint8_t byte;
    return s->bias && ((offset - s->bias + reach) & ones) < 2 * reach &&
           !object_read(program_object(s->code.p), offset - s->bias, &byte, 1);
}

struct load {
    struct summary *s;
    unsigned width;
    term otherwise;
};

static term load_at(void *ctx, term address)
{
    const struct load *l = ctx;
    struct summary *s = l->s;
    struct terms *t = s->a->t;
    term base, otherwise = l->otherwise;
    uint64_t offset;
    term_split(t, address, &base, &offset);
    if (base == TERM_NONE)
        return otherwise;
    term here = term_const(t, s->a->width, offset);
    s->astray = s->astray || is_astray(s, offset);
    otherwise = roms_load_around(&s->roms, offset - s->bias, here, address, l->width, otherwise);
    /* what is given may be anywhere: an offset from it is no address of the file, unless that is always at
     * the same */
    bool fixed = object_info(program_object(s->code.p))->type == OBJECT_EXECUTABLE;
    return s->bias && fixed && !s->given
               ? roms_load_around(&s->roms, offset, here, address, l->width, otherwise)
               : otherwise;
}

static term on_load(void *ctx, term address, unsigned width, term otherwise)
{
    struct load l = {.s = ctx, .width = width, .otherwise = otherwise};
    return term_choose(l.s->a->t, address, load_at, &l);
}

/* Functions of the same name in two files may be two functions; those of other files are the same. */
static const char *on_name(void *ctx, const char *name, uint64_t address)
{
    struct summary *s = ctx;
    if (!s->second || !name || !address || object_stub_at(program_object(s->code.p), address))
        return name;
    return arena_printf(s->a->arena, "%s of the other file", name);
}

/* No path through it comes to a block twice, as far as the order of blocks shows. */
static bool may_loop(const struct flow_graph *g)
{
    for (uint32_t i = 0; i < g->nedges; i++)
        if (g->edge[i].to <= g->edge[i].from)
            return true;
    return false;
}

static struct exec_call on_call(void *ctx, struct exec_moment *at, const struct exec_callee *c)
{
    struct summary *s = ctx;
    (void)at;
    const struct flow_graph *g = c->f && !(c->f->flags & FLOW_IFUNC) ? flow_graph(s->code.p, c->f) : NULL;
    bool follow = g && g->nblocks && g->nblocks <= FOLLOW_BLOCKS && !g->nproblems && !g->noreturn &&
                  (s->deep || !may_loop(g));
    s->rounds = s->rounds || (follow && x87_rounds(s->code.p, g));
    return (struct exec_call){.kind = follow ? EXEC_CALL_FOLLOW : EXEC_CALL_USUAL};
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct summary *s = ctx;
    vec_push(&s->path, path);
    return true;
}

/* ---- one behaviour of all paths ---- */

static bool returns(const struct exec_path *p)
{
    return p->end == PATH_RETURN || p->end == PATH_TAIL_CALL;
}

static bool is_whole(const struct exec_path *p)
{
    return returns(p) || p->end == PATH_TRAP || p->end == PATH_NORETURN;
}

static bool has_own_stack(void *ctx, term x)
{
    return origin_is(ctx, x, ORIGIN_SP) || origin_is(ctx, x, ORIGIN_CALLER);
}

/* Why a difference that hangs on this event says nothing; NULL: it does. */
static const char *doubtful(struct summary *s, const struct exec_event *e)
{
    struct terms *t = s->a->t;
    uint64_t number;
    if (e->kind == EVENT_UNKNOWN)
        return arena_printf(s->a->arena, "an instruction is not understood: %s", e->name ? e->name : "?");
    if (e->kind == EVENT_INTRINSIC && !e->nargs && e->reads && is_ordering_name(e->name))
        return NULL;
    if (e->kind == EVENT_INTRINSIC)
        return arena_printf(s->a->arena, "what the instruction %s does is not known",
                            e->name ? e->name : "?");
    if (e->kind == EVENT_CALL)
        return arena_printf(s->a->arena, "a callee was not followed: %s",
                            e->name ? e->name : "through a pointer");
    unsigned looks;
    if (!e->nargs || !term_const_u64(t, e->arg[0], &number) ||
        !looks_at(s, number, e->nargs > 2 ? e->arg[2] : TERM_NONE, &looks))
        return "it is not known how many arguments a system call takes";
    for (unsigned i = 0; i + 1 < e->nargs; i++)
        if (looks >> i & 1 && term_any_of_many(t, e->arg[1 + i], &s->stacked, has_own_stack, t))
            return "a system call is given an address of the own frame";
    return NULL;
}

/* How much a path does; nothing more is counted when it is too much. */
static size_t path_size(const struct summary *s, const struct exec_path *p)
{
    const term list[] = {p->condition, p->result, p->memory, p->world};
    size_t n = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list && n <= SMALL_TERMS; i++)
        if (list[i] != TERM_NONE)
            n += term_size_to(s->a->t, list[i], SMALL_TERMS);
    return n;
}

/* Whether the path counts: all that were followed to their end, of a part only small ones. */
static bool is_taken(const struct summary *s, const struct exec_path *p)
{
    return is_whole(p) && (!s->partial || path_size(s, p) <= SMALL_TERMS);
}

static void gather_events(struct summary *s, const struct exec_path *p, bool taken)
{
    struct terms *t = s->a->t;
    struct behaviour *b = &s->is;
    if (!taken && term_size_to(t, p->condition, SMALL_TERMS) > SMALL_TERMS)
        return;
    for (unsigned k = 0; k < p->nevents; k++) {
        const struct exec_event *e = &p->event[k];
        term when = e->guard == TERM_NONE ? p->condition : term_and(t, p->condition, e->guard);
        if (e->kind == EVENT_SYSCALL)
            b->asks = term_or(t, b->asks, when);
        const char *why = taken ? doubtful(s, e) : NULL;
        if (!why)
            continue;
        s->why_doubt = why;
        b->doubt = term_or(t, b->doubt, when);
    }
}

unsigned summary_result_register(const struct summary *s, unsigned k)
{
    if (s->code.fragment)
        return k ? UINT16_MAX : fragment_register(s->code.p, s->code.out);
    if (s->real)
        return k ? UINT16_MAX : s->m->fret;
    return k ? s->m->ret2 : s->m->ret;
}

static void gather_ends(struct summary *s)
{
    struct terms *t = s->a->t;
    struct behaviour *b = &s->is;
    unsigned width = s->a->width;
    term whole = term_false(t);
    bool all = true, first = true;
    s->why_open = s->why_doubt = s->unfit = NULL;
    *b = (struct behaviour){.returns = whole, .traps = whole, .open = whole, .doubt = whole, .asks = whole};
    b->memory = s->memory;
    b->world = s->world;
    for (unsigned k = 0; k < 2; k++)
        b->result[k] = summary_result_register(s, k) == UINT16_MAX
                           ? term_const(t, width, 0)
                           : explorer_entry(s->x, summary_result_register(s, k), width);
    for (size_t i = s->path.len; i-- > 0;) {
        const struct exec_path *p = s->path.data[i];
        bool taken = is_taken(s, p);
        gather_events(s, p, taken);
        if (!taken) {
            all = false;
            s->why_open = is_whole(p) ? "it does too much to be compared"
                                      : arena_printf(s->a->arena, "%s", path_end_name((enum path_end)p->end));
            if (p->end != PATH_LOOP_BOUND)
                s->unfit = s->why_open;
            continue;
        }
        whole = term_or(t, whole, p->condition);
        if (returns(p))
            b->returns = term_or(t, b->returns, p->condition);
        if (p->end == PATH_TRAP)
            b->traps = term_or(t, b->traps, p->condition);
        if (p->end == PATH_TRAP)
            continue; /* what is left behind does not matter */
        b->memory = first ? p->memory : term_ite(t, p->condition, p->memory, b->memory);
        b->world = first ? p->world : term_ite(t, p->condition, p->world, b->world);
        first = false;
    }
    bool any = false;
    for (size_t i = s->path.len; i-- > 0;) {
        const struct exec_path *p = s->path.data[i];
        if (!returns(p) || !is_taken(s, p))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            unsigned at = summary_result_register(s, k);
            if (at == UINT16_MAX)
                continue;
            term v = exec_path_register(s->x, p, at, width);
            if (s->real && s->shape.result_bits == 32)
                v = term_zext(t, term_extract(t, v, 0, 32), width);
            b->result[k] = any ? term_ite(t, p->condition, v, b->result[k]) : v;
        }
        any = true;
    }
    struct explore_stats st = explorer_stats(s->x);
    if (st.dropped) {
        all = false;
        s->why_open = s->unfit = "limit of time or paths";
    }
    if (!all)
        b->open = term_not(t, whole);
    s->stuck = term_is_false(t, whole);
    if (st.undecoded) {
        b->doubt = term_true(t);
        s->why_doubt = s->unfit = "an instruction is not understood";
    }
    if (st.throws_ignored) {
        b->doubt = term_true(t);
        s->why_doubt = s->unfit = "a callee may throw";
    }
}

/* ---- its arguments ---- */

static void each_term(struct behaviour *b, void (*fn)(void *ctx, term *x), void *ctx)
{
    term *const list[] = {&b->returns,   &b->traps,     &b->open,   &b->doubt, &b->asks,
                          &b->result[0], &b->result[1], &b->memory, &b->world};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        fn(ctx, list[i]);
    for (size_t i = 0; i < b->naccesses; i++) {
        struct access *c = (struct access *)&b->access[i];
        fn(ctx, &c->address);
        fn(ctx, &c->when);
    }
}

struct finding {
    struct summary *s;
    unsigned most; /* arguments that occur */
    bool callers;  /* and what lies where the caller put more of them */
    struct map seen;
};

static bool find_symbol(void *ctx, term x)
{
    struct finding *f = ctx;
    unsigned i;
    if (summary_argument(f->s, x, &i)) {
        if (i < ADAPT_ARGUMENTS)
            f->s->used[i] = true;
        if (i >= f->most)
            f->most = i + 1;
    }
    f->callers = f->callers || origin_is(f->s->a->t, x, ORIGIN_CALLER);
    return false;
}

static void find_symbols(void *ctx, term *x)
{
    struct finding *f = ctx;
    term_any_of_many(f->s->a->t, *x, &f->seen, find_symbol, f);
}

static bool reached(void *ctx, term x)
{
    unsigned i;
    return origin_is_argument(ctx, x, &i);
}

struct trimming {
    struct summary *s;
    struct map done;
};

static void trim(void *ctx, term *x)
{
    struct trimming *r = ctx;
    *x = term_rewrite(r->s->a->t, *x, &r->done, without_leftovers, r->s);
}

static bool test_leftover(void *ctx, term x)
{
    return is_leftover(ctx, x);
}

/* Made of arguments alone, and of what memory has at addresses that are. */
static bool is_strict(struct summary *s, term x, unsigned *steps)
{
    enum { MOST = 200 };
    struct terms *t = s->a->t;
    unsigned i, kind = term_kind(t, x);
    if (++*steps > MOST || kind == TERM_APPLY)
        return false;
    if (kind == TERM_VAR)
        return summary_argument(s, x, &i) && i < s->nargs;
    if (kind == TERM_READ)
        return term_kid(t, x, 0) == s->memory &&
               term_any_of_many(t, term_kid(t, x, 1), &s->reached, reached, t) &&
               is_strict(s, term_kid(t, x, 1), steps);
    for (unsigned k = 0; k < term_nkids(t, x); k++)
        if (!is_strict(s, term_kid(t, x, k), steps))
            return false;
    return true;
}

/* Accesses whose address an argument has a part in come first. */
static void order_accesses(struct summary *s)
{
    struct access *list = arena_array(s->a->arena, struct access, s->seen.len + 1);
    size_t n = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->seen.len; i++) {
            struct access c = s->seen.data[i];
            unsigned steps = 0;
            if (term_any_of_many(s->a->t, c.address, &s->reached, reached, s->a->t) != (pass == 0))
                continue;
            if (s->partial &&
                term_size_to(s->a->t, c.address, SMALL_TERMS) + term_size_to(s->a->t, c.when, SMALL_TERMS) >
                    SMALL_TERMS) {
                s->lost = true;
                continue;
            }
            c.strict = pass == 0 && is_strict(s, c.address, &steps);
            list[n++] = c;
        }
        if (!pass)
            s->is.nreached = n;
    }
    s->is.access = list;
    s->is.naccesses = n;
}

/* Whether debug information or the table of the library says how many there are. */
static bool knows_arguments(const struct flow_prototype *proto)
{
    return proto->nargs >= 0 && (proto->source == PROTO_DWARF || proto->source == PROTO_LIBRARY) &&
           !proto->variadic;
}

/* The register for floating-point results is changed, and nobody says that it is no result. */
static bool returns_float(struct summary *s, const struct flow_prototype *proto)
{
    unsigned at = s->m->fret;
    if (proto->returns_float || at == UINT16_MAX)
        return proto->returns_float;
    if (proto->source == PROTO_DWARF || proto->source == PROTO_LIBRARY)
        return false;
    for (size_t i = 0; i < s->path.len; i++)
        if (returns(s->path.data[i]) &&
            exec_path_register(s->x, s->path.data[i], at, 64) != explorer_entry(s->x, at, 64))
            return true;
    return false;
}

/* It is known which floating-point numbers it takes and returns, and there are some. */
static bool has_floats(const struct summary *s)
{
    return s->shape.floats || s->shape.result_bits;
}

static bool take_arguments(struct summary *s, const struct flow_prototype *prototype, struct error *err)
{
    struct terms *t = s->a->t;
    struct flow_prototype proto = *prototype;
    struct finding f = {.s = s};
    struct behaviour looked = s->is;
    if (!s->pair)
        looked.result[1] = term_true(t);
    each_term(&looked, find_symbols, &f);
    map_free(&f.seen);
    if (!has_floats(s)) {
        s->nargs = knows_arguments(&proto) ? (unsigned)proto.nargs : f.most;
        s->shape.words = s->nargs;
    }
    if (s->nargs > ADAPT_ARGUMENTS)
        return error_set(err, ERROR_UNSUPPORTED, "%s takes more than %d arguments", s->code.f->name,
                         ADAPT_ARGUMENTS);
    summary_name_arguments(s);
    s->more = f.callers;
    if (f.callers) {
        s->is.doubt = term_true(t);
        s->why_doubt = "it looks at words of its caller's stack that are not known to be arguments";
    }
    if (s->astray) {
        s->is.doubt = term_true(t);
        s->why_doubt = "it looks something up in the file with an index that does not begin at 0";
    }
    if (s->rounds) {
        s->is.doubt = term_true(t);
        s->why_doubt = "the x87 unit may round otherwise";
    }
    s->floats = returns_float(s, &proto);
    if (proto.nfargs > 0 || s->floats || has_floats(s)) {
        s->is.doubt = term_true(t); /* which of the numbers it is that are none says nothing */
        if (!has_floats(s))
            s->why_doubt = "it takes or returns floating-point numbers";
    }
    return true;
}

/* It is too large to be put into questions as a whole. */
static bool is_too_large(const struct summary *s)
{
    const struct behaviour *b = &s->is;
    const term list[] = {b->returns, b->open, b->result[0], b->memory, b->world};
    const size_t most = s->given ? MOST_TERMS : MAX_TERMS;
    size_t n = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list && n <= most; i++)
        n += term_size_to(s->a->t, list[i], most);
    return n > most || s->lost;
}

/* ---- making it ---- */

static bool explore(struct summary *s, term given, struct error *err)
{
    const struct adapt_options *opt = s->a->opt;
    bool some = s->partial;
    struct explore_options o = {.merge = !some,
                                .merge_returns = !some,
                                .no_cost_heuristic = true,
                                .visits = s->given                            ? 1
                                          : some && opt->visits > SOME_VISITS ? SOME_VISITS
                                                                              : opt->visits,
                                .free_concrete = true,
                                .symbolic_iterations = s->given,
                                .prune = given != TERM_NONE,
                                .max_depth = s->given ? CASE_DEPTH
                                             : some   ? SOME_DEPTH
                                                      : 100000,
                                .max_paths = some ? SOME_PATHS : MAX_PATHS,
                                .inline_depth = FOLLOW_DEPTH,
                                .recursion = opt->visits,
                                .axioms = AXIOM_ALL,
                                .timeout_ms = some && opt->summary_ms > SOME_MS ? SOME_MS : opt->summary_ms,
                                .keep_regs = true,
                                .policy = &exec_policy_replace,
                                .bias = s->code.fragment ? 0 : s->bias,
                                .hooks = &s->hooks};
    struct exec_start start = {.f = s->code.f, .arg = s->given, .nargs = s->given ? s->nargs : 0};
    struct exec_set set[ADAPT_REGISTERS];
    _Static_assert((int)ADAPT_FLOATS <= (int)ADAPT_REGISTERS, "both are set");
    for (unsigned i = 0; i < s->shape.floats; i++) {
        term x = float_symbol(s, i);
        set[i] = (struct exec_set){s->m->farg[i],
                                   s->shape.float_bits[i] == 32 ? term_extract(s->a->t, x, 0, 32) : x};
        start.set = set;
        start.nsets = i + 1;
    }
    if (s->code.fragment) {
        start = (struct exec_start){.g = s->code.fragment->graph, .set = set, .nsets = ADAPT_REGISTERS};
        for (unsigned i = 0; i < ADAPT_REGISTERS; i++)
            set[i] = (struct exec_set){
                fragment_register(s->code.p, i),
                origin_symbol(s->a->t, (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = i},
                              s->a->width)};
    }
    if (given != TERM_NONE) {
        start.assume = &given;
        start.nassumed = 1;
    }
    if (s->x)
        explorer_free(s->x);
    vec_clear(&s->path);
    vec_clear(&s->seen);
    s->lost = false;
    s->rounds = !s->code.fragment && x87_rounds(s->code.p, flow_graph(s->code.p, s->code.f));
    s->x = explorer_new(s->code.p, s->a->t, s->a->s, &o);
    if (!explore_start(s->x, &start, on_path, s, err))
        return false;
    gather_ends(s);
    order_accesses(s);
    map_free(&s->stacked);
    map_free(&s->reached);
    return true;
}

static void summary_begin(struct summary *s, struct adapt *a, const struct adapt_code *code, uint64_t bias,
                          bool second, term given)
{
    *s = (struct summary){.a = a,
                          .code = *code,
                          .m = program_machine(code->p),
                          .bias = bias,
                          .number = ++a->numbered,
                          .pair = a->pair,
                          .real = a->real,
                          .second = second,
                          .holds = given,
                          .deep = a->deep};
    summary_symbols(s);
    s->roms = (struct roms){
        .t = a->t, .o = program_object(code->p), .arena = a->arena, .width = s->m->pointer_width};
    s->hooks = (struct explore_hooks){
        .ctx = s, .access = on_access, .load = on_load, .name = on_name, .call = on_call};
}

static void trim_all(struct summary *s)
{
    struct trimming r = {.s = s};
    each_term(&s->is, trim, &r);
    map_free(&r.done);
}

static void take_assumptions(struct summary *s)
{
    enum { ROOM = 1 << 20 };
    struct terms *t = s->a->t;
    const term *assumed, sp = s->sp;
    if (!s->code.fragment) { /* a frame has no null pointer in it, and is not around the end of memory */
        vec_push(&s->assume, term_bin(t, OP_ULE, term_const(t, s->a->width, ROOM), sp));
        vec_push(&s->assume,
                 term_bin(t, OP_ULE, sp, term_const(t, s->a->width, word_ones(s->a->width) - ROOM)));
    }
    size_t n = explorer_assumptions(s->x, &assumed);
    for (size_t i = 0; i < n; i++)
        vec_push(&s->assume, assumed[i]);
}

/* What a function is that does nothing but one call. */
static const struct only_call *only_call_of(const struct summary *s)
{
    struct terms *t = s->a->t;
    const struct exec_path *p = s->path.len == 1 ? s->path.data[0] : NULL;
    const struct exec_event *e = p && p->nevents == 1 ? &p->event[0] : NULL;
    if (!e || e->kind != EVENT_CALL || !e->name || e->escaped || e->result == TERM_NONE ||
        term_width(t, e->result) != s->a->width || e->mem_before != s->memory || e->mem_after != p->memory ||
        e->world_after != p->world || (e->guard != TERM_NONE && !term_is_true(t, e->guard)))
        return NULL;
    struct only_call *c = arena_new(s->a->arena, struct only_call);
    *c = (struct only_call){.name = e->name,
                            .arg = e->arg,
                            .result = e->result,
                            .returned = exec_path_register(s->x, p, s->m->ret, s->a->width)};
    while (c->nargs < e->nargs - e->nhidden && term_width(t, e->arg[c->nargs]) == s->a->width)
        c->nargs++;
    return c;
}

bool summary_make_case(struct summary *s, const struct summary *like, const term *arg, unsigned nargs,
                       term given, struct error *err)
{
    summary_begin(s, like->a, &like->code, like->bias, like->second, given);
    s->given = arg;
    s->nargs = nargs;
    s->deep = true;
    s->pair = like->pair;
    if (!explore(s, given, err))
        return false;
    s->lost = s->lost || is_too_large(s);
    trim_all(s);
    s->floats = like->floats;
    take_assumptions(s);
    return true;
}

void summary_begin_segments(struct summary *s, const struct summary *like)
{
    summary_begin(s, like->a, &like->code, like->bias, like->second, TERM_NONE);
    s->deep = false;
    s->nargs = like->nargs;
    s->shape = like->shape;
    s->rounds = x87_rounds(s->code.p, flow_graph(s->code.p, s->code.f));
    s->x = explorer_new(s->code.p, s->a->t, s->a->s,
                        &(struct explore_options){.merge = true,
                                                  .merge_returns = true,
                                                  .no_cost_heuristic = true,
                                                  .keep_regs = true,
                                                  .inline_depth = FOLLOW_DEPTH,
                                                  .axioms = AXIOM_ALL,
                                                  .timeout_ms = s->a->opt->summary_ms,
                                                  .policy = &exec_policy_replace,
                                                  .bias = s->bias,
                                                  .hooks = &s->hooks});
}

bool summary_make(struct summary *s, struct adapt *a, const struct adapt_code *code, uint64_t bias,
                  bool second, term given, struct error *err)
{
    summary_begin(s, a, code, bias, second, given);
    struct flow_prototype proto = {.nargs = ADAPT_REGISTERS, .source = PROTO_DWARF};
    if (!code->fragment)
        proto = flow_prototype(code->p, code->f);
    s->nargs = knows_arguments(&proto) ? (unsigned)proto.nargs : UINT_MAX;
    bool known = modes_shape(code, &s->shape);
    s->vague = !code->fragment && !known && (!knows_arguments(&proto) || proto.nfargs > 0);
    if (!known)
        s->shape = (struct adapt_shape){0};
    else if (has_floats(s))
        s->nargs = s->shape.words + s->shape.floats;
    if (!explore(s, given, err))
        return false;
    if (is_too_large(s) || (s->stuck && s->why_open)) {
        s->partial = true;
        if (!explore(s, given, err))
            return false;
    }
    trim_all(s);
    if (!take_arguments(s, &proto, err))
        return false;
    take_assumptions(s);
    s->only_call = only_call_of(s);
    return true;
}

void summary_free(struct summary *s)
{
    if (s->x)
        explorer_free(s->x);
    roms_free(&s->roms);
    vec_free(&s->path);
    vec_free(&s->seen);
    vec_free(&s->assume);
    vec_free(&s->own);
}

/* ---- the inner function's own ---- */

struct renaming {
    struct summary *s;
    VEC(term) from, to;
    struct map seen;
};

static bool rename_symbol(void *ctx, term x)
{
    struct renaming *r = ctx;
    struct terms *t = r->s->a->t;
    if (!is_leftover(r->s, x) && !has_own_stack(t, x))
        return false;
    for (size_t i = 0; i < r->from.len; i++)
        if (r->from.data[i] == x)
            return false;
    vec_push(&r->from, x);
    vec_push(&r->to, term_fresh(t, "inner", term_width(t, x)));
    return false;
}

static void collect_renamed(void *ctx, term *x)
{
    struct renaming *r = ctx;
    term_any_of_many(r->s->a->t, *x, &r->seen, rename_symbol, r);
}

void summary_set_apart(struct summary *s)
{
    struct adapt *a = s->a;
    struct renaming r = {.s = s};
    each_term(&s->is, collect_renamed, &r);
    for (size_t i = 0; i < s->assume.len; i++)
        collect_renamed(&r, &s->assume.data[i]);
    map_free(&r.seen);
    s->is = behaviour_with(a, &s->is, r.from.data, r.to.data, r.from.len);
    struct map renamed = {0};
    for (size_t i = 0; i < r.from.len; i++)
        map_set(&renamed, r.from.data[i], r.to.data[i]);
    for (size_t i = 0; i < s->assume.len; i++)
        s->assume.data[i] = term_rewrite(a->t, s->assume.data[i], &renamed, NULL, NULL);
    map_free(&renamed);
    s->apart = true;
    vec_free(&r.from);
    for (size_t i = 0; i < r.to.len; i++)
        vec_push(&s->own, r.to.data[i]);
    vec_free(&r.to);
}

bool summary_has_leftovers(struct summary *s, bool result)
{
    const struct behaviour *b = &s->is;
    const term list[] = {b->returns, b->traps, b->memory, b->world, result ? b->result[0] : TERM_NONE};
    return term_any_of(s->a->t, list, sizeof list / sizeof *list, test_leftover, s);
}
