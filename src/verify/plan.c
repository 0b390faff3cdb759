/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two versions are cut. */
#include <stdlib.h>
#include <string.h>

#include "verify/walk.h"

void plan_end(struct plan *p)
{
    for (int s = 0; s < 2; s++) {
        free(p->stop[s]);
        free(p->head[s]);
    }
    free(p->rank);
    vec_free(&p->speed);
}

/* Whether `to` can be reached from `from` (another block). */
static bool reaches(const struct flow_graph *g, uint32_t from, uint32_t to)
{
    uint8_t *seen = xcalloc(g->nblocks + 1, 1);
    VEC(uint32_t) todo = VEC_INIT;
    bool found = false;
    vec_push(&todo, from);
    seen[from] = 1;
    while (todo.len && !found) {
        uint32_t b = vec_pop(&todo);
        found = b == to;
        for (uint32_t i = g->first_edge[b]; i < g->first_edge[b + 1]; i++)
            if (!seen[g->edge[i].to]) {
                seen[g->edge[i].to] = 1;
                vec_push(&todo, g->edge[i].to);
            }
    }
    vec_free(&todo);
    free(seen);
    return found;
}

/* Where a loop goes on after the next test that may leave it; MATCH_NONE: there is no one such place. */
static uint32_t behind_test(const struct flow_graph *g, uint32_t head)
{
    uint32_t b = head;
    for (uint32_t fuel = g->nblocks; fuel; fuel--) {
        uint32_t next = MATCH_NONE;
        bool leaves = g->block[b].end.kind == IR_END_RET; /* ARM returns on a condition */
        for (uint32_t i = g->first_edge[b]; i < g->first_edge[b + 1]; i++) {
            uint32_t to = g->edge[i].to;
            if (!reaches(g, to, head))
                leaves = true;
            else if (next != MATCH_NONE && next != to)
                return MATCH_NONE;
            else
                next = to;
        }
        if (next == MATCH_NONE || next == head)
            return MATCH_NONE;
        if (leaves)
            return next;
        b = next;
    }
    return MATCH_NONE;
}

/* Inside the loop where the other version begins its own: what the head there is paired with. */
static uint32_t other_head(const struct walk *w, const struct plan *p)
{
    const struct check *c = w->c;
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    const struct flow_graph *g = c->pair.side[w->parted_side].g;
    int other = w->parted_side == OLD ? NEW : OLD;
    for (uint32_t i = 0; b && i < b->nold; i++) {
        uint32_t at[2] = {i, b->new_of_old[i]};
        if (at[NEW] != MATCH_NONE && p->stop[other][at[other]] &&
            !p->stop[w->parted_side][at[w->parted_side]] && reaches(g, w->parted_at, at[w->parted_side]) &&
            reaches(g, at[w->parted_side], w->parted_at))
            return at[w->parted_side];
    }
    return MATCH_NONE;
}

bool plan_again(const struct walk *w, struct plan *p)
{
    enum { THROUGH = 18 }; /* compilers do not unroll loops wholly that go round more often */
    struct check *c = w->c;
    /* what did not help is not kept */
    for (size_t i = 0; i < p->speed.len; i++)
        p->speed.data[i].rounds[OLD] = p->speed.data[i].rounds[NEW] = 1;
    for (size_t i = 0; i < w->cut.len; i++) {
        const struct cut *k = &w->cut.data[i];
        bool known = k->r.rounds[OLD] == k->r.rounds[NEW];
        for (size_t n = 0; n < p->speed.len && !known; n++)
            known =
                p->speed.data[n].block[OLD] == k->block[OLD] && p->speed.data[n].block[NEW] == k->block[NEW];
        if (known)
            continue;
        vec_push(&p->speed, (struct speed){.block = {k->block[OLD], k->block[NEW]},
                                           .rounds = {k->r.rounds[OLD], k->r.rounds[NEW]}});
        p->visits = p->visits < 10 ? 10 : p->visits;
        return true;
    }
    if (w->parted_side > NEW)
        return false;
    uint8_t *stop = p->stop[w->parted_side];
    uint32_t next = behind_test(c->pair.side[w->parted_side].g, w->parted_at);
    if (next == MATCH_NONE)
        next = other_head(w, p);
    stop[w->parted_at] = 0;
    if (next != MATCH_NONE && !stop[next])
        stop[next] = 1;
    else
        p->visits = THROUGH;
    return true;
}

