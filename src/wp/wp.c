/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the question to the verdict. */
#include "wp/wp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/system.h"
#include "wp/internal.h"

enum { STACK_ROOM = 4096, QUICK_MS = 500, ALSO_MAX = 8 };

void wp_note(struct wp *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    notes_add(&w->notes, w->arena, fmt, ap);
    va_end(ap);
}

bool wp_fail(struct wp *w, const char *fmt, ...)
{
    char text[sizeof w->err->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!w->failed)
        error_set(w->err, ERROR_USAGE, "%s", text);
    w->failed = true;
    return false;
}

/* ---- what is given ---- */

static bool assume_pointers(struct wp *w)
{
    struct side *s = &w->side[0];
    unsigned width = s->code->m->pointer_width;
    for (const char *at = w->opt->pointer_regs ? w->opt->pointer_regs : ""; *at;) {
        char name[32];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n + (at[n] == ',');
        uint16_t offset, wide;
        if (!machine_register_find(s->code->m, name, &offset, &wide) || wide != width)
            return wp_fail(w, "--pointer-reg-list: %s has no address register '%s'", s->code->m->name, name);
        term r = side_entry(s, offset, width), sp = explorer_symbols(s->code->x).sp;
        /* initialised memory: not below the stack pointer, and not null */
        term above = term_bin(w->t, OP_ULE, sp, r);
        term below = term_bin(w->t, OP_ULT, r, term_const(w->t, width, wp_stack_low(w)));
        vec_push(&w->assume, term_or(w->t, above, below));
        vec_push(&w->assume, term_bin(w->t, OP_ULE, term_const(w->t, width, STACK_ROOM), r));
    }
    return true;
}

static void assume_stack(struct wp *w)
{
    struct side *s = &w->side[0];
    unsigned width = s->code->m->pointer_width;
    uint64_t base = w->opt->stack_base, low = base - w->opt->stack_size / 2;
    term sp = explorer_symbols(s->code->x).sp;
    vec_push(&w->assume, term_bin(w->t, OP_ULE, term_const(w->t, width, low), sp));
    vec_push(&w->assume, term_bin(w->t, OP_ULT, sp, term_const(w->t, width, base)));
}

static bool read_preconditions(struct wp *w)
{
    const struct wp_options *o = w->opt;
    struct condition_names at_entry = {.side = &w->side[0], .suffixes = w->nsides == 2, .entry = true};
    if (o->precond && *o->precond) {
        term x = condition_read(w, "--precond", o->precond, &at_entry);
        if (x == TERM_NONE)
            return false;
        vec_push(&w->preconditions, x);
    }
    for (size_t i = 0; o->pre && o->pre[i]; i++) {
        term x = clike_read(w, "--pre", o->pre[i], false);
        if (x == TERM_NONE)
            return false;
        vec_push(&w->preconditions, x);
    }
    return true;
}

static void add_post(struct wp *w, term x, const char *text)
{
    if (w->from_run) { /* the same condition again, over what a run ended with */
        vec_push(&w->again, x);
        return;
    }
    struct side *a = &w->side[0];
    term when = side_returns(a);
    if (w->nsides == 2)
        when = term_and(w->t, when, side_returns(&w->side[1]));
    term l = TERM_NONE, r = TERM_NONE;
    if (term_kind(w->t, x) == OP_EQ && !term_is_array(w->t, term_kid(w->t, x, 0))) {
        l = term_kid(w->t, x, 0);
        r = term_kid(w->t, x, 1);
    }
    goal_add(w, (struct goal){.kind = GOAL_POST,
                              .side = (uint8_t)(w->nsides - 1),
                              .when = when,
                              .must = x,
                              .left = l,
                              .right = r,
                              .tag = arena_printf(w->arena, "postcondition %s", text)});
}

bool wp_read_posts(struct wp *w)
{
    const struct wp_options *o = w->opt;
    struct condition_names at_end = {.side = &w->side[0], .suffixes = w->nsides == 2};
    if (o->postcond && *o->postcond) {
        term x = condition_read(w, "--postcond", o->postcond, &at_end);
        if (x == TERM_NONE)
            return false;
        add_post(w, x, o->postcond);
    }
    for (size_t i = 0; o->post && o->post[i]; i++) {
        term x = clike_read(w, "--post", o->post[i], true);
        if (x == TERM_NONE)
            return false;
        add_post(w, x, o->post[i]);
    }
    return true;
}

/* ---- what the file says memory holds at entry ---- */

