/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An input for a path, that agrees with what the file says of memory. */
#include <stdlib.h>
#include <string.h>

#include "exec/player.h"

enum { ROUNDS = 40 }; /* of asking for an input that agrees with read-only memory */

/* Everything the path's terms are made of. */
static void collect(struct explorer *x, const struct exec_path *path, struct map *seen)
{
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, path->condition);
    vec_push(&todo, path->memory);
    vec_push(&todo, path->frame);
    for (uint32_t i = 0; path->spaces && i < path->spaces->n; i++)
        vec_push(&todo, path->spaces->at[i].array);
    if (path->result != TERM_NONE)
        vec_push(&todo, path->result);
    if (path->thrown != TERM_NONE)
        vec_push(&todo, path->thrown);
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        const term some[] = {e->guard,  e->mem_before, e->mem_after, e->frame_after, e->result,
                             e->target, e->token,      e->x87,       e->threw,       e->thrown};
        for (unsigned k = 0; k < sizeof some / sizeof *some; k++)
            if (some[k] != TERM_NONE)
                vec_push(&todo, some[k]);
        for (unsigned k = 0; k < e->nargs; k++)
            vec_push(&todo, e->arg[k]);
    }
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(seen, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(x->t, u); i++)
            vec_push(&todo, term_kid(x->t, u, i));
    }
    vec_free(&todo);
}

static int by_number(const void *a, const void *b)
{
    term x = *(const term *)a, y = *(const term *)b;
    return x < y ? -1 : x > y;
}

static term root_of(struct explorer *x, const struct term_model *m, term array)
{
    for (;;) {
        unsigned kind = term_kind(x->t, array);
        struct bits c;
        if (kind == TERM_WRITE)
            array = term_kid(x->t, array, 0);
        else if (kind == TERM_AITE && term_eval(x->t, m, term_kid(x->t, array, 0), &c))
            array = term_kid(x->t, array, bits_is_zero(c) ? 2 : 1);
        else
            return array;
    }
}

bool replay_path(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                 struct replay *out)
{
    if (!x->s)
        return player_says(out, REPLAY_NO_INPUT, "no solver");
    struct map seen = {0};
    collect(x, path, &seen);
    VEC(term) node = VEC_INIT, q = VEC_INIT;
    uint64_t key, one;
    for (size_t i = 0; (i = map_next(&seen, i, &key, &one));)
        vec_push(&node, (term)key);
    map_free(&seen);
    vec_sort(&node, by_number);

    vec_push(&q, path->condition);
    for (size_t i = 0; i < x->assume.len; i++)
        vec_push(&q, x->assume.data[i]);
    /* Places the stack where no argument is likely to point, the return address outside the code, and objects
     * so that they do not overlap. */
    uint64_t sp = (x->width == 64 ? UINT64_C(0x7ffd5ea10000) : UINT64_C(0xbea10000)) + x->sp_residue;
    vec_push(&q, term_eq(x->t, x->sp, term_const(x->t, x->width, sp)));
    if (x->ret != TERM_NONE && !x->snapshot)
        vec_push(&q, term_eq(x->t, x->ret, term_const(x->t, x->width, 0xc0ffee0)));
    unsigned heaps = 0;
    for (size_t i = 0; i < node.len; i++) {
        term u = node.data[i];
        unsigned kind = term_kind(x->t, u);
        if (kind == TERM_APPLY && term_is_array(x->t, u)) { /* so that the model mentions it */
            unsigned index = term_index_width(x->t, u), cell = term_cell_width(x->t, u);
            vec_push(&q, term_eq(x->t, term_read(x->t, u, term_const(x->t, index, 0xdead0), cell),
                                 term_const(x->t, cell, 0x5a)));
        }
        if (kind == TERM_APPLY && summary_heap_root(x, u) == u && heaps < 64) {
            term at = term_const(x->t, x->width, UINT64_C(0x51000000) + 0x100000 * ++heaps);
            term is = term_eq(x->t, u, at), null = term_eq(x->t, u, term_const(x->t, x->width, 0));
            vec_push(&q, term_or(x->t, is, null));
        }
    }
    for (size_t i = 0; i < x->globals.len && i < GLOBALS_MAX; i++)
        vec_push(&q, term_eq(x->t, x->globals.data[i],
                             term_const(x->t, x->width, GLOBALS_AT + (uint64_t)i * GLOBAL_SIZE)));
    bool ok = false, done = false;
    for (unsigned round = 0; round < ROUNDS && !done; round++) {
        struct term_model *m = NULL;
        enum solve_answer a = solve_check(x->s, q.data, q.len, &m);
        if (a != SOLVE_SAT) {
            ok = player_says(out, REPLAY_NO_INPUT, "%s",
                             a == SOLVE_UNSAT ? "no input takes this path" : solver_reason(x->s));
            break;
        }
        /* Reads of read-only memory, and of pages of a snapshot, at computed addresses are open for the
         * solver: tell it what is there. */
        bool agrees = true;
        for (size_t i = 0; i < node.len && (x->file->o || x->code || x->snapshot); i++) {
            term u = node.data[i];
            struct bits at, got;
            uint64_t address;
            if (term_kind(x->t, u) != TERM_READ || term_index_width(x->t, term_kid(x->t, u, 0)) != x->width ||
                term_cell_width(x->t, term_kid(x->t, u, 0)) != 8 ||
                !term_eval(x->t, m, term_kid(x->t, u, 1), &at) || !bits_to_u64(at, &address))
                continue;
            term root = root_of(x, m, term_kid(x->t, u, 0));
            for (unsigned k = 0; k < term_width(x->t, u) / 8; k++) {
                uint64_t byte = player_mask(x, address + k);
                uint8_t was;
                bool paged = memory_snapshot_byte(x, byte, &was);
                if (paged && root != x->mem)
                    continue; /* something else was there by then */
                uint64_t own = byte;
                const struct mapped *in = x->mapped.len > 1 ? mapped_at(x, byte, &own) : x->file;
                if (!paged && !in)
                    continue;
                term v = paged ? term_const(x->t, 8, was) : player_known_word(x, in, own, 8);
                if (v == TERM_NONE) { /* part of a word that the dynamic linker fills */
                    byte -= own % x->unit;
                    own -= own % x->unit;
                    v = player_known_word(x, in, own, x->width);
                }
                if (v == TERM_NONE)
                    continue;
                term there = term_read(x->t, root, term_const(x->t, x->width, byte), term_width(x->t, v));
                term fact = term_eq(x->t, there, v);
                if (!term_eval(x->t, m, fact, &got) || bits_is_zero(got)) {
                    vec_push(&q, fact);
                    agrees = false;
                }
            }
        }
        if (agrees) {
            done = true;
            ok = replay_model(x, g, path, m, out);
        }
        term_model_free(m);
        if (!agrees && round + 1 == ROUNDS)
            ok = player_says(out, REPLAY_NO_INPUT, "no input found that agrees with known memory");
    }
    vec_free(&node);
    vec_free(&q);
    return ok;
}
