/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls, system calls and intrinsics.
 *
 * A call is an event. What it returns and what memory holds afterwards are uninterpreted functions of the
 * arguments, of the memory it sees and of the order of observable things (state.world): ret:NAME, mem:NAME,
 * world:NAME. Names carry no addresses or counters, so two programs that share a term table get equal terms
 * from equal calls. */
#include <stdlib.h>
#include <string.h>

#include "exec/engine.h"
#include "lift/llvm/bitcode.h"

enum { CALL_MAX_ARGS = 64 };

/* ---- who is called ---- */

static bool read_thunk(struct explorer *x, struct callee *c)
{
    /* mov REG, [esp]; ret: how i386 code that may lie anywhere learns where it lies. */
    static const char *const reg[] = {"eax", "ecx", "edx", "ebx", NULL, "ebp", "esi", "edi"};
    uint8_t code[4];
    if (x->m->arch != MACHINE_X86 || !x->o || !object_read(x->o, c->address, code, sizeof code))
        return false;
    if (code[0] != 0x8b || (code[1] & 0xc7) != 0x04 || code[2] != 0x24 || code[3] != 0xc3)
        return false;
    uint16_t width;
    const char *name = reg[code[1] >> 3 & 7];
    return name && machine_register_find(x->m, name, &c->thunk_reg, &width);
}

static const struct callee *callee_at(struct activation *a, uint64_t address, const struct call_site *site)
{
    struct explorer *x = a->x;
    uint64_t known;
    if (map_get(&x->callees, address, &known))
        return (const struct callee *)(uintptr_t)known;
    struct callee *c = arena_new(&x->arena, struct callee);
    map_set(&x->callees, address, (uint64_t)(uintptr_t)c);
    c->address = address;
    c->proto.nargs = -1;
    const struct flow_graph *g = a->g->g;
    for (uint32_t i = 0; i < g->ncalls && !c->name; i++)
        if (g->call[i].target == address && g->call[i].site == site->site)
            c->name = g->call[i].name;
    bool imported = false;
    if (x->p) {
        c->f = program_function_at(x->p, address);
        const struct object_stub *stub = object_stub_at(x->o, address);
        imported = stub && stub->name && !stub->target;
        if (stub && stub->target) {
            const struct flow_function *to = program_function_at(x->p, stub->target);
            c->f = to ? to : c->f;
        }
        if (imported)
            c->name = stub->name;
        else if (c->f && (!c->name || c->f->named))
            c->name = c->f->name;
        imported = imported || (c->f && c->f->flags & (FLOW_PLT | FLOW_EXTERN));
        const struct object_info *info = object_info(x->o);
        bool whole = info->type == OBJECT_EXECUTABLE && info->is_static && !info->stripped;
        if (c->name && (imported || whole) && program_library(x->p))
            c->lib = flow_library_find(program_library(x->p), c->name);
        if (c->f && !imported)
            c->proto = x->opt.shallow ? flow_table_prototype(x->p, c->f) : flow_prototype(x->p, c->f);
        else if (c->name && !flow_library_prototype(x->p, c->name, &c->proto)) {
            c->declared = flow_declared_prototype(x->p, site->site, c->name, &c->proto);
            if (!c->declared)
                c->proto = (struct flow_prototype){.nargs = -1};
        }
        if (imported)
            c->f = NULL;
    } else if (x->bitcode) {
        bitcode_callee(x, c);
    }
    if (!c->name)
        c->name = arena_printf(&x->arena, "sub_%llx", (unsigned long long)address);
    c->called = c->name;
    if (x->opt.hooks && x->opt.hooks->name)
        c->name = x->opt.hooks->name(x->opt.hooks->ctx, c->name, address);
    c->thunk = read_thunk(x, c);
    if (c->f && !c->lib && !c->thunk && !x->opt.shallow)
        c->how = convention_of(x, c);
    return c;
}

/* ---- what it is given ---- */

struct args {
    struct explorer *x;
    struct state *st;
    term arg[CALL_MAX_ARGS];
    unsigned n;
    unsigned ints, floats, stack; /* registers and bytes of stack used */
    bool floats_too;              /* what it takes is not known: floats may be among it */
    bool bounded;                 /* the hooks said how many there may be at most */
    bool more;                    /* there may be more on the stack */
};