static void say_bytes(struct wp *w, struct side *s, term symbol, uint64_t own, uint64_t there, uint64_t n,
                      struct map *said)
{
    unsigned width = s->code->m->pointer_width;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t byte;
        if (!map_set(said, hash_u64(there + i) ^ symbol, 1) || !object_read(s->code->o, own + i, &byte, 1))
            continue;
        term at = term_const(w->t, width, there + i);
        if (symbol != TERM_NONE)
            at = term_bin(w->t, OP_ADD, symbol, at);
        term cell = term_read(w->t, explorer_symbols(s->code->x).mem, at, 8);
        vec_push(&w->assume, term_eq(w->t, cell, term_const(w->t, 8, byte)));
    }
}

/* What the file has where something is read, and in the rest of the object. */
static void say_place(struct wp *w, term address, unsigned bytes, struct map *said)
{
    enum { OBJECT_MAX = 4096 };
    term base, symbol = TERM_NONE;
    uint64_t offset, own, inside;
    term_split(w->t, address, &base, &offset);
    struct side *s = &w->side[0];
    if (w->nsides == 2) {
        symbol = symbolic_data(&w->pair, base);
        if (symbol == TERM_NONE)
            return;
        s = &w->side[symbol == w->pair.symbolic.data[NEW]];
    }
    own = offset;
    int64_t in_part;
    const struct part *r =
        symbol == w->pair.symbolic.data[OLD] ? parts_made_from(&w->pair, offset, &in_part) : NULL;
    if (r && base != symbol) { /* any of it */
        say_bytes(w, s, symbol, r->low[0], parts_offset(&w->pair, r, 0),
                  r->size < OBJECT_MAX ? r->size : OBJECT_MAX, said);
        return;
    }
    if (symbol == w->pair.symbolic.data[OLD])
        parts_to_side(&w->pair, 0, offset, &own);
    size_t left;
    if (own < 64 || !object_bytes(s->code->o, own, &left))
        return;
    const struct object_symbol *y = object_symbol_at(s->code->o, own, &inside);
    if (y && y->type == SYMBOL_OBJECT && inside < y->size && y->size <= OBJECT_MAX)
        say_bytes(w, s, symbol, own - inside, offset - inside, y->size, said);
    say_bytes(w, s, symbol, own, offset, bytes, said); /* it may go on behind the object */
    /* an index may lead to what lies between objects */
    enum { AROUND = 64 };
    if (base != symbol && own == offset)
        for (uint64_t at = own - AROUND; at != own + AROUND; at++) {
            unsigned together;
            uint64_t to;
            if (w->nsides == 1)
                say_bytes(w, s, symbol, at, at, 1, said);
            else if (parts_settle(s->code, at, 1, &together, &to) == s->code->new &&to == at)
                say_bytes(w, s, symbol, at, at, 1, said);
        }
}

struct reading {
    struct wp *w;
    unsigned bytes;
    struct map *said;
};

static enum term_visit say_places(void *ctx, term address)
{
    const struct reading *r = ctx;
    if (term_kind(r->w->t, address) == OP_ITE)
        return TERM_INTO;
    say_place(r->w, address, r->bytes, r->said);
    return TERM_PAST;
}

static void assume_memory(struct wp *w, term vc)
{
    VEC(term) todo = VEC_INIT;
    struct map seen = {0}, said = {0};
    vec_push(&todo, vc);
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(&seen, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(w->t, u); i++)
            vec_push(&todo, term_kid(w->t, u, i));
        if (term_kind(w->t, u) != TERM_READ)
            continue;
        struct reading r = {w, term_width(w->t, u) / 8, &said};
        term_visit_parts(w->t, term_kid(w->t, u, 1), say_places, &r);
    }
    map_free(&seen);
    map_free(&said);
    vec_free(&todo);
}

/* ---- asking ---- */

typedef VEC(term) query;

static void put_given(struct wp *w, query *q)
{
    const term *basic;
    size_t n = explorer_assumptions(w->side[0].code->x, &basic);
    for (size_t i = 0; i < n; i++)
        vec_push(q, basic[i]);
    for (size_t i = 0; i < w->assume.len; i++)
        vec_push(q, w->assume.data[i]);
    vec_push(q, symbolic_apart(&w->pair));
    for (size_t i = 0; i < w->preconditions.len; i++)
        vec_push(q, w->preconditions.data[i]);
}

