/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call is given: by prototype where there is one, by format strings, and else by what the code set. */
#include <string.h>

#include "exec/engine.h"
#include "exec/segment.h"

static term stack_word(struct args *g, unsigned bytes)
{
    struct explorer *x = g->x;
    term sp = state_get(x, g->st, x->m->sp, x->width);
    /* Something of two words is aligned to two. */
    if (x->unit == 8 && bytes > 8)
        g->stack = (g->stack + 15) / 16 * 16;
    term at = term_add_const(x->t, sp, x->m->stack_arg + g->stack);
    g->stack += (bytes + x->unit - 1) / x->unit * x->unit;
    return memory_load(x, g->st, 0, at, bytes * 8);
}

static void add_arg(struct args *g, term v)
{
    if (g->n < CALL_MAX_ARGS)
        g->arg[g->n++] = v;
}

static void add_int(struct args *g)
{
    struct explorer *x = g->x;
    if (g->ints < x->m->nargs)
        add_arg(g, state_get(x, g->st, x->m->arg[g->ints++], x->width));
    else
        add_arg(g, stack_word(g, x->unit));
}

/* 64 bits, also where a word has 32: two words, from an even register on ARM. */
static void add_wide(struct args *g)
{
    struct explorer *x = g->x;
    if (x->width == 64) {
        add_int(g);
        return;
    }
    if (x->m->arch == MACHINE_ARM && g->ints % 2)
        g->ints++;
    if (g->ints + 1 < x->m->nargs) {
        term lo = state_get(x, g->st, x->m->arg[g->ints], x->width);
        term hi = state_get(x, g->st, x->m->arg[g->ints + 1], x->width);
        g->ints += 2;
        add_arg(g, term_concat(x->t, hi, lo));
    } else {
        if (x->m->arch == MACHINE_ARM && g->stack % 8)
            g->stack += 4;
        add_arg(g, stack_word(g, 8));
    }
}

/* On x86 long double is in the format of the x87 unit, and always on the stack. */
static unsigned long_double_bits(const struct ir_machine *m)
{
    return m->arch == MACHINE_ARM ? 64 : m->arch == MACHINE_ARM64 ? 128 : 80;
}

static void add_float(struct args *g, unsigned bits)
{
    struct explorer *x = g->x;
    if (x->m->nfargs == 0 || bits == 80) {
        add_arg(g, stack_word(g, bits / 8));
        return;
    }
    if (!g->floats)
        g->before_floats = g->n;
    if (x->m->arch == MACHINE_ARM) {
        /* Counted in single-precision registers, two to a double. */
        if (bits == 64 && g->floats % 2)
            g->floats++;
        unsigned at = g->floats;
        g->floats += bits / 32;
        if (at / 2 < x->m->nfargs) {
            add_arg(g, state_get(x, g->st, x->m->farg[at / 2] + at % 2 * 4, bits));
            return;
        }
    } else if (g->floats < x->m->nfargs) {
        add_arg(g, state_get(x, g->st, x->m->farg[g->floats++], bits));
        return;
    }
    add_arg(g, stack_word(g, bits / 8));
}

enum format { FORMAT_PRINT, FORMAT_SCAN, FORMAT_EITHER };

/* Whether the arguments are printed or are pointers to what is read, they are passed alike. */
static bool reads_either_way(const struct explorer *x, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (s[i] != '%')
            continue;
        for (i++; i < len && strchr("-+ #0123456789.'hlzt", s[i]); i++)
            if (s[i] == 'l' && x->width == 32)
                return false;
        if (i < len && !strchr("%diouxXcspn", s[i]))
            return false;
    }
    return true;
}

/* Arguments that a constant format string asks for. False when there is no such string, or it depends on what
 * the function does with it. */
