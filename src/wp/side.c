/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One version of the function: its exploration, and its final state put together from the ends. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "wp/internal.h"

enum {
    FOLLOW_DEPTH = 24, /* functions followed into at once */
    MAX_PATHS = 4000,
};

/* ---- what the explorer asks ---- */

static void on_access(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned bytes,
                      bool write, term guard, uint64_t site)
{
    (void)space;
    goal_access(side_of(ctx), at, address, bytes, write, guard, site);
}

static term on_load(void *ctx, term address, unsigned width, term otherwise)
{
    return rom_load(side_of(ctx), address, width, otherwise);
}

static const char *on_name(void *ctx, const char *name, uint64_t address)
{
    return spec_name(side_of(ctx), name, address);
}

static struct exec_call on_call(void *ctx, struct exec_moment *at, const struct exec_callee *c)
{
    return spec_call(side_of(ctx), at, c);
}

static void on_called(void *ctx, struct exec_moment *at, const struct exec_callee *c)
{
    spec_called(side_of(ctx), at, c);
}

static int on_most(void *ctx, const char *name)
{
    const struct side *s = side_of(ctx);
    for (size_t i = 0; s->w->few_arguments && i < s->w->callee.len; i++)
        if (strcmp(s->w->callee.data[i].name, name) == 0)
            return (int)callee_takes(&s->w->callee.data[i]);
    return -1;
}

static bool on_enter(void *ctx, struct exec_moment *at, ir_label block, unsigned n)
{
    return invariant_enter(side_of(ctx), at, block, n);
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct side *s = ctx;
    vec_push(&s->path, path);
    return true;
}

bool side_explore(struct side *s, struct error *err)
{
    struct wp *w = s->w;
    s->code->hooks = (struct explore_hooks){.ctx = s->code,
                                            .load = on_load,
                                            .name = on_name,
                                            .names = pair_names,
                                            .weak = pair_weak,
                                            .call = on_call,
                                            .called = on_called,
                                            .enter = w->invariant.len ? on_enter : NULL};
    s->code->callees = (struct exec_callees){.ctx = s->code, .most = on_most};
    if (w->opt->null_derefs || w->opt->invalid_derefs)
        s->code->hooks.access = on_access;
    if (w->nsides == 2)
        symbolic_hooks(s->code);
    s->roms = (struct roms){
        .t = w->t, .o = s->code->o, .arena = w->arena, .width = s->code->m->pointer_width};
    struct explore_options o = {.merge = true,
                                .merge_returns = true,
                                .no_cost_heuristic = true,
                                .visits = w->visits,
                                .max_depth = 1000000,
                                .max_paths = MAX_PATHS,
                                .inline_depth = w->has_follow || w->also.len ? FOLLOW_DEPTH : 0,
                                .recursion = w->visits,
                                .axioms = AXIOM_ALL,
                                .timeout_ms = w->opt->timeout_ms,
                                .keep_regs = true,
                                .policy = &exec_policy_prove,
                                .hooks = &s->code->hooks,
                                .callees = &s->code->callees};
    /* what it cannot decide quickly becomes an end of its own, to be decided when the answer depends on it */
    s->code->x = explorer_new(s->code->p, w->t, w->quick, &o);
    struct exec_start start = {.f = s->code->f};
    VEC(struct exec_store) store = VEC_INIT;
    for (size_t i = 0; s->code->new == 1 && i < w->pair.parts.change.len; i++)
        vec_push(&store, w->pair.parts.change.data[i].store);
    start.store = store.data;
    start.nstores = (unsigned)store.len;
    bool ok = explore_start(s->code->x, &start, on_path, s, err);
    vec_free(&store);
    return ok;
}

void side_close(struct side *s)
{
    explorer_free(s->code->x);
    vec_free(&s->path);
    map_free(&s->access);
    roms_free(&s->roms);
    map_free(&s->before);
    map_free(&s->final_reg);
}

/* i386: those in front of words that only align the stack. */
static unsigned without_padding(const struct side *s, const struct exec_event *e, unsigned words)
{
    enum { PADDING_MAX = 3 };
    unsigned from = words > PADDING_MAX ? words - PADDING_MAX : 0;
    while (from < words && !abi_words_align(s->code->abi, e->site, from, words))
        from++;
    return from;
}

static void count_arguments(struct side *s, const struct exec_event *e)
{
    struct wp *w = s->w;
    size_t n = 0;
    while (n < w->callee.len && strcmp(w->callee.data[n].name, e->name) != 0)
        n++;
    if (n == w->callee.len)
        vec_push(&w->callee, (struct callee_words){arena_strdup(w->arena, e->name), UINT_MAX, UINT_MAX, 0});
    struct callee_words *k = &w->callee.data[n];
    unsigned set = (unsigned)e->guessed, most = set;
    if (!e->depth) {
        unsigned registers = abi_passed(s->code->abi, e->site);
        most = registers < s->code->m->nargs ? registers : without_padding(s, e, set);
        for (unsigned a = 0; a < s->code->m->nargs; a++)
            if (a >= k->sure && abi_argument(s->code->abi, e->site, a).set == ABI_SURE)
                k->sure = a + 1;
    }
    k->set = set < k->set ? set : k->set;
    k->most = most < k->most ? most : k->most;
}