static enum solve_answer ask_by(struct wp *w, struct solver *s, term x)
{
    query q = VEC_INIT;
    put_given(w, &q);
    vec_push(&q, x);
    enum solve_answer a = solve_check(s, q.data, q.len, NULL);
    vec_free(&q);
    return a;
}

static enum solve_answer ask(struct wp *w, term x)
{
    return ask_by(w, w->s, x);
}

static term fails(struct wp *w, const struct goal *g)
{
    return term_and(w->t, g->when, term_not(w->t, g->must));
}

static int by_number(const void *a, const void *b)
{
    term x = *(const term *)a, y = *(const term *)b;
    return x < y ? -1 : x > y;
}

/* What the countermodel must satisfy beyond refuting a goal, so that it can be shown and run: where the
 * stack, the data and new objects lie. */
static void put_shown(struct wp *w, query *q, const struct map *nodes, bool where)
{
    struct side *s = &w->side[0];
    unsigned width = s->code->m->pointer_width, heaps = 0;
    struct explore_symbols y = explorer_symbols(s->code->x);
    uint64_t sp = w->opt->stack_base - STACK_ROOM;
    sp = s->code->m->arch == MACHINE_AMD64 ? sp + 8 : s->code->m->arch == MACHINE_X86 ? sp + 12 : sp;
    vec_push(q, symbolic_pin(&w->pair));
    for (size_t i = 0; where && i < w->pair.parts.near.len; i++)
        vec_push(q, w->pair.parts.near.data[i]);
    if (where)
        vec_push(q, term_eq(w->t, y.sp, term_const(w->t, width, sp)));
    if (y.ret != TERM_NONE && where)
        vec_push(q, term_eq(w->t, y.ret, term_const(w->t, width, 0xc0ffee0)));
    VEC(term) sorted = VEC_INIT;
    uint64_t key, one;
    for (size_t i = 0; (i = map_next(nodes, i, &key, &one));)
        vec_push(&sorted, (term)key);
    vec_sort(&sorted, by_number); /* the order they were made in, which every run keeps to */
    for (size_t i = 0; i < sorted.len; i++) {
        term u = sorted.data[i];
        if (term_kind(w->t, u) != TERM_APPLY)
            continue;
        if (term_is_array(w->t, u)) /* so that the model mentions it */
            vec_push(q, term_eq(w->t, term_read(w->t, u, term_const(w->t, width, 0xdead0), 8),
                                term_const(w->t, 8, 0x5a)));
        else if (origin_is_new_object(w->t, u) && heaps < 64) {
            term at = term_const(w->t, width, UINT64_C(0x21000000) + 0x100000 * ++heaps);
            vec_push(q, term_or(w->t, term_eq(w->t, u, at), term_eq(w->t, u, term_const(w->t, width, 0))));
        }
    }
    vec_free(&sorted);
}

static void collect_nodes(struct wp *w, const term *root, size_t n, struct map *nodes)
{
    VEC(term) todo = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        vec_push(&todo, root[i]);
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(nodes, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(w->t, u); i++)
            vec_push(&todo, term_kid(w->t, u, i));
    }
    vec_free(&todo);
}

/* Read-only memory that is read at computed addresses is open for the solver: told what is there until it
 * agrees. */
static bool agree_with_file(struct wp *w, query *q, const struct map *nodes, const struct term_model *m)
{
    bool agrees = true;
    uint64_t key, one;
    term mem = explorer_symbols(w->side[0].code->x).mem;
    for (size_t i = 0; (i = map_next(nodes, i, &key, &one));) {
        term u = (term)key;
        struct bits at, got;
        uint64_t address;
        if (term_kind(w->t, u) != TERM_READ || !term_eval(w->t, m, term_kid(w->t, u, 1), &at) ||
            !bits_to_u64(at, &address))
            continue;
        term root = term_kid(w->t, u, 0);
        while (term_kind(w->t, root) == TERM_WRITE || term_kind(w->t, root) == TERM_AITE) {
            struct bits c;
            unsigned k = 0;
            if (term_kind(w->t, root) == TERM_AITE)
                k = term_eval(w->t, m, term_kid(w->t, root, 0), &c) && bits_is_zero(c) ? 2 : 1;
            root = term_kid(w->t, root, k);
        }
        if (root != mem && term_kind(w->t, root) != TERM_APPLY)
            continue;
        for (unsigned k = 0; k < term_width(w->t, u) / 8; k++) {
            for (unsigned s = 0; s < w->nsides; s++) {
                uint64_t own = symbolic_to_side(w->side[s].code, address + k);
                uint8_t byte;
                if (own == address + k && w->nsides == 2 && canonical_is_code(w->side[s].code->o, own)) {
                    /* code of the two lies in the same places: let it point elsewhere */
                    term lowest = term_const(w->t, w->side[0].code->m->pointer_width, w->opt->stack_base / 2);
                    vec_push(q, term_bin(w->t, OP_ULE, lowest, term_kid(w->t, u, 1)));
                    agrees = false;
                    break;
                }
                if (own < 4096 || (own == address + k && w->nsides == 2) ||
                    !object_is_readonly(w->side[s].code->o, own, 1) ||
                    !object_read(w->side[s].code->o, own, &byte, 1))
                    continue;
                term there = term_read(w->t, root,
                                       term_const(w->t, w->side[0].code->m->pointer_width, address + k), 8);
                term fact = term_eq(w->t, there, term_const(w->t, 8, byte));
                if (!term_eval(w->t, m, fact, &got) || bits_is_zero(got)) {
                    vec_push(q, fact);
                    agrees = false;
                }
                break;
            }
        }
    }
    return agrees;
}