static bool add_formatted(struct args *g, enum format how)
{
    const bool scan = how == FORMAT_SCAN;
    struct explorer *x = g->x;
    size_t len = 0;
    const char *s = g->n ? x->source->text(x, g->arg[g->n - 1], &len) : NULL;
    if (!s || (how == FORMAT_EITHER && !reads_either_way(x, s, len)))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (s[i] != '%')
            continue;
        if (s[++i] == '%')
            continue;
        bool skipped = false;
        unsigned longs = 0;
        for (; i < len && strchr("-+ #0123456789.'*hlLqjztI", s[i]); i++) {
            if (s[i] == '*' && scan)
                skipped = true;
            else if (s[i] == '*')
                add_int(g);
            else if (s[i] == '$')
                return false;
            longs += s[i] == 'l' ? 1 : s[i] == 'q' || s[i] == 'j' ? 2 : 0;
            longs += s[i] == 'L' ? 8 : 0;
        }
        if (i >= len)
            break;
        if (scan && s[i] == '[') {
            i++;
            if (i < len && s[i] == '^')
                i++;
            if (i < len && s[i] == ']')
                i++;
            while (i < len && s[i] != ']')
                i++;
        }
        if (skipped || s[i] == 'm')
            continue;
        if (s[i] == 'n')
            g->stores = true;
        if (scan)
            add_int(g);
        else if (strchr("eEfFgGaA", s[i]) && x->m->arch == MACHINE_ARM)
            add_wide(g); /* variadic arguments go by the base standard, also where floats have registers */
        else if (strchr("eEfFgGaA", s[i]))
            add_float(g, longs >= 8 ? long_double_bits(x->m) : 64);
        else if (longs >= 2)
            add_wide(g);
        else
            add_int(g);
    }
    return true;
}

/* What a register held at entry in which no parameter comes: the function's own return address, or a word
 * that was pushed to align the stack. */
static bool is_idle(const struct explorer *x, term v)
{
    bool apart = true;
    for (unsigned i = 0; i < x->m->nargs; i++)
        apart = apart && x->m->arg[i] != x->m->ret;
    return (x->m->lr != UINT16_MAX && v == x->entry[x->m->lr / x->unit]) ||
           (apart && v == x->entry[x->m->ret / x->unit]);
}

/* A place in the frame, as the distance from where the stack pointer was at entry. */
static int64_t distance(const struct explorer *x, uint64_t off)
{
    return x->width == 32 ? (int32_t)off : (int64_t)off;
}

void arguments_stack_moved(struct explorer *x, struct state *st, term to)
{
    term base, was;
    uint64_t from, off;
    term_split(x->t, state_get(x, st, x->m->sp, x->width), &was, &from);
    term_split(x->t, to, &base, &off);
    if (base != x->sp || was != x->sp || distance(x, off) <= distance(x, from) ||
        (st->raised > st->last_call && distance(x, off) < st->raised_to))
        return;
    st->raised = x->history_seq;
    st->raised_to = distance(x, off);
}

/* A path back, and where its last call was. */
struct past {
    const struct history *h;
    uint64_t last_call;
};

static struct past past_of(const struct history *h, uint64_t last_call, bool other)
{
    const struct merge_node *n = h->entry ? NULL : (const struct merge_node *)h;
    uint64_t own = n ? n->last_call[other] : 0;
    return (struct past){other ? h->other : h->prev, own > last_call ? own : last_call};
}

struct word_list {
    struct exec_word *data;
    size_t len, cap;
};

/* The words of the frame that were stored to since the last call, on any way here, the last ones first unless
 * paths were merged. False when there may be others. */