unsigned callee_takes(const struct callee_words *k)
{
    unsigned most = k->most > k->sure ? k->most : k->sure;
    return most < k->set ? most : k->set;
}

static void find_doubtful(struct wp *w, const struct exec_event *e)
{
    for (size_t i = 0; i < w->callee.len && !w->doubtful; i++)
        if (strcmp(w->callee.data[i].name, e->name) == 0 &&
            (e->nargs - e->nhidden > callee_takes(&w->callee.data[i]) || e->nfloats))
            w->doubtful = &w->callee.data[i];
}

/* Every call sets all arguments that there are, and perhaps other registers as well: the fewest that any call
 * sets is nearest to what the callee takes. */
void sides_count_arguments(struct wp *w)
{
    for (unsigned pass = 0; pass < 2 && !w->few_arguments; pass++)
        for (unsigned i = 0; i < w->nsides; i++)
            for (size_t k = 0; k < w->side[i].path.len; k++) {
                const struct exec_path *p = w->side[i].path.data[k];
                for (unsigned j = 0; j < p->nevents; j++)
                    if (p->event[j].kind == EVENT_CALL && p->event[j].guessed >= 0 && p->event[j].name)
                        pass ? find_doubtful(w, &p->event[j]) : count_arguments(&w->side[i], &p->event[j]);
            }
}

/* ---- the final state ---- */

static bool comes_back(const struct exec_path *p)
{
    return p->end == PATH_RETURN || p->end == PATH_TAIL_CALL;
}

term side_returns(struct side *s)
{
    term any = term_false(s->w->t);
    for (size_t i = 0; i < s->path.len; i++)
        if (comes_back(s->path.data[i]))
            any = term_or(s->w->t, any, s->path.data[i]->condition);
    return any;
}

term side_final(struct side *s, unsigned offset, unsigned width)
{
    struct terms *t = s->w->t;
    uint64_t known, key = (uint64_t)offset << 16 | width;
    if (s->w->from_run)
        return run_register(s, offset, width);
    if (map_get(&s->final_reg, key, &known))
        return (term)known;
    term out = TERM_NONE;
    for (size_t i = s->path.len; i-- > 0;) {
        const struct exec_path *p = s->path.data[i];
        if (!comes_back(p))
            continue;
        term v = exec_path_register(s->code->x, p, offset, width);
        /* the last callee pops the return address */
        if (p->end == PATH_TAIL_CALL && offset == s->code->m->sp && width == s->code->m->pointer_width)
            v = term_add_const(t, v, s->code->m->call_pushes);
        out = out == TERM_NONE ? v : term_ite(t, p->condition, v, out);
    }
    if (out == TERM_NONE)
        out = side_entry(s, offset, width);
    map_set(&s->final_reg, key, out);
    return out;
}

term side_final_memory(struct side *s)
{
    s->w->memory_asked = true;
    if (s->final_mem != TERM_NONE)
        return s->final_mem;
    term out = TERM_NONE;
    for (size_t i = s->path.len; i-- > 0;) {
        const struct exec_path *p = s->path.data[i];
        if (!comes_back(p))
            continue;
        term v = exec_path_memory(s->code->x, p);
        out = out == TERM_NONE ? v : term_ite(s->w->t, p->condition, v, out);
    }
    return s->final_mem = out == TERM_NONE ? explorer_symbols(s->code->x).mem : out;
}

term side_entry(struct side *s, unsigned offset, unsigned width)
{
    return explorer_entry(s->code->x, offset, width);
}

term side_argument(struct side *s, unsigned n)
{
    struct terms *t = s->w->t;
    unsigned width = s->code->m->pointer_width;
    if (n < s->code->m->nargs)
        return side_entry(s, s->code->m->arg[n], width);
    /* the explorer has a symbol for it when it knows of the argument */
    struct flow_prototype proto = flow_prototype(s->code->p, s->code->f);
    if (proto.nargs > (int)n)
        return origin_symbol(t, (struct term_origin){.kind = ORIGIN_ARGUMENT, .index = n}, width);
    struct explore_symbols y = explorer_symbols(s->code->x);
    term at = term_add_const(t, y.sp, s->code->m->stack_arg + (uint64_t)(n - s->code->m->nargs) * width / 8);
    return term_read(t, y.mem, at, width);
}

bool side_is_local(struct side *s, term address)
{
    term base;
    uint64_t offset;
    term_split(s->w->t, address, &base, &offset);
    return origin_is(s->w->t, base, ORIGIN_SP) || origin_is(s->w->t, base, ORIGIN_CALLER);
}

uint64_t wp_stack_low(const struct wp *w)
{
    return w->opt->stack_base - w->opt->stack_size;
}