/* A countermodel that can be shown; NULL when there is none, with the reason. */
static struct term_model *find_model(struct wp *w, term bad)
{
    enum { ROUNDS = 24 };
    for (unsigned where = 2; where-- > 0;) {
        query q = VEC_INIT;
        struct map nodes = {0};
        put_given(w, &q);
        vec_push(&q, bad);
        collect_nodes(w, q.data, q.len, &nodes);
        put_shown(w, &q, &nodes, where);
        struct term_model *m = NULL;
        bool found = false;
        for (unsigned round = 0; round < ROUNDS; round++) {
            m = NULL;
            if (solve_check(w->s, q.data, q.len, &m) != SOLVE_SAT)
                break;
            found = agree_with_file(w, &q, &nodes, m);
            if (found)
                break;
            term_model_free(m);
        }
        vec_free(&q);
        map_free(&nodes);
        if (found)
            return m;
    }
    return NULL;
}

/* Is the condition possible, given what is given? An unknown counts as yes. What only a note depends on is
 * not worth much time. */
static bool possible(struct wp *w, term x)
{
    return !term_is_false(w->t, x) && ask(w, x) != SOLVE_UNSAT;
}

static bool seems_possible(struct wp *w, term x)
{
    return !term_is_false(w->t, x) && ask_by(w, w->quick, x) != SOLVE_UNSAT;
}

/* Ends at which nothing is known of what follows. */
static bool open_ends(struct wp *w)
{
    for (unsigned i = 0; i < w->nsides; i++) {
        struct side *s = &w->side[i];
        const char *which = w->nsides == 1 ? "it" : i ? "the modified version" : "the original";
        struct explore_stats st = explorer_stats(s->code->x);
        if (st.dropped) {
            w->open = arena_printf(w->arena, "%s could not be explored completely in time", s->code->f->name);
            return true;
        }
        for (size_t k = 0; k < s->path.len; k++) {
            const struct exec_path *p = s->path.data[k];
            bool leaves = explorer_return_to(s->code->x, p->returns_to) >= RETURN_NEAR;
            if ((leaves || p->end == PATH_UNRESOLVED || p->end == PATH_UNKNOWN_CODE ||
                 p->end == PATH_DEPTH) &&
                possible(w, p->condition)) {
                w->open =
                    arena_printf(w->arena, "%s may reach 0x%" PRIx64 ", where it could not be followed (%s)",
                                 which, object_display_address(s->code->o, p->end_address),
                                 leaves ? "returns elsewhere" : path_end_name(p->end));
                return true;
            }
        }
    }
    return w->open != NULL;
}

/* Can a loop go on beyond the bound? */
static bool is_bounded(struct wp *w)
{
    for (unsigned i = 0; i < w->nsides; i++) {
        struct side *s = &w->side[i];
        for (size_t k = 0; k < s->path.len; k++)
            if (s->path.data[k]->end == PATH_LOOP_BOUND &&
                (w->opt->unroll_auto ? possible : seems_possible)(w, s->path.data[k]->condition)) {
                wp_note(w, "loops are unrolled for %u iteration%s; %s0x%" PRIx64 " can continue",
                        w->visits - 2, w->visits == 3 ? "" : "s",
                        w->nsides == 1 ? "the one at "
                        : i            ? "the modified one at "
                                       : "the original's at ",
                        object_display_address(s->code->o, s->path.data[k]->end_address));
                return true;
            }
    }
    return false;
}