/* ---- block by block ---- */

/* Numbers blocks so that, but for what leads back, one comes before those it leads to. */
static uint32_t *ranks(const struct flow_graph *g)
{
    uint32_t *rank = xcalloc(g->nblocks + 1, sizeof *rank), *next = xcalloc(g->nblocks + 1, sizeof *next);
    uint32_t left = g->nblocks;
    VEC(uint32_t) way = VEC_INIT;
    for (uint32_t i = 0; i < g->nblocks; i++)
        next[i] = UINT32_MAX;
    for (uint32_t root = 0; root < g->nblocks; root++) {
        if (next[root] != UINT32_MAX)
            continue;
        vec_push(&way, root);
        next[root] = g->first_edge[root];
        while (way.len) {
            uint32_t b = vec_last(&way);
            if (next[b] == g->first_edge[b + 1]) {
                rank[b] = left--;
                way.len--;
                continue;
            }
            uint32_t to = g->edge[next[b]++].to;
            if (next[to] == UINT32_MAX) {
                next[to] = g->first_edge[to];
                vec_push(&way, to);
            }
        }
    }
    vec_free(&way);
    free(next);
    return rank;
}

/* Neither does the block jump through a table, where it would not know any more what was found out of the
 * index, nor is it a loop that is run through. */
static bool may_cut(const struct flow_graph *g, uint32_t block)
{
    for (uint32_t i = 0; i < g->ntables; i++)
        if (g->table[i].block == block)
            return false;
    return !plan_runs_through(g, block);
}

/* Cuts at all blocks that are paired, too. */
static void plan_blocks(struct check *c, struct plan *p)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    p->rank = ranks(c->pair.side[OLD].g);
    for (int s = 0; s < 2; s++) {
        uint32_t n = c->pair.side[s].g->nblocks;
        p->head[s] = xcalloc(n + 1, 1);
        memcpy(p->head[s], p->stop[s], n);
    }
    for (uint32_t i = 0; b && i < b->nold; i++)
        if (b->new_of_old[i] != MATCH_NONE && may_cut(c->pair.side[OLD].g, i) &&
            may_cut(c->pair.side[NEW].g, b->new_of_old[i]))
            p->stop[OLD][i] = p->stop[NEW][b->new_of_old[i]] = 1;
}

/* ---- loops that are run through ---- */

/* It is computed from that register alone, with operators. */
static bool is_of_register(const struct ir_block *b, ir_val v, uint32_t reg)
{
    const struct ir_insn *in = &b->insn[v];
    const ir_val kid[] = {in->a, in->b, in->c, in->d};
    if (in->op == IR_CONST)
        return true;
    if (in->op == IR_GET)
        return in->a == reg;
    bool yes = in->op < OP_COUNT_;
    for (unsigned i = 0; yes && i < op_info[in->op].arity; i++)
        yes = is_of_register(b, kid[i], reg);
    return yes;
}

/* The block holds one instruction that is repeated as often as a register says. */
static bool is_repeated(const struct flow_graph *g, uint32_t block, uint32_t *reg, unsigned *width)
{
    const struct ir_block *b = &g->block[block];
    bool again = false, counts = false;
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++)
        again = again || g->edge[e].to == block;
    if (!again || b->nmark != 1)
        return false;
    for (uint32_t i = 0; i < b->ninsn && !counts; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op != IR_PUT || b->insn[in->b].op != OP_SUB || b->insn[b->insn[in->b].b].op != IR_CONST)
            continue;
        *reg = in->a;
        *width = b->insn[in->b].width;
        counts = is_of_register(b, in->b, *reg);
        for (uint32_t k = 0; k < b->ninsn && counts; k++)
            counts = b->insn[k].op != IR_EXIT || is_of_register(b, b->insn[k].a, *reg);
    }
    return counts;
}