static bool words_since_call(struct explorer *x, struct state *st, struct word_list *out, bool *merged)
{
    enum { LOOKED_AT = 4096 };
    unsigned fuel = LOOKED_AT;
    VEC(struct past) todo = VEC_INIT;
    term base;
    uint64_t at;
    if (st->writes)
        vec_push(&todo, (struct past){st->writes, st->last_call});
    for (; todo.len && fuel; fuel--) {
        const struct past p = vec_pop(&todo);
        const struct history *h = p.h;
        if (h->seq < p.last_call)
            continue;
        if (h->prev)
            vec_push(&todo, past_of(h, p.last_call, false));
        if (h->other)
            vec_push(&todo, past_of(h, p.last_call, true));
        *merged = *merged || h->other;
        if (!h->entry)
            continue;
        const struct write_node *w = (const struct write_node *)h;
        term_split(x->t, w->w.address, &base, &at);
        if (base != x->sp || (h->seq < st->raised && distance(x, at) < st->raised_to))
            continue;
        bool saved = false;
        for (unsigned i = 0; i < x->m->nsaved; i++)
            saved = saved || w->w.value == x->entry[x->m->saved[i] / x->unit];
        int64_t first = distance(x, at) & ~(int64_t)(x->unit - 1);
        for (int64_t o = first; !saved && o < distance(x, at) + (int64_t)term_width(x->t, w->w.value) / 8;
             o += x->unit)
            vec_push(out, (struct exec_word){o, w->w.site, is_idle(x, w->w.value)});
    }
    bool all = !todo.len;
    vec_free(&todo);
    const struct exec_point *from = st->last_call <= st->began ? st->from : NULL;
    for (unsigned i = 0; from && i < from->npending; i++)
        if (st->raised <= st->began || from->pending[i].offset >= st->raised_to)
            vec_push(out, from->pending[i]);
    return all && !(from && from->pending_more);
}