static void note_data(struct wp *w)
{
    const struct parts *parts = &w->pair.parts;
    bool bounds = false;
    for (size_t i = 0; i < parts->all.len; i++)
        bounds = bounds || parts->all.data[i].number;
    if (!w->pair.symbolic.used || w->nsides < 2)
        return;
    wp_note(w, "constants that the code refers to as addresses are addresses");
    if (!w->opt->init_mem && parts->change.len)
        wp_note(w,
                "paired data is equal at the call, or (%zu place%s) what each file begins with, where these "
                "differ",
                parts->change.len, parts->change.len == 1 ? "" : "s");
    else
        wp_note(w, "paired data is equal at the call");
    if (parts->unequal)
        wp_note(w, "%zu more places begin with other contents in the two files, and are taken to be equal",
                parts->unequal);
    wp_note(w, "%s",
            bounds ? "what is reached through a pointer from elsewhere is within the object it points to"
                   : "what is reached from an object's address is in its section of data");
    if (parts->open)
        wp_note(w, "some objects are taken to be followed by the same data in both versions");
}

static void note_assumptions(struct wp *w)
{
    uint64_t axioms[4] = {0}, abi = 0, library = 0, guessed = 0, unproved = 0, undecoded = 0, throws = 0;
    for (unsigned i = 0; i < w->nsides; i++) {
        struct explore_stats st = explorer_stats(w->side[i].code->x);
        for (unsigned k = 0; k < 4; k++)
            axioms[k] += st.axiom_used[k];
        abi += st.abi_assumed;
        library += st.library_assumed;
        guessed += st.args_guessed;
        unproved += st.returns_unproved;
        undecoded += st.undecoded;
        throws += st.throws_ignored;
    }
    static const char *const text[] = {
        "no pointer into the function's frame exists before it runs",
        "a new allocation is disjoint from everything older",
        "read-only data is not written",
        "only the function itself writes the return address and saved registers",
    };
    for (unsigned k = 0; k < 4; k++)
        if (axioms[k])
            wp_note(w, "%s (axiom %s)", text[k], axiom_name(k));
    if (abi)
        wp_note(w, "summarised callees follow the calling convention");
    if (library)
        wp_note(w, "library functions behave as documented");
    if (guessed)
        wp_note(w, "the number of arguments of some calls is guessed");
    if (unproved)
        wp_note(w, "returns reach the caller; this was not proved for all of them");
    if (undecoded)
        wp_note(w, "some instructions were not decoded; what they change may hold any value");
    if (throws)
        wp_note(w, "no callee throws an exception");
    outside_note_callees(w);
    note_data(w);
}

/* ---- one round, with loops unrolled so far ---- */

static void measure(struct wp *w, term bad)
{
    struct wp_stats *st = &w->out->stats;
    st->goals = w->goal.len;
    st->terms = terms_count(w->t);
    st->condition = term_size(w->t, bad);
    for (unsigned i = 0; i < w->nsides; i++) {
        const struct flow_graph *g = flow_graph(w->side[i].code->p, w->side[i].code->f);
        struct explore_stats x = explorer_stats(w->side[i].code->x);
        st->blocks[i] = g->nblocks;
        st->instructions[i] = g->ninsns;
        st->merges += x.merges;
        st->paths += x.paths;
    }
}

static void write_condition(struct wp *w, term bad)
{
    struct buf b = BUF_INIT;
    if (w->opt->want_smtlib) {
        query q = VEC_INIT;
        put_given(w, &q);
        vec_push(&q, bad);
        term_smtlib_script(&b, w->t, q.data, q.len, w->opt->solve.fp_theory, false);
        w->out->smtlib = arena_strdup(w->arena, buf_text(&b));
        vec_free(&q);
    }
    buf_clear(&b);
    for (size_t i = 0; w->opt->want_internal && i < w->goal.len; i++) {
        buf_printf(&b, "goal %zu: %s\n  when ", i + 1, w->goal.data[i].tag);
        term_print(&b, w->t, w->goal.data[i].when);
        buf_puts(&b, "\n  must ");
        term_print(&b, w->t, w->goal.data[i].must);
        buf_putc(&b, '\n');
    }
    if (w->opt->want_internal)
        w->out->internal = arena_strdup(w->arena, buf_text(&b));
    buf_free(&b);
}