static term stack_word(struct args *g, unsigned bytes)
{
    struct explorer *x = g->x;
    term sp = state_get(x, g->st, x->m->sp, x->width);
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

static void add_float(struct args *g, unsigned bits)
{
    struct explorer *x = g->x;
    if (x->m->nfargs == 0 || bits > 64) { /* i386; and long double lies in memory */
        add_arg(g, stack_word(g, bits > 64 ? 16 : bits / 8));
        return;
    }
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

/* Arguments that a constant format string asks for. False when there is no such string. */
static bool add_formatted(struct args *g, bool scan, bool *stores)
{
    struct explorer *x = g->x;
    uint64_t address;
    size_t len;
    if (g->n == 0 || !x->o || !memory_resolve(x, g->arg[g->n - 1], &address))
        return false;
    const char *s = object_string(x->o, address, &len);
    if (!s)
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
            *stores = true;
        if (scan)
            add_int(g);
        else if (strchr("eEfFgGaA", s[i]) && x->m->arch == MACHINE_ARM)
            add_wide(g); /* variadic arguments go by the base standard, also where floats have registers */
        else if (strchr("eEfFgGaA", s[i]))
            add_float(g, longs >= 8 ? 80 : 64);
        else if (longs >= 2)
            add_wide(g);
        else
            add_int(g);
    }
    return true;
}

/* How many words from the first argument on the stack on were stored to since the last call, on any way here.
 * *more: there may be others behind them. */
static unsigned stack_words_set(struct explorer *x, struct state *st, bool *more)
{
    enum { LOOKED_AT = 4096, WORDS = 64 };
    uint64_t set = 0, first, at;
    unsigned words = 0, fuel = LOOKED_AT;
    term base, sp = state_get(x, st, x->m->sp, x->width);
    term_split(x->t, sp, &base, &first);
    VEC(const struct history *) todo = VEC_INIT;
    if (st->writes && base == x->sp)
        vec_push(&todo, st->writes);
    for (; todo.len && fuel; fuel--) {
        const struct history *h = vec_pop(&todo);
        if (h->seq < st->last_call)
            continue;
        if (h->prev)
            vec_push(&todo, h->prev);
        if (h->other)
            vec_push(&todo, h->other);
        if (!h->entry)
            continue;
        const struct write_node *w = (const struct write_node *)h;
        term_split(x->t, w->w.address, &base, &at);
        at -= first + x->m->stack_arg;
        if (x->width == 32)
            at = (uint32_t)at;
        bool saved = false;
        for (unsigned i = 0; i < x->m->nsaved; i++)
            saved = saved || w->w.value == x->entry[x->m->saved[i] / x->unit];
        if (base != x->sp || saved || at / x->unit >= WORDS)
            continue;
        for (uint64_t i = at / x->unit, end = at + term_width(x->t, w->w.value) / 8;
             i < WORDS && i * x->unit < end; i++)
            set |= (uint64_t)1 << i;
    }
    *more = todo.len > 0;
    vec_free(&todo);
    /* Where the stack pointer is as it was at entry, what is not set is handed on as it came. */
    bool handed_on = sp == x->sp && set;
    while (words < WORDS && (handed_on ? set >> words : set >> words & 1))
        words++;
    /* Something of two words is aligned to two. */
    if (x->unit == 8 && words % 2 && words + 3 <= WORDS && (set >> words & 7) == 6)
        words += 3;
    *more = *more || words == WORDS || (st->filled && st->filled == st->last_call);
    return words;
}

/* The function of the library was given the place where arguments on the stack begin, or one not far from it,
 * to write to: structures are copied there. */
static bool fills_arguments(struct explorer *x, struct state *st, const struct args *g)
{
    enum { NEAR = 64 };
    term base;
    uint64_t at, first;
    if (!g->n)
        return false;
    term_split(x->t, state_get(x, st, x->m->sp, x->width), &base, &first);
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

/* Fills g->arg. *fixed is false when how many there are was not known; *set is then how many were set. */
static void collect(struct args *g, const struct callee *c, const struct call_site *site, bool *fixed,
                    bool *stores, int *set)
{
    struct explorer *x = g->x;
    *fixed = true;
    if (site->end && (site->end->nargs || x->m->locals)) {
        for (uint32_t i = 0; i < site->end->nargs; i++)
            add_arg(g, site->val[site->block->arg[site->end->args + i]]);
        *fixed = !c->proto.variadic && !(c->lib && c->lib->variadic);
        *stores = x->bitcode && c->lib && c->lib->variadic && bitcode_format_stores(x, c->lib, g->arg, g->n);
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
                add_float(g, k == LIBRARY_FLOAT ? 32 : k == LIBRARY_DOUBLE ? 64 : 80);
            else
                add_int(g);
        }
        variadic = c->lib->variadic;
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
    *fixed = false;
    if (variadic && add_formatted(g, c->name && strstr(c->name, "scan"), stores))
        return;
    x->stats.args_guessed++;
    const struct explore_hooks *h = x->opt.hooks;
    int arity = h && h->arity && unknown ? h->arity(h->ctx, c->name, site->site) : -1;
    if (arity >= 0) {
        g->bounded = true;
        while (g->n < (unsigned)arity && g->n < CALL_MAX_ARGS)
            add_int(g);
        return;
    }
    /* Registers the code has set since the last call are arguments, and behind them words of the stack. */
    unsigned registers = g->ints, words = 0;
    while (registers < x->m->nargs && g->st->argset >> registers & 1)
        registers++;
    if (registers == x->m->nargs)
        words = stack_words_set(x, g->st, &g->more);
    *set = unknown ? (int)(registers - g->ints + words) : -1;
    bool proving = h && h->most;
    int most = proving && unknown && c->name ? h->most(h->ctx, c->name) : proving ? -1 : *set;
    if (proving && most < 0) {
        unsigned last = registers_up_to(x, g->st);
        registers = last > registers ? last : registers;
        g->floats_too = true;
        if (registers == x->m->nargs && !words)
            words = stack_words_set(x, g->st, &g->more);
    }
    unsigned limit = most >= 0 ? (unsigned)most : CALL_MAX_ARGS;
    while (g->ints < registers && (variadic || g->n < limit))
        add_int(g);
    if (g->ints == x->m->nargs) {
        for (; words && (variadic || g->n < limit); words--)
            add_int(g);
        g->more = g->more || (words && g->n == CALL_MAX_ARGS);
        /* There may be more that were not seen, and a pointer among them. */
        if (memory_tainted(x, g->st->frame))
            memory_escape(x, g->st);
    }
    *stores = *stores || variadic;
}

/* ---- what it does ---- */

/* Registers hold something unknown: all that a call may change, or as `how` says. */
static void clobber(struct explorer *x, struct state *st, term token, const struct convention *how)
{
    for (unsigned i = 0; i < x->nslots; i++) {
        if (x->slot_keep[i])
            continue;
        if (how && !how->writes[i])
            state_slot(x, st, i);
        else
            st->reg[i] = TERM_NONE;
    }
    st->clobber = token;
    st->argset = 0;
}

static term apply(struct explorer *x, const char *what, const char *name, bool fixed, unsigned width,
                  const term *kid, unsigned n)
{
    char text[320];
    if (fixed)
        snprintf(text, sizeof text, "%s:%s", what, name);
    else
        snprintf(text, sizeof text, "%s:%s/%u", what, name, n);
    return width ? term_apply(x->t, text, width, kid, n) : term_apply_array(x->t, text, x->width, 8, kid, n);
}

/* A float result on i386 is pushed on the x87 stack. */
static uint32_t push_x87(struct explorer *x, struct state *st, term value)
{
    uint16_t top_at, regs, tags, width;
    uint64_t top;
    if (!machine_register_find(x->m, "<x87_top>", &top_at, &width) ||
        !machine_register_find(x->m, "mm0", &regs, &width) ||
        !machine_register_find(x->m, "<x87_tag0>", &tags, &width))
        return UINT32_MAX;
    if (!term_const_u64(x->t, state_get(x, st, top_at, 32), &top))
        return UINT32_MAX;
    top = (top - 1) & 7;
    state_put(x, st, top_at, term_const(x->t, 32, top));
    state_put(x, st, regs + (unsigned)top * 8, value);
    state_put(x, st, tags + (unsigned)top, term_const(x->t, 8, 1));
    return regs + (unsigned)top * 8;
}

/* Returns where the result was put. */
static uint32_t set_result(struct explorer *x, struct state *st, const struct callee *c,
                           const struct call_site *site, term result)
{
    if (site->end && site->end->result != IR_NONE && site->end->result_width) {
        state_put(x, st, site->end->result, term_extract(x->t, result, 0, site->end->result_width));
        return site->end->result;
    }
    if (x->m->locals)
        return UINT32_MAX;
    bool is_float = c->lib ? c->lib->returns_float : c->proto.returns_float;
    if (is_float && x->m->fret == UINT16_MAX)
        return push_x87(x, st, result);
    uint32_t at = is_float ? x->m->fret : x->m->ret;
    state_put(x, st, at, result);
    return at;
}

/* A value that a callee may have left on the x87 stack must not look like one that is not there. Where the
 * top of the stack is does not matter as long as it is empty, so it stays. */
static void float_maybe_returned(struct explorer *x, struct state *st, const struct convention *how,
                                 term token, struct exec_event *e)
{
    uint16_t top_at, regs, tags, width;
    uint64_t top;
    if (!machine_register_find(x->m, "<x87_top>", &top_at, &width) ||
        !machine_register_find(x->m, "mm0", &regs, &width) ||
        !machine_register_find(x->m, "<x87_tag0>", &tags, &width) ||
        !term_const_u64(x->t, state_get(x, st, top_at, 32), &top) || (how && !how->writes[top_at / x->unit]))
        return;
    top &= 7;
    e->x87 = term_apply(x->t, "clobber:st0", 64, &token, 1);
    e->x87_at = regs + (unsigned)top * 8;
    e->x87_tag_at = tags + (unsigned)top;
    state_put(x, st, e->x87_at, e->x87);
    state_put(x, st, e->x87_tag_at, term_const(x->t, 8, 1));
}

/* What a callee is given beside its arguments. */
enum { HIDDEN_MAX = 64 };
struct hidden {
    term value[HIDDEN_MAX];
    unsigned n, floats, stack;
};

/* Nobody put it there: a register as the last callee left it. A callee cannot mean to read that. */
static bool is_left_over(const struct explorer *x, term v)
{
    while (term_kind(x->t, v) == OP_EXTRACT || term_kind(x->t, v) == OP_ZEXT)
        v = term_kid(x->t, v, 0);
    if (term_kind(x->t, v) == OP_CONCAT)
        return is_left_over(x, term_kid(x->t, v, 0)) && is_left_over(x, term_kid(x->t, v, 1));
    return term_kind(x->t, v) == TERM_APPLY && strncmp(term_name(x->t, v), "clobber:", 8) == 0;
}

/* A register for floats, of which only the first ones can hold a part of what the last callee returned.
 * What else that left there is all the same. */
static term float_passed(struct explorer *x, struct state *st, unsigned i, unsigned width)
{
    unsigned results = x->m->arch == MACHINE_AMD64 ? 2 : 4; /* an aggregate of floats */
    term v = state_get(x, st, x->m->farg[i], width), nothing = term_const(x->t, 1, 0);
    return i >= results && is_left_over(x, v) ? term_apply(x->t, "clobber:float", width, &nothing, 1) : v;
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

/* i386: code that runs anywhere keeps the address of the table of addresses in ebx, and stubs read it there. */
static bool has_table(struct explorer *x, struct state *st)
{
    uint16_t at, width;
    uint64_t address;
    size_t n;
    return x->m->arch == MACHINE_X86 && x->o && machine_register_find(x->m, "ebx", &at, &width) &&
           memory_resolve(x, state_get(x, st, at, x->width), &address) &&
           object_bytes(x->o, address, &n) != NULL;
}

/* Leaves in g->stack how much of the stack belongs to the callee. */
static void find_hidden(struct args *g, const struct callee *c, struct hidden *h)
{
    struct explorer *x = g->x;
    uint16_t carrier[CONVENTION_CARRIERS];
    unsigned n = convention_carriers(x, carrier);
    if (c->lib || c->declared)
        return;
    if (g->floats_too && !c->how)
        add_floats(g, h);
    if (x->opt.hooks && x->opt.hooks->arity && !c->how && x->m->nargs) {
        unsigned width = x->m->arch == MACHINE_ARM ? 64 : 128;
        for (unsigned i = 0; i < x->m->nfargs && h->n < HIDDEN_MAX; i++)
            h->value[h->n++] = float_passed(x, g->st, i, width);
        h->floats = h->n;
        /* Looked at, not given away: they may well be locals. */
        unsigned mine = g->stack;
        unsigned words = stack_words_set(x, g->st, &g->more);
        for (; words && h->n < HIDDEN_MAX; words--)
            h->value[h->n++] = stack_word(g, x->unit);
        g->more = g->more || words;
        h->stack = h->n - h->floats;
        g->stack = mine;
    }
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
    while (g->stack < c->how->stack_words * x->unit)
        add_hidden(x, h, stack_word(g, x->unit));
    /* More than can be listed: then all of the frame. */
    if (c->how->takes_stack || h->n == HIDDEN_MAX)
        memory_escape(x, g->st);
}

/* The registers that hooks say a call changes, by slot. */
static const uint8_t *only_changes(struct explorer *x, const struct exec_call *only)
{
    uint8_t *writes = arena_array(&x->arena, uint8_t, x->nslots);
    for (unsigned i = 0; i < only->nchanges; i++)
        writes[only->changes[i] / x->unit] = 1;
    return writes;
}

/* Does everything a call that is not followed does, but for where it goes on. `only` (or NULL): all that it
 * changes. */
static void call_effect(struct activation *a, struct state *st, const struct callee *c,
                        const struct call_site *site, const struct exec_call *only)
{
    struct explorer *x = a->x;
    struct args g = {.x = x, .st = st};
    bool fixed, stores = false;
    int set = -1;
    collect(&g, c, site, &fixed, &stores, &set);
    unsigned wanted = x->m->locals && site->end ? site->end->result_width : 0;
    struct callee plain;
    if (x->bitcode && c->lib && !bitcode_fits_library(x, c->lib, g.arg, g.n, wanted)) {
        plain = *c;
        plain.lib = NULL;
        c = &plain;
    }
    struct exec_event e = {.kind = EVENT_CALL,
                           .site = site->site,
                           .name = c->name,
                           .arg = g.arg,
                           .nargs = g.n,
                           .bounded = g.bounded,
                           .target = c->name ? TERM_NONE : site->target,
                           .tail = site->tail,
                           .depth = a->depth,
                           .result_at = UINT32_MAX,
                           .explicit_args = site->end && (site->end->nargs || x->m->locals),
                           .guessed = set};
    bool is_float = c->lib ? c->lib->returns_float : c->proto.returns_float;
    bool returns = c->lib ? c->lib->returns : c->proto.source == PROTO_NONE || c->proto.returns;
    unsigned width = is_float ? 64 : x->width;
    if (x->m->locals) {
        returns = wanted != 0;
        width = wanted > width ? wanted : width;
    }
    e.mem_before = st->mem;
    e.frame_before = st->frame;
    e.world_before = st->world;
    x->stats.abi_assumed += !x->m->locals;
    x->stats.library_assumed += c->lib != NULL;
    x->stats.throws_ignored += x->unwinds;
    if (c->how) {
        e.changes = c->how->writes;
        e.pops = c->how->pops_known ? c->how->pops : 0;
    }
    term result = TERM_NONE;
    bool filled =
        c->lib && !only && (fills_arguments(x, st, &g) || (st->filled && st->filled == st->last_call));
    if (only) {
        term kid[] = {st->world};
        e.changes = only_changes(x, only);
        struct convention how = {.writes = (uint8_t *)e.changes};
        st->world = apply(x, "world", c->name ? c->name : "*", true, 64, kid, 1);
        clobber(x, st, apply(x, "after", c->name ? c->name : "*", true, 64, kid, 1), &how);
        g.stack = 0;
    } else if (c->lib && !stores && summary_apply(x, st, c, g.arg, g.n, site->site, &result)) {
        /* The token keeps registers that the convention lets a callee destroy apart from call to call. */
        term kid[CALL_MAX_ARGS + 1];
        memcpy(kid, g.arg, g.n * sizeof(term));
        kid[g.n] = st->world;
        clobber(x, st, apply(x, "after", c->name, fixed, 64, kid, g.n + 1), NULL);
        if (returns && result == TERM_NONE)
            result = apply(x, "ret", c->name, fixed, width, kid, g.n + 1);
    } else {
        for (unsigned i = 0; i < g.n; i++)
            if (memory_tainted(x, g.arg[i]))
                memory_escape(x, st);
        struct hidden h = {0};
        find_hidden(&g, c, &h);
        if (x->opt.hooks && x->opt.hooks->arity && c->name && !c->f && has_table(x, st))
            add_hidden(x, &h, term_true(x->t));
        if (h.n)
            fixed = false;
        for (unsigned i = 0; i < h.n; i++)
            if (memory_tainted(x, h.value[i]))
                memory_escape(x, st);
        /* What is there when it returns again is what was left behind in the meantime. */
        if (c->lib && c->lib->attrs & LIBRARY_TWICE)
            memory_escape(x, st);
        term kid[CALL_MAX_ARGS + HIDDEN_MAX + 3], *all = arena_array(&x->arena, term, g.n + h.n + 1);
        memcpy(all, g.arg, g.n * sizeof(term));
        memcpy(all + g.n, h.value, h.n * sizeof(term));
        e.arg = all;
        e.nargs = g.n + h.n;
        e.nhidden = h.n;
        e.nfloats = h.floats;
        e.nstack = h.stack;
        e.unlisted = g.more;
        unsigned n = 0;
        if (!c->name)
            kid[n++] = site->target;
        memcpy(kid + n, h.value, h.n * sizeof(term));
        n += h.n;
        memcpy(kid + n, g.arg, g.n * sizeof(term));
        n += g.n;
        e.mem_before = st->mem;
        kid[n++] = st->mem;
        kid[n++] = st->world;
        const char *name = c->name ? c->name : "*";
        term token = apply(x, "after", name, fixed, 64, kid, n);
        if (returns && c->lib && c->lib->returns_arg >= 0 && (unsigned)c->lib->returns_arg < g.n)
            result = g.arg[c->lib->returns_arg];
        else if (returns)
            result = apply(x, is_float ? "fret" : "ret", name, fixed, width, kid, n);
        e.mem_made = st->mem = apply(x, "mem", name, fixed, 0, kid, n);
        st->world = apply(x, "world", name, fixed, 64, kid, n);
        for (unsigned i = 0; i < g.n && x->opt.shallow; i++)
            memory_given(x, st, g.arg[i]);
        clobber(x, st, token, c->how);
        float_maybe_returned(x, st, c->how, token, &e);
    }
    /* A callee may use the words its arguments came in as it likes. */
    term sp = state_get(x, st, x->m->sp, x->width);
    for (unsigned i = 0; i < g.stack; i += x->unit) {
        term at = term_add_const(x->t, sp, x->m->stack_arg + i), v;
        char slot[16];
        snprintf(slot, sizeof slot, "slot:%u", i);
        v = term_apply(x->t, slot, x->width, &st->clobber, 1);
        if (st->flat || !(x->opt.axioms & AXIOM_FRAME))
            st->mem = term_write(x->t, st->mem, at, v);
        else
            st->frame = term_write(x->t, st->frame, at, v);
    }
    e.mem_after = st->mem;
    e.world_after = st->world;
    e.frame_after = st->frame;
    if (result != TERM_NONE) {
        e.result = wanted ? term_extract(x->t, result, 0, wanted) : result;
        e.result_at = set_result(x, st, c, site, result);
    }
    e.token = st->clobber;
    e.escaped = st->flat;
    e.saved = st->saved;
    state_event(x, st, &e);
    st->last_call = x->history_seq;
    st->filled = filled && x->m->nargs ? st->last_call : 0;
    if (x->m->call_pushes && !site->tail)
        state_put(x, st, x->m->sp, term_add_const(x->t, sp, x->m->call_pushes + e.pops));
}

/* Whether the function is among those followed into as often as may be. */
static bool recurs(const struct activation *a, const struct callee *c)
{
    unsigned n = 0, most = a->x->opt.recursion;
    for (; a; a = a->caller)
        n += a->f == c->f;
    return most && n >= most;
}

/* Follows a callee instead of summarising it. `asked`: whatever it looks like, tail calls included. */
static bool follow(struct activation *a, struct state *st, const struct callee *c,
                   const struct call_site *site, bool asked)
{
    struct explorer *x = a->x;
    unsigned blocks = x->opt.inline_blocks ? x->opt.inline_blocks : 8;
    if (a->depth >= x->opt.inline_depth || !c->f || !x->p || (!asked && (c->lib || site->tail)) ||
        recurs(a, c))
        return false;
    const struct flow_graph *fg = flow_graph(x->p, c->f);
    uint32_t after = site->after == IR_NO_LABEL ? UINT32_MAX : graph_block(a->g, site->after);
    if (fg->nblocks == 0 ||
        (!asked && (fg->nblocks > blocks || fg->nproblems || fg->noreturn || after == UINT32_MAX)))
        return false;
    x->stats.inlined++;
    struct activation sub = {
        .x = x, .g = graph_prepare(x, fg), .f = c->f, .depth = a->depth + 1, .caller = a};
    uint32_t n = a->g->nvisits;
    uint8_t *visits = n ? xmalloc(n) : NULL;
    if (n)
        memcpy(visits, st->visits, n);
    state_visits(st, sub.g->nvisits);
    activation_push(&sub, st, 0);
    activation_run(&sub);
    if (x->opt.merge && !x->stop)
        sub.returns.len = merge_group(&sub, sub.returns.data, sub.returns.len, true);
    for (size_t i = sub.returns.len; i-- > 0;) {
        struct state *r = sub.returns.data[i];
        state_visits(r, n);
        if (n)
            memcpy(r->visits, visits, n);
        r->argset = 0;
        if (after != UINT32_MAX)
            activation_push(a, r, after);
        else
            activation_finish(a, r, site->tail ? PATH_RETURN : PATH_NORETURN, site->site);
    }
    free(visits);
    free(sub.val);
    vec_free(&sub.work);
    vec_free(&sub.returns);
    return true;
}

/* Remembered: every call asks. */
static ir_label thunk_end(struct explorer *x, ir_label label)
{
    uint64_t end;
    if (!map_get(&x->thunks, label, &end))
        map_set(&x->thunks, label, end = flow_thunk(x->p, label));
    return end;
}

void call_run(struct activation *a, struct state *st, const struct call_site *site)
{
    struct explorer *x = a->x;
    static const struct callee unknown = {.proto = {.nargs = -1}};
    const struct callee *c = &unknown;
    uint64_t target = site->label;
    if (target != IR_NO_LABEL || memory_resolve(x, site->target, &target)) {
        if (x->p && !x->opt.shallow)
            target = thunk_end(x, target);
        if (x->m->arch == MACHINE_ARM)
            target &= ~UINT64_C(1);
        c = callee_at(a, target, site);
    } else if (bitcode_is_global(x, site->target)) {
        const struct bitcode_function *f =
            bitcode_function(x->bitcode, term_name(x->t, site->target) + 1, NULL);
        if (f)
            c = callee_at(a, f->address, site);
    } else if (term_kind(x->t, site->target) == TERM_VAR && term_name(x->t, site->target)[0] == '&' && x->p) {
        /* Through a GOT slot: call *puts@GOTPCREL(%rip). */
        const char *name = term_name(x->t, site->target) + 1;
        uint64_t known, key = hash_bytes(name, strlen(name)) | UINT64_C(1) << 63;
        if (map_get(&x->callees, key, &known)) {
            c = (const struct callee *)(uintptr_t)known;
        } else {
            struct callee *n = arena_new(&x->arena, struct callee);
            n->name = n->called = name;
            if (x->opt.hooks && x->opt.hooks->name)
                n->name = x->opt.hooks->name(x->opt.hooks->ctx, name, 0);
            n->lib = program_library(x->p) ? flow_library_find(program_library(x->p), name) : NULL;
            if (!flow_library_prototype(x->p, name, &n->proto))
                n->proto = (struct flow_prototype){.nargs = -1};
            map_set(&x->callees, key, (uint64_t)(uintptr_t)n);
            c = n;
        }
    }
    if (c->thunk && site->after != IR_NO_LABEL) {
        state_put(x, st, c->thunk_reg, memory_code(x, site->after));
        term sp = state_get(x, st, x->m->sp, x->width);
        state_put(x, st, x->m->sp, term_add_const(x->t, sp, x->m->call_pushes));
        uint32_t to = graph_block(a->g, site->after);
        if (to == UINT32_MAX)
            activation_finish(a, st, PATH_UNKNOWN_CODE, site->site);
        else
            activation_push(a, st, to);
        return;
    }
    const struct explore_hooks *h = x->opt.hooks;
    struct exec_moment moment = {x, st, a->depth};
    struct exec_callee about = {c->called, c->address, site->site, c->f, site->tail};
    struct exec_call how = {0};
    if (h && h->call)
        how = h->call(h->ctx, &moment, &about);
    if ((how.kind == EXEC_CALL_FOLLOW || !(h && h->call)) &&
        follow(a, st, c, site, how.kind == EXEC_CALL_FOLLOW))
        return;
    call_effect(a, st, c, site, how.kind == EXEC_CALL_ONLY ? &how : NULL);
    if (h && h->called)
        h->called(h->ctx, &moment, &about);
    bool noreturn = how.kind == EXEC_CALL_END || c->proto.noreturn || (c->lib && c->lib->noreturn) ||
                    (x->p && c->address && flow_noreturn(x->p, c->address));
    if (noreturn) {
        activation_finish(a, st, PATH_NORETURN, site->site);
        return;
    }
    if (site->tail) {
        activation_finish(a, st, PATH_TAIL_CALL, site->site);
        return;
    }
    uint32_t to = site->after == IR_NO_LABEL ? UINT32_MAX : graph_block(a->g, site->after);
    if (to != UINT32_MAX)
        activation_push(a, st, to);
    else
        activation_finish(a, st, PATH_NORETURN, site->site);
}

void call_syscall(struct explorer *x, struct state *st, uint64_t site)
{
    const struct ir_machine *m = x->m;
    term arg[8], kid[10];
    unsigned n = 0;
    if (m->syscall_nr != UINT16_MAX)
        arg[n++] = state_get(x, st, m->syscall_nr, x->width);
    for (unsigned i = 0; i < m->nsyscall_args && n < 8; i++)
        arg[n++] = state_get(x, st, m->syscall_arg[i], x->width);
    for (unsigned i = 0; i < n; i++)
        if (memory_tainted(x, arg[i]))
            memory_escape(x, st);
    struct exec_event e = {.kind = EVENT_SYSCALL,
                           .site = site,
                           .name = "syscall",
                           .arg = arg,
                           .nargs = n,
                           .mem_before = st->mem,
                           .world_before = st->world};
    memcpy(kid, arg, n * sizeof(term));
    kid[n] = st->mem;
    kid[n + 1] = st->world;
    e.result = apply(x, "ret", "syscall", true, x->width, kid, n + 2);
    st->mem = apply(x, "mem", "syscall", true, 0, kid, n + 2);
    st->world = apply(x, "world", "syscall", true, 64, kid, n + 2);
    e.mem_after = e.mem_made = st->mem;
    e.world_after = st->world;
    e.frame_after = st->frame;
    e.token = st->clobber;
    e.escaped = st->flat;
    e.saved = st->saved;
    e.result_at = m->syscall_ret == UINT16_MAX ? UINT32_MAX : m->syscall_ret;
    if (m->syscall_ret != UINT16_MAX)
        state_put(x, st, m->syscall_ret, e.result);
    state_event(x, st, &e);
}

/* ---- intrinsics and what was not understood ---- */

enum { CHUNK = OP_MAX_WIDTH / 8 };

void call_event(struct activation *a, struct state *st, const struct ir_block *b, uint32_t insn,
                uint64_t site)
{
    struct explorer *x = a->x;
    const struct ir_insn *in = &b->insn[insn];
    const struct ir_event *ev = &b->event[in->a];
    VEC(term) kid = VEC_INIT;
    term guard = ev->guard == IR_NONE ? TERM_NONE : a->val[ev->guard];
    if (guard != TERM_NONE && term_is_true(x->t, guard))
        guard = TERM_NONE;
    for (uint32_t i = 0; i < ev->nargs; i++)
        vec_push(&kid, a->val[b->arg[ev->args + i]]);
    size_t nargs = kid.len;
    for (unsigned i = 0; i < nargs; i++)
        if (memory_tainted(x, kid.data[i]))
            memory_escape(x, st);
    for (unsigned i = 0; i < ev->nreads; i++)
        for (uint32_t at = 0; at < ev->reads[i].bytes; at += CHUNK)
            vec_push(&kid,
                     state_get(x, st, ev->reads[i].offset + at,
                               (ev->reads[i].bytes - at < CHUNK ? ev->reads[i].bytes - at : CHUNK) * 8));
    term address = ev->mem_read || ev->mem_write ? a->val[ev->mem_addr] : TERM_NONE;
    for (uint32_t at = 0; ev->mem_read && at < ev->mem_bytes; at += CHUNK)
        vec_push(&kid, memory_load(x, st, 0, term_add_const(x->t, address, at),
                                   (ev->mem_bytes - at < CHUNK ? ev->mem_bytes - at : CHUNK) * 8));
    if (ev->observable)
        vec_push(&kid, st->world);
    if (kid.len == 0)
        vec_push(&kid, term_const(x->t, 1, 0));
    bool happens = guard == TERM_NONE || !term_is_false(x->t, guard);
    struct exec_event e = {.kind = EVENT_INTRINSIC,
                           .site = site,
                           .name = ev->name,
                           .arg = kid.data,
                           .nargs = (unsigned)nargs,
                           .guard = guard,
                           .mem_before = st->mem};
    char name[200];
    if (in->width) {
        snprintf(name, sizeof name, "%s", ev->name);
        a->val[insn] = e.result = term_apply(x->t, name, in->width, kid.data, (unsigned)kid.len);
    }
    for (unsigned i = 0; happens && i < ev->nwrites; i++) {
        for (uint32_t at = 0; at < ev->writes[i].bytes; at += CHUNK) {
            unsigned off = ev->writes[i].offset + at,
                     n = ev->writes[i].bytes - at < CHUNK ? ev->writes[i].bytes - at : CHUNK;
            snprintf(name, sizeof name, "%s@%u", ev->name, off);
            term v = term_apply(x->t, name, n * 8, kid.data, (unsigned)kid.len);
            if (guard != TERM_NONE)
                v = term_ite(x->t, guard, v, state_get(x, st, off, n * 8));
            state_put(x, st, off, v);
        }
    }
    for (uint32_t at = 0; happens && ev->mem_write && at < ev->mem_bytes; at += CHUNK) {
        unsigned n = ev->mem_bytes - at < CHUNK ? ev->mem_bytes - at : CHUNK;
        snprintf(name, sizeof name, "%s:mem%u", ev->name, at);
        memory_store(x, st, 0, term_add_const(x->t, address, at),
                     term_apply(x->t, name, n * 8, kid.data, (unsigned)kid.len), guard, site);
    }
    if (happens && ev->observable) {
        snprintf(name, sizeof name, "world:%s", ev->name);
        term w = term_apply(x->t, name, 64, kid.data, (unsigned)kid.len);
        st->world = guard == TERM_NONE ? w : term_ite(x->t, guard, w, st->world);
        e.mem_after = st->mem;
        e.frame_after = st->frame;
        state_event(x, st, &e);
    }
    vec_free(&kid);
}

void call_unknown(struct explorer *x, struct state *st, const struct ir_unknown *u)
{
    x->stats.unknown_effects++;
    if (u->all_registers)
        clobber(x, st, term_fresh(x->t, "unknown", 64), NULL);
    for (unsigned i = 0; i < u->nwrites; i++)
        for (uint32_t at = 0; at < u->writes[i].bytes; at += CHUNK) {
            unsigned n = u->writes[i].bytes - at < CHUNK ? u->writes[i].bytes - at : CHUNK;
            state_put(x, st, u->writes[i].offset + at, term_fresh(x->t, "unknown", n * 8));
        }
    if (u->mem_write) {
        memory_escape(x, st);
        st->mem = term_fresh_array(x->t, "unknown_mem", x->width, 8);
    }
    struct exec_event e = {.kind = EVENT_UNKNOWN,
                           .site = u->address,
                           .name = u->text,
                           .mem_before = st->mem,
                           .mem_after = st->mem,
                           .frame_after = st->frame};
    state_event(x, st, &e);
}