static int by_word(const void *a, const void *b)
{
    const struct exec_word *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void arguments_pending(struct explorer *x, struct state *st, struct exec_point *out)
{
    struct word_list all = VEC_INIT;
    bool merged = false;
    out->pending_more = !words_since_call(x, st, &all, &merged);
    vec_sort(&all, by_word);
    size_t n = 0;
    for (size_t i = 0; i < all.len; i++) {
        struct exec_word *last = n ? &all.data[n - 1] : NULL, *w = &all.data[i];
        if (!last || last->offset != w->offset) {
            all.data[n++] = *w;
            continue;
        }
        last->site = last->site == w->site ? w->site : 0;
        last->idle = last->idle && w->idle;
    }
    out->pending = arena_dup(&x->arena, all.data, n * sizeof *all.data);
    out->npending = (unsigned)n;
    vec_free(&all);
}

/* How many words from the first argument on the stack on were stored to since the last call, on any way here.
 * Who is jumped to also has those that the function was given itself. g->cut: there may be others behind
 * them. */
unsigned arguments_words(struct args *g)
{
    struct explorer *x = g->x;
    struct state *st = g->st;
    enum { WORDS = 64 };
    uint64_t set = 0, idle = 0, several = 0, first, site[WORDS] = {0};
    bool merged = false, more = false;
    unsigned words = 0;
    term base, sp = state_get(x, st, x->m->sp, x->width);
    term_split(x->t, sp, &base, &first);
    struct word_list all = VEC_INIT;
    if (base == x->sp)
        more = !words_since_call(x, st, &all, &merged);
    for (size_t k = 0; k < all.len; k++) {
        const struct exec_word *w = &all.data[k];
        uint64_t i = (uint64_t)(w->offset - distance(x, first) - (int64_t)x->m->stack_arg) / x->unit;
        if (w->offset < distance(x, first) + (int64_t)x->m->stack_arg || i >= WORDS)
            continue;
        *(w->idle ? &idle : &set) |= (uint64_t)1 << i;
        /* Without merging the last one comes first. */
        if (!w->site || (merged && site[i] && site[i] != w->site))
            several |= (uint64_t)1 << i;
        site[i] = site[i] ? site[i] : w->site;
    }
    vec_free(&all);
    const uint64_t given = (sp == x->sp ? st->handed : 0) | ((UINT64_C(1) << g->given) - 1);
    set |= given;
    several |= given;
    for (g->nword_sites = 0; g->nword_sites < WORDS && (set | idle) >> g->nword_sites;)
        g->nword_sites++;
    for (unsigned i = 0; i < g->nword_sites; i++)
        site[i] = several >> i & 1 ? 0 : site[i];
    g->word_site = arena_dup(&x->arena, site, g->nword_sites * sizeof *site);
    uint64_t behind = set;
    set |= idle;
    /* Where the stack pointer is as it was at entry, what is not set is passed on as it came. */
    bool handed_on = sp == x->sp && set;
    while (words < WORDS && (handed_on ? set >> words : set >> words & 1))
        words++;
    /* Something of two words is aligned to two. */
    if (x->unit == 8 && words % 2 && words + 3 <= WORDS && (set >> words & 7) == 6)
        words += 3;
    g->cut = g->cut || more || words == WORDS;
    g->unlisted = g->cut || st->filled;
    g->behind = words < WORDS ? behind >> words << words : 0;
    return words;
}

bool arguments_fill(const struct args *g)
{
    struct explorer *x = g->x;
    enum { NEAR = 64 };
    term base;
    uint64_t at, first;
    if (!g->n || term_width(x->t, g->arg[0]) != x->width)
        return false;
    term_split(x->t, state_get(x, g->st, x->m->sp, x->width), &base, &first);
    bool framed = base == x->sp;
    term_split(x->t, g->arg[0], &base, &at);
    at -= first + x->m->stack_arg;
    if (x->width == 32)
        at = (uint32_t)at;
    return framed && base == x->sp && at / x->unit < NEAR;
}

/* The last argument register that was set, as a number of registers. */
static unsigned registers_up_to(const struct explorer *x, const struct state *st)
{
    unsigned n = 0;
    for (unsigned i = 0; i < x->m->nargs; i++)
        if (st->argset >> i & 1)
            n = i + 1;
    return n;
}

/* i386: GNU's function for the addresses of thread-locals, the one with three underscores, takes its argument
 * in eax. */
static bool takes_accumulator(const struct explorer *x, const struct callee *c, uint16_t *at)
{
    uint16_t width;
    return x->m->arch == MACHINE_X86 && c->name && strcmp(c->name, "___tls_get_addr") == 0 &&
           machine_register_find(x->m, "eax", at, &width);
}

bool arguments_fit_library(const struct explorer *x, const struct flow_library_entry *l, const term *arg,
                           unsigned nargs, unsigned result_width)
{
    if (nargs < l->nparams || (nargs > l->nparams && !l->variadic) ||
        result_width > (l->returns_float ? 64 : x->width))
        return false;
    for (unsigned i = 0; i < l->nparams; i++) {
        unsigned width = term_width(x->t, arg[i]);
        switch (l->arg[i]) {
        case LIBRARY_INT:
            if (width != 32)
                return false;
            break;
        case LIBRARY_WIDE:
        case LIBRARY_DOUBLE:
            if (width != 64)
                return false;
            break;
        case LIBRARY_FLOAT:
            if (width != 32)
                return false;
            break;
        case LIBRARY_LONG_DOUBLE:
            break;
        default:
            if (width != x->width)
                return false;
        }
    }
    return true;
}

/* A format that makes a function store through its arguments: %n, one to scan by, or one that is not known.
 */
static bool format_stores(struct explorer *x, const struct flow_library_entry *l, const term *arg,
                          unsigned nargs)
{
    size_t len;
    unsigned behind = l->attrs & LIBRARY_LIST ? 2 : 1;
    const char *s = l->nparams >= behind && l->nparams <= nargs
                        ? x->source->text(x, arg[l->nparams - behind], &len)
                        : NULL;
    if (!s || l->attrs & LIBRARY_SCAN)
        return true;
    for (size_t i = 0; i < len; i++) {
        if (s[i] != '%')
            continue;
        for (i++; i < len && strchr("-+ #0123456789.'*hlLqjztI$", s[i]); i++)
            ;
        if (i < len && s[i] == 'n')
            return true;
    }
    return false;
}

void arguments_collect(struct args *g, const struct callee *c, const struct call_site *site)
{
    struct explorer *x = g->x;
    g->fixed = true;
    g->set = -1;
    if (site->end && (site->end->nargs || x->m->locals)) {
        for (uint32_t i = 0; i < site->end->nargs; i++)
            add_arg(g, site->val[site->block->arg[site->end->args + i]]);
        g->fixed = !c->proto.variadic && !(c->lib && c->lib->variadic);
        g->stores = x->source->lists_arguments && c->lib &&
                    (c->lib->variadic || c->lib->attrs & LIBRARY_LIST) &&
                    format_stores(x, c->lib, g->arg, g->n);
        return;
    }
    bool variadic = false;
    uint16_t accumulator;
    if (takes_accumulator(x, c, &accumulator)) {
        add_arg(g, state_get(x, g->st, accumulator, x->width));
        return;
    }
    if (c->lib) {
        for (unsigned i = 0; i < c->lib->nparams; i++) {
            char k = c->lib->arg[i];
            if (k == LIBRARY_WIDE)
                add_wide(g);
            else if (k == LIBRARY_FLOAT || k == LIBRARY_DOUBLE || k == LIBRARY_LONG_DOUBLE)
                add_float(g, k == LIBRARY_FLOAT ? 32 : k == LIBRARY_DOUBLE ? 64 : long_double_bits(x->m));
            else
                add_int(g);
        }
        variadic = c->lib->variadic;
        g->stores = c->lib->attrs & LIBRARY_LIST && format_stores(x, c->lib, g->arg, g->n);
    } else if (c->proto.nargs >= 0) {
        for (int i = 0; i < c->proto.nargs; i++)
            add_int(g);
        for (int i = 0; i < c->proto.nfargs; i++)
            add_float(g, 64);
        variadic = c->proto.variadic;
    }
    bool unknown = !c->lib && c->proto.nargs < 0;
    if (!variadic && !unknown)
        return;
    g->fixed = false;
    if (variadic && add_formatted(g, !c->lib                        ? FORMAT_EITHER
                                     : c->lib->attrs & LIBRARY_SCAN ? FORMAT_SCAN
                                                                    : FORMAT_PRINT))
        return;
    x->stats.args_guessed++;
    const struct exec_callees *known = x->opt.callees;
    struct flow_takes takes;
    g->counted = known && known->takes && unknown && known->takes(known->ctx, c->name, &takes);
    g->no_floats = g->counted && !takes.floats;
    g->back = g->counted ? takes.back : 0;
    int arity = g->counted ? (int)takes.nargs : -1;
    if (!g->counted && known && known->arity && unknown)
        arity = known->arity(known->ctx, c->name, site->site);
    if (arity >= 0) {
        g->bounded = !g->counted;
        while (g->n < (unsigned)arity && g->n < CALL_MAX_ARGS)
            add_int(g);
        return;
    }
    /* Registers the code has set since the last call are arguments, and after them words of the stack. */
    unsigned registers = g->ints, words = 0;
    while (registers < x->m->nargs && g->st->argset >> registers & 1)
        registers++;
    if (registers == x->m->nargs)
        words = arguments_words(g);
    g->set = unknown ? (int)(registers - g->ints + words) : -1;
    bool possible = x->opt.policy->arguments == EXEC_ARGUMENTS_POSSIBLE;
    bool bound = unknown && c->name && known && known->most;
    int most = !possible ? g->set : bound ? known->most(known->ctx, c->name) : -1;
    if (possible && most < 0) {
        unsigned last = registers_up_to(x, g->st);
        registers = last > registers ? last : registers;
        g->floats_too = true;
        if (registers == x->m->nargs && !words)
            words = arguments_words(g);
    }
    unsigned limit = most >= 0 ? (unsigned)most : CALL_MAX_ARGS;
    while (g->ints < registers && (variadic || g->n < limit))
        add_int(g);
    if (g->ints == x->m->nargs) {
        for (; words && (variadic || g->n < limit); words--)
            add_int(g);
        g->cut = g->cut || (words && g->n == CALL_MAX_ARGS);
        g->unlisted = g->unlisted || g->cut;
        /* There may be more that were not seen, and a pointer among them. */
        if (memory_tainted(x, g->st->frame))
            memory_escape(x, g->st);
    }
    g->stores = g->stores || variadic;
}

/* Nobody set it: a register as the last callee clobbered it. A callee cannot mean to read that. */
static bool is_left_over(const struct explorer *x, term v)
{
    while (term_kind(x->t, v) == OP_EXTRACT || term_kind(x->t, v) == OP_ZEXT)
        v = term_kid(x->t, v, 0);
    if (term_kind(x->t, v) == OP_CONCAT)
        return is_left_over(x, term_kid(x->t, v, 0)) && is_left_over(x, term_kid(x->t, v, 1));
    return origin_is(x->t, v, ORIGIN_CLOBBERED);
}

/* A register for floats, of which only the first ones can hold a part of what the last callee returned.
 * What else that left there is all the same. */
static term float_passed(struct explorer *x, struct state *st, unsigned i, unsigned width)
{
    unsigned results = x->m->arch == MACHINE_AMD64 ? 2 : 4; /* an aggregate of floats */
    term v = state_get(x, st, x->m->farg[i], width), nothing = term_const(x->t, 1, 0);
    struct term_origin left = {.kind = ORIGIN_CLOBBERED, .part = ORIGIN_CLOBBERED_FLOAT};
    return i >= results && is_left_over(x, v) ? origin_apply(x->t, left, width, &nothing, 1) : v;
}

static void add_hidden(const struct explorer *x, struct hidden *h, term v)
{
    if (is_left_over(x, v))
        return;
    if (h->n < HIDDEN_MAX)
        h->value[h->n++] = v;
}

/* Floats up to the last register that was set since the call before, or since the function was entered. */
static void add_floats(struct args *g, struct hidden *h)
{
    struct explorer *x = g->x;
    unsigned width = x->m->arch == MACHINE_ARM ? 64 : 128, n = 0;
    for (unsigned i = 0; i < x->m->nfargs; i++) {
        unsigned slot = x->m->farg[i] / x->unit;
        if (g->st->reg[slot] != TERM_NONE && g->st->reg[slot] != x->entry[slot] &&
            !is_left_over(x, g->st->reg[slot]))
            n = i + 1;
    }
    for (unsigned i = 0; i < n && h->n < HIDDEN_MAX; i++)
        h->value[h->n++] = state_get(x, g->st, x->m->farg[i], width);
    h->floats = h->n;
}

/* i386: position-independent code keeps the GOT's address in ebx, and PLT stubs read it there.
 */
static bool has_table(struct explorer *x, struct state *st)
{
    uint16_t at, width;
    uint64_t address;
    size_t n;
    return x->m->arch == MACHINE_X86 && x->file->o && machine_register_find(x->m, "ebx", &at, &width) &&
           memory_resolve(x, state_get(x, st, at, x->width), &address) == x->file &&
           object_bytes(x->file->o, address, &n) != NULL;
}

/* By the convention a float may be passed there, or the register has to be left as it was. */
static bool is_by_convention(const struct ir_machine *m, unsigned offset)
{
    const unsigned bytes = m->arch == MACHINE_ARM ? 8 : 16;
    bool is = false;
    for (unsigned i = 0; i < m->nfargs; i++)
        is = is || (offset >= m->farg[i] && offset < m->farg[i] + bytes);
    for (unsigned i = 0; i < m->nsaved; i++)
        is = is || (offset >= m->saved[i] && offset < m->saved[i] + m->pointer_width / 8u) ||
             (m->arch == MACHINE_ARM && offset == m->saved[i] + m->pointer_width / 8u);
    return is;
}

/* Compilers pass floats to functions of the same file as they like, and assembly does so with what else there
 * is: what the code reads of vectors, but where the convention has floats, and which way strings are copied.
 */
static void add_read(struct args *g, const struct callee *c, struct hidden *h)
{
    struct explorer *x = g->x;
    for (unsigned i = 0; i < x->m->nreg; i++) {
        const struct machine_register *r = &x->m->reg[i];
        bool vector = !r->pseudo && (r->width > x->width || strncmp(r->name, "mm", 2) == 0),
             direction = strcmp(r->name, "<dflag>") == 0;
        bool again = false; /* xmm0 is a part of ymm0 */
        for (unsigned k = 0; k < i && vector; k++)
            again = again || (x->m->reg[k].offset == r->offset && x->m->reg[k].width > r->width);
        for (unsigned at = 0; (vector || direction) && !again && at < r->width / 8u; at += x->unit)
            if (c->how->reads[(r->offset + at) / x->unit] &&
                !(vector && is_by_convention(x->m, r->offset + at)))
                add_hidden(x, h, state_get(x, g->st, r->offset + at, x->width));
    }
    if (h->n == HIDDEN_MAX)
        g->cut = g->unlisted = true;
}

static void find_hidden(struct args *g, const struct callee *c, struct hidden *h)
{
    struct explorer *x = g->x;
    uint16_t carrier[CONVENTION_CARRIERS];
    unsigned n = convention_carriers(x, c->name && !c->f, carrier);
    if (c->lib || c->declared || (x->opt.policy->prototypes && c->proto.source == PROTO_DWARF))
        return;
    if (g->floats_too && !c->how)
        add_floats(g, h);
    bool listed = x->opt.policy->arguments == EXEC_ARGUMENTS_LISTED;
    if (listed && !c->how && x->m->nargs) {
        unsigned width = x->m->arch == MACHINE_ARM ? 64 : 128;
        for (unsigned i = 0; i < x->m->nfargs && h->n < HIDDEN_MAX && !g->no_floats; i++)
            h->value[h->n++] = float_passed(x, g->st, i, width);
        h->floats = h->n;
    }
    if (listed && (!c->how || c->proto.hands_on) && x->m->nargs) {
        /* Only read, not passed on: they may well be locals. */
        unsigned mine = g->stack;
        unsigned words = g->counted ? 0 : arguments_words(g);
        for (; words && h->n < HIDDEN_MAX; words--)
            h->value[h->n++] = stack_word(g, x->unit);
        g->cut = g->cut || words;
        g->unlisted = g->unlisted || g->cut;
        h->stack = h->n - h->floats;
        g->stack = mine;
    }
    if (g->counted)
        return;
    for (unsigned i = 0; i < n; i++) {
        term v = state_get(x, g->st, carrier[i], x->width);
        if (c->how ? c->how->reads[carrier[i] / x->unit] : memory_tainted(x, v))
            add_hidden(x, h, v);
    }
    if (!c->how)
        return;
    for (unsigned i = g->ints; i < x->m->nargs; i++)
        if (c->how->reads[x->m->arg[i] / x->unit])
            add_hidden(x, h, state_get(x, g->st, x->m->arg[i], x->width));
    for (unsigned i = x->m->arch == MACHINE_ARM ? (g->floats + 1) / 2 : g->floats; i < x->m->nfargs; i++)
        if (c->how->reads[x->m->farg[i] / x->unit])
            add_hidden(x, h, state_get(x, g->st, x->m->farg[i], 64));
    for (unsigned i = 0; c->how->reads_flags && i < x->m->nreg; i++)
        if (strncmp(x->m->reg[i].name, "<cc", 3) == 0)
            add_hidden(x, h, state_get(x, g->st, x->m->reg[i].offset, x->width));
    add_read(g, c, h);
    while (g->stack < c->how->stack_words * x->unit)
        add_hidden(x, h, stack_word(g, x->unit));
    /* More than can be listed: then all of the frame. */
    if (c->how->takes_stack || h->n == HIDDEN_MAX)
        memory_escape(x, g->st);
}

void arguments_hidden(struct args *g, const struct callee *c, struct hidden *h)
{
    struct explorer *x = g->x;
    find_hidden(g, c, h);
    if (x->opt.policy->arguments == EXEC_ARGUMENTS_LISTED && c->name && !c->f && has_table(x, g->st))
        add_hidden(x, h, term_true(x->t));
}