static void decide_sat(struct wp *w, term bad)
{
    struct wp_result *r = w->out;
    struct term_model *m = find_model(w, bad);
    r->verdict = WP_UNKNOWN;
    if (!m) {
        r->reason =
            arena_printf(w->arena, "the solver reports a countermodel, but produced none: %s",
                         solver_reason(w->s));
        return;
    }
    if (replay_countermodel(w, m, bad))
        r->verdict = WP_SAT;
    term_model_free(m);
}

/* Every version comes back to its caller; or, with `any`, to an end of whatever kind. */
static term ends(struct wp *w, bool any)
{
    term all = term_true(w->t);
    for (unsigned i = 0; i < w->nsides; i++) {
        term one = side_returns(&w->side[i]);
        for (size_t k = 0; any && k < w->side[i].path.len; k++)
            if (w->side[i].path.data[k]->end != PATH_LOOP_BOUND)
                one = term_or(w->t, one, w->side[i].path.data[k]->condition);
        all = term_and(w->t, all, one);
    }
    return all;
}

static bool asks_about_end(const struct wp *w)
{
    for (size_t i = 0; i < w->goal.len; i++)
        if (w->goal.data[i].kind == GOAL_POST || w->goal.data[i].kind == GOAL_REGISTER)
            return true;
    return false;
}

static void decide(struct wp *w)
{
    struct wp_result *r = w->out;
    term bad = term_false(w->t);
    for (size_t i = 0; i < w->goal.len; i++)
        bad = term_or(w->t, bad, fails(w, &w->goal.data[i]));
    if (w->opt->init_mem)
        assume_memory(w, bad);
    measure(w, bad);
    write_condition(w, bad);
    enum solve_answer a = term_is_false(w->t, bad) ? SOLVE_UNSAT : ask(w, bad);
    /* too much at once: goal by goal */
    if (a == SOLVE_UNKNOWN && w->goal.len > 1) {
        a = SOLVE_UNSAT;
        for (size_t i = 0; i < w->goal.len && a != SOLVE_SAT; i++) {
            term one = fails(w, &w->goal.data[i]);
            enum solve_answer k = term_is_false(w->t, one) ? SOLVE_UNSAT : ask(w, one);
            if (k == SOLVE_SAT)
                bad = one;
            a = k == SOLVE_UNSAT ? a : k;
        }
    }
    if (a == SOLVE_SAT) {
        decide_sat(w, bad);
    } else if (a == SOLVE_UNKNOWN) {
        r->verdict = WP_UNKNOWN;
        r->reason = arena_printf(w->arena, "the solver: %s", solver_reason(w->s));
    } else if (open_ends(w) || (w->open = outside_threads(w))) {
        r->verdict = WP_UNKNOWN;
        r->reason = w->open;
    } else if ((r->reason = unchecked_reason(w))) {
        r->verdict = WP_UNKNOWN;
        w->follow_more = true;
    } else {
        r->verdict = WP_UNSAT;
    }
    r->bounded = r->verdict == WP_UNSAT && is_bounded(w);
    r->vacuous = false;
    if (r->verdict == WP_UNSAT && w->preconditions.len && !seems_possible(w, term_true(w->t)))
        wp_note(w, "the precondition is unsatisfiable, so every property holds");
    else if (r->verdict == WP_UNSAT) {
        bool end = asks_about_end(w);
        r->vacuous = r->bounded && !seems_possible(w, ends(w, !end));
        if (r->vacuous || (end && !seems_possible(w, ends(w, false))))
            wp_note(w, "no run within these bounds returns");
    }
    note_assumptions(w);
}

struct question {
    struct program *p[2];
    const struct flow_function *f[2];
    struct match *match;
};