/* The number that the block leaves in the register; UINT64_MAX: it is not known. */
static uint64_t left_in(const struct ir_block *b, uint32_t reg, unsigned width)
{
    uint64_t number = UINT64_MAX;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT && in->a == reg)
            number = b->insn[in->b].op == IR_CONST && b->insn[in->b].width == width
                         ? ir_imm(b->insn[in->b].a, b->insn[in->b].b)
                         : UINT64_MAX;
    }
    return number;
}

bool plan_runs_through(const struct flow_graph *g, uint32_t block)
{
    enum { ROUNDS_MAX = 512 };
    uint32_t reg;
    unsigned width;
    bool come_to = false, known = is_repeated(g, block, &reg, &width);
    for (uint32_t b = 0; b < g->nblocks && known; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1] && known; e++)
            if (g->edge[e].to == block && b != block) {
                come_to = true;
                known =
                    g->block[b].end.kind == IR_END_JUMP && left_in(&g->block[b], reg, width) <= ROUNDS_MAX;
            }
    return come_to && known;
}

void plan_start(struct check *c, struct plan *p)
{
    for (int s = 0; s < 2; s++) {
        uint32_t n = c->pair.side[s].g->nblocks;
        const uint8_t *head = explorer_loop_heads(c->pair.side[s].x, c->pair.side[s].f);
        p->stop[s] = xcalloc(n + 1, 1);
        for (uint32_t b = 0; b < n; b++)
            p->stop[s][b] = head[b] && !plan_runs_through(c->pair.side[s].g, b);
    }
    if (p->kind == RELATION_FORGETS)
        plan_blocks(c, p);
}

/* Takes away a cut that no loop needs; false: there is none. */
static bool uncut(struct check *c, struct plan *p, uint32_t old)
{
    const struct match_blocks *b = match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
    uint32_t new = b &&old < b->nold ? b->new_of_old[old] : MATCH_NONE;
    if (new == MATCH_NONE || !p->stop[OLD][old] || p->head[OLD][old] || p->head[NEW][new])
        return false;
    p->stop[OLD][old] = p->stop[NEW][new] = 0;
    return true;
}

/* Takes away a ring of cuts: those of which one leads to a marked block, or to which a marked block leads. */
static bool uncut_around(struct check *c, struct plan *p, uint8_t *near, bool behind, bool *any)
{
    const struct flow_graph *g = c->pair.side[OLD].g;
    uint8_t *was = xcalloc(g->nblocks + 1, 1);
    bool grown = false;
    memcpy(was, near, g->nblocks);
    for (uint32_t b = 0; b < g->nblocks; b++)
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) {
            uint32_t at = behind ? b : g->edge[e].to, next = behind ? g->edge[e].to : b;
            if (was[at] && !near[next]) {
                near[next] = grown = true;
                *any |= uncut(c, p, next);
            }
        }
    free(was);
    return grown;
}

bool plan_coarser(const struct walk *w, struct plan *p)
{
    struct check *c = w->c;
    uint32_t n = c->pair.side[OLD].g->nblocks;
    bool any = false;
    for (int why = 0; why < 2; why++) {
        uint8_t *near = xcalloc(n + 1, 1);
        bool some = false;
        for (size_t i = 0; i < w->blamed[why].len; i++) {
            some |= uncut(c, p, w->blamed[why].data[i]);
            near[w->blamed[why].data[i]] = 1;
        }
        unsigned rings = p->tries / 2;
        while (w->blamed[why].len && (rings || !some) && uncut_around(c, p, near, why == TOO_EARLY, &some))
            rings -= rings > 0;
        any |= some;
        free(near);
    }
    p->tries++;
    return any;
}