/* Time for building is the processor's: it asks nobody else. */
static bool check(struct wp *w, const struct question *x, struct error *err)
{
    const struct wp_options *o = w->opt;
    uint64_t begun = time_now().processor_ms;
    w->t = terms_new();
    w->s = solver_new(w->t, &o->solve, err);
    struct solve_options quick = o->solve;
    quick.engine = SOLVE_Z3;
    quick.timeout_ms = QUICK_MS;
    quick.dump_dir = NULL;
    w->quick = w->s ? solver_new(w->t, &quick, err) : NULL;
    bool ok = w->quick != NULL;
    pair_start_symbolic(&w->pair, x->match, x->p, x->f, w->t);
    for (unsigned i = 0; i < w->nsides; i++)
        w->side[i] = (struct side){.w = w, .code = &w->pair.side[i]};
    ok = ok && specs_read(w) && invariants_read(w);
    if (ok)
        parts_compare(&w->pair, o->init_mem);
    for (size_t i = 0; i < w->pair.parts.change.len; i++)
        if (w->pair.parts.change.data[i].fact != TERM_NONE)
            vec_push(&w->assume, w->pair.parts.change.data[i].fact);
    for (unsigned i = 0; ok && i < w->nsides; i++)
        ok = side_explore(&w->side[i], err) && !w->failed;
    if (ok)
        sides_count_arguments(w);
    for (size_t i = 0; ok && i < w->invariant.len; i++)
        if (!w->invariant.data[i].seen)
            ok = wp_fail(w,
                         "--loop-invariant: 0x%" PRIx64
                         " is not the beginning of a block that is reached; assay cfg "
                         "shows the blocks",
                         object_display_address(w->side[0].code->o, w->invariant.data[i].address));
    if (ok) {
        goals_relate(w);
        goals_calls(w);
        assume_stack(w);
        ok = goals_registers(w) && assume_pointers(w) && read_preconditions(w) && wp_read_posts(w);
    }
    w->out->stats.build_ms += time_now().processor_ms - begun;
    begun = now_ms();
    if (ok)
        decide(w);
    w->out->stats.solve_ms += now_ms() - begun;
    if (w->s)
        w->out->stats.solve = solver_stats(w->s);
    for (unsigned i = 0; i < w->nsides; i++)
        side_close(&w->side[i]);
    pair_end(&w->pair);
    solver_free(w->quick);
    solver_free(w->s);
    terms_free(w->t);
    vec_free(&w->goal);
    vec_free(&w->assume);
    vec_free(&w->preconditions);
    vec_free(&w->user[0]);
    vec_free(&w->user[1]);
    vec_free(&w->invariant);
    if (w->has_follow)
        regfree(&w->follow);
    return ok;
}

static struct wp begin(const struct question *x, const struct wp_options *opt, unsigned unroll,
                       struct wp_result *out, struct error *err)
{
    return (struct wp){.opt = opt,
                       .arena = &out->arena,
                       .err = err,
                       .nsides = x->p[1] ? 2 : 1,
                       .visits = unroll + 2,
                       .out = out};
}

/* What a callee of which nothing is known takes is everything that it may take. Two compilers leave different
 * things in registers that are none of its arguments: is there still a countermodel without those? */
static void check_arguments(const struct wp *first, const struct question *x, unsigned unroll)
{
    struct wp_result second = {0}, *out = first->out;
    struct error quiet = {0};
    struct wp w = begin(x, first->opt, unroll, &second, &quiet);
    for (size_t i = 0; i < first->callee.len; i++)
        vec_push(&w.callee, first->callee.data[i]);
    w.few_arguments = true;
    if (check(&w, x, &quiet) && (second.verdict == WP_UNSAT || w.follow_more)) {
        unsigned takes = callee_takes(first->doubtful);
        out->verdict = WP_UNKNOWN;
        out->reason =
            arena_printf(&out->arena,
                         "it depends on the arguments of %s: there is no countermodel if it takes at most %u "
                         "argument%s (debug information or --user-func-specs decides)",
                         first->doubtful->name, takes, takes == 1 ? "" : "s");
    }
    vec_free(&w.callee);
    vec_free(&w.unchecked);
    vec_free(&w.notes.list);
    wp_result_free(&second);
}

bool wp_check(struct program *orig, const struct flow_function *f, struct program *mod,
              const struct flow_function *g, struct match *match, const struct wp_options *opt,
              struct wp_result *out, struct error *err)
{
    *out = (struct wp_result){0};
    struct question x = {{orig, mod}, {f, g}, match};
    unsigned unroll = opt->unroll_auto ? 1 : opt->unroll;
    struct time_spent begun = time_now();
    bool ok;
    VEC(const char *) also = VEC_INIT; /* callees that are followed because their summaries were not enough */
    for (unsigned round = 1;; round++) {
        struct wp w = begin(&x, opt, unroll, out, err);
        for (size_t i = 0; i < also.len; i++)
            vec_push(&w.also, also.data[i]);
        out->spurious = false;
        out->reason = NULL;
        out->goal = NULL;
        out->ngoals = 0;
        out->stats.merges = out->stats.paths = 0;
        ok = check(&w, &x, err);
        out->stats.rounds = round;
        out->unrolled = unroll;
        out->nnotes = w.notes.list.len;
        out->note = VEC_KEEP(&out->arena, &w.notes.list);
        vec_free(&w.notes.list);
        if (ok && mod && out->verdict == WP_SAT && w.doubtful)
            check_arguments(&w, &x, unroll);
        vec_free(&w.callee);
        vec_free(&w.also);
        bool time_left = !opt->timeout_ms || time_since(begun) * 3 < opt->timeout_ms;
        size_t followed = also.len;
        for (size_t i = 0; ok && w.follow_more && time_left && i < w.unchecked.len && also.len < ALSO_MAX;
             i++)
            vec_push(&also, w.unchecked.data[i]);
        vec_free(&w.unchecked);
        if (also.len > followed)
            continue;
        if (ok && w.blamed && also.len < ALSO_MAX && time_left) {
            vec_push(&also, w.blamed);
            continue;
        }
        unsigned deepest = opt->unroll_auto ? opt->unroll : WP_UNROLL_MOST;
        bool more = ok && out->verdict == WP_UNSAT && (opt->unroll_auto ? out->bounded : out->vacuous) &&
                    unroll < deepest;
        /* the next round is about twice as deep, and takes more than twice as long */
        more = more && (!opt->timeout_ms || time_since(begun) * 8 < opt->timeout_ms);
        if (!more)
            break;
        unroll = unroll * 2 + 1 < deepest ? unroll * 2 + 1 : deepest;
    }
    vec_free(&also);
    if (ok && out->verdict == WP_UNSAT && out->vacuous) {
        out->verdict = WP_UNKNOWN;
        out->reason =
            arena_printf(&out->arena,
                         "no run ends within %u loop iterations, so nothing was checked "
                         "(--num-unroll)",
                         unroll);
    }
    if (ok && opt->unroll_auto && out->verdict == WP_UNSAT && out->bounded) {
        out->verdict = WP_UNKNOWN;
        out->reason = arena_printf(
            &out->arena, "no countermodel within %u loop iterations, but loops can continue", unroll);
    }
    return ok;
}

void wp_result_free(struct wp_result *r)
{
    arena_free(&r->arena);
    *r = (struct wp_result){0};
}

const struct flow_function *wp_counterpart(struct program *mod, const struct flow_function *f,
                                           struct match *match, const char *name_map, struct error *err)
{
    struct buf name = BUF_INIT;
    struct error none = {0};
    const struct flow_function *g = NULL;
    bool mapped = map_name(name_map, f->name, &name, &none);
    if (none.kind) {
        *err = none;
    } else if (mapped) {
        g = program_function(mod, buf_text(&name), err);
    } else {
        const struct match_pair *pair = match ? match_function(match, f->address) : NULL;
        const struct flow_function *all;
        program_functions(mod, &all);
        if (pair && pair->new != MATCH_NONE)
            g = &all[pair->new];
        else
            g = program_function(mod, f->name, err);
    }
    buf_free(&name);
    return g;
}

bool wp_read_assumptions(struct terms *t, struct program *p, const struct flow_function *f, uint64_t bias,
                         struct solver *s, const char *const *text, struct arena *arena, term *out,
                         struct error *err)
{
    struct wp_options none = {0};
    struct wp w = {.opt = &none, .t = t, .s = s, .quick = s, .arena = arena, .err = err, .nsides = 1};
    struct explore_options o = {.axioms = AXIOM_ALL, .policy = &exec_policy_prove, .bias = bias};
    struct program *const programs[2] = {p, NULL};
    const struct flow_function *const functions[2] = {f, NULL};
    pair_start_symbolic(&w.pair, NULL, programs, functions, t);
    w.side[0] = (struct side){.w = &w, .code = &w.pair.side[0]};
    w.side[0].roms = (struct roms){
        .t = t, .o = program_object(p), .arena = arena, .width = program_machine(p)->pointer_width};
    w.pair.side[0].bias = bias;
    w.pair.side[0].x = explorer_new(p, t, s, &o);
    *out = term_true(t);
    for (size_t i = 0; !w.failed && text[i]; i++) {
        term one = clike_read(&w, "--assume", text[i], false);
        if (one != TERM_NONE)
            *out = term_and(t, *out, one);
    }
    explorer_free(w.pair.side[0].x);
    w.pair.side[0].x = NULL;
    roms_free(&w.side[0].roms);
    pair_end(&w.pair);
    return !w.failed;
}
